//! `torch.utils.data.DataLoader`: mini-batches of a data set, and the last one, which is smaller where the batch size does not divide the
//! number of samples.

use crate::methods::*;
use std::rc::Rc;

use crate::torch::data::batch_sampler;
use crate::torch::data::dataset::given;
use crate::torch::data::few_samples;
use crate::torch::data::unknown_batch_size::FEW;
use harp_corpus::Span;
use harp_interp::api::dispatch::argument_of;
use harp_interp::api::library_model::{FunctionHandler, IterationHandler, MethodHandler};
use harp_interp::calls::call::CallArguments;
use harp_interp::heap::objects::{InstanceData, ListData, Payload};
use harp_interp::state::bounded_walk::Walk;
use harp_interp::state::interpreter::{Eval, Interpreter};
use harp_interp::values::value::{Iteration, ObjectId, Residual, Value};
use harp_python::name::{Name, name};
use harp_shape::{Constraint, Dim, Var, VarInfo};

const LOADER: &str = "torch.utils.data.DataLoader";
/// Where a loader keeps how the program writes its data set.
const TEXT: &str = "#dataset";
/// Where a loader keeps its batches, once they were asked for.
const BATCHES: &str = "#batches";
/// A function that collates is given so many samples one by one.
const LISTED_SAMPLES: i64 = 256;
/// What depends on which data set or batch size it is, is told apart.
const DISTINGUISHED: [&str; 6] = ["dataset", "batch_size", "drop_last", "sampler", "batch_sampler", "collate_fn"];

pub fn function(name: &str) -> Option<FunctionHandler> {
    match name {
        LOADER => Some(|this, name, arguments| {
            let data = InstanceData { class: Value::Library(name), arguments: Vec::new(), origin: arguments.span };
            construct(this, data, arguments)
        }),
        "torch.utils.data.default_collate" | "torch.utils.data.dataloader.default_collate" => {
            Some(|this, _, arguments| {
                let items = arguments.get(0, "batch").cloned().unwrap_or(Value::Unknown("batch"));
                let size = this.length_of(&items).unwrap_or_else(|| given("batch", None, None));
                let iteration = this.iterate(&items)?;
                let sample = this.any_item(iteration, arguments.span);
                this.collate(&sample, size, arguments.span)
            })
        }
        "tqdm.tqdm"
        | "tqdm.auto.tqdm"
        | "tqdm.notebook.tqdm"
        | "tqdm.std.tqdm"
        | "tqdm.autonotebook.tqdm"
        | "rich.progress.track" => Some(progress),
        "tqdm.trange" | "tqdm.auto.trange" | "tqdm.notebook.trange" => Some(|this, _, arguments| {
            let range = this.call_library(
                name!("builtins.range"),
                CallArguments { keywords: Vec::new(), keyword_spans: Vec::new(), ..arguments.clone() },
            )?;
            Ok(progress_bar(this, range, arguments.span))
        }),
        _ => None,
    }
}

pub fn method(name: &str) -> Option<MethodHandler> {
    match name {
        "torch.utils.data.DataLoader.__len__" => Some(length),
        "tqdm.tqdm.__len__" => Some(|this, bar, arguments| {
            let wrapped = wrapped_value(this, bar);
            this.call_library(name!("builtins.len"), CallArguments::positional(vec![wrapped], arguments.span))
        }),
        "tqdm.tqdm.set_description"
        | "tqdm.tqdm.set_description_str"
        | "tqdm.tqdm.set_postfix"
        | "tqdm.tqdm.set_postfix_str"
        | "tqdm.tqdm.update"
        | "tqdm.tqdm.close"
        | "tqdm.tqdm.write"
        | "tqdm.tqdm.refresh"
        | "tqdm.tqdm.reset"
        | "tqdm.tqdm.clear"
        | "tqdm.tqdm.display" => Some(|_, _, _| Ok(Value::None)),
        _ => None,
    }
}

pub fn iteration(class: &str) -> Option<IterationHandler> {
    match class {
        LOADER => Some(batches),
        "tqdm.tqdm" => Some(|this, bar| {
            let wrapped = wrapped_value(this, bar);
            this.iterate(&wrapped)
        }),
        _ => None,
    }
}

