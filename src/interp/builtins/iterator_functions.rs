//! Built-in functions on iterators: `zip`, `enumerate`, `map`, `next` and their like.

use std::rc::Rc;

use crate::api::library_model::FunctionHandler;
use crate::builtins::containers::{first, map_iteration};
use crate::calls::call::CallArguments;
use crate::loops::iterator_adapters::Adapter;
use crate::loops::iterators::Next;
use crate::paths::truth::Truth;
use crate::state::interpreter::{Eval, Interpreter, Interrupt};
use crate::values::tensor_members::is_said_to_be_a_tensor;
use crate::values::value::{Iteration, ObjectId, Residual, Tensor, Value};
use harp_corpus::Span;
use harp_python::ir::CompareOperator;
use harp_python::name::{Name, name};
use harp_shape::{Dim, Shape};

pub fn function(name: &str) -> Option<FunctionHandler> {
    Some(match name {
        "builtins.enumerate" => enumerate,
        "builtins.zip" => zip,
        "itertools.zip_longest" => zip_longest,
        "builtins.map" => map,
        "builtins.filter" => filter,
        "builtins.reversed" => reversed,
        "builtins.iter" => iter,
        "builtins.next" => next,
        _ => return None,
    })
}

fn enumerate(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let start = arguments.get(1, "start").and_then(Value::as_dim).unwrap_or(Dim::constant(0));
    let value = first(&arguments);
    interpreter.for_each_alternative(&value, |this, value| {
        if this.are_lazy(std::slice::from_ref(&value)) {
            let source = this.make_source(&value)?;
            return Ok(this.adapt(Adapter::Enumerate { source, next: start }));
        }
        let iteration = this.iterate(&value)?;
        let is_exact = matches!(iteration, Iteration::Items(_));
        let mut position = 0;
        let numbered = map_iteration(this, iteration, |this, item| {
            // The residual batch comes second, and never first.
            let index = if is_exact { Dim::constant(position) } else { this.free_dim("i", position) };
            position += 1;
            Ok(Value::tuple(vec![Value::Int(start + index), item]))
        })?;
        Ok(Value::Iterator(Rc::new(numbered)))
    })
}

/// Shorter ones are filled up, where all lengths are known.
fn zip_longest(interpreter: &mut Interpreter<'_>, name: Name, mut arguments: CallArguments) -> Eval {
    let fill = arguments.keyword("fillvalue").cloned().unwrap_or(Value::None);
    if !arguments.is_open && interpreter.are_lazy(&arguments.positional) {
        let sources = interpreter.sources_of(&arguments.positional)?;
        return Ok(interpreter.adapt(Adapter::Zip { sources, fill: Some(fill) }));
    }
    let mut columns = Vec::with_capacity(arguments.positional.len());
    for value in &mut arguments.positional {
        let iteration = interpreter.iterate(value)?;
        let (items, is_exact, _) = interpreter.sample(iteration.clone());
        *value = Value::Iterator(Rc::new(iteration));
        columns.push(is_exact.then_some(items));
    }
    let columns: Option<Vec<Vec<Value>>> = columns.into_iter().collect();
    let Some(columns) = columns.filter(|_| !arguments.is_open) else { return zip(interpreter, name, arguments) };
    let longest = columns.iter().map(Vec::len).max().unwrap_or(0);
    let item = |column: &Vec<Value>, index: usize| column.get(index).unwrap_or(&fill).clone();
    let rows = (0..longest).map(|index| Value::tuple(columns.iter().map(|column| item(column, index)).collect()));
    Ok(Value::Iterator(Rc::new(Iteration::Items(rows.collect()))))
}

/// Rows of one iterator that stands in several places: each place takes the next item.
fn zip_of_one(interpreter: &mut Interpreter<'_>, id: ObjectId, width: usize) -> Option<Value> {
    let items = interpreter.items_left(id)?;
    interpreter.set_taken(id, items.len() + interpreter.taken(id)?);
    let rows = items.chunks_exact(width).map(|row| Value::tuple(row.to_vec())).collect();
    Some(Value::Iterator(Rc::new(Iteration::Items(rows))))
}

