//! Answers of users: which assumptions one means.

use crate::assumption::AssumptionKind;
use harp_corpus::{Position, name_fits};

/// What a user says of assumptions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reply {
    /// They hold: they are taken for known.
    Confirmed,
    /// They do not hold: nothing may rest on them.
    Denied,
}

impl Reply {
    /// The word that outputs use.
    pub fn as_str(self) -> &'static str {
        match self {
            Reply::Confirmed => "confirmed",
            Reply::Denied => "denied",
        }
    }
}

/// An assumption that is asked about.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    pub kind: &'a str,
    pub subject: &'a str,
    /// The sentence.
    pub text: &'a str,
    /// The name of the file where it is placed, as reports show it, and the position there.
    pub place: Option<(&'a str, Position)>,
}

/// What an assumption must have for an answer to mean it. What is left out fits everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selector {
    pub kind: Option<AssumptionKind>,
    /// A pattern of file names; see [`fits_file`].
    pub file: Option<String>,
    /// In a notebook, the line within its cell.
    pub line: Option<u32>,
    pub subject: Option<String>,
    /// A part of the sentence.
    pub text: Option<String>,
}

impl Selector {
    pub fn fits(&self, question: &Question<'_>) -> bool {
        let is_placed = |fits: &dyn Fn(&str, Position) -> bool| question.place.is_some_and(|(file, at)| fits(file, at));
        self.kind.is_none_or(|kind| kind.as_str() == question.kind)
            && self.subject.as_ref().is_none_or(|subject| subject == question.subject)
            && self.text.as_ref().is_none_or(|text| question.text.contains(text.as_str()))
            && self.line.is_none_or(|line| is_placed(&|_, at| at.line == line))
            && self.file.as_ref().is_none_or(|pattern| is_placed(&|file, _| fits_file(pattern, file)))
    }
}

/// An answer in the configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    pub reply: Reply,
    pub selector: Selector,
    /// Where it stands, for reports: `harp.toml:12`; empty where it switches a pattern off.
    pub origin: String,
}

/// Whether a file's name fits a pattern: its last parts do. `*` stands for any characters within a part, `?` for one, `**` for any parts.
pub fn fits_file(pattern: &str, name: &str) -> bool {
    let parts: Vec<&str> = name.split('/').collect();
    let pattern: Vec<&str> = pattern.trim_start_matches("./").split('/').filter(|part| !part.is_empty()).collect();
    // `reached[i]`: the pattern so far ends before the part `i`.
    let mut reached = vec![true; parts.len() + 1];
    for wanted in pattern {
        let mut next = vec![false; parts.len() + 1];
        if wanted == "**" {
            let first = reached.iter().position(|reached| *reached).unwrap_or(reached.len());
            next[first..].fill(true);
        } else {
            for (index, part) in parts.iter().enumerate() {
                next[index + 1] = reached[index] && name_fits(wanted, part);
            }
        }
        reached = next;
    }
    reached[parts.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_fit_by_their_last_parts() {
        for (pattern, name, fits) in [
            ("train.py", "train.py", true),
            ("train.py", "src/train.py", true),
            ("train.py", "src/retrain.py", false),
            ("src/*.py", "src/train.py", true),
            ("src/*.py", "../lib/src/train.py", true),
            ("src/*.py", "src/models/net.py", false),
            ("src/**/*.py", "src/models/net.py", true),
            ("src/**/*.py", "src/net.py", true),
            ("src/**", "src/models/net.py", true),
            ("./src/net.py", "src/net.py", true),
            ("n?t.py", "nät.py", true),
            ("*a*a*a*b", &"a".repeat(300), false),
            ("", "a.py", true),
        ] {
            assert_eq!(fits_file(pattern, name), fits, "{pattern} {name}");
        }
    }

    #[test]
    fn all_that_is_given_must_fit() {
        let position = Position { line: 4, column: 1, cell: None };
        let question = Question {
            kind: "default-value",
            subject: "--nhid",
            text: "`--nhid` has its default 200",
            place: Some(("train.py", position)),
        };
        let nothing = Selector::default();
        assert!(nothing.fits(&question));
        let all = Selector {
            kind: Some(AssumptionKind::DefaultValue),
            file: Some("train.py".into()),
            line: Some(4),
            subject: Some("--nhid".into()),
            text: Some("has its default".into()),
        };
        assert!(all.fits(&question));
        assert!(!Selector { line: Some(5), ..all.clone() }.fits(&question));
        assert!(!Selector { subject: Some("nhid".into()), ..all.clone() }.fits(&question));
        assert!(!Selector { kind: Some(AssumptionKind::UsedAs), ..all.clone() }.fits(&question));
        assert!(!all.fits(&Question { place: None, ..question }));
    }
}
