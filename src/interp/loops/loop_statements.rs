//! Loops: known ones are executed until their state repeats, others for a first and a steady iteration.

use std::rc::Rc;

use crate::generators::comprehensions::MAY_BE_EMPTY;
use crate::generators::suspension::Position;
use crate::heap::objects::{Location, LogMark};
use crate::inference::Growth;
use crate::loops::items_that_differ::differ_from_those_before;
use crate::loops::iterator_adapters::Adapter;
use crate::loops::loop_ends::{is_endless, never_ends, stands_in};
use crate::loops::novelty::Watch;
pub use crate::loops::range_loops::count_of;
use crate::loops::unused_sizes::LoopMoment;
use crate::paths::branch::Arm;
use crate::state::interpreter::{Eval, Flow, Interpreter};
use crate::values::value::{Iteration, Literal, ObjectId, Value};
use harp_corpus::Span;
use harp_python::ir::{Expr, ExprKind, Stmt};
use harp_python::name::Name;
use harp_shape::{Dim, remembered};
use harp_trace::LoopRecord;

/// A loop of so few steps in all is executed to the end, also where its state repeats.
pub(crate) const STEPS_OF_A_SHORT_LOOP: u64 = 2_000;
/// The same where the body asks for the number of the iteration.
pub(crate) const STEPS_OF_A_DECIDING_LOOP: u64 = 50_000;

/// How often a loop whose iterations are not known is executed: first, steady, and further ones while values are widened.
const ABSTRACT_ITERATIONS: usize = 6;

/// At least so many times a body is executed that stands for iterations which are not: the first time and a later one.
const ROUNDS_THAT_STAND_FOR_OTHERS: usize = 2;

/// How an iteration ended, once its early exits were merged.
pub(crate) enum Iterated {
    Continues,
    Stops(Flow),
}

/// Ways out of one loop beyond which its iterations are no longer told apart.
const MOST_ENDS: usize = 12;

/// What a loop began with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Begin {
    pub steps: u64,
    /// Exits that waited already.
    pub pending: usize,
    /// So many iterations are executed by themselves, whatever they take.
    pub alone: usize,
    /// Whether it is known not to come to its end iteration by iteration.
    pub is_long: bool,
    /// Items of containers that had been copied.
    pub copied: usize,
}