fn zip(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    if let [Value::Cursor(id), rest @ ..] = &arguments.positional[..]
        && !rest.is_empty()
        && rest.iter().all(|other| other.same(&Value::Cursor(*id)))
        && let Some(rows) = zip_of_one(interpreter, *id, arguments.positional.len())
    {
        return Ok(rows);
    }
    if arguments.is_open {
        return zip_unpacked(interpreter, &arguments);
    }
    if interpreter.are_lazy(&arguments.positional) {
        let sources = interpreter.sources_of(&arguments.positional)?;
        return Ok(interpreter.adapt(Adapter::Zip { sources, fill: None }));
    }
    let mut iterations = Vec::new();
    let goes_through_modules = arguments.positional.iter().any(|value| interpreter.is_module(value));
    for value in &arguments.positional {
        let iteration = match interpreter.read(value) {
            // One item for each module: an annotation says `Tensor` of a sequence of tensors, too, whose items have sizes of their own.
            Value::Tensor(tensor) if goes_through_modules && is_said_to_be_a_tensor(&tensor) => {
                let row = Tensor { shape: Shape::unknown("s"), ..Tensor::clone(&tensor) };
                Iteration::Repeated { element: Value::Tensor(Rc::new(row)), count: None, residual: None }
            }
            value => interpreter.iterate(&value)?,
        };
        iterations.push(match iteration {
            Iteration::Counter { .. } => {
                let (items, exact, count) = interpreter.sample(iteration);
                if exact {
                    Iteration::Items(items)
                } else {
                    let element = items.into_iter().next().unwrap_or(Value::Unknown("counter"));
                    Iteration::Repeated { element, count, residual: None }
                }
            }
            other => other,
        });
    }
    let known = iterations
        .iter()
        .filter_map(|iteration| if let Iteration::Items(items) = iteration { Some(items.len()) } else { None })
        .min();
    let longest = iterations
        .iter()
        .filter_map(|iteration| if let Iteration::Items(items) = iteration { Some(items.len()) } else { None })
        .max();
    if known != longest && matches!(arguments.keyword("strict"), Some(Value::Bool(true))) {
        interpreter.raise_if_caught("ValueError", "zip() arguments differ in length", arguments.span)?;
    }
    if let Some(length) = known {
        let rows = (0..length)
            .map(|index| {
                let row = iterations.iter().map(|iteration| match iteration {
                    Iteration::Items(items) => items[index].clone(),
                    Iteration::Repeated { element, .. } => interpreter.another(element),
                    Iteration::Counter { start, .. } => Value::Int(*start),
                    Iteration::View { .. } => Value::Unknown("item"),
                });
                Value::tuple(row.collect())
            })
            .collect();
        return Ok(Value::Iterator(Rc::new(Iteration::Items(rows))));
    }
    let count = shortest(&iterations);
    let row: Vec<Value> = iterations
        .iter()
        .map(|iteration| match iteration {
            Iteration::Repeated { element, .. } => element.clone(),
            _ => Value::Unknown("item"),
        })
        .collect();
    let residual = iterations.iter().find_map(|iteration| match iteration {
        Iteration::Repeated { residual: Some(residual), .. } => Some(Rc::clone(residual)),
        _ => None,
    });
    let residual = residual.map(|residual| {
        let row: Vec<Value> = iterations
            .iter()
            .map(|iteration| match iteration {
                Iteration::Repeated { residual: Some(residual), .. } => residual.element.clone(),
                Iteration::Repeated { element, .. } => element.clone(),
                _ => Value::Unknown("item"),
            })
            .collect();
        Rc::new(Residual { element: Value::tuple(row), ..Residual::clone(&residual) })
    });
    Ok(Value::Iterator(Rc::new(Iteration::Repeated { element: Value::tuple(row), count, residual })))
}

/// How many rows `zip` gives.
fn shortest(iterations: &[Iteration]) -> Option<Dim> {
    let counts: Option<Vec<Dim>> = iterations
        .iter()
        .map(|iteration| if let Iteration::Repeated { count, .. } = iteration { *count } else { None })
        .collect();
    counts?.into_iter().reduce(|one, other| if one == other { one } else { one.min(other) })
}

