//! Where a command's output goes: the standard output, or a file that is complete or absent.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

use console::Term;

use harp_corpus::NamedPath;
use harp_report::text::Color;
use harp_report::{Guard, Notation, UserError};

use super::options::ColorChoice;
use super::pipeline::Analysis;
use super::project_folders::shown;
use crate::writing::{Refusal, files};

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
        let is_one_of = |path: &PathBuf, names: [&str; 3]| names.iter().any(|name| path == Path::new(name));
        match path {
            None => Destination::StandardOutput,
            // By its own descriptor, so that what a shell writes before and behind stays.
            Some(path) if is_one_of(&path, ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"]) => {
                Destination::StandardOutput
            }
            Some(path) if is_one_of(&path, ["/dev/stderr", "/dev/fd/2", "/proc/self/fd/2"]) => {
                Destination::StandardError
            }
            Some(path) => Destination::File(path),
        }
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
            Destination::File(path) => {
                files::write_report(path, notation, render).map_err(|refusal| not_written(path, &refusal))
            }
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

fn not_written(path: &Path, refusal: &Refusal) -> UserError {
    let error = UserError::new(format!("{} cannot be written: {refusal}", path.display()));
    match refusal.hint() {
        Some(hint) => error.hint(hint),
        None => error,
    }
}

/// Writes the files of a folder to one of another name, and moves them when all are complete.
///
/// # Errors
///
/// Where that cannot be.
pub(super) fn write_folder(folder: &Path, fill: impl FnOnce(&Path) -> io::Result<()>) -> Result<(), UserError> {
    files::write_folder(folder, fill).map_err(|refusal| not_written(folder, &refusal))
}

/// Writes a baseline, in the place of another one.
///
/// # Errors
///
/// Where that cannot be.
pub(super) fn write_baseline(file: &NamedPath, text: &str) -> Result<(), UserError> {
    files::write_baseline(file, text).map_err(|refusal| not_written(Path::new(&shown(&file.path)), &refusal))
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
        let path = folder.path().join("report.txt");
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
