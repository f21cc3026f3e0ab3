//! Loops over `range`: their counters, and how often they run.

use std::rc::Rc;

use crate::generators::suspension::Position;
use crate::inference::Growth;
use crate::loops::loop_statements::{Iterated, STEPS_OF_A_DECIDING_LOOP, STEPS_OF_A_SHORT_LOOP};
use crate::state::interpreter::{Eval, Flow, Interpreter};
use crate::values::value::{Iteration, Value};
use harp_corpus::Span;
use harp_python::ir::{Expr, Stmt};
use harp_shape::{Constraint, Dim, Var, VarKind, Verdict};

impl Interpreter<'_> {
    /// Notes how often a loop runs at least at the defaults of what is configured.
    pub(crate) fn note_trips_at_defaults(&mut self, span: Span, iteration: &Iteration) {
        let dims = match iteration {
            Iteration::Items(items) => [0, 1, items.len() as i64].map(Dim::constant),
            Iteration::Repeated { count: Some(count), .. } => [Dim::constant(0), Dim::constant(1), *count],
            Iteration::Counter { start, step, stop: Some(stop) } => [*start, *step, *stop],
            _ => return,
        };
        let dims = dims.map(|dim| self.solver.resolve(dim));
        let [start, step, stop] = dims.map(|dim| self.default_of_configured(dim).map(Dim::constant));
        let count = start.zip(step).and_then(|(start, step)| count_of(start, step, Some(stop?)));
        let noted = count.map(|count| (count, self.dims_assumed(dims)));
        // Where it runs several times, as over each mini-batch of a data set, the fewest that are known.
        let Some(noted) = noted else { return };
        let known = self.trace.loops_at_defaults.entry(span).or_insert(noted);
        if noted.0 < known.0 {
            *known = noted;
        }
    }

    /// `range`: known bounds are executed one by one while the state changes. Where it goes on in an iteration, `from` is how many there are and
    /// the number of that one.
    pub(crate) fn loop_counter(
        &mut self,
        target: &Expr,
        start: Dim,
        step: Dim,
        stop: Option<Dim>,
        body: &[Stmt],
        from: Option<(i64, i64)>,
    ) -> Eval<Flow> {
        let (start, step, stop) =
            if from.is_some() { (start, step, stop) } else { self.settled_bounds(start, step, stop) };
        let count = from.map(|(count, _)| count).or_else(|| count_of(start, step, stop));
        if count.is_none() && self.counts_once(start, step, stop) {
            let before = self.enter_range(start, step, stop);
            let flow = self.loop_items(target, (Rc::from([Value::Int(start)]), 0, false), body, None);
            self.solver.loop_lengths.truncate(before);
            return flow;
        }
        let Some(count) = count else {
            let counter = self.counter(start, step, stop);
            // The first iteration has the first number, what others left behind meets later ones.
            let later = if self.inference.is_none() { self.later_counter(start, step, stop) } else { counter.clone() };
            let trips = stop.filter(|_| step == Dim::ONE).map(|stop| stop - start);
            let first = self.inference.is_none().then_some(Value::Int(start));
            let before = self.enter_range(start, step, stop);
            let mut growth = Growth::new(self.heap.mark(), self.moment_of_lengths(), trips.is_some());
            growth.last = self.last_number(target, step, stop, body);
            growth.may_be_once = self.may_count_once(&later, stop);
            let elements = [first.unwrap_or_else(|| counter.clone()), later];
            let flow = self.loop_growing(target, &elements, trips, body, &mut growth);
            self.solver.loop_lengths.truncate(before);
            return flow;
        };
        let length = usize::try_from(count).unwrap_or(usize::MAX);
        let begin = self.begin_loop(body, length);
        let renewed = self.renewed_places(None, body);
        // A condition on the counter may change what a later iteration does.
        let decides = crate::loops::asks_iteration_number::is_tested(target, body);
        let first = from.map_or(0, |(_, index)| index);
        let (mut watch, mut is_stale) = (self.watch(begin, body), false);
        for index in first..count {
            let goes_on = from.is_some() && index == first;
            let [done, left] = [index, count - index].map(|number| usize::try_from(number).unwrap_or(usize::MAX));
            if !goes_on && (is_stale || !self.may_iterate(done, Some(left), begin)) {
                self.note_cut(body, length, begin);
                // Those that are left have later numbers than those that were executed.
                let counter = self.counter(start + step * Dim::constant(index), step, stop);
                if is_stale && self.skip_rest(target, &counter, left, &watch)? {
                    break;
                }
                self.assign(target, counter.clone())?;
                let left = self.inference.is_none().then_some(Dim::constant(count - index));
                return self.loop_abstract(target, &[counter.clone(), counter], left, body, Some(watch));
            }
            self.watch_iteration(&mut watch);
            let mut assigned = renewed.clone();
            if !goes_on {
                self.note_iteration(|_| format!("iteration {} of {count}", index + 1));
                assigned.extend(self.assign_item(target, Value::Int(start + step * Dim::constant(index)))?);
            }
            let mark = self.heap.mark();
            let (steps, yields, lengths) = (self.entry.steps, self.yields_so_far(), self.moment_of_lengths());
            let iterated = self.iterate_body(body);
            let position = || Position::Counter { start, step, count, index };
            if let Iterated::Stops(flow) = self.leaving(iterated, position)? {
                return Ok(flow);
            }
            if goes_on {
                continue;
            }
            // What a later iteration does may depend on its number alone, which a short loop shows when it is executed to the end.
            let total = (self.entry.steps - steps).saturating_mul(count.unsigned_abs());
            let is_long = total > if decides { STEPS_OF_A_DECIDING_LOOP } else { STEPS_OF_A_SHORT_LOOP };
            if index > 0 && is_long && self.is_unchanged_since(mark, &assigned) {
                self.repeat_growth(mark, lengths, Some(Dim::constant(count - 1 - index)));
                self.forget_drifting(mark);
                self.assign(target, Value::Int(start + step * Dim::constant(count - 1)))?;
                self.cut_short(yields);
                break;
            }
            is_stale = self.is_stale(&mut watch, &assigned, done, Some(left));
        }
        Ok(Flow::Normal)
    }

    /// Whether a range of which the last number is not known has no second number: `range(0, min(n, 64), 64)`.
    fn counts_once(&self, start: Dim, step: Dim, stop: Option<Dim>) -> bool {
        let is_upwards = step.as_const().is_some_and(|step| step > 0);
        let stop = stop.filter(|_| is_upwards && self.inference.is_none());
        stop.is_some_and(|stop| self.solver.judge(&Constraint::Less(start + step, stop)) == Verdict::Violated)
    }

    /// The counter of an iteration after the first.
    fn later_counter(&mut self, start: Dim, step: Dim, stop: Option<Dim>) -> Value {
        let later = self.counter(start + step, step, stop);
        let is_there = stop.is_some_and(|stop| {
            let second = Constraint::Less(start + step, stop);
            step.as_const().is_some_and(|step| step > 0) && self.solver.judge(&second) == Verdict::Holds
        });
        if let (Some(counter), false) = (later.as_dim().and_then(Dim::as_var), is_there) {
            self.tables.later_counters.insert(counter, ());
            self.solver.doubt_counter(counter);
        }
        later
    }

    /// Whether a range with this counter of later iterations may have no later one. A setting is taken for what it is by default.
    fn may_count_once(&self, later: &Value, stop: Option<Dim>) -> bool {
        let is_doubtful = later
            .as_dim()
            .and_then(Dim::as_var)
            .is_some_and(|counter| self.tables.later_counters.contains_key(&counter));
        is_doubtful && stop.is_none_or(|stop| stop.vars().iter().any(|var| var.info().default.is_none()))
    }

    /// The number of the last iteration, where conditions of the body ask which one it is: what they leave out is left out at the end.
    fn last_number(&self, target: &Expr, step: Dim, stop: Option<Dim>, body: &[Stmt]) -> Option<Value> {
        let is_single = matches!(step.as_const(), Some(1 | -1));
        let stop = stop.filter(|_| is_single && self.inference.is_none())?;
        crate::loops::asks_iteration_number::decides(target, body).then(|| Value::Int(stop - step))
    }

    /// An integer that stands for any value of the counter.
    pub(crate) fn counter(&mut self, start: Dim, step: Dim, stop: Option<Dim>) -> Value {
        let upper = stop.and_then(Dim::as_const).map(|stop| stop - 1);
        let lower = if step.as_const().is_none_or(|step| step > 0) { start.as_const() } else { None };
        let upper = if step.as_const() == Some(1) { upper } else { None };
        if let (Some(first), Some(last)) = (lower, upper)
            && first == last
        {
            return Value::int(first);
        }
        let counter = Var::fresh(harp_shape::VarInfo {
            name: "i".to_owned(),
            kind: VarKind::Free,
            default: None,
            lower,
            upper,
            source: None,
        });
        if let Some(run) = &mut self.inference {
            run.counters.push(counter);
        }
        self.tables.counters.insert(counter, ());
        if let Some(stop) = stop
            && self.inference.is_none()
            && stop.as_const().is_none()
            && self.solver.judge(&Constraint::LessEqual(Dim::ONE, step)) == Verdict::Holds
        {
            self.solver.limit_counter(counter, stop);
        }
        Value::Int(Dim::var(counter))
    }
}

/// The number of iterations of a `range`, where it is constant.
pub fn count_of(start: Dim, step: Dim, stop: Option<Dim>) -> Option<i64> {
    let (step, stop) = (step.as_const()?, stop?);
    // Bounds that are not known may still be apart by a number that is: `range(n, n + 3)`.
    let distance = match (start.as_const(), stop.as_const()) {
        (Some(start), Some(stop)) => stop.checked_sub(start)?,
        _ => (stop - start).as_const()?,
    };
    match step {
        0 => None,
        step if step > 0 => Some(distance.max(0).checked_add(step - 1)? / step),
        step => Some(distance.checked_neg()?.max(0).checked_add(-step - 1)? / -step),
    }
}
