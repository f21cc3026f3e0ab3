//! `collections`, `functools`, `itertools`, `dataclasses`, and the parts of `typing` that run.

use harp_interp::classes::named_tuples::names_of_fields;
use std::rc::Rc;

use harp_interp::calls::call::CallArguments;
use harp_interp::loops::iterator_adapters::Adapter;

use harp_interp::api::dispatch::argument_of;
use harp_interp::api::library_model::{FunctionHandler, MethodHandler};
use harp_interp::heap::objects::{InstanceData, Payload};
use harp_interp::loops::loop_statements::count_of;
use harp_interp::state::interpreter::{Eval, Interpreter};
use harp_interp::values::value::{Iteration, Value};
use harp_python::name::{Name, name};
use harp_shape::Dim;

/// No longer selections are made item by item,
const MOST_SELECTED: usize = 16;
/// and no more of them.
const MOST_SELECTIONS: usize = 4096;

pub fn function(name: &str) -> Option<FunctionHandler> {
    Some(match name {
        "collections.defaultdict" => defaultdict,
        "collections.deque" => harp_interp::builtins::deque::make,
        "collections.namedtuple" | "typing.NamedTuple" => named_tuple,
        "functools.partial" => partial,
        "functools.reduce" => reduce,
        "functools.lru_cache" | "functools.cache" => |this, _, arguments| {
            Ok(match arguments.positional.first() {
                Some(Value::Function(closure)) => this.remembering(closure),
                Some(class @ Value::Class(_)) => class.clone(),
                // `lru_cache(maxsize=None)`, which waits for the function.
                _ => Value::library("functools.cache"),
            })
        },
        "itertools.chain" => chain,
        "itertools.chain.from_iterable" => chain_from_iterable,
        "itertools.accumulate" => accumulate,
        "itertools.product" => product,
        "itertools.permutations" | "itertools.combinations" | "itertools.combinations_with_replacement" => selections,
        "itertools.repeat" => repeat,
        "itertools.count" => count,
        "itertools.islice" => islice,
        "itertools.cycle" => cycle,
        "dataclasses.field" => field,
        "pydantic.Field" | "pydantic.fields.Field" => |this, _, mut arguments| {
            let default = arguments.positional.first().filter(|it| !matches!(it, Value::Ellipsis)).cloned();
            if let Some(default) = default {
                arguments.keywords.push((name!("default"), default));
            }
            field(this, name!("dataclasses.field"), arguments)
        },
        "dataclasses.dataclass"
        | "attr.s"
        | "attr.attrs"
        | "attr.define"
        | "attr.mutable"
        | "attr.frozen"
        | "attrs.define"
        | "attrs.mutable"
        | "attrs.frozen" => data_class,
        "dataclasses.make_dataclass" => |this, name, arguments| match this.record_of_call(&arguments)? {
            Some(class) => Ok(class),
            None => Ok(this.unanswered("class", name.as_str(), arguments.span)),
        },
        "attr.ib" | "attr.attrib" | "attr.field" | "attrs.field" => |this, _, arguments| {
            let mut arguments = arguments;
            arguments.keywords.extend(arguments.positional.first().cloned().map(|it| (name!("default"), it)));
            if let Some(factory) = arguments.keyword("factory").cloned() {
                arguments.keywords.push((name!("default_factory"), factory));
            }
            // `default=Factory(list)`
            if let Some(Value::Instance(id)) = arguments.keyword("default")
                && let Some(data) = this.heap.instance(*id).cloned()
                && matches!(&data.class, Value::Library(name) if name.as_str() == "dataclasses.field")
            {
                arguments.keywords.retain(|(name, _)| name.as_str() != "default");
                arguments.keywords.extend(data.arguments.iter().cloned());
            }
            field(this, name!("dataclasses.field"), arguments)
        },
        name if name.starts_with("attr.validators.") || name.starts_with("attrs.validators.") => {
            |_, name, _| Ok(Value::Library(name))
        }
        "attr.Factory" | "attrs.Factory" => |this, _, arguments| {
            let mut arguments = arguments;
            let factory = arguments.get(0, "factory").cloned().unwrap_or(Value::Unknown("factory"));
            arguments.keywords.push((name!("default_factory"), factory));
            field(this, name!("dataclasses.field"), arguments)
        },
        _ => return None,
    })
}

