//! External facts: reads the text of a user's file as rows of a relation.

use std::ops::Range;

use harp_datalog::{Base, ColumnDescription, RelationDescription, Value};
use harp_report::{UserError, closest};
use serde_json::Value as Json;

use super::file_names::FileNames;
use super::files::{FactFile, Form};
use super::mistakes::{Mistake, Mistakes, shortened};

/// The schema's type of files.
const FILE_TYPE: &str = "File";

/// What the rows of a relation are made of.
pub(super) struct Columns<'a> {
    pub input: &'a RelationDescription,
    pub names: &'a FileNames<'a>,
    pub most_rows: usize,
}

/// Whether cells of the column name files.
pub(super) fn is_file(column: &ColumnDescription) -> bool {
    column.lineage.iter().any(|name| name == FILE_TYPE)
}

/// The rows of a file, or what is wrong with it.
pub(super) fn read(file: &FactFile, columns: &Columns<'_>) -> Result<Vec<Vec<Value>>, Vec<UserError>> {
    let declared = format!("{}:{}", columns.input.source, columns.input.line);
    let mut mistakes = Mistakes { file, declared, list: Vec::new() };
    let rows = match file.form {
        Form::Csv => csv_rows(&file.text, columns, &mut mistakes),
        Form::JsonLines => json_rows(&file.text, columns, &mut mistakes),
    };
    if mistakes.list.is_empty() { Ok(rows) } else { Err(mistakes.list) }
}

impl Columns<'_> {
    fn names(&self) -> impl Iterator<Item = &str> {
        self.input.columns.iter().map(|column| column.name.as_str())
    }

    fn too_many(&self, range: Range<usize>) -> Mistake {
        let message = format!("all files of facts together have more than {} rows", super::MOST_ROWS);
        Mistake::new(range, message, "one too many")
    }

    /// The value of a cell that is written as a text.
    fn value(
        &self,
        column: &ColumnDescription,
        text: &str,
        range: impl Fn() -> Range<usize>,
    ) -> Result<Value, Mistake> {
        match column.base {
            Base::Symbol if is_file(column) => Ok(Value::Symbol(self.names.resolve(text))),
            Base::Symbol => Ok(Value::Symbol(text.to_owned())),
            Base::Number => text.trim().parse().map(Value::Number).map_err(|_| no_number(column, text.trim(), range())),
        }
    }
}

fn no_number(column: &ColumnDescription, text: &str, range: Range<usize>) -> Mistake {
    let message = format!("`{}` is a number, and this is none", column.name);
    let is_whole = text.strip_prefix(['-', '+']).unwrap_or(text).bytes().all(|byte| byte.is_ascii_digit());
    let mistake = Mistake::new(range, message, "no whole number of 64 bits");
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() && !is_whole => {
            mistake.hint("numbers are whole; write a smaller unit, as microseconds in place of seconds")
        }
        _ => mistake,
    }
}

fn csv_rows(text: &str, columns: &Columns<'_>, mistakes: &mut Mistakes<'_>) -> Vec<Vec<Value>> {
    let mut rows = Vec::new();
    let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
    let mut record = csv::StringRecord::new();
    let mut header: Option<(usize, Vec<usize>)> = None;
    // Of a text in memory, there is nothing that cannot be read.
    while !mistakes.is_full() && reader.read_record(&mut record).unwrap_or(false) {
        let start = record.position().map_or(0, |position| position.byte() as usize);
        let Some((width, order)) = &header else {
            match csv_header(text, &record, columns) {
                Ok(order) => header = Some((record.len(), order)),
                Err(mistake) => {
                    mistakes.add(mistake);
                    return rows;
                }
            }
            continue;
        };
        if rows.len() == columns.most_rows {
            mistakes.add(columns.too_many(line_at(text, start)));
            break;
        }
        // Such a text takes the rest of the file.
        if reader.position().byte() as usize >= text.len()
            && let Some(quote) = unclosed_quote(text, start)
        {
            mistakes.add(Mistake::new(quote..quote + 1, "the text does not end", "starts here"));
            break;
        }
        if record.len() != *width {
            let plural = if record.len() == 1 { "" } else { "s" };
            let message = format!("a row of {} field{plural}, where the header has {width}", record.len());
            mistakes.add(Mistake::new(line_at(text, start), message, "").hint("a text with a comma stands in quotes"));
            continue;
        }
        match csv_row(text, start, &record, order, columns) {
            Ok(row) => rows.push(row),
            Err(mistake) => mistakes.add(mistake),
        }
    }
    if header.is_none() {
        let names: Vec<&str> = columns.names().collect();
        let hint = format!("the first line names the columns: `{}`", names.join(","));
        mistakes.add(Mistake::new(0..0, "the file is empty", "expected a header").hint(hint));
    }
    rows
}

