//! Transfer functions of attention and transformer layers.

use crate::operation::{Operation, Output, TensorArgument};
use crate::support::{Evaluated, Stop, constant, fresh, joined, unknown_tensor};
use harp_shape::{Constraint, DType, Dim, Shape};

/// `scaled_dot_product_attention(query, key, value, attn_mask)`: `[*, l, e]`, `[*, s, e]`, `[*, s, v]` give `[*, l, v]`.
pub(crate) fn scaled_dot_product(op: &mut Operation) -> Evaluated {
    let (query, key, value) = (op.tensor("query"), op.tensor("key"), op.tensor("value"));
    for (name, tensor) in [("query", &query), ("key", &key), ("value", &value)] {
        if op.rank(&tensor.shape).is_some_and(|rank| rank < 2) {
            return op.reject(&[name], format!("{} needs at least 2 dimensions", op.operand(name, &tensor.shape)));
        }
    }
    op.same_type(("query", query.dtype), ("key", key.dtype));
    op.same_type(("query", query.dtype), ("value", value.dtype));
    let (Some((_, query_rest, query_last)), Some((_, key_rest, key_last)), Some((_, value_rest, value_last))) =
        (op.solver.split(&query.shape, 0, 2), op.solver.split(&key.shape, 0, 2), op.solver.split(&value.shape, 0, 2))
    else {
        return Ok(unknown_tensor(query.dtype));
    };
    let texts =
        [("query", &query), ("key", &key), ("value", &value)].map(|(name, tensor)| op.operand(name, &tensor.shape));
    let message = format_args!("the last dimensions of {} and {} must agree", texts[0], texts[1]);
    op.demand(Constraint::Equal(query_last[1], key_last[1]), &["query", "key"], || message.to_string())?;
    // Without queries nothing is looked at.
    let is_empty = query_last[0].as_const() == Some(0);
    let message = format_args!("the second-last dimensions of {} and {} must agree", texts[1], texts[2]);
    if !is_empty {
        op.demand(Constraint::Equal(key_last[0], value_last[0]), &["key", "value"], || message.to_string())?;
    }
    let grouped = op.flag_or("enable_gqa", false) != Some(false);
    let leading = if grouped {
        query_rest
    } else {
        let scores = op.broadcast(("query", &query_rest), ("key", &key_rest))?;
        op.broadcast(("query", &scores), ("value", &value_rest))?
    };
    if let Some(mask) = op.given_tensor("attn_mask") {
        let scores = joined(&[], Some(&leading), &[query_last[0], key_last[0]]);
        op.broadcast_into(("attn_mask", &mask.shape), ("the attention scores", &scores))?;
    }
    Ok(Output::tensor(
        joined(&[], Some(&op.solver.resolve_shape(&leading)), &[query_last[0], value_last[1]]),
        query.dtype,
    ))
}

/// The sizes of an input of attention: a batch, if there is one, and a length.
struct Sequence {
    batch: Option<Dim>,
    length: Dim,
}

