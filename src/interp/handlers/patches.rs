//! What tests put in the place of a function: `monkeypatch.setattr(module, "load", fake)` of pytest and `mock.patch.object(module, "load", fake)`.
//! It holds to the end of the test.

use crate::interp::calls::CallArguments;
use crate::interp::handlers::FunctionHandler;
use crate::interp::machine::{Eval, Interpreter};
use crate::interp::value::Value;
use crate::python::name::Name;

/// The method of the fixture that pytest passes as `monkeypatch`.
pub const SET: &str = "pytest.MonkeyPatch.setattr";

pub fn function(name: &str) -> Option<FunctionHandler> {
    Some(match name {
        SET => replace,
        "unittest.mock.patch.object" | "mock.patch.object" => |this, _, arguments| {
            let [target, attribute, ..] = &arguments.positional[..] else { return Ok(Value::Unknown("mock")) };
            let span = arguments.span;
            let new =
                match (arguments.get(2, "new"), arguments.keyword("return_value"), arguments.keyword("side_effect")) {
                    (Some(new), _, _) => new.clone(),
                    (None, None, None) => this.symbolic("mock", span, true),
                    (None, returned, effect) => {
                        let giving = this.library_value(Name::new("unittest.mock.patch.giving"), span);
                        let given = |value: Option<&Value>| value.cloned().unwrap_or(Value::None);
                        this.call(&giving, CallArguments::positional(vec![given(returned), given(effect)], span))?
                    }
                };
            let class = this.library_value(Name::new("unittest.mock.patch.Replaced"), span);
            this.call(&class, CallArguments::positional(vec![target.clone(), attribute.clone(), new], span))
        },
        _ => return None,
    })
}

fn replace(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let [target, name, ..] = &arguments.positional[..] else { return Ok(Value::None) };
    let target = interpreter.read(target);
    if let (Some(name), Value::Module(_) | Value::Class(_) | Value::Instance(_)) = (name.as_text(), &target) {
        let new = match arguments.get(2, "new").or_else(|| arguments.get(2, "value")) {
            Some(new) => new.clone(),
            None => interpreter.symbolic(name, arguments.span, true),
        };
        interpreter.set_attribute(&target, Name::new(name), new, arguments.span)?;
    }
    Ok(Value::None)
}
