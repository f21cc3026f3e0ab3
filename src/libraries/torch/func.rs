//! `torch.func`: functions made of functions (`vmap`, `grad`, `jacrev`), and modules as functions of their parameters.

use crate::known_families::KnownFamilies;
use std::rc::Rc;

use crate::torch::nn::state_dict::Parameters;
use harp_corpus::Span;
use harp_interp::api::dispatch::argument_of;
use harp_interp::api::library_model::{FunctionHandler, MethodHandler};
use harp_interp::calls::call::CallArguments;
use harp_interp::heap::objects::{DictData, InstanceData, Payload};
use harp_interp::state::interpreter::{Eval, Interpreter};
use harp_interp::values::value::{Iteration, ObjectId, Tensor, Value};
use harp_limits::light_tick;
use harp_python::name::{Name, name};
use harp_shape::{DType, Dim, Shape};

/// The class of what the functions here make; no program can name it.
const TRANSFORMED: &str = "(torch.func transform)";
/// How deep containers of tensors are looked into.
const DEEPEST: usize = 6;

/// The class of the functions that `vjp` gives; no program can name it.
const PULL_BACK: &str = "(torch.func.vjp)";

/// Functions that transform a function.
const TRANSFORMING: [&str; 7] = [
    "torch.func.vmap",
    "torch.vmap",
    "torch.func.grad",
    "torch.func.grad_and_value",
    "torch.func.jacrev",
    "torch.func.jacfwd",
    "torch.func.hessian",
];

pub fn function(name: &str) -> Option<FunctionHandler> {
    Some(match name {
        name if is_decorator(name) => transform,
        "torch.func.jvp" => forward_product,
        "torch.func.vjp" => backward_product,
        "torch.func.functional_call" => functional_call,
        "torch.func.stack_module_state" => stack_module_state,
        "numpy.apply_along_axis" => along_axis,
        _ => return None,
    })
}

/// `@vmap` makes another function of the one below it.
pub fn is_decorator(name: &str) -> bool {
    TRANSFORMING.contains(&name)
}

pub fn instance_call(class: &str) -> Option<MethodHandler> {
    match class {
        TRANSFORMED => Some(run),
        PULL_BACK => Some(pull_back),
        _ => None,
    }
}

/// `numpy.apply_along_axis(func1d, axis, arr, *args)`: the function gets vectors along the axis, in whose place its results are.
fn along_axis(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    let span = arguments.span;
    let unknown = |this: &mut Interpreter<'_>| Ok(this.symbolic(name.as_str(), span, true));
    let given = |place: usize, name: &str| arguments.get(place, name).cloned();
    let (Some(function), Some(axis), Some(array)) = (given(0, "func1d"), given(1, "axis"), given(2, "arr")) else {
        return unknown(interpreter);
    };
    let (Some(axis), Value::Tensor(array)) = (axis.as_int(), interpreter.read(&array)) else {
        return unknown(interpreter);
    };
    let Some(mut dims) = interpreter.solver.resolve_shape(&array.shape).dims() else { return unknown(interpreter) };
    let place = usize::try_from(if axis < 0 { axis + dims.len() as i64 } else { axis }).ok();
    let Some(place) = place.filter(|place| *place < dims.len()) else {
        let message = format!("axis {axis} is out of range for an array of {} dimensions", dims.len());
        interpreter.sequence_fails("numpy.apply_along_axis", message, span);
        return unknown(interpreter);
    };
    let shape = Shape::known(vec![dims.remove(place)]);
    let row = Tensor { shape, elements: None, name: None, ..Tensor::clone(&array) };
    let first = Value::Tensor(Rc::new(row.clone()));
    let rest = arguments.positional.get(3..).unwrap_or_default().iter().cloned();
    let call = CallArguments::positional([first].into_iter().chain(rest).collect(), span);
    let result = interpreter.call(&function, call)?;
    interpreter.for_each_alternative(&result, |this, result| {
        let (inner, dtype) = match this.read(&result) {
            Value::Tensor(tensor) => match this.solver.resolve_shape(&tensor.shape).dims() {
                Some(inner) => (inner, tensor.dtype),
                None => return unknown(this),
            },
            Value::Int(_) => (Vec::new(), DType::Int64),
            Value::Float(_) | Value::Ratio(_) => (Vec::new(), DType::Float64),
            Value::Bool(_) | Value::Condition(_) => (Vec::new(), DType::Bool),
            _ => return unknown(this),
        };
        let mut dims = dims.clone();
        dims.splice(place..place, inner);
        Ok(Value::Tensor(Rc::new(Tensor { shape: Shape::known(dims), dtype, origin: span, ..row.clone() })))
    })
}

