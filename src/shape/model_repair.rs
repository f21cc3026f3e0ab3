//! Values for which statements are true, found by repairing one broken statement at a time.
//!
//! Which value of a variable would repair a comparison is seen from how the number changes with the variable, as if it were linear; a step
//! as wide as a divisor crosses the stairs of a quotient. What is found was evaluated, so a wrong guess costs only time.

use rustc_hash::FxHashSet;

use crate::dim::Dim;
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
    let mut search = Repair { unknowns, statements, steps, trials: MAX_TRIALS, seen: FxHashSet::default(), state: 1 };
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
            let broken: Vec<&Formula> = self.statements.iter().filter(|one| !self.is_true(one, &values)).collect();
            if broken.is_empty() {
                return Some(values);
            }
            let mut best: Option<(usize, Vec<i64>)> = None;
            let mut numbers = Vec::new();
            broken.iter().for_each(|formula| self.broken_numbers(formula, &values, &mut numbers));
            for (number, wanted) in numbers {
                for changed in self.repairs(number, wanted, &values) {
                    if self.trials == 0 || self.seen.contains(&changed) {
                        continue;
                    }
                    self.trials -= 1;
                    let count = self.statements.iter().filter(|one| !self.is_true(one, &changed)).count();
                    if best.as_ref().is_none_or(|(least, _)| count < *least) {
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

    /// The comparisons that make a formula false.
    fn broken_numbers(&self, formula: &Formula, values: &[i64], numbers: &mut Vec<(Dim, Wanted)>) {
        match formula {
            Formula::Zero(number) => numbers.push((*number, Wanted::Zero)),
            Formula::NonZero(number) => numbers.push((*number, Wanted::NonZero)),
            Formula::NonNegative(number) => numbers.push((*number, Wanted::NonNegative)),
            Formula::And(parts) | Formula::Or(parts) => {
                let broken = parts.iter().filter(|part| !self.is_true(part, values));
                broken.for_each(|part| self.broken_numbers(part, values, numbers));
            }
            Formula::True | Formula::False | Formula::Unclear => {}
        }
    }

    /// Assignments that differ in one variable and may make a comparison true.
    fn repairs(&self, number: Dim, wanted: Wanted, values: &[i64]) -> Vec<Vec<i64>> {
        let mut repaired = Vec::new();
        let now = self.value(number, values);
        for var in number.vars() {
            let Some(index) = self.index(var) else { continue };
            let unknown = &self.unknowns[index];
            let mut targets = Vec::new();
            for step in &self.steps {
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
        &self,
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

    fn is_true(&self, formula: &Formula, values: &[i64]) -> bool {
        formula.evaluate(&mut |var| values.get(self.index(var)?).copied()) == Some(true)
    }

    fn value(&self, number: Dim, values: &[i64]) -> Option<i64> {
        number.evaluate(&mut |var| values.get(self.index(var)?).copied())
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

#[derive(Clone, Copy)]
enum Wanted {
    Zero,
    NonZero,
    NonNegative,
}
