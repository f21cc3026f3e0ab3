//! Judges whether selections, lists and folders may be empty where an operation needs an element, and whether
//! selections of one become a number by a squeeze. That happens in every program, so that it is no finding: the verdict
//! names it as a condition.

use crate::api::call_api::Bound;
use crate::budget::costly_calls::EntryKind;
use crate::calls::call::CallArguments;
use crate::state::interpreter::Interpreter;
use crate::values::value::{Tensor, Value};
use harp_annotations::{ApiSpec, Behaviour};
use harp_python::name::Name;
use harp_shape::{Constraint, Dim, Verdict};

/// A longer text of the program is not repeated in a condition.
const LONGEST_TEXT: usize = 48;

impl Interpreter<'_> {
    /// States what a call needs that data decides: an element of a selection, an item of a list.
    pub(crate) fn state_nonempty(&mut self, spec: &ApiSpec, api: Name, bound: &Bound, call: &CallArguments) {
        let is_judged =
            self.entry.kind != EntryKind::Symbolic && self.inference.is_none() && self.exceptions.caught == 0;
        if !is_judged || self.corpus.is_foreign(call.span.file) {
            return;
        }
        let transfer = match &spec.behaviour {
            Behaviour::Transfer(name) => &**name,
            _ => "",
        };
        match (spec.computation.as_deref(), transfer) {
            (Some("ReduceMax" | "ReduceMin" | "ArgMax" | "ArgMin"), _) | (_, "extremum" | "arg_reduction") => {
                self.state_elements(api, bound, call);
            }
            (_, "squeeze") => self.state_several(api, bound, call),
            _ => {}
        }
    }

    /// A list of tensors becomes one tensor, and no item of it is known to be there.
    pub fn state_items(&mut self, list: &Value, call: &CallArguments) {
        let Value::List(id) = self.read(list) else { return };
        let is_judged =
            self.entry.kind != EntryKind::Symbolic && self.inference.is_none() && self.exceptions.caught == 0;
        if !is_judged || self.corpus.is_foreign(call.span.file) {
            return;
        }
        let is_open = self.heap.list(id).is_some_and(|data| data.items.is_empty() && data.rest.is_some());
        let is_some = |this: &Self, length: Dim| this.is_surely(Constraint::LessEqual(Dim::ONE, length));
        let length = self.length_of_open(&Value::List(id)).filter(|length| is_some(self, *length));
        if !is_open || length.is_some() || self.is_filled_by_batches(id) {
            return;
        }
        let span = self.argument_span(&Value::List(id), call);
        let text = span.map(|span| self.source_text(span)).and_then(short);
        let what = text.map_or_else(|| "the list of tensors".to_owned(), |text| format!("`{text}`"));
        self.provided(format!("{what} is not empty"));
    }

    /// A loop asks an iterator for an item in each iteration: one that was made before may have fewer.
    pub(crate) fn state_item_left(&mut self, iterator: &Value, count: Option<Dim>, call: &CallArguments) {
        let is_judged =
            self.entry.kind != EntryKind::Symbolic && self.inference.is_none() && self.exceptions.caught == 0;
        if !is_judged || self.loops.stack.is_empty() || self.corpus.is_foreign(call.span.file) {
            return;
        }
        let mut trips = self.loops.stack.iter().map(|span| self.trace.loops.get(span).and_then(|record| record.trips));
        let asked = trips.try_fold(1i64, |asked, trips| asked.checked_mul(trips?));
        let has_enough = asked
            .zip(count)
            .is_some_and(|(asked, count)| self.is_surely(Constraint::LessEqual(Dim::constant(asked), count)));
        let span = call.positional_spans.first().copied().flatten().or_else(|| self.argument_span(iterator, call));
        let text = span.map(|span| self.source_text(span)).and_then(short);
        // What is made in the call has its first item.
        if let Some(text) = text.filter(|text| !has_enough && !text.contains('(')) {
            let condition = format!("`{text}` has an item left at each `next`");
            self.provided(condition);
        }
    }

    /// The largest element is asked for of what was selected by a condition.
    fn state_elements(&mut self, api: Name, bound: &Bound, call: &CallArguments) {
        let Some((_, Value::Tensor(tensor))) = bound.first().map(|(name, value)| (name, self.read(value))) else {
            return;
        };
        let axis = bound.iter().find(|(name, _)| matches!(name.as_str(), "dim" | "axis")).map(|(_, it)| self.read(it));
        let dims = self.solver.resolve_shape(&tensor.shape).dims().unwrap_or_default();
        let asked: Vec<Dim> = match axis {
            None | Some(Value::None | Value::Unknown(_)) => dims,
            Some(axis) => {
                let rank = dims.len() as i64;
                let place = axis.as_int().map(|axis| if axis < 0 { axis + rank } else { axis });
                let place = place.and_then(|place| usize::try_from(place).ok());
                place.and_then(|place| dims.get(place).copied()).into_iter().collect()
            }
        };
        let may_be_empty = |dim: &Dim| self.is_selected(*dim) && !self.is_surely(Constraint::LessEqual(Dim::ONE, *dim));
        if asked.iter().any(may_be_empty) {
            let what = self.receiver_text(api, &tensor, call);
            self.provided(format!("{what} is not empty"));
        }
    }

    /// A squeeze without a dimension of what was selected: of one row nothing is left but a number.
    fn state_several(&mut self, api: Name, bound: &Bound, call: &CallArguments) {
        let Some((_, Value::Tensor(tensor))) = bound.first().map(|(name, value)| (name, self.read(value))) else {
            return;
        };
        let names_dimension = bound.iter().any(|(name, value)| {
            matches!(name.as_str(), "dim" | "axis") && !matches!(self.read(value), Value::None | Value::Unknown(_))
        });
        let dims = self.solver.resolve_shape(&tensor.shape).dims().unwrap_or_default();
        let may_be_one = |dim: &Dim| {
            self.is_selected(*dim) && self.solver.judge(&Constraint::Equal(Dim::ONE, *dim)) != Verdict::Violated
        };
        if !names_dimension && dims.iter().any(may_be_one) {
            let what = self.receiver_text(api, &tensor, call);
            self.provided(format!("{what} has not exactly one row"));
        }
    }

    /// Whether data decides how many elements there are: those that fulfil a condition.
    fn is_selected(&self, dim: Dim) -> bool {
        dim.vars().iter().any(|var| self.tables.by_chance.contains_key(var))
    }

    fn is_surely(&self, constraint: Constraint) -> bool {
        self.solver.judge(&constraint) == Verdict::Holds
    }

    /// How the program names the tensor that a method or function is called with.
    fn receiver_text(&self, api: Name, tensor: &std::rc::Rc<Tensor>, call: &CallArguments) -> String {
        let value = Value::Tensor(std::rc::Rc::clone(tensor));
        let passed = self.argument_span(&value, call).map(|span| self.source_text(span));
        let method = api.as_str().rsplit('.').next().unwrap_or_default();
        let whole = self.source_text(call.span);
        let receiver = whole.rfind(&format!(".{method}(")).map(|at| &whole[..at]);
        let is_module = |text: &&str| {
            let named = self.lookup(Name::new(text));
            matches!(named, Some(Value::Library(module)) if self.library.module(module.as_str()))
        };
        let text = receiver.filter(|text| !is_module(text)).or(passed).and_then(short);
        text.map_or_else(|| "the selection".to_owned(), |text| format!("`{text}`"))
    }
}

/// A text of one line, if it is short.
fn short(text: &str) -> Option<&str> {
    (!text.is_empty() && text.len() <= LONGEST_TEXT && !text.contains('\n')).then_some(text)
}
