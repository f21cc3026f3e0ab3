//! The folder of an audit: a file for each tree, which is there whole or not at all, and the tables made of them.

use std::fs;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::time::Duration;

use harp_corpus::{read_bytes, read_utf8};
use harp_limits::contained_reading;
use harp_report::UserError;
use harp_tables::Part;

use super::options::Shard;
use crate::project_folders::shown;
use crate::writing::files::{make_folders, remove};
use crate::writing::unfinished::{Unfinished, is_unfinished};

/// A larger file is no part.
const LARGEST_PART: u64 = 1 << 30;
/// What says that a folder is one of an audit, to a reader as well,
const MARK: &str = "README.txt";
/// and how it begins.
const MARKED: &str = "An audit by Harp.";
const EXPLAINED: &str = "An audit by Harp. The tables and reports are made of the files in `parts`, one for each repository; `harp audit` with this folder
continues the audit, and writes over what is here. Keep nothing else in this folder.
";
/// Where the parts lie.
const PARTS: &str = "parts";
/// Where it is written what a command brought.
const FETCHED: &str = "fetched";
/// Where rows of relations lie: below the parts those of each tree, and beside them the tables.
pub(super) const FACTS: &str = "facts";
/// Where the logs lie.
const LOGS: &str = "sarif";

/// The name of the log of a tree.
pub(super) fn log_name(key: &str) -> String {
    format!("{key}.sarif")
}

/// Files that runs which were killed did not finish: another run may still write to younger ones.
const LEFT_AFTER: Duration = Duration::from_secs(24 * 3600);

/// Removes unfinished files of earlier runs.
fn remove_left(folder: &Path) {
    let is_old = |path: &Path| {
        let changed = path.symlink_metadata().and_then(|metadata| metadata.modified()).ok();
        changed.and_then(|time| time.elapsed().ok()).is_some_and(|age| age > LEFT_AFTER)
    };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    // One that cannot be removed is in nobody's way.
    entries.filter(|path| is_unfinished(path) && is_old(path)).for_each(|path| drop(remove(&path)));
}

fn is_marked(folder: &Path) -> bool {
    read_utf8(&folder.join(MARK), 4 << 10).is_ok_and(|text| text.starts_with(MARKED))
}

/// The folder of an audit.
#[derive(Clone, Debug)]
pub(super) struct Folder(PathBuf);

impl Folder {
    /// Makes the folder, or takes one that an audit made.
    pub fn open(path: &Path) -> Result<Folder, UserError> {
        let unwritable = |error: io::Error| UserError::new(format!("{} cannot be written: {error}", shown(path)));
        let is_marked = is_marked(path);
        if path.is_dir() && !is_marked {
            let mut entries = fs::read_dir(path).map_err(unwritable)?;
            if entries.any(|entry| entry.is_ok_and(|entry| !is_unfinished(&entry.path()))) {
                return Err(UserError::new(format!("{} has files of others", shown(path)))
                    .hint("name a new folder, or one that an audit made"));
            }
        }
        let path = std::path::absolute(path).map_err(unwritable)?;
        make_folders(&path).map_err(unwritable)?;
        let folder = path.canonicalize().map_err(unwritable)?;
        if !is_marked {
            let mark = |out: &mut (dyn io::Write + Send)| out.write_all(EXPLAINED.as_bytes());
            Folder(folder.clone()).put(&folder.join(MARK), mark).map_err(unwritable)?;
        }
        make_folders(&folder.join(PARTS)).map_err(unwritable)?;
        remove_left(&folder);
        for below in [PARTS, FACTS, LOGS, FETCHED] {
            remove_left(&folder.join(below));
        }
        remove_left(&folder.join(PARTS).join(FACTS));
        // Who may not write there is told before anything is analysed.
        Unfinished::file_in(&folder.join(PARTS)).map_err(unwritable)?;
        Ok(Folder(folder))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }

    fn part(&self, key: &str) -> PathBuf {
        self.0.join(PARTS).join(format!("{key}.parquet"))
    }

    /// What is known of a tree; `None` where it was not analysed, or its file is damaged.
    pub fn read(&self, key: &str) -> Option<Part> {
        let bytes = read_bytes(&self.part(key), LARGEST_PART).ok()?;
        // What reads Parquet panics on some damaged files.
        contained_reading(|| Part::read(bytes)).ok().flatten()
    }

    /// Writes what is known of a tree.
    pub fn write(&self, key: &str, part: &Part) -> io::Result<()> {
        self.put(&self.part(key), |out| part.write(out))
    }

    /// What is known of a tree that was analysed before.
    pub fn read_again(&self, key: &str) -> io::Result<Part> {
        self.read(key).ok_or_else(|| io::Error::other(format!("the part {key} is damaged or gone")))
    }

    /// Whether a tree has a log.
    pub fn has_log(&self, key: &str) -> bool {
        self.0.join(LOGS).join(log_name(key)).is_file()
    }