pub fn method(name: &str) -> Option<MethodHandler> {
    Some(match name {
        "itertools.chain.from_iterable" => return None,
        "dataclasses.field.default" => {
            |this, field, arguments| Ok(this.decorate_field(field, "default", first(&arguments)))
        }
        "dataclasses.field.validator" => {
            |this, field, arguments| Ok(this.decorate_field(field, "validator", first(&arguments)))
        }
        "functools.partial.__call__" => call_partial,
        // What a class of the program that derives from it is made of.
        "collections.defaultdict.__init__" => |this, dict, mut arguments| {
            if !arguments.positional.is_empty() {
                let factory = arguments.positional.remove(0);
                arguments.positional_spans.clear();
                if let Value::Dict(id) = dict {
                    this.heap.set_attribute(*id, name!("default_factory"), factory);
                }
            }
            let filled = harp_interp::classes::dict_subclass_methods::method("builtins.dict.__init__");
            filled.map_or(Ok(Value::None), |filled| filled(this, dict, arguments))
        },
        _ => return None,
    })
}

fn first(arguments: &CallArguments) -> Value {
    arguments.positional.first().cloned().unwrap_or(Value::None)
}

/// `defaultdict(factory, …)`: what follows the factory is what a dictionary is made of.
fn defaultdict(interpreter: &mut Interpreter<'_>, _: Name, mut arguments: CallArguments) -> Eval {
    let factory = first(&arguments);
    if !arguments.positional.is_empty() {
        arguments.positional.remove(0);
    }
    arguments.positional_spans.clear();
    let made = interpreter.call_library(name!("builtins.dict"), arguments)?;
    if let Value::Dict(dict) = &made {
        interpreter.heap.set_attribute(*dict, name!("default_factory"), factory);
    }
    Ok(made)
}

/// `namedtuple("Point", "x y")`: calling the result makes an object with those attributes.
fn named_tuple(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    if let Some(class) = interpreter.named_tuple_of_call(&arguments)? {
        return Ok(class);
    }
    let data = InstanceData {
        class: Value::library("collections.namedtuple"),
        arguments: vec![
            (name!("typename"), first(&arguments)),
            (name!("fields"), arguments.get(1, "field_names").cloned().unwrap_or(Value::None)),
            (name!("defaults"), arguments.keyword("defaults").cloned().unwrap_or(Value::None)),
        ],
        origin: arguments.span,
    };
    let names = names_of_fields(interpreter, &argument_of(&data, "fields"))?;
    let class = interpreter.heap.allocate(Payload::Instance(Rc::new(data)));
    let fields = names.iter().map(|name| Value::str(name)).collect();
    interpreter.heap.set_attribute(class, name!("_fields"), Value::tuple(fields));
    Ok(Value::Instance(class))
}

