//! Transfer functions of Fourier transforms.

use crate::operation::{Argument, Operation, Output};
use crate::support::{Evaluated, constant, items, unknown_tensor};
use harp_shape::{Constraint, DType, Dim};

/// What a transform does to the last of its dimensions.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Complex,
    /// Half of the spectrum of real values.
    ToHalf,
    /// Real values from half of their spectrum.
    FromHalf,
}

/// `fft`, `ifft` and their forms for several dimensions.
pub(crate) fn fft(op: &mut Operation) -> Evaluated {
    transform(op, Kind::Complex)
}

/// `rfft` and its forms for several dimensions.
pub(crate) fn rfft(op: &mut Operation) -> Evaluated {
    transform(op, Kind::ToHalf)
}

/// `irfft` and its forms for several dimensions.
pub(crate) fn irfft(op: &mut Operation) -> Evaluated {
    transform(op, Kind::FromHalf)
}

fn transform(op: &mut Operation, kind: Kind) -> Evaluated {
    let input = op.input();
    if op.is_scalar(&input.shape) && !op.short_name().ends_with('n') {
        return op.reject(&[op.input_name()], "a transform needs at least 1 dimension".to_owned());
    }
    let dtype = match (kind, input.dtype) {
        (Kind::FromHalf, DType::Complex64 | DType::Float32) => DType::Float32,
        (Kind::FromHalf, DType::Complex128 | DType::Float64) => DType::Float64,
        (Kind::FromHalf, _) => DType::Unknown,
        (_, DType::Float64 | DType::Complex128) => DType::Complex128,
        (_, DType::Unknown) => DType::Unknown,
        (_, other) if op.takes_arrays() && crate::dtypes::is_integral(other) => DType::Complex128,
        _ => DType::Complex64,
    };
    let lengths: Option<Vec<Option<Dim>>> = match ["n", "s"].into_iter().find(|name| !op.is_absent(name)) {
        None => Some(Vec::new()),
        Some(name) => op.arguments.get(name).and_then(items).map(|items| items.iter().map(Argument::as_dim).collect()),
    };
    let dims = if op.is_absent("dim") { whole(op, &input.shape, lengths.as_deref()) } else { op.int_list("dim") };
    let (Some(lengths), Some(dims)) = (lengths, dims) else { return Ok(unknown_tensor(dtype)) };
    // NumPy transforms an axis as often as it is named.
    if op.takes_arrays() && (1..dims.len()).any(|place| dims[..place].contains(&dims[place])) {
        return Ok(unknown_tensor(dtype));
    }
    let Some((mut axes, places)) = op.open(&input.shape, &dims, "dim")? else { return Ok(unknown_tensor(dtype)) };
    if !lengths.is_empty() && lengths.len() != places.len() {
        let message = format!("`s` has {} lengths, but `dim` names {} dimensions", lengths.len(), places.len());
        return op.reject(&["s", "dim"], message);
    }
    for (index, place) in places.iter().enumerate() {
        let given = lengths.get(index).copied().flatten().filter(|length| length.as_const() != Some(-1));
        let own = axes.get(*place);
        let last = index + 1 == places.len();
        let size = match (kind, given) {
            (Kind::ToHalf, given) if last => given.unwrap_or(own).floor_div(constant(2)) + constant(1),
            (Kind::FromHalf, None) if last => constant(2) * (own - constant(1)),
            (_, given) => given.unwrap_or(own),
        };
        let message = format_args!("a transform needs at least 1 element, but would have {size}");
        op.demand(Constraint::LessEqual(constant(1), size), &[op.input_name()], || message.to_string())?;
        axes.set(*place, size);
    }
    Ok(Output::tensor(axes.shape(), dtype))
}

/// The dimensions where none are named: the last ones for which there are lengths, or all.
fn whole(op: &Operation, shape: &harp_shape::Shape, lengths: Option<&[Option<Dim>]>) -> Option<Vec<i64>> {
    let count = match lengths {
        Some([]) | None => i64::try_from(op.rank(shape)?).ok()?,
        Some(lengths) => i64::try_from(lengths.len()).ok()?,
    };
    Some((-count..0).collect())
}

/// `view_as_complex(input)`: the last dimension holds the two parts.
pub(crate) fn view_as_complex(op: &mut Operation) -> Evaluated {
    let input = op.input();
    let dtype = match input.dtype {
        DType::Float32 => DType::Complex64,
        DType::Float64 => DType::Complex128,
        _ => DType::Unknown,
    };
    if crate::dtypes::is_integral(input.dtype) {
        return op.reject(&[op.input_name()], format!("the parts must be floats, got {}", input.dtype));
    }
    let subject = op.operand(op.input_name(), &input.shape);
    let Some((_, rest, last)) = op.solver.split(&input.shape, 0, 1) else {
        return op.reject(&[op.input_name()], format!("{subject} must have at least 1 dimension"));
    };
    let message = format_args!("the last dimension of {subject} must be 2, got {}", last[0]);
    op.demand(Constraint::Equal(last[0], constant(2)), &[op.input_name()], || message.to_string())?;
    Ok(Output::tensor(rest, dtype))
}
