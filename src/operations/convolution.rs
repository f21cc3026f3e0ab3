//! Transfer functions of convolutions, transposed convolutions, and the checks of their constructors.

use crate::dtypes::{clash, is_integral};
use crate::operation::{Argument, Operation, Output, TensorArgument};
use crate::size_names::WEIGHT_TYPE;
use crate::support::{Evaluated, Stop, constant, fresh, items, unknown_tensor};
use harp_shape::{Constraint, DType, Dim, Shape};

/// The weights of a convolution, from a tensor or from a constructor's parameters.
struct Weights {
    /// What the input must have; `None` where it is not known.
    in_channels: Option<Dim>,
    out_channels: Dim,
    kernel: Vec<Option<Dim>>,
    /// How the input's channels are told apart in a message.
    source: String,
    parameter: &'static str,
}

/// `conv1d(input, weight, bias, stride, padding, dilation, groups)` and for 2 and 3 dimensions.
pub(crate) fn conv(op: &mut Operation) -> Evaluated {
    let Some(spatial) = spatial(op) else { return Ok(unknown_tensor(op.input().dtype)) };
    let input = op.tensor("input");
    let dims = batched(op, &input, spatial)?;
    let weights = weights(op, spatial, false)?;
    op.same_weight_type(&input);
    convolve(op, &input, &dims, &weights, spatial)
}

/// `nn.Conv1d(in_channels, out_channels, kernel_size, stride, padding, dilation, groups)(input)` and for 2 and 3 dimensions.
pub(crate) fn conv_module(op: &mut Operation) -> Evaluated {
    let Some(spatial) = spatial(op) else { return Ok(unknown_tensor(op.input().dtype)) };
    let input = op.tensor("input");
    let weights = module_weights(op, spatial)?;
    op.float_input(&input);
    op.weights_take(("input", input.dtype));
    let dims = batched(op, &input, spatial)?;
    convolve(op, &input, &dims, &weights, spatial)
}

/// `conv_transpose1d(input, weight, bias, stride, padding, output_padding, groups, dilation)` and for 2 and 3 dimensions.
pub(crate) fn conv_transpose(op: &mut Operation) -> Evaluated {
    let Some(spatial) = spatial(op) else { return Ok(unknown_tensor(op.input().dtype)) };
    let input = op.tensor("input");
    let dims = batched(op, &input, spatial)?;
    let weights = weights(op, spatial, true)?;
    op.same_weight_type(&input);
    deconvolve(op, &input, &dims, &weights, spatial)
}

/// `nn.ConvTranspose2d(…)(input, output_size=None)`.
pub(crate) fn conv_transpose_module(op: &mut Operation) -> Evaluated {
    let Some(spatial) = spatial(op) else { return Ok(unknown_tensor(op.input().dtype)) };
    let input = op.tensor("input");
    let weights = module_weights(op, spatial)?;
    op.float_input(&input);
    op.weights_take(("input", input.dtype));
    let dims = batched(op, &input, spatial)?;
    deconvolve(op, &input, &dims, &weights, spatial)
}

/// The spatial rank: from the API's name, or from the weight.
fn spatial(op: &Operation) -> Option<usize> {
    op.spatial_rank().or_else(|| op.rank(&op.arguments.tensor("weight")?.shape)?.checked_sub(2))
}

impl Operation<'_> {
    /// Reports integers given to a layer whose weights are floats.
    pub(crate) fn float_input(&mut self, input: &TensorArgument) {
        if is_integral(input.dtype) {
            let layer = self.short_name();
            let message = format!("`input` is {}, but the weights of `{layer}` are floats", input.dtype);
            self.fail(&["input"], message);
        }
    }

    /// Requires that a layer's operand has the type of its weights, where both are known.
    pub(crate) fn weights_take(&mut self, operand: (&str, DType)) {
        if let Some(Argument::DType(weights)) = self.arguments.get(WEIGHT_TYPE)
            && !is_integral(operand.1)
            && clash(operand.1, *weights)
            && !self.arguments.may_be_arrays
        {
            let (layer, weights) = (self.short_name(), *weights);
            let message = format!("`{}` is {}, but the weights of `{layer}` are {weights}", operand.0, operand.1);
            self.fail(&[operand.0], message);
        }
    }

    fn same_weight_type(&mut self, input: &TensorArgument) {
        if let Some(weight) = self.given_tensor("weight") {
            self.same_type(("input", input.dtype), ("weight", weight.dtype));
        }
    }
}

