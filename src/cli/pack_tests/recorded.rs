//! Recorded calls: what the real library answered to single expressions. Each is replayed as a small program through the whole analysis, and what Harp
//! says of it is right, not known, or wrong.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use rayon::prelude::*;
use serde::Deserialize;
use serde_json::Value;

use harp_corpus::NamedPath;
use harp_report::{REVEAL_RULE, Severity, UserError, terminal_escape};

use super::cases::{Case, File};
use super::{Analysed, Bench};
use crate::project_folders::shown;

/// A larger file is refused.
const LARGEST_FILE: u64 = 64 << 20;

/// A line of the file: a call, or what all calls below import.
#[derive(Deserialize)]
struct Line {
    /// Statements before the expression.
    imports: Option<String>,
    /// One expression.
    code: Option<String>,
    /// The API that it is about.
    op: Option<String>,
    /// Whether the library accepts it.
    ok: Option<bool>,
    /// The result: a list of sizes for a tensor, `{"t": […]}` for several.
    #[serde(default)]
    shape: Value,
    /// The element type of a tensor.
    dtype: Option<String>,
    /// The parameters of a function around the expression: `[[name, type, sizes], …]`, where a size, or all of them, may be `null`.
    #[serde(default)]
    args: Value,
    /// How a parameter is made in the program: a template with `{dtype}` and `{shape}`. It holds for the lines below it, as `imports` does.
    parameter: Option<String>,
    /// Whether a run with tensors of some sizes went well, where the call itself was only traced.
    run_ok: Option<bool>,
    /// What that run gave.
    #[serde(default)]
    run_shape: Value,
}

/// How often Harp says of an API's calls what the library does.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    pub right: usize,
    pub unknown: usize,
    pub wrong: usize,
}

/// What came of a file of recorded calls.
#[derive(Debug, Default)]
pub struct Recorded {
    pub apis: BTreeMap<String, Counts>,
    /// The wrong ones, each with its place.
    pub wrong: Vec<String>,
    /// Calls that are not single expressions, or of which nothing was recorded.
    pub left_out: usize,
}

impl Recorded {
    pub fn totals(&self) -> Counts {
        self.apis.values().fold(Counts::default(), |sum, it| Counts {
            right: sum.right + it.right,
            unknown: sum.unknown + it.unknown,
            wrong: sum.wrong + it.wrong,
        })
    }
}

enum Answer {
    Right,
    Unknown,
    Wrong(String),
}

/// Replays the calls of a file.
pub fn replay(bench: &Bench<'_>, file: &NamedPath) -> Result<Recorded, UserError> {
    let name = shown(&file.path);
    let unreadable = |reason: String| UserError::new(format!("{}: {reason}", terminal_escape::line(&name)));
    let text = file.read_utf8(LARGEST_FILE).map_err(|error| unreadable(error.to_string()))?;
    let mut recorded = Recorded::default();
    let mut imports = String::new();
    let mut parameter = None;
    let mut calls = Vec::new();
    for (index, text) in text.lines().enumerate().filter(|(_, text)| !text.trim().is_empty()) {
        let line: Line = serde_json::from_str(text)
            .map_err(|error| unreadable(format!("line {} is no recorded call: {error}", index + 1)))?;
        match (&line.code, line.ok) {
            (None, None) if line.imports.is_some() => {
                imports = line.imports.unwrap_or_default();
                parameter = line.parameter.or(parameter);
            }
            (Some(code), Some(ok)) => {
                let template = line.parameter.as_ref().or(parameter.as_ref());
                let Some(parameters) = parameters(&line.args, template.map(String::as_str)) else {
                    recorded.left_out += 1;
                    continue;
                };
                let before = line.imports.as_deref().unwrap_or(&imports);
                let program = format!("{before}\n{parameters}reveal_type({code})\n");
                calls.push((index + 1, program, ok, line));
            }
            _ => recorded.left_out += 1,
        }
    }
    let answers: Vec<Answer> =
        calls.par_iter().map(|(number, program, ok, line)| answer(bench, *number, program, *ok, line)).collect();
    for ((number, _, _, line), answer) in calls.iter().zip(answers) {
        let api = line.op.clone().unwrap_or_else(|| "other calls".to_owned());
        let counts = recorded.apis.entry(api).or_default();
        match answer {
            Answer::Right => counts.right += 1,
            Answer::Unknown => counts.unknown += 1,
            Answer::Wrong(reason) => {
                counts.wrong += 1;
                let code = line.code.as_deref().unwrap_or_default();
                recorded.wrong.push(format!("{name}:{number}: `{code}`: {reason}"));
            }
        }
    }
    Ok(recorded)
}

