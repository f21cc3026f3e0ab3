//! `harp review`: writes the review in the form that was asked for.

use std::io::{self, Write};

use harp_report::comparison::Review;
use harp_report::text::{self, Color, Detail, TextOptions};
use harp_report::{
    Finding, Notation, Notice, Report, Sources, Summary, UserError, code_quality, github_review, json, line_formats,
    markdown, render_comparison_json, sarif, terminal_escape,
};

use super::analysis::{NOT_READ, Reviewed};
use super::options::{ReviewFormat, ReviewOptions};
use super::sides::Sides;
use crate::options::ColorChoice;
use crate::output::Destination;

/// What is told of a review.
pub(super) struct Told<'a> {
    pub options: &'a ReviewOptions,
    pub sides: &'a Sides,
    pub reviewed: &'a Reviewed,
    pub notes: &'a [String],
}

impl Told<'_> {
    /// Writes it.
    pub fn write(&self, format: ReviewFormat, destination: &Destination, color: ColorChoice) -> Result<(), UserError> {
        let whole = self.reviewed.new.report();
        let [base, head] = &self.sides.commits;
        let review = Review {
            old: self.reviewed.old(),
            new: &whole,
            comparison: &self.reviewed.comparison,
            lines: &self.sides.lines,
            title: &self.sides.title,
            commits: [base.as_deref(), head.as_deref()],
            notes: self.notes,
        };
        let findings: Vec<Finding> = review.told().map(|(finding, before)| with_before(finding, before)).collect();
        let summary = self.with_notes();
        // Forms that have no notes of a review get them as those of a report.
        let report = Report { findings: &findings, summary: &summary, ..whole };
        let color = match format {
            ReviewFormat::Text => destination.color(color),
            _ => Color::Never,
        };
        let notation = match format {
            ReviewFormat::Github => Notation::Commands,
            _ => Notation::Text(color),
        };
        destination.write_as(notation, |out| match format {
            ReviewFormat::Text => {
                let width = destination.width(self.options.report.width);
                text::render(
                    &report,
                    TextOptions { color, detail: Detail::Quiet, width, ..TextOptions::default() },
                    out,
                )?;
                self.end(&review, out)
            }
            ReviewFormat::Concise => {
                line_formats::concise(&report, out)?;
                self.end(&review, out)
            }
            ReviewFormat::Markdown => markdown::render(&review, out),
            ReviewFormat::Json => render_comparison_json(&review, out),
            ReviewFormat::JsonLines => json::render_lines(&report, Detail::Brief, out),
            ReviewFormat::Sarif => sarif::render_review(&review, out),
            ReviewFormat::Github => line_formats::github(&report, out),
            ReviewFormat::GithubReview => github_review::render(&review, out),
            ReviewFormat::Gitlab => code_quality::gitlab(&report, out),
            ReviewFormat::Junit => code_quality::junit(&report, out),
        })
    }

    /// What the new side covers, with all notes, of which those about a file name it.
    fn with_notes(&self) -> Summary {
        let mut summary = self.reviewed.new.summary.clone();
        summary.notices = self.reviewed.notices();
        let about_files: Vec<String> = summary.notices.iter().map(|notice| notice.text.clone()).collect();
        let is_told = |note: &&String| about_files.contains(note) || note.starts_with(NOT_READ);
        let others = self.notes.iter().filter(|note| !is_told(note));
        summary.notices.extend(others.map(|note| Notice { text: note.clone(), file: None }));
        summary
    }

    /// What stands below the findings.
    fn end(&self, review: &Review<'_>, out: &mut dyn Write) -> io::Result<()> {
        if self.options.quiet {
            return Ok(());
        }
        if self.options.verbose {
            for finding in review.fixed() {
                writeln!(out, "fixed: {}", in_a_line(finding, review.old.sources))?;
            }
            for file in self.sides.lines.files() {
                if let (Some(old), Some(new)) = (&file.old, &file.new)
                    && old != new
                {
                    writeln!(out, "renamed: {} is {}", terminal_escape::path(old), terminal_escape::path(new))?;
                }
            }
        }
        for note in self.notes {
            writeln!(out, "note: {}", terminal_escape::line(note))?;
        }
        writeln!(out, "{}", terminal_escape::line(&review.headline()))
    }
}

fn in_a_line(finding: &Finding, sources: &dyn Sources) -> String {
    let place = text::place(finding.primary.span, sources);
    let (rule, message) = (terminal_escape::line(&finding.rule), terminal_escape::line(&finding.message));
    format!("{place}: {}[{rule}] {message}", finding.severity)
}

/// The finding with what it was before, where it was made worse.
fn with_before(finding: &Finding, before: Option<&Finding>) -> Finding {
    let mut finding = finding.clone();
    if let Some(before) = before {
        let condition = before.condition.as_ref().map_or_else(String::new, |condition| format!(" when {condition}"));
        finding.notes.push(format!("made worse: it was {}[{}]{condition}", before.severity, before.rule));
    }
    finding
}
