//! `importlib.util.spec_from_file_location` and `runpy.run_path`: modules that a program loads by the path of their
//! file. The file is one of the project, below the folder of the script.

use crate::methods::*;
use harp_corpus::{FileId, Span};
use harp_interp::api::library_model::{FunctionHandler, MethodHandler};
use harp_interp::state::interpreter::{Eval, Interpreter};
use harp_interp::values::value::Value;
use harp_python::name::{Name, name};

const SPECIFICATION: &str = "importlib.machinery.ModuleSpec";
const LOADER: &str = "importlib.machinery.SourceFileLoader";
/// The attribute of a specification or loader that holds the module; no name of a program's attribute.
const MODULE: &str = "#module";

pub fn function(name: &str) -> Option<FunctionHandler> {
    Some(match name {
        "importlib.util.spec_from_file_location" => |this, _, arguments| {
            let loader = described(this, LOADER, arguments.get(1, "location").cloned(), arguments.span)?;
            let specification = described(this, SPECIFICATION, arguments.get(1, "location").cloned(), arguments.span)?;
            if let Value::Instance(id) = &specification {
                this.heap.set_attribute(*id, name!("loader"), loader);
            }
            Ok(specification)
        },
        LOADER => |this, _, arguments| described(this, LOADER, arguments.get(1, "path").cloned(), arguments.span),
        "importlib.util.module_from_spec" => |this, name, arguments| {
            let specification = arguments.get(0, "spec").cloned().unwrap_or(Value::None);
            Ok(module_of(this, &specification, name.as_str(), arguments.span))
        },
        "runpy.run_path" => |this, name, arguments| {
            let path = arguments.get(0, "path_name").cloned();
            match module_at(this, path)? {
                Some(Value::Module(id)) => Ok(this.attributes_as_dict(id)),
                _ => Ok(this.unanswered("module", name.as_str(), arguments.span)),
            }
        },
        _ => return None,
    })
}

pub fn method(name: &str) -> Option<MethodHandler> {
    let method = name.strip_prefix(LOADER)?.strip_prefix('.')?;
    Some(match method {
        // The module has run when it was found.
        "exec_module" => |_, _, _| Ok(Value::None),
        "load_module" => |this, loader, arguments| Ok(module_of(this, loader, "load_module", arguments.span)),
        _ => return None,
    })
}

fn described(interpreter: &mut Interpreter<'_>, class: &str, path: Option<Value>, span: Span) -> Eval {
    let object = interpreter.library_object(Name::new(class), Vec::new(), span);
    if let (Value::Instance(id), Some(module)) = (&object, module_at(interpreter, path)?) {
        interpreter.heap.set_attribute(*id, Name::new(MODULE), module);
    }
    Ok(object)
}

fn module_of(interpreter: &mut Interpreter<'_>, object: &Value, what: &str, span: Span) -> Value {
    let known = match interpreter.read(object) {
        Value::Instance(id) => interpreter.heap.attribute(id, Name::new(MODULE)).cloned(),
        _ => None,
    };
    known.unwrap_or_else(|| interpreter.unanswered("module", what, span))
}

/// The module whose file has that path, seen from the folder of the script.
fn module_at(interpreter: &mut Interpreter<'_>, path: Option<Value>) -> Eval<Option<Value>> {
    let path = path.map(|path| interpreter.read(&path));
    let text = match &path {
        Some(Value::Str(Some(text))) => Some(text.to_string()),
        Some(path) => interpreter.path_of(path).map(|text| text.to_string()),
        None => None,
    };
    let Some(text) = text else { return Ok(None) };
    let starts: Vec<FileId> = interpreter.frames.iter().map(|frame| frame.file).collect();
    let Some(file) = starts.into_iter().find_map(|from| interpreter.corpus.python_file(from, &text)) else {
        return Ok(None);
    };
    let module = interpreter.project.module_of_file(file);
    interpreter.module(module, false).map(|module| Some(Value::Module(module)))
}
