//! `concurrent.futures`, `torch.futures`, and what remote calls give: results that are there later.

use std::rc::Rc;

use harp_corpus::Span;
use harp_interp::api::library_model::{FunctionHandler, MethodHandler};
use harp_interp::calls::call::CallArguments;
use harp_interp::heap::objects::{InstanceData, ListData, Payload};
use harp_interp::state::interpreter::{Eval, Interpreter};
use harp_interp::values::value::Value;
use harp_python::name::Name;

/// The class of futures.
pub const FUTURE: &str = "torch.futures.Future";
/// The attribute that holds what a future was given.
const RESULT: &str = "#result";
/// The attribute that holds the future before it, and the function that makes its result of that one's.
const AFTER: &str = "#after";
/// A longer chain of futures is not followed.
pub const LONGEST_CHAIN: usize = 16;

pub fn function(name: &str) -> Option<FunctionHandler> {
    Some(match name {
        FUTURE | "concurrent.futures.Future" => |this, _, arguments| Ok(future(this, None, arguments.span)),
        "torch.futures.wait_all" => |this, _, arguments| wait_all(this, &arguments),
        "torch.futures.collect_all" => |this, _, arguments| {
            let all = wait_all(this, &arguments)?;
            Ok(future(this, Some(all), arguments.span))
        },
        "concurrent.futures.as_completed" => {
            |_, _, arguments| Ok(arguments.positional.first().cloned().unwrap_or(Value::Unknown("futures")))
        }
        _ => return None,
    })
}

pub fn method(name: &str) -> Option<MethodHandler> {
    let method = name.strip_prefix(FUTURE)?.strip_prefix('.')?;
    Some(match method {
        "wait" | "value" | "result" | "get" => |this, future, arguments| {
            settle(this, future, arguments.span, LONGEST_CHAIN)?;
            Ok(result_of(this, future, arguments.span))
        },
        "set_result" => |this, future, arguments| {
            if let (Value::Instance(id), Some(value)) = (future, arguments.get(0, "result")) {
                this.heap.set_attribute(*id, Name::new(RESULT), value.clone());
            }
            Ok(Value::None)
        },
        "then" | "add_done_callback" => |this, known, arguments| {
            let Some(callback) = arguments.get(0, "callback").cloned() else { return Ok(Value::None) };
            if is_pending(this, known) {
                let waiting = future(this, None, arguments.span);
                if let Value::Instance(id) = &waiting {
                    this.heap.set_attribute(*id, Name::new(AFTER), Value::tuple(vec![known.clone(), callback]));
                }
                return Ok(waiting);
            }
            let result = this.call(&callback, CallArguments::positional(vec![known.clone()], arguments.span))?;
            Ok(future(this, Some(result), arguments.span))
        },
        "done" | "cancel" | "cancelled" | "ready" | "successful" => |_, _, _| Ok(Value::Unknown("state of a future")),
        "set_exception" => |_, _, _| Ok(Value::None),
        _ => return None,
    })
}

fn future(interpreter: &mut Interpreter<'_>, result: Option<Value>, origin: Span) -> Value {
    let data = InstanceData { class: Value::library(FUTURE), arguments: Vec::new(), origin };
    let id = interpreter.heap.allocate(Payload::Instance(Rc::new(data)));
    if let Some(result) = result {
        interpreter.heap.set_attribute(id, Name::new(RESULT), result);
    }
    Value::Instance(id)
}

/// A future whose result is known.
pub fn completed(interpreter: &mut Interpreter<'_>, result: Value, origin: Span) -> Value {
    future(interpreter, Some(result), origin)
}

/// Gives a future its result, which follows from that of the one before it.
pub fn settle(interpreter: &mut Interpreter<'_>, value: &Value, span: Span, left: usize) -> Eval<()> {
    let Value::Instance(id) = interpreter.read(value) else { return Ok(()) };
    let (result, after) = (Name::new(RESULT), Name::new(AFTER));
    if left == 0 || interpreter.heap.attribute(id, result).is_some() {
        return Ok(());
    }
    let Some(Value::Tuple(parts)) = interpreter.heap.attribute(id, after).cloned() else { return Ok(()) };
    let [before, callback] = &parts[..] else { return Ok(()) };
    settle(interpreter, before, span, left - 1)?;
    if !is_pending(interpreter, before) {
        let made = interpreter.call(callback, CallArguments::positional(vec![before.clone()], span))?;
        interpreter.heap.set_attribute(id, result, made);
    }
    Ok(())
}

/// What a future gives, or any other value.
pub fn result_of(interpreter: &mut Interpreter<'_>, value: &Value, span: Span) -> Value {
    let value = interpreter.read(value);
    let Value::Instance(id) = value else { return value };
    if !interpreter.is_instance_of(&value, FUTURE) {
        return value;
    }
    match interpreter.heap.attribute(id, Name::new(RESULT)).cloned() {
        Some(result) => interpreter.read(&result),
        None => interpreter.unanswered("the result of a future", "a future whose result is not known", span),
    }
}

fn wait_all(interpreter: &mut Interpreter<'_>, arguments: &CallArguments) -> Eval {
    let Some(futures) = arguments.get(0, "futures") else { return Ok(Value::Unknown("futures")) };
    let iteration = interpreter.iterate(futures)?;
    let (items, exact, _) = interpreter.sample(iteration);
    for item in &items {
        settle(interpreter, item, arguments.span, LONGEST_CHAIN)?;
    }
    let results = items.iter().map(|item| result_of(interpreter, item, arguments.span)).collect();
    Ok(list_of_results(interpreter, results, exact))
}

/// A list of these values, or of any number of values like these.
pub fn list_of_results(interpreter: &mut Interpreter<'_>, results: Vec<Value>, is_exact: bool) -> Value {
    if is_exact {
        return Value::List(interpreter.heap.allocate_list(results));
    }
    let rest = interpreter.widen(&results);
    let data = ListData { items: Vec::new(), rest: Some(rest) };
    Value::List(interpreter.heap.allocate(Payload::List(Rc::new(data))))
}

/// Whether a value is a future that waits for what others do.
pub fn is_pending(interpreter: &Interpreter<'_>, value: &Value) -> bool {
    let value = interpreter.read(value);
    let Value::Instance(id) = value else { return false };
    interpreter.is_instance_of(&value, FUTURE)
        && match interpreter.heap.attribute(id, Name::new(AFTER)) {
            Some(Value::Tuple(parts)) => parts.first().is_some_and(|before| {
                matches!(before, Value::Instance(before) if interpreter.heap.attribute(*before, Name::new(RESULT)).is_none())
            }),
            _ => interpreter.heap.attribute(id, Name::new(RESULT)).is_none(),
        }
}
