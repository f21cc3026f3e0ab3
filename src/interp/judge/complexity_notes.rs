//! Notes in the trace the places of the program that are hard to follow (see [`harp_trace::complexity`]).

use crate::state::interpreter::Interpreter;
use crate::values::value::Value;
use harp_corpus::Span;
use harp_python::ir::{Expr, ExprKind};
use harp_python::name::Name;
use harp_trace::ValueKind;
use harp_trace::complexity::{Complexity, Treatment};

impl Interpreter<'_> {
    /// Notes a difficult place of the program; what packages do is none of it.
    pub fn note_complexity(&mut self, complexity: Complexity, span: Span, treatment: Treatment) {
        if self.corpus.is_foreign(span.file) {
            return;
        }
        self.trace.complexities.note(complexity, span, treatment);
    }

    /// Notes what is difficult about a call before it is made.
    pub fn note_callee(&mut self, function: &Expr, callee: &Value, span: Span) {
        let is_callable =
            |value: &Value| self.kind_of(value) == ValueKind::Callable || matches!(value, Value::Instance(_));
        let (several, understood) = match callee {
            Value::Alternatives(values) => (true, values.iter().all(|(_, value)| is_callable(value))),
            other => (false, is_callable(other)),
        };
        let treatment = if understood { Treatment::Followed } else { Treatment::NotFollowed };
        if several || matches!(callee, Value::Symbolic(_) | Value::Unknown(_)) {
            self.note_complexity(Complexity::UnknownDispatch, span, treatment);
        }
        if let ExprKind::Name(name) = function.kind
            && self.is_parameter(name)
        {
            self.note_complexity(Complexity::HigherOrderFunction, span, treatment);
        }
    }

    /// Whether the function that runs has a parameter of this name.
    fn is_parameter(&self, name: Name) -> bool {
        let function = self.frames.last().and_then(|frame| frame.function.as_ref());
        function.is_some_and(|function| function.parameters.iter().any(|parameter| parameter.name == name))
    }

    /// Notes that a name is about to get a value of another type than it has.
    pub fn note_rebinding(&mut self, before: Option<&Value>, value: &Value, span: Span) {
        let Some(before) = before.and_then(|before| self.type_of(before)) else { return };
        if self.type_of(value).is_some_and(|after| after != before) {
            self.note_complexity(Complexity::DynamicType, span, Treatment::Followed);
        }
    }

    /// Notes a container that is given values of several types.
    pub fn note_items<'v>(&mut self, items: impl IntoIterator<Item = &'v Value>, span: Span) {
        let mut first = None;
        for item in items {
            let Some(found) = self.type_of(item) else { continue };
            if *first.get_or_insert(found) != found {
                return self.note_complexity(Complexity::DynamicContainer, span, Treatment::Followed);
            }
        }
    }

    /// The type of a value, where it is known; that of numbers is one, and `None` has none of its own.
    fn type_of(&self, value: &Value) -> Option<ValueKind> {
        if let Value::Alternatives(values) = value {
            let mut types = values.iter().map(|(_, value)| self.type_of(value));
            let first = types.next()??;
            return types.all(|other| other == Some(first)).then_some(first);
        }
        match self.kind_of(value) {
            ValueKind::Unknown => None,
            ValueKind::Float | ValueKind::Boolean => Some(ValueKind::Integer),
            kind => Some(kind),
        }
    }
}
