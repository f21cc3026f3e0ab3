//! Transfer functions of sliding blocks, and those that move elements between channels and space.

use std::fmt;

use crate::operation::{Operation, Output};
use crate::support::{Evaluated, Stop, constant, fresh, joined, product, unknown_tensor};
use harp_shape::{Constraint, DType, Dim, Shape};

/// The blocks of `unfold` and `fold`.
struct Blocks {
    kernel: Vec<Option<Dim>>,
    stride: Vec<Option<Dim>>,
    padding: Vec<Option<Dim>>,
    dilation: Vec<Option<Dim>>,
}

impl Blocks {
    fn read(op: &mut Operation) -> Result<Blocks, Stop> {
        let blocks = Blocks {
            kernel: op.per_axis("kernel_size", 2, None)?,
            stride: op.per_axis("stride", 2, Some(1))?,
            padding: op.per_axis("padding", 2, Some(0))?,
            dilation: op.per_axis("dilation", 2, Some(1))?,
        };
        let positive = [("kernel_size", &blocks.kernel), ("stride", &blocks.stride), ("dilation", &blocks.dilation)];
        for (name, sizes) in positive {
            for size in sizes.iter().flatten() {
                let message = format_args!("`{name}` must be positive, got {size}");
                op.demand(Constraint::Less(constant(0), *size), &[name], || message.to_string())?;
            }
        }
        Ok(blocks)
    }

    /// The number of blocks in an area, and the elements of one.
    fn count(&self, op: &mut Operation, area: &[Dim], subject: &dyn fmt::Display) -> Result<(Dim, Dim), Stop> {
        let mut counts = Vec::with_capacity(2);
        for (axis, size) in area.iter().enumerate() {
            let values = (self.kernel[axis], self.stride[axis], self.padding[axis], self.dilation[axis]);
            let (Some(kernel), Some(stride), Some(padding), Some(dilation)) = values else {
                counts.push(fresh("blocks"));
                continue;
            };
            let window = dilation * (kernel - constant(1)) + constant(1);
            let count = (*size + constant(2) * padding - window).floor_div(stride) + constant(1);
            let message = format_args!("a block ({window}) is larger than the padded size of a dimension of {subject}");
            op.demand(Constraint::LessEqual(constant(1), count), &["input", "kernel_size"], || message.to_string())?;
            counts.push(count);
        }
        let elements: Option<Vec<Dim>> = self.kernel.iter().copied().collect();
        Ok((product(&counts), elements.map_or_else(|| fresh("block"), |kernel| product(&kernel))))
    }
}

/// `unfold(input, kernel_size, dilation, padding, stride)`: the blocks as columns, `[n, c * block, blocks]`.
pub(crate) fn unfold(op: &mut Operation) -> Evaluated {
    let input = op.tensor("input");
    let dims = op.with_rank_of(&input.shape, &[3, 4], "input")?;
    let blocks = Blocks::read(op)?;
    let (front, area) = dims.split_at(dims.len() - 2);
    let subject = op.operand("input", &input.shape);
    let (count, elements) = blocks.count(op, area, &subject)?;
    let mut result = front[..front.len() - 1].to_vec();
    result.extend([front[front.len() - 1] * elements, count]);
    Ok(Output::tensor(Shape::known(result), input.dtype))
}

/// `fold(input, output_size, kernel_size, …)`: the inverse, `[n, c, height, width]`.
pub(crate) fn fold(op: &mut Operation) -> Evaluated {
    let input = op.tensor("input");
    let dims = op.with_rank_of(&input.shape, &[2, 3], "input")?;
    let blocks = Blocks::read(op)?;
    let area: Vec<Dim> = op
        .per_axis("output_size", 2, None)?
        .into_iter()
        .map(|size| size.unwrap_or_else(|| fresh("output_size")))
        .collect();
    let (count, elements) = blocks.count(op, &area, &"the output")?;
    let (channels, columns) = (dims[dims.len() - 2], dims[dims.len() - 1]);
    let subject = op.operand("input", &input.shape);
    let message =
        format_args!("the {channels} rows of {subject} must be divisible by the {elements} elements of a block");
    op.demand(Constraint::Divides { divisor: elements, value: channels }, &["input", "kernel_size"], || {
        message.to_string()
    })?;
    let message =
        format_args!("expected {count} columns, one for each block of `output_size`, got {columns} in {subject}");
    op.demand(Constraint::Equal(columns, count), &["input", "output_size"], || message.to_string())?;
    let mut result = dims[..dims.len() - 2].to_vec();
    result.push(channels.floor_div(elements));
    result.extend(area);
    Ok(Output::tensor(Shape::known(result), input.dtype))
}

/// The factor of `pixel_shuffle` or `pixel_unshuffle`.
fn positive_factor(op: &mut Operation, name: &str) -> Result<Dim, Stop> {
    let factor = factor(op, name);
    let message = format_args!("`{name}` must be positive, got {factor}");
    op.demand(Constraint::Less(constant(0), factor), &[name], || message.to_string())?;
    Ok(factor)
}

