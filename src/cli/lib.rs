//! The command line: reads arguments, calls the rooms in order, and turns their results into exit codes.

#![deny(missing_docs)]

pub mod analysis_options;
pub mod answer_findings;
mod api_names;
pub mod argument_types;
#[cfg(feature = "tables")]
mod audit;
mod baselines;
pub mod bounds;
mod cache;
mod check;
mod check_report;
pub mod config;
mod corpus_summary;
mod coverage;
mod defects;
mod error_counts;
mod explain;
mod explanations;
pub mod external_facts;
mod facts;
pub mod fix_options;
mod fixes;
pub mod functors;
mod graph_slices;
mod infer;
mod joined_analysis;
mod libraries;
pub mod library_versions;
mod new_pack;
mod nothing_checked;
pub mod options;
mod output;
pub mod output_argument;
pub mod pack_tests;
pub mod packs;
mod path_explanations;
pub mod pipeline;
mod place_argument;
mod present_rows;
mod process_groups;
pub mod profile;
mod programs;
pub mod progress;
mod project_folders;
mod project_root;
mod projects;
mod proof;
mod python_2_files;
mod query;
mod replaced_libraries;
pub mod report_options;
mod review;
mod revisions;
pub mod rewrites;
pub mod rule_choice;
pub mod rule_findings;
mod rule_list;
mod savings;
mod shell_help;
mod source_edits;
pub mod standard_input;
pub mod subject;
mod suppress;
mod text_table;
mod trace_findings;
mod usage;
mod watch;
mod why_not;
mod writing;
pub mod z3;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::FromArgMatches;

use harp_limits::{Stopped, contained, install_panic_hook};
use harp_report::UserError;

use options::{ColorChoice, Command, CommandLine};

/// The analysis recurses along the analysed program's nesting and calls; both are bounded, and these bounds fit this stack.
/// Only what is used of it takes memory.
pub const STACK_SIZE: usize = 256 << 20;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Exit code 0: nothing to report.
    Clean,
    /// Exit code 1: there are findings.
    Findings,
    /// Something could not be done: a wrong path, a broken configuration, an output that cannot be written.
    Failed,
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> ExitCode {
        ExitCode::from(match outcome {
            Outcome::Clean => 0,
            Outcome::Findings => 1,
            Outcome::Failed => 2,
        })
    }
}

/// Runs the program with the process's arguments and returns its exit code:
/// 0 clean, 1 findings, 2 the tool could not do its work.
pub fn main() -> ExitCode {
    install_panic_hook();
    run_as(std::env::args_os()).into()
}

/// Does what the program does with these arguments, of which the first is its name; reads and writes what it would.
pub fn run_as(arguments: impl IntoIterator<Item = impl Into<OsString> + Clone>) -> Outcome {
    let parsed = usage::command().try_get_matches_from(arguments).and_then(|it| CommandLine::from_arg_matches(&it));
    let command_line = match parsed {
        Ok(command_line) => command_line,
        Err(said) => return usage::show(&usage::with_tip(said)),
    };
    let color = command_line.color;
    let run = move || contained(|| run(command_line)).unwrap_or_else(|stopped| failed(&stopped, color));
    match std::thread::Builder::new().name("harp".to_owned()).stack_size(STACK_SIZE).spawn(run) {
        Ok(thread) => thread.join().unwrap_or(Outcome::Failed),
        Err(error) => {
            output::show_errors(&[UserError::new(format!("no thread can be started: {error}"))], color);
            Outcome::Failed
        }
    }
}

/// What is left to say where nothing contained a panic, or a ceiling that was reached.
fn failed(stopped: &Stopped, color: ColorChoice) -> Outcome {
    let error = UserError::new("Harp failed on this input, and gives no report");
    let error = match stopped {
        Stopped::Ceiling(ceiling) => error.note(format!("{} ran out", ceiling.name())),
        Stopped::Defect(defect) => error
            .note(format!("panicked at {}: {}", defect.place, defect.message))
            .hint("this is a defect of Harp and not of the analysed program; a report of it is welcome"),
    };
    output::show_errors(&[error], color);
    Outcome::Failed
}

fn run(command_line: CommandLine) -> Outcome {
    let color = command_line.color;
    let outcome = match command_line.command {
        Command::Check(options) => check::run(options, color),
        #[cfg(feature = "tables")]
        Command::Audit(options) => audit::run(&options, color),
        Command::Review(options) => review::run(options, color),
        Command::Suppress(options) => suppress::run(options, color),
        Command::Infer(options) => infer::run(options, color),
        Command::Facts(options) => facts::facts(options, color),
        Command::Graph(options) => facts::graph(options, color),
        Command::Schema(options) => facts::schema(&options),
        Command::Rules(options) => rule_list::run(&options, color),
        Command::Query(options) => query::run(options, color),
        Command::Explain(options) => explain::run(options, color),
        Command::WhyNot(options) => why_not::run(options, color),
        Command::Test(options) => pack_tests::run_command(&options, color),
        Command::NewPack(options) => new_pack::run(&options),
        Command::Clean(options) => cache::clean(&options),
        Command::Completions(options) => shell_help::completions(&options),
        Command::Man(options) => shell_help::man(&options),
    };
    outcome.unwrap_or_else(|error| {
        output::show_errors(&[error], color);
        Outcome::Failed
    })
}
