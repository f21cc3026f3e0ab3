//! Data files that lie beside the program as text: their lines, and tables of them.

use crate::methods::*;
use harp_corpus::DataFile;
use harp_interp::state::interpreter::Interpreter;
use harp_interp::values::value::{Iteration, ObjectId, Value};
use harp_python::name::Name;
use harp_shape::Dim;

/// A longer text is data of which the words are not followed.
const LONGEST_TEXT: usize = 16 << 10;
/// Of more lines only their number is known.
const MOST_LINES: usize = 64;
/// Of tables with more cells only the numbers of rows and columns are known.
const MOST_CELLS: usize = 2048;
/// Wider tables are not followed.
const MOST_COLUMNS: usize = 256;

/// What an open file has that is at its beginning, or is further on.
const AT_START: &str = "#at start";

/// The names of a table's columns, the number of its rows, and its columns, none where there are too many cells.
pub type TextTable = (Vec<Value>, Dim, Vec<Vec<Value>>);

#[easy_ext::ext(DataFilesMethods)]
pub impl Interpreter<'_> {
    /// What a program gets that reads a whole file as text.
    fn text_of_file(&mut self, file: &DataFile) -> Value {
        let is_data = [".csv", ".jsonl", ".ndjson", ".tsv", ".txt"].iter().any(|ending| file.path.ends_with(ending));
        if is_placeholder(file) || is_data && file.text.len() > LONGEST_TEXT {
            return Value::Str(None);
        }
        self.settings_text(file)
    }

    /// Tells where an open file is read next: at its beginning, or somewhere further on.
    fn move_file(&mut self, file: ObjectId, is_at_start: bool) {
        self.heap.set_attribute(file, Name::new(AT_START), Value::Bool(is_at_start));
    }

    /// Whether what is read of a file now begins at its first line; what is read later does not. A path has no place in the file.
    fn reads_from_start(&mut self, file: ObjectId) -> bool {
        match self.heap.attribute(file, Name::new(AT_START)).cloned() {
            None => true,
            Some(place) => {
                self.move_file(file, false);
                matches!(place, Value::Bool(true))
            }
        }
    }

    /// The lines of an open file.
    fn lines_of_file(&mut self, id: ObjectId) -> Option<Iteration> {
        let path = self.path_of(&Value::Symbolic(id))?;
        let file = self.settings_file(&path).filter(|file| !is_placeholder(file))?;
        if !self.reads_from_start(id) {
            return Some(Iteration::Repeated { element: Value::Str(None), count: None, residual: None });
        }
        let count = file.text.lines().count();
        if count > MOST_LINES || file.text.len() > LONGEST_TEXT {
            let count = Some(Dim::constant(count as i64));
            return Some(Iteration::Repeated { element: Value::Str(None), count, residual: None });
        }
        Some(Iteration::Items(file.text.split_inclusive('\n').map(Value::str).collect()))
    }

    /// A table with a line of names; `None` where its lines differ in length, or cells go over lines.
    fn text_table(&mut self, path: &str, separator: &str) -> Option<TextTable> {
        let file = self.settings_file(path).filter(|file| !is_placeholder(file))?;
        let mut lines = file.text.lines().filter(|line| !line.trim().is_empty());
        let separator = Some(separator).filter(|separator| separator.len() == 1)?;
        let names = cells(lines.next()?, separator)?;
        if names.len() > MOST_COLUMNS || names.iter().any(String::is_empty) {
            return None;
        }
        let mut columns: Vec<Vec<String>> = vec![Vec::new(); names.len()];
        let mut rows = 0;
        for line in lines {
            let cells = cells(line, separator).filter(|cells| cells.len() == names.len())?;
            rows += 1;
            if rows * names.len() <= MOST_CELLS {
                columns.iter_mut().zip(cells).for_each(|(column, cell)| column.push(cell));
            }
        }
        let columns = match rows * names.len() <= MOST_CELLS {
            true => columns.iter().map(|column| typed(column)).collect(),
            false => Vec::new(),
        };
        let names = names.iter().map(|name| Value::str(name)).collect();
        Some((names, Dim::constant(rows as i64), columns))
    }
}

/// Whether a file stands for another one that did not come along, as large files do: a pointer of Git LFS, or nothing at all.
fn is_placeholder(file: &DataFile) -> bool {
    file.text.trim().is_empty() || is_pointer(&file.text)
}

/// Whether a text is a pointer of Git LFS to a file that did not come along.
pub(super) fn is_pointer(text: &str) -> bool {
    text.starts_with("version https://git-lfs.github.com/spec/")
}

/// The cells of a line; `None` where a quoted one does not end on it.
fn cells(line: &str, separator: &str) -> Option<Vec<String>> {
    let separator = separator.chars().next()?;
    let (mut cells, mut cell, mut is_quoted) = (Vec::new(), String::new(), false);
    for letter in line.chars() {
        match letter {
            '"' => is_quoted = !is_quoted,
            letter if letter == separator && !is_quoted => cells.push(std::mem::take(&mut cell)),
            letter => cell.push(letter),
        }
    }
    cells.push(cell);
    (!is_quoted).then_some(cells)
}

/// What stands in tables for a number that is missing, beside nothing at all.
const MISSING: [&str; 12] = ["#N/A", "#NA", "-NaN", "-nan", "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "null"];

/// A column is of numbers or truth values where all of its cells are; one that is missing is no number, but is none of a text either.
fn typed(column: &[String]) -> Vec<Value> {
    if !column.is_empty() && column.iter().all(|cell| cell.trim().parse::<i64>().is_ok()) {
        return column.iter().map(|cell| cell.trim().parse().map_or(Value::None, Value::int)).collect();
    }
    let truths: Option<Vec<bool>> = column
        .iter()
        .map(|cell| match cell.as_str() {
            "True" | "TRUE" | "true" => Some(true),
            "False" | "FALSE" | "false" => Some(false),
            _ => None,
        })
        .collect();
    if let Some(truths) = truths.filter(|truths| !truths.is_empty()) {
        return truths.into_iter().map(Value::Bool).collect();
    }
    let number = |cell: &String| match cell.trim() {
        cell if cell.is_empty() || MISSING.contains(&cell) => Some(f64::NAN),
        cell => cell.parse().ok(),
    };
    match column.iter().map(number).collect::<Option<Vec<f64>>>() {
        Some(numbers) if !numbers.is_empty() => numbers.into_iter().map(|number| Value::Float(Some(number))).collect(),
        _ => column.iter().map(|cell| Value::str(cell)).collect(),
    }
}
