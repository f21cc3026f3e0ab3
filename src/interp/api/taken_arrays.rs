//! Arguments of API calls that are told to take arrays: tensors made of lists, numbers, and objects that stand for an
//! array.

use std::rc::Rc;

use crate::api::call_api::{Bound, Callee, DEEPEST_ARGUMENT, TENSOR_PARAMETERS};
use crate::calls::call::CallArguments;
use crate::state::interpreter::{Eval, Interpreter};
use crate::values::value::{Tensor, TensorKind, Value};
use harp_annotations::{ApiSpec, Behaviour};
use harp_corpus::Span;
use harp_operations::operation::{Argument, Arguments, Operation, Output};
use harp_python::name::{Name, name};
use harp_shape::{DType, Family, Mixing};

/// The transfer function that makes a tensor of data.
const OF_DATA: &str = "tensor";

impl<'p> Interpreter<'p> {
    /// Puts tensors in the place of lists, numbers and objects that stand for arrays among the arguments of a call.
    pub(crate) fn make_tensors(
        &mut self,
        Callee { spec, api }: Callee<'p>,
        bound: &mut Bound,
        own: usize,
        span: Span,
    ) -> Eval<()> {
        let given = |value: &Value| match value {
            Value::Tensor(tensor) => Some(tensor.dtype),
            _ => None,
        };
        let dtype = bound.iter().skip(own).find_map(|(_, value)| given(&self.read(value)));
        let kind = self.result_kind(spec, api, bound, own);
        for (name, given) in bound.iter_mut().skip(own) {
            if !takes_tensor(spec, name.as_str()) {
                continue;
            }
            let value = self.read(given);
            // A number takes the type of the tensor that it meets.
            let is_number = matches!(value, Value::Int(_) | Value::Float(_) | Value::Ratio(_) | Value::Bool(_));
            let made = match &value {
                Value::List(_) | Value::Tuple(_) => self.tensor_of_data(&value, kind, dtype, span),
                _ if is_number && dtype.is_none() => self.tensor_of_data(&value, kind, None, span),
                Value::Instance(_) => self.array_in(&value, span)?,
                _ => None,
            };
            if let Some(made) = made {
                *given = made;
            }
        }
        Ok(())
    }

    /// The tensor of a list or a number; its type is that of the tensor that it meets where the family mixes none.
    fn tensor_of_data(&mut self, data: &Value, kind: TensorKind, met: Option<DType>, span: Span) -> Option<Value> {
        let mut arguments = Arguments::default();
        let argument = self.argument(data, None, 0);
        // Nothing is known of what a list of unknown contents becomes.
        if matches!(argument, Argument::Unknown) {
            return None;
        }
        arguments.push("data", argument);
        arguments.has_array_items = self.has_arrays(data, DEEPEST_ARGUMENT);
        let mut operation = Operation::new(OF_DATA, kind.rules(), &arguments, &mut self.solver);
        let output = harp_operations::lookup(OF_DATA)?(&mut operation);
        let Output::Tensor { shape, dtype } = output else { return None };
        let dtype = self.type_in_family(dtype, kind.family());
        let dtype = met.filter(|_| kind.rules().mixing == Mixing::Never).unwrap_or(dtype);
        Some(Value::Tensor(Rc::new(Tensor::without_operation(shape, dtype, kind, span))))
    }

    /// Gives arrays of other libraries the type of the tensors that they meet, where the family mixes no types: its functions convert them. What it is
    /// converted to from another category is not known.
    pub(crate) fn adopt_types(&mut self, api: Name, bound: &mut [(Name, Value)]) {
        let Some(family) = self.family_of_api(api).filter(|family| family.rules().mixing == Mixing::Never) else {
            return;
        };
        let mut met = None;
        let mut has_others = false;
        for (_, value) in bound.iter() {
            for item in self.items_or_self(value) {
                let Value::Tensor(tensor) = self.read(&item) else { continue };
                match tensor.kind.only_family() == Some(family) {
                    true => met = met.or(Some(tensor.dtype)),
                    false => has_others = true,
                }
            }
        }
        let Some(met) = met.filter(|_| has_others) else { return };
        for (_, value) in bound {
            *value = match self.read(value) {
                Value::Tensor(tensor) => adopted(&tensor, family, met),
                Value::Tuple(items) => {
                    Value::tuple(items.iter().map(|item| self.adopted_item(item, family, met)).collect())
                }
                Value::List(id)
                    if let Some(data) = self.heap.list(id).cloned()
                        && data.rest.is_none() =>
                {
                    let items: Vec<Value> =
                        data.items.iter().map(|item| self.adopted_item(item, family, met)).collect();
                    let is_same = items.iter().zip(&data.items).all(|(one, other)| one.same(other));
                    if is_same { Value::List(id) } else { Value::List(self.heap.allocate_list(items)) }
                }
                _ => continue,
            };
        }
    }

    fn adopted_item(&self, item: &Value, family: Family, met: DType) -> Value {
        match self.read(item) {
            Value::Tensor(tensor) => adopted(&tensor, family, met),
            item => item,
        }
    }

    /// The items of a sequence, or the value itself.
    fn items_or_self(&self, value: &Value) -> Vec<Value> {
        match self.read(value) {
            Value::Tuple(items) => items.to_vec(),
            Value::List(id) => self.heap.list(id).map(|data| data.items.clone()).unwrap_or_default(),
            value => vec![value],
        }
    }

    /// The array that an object stands for, as its `__array__` gives it.
    fn array_in(&mut self, object: &Value, span: Span) -> Eval<Option<Value>> {
        let Some(method @ Value::Function(_)) = self.class_attribute(object, name!("__array__")) else {
            return Ok(None);
        };
        let bound = self.bind_method(object, method);
        let array = self.call(&bound, CallArguments::empty(span))?;
        Ok(matches!(self.read(&array), Value::Tensor(_)).then_some(array))
    }
}

/// An array of another family as a function of this one takes it beside tensors of a type.
fn adopted(tensor: &Rc<Tensor>, family: Family, met: DType) -> Value {
    if tensor.kind.families().any(|known| known == family) || tensor.dtype == met {
        return Value::Tensor(Rc::clone(tensor));
    }
    let is_alike = tensor.dtype.is_floating() && met.is_floating() || tensor.dtype.is_integer() && met.is_integer();
    let dtype = if is_alike { met } else { DType::Unknown };
    Value::Tensor(Rc::new(Tensor { dtype, ..Tensor::clone(tensor) }))
}

/// Whether a parameter takes a tensor: one with a pattern in the signature, or one that transfer functions read as a tensor.
fn takes_tensor(spec: &ApiSpec, name: &str) -> bool {
    match &spec.behaviour {
        Behaviour::Signature(signature) => signature.parameters().any(|parameter| parameter == name),
        Behaviour::Transfer(_) => {
            let read = spec.argument_name(name);
            TENSOR_PARAMETERS.contains(&read) || read == "other"
        }
        _ => false,
    }
}
