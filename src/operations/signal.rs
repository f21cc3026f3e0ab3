//! Transfer functions of signals and samples: short Fourier transforms, convolution of sequences, histograms,
//! integrals.

use crate::dtypes::is_integral;
use crate::operation::{Argument, Operation, Output};
use crate::support::{Evaluated, Stop, constant, fresh, fresh_count, joined, unknown_tensor};
use harp_shape::{Constraint, DType, Dim, Shape};

/// `stft(input, n_fft, hop_length, center, onesided, return_complex)`: frequencies, then frames.
pub(crate) fn stft(op: &mut Operation) -> Evaluated {
    let input = op.tensor("input");
    let dims = op.with_rank_of(&input.shape, &[1, 2], "input")?;
    let (front, length) = (&dims[..dims.len() - 1], dims[dims.len() - 1]);
    let Some(window) = op.dim_argument("n_fft") else { return Ok(unknown_tensor(DType::Unknown)) };
    let hop =
        if op.is_absent("hop_length") { Some(window.floor_div(constant(4))) } else { op.dim_argument("hop_length") };
    let (Some(hop), Some(centred)) = (hop, op.flag_or("center", true)) else {
        return Ok(unknown_tensor(DType::Unknown));
    };
    check_window(op, window)?;
    let half = window.floor_div(constant(2));
    if centred && op.text_argument("pad_mode").is_none_or(|mode| mode == "reflect") {
        let message = format_args!("`input` of length {length} is too short to be padded by {half} on each side");
        op.demand(Constraint::Less(half, length), &["input", "n_fft"], || message.to_string())?;
    }
    let padded = if centred { length + constant(2) * half } else { length };
    let message = format_args!("`n_fft` is {window}, but there are only {padded} samples");
    op.demand(Constraint::LessEqual(window, padded), &["input", "n_fft"], || message.to_string())?;
    let message = format_args!("`hop_length` must be positive, got {hop}");
    op.demand(Constraint::Less(constant(0), hop), &["hop_length"], || message.to_string())?;
    let frames = (padded - window).floor_div(hop) + constant(1);
    let is_complex_input = input.dtype.is_complex();
    let frequencies = match op.arguments.get("onesided") {
        None | Some(Argument::None) if is_complex_input => window,
        None | Some(Argument::None) => half + constant(1),
        Some(_) => match op.arguments.flag("onesided") {
            Some(true) => half + constant(1),
            Some(false) => window,
            None => fresh("frequencies"),
        },
    };
    let mut sizes = front.to_vec();
    sizes.extend([frequencies, frames]);
    match op.arguments.flag("return_complex") {
        Some(true) if is_mixed(op, input.dtype) => Ok(unknown_tensor_of(sizes)),
        Some(true) => {
            let dtype = if input.dtype == DType::Float64 { DType::Complex128 } else { DType::Complex64 };
            Ok(Output::tensor(Shape::known(sizes), dtype))
        }
        Some(false) if !op.is_absent("return_complex") => {
            sizes.push(constant(2));
            Ok(Output::tensor(Shape::known(sizes), input.dtype))
        }
        _ => Ok(unknown_tensor(DType::Unknown)),
    }
}

/// Whether the window has another element type than the samples.
fn is_mixed(op: &mut Operation, dtype: DType) -> bool {
    op.given_tensor("window").is_some_and(|window| window.dtype != dtype)
}

fn unknown_tensor_of(sizes: Vec<Dim>) -> Output {
    Output::tensor(Shape::known(sizes), DType::Unknown)
}

/// Requires that a window is no longer than the transform, and as long as `win_length` where that is given.
fn check_window(op: &mut Operation, transform: Dim) -> Result<(), crate::support::Stop> {
    let length = if op.is_absent("win_length") { Some(transform) } else { op.dim_argument("win_length") };
    if let (Some(window), Some(length)) = (op.given_tensor("window"), length) {
        let size = op.with_rank(&window.shape, 1, "window")?[0];
        let message = format_args!("`window` has {size} elements, but must have {length}");
        op.demand(Constraint::Equal(size, length), &["window", "n_fft"], || message.to_string())?;
    }
    Ok(())
}

