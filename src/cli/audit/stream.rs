//! Answers a stream of files with a row for each repository: what engines such as Spark and Ray call.

use std::io::{BufReader, BufWriter, stdin, stdout};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use harp_report::UserError;
use harp_tables::Answers;
use harp_tables::input;

use super::inputs::damaged;
use super::inputs::rows::Clustered;
use super::key::Base;
use super::options::AuditOptions;
use super::run::{analysed_once, held};
use crate::Outcome;

/// Reads the standard input to its end.
pub(super) fn run(options: &AuditOptions) -> Result<Outcome, UserError> {
    // Packs with mistakes are told before anything is read.
    Base::of(options)?;
    let wrong = |error: &dyn std::fmt::Display| UserError::new(format!("the standard input cannot be read: {error}"));
    let unwritten = |error: std::io::Error| UserError::new(format!("the standard output cannot be written: {error}"));
    let limit = options.file_limit();
    let open = || {
        input::arrow_stream(BufReader::new(stdin()), &options.columns(), limit).map_err(|error| {
            wrong(&error).hint("name the columns, as in `--columns repo=repo_name,path=path,content=content`")
        })
    };
    let rows = damaged::read(open, wrong)?;
    let rows = damaged::rows(rows.map(|row| row.map_err(|error| wrong(&error))), wrong);
    let units = Mutex::new(Clustered::new(rows, limit));
    let answers = Mutex::new(Answers::new(BufWriter::new(stdout())).map_err(unwritten)?);
    let error: Mutex<Option<UserError>> = Mutex::default();
    let is_over = AtomicBool::new(false);
    let arguments = options.arguments_of_one();
    let work = || {
        while !is_over.load(Ordering::Relaxed) {
            let Some(unit) = held(&units).next() else { return };
            let answered = unit
                .and_then(|unit| analysed_once(unit, options, &arguments))
                .and_then(|(name, part)| held(&answers).add(&name, &part).map_err(unwritten));
            if let Err(told) = answered {
                is_over.store(true, Ordering::Relaxed);
                held(&error).get_or_insert(told);
            }
        }
    };
    std::thread::scope(|scope| {
        // An engine runs as many tasks as it has processors.
        for _ in 1..options.jobs.max(1) {
            scope.spawn(work);
        }
        work();
    });
    if let Some(error) = held(&error).take() {
        return Err(error);
    }
    answers.into_inner().map_err(|_| UserError::new("the standard output was left"))?.finish().map_err(unwritten)?;
    Ok(Outcome::Clean)
}
