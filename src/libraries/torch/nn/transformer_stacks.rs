//! `torch.nn.TransformerEncoder` and `TransformerDecoder`: the layer that is given says what goes through the stack.

use crate::methods::*;
use harp_corpus::Span;
use harp_interp::api::dispatch::argument_of;
use harp_interp::api::library_model::MethodHandler;
use harp_interp::calls::call::CallArguments;
use harp_interp::state::interpreter::{Eval, Interpreter};
use harp_interp::values::value::Value;
use harp_python::ir::BinaryOperator;
use harp_python::name::{Name, name};

/// The attribute with the layers of a stack.
const LAYERS: &str = "layers";
const ENCODER_LAYER: &str = "torch.nn.TransformerEncoderLayer";
const DECODER_LAYER: &str = "torch.nn.TransformerDecoderLayer";
/// Of more layers no copies are made.
const MOST_LAYERS: i64 = 128;

pub fn instance_call(class: &str) -> Option<MethodHandler> {
    match class {
        "torch.nn.TransformerEncoder" => Some(call_encoder),
        "torch.nn.TransformerDecoder" => Some(call_decoder),
        ENCODER_LAYER | DECODER_LAYER => Some(run_layer),
        _ => None,
    }
}

/// The parts that a layer is called through, which classes that derive from it call as well.
pub fn method(name: &str) -> Option<MethodHandler> {
    let (layer, part) = name.rsplit_once('.')?;
    match (layer, part) {
        (ENCODER_LAYER | DECODER_LAYER, "_ff_block") => Some(feed_forward),
        (ENCODER_LAYER | DECODER_LAYER, "_sa_block") => {
            Some(|this, layer, arguments| attend(this, layer, name!("self_attn"), arguments))
        }
        (DECODER_LAYER, "_mha_block") => {
            Some(|this, layer, arguments| attend(this, layer, name!("multihead_attn"), arguments))
        }
        _ => None,
    }
}

/// `_ff_block(x)`
fn feed_forward(interpreter: &mut Interpreter<'_>, layer: &Value, arguments: CallArguments) -> Eval {
    let span = arguments.span;
    let mut value = arguments.get(0, "x").cloned().unwrap_or(Value::Unknown("input of a layer"));
    for part in ["linear1", "linear2"] {
        let part = interpreter.get_attribute(layer, Name::new(part), span)?;
        value = interpreter.call(&part, CallArguments::positional(vec![value], span))?;
    }
    Ok(value)
}

/// `_sa_block(x, attn_mask, key_padding_mask)`, `_mha_block(x, mem, attn_mask, key_padding_mask)`
fn attend(interpreter: &mut Interpreter<'_>, layer: &Value, part: Name, arguments: CallArguments) -> Eval {
    let span = arguments.span;
    let has_memory = part.as_str() == "multihead_attn";
    let query = arguments.get(0, "x").cloned().unwrap_or(Value::Unknown("input of a layer"));
    let memory = if has_memory { arguments.get(1, "mem").cloned() } else { None }.unwrap_or_else(|| query.clone());
    let mut call = CallArguments::positional(vec![query, memory.clone(), memory], span);
    for (place, option) in ["attn_mask", "key_padding_mask"].into_iter().enumerate() {
        if let Some(mask) = arguments.get(place + 1 + usize::from(has_memory), option) {
            call.keywords.push((Name::new(option), mask.clone()));
            call.keyword_spans.push(None);
        }
    }
    let attention = interpreter.get_attribute(layer, part, span)?;
    let result = interpreter.call(&attention, call)?;
    interpreter.get_item(&result, &Value::int(0), span)
}

/// A layer, and its feed-forward part where the program has got hold of that, and may have replaced it.
fn run_layer(interpreter: &mut Interpreter<'_>, layer: &Value, arguments: CallArguments) -> Eval {
    let Value::Instance(id) = layer else { return Ok(Value::Unknown("layer")) };
    let bases = interpreter.library_bases(&interpreter.class_of(layer), None);
    let base = bases.into_iter().find(|base| matches!(base.as_str(), ENCODER_LAYER | DECODER_LAYER));
    let Some(base) = base else { return Ok(Value::Unknown("layer")) };
    let span = arguments.span;
    let result = interpreter.call_as_annotated(*id, base, arguments)?;
    let parts = ["linear1", "linear2"].map(Name::new);
    if parts.iter().all(|part| interpreter.heap.attribute(*id, *part).is_none()) {
        return Ok(result);
    }
    let mut value = result.clone();
    for part in parts {
        let part = interpreter.get_attribute(layer, part, span)?;
        value = interpreter.call(&part, CallArguments::positional(vec![value], span))?;
    }
    interpreter.binary(BinaryOperator::Add, &result, &value, span, [span, span])
}

