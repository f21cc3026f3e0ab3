//! Constraints in the form in which one would write them: nothing is subtracted, what both sides have in common is left out, and
//! `n == k*(n//k)` is `n % k == 0`.

use crate::constraint::Constraint;
use crate::dim::{Dim, atom};
use crate::polynomial::{Atom, Factor};

impl Constraint {
    /// The same constraint in the form that is easiest to read.
    pub fn tidy(&self) -> Constraint {
        match self {
            Constraint::LessEqual(a, b) => {
                let (right, left) = without_common_factors(*b - *a).terms_by_sign();
                // `n + 1 <= k` is `n < k`.
                match left.split_constant() {
                    (rest, 1) if left.as_const().is_none() => Constraint::Less(rest, right),
                    _ => Constraint::LessEqual(left, right),
                }
            }
            Constraint::Less(a, b) => {
                let (right, left) = without_common_factors(*b - *a).terms_by_sign();
                Constraint::Less(left, right)
            }
            Constraint::Equal(a, b) if !is_simple(*a) && !is_simple(*b) => {
                let (left, right) = without_common_factors(*a - *b).terms_by_sign();
                match divisibility(left, right).or_else(|| divisibility(right, left)) {
                    Some(divides) => divides,
                    None => Constraint::Equal(left, right),
                }
            }
            Constraint::Equal(a, b) => match divisibility(*a, *b).or_else(|| divisibility(*b, *a)) {
                Some(divides) => divides,
                None => self.clone(),
            },
            Constraint::NotEqual(a, b) if !is_simple(*a) && !is_simple(*b) => {
                let (left, right) = without_common_factors(*a - *b).terms_by_sign();
                Constraint::NotEqual(left, right)
            }
            Constraint::Or(parts) => Constraint::Or(parts.iter().map(Constraint::tidy).collect()),
            other => other.clone(),
        }
    }
}

fn is_simple(dim: Dim) -> bool {
    dim.as_var().is_some() || dim.as_const().is_some()
}

/// A number that is zero, positive or negative where this one is: factors of all terms that are at least 1 are left out.
fn without_common_factors(number: Dim) -> Dim {
    let polynomial = number.polynomial();
    if polynomial.as_constant().is_some() {
        return number;
    }
    let (common, coefficient) = polynomial.content();
    let positive: Vec<Factor> =
        common.iter().copied().filter(|factor| Dim::factor(*factor).interval().is_at_least(1)).collect();
    let divided = polynomial.divide_by_term(&positive.into(), coefficient.max(1));
    divided.map_or(number, |divided| Dim::from_polynomial(Some(divided)))
}

/// `value == divisor * (value//divisor)`
fn divisibility(value: Dim, product: Dim) -> Option<Constraint> {
    let polynomial = product.polynomial();
    let [(monomial, _)] = polynomial.terms() else { return None };
    monomial.iter().find_map(|factor| {
        let Factor::Atom(id) = factor else { return None };
        let Some(Atom::FloorDivide(inner, divisor)) = atom(*id) else { return None };
        (inner == value && product == divisor * Dim::factor(*factor)).then_some(Constraint::Divides { divisor, value })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::variable::{Var, VarInfo};

    #[test]
    fn comparisons_read_as_one_writes_them() {
        let var = |name: &str| Dim::var(Var::fresh(VarInfo::free(name)));
        let (h, k, n) = (var("h"), var("k"), var("n"));
        let text = |constraint: Constraint| constraint.tidy().to_string();
        assert_eq!(text(Constraint::LessEqual(Dim::ONE, h - k + Dim::ONE)), "k <= h");
        assert_eq!(text(Constraint::LessEqual(Dim::ONE, h - k)), "k < h");
        assert_eq!(text(Constraint::Equal(n * h * k, n * k * (h.floor_div(k)) * k)), "h % k == 0");
        assert_eq!(text(Constraint::Equal(n, k)), "n == k");
        assert_eq!(text(Constraint::LessEqual(n, n)), "0 <= 0");
    }
}