/// `tqdm(iterable)`: the iterable with methods that show progress.
fn progress(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let span = arguments.span;
    match arguments.positional.first().or_else(|| arguments.keyword("iterable")) {
        Some(iterable) => {
            let iterable = iterable.clone();
            interpreter.for_each_alternative(&iterable, |this, iterable| Ok(progress_bar(this, iterable, span)))
        }
        None => Ok(progress_bar(interpreter, Value::Unknown("a bar over nothing"), span)),
    }
}

fn progress_bar(interpreter: &mut Interpreter<'_>, iterable: Value, span: Span) -> Value {
    let data = InstanceData {
        class: Value::library("tqdm.tqdm"),
        arguments: vec![(name!("iterable"), iterable)],
        origin: span,
    };
    Value::Instance(interpreter.heap.allocate(Payload::Instance(Rc::new(data))))
}

fn wrapped_value(interpreter: &Interpreter<'_>, bar: &Value) -> Value {
    interpreter.instance_data(bar).map_or(Value::Unknown("progress bar"), |data| argument_of(&data, "iterable"))
}

/// A new loader; one for each of the data sets that it may be given.
fn construct(interpreter: &mut Interpreter<'_>, data: InstanceData, arguments: CallArguments) -> Eval {
    let Some(spec) = interpreter.library_class(Name::new(LOADER)) else { return Ok(Value::Unknown("loader")) };
    let bound = interpreter.bind_library(&spec.constructor, None, &arguments);
    let text = dataset_text(interpreter, &arguments);
    construct_bound(interpreter, InstanceData { arguments: bound, ..data }, &text)
}

fn construct_bound(interpreter: &mut Interpreter<'_>, data: InstanceData, text: &str) -> Eval {
    let open = data.arguments.iter().position(|(name, value)| {
        DISTINGUISHED.contains(&name.as_str()) && matches!(interpreter.read(value), Value::Alternatives(_))
    });
    if let Some(index) = open {
        let value = data.arguments[index].1.clone();
        return interpreter.for_each_alternative(&value, |this, alternative| {
            let mut arguments = data.arguments.clone();
            arguments[index].1 = alternative;
            let data = InstanceData { class: data.class.clone(), arguments, origin: data.origin };
            construct_bound(this, data, text)
        });
    }
    if let Some(size) = argument_of(&data, "batch_size").as_dim()
        && interpreter.solver.at_default(size).is_some_and(|size| size > 1)
    {
        // That batches of one sample behave differently is no news about the program.
        interpreter.solver.assume(&Constraint::Less(Dim::constant(1), size));
    }
    let id = interpreter.heap.allocate(Payload::Instance(Rc::new(data)));
    interpreter.heap.set_attribute(id, Name::new(TEXT), Value::str(text));
    Ok(Value::Instance(id))
}

/// `len(train_set)`, as the program names the data set.
fn dataset_text(interpreter: &Interpreter<'_>, arguments: &CallArguments) -> String {
    let keyword = arguments.keywords.iter().position(|(name, _)| name.as_str() == "dataset");
    let span = match keyword {
        Some(position) => arguments.keyword_spans.get(position).copied().flatten(),
        None => arguments.positional_spans.first().copied().flatten(),
    };
    let text = span.map_or("", |span| interpreter.source_text(span));
    let is_name = !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'));
    format!("len({})", if is_name { text } else { "dataset" })
}

/// How a loader divides its data set.
struct Batching {
    /// `None` where samples are not put into batches.
    size: Option<Dim>,
    /// Whether the last, smaller batch is left out, where that is known.
    drop_last: Option<bool>,
    /// The number of samples.
    length: Option<Dim>,
}

