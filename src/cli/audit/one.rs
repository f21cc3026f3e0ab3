//! The process of one repository: analyses the files in a folder of Harp's own, and tells what is known of them.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::Path;
use std::time::Instant;

use harp_limits::fault_point;
use harp_report::text::Detail;
use harp_report::{Report, RuleDescription, UserError, sarif};
use harp_tables::rows::Repository;

use super::options::AuditOptions;
use super::{facts, process, rows};
use crate::options::{BoundOptions, InputOptions};
use crate::pipeline::{self, Analysis, AnalysisOptions};
use crate::progress::Progress;
use crate::{Outcome, project_folders};

/// What it tells, as bytes for the process that asked.
pub(super) fn run(folder: &Path, options: &AuditOptions) -> Result<Outcome, UserError> {
    let (repository, facts, analysis) = analysed(folder, options)?;
    let bytes = postcard::to_stdvec(&(repository, facts)).map_err(|error| UserError::new(error.to_string()))?;
    let mut out = std::io::stdout().lock();
    let unwritten = |error: std::io::Error| UserError::new(format!("the answer cannot be written: {error}"));
    out.write_all(process::BEGINNING).and_then(|()| out.write_all(&bytes)).map_err(unwritten)?;
    if options.sarif {
        write_log(&analysis, &mut out).map_err(unwritten)?;
    }
    out.flush().map_err(unwritten)?;
    Ok(Outcome::Clean)
}

/// The log is what comes behind the rows. It describes the rules that it has results of: all of them would be more than most results.
fn write_log(analysis: &Analysis, out: &mut dyn Write) -> io::Result<()> {
    let reported: BTreeSet<&str> =
        analysis.findings.iter().chain(&analysis.summary.in_source).map(|finding| finding.rule.as_str()).collect();
    let rules: Vec<RuleDescription> =
        analysis.rules.iter().filter(|rule| reported.contains(rule.id.as_str())).cloned().collect();
    sarif::render(&Report { rules: &rules, ..analysis.report() }, Detail::Brief, out)
}

fn analysed(folder: &Path, given: &AuditOptions) -> Result<(Repository, Vec<Vec<u8>>, Analysis), UserError> {
    process::end_with_parent();
    process::bound_memory(given);
    let options = analysis_options(folder, given)?;
    // For tests: what a repository has first is its name here.
    let names = std::fs::read_dir(".").into_iter().flatten().flatten().map(|entry| entry.file_name());
    names.for_each(|name| fault_point("repository", &name.to_string_lossy()));
    let (until, time) = (options.until, given.time());
    let mut facts = Ok(Vec::new());
    let analysis = pipeline::analyse_with(&options, &Progress::hidden(), |examined, defects| {
        let (findings, mut summary, errors) = examined.findings(&options.selection, defects);
        facts = facts::rows(examined, given, &mut summary, defects);
        (findings, summary, errors)
    });
    let late = until.filter(|until| Instant::now() >= *until).map(|_| time);
    let (cpu_ms, peak_memory) = process::used();
    Ok((Repository { cpu_ms, peak_memory, ..rows::repository(&analysis, late) }, facts?, analysis))
}

/// As `harp check` without a configuration, in the folder: messages name files as they are named there.
fn analysis_options(folder: &Path, options: &AuditOptions) -> Result<AnalysisOptions, UserError> {
    let unreadable = |error| UserError::new(format!("{} cannot be entered: {error}", project_folders::shown(folder)));
    std::env::set_current_dir(folder).map_err(unreadable)?;
    let unit = &options.analysis;
    let bounds = BoundOptions { time_limit: Some(options.time()), ..unit.bounds };
    let input = InputOptions {
        paths: vec![".".into()],
        args: None,
        max_file_size: options.max_file_size,
        exclude: Vec::new(),
        force_exclude: false,
        pack: unit.pack.clone(),
        facts: None,
        solver: None,
        annotations: unit.annotations.clone(),
        python: None,
        config: None,
        isolated: true,
        threads: 1,
        bounds,
    };
    let mut analysis = AnalysisOptions::new(&input)?;
    unit.choice.refine(&mut analysis.selection);
    Ok(analysis)
}
