//! The gate for writing: files of the analysed program, which `--fix` and `harp suppress` edit.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use harp_corpus::NamedPath;

use super::gate::{self, Refusal};
use super::unfinished::Unfinished;
use crate::project_folders::outermost_checkout;

/// Why a file is not edited, as a clause; `None` where it is. `file` is absolute and without links; `given` is what the user named.
pub fn objection(file: &Path, given: &[PathBuf]) -> Option<&'static str> {
    let leads_here = |path: &&PathBuf| path.canonicalize().is_ok_and(|real| file.starts_with(real));
    let mut ways = given.iter().filter(leads_here).peekable();
    // What nobody named by a path on disk has no link on its way.
    let is_reached = ways.peek().is_none() || ways.any(|path| has_no_link(path));
    let is_protected = || fs::symlink_metadata(file).is_ok_and(|file| gate::is_unprotected(&file).is_err());
    if !is_reached {
        Some("a link leads to its file")
    } else if gate::of_other_tool(file).is_some() {
        Some("its file lies in a folder of another tool")
    } else if is_protected() {
        Some("its file is read-only")
    } else {
        None
    }
}

/// Whether no link of the git checkout leads from a path to its file. Outside of checkouts, a folder may have two names; a file is only edited by its own.
fn has_no_link(path: &Path) -> bool {
    let Ok(path) = std::path::absolute(path) else { return false };
    let Some(parent) = path.parent() else { return true };
    if path.is_dir() && path.is_symlink() && outermost_checkout(parent).is_none() {
        let folder = parent.canonicalize();
        return folder.is_ok_and(|folder| path.canonicalize().is_ok_and(|real| real.starts_with(folder)));
    }
    // Of folders of other tools, what lies there says so itself.
    matches!(gate::place(&NamedPath::by_user(path)), Ok(_) | Err(Refusal::OfOtherTool(_)))
}

/// Puts other bytes in the place of a source, whole or not at all. Its path is absolute and without links.
///
/// # Errors
///
/// Where it is no regular file any more, may not be written, or lies in a folder that takes no others.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<(), Refusal> {
    let old = fs::symlink_metadata(path)?;
    if !old.is_file() {
        return Err(Refusal::NotRegular);
    }
    gate::is_unprotected(&old)?;
    if let Some(folder) = gate::of_other_tool(path) {
        return Err(Refusal::OfOtherTool(folder));
    }
    // Who may not write to a file may not replace it either.
    File::options().write(true).open(path)?;
    let (unfinished, mut file) = Unfinished::file_in(path.parent().unwrap_or(Path::new("")))?;
    file.write_all(bytes)?;
    drop(file);
    Ok(unfinished.replace(path)?)
}
