//! Transfer functions of torchvision's operators and layers.

use crate::convolution;
use crate::operation::{Argument, Arguments, Operation, Output, TensorArgument};
use crate::support::{Evaluated, constant, count, fresh, fresh_count, joined, unknown_tensor};
use harp_shape::{Constraint, DType, Dim, Shape};

/// `roi_align(input, boxes, output_size)`, `roi_pool`, `ps_roi_align`: a patch a box. Boxes are `[k, 5]`, or `[k, 4]` for each image.
pub(crate) fn regions(op: &mut Operation) -> Evaluated {
    let input = op.tensor("input");
    if op.rank(&input.shape).is_some_and(|rank| rank > 4) {
        return Ok(unknown_tensor(input.dtype));
    }
    let dims = op.with_rank(&input.shape, 4, "input")?;
    let kind = op.short_name().to_ascii_lowercase();
    let mut boxes = constant(0);
    match op.arguments.value("boxes") {
        Argument::Tensor(_) => {
            let tensor = op.tensor("boxes");
            let sizes = op.with_rank(&tensor.shape, 2, "boxes")?;
            let message =
                format_args!("{} must have 5 columns: an image, and the corners", op.operand("boxes", &tensor.shape));
            op.demand(Constraint::Equal(sizes[1], constant(5)), &["boxes"], || message.to_string())?;
            op.same_type(("input", input.dtype), ("boxes", tensor.dtype));
            boxes = sizes[0];
        }
        Argument::Sequence(tensors) => {
            for tensor in &tensors {
                let tensor = op.as_tensor(tensor, "boxes");
                if op.rank(&tensor.shape).is_some_and(|rank| rank > 2) {
                    return Ok(unknown_tensor(input.dtype));
                }
                let sizes = op.with_rank(&tensor.shape, 2, "boxes")?;
                let message = format_args!("{} must have 4 columns, the corners", op.operand("boxes", &tensor.shape));
                op.demand(Constraint::Equal(sizes[1], constant(4)), &["boxes"], || message.to_string())?;
                op.same_type(("input", input.dtype), ("boxes", tensor.dtype));
                boxes = boxes + sizes[0];
            }
        }
        _ => boxes = fresh_count("boxes"),
    }
    let sizes = op.per_axis("output_size", 2, None)?;
    let sizes: Vec<Dim> = sizes.into_iter().map(|size| size.unwrap_or_else(|| fresh("output_size"))).collect();
    let channels = if kind.starts_with("ps") || kind.starts_with("psroi") {
        let area = sizes[0] * sizes[1];
        let message =
            format_args!("the {} channels of `input` must be divisible by the area of the output ({area})", dims[1]);
        op.demand(Constraint::Divides { divisor: area, value: dims[1] }, &["input", "output_size"], || {
            message.to_string()
        })?;
        dims[1].floor_div(area)
    } else {
        dims[1]
    };
    Ok(Output::tensor(Shape::known(vec![boxes, channels, sizes[0], sizes[1]]), input.dtype))
}

/// `masks_to_boxes(masks)`: a box a mask.
pub(crate) fn masks_to_boxes(op: &mut Operation) -> Evaluated {
    let masks = op.tensor("masks");
    let dims = op.with_rank(&masks.shape, 3, "masks")?;
    let is_empty = dims.iter().any(|dim| dim.as_const() == Some(0));
    let boxes = if is_empty { constant(0) } else { dims[0] };
    Ok(Output::tensor(Shape::known(vec![boxes, constant(4)]), DType::Float32))
}

/// `box_convert(boxes, in_fmt, out_fmt)`: the shape stays; where the formats differ, boxes have four numbers.
pub(crate) fn box_convert(op: &mut Operation) -> Evaluated {
    let boxes = op.tensor("boxes");
    let known = ["xyxy", "xywh", "cxcywh", "xywhr", "cxcywhr", "xyxyxyxy"];
    for name in ["in_fmt", "out_fmt"] {
        if let Some(format) = op.text_argument(name).map(str::to_owned)
            && !known.contains(&format.as_str())
        {
            return op.reject(&[name], format!("`{name}` is '{format}', which is not a format of boxes"));
        }
    }
    let formats = (op.text_argument("in_fmt").map(str::to_owned), op.text_argument("out_fmt").map(str::to_owned));
    let (Some(from), Some(to)) = formats else { return Ok(unknown_tensor(boxes.dtype)) };
    let is_plain = |format: &str| !format.ends_with('r') && format != "xyxyxyxy";
    if from == to || !is_plain(&from) || !is_plain(&to) {
        return Ok(if from == to { Output::tensor(boxes.shape, boxes.dtype) } else { unknown_tensor(boxes.dtype) });
    }
    let Some((_, _, last)) = op.solver.split(&boxes.shape, 0, 1) else {
        return op.reject(&["boxes"], "`boxes` must have at least 1 dimension".to_owned());
    };
    let message = format_args!("{} must have 4 numbers a box", op.operand("boxes", &boxes.shape));
    op.demand(Constraint::Equal(last[0], constant(4)), &["boxes"], || message.to_string())?;
    let dtype = if boxes.dtype.is_floating() { boxes.dtype } else { DType::Unknown };
    Ok(Output::tensor(op.solver.resolve_shape(&boxes.shape), dtype))
}

