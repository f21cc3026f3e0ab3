//! What the process finds around it: variables of the environment are taken to be unset where the program has a default for that.

use crate::interp::assumption::{AssumptionKind, words};
use crate::interp::calls::CallArguments;
use crate::interp::handlers::FunctionHandler;
use crate::interp::machine::{Eval, Interpreter, Speculation};
use crate::interp::value::Value;
use crate::python::name::Name;

const VARIABLES: &str = "os.environ";

pub fn function(name: &str) -> Option<FunctionHandler> {
    matches!(name, "os.environ.get" | "os.getenv").then_some(variable as FunctionHandler)
}

/// `os.environ.get("NAME", default)`.
fn variable(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let name = arguments.get(0, "key").cloned().unwrap_or(Value::Str(None));
    let Some(default) = arguments.get(1, "default").filter(|default| !default.is_none()) else {
        return Ok(Value::Str(None));
    };
    Ok(if is_unset(interpreter, &name, &arguments) { default.clone() } else { Value::Str(None) })
}

/// Whether a variable may be taken to be unset.
fn is_unset(interpreter: &mut Interpreter<'_>, name: &Value, arguments: &CallArguments) -> bool {
    let Some(name) = name.as_text() else { return false };
    let text = words::default_value_environment(name);
    let evidence = "the program has a default for it".to_owned();
    let kind = AssumptionKind::DefaultValue;
    interpreter.speculate(kind, name, text, evidence, arguments.span) != Speculation::Denied
}

impl Interpreter<'_> {
    /// Whether `item in container` asks for a variable of the environment, and what it finds.
    pub fn variable_test(&mut self, container: &Value, item: &Value) -> Option<Value> {
        let Value::Library(name) = container else { return None };
        if name.as_str() != VARIABLES {
            return None;
        }
        let call = CallArguments::empty(self.current_span());
        is_unset(self, item, &call).then_some(Value::Bool(false))
    }
}
