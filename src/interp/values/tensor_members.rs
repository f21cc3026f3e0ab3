//! Tensors as abstract values: the members that Python code reads, which are shape, dtype, and methods.

use std::rc::Rc;

use crate::api::call_api::Callee;
use crate::calls::call::CallArguments;
use crate::heap::objects::DictData;
use crate::state::bounded_walk::Walk;
use crate::state::interpreter::{Eval, Interpreter};
use crate::values::value::{Device, LibraryMethod, OperationId, Tensor, Value};
use harp_annotations::Behaviour;
use harp_corpus::Span;
use harp_python::name::Name;
use harp_shape::{Constraint, DType, Dim};

/// Where the mode of an image keeps the number of its channels.
/// Says of an object that it is an attribute of what is only taken for a tensor; no name that a program can write.
pub(crate) const OF_A_GUESS: &str = "#of a guess";
const IMAGE_CHANNELS: &str = "#channels";
/// Sizes of tensors that are known from other tuples.
const MOST_RECENT_SIZES: usize = 256;

/// Whether nothing but an annotation or its use says that a value is a tensor.
pub fn is_said_to_be_a_tensor(tensor: &Tensor) -> bool {
    !tensor.assumptions.is_empty() && tensor.operation == OperationId::NONE
}

impl<'p> Interpreter<'p> {
    pub fn tensor_attribute(&mut self, tensor: &Rc<Tensor>, name: Name, span: Span) -> Eval {
        let value = Value::Tensor(Rc::clone(tensor));
        if let Some(member) = self.member_in_source(tensor, name, span) {
            return member;
        }
        Ok(match name.as_str() {
            "shape" => self.shape_value(tensor),
            "dtype" => Value::DType(tensor.dtype),
            "ndim" => Value::Int(self.solver.resolve_shape(&tensor.shape).rank_dim()),
            // NumPy's `size` is a number, torch's a method.
            "size" if tensor.kind.rules().array_functions => {
                Value::Int(self.solver.resolve_shape(&tensor.shape).prod())
            }
            "size" if tensor.kind.rules().is_picture => self.image_size(tensor),
            "width" if tensor.kind.rules().is_picture => self.image_edge(tensor, 0),
            "height" if tensor.kind.rules().is_picture => self.image_edge(tensor, 1),
            "mode" if tensor.kind.rules().is_picture => self.image_mode(tensor, span),
            "device" => {
                let class = Name::new(tensor.kind.class_name());
                let told = self.annotated_property(class, name).map(|spec| &spec.behaviour);
                let Some(Behaviour::Opaque(device)) = told else { return Ok(self.symbolic("device", span, true)) };
                let device = self.result_value(device, name, span);
                // What is taken for a tensor may have it as a method.
                if let (Value::Instance(id), false) = (&device, self.is_surely_a_tensor(tensor)) {
                    self.heap.set_attribute(*id, Name::new(OF_A_GUESS), Value::Bool(true));
                }
                device
            }
            "is_cuda" => match tensor.device {
                Device::Cpu => Value::Bool(false),
                Device::Accelerator => Value::Bool(true),
                Device::Chosen | Device::Unknown => Value::Unknown("device"),
            },
            // `data` shares the numbers, may get another shape alone, and has no gradient. `grad` is as large, and another tensor.
            "data" | "grad" if tensor.kind.rules().has_gradient => {
                let operation = self.operation_of_member(tensor, name, span)?;
                Value::Tensor(Rc::new(Tensor { operation, ..Tensor::clone(tensor) }))
            }
            "requires_grad" | "is_leaf" | "is_sparse" | "is_quantized" | "is_nested" => {
                Value::Unknown("flag of a tensor")
            }
            // Arrays of NumPy have no such method: the element is a text.
            "split" if tensor.kind.known_rules().is_some_and(|rules| rules.holds_objects) => {
                self.symbolic(name.as_str(), span, true)
            }
            "itemsize" | "nbytes" => self.any_integer(name.as_str()),
            "grad_fn" | "layout" | "name" | "names" => self.symbolic(name.as_str(), span, true),
            _ => {
                let class = tensor.kind.class_name();
                let class = Name::new(class);
                let api = self.qualified(class, name);
                if let Some(spec) = self.annotated_property(class, name) {
                    return self.call_api(Callee { spec, api }, Some(value), None, CallArguments::empty(span));
                }
                if self.annotated_method(class, name).is_none() && self.attribute_misfits(&value, name, span) {
                    return Ok(self.symbolic(self.source_text(span), span, true));
                }
                Value::LibraryMethod(Rc::new(LibraryMethod { receiver: value, api }))
            }
        })
    }

