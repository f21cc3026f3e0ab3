//! Transfer functions that reduce dimensions, and those that run along one.

use crate::dtypes::{is_integral, magnitude};
use crate::operation::{Argument, Operation, Output, TensorArgument};
use crate::support::{Evaluated, Stop, constant, fresh, fresh_count, items, joined, unknown_tensor};
use harp_shape::{Constraint, DType, Dim, Shape};

/// The dimensions that a reduction works on.
enum Reduced {
    All,
    Some(Vec<i64>),
    Unknown,
}

/// Reads the dimensions to reduce; no dimension named means all, as does a flag in their place (`x.std(False)`).
fn reduced(op: &Operation) -> Reduced {
    let name = dim_parameter(op);
    match op.arguments.get(name) {
        None | Some(Argument::None | Argument::Boolean(_)) => Reduced::All,
        Some(argument) => match items(argument) {
            // `all` and `any` take no dimensions literally.
            Some(items) if items.is_empty() && matches!(op.short_name(), "all" | "any") => Reduced::Some(Vec::new()),
            Some(items) if items.is_empty() => Reduced::All,
            Some(items) => {
                let dims: Option<Vec<i64>> =
                    items.iter().map(|item| op.solver.resolve(item.as_dim()?).as_const()).collect();
                dims.map_or(Reduced::Unknown, Reduced::Some)
            }
            None => Reduced::Unknown,
        },
    }
}

fn dim_parameter(op: &Operation) -> &'static str {
    ["dim", "dims", "axis"].into_iter().find(|name| op.arguments.get(name).is_some()).unwrap_or("dim")
}

/// The shape after the dimensions are reduced.
fn reduce_shape(op: &mut Operation, shape: &Shape) -> Result<Shape, Stop> {
    let parameter = dim_parameter(op);
    let keep = op.flag_or("keepdim", false);
    let shape = op.solver.resolve_shape(shape);
    let dims = match reduced(op) {
        Reduced::All => return Ok(reduce_all(&shape, keep)),
        Reduced::Unknown => return Ok(Shape::unknown("reduced")),
        Reduced::Some(dims) => dims,
    };
    let Some((mut axes, places)) = op.open(&shape, &dims, parameter)? else {
        return Ok(if op.is_scalar(&shape) { Shape::scalar() } else { Shape::unknown("reduced") });
    };
    match keep {
        Some(true) => {
            for place in places {
                axes.set(place, constant(1));
            }
            Ok(axes.shape())
        }
        Some(false) => Ok(axes.without(&places)),
        None => Ok(Shape::unknown("reduced")),
    }
}

fn reduce_all(shape: &Shape, keep: Option<bool>) -> Shape {
    match (keep, shape.rank()) {
        (Some(false), _) | (_, Some(0)) => Shape::scalar(),
        (Some(true), Some(rank)) => Shape::known(vec![constant(1); rank]),
        _ => Shape::unknown("reduced"),
    }
}

fn reduce(op: &mut Operation, dtype: impl FnOnce(DType) -> DType) -> Evaluated {
    let input = op.input();
    let shape = reduce_shape(op, &input.shape)?;
    let dtype = op.dtype_or(dtype(input.dtype));
    Ok(Output::tensor(shape, dtype))
}

/// `std` and `var`, whose result is real.
pub(crate) fn deviation(op: &mut Operation) -> Evaluated {
    floating_reduction(op, magnitude)
}

fn floating_reduction(op: &mut Operation, dtype: fn(DType) -> DType) -> Evaluated {
    let input = op.input();
    if is_integral(input.dtype) && op.arguments.may_be_arrays {
        return reduce(op, |_| DType::Unknown);
    }
    if is_integral(input.dtype) && op.is_absent("dtype") {
        let message = format!("`{}` needs floats, but `{}` is {}", op.short_name(), op.input_name(), input.dtype);
        return op.reject(&[op.input_name()], message);
    }
    reduce(op, dtype)
}

/// `std_mean`, `var_mean`.
pub(crate) fn deviation_and_mean(op: &mut Operation) -> Evaluated {
    let result = floating_reduction(op, magnitude)?;
    Ok(Output::Tuple(vec![result.clone(), result]))
}

/// `all`, `any`.
pub(crate) fn truth(op: &mut Operation) -> Evaluated {
    reduce(op, |dtype| if dtype == DType::UInt8 { dtype } else { DType::Bool })
}

/// `argmax`, `argmin`: indices along one dimension, or of the flattened tensor.
pub(crate) fn arg_reduction(op: &mut Operation) -> Evaluated {
    let input = op.input();
    if input.dtype == DType::Bool && op.rules.refuses_truth.iter().any(|name| **name == *op.short_name()) {
        let message = format!("`{}` does not take `bool` tensors", op.short_name());
        op.fail(&[op.input_name()], message);
    }
    reduce(op, |_| DType::Int64)
}

