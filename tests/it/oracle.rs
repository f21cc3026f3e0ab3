//! Recorded results of real libraries against the whole analysis, each expression a line of a program: see `tests/data/README.md`.
//!
//! Every run replays the calls that libraries refuse and some that they accept; with `HARP_ALL_CALLS=1` it replays all.
//! `HARP_ORACLE=op` runs only the cases of operations whose name contains `op`, and prints what is not as it should be.
//! `HARP_ORACLE_FILES=a.jsonl,b.jsonl` runs other recordings, and only prints.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use harp::corpus::{Corpus, Span};
use harp::interp::{Options, analyse};
use harp::python::project::Project;

use crate::common::recorded_calls;

#[derive(serde::Deserialize)]
struct Case {
    op: String,
    code: String,
    ok: bool,
    shape: Option<serde_json::Value>,
    /// A name, or one for each item of a tuple.
    dtype: Option<serde_json::Value>,
    error: Option<String>,
    #[serde(default)]
    value_dependent: bool,
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
    /// As `Unknown`, where the shape depends on the values of elements.
    Open,
    /// Accepted by the library with another shape.
    Wrong,
    /// Accepted by the library with another element type.
    WrongType,
    /// Accepted by the library, and an error here.
    FalseAlarm,
    /// An error of the library, and here.
    Found,
    /// An error of the library, and none here.
    Missed,
}

const FILES: [&str; 9] = [
    "torch_ops.jsonl",
    "torch_rarer_ops.jsonl",
    "torch_again.jsonl",
    "torch_more.jsonl",
    "torch_wide.jsonl",
    "numpy.jsonl",
    "einops.jsonl",
    "vision.jsonl",
    "vision_models.jsonl",
];

/// Every case that is not known or is missed stands in this file, under the reason.
const GAPS: &str = "gaps.txt";

const HEADER: &str = "import torch, torch.nn as nn, torch.nn.functional as F; import torchvision, torchvision.ops as ops; \
    import torchvision.transforms as TT, torchvision.transforms.functional as TF, torchvision.transforms.v2 as T2; \
    import torchvision.transforms.v2.functional as T2F; import numpy as np; import einops, einops.layers.torch\n";

/// So many cases are one program.
const PROGRAM: usize = 50;

#[test]
fn the_analysis_agrees_with_the_recorded_results() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let mut failures = Vec::new();
    let gaps = read_gaps(&folder.join(GAPS));
    let mut found_gaps = BTreeSet::new();
    let wanted = std::env::var("HARP_ORACLE").ok();
    let others: Option<Vec<PathBuf>> =
        std::env::var("HARP_ORACLE_FILES").ok().map(|files| files.split(',').map(PathBuf::from).collect());
    let only_prints = wanted.is_some() || others.is_some();
    for file in others.unwrap_or_else(|| FILES.iter().map(|file| folder.join(file)).collect()) {
        let mut cases = read(&file);
        if let Some(wanted) = &wanted {
            cases.retain(|case| case.op.contains(wanted.as_str()));
        }
        let chosen = recorded_calls::chosen(&cases, |case| (case.ok && !only_prints, &case.op, &case.code));
        let mut counts: BTreeMap<Verdict, usize> = BTreeMap::new();
        for (program, chosen) in cases.chunks(PROGRAM).zip(chosen.chunks(PROGRAM)) {
            // In the programs of all cases, as some messages are told once a program.
            let program: Vec<&Case> = program.iter().zip(chosen).filter_map(|(case, is)| is.then_some(case)).collect();
            for (case, (verdict, detail)) in program.iter().zip(judge(&program)) {
                *counts.entry(verdict).or_default() += 1;
                if matches!(verdict, Verdict::Agree | Verdict::Found | Verdict::Open) {
                    continue;
                }
                let is_gap = matches!(verdict, Verdict::Unknown | Verdict::Missed);
                if is_gap && !only_prints {
                    found_gaps.insert(case.code.clone());
                }
                if !is_gap || only_prints || !gaps.contains(&case.code) {
                    let truth = case.shape.as_ref().map(expected).or(case.error.clone()).unwrap_or_default();
                    let types = case.dtype.as_ref().map(|dtype| format!(" {dtype}")).unwrap_or_default();
                    failures.push(format!(
                        "{verdict:?}: [{}] {} gives {detail}; in truth {truth}{types}",
                        case.op, case.code
                    ));
                }
            }
        }
        eprintln!("{}: {counts:?}", file.display());
    }
    if only_prints {
        failures.iter().for_each(|failure| eprintln!("{failure}"));
        return;
    }
    // What is said of a call may depend on those before it in its program.
    let closed = gaps.iter().filter(|code| recorded_calls::are_all() && !found_gaps.contains(*code));
    failures.extend(closed.map(|code| format!("no gap any more, take it off {GAPS}: {code}")));
    assert!(failures.is_empty(), "{failures:#?}");
}

