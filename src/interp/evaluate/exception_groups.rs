//! Executes `except*`: each handler takes those exceptions of a group that are of its class, and what no handler took
//! goes on.

use crate::calls::call::CallArguments;
use crate::evaluate::exceptions::Raised;
use crate::state::interpreter::{Eval, Flow, Interpreter};
use crate::values::value::Value;
use harp_corpus::Span;
use harp_python::ir::Handler;
use harp_python::name::Name;

/// Python's own class of groups, which is written in Python.
pub const GROUP: &str = "builtins.ExceptionGroup";

impl Interpreter<'_> {
    /// Executes the handlers that take something of what was raised.
    pub(crate) fn handle_parts(&mut self, handlers: &[Handler], raised: Raised) -> Eval<Flow> {
        let Some(exception) = raised.exception.clone() else {
            let first = handlers.first();
            return first.map_or(Ok(Flow::Normal), |handler| self.handle(handler, 0, None, false));
        };
        let mut left = Some(exception);
        for (index, handler) in handlers.iter().enumerate() {
            let (Some(exception), Some(class)) = (left.clone(), &handler.exception) else { break };
            let class = self.evaluate(class)?;
            let span = self.span(handler.range);
            let (taken, rest) = self.parts_of_exception(&exception, &class, span)?;
            left = rest;
            let Some(taken) = taken else { continue };
            match self.handle(handler, index, Some(taken), false)? {
                Flow::Normal => {}
                flow => return Ok(flow),
            }
        }
        if left.is_none() {
            return Ok(Flow::Normal);
        }
        self.exceptions.raised = Raised { exception: left, ..Raised::default() };
        Ok(Flow::Raise)
    }

    /// What of an exception is of a class, as a group, and what is not.
    fn parts_of_exception(
        &mut self,
        exception: &Value,
        class: &Value,
        span: Span,
    ) -> Eval<(Option<Value>, Option<Value>)> {
        if let Some(split) = self.own_method(exception, "split") {
            let parts = self.call(&split, CallArguments::positional(vec![class.clone()], span))?;
            let part = |value: &Value| Some(self.read(value)).filter(|value| !value.is_none());
            return Ok(match self.read(&parts) {
                Value::Tuple(parts) if parts.len() == 2 => (part(&parts[0]), part(&parts[1])),
                // Which are of the class is not known: all may be.
                _ => (Some(exception.clone()), None),
            });
        }
        if self.is_caught_by(exception, class) == Some(false) {
            return Ok((None, Some(exception.clone())));
        }
        let group = self.library_value(Name::new(GROUP), span);
        let items = self.heap.allocate_list(vec![exception.clone()]);
        let arguments = CallArguments::positional(vec![Value::str(""), Value::List(items)], span);
        Ok((Some(self.call(&group, arguments)?), None))
    }
}
