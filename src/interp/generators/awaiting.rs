//! Awaiting: a coroutine stands for what it returns, and a task of `asyncio` holds that.

use crate::calls::call::CallArguments;
use crate::state::interpreter::{Eval, Interpreter};
use crate::values::value::Value;
use harp_corpus::Span;
use harp_python::name::name;

impl Interpreter<'_> {
    /// What `await` gives.
    pub(crate) fn outcome_of_task(&mut self, awaited: Value, span: Span) -> Eval {
        self.for_each_alternative(&awaited, |this, awaited| {
            if !matches!(this.read(&awaited), Value::Instance(_)) {
                return Ok(awaited);
            }
            match this.class_attribute(&awaited, name!("__await__")) {
                Some(method @ Value::Function(_)) if this.is_of_standard_library(&method) => {
                    let method = this.bind_method(&awaited, method);
                    this.call(&method, CallArguments::empty(span))
                }
                _ => Ok(awaited),
            }
        })
    }

    fn is_of_standard_library(&self, function: &Value) -> bool {
        matches!(function, Value::Function(closure) if self.corpus.is_standard(closure.function.file))
    }
}
