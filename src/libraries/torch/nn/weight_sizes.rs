//! What the weights of a new layer of PyTorch say of its settings: sizes of a tensor are integers, and not negative.

use harp_annotations::{AttributeValue, ClassSpec, ShapePart, TensorAttribute};
use harp_corpus::Span;
use harp_interp::api::call_api::Bound;
use harp_interp::api::call_forms::is_literal;
use harp_interp::budget::costly_calls::EntryKind;
use harp_interp::calls::call::CallArguments;
use harp_interp::heap::objects::InstanceData;
use harp_interp::judge::alarms::Context;
use harp_interp::state::interpreter::{Eval, Interpreter};
use harp_interp::values::value::{OperationId, Value};
use harp_operations::operation::Judged;
use harp_python::name::Name;
use harp_shape::notation::parse_dim;
use harp_shape::{Constraint, Dim, Verdict};
use harp_trace::Subject;

#[easy_ext::ext(WeightSizesMethods)]
pub impl Interpreter<'_> {
    /// A layer that is made has weights of the sizes that it was given. What a condition makes of them later, such as `units + 8 == 1`, is
    /// decided with that.
    fn learn_of_weights(&mut self, spec: &ClassSpec, bound: &Bound) {
        for (_, attribute) in &spec.attributes {
            let AttributeValue::Tensor(tensor) = attribute else { continue };
            for part in &tensor.shape {
                let ShapePart::Dimension(text) = part else { continue };
                let Some((_, Value::Int(size))) = bound.iter().find(|(name, _)| name.as_str() == &**text) else {
                    continue;
                };
                if let Some(var) = size.as_var() {
                    self.sizes.layer_sizes.insert(var);
                }
                let fact = Constraint::LessEqual(Dim::ZERO, *size);
                if size.as_const().is_none() && !matches!(self.solver.judge(&fact), Verdict::Holds | Verdict::Violated)
                {
                    self.solver.assume(&fact);
                }
            }
        }
    }

    /// Reports a layer of PyTorch's that cannot make its weights: one of their sizes is a float, or negative.
    fn check_sizes_of_weights(
        &mut self,
        spec: &ClassSpec,
        class: Name,
        bound: &Bound,
        call: &CallArguments,
    ) -> Eval<()> {
        let is_followed = class.as_str().starts_with("torch.nn.") && self.inference.is_none() && !call.is_open;
        if !is_followed || !bound.iter().any(|(_, value)| self.is_no_size(value)) {
            return Ok(());
        }
        let data = InstanceData { class: Value::Library(class), arguments: bound.clone(), origin: call.span };
        for (_, attribute) in &spec.attributes {
            let AttributeValue::Tensor(tensor) = attribute else { continue };
            if let Some((message, parameter)) = self.refused_size(spec, tensor, &data, call) {
                let operands = vec![parameter.into()];
                let judged = Judged::violated(message, operands);
                let context = Context {
                    api: class,
                    bound,
                    object: None,
                    call,
                    operation: OperationId::NONE,
                    help: &[],
                    subject: Subject::Operands,
                };
                return self.record_issues(&context, vec![judged], Vec::new());
            }
        }
        Ok(())
    }

    /// Whether a setting is a float or a negative number, or has one among its items.
    fn is_no_size(&self, value: &Value) -> bool {
        match self.read(value) {
            Value::Float(_) | Value::Ratio(_) => true,
            Value::Int(size) => self.solver.resolve(size).as_const().is_some_and(|size| size < 0),
            Value::Tuple(items) => items.iter().any(|item| self.is_no_size(item)),
            Value::List(id) => self.heap.list(id).is_some_and(|data| {
                data.items.iter().any(|item| !matches!(self.read(item), Value::List(_)) && self.is_no_size(item))
            }),
            _ => false,
        }
    }

    /// Why a weight cannot be made, and the parameter that says so.
    fn refused_size(
        &mut self,
        spec: &ClassSpec,
        tensor: &TensorAttribute,
        data: &InstanceData,
        call: &CallArguments,
    ) -> Option<(String, String)> {
        let given = |this: &Self, name: &str| {
            let value =
                data.arguments.iter().find(|(known, _)| known.as_str() == name).map(|(_, value)| this.read(value));
            value.filter(|_| this.is_certain_setting(spec, name, call))
        };
        let is_float = |value: &Value| matches!(value, Value::Float(_) | Value::Ratio(_));
        let is_made = match &tensor.condition {
            Some(condition) => data
                .arguments
                .iter()
                .any(|(name, value)| name.as_str() == &**condition && matches!(self.read(value), Value::Bool(true))),
            None => true,
        };
        for part in &tensor.shape {
            let names: Vec<String> = match part {
                ShapePart::Dimension(text) => {
                    let mut names = Vec::new();
                    parse_dim(text).ok()?.for_each_name(&mut |name, _| names.push(name.to_owned()));
                    names
                }
                ShapePart::Repeated { parameter, .. } | ShapePart::Spliced(parameter) => vec![parameter.to_string()],
            };
            let float = names.iter().find(|name| given(self, name).as_ref().is_some_and(is_float));
            // What is spliced is gone through even where no weight is made of it.
            if let Some(name) = float.filter(|_| is_made || matches!(part, ShapePart::Spliced(_))) {
                return Some((format!("`{name}` must be an integer, not a float"), name.clone()));
            }
            let parameter = names.first()?.clone();
            let value = given(self, &parameter)?;
            let items = match &value {
                Value::Tuple(items) => items.to_vec(),
                Value::List(id) => self.heap.list(*id).filter(|list| list.rest.is_none())?.items.clone(),
                _ => Vec::new(),
            };
            if is_made && items.iter().any(|item| is_float(&self.read(item))) {
                return Some((format!("the sizes in `{parameter}` must be integers, got a float"), parameter));
            }
            let dims = if is_made { self.attribute_dims(part, data).unwrap_or_default() } else { Vec::new() };
            let negative = dims.iter().find(|dim| dim.as_const().is_some_and(|size| size < 0));
            if let Some(size) = negative {
                return Some((format!("`{parameter}` asks for a weight of the negative size {size}"), parameter));
            }
        }
        None
    }

    /// Whether a parameter certainly has its value: a function that nobody calls may be given another one than its default.
    fn is_certain_setting(&self, spec: &ClassSpec, name: &str, call: &CallArguments) -> bool {
        if self.entry.kind != EntryKind::Symbolic {
            return true;
        }
        let place = spec.constructor.parameters.iter().position(|parameter| &*parameter.name == name);
        let positional = place.and_then(|place| call.positional_spans.get(place).copied());
        let keyword = call.keywords.iter().position(|(keyword, _)| keyword.as_str() == name);
        let span: Option<Option<Span>> = positional.or_else(|| call.keyword_spans.get(keyword?).copied());
        span.flatten().is_some_and(|span| is_literal(self.source_text(span)))
    }
}
