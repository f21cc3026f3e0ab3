//! Transfer functions of NumPy where it differs from PyTorch: 64-bit floats, axes left out, sizes as plain arguments.

use crate::operation::{Argument, Operation, Output, TensorArgument};
use crate::support::{Evaluated, Stop, constant, fresh, items, joined, unknown_tensor};
use crate::{creation, matrix};
use harp_shape::{Constraint, DType, Dim, Shape};

/// NumPy's default float is of 64 bits: the result of a function written for PyTorch, unless a type was asked for.
fn with_wide_floats(op: &Operation, output: Output) -> Output {
    let asked = op.arguments.get("dtype").is_some_and(|dtype| !dtype.is_none());
    match output {
        Output::Tensor { shape, dtype: DType::Float32 } if !asked => Output::tensor(shape, op.default_float()),
        other => other,
    }
}

/// `zeros(shape)`, `ones`, `empty`.
pub(crate) fn create(op: &mut Operation) -> Evaluated {
    let output = creation::create(op)?;
    Ok(with_wide_floats(op, output))
}

/// `full(shape, fill_value)`.
pub(crate) fn full(op: &mut Operation) -> Evaluated {
    let output = creation::full(op)?;
    Ok(with_wide_floats(op, output))
}

/// `array(object)`, `asarray`: of numbers, or of an array whose type stays.
pub(crate) fn array(op: &mut Operation) -> Evaluated {
    let is_array = ["object", "data"].into_iter().any(|name| op.arguments.get(name).is_some_and(is_of_arrays));
    let output = match creation::tensor(op)? {
        // It has at least one dimension.
        Output::Tensor { shape, dtype } if op.short_name() == "ascontiguousarray" && op.is_scalar(&shape) => {
            Output::tensor(Shape::known(vec![constant(1)]), dtype)
        }
        output => output,
    };
    Ok(if is_array { output } else { with_wide_floats(op, output) })
}

/// Whether an argument is an array, or a sequence of arrays alone, whose types the result keeps.
fn is_of_arrays(argument: &Argument) -> bool {
    match argument {
        Argument::Tensor(_) => true,
        Argument::Sequence(items) => !items.is_empty() && items.iter().all(is_of_arrays),
        _ => false,
    }
}

/// The `size` of a random function, or the sizes that `rand(2, 3)` takes one by one.
fn random_sizes(op: &mut Operation) -> Option<Option<Vec<Dim>>> {
    let name = ["size", "args"].into_iter().find(|name| op.arguments.get(name).is_some())?;
    match op.arguments.get(name)? {
        Argument::None => None,
        Argument::Sequence(sizes) if sizes.is_empty() && name == "args" => None,
        _ => Some(op.sizes(name).ok().flatten()),
    }
}

/// Requires that sizes are not negative.
fn not_negative(op: &mut Operation, sizes: &[Dim]) -> Result<(), Stop> {
    for size in sizes {
        let message = format_args!("an array cannot have the size {size} in a dimension");
        op.demand(Constraint::LessEqual(constant(0), *size), &["size"], || message.to_string())?;
    }
    Ok(())
}

/// The shape of a sample without `size`, where parameters of the distribution are arrays: one number for each combination of theirs.
fn shape_of_parameters(op: &mut Operation) -> Result<Option<Shape>, Stop> {
    const PARAMETERS: [&str; 18] = [
        "loc", "scale", "low", "high", "lam", "n", "p", "a", "b", "mean", "sigma", "df", "shape", "left", "mode",
        "right", "mu", "kappa",
    ];
    let mut shape: Option<Shape> = None;
    for name in PARAMETERS {
        let Some(other) = op.arguments.tensor(name).map(|tensor| tensor.shape.clone()) else { continue };
        shape = Some(match shape {
            Some(shape) => op.broadcast(("parameters", &shape), (name, &other))?,
            None => other,
        });
    }
    Ok(shape)
}

/// `random.rand(*sizes)`, `random.normal(loc, scale, size)`: a number where no size is given.
pub(crate) fn random(op: &mut Operation) -> Evaluated {
    let dtype = type_of_drawn(op, op.default_float());
    Ok(match random_sizes(op) {
        None => match shape_of_parameters(op)? {
            Some(shape) => Output::tensor(shape, dtype),
            None => Output::Float,
        },
        Some(Some(sizes)) => {
            not_negative(op, &sizes)?;
            Output::tensor(Shape::known(sizes), dtype)
        }
        Some(None) => unknown_tensor(dtype),
    })
}

/// `random.randint(low, high, size)`.
pub(crate) fn random_integers(op: &mut Operation) -> Evaluated {
    let dtype = type_of_drawn(op, DType::Int64);
    Ok(match random_sizes(op) {
        None => match shape_of_parameters(op)? {
            Some(shape) => Output::tensor(shape, dtype),
            None => Output::Integer(crate::support::fresh_value("random")),
        },
        Some(Some(sizes)) => {
            not_negative(op, &sizes)?;
            Output::tensor(Shape::known(sizes), dtype)
        }
        Some(None) => unknown_tensor(dtype),
    })
}