/// The dimensions of the input: with a batch, or without.
fn batched(op: &mut Operation, input: &TensorArgument, spatial: usize) -> Result<Vec<Dim>, Stop> {
    op.with_rank_of(&input.shape, &[spatial + 1, spatial + 2], "input")
}

fn groups(op: &Operation) -> Option<Dim> {
    if op.arguments.get("groups").is_none() { Some(constant(1)) } else { op.dim_argument("groups") }
}

/// Reads `weight` and `bias`, and checks them against each other and against `groups`.
fn weights(op: &mut Operation, spatial: usize, transposed: bool) -> Result<Weights, Stop> {
    let groups = groups(op);
    let Some(weight) = op.given_tensor("weight") else {
        return Ok(Weights {
            in_channels: None,
            out_channels: fresh("out_channels"),
            kernel: vec![None; spatial],
            source: "`weight`".to_owned(),
            parameter: "weight",
        });
    };
    let dims = op.with_rank(&weight.shape, spatial + 2, "weight")?;
    let source = op.operand("weight", &weight.shape);
    if let Some(groups) = groups {
        let message = format_args!("dimension 0 of {source} must be divisible by `groups` ({groups})");
        op.demand(Constraint::Divides { divisor: groups, value: dims[0] }, &["weight", "groups"], || {
            message.to_string()
        })?;
    }
    let times = |dim: Dim| groups.map(|groups| groups * dim);
    let (in_channels, out_channels) = if transposed {
        (Some(dims[0]), times(dims[1]).unwrap_or_else(|| fresh("out_channels")))
    } else {
        (times(dims[1]), dims[0])
    };
    if let Some(bias) = op.given_tensor("bias") {
        let bias_dims = op.with_rank(&bias.shape, 1, "bias")?;
        let message = format_args!(
            "{} must have {out_channels} elements, as many as {source} has output channels",
            op.operand("bias", &bias.shape)
        );
        op.demand(Constraint::Equal(bias_dims[0], out_channels), &["bias", "weight"], || message.to_string())?;
    }
    let kernel = dims[2..].iter().map(|dim| Some(*dim)).collect();
    Ok(Weights { in_channels, out_channels, kernel, source: source.to_string(), parameter: "weight" })
}

fn module_weights(op: &mut Operation, spatial: usize) -> Result<Weights, Stop> {
    let in_channels = op.dim_argument("in_channels").filter(|channels| channels.as_const() != Some(0));
    let source = in_channels.map_or_else(String::new, |_| "`in_channels`".to_owned());
    if let Some(Argument::Sequence(sizes)) = op.arguments.get("kernel_size")
        && sizes.len() != spatial
    {
        let message = format!("`kernel_size` must be one integer or {spatial} of them, got {}", sizes.len());
        return op.reject(&["kernel_size"], message);
    }
    let kernel = op.per_axis("kernel_size", spatial, None)?;
    positive(op, "kernel_size", &kernel)?;
    Ok(Weights {
        in_channels,
        out_channels: op.dim_argument("out_channels").unwrap_or_else(|| fresh("out_channels")),
        kernel,
        source,
        parameter: "in_channels",
    })
}

/// Requires that the input has the channels that the weights are for; the operation goes on in any case.
fn check_channels(op: &mut Operation, input: &TensorArgument, dims: &[Dim], weights: &Weights, spatial: usize) {
    let Some(expected) = weights.in_channels else { return };
    let channels = dims[dims.len() - spatial - 1];
    let place = dims.len() - spatial - 1;
    let groups = groups(op).and_then(Dim::as_const).filter(|groups| *groups != 1);
    let groups = groups.map_or_else(String::new, |groups| format!(" with `groups` {groups}"));
    let message = format_args!(
        "expected {expected} channels ({}{groups}), got {channels} in dimension {place} of {}",
        weights.source,
        op.operand("input", &input.shape)
    );
    op.equal(channels, expected, &["input", weights.parameter], || message.to_string());
}

