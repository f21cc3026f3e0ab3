//! `os.path` and `pathlib`, as far as they compute with the texts of paths. A path object of which the text is known is a value from outside
//! that keeps its text: all that the file system decides of it is unknown.

use crate::methods::*;
use harp_interp::builtins::path_texts::PATH;
use std::rc::Rc;

use harp_corpus::{ROOT, Span};
use harp_interp::api::library_model::{FunctionHandler, MethodHandler};
use harp_interp::calls::call::CallArguments;
use harp_interp::state::interpreter::{Eval, Interpreter};
use harp_interp::values::value::{LibraryMethod, ObjectId, Value};
use harp_python::name::{Name, name};

const PATH_CLASS: &str = "pathlib.Path";
/// A longer path is none that a person wrote.
const LONGEST: usize = 4096;

pub fn function(name: &str) -> Option<FunctionHandler> {
    Some(match name {
        "os.path.join" => |this, _, arguments| Ok(text_value(join(this, &arguments.positional))),
        "os.path.dirname" => {
            |this, _, arguments| Ok(text_value(first_path(this, &arguments).map(|path| split(&path).0.to_owned())))
        }
        "os.path.split" => |this, _, arguments| {
            let path = first_path(this, &arguments);
            let parts = path.as_deref().map(split).map(|(folder, name)| [Value::str(folder), Value::str(name)]);
            Ok(Value::tuple(parts.unwrap_or([Value::Str(None), Value::Str(None)]).into()))
        },
        "os.path.basename" => {
            |this, _, arguments| Ok(text_value(first_path(this, &arguments).map(|path| last_part(&path).to_owned())))
        }
        "os.path.abspath" | "os.path.realpath" | "os.path.normpath" => {
            |this, _, arguments| Ok(text_value(first_path(this, &arguments).and_then(|path| normal(&path))))
        }
        "os.path.expanduser" | "os.path.expandvars" | "os.fspath" => {
            |this, _, arguments| Ok(text_value(first_path(this, &arguments).filter(|path| !path.contains(['~', '$']))))
        }
        "os.path.exists" | "os.path.isfile" | "os.path.isdir" => exists,
        "pathlib.Path" | "pathlib.PurePath" | "pathlib.PosixPath" | "pathlib.PurePosixPath" => new_path,
        _ => return None,
    })
}

pub fn method(name: &str) -> Option<MethodHandler> {
    Some(match name.strip_prefix(PATH_CLASS)?.strip_prefix('.')? {
        "joinpath" | "__truediv__" => |this, path, arguments| {
            let parts: Vec<Value> = std::iter::once(path.clone()).chain(arguments.positional.clone()).collect();
            let joined = join(this, &parts);
            Ok(path_or_unknown(this, joined, arguments.span))
        },
        "resolve" | "absolute" => |this, path, arguments| {
            let resolved = this.path_of(path).and_then(|path| normal(&path));
            Ok(path_or_unknown(this, resolved, arguments.span))
        },
        "expanduser" => |_, path, _| Ok(path.clone()),
        "as_posix" | "__str__" | "__fspath__" => |this, path, _| Ok(Value::Str(this.path_of(path))),
        "with_suffix" => |this, path, arguments| {
            let changed = this.path_of(path).and_then(|path| {
                let ending = arguments.get(0, "suffix")?.as_text()?;
                Some(format!("{}{ending}", &path[..path.len() - ending_of(&path).len()]))
            });
            Ok(path_or_unknown(this, changed, arguments.span))
        },
        "with_name" => |this, path, arguments| {
            let changed =
                this.path_of(path).and_then(|path| Some(joined(&parent(&path), arguments.get(0, "name")?.as_text()?)));
            Ok(path_or_unknown(this, changed, arguments.span))
        },
        "with_stem" => |this, path, arguments| {
            let changed = this.path_of(path).and_then(|path| {
                let name = format!("{}{}", arguments.get(0, "stem")?.as_text()?, ending_of(&path));
                Some(joined(&parent(&path), &name))
            });
            Ok(path_or_unknown(this, changed, arguments.span))
        },
        "relative_to" => |this, path, arguments| {
            let start = arguments.positional.first().and_then(|start| this.path_of(start));
            let below = this.path_of(path).zip(start).and_then(|(path, start)| {
                let (path, start) = (parts_of(&path), parts_of(&start));
                let rest = path.strip_prefix(&start[..])?;
                Some(rest.join("/"))
            });
            Ok(path_or_unknown(this, below, arguments.span))
        },
        "is_absolute" => |this, path, _| {
            Ok(this.path_of(path).map_or(Value::Unknown("path"), |path| Value::Bool(path.starts_with('/'))))
        },
        "exists" | "is_file" => |this, path, arguments| {
            let path = path.clone();
            exists(this, name!("os.path.exists"), arguments.with_first(path))
        },
        _ => return None,
    })
}

/// Whether there is a file: only of settings of the program's own that is known.
fn exists(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let known = first_path(interpreter, &arguments).and_then(|path| interpreter.settings_file(&path));
    Ok(if known.is_some() { Value::Bool(true) } else { Value::Unknown("state of the file system") })
}

