//! Tables of files as lines of JSON.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use harp_corpus::open_file;
use harp_report::UserError;
use harp_tables::input::{self, ColumnNames, FileRow};
use serde_json::{Map, Value};

use crate::project_folders::shown;

/// A longer line is none of a table of files.
const LONGEST_LINE: u64 = 256 << 20;

/// The rows of a file, in its order.
pub(super) fn rows(
    path: &Path,
    columns: &ColumnNames,
) -> Result<impl Iterator<Item = Result<FileRow, UserError>> + Send + use<>, UserError> {
    let file = open_file(path).map_err(|error| UserError::new(format!("cannot read {}: {error}", shown(path))))?;
    let (mut input, mut number) = (BufReader::new(file), 0_usize);
    let (columns, name) = (columns.clone(), shown(path));
    let mut is_over = false;
    Ok(std::iter::from_fn(move || {
        while !is_over {
            let mut line = Vec::new();
            number += 1;
            let read = (&mut input).take(LONGEST_LINE).read_until(b'\n', &mut line);
            let row = match read {
                Ok(0) => return None,
                Ok(read) if read as u64 == LONGEST_LINE => Err("the line is too long".to_owned()),
                Ok(_) if line.iter().all(u8::is_ascii_whitespace) => continue,
                Ok(_) => row(&line, &columns),
                Err(error) => Err(error.to_string()),
            };
            is_over = row.is_err();
            return Some(row.map_err(|what| UserError::new(format!("{name}:{number}: {what}"))));
        }
        None
    }))
}

fn row(line: &[u8], columns: &ColumnNames) -> Result<FileRow, String> {
    let mut object: Map<String, Value> = serde_json::from_slice(line).map_err(|error| error.to_string())?;
    // A column that no row has is a wrong name; one that is empty is not.
    let has_repository = object.contains_key(&columns.repository);
    let mut text = |name: &str| match object.remove(name) {
        Some(Value::String(text)) => Ok(Some(text)),
        Some(Value::Null) | None => Ok(None),
        Some(_) => Err(format!("`{name}` is no text")),
    };
    let (repository, revision) = (text(&columns.repository)?, text(&columns.revision)?);
    let [repository, revision] = [repository, revision].map(|name| name.map(|name| input::name(name.as_bytes())));
    let path = text(&columns.path)?.map(String::into_bytes);
    let content = text(&columns.content)?.map(String::into_bytes);
    if !has_repository {
        return Err(format!("there is no `{}`", columns.repository));
    }
    Ok(FileRow { repository, revision, path: path.unwrap_or_default(), content })
}