/// `partial(function, …)`.
fn partial(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    let mut positional = arguments.positional.into_iter();
    let function = positional.next().unwrap_or(Value::Unknown("partial"));
    let mut keywords: Vec<(Value, Value)> =
        arguments.keywords.into_iter().map(|(name, value)| (Value::str(name.as_str()), value)).collect();
    let mut bound: Vec<Value> = Vec::new();
    let mut function = function;
    // One of another is one of that one's function, as in Python.
    if let Some(inner) = interpreter.part_of_partial(&function, name!("func")) {
        if let Some(Value::Tuple(args)) = interpreter.part_of_partial(&function, name!("args")) {
            bound.extend(args.iter().cloned());
        }
        if let Some(Value::Dict(dict)) = interpreter.part_of_partial(&function, name!("keywords")) {
            let entries = interpreter.heap.dict(dict).map(|data| data.entries.clone()).unwrap_or_default();
            interpreter.pay_for_items(entries.len() * keywords.len());
            for (key, value) in entries {
                if !keywords.iter().any(|(known, _)| known.same_key(&key)) {
                    keywords.push((key, value));
                }
            }
        }
        function = inner;
    }
    bound.extend(positional);
    let keywords = Value::Dict(interpreter.heap.allocate_dict(keywords));
    let data = InstanceData {
        class: Value::Library(name),
        arguments: vec![(name!("func"), function), (name!("args"), Value::tuple(bound)), (name!("keywords"), keywords)],
        origin: arguments.span,
    };
    Ok(Value::Instance(interpreter.heap.allocate(Payload::Instance(Rc::new(data)))))
}

pub fn call_partial(interpreter: &mut Interpreter<'_>, partial: &Value, arguments: CallArguments) -> Eval {
    let Value::Instance(id) = partial else { return Ok(Value::Unknown("partial")) };
    let Some(data) = interpreter.heap.instance(*id).cloned() else { return Ok(Value::Unknown("partial")) };
    let mut call = CallArguments { positional: Vec::new(), positional_spans: Vec::new(), ..arguments.clone() };
    if let Value::Tuple(bound) = argument_of(&data, "args") {
        call.positional_spans.extend(bound.iter().map(|_| None));
        call.positional.extend(bound.iter().cloned());
    }
    call.positional.extend(arguments.positional);
    call.positional_spans.extend(arguments.positional_spans);
    if let Value::Dict(bound) = argument_of(&data, "keywords") {
        let bound = interpreter.heap.dict(bound).map(|data| data.entries.clone()).unwrap_or_default();
        for (key, value) in bound {
            let Some(key) = key.as_text().map(Name::new) else { continue };
            if !call.keywords.iter().any(|(known, _)| *known == key) {
                call.keywords.push((key, value));
                call.keyword_spans.push(None);
            }
        }
    }
    interpreter.call(&argument_of(&data, "func"), call)
}

fn reduce(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let span = arguments.span;
    let [function, values, rest @ ..] = &arguments.positional[..] else { return Ok(Value::Unknown("reduce")) };
    let items = match interpreter.iterate(values)? {
        Iteration::Items(items) => items,
        Iteration::Counter { start, step, stop } => match count_of(start, step, stop) {
            Some(count) => (0..count.min(512)).map(|index| Value::Int(start + step * Dim::constant(index))).collect(),
            None => return Ok(interpreter.symbolic("reduce", span, true)),
        },
        Iteration::Repeated { .. } | Iteration::View { .. } => return Ok(interpreter.symbolic("reduce", span, true)),
    };
    let mut items = items.into_iter().take(512);
    let Some(mut total) = rest.first().cloned().or_else(|| items.next()) else { return Ok(Value::Unknown("reduce")) };
    for item in items {
        total = interpreter.call(function, CallArguments::positional(vec![total, item], span))?;
    }
    Ok(total)
}

/// Decorators that change nothing that shapes show: applied to a function they give it back, called with options they give themselves.
fn decorator(_: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    Ok(match arguments.positional.first() {
        Some(function @ (Value::Function(_) | Value::Class(_))) => function.clone(),
        _ => Value::library("functools.identity"),
    })
}

/// `dataclass(Class, …)` as a call marks the class; as a decorator it is seen where the class is defined.
fn data_class(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    if let Some(Value::Class(class)) = arguments.positional.first() {
        interpreter.heap.set_attribute(
            *class,
            Name::new(harp_interp::classes::class_lookup::RECORD),
            // Other libraries' classes may take other arguments than their fields.
            Value::Bool(name.as_str() == "dataclasses.dataclass"),
        );
    }
    if arguments.positional.is_empty() && name.as_str() == "dataclasses.dataclass" {
        // What it gives is called with the class, as a decorator or by the program.
        let mut given = arguments;
        given.positional.push(Value::Library(name));
        return interpreter.call_library(name!("functools.partial"), given);
    }
    decorator(interpreter, name, arguments)
}

