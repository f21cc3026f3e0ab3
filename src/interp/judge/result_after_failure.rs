//! What a call gives that was judged to fail: the sizes that its object decides, and nothing that follows from
//! arguments that do not fit. What is reported behind a failing call would else be the same mistake once more.

use crate::api::call_api::Callee;
use crate::heap::objects::InstanceData;
use crate::state::interpreter::Interpreter;
use crate::values::value::Value;
use harp_operations::operation::{Argument, Arguments, Judged, Output, TensorArgument};
use harp_operations::size_names::WEIGHT_TYPE;
use harp_shape::{Constraint, DType, Dim, Outcome, Shape};

/// More operands in a sequence than this are not made anew.
const MOST_OPERANDS: usize = 64;

impl<'p> Interpreter<'p> {
    /// What an operation whose operands do not fit was meant to give: what it gives for others, of which nothing is known. What a layer's
    /// object decides is known of it.
    pub(crate) fn as_it_was_meant(
        &mut self,
        Callee { spec, api }: Callee<'p>,
        arguments: &Arguments,
        judged: &[Judged],
        object: Option<&InstanceData>,
    ) -> Option<Output> {
        let fails = |judged: &&Judged| fails_for_sizes(judged);
        if self.inference.is_some() || !judged.iter().any(fails_for_sizes) {
            return None;
        }
        let blamed: Vec<&str> =
            judged.iter().filter(fails).flat_map(|it| it.operands.iter().map(|name| &**name)).collect();
        let mut others = arguments.clone();
        let mut is_changed = false;
        for name in blamed {
            if let Some(other) = arguments.get(name).and_then(Self::of_other_sizes) {
                others.push(name, other);
                is_changed = true;
            }
        }
        if !is_changed {
            return None;
        }
        let mark = self.solver.mark();
        let (output, again, ..) = self.run_operation(spec, api, &others);
        self.solver.fixed_ranks.clear();
        // That the result is not known for any operands is no reason not to vouch for the rest.
        if has_unknown(&output) || again.iter().any(|judged| judged.outcome == Outcome::Violated) {
            self.solver.rollback(mark);
            return None;
        }
        // Weights say what there is of each feature. Other settings may be the ones that are wrong, such as the means of three channels.
        let has_weights = object.is_some_and(|object| type_of_weights(object).is_some());
        Some(if has_weights { output } else { self.of_same_rank(output) })
    }

    /// A tensor of the same type, of which nothing else is known: it may be that its rank is the mistake. A sequence of such.
    fn of_other_sizes(argument: &Argument) -> Option<Argument> {
        match argument {
            Argument::Tensor(tensor) => {
                Some(Argument::Tensor(TensorArgument { shape: Shape::unknown("s"), dtype: tensor.dtype }))
            }
            Argument::Sequence(items) if !items.is_empty() && items.len() <= MOST_OPERANDS => {
                let others: Option<Vec<Argument>> = items.iter().map(Self::of_other_sizes).collect();
                others.map(Argument::Sequence)
            }
            _ => None,
        }
    }

    /// The output with sizes of which none is known: sizes that a program states may be the ones that are wrong.
    fn of_same_rank(&mut self, output: Output) -> Output {
        match output {
            Output::Tensor { shape, dtype } => {
                let shape = match self.solver.resolve_shape(&shape).rank() {
                    Some(rank) => Shape::known((0..rank).map(|_| self.free_dim("d", 1)).collect::<Vec<Dim>>()),
                    None => Shape::unknown("s"),
                };
                Output::Tensor { shape, dtype }
            }
            Output::Tuple(parts) => Output::Tuple(parts.into_iter().map(|part| self.of_same_rank(part)).collect()),
            Output::List(parts) => Output::List(parts.into_iter().map(|part| self.of_same_rank(part)).collect()),
            other => other,
        }
    }

    /// The output of a call whose requirements were judged, which is the one that was meant where they fail.
    pub(crate) fn without_consequences(
        &mut self,
        output: Output,
        meant: Option<Output>,
        judged: &[Judged],
        object: Option<&InstanceData>,
    ) -> Output {
        let output = match object.and_then(type_of_weights) {
            Some(dtype) if judged.iter().any(|judged| matches!(judged.outcome, Outcome::Violated)) => {
                of_type(output, dtype)
            }
            _ => output,
        };
        if !judged.iter().any(fails_for_sizes) || self.inference.is_some() {
            return output;
        }
        if let Some(meant) = meant {
            return match object.and_then(type_of_weights) {
                Some(dtype) => of_type(meant, dtype),
                None => meant,
            };
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

/// Whether sizes do not fit. What the type of the elements has to do with leaves the sizes as they are.
fn fails_for_sizes(judged: &Judged) -> bool {
    judged.outcome == Outcome::Violated && !matches!(judged.constraint, Constraint::False)
}

/// Whether nothing is known of a result, or of a part of it.
fn has_unknown(output: &Output) -> bool {
    match output {
        Output::Unknown(_) => true,
        Output::Tuple(parts) | Output::List(parts) => parts.iter().any(has_unknown),
        _ => false,
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
