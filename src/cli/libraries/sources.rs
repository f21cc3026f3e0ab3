//! Loads the Python sources of a user's library pack: which modules they are of, and what is wrong with them.

use harp_annotations::manifest::SOURCES;
use harp_annotations::qualified_name;
use harp_corpus::{FileId, LibrarySource};
use harp_python::name::Name;
use harp_python::parse_module;
use harp_report::UserError;

use crate::project_folders::shown;

use super::files::{PackFiles, Read};

/// The sources of a pack. All mistakes in all of them are returned.
pub(super) fn of(pack: &PackFiles) -> (Vec<LibrarySource>, Vec<UserError>) {
    let mut sources = Vec::new();
    let mut errors = Vec::new();
    for file in &pack.sources {
        match module_of(pack, file) {
            Ok(module) => {
                errors.extend(mistakes(file));
                sources.push(LibrarySource::new(module, file.0.clone(), file.1.clone()));
            }
            Err(error) => errors.push(*error),
        }
    }
    (sources, errors)
}

/// The module that a file is the source of: its name says so.
fn module_of(pack: &PackFiles, (path, text): &Read) -> Result<String, Box<UserError>> {
    let folder = pack.manifest.0.with_file_name(SOURCES);
    let below = path.strip_prefix(&folder).unwrap_or(path);
    let parts: Option<Vec<&str>> = below.components().map(|part| part.as_os_str().to_str()).collect();
    let parts = parts.unwrap_or_default();
    let refused = |message: &str, hint: String| {
        Box::new(UserError::new(message).at(shown(path), text.clone(), 0..0, "").hint(hint))
    };
    let stem = |name: &str| name.strip_suffix(".py").unwrap_or(name).to_owned();
    match parts.as_slice() {
        [name] if qualified_name(&stem(name)).is_ok() => Ok(stem(name)),
        [_] => {
            let hint = format!("the source of a module `a.b` is the file `{SOURCES}/a.b.py`");
            Err(refused("the file's name is not that of a module", hint))
        }
        _ => {
            let dotted = stem(&parts.join("."));
            let module = dotted.strip_suffix(".__init__").unwrap_or(&dotted);
            let hint = format!("the source of the module `{module}` is the file `{SOURCES}/{module}.py`");
            Err(refused("sources lie in no folders of their own", hint))
        }
    }
}

/// What is not Python in a file.
fn mistakes((path, text): &Read) -> impl Iterator<Item = UserError> {
    let errors = parse_module(FileId(0), Name::new(""), false, text).errors;
    let hint = "the file must be Python, as the library's own source would be; Harp reads it and never runs it";
    errors.into_iter().map(move |error| {
        let range = error.range.start as usize..error.range.end as usize;
        UserError::new(error.message).at(shown(path), text.clone(), range, "").hint(hint)
    })
}
