//! Abstract values of texts that nobody gives. Each is one text all along: what a program asks of it twice, such as
//! `mode == "lstm"`, has one answer.

use std::borrow::Cow;
use std::rc::Rc;

use crate::calls::call::CallArguments;
use crate::heap::objects::{Payload, Standing};
use crate::paths::predicates::Place;
use crate::state::interpreter::Interpreter;
use crate::values::value::{LibraryMethod, ObjectId, Value};
use harp_corpus::Span;
use harp_python::name::{Name, name};

/// The attribute under which a text keeps what a method made of it.
const MADE: &str = "\u{1}made by ";

/// Methods that make one text of another.
const MAKING: [&str; 6] = ["capitalize", "casefold", "lower", "strip", "title", "upper"];

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

    pub(crate) fn is_some_text(&self, id: ObjectId) -> bool {
        self.heap.symbolic(id).is_some_and(|data| matches!(data.standing, Standing::Text))
    }

    /// The value for whoever needs no more of such a text than that it is one.
    pub(crate) fn plain_text<'v>(&self, value: &'v Value) -> Cow<'v, Value> {
        match value {
            Value::Symbolic(id) if self.is_some_text(*id) => Cow::Owned(Value::Str(None)),
            value => Cow::Borrowed(value),
        }
    }

    /// Whether such a text has a part: the same answer each time, which agrees with what else was asked.
    pub(crate) fn asked_of_text(&mut self, id: ObjectId, place: Place, part: &str) -> Value {
        self.memoised_answer(id, &place.question(part))
    }

    /// The text that a method without arguments makes of such a text: the same one each time.
    pub(crate) fn made_of_text(&mut self, id: ObjectId, method: &str, span: Span) -> Value {
        let key = Name::new(&format!("{MADE}{method}"));
        if let Some(known) = self.heap.attribute(id, key) {
            return known.clone();
        }
        let description =
            self.heap.symbolic(id).map_or_else(String::new, |data| format!("{}.{method}()", data.description));
        let made = self.some_text(&description, span);
        self.heap.set_attribute(id, key, made.clone());
        made
    }

    /// `text.method` for such a text, where the text itself counts.
    pub(crate) fn method_of_text(&self, value: &Value, name: Name) -> Option<Value> {
        let Value::Symbolic(id) = value else { return None };
        let is_meant = MAKING.contains(&name.as_str()) || matches!(name.as_str(), "startswith" | "endswith");
        (is_meant && self.is_some_text(*id)).then(|| {
            let api = self.qualified(name!("builtins.str"), name);
            Value::LibraryMethod(Rc::new(LibraryMethod { receiver: value.clone(), api }))
        })
    }

    /// What such a method makes, where it is called without arguments.
    pub(crate) fn text_made(&mut self, method: &LibraryMethod, arguments: &CallArguments) -> Option<Value> {
        let Value::Symbolic(id) = method.receiver else { return None };
        let name = method.api.as_str().strip_prefix("builtins.str.").filter(|name| MAKING.contains(name))?;
        let is_plain = arguments.positional.is_empty() && arguments.keywords.is_empty();
        let is_known = self.is_some_text(id);
        is_known.then(|| if is_plain { self.made_of_text(id, name, arguments.span) } else { Value::Str(None) })
    }

    /// The same for what a library is given, but for the argument at one place.
    pub(crate) fn plain_texts(&self, arguments: &mut CallArguments, kept: Option<usize>) {
        let keywords = arguments.keywords.iter_mut().map(|(_, value)| (None, value));
        let positional = arguments.positional.iter_mut().enumerate().map(|(place, value)| (Some(place), value));
        for (place, value) in positional.chain(keywords) {
            if (kept.is_none() || place != kept) && matches!(value, Value::Symbolic(id) if self.is_some_text(*id)) {
                *value = Value::Str(None);
            }
        }
    }
}
