//! Packed sequences of PyTorch: their elements, and the padded sequences that they stand for.

use std::rc::Rc;

use crate::methods::*;
use harp_annotations::Entry;
use harp_interp::api::call_api::Callee;
use harp_interp::api::library_model::{FunctionHandler, MethodHandler};
use harp_interp::calls::call::CallArguments;
use harp_interp::state::interpreter::{Eval, Interpreter};
use harp_interp::values::tensors_of_sizes::extreme;
use harp_interp::values::value::{ObjectId, OperationId, Tensor, Value};
use harp_python::name::{Name, name};
use harp_shape::{DType, Dim, Shape};

/// The attribute of a packed sequence that holds the padded one, time first; no program can name it.
const PADDED: &str = "(padded)";

const PACKED: &str = "torch.nn.utils.rnn.PackedSequence";

/// The fields of the named tuple.
const FIELDS: [&str; 4] = ["data", "batch_sizes", "sorted_indices", "unsorted_indices"];

pub fn function(name: &str) -> Option<FunctionHandler> {
    match name {
        "torch.nn.utils.rnn.pack_padded_sequence" => Some(pack),
        "torch.nn.utils.rnn.pack_sequence" => Some(pack_listed),
        "torch.nn.utils.rnn.pad_packed_sequence" => Some(unpack),
        PACKED => Some(construct),
        _ => None,
    }
}

pub fn method(name: &str) -> Option<MethodHandler> {
    match name.strip_prefix(PACKED)? {
        ".__getitem__" => Some(item),
        "._replace" => Some(replace),
        _ => None,
    }
}

pub fn instance_call(class: &str) -> Option<MethodHandler> {
    match class {
        "torch.nn.LSTM" => Some(|this, module, arguments| run(this, module, "torch.nn.LSTM", arguments)),
        "torch.nn.GRU" => Some(|this, module, arguments| run(this, module, "torch.nn.GRU", arguments)),
        "torch.nn.RNN" => Some(|this, module, arguments| run(this, module, "torch.nn.RNN", arguments)),
        _ => None,
    }
}

