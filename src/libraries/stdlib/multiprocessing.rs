//! `multiprocessing` and `threading`: functions that another process or thread runs are entered where they are started,
//! with the arguments that they are given.

use std::rc::Rc;

use crate::stdlib::futures::{completed, list_of_results};
use harp_corpus::Span;
use harp_interp::api::library_model::{FunctionHandler, MethodHandler};
use harp_interp::calls::call::CallArguments;
use harp_interp::heap::objects::{InstanceData, Payload};
use harp_interp::state::interpreter::{Eval, Interpreter, Interrupt};
use harp_interp::values::value::{Iteration, Value};
use harp_python::name::{Name, name};
use harp_shape::{Dim, Var, VarInfo};

const PROCESS: &str = "torch.multiprocessing.Process";
const POOL: &str = "concurrent.futures.Executor";

pub fn function(name: &str) -> Option<FunctionHandler> {
    Some(match name {
        "torch.multiprocessing.spawn" | "torch.multiprocessing.start_processes" => spawn,
        PROCESS
        | "multiprocessing.Process"
        | "multiprocessing.context.Process"
        | "torch.multiprocessing.get_context.Process"
        | "threading.Thread" => process,
        "concurrent.futures.ThreadPoolExecutor"
        | "concurrent.futures.ProcessPoolExecutor"
        | "multiprocessing.Pool"
        | "multiprocessing.pool.Pool"
        | "multiprocessing.pool.ThreadPool"
        | "multiprocessing.dummy.Pool"
        | "torch.multiprocessing.Pool" => |this, _, arguments| Ok(object(this, POOL, Vec::new(), arguments.span)),
        _ => return None,
    })
}

pub fn method(name: &str) -> Option<MethodHandler> {
    let (class, method) = name.rsplit_once('.')?;
    Some(match (class, method) {
        (PROCESS | "threading.Thread" | "multiprocessing.Process", "start" | "run") => start,
        (PROCESS | "threading.Thread" | "multiprocessing.Process", "join" | "terminate" | "kill" | "close") => {
            |_, _, _| Ok(Value::None)
        }
        (PROCESS, "is_alive") => |_, _, _| Ok(Value::Unknown("whether a process runs")),
        (POOL, "submit") => submit,
        (POOL, "apply_async" | "apply") => apply,
        (POOL, "map" | "imap" | "imap_unordered" | "starmap") => map,
        (POOL, "shutdown" | "close" | "join" | "terminate") => |_, _, _| Ok(Value::None),
        _ => return None,
    })
}

fn object(interpreter: &mut Interpreter<'_>, class: &str, arguments: Vec<(Name, Value)>, origin: Span) -> Value {
    let data = InstanceData { class: Value::library(class), arguments, origin };
    Value::Instance(interpreter.heap.allocate(Payload::Instance(Rc::new(data))))
}

/// Arguments that a program hands over as a tuple and a dictionary.
pub fn handed_over(
    interpreter: &mut Interpreter<'_>,
    positional: Option<&Value>,
    keywords: Option<&Value>,
    span: Span,
) -> Eval<CallArguments> {
    let mut call = CallArguments::empty(span);
    if let Some(value) = positional.filter(|value| !value.is_none()) {
        match interpreter.iterate(value)? {
            Iteration::Items(items) => {
                call.positional_spans = vec![None; items.len()];
                call.positional = items;
            }
            _ => call.is_open = true,
        }
    }
    if let Some(value) = keywords.filter(|value| !value.is_none()) {
        interpreter.splice_keywords(&mut call, value);
    }
    Ok(call)
}

/// Runs a function elsewhere: what it raises ends it, and not its caller.
pub fn run_elsewhere(interpreter: &mut Interpreter<'_>, function: &Value, call: CallArguments) -> Eval {
    match interpreter.call(function, call) {
        Err(Interrupt::Raise) => Ok(Value::Unknown("the result of a process that failed")),
        other => other,
    }
}