/// The function with what it is transformed by.
fn transform(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    let kind = name.as_str().rsplit('.').next().unwrap_or_default();
    let (second, third) = if kind == "vmap" { ("in_dims", "out_dims") } else { ("argnums", "has_aux") };
    let argument = |position, name: &str, default| arguments.get(position, name).cloned().unwrap_or(default);
    let parts = vec![
        (name!("kind"), Value::str(kind)),
        (name!("func"), argument(0, "func", Value::Unknown("missing argument"))),
        (Name::new(second), argument(1, second, Value::int(0))),
        (Name::new(third), argument(2, third, if kind == "vmap" { Value::int(0) } else { Value::Bool(false) })),
    ];
    let data = InstanceData { class: Value::library(TRANSFORMED), arguments: parts, origin: arguments.span };
    Ok(Value::Instance(interpreter.heap.allocate(Payload::Instance(Rc::new(data)))))
}

fn run(interpreter: &mut Interpreter<'_>, transformed: &Value, arguments: CallArguments) -> Eval {
    let Value::Instance(id) = transformed else { return Ok(Value::Unknown("transformed function")) };
    let Some(data) = interpreter.heap.instance(*id).cloned() else { return Ok(Value::Unknown("transformed function")) };
    let kind = argument_of(&data, "kind");
    match kind.as_text() {
        Some("vmap") => mapped(interpreter, &data, arguments),
        Some(kind) => differentiated(interpreter, kind, &data, arguments),
        None => Ok(Value::Unknown("transformed function")),
    }
}

/// `vmap(func, in_dims, out_dims)(…)`: the function sees tensors without the mapped dimension, and its results get it.
fn mapped(interpreter: &mut Interpreter<'_>, data: &InstanceData, mut arguments: CallArguments) -> Eval {
    let span = arguments.span;
    let in_dims = interpreter.read(&argument_of(data, "in_dims"));
    let per_argument = match &in_dims {
        Value::Tuple(_) | Value::List(_) => match interpreter.iterate(&in_dims)? {
            Iteration::Items(items) => Some(items),
            _ => None,
        },
        _ => None,
    };
    if interpreter.own_call_misfits(&argument_of(data, "func"), &arguments)
        || lacks_dimension(interpreter, &in_dims, per_argument.as_deref(), &arguments)
    {
        return Ok(interpreter.symbolic("mapped result", span, true));
    }
    let mut sizes = Vec::new();
    for (position, value) in arguments.positional.iter_mut().enumerate() {
        let dims = per_argument
            .as_ref()
            .map_or_else(|| in_dims.clone(), |all| all.get(position).cloned().unwrap_or(Value::None));
        *value = without_dimension(interpreter, value, &dims, &mut sizes, 0);
    }
    for (_, value) in &mut arguments.keywords {
        *value = without_dimension(interpreter, value, &Value::int(0), &mut sizes, 0);
    }
    let known: Vec<i64> = sizes.iter().filter_map(|size| interpreter.solver.resolve(*size).as_const()).collect();
    if let Some(other) = known.iter().find(|size| **size != known[0]) {
        let message = format!("the mapped dimensions must have one size, got {} and {other}", known[0]);
        interpreter.sequence_fails("torch.func.vmap", message, span);
        return Ok(interpreter.symbolic("mapped result", span, true));
    }
    let size = sizes.first().copied().unwrap_or_else(|| interpreter.free_dim("mapped", 1));
    let result = interpreter.call(&argument_of(data, "func"), arguments)?;
    let out = interpreter.read(&argument_of(data, "out_dims"));
    Ok(with_dimension(interpreter, &result, &out, size, 0))
}

