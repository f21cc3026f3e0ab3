//! The canonical forms of what is no polynomial: floor division, modulo, minimum and maximum.
//!
//! Every rule here is an identity of whole numbers wherever both sides are defined, and no rule makes a number defined that was not:
//! `n*k // k` becomes `n` only where `k` cannot be 0. Where it is known that a division was carried out, [`quotient`] and
//! [`remainder`] go further. Rules that need a sign or a size ask the ranges of the variables.

use super::dim::{Dim, atom, floor_divide_numbers, modulo_numbers};
use super::interval::Interval;
use super::polynomial::{
    Atom, Factor, Monomial, Polynomial, common_factors, divide_monomials, greatest_common_divisor, no_factors,
};

pub(super) fn floor_divide(value: Dim, divisor: Dim) -> Dim {
    if may_vanish(divisor) { Dim::atom(Atom::FloorDivide(value, divisor)) } else { quotient(value, divisor) }
}

pub(super) fn modulo(value: Dim, divisor: Dim) -> Dim {
    if may_vanish(divisor) { Dim::atom(Atom::Modulo(value, divisor)) } else { remainder(value, divisor) }
}

fn may_vanish(divisor: Dim) -> bool {
    divisor.as_const().is_none() && divisor.interval().contains(0)
}

/// `value // divisor`, where the divisor is not 0.
pub(super) fn quotient(value: Dim, divisor: Dim) -> Dim {
    match (value.as_const(), divisor.as_const()) {
        (_, Some(0)) => Dim::opaque(),
        (Some(a), Some(b)) => floor_divide_numbers(a, b).map_or_else(Dim::opaque, Dim::constant),
        (_, Some(1)) => value,
        // A negative divisor's negation can overflow; it is then an opaque variable, no longer a constant.
        (_, Some(b)) if b < 0 => quotient(-value, -divisor),
        (_, Some(b)) => divide_by_constant(value, b),
        _ if value == divisor => Dim::ONE,
        _ => divide_by_expression(value, divisor),
    }
}

/// `value // divisor` for a divisor of at least 2.
fn divide_by_constant(value: Dim, divisor: i64) -> Dim {
    let polynomial = value.polynomial();
    let mut quotient = vec![(no_factors(), polynomial.constant_term().div_euclid(divisor))];
    let mut constant = polynomial.constant_term().rem_euclid(divisor);
    let mut rest = Vec::new();
    let mut common = divisor.unsigned_abs();
    for (monomial, coefficient) in polynomial.variable_terms() {
        quotient.push((monomial.clone(), coefficient / divisor));
        let kept = coefficient % divisor;
        if kept != 0 {
            rest.push((monomial.clone(), kept));
            common = greatest_common_divisor(common, kept.unsigned_abs());
        }
    }
    let quotient = Dim::from_polynomial(Polynomial::from_terms(quotient));
    if rest.is_empty() {
        return quotient;
    }
    // (g*x + k) // (g*c) = (x + k//g) // c
    let common = i64::try_from(common).unwrap_or(1);
    let divisor = divisor / common;
    constant /= common;
    let is_negative = rest.first().is_some_and(|(_, coefficient)| *coefficient < 0);
    let rest = rest.into_iter().map(|(monomial, coefficient)| (monomial, coefficient / common));
    let rest = Dim::from_polynomial(Polynomial::from_terms(rest)) + Dim::constant(constant);
    if divisor == 1 {
        return quotient + rest;
    }
    if let Some(step) = constant_quotient(rest, divisor) {
        return quotient + Dim::constant(step);
    }
    // One form for a rounded-up quotient: floor(-x/c) = -floor((x + c - 1)/c).
    if is_negative {
        return quotient - divide_by_constant(Dim::constant(divisor - 1) - rest, divisor);
    }
    quotient + merge_nested(rest, divisor).unwrap_or_else(|| Dim::atom(Atom::FloorDivide(rest, Dim::constant(divisor))))
}

/// The quotient, where the range of the value allows only one.
fn constant_quotient(value: Dim, divisor: i64) -> Option<i64> {
    let interval = value.interval();
    let low = interval.low()?.div_euclid(divisor);
    (interval.high()?.div_euclid(divisor) == low).then_some(low)
}

/// `(x//b + k) // c = (x + k*b) // (b*c)`
fn merge_nested(value: Dim, divisor: i64) -> Option<Dim> {
    let polynomial = value.polynomial();
    let [(monomial, 1)] = polynomial.variable_terms() else {
        return None;
    };
    let [Factor::Atom(id)] = **monomial else {
        return None;
    };
    let Some(Atom::FloorDivide(inner, inner_divisor)) = super::dim::atom(id) else {
        return None;
    };
    let inner_divisor = inner_divisor.as_const().filter(|divisor| *divisor > 0)?;
    let divisor = divisor.checked_mul(inner_divisor)?;
    let offset = polynomial.constant_term().checked_mul(inner_divisor)?;
    Some(floor_divide(inner + Dim::constant(offset), Dim::constant(divisor)))
}

