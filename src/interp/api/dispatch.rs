//! Dispatches API calls, of library functions, classes and methods: through a handler in Rust where Python's semantics
//! matter, else through the annotation.

use std::rc::Rc;

use crate::api::call_api::{Bound, Callee};
use crate::api::executions::Modes;
use crate::api::registry;
use crate::calls::call::CallArguments;
use crate::heap::objects::{InstanceData, Payload};
use crate::state::interpreter::{Eval, Interpreter};
use crate::values::equivalent_modules::MODULE;
use crate::values::value::{DEFAULT_OF_LIBRARY, LibraryMethod, ObjectId, OperationId, Value};
use harp_annotations::{ApiSpec, ClassSpec, ConstantValue, Entry, Literal, Role};
use harp_corpus::Span;
use harp_python::ir::Function;
use harp_python::name::{Name, name};
use harp_shape::{DType, Family};

/// How far bases of library classes are followed.
const DEEPEST_CHAIN: usize = 16;

/// Settings that a library's object reads from itself whenever it is called, so that a program may change them.
const READ_AT_EACH_CALL: [&str; 12] = [
    "ceil_mode",
    "dilation",
    "dim",
    "end_dim",
    "groups",
    "output_padding",
    "output_size",
    "padding",
    "return_indices",
    "scale_factor",
    "start_dim",
    "stride",
];

/// Methods of lists, dictionaries and texts whose names no tensor has.
const OF_CONTAINERS: [&str; 14] = [
    "append",
    "endswith",
    "extend",
    "insert",
    "items",
    "join",
    "keys",
    "lower",
    "popitem",
    "remove",
    "setdefault",
    "startswith",
    "strip",
    "upper",
];

/// Methods of lists that nothing has which an operation on tensors makes, whatever it is given for tensors.
const OF_LISTS: [&str; 2] = ["append", "extend"];

impl<'p> Interpreter<'p> {
    /// A member of a library module or class: a constant's value, else its qualified name.
    pub fn library_attribute(&mut self, library: Name, name: Name, span: Span) -> Value {
        if name.as_str() == "__module__" {
            return self.module_of(library);
        }
        let qualified = self.qualified(library, name);
        self.name_is_removed(qualified, span);
        self.library_value(qualified, span)
    }

    /// The module that a class of a library says it is of: programs import most from elsewhere than where it is defined.
    fn module_of(&self, library: Name) -> Value {
        let name = library.as_str();
        let says = |family: Family| family.class() == name || family.rules().sizes.as_deref() == Some(name);
        let is_where_it_says = || self.families().iter().any(says) || self.is_device_class(&Value::Library(library));
        match name.rsplit_once('.') {
            Some((module, _)) if module == "builtins" || is_where_it_says() => Value::str(module),
            // The types of elements of the family that is assumed everywhere.
            Some((module, "dtype")) if self.families().made_by(name) == Some(self.families().usual()) => {
                Value::str(module)
            }
            _ => Value::Str(None),
        }
    }

    /// What a qualified library name stands for.
    pub fn library_value(&mut self, qualified: Name, span: Span) -> Value {
        if let Some(meant) = self.caches.lookups.plain(qualified) {
            return Value::Library(meant);
        }
        if let Some(value) = self.models.value_of_name(self, qualified) {
            return value;
        }
        if qualified.as_str().ends_with(".__version__") {
            return Value::Str(None);
        }
        if qualified.as_str() == "sys.version_info" {
            return self.version_of_python(span);
        }
        if let Some(value) = registry::constant(self.models, qualified.as_str()) {
            return value;
        }
        // What a source says of the class of a family is said of its tensors alone.
        if self.families().of_class(qualified.as_str()).is_none()
            && let Some(value) = self.standard_value(qualified)
        {
            return value;
        }
        match self.library_entry(qualified) {
            Some(Entry::Constant(_)) | None if let Some(unknown) = self.absent(qualified, None, &[], span) => unknown,
            Some(Entry::Constant(constant)) => match &constant.value {
                ConstantValue::Literal(literal) => self.literal_value(literal),
                ConstantValue::DType(name) => DType::parse(name).map_or(Value::Unknown("dtype"), Value::DType),
                ConstantValue::Opaque(result) => self.result_value(result, qualified, span),
            },
            // An alias may be younger than what it stands for: its own name says so where it is called.
            Some(_) if self.library.absence(qualified.as_str(), None).is_some() => Value::Library(qualified),
            Some(entry) => {
                let meant = self.canonical(entry, qualified);
                // An alias of what a source tells.
                if meant != qualified
                    && let Some(value) = self.standard_value(meant)
                {
                    return value;
                }
                // A source in Python may come to define the name while its module is executed.
                if self.project.standard_definition(qualified.as_str()).is_none() {
                    self.caches.lookups.note_plain(qualified, meant);
                }
                Value::Library(meant)
            }
            None => self
                .source_under_alias(qualified)
                .or_else(|| self.foreign_value(qualified))
                .unwrap_or(Value::Library(qualified)),
        }
    }