/// Reports arguments that `in_dims` does not count, or that have no such dimension. Returns whether it does.
fn lacks_dimension(
    interpreter: &mut Interpreter<'_>,
    in_dims: &Value,
    per_argument: Option<&[Value]>,
    arguments: &CallArguments,
) -> bool {
    if arguments.is_open || arguments.is_unpacked {
        return false;
    }
    let given = &arguments.positional;
    if let Some(dims) = per_argument.filter(|dims| dims.len() != given.len()) {
        let message = format!("`in_dims` tells of {} arguments, but {} are given", dims.len(), given.len());
        interpreter.sequence_fails("torch.func.vmap", message, arguments.span);
        return true;
    }
    for (position, value) in given.iter().enumerate() {
        let dim = per_argument.map_or_else(|| Some(in_dims), |dims| dims.get(position));
        let (Some(dim), Value::Tensor(tensor)) = (dim.and_then(Value::as_int), interpreter.read(value)) else {
            continue;
        };
        let shape = interpreter.solver.resolve_shape(&tensor.shape);
        let rank = shape.rank().and_then(|rank| i64::try_from(rank).ok());
        if rank.is_some_and(|rank| !(-rank..rank).contains(&dim)) {
            let message = format!("dimension {dim} is to be mapped, but argument {position} is {shape}");
            interpreter.sequence_fails("torch.func.vmap", message, arguments.span);
            return true;
        }
    }
    false
}

/// Reports what `grad` cannot differentiate: a result that is no scalar, or by an argument that there is not.
fn refuses_to_differentiate(
    interpreter: &mut Interpreter<'_>,
    kind: &str,
    (value, argnums): (&Value, &Value),
    (count, span): (usize, Span),
) {
    let api = format!("torch.func.{kind}");
    let wanted = match argnums {
        Value::Tuple(positions) => positions.iter().filter_map(Value::as_int).max(),
        position => position.as_int(),
    };
    if let Some(wanted) = wanted.filter(|wanted| usize::try_from(*wanted).is_ok_and(|wanted| wanted >= count)) {
        let message = format!("`argnums` asks for argument {wanted}, but {count} are given");
        return interpreter.sequence_fails(&api, message, span);
    }
    if let (Value::Tensor(tensor), "grad" | "grad_and_value") = (interpreter.read(value), kind) {
        let shape = interpreter.solver.resolve_shape(&tensor.shape);
        if shape.rank().is_some_and(|rank| rank > 0) {
            let message = format!("the function must give a tensor without dimensions, but it gives {shape}");
            interpreter.sequence_fails(&api, message, span);
        }
    }
}

