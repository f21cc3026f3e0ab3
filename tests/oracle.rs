//! Recorded results of PyTorch against the whole analysis, each expression a line of a program: see `tests/data/README.md`.
//!
//! `HARP_ORACLE=op` runs only the cases of operations whose name contains `op`, and prints what is not as it should be.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use harp::annotations::Library;
use harp::corpus::{Corpus, Span};
use harp::interp::trace::IssueKind;
use harp::interp::{Options, analyse};
use harp::python::project::Project;

#[derive(serde::Deserialize)]
struct Case {
    op: String,
    code: String,
    ok: bool,
    shape: Option<serde_json::Value>,
    error: Option<String>,
}

impl Case {
    fn is_size(&self) -> bool {
        self.shape.as_ref().is_some_and(|shape| shape.get("size").is_some())
    }
}

/// How a case went.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Verdict {
    Agree,
    /// Accepted by the library, and the shape is not known.
    Unknown,
    /// Accepted by the library with another shape.
    Wrong,
    /// Accepted by the library, and an error here.
    FalseAlarm,
    /// An error of the library, and here.
    Found,
    /// An error of the library, and none here.
    Missed,
}

/// At most so many cases of each kind, a file; the numbers only go down.
const LIMITS: [(&str, [(Verdict, usize); 4]); 2] = [
    ("torch_ops.jsonl", [(Verdict::Wrong, 0), (Verdict::FalseAlarm, 0), (Verdict::Unknown, 70), (Verdict::Missed, 38)]),
    (
        "torch_rarer_ops.jsonl",
        [(Verdict::Wrong, 0), (Verdict::FalseAlarm, 0), (Verdict::Unknown, 1), (Verdict::Missed, 9)],
    ),
];

const HEADER: &str = "import torch, torch.nn as nn, torch.nn.functional as F\n";

/// So many cases are one program.
const PROGRAM: usize = 50;

#[test]
fn the_analysis_agrees_with_the_recorded_results() {
    let wanted = std::env::var("HARP_ORACLE").ok();
    let mut failures = Vec::new();
    for (file, limits) in LIMITS {
        let mut cases = read(file);
        if let Some(wanted) = &wanted {
            cases.retain(|case| case.op.contains(wanted.as_str()));
        }
        let mut counts: BTreeMap<Verdict, usize> = BTreeMap::new();
        for program in cases.chunks(PROGRAM) {
            for (case, (verdict, detail)) in program.iter().zip(judge(program)) {
                *counts.entry(verdict).or_default() += 1;
                let is_bad = matches!(verdict, Verdict::Wrong | Verdict::FalseAlarm);
                if is_bad || (wanted.is_some() && matches!(verdict, Verdict::Unknown | Verdict::Missed)) {
                    let truth = case.shape.as_ref().map(expected).or(case.error.clone()).unwrap_or_default();
                    eprintln!("{verdict:?}: {} gives {detail}; in truth {truth}", case.code);
                }
            }
        }
        eprintln!("{file}: {counts:?}");
        for (verdict, most) in limits {
            let count = counts.get(&verdict).copied().unwrap_or(0);
            if count > most {
                failures.push(format!("{file}: {count} cases are {verdict:?}, at most {most} may be"));
            }
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

fn read(file: &str) -> Vec<Case> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(file);
    let text = std::fs::read_to_string(path).expect("the recorded results are part of the repository");
    text.lines().map(|line| serde_json::from_str(line).expect("a case a line")).collect()
}

/// Analyses a program that reveals one case a line.
fn judge(cases: &[Case]) -> Vec<(Verdict, String)> {
    let lines: String = cases.iter().map(|case| format!("reveal_type({})\n", case.code)).collect();
    let corpus = Corpus::single("cases.py", &format!("{HEADER}{lines}"));
    let project = Project::build(&corpus);
    let trace = analyse(&corpus, &project, Library::builtin(), &Options::default());
    let case_at = |span: Span| {
        let line = corpus.file(span.file).map_or(1, |file| file.line_column(span.start).line) as usize;
        line.checked_sub(2)
    };
    let mut revealed: BTreeMap<usize, &str> = BTreeMap::new();
    for reveal in &trace.reveals {
        revealed.extend(case_at(reveal.span).map(|case| (case, reveal.text.as_str())));
    }
    let errors = trace.issues.iter().filter(|issue| issue.kind != IssueKind::SuspiciousBroadcast);
    let errors: BTreeMap<usize, &str> =
        errors.filter_map(|issue| Some((case_at(issue.span)?, issue.message.as_str()))).collect();
    let known: BTreeSet<usize> = revealed.keys().copied().collect();
    let one = |(index, case): (usize, &Case)| {
        let shown = revealed.get(&index).map_or(String::new(), |text| without_types(text));
        match (case.ok, errors.get(&index)) {
            (true, Some(message)) => (Verdict::FalseAlarm, (*message).to_owned()),
            (false, Some(message)) => (Verdict::Found, (*message).to_owned()),
            (false, None) => (Verdict::Missed, shown),
            (true, None) => {
                let truth = case.shape.as_ref().map(expected).unwrap_or_default();
                let is_known = known.contains(&index) && is_concrete(&shown);
                // A `torch.Size` is a tuple.
                let shown = if case.is_size() { shown.replace('(', "[").replace(')', "]") } else { shown };
                let verdict = match shown == truth {
                    true => Verdict::Agree,
                    false if is_known => Verdict::Wrong,
                    false => Verdict::Unknown,
                };
                (verdict, shown)
            }
        }
    };
    cases.iter().enumerate().map(one).collect()
}

/// `([2, 3], [2])` for `([2, 3] float32 on cpu, [2] int64 on cpu)`.
fn without_types(text: &str) -> String {
    let mut result = String::new();
    let mut skips = false;
    for character in text.chars() {
        skips = skips && !matches!(character, ',' | ')');
        if !skips {
            result.push(character);
        }
        skips = skips || character == ']';
    }
    result.strip_prefix("list of ").unwrap_or(&result).to_owned()
}

/// Whether a revealed text has no variable in it.
fn is_concrete(shown: &str) -> bool {
    shown.contains('[') && !shown.contains(|character: char| character.is_alphabetic() || character == '…')
}

/// A recorded result in the form in which results are revealed.
fn expected(shape: &serde_json::Value) -> String {
    use serde_json::Value;
    match shape {
        Value::Array(dims) => {
            let dims: Vec<String> = dims.iter().map(Value::to_string).collect();
            format!("[{}]", dims.join(", "))
        }
        Value::Object(object) => {
            if let Some(Value::Array(items)) = object.get("t") {
                let items: Vec<String> = items.iter().map(expected).collect();
                return format!("({})", items.join(", "));
            }
            if let Some(size) = object.get("size") {
                return expected(size);
            }
            match object.get("v") {
                Some(Value::Null) | None => "None".to_owned(),
                Some(Value::String(text)) => text.clone(),
                Some(Value::Bool(value)) => if *value { "True" } else { "False" }.to_owned(),
                Some(number) => number.to_string(),
            }
        }
        other => other.to_string(),
    }
}
