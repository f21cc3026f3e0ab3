//! Errors of a report in what a user wrote for Harp: configuration, annotations, rules, arguments.

use std::fmt;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Snippet};
use serde::{Deserialize, Serialize};

use super::excerpt::excerpt;
use super::sources::line_number;
use super::text::{Color, rendered};
use crate::terminal_escape;

/// Something that the user has to mend before Harp can do its work (exit code 2), or should know of what they wrote.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UserError {
    /// Whether Harp can go on.
    pub kind: UserErrorKind,
    /// The headline: what is wrong.
    pub message: String,
    /// The file with the error, and where in it.
    pub place: Option<Box<UserErrorPlace>>,
    /// How to mend it.
    pub hint: Option<String>,
    /// Further sentences without places.
    pub notes: Vec<String>,
}

/// How much a [`UserError`] matters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum UserErrorKind {
    /// Harp cannot do what it was asked for.
    #[default]
    Error,
    /// Harp did its work all the same.
    Warning,
}

/// Where in a file of the user an error is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UserErrorPlace {
    /// As the user would name it.
    pub file: String,
    /// All of its text.
    pub text: String,
    /// Bytes of `text`.
    pub range: Range<usize>,
    /// What to write under the range; may be empty.
    pub label: String,
}

impl UserError {
    /// An error without a place.
    pub fn new(message: impl Into<String>) -> UserError {
        UserError { message: message.into(), ..UserError::default() }
    }

    /// A warning without a place.
    pub fn warning(message: impl Into<String>) -> UserError {
        UserError { kind: UserErrorKind::Warning, ..UserError::new(message) }
    }

    /// The same with its place: the bytes `range` of the file's `text`, and what to write under them.
    pub fn at(
        mut self,
        file: impl Into<String>,
        text: impl Into<String>,
        range: Range<usize>,
        label: impl Into<String>,
    ) -> Self {
        self.place =
            Some(Box::new(UserErrorPlace { file: file.into(), text: text.into(), range, label: label.into() }));
        self
    }

    /// The same with how to mend it.
    pub fn hint(mut self, hint: impl Into<String>) -> UserError {
        self.hint = Some(hint.into());
        self
    }

    /// The same with a further sentence.
    pub fn note(mut self, note: impl Into<String>) -> UserError {
        self.notes.push(note.into());
        self
    }

    /// The error in the look of a finding, without a line end behind it.
    pub fn render(&self, color: Color) -> String {
        let message = terminal_escape::message(&self.message);
        let level = match self.kind {
            UserErrorKind::Error => Level::ERROR,
            UserErrorKind::Warning => Level::WARNING,
        };
        let mut group = Group::with_title(level.primary_title(&*message));
        if let Some(place) = &self.place {
            let mut excerpt = excerpt(&place.text, std::slice::from_ref(&place.range));
            let line = line_number(&place.text, excerpt.start);
            let label = terminal_escape::line(&place.label);
            let range = excerpt.ranges.pop().unwrap_or_default();
            let annotation = AnnotationKind::Primary.span(range).label((!label.is_empty()).then_some(label));
            let snippet = Snippet::source(excerpt.text).path(terminal_escape::path(&place.file)).line_start(line);
            group = group.element(snippet.annotation(annotation));
        }
        for note in &self.notes {
            group = group.element(Level::NOTE.message(terminal_escape::message(note).into_owned()));
        }
        if let Some(hint) = &self.hint {
            group = group.element(Level::HELP.message(terminal_escape::message(hint).into_owned()));
        }
        rendered(&[group], color)
    }
}

impl fmt::Display for UserError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.render(Color::Never))
    }
}

impl std::error::Error for UserError {}

/// Of what was typed, so many characters are compared.
const MOST_COMPARED: usize = 200;

/// The candidate that a user may have meant, if one is close enough.
pub fn closest<'a>(typed: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let allowed = typed.chars().take(MOST_COMPARED).count() / 3 + 1;
    let distances = candidates.into_iter().map(|candidate| (edit_distance(typed, candidate), candidate));
    distances.filter(|(distance, _)| *distance <= allowed).min().map(|(_, candidate)| candidate)
}

/// The number of characters to insert, delete or replace (Levenshtein). What was typed may be a whole file, of which the beginning counts.
pub fn edit_distance(typed: &str, candidate: &str) -> usize {
    let end = typed.char_indices().nth(MOST_COMPARED).map_or(typed.len(), |(end, _)| end);
    strsim::levenshtein(&typed[..end], candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_points_at_its_place() {
        let error = UserError::new("unknown key `exlude`")
            .at("harp.toml", "# Harp\nexlude = []\n", 7..13, "not a key of Harp's configuration")
            .note("the keys are `exclude` and `args`")
            .hint("write `exclude`");
        insta::assert_snapshot!(error.render(Color::Never), @r"
        error: unknown key `exlude`
         --> harp.toml:2:1
          |
        2 | exlude = []
          | ^^^^^^ not a key of Harp's configuration
          |
          = note: the keys are `exclude` and `args`
          = help: write `exclude`
        ");
    }

    #[test]
    fn the_closest_name_is_suggested() {
        assert_eq!(closest("exlude", ["args", "exclude", "packs"]), Some("exclude"));
        assert_eq!(closest("colour", ["args", "exclude", "packs"]), None);
    }
}
