//! `harp check`.

use std::sync::Arc;
use std::time::Instant;

use harp_report::text::Color;
use harp_report::{UserError, terminal_escape};

use harp_corpus::NamedPath;

use super::baselines;
use super::check_report;
use super::fix_options::FixMode;
use super::fixes::{self, Fixed};
use super::nothing_checked;
use super::options::{CheckOptions, ColorChoice, OutputFormat};
use super::output::{self, Destination};
use super::output_argument::{self, Output};
use super::pipeline::{self, Analysis, AnalysisOptions};
use super::progress::Progress;
use super::project_folders::working_folder;
use super::report_options::ReportOptions;
use super::standard_input;
use super::subject::Subject;
use crate::Outcome;

pub(super) fn run(mut options: CheckOptions, color: ColorChoice) -> Result<Outcome, UserError> {
    let (mut analysis_options, outputs) = prepared(&mut options)?;
    if options.show_files {
        return show_files(&analysis_options, &outputs[0].destination, color);
    }
    let baseline = baselines::chosen(options.baseline.as_ref(), analysis_options.baseline.take());
    if options.update_baseline && baseline.is_none() {
        return Err(UserError::new("`--update-baseline` needs to know which file")
            .hint("name it with `--baseline FILE`, or as `baseline` in the configuration"));
    }
    let mut analysis = pipeline::analyse(&analysis_options, &Progress::on_terminal());
    show_messages(&analysis, &analysis_options, color);
    if analysis.summary.files == 0 && !analysis.errors.is_empty() {
        return Ok(Outcome::Failed);
    }
    if options.update_baseline {
        return update_baseline(baseline, &analysis);
    }
    let leave_out = |analysis: &mut Analysis| match &baseline {
        Some(baseline) => baselines::leave_out(baseline, analysis),
        None => Ok(()),
    };
    leave_out(&mut analysis)?;
    let mut is_written = true;
    if let Some((mode, wanted)) = options.fix.mode() {
        let fixed = fixes::make(analysis, &analysis_options, wanted, leave_out)?;
        if mode == FixMode::Diff {
            return show_diff(&fixed, color);
        }
        let errors = fixed.edits.write(&fixed.analysis.corpus);
        output::show_errors(&errors, color);
        is_written = errors.is_empty();
        analysis = fixed.analysis;
    }
    Ok(report(&analysis, &options, &outputs, is_written, color))
}

/// What is analysed, and where the reports go.
fn prepared(options: &mut CheckOptions) -> Result<(AnalysisOptions, Vec<Output<OutputFormat>>), UserError> {
    let standard_input = standard_input::path(&options.input.paths, options.stdin_filename.as_deref())?;
    if let Some(path) = &standard_input {
        options.input.paths = vec![path.clone()];
    }
    let (explain_path, coverage) = (options.explain_path, options.coverage);
    let mut analysis_options = AnalysisOptions { explain_path, coverage, ..AnalysisOptions::new(&options.input)? };
    options.report.refine(&mut analysis_options.selection, &working_folder());
    analysis_options.named_rules.extend(options.report.named_rules());
    let mut outputs = output_argument::outputs(&options.output, options.format)?;
    if coverage && outputs.iter().any(|it| !check_report::COVERAGE_FORMATS.contains(&it.format)) {
        return Err(UserError::new("`--coverage` has the forms `text` and `json`"));
    }
    if let Some(path) = standard_input {
        let limit = analysis_options.load_options().max_file_size;
        analysis_options.standard_input = Some(Arc::new(standard_input::read(path, limit)?));
        if options.fix.mode().is_some() {
            leave_standard_output(&mut outputs);
        }
    }
    Ok((analysis_options, outputs))
}

/// What its user should know of a run before any finding.
fn show_messages(analysis: &Analysis, options: &AnalysisOptions, color: ColorChoice) {
    output::show_messages(analysis, color);
    if analysis.errors.is_empty() {
        let nothing_checked = nothing_checked::warning(options, &analysis.summary);
        output::show_errors(nothing_checked.as_slice(), color);
    }
}

