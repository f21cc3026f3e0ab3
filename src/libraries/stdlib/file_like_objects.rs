//! `print(…, file=stream)` and `json.dump(value, stream)` where the stream is an object of the program.

use harp_corpus::Span;
use harp_interp::api::library_model::FunctionHandler;
use harp_interp::calls::call::CallArguments;
use harp_interp::state::interpreter::{Eval, Interpreter};
use harp_interp::values::value::Value;
use harp_python::name::Name;

/// The attribute in which a stream in memory has its text.
const TEXT: &str = "_text";

pub fn function(name: &str) -> Option<FunctionHandler> {
    (name == "builtins.print").then_some(print as FunctionHandler)
}

fn print(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let Some(file @ Value::Instance(_)) = arguments.keyword("file").map(|file| interpreter.read(file)) else {
        return Ok(Value::None);
    };
    let span = arguments.span;
    let said = |name: &str, usual: &str| match arguments.keyword(name) {
        None | Some(Value::None) => Some(usual.to_owned()),
        Some(value) => value.as_text().map(str::to_owned),
    };
    let (separator, end) = (said("sep", " "), said("end", "\n"));
    let mut parts = Vec::with_capacity(arguments.positional.len());
    for value in &arguments.positional {
        parts.push(interpreter.text_of(value, span)?);
    }
    let parts: Option<Vec<&str>> = parts.iter().map(Option::as_deref).collect();
    let text = match (parts, separator, end) {
        (Some(parts), Some(separator), Some(end)) => Value::str(&format!("{}{end}", parts.join(&separator))),
        _ => Value::Str(None),
    };
    interpreter.write_to(&file, text, span)?;
    Ok(Value::None)
}

#[easy_ext::ext(FileLikeObjectsMethods)]
pub impl Interpreter<'_> {
    /// Writes a text to an object of the program that is a file.
    fn write_to(&mut self, file: &Value, text: Value, span: Span) -> Eval<()> {
        let file = self.read(file);
        if let Some(write) = self.own_method(&file, "write") {
            self.call(&write, CallArguments::positional(vec![text], span))?;
        }
        Ok(())
    }

    /// A library that is given a stream in memory may have written to it, or read of it.
    fn streams_may_change(&mut self, given: &[Value]) {
        if !self.hooks.streams {
            return;
        }
        for value in given {
            if let Value::Instance(id) = self.read(value)
                && self.heap.attribute(id, Name::new(TEXT)).is_some()
                && self.own_method(&Value::Instance(id), "getvalue").is_some()
            {
                self.heap.set_attribute(id, Name::new(TEXT), Value::Str(None));
            }
        }
    }
}
