//! torchvision's transforms of the second generation, which take samples of any structure: pictures, masks and boxes
//! each change in their own way, and what is none of them passes through (its reference, "Getting started with
//! transforms v2").

use crate::known_families::is_numpy_array;
use std::rc::Rc;

use harp_corpus::Span;
use harp_interp::calls::call::CallArguments;
use harp_interp::heap::objects::{DictData, Payload};
use harp_interp::state::interpreter::{Eval, Interpreter};
use harp_interp::values::value::{ObjectId, OperationId, Tensor, Value};
use harp_limits::light_tick;
use harp_python::name::Name;
use harp_shape::{DType, Dim, Shape};

/// Transforms that move pixels: masks go with the pictures.
const GEOMETRIC: [&str; 14] = [
    "CenterCrop",
    "ElasticTransform",
    "FiveCrop",
    "Pad",
    "RandomAffine",
    "RandomCrop",
    "RandomErasing",
    "RandomHorizontalFlip",
    "RandomPerspective",
    "RandomResizedCrop",
    "RandomRotation",
    "RandomVerticalFlip",
    "Resize",
    "TenCrop",
];
/// Structures are followed this deep.
const DEEPEST: usize = 4;
/// Samples with more parts are not followed.
const MOST_PARTS: usize = 64;

/// What a part of a sample is to a transform.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Role {
    Picture,
    Mask,
    /// Boxes and points change in their numbers alone.
    Places,
    /// A tensor of no class of its own, which is taken for the picture where nothing else is one.
    Plain,
    /// What a transform made of a part of which it is not known what it was.
    Open,
    Other,
}

impl Role {
    /// The class in a dictionary by class.
    fn class(self) -> Option<&'static str> {
        match self {
            Role::Picture => Some("torchvision.tv_tensors.Image"),
            Role::Mask => Some("torchvision.tv_tensors.Mask"),
            Role::Places => Some("torchvision.tv_tensors.BoundingBoxes"),
            _ => None,
        }
    }
}

/// Whether a transform hands the whole sample to others.
fn holds_transforms(class: &str) -> bool {
    ["Compose", "RandomApply", "RandomChoice", "RandomOrder"].contains(&class.rsplit('.').next().unwrap_or_default())
}

/// Whether what a transform is given is a sample of several parts.
pub fn is_sample(interpreter: &Interpreter<'_>, arguments: &CallArguments) -> bool {
    let is_structure = |value: &Value| matches!(interpreter.read(value), Value::Tuple(_) | Value::Dict(_));
    arguments.positional.len() > 1 || arguments.positional.first().is_some_and(is_structure)
}

