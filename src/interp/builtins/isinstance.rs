//! The built-in functions `isinstance` and `issubclass`.

use std::rc::Rc;

use crate::calls::call::CallArguments;
use crate::classes::abc_mixins::is_collection_of_kind;
use crate::classes::dict_subclasses::OMEGA_DICT;
use crate::classes::named_tuples::TYPED;
use crate::evaluate::exceptions::is_exception;
use crate::paths::predicates::IS_INSTANCE;
use crate::paths::reachability::ENUMERATION;
use crate::state::interpreter::{Eval, Interpreter};
use crate::values::equivalent_modules::MODULE;
use crate::values::value::{FunctionKind, ObjectId, Tensor, Value};
use harp_python::name::Name;
use harp_shape::DType;

pub(crate) fn is_instance(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let [value, classes] = &arguments.positional[..] else { return Ok(Value::Unknown("instance test")) };
    let classes = interpreter.members_of_union(classes).map_or_else(|| classes.clone(), Value::tuple);
    if let Value::Symbolic(id) = value
        && let Some(answer) = interpreter.which_library(*id, &classes)
    {
        return Ok(answer);
    }
    let span = arguments.span;
    interpreter.for_each_alternative(value, |this, value| {
        if this.hooks.asks
            && let Some(answer) = this.asked_of_class(&value, &classes, true, span)?
        {
            return Ok(answer);
        }
        Ok(this.instance_test(&value, &classes))
    })
}

pub fn is_subclass(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let [class, ancestors] = &arguments.positional[..] else { return Ok(Value::Unknown("subclass test")) };
    let ancestors = interpreter.members_of_union(ancestors).map_or_else(|| ancestors.clone(), Value::tuple);
    let span = arguments.span;
    interpreter.for_each_alternative(class, |this, class| {
        if this.hooks.asks
            && let Some(answer) = this.asked_of_class(&class, &ancestors, false, span)?
        {
            return Ok(answer);
        }
        Ok(this.subclass_test(&class, &ancestors))
    })
}

/// What tuples are.
const TUPLES: [&str; 8] = ["tuple", "Tuple", "Sequence", "Iterable", "Collection", "object", "Hashable", "Reversible"];

/// Functions of NumPy that give a number, and no array without dimensions, where one element is left.
const GIVES_SCALARS: [&str; 30] = [
    "__getitem__",
    "add",
    "all",
    "amax",
    "amin",
    "any",
    "argmax",
    "argmin",
    "average",
    "divide",
    "dot",
    "max",
    "mean",
    "median",
    "min",
    "multiply",
    "nanmean",
    "nansum",
    "norm",
    "percentile",
    "power",
    "prod",
    "ptp",
    "quantile",
    "std",
    "subtract",
    "sum",
    "trace",
    "vdot",
    "var",
];

