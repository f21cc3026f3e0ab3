//! Transfer functions that combine operands element by element.

use crate::dtypes::{floating, is_complex, is_integral, is_real, magnitude};
use crate::operation::{Argument, Operation, Output, TensorArgument};
use crate::support::{Evaluated, Stop, fresh_count};
use harp_shape::{DType, Outcome, Shape};

/// The names and values of the two operands of a binary operation.
fn operands(op: &Operation) -> ((&'static str, Argument), (&'static str, Argument)) {
    let left = op.input_name();
    let candidates = ["other", "exponent", "tensor2", "x2", "vec2"];
    let right = candidates.into_iter().find(|name| op.arguments.get(name).is_some()).unwrap_or("other");
    ((left, op.arguments.value(left)), (right, op.arguments.value(right)))
}

/// Broadcasts the two operands; gives the result's shape and the promoted element type.
fn binary(op: &mut Operation) -> Result<(Shape, DType), Stop> {
    let ((left_name, left), (right_name, right)) = operands(op);
    op.refuse_mixed_types(&[(left_name, &left), (right_name, &right)]);
    let dtype = op.result_type(&[left.clone(), right.clone()]);
    let left = op.as_tensor(&left, left_name);
    let right = op.as_tensor(&right, right_name);
    let shape = op.broadcast_elementwise((left_name, &left.shape), (right_name, &right.shape))?;
    Ok((shape, dtype))
}

/// `input op other` with type promotion.
pub(crate) fn elementwise(op: &mut Operation) -> Evaluated {
    let (shape, dtype) = binary(op)?;
    Ok(Output::tensor(shape, dtype))
}

/// `input - other`, which `bool` operands do not support.
pub(crate) fn subtract(op: &mut Operation) -> Evaluated {
    let ((left_name, left), (right_name, right)) = operands(op);
    let is_bool = |argument: &Argument| match argument {
        Argument::Tensor(tensor) => tensor.dtype == DType::Bool,
        other => matches!(other, Argument::Boolean(_)),
    };
    // NumPy only refuses two of them.
    let refuses = |name: &str| op.rules.refuses_truth.iter().any(|refused| **refused == *name);
    let either = refuses("sub") && (is_bool(&left) || is_bool(&right));
    if either || (is_bool(&left) && is_bool(&right)) {
        let message = "subtraction of `bool` tensors is not supported; use `^` or `logical_xor` instead".to_owned();
        op.fail(&[left_name, right_name], message);
    }
    elementwise(op)
}

/// True division, which gives floats for integers.
pub(crate) fn divide(op: &mut Operation) -> Evaluated {
    let (shape, dtype) = binary(op)?;
    let rounds = matches!(op.arguments.get("rounding_mode"), Some(Argument::Text(_)));
    Ok(Output::tensor(shape, if rounds { dtype } else { floating(dtype) }))
}

/// Functions of two operands that give floats for integers, such as `atan2`.
pub(crate) fn elementwise_float(op: &mut Operation) -> Evaluated {
    let (shape, dtype) = binary(op)?;
    let dtype = match dtype {
        // Powers are taken in the widest type.
        DType::Unknown => dtype,
        _ if op.short_name() == "float_power" => {
            if is_complex(dtype) {
                DType::Complex128
            } else {
                DType::Float64
            }
        }
        _ if is_integral(dtype) => op.default_float(),
        _ => dtype,
    };
    Ok(Output::tensor(shape, dtype))
}

/// Comparisons and logical functions: the result is `bool`.
pub(crate) fn comparison(op: &mut Operation) -> Evaluated {
    let (shape, _) = binary(op)?;
    Ok(Output::tensor(shape, DType::Bool))
}

