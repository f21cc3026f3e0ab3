//! `yield` and `yield from`: a body stops there, or goes on and what it yields is collected.

use std::rc::Rc;

use crate::generators::generator_objects::Step;
use crate::generators::suspension::Sent;
use crate::state::interpreter::{Eval, Interpreter};
use crate::values::value::{Iteration, Value};
use harp_corpus::Span;
use harp_python::ir::Expr;

impl Interpreter<'_> {
    pub(crate) fn evaluate_yield(&mut self, value: Option<&Expr>, span: Span) -> Eval {
        if let Some(answer) = self.next_answer()? {
            return Ok(answer);
        }
        let value = match value {
            Some(value) => self.evaluate(value)?,
            None => Value::None,
        };
        if let Some(block) = self.frames.last().and_then(|frame| frame.block.clone()) {
            return self.run_block_of(&block, value);
        }
        if self.may_suspend() {
            return Err(self.suspend(value, None));
        }
        self.run_eagerly();
        self.record_yield(value);
        // Who goes through a generator sends nothing.
        let may_send = self.corpus.file(span.file).is_none_or(|file| file.text.contains(".send("));
        let sent = if may_send { self.symbolic("what is sent to the generator", span, true) } else { Value::None };
        self.note_answer(&sent);
        Ok(sent)
    }

    pub(crate) fn evaluate_yield_from(&mut self, value: &Expr) -> Eval {
        let (source, sent) = match self.take_delegate() {
            Some(source) => (source, self.suspension.replay.sent.take()),
            None => {
                if let Some(answer) = self.next_answer()? {
                    return Ok(answer);
                }
                (self.evaluate(value)?, None)
            }
        };
        if self.frames.last().is_none_or(|frame| frame.stepping.is_none()) {
            return self.collect_from(&source);
        }
        let source = self.source_of(&source)?.unwrap_or(source);
        let source = match source {
            Value::Cursor(_) | Value::Instance(_) => source,
            other => match self.iterate(&other)? {
                Iteration::Items(items) => self.new_cursor(items),
                open => Value::Iterator(Rc::new(open)),
            },
        };
        let answer = if self.may_suspend() { self.delegate(&source, sent)? } else { self.collect_rest_of(&source)? };
        self.note_answer(&answer);
        Ok(answer)
    }

    /// Stops at each item of a source; gives what the source returned.
    fn delegate(&mut self, source: &Value, sent: Option<Sent>) -> Eval {
        let sent = sent.unwrap_or(Sent::Value(Value::None));
        match self.ask_source_with(source, sent, None)? {
            Step::Item(item) => Err(self.suspend(item, Some(source.clone()))),
            Step::End(returned) => Ok(returned),
            Step::Rest(rest) => {
                self.run_eagerly();
                self.record_all(rest);
                Ok(Value::Unknown("what a generator returned"))
            }
        }
    }

    /// Collects all that a source still gives.
    fn collect_rest_of(&mut self, source: &Value) -> Eval {
        self.run_eagerly();
        let iteration = self.iterate(source)?;
        self.record_all(iteration);
        Ok(match source {
            Value::Cursor(id) => self.returned_by(*id),
            Value::Iterator(_) => Value::Unknown("what a generator returned"),
            _ => Value::None,
        })
    }

    fn record_all(&mut self, iteration: Iteration) {
        let (items, exact, _) = self.sample(iteration);
        for item in items {
            self.record_yield(item);
        }
        if let (false, Some(frame)) = (exact, self.frames.last_mut()) {
            frame.yields_repeat = true;
        }
    }

    /// `yield from` where generators run when they are called.
    fn collect_from(&mut self, value: &Value) -> Eval {
        let iteration = self.iterate(value)?;
        self.record_all(iteration);
        let returned = match (value, &self.calls.last_generator) {
            (Value::Iterator(of), Some((known, returned))) if Rc::ptr_eq(of, known) => Some(returned.clone()),
            _ => None,
        };
        Ok(match (returned, value) {
            (Some(returned), _) => returned,
            (None, Value::Iterator(_) | Value::Cursor(_)) => Value::Unknown("what a generator returned"),
            _ => Value::None,
        })
    }

    fn record_yield(&mut self, value: Value) {
        let outer = |stepping: crate::generators::suspension::Stepping| stepping.abstract_loops;
        let around = self.frames.last().and_then(|frame| frame.stepping).map_or(0, outer);
        let is_abstract = self.loops.abstract_loops > around;
        if let Some(frame) = self.frames.last_mut() {
            frame.yields_repeat |= is_abstract;
            for literal in self.path.get(frame.path_base..).unwrap_or_default() {
                if !frame.yields_under.contains(literal) {
                    frame.yields_under.push(*literal);
                }
            }
            frame.yields.push(value);
        }
    }
}
