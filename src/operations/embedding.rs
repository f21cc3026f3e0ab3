//! Transfer functions of embeddings.

use crate::dtypes::is_real;
use crate::operation::{Operation, Output, TensorArgument};
use crate::support::{Evaluated, Stop, constant, fresh, joined};
use harp_shape::{Constraint, DType, Dim, Shape};

/// Requires integers as indices.
fn check_indices(op: &mut Operation, indices: &TensorArgument) {
    if is_real(indices.dtype) || matches!(indices.dtype, DType::Bool | DType::UInt8 | DType::Int8 | DType::Int16) {
        let message = format!("the indices in `input` must be int64 or int32, got {}", indices.dtype);
        op.fail(&["input"], message);
    }
}

/// The size of a vector and its type, from the weight or from the constructor's parameters.
fn vectors(op: &mut Operation) -> Result<(Dim, DType), Stop> {
    if let Some(weight) = op.given_tensor("weight") {
        let dims = op.with_rank(&weight.shape, 2, "weight")?;
        return Ok((dims[1], weight.dtype));
    }
    Ok((op.dim_argument("embedding_dim").unwrap_or_else(|| fresh("embedding_dim")), DType::Float32))
}

/// `embedding(input, weight)` and `nn.Embedding(num_embeddings, embedding_dim)(input)`: a vector an index.
pub(crate) fn embedding(op: &mut Operation) -> Evaluated {
    let input = op.tensor("input");
    let (size, dtype) = vectors(op)?;
    check_indices(op, &input);
    Ok(Output::tensor(joined(&[], Some(&input.shape), &[size]), dtype))
}

/// `embedding_bag(input, weight, offsets)` and `nn.EmbeddingBag(…)(input, offsets)`: a vector a bag.
pub(crate) fn embedding_bag(op: &mut Operation) -> Evaluated {
    let input = op.tensor("input");
    // In old programs the weight comes first.
    if let Some(weight) = op.given_tensor("weight")
        && is_real(input.dtype)
        && crate::dtypes::is_integral(weight.dtype)
        && let (Some([_, size]), Some([bags, _])) =
            (op.dims(&input.shape).as_deref(), op.dims(&weight.shape).as_deref())
    {
        return Ok(Output::tensor(Shape::known(vec![*bags, *size]), input.dtype));
    }
    let (size, dtype) = vectors(op)?;
    check_indices(op, &input);
    if let Some(weights) = op.given_tensor("per_sample_weights") {
        let message = format!(
            "`per_sample_weights` {} must have the same shape as `input` {}",
            op.solver.resolve_shape(&weights.shape),
            op.solver.resolve_shape(&input.shape)
        );
        op.demand(Constraint::SameShape(weights.shape, input.shape.clone()), &["per_sample_weights"], || message)?;
    }
    let bags = match op.rank(&input.shape) {
        Some(1) => match op.given_tensor("offsets") {
            Some(offsets) => {
                if is_real(offsets.dtype) {
                    let message = format!("`offsets` must be int64 or int32, got {}", offsets.dtype);
                    op.fail(&["offsets"], message);
                }
                let count = op.with_rank(&offsets.shape, 1, "offsets")?[0];
                if op.flag_or("include_last_offset", false) == Some(true) { count - constant(1) } else { count }
            }
            None if op.is_absent("offsets") => {
                return op
                    .reject(&["input", "offsets"], "`offsets` must be given where `input` has 1 dimension".to_owned());
            }
            None => fresh("bags"),
        },
        Some(2) if op.given_tensor("offsets").is_some() => {
            let message = "`offsets` must not be given where `input` has 2 dimensions, one bag a row".to_owned();
            return op.reject(&["input", "offsets"], message);
        }
        Some(_) => op.with_rank_of(&input.shape, &[1, 2], "input")?[0],
        None => fresh("bags"),
    };
    Ok(Output::tensor(Shape::known(vec![bags, size]), dtype))
}

/// `nn.Embedding(num_embeddings, embedding_dim, padding_idx)`.
pub(crate) fn embedding_init(op: &mut Operation) -> Evaluated {
    if let (Some(padding), Some(count)) = (op.dim_argument("padding_idx"), op.dim_argument("num_embeddings")) {
        let message = format_args!("`padding_idx` ({padding}) must be within `num_embeddings` ({count})");
        let constraint = match padding.as_const() {
            Some(index) if index < 0 => Constraint::LessEqual(constant(index.saturating_neg()), count),
            _ => Constraint::Less(padding, count),
        };
        op.demand(constraint, &["padding_idx", "num_embeddings"], || message.to_string())?;
    }
    Ok(Output::None)
}