    /// The operation that reads a tensor which goes with another, out of its graph. In code of packages nothing is recorded.
    fn operation_of_member(&mut self, tensor: &Rc<Tensor>, name: Name, span: Span) -> Eval<OperationId> {
        let class = Name::new(tensor.kind.class_name());
        let Some(spec) = self.annotated_property(class, name) else { return Ok(tensor.operation) };
        let api = self.qualified(class, name);
        let value = Value::Tensor(Rc::clone(tensor));
        Ok(match self.call_api(Callee { spec, api }, Some(value), None, CallArguments::empty(span))? {
            Value::Tensor(read) if read.operation != OperationId::NONE => read.operation,
            _ => tensor.operation,
        })
    }

    /// A tensor's shape as a tuple, where its rank is known.
    pub fn shape_value(&mut self, tensor: &Tensor) -> Value {
        let shape = self.solver.resolve_shape(&tensor.shape);
        match shape.dims() {
            Some(dims) if tensor.kind.rules().sizes.is_some() => self.size_of_dims(dims),
            Some(dims) => Value::tuple(dims.into_iter().map(Value::Int).collect()),
            None => Value::Size(shape),
        }
    }

    /// A `torch.Size`: a tuple that classes of tensors know from data.
    pub fn size_of_dims(&mut self, dims: Vec<Dim>) -> Value {
        let size = Value::tuple(dims.into_iter().map(Value::Int).collect());
        self.note_size(&size);
        size
    }

    /// Notes that a tuple is a `torch.Size`, as the slice of one is.
    pub fn note_size(&mut self, size: &Value) {
        let Value::Tuple(size) = size else { return };
        if self.sizes.recent.len() >= MOST_RECENT_SIZES {
            self.sizes.recent.pop_front();
        }
        self.sizes.recent.push_back(Rc::clone(size));
    }

    /// Whether a tuple is a `torch.Size`; `None` where it may be one, made long ago.
    pub fn is_size(&self, tuple: &Rc<[Value]>) -> Option<bool> {
        if self.sizes.recent.iter().any(|size| Rc::ptr_eq(size, tuple)) {
            return Some(true);
        }
        let may_be = tuple.iter().all(|item| matches!(item, Value::Int(_)));
        (!may_be || self.sizes.recent.len() < MOST_RECENT_SIZES).then_some(false)
    }

    /// PIL's `size` is (width, height).
    fn image_size(&mut self, tensor: &Tensor) -> Value {
        let dims = self.solver.resolve_shape(&tensor.shape).dims();
        match dims.as_deref() {
            Some([_, height, width]) => Value::tuple(vec![Value::Int(*width), Value::Int(*height)]),
            _ => {
                let dims: Vec<Value> = ["width", "height"].map(|name| Value::Int(self.free_dim(name, 1))).to_vec();
                Value::tuple(dims)
            }
        }
    }

    fn image_edge(&mut self, tensor: &Tensor, position: usize) -> Value {
        match self.image_size(tensor) {
            Value::Tuple(size) => size.get(position).cloned().unwrap_or(Value::Unknown("size")),
            _ => Value::Unknown("size"),
        }
    }

    /// PIL's `mode`: text that is compared by the number of channels that it stands for.
    fn image_mode(&mut self, tensor: &Tensor, span: Span) -> Value {
        let mode = self.symbolic("mode", span, false);
        let dims = self.solver.resolve_shape(&tensor.shape).dims();
        if let (Value::Symbolic(id), Some([channels, _, _])) = (&mode, dims.as_deref()) {
            self.heap.set_attribute(*id, Name::new(IMAGE_CHANNELS), Value::Int(*channels));
        }
        mode
    }

    /// Whether an image's mode, compared with a text, has that text's number of channels.
    pub fn compare_mode(&mut self, left: &Value, right: &Value) -> Option<Value> {
        let ((Value::Symbolic(id), Value::Str(Some(text))) | (Value::Str(Some(text)), Value::Symbolic(id))) =
            (left, right)
        else {
            return None;
        };
        let channels = self.heap.attribute(*id, Name::new(IMAGE_CHANNELS))?.as_dim()?;
        let wanted = Dim::constant(harp_operations::channels_of(text)?);
        Some(self.constraint_value(Constraint::Equal(channels, wanted)))
    }

