//! Polynomials with whole coefficients over variables and atoms: the canonical form of a dimension.

use std::rc::Rc;

use super::dim::Dim;
use super::variable::{ShapeVar, Var};

/// More terms than this make a number opaque; real programs stay below ten.
const MAX_TERMS: usize = 64;
/// More factors than this in one term make a number opaque.
const MAX_DEGREE: usize = 24;

/// An interned [`Atom`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct AtomId(pub u32);

/// An operation that is no polynomial; its operands are canonical.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Atom {
    FloorDivide(Dim, Dim),
    Modulo(Dim, Dim),
    Minimum(Dim, Dim),
    Maximum(Dim, Dim),
    /// The number of elements of a shape variable.
    Product(ShapeVar),
    /// The number of dimensions of a shape variable.
    Rank(ShapeVar),
}

impl Atom {
    /// The two operands, where it is an operation on numbers.
    pub fn operands(self) -> Option<(Dim, Dim)> {
        match self {
            Atom::FloorDivide(a, b) | Atom::Modulo(a, b) | Atom::Minimum(a, b) | Atom::Maximum(a, b) => Some((a, b)),
            Atom::Product(_) | Atom::Rank(_) => None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Factor {
    Var(Var),
    Atom(AtomId),
}

/// Factors in order; a square has its factor twice. The empty monomial is 1.
pub(super) type Monomial = Rc<[Factor]>;

thread_local! {
    static NO_FACTORS: Monomial = Rc::from([]);
}

/// The empty list of factors, which is there once.
pub(super) fn no_factors() -> Monomial {
    NO_FACTORS.with(Rc::clone)
}

/// A sum of terms: sorted by monomial, without zero coefficients.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Polynomial {
    terms: Vec<(Monomial, i64)>,
}

impl Polynomial {
    pub fn constant(value: i64) -> Polynomial {
        let mut terms = Vec::new();
        if value != 0 {
            terms.push((no_factors(), value));
        }
        Polynomial { terms }
    }

    pub fn factor(factor: Factor) -> Polynomial {
        Polynomial { terms: vec![(Monomial::from([factor]), 1)] }
    }

    /// Whether it is this factor alone.
    pub fn is_factor(&self, factor: Factor) -> bool {
        matches!(self.terms.as_slice(), [(monomial, 1)] if matches!(**monomial, [only] if only == factor))
    }

    /// The polynomial with these terms, in any order. `None` where a coefficient overflows or it becomes too large.
    pub fn from_terms(terms: impl IntoIterator<Item = (Monomial, i64)>) -> Option<Polynomial> {
        let mut given: Vec<(Monomial, i64)> = terms.into_iter().collect();
        given.sort_by(|(a, _), (b, _)| a.cmp(b));
        let mut terms: Vec<(Monomial, i64)> = Vec::with_capacity(given.len());
        for (monomial, coefficient) in given {
            match terms.last_mut() {
                Some((last, sum)) if *last == monomial => *sum = sum.checked_add(coefficient)?,
                _ => terms.push((monomial, coefficient)),
            }
        }
        terms.retain(|(_, coefficient)| *coefficient != 0);
        (terms.len() <= MAX_TERMS).then_some(Polynomial { terms })
    }

    pub fn terms(&self) -> &[(Monomial, i64)] {
        &self.terms
    }

    /// The value, where there is no variable in it.
    pub fn as_constant(&self) -> Option<i64> {
        match self.terms.as_slice() {
            [] => Some(0),
            [(monomial, value)] if monomial.is_empty() => Some(*value),
            _ => None,
        }
    }

    /// The term without variables.
    pub fn constant_term(&self) -> i64 {
        // The empty monomial sorts first.
        self.terms.first().filter(|(monomial, _)| monomial.is_empty()).map_or(0, |(_, value)| *value)
    }

    /// All terms but the constant one.
    pub fn variable_terms(&self) -> &[(Monomial, i64)] {
        match self.terms.split_first() {
            Some(((monomial, _), rest)) if monomial.is_empty() => rest,
            _ => &self.terms,
        }
    }

    pub fn add(&self, other: &Polynomial) -> Option<Polynomial> {
        self.add_scaled(other, 1)
    }

    /// The sum with a multiple of another, which is not 0.
    pub fn add_scaled(&self, other: &Polynomial, factor: i64) -> Option<Polynomial> {
        let scaled = |monomial: &Monomial, x: i64| Some((Rc::clone(monomial), x.checked_mul(factor)?));
        let (mut left, mut right) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        while let (Some((a, x)), Some((b, y))) = (left.peek(), right.peek()) {
            match a.cmp(b) {
                std::cmp::Ordering::Less => terms.extend(left.next().cloned()),
                std::cmp::Ordering::Greater => {
                    terms.push(scaled(b, *y)?);
                    right.next();
                }
                std::cmp::Ordering::Equal => {
                    let sum = x.checked_add(y.checked_mul(factor)?)?;
                    if sum != 0 {
                        terms.push((Rc::clone(a), sum));
                    }
                    left.next();
                    right.next();
                }
            }
        }
        terms.extend(left.cloned());
        for (monomial, x) in right {
            terms.push(scaled(monomial, *x)?);
        }
        (terms.len() <= MAX_TERMS).then_some(Polynomial { terms })
    }

    pub fn add_constant(&self, constant: i64) -> Option<Polynomial> {
        let sum = self.constant_term().checked_add(constant)?;
        let variable_terms = self.variable_terms();
        let mut terms = Vec::with_capacity(variable_terms.len() + 1);
        if sum != 0 {
            // The empty monomial sorts first.
            terms.push((no_factors(), sum));
        }
        terms.extend_from_slice(variable_terms);
        (terms.len() <= MAX_TERMS).then_some(Polynomial { terms })
    }

    pub fn scale(&self, factor: i64) -> Option<Polynomial> {
        if factor == 0 {
            return Some(Polynomial::default());
        }
        let terms = self.terms.iter().map(|(monomial, x)| Some((Rc::clone(monomial), x.checked_mul(factor)?)));
        Some(Polynomial { terms: terms.collect::<Option<_>>()? })
    }

    pub fn multiply(&self, other: &Polynomial) -> Option<Polynomial> {
        if let Some(factor) = other.as_constant() {
            return self.scale(factor);
        }
        if let Some(factor) = self.as_constant() {
            return other.scale(factor);
        }
        let mut terms = Vec::with_capacity(self.terms.len() * other.terms.len());
        for (a, x) in &self.terms {
            for (b, y) in &other.terms {
                if a.len() + b.len() > MAX_DEGREE {
                    return None;
                }
                terms.push((multiply_monomials(a, b), x.checked_mul(*y)?));
            }
        }
        Polynomial::from_terms(terms)
    }

    /// `quotient` and `remainder` with `self == quotient * divisor + remainder`, by long division on the greatest term. The
    /// remainder has no term that the divisor's greatest term divides.
    pub fn divide(&self, divisor: &Polynomial) -> Option<(Polynomial, Polynomial)> {
        let (lead, lead_coefficient) = divisor.leading()?;
        let mut quotient = Vec::new();
        let mut rest = self.clone();
        let mut remainder = Vec::new();
        // Every round removes the greatest term and adds only lesser ones; the bound guards against long chains.
        for _ in 0..4 * MAX_TERMS {
            let Some((monomial, coefficient)) = rest.leading() else {
                return Some((Polynomial::from_terms(quotient)?, Polynomial::from_terms(remainder)?));
            };
            let (monomial, coefficient) = (Rc::clone(monomial), coefficient);
            match divide_monomials(&monomial, lead) {
                Some(ratio) if coefficient.checked_rem(lead_coefficient) == Some(0) => {
                    let factor = coefficient.checked_div(lead_coefficient)?;
                    let step = Polynomial { terms: vec![(Rc::clone(&ratio), factor)] };
                    rest = rest.add(&step.multiply(divisor)?.scale(-1)?)?;
                    quotient.push((ratio, factor));
                }
                _ => {
                    rest = rest.add(&Polynomial { terms: vec![(Rc::clone(&monomial), coefficient.checked_neg()?)] })?;
                    remainder.push((monomial, coefficient));
                }
            }
        }
        None
    }

    /// The greatest term: by degree, then by factors (an order that multiplication keeps).
    fn leading(&self) -> Option<(&Monomial, i64)> {
        self.terms
            .iter()
            .max_by(|(a, _), (b, _)| a.len().cmp(&b.len()).then_with(|| compare_graded(a, b)))
            .map(|(monomial, coefficient)| (monomial, *coefficient))
    }

    /// The greatest number and monomial that divide every term; the number is positive.
    pub fn content(&self) -> (Monomial, i64) {
        let mut terms = self.terms.iter();
        let Some((first, coefficient)) = terms.next() else {
            return (no_factors(), 1);
        };
        let mut common: Vec<Factor> = first.to_vec();
        let mut divisor = coefficient.unsigned_abs();
        for (monomial, coefficient) in terms {
            common = common_factors(&common, monomial);
            divisor = greatest_common_divisor(divisor, coefficient.unsigned_abs());
        }
        (Monomial::from(common), i64::try_from(divisor).unwrap_or(1))
    }

    /// Divides every term; `None` unless each is divisible.
    pub fn divide_by_term(&self, monomial: &Monomial, divisor: i64) -> Option<Polynomial> {
        let terms = self.terms.iter().map(|(term, coefficient)| {
            let ratio = divide_monomials(term, monomial)?;
            (coefficient.checked_rem(divisor)? == 0).then_some((ratio, coefficient.checked_div(divisor)?))
        });
        Polynomial::from_terms(terms.collect::<Option<Vec<_>>>()?)
    }
}

/// Lexicographic order on exponents for monomials of one degree. On sorted lists of equal length, the first difference decides:
/// the smaller factor there means a higher power of that factor.
fn compare_graded(a: &[Factor], b: &[Factor]) -> std::cmp::Ordering {
    b.cmp(a)
}

pub(super) fn multiply_monomials(a: &[Factor], b: &[Factor]) -> Monomial {
    let mut product: Monomial = a.iter().chain(b).copied().collect();
    // Nobody else has it yet.
    if let Some(factors) = Monomial::get_mut(&mut product) {
        factors.sort_unstable();
    }
    product
}

/// `a / b`, where `b` divides `a`.
pub(super) fn divide_monomials(a: &[Factor], b: &[Factor]) -> Option<Monomial> {
    let mut missing = b.iter().peekable();
    let mut ratio = Vec::with_capacity(a.len());
    for factor in a {
        if missing.peek() == Some(&factor) {
            missing.next();
        } else {
            ratio.push(*factor);
        }
    }
    missing.peek().is_none().then(|| Monomial::from(ratio))
}

pub(super) fn common_factors(a: &[Factor], b: &[Factor]) -> Vec<Factor> {
    let (mut i, mut j) = (0, 0);
    let mut common = Vec::new();
    while let (Some(x), Some(y)) = (a.get(i), b.get(j)) {
        match x.cmp(y) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => {
                common.push(*x);
                i += 1;
                j += 1;
            }
        }
    }
    common
}

pub(super) fn greatest_common_divisor(a: u64, b: u64) -> u64 {
    let (mut a, mut b) = (a, b);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
