//! Transfer functions that take elements by index tensors along a dimension, and those that write them: `gather`,
//! `scatter`, `index_select`, `index_add`, `take`.

use crate::dtypes::is_real;
use crate::operation::{Operation, Output};
use crate::support::{Evaluated, Stop, constant, fresh, unknown_tensor};
use harp_shape::{Constraint, DType, Dim, Shape};

/// `gather(input, dim, index)`: the shape of the index.
pub(crate) fn gather(op: &mut Operation) -> Evaluated {
    let input = op.input();
    // Without indices nothing is looked at.
    let index = op.tensor("index");
    if op.dims(&index.shape).is_some_and(|dims| dims.iter().any(|dim| dim.as_const() == Some(0))) {
        return Ok(Output::tensor(index.shape, input.dtype));
    }
    let index = index_tensor(op, &input.shape)?;
    check_index_sizes(op, &input.shape, &index, "input")?;
    Ok(Output::tensor(index, input.dtype))
}

/// `take_along_dim(input, indices, dim)`: both broadcast except along the dimension.
pub(crate) fn take_along(op: &mut Operation) -> Evaluated {
    let input = op.input();
    let indices = op.tensor("indices");
    if op.is_absent("dim") {
        let size = indices.shape.prod();
        return Ok(Output::tensor(Shape::known(vec![op.solver.resolve(size)]), input.dtype));
    }
    let (Some(dim), Some(own), Some(index)) = (op.int_argument("dim"), op.dims(&input.shape), op.dims(&indices.shape))
    else {
        return Ok(unknown_tensor(input.dtype));
    };
    let axis = op.axis(dim, own.len(), "dim", &input.shape)?;
    if own.len() != index.len() {
        let message = format!(
            "{} and {} must have the same number of dimensions",
            op.operand("input", &input.shape),
            op.operand("indices", &indices.shape)
        );
        return op.reject(&["input", "indices"], message);
    }
    let without = |dims: &[Dim]| -> Vec<Dim> {
        dims.iter().enumerate().map(|(place, dim)| if place == axis { constant(1) } else { *dim }).collect()
    };
    let common = op.broadcast(("input", &Shape::known(without(&own))), ("indices", &Shape::known(without(&index))))?;
    let Some(mut dims) = common.dims() else { return Ok(unknown_tensor(input.dtype)) };
    dims[axis] = index[axis];
    Ok(Output::tensor(Shape::known(dims), input.dtype))
}

/// Reads `index` of `gather` and `scatter`, and checks its type and number of dimensions.
fn index_tensor(op: &mut Operation, shape: &Shape) -> Result<Shape, Stop> {
    let index = op.tensor("index");
    if is_real(index.dtype) || matches!(index.dtype, DType::Bool | DType::UInt8 | DType::Int8 | DType::Int16) {
        let message = format!("`index` must be an integer tensor (int64), got {}", index.dtype);
        op.fail(&["index"], message);
    }
    let name = op.input_name();
    if let (Some(own), Some(other)) = (op.rank(shape), op.rank(&index.shape))
        && own.max(1) != other.max(1)
    {
        let message = format!(
            "{} and {} must have the same number of dimensions",
            op.operand(name, shape),
            op.operand("index", &index.shape)
        );
        return op.reject(&["index", name], message);
    }
    Ok(index.shape)
}

/// Requires that the index is not larger than a tensor, except along the dimension (where `dim` is not checked for the source of a
/// scatter, all dimensions count).
fn check_index_sizes(op: &mut Operation, shape: &Shape, index: &Shape, name: &str) -> Result<(), Stop> {
    let Some(mut own) = op.dims(shape) else { return Ok(()) };
    let Some(dim) = op.int_argument("dim") else { return Ok(()) };
    if own.is_empty() {
        own.push(constant(1));
    }
    let axis = op.axis(dim, own.len(), "dim", shape)?;
    let Some(index) = op.dims(index) else { return Ok(()) };
    let texts = (op.text(shape), Shape::known(index.clone()).to_string());
    for (place, (size, own)) in index.iter().zip(&own).enumerate() {
        if place != axis || name == "src" {
            let message =
                format_args!("`index` {} must not be larger than `{name}` {} in dimension {place}", texts.1, texts.0);
            op.demand(Constraint::LessEqual(*size, *own), &["index", name], || message.to_string())?;
        }
    }
    Ok(())
}

/// `scatter(input, dim, index, src)`, `scatter_add`, `scatter_reduce`.
pub(crate) fn scatter(op: &mut Operation) -> Evaluated {
    let input = scatter_checked(op)?;
    Ok(Output::tensor(input.shape, input.dtype))
}

/// `scatter_` and its like.
pub(crate) fn scatter_in_place(op: &mut Operation) -> Evaluated {
    scatter_checked(op)?;
    Ok(Output::Argument(op.input_name().into()))
}

