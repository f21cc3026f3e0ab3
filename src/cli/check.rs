//! `harp check`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;

use harp_report::text::Color;
use harp_report::{Notice, UserError, terminal_escape};

use super::baselines::Baselines;
use super::cache;
use super::check_report;
use super::config::rules;
use super::fix_options::FixMode;
use super::fixes::{self, Fixed};
use super::joined_analysis::{JoinedAnalysis, extend_with_new};
use super::nothing_checked;
use super::options::{CheckOptions, ColorChoice, OutputFormat};
use super::output::{self, Destination};
use super::output_argument::{self, Output, OutputArgument};
use super::pipeline::{self, Analysis, AnalysisOptions};
use super::progress::Progress;
use super::project_folders::working_folder;
use super::projects::RunProjects;
use super::report_options::ReportOptions;
use super::standard_input;
use super::subject::Subject;
use super::watch;
use crate::Outcome;

pub(super) fn run(options: CheckOptions, color: ColorChoice) -> Result<Outcome, UserError> {
    match options.watch {
        true => watch::run(&options, color),
        false => run_once(options, color),
    }
}

/// Checks, and ends.
pub(super) fn run_once(mut options: CheckOptions, color: ColorChoice) -> Result<Outcome, UserError> {
    let Prepared { projects, mut errors, outputs } = prepared(&mut options)?;
    if options.show_files {
        return show_files(&projects, errors, &outputs[0].destination, color);
    }
    let unknown = rules::unknown_in_all(&options.report.named_rules(), &projects);
    if !unknown.is_empty() {
        output::show_errors(&unknown, color);
        return Ok(Outcome::Failed);
    }
    let baselines = Baselines::of(&options, &projects)?;
    let mut messages = Messages { color, shown: Vec::new() };
    messages.show(&errors);
    messages.show(&misnamed(&options));
    // A baseline that cannot be read costs its project; nothing was written before it is known.
    let unread = if options.update_baseline { BTreeMap::new() } else { baselines.unread()? };
    messages.show(&unread.values().cloned().collect::<Vec<_>>());
    errors.extend(unread.values().cloned());
    let mut joined = JoinedAnalysis::new(errors);
    let mut made = Made::default();
    for (index, project) in projects.iter().enumerate().filter(|(index, _)| !unread.contains_key(index)) {
        let analysis = analysed(&project.begun(), &options);
        messages.show_of(&analysis);
        let is_read = analysis.summary.files > 0 || analysis.errors.is_empty();
        let analysis = match options.update_baseline || !is_read {
            true => analysis,
            false => made.fixed(analysis, project, &options, |it| baselines.leave_out(index, it), color)?,
        };
        if options.update_baseline && is_read {
            made.told.extend(baselines.update(index, &analysis)?);
        }
        joined.add(analysis);
    }
    let mut analysis = joined.finish();
    if analysis.errors.is_empty() {
        let warning = |project| nothing_checked::warning(project, &analysis.summary);
        messages.show(&projects.iter().filter_map(warning).collect::<Vec<_>>());
    }
    if analysis.summary.files == 0 && !analysis.errors.is_empty() {
        return Ok(Outcome::Failed);
    }
    if options.update_baseline {
        made.told.extend(baselines.update_common(&analysis)?);
        return update_told(&analysis, &made.told);
    }
    baselines.leave_out_common(&mut analysis)?;
    let shows_diff = options.fix.mode().is_some_and(|(mode, _)| mode == FixMode::Diff);
    if shows_diff || options.quiet || options.coverage {
        messages.show(&analysis.summary.notices.iter().map(Notice::warning).collect::<Vec<_>>());
    }
    if shows_diff {
        return show_diff(&analysis, &made, options.quiet, color);
    }
    Ok(report(&analysis, &options, &outputs, !made.is_refused, color))
}

/// What is analysed, and where the reports go.
struct Prepared {
    /// Each with its configuration.
    projects: Vec<AnalysisOptions>,
    /// What is wrong with configurations of others, which are left out for it.
    errors: Vec<UserError>,
    outputs: Vec<Output<OutputFormat>>,
}

fn prepared(options: &mut CheckOptions) -> Result<Prepared, UserError> {
    let standard_input = standard_input::path(&options.input.paths, options.stdin_filename.as_deref())?;
    if let Some(path) = &standard_input {
        options.input.paths = vec![path.clone()];
    }
    let RunProjects { mut projects, errors } = match standard_input {
        // A name is all that the standard input has, also where a folder lies there.
        Some(_) => RunProjects { projects: vec![AnalysisOptions::new(&options.input)?], errors: Vec::new() },
        None => RunProjects::of(&options.input)?,
    };
    for project in &mut projects {
        (project.explain_path, project.coverage) = (options.explain_path, options.coverage);
        options.report.refine(&mut project.selection, &working_folder());
    }
    let mut outputs = output_argument::outputs(&options.output, options.format)?;
    for project in &mut projects {
        project.explains = outputs.iter().any(|it| check_report::EXPLAINING_FORMATS.contains(&it.format));
    }
    if options.coverage && outputs.iter().any(|it| !check_report::COVERAGE_FORMATS.contains(&it.format)) {
        return Err(UserError::new("`--coverage` has the forms `text` and `json`"));
    }
    if let (Some(path), Some(project)) = (standard_input, projects.first_mut()) {
        let limit = project.load_options().max_file_size;
        project.standard_input = Some(Arc::new(standard_input::read(path, limit)?));
        if options.fix.mode().is_some() {
            leave_standard_output(&mut outputs);
        }
    }
    Ok(Prepared { projects, errors, outputs })
}