/// Takes an input apart, whose last dimension must be `features`, which `parameter` tells.
fn sequence(
    op: &mut Operation,
    name: &'static str,
    tensor: &TensorArgument,
    (features, parameter): (Option<Dim>, &'static str),
    batch_first: Option<bool>,
) -> Result<Sequence, Stop> {
    let dims = op.with_rank_of(&tensor.shape, &[2, 3], name)?;
    let last = dims[dims.len() - 1];
    if let Some(features) = features {
        let message = format_args!(
            "expected {features} features (`{parameter}`), got {last} in the last dimension of {}",
            op.operand(name, &tensor.shape)
        );
        op.demand(Constraint::Equal(last, features), &[name, parameter], || message.to_string())?;
    }
    Ok(match (dims.len(), batch_first) {
        (2, _) => Sequence { batch: None, length: dims[0] },
        (_, Some(true)) => Sequence { batch: Some(dims[0]), length: dims[1] },
        (_, Some(false)) => Sequence { batch: Some(dims[1]), length: dims[0] },
        (_, None) => Sequence { batch: Some(fresh("batch")), length: fresh("length") },
    })
}

/// Requires that two inputs both have a batch, of the same size, or both have none.
fn same_batch(
    op: &mut Operation,
    one: (&'static str, &Sequence),
    other: (&'static str, &Sequence),
) -> Result<(), Stop> {
    match (one.1.batch, other.1.batch) {
        (Some(left), Some(right)) => {
            let message =
                format_args!("`{}` and `{}` must have the same batch size, got {left} and {right}", one.0, other.0);
            op.demand(Constraint::Equal(left, right), &[one.0, other.0], || message.to_string())
        }
        (None, None) => Ok(()),
        _ => op.reject(
            &[one.0, other.0],
            format!("`{}` and `{}` must both have a batch dimension, or both have none", one.0, other.0),
        ),
    }
}

/// `nn.MultiheadAttention(embed_dim, num_heads, …)(query, key, value, key_padding_mask, need_weights, attn_mask)`.
pub(crate) fn multihead(op: &mut Operation) -> Evaluated {
    let embed = op.dim_argument("embed_dim");
    let batch_first = op.flag_or("batch_first", false);
    let (query, key, value) = (op.tensor("query"), op.tensor("key"), op.tensor("value"));
    check_projections(op, embed)?;
    let key_features = source_features(op, embed, "kdim", "k_proj_weight");
    let value_features = source_features(op, embed, "vdim", "v_proj_weight");
    let target = sequence(op, "query", &query, (embed, "embed_dim"), batch_first)?;
    let source = sequence(op, "key", &key, key_features, batch_first)?;
    let values = sequence(op, "value", &value, value_features, batch_first)?;
    same_batch(op, ("query", &target), ("key", &source))?;
    same_batch(op, ("key", &source), ("value", &values))?;
    if batch_first.is_some() {
        let message =
            format_args!("`key` and `value` must have the same length, got {} and {}", source.length, values.length);
        op.demand(Constraint::Equal(source.length, values.length), &["key", "value"], || message.to_string())?;
        check_masks(op, &target, &source)?;
    }
    let extended = op.flag_or("add_bias_kv", false) == Some(true) || op.flag_or("add_zero_attn", false) == Some(true);
    let source_length = if extended { fresh("length") } else { source.length };
    Ok(Output::Tuple(vec![
        Output::tensor(projected(op, &query.shape), query.dtype),
        attention_weights(op, &target, source_length, query.dtype),
    ]))
}

/// Checks the weights that a call gives for the projections at either end, as `multi_head_attention_forward` takes them.
fn check_projections(op: &mut Operation, embed: Option<Dim>) -> Result<(), Stop> {
    let Some(embed) = embed else { return Ok(()) };
    if op.arguments.get("out_proj_weight").is_none() {
        return Ok(());
    }
    if let Some(heads) = op.dim_argument("num_heads") {
        let message = format_args!("`embed_dim` ({embed}) must be divisible by `num_heads` ({heads})");
        let divides = Constraint::Divides { divisor: heads, value: embed };
        op.demand(divides, &["embed_dim", "num_heads"], || message.to_string())?;
    }
    let rows = constant(3) * embed;
    if op.flag_or("use_separate_proj_weight", false) == Some(false) {
        has_sizes(op, "in_proj_weight", &[rows, embed])?;
    }
    has_sizes(op, "in_proj_bias", &[rows])?;
    let Some(weight) = op.given_tensor("out_proj_weight") else { return Ok(()) };
    let Some(features) = op.dims(&weight.shape).and_then(|dims| dims.first().copied()) else { return Ok(()) };
    has_sizes(op, "out_proj_weight", &[features, embed])?;
    has_sizes(op, "out_proj_bias", &[features])
}

/// Requires that a tensor, where it is given, has these sizes; a bias of one element goes with any.
fn has_sizes(op: &mut Operation, name: &str, wanted: &[Dim]) -> Result<(), Stop> {
    let Some(tensor) = op.given_tensor(name) else { return Ok(()) };
    let Some(dims) = op.dims(&tensor.shape) else { return Ok(()) };
    if dims.len() == 1 && dims[0].as_const() == Some(1) {
        return Ok(());
    }
    let wanted = Shape::known(wanted.to_vec());
    let message = format_args!("{} must have the shape {}", op.operand(name, &tensor.shape), op.text(&wanted));
    op.demand(Constraint::SameShape(tensor.shape, wanted.clone()), &[name, "embed_dim"], || message.to_string())
}

/// The features that `key` or `value` must have, with the parameter that tells: those that the module was made for, or that the weight takes
/// which a call gives for it.
fn source_features(
    op: &mut Operation,
    embed: Option<Dim>,
    parameter: &'static str,
    weight: &'static str,
) -> (Option<Dim>, &'static str) {
    let is_separate =
        op.arguments.get(weight).is_some() && op.flag_or("use_separate_proj_weight", false) != Some(false);
    if is_separate {
        let given = op.given_tensor(weight).and_then(|given| op.solver.resolve_shape(&given.shape).dims());
        return (given.and_then(|dims| dims.get(1).copied()), weight);
    }
    if op.is_absent(parameter) { (embed, "embed_dim") } else { (op.dim_argument(parameter), parameter) }
}

/// The shape of the output: that of `query`, with the features that the weight of the last projection gives where a call passes one.
fn projected(op: &mut Operation, query: &Shape) -> Shape {
    if op.arguments.get("out_proj_weight").is_none() {
        return query.clone();
    }
    let Some(mut dims) = op.solver.resolve_shape(query).dims() else { return query.clone() };
    let weight = op.given_tensor("out_proj_weight").and_then(|weight| op.solver.resolve_shape(&weight.shape).dims());
    if let Some(last) = dims.last_mut() {
        *last = weight.and_then(|weight| weight.first().copied()).unwrap_or_else(|| fresh("features"));
    }
    Shape::known(dims)
}

/// The attention weights that `nn.MultiheadAttention` returns beside its output.
fn attention_weights(op: &Operation, target: &Sequence, source: Dim, dtype: DType) -> Output {
    let heads = op.dim_argument("num_heads");
    let average = op.flag_or("average_attn_weights", true);
    match op.flag_or("need_weights", true) {
        Some(false) => Output::None,
        None => Output::Unknown("whether weights are returned is not known"),
        Some(true) => {
            let mut dims: Vec<Dim> = target.batch.into_iter().collect();
            match (average, heads) {
                (Some(true), _) => {}
                (Some(false), Some(heads)) => dims.push(heads),
                _ => return unknown_tensor(dtype),
            }
            dims.extend([target.length, source]);
            Output::tensor(Shape::known(dims), dtype)
        }
    }
}

/// Checks `key_padding_mask` and `attn_mask`.
fn check_masks(op: &mut Operation, target: &Sequence, source: &Sequence) -> Result<(), Stop> {
    if let Some(mask) = op.given_tensor("key_padding_mask") {
        let expected: Vec<Dim> = target.batch.into_iter().chain([source.length]).collect();
        mask_agrees(op, "key_padding_mask", &mask, Shape::known(expected))?;
    }
    // A mask that `is_causal` describes is not looked at, where nobody asks for the weights.
    let is_looked_at = op.flag_or("is_causal", false) == Some(false)
        || op.flag_or("need_weights", true) == Some(true)
        || op.given_tensor("key_padding_mask").is_some();
    let Some(mask) = op.given_tensor("attn_mask").filter(|_| is_looked_at) else { return Ok(()) };
    let scores = vec![target.length, source.length];
    match op.rank(&mask.shape) {
        Some(2) => mask_agrees(op, "attn_mask", &mask, Shape::known(scores)),
        Some(3) => {
            let Some(heads) = op.dim_argument("num_heads") else { return Ok(()) };
            let batch = target.batch.unwrap_or_else(|| constant(1));
            mask_agrees(op, "attn_mask", &mask, Shape::known(vec![batch * heads, scores[0], scores[1]]))
        }
        Some(_) => {
            op.reject(&["attn_mask"], format!("{} must have 2 or 3 dimensions", op.operand("attn_mask", &mask.shape)))
        }
        None => Ok(()),
    }
}

fn mask_agrees(op: &mut Operation, name: &str, mask: &TensorArgument, expected: Shape) -> Result<(), Stop> {
    let message = format_args!("{} must have the shape {}", op.operand(name, &mask.shape), op.text(&expected));
    op.demand(Constraint::SameShape(mask.shape.clone(), expected), &[name, "query", "key"], || message.to_string())
}

/// `nn.MultiheadAttention(embed_dim, num_heads)`; also transformer layers, whose parameters are `d_model` and `nhead`.
pub(crate) fn multihead_init(op: &mut Operation) -> Evaluated {
    let (embed_name, heads_name) =
        if op.arguments.get("d_model").is_some() { ("d_model", "nhead") } else { ("embed_dim", "num_heads") };
    for name in [embed_name, heads_name] {
        if let Some(size) = op.dim_argument(name) {
            let message = format_args!("`{name}` must be positive, got {size}");
            op.demand(Constraint::Less(constant(0), size), &[name], || message.to_string())?;
        }
    }
    if let (Some(embed), Some(heads)) = (op.dim_argument(embed_name), op.dim_argument(heads_name)) {
        let message = format_args!("`{embed_name}` ({embed}) must be divisible by `{heads_name}` ({heads})");
        op.demand(Constraint::Divides { divisor: heads, value: embed }, &[embed_name, heads_name], || {
            message.to_string()
        })?;
    }
    Ok(Output::None)
}

/// `nn.TransformerEncoderLayer(d_model, nhead)(src, src_mask, src_key_padding_mask)`.
pub(crate) fn encoder_layer(op: &mut Operation) -> Evaluated {
    let source_name = if op.arguments.get("src").is_some() { "src" } else { "input" };
    let source = op.tensor(source_name);
    let batch_first = op.flag_or("batch_first", false);
    let model = op.dim_argument("d_model");
    let sizes =
        sequence(op, if source_name == "src" { "src" } else { "input" }, &source, (model, "d_model"), batch_first)?;
    if batch_first.is_some() {
        check_layer_masks(op, ("src_mask", "src_key_padding_mask"), &sizes, &sizes)?;
    }
    Ok(Output::tensor(op.solver.resolve_shape(&source.shape), source.dtype))
}

/// `nn.TransformerDecoderLayer(d_model, nhead)(tgt, memory, tgt_mask, memory_mask, …)`; also `nn.Transformer(…)(src, tgt)`.
pub(crate) fn decoder_layer(op: &mut Operation) -> Evaluated {
    let batch_first = op.flag_or("batch_first", false);
    let model = op.dim_argument("d_model");
    let memory_name = if op.arguments.get("memory").is_some() { "memory" } else { "src" };
    let (target, memory) = (op.tensor("tgt"), op.tensor(memory_name));
    let target_sizes = sequence(op, "tgt", &target, (model, "d_model"), batch_first)?;
    let memory_sizes = sequence(op, memory_name, &memory, (model, "d_model"), batch_first)?;
    same_batch(op, ("tgt", &target_sizes), (memory_name, &memory_sizes))?;
    if batch_first.is_some() {
        check_layer_masks(op, ("tgt_mask", "tgt_key_padding_mask"), &target_sizes, &target_sizes)?;
        check_layer_masks(op, ("memory_mask", "memory_key_padding_mask"), &target_sizes, &memory_sizes)?;
        if memory_name == "src" {
            check_layer_masks(op, ("src_mask", "src_key_padding_mask"), &memory_sizes, &memory_sizes)?;
        }
    }
    Ok(Output::tensor(op.solver.resolve_shape(&target.shape), target.dtype))
}

fn check_layer_masks(
    op: &mut Operation,
    names: (&'static str, &'static str),
    target: &Sequence,
    source: &Sequence,
) -> Result<(), Stop> {
    if let Some(mask) = op.given_tensor(names.0) {
        let scores = [target.length, source.length];
        match (op.rank(&mask.shape), op.dim_argument("nhead"), target.batch) {
            (Some(2), ..) => mask_agrees(op, names.0, &mask, Shape::known(scores.to_vec()))?,
            (Some(3), Some(heads), Some(batch)) => {
                mask_agrees(op, names.0, &mask, Shape::known(vec![batch * heads, scores[0], scores[1]]))?;
            }
            (Some(3) | None, ..) => {}
            (Some(_), ..) => {
                let text = format!("{} must have 2 or 3 dimensions", op.operand(names.0, &mask.shape));
                op.reject(&[names.0], text)?;
            }
        }
    }
    if let Some(mask) = op.given_tensor(names.1) {
        let expected: Vec<Dim> = source.batch.into_iter().chain([source.length]).collect();
        mask_agrees(op, names.1, &mask, Shape::known(expected))?;
    }
    Ok(())
}
