//! The folder of the cache: a file for each result, replaced whole, the oldest removed where there are too many.
//! Whatever goes wrong there, an analysis is made without it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use etcetera::BaseStrategy;
use harp_corpus::{read_bytes, resolve_within};

use crate::writing::files;
use crate::writing::unfinished::is_unfinished;

/// How the names of files with results end; before it stand so many hexadecimal digits.
const ENDING: &str = "harp";
const DIGITS: usize = 64;
/// Larger results are not kept.
const LARGEST: u64 = 64 << 20;
/// No more results than these are kept,
const MOST_FILES: usize = 1024;
/// of no more bytes than these.
const MOST_BYTES: u64 = 512 << 20;
/// A file that was not finished in this time is of a program that was killed.
const LONGEST_WRITING: Duration = Duration::from_secs(3600);
/// What tells programs that make copies of folders to leave this one out.
const TAG: (&str, &str) = (
    "CACHEDIR.TAG",
    "Signature: 8a477f597d28d172789f06886806bc55\n# Results that Harp keeps; `harp clean` removes them.\n",
);

/// A folder with results.
#[derive(Clone, Debug)]
pub(super) struct Folder(PathBuf);

/// A file with results.
pub(super) struct Entry {
    pub path: PathBuf,
    pub bytes: u64,
    used: SystemTime,
}

/// The folder of the user's that is meant for such files.
pub(super) fn usual() -> Option<PathBuf> {
    Some(etcetera::choose_base_strategy().ok()?.cache_dir().join("harp"))
}

impl Folder {
    pub fn new(path: PathBuf) -> Folder {
        Folder(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The results of a name.
    pub fn read(&self, name: &str) -> Option<Vec<u8>> {
        let folder = self.0.canonicalize().ok()?;
        let path = resolve_within(&folder, Path::new(&format!("{name}.{ENDING}"))).ok()?;
        let bytes = read_bytes(&path, LARGEST).ok()?;
        // What is used stays longest; where that cannot be noted, it goes with the others.
        let _ = files::touch(&path);
        Some(bytes)
    }

    /// Keeps results. Where that is not possible, they are made again by the next run.
    pub fn write(&self, name: &str, bytes: &[u8]) {
        if bytes.len() as u64 <= LARGEST && self.try_write(name, bytes).is_ok() {
            self.remove_oldest();
        }
    }

    fn try_write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        if !self.0.is_dir() {
            files::make_private_folder(&self.0)?;
            files::put_private(&self.0.join(TAG.0), TAG.1.as_bytes())?;
        }
        files::put_private(&self.0.join(format!("{name}.{ENDING}")), bytes)
    }

    /// Why nothing that lies here is used, as the end of a sentence: somebody else could have written it.
    pub fn objection(&self) -> Option<&'static str> {
        let metadata = fs::metadata(&self.0).ok()?;
        objection_to(&metadata)
    }

    /// Everything that is kept, what was used last first.
    ///
    /// # Errors
    ///
    /// Where the folder is there, and cannot be listed.
    pub fn entries(&self) -> io::Result<Vec<Entry>> {
        let children = match fs::read_dir(&self.0) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && fs::symlink_metadata(&self.0).is_err() => {
                return Ok(Vec::new());
            }
            children => children?,
        };
        let now = SystemTime::now();
        let entry = |path: PathBuf| {
            let metadata = fs::symlink_metadata(&path).ok().filter(fs::Metadata::is_file)?;
            let used = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            let is_old = now.duration_since(used).is_ok_and(|age| age > LONGEST_WRITING);
            (has_results(&path) || is_old).then_some(Entry { path, bytes: metadata.len(), used })
        };
        let paths = children.filter_map(Result::ok).map(|child| child.path());
        let mut entries: Vec<Entry> =
            paths.filter(|path| has_results(path) || is_unfinished(path)).filter_map(entry).collect();
        entries.sort_by(|left, right| (right.used, &left.path).cmp(&(left.used, &right.path)));
        Ok(entries)
    }

    fn remove_oldest(&self) {
        let mut bytes = 0;
        for (index, entry) in self.entries().unwrap_or_default().iter().enumerate() {
            bytes += entry.bytes;
            if index >= MOST_FILES || bytes > MOST_BYTES {
                let _ = files::remove(&entry.path);
            }
        }
    }
}

/// Whether a file has the name of one with results.
fn has_results(path: &Path) -> bool {
    let is_digits = |stem: &str| stem.len() == DIGITS && stem.bytes().all(|byte| byte.is_ascii_hexdigit());
    path.extension().is_some_and(|ending| ending == ENDING)
        && path.file_stem().and_then(|stem| stem.to_str()).is_some_and(is_digits)
}

#[cfg(unix)]
fn objection_to(metadata: &fs::Metadata) -> Option<&'static str> {
    use std::os::unix::fs::MetadataExt;
    if metadata.uid() != rustix::process::geteuid().as_raw() {
        Some("belongs to another user")
    } else if metadata.mode() & 0o002 != 0 {
        Some("can be written by all users")
    } else {
        None
    }
}

#[cfg(not(unix))]
fn objection_to(_: &fs::Metadata) -> Option<&'static str> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_is_kept_than_may_be() {
        let root = tempfile::tempdir().unwrap();
        let folder = Folder::new(root.path().join("a/b"));
        let name = |index: usize| format!("{index:064x}");
        for index in 0..MOST_FILES + 3 {
            folder.try_write(&name(index), b"x").unwrap();
            let file =
                fs::File::options().append(true).open(folder.path().join(format!("{}.harp", name(index)))).unwrap();
            file.set_modified(SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(index as u64)).unwrap();
        }
        assert!(folder.read(&name(0)).is_some());
        fs::write(folder.path().join("of somebody else"), "").unwrap();
        folder.write(&name(5000), b"y");
        assert_eq!(folder.entries().unwrap().len(), MOST_FILES);
        // The first one was used after the others.
        assert!(folder.read(&name(0)).is_some() && folder.read(&name(1)).is_none());
        assert!(folder.path().join("of somebody else").exists());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_out_of_the_folder_is_not_followed() {
        let root = tempfile::tempdir().unwrap();
        let folder = Folder::new(root.path().join("cache"));
        let name = "0".repeat(64);
        folder.try_write(&name, b"x").unwrap();
        let path = folder.path().join(format!("{name}.harp"));
        fs::rename(&path, root.path().join("elsewhere")).unwrap();
        std::os::unix::fs::symlink(root.path().join("elsewhere"), &path).unwrap();
        assert_eq!(folder.read(&name), None);
        folder.write(&name, b"new");
        assert_eq!(fs::read(root.path().join("elsewhere")).unwrap(), b"x");
        assert_eq!(folder.read(&name).as_deref(), Some(&b"new"[..]));
    }
}