/// `spawn(f, args=(…))`: each process calls `f(rank, …)`.
fn spawn(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let span = arguments.span;
    let Some(function) = arguments.get(0, "fn").cloned() else { return Ok(Value::None) };
    let mut call = handed_over(interpreter, arguments.get(1, "args"), None, span)?;
    let last = arguments.get(2, "nprocs").and_then(Value::as_int).map_or(i64::MAX, |count| (count - 1).max(0));
    let last = (last < i64::MAX).then_some(last);
    let rank = match last {
        Some(0) => Dim::constant(0),
        _ => Dim::var(Var::fresh(VarInfo::fixed("rank").between(Some(0), last))),
    };
    call.positional.insert(0, Value::Int(rank));
    call.positional_spans.insert(0, None);
    run_elsewhere(interpreter, &function, call)?;
    Ok(object(interpreter, PROCESS, Vec::new(), span))
}

fn process(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let parts = [(1, "target"), (3, "args"), (4, "kwargs")];
    let bound = parts
        .iter()
        .filter_map(|(position, name)| Some((Name::new(name), arguments.get(*position, name)?.clone())))
        .collect();
    Ok(object(interpreter, PROCESS, bound, arguments.span))
}

fn start(interpreter: &mut Interpreter<'_>, process: &Value, arguments: CallArguments) -> Eval {
    let Some(data) = interpreter.instance_data(process) else { return Ok(Value::None) };
    let part = |name: &str| data.arguments.iter().find(|(known, _)| known.as_str() == name).map(|(_, value)| value);
    let Some(function) = part("target").filter(|target| !target.is_none()) else {
        // A class of the program with a `run` of its own.
        let Some(run @ Value::Function(_)) = interpreter.class_attribute(process, name!("run")) else {
            return Ok(Value::None);
        };
        let bound = interpreter.bind_method(process, run);
        run_elsewhere(interpreter, &bound, CallArguments::empty(arguments.span))?;
        return Ok(Value::None);
    };
    let call = handed_over(interpreter, part("args"), part("kwargs"), arguments.span)?;
    run_elsewhere(interpreter, function, call)?;
    Ok(Value::None)
}

/// `pool.submit(f, x)`: what is given besides is passed on as it is, a tuple, too.
fn submit(interpreter: &mut Interpreter<'_>, _: &Value, arguments: CallArguments) -> Eval {
    hand_over(interpreter, arguments, |_, given| Ok(given))
}

/// `pool.apply_async(f, (x,))`: arguments stand in a tuple, keywords in a dictionary.
fn apply(interpreter: &mut Interpreter<'_>, _: &Value, arguments: CallArguments) -> Eval {
    hand_over(interpreter, arguments, |interpreter, given| match &given.positional[..] {
        [Value::Tuple(_)] | [Value::Tuple(_), Value::Dict(_)] => {
            handed_over(interpreter, given.positional.first(), given.positional.get(1), given.span)
        }
        _ => Ok(given),
    })
}

/// Calls the first argument with what is left for it, and gives the task that it is then.
fn hand_over(
    interpreter: &mut Interpreter<'_>,
    mut arguments: CallArguments,
    passed: impl Fn(&mut Interpreter<'_>, CallArguments) -> Eval<CallArguments>,
) -> Eval {
    let span = arguments.span;
    if arguments.positional.is_empty() {
        return Ok(interpreter.symbolic("task", span, true));
    }
    let function = arguments.positional.remove(0);
    arguments.positional_spans.remove(0);
    let call = passed(interpreter, arguments)?;
    let result = run_elsewhere(interpreter, &function, call)?;
    Ok(completed(interpreter, result, span))
}

/// `pool.map(f, items)`.
fn map(interpreter: &mut Interpreter<'_>, _: &Value, arguments: CallArguments) -> Eval {
    let [function, items, ..] = &arguments.positional[..] else { return Ok(Value::Unknown("mapped values")) };
    let iteration = interpreter.iterate(items)?;
    let (items, exact, _) = interpreter.sample(iteration);
    let mut results = Vec::with_capacity(items.len());
    for item in items {
        let call = CallArguments::positional(vec![item], arguments.span);
        results.push(run_elsewhere(interpreter, function, call)?);
    }
    Ok(list_of_results(interpreter, results, exact))
}
