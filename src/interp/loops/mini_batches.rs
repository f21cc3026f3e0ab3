//! Loops over what a data loader gives: its mini-batches, the last one, which may be smaller, and the state that is left where there is none.

use std::rc::Rc;

use crate::inference::Growth;
use crate::loops::loop_statements::Iterated;
use crate::paths::branch::Arm;
use crate::state::interpreter::{Eval, Flow, Interpreter};
use crate::values::value::{DecisionId, Iteration, Literal, Residual, Value};
use harp_corpus::Span;
use harp_python::ir::{Expr, Stmt};
use harp_shape::{Constraint, Dim, VarKind, Verdict};

/// So many mini-batches of the usual size are gone through one by one.
const FEW_BATCHES: i64 = 8;

/// A loader that has no mini-batch, as it drops the last one and has too few samples for another.
enum Shortage {
    Certain,
    /// Where this is so.
    Possible(Literal),
}

impl Interpreter<'_> {
    pub(crate) fn loop_repeated(
        &mut self,
        target: &Expr,
        element: &Value,
        trips: Option<Dim>,
        residual: Option<Rc<Residual>>,
        body: &[Stmt],
    ) -> Eval<Flow> {
        match self.shortage(trips) {
            Some(Shortage::Certain) => return Ok(Flow::Normal),
            Some(Shortage::Possible(literal)) => self.keep_way_without_batches(literal),
            None => {}
        }
        if let Some(count) = self.few_batches(trips, residual.as_deref()) {
            return self.loop_few_batches(target, element, (count, residual), body);
        }
        let mut growth = Growth::new(self.heap.mark(), self.moment_of_lengths(), trips.is_some());
        growth.may_be_once = residual.is_none() && self.may_repeat_once(trips);
        let waiting = self.pending.len();
        match self.loop_growing(target, &[element.clone(), element.clone()], trips, body, &mut growth)? {
            Flow::Normal => {}
            other => return Ok(other),
        }
        let Some(residual) = residual else { return Ok(Flow::Normal) };
        let flow = self.loop_residual(target, &residual, body)?;
        if let (Some(trips), Flow::Normal) = (trips, &flow) {
            let is_left = self.pending.len() > waiting;
            self.note_passes(&growth, trips, &residual, is_left);
        }
        Ok(flow)
    }

    /// The number of the mini-batches of the usual size, where they are few and known: what a loop over them adds up is known then, too.
    fn few_batches(&self, trips: Option<Dim>, residual: Option<&Residual>) -> Option<i64> {
        let count = self.solver.resolve(trips?).as_const()? - i64::from(residual.is_some());
        if !(1..=FEW_BATCHES).contains(&count) {
            return None;
        }
        let over_batches = self.loops.stack.last().and_then(|span| self.trace.loops.get(span))?.over_batches;
        // A generator counts on from where it stopped.
        let is_stepping = self.frames.last().is_some_and(|frame| frame.stepping.is_some());
        let is_settled = residual.is_none_or(|residual| residual.certain);
        (over_batches && is_settled && !is_stepping && self.inference.is_none()).then_some(count)
    }

    /// Items that are alike, one by one where they are few and known: who takes them by `next` learns where they end.
    pub(crate) fn told_apart(&mut self, iteration: Iteration) -> Iteration {
        let Iteration::Repeated { element, count: Some(count), residual } = &iteration else { return iteration };
        let is_settled = residual.as_ref().is_none_or(|residual| residual.certain);
        let Some(count) = self.solver.resolve(*count).as_const() else { return iteration };
        if !is_settled || !(1..=FEW_BATCHES).contains(&count) || self.inference.is_some() {
            return iteration;
        }
        let whole = count - i64::from(residual.is_some());
        let mut items: Vec<Value> = (0..whole).map(|_| self.another(element)).collect();
        items.extend(residual.as_ref().map(|residual| residual.element.clone()));
        Iteration::Items(items)
    }

    /// Executes the body for each mini-batch, as long as it changes anything, and for the last one, which is smaller.
    fn loop_few_batches(
        &mut self,
        target: &Expr,
        element: &Value,
        (count, residual): (i64, Option<Rc<Residual>>),
        body: &[Stmt],
    ) -> Eval<Flow> {
        let length = usize::try_from(count).unwrap_or(usize::MAX);
        let begin = self.begin_loop(body, length);
        let renewed = self.renewed_places(None, body);
        for index in 0..length {
            let batch = self.another(element);
            if !self.may_iterate(index, Some(length - index), begin) {
                self.note_cut(body, length, begin);
                let left = Some(Dim::constant(count - index as i64));
                match self.loop_abstract(target, &[batch.clone(), batch], left, body, None)? {
                    Flow::Normal => break,
                    other => return Ok(other),
                }
            }
            self.note_iteration(|_| match index {
                0 => "the first mini-batch".to_owned(),
                index => format!("mini-batch {}", index + 1),
            });
            let mut assigned = renewed.clone();
            assigned.extend(self.assign_item(target, batch)?);
            let (mark, yields, lengths) = (self.heap.mark(), self.yields_so_far(), self.moment_of_lengths());
            if let Iterated::Stops(flow) = self.iterate_body(body)? {
                return Ok(flow);
            }
            if index > 0 && self.is_unchanged_since(mark, &assigned) {
                self.repeat_growth(mark, lengths, Some(Dim::constant(count - 1 - index as i64)));
                self.forget_drifting(mark);
                self.cut_short(yields);
                break;
            }
        }
        match residual {
            Some(residual) => self.loop_residual(target, &residual, body),
            None => Ok(Flow::Normal),
        }
    }

    /// Whether a loop over items of an unknown number may have one alone. Data sets have more than one mini-batch.
    fn may_repeat_once(&self, trips: Option<Dim>) -> bool {
        let record = self.loops.stack.last().and_then(|span| self.trace.loops.get(span));
        let has_more =
            trips.is_some_and(|trips| self.solver.judge(&Constraint::Less(Dim::ONE, trips)) == Verdict::Holds);
        !has_more && self.inference.is_none() && record.is_some_and(|record| !record.over_batches)
    }

    /// The last mini-batch, which is smaller where the batch size does not divide the data set's length.
    fn loop_residual(&mut self, target: &Expr, residual: &Residual, body: &[Stmt]) -> Eval<Flow> {
        let circumstance = format!("this is the last mini-batch, which is smaller because {}", residual.text);
        self.note_iteration(|_| format!("the last mini-batch, which is smaller because {}", residual.text));
        self.loops.circumstances.push((circumstance, residual.origin));
        self.loops.advice.push(residual.advice);
        self.loops.residuals.push(Rc::new(residual.clone()));
        let flow = self.loop_last_batch(target, residual, body);
        self.loops.residuals.pop();
        self.loops.advice.pop();
        self.loops.circumstances.pop();
        flow
    }

    fn loop_last_batch(&mut self, target: &Expr, residual: &Residual, body: &[Stmt]) -> Eval<Flow> {
        if residual.certain {
            self.assign(target, residual.element.clone())?;
            return Ok(match self.iterate_body(body)? {
                Iterated::Continues => Flow::Normal,
                Iterated::Stops(flow) => flow,
            });
        }
        let decision = self.batch_decision(residual.origin, &residual.text, &residual.condition);
        match self.path.way_of(decision) {
            Some(false) => return Ok(Flow::Normal),
            Some(_) => {
                self.assign(target, residual.element.clone())?;
                return Ok(match self.iterate_body(body)? {
                    Iterated::Continues => Flow::Normal,
                    Iterated::Stops(flow) => flow,
                });
            }
            None => {}
        }
        let arms = [true, false]
            .map(|taken| Arm {
                literals: vec![Literal { decision, taken }],
                constraint: taken.then(|| residual.condition.clone()),
            })
            .to_vec();
        self.explore(arms, |this, index| {
            if index == 1 {
                return Ok(Flow::Normal);
            }
            this.assign(target, residual.element.clone())?;
            Ok(match this.iterate_body(body)? {
                Iterated::Continues => Flow::Normal,
                Iterated::Stops(flow) => flow,
            })
        })
    }

    /// The decision whether a condition of a loader holds: the same loader fulfils it or does not, however often it is gone through.
    fn batch_decision(&mut self, origin: Span, text: &str, condition: &Constraint) -> DecisionId {
        let question = (origin, text.to_owned());
        if let Some(known) = self.model_state.batch_decisions.get(&question) {
            return *known;
        }
        let decision = self.new_decision(text, Some(condition.clone()));
        self.model_state.batch_decisions.insert(question, decision);
        decision
    }

    /// Whether a loop that runs so often may not run at all, for want of samples. Nobody trains in no epochs, but a data set may be smaller than a
    /// batch.
    fn shortage(&mut self, trips: Option<Dim>) -> Option<Shortage> {
        if self.inference.is_some() {
            return None;
        }
        let trips = self.solver.resolve(trips?);
        if let Some(count) = trips.as_const() {
            return (count <= 0).then_some(Shortage::Certain);
        }
        let (samples, batch) = trips.as_quotient()?;
        let are_of_kind = |kinds: &[VarKind]| samples.vars().iter().all(|var| kinds.contains(&var.kind()));
        let is_given = are_of_kind(&[VarKind::Fixed, VarKind::Config]) && !are_of_kind(&[VarKind::Config]);
        let condition = Constraint::Less(samples, batch);
        if !is_given || matches!(self.solver.judge(&condition), Verdict::Holds | Verdict::Violated) {
            return None;
        }
        let span = self.loops.stack.last().copied()?;
        let origin = Span::new(span.file, 0, 0);
        let decision = self.batch_decision(origin, &condition.to_string(), &condition);
        match self.path.way_of(decision) {
            Some(true) => Some(Shortage::Certain),
            Some(_) => None,
            None => Some(Shortage::Possible(Literal { decision, taken: true })),
        }
    }

    /// The way on which the loop ends before it began.
    fn keep_way_without_batches(&mut self, literal: Literal) {
        self.path.push(literal, &self.decisions);
        self.keep_exit(Flow::Break, Some(self.loops.base));
        self.path.pop();
    }
}