    pub fn literal_value(&mut self, literal: &Literal) -> Value {
        match literal {
            Literal::None => Value::None,
            Literal::Bool(value) => Value::Bool(*value),
            Literal::Integer(value) => Value::int(*value),
            Literal::Float(value) => Value::Float(Some(*value)),
            Literal::Text(text) => Value::str(text),
            Literal::Tuple(items) => {
                let items = items.iter().map(|item| self.literal_value(item)).collect();
                Value::tuple(items)
            }
            Literal::List(items) => {
                let items = items.iter().map(|item| self.literal_value(item)).collect();
                Value::List(self.heap.allocate_list(items))
            }
            Literal::Name(name) => {
                let name = Name::new(name);
                match self.library_entry(name) {
                    Some(Entry::Constant(constant)) => match &constant.value {
                        ConstantValue::DType(name) => DType::parse(name).map_or(Value::Unknown("dtype"), Value::DType),
                        _ => Value::Library(name),
                    },
                    _ => Value::Library(name),
                }
            }
            Literal::Ellipsis => Value::Unknown(DEFAULT_OF_LIBRARY),
        }
    }

    /// `name(…)` for a library function or class.
    pub fn call_library(&mut self, name: Name, mut arguments: CallArguments) -> Eval {
        self.prepare_arguments(name, &mut arguments);
        self.note_library_call(name, None, &arguments);
        self.note_operands_of_builtin(name, &arguments);
        if self.iterable_argument_misfits(name, &arguments) || self.function_is_missing(name, arguments.span) {
            return Ok(self.result_of_misfit(name, arguments.span));
        }
        if let Some(unknown) = self.absent_function(name, &arguments) {
            return Ok(unknown);
        }
        if let Some(wrapped) = self.models.before_library_call(self, name, &mut arguments)? {
            return Ok(wrapped);
        }
        let models = self.models;
        let known =
            self.caches.function_handlers.entry(name).or_insert_with(|| registry::function(models, name.as_str()));
        if let Some(handler) = *known {
            self.heed_arguments(name, &arguments);
            return self.within(arguments.span, |this| handler(this, name, arguments));
        }
        if let Some(result) = self.call_unbound(name, &arguments) {
            return result;
        }
        self.call_described(name, arguments)
    }

    /// A special method of a class of tensors, whose first argument is the receiver: its own or one that it inherits.
    pub(crate) fn call_special_method(&mut self, class: Name, name: Name, mut arguments: CallArguments) -> Eval {
        let api = self.qualified(class, name);
        if self.library_function(api).is_some() || self.annotated_method(class, name).is_none() {
            return self.call_library(api, arguments);
        }
        let receiver = arguments.positional.remove(0);
        if !arguments.positional_spans.is_empty() {
            arguments.positional_spans.remove(0);
        }
        self.call(&Value::LibraryMethod(Rc::new(LibraryMethod { receiver, api })), arguments)
    }