/// `encoder(src, mask, src_key_padding_mask)`: each layer calls the mask `src_mask`.
fn call_encoder(interpreter: &mut Interpreter<'_>, module: &Value, arguments: CallArguments) -> Eval {
    let parameters = [("src", ""), ("mask", "src_mask"), ("src_key_padding_mask", "src_key_padding_mask")];
    call_layer(interpreter, module, "encoder_layer", &parameters, arguments)
}

/// `decoder(tgt, memory, tgt_mask, memory_mask, …)`.
fn call_decoder(interpreter: &mut Interpreter<'_>, module: &Value, arguments: CallArguments) -> Eval {
    let parameters = [
        ("tgt", ""),
        ("memory", ""),
        ("tgt_mask", "tgt_mask"),
        ("memory_mask", "memory_mask"),
        ("tgt_key_padding_mask", "tgt_key_padding_mask"),
        ("memory_key_padding_mask", "memory_key_padding_mask"),
    ];
    call_layer(interpreter, module, "decoder_layer", &parameters, arguments)
}

/// Sends the arguments through the layer once, as a layer keeps the shape; through each where the program has got hold of them, and may have
/// changed them. `parameters` are those of the stack, with what the layer calls them.
fn call_layer(
    interpreter: &mut Interpreter<'_>,
    module: &Value,
    layer: &str,
    parameters: &[(&str, &str)],
    arguments: CallArguments,
) -> Eval {
    let span = arguments.span;
    let data = interpreter.instance_data(module);
    let norm = data.as_ref().map(|data| argument_of(data, "norm"));
    let layer = data.map(|data| (argument_of(&data, layer), argument_of(&data, "num_layers")));
    let first = arguments.get(0, parameters[0].0).cloned();
    let (Some((layer, count)), Some(first)) = (layer, first) else {
        return Ok(interpreter.symbolic("result of a stack of layers", span, true));
    };
    if count.as_int() == Some(0) {
        return Ok(first);
    }
    let mut call = CallArguments::empty(span);
    for (place, (own, theirs)) in parameters.iter().enumerate() {
        let Some(value) = arguments.get(place, own).cloned() else { continue };
        let spans = &arguments.positional_spans;
        if theirs.is_empty() {
            call.positional_spans.push(spans.get(place).copied().flatten());
            call.positional.push(value);
        } else {
            call.keywords.push((Name::new(theirs), value));
            call.keyword_spans.push(None);
        }
    }
    call.is_open = arguments.is_open;
    let Value::Instance(stack) = module else { return Ok(first) };
    let copies = interpreter.heap.attribute(*stack, Name::new(LAYERS)).cloned();
    let layers = match copies.map(|copies| interpreter.read(&copies)) {
        Some(Value::Instance(list)) => interpreter.children(list).into_iter().map(|(_, layer)| layer).collect(),
        Some(_) => return Ok(interpreter.symbolic("result of a stack of layers", span, true)),
        None => vec![layer],
    };
    let mut value = first;
    for layer in layers {
        let layer = interpreter.read(&layer);
        // A layer keeps the shape, whatever it is.
        if matches!(layer, Value::Instance(_)) {
            call.positional[0] = value;
            value = interpreter.call(&layer, call.clone())?;
        }
    }
    let norm = interpreter.heap.attribute(*stack, name!("norm")).cloned().or(norm);
    match norm.map(|norm| interpreter.read(&norm)) {
        Some(norm @ Value::Instance(_)) => interpreter.call(&norm, CallArguments::positional(vec![value], span)),
        _ => Ok(value),
    }
}

#[easy_ext::ext(TransformerStacksMethods)]
pub impl Interpreter<'_> {
    /// The copies of the layer that a stack runs, made when the program asks for them.
    fn layers_of_stack(&mut self, module: &Value, base: Name, name: Name, span: Span) -> Option<Value> {
        let layer = match base.as_str() {
            "torch.nn.TransformerEncoder" => "encoder_layer",
            "torch.nn.TransformerDecoder" => "decoder_layer",
            _ => return None,
        };
        if name.as_str() != LAYERS {
            return None;
        }
        let data = self.instance_data(module)?;
        let layer = argument_of(&data, layer);
        let count = argument_of(&data, "num_layers").as_int().filter(|count| (0..=MOST_LAYERS).contains(count))?;
        let copies: Option<Vec<Value>> = (0..count)
            .map(|_| {
                let call = CallArguments::positional(vec![layer.clone()], span);
                self.call_library(name!("copy.deepcopy"), call).ok()
            })
            .collect();
        let list = Value::List(self.heap.allocate_list(copies?));
        self.call_library(name!("torch.nn.ModuleList"), CallArguments::positional(vec![list], span)).ok()
    }
}
