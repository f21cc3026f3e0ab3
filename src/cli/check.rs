//! `harp check`.

use std::time::Instant;

use harp_report::text::{self, Detail, TextOptions};
use harp_report::{Severity, UserError, json, sarif};

use super::explain;
use super::options::{CheckOptions, ColorChoice, OutputFormat};
use super::output::{self, Destination};
use super::pipeline::{self, Analysis, AnalysisOptions};
use super::progress::Progress;
use crate::Outcome;

pub(super) fn run(options: CheckOptions, color: ColorChoice) -> Result<Outcome, UserError> {
    let explain_path = options.explain_path;
    let analysis_options = AnalysisOptions { explain_path, ..AnalysisOptions::new(&options.input)? };
    let destination = Destination::from(options.output);
    let progress = Progress::on_terminal();
    let analysis = pipeline::analyse(&analysis_options, &progress);
    drop(progress);
    output::show_errors(&analysis.errors, color);
    output::show_errors(&analysis.warnings, color);
    output::show_errors(&analysis.defects.messages(), color);
    let nothing_read = analysis.summary.files == 0;
    if nothing_read && !analysis.errors.is_empty() {
        return Ok(Outcome::Failed);
    }
    let started = Instant::now();
    let report = analysis.report();
    let detail = if options.verbose { Detail::Full } else { Detail::Brief };
    let text_options = TextOptions { color: destination.color(color), detail };
    destination.write(text_options.color, |out| match options.format {
        OutputFormat::Text => {
            text::render(&report, text_options, out)?;
            explain::invitation(report.findings).map_or(Ok(()), |line| writeln!(out, "{line}"))
        }
        OutputFormat::Json if options.profile => {
            json::render_with(&report, &[("profile", analysis.profile.json())], out)
        }
        OutputFormat::Json => json::render(&report, out),
        OutputFormat::Sarif => sarif::render(&report, out),
    })?;
    if options.profile && options.format != OutputFormat::Json {
        let mut profile = analysis.profile.clone();
        profile.phases.push(("report", started.elapsed()));
        profile.show();
    }
    Ok(outcome(&analysis))
}

/// Failed where something was not done that was asked for; else by the findings, of which notes do not count.
fn outcome(analysis: &Analysis) -> Outcome {
    let summary = &analysis.summary;
    let all_skipped = summary.files == 0 && !summary.skipped.is_empty();
    if !analysis.errors.is_empty() || all_skipped {
        Outcome::Failed
    } else if analysis.findings.iter().any(|finding| finding.severity != Severity::Note) {
        Outcome::Findings
    } else if !analysis.defects.is_empty() {
        // What Harp failed on is no clean part of a project.
        Outcome::Failed
    } else {
        Outcome::Clean
    }
}