    /// `name(…)` as annotations describe it.
    pub fn call_described(&mut self, name: Name, arguments: CallArguments) -> Eval {
        match self.library_entry(name) {
            Some(Entry::Api(spec))
                if spec.refuses_pictures
                    && self.picture_misfits(name, arguments.positional.first(), arguments.span) =>
            {
                Ok(self.result_of_misfit(name, arguments.span))
            }
            Some(Entry::Api(spec)) => self.call_api(Callee { spec, api: name }, None, None, arguments),
            Some(Entry::Class(spec)) => self.instantiate_library(spec, name, arguments),
            _ => {
                self.forget_elements(
                    arguments.positional.iter().chain(arguments.keywords.iter().map(|(_, value)| value)),
                );
                self.models.escaped(self, &arguments.positional);
                self.call_unknown_library(name, &arguments)
            }
        }
    }

    /// What a call of a function or class gives that the project's version of the library does not have.
    fn absent_function(&mut self, name: Name, arguments: &CallArguments) -> Option<Value> {
        self.library.target(name.as_str())?;
        let spec = match self.library_entry(name) {
            Some(Entry::Api(spec)) => Some(&**spec),
            Some(Entry::Class(spec)) => Some(&spec.constructor),
            _ => None,
        };
        self.absent(name, spec, &arguments.keywords, arguments.span)
    }

    /// The same for what is written in Python in place of a library's own source.
    pub(crate) fn absent_in_source(&mut self, function: &Function, arguments: &CallArguments) -> Option<Value> {
        if !self.library.has_targets() || arguments.span.file == function.file {
            return None;
        }
        let name = self.corpus.libraries.public_name(function.file, function.qualified_name.as_str())?;
        self.absent_function(Name::new(&name), arguments)
    }

    /// What a call gives whose API, or a keyword of it, the project's version of the library does not have: nothing is known of it,
    /// and the reason is noted. Where parameters stood in former versions is not known, so positions say nothing.
    fn absent(&mut self, api: Name, spec: Option<&ApiSpec>, keywords: &[(Name, Value)], span: Span) -> Option<Value> {
        let target = self.library.target(api.as_str())?;
        let is_absent = |keyword: Option<Name>| self.is_absent(api, spec, keyword);
        if !is_absent(None) && !keywords.iter().any(|(keyword, _)| is_absent(Some(*keyword))) {
            return None;
        }
        let absence = self.library.absence(api.as_str(), spec).map(|absence| format!("{api} {absence}"));
        let of_keyword = |(keyword, _): &(Name, Value)| {
            let absence = self.library.keyword_absence(api.as_str(), keyword.as_str())?;
            Some(format!("the parameter `{keyword}` of {api} {absence}"))
        };
        let absence = absence.or_else(|| keywords.iter().find_map(of_keyword))?;
        let package = api.as_str().split('.').next().unwrap_or_default();
        self.not_understood(&format!("{absence}, and the project runs with {package} {target}"), span);
        Some(self.symbolic(&format!("{api}(…)"), span, true))
    }

    /// The result of a function's call that fits no form of it. Operators and subscripts, which come here as functions, too, take more.
    pub fn misfit_of_function(&mut self, name: Name, arguments: &CallArguments) -> Option<Value> {
        let misfits = self.is_function(name) && self.call_misfits(name, None, arguments);
        misfits.then(|| self.result_of_misfit(name, arguments.span))
    }

    /// What stands for the result of a call that fits no form of its API. The reason is reported.
    pub fn result_of_misfit(&mut self, api: Name, span: Span) -> Value {
        self.symbolic(&format!("{api}(…)"), span, true)
    }

    fn note_library_call(&mut self, name: Name, receiver: Option<&Value>, arguments: &CallArguments) {
        self.note_change_by(name, receiver, arguments);
        let span = arguments.span;
        if self.corpus.is_foreign(span.file) {
            return;
        }
        let site = self.trace.site(span);
        site.library.add(name);
    }

    /// What Python's own functions are given: some of them walk an array element by element.
    fn note_operands_of_builtin(&mut self, name: Name, arguments: &CallArguments) {
        if !name.as_str().starts_with("builtins.") || self.corpus.is_foreign(arguments.span.file) {
            return;
        }
        for (value, span) in arguments.positional.iter().zip(&arguments.positional_spans) {
            if let (Value::Tensor(_), Some(span)) = (self.read(value), span) {
                let value = self.read(value);
                self.note_kind_at(*span, &value);
            }
        }
    }