/// `max`, `min`: of the whole tensor, along a dimension (values and indices), or of two tensors.
pub(crate) fn extremum(op: &mut Operation) -> Evaluated {
    let second = ["other", "dim"].into_iter().find(|name| matches!(op.arguments.get(name), Some(Argument::Tensor(_))));
    if let Some(second) = second {
        let name = op.input_name();
        let (left, right) = (op.input(), op.tensor(second));
        let dtype = op.result_type(&[op.arguments.value(name), op.arguments.value(second)]);
        let shape = op.broadcast_elementwise((name, &left.shape), (second, &right.shape))?;
        return Ok(Output::tensor(shape, dtype));
    }
    if matches!(op.arguments.get("dim"), Some(Argument::Unknown)) {
        return Ok(Output::Unknown("`max` gives one tensor or two, depending on an argument that is not known"));
    }
    along_dimension(op)
}

/// `median`, `nanmedian`: of the whole tensor, or values and indices along a dimension.
pub(crate) fn along_dimension(op: &mut Operation) -> Evaluated {
    let input = op.input();
    if op.is_absent(dim_parameter(op)) {
        return Ok(Output::tensor(Shape::scalar(), input.dtype));
    }
    values_and_indices(op)
}

/// `mode`, `median(dim)`: values and indices along a dimension, the last one if none is named.
pub(crate) fn values_and_indices(op: &mut Operation) -> Evaluated {
    let input = op.input();
    let shape = if op.is_absent(dim_parameter(op)) {
        reduce_one(op, &input.shape, -1)?
    } else {
        reduce_shape(op, &input.shape)?
    };
    Ok(pair(shape, input.dtype))
}

fn pair(shape: Shape, dtype: DType) -> Output {
    Output::Tuple(vec![Output::tensor(shape.clone(), dtype), Output::tensor(shape, DType::Int64)])
}

fn reduce_one(op: &mut Operation, shape: &Shape, dim: i64) -> Result<Shape, Stop> {
    let keep = op.flag_or("keepdim", false);
    let Some((mut axes, place)) = op.open_at(shape, dim, "dim")? else {
        return Ok(if op.is_scalar(shape) { Shape::scalar() } else { Shape::unknown("reduced") });
    };
    match keep {
        Some(true) => {
            axes.set(place, constant(1));
            Ok(axes.shape())
        }
        Some(false) => Ok(axes.without(&[place])),
        None => Ok(Shape::unknown("reduced")),
    }
}

/// `kthvalue(input, k, dim=-1, keepdim)`.
pub(crate) fn kth_value(op: &mut Operation) -> Evaluated {
    let input = op.input();
    let Some(dim) = op.int_or("dim", -1) else { return Ok(pair(Shape::unknown("reduced"), input.dtype)) };
    check_selected(op, &input, dim, true)?;
    let shape = reduce_one(op, &input.shape, dim)?;
    Ok(pair(shape, input.dtype))
}

/// Requires that `k` is within the dimension.
fn check_selected(op: &mut Operation, input: &TensorArgument, dim: i64, positive: bool) -> Result<(), Stop> {
    let Some(k) = op.dim_argument("k") else { return Ok(()) };
    let scalar = op.is_scalar(&input.shape);
    let size = match op.open_at(&input.shape, dim, "dim")? {
        Some((axes, place)) => axes.get(place),
        None if scalar => constant(1),
        None => return Ok(()),
    };
    let name = op.input_name();
    let message =
        format_args!("`k` is {k}, but dimension {dim} of {} has only {size} elements", op.operand(name, &input.shape));
    op.demand(Constraint::LessEqual(k, size), &["k", name], || message.to_string())?;
    let least = constant(i64::from(positive));
    op.demand(Constraint::LessEqual(least, k), &["k"], || format!("`k` must not be less than {least}, got {k}"))
}

/// `topk(input, k, dim=-1)`.
pub(crate) fn top_k(op: &mut Operation) -> Evaluated {
    let input = op.input();
    let Some(dim) = op.int_or("dim", -1) else { return Ok(pair(Shape::unknown("top"), input.dtype)) };
    check_selected(op, &input, dim, false)?;
    if op.is_scalar(&input.shape) {
        return Ok(pair(Shape::scalar(), input.dtype));
    }
    let k = op.dim_argument("k").unwrap_or_else(|| fresh("k"));
    let Some((mut axes, place)) = op.open_at(&input.shape, dim, "dim")? else {
        return Ok(pair(Shape::unknown("top"), input.dtype));
    };
    axes.set(place, k);
    Ok(pair(axes.shape(), input.dtype))
}

/// Checks a `dim` parameter (or one of another name) against the first tensor, whose shape stays.
fn check_dims(op: &mut Operation, shape: &Shape) -> Result<(), Stop> {
    if let Reduced::Some(dims) = reduced(op) {
        let parameter = dim_parameter(op);
        op.open(shape, &dims, parameter)?;
    }
    Ok(())
}

/// Functions along a dimension that keep shape and type, such as `renorm` and `logcumsumexp`.
pub(crate) fn along(op: &mut Operation) -> Evaluated {
    let input = op.input();
    check_dims(op, &input.shape)?;
    Ok(Output::tensor(input.shape, input.dtype))
}

