//! `pickle.dump`, `torch.save` and their like: what is loaded is what was saved under that path, by the same run, or,
//! as is assumed, by another script of the same folder.

use harp_interp::state::saved_file::SavedFile;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use harp_corpus::{FileId, Span};
use harp_interp::api::call_api::Callee;
use harp_interp::api::library_model::FunctionHandler;
use harp_interp::calls::call::CallArguments;
use harp_interp::state::interpreter::{Eval, Interpreter};
use harp_interp::values::value::{ObjectId, Tensor, Value};
use harp_python::name::Name;
use harp_trace::assumption::{AssumptionKind, words};

/// Where an open file keeps its path; no name of a program's attribute.
const PATH: &str = "#path";
/// What the names of files begin with whose paths are not known.
const UNNAMED: &str = "#";
/// Calls that save objects, as programs write them.
pub const SAVES: [&str; 4] = ["torch.save(", "pickle.dump(", "joblib.dump(", "np.save("];
/// Calls that load objects, as programs write them.
pub const LOADS: [&str; 4] = ["torch.load(", "pickle.load(", "joblib.load(", "np.load("];
/// More files are not kept.
const MOST_FILES: usize = 256;

pub fn function(name: &str) -> Option<FunctionHandler> {
    Some(match name {
        "gzip.open" | "bz2.open" => open,
        "torch.save" | "torch.serialization.save" | "pickle.dump" | "joblib.dump" => save,
        "pickle.dumps" | "cloudpickle.dumps" | "dill.dumps" => written_as_bytes,
        "pickle.loads" | "cloudpickle.loads" | "dill.loads" => read_from_bytes,
        "numpy.save" | "numpy.savetxt" => save_array,
        "numpy.savez" | "numpy.savez_compressed" => save_archive,
        "torch.load" | "torch.serialization.load" | "pickle.load" | "joblib.load" => load,
        _ => return None,
    })
}

/// An open file, which knows its path.
pub(crate) fn open(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let file = interpreter.data_from_outside("file", arguments.span);
    if let (Value::Symbolic(id), Some(path)) = (&file, arguments.get(0, "file").and_then(Value::as_text)) {
        interpreter.heap.set_attribute(*id, Name::new(PATH), Value::str(path));
    }
    Ok(file)
}

/// The attribute of bytes that has what they were made of; no program can name it.
const WRITTEN: &str = "(written)";

/// `pickle.dumps(value)`: bytes that remember a copy of the value.
fn written_as_bytes(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let value = arguments.get(0, "obj").cloned().unwrap_or(Value::Unknown("missing argument"));
    let copy = interpreter.snapshot(&value, arguments.span)?;
    let bytes = interpreter.symbolic("bytes", arguments.span, true);
    if let Value::Symbolic(id) = &bytes {
        interpreter.heap.set_attribute(*id, Name::new(WRITTEN), copy);
    }
    Ok(bytes)
}

/// `pickle.loads(data)`
fn read_from_bytes(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    let written = match arguments.get(0, "data").map(|data| interpreter.read(data)) {
        Some(Value::Symbolic(id)) => interpreter.heap.attribute(id, Name::new(WRITTEN)).cloned(),
        _ => None,
    };
    match written {
        Some(value) => interpreter.through_bytes(&value, arguments.span),
        None => as_annotated(interpreter, name, arguments),
    }
}

fn save(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    let object = arguments.positional.first().or_else(|| arguments.keyword("obj")).cloned();
    let file = arguments.positional.get(1).or_else(|| arguments.keyword("f")).or_else(|| arguments.keyword("file"));
    write(interpreter, object, file.cloned(), arguments.span);
    as_annotated(interpreter, name, arguments)
}

/// `numpy.save(file, array)`, `numpy.savetxt(fname, array)`
fn save_array(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    let (file_name, array_name) = if name.as_str() == "numpy.savetxt" { ("fname", "X") } else { ("file", "arr") };
    let (file, object) = (arguments.get(0, file_name).cloned(), arguments.get(1, array_name).cloned());
    write(interpreter, object, file, arguments.span);
    as_annotated(interpreter, name, arguments)
}

/// `numpy.savez(file, array, name=array)`: an archive of arrays by their names.
fn save_archive(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    let placed = arguments.positional.iter().skip(1).enumerate().map(|(place, array)| (format!("arr_{place}"), array));
    let named = arguments.keywords.iter().map(|(name, array)| (name.to_string(), array));
    let arrays = placed.chain(named).map(|(name, array)| (name, interpreter.read(array)));
    // What is given as a list is an array in the archive.
    let arrays: Vec<(Value, Value)> = arrays
        .map(|(name, array)| {
            let array = if matches!(array, Value::Tensor(_)) { array } else { Value::Unknown("array of an archive") };
            (Value::str(&name), array)
        })
        .collect();
    let archive = interpreter.heap.allocate_dict(arrays);
    write(interpreter, Some(Value::Dict(archive)), arguments.positional.first().cloned(), arguments.span);
    as_annotated(interpreter, name, arguments)
}

/// What the entry has saved under a path.
pub(crate) fn kept(interpreter: &mut Interpreter<'_>, file: Option<&Value>) -> Option<Value> {
    let path = file.and_then(|file| path_of(interpreter, file))?;
    let files = interpreter.model_state.saved.filter(|files| (files.0 as usize) < interpreter.heap.len())?;
    let value = interpreter.heap.attribute(files, path).cloned()?;
    Some(interpreter.read(&value)).filter(|value| !value.is_unknown())
}

