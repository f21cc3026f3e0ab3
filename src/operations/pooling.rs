//! Transfer functions of pooling.

use crate::operation::{Argument, Operation, Output, TensorArgument};
use crate::support::{Evaluated, Operand, Stop, constant, fresh, joined, unknown_tensor};
use harp_shape::{Constraint, DType, Dim, Shape};

/// The windows of a pooling operation.
struct Windows {
    kernel: Vec<Option<Dim>>,
    stride: Vec<Option<Dim>>,
    padding: Vec<Option<Dim>>,
    dilation: Vec<Option<Dim>>,
    ceil: Option<bool>,
}

impl Windows {
    fn read(op: &mut Operation, spatial: usize) -> Result<Windows, Stop> {
        let kernel = op.per_axis("kernel_size", spatial, None)?;
        let stride = match op.arguments.get("stride") {
            None | Some(Argument::None) => kernel.clone(),
            Some(Argument::Sequence(items)) if items.is_empty() => kernel.clone(),
            Some(_) => op.per_axis("stride", spatial, None)?,
        };
        let padding = op.per_axis("padding", spatial, Some(0))?;
        let dilation = op.per_axis("dilation", spatial, Some(1))?;
        for (name, values) in [("kernel_size", &kernel), ("stride", &stride), ("dilation", &dilation)] {
            for value in values.iter().flatten() {
                let message = format_args!("`{name}` must be positive, got {value}");
                op.demand(Constraint::Less(constant(0), *value), &[name], || message.to_string())?;
            }
        }
        Ok(Windows { kernel, stride, padding, dilation, ceil: op.flag_or("ceil_mode", false) })
    }
}

/// The number of windows along one dimension.
fn window_count(
    op: &mut Operation,
    windows: &Windows,
    axis: usize,
    size: Dim,
    subject: &Operand<'_>,
) -> Result<Dim, Stop> {
    let values =
        (windows.kernel[axis], windows.stride[axis], windows.padding[axis], windows.dilation[axis], windows.ceil);
    let (Some(kernel), Some(stride), Some(padding), Some(dilation), Some(ceil)) = values else {
        return Ok(fresh("pooled"));
    };
    let one = constant(1);
    if matches!(op.short_name(), "avg_pool3d" | "AvgPool3d") {
        // Padding does not count here.
        let message = format_args!("the kernel ({kernel}) is larger than a dimension ({size}) of {subject}");
        op.demand(Constraint::LessEqual(kernel, size), &["input", "kernel_size"], || message.to_string())?;
    }
    let window = dilation * (kernel - one) + one;
    // `max_pool1d` compares with the kernel itself, the others with its extent after dilation.
    let extent = if op.short_name().eq_ignore_ascii_case("max_pool1d") || op.short_name() == "MaxPool1d" {
        kernel
    } else {
        window
    };
    let message = format_args!("`padding` ({padding}) must be at most half of the kernel ({extent})");
    op.demand(Constraint::LessEqual(constant(2) * padding, extent), &["padding", "kernel_size"], || {
        message.to_string()
    })?;
    let message = format_args!("`padding` must not be negative, got {padding}");
    op.demand(Constraint::LessEqual(constant(0), padding), &["padding"], || message.to_string())?;
    let span = size + constant(2) * padding - window;
    let count = if ceil {
        // A last window must begin inside the input or its left padding.
        (span.ceil_div(stride) + one).min((size + padding).ceil_div(stride))
    } else {
        span.floor_div(stride) + one
    };
    let message = format_args!(
        "the kernel ({window}) is larger than the padded size of a dimension of {subject}: the output size would be {count}"
    );
    op.demand(Constraint::LessEqual(one, count), &["input", "kernel_size"], || message.to_string())?;
    Ok(count)
}

/// The dimensions of the input: with a batch, or without.
fn batched(op: &mut Operation, input: &TensorArgument, spatial: usize) -> Result<Vec<Dim>, Stop> {
    let name = op.input_name();
    op.with_rank_of(&input.shape, &[spatial + 1, spatial + 2], name)
}

fn pooled(op: &mut Operation, input: &TensorArgument, spatial: usize) -> Result<Shape, Stop> {
    let dims = batched(op, input, spatial)?;
    let windows = Windows::read(op, spatial)?;
    let subject = op.operand(op.input_name(), &input.shape);
    let (front, sizes) = dims.split_at(dims.len() - spatial);
    let mut result = front.to_vec();
    for (axis, size) in sizes.iter().enumerate() {
        result.push(window_count(op, &windows, axis, *size, &subject)?);
    }
    Ok(Shape::known(result))
}

/// `avg_pool2d(input, kernel_size, stride=None, padding=0, ceil_mode=False)` and its like, also as modules.
pub(crate) fn avg_pool(op: &mut Operation) -> Evaluated {
    let input = op.input();
    let Some(spatial) = op.spatial_rank() else { return Ok(unknown_tensor(input.dtype)) };
    let shape = pooled(op, &input, spatial)?;
    Ok(Output::tensor(shape, input.dtype))
}

/// `max_pool2d(input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)` and its like, also as modules.
pub(crate) fn max_pool(op: &mut Operation) -> Evaluated {
    let input = op.input();
    let Some(spatial) = op.spatial_rank() else { return Ok(unknown_tensor(input.dtype)) };
    let shape = pooled(op, &input, spatial)?;
    Ok(with_indices(op, shape, input.dtype))
}

