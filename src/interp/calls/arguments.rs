//! The arguments of a call, by position and by name.

use crate::values::value::Value;
use harp_corpus::Span;
use harp_python::name::Name;

/// The arguments of a call.
#[derive(Clone, Debug)]
pub struct CallArguments {
    pub positional: Vec<Value>,
    pub keywords: Vec<(Name, Value)>,
    /// Where the positional arguments stand, then the keywords; shorter where they were unpacked.
    pub positional_spans: Vec<Option<Span>>,
    pub keyword_spans: Vec<Option<Span>>,
    /// Whether `*args` or `**kwargs` of unknown contents were passed too.
    pub is_open: bool,
    /// Whether `*args` or `**kwargs` were passed, whatever they hold.
    pub is_unpacked: bool,
    /// Whether they are the `*args` and `**kwargs` of the function that runs, and no others.
    pub are_passed_on: bool,
    /// Whether nobody in the program calls the function so: `*args` and `**kwargs` hold what callers elsewhere pass.
    pub is_from_outside: bool,
    /// Whether `*args` were passed on that callers elsewhere fill. A function of the program counts on nothing, as it counts on the
    /// defaults of its parameters; a library's takes anything.
    pub passes_on: bool,
    /// Whether `**kwargs` were passed on that callers elsewhere fill: a function of the program counts on none of them, and may lack none.
    pub passes_keywords_on: bool,
    /// A representative of what unpacking `*args` of unknown length passes.
    pub unpacked: Option<Value>,
    /// The arguments behind a sequence of unknown length that was unpacked, whose positions are not known therefore. `None` without such a sequence.
    pub behind: Option<Vec<Value>>,
    pub span: Span,
}

impl CallArguments {
    pub fn empty(span: Span) -> Self {
        CallArguments::positional(Vec::new(), span)
    }

    /// Without arguments yet, of which so many are to come, with a receiver before them.
    pub(crate) fn with_room_for(count: usize, span: Span) -> Self {
        let mut arguments = CallArguments::empty(span);
        arguments.positional.reserve_exact(count + 1);
        arguments.positional_spans.reserve_exact(count + 1);
        arguments
    }

    pub fn positional(positional: Vec<Value>, span: Span) -> Self {
        let positional_spans = vec![None; positional.len()];
        CallArguments {
            positional,
            keywords: Vec::new(),
            positional_spans,
            keyword_spans: Vec::new(),
            is_open: false,
            is_unpacked: false,
            are_passed_on: false,
            passes_keywords_on: false,
            is_from_outside: false,
            passes_on: false,
            unpacked: None,
            behind: None,
            span,
        }
    }

    pub fn keyword(&self, name: &str) -> Option<&Value> {
        self.keywords.iter().find(|(keyword, _)| keyword.as_str() == name).map(|(_, value)| value)
    }

    /// The argument at a position or by keyword.
    pub fn get(&self, position: usize, name: &str) -> Option<&Value> {
        self.positional.get(position).or_else(|| self.keyword(name))
    }

    /// The same with another value as the first argument.
    pub fn with_read_first(mut self, value: Value) -> Self {
        if let Some(first) = self.positional.first_mut() {
            *first = value;
        }
        self
    }

    pub fn with_first(mut self, value: Value) -> Self {
        self.positional.insert(0, value);
        self.positional_spans.insert(0, None);
        self
    }
}