/// Writes the reports, and says how the run ended.
fn report(
    analysis: &Analysis,
    options: &CheckOptions,
    outputs: &[Output<OutputFormat>],
    is_written: bool,
    color: ColorChoice,
) -> Outcome {
    let started = Instant::now();
    let written = check_report::write(analysis, options, outputs, color);
    if let Err(errors) = &written {
        output::show_errors(errors, color);
    }
    if options.profile && outputs.iter().all(|output| output.format != OutputFormat::Json) {
        let mut profile = analysis.profile.clone();
        profile.phases.push(("report", started.elapsed()));
        profile.show();
    }
    let is_whole = analysis.errors.is_empty() && analysis.defects.is_empty();
    match options.coverage {
        _ if written.is_err() || !is_written => Outcome::Failed,
        true if is_whole => Outcome::Clean,
        true => Outcome::Failed,
        false => outcome(analysis, &options.report),
    }
}

/// The standard output is for the fixed source.
fn leave_standard_output(outputs: &mut [Output<OutputFormat>]) {
    for output in outputs.iter_mut().filter(|output| output.destination == Destination::StandardOutput) {
        output.destination = Destination::StandardError;
    }
}

/// What would change, and how much that is.
fn show_diff(fixed: &Fixed<'_>, color: ColorChoice) -> Result<Outcome, UserError> {
    let diff = fixed.edits.diff(&fixed.analysis.corpus);
    Destination::StandardOutput.write(Color::Never, |out| out.write_all(diff.as_bytes()))?;
    let refused = fixed.fixes.refused.iter();
    let told = refused.map(|it| UserError::warning(format!("{}: {} is not fixed: {}", it.place, it.rule, it.reason)));
    output::show_errors(&told.collect::<Vec<_>>(), color);
    let is_whole = fixed.analysis.errors.is_empty() && fixed.analysis.defects.is_empty();
    Ok(match diff.is_empty() {
        _ if !is_whole => Outcome::Failed,
        true => Outcome::Clean,
        false => Outcome::Findings,
    })
}

/// Writes the baseline, unless something was not done that would be missing in it.
fn update_baseline(file: Option<NamedPath>, analysis: &Analysis) -> Result<Outcome, UserError> {
    let is_whole = analysis.errors.is_empty() && analysis.defects.is_empty();
    let Some(file) = file.filter(|_| is_whole) else { return Ok(Outcome::Failed) };
    let told = baselines::update(&file.path, analysis)?;
    Destination::StandardOutput.write(Color::Never, |out| writeln!(out, "{told}"))?;
    Ok(Outcome::Clean)
}

/// The files that would be checked, one a line.
fn show_files(options: &AnalysisOptions, destination: &Destination, color: ColorChoice) -> Result<Outcome, UserError> {
    let (subject, errors) = Subject::load(options);
    output::show_errors(&errors, color);
    let corpus = &subject.corpus;
    let given = corpus.files.iter().filter(|file| !corpus.is_imported(file.id));
    let mut names: Vec<&str> = given.map(|file| &*file.display_path).collect();
    names.sort_unstable();
    destination.write(Color::Never, |out| {
        names.iter().try_for_each(|name| writeln!(out, "{}", terminal_escape::line(name)))
    })?;
    Ok(if errors.is_empty() { Outcome::Clean } else { Outcome::Failed })
}

/// Failed where something was not done that was asked for; else by the findings, of which notes do not count.
fn outcome(analysis: &Analysis, options: &ReportOptions) -> Outcome {
    let summary = &analysis.summary;
    let all_skipped = summary.files == 0 && !summary.skipped.is_empty();
    if !analysis.errors.is_empty() || all_skipped {
        Outcome::Failed
    } else if options.fails(&analysis.findings, summary) {
        Outcome::Findings
    } else if !analysis.defects.is_empty() {
        // What Harp failed on is no clean part of a project.
        Outcome::Failed
    } else {
        Outcome::Clean
    }
}