fn answer(bench: &Bench<'_>, number: usize, program: &str, ok: bool, line: &Line) -> Answer {
    let files = vec![File { name: "main.py".to_owned(), line: number, text: program.to_owned() }];
    let case = Case { files, data: Vec::new(), configuration: None, arguments: None };
    let analysed = match catch_unwind(AssertUnwindSafe(|| bench.analyse(&case))) {
        Ok(Ok(analysed)) => analysed,
        Ok(Err(failure)) => return Answer::Wrong(failure.message.unwrap_or_default()),
        Err(_) => return Answer::Wrong("the analysis failed".to_owned()),
    };
    let error = analysed.findings.iter().find(|finding| finding.severity == Severity::Error);
    match (ok, error) {
        (false, Some(_)) => Answer::Right,
        (false, None) => Answer::Unknown,
        // Tracing accepts it, and with these sizes it failed when it was run.
        (true, Some(_)) if line.run_ok == Some(false) => Answer::Right,
        (true, Some(error)) => Answer::Wrong(format!("the library accepts it, and here it fails: {}", error.message)),
        (true, None) => compare(line, &revealed(&analysed)),
    }
}

fn revealed(analysed: &Analysed) -> String {
    let found = analysed.findings.iter().find(|finding| finding.rule == REVEAL_RULE);
    found.map(|finding| finding.message.clone()).unwrap_or_default()
}

/// The statements that make the parameters of a function around a call; `None` where nothing tells how one is made.
fn parameters(args: &Value, template: Option<&str>) -> Option<String> {
    if args.is_null() {
        return Some(String::new());
    }
    let mut statements = String::new();
    for parameter in args.as_array()? {
        let (name, dtype) = (parameter.get(0)?.as_str()?, parameter.get(1)?.as_str()?);
        let shape = match parameter.get(2)? {
            Value::Array(sizes) => {
                let size = |size: &Value| size.as_u64().map_or_else(|| "None".to_owned(), |size| size.to_string());
                format!("[{}]", sizes.iter().map(size).collect::<Vec<_>>().join(", "))
            }
            _ => "None".to_owned(),
        };
        let is_name = !name.is_empty() && name.chars().all(|character| character.is_alphanumeric() || character == '_');
        let made = template?.replace("{dtype}", dtype).replace("{shape}", &shape).replace("{name}", name);
        statements.push_str(&format!("{} = {made}\n", is_name.then_some(name)?));
    }
    Some(statements)
}

/// Compares a number, or a shape as a value, with what is revealed of it; `None` where the result is something else.
fn compare_numbers(line: &Line, found: &str) -> Option<Answer> {
    let parts = line.shape.as_object()?;
    let expected: Vec<Value> = match (parts.get("v"), parts.get("size")) {
        (Some(number), _) if number.is_i64() => vec![number.clone()],
        (_, Some(sizes)) => sizes.as_array()?.clone(),
        _ => return None,
    };
    let inner = found.trim_matches(|character| matches!(character, '(' | ')' | '[' | ']'));
    let numbers: Vec<&str> = inner.split(',').map(str::trim).filter(|number| !number.is_empty()).collect();
    let parsed: Option<Vec<i64>> = numbers.iter().map(|number| number.parse().ok()).collect();
    let Some(parsed) = parsed else { return Some(Answer::Unknown) };
    let differs = |(expected, found): (&Value, &i64)| expected.as_i64().is_some_and(|expected| expected != *found);
    let is_wrong = parsed.len() != expected.len() || expected.iter().zip(&parsed).any(differs);
    Some(match is_wrong {
        true => Answer::Wrong(format!("the library gives {}, and here it is {found}", line.shape)),
        false => Answer::Right,
    })
}