fn scatter_checked(op: &mut Operation) -> Result<crate::operation::TensorArgument, Stop> {
    let input = op.input();
    let name = op.input_name();
    let index = index_tensor(op, &input.shape)?;
    check_index_sizes(op, &input.shape, &index, name)?;
    if let Some(source) = op.given_tensor("src")
        && let (Some(own), Some(size)) = (op.rank(&source.shape), op.rank(&index))
    {
        if own.max(1) != size.max(1) {
            let message = format!(
                "{} and {} must have the same number of dimensions",
                op.operand("src", &source.shape),
                op.operand("index", &index)
            );
            return op.reject(&["src", "index"], message);
        }
        check_index_sizes(op, &source.shape, &index, "src")?;
        op.same_type((name, input.dtype), ("src", source.dtype));
    }
    Ok(input)
}

/// `index_select(input, dim, index)`.
pub(crate) fn index_select(op: &mut Operation) -> Evaluated {
    let input = op.input();
    let index = op.tensor("index");
    if is_real(index.dtype) || index.dtype == DType::Bool {
        op.fail(&["index"], format!("`index` must be an integer tensor, got {}", index.dtype));
    }
    let size = index_length(op, &index.shape)?;
    let Some(dim) = op.int_argument("dim") else { return Ok(unknown_tensor(input.dtype)) };
    let Some((mut axes, place)) = op.open_at(&input.shape, dim, "dim")? else {
        return Ok(if op.is_scalar(&input.shape) {
            Output::tensor(input.shape, input.dtype)
        } else {
            unknown_tensor(input.dtype)
        });
    };
    axes.set(place, size);
    Ok(Output::tensor(axes.shape(), input.dtype))
}

/// The number of indices in an index that must be a vector or a single number.
fn index_length(op: &mut Operation, index: &Shape) -> Result<Dim, Stop> {
    let Some(dims) = op.dims(index) else { return Ok(fresh("index")) };
    match dims.as_slice() {
        [] => Ok(constant(1)),
        [size] => Ok(*size),
        _ => {
            let message = format!("{} must be a vector", op.operand("index", index));
            op.reject(&["index"], message)
        }
    }
}

/// `index_add(input, dim, index, source)`, `index_copy`: the source has as many slices as there are indices.
pub(crate) fn index_add(op: &mut Operation) -> Evaluated {
    let input = index_added(op)?;
    Ok(Output::tensor(input.shape, input.dtype))
}

/// `index_add_` and its like.
pub(crate) fn index_add_in_place(op: &mut Operation) -> Evaluated {
    index_added(op)?;
    Ok(Output::Argument(op.input_name().into()))
}

fn index_added(op: &mut Operation) -> Result<crate::operation::TensorArgument, Stop> {
    let input = op.input();
    let index = op.tensor("index");
    let size = index_length(op, &index.shape)?;
    let source_name =
        ["source", "tensor", "src"].into_iter().find(|name| op.arguments.get(name).is_some()).unwrap_or("source");
    let source = op.tensor(source_name);
    let Some(dim) = op.int_argument("dim") else { return Ok(input) };
    let (Some(own), Some(other)) = (op.dims(&input.shape), op.dims(&source.shape)) else { return Ok(input) };
    let axis = op.axis(dim, own.len(), "dim", &input.shape)?;
    let name = op.input_name();
    let operands = [name, source_name];
    let texts = (op.operand(name, &input.shape), op.operand(source_name, &source.shape));
    if op.short_name().starts_with("index_copy") {
        op.same_type((name, input.dtype), (source_name, source.dtype));
    }
    if other.is_empty() && op.short_name().starts_with("index_copy") {
        let message = format_args!("a source without dimensions needs a single index, but `index` has {size}");
        op.demand(Constraint::Equal(size, constant(1)), &["index", source_name], || message.to_string())?;
        return Ok(input);
    }
    if own.len().max(1) != other.len().max(1) || (own.is_empty() != other.is_empty()) {
        return op.reject(&operands, format!("{} and {} must have the same number of dimensions", texts.0, texts.1));
    }
    for (place, (own, other)) in own.iter().zip(&other).enumerate() {
        let message = if place == axis {
            format!("`index` has {size} entries, but {} has {other} slices in dimension {place}", texts.1)
        } else {
            format!(
                "{} and {} must agree except in dimension {axis}, but differ in dimension {place}",
                texts.0, texts.1
            )
        };
        let expected = if place == axis { size } else { *own };
        op.demand(Constraint::Equal(expected, *other), &operands, || message)?;
    }
    Ok(input)
}

/// `index_fill(input, dim, index, value)`.
pub(crate) fn index_fill(op: &mut Operation) -> Evaluated {
    let input = op.input();
    let index = op.tensor("index");
    index_length(op, &index.shape)?;
    if let Some(dim) = op.int_argument("dim") {
        op.open(&input.shape, &[dim], "dim")?;
    }
    Ok(Output::tensor(input.shape, input.dtype))
}

/// `index_fill_`.
pub(crate) fn index_fill_in_place(op: &mut Operation) -> Evaluated {
    index_fill(op)?;
    Ok(Output::Argument(op.input_name().into()))
}

/// `take(input, index)`: the shape of the index, into the flattened tensor.
pub(crate) fn take(op: &mut Operation) -> Evaluated {
    let input = op.input();
    let index = op.tensor("index");
    crate::operand_checks::long_indices(op, "index");
    Ok(Output::tensor(index.shape, input.dtype))
}