/// Runs `call` for each value that the first argument may have, each on its own path.
pub(crate) fn for_each_first(
    interpreter: &mut Interpreter<'_>,
    parameter: &str,
    arguments: CallArguments,
    mut call: impl FnMut(&mut Interpreter<'_>, CallArguments) -> Eval,
) -> Eval {
    let first = arguments.get(0, parameter).map(|value| interpreter.read(value));
    let Some(several @ Value::Alternatives(_)) = first else { return call(interpreter, arguments) };
    interpreter.for_each_alternative(&several, |this, one| {
        let mut own = arguments.clone();
        match own.positional.first_mut() {
            Some(given) => *given = one,
            None => {
                let named = own.keywords.iter_mut().filter(|(name, _)| name.as_str() == parameter);
                named.for_each(|(_, given)| *given = one.clone());
            }
        }
        call(this, own)
    })
}

fn run(interpreter: &mut Interpreter<'_>, module: &Value, class: &str, arguments: CallArguments) -> Eval {
    for_each_first(interpreter, "input", arguments, |this, own| run_one(this, module, class, own))
}

/// A recurrent layer, which runs over packed sequences as it does over the padded ones, and packs its output.
fn run_one(interpreter: &mut Interpreter<'_>, module: &Value, class: &str, mut arguments: CallArguments) -> Eval {
    let Value::Instance(id) = module else { return Ok(Value::Unknown("recurrent layer")) };
    let (class, span) = (Name::new(class), arguments.span);
    let given = match arguments.get(0, "input").map(|input| interpreter.read(input)) {
        Some(Value::Instance(packed)) => Some(packed),
        _ => None,
    };
    let packed = given.and_then(|packed| interpreter.heap.attribute(packed, Name::new(PADDED)).cloned());
    let batch_first = interpreter.get_attribute(module, name!("batch_first"), span)?;
    let (Some(Value::Tensor(padded)), Value::Bool(batch_first)) = (packed, interpreter.read(&batch_first)) else {
        return interpreter.call_as_annotated(*id, class, arguments);
    };
    let padded = Value::Tensor(if batch_first { swapped(interpreter, &padded) } else { padded });
    match arguments.positional.first_mut() {
        Some(input) => *input = padded,
        None => arguments.keywords.iter_mut().filter(|(name, _)| name.as_str() == "input").for_each(|(_, input)| {
            *input = padded.clone();
        }),
    }
    let results = interpreter.call_as_annotated(*id, class, arguments)?;
    let Value::Tuple(results) = interpreter.read(&results) else { return Ok(results) };
    let [Value::Tensor(output), states @ ..] = &*results else { return Ok(Value::Tuple(results)) };
    let padded = if batch_first { swapped(interpreter, output) } else { Rc::clone(output) };
    let data = interpreter.solver.resolve_shape(&padded.shape).dims().map(|dims| {
        let elements = given.and_then(|packed| number_of_elements(interpreter, packed));
        let elements = elements.unwrap_or_else(|| interpreter.free_dim("elements", 1));
        std::iter::once(elements).chain(dims.into_iter().skip(2)).collect::<Vec<_>>()
    });
    let class = Name::new(PACKED);
    let packed = interpreter.call_library(class, CallArguments::positional(Vec::new(), span))?;
    if let Value::Instance(packed) = packed {
        let data = data.map_or(Shape::unknown("s"), Shape::known);
        let data = Value::Tensor(Rc::new(Tensor { shape: data, ..Tensor::clone(&padded) }));
        interpreter.heap.set_attribute(packed, name!("data"), data);
        interpreter.heap.set_attribute(packed, Name::new(PADDED), Value::Tensor(padded));
        if let Some(sizes) = given.and_then(|given| interpreter.heap.attribute(given, name!("batch_sizes")).cloned()) {
            interpreter.heap.set_attribute(packed, name!("batch_sizes"), sizes);
        }
    }
    Ok(Value::tuple(std::iter::once(packed).chain(states.iter().cloned()).collect()))
}

/// A tensor with its first two dimensions exchanged.
fn swapped(interpreter: &mut Interpreter<'_>, tensor: &Rc<Tensor>) -> Rc<Tensor> {
    match interpreter.solver.resolve_shape(&tensor.shape).dims() {
        Some(mut dims) if dims.len() >= 2 => {
            dims.swap(0, 1);
            Rc::new(Tensor { shape: Shape::known(dims), ..Tensor::clone(tensor) })
        }
        _ => Rc::new(Tensor { shape: Shape::unknown("s"), ..Tensor::clone(tensor) }),
    }
}

/// What the annotation says of a call.
fn annotated(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    match interpreter.library_entry(name) {
        Some(Entry::Api(spec)) => interpreter.call_api(Callee { spec, api: name }, None, None, arguments),
        _ => Ok(interpreter.symbolic(&format!("{name}(…)"), arguments.span, true)),
    }
}

fn pack(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    for_each_first(interpreter, "input", arguments, |this, own| pack_one(this, name, own))
}

/// A packed sequence that knows the padded one.
fn pack_one(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    let span = arguments.span;
    let lengths = arguments.get(1, "lengths").and_then(|lengths| interpreter.sizes_held(lengths));
    let arguments = match &lengths {
        Some(lengths) => with_lengths(interpreter, arguments, lengths),
        None => arguments,
    };
    let lengths = lengths.and_then(|lengths| Some((extreme(&lengths, true)?, lengths)));
    let parts = annotated(interpreter, name, arguments)?;
    let mut parts = match interpreter.read(&parts) {
        Value::Tuple(items) => items.to_vec(),
        unknown => vec![unknown],
    };
    if let (Some((longest, lengths)), [data, sizes, padded]) = (lengths, parts.as_mut_slice()) {
        let all = lengths.into_iter().fold(Dim::constant(0), |sum, length| sum + length);
        for (part, first) in [(data, all), (sizes, longest), (padded, longest)] {
            *part = with_first(interpreter, part, first);
        }
    }
    let own = parts.iter().take(2).cloned().collect();
    let class = Name::new(PACKED);
    let packed = interpreter.call_library(class, CallArguments::positional(own, span))?;
    if let (Value::Instance(id), [data, sizes, padded]) = (&packed, parts.as_slice()) {
        for (field, value) in [("data", data), ("batch_sizes", sizes), (PADDED, padded)] {
            interpreter.heap.set_attribute(*id, Name::new(field), value.clone());
        }
        remember(interpreter, sizes, padded);
    }
    Ok(packed)
}

/// The arguments with lengths that are known one by one, also where a tensor holds them.
fn with_lengths(interpreter: &mut Interpreter<'_>, mut arguments: CallArguments, lengths: &[Dim]) -> CallArguments {
    let list = Value::List(interpreter.heap.allocate_list(lengths.iter().copied().map(Value::Int).collect()));
    match arguments.positional.get_mut(1) {
        Some(given) => *given = list,
        None => {
            let named = arguments.keywords.iter_mut().filter(|(name, _)| name.as_str() == "lengths");
            named.for_each(|(_, given)| *given = list.clone());
        }
    }
    arguments
}

/// `PackedSequence(data, batch_sizes)`: other elements in the order of a sequence that was packed before.
fn construct(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    let Some(spec) = interpreter.library_class(name) else {
        return Ok(interpreter.symbolic(&format!("{name}(…)"), arguments.span, true));
    };
    let given = |place: usize| arguments.get(place, FIELDS[place]).map(|value| interpreter.read(value));
    let (data, sizes) = (given(0), given(1));
    let made = interpreter.construct_library(spec, name, arguments)?;
    if let (Value::Instance(id), Some(Value::Tensor(data)), Some(Value::Tensor(sizes))) = (&made, data, sizes) {
        if let Some(padded) = padded_of(interpreter, &data, &sizes) {
            interpreter.heap.set_attribute(*id, Name::new(PADDED), padded);
        }
        for (field, value) in [("data", data), ("batch_sizes", sizes)] {
            interpreter.heap.set_attribute(*id, Name::new(field), Value::Tensor(value));
        }
    }
    Ok(made)
}

/// `packed._replace(data=…)`
fn replace(interpreter: &mut Interpreter<'_>, packed: &Value, arguments: CallArguments) -> Eval {
    let span = arguments.span;
    let mut own = Vec::with_capacity(2);
    for field in &FIELDS[..2] {
        own.push(match arguments.keyword(field) {
            Some(value) => value.clone(),
            None => interpreter.get_attribute(packed, Name::new(field), span)?,
        });
    }
    interpreter.call_library(Name::new(PACKED), CallArguments::positional(own, span))
}

/// Where it is remembered what was padded of which the sizes of batches tell: the operation that made them is the name.
fn place_of_sizes(sizes: &Tensor) -> Option<Name> {
    let OperationId(number) = sizes.operation;
    (sizes.operation != OperationId::NONE).then(|| Name::new(&format!("{PADDED} {number}")))
}

/// Remembers the padded sequence for others that are packed in the same way.
fn remember(interpreter: &mut Interpreter<'_>, sizes: &Value, padded: &Value) {
    if let Value::Tensor(sizes) = interpreter.read(sizes)
        && let Some(place) = place_of_sizes(&sizes)
    {
        interpreter.heap.set_attribute(interpreter.model_state.settings.registry, place, padded.clone());
    }
}

/// The padded sequence of such elements.
fn padded_of(interpreter: &Interpreter<'_>, data: &Rc<Tensor>, sizes: &Tensor) -> Option<Value> {
    let known = interpreter.heap.attribute(interpreter.model_state.settings.registry, place_of_sizes(sizes)?)?;
    let Value::Tensor(known) = interpreter.read(known) else { return None };
    let (front, rest) = (interpreter.solver.resolve_shape(&known.shape).dims()?, &data.shape);
    let rest = interpreter.solver.resolve_shape(rest).dims()?;
    let dims: Vec<Dim> = front.into_iter().take(2).chain(rest.into_iter().skip(1)).collect();
    Some(Value::Tensor(Rc::new(Tensor { shape: Shape::known(dims), ..Tensor::clone(data) })))
}

/// A tensor with another number of rows.
fn with_first(interpreter: &Interpreter<'_>, value: &Value, first: Dim) -> Value {
    let Value::Tensor(tensor) = interpreter.read(value) else { return value.clone() };
    match interpreter.solver.resolve_shape(&tensor.shape).dims() {
        Some(mut dims) if !dims.is_empty() => {
            dims[0] = first;
            Value::Tensor(Rc::new(Tensor { shape: Shape::known(dims), ..Tensor::clone(&tensor) }))
        }
        _ => value.clone(),
    }
}

/// How many elements a packed sequence has, all sequences together.
fn number_of_elements(interpreter: &Interpreter<'_>, packed: ObjectId) -> Option<Dim> {
    let data = interpreter.heap.attribute(packed, name!("data"))?;
    let Value::Tensor(data) = interpreter.read(data) else { return None };
    interpreter.solver.resolve_shape(&data.shape).dims()?.first().copied()
}

/// `pack_sequence(sequences)`: as padding and packing them.
fn pack_listed(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    let span = arguments.span;
    let sequences = arguments.get(0, "sequences").cloned().unwrap_or(Value::Unknown("sequences"));
    let pad = name!("torch.nn.utils.rnn.pad_sequence");
    let padded = interpreter.call_library(pad, CallArguments::positional(vec![sequences.clone()], span))?;
    let Value::Tensor(padded) = interpreter.read(&padded) else { return interpreter.call_described(name, arguments) };
    let Some(dims) = interpreter.solver.resolve_shape(&padded.shape).dims().filter(|dims| dims.len() >= 2) else {
        return interpreter.call_described(name, arguments);
    };
    let items = match interpreter.read(&sequences) {
        Value::List(id) => interpreter.heap.list(id).filter(|data| data.rest.is_none()).map(|data| data.items.clone()),
        Value::Tuple(items) => Some(items.to_vec()),
        _ => None,
    };
    let lengths =
        items.and_then(|items| items.iter().map(|item| interpreter.length_of(item)).collect::<Option<Vec<Dim>>>());
    let elements = match lengths {
        Some(lengths) => lengths.into_iter().fold(Dim::constant(0), |sum, length| sum + length),
        None => interpreter.free_dim("elements", 1),
    };
    let rest = dims.iter().skip(2).copied();
    let data = Shape::known(std::iter::once(elements).chain(rest).collect::<Vec<_>>());
    let data = Value::Tensor(Rc::new(Tensor { shape: data, ..Tensor::clone(&padded) }));
    let sizes = Shape::known(vec![dims[0]]);
    let sizes = Value::Tensor(Rc::new(Tensor { shape: sizes, dtype: DType::Int64, ..Tensor::clone(&padded) }));
    let class = Name::new(PACKED);
    let packed = interpreter.call_library(class, CallArguments::positional(vec![data.clone(), sizes.clone()], span))?;
    if let Value::Instance(id) = &packed {
        for (field, value) in [("data", data), ("batch_sizes", sizes), (PADDED, Value::Tensor(padded))] {
            interpreter.heap.set_attribute(*id, Name::new(field), value);
        }
    }
    Ok(packed)
}

fn unpack(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    for_each_first(interpreter, "sequence", arguments, |this, own| unpack_one(this, name, own))
}

/// The padded sequence and its lengths.
fn unpack_one(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    let padded = match arguments.get(0, "sequence").map(|value| interpreter.read(value)) {
        Some(Value::Instance(id)) => interpreter.heap.attribute(id, Name::new(PADDED)).cloned(),
        _ => None,
    };
    let total = arguments.get(3, "total_length").map_or(Value::None, |total| interpreter.read(total));
    let is_plain = matches!(total, Value::None | Value::Int(_));
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
    match total {
        Value::Int(total) => dims[0] = total,
        // A replica pads to the longest sequence of its own part.
        _ => dims[0] = interpreter.size_of_replica("longest", dims[0]),
    }
    if batch_first {
        dims.swap(0, 1);
    }
    let shaped = |tensor: &Rc<Tensor>, dims: Vec<Dim>, dtype: DType| {
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
