//! Runs the Python blocks of Markdown files and compares what Harp says with what their comments state. The form is described in
//! `CONTRIBUTING.md`.

pub mod cases;
pub mod check;
pub mod expectations;
pub mod signatures;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use harp::cli::config;
use harp::cli::pipeline::{Analysis, AnalysisOptions, analyse_corpus};
use harp::cli::progress::Progress;
use harp::cli::words;
use harp::corpus::Corpus;

use cases::Case;

/// Something that a Markdown file states and Harp does not say, or the other way round.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Failure {
    /// The line of the Markdown file.
    pub line: usize,
    pub message: String,
}

impl Failure {
    pub fn new(line: usize, message: impl Into<String>) -> Failure {
        Failure { line, message: message.into() }
    }
}

/// Runs all cases of a Markdown text; the number of its blocks, and what failed.
pub fn run(markdown: &str) -> (usize, Vec<Failure>) {
    let (cases, mut failures) = cases::parse(markdown);
    let blocks = cases.iter().map(|case| case.files.len()).sum();
    for case in &cases {
        match catch_unwind(AssertUnwindSafe(|| analyse(case))) {
            Ok(Ok(analysis)) => check::check(case, &analysis, &mut failures),
            Ok(Err(failure)) => failures.push(failure),
            Err(_) => failures.push(Failure::new(case.files[0].line, "the analysis panicked")),
        }
    }
    failures.sort();
    (blocks, failures)
}

fn analyse(case: &Case) -> Result<Analysis, Failure> {
    let mut options = AnalysisOptions::default();
    if let Some(block) = &case.configuration {
        let config = config::parse("harp.toml", &block.text, Path::new("."));
        options = config.map_err(|error| Failure::new(block.line, error.to_string()))?.into();
    }
    if let Some(block) = &case.arguments {
        let words = words::split(&block.text).map_err(|error| Failure::new(block.line, error))?;
        options.arguments = words.0;
    }
    let files = case.files.iter().map(|file| (file.name.clone(), file.text.clone())).collect();
    let analysis = analyse_corpus(Corpus::in_memory(files), &options, &Progress::hidden());
    match analysis.errors.first() {
        Some(error) => Err(Failure::new(case.files[0].line, error.to_string())),
        None => Ok(analysis),
    }
}
