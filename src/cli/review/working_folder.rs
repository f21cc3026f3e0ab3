//! `harp review`: the folder in which the process works, from which paths are shown.

use std::path::{Path, PathBuf};

use harp_report::UserError;

/// Works in a folder until it is dropped, and then in the one before. A side is analysed in its own folder, so that its files have the names that
/// they have in the repository, wherever the folder lies.
pub(super) struct WorkingFolder {
    before: PathBuf,
}

impl WorkingFolder {
    pub fn enter(folder: &Path) -> Result<WorkingFolder, UserError> {
        let failed = |error| UserError::new(format!("the temporary folder cannot be entered: {error}"));
        let before = std::env::current_dir().map_err(failed)?;
        std::env::set_current_dir(folder).map_err(failed)?;
        Ok(WorkingFolder { before })
    }
}

impl Drop for WorkingFolder {
    fn drop(&mut self) {
        // Where the folder is gone, there is nothing to go back to.
        let _ = std::env::set_current_dir(&self.before);
    }
}
