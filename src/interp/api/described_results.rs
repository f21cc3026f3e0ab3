//! Results and attributes of APIs as the annotations describe them.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::api::dispatch::argument_of;
use crate::calls::call::CallArguments;
use crate::heap::objects::{InstanceData, ListData, Payload};
use crate::state::interpreter::Interpreter;
use crate::values::value::{Iteration, Tensor, TensorKind, Value};
use harp_annotations::{AttributeValue, ResultType, ShapePart, TensorAttribute, TensorRole};
use harp_corpus::Span;
use harp_operations::apply_signature::actual;
use harp_python::name::Name;
use harp_shape::notation::{Actual, Scope, parse_dim};
use harp_shape::{DType, Dim, Shape};

impl<'p> Interpreter<'p> {
    /// An attribute that the annotation of a class describes over its constructor's arguments.
    pub(crate) fn described_attribute(
        &mut self,
        receiver: &Value,
        base: Name,
        name: Name,
        span: Span,
    ) -> Option<Value> {
        let spec = self.library_class(base)?;
        let attribute = spec.attribute(name.as_str())?;
        let data = self.instance_data(receiver)?;
        let value = self.attribute_value(attribute, &data, name, span);
        Some(match (value, attribute, receiver) {
            (Value::Tensor(tensor), AttributeValue::Tensor(said), Value::Instance(id))
                if said.dtype.is_none() && tensor.kind.is_parameter() =>
            {
                let dtype = self.models.dtype_of_parameters(self, *id, &data);
                Value::Tensor(Rc::new(Tensor { dtype, ..Tensor::clone(&tensor) }))
            }
            (value, ..) => value,
        })
    }

    /// An attribute's value, from the annotation and the constructor's arguments.
    pub fn attribute_value(
        &mut self,
        attribute: &AttributeValue,
        data: &InstanceData,
        name: Name,
        span: Span,
    ) -> Value {
        match attribute {
            AttributeValue::Parameter(parameter) => argument_of(data, parameter),
            AttributeValue::Given { parameter, otherwise } => match argument_of(data, parameter) {
                Value::None if matches!(otherwise, ResultType::Unknown) => self.symbolic(name.as_str(), span, true),
                Value::None => self.result_value(otherwise, name, span),
                given => given,
            },
            AttributeValue::Repeated { parameter, count } => {
                let value = argument_of(data, parameter);
                match &value {
                    Value::Int(_) => Value::tuple(vec![value.clone(); usize::from(*count)]),
                    _ => value,
                }
            }
            AttributeValue::Literal(literal) => self.literal_value(literal),
            AttributeValue::Tensor(tensor) => self.attribute_tensor(tensor, data, name),
            AttributeValue::Instance { class, arguments } => {
                let mut call = CallArguments::empty(data.origin);
                for (keyword, value) in arguments {
                    let value = self.attribute_value(value, data, name, span);
                    match keyword {
                        Some(keyword) => {
                            call.keywords.push((Name::new(keyword), value));
                            call.keyword_spans.push(None);
                        }
                        None => {
                            call.positional.push(value);
                            call.positional_spans.push(None);
                        }
                    }
                }
                self.call_library(Name::new(class), call).unwrap_or(Value::Unknown("attribute"))
            }
            AttributeValue::Opaque(result) => self.result_value(result, name, span),
        }
    }

    fn attribute_tensor(&mut self, tensor: &TensorAttribute, data: &InstanceData, name: Name) -> Value {
        if let Some(condition) = &tensor.condition
            && matches!(argument_of(data, condition), Value::Bool(false) | Value::None)
        {
            return Value::None;
        }
        let mut dims: Option<Vec<Dim>> = Some(Vec::new());
        for part in &tensor.shape {
            let more = self.attribute_dims(part, data);
            dims = match (dims, more) {
                (Some(mut dims), Some(more)) => {
                    dims.extend(more);
                    Some(dims)
                }
                _ => None,
            };
        }
        let shape = dims.map_or_else(|| Shape::unknown(name.as_str()), Shape::known);
        let dtype = tensor.dtype.as_deref().and_then(DType::parse).unwrap_or(self.model_state.default_float);
        let kind = match &data.class {
            Value::Library(class) => self.kind_of_api(*class),
            _ => TensorKind::of(self.families().usual()),
        };
        let kind = if tensor.role == TensorRole::Parameter { kind.trained() } else { kind };
        let described = Tensor::without_operation(shape, dtype, kind, data.origin);
        Value::Tensor(Rc::new(Tensor { name: Some(name), ..described }))
    }

