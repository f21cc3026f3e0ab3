//! The path to a finding as text and as SARIF's code flow.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::columns::{self, padded};
use crate::finding::{Finding, PathStep};
use crate::sources::Sources;
use crate::terminal_escape;

/// Names of files so long are not padded to.
const WIDEST_PLACE: usize = 48;

/// The way as lines below the finding; empty where there is none.
pub fn text(finding: &Finding, sources: &dyn Sources) -> String {
    if finding.path.is_empty() {
        return String::new();
    }
    let places: Vec<String> = finding.path.iter().map(|step| crate::text::place(step.span, sources)).collect();
    let width = places.iter().map(|place| columns::width(place)).max().unwrap_or(0).min(WIDEST_PLACE);
    let digits = finding.path.len().to_string().len();
    let mut text = String::from("path to this finding:\n");
    for (number, (step, place)) in finding.path.iter().zip(&places).enumerate() {
        let indent = 2 * step.depth as usize;
        let what = terminal_escape::line(&step.text);
        let number = number + 1;
        // Writing to a text does not fail.
        let _ = writeln!(text, "  {number:>digits$}  {}  {:indent$}{what}", padded(place, width), "");
    }
    text
}

/// SARIF's `codeFlows` of the finding. `location` makes SARIF's form of a step's place and text.
pub fn code_flows(finding: &Finding, location: impl Fn(&PathStep) -> Value) -> Vec<Value> {
    if finding.path.is_empty() {
        return Vec::new();
    }
    let last = finding.path.len() - 1;
    let locations = finding.path.iter().enumerate().map(|(index, step)| {
        let importance = match step.kind {
            "finding" | "operand" => "essential",
            "merge" | "omitted" => "unimportant",
            _ => "important",
        };
        json!({
            "location": location(step),
            "executionOrder": index + 1,
            "nestingLevel": step.depth,
            "importance": if index == last { "essential" } else { importance },
            "kinds": [sarif_kind(step)],
        })
    });
    vec![json!({ "threadFlows": [{ "locations": locations.collect::<Vec<_>>() }] })]
}

/// The word that SARIF suggests for a step's kind.
fn sarif_kind(step: &PathStep) -> &'static str {
    match (step.kind, step.holds) {
        ("branch", Some(true)) => "true",
        ("branch", Some(false)) => "false",
        ("finding", _) => "danger",
        ("operand", _) => "value",
        ("entry", _) => "enter",
        (kind, _) => kind,
    }
}
