//! What a call gives that certainly fails: the sizes that its object decides, and nothing that follows from arguments that do not fit. What
//! is reported behind a failing call would else be the same mistake once more.

use crate::heap::objects::InstanceData;
use crate::state::interpreter::Interpreter;
use crate::values::value::Value;
use harp_operations::operation::{Judged, Output};
use harp_operations::size_names::WEIGHT_TYPE;
use harp_shape::{Constraint, DType, Dim, Outcome, Shape};

impl Interpreter<'_> {
    /// The output of a call whose requirements were judged.
    pub(crate) fn without_consequences(
        &mut self,
        output: Output,
        judged: &[Judged],
        object: Option<&InstanceData>,
    ) -> Output {
        let output = match object.and_then(type_of_weights) {
            Some(dtype) if judged.iter().any(|judged| matches!(judged.outcome, Outcome::Violated)) => {
                of_type(output, dtype)
            }
            _ => output,
        };
        // What the type of the elements has to do with leaves the sizes as they are.
        let of_sizes = |judged: &Judged| !matches!(judged.constraint, Constraint::False);
        let fails = judged.iter().any(|judged| matches!(judged.outcome, Outcome::Violated) && of_sizes(judged));
        if !fails || self.inference.is_some() {
            return output;
        }
        let sizes = object.map(sizes_of).unwrap_or_default();
        self.what_is_certain(output, &sizes)
    }

    fn what_is_certain(&mut self, output: Output, sizes: &[Dim]) -> Output {
        match output {
            Output::Tensor { shape, dtype } => Output::Tensor { shape: self.certain_shape(&shape, sizes), dtype },
            Output::Tuple(parts) => {
                Output::Tuple(parts.into_iter().map(|part| self.what_is_certain(part, sizes)).collect())
            }
            other => other,
        }
    }

    /// A layer decides its features, whatever it is given: the last dimension, of a tensor of any rank, or the second one.
    fn certain_shape(&mut self, shape: &Shape, sizes: &[Dim]) -> Shape {
        let Some(dims) = self.solver.resolve_shape(shape).dims() else { return shape.clone() };
        let is_decided = |dim: &Dim| sizes.contains(dim);
        match dims.as_slice() {
            [] => shape.clone(),
            [.., last] if is_decided(last) => Shape::unknown("s").concat(&Shape::known(vec![*last])),
            [_, features, ..] if is_decided(features) => {
                let open = dims.iter().map(|dim| if is_decided(dim) { *dim } else { self.free_dim("d", 1) });
                Shape::known(open.collect::<Vec<_>>())
            }
            _ => Shape::unknown("s"),
        }
    }
}

/// The type of a layer's weights, which its result would have had.
fn type_of_weights(object: &InstanceData) -> Option<DType> {
    object.arguments.iter().rev().find_map(|(name, value)| match value {
        Value::DType(dtype) if name.as_str() == WEIGHT_TYPE => Some(*dtype),
        _ => None,
    })
}

fn of_type(output: Output, dtype: DType) -> Output {
    match output {
        Output::Tensor { shape, .. } => Output::Tensor { shape, dtype },
        Output::Tuple(parts) => Output::Tuple(parts.into_iter().map(|part| of_type(part, dtype)).collect()),
        other => other,
    }
}

/// The numbers that an object was made with.
fn sizes_of(object: &InstanceData) -> Vec<Dim> {
    object
        .arguments
        .iter()
        .filter_map(|(_, value)| if let Value::Int(dim) = value { Some(*dim) } else { None })
        .collect()
}
