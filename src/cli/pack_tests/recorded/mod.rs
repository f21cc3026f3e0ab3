//! Recorded calls: what the real library answered to single expressions. They are replayed through the whole analysis, many in one program, and what
//! Harp says of each is known and right, not known, or wrong.

mod compare;
mod programs;
mod revealed;

use std::collections::BTreeMap;
use std::ops::AddAssign;

use serde::Deserialize;
use serde_json::Value;

use harp_corpus::NamedPath;
use harp_report::{UserError, terminal_escape};

use super::Bench;
use crate::project_folders::shown;
use programs::Call;

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
    /// An expression with `{code}` in it that gives what is in an object, where the object's class does not tell. It holds for the lines below it, too.
    content: Option<String>,
    /// Whether a run with tensors of some sizes went well, where the call itself was only traced.
    run_ok: Option<bool>,
    /// Whether the shape depends on the values of elements.
    #[serde(default)]
    value_dependent: bool,
    /// What that run gave.
    #[serde(default)]
    run_shape: Value,
}

/// How often Harp says of calls what the library does.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// Accepted, with the same result.
    pub known: usize,
    /// Accepted, and less is known of the result.
    pub unknown: usize,
    /// As `unknown`, where the shape depends on the values of elements.
    pub open: usize,
    /// Accepted, with another result.
    pub wrong: usize,
    /// Accepted, and an error here.
    pub refused_here: usize,
    /// Refused, and an error here.
    pub reported: usize,
    /// Refused, and no error here.
    pub missed: usize,
}

impl Counts {
    fn add(&mut self, answer: &Answer) {
        *match answer {
            Answer::Known => &mut self.known,
            Answer::Unknown(_) => &mut self.unknown,
            Answer::Open => &mut self.open,
            Answer::Wrong(_) => &mut self.wrong,
            Answer::RefusedHere(_) => &mut self.refused_here,
            Answer::Reported => &mut self.reported,
            Answer::Missed => &mut self.missed,
        } += 1;
    }

    /// Those that the library accepts and whose shapes depend on no values, as far as is known.
    pub fn accepted(&self) -> usize {
        self.known + self.unknown + self.wrong + self.refused_here
    }

    pub fn refused(&self) -> usize {
        self.reported + self.missed
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, more: Counts) {
        self.known += more.known;
        self.unknown += more.unknown;
        self.open += more.open;
        self.wrong += more.wrong;
        self.refused_here += more.refused_here;
        self.reported += more.reported;
        self.missed += more.missed;
    }
}

/// What came of a file of recorded calls.
#[derive(Debug, Default)]
pub struct Recorded {
    pub apis: BTreeMap<String, Counts>,
    /// The wrong ones, each with its place.
    pub wrong: Vec<String>,
    /// Those of which less is said than the library says.
    pub gaps: Vec<Gap>,
    /// Calls that are not single expressions, or of which nothing was recorded.
    pub left_out: usize,
}

/// A call of which less is said than the library says.
#[derive(Debug)]
pub struct Gap {
    /// Its line in the file.
    pub line: usize,
    pub code: String,
    /// What is said of its result; `None` where the library refuses the call.
    pub found: Option<String>,
}

impl Recorded {
    pub fn totals(&self) -> Counts {
        let mut totals = Counts::default();
        self.apis.values().for_each(|counts| totals += *counts);
        totals
    }

    fn add(&mut self, file: &str, call: &Call, answer: Answer) {
        let api = call.recorded.op.clone().unwrap_or_else(|| "other calls".to_owned());
        self.apis.entry(api).or_default().add(&answer);
        let code = call.recorded.code.clone().unwrap_or_default();
        match answer {
            Answer::Known | Answer::Reported | Answer::Open => {}
            Answer::Unknown(found) => self.gaps.push(Gap { line: call.line, code, found: Some(found) }),
            Answer::Missed => self.gaps.push(Gap { line: call.line, code, found: None }),
            Answer::Wrong(reason) | Answer::RefusedHere(reason) => {
                self.wrong.push(format!("{file}:{}: `{code}`: {reason}", call.line));
            }
        }
    }
}

/// What Harp says of a call, beside what the library does.
#[derive(Debug)]
enum Answer {
    Known,
    /// With what is said of the result.
    Unknown(String),
    /// Less is known, and the shape depends on values.
    Open,
    /// With the difference.
    Wrong(String),
    /// With the error.
    RefusedHere(String),
    Reported,
    Missed,
}

impl Answer {
    fn is_right(&self) -> bool {
        matches!(self, Answer::Known | Answer::Reported | Answer::Open)
    }
}

/// Replays the calls of a file.
pub fn replay(bench: &Bench<'_>, file: &NamedPath) -> Result<Recorded, UserError> {
    let name = shown(&file.path);
    let unreadable = |reason: String| UserError::new(format!("{}: {reason}", terminal_escape::line(&name)));
    let text = file.read_utf8(LARGEST_FILE).map_err(|error| unreadable(error.to_string()))?;
    let mut recorded = Recorded::default();
    let mut imports = String::new();
    let mut parameter = None;
    let mut content = None;
    let mut calls = Vec::new();
    for (index, text) in text.lines().enumerate().filter(|(_, text)| !text.trim().is_empty()) {
        let line: Line = serde_json::from_str(text)
            .map_err(|error| unreadable(format!("line {} is no recorded call: {error}", index + 1)))?;
        match (&line.code, line.ok) {
            (None, None) if line.imports.is_some() => {
                imports = line.imports.unwrap_or_default();
                parameter = line.parameter.or(parameter);
                content = line.content.or(content);
            }
            (Some(_), Some(accepted)) => {
                let template = line.parameter.as_ref().or(parameter.as_ref());
                let Some(parameters) = parameters(&line.args, template.map(String::as_str)) else {
                    recorded.left_out += 1;
                    continue;
                };
                let imports = line.imports.clone().unwrap_or_else(|| imports.clone());
                let content = line.content.as_ref().or(content.as_ref());
                let content = content.zip(line.code.as_deref()).map(|(content, code)| content.replace("{code}", code));
                calls.push(Call { line: index + 1, imports, parameters, accepted, content, recorded: line });
            }
            _ => recorded.left_out += 1,
        }
    }
    for (call, answer) in calls.iter().zip(programs::answers(bench, &calls)) {
        recorded.add(&name, call, answer);
    }
    Ok(recorded)
}

/// The statements that make the parameters of a function around a call; `None` where nothing tells how one is made.
fn parameters(args: &Value, template: Option<&str>) -> Option<Vec<String>> {
    if args.is_null() {
        return Some(Vec::new());
    }
    let mut statements = Vec::new();
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
        statements.push(format!("{} = {made}", is_name.then_some(name)?));
    }
    Some(statements)
}