/// Whether an axis is given as `None`, which for NumPy means the flattened array.
pub(crate) fn is_flattened(op: &Operation) -> bool {
    op.takes_arrays() && matches!(op.arguments.get("dim"), Some(Argument::None))
}

/// `flip(input, dims)`; the function, unlike the method, takes no bare integer.
pub(crate) fn flip(op: &mut Operation) -> Evaluated {
    let input = op.input();
    if !op.takes_arrays() && !op.is_method() && matches!(op.arguments.get("dims"), Some(Argument::Integer(_))) {
        return op.reject(&["dims"], "`dims` must be a tuple of integers, not an integer".to_owned());
    }
    check_dims(op, &input.shape)?;
    Ok(Output::tensor(input.shape, input.dtype))
}

/// `roll(input, shifts, dims)`: as many shifts as dimensions.
pub(crate) fn roll(op: &mut Operation) -> Evaluated {
    let input = op.input();
    if let Some(dims) = op.int_list("dims").filter(|dims| !dims.is_empty()) {
        for dim in &dims {
            op.open(&input.shape, &[*dim], "dims")?;
        }
        let shifts = op.arguments.get("shifts").and_then(items).map(|shifts| shifts.len());
        if let Some(shifts) = shifts
            && shifts != dims.len()
        {
            let message = format!("`shifts` and `dims` must have the same length, got {shifts} and {}", dims.len());
            return op.reject(&["shifts", "dims"], message);
        }
    }
    Ok(Output::tensor(input.shape, input.dtype))
}

/// `quantile(input, q, dim, keepdim)`: a tensor of quantiles puts its dimension first.
pub(crate) fn quantile(op: &mut Operation) -> Evaluated {
    let input = op.input();
    let shape = reduce_shape(op, &input.shape)?;
    let Some(quantiles) = op.given_tensor("q") else {
        if let Some(Argument::Sequence(quantiles)) = op.arguments.get("q") {
            let size = crate::support::count(quantiles.len());
            return Ok(Output::tensor(joined(&[size], Some(&shape), &[]), input.dtype));
        }
        let known = matches!(op.arguments.get("q"), Some(Argument::Float(_) | Argument::Integer(_)));
        return Ok(if known { Output::tensor(shape, input.dtype) } else { unknown_tensor(input.dtype) });
    };
    let dims = op.with_rank_of(&quantiles.shape, &[0, 1], "q")?;
    Ok(Output::tensor(joined(&dims, Some(&shape), &[]), input.dtype))
}

/// `diff(input, n=1, dim=-1)`.
pub(crate) fn difference(op: &mut Operation) -> Evaluated {
    let input = op.input();
    let (Some(n), Some(dim)) = (op.int_or("n", 1), op.int_or("dim", -1)) else {
        return Ok(unknown_tensor(input.dtype));
    };
    if n < 0 {
        return op.reject(&["n"], format!("`n` must not be negative, got {n}"));
    }
    let Some((mut axes, place)) = op.open_at(&input.shape, dim, "dim")? else {
        if op.is_scalar(&input.shape) {
            return op.reject(&[op.input_name()], "`diff` needs a tensor with at least one dimension".to_owned());
        }
        return Ok(unknown_tensor(input.dtype));
    };
    let own = axes.get(place);
    let Some(added) = added_elements(op, &axes.without(&[place]), dim)? else {
        axes.set(place, fresh_count("differences"));
        return Ok(Output::tensor(axes.shape(), input.dtype));
    };
    let size = (own + added - constant(n)).max(constant(0));
    axes.set(place, size);
    Ok(Output::tensor(axes.shape(), input.dtype))
}

/// How many elements `prepend` and `append` add along a dimension; `None` where that is not known. `others` are the other dimensions.
fn added_elements(op: &mut Operation, others: &Shape, dim: i64) -> Result<Option<Dim>, Stop> {
    let mut added = constant(0);
    for name in ["prepend", "append"] {
        match op.arguments.get(name) {
            None | Some(Argument::None) => {}
            // What a default of NumPy stands for.
            Some(Argument::Unknown) if op.takes_arrays() => {}
            Some(Argument::Integer(_) | Argument::Float(_)) => added = added + constant(1),
            Some(Argument::Tensor(_)) => {
                let tensor = op.tensor(name);
                let Some((axes, place)) = op.open_at(&tensor.shape, dim, "dim")? else { return Ok(None) };
                let own = axes.without(&[place]);
                let message = format_args!(
                    "{} must have the shape of `{}` except along dimension {dim}",
                    op.operand(name, &tensor.shape),
                    op.input_name()
                );
                op.demand(Constraint::SameShape(own, others.clone()), &[name, op.input_name()], || {
                    message.to_string()
                })?;
                added = added + axes.get(place);
            }
            Some(_) => return Ok(None),
        }
    }
    Ok(Some(added))
}
