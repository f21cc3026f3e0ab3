//! Rounds numbers that are known to powers of ten: `round(1250, -2)`.

/// An integer rounded to a multiple of a power of ten, and to an even one where it lies in the middle: `round(1250, -2)`.
pub fn rounded_to_tens(value: i64, digits: i64) -> Option<i64> {
    let unit = 10_i128.checked_pow(u32::try_from(digits.checked_neg()?).ok()?);
    let Some(unit) = unit.filter(|unit| *unit < i128::from(i64::MAX)) else { return Some(0) };
    let value = i128::from(value);
    let (below, rest) = (value.div_euclid(unit), value.rem_euclid(unit));
    let is_up = rest * 2 > unit || rest * 2 == unit && below % 2 != 0;
    i64::try_from((below + i128::from(is_up)) * unit).ok()
}

/// The same of a float: what lies behind the point makes a half more than one.
pub fn float_rounded_to_tens(value: f64, digits: i64) -> Option<f64> {
    let whole = value.trunc() as i64;
    let half = digits.checked_neg().and_then(|digits| 10_i64.checked_pow(u32::try_from(digits).ok()?)).map(|it| it / 2);
    // What is left of a half and a bit more is a half, so that one more decides which way it goes.
    let is_half = half.is_some_and(|half| whole.abs() % (2 * half) == half);
    let is_more = is_half && value.fract() != 0.0;
    let rounded = rounded_to_tens(if is_more { whole + value.signum() as i64 } else { whole }, digits)?;
    Some(rounded as f64)
}
