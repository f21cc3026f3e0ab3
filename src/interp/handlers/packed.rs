//! Packed sequences of PyTorch: their elements, and the padded sequences that they stand for.

use std::rc::Rc;

use crate::annotations::Entry;
use crate::interp::apis::Callee;
use crate::interp::calls::CallArguments;
use crate::interp::handlers::{FunctionHandler, MethodHandler};
use crate::interp::machine::{Eval, Interpreter};
use crate::interp::value::{Tensor, Value};
use crate::python::name::Name;
use crate::shape::{DType, Shape};

/// The attribute of a packed sequence that holds the padded one, time first; no program can name it.
const PADDED: &str = "(padded)";

/// The fields of the named tuple.
const FIELDS: [&str; 4] = ["data", "batch_sizes", "sorted_indices", "unsorted_indices"];

pub fn function(name: &str) -> Option<FunctionHandler> {
    match name {
        "torch.nn.utils.rnn.pack_padded_sequence" => Some(pack),
        "torch.nn.utils.rnn.pad_packed_sequence" => Some(unpack),
        _ => None,
    }
}

pub fn method(name: &str) -> Option<MethodHandler> {
    (name == "torch.nn.utils.rnn.PackedSequence.__getitem__").then_some(item as MethodHandler)
}

/// What the annotation says of a call.
fn annotated(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    match interpreter.library_entry(name) {
        Some(Entry::Api(spec)) => interpreter.call_api(Callee { spec, api: name }, None, None, arguments),
        _ => Ok(interpreter.symbolic(&format!("{name}(…)"), arguments.span, true)),
    }
}

/// A packed sequence that knows the padded one.
fn pack(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    let span = arguments.span;
    let parts = annotated(interpreter, name, arguments)?;
    let parts = match interpreter.read(&parts) {
        Value::Tuple(items) => items.to_vec(),
        unknown => vec![unknown],
    };
    let own = parts.iter().take(2).cloned().collect();
    let class = Name::new("torch.nn.utils.rnn.PackedSequence");
    let packed = interpreter.call_library(class, CallArguments::positional(own, span))?;
    if let (Value::Instance(id), [data, sizes, padded]) = (&packed, parts.as_slice()) {
        for (field, value) in [("data", data), ("batch_sizes", sizes), (PADDED, padded)] {
            interpreter.heap.set_attribute(*id, Name::new(field), value.clone());
        }
    }
    Ok(packed)
}

/// The padded sequence and its lengths.
fn unpack(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    let padded = match arguments.get(0, "sequence").map(|value| interpreter.read(value)) {
        Some(Value::Instance(id)) => interpreter.heap.attribute(id, Name::new(PADDED)).cloned(),
        _ => None,
    };
    let is_plain = arguments.get(3, "total_length").is_none();
    let batch_first = match arguments.get(1, "batch_first").map(|value| interpreter.read(value)) {
        None => Some(false),
        Some(Value::Bool(first)) => Some(first),
        _ => None,
    };
    let known = padded.filter(|_| is_plain).map(|padded| interpreter.read(&padded)).zip(batch_first);
    let (Some((Value::Tensor(padded), batch_first)), false) = (known, arguments.is_open) else {
        return annotated(interpreter, name, arguments);
    };
    let Some(mut dims) = interpreter.solver.resolve_shape(&padded.shape).dims().filter(|dims| dims.len() >= 2) else {
        return annotated(interpreter, name, arguments);
    };
    let Value::Tuple(made) = annotated(interpreter, name, arguments)? else {
        return Ok(Value::Tuple(vec![Value::Tensor(padded)].into()));
    };
    let [Value::Tensor(sequence), Value::Tensor(lengths)] = &*made else { return Ok(Value::Tuple(made)) };
    let batch = dims[1];
    if batch_first {
        dims.swap(0, 1);
    }
    let shaped = |tensor: &Rc<Tensor>, dims: Vec<crate::shape::Dim>, dtype: DType| {
        Value::Tensor(Rc::new(Tensor { shape: Shape::known(dims), dtype, ..Tensor::clone(tensor) }))
    };
    let sequence = Tensor { device: padded.device, ..Tensor::clone(sequence) };
    let items = vec![shaped(&Rc::new(sequence), dims, padded.dtype), shaped(lengths, vec![batch], DType::Int64)];
    Ok(Value::Tuple(items.into()))
}

/// `packed[0]`: a field by its place.
fn item(interpreter: &mut Interpreter<'_>, receiver: &Value, arguments: CallArguments) -> Eval {
    let index = match arguments.positional.first().map(|value| interpreter.read(value)) {
        Some(Value::Int(index)) => index.as_const().and_then(|index| usize::try_from(index).ok()),
        _ => None,
    };
    match index.and_then(|index| FIELDS.get(index)) {
        Some(field) => interpreter.get_attribute(receiver, Name::new(field), arguments.span),
        None => Ok(interpreter.symbolic("field of a packed sequence", arguments.span, true)),
    }
}
