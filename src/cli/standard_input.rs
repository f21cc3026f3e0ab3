//! A file that comes on the standard input, as from an editor: `harp check - --stdin-filename PATH`.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use harp_corpus::{LoadOptions, is_excluded};
use harp_report::UserError;

/// The name of what has none.
const NAME: &str = "<stdin>";

/// A file that came on the standard input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StandardInput {
    /// Where it would lie.
    pub path: PathBuf,
    /// All of it.
    pub bytes: Vec<u8>,
}

impl StandardInput {
    /// Whether a file at its place would be left out. What is no pattern was told when it was read.
    pub(super) fn is_excluded(&self, options: &LoadOptions) -> bool {
        let place = std::path::absolute(&self.path).unwrap_or_else(|_| self.path.clone());
        let folder = place.parent().and_then(|folder| folder.canonicalize().ok());
        let place = folder.zip(place.file_name()).map_or(place.clone(), |(folder, name)| folder.join(name));
        is_excluded(&place, false, options).unwrap_or(false)
    }
}

/// Where the standard input would lie if it were a file; `None` where it is not asked for.
///
/// # Errors
///
/// Where it is one of several paths, or has a name and is not asked for.
pub(super) fn path(given: &[PathBuf], named: Option<&Path>) -> Result<Option<PathBuf>, UserError> {
    match (given.iter().any(|path| path.as_os_str() == "-"), given.len(), named) {
        (true, 1, named) => Ok(Some(named.unwrap_or(Path::new(NAME)).to_owned())),
        (true, ..) => Err(UserError::new("`-`, the standard input, is checked without other paths")),
        (false, _, Some(_)) => Err(UserError::new("`--stdin-filename` names the standard input, which is not checked")
            .hint("write `-` in place of the paths")),
        (false, _, None) => Ok(None),
    }
}

/// Reads it.
///
/// # Errors
///
/// Where it has more bytes than `limit`, or cannot be read.
pub(super) fn read(path: PathBuf, limit: u64) -> Result<StandardInput, UserError> {
    let mut bytes = Vec::new();
    match io::stdin().lock().take(limit.saturating_add(1)).read_to_end(&mut bytes) {
        Ok(length) if length as u64 <= limit => Ok(StandardInput { path, bytes }),
        Ok(_) => Err(UserError::new(format!("the standard input has more than {limit} bytes"))
            .hint("`--max-file-size` sets the limit")),
        Err(error) => Err(UserError::new(format!("the standard input cannot be read: {error}"))),
    }
}
