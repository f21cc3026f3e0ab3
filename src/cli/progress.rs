//! The progress of a command, for a person at a terminal.

use std::io::{self, IsTerminal};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar on the standard error; nothing where that is no terminal.
pub struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// Progress that a terminal shows.
    pub fn on_terminal() -> Progress {
        if !io::stderr().is_terminal() {
            return Progress::hidden();
        }
        let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len}") {
            bar.set_style(style);
        }
        Progress { bar }
    }

    /// Progress that a terminal shows with an estimate of what is left.
    #[cfg(feature = "tables")]
    pub fn with_estimate() -> Progress {
        let progress = Progress::on_terminal();
        if let Ok(style) = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len}, {eta} left") {
            progress.bar.set_style(style);
        }
        progress
    }

    /// Progress that nobody sees.
    pub fn hidden() -> Progress {
        Progress { bar: ProgressBar::hidden() }
    }

    /// Begins a step with so many parts.
    pub fn step(&self, name: &'static str, parts: usize) {
        self.bar.set_message(name);
        self.bar.set_length(parts as u64);
        self.bar.set_position(0);
    }

    /// Makes room for output.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }

    /// One part of the step is done.
    pub fn advance(&self) {
        self.bar.inc(1);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
