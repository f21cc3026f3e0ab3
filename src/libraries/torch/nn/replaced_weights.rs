//! PyTorch's layers whose weights the program replaces: `conv.weight = nn.Parameter(conv.weight[kept])`. A layer
//! computes with the weights that it has, whatever it was made with, so that its sizes are read off them.

use harp_annotations::{AttributeValue, ClassSpec, ShapePart, TensorAttribute};
use harp_interp::state::interpreter::Interpreter;
use harp_interp::values::value::{ObjectId, Value};
use harp_python::name::Name;
use harp_shape::Dim;

type Arguments = [(Name, Value)];

#[easy_ext::ext(ReplacedWeightsMethods)]
pub impl Interpreter<'_> {
    /// Makes the constructor arguments of a layer agree with the tensors that the program put in the place of its own.
    fn follow_replaced_weights(&self, id: ObjectId, spec: &ClassSpec, arguments: &mut Arguments) {
        for (name, attribute) in &spec.attributes {
            let AttributeValue::Tensor(tensor) = attribute else { continue };
            let Some(Value::Tensor(replaced)) = self.heap.attribute(id, Name::new(name)) else { continue };
            if let Some(dims) = self.solver.resolve_shape(&replaced.shape).dims() {
                read_off(tensor, &dims, arguments);
            }
        }
    }
}

fn read_off(tensor: &TensorAttribute, dims: &[Dim], arguments: &mut Arguments) {
    let fixed = |part: &ShapePart| match part {
        ShapePart::Dimension(_) => Some(1),
        ShapePart::Repeated { count, .. } => Some(usize::from(*count)),
        ShapePart::Spliced(_) => None,
    };
    let least: usize = tensor.shape.iter().filter_map(fixed).sum();
    let has_open = tensor.shape.iter().any(|part| fixed(part).is_none());
    let Some(spare) = dims.len().checked_sub(least).filter(|spare| has_open || *spare == 0) else { return };
    let mut rest = dims;
    for part in &tensor.shape {
        let (own, behind) = rest.split_at(fixed(part).unwrap_or(spare).min(rest.len()));
        rest = behind;
        match part {
            ShapePart::Dimension(text) => {
                if let Some((parameter, size)) = solved(text, own[0], arguments) {
                    set(arguments, parameter, Value::Int(size));
                }
            }
            ShapePart::Repeated { parameter, .. } | ShapePart::Spliced(parameter) => {
                set(arguments, parameter, Value::tuple(own.iter().map(|dim| Value::Int(*dim)).collect()));
            }
        }
    }
}

/// The parameter that a dimension of a weight tells, and its value: of `in_channels // groups` that is `in_channels`.
fn solved<'t>(text: &'t str, size: Dim, arguments: &Arguments) -> Option<(&'t str, Dim)> {
    match text.split_once("//") {
        None => Some((text, size)),
        Some((parameter, divisor)) => {
            let divisor = arguments.iter().find(|(name, _)| name.as_str() == divisor.trim())?.1.as_dim()?;
            Some((parameter.trim(), size * divisor))
        }
    }
}

fn set(arguments: &mut Arguments, parameter: &str, value: Value) {
    if let Some(argument) = arguments.iter_mut().find(|(name, _)| name.as_str() == parameter) {
        argument.1 = value;
    }
}