    pub fn attribute_dims(&mut self, part: &ShapePart, data: &InstanceData) -> Option<Vec<Dim>> {
        match part {
            ShapePart::Dimension(text) => {
                let expression = parse_dim(text).ok()?;
                let mut arguments = BTreeMap::new();
                expression.for_each_name(&mut |name, _| _ = arguments.insert(name.to_owned(), argument_of(data, name)));
                let arguments: BTreeMap<String, Actual> = arguments
                    .into_iter()
                    .map(|(name, value)| (name, actual(&self.argument(&value, None, 0))))
                    .collect();
                let value = |name: &str| arguments.get(name).cloned().unwrap_or(Actual::Unknown);
                let dim = Scope::new(&value).dim(&expression, &mut self.solver)?;
                Some(vec![self.solver.resolve(dim)])
            }
            ShapePart::Repeated { parameter, count } => match argument_of(data, parameter) {
                Value::Int(dim) => Some(vec![dim; usize::from(*count)]),
                value => self.dims_of(&value),
            },
            ShapePart::Spliced(parameter) => match argument_of(data, parameter) {
                Value::Int(dim) => Some(vec![dim]),
                value => self.dims_of(&value),
            },
        }
    }

    /// The integers of a tuple or list of integers.
    pub fn dims_of(&mut self, value: &Value) -> Option<Vec<Dim>> {
        match self.iterate(value).ok()? {
            Iteration::Items(items) => items.iter().map(Value::as_dim).collect(),
            _ => None,
        }
    }

    /// A value of which an annotation tells only the type.
    pub fn result_value(&mut self, result: &ResultType, api: Name, span: Span) -> Value {
        match result {
            ResultType::Unknown | ResultType::Argument(_) => self.symbolic(&format!("{api}(…)"), span, true),
            ResultType::None => Value::None,
            ResultType::Bool => Value::Unknown("a truth value from a library"),
            ResultType::Integer => self.any_integer(api.as_str().rsplit('.').next().unwrap_or("n")),
            ResultType::Float => Value::Float(None),
            ResultType::Text => Value::Str(None),
            ResultType::Tensor => {
                let kind = self.kind_of_api(api);
                Value::Tensor(Rc::new(Tensor::without_operation(Shape::unknown("s"), DType::Unknown, kind, span)))
            }
            ResultType::DType => Value::DType(DType::Unknown),
            ResultType::Dict => {
                let dict = self.heap.allocate_dict(Vec::new());
                self.heap.change_dict(dict, |data| data.rest = Some((Value::Str(None), Value::Unknown("entry"))));
                Value::Dict(dict)
            }
            ResultType::Instance(class) => {
                let class = Value::Library(Name::new(class));
                let data = InstanceData { class, arguments: Vec::new(), origin: span };
                Value::Instance(self.heap.allocate(Payload::Instance(Rc::new(data))))
            }
            ResultType::Tuple(items) => {
                let items = items.iter().map(|item| self.result_value(item, api, span)).collect();
                Value::tuple(items)
            }
            ResultType::List(item) => {
                let rest = self.result_value(item, api, span);
                let data = ListData { items: Vec::new(), rest: Some(rest) };
                Value::List(self.heap.allocate(Payload::List(Rc::new(data))))
            }
            ResultType::Iterator(item) => {
                let element = self.result_value(item, api, span);
                Value::Iterator(Rc::new(Iteration::Repeated { element, count: None, residual: None }))
            }
        }
    }
}