/// Compares a dict of tensors with what is revealed of it; `None` where the result is something else.
fn compare_dicts(line: &Line, found: &str) -> Option<Answer> {
    let entries = line.shape.as_object()?.get("d")?.as_object()?;
    let mut answer = Answer::Right;
    for (key, expected) in entries {
        let behind = found.split_once(&format!("\"{key}\": [")).and_then(|(_, behind)| behind.split_once(']'));
        match (behind, expected.as_array()) {
            (Some((sizes, _)), Some(expected)) => match fits(expected, sizes) {
                Some(true) => {}
                Some(false) => {
                    return Some(Answer::Wrong(format!("the library gives {}, and here it is {found}", line.shape)));
                }
                None => answer = Answer::Unknown,
            },
            _ => answer = Answer::Unknown,
        }
    }
    Some(answer)
}

/// Compares a result with what is revealed of it.
fn compare(line: &Line, found: &str) -> Answer {
    if let Some(answer) = compare_dicts(line, found) {
        return answer;
    }
    if let Some(answer) = compare_numbers(line, found) {
        return answer;
    }
    // The library does not know the number of dimensions either.
    if line.shape.as_str() == Some("?") && bracketed(found).len() <= 1 {
        return Answer::Right;
    }
    let mut expected = Vec::new();
    let all = shapes_in(&line.shape, &mut expected);
    let groups: Vec<(&str, &str)> = bracketed(found);
    // Of values that are no tensors, and of one of several, nothing is told here.
    if all.is_none() || expected.is_empty() || groups.len() != expected.len() || found.contains(" or ") {
        return Answer::Unknown;
    }
    let mut answer = Answer::Right;
    let run = line.run_shape.as_array().filter(|_| groups.len() == 1);
    for (expected, (sizes, _)) in expected.iter().zip(&groups) {
        // What was not known when the call was traced is as it was when it was run, if it is told at all.
        if let Some(run) = run
            && fits(run, sizes) == Some(false)
        {
            return Answer::Wrong(format!("a run gives {}, and here it is {found}", line.run_shape));
        }
        match fits(expected, sizes) {
            Some(true) => {}
            Some(false) => return Answer::Wrong(format!("the library gives {}, and here it is {found}", line.shape)),
            None => answer = Answer::Unknown,
        }
    }
    let dtype = groups.first().map(|(_, dtype)| *dtype).filter(|dtype| groups.len() == 1 && *dtype != "unknown");
    match (line.dtype.as_deref(), dtype) {
        (Some(expected), Some(found)) if expected != found => {
            Answer::Wrong(format!("the library gives {expected}, and here it is {found}"))
        }
        _ => answer,
    }
}

/// The shapes in a recorded result, in order; `None` where something else is in it.
fn shapes_in<'v>(result: &'v Value, shapes: &mut Vec<&'v [Value]>) -> Option<()> {
    match result {
        Value::Array(sizes) => {
            let are_sizes = sizes.iter().all(|size| size.is_null() || size.is_u64());
            are_sizes.then(|| shapes.push(sizes))
        }
        Value::Object(parts) => {
            let items = parts.get("t")?.as_array()?;
            items.iter().try_for_each(|item| shapes_in(item, shapes))
        }
        _ => None,
    }
}

/// What stands between brackets, and the word behind each.
fn bracketed(text: &str) -> Vec<(&str, &str)> {
    let parts = text.split('[').skip(1).filter_map(|part| part.split_once(']'));
    parts.map(|(sizes, behind)| (sizes, behind.split_whitespace().next().unwrap_or_default())).collect()
}

/// Whether sizes that are revealed are those that were recorded; `None` where that is not known. A size that was not recorded may be any.
fn fits(expected: &[Value], sizes: &str) -> Option<bool> {
    let sizes: Vec<&str> = sizes.split(", ").filter(|size| !size.is_empty()).collect();
    if sizes.iter().any(|size| size.contains(['*', '…']) || size.contains("..")) {
        return None;
    }
    if sizes.len() != expected.len() {
        return Some(false);
    }
    let mut known = Some(true);
    for (expected, size) in expected.iter().zip(sizes) {
        match (expected.as_u64(), size.parse::<u64>()) {
            (Some(expected), Ok(size)) if expected != size => return Some(false),
            (Some(_), Err(_)) => known = None,
            _ => {}
        }
    }
    known
}
