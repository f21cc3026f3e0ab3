//! Filters alarms on what an operation got that says more of whoever calls the program than of the program: nothing to
//! work on, options that were left out, and values that are something else than their annotations say.

use std::rc::Rc;

use crate::api::call_api::Bound;
use crate::budget::costly_calls::EntryKind;
use crate::calls::call::CallArguments;
use crate::classes::dataclasses::{callee_of, last_name};
use crate::state::interpreter::Interpreter;
use crate::values::tensor_members::is_said_to_be_a_tensor;
use crate::values::value::Value;
use harp_python::name::Name;
use harp_shape::{Constraint, Dim, VarKind};

/// Parameters that are sizes: one of 0 says that there is nothing to work on.
const SIZES: [&str; 9] = [
    "groups",
    "in_channels",
    "in_features",
    "input_size",
    "normalized_shape",
    "num_features",
    "out_channels",
    "shape",
    "size",
];

impl Interpreter<'_> {
    /// Whether a requirement of training is one of a method that nobody calls: its object may be one that is evaluated.
    pub(crate) fn may_be_evaluating(&self, names: &[Rc<str>]) -> bool {
        // Nobody trains without gradients.
        let is_without_gradients = || {
            self.frames.iter().filter_map(|frame| frame.function.as_deref()).any(|function| {
                let decorators = function.decorators.iter().map(|it| last_name(callee_of(it)));
                decorators.into_iter().any(|name| matches!(name, "no_grad" | "inference_mode"))
            })
        };
        names.iter().any(|name| &**name == "training")
            && (self.entry.kind == EntryKind::Symbolic || is_without_gradients())
    }

    /// Whether the state of a recurrent layer is one tensor because its annotation says so, or its use.
    pub(crate) fn is_said_to_be_one(&self, names: &[Rc<str>], bound: &Bound) -> bool {
        let is_said =
            |value: &Value| matches!(self.read(value), Value::Tensor(tensor) if is_said_to_be_a_tensor(&tensor));
        let mut states = bound.iter().filter(|(name, _)| name.as_str() == "hx");
        matches!(names, [name] if &**name == "hx") && states.any(|(_, value)| is_said(value))
    }

    /// Whether a function that nobody calls passes a truth value where PyTorch takes a tensor.
    pub(crate) fn has_truth_for_tensor(&self, api: Name, bound: &Bound) -> bool {
        let is_truth = |name: &Name, value: &Value| {
            matches!(name.as_str(), "input" | "self" | "other" | "tensor") && matches!(value, Value::Bool(_))
        };
        self.entry.kind == EntryKind::Symbolic
            && self.is_of_tensors(api)
            && bound.iter().any(|(name, value)| is_truth(name, &self.read(value)))
    }

    fn is_empty_tensor(&self, value: &Value) -> bool {
        let Value::Tensor(tensor) = self.read(value) else { return false };
        let dims = self.solver.resolve_shape(&tensor.shape).dims().unwrap_or_default();
        dims.iter().any(|dim| dim.as_const() == Some(0))
    }

    /// Whether one of the operands has no elements, or a size is 0.
    pub(crate) fn has_empty_operand(&self, names: &[Rc<str>], bound: &Bound) -> bool {
        let is_zero = |value: &Value| value.as_int() == Some(0);
        bound.iter().filter(|(name, _)| names.iter().any(|known| **known == *name.as_str())).any(|(name, value)| {
            match self.read(value) {
                Value::Tensor(_) => self.is_empty_tensor(value),
                Value::Int(_) => is_zero(value) && SIZES.contains(&name.as_str()),
                Value::Tuple(items) => {
                    items.is_empty()
                        || SIZES.contains(&name.as_str()) && items.iter().any(is_zero)
                        || items.iter().any(|item| self.is_empty_tensor(item))
                }
                value => self.is_empty_container(&value),
            }
        })
    }

    /// Whether a requirement says that a size is 0, or positive, of which nothing tells whether it is: what has no elements goes with what has none.
    pub(crate) fn asks_for_emptiness(&self, constraint: &Constraint) -> bool {
        let is_open = |dim: Dim| {
            let vars = dim.vars();
            !vars.is_empty()
                && vars.iter().all(|var| var.kind() == VarKind::Free && !self.tables.counters.contains_key(var))
        };
        match constraint {
            Constraint::Equal(a, b) => {
                let (a, b) = (self.solver.resolve(*a), self.solver.resolve(*b));
                (a.as_const() == Some(0) && is_open(b)) || (b.as_const() == Some(0) && is_open(a))
            }
            // A number that callers give is positive, where a size is asked for.
            Constraint::LessEqual(least, b) | Constraint::Less(least, b) => {
                let (least, b) = (self.solver.resolve(*least), self.solver.resolve(*b));
                matches!(least.as_const(), Some(0 | 1)) && b.as_var().is_some() && is_open(b)
            }
            Constraint::And(parts) => parts.iter().any(|part| self.asks_for_emptiness(part)),
            _ => false,
        }
    }

    /// Whether a function that nobody calls passes on options of its own, of which all are `None` here and one would have to be given.
    pub(crate) fn lacks_an_option(&self, names: &[Rc<str>], bound: &Bound, call: &CallArguments) -> bool {
        let is_left_out = |name: &Rc<str>| {
            let value = bound.iter().rev().find(|(known, _)| known.as_str() == &**name).map(|(_, value)| value);
            value.is_some_and(|value| matches!(self.read(value), Value::None))
        };
        if self.entry.kind != EntryKind::Symbolic || names.is_empty() || !names.iter().all(is_left_out) {
            return false;
        }
        let positional = call.positional.iter().zip(&call.positional_spans);
        let given = positional.chain(call.keywords.iter().map(|(_, value)| value).zip(&call.keyword_spans));
        given.into_iter().any(|(value, place)| {
            let is_literal = place.is_none_or(|place| self.source_text(place).trim() == "None");
            !is_literal && matches!(self.read(value), Value::None)
        })
    }

    /// Whether one of the operands is a list without items that was made before the running call: what fills it was perhaps not seen.
    pub(crate) fn is_filled_elsewhere(&self, names: &[Rc<str>], bound: &Bound) -> bool {
        let Some(locals) = self.frames.last().filter(|frame| frame.function.is_some()).map(|frame| frame.locals) else {
            return false;
        };
        bound.iter().filter(|(name, _)| names.iter().any(|known| **known == *name.as_str())).any(|(_, value)| {
            matches!(self.read(value), Value::List(id) if id < locals) && self.is_empty_container(&self.read(value))
        })
    }
}