    /// The text that `reveal_type` shows.
    pub fn reveal(&mut self, value: &Value) -> String {
        self.reveal_part(value, &mut Walk::short())
    }

    fn reveal_part(&mut self, value: &Value, walk: &mut Walk) -> String {
        let revealed = walk.part(|walk| self.reveal_here(value, walk));
        revealed.unwrap_or_else(|| "…".to_owned())
    }

    fn reveal_here(&mut self, value: &Value, walk: &mut Walk) -> String {
        match self.read(value) {
            Value::Tensor(tensor) => {
                let shape = self.solver.resolve_shape(&tensor.shape);
                let device = match tensor.device {
                    Device::Cpu => "cpu",
                    Device::Accelerator => "accelerator",
                    Device::Chosen => "cpu or accelerator",
                    Device::Unknown => "unknown device",
                };
                // A shape of which nothing is known has a name alone, which tells a reader nothing.
                let is_any =
                    matches!(tensor.dtype, DType::Unknown) && shape.dims().is_none() && shape.minimum_rank() == 0;
                match tensor.dtype {
                    DType::Unknown if is_any && matches!(tensor.device, Device::Unknown) => {
                        "any shape, unknown dtype, unknown device".to_owned()
                    }
                    DType::Unknown => format!("{shape} unknown dtype on {device}"),
                    dtype => format!("{shape} {dtype} on {device}"),
                }
            }
            Value::Int(dim) => self.solver.resolve(dim).to_string(),
            Value::Tuple(items) => {
                let items: Vec<String> = items.iter().take(16).map(|item| self.reveal_part(item, walk)).collect();
                format!("({})", items.join(", "))
            }
            Value::List(id) => match self.heap.list(id).cloned() {
                Some(data) => {
                    let mut items: Vec<String> =
                        data.items.iter().take(16).map(|item| self.reveal_part(item, walk)).collect();
                    if let Some(rest) = &data.rest {
                        items.push(format!("{}, …", self.reveal_part(rest, walk)));
                    }
                    format!("list of ({})", items.join(", "))
                }
                None => "list".to_owned(),
            },
            Value::Size(shape) => self.solver.resolve_shape(&shape).to_string(),
            Value::Condition(constraint) => self.solver.resolve_constraint(&constraint).to_string(),
            Value::Alternatives(alternatives) => {
                let texts: Vec<String> = alternatives.iter().map(|(_, value)| self.reveal_part(value, walk)).collect();
                texts.join(" or ")
            }
            Value::Dict(id)
                if let Some(data) = self.heap.dict(id).cloned()
                    && is_plain_dict(&data) =>
            {
                let shown = |this: &mut Self, (key, value): &(Value, Value), walk: &mut Walk| {
                    format!("{}: {}", key.describe(), this.reveal_part(value, walk))
                };
                let entries: Vec<String> = data.entries.iter().take(16).map(|entry| shown(self, entry, walk)).collect();
                format!("dict of ({})", entries.join(", "))
            }
            tuple @ Value::Instance(_) if let Some((id, fields)) = self.named_tuple(&tuple) => {
                let class = self.name_of_class(&self.class_of(&tuple));
                let shown = |this: &mut Self, field: &Name, walk: &mut Walk| {
                    let value = this.heap.attribute(id, *field).cloned().unwrap_or(Value::Unknown("field"));
                    format!("{field}={}", this.reveal_part(&value, walk))
                };
                let fields: Vec<String> = fields.iter().take(16).map(|field| shown(self, field, walk)).collect();
                let class = class.rsplit('.').next().unwrap_or_default();
                format!("{}({})", if class == "record" { "namedtuple" } else { class }, fields.join(", "))
            }
            Value::Instance(id) => match self.class_of(&Value::Instance(id)) {
                Value::Class(class) => {
                    self.heap.class(class).map_or_else(|| "object".to_owned(), |data| data.definition.name.to_string())
                }
                class => class.describe(),
            },
            value => value.describe(),
        }
    }
}

/// Whether all of a dict is known: a few texts with their values.
fn is_plain_dict(data: &DictData) -> bool {
    let are_texts = data.entries.iter().all(|(key, _)| key.as_text().is_some());
    are_texts && data.rest.is_none() && data.doubtful.is_empty() && (1..=16).contains(&data.entries.len())
}

/// The product of dimensions.
pub fn product(dims: &[Dim]) -> Dim {
    dims.iter().fold(Dim::constant(1), |product, dim| product * *dim)
}
