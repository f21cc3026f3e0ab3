//! What is wrong in an annotation file, and where.

use std::fmt;
use std::path::{Path, PathBuf};

use serde_saphyr::Location;

/// A mistake in an annotation file, with its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnnotationError {
    /// As it was named to whoever read it.
    pub file: PathBuf,
    /// Line and column, counted from 1; 0 where the file could not be read at all.
    pub line: usize,
    /// In characters, as the line counts from 1.
    pub column: usize,
    /// Byte offsets in the file, `start..end`, where known.
    pub range: Option<(usize, usize)>,
    /// What is wrong, as a sentence without a full stop.
    pub message: String,
    /// What to write instead.
    pub hint: Option<String>,
}

impl fmt::Display for AnnotationError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}:{}: {}", self.file.display(), self.line, self.column, self.message)?;
        if let Some(hint) = &self.hint {
            write!(formatter, "\n  hint: {hint}")?;
        }
        Ok(())
    }
}

impl std::error::Error for AnnotationError {}

/// A mistake in one text of a file, at a byte offset in that text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// In bytes from the start of the text.
    pub offset: usize,
    /// What is wrong, as a sentence without a full stop.
    pub message: String,
    /// What to write instead.
    pub hint: Option<String>,
}

impl Mistake {
    /// A mistake at the beginning of the text, without a hint.
    pub fn new(message: impl Into<String>) -> Self {
        Mistake { offset: 0, message: message.into(), hint: None }
    }

    /// The same mistake at another byte of the text.
    #[must_use]
    pub fn at(mut self, offset: usize) -> Self {
        self.offset = offset;
        self
    }

    /// The same mistake with a hint in the place of any that it has.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// An unknown word where one of `known` belongs, which are too many to list.
    pub fn near(what: &str, word: &str, known: &[&str]) -> Self {
        let mistake = Mistake::new(format!("unknown {what} `{word}`"));
        match closest(word, known) {
            Some(near) => mistake.hint(format!("did you mean `{near}`?")),
            None => mistake,
        }
    }

    /// A hint, unless there is one.
    #[must_use]
    pub fn hint_where_none(self, hint: &str) -> Self {
        if self.hint.is_some() { self } else { self.hint(hint) }
    }

    /// An unknown word where one of `known` belongs.
    pub fn unknown(what: &str, word: &str, known: &[&str]) -> Self {
        let mistake = Mistake::new(format!("unknown {what} `{word}`"));
        match closest(word, known) {
            Some(near) => mistake.hint(format!("did you mean `{near}`?")),
            None => mistake.hint(format!("one of {}", known.join(", "))),
        }
    }
}

/// Places mistakes in one file.
pub struct Locator<'a> {
    /// The file that the errors name.
    pub file: &'a Path,
    /// All of its text.
    pub source: &'a str,
}

impl Locator<'_> {
    /// The error for a mistake in a text that stands at `location`. The mistake's offset counts only where the text stands in
    /// the file as it is, without escapes or line folding.
    pub fn error(&self, location: Location, text: &str, mistake: Mistake) -> AnnotationError {
        let range = self.range(location);
        let exact = range.and_then(|(start, end)| {
            let written = self.source.get(start..end)?;
            let begin = start + written.find(text).filter(|_| !text.is_empty())?;
            let at = (begin + mistake.offset).min(begin + text.len());
            Some((at, if mistake.offset == 0 { begin + text.len() } else { end_of_word(self.source, at) }))
        });
        let range = exact.or(range);
        let (line, column) = match range {
            Some((start, _)) => line_and_column(self.source, start),
            None => (usize::try_from(location.line()).unwrap_or(0), usize::try_from(location.column()).unwrap_or(0)),
        };
        AnnotationError {
            file: self.file.to_path_buf(),
            line,
            column,
            range,
            message: mistake.message,
            hint: mistake.hint,
        }
    }

    fn range(&self, location: Location) -> Option<(usize, usize)> {
        let start = usize::try_from(location.span().byte_offset()?).ok()?;
        let length = usize::try_from(location.span().byte_len().unwrap_or(0)).ok()?;
        let end = (start + length).min(self.source.len());
        (location != Location::UNKNOWN
            && start <= end
            && self.source.is_char_boundary(start)
            && self.source.is_char_boundary(end))
        .then_some((start, end))
    }

    /// The error for YAML that does not have the form of an annotation file.
    pub fn yaml_error(&self, error: &serde_saphyr::Error) -> AnnotationError {
        use serde_saphyr::Error as Yaml;
        let error = error.without_snippet();
        let mistake = match error {
            Yaml::SerdeUnknownField { field, expected, .. } => Mistake::unknown("key", field, expected),
            Yaml::SerdeMissingField { field, .. } => Mistake::new(format!("the key `{field}` is missing")),
            Yaml::DuplicateMappingKey { key: Some(key), .. } => Mistake::new(format!("the key `{key}` is given twice")),
            Yaml::SerdeInvalidType { unexpected, expected, .. } => {
                Mistake::new(format!("expected {expected}, found {unexpected}"))
                    .hint("a text with `[`, `{` or `: ` needs quotes around it")
            }
            Yaml::Unexpected { .. } => {
                Mistake::new(plain_message(error)).hint("a text with `[`, `{` or `: ` needs quotes around it")
            }
            _ => Mistake::new(plain_message(error)),
        };
        self.error(error.location().unwrap_or(Location::UNKNOWN), "", mistake)
    }
}

/// The message without the position and the picture of the source, which are rendered elsewhere.
fn plain_message(error: &serde_saphyr::Error) -> String {
    let rendered = error.render();
    let first = rendered.lines().next().unwrap_or_default();
    let first = first.strip_prefix("error: ").unwrap_or(first);
    match first.strip_prefix("line ").and_then(|rest| rest.split_once(": ")) {
        Some((_, message)) => message.to_owned(),
        None => first.split(" at line ").next().unwrap_or(first).to_owned(),
    }
}

fn line_and_column(source: &str, offset: usize) -> (usize, usize) {
    let before = &source[..offset];
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}

fn end_of_word(source: &str, start: usize) -> usize {
    let rest = &source[start..];
    let length = rest.find(|character: char| !(character.is_alphanumeric() || character == '_')).unwrap_or(rest.len());
    start + length.max(rest.chars().next().map_or(0, char::len_utf8))
}

/// The known word that was probably meant: at most a third of its letters differ.
fn closest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    known
        .iter()
        .map(|candidate| (edit_distance(word, candidate), *candidate))
        .min()
        .filter(|(distance, candidate)| *distance * 3 <= candidate.len())
        .map(|(_, candidate)| candidate)
}

fn edit_distance(word: &str, known: &str) -> usize {
    // A longer word is no slip, and may be a whole file.
    const MOST: usize = 64;
    let end = word.char_indices().nth(MOST).map_or(word.len(), |(end, _)| end);
    strsim::levenshtein(&word[..end], known)
}