/// `grad(func, argnums, has_aux)(…)` and its like.
fn differentiated(
    interpreter: &mut Interpreter<'_>,
    kind: &str,
    data: &InstanceData,
    arguments: CallArguments,
) -> Eval {
    let span = arguments.span;
    let given = arguments.positional.clone();
    if interpreter.own_call_misfits(&argument_of(data, "func"), &arguments) {
        return Ok(interpreter.symbolic("derivative", span, true));
    }
    let is_told = !(arguments.is_open || arguments.is_unpacked);
    let result = interpreter.call(&argument_of(data, "func"), arguments)?;
    let has_aux = matches!(interpreter.read(&argument_of(data, "has_aux")), Value::Bool(true));
    let (value, aux) = match interpreter.read(&result) {
        Value::Tuple(parts) if has_aux && parts.len() == 2 => (parts[0].clone(), Some(parts[1].clone())),
        other => (other, None),
    };
    if is_told {
        let argnums = interpreter.read(&argument_of(data, "argnums"));
        refuses_to_differentiate(interpreter, kind, (&value, &argnums), (given.len(), span));
    }
    let of_argument = |this: &mut Interpreter<'_>, position: &Value| {
        let position = position.as_int().and_then(|position| usize::try_from(position).ok());
        match position.and_then(|position| given.get(position).cloned()) {
            Some(argument) => derivative(this, kind, &value, &argument, 0),
            None => this.symbolic("derivative", span, true),
        }
    };
    let derivatives = match interpreter.read(&argument_of(data, "argnums")) {
        Value::Tuple(positions) => {
            let parts = positions.iter().map(|position| of_argument(interpreter, position)).collect();
            Value::tuple(parts)
        }
        position => of_argument(interpreter, &position),
    };
    Ok(match (kind, aux) {
        ("grad_and_value", Some(aux)) => Value::tuple(vec![derivatives, Value::tuple(vec![value, aux])]),
        ("grad_and_value", None) => Value::tuple(vec![derivatives, value]),
        (_, Some(aux)) => Value::tuple(vec![derivatives, aux]),
        (_, None) => derivatives,
    })
}

/// The result of `func(*primals)`; where it has something besides, that too.
fn result_at(
    interpreter: &mut Interpreter<'_>,
    function: &Value,
    primals: Vec<Value>,
    arguments: &CallArguments,
) -> Eval<(Value, Option<Value>)> {
    let result = interpreter.call(function, CallArguments::positional(primals, arguments.span))?;
    let has_aux = arguments.keyword("has_aux").is_some_and(|flag| matches!(flag, Value::Bool(true)));
    Ok(match interpreter.read(&result) {
        Value::Tuple(parts) if has_aux && parts.len() == 2 => (parts[0].clone(), Some(parts[1].clone())),
        other => (other, None),
    })
}

/// `jvp(func, primals, tangents)`: the result, and how it changes along the tangents, which has its form.
fn forward_product(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let function = arguments.get(0, "func").cloned().unwrap_or(Value::None);
    let primals = arguments.get(1, "primals").cloned().unwrap_or(Value::None);
    let primals = match interpreter.read(&primals) {
        Value::Tuple(primals) => primals.to_vec(),
        other => vec![other],
    };
    let (value, aux) = result_at(interpreter, &function, primals, &arguments)?;
    let tangent = map_tensors(interpreter, &value, 0, &mut |_, _| None);
    Ok(Value::tuple([value, tangent].into_iter().chain(aux).collect()))
}

/// `vjp(func, *primals)`: the result, and a function that pulls what has its form back to the form of the primals.
fn backward_product(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let Some((function, primals)) = arguments.positional.split_first() else { return Ok(Value::Unknown("vjp")) };
    let (value, aux) = result_at(interpreter, function, primals.to_vec(), &arguments)?;
    let data = InstanceData {
        class: Value::library(PULL_BACK),
        arguments: vec![(name!("value"), value.clone()), (name!("primals"), Value::tuple(primals.to_vec()))],
        origin: arguments.span,
    };
    let pull = Value::Instance(interpreter.heap.allocate(Payload::Instance(Rc::new(data))));
    Ok(Value::tuple([value, pull].into_iter().chain(aux).collect()))
}

