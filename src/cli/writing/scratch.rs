//! Temporary folders of Harp's own. Whoever uses one holds a lock in it, which the system takes away from a program that is killed: the next one that
//! makes such a folder removes those that nobody holds.

use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Once;

/// What the folders' names begin with.
const PREFIX: &str = "harp-";
/// The file that is locked.
const LOCK: &str = ".harp-lock";

/// Removes what programs left that were killed, once.
pub(super) fn sweep_once() {
    static SWEPT: Once = Once::new();
    SWEPT.call_once(|| sweep(&std::env::temp_dir()));
}

/// Makes a folder that nobody else may read, without links in its path. It is in use for as long as the file is held.
pub(super) fn make() -> io::Result<(PathBuf, File)> {
    let path = tempfile::Builder::new().prefix(PREFIX).tempdir()?.keep();
    // Absolute and without links, as what is compared with it.
    let path = path.canonicalize().unwrap_or(path);
    let lock = lock(&path).inspect_err(|_| drop(fs::remove_dir_all(&path)))?;
    Ok((path, lock))
}

/// Locks a new folder. The file has its name once it is locked, so that nobody finds it without its lock.
fn lock(folder: &Path) -> io::Result<File> {
    let unnamed = folder.join(".harp-lock.tmp");
    let file = File::create_new(&unnamed)?;
    // A system without locks has folders that nobody removes for others.
    if file.try_lock().is_ok() {
        fs::rename(unnamed, folder.join(LOCK))?;
    }
    Ok(file)
}

/// Removes what programs left that were killed.
fn sweep(temporary: &Path) {
    for entry in fs::read_dir(temporary).into_iter().flatten().flatten() {
        let is_named = entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX));
        if is_named && is_left(&entry.path()) {
            // What cannot be removed now may be another time: the lock goes last.
            let _ = remove(&entry.path());
        }
    }
}

fn remove(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        match entry.file_type()?.is_dir() {
            true => fs::remove_dir_all(entry.path())?,
            false if entry.file_name() != LOCK => fs::remove_file(entry.path())?,
            false => {}
        }
    }
    fs::remove_dir_all(folder)
}

/// Whether a folder is one of ours that nobody uses.
fn is_left(folder: &Path) -> bool {
    let is_ours = fs::symlink_metadata(folder).is_ok_and(|it| it.is_dir() && is_of_this_user(&it));
    let lock = folder.join(LOCK);
    let is_file = || fs::symlink_metadata(&lock).is_ok_and(|it| it.is_file());
    is_ours && is_file() && File::open(&lock).is_ok_and(|file| file.try_lock().is_ok())
}

#[cfg(unix)]
fn is_of_this_user(folder: &Metadata) -> bool {
    std::os::unix::fs::MetadataExt::uid(folder) == rustix::process::geteuid().as_raw()
}

/// The temporary folder is one of the user.
#[cfg(not(unix))]
fn is_of_this_user(_: &Metadata) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_go_that_nobody_holds() {
        let temporary = tempfile::tempdir().expect("a folder");
        let named = |name: &str| {
            let folder = temporary.path().join(name);
            fs::create_dir(&folder).expect("a new name");
            fs::write(folder.join("half.py"), "import").expect("a file");
            folder
        };
        let (left, held, unlocked, of_others) =
            (named("harp-left"), named("harp-held"), named("harp-unlocked"), named("others"));
        drop(lock(&left).expect("a lock"));
        let holder = lock(&held).expect("a lock");
        drop(lock(&of_others).expect("a lock"));
        sweep(temporary.path());
        assert_eq!([&left, &held, &unlocked, &of_others].map(|it| it.exists()), [false, true, true, true]);
        drop(holder);
        sweep(temporary.path());
        assert!(!held.exists() && unlocked.exists());
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed() {
        let temporary = tempfile::tempdir().expect("a folder");
        let elsewhere = tempfile::tempdir().expect("a folder");
        drop(lock(elsewhere.path()).expect("a lock"));
        std::os::unix::fs::symlink(elsewhere.path(), temporary.path().join("harp-link")).expect("a link");
        sweep(temporary.path());
        assert!(elsewhere.path().join(LOCK).exists());
    }
}
