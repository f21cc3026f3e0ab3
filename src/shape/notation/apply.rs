//! Applies a signature in the shape notation: what a call's arguments are in, the results' shapes and what clashed out.

use super::build::Returned;
use super::matching::Matcher;
use super::scope::Scope;
use super::{Actual, Condition, Input, Passing, Signature};
use crate::{Constraint, Outcome, Shape, Solver};

/// What came of applying a signature.
#[derive(Clone, Debug, Default)]
pub struct Applied {
    /// What did not simply hold, each with a clause for the reader.
    pub outcomes: Vec<(String, Constraint, Outcome)>,
    /// The results, also where something clashed.
    pub output: Returned,
}

impl Applied {
    /// Whether a requirement is certainly broken.
    pub fn is_violated(&self) -> bool {
        self.outcomes.iter().any(|(_, _, outcome)| *outcome == Outcome::Violated)
    }

    /// The shapes of the results, in order.
    pub fn shapes(&self) -> Vec<Shape> {
        let mut shapes = Vec::new();
        self.output.collect_shapes(&mut shapes);
        shapes
    }
}

impl Signature {
    /// Matches the inputs with their patterns, requires what the signature demands, and builds the results.
    ///
    /// A name takes the value of the parameter of that name, else that of the first dimension or shape that it stands for
    /// in the inputs; further occurrences must be equal. An input that is no tensor (or missing) is not matched.
    pub fn apply(&self, solver: &mut Solver, inputs: &[Actual], parameters: &dyn Fn(&str) -> Actual) -> Applied {
        self.apply_where(true, solver, inputs, parameters)
    }

    /// Like [`Signature::apply`], in a library that tells whether scalars have an axis 0.
    pub fn apply_where(
        &self,
        scalars_have_axis: bool,
        solver: &mut Solver,
        inputs: &[Actual],
        parameters: &dyn Fn(&str) -> Actual,
    ) -> Applied {
        let mut scope = Scope::new(parameters);
        scope.scalars_have_axis = scalars_have_axis;
        let mut matcher = Matcher::new(&mut scope, solver);
        for (index, (input, actual)) in self.inputs.iter().zip(inputs).enumerate() {
            let name = name_of(index, input);
            match input.passing {
                Passing::Variadic => matcher.match_items(&name, &input.pattern, actual),
                Passing::Keywords => {}
                Passing::Required => matcher.match_required(&name, &input.pattern, actual),
                Passing::Optional => matcher.match_argument(&name, &input.pattern, actual),
            }
        }
        matcher.match_waiting();
        let mut applied = Applied { outcomes: matcher.described(), ..Applied::default() };
        scope.takes_any_size = true;
        if let Some(condition) = &self.condition {
            scope.require(condition, solver, &mut applied.outcomes);
        }
        applied.output = scope.build(&self.outputs, solver);
        scope.describe_broadcasts(solver, &mut applied.outcomes);
        scope.require_fits((&self.inputs, inputs), solver, &mut applied.outcomes);
        scope.wrong_arguments.dedup();
        for (index, message) in scope.wrong_arguments.iter().enumerate() {
            if !scope.wrong_arguments.iter().take(index).any(|earlier| earlier == message) {
                applied.outcomes.push((message.clone(), Constraint::False, Outcome::Violated));
            }
        }
        applied
    }
}

impl Scope<'_> {
    /// Requires what follows `where`, each of several conditions by itself.
    fn require(
        &mut self,
        condition: &Condition,
        solver: &mut Solver,
        outcomes: &mut Vec<(String, Constraint, Outcome)>,
    ) {
        match condition {
            Condition::And(parts) => parts.iter().for_each(|part| self.require(part, solver, outcomes)),
            Condition::HasAxis(..) => self.require_axis(condition, solver),
            _ => {
                let Some(constraint) = self.condition(condition, solver) else { return };
                let outcome = solver.require(&constraint);
                if outcome != Outcome::Holds {
                    outcomes.push((self.demand(condition, &constraint, solver), constraint, outcome));
                }
            }
        }
    }
}

/// How an input is called in messages.
pub(super) fn name_of(index: usize, input: &Input) -> String {
    match input.name.as_deref() {
        // Nobody writes the receiver of a method.
        Some("self") => "the tensor".to_owned(),
        Some(name) => format!("`{name}`"),
        None => format!("argument {}", index + 1),
    }
}
