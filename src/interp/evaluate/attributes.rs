//! Evaluates attribute access.

use std::rc::Rc;

use crate::api::results::short_name;
use crate::calls::call::CallArguments;
use crate::classes::named_tuples::TYPED;
use crate::evaluate::exceptions::{ancestors_of_exception, is_exception};
use crate::heap::objects::{Payload, SymbolicData};
use crate::state::interpreter::{Eval, Interpreter};
use crate::unknown::escaped_objects::CHANGED;
use crate::values::equivalent_modules::MODULE;
use crate::values::members_of_types::member_of_type;
use crate::values::value::{FunctionKind, LibraryMethod, ObjectId, Tensor, Value};
use harp_corpus::Span;
use harp_python::name::{Name, name};
use harp_shape::{DType, Dim, Element, Family, Shape};
use harp_trace::assumption::{AssumptionKind, words};

/// An attribute that nothing but tensors and arrays has, though it does not tell which.
const NUMBER_OF_DIMENSIONS: &str = "ndim";
/// Of a shape of unknown length, so many items are looked at.
const MOST_ITEMS: i64 = 8;

/// Members of numbers and texts that no handler describes.
const TEXT_MEMBERS: [&str; 24] = [
    "as_integer_ratio",
    "bit_count",
    "bit_length",
    "conjugate",
    "decode",
    "denominator",
    "dtype",
    "format",
    "from_bytes",
    "fromhex",
    "hex",
    "imag",
    "is_integer",
    "isascii",
    "isdecimal",
    "isprintable",
    "istitle",
    "maketrans",
    "name",
    "numerator",
    "real",
    "to_bytes",
    "translate",
    "value",
];

/// The attributes of a slice, and of a range.
const BOUNDS_OF_SLICE: [&str; 3] = ["start", "stop", "step"];

