//! What the parser of Harp's command line has to say: help, the version, and what is wrong with the arguments.

use std::io::Write;

use clap::CommandFactory;
use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use harp_corpus::is_harmful;
use harp_report::terminal_escape;
use harp_report::text::Color;

use super::options::{ColorChoice, CommandLine};
use super::output::{self, Destination};
use crate::Outcome;

/// The commands by what they are for. The help lists them so.
const GROUPS: [(&str, &[&str]); 4] = [
    #[cfg(feature = "tables")]
    ("Check a program", &["check", "review", "audit", "suppress", "infer"]),
    #[cfg(not(feature = "tables"))]
    ("Check a program", &["check", "review", "suppress", "infer"]),
    ("Ask why", &["explain", "why-not", "rules"]),
    ("Look inside", &["query", "facts", "graph", "schema"]),
    ("Extend and set up", &["new-pack", "test", "clean", "completions", "man", "help"]),
];

/// The command line, whose help lists the commands in groups.
pub(super) fn command() -> clap::Command {
    let harp = CommandLine::command();
    let about = |name: &str| match harp.find_subcommand(name).and_then(clap::Command::get_about) {
        Some(about) => about.to_string(),
        // The parser adds this command itself.
        None => "Print the help of a command".to_owned(),
    };
    let mut commands = String::new();
    for (title, names) in GROUPS {
        commands.push_str(&format!("{title}:\n"));
        names.iter().for_each(|name| commands.push_str(&format!("  {name:11}  {}\n", about(name))));
        commands.push('\n');
    }
    let template =
        format!("{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{commands}Options:\n{{options}}{{after-help}}");
    harp.help_template(template)
}

/// The same complaint, with what to type where a path stands in the place of a command.
pub(super) fn with_tip(mut said: clap::Error) -> clap::Error {
    if !matches!(said.kind(), ErrorKind::InvalidSubcommand) {
        return said;
    }
    let Some(ContextValue::String(typed)) = said.get(ContextKind::InvalidSubcommand) else { return said };
    let path = std::path::Path::new(typed);
    let is_python = path.extension().is_some_and(|ending| ending == "py" || ending == "ipynb");
    if is_python || path.exists() {
        let tip = StyledStr::from(format!("to check it, type `harp check {typed}`"));
        said.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip]));
    }
    said
}

/// Writes it. What was asked for is no failure, unless it cannot be written.
pub(super) fn show(said: &clap::Error) -> Outcome {
    if said.use_stderr() {
        let color = output::error_color(ColorChoice::Auto);
        // Where nobody reads the message, there is nobody to tell.
        let _ = output::standard_error(color).write_all(text(said, color).as_bytes());
        return Outcome::Failed;
    }
    let destination = Destination::StandardOutput;
    let color = destination.color(ColorChoice::Auto);
    match destination.write(color, |out| out.write_all(text(said, color).as_bytes())) {
        Ok(()) => Outcome::Clean,
        Err(error) => {
            output::show_errors(&[error], ColorChoice::Auto);
            Outcome::Failed
        }
    }
}

/// Arguments stand in it as they were typed. Colours among them would pass as Harp's own, so that then there are none.
fn text(said: &clap::Error, color: Color) -> String {
    let is_harmless = || std::env::args_os().all(|word| !word.to_string_lossy().contains(is_harmful));
    let text = match color {
        Color::Always if is_harmless() => said.render().ansi().to_string(),
        _ => said.render().to_string(),
    };
    terminal_escape::with_short_paths(&text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_lists_each_command_once() {
        let harp = CommandLine::command();
        let mut known: Vec<&str> = harp.get_subcommands().map(clap::Command::get_name).chain(["help"]).collect();
        let mut listed: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        known.sort_unstable();
        listed.sort_unstable();
        assert_eq!(listed, known);
    }
}
