//! What clashed with a signature in the shape notation, as clauses for the reader.

use super::matching::{Clash, ClashKind, Matcher};
use super::scope::{Broadcast, Scope};
use super::{Actual, Comparison, Condition, Names, PatternDim, PatternShape};
use crate::{Constraint, Dim, Outcome, Shape, Solver, Verdict};

impl Matcher<'_, '_> {
    /// The clashes, each with a clause.
    pub fn described(mut self) -> Vec<(String, Constraint, Outcome)> {
        let clashes = std::mem::take(&mut self.clashes);
        clashes.into_iter().map(|clash| (self.describe(&clash), clash.constraint, clash.outcome)).collect()
    }

    fn describe(&self, clash: &Clash) -> String {
        let (name, shape) = self.tensor(clash.argument);
        let origin = |wanted: &str| self.origins.iter().find(|(known, _)| known == wanted).map(|(_, place)| *place);
        let elsewhere = |wanted: &str| match origin(wanted) {
            Some(argument) if argument != clash.argument => {
                let (name, shape) = self.tensor(argument);
                format!(" in {name} ({shape})")
            }
            _ => String::new(),
        };
        match &clash.kind {
            ClashKind::Rank { wanted, is_exact } => {
                let quantity = if *is_exact { "must have" } else { "must have at least" };
                let plural = if *wanted == 1 { "dimension" } else { "dimensions" };
                format!("{name} ({shape}) {quantity} {wanted} {plural}")
            }
            ClashKind::Shape { name: Some(variable), actual, expected } => {
                let (actual, expected) = (self.solver.resolve_shape(actual), self.solver.resolve_shape(expected));
                format!("`{variable}` is {actual} in {name} ({shape}) but {expected}{}", elsewhere(variable))
            }
            ClashKind::Shape { name: None, expected, .. } => {
                format!("{name} ({shape}) must have the shape {}", self.solver.resolve_shape(expected))
            }
            ClashKind::Same { earlier } => {
                let (other, expected) = self.tensor(*earlier);
                format!("{other} ({expected}) and {name} ({shape}) must have the same shape")
            }
            ClashKind::Except { earlier, axes } => {
                let (other, expected) = self.tensor(*earlier);
                format!("{other} ({expected}) and {name} ({shape}) must have the same shape except at `{axes}`")
            }
            ClashKind::Dim { expected, actual, value } => {
                let (actual, value) = (self.solver.resolve(*actual), self.solver.resolve(*value));
                let expected = expected.to_string();
                match origin(&expected) {
                    Some(_) => {
                        format!("`{expected}` is {actual} in {name} ({shape}) but {value}{}", elsewhere(&expected))
                    }
                    None if expected == value.to_string() => {
                        format!("a dimension of {name} ({shape}) must be {value}, got {actual}")
                    }
                    None => format!("a dimension of {name} ({shape}) must be `{expected}` ({value}), got {actual}"),
                }
            }
        }
    }

    /// A tensor's name and shape, for a message.
    fn tensor(&self, argument: usize) -> (&str, String) {
        match self.tensors.get(argument) {
            Some((name, shape)) => (name, self.solver.resolve_shape(shape).to_string()),
            None => ("an argument", "?".to_owned()),
        }
    }
}

