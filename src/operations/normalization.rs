//! Transfer functions of normalisation layers.

use crate::operation::{Argument, Operation, Output, TensorArgument};
use crate::support::{Evaluated, Stop, constant, items, product};
use harp_shape::{Constraint, Dim, Shape};

/// The result of a layer that keeps the shape.
fn kept(input: TensorArgument) -> Evaluated {
    Ok(Output::tensor(input.shape, input.dtype))
}

/// The ranks that `BatchNorm1d` and so on take.
fn batch_ranks(op: &Operation) -> Option<Vec<usize>> {
    op.spatial_rank().map(|spatial| if spatial == 1 { vec![2, 3] } else { vec![spatial + 2] })
}

/// `nn.BatchNorm2d(num_features)(input)`; `training` is the module's mode, where it is known.
pub(crate) fn batch_norm_module(op: &mut Operation) -> Evaluated {
    let input = op.tensor("input");
    op.float_input(&input);
    let dims = match batch_ranks(op) {
        Some(ranks) if op.rank(&input.shape).is_some() || ranks.len() == 1 => {
            op.with_rank_of(&input.shape, &ranks, "input")?
        }
        // `BatchNorm1d` takes `[n, c]` and `[n, c, l]`; which of them an unknown input is stays open.
        Some(_) => match op.solver.split(&input.shape, 2, 0) {
            Some((front, _, _)) => {
                channels_agree(op, &input, front[1], "num_features");
                return kept(TensorArgument { shape: op.solver.resolve_shape(&input.shape), dtype: input.dtype });
            }
            None => return kept(input),
        },
        // `SyncBatchNorm` takes any number of dimensions from 2 on.
        None if op.rank(&input.shape).is_none() => {
            if let Some((front, _, _)) = op.solver.split(&input.shape, 2, 0) {
                channels_agree(op, &input, front[1], "num_features");
            }
            return kept(TensorArgument { shape: op.solver.resolve_shape(&input.shape), dtype: input.dtype });
        }
        None => match op.dims(&input.shape) {
            Some(dims) if dims.len() >= 2 => dims,
            Some(_) => {
                return op
                    .reject(&["input"], format!("{} needs at least 2 dimensions", op.operand("input", &input.shape)));
            }
            None => return kept(input),
        },
    };
    channels_agree(op, &input, dims[1], "num_features");
    if op.arguments.flag("training") == Some(true) {
        several_values(op, &dims, dims[0])?;
    }
    kept(TensorArgument { shape: op.solver.resolve_shape(&input.shape), dtype: input.dtype })
}

/// Requires that dimension 1 of the input is a constructor's number of channels.
fn channels_agree(op: &mut Operation, input: &TensorArgument, channels: Dim, parameter: &str) {
    let Some(expected) = op.dim_argument(parameter).filter(|expected| expected.as_const() != Some(0)) else { return };
    let message = format_args!(
        "expected {expected} channels (`{parameter}`), got {channels} in dimension 1 of {}",
        op.operand("input", &input.shape)
    );
    op.equal(channels, expected, &["input", parameter], || message.to_string());
}

/// Requires more than one value a channel, where that is decided by constants alone.
fn several_values(op: &mut Operation, dims: &[Dim], batch: Dim) -> Result<(), Stop> {
    let values = batch * product(&dims[2..]);
    if dims.iter().any(|dim| dim.as_const() == Some(0)) {
        return Ok(());
    }
    let message = format!(
        "training needs more than one value a channel, but the shape [{}] has only {values}",
        dims.iter().map(Dim::to_string).collect::<Vec<_>>().join(", ")
    );
    // A batch of free size is not bound by this.
    if values.as_const() == Some(1) {
        return op.reject(&["input", "training"], message);
    }
    let fixed = values.vars().iter().all(|variable| !matches!(variable.info().kind, harp_shape::VarKind::Free));
    if fixed {
        return op.demand(Constraint::Less(constant(1), values), &["input", "training"], || message);
    }
    Ok(())
}

