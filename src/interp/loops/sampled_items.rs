//! Iteration in one go, as a comprehension needs it, or a call that takes an iterable: the items that it sees.

use crate::loops::loop_statements::count_of;
use crate::state::interpreter::Interpreter;
use crate::values::value::{Iteration, Value};
use harp_limits::light_tick;
use harp_shape::{Constraint, Dim, VarKind, Verdict};

impl Interpreter<'_> {
    /// Items of an iteration for a comprehension or a call such as `list(…)`: known ones, else one representative.
    pub fn sample(&mut self, iteration: Iteration) -> (Vec<Value>, bool, Option<Dim>) {
        light_tick();
        match iteration {
            Iteration::Items(items) => (items, true, None),
            Iteration::View { dict, part } => {
                let seen = self.view_now(dict, part);
                self.sample(seen)
            }
            Iteration::Repeated { element, count, .. } => (vec![element], false, count),
            Iteration::Counter { start, step, stop } => {
                let (start, step, stop) = self.settled_bounds(start, step, stop);
                match count_of(start, step, stop) {
                    Some(count) if count <= 4096 => {
                        self.heap.count_copied(count as usize);
                        ((0..count).map(|index| Value::Int(start + step * Dim::constant(index))).collect(), true, None)
                    }
                    _ => {
                        let is_plain = start.as_const() == Some(0) && step.as_const() == Some(1);
                        (vec![self.counter(start, step, stop)], false, is_plain.then_some(stop).flatten())
                    }
                }
            }
        }
    }

    /// The numbers of a counter one by one, where it is known how many there are.
    pub fn itemised(&mut self, iteration: Iteration) -> Iteration {
        match iteration {
            Iteration::Counter { start, step, stop } if count_of(start, step, stop).is_some_and(|it| it <= 4096) => {
                Iteration::Items(self.sample(iteration).0)
            }
            iteration => iteration,
        }
    }

    /// The bounds of a `range`, at the defaults where these alone decide how often a short loop runs: what it builds has a known number of
    /// parts then. The defaults hold from here on.
    pub(crate) fn settled_bounds(&mut self, start: Dim, step: Dim, stop: Option<Dim>) -> (Dim, Dim, Option<Dim>) {
        let open = (start, step, stop);
        if count_of(start, step, stop).is_some() {
            return open;
        }
        let Some(stop) = stop else { return open };
        let dims = [start, step, stop].map(|dim| self.solver.resolve(dim));
        let defaults = dims.map(|dim| self.default_of_configured(dim));
        let [Some(first), Some(stride), Some(end)] = defaults else { return open };
        let settled = [first, stride, end].map(Dim::constant);
        let limit = self.options.limits.iterations as i64;
        if count_of(settled[0], settled[1], Some(settled[2])).is_none_or(|count| count > limit) {
            return open;
        }
        for (dim, default) in dims.into_iter().zip(settled) {
            self.settle(dim, default);
        }
        self.settle_powers();
        (settled[0], settled[1], Some(settled[2]))
    }

    /// What settings alone decide has its default from here on. So have the settings of which it is the root or the logarithm.
    pub fn settle(&mut self, dim: Dim, default: Dim) {
        if dim != default {
            let fact = Constraint::Equal(dim, default);
            self.solver.assume(&fact);
            self.entry.settled_defaults.push(fact);
        }
        for variable in dim.vars() {
            if let Some(id) = self.tables.variable_assumptions.get(&variable) {
                self.entry.assumptions = self.entry.assumptions.with(*id);
            }
            if let Some(argument) = self.argument_of_settled_math(variable)
                && let Some(default) = self.default_of_configured(self.solver.resolve(argument))
            {
                self.settle(self.solver.resolve(argument), Dim::constant(default));
            }
        }
    }

    /// The settings that decide how many rounds a `while` runs have their defaults behind it: what the rounds made has the sizes that they say.
    pub(crate) fn settle_rounds(&mut self, condition: &Value) {
        let Value::Condition(constraint) = self.read(condition) else { return };
        if self.inference.is_some() || constraint.is_about_shapes() {
            return;
        }
        for variable in constraint.variables() {
            let dim = self.solver.resolve(Dim::var(variable));
            if dim.as_const().is_none()
                && let Some(default) = self.default_of_configured(dim)
            {
                self.settle(dim, Dim::constant(default));
            }
        }
        self.settle_powers();
    }

    /// Defaults that one of several ways settled hold on: what was built there has the sizes that they say.
    pub(crate) fn keep_settled_defaults(&mut self, before: usize) {
        for fact in self.entry.settled_defaults.get(before..).unwrap_or_default().to_vec() {
            if !matches!(self.solver.judge(&fact), Verdict::Holds | Verdict::Violated) {
                self.solver.assume(&fact);
            }
        }
    }

    /// The value of a dimension over configured variables alone.
    pub fn default_of_configured(&self, dim: Dim) -> Option<i64> {
        let is_configured = dim.vars().iter().all(|variable| variable.kind() == VarKind::Config);
        if is_configured { self.solver.at_default(dim) } else { None }
    }
}
