//! Where the few programs are that Harp starts.

use std::path::PathBuf;

/// The absolute folders of `PATH`. Relative ones are left out: what lies in the analysed project is not run.
pub(super) fn folders() -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).filter(|folder| folder.is_absolute()).collect()
}

/// The program of that name in a folder of `PATH`.
pub(super) fn find(name: &str) -> Option<PathBuf> {
    let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    folders().into_iter().map(|folder| folder.join(&name)).find(|path| path.is_file())
}
