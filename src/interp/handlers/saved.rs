//! Objects that the program saves in a file and loads again in the same run: what is loaded is what was saved under that path.

use crate::interp::apis::Callee;
use crate::interp::calls::CallArguments;
use crate::interp::handlers::FunctionHandler;
use crate::interp::heap::Payload;
use crate::interp::machine::{Eval, Interpreter};
use crate::interp::value::{ObjectId, Value};
use crate::python::name::Name;

/// Where an open file keeps its path; no name of a program's attribute.
const PATH: &str = "#path";

pub fn function(name: &str) -> Option<FunctionHandler> {
    Some(match name {
        "gzip.open" | "bz2.open" => open,
        "torch.save" | "torch.serialization.save" | "pickle.dump" | "joblib.dump" => save,
        "torch.load" | "torch.serialization.load" | "pickle.load" | "joblib.load" => load,
        _ => return None,
    })
}

/// An open file, which knows its path.
pub(super) fn open(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let file = interpreter.data_from_outside("file", arguments.span);
    if let (Value::Symbolic(id), Some(path)) = (&file, arguments.get(0, "file").and_then(Value::as_text)) {
        interpreter.heap.set_attribute(*id, Name::new(PATH), Value::str(path));
    }
    Ok(file)
}

fn save(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    let object = arguments.positional.first().or_else(|| arguments.keyword("obj")).cloned();
    let file = arguments.positional.get(1).or_else(|| arguments.keyword("f")).or_else(|| arguments.keyword("file"));
    if let (Some(object), Some(path)) = (object, file.and_then(|file| path_of(interpreter, file))) {
        let files = files(interpreter);
        interpreter.heap.set_attribute(files, path, object);
    }
    as_annotated(interpreter, name, arguments)
}

fn load(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    let file = arguments.positional.first().or_else(|| arguments.keyword("f")).or_else(|| arguments.keyword("file"));
    let path = file.and_then(|file| path_of(interpreter, file));
    let saved = path.and_then(|path| {
        let files = interpreter.saved.filter(|files| (files.0 as usize) < interpreter.heap.len())?;
        interpreter.heap.attribute(files, path).cloned()
    });
    match saved.map(|value| interpreter.read(&value)) {
        Some(value) if !value.is_unknown() => Ok(value),
        _ => as_annotated(interpreter, name, arguments),
    }
}

/// The object whose attributes are the files that this entry has written.
fn files(interpreter: &mut Interpreter<'_>) -> ObjectId {
    match interpreter.saved.filter(|files| (files.0 as usize) < interpreter.heap.len()) {
        Some(files) => files,
        None => {
            let files = interpreter.heap.allocate(Payload::Plain);
            interpreter.saved = Some(files);
            files
        }
    }
}

/// The path of a file that is given by its path or is open.
fn path_of(interpreter: &Interpreter<'_>, file: &Value) -> Option<Name> {
    let path = match interpreter.read(file) {
        Value::Symbolic(id) => interpreter.heap.attribute(id, Name::new(PATH)).cloned()?,
        path => path,
    };
    path.as_text().map(|path| Name::new(path.strip_prefix("./").unwrap_or(path)))
}

fn as_annotated(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    match interpreter.library_entry(name) {
        Some(crate::annotations::Entry::Api(spec)) => {
            interpreter.call_api(Callee { spec, api: name }, None, None, arguments)
        }
        _ => interpreter.call_unknown_library(name, &arguments),
    }
}
