//! The reports of `harp check`, each in its form and at its place.

use std::io::{self, Write};

use harp_report::coverage::{self, Coverage};
use harp_report::text::{self, Detail, TextOptions};
use harp_report::{Notation, Report, UserError, code_quality, json, line_formats, pages, sarif, sort_by_saving};

use super::explain;
use super::options::{CheckOptions, ColorChoice, OutputFormat, SortOrder};
use super::output_argument::Output;
use super::pipeline::Analysis;

/// Writes all of them: one that cannot be written keeps none of the others from it.
///
/// # Errors
///
/// What could not be written.
pub(super) fn write(
    analysis: &Analysis,
    options: &CheckOptions,
    outputs: &[Output<OutputFormat>],
    color: ColorChoice,
) -> Result<(), Vec<UserError>> {
    let report = analysis.report();
    // Pages and documents go through the files.
    let mut by_saving = Vec::new();
    if options.sort == SortOrder::Saving {
        by_saving.clone_from(&analysis.findings);
        sort_by_saving(&mut by_saving);
    }
    let ranked = Report { findings: &by_saving, ..analysis.report() };
    let coverage = analysis.coverage.as_ref();
    let written = outputs.iter().filter_map(|Output { format, destination }| {
        let text = TextOptions {
            color: destination.color(color),
            detail: detail(options),
            width: destination.width(options.report.width),
            shows_savings: options.verbose || options.sort == SortOrder::Saving,
        };
        let notation = match format {
            OutputFormat::Github => Notation::Commands,
            _ => Notation::Text(text.color),
        };
        let write = |out: &mut dyn Write| match coverage {
            Some(coverage) => render_coverage(coverage, analysis, options, *format, out),
            None if options.sort == SortOrder::Saving && !EXPLAINING_FORMATS.contains(format) => {
                render(&ranked, analysis, options, *format, text, out)
            }
            None => render(&report, analysis, options, *format, text, out),
        };
        destination.write_as(notation, write).err()
    });
    let errors: Vec<UserError> = written.collect();
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// The forms that tell what was followed.
pub(super) const COVERAGE_FORMATS: [OutputFormat; 2] = [OutputFormat::Text, OutputFormat::Json];

/// The forms that tell why findings are there.
pub(super) const EXPLAINING_FORMATS: [OutputFormat; 2] = [OutputFormat::Html, OutputFormat::Markdown];

fn render_coverage(
    coverage: &Coverage,
    analysis: &Analysis,
    options: &CheckOptions,
    format: OutputFormat,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (skipped, sources) = (&analysis.summary.skipped, &analysis.corpus);
    match format {
        OutputFormat::Json => coverage::json(coverage, skipped, sources, out),
        _ => coverage::text(coverage, skipped, sources, options.verbose, out),
    }
}

/// How much of a report is written.
fn detail(options: &CheckOptions) -> Detail {
    match (options.verbose, options.quiet) {
        (true, _) => Detail::Full,
        (_, true) => Detail::Quiet,
        _ => Detail::Brief,
    }
}

fn render(
    report: &Report<'_>,
    analysis: &Analysis,
    options: &CheckOptions,
    format: OutputFormat,
    text: TextOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let detail = text.detail;
    match format {
        OutputFormat::Text | OutputFormat::Concise if options.statistics => {
            line_formats::statistics(report, out)?;
            text::summary(report, detail, out)?;
            text::not_analysed(report, detail, out)
        }
        OutputFormat::Text => {
            text::render(report, text, out)?;
            let invitation = explain::invitation(report.findings, &options.input).filter(|_| detail != Detail::Quiet);
            invitation.map_or(Ok(()), |line| writeln!(out, "{line}"))?;
            text::not_analysed(report, detail, out)
        }
        OutputFormat::Concise => {
            line_formats::concise(report, out)?;
            text::summary(report, detail, out)?;
            text::not_analysed(report, detail, out)
        }
        OutputFormat::JsonLines => json::render_lines(report, detail, out),
        OutputFormat::Github => line_formats::github(report, out),
        OutputFormat::Gitlab => code_quality::gitlab(report, out),
        OutputFormat::Junit => code_quality::junit(report, out),
        OutputFormat::Json if options.profile => {
            json::render_with(report, detail, &[("profile", analysis.profile.json())], out)
        }
        OutputFormat::Json => json::render(report, detail, out),
        OutputFormat::Sarif => sarif::render(report, detail, out),
        OutputFormat::Html => pages::html::render(report, detail, out),
        OutputFormat::Markdown => pages::markdown::render(report, detail, out),
    }
}
