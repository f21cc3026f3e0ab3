//! Constraints in normal form: and/or trees over comparisons of one canonical number with zero.

use super::constraint::Constraint;
use super::decide::collect_atoms;
use super::dim::Dim;
use super::interval::Interval;
use super::polynomial::{Atom, Factor, Monomial, Polynomial, greatest_common_divisor};
use super::unify::{Alignment, align};
use super::variable::Var;
use crate::interner;

/// A constraint without negation, its comparisons reduced as far as the ranges of the variables allow.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Formula {
    True,
    False,
    /// The number is 0.
    Zero(Dim),
    NonZero(Dim),
    /// The number is 0 or more.
    NonNegative(Dim),
    And(Vec<Formula>),
    Or(Vec<Formula>),
    /// What cannot be said with numbers: equality of two shapes of unknown rank.
    Unclear,
}

impl Formula {
    pub fn of(constraint: &Constraint) -> Formula {
        match constraint {
            Constraint::True => Formula::True,
            Constraint::False => Formula::False,
            Constraint::Equal(a, b) => Formula::zero(*a - *b),
            Constraint::NotEqual(a, b) => Formula::zero(*a - *b).negated(),
            Constraint::Less(a, b) => Formula::non_negative(*b - *a - Dim::ONE),
            Constraint::LessEqual(a, b) => Formula::non_negative(*b - *a),
            Constraint::Divides { divisor, value } => Formula::zero(value.modulo(*divisor)),
            Constraint::Broadcastable(a, b) => {
                Formula::or([Formula::zero(*a - *b), Formula::zero(*a - Dim::ONE), Formula::zero(*b - Dim::ONE)])
            }
            Constraint::SameShape(a, b) => Formula::same_shape(a.elements(), b.elements()),
            Constraint::Broadcast { .. } => Formula::Unclear,
            Constraint::Rank(shape, rank) => {
                Formula::zero(shape.rank_dim() - Dim::constant(i64::try_from(*rank).unwrap_or(i64::MAX)))
            }
            Constraint::And(parts) => Formula::and(parts.iter().map(Formula::of)),
            Constraint::Or(parts) => Formula::or(parts.iter().map(Formula::of)),
            Constraint::Not(inner) => Formula::of(inner).negated(),
        }
    }

    fn same_shape(a: &[crate::Element], b: &[crate::Element]) -> Formula {
        let Alignment { pairs, left, right } = align(a, b);
        let mut parts: Vec<Formula> = pairs
            .iter()
            .map(|(a, b)| match (a, b) {
                (crate::Element::Dim(a), crate::Element::Dim(b)) => Formula::zero(*a - *b),
                _ => Formula::Unclear,
            })
            .collect();
        if !left.is_empty() || !right.is_empty() {
            let rank = |part: &[crate::Element]| crate::Shape::new(part.to_vec()).rank_dim();
            parts.push(Formula::zero(rank(left) - rank(right)));
            parts.push(Formula::Unclear);
        }
        Formula::and(parts)
    }

    /// `number == 0`
    pub fn zero(number: Dim) -> Formula {
        let reduced = match reduce(number, false) {
            Some(reduced) => reduced,
            None => return Formula::False,
        };
        match reduced.as_const() {
            Some(0) => Formula::True,
            Some(_) => Formula::False,
            None if !reduced.interval().contains(0) => Formula::False,
            None => Formula::Zero(reduced),
        }
    }

    /// `number >= 0`
    pub fn non_negative(number: Dim) -> Formula {
        let interval = number.interval();
        if interval.is_at_least(0) {
            return Formula::True;
        }
        if interval.is_at_most(-1) {
            return Formula::False;
        }
        let Some(reduced) = reduce(number, true) else {
            return Formula::NonNegative(number);
        };
        let interval = reduced.interval();
        if interval.is_at_least(0) {
            Formula::True
        } else if interval.is_at_most(-1) {
            Formula::False
        } else {
            Formula::NonNegative(reduced)
        }
    }

    pub fn and(parts: impl IntoIterator<Item = Formula>) -> Formula {
        let mut kept = Vec::new();
        for part in parts {
            match part {
                Formula::True => {}
                Formula::False => return Formula::False,
                Formula::And(inner) => kept.extend(inner),
                other if kept.contains(&other) => {}
                other => kept.push(other),
            }
        }
        match kept.len() {
            0 => Formula::True,
            1 => kept.remove(0),
            _ => Formula::And(kept),
        }
    }