/// Requires boxes with scores, and gives the indices of those that stay.
pub(crate) fn suppressed(op: &mut Operation) -> Evaluated {
    let kept = Output::tensor(Shape::known(vec![fresh_count("kept")]), DType::Int64);
    // `batched_nms` looks at the boxes of each class by itself, and checks nothing before.
    if op.short_name() == "batched_nms" {
        return classes_fit(op, kept);
    }
    let boxes = op.tensor("boxes");
    let sizes = op.with_rank(&boxes.shape, 2, "boxes")?;
    let message = format_args!("{} must have 4 columns", op.operand("boxes", &boxes.shape));
    op.demand(Constraint::Equal(sizes[1], constant(4)), &["boxes"], || message.to_string())?;
    for name in ["scores", "idxs"] {
        if let Some(values) = op.given_tensor(name) {
            let size = op.with_rank(&values.shape, 1, name)?[0];
            let message = format_args!("expected {} elements in `{name}`, one for each box, got {size}", sizes[0]);
            op.demand(Constraint::Equal(size, sizes[0]), &[name, "boxes"], || message.to_string())?;
        }
    }
    Ok(kept)
}

/// The boxes of `batched_nms` have four columns where there are any, and as many scores and classes, or one for all.
fn classes_fit(op: &mut Operation, kept: Output) -> Evaluated {
    let boxes = op.tensor("boxes");
    let Some(sizes) = op.dims(&boxes.shape) else { return Ok(kept) };
    let [rows, columns] = sizes.as_slice() else { return Ok(kept) };
    if rows.as_const() == Some(0) {
        return Ok(kept);
    }
    let message = format_args!("{} must have 4 columns", op.operand("boxes", &boxes.shape));
    op.demand(Constraint::Equal(*columns, constant(4)), &["boxes"], || message.to_string())?;
    for name in ["scores", "idxs"] {
        let dims = op.given_tensor(name).and_then(|values| op.dims(&values.shape));
        let Some(&[size]) = dims.as_deref() else { continue };
        if size.as_const() == Some(1) {
            continue;
        }
        let message = format_args!("expected {rows} elements in `{name}`, one for each box, got {size}");
        op.demand(Constraint::Equal(size, *rows), &[name, "boxes"], || message.to_string())?;
    }
    Ok(kept)
}

/// `box_iou(boxes1, boxes2)` and its like: a number for each pair.
pub(crate) fn box_pairs(op: &mut Operation) -> Evaluated {
    let (left, right) = (op.tensor("boxes1"), op.tensor("boxes2"));
    let ranks = (op.rank(&left.shape), op.rank(&right.shape));
    if !matches!(ranks, (Some(2) | None, Some(2) | None)) {
        return Ok(unknown_tensor(DType::Unknown));
    }
    let mut counts = Vec::with_capacity(2);
    for (name, tensor) in [("boxes1", &left), ("boxes2", &right)] {
        let sizes = op.with_rank(&tensor.shape, 2, name)?;
        let message = format_args!("{} must have 4 columns", op.operand(name, &tensor.shape));
        op.demand(Constraint::Equal(sizes[1], constant(4)), &[name], || message.to_string())?;
        counts.push(sizes[0]);
    }
    let dtype = op.result_type(&[op.arguments.value("boxes1"), op.arguments.value("boxes2")]);
    Ok(Output::tensor(Shape::known(counts), if dtype.is_floating() { dtype } else { DType::Unknown }))
}

/// `generalized_box_iou_loss(boxes1, boxes2, reduction)` and its like.
pub(crate) fn box_loss(op: &mut Operation) -> Evaluated {
    let (left, right) = (op.tensor("boxes1"), op.tensor("boxes2"));
    let shape = op.broadcast(("boxes1", &left.shape), ("boxes2", &right.shape))?;
    let Some((_, rest, last)) = op.solver.split(&shape, 0, 1) else {
        return op.reject(&["boxes1"], "boxes must have at least 1 dimension".to_owned());
    };
    let message = format_args!("boxes must have 4 numbers, got {}", last[0]);
    op.demand(Constraint::Equal(last[0], constant(4)), &["boxes1", "boxes2"], || message.to_string())?;
    let dtype = op.result_type(&[op.arguments.value("boxes1"), op.arguments.value("boxes2")]);
    let shape = match op.text_argument("reduction") {
        Some("none") => rest,
        Some(_) => Shape::scalar(),
        None => Shape::unknown("loss"),
    };
    Ok(Output::tensor(shape, dtype))
}

