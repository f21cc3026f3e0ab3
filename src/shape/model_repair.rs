//! The solver finds values for which constraints are true, by repairing one broken constraint at a time.
//!
//! Which value of a variable would repair a comparison is seen from how the number changes with the variable, as if it were linear; a step
//! as wide as a divisor crosses the stairs of a quotient. What is found was evaluated, so a wrong guess costs only time.

use rustc_hash::FxHashSet;

use crate::dim::Dim;
use crate::evaluator::{Evaluator, Statement};
use crate::formula::Formula;
use crate::interval::Interval;
use crate::variable::Var;

/// Assignments tried in one search.
const MAX_TRIALS: u32 = 1_500;
/// Repairs after which the search begins anew.
const MAX_REPAIRS: u32 = 40;
/// Widths of steps that are tried beside 1.
const MAX_STEPS: usize = 5;

/// A variable, where to begin, what it may be, and what is worth trying.
pub(super) struct Unknown {
    pub var: Var,
    pub start: i64,
    pub range: Interval,
    pub candidates: Vec<i64>,
}

/// Values of the variables, in their order, for which all statements are true. The variables are sorted.
pub(super) fn find(unknowns: &[Unknown], statements: &[Formula], constants: &[i64]) -> Option<Vec<i64>> {
    let mut steps: Vec<i64> = constants.iter().filter_map(|value| value.checked_abs()).filter(|v| *v > 1).collect();
    steps.sort_unstable_by(|a, b| b.cmp(a));
    steps.dedup();
    steps.truncate(MAX_STEPS);
    steps.push(1);
    let vars: Vec<Var> = unknowns.iter().map(|unknown| unknown.var).collect();
    let mut evaluator = Evaluator::new(&vars);
    let ready = statements.iter().map(|statement| evaluator.statement(statement)).collect();
    let (seen, trials) = (FxHashSet::default(), MAX_TRIALS);
    let mut search = Repair { unknowns, statements, ready, evaluator, steps, trials, seen, state: 1 };
    let mut values: Vec<i64> = unknowns.iter().map(|unknown| unknown.start).collect();
    loop {
        if let Some(found) = search.descend(values) {
            return Some(found);
        }
        if search.trials == 0 {
            return None;
        }
        values = search.elsewhere();
    }
}

struct Repair<'a> {
    unknowns: &'a [Unknown],
    statements: &'a [Formula],
    /// The same, ready for being evaluated.
    ready: Vec<Statement>,
    evaluator: Evaluator,
    steps: Vec<i64>,
    trials: u32,
    seen: FxHashSet<Vec<i64>>,
    /// Of the pseudo-random numbers, the same ones every time.
    state: u64,
}

