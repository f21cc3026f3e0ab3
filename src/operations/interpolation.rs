//! Transfer functions that resample images.

use crate::operation::{Argument, Operation, Output, TensorArgument};
use crate::support::{Evaluated, Stop, constant, fresh, unknown_tensor};
use harp_shape::{Constraint, Dim, Shape};

/// `interpolate(input, size, scale_factor, mode, align_corners)`, and the modules `Upsample` and `UpsamplingBilinear2d`.
pub(crate) fn interpolate(op: &mut Operation) -> Evaluated {
    let input = op.tensor("input");
    let mode = match op.short_name() {
        "UpsamplingNearest2d" => Some("nearest".to_owned()),
        "UpsamplingBilinear2d" => Some("bilinear".to_owned()),
        _ if op.arguments.get("mode").is_none() => Some("nearest".to_owned()),
        _ => op.text_argument("mode").map(str::to_owned),
    };
    let is_known = mode.is_some();
    // The sizes are those that are asked for in any mode.
    let mode = match (mode, op.rank(&input.shape)) {
        (Some(mode), _) => mode,
        (None, Some(3..=5)) => "area".to_owned(),
        (None, _) => return Ok(unknown_tensor(input.dtype)),
    };
    if is_open(op, &input, &mode) {
        let Some((front, _, _)) = op.solver.split(&input.shape, 2, 0) else { return Ok(unknown_tensor(input.dtype)) };
        return Ok(Output::tensor(Shape::known(front).concat(&Shape::unknown("resized")), input.dtype));
    }
    let dims = input_dims(op, &input, &mode)?;
    let spatial = dims.len() - 2;
    if is_known
        && matches!(mode.as_str(), "nearest" | "area" | "nearest-exact")
        && matches!(op.arguments.get("align_corners"), Some(Argument::Boolean(_)))
    {
        let message = format!("`align_corners` does not go with the mode '{mode}'");
        return op.reject(&["align_corners", "mode"], message);
    }
    let (no_size, no_scale) = (op.is_absent("size"), op.is_absent("scale_factor"));
    if no_size == no_scale {
        let certain = |name: &str| !matches!(op.arguments.get(name), Some(Argument::Unknown) | None);
        if certain("size") && certain("scale_factor") {
            let message = "exactly one of `size` and `scale_factor` must be given".to_owned();
            return op.reject(&["size", "scale_factor"], message);
        }
        return Ok(Output::tensor(with_fresh_area(&dims), input.dtype));
    }
    let area = if no_scale { requested(op, spatial)? } else { scaled(op, &dims[2..])? };
    // Averaging an area may leave nothing.
    for size in area.iter().filter(|_| mode != "area") {
        let message = format_args!("the output would have a size of {size} for {}", op.operand("input", &input.shape));
        op.demand(Constraint::Less(constant(0), *size), &["input", "size", "scale_factor"], || message.to_string())?;
    }
    let mut result = dims[..2].to_vec();
    result.extend(area);
    Ok(Output::tensor(Shape::known(result), input.dtype))
}

/// Whether nothing says how many dimensions are resampled.
fn is_open(op: &Operation, input: &TensorArgument, mode: &str) -> bool {
    let is_listed = |name: &str| matches!(op.arguments.get(name), Some(Argument::Sequence(_)));
    op.short_name() == "interpolate"
        && matches!(mode, "nearest" | "area" | "nearest-exact")
        && op.rank(&input.shape).is_none()
        && !["size", "scale_factor"].into_iter().any(is_listed)
}

fn with_fresh_area(dims: &[Dim]) -> Shape {
    let mut result = dims[..2].to_vec();
    result.extend(dims[2..].iter().map(|_| fresh("resized")));
    Shape::known(result)
}

/// The dimensions of the input, whose number the mode decides.
fn input_dims(op: &mut Operation, input: &TensorArgument, mode: &str) -> Result<Vec<Dim>, Stop> {
    let ranks: &[usize] = match mode {
        "linear" => &[3],
        "bilinear" | "bicubic" | "lanczos" => &[4],
        "trilinear" => &[5],
        "nearest" | "area" | "nearest-exact" => &[3, 5, 4],
        _ => return op.reject(&["mode"], format!("'{mode}' is not a mode of interpolation")),
    };
    if let Some(rank) = op.rank(&input.shape)
        && !ranks.contains(&rank)
    {
        let message = format!(
            "the mode '{mode}' does not go with the {rank} dimensions of {}",
            op.operand("input", &input.shape)
        );
        return op.reject(&["input", "mode"], message);
    }
    let spatial = ["size", "scale_factor"].into_iter().find_map(|name| match op.arguments.get(name) {
        Some(Argument::Sequence(items)) => Some(items.len()),
        _ => None,
    });
    match spatial {
        Some(spatial) if op.rank(&input.shape).is_none() && ranks.contains(&(spatial + 2)) => {
            op.with_rank(&input.shape, spatial + 2, "input")
        }
        _ => op.with_rank_of(&input.shape, ranks, "input"),
    }
}