/// `accumulate(values, function)`: the running totals.
fn accumulate(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let span = arguments.span;
    let values = arguments.get(0, "iterable").cloned().unwrap_or(Value::Unknown("missing argument"));
    let Iteration::Items(items) = interpreter.iterate(&values)? else {
        return Ok(interpreter.symbolic("accumulate", span, true));
    };
    let function = arguments.get(1, "func").cloned().filter(|function| !function.is_none());
    let initial = arguments.keyword("initial").cloned().filter(|initial| !initial.is_none());
    let mut totals: Vec<Value> = initial.into_iter().collect();
    for item in items.into_iter().take(4096) {
        let total = match (totals.last().cloned(), &function) {
            (None, _) => item,
            (Some(total), Some(function)) => {
                interpreter.call(function, CallArguments::positional(vec![total, item], span))?
            }
            (Some(total), None) => {
                interpreter.binary(harp_python::ir::BinaryOperator::Add, &total, &item, span, [span, span])?
            }
        };
        totals.push(total);
    }
    Ok(Value::Iterator(Rc::new(Iteration::Items(totals))))
}

fn chain(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let mut all = Vec::new();
    let mut is_exact = true;
    if arguments.is_open {
        return Ok(interpreter.symbolic("chain", arguments.span, true));
    }
    if interpreter.are_lazy(&arguments.positional) {
        let sources = interpreter.sources_of(&arguments.positional)?;
        return Ok(interpreter.adapt(Adapter::Chain { sources, others: None }));
    }
    for value in &arguments.positional {
        let iteration = interpreter.iterate(value)?;
        let (items, exact, _) = interpreter.sample(iteration);
        is_exact &= exact;
        all.extend(items);
    }
    let iteration = if is_exact {
        Iteration::Items(all)
    } else {
        Iteration::Repeated { element: interpreter.widen(&all), count: None, residual: None }
    };
    Ok(Value::Iterator(Rc::new(iteration)))
}

/// `chain.from_iterable(iterables)` is `chain(*iterables)`.
fn chain_from_iterable(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    let iterables = first(&arguments);
    if interpreter.are_lazy(std::slice::from_ref(&iterables)) {
        let others = Some(interpreter.make_source(&iterables)?);
        return Ok(interpreter.adapt(Adapter::Chain { sources: Vec::new(), others }));
    }
    Ok(match interpreter.iterate(&iterables)? {
        Iteration::Items(items) => return chain(interpreter, name, CallArguments::positional(items, arguments.span)),
        Iteration::Repeated { element, .. } => {
            let parts = interpreter.iterate(&element)?;
            let (items, _, _) = interpreter.sample(parts);
            let element = interpreter.widen(&items);
            Value::Iterator(Rc::new(Iteration::Repeated { element, count: None, residual: None }))
        }
        Iteration::Counter { .. } | Iteration::View { .. } => interpreter.symbolic("chain", arguments.span, true),
    })
}

/// So many rows of a product are told apart: loops within loops go through them.
const MOST_ROWS: usize = 32;
/// The same of ranges alone, which are the places of a grid: there is an anchor for each of them.
const MOST_PLACES: usize = 2048;

