//! The solver makes a fact true: variables are bound to what it says of them, or their ranges become narrower.

use super::constraint::{Constraint, Outcome};
use super::dim::{Dim, atom};
use super::formula::Formula;
use super::interval::Interval;
use super::polynomial::{Atom, Factor, Polynomial};
use super::solver::Solver;
use super::variable::{Var, VarKind};

impl Solver {
    /// Makes `number == 0` true by binding a variable that occurs in it once, with the factor 1 or -1.
    pub(super) fn bind_somewhere(&mut self, number: Dim, binding: Binding) -> bool {
        let polynomial = number.polynomial();
        let mut best: Option<(u8, Var, i64)> = None;
        for (monomial, coefficient) in polynomial.variable_terms() {
            let [Factor::Var(var)] = **monomial else {
                continue;
            };
            let rank = match (var.kind(), binding) {
                _ if var.is_opaque() => 0,
                (VarKind::Free, _) => 3,
                (VarKind::Fixed | VarKind::Counted | VarKind::Varying, Binding::Any) => 2,
                (VarKind::Config, Binding::Any) => 1,
                _ => continue,
            };
            // Among equals the newest goes: inputs keep their names.
            if coefficient.unsigned_abs() == 1 && best.is_none_or(|(r, v, _)| (r, v) < (rank, var)) {
                let rest = number - Dim::constant(*coefficient) * Dim::var(var);
                if !rest.any_leaf(|leaf| leaf == Factor::Var(var)) {
                    best = Some((rank, var, *coefficient));
                }
            }
        }
        let Some((rank, var, coefficient)) = best else {
            return false;
        };
        if rank == 0 && binding == Binding::Free {
            return false;
        }
        let rest = number - Dim::constant(coefficient) * Dim::var(var);
        let value = if coefficient > 0 { -rest } else { rest };
        if value.is_opaque() && rank > 0 {
            return false;
        }
        self.bind(var, value, binding)
    }

    /// Makes `factor*var + rest == 0` true for a free variable by binding it to the quotient, which must be exact.
    pub(super) fn bind_quotient(&mut self, number: Dim) -> Option<Outcome> {
        let polynomial = number.polynomial();
        let candidates: Vec<Var> = number.vars().into_iter().filter(|var| var.is_free()).rev().collect();
        for var in candidates {
            let is_linear = |monomial: &[Factor]| monomial.iter().filter(|f| **f == Factor::Var(var)).count() == 1;
            let (with, without): (Vec<_>, Vec<_>) =
                polynomial.terms().iter().cloned().partition(|(monomial, _)| is_linear(monomial));
            let part = |terms| Dim::from_polynomial(Polynomial::from_terms(terms));
            let Some(factor) = Polynomial::from_terms(with)
                .and_then(|with| with.divide_by_term(&[Factor::Var(var)].into(), 1))
                .map(|factor| Dim::from_polynomial(Some(factor)))
            else {
                continue;
            };
            let rest = part(without);
            let occurs = |dim: Dim| dim.any_leaf(|leaf| leaf == Factor::Var(var));
            let interval = self.interval(factor);
            if occurs(factor) || occurs(rest) || interval.contains(0) || rest == Dim::ZERO || factor.is_opaque() {
                continue;
            }
            let mark = self.mark();
            let divides = Constraint::Divides { divisor: factor, value: -rest };
            let outcome = self.require_part(&divides, 1);
            let is_certain = matches!(outcome, Outcome::Holds | Outcome::Assumed);
            if is_certain && self.bind(var, (-rest).floor_div(factor), Binding::Free) {
                return Some(Outcome::Assumed);
            }
            self.rollback(mark);
            if !is_certain {
                return Some(outcome);
            }
        }
        None
    }

    /// Binds a variable, and keeps its range as facts about the value. `false` where the range excludes the value.
    pub(super) fn bind(&mut self, var: Var, value: Dim, binding: Binding) -> bool {
        let range = self.range(var);
        let interval = self.interval(value);
        let mut facts = Vec::new();
        if let Some(low) = range.low().filter(|low| !interval.is_at_least(*low)) {
            facts.push(Constraint::LessEqual(Dim::constant(low), value));
        }
        if let Some(high) = range.high().filter(|high| !interval.is_at_most(*high)) {
            facts.push(Constraint::LessEqual(value, Dim::constant(high)));
        }
        if facts.iter().any(|fact| self.decide(&Formula::of(fact)) == Some(false)) {
            return false;
        }
        self.set_dim(var, value);
        for fact in facts {
            self.narrow(&Formula::of(&fact));
            self.record(fact, binding);
        }
        true
    }

    /// Uses a comparison of one variable with a constant to narrow the variable's range.
    pub(super) fn narrow(&mut self, formula: &Formula) {
        if let Formula::And(parts) = formula {
            return parts.iter().for_each(|part| self.narrow(part));
        }
        let (Formula::NonNegative(number) | Formula::NonZero(number)) = formula else {
            return;
        };
        let polynomial = number.polynomial();
        let [(monomial, coefficient)] = polynomial.variable_terms() else {
            return;
        };
        let [Factor::Var(var)] = **monomial else {
            return;
        };
        let before = self.range(var);
        let constant = polynomial.constant_term();
        let range = match formula {
            Formula::NonNegative(_) => range_if_non_negative(*coefficient, constant),
            _ => range_if_non_zero(*coefficient, constant, before),
        };
        let Some(range) = range else {
            return;
        };
        let range = range.intersect(before);
        if range != before {
            self.set_range(var, range);
        }
    }
}

/// Which variables may be bound.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Binding {
    /// Free dimensions and shape variables.
    Free,
    /// All.
    Any,
}

/// Whether a requirement may bind it.
pub(super) fn is_bindable(leaf: Factor) -> bool {
    match leaf {
        Factor::Var(var) => var.is_free(),
        Factor::Atom(id) => matches!(atom(id), Some(Atom::Product(_) | Atom::Rank(_))),
    }
}

/// The range of `x` in `coefficient*x + constant >= 0`.
fn range_if_non_negative(coefficient: i64, constant: i64) -> Option<Interval> {
    let constant = Dim::constant(constant);
    if coefficient > 0 {
        Some(Interval::at_least((-constant).ceil_div(Dim::constant(coefficient)).as_const()?))
    } else {
        Some(Interval::between(None, Some(constant.floor_div(Dim::constant(coefficient.checked_neg()?)).as_const()?)))
    }
}

/// The range of `x` in `coefficient*x + constant != 0`, which is smaller only at an end.
fn range_if_non_zero(coefficient: i64, constant: i64, before: Interval) -> Option<Interval> {
    let excluded = constant.checked_neg()?.checked_div(coefficient)?;
    if excluded.checked_mul(coefficient)?.checked_add(constant)? != 0 {
        return None;
    }
    if before.low() == Some(excluded) {
        return Some(Interval::at_least(excluded.checked_add(1)?));
    }
    if before.high() == Some(excluded) {
        return Some(Interval::between(None, Some(excluded.checked_sub(1)?)));
    }
    None
}
