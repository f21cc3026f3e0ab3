//! Findings for other systems: GitLab's code quality, and JUnit's XML.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde_json::json;

use super::finding::{Finding, Severity};
use super::text::place;
use crate::{Report, fingerprint, terminal_escape};

/// GitLab's code quality report: <https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format>.
pub fn gitlab(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    let issues = report.findings.iter().map(|finding| {
        let span = finding.primary.span;
        let [start, end] = [span.start, span.end].map(|offset| report.sources.position(span.file, offset));
        json!({
            "description": finding.message,
            "check_name": finding.rule,
            "fingerprint": finding.fingerprint,
            "severity": gitlab_severity(finding),
            "location": {
                "path": report.sources.name(span.file),
                "lines": { "begin": start.line, "end": end.line },
            },
        })
    });
    // What is about no file has no place there.
    let notices = report.summary.notices.iter().filter_map(|notice| {
        Some(json!({
            "description": notice.text,
            "check_name": "harp/notice",
            "fingerprint": fingerprint::of_text(&notice.text),
            "severity": "info",
            "location": { "path": notice.file.as_ref()?, "lines": { "begin": 1 } },
        }))
    });
    let issues: Vec<serde_json::Value> = issues.chain(notices).collect();
    super::json::write(&issues, out)
}

fn gitlab_severity(finding: &Finding) -> &'static str {
    match finding.severity {
        Severity::Error if finding.certain() => "critical",
        Severity::Error => "major",
        Severity::Warning => "minor",
        Severity::Note => "info",
    }
}

/// JUnit's XML as Jenkins and others read it: a suite a file, a failed case a finding; where there is none, a case that passed.
/// Jenkins refuses attributes that its schema does not have, such as the line of a case.
pub fn junit(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut files: BTreeMap<&str, Vec<&Finding>> = BTreeMap::new();
    for finding in report.findings {
        files.entry(report.sources.name(finding.primary.span.file)).or_default().push(finding);
    }
    let notices = &report.summary.notices;
    let has_own_case = report.findings.is_empty() || !notices.is_empty();
    let (tests, failures) = (report.findings.len() + usize::from(has_own_case), report.findings.len());
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(out, "<testsuites name=\"harp\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\">")?;
    if has_own_case {
        let name = if files.is_empty() { "no findings" } else { "notes" };
        writeln!(out, "  <testsuite name=\"harp\" tests=\"1\" failures=\"0\" errors=\"0\">")?;
        writeln!(out, "    <testcase name=\"{name}\" classname=\"harp\"/>")?;
        if !notices.is_empty() {
            let told: Vec<String> = notices.iter().map(|notice| xml(&format!("note: {}", notice.text))).collect();
            writeln!(out, "    <system-out>{}</system-out>", told.join("&#10;"))?;
        }
        writeln!(out, "  </testsuite>")?;
    }
    for (file, findings) in files {
        let (name, count) = (xml(file), findings.len());
        writeln!(out, "  <testsuite name=\"{name}\" tests=\"{count}\" failures=\"{count}\" errors=\"0\">")?;
        for finding in findings {
            let place = place(finding.primary.span, report.sources);
            let (rule, message) = (xml(&finding.rule), xml(&finding.message));
            writeln!(out, "    <testcase name=\"{rule} {}\" classname=\"{name}\">", xml(&place))?;
            let kind = finding.severity;
            writeln!(out, "      <failure type=\"{kind}\" message=\"{message}\">{}</failure>", xml(&told(finding)))?;
            writeln!(out, "    </testcase>")?;
        }
        writeln!(out, "  </testsuite>")?;
    }
    writeln!(out, "</testsuites>")
}

/// What is told of a finding beside its message.
fn told(finding: &Finding) -> String {
    let condition = finding.condition.iter().map(|condition| format!("fails when {condition}"));
    let assumptions = finding.assumptions.iter().map(|assumption| format!("assumes that {}", assumption.text));
    let help = finding.help.iter().map(|help| format!("help: {help}"));
    condition.chain(finding.notes.iter().cloned()).chain(assumptions).chain(help).collect::<Vec<_>>().join("\n")
}

/// A text within XML. What XML cannot hold is written out.
fn xml(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in terminal_escape::message(text).chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' => escaped.push_str("&#10;"),
            '\u{fffe}' | '\u{ffff}' => escaped.extend(character.escape_unicode()),
            other => escaped.push(other),
        }
    }
    escaped
}