fn batching(interpreter: &mut Interpreter<'_>, id: ObjectId, data: &InstanceData) -> Eval<Batching> {
    let dataset = argument_of(data, "dataset");
    let sampler = interpreter.read(&argument_of(data, "sampler"));
    let batch_sampler = interpreter.read(&argument_of(data, "batch_sampler"));
    let (mut size, mut drop_last, mut source) =
        (argument_of(data, "batch_size"), argument_of(data, "drop_last"), sampler);
    let mut own = None;
    if !matches!(batch_sampler, Value::None | Value::Unknown(_)) {
        own = Some(size_of_own_batches(interpreter, &batch_sampler)?);
        let inner = interpreter.instance_data(&batch_sampler);
        let inner = inner.filter(|_| interpreter.is_instance_of(&batch_sampler, "torch.utils.data.BatchSampler"));
        let get = |name: &str| inner.as_ref().map_or(Value::Unknown("batch sampler"), |data| argument_of(data, name));
        (size, drop_last, source) = (get("batch_size"), get("drop_last"), get("sampler"));
    }
    let size = match interpreter.read(&size) {
        Value::None => None,
        value => Some(match value.as_dim() {
            Some(size) => interpreter.solver.resolve(size),
            None if let Some(own) = own => {
                drop_last = own.map_or(Value::Unknown("batch size"), |_| Value::Bool(true));
                own.unwrap_or_else(|| interpreter.free_dim("batch", 1))
            }
            None => {
                // Neither how large the batches are nor whether one is smaller is known.
                drop_last = Value::Unknown("batch size");
                given("batch", None, None)
            }
        }),
    };
    let length = drawn_samples(interpreter, id, &dataset, &source)?;
    let drop_last = match interpreter.read(&drop_last) {
        Value::Bool(value) => Some(value),
        Value::Int(dim) => dim.as_const().map(|value| value != 0),
        _ => None,
    };
    Ok(Batching { size, drop_last, length })
}

/// How many indices a sampler of the program's own puts into each batch, where all batches are alike.
fn size_of_own_batches(interpreter: &mut Interpreter<'_>, sampler: &Value) -> Eval<Option<Dim>> {
    if !matches!(interpreter.class_attribute(sampler, name!("__iter__")), Some(Value::Function(_))) {
        return Ok(None);
    }
    let iteration = interpreter.iterate(sampler)?;
    let (batches, ..) = interpreter.sample(iteration);
    let sizes: Vec<Option<Dim>> = batches.iter().map(|batch| interpreter.length_of(batch)).collect();
    let first = sizes.first().copied().flatten().filter(|size| size.as_const().is_some());
    Ok(first.filter(|first| sizes.iter().all(|size| *size == Some(*first))))
}

/// How many samples are drawn: as many as the sampler says, else the whole data set.
pub(crate) fn drawn_samples(
    interpreter: &mut Interpreter<'_>,
    id: ObjectId,
    dataset: &Value,
    sampler: &Value,
) -> Eval<Option<Dim>> {
    let span = interpreter.current_span();
    let text = match interpreter.heap.attribute(id, Name::new(TEXT)).and_then(Value::as_text) {
        Some(text) => text.to_owned(),
        None => "len(dataset)".to_owned(),
    };
    if interpreter.is_instance_of(dataset, "torch.utils.data.IterableDataset") {
        let has_length = matches!(interpreter.class_attribute(dataset, name!("__len__")), Some(Value::Function(_)));
        if !has_length {
            return Ok(Some(given(&text, None, None)));
        }
    }
    if let Some(data) = interpreter.instance_data(sampler) {
        let by_indices = interpreter.is_instance_of(sampler, "torch.utils.data.SubsetRandomSampler");
        let whole = interpreter.is_instance_of(sampler, "torch.utils.data.SequentialSampler")
            || (interpreter.is_instance_of(sampler, "torch.utils.data.RandomSampler")
                && argument_of(&data, "num_samples").is_none());
        if by_indices {
            let indices = argument_of(&data, "indices");
            let length = interpreter.length_of(&indices).map(|length| interpreter.solver.resolve(length));
            return Ok(Some(length.map_or_else(|| given("len(indices)", None, None), settled_length("len(indices)"))));
        }
        if !whole {
            let count = argument_of(&data, "num_samples").as_dim();
            return Ok(Some(count.unwrap_or_else(|| given("len(sampler)", None, None))));
        }
    } else if !sampler.is_none() {
        return Ok(Some(given("len(sampler)", None, None)));
    }
    let length = match interpreter.length_of_dataset(dataset, span)? {
        Some(length) => settled_length(&text)(length),
        None => given(&text, None, None),
    };
    interpreter.keep_length(dataset, length);
    Ok(Some(length))
}