/// `istft(input, n_fft, hop_length, center, length)`.
pub(crate) fn istft(op: &mut Operation) -> Evaluated {
    let input = op.tensor("input");
    let dtype = crate::dtypes::magnitude(input.dtype);
    let dims = op.with_rank_of(&input.shape, &[2, 3], "input")?;
    let Some(window) = op.dim_argument("n_fft") else { return Ok(unknown_tensor(dtype)) };
    check_window(op, window)?;
    let (frequencies, frames) = (dims[dims.len() - 2], dims[dims.len() - 1]);
    if op.is_absent("onesided") || op.flag_or("onesided", true) == Some(true) {
        let half = window.floor_div(constant(2)) + constant(1);
        let message = format_args!("`input` has {frequencies} frequencies, but `n_fft` of {window} has {half}");
        op.demand(Constraint::Equal(frequencies, half), &["input", "n_fft"], || message.to_string())?;
    }
    let hop =
        if op.is_absent("hop_length") { Some(window.floor_div(constant(4))) } else { op.dim_argument("hop_length") };
    let length = match (op.is_absent("length"), hop, op.flag_or("center", true)) {
        (false, ..) => op.dim_argument("length"),
        (true, Some(hop), Some(true)) => Some(hop * (frames - constant(1))),
        (true, Some(hop), Some(false)) => Some(hop * (frames - constant(1)) + window),
        _ => None,
    };
    let mut sizes = dims[..dims.len() - 2].to_vec();
    sizes.push(length.unwrap_or_else(|| fresh("length")));
    let dtype = if is_mixed(op, dtype) { DType::Unknown } else { dtype };
    Ok(Output::tensor(Shape::known(sizes), dtype))
}

/// `trapezoid(y, dim=-1)`: the dimension goes.
pub(crate) fn trapezoid(op: &mut Operation) -> Evaluated {
    let input = op.input();
    let dtype = if is_integral(input.dtype) { op.default_float() } else { input.dtype };
    let Some(dim) = op.int_or("dim", -1) else { return Ok(unknown_tensor(dtype)) };
    let shape = match op.open_at(&input.shape, dim, "dim")? {
        Some((axes, place)) => {
            places_of_samples(op, axes.get(place))?;
            axes.without(&[place])
        }
        None => Shape::unknown("integral"),
    };
    Ok(Output::tensor(shape, dtype))
}

/// As many places as samples, where the places are a vector.
fn places_of_samples(op: &mut Operation, samples: Dim) -> Result<(), Stop> {
    let Some(places) = op.given_tensor("spacing") else { return Ok(()) };
    let Some(size) = op.dims(&places.shape).filter(|dims| dims.len() == 1).map(|dims| dims[0]) else { return Ok(()) };
    let message = format_args!(
        "there must be a place for each sample, but {} are for {samples}",
        op.operand("spacing", &places.shape)
    );
    op.demand(Constraint::Equal(size, samples), &["spacing", op.input_name()], || message.to_string())
}

/// `cumulative_trapezoid(y, dim=-1)`: one less.
pub(crate) fn cumulative_trapezoid(op: &mut Operation) -> Evaluated {
    let input = op.input();
    let dtype = if is_integral(input.dtype) { op.default_float() } else { input.dtype };
    let Some(dim) = op.int_or("dim", -1) else { return Ok(unknown_tensor(dtype)) };
    let Some((mut axes, place)) = op.open_at(&input.shape, dim, "dim")? else { return Ok(unknown_tensor(dtype)) };
    axes.set(place, (axes.get(place) - constant(1)).max(constant(0)));
    Ok(Output::tensor(axes.shape(), dtype))
}

/// `histogram(input, bins)`: counts, and the edges of the bins. `bins` is their number, or the edges.
pub(crate) fn histogram(op: &mut Operation) -> Evaluated {
    let input = op.input();
    let is_numpy = op.takes_arrays();
    // An array without dimensions is a number.
    let edges = op.given_tensor("bins").filter(|edges| op.solver.resolve_shape(&edges.shape).rank() != Some(0));
    let bins = match edges {
        Some(edges) => op.with_rank(&edges.shape, 1, "bins")?[0] - constant(1),
        None => match op.arguments.get("bins") {
            Some(Argument::Sequence(edges)) => crate::support::count(edges.len()) - constant(1),
            _ => match op.dim_argument("bins") {
                Some(bins) => bins,
                None => fresh_count("bins"),
            },
        },
    };
    let message = format_args!("`bins` must be positive, got {bins}");
    op.demand(Constraint::Less(constant(0), bins), &["bins"], || message.to_string())?;
    let counted =
        ["density", "weights"].into_iter().all(|name| op.arguments.flag(name) == Some(false) || op.is_absent(name));
    let dtypes = match is_numpy {
        true if counted => (DType::Int64, op.default_float()),
        true => (DType::Unknown, op.default_float()),
        false => (input.dtype, input.dtype),
    };
    Ok(Output::Tuple(vec![
        Output::tensor(Shape::known(vec![bins]), dtypes.0),
        Output::tensor(Shape::known(vec![bins + constant(1)]), dtypes.1),
    ]))
}

