//! Representatives: one abstract value that stands for an unknown number of others. Each use of it is another one of
//! them, so what is not known of its shape must not be bound for all of them at once.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::heap::objects::Payload;
use crate::state::interpreter::Interpreter;
use crate::values::random_integers::is_drawn;
use crate::values::value::{ObjectId, OperationId, Tensor, Value};
use harp_limits::light_tick;
use harp_python::name::Name;
use harp_shape::{Dim, Element, Shape, Var, VarKind};

/// The attribute of a list that stands for several.
const SEVERAL: &str = "\u{1}several";
/// How deep tuples of representatives are looked into.
const DEEPEST: usize = 4;

impl Interpreter<'_> {
    /// Another one of the values that a representative stands for: the same as far as it is known, with unknowns of its own.
    pub fn another(&mut self, representative: &Value) -> Value {
        self.another_at(representative, &mut FxHashMap::default(), DEEPEST)
    }

    /// Another sample than one that was drawn after `before`: what was drawn at random, or differs by chance, differs in it.
    pub fn another_sample(&mut self, sample: &Value, before: Var) -> Value {
        let around = self.loops.drawing.before.replace(before);
        let mut renamed = FxHashMap::default();
        let other = self.another_part(sample, &mut renamed, DEEPEST);
        self.loops.drawing.before = around;
        if renamed.is_empty() { sample.clone() } else { other }
    }

    /// A part of another sample. Containers and records are the sample's own.
    fn another_part(&mut self, value: &Value, renamed: &mut FxHashMap<Var, Dim>, depth: usize) -> Value {
        light_tick();
        let Some(below) = depth.checked_sub(1) else { return value.clone() };
        match self.read(value) {
            Value::Tensor(tensor) => {
                let shape = self.solver.resolve_shape(&tensor.shape);
                let Some(dims) = shape.dims() else { return Value::Tensor(tensor) };
                let dims: Vec<Dim> = dims.into_iter().map(|dim| self.own_dim(dim, renamed)).collect();
                Value::Tensor(Rc::new(Tensor { shape: Shape::known(dims), ..Tensor::clone(&tensor) }))
            }
            Value::Int(dim) => Value::Int(self.own_dim(dim, renamed)),
            Value::Tuple(items) => {
                Value::tuple(items.iter().map(|item| self.another_part(item, renamed, below)).collect())
            }
            Value::List(id) => match self.heap.list(id).cloned() {
                Some(data) if data.rest.is_none() => {
                    let items = data.items.iter().map(|item| self.another_part(item, renamed, below)).collect();
                    Value::List(self.heap.allocate_list(items))
                }
                _ => Value::List(id),
            },
            Value::Dict(id) => match self.heap.dict(id).cloned() {
                Some(data) if data.rest.is_none() && self.dict_class(id).is_none() => {
                    let entries = data.entries.iter();
                    let entries =
                        entries.map(|(key, item)| (key.clone(), self.another_part(item, renamed, below))).collect();
                    Value::Dict(self.heap.allocate_dict(entries))
                }
                _ => Value::Dict(id),
            },
            Value::Instance(id) if self.is_record(&Value::Instance(id)) => {
                let Some(data) = self.heap.instance(id).cloned() else { return Value::Instance(id) };
                let fields: Vec<(Name, Value)> =
                    self.heap.object(id).attributes.iter().map(|(name, field)| (name, field.clone())).collect();
                let record = self.heap.allocate(Payload::Instance(data));
                for (name, field) in fields {
                    let field = self.another_part(&field, renamed, below);
                    self.heap.set_attribute(record, name, field);
                }
                Value::Instance(record)
            }
            other => other,
        }
    }

    /// A size of another sample: other than that of this one where that is the sample's own.
    fn own_dim(&mut self, dim: Dim, renamed: &mut FxHashMap<Var, Dim>) -> Dim {
        let is_by_index = self.is_by_index(dim);
        self.solver.resolve(dim).substitute(&mut |variable| {
            if let Some(known) = renamed.get(&variable) {
                return Some(*known);
            }
            let is_by_chance = self.tables.by_chance.contains_key(&variable);
            if !is_by_chance && !is_by_index && !self.is_drawn_by_sample(variable) {
                return None;
            }
            let other = Var::fresh(variable.info());
            if is_by_chance {
                self.tables.by_chance.insert(other, ());
            }
            renamed.insert(variable, Dim::var(other));
            Some(Dim::var(other))
        })
    }

    /// Whether the sample that is looked at drew a number, or got one of several that were drawn before.
    pub fn is_drawn_by_sample(&self, variable: Var) -> bool {
        is_drawn(variable)
            && (self.sizes.draws.is_one_of_several(variable)
                || self.loops.drawing.before.is_some_and(|before| variable > before))
    }

    fn is_record(&self, value: &Value) -> bool {
        let Value::Class(class) = self.class_of(value) else { return false };
        self.is_record_class(class)
    }

    fn another_at(&mut self, value: &Value, renamed: &mut FxHashMap<Var, Dim>, depth: usize) -> Value {
        light_tick();
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
    pub(crate) fn is_one_of_several(&self, list: ObjectId) -> bool {
        self.heap.attribute(list, Name::new(SEVERAL)).is_some()
    }

    /// An item of a list: where the list stands for several, a list among its items does, too.
    pub(crate) fn note_item_of_several(&mut self, list: ObjectId, item: &Value) {
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
