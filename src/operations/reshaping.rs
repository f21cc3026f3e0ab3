//! Transfer functions that arrange the same elements in another shape.

use crate::operation::{Argument, Operation, Output, TensorArgument};
use crate::support::{Evaluated, Stop, constant, fresh, joined, product, unknown_tensor};
use harp_shape::{Constraint, DType, Dim, Shape, Verdict};

/// The parameter that holds the sizes of a `view`.
fn size_parameter(op: &Operation) -> &'static str {
    ["shape", "size", "sizes", "dtype"].into_iter().find(|name| !op.is_absent(name)).unwrap_or("shape")
}

/// `view(*shape)`, `reshape(*shape)`: one size may be -1. `view(dtype)` reinterprets the elements.
pub(crate) fn reshape(op: &mut Operation) -> Evaluated {
    let input = op.input();
    let parameter = size_parameter(op);
    if let Some(dtype) = reinterpreted(op, parameter) {
        return Ok(Output::tensor(Shape::unknown("view"), dtype));
    }
    let unknown = unknown_places(op, parameter);
    let Some(mut sizes) = op.sizes(parameter)? else { return Ok(unknown_tensor(input.dtype)) };
    if op.takes_arrays() {
        // NumPy takes any negative size for -1.
        let negative = |size: &&mut Dim| size.as_const().is_some_and(|size| size < 0);
        sizes.iter_mut().filter(negative).for_each(|size| *size = constant(-1));
    }
    let total = input.shape.prod();
    let total = op.solver.resolve(total);
    let target = format!("[{}]", texts(&sizes).join(", "));
    let subject = op.operand(op.input_name(), &input.shape);
    let shape = fill_sizes(op, &sizes, &unknown, total, parameter, &|reason| {
        format!("cannot arrange the {total} elements of {subject} in the shape {target}: {reason}")
    })?;
    Ok(Output::tensor(Shape::known(shape), input.dtype))
}

fn reinterpreted(op: &Operation, parameter: &str) -> Option<DType> {
    match op.arguments.get(parameter)? {
        Argument::DType(dtype) => Some(*dtype),
        Argument::Sequence(items) => match items.as_slice() {
            [Argument::DType(dtype)] => Some(*dtype),
            _ => None,
        },
        _ => None,
    }
}

/// Which of the sizes are not known at all.
fn unknown_places(op: &Operation, parameter: &str) -> Vec<bool> {
    let items = op.arguments.get(parameter).and_then(crate::support::items).unwrap_or_default();
    items.iter().map(|item| item.as_dim().is_none()).collect()
}

fn texts(dims: &[Dim]) -> Vec<String> {
    dims.iter().map(Dim::to_string).collect()
}

/// Fills in a size of -1, and requires that the sizes hold `total` elements.
fn fill_sizes(
    op: &mut Operation,
    sizes: &[Dim],
    unknown: &[bool],
    total: Dim,
    parameter: &str,
    message: &dyn Fn(String) -> String,
) -> Result<Vec<Dim>, Stop> {
    let input = op.input_name();
    let inferred: Vec<usize> = (0..sizes.len()).filter(|place| sizes[*place].as_const() == Some(-1)).collect();
    if inferred.len() > 1 {
        return op.reject(&[parameter], message("only one size can be -1".to_owned()));
    }
    if let Some(size) = sizes.iter().find(|size| size.as_const().is_some_and(|size| size < -1)) {
        return op.reject(&[parameter], message(format!("the size {size} is negative")));
    }
    let is_unknown = |place: &usize| unknown.get(*place).copied().unwrap_or(false);
    let unknown: Vec<usize> = (0..sizes.len()).filter(is_unknown).collect();
    let known: Vec<Dim> = (0..sizes.len())
        .filter(|place| !inferred.contains(place) && !unknown.contains(place))
        .map(|place| sizes[place])
        .collect();
    let known = op.solver.resolve(product(&known));
    let mut result = sizes.to_vec();
    match (inferred.as_slice(), unknown.as_slice()) {
        // Whoever asks for no elements found the tensor empty, which the number of elements of an unknown shape does not show.
        ([], []) if known.as_const() == Some(0) && !op.solver.resolve(total).shape_vars().is_empty() => {}
        ([], []) => {
            op.demand(Constraint::Equal(total, known), &[input, parameter], || {
                message(format!("that has {known} elements"))
            })?;
        }
        ([place], []) => {
            if known.as_const() == Some(0) {
                return op.reject(&[parameter], message("-1 is ambiguous where another size is 0".to_owned()));
            }
            let divides = Constraint::Divides { divisor: known, value: total };
            op.demand(divides, &[input, parameter], || message(format!("{total} is not divisible by {known}")))?;
            // No size is inferred next to another one that is 0, so that what was multiplied may be divided by.
            let (total, known) = (op.solver.resolve(total), op.solver.resolve(known));
            result[*place] = total.exact_quotient(known).unwrap_or_else(|| total.floor_div(known));
        }
        // A single size that is not known can only be what is left.
        ([], [place]) if known.as_const() != Some(0) => result[*place] = total.floor_div(known),
        _ => inferred.iter().for_each(|place| result[*place] = fresh("size")),
    }
    Ok(result)
}

