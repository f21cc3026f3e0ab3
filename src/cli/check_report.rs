//! The reports of `harp check`, each in its form and at its place.

use std::io::{self, Write};

use harp_report::text::{self, Color, Detail, TextOptions};
use harp_report::{Notation, Report, UserError, code_quality, json, line_formats, sarif};

use super::explain;
use super::options::{CheckOptions, ColorChoice, OutputFormat};
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
    outputs: &[Output],
    color: ColorChoice,
) -> Result<(), Vec<UserError>> {
    let report = analysis.report();
    let written = outputs.iter().filter_map(|Output { format, destination }| {
        let color = destination.color(color);
        let notation = match format {
            OutputFormat::Github => Notation::Commands,
            _ => Notation::Text(color),
        };
        destination.write_as(notation, |out| render(&report, analysis, options, *format, color, out)).err()
    });
    let errors: Vec<UserError> = written.collect();
    if errors.is_empty() { Ok(()) } else { Err(errors) }
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
    color: Color,
    out: &mut dyn Write,
) -> io::Result<()> {
    let detail = detail(options);
    match format {
        OutputFormat::Text | OutputFormat::Concise if options.statistics => {
            line_formats::statistics(report, out)?;
            text::summary(report, detail, out)
        }
        OutputFormat::Text => {
            text::render(report, TextOptions { color, detail }, out)?;
            let invitation = explain::invitation(report.findings).filter(|_| detail != Detail::Quiet);
            invitation.map_or(Ok(()), |line| writeln!(out, "{line}"))
        }
        OutputFormat::Concise => {
            line_formats::concise(report, out)?;
            text::summary(report, detail, out)
        }
        OutputFormat::JsonLines => json::render_lines(report, out),
        OutputFormat::Github => line_formats::github(report, out),
        OutputFormat::Gitlab => code_quality::gitlab(report, out),
        OutputFormat::Junit => code_quality::junit(report, out),
        OutputFormat::Json if options.profile => {
            json::render_with(report, &[("profile", analysis.profile.json())], out)
        }
        OutputFormat::Json => json::render(report, out),
        OutputFormat::Sarif => sarif::render(report, out),
    }
}
