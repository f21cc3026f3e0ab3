//! What generators are asked besides `next`: `send`, `throw` and `close`.

use crate::api::library_model::MethodHandler;
use crate::builtins::containers::first;
use crate::calls::call::CallArguments;
use crate::evaluate::exceptions::is_exception;
use crate::generators::generator_objects::Step;
use crate::generators::suspension::Sent;
use crate::state::interpreter::{Eval, Interpreter, Interrupt};
use crate::values::value::Value;
use harp_corpus::Span;
use harp_python::name::name;

/// The class of generators, as methods of it are named.
pub const GENERATOR: &str = "builtins.generator";

pub fn method(name: &str) -> Option<MethodHandler> {
    match name.strip_prefix(GENERATOR)?.strip_prefix('.')? {
        "__next__" | "__anext__" => Some(|this, generator, call| ask(this, generator, Sent::Value(Value::None), &call)),
        "send" | "asend" => Some(|this, generator, call| ask(this, generator, Sent::Value(first(&call)), &call)),
        "throw" | "athrow" => Some(throw),
        "close" | "aclose" => Some(close),
        "__iter__" | "__aiter__" => Some(|_, generator, _| Ok(generator.clone())),
        _ => None,
    }
}

/// Whether iterators have a method of this name.
pub(crate) fn is_member(name: &str) -> bool {
    method(&format!("{GENERATOR}.{name}")).is_some()
}

fn ask(interpreter: &mut Interpreter<'_>, generator: &Value, sent: Sent, call: &CallArguments) -> Eval {
    match interpreter.ask_source_with(generator, sent, Some(call.span))? {
        Step::Item(item) => Ok(item),
        Step::Rest(rest) => {
            let items = interpreter.sample(rest).0;
            Ok(interpreter.widen(&items))
        }
        Step::End(returned) => {
            interpreter.raise_stop_if_caught(returned, call.span)?;
            Ok(Value::Unknown("exhausted iterator"))
        }
    }
}

fn throw(interpreter: &mut Interpreter<'_>, generator: &Value, call: CallArguments) -> Eval {
    let exception = match call.positional.get(1).filter(|value| matches!(value, Value::Instance(_))) {
        Some(object) => object.clone(),
        None => first(&call),
    };
    let exception = match interpreter.read(&exception) {
        class @ Value::Class(_) => interpreter.call(&class, CallArguments::empty(call.span))?,
        Value::Library(class) if is_exception(class.as_str()) => {
            interpreter.new_exception(class, Vec::new(), call.span)
        }
        other => other,
    };
    ask(interpreter, generator, Sent::Exception(exception), &call)
}

fn close(interpreter: &mut Interpreter<'_>, generator: &Value, call: CallArguments) -> Eval {
    interpreter.close_generator(generator, call.span)?;
    Ok(Value::None)
}

impl Interpreter<'_> {
    /// Ends a generator where it stopped.
    pub fn close_generator(&mut self, generator: &Value, span: Span) -> Eval<()> {
        let exit = name!("builtins.GeneratorExit");
        let exception = self.new_exception(exit, Vec::new(), span);
        self.exceptions.caught += 1;
        let asked = self.ask_source_with(generator, Sent::Exception(exception), Some(span));
        self.exceptions.caught -= 1;
        match asked {
            Err(Interrupt::Raise) => {
                let raised = std::mem::take(&mut self.exceptions.raised);
                let is_exit = |raised: &Value| self.is_caught_by(raised, &Value::Library(exit)) == Some(true);
                if raised.exception.as_ref().is_none_or(is_exit) {
                    return Ok(());
                }
                self.exceptions.raised = raised;
                Err(Interrupt::Raise)
            }
            Err(other) => Err(other),
            Ok(_) => Ok(()),
        }
    }
}