/// `view_as(other)`, `reshape_as(other)`.
pub(crate) fn reshape_as(op: &mut Operation) -> Evaluated {
    let input = op.input();
    let other = op.tensor("other");
    let (from, to) = (input.shape.prod(), other.shape.prod());
    let message = format_args!(
        "cannot arrange {} in the shape of {}: they have {from} and {to} elements",
        op.operand(op.input_name(), &input.shape),
        op.operand("other", &other.shape)
    );
    op.demand(Constraint::Equal(from, to), &[op.input_name(), "other"], || message.to_string())?;
    Ok(Output::tensor(other.shape, input.dtype))
}

/// `flatten(start_dim=0, end_dim=-1)`, also as a module with `start_dim=1` given by its constructor.
pub(crate) fn flatten(op: &mut Operation) -> Evaluated {
    let input = op.input();
    let (Some(start), Some(end)) = (op.int_or("start_dim", 0), op.int_or("end_dim", -1)) else {
        return Ok(unknown_tensor(input.dtype));
    };
    let Some(dims) = op.dims(&input.shape) else { return flatten_unknown_rank(op, &input, start, end) };
    let first = op.axis(start, dims.len(), "start_dim", &input.shape)?;
    let last = op.axis(end, dims.len(), "end_dim", &input.shape)?;
    if first > last {
        let message =
            format!("`start_dim` ({start}) comes after `end_dim` ({end}) in {}", op.operand("input", &input.shape));
        return op.reject(&["start_dim", "end_dim"], message);
    }
    if dims.is_empty() {
        return Ok(Output::tensor(Shape::known(vec![constant(1)]), input.dtype));
    }
    let mut result = dims[..first].to_vec();
    result.push(op.solver.resolve(product(&dims[first..=last])));
    result.extend(&dims[last + 1..]);
    Ok(Output::tensor(Shape::known(result), input.dtype))
}

/// Flattens a tensor of unknown rank, where the flattened range is named from the front and reaches the end.
fn flatten_unknown_rank(op: &mut Operation, input: &TensorArgument, start: i64, end: i64) -> Evaluated {
    let (Ok(front @ 0..=64), true) = (usize::try_from(start), end < 0) else {
        if start < 0 && end < 0 && start <= end {
            let back = usize::try_from(start.saturating_neg()).unwrap_or(1).min(64);
            let Some((_, rest, dims)) = op.solver.split(&input.shape, 0, back) else {
                return Ok(unknown_tensor(input.dtype));
            };
            let kept = usize::try_from(-1 - end).unwrap_or(0).min(dims.len());
            let flattened = op.solver.resolve(product(&dims[..dims.len() - kept]));
            let mut tail = vec![flattened];
            tail.extend(&dims[dims.len() - kept..]);
            return Ok(Output::tensor(joined(&[], Some(&rest), &tail), input.dtype));
        }
        return Ok(unknown_tensor(input.dtype));
    };
    let kept = usize::try_from(-1 - end).unwrap_or(0).min(64);
    let Some((dims, rest, back)) = op.solver.split(&input.shape, front, kept) else {
        let message =
            format!("dimension out of range: `start_dim` is {start}, but the input has shape {}", input.shape);
        return op.reject(&["start_dim", "input"], message);
    };
    let mut result = dims;
    result.push(op.solver.resolve(rest.prod()));
    result.extend(back);
    Ok(Output::tensor(Shape::known(result), input.dtype))
}

