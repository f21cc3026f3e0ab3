//! Puts the files of a commit into a folder of Harp's own, with what `harp check` would read there, and nothing else.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use crate::writing::files::{make_folders, put_new};

/// Where the ignore rules lie that are the user's own.
pub(crate) const EXCLUDE: &str = ".git/info/exclude";

/// The contents of files, by their paths in the repository.
pub(crate) type Files<'a> = BTreeMap<PathBuf, Cow<'a, [u8]>>;

/// Writes files to a new folder; those whose names the system does not take, or takes for those of others, are left out and returned.
pub(crate) fn write(folder: &Path, files: &Files<'_>) -> io::Result<Vec<PathBuf>> {
    make_folders(folder)?;
    let mut left_out = Vec::new();
    for (path, bytes) in files {
        match put_new(&folder.join(path), bytes) {
            Ok(()) => {}
            Err(error) if is_of_name(&error) => left_out.push(path.clone()),
            Err(error) => return Err(error),
        }
    }
    Ok(left_out)
}

/// Makes the folder a checkout as far as an analysis looks: projects end there.
pub(crate) fn mark_as_checkout(folder: &Path, exclude: &[u8]) -> io::Result<()> {
    put_new(&folder.join(EXCLUDE), exclude)
}

/// Whether a name is to blame: systems take other names, some take two for one, and a tree may have a file where it has a folder.
fn is_of_name(error: &io::Error) -> bool {
    use io::ErrorKind::*;
    matches!(
        error.kind(),
        AlreadyExists | NotADirectory | IsADirectory | InvalidFilename | InvalidInput | InvalidData | NotFound
    )
}
