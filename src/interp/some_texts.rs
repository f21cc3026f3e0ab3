//! Texts that nobody gives. Each is one text all along: what a program asks of it twice, such as `mode == "lstm"`, has one answer.

use std::borrow::Cow;
use std::rc::Rc;

use crate::corpus::Span;
use crate::interp::calls::CallArguments;
use crate::interp::heap::{Payload, Standing};
use crate::interp::machine::Interpreter;
use crate::interp::value::{ObjectId, Value};

impl Interpreter<'_> {
    /// A text of which nothing else is known.
    pub fn some_text(&mut self, description: &str, span: Span) -> Value {
        let text = self.symbolic(description, span, false);
        if let Value::Symbolic(id) = text
            && let Some(data) = self.heap.symbolic(id)
        {
            let mut data = (**data).clone();
            data.standing = Standing::Text;
            self.heap.set_payload(id, Payload::Symbolic(Rc::new(data)));
        }
        text
    }

    pub(super) fn is_some_text(&self, id: ObjectId) -> bool {
        self.heap.symbolic(id).is_some_and(|data| matches!(data.standing, Standing::Text))
    }

    /// The value for whoever needs no more of such a text than that it is one.
    pub(super) fn plain_text<'v>(&self, value: &'v Value) -> Cow<'v, Value> {
        match value {
            Value::Symbolic(id) if self.is_some_text(*id) => Cow::Owned(Value::Str(None)),
            value => Cow::Borrowed(value),
        }
    }

    /// The same for what a library is given.
    pub(super) fn plain_texts(&self, arguments: &mut CallArguments) {
        let keywords = arguments.keywords.iter_mut().map(|(_, value)| value);
        for value in arguments.positional.iter_mut().chain(keywords) {
            if matches!(value, Value::Symbolic(id) if self.is_some_text(*id)) {
                *value = Value::Str(None);
            }
        }
    }
}