    /// The rows that a tree has of a relation, by the name of its table.
    pub fn facts(&self, key: &str, table: &str) -> PathBuf {
        self.0.join(PARTS).join(FACTS).join(format!("{key}.{table}.parquet"))
    }

    /// Writes a file beside the logs.
    pub fn put_log(&self, name: &str, write: impl FnOnce(&mut dyn io::Write) -> io::Result<()>) -> io::Result<()> {
        self.put_below(&self.0.join(LOGS).join(name), |out| write(out))
    }

    /// The key and the revision of what a command brought.
    pub fn fetched(&self, name_key: &str) -> Option<(String, Option<String>)> {
        let text = read_utf8(&self.0.join(FETCHED).join(name_key), 4 << 10).ok()?;
        let mut lines = text.lines().map(ToOwned::to_owned);
        let key = lines.next().filter(|key| !key.is_empty())?;
        Some((key, lines.next().filter(|revision| !revision.is_empty())))
    }

    /// Notes what a command brought.
    pub fn note_fetched(&self, name_key: &str, key: &str, revision: Option<&str>) -> io::Result<()> {
        let text = format!("{key}\n{}\n", revision.unwrap_or_default());
        self.put_below(&self.0.join(FETCHED).join(name_key), |out| out.write_all(text.as_bytes()))
    }

    /// The same in a folder which may not be there.
    pub fn put_below(
        &self,
        path: &Path,
        write: impl FnOnce(&mut (dyn io::Write + Send)) -> io::Result<()>,
    ) -> io::Result<()> {
        make_folders(path.parent().unwrap_or(Path::new("")))?;
        self.put(path, write)
    }

    /// Removes tables of earlier runs that belong to no table of this one: those of shards of another division, and, where the whole was audited, those
    /// of all shards. Tables of relations go that were not asked for, and the index of logs.
    pub fn forget(&self, shard: Option<Shard>, relations: &[&str], has_logs: bool) {
        let is_table = |name: &str| {
            let divided = name.strip_suffix(".parquet").and_then(|stem| stem.rsplit_once("-of-"));
            divided.is_some_and(|(_, of)| of.parse::<u64>().is_ok_and(|of| shard.is_none_or(|shard| shard.of != of)))
        };
        let is_unasked = |name: &str| {
            let stem = name.strip_suffix(".parquet").unwrap_or_default();
            shard.is_none() && !relations.contains(&stem)
        };
        let is_index =
            |name: &str| !has_logs && shard.is_none() && name.starts_with("index") && name.ends_with(".json");
        let remove_in = |folder: PathBuf, is_old: &dyn Fn(&str) -> bool| {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                if entry.file_name().to_str().is_some_and(is_old) {
                    // A table that cannot be removed is one that cannot be written over either.
                    let _ = remove(&entry.path());
                }
            }
        };
        remove_in(self.0.clone(), &is_table);
        remove_in(self.0.join(FACTS), &|name| name.ends_with(".parquet") && (is_table(name) || is_unasked(name)));
        remove_in(self.0.join(LOGS), &is_index);
    }

    /// Writes a file of the folder, which has its name when it is complete.
    pub fn put(
        &self,
        path: &Path,
        write: impl FnOnce(&mut (dyn io::Write + Send)) -> io::Result<()>,
    ) -> io::Result<()> {
        let (unfinished, file) = Unfinished::file_in(path.parent().unwrap_or(Path::new("")))?;
        let mut out = BufWriter::new(file);
        write(&mut out)?;
        // What a full disk did not take is told here, and not when the file is closed.
        out.into_inner().map_err(io::IntoInnerError::into_error)?.sync_data()?;
        unfinished.rename(path)
    }
}

#[cfg(test)]
mod tests {
    use harp_tables::Name;
    use harp_tables::rows::{Repository, Status};

    use super::*;

    #[test]
    fn damaged_parts_are_made_again() {
        let out = tempfile::tempdir().expect("a folder");
        let folder = Folder::open(&out.path().join("audit")).expect("a folder");
        let name = Name { repository: "a".to_owned(), revision: None };
        let row = Repository { paths: vec!["train.py".to_owned(); 20], ..Repository::without(Status::Ok, "") };
        folder.write("key", &Part::of(&name, &row, "1").expect("few rows")).expect("it is written");
        let path = folder.part("key");
        let whole = fs::read(&path).expect("a file");
        assert!(folder.read("key").is_some());
        for place in (0..whole.len()).step_by(29) {
            let mut damaged = whole.clone();
            damaged[place] ^= 0x5a;
            fs::write(&path, &damaged).expect("a file");
            // None where it is no part any more: a word of a text may be another one.
            let _ = folder.read("key");
        }
        fs::write(&path, &whole[..whole.len() / 2]).expect("a file");
        assert!(folder.read("key").is_none());
    }
}
