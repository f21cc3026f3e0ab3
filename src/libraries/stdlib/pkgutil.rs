//! `pkgutil.iter_modules(package.__path__)` and `glob(folder + "/*.py")`: the modules of a folder, which programs look
//! through to import them all.

use crate::methods::*;
use std::rc::Rc;

use harp_corpus::ROOT;
use harp_interp::api::library_model::{FunctionHandler, MethodHandler};
use harp_interp::calls::call::CallArguments;
use harp_interp::classes::named_tuples::RECORD;
use harp_interp::heap::objects::{InstanceData, Payload};
use harp_interp::state::interpreter::{Eval, Interpreter};
use harp_interp::values::value::{Iteration, ObjectId, Value};
use harp_python::name::{Name, name};

/// Of a folder with more modules, nothing is said.
const MOST_MODULES: usize = 256;

pub fn function(name: &str) -> Option<FunctionHandler> {
    Some(match name {
        "pkgutil.iter_modules" => iter_modules,
        "glob.glob" | "glob.iglob" => |this, name, arguments| {
            let pattern = arguments.get(0, "pathname").and_then(|pattern| this.path_of(pattern));
            match pattern.and_then(|pattern| files_of(this, pattern.strip_suffix("/*.py")?)) {
                Some(files) => {
                    let files = files.into_iter().map(|file| Value::str(&file)).collect();
                    Ok(Value::List(this.heap.allocate_list(files)))
                }
                None => this.call_described(name, arguments),
            }
        },
        _ => return None,
    })
}

pub fn method(name: &str) -> Option<MethodHandler> {
    (name == "pathlib.Path.glob").then_some(|this, path, arguments| {
        let is_python = arguments.get(0, "pattern").and_then(Value::as_text) == Some("*.py");
        let folder = this.path_of(path).filter(|_| is_python);
        let Some(files) = folder.and_then(|folder| files_of(this, &folder)) else {
            let element = this.data_from_outside("path", arguments.span);
            return Ok(Value::Iterator(Rc::new(Iteration::Repeated { element, count: None, residual: None })));
        };
        let files = files.into_iter().map(|file| this.path_object(&file, arguments.span)).collect();
        Ok(Value::Iterator(Rc::new(Iteration::Items(files))))
    })
}

/// The paths of the modules in a folder of the program, sorted; `None` where it has none.
fn files_of(interpreter: &Interpreter<'_>, folder: &str) -> Option<Vec<String>> {
    let folder = folder.trim_end_matches('/');
    if !format!("{folder}/").starts_with(ROOT) {
        return None;
    }
    let is_within = |path: &String| path.rsplit_once('/').is_some_and(|(around, _)| around == folder);
    let mut files: Vec<String> = interpreter
        .corpus
        .files
        .iter()
        .filter_map(|file| interpreter.corpus.known_path(file.id))
        .filter(is_within)
        .collect();
    files.sort_unstable();
    (!files.is_empty() && files.len() <= MOST_MODULES).then_some(files)
}

/// The names of the modules and packages in a folder, each with whether it is a package.
fn modules_of(interpreter: &Interpreter<'_>, folder: &str) -> Option<Vec<(String, bool)>> {
    let folder = folder.trim_end_matches('/');
    if !format!("{folder}/").starts_with(ROOT) {
        return None;
    }
    let mut found = Vec::new();
    for path in interpreter.corpus.files.iter().filter_map(|file| interpreter.corpus.known_path(file.id)) {
        let Some(below) = path.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/')) else { continue };
        match below.strip_suffix(".py") {
            Some("__init__") | None => {}
            Some(module) if !module.contains('/') => found.push((module.to_owned(), false)),
            Some(module) => {
                if let Some(package) = module.strip_suffix("/__init__")
                    && !package.contains('/')
                {
                    found.push((package.to_owned(), true));
                }
            }
        }
    }
    found.sort_unstable();
    (!found.is_empty() && found.len() <= MOST_MODULES).then_some(found)
}

/// `iter_modules(path, prefix)`: what there is to import in some folders.
fn iter_modules(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    let paths = arguments.get(0, "path").cloned().unwrap_or(Value::None);
    let prefix = arguments.get(1, "prefix").and_then(Value::as_text).unwrap_or("").to_owned();
    let Iteration::Items(paths) = interpreter.iterate(&paths)? else {
        return interpreter.call_described(name, arguments);
    };
    let mut items = Vec::new();
    for path in paths {
        let folder = interpreter.path_of(&path);
        let Some(modules) = folder.and_then(|folder| modules_of(interpreter, &folder)) else {
            return interpreter.call_described(name, arguments);
        };
        for (module, is_package) in modules {
            let data = InstanceData { class: Value::library(RECORD), arguments: Vec::new(), origin: arguments.span };
            let info = interpreter.heap.allocate(Payload::Instance(Rc::new(data)));
            let finder = interpreter.data_from_outside("finder", arguments.span);
            let parts = [
                ("module_finder", finder),
                ("name", Value::str(&format!("{prefix}{module}"))),
                ("ispkg", Value::Bool(is_package)),
            ];
            parts.into_iter().for_each(|(part, value)| interpreter.heap.set_attribute(info, Name::new(part), value));
            items.push(Value::Instance(info));
        }
    }
    Ok(Value::Iterator(Rc::new(Iteration::Items(items))))
}

#[easy_ext::ext(PkgutilMethods)]
pub impl Interpreter<'_> {
    /// `__path__` of a package of the program.
    fn path_of_package(&mut self, module: ObjectId) -> Option<Value> {
        let file = self.heap.attribute(module, name!("__file__")).cloned()?;
        let file = self.path_of(&file)?;
        let folder = Value::str(file.strip_suffix("/__init__.py")?);
        Some(Value::List(self.heap.allocate_list(vec![folder])))
    }
}
