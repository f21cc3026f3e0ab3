//! Transfer functions of probability distributions: their parameters broadcast to the shape of a batch.

use crate::operation::{Argument, Operation, Output};
use crate::support::{Evaluated, Stop, joined, unknown_tensor};
use harp_shape::{Constraint, DType, Dim, Shape};

/// The parameters that distributions have; one distribution has some of them.
const PARAMETERS: [&str; 10] =
    ["loc", "scale", "probs", "logits", "low", "high", "rate", "concentration", "concentration0", "concentration1"];

/// The shapes of a batch and of one event.
struct Distribution {
    batch: Shape,
    event: Shape,
    dtype: DType,
}

/// Reads the constructor's parameters, which come before those of the method. `events` is the number of dimensions of an event.
fn read(op: &mut Operation, class: &str) -> Result<Distribution, Stop> {
    let mut shape: Option<Shape> = None;
    let mut dtype = DType::Unknown;
    for name in PARAMETERS {
        let given = match op.arguments.get(name) {
            Some(Argument::Tensor(_)) => op.tensor(name),
            Some(number @ (Argument::Integer(_) | Argument::Float(_) | Argument::Boolean(_))) => {
                op.as_tensor(&number.clone(), name)
            }
            None | Some(Argument::None) => continue,
            Some(_) => return Ok(Distribution { batch: Shape::unknown("batch"), event: Shape::scalar(), dtype }),
        };
        if matches!(op.arguments.get(name), Some(Argument::Tensor(_))) {
            dtype = if dtype == DType::Unknown { given.dtype } else { DType::promote(dtype, given.dtype) };
        }
        shape = Some(match shape {
            Some(shape) => op.broadcast(("loc", &shape), (name, &given.shape))?,
            None => given.shape,
        });
    }
    let Some(shape) = shape else {
        return Ok(Distribution { batch: Shape::unknown("batch"), event: Shape::scalar(), dtype });
    };
    let events = usize::from(matches!(class, "Categorical" | "OneHotCategorical" | "Dirichlet"));
    let Some((_, batch, last)) = op.solver.split(&shape, 0, events) else {
        return op.reject(&["probs", "logits"], "the parameters need at least 1 dimension".to_owned());
    };
    // The last dimension of a categorical one lists its outcomes.
    let event = if class == "Categorical" { Shape::scalar() } else { joined(&last, None, &[]) };
    Ok(Distribution { batch: op.solver.resolve_shape(&batch), event, dtype })
}

/// `sample(sample_shape)`, `log_prob(value)`, `entropy()` and their like, of a distribution whose name stands before the method's.
pub(crate) fn distribution(op: &mut Operation) -> Evaluated {
    let api = op.api.to_owned();
    let mut parts = api.rsplit('.');
    let (method, class) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default().to_owned());
    let known = read(op, &class)?;
    let (Some(batch), Some(event)) = (op.dims(&known.batch), op.dims(&known.event)) else {
        return Ok(unknown_tensor(DType::Unknown));
    };
    let dtype = if known.dtype.is_floating() { known.dtype } else { DType::Unknown };
    match method {
        "sample" | "rsample" => {
            let sizes = if op.is_absent("sample_shape")
                || matches!(op.arguments.get("sample_shape"), Some(Argument::Unknown))
            {
                Some(Vec::new())
            } else {
                op.sizes("sample_shape")?
            };
            let Some(sizes) = sizes else { return Ok(unknown_tensor(dtype)) };
            let dims: Vec<Dim> = sizes.into_iter().chain(batch).chain(event).collect();
            let dtype = if class == "Categorical" { DType::Int64 } else { dtype };
            Ok(Output::tensor(Shape::known(dims), dtype))
        }
        "log_prob" | "cdf" | "icdf" => {
            let value = op.as_tensor(&op.arguments.value("value"), "value");
            let Some((_, leading, last)) = op.solver.split(&value.shape, 0, event.len()) else {
                return op.reject(&["value"], "`value` has fewer dimensions than an event".to_owned());
            };
            for (own, expected) in last.iter().zip(&event) {
                let message = format_args!(
                    "expected {expected} entries (the size of an event) in the last dimension of `value`, got {own}"
                );
                op.demand(Constraint::Equal(*own, *expected), &["value"], || message.to_string())?;
            }
            let shape = op.broadcast(("value", &leading), ("loc", &Shape::known(batch)))?;
            Ok(Output::tensor(shape, dtype))
        }
        "entropy" => Ok(Output::tensor(Shape::known(batch), dtype)),
        _ => Ok(Output::tensor(Shape::known(batch.into_iter().chain(event).collect::<Vec<_>>()), dtype)),
    }
}
