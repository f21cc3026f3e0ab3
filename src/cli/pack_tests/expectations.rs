//! `harp test`: reads what the comments of a Python block expect.

use harp_report::Severity;

use super::Failure;

/// A statement about one line of a file.
#[derive(Debug, PartialEq, Eq)]
pub struct Expectation {
    /// The line of the file that it speaks of, from 1.
    pub line: usize,
    /// The line of the file that it stands on, from 1.
    pub stands_on: usize,
    pub what: What,
    /// As it is written, without the `#`.
    pub stated: String,
}

#[derive(Debug, PartialEq, Eq)]
pub enum What {
    /// A finding; where given, of this severity, of this rule, and with this in its message.
    Finding { severity: Option<Severity>, rule: Option<String>, text: Option<String> },
    /// A `reveal_type` with this in its message.
    Revealed(String),
    /// An assumption with this in it.
    Assumes(String),
    /// A finding that says what its rewrite saves, with this in it.
    Saves(String),
    /// An entry whose verdict begins so.
    Verdict(String),
    /// A requirement that a filter of this name silences.
    Silenced(String),
    /// A signature that Harp infers for the function that is defined there.
    Signature(String),
    /// No finding.
    Nothing,
    /// No finding of this rule.
    Silent(String),
}

impl What {
    /// The rule that the statement names.
    pub fn rule(&self) -> Option<&str> {
        match self {
            What::Finding { rule, .. } => rule.as_deref(),
            What::Silent(rule) => Some(rule),
            _ => None,
        }
    }

    pub fn rule_mut(&mut self) -> Option<&mut String> {
        match self {
            What::Finding { rule, .. } => rule.as_mut(),
            What::Silent(rule) => Some(rule),
            _ => None,
        }
    }
}

const KEYWORDS: [&str; 11] =
    ["error", "warning", "note", "expect", "revealed", "assumes", "saves", "verdict", "silenced", "signature", "ok"];

/// Reads the comments. A comment alone on its line speaks of the next line of code. `first_line` is where the text begins in the
/// Markdown file.
pub fn parse(text: &str, first_line: usize, failures: &mut Vec<Failure>) -> Vec<Expectation> {
    let mut expectations = Vec::new();
    let mut waiting: Vec<Expectation> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let here = index + 1;
        let mut stated = Vec::new();
        for (keyword, body) in comments(line) {
            match statement(keyword, body) {
                Ok(what) => {
                    let separator = if body.is_empty() { "" } else { ": " };
                    let written = format!("{keyword}{separator}{body}");
                    stated.push(Expectation { line: here, stands_on: here, what, stated: written });
                }
                Err(message) => failures.push(Failure::new(first_line + index, message)),
            }
        }
        let is_code = !line.trim().is_empty() && !line.trim_start().starts_with('#');
        if is_code {
            waiting.iter_mut().for_each(|expectation| expectation.line = here);
            expectations.append(&mut waiting);
            expectations.append(&mut stated);
        } else {
            waiting.append(&mut stated);
        }
    }
    for expectation in waiting {
        failures.push(Failure::new(first_line + expectation.stands_on - 1, "no line of code follows this comment"));
    }
    expectations
}

/// Keyword and body of each statement in a line: `# error: … # assumes: …`.
fn comments(line: &str) -> Vec<(&'static str, &str)> {
    let mut starts: Vec<(usize, &'static str, usize)> = Vec::new();
    for (hash, _) in line.match_indices('#') {
        let rest = &line[hash + 1..];
        let comment = rest.trim_start();
        let body_of = |keyword: &&'static str| {
            let body = comment.strip_prefix(*keyword)?;
            let alone = body.trim_start().is_empty() || body.trim_start().starts_with('#');
            let complete = body.starts_with(':') || (*keyword == "ok" && alone);
            complete.then(|| line.len() - body.len() + usize::from(body.starts_with(':')))
        };
        if let Some((keyword, body)) = KEYWORDS.iter().find_map(|keyword| Some((*keyword, body_of(keyword)?))) {
            starts.push((hash, keyword, body));
        }
    }
    let ends = starts.iter().skip(1).map(|(hash, _, _)| *hash).chain([line.len()]);
    starts.iter().zip(ends).map(|((_, keyword, body), end)| (*keyword, line[*body..end].trim())).collect()
}

fn statement(keyword: &str, body: &str) -> Result<What, String> {
    let unquoted = || body.strip_prefix('"').and_then(|body| body.strip_suffix('"')).unwrap_or(body).to_owned();
    if body.is_empty() && keyword != "ok" && Severity::parse(keyword).is_none() {
        return Err(format!("`# {keyword}:` states nothing"));
    }
    match keyword {
        "ok" if body.is_empty() => Ok(What::Nothing),
        "ok" => silent(body),
        "expect" => of_rule(body),
        "revealed" => Ok(What::Revealed(unquoted())),
        "assumes" => Ok(What::Assumes(unquoted())),
        "saves" => Ok(What::Saves(unquoted())),
        "verdict" => Ok(What::Verdict(unquoted())),
        "silenced" => Ok(What::Silenced(unquoted())),
        "signature" => Ok(What::Signature(unquoted())),
        severity => finding(Severity::parse(severity), body),
    }
}

/// `rule`.
fn silent(body: &str) -> Result<What, String> {
    match body.contains(char::is_whitespace) {
        true => Err(format!("`{body}` is not the name of a rule")),
        false => Ok(What::Silent(body.to_owned())),
    }
}

/// `rule "text"`, the text optional.
fn of_rule(body: &str) -> Result<What, String> {
    let (rule, rest) = body.split_once(char::is_whitespace).unwrap_or((body, ""));
    match quoted(rest.trim()) {
        Some(text) => Ok(What::Finding { severity: None, rule: Some(rule.to_owned()), text }),
        None => Err(format!("`{body}` is not of the form rule \"text\"")),
    }
}

/// `[rule] "text"`, both optional.
fn finding(severity: Option<Severity>, body: &str) -> Result<What, String> {
    let malformed = || format!("`{body}` is not of the form [rule] \"text\"");
    let (rule, rest) = match body.strip_prefix('[') {
        Some(rest) => {
            let (rule, rest) = rest.split_once(']').ok_or_else(malformed)?;
            (Some(rule.to_owned()), rest.trim())
        }
        None => (None, body),
    };
    Ok(What::Finding { severity, rule, text: quoted(rest).ok_or_else(malformed)? })
}

/// A text in quotes, or nothing; `None` for anything else.
fn quoted(text: &str) -> Option<Option<String>> {
    match text {
        "" => Some(None),
        quoted => Some(Some(quoted.strip_prefix('"')?.strip_suffix('"')?.to_owned())),
    }
}