    /// `receiver.method(…)` for a method of a library class.
    pub fn call_library_method(&mut self, method: &LibraryMethod, mut arguments: CallArguments) -> Eval {
        if self.prepare_for_method(method, &mut arguments)? {
            return Ok(Value::None);
        }
        self.note_library_call(method.api, Some(&method.receiver), &arguments);
        self.note_receiver(&method.receiver, arguments.span);
        if let Some(text) = self.text_made(method, &arguments) {
            return Ok(text);
        }
        if let Some(handler) = self.method_handler(method.api) {
            return self.within(arguments.span, |this| handler(this, &method.receiver, arguments));
        }
        let (class, name) = self.owner_and_member(method.api);
        if name.as_str() == "step"
            && self.stands_for(&Value::Library(class), Role::Optimizer)
            && let Some(closure @ (Value::Function(_) | Value::BoundMethod(_) | Value::Instance(_))) =
                arguments.get(0, "closure").map(|it| self.read(it))
        {
            // An optimizer calls what computes the loss anew, and gives its result.
            let loss = self.call(&closure, CallArguments::empty(arguments.span))?;
            self.call_annotated_method(method, class, name, arguments)?;
            return Ok(loss);
        }
        self.call_annotated_method(method, class, name, arguments)
    }

    fn call_annotated_method(
        &mut self,
        method: &LibraryMethod,
        class: Name,
        name: Name,
        arguments: CallArguments,
    ) -> Eval {
        let (api, member) = (method.api.as_str(), name.as_str());
        if member == "__init__" {
            self.initialise_library_base(class, &method.receiver, arguments)?;
            return Ok(Value::None);
        }
        // What is certainly a tensor has nothing of a list or a dictionary: the program ends there, or a handler takes it.
        if let Value::Tensor(tensor) = self.read(&method.receiver)
            && !tensor.kind.rules().array_functions
            && !tensor.kind.rules().is_picture
            && (tensor.assumptions.is_empty() || OF_LISTS.contains(&member) && !self.is_made_of_tensors(&tensor))
            && tensor.operation != OperationId::NONE
            && OF_CONTAINERS.contains(&member)
            && self.inference.is_none()
        {
            return Err(self.raise("AttributeError", member, arguments.span));
        }
        // A text that an array of unknown type holds has a `split`, too.
        if let Value::Tensor(tensor) = self.read(&method.receiver)
            && self.may_be_an_object(&tensor)
            && matches!(arguments.positional.first(), Some(Value::Str(_)))
        {
            self.not_understood("call of an unknown value", arguments.span);
            return Ok(self.symbolic(&format!("{api}(…)"), arguments.span, true));
        }
        if let Some(of_array) = self.as_method_of_array(method, &arguments) {
            return self.call_library_method(&of_array, arguments);
        }
        match self.annotated_method(class, name) {
            Some(spec)
                if let Some(unknown) = self.absent(method.api, Some(spec), &arguments.keywords, arguments.span) =>
            {
                Ok(unknown)
            }
            Some(_) if self.call_misfits(method.api, Some(&method.receiver), &arguments) => {
                Ok(self.result_of_misfit(method.api, arguments.span))
            }
            Some(_) if self.is_of_something_else(method.api, &method.receiver, &arguments) => {
                let what = self.unknown_call(arguments.span);
                self.not_understood(&what, arguments.span);
                Ok(self.result_of_misfit(method.api, arguments.span))
            }
            Some(spec) => {
                // Methods listed with their class have no receiver among their parameters.
                let callee = Callee { spec, api: method.api };
                if self.is_listed_with_class(class, name) {
                    let object = self.instance_data(&method.receiver).map(|data| {
                        let mut arguments = data.arguments.clone();
                        arguments.push((name!("self"), method.receiver.clone()));
                        InstanceData { class: data.class.clone(), arguments, origin: data.origin }
                    });
                    self.call_api(callee, None, object.as_ref(), arguments)
                } else {
                    self.call_api(callee, Some(method.receiver.clone()), None, arguments)
                }
            }
            None if matches!(member, "forward" | "__call__") && matches!(method.receiver, Value::Instance(_)) => {
                let Value::Instance(id) = method.receiver else { return Ok(Value::None) };
                if member == "__call__"
                    && let Some(forward) = self.own_forward(&method.receiver)
                {
                    return self.call(&forward, arguments);
                }
                self.call_library_instance(id, &[class], arguments)
            }
            None => {
                if !self.member_misfits(method, member, arguments.span) {
                    self.not_understood(api, arguments.span);
                }
                Ok(self.symbolic(&format!("{api}(…)"), arguments.span, true))
            }
        }
    }