/// What the function of `vjp` gives for a cotangent, which must have the form of the result.
fn pull_back(interpreter: &mut Interpreter<'_>, pull: &Value, arguments: CallArguments) -> Eval {
    let Some(data) = interpreter.instance_data(pull) else { return Ok(Value::Unknown("derivative")) };
    let given = arguments.positional.first().map_or(Value::None, |value| interpreter.read(value));
    if let (Value::Tensor(value), Value::Tensor(given)) = (interpreter.read(&argument_of(&data, "value")), given) {
        let dims = |tensor: &Tensor| interpreter.solver.resolve_shape(&tensor.shape).dims();
        let sizes = |dims: Vec<Dim>| dims.into_iter().map(Dim::as_const).collect::<Option<Vec<i64>>>();
        if let (Some(wanted), Some(found)) = (dims(&value).and_then(sizes), dims(&given).and_then(sizes))
            && wanted != found
        {
            let message = format!("the cotangent {found:?} must have the shape {wanted:?} of the result");
            interpreter.sequence_fails("torch.func.vjp", message, arguments.span);
        }
    }
    let primals = argument_of(&data, "primals");
    Ok(map_tensors(interpreter, &primals, 0, &mut |_, _| None))
}

/// The derivative of `value` by `argument`, in the form of the argument.
fn derivative(interpreter: &mut Interpreter<'_>, kind: &str, value: &Value, argument: &Value, depth: usize) -> Value {
    let value = interpreter.read(value);
    let kind = kind.to_owned();
    map_tensors(interpreter, argument, depth, &mut |this, input| {
        let own = this.solver.resolve_shape(&input.shape).dims();
        let of_value = match &value {
            Value::Tensor(value) => this.solver.resolve_shape(&value.shape).dims(),
            _ => None,
        };
        let dims = match kind.as_str() {
            "grad" | "grad_and_value" => own,
            "hessian" => of_value.zip(own).map(|(value, own)| [value, own.clone(), own].concat()),
            _ => of_value.zip(own).map(|(value, own)| [value, own].concat()),
        };
        Some(dims)
    })
}

/// Tensors without the dimension that `dims` names, a number for all or one for each part; the sizes are collected.
fn without_dimension(
    interpreter: &mut Interpreter<'_>,
    value: &Value,
    dims: &Value,
    sizes: &mut Vec<Dim>,
    depth: usize,
) -> Value {
    light_tick();
    let (value, dims) = (interpreter.read(value), interpreter.read(dims));
    let Some(axis) = dims.as_int() else {
        return match (&value, &dims) {
            (_, Value::None) => value,
            (Value::Tuple(items), Value::Tuple(dims)) if items.len() == dims.len() && depth < DEEPEST => {
                let parts = items.iter().zip(dims.iter());
                Value::tuple(
                    parts.map(|(item, dims)| without_dimension(interpreter, item, dims, sizes, depth + 1)).collect(),
                )
            }
            _ => interpreter.symbolic("mapped argument", interpreter.current_span(), true),
        };
    };
    map_tensors(interpreter, &value, depth, &mut |this, tensor| {
        let Some(mut dims) = this.solver.resolve_shape(&tensor.shape).dims() else { return Some(None) };
        let place = if axis < 0 { axis + dims.len() as i64 } else { axis };
        let Some(place) = usize::try_from(place).ok().filter(|place| *place < dims.len()) else { return Some(None) };
        sizes.push(dims.remove(place));
        Some(Some(dims))
    })
}

/// Tensors with a dimension of `size` more.
fn with_dimension(interpreter: &mut Interpreter<'_>, value: &Value, dims: &Value, size: Dim, depth: usize) -> Value {
    light_tick();
    let value = interpreter.read(value);
    if let (Value::Tuple(items), Value::Tuple(dims)) = (&value, dims)
        && items.len() == dims.len()
        && depth < DEEPEST
    {
        let parts = items.iter().zip(dims.iter());
        return Value::tuple(
            parts.map(|(item, dims)| with_dimension(interpreter, item, dims, size, depth + 1)).collect(),
        );
    }
    let axis = dims.as_int();
    map_tensors(interpreter, &value, depth, &mut |this, tensor| {
        let (Some(mut dims), Some(axis)) = (this.solver.resolve_shape(&tensor.shape).dims(), axis) else {
            return Some(None);
        };
        let place = if axis < 0 { axis + dims.len() as i64 + 1 } else { axis };
        let Some(place) = usize::try_from(place).ok().filter(|place| *place <= dims.len()) else { return Some(None) };
        dims.insert(place, size);
        Some(Some(dims))
    })
}

