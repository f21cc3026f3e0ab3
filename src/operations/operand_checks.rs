//! Transfer functions whose result is simple, but whose operands must fit.

use crate::dtypes::{is_integral, is_real};
use crate::operation::{Argument, Operation, Output, TensorArgument};
use crate::support::{Evaluated, constant, count, unknown_tensor};
use harp_shape::{Constraint, Dim, Shape};

/// `dist(input, other)`: the operands broadcast, and one number remains.
pub(crate) fn distance(op: &mut Operation) -> Evaluated {
    let name = op.input_name();
    let (left, right) = (op.input(), op.tensor("other"));
    op.broadcast((name, &left.shape), ("other", &right.shape))?;
    let dtype = op.result_type(&[op.arguments.value(name), op.arguments.value("other")]);
    Ok(Output::tensor(Shape::scalar(), dtype))
}

/// `assert_close(actual, expected)`: two tensors of one shape.
pub(crate) fn compared(op: &mut Operation) -> Evaluated {
    let (actual, expected) = (op.arguments.value("actual"), op.arguments.value("expected"));
    if let (Argument::Tensor(actual), Argument::Tensor(expected)) = (&actual, &expected) {
        let shapes = [op.solver.resolve_shape(&actual.shape), op.solver.resolve_shape(&expected.shape)];
        let message = format!("`actual` {} and `expected` {} must have the same shape", shapes[0], shapes[1]);
        let [actual, expected] = shapes;
        op.demand(Constraint::SameShape(actual, expected), &["actual", "expected"], || message)?;
    }
    Ok(Output::None)
}

/// `prelu(input, weight)`: one weight, or one a channel.
pub(crate) fn prelu(op: &mut Operation) -> Evaluated {
    let input = op.input();
    // A layer has as many weights as it was made with.
    let weight = match op.dim_argument("num_parameters") {
        Some(count) => TensorArgument { shape: Shape::known(vec![count]), dtype: input.dtype },
        None => op.tensor("weight"),
    };
    let Some(dims) = op.dims(&weight.shape) else { return Ok(Output::tensor(input.shape, input.dtype)) };
    match dims.as_slice() {
        [] => {}
        [weights] => {
            let channels = match op.dims(&input.shape) {
                Some(own) if own.len() >= 2 => Some(own[1]),
                Some(own) if own.len() == 1 => Some(constant(1)),
                _ => None,
            };
            if let Some(channels) = channels.filter(|_| weights.as_const() != Some(1)) {
                let message = format_args!(
                    "`weight` must have one entry for each of the {channels} channels of {}, got {weights}",
                    op.text(&input.shape)
                );
                op.demand(Constraint::Equal(*weights, channels), &["weight", "input"], || message.to_string())?;
            }
        }
        _ => {
            let message = format!("{} must have at most 1 dimension", op.operand("weight", &weight.shape));
            return op.reject(&["weight"], message);
        }
    }
    Ok(Output::tensor(input.shape, input.dtype))
}

/// `index_put(input, indices, values)`: the values broadcast to the place.
pub(crate) fn index_put(op: &mut Operation) -> Evaluated {
    let input = op.input();
    values_fit(op)?;
    Ok(Output::tensor(input.shape, input.dtype))
}

/// `index_put_`.
pub(crate) fn index_put_in_place(op: &mut Operation) -> Evaluated {
    values_fit(op)?;
    Ok(Output::Argument(op.input_name().into()))
}

fn values_fit(op: &mut Operation) -> Result<(), crate::support::Stop> {
    let input = op.input();
    let Some(place) = crate::indexing::place_of(op, &input.shape, "indices")? else { return Ok(()) };
    if let Some(values) = op.given_tensor("values") {
        op.broadcast_into(("values", &values.shape), ("indices", &place))?;
        op.same_type((op.input_name(), input.dtype), ("values", values.dtype));
    }
    Ok(())
}

/// `resize_(*size)`: any sizes.
pub(crate) fn resize(op: &mut Operation) -> Evaluated {
    let input = op.input();
    let name = if op.arguments.get("new_shape").is_some() { "new_shape" } else { "size" };
    let Some(sizes) = op.sizes(name)? else { return Ok(unknown_tensor(input.dtype)) };
    for size in &sizes {
        let message = format_args!("the size {size} is negative");
        op.demand(Constraint::LessEqual(constant(0), *size), &[name], || message.to_string())?;
    }
    Ok(Output::tensor(Shape::known(sizes), input.dtype))
}

/// `set_(source)`: the shape of the source, if no size is given; a storage tells none.
pub(crate) fn set_source(op: &mut Operation) -> Evaluated {
    let input = op.input();
    if op.is_absent("size") {
        let source = op.given_tensor("source");
        return Ok(
            source.map_or_else(|| unknown_tensor(input.dtype), |source| Output::tensor(source.shape, input.dtype))
        );
    }
    Ok(match op.sizes("size")? {
        Some(sizes) => Output::tensor(Shape::known(sizes), input.dtype),
        None => unknown_tensor(input.dtype),
    })
}