impl Interpreter<'_> {
    /// What a class is called in questions about unknown values: one that a pack's source defines as the library calls it.
    fn name_in_questions(&self, class: &Value) -> Rc<str> {
        let Value::Class(id) = class else { return Rc::from(class.describe()) };
        let is_of_source = self.heap.class(*id).is_some_and(|data| self.corpus.is_standard(data.definition.file));
        let public = if is_of_source { self.public_name_of_class(*id) } else { None };
        Rc::from(public.unwrap_or_else(|| format!("class {}", id.0)))
    }

    /// Whether a value that is taken for a tensor or an array is one or the other: as it was answered before, else open.
    fn which_library(&mut self, id: ObjectId, class: &Value) -> Option<Value> {
        let Value::Library(name) = class else { return None };
        let is_open = matches!(self.read(&Value::Symbolic(id)), Value::Tensor(tensor) if tensor.kind.families().any(|family| family.class() == name.as_str()) && tensor.kind.is_open());
        is_open.then(|| self.memoised_answer(id, &format!("{IS_INSTANCE}{name}")))
    }

    /// Whether a value is a single number as NumPy's reductions, subscripts and arithmetic give it, which is no array: `np.float64`.
    fn is_numpy_scalar(&self, tensor: &Tensor) -> bool {
        let made_by = || self.trace.operation(tensor.operation).and_then(|made| made.api.as_str().rsplit('.').next());
        tensor.kind.known_rules().is_some_and(|rules| rules.scalars_are_numbers)
            && self.solver.resolve_shape(&tensor.shape).rank() == Some(0)
            && made_by().is_some_and(|name| GIVES_SCALARS.contains(&name))
    }

    /// `issubclass(class, ancestor)` for classes of the program, and for classes of libraries by their bases.
    fn subclass_test(&mut self, class: &Value, ancestor: &Value) -> Value {
        if let Value::Tuple(ancestors) = ancestor {
            let answers: Vec<Value> = ancestors.iter().map(|ancestor| self.subclass_test(class, ancestor)).collect();
            return match answers.iter().all(|answer| matches!(answer, Value::Bool(false))) {
                _ if answers.iter().any(|answer| matches!(answer, Value::Bool(true))) => Value::Bool(true),
                true => Value::Bool(false),
                false => Value::Unknown("subclass test"),
            };
        }
        match (class, ancestor) {
            (Value::DType(dtype), Value::Library(kind)) => self
                .models
                .is_of_kind_of_types(*dtype, kind.as_str())
                .map_or(Value::Unknown("subclass test"), Value::Bool),
            (Value::Class(_) | Value::Library(_), Value::Class(ancestor)) => {
                let order = self.resolution_order(class);
                Value::Bool(order.iter().any(|known| matches!(known, Value::Class(known) if known == ancestor)))
            }
            (Value::Class(_) | Value::Library(_), Value::Library(name)) if is_exception(name.as_str()) => {
                self.is_caught_by(class, ancestor).map_or(Value::Unknown("subclass test"), Value::Bool)
            }
            (Value::Class(_), Value::Library(ancestor))
                if ancestor.as_str() == "builtins.tuple" && self.derives_from(class, TYPED) =>
            {
                Value::Bool(true)
            }
            (Value::Class(_) | Value::Library(_), Value::Library(ancestor)) => {
                match class.same(&Value::Library(*ancestor)) || self.derives_from(class, ancestor.as_str()) {
                    true => Value::Bool(true),
                    false if self.has_all_bases(class) && self.library.class(ancestor.as_str()).is_some() => {
                        Value::Bool(false)
                    }
                    false if self.is_described_class(class) && self.is_described_class(&Value::Library(*ancestor)) => {
                        Value::Bool(false)
                    }
                    // Not all bases of library classes are known.
                    false => Value::Unknown("subclass test"),
                }
            }
            _ => Value::Unknown("subclass test"),
        }
    }

    /// Whether a class of a library is described, with what it derives from among those that are.
    fn is_described_class(&self, class: &Value) -> bool {
        matches!(class, Value::Library(name) if self.library.class(name.as_str()).is_some())
    }

    /// Whether everything that a class of the program derives from is known: classes of the program, and such of libraries as derive from none.
    fn has_all_bases(&self, class: &Value) -> bool {
        matches!(class, Value::Class(_))
            && self.resolution_order(class).iter().all(|base| match base {
                Value::Class(_) => true,
                Value::Library(name) => matches!(name.as_str(), MODULE | "builtins.object"),
                _ => false,
            })
    }

    /// `isinstance(value, class)`; a tuple of classes is any of them.
    pub fn instance_test(&mut self, value: &Value, class: &Value) -> Value {
        if let Value::Tuple(classes) = class {
            if let Value::Symbolic(id) = value
                && !classes.is_empty()
                && !self.is_some_number(*id)
                && classes.iter().all(|class| matches!(class, Value::Class(_) | Value::Library(_)))
            {
                let names: Vec<Rc<str>> = classes.iter().map(|class| self.name_in_questions(class)).collect();
                return self.instance_of_unknown(*id, &names);
            }
            let mut is_open = false;
            for class in classes.iter() {
                match self.instance_test(value, class) {
                    Value::Bool(true) => return Value::Bool(true),
                    Value::Bool(false) => {}
                    _ => is_open = true,
                }
            }
            return if is_open { Value::Unknown("instance test") } else { Value::Bool(false) };
        }
        if let (Value::Symbolic(id), Value::Class(_) | Value::Library(_)) = (value, class)
            && self.is_some_number(*id)
        {
            let name = class.describe();
            match name.rsplit('.').next().unwrap_or("") {
                "float" | "Number" | "Real" | "object" => return Value::Bool(true),
                "int" | "bool" | "Integral" => {}
                _ => return Value::Bool(false),
            }
        }
        if let (Value::Symbolic(id), Value::Class(_) | Value::Library(_)) = (value, class) {
            if self.heap.attribute(*id, Name::new(ENUMERATION)).is_some_and(|known| known.same(class)) {
                return Value::Bool(true);
            }
            let name = self.name_in_questions(class);
            return self.instance_of_unknown(*id, &[name]);
        }
        if value.is_unknown() {
            return Value::Unknown("instance test");
        }
        if let Value::Class(_) = class
            && let Some(answer) = self.is_of_class_of_shapes(value, class)
        {
            return answer;
        }
        let wanted = match class {
            // A member of an enumeration stands for its value.
            Value::Class(id)
                if self.is_enumeration(class)
                    && !self.has_objects_for_members(*id)
                    && matches!(
                        value,
                        Value::Int(_) | Value::Str(_) | Value::Float(_) | Value::Ratio(_) | Value::Tuple(_)
                    ) =>
            {
                return Value::Unknown("instance test");
            }
            Value::Class(id) if self.is_itself_protocol(*id) => return self.protocol_test(value, *id),
            // A class is an instance of its metaclass, not of itself.
            Value::Class(_) if matches!(value, Value::Class(_)) => {
                let is_metaclass = self.derives_from(class, "builtins.type");
                return if is_metaclass { Value::Unknown("instance test") } else { Value::Bool(false) };
            }
            Value::Class(id) => {
                let order = self.class_of(value);
                // An object of a library's class whose source is in Python besides, of which less is known.
                if let Value::Library(name) = &order
                    && self.models.stands_for(self, class, name.as_str())
                {
                    return Value::Bool(true);
                }
                let order = self.resolution_order(&order);
                return Value::Bool(order.iter().any(|known| matches!(known, Value::Class(known) if known == id)));
            }
            Value::Library(name) => name.as_str(),
            Value::None => "NoneType",
            _ => return Value::Unknown("instance test"),
        };
        let short = wanted.rsplit('.').next().unwrap_or(wanted);
        let answer = match value {
            Value::Instance(id) => {
                let own = self.class_of(value);
                if is_exception(wanted) {
                    return self.is_caught_by(value, class).map_or(Value::Unknown("instance test"), Value::Bool);
                }
                if let Some(held) = self.plain_of(value) {
                    return self.instance_test(&held, class);
                }
                let is_named_tuple = TUPLES.contains(&short) && self.fields_of_named_tuple(value).is_some();
                let is_kind = |base: &Name| is_collection_of_kind(base.as_str(), wanted);
                self.derives_from(&own, wanted)
                    || self.library_bases(&own, None).iter().any(is_kind)
                    || self.models.is_instance(self, *id, wanted)
                    || is_named_tuple
            }
            Value::Tensor(tensor)
                if tensor.kind.is_open() && tensor.kind.families().any(|family| family.class() == wanted) =>
            {
                return Value::Unknown("instance test");
            }
            Value::Tensor(tensor) if wanted == tensor.kind.class_name() && self.is_numpy_scalar(tensor) => false,
            // `np.float64` derives from `float`.
            Value::Tensor(tensor) if short == "float" && self.is_numpy_scalar(tensor) => match tensor.dtype {
                DType::Float64 => true,
                DType::Unknown => return Value::Unknown("instance test"),
                _ => false,
            },
            Value::Tensor(tensor) => {
                let is_trained = || tensor.kind.rules().parameters.iter().any(|class| **class == *wanted);
                tensor.kind.class_name() == wanted || tensor.kind.is_parameter() && is_trained()
            }
            Value::Int(_) => matches!(short, "int" | "Number" | "Integral" | "Real" | "object"),
            Value::Bool(_) | Value::Condition(_) => matches!(short, "bool" | "int" | "Number" | "object"),
            Value::Float(_) | Value::Ratio(_) => matches!(short, "float" | "Number" | "Real" | "object"),
            Value::Str(_) => matches!(
                short,
                "str" | "basestring" | "string_types" | "object" | "Sequence" | "Iterable" | "Collection" | "Hashable"
            ),
            Value::Tuple(_) | Value::Size(_) => TUPLES.contains(&short) || short == "Size",
            // Lists of configurations are not told from others.
            Value::List(_) if short == "ListConfig" => return Value::Unknown("instance test"),
            Value::List(_) => {
                matches!(short, "list" | "List" | "Sequence" | "MutableSequence" | "Iterable" | "Collection" | "object")
            }
            Value::Dict(id) if let Some(Value::Library(class)) = self.dict_class(*id) => {
                class.as_str() == wanted
                    || (class.as_str() != OMEGA_DICT && matches!(short, "dict" | "Dict"))
                    || matches!(short, "Mapping" | "MutableMapping" | "Iterable" | "Collection" | "object")
            }
            Value::Dict(_) => {
                matches!(
                    short,
                    "dict"
                        | "Dict"
                        | "Mapping"
                        | "MutableMapping"
                        | "Iterable"
                        | "Collection"
                        | "object"
                        | "OrderedDict"
                )
            }
            Value::Set(_) => matches!(short, "set" | "frozenset" | "Set" | "Iterable" | "Collection" | "object"),
            Value::Cursor(_) | Value::Iterator(_) => match short {
                "Iterator" | "Iterable" | "object" => true,
                "Generator" | "GeneratorType" => return Value::Unknown("instance test"),
                _ => false,
            },
            Value::None => matches!(short, "NoneType" | "object"),
            Value::Function(closure) => match (short, closure.kind) {
                ("object", _) => true,
                ("property", kind) => kind == FunctionKind::Property,
                ("staticmethod", kind) => kind == FunctionKind::Static,
                ("classmethod", kind) => kind == FunctionKind::ClassMethod,
                ("cached_property", kind) => kind == FunctionKind::CachedProperty,
                ("Callable" | "FunctionType" | "LambdaType", kind) => kind == FunctionKind::Plain,
                _ => false,
            },
            Value::BoundMethod(_) => matches!(short, "Callable" | "MethodType" | "object"),
            Value::LibraryMethod(_) => matches!(short, "Callable" | "object"),
            // `torch.relu` is a function, `torch.nn.ReLU` a class.
            Value::Library(name) if short == "type" && self.library_function(*name).is_some() => false,
            Value::Class(_) | Value::Library(_) => matches!(short, "type" | "Callable" | "object"),
            Value::DType(_) => short == "dtype",
            Value::Ellipsis => matches!(short, "EllipsisType" | "ellipsis" | "object"),
            Value::Slice(_) => matches!(short, "slice" | "object"),
            Value::Range(_) => matches!(short, "range" | "Sequence" | "Iterable" | "Collection" | "object"),
            Value::Module(_) => matches!(short, "ModuleType" | "object"),
            _ => return Value::Unknown("instance test"),
        };
        Value::Bool(answer)
    }
}
