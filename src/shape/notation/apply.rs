//! Applying a signature: the arguments' shapes in, the results' shapes and what clashed out.

use super::matching::{Clash, ClashKind, Matcher};
use super::scope::Scope;
use super::{Pattern, Signature};
use crate::shape::{Constraint, Dim, Outcome, Shape, Solver, Verdict};

/// What came of applying a signature.
#[derive(Clone, Debug, Default)]
pub struct Applied {
    /// What did not simply hold, each with a clause for the reader.
    pub outcomes: Vec<(String, Constraint, Outcome)>,
    /// One shape for each result, in order. A result of which nothing is known is a fresh unknown shape; a signature that
    /// returns no tensor (`_`) has none.
    pub outputs: Vec<Shape>,
}

impl Applied {
    /// Whether a requirement is certainly broken.
    pub fn is_violated(&self) -> bool {
        self.outcomes.iter().any(|(_, _, outcome)| *outcome == Outcome::Violated)
    }
}

impl Signature {
    /// Matches the inputs with their patterns, requires what the signature demands, and builds the results.
    ///
    /// A name takes the value of the scalar parameter of that name, else that of the first dimension or shape that it stands for
    /// in the inputs; further occurrences must be equal. An input that is `None` (or missing) is not matched.
    pub fn apply(
        &self,
        solver: &mut Solver,
        inputs: &[Option<Shape>],
        scalars: &dyn Fn(&str) -> Option<Dim>,
    ) -> Applied {
        let mut scope = Scope::new(scalars);
        let mut matcher = Matcher {
            scope: &mut scope,
            solver,
            origins: Vec::new(),
            waiting: Vec::new(),
            clashes: Vec::new(),
            own: Vec::new(),
        };
        for (argument, (pattern, input)) in self.inputs.iter().zip(inputs).enumerate() {
            if let (Pattern::Shape(pattern), Some(actual)) = (pattern, input) {
                matcher.match_shape(argument, pattern, actual);
            }
        }
        matcher.match_waiting();
        let Matcher { origins, clashes, .. } = matcher;
        let mut applied = Applied::default();
        for clash in clashes {
            let description = self.describe(&clash, inputs, &origins, solver);
            applied.outcomes.push((description, clash.constraint, clash.outcome));
        }
        if let Some(condition) = &self.condition
            && let Some(constraint) = scope.condition(condition, solver)
        {
            let outcome = solver.require(&constraint);
            if outcome != Outcome::Holds {
                let values = solver.resolve_constraint(&constraint).to_string();
                let text = condition.to_string();
                let description = if values == text {
                    format!("`{text}` must hold")
                } else {
                    format!("`{text}` must hold, here {values}")
                };
                applied.outcomes.push((description, constraint, outcome));
            }
        }
        build(&self.outputs, &mut scope, solver, &mut applied.outputs);
        for (shapes, outcome) in std::mem::take(&mut scope.broadcasts) {
            let names: Vec<String> = shapes.iter().map(|shape| solver.resolve_shape(shape).to_string()).collect();
            let description = format!("{} cannot be broadcast together", join(&names));
            applied.outcomes.push((description, broadcast_constraint(solver, &shapes), outcome));
        }
        applied
    }

    fn describe(
        &self,
        clash: &Clash,
        inputs: &[Option<Shape>],
        origins: &[(String, usize)],
        solver: &Solver,
    ) -> String {
        let name = self.argument_name(clash.argument);
        let shape_of = |argument: usize| match inputs.get(argument) {
            Some(Some(shape)) => solver.resolve_shape(shape).to_string(),
            _ => "?".to_owned(),
        };
        let shape = shape_of(clash.argument);
        let origin = |wanted: &str| origins.iter().find(|(known, _)| known == wanted).map(|(_, argument)| *argument);
        let elsewhere = |wanted: &str| match origin(wanted) {
            Some(argument) if argument != clash.argument => {
                format!(" in {} ({})", self.argument_name(argument), shape_of(argument))
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
                let (actual, expected) = (solver.resolve_shape(actual), solver.resolve_shape(expected));
                format!("`{variable}` is {actual} in {name} ({shape}) but {expected}{}", elsewhere(variable))
            }
            ClashKind::Shape { name: None, expected, .. } => {
                format!("{name} ({shape}) must have the shape {}", solver.resolve_shape(expected))
            }
            ClashKind::Dim { expected, actual, value } => {
                let (actual, value) = (solver.resolve(*actual), solver.resolve(*value));
                let expected = expected.to_string();
                match origin(&expected) {
                    Some(_) => {
                        format!("`{expected}` is {actual} in {name} ({shape}) but {value}{}", elsewhere(&expected))
                    }
                    None if expected == value.to_string() => {
                        format!("a dimension of {name} ({shape}) must be {value}, but is {actual}")
                    }
                    None => format!("a dimension of {name} ({shape}) must be `{expected}` ({value}), but is {actual}"),
                }
            }
        }
    }

    fn argument_name(&self, argument: usize) -> String {
        match self.parameters.get(argument) {
            Some(Some(name)) => format!("`{name}`"),
            _ => format!("argument {}", argument + 1),
        }
    }
}

fn build(pattern: &Pattern, scope: &mut Scope, solver: &mut Solver, outputs: &mut Vec<Shape>) {
    match pattern {
        Pattern::Nothing => {}
        Pattern::Shape(shape) => {
            let built = scope.shape(shape, solver);
            outputs.push(built.map_or_else(|| Shape::unknown("s"), |built| solver.resolve_shape(&built)));
        }
        Pattern::Tuple(patterns) => {
            for pattern in patterns {
                match pattern {
                    // A result that is no tensor keeps its place.
                    Pattern::Nothing => outputs.push(Shape::unknown("s")),
                    other => build(other, scope, solver, outputs),
                }
            }
        }
    }
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