fn new_path(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    match join(interpreter, &arguments.positional) {
        // `a//b/` is `a/b`.
        Some(path) if path.contains("//") || path.len() > 1 && path.ends_with('/') => {
            let plain = parts_of(&path).join("/").replacen("//", "/", 1);
            Ok(interpreter.path_object(&plain, arguments.span))
        }
        Some(path) => Ok(interpreter.path_object(&path, arguments.span)),
        None => interpreter.call_described(name, arguments),
    }
}

fn path_or_unknown(interpreter: &mut Interpreter<'_>, path: Option<String>, span: Span) -> Value {
    match path {
        Some(path) => interpreter.path_object(&path, span),
        None => interpreter.data_from_outside("path", span),
    }
}

fn first_path(interpreter: &Interpreter<'_>, arguments: &CallArguments) -> Option<String> {
    interpreter.path_of(arguments.positional.first()?).map(|path| path.to_string())
}

fn text_value(text: Option<String>) -> Value {
    Value::Str(text.map(Rc::from))
}

/// All parts, one behind the other; an absolute one begins anew.
fn join(interpreter: &Interpreter<'_>, parts: &[Value]) -> Option<String> {
    let mut whole = String::new();
    for part in parts {
        whole = joined(&whole, &interpreter.path_of(part)?);
    }
    (whole.len() <= LONGEST).then_some(whole)
}

fn joined(front: &str, back: &str) -> String {
    match front {
        "" | "." => back.to_owned(),
        _ if back.starts_with('/') => back.to_owned(),
        front => format!("{}/{back}", front.trim_end_matches('/')),
    }
}

/// The parts of a path, the root being one.
fn parts_of(path: &str) -> Vec<&str> {
    let root = path.starts_with('/').then_some("/");
    root.into_iter().chain(path.split('/').filter(|part| !part.is_empty() && *part != ".")).collect()
}

/// The folder and the name of `os.path.split`, which is empty behind a slash at the end.
fn split(path: &str) -> (&str, &str) {
    let (folder, name) = path.split_at(path.rfind('/').map_or(0, |slash| slash + 1));
    let plain = folder.trim_end_matches('/');
    (if plain.is_empty() { folder } else { plain }, name)
}

fn parent(path: &str) -> String {
    let path = path.trim_end_matches('/');
    path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned()
}

fn last_part(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// `.yaml` of `base.yaml`.
fn ending_of(path: &str) -> &str {
    let name = last_part(path);
    name.rfind('.').filter(|&at| at > 0).map_or("", |at| &name[at..])
}

/// Without `.` and `..`; `None` where that leads out of what is known.
fn normal(path: &str) -> Option<String> {
    let (front, below) = match path.strip_prefix(ROOT.trim_end_matches('/')) {
        Some(below) => (ROOT.trim_end_matches('/'), below),
        None => ("", path),
    };
    let mut parts: Vec<&str> = Vec::new();
    for part in below.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    let is_absolute = !front.is_empty() || path.starts_with('/');
    Some(format!("{front}{}{}", if is_absolute { "/" } else { "" }, parts.join("/")))
}

#[easy_ext::ext(PathsMethods)]
pub impl Interpreter<'_> {
    /// `path / "name"`.
    fn joined_path(&mut self, left: &Value, right: &Value, span: Span) -> Option<Eval> {
        let path = self.path_of(left)?;
        let receiver = self.path_object(&path, span);
        let method = LibraryMethod { receiver, api: name!("pathlib.Path.joinpath") };
        Some(self.call_library_method(&method, CallArguments::positional(vec![right.clone()], span)))
    }

    /// A path object, or a file that was opened.
    fn path_object(&mut self, path: &str, span: Span) -> Value {
        let value = self.data_from_outside("path", span);
        if let Value::Symbolic(id) = value {
            self.heap.set_attribute(id, Name::new(PATH), Value::str(path));
        }
        value
    }

    /// An attribute of a path object whose text is known.
    fn attribute_of_path(&mut self, id: ObjectId, name: Name, span: Span) -> Option<Value> {
        let receiver = Value::Symbolic(id);
        let Value::Str(Some(path)) = self.heap.attribute(id, Name::new(PATH))? else { return None };
        let path = Rc::clone(path);
        Some(match name.as_str() {
            "parent" => self.path_object(&parent(&path), span),
            "parents" => {
                let mut folders = Vec::new();
                let mut folder = parent(&path);
                // Nothing is known of what is around the folder that was given.
                while !folder.is_empty() && folder != ROOT.trim_end_matches('/') {
                    folders.push(self.path_object(&folder, span));
                    folder = parent(&folder);
                }
                folders.push(self.path_object(&folder, span));
                Value::List(self.heap.allocate_list(folders))
            }
            "parts" => Value::tuple(parts_of(&path).into_iter().map(Value::str).collect()),
            "suffixes" => {
                let name = last_part(&path).trim_start_matches('.');
                let endings = name.split('.').skip(1).map(|part| Value::str(&format!(".{part}"))).collect();
                Value::List(self.heap.allocate_list(endings))
            }
            "name" => Value::str(last_part(&path)),
            "suffix" => Value::str(ending_of(&path)),
            "stem" => Value::str(&last_part(&path)[..last_part(&path).len() - ending_of(&path).len()]),
            method => {
                let api = Name::new(&format!("{PATH_CLASS}.{method}"));
                self.method_handler(api)?;
                Value::LibraryMethod(Rc::new(LibraryMethod { receiver, api }))
            }
        })
    }
}