/// The length of a list of which nothing is known is a number that no requirement decides.
fn settled_length(text: &str) -> impl Fn(Dim) -> Dim + '_ {
    move |length| match length.as_var() {
        Some(variable) if variable.kind() == harp_shape::VarKind::Free => given(text, None, None),
        _ => length,
    }
}

/// The batches of a loader, made anew in each pass.
fn batches(interpreter: &mut Interpreter<'_>, loader: &Value) -> Eval<Iteration> {
    Ok(match known_batches(interpreter, loader)? {
        Iteration::Repeated { element, count, residual } => {
            Iteration::Repeated { element: interpreter.given_anew(&element), count, residual }
        }
        Iteration::Items(items) => Iteration::Items(items.iter().map(|batch| interpreter.given_anew(batch)).collect()),
        other => other,
    })
}

fn known_batches(interpreter: &mut Interpreter<'_>, loader: &Value) -> Eval<Iteration> {
    let Value::Instance(id) = loader else { return Ok(Iteration::Items(Vec::new())) };
    if let Some(Value::Iterator(known)) = interpreter.heap.attribute(*id, Name::new(BATCHES)) {
        return Ok(Iteration::clone(known));
    }
    let Some(data) = interpreter.heap.instance(*id).cloned() else { return Ok(Iteration::Items(Vec::new())) };
    let Batching { size, drop_last, length } = batching(interpreter, *id, &data)?;
    let place = interpreter.loops.drawing.iterated.unwrap_or_else(|| interpreter.current_span());
    let around = interpreter.loops.drawing.loader.replace((data.origin, place));
    let drawn = drawn_batches(interpreter, *id, &data, Batching { size, drop_last, length });
    interpreter.loops.drawing.loader = around;
    drawn
}

/// The batches of a loader that was not asked before.
fn drawn_batches(
    interpreter: &mut Interpreter<'_>,
    id: ObjectId,
    data: &InstanceData,
    batching: Batching,
) -> Eval<Iteration> {
    let Batching { size, drop_last, length } = batching;
    let size = size.map(|size| size_for_few(interpreter, size, length));
    let span = data.origin;
    let dataset = argument_of(data, "dataset");
    if size.is_none()
        && let Some(whole) = batch_sampler::drawn(interpreter, id, data)?
    {
        return Ok(keep(interpreter, id, whole));
    }
    let before = Var::fresh(VarInfo::fixed("sample"));
    let sample = match own_index(interpreter, data)? {
        Some(index) => interpreter.get_item(&dataset, &index, span)?,
        None => interpreter.sample_of_dataset(&dataset, span)?,
    };
    let samples = Samples { other: interpreter.another_sample(&sample, before), sample, before };
    let collate = collating(interpreter, id, data);
    let Some(size) = size else {
        let element = match collate {
            Value::None => interpreter.convert(&samples.sample),
            collate => interpreter.call(&collate, CallArguments::positional(vec![samples.sample], span))?,
        };
        return Ok(keep(interpreter, id, Iteration::Repeated { element, count: length, residual: None }));
    };
    if collate.is_none() {
        few_samples::report_if_they_differ(interpreter, &dataset, &samples.sample, (length, size), before, span)?;
    }
    let last = if drop_last == Some(false) { last_batch(interpreter, length, size) } else { None };
    // A function of the program's is tried with the usual size before.
    let is_tried = matches!(collate, Value::Function(_)) && interpreter.inference.is_none();
    let tried = match &last {
        Some(last) if is_tried && last.size.as_const().is_none() => {
            let issues = interpreter.entry.issues.len();
            let element = batch(interpreter, &samples, &collate, size, span)?;
            Some((element, interpreter.entry.issues.len() == issues))
        }
        _ => None,
    };
    let rest = match (&last, &tried) {
        (Some(last), Some((_, true))) => Some(batch_of_some(interpreter, &samples, &collate, last.size, span)?),
        (Some(last), _) => Some(batch(interpreter, &samples, &collate, last.size, span)?),
        (None, _) => None,
    };
    if let (Some(length), Some(size), Some(rest)) = (length.and_then(Dim::as_const), size.as_const(), &rest)
        && length < size
    {
        let only = Iteration::Repeated { element: rest.clone(), count: Some(Dim::constant(1)), residual: None };
        return Ok(keep(interpreter, id, only));
    }
    let element = match tried {
        Some((element, _)) => element,
        None => batch(interpreter, &samples, &collate, size, span)?,
    };
    let residual = last.zip(rest).map(|(last, element)| {
        Rc::new(Residual {
            element,
            condition: last.condition,
            certain: last.is_certain,
            text: last.text,
            advice: LEAVE_OUT,
            advice_alone: LEAVE_OUT_ALONE,
            batch: size,
            samples: length.unwrap_or(size),
            origin: span,
        })
    });
    let count = length.map(|length| batch_count(length, size, drop_last));
    Ok(keep(interpreter, id, Iteration::Repeated { element, count, residual }))
}

