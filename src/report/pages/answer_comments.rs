//! Pages of a report: the words with which its reader answers an assumption, in the grammar of `docs/assumptions.md`.

use std::fmt::Write as _;

use serde::Serialize;

use harp_trace::assumption::AssumptionKind;

use crate::finding::Assumption;

/// What confirms and what denies an assumption.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Answers {
    /// Taken for known.
    pub confirm: String,
    /// Nothing may rest on it.
    pub deny: String,
    /// Whether they are comments for the assumption's place, and not tables of the configuration.
    pub are_comments: bool,
}

/// The answers that an assumption takes; `None` where it is of no kind that can be named.
pub fn answers(assumption: &Assumption) -> Option<Answers> {
    let kind = AssumptionKind::parse(&assumption.kind)?.as_str();
    let are_comments = assumption.span.is_some();
    let [confirm, deny] = ["assume", "deny"].map(|verb| match are_comments {
        true => format!("# harp: {verb}[{kind}]"),
        false => format!("[[{verb}]]\nkind = \"{kind}\"\nsubject = {}", toml_string(&assumption.subject)),
    });
    Some(Answers { confirm, deny, are_comments })
}

/// A basic string of TOML.
fn toml_string(text: &str) -> String {
    let mut string = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => string.extend(['\\', character]),
            character if harp_corpus::is_harmful(character) => {
                // Writing to a text does not fail.
                let _ = write!(string, "\\U{:08x}", u32::from(character));
            }
            character => string.push(character),
        }
    }
    string.push('"');
    string
}

#[cfg(test)]
mod tests {
    use harp_corpus::{FileId, Span};

    use super::*;

    fn assumption(kind: &str, subject: &str, span: Option<Span>) -> Assumption {
        Assumption {
            id: 0,
            kind: kind.to_owned(),
            class: None,
            subject: subject.to_owned(),
            text: String::new(),
            span,
            evidence: String::new(),
        }
    }

    #[test]
    fn an_assumption_with_a_place_is_answered_beside_the_code() {
        let told = answers(&assumption("trip-count", "the loop", Some(Span::new(FileId(0), 0, 1)))).expect("answers");
        assert_eq!(
            (told.confirm.as_str(), told.deny.as_str()),
            ("# harp: assume[trip-count]", "# harp: deny[trip-count]")
        );
    }

    #[test]
    fn one_without_a_place_is_answered_in_the_configuration() {
        let told = answers(&assumption("default-value", "--x\"\\\u{202e}\n", None)).expect("answers");
        assert_eq!(told.deny, "[[deny]]\nkind = \"default-value\"\nsubject = \"--x\\\"\\\\\\U0000202e\\U0000000a\"");
    }

    #[test]
    fn what_has_no_kind_takes_no_answer() {
        assert_eq!(answers(&assumption("", "x", None)), None);
    }
}