/// Where the header has each column of the relation. It may have others, too.
fn csv_header(text: &str, header: &csv::StringRecord, columns: &Columns<'_>) -> Result<Vec<usize>, Mistake> {
    let start = header.position().map_or(0, |position| position.byte() as usize);
    let mut order = Vec::new();
    for name in columns.names() {
        let mut found = header.iter().enumerate().filter(|(_, field)| field.trim() == name).map(|(index, _)| index);
        match (found.next(), found.next()) {
            (Some(index), None) => order.push(index),
            (Some(_), Some(again)) => {
                let message = format!("the header has two columns `{name}`");
                return Err(Mistake::new(field_range(text, start, again), message, "again"));
            }
            (None, _) => {
                let mistake = missing(name, line_at(text, start));
                let others = header.iter().map(str::trim).filter(|other| columns.names().all(|known| known != *other));
                return Err(match closest(name, others) {
                    Some(near) => mistake.hint(format!("is `{near}` meant to be `{name}`?")),
                    None => mistake,
                });
            }
        }
    }
    Ok(order)
}

fn missing(name: &str, range: Range<usize>) -> Mistake {
    Mistake::new(range, format!("the column `{name}` is missing"), format!("no `{name}` here"))
}

fn csv_row(
    text: &str,
    start: usize,
    record: &csv::StringRecord,
    order: &[usize],
    columns: &Columns<'_>,
) -> Result<Vec<Value>, Mistake> {
    let cells = order.iter().zip(&columns.input.columns);
    cells
        .map(|(index, column)| {
            columns.value(column, record.get(*index).unwrap_or(""), || field_range(text, start, *index))
        })
        .collect()
}

/// Where a field of the record stands that begins at `start`, or in the empty lines before it.
fn field_range(text: &str, start: usize, index: usize) -> Range<usize> {
    let mut at = first_of_record(text, start);
    for _ in 0..index {
        at = (end_of_field(text, at).0 + 1).min(text.len());
    }
    at..end_of_field(text, at).0
}

fn first_of_record(text: &str, start: usize) -> usize {
    let breaks = text.bytes().skip(start).take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
    (start + breaks).min(text.len())
}

/// The end of the field that begins at a byte, and whether it ends inside of quotes.
fn end_of_field(text: &str, start: usize) -> (usize, bool) {
    let begins_quoted = text.as_bytes().get(start) == Some(&b'"');
    let mut quoted = begins_quoted;
    // Doubled quotes close and open again, which comes to the same.
    for (at, byte) in text.bytes().enumerate().skip(start + usize::from(quoted)) {
        match byte {
            b'"' if begins_quoted => quoted = !quoted,
            b',' | b'\r' | b'\n' if !quoted => return (at, false),
            _ => {}
        }
    }
    (text.len(), quoted)
}

/// A quote in the last record that nothing closes, so that it takes the rest of the file.
fn unclosed_quote(text: &str, last: usize) -> Option<usize> {
    let mut at = first_of_record(text, last);
    while at < text.len() {
        let (end, quoted) = end_of_field(text, at);
        if quoted {
            return Some(at);
        }
        at = end + 1;
    }
    None
}

/// The line on which a record begins.
fn line_at(text: &str, start: usize) -> Range<usize> {
    let first = first_of_record(text, start);
    let length = text.bytes().skip(first).take_while(|byte| !matches!(byte, b'\r' | b'\n')).count();
    first..first + length
}

fn json_rows(text: &str, columns: &Columns<'_>, mistakes: &mut Mistakes<'_>) -> Vec<Vec<Value>> {
    let mut rows = Vec::new();
    let mut start = 0;
    for whole in text.split_inclusive('\n') {
        let line = start..start + whole.trim_end().len();
        start += whole.len();
        if whole.trim().is_empty() {
            continue;
        }
        if rows.len() == columns.most_rows {
            mistakes.add(columns.too_many(line));
            break;
        }
        match json_row(text, line, columns) {
            Ok(row) => rows.push(row),
            Err(mistake) => mistakes.add(mistake),
        }
        if mistakes.is_full() {
            break;
        }
    }
    rows
}

