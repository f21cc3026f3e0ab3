//! Loops over lazy sources: the body of the loop and that of the generator take turns. And loops that go on where a
//! body stopped in them.

use std::rc::Rc;

use crate::calls::call::CallArguments;
use crate::evaluate::exceptions::Raised;
use crate::generators::generator_objects::{State, Step};
use crate::generators::suspension::{Position, Sent};
use crate::loops::iterator_adapters::Adapter;
use crate::loops::iterators::Next;
use crate::loops::loop_statements::Iterated;
use crate::state::interpreter::{Eval, Flow, Interpreter, Interrupt};
use crate::values::value::{Iteration, Value};
use harp_corpus::Span;
use harp_python::ir::{Expr, Stmt};
use harp_trace::LoopRecord;

impl Interpreter<'_> {
    /// What gives the items of a value one after the other, where they are made when they are asked for.
    pub fn source_of(&mut self, value: &Value) -> Eval<Option<Value>> {
        if self.inference.is_some() {
            return Ok(None);
        }
        let value = self.read(value);
        if let Some(id) = self.generator_id(&value) {
            // Items that are alike are looked at as one.
            let are_alike = match self.generator_data(id).map(|data| &data.state) {
                Some(State::Adapter(adapter)) => matches!(**adapter, Adapter::Alike { .. }),
                _ => false,
            };
            return Ok((!are_alike).then_some(value));
        }
        let method = match &value {
            Value::Instance(_) => self.iterating_method(&value),
            Value::Dict(id) => self.own_method_of_dict(*id, "__iter__"),
            _ => None,
        };
        let Some(method) = method else { return Ok(None) };
        let span = self.current_span();
        let iterator = self.call(&method, CallArguments::empty(span))?;
        let iterator = self.read(&iterator);
        let is_source = match &iterator {
            Value::Instance(_) => self.next_method(&iterator).is_some(),
            Value::Cursor(_) => true,
            _ => false,
        };
        // What else `__iter__` gives is what the loop is over.
        Ok(if is_source { Some(iterator) } else { Some(self.held(iterator)) })
    }

    /// Asks a source for its next item.
    pub fn ask_source(&mut self, source: &Value, span: Option<Span>) -> Eval<Step> {
        self.ask_source_with(source, Sent::Value(Value::None), span)
    }

    pub(crate) fn ask_source_with(&mut self, source: &Value, sent: Sent, span: Option<Span>) -> Eval<Step> {
        match source {
            Value::Cursor(id) if self.generator_data(*id).is_some() => self.ask_generator(*id, sent, span),
            Value::Cursor(id) => Ok(match self.take_next(*id)? {
                Next::Item(item) => Step::Item(item),
                Next::End(returned) => Step::End(returned),
                Next::Any(element) => Step::Rest(Iteration::Repeated { element, count: None, residual: None }),
            }),
            Value::Instance(_) if self.next_method(source).is_some() => self.ask_object(source, span),
            other => Ok(Step::Rest(self.iterate(other)?)),
        }
    }

    /// What gives an object's iterator. `async for` asks `__aiter__`: what is awaited is what a call gives.
    pub(crate) fn iterating_method(&mut self, object: &Value) -> Option<Value> {
        self.own_method(object, "__iter__").or_else(|| self.own_method(object, "__aiter__"))
    }

    /// What gives an iterator's next item.
    pub(crate) fn next_method(&mut self, iterator: &Value) -> Option<Value> {
        self.own_method(iterator, "__next__").or_else(|| self.own_method(iterator, "__anext__"))
    }

    /// Calls `__next__` of an object.
    fn ask_object(&mut self, object: &Value, span: Option<Span>) -> Eval<Step> {
        let Some(next) = self.next_method(object) else { return Ok(Step::End(Value::None)) };
        let span = span.unwrap_or_else(|| self.current_span());
        let decisions = self.decisions.len();
        let any = |element| Step::Rest(Iteration::Repeated { element, count: None, residual: None });
        let is_own = matches!(object, Value::Instance(id) if id.0 as usize >= self.suspension.round);
        if self.loops.abstract_loops > 0 && !is_own {
            return Ok(any(self.call(&next, CallArguments::empty(span))?));
        }
        self.exceptions.raised = Raised::default();
        self.exceptions.caught += 1;
        let item = self.call(&next, CallArguments::empty(span));
        self.exceptions.caught -= 1;
        match item {
            Ok(item) if self.decisions.len() == decisions => Ok(Step::Item(item)),
            Ok(item) => Ok(any(item)),
            Err(Interrupt::Raise) => {
                if self.takes_end_of_iteration() {
                    return Ok(Step::End(Value::None));
                }
                Err(Interrupt::Raise)
            }
            Err(other) => Err(other),
        }
    }

    /// Whether the exception on its way says that an iterator has ended, which is taken from it then.
    pub(crate) fn takes_end_of_iteration(&mut self) -> bool {
        let ends = ["builtins.StopIteration", "builtins.StopAsyncIteration"].map(Value::library);
        let raised = self.exceptions.raised.exception.take();
        let is_end =
            raised.as_ref().is_some_and(|raised| ends.iter().any(|end| self.is_caught_by(raised, end) == Some(true)));
        if !is_end {
            self.exceptions.raised = Raised { exception: raised, ..Raised::default() };
        }
        is_end
    }

    /// A whole loop over a source.
    pub(crate) fn loop_over_source(
        &mut self,
        span: Span,
        target: &Expr,
        (source, from): (Value, Option<usize>),
        body: &[Stmt],
        orelse: &[Stmt],
    ) -> Eval<Flow> {
        let known = self.trace.loops.get(&span).copied();
        let trips = known.and_then(|record| record.trips);
        self.push_loop(span, LoopRecord { trips, over_batches: false, has_last: false });
        let mut trips = None;
        let result = self.whole_loop(|this| this.loop_source(target, &source, from, body, &mut trips));
        self.pop_loop();
        if let (Some(trips), Ok(Flow::Normal)) = (trips, &result)
            && let Some(record) = self.trace.loops.get_mut(&span)
            && known.is_none_or(|known| known.trips == Some(trips))
        {
            record.trips = Some(trips);
        }
        self.after_loop(result, orelse)
    }

    /// What follows a loop.
    pub(crate) fn after_loop(&mut self, result: Eval<Flow>, orelse: &[Stmt]) -> Eval<Flow> {
        match result? {
            Flow::Normal => self.execute_part(orelse, || Position::Orelse),
            Flow::Break => Ok(Flow::Normal),
            other => Ok(other),
        }
    }

    /// Asks for an item before each iteration; `from` is the number of the iteration that goes on, if one does.
    fn loop_source(
        &mut self,
        target: &Expr,
        source: &Value,
        from: Option<usize>,
        body: &[Stmt],
        trips: &mut Option<i64>,
    ) -> Eval<Flow> {
        let begin = self.begin_loop(body, usize::MAX);
        let renewed = self.renewed_places(None, body);
        let mut index = from.unwrap_or(0);
        let mut goes_on = from.is_some();
        let (mut watch, mut is_stale) = (self.watch_items(begin, body), false);
        loop {
            if !goes_on {
                if is_stale || !self.may_iterate(index, None, begin) {
                    let rest = self.rest_of_source(source)?;
                    return self.loop_rest(target, rest, body);
                }
                match self.ask_source(source, None)? {
                    Step::Item(item) => {
                        self.note_iteration(|_| format!("iteration {}", index + 1));
                        self.assign(target, item)?;
                    }
                    Step::End(_) => {
                        *trips = from.is_none().then(|| i64::try_from(index).unwrap_or(i64::MAX));
                        return Ok(Flow::Normal);
                    }
                    Step::Rest(rest) => return self.loop_rest(target, rest, body),
                }
            }
            goes_on = false;
            self.watch_iteration(&mut watch);
            let iterated = self.iterate_body(body);
            let position = || Position::Source { source: source.clone(), index };
            if let Iterated::Stops(flow) = self.leaving(iterated, position)? {
                return Ok(flow);
            }
            is_stale = self.is_stale(&mut watch, &renewed, index, None);
            index += 1;
        }
    }

    /// All that a source still gives, which is looked at in between.
    pub(crate) fn rest_of_source(&mut self, source: &Value) -> Eval<Iteration> {
        let rest = match source {
            Value::Cursor(id) if self.generator_data(*id).is_some() => self.run_out(*id, true)?,
            other => self.iterate(other)?,
        };
        Ok(match rest {
            Iteration::Items(items) if !items.is_empty() => {
                Iteration::Repeated { element: self.widen(&items), count: None, residual: None }
            }
            rest => rest,
        })
    }

    fn loop_rest(&mut self, target: &Expr, rest: Iteration, body: &[Stmt]) -> Eval<Flow> {
        match rest {
            Iteration::View { dict, part } => {
                let seen = self.view_now(dict, part);
                self.loop_rest(target, seen, body)
            }
            Iteration::Items(items) => self.loop_items(target, (Rc::from(items), 0, false), body, None),
            Iteration::Repeated { element, residual, count } => {
                self.loop_repeated(target, &element, count, residual, body)
            }
            Iteration::Counter { start, step, stop } => self.loop_counter(target, start, step, stop, body, None),
        }
    }

    /// A loop in which a body stopped goes on.
    pub(crate) fn resume_loop(
        &mut self,
        span: Span,
        target: &Expr,
        position: Position,
        body: &[Stmt],
        orelse: &[Stmt],
    ) -> Eval<Flow> {
        let (items, next, cursor) = match position {
            Position::Source { source, index } => {
                return self.loop_over_source(span, target, (source, Some(index)), body, orelse);
            }
            Position::Counter { start, step, count, index } => {
                self.push_loop(span, LoopRecord { trips: Some(count), over_batches: false, has_last: false });
                let stop = Some(start + step * harp_shape::Dim::constant(count));
                let result =
                    self.whole_loop(|this| this.loop_counter(target, start, step, stop, body, Some((count, index))));
                self.pop_loop();
                return self.after_loop(result, orelse);
            }
            Position::Items { items, next, cursor } => (items, next, cursor),
            _ => return self.execute_part(orelse, || Position::Orelse),
        };
        let trips = i64::try_from(items.len()).ok();
        self.push_loop(span, LoopRecord { trips, over_batches: false, has_last: false });
        let result = self.whole_loop(|this| this.loop_items(target, (items, next, true), body, cursor));
        self.pop_loop();
        self.after_loop(result, orelse)
    }
}
