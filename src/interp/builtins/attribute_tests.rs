//! `hasattr`, and what else asks whether a value has an attribute.

use crate::calls::call::CallArguments;
use crate::classes::named_tuples::TYPED;
use crate::judge::member_lists::class_has;
use crate::state::interpreter::{Eval, Interpreter};
use crate::values::value::Value;
use harp_annotations::ClassSpec;
use harp_corpus::Span;
use harp_python::name::Name;
use harp_trace::speculation_patterns::is_attribute_of_arrays;

/// Library classes whose objects have the attributes that the program gives them, and no others that it asks for.
const HAVE_NO_MEMBERS: [&str; 6] =
    ["abc.ABC", "argparse.Namespace", "builtins.object", "types.SimpleNamespace", "typing.Generic", "typing.Protocol"];
/// The group of the lists of members that has the private ones of PyTorch's layers.
const PRIVATE_OF_LAYERS: &str = "torch.nn, private";
/// No more bases of a class are looked at.
const MOST_BASES: usize = 16;

/// What every class and function says of itself.
fn is_said_of_itself(name: &str) -> bool {
    matches!(name, "__name__" | "__qualname__" | "__module__" | "__doc__" | "__dict__")
}

/// Whether a value has an attribute, where that can be told.
pub fn has_attribute(interpreter: &Interpreter<'_>, object: &Value, name: Name) -> Option<bool> {
    match interpreter.read(object) {
        Value::Instance(_) if is_of_named_tuples(name.as_str()) && interpreter.is_instance_of(object, TYPED) => {
            Some(true)
        }
        Value::Instance(id) => {
            let instance = Value::Instance(id);
            if interpreter.heap.attribute(id, name).is_some() || interpreter.class_attribute(&instance, name).is_some()
            {
                return Some(true);
            }
            if let Some(dict) = interpreter.shared_dict(id) {
                let is_open = interpreter.heap.dict(dict).is_none_or(|data| data.rest.is_some());
                let has = interpreter.shared_attribute(id, name).is_some();
                return if has || !is_open { Some(has) } else { None };
            }
            if interpreter.has_open_attributes(id) {
                return None;
            }
            let class = interpreter.class_of(&instance);
            let bases = interpreter.library_bases(&class, None);
            let known = bases.iter().all(|base| {
                HAVE_NO_MEMBERS.contains(&base.as_str()) || interpreter.library.class(base.as_str()).is_some()
            });
            let has = bases.iter().any(|base| {
                interpreter.library.method(base.as_str(), name.as_str()).is_some()
                    || crate::api::registry::method(interpreter.models, &format!("{base}.{name}")).is_some()
                    || interpreter
                        .library
                        .class(base.as_str())
                        .is_some_and(|spec| spec.attribute(name.as_str()).is_some())
            });
            let is_private = is_private_of_any(&bases, name.as_str());
            if has { Some(true) } else { (known && !is_private).then_some(false) }
        }
        Value::Class(_) | Value::Function(_) if is_said_of_itself(name.as_str()) => Some(true),
        Value::BoundMethod(_) | Value::Library(_) if name.as_str() == "__signature__" => Some(false),
        Value::Function(closure) => {
            let said = closure.attributes.get();
            if said.is_some_and(|said| interpreter.heap.attribute(said, name).is_some()) {
                return Some(true);
            }
            // Functions that remember their results, and those that stand for others, have more.
            let is_plain = closure.wrapped.is_none() && !name.as_str().starts_with("__");
            (is_plain || name.as_str() == "__signature__").then_some(false)
        }
        Value::Class(_) if is_of_named_tuples(name.as_str()) && interpreter.derives_from(object, TYPED) => Some(true),
        Value::Class(id) => Some(interpreter.member_of(&Value::Class(id), name, None).is_some()),
        Value::Module(id) => match interpreter.heap.attribute(id, name) {
            Some(_) => Some(true),
            // What is no special name may be a submodule.
            None => name.as_str().starts_with("__").then_some(false),
        },
        Value::None | Value::Int(_) | Value::Float(_) | Value::Ratio(_) | Value::Bool(_) => Some(false),
        Value::Tensor(_)
            if matches!(name.as_str(), "__len__" | "__iter__" | "__getitem__" | "shape" | "dtype" | "ndim") =>
        {
            Some(true)
        }
        Value::Tensor(tensor) if tensor.kind.known_rules().is_some_and(|rules| rules.has_gradient) => {
            let class = tensor.kind.class_name();
            let is_private = name.as_str().starts_with('_');
            let library = interpreter.library;
            let has = harp_trace::speculation_patterns::is_tensor_member(name.as_str())
                || library.method(class, name.as_str()).is_some()
                || library.class(class).is_some_and(|spec| spec.attribute(name.as_str()).is_some());
            let of_array = || library.method("numpy.ndarray", name.as_str()).is_some();
            if has && of_array() { Some(true) } else { (!is_private && !has).then_some(false) }
        }
        Value::Tensor(tensor) if tensor.kind.known_rules().is_some_and(|rules| !rules.is_picture) => {
            has_member(interpreter, tensor.kind.class_name(), name.as_str())
        }
        // Tensors and arrays have it.
        Value::Tensor(_)
            if interpreter.library.method("torch.Tensor", name.as_str()).is_some()
                && interpreter.library.method("numpy.ndarray", name.as_str()).is_some() =>
        {
            Some(true)
        }
        Value::Library(class) if interpreter.library.class(class.as_str()).is_some() => {
            let has = interpreter.added_to_library(class, name).is_some()
                || interpreter.library.method(class.as_str(), name.as_str()).is_some()
                || crate::api::registry::method(interpreter.models, &format!("{class}.{name}")).is_some();
            let is_private = name.as_str().starts_with('_');
            if has { Some(true) } else { (!is_private).then_some(false) }
        }
        Value::List(_) | Value::Tuple(_) | Value::Dict(_) | Value::Set(_) | Value::Str(_) | Value::Size(_)
            if matches!(name.as_str(), "__len__" | "__iter__") =>
        {
            Some(true)
        }
        Value::Dict(id) => {
            interpreter.dict_has_attribute(id, name).or_else(|| is_attribute_of_arrays(name.as_str()).then_some(false))
        }
        Value::List(_) | Value::Tuple(_) | Value::Set(_) | Value::Str(_) | Value::Size(_)
            if is_attribute_of_arrays(name.as_str()) || is_of_named_tuples(name.as_str()) =>
        {
            Some(false)
        }
        _ => None,
    }
}