/// `sigmoid_focal_loss(inputs, targets, reduction)`: both of one shape.
pub(crate) fn focal_loss(op: &mut Operation) -> Evaluated {
    let (input, target) = (op.tensor("input"), op.tensor("target"));
    let shape = op.same_shape(("input", &input.shape), ("target", &target.shape))?;
    let dtype = op.result_type(&[op.arguments.value("input"), op.arguments.value("target")]);
    let shape = match op.text_argument("reduction") {
        Some("none") => shape,
        Some(_) => Shape::scalar(),
        None => Shape::unknown("loss"),
    };
    Ok(Output::tensor(shape, dtype))
}

/// `make_grid(tensor, nrow=8, padding=2)`: images side by side, of three channels where they had one.
pub(crate) fn grid(op: &mut Operation) -> Evaluated {
    let input = match op.arguments.value("input") {
        Argument::Sequence(images) => match images.first() {
            Some(first) => {
                let first = op.as_tensor(first, "input");
                TensorArgument { shape: joined(&[count(images.len())], Some(&first.shape), &[]), dtype: first.dtype }
            }
            None => return op.reject(&["input"], "the list of images is empty".to_owned()),
        },
        _ => op.tensor("input"),
    };
    let Some(mut dims) = op.dims(&input.shape) else { return Ok(unknown_tensor(input.dtype)) };
    if !(2..=4).contains(&dims.len()) {
        return Ok(unknown_tensor(input.dtype));
    }
    while dims.len() < 4 {
        dims.insert(0, constant(1));
    }
    let channels = if dims[1].as_const() == Some(1) { constant(3) } else { dims[1] };
    if dims[0].as_const() == Some(1) {
        return Ok(Output::tensor(Shape::known(vec![channels, dims[2], dims[3]]), input.dtype));
    }
    let (Some(images), Some(row), Some(padding)) =
        (dims[0].as_const(), op.int_argument("nrow"), op.int_argument("padding"))
    else {
        let sizes = vec![channels, fresh("height"), fresh("width")];
        return Ok(Output::tensor(Shape::known(sizes), input.dtype));
    };
    let columns = row.min(images);
    if columns < 1 {
        return op.reject(&["nrow"], format!("`nrow` must be positive, got {row}"));
    }
    let rows = (images + columns - 1) / columns;
    let side = |size: Dim, times: i64| constant(times) * (size + constant(padding)) + constant(padding);
    let sizes = vec![channels, side(dims[2], rows), side(dims[3], columns)];
    Ok(Output::tensor(Shape::known(sizes), input.dtype))
}

/// `Conv2dNormActivation(in_channels, out_channels, kernel_size=3, stride=1, padding=None)(input)`: padded to keep the size.
pub(crate) fn convolution_layers(op: &mut Operation) -> Evaluated {
    let mut bound = Arguments::default();
    for (name, argument) in op.arguments.iter() {
        bound.push(name, argument.clone());
    }
    let spatial = if op.short_name().contains("3d") { 3 } else { 2 };
    if op.is_absent("padding") {
        let kernel = op.per_axis("kernel_size", spatial, Some(3))?;
        let dilation = op.per_axis("dilation", spatial, Some(1))?;
        let padding = kernel.iter().zip(dilation).map(|(kernel, dilation)| match (kernel, dilation) {
            (Some(kernel), Some(dilation)) => {
                Argument::Integer((*kernel - constant(1)).floor_div(constant(2)) * dilation)
            }
            _ => Argument::Unknown,
        });
        bound.push("padding", Argument::Sequence(padding.collect()));
    }
    bound.push("padding_mode", Argument::Text("zeros".into()));
    let api = if spatial == 3 { "Conv3d" } else { "Conv2d" };
    let mut inner = Operation::new(api, op.rules, &bound, op.solver);
    let output = convolution::conv_module(&mut inner);
    let judged = std::mem::take(&mut inner.judged);
    op.judged.extend(judged);
    output
}

/// `MLP(in_channels, hidden_channels)(input)`: the last dimension becomes the last of the hidden ones.
pub(crate) fn perceptron(op: &mut Operation) -> Evaluated {
    let input = op.tensor("input");
    let Some((_, rest, last)) = op.solver.split(&input.shape, 0, 1) else {
        return op.reject(&["input"], "`input` must have at least 1 dimension".to_owned());
    };
    if let Some(channels) = op.dim_argument("in_channels") {
        let message = format_args!(
            "expected {channels} channels (`in_channels`), got {} in the last dimension of {}",
            last[0],
            op.operand("input", &input.shape)
        );
        op.demand(Constraint::Equal(last[0], channels), &["input", "in_channels"], || message.to_string())?;
    }
    let out = match op.arguments.get("hidden_channels") {
        Some(Argument::Sequence(sizes)) => sizes.last().and_then(Argument::as_dim),
        _ => None,
    };
    Ok(Output::tensor(joined(&[], Some(&rest), &[out.unwrap_or_else(|| fresh("hidden"))]), input.dtype))
}

