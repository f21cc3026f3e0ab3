//! API calls whose arguments are one of several values: an API is evaluated for each combination of them that is told
//! apart.

use std::rc::Rc;

use crate::api::call_api::{Bound, Callee, TENSOR_LISTS};
use crate::api::stages::ApiCall;
use crate::budget::costly_calls::EntryKind;
use crate::calls::call::CallArguments;
use crate::heap::objects::InstanceData;
use crate::state::interpreter::{Eval, Interpreter};
use crate::values::value::{Guard, Value};
use harp_corpus::Span;
use harp_python::name::Name;

/// The items of longer lists are not told apart, nor are more combinations of what they may be.
const LONGEST_LIST: usize = 64;
const MOST_WAYS: usize = 16;
/// Where there are more, so many show what does not go together.
const FEW_WAYS: usize = 6;
/// Flags on which no shape depends.
const IDLE_FLAGS: [&str; 14] = [
    "affine",
    "bias",
    "elementwise_affine",
    "inplace",
    "is_causal",
    "non_blocking",
    "persistent",
    "pin_memory",
    "requires_grad",
    "sparse",
    "track_running_stats",
    "training",
    "align_corners",
    "antialias",
];

/// The items of a list that are one of several.
struct Deciding {
    /// How many combinations there are of those that are told apart.
    ways: usize,
    /// The places of the others.
    others: Vec<usize>,
}

impl<'p> Interpreter<'p> {
    /// Evaluates the API for each combination of alternatives of its arguments.
    pub(super) fn call_bound(
        &mut self,
        callee: Callee<'p>,
        bound: Bound,
        own: usize,
        object: Option<&InstanceData>,
        arguments: &CallArguments,
    ) -> Eval {
        let bound = match self.inference.is_some() {
            true => self.without_idle_flags(bound),
            false => self.with_few_alternatives(callee.api, bound, arguments.span),
        };
        let is_open = |(name, value): &(Name, Value)| {
            matches!(value, Value::Alternatives(_))
                || self.has_alternatives(value)
                || self.lists_alternatives(*name, value)
        };
        let open = bound.iter().position(is_open);
        let Some(index) = open else {
            return self.evaluate_api(ApiCall { callee, bound: &bound, own, object, call: arguments });
        };
        let value = bound[index].1.clone();
        let value = self.lift_sequence(&value);
        if !matches!(value, Value::Alternatives(_)) {
            let mut bound = bound;
            bound[index].1 = self.simplify(&value);
            return self.call_bound(callee, bound, own, object, arguments);
        }
        self.for_each_alternative(&value, |this, alternative| {
            let mut bound = bound.clone();
            bound[index].1 = alternative;
            for (_, other) in &mut bound {
                *other = this.read(other);
            }
            this.step()?;
            this.call_bound(callee, bound, own, object, arguments)
        })
    }

    /// Flags on which no shape depends have one value, so that they do not double the paths.
    fn without_idle_flags(&self, mut bound: Bound) -> Bound {
        for (_, value) in bound.iter_mut().filter(|(name, _)| IDLE_FLAGS.contains(&name.as_str())) {
            let Value::Alternatives(alternatives) = self.read(value) else { continue };
            let is_flag = |value: &Value| matches!(value, Value::Bool(_) | Value::None);
            if alternatives.iter().all(|(_, value)| is_flag(value)) {
                *value = alternatives.first().map_or(Value::None, |(_, value)| value.clone());
            }
        }
        bound
    }

    fn has_alternatives(&self, value: &Value) -> bool {
        match value {
            Value::Tuple(items) => items.iter().any(|item| matches!(self.read(item), Value::Alternatives(_))),
            _ => false,
        }
    }

    /// Whether a list of tensors, which the API only reads, has items that are one of several, but no more than can be told apart.
    fn lists_alternatives(&self, name: Name, value: &Value) -> bool {
        match self.deciding_items(name, value, self.most_ways()) {
            Some(deciding) => deciding.ways > 1 && deciding.others.is_empty(),
            None => false,
        }
    }

    /// Which items of a list of tensors are one of several, in the order of the list, as far as their combinations can be told apart.
    fn deciding_items(&self, name: Name, value: &Value, most_ways: usize) -> Option<Deciding> {
        let Value::List(id) = value else { return None };
        let data = self.heap.list(*id).filter(|data| data.rest.is_none())?;
        if !TENSOR_LISTS.contains(&name.as_str()) {
            return None;
        }
        let mut known: Vec<Vec<Guard>> = Vec::new();
        let mut deciding = Deciding { ways: 1, others: Vec::new() };
        for (place, item) in data.items.iter().enumerate() {
            let Value::Alternatives(ways) = self.read(item) else { continue };
            let guards: Vec<Guard> = ways.iter().map(|(guard, _)| Rc::clone(guard)).collect();
            // What is decided by the same is one of several once.
            if self.entry.kind != EntryKind::Symbolic && known.contains(&guards) {
                continue;
            }
            if place < LONGEST_LIST && deciding.ways * ways.len() <= most_ways {
                deciding.ways *= ways.len();
                known.push(guards);
            } else {
                deciding.others.push(place);
            }
        }
        Some(deciding)
    }

    /// How many combinations of the items of a list are told apart.
    fn most_ways(&self) -> usize {
        if self.entry.kind == EntryKind::Symbolic { MOST_WAYS / 2 } else { MOST_WAYS }
    }

    /// The arguments with few items of lists of tensors that are one of several: nothing is known of the others, and nothing proved.
    fn with_few_alternatives(&mut self, api: Name, mut bound: Bound, span: Span) -> Bound {
        for (name, value) in &mut bound {
            let are_all = |deciding: Deciding| deciding.others.is_empty();
            if self.deciding_items(*name, value, self.most_ways()).is_none_or(are_all) {
                continue;
            }
            // Which inputs go together is known to those who call a function.
            let few = if self.entry.kind == EntryKind::Symbolic { 1 } else { FEW_WAYS };
            let Some(deciding) = self.deciding_items(*name, value, few) else { continue };
            let Value::List(id) = value else { continue };
            let Some(data) = self.heap.list(*id) else { continue };
            let mut items = data.items.clone();
            for place in deciding.others {
                items[place] = Value::Unknown("one of several");
            }
            *value = Value::tuple(items);
            self.unproved(&format!("{api}: more combinations of tensors than are told apart"), span);
        }
        bound
    }

    /// Alternatives inside a tuple become alternatives of the tuple.
    fn lift_sequence(&mut self, value: &Value) -> Value {
        let items: Rc<[Value]> = match value {
            Value::Tuple(items) => Rc::clone(items),
            Value::List(id) => match self.heap.list(*id) {
                Some(data) if data.rest.is_none() => Rc::from(&data.items[..]),
                _ => return value.clone(),
            },
            _ => return value.clone(),
        };
        for (index, item) in items.iter().enumerate() {
            let Value::Alternatives(alternatives) = self.read(item) else { continue };
            let lifted = alternatives
                .iter()
                .map(|(guard, alternative)| {
                    let mut items = items.to_vec();
                    items[index] = alternative.clone();
                    (guard.clone(), Value::tuple(items))
                })
                .collect();
            return Value::Alternatives(Rc::new(lifted));
        }
        value.clone()
    }

    fn simplify(&mut self, value: &Value) -> Value {
        match value {
            Value::Tuple(items) => {
                let items = items.iter().map(|item| match self.read(item) {
                    Value::Alternatives(_) => Value::Unknown("alternatives"),
                    item => item,
                });
                Value::tuple(items.collect())
            }
            other => other.clone(),
        }
    }
}