/// How many samples a batch has: as many as the settings say by default where there are not as many, so that there is one batch, of them all.
pub(crate) fn size_for_few(interpreter: &mut Interpreter<'_>, size: Dim, length: Option<Dim>) -> Dim {
    let size = interpreter.solver.resolve(size);
    let length = length.and_then(|length| interpreter.solver.resolve(length).as_const());
    match (interpreter.default_of_configured(size), length) {
        (Some(default), Some(length)) if size.as_const().is_none() && length <= default => {
            interpreter.settle(size, Dim::constant(default));
            interpreter.solver.resolve(size)
        }
        _ => size,
    }
}

/// The function that makes batches of samples: the argument, or what a class that derives from the loader set in its place.
pub(crate) fn collating(interpreter: &Interpreter<'_>, id: ObjectId, data: &InstanceData) -> Value {
    let own = interpreter.heap.attribute(id, name!("collate_fn")).cloned();
    interpreter.read(&own.unwrap_or_else(|| argument_of(data, "collate_fn")))
}

/// An index that a sampler of the program's own gives, where that is no number: the data set is given what the sampler gives.
fn own_index(interpreter: &mut Interpreter<'_>, data: &InstanceData) -> Eval<Option<Value>> {
    let sampler = interpreter.read(&argument_of(data, "sampler"));
    if !matches!(interpreter.class_attribute(&sampler, name!("__iter__")), Some(Value::Function(_))) {
        return Ok(None);
    }
    let iteration = interpreter.iterate(&sampler)?;
    let index = interpreter.any_item(iteration, data.origin);
    let index = interpreter.read(&index);
    Ok(matches!(index, Value::Tuple(_) | Value::List(_) | Value::Dict(_) | Value::Str(_)).then_some(index))
}

/// The batches are the same each time: the data set is asked once.
fn keep(interpreter: &mut Interpreter<'_>, id: ObjectId, iteration: Iteration) -> Iteration {
    interpreter.heap.set_attribute(id, Name::new(BATCHES), Value::Iterator(Rc::new(iteration.clone())));
    iteration
}

#[easy_ext::ext(LoaderMethods)]
impl Interpreter<'_> {
    /// The size of a last batch that is smaller: the same for all loaders of as many samples in batches of one size, and told from those of
    /// others by its name.
    fn size_of_last_batch(&mut self, length: Dim, size: Dim) -> Dim {
        let known =
            self.model_state.last_batches.iter().find(|(samples, batch, _)| (*samples, *batch) == (length, size));
        if let Some((_, _, rest)) = known {
            return *rest;
        }
        let name = match self.model_state.last_batches.len() {
            0 => "last_batch".to_owned(),
            others => format!("last_batch_{}", others + 1),
        };
        let rest = given(&name, None, size.as_const().map(|size| size - 1));
        self.model_state.last_batches.push((length, size, rest));
        rest
    }
}

/// The last batch, where it may be smaller.
pub(crate) struct LastBatch {
    pub size: Dim,
    pub condition: Constraint,
    pub is_certain: bool,
    pub text: String,
}

