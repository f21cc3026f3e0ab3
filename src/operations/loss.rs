//! Transfer functions of losses between tensors of the same kind.

use crate::dtypes::{is_integral, is_real};
use crate::operation::{Argument, Operation, Output, Remark, TensorArgument};
use crate::support::{Evaluated, Stop, unknown_tensor};
use harp_shape::{Constraint, DType, Dim, Outcome, Shape};

/// How a loss is reduced.
pub(crate) enum Reduction {
    /// A loss an element.
    None,
    Scalar,
    Unknown,
}

impl Reduction {
    pub(crate) fn read(op: &mut Operation) -> Result<Reduction, Stop> {
        if op.arguments.flag("reduce") == Some(false) && !op.is_absent("reduce") {
            return Ok(Reduction::None);
        }
        match op.arguments.get("reduction") {
            None => Ok(Reduction::Scalar),
            Some(Argument::Text(text)) => match &**text {
                "none" => Ok(Reduction::None),
                // The third is deprecated and means "mean".
                "mean" | "sum" | "elementwise_mean" => Ok(Reduction::Scalar),
                "batchmean" if op.short_name().to_ascii_lowercase().starts_with("kl") => Ok(Reduction::Scalar),
                other => {
                    let message = format!("`reduction` must be 'none', 'mean' or 'sum', got '{other}'");
                    op.reject(&["reduction"], message)
                }
            },
            Some(_) => Ok(Reduction::Unknown),
        }
    }

    /// The loss, given its shape before it is reduced.
    pub(crate) fn apply(&self, shape: Shape, dtype: DType) -> Output {
        match self {
            Reduction::None => Output::tensor(shape, dtype),
            Reduction::Scalar => Output::tensor(Shape::scalar(), dtype),
            Reduction::Unknown => unknown_tensor(dtype),
        }
    }
}

impl Operation<'_> {
    /// Broadcasts an input and a target, with a remark where they certainly differ in shape.
    fn broadcast_target(&mut self, input: (&str, &Shape), target: (&str, &Shape)) -> Result<Shape, Stop> {
        let differ = self.certainly_differ(input.1, target.1);
        let result = self.broadcast(input, target)?;
        // Where only dimensions of one element are added, each value meets its own target.
        let repeats = [input.1, target.1].into_iter().any(|shape| {
            let (all, own) = (self.solver.resolve(result.prod()), self.solver.resolve(shape.prod()));
            all != own
        });
        if differ && repeats {
            let operands = vec![input.0.into(), target.0.into()];
            let (left, right) = (self.solver.resolve_shape(input.1), self.solver.resolve_shape(target.1));
            self.remarks.push(Remark::SuspiciousBroadcast { left, right, result: result.clone(), operands });
        }
        Ok(result)
    }

    /// Whether two shapes can never be the same.
    fn certainly_differ(&mut self, left: &Shape, right: &Shape) -> bool {
        let mark = self.solver.mark();
        let constraint = Constraint::SameShape(self.solver.resolve_shape(left), self.solver.resolve_shape(right));
        let outcome = self.solver.require(&constraint);
        self.solver.rollback(mark);
        matches!(outcome, Outcome::Violated)
    }

    /// Requires that two tensors have the same shape.
    pub(crate) fn same_shape(&mut self, left: (&str, &Shape), right: (&str, &Shape)) -> Result<Shape, Stop> {
        let message = format_args!(
            "{} and {} must have the same shape",
            self.operand(left.0, left.1),
            self.operand(right.0, right.1)
        );
        let constraint = Constraint::SameShape(left.1.clone(), right.1.clone());
        self.demand(constraint, &[left.0, right.0], || message.to_string())?;
        Ok(self.solver.resolve_shape(left.1))
    }

    /// Requires that tensors have the same number of dimensions.
    fn same_rank(&mut self, tensors: &[(&str, &TensorArgument)]) -> Result<(), Stop> {
        let ranks: Vec<usize> = tensors.iter().filter_map(|(_, tensor)| self.rank(&tensor.shape)).collect();
        if ranks.windows(2).all(|pair| pair[0] == pair[1]) {
            return Ok(());
        }
        let texts: Vec<String> =
            tensors.iter().map(|(name, tensor)| self.operand(name, &tensor.shape).to_string()).collect();
        let names: Vec<&str> = tensors.iter().map(|(name, _)| *name).collect();
        self.reject(&names, format!("{} must have the same number of dimensions", texts.join(", ")))
    }
}