/// Equality of tensors that may be of any shapes: of those that do not go together it is one answer. What is left open may be either.
pub(crate) fn equality(op: &mut Operation) -> Evaluated {
    let ((left_name, left), (right_name, right)) = operands(op);
    op.refuse_mixed_types(&[(left_name, &left), (right_name, &right)]);
    let (left, right) = (op.as_tensor(&left, left_name), op.as_tensor(&right, right_name));
    let shape = match op.solver.broadcast(&left.shape, &right.shape) {
        (Some(shape), Outcome::Holds | Outcome::Assumed) => shape,
        (None, Outcome::Violated) => Shape::known(Vec::new()),
        _ => Shape::unknown("s"),
    };
    Ok(Output::tensor(shape, DType::Bool))
}

/// Functions such as `isclose` and `equal` that say whether whole tensors are alike.
pub(crate) fn same_tensors(op: &mut Operation) -> Evaluated {
    binary(op)?;
    Ok(Output::Boolean(None))
}

/// `input += other` and its like: the result is `input`, whose shape and type stay.
pub(crate) fn in_place(op: &mut Operation) -> Evaluated {
    let ((left_name, left), (right_name, right)) = operands(op);
    let dtype = op.result_type(&[left.clone(), right.clone()]);
    let divides = matches!(op.short_name(), "div_" | "divide_" | "true_divide_" | "__itruediv__");
    let dtype = if divides && op.is_absent("rounding_mode") { floating(dtype) } else { dtype };
    if let Argument::Tensor(target) = &left
        && ((is_integral(target.dtype) && (is_real(dtype) || is_complex(dtype)))
            || (is_real(target.dtype) && is_complex(dtype)))
    {
        let message =
            format!("the result of type {dtype} cannot be stored in `{left_name}`, which is {}", target.dtype);
        return op.reject(&[left_name, right_name], message);
    }
    let target = op.as_tensor(&left, left_name);
    let source = op.as_tensor(&right, right_name);
    op.broadcast_into((right_name, &source.shape), (left_name, &target.shape))?;
    Ok(Output::Argument(left_name.into()))
}

/// `input.copy_(src)`: like an assignment, the type is converted.
pub(crate) fn copy_into(op: &mut Operation) -> Evaluated {
    let name = op.input_name();
    let target = op.input();
    let source_name = if op.arguments.get("src").is_some() { "src" } else { "other" };
    let source = op.tensor(source_name);
    op.broadcast_into((source_name, &source.shape), (name, &target.shape))?;
    Ok(Output::Argument(name.into()))
}

/// `abs`, whose result is real.
pub(crate) fn absolute(op: &mut Operation) -> Evaluated {
    let input = op.input();
    Ok(Output::tensor(input.shape, magnitude(input.dtype)))
}

/// `where(condition, input, other)`, or the indices of the true elements with `condition` alone.
pub(crate) fn where_(op: &mut Operation) -> Evaluated {
    let method = op
        .arguments
        .get("condition")
        .is_some_and(|argument| matches!(argument, Argument::Tensor(_) | Argument::Unknown));
    if !method {
        return Ok(Output::tensor(Shape::unknown("where"), DType::Unknown));
    }
    let condition = op.tensor("condition");
    let left_name = if op.arguments.get("input").is_some() { "input" } else { "self" };
    if op.is_absent(left_name) && op.is_absent("other") {
        return Ok(match op.rank(&condition.shape) {
            Some(rank) => {
                let size = fresh_count("matches");
                Output::Tuple(vec![Output::tensor(Shape::known(vec![size]), DType::Int64); rank.max(1)])
            }
            None => Output::Unknown("`where` gives one tensor a dimension, and the number of dimensions is not known"),
        });
    }
    let (left, right) = (op.arguments.value(left_name), op.arguments.value("other"));
    op.refuse_mixed_types(&[(left_name, &left), ("other", &right)]);
    let dtype = op.result_type(&[left.clone(), right.clone()]);
    let left = op.as_tensor(&left, left_name);
    let right = op.as_tensor(&right, "other");
    let values = op.broadcast_elementwise((left_name, &left.shape), ("other", &right.shape))?;
    let shape = op.broadcast(("condition", &condition.shape), (left_name, &values))?;
    Ok(Output::tensor(shape, dtype))
}