    /// The constructor's arguments of an instance.
    pub fn instance_data(&self, value: &Value) -> Option<Rc<InstanceData>> {
        match value {
            Value::Instance(id) => self.heap.instance(*id).cloned(),
            _ => None,
        }
    }

    /// A new object of a library class, its arguments bound and checked.
    pub fn instantiate_library(&mut self, spec: &'p ClassSpec, class: Name, arguments: CallArguments) -> Eval {
        match self.models.maker(self, class, &arguments) {
            Some(handler) => handler(self, class, arguments),
            None => self.construct_library(spec, class, arguments),
        }
    }

    /// The same without looking at what the arguments are.
    pub fn construct_library(&mut self, spec: &'p ClassSpec, class: Name, arguments: CallArguments) -> Eval {
        let span = arguments.span;
        if self.call_misfits(class, None, &arguments) {
            return Ok(self.result_of_misfit(class, span));
        }
        let mut bound = self.bind_library(&spec.constructor, None, &arguments);
        self.take_numbers_of_arrays(spec, &mut bound);
        self.refine_settings(class, &bound, span);
        if let made @ Value::Tensor(_) = self.check_constructor(spec, class, &bound, &arguments)? {
            return Ok(made);
        }
        self.models.object_is_made(self, spec, &bound);
        if spec.is_module {
            self.work.costs.note_layer();
        }
        let data = InstanceData { class: Value::Library(class), arguments: bound, origin: span };
        Ok(Value::Instance(self.heap.allocate(Payload::Instance(Rc::new(data)))))
    }

    /// A layer takes a number that NumPy computed, as `np.array(shape).prod()` does, for an integer.
    fn take_numbers_of_arrays(&mut self, class: &ClassSpec, bound: &mut Bound) {
        if !class.is_module || self.inference.is_some() {
            return;
        }
        for (_, value) in bound.iter_mut() {
            let Value::Tensor(tensor) = self.read(value) else { continue };
            let is_number =
                tensor.kind.known_rules().is_some_and(|rules| rules.scalars_are_numbers) && tensor.dtype.is_integer();
            if is_number
                && self.solver.resolve_shape(&tensor.shape).rank() == Some(0)
                && let Some(number) = self.drawn_number(value)
            {
                *value = Value::Int(number);
            }
        }
    }

    /// `super().__init__(…)` of a class whose base is a library class.
    pub fn initialise_library_base(&mut self, base: Name, instance: &Value, arguments: CallArguments) -> Eval<()> {
        let Value::Instance(id) = instance else { return Ok(()) };
        if base.as_str().starts_with("builtins.")
            && crate::evaluate::exceptions::is_exception(base.as_str())
            && !arguments.is_open
        {
            self.keep_arguments(*id, arguments.positional);
            return Ok(());
        }
        if let Some(handler) = registry::constructor(self.models, base.as_str()) {
            return handler(self, *id, arguments);
        }
        let Some(spec) = self.library_class(base) else { return Ok(()) };
        if spec.constructor.parameters.is_empty() {
            return Ok(());
        }
        // The object is made of what is known of its class all the same: its own methods do not depend on that.
        self.absent(base, Some(&spec.constructor), &arguments.keywords, arguments.span);
        let bound = self.bind_library(&spec.constructor, None, &arguments);
        self.check_constructor(spec, base, &bound, &arguments)?;
        if let Some(data) = self.heap.instance(*id) {
            let data = InstanceData { class: data.class.clone(), arguments: bound, origin: data.origin };
            self.heap.set_payload(*id, Payload::Instance(Rc::new(data)));
        }
        Ok(())
    }