/// A dividend split by a divisor that is no constant: `value = quotient * divisor + rest`.
struct Split {
    quotient: Dim,
    rest: Dim,
    divisor: Dim,
    /// What was cancelled from both the rest and the divisor.
    common: Dim,
}

fn split(value: Dim, divisor: Dim) -> Split {
    let (numerator, denominator) = (value.polynomial(), divisor.polynomial());
    let whole = Split { quotient: Dim::ZERO, rest: value, divisor, common: Dim::ONE };
    let (quotient, rest) = match denominator.terms() {
        [(monomial, coefficient)] => take_out(&numerator, monomial, *coefficient),
        // With several terms the split is not unique in a useful way, so only an exact or constant one is taken.
        _ => match numerator.divide(&denominator) {
            Some((quotient, rest)) if rest.as_constant().is_some() => (Some(quotient), Some(rest)),
            _ => (Some(Polynomial::default()), Some((*numerator).clone())),
        },
    };
    let (Some(quotient), Some(rest)) = (quotient, rest) else {
        return whole;
    };
    let (monomial, number) = denominator.content();
    let (rest_monomial, rest_number) = rest.content();
    let common_number = greatest_common_divisor(number.unsigned_abs(), rest_number.unsigned_abs());
    let common_number = i64::try_from(common_number).unwrap_or(1).max(1);
    let common = Monomial::from(common_factors(&monomial, &rest_monomial));
    let reduced = (rest.divide_by_term(&common, common_number), denominator.divide_by_term(&common, common_number));
    let (Some(rest), Some(denominator)) = reduced else {
        return whole;
    };
    Split {
        quotient: Dim::from_polynomial(Some(quotient)),
        rest: Dim::from_polynomial(Some(rest)),
        divisor: Dim::from_polynomial(Some(denominator)),
        common: Dim::from_polynomial(Polynomial::from_terms([(common, common_number)])),
    }
}

/// Separates the terms that a term divides.
fn take_out(value: &Polynomial, monomial: &Monomial, number: i64) -> (Option<Polynomial>, Option<Polynomial>) {
    let (mut quotient, mut rest) = (Vec::new(), Vec::new());
    for (term, coefficient) in value.terms() {
        match (divide_monomials(term, monomial), coefficient.checked_rem(number), coefficient.checked_div(number)) {
            (Some(ratio), Some(0), Some(factor)) => quotient.push((ratio, factor)),
            _ => rest.push((term.clone(), *coefficient)),
        }
    }
    (Polynomial::from_terms(quotient), Polynomial::from_terms(rest))
}

fn divide_by_expression(value: Dim, divisor: Dim) -> Dim {
    let Split { quotient, rest, divisor, .. } = split(value, divisor);
    if rest == Dim::ZERO || is_within(rest, divisor) {
        return quotient;
    }
    if divisor.as_const().is_some() {
        return quotient + floor_divide(rest, divisor);
    }
    // (x//b) // c = x // (b*c) for positive b and c
    if let Some(Atom::FloorDivide(inner, inner_divisor)) = rest.as_atom()
        && inner_divisor.interval().is_at_least(1)
        && divisor.interval().is_at_least(1)
    {
        return quotient + floor_divide(inner, inner_divisor * divisor);
    }
    quotient + Dim::atom(Atom::FloorDivide(rest, divisor))
}

/// Whether `0 <= value < bound` for all values of the variables.
fn is_within(value: Dim, bound: Dim) -> bool {
    value.interval().is_at_least(0) && (bound - value).interval().is_at_least(1)
}

/// `value % divisor`, where the divisor is not 0.
pub(super) fn remainder(value: Dim, divisor: Dim) -> Dim {
    match (value.as_const(), divisor.as_const()) {
        (_, Some(0)) => Dim::opaque(),
        (Some(a), Some(b)) => modulo_numbers(a, b).map_or_else(Dim::opaque, Dim::constant),
        (_, Some(1 | -1)) => Dim::ZERO,
        (_, Some(b)) if b < 0 => -remainder(-value, -divisor),
        (_, Some(b)) => remainder_by_constant(value, b),
        _ if value == divisor => Dim::ZERO,
        _ => remainder_by_expression(value, divisor),
    }
}

