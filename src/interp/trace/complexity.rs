//! What makes a Python program hard to analyse without running it, place by place, and what became of each place.
//!
//! The kinds are those of HARP (Zhou et al., ICSE 2020, Table 2), which counted the programs that have them.

use std::collections::BTreeMap;

use crate::state::interpreter::Interpreter;
use crate::trace::ValueKind;
use crate::values::value::Value;
use harp_corpus::Span;
use harp_python::ir::{Expr, ExprKind};
use harp_python::name::Name;

/// A kind of difficulty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Complexity {
    /// A branch whose condition is not known before the program runs.
    DataDependentBranch,
    /// A call of a value that is one of several functions, or of which nothing is known.
    UnknownDispatch,
    /// A function that calls what it was passed.
    HigherOrderFunction,
    /// An operator that runs a method of a class of the program.
    OperatorOverload,
    /// An attribute that is set by a name which the program computes.
    DynamicAttribute,
    /// A variable that gets a value of another type than it had.
    DynamicType,
    /// A list, set or dictionary with values of several types.
    DynamicContainer,
}

impl Complexity {
    pub const ALL: [Complexity; 7] = [
        Complexity::DataDependentBranch,
        Complexity::UnknownDispatch,
        Complexity::HigherOrderFunction,
        Complexity::OperatorOverload,
        Complexity::DynamicAttribute,
        Complexity::DynamicType,
        Complexity::DynamicContainer,
    ];

    /// The name that reports use.
    pub fn as_str(self) -> &'static str {
        match self {
            Complexity::DataDependentBranch => "data-dependent-branch",
            Complexity::UnknownDispatch => "unknown-dispatch",
            Complexity::HigherOrderFunction => "higher-order-function",
            Complexity::OperatorOverload => "operator-overload",
            Complexity::DynamicAttribute => "dynamic-attribute",
            Complexity::DynamicType => "dynamic-type",
            Complexity::DynamicContainer => "dynamic-container",
        }
    }
}

/// What became of a difficult place, the worst of all executions; later is worse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Treatment {
    /// Every way it can go was followed.
    Followed,
    /// It was not understood: what it gives is unknown from there on.
    NotFollowed,
}

/// Difficult places of a program.
#[derive(Debug, Default)]
pub struct Complexities(BTreeMap<(Complexity, Span), Treatment>);

impl Complexities {
    fn note(&mut self, complexity: Complexity, span: Span, treatment: Treatment) {
        let known = self.0.entry((complexity, span)).or_insert(treatment);
        *known = treatment.max(*known);
    }

    /// Every place, by kind and then in the order of the corpus.
    pub fn iter(&self) -> impl Iterator<Item = (Complexity, Span, Treatment)> + '_ {
        self.0.iter().map(|((complexity, span), treatment)| (*complexity, *span, *treatment))
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;
    use harp_corpus::FileId;

    #[test]
    fn the_worst_execution_of_a_place_counts() {
        let span = Span::new(FileId(0), 3, 5);
        let mut places = Complexities::default();
        for treatment in [Treatment::Followed, Treatment::NotFollowed, Treatment::Followed] {
            places.note(Complexity::UnknownDispatch, span, treatment);
        }
        let all: Vec<_> = places.iter().collect();
        assert_eq!(all, [(Complexity::UnknownDispatch, span, Treatment::NotFollowed)]);
    }
}
