//! Calls that cannot be followed: what is said of them, and when.
//!
//! A call that gets a tensor, a module or anything else in which tensors may hide is not understood, and counts at once: it may fail, and
//! may change what it gets. A call that gets only numbers, texts and their like cannot; it counts where what it gives reaches a tensor
//! operation or a size, and not where that is printed, logged or dropped. The standard library computes with no tensors at all: what it makes of
//! numbers and texts is data from outside, as what is read from a file is.

use std::rc::Rc;

use crate::calls::call::CallArguments;
use crate::heap::objects::{Payload, Standing, SymbolicData};
use crate::paths::predicates::{IS_CALLABLE, IS_NONE};
use crate::state::interpreter::{Eval, Interpreter};
use crate::values::value::{Iteration, ObjectId, Value};
use harp_corpus::Span;
use harp_limits::light_tick;
use harp_python::ir::BinaryOperator;
use harp_python::is_standard_library;
use harp_python::name::Name;
use harp_trace::assumption::{AssumptionKind, words};
use harp_trace::speculation_patterns::{is_array_member, is_member_by_call};

/// How deep containers are looked into for tensors, and how many of their items.
const DEEPEST: usize = 4;
const MOST_ITEMS: usize = 256;

/// Built-in functions that look at a value and make nothing of it that a shape could depend on.
pub const ONLOOKERS: [&str; 11] = [
    "builtins.bool",
    "builtins.callable",
    "builtins.float",
    "builtins.format",
    "builtins.hasattr",
    "builtins.id",
    "builtins.isinstance",
    "builtins.print",
    "builtins.repr",
    "builtins.str",
    "builtins.type",
];

/// What all calls of values are counted as that nothing is known of.
pub const UNKNOWN_CALL: &str = "call of an unknown value";

/// What hides in a value that is passed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Content {
    /// Numbers, texts, data from outside.
    Plain,
    /// An input of the entry, whose type is not known.
    Input,
    /// What a call gave that was not understood.
    Open,
    /// The same, where that was said already.
    Result,
    /// Tensors, modules, functions and objects of the program.
    Tensors,
}

