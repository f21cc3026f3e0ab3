//! The files of annotations that the user or a configuration names, and how mistakes in them are shown.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use harp_annotations::{AnnotationError, Library};
use harp_builtin::ANNOTATIONS;
use harp_corpus::{FileError, NamedPath};
use harp_report::UserError;

use super::project_folders::shown;

/// A larger file of annotations is refused.
const LARGEST_FILE: u64 = 4 << 20;
/// All files together may have this many bytes.
const LARGEST_TOTAL: u64 = 64 << 20;
/// A search for annotations looks at this many names.
const MOST_NAMES: usize = 20_000;

/// The files that were read, and what could not be.
#[derive(Debug, Default)]
struct AnnotationFiles {
    /// By the path under which a file is shown.
    texts: Vec<(PathBuf, String)>,
    errors: Vec<UserError>,
    bytes: u64,
}

/// The built-in annotations with those in files and folders; without the latter where they are wrong.
pub(super) fn library(paths: &[NamedPath]) -> (Library, Vec<UserError>) {
    let mut files = AnnotationFiles::default();
    for path in paths {
        files.read(path);
    }
    let mut mistakes = Vec::new();
    let library = Library::with_user_files(&ANNOTATIONS, &files.texts, harp_operations::names());
    let library = library.unwrap_or_else(|found| {
        mistakes = found;
        Library::of(&ANNOTATIONS)
    });
    if files.errors.is_empty() && mistakes.is_empty() {
        return (library, Vec::new());
    }
    let texts: BTreeMap<&Path, &str> = files.texts.iter().map(|(path, text)| (path.as_path(), text.as_str())).collect();
    let mistakes = mistakes.into_iter().map(|mistake| {
        let text = texts.get(mistake.file.as_path()).copied();
        user_error(mistake, text)
    });
    let errors = mistakes.chain(files.errors).collect();
    (Library::of(&ANNOTATIONS), errors)
}

impl AnnotationFiles {
    /// Reads a file, or the YAML files in a folder, in the order of their names.
    fn read(&mut self, named: &NamedPath) {
        let path = match named.resolve() {
            Ok(path) => path,
            Err(error) => return self.refuse(&named.path, &error),
        };
        if !path.is_dir() {
            return self.add(&named.path, named);
        }
        let mut found = Vec::new();
        if let Err(reason) = yaml_files(&path, &mut found) {
            return self.errors.push(unreadable(&named.path, &reason));
        }
        found.sort();
        for below in found {
            // No link leads out of the folder.
            match path.canonicalize() {
                Ok(root) => self.add(&named.path.join(&below), &NamedPath::within(below, root)),
                Err(error) => self.refuse(&named.path, &error.into()),
            }
        }
    }

    fn add(&mut self, path: &Path, file: &NamedPath) {
        let left = LARGEST_TOTAL.saturating_sub(self.bytes);
        match file.read_utf8(LARGEST_FILE.min(left)) {
            Ok(text) => {
                self.bytes += text.len() as u64;
                self.texts.push((path.to_owned(), text));
            }
            Err(FileError::TooLarge { limit, .. }) if limit < LARGEST_FILE => {
                let reason = format!("all files together are larger than {} MiB", LARGEST_TOTAL >> 20);
                self.errors.push(unreadable(path, &reason));
            }
            Err(error) => self.refuse(path, &error),
        }
    }

    fn refuse(&mut self, path: &Path, error: &FileError) {
        let refused = unreadable(path, &error.to_string());
        self.errors.push(match error {
            FileError::Outside => {
                refused.hint("what lies elsewhere is named on the command line: `--annotations PATH`")
            }
            _ => refused,
        });
    }
}

/// The YAML files in a folder, relative to it, without those in folders that links lead to: these may form a circle.
fn yaml_files(root: &Path, found: &mut Vec<PathBuf>) -> Result<(), String> {
    let mut pending = vec![PathBuf::new()];
    let mut names = 0;
    while let Some(folder) = pending.pop() {
        let children = fs::read_dir(root.join(&folder)).map_err(|error| error.to_string())?;
        for child in children.filter_map(Result::ok) {
            names += 1;
            if names > MOST_NAMES {
                return Err(format!("there are more than {MOST_NAMES} files"));
            }
            let below = folder.join(child.file_name());
            let is_folder = child.file_type().is_ok_and(|kind| kind.is_dir());
            if is_folder {
                pending.push(below);
            } else if is_yaml(&below) && !child.path().is_dir() {
                found.push(below);
            }
        }
    }
    Ok(())
}

fn is_yaml(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml")
}

fn unreadable(path: &Path, reason: &str) -> UserError {
    UserError::new(format!("{}: cannot read the annotations: {reason}", shown(path)))
}

/// A mistake with the line of the text that it is in.
fn user_error(mistake: AnnotationError, text: Option<&str>) -> UserError {
    let name = shown(&mistake.file);
    let error = match (mistake.range, text) {
        (Some((start, end)), Some(text)) => UserError::new(mistake.message).at(name, text, start..end, ""),
        // The position alone is known: a caret stands there.
        (None, Some(text)) if mistake.line > 0 => {
            let start: usize = text.split_inclusive('\n').take(mistake.line - 1).map(str::len).sum();
            let line = text[start..].lines().next().unwrap_or_default();
            let column = mistake.column.saturating_sub(1);
            let at = start + line.char_indices().nth(column).map_or(line.len(), |(at, _)| at);
            let end = at + text[at..].chars().next().map_or(0, char::len_utf8);
            UserError::new(mistake.message).at(name, text, at..end, "")
        }
        _ if mistake.line > 0 => {
            UserError::new(format!("{name}:{}:{}: {}", mistake.line, mistake.column, mistake.message))
        }
        _ => UserError::new(format!("{name}: {}", mistake.message)),
    };
    mistake.hint.into_iter().fold(error, UserError::hint)
}