pub(crate) fn last_batch(interpreter: &mut Interpreter<'_>, length: Option<Dim>, size: Dim) -> Option<LastBatch> {
    let length = interpreter.solver.resolve(length?);
    let text = format!("{length} % {size} != 0");
    if let (Some(length), Some(size)) = (length.as_const(), size.as_const()) {
        let rest = if size > 0 { length % size } else { 0 };
        return (rest > 0).then(|| LastBatch {
            size: Dim::constant(rest),
            condition: Constraint::True,
            is_certain: true,
            text,
        });
    }
    let remainder = length.modulo(size);
    if remainder.as_const() == Some(0) {
        return None;
    }
    let rest = interpreter.size_of_last_batch(length, size);
    let uneven = Constraint::NotEqual(remainder, Dim::constant(0));
    let condition =
        if size.as_const().is_some() { uneven } else { Constraint::And(vec![uneven, Constraint::Less(rest, size)]) };
    Some(LastBatch { size: rest, condition, is_certain: false, text })
}

pub(crate) fn batch_count(length: Dim, size: Dim, drop_last: Option<bool>) -> Dim {
    if drop_last == Some(true) { length.floor_div(size) } else { length.ceil_div(size) }
}

/// What is done about a last batch that is smaller.
pub(crate) const LEAVE_OUT: &str = "create the loader with `drop_last=True`, or take the size of each mini-batch from the mini-batch itself, as in `x.shape[0]`";

/// The same where the program states no size.
pub(crate) const LEAVE_OUT_ALONE: &str = "create the loader with `drop_last=True`";

/// What a loader puts into its batches.
struct Samples {
    sample: Value,
    /// One that differs in what each sample has for itself, such as a length that was drawn.
    other: Value,
    /// What was there before a sample was drawn.
    before: Var,
}

/// A mini-batch of so many samples.
fn batch(interpreter: &mut Interpreter<'_>, samples: &Samples, collate: &Value, size: Dim, span: Span) -> Eval {
    let Samples { sample, other, before } = samples;
    if collate.is_none() || matches!(collate, Value::Unknown(_)) {
        let around = interpreter.loops.drawing.before.replace(*before);
        let batch = interpreter.collate(sample, size, span);
        interpreter.loops.drawing.before = around;
        return batch;
    }
    // The program's own function is given the samples in a list, at the default number where the size is configured.
    let count = interpreter.solver.at_default(size).or_else(|| size.as_const());
    let data = match count.filter(|count| (1..=LISTED_SAMPLES).contains(count)) {
        Some(count) => {
            let items = [sample, other].into_iter().cycle().take(count as usize).cloned().collect();
            ListData { items, rest: None }
        }
        None => ListData { items: Vec::new(), rest: Some(sample.clone()) },
    };
    let list = Value::List(interpreter.heap.allocate(Payload::List(Rc::new(data))));
    interpreter.call(collate, CallArguments::positional(vec![list], span))
}

/// A mini-batch of so many samples, of which the program's own function may make a batch without listing them.
fn batch_of_some(interpreter: &mut Interpreter<'_>, samples: &Samples, collate: &Value, size: Dim, span: Span) -> Eval {
    let [few, some] = FEW.map(Dim::constant);
    let first = batch(interpreter, samples, collate, few, span)?;
    let second = batch(interpreter, samples, collate, some, span)?;
    match interpreter.for_any_size(&first, &second, size, &mut Walk::short()) {
        Some(batch) => Ok(batch),
        None => batch(interpreter, samples, collate, size, span),
    }
}

fn length(interpreter: &mut Interpreter<'_>, loader: &Value, _: CallArguments) -> Eval {
    let Value::Instance(id) = loader else { return Ok(Value::Unknown("length")) };
    let Some(data) = interpreter.heap.instance(*id).cloned() else { return Ok(Value::Unknown("length")) };
    let Batching { size, drop_last, length } = batching(interpreter, *id, &data)?;
    let count = match (length, size) {
        (Some(length), Some(size)) => batch_count(length, size, drop_last),
        (Some(length), None) => length,
        _ => given("len(loader)", None, None),
    };
    Ok(Value::Int(count))
}
