//! Transfer functions of padding.

use crate::operation::{Argument, Operation, Output, TensorArgument};
use crate::support::{Evaluated, Stop, constant, fresh, items, unknown_tensor};
use harp_shape::{Constraint, Dim, Shape};

/// How the border is filled.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Constant,
    Reflect,
    Replicate,
    Circular,
}

/// `pad(input, pad, mode='constant', value)`: pairs of sizes, from the last dimension to the first.
pub(crate) fn pad(op: &mut Operation) -> Evaluated {
    let input = op.input();
    let mode = match op.text_argument("mode") {
        Some("constant") => Mode::Constant,
        Some("reflect") => Mode::Reflect,
        Some("replicate") => Mode::Replicate,
        Some("circular") => Mode::Circular,
        Some(other) => {
            let message = format!("`mode` must be 'constant', 'reflect', 'replicate' or 'circular', got '{other}'");
            return op.reject(&["mode"], message);
        }
        None if op.is_absent("mode") => Mode::Constant,
        // The sizes are the same in any mode; this one takes all of them.
        None => Mode::Constant,
    };
    let Some(amounts) = op.arguments.get("pad").and_then(items) else { return unknown_amounts(op, &input) };
    let amounts: Vec<Option<Dim>> = amounts.iter().map(Argument::as_dim).collect();
    padded(op, &input, "pad", &amounts, mode)
}

/// `nn.ZeroPad2d(padding)(input)`, `ConstantPad`, `ReflectionPad`, `ReplicationPad`, `CircularPad` and their like.
pub(crate) fn pad_module(op: &mut Operation) -> Evaluated {
    let input = op.input();
    let name = op.short_name();
    let mode = [("Reflection", Mode::Reflect), ("Replication", Mode::Replicate), ("Circular", Mode::Circular)];
    let mode = mode.into_iter().find(|(prefix, _)| name.starts_with(prefix)).map_or(Mode::Constant, |(_, mode)| mode);
    let spatial = op.spatial_rank().unwrap_or(2);
    let amounts = match op.arguments.value("padding") {
        Argument::Sequence(items) => items.iter().map(Argument::as_dim).collect(),
        single => match single.as_dim() {
            Some(amount) => vec![Some(amount); 2 * spatial],
            None => return unknown_amounts(op, &input),
        },
    };
    padded(op, &input, "padding", &amounts, mode)
}

/// The rank stays where the amounts are not known.
fn unknown_amounts(op: &Operation, input: &TensorArgument) -> Evaluated {
    Ok(match op.rank(&input.shape) {
        Some(rank) => Output::tensor(Shape::known((0..rank).map(|_| fresh("padded")).collect::<Vec<_>>()), input.dtype),
        None => unknown_tensor(input.dtype),
    })
}

fn padded(
    op: &mut Operation,
    input: &TensorArgument,
    parameter: &str,
    amounts: &[Option<Dim>],
    mode: Mode,
) -> Evaluated {
    let name = op.input_name();
    if !amounts.len().is_multiple_of(2) {
        let message = format!("`{parameter}` must hold pairs of sizes, got {} entries", amounts.len());
        return op.reject(&[parameter], message);
    }
    let padded = amounts.len() / 2;
    let dims = match mode {
        Mode::Constant => match op.solver.split(&input.shape, 0, padded) {
            Some((_, rest, back)) => {
                let back = sizes(op, &back, amounts, mode, parameter, &input.shape)?;
                return Ok(Output::tensor(crate::support::joined(&[], Some(&rest), &back), input.dtype));
            }
            None => {
                let message =
                    format!("`{parameter}` pads {padded} dimensions, more than {} has", op.operand(name, &input.shape));
                return op.reject(&[parameter, name], message);
            }
        },
        _ if !(1..=3).contains(&padded) => {
            let message = format!("this mode pads 1 to 3 dimensions, but `{parameter}` has {} entries", amounts.len());
            return op.reject(&[parameter], message);
        }
        _ => match op.rank(&input.shape) {
            Some(rank) if rank != padded + 1 && rank != padded + 2 => {
                let message = format!(
                    "padding {padded} dimensions in this mode needs {} or {} dimensions, but the shape of `{name}` is {}",
                    padded + 1,
                    padded + 2,
                    op.text(&input.shape)
                );
                return op.reject(&[parameter, name], message);
            }
            _ => op.with_rank_of(&input.shape, &[padded + 1, padded + 2], name)?,
        },
    };
    let (front, back) = dims.split_at(dims.len() - padded);
    let mut result = front.to_vec();
    result.extend(sizes(op, back, amounts, mode, parameter, &input.shape)?);
    Ok(Output::tensor(Shape::known(result), input.dtype))
}

/// The padded sizes of the last dimensions.
fn sizes(
    op: &mut Operation,
    dims: &[Dim],
    amounts: &[Option<Dim>],
    mode: Mode,
    parameter: &str,
    shape: &Shape,
) -> Result<Vec<Dim>, Stop> {
    let name = op.input_name();
    let mut result = Vec::with_capacity(dims.len());
    for (index, dim) in dims.iter().enumerate() {
        let place = 2 * (dims.len() - 1 - index);
        let (Some(before), Some(after)) = (amounts[place], amounts[place + 1]) else {
            result.push(fresh("padded"));
            continue;
        };
        let subject = op.operand(name, shape);
        for amount in [before, after] {
            let limit = match mode {
                Mode::Constant | Mode::Replicate => continue,
                Mode::Reflect => Constraint::Less(amount, *dim),
                Mode::Circular => Constraint::LessEqual(amount, *dim),
            };
            let message =
                format_args!("the padding {amount} is too large for a dimension of {dim} elements of {subject}");
            op.demand(limit, &[parameter, name], || message.to_string())?;
        }
        let size = *dim + before + after;
        let least = constant(i64::from(mode != Mode::Constant));
        let message = format_args!("padding by ({before}, {after}) makes a dimension of {subject} {size} long");
        op.demand(Constraint::LessEqual(least, size), &[parameter, name], || message.to_string())?;
        result.push(size);
    }
    Ok(result)
}