/// `zip(*rows)` of an unknown number of rows: a column for each part of a row, of unknown length.
fn zip_unpacked(interpreter: &mut Interpreter<'_>, arguments: &CallArguments) -> Eval {
    let row = arguments.unpacked.as_ref().filter(|_| arguments.positional.is_empty()).map(|row| interpreter.read(row));
    let parts = match row {
        Some(row @ (Value::Tuple(_) | Value::List(_) | Value::Instance(_))) => interpreter.iterate(&row)?,
        _ => Iteration::Repeated { element: Value::Unknown("part"), count: None, residual: None },
    };
    let iteration = match parts {
        Iteration::Items(parts) => {
            let columns = parts.iter().map(|part| interpreter.list_of(part.clone()));
            Iteration::Items(columns.collect())
        }
        _ => {
            let element = interpreter.symbolic("column", arguments.span, true);
            Iteration::Repeated { element, count: None, residual: None }
        }
    };
    Ok(Value::Iterator(Rc::new(iteration)))
}

fn map(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let function = first(&arguments);
    let span = arguments.span;
    if let [_, values @ ..] = &arguments.positional[..]
        && !arguments.is_open
        && interpreter.are_lazy(values)
    {
        let sources = interpreter.sources_of(values)?;
        return Ok(interpreter.adapt(Adapter::Map { function, sources, span }));
    }
    if arguments.positional.len() > 2 {
        let rest = CallArguments::positional(arguments.positional[1..].to_vec(), span);
        let rows = zip(interpreter, name!("builtins.zip"), rest)?;
        let iteration = interpreter.iterate(&rows)?;
        let mapped = map_iteration(interpreter, iteration, |this, row| match row {
            Value::Tuple(values) => this.call(&function, CallArguments::positional(values.to_vec(), span)),
            _ => Ok(this.symbolic("map", span, true)),
        })?;
        return Ok(Value::Iterator(Rc::new(mapped)));
    }
    if arguments.positional.len() != 2 {
        return Ok(interpreter.symbolic("map", span, true));
    }
    let iteration = interpreter.iterate(&arguments.positional[1])?;
    let iteration = interpreter.itemised(iteration);
    let mapped = map_iteration(interpreter, iteration, |this, item| {
        this.call(&function, CallArguments::positional(vec![item], span))
    })?;
    Ok(Value::Iterator(Rc::new(mapped)))
}

fn filter(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let span = arguments.span;
    let [function, values] = &arguments.positional[..] else { return Ok(interpreter.symbolic("filter", span, true)) };
    if interpreter.are_lazy(std::slice::from_ref(values)) {
        let (function, source) = (function.clone(), interpreter.make_source(values)?);
        return Ok(interpreter.adapt(Adapter::Filter { function, source, span }));
    }
    let iteration = interpreter.iterate(values)?;
    let iteration = interpreter.itemised(iteration);
    let Iteration::Items(items) = iteration else { return Ok(Value::Iterator(Rc::new(iteration))) };
    let mut kept = Vec::new();
    let mut is_open = false;
    for item in items {
        let verdict = match function {
            Value::None => item.clone(),
            function => interpreter.call(function, CallArguments::positional(vec![item.clone()], span))?,
        };
        match interpreter.truth(&verdict) {
            crate::paths::truth::Truth::Known(true) => kept.push(item),
            crate::paths::truth::Truth::Known(false) => {}
            _ => {
                is_open = true;
                kept.push(item);
            }
        }
    }
    let iteration = if is_open {
        Iteration::Repeated { element: interpreter.widen(&kept), count: None, residual: None }
    } else {
        Iteration::Items(kept)
    };
    Ok(Value::Iterator(Rc::new(iteration)))
}

fn reversed(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let value = interpreter.read(&first(&arguments));
    if let Some(reversed) = interpreter.ask(&value, "__reversed__", arguments.span)? {
        return Ok(reversed);
    }
    let iteration = interpreter.iterate(&value)?;
    let (mut items, exact, count) = interpreter.sample(iteration);
    Ok(Value::Iterator(Rc::new(if exact {
        items.reverse();
        Iteration::Items(items)
    } else {
        let element = items.into_iter().next().unwrap_or(Value::Unknown("item"));
        Iteration::Repeated { element, count, residual: None }
    })))
}