    pub fn or(parts: impl IntoIterator<Item = Formula>) -> Formula {
        let mut kept = Vec::new();
        for part in parts {
            match part {
                Formula::False => {}
                Formula::True => return Formula::True,
                Formula::Or(inner) => kept.extend(inner),
                other if kept.contains(&other) => {}
                other => kept.push(other),
            }
        }
        match kept.len() {
            0 => Formula::False,
            1 => kept.remove(0),
            _ => Formula::Or(kept),
        }
    }

    pub fn negated(&self) -> Formula {
        match self {
            Formula::True => Formula::False,
            Formula::False => Formula::True,
            Formula::Zero(number) => Formula::NonZero(*number),
            Formula::NonZero(number) => Formula::Zero(*number),
            Formula::NonNegative(number) => Formula::non_negative(-*number - Dim::ONE),
            Formula::And(parts) => Formula::or(parts.iter().map(Formula::negated)),
            Formula::Or(parts) => Formula::and(parts.iter().map(Formula::negated)),
            Formula::Unclear => Formula::Unclear,
        }
    }

    /// The same formula with its numbers replaced.
    pub fn map(&self, replace: &mut dyn FnMut(Dim) -> Dim) -> Formula {
        match self {
            Formula::True | Formula::False | Formula::Unclear => self.clone(),
            Formula::Zero(number) | Formula::NonZero(number) | Formula::NonNegative(number) => {
                let replaced = replace(*number);
                match self {
                    // It is in normal form as it is.
                    _ if replaced == *number => self.clone(),
                    Formula::Zero(_) => Formula::zero(replaced),
                    Formula::NonZero(_) => Formula::zero(replaced).negated(),
                    _ => Formula::non_negative(replaced),
                }
            }
            Formula::And(parts) => Formula::and(parts.iter().map(|part| part.map(replace))),
            Formula::Or(parts) => Formula::or(parts.iter().map(|part| part.map(replace))),
        }
    }

    /// Its truth for an assignment; `None` where that is not enough.
    pub fn evaluate(&self, value: &mut dyn FnMut(Var) -> Option<i64>) -> Option<bool> {
        match self {
            Formula::True => Some(true),
            Formula::False => Some(false),
            Formula::Unclear => None,
            Formula::Zero(number) => number.evaluate(value).map(|number| number == 0),
            Formula::NonZero(number) => number.evaluate(value).map(|number| number != 0),
            Formula::NonNegative(number) => number.evaluate(value).map(|number| number >= 0),
            Formula::And(parts) => three_valued_and(parts.iter().map(|part| part.evaluate(value))),
            Formula::Or(parts) => {
                three_valued_and(parts.iter().map(|part| part.evaluate(value).map(|truth| !truth))).map(|truth| !truth)
            }
        }
    }

    pub fn for_each_number(&self, visit: &mut dyn FnMut(Dim)) {
        match self {
            Formula::True | Formula::False | Formula::Unclear => {}
            Formula::Zero(number) | Formula::NonZero(number) | Formula::NonNegative(number) => visit(*number),
            Formula::And(parts) | Formula::Or(parts) => parts.iter().for_each(|part| part.for_each_number(visit)),
        }
    }

    /// The variables and atoms of shape variables in it; sorted.
    pub fn leaves(&self) -> Vec<Factor> {
        let mut leaves = Vec::new();
        self.for_each_number(&mut |number| leaves.extend(number.leaves().iter().copied()));
        leaves.sort_unstable();
        leaves.dedup();
        leaves
    }

    /// Whether something in it is divided by what may be 0.
    pub fn has_partial_division(&self) -> bool {
        let mut atoms = Vec::new();
        self.for_each_number(&mut |number| collect_atoms(number, &mut atoms));
        atoms.iter().any(|(_, found)| match found {
            Atom::FloorDivide(_, divisor) | Atom::Modulo(_, divisor) => divisor.interval().contains(0),
            _ => false,
        })
    }