/// `numpy.convolve(a, v, mode)`, `correlate`: of sequences.
pub(crate) fn convolve(op: &mut Operation) -> Evaluated {
    let dtype = op.result_type(&[op.arguments.value("input"), op.arguments.value("v")]);
    let (left, right) = (op.tensor("input"), op.tensor("v"));
    if op.rank(&left.shape).is_none() || op.rank(&right.shape).is_none() {
        return Ok(unknown_tensor(dtype));
    }
    let one = op.with_rank(&left.shape, 1, "input")?[0];
    let other = op.with_rank(&right.shape, 1, "v")?[0];
    for (name, size) in [("input", one), ("v", other)] {
        op.demand(Constraint::Less(constant(0), size), &[name], || format!("`{name}` must not be empty"))?;
    }
    let size = match op.text_argument("mode") {
        Some("full") => one + other - constant(1),
        Some("same") => one.max(other),
        Some("valid") => one.max(other) - one.min(other) + constant(1),
        _ => fresh_count("convolved"),
    };
    Ok(Output::tensor(Shape::known(vec![size]), dtype))
}

/// `frexp(input)`: mantissas, and exponents.
pub(crate) fn mantissa_and_exponent(op: &mut Operation) -> Evaluated {
    let input = op.input();
    let mantissa = Output::tensor(input.shape.clone(), input.dtype);
    Ok(Output::Tuple(vec![mantissa, Output::tensor(input.shape, DType::Int32)]))
}

/// `angle`: real, of integers a float.
pub(crate) fn angle(op: &mut Operation) -> Evaluated {
    let input = op.input();
    let dtype = if is_integral(input.dtype) { op.default_float() } else { crate::dtypes::magnitude(input.dtype) };
    Ok(Output::tensor(input.shape, dtype))
}

/// `numpy.gradient(f, axis=None)`: an array an axis; a single one where there is one.
pub(crate) fn gradient(op: &mut Operation) -> Evaluated {
    let input = op.input();
    let dtype = if is_integral(input.dtype) { op.default_float() } else { input.dtype };
    let unknown = Ok(Output::Unknown("the number of axes is not known"));
    let Some(dims) = op.dims(&input.shape) else { return unknown };
    let axes: Vec<i64> = if op.is_absent("dim") {
        (0..i64::try_from(dims.len()).unwrap_or(0)).collect()
    } else {
        match op.int_list("dim") {
            Some(axes) => axes,
            None => return unknown,
        }
    };
    let places = op.distinct_axes(&axes, dims.len(), "axis", &input.shape)?;
    for place in places {
        let message = format_args!("`gradient` needs at least 2 elements along axis {place}, got {}", dims[place]);
        op.demand(Constraint::LessEqual(constant(2), dims[place]), &[op.input_name()], || message.to_string())?;
    }
    let one = Output::tensor(input.shape, dtype);
    Ok(if axes.len() == 1 { one } else { Output::Tuple(vec![one; axes.len()]) })
}

/// `select_scatter(input, src, dim, index)`: `src` has the shape of the place.
pub(crate) fn select_scatter(op: &mut Operation) -> Evaluated {
    let input = op.input();
    let Ok(Output::Tensor { shape: place, .. }) = crate::permute_and_select::select(op) else {
        return Ok(Output::tensor(input.shape, input.dtype));
    };
    source_fits(op, &place)?;
    Ok(Output::tensor(input.shape, input.dtype))
}

/// `slice_scatter(input, src, dim, start, end, step)`.
pub(crate) fn slice_scatter(op: &mut Operation) -> Evaluated {
    let input = op.input();
    let kept = Ok(Output::tensor(input.shape.clone(), input.dtype));
    let Some(dim) = op.int_or("dim", 0) else { return kept };
    if op.is_scalar(&input.shape) {
        return op.reject(&[op.input_name()], "`slice_scatter` needs a tensor with at least one dimension".to_owned());
    }
    let Some((mut axes, place)) = op.open_at(&input.shape, dim, "dim")? else { return kept };
    let Some(size) = axes.get(place).as_const() else { return kept };
    let (Some(start), Some(end), Some(step)) = (op.int_or("start", 0), op.int_or("end", size), op.int_or("step", 1))
    else {
        return kept;
    };
    if step < 1 {
        return op.reject(&["step"], format!("`step` must be positive, got {step}"));
    }
    let bound = |at: i64| (if at < 0 { at.saturating_add(size) } else { at }).clamp(0, size);
    let (start, end) = (bound(start), bound(end));
    axes.set(place, constant((end.max(start) - start + step - 1) / step));
    let shape = axes.shape();
    source_fits(op, &shape)?;
    kept
}

