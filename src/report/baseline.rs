//! Findings that a project knows of: those that were there when somebody began to look. A run reports what came since.
//!
//! A finding is known again by its rule and what it is about: the code that it points to, without what formatters change, and the line's
//! fingerprint. Lines may move, files may get other names, and code other line breaks, quotes and brackets. Each known finding stands for one.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::finding::Finding;
use crate::pairing::Pairing;
use crate::sources::Sources;

/// The only form so far.
const VERSION: u32 = 1;
/// Longer code is cut: its beginning tells it well enough.
const LONGEST_CODE: usize = 400;

/// What is kept of a finding.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Known {
    /// Within the project, with `/`; what is no UTF-8 is replaced.
    pub path: String,
    pub rule: String,
    /// The code that it points to, without blanks, quotes, commas and brackets.
    pub code: String,
    /// The message, for readers.
    pub message: String,
    pub fingerprint: String,
}

/// The findings that a project knows of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Baseline {
    findings: Vec<Known>,
}

/// What a baseline is as a document.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document<'a> {
    version: u32,
    findings: Cow<'a, [Known]>,
}

/// What became of the known findings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compared {
    /// Findings that are known and were left out.
    pub known: usize,
    /// Known findings that are no more.
    pub gone: usize,
}

/// What a run looked at: of the rest nobody knows whether it is still there.
#[derive(Clone, Copy)]
pub struct LookedAt<'a> {
    /// Whether a file, by its path within the project, was checked or is no more.
    pub file: &'a dyn Fn(&str) -> bool,
    /// Whether a rule was asked for.
    pub rule: &'a dyn Fn(&str) -> bool,
}

impl LookedAt<'_> {
    /// Whatever there is.
    pub const EVERYTHING: LookedAt<'static> = LookedAt { file: &|_| true, rule: &|_| true };

    fn has(&self, known: &Known) -> bool {
        (self.file)(&known.path) && (self.rule)(&known.rule)
    }
}

impl Baseline {
    /// The baseline in which all these findings are known.
    pub fn of(findings: &[Finding], sources: &dyn Sources) -> Baseline {
        let mut findings: Vec<Known> = findings.iter().map(|finding| known(finding, sources)).collect();
        findings.sort();
        Baseline { findings }
    }

    /// How many findings it knows.
    pub fn len(&self) -> usize {
        self.findings.len()
    }

    /// Whether it knows none.
    pub fn is_empty(&self) -> bool {
        self.findings.is_empty()
    }

    /// Reads a baseline; where it is none, says why and at which line and column.
    pub fn parse(text: &str) -> Result<Baseline, (String, usize, usize)> {
        let document: Document<'_> =
            serde_json::from_str(text).map_err(|error| (error.to_string(), error.line(), error.column()))?;
        match document.version {
            VERSION => Ok(Baseline { findings: document.findings.into_owned() }),
            version => Err((format!("it has version {version}, and this Harp knows version {VERSION}"), 1, 1)),
        }
    }

    /// The document, a line a finding, so that changes are small and can be merged.
    pub fn text(&self) -> String {
        let mut text = format!("{{\"version\": {VERSION}, \"findings\": [");
        for (index, finding) in self.findings.iter().enumerate() {
            text.push_str(if index == 0 { "\n  " } else { ",\n  " });
            text.push_str(&serde_json::to_string(finding).unwrap_or_default());
        }
        text.push_str(if self.findings.is_empty() { "]}\n" } else { "\n]}\n" });
        text
    }

    /// With the findings of another one that a run did not look at.
    #[must_use]
    pub fn with_rest_of(mut self, old: Baseline, looked_at: &LookedAt<'_>) -> Baseline {
        self.findings.extend(old.findings.into_iter().filter(|known| !looked_at.has(known)));
        self.findings.sort();
        self.findings.dedup();
        self
    }

    /// Leaves out the findings that are known.
    pub fn leave_out(&self, findings: &mut Vec<Finding>, sources: &dyn Sources, looked_at: &LookedAt<'_>) -> Compared {
        let present: Vec<Known> = findings.iter().map(|finding| known(finding, sources)).collect();
        let mut pairing = Pairing::new(self.findings.len(), present.len());
        for key in [same_line, same_code_and_path] {
            pairing.by(|old| Some(key(&self.findings[old])), |new| Some(key(&present[new])));
        }
        // What is in a file that is still there, and was not checked, did not come from there.
        let may_have_moved = |old: &Known| (looked_at.file)(&old.path);
        pairing.by(
            |old| may_have_moved(&self.findings[old]).then(|| same_code(&self.findings[old])),
            |new| Some(same_code(&present[new])),
        );
        let mut known = pairing.old_of_new.iter();
        findings.retain(|_| known.next() == Some(&None));
        let is_gone = |(old, is_there): &(&Known, &bool)| !**is_there && looked_at.has(old);
        let gone = self.findings.iter().zip(&pairing.is_there).filter(is_gone).count();
        Compared { known: present.len() - findings.len(), gone }
    }
}

/// What two findings that are the same have in common.
type Key<'a> = (&'a str, &'a str, &'a str);

fn same_line(finding: &Known) -> Key<'_> {
    (&finding.rule, &finding.fingerprint, "")
}

fn same_code_and_path(finding: &Known) -> Key<'_> {
    (&finding.rule, &finding.code, &finding.path)
}