fn iter(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let value = first(&arguments);
    if let Some(end) = arguments.positional.get(1) {
        return calls_until(interpreter, &value, end, arguments.span);
    }
    interpreter.for_each_alternative(&value, |this, value| match value {
        Value::Cursor(_) => Ok(value),
        value => {
            if let Some(source) = this.source_of(&value)? {
                return Ok(source);
            }
            let iteration = this.iterate(&value)?;
            let iteration = this.told_apart(iteration);
            Ok(this.held(Value::Iterator(Rc::new(iteration))))
        }
    })
}

/// `iter(function, end)`: what the function returns, again and again, until that is `end`.
fn calls_until(interpreter: &mut Interpreter<'_>, function: &Value, end: &Value, span: Span) -> Eval {
    let mut items = Vec::new();
    while items.len() < 1024 {
        let item = interpreter.call(function, CallArguments::empty(span))?;
        let equal = interpreter.compare(CompareOperator::Equal, &item, end, span, [span; 2])?;
        match interpreter.truth(&equal) {
            Truth::Known(true) => return Ok(interpreter.new_cursor(items)),
            Truth::Known(false) => items.push(item),
            _ => {
                items.push(item);
                break;
            }
        }
    }
    let element = interpreter.widen(&items);
    Ok(Value::Iterator(Rc::new(Iteration::Repeated { element, count: None, residual: None })))
}

fn next(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    let value = first(&arguments);
    if let Value::Instance(_) = &value
        && let Some(method @ Value::Function(_)) = interpreter.class_attribute(&value, name!("__next__"))
    {
        let bound = interpreter.bind_method(&value, method);
        let Some(default) = arguments.positional.get(1) else {
            return interpreter.call(&bound, CallArguments::empty(arguments.span));
        };
        interpreter.exceptions.caught += 1;
        let item = interpreter.call(&bound, CallArguments::empty(arguments.span));
        interpreter.exceptions.caught -= 1;
        return match item {
            Err(Interrupt::Raise) if interpreter.takes_end_of_iteration() => Ok(default.clone()),
            item => item,
        };
    }
    if let Value::Alternatives(_) = interpreter.read(&value) {
        return interpreter.for_each_alternative(&value, |this, value| {
            let rest = arguments.positional.iter().skip(1).cloned();
            let positional = std::iter::once(value).chain(rest).collect();
            this.call_library(name, CallArguments::positional(positional, arguments.span))
        });
    }
    let default = arguments.positional.get(1).cloned();
    if let Value::Cursor(id) = interpreter.read(&value) {
        return match (interpreter.take_next(id)?, default) {
            (Next::Item(item), _) | (Next::Any(item), None) => Ok(item),
            (Next::Any(item), Some(default)) => Ok(interpreter.widen(&[item, default])),
            (Next::End(_), Some(default)) => Ok(default),
            (Next::End(returned), None) => {
                interpreter.raise_stop_if_caught(returned, arguments.span)?;
                Ok(Value::Unknown("exhausted iterator"))
            }
        };
    }
    let is_fresh = matches!(interpreter.read(&value), Value::Iterator(_));
    let iteration = interpreter.iterate(&value)?;
    Ok(match iteration {
        Iteration::Items(items) => match items.first() {
            Some(item) if is_fresh || items.iter().all(|other| other.same(item)) => item.clone(),
            // Which one it is depends on how often `next` was called before.
            Some(_) => interpreter.widen(&items),
            None if default.is_none() => {
                interpreter.raise_if_caught("StopIteration", "", arguments.span)?;
                Value::Unknown("exhausted iterator")
            }
            None => default.unwrap_or(Value::None),
        },
        Iteration::Repeated { element, count, .. } => {
            if default.is_none() {
                interpreter.state_item_left(&value, count, &arguments);
            }
            element
        }
        Iteration::Counter { .. } => interpreter.any_integer("i"),
        Iteration::View { .. } => Value::Unknown("item"),
    })
}