/// `input.masked_fill(mask, value)`.
pub(crate) fn masked_fill(op: &mut Operation) -> Evaluated {
    let (shape, dtype) = masked(op)?;
    Ok(Output::tensor(shape, dtype))
}

/// `input.masked_select(mask)`: as many elements as the mask selects.
pub(crate) fn masked_select(op: &mut Operation) -> Evaluated {
    let (_, dtype) = masked(op)?;
    Ok(Output::tensor(Shape::known(vec![fresh_count("selected")]), dtype))
}

fn masked(op: &mut Operation) -> Result<(Shape, DType), Stop> {
    let name = op.input_name();
    let input = op.input();
    let mask = op.tensor("mask");
    if is_integral(mask.dtype) && !matches!(mask.dtype, DType::Bool | DType::UInt8) || is_real(mask.dtype) {
        let message = format!("`mask` must be a `bool` tensor, got {}", mask.dtype);
        op.fail(&["mask"], message);
    }
    is_single_value(op)?;
    let shape = op.broadcast((name, &input.shape), ("mask", &mask.shape))?;
    Ok((shape, input.dtype))
}

/// Requires a number as `value`, or a tensor without dimensions.
fn is_single_value(op: &mut Operation) -> Result<(), Stop> {
    if let Some(value) = op.given_tensor("value")
        && op.rank(&value.shape).is_some_and(|rank| rank > 0)
    {
        let message = format!("`value` must be a number or a tensor without dimensions, got shape {}", value.shape);
        return op.reject(&["value"], message);
    }
    Ok(())
}

/// `input.fill_(value)`
pub(crate) fn fill_in_place(op: &mut Operation) -> Evaluated {
    is_single_value(op)?;
    Ok(Output::Argument(op.input_name().into()))
}

/// `input.masked_fill_(mask, value)` and `masked_scatter_`: the mask broadcasts to `input`.
pub(crate) fn masked_in_place(op: &mut Operation) -> Evaluated {
    let name = op.input_name();
    let input = op.input();
    let mask = op.tensor("mask");
    op.broadcast_into(("mask", &mask.shape), (name, &input.shape))?;
    Ok(Output::Argument(name.into()))
}

/// `input.lerp_(end, weight)`, `addcmul_`, `lt_`: all other operands broadcast to `input`.
pub(crate) fn operands_in_place(op: &mut Operation) -> Evaluated {
    let name = op.input_name();
    let input = op.input();
    for operand in ["other", "end", "weight", "tensor1", "tensor2"] {
        if let Some(tensor) = op.given_tensor(operand) {
            op.broadcast_into((operand, &tensor.shape), (name, &input.shape))?;
        }
    }
    Ok(Output::Argument(name.into()))
}

/// `broadcast_tensors(*tensors)`: each operand at the common shape.
pub(crate) fn broadcast_tensors(op: &mut Operation) -> Evaluated {
    let Some(tensors) = op.tensor_list("tensors") else {
        return Ok(Output::Unknown("the tensors are not known one by one"));
    };
    let tensors: Vec<TensorArgument> = tensors.iter().map(|tensor| op.as_tensor(tensor, "tensors")).collect();
    let mut shape = Shape::scalar();
    for tensor in &tensors {
        shape = op.broadcast(("tensors", &shape), ("tensors", &tensor.shape))?;
    }
    Ok(Output::Tuple(tensors.iter().map(|tensor| Output::tensor(shape.clone(), tensor.dtype)).collect()))
}

