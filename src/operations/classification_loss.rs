//! Transfer functions of losses whose target holds the indices of classes.

use crate::dtypes::is_real;
use crate::loss::Reduction;
use crate::operation::{Operation, TensorArgument};
use crate::support::{Evaluated, Stop, constant};
use harp_shape::{Constraint, DType, Dim, Outcome, Shape};

/// `cross_entropy(input, target, weight)`: `[n, c, …]` with class indices `[n, …]`, or with probabilities of its own shape.
pub(crate) fn cross_entropy(op: &mut Operation) -> Evaluated {
    let (input, target) = (op.tensor("input"), op.tensor("target"));
    if op.is_scalar(&input.shape) {
        return without_classes(op);
    }
    match has_probabilities(op, &input, &target) {
        Some(true) => probabilities(op, &input, &target),
        Some(false) => class_indices(op, &input, &target, true),
        None => {
            let reduction = Reduction::read(op)?;
            Ok(reduction.apply(Shape::unknown("loss"), input.dtype))
        }
    }
}

/// Whether the target has probabilities, which is so where it has the shape of the input. `None` where that is not known.
fn has_probabilities(op: &mut Operation, input: &TensorArgument, target: &TensorArgument) -> Option<bool> {
    if let (Some(left), Some(right)) = (op.rank(&input.shape), op.rank(&target.shape))
        && left != right
    {
        return Some(false);
    }
    let same = Constraint::SameShape(input.shape.clone(), target.shape.clone());
    let mark = op.solver.mark();
    let outcome = op.solver.require(&same);
    op.solver.rollback(mark);
    match outcome {
        Outcome::Holds => Some(true),
        Outcome::Violated => Some(false),
        // Floats can only be probabilities, and integers only indices.
        _ if is_real(target.dtype) => Some(true),
        _ if target.dtype == DType::Int64 => Some(false),
        _ if op.rank(&input.shape).is_some() && op.rank(&target.shape).is_some() => Some(true),
        _ => None,
    }
}

fn probabilities(op: &mut Operation, input: &TensorArgument, target: &TensorArgument) -> Evaluated {
    let reduction = Reduction::read(op)?;
    if crate::dtypes::is_integral(target.dtype) {
        let message = format!(
            "`target` has the shape of `input` ({}), so it must hold probabilities (floats), got {}",
            op.text(&input.shape),
            target.dtype
        );
        return op.reject(&["target", "input"], message);
    }
    let shape = op.same_shape(("input", &input.shape), ("target", &target.shape))?;
    let Some(mut dims) = shape.dims() else { return Ok(reduction.apply(Shape::unknown("loss"), input.dtype)) };
    // That it has none may only be known since both have the same shape.
    let Some(class) = dims.len().min(2).checked_sub(1) else { return without_classes(op) };
    check_class_weight(op, dims[class])?;
    dims.remove(class);
    let dtype = if input.dtype == target.dtype { input.dtype } else { DType::Unknown };
    Ok(reduction.apply(Shape::known(dims), dtype))
}

fn without_classes(op: &mut Operation) -> Evaluated {
    op.reject(&["input"], "`input` must have at least 1 dimension".to_owned())
}

/// `nll_loss(input, target, weight)`: `[n, c, …]` with class indices `[n, …]`.
pub(crate) fn nll_loss(op: &mut Operation) -> Evaluated {
    let (input, target) = (op.tensor("input"), op.tensor("target"));
    if op.is_scalar(&input.shape) {
        return without_classes(op);
    }
    class_indices(op, &input, &target, false)
}

fn class_indices(op: &mut Operation, input: &TensorArgument, target: &TensorArgument, smoothing: bool) -> Evaluated {
    let reduction = Reduction::read(op)?;
    let texts = (op.operand("input", &input.shape), op.operand("target", &target.shape));
    let Some(dims) = op.dims(&input.shape) else { return unknown_input(op, input, target, &reduction) };
    let Some(class) = dims.len().min(2).checked_sub(1).map(|class| dims[class]) else { return without_classes(op) };
    let expected = expected_target(&dims);
    let shown = Shape::known(expected.clone()).to_string();
    let hint =
        if smoothing && is_real(target.dtype) { "; a target of floats must have the shape of `input`" } else { "" };
    let message = format!(
        "expected a target of shape {shown}, one class index for each prediction of {}, got {}{hint}",
        texts.0, texts.1
    );
    match (dims.len(), op.dims(&target.shape)) {
        (1, Some(sizes)) => {
            // A single prediction takes a number, or a vector with one.
            if sizes.len() > 1 {
                return op.reject(&["input", "target"], message);
            }
            if let [size] = sizes.as_slice() {
                op.demand(Constraint::Equal(*size, constant(1)), &["input", "target"], || message)?;
            }
        }
        (1, None) => {}
        (_, Some(sizes)) if sizes.len() != expected.len() => return op.reject(&["input", "target"], message),
        _ => {
            let same = Constraint::SameShape(target.shape.clone(), Shape::known(expected.clone()));
            op.demand(same, &["input", "target"], || message)?;
        }
    }
    check_index_type(op, target);
    check_class_weight(op, class)?;
    let shape = if dims.len() == 1 { op.solver.resolve_shape(&target.shape) } else { Shape::known(expected) };
    Ok(reduction.apply(op.solver.resolve_shape(&shape), input.dtype))
}

