//! `mock.patch` of Python's `unittest`, and `monkeypatch` of pytest: what tests put in the place of a function,
//! `monkeypatch.setattr(module, "load", fake)`, `mock.patch.object(module, "load", fake)` and
//! `mock.patch("package.module.load", fake)`, also by the fixture `mocker`. It holds to the end of the test or of the
//! block that it begins.

use harp_corpus::Span;
use harp_interp::api::library_model::FunctionHandler;
use harp_interp::calls::call::CallArguments;
use harp_interp::state::interpreter::{Eval, Interpreter};
use harp_interp::values::value::Value;
use harp_python::name::{Name, name};

/// Parts of a path that are looked at.
const DEEPEST_PATH: usize = 16;
/// The method of the fixture that pytest passes as `monkeypatch`.
const SET: &str = "pytest.MonkeyPatch.setattr";
const PATCH: &str = "unittest.mock.patch";
/// The same of the fixture `mocker`: it holds to the end of the test, where `mock` asks for a block.
const MOCKER: &str = "pytest_mock.MockerFixture.patch";

/// What a fixture of pytest or of a plug-in of it has under that name, where it puts something in the place of something else.
pub fn member_of_fixture(fixture: &str, name: &str) -> Option<Value> {
    match (fixture, name) {
        ("monkeypatch", "setattr") => Some(Value::library(SET)),
        ("mocker", "patch") => Some(Value::library(MOCKER)),
        _ => None,
    }
}

pub fn function(name: &str) -> Option<FunctionHandler> {
    Some(match name {
        SET | "pytest_mock.MockerFixture.patch.object" => replace,
        "unittest.mock.patch.object" | "mock.patch.object" => |this, _, arguments| {
            let [target, attribute, ..] = &arguments.positional[..] else { return Ok(Value::Unknown("mock")) };
            let span = arguments.span;
            let new =
                match (arguments.get(2, "new"), arguments.keyword("return_value"), arguments.keyword("side_effect")) {
                    (Some(new), _, _) => new.clone(),
                    (None, None, None) => this.symbolic("mock", span, true),
                    (None, returned, effect) => {
                        let giving = this.library_value(name!("unittest.mock.patch.giving"), span);
                        let given = |value: Option<&Value>| value.cloned().unwrap_or(Value::None);
                        this.call(&giving, CallArguments::positional(vec![given(returned), given(effect)], span))?
                    }
                };
            let class = this.library_value(name!("unittest.mock.patch.Replaced"), span);
            this.call(&class, CallArguments::positional(vec![target.clone(), attribute.clone(), new], span))
        },
        PATCH | MOCKER | "mock.patch" => |this, name, arguments| {
            let new = arguments.get(1, "new").cloned();
            if this.frames.last().is_some_and(|frame| frame.function.is_some() && !frame.is_class_body)
                && let Some(Value::Str(Some(path))) = arguments.get(0, "target").map(|target| this.read(target))
            {
                replace_at(this, &path, new.clone(), arguments.span)?;
            }
            match new {
                None => Ok(Value::Unknown("mock")),
                Some(new) if name.as_str() == MOCKER => Ok(new),
                // It begins a block, or decorates a function.
                Some(new) => {
                    let class = this.library_value(name!("unittest.mock.patch.Placed"), arguments.span);
                    this.call(&class, CallArguments::positional(vec![new], arguments.span))
                }
            }
        },
        _ => return None,
    })
}

/// Replaces what is found at a path with dots, of which the first parts name a module of the program.
fn replace_at(interpreter: &mut Interpreter<'_>, path: &str, new: Option<Value>, span: Span) -> Eval<()> {
    let Some((holder, name)) = path.rsplit_once('.') else { return Ok(()) };
    let ends = holder.char_indices().filter(|(_, letter)| *letter == '.').map(|(end, _)| end);
    let ends: Vec<usize> = ends.chain([holder.len()]).take(DEEPEST_PATH).collect();
    for end in ends.into_iter().rev() {
        let module = interpreter.module_named(Name::new(&holder[..end]))?;
        let Value::Module(_) = module else { continue };
        let mut target = module;
        for part in holder[end..].split('.').filter(|part| !part.is_empty()) {
            target = interpreter.get_attribute(&target, Name::new(part), span)?;
        }
        if let Value::Module(_) | Value::Class(_) | Value::Instance(_) = target {
            let new = new.unwrap_or_else(|| interpreter.symbolic(name, span, true));
            interpreter.set_attribute(&target, Name::new(name), new, span)?;
        }
        break;
    }
    Ok(())
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