fn read(path: &Path) -> Vec<Case> {
    let text = std::fs::read_to_string(path).expect("the recorded results are part of the repository");
    text.lines().map(|line| serde_json::from_str(line).expect("a case a line")).collect()
}

/// The expressions of the list of gaps: its lines that are no reasons.
fn read_gaps(path: &Path) -> BTreeSet<String> {
    let text = std::fs::read_to_string(path).expect("the list of gaps is part of the repository");
    let lines = text.lines().map(str::trim);
    lines.filter(|line| !line.is_empty() && !line.starts_with('#')).map(str::to_owned).collect()
}

/// Analyses a program that reveals one case a line.
fn judge(cases: &[&Case]) -> Vec<(Verdict, String)> {
    let lines: String = cases.iter().map(|case| format!("reveal_type({})\n", case.code)).collect();
    let corpus = Corpus::single("cases.py", &format!("{HEADER}{lines}")).with_libraries(harp::builtin::sources());
    let project = Project::build(&corpus);
    let trace = analyse((&corpus, &project), (harp::builtin::library(), harp::libraries::ALL), &Options::default());
    let case_at = |span: Span| {
        let line = corpus.file(span.file).map_or(1, |file| file.line_column(span.start).line) as usize;
        line.checked_sub(2)
    };
    let mut revealed: BTreeMap<usize, &str> = BTreeMap::new();
    for reveal in &trace.reveals {
        revealed.extend(case_at(reveal.span).map(|case| (case, reveal.text.as_str())));
    }
    let errors = trace.issues.iter().filter(|issue| issue.kind.is_error());
    let errors = errors.filter_map(|issue| Some((case_at(issue.span)?, issue.message.as_str())));
    // Some cases are no Python, as their recorded errors say.
    let broken = project.errors.iter().map(|(file, error)| (error.range.in_file(*file), error.message.as_str()));
    let broken = broken.filter_map(|(span, message)| Some((case_at(span)?, message)));
    let errors: BTreeMap<usize, &str> = broken.chain(errors).collect();
    let known: BTreeSet<usize> = revealed.keys().copied().collect();
    let one = |(index, case): (usize, &&Case)| {
        let full = revealed.get(&index).copied().unwrap_or_default();
        let shown = without_types(full);
        match (case.ok, errors.get(&index)) {
            (true, Some(message)) => (Verdict::FalseAlarm, (*message).to_owned()),
            (false, Some(message)) => (Verdict::Found, (*message).to_owned()),
            (false, None) => (Verdict::Missed, shown),
            (true, None) => {
                let truth = case.shape.as_ref().map(expected).unwrap_or_default();
                let is_known = known.contains(&index) && is_concrete(&shown);
                // A `torch.Size` is a tuple.
                let shown = if case.is_size() { shown.replace('(', "[").replace(')', "]") } else { shown };
                match shown == truth {
                    true if types_differ(full, case.dtype.as_ref()) => (Verdict::WrongType, full.to_owned()),
                    true => (Verdict::Agree, shown),
                    false if is_known => (Verdict::Wrong, shown),
                    false if case.value_dependent => (Verdict::Open, shown),
                    false => (Verdict::Unknown, shown),
                }
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

/// Whether the revealed element types, where they are known, are others than the recorded ones.
fn types_differ(revealed: &str, recorded: Option<&serde_json::Value>) -> bool {
    fn flatten<'v>(value: &'v serde_json::Value, into: &mut Vec<&'v str>) {
        match value {
            serde_json::Value::Array(items) => items.iter().for_each(|item| flatten(item, into)),
            serde_json::Value::String(name) => into.push(name),
            _ => {}
        }
    }
    let mut truth = Vec::new();
    recorded.into_iter().for_each(|recorded| flatten(recorded, &mut truth));
    let shown: Vec<&str> = revealed.match_indices(']').map(|(end, _)| type_after(&revealed[end + 1..])).collect();
    shown.len() == truth.len() && shown.iter().zip(truth).any(|(shown, truth)| !shown.is_empty() && *shown != truth)
}

/// `float32` at the beginning of ` float32 on cpu, …`.
fn type_after(text: &str) -> &str {
    let word = text.strip_prefix(' ').unwrap_or("").split([' ', ',', ')']).next().unwrap_or("");
    if matches!(word, "on" | "unknown") { "" } else { word }
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
