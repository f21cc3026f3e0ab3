//! What the comments of a Python block state.

use harp::report::Severity;

use super::Failure;

/// A statement about one line of a file.
#[derive(Debug, PartialEq, Eq)]
pub struct Expectation {
    /// The line of the file that it speaks of, from 1.
    pub line: usize,
    /// The line of the file that it stands on, from 1.
    pub stands_on: usize,
    pub what: What,
}

#[derive(Debug, PartialEq, Eq)]
pub enum What {
    /// A finding of this severity, and, where given, of this rule and with this in its message.
    Finding { severity: Severity, rule: Option<String>, text: Option<String> },
    /// A `reveal_type` with this in its message.
    Revealed(String),
    /// An assumption with this in it.
    Assumes(String),
    /// An entry whose verdict begins so.
    Verdict(String),
    /// A signature that Harp infers for the function that is defined there.
    Signature(String),
    /// No finding.
    Nothing,
}

const KEYWORDS: [&str; 8] = ["error", "warning", "note", "revealed", "assumes", "verdict", "signature", "ok"];

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
                Ok(what) => stated.push(Expectation { line: here, stands_on: here, what }),
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
            let complete = if *keyword == "ok" {
                body.trim_start().is_empty() || body.starts_with(" #")
            } else {
                body.starts_with(':')
            };
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
        "ok" => Ok(What::Nothing),
        "revealed" => Ok(What::Revealed(unquoted())),
        "assumes" => Ok(What::Assumes(unquoted())),
        "verdict" => Ok(What::Verdict(unquoted())),
        "signature" => Ok(What::Signature(unquoted())),
        severity => finding(Severity::parse(severity).ok_or("no severity")?, body),
    }
}

/// `[rule] "text"`, both optional.
fn finding(severity: Severity, body: &str) -> Result<What, String> {
    let malformed = || format!("`{body}` is not of the form [rule] \"text\"");
    let (rule, rest) = match body.strip_prefix('[') {
        Some(rest) => {
            let (rule, rest) = rest.split_once(']').ok_or_else(malformed)?;
            (Some(rule.to_owned()), rest.trim())
        }
        None => (None, body),
    };
    let text = match rest {
        "" => None,
        quoted => {
            Some(quoted.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).ok_or_else(malformed)?.to_owned())
        }
    };
    Ok(What::Finding { severity, rule, text })
}