/// The leading dimensions of the result: the batch, if there is one, and the output channels.
fn leading(dims: &[Dim], weights: &Weights, spatial: usize) -> Vec<Dim> {
    let mut result = dims[..dims.len() - spatial - 1].to_vec();
    result.push(weights.out_channels);
    result
}

fn positive(op: &mut Operation, name: &str, values: &[Option<Dim>]) -> Result<(), Stop> {
    for value in values.iter().flatten() {
        let message = format_args!("`{name}` must be positive, got {value}");
        op.demand(Constraint::Less(constant(0), *value), &[name], || message.to_string())?;
    }
    Ok(())
}

fn convolve(op: &mut Operation, input: &TensorArgument, dims: &[Dim], weights: &Weights, spatial: usize) -> Evaluated {
    let stride = op.per_axis("stride", spatial, Some(1))?;
    let dilation = op.per_axis("dilation", spatial, Some(1))?;
    positive(op, "stride", &stride)?;
    positive(op, "dilation", &dilation)?;
    let padding = Padding::read(op, spatial, &stride)?;
    check_channels(op, input, dims, weights, spatial);
    let mut result = leading(dims, weights, spatial);
    let sizes = &dims[dims.len() - spatial..];
    for axis in 0..spatial {
        let padding = match &padding {
            Padding::Same => {
                result.push(sizes[axis]);
                continue;
            }
            Padding::Sizes(sizes) => sizes[axis],
        };
        let (Some(kernel), Some(stride), Some(dilation), Some(padding)) =
            (weights.kernel[axis], stride[axis], dilation[axis], padding)
        else {
            result.push(fresh("conv"));
            continue;
        };
        let window = dilation * (kernel - constant(1)) + constant(1);
        let padded = sizes[axis] + constant(2) * padding;
        let message = format_args!(
            "the kernel (size {window} with dilation) is larger than the padded size {padded} of dimension {} of {}",
            dims.len() - spatial + axis,
            op.operand("input", &input.shape)
        );
        op.demand(Constraint::LessEqual(window, padded), &["input", weights.parameter], || message.to_string())?;
        result.push((padded - window).floor_div(stride) + constant(1));
    }
    Ok(Output::tensor(Shape::known(result), input.dtype))
}

/// The `padding` of a convolution.
enum Padding {
    /// `'same'`: the spatial sizes stay.
    Same,
    Sizes(Vec<Option<Dim>>),
}

impl Padding {
    fn read(op: &mut Operation, spatial: usize, stride: &[Option<Dim>]) -> Result<Padding, Stop> {
        let Some(text) = op.text_argument("padding").map(str::to_owned) else {
            let sizes = op.per_axis("padding", spatial, Some(0))?;
            for size in sizes.iter().flatten() {
                let message = format_args!("`padding` must not be negative, got {size}");
                op.demand(Constraint::LessEqual(constant(0), *size), &["padding"], || message.to_string())?;
            }
            return Ok(Padding::Sizes(sizes));
        };
        match text.as_str() {
            "valid" => Ok(Padding::Sizes(vec![Some(constant(0)); spatial])),
            "same" => {
                if stride.iter().flatten().any(|stride| stride.as_const().is_some_and(|stride| stride != 1)) {
                    return op.reject(
                        &["padding", "stride"],
                        "`padding='same'` does not go with a `stride` other than 1".to_owned(),
                    );
                }
                Ok(Padding::Same)
            }
            _ => op.reject(&["padding"], format!("`padding` must be 'same', 'valid' or integers, got '{text}'")),
        }
    }
}