/// What `change` makes of the shape of a tensor: `None` leaves it, and `Some(None)` says that it is not known.
type Change<'a> = dyn FnMut(&mut Interpreter<'_>, &Tensor) -> Option<Option<Vec<Dim>>> + 'a;

/// A value with the tensors in it changed; containers become new ones.
fn map_tensors(interpreter: &mut Interpreter<'_>, value: &Value, depth: usize, change: &mut Change<'_>) -> Value {
    light_tick();
    let value = interpreter.read(value);
    if depth >= DEEPEST {
        return value;
    }
    match &value {
        Value::Tensor(tensor) => match change(interpreter, tensor) {
            Some(dims) => {
                let shape = dims.map_or_else(|| Shape::unknown("s"), Shape::known);
                let changed = Tensor {
                    shape,
                    kind: interpreter.torch_tensor(),
                    name: None,
                    elements: None,
                    ..Tensor::clone(tensor)
                };
                Value::Tensor(Rc::new(changed))
            }
            None => value,
        },
        Value::Tuple(items) => {
            Value::tuple(items.iter().map(|item| map_tensors(interpreter, item, depth + 1, change)).collect())
        }
        Value::List(id) => match interpreter.heap.list(*id).filter(|data| data.rest.is_none()).cloned() {
            Some(data) => {
                let items = data.items.iter().map(|item| map_tensors(interpreter, item, depth + 1, change)).collect();
                Value::List(interpreter.heap.allocate_list(items))
            }
            None => value,
        },
        Value::Dict(id) => match interpreter.heap.dict(*id).cloned() {
            Some(data) => {
                let mut mapped = DictData::default();
                for (key, entry) in &data.entries {
                    mapped.entries.push((key.clone(), map_tensors(interpreter, entry, depth + 1, change)));
                }
                mapped.rest = data.rest.as_ref().map(|(key, _)| (key.clone(), Value::Unknown("transformed entry")));
                Value::Dict(interpreter.heap.allocate(Payload::Dict(Rc::new(mapped))))
            }
            None => value,
        },
        _ => value,
    }
}

/// `functional_call(module, parameters, args, kwargs)`: the module runs with these, as ever where they have the shapes of its own.
fn functional_call(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let span = arguments.span;
    let Some(module) = arguments.get(0, "module").map(|module| interpreter.read(module)) else {
        return Ok(interpreter.symbolic("functional_call", span, true));
    };
    let given = arguments.get(1, "parameter_and_buffer_dicts").cloned().unwrap_or(Value::None);
    let others = match arguments.is_open || !interpreter.is_module(&module) {
        true => None,
        false => of_other_shapes(interpreter, &module, &given, span)?,
    };
    let Some(others) = others else {
        interpreter.not_understood("torch.func.functional_call", span);
        return Ok(interpreter.symbolic("result", span, true));
    };
    let positional = match arguments.get(2, "args").map(|args| interpreter.read(args)) {
        None | Some(Value::None) => Vec::new(),
        Some(Value::Tuple(items)) => items.to_vec(),
        Some(one) => vec![one],
    };
    let mut call = CallArguments::positional(positional, span);
    if let Some(Value::Dict(id)) = arguments.get(3, "kwargs").map(|kwargs| interpreter.read(kwargs)) {
        let entries = interpreter.heap.dict(id).map(|data| data.entries.clone()).unwrap_or_default();
        for (key, value) in entries {
            if let Some(key) = key.as_text() {
                call.keywords.push((Name::new(key), value));
                call.keyword_spans.push(None);
            }
        }
    }
    let mut before = Vec::with_capacity(others.len());
    for Replaced { owner, name, tensor } in others {
        before.push((owner, name, interpreter.heap.attribute(owner, name).cloned()));
        interpreter.heap.set_attribute(owner, name, tensor);
    }
    let result = interpreter.call(&module, call);
    for (owner, name, own) in before {
        match own {
            Some(own) => interpreter.heap.set_attribute(owner, name, own),
            None => interpreter.heap.delete_attribute(owner, name),
        }
    }
    result
}

