//! `--baseline`: findings that the project knows of are not reported again.

use std::path::{Path, PathBuf};

use harp_corpus::{FileError, NamedPath};
use harp_report::baseline::{Baseline, Compared};
use harp_report::text::Color;
use harp_report::{Summary, UserError};

use super::output::Destination;
use super::pipeline::Analysis;
use super::project_folders::shown;

/// A larger file is no baseline.
const LARGEST_FILE: u64 = 64 << 20;

/// Leaves out of an analysis what the baseline knows.
pub(super) fn leave_out(file: &NamedPath, analysis: &mut Analysis) -> Result<(), UserError> {
    let baseline = read(file)?;
    let Compared { known, gone } = baseline.leave_out(&mut analysis.findings, &analysis.corpus);
    let Summary { in_baseline, gone_from_baseline, .. } = &mut analysis.summary;
    (*in_baseline, *gone_from_baseline) = (known, gone);
    Ok(())
}

/// Writes the baseline in which all findings of an analysis are known, and says what it says.
pub(super) fn update(path: &Path, analysis: &Analysis) -> Result<String, UserError> {
    let baseline = Baseline::of(&analysis.findings, &analysis.corpus);
    let text = baseline.text();
    Destination::File(path.to_owned()).write(Color::Never, |out| out.write_all(text.as_bytes()))?;
    let count = analysis.findings.len();
    let findings = if count == 1 { "1 finding".to_owned() } else { format!("{count} findings") };
    Ok(format!("{findings} in {}", shown(path)))
}

/// Reads the file of a baseline.
pub(super) fn read(file: &NamedPath) -> Result<Baseline, UserError> {
    let name = shown(&file.path);
    let text = file.read_utf8(LARGEST_FILE).map_err(|error| {
        let told = UserError::new(format!("{name} cannot be read: {error}"));
        match error {
            FileError::Unreadable(_) if !file.path.exists() => told.hint("`--update-baseline` writes it"),
            _ => told,
        }
    })?;
    Baseline::parse(&text).map_err(|(reason, line, column)| {
        let before: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
        let at = (before + column.saturating_sub(1)).min(text.len());
        let at = (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        let error = UserError::new(format!("{name} is no baseline: {reason}"));
        error.at(&*name, &*text, at..at, "").hint("`--update-baseline` writes it anew")
    })
}

/// The baseline of the command line, or else that of the configuration.
pub(super) fn chosen(option: Option<&PathBuf>, configured: Option<NamedPath>) -> Option<NamedPath> {
    option.map(|path| NamedPath::by_user(path.clone())).or(configured)
}