impl Interpreter<'_> {
    /// The shape that a value of unknown type has, should it be a tensor: the same one on every path.
    pub(crate) fn shape_of_value(&mut self, id: ObjectId) -> Shape {
        let name = self.heap.symbolic(id).map_or("s", |data| short_name(&data.description)).to_owned();
        // Where signatures are inferred, each run follows one path.
        if self.inference.is_some() {
            return Shape::unknown(&name);
        }
        self.tables.shapes_of_values.get_or_insert_with(id, || Shape::unknown(&name)).clone()
    }

    /// Whether a value of unknown type is an array, as the program read its shape.
    pub(crate) fn has_known_shape(&self, value: &Value) -> bool {
        matches!(value, Value::Symbolic(id) if self.tables.shapes_of_values.contains_key(id))
    }

    /// `x.shape` of an argument of unknown type: whatever array it is, its sizes are those that operations on it find.
    fn shape_of_input(&mut self, id: ObjectId, span: Span) -> Option<Value> {
        let data = self.heap.symbolic(id).filter(|data| !data.is_result && data.refined.is_none())?;
        let subject = data.description.to_string();
        if self.has_other_arrays(span.file)
            || self.has_other_members(id)
            || self.is_namespace(id)
            || self.is_some_text(id)
        {
            return None;
        }
        let evidence = format!("`{}` is read", self.source_text(span));
        let text = words::member_name_numbers(&subject);
        self.speculate(AssumptionKind::MemberName, &subject, text, evidence, span).granted()?;
        let shape = self.shape_of_value(id);
        let shape = Value::Size(self.solver.resolve_shape(&shape));
        self.heap.set_attribute(id, name!("shape"), shape.clone());
        Some(shape)
    }

    /// The length of `x.shape`, where the type of `x` is not known.
    pub(crate) fn length_of_shape(&mut self, id: ObjectId) -> Option<Dim> {
        let (owner, member) = self.heap.symbolic(id)?.owner?;
        (member.as_str() == "shape").then(|| self.shape_of_value(owner).rank_dim())
    }

    /// What was read of a value before it turned out to be a tensor is that tensor's.
    pub(crate) fn members_of_tensor(&mut self, id: ObjectId, tensor: &Tensor) {
        let Some(Value::Symbolic(read)) = self.heap.attribute(id, name!("shape")).cloned() else { return };
        let shape = self.solver.resolve_shape(&tensor.shape);
        for index in -MOST_ITEMS..MOST_ITEMS {
            let Some(Value::Symbolic(item)) = self.heap.attribute(read, Name::new(&format!("[{index}]"))).cloned()
            else {
                continue;
            };
            let is_open = self.heap.symbolic(item).is_some_and(|data| data.refined.is_none());
            if is_open && let Some(dim) = known_item(&shape, index) {
                self.refine(item, Value::Int(dim));
                self.decisions_on_integer(item, dim);
            }
        }
        let shape = self.shape_value(tensor);
        self.refine(read, shape);
    }

    pub fn get_attribute(&mut self, object: &Value, name: Name, span: Span) -> Eval {
        if let Some(method) = self.method_of_text(object, name) {
            return Ok(method);
        }
        let object = self.plain_text(object);
        self.for_each_alternative(&object, |this, object| {
            this.within(span, |this| this.attribute_of(&object, name, span))
        })
    }

    fn attribute_of(&mut self, object: &Value, name: Name, span: Span) -> Eval {
        if self.may_be_changed(object) {
            return Ok(Value::Unknown(CHANGED));
        }
        match object {
            Value::Instance(id) => self.instance_attribute(*id, name, span),
            Value::Class(id) => self.attribute_of_class(*id, name, span),
            Value::Dict(id) => self.attribute_of_dict(*id, name, span),
            Value::Module(id) => self.module_attribute(*id, name, span),
            Value::Library(library) if name.as_str() == "__name__" => {
                Ok(Value::str(library.as_str().rsplit('.').next().unwrap_or_default()))
            }
            Value::Library(library) if name.as_str() == "__dict__" => {
                Ok(crate::builtins::library_dict::namespace_of(self, *library, span))
            }
            Value::Library(_) if matches!(name.as_str(), "__origin__" | "__args__" | "__metadata__") => {
                if self.is_plain_type(object) {
                    self.raise_if_caught("AttributeError", name.as_str(), span)?;
                }
                Ok(Value::Unknown("parts of a type"))
            }
            Value::Library(library) => Ok(self.library_attribute(*library, name, span)),
            // The class of NumPy's scalars of that type, which stands for the type everywhere.
            Value::DType(dtype) if let Some(member) = member_of_type(*dtype, name) => Ok(member),
            Value::Super(proxy) => {
                let proxy = Rc::clone(proxy);
                self.super_attribute(&proxy, name, span)
            }
            Value::Tensor(tensor) => {
                let tensor = Rc::clone(tensor);
                self.tensor_attribute(&tensor, name, span)
            }
            Value::Symbolic(id) => self.symbolic_attribute(*id, name, span),
            Value::Range(bounds) if let Some(place) = BOUNDS_OF_SLICE.iter().position(|it| *it == name.as_str()) => {
                Ok(Value::Int(bounds[place]))
            }
            Value::Slice(bounds) if let Some(place) = BOUNDS_OF_SLICE.iter().position(|it| *it == name.as_str()) => {
                Ok(self.read(&bounds[place]))
            }
            Value::Function(closure) if name.as_str() == "__get__" && closure.kind == FunctionKind::Plain => {
                let api = name!("types.FunctionType.__get__");
                Ok(Value::LibraryMethod(Rc::new(LibraryMethod { receiver: object.clone(), api })))
            }
            Value::Function(closure) => {
                let closure = Rc::clone(closure);
                if let Some(value) = closure.attributes.get().and_then(|id| self.heap.attribute(id, name)).cloned() {
                    return Ok(self.read(&value));
                }
                let known = self.part_of_property(&closure, name);
                let known = known.or_else(|| self.function_attribute(&closure, name));
                Ok(known.unwrap_or_else(|| self.symbolic("function attribute", span, true)))
            }
            Value::BoundMethod(method) if name.as_str().starts_with("__") => match (name.as_str(), &method.function) {
                ("__self__", _) => Ok(method.receiver.clone()),
                ("__func__", function) => Ok(function.clone()),
                (_, Value::Function(closure)) => {
                    let known = self.function_attribute(closure, name);
                    Ok(known.unwrap_or_else(|| self.builtin_member(object, name, span)))
                }
                _ => Ok(self.builtin_member(object, name, span)),
            },
            Value::Tuple(_) | Value::Size(_) if let Some(member) = self.member_of_shape(object, name, span) => member,
            _ => {
                let is_plain = matches!(
                    object,
                    Value::None | Value::Int(_) | Value::Float(_) | Value::Ratio(_) | Value::Bool(_) | Value::Str(_)
                );
                if self.hooks.plain_members
                    && name.as_str() == "name"
                    && let Some(text) = self.name_of_plain_member(object)
                {
                    return Ok(text);
                }
                if is_plain && let Some(array) = self.as_array_number(object, name, span) {
                    return self.get_attribute(&array, name, span);
                }
                // The iterators of Python 3 have no such method.
                let is_of_python_2 = matches!(object, Value::Cursor(_) | Value::Iterator(_)) && name.as_str() == "next";
                if self.exceptions.caught > 0 && (is_of_python_2 || is_plain && self.lacks_member(object, name)) {
                    self.raise_if_caught("AttributeError", name.as_str(), span)?;
                }
                if name.as_str() == "__class__"
                    && let class @ (Value::Library(_) | Value::Class(_)) = self.class_of(object)
                {
                    return Ok(class);
                }
                let is_judged = is_plain || matches!(object, Value::List(_) | Value::Cursor(_) | Value::Iterator(_));
                if is_judged && self.attribute_misfits(object, name, span) {
                    return Ok(self.symbolic(self.source_text(span), span, true));
                }
                Ok(self.builtin_member(object, name, span))
            }
        }
    }

    /// Whether a number, a text or `None` certainly has no such attribute.
    pub(crate) fn lacks_member(&self, object: &Value, name: Name) -> bool {
        let Value::Library(class) = self.class_of(object) else { return object.is_none() };
        let api = self.qualified(class, name);
        !name.as_str().starts_with("__")
            && self.method_handler(api).is_none()
            && !TEXT_MEMBERS.contains(&name.as_str())
            && !harp_trace::speculation_patterns::is_tensor_member(name.as_str())
    }

    fn instance_attribute(&mut self, id: ObjectId, name: Name, span: Span) -> Eval {
        let instance = Value::Instance(id);
        if self.hooks.reads
            && let Some(method) = self.own_method(&instance, "__getattribute__")
        {
            return self.call(&method, CallArguments::positional(vec![Value::str(name.as_str())], span));
        }
        self.plain_attribute(id, name, span)
    }

    /// An attribute of an object as Python looks it up where the object's class does not say otherwise.
    pub(crate) fn plain_attribute(&mut self, id: ObjectId, name: Name, span: Span) -> Eval {
        let instance = Value::Instance(id);
        let member = self.class_attribute(&instance, name);
        if let Some(descriptor) = member.as_ref().filter(|member| self.is_data_descriptor(member)) {
            let class = self.class_of(&instance);
            if let Some(value) = self.read_descriptor(descriptor, &instance, &class, span)? {
                return Ok(value);
            }
        }
        if let Some(Value::Function(closure)) = &member
            && closure.kind == FunctionKind::Property
        {
            let closure = Rc::clone(closure);
            let before = self.trace.operations.len();
            let value = self.call_closure(&closure, CallArguments::positional(vec![instance], span));
            self.note_running_access(before, span);
            return value;
        }
        if let Some(value) = self.heap.attribute(id, name) {
            let value = value.clone();
            return Ok(self.read(&value));
        }
        if let Some(value) = self.shared_attribute(id, name) {
            return Ok(value);
        }
        match member {
            Some(Value::Function(closure)) if closure.kind == FunctionKind::CachedProperty => {
                let value = self.call_closure(&closure, CallArguments::positional(vec![instance], span))?;
                self.heap.set_attribute(id, name, value.clone());
                return Ok(value);
            }
            Some(function @ Value::Function(_)) => return Ok(self.bind_method(&instance, function)),
            Some(value) => {
                let class = self.class_of(&instance);
                return match self.read_descriptor(&value, &instance, &class, span)? {
                    Some(value) => Ok(value),
                    None => Ok(self.read(&value)),
                };
            }
            None => {}
        }
        match name.as_str() {
            "__class__" => return Ok(self.class_of(&instance)),
            "_parameters" | "_buffers" if let Some(parts) = self.models.own_attribute(self, id, name) => {
                return Ok(parts);
            }
            "__dict__" if let Some(dict) = self.shared_dict(id) => return Ok(Value::Dict(dict)),
            "__dict__" => return Ok(self.attributes_as_dict(id)),
            "_modules" if let Some(parts) = self.models.own_attribute(self, id, name) => return Ok(parts),
            "__annotations__"
                if let Value::Class(class) = self.class_of(&instance)
                    && let Some(names) = self.annotations_of_class(class) =>
            {
                return Ok(names);
            }
            "__module__" | "__doc__" => return Ok(Value::Str(None)),
            // Every object has them, and `nn.Module` the last.
            "__setattr__" | "__delattr__" | "__getattribute__" => return Ok(method_of_every_object(instance, name)),
            "__getattr__" if self.is_instance_of(&instance, MODULE) => {
                return Ok(method_of_every_object(instance, name!("__getattribute__")));
            }
            _ => {}
        }
        if name.as_str() == "_fields"
            && let Some(value) = self.fields_of_named_tuple(&instance)
        {
            return Ok(value);
        }
        if let Some(value) = self.part_of_partial(&instance, name) {
            return Ok(value);
        }
        if self.hooks.holds
            && let Some(value) = self.member_of_held(&instance, name, span)?
        {
            return Ok(value);
        }
        // `__getattr__` is asked for what the classes of libraries do not have.
        let own_hook = self.class_attribute(&instance, name!("__getattr__"));
        if let Some(method @ Value::Function(_)) = own_hook
            && crate::builtins::attribute_tests::has_attribute(self, &instance, name) != Some(true)
        {
            let bound = self.bind_method(&instance, method);
            let value = self.call(&bound, CallArguments::positional(vec![Value::str(name.as_str())], span))?;
            if !value.is_unknown() || self.is_from_outside(&value) {
                return Ok(value);
            }
        }
        if let Some(raised) = self.deleted_is_read(id, name, span) {
            return Err(raised);
        }
        if self.exceptions.caught > 0
            && !name.as_str().starts_with("__")
            && crate::builtins::attribute_tests::has_attribute(self, &instance, name) == Some(false)
        {
            self.raise_if_caught("AttributeError", name.as_str(), span)?;
        }
        let class = self.class_of(&instance);
        let bases = self.library_bases(&class, None);
        Ok(self.library_member(&instance, &bases, name, span))
    }

    /// Notes that reading an attribute or item has run operations, where it did since there were so many.
    pub(crate) fn note_running_access(&mut self, operations: usize, span: Span) {
        let now = self.trace.operations.len();
        if now > operations {
            self.trace.running_accesses.entry(span).or_insert((operations, now));
        }
    }

    /// The name of the module that defines a class.
    fn module_of_class(&self, id: ObjectId) -> Value {
        let file = self.heap.class(id).map(|data| data.definition.file);
        let module = file.and_then(|file| self.project.module(self.project.module_of_file(file)));
        Value::Str(module.map(|module| Rc::from(module.name.as_str())))
    }

    fn attribute_of_class(&mut self, id: ObjectId, name: Name, span: Span) -> Eval {
        let class = Value::Class(id);
        let member = self.member_of(&class, name, None);
        if let (None, Some(value)) = (&member, self.attribute_of_metaclass(id, name, span)?) {
            return Ok(value);
        }
        match member {
            Some(Value::Function(closure)) if closure.kind == FunctionKind::ClassMethod => {
                Ok(self.bind_method(&class, Value::Function(closure)))
            }
            Some(Value::Function(closure)) if closure.kind == FunctionKind::Property => {
                Ok(self.property_of_class(&class, name, &closure))
            }
            Some(value) => match self.read_descriptor(&value, &Value::None, &class, span)? {
                Some(value) => Ok(value),
                None => Ok(self.read(&value)),
            },
            None if name.as_str() == "__dict__" => Ok(self.attributes_as_dict(id)),
            None if name.as_str() == "register" && self.derives_from(&class, "abc.ABC") => {
                let api = name!("abc.ABCMeta.register");
                Ok(Value::LibraryMethod(Rc::new(LibraryMethod { receiver: class, api })))
            }
            None if name.as_str() == "__new__" && self.makes_plain_objects(&class) => {
                Ok(Value::library("builtins.object.__new__"))
            }
            None if let Some(value) = self.about_class(id, name) => Ok(value),
            None if name.as_str() == "__module__" => Ok(self.module_of_class(id)),
            None if name.as_str() == "__name__" => {
                Ok(self.heap.class(id).map_or(Value::Str(None), |data| Value::str(data.definition.name.as_str())))
            }
            None => {
                // A library base's member seen from the class: `Base.__init__(self, …)`, `Function.apply`.
                let bases = self.library_bases(&class, None);
                match bases.first() {
                    Some(base) if self.library.is_class_method(base.as_str(), name.as_str()) => {
                        let api = self.qualified(*base, name);
                        Ok(Value::LibraryMethod(Rc::new(LibraryMethod { receiver: class, api })))
                    }
                    Some(base) => Ok(self.library_class_attribute(id, *base, name, span)),
                    None => Ok(self.symbolic(name.as_str(), span, true)),
                }
            }
        }
    }

    fn module_attribute(&mut self, id: ObjectId, name: Name, span: Span) -> Eval {
        if let Some(value) = self.heap.attribute(id, name) {
            let value = value.clone();
            return Ok(self.read(&value));
        }
        match name.as_str() {
            "__dict__" => return Ok(self.attributes_as_dict(id)),
            "__path__" if let Some(path) = self.models.attribute_of_module(self, id, name) => return Ok(path),
            _ => {}
        }
        if let Some(value) = self.deferred_name(id, name, span)? {
            return Ok(value);
        }
        if let Some(value) = self.given_or_submodule(id, name, span)? {
            return Ok(value);
        }
        self.not_understood(&format!("`{name}`, which the module does not define"), span);
        Ok(self.symbolic(name.as_str(), span, true))
    }

    /// An attribute of a value whose type is not known: where only a tensor has a member of that name, it is one.
    fn symbolic_attribute(&mut self, id: ObjectId, name: Name, span: Span) -> Eval {
        if let Some(value) = self.heap.attribute(id, name) {
            let value = value.clone();
            return Ok(self.read(&value));
        }
        if let Some(value) = self.models.attribute_of_unknown(self, id, name, span) {
            return Ok(value);
        }
        if name.as_str() == "dtype" && self.is_discrete_space(id) {
            return Ok(Value::DType(DType::Int64));
        }
        let is_input = self.inference.is_some() && self.is_input(id);
        if harp_trace::speculation_patterns::is_tensor_member(name.as_str())
            || (is_input && self.is_member_of_arrays(name))
        {
            let evidence = format!("`{}` is read", self.source_text(span));
            let is_shared = harp_trace::speculation_patterns::is_array_member(name.as_str())
                || (is_input && self.is_member_of_arrays_as_well(name));
            let library = if is_shared { self.assumed_open_kind(span) } else { self.assumed_kind(span) };
            if !self.has_other_arrays(span.file)
                && let Some(library) = self.kind_with_member(library, name, span)
                && let Some(tensor) = self.refine_to_tensor(id, library, AssumptionKind::MemberName, evidence, span)
            {
                return self.tensor_attribute(&tensor, name, span);
            }
        }
        if name.as_str() == "shape"
            && let Some(shape) = self.shape_of_input(id, span)
        {
            return Ok(shape);
        }
        if name.as_str() == NUMBER_OF_DIMENSIONS && self.inference.is_none() {
            return Ok(Value::Int(self.shape_of_value(id).rank_dim()));
        }
        let description = match self.heap.symbolic(id) {
            Some(data) => format!("{}.{}", data.description, name),
            None => name.to_string(),
        };
        let value = self.part_of_symbolic(id, &description, span);
        if let Value::Symbolic(part) = value
            && let Some(data) = self.heap.symbolic(part)
        {
            let data = SymbolicData { owner: Some((id, name)), ..SymbolicData::clone(data) };
            self.heap.set_payload(part, Payload::Symbolic(Rc::new(data)));
        }
        // Reading it again gives the same object: attribute access has no side effects.
        self.heap.set_attribute(id, name, value.clone());
        Ok(value)
    }

    /// Whether something was read of a value that no tensor and no array has, such as the `num_chunks` of a table's column.
    pub(crate) fn has_other_members(&self, id: ObjectId) -> bool {
        let is_known = |name: &str| {
            name.starts_with('_')
                || name.starts_with("is_")
                || name.starts_with("has_")
                || self.is_of_tensor_or_array(name)
        };
        let attributes = &self.heap.object(id).attributes;
        attributes.iter().any(|(name, value)| self.was_read(id, value, name) && !is_known(name.as_str()))
    }

    /// Whether an attribute of a value of unknown type was read before.
    pub(crate) fn has_members_read(&self, id: ObjectId) -> bool {
        self.heap.object(id).attributes.iter().any(|(name, value)| self.was_read(id, value, name))
    }

    fn was_read(&self, owner: ObjectId, value: &Value, name: Name) -> bool {
        match value {
            Value::Symbolic(part) => self.heap.symbolic(*part).is_some_and(|data| data.owner == Some((owner, name))),
            _ => false,
        }
    }

    /// Whether tensors or arrays have a member of that name, be it one that versions before had.
    fn is_of_tensor_or_array(&self, name: &str) -> bool {
        const ATTRIBUTES: [&str; 22] = [
            "H",
            "T",
            "imag",
            "mH",
            "mT",
            "real",
            "base",
            "data",
            "device",
            "dtype",
            "flat",
            "itemsize",
            "layout",
            "name",
            "names",
            "nbytes",
            "ndim",
            "output_nr",
            "retains_grad",
            "shape",
            "size",
            "strides",
        ];
        ATTRIBUTES.contains(&name)
            || self.usual_open_kind().families().map(Family::class).any(|class| {
                self.library.method(class, name).is_some()
                    || self.library.class(class).is_some_and(|class| class.attribute(name).is_some())
                    || self.library.call_forms(&format!("{class}.{name}")).is_some()
            })
    }

    /// Decides that an undetermined value is something; every place that holds it sees it.
    pub fn refine(&mut self, id: ObjectId, value: Value) {
        if let Some(data) = self.heap.symbolic(id) {
            let data = SymbolicData { refined: Some(value), ..SymbolicData::clone(data) };
            self.heap.set_payload(id, Payload::Symbolic(Rc::new(data)));
        }
    }

    pub fn set_attribute(&mut self, object: &Value, name: Name, value: Value, span: Span) -> Eval<()> {
        // It may be a weight of a module, or the elements of a tensor.
        if matches!(self.read(&value), Value::Tensor(_) | Value::Symbolic(_)) {
            self.note_assigned_attribute(object);
        }
        match self.read(object) {
            Value::Instance(id) => {
                let instance = Value::Instance(id);
                if self.set_by_protocol(&instance, name, &value, span)? {
                    return Ok(());
                }
                self.set_plainly(id, name, value, span)?;
            }
            Value::Function(closure) => {
                let id = closure.attributes.get().unwrap_or_else(|| {
                    let id = self.heap.allocate_common();
                    closure.attributes.set(Some(id));
                    self.attributed.push(Rc::clone(&closure.attributes));
                    id
                });
                self.heap.set_attribute(id, name, value);
            }
            Value::Class(id) | Value::Module(id) | Value::Symbolic(id) => self.heap.set_attribute(id, name, value),
            Value::Dict(id) => {
                self.set_attribute_of_dict(id, name, &value, span)?;
            }
            // Only the one that it is gets the value.
            object @ Value::Alternatives(_) => {
                self.for_each_alternative(&object, |this, object| {
                    this.set_attribute(&object, name, value.clone(), span).map(|()| Value::None)
                })?;
            }
            Value::Library(module) if self.models.set_attribute_of_module(self, module, name, &value) => {}
            // Programs put methods of their own into classes of libraries.
            Value::Library(class) if self.library_class(class).is_some() => self.add_to_library(class, name, value),
            // `tensor.data = …`
            tensor @ Value::Tensor(_) => self.forget_elements([&tensor]),
            _ => {}
        }
        Ok(())
    }

    /// Sets an attribute of an object as `object` does it: by a property's setter, or in the object itself.
    pub(crate) fn set_plainly(&mut self, id: ObjectId, name: Name, value: Value, span: Span) -> Eval<()> {
        let instance = Value::Instance(id);
        if self.is_property(&instance, name) {
            return self.set_property(&instance, name, value, span);
        }
        if name.as_str() == "__class__" && self.take_class(id, &value) {
            return Ok(());
        }
        match value {
            Value::Dict(dict) if name.as_str() == "__dict__" => self.share_attributes(id, dict),
            value if self.set_shared(id, name, &value) => {}
            value => self.heap.set_attribute(id, name, value),
        }
        Ok(())
    }

    /// `del object.name`.
    pub fn delete_attribute(&mut self, object: &Value, name: Name, span: Span) -> Eval<()> {
        let object = self.read(object);
        if let Some(method) = self.own_method(&object, "__delattr__") {
            self.call(&method, CallArguments::positional(vec![Value::str(name.as_str())], span))?;
            return Ok(());
        }
        if let Some(Value::Function(closure)) = self.class_attribute(&object, name)
            && closure.kind == FunctionKind::Property
        {
            let stored = self.class_attribute(&object, crate::classes::class_lookup::deleter_name(name));
            let deleter = closure.accessors.as_ref().and_then(|accessors| accessors[1].clone()).or(stored);
            if let Some(deleter) = deleter {
                self.call(&deleter, CallArguments::positional(vec![object], span))?;
            }
            return Ok(());
        }
        if let Some(descriptor) = self.class_attribute(&object, name)
            && let Some(delete) = self.own_method(&descriptor, "__delete__")
        {
            self.call(&delete, CallArguments::positional(vec![object], span))?;
            return Ok(());
        }
        match object {
            Value::Instance(id) if !self.delete_shared(id, name) => self.forget_deleted(id, name),
            Value::Class(id) if !self.delete_shared(id, name) => self.heap.delete_attribute(id, name),
            _ => {}
        }
        Ok(())
    }

    /// What a class says of itself.
    fn about_class(&mut self, id: ObjectId, name: Name) -> Option<Value> {
        let class = Value::Class(id);
        match name.as_str() {
            "__base__" => match self.heap.attribute(id, Name::new(crate::classes::class_lookup::BASES)) {
                Some(Value::Tuple(bases)) if bases.len() == 1 => bases.first().cloned(),
                _ => None,
            },
            "__bases__" => self.heap.attribute(id, Name::new(crate::classes::class_lookup::BASES)).cloned(),
            "__subclasses__" => {
                let api = name!("builtins.type.__subclasses__");
                Some(Value::LibraryMethod(Rc::new(LibraryMethod { receiver: class, api })))
            }
            "__mro__" => {
                let mut order: Vec<Value> = Vec::new();
                for base in self.resolution_order(&class) {
                    let above = match &base {
                        Value::Library(name) if is_exception(name.as_str()) => ancestors_of_exception(name.as_str()),
                        _ => Vec::new(),
                    };
                    // What stands for the classes of named tuples is no class.
                    order.push(if base.same(&Value::library(TYPED)) { Value::library("builtins.tuple") } else { base });
                    order.extend(above.iter().map(|name| Value::library(&format!("builtins.{name}"))));
                }
                let object = Value::library("builtins.object");
                if !order.iter().any(|base| base.same(&object)) {
                    order.push(object);
                }
                Some(Value::tuple(order))
            }
            "mro" => {
                let api = name!("builtins.type.mro");
                Some(Value::LibraryMethod(Rc::new(LibraryMethod { receiver: class, api })))
            }
            "_fields" => Some(self.names_of_fields(id)),
            "_make" if self.derives_from(&class, TYPED) => {
                let api = name!("collections.namedtuple._make");
                Some(Value::LibraryMethod(Rc::new(LibraryMethod { receiver: class, api })))
            }
            "__members__" if self.is_enumeration(&class) => {
                let members = self.named_members(id);
                let entries = members.into_iter().map(|(name, member)| (Value::str(name.as_str()), member)).collect();
                Some(Value::Dict(self.heap.allocate_dict(entries)))
            }
            "__annotations__" => self.annotations_of_class(id),
            "__qualname__" => self.heap.class(id).map(|data| Value::str(data.definition.name.as_str())),
            "__dict__" => Some(self.attributes_as_dict(id)),
            _ => None,
        }
    }
}

/// A dimension of a shape where it is there on every path: one that is asked for on one path only says nothing of the others.
fn known_item(shape: &Shape, index: i64) -> Option<Dim> {
    let known = |element: &Element| if let Element::Dim(dim) = element { Some(*dim) } else { None };
    let elements = shape.elements().iter();
    match usize::try_from(index) {
        Ok(index) => elements.map_while(known).nth(index),
        Err(_) => elements.rev().map_while(known).nth(usize::try_from(-1 - index).ok()?),
    }
}

/// A method that Python gives every object, where its class has none of its own.
fn method_of_every_object(object: Value, name: Name) -> Value {
    let api = Name::new(&format!("builtins.object.{name}"));
    Value::LibraryMethod(Rc::new(LibraryMethod { receiver: object, api }))
}
