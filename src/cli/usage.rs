//! What the parser of the command line has to say: help, the version, and what is wrong with the arguments.

use std::io::Write;

use harp_corpus::is_harmful;
use harp_report::terminal_escape;
use harp_report::text::Color;

use super::options::ColorChoice;
use super::output::{self, Destination};
use crate::Outcome;

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
