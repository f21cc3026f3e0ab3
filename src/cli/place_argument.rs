//! Places as users type them on the command line: `FILE:LINE`, also with a column, or as reports and answers write
//! them.

use std::path::{Component, Path};
use std::sync::OnceLock;

use regex::Regex;

use harp_corpus::{Corpus, FileId, SourceFile, Span};
use harp_report::{UserError, closest};

/// A line of a file, as it was typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypedPlace {
    pub file: String,
    /// Of a notebook.
    pub cell: Option<u32>,
    pub line: u32,
    pub column: Option<u32>,
}

impl TypedPlace {
    /// Reads `a.py:12`, `a.py:12:5`, `a.py:12:5-9`, `a.ipynb[3]:12` or `a.ipynb:cell 3:12:5`.
    pub fn parse(text: &str) -> Option<TypedPlace> {
        static FORM: OnceLock<Option<Regex>> = OnceLock::new();
        let form = r"(?s)\A(.+?)(?:\[(\d+)\]|:cell (\d+))?:(\d+)(?::(\d+)(?:-[\d:]+)?)?\z";
        let found = FORM.get_or_init(|| Regex::new(form).ok()).as_ref()?.captures(text)?;
        let number = |group: usize| found.get(group).and_then(|digits| digits.as_str().parse().ok());
        Some(TypedPlace {
            file: found.get(1)?.as_str().to_owned(),
            cell: number(2).or_else(|| number(3)),
            line: number(4)?,
            column: number(5),
        })
    }

    /// The file that is meant, if it was analysed and has such a line.
    pub fn find<'a>(&self, corpus: &'a Corpus) -> Result<&'a SourceFile, UserError> {
        let file = self.find_file(corpus)?;
        let (what, lines) = self.line_count(file)?;
        if self.line == 0 || self.line > lines {
            let noun = if lines == 1 { "line" } else { "lines" };
            return Err(UserError::new(format!("{what} has {lines} {noun}, and no line {}", self.line)));
        }
        Ok(file)
    }

    fn find_file<'a>(&self, corpus: &'a Corpus) -> Result<&'a SourceFile, UserError> {
        let typed = components(&self.file);
        let known: Vec<(&SourceFile, Vec<String>)> =
            corpus.files.iter().map(|file| (file, components(&file.display_path))).collect();
        if let Some((file, _)) = known.iter().find(|(_, parts)| *parts == typed) {
            return Ok(file);
        }
        if let Ok(path) = std::fs::canonicalize(&self.file)
            && let Some((file, _)) =
                known.iter().find(|(file, _)| std::fs::canonicalize(&file.path).is_ok_and(|known| known == path))
        {
            return Ok(file);
        }
        let ending: Vec<&SourceFile> =
            known.iter().filter(|(_, parts)| parts.ends_with(&typed)).map(|(file, _)| *file).collect();
        match ending.as_slice() {
            [file] => Ok(file),
            [] => {
                let error = UserError::new(format!("no file {} was analysed", self.file));
                let names = corpus.files.iter().map(|file| file.display_path.as_str());
                Err(match closest(&self.file, names) {
                    Some(near) => error.hint(format!("did you mean {near}?")),
                    None => error.hint("give its path, or a folder that has it, behind"),
                })
            }
            several => {
                let names: Vec<&str> = several.iter().take(5).map(|file| file.display_path.as_str()).collect();
                Err(UserError::new(format!("several files end in {}", self.file)).note(names.join(", ")))
            }
        }
    }

    /// What has the lines, and how many.
    fn line_count(&self, file: &SourceFile) -> Result<(String, u32), UserError> {
        let name = &file.display_path;
        match (&file.cells, self.cell) {
            (None, None) => Ok((name.clone(), file.text.lines().count() as u32)),
            (None, Some(_)) => Err(UserError::new(format!("{name} is not a notebook"))),
            (Some(_), None) => {
                Err(UserError::new(format!("{name} is a notebook"))
                    .hint(format!("name the cell: {name}[1]:{}", self.line)))
            }
            (Some(cells), Some(number)) => match cells.iter().find(|cell| cell.number == number) {
                Some(cell) => {
                    let lines = file.slice(cell.start..cell.end).lines().count() as u32;
                    Ok((format!("cell {number} of {name}"), lines))
                }
                None => Err(UserError::new(format!("{name} has no cell {number} with code"))),
            },
        }
    }

    /// Whether a span begins on this line, and at this column where one is named.
    pub fn starts(&self, file: &SourceFile, span: Span) -> bool {
        let position = file.line_column(span.start);
        span.file == file.id
            && (position.line, position.cell) == (self.line, self.cell)
            && self.column.is_none_or(|column| column == position.column)
    }

    /// Whether a span touches this line.
    pub fn touches(&self, file: &SourceFile, span: Span) -> bool {
        let (start, end) = (file.line_column(span.start), file.line_column(span.end));
        span.file == file.id && start.cell == self.cell && (start.line..=end.line).contains(&self.line)
    }

    /// How many lines a span is away.
    pub fn distance(&self, file: FileId, corpus: &Corpus, span: Span) -> u32 {
        match corpus.file(span.file) {
            Some(known) if span.file == file => known.line_column(span.start).line.abs_diff(self.line),
            _ => u32::MAX,
        }
    }
}

