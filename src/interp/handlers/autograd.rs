//! Differentiable functions that a program defines itself.

use std::rc::Rc;

use crate::interp::calls::CallArguments;
use crate::interp::handlers::MethodHandler;
use crate::interp::heap::{InstanceData, Payload};
use crate::interp::machine::{Eval, Interpreter};
use crate::interp::value::Value;
use crate::python::name::Name;

/// `apply` of `torch.autograd.Function`.
pub const APPLY: &str = "torch.autograd.Function.apply";

pub fn method(name: &str) -> Option<MethodHandler> {
    (name == APPLY).then_some(apply as MethodHandler)
}

/// `Class.apply(…)` runs `Class.forward(context, …)`; with a `setup_context` of its own, `forward` takes no context.
fn apply(interpreter: &mut Interpreter<'_>, class: &Value, arguments: CallArguments) -> Eval {
    let span = arguments.span;
    let Some(forward @ Value::Function(_)) = interpreter.member_of(class, Name::new("forward"), None) else {
        interpreter.not_understood(APPLY, span);
        return Ok(interpreter.symbolic("result", span, true));
    };
    if interpreter.member_of(class, Name::new("setup_context"), None).is_some() {
        return interpreter.call(&forward, arguments);
    }
    let class = Value::library("torch.autograd.function.FunctionCtx");
    let data = InstanceData { class, arguments: Vec::new(), origin: span };
    let context = Value::Instance(interpreter.heap.allocate(Payload::Instance(Rc::new(data))));
    interpreter.call(&forward, arguments.with_first(context))
}
