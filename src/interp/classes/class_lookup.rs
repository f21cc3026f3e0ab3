//! Classes of the program: definition, inheritance, instances.

use std::rc::Rc;
use std::sync::Arc;

use crate::api::registry;
use crate::calls::argument_mismatch::keeps_parameters;
use crate::calls::call::CallArguments;
use crate::classes::named_tuples::TYPED;
use crate::generators::generator_methods::GENERATOR;
use crate::heap::objects::{ClassData, Payload};
use crate::state::interpreter::{Eval, Frame, Interpreter};
use crate::values::equivalent_modules::MODULE;
use crate::values::value::{Closure, FunctionKind, LibraryMethod, ObjectId, SuperProxy, Value};
use harp_annotations::Construct;
use harp_corpus::Span;
use harp_python::ir::{self, ArgumentKind, Expr, ExprKind};
use harp_python::name::{Name, name};

/// The attribute of a class that holds a property's deleter; no program can name it.
pub fn deleter_name(property: Name) -> Name {
    Name::new(&format!("{property}.deleter"))
}

/// The attribute of a class that holds a property's setter; no program can name it.
pub fn setter_name(property: Name) -> Name {
    Name::new(&format!("{property}.setter"))
}

/// The attribute of a class that `dataclass(…)` was called with; no program can name it.
pub const RECORD: &str = "(record)";

/// The attributes of a class that hold its bases and the classes that derive from it; no program can name them.
pub const BASES: &str = "(bases)";
const DERIVED: &str = "(derived)";
/// So many derived classes are kept.
const MOST_DERIVED: usize = 64;

