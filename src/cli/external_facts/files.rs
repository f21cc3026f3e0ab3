//! External facts: the files of a folder that a user gives. It is named by the user, and what lies in it is not
//! trusted: regular files are read within bounds, and no link is followed out of it.

use std::fs;
use std::path::Path;

use harp_corpus::{FileError, NamedPath};
use harp_report::{UserError, terminal_escape};

use crate::project_folders::shown;

/// A larger file is refused.
const LARGEST_FILE: u64 = 16 << 20;
/// All files together may have this many bytes.
const LARGEST_TOTAL: u64 = 64 << 20;
/// A folder may have this many names.
const MOST_NAMES: usize = 20_000;

/// How a file writes rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Comma-separated values, with a header.
    Csv,
    /// A JSON object a line.
    JsonLines,
}

/// A file with the rows of a relation.
#[derive(Debug)]
pub(super) struct FactFile {
    /// The file's name without its ending.
    pub relation: String,
    pub form: Form,
    /// As messages call it.
    pub shown: String,
    /// Without a byte order mark.
    pub text: String,
}

/// The files that were read, in the order of their names, and what could not be.
#[derive(Debug, Default)]
pub(super) struct Files {
    pub list: Vec<FactFile>,
    pub errors: Vec<UserError>,
}

impl Files {
    pub fn of_folder(folder: &NamedPath) -> Files {
        let mut files = Files::default();
        let refused = |reason: String| UserError::new(format!("{}: cannot read facts: {reason}", shown(&folder.path)));
        let (root, names) = match names_in(folder) {
            Ok(found) => found,
            Err(reason) => {
                files.errors.push(refused(reason).hint("`--facts` takes a folder with a file for each relation"));
                return files;
            }
        };
        let mut left = LARGEST_TOTAL;
        for name in names {
            let shown = shown_in(folder, &name);
            let file = match fact_file(&name, shown) {
                Ok(Some(file)) => file,
                Ok(None) => continue,
                Err(error) => {
                    files.errors.push(*error);
                    continue;
                }
            };
            match NamedPath::within(&name, &root).read_utf8(LARGEST_FILE.min(left)) {
                Ok(text) => {
                    left = left.saturating_sub(text.len() as u64);
                    files.add(file, text);
                }
                Err(error) => {
                    let reason = match error {
                        FileError::Outside => "it is a link out of the folder, which is not followed".to_owned(),
                        FileError::TooLarge { limit, .. } if limit < LARGEST_FILE => {
                            format!("all files together are larger than {} MiB", LARGEST_TOTAL >> 20)
                        }
                        other => other.to_string(),
                    };
                    files.errors.push(UserError::new(format!("{}: cannot read facts: {reason}", file.shown)));
                }
            }
        }
        files
    }

    pub fn in_memory(given: &[(String, String)]) -> Files {
        let mut files = Files::default();
        for (name, text) in given {
            match fact_file(name, name.clone()) {
                Ok(Some(file)) => files.add(file, text.clone()),
                Ok(None) => {}
                Err(error) => files.errors.push(*error),
            }
        }
        files
    }

    fn add(&mut self, file: FactFile, text: String) {
        let text = text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text);
        self.list.push(FactFile { text, ..file });
    }
}

/// A file of the folder as messages call it.
pub(super) fn shown_in(folder: &NamedPath, name: &str) -> String {
    terminal_escape::name(&shown(&folder.path.join(name)))
}

/// The folder without links, and the names in it, sorted. Names that are no text are of no relation.
fn names_in(folder: &NamedPath) -> Result<(std::path::PathBuf, Vec<String>), String> {
    let root = folder.resolve().map_err(|error| error.to_string())?;
    let root = root.canonicalize().map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such folder".to_owned(),
        _ => error.to_string(),
    })?;
    if !root.is_dir() {
        return Err("it is not a folder".to_owned());
    }
    let children = fs::read_dir(&root).map_err(|error| error.to_string())?;
    let mut names = Vec::new();
    for child in children.filter_map(Result::ok) {
        if names.len() == MOST_NAMES {
            return Err(format!("there are more than {MOST_NAMES} files in it"));
        }
        names.extend(child.file_name().into_string());
    }
    names.sort();
    Ok((root, names))
}

/// A file still without its text; nothing where its name says that it has no rows.
fn fact_file(name: &str, shown: String) -> Result<Option<FactFile>, Box<UserError>> {
    let path = Path::new(name);
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or("");
    let form = match ending {
        "csv" => Form::Csv,
        "jsonl" => Form::JsonLines,
        "parquet" => {
            let error = UserError::new(format!("{shown}: Parquet is not supported"));
            return Err(Box::new(error.hint("write the rows as `.csv`, with a header, or as `.jsonl`")));
        }
        _ => return Ok(None),
    };
    let relation = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or("").to_owned();
    Ok(Some(FactFile { relation, form, shown, text: String::new() }))
}
