//! `os.environ` and its like: variables of the environment are taken to be unset where the program has a default for
//! that.

use crate::methods::*;
use std::rc::Rc;

use crate::settings::Format;
use harp_corpus::Span;
use harp_interp::api::library_model::FunctionHandler;
use harp_interp::calls::call::CallArguments;
use harp_interp::heap::objects::ListData;
use harp_interp::state::interpreter::{Eval, Interpreter, Speculation};
use harp_interp::values::value::Value;
use harp_python::ir::{CompareOperator, Expr, ExprKind};
use harp_python::name::Name;
use harp_trace::assumption::{AssumptionKind, words};

pub(crate) const VARIABLES: &str = "os.environ";
/// Where the registry says that a file may have set variables.
const IS_OPEN: &str = "#environment is open";
/// Where a text says which variable it is.
const VARIABLE: &str = "#variable";

pub fn function(name: &str) -> Option<FunctionHandler> {
    Some(match name {
        "os.environ.get" | "os.getenv" => variable,
        "os.environ.setdefault" => |this, _, arguments| {
            let name = arguments.get(0, "key").cloned().unwrap_or(Value::Str(None));
            let value = arguments.get(1, "default").cloned().unwrap_or(Value::Str(None));
            if let Some(known) = this.set_variable(&name) {
                return Ok(known);
            }
            if is_unset(this, &name, &arguments) {
                this.store_variable(&name, value.clone());
                return Ok(value);
            }
            if name.as_text().is_none() {
                this.store_variable(&name, value);
            }
            Ok(Value::Str(None))
        },
        "os.environ.pop" => |this, name, arguments| {
            let key = arguments.get(0, "key").cloned().unwrap_or(Value::Str(None));
            match this.set_variable(&key) {
                Some(value) => {
                    this.forget_variable(&key);
                    Ok(value)
                }
                None => variable(this, name, arguments),
            }
        },
        "dotenv.load_dotenv" | "dotenv.main.load_dotenv" => load_file,
        "dotenv.dotenv_values" | "dotenv.main.dotenv_values" => |this, name, arguments| {
            Ok(match variables_of_file(this, &arguments) {
                Some(variables) => Value::Dict(this.heap.allocate_dict(variables)),
                None => this.unanswered("variables of a file", name.as_str(), arguments.span),
            })
        },
        "dotenv.find_dotenv" | "dotenv.main.find_dotenv" => |_, _, _| Ok(Value::str(".env")),
        "os.environ.update" => |this, _, arguments| {
            let data = match arguments.positional.first().map(|given| this.read(given)) {
                Some(Value::Dict(id)) => this.heap.dict(id).cloned(),
                _ => None,
            };
            let is_open = data.as_ref().is_none_or(|data| data.rest.is_some()) && !arguments.positional.is_empty();
            if is_open || arguments.is_open {
                this.store_variable(&Value::Str(None), Value::Str(None));
            }
            let entries = data.map(|data| data.entries.clone()).unwrap_or_default();
            let named = arguments.keywords.iter().map(|(name, value)| (Value::str(name.as_str()), value.clone()));
            for (name, value) in entries.into_iter().chain(named) {
                this.store_variable(&name, value);
            }
            Ok(Value::None)
        },
        _ => return None,
    })
}

/// `load_dotenv(path)`: the variables of a file that are not set yet. Of a file that is not there, nobody knows which these are.
fn load_file(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    let Some(variables) = variables_of_file(interpreter, &arguments) else {
        interpreter.not_understood(name.as_str(), arguments.span);
        interpreter.store_variable(&Value::Str(None), Value::Str(None));
        return Ok(Value::Unknown("variables of a file"));
    };
    let overrides = matches!(arguments.keyword("override"), Some(Value::Bool(true)));
    for (name, value) in variables {
        if overrides || interpreter.set_variable(&name).is_none() {
            interpreter.store_variable(&name, value);
        }
    }
    Ok(Value::Bool(true))
}

