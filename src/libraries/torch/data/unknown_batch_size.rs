//! Mini-batches of PyTorch's loader of a size that is not known, where the program's own function makes them: the
//! function is run on two lists of different lengths, and what differs between the results grows with the number of
//! samples.

use std::rc::Rc;

use harp_interp::heap::objects::{ListData, Payload};
use harp_interp::state::bounded_walk::Walk;
use harp_interp::state::interpreter::Interpreter;
use harp_interp::values::value::{Tensor, Value};
use harp_shape::{Dim, Element, Shape};

/// How many samples the two lists have.
pub const FEW: [i64; 2] = [5, 7];

#[easy_ext::ext(UnknownBatchSizeMethods)]
pub impl Interpreter<'_> {
    /// What the function gives for `size` samples, after what it gives for [`FEW`]; `None` where it does not follow from them.
    fn for_any_size(&mut self, first: &Value, second: &Value, size: Dim, walk: &mut Walk) -> Option<Value> {
        walk.part(|walk| self.part_for_any_size(first, second, size, walk)).flatten()
    }

    fn part_for_any_size(&mut self, first: &Value, second: &Value, size: Dim, walk: &mut Walk) -> Option<Value> {
        match (self.read(first), self.read(second)) {
            (Value::Tensor(one), Value::Tensor(other)) => {
                let resolved = [&one, &other].map(|tensor| self.solver.resolve_shape(&tensor.shape));
                let is_unknown = |shape: &Shape| matches!(shape.elements(), [Element::Rest(_)]);
                if resolved.iter().all(is_unknown) {
                    return Some(Value::Tensor(other));
                }
                let [ones, others] = resolved.map(|shape| shape.dims());
                let (ones, others) = (ones?, others?);
                if one.dtype != other.dtype || ones.len() != others.len() {
                    return None;
                }
                let fitted: Option<Vec<Dim>> =
                    ones.into_iter().zip(others).map(|(one, other)| self.size_for_any(one, other, size)).collect();
                let (shape, elements) = (Shape::known(fitted?), None);
                Some(Value::Tensor(Rc::new(Tensor { shape, elements, ..Tensor::clone(&other) })))
            }
            (Value::Int(one), Value::Int(other)) => self.size_for_any(one, other, size).map(Value::Int),
            (Value::Tuple(ones), Value::Tuple(others)) if ones.len() == others.len() => {
                let pairs = ones.iter().zip(others.iter());
                let items: Option<Vec<Value>> =
                    pairs.map(|(one, other)| self.for_any_size(one, other, size, walk)).collect();
                items.map(Value::tuple)
            }
            (Value::List(one), Value::List(other)) => {
                let (ones, others) = (self.heap.list(one).cloned()?, self.heap.list(other).cloned()?);
                let is_open = ones.rest.is_some() || others.rest.is_some();
                let data = if !is_open && ones.items.len() == others.items.len() {
                    let pairs = ones.items.iter().zip(&others.items);
                    let items: Option<Vec<Value>> =
                        pairs.map(|(one, other)| self.for_any_size(one, other, size, walk)).collect();
                    ListData { items: items?, rest: None }
                } else {
                    let all: Vec<Value> = others.items.iter().chain(&others.rest).cloned().collect();
                    ListData { items: Vec::new(), rest: Some(self.widen(&all)) }
                };
                Some(Value::List(self.heap.allocate(Payload::List(Rc::new(data)))))
            }
            (Value::Dict(one), Value::Dict(other)) => {
                let (ones, others) = (self.heap.dict(one).cloned()?, self.heap.dict(other).cloned()?);
                let is_open = ones.rest.is_some() || others.rest.is_some();
                if is_open || ones.entries.len() != others.entries.len() {
                    return None;
                }
                let mut entries = Vec::with_capacity(ones.entries.len());
                for ((key, one), (known, other)) in ones.entries.iter().zip(&others.entries) {
                    if !key.same(known) {
                        return None;
                    }
                    entries.push((key.clone(), self.for_any_size(one, other, size, walk)?));
                }
                Some(Value::Dict(self.heap.allocate_dict(entries)))
            }
            (Value::Str(_), other @ Value::Str(_)) => Some(other),
            (Value::Symbolic(_) | Value::Unknown(_), other @ (Value::Symbolic(_) | Value::Unknown(_))) => Some(other),
            (Value::Bool(_) | Value::Condition(_), Value::Bool(_) | Value::Condition(_)) => {
                Some(Value::Unknown("a truth value"))
            }
            (one @ (Value::None | Value::Float(_)), other) if one.same(&other) => Some(other),
            _ => None,
        }
    }

    /// A size that grows with the number of samples, or does not; of what has a name of its own, the name says whether it is the same.
    fn size_for_any(&mut self, one: Dim, other: Dim, size: Dim) -> Option<Dim> {
        let (one, other) = (self.solver.resolve(one), self.solver.resolve(other));
        match (one.as_const(), other.as_const()) {
            (Some(low), Some(high)) => {
                let (growth, samples) = (high.checked_sub(low)?, FEW[1] - FEW[0]);
                let each = growth / samples;
                let fixed = low.checked_sub(each.checked_mul(FEW[0])?)?;
                (growth % samples == 0).then(|| size * Dim::constant(each) + Dim::constant(fixed))
            }
            (None, None) if one.to_string() == other.to_string() => Some(other),
            _ => None,
        }
    }
}
