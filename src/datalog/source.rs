//! Rule sources, places in them, and what is said about them.

use std::ops::Range;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

/// A file of rules or of the schema, read by the caller.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// How the file is called in messages; also what `.include` paths resolve to.
    pub name: String,
    /// All of it.
    pub text: String,
}

impl Source {
    /// A source by its name and text.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Source { name: name.into(), text: text.into() }
    }
}

/// A source among the sources of one program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(super) struct SourceId(pub u32);

/// A range of bytes in one source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(super) struct Place {
    pub source: SourceId,
    pub start: u32,
    pub end: u32,
}

impl Place {
    /// The smallest place that covers both.
    pub fn to(self, other: Place) -> Place {
        Place { source: self.source, start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Level {
    /// The program is refused.
    Error,
    /// Something is odd or was left out; the rest holds.
    Warning,
}

/// A further place that a diagnostic speaks of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// The name of the source.
    pub source: String,
    /// Bytes in the source's text.
    pub range: Range<usize>,
    /// What is to be said of it.
    pub message: String,
}

/// What is wrong with a rule, where, and what to do about it. Rendering is the caller's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// Whether the program is refused.
    pub level: Level,
    /// The name of the source.
    pub source: String,
    /// Bytes in the source's text.
    pub range: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What stands at the caret.
    pub label: String,
    /// What to write instead.
    pub hint: Option<String>,
    /// Further places, such as a declaration.
    pub notes: Vec<Note>,
}

/// A diagnostic whose source is still a number; most of the room works with these.
#[derive(Clone, Debug)]
pub(super) struct Problem {
    pub level: Level,
    pub place: Place,
    pub message: String,
    pub label: String,
    pub hint: Option<String>,
    pub notes: Vec<(Place, String)>,
}

impl Problem {
    pub fn error(place: Place, message: impl Into<String>, label: impl Into<String>) -> Self {
        Problem {
            level: Level::Error,
            place,
            message: message.into(),
            label: label.into(),
            hint: None,
            notes: Vec::new(),
        }
    }

    pub fn warning(place: Place, message: impl Into<String>, label: impl Into<String>) -> Self {
        Problem { level: Level::Warning, ..Problem::error(place, message, label) }
    }

    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    pub fn maybe_hint(mut self, hint: Option<String>) -> Self {
        self.hint = hint;
        self
    }

    pub fn note(mut self, place: Place, message: impl Into<String>) -> Self {
        self.notes.push((place, message.into()));
        self
    }
}

/// The sources of one program, by number.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(from = "Vec<Source>", into = "Vec<Source>")]
pub(super) struct Sources {
    list: Vec<Source>,
    /// Where the lines of each source begin; asked for once for each rule.
    line_starts: Vec<OnceLock<Vec<u32>>>,
}

impl From<Vec<Source>> for Sources {
    fn from(list: Vec<Source>) -> Sources {
        Sources { line_starts: vec![OnceLock::new(); list.len()], list }
    }
}

impl From<Sources> for Vec<Source> {
    fn from(sources: Sources) -> Vec<Source> {
        sources.list
    }
}

impl Sources {
    pub fn add(&mut self, source: Source) -> SourceId {
        self.list.push(source);
        self.line_starts.push(OnceLock::new());
        SourceId(self.list.len() as u32 - 1)
    }

    pub fn all(&self) -> &[Source] {
        &self.list
    }

    pub fn get(&self, id: SourceId) -> &Source {
        &self.list[id.0 as usize]
    }

    /// The text at a place, on one line.
    pub fn excerpt(&self, place: Place) -> String {
        let text = self.get(place.source).text.get(place.range()).unwrap_or("");
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// The line of a place, counted from 1.
    pub fn line(&self, place: Place) -> usize {
        let source = place.source.0 as usize;
        let starts = self.line_starts[source].get_or_init(|| line_starts(&self.list[source].text));
        starts.partition_point(|start| *start <= place.start)
    }

    pub fn diagnostic(&self, problem: Problem) -> Diagnostic {
        let name = |place: Place| self.get(place.source).name.clone();
        Diagnostic {
            level: problem.level,
            source: name(problem.place),
            range: problem.place.range(),
            message: problem.message,
            label: problem.label,
            hint: problem.hint,
            notes: problem
                .notes
                .into_iter()
                .map(|(place, message)| Note { source: name(place), range: place.range(), message })
                .collect(),
        }
    }
}

/// Where lines begin; they end in `\n`, `\r\n` or `\r`.
fn line_starts(text: &str) -> Vec<u32> {
    let bytes = text.as_bytes();
    let ends_line = |at: usize| bytes[at] == b'\n' || bytes[at] == b'\r' && bytes.get(at + 1) != Some(&b'\n');
    std::iter::once(0).chain((0..bytes.len()).filter(|at| ends_line(*at)).map(|at| at as u32 + 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_in_any_way() {
        let mut sources = Sources::default();
        let source = sources.add(Source::new("a.dl", "a\nb\r\nc\rd"));
        let line = |start| sources.line(Place { source, start, end: start });
        assert_eq!([0, 1, 2, 4, 5, 6, 7, 99].map(line), [1, 1, 2, 2, 3, 3, 4, 4]);
    }
}