fn variables_of_file(interpreter: &mut Interpreter<'_>, arguments: &CallArguments) -> Option<Vec<(Value, Value)>> {
    let path = match arguments.get(0, "dotenv_path").map(|path| interpreter.read(path)) {
        None | Some(Value::None) => ".env".to_owned(),
        Some(path) => interpreter.path_of(&path)?.to_string(),
    };
    let file = interpreter.settings_file(&path)?;
    let Value::Dict(id) = interpreter.settings_of_file(&file, Format::Env, "", arguments.span)? else { return None };
    let entries = interpreter.heap.dict(id)?.entries.clone();
    // What is not known of a variable is a text all the same.
    let as_text = |value: Value| if value.as_text().is_some() { value } else { Value::Str(None) };
    Some(entries.into_iter().map(|(name, value)| (name, as_text(value))).collect())
}

/// `os.environ.get("NAME", default)`.
fn variable(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let name = arguments.get(0, "key").cloned().unwrap_or(Value::Str(None));
    if let Some(known) = interpreter.set_variable(&name) {
        return Ok(known);
    }
    let Some(default) = arguments.get(1, "default").filter(|default| !default.is_none()) else {
        return Ok(interpreter.variable_text(&name, arguments.span));
    };
    Ok(if is_unset(interpreter, &name, &arguments) { default.clone() } else { Value::Str(None) })
}

/// Whether a variable may be taken to be unset.
fn is_unset(interpreter: &mut Interpreter<'_>, name: &Value, arguments: &CallArguments) -> bool {
    let Some(name) = name.as_text() else { return false };
    if interpreter.heap.attribute(interpreter.model_state.settings.registry, Name::new(IS_OPEN)).is_some() {
        return false;
    }
    let text = words::default_value_environment(name);
    let evidence = "the program has a default for it".to_owned();
    let kind = AssumptionKind::DefaultValue;
    interpreter.note_unset_variable(name);
    interpreter.speculate(kind, name, text, evidence, arguments.span) != Speculation::Denied
}

#[easy_ext::ext(OsEnvironMethods)]
pub impl Interpreter<'_> {
    /// The text of a variable that the program asks for without a default. Where it asks whether there is one, none is taken to be set.
    fn variable_text(&mut self, name: &Value, span: Span) -> Value {
        let is_open = self.heap.attribute(self.model_state.settings.registry, Name::new(IS_OPEN)).is_some();
        let value = self.some_text("variable of the environment", span);
        if let (&Value::Symbolic(id), Some(_), false) = (&value, name.as_text(), is_open) {
            self.heap.set_attribute(id, Name::new(VARIABLE), name.clone());
        }
        value
    }

    /// Whether a value is a variable of the environment that is taken to be unset.
    fn is_unset_variable(&mut self, value: &Value) -> bool {
        let Value::Symbolic(id) = *value else { return false };
        let Some(name) = self.heap.attribute(id, Name::new(VARIABLE)).cloned() else { return false };
        let call = CallArguments::empty(self.current_span());
        is_unset(self, &name, &call)
    }

    /// `if name is None:` of a variable of the environment that is taken to be unset: what the condition is then.
    fn asked_for_variable(&mut self, test: &Expr) -> Option<bool> {
        let ExprKind::Compare { left, rest } = &test.kind else { return None };
        let (ExprKind::Name(name), [(operator, Expr { kind: ExprKind::None, .. })]) = (&left.kind, &rest[..]) else {
            return None;
        };
        let is_unset = match operator {
            CompareOperator::Is => true,
            CompareOperator::IsNot => false,
            _ => return None,
        };
        let value = self.lookup(*name)?;
        let value = self.read(&value);
        self.is_unset_variable(&value).then_some(is_unset)
    }

    /// What `os.environ[name]` gives: where a handler waits for a missing one, none is taken to be set.
    fn variable_item(&mut self, name: &Value, span: Span) -> Eval {
        if let Some(known) = self.set_variable(name) {
            return Ok(known);
        }
        let call = CallArguments::empty(span);
        if self.expects_here("KeyError") && is_unset(self, name, &call) {
            self.raise_if_caught("KeyError", name.as_text().unwrap_or_default(), span)?;
        }
        Ok(Value::Str(None))
    }

    /// What the program itself has set a variable of the environment to.
    fn set_variable(&self, name: &Value) -> Option<Value> {
        let name = Name::new(&format!("#environment {}", name.as_text()?));
        self.heap.attribute(self.model_state.settings.registry, name).map(|value| self.read(value))
    }

    /// `os.environ[name] = value`.
    fn store_variable(&mut self, name: &Value, value: Value) {
        let registry = self.model_state.settings.registry;
        match name.as_text() {
            Some(name) => self.heap.set_attribute(registry, Name::new(&format!("#environment {name}")), value),
            // Any variable may be set now.
            None => self.heap.set_attribute(registry, Name::new(IS_OPEN), Value::Bool(true)),
        }
    }

    /// `del os.environ[name]`.
    fn forget_variable(&mut self, name: &Value) {
        if let Some(name) = name.as_text() {
            let name = Name::new(&format!("#environment {name}"));
            self.heap.delete_attribute(self.model_state.settings.registry, name);
        }
    }

    /// Whether `item in container` asks for a variable of the environment, and what it finds.
    fn variable_test(&mut self, container: &Value, item: &Value) -> Option<Value> {
        let Value::Library(name) = container else { return None };
        if name.as_str() != VARIABLES {
            return None;
        }
        if self.set_variable(item).is_some() {
            return Some(Value::Bool(true));
        }
        let call = CallArguments::empty(self.current_span());
        is_unset(self, item, &call).then_some(Value::Bool(false))
    }
}