/// `mse_loss(input, target)`, `l1_loss`, `smooth_l1_loss`, `huber_loss`, `kl_div`: the operands broadcast, but hardly ever should.
pub(crate) fn elementwise_loss(op: &mut Operation) -> Evaluated {
    let reduction = Reduction::read(op)?;
    let name = op.input_name();
    let (input, target) = (op.input(), op.tensor("target"));
    let shape = op.broadcast_target((name, &input.shape), ("target", &target.shape))?;
    let dtype = op.result_type(&[op.arguments.value(name), op.arguments.value("target")]);
    if let Some(weight) = op.given_tensor("weight") {
        op.broadcast(("weight", &weight.shape), (name, &shape))?;
    }
    Ok(reduction.apply(shape, dtype))
}

/// `binary_cross_entropy(input, target, weight)`: shapes must be the same.
pub(crate) fn binary_cross_entropy(op: &mut Operation) -> Evaluated {
    let (input, target) = (op.tensor("input"), op.tensor("target"));
    op.same_type(("input", input.dtype), ("target", target.dtype));
    let (shape, reduction) = binary_loss(op)?;
    Ok(reduction.apply(shape, input.dtype))
}

/// `binary_cross_entropy_with_logits(input, target, weight, pos_weight)`: shapes must be the same.
pub(crate) fn binary_cross_entropy_with_logits(op: &mut Operation) -> Evaluated {
    let (shape, reduction) = binary_loss(op)?;
    if let Some(weight) = op.given_tensor("pos_weight") {
        op.broadcast_into(("pos_weight", &weight.shape), ("input", &shape))?;
    }
    // It is computed in place of what is made of the target.
    let dtype = op.tensor("target").dtype;
    Ok(reduction.apply(shape, dtype))
}

fn binary_loss(op: &mut Operation) -> Result<(Shape, Reduction), Stop> {
    let reduction = Reduction::read(op)?;
    let (input, target) = (op.tensor("input"), op.tensor("target"));
    let shape = op.same_shape(("input", &input.shape), ("target", &target.shape))?;
    if is_integral(target.dtype) && is_real(input.dtype) {
        let message = format!("`target` must be {}, as `input` is, got {}", input.dtype, target.dtype);
        return op.reject(&["target", "input"], message);
    }
    if let Some(weight) = op.given_tensor("weight") {
        op.broadcast_into(("weight", &weight.shape), ("input", &shape))?;
    }
    Ok((shape, reduction))
}

/// `margin_ranking_loss(input1, input2, target)`.
pub(crate) fn margin_ranking(op: &mut Operation) -> Evaluated {
    let reduction = Reduction::read(op)?;
    let (one, other, target) = (op.tensor("input1"), op.tensor("input2"), op.tensor("target"));
    op.same_rank(&[("input1", &one), ("input2", &other), ("target", &target)])?;
    let shape = op.broadcast(("input1", &one.shape), ("input2", &other.shape))?;
    let shape = op.broadcast(("input1", &shape), ("target", &target.shape))?;
    let dtype = if one.dtype == other.dtype && one.dtype == target.dtype { one.dtype } else { DType::Unknown };
    Ok(reduction.apply(shape, dtype))
}

/// `cosine_embedding_loss(input1, input2, target)`: `[n, d]` with `[n]`, or `[d]` with a number.
pub(crate) fn cosine_embedding(op: &mut Operation) -> Evaluated {
    let reduction = Reduction::read(op)?;
    let (one, other, target) = (op.tensor("input1"), op.tensor("input2"), op.tensor("target"));
    let Some(rank) = op.rank(&target.shape) else { return Ok(reduction.apply(Shape::unknown("loss"), one.dtype)) };
    if rank > 1 {
        let message = format!("{} must have at most 1 dimension", op.operand("target", &target.shape));
        return op.reject(&["target"], message);
    }
    op.with_rank(&one.shape, rank + 1, "input1")?;
    op.with_rank(&other.shape, rank + 1, "input2")?;
    let shape = op.broadcast(("input1", &one.shape), ("input2", &other.shape))?;
    let Some((_, rest, _)) = op.solver.split(&shape, 0, 1) else { return Err(Stop) };
    let shape = op.broadcast(("input1", &rest), ("target", &target.shape))?;
    Ok(reduction.apply(shape, one.dtype))
}