/// `batch_norm(input, running_mean, running_var, weight, bias, training)`.
pub(crate) fn batch_norm(op: &mut Operation) -> Evaluated {
    let input = op.tensor("input");
    let Some((front, _, _)) = op.solver.split(&input.shape, 2, 0) else {
        return op.reject(&["input"], format!("{} needs at least 2 dimensions", op.operand("input", &input.shape)));
    };
    parameters_agree(op, &input, front[1], &["running_mean", "running_var", "weight", "bias"])?;
    kept(input)
}

/// Requires that parameters have one element a channel.
fn parameters_agree(
    op: &mut Operation,
    input: &TensorArgument,
    channels: Dim,
    names: &[&'static str],
) -> Result<(), Stop> {
    if channels.as_const() == Some(0) {
        return Ok(());
    }
    for name in names {
        let Some(vector) = op.given_tensor(name) else { continue };
        let size = op.solver.resolve(vector.shape.prod());
        let message = format_args!(
            "{} must have {channels} elements, one a channel of {}",
            op.operand(name, &vector.shape),
            op.operand("input", &input.shape)
        );
        op.demand(Constraint::Equal(size, channels), &[name, "input"], || message.to_string())?;
    }
    Ok(())
}

/// `nn.InstanceNorm2d(num_features, affine=False)(input)`: with a batch, or without.
pub(crate) fn instance_norm_module(op: &mut Operation) -> Evaluated {
    let input = op.tensor("input");
    op.float_input(&input);
    let Some(spatial) = op.spatial_rank() else { return kept(input) };
    let dims = op.with_rank_of(&input.shape, &[spatial + 1, spatial + 2], "input")?;
    let channels = dims[dims.len() - spatial - 1];
    // Without parameters of its own the layer only warns of another number of channels.
    if op.flag_or("affine", false) == Some(true) || op.flag_or("track_running_stats", false) == Some(true) {
        let Some(expected) = op.dim_argument("num_features") else { return kept(input) };
        let message = format_args!(
            "expected {expected} channels (`num_features`), got {channels} in {}",
            op.operand("input", &input.shape)
        );
        op.equal(channels, expected, &["input", "num_features"], || message.to_string());
    }
    let tracked = op.flag_or("track_running_stats", false);
    let evaluating = op.arguments.flag("training") == Some(false);
    if tracked == Some(false) || !evaluating {
        let sizes = product(&dims[dims.len() - spatial..]);
        if sizes.as_const() == Some(1) && tracked == Some(false) {
            let message = format!("{} needs more than one spatial element", op.operand("input", &input.shape));
            return op.reject(&["input"], message);
        }
    }
    kept(TensorArgument { shape: op.solver.resolve_shape(&input.shape), dtype: input.dtype })
}

/// `instance_norm(input, running_mean, running_var, weight, bias)`.
pub(crate) fn instance_norm(op: &mut Operation) -> Evaluated {
    let input = op.tensor("input");
    let single = |dims: &[Dim]| product(dims.get(2..).unwrap_or_default()).as_const() == Some(1);
    if op.dims(&input.shape).is_some_and(|dims| single(&dims)) && op.flag_or("use_input_stats", true) == Some(true) {
        let message = format!("{} needs more than one spatial element", op.operand("input", &input.shape));
        return op.reject(&["input"], message);
    }
    if let Some(dims) = op.dims(&input.shape).filter(|dims| dims.len() >= 2) {
        parameters_agree(op, &input, dims[1], &["running_mean", "running_var", "weight", "bias"])?;
    }
    kept(input)
}

/// `group_norm(input, num_groups, weight, bias)` and `nn.GroupNorm(num_groups, num_channels)(input)`.
pub(crate) fn group_norm(op: &mut Operation) -> Evaluated {
    let input = op.tensor("input");
    op.float_input(&input);
    let Some((front, _, _)) = op.solver.split(&input.shape, 2, 0) else {
        return op.reject(&["input"], format!("{} needs at least 2 dimensions", op.operand("input", &input.shape)));
    };
    let channels = front[1];
    let affine = op.flag_or("affine", true) == Some(true);
    let expected = op.dim_argument("num_channels").filter(|_| affine);
    if let Some(expected) = expected {
        let message = format_args!(
            "expected {expected} channels (`num_channels`), got {channels} in dimension 1 of {}",
            op.operand("input", &input.shape)
        );
        op.equal(channels, expected, &["input", "num_channels"], || message.to_string());
    }
    if let Some(groups) = op.dim_argument("num_groups") {
        if expected.is_none() {
            let message = format_args!(
                "the {channels} channels (dimension 1) of {} must be divisible by `num_groups` ({groups})",
                op.operand("input", &input.shape)
            );
            op.demand(Constraint::Divides { divisor: groups, value: channels }, &["input", "num_groups"], || {
                message.to_string()
            })?;
        }
        if let Some(dims) = op.dims(&input.shape) {
            let values = (dims[0] * dims[1]).floor_div(groups) * product(&dims[2..]);
            if values.as_const() == Some(1) {
                let message = format!(
                    "training needs more than one value a group, but {} has only 1",
                    op.operand("input", &input.shape)
                );
                return op.reject(&["input", "num_groups"], message);
            }
        }
    }
    for name in ["weight", "bias"] {
        if let Some(vector) = op.given_tensor(name) {
            op.with_rank(&vector.shape, 1, name)?;
        }
    }
    parameters_agree(op, &input, channels, &["weight", "bias"])?;
    kept(TensorArgument { shape: op.solver.resolve_shape(&input.shape), dtype: input.dtype })
}

/// `nn.GroupNorm(num_groups, num_channels)`.
pub(crate) fn group_norm_init(op: &mut Operation) -> Evaluated {
    if let (Some(groups), Some(channels)) = (op.dim_argument("num_groups"), op.dim_argument("num_channels")) {
        let message = format_args!("`num_channels` ({channels}) must be divisible by `num_groups` ({groups})");
        op.demand(Constraint::Divides { divisor: groups, value: channels }, &["num_channels", "num_groups"], || {
            message.to_string()
        })?;
    }
    Ok(Output::None)
}

/// `layer_norm(input, normalized_shape, weight, bias)` and `nn.LayerNorm(normalized_shape)(input)`, `rms_norm`: the last
/// dimensions are those of `normalized_shape`.
pub(crate) fn layer_norm(op: &mut Operation) -> Evaluated {
    let input = op.tensor("input");
    op.float_input(&input);
    let sizes = match op.arguments.get("normalized_shape").and_then(items) {
        Some(sizes) => sizes,
        None => return kept(input),
    };
    if sizes.is_empty() {
        return op.reject(&["normalized_shape"], "`normalized_shape` must name at least one dimension".to_owned());
    }
    let Some(expected) = sizes.iter().map(Argument::as_dim).collect::<Option<Vec<Dim>>>() else { return kept(input) };
    let target = Shape::known(expected.clone());
    let Some((_, _, back)) = op.solver.split(&input.shape, 0, expected.len()) else {
        let message =
            format!("{} has fewer dimensions than `normalized_shape` {target}", op.operand("input", &input.shape));
        return op.reject(&["input", "normalized_shape"], message);
    };
    for (size, expected) in back.iter().zip(&expected) {
        let message = format_args!(
            "{} must end in `normalized_shape` {target}: {size} is not {expected}",
            op.operand("input", &input.shape)
        );
        op.equal(*size, *expected, &["input", "normalized_shape"], || message.to_string());
    }
    for name in ["weight", "bias"] {
        let Some(vector) = op.given_tensor(name).filter(|_| op.short_name().starts_with(char::is_lowercase)) else {
            continue;
        };
        let message =
            format_args!("{} must have the shape {target} of `normalized_shape`", op.operand(name, &vector.shape));
        op.demand(Constraint::SameShape(vector.shape.clone(), target.clone()), &[name, "normalized_shape"], || {
            message.to_string()
        })?;
    }
    kept(TensorArgument { shape: op.solver.resolve_shape(&input.shape), dtype: input.dtype })
}

/// `local_response_norm(input, size)`: at least three dimensions.
pub(crate) fn local_response_norm(op: &mut Operation) -> Evaluated {
    let input = op.tensor("input");
    if op.rank(&input.shape).is_some_and(|rank| rank < 3) {
        return op.reject(&["input"], format!("{} needs at least 3 dimensions", op.operand("input", &input.shape)));
    }
    kept(input)
}
