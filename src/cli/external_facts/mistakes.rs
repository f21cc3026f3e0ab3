//! External facts: what is wrong with the rows of a user's file.

use std::ops::Range;

use harp_report::UserError;

use super::files::FactFile;

/// More mistakes of one file help nobody.
const MOST_MISTAKES: usize = 3;

/// Messages have so many characters of what a file says.
const LONGEST_SHOWN: usize = 80;

/// A text of a file in a message.
pub(super) fn shortened(text: &str) -> String {
    match text.char_indices().nth(LONGEST_SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The mistakes of a file, in its order.
pub(super) struct Mistakes<'a> {
    pub file: &'a FactFile,
    /// Where the relation is declared, as `FILE:LINE`.
    pub declared: String,
    pub list: Vec<UserError>,
}

/// A mistake in a text.
pub(super) struct Mistake {
    pub message: String,
    /// In bytes.
    pub range: Range<usize>,
    pub label: String,
    pub hint: Option<String>,
}

impl Mistake {
    pub fn new(range: Range<usize>, message: impl Into<String>, label: impl Into<String>) -> Mistake {
        Mistake { message: message.into(), range, label: label.into(), hint: None }
    }

    pub fn hint(self, hint: impl Into<String>) -> Mistake {
        Mistake { hint: Some(hint.into()), ..self }
    }
}

impl Mistakes<'_> {
    pub fn add(&mut self, mistake: Mistake) {
        let Mistake { message, range, label, hint } = mistake;
        let FactFile { shown, text, relation, .. } = self.file;
        let mut error = UserError::new(message).at(shown, text.as_str(), range, label);
        if self.list.is_empty() {
            error = error.note(format!("`{relation}` is declared at {}", self.declared));
        }
        if let Some(hint) = hint {
            error = error.hint(hint);
        }
        self.list.push(error);
        if self.is_full()
            && let Some(last) = self.list.last_mut()
        {
            last.notes.push("the rest of the file is not looked at".to_owned());
        }
    }

    /// Whether the rest of the file need not be read.
    pub fn is_full(&self) -> bool {
        self.list.len() >= MOST_MISTAKES
    }
}