/// `triplet_margin_loss(anchor, positive, negative)`: distances along the last dimension.
pub(crate) fn triplet_margin(op: &mut Operation) -> Evaluated {
    let reduction = Reduction::read(op)?;
    let (anchor, positive, negative) = (op.tensor("anchor"), op.tensor("positive"), op.tensor("negative"));
    op.same_rank(&[("anchor", &anchor), ("positive", &positive), ("negative", &negative)])?;
    let near = op.broadcast(("anchor", &anchor.shape), ("positive", &positive.shape))?;
    let far = op.broadcast(("anchor", &anchor.shape), ("negative", &negative.shape))?;
    let (Some((_, near, _)), Some((_, far, _))) = (op.solver.split(&near, 0, 1), op.solver.split(&far, 0, 1)) else {
        return Ok(reduction.apply(Shape::scalar(), anchor.dtype));
    };
    let shape = op.broadcast(("positive", &near), ("negative", &far))?;
    let same = anchor.dtype == positive.dtype && anchor.dtype == negative.dtype && !is_integral(anchor.dtype);
    let dtype = if same { anchor.dtype } else { DType::Unknown };
    Ok(reduction.apply(shape, dtype))
}

/// `multilabel_soft_margin_loss(input, target)`: the operands broadcast; the mean over the last dimension.
pub(crate) fn multilabel_soft_margin(op: &mut Operation) -> Evaluated {
    let reduction = Reduction::read(op)?;
    let (input, target) = (op.tensor("input"), op.tensor("target"));
    let shape = op.broadcast_target(("input", &input.shape), ("target", &target.shape))?;
    // The classes are the last dimension of the input, wherever that stands in the common shape.
    let class = op.rank(&input.shape).and_then(|rank| i64::try_from(rank).ok()).map_or(-1, |rank| rank - 1);
    let rest = match op.open_at(&shape, class, "input")? {
        Some((axes, place)) => axes.without(&[place]),
        None => Shape::unknown("loss"),
    };
    Ok(reduction.apply(rest, input.dtype))
}

/// `gaussian_nll_loss(input, target, var)`.
pub(crate) fn gaussian_nll(op: &mut Operation) -> Evaluated {
    let reduction = Reduction::read(op)?;
    let (input, target) = (op.tensor("input"), op.tensor("target"));
    let shape = op.broadcast_target(("input", &input.shape), ("target", &target.shape))?;
    if let (Some(variance), Some(own)) = (op.given_tensor("var"), op.dims(&input.shape)) {
        variance_fits(op, &variance.shape, &own)?;
    }
    Ok(reduction.apply(shape, input.dtype))
}

/// The variance has the input's shape, one without its last dimension, or 1 there.
fn variance_fits(op: &mut Operation, variance: &Shape, input: &[Dim]) -> Result<(), Stop> {
    let Some(own) = op.dims(variance) else { return Ok(()) };
    let (Some(own), Some(input)) = (constants(&own), constants(input)) else { return Ok(()) };
    let Some((_, leading)) = input.split_last() else { return Ok(()) };
    let fits =
        own == input || own == leading || own.split_last().is_some_and(|(last, front)| *last == 1 && front == leading);
    if fits || own.is_empty() {
        return Ok(());
    }
    let message = format!("{} does not go with the shape of `input`", op.operand("var", variance));
    op.reject(&["var", "input"], message)
}

fn constants(dims: &[Dim]) -> Option<Vec<i64>> {
    dims.iter().map(|dim| dim.as_const()).collect()
}

/// `ctc_loss(log_probs, targets, input_lengths, target_lengths)`.
pub(crate) fn ctc(op: &mut Operation) -> Evaluated {
    let reduction = Reduction::read(op)?;
    let scores = op.tensor("log_probs");
    let dims = op.with_rank_of(&scores.shape, &[2, 3], "log_probs")?;
    crate::operand_checks::sequences_fit(op, (dims.len() == 3).then(|| dims[1]))?;
    let shape = if dims.len() == 3 { Shape::known(vec![dims[1]]) } else { Shape::scalar() };
    Ok(reduction.apply(shape, scores.dtype))
}
