//! Conditions of the shape notation: whether one is true of a call, and what it demands.

use super::scope::Scope;
use super::{Actual, Comparison, Condition, Value};
use crate::{Constraint, Solver, Verdict};

use super::edits::NamedAxes;

impl Scope<'_> {
    /// Whether a condition is true of the call; `None` where that is not known.
    pub fn truth(&mut self, condition: &Condition, solver: &mut Solver) -> Option<bool> {
        match condition {
            Condition::And(parts) => self.all(parts, true, solver),
            Condition::Or(parts) => self.all(parts, false, solver),
            Condition::Not(inner) => self.truth(inner, solver).map(|truth| !truth),
            Condition::Flag(parameter) => self.actual(parameter).truth(),
            Condition::Is { parameter, value, negated } => {
                is_value(&self.actual(parameter), value).map(|is_it| is_it != *negated)
            }
            Condition::Compare(..) => {
                let constraint = self.condition(condition, solver)?;
                match solver.judge(&solver.resolve_constraint(&constraint)) {
                    Verdict::Holds => Some(true),
                    Verdict::Violated => Some(false),
                    _ => None,
                }
            }
            Condition::HasAxis(shape, axes) => {
                let shape = self.shape(shape, solver)?;
                match self.axes(axes, solver) {
                    NamedAxes::All => Some(true),
                    NamedAxes::These(numbers) => {
                        let rank = solver.resolve_shape(&shape).rank()?;
                        let scalar = self.axis_of_scalar(&numbers, rank);
                        Some(scalar.and_then(|()| crate::distinct_axes(&numbers, rank)).is_ok())
                    }
                    NamedAxes::Unknown(_) => None,
                }
            }
        }
    }

    /// Whether all parts have this truth value, or else none of it. As in Python, what comes after a deciding part is not asked.
    fn all(&mut self, parts: &[Condition], wanted: bool, solver: &mut Solver) -> Option<bool> {
        let mut is_known = true;
        for part in parts {
            match self.truth(part, solver) {
                Some(truth) if truth != wanted => return Some(!wanted),
                Some(_) => {}
                None => is_known = false,
            }
        }
        is_known.then_some(wanted)
    }

    /// The constraint that a condition describes; `None` where a name has no value. A wrong axis is noted.
    pub fn condition(&mut self, condition: &Condition, solver: &mut Solver) -> Option<Constraint> {
        let truth = |truth: bool| if truth { Constraint::True } else { Constraint::False };
        Some(match condition {
            Condition::And(parts) => Constraint::And(self.constraints(parts, &Constraint::False, solver)?),
            Condition::Or(parts) => Constraint::Or(self.constraints(parts, &Constraint::True, solver)?),
            Condition::Not(inner) => self.condition(inner, solver)?.negated(),
            Condition::Compare(comparison, left, right) => {
                let (left, right) = (self.dim(left, solver)?, self.dim(right, solver)?);
                match comparison {
                    Comparison::Equal => Constraint::Equal(left, right),
                    Comparison::NotEqual => Constraint::NotEqual(left, right),
                    Comparison::Less => Constraint::Less(left, right),
                    Comparison::LessEqual => Constraint::LessEqual(left, right),
                    Comparison::Greater => Constraint::Less(right, left),
                    Comparison::GreaterEqual => Constraint::LessEqual(right, left),
                }
            }
            Condition::Flag(_) | Condition::Is { .. } | Condition::HasAxis(..) => truth(self.truth(condition, solver)?),
        })
    }

    /// The constraints of the parts; one that decides the whole stands alone. `None` where a part is not known.
    fn constraints(
        &mut self,
        parts: &[Condition],
        deciding: &Constraint,
        solver: &mut Solver,
    ) -> Option<Vec<Constraint>> {
        let neutral = if *deciding == Constraint::True { Constraint::False } else { Constraint::True };
        let mut open = Some(Vec::with_capacity(parts.len()));
        for part in parts {
            match self.condition(part, solver) {
                Some(part) if part == *deciding => return Some(vec![part]),
                Some(part) if part == neutral => {}
                Some(part) => open.iter_mut().for_each(|open| open.push(part.clone())),
                None => open = None,
            }
        }
        open
    }

    /// Requires that a shape has axes: takes it apart at them, and notes what is wrong.
    pub(super) fn require_axis(&mut self, condition: &Condition, solver: &mut Solver) {
        let Condition::HasAxis(base, axes) = condition else { return };
        let Some(shape) = self.shape(base, solver) else { return };
        if let NamedAxes::These(numbers) = self.axes(axes, solver) {
            let shape = solver.resolve_shape(&shape);
            self.open(base, axes, &shape, &numbers, solver);
        }
    }
}

fn is_value(actual: &Actual, value: &Value) -> Option<bool> {
    match (actual, value) {
        (Actual::Unknown, _) => None,
        (Actual::None, Value::None) => Some(true),
        (_, Value::None) => Some(false),
        (Actual::Text(text), Value::Text(wanted)) => Some(**text == **wanted),
        (_, Value::Text(_)) => Some(false),
        (Actual::Items(_), Value::Empty) => actual.items().map(<[Actual]>::is_empty),
        (_, Value::Empty) => Some(false),
    }
}
