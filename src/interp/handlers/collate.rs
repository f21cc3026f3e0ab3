//! How a loader makes a batch of samples: tensors are stacked, numbers become tensors, containers are collated part by part.

use std::rc::Rc;

use crate::corpus::Span;
use crate::interp::handlers::datasets::plain_tensor;
use crate::interp::heap::{DictData, ListData, Payload};
use crate::interp::machine::{Eval, Interpreter};
use crate::interp::value::{Tensor, TensorKind, Value};
use crate::shape::{DType, Dim, Element, Shape};

/// How deep samples are looked into.
const DEEPEST_SAMPLE: usize = 8;

impl Interpreter<'_> {
    /// A batch of `size` samples that are all like `sample`.
    pub fn collate(&mut self, sample: &Value, size: Dim, span: Span) -> Eval {
        self.collate_part(sample, size, span, 0)
    }

    fn collate_part(&mut self, sample: &Value, size: Dim, span: Span, depth: usize) -> Eval {
        if depth > DEEPEST_SAMPLE {
            return Ok(self.symbolic("part of a batch", span, true));
        }
        self.for_each_alternative(sample, |this, sample| this.collate_one(&sample, size, span, depth))
    }

    fn collate_one(&mut self, sample: &Value, size: Dim, span: Span, depth: usize) -> Eval {
        let vector = |dtype| plain_tensor(Shape::known(vec![size]), dtype, TensorKind::Torch, span);
        Ok(match sample {
            Value::Tensor(tensor) if tensor.kind == TensorKind::Image => {
                self.not_understood("a batch of PIL images, which no default collation makes", span);
                self.symbolic("batch of images", span, true)
            }
            Value::Tensor(tensor) => {
                let shape = self.solver.resolve_shape(&tensor.shape);
                let mut elements = vec![Element::Dim(size)];
                elements.extend(shape.elements().iter().cloned());
                let kind = TensorKind::Torch;
                let mut stacked = Tensor { shape: Shape::new(elements), kind, ..Tensor::clone(tensor) };
                stacked.name = None;
                Value::Tensor(Rc::new(stacked))
            }
            Value::Int(_) => vector(DType::Int64),
            Value::Float(_) => vector(DType::Float64),
            Value::Bool(_) | Value::Condition(_) => vector(DType::Bool),
            Value::Str(_) | Value::Bytes => {
                let data = ListData { items: Vec::new(), rest: Some(sample.clone()) };
                Value::List(self.heap.allocate(Payload::List(Rc::new(data))))
            }
            Value::Tuple(items) => self.collate_items(items, size, span, depth)?,
            Value::List(id) => match self.heap.list(*id).cloned() {
                Some(data) if data.rest.is_none() => self.collate_items(&data.items, size, span, depth)?,
                Some(data) => {
                    let mut all = data.items.clone();
                    all.extend(data.rest.clone());
                    let part = self.widen(&all);
                    let part = self.collate_part(&part, size, span, depth + 1)?;
                    let data = ListData { items: Vec::new(), rest: Some(part) };
                    Value::List(self.heap.allocate(Payload::List(Rc::new(data))))
                }
                None => self.symbolic("part of a batch", span, true),
            },
            Value::Dict(id) => match self.heap.dict(*id).cloned() {
                Some(data) => {
                    let mut entries = Vec::with_capacity(data.entries.len());
                    for (key, value) in &data.entries {
                        entries.push((key.clone(), self.collate_part(value, size, span, depth + 1)?));
                    }
                    let rest = match &data.rest {
                        Some((key, value)) => Some((key.clone(), self.collate_part(value, size, span, depth + 1)?)),
                        None => None,
                    };
                    Value::Dict(self.heap.allocate(Payload::Dict(Rc::new(DictData::new(entries, rest)))))
                }
                None => self.symbolic("part of a batch", span, true),
            },
            Value::Symbolic(id) => {
                let description = self.heap.symbolic(*id).map(|data| format!("batch of {}", data.description));
                self.symbolic(description.as_deref().unwrap_or("batch"), span, true)
            }
            _ => self.symbolic("part of a batch", span, true),
        })
    }

    fn collate_items(&mut self, items: &[Value], size: Dim, span: Span, depth: usize) -> Eval {
        let mut parts = Vec::with_capacity(items.len());
        for item in items {
            parts.push(self.collate_part(item, size, span, depth + 1)?);
        }
        Ok(Value::List(self.heap.allocate_list(parts)))
    }

    /// A sample as a loader without batches gives it: arrays become tensors.
    pub fn convert(&mut self, sample: &Value) -> Value {
        match self.read(sample) {
            Value::Tensor(tensor) if tensor.kind == TensorKind::NumPy => {
                Value::Tensor(Rc::new(Tensor { kind: TensorKind::Torch, ..Tensor::clone(&tensor) }))
            }
            Value::Tuple(items) => Value::tuple(items.iter().map(|item| self.convert(item)).collect()),
            other => other,
        }
    }
}