pub(crate) fn write(interpreter: &mut Interpreter<'_>, object: Option<Value>, file: Option<Value>, span: Span) {
    let (Some(object), Some(file)) = (object, file) else { return };
    let path = path_of(interpreter, &file).unwrap_or_else(|| Name::new(&format!("{UNNAMED}{}", span.start)));
    let files = files(interpreter);
    // What is written behind something else is read after it.
    let is_behind = path.as_str().starts_with(UNNAMED) && interpreter.heap.attribute(files, path).is_some();
    let object = if is_behind { Value::Unknown("one of several objects in a file") } else { object };
    interpreter.heap.set_attribute(files, path, object);
    if interpreter.model_state.saved_at.len() < MOST_FILES {
        interpreter.model_state.saved_at.insert(path, span);
    }
}

fn load(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    let file = arguments.positional.first().or_else(|| arguments.keyword("f")).or_else(|| arguments.keyword("file"));
    let path = file.and_then(|file| path_of(interpreter, file));
    match kept(interpreter, file) {
        Some(value) => Ok(value),
        // Another program knows no object of this one: all that is known of an open file is that it is one.
        None => match interpreter
            .saved_by_another(path.filter(|path| !path.as_str().starts_with(UNNAMED)), arguments.span)
        {
            Some(value) => Ok(value),
            None => as_annotated(interpreter, name, arguments),
        },
    }
}

/// The object whose attributes are the files that this entry has written.
fn files(interpreter: &mut Interpreter<'_>) -> ObjectId {
    match interpreter.model_state.saved.filter(|files| (files.0 as usize) < interpreter.heap.len()) {
        Some(files) => files,
        None => {
            let files = interpreter.heap.allocate_common();
            interpreter.model_state.saved = Some(files);
            files
        }
    }
}

/// The path of a file that is given by its path or is open.
fn path_of(interpreter: &Interpreter<'_>, file: &Value) -> Option<Name> {
    let path = match interpreter.read(file) {
        Value::Symbolic(id) => match interpreter.heap.attribute(id, Name::new(PATH)).cloned() {
            Some(path) => path,
            // A file in memory is that object.
            None => return Some(Name::new(&format!("{UNNAMED}object {}", id.0))),
        },
        Value::Instance(id) => return Some(Name::new(&format!("{UNNAMED}object {}", id.0))),
        path => path,
    };
    path.as_text().map(|path| Name::new(path.strip_prefix("./").unwrap_or(path)))
}

fn class_id(class: &Value) -> Option<ObjectId> {
    if let Value::Class(id) = class { Some(*id) } else { None }
}

/// `file:line` of a place.
fn place_of(interpreter: &Interpreter<'_>, span: Span) -> String {
    interpreter
        .corpus
        .file(span.file)
        .map_or_else(String::new, |file| format!("{}:{}", file.display_path, file.line_column(span.start).line))
}

#[easy_ext::ext(SavedObjectsMethods)]
pub impl Interpreter<'_> {
    /// Keeps what the script that ends has saved, for the scripts after it.
    fn keep_saved_files(&mut self, script: FileId) {
        let Some(files) = self.model_state.saved.filter(|files| (files.0 as usize) < self.heap.len()) else { return };
        let saved: Vec<(Name, Value)> =
            self.heap.object(files).attributes.iter().map(|(path, value)| (path, value.clone())).collect();
        for (path, value) in saved {
            let Some(&place) = self.model_state.saved_at.get(&path) else { continue };
            let value = self.read(&value);
            if self.model_state.saved_files.len() < MOST_FILES && matches!(value, Value::Tensor(_) | Value::Instance(_))
            {
                let folder = self.folder_of_script(script);
                self.model_state.saved_files.push(SavedFile { script, folder, path, value, place });
            }
        }
        self.model_state.saved_at.clear();
    }

    fn folder_of_script(&self, file: FileId) -> PathBuf {
        let path = self.corpus.file(file).and_then(|file| file.path.parent());
        path.map(Path::to_owned).unwrap_or_default()
    }

    /// What another script of the folder has saved under the path; where the path is not known, the module that scripts of the folder save
    /// whole, if all that they save are modules of one class.
    fn saved_by_another(&mut self, path: Option<Name>, span: Span) -> Option<Value> {
        let folder = self.folder_of_script(span.file);
        // What the script itself saves with its defaults is not what it saves with other options.
        let own = self.frames.first().map(|frame| frame.file).filter(|_| self.entry.defaults.others.has_given());
        let mut near =
            self.model_state.saved_files.iter().filter(|file| file.folder == folder && Some(file.script) != own);
        let file = match path {
            Some(path) => near.rfind(|file| file.path == path)?,
            None => {
                let first = near.next()?;
                let class = class_id(&self.class_of(&first.value));
                let is_alike = |value: &Value| self.is_module(value) && class_id(&self.class_of(value)) == class;
                if class.is_none() || !is_alike(&first.value) || !near.all(|file| is_alike(&file.value)) {
                    return None;
                }
                first
            }
        };
        let (value, place) = (file.value.clone(), place_of(self, file.place));
        let subject = path.map_or("the file".to_owned(), |path| path.to_string());
        let evidence = match path {
            Some(path) => format!("both name the file `{path}`"),
            None => "nothing else is saved there".to_owned(),
        };
        let text = words::input_output_saved(&place);
        let assumptions = self.speculate(AssumptionKind::InputOutput, &subject, text, evidence, span).granted()?;
        Some(match self.read(&value) {
            Value::Tensor(tensor) => {
                let assumptions = tensor.assumptions.union(&assumptions);
                Value::Tensor(Rc::new(Tensor { assumptions, ..Tensor::clone(&tensor) }))
            }
            value => value,
        })
    }
}

fn as_annotated(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    match interpreter.library_entry(name) {
        Some(harp_annotations::Entry::Api(spec)) => {
            interpreter.call_api(Callee { spec, api: name }, None, None, arguments)
        }
        _ => interpreter.call_unknown_library(name, &arguments),
    }
}
