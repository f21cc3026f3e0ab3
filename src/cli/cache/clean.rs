//! `harp clean`.

use harp_report::UserError;
use harp_report::terminal_escape;
use harp_report::text::Color;

use super::CacheOptions;
use crate::Outcome;
use crate::options::CleanOptions;
use crate::output::Destination;
use crate::writing::files;

/// Removes the results that are kept, and nothing else that lies in their folder.
pub(crate) fn run(options: &CleanOptions) -> Result<Outcome, UserError> {
    let cache = CacheOptions { no_cache: false, cache_dir: options.cache_dir.clone() };
    let Some(folder) = cache.folder() else {
        return Err(UserError::new("no folder for results is known").hint("name it with `--cache-dir`"));
    };
    let (mut files, mut bytes) = (0_usize, 0);
    let place = terminal_escape::line(&folder.path().to_string_lossy());
    let entries = folder.entries().map_err(|error| UserError::new(format!("{place} cannot be read: {error}")))?;
    for entry in entries {
        let shown = || terminal_escape::line(&entry.path.to_string_lossy());
        files::remove(&entry.path)
            .map_err(|error| UserError::new(format!("{} cannot be removed: {error}", shown())))?;
        files += 1;
        bytes += entry.bytes;
    }
    Destination::StandardOutput.write(Color::Never, |out| match files {
        0 => writeln!(out, "no results are kept in {place}"),
        1 => writeln!(out, "the results of 1 run ({} KiB) were removed from {place}", bytes.div_ceil(1024)),
        files => writeln!(out, "the results of {files} runs ({} KiB) were removed from {place}", bytes.div_ceil(1024)),
    })?;
    Ok(Outcome::Clean)
}