fn factor(op: &Operation, name: &str) -> Dim {
    op.dim_argument(name).unwrap_or_else(|| fresh("factor"))
}

/// `pixel_shuffle(input, upscale_factor)`: channels become space.
pub(crate) fn pixel_shuffle(op: &mut Operation) -> Evaluated {
    let input = op.input();
    let factor = positive_factor(op, "upscale_factor")?;
    let Some((_, rest, dims)) = op.solver.split(&input.shape, 0, 3) else {
        return op
            .reject(&[op.input_name()], format!("{} needs at least 3 dimensions", op.operand("input", &input.shape)));
    };
    let square = factor * factor;
    let message = format_args!(
        "the {} channels of {} must be divisible by {square}, the square of `upscale_factor`",
        dims[0],
        op.operand("input", &input.shape)
    );
    op.demand(Constraint::Divides { divisor: square, value: dims[0] }, &["input", "upscale_factor"], || {
        message.to_string()
    })?;
    let shape = [dims[0].floor_div(square), dims[1] * factor, dims[2] * factor];
    Ok(Output::tensor(joined(&[], Some(&rest), &shape), input.dtype))
}

/// `pixel_unshuffle(input, downscale_factor)`: space becomes channels.
pub(crate) fn pixel_unshuffle(op: &mut Operation) -> Evaluated {
    let input = op.input();
    let factor = positive_factor(op, "downscale_factor")?;
    let Some((_, rest, dims)) = op.solver.split(&input.shape, 0, 3) else {
        return op
            .reject(&[op.input_name()], format!("{} needs at least 3 dimensions", op.operand("input", &input.shape)));
    };
    for size in &dims[1..] {
        let message = format_args!(
            "the height and width of {} must be divisible by `downscale_factor` ({factor}), got {size}",
            op.operand("input", &input.shape)
        );
        op.demand(Constraint::Divides { divisor: factor, value: *size }, &["input", "downscale_factor"], || {
            message.to_string()
        })?;
    }
    let shape = [dims[0] * factor * factor, dims[1].floor_div(factor), dims[2].floor_div(factor)];
    Ok(Output::tensor(joined(&[], Some(&rest), &shape), input.dtype))
}

/// `channel_shuffle(input, groups)`.
pub(crate) fn channel_shuffle(op: &mut Operation) -> Evaluated {
    let input = op.input();
    let groups = factor(op, "groups");
    let Some((front, _, _)) = op.solver.split(&input.shape, 2, 0) else {
        return op
            .reject(&[op.input_name()], format!("{} needs more than 2 dimensions", op.operand("input", &input.shape)));
    };
    let message = format_args!(
        "the {} channels of {} must be divisible by `groups` ({groups})",
        front[1],
        op.operand("input", &input.shape)
    );
    op.demand(Constraint::Divides { divisor: groups, value: front[1] }, &["input", "groups"], || message.to_string())?;
    Ok(Output::tensor(input.shape, input.dtype))
}

/// `glu(input, dim=-1)`: a dimension is halved.
pub(crate) fn glu(op: &mut Operation) -> Evaluated {
    let input = op.input();
    if op.is_scalar(&input.shape) {
        return op.reject(&[op.input_name()], "`glu` needs a tensor with at least one dimension".to_owned());
    }
    let Some(dim) = op.int_or("dim", -1) else { return Ok(unknown_tensor(input.dtype)) };
    let Some((mut axes, place)) = op.open_at(&input.shape, dim, "dim")? else { return Ok(unknown_tensor(input.dtype)) };
    let (size, two) = (axes.get(place), constant(2));
    let message = format_args!(
        "`glu` halves dimension {dim} of {}, but {size} is odd",
        op.operand(op.input_name(), &input.shape)
    );
    op.demand(Constraint::Divides { divisor: two, value: size }, &[op.input_name(), "dim"], || message.to_string())?;
    axes.set(place, size.floor_div(two));
    Ok(Output::tensor(axes.shape(), input.dtype))
}

/// `multinomial(input, num_samples)`: samples from each row.
pub(crate) fn multinomial(op: &mut Operation) -> Evaluated {
    let input = op.input();
    let samples = op.dim_argument("num_samples").unwrap_or_else(|| fresh("num_samples"));
    if op.rank(&input.shape).is_none() {
        // With rows or without.
        let rows = Shape::unknown("rows");
        return Ok(Output::tensor(crate::support::joined(&[], Some(&rows), &[samples]), DType::Int64));
    }
    let dims = op.with_rank_of(&input.shape, &[1, 2], op.input_name())?;
    if op.flag_or("replacement", false) == Some(false) {
        let classes = dims[dims.len() - 1];
        let message =
            format_args!("`num_samples` ({samples}) must not exceed the {classes} categories without replacement");
        op.demand(Constraint::LessEqual(samples, classes), &["num_samples", op.input_name()], || message.to_string())?;
    }
    let mut result = dims[..dims.len() - 1].to_vec();
    result.push(samples);
    Ok(Output::tensor(Shape::known(result), DType::Int64))
}
