//! A report as a page: one file that needs no network, works without its script, and runs no other script than that.

use std::collections::BTreeSet;
use std::io::{self, Write};

use minijinja::context;
use minijinja::value::{Serde, Value};

use crate::fingerprint::Prefixes;
use crate::text::{Color, Detail};
use crate::{Finding, Report};

use super::details::Detailer;
use super::overview::{NumberedAssumptions, Overview};
use super::templates::{self, SCRIPT, STYLE};

/// What the Content-Security-Policy calls style sheet and script; a test says what they are.
const STYLE_HASH: &str = "sha256-t9mLTD+fEZhtrU9+JjrGMyDfhQOkrgd1Dr2iG51FDX0=";
const SCRIPT_HASH: &str = "sha256-22HYopnTmrmOhtdIF4cHp9oOFVWIxg5Zni8DN6dZd7o=";

/// In reports of more findings, a browser reads the details of one when it is opened: they are in `noscript`, whose content is no element where
/// scripts run.
const MOST_READ_AT_ONCE: usize = 300;
/// So many findings are open from the start.
const MOST_OPEN: usize = 25;

/// Writes the page.
pub fn render(report: &Report<'_>, detail: Detail, out: &mut dyn Write) -> io::Result<()> {
    let environment = templates::environment()?;
    let anchors = anchors(report.findings);
    let assumptions = NumberedAssumptions::of(report.findings);
    let overview = Overview::of(report, &anchors, &assumptions, detail);
    let page = context! {
        overview => Value::from(Serde(&overview)),
        style => Value::from_safe_string(STYLE.to_owned()),
        style_hash => STYLE_HASH,
        script_hash => SCRIPT_HASH,
    };
    templates::write(&environment, "start.html", page, out)?;
    let prefixes = Prefixes::new(report.findings);
    let detailer = Detailer { report, assumptions: &assumptions, color: Color::Always };
    let is_lazy = report.findings.len() > MOST_READ_AT_ONCE;
    for (index, (finding, anchor)) in report.findings.iter().zip(&anchors).enumerate() {
        let details = detailer.details(index, anchor, prefixes.of(finding));
        let is_open = index < MOST_OPEN && !is_lazy;
        let is_first = index == 0;
        let values = context! { finding => Value::from(Serde(&details)), is_first, is_lazy, is_open };
        templates::write(&environment, "finding.html", values, out)?;
    }
    let has_findings = !report.findings.is_empty();
    let script = Value::from_safe_string(SCRIPT.to_owned());
    templates::write(&environment, "end.html", context! { script, has_findings }, out)
}

/// The anchors of the findings, each once: they stay as long as the finding.
fn anchors(findings: &[Finding]) -> Vec<String> {
    let prefixes = Prefixes::new(findings);
    let mut taken = BTreeSet::new();
    let anchor = |(index, finding): (usize, &Finding)| {
        let own = format!("f-{}", prefixes.of(finding));
        if !finding.fingerprint.is_empty() && taken.insert(own.clone()) { own } else { format!("n-{index}") }
    };
    findings.iter().enumerate().map(anchor).collect()
}