impl Repair<'_> {
    /// Repairs until all is true or nothing new is to be tried.
    fn descend(&mut self, mut values: Vec<i64>) -> Option<Vec<i64>> {
        for _ in 0..MAX_REPAIRS {
            self.assign(&values);
            let broken: Vec<usize> = (0..self.ready.len()).filter(|index| !self.is_true(*index)).collect();
            if broken.is_empty() {
                return Some(values);
            }
            let mut best: Option<(usize, Vec<i64>)> = None;
            let mut numbers = Vec::new();
            for index in broken {
                broken_numbers(&mut self.evaluator, &self.statements[index], &self.ready[index], &mut numbers);
            }
            for (number, wanted) in numbers {
                for changed in self.repairs(number, wanted, &values) {
                    if self.trials == 0 || self.seen.contains(&changed) {
                        continue;
                    }
                    self.trials -= 1;
                    self.assign(&changed);
                    // No more are counted than are needed to know that it is not better.
                    let least = best.as_ref().map_or(usize::MAX, |(least, _)| *least);
                    let count = (0..self.ready.len()).filter(|index| !self.is_true(*index)).take(least).count();
                    if count < least {
                        best = Some((count, changed));
                    }
                }
            }
            let (_, changed) = best?;
            self.seen.insert(changed.clone());
            values = changed;
        }
        None
    }

    /// Assignments that differ in one variable and may make a comparison true.
    fn repairs(&mut self, number: Dim, wanted: Wanted, values: &[i64]) -> Vec<Vec<i64>> {
        let mut repaired = Vec::new();
        let now = self.value(number, values);
        let steps = self.steps.clone();
        for var in number.vars() {
            let Some(index) = self.index(var) else { continue };
            let unknown = &self.unknowns[index];
            let mut targets = Vec::new();
            for step in &steps {
                targets.extend(self.target(number, wanted, values, (index, *step), now).into_iter().flatten());
            }
            let value = values[index];
            targets.extend([value.saturating_add(1), value.saturating_sub(1)]);
            if now.is_none() {
                targets.extend(unknown.candidates.iter().copied());
            }
            targets.retain(|target| *target != value && unknown.range.contains(*target));
            targets.sort_unstable();
            targets.dedup();
            repaired.extend(targets.into_iter().map(|target| {
                let mut changed = values.to_vec();
                changed[index] = target;
                changed
            }));
        }
        repaired
    }

    /// Where a number would become what is wanted if it went on as in one step of a variable.
    fn target(
        &mut self,
        number: Dim,
        wanted: Wanted,
        values: &[i64],
        (index, step): (usize, i64),
        now: Option<i64>,
    ) -> Option<[i64; 2]> {
        let mut changed = values.to_vec();
        changed[index] = changed[index].checked_add(step)?;
        let now = i128::from(now?);
        let slope = i128::from(self.value(number, &changed)?) - now;
        let missing = match wanted {
            Wanted::Zero | Wanted::NonNegative => -now,
            Wanted::NonZero => 1,
        };
        let exact = missing.checked_mul(i128::from(step))?;
        let (down, up) = (exact.checked_div(slope)?, slope.signum() * missing.signum());
        let target = |change: i128| i64::try_from(i128::from(values[index]) + change).ok();
        // Rounded towards the variable's present value, and one further.
        Some([target(down)?, target(down + if exact % slope == 0 { 0 } else { up })?])
    }

    fn assign(&mut self, values: &[i64]) {
        self.evaluator.assign(values.iter().copied().map(Some));
    }

    /// Whether the statement at this place is true under what was assigned last.
    fn is_true(&mut self, index: usize) -> bool {
        self.evaluator.truth(&self.ready[index]) == Some(true)
    }

    fn value(&mut self, number: Dim, values: &[i64]) -> Option<i64> {
        self.assign(values);
        self.evaluator.value_of(number)
    }

    fn index(&self, var: Var) -> Option<usize> {
        self.unknowns.binary_search_by_key(&var, |unknown| unknown.var).ok()
    }

    /// Another place to begin.
    fn elsewhere(&mut self) -> Vec<i64> {
        self.trials = self.trials.saturating_sub(1);
        let mut next = |bound: usize| {
            self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(self.state >> 33).unwrap_or(0) % bound.max(1)
        };
        let pick = |unknown: &Unknown| unknown.candidates.get(next(unknown.candidates.len())).copied();
        self.unknowns.iter().map(pick).map(|value| value.unwrap_or(1)).collect()
    }
}

/// The comparisons that make a formula false under what was assigned last.
fn broken_numbers(evaluator: &mut Evaluator, formula: &Formula, ready: &Statement, numbers: &mut Vec<(Dim, Wanted)>) {
    match (formula, ready) {
        (Formula::Zero(number), _) => numbers.push((*number, Wanted::Zero)),
        (Formula::NonZero(number), _) => numbers.push((*number, Wanted::NonZero)),
        (Formula::NonNegative(number), _) => numbers.push((*number, Wanted::NonNegative)),
        (Formula::And(parts) | Formula::Or(parts), Statement::And(ready) | Statement::Or(ready)) => {
            for (part, ready) in parts.iter().zip(ready) {
                if evaluator.truth(ready) != Some(true) {
                    broken_numbers(evaluator, part, ready, numbers);
                }
            }
        }
        _ => {}
    }
}

#[derive(Clone, Copy)]
enum Wanted {
    Zero,
    NonZero,
    NonNegative,
}
