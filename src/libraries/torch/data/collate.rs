//! How PyTorch's loader makes a batch of samples: tensors are stacked, numbers become tensors, containers are collated
//! part by part.

use crate::known_families::{KnownFamilies, is_numpy_array};
use harp_interp::values::per_sample_sizes::BATCH;
use harp_interp::values::per_sample_sizes::differ;
use std::rc::Rc;

use crate::torch::data::dataset::plain_tensor;
use harp_corpus::Span;
use harp_interp::budget::costly_calls::EntryKind;
use harp_interp::heap::objects::{DictData, ListData, Payload};
use harp_interp::state::interpreter::{Eval, Interpreter};
use harp_interp::values::value::{Guard, Tensor, Value};
use harp_limits::light_tick;
use harp_operations::size_names::PROPORTIONAL;
use harp_python::name::Name;
use harp_shape::{DType, Dim, Element, Shape};
use harp_trace::Subject;

/// How deep samples are looked into.
const DEEPEST_SAMPLE: usize = 8;

#[easy_ext::ext(CollateMethods)]
pub impl Interpreter<'_> {
    /// A batch of `size` samples that are all like `sample`.
    fn collate(&mut self, sample: &Value, size: Dim, span: Span) -> Eval {
        self.collate_part(sample, size, span, 0)
    }

    fn collate_part(&mut self, sample: &Value, size: Dim, span: Span, depth: usize) -> Eval {
        if depth > DEEPEST_SAMPLE {
            return Ok(self.symbolic("part of a batch", span, true));
        }
        self.check_alternatives(sample, size, span);
        self.for_each_alternative(sample, |this, sample| this.collate_one(&sample, size, span, depth))
    }

    fn collate_one(&mut self, sample: &Value, size: Dim, span: Span, depth: usize) -> Eval {
        let kind = self.torch_tensor();
        let vector = |dtype| plain_tensor(Shape::known(vec![size]), dtype, kind, span);
        Ok(match sample {
            Value::Tensor(tensor) if tensor.kind.rules().is_picture => {
                if !self.pictures_fail(tensor, span) {
                    self.not_understood("a batch of PIL images, which no default collation makes", span);
                }
                self.symbolic("batch of images", span, true)
            }
            Value::Tensor(tensor) => {
                let shape = self.solver.resolve_shape(&tensor.shape);
                self.check_proportions(&shape, size, span);
                self.check_draws(&shape, size, span);
                let mut elements = vec![Element::Dim(size)];
                elements.extend(shape.elements().iter().cloned());
                let mut stacked = Tensor { shape: Shape::new(elements), kind, ..Tensor::clone(tensor) };
                stacked.name = None;
                Value::Tensor(Rc::new(stacked))
            }
            Value::Int(_) => vector(DType::Int64),
            Value::Float(_) | Value::Ratio(_) => vector(DType::Float64),
            Value::Bool(_) | Value::Condition(_) => vector(DType::Bool),
            Value::Symbolic(id) if self.is_some_truth(*id) => vector(DType::Bool),
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
                    let batch = self.heap.allocate(Payload::Dict(Rc::new(DictData::new(entries, rest))));
                    self.heap.set_attribute(batch, Name::new(BATCH), Value::Bool(true));
                    Value::Dict(batch)
                }
                None => self.symbolic("part of a batch", span, true),
            },
            Value::Instance(_) => match self.collate_record(sample, size, span, depth)? {
                Some(record) => record,
                None => self.symbolic("part of a batch", span, true),
            },
            Value::Symbolic(id) => {
                let description = self.heap.symbolic(*id).map(|data| format!("batch of {}", data.description));
                self.symbolic(description.as_deref().unwrap_or("batch"), span, true)
            }
            _ => self.symbolic("part of a batch", span, true),
        })
    }

    /// A batch of named tuples is one of the same class, whose fields are batches.
    fn collate_record(&mut self, sample: &Value, size: Dim, span: Span, depth: usize) -> Eval<Option<Value>> {
        let Some(Value::Tuple(names)) = self.fields_of_named_tuple(sample) else { return Ok(None) };
        let Some(data) = self.instance_data(sample) else { return Ok(None) };
        let mut fields = Vec::with_capacity(names.len());
        for name in names.iter().filter_map(|name| name.as_text().map(Name::new)) {
            let value = self.get_attribute(sample, name, span)?;
            fields.push((name, self.collate_part(&value, size, span, depth + 1)?));
        }
        let record = self.heap.allocate(Payload::Instance(data));
        for (name, value) in fields {
            self.heap.set_attribute(record, name, value);
        }
        Ok(Some(Value::Instance(record)))
    }

    /// Reports pictures of which a batch is made. Returns whether it does.
    fn pictures_fail(&mut self, picture: &Tensor, span: Span) -> bool {
        let is_script = self.entry.kind != EntryKind::Symbolic && self.inference.is_none();
        if !is_script || !picture.assumptions.is_empty() || self.exceptions.caught > 0 || !self.fails_on_every_way(span)
        {
            return false;
        }
        let message = "no batch is made of pictures: `ToTensor` has to come before".to_owned();
        self.fails_always(Subject::Operands, "torch.utils.data.default_collate", message, None, span);
        true
    }

    /// A batch has samples with even and with odd indices: what is a vector for these and a number for those is not stacked.
    fn check_alternatives(&mut self, sample: &Value, size: Dim, span: Span) {
        let (Value::Alternatives(known), Some(index)) = (self.read(sample), self.loops.drawing.index) else { return };
        if !self.is_batch(size) {
            return;
        }
        let shapes: Vec<(Guard, Vec<Option<Vec<Dim>>>)> =
            known.iter().map(|(guard, value)| (guard.clone(), self.shapes_within(value, 0))).collect();
        let Some((first, parts)) = shapes.first() else { return };
        let clash = shapes.iter().find_map(|(_, others)| {
            let pairs = parts.iter().zip(others).filter_map(|(one, other)| one.as_ref().zip(other.as_ref()));
            pairs.into_iter().find(|(one, other)| differ(one, other))
        });
        let Some((one, other)) = clash else { return };
        let decided = first.iter().find_map(|literal| {
            let constraint = self.decisions.get(literal.decision.0 as usize)?.constraint.clone()?;
            let constraint = if literal.taken { constraint } else { constraint.negated() };
            constraint.variables().contains(&index).then(|| constraint.to_string())
        });
        let Some(condition) = decided else { return };
        let (one, other) = (Shape::known(one.clone()), Shape::known(other.clone()));
        let message = format!("the samples of a batch must have the same shape, but some are {one} and others {other}");
        let condition = format!("{condition} for some samples of a batch and not for others");
        self.may_fail("torch.utils.data.default_collate", message, condition, span);
    }

    /// Whether a batch holds several samples.
    fn is_batch(&self, size: Dim) -> bool {
        self.solver.at_default(size).or_else(|| size.as_const()).is_some_and(|size| size > 1)
    }

    /// Pictures that were made smaller or larger with their proportions kept are stacked: where these differ, so do the sizes.
    fn check_proportions(&mut self, shape: &Shape, size: Dim, span: Span) {
        let is_own =
            |dim: &Dim| dim.as_var().is_some_and(|var| [PROPORTIONAL.0, PROPORTIONAL.1].contains(&&*var.name()));
        if !self.is_batch(size) || !shape.dims().is_some_and(|dims| dims.iter().any(is_own)) {
            return;
        }
        let message = format!("the samples of a batch must have the same shape, but each of them is {shape} by itself");
        let condition = "the pictures of a batch differ in their proportions".to_owned();
        self.may_fail("torch.utils.data.default_collate", message, condition, span);
    }

    /// Samples whose sizes each of them draws are not stacked.
    fn check_draws(&mut self, shape: &Shape, size: Dim, span: Span) {
        let is_own =
            |dim: &Dim| self.is_by_index(*dim) || dim.vars().into_iter().any(|var| self.is_drawn_by_sample(var));
        if !self.is_batch(size) || !shape.dims().is_some_and(|dims| dims.iter().any(is_own)) {
            return;
        }
        let message = format!("the samples of a batch must have the same shape, but each of them is {shape} by itself");
        let is_indexed = shape.dims().is_some_and(|dims| dims.iter().any(|dim| self.is_by_index(*dim)));
        let what = if is_indexed {
            "the sizes differ with the index of the sample"
        } else {
            "the sizes that the samples of a batch draw differ"
        };
        let condition = what.to_owned();
        self.may_fail("torch.utils.data.default_collate", message, condition, span);
    }

    fn collate_items(&mut self, items: &[Value], size: Dim, span: Span, depth: usize) -> Eval {
        let mut parts = Vec::with_capacity(items.len());
        for item in items {
            parts.push(self.collate_part(item, size, span, depth + 1)?);
        }
        Ok(Value::List(self.heap.allocate_list(parts)))
    }

    /// A sample as a loader without batches gives it: arrays become tensors.
    fn convert(&mut self, sample: &Value) -> Value {
        light_tick();
        match self.read(sample) {
            Value::Tensor(tensor) if is_numpy_array(&tensor) => {
                Value::Tensor(Rc::new(Tensor { kind: self.torch_tensor(), ..Tensor::clone(&tensor) }))
            }
            Value::Tuple(items) => Value::tuple(items.iter().map(|item| self.convert(item)).collect()),
            other => other,
        }
    }
}
