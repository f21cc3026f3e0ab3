//! Representatives: one value that stands for an unknown number of others. Each use of it is another one of them, so what is not known of
//! its shape must not be bound for all of them at once.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::interp::heap::Payload;
use crate::interp::machine::Interpreter;
use crate::interp::value::{ObjectId, OperationId, Tensor, Value};
use crate::python::name::Name;
use crate::shape::{Dim, Element, Shape, Var, VarKind};

/// The attribute of a list that stands for several.
const SEVERAL: &str = "\u{1}several";
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
            Value::Ratio(parts) => Value::Ratio(Rc::new(parts.map(|dim| self.another_dim(dim, renamed)))),
            Value::Tuple(items) if depth > 0 => {
                Value::tuple(items.iter().map(|item| self.another_at(item, renamed, depth - 1)).collect())
            }
            Value::List(id) => {
                self.stands_for_several(id);
                Value::List(id)
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

    /// Notes that a list stands for several: what is stored in one of them is not in the others.
    fn stands_for_several(&mut self, list: ObjectId) {
        self.heap.set_attribute(list, Name::new(SEVERAL), Value::Bool(true));
    }

    /// Whether a list stands for several.
    pub(super) fn is_one_of_several(&self, list: ObjectId) -> bool {
        self.heap.attribute(list, Name::new(SEVERAL)).is_some()
    }

    /// An item of a list: where the list stands for several, a list among its items does, too.
    pub(super) fn note_item_of_several(&mut self, list: ObjectId, item: &Value) {
        if let Value::List(item) = item
            && self.is_one_of_several(list)
        {
            self.stands_for_several(*item);
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