/// `diagonal_scatter(input, src, offset, dim1, dim2)`.
pub(crate) fn diagonal_scatter(op: &mut Operation) -> Evaluated {
    let input = op.input();
    if let Output::Tensor { shape: place, .. } = crate::permute_and_select::diagonal(op)? {
        source_fits(op, &place)?;
    }
    Ok(Output::tensor(input.shape, input.dtype))
}

fn source_fits(op: &mut Operation, place: &Shape) -> Result<(), crate::support::Stop> {
    let source = op.tensor("src");
    let texts = (op.operand("src", &source.shape), op.text(place));
    let message = format_args!("{} must have the shape of the place, {}", texts.0, texts.1);
    op.demand(Constraint::SameShape(source.shape, place.clone()), &["src"], || message.to_string())
}

/// `put(input, index, source)`: as many elements as indices.
pub(crate) fn put(op: &mut Operation) -> Evaluated {
    let input = op.input();
    let (index, source) = (op.tensor("index"), op.tensor("source"));
    let (indices, elements) = (op.solver.resolve(index.shape.prod()), op.solver.resolve(source.shape.prod()));
    let message = format_args!("`index` has {indices} elements, but `source` has {elements}");
    op.demand(Constraint::Equal(indices, elements), &["index", "source"], || message.to_string())?;
    Ok(Output::tensor(input.shape, input.dtype))
}

/// `input.sum_to_size(*size)`: the size broadcasts to the tensor.
pub(crate) fn sum_to_size(op: &mut Operation) -> Evaluated {
    let name = op.input_name();
    let input = op.input();
    let Some(sizes) = op.sizes("size")? else { return Ok(unknown_tensor(input.dtype)) };
    let shape = Shape::known(sizes);
    op.broadcast_into(("size", &shape), (name, &input.shape))?;
    Ok(Output::tensor(shape, input.dtype))
}

/// `FractionalMaxPool2d(kernel_size, output_size)(input)`.
pub(crate) fn fractional_pool(op: &mut Operation) -> Evaluated {
    let input = op.tensor("input");
    let Some(spatial) = op.spatial_rank() else { return Ok(unknown_tensor(input.dtype)) };
    let dims = op.with_rank_of(&input.shape, &[spatial + 1, spatial + 2], "input")?;
    let (front, sizes) = dims.split_at(dims.len() - spatial);
    let outputs: Vec<Option<Dim>> =
        if op.is_absent("output_size") { vec![None; spatial] } else { op.per_axis("output_size", spatial, None)? };
    let kernel = op.per_axis("kernel_size", spatial, None)?;
    for ((size, output), kernel) in sizes.iter().zip(&outputs).zip(kernel) {
        if let (Some(output), Some(kernel)) = (output, kernel) {
            let message =
                format_args!("a dimension of {size} elements cannot be pooled to {output} with a kernel of {kernel}");
            op.demand(Constraint::LessEqual(*output + kernel - constant(1), *size), &["input", "output_size"], || {
                message.to_string()
            })?;
        }
    }
    let outputs: Vec<Dim> = outputs.into_iter().map(|output| output.unwrap_or_else(|| fresh("pooled"))).collect();
    let shape = joined(front, None, &outputs);
    Ok(match op.flag_or("return_indices", false) {
        Some(false) => Output::tensor(shape, input.dtype),
        Some(true) => {
            Output::Tuple(vec![Output::tensor(shape.clone(), input.dtype), Output::tensor(shape, DType::Int64)])
        }
        None => Output::Unknown("whether indices are returned is not known"),
    })
}

/// `bucketize(input, boundaries)`, `searchsorted(sorted_sequence, input)`: a place for each element. Several sequences go with as many
/// rows of elements.
pub(crate) fn buckets(op: &mut Operation) -> Evaluated {
    let input = op.input();
    let name = if op.arguments.get("boundaries").is_some() { "boundaries" } else { "sorted_sequence" };
    let boundaries = op.tensor(name);
    if let (Some(one), Some(other)) = (op.dims(&boundaries.shape), op.dims(&input.shape))
        && one.len() != 1
    {
        let message = format!(
            "`{name}` {} must have 1 dimension, or all but the last of `input` {}",
            boundaries.shape, input.shape
        );
        if name == "boundaries" || one.is_empty() || one.len() != other.len() {
            return op.reject(&[name, "input"], message);
        }
        for (left, right) in one.iter().zip(&other).take(one.len() - 1) {
            op.demand(Constraint::Equal(*left, *right), &[name, "input"], || message.clone())?;
        }
    }
    let dtype = match op.flag_or("out_int32", false) {
        Some(true) => DType::Int32,
        Some(false) => DType::Int64,
        None => DType::Unknown,
    };
    Ok(Output::tensor(input.shape, dtype))
}
