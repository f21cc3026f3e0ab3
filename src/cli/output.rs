//! Where output goes: the standard output, or a file that is complete or absent.

use std::fs::{self, File};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

use console::Term;

use harp_report::text::Color;
use harp_report::{Guard, Notation, UserError};

use super::options::ColorChoice;
use super::pipeline::Analysis;
use super::project_folders::place_in_checkout;
use crate::atomic_output::{Unfinished, overwrite};

/// Where a report goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Destination {
    StandardOutput,
    /// Where the standard output is for a fixed source.
    StandardError,
    File(PathBuf),
}

impl From<Option<PathBuf>> for Destination {
    fn from(path: Option<PathBuf>) -> Destination {
        path.map_or(Destination::StandardOutput, Destination::File)
    }
}

impl Destination {
    /// Whether to colour what goes there.
    pub fn color(&self, choice: ColorChoice) -> Color {
        let is_terminal = match self {
            Destination::StandardOutput => io::stdout().is_terminal(),
            Destination::StandardError => io::stderr().is_terminal(),
            Destination::File(_) => false,
        };
        resolve_color(choice, is_terminal)
    }

    /// The columns that sentences are to fit: those that were asked for, else those of the terminal that the output goes to. Files and pipes
    /// have none, so that a line stays what is searched for.
    pub fn width(&self, asked: Option<u16>) -> Option<usize> {
        let terminal = match self {
            Destination::StandardOutput => Term::stdout(),
            Destination::StandardError => Term::stderr(),
            Destination::File(_) => return asked.map(usize::from),
        };
        asked.or_else(|| terminal.is_term().then(|| columns(&terminal)).flatten()).map(usize::from)
    }

    /// Writes what `render` writes, through a [`Guard`]. A reader that went away (`harp … | head`) is no error.
    pub fn write(&self, color: Color, render: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), UserError> {
        self.write_as(Notation::Text(color), render)
    }

    /// The same for another notation than that of texts.
    pub fn write_as(
        &self,
        notation: Notation,
        render: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), UserError> {
        match self {
            Destination::StandardOutput => write_stream(Guard::new(io::stdout().lock(), notation), "output", render),
            Destination::StandardError => write_stream(Guard::new(io::stderr().lock(), notation), "error", render),
            Destination::File(path) => write_file(path, notation, render)
                .map_err(|error| UserError::new(format!("{} cannot be written: {error}", path.display()))),
        }
    }
}

/// The columns of a terminal; `COLUMNS` wins, as it does for other programs.
fn columns(terminal: &Term) -> Option<u16> {
    let stated = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok()).filter(|columns| *columns > 0);
    stated.or_else(|| terminal.size_checked().map(|(_, columns)| columns).filter(|columns| *columns > 0))
}

fn write_stream(
    out: impl Write,
    name: &str,
    render: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), UserError> {
    let mut out = BufWriter::new(out);
    let written = render(&mut out).and_then(|()| out.flush());
    // The buffer is not flushed again on drop: the error was seen.
    let _ = out.into_parts();
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(UserError::new(format!("the standard {name} cannot be written: {error}")))
        }
        _ => Ok(()),
    }
}

/// Writes a source to the standard output as it is, byte for byte, for the program that gave it. A terminal gets it through a [`Guard`].
pub(super) fn write_source(bytes: &[u8]) -> Result<(), UserError> {
    if io::stdout().is_terminal() {
        let text = String::from_utf8_lossy(bytes);
        return Destination::StandardOutput.write(Color::Never, |out| out.write_all(text.as_bytes()));
    }
    write_stream(io::stdout().lock(), "output", |out| out.write_all(bytes))
}

/// Whether messages on the standard error are coloured.
pub fn error_color(choice: ColorChoice) -> Color {
    resolve_color(choice, io::stderr().is_terminal())
}

fn resolve_color(choice: ColorChoice, terminal: bool) -> Color {
    let unwanted = || {
        std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
            || std::env::var_os("TERM").is_some_and(|value| value == "dumb")
    };
    match choice {
        ColorChoice::Always => Color::Always,
        ColorChoice::Auto if terminal && !unwanted() => Color::Always,
        ColorChoice::Auto | ColorChoice::Never => Color::Never,
    }
}

/// Links that lead on to links are followed this often.
const MOST_LINKS: usize = 40;