fn json_row(text: &str, line: Range<usize>, columns: &Columns<'_>) -> Result<Vec<Value>, Mistake> {
    let content = &text[line.clone()];
    let object: serde_json::Map<String, Json> = serde_json::from_str(content).map_err(|error| {
        let column = error.column().saturating_sub(1).min(content.len());
        let at = line.start + (0..=column).rev().find(|at| content.is_char_boundary(*at)).unwrap_or(0);
        let reason = error.to_string();
        let reason = shortened(reason.split(" at line ").next().unwrap_or(""));
        let end = at + text[at..line.end].chars().next().map_or(0, char::len_utf8);
        Mistake::new(at..end, "the line is not a JSON object", reason)
            .hint("each line is an object with a member for each column")
    })?;
    let cells = columns.input.columns.iter().map(|column| {
        let Some(value) = object.get(&column.name) else {
            let mistake = missing(&column.name, line.clone());
            let others = object.keys().map(String::as_str).filter(|key| columns.names().all(|known| known != *key));
            return Err(match closest(&column.name, others) {
                Some(near) => mistake.hint(format!("is `{near}` meant to be `{}`?", column.name)),
                None => mistake,
            });
        };
        let range = || member_range(text, line.clone(), &column.name);
        match (column.base, value) {
            (Base::Symbol, Json::String(written)) => columns.value(column, written, range),
            (Base::Number, Json::Number(number)) => columns.value(column, &number.to_string(), range),
            (Base::Number, _) => Err(no_number(column, "", range())),
            (Base::Symbol, _) => {
                let message = format!("`{}` is a text, and this is none", column.name);
                Err(Mistake::new(range(), message, "no text").hint("a text stands in double quotes"))
            }
        }
    });
    cells.collect()
}

/// Where the name of a member stands in a line; the line where it is written with escapes.
fn member_range(text: &str, line: Range<usize>, name: &str) -> Range<usize> {
    let quoted = format!("\"{name}\"");
    match text[line.clone()].find(&quoted) {
        Some(at) => line.start + at..line.start + at + quoted.len(),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use harp_corpus::Corpus;
    use harp_datalog::{NoFunctors, Program, Source};

    use super::*;

    /// The rows of a file, or the messages.
    fn read_rows(form: Form, text: &str, most_rows: usize) -> Result<Vec<Vec<Value>>, Vec<String>> {
        let rules = Source::new("r.dl", ".decl p(name: symbol, n: number)\n.input p");
        let program = Program::compile(&[], &[rules], &NoFunctors).expect("in order");
        let (relations, corpus) = (program.relations(), Corpus::default());
        let columns = Columns { input: &relations[0], names: &FileNames::of(&corpus), most_rows };
        let file = FactFile { relation: "p".to_owned(), form, shown: "p".to_owned(), text: text.to_owned() };
        read(&file, &columns).map_err(|mistakes| mistakes.into_iter().map(|mistake| mistake.message).collect())
    }

    #[test]
    fn rows_are_bounded() {
        for (form, text) in [
            (Form::Csv, "name,n\na,1\nb,2\nc,3\n"),
            (
                Form::JsonLines,
                "{\"name\": \"a\", \"n\": 1}\n{\"name\": \"b\", \"n\": 2}\n{\"name\": \"c\", \"n\": 3}\n",
            ),
        ] {
            assert_eq!(read_rows(form, text, 3).map(|rows| rows.len()), Ok(3));
            let mistakes = read_rows(form, text, 2).expect_err("too many");
            assert!(mistakes[0].contains("more than 1000000 rows"), "{mistakes:?}");
        }
    }

    #[test]
    fn quotes_and_breaks_are_as_in_rfc_4180() {
        let text = "n,name\r\n1,\"a \"\"b\"\", c\"\r\n 2 ,\"two\nlines\"\n3,5\" disk\n4,\n";
        let rows = read_rows(Form::Csv, text, 9).expect("in order");
        let names: Vec<String> = rows.iter().map(|row| format!("{}{}", row[1], row[0])).collect();
        assert_eq!(names, ["1a \"b\", c", "2two\nlines", "35\" disk", "4"]);
    }

    #[test]
    fn places_of_fields_are_in_the_text_whatever_it_is() {
        let parts = ["a", "\"", ",", "\n", "\r", "é", "1", "name,n\n"];
        let mut number = 7usize;
        for _ in 0..5000 {
            let mut text = "name,n\n".to_owned();
            for _ in 0..number % 12 {
                number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                text.push_str(parts[(number >> 40) % parts.len()]);
            }
            number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
            // A place that is none would panic where the mistake is shown.
            let rules = Source::new("r.dl", ".decl p(name: symbol, n: number)\n.input p");
            let program = Program::compile(&[], &[rules], &NoFunctors).expect("in order");
            let relations = program.relations();
            let corpus = Corpus::default();
            let columns = Columns { input: &relations[0], names: &FileNames::of(&corpus), most_rows: 99 };
            let file = FactFile { relation: "p".into(), form: Form::Csv, shown: "p".into(), text: text.clone() };
            for mistake in read(&file, &columns).err().unwrap_or_default() {
                let place = mistake.place.as_ref().expect("a place");
                assert!(text.get(place.range.clone()).is_some(), "{text:?}: {:?}", place.range);
                assert!(!mistake.to_string().is_empty());
            }
        }
    }
}
