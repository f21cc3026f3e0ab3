//! What shells and readers of manuals get to know of the command line: `harp completions SHELL` and `harp man`.

use clap::CommandFactory;
use clap_mangen::Man;

use harp_report::{UserError, closest};

use crate::Outcome;
use crate::options::{CommandLine, CompletionsOptions, ManOptions};
use crate::output::write_source;

/// Writes a script that completes `harp`.
pub(super) fn completions(options: &CompletionsOptions) -> Result<Outcome, UserError> {
    let mut script = Vec::new();
    clap_complete::generate(options.shell, &mut CommandLine::command(), "harp", &mut script);
    write_source(&script)?;
    Ok(Outcome::Clean)
}

/// Writes the page of `harp` or of one of its commands, in roff.
pub(super) fn man(options: &ManOptions) -> Result<Outcome, UserError> {
    let mut harp = CommandLine::command();
    harp.build();
    let page = match &options.command {
        None => harp,
        Some(name) => match harp.find_subcommand(name) {
            Some(command) => command.clone(),
            None => return Err(unknown_command(name, &harp)),
        },
    };
    let mut text = Vec::new();
    Man::new(page).render(&mut text).map_err(|error| UserError::new(format!("the page cannot be made: {error}")))?;
    write_source(&text)?;
    Ok(Outcome::Clean)
}

fn unknown_command(name: &str, harp: &clap::Command) -> UserError {
    let error = UserError::new(format!("`harp` has no command `{name}`"));
    match closest(name, harp.get_subcommands().map(clap::Command::get_name)) {
        Some(meant) => error.hint(format!("did you mean `{meant}`?")),
        None => error,
    }
}