impl Scope<'_> {
    /// What a condition that does not simply hold demands.
    pub(super) fn demand(&mut self, condition: &Condition, constraint: &Constraint, solver: &mut Solver) -> String {
        if let Some(text) = self.demand_in_words(condition, solver) {
            return text;
        }
        let sentence = {
            let argument = |name: &str| match self.lookup(name) {
                Some(dim) => Actual::Integer(solver.resolve(dim)),
                None => self.actual(name),
            };
            let operand = |base: &PatternShape| self.operand(base);
            condition.sentence(&Names { argument: &argument, operand: &operand })
        };
        // What the sizes are goes without saying only where the sentence says it.
        let values = solver.resolve_constraint(constraint).to_string();
        if let Some(sentence) = sentence {
            let is_said = sentence.contains(", got ") || matches!(constraint, Constraint::False);
            return if is_said { sentence } else { format!("{sentence}; here {values}") };
        }
        let text = condition.to_string();
        if values == text || matches!(constraint, Constraint::False) {
            format!("`{text}` must hold")
        } else {
            format!("`{text}` must hold, here {values}")
        }
    }

    /// `rank(s) > 0` and `len(tensors) > 0`, in words.
    fn demand_in_words(&mut self, condition: &Condition, solver: &mut Solver) -> Option<String> {
        let Condition::Compare(comparison, counted, PatternDim::Constant(wanted)) = condition else {
            return None;
        };
        let (quantity, wanted) = match comparison {
            Comparison::Equal => ("", *wanted),
            Comparison::Greater => ("at least ", wanted.checked_add(1)?),
            Comparison::GreaterEqual => ("at least ", *wanted),
            Comparison::Less => ("at most ", wanted.checked_sub(1)?),
            Comparison::LessEqual => ("at most ", *wanted),
            Comparison::NotEqual => return None,
        };
        let ending = if wanted == 1 { "" } else { "s" };
        match counted {
            PatternDim::Rank(base) => {
                let shape = self.shape(base, solver)?;
                let subject = self.subject(base, &solver.resolve_shape(&shape));
                Some(format!("{subject} must have {quantity}{wanted} dimension{ending}"))
            }
            PatternDim::Length(parameter) => Some(format!("`{parameter}` must hold {quantity}{wanted} item{ending}")),
            _ => None,
        }
    }

    /// The broadcasts that did not simply hold.
    pub(super) fn describe_broadcasts(
        &mut self,
        solver: &mut Solver,
        outcomes: &mut Vec<(String, Constraint, Outcome)>,
    ) {
        for Broadcast { operands, outcome } in std::mem::take(&mut self.broadcasts) {
            let named = |(name, shape): &(String, Shape)| format!("{name} {}", solver.resolve_shape(shape));
            let names = join(&operands.iter().map(named).collect::<Vec<_>>());
            let shapes: Vec<Shape> = operands.into_iter().map(|(_, shape)| solver.resolve_shape(&shape)).collect();
            let description = match shapes.as_slice() {
                [left, right] => match mismatch(left, right) {
                    Some((back, one, other)) => format!(
                        "{names} cannot be broadcast together: dimension -{back} is {one} against {other}, and neither is 1"
                    ),
                    None => format!("{names} must broadcast together"),
                },
                _ => format!("{names} cannot be broadcast together"),
            };
            outcomes.push((description, broadcast_constraint(solver, &shapes), outcome));
        }
    }
}

/// The last pair of dimensions that do not broadcast, with its distance from the end.
fn mismatch(left: &Shape, right: &Shape) -> Option<(usize, Dim, Dim)> {
    let (left, right) = (left.dims()?, right.dims()?);
    let mut pairs = left.iter().rev().zip(right.iter().rev()).enumerate();
    let (index, (left, right)) =
        pairs.find(|(_, (left, right))| left != right && **left != Dim::ONE && **right != Dim::ONE)?;
    Some((index + 1, *left, *right))
}

fn join(names: &[String]) -> String {
    match names.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => names.concat(),
    }
}

/// What broadcasting demands of the known dimensions, without what is certain.
fn broadcast_constraint(solver: &Solver, shapes: &[Shape]) -> Constraint {
    let mut parts = Vec::new();
    let known_back = |shape: &Shape| -> Vec<Dim> {
        let shape = solver.resolve_shape(shape);
        shape.elements().iter().rev().map_while(|element| element.as_dim()).collect()
    };
    let backs: Vec<Vec<Dim>> = shapes.iter().map(known_back).collect();
    for (index, left) in backs.iter().enumerate() {
        for right in backs.iter().skip(index + 1) {
            for (x, y) in left.iter().zip(right) {
                let part = Constraint::Broadcastable(*x, *y);
                if solver.judge(&part) != Verdict::Holds {
                    parts.push(part);
                }
            }
        }
    }
    if parts.len() == 1 { parts.remove(0) } else { Constraint::And(parts) }
}