/// The type of drawn numbers: generators are told theirs.
fn type_of_drawn(op: &Operation, usual: DType) -> DType {
    if op.is_absent("dtype") { usual } else { op.dtype_or(DType::Unknown) }
}

/// `random.permutation(x)`: of the numbers below `x`, or of an array's rows.
pub(crate) fn permutation(op: &mut Operation) -> Evaluated {
    let name = op.input_name();
    Ok(match op.arguments.value(name) {
        Argument::Tensor(TensorArgument { shape, dtype }) => Output::tensor(shape, dtype),
        other => match other.as_dim() {
            Some(size) => {
                let size = op.solver.resolve(size).max(constant(0));
                Output::tensor(Shape::known(vec![size]), DType::Int64)
            }
            None => unknown_tensor(DType::Unknown),
        },
    })
}

/// `dot(a, b)`: like `matmul` up to two dimensions, a product with a number.
pub(crate) fn dot(op: &mut Operation) -> Evaluated {
    let name = op.input_name();
    let (left, right) = (op.tensor(name), op.tensor("other"));
    let dtype = op.result_type(&[op.arguments.value(name), op.arguments.value("other")]);
    match (op.rank(&left.shape), op.rank(&right.shape)) {
        (Some(0), _) => Ok(Output::tensor(right.shape, dtype)),
        (_, Some(0)) => Ok(Output::tensor(left.shape, dtype)),
        (Some(1 | 2), Some(1 | 2)) => matrix::matmul(op),
        // Over the last axis of the one and the last but one of the other; the others stand side by side.
        (Some(_), Some(other_rank)) => {
            let (Some((_, rest, last)), back) = (op.solver.split(&left.shape, 0, 1), other_rank.min(2)) else {
                return Ok(unknown_tensor(dtype));
            };
            let Some((_, other_rest, ends)) = op.solver.split(&right.shape, 0, back) else {
                return Ok(unknown_tensor(dtype));
            };
            let message =
                format_args!("the last axis of `a` has {} elements, but the axis of `b` has {}", last[0], ends[0]);
            op.demand(Constraint::Equal(last[0], ends[0]), &[name, "other"], || message.to_string())?;
            let shape = rest.concat(&other_rest);
            Ok(Output::tensor(joined(&[], Some(&shape), &ends[1..]), dtype))
        }
        _ => Ok(unknown_tensor(dtype)),
    }
}

/// `pad(array, pad_width)`: one width, a pair for all axes, or a pair an axis.
pub(crate) fn pad(op: &mut Operation) -> Evaluated {
    let input = op.input();
    let Some(dims) = op.dims(&input.shape) else { return Ok(unknown_tensor(input.dtype)) };
    let written = op.arguments.value("pad_width");
    if let Argument::Sequence(rows) = &written {
        let are_rows = rows.len() > 1 && rows.iter().all(|row| matches!(row, Argument::Sequence(_)));
        if are_rows && rows.len() != dims.len() {
            let message =
                format!("`pad_width` has {} entries, but the array has {} dimensions", rows.len(), dims.len());
            return op.reject(&["pad_width", op.input_name()], message);
        }
    }
    let widths = pad_widths(&written, dims.len());
    if widths.iter().flatten().any(|(before, after)| {
        [before, after].iter().any(|width| width.as_const() < Some(0) && width.as_const().is_some())
    }) {
        return op.reject(&["pad_width"], "`pad_width` must not be negative".to_owned());
    }
    let Some(widths) = widths else {
        let padded: Vec<Dim> = dims.iter().map(|_| fresh("padded")).collect();
        return Ok(Output::tensor(Shape::known(padded), input.dtype));
    };
    let padded = dims.iter().zip(widths).map(|(dim, (before, after))| *dim + before + after);
    Ok(Output::tensor(Shape::known(padded.collect::<Vec<_>>()), input.dtype))
}

/// The widths before and after each axis, where they are known.
fn pad_widths(argument: &Argument, rank: usize) -> Option<Vec<(Dim, Dim)>> {
    if let Some(width) = argument.as_dim() {
        return Some(vec![(width, width); rank]);
    }
    let Argument::Sequence(widths) = argument else { return None };
    let pair = |argument: &Argument| match items(argument)?.as_slice() {
        [both] => Some((both.as_dim()?, both.as_dim()?)),
        [before, after] => Some((before.as_dim()?, after.as_dim()?)),
        _ => None,
    };
    if widths.iter().all(|width| matches!(width, Argument::Sequence(_))) && widths.len() == rank {
        return widths.iter().map(pair).collect();
    }
    pair(argument).map(|widths| vec![widths; rank])
}