fn same_code(finding: &Known) -> Key<'_> {
    (&finding.rule, &finding.code, "")
}

/// What is kept of a finding.
pub(crate) fn known(finding: &Finding, sources: &dyn Sources) -> Known {
    let span = finding.primary.span;
    let text = sources.text(span.file).get(span.start as usize..span.end as usize).unwrap_or_default();
    Known {
        path: String::from_utf8_lossy(&sources.project_path(span.file)).into_owned(),
        rule: finding.rule.clone(),
        code: essence(text),
        message: finding.message.clone(),
        fingerprint: finding.fingerprint.clone(),
    }
}

/// Code without what formatters change: comments, blanks, line breaks, quotes, commas and brackets.
fn essence(code: &str) -> String {
    let without_comments = code.lines().map(|line| line.split_once(" #").map_or(line, |(code, _)| code));
    let kept = without_comments
        .flat_map(str::chars)
        .filter(|character| !character.is_whitespace() && !matches!(character, '"' | '\'' | ',' | '(' | ')' | '\\'));
    kept.take(LONGEST_CODE).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::{Label, Severity};
    use crate::fingerprint;
    use crate::sources::MemorySources;
    use harp_corpus::Span;

    /// The findings at each `f(…)` of a file, a line each.
    fn found(name: &str, text: &str) -> (Vec<Finding>, MemorySources) {
        let mut sources = MemorySources::new();
        let file = sources.add(name, text);
        let starts = text.match_indices("f(").map(|(start, _)| start);
        let mut findings: Vec<Finding> = starts
            .map(|start| {
                let end = text[start..].find(';').map_or(text.len(), |end| start + end);
                let span = Span::new(file, start as u32, end as u32);
                Finding::new("shape/mismatch", Severity::Error, "message", Label::new(span, ""))
            })
            .collect();
        fingerprint::assign(&mut findings, &sources);
        (findings, sources)
    }

    fn compared(old: (&str, &str), new: (&str, &str)) -> (usize, Compared) {
        let (findings, sources) = found(old.0, old.1);
        let baseline = Baseline::parse(&Baseline::of(&findings, &sources).text()).expect("a baseline");
        let (mut findings, sources) = found(new.0, new.1);
        let compared = baseline.leave_out(&mut findings, &sources, &LookedAt::EVERYTHING);
        (findings.len(), compared)
    }

    #[test]
    fn what_was_not_looked_at_is_neither_gone_nor_elsewhere() {
        let (old, sources) = found("a.py", "f(x);\n");
        let baseline = Baseline::of(&old, &sources);
        let (same_elsewhere, new_sources) = found("b.py", "f(x);\n");
        let other = |path: &str| path != "a.py";
        let only_other = LookedAt { file: &other, rule: &|_| true };
        let mut findings = same_elsewhere.clone();
        assert_eq!(baseline.leave_out(&mut findings, &new_sources, &only_other), Compared { known: 0, gone: 0 });
        assert_eq!(findings.len(), 1);
        let another_rule = LookedAt { file: &|_| true, rule: &|rule| rule == "perf/copy" };
        assert_eq!(baseline.leave_out(&mut Vec::new(), &new_sources, &another_rule), Compared { known: 0, gone: 0 });
        // What is forgotten is what was looked for.
        let rest = |looked_at| Baseline::default().with_rest_of(baseline.clone(), looked_at);
        assert_eq!(rest(&only_other), baseline);
        assert_eq!(rest(&another_rule), baseline);
        assert_eq!(rest(&LookedAt::EVERYTHING), Baseline::default());
        assert_eq!(Baseline::of(&old, &sources).with_rest_of(baseline.clone(), &only_other), baseline);
    }

    #[test]
    fn findings_are_known_again() {
        let old = ("a.py", "f(x, 'a');\n");
        let all = (0, Compared { known: 1, gone: 0 });
        assert_eq!(compared(old, old), all);
        assert_eq!(compared(old, ("a.py", "import b\n\n\nf(x, 'a');\n")), all);
        assert_eq!(compared(old, ("b.py", "y = f(x, 'a');\n")), all);
        assert_eq!(compared(old, ("b.py", "y = f(\n    x,  # the input\n    \"a\",\n);\n")), all);
    }

    #[test]
    fn others_are_new_and_old_ones_gone() {
        assert_eq!(compared(("a.py", "f(x);\n"), ("a.py", "f(y);\n")), (1, Compared { known: 0, gone: 1 }));
        assert_eq!(compared(("a.py", "f(x);\n"), ("a.py", "f(x);\nf(x);\n")), (1, Compared { known: 1, gone: 0 }));
        assert_eq!(compared(("a.py", "f(x);\nf(x);\n"), ("a.py", "f(x);\n")), (0, Compared { known: 1, gone: 1 }));
    }

    #[test]
    fn what_is_no_baseline_is_told_with_its_place() {
        assert_eq!(Baseline::parse("{\"version\": 1, \"findings\": [\n 3]}").map_err(|(_, line, _)| line), Err(2));
        assert!(Baseline::parse("{\"version\": 2, \"findings\": []}").is_err());
        assert!(Baseline::parse("").is_err());
        assert!(Baseline::parse(&"[".repeat(100_000)).is_err());
        assert_eq!(Baseline::parse(&Baseline::default().text()), Ok(Baseline::default()));
    }
}
