//! `torch.distributed.rpc`: functions that another worker runs, and references to what it holds. Which worker runs a function changes no
//! shape, so that it is run where it is called.

use crate::known_families::KnownFamilies;
use crate::methods::*;
use std::rc::Rc;

use crate::stdlib::futures::{LONGEST_CHAIN, completed, is_pending, result_of, settle};
use crate::stdlib::multiprocessing::handed_over;
use crate::torch::data::dataset::plain_tensor;
use harp_corpus::Span;
use harp_interp::api::dispatch::argument_of;
use harp_interp::api::library_model::{FunctionHandler, MethodHandler};
use harp_interp::calls::call::CallArguments;
use harp_interp::heap::objects::{DictData, InstanceData, Payload};
use harp_interp::state::interpreter::{Eval, Interpreter};
use harp_interp::values::value::{Iteration, Value};
use harp_python::name::{Name, name};
use harp_shape::{DType, Shape};

const REFERENCE: &str = "torch.distributed.rpc.RRef";
/// What `reference.rpc_sync()` and its like give: its methods are those of the object that is referred to.
const PROXY: &str = "torch.distributed.rpc.RRefProxy";
/// A method of a proxy.
const REMOTE_METHOD: &str = "torch.distributed.rpc.RRefProxy.method";
const REMOTE_MODULE: &str = "torch.distributed.nn.RemoteModule";

/// Calls of so many other workers are waited for.
const MOST_WORKERS: usize = 8;

/// In what form the caller of a remote function gets its result.
const SYNCHRONOUS: &str = "sync";
const FUTURE: &str = "async";
const REFERRED: &str = "remote";

pub fn function(name: &str) -> Option<FunctionHandler> {
    Some(match name {
        REFERENCE | "torch.distributed.rpc.api.RRef" => |this, _, arguments| {
            let value = arguments.get(0, "value").cloned().unwrap_or(Value::Unknown("value"));
            Ok(reference(this, value, arguments.span))
        },
        "torch.distributed.rpc.rpc_sync" => |this, _, arguments| call_remote(this, SYNCHRONOUS, &arguments),
        "torch.distributed.rpc.rpc_async" => |this, _, arguments| call_remote(this, FUTURE, &arguments),
        "torch.distributed.rpc.remote" => |this, _, arguments| call_remote(this, REFERRED, &arguments),
        "torch.distributed.rpc.functions.async_execution" => {
            |_, _, arguments| Ok(arguments.positional.first().cloned().unwrap_or(Value::Unknown("function")))
        }
        "torch.distributed.autograd.get_gradients" => |this, _, arguments| {
            // A gradient for each parameter.
            let kind = this.torch_tensor();
            let gradient = || plain_tensor(Shape::unknown("s"), DType::Unknown, kind, arguments.span);
            let data = DictData::new(Vec::new(), Some((gradient(), gradient())));
            Ok(Value::Dict(this.heap.allocate(Payload::Dict(Rc::new(data)))))
        },
        REMOTE_MODULE | "torch.distributed.nn.api.remote_module.RemoteModule" => remote_module,
        _ => return None,
    })
}

pub fn method(name: &str) -> Option<MethodHandler> {
    let (class, method) = name.rsplit_once('.')?;
    Some(match (class, method) {
        (REFERENCE, "to_here" | "local_value") => |this, reference, _| Ok(part(this, reference, "value")),
        (REFERENCE, "owner" | "owner_name") => {
            |this, _, arguments| Ok(this.data_from_outside("worker", arguments.span))
        }
        (REFERENCE, "confirmed_by_owner" | "is_owner") => |_, _, _| Ok(Value::Unknown("state of a reference")),
        (REFERENCE, "backward") => |_, _, _| Ok(Value::None),
        (REFERENCE, "rpc_sync") => |this, reference, arguments| Ok(proxy(this, reference, SYNCHRONOUS, arguments.span)),
        (REFERENCE, "rpc_async") => |this, reference, arguments| Ok(proxy(this, reference, FUTURE, arguments.span)),
        (REFERENCE, "remote") => |this, reference, arguments| Ok(proxy(this, reference, REFERRED, arguments.span)),
        (REMOTE_MODULE, "forward") => |this, module, arguments| {
            let module = part(this, module, "module");
            this.call(&module, arguments)
        },
        (REMOTE_MODULE, "forward_async") => |this, module, arguments| {
            let (span, module) = (arguments.span, part(this, module, "module"));
            let result = this.call(&module, arguments)?;
            Ok(completed(this, result, span))
        },
        (REMOTE_MODULE, "get_module_rref") => |this, module, arguments| {
            let module = part(this, module, "module");
            Ok(reference(this, module, arguments.span))
        },
        (REMOTE_MODULE, "remote_parameters") => remote_parameters,
        _ => return None,
    })
}