/// Whether tensors of a class have a member: by what is described or listed of the class, or of the nearest base whose members are listed. What tensors of
/// another family have, the class of one of which no list is there may have as well.
fn has_member(interpreter: &Interpreter<'_>, class: &str, name: &str) -> Option<bool> {
    let library = interpreter.library;
    let described = |class: &str| {
        let qualified = format!("{class}.{name}");
        let has = |spec: &ClassSpec| spec.attribute(name).is_some() || spec.method(name).is_some();
        library.entry(&qualified).is_some()
            || library.class(class).is_some_and(has)
            || crate::api::registry::method(interpreter.models, &qualified).is_some()
    };
    let is_private = name.starts_with('_');
    let mut chain = vec![class];
    let mut next = 0;
    while let Some(class) = chain.get(next).copied().filter(|_| next < MOST_BASES) {
        if described(class) {
            return Some(true);
        }
        if let Some(listed) = class_has(class, name).filter(|listed| *listed || !is_private) {
            return Some(listed);
        }
        chain.extend(library.class(class).into_iter().flat_map(|spec| &spec.bases).map(|base| &**base));
        next += 1;
    }
    let mut others = interpreter.families().iter().map(|family| family.class());
    let is_open = is_private || others.any(|other| described(other) || class_has(other, name) == Some(true));
    (!is_open).then_some(false)
}

/// What named tuples have and other tuples have not.
fn is_of_named_tuples(name: &str) -> bool {
    matches!(name, "_asdict" | "_field_defaults" | "_fields" | "_make" | "_replace")
}

/// Of several values each has its own answer.
pub(crate) fn hasattr(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let object = arguments.positional.first().cloned().unwrap_or(Value::Unknown("missing argument"));
    interpreter.for_each_alternative(&object, |this, object| has_it(this, object, &arguments))
}

fn has_it(interpreter: &mut Interpreter<'_>, object: Value, arguments: &CallArguments) -> Eval {
    let name = arguments.positional.get(1).and_then(Value::as_text).map(Name::new);
    if let (Value::Module(module), Some(name)) = (&object, name)
        && interpreter.heap.attribute(*module, name).is_none()
        && interpreter.deferred_name(*module, name, arguments.span)?.is_some()
    {
        return Ok(Value::Bool(true));
    }
    let reads = interpreter.hooks.reads && interpreter.own_method(&object, "__getattribute__").is_some();
    if let Some(name) = name
        && (reads
            || interpreter.own_method(&object, "__getattr__").is_some()
                && interpreter.heap_attribute(&object, name).is_none()
                && interpreter.class_attribute(&object, name).is_none())
    {
        let found = interpreter.try_attribute(&object, name, arguments.span)?;
        return Ok(match found {
            Some(Value::Unknown(_) | Value::Symbolic(_)) => Value::Unknown("attribute test"),
            found => Value::Bool(found.is_some()),
        });
    }
    let Some(name) = name else { return Ok(Value::Unknown("attribute test")) };
    if let Value::Tensor(tensor) = &object
        && interpreter.found_in_source(tensor, name).is_some()
    {
        return Ok(Value::Bool(true));
    }
    Ok(match has_attribute(interpreter, &object, name) {
        Some(false) => match interpreter.given_by_library(&object, name, arguments.span) {
            Some(Value::Unknown(_) | Value::Symbolic(_)) => Value::Unknown("attribute test"),
            given => Value::Bool(given.is_some()),
        },
        Some(true) => Value::Bool(true),
        None => Value::Unknown("attribute test"),
    })
}

impl Interpreter<'_> {
    /// A member that an object has from a library's class under a name that nothing describes: the weights of a network with several layers.
    pub(crate) fn given_by_library(&mut self, object: &Value, name: Name, span: Span) -> Option<Value> {
        let instance @ Value::Instance(_) = self.read(object) else { return None };
        let class = self.class_of(&instance);
        let models = self.models;
        let bases = self.library_bases(&class, None);
        bases.into_iter().find_map(|base| models.attribute(self, &instance, base, name, span))
    }
}

/// Whether a name may be one that a library keeps for itself. What PyTorch's layers keep is listed; other libraries describe that nowhere.
fn is_private_of_any(bases: &[Name], name: &str) -> bool {
    let is_unlisted = |base: &Name| {
        let is_of_layers = base.as_str().starts_with("torch.nn.") && !name.starts_with("__");
        let is_no_member = is_of_layers && class_has(PRIVATE_OF_LAYERS, name) == Some(false);
        !(HAVE_NO_MEMBERS.contains(&base.as_str()) || is_no_member)
    };
    name.starts_with('_') && bases.iter().any(is_unlisted)
}
