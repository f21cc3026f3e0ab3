//! Findings and what becomes of them: text for people, JSON and SARIF for programs, suppressions, fingerprints.
//! This room knows nothing of how a finding came about.

#![deny(missing_docs)]

pub mod added_silences;
pub mod baseline;
pub mod changed_lines;
pub mod code_quality;
pub mod columns;
pub mod comparison;
mod comparison_json;
pub mod coverage;
mod excerpt;
mod explanation;
mod finding;
pub mod fingerprint;
pub mod github_review;
mod guard;
pub mod joined;
pub mod json;
pub mod line_formats;
mod logical_lines;
pub mod markdown;
pub mod pages;
mod pairing;
mod path_steps;
pub mod places;
pub mod sarif;
mod saving;
mod selection;
pub mod signatures;
mod silence_comments;
mod sources;
mod static_text;
mod suggested_lines;
mod summary;
mod summary_text;
mod suppressions;
pub mod terminal_escape;
pub mod text;
mod user_error;
mod word_wrap;

#[cfg(test)]
mod tests;

pub use comparison_json::render as render_comparison_json;
pub use explanation::{Explanation, GraphSlice, SliceEdge, SliceNode, SliceNodeKind};
pub use finding::{
    Applicability, Assumption, Edit, Finding, Kind, Label, PathStep, REVEAL_RULE, RuleDescription, Severity,
};
pub use guard::{Guard, Notation};
pub use saving::{Amount, LeastWork, Saving, SavingLoop, TripBasis, Work, sort_by_saving};
pub use selection::{Grade, PerFileIgnore, Selection};
pub use silence_comments::{UNKNOWN_SILENCE_RULE, UNUSED_SILENCE_RULE};
pub use sources::{MemorySources, Sources, line_number};
pub use static_text::StaticText;
pub use summary::{
    Answered, Complexity, EntryVerdict, Fixes, NotFixed, NotUnderstood, Notice, Rewrites, SilencedAlarm, Skipped,
    Standing, Summary, TrainingStep, UnusedAnswer, Verdict, Withheld,
};
pub use suppressions::{CALLED_FROM, Checked, SYNTAX_RULE, Silence, finish, silenced_by};
pub use user_error::{UserError, UserErrorKind, UserErrorPlace, closest, edit_distance};

/// Everything that an output shows. Findings and summary went through [`finish`].
pub struct Report<'a> {
    /// In the order in which they are shown.
    pub findings: &'a [Finding],
    /// What the run covered.
    pub summary: &'a Summary,
    /// The text that findings point into.
    pub sources: &'a dyn Sources,
    /// What is known of the rules; findings may have rules that are not in it.
    pub rules: &'a [RuleDescription],
}