fn deconvolve(
    op: &mut Operation,
    input: &TensorArgument,
    dims: &[Dim],
    weights: &Weights,
    spatial: usize,
) -> Evaluated {
    let stride = op.per_axis("stride", spatial, Some(1))?;
    let dilation = op.per_axis("dilation", spatial, Some(1))?;
    let padding = op.per_axis("padding", spatial, Some(0))?;
    let extra = op.per_axis("output_padding", spatial, Some(0))?;
    positive(op, "stride", &stride)?;
    positive(op, "dilation", &dilation)?;
    check_channels(op, input, dims, weights, spatial);
    let requested = requested_size(op, spatial)?;
    let mut result = leading(dims, weights, spatial);
    for (axis, size) in dims[dims.len() - spatial..].iter().enumerate() {
        if let Some(requested) = &requested {
            result.push(requested[axis]);
            continue;
        }
        let values = (weights.kernel[axis], stride[axis], dilation[axis], padding[axis], extra[axis]);
        let (Some(kernel), Some(stride), Some(dilation), Some(padding), Some(extra)) = values else {
            result.push(fresh("conv"));
            continue;
        };
        let message = format_args!(
            "`output_padding` ({extra}) must be smaller than `stride` ({stride}) or `dilation` ({dilation})"
        );
        let smaller = Constraint::Or(vec![Constraint::Less(extra, stride), Constraint::Less(extra, dilation)]);
        op.demand(smaller, &["output_padding", "stride"], || message.to_string())?;
        let one = constant(1);
        let window = dilation * (kernel - one) + one;
        let out = (*size - one) * stride - constant(2) * padding + window + extra;
        // Whether an empty output is an error depends on the backend.
        let message = format_args!(
            "the output size {out} of dimension {axis} is too small for {}",
            op.operand("input", &input.shape)
        );
        op.demand(Constraint::LessEqual(constant(0), out), &["input", weights.parameter], || message.to_string())?;
        result.push(out);
    }
    Ok(Output::tensor(Shape::known(result), input.dtype))
}

/// The spatial part of `output_size`, where it is given.
fn requested_size(op: &mut Operation, spatial: usize) -> Result<Option<Vec<Dim>>, Stop> {
    if op.is_absent("output_size") {
        return Ok(None);
    }
    let sizes = op.sizes("output_size")?.unwrap_or_else(|| (0..spatial).map(|_| fresh("output_size")).collect());
    if sizes.len() < spatial {
        let message = format!("`output_size` must have {spatial} sizes, got {}", sizes.len());
        return op.reject(&["output_size"], message);
    }
    Ok(Some(sizes[sizes.len() - spatial..].to_vec()))
}

/// The constructor of a convolution.
pub(crate) fn conv_init(op: &mut Operation) -> Evaluated {
    if let Some(groups) = groups(op) {
        let message = format_args!("`groups` must be positive, got {groups}");
        op.demand(Constraint::Less(constant(0), groups), &["groups"], || message.to_string())?;
        for parameter in ["in_channels", "out_channels"] {
            if let Some(channels) = op.dim_argument(parameter) {
                let message = format_args!("`{parameter}` ({channels}) must be divisible by `groups` ({groups})");
                op.demand(Constraint::Divides { divisor: groups, value: channels }, &[parameter, "groups"], || {
                    message.to_string()
                })?;
            }
        }
    }
    if let Some(spatial) = op.spatial_rank() {
        // How many sizes there are, and whether they are positive, is found out only where the layer is used.
        for size in items(&op.arguments.value("kernel_size")).unwrap_or_default() {
            if let Argument::Float(_) = size {
                return op.reject(&["kernel_size"], "`kernel_size` must be an integer, not a float".to_owned());
            }
            let Some(size) = size.as_dim() else { continue };
            let message = format_args!("`kernel_size` must not be negative, got {size}");
            op.demand(Constraint::LessEqual(constant(0), size), &["kernel_size"], || message.to_string())?;
        }
        if op.text_argument("padding").is_some() {
            let stride = items(&op.arguments.value("stride")).unwrap_or_default();
            let stride: Vec<Option<Dim>> = stride.iter().map(Argument::as_dim).collect();
            Padding::read(op, spatial, &stride)?;
        }
    }
    if let Some(Argument::Text(mode)) = op.arguments.get("padding_mode").cloned()
        && !matches!(&*mode, "zeros" | "reflect" | "replicate" | "circular")
    {
        let message = format!("`padding_mode` must be 'zeros', 'reflect', 'replicate' or 'circular', got '{mode}'");
        return op.reject(&["padding_mode"], message);
    }
    Ok(Output::None)
}