#[easy_ext::ext(TransformsV2Methods)]
pub impl Interpreter<'_> {
    /// `transform(image, target)` for one transform or several, one after the other.
    fn transform_sample(&mut self, transforms: &[Value], arguments: CallArguments) -> Eval {
        let span = arguments.span;
        let is_spread = arguments.positional.len() > 1;
        let sample = if is_spread { Value::tuple(arguments.positional) } else { arguments.positional[0].clone() };
        let mut parts = Vec::new();
        self.parts_of_sample(&sample, 0, &mut parts);
        let mut roles: Vec<Role> = parts.iter().map(|part| self.role_of(part)).collect();
        if !roles.contains(&Role::Picture)
            && let Some(first) = roles.iter_mut().find(|role| **role == Role::Plain)
        {
            *first = Role::Picture;
        }
        let mut sample = sample;
        for transform in transforms {
            let class = self.class_of(transform);
            match (transform, &class) {
                (Value::Instance(id), Value::Library(class))
                    if class.as_str().starts_with("torchvision.") && !holds_transforms(class.as_str()) =>
                {
                    for (part, role) in parts.iter_mut().zip(&roles) {
                        *part = self.transform_part(*id, *class, part, *role, span)?;
                    }
                    sample = self.with_parts(&sample, 0, &mut parts.iter());
                }
                _ => {
                    // A transform of the program's own may make anything of the sample, and so may others that hold one.
                    let given = match &sample {
                        Value::Tuple(items) if is_spread => items.to_vec(),
                        sample => vec![sample.clone()],
                    };
                    sample = self.call(transform, CallArguments::positional(given, span))?;
                    let mut now = Vec::new();
                    self.parts_of_sample(&sample, 0, &mut now);
                    if now.len() != parts.len() {
                        roles = now.iter().map(|part| self.role_of(part)).collect();
                    }
                    parts = now;
                }
            }
        }
        Ok(sample)
    }

    fn parts_of_sample(&self, sample: &Value, depth: usize, parts: &mut Vec<Value>) {
        light_tick();
        match self.read(sample) {
            Value::Tuple(items) if depth < DEEPEST => {
                for item in items.iter() {
                    self.parts_of_sample(item, depth + 1, parts);
                }
            }
            Value::Dict(id) if depth < DEEPEST => {
                for (_, value) in self.heap.dict(id).map(|dict| dict.entries.clone()).unwrap_or_default() {
                    self.parts_of_sample(&value, depth + 1, parts);
                }
            }
            _ if parts.len() < MOST_PARTS => parts.push(sample.clone()),
            _ => {}
        }
    }

    /// The same structure with other parts.
    fn with_parts(&mut self, sample: &Value, depth: usize, parts: &mut std::slice::Iter<'_, Value>) -> Value {
        light_tick();
        match self.read(sample) {
            Value::Tuple(items) if depth < DEEPEST => {
                Value::tuple(items.iter().map(|item| self.with_parts(item, depth + 1, parts)).collect())
            }
            Value::Dict(id) if depth < DEEPEST => {
                let Some(dict) = self.heap.dict(id).cloned() else { return sample.clone() };
                let mut entries = Vec::with_capacity(dict.entries.len());
                for (key, value) in &dict.entries {
                    entries.push((key.clone(), self.with_parts(value, depth + 1, parts)));
                }
                let data = DictData::new(entries, dict.rest.clone());
                Value::Dict(self.heap.allocate(Payload::Dict(Rc::new(data))))
            }
            _ => parts.next().cloned().unwrap_or(Value::Unknown("a part of a sample")),
        }
    }

    fn role_of(&self, part: &Value) -> Role {
        match self.read(part) {
            Value::Tensor(tensor) if tensor.kind.rules().is_picture => Role::Picture,
            Value::Tensor(tensor) if is_numpy_array(&tensor) => Role::Other,
            Value::Tensor(tensor) => {
                let maker = self.maker_of(tensor.operation);
                match maker.map(|api| api.as_str()) {
                    Some("torchvision.tv_tensors.Image" | "torchvision.tv_tensors.Video") => Role::Picture,
                    Some("torchvision.tv_tensors.Mask") => Role::Mask,
                    Some("torchvision.tv_tensors.BoundingBoxes" | "torchvision.tv_tensors.KeyPoints") => Role::Places,
                    Some(api) if api.starts_with("torchvision.transforms.") => Role::Open,
                    _ => Role::Plain,
                }
            }
            Value::Symbolic(_) | Value::Alternatives(_) | Value::Unknown(_) => Role::Open,
            _ => Role::Other,
        }
    }

    fn maker_of(&self, operation: OperationId) -> Option<Name> {
        self.trace.operation(operation).map(|record| record.api)
    }

    fn transform_part(&mut self, transform: ObjectId, class: Name, part: &Value, role: Role, span: Span) -> Eval {
        let short = class.as_str().rsplit('.').next().unwrap_or_default();
        let result = match role {
            Role::Picture => {
                let arguments = CallArguments::positional(vec![part.clone()], span);
                self.call_library_instance(transform, &[class], arguments)?
            }
            Role::Mask if GEOMETRIC.binary_search(&short).is_ok() => {
                self.transform_mask(transform, class, part, span)?
            }
            Role::Open => self.data_from_outside("a part of a sample", span),
            _ => part.clone(),
        };
        if short != "ToDtype" || role == Role::Open {
            return Ok(result);
        }
        Ok(match (self.dtype_for(transform, role), self.read(&result)) {
            (Some(dtype), Value::Tensor(tensor)) => Value::Tensor(Rc::new(Tensor { dtype, ..Tensor::clone(&tensor) })),
            // What the class stands for itself is left as it is.
            (None, _) if role != Role::Picture => part.clone(),
            (None, Value::Tensor(tensor)) => {
                Value::Tensor(Rc::new(Tensor { dtype: DType::Unknown, ..Tensor::clone(&tensor) }))
            }
            (_, other) => other,
        })
    }

    /// Masks may lack the axis of channels.
    fn transform_mask(&mut self, transform: ObjectId, class: Name, mask: &Value, span: Span) -> Eval {
        let Value::Tensor(tensor) = self.read(mask) else { return Ok(mask.clone()) };
        let dims = self.solver.resolve_shape(&tensor.shape).dims();
        let is_flat = dims.as_ref().is_some_and(|dims| dims.len() == 2);
        let given = match dims {
            Some(dims) if is_flat => {
                let shape = Shape::known(std::iter::once(Dim::constant(1)).chain(dims).collect::<Vec<Dim>>());
                Value::Tensor(Rc::new(Tensor { shape, ..Tensor::clone(&tensor) }))
            }
            _ => mask.clone(),
        };
        let moved = self.call_library_instance(transform, &[class], CallArguments::positional(vec![given], span))?;
        let Value::Tensor(moved) = self.read(&moved) else { return Ok(moved) };
        let dims = self.solver.resolve_shape(&moved.shape).dims();
        let shape = match dims {
            Some(dims) if is_flat && dims.len() == 3 => Shape::known(dims[1..].to_vec()),
            _ if is_flat => Shape::unknown("mask"),
            _ => moved.shape.clone(),
        };
        Ok(Value::Tensor(Rc::new(Tensor { shape, dtype: tensor.dtype, ..Tensor::clone(&moved) })))
    }

    /// The element type that `ToDtype` gives to parts of that kind: one type is that of pictures.
    fn dtype_for(&mut self, transform: ObjectId, role: Role) -> Option<DType> {
        let data = self.heap.instance(transform).cloned()?;
        let wanted = harp_interp::api::dispatch::argument_of(&data, "dtype");
        match self.read(&wanted) {
            Value::DType(dtype) => (role == Role::Picture).then_some(dtype),
            Value::Dict(id) => {
                let items = self.heap.dict(id)?.entries.clone();
                let of_class = |(key, _): &&(Value, Value)| match (key, role.class()) {
                    (Value::Library(name), Some(class)) => name.as_str() == class,
                    _ => false,
                };
                let others = |(key, _): &&(Value, Value)| key.as_text() == Some("others");
                let (_, dtype) = items.iter().find(of_class).or_else(|| items.iter().find(others))?;
                if let Value::DType(dtype) = dtype { Some(*dtype) } else { None }
            }
            _ => None,
        }
    }
}