/// The pooled values, with their indices where they are asked for.
fn with_indices(op: &Operation, shape: Shape, dtype: DType) -> Output {
    let asked = op.short_name().ends_with("_with_indices") || op.flag_or("return_indices", false) == Some(true);
    match op.flag_or("return_indices", false) {
        _ if asked => Output::Tuple(vec![Output::tensor(shape.clone(), dtype), Output::tensor(shape, DType::Int64)]),
        Some(_) => Output::tensor(shape, dtype),
        None => Output::Unknown("whether indices are returned is not known"),
    }
}

/// `lp_pool2d(input, norm_type, kernel_size, stride, ceil_mode)`.
pub(crate) fn lp_pool(op: &mut Operation) -> Evaluated {
    // Powers are floats, also of integers.
    Ok(match avg_pool(op)? {
        Output::Tensor { shape, dtype } => Output::tensor(shape, crate::dtypes::floating(dtype)),
        output => output,
    })
}

/// `max_unpool2d(input, indices, kernel_size, stride, padding, output_size)`.
pub(crate) fn max_unpool(op: &mut Operation) -> Evaluated {
    let input = op.input();
    let Some(spatial) = op.spatial_rank() else { return Ok(unknown_tensor(input.dtype)) };
    let dims = batched(op, &input, spatial)?;
    let indices = op.tensor("indices");
    let message = format_args!(
        "{} and {} must have the same shape",
        op.operand("input", &input.shape),
        op.operand("indices", &indices.shape)
    );
    op.demand(Constraint::SameShape(Shape::known(dims.clone()), indices.shape), &["input", "indices"], || {
        message.to_string()
    })?;
    let (front, sizes) = dims.split_at(dims.len() - spatial);
    let mut result = front.to_vec();
    if !op.is_absent("output_size") {
        let requested = op.sizes("output_size")?.filter(|sizes| sizes.len() >= spatial);
        let requested = requested.map_or_else(
            || (0..spatial).map(|_| fresh("output_size")).collect(),
            |sizes| sizes[sizes.len() - spatial..].to_vec(),
        );
        result.extend(requested);
        return Ok(Output::tensor(Shape::known(result), input.dtype));
    }
    let windows = Windows::read(op, spatial)?;
    for (axis, size) in sizes.iter().enumerate() {
        result.push(match (windows.kernel[axis], windows.stride[axis], windows.padding[axis]) {
            (Some(kernel), Some(stride), Some(padding)) => {
                (*size - constant(1)) * stride - constant(2) * padding + kernel
            }
            _ => fresh("unpooled"),
        });
    }
    Ok(Output::tensor(Shape::known(result), input.dtype))
}

/// `adaptive_avg_pool2d(input, output_size)` and its like, also as modules: `None` keeps a size.
pub(crate) fn adaptive_pool(op: &mut Operation) -> Evaluated {
    let input = op.input();
    let Some(spatial) = op.spatial_rank() else { return Ok(unknown_tensor(input.dtype)) };
    let requested: Vec<Argument> = match op.arguments.value("output_size") {
        Argument::Sequence(items) if items.len() == spatial => items,
        Argument::Sequence(items) if items.len() == 1 => vec![items[0].clone(); spatial],
        Argument::Sequence(items) => {
            let message = format!("`output_size` must be one integer or {spatial} of them, got {}", items.len());
            return op.reject(&["output_size"], message);
        }
        single => vec![single; spatial],
    };
    let name = op.input_name();
    // Averaging to a single element is a mean over the last dimensions, whatever comes before them.
    let ones = spatial > 1
        && requested.iter().all(|size| !size.is_none() && size.as_int().is_none_or(|size| size == 1))
        && !op.short_name().to_ascii_lowercase().contains("max");
    // Of an input about which nothing is known, a batch of images is the usual reading, as for other pooling.
    let leading_only = ones && op.rank(&input.shape).is_some();
    let (front, sizes) = if leading_only {
        // The number of leading dimensions does not matter to the result.
        let split = op.solver.split(&input.shape, 0, spatial);
        let Some((_, rest, sizes)) = split else {
            return op.reject(&[name], format!("`{name}` must have at least {} dimensions", spatial + 1));
        };
        (rest, sizes)
    } else {
        let dims = batched(op, &input, spatial)?;
        let (front, sizes) = dims.split_at(dims.len() - spatial);
        (Shape::known(front.to_vec()), sizes.to_vec())
    };
    let mut result = Vec::with_capacity(spatial);
    for (argument, size) in requested.iter().zip(&sizes) {
        result.push(match argument {
            Argument::None => *size,
            Argument::Float(_) => {
                return op.reject(&["output_size"], "`output_size` must be an integer, not a float".to_owned());
            }
            other => other.as_dim().map_or_else(|| fresh("pooled"), |dim| op.solver.resolve(dim)),
        });
    }
    if let Some(negative) = result.iter().find(|size| size.as_const().is_some_and(|size| size < 0)) {
        return op.reject(&["output_size"], format!("`output_size` must not be negative, got {negative}"));
    }
    let shape = joined(&[], Some(&front), &result);
    Ok(if op.short_name().to_ascii_lowercase().contains("max") {
        with_indices(op, shape, input.dtype)
    } else {
        Output::tensor(shape, input.dtype)
    })
}