    /// `instance(…)` for an instance of a library class, or of a class derived from one without a `forward` of its own.
    pub fn call_library_instance(&mut self, id: ObjectId, bases: &[Name], arguments: CallArguments) -> Eval {
        for base in bases {
            if let Some(handler) = self.call_handler(*base) {
                return handler(self, &Value::Instance(id), arguments);
            }
            if self.library_class(*base).is_some_and(|spec| spec.call.is_some()) {
                return self.call_as_annotated(id, *base, arguments);
            }
        }
        let what = bases.first().map_or_else(|| "call of an object".to_owned(), |base| format!("{base}.__call__"));
        self.not_understood(&what, arguments.span);
        Ok(self.symbolic("result", arguments.span, true))
    }

    /// `instance(…)` as the annotation of `base` says.
    pub fn call_as_annotated(&mut self, id: ObjectId, base: Name, arguments: CallArguments) -> Eval {
        let Some(spec) = self.library_class(base) else { return Ok(Value::Unknown("call of an object")) };
        let Some(call) = &spec.call else { return Ok(Value::Unknown("call of an object")) };
        if let Some(replaced) = self.replaced_method(id) {
            self.not_understood(&format!("{base}.{replaced}, which the program replaces"), arguments.span);
            return Ok(self.symbolic("result", arguments.span, true));
        }
        if let Some(result) = self.models.before_annotated_call(self, base, id, &arguments)? {
            return Ok(result);
        }
        if call.refuses_pictures && self.picture_misfits(base, arguments.positional.first(), arguments.span) {
            return Ok(self.result_of_misfit(base, arguments.span));
        }
        let forward = self.qualified(base, name!("forward"));
        if let Some(unknown) = self.absent(forward, None, &arguments.keywords, arguments.span) {
            return Ok(unknown);
        }
        let is_certain = self.is_made_here(id) || self.is_of_named_class(id, base);
        if is_certain && self.call_misfits(forward, None, &arguments) {
            return Ok(self.result_of_misfit(base, arguments.span));
        }
        let data = self.heap.instance(id).cloned();
        let data = data.map(|data| self.with_overrides(id, spec, &data));
        if !self.corpus.is_foreign(arguments.span.file) {
            self.trace.site(arguments.span).calls_object = true;
        }
        let evaluates = matches!(self.heap.attribute(id, name!("training")), Some(Value::Bool(false)));
        let described = self.describe_object(id);
        let weights = has_weights(spec).then(|| self.device_of_weights(id, data.as_ref())).flatten();
        let modes = Modes { evaluates, weights };
        self.executions.call(id, described, arguments.span, modes);
        self.call_api(Callee { spec: call, api: base }, None, data.as_ref(), arguments)
    }

    /// Whether the function that runs made an object itself: one from elsewhere may be of another class there, for other settings.
    pub fn is_made_here(&self, id: ObjectId) -> bool {
        let Some(origin) = self.heap.instance(id).map(|data| data.origin) else { return false };
        let Some(frame) = self.frames.last() else { return false };
        let within = |function: &std::sync::Arc<harp_python::ir::Function>| {
            origin.start >= function.range.start && origin.end <= function.range.end
        };
        origin.file == frame.file && frame.function.as_ref().is_none_or(within)
    }

    /// Whether an object was made where its class is written by name in the file that runs: no settings choose it.
    fn is_of_named_class(&self, id: ObjectId, class: Name) -> bool {
        let Some(origin) = self.heap.instance(id).map(|data| data.origin) else { return false };
        let last = class.as_str().rsplit('.').next().unwrap_or_default();
        let is_here = self.frames.last().is_some_and(|frame| frame.file == origin.file);
        let called = || self.source_text(origin).split('(').next().unwrap_or_default().trim();
        is_here && called().strip_suffix(last).is_some_and(|before| before.is_empty() || before.ends_with('.'))
    }

    /// Constructor arguments as they are after the program replaced tensors of the object, as weight tying does, or its settings.
    fn with_overrides(&mut self, id: ObjectId, spec: &'p ClassSpec, data: &InstanceData) -> InstanceData {
        let mut arguments = data.arguments.clone();
        if spec.is_module {
            // New modules train.
            let training = name!("training");
            let mode = self.heap.attribute(id, training).cloned().unwrap_or(Value::Bool(true));
            arguments.push((training, mode));
            arguments.extend(self.models.further_argument(self, id, spec, data));
        }
        for (name, argument) in arguments.iter_mut().filter(|(name, _)| READ_AT_EACH_CALL.contains(&name.as_str())) {
            if let Some(value) = self.heap.attribute(id, *name) {
                *argument = value.clone();
            }
        }
        self.models.arguments_of_object(self, id, spec, &mut arguments);
        InstanceData { class: data.class.clone(), arguments, origin: data.origin }
    }