/// The parts of a path, without `.`.
fn components(path: &str) -> Vec<String> {
    let parts = Path::new(path).components().filter(|part| *part != Component::CurDir);
    parts.map(|part| part.as_os_str().to_string_lossy().into_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Option<(String, Option<u32>, u32, Option<u32>)> {
        TypedPlace::parse(text).map(|place| (place.file, place.cell, place.line, place.column))
    }

    #[test]
    fn places_are_read_as_reports_write_them() {
        let place = |file: &str, cell, line, column| Some((file.to_owned(), cell, line, column));
        assert_eq!(parsed("a/b.py:12"), place("a/b.py", None, 12, None));
        assert_eq!(parsed("a.py:12:5"), place("a.py", None, 12, Some(5)));
        assert_eq!(parsed("a.py:12:5-19"), place("a.py", None, 12, Some(5)));
        assert_eq!(parsed("a.py:12:5-13:2"), place("a.py", None, 12, Some(5)));
        assert_eq!(parsed("C:\\a.py:3"), place("C:\\a.py", None, 3, None));
        assert_eq!(parsed("a.ipynb[4]:3"), place("a.ipynb", Some(4), 3, None));
        assert_eq!(parsed("a.ipynb:cell 4:3:1"), place("a.ipynb", Some(4), 3, Some(1)));
        assert_eq!(parsed("a.py"), None);
        assert_eq!(parsed("a.py:x"), None);
        assert_eq!(parsed(":3"), None);
        assert_eq!(parsed("a.py:99999999999"), None);
    }

    #[test]
    fn a_file_is_found_by_the_end_of_its_path() {
        let corpus = Corpus::in_memory(
            [("src/a.py", "x = 1\n"), ("src/b.py", ""), ("lib/b.py", "")]
                .map(|(path, text)| (path.to_owned(), text.to_owned()))
                .to_vec(),
        );
        let find = |text: &str| {
            let found = TypedPlace::parse(text).expect("a place").find(&corpus);
            found.map(|file| file.display_path.clone()).map_err(|error| error.message)
        };
        assert_eq!(find("./src/a.py:1"), Ok("src/a.py".to_owned()));
        assert_eq!(find("a.py:1"), Ok("src/a.py".to_owned()));
        assert_eq!(find("a.py:2"), Err("src/a.py has 1 line, and no line 2".to_owned()));
        assert_eq!(find("a.py:0"), Err("src/a.py has 1 line, and no line 0".to_owned()));
        assert_eq!(find("b.py:1"), Err("several files end in b.py".to_owned()));
        assert_eq!(find("c.py:1"), Err("no file c.py was analysed".to_owned()));
        assert_eq!(find("a.py[1]:1"), Err("src/a.py is not a notebook".to_owned()));
    }
}