/// `unflatten(dim, sizes)`: one dimension becomes several.
pub(crate) fn unflatten(op: &mut Operation) -> Evaluated {
    let input = op.input();
    let parameter = if op.arguments.get("unflattened_size").is_some() { "unflattened_size" } else { "sizes" };
    let (Some(dim), Some(sizes)) = (op.int_argument("dim"), op.sizes(parameter)?) else {
        return Ok(unknown_tensor(input.dtype));
    };
    let unknown = unknown_places(op, parameter);
    if op.is_scalar(&input.shape) {
        return op.reject(&[op.input_name()], "a tensor without dimensions cannot be unflattened".to_owned());
    }
    let Some((mut axes, place)) = op.open_at(&input.shape, dim, "dim")? else { return Ok(unknown_tensor(input.dtype)) };
    if sizes.is_empty() {
        return op.reject(&[parameter], format!("`{parameter}` must not be empty"));
    }
    let size = axes.get(place);
    let target = format!("[{}]", texts(&sizes).join(", "));
    let subject = op.operand(op.input_name(), &input.shape);
    let filled = fill_sizes(op, &sizes, &unknown, size, parameter, &|reason| {
        format!("cannot unflatten dimension {dim} of {subject}, which is {size}, into {target}: {reason}")
    })?;
    axes.splice(place, &filled);
    Ok(Output::tensor(axes.shape(), input.dtype))
}

/// `squeeze(dim)`: without `dim`, all dimensions that are 1 go; with it, those named, if they are 1.
pub(crate) fn squeeze(op: &mut Operation) -> Evaluated {
    let input = op.input();
    if op.is_absent("dim") {
        let Some(dims) = op.dims(&input.shape) else { return Ok(unknown_tensor(input.dtype)) };
        // Whoever squeezes has a size of 1 in mind. Where none is known to be, one that is not known may be it, unless it is a setting
        // with another default.
        let may_be_one =
            |dim: &Dim| dim.as_const().is_none() && op.solver.at_default(*dim).is_none_or(|size| size == 1);
        // A share of a number may be the whole of it once, whatever else is 1.
        let is_share = |dim: &Dim| may_be_one(dim) && op.solver.resolve(*dim).as_quotient().is_some();
        if dims.iter().any(is_share) || dims.iter().any(may_be_one) && !dims.iter().any(|dim| dim.as_const() == Some(1))
        {
            return Ok(unknown_tensor(input.dtype));
        }
        let kept = dims.into_iter().filter(|dim| dim.as_const() != Some(1)).collect::<Vec<_>>();
        return Ok(Output::tensor(Shape::known(kept), input.dtype));
    }
    let Some(dims) = op.int_list("dim") else { return Ok(unknown_tensor(input.dtype)) };
    let Some((axes, places)) = op.open(&input.shape, &dims, "dim")? else {
        return Ok(if op.is_scalar(&input.shape) {
            Output::tensor(input.shape, input.dtype)
        } else {
            unknown_tensor(input.dtype)
        });
    };
    // A size that is not known may be 1 or not, and the number of dimensions depends on it.
    let verdicts: Vec<Verdict> =
        places.iter().map(|place| op.solver.judge(&Constraint::Equal(axes.get(*place), Dim::ONE))).collect();
    if verdicts.iter().any(|verdict| !matches!(verdict, Verdict::Holds | Verdict::Violated)) {
        return Ok(unknown_tensor(input.dtype));
    }
    if op.takes_arrays()
        && let Some(size) = places.iter().map(|place| axes.get(*place)).find(|size| size.as_const() != Some(1))
    {
        return op.reject(
            &["dim", op.input_name()],
            format!("only dimensions of size 1 can be squeezed out, but one has {size}"),
        );
    }
    let decided = places.into_iter().zip(verdicts);
    let ones: Vec<_> = decided.filter(|(_, verdict)| *verdict == Verdict::Holds).map(|(place, _)| place).collect();
    Ok(Output::tensor(axes.without(&ones), input.dtype))
}
