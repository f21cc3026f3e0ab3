//! The summary of a report, what the run covered: verdicts per entry, what was not understood, what was left out.

use std::collections::BTreeMap;

use harp_corpus::Span;
use serde::{Deserialize, Serialize};

use super::finding::{Assumption, Finding};
use super::static_text::{self, StaticText};
use super::user_error::UserError;

/// What is known of an entry after it was executed symbolically.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Verdict {
    /// Every operation was understood, and no requirement can be violated.
    NoErrorPossible,
    /// Every operation was understood, and no requirement can be violated where this holds, which the inputs and settings alone decide.
    NoErrorWhen(String),
    /// The same, beside these calls, which were not followed and of whose results no operation makes anything; where the condition holds.
    NoErrorBeside {
        /// What is called there.
        calls: Vec<String>,
        /// What the inputs and settings must fulfil.
        condition: Option<String>,
    },
    /// A requirement is violated.
    Error,
    /// A requirement is violated under this condition.
    ErrorWhen(String),
    /// Something was not understood, or a budget ran out; the reasons.
    DontKnow(Vec<String>),
}

/// Whether a run of a script came to a training step of its program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TrainingStep {
    /// It did.
    Reached,
    /// The program has one, and no run came there.
    NotReached,
    /// The program has none.
    None,
}

impl TrainingStep {
    /// The word in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            TrainingStep::Reached => "reached",
            TrainingStep::NotReached => "not reached",
            TrainingStep::None => "none",
        }
    }
}

/// An entry and its verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntryVerdict {
    /// Such as `train.py` for a script or `model.Net` for a class that nobody calls.
    pub name: String,
    /// The file, class or function that was executed.
    pub span: Span,
    /// What is known of it.
    pub verdict: Verdict,
    /// What it says of the parameters of a function or class that nobody calls: a name, and a shape or number.
    pub inputs: Vec<(String, String)>,
    /// Of a script: whether its execution came to a training step.
    pub training_step: Option<TrainingStep>,
    /// What the verdict takes for granted.
    pub assumptions: Vec<Assumption>,
}

/// Calls that the analysis could not follow, by API or reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotUnderstood {
    /// The qualified name of an API, or a reason.
    pub what: String,
    /// At how many places it was met; a place counts once, however often it is passed.
    pub count: u64,
    /// One of its places.
    pub example: Option<Span>,
}

/// A requirement that fails or may fail, and is not reported.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SilencedAlarm {
    /// The operation or call that requires it.
    pub span: Span,
    /// The filter that silences it, such as `expected-exception`.
    #[serde(deserialize_with = "static_text::one")]
    pub filter: StaticText,
    /// The API, and what it requires.
    pub what: String,
    /// Whether it stands in the source of a library.
    pub is_inside: bool,
}

/// How often a program does something that is hard to follow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Complexity {
    /// Such as `data-dependent-branch`.
    #[serde(deserialize_with = "static_text::one")]
    pub kind: StaticText,
    /// At how many places of the program.
    pub places: usize,
    /// At how many of the places what follows is unknown.
    pub not_followed: usize,
    /// The first place that was not followed, else the first one.
    pub example: Span,
}

/// What a user said of an assumption.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Standing {
    /// It is taken for known: nothing rests on it any more.
    Confirmed,
    /// Nothing may rest on it.
    Denied,
}

impl Standing {
    /// The word in every output form.
    pub fn as_str(self) -> &'static str {
        match self {
            Standing::Confirmed => "confirmed",
            Standing::Denied => "denied",
        }
    }
}

/// An assumption that a user answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answered {
    /// What the analysis supposed.
    pub assumption: Assumption,
    /// What the user says of it.
    pub standing: Standing,
}

/// An answer of the configuration that fits no assumption of the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnusedAnswer {
    /// Where it stands, such as `harp.toml:12`.
    pub place: String,
    /// What the user said.
    pub standing: Standing,
}

/// A rewrite that is not shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Withheld {
    /// Where the finding is.
    pub span: Span,
    /// The rule that suggests it.
    pub rule: String,
    /// What speaks against it, as a clause.
    #[serde(deserialize_with = "static_text::one")]
    pub reason: StaticText,
}

/// What became of the rewrites that rules suggest.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rewrites {
    /// So many were tried on the program.
    pub checked: usize,
    /// Those of them of which nothing tells that the program does the same.
    pub withheld: Vec<Withheld>,
    /// So many are not shown as the run had checked as many as it may.
    pub unchecked: usize,
}

/// A finding whose edit was asked for and is not made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotFixed {
    /// Where the finding was, such as `train.py:3:5`.
    pub place: String,
    /// Its rule.
    pub rule: String,
    /// What speaks against the edit, as a clause.
    pub reason: String,
}