/// `value % divisor` for a divisor of at least 2.
fn remainder_by_constant(value: Dim, divisor: i64) -> Dim {
    if let Some(step) = constant_quotient(value, divisor)
        && let Some(multiple) = step.checked_mul(divisor)
    {
        return value - Dim::constant(multiple);
    }
    let value = drop_inner_modulo(value, divisor);
    let polynomial = value.polynomial();
    let constant = polynomial.constant_term().rem_euclid(divisor);
    let mut common = divisor.unsigned_abs();
    let mut terms = Vec::new();
    for (monomial, coefficient) in polynomial.variable_terms() {
        let mut kept = coefficient.rem_euclid(divisor);
        // The remainder nearest to zero reads best: `-n % 8`, not `7*n % 8`.
        if kept > divisor / 2 {
            kept -= divisor;
        }
        if kept != 0 {
            terms.push((monomial.clone(), kept));
            common = greatest_common_divisor(common, kept.unsigned_abs());
        }
    }
    if terms.is_empty() {
        return Dim::constant(constant);
    }
    // (g*x + g*k + r) % (g*c) = g*((x + k) % c) + r for 0 <= r < g
    let common = i64::try_from(common).unwrap_or(1);
    let terms = terms.into_iter().map(|(monomial, coefficient)| (monomial, coefficient / common));
    let reduced = Dim::from_polynomial(Polynomial::from_terms(terms)) + Dim::constant(constant / common);
    let rest = Dim::constant(constant % common);
    let divisor = divisor / common;
    if divisor == 1 {
        return rest;
    }
    let remainder = match constant_quotient(reduced, divisor).and_then(|step| step.checked_mul(divisor)) {
        Some(multiple) => reduced - Dim::constant(multiple),
        None => Dim::atom(Atom::Modulo(reduced, Dim::constant(divisor))),
    };
    Dim::constant(common) * remainder + rest
}

/// Replaces `x % m` by `x` in a sum of which the remainder by a divisor of `m` is taken.
fn drop_inner_modulo(value: Dim, divisor: i64) -> Dim {
    let polynomial = value.polynomial();
    let mut sum = Dim::ZERO;
    let mut is_changed = false;
    for (monomial, coefficient) in polynomial.terms() {
        let inner = match **monomial {
            [Factor::Atom(id)] => match super::dim::atom(id) {
                Some(Atom::Modulo(inner, modulus)) => modulus.as_const().filter(|m| m % divisor == 0).map(|_| inner),
                _ => None,
            },
            _ => None,
        };
        is_changed |= inner.is_some();
        let term = match inner {
            Some(inner) => inner * Dim::constant(*coefficient),
            None => Dim::from_polynomial(Polynomial::from_terms([(monomial.clone(), *coefficient)])),
        };
        sum = sum + term;
    }
    if is_changed { sum } else { value }
}

fn remainder_by_expression(value: Dim, divisor: Dim) -> Dim {
    let Split { rest, divisor, common, .. } = split(value, divisor);
    if rest == Dim::ZERO {
        return Dim::ZERO;
    }
    if is_within(rest, divisor) {
        return common * rest;
    }
    // (g*x) % (g*y) = g*(x % y)
    if divisor.as_const().is_some() {
        return common * modulo(rest, divisor);
    }
    common * Dim::atom(Atom::Modulo(rest, divisor))
}

/// The lesser operand, where the ranges tell which; else both in order.
enum Order {
    LessFirst(Dim, Dim),
    Undecided(Dim, Dim),
}

/// The range of a number in which a `min` or `max` stands once: that of either operand in its place, whichever is the one.
fn interval_by_cases(number: Dim) -> Interval {
    let own = number.interval();
    if own.is_at_most(0) || own.is_at_least(0) {
        return own;
    }
    let polynomial = number.polynomial();
    let extreme = polynomial.terms().iter().find_map(|(monomial, factor)| match monomial[..] {
        [Factor::Atom(id)] => match atom(id) {
            Some(Atom::Minimum(a, b)) => Some((id, *factor < 0, *factor, a, b)),
            Some(Atom::Maximum(a, b)) => Some((id, *factor > 0, *factor, a, b)),
            _ => None,
        },
        _ => None,
    });
    let Some((id, is_greatest, factor, a, b)) = extreme else { return own };
    let rest = number - Dim::factor(Factor::Atom(id)) * Dim::constant(factor);
    let [one, other] = [a, b].map(|operand| (rest + operand * Dim::constant(factor)).interval());
    own.intersect(if is_greatest { one.maximum(other) } else { one.minimum(other) })
}

fn order(a: Dim, b: Dim) -> Order {
    let difference = interval_by_cases(a - b);
    if difference.is_at_most(0) {
        Order::LessFirst(a, b)
    } else if difference.is_at_least(0) {
        Order::LessFirst(b, a)
    } else if a < b {
        Order::Undecided(a, b)
    } else {
        Order::Undecided(b, a)
    }
}

pub(super) fn minimum(a: Dim, b: Dim) -> Dim {
    match order(a, b) {
        Order::LessFirst(less, _) => less,
        Order::Undecided(a, b) => Dim::atom(Atom::Minimum(a, b)),
    }
}

pub(super) fn maximum(a: Dim, b: Dim) -> Dim {
    match order(a, b) {
        Order::LessFirst(_, greater) => greater,
        Order::Undecided(a, b) => Dim::atom(Atom::Maximum(a, b)),
    }
}
