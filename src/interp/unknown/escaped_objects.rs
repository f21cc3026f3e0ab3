//! Objects that were given to a call which was not understood. It may have changed them: what reads them afterwards rests on its having left
//! them as they were.

use std::rc::Rc;

use crate::calls::call::CallArguments;
use crate::evaluate::expressions::insert;
use crate::state::interpreter::{Interpreter, Speculation};
use crate::values::value::{Closure, ObjectId, Value};
use harp_corpus::Span;
use harp_python::is_standard_library;
use harp_trace::assumption::{AssumptionId, AssumptionKind, AssumptionSet, words};

/// What is read of an object of which somebody said that the call changes it.
pub(crate) const CHANGED: &str = "an object that a call may have changed";

/// Longer calls are not written out.
const LONGEST_CALL: usize = 60;

/// More dictionaries within one another are not looked at, nor more entries of one.
const MOST_DICTS: usize = 64;
const MOST_ENTRIES: usize = 1024;

/// A call that was not understood.
#[derive(Clone, Debug)]
pub struct Recipient {
    call: Rc<str>,
    /// What is assumed where an object is used afterwards.
    assumed: Rc<str>,
    span: Span,
}

impl Interpreter<'_> {
    /// Whether an object was given to a call that was not understood.
    pub(crate) fn is_handed_out(&self, object: ObjectId) -> bool {
        self.tables.handed_out.contains_key(&object)
    }

    /// Notes what `name(…)` is given, of which nothing is known. The standard library does not change what programs configure.
    pub(crate) fn hand_out(&mut self, name: &str, arguments: &CallArguments) {
        let top_level = name.split('.').next().unwrap_or_default();
        if self.inference.is_some() || is_standard_library(top_level) {
            return;
        }
        self.change_arguments(None, arguments);
        self.forget_what_a_call_may_set(arguments);
        let keywords = arguments.keywords.iter().map(|(_, value)| value);
        let given: Vec<ObjectId> = arguments
            .positional
            .iter()
            .chain(keywords)
            .filter_map(|value| self.changeable(&self.read(value)))
            .collect();
        if given.is_empty() {
            return;
        }
        let text = self.source_text(arguments.span);
        let is_short = text.len() <= LONGEST_CALL && !text.contains(['\n', '`']);
        let call = if is_short { text.to_owned() } else { format!("{name}(…)") };
        let function = callee_text(&call).unwrap_or(name);
        let assumed = Rc::from(words::unchanged_arguments_call(function));
        let recipient = Recipient { call: Rc::from(call.as_str()), assumed, span: arguments.span };
        for object in given {
            if !self.tables.handed_out.contains_key(&object) {
                self.tables.handed_out.insert(object, recipient.clone());
            }
        }
    }

    /// Forgets the attributes of the objects of the program that something gets as items which hands them out again: what is done with those is
    /// done with them, and is not seen.
    pub fn forget_items_handed_out(&mut self, given: &Value, span: Span) {
        let Value::List(list) = self.read(given) else { return };
        if self.inference.is_some() {
            return;
        }
        let items =
            self.heap.list(list).map_or(Vec::new(), |data| data.items.iter().take(MOST_DICTS).cloned().collect());
        for item in items {
            let item = self.read(&item);
            if matches!(item, Value::Instance(_)) && self.changeable(&item).is_some() && !self.is_module(&item) {
                let anything = self.symbolic("item", span, true);
                self.set_some_attribute(&item, &anything, span);
            }
        }
    }

    /// Forgets what methods and functions set that are handed to a call: it may run them. A callback's attribute that is `None` to begin with is
    /// set by a method of its own, and a name around a function that says it is `nonlocal` by that function.
    fn forget_what_a_call_may_set(&mut self, arguments: &CallArguments) {
        let keywords = arguments.keywords.iter().map(|(_, value)| value);
        let given: Vec<Value> = arguments.positional.iter().chain(keywords).map(|value| self.read(value)).collect();
        for value in given {
            let within = match &value {
                Value::List(id) => self.heap.list(*id).map_or(Vec::new(), |data| data.items.clone()),
                Value::Tuple(items) => items.to_vec(),
                Value::Dict(id) => {
                    self.heap.dict(*id).map_or(Vec::new(), |data| data.entries.iter().map(|it| it.1.clone()).collect())
                }
                _ => vec![value],
            };
            for value in within.into_iter().take(MOST_DICTS) {
                match self.read(&value) {
                    object @ Value::Instance(_) if !self.is_module(&object) => {
                        self.forget_unset_attributes(&object, arguments.span);
                    }
                    Value::Function(closure) => self.forget_nonlocals_of(&closure, arguments.span),
                    Value::BoundMethod(method) if !self.is_module(&method.receiver) => {
                        let receiver = self.read(&method.receiver);
                        self.forget_unset_attributes(&receiver, arguments.span);
                    }
                    _ => {}
                }
            }
        }
    }

    /// Forgets the names around a function that it sets.
    fn forget_nonlocals_of(&mut self, closure: &Closure, span: Span) {
        for name in &closure.function.nonlocals {
            let scope = closure.enclosing.iter().copied().find(|scope| self.heap.attribute(*scope, *name).is_some());
            if let Some(scope) = scope {
                let unknown = self.symbolic(name.as_str(), span, true);
                self.heap.set_attribute(scope, *name, unknown);
            }
        }
    }

    /// Notes that a dictionary, with those within it, was changed under keys of which nothing is known: what is read of it rests on its having
    /// been left as it was. What stands for "not set" is certainly set by then.
    pub(crate) fn changed_under_unknown_keys(&mut self, dict: ObjectId, span: Span) {
        let text = self.source_text(span);
        let is_short = text.len() <= LONGEST_CALL && !text.contains(['\n', '`']);
        let call = if is_short { Rc::from(text) } else { Rc::from("what is set under keys that are not known") };
        let assumed = Rc::from(words::unchanged_arguments_keys(&call));
        let recipient = Recipient { call, assumed, span };
        let mut open = vec![dict];
        let mut seen: Vec<ObjectId> = Vec::new();
        while let Some(id) = open.pop().filter(|_| seen.len() < MOST_DICTS) {
            if seen.contains(&id) {
                continue;
            }
            seen.push(id);
            let entries = self.heap.dict(id).map(|data| data.entries.clone()).unwrap_or_default();
            for (key, value) in entries.iter().take(MOST_ENTRIES) {
                match self.read(value) {
                    Value::Dict(inner) => open.push(inner),
                    value if value.as_int().is_some_and(|number| number < 0) => {
                        self.store_through(id, key, &Value::Unknown(CHANGED));
                        self.heap.change_dict(id, |data| insert(data, key.clone(), Value::Unknown(CHANGED)));
                    }
                    _ => {}
                }
            }
            let owner = self.owner_of_attributes(id);
            // It may have attributes that nobody sees it get.
            if let Some(owner) = owner {
                self.open_attributes(&Value::Instance(owner));
            }
            for object in owner.into_iter().chain([id]) {
                if !self.tables.handed_out.contains_key(&object) {
                    self.tables.handed_out.insert(object, recipient.clone());
                }
            }
        }
    }

    /// An object whose contents shapes may depend on: a container, a module, or an object of a class of the program.
    fn changeable(&self, value: &Value) -> Option<ObjectId> {
        match value {
            Value::List(id) | Value::Dict(id) => Some(*id),
            Value::Instance(id) => {
                let is_own = matches!(self.heap.instance(*id)?.class, Value::Class(_));
                (is_own || self.is_module(value)).then_some(*id)
            }
            _ => None,
        }
    }

    /// Whether the object can be taken for what it was, though a call got it that was not understood.
    pub(crate) fn is_as_it_was(&mut self, object: ObjectId) -> bool {
        let Some(Recipient { call, assumed, span }) = self.tables.handed_out.get(&object).cloned() else { return true };
        let evidence = "the program uses them afterwards".to_owned();
        match self.speculate(AssumptionKind::UnchangedArguments, &call, assumed.to_string(), evidence, span) {
            Speculation::Assumed(_) | Speculation::Confirmed => true,
            Speculation::Denied => false,
        }
    }

    /// The same for a value that is read, called or gone through.
    #[inline]
    pub(crate) fn may_be_changed(&mut self, value: &Value) -> bool {
        match value {
            Value::List(id) | Value::Dict(id) | Value::Instance(id) if !self.tables.handed_out.is_empty() => {
                !self.is_as_it_was(*id)
            }
            _ => false,
        }
    }

    /// What a finding rests on that comes now: the calls so far whose arguments were used afterwards.
    pub(crate) fn relied_on(&self) -> AssumptionSet {
        let is_meant = |id: &AssumptionId| {
            self.trace.assumptions.get(*id).is_some_and(|it| it.kind == AssumptionKind::UnchangedArguments)
        };
        match self.tables.handed_out.is_empty() {
            true => AssumptionSet::default(),
            false => {
                self.entry.assumptions.iter().filter(is_meant).fold(AssumptionSet::default(), |all, id| all.with(id))
            }
        }
    }
}

/// What is called in the source text of a call: `net.tune` in `net.tune(a, b)`.
fn callee_text(call: &str) -> Option<&str> {
    let mut depth = 0_usize;
    for (at, character) in call.char_indices().rev() {
        match character {
            ')' => depth += 1,
            '(' => depth = depth.checked_sub(1)?,
            _ => continue,
        }
        if depth == 0 {
            return Some(call[..at].trim_end()).filter(|callee| !callee.is_empty());
        }
    }
    None
}