fn product(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let mut rows: Vec<Vec<Value>> = vec![Vec::new()];
    let repeat = arguments.keywords.iter().find(|(name, _)| name.as_str() == "repeat");
    let repeat = repeat.map_or(Some(1), |(_, value)| interpreter.read(value).as_int());
    let repeat = repeat.and_then(|repeat| usize::try_from(repeat).ok()).filter(|repeat| *repeat <= 16);
    let Some(repeat) = repeat.filter(|_| !arguments.is_open) else {
        return Ok(interpreter.symbolic("product", arguments.span, true));
    };
    let mut factors: Vec<Vec<Value>> = Vec::new();
    let mut most = MOST_PLACES;
    for value in (0..repeat).flat_map(|_| &arguments.positional) {
        let iteration = interpreter.iterate(value)?;
        if !matches!(iteration, Iteration::Counter { .. }) {
            most = MOST_ROWS;
        }
        let Iteration::Items(items) = interpreter.itemised(iteration) else {
            return Ok(interpreter.symbolic("product", arguments.span, true));
        };
        factors.push(items);
    }
    let count = factors.iter().try_fold(1usize, |count, items| count.checked_mul(items.len()));
    if count.is_none_or(|count| count > most) {
        let row = factors.iter().map(|items| interpreter.widen(items)).collect();
        let count = count.and_then(|count| i64::try_from(count).ok()).map(Dim::constant);
        return Ok(Value::Iterator(Rc::new(Iteration::Repeated { element: Value::tuple(row), count, residual: None })));
    }
    for items in &factors {
        rows = rows
            .into_iter()
            .flat_map(|row| {
                items.iter().map(move |item| {
                    let mut row = row.clone();
                    row.push(item.clone());
                    row
                })
            })
            .collect();
    }
    Ok(Value::Iterator(Rc::new(Iteration::Items(rows.into_iter().map(Value::tuple).collect()))))
}

/// Selections of `r` items: in every order, in that of the items, or with repetitions.
fn selections(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    let iteration = interpreter.iterate(&first(&arguments))?;
    let open = |this: &mut Interpreter<'_>| Ok(this.symbolic("selections", arguments.span, true));
    let Iteration::Items(items) = interpreter.itemised(iteration) else { return open(interpreter) };
    let size = match arguments.get(1, "r").filter(|size| !size.is_none()) {
        Some(size) => size.as_int().and_then(|size| usize::try_from(size).ok()),
        None => Some(items.len()),
    };
    let Some(size) = size.filter(|size| *size <= MOST_SELECTED) else { return open(interpreter) };
    let mut rows: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..size {
        let mut longer = Vec::new();
        for row in &rows {
            let places = (0..items.len()).filter(|place| match name.as_str() {
                "itertools.permutations" => !row.contains(place),
                "itertools.combinations" => row.last().is_none_or(|last| place > last),
                _ => row.last().is_none_or(|last| place >= last),
            });
            longer.extend(places.map(|place| [row.as_slice(), &[place]].concat()));
            if longer.len() > MOST_SELECTIONS {
                return open(interpreter);
            }
        }
        rows = longer;
    }
    let rows = rows.into_iter().map(|row| Value::tuple(row.into_iter().map(|place| items[place].clone()).collect()));
    Ok(Value::Iterator(Rc::new(Iteration::Items(rows.collect()))))
}

fn repeat(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let element = first(&arguments);
    let count = arguments.get(1, "times").and_then(Value::as_dim);
    Ok(Value::Iterator(Rc::new(match count.and_then(Dim::as_const) {
        Some(count @ 0..=4096) => Iteration::Items(vec![element; count as usize]),
        _ => Iteration::Repeated { element, count: count.map(|dim| interpreter.solver.resolve(dim)), residual: None },
    })))
}

fn cycle(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let values = first(&arguments);
    interpreter.for_each_alternative(&values, |this, values| match this.make_source(&values)? {
        Value::Iterator(open) => {
            let element = this.sample((*open).clone()).0.pop().unwrap_or(Value::Unknown("item"));
            Ok(Value::Iterator(Rc::new(Iteration::Repeated { element, count: None, residual: None })))
        }
        Value::Cursor(id) if this.inference.is_some() => {
            let items = this.items_left(id).unwrap_or_default();
            let element = this.widen(&items);
            Ok(Value::Iterator(Rc::new(Iteration::Repeated { element, count: None, residual: None })))
        }
        source => Ok(this.adapt(Adapter::Cycle { source: Some(source), given: Rc::from([]), at: 0 })),
    })
}