/// Writes to a temporary file beside `path` and renames it, so that no reader sees half a report. What is there and is no file, such
/// as a device or a pipe, is written to directly. A link stays, and leads to the report.
fn write_file(
    path: &Path,
    notation: Notation,
    render: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let target = link_target(path)?;
    let old = fs::metadata(&target);
    if let Ok(old) = &old {
        // Who may not write to a file may not replace it either.
        let file = File::options().write(true).open(&target)?;
        if !old.is_file() {
            return fill(file, notation, render);
        }
    }
    match Unfinished::file_in(target.parent().unwrap_or(Path::new(""))) {
        Ok((unfinished, file)) => {
            fill(file, notation, render)?;
            unfinished.replace(&target)
        }
        // A file in a folder that takes no others.
        Err(_) if old.is_ok() => {
            let mut whole = Vec::new();
            render(&mut Guard::new(&mut whole, notation))?;
            overwrite(&target, whole.as_slice())
        }
        Err(error) => Err(error),
    }
}

/// What a path leads to, also where there is nothing yet. A link in a git checkout does not lead out of it: nobody who wants a report written there
/// means what the project's authors put in its place.
fn link_target(path: &Path) -> io::Result<PathBuf> {
    if let Some(place) = place_in_checkout(path) {
        return place.map_err(|error| io::Error::other(error.to_string()));
    }
    let mut target = path.to_owned();
    for _ in 0..MOST_LINKS {
        let Ok(next) = fs::read_link(&target) else { break };
        target = target.parent().unwrap_or(Path::new("")).join(next);
    }
    Ok(target)
}

/// Writes the files of a folder to one of another name, and moves them when all are complete.
pub(super) fn write_folder(folder: &Path, fill: impl FnOnce(&Path) -> io::Result<()>) -> Result<(), UserError> {
    let write = || {
        let target = link_target(folder)?;
        let is_there = target.is_dir();
        let parent = if is_there { &target } else { target.parent().unwrap_or(Path::new("")) };
        fs::create_dir_all(parent)?;
        let unfinished = Unfinished::folder_in(parent)?;
        fill(unfinished.path())?;
        unfinished.merge_into(&target)
    };
    write().map_err(|error: io::Error| UserError::new(format!("{} cannot be written: {error}", folder.display())))
}

/// Writes a file that nobody reads yet.
pub(super) fn write_new(
    path: &Path,
    notation: Notation,
    render: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    fill(File::options().write(true).create_new(true).open(path)?, notation, render)
}

/// Puts other bytes in the place of a file, whole or not at all. Its path is absolute and without links.
///
/// # Errors
///
/// Where it is no regular file any more, may not be written, or lies in a folder that takes no others.
pub(super) fn replace_contents(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if !fs::symlink_metadata(path)?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    // Who may not write to a file may not replace it either.
    File::options().write(true).open(path)?;
    let (unfinished, mut file) = Unfinished::file_in(path.parent().unwrap_or(Path::new("")))?;
    file.write_all(bytes)?;
    drop(file);
    unfinished.replace(path)
}

fn fill(file: File, notation: Notation, render: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut out = BufWriter::new(Guard::new(file, notation));
    render(&mut out)?;
    out.flush()
}

/// The standard error, through a [`Guard`].
pub(super) fn standard_error(color: Color) -> impl Write {
    Guard::new(io::stderr().lock(), Notation::Text(color))
}

/// What its user should know of a run before any finding.
pub(super) fn show_messages(analysis: &Analysis, color: ColorChoice) {
    show_errors(&analysis.errors, color);
    show_errors(&analysis.warnings, color);
    show_errors(&analysis.defects.messages(), color);
}

/// Writes user errors to the standard error, as far as anyone listens there.
pub fn show_errors(errors: &[UserError], choice: ColorChoice) {
    let color = error_color(choice);
    let mut out = standard_error(color);
    for error in errors {
        let _ = writeln!(out, "{}\n", error.render(color));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("report.json");
        std::fs::write(&path, "old").unwrap();
        let destination = Destination::File(path.clone());
        let failed = destination.write(Color::Never, |out| {
            out.write_all(b"half")?;
            Err(io::Error::other("broken"))
        });
        assert!(failed.is_err());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "old");
        destination.write(Color::Never, |out| out.write_all(b"new")).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
