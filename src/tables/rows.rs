//! What an audit says of a repository, before it becomes columns. The process that analyses a repository sends it to the one that asked.

use serde::{Deserialize, Serialize};

/// How the analysis of a repository ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Status {
    /// All of it was analysed.
    Ok,
    /// A budget of steps or rules ran out, or files were not read; the findings are those until then.
    Partial,
    /// It took longer than the limit of time, and was ended.
    Time,
    /// It needed more memory than it may have.
    Memory,
    /// Its process ended in another way.
    Crash,
    /// It was not read: it is damaged, hostile, or not there.
    Refused,
    /// No file of it is Python, or none imports what was asked for.
    NoTarget,
}

impl Status {
    /// All of them, in the order of reports.
    pub const ALL: [Status; 7] =
        [Status::Ok, Status::Partial, Status::Time, Status::Memory, Status::Crash, Status::Refused, Status::NoTarget];

    /// The word in tables.
    pub fn as_str(self) -> &'static str {
        match self {
            Status::Ok => "ok",
            Status::Partial => "partial",
            Status::Time => "time",
            Status::Memory => "memory",
            Status::Crash => "crash",
            Status::Refused => "refused",
            Status::NoTarget => "no target",
        }
    }

    /// What a word in tables says.
    pub fn of_word(word: &str) -> Option<Status> {
        Status::ALL.into_iter().find(|status| status.as_str() == word)
    }
}

/// What is known of a repository.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repository {
    /// How its analysis ended.
    pub status: Status,
    /// Why it did not end well; empty where it did.
    pub reason: String,
    /// Files that were analysed.
    pub files: u64,
    /// Their lines, with blank ones and comments.
    pub lines: u64,
    /// Files that were found and not read.
    pub skipped: u64,
    /// What was executed: scripts, and functions and classes that nobody calls.
    pub entries: Entries,
    /// `reached`, `not reached` or `none`: whether the execution of a script came to a training step of its program.
    pub training_step: Option<String>,
    /// Places of what could not be followed.
    pub not_understood: u64,
    /// Milliseconds of processor time; `None` where the process did not tell.
    pub cpu_ms: Option<u64>,
    /// The most bytes that the process held; `None` where it did not tell.
    pub peak_memory: Option<u64>,
    /// The files that were analysed, below the repository's root.
    pub paths: Vec<String>,
    /// By path, line and rule.
    pub findings: Vec<Finding>,
}

/// How many entries have which verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entries {
    /// No shape error is possible, whatever the inputs, or where a condition holds.
    pub no_error: u64,
    /// A requirement is violated.
    pub error: u64,
    /// Something was not understood, or a budget ran out.
    pub unknown: u64,
}

impl Repository {
    /// One without an analysis.
    pub fn without(status: Status, reason: impl Into<String>) -> Repository {
        Repository {
            status,
            reason: reason.into(),
            files: 0,
            lines: 0,
            skipped: 0,
            entries: Entries::default(),
            training_step: None,
            not_understood: 0,
            cpu_ms: None,
            peak_memory: None,
            paths: Vec::new(),
            findings: Vec::new(),
        }
    }
}

/// A place in a file of a repository. Lines and columns begin at 1; columns count characters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Place {
    /// Below the repository's root, with `/`.
    pub path: String,
    /// The cell of a notebook, from 1.
    pub cell: Option<u32>,
    /// Where it begins.
    pub line: u32,
    /// Where it begins.
    pub column: u32,
    /// Where it ends, exclusive.
    pub end_line: u32,
    /// Where it ends, exclusive.
    pub end_column: u32,
}

/// What a rule reports.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// Where.
    pub place: Place,
    /// With its pack, such as `shape/mismatch`.
    pub rule: String,
    /// `error`, `warning` or `note`.
    pub severity: String,
    /// Whether it rests on no assumption and no condition.
    pub certain: bool,
    /// When it happens.
    pub condition: Option<String>,
    /// Names it also after lines above it moved; unique in a repository.
    pub fingerprint: String,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
    /// The line where it begins, shortened.
    pub code: String,
    /// What it takes for granted.
    pub assumptions: Vec<Assumption>,
    /// What its rewrite saves.
    pub saving: Option<Saving>,
    /// The rewrite; empty where there is none.
    pub edits: Vec<Edit>,
    /// `safe` or `unsafe`; only of a rewrite.
    pub applicability: Option<String>,
}

/// A speculation that a finding rests on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assumption {
    /// The pattern of the speculation.
    pub kind: String,
    /// What it is about.
    pub subject: String,
    /// A clause after "assumes that".
    pub text: String,
    /// Why it is likely.
    pub evidence: String,
}

/// Work that a rewrite saves in all: numbers where they are known at the defaults of the program, and the amounts as text, which may be formulas.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Saving {
    /// Calls of libraries.
    pub calls: Option<i64>,
    /// Bytes that are written.
    pub bytes: Option<i64>,
    /// Floating-point operations.
    pub flops: Option<i64>,
    /// Waits for an accelerator.
    pub syncs: Option<i64>,
    /// All of it for a reader.
    pub text: String,
}

/// A replacement of source text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edit {
    /// What is replaced.
    pub place: Place,
    /// What takes its place.
    pub replacement: String,
}
