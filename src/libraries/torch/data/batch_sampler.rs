//! `DataLoader(dataset, sampler=BatchSampler(…), batch_size=None)`: a data set that is asked for the samples of a batch at once, by a list of indices.

use crate::methods::*;
use std::rc::Rc;

use crate::torch::data::loader::{
    LEAVE_OUT, LEAVE_OUT_ALONE, batch_count, collating, drawn_samples, last_batch, size_for_few,
};
use harp_interp::api::dispatch::argument_of;
use harp_interp::calls::call::CallArguments;
use harp_interp::heap::objects::{InstanceData, ListData, Payload};
use harp_interp::state::interpreter::{Eval, Interpreter};
use harp_interp::values::value::{Iteration, ObjectId, Residual, Value};
use harp_shape::Dim;

/// Longer lists of indices are not written out.
const MOST_INDICES: i64 = 256;

/// What such a loader gives; `None` for one whose sampler gives indices one by one.
pub fn drawn(interpreter: &mut Interpreter<'_>, id: ObjectId, data: &InstanceData) -> Eval<Option<Iteration>> {
    let sampler = interpreter.read(&argument_of(data, "sampler"));
    if !interpreter.is_instance_of(&sampler, "torch.utils.data.BatchSampler") {
        return Ok(None);
    }
    let Some(inner) = interpreter.instance_data(&sampler) else { return Ok(None) };
    let dataset = argument_of(data, "dataset");
    let source = interpreter.read(&argument_of(&inner, "sampler"));
    let Some(size) = interpreter.read(&argument_of(&inner, "batch_size")).as_dim() else { return Ok(None) };
    let size = interpreter.solver.resolve(size);
    let drop_last = match interpreter.read(&argument_of(&inner, "drop_last")) {
        Value::Bool(value) => Some(value),
        _ => None,
    };
    let length = drawn_samples(interpreter, id, &dataset, &source)?;
    let size = size_for_few(interpreter, size, length);
    let last = if drop_last == Some(false) { last_batch(interpreter, length, size) } else { None };
    let element = samples(interpreter, (id, data), &dataset, size)?;
    let residual = match last {
        None => None,
        Some(last) => Some(Rc::new(Residual {
            element: samples(interpreter, (id, data), &dataset, last.size)?,
            condition: last.condition,
            certain: last.is_certain,
            text: last.text,
            advice: LEAVE_OUT,
            advice_alone: LEAVE_OUT_ALONE,
            batch: size,
            samples: length.unwrap_or(size),
            origin: data.origin,
        })),
    };
    let count = length.map(|length| batch_count(length, size, drop_last));
    Ok(Some(Iteration::Repeated { element, count, residual }))
}

/// What the data set gives for so many indices, as the loader hands it out.
fn samples(
    interpreter: &mut Interpreter<'_>,
    (id, data): (ObjectId, &InstanceData),
    dataset: &Value,
    size: Dim,
) -> Eval {
    let count = size.as_const().filter(|count| (0..=MOST_INDICES).contains(count));
    let indices = match count {
        Some(count) => {
            let items = (0..count).map(|_| Value::Int(interpreter.free_dim("index", 0))).collect();
            ListData { items, rest: None }
        }
        None => ListData { items: Vec::new(), rest: Some(Value::Int(interpreter.free_dim("index", 0))) },
    };
    let indices = Value::List(interpreter.heap.allocate(Payload::List(Rc::new(indices))));
    let samples = interpreter.get_item(dataset, &indices, data.origin)?;
    match collating(interpreter, id, data) {
        Value::None => Ok(interpreter.convert(&samples)),
        collate => interpreter.call(&collate, CallArguments::positional(vec![samples], data.origin)),
    }
}