    /// A member that an object has from its library bases.
    pub fn library_member(&mut self, receiver: &Value, bases: &[Name], name: Name, span: Span) -> Value {
        // An annotation is found through the bases of a class, so that a handler for one of these is looked for first.
        for base in bases {
            let api = self.qualified(*base, name);
            if name.as_str() == "__init__" || self.method_handler(api).is_some() {
                return Value::LibraryMethod(Rc::new(LibraryMethod { receiver: receiver.clone(), api }));
            }
        }
        for base in bases {
            let api = self.qualified(*base, name);
            let described = self
                .models
                .attribute(self, receiver, *base, name, span)
                .or_else(|| self.described_attribute(receiver, *base, name, span));
            if let Some(value) = described {
                if let Value::Instance(id) = receiver {
                    self.heap.set_attribute(*id, name, value.clone());
                }
                return value;
            }
            if let Some(spec) = self.annotated_property(*base, name) {
                let arguments = CallArguments::empty(span);
                return self
                    .call_api(Callee { spec, api }, Some(receiver.clone()), None, arguments)
                    .unwrap_or(Value::Unknown("property"));
            }
            if self.annotated_method(*base, name).is_some() || matches!(name.as_str(), "forward" | "__call__") {
                return Value::LibraryMethod(Rc::new(LibraryMethod { receiver: receiver.clone(), api }));
            }
        }
        if let Some(added) = bases.iter().find_map(|base| self.added_to_library(*base, name)) {
            let bound = self.for_each_alternative(&added, |this, added| Ok(this.bind_method(receiver, added)));
            return bound.unwrap_or(Value::Unknown("added member"));
        }
        if self.attribute_misfits(receiver, name, span) {
            return self.symbolic(self.source_text(span), span, true);
        }
        if let Some(base) = bases.first() {
            self.not_understood(&format!("{base}.{name}"), span);
        } else {
            self.not_understood(&format!("attribute: {name}"), span);
        }
        let value = self.symbolic(self.source_text(span), span, true);
        if let Value::Instance(id) = receiver {
            self.heap.set_attribute(*id, name, value.clone());
        }
        value
    }

    /// A member of a class of the program that a library base gives: `nn.Module.__init__`, or something not known.
    pub fn library_class_attribute(&mut self, _class: ObjectId, base: Name, name: Name, span: Span) -> Value {
        self.library_attribute(base, name, span)
    }
}

/// A constructor argument by the name of its parameter.
pub fn argument_of(data: &InstanceData, parameter: &str) -> Value {
    data.arguments
        .iter()
        .find(|(known, _)| known.as_str() == parameter)
        .map_or(Value::Unknown("constructor argument"), |(_, value)| value.clone())
}

/// The library classes that `class` is or derives from, nearest first.
pub fn ancestors(library: &harp_annotations::Library, class: Name, found: &mut Vec<Name>) {
    fn walk(library: &harp_annotations::Library, class: &str, depth: usize, found: &mut Vec<Name>) {
        let spec = library.class(class);
        let is_listed = spec.is_none_or(|spec| spec.names.iter().any(|name| &**name == class));
        let name = Name::new(if is_listed { class } else { spec.map_or(class, |spec| &spec.qualified_name) });
        if found.contains(&name) || depth == 0 {
            return;
        }
        found.push(name);
        let Some(spec) = spec else { return };
        for base in &spec.bases {
            walk(library, base, depth - 1, found);
        }
        if spec.is_module {
            walk(library, MODULE, depth - 1, found);
        }
    }
    walk(library, class.as_str(), DEEPEST_CHAIN, found);
}

/// Whether the objects of a class have weights, which lie on a device.
fn has_weights(class: &ClassSpec) -> bool {
    class.constructor.parameters.iter().any(|parameter| &*parameter.name == "device")
}