/// `broadcast_shapes(*shapes)`.
pub(crate) fn broadcast_shapes(op: &mut Operation) -> Evaluated {
    let Some(Argument::Sequence(shapes)) = op.arguments.get("shapes") else {
        return Ok(Output::Unknown("the shapes are not known one by one"));
    };
    let mut result = Shape::scalar();
    for shape in shapes.clone() {
        let Some(dims) = crate::support::items(&shape)
            .and_then(|items| items.iter().map(Argument::as_dim).collect::<Option<Vec<_>>>())
        else {
            return Ok(Output::Unknown("a shape is not known"));
        };
        result = op.broadcast(("shapes", &result), ("shapes", &Shape::known(dims)))?;
    }
    Ok(result.dims().map_or(Output::Unknown("a shape is not known"), Output::Size))
}

/// `lerp(input, end, weight)`.
pub(crate) fn lerp(op: &mut Operation) -> Evaluated {
    let (start, end) = (op.tensor(op.input_name()), op.tensor("end"));
    op.same_type(("input", start.dtype), ("end", end.dtype));
    let mut shape = op.broadcast(("input", &start.shape), ("end", &end.shape))?;
    if let Some(weight) = op.given_tensor("weight") {
        shape = op.broadcast(("input", &shape), ("weight", &weight.shape))?;
    }
    Ok(Output::tensor(shape, start.dtype))
}

/// `clamp(input, min, max)`, whose bounds may be tensors.
pub(crate) fn clamp(op: &mut Operation) -> Evaluated {
    let is_bounded = !op.is_absent("min") || !op.is_absent("max") || op.arguments.get("min").is_none();
    if !is_bounded && !op.takes_arrays() {
        return op.reject(&["min", "max"], "at least one of `min` and `max` must be given".to_owned());
    }
    let name = op.input_name();
    let operands = [
        op.arguments.value(name),
        op.arguments.get("min").cloned().unwrap_or(Argument::None),
        op.arguments.get("max").cloned().unwrap_or(Argument::None),
    ];
    let dtype = op.result_type(&operands);
    let mut shape = op.input().shape;
    for bound in ["min", "max"] {
        if let Some(tensor) = op.given_tensor(bound) {
            shape = op.broadcast((name, &shape), (bound, &tensor.shape))?;
        }
    }
    Ok(Output::tensor(shape, dtype))
}

/// Conversions of the element type: `input.to(…)`, `float()`, `type(…)`.
pub(crate) fn convert(op: &mut Operation) -> Evaluated {
    let input = op.input();
    if op.short_name() == "type" && op.is_absent("dtype") {
        return Ok(Output::Unknown("the name of an element type"));
    }
    let dtype = match op.short_name() {
        "float" => DType::Float32,
        "double" => DType::Float64,
        "half" => DType::Float16,
        "bfloat16" => DType::BFloat16,
        "long" => DType::Int64,
        "int" => DType::Int32,
        "short" => DType::Int16,
        "char" => DType::Int8,
        "byte" => DType::UInt8,
        "bool" => DType::Bool,
        "cfloat" => DType::Complex64,
        "cdouble" => DType::Complex128,
        _ => requested_type(op, input.dtype),
    };
    Ok(Output::tensor(input.shape, dtype))
}

/// The element type that the arguments of `to`, `type` or `type_as` ask for.
fn requested_type(op: &Operation, own: DType) -> DType {
    let input = op.input_name();
    let mut dtype = own;
    for (name, argument) in op.arguments.iter() {
        match argument {
            _ if name == input => {}
            Argument::DType(requested) => dtype = *requested,
            Argument::Text(text) if name == "dtype" && op.takes_arrays() => dtype = crate::dtypes::named(text),
            // It may name a class of tensors: `"torch.FloatTensor"`.
            Argument::Text(text) if name == "dtype" => dtype = DType::parse(text).unwrap_or(DType::Unknown),
            Argument::Tensor(other) => dtype = other.dtype,
            Argument::Unknown if matches!(name, "dtype" | "other" | "args") => dtype = DType::Unknown,
            Argument::Sequence(items) => {
                for item in items {
                    match item {
                        Argument::DType(requested) => dtype = *requested,
                        Argument::Tensor(other) => dtype = other.dtype,
                        Argument::Unknown => dtype = DType::Unknown,
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }
    dtype
}
