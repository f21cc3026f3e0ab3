//! A report as a Markdown document. Whatever is not Harp's own text stands in code.

use std::io::{self, Write};

use minijinja::context;
use minijinja::value::{Serde, Value};

use crate::Report;
use crate::fingerprint::Prefixes;
use crate::text::{Color, Detail};

use super::details::Detailer;
use super::overview::{NumberedAssumptions, Overview};
use super::templates;

/// Writes the document.
pub fn render(report: &Report<'_>, detail: Detail, out: &mut dyn Write) -> io::Result<()> {
    let environment = templates::environment()?;
    let assumptions = NumberedAssumptions::of(report.findings);
    let overview = Overview::of(report, &[], &assumptions, detail);
    templates::write(&environment, "start.md", context! { overview => Value::from(Serde(&overview)) }, out)?;
    let prefixes = Prefixes::new(report.findings);
    let detailer = Detailer { report, assumptions: &assumptions, color: Color::Never };
    for (index, finding) in report.findings.iter().enumerate() {
        let details = detailer.details(index, "", prefixes.of(finding));
        let values = context! { finding => Value::from(Serde(&details)), number => index + 1 };
        templates::write(&environment, "finding.md", values, out)?;
    }
    Ok(())
}