/// The sizes in `size`, one an axis.
fn requested(op: &mut Operation, spatial: usize) -> Result<Vec<Dim>, Stop> {
    if let Some(Argument::Sequence(items)) = op.arguments.get("size")
        && items.len() != spatial
    {
        let message = format!("`size` must be one integer or {spatial} of them, got {}", items.len());
        return op.reject(&["size", "input"], message);
    }
    Ok(op.per_axis("size", spatial, None)?.into_iter().map(|size| size.unwrap_or_else(|| fresh("resized"))).collect())
}

/// The sizes times their factors, rounded down.
fn scaled(op: &mut Operation, area: &[Dim]) -> Result<Vec<Dim>, Stop> {
    let factors: Vec<Argument> = match op.arguments.value("scale_factor") {
        Argument::Sequence(items) if items.len() != area.len() => {
            let message = format!("`scale_factor` must be one number or {} of them, got {}", area.len(), items.len());
            return op.reject(&["scale_factor", "input"], message);
        }
        Argument::Sequence(items) => items,
        single => vec![single; area.len()],
    };
    Ok(area.iter().zip(&factors).map(|(size, factor)| scaled_size(op, *size, factor)).collect())
}

fn scaled_size(op: &Operation, size: Dim, factor: &Argument) -> Dim {
    if let Some(factor) = factor.as_dim() {
        return size * op.solver.resolve(factor);
    }
    let Argument::Float(Some(factor)) = factor else { return fresh("resized") };
    if let Some(size) = size.as_const() {
        let scaled = (size as f64 * factor).floor();
        return if scaled.is_finite() && scaled.abs() < 1e15 { constant(scaled as i64) } else { fresh("resized") };
    }
    match fraction(*factor) {
        Some((numerator, denominator)) => (size * constant(numerator)).floor_div(constant(denominator)),
        None => fresh("resized"),
    }
}

/// A factor such as 0.5 or 1.25 as a fraction that it equals exactly.
fn fraction(factor: f64) -> Option<(i64, i64)> {
    let denominators = [1_i64, 2, 4, 8, 16, 32, 64, 128];
    denominators.into_iter().find_map(|denominator| {
        let numerator = factor * denominator as f64;
        (numerator.fract() == 0.0 && numerator.abs() < 1e9).then_some((numerator as i64, denominator))
    })
}

/// `grid_sample(input, grid)`: `[n, c, …]` at the places of `[n, *out, d]`.
pub(crate) fn grid_sample(op: &mut Operation) -> Evaluated {
    let (input, grid) = (op.tensor("input"), op.tensor("grid"));
    // The grid tells as well how many spatial dimensions there are.
    let dims = match (op.rank(&input.shape), op.rank(&grid.shape)) {
        (None, Some(rank @ (4 | 5))) => op.with_rank(&input.shape, rank, "input")?,
        _ => op.with_rank_of(&input.shape, &[5, 4], "input")?,
    };
    let places = op.with_rank(&grid.shape, dims.len(), "grid")?;
    let texts = (op.operand("input", &input.shape), op.operand("grid", &grid.shape));
    let message = format_args!("{} and {} must have the same batch size", texts.0, texts.1);
    op.demand(Constraint::Equal(dims[0], places[0]), &["input", "grid"], || message.to_string())?;
    let coordinates = places[places.len() - 1];
    let expected = constant(i64::try_from(dims.len() - 2).unwrap_or(2));
    let message = format_args!(
        "the last dimension of {} must be {expected}, a coordinate for each spatial dimension of {}",
        texts.1, texts.0
    );
    op.demand(Constraint::Equal(coordinates, expected), &["grid"], || message.to_string())?;
    let mut result = dims[..2].to_vec();
    result.extend(&places[1..places.len() - 1]);
    Ok(Output::tensor(Shape::known(result), input.dtype))
}

/// `affine_grid(theta, size)`: a place for each element of an image of that size.
pub(crate) fn affine_grid(op: &mut Operation) -> Evaluated {
    let theta = op.tensor("theta");
    let Some(sizes) = op.sizes("size")?.filter(|sizes| sizes.len() >= 3) else {
        return Ok(unknown_tensor(theta.dtype));
    };
    let spatial = sizes.len() - 2;
    let dims = op.with_rank(&theta.shape, 3, "theta")?;
    let subject = op.operand("theta", &theta.shape);
    for (dim, expected) in dims.iter().zip([sizes[0], constant(spatial as i64), constant(spatial as i64 + 1)]) {
        let message = format_args!("{subject} must have the shape [{}, {spatial}, {}]", sizes[0], spatial + 1);
        op.demand(Constraint::Equal(*dim, expected), &["theta", "size"], || message.to_string())?;
    }
    let mut result = vec![sizes[0]];
    result.extend(&sizes[2..]);
    result.push(constant(spatial as i64));
    Ok(Output::tensor(Shape::known(result), theta.dtype))
}