/// `DeformConv2d(…)(input, offset)`: a convolution whose offsets have the size of the result.
pub(crate) fn deformable_convolution(op: &mut Operation) -> Evaluated {
    let mut bound = Arguments::default();
    for (name, argument) in op.arguments.iter() {
        bound.push(name, argument.clone());
    }
    bound.push("padding_mode", Argument::Text("zeros".into()));
    let mut inner = Operation::new("Conv2d", op.rules, &bound, op.solver);
    let output = convolution::conv_module(&mut inner);
    let judged = std::mem::take(&mut inner.judged);
    op.judged.extend(judged);
    let output = output?;
    let (Output::Tensor { shape, .. }, Some(offset)) = (&output, op.given_tensor("offset")) else { return Ok(output) };
    let (Some(result), Some(kernel)) =
        (op.dims(shape), op.per_axis("kernel_size", 2, None)?.into_iter().collect::<Option<Vec<Dim>>>())
    else {
        return Ok(output);
    };
    let offsets = op.with_rank(&offset.shape, 4, "offset")?;
    let group = constant(2) * kernel[0] * kernel[1];
    let subject = op.operand("offset", &offset.shape);
    let message = format_args!("the channels of {subject} must be a multiple of {group}");
    op.demand(Constraint::Divides { divisor: group, value: offsets[1] }, &["offset"], || message.to_string())?;
    if let [batch, _, height, width] = result.as_slice() {
        for (own, expected) in [(offsets[0], batch), (offsets[2], height), (offsets[3], width)] {
            let message = format_args!("{subject} does not have the size of the result {shape}");
            op.demand(Constraint::Equal(own, *expected), &["offset", "input"], || message.to_string())?;
        }
    }
    Ok(output)
}

/// `deform_conv2d(input, offset, weight, bias, stride, padding, dilation, mask)`: a convolution whose offsets have the size of the result.
pub(crate) fn deformed(op: &mut Operation) -> Evaluated {
    let (input, weight) = (op.tensor("input"), op.tensor("weight"));
    let (Some(own), Some(kernel)) = (op.dims(&input.shape), op.dims(&weight.shape)) else {
        return Ok(unknown_tensor(input.dtype));
    };
    op.with_rank(&input.shape, 4, "input")?;
    op.with_rank(&weight.shape, 4, "weight")?;
    let mut bound = Arguments::default();
    op.arguments.iter().for_each(|(name, argument)| bound.push(name, argument.clone()));
    // The channels say how many groups there are.
    let groups = own[1].floor_div(kernel[1]);
    bound.push("groups", Argument::Integer(groups));
    let mut inner = Operation::new("conv2d", op.rules, &bound, op.solver);
    let output = convolution::conv(&mut inner);
    let judged = std::mem::take(&mut inner.judged);
    op.judged.extend(judged);
    let output = output?;
    let Output::Tensor { shape, .. } = &output else { return Ok(output) };
    let Some(result) = op.dims(shape) else { return Ok(output) };
    let offset = op.tensor("offset");
    let offsets = op.with_rank(&offset.shape, 4, "offset")?;
    let group = constant(2) * kernel[2] * kernel[3];
    let subject = op.operand("offset", &offset.shape);
    let message = format_args!("the channels of {subject} must be a multiple of {group}");
    op.demand(Constraint::Divides { divisor: group, value: offsets[1] }, &["offset"], || message.to_string())?;
    for (own, expected) in [(offsets[0], own[0]), (offsets[2], result[2]), (offsets[3], result[3])] {
        let message = format_args!("{subject} does not have the size of the result {shape}");
        op.demand(Constraint::Equal(own, expected), &["offset", "input"], || message.to_string())?;
    }
    Ok(output)
}

/// `remove_small_boxes(boxes, min_size)`: some of the boxes, which have four columns.
pub(crate) fn selected_boxes(op: &mut Operation) -> Evaluated {
    let boxes = op.tensor("boxes");
    let message = format!("{} must have 4 columns, the corners", op.operand("boxes", &boxes.shape));
    let Some((_, _, last)) = op.solver.split(&boxes.shape, 0, 1) else { return op.reject(&["boxes"], message) };
    op.demand(Constraint::LessEqual(constant(4), last[0]), &["boxes"], || message)?;
    Ok(Output::tensor(Shape::known(vec![fresh_count("kept")]), harp_shape::DType::Int64))
}