fn count(_: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let start = arguments.get(0, "start").and_then(Value::as_dim).unwrap_or(Dim::constant(0));
    let step = arguments.get(1, "step").and_then(Value::as_dim).unwrap_or(Dim::constant(1));
    Ok(Value::Iterator(Rc::new(Iteration::Counter { start, step, stop: None })))
}

/// The start, end and step of `islice`, where they are known.
fn bounds_of_slice(bounds: &[Value]) -> Option<(usize, Option<usize>, usize)> {
    let bound = |value: &Value| match value {
        Value::None => Some(None),
        value => value.as_int().and_then(|bound| usize::try_from(bound).ok()).map(Some),
    };
    match bounds {
        [stop] => Some((0, bound(stop)?, 1)),
        [start, stop] => Some((bound(start)?.unwrap_or(0), bound(stop)?, 1)),
        [start, stop, step] => Some((bound(start)?.unwrap_or(0), bound(stop)?, bound(step)?.unwrap_or(1).max(1))),
        _ => None,
    }
}

fn islice(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let values = first(&arguments);
    let is_endless = matches!(&values, Value::Iterator(it) if matches!(&**it, Iteration::Counter { stop: None, .. }));
    if (is_endless || interpreter.are_lazy(std::slice::from_ref(&values)))
        && interpreter.inference.is_none()
        && let Some((start, stop, step)) = bounds_of_slice(&arguments.positional[1..])
    {
        let source = interpreter.make_source(&values)?;
        return Ok(interpreter.adapt(Adapter::Slice { source, at: 0, start, stop, step }));
    }
    let iteration = interpreter.iterate(&values)?;
    let iteration = interpreter.itemised(iteration);
    Ok(match (iteration, &arguments.positional[1..]) {
        (Iteration::Items(items), [stop]) => {
            let stop = stop.as_int().map_or(items.len(), |stop| usize::try_from(stop).unwrap_or(0));
            Value::Iterator(Rc::new(Iteration::Items(items.into_iter().take(stop).collect())))
        }
        (Iteration::Items(items), [start, stop, rest @ ..]) => {
            let bound = |value: &Value| if value.is_none() { Some(None) } else { value.as_int().map(Some) };
            match (bound(start), bound(stop), rest.first().map_or(Some(None), bound)) {
                (Some(start), Some(stop), Some(step)) => {
                    let place = |bound: i64| usize::try_from(bound).unwrap_or(0);
                    let (start, step) = (place(start.unwrap_or(0)), place(step.unwrap_or(1)).max(1));
                    let stop = stop.map_or(items.len(), place).min(items.len());
                    let taken = items.into_iter().take(stop).skip(start).step_by(step).collect();
                    Value::Iterator(Rc::new(Iteration::Items(taken)))
                }
                _ => {
                    let element = interpreter.widen(&items);
                    Value::Iterator(Rc::new(Iteration::Repeated { element, count: None, residual: None }))
                }
            }
        }
        (Iteration::Counter { start, step, stop: None }, [stop]) if stop.as_int().is_some_and(|it| it <= 4096) => {
            let count = stop.as_int().unwrap_or(0).max(0);
            let items = (0..count).map(|index| Value::Int(start + Dim::constant(index) * step)).collect();
            Value::Iterator(Rc::new(Iteration::Items(items)))
        }
        (Iteration::Repeated { element, count, .. }, _) => {
            Value::Iterator(Rc::new(Iteration::Repeated { element, count: count.filter(|_| false), residual: None }))
        }
        (other, _) => Value::Iterator(Rc::new(other)),
    })
}

/// `field(default=…)` is kept as it is until the class is instantiated.
fn field(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    let data = InstanceData { class: Value::Library(name), arguments: arguments.keywords, origin: arguments.span };
    Ok(Value::Instance(interpreter.heap.allocate(Payload::Instance(Rc::new(data)))))
}
