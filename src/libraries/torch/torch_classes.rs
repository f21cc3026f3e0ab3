//! `torch.classes`: classes that a library in another language brings. What their objects do is seen nowhere in Python.

use std::rc::Rc;

use harp_interp::api::library_model::{FunctionHandler, MethodHandler};
use harp_interp::calls::call::CallArguments;
use harp_interp::heap::objects::{InstanceData, Payload};
use harp_interp::state::interpreter::{Eval, Interpreter, Speculation};
use harp_interp::values::value::Value;
use harp_trace::assumption::{AssumptionKind, words};

/// The class of all such objects in Python.
const OBJECT: &str = "torch.ScriptObject";
/// Members of `torch.classes` that are no namespaces of classes.
const OWN_MEMBERS: [&str; 3] = ["load_library", "load_libraries", "loaded_libraries"];

/// The constructor of a class that a library brings: `torch.classes.namespace.Class`.
pub fn function(name: &str) -> Option<FunctionHandler> {
    let (namespace, _) = name.strip_prefix("torch.classes.")?.split_once('.')?;
    if OWN_MEMBERS.contains(&namespace) {
        return None;
    }
    Some(|this, _, arguments| {
        let class = Value::library(OBJECT);
        let data = InstanceData { class, arguments: Vec::new(), origin: arguments.span };
        Ok(Value::Instance(this.heap.allocate(Payload::Instance(Rc::new(data)))))
    })
}

pub fn method(name: &str) -> Option<MethodHandler> {
    let method = name.strip_prefix(OBJECT)?.strip_prefix('.')?;
    (!method.starts_with("__")).then_some(call as MethodHandler)
}

pub fn instance_call(class: &str) -> Option<MethodHandler> {
    (class == OBJECT).then_some(call as MethodHandler)
}

/// What such an object gives is not known.
fn call(interpreter: &mut Interpreter<'_>, _: &Value, arguments: CallArguments) -> Eval {
    let span = arguments.span;
    let text = interpreter.source_text(span);
    let sentence = words::native_code_takes(text);
    let evidence = "a library in another language defines it".to_owned();
    if interpreter.speculate(AssumptionKind::NativeCode, text, sentence, evidence, span) == Speculation::Denied {
        interpreter.not_understood(&format!("call of `{text}`, of which nothing is known"), span);
    }
    Ok(interpreter.symbolic(text, span, false))
}