/// A tensor in the place of a parameter of a module.
struct Replaced {
    owner: ObjectId,
    name: Name,
    tensor: Value,
}

/// The given parameters that have another shape than the module's own, as far as both are known; `None` where one of them has no known place.
fn of_other_shapes(
    interpreter: &mut Interpreter<'_>,
    module: &Value,
    given: &Value,
    span: harp_corpus::Span,
) -> Eval<Option<Vec<Replaced>>> {
    let given = match interpreter.read(given) {
        Value::Tuple(dicts) => dicts.to_vec(),
        one => vec![one],
    };
    let own = Parameters::of(interpreter, module, span)?;
    let mut others = Vec::new();
    for dict in given {
        let Value::Dict(id) = interpreter.read(&dict) else { continue };
        let entries = interpreter.heap.dict(id).map(|data| data.entries.clone()).unwrap_or_default();
        for (key, value) in entries {
            let (Some(key), Value::Tensor(value)) = (key.as_text(), interpreter.read(&value)) else { continue };
            let Some((_, wanted)) = own.known.iter().find(|(name, _)| name == key) else { continue };
            let [shape, wanted] = [&value.shape, &wanted.shape].map(|shape| interpreter.solver.resolve_shape(shape));
            if shape.dims().is_some() && wanted.dims().is_some() && shape != wanted {
                let Some((owner, name)) = owner_of(interpreter, module, key) else { return Ok(None) };
                others.push(Replaced { owner, name, tensor: Value::Tensor(value) });
            }
        }
    }
    Ok(Some(others))
}

/// The part of a module that holds the parameter of this name, such as `layers.0.weight`.
fn owner_of(interpreter: &Interpreter<'_>, module: &Value, key: &str) -> Option<(ObjectId, Name)> {
    let Value::Instance(mut owner) = *module else { return None };
    let mut names = key.split('.').peekable();
    while let Some(name) = names.next() {
        let name = Name::new(name);
        if names.peek().is_none() {
            return Some((owner, name));
        }
        let Value::Instance(part) = interpreter.read(interpreter.heap.attribute(owner, name)?) else { return None };
        owner = part;
    }
    None
}

/// `stack_module_state(models)`: parameters and buffers by name, stacked.
fn stack_module_state(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let span = arguments.span;
    let models = arguments.get(0, "models").cloned().unwrap_or(Value::None);
    let count = interpreter.length_of(&models);
    let iteration = interpreter.iterate(&models)?;
    let (items, _, _) = interpreter.sample(iteration);
    let (Some(count), Some(first)) = (count, items.first().cloned()) else {
        return Ok(interpreter.symbolic("stack_module_state", span, true));
    };
    let first = interpreter.read(&first);
    let parameters = Parameters::of(interpreter, &first, span)?;
    let mut stacked = DictData::default();
    for (name, tensor) in parameters.known {
        let tensor = with_dimension(interpreter, &Value::Tensor(tensor), &Value::int(0), count, 0);
        stacked.entries.push((Value::str(&name), tensor));
    }
    if !parameters.are_all {
        stacked.rest = Some((Value::Str(None), Value::Unknown("stacked parameter")));
    }
    let buffers = DictData::new(Vec::new(), Some((Value::Str(None), Value::Unknown("stacked buffer"))));
    let mut dict = |data| Value::Dict(interpreter.heap.allocate(Payload::Dict(Rc::new(data))));
    Ok(Value::tuple(vec![dict(stacked), dict(buffers)]))
}
