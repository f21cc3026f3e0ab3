//! What a rule reports: the finding, its labels, and the assumptions that it rests on.

use std::fmt;

use harp_corpus::Span;
use serde::{Deserialize, Serialize};

use super::explanation::Explanation;
use super::saving::Saving;
use super::static_text::{self, StaticText};

/// The rule of the notes that `reveal_type(x)` in analysed code yields.
pub const REVEAL_RULE: &str = "reveal-type";

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Severity {
    /// The program fails there.
    Error,
    /// The program may fail there, or wastes work.
    Warning,
    /// Information that somebody asked for, such as `reveal_type`.
    Note,
}

impl Severity {
    /// The word in every output form, also SARIF's `level`.
    pub fn as_str(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
    }

    /// The severity of that name.
    pub fn parse(text: &str) -> Option<Severity> {
        [Severity::Error, Severity::Warning, Severity::Note].into_iter().find(|severity| severity.as_str() == text)
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// A place and what to say of it; an empty text only underlines.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Label {
    /// The bytes that are underlined.
    pub span: Span,
    /// What stands at the underline.
    pub text: String,
}

impl Label {
    /// A label with a text.
    pub fn new(span: Span, text: impl Into<String>) -> Label {
        Label { span, text: text.into() }
    }
}

/// A speculation of the analysis.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Assumption {
    /// Its number in the facts of this run; `u32::MAX` for what is not among them.
    pub id: u32,
    /// The pattern of the speculation, such as `member-name` or `default-value`.
    pub kind: String,
    /// The class of patterns that it belongs to, such as `S2`; settings have none.
    #[serde(deserialize_with = "static_text::optional")]
    pub class: Option<StaticText>,
    /// What it is about, such as `x` or `args.nhid`.
    pub subject: String,
    /// The assumption as a clause after "assumes that": "`x` is a float tensor".
    pub text: String,
    /// The code that it is about; `None` where it is about no place.
    pub span: Option<Span>,
    /// Why it is likely: "`x.grad` is read at train.py:4".
    pub evidence: String,
}

/// A replacement of source text that makes up a suggestion, where it can be applied by a program.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Edit {
    /// The bytes that are replaced.
    pub span: Span,
    /// What takes their place.
    pub replacement: String,
}

/// Whether a program may apply a rewrite without asking anybody.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Applicability {
    /// The program does the same after it.
    Safe,
    /// It may do something else, or something is lost; why, as a clause: "the comment in line 4 is lost".
    Unsafe(String),
}

impl Applicability {
    /// The word in every output form.
    pub fn as_str(&self) -> &'static str {
        match self {
            Applicability::Safe => "safe",
            Applicability::Unsafe(_) => "unsafe",
        }
    }

    /// Why it is not safe.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Applicability::Safe => None,
            Applicability::Unsafe(reason) => Some(reason),
        }
    }
}

/// Something that happened on the way to a finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PathStep {
    /// What it is, in one word: `entry`, `call`, `branch`, `alternative`, `iteration`, `merge`, `operand`, `omitted`, `finding`.
    #[serde(deserialize_with = "static_text::one")]
    pub kind: StaticText,
    /// The code in which it happened.
    pub span: Span,
    /// What happened, for a reader.
    pub text: String,
    /// How many calls of the program it lies in.
    pub depth: u32,
    /// Which way a branch goes.
    pub holds: Option<bool>,
    /// Why it goes that way: `constant`, `default`, `sizes`, `before`, `only-way`, `followed`.
    #[serde(deserialize_with = "static_text::optional")]
    pub reason: Option<StaticText>,
}

/// What a rule reports.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The rule's id with its pack, such as `shape/mismatch`.
    pub rule: String,
    /// What its rule says of its kind.
    pub kind: Kind,
    /// As its rule or the user says.
    pub severity: Severity,
    /// The headline: what is wrong.
    pub message: String,
    /// Where it happens.
    pub primary: Label,
    /// Operands with their shapes, where each shape came from, the chain of calls.
    pub labels: Vec<Label>,
    /// Further places that led there, such as constructors of layers, which reports do not show: a change of one may be why it is found.
    pub origins: Vec<Label>,
    /// Further sentences without places.
    pub notes: Vec<String>,
    /// When it happens, without the words around it: `nhid != ninp`.
    pub condition: Option<String>,
    /// What else has to hold on the way there; reports count these clauses, and `harp explain` and JSON list them.
    pub path_conditions: Vec<String>,
    /// Values for which it happens: `nhid = 201, ninp = 200`.
    pub counterexample: Option<String>,
    /// What it takes for granted; without them it is certain, unless it has a condition.
    pub assumptions: Vec<Assumption>,
    /// What to do about it.
    pub help: Option<String>,
    /// The text that `help` says to write, where a program can write it.
    pub remedy: Option<Edit>,
    /// The rewrite, as code.
    pub suggestion: Option<String>,
    /// The decisions that lead there, where somebody asks for them.
    pub path: Vec<PathStep>,
    /// What explains it to the reader of a report, where somebody asks.
    pub explanation: Option<Box<Explanation>>,
    /// The rewrite as replacements; empty where it is for a person to apply.
    pub edits: Vec<Edit>,
    /// Whether the replacements may be made without asking; `None` where there are none.
    pub applicability: Option<Applicability>,
    /// What the rewrite saves, where its rule says which work it removes.
    pub saving: Option<Box<Saving>>,
    /// Names this finding also after lines above it moved; see [`super::fingerprint::assign`].
    pub fingerprint: String,
}

impl Finding {
    /// A finding with nothing but its message and place; fill in the rest by name.
    pub fn new(rule: impl Into<String>, severity: Severity, message: impl Into<String>, primary: Label) -> Finding {
        Finding {
            rule: rule.into(),
            kind: Kind::default(),
            severity,
            message: message.into(),
            primary,
            labels: Vec::new(),
            origins: Vec::new(),
            notes: Vec::new(),
            condition: None,
            path_conditions: Vec::new(),
            counterexample: None,
            assumptions: Vec::new(),
            help: None,
            remedy: None,
            suggestion: None,
            edits: Vec::new(),
            applicability: None,
            saving: None,
            path: Vec::new(),
            explanation: None,
            fingerprint: String::new(),
        }
    }

    /// Whether it rests on nothing: no assumption and no condition.
    pub fn certain(&self) -> bool {
        self.assumptions.is_empty() && self.condition.is_none()
    }
}

/// What a rule says of its kind: by that, users choose several at once.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Kind {
    /// Words such as `performance`.
    pub tags: Vec<String>,
    /// Whether its findings are reported only where somebody selects it by its id or a tag.
    pub is_on_request: bool,
}

/// What the outputs say of a rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RuleDescription {
    /// With its pack, such as `shape/mismatch`.
    pub id: String,
    /// The severity of its findings where they do not say otherwise.
    pub severity: Severity,
    /// What it says of its kind.
    pub kind: Kind,
    /// One sentence.
    pub title: String,
    /// The rule's page, in Markdown; may be empty.
    pub page: String,
}
