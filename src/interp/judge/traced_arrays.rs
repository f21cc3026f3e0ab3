//! Issues of functions that a compiler traces: while one runs, arrays have shapes and types and no values, so that what
//! asks for a value is refused. What operations of the traced family make meanwhile has none, as have the arrays that the
//! function was given; what was made before, and arrays of other families, have theirs.

use rustc_hash::FxHashSet;
use std::rc::Rc;

use crate::budget::costly_calls::EntryKind;
use crate::calls::call::CallArguments;
use crate::state::interpreter::Interpreter;
use crate::values::value::{Closure, FunctionKind, OperationId, Value};
use harp_corpus::Span;
use harp_limits::light_tick;
use harp_shape::{DType, Family};

/// Arguments that lie deeper are not looked at.
const DEEPEST: usize = 8;

/// A trace that runs.
#[derive(Debug)]
pub struct Trace {
    family: Family,
    /// How many operations there were before.
    first: usize,
    /// Those that made what the function was given.
    given: FxHashSet<OperationId>,
    /// Whether the program computes with values for a while.
    pub is_suspended: bool,
}

impl Interpreter<'_> {
    /// A function as another object, whose operations on arrays of a family are traced while it runs. What is no function stays as it is.
    pub fn traced(&self, function: &Value, family: Family) -> Value {
        match self.read(function) {
            Value::Function(closure) if closure.kind == FunctionKind::Plain && !closure.function.is_generator => {
                Value::Function(Rc::new(Closure { traces: Some(family), ..closure.copy() }))
            }
            other => other,
        }
    }

    /// Begins the trace of a function that is called, unless one runs; whether it does.
    pub(crate) fn begin_trace(&mut self, closure: &Closure, arguments: &CallArguments) -> bool {
        let Some(family) = closure.traces.filter(|_| self.calls.trace.is_none()) else { return false };
        let mut given = FxHashSet::default();
        let values = arguments.positional.iter().chain(arguments.keywords.iter().map(|(_, value)| value));
        values.for_each(|value| self.given_to_trace(value, &mut given, 0));
        self.calls.trace = Some(Trace { family, first: self.trace.operations.len(), given, is_suspended: false });
        true
    }

    fn given_to_trace(&self, value: &Value, found: &mut FxHashSet<OperationId>, depth: usize) {
        light_tick();
        if depth > DEEPEST {
            return;
        }
        match self.read(value) {
            Value::Tensor(tensor) => _ = found.insert(tensor.operation),
            Value::Tuple(items) => items.iter().for_each(|item| self.given_to_trace(item, found, depth + 1)),
            Value::List(id) => {
                let items = self.heap.list(id).map_or(&[][..], |data| &data.items);
                items.iter().for_each(|item| self.given_to_trace(item, found, depth + 1));
            }
            Value::Dict(id) => {
                let entries = self.heap.dict(id).map_or(&[][..], |data| &data.entries);
                entries.iter().for_each(|(_, item)| self.given_to_trace(item, found, depth + 1));
            }
            _ => {}
        }
    }

    /// Whether a value is an array that a running trace knows no value of.
    pub fn is_traced(&self, value: &Value) -> bool {
        let Some(trace) = self.calls.trace.as_ref().filter(|trace| !trace.is_suspended) else { return false };
        let Value::Tensor(tensor) = self.read(value) else { return false };
        // The first operation has the number 1.
        let is_new = tensor.operation.0 as usize > trace.first;
        tensor.kind.only_family() == Some(trace.family)
            && tensor.operation != OperationId::NONE
            && (is_new || trace.given.contains(&tensor.operation))
    }

    /// Reports that the program asks for the value of a traced array: for its truth, or a number.
    pub(crate) fn refuse_value_of_traced(&mut self, api: &str, what: &str, value: &Value, span: Span) {
        if self.is_refused_here(value, span) {
            let message = format!("while a function is traced, arrays have no values, and {what}");
            self.sequence_fails(api, message, span);
        }
    }

    /// Reports an index of a traced array with a mask or with bounds that are traced: they decide how many elements there are.
    pub(crate) fn refuse_traced_index(&mut self, array: &Value, index: &Value, span: Span) {
        if self.calls.trace.is_none() || !self.is_traced(array) {
            return;
        }
        let items: Vec<Value> = match self.read(index) {
            Value::Tuple(items) => items.to_vec(),
            other => vec![other],
        };
        for item in items {
            let item = self.read(&item);
            let (decides, what) = match &item {
                Value::Tensor(mask) if mask.dtype == DType::Bool && !mask.shape.elements().is_empty() => {
                    (vec![item.clone()], "this mask decides how many elements there are")
                }
                Value::Slice(bounds) => (bounds.to_vec(), "this bound decides how many elements there are"),
                _ => continue,
            };
            for value in decides {
                self.refuse_value_of_traced("__getitem__", what, &value, span);
            }
        }
    }

    /// Whether a value is asked for by a script of the program, in its own code, and is surely traced.
    fn is_refused_here(&self, value: &Value, span: Span) -> bool {
        let Value::Tensor(tensor) = self.read(value) else { return false };
        self.is_traced(value)
            && tensor.assumptions.is_empty()
            && self.exceptions.caught == 0
            && self.inference.is_none()
            && self.entry.kind != EntryKind::Symbolic
            && !self.corpus.is_foreign(span.file)
    }
}