pub fn instance_call(class: &str) -> Option<MethodHandler> {
    match class {
        REMOTE_METHOD => Some(call_remote_method),
        REMOTE_MODULE => Some(|this, module, arguments| {
            let module = part(this, module, "module");
            this.call(&module, arguments)
        }),
        _ => None,
    }
}

fn object(interpreter: &mut Interpreter<'_>, class: &str, parts: &[(&str, Value)], origin: Span) -> Value {
    let arguments = parts.iter().map(|(name, value)| (Name::new(name), value.clone())).collect();
    let data = InstanceData { class: Value::library(class), arguments, origin };
    Value::Instance(interpreter.heap.allocate(Payload::Instance(Rc::new(data))))
}

fn part(interpreter: &Interpreter<'_>, object: &Value, name: &str) -> Value {
    let value = interpreter.instance_data(object).map(|data| argument_of(&data, name));
    value.map_or(Value::Unknown("part of a reference"), |value| interpreter.read(&value))
}

fn reference(interpreter: &mut Interpreter<'_>, value: Value, origin: Span) -> Value {
    object(interpreter, REFERENCE, &[("value", value)], origin)
}

fn proxy(interpreter: &mut Interpreter<'_>, reference: &Value, form: &str, origin: Span) -> Value {
    let value = part(interpreter, reference, "value");
    object(interpreter, PROXY, &[("value", value), ("form", Value::str(form))], origin)
}

/// A result in the form in which the caller gets it. A function that gives a future gives its caller what the future gives.
fn delivered(interpreter: &mut Interpreter<'_>, result: &Value, form: &str, span: Span) -> Value {
    let result = result_of(interpreter, result, span);
    match form {
        FUTURE => completed(interpreter, result, span),
        REFERRED => reference(interpreter, result, span),
        _ => result,
    }
}

/// `rpc_sync(worker, function, args, kwargs)`.
fn call_remote(interpreter: &mut Interpreter<'_>, form: &str, arguments: &CallArguments) -> Eval {
    let span = arguments.span;
    let Some(function) = arguments.get(1, "func").cloned() else { return Ok(Value::Unknown("remote call")) };
    let call = handed_over(interpreter, arguments.get(2, "args"), arguments.get(3, "kwargs"), span)?;
    let result = interpreter.call(&function, call.clone())?;
    // A function that gives a future lets its caller wait until other workers have called it as well.
    let mut others = 0;
    while is_pending(interpreter, &result) && others < MOST_WORKERS {
        interpreter.call(&function, call.clone())?;
        others += 1;
    }
    settle(interpreter, &result, span, LONGEST_CHAIN)?;
    Ok(delivered(interpreter, &result, form, span))
}

fn call_remote_method(interpreter: &mut Interpreter<'_>, method: &Value, arguments: CallArguments) -> Eval {
    let span = arguments.span;
    let (function, form) = (part(interpreter, method, "function"), part(interpreter, method, "form"));
    // What a reference refers to is passed on to the worker that holds both.
    let result = interpreter.call(&function, arguments)?;
    Ok(delivered(interpreter, &result, form.as_text().unwrap_or(SYNCHRONOUS), span))
}

/// `RemoteModule(device, Class, args, kwargs)`.
fn remote_module(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let span = arguments.span;
    let Some(class) = arguments.get(1, "module_cls").cloned() else { return Ok(Value::Unknown("remote module")) };
    let call = handed_over(interpreter, arguments.get(2, "args"), arguments.get(3, "kwargs"), span)?;
    let module = interpreter.call(&class, call)?;
    Ok(object(interpreter, REMOTE_MODULE, &[("module", module)], span))
}

fn remote_parameters(interpreter: &mut Interpreter<'_>, module: &Value, arguments: CallArguments) -> Eval {
    let (span, module) = (arguments.span, part(interpreter, module, "module"));
    let parameters = interpreter.get_attribute(&module, name!("parameters"), span)?;
    let parameters = interpreter.call(&parameters, CallArguments::empty(span))?;
    Ok(match interpreter.iterate(&parameters)? {
        Iteration::Items(items) => {
            let references = items.into_iter().map(|item| reference(interpreter, item, span)).collect();
            Value::List(interpreter.heap.allocate_list(references))
        }
        iteration => {
            let item = interpreter.any_item(iteration, span);
            let item = reference(interpreter, item, span);
            interpreter.list_of(item)
        }
    })
}

#[easy_ext::ext(DistributedRpcMethods)]
pub impl Interpreter<'_> {
    /// A method of the object that a proxy stands for.
    fn proxy_attribute(&mut self, receiver: &Value, base: Name, name: Name, span: Span) -> Option<Value> {
        if base.as_str() != PROXY {
            return None;
        }
        let (value, form) = (part(self, receiver, "value"), part(self, receiver, "form"));
        let function = self.get_attribute(&value, name, span).ok()?;
        Some(object(self, REMOTE_METHOD, &[("function", function), ("form", form)], span))
    }
}
