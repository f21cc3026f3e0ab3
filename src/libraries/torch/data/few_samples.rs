//! Samples that PyTorch's loader draws one by one, as far as there are such: where they differ in their sizes, they
//! make no mini-batch. Of those that are not drawn nothing is assumed: the verdict says that they have to be alike.

use harp_corpus::Span;
use harp_interp::calls::call::CallArguments;
use harp_interp::state::interpreter::{Eval, Interpreter, Interrupt};
use harp_interp::values::value::Value;
use harp_python::name::name;
use harp_shape::{Dim, Shape, Var};
use harp_trace::Subject;

/// Of more samples than this the first ones are drawn one by one.
const MOST_SAMPLES: i64 = 48;
/// What is taken for granted of samples that were not drawn.
const ALIKE: &str = "the samples of a batch have the same shape";
/// What is done about samples that differ.
const PAD: &str =
    "give the loader a `collate_fn` that pads the samples to one length, as `torch.nn.utils.rnn.pad_sequence` does";

/// Reports samples that a loader is to put into one mini-batch, though their sizes differ.
pub(super) fn report_if_they_differ(
    interpreter: &mut Interpreter<'_>,
    dataset: &Value,
    sample: &Value,
    (length, size): (Option<Dim>, Dim),
    before: Var,
    span: Span,
) -> Eval<()> {
    let dataset = interpreter.read(dataset);
    let is_one = size.as_const() == Some(1);
    let is_own = |dims: &Option<Vec<Dim>>| {
        let drawn =
            |dim: &Dim| dim.vars().iter().any(|var| *var > before && !interpreter.tables.counters.contains_key(var));
        dims.iter().flatten().any(drawn)
    };
    let may_differ = !is_one && interpreter.shapes_within(sample, 0).iter().any(is_own);
    let count = length.and_then(Dim::as_const).filter(|count| *count >= 2);
    if may_differ && count.is_none_or(|count| count > MOST_SAMPLES) {
        interpreter.provided(ALIKE.to_owned());
    }
    let count = count.map(|count| count.min(MOST_SAMPLES));
    let (Some(count), Some(size)) = (count, interpreter.solver.at_default(size)) else { return Ok(()) };
    let Value::Instance(_) = dataset else { return Ok(()) };
    let Some(method @ Value::Function(_)) = interpreter.class_attribute(&dataset, name!("__getitem__")) else {
        return Ok(());
    };
    let is_open = |dims: &Option<Vec<Dim>>| dims.iter().flatten().any(|dim| dim.as_const().is_none());
    if size < 2 || !interpreter.shapes_within(sample, 0).iter().any(is_open) {
        return Ok(());
    }
    let method = interpreter.bind_method(&dataset, method);
    let mut shapes = Vec::new();
    for place in 0..count {
        let item = match interpreter.call(&method, CallArguments::positional(vec![Value::int(place)], span)) {
            // Whoever draws it sees that; here nothing is drawn.
            Err(Interrupt::Raise) => return Ok(()),
            drawn => drawn?,
        };
        shapes.push(interpreter.shapes_within(&item, 0));
    }
    let size = usize::try_from(size).unwrap_or(usize::MAX);
    for (number, batch) in shapes.chunks(size).enumerate() {
        let Some((first, rest)) = batch.split_first() else { continue };
        for (later, other) in rest.iter().enumerate() {
            if let Some((one, another)) = first.iter().zip(other).find_map(|(one, other)| differing(one, other)) {
                let at = number * size;
                let message = format!(
                    "the samples of a batch must have the same shape, but sample {at} is {one} and sample {} is {another}",
                    at + later + 1
                );
                interpreter.loops.advice.push(PAD);
                interpreter.fails_always(Subject::Operands, "torch.utils.data.default_collate", message, None, span);
                interpreter.loops.advice.pop();
                return Ok(());
            }
        }
    }
    Ok(())
}

fn differing(one: &Option<Vec<Dim>>, other: &Option<Vec<Dim>>) -> Option<(Shape, Shape)> {
    let (one, other) = (one.as_ref()?, other.as_ref()?);
    let is_known = |dims: &[Dim]| dims.iter().all(|dim| dim.as_const().is_some());
    let differ = is_known(one) && is_known(other) && one != other;
    differ.then(|| (Shape::known(one.clone()), Shape::known(other.clone())))
}