impl Interpreter<'_> {
    pub fn define_class(&mut self, class: &Arc<ir::Class>) -> Eval<()> {
        let mut bases = Vec::new();
        for argument in &class.arguments {
            if argument.kind == ArgumentKind::Positional {
                let base = self.evaluate(&argument.value)?;
                let place = self.span(argument.value.range);
                bases.push(self.base_of_choice(&base, place));
            }
        }
        let Some((globals, file, mut enclosing)) = self.frames.last().map(|frame| {
            let mut enclosing = frame.enclosing.to_vec();
            if frame.function.is_some() {
                enclosing.insert(0, frame.locals);
            }
            (frame.globals, frame.file, enclosing)
        }) else {
            return Ok(());
        };
        enclosing.splice(0..0, self.scope_of_type_parameters(&class.type_parameters));
        let id = self.heap.allocate(Payload::Plain);
        let mut resolution_order = vec![Value::Class(id)];
        resolution_order.extend(self.linearise(&bases));
        self.mix_in(&mut resolution_order, Span::new(class.file, class.range.start, class.range.end));
        self.heap.count_copied(resolution_order.len());
        let data = ClassData { definition: Arc::clone(class), resolution_order };
        self.heap.set_payload(id, Payload::Class(Rc::new(data)));
        self.calls.count += 1;
        let frame = Frame {
            number: self.calls.count,
            locals: id,
            globals,
            enclosing: Rc::from(enclosing),
            function: None,
            class: Some(id),
            receiver: None,
            recursive_calls: 0,
            file,
            base: self.heap.mark(),
            pending_base: self.pending.len(),
            path_base: self.path.len(),
            letters: Default::default(),
            block: None,
            at: None,
            yields: Vec::new(),
            yields_repeat: false,
            yields_under: Vec::new(),
            around: None,
            stepping: None,
            is_class_body: true,
        };
        self.entry.executed_files.insert(frame.file);
        self.frames.push(frame);
        let result = self.execute_block(&class.body);
        self.frames.pop();
        result?;
        self.finish_class(id, class, &bases, Vec::new())?;
        self.note_family(id, &bases);
        let mut value = Value::Class(id);
        let made = self.evaluate_decorators(&class.decorators)?;
        for (decorator, made) in class.decorators.iter().zip(made).rev() {
            value = self.decorate(decorator, made, value)?;
        }
        self.store_name(class.name, value);
        Ok(())
    }

    /// Keeps the bases of a class, and the class with its bases.
    pub(crate) fn note_family(&mut self, id: ObjectId, bases: &[Value]) {
        // What stands for the classes of named tuples is no class.
        let of_named_tuples = |base: &Value| matches!(base, Value::Library(name) if name.as_str() == TYPED);
        let known = |base: &Value| if of_named_tuples(base) { Value::library("builtins.tuple") } else { base.clone() };
        let direct = match bases {
            [] => vec![Value::library("builtins.object")],
            bases => bases.iter().map(known).collect(),
        };
        self.heap.set_attribute(id, Name::new(BASES), Value::tuple(direct));
        for base in bases {
            let Value::Class(base) = base else { continue };
            let mut derived = match self.heap.attribute(*base, Name::new(DERIVED)) {
                Some(Value::Tuple(classes)) => classes.to_vec(),
                Some(_) => continue,
                None => Vec::new(),
            };
            derived.push(Value::Class(id));
            // A base of very many classes does not list them.
            let known = if derived.len() > MOST_DERIVED { Value::Unknown("subclasses") } else { Value::tuple(derived) };
            self.heap.set_attribute(*base, Name::new(DERIVED), known);
        }
    }

    /// The classes that derive from a class directly, where they are known.
    pub fn derived_classes(&self, id: ObjectId) -> Option<Vec<Value>> {
        match self.heap.attribute(id, Name::new(DERIVED)) {
            None => Some(Vec::new()),
            Some(Value::Tuple(classes)) => Some(classes.to_vec()),
            Some(_) => None,
        }
    }

    /// Applies a decorator: those of Python that change how a function is bound, else a call of the decorator.
    /// What decorators that are calls give: all expressions are evaluated from above before the first is applied from below.
    pub fn evaluate_decorators(&mut self, decorators: &[Expr]) -> Eval<Vec<Option<Value>>> {
        let last = decorators.len().saturating_sub(1);
        let evaluate = |(place, decorator): (usize, &Expr)| match decorator.kind {
            ExprKind::Call(_) if place < last => self.evaluate(decorator).map(Some),
            _ => Ok(None),
        };
        decorators.iter().enumerate().map(evaluate).collect()
    }

    pub fn decorate(&mut self, decorator: &Expr, made: Option<Value>, value: Value) -> Eval {
        // `@x.setter` keeps the property that `x` already is; what assigns it stands beside it.
        if let ExprKind::Attribute { value: owner, attribute, .. } = &decorator.kind
            && matches!(attribute.as_str(), "setter" | "deleter" | "getter")
        {
            let property = match &owner.kind {
                ExprKind::Name(name) => self.lookup(*name),
                _ => Some(self.evaluate(owner)?),
            };
            let name = match &owner.kind {
                ExprKind::Name(name) if attribute.as_str() != "getter" => name,
                _ => match (property.as_ref().map(|property| self.read(property)), &value) {
                    (Some(Value::Function(property)), Value::Function(function)) => {
                        return Ok(self.property_with(&property, attribute.as_str(), function));
                    }
                    _ => return Ok(value),
                },
            };
            if attribute.as_str() == "setter" {
                self.store_name(setter_name(*name), value.clone());
            }
            if attribute.as_str() == "deleter" {
                self.store_name(deleter_name(*name), value.clone());
            }
            return Ok(property.unwrap_or(value));
        }
        if self.note_parametrized(decorator, &value)? || self.note_fixture(decorator, &value)? {
            self.note_taken_decorator(&value);
            return Ok(value);
        }
        let evaluated = match made {
            Some(made) => made,
            None => self.evaluate(decorator)?,
        };
        let (name, construct) = match &evaluated {
            Value::Library(name) => (name.as_str(), self.construct_of(*name)),
            _ => ("", None),
        };
        if let Value::Function(closure) = &value {
            let kind = match name {
                "builtins.staticmethod" => Some(FunctionKind::Static),
                "builtins.classmethod" => Some(FunctionKind::ClassMethod),
                "builtins.property" => Some(FunctionKind::Property),
                _ if construct == Some(Construct::Property) => Some(FunctionKind::Property),
                "functools.cached_property" => Some(FunctionKind::CachedProperty),
                // Whatever library it is from: `lazy_property`, `cached_property`.
                name if name.ends_with("_property") => Some(FunctionKind::CachedProperty),
                _ => None,
            };
            if let Some(kind) = kind {
                return Ok(Value::Function(Rc::new(Closure { kind, ..closure.copy() })));
            }
        }
        match &evaluated {
            Value::Class(class) if !self.derives_from(&evaluated, MODULE) && !self.is_exception_class(&evaluated) => {
                let span = self.span(decorator.range);
                let class = *class;
                self.instantiate(class, CallArguments::positional(vec![value], span))
            }
            Value::Function(_) | Value::BoundMethod(_) | Value::Instance(_) if self.is_decorator(&evaluated) => {
                let span = self.span(decorator.range);
                let result = self.call(&evaluated, CallArguments::positional(vec![value.clone()], span))?;
                if result.is_unknown() || self.is_object_of_source(&evaluated) {
                    self.note_taken_decorator(&value);
                }
                // A decorator that was not understood is taken to return what it decorates.
                Ok(if result.is_unknown() { value } else { result })
            }
            // The function that is decorated so gives its gradient besides, which the one that is called does not.
            Value::Library(name) if name.as_str().ends_with(".custom_gradient") => {
                let span = self.span(decorator.range);
                Ok(self.symbolic("a function with a gradient of its own", span, true))
            }
            // `@Base.register` keeps the class.
            Value::LibraryMethod(method)
                if matches!(method.receiver, Value::Class(_)) && method.api.as_str().ends_with(".register") =>
            {
                let span = self.span(decorator.range);
                self.call(&evaluated, CallArguments::positional(vec![value.clone()], span))?;
                Ok(value)
            }
            Value::Library(_) | Value::LibraryMethod(_) if registry::is_decorator(self.models, &evaluated) => {
                if !keeps_parameters(decorator) {
                    self.note_taken_decorator(&value);
                }
                let span = self.span(decorator.range);
                self.call(&evaluated, CallArguments::positional(vec![value], span))
            }
            // What it makes of the function is taken to be as the function.
            _ => {
                if !keeps_parameters(decorator) {
                    self.note_taken_decorator(&value);
                }
                let is_unknown = match &evaluated {
                    Value::Library(name) => self.library_entry(*name).is_none() && !keeps_parameters(decorator),
                    evaluated => evaluated.is_unknown(),
                };
                if let Value::Function(closure) = &value
                    && is_unknown
                {
                    let function = &closure.function;
                    self.caches.unknown_decorators.insert((function.file, function.range.start));
                }
                Ok(value)
            }
        }
    }

    /// Notes that a decorator of a function may change what it takes.
    fn note_taken_decorator(&mut self, decorated: &Value) {
        if let Value::Function(closure) = decorated {
            self.caches.taken_decorators.insert((closure.function.file, closure.function.range.start));
        }
    }

    /// Whether a value is an object of a class that a pack's source defines: such a source tells what objects do, and not always which arguments
    /// functions are given.
    fn is_object_of_source(&self, value: &Value) -> bool {
        let Value::Class(class) = self.class_of(value) else { return false };
        self.heap.class(class).is_some_and(|data| self.corpus.is_standard(data.definition.file))
    }

    /// Whether a decorator is called: functions, and objects of which it is known what calling them does, as `partial(decorator)` and
    /// `wraps(function)`.
    fn is_decorator(&self, decorator: &Value) -> bool {
        match (decorator, self.class_of(decorator)) {
            (Value::Instance(_), Value::Library(class)) => self.call_handler(class).is_some(),
            _ => true,
        }
    }

    /// The class of a value, as `type(x)` gives it.
    pub fn class_of(&self, value: &Value) -> Value {
        match value {
            Value::Instance(id) => self.heap.instance(*id).map_or(Value::Unknown("class"), |data| data.class.clone()),
            Value::Class(_) => value.clone(),
            Value::Tensor(tensor) => Value::library(tensor.kind.class_name()),
            Value::List(_) => Value::library("builtins.list"),
            Value::Dict(id) => self.dict_class(*id).cloned().unwrap_or_else(|| Value::library("builtins.dict")),
            Value::Set(_) => Value::library("builtins.set"),
            Value::Tuple(_) => Value::library("builtins.tuple"),
            Value::Int(_) => Value::library("builtins.int"),
            Value::Bool(_) | Value::Condition(_) => Value::library("builtins.bool"),
            Value::Float(_) | Value::Ratio(_) => Value::library("builtins.float"),
            Value::Str(_) => Value::library("builtins.str"),
            Value::Size(_) => {
                let sizes = self.families().usual().rules().sizes.as_deref();
                Value::library(sizes.unwrap_or("builtins.tuple"))
            }
            Value::None => Value::library("types.NoneType"),
            Value::Cursor(_) | Value::Iterator(_) => Value::library(GENERATOR),
            _ => Value::Unknown("class"),
        }
    }

    /// What readers call a class: by its name in the program, or a library's by its full name.
    pub fn name_of_class(&self, class: &Value) -> String {
        match class {
            Value::Class(id) => self.heap.class(*id).map(|data| data.definition.name.to_string()),
            _ => None,
        }
        .unwrap_or_else(|| class.describe())
    }

    /// The classes in which a member of an instance or class is looked up.
    pub fn resolution_order(&self, class: &Value) -> Vec<Value> {
        match class {
            Value::Class(id) => self.heap.class(*id).map_or_else(Vec::new, |data| data.resolution_order.clone()),
            Value::Library(_) => vec![class.clone()],
            _ => Vec::new(),
        }
    }

    /// A member that a class of the program defines, for an instance or a class.
    pub fn class_attribute(&self, receiver: &Value, name: Name) -> Option<Value> {
        let class = self.class_of(receiver);
        self.member_of(&class, name, None)
    }

    /// A member along the resolution order of `class`, after `after` where given.
    pub fn member_of(&self, class: &Value, name: Name, after: Option<ObjectId>) -> Option<Value> {
        let Value::Class(id) = class else { return None };
        let data = self.heap.class(*id)?;
        let start = match after {
            Some(after) => {
                data.resolution_order.iter().position(|c| matches!(c, Value::Class(id) if *id == after))? + 1
            }
            None => 0,
        };
        data.resolution_order[start..].iter().find_map(|class| match class {
            Value::Class(id) => self.heap.attribute(*id, name).cloned(),
            _ => None,
        })
    }

    /// The library classes that a class is or derives from, nearest first.
    pub fn library_bases(&self, class: &Value, after: Option<ObjectId>) -> Vec<Name> {
        let order = self.resolution_order(class);
        let start = after
            .and_then(|after| order.iter().position(|c| matches!(c, Value::Class(id) if *id == after)))
            .map_or(0, |position| position + 1);
        let mut bases = Vec::new();
        for class in &order[start.min(order.len())..] {
            if let Value::Library(name) = class {
                for ancestor in self.ancestors(*name).iter() {
                    if !bases.contains(ancestor) {
                        bases.push(*ancestor);
                    }
                }
            }
        }
        bases
    }

    /// Whether a class is or derives from a library class.
    pub fn derives_from(&self, class: &Value, ancestor: &str) -> bool {
        self.library_bases(class, None).iter().any(|name| name.as_str() == ancestor)
    }

    /// Whether an instance is one of a library class or of a class derived from it.
    pub fn is_instance_of(&self, value: &Value, ancestor: &str) -> bool {
        matches!(value, Value::Instance(_)) && self.derives_from(&self.class_of(value), ancestor)
    }

    pub fn is_module(&self, value: &Value) -> bool {
        self.is_instance_of(value, MODULE)
    }

    /// `Class(…)` for a class of the program.
    pub fn instantiate(&mut self, class: ObjectId, arguments: CallArguments) -> Eval {
        self.call(&Value::Class(class), arguments)
    }

    /// The same where no metaclass has a say in it.
    pub fn instantiate_plainly(&mut self, class: ObjectId, arguments: CallArguments) -> Eval {
        if self.is_enumeration(&Value::Class(class)) && arguments.positional.len() == 1 {
            return self.member_of_enumeration(class, &arguments);
        }
        if let Some(made) = self.class_of_metaclass(class, &arguments)? {
            return Ok(made);
        }
        if let Some(made) = self.make_by_protocol(class, &arguments)? {
            return Ok(made);
        }
        if let Some(made) = self.make_holder(class, &arguments)? {
            self.initialise(class, &made, arguments)?;
            return Ok(made);
        }
        if let Some(made) = self.made_by_new(class, &arguments)? {
            return self.for_each_alternative(&made, |this, made| {
                if this.is_initialised(&made, class) {
                    // `__new__` may have chosen a class that derives from the called one.
                    let own = if let Value::Class(own) = this.class_of(&made) { own } else { class };
                    this.initialise(own, &made, arguments.clone())?;
                }
                Ok(made)
            });
        }
        let instance = self.allocate_instance(class, arguments.span);
        if let Value::Instance(id) = &instance
            && self.is_exception_class(&Value::Class(class))
        {
            self.keep_arguments(*id, arguments.positional.clone());
        }
        self.initialise(class, &instance, arguments)?;
        Ok(instance)
    }

    fn initialise(&mut self, class: ObjectId, instance: &Value, arguments: CallArguments) -> Eval<()> {
        self.construct_guarded(instance, |this| match this.constructor(class) {
            Some(constructor @ Value::Function(_)) => {
                this.call(&constructor, arguments.with_first(instance.clone())).map(|_| ())
            }
            _ => this.construct_without_init(class, instance, arguments),
        })
    }

    /// What `__init__` of a class is. A decorator makes one for records, which goes before those of their bases.
    pub(crate) fn constructor(&self, class: ObjectId) -> Option<Value> {
        let name = name!("__init__");
        for base in &*self.resolution_order(&Value::Class(class)) {
            let Value::Class(base) = base else { continue };
            if let Some(constructor) = self.heap.attribute(*base, name) {
                return Some(constructor.clone());
            }
            if self.is_itself_record(*base) {
                return None;
            }
        }
        self.member_of(&Value::Class(class), name, None)
    }

    fn construct_without_init(&mut self, class: ObjectId, instance: &Value, arguments: CallArguments) -> Eval<()> {
        if self.is_record_class(class) {
            return self.fill_record(class, instance, arguments);
        }
        let bases = self.library_bases(&Value::Class(class), None);
        if self.plain_of(instance).is_some() {
            self.fill_holder(instance, &arguments)?;
        } else if matches!(instance, Value::Dict(_)) {
            let has_factory = bases.first().is_some_and(|base| base.as_str() == "collections.defaultdict");
            let api =
                if has_factory { name!("collections.defaultdict.__init__") } else { name!("builtins.dict.__init__") };
            let method = Value::LibraryMethod(Rc::new(LibraryMethod { receiver: instance.clone(), api }));
            self.call(&method, arguments)?;
        } else if let Some(base) = bases.first() {
            self.initialise_library_base(*base, instance, arguments)?;
        }
        Ok(())
    }

    /// `instance(…)`.
    pub fn call_instance(&mut self, id: ObjectId, arguments: CallArguments) -> Eval {
        if let Some(traced) = self.models.before_instance_call(self, id, &arguments)? {
            return Ok(traced);
        }
        if self.models.has_hooks(self, id) {
            return self.models.call_with_hooks(self, id, arguments);
        }
        self.call_plain_instance(id, arguments)
    }

    pub fn call_plain_instance(&mut self, id: ObjectId, arguments: CallArguments) -> Eval {
        let instance = Value::Instance(id);
        for name in ["__call__", "forward"] {
            if name == "forward" && !self.is_module(&instance) {
                break;
            }
            if let Some(value) = self.heap.attribute(id, Name::new(name)).cloned() {
                return self.call(&value, arguments);
            }
            if let Some(method @ Value::Function(_)) = self.class_attribute(&instance, Name::new(name)) {
                let bound = self.bind_method(&instance, method);
                return self.call(&bound, arguments);
            }
        }
        if let Some(traced) = self.models.before_plain_call(self, id, &arguments)? {
            return Ok(traced);
        }
        let class = self.class_of(&instance);
        let bases = self.library_bases(&class, None);
        self.call_library_instance(id, &bases, arguments)
    }

    /// The `forward` of a module that the program defines, which is what `Module.__call__` calls, whichever base it is asked of.
    pub(crate) fn own_forward(&mut self, module: &Value) -> Option<Value> {
        match self.class_attribute(module, name!("forward")) {
            Some(method @ Value::Function(_)) if self.is_module(module) => Some(self.bind_method(module, method)),
            _ => None,
        }
    }

    /// `super()` or `super(Class, self)`.
    pub fn super_proxy(&mut self, arguments: &CallArguments) -> Value {
        let named = arguments.positional.first().map(|class| self.read(class));
        let (class, receiver) = match (named, arguments.positional.get(1)) {
            (Some(Value::Class(class)), Some(receiver)) => (Some(class), Some(receiver.clone())),
            // Which class it is decides where the search begins.
            (Some(_), _) => (None, None),
            (None, _) => self.frames.last().map_or((None, None), |frame| (frame.class, frame.receiver.clone())),
        };
        match (class, receiver) {
            (Some(class), Some(receiver)) => Value::Super(Rc::new(SuperProxy { class, receiver })),
            _ => Value::Unknown("super"),
        }
    }

    /// Whether a class, and not one of its objects, asks for a function that is written for objects: `super().f` in a class method.
    fn is_function_of_objects(&self, proxy: &SuperProxy, function: &Value, name: Name) -> bool {
        let is_plain = matches!(function, Value::Function(closure) if closure.kind == FunctionKind::Plain);
        let is_of_classes = matches!(name.as_str(), "__init_subclass__" | "__class_getitem__");
        let is_class = |class: &Value| matches!(class, Value::Class(id) if *id == proxy.class);
        is_plain
            && !is_of_classes
            && matches!(proxy.receiver, Value::Class(_))
            && self.resolution_order(&proxy.receiver).iter().any(is_class)
    }

    /// A member of a `super()` object.
    pub fn super_attribute(&mut self, proxy: &SuperProxy, name: Name, span: Span) -> Eval {
        let class = match &proxy.receiver {
            Value::Class(_) => proxy.receiver.clone(),
            receiver => self.class_of(receiver),
        };
        match self.member_of(&class, name, Some(proxy.class)) {
            Some(function @ Value::Function(_)) => {
                if let Value::Function(closure) = &function
                    && matches!(closure.kind, FunctionKind::Property | FunctionKind::CachedProperty)
                {
                    let arguments = CallArguments::positional(vec![proxy.receiver.clone()], span);
                    return self.call(&function, arguments);
                }
                // `__new__` is static, whatever it is decorated with, and a class that asks for a function of its own objects is none of them.
                let is_free = name.as_str() == "__new__" || self.is_function_of_objects(proxy, &function, name);
                Ok(if is_free { function } else { self.bind_method(&proxy.receiver, function) })
            }
            Some(value) => Ok(value),
            None if let Some(member) = self.member_of_object(proxy, name) => Ok(member),
            None if name.as_str() == "__new__" && self.makes_plain_objects(&class) => {
                Ok(Value::library("builtins.object.__new__"))
            }
            None if name.as_str() == "__init__" && self.record_constructor(proxy).is_some() => {
                Ok(self.record_constructor(proxy).unwrap_or(Value::None))
            }
            None if name.as_str() == "__getattribute__" => Ok(Value::LibraryMethod(Rc::new(LibraryMethod {
                receiver: proxy.receiver.clone(),
                api: name!("builtins.object.__getattribute__"),
            }))),
            // `object` has one that does nothing.
            None if name.as_str() == "__init_subclass__" => Ok(Value::library("builtins.object.__init_subclass__")),
            None if name.as_str() == "__init__" && self.ends_at_object(&class) => {
                let api = name!("builtins.object.__init__");
                Ok(Value::LibraryMethod(Rc::new(LibraryMethod { receiver: proxy.receiver.clone(), api })))
            }
            None if let Some(member) = self.member_of_held(&proxy.receiver, name, span)? => Ok(member),
            None => {
                let bases = self.library_bases(&class, Some(proxy.class));
                Ok(self.library_member(&proxy.receiver, &bases, name, span))
            }
        }
    }
}