impl Interpreter<'_> {
    /// `name(…)` for a function or class of a library that nothing is known of.
    pub fn call_unknown_library(&mut self, name: Name, arguments: &CallArguments) -> Eval {
        let top_level = name.as_str().split('.').next().unwrap_or_default();
        if is_exception(name.as_str()) {
            return Ok(self.data_from_outside(name.as_str(), arguments.span));
        }
        if self.library.is_plain(name.as_str()) {
            return Ok(self.data_apart(&format!("{name}(…)"), arguments.span));
        }
        let is_standard = is_standard_library(top_level);
        self.hand_out(name.as_str(), arguments);
        let limit = if is_standard { Content::Result } else { Content::Plain };
        let standing = match self.content_of_arguments(arguments) {
            content if content > limit => None,
            Content::Open => self.reason_among(arguments).map(Standing::Open),
            _ if is_standard => Some(Standing::Outside),
            _ => Some(Standing::Open(Rc::new((name.to_string(), arguments.span)))),
        };
        let result = self.unknown_result(&format!("{name}(…)"), name.as_str(), standing, arguments.span);
        self.note_maker(&result, name.as_str());
        Ok(result)
    }

    /// A call of a value that nothing is known of.
    pub fn call_unknown_value(&mut self, callee: ObjectId, arguments: &CallArguments) -> Eval {
        if let Some(method) = self.method_by_call(callee, arguments) {
            return self.call(&method, arguments.clone());
        }
        if let Some(result) = self.converted_or_stored(callee, arguments) {
            return Ok(result);
        }
        if let Some((_, name)) = self.heap.symbolic(callee).and_then(|data| data.owner) {
            self.forget_moved_items(callee, arguments);
            self.models.unknown_method_is_called(self, name.as_str(), arguments)?;
        }
        if let Some(result) = self.called_input(callee, arguments) {
            return Ok(result);
        }
        if self.heap.symbolic(callee).is_some_and(|data| matches!(data.standing, Standing::Apart)) {
            let text = self.source_text(arguments.span);
            return Ok(self.data_apart(text, arguments.span));
        }
        let what = self.unknown_call(arguments.span);
        self.hand_out(&what, arguments);
        self.note_change_by_unknown(callee);
        let content = self.content_of_arguments(arguments);
        let standing = match self.heap.symbolic(callee).map(|data| data.standing.clone()) {
            Some(Standing::Outside) if content <= Content::Input => Some(Standing::Outside),
            Some(Standing::Outside) if content == Content::Open => self.reason_among(arguments).map(Standing::Open),
            Some(open @ Standing::Open(_)) if content == Content::Plain => Some(open),
            Some(Standing::Plain) if content == Content::Plain => {
                Some(Standing::Open(Rc::new((what.clone(), arguments.span))))
            }
            _ => None,
        };
        let text = self.source_text(arguments.span);
        let description = text.char_indices().nth(60).map_or(text, |(end, _)| &text[..end]);
        let result = self.unknown_result(description, &what, standing, arguments.span);
        if let Some((callee, _)) = description.split_once('(') {
            self.note_maker(&result, callee);
        }
        Ok(result)
    }

    /// What is said of a call of something that nothing is known of: its name, as the source has it.
    pub fn unknown_call(&self, span: Span) -> String {
        const LONGEST: usize = 40;
        match self.source_text(span).split_once('(') {
            Some((callee, _)) if (1..=LONGEST).contains(&callee.len()) && !callee.contains(['\n', '`', '\r']) => {
                format!("call of `{callee}`, of which nothing is known")
            }
            _ => UNKNOWN_CALL.to_owned(),
        }
    }

    /// Methods that mean the same for all that have them, whatever a value is: `x.to(device)` is `x` with the same shapes, and only modules and
    /// optimizers have a state that is taken or loaded.
    fn converted_or_stored(&mut self, callee: ObjectId, arguments: &CallArguments) -> Option<Value> {
        let (owner, name) = self.heap.symbolic(callee)?.owner?;
        let owner = self.read(&Value::Symbolic(owner));
        match (name.as_str(), arguments.positional.len()) {
            ("to", 1..) => Some(owner),
            ("state_dict", 0) | ("load_state_dict", 1) => {
                self.takes_for_module(callee, arguments)?;
                Some(self.data_from_outside("a state", arguments.span))
            }
            // What a list takes, it gives back as it is; other objects with such a method give something new.
            ("append" | "extend", 1) if arguments.keywords.is_empty() => {
                let subject = self.heap.symbolic(callee)?.description.to_string();
                let subject = subject.rsplit_once('.').map_or("", |(owner, _)| owner);
                let evidence = format!("`{}` is called", self.source_text(arguments.span));
                let text = words::member_name_list(subject);
                self.speculate(AssumptionKind::MemberName, subject, text, evidence, arguments.span).granted()?;
                Some(self.data_apart("what `append` gives", arguments.span))
            }
            // Modules whose parameters are spread over processes alone are told what to fetch beforehand; it computes nothing.
            (
                "set_modules_to_forward_prefetch"
                | "set_modules_to_backward_prefetch"
                | "set_requires_gradient_sync"
                | "set_reshard_after_backward",
                1..,
            ) => {
                self.takes_for_module(callee, arguments)?;
                Some(Value::None)
            }
            _ => None,
        }
    }

    /// A call of an input or of a method of one: whoever passes a module, a function or another object passes one that takes what it gets here.
    /// What it gives is not known.
    fn called_input(&mut self, callee: ObjectId, arguments: &CallArguments) -> Option<Value> {
        let data = self.heap.symbolic(callee)?;
        let is_input = !data.is_result && matches!(data.standing, Standing::Plain);
        if !is_input || self.inference.is_some() || self.content_of_arguments(arguments) == Content::Plain {
            return None;
        }
        let subject = data.description.to_string();
        let evidence = format!("`{}` is called", self.source_text(arguments.span));
        let text = words::used_as_callable(&subject);
        self.speculate(AssumptionKind::UsedAs, &subject, text, evidence, arguments.span).granted()?;
        let what = self.unknown_call(arguments.span);
        self.hand_out(&what, arguments);
        let text = self.source_text(arguments.span);
        let description = text.char_indices().nth(60).map_or(text, |(end, _)| &text[..end]);
        let result = self.symbolic(description, arguments.span, true);
        if let Some((callee, _)) = description.split_once('(') {
            self.note_maker(&result, callee);
        }
        Some(result)
    }

    /// Takes the owner of a method for a module, by the name of the method.
    fn takes_for_module(&mut self, callee: ObjectId, arguments: &CallArguments) -> Option<()> {
        let subject = self.heap.symbolic(callee)?.description.to_string();
        let evidence = format!("`{}` is called", self.source_text(arguments.span));
        let text = format!("`{}` is a module", subject.rsplit_once('.').map_or("", |(owner, _)| owner));
        self.speculate(AssumptionKind::MemberName, &subject, text, evidence, arguments.span).granted().map(|_| ())
    }

    /// A method that only tensors have: others have an attribute of its name that is not called, as images have their `size`.
    fn method_by_call(&mut self, callee: ObjectId, arguments: &CallArguments) -> Option<Value> {
        let (owner, name) = self.heap.symbolic(callee)?.owner?;
        if !is_member_by_call(name.as_str()) || arguments.positional.len() > 1 {
            return None;
        }
        let evidence = format!("`{}` is called", self.source_text(arguments.span));
        let kind = AssumptionKind::MemberName;
        let place = arguments.span;
        let is_shared = is_array_member(name.as_str());
        let library = if is_shared { self.assumed_open_kind(place) } else { self.assumed_kind(place) };
        let tensor = self.refine_to_tensor(owner, library, kind, evidence, arguments.span)?;
        self.tensor_attribute(&tensor, name, arguments.span).ok()
    }

    fn unknown_result(&mut self, description: &str, what: &str, standing: Option<Standing>, span: Span) -> Value {
        // A signature says at once what it does not know.
        let mut standing = standing.filter(|_| self.inference.is_none());
        if standing.is_none() && self.inference.is_none() {
            self.not_followed(what, span);
            standing = Some(Standing::Open(Rc::new((what.to_owned(), span))));
        } else if standing.is_none() {
            self.not_understood(what, span);
        }
        let value = self.symbolic(description, span, true);
        self.set_standing(&value, standing.unwrap_or(Standing::Plain));
        value
    }

    fn set_standing(&mut self, value: &Value, standing: Standing) {
        if let Value::Symbolic(id) = value
            && let Some(data) = self.heap.symbolic(*id)
        {
            let data = SymbolicData { standing, ..SymbolicData::clone(data) };
            self.heap.set_payload(*id, Payload::Symbolic(Rc::new(data)));
        }
    }

    /// An attribute, item or element of a value that nothing is known of.
    pub fn part_of_symbolic(&mut self, id: ObjectId, description: &str, span: Span) -> Value {
        let (is_result, standing) = match self.heap.symbolic(id) {
            Some(data) => (data.is_result, data.standing.clone()),
            None => (true, Standing::Plain),
        };
        let value = self.symbolic(description, span, is_result);
        self.set_standing(&value, standing);
        value
    }

    /// What Python computes of operands of which one is not known.
    pub fn computed_of_unknown(&mut self, operator: BinaryOperator, [left, right]: [&Value; 2], span: Span) -> Value {
        let mut standing = Standing::Plain;
        for operand in [left, right] {
            let Value::Symbolic(id) = operand else { continue };
            match self.heap.symbolic(*id).map(|data| data.standing.clone()) {
                Some(open @ Standing::Open(_)) => {
                    standing = open;
                    break;
                }
                Some(Standing::Outside | Standing::Apart) => standing = Standing::Outside,
                _ => {}
            }
        }
        let value = self.symbolic(self.source_text(span), span, true);
        self.set_standing(&value, standing);
        self.note_operands(&value, operator, left, right);
        if let Value::Symbolic(id) = value {
            // What an operator computes is there, and is no function.
            self.heap.set_attribute(id, Name::new(IS_NONE), Value::Bool(false));
            self.heap.set_attribute(id, Name::new(IS_CALLABLE), Value::Bool(false));
        }
        value
    }

    /// What was not understood, which counts where it reaches a tensor operation or a size.
    pub fn unanswered(&mut self, description: &str, what: &str, span: Span) -> Value {
        let standing = Standing::Open(Rc::new((what.to_owned(), span)));
        self.unknown_result(description, what, Some(standing), span)
    }

    /// Data from outside: what a file or the system gives.
    pub fn data_from_outside(&mut self, description: &str, span: Span) -> Value {
        let value = self.symbolic(description, span, true);
        self.set_standing(&value, Standing::Outside);
        value
    }

    /// Whether a value is data from outside.
    pub(crate) fn is_from_outside(&self, value: &Value) -> bool {
        let Value::Symbolic(id) = value else { return false };
        self.heap.symbolic(*id).is_some_and(|data| matches!(data.standing, Standing::Outside | Standing::Apart))
    }

    /// What a package gives that computes with no tensors.
    fn data_apart(&mut self, description: &str, span: Span) -> Value {
        let value = self.symbolic(description, span, true);
        self.set_standing(&value, Standing::Apart);
        value
    }

    /// Whether a value comes from outside and may be a text, as nothing says that it is something else.
    pub(crate) fn may_be_text_from_outside(&self, value: &Value) -> bool {
        let Value::Symbolic(id) = value else { return false };
        self.heap.symbolic(*id).is_some_and(|data| {
            matches!(data.standing, Standing::Outside | Standing::Apart | Standing::Text) && data.refined.is_none()
        })
    }

    /// A value reaches a tensor operation or a size: if a call gave it that was not understood, this is the time to say so.
    pub fn heed(&mut self, value: &Value) {
        self.heed_within(value, 0);
    }

    fn heed_within(&mut self, value: &Value, depth: usize) {
        light_tick();
        match value {
            Value::Symbolic(id) => {
                if let Some(Standing::Open(reason)) = self.heap.symbolic(*id).map(|data| data.standing.clone()) {
                    let (what, span) = &*reason;
                    self.note_reached(what, *span);
                    self.set_standing(value, Standing::Plain);
                }
            }
            Value::Tuple(items) if depth < DEEPEST => {
                for item in items.iter().take(MOST_ITEMS) {
                    self.heed_within(item, depth + 1);
                }
            }
            Value::List(id) if depth < DEEPEST => {
                let Some(data) = self.heap.list(*id).cloned() else { return };
                for item in data.items.iter().take(MOST_ITEMS).chain(&data.rest) {
                    self.heed_within(item, depth + 1);
                }
            }
            _ => {}
        }
    }

    /// Says of the arguments of a function what they are, where the function makes something of them.
    pub fn heed_arguments(&mut self, function: Name, arguments: &CallArguments) {
        if ONLOOKERS.binary_search(&function.as_str()).is_err() {
            let keywords = arguments.keywords.iter().map(|(_, value)| value);
            for value in arguments.positional.iter().chain(keywords).chain(arguments.behind.iter().flatten()) {
                self.heed(value);
            }
        }
    }

    fn content_of_arguments(&self, arguments: &CallArguments) -> Content {
        if arguments.is_open {
            return Content::Tensors;
        }
        let keywords = arguments.keywords.iter().map(|(_, value)| value);
        let all = arguments
            .positional
            .iter()
            .chain(keywords)
            .chain(&arguments.unpacked)
            .chain(arguments.behind.iter().flatten());
        all.map(|value| self.content(value, 0)).max().unwrap_or(Content::Plain)
    }

    fn reason_among(&self, arguments: &CallArguments) -> Option<Rc<(String, Span)>> {
        let keywords = arguments.keywords.iter().map(|(_, value)| value);
        arguments.positional.iter().chain(keywords).find_map(|value| match value {
            Value::Symbolic(id) => match &self.heap.symbolic(*id)?.standing {
                Standing::Open(reason) => Some(Rc::clone(reason)),
                _ => None,
            },
            _ => None,
        })
    }

    fn content(&self, value: &Value, depth: usize) -> Content {
        light_tick();
        if depth > DEEPEST {
            return Content::Tensors;
        }
        let all = |items: &mut dyn Iterator<Item = &Value>| {
            items.map(|item| self.content(item, depth + 1)).max().unwrap_or(Content::Plain)
        };
        match self.read(value) {
            Value::None
            | Value::Bool(_)
            | Value::Int(_)
            | Value::Float(_)
            | Value::Ratio(_)
            | Value::Str(_)
            | Value::Bytes
            | Value::Complex
            | Value::Ellipsis
            | Value::Condition(_)
            | Value::Range(_)
            | Value::DType(_)
            | Value::Size(_)
            | Value::Library(_) => Content::Plain,
            Value::Tuple(items) if items.len() <= MOST_ITEMS => all(&mut items.iter()),
            // What is empty may be filled.
            Value::List(id) | Value::Set(id) => match self.heap.list(id) {
                Some(data) if data.items.len() <= MOST_ITEMS && !(data.items.is_empty() && data.rest.is_none()) => {
                    all(&mut data.items.iter().chain(&data.rest))
                }
                Some(data)
                    if data.items.len() > MOST_ITEMS
                        && data
                            .items
                            .iter()
                            .chain(&data.rest)
                            .all(|it| matches!(it, Value::Int(_) | Value::Str(_))) =>
                {
                    Content::Plain
                }
                _ => Content::Tensors,
            },
            Value::Dict(id) => match self.heap.dict(id) {
                Some(data) if (1..=MOST_ITEMS).contains(&data.entries.len()) && data.rest.is_none() => {
                    all(&mut data.entries.iter().map(|(_, value)| value))
                }
                _ => Content::Tensors,
            },
            Value::Slice(bounds) => all(&mut bounds.iter()),
            Value::Iterator(iteration) => match &*iteration {
                Iteration::Items(items) if items.len() <= MOST_ITEMS => all(&mut items.iter()),
                Iteration::Counter { .. } => Content::Plain,
                Iteration::View { dict, .. } => all(&mut [Value::Dict(*dict)].iter()),
                _ => Content::Tensors,
            },
            Value::Symbolic(id) => match self.heap.symbolic(id) {
                Some(data) => match &data.standing {
                    Standing::Outside | Standing::Apart | Standing::Text => Content::Plain,
                    Standing::Open(_) => Content::Open,
                    Standing::Plain if data.is_result => Content::Result,
                    Standing::Plain => Content::Input,
                },
                None => Content::Tensors,
            },
            Value::Alternatives(alternatives) => all(&mut alternatives.iter().map(|(_, value)| value)),
            _ => Content::Tensors,
        }
    }
}

/// Whether a built-in class is one of exceptions, which keep what they are made with and do nothing with it.
fn is_exception(name: &str) -> bool {
    const ENDS: [&str; 6] = ["Error", "Exception", "Warning", "Exit", "Interrupt", "StopIteration"];
    name.strip_prefix("builtins.").is_some_and(|name| ENDS.iter().any(|end| name.ends_with(end)))
}
