//! The options `--fix` and `--diff`: whether findings are fixed, and what becomes of the files.

use clap::Args;

use crate::fixes::Wanted;

/// Whether the edits of findings are made.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct FixOptions {
    /// Apply the edits that keep the program's behaviour
    #[arg(long, help_heading = "Fixes", conflicts_with_all = ["update_baseline", "show_files"])]
    pub fix: bool,
    /// Include edits that may change the program's behaviour
    #[arg(long, help_heading = "Fixes")]
    pub unsafe_fixes: bool,
    /// Print what --fix would change, without writing; exit code 1 if there is a change
    #[arg(long, help_heading = "Fixes", conflicts_with_all = ["update_baseline", "show_files", "output", "statistics"])]
    pub diff: bool,
}

/// What is done with edits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FixMode {
    /// Files are written.
    Write,
    /// A diff is printed.
    Diff,
}

impl FixOptions {
    /// What is done with which edits, where they are made at all.
    pub(crate) fn mode(self) -> Option<(FixMode, Wanted)> {
        let wanted = if self.unsafe_fixes { Wanted::Unsafe } else { Wanted::Safe };
        match (self.diff, self.fix) {
            (true, _) => Some((FixMode::Diff, wanted)),
            (_, true) => Some((FixMode::Write, wanted)),
            _ => None,
        }
    }
}