/// `put_along_axis(arr, indices, values, axis)`: as many dimensions, and sizes that broadcast except along the axis.
pub(crate) fn put_along(op: &mut Operation) -> Evaluated {
    let (input, indices) = (op.input(), op.tensor("indices"));
    if is_real(indices.dtype) {
        return op.reject(&["indices"], format!("`indices` must be integers, got {}", indices.dtype));
    }
    let (Some(own), Some(index), Some(axis)) = (op.dims(&input.shape), op.dims(&indices.shape), op.int_argument("dim"))
    else {
        return Ok(Output::None);
    };
    if own.len() != index.len() {
        let message = format!(
            "{} and {} must have the same number of dimensions",
            op.operand(op.input_name(), &input.shape),
            op.operand("indices", &indices.shape)
        );
        return op.reject(&[op.input_name(), "indices"], message);
    }
    let axis = op.axis(axis, own.len(), "dim", &input.shape)?;
    for (place, (own, index)) in own.iter().zip(&index).enumerate().filter(|(place, _)| *place != axis) {
        let message = format_args!("`indices` has {index} entries in dimension {place}, where the array has {own}");
        op.demand(Constraint::Broadcastable(*index, *own), &["indices", op.input_name()], || message.to_string())?;
    }
    Ok(Output::None)
}

/// `~input`, `invert`, `bitwise_not`: integers and `bool` alone.
pub(crate) fn inverted(op: &mut Operation) -> Evaluated {
    let input = op.input();
    if is_real(input.dtype) {
        let message = format!("`{}` takes integers and `bool`, got {}", op.short_name(), input.dtype);
        op.fail(&[op.input_name()], message);
    }
    Ok(Output::tensor(input.shape, input.dtype))
}

/// `ctc_loss`: targets of at most two dimensions, and a length for each sequence.
pub(crate) fn sequences_fit(op: &mut Operation, batch: Option<Dim>) -> Result<(), crate::support::Stop> {
    let targets = op.tensor("targets");
    if op.rank(&targets.shape).is_some_and(|rank| rank > 2) {
        let message = format!("{} must have 1 or 2 dimensions", op.operand("targets", &targets.shape));
        return op.reject(&["targets"], message);
    }
    let Some(batch) = batch else { return Ok(()) };
    let mut are_tensors = Vec::new();
    for name in ["input_lengths", "target_lengths"] {
        let size = match op.arguments.get(name) {
            Some(Argument::Sequence(lengths)) => {
                are_tensors.push(false);
                count(lengths.len())
            }
            Some(Argument::Tensor(_)) => {
                are_tensors.push(true);
                let lengths = op.tensor(name);
                op.solver.resolve(lengths.shape.prod())
            }
            _ => continue,
        };
        let message = format_args!("`{name}` must have an entry for each of the {batch} sequences, got {size}");
        op.demand(Constraint::Equal(size, batch), &[name, "log_probs"], || message.to_string())?;
    }
    if are_tensors.windows(2).any(|pair| pair[0] != pair[1]) {
        let message = "`input_lengths` and `target_lengths` must both be tensors, or both sequences".to_owned();
        return op.reject(&["input_lengths", "target_lengths"], message);
    }
    Ok(())
}

/// Requires that indices are `int64`, where they are certainly not.
pub(crate) fn long_indices(op: &mut Operation, name: &str) {
    let index = op.tensor(name);
    if is_real(index.dtype) || (is_integral(index.dtype) && index.dtype != harp_shape::DType::Int64) {
        op.fail(&[name], format!("`{name}` must be an int64 tensor, got {}", index.dtype));
    }
}

/// `ndarray.sort(axis)`: in place.
pub(crate) fn sorted_in_place(op: &mut Operation) -> Evaluated {
    crate::reduction::along(op)?;
    Ok(Output::None)
}

/// `ndarray.view(dtype)`: the shape stays where the elements are of the same size.
pub(crate) fn reinterpreted(op: &mut Operation) -> Evaluated {
    let input = op.input();
    match op.arguments.get("dtype") {
        Some(Argument::DType(dtype)) if width(*dtype).is_some() && width(*dtype) == width(input.dtype) => {
            Ok(Output::tensor(input.shape, *dtype))
        }
        Some(Argument::DType(dtype)) => Ok(unknown_tensor(*dtype)),
        _ => Ok(unknown_tensor(harp_shape::DType::Unknown)),
    }
}

/// The bytes of an element.
fn width(dtype: harp_shape::DType) -> Option<u8> {
    use harp_shape::DType;
    Some(match dtype {
        DType::Bool | DType::Int8 | DType::UInt8 => 1,
        DType::Int16 | DType::UInt16 | DType::Float16 | DType::BFloat16 => 2,
        DType::Int32 | DType::Float32 => 4,
        DType::Int64 | DType::Float64 | DType::Complex64 => 8,
        _ => return None,
    })
}

/// `is_tensor(obj)`, `is_complex(input)`, `is_floating_point(input)`.
pub(crate) fn type_question(op: &mut Operation) -> Evaluated {
    let argument = op.arguments.get("obj").cloned().unwrap_or_else(|| op.arguments.value(op.input_name()));
    let dtype = argument.as_tensor().map(|tensor| tensor.dtype);
    Ok(Output::Boolean(match (op.short_name(), dtype) {
        ("is_tensor", Some(_)) if !op.arguments.may_be_arrays => Some(true),
        (_, None | Some(harp_shape::DType::Unknown)) => None,
        ("is_complex", Some(dtype)) => Some(dtype.is_complex()),
        ("is_floating_point", Some(dtype)) => Some(dtype.is_floating()),
        _ => None,
    }))
}
