//! Representatives: one value that stands for an unknown number of others. Each use of it is another one of them, so what is not known of
//! its shape must not be bound for all of them at once.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::interp::heap::Payload;
use crate::interp::machine::Interpreter;
use crate::interp::value::{OperationId, Tensor, Value};
use crate::shape::{Dim, Element, Shape, Var, VarKind};

/// How deep tuples of representatives are looked into.
const DEEPEST: usize = 4;

impl Interpreter<'_> {
    /// Another one of the values that a representative stands for: the same as far as it is known, with unknowns of its own.
    pub fn another(&mut self, representative: &Value) -> Value {
        self.another_at(representative, &mut FxHashMap::default(), DEEPEST)
    }

    fn another_at(&mut self, value: &Value, renamed: &mut FxHashMap<Var, Dim>, depth: usize) -> Value {
        match self.read(value) {
            // `list of s` in a signature says that all items have one shape.
            Value::Tensor(tensor) if self.is_item_of_input(&tensor) => Value::Tensor(tensor),
            Value::Tensor(tensor) => {
                let shape = self.another_shape(&tensor.shape, renamed);
                Value::Tensor(Rc::new(Tensor { shape, ..Tensor::clone(&tensor) }))
            }
            Value::Int(dim) => Value::Int(self.another_dim(dim, renamed)),
            Value::Tuple(items) if depth > 0 => {
                Value::tuple(items.iter().map(|item| self.another_at(item, renamed, depth - 1)).collect())
            }
            Value::Alternatives(alternatives) => Value::Alternatives(Rc::new(
                alternatives
                    .iter()
                    .map(|(guard, value)| (guard.clone(), self.another_at(value, renamed, depth)))
                    .collect(),
            )),
            Value::Symbolic(id) => match self.heap.payload(id).clone() {
                Payload::Symbolic(data) => Value::Symbolic(self.heap.allocate(Payload::Symbolic(data))),
                _ => Value::Symbolic(id),
            },
            other => other,
        }
    }

    /// Whether a tensor stands for the items of a parameter of the function whose signature is inferred.
    fn is_item_of_input(&self, tensor: &Tensor) -> bool {
        tensor.operation == OperationId::NONE && self.is_place_in_inferred_function(tensor.origin)
    }

    fn another_shape(&mut self, shape: &Shape, renamed: &mut FxHashMap<Var, Dim>) -> Shape {
        let shape = self.solver.resolve_shape(shape);
        let elements = shape.elements().iter().map(|element| match element {
            Element::Dim(dim) => Element::Dim(self.another_dim(*dim, renamed)),
            Element::Rest(_) => match Shape::unknown("s").elements().first() {
                Some(fresh) => *fresh,
                None => *element,
            },
            Element::Ragged => Element::Ragged,
        });
        let elements = elements.collect();
        Shape::new(elements)
    }

    fn another_dim(&mut self, dim: Dim, renamed: &mut FxHashMap<Var, Dim>) -> Dim {
        self.solver.resolve(dim).substitute(&mut |variable| {
            if variable.kind() != VarKind::Free {
                return None;
            }
            Some(*renamed.entry(variable).or_insert_with(|| Dim::var(Var::fresh(variable.info()))))
        })
    }
}
