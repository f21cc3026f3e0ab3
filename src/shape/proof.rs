//! The solver's proofs by sums: facts that are not negative are taken away from a number until the ranges of what is
//! left suffice.

use std::cell::{Cell, OnceCell, RefCell};

use rustc_hash::FxHashMap;

use super::decide::{Context, collect_atoms, not, without_modulo};
use super::dim::Dim;
use super::formula::{Formula, three_valued_and};
use super::interval::Interval;
use super::polynomial::{Atom, Factor, Monomial};

/// At most this many facts are summed.
const MAX_SUM: u32 = 4;

/// Facts in the form in which proofs use them.
pub(super) struct Known<'a> {
    context: &'a Context,
    zero: Vec<Dim>,
    non_zero: Vec<Dim>,
    non_negative: Vec<Dim>,
    /// Facts that are alternatives.
    alternatives: Vec<&'a Formula>,
    /// The numbers that are not negative, by each term in them, with its coefficient.
    by_term: OnceCell<FxHashMap<Monomial, Vec<(Dim, i64)>>>,
    /// Numbers of which so large a sum of facts does not show that they are not negative.
    unproved: RefCell<FxHashMap<Dim, u32>>,
}

impl<'a> Known<'a> {
    pub fn new(context: &'a Context, formula: &Formula) -> Known<'a> {
        let mut known = Known {
            context,
            zero: Vec::new(),
            non_zero: Vec::new(),
            non_negative: Vec::new(),
            alternatives: Vec::new(),
            by_term: OnceCell::new(),
            unproved: RefCell::default(),
        };
        let mut atoms = Vec::new();
        formula.for_each_number(&mut |number| collect_atoms(number, &mut atoms));
        for fact in context.facts() {
            fact.for_each_number(&mut |number| collect_atoms(number, &mut atoms));
            known.add(fact);
        }
        for (factor, atom) in atoms {
            known.add_meaning(Dim::factor(factor), atom);
        }
        known
    }

    fn add(&mut self, fact: &'a Formula) {
        match fact {
            Formula::Zero(number) => {
                self.zero.push(*number);
                self.non_negative.extend([*number, -*number]);
                self.zero.extend(Some(without_modulo(*number)).filter(|other| other != number).and_then(normal));
            }
            Formula::NonZero(number) => self.non_zero.push(*number),
            Formula::NonNegative(number) => self.non_negative.push(*number),
            Formula::And(parts) => parts.iter().for_each(|part| self.add(part)),
            Formula::Or(_) => self.alternatives.push(fact),
            Formula::True | Formula::False | Formula::Unclear => {}
        }
    }

    /// What an atom's definition says of its value.
    fn add_meaning(&mut self, value: Dim, atom: Atom) {
        match atom {
            Atom::FloorDivide(dividend, divisor) if self.context.interval(divisor).is_at_least(1) => {
                self.non_negative.push(dividend - divisor * value);
                self.non_negative.push(divisor * value + divisor - Dim::ONE - dividend);
            }
            Atom::Modulo(_, divisor) if self.context.interval(divisor).is_at_least(1) => {
                self.non_negative.push(value);
                self.non_negative.push(divisor - Dim::ONE - value);
            }
            Atom::Minimum(a, b) => self.non_negative.extend([a - value, b - value]),
            Atom::Maximum(a, b) => self.non_negative.extend([value - a, value - b]),
            Atom::FloorDivide(..) | Atom::Modulo(..) | Atom::Product(_) | Atom::Rank(_) => {}
        }
    }

    pub fn decide(&self, formula: &Formula, steps: &Cell<u32>) -> Option<bool> {
        match formula {
            Formula::True => Some(true),
            Formula::False => Some(false),
            Formula::Unclear => None,
            Formula::Zero(number) => self.decide_zero(*number, steps),
            Formula::NonZero(number) => not(self.decide_zero(*number, steps)),
            Formula::NonNegative(number) => self.decide_non_negative(*number, steps),
            Formula::And(parts) => three_valued_and(parts.iter().map(|part| self.decide(part, steps))),
            Formula::Or(parts) => {
                let truths = three_valued_and(parts.iter().map(|part| not(self.decide(part, steps))));
                not(truths).or_else(|| self.follows_from_alternatives(parts).then_some(true))
            }
        }
    }

    /// Whether a fact offers no alternative beyond these.
    fn follows_from_alternatives(&self, parts: &[Formula]) -> bool {
        self.alternatives.iter().any(|fact| match fact {
            Formula::Or(offered) => offered.iter().all(|one| parts.contains(one)),
            _ => false,
        })
    }

    fn decide_zero(&self, number: Dim, steps: &Cell<u32>) -> Option<bool> {
        if !self.context.interval(number).contains(0) || self.non_zero.contains(&number) {
            return Some(false);
        }
        if self.zero.contains(&number) {
            return Some(true);
        }
        let expanded = without_modulo(number);
        if expanded != number {
            match Formula::zero(expanded) {
                Formula::True => return Some(true),
                Formula::False => return Some(false),
                Formula::Zero(expanded) if self.zero.contains(&expanded) => return Some(true),
                _ => {}
            }
        }
        if self.proves(number - Dim::ONE, steps) || self.proves(-number - Dim::ONE, steps) {
            return Some(false);
        }
        (self.proves(number, steps) && self.proves(-number, steps)).then_some(true)
    }

    fn decide_non_negative(&self, number: Dim, steps: &Cell<u32>) -> Option<bool> {
        if self.proves(number, steps) {
            return Some(true);
        }
        self.proves(-number - Dim::ONE, steps).then_some(false)
    }

    /// Whether a number is certainly not negative.
    fn proves(&self, number: Dim, steps: &Cell<u32>) -> bool {
        self.proves_within(number, MAX_SUM, steps)
    }

    /// Takes away facts (numbers that are not negative) so that the term with the worst lower bound vanishes, until the ranges
    /// of what is left suffice.
    fn proves_within(&self, number: Dim, sum: u32, steps: &Cell<u32>) -> bool {
        let interval = self.context.interval(number);
        if interval.is_at_least(0) {
            return true;
        }
        if sum == 0 || interval.is_at_most(-1) || steps.get() == 0 {
            return false;
        }
        // The same facts in another order leave the same.
        if self.unproved.borrow().get(&number).is_some_and(|tried| *tried >= sum) {
            return false;
        }
        steps.set(steps.get() - 1);
        let polynomial = number.polynomial();
        let lowest = polynomial.variable_terms().iter().min_by_key(|(monomial, coefficient)| {
            let mut range = Interval::point(*coefficient);
            for factor in monomial.iter() {
                range = range.multiply(self.factor_range(*factor));
            }
            range.low().unwrap_or(i64::MIN)
        });
        let Some((monomial, coefficient)) = lowest else {
            return false;
        };
        let is_proved = self.facts_with(monomial).iter().any(|(fact, other)| {
            other.signum() == coefficient.signum()
                && coefficient.checked_rem(*other) == Some(0)
                && self.proves_within(without(number, *fact, coefficient / other), sum - 1, steps)
        });
        if !is_proved && steps.get() > 0 {
            self.unproved.borrow_mut().insert(number, sum);
        }
        is_proved
    }

    fn factor_range(&self, factor: Factor) -> Interval {
        match factor {
            Factor::Var(var) => match self.context.ranges.get(&var) {
                Some(range) => range.intersect(var.interval()),
                None => var.interval(),
            },
            Factor::Atom(_) => self.context.interval(Dim::factor(factor)),
        }
    }

    /// The numbers that are not negative and have a term in them, with its coefficient.
    fn facts_with(&self, monomial: &Monomial) -> &[(Dim, i64)] {
        let by_term = self.by_term.get_or_init(|| {
            let mut by_term: FxHashMap<Monomial, Vec<(Dim, i64)>> = FxHashMap::default();
            for fact in &self.non_negative {
                for (monomial, coefficient) in fact.polynomial().variable_terms() {
                    by_term.entry(monomial.clone()).or_default().push((*fact, *coefficient));
                }
            }
            by_term
        });
        by_term.get(monomial).map_or(&[], Vec::as_slice)
    }
}

/// A number less a multiple of a fact.
fn without(number: Dim, fact: Dim, times: i64) -> Dim {
    if times == 1 { number - fact } else { number - fact * Dim::constant(times) }
}

/// The normal form of a number that is 0.
fn normal(number: Dim) -> Option<Dim> {
    match Formula::zero(number) {
        Formula::Zero(number) => Some(number),
        _ => None,
    }
}