impl Interpreter<'_> {
    pub fn execute_for(
        &mut self,
        statement: &Stmt,
        target: &Expr,
        iterable: &Expr,
        body: &[Stmt],
        orelse: &[Stmt],
    ) -> Eval<Flow> {
        let span = self.span(statement.range);
        if let Some(position) = self.take_position(is_in_loop) {
            return self.resume_loop(span, target, position, body, orelse);
        }
        let before = self.heap.len();
        let place = self.span(iterable.range);
        self.loops.drawing.iterated = Some(place);
        let value = self.evaluate(iterable)?;
        self.note_kind_at(place, &value);
        let arms = self.arms_of(&value);
        if arms.len() > 1 {
            let values: Vec<Value> = arms.iter().map(|(_, value)| value.clone()).collect();
            let arms: Vec<Arm> = arms.into_iter().map(|(arm, _)| arm).collect();
            let guards: Vec<Vec<Literal>> = arms.iter().map(|arm| arm.literals.clone()).collect();
            return self.explore(arms, |this, index| {
                this.note_alternative(&guards[index]);
                this.loop_over([span, place], (target, Some(iterable)), &values[index], body, orelse)
            });
        }
        let flow = self.loop_over([span, place], (target, Some(iterable)), &value, body, orelse)?;
        if matches!(iterable.kind, ExprKind::Call(_)) {
            self.drop_generator(&value, before, span)?;
        }
        Ok(flow)
    }

    /// Loops over a value; of the places the first is the whole loop and the other what it iterates over.
    fn loop_over(
        &mut self,
        [span, place]: [Span; 2],
        (target, over): (&Expr, Option<&Expr>),
        value: &Value,
        body: &[Stmt],
        orelse: &[Stmt],
    ) -> Eval<Flow> {
        if let Some(source) = self.source_of(value)? {
            return self.loop_over_source(span, target, (source, None), body, orelse);
        }
        let cursor = match self.read(value) {
            Value::Cursor(id) => self.taken(id).map(|taken| (id, taken)),
            _ => None,
        };
        let iteration = self.iterate_at(value, place)?;
        // Whether anything passed a test decides whether the body is run at all.
        if let Iteration::Repeated { count: None, .. } = &iteration
            && self.inference.is_none()
            && (self.may_have_no_item(value) || over.is_some_and(|over| self.goes_over_what_may_be_empty(over)))
        {
            let has_items = Value::Unknown("what passed a test");
            return self.branch(&has_items, place, |this, has_items| match has_items {
                true => {
                    this.loop_over_iteration([span, place], target, (value, iteration.clone(), cursor), body, orelse)
                }
                false => this.after_loop(Ok(Flow::Normal), orelse),
            });
        }
        self.coverage.note_arm(place, !matches!(&iteration, Iteration::Items(items) if items.is_empty()));
        let loader = over.and_then(|over| self.loader_behind(over));
        let value = loader.as_ref().unwrap_or(value);
        self.loop_over_iteration([span, place], target, (value, iteration, cursor), body, orelse)
    }

    /// The loader of mini-batches over which a call goes that gives its items on: `enumerate(loader)`, `tqdm(loader)`.
    fn loader_behind(&self, iterable: &Expr) -> Option<Value> {
        let ExprKind::Call(call) = &iterable.kind else { return None };
        let name = call.function.last_name()?;
        if !matches!(name.as_str(), "enumerate" | "tqdm" | "trange" | "track") {
            return None;
        }
        let first = &call.arguments.first()?.value;
        self.loader_behind(first).or_else(|| self.value_at(first).filter(|value| self.is_loader(value)))
    }

    /// Whether nothing may have passed the test that the items of a list passed.
    fn may_have_no_item(&self, value: &Value) -> bool {
        let Value::List(list) = self.read(value) else { return false };
        self.heap.attribute(list, Name::new(MAY_BE_EMPTY)).is_some()
            && self.heap.list(list).is_some_and(|data| data.items.is_empty())
    }

    /// The same of what a call goes over: `enumerate(passed)`.
    fn goes_over_what_may_be_empty(&self, iterable: &Expr) -> bool {
        let ExprKind::Call(call) = &iterable.kind else { return false };
        let ExprKind::Name(function) = &call.function.kind else { return false };
        let goes_over =
            matches!(function.as_str(), "enumerate" | "zip" | "reversed" | "sorted" | "list" | "tuple" | "tqdm");
        let names = call.arguments.iter().filter_map(|argument| match &argument.value.kind {
            ExprKind::Name(name) => Some(*name),
            _ => None,
        });
        goes_over && names.filter_map(|name| self.lookup(name)).any(|value| self.may_have_no_item(&value))
    }

    fn loop_over_iteration(
        &mut self,
        [span, place]: [Span; 2],
        target: &Expr,
        (value, iteration, cursor): (&Value, Iteration, Option<(ObjectId, usize)>),
        body: &[Stmt],
        orelse: &[Stmt],
    ) -> Eval<Flow> {
        // The body of a generator counts on from where it stopped.
        if let Iteration::Counter { start, step, stop: None } = iteration
            && self.frames.last().is_some_and(|frame| frame.stepping.is_some_and(|stepping| !stepping.is_eager))
        {
            let source = self.adapt(Adapter::Count { next: start, step });
            return self.loop_over_source(span, target, (source, None), body, orelse);
        }
        self.loops.drawing.iterated = None;
        let trips = match &iteration {
            Iteration::Items(items) => Some(items.len() as i64),
            Iteration::Repeated { count, .. } => count.and_then(Dim::as_const),
            Iteration::Counter { start, step, stop } => count_of(*start, *step, *stop),
            Iteration::View { .. } => None,
        };
        self.note_trips_at_defaults(span, &iteration);
        let has_last = matches!(&iteration, Iteration::Repeated { residual: Some(_), .. });
        let over_batches = has_last || self.is_loader(value);
        let names = self.names_unless_run(&iteration, over_batches);
        let doubts = self.doubts_of_items(value, &iteration);
        self.push_loop(span, LoopRecord { trips, over_batches, has_last });
        let (before, may_be_skipped) = (self.heap.mark(), !over_batches && self.may_have_no_round(&iteration));
        let result = self.whole_loop(|this| match iteration {
            Iteration::Items(items) if !doubts.is_empty() => this.loop_doubtful_items(target, items, &doubts, body),
            Iteration::Items(items) => this.loop_items(target, (Rc::from(items), 0, false), body, cursor),
            Iteration::Repeated { element, residual, count } => {
                this.loop_repeated(target, &element, count, residual, body)
            }
            Iteration::Counter { start, step, stop } => this.loop_counter(target, start, step, stop, body, None),
            Iteration::View { .. } => Ok(Flow::Normal),
        });
        if may_be_skipped && matches!(result, Ok(Flow::Normal)) {
            self.doubt_what_loop_left(before, span);
        }
        self.pop_loop();
        if let (Some(names), Ok(Flow::Normal)) = (names, &result) {
            self.note_perhaps_unbound(&names, place);
        }
        self.after_loop(result, orelse)
    }

    /// Executes the body once for each item from `next` on; where it goes on in an iteration, that is the one before.
    pub(crate) fn loop_items(
        &mut self,
        target: &Expr,
        (items, mut next, mut goes_on): (Rc<[Value]>, usize, bool),
        body: &[Stmt],
        cursor: Option<(ObjectId, usize)>,
    ) -> Eval<Flow> {
        let begin = self.begin_loop(body, items.len());
        let mark = self.heap.mark();
        let renewed = self.renewed_places(None, body);
        let (mut watch, mut is_stale) = (self.watch_items(begin, body), false);
        loop {
            if !goes_on {
                let Some(item) = items.get(next) else { break };
                let index = next;
                next += 1;
                // The body may take items of the same iterator.
                if let Some((cursor, before)) = cursor {
                    self.set_taken(cursor, before + next);
                }
                if is_stale || !self.may_iterate(index, Some(items.len() - index), begin) {
                    self.note_cut(body, items.len(), begin);
                    let further = self.widen(&items[index..]);
                    let left = items.len() - index;
                    if is_stale && self.skip_rest(target, &further, left, &watch)? {
                        self.forget_unvisited(&items[index..], mark);
                        break;
                    }
                    // A last item that is executed stands for itself alone.
                    if left > 1 || !is_stale {
                        let left = (self.inference.is_none() && cursor.is_none()).then(|| Dim::constant(left as i64));
                        let flow = self.loop_abstract(target, &[further.clone(), further], left, body, Some(watch))?;
                        self.forget_unvisited(&items[index..], mark);
                        return Ok(flow);
                    }
                }
                self.note_iteration(|_| format!("iteration {} of {}", index + 1, items.len()));
                self.assign(target, item.clone())?;
            }
            goes_on = false;
            self.watch_iteration(&mut watch);
            let iterated = self.iterate_body(body);
            let position = || Position::Items { items: Rc::clone(&items), next, cursor };
            if let Iterated::Stops(flow) = self.leaving(iterated, position)? {
                return Ok(flow);
            }
            is_stale = self.is_stale(&mut watch, &renewed, next, Some(items.len().saturating_sub(next)))
                && !(self.tells_items_apart() && differ_from_those_before(&items, next));
            if let Some((cursor, before)) = cursor {
                match self.taken(cursor) {
                    Some(taken) => next = next.max(taken.saturating_sub(before)),
                    None => {
                        let further = self.widen(&items);
                        return self.loop_abstract(target, &[further.clone(), further], None, body, None);
                    }
                }
            }
        }
        Ok(Flow::Normal)
    }

    /// Whether another iteration is executed by itself: the first ones are, and more while the loop leaves most of the steps that the entry had
    /// when it began to the rest of the program. Registries and tables have hundreds of items, and an epoch of training takes thousands of steps. A loop that
    /// may end in each of its iterations has as many ends to merge, each with all that it changed until then. The last `left` iterations cost no
    /// more than what would stand for them.
    pub(crate) fn may_iterate(&self, index: usize, left: Option<usize>, begin: Begin) -> bool {
        let used = self.entry.steps.saturating_sub(begin.steps);
        let left_at_begin = self.entry.most_steps.saturating_sub(begin.steps);
        let is_early = index < begin.alone && used < left_at_begin / 2;
        let is_late =
            left.is_some_and(|left| left <= ROUNDS_THAT_STAND_FOR_OTHERS) && self.entry.steps < self.entry.most_steps;
        let has_few_ends = self.pending.len() < begin.pending + MOST_ENDS;
        let is_short = !begin.is_long && used < left_at_begin / 4;
        let copies_left = self.options.limits.copies.saturating_sub(begin.copied);
        let has_copied_little = self.heap.copied().saturating_sub(begin.copied) <= copies_left / 4;
        has_few_ends && has_copied_little && (is_early || is_late || is_short)
    }

    /// Assigns the loop's target; returns the places that this wrote.
    pub(crate) fn assign_item(&mut self, target: &Expr, item: Value) -> Eval<Vec<Location>> {
        let mark = self.heap.mark();
        self.assign(target, item)?;
        Ok(self.heap.delta_since(mark).into_iter().map(|(location, _)| location).collect())
    }

    /// A loop of unknown length: first and steady iteration, with an item for each, then values that still change are widened. Iterations that were
    /// executed one by one before may have been watched.
    pub(crate) fn loop_abstract(
        &mut self,
        target: &Expr,
        elements: &[Value; 2],
        trips: Option<Dim>,
        body: &[Stmt],
        watch: Option<Watch>,
    ) -> Eval<Flow> {
        let mut growth = Growth::new(self.heap.mark(), self.moment_of_lengths(), trips.is_some());
        growth.watch = watch;
        self.loop_growing(target, elements, trips, body, &mut growth)
    }

    pub(crate) fn loop_growing(
        &mut self,
        target: &Expr,
        elements: &[Value; 2],
        trips: Option<Dim>,
        body: &[Stmt],
        growth: &mut Growth,
    ) -> Eval<Flow> {
        let around = self.enter_abstract();
        let waiting = self.pending.len();
        let (rounds, changed) = (self.loops.later_rounds.len(), self.loops.changed_items);
        let result = self.loop_abstract_inner(target, elements, growth, body);
        self.loops.later_rounds.truncate(rounds);
        self.loops.changed_items = changed;
        self.leave_abstract(around);
        // Who leaves the loop early has seen nobody knows how many.
        let is_left = self.inference.is_none() && self.pending.len() > waiting;
        if let (Some(trips), Ok(Flow::Normal), false) = (trips, &result, is_left) {
            self.note_lengths(growth, trips);
        }
        result
    }

    /// Whether the iteration before changed the item, other than a container, which is as it was again. What is not known has the parts that were asked of it from the start.
    fn is_changed_item(&self, begin: LogMark, item: &Value) -> bool {
        match item {
            Value::Instance(id) => self.heap.is_changed_since(begin, *id),
            Value::Symbolic(id) => self.heap.is_given_attributes_since(begin, *id),
            _ => false,
        }
    }

    fn loop_abstract_inner(
        &mut self,
        target: &Expr,
        [first, later]: &[Value; 2],
        growth: &mut Growth,
        body: &[Stmt],
    ) -> Eval<Flow> {
        let renewed = self.renewed_places(None, body);
        let begin = self.heap.mark();
        let containers = self.containers_of_item(later);
        let watched = growth.watch.take();
        let mut watch = watched.unwrap_or_else(|| self.watch(self.begin_rounds(body), body));
        for round in 0..ABSTRACT_ITERATIONS {
            let element = if round == 0 { first } else { later };
            if round == 1 && first.same(later) && self.is_changed_item(begin, later) {
                self.loops.changed_items += 1;
            }
            if round == 1 && growth.may_be_once {
                self.loops.later_rounds.extend(self.loops.stack.last().copied());
            }
            self.note_iteration(|this| {
                let is_batch = this.loops.stack.last().and_then(|span| this.trace.loops.get(span));
                let what = if is_batch.is_some_and(|it| it.over_batches) { "mini-batch" } else { "iteration" };
                if round == 0 { format!("the first {what}") } else { format!("a later {what}") }
            });
            self.suspension.round = self.heap.len();
            let mut assigned = self.assign_item(target, element.clone())?;
            assigned.extend_from_slice(&renewed);
            if round > 0 {
                assigned.extend(self.take_back_changes(begin, &containers));
            }
            let (mark, lengths) = (self.heap.mark(), self.moment_of_lengths());
            self.watch_iteration(&mut watch);
            match self.iterate_body(body)? {
                Iterated::Continues => {}
                // A break on every path through an iteration of which only an example was seen.
                Iterated::Stops(Flow::Break) => return Ok(Flow::Break),
                Iterated::Stops(flow) => return Ok(flow),
            }
            growth.note_iteration(&self.heap, mark);
            self.note_growth(growth, mark, lengths);
            let was_all = round > 0 || first.same(later);
            if round == 0 && was_all {
                self.widen_keys_since(mark, first);
            }
            if was_all && self.is_unchanged_since(mark, &assigned) {
                self.forget_drifting(mark);
                break;
            }
            let adds_nothing = self.adds_nothing(&mut watch, &assigned);
            if was_all && adds_nothing {
                self.spread_replaced(&watch);
            }
            if round > 0 || was_all && adds_nothing {
                self.widen_since(mark);
                self.forget_drifting(mark);
            } else if self.counts_what_is_asked(&watch) {
                self.widen_numbers_since(mark);
            }
            if was_all && adds_nothing {
                break;
            }
        }
        if let Some(last) = growth.last.take() {
            self.note_iteration(|_| "the last iteration".to_owned());
            self.assign_item(target, last)?;
            let mark = self.heap.mark();
            if let Iterated::Stops(flow) = self.iterate_body(body)? {
                return Ok(flow);
            }
            growth.note_iteration(&self.heap, mark);
            self.forget_drifting(mark);
        }
        Ok(Flow::Normal)
    }

    pub fn execute_while(&mut self, statement: &Stmt, test: &Expr, body: &[Stmt], orelse: &[Stmt]) -> Eval<Flow> {
        let span = self.span(statement.range);
        if self.take_position(|it| matches!(it, Position::Orelse)).is_some() {
            return self.execute_part(orelse, || Position::Orelse);
        }
        let goes_on = self.take_position(|it| matches!(it, Position::Round)).is_some();
        self.push_loop(span, LoopRecord { trips: None, over_batches: false, has_last: false });
        let result = self.whole_loop(|this| this.while_rounds(test, body, goes_on));
        self.pop_loop();
        let flow = self.after_loop(result, orelse)?;
        // What stands below a loop without end does not run, unless a handler of an exception leads there.
        let is_below_end = matches!(flow, Flow::Normal) && self.inference.is_none() && never_ends(statement);
        let function = self.frames.last().and_then(|frame| frame.function.as_ref()).filter(|_| is_below_end);
        if function.is_some_and(|function| stands_in(&function.body, statement)) {
            return Ok(Flow::Return(Value::None));
        }
        Ok(flow)
    }

    fn while_rounds(&mut self, test: &Expr, body: &[Stmt], goes_on: bool) -> Eval<Flow> {
        if goes_on {
            // The round in which the body stopped: whether it changed anything is not seen from here.
            let iterated = self.iterate_body(body);
            if let Iterated::Stops(flow) = self.leaving(iterated, || Position::Round)? {
                return Ok(flow);
            }
        }
        let limit = self.options.limits.iterations;
        let begin = self.begin_rounds(body);
        let renewed = self.renewed_places(Some(test), body);
        let mut unknown_rounds = 0;
        let mut first_exit = None;
        let (mut growth, waiting) =
            (Growth::new(self.heap.mark(), self.moment_of_lengths(), self.inference.is_none()), self.pending.len());
        let (mut watch, mut is_stale) = (self.watch(begin, body), false);
        for round in 0..limit {
            self.note_iteration(|_| format!("round {}", round + 1));
            // What the test changes is of the round, too: `while chunk := next(parts)`.
            let (before, lengths) = (self.heap.mark(), self.moment_of_lengths());
            let condition = self.evaluate_condition(test)?;
            let span = self.span(test.range);
            if round == 0 {
                self.refuse_truth_of_many(&condition, span);
            }
            let arms = self.arms_for(&condition, span);
            self.coverage.note_arm(span, arms.iter().any(|(_, truth)| *truth));
            if arms.iter().all(|(_, truth)| !truth) {
                if round > 0 {
                    self.settle_rounds(&condition);
                }
                return Ok(Flow::Normal);
            }
            let is_known = arms.iter().all(|(_, truth)| *truth) && arms.len() == 1;
            // Where no test ends it, who may have left before has counted to nobody knows what.
            let may_be_over = is_endless(test) && self.pending.len() > waiting && self.inference.is_none();
            let is_cut = is_stale || self.are_rounds_cut(round, is_endless(test), begin);
            if !is_known || may_be_over || is_cut {
                unknown_rounds += 1;
            }
            if is_cut {
                self.note_cut_rounds(body, begin);
            }
            let mark = self.heap.mark();
            let (path_base, solver_mark) = (self.path.len(), self.solver.mark());
            let yields = self.yields_so_far();
            let mut around = None;
            if !is_known {
                first_exit.get_or_insert(mark);
                around = Some(self.enter_abstract());
                self.enter_round(&arms);
            }
            self.watch_iteration(&mut watch);
            let iterated = self.iterate_body(body);
            if let Some(around) = around {
                self.leave_abstract(around);
                self.leave_path(path_base);
                if self.inference.is_none() {
                    self.solver.rollback(solver_mark);
                }
            }
            if let Iterated::Stops(flow) = self.leaving(iterated, || Position::Round)? {
                return Ok(flow);
            }
            growth.note_iteration(&self.heap, before);
            if self.is_unchanged_since(before, &renewed) {
                self.repeat_growth(before, lengths, None);
                self.forget_drifting(before);
                self.cut_short(yields);
                break;
            }
            // Such a round stands for others.
            let stands = is_stale || unknown_rounds > 0;
            if stands {
                self.note_growth(&mut growth, before, lengths);
            }
            let adds_nothing = stands && self.adds_nothing(&mut watch, &renewed);
            if adds_nothing {
                self.spread_replaced(&watch);
            }
            is_stale = is_stale || !stands && self.is_stale(&mut watch, &renewed, round, None);
            if adds_nothing && self.is_in_haste() {
                self.widen_since(mark);
                self.forget_drifting(mark);
                self.cut_short(yields);
                break;
            }
            if unknown_rounds > 1 || round > limit / 2 {
                self.widen_since(mark);
                self.forget_drifting(mark);
            } else if unknown_rounds > 0 && self.counts_what_is_asked(&watch) {
                self.widen_numbers_since(mark);
            }
            if unknown_rounds >= ABSTRACT_ITERATIONS || round + 1 == limit || unknown_rounds > 1 && adds_nothing {
                self.cut_short(yields);
                break;
            }
        }
        if let Some(mark) = first_exit {
            self.join_sizes_since(mark);
            if self.pending.len() == waiting {
                self.note_rounds(&mut growth, test);
            }
        }
        Ok(Flow::Normal)
    }

    /// What happens in a round happens only where the test holds: on its one arm, or not on the arms where it does not.
    fn enter_round(&mut self, arms: &[(Arm, bool)]) {
        let (holding, failing): (Vec<_>, Vec<_>) = arms.iter().partition(|(_, truth)| *truth);
        if let [(arm, _)] = holding.as_slice() {
            self.path.extend(arm.literals.iter().copied(), &self.decisions);
            if let Some(constraint) = &arm.constraint {
                self.solver.assume(constraint);
            }
            return;
        }
        for (arm, _) in failing {
            if let [literal] = arm.literals[..] {
                self.path.push(Literal { taken: !literal.taken, ..literal }, &self.decisions);
            }
        }
    }

    /// A whole loop: the ways on which it ends by a `break` are merged with the one on which it runs to its end.
    pub(crate) fn whole_loop(&mut self, run: impl FnOnce(&mut Self) -> Eval<Flow>) -> Eval<Flow> {
        let base = self.heap.mark();
        let (pending_base, path_base) = (self.pending.len(), self.path.len());
        let outer = std::mem::replace(&mut self.loops.base, base);
        let moment = LoopMoment { made: Some(remembered()), iterations: 0 };
        let outer_moment = std::mem::replace(&mut self.loops.moment, moment);
        let begin = self.route.clone();
        let outer_route = std::mem::replace(&mut self.loops.route, begin);
        let result = run(self);
        self.loops.base = outer;
        self.loops.moment = outer_moment;
        self.route = std::mem::replace(&mut self.loops.route, outer_route);
        let mut flow = result?;
        if matches!(flow, Flow::Return(_) | Flow::Raise) && self.resume_pending(&flow, pending_base, base, Flow::Break)
        {
            flow = Flow::Break;
        }
        self.merge_pending(pending_base, path_base, base, |exit| matches!(exit, Flow::Break));
        self.leave_path(path_base);
        Ok(flow)
    }

    /// One iteration; the ways on which it ends by a `continue` are merged with the rest, those that end by a `break` wait for the end of the
    /// loop.
    pub(crate) fn iterate_body(&mut self, body: &[Stmt]) -> Eval<Iterated> {
        self.iterate_by(body, |this| this.execute_block(body))
    }

    /// The same where something else than its body alone is done in the iteration.
    pub(crate) fn iterate_by(&mut self, body: &[Stmt], run: impl FnOnce(&mut Self) -> Eval<Flow>) -> Eval<Iterated> {
        if body.is_empty() {
            // A syntax error took the body, and nothing else counts the iterations.
            self.step()?;
        }
        let base = self.heap.mark();
        let pending_base = self.pending.len();
        let path_base = self.path.len();
        self.loops.iterations.push((base, self.loops.base));
        self.next_round();
        // Sizes that comments in the body name may differ from one iteration to the next.
        let letters = self.frames.last().map(|frame| frame.letters.clone());
        let before = self.before_iteration();
        let flow = run(self);
        if let (Some(frame), Some(letters)) = (self.frames.last_mut(), letters) {
            frame.letters = letters;
        }
        self.loops.iterations.pop();
        let flow = flow?;
        let goes_on = matches!(flow, Flow::Continue | Flow::Normal);
        if goes_on || self.resume_pending(&flow, pending_base, base, Flow::Continue) {
            self.merge_pending(pending_base, path_base, base, |exit| matches!(exit, Flow::Continue));
            self.leave_path(path_base);
            self.forget_unused_sizes(before);
            return Ok(Iterated::Continues);
        }
        Ok(Iterated::Stops(flow))
    }

    /// Goes on in the last pending exit of the kind, where the main way took another exit, which waits in its place. `false` where there
    /// is none.
    fn resume_pending(&mut self, main: &Flow, pending_base: usize, base: LogMark, kind: Flow) -> bool {
        let is_meant = |exit: &Flow| std::mem::discriminant(exit) == std::mem::discriminant(&kind);
        let found = (pending_base..self.pending.len()).rev().find(|&index| is_meant(&self.pending[index].exit));
        let Some(index) = found else { return false };
        let way_on = self.pending.remove(index);
        match main {
            Flow::Return(_) => self.keep_exit(main.clone(), self.frames.last().map(|frame| frame.base)),
            Flow::Break => self.keep_exit(main.clone(), Some(self.loops.base)),
            _ => {}
        }
        self.heap.undo(base);
        self.restore_arm(way_on.delta);
        self.path.go_to(&way_on.literals, &self.decisions);
        self.route = way_on.route;
        true
    }

    /// The present state becomes a pending exit.
    pub(crate) fn keep_exit(&mut self, exit: Flow, base: Option<LogMark>) {
        if let Some(base) = base {
            let objects = self.heap.len();
            let delta = self.heap.delta_of_arm(base, objects);
            self.pay_for(&delta.changes);
            let (literals, route) = (self.path.to_vec(), self.route.clone());
            self.pending.push(crate::state::interpreter::Pending { literals, exit, delta, objects, route });
        }
    }
}

fn is_in_loop(position: &Position) -> bool {
    matches!(position, Position::Items { .. } | Position::Counter { .. } | Position::Source { .. } | Position::Orelse)
}