/// The target's shape: the input's without its classes.
fn expected_target(dims: &[Dim]) -> Vec<Dim> {
    let mut expected = dims.to_vec();
    expected.remove(dims.len().min(2) - 1);
    expected
}

/// Where the input's rank is not known, the batch sizes must still agree.
fn unknown_input(
    op: &mut Operation,
    input: &TensorArgument,
    target: &TensorArgument,
    reduction: &Reduction,
) -> Evaluated {
    check_index_type(op, target);
    let rank = op.rank(&target.shape).filter(|rank| *rank >= 1);
    if let (Some(rank), Some(sizes)) = (rank, op.dims(&target.shape))
        && let Some(dims) = op.solver.with_rank(&input.shape, rank + 1)
    {
        let message = format_args!(
            "{} and {} must have the same batch size",
            op.operand("input", &input.shape),
            op.operand("target", &target.shape)
        );
        op.demand(Constraint::Equal(dims[0], sizes[0]), &["input", "target"], || message.to_string())?;
    }
    Ok(reduction.apply(op.solver.resolve_shape(&target.shape), input.dtype))
}

fn check_index_type(op: &mut Operation, target: &TensorArgument) {
    if is_real(target.dtype) || matches!(target.dtype, DType::Int32 | DType::Int16 | DType::Int8 | DType::Bool) {
        let message = format!("`target` must hold class indices (int64), got {}", target.dtype);
        op.fail(&["target"], message);
    }
}

/// Requires one weight a class.
fn check_class_weight(op: &mut Operation, classes: Dim) -> Result<(), Stop> {
    let Some(weight) = op.given_tensor("weight") else { return Ok(()) };
    let size = op.solver.resolve(weight.shape.prod());
    let message =
        format_args!("{} must have one entry for each of the {classes} classes", op.operand("weight", &weight.shape));
    op.demand(Constraint::Equal(size, classes), &["weight", "input"], || message.to_string())
}

/// `multi_margin_loss(input, target)`: `[n, c]` with `[n]`, or `[c]` with a number.
pub(crate) fn multi_margin(op: &mut Operation) -> Evaluated {
    let reduction = Reduction::read(op)?;
    let (input, target) = (op.tensor("input"), op.tensor("target"));
    let dims = op.with_rank_of(&input.shape, &[1, 2], "input")?;
    if dims.len() == 2 && op.is_scalar(&target.shape) {
        let message = format_args!("a target without dimensions needs a single row, but `input` has {}", dims[0]);
        op.demand(Constraint::Equal(dims[0], constant(1)), &["input", "target"], || message.to_string())?;
        return Ok(reduction.apply(Shape::scalar(), input.dtype));
    }
    if dims.len() == 2 {
        let sizes = op.with_rank(&target.shape, 1, "target")?;
        let message =
            format_args!("`input` and `target` must have the same batch size, got {} and {}", dims[0], sizes[0]);
        op.demand(Constraint::Equal(dims[0], sizes[0]), &["input", "target"], || message.to_string())?;
    } else if let Some([size]) = op.dims(&target.shape).as_deref() {
        let message = format_args!("a single row of `input` takes a single target, but `target` has {size}");
        op.demand(Constraint::Equal(*size, constant(1)), &["input", "target"], || message.to_string())?;
        return Ok(reduction.apply(Shape::known(vec![constant(1)]), input.dtype));
    }
    Ok(reduction.apply(Shape::known(dims[..dims.len() - 1].to_vec()), input.dtype))
}

/// `multilabel_margin_loss(input, target)`: both of the same shape.
pub(crate) fn multilabel_margin(op: &mut Operation) -> Evaluated {
    let reduction = Reduction::read(op)?;
    let (input, target) = (op.tensor("input"), op.tensor("target"));
    let dims = op.with_rank_of(&input.shape, &[1, 2], "input")?;
    op.same_shape(("input", &input.shape), ("target", &target.shape))?;
    Ok(reduction.apply(Shape::known(dims[..dims.len() - 1].to_vec()), input.dtype))
}