/// Where the registry keeps `sys.argv`; no name of a flag.
const ARGV: &str = "#argv";

/// `sys.argv`: one list, which programs change.
pub fn argument_vector(interpreter: &mut Interpreter<'_>) -> Value {
    let (holder, name) = (interpreter.model_state.settings.registry, Name::new(ARGV));
    if let Some(known) = interpreter.heap.attribute(holder, name) {
        return known.clone();
    }
    let script = Value::Str(None);
    let list = match interpreter.options.arguments.clone() {
        Some(words) => {
            let words = words.iter().map(|word| Value::str(word));
            interpreter.heap.allocate_list(std::iter::once(script).chain(words).collect())
        }
        None if interpreter.is_without_words() => interpreter.heap.allocate_list(vec![script]),
        None => {
            let list = interpreter.heap.allocate_list(vec![script]);
            interpreter.heap.change_list(list, |data| data.rest = Some(Value::Str(None)));
            list
        }
    };
    interpreter.model_state.settings.first_argv = interpreter.heap.list(list).cloned();
    interpreter.heap.set_attribute(holder, name, Value::List(list));
    Value::List(list)
}

/// `sys.argv = […]`.
pub fn set_argument_vector(interpreter: &mut Interpreter<'_>, words: Value) {
    interpreter.heap.set_attribute(interpreter.model_state.settings.registry, Name::new(ARGV), words);
}

/// Another program begins: it has the user's words again.
pub fn forget_argument_vector(interpreter: &mut Interpreter<'_>) {
    let (holder, name) = (interpreter.model_state.settings.registry, Name::new(ARGV));
    if interpreter.heap.attribute(holder, name).is_some() {
        interpreter.heap.delete_attribute(holder, name);
    }
}

/// Whether this is the command line of a run without words: a program that asks for one of them all the same ends there.
pub fn lacks_words(interpreter: &Interpreter<'_>, list: &Rc<ListData>) -> bool {
    interpreter.entry.defaults.others.has_no_words()
        && interpreter.model_state.settings.first_argv.as_ref().is_some_and(|first| Rc::ptr_eq(first, list))
}

/// The words that the program put into `sys.argv` in place of the user's; `Some(None)` where not all of them are known.
pub fn changed_words(interpreter: &Interpreter<'_>) -> Option<Option<Vec<String>>> {
    let known = interpreter.heap.attribute(interpreter.model_state.settings.registry, Name::new(ARGV))?;
    let Value::List(list) = interpreter.read(known) else { return Some(None) };
    let data = interpreter.heap.list(list)?;
    if interpreter.model_state.settings.first_argv.as_ref().is_some_and(|first| Rc::ptr_eq(first, data)) {
        return None;
    }
    let words = data.items.iter().skip(1).map(|word| word.as_text().map(str::to_owned));
    Some(if data.rest.is_none() { words.collect() } else { None })
}