/// What became of edits that somebody asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fixes {
    /// Findings whose edits were made.
    pub made: usize,
    /// Files that differ by them.
    pub files: usize,
    /// Findings whose edits were tried and not kept, or cannot be made.
    pub refused: Vec<NotFixed>,
    /// Findings whose edits would be made in a further run.
    pub left: usize,
    /// Findings with edits that are only made where somebody asks for unsafe ones.
    pub unsafe_left: usize,
}

/// A file that was not analysed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Skipped {
    /// As it is shown to the user.
    pub path: String,
    /// What is wrong with it, as the end of a sentence.
    pub reason: String,
    /// The path as a URI reference; `None` where it is no single file.
    pub uri: Option<String>,
}

/// What a reader must know to trust the report, such as that a file of the project stands in place of a library.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Notice {
    /// One clause.
    pub text: String,
    /// The file that it is about, as it is shown to the user.
    pub file: Option<String>,
}

impl Notice {
    /// The same for whom no report tells it.
    pub fn warning(&self) -> UserError {
        UserError::warning(self.text.clone())
    }
}

/// What a run covered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// Files that were analysed.
    pub files: usize,
    /// Their lines, with blank ones and comments.
    pub lines: usize,
    /// Files that were read only because others import them, which `files` does not count.
    pub imported: usize,
    /// What was executed, by place.
    pub entries: Vec<EntryVerdict>,
    /// What could not be followed, the most frequent first.
    pub not_understood: Vec<NotUnderstood>,
    /// In a fixed order; kinds that do not occur are left out.
    pub complexities: Vec<Complexity>,
    /// Alarms that a filter silences, by their places.
    pub silenced: Vec<SilencedAlarm>,
    /// Whether more were silenced than are listed.
    pub is_silenced_cut: bool,
    /// What became of the rewrites that rules suggest.
    pub rewrites: Rewrites,
    /// What became of edits, where somebody asked for them.
    pub fixes: Option<Fixes>,
    /// Files that were found and not analysed, by path.
    pub skipped: Vec<Skipped>,
    /// What every form of the report says.
    pub notices: Vec<Notice>,
    /// Findings about comments that silence which are not listed; a notice tells it.
    pub further_remarks: usize,
    /// Budgets that ran out, a sentence each.
    pub budgets: Vec<String>,
    /// The ids of rules that were stopped or not evaluated: whether they would have found more is unknown. A notice tells of them.
    pub incomplete_rules: Vec<String>,
    /// Findings that comments or the configuration silence.
    pub suppressed: usize,
    /// Those of them that comments in the source silence.
    pub in_source: Vec<Finding>,
    /// Findings that the baseline knows, and that are not reported.
    pub in_baseline: usize,
    /// Findings that the baseline knows, and that are no more.
    pub gone_from_baseline: usize,
    /// Assumptions that the user answered, by their places.
    pub answered: Vec<Answered>,
    /// Answers of the configuration that fit nothing, in its order.
    pub unused_answers: Vec<UnusedAnswer>,
    /// What a user can do so that more is analysed, with the number of entries that it helps.
    pub hints: BTreeMap<String, usize>,
}

impl Summary {
    /// How many assumptions were answered so.
    pub fn answered_as(&self, standing: Standing) -> usize {
        self.answered.iter().filter(|answered| answered.standing == standing).count()
    }

    /// Notes which rules are not complete, of how many, and that every form of the report says so.
    pub fn add_incomplete_rules(&mut self, rules: Vec<String>, all: usize) {
        const MOST_NAMED: usize = 3;
        if rules.is_empty() {
            return;
        }
        let named = rules.iter().take(MOST_NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
        let more = match rules.len().saturating_sub(MOST_NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let were = if rules.len() == 1 { "was" } else { "were" };
        let text = format!(
            "{} of {all} rules {were} stopped before the end or not evaluated, and may have missed findings: {named}{more}",
            rules.len()
        );
        self.notices.push(Notice { text, file: None });
        self.incomplete_rules.extend(rules);
    }

    /// Brings every list into the order in which it is shown: the most frequent first, then by name.
    pub fn sort(&mut self) {
        self.not_understood.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.what.cmp(&b.what)));
        self.entries.sort_by(|a, b| (a.span, &a.name).cmp(&(b.span, &b.name)));
        self.skipped.sort();
        self.notices.sort();
        self.notices.dedup();
        self.budgets.sort();
        self.budgets.dedup();
        self.incomplete_rules.sort();
        self.incomplete_rules.dedup();
    }
}