    pub fn is_unclear(&self) -> bool {
        match self {
            Formula::Unclear => true,
            Formula::And(parts) | Formula::Or(parts) => parts.iter().any(Formula::is_unclear),
            _ => false,
        }
    }

    /// The formula as a constraint for readers.
    pub fn to_constraint(&self) -> Constraint {
        match self {
            Formula::True | Formula::Unclear => Constraint::True,
            Formula::False => Constraint::False,
            Formula::Zero(number) => {
                let (left, right) = sides(*number);
                Constraint::Equal(left, right)
            }
            Formula::NonZero(number) => {
                let (left, right) = sides(*number);
                Constraint::NotEqual(left, right)
            }
            Formula::NonNegative(number) => {
                let (left, right) = sides(*number);
                comparison(left, right)
            }
            Formula::And(parts) => Constraint::And(parts.iter().map(Formula::to_constraint).collect()),
            Formula::Or(parts) => Constraint::Or(parts.iter().map(Formula::to_constraint).collect()),
        }
    }
}

/// `greater >= less`, with `<` where that saves a `+ 1`.
fn comparison(greater: Dim, less: Dim) -> Constraint {
    if less.polynomial().constant_term() == 1 && less.as_const().is_none() {
        return Constraint::Less(less - Dim::ONE, greater);
    }
    Constraint::LessEqual(less, greater)
}

/// `None` for "unknown"; the conjunction of truths.
pub(super) fn three_valued_and(truths: impl IntoIterator<Item = Option<bool>>) -> Option<bool> {
    let mut all = Some(true);
    for truth in truths {
        match truth {
            Some(false) => return Some(false),
            Some(true) => {}
            None => all = None,
        }
    }
    all
}

/// Splits a number into what is added and what is subtracted: `a - b` into `a` and `b`.
pub(super) fn sides(number: Dim) -> (Dim, Dim) {
    let polynomial = number.polynomial();
    let part = |wanted: fn(i64) -> bool| {
        let terms = polynomial.terms().iter().filter(|(_, coefficient)| wanted(*coefficient)).cloned();
        Dim::from_polynomial(Polynomial::from_terms(terms))
    };
    (part(|coefficient| coefficient > 0), -part(|coefficient| coefficient < 0))
}

/// Divides a number by factors that cannot be 0 (or negative, if its sign matters), which does not change whether it is 0 (or
/// whether it is negative). `None` where divisibility alone shows that it is not 0.
fn reduce(number: Dim, keeps_sign: bool) -> Option<Dim> {
    if number.as_const().is_some() {
        return Some(number);
    }
    let known = interner::with(|table| table.reduced(number, keeps_sign));
    known.unwrap_or_else(|| {
        let reduced = reduce_anew(number, keeps_sign);
        interner::with(|table| table.keep_reduced(number, keeps_sign, reduced));
        reduced
    })
}

fn reduce_anew(number: Dim, keeps_sign: bool) -> Option<Dim> {
    let polynomial = number.polynomial();
    let (common, _) = polynomial.content();
    let can_drop = |factor: &Factor| {
        let interval: Interval = Dim::factor(*factor).interval();
        interval.is_at_least(1) || (!keeps_sign && !interval.contains(0))
    };
    let dropped: Vec<Factor> = common.iter().filter(|factor| can_drop(factor)).copied().collect();
    let stripped = polynomial.divide_by_term(&Monomial::from(dropped), 1)?;
    let divisor = stripped
        .variable_terms()
        .iter()
        .fold(0, |divisor, (_, coefficient)| greatest_common_divisor(divisor, coefficient.unsigned_abs()));
    let divisor = i64::try_from(divisor).unwrap_or(1);
    if divisor == 0 {
        return Some(Dim::from_polynomial(Some(stripped)));
    }
    let constant = stripped.constant_term();
    if !keeps_sign && constant % divisor != 0 {
        return None;
    }
    let is_negative = stripped.variable_terms().first().is_some_and(|(_, coefficient)| *coefficient < 0);
    let terms = stripped.variable_terms().iter().map(|(term, coefficient)| (term.clone(), coefficient / divisor));
    let reduced = Dim::from_polynomial(Polynomial::from_terms(terms)) + Dim::constant(constant.div_euclid(divisor));
    Some(if is_negative && !keeps_sign { -reduced } else { reduced })
}