/// The results, made anew where somebody asks what takes how long.
fn analysed(project: &AnalysisOptions, options: &CheckOptions) -> Analysis {
    let progress = Progress::on_terminal();
    match options.profile {
        true => pipeline::analyse(project, &progress),
        false => cache::analyse(project, &options.cache, &progress),
    }
}

/// Warnings for files that get text though their names end like those of another form.
fn misnamed(options: &CheckOptions) -> Vec<UserError> {
    let warning = |output: &OutputArgument<OutputFormat>| {
        let file = output.file.as_ref().filter(|_| output.format.is_none() && options.format == OutputFormat::Text)?;
        let form = match file.extension()?.to_str()? {
            "html" => "html",
            "json" => "json",
            "jsonl" => "json-lines",
            "md" => "markdown",
            "sarif" => "sarif",
            "xml" => "junit",
            _ => return None,
        };
        let name = terminal_escape::path(&file.to_string_lossy());
        let warning = UserError::warning(format!("{name} gets the report as text"));
        Some(warning.hint(format!("write `--output {form}:{name}` for the form `{form}`")))
    };
    options.output.iter().filter_map(warning).collect()
}

/// What the user should know of a run before any finding, each once.
struct Messages {
    color: ColorChoice,
    shown: Vec<UserError>,
}

impl Messages {
    fn show(&mut self, messages: &[UserError]) {
        let new: Vec<UserError> = messages.iter().filter(|it| !self.shown.contains(it)).cloned().collect();
        output::show_errors(&new, self.color);
        self.shown.extend(new);
    }

    fn show_of(&mut self, analysis: &Analysis) {
        self.show(&analysis.errors);
        self.show(&analysis.warnings);
        self.show(&analysis.defects.messages());
    }
}

/// What a run wrote, or would write.
#[derive(Default)]
struct Made {
    /// What `--diff` shows.
    diff: String,
    /// Edits that were not made.
    refused: Vec<UserError>,
    /// Findings that are only fixed where somebody asks for unsafe edits.
    unsafe_left: usize,
    /// Whether a file could not be written.
    is_refused: bool,
    /// What is said of baselines.
    told: Vec<String>,
}

impl Made {
    /// The analysis of a project without what its baseline knows, and with its fixes where they are asked for.
    fn fixed(
        &mut self,
        mut analysis: Analysis,
        project: &AnalysisOptions,
        options: &CheckOptions,
        leave_out: impl Fn(&mut Analysis) -> Result<(), UserError>,
        color: ColorChoice,
    ) -> Result<Analysis, UserError> {
        leave_out(&mut analysis)?;
        let Some((mode, wanted)) = options.fix.mode() else { return Ok(analysis) };
        let Fixed { analysis, fixes, edits } = fixes::make(analysis, project, wanted, leave_out)?;
        match mode {
            FixMode::Diff => {
                self.diff.push_str(&edits.diff(&analysis.corpus));
                self.unsafe_left += fixes.unsafe_left;
                self.refused.extend(
                    fixes
                        .refused
                        .iter()
                        .map(|it| UserError::warning(format!("{}: {} is not fixed: {}", it.place, it.rule, it.reason))),
                );
            }
            _ => {
                let errors = edits.write(&analysis.corpus);
                output::show_errors(&errors, color);
                self.is_refused |= !errors.is_empty();
            }
        }
        Ok(analysis)
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
fn show_diff(analysis: &Analysis, made: &Made, is_quiet: bool, color: ColorChoice) -> Result<Outcome, UserError> {
    Destination::StandardOutput.write(Color::Never, |out| out.write_all(made.diff.as_bytes()))?;
    output::show_errors(&made.refused, color);
    if made.unsafe_left > 0 && !is_quiet {
        let line = format!("{} more can be fixed with --unsafe-fixes", made.unsafe_left);
        Destination::StandardError.write(Color::Never, |out| writeln!(out, "{line}"))?;
    }
    let is_whole = analysis.errors.is_empty() && analysis.defects.is_empty();
    Ok(match made.diff.is_empty() {
        _ if !is_whole => Outcome::Failed,
        true => Outcome::Clean,
        false => Outcome::Findings,
    })
}

/// Says what was written to baselines: nothing of what is not whole.
fn update_told(analysis: &Analysis, told: &[String]) -> Result<Outcome, UserError> {
    Destination::StandardOutput.write(Color::Never, |out| told.iter().try_for_each(|told| writeln!(out, "{told}")))?;
    let is_whole = analysis.errors.is_empty() && analysis.defects.is_empty();
    Ok(if is_whole { Outcome::Clean } else { Outcome::Failed })
}

/// The files that would be checked, one a line.
fn show_files(
    projects: &[AnalysisOptions],
    mut errors: Vec<UserError>,
    destination: &Destination,
    color: ColorChoice,
) -> Result<Outcome, UserError> {
    let mut names = BTreeSet::new();
    for project in projects {
        let (subject, of_project) = Subject::load(project);
        extend_with_new(&mut errors, of_project);
        let corpus = &subject.corpus;
        let given = corpus.files.iter().filter(|file| !corpus.is_imported(file.id));
        names.extend(given.map(|file| file.display_path.clone()));
    }
    output::show_errors(&errors, color);
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
