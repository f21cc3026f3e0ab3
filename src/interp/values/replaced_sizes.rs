//! The same abstract value with other sizes in it.

use std::rc::Rc;

use crate::heap::objects::{DictData, ListData, Payload};
use crate::state::interpreter::Interpreter;
use crate::values::value::{OperationId, Tensor, Value};
use harp_limits::light_tick;
use harp_python::name::Name;
use harp_shape::{Dim, Shape};

/// What lies deeper keeps its sizes.
const DEEPEST: usize = 16;

/// Which sizes stand in place of others.
pub trait OtherSizes {
    fn dim(&self, interpreter: &Interpreter<'_>, dim: Dim) -> Dim;
    fn shape(&self, interpreter: &Interpreter<'_>, shape: &Shape) -> Shape;

    fn tensor(&self, interpreter: &Interpreter<'_>, tensor: &Tensor) -> Tensor {
        let shape = self.shape(interpreter, &tensor.shape);
        with_shape(tensor, shape)
    }
}

/// A tensor of another shape: no operation of the program has made it, and nothing is known of its elements.
pub fn with_shape(tensor: &Tensor, shape: Shape) -> Tensor {
    if shape == tensor.shape {
        return Tensor::clone(tensor);
    }
    Tensor { shape, operation: OperationId::NONE, part: 0, elements: None, ..Tensor::clone(tensor) }
}

impl Interpreter<'_> {
    /// A number, a tensor, a condition, or a container of such, with other sizes. Containers are new ones.
    pub fn with_sizes(&mut self, value: &Value, sizes: &dyn OtherSizes) -> Value {
        self.with_sizes_within(value, sizes, 0)
    }

    fn with_sizes_within(&mut self, value: &Value, sizes: &dyn OtherSizes, depth: usize) -> Value {
        light_tick();
        let value = self.read(value);
        if depth > DEEPEST {
            return value;
        }
        let within = |this: &mut Self, item: &Value| this.with_sizes_within(item, sizes, depth + 1);
        match &value {
            Value::Int(dim) => Value::Int(sizes.dim(self, *dim)),
            Value::Size(shape) => {
                let shape = sizes.shape(self, shape);
                match shape.dims() {
                    Some(dims) => Value::tuple(dims.into_iter().map(Value::Int).collect()),
                    None => Value::Size(shape),
                }
            }
            Value::Condition(condition) => {
                let this = &*self;
                let condition = condition.map(&mut |dim| sizes.dim(this, dim), &mut |shape| sizes.shape(this, shape));
                Value::Condition(Rc::new(condition))
            }
            Value::Tensor(tensor) => {
                let replaced = Value::Tensor(Rc::new(sizes.tensor(self, tensor)));
                let Some(mut row) = tensor.elements.as_ref().and_then(|_| self.numbers_in(&value)) else {
                    return replaced;
                };
                row.numbers.iter_mut().for_each(|number| *number = sizes.dim(self, *number));
                self.holding(&replaced, &row)
            }
            Value::Tuple(items) => Value::tuple(items.iter().map(|item| within(self, item)).collect()),
            Value::Slice(bounds) => {
                let bounds = [&bounds[0], &bounds[1], &bounds[2]].map(|bound| within(self, bound));
                Value::Slice(Rc::new(bounds))
            }
            Value::List(id) => {
                let Some(data) = self.heap.list(*id).cloned() else { return value };
                let items = data.items.iter().map(|item| within(self, item)).collect();
                let rest = data.rest.as_ref().map(|rest| within(self, rest));
                Value::List(self.heap.allocate(Payload::List(Rc::new(ListData { items, rest }))))
            }
            Value::Dict(id) => {
                let Some(data) = self.heap.dict(*id).cloned() else { return value };
                let entries = data.entries.iter().map(|(key, item)| (key.clone(), within(self, item))).collect();
                let rest = data.rest.as_ref().map(|(key, item)| (key.clone(), within(self, item)));
                let mut dict = DictData::new(entries, rest);
                dict.doubtful.clone_from(&data.doubtful);
                Value::Dict(self.heap.allocate(Payload::Dict(Rc::new(dict))))
            }
            Value::Instance(_) if let Some((id, fields)) = self.named_tuple(&value) => {
                let copy = self.heap.allocate(self.heap.payload(id).clone());
                let all: Vec<(Name, Value)> =
                    self.heap.object(id).attributes.iter().map(|(name, value)| (name, value.clone())).collect();
                for (name, item) in all {
                    let item = if fields.contains(&name) { within(self, &item) } else { item };
                    self.heap.set_attribute(copy, name, item);
                }
                Value::Instance(copy)
            }
            _ => value,
        }
    }
}
