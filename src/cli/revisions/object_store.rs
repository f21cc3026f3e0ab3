//! Looks at what git would open among a repository's objects before git starts, since a pipe in the
//! place of an object would stop git for ever, and a link or a list of alternates would let it read another
//! repository's objects.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use harp_corpus::{read_utf8, resolve_within};
use harp_report::UserError;

use crate::project_folders::shown;

/// Names that are looked at in all folders together; git packs objects long before.
const MOST_NAMES: usize = 2_000_000;
/// Git follows alternates of alternates no deeper.
const DEEPEST_CHAIN: usize = 5;
/// So many folders of objects are used together.
const MOST_STORES: usize = 64;
/// A larger list of alternates is refused.
const LARGEST_LIST: u64 = 1 << 20;
/// Where a folder of objects names others.
const ALTERNATES: &str = "info/alternates";
/// The same for transports; nothing is fetched, but who writes it means other objects.
const HTTP_ALTERNATES: &str = "info/http-alternates";

/// Makes sure that all that git may open below a folder of objects, which is without links, is a regular file in the repository, and that it takes
/// objects from elsewhere only where the user allows it.
pub(crate) fn check(objects: &Path, allows_alternates: bool) -> Result<(), UserError> {
    let mut stores = Stores { seen: BTreeSet::new(), names: 0, allows_alternates };
    stores.check(objects, 0)
}

struct Stores {
    seen: BTreeSet<PathBuf>,
    names: usize,
    allows_alternates: bool,
}

impl Stores {
    fn check(&mut self, objects: &Path, depth: usize) -> Result<(), UserError> {
        if !self.seen.insert(objects.to_owned()) {
            return Ok(());
        }
        if self.seen.len() > MOST_STORES || depth > DEEPEST_CHAIN {
            return Err(UserError::new("the repository takes objects from too many others").note(format!(
                "{MOST_STORES} folders of objects are used together, and chains of {DEEPEST_CHAIN} alternates"
            )));
        }
        self.each(objects, |stores, entry| {
            let name = entry.file_name();
            let is_used = name == "pack" || name == "info" || is_first_of_ids(&name.to_string_lossy());
            match is_used.then(|| folder(objects, entry)).transpose()?.flatten() {
                Some(folder) => stores.folder(objects, &folder),
                None => Ok(()),
            }
        })?;
        self.alternates(objects, depth)
    }

    /// Looks at the files of a folder, and at those of the folders within it.
    fn folder(&mut self, objects: &Path, path: &Path) -> Result<(), UserError> {
        self.each(path, |stores, entry| {
            // The entry knows its kind: no file is looked at.
            match entry.file_type() {
                Ok(kind) if kind.is_file() => Ok(()),
                // A folder is never opened as an object; `info/commit-graphs` has files.
                Ok(kind) if kind.is_dir() => stores.each(&entry.path(), |_, below| file(objects, below)),
                _ => file(objects, entry),
            }
        })
    }

    /// Looks at each name in a folder, one after the other: there may be very many.
    fn each(
        &mut self,
        path: &Path,
        look: impl Fn(&mut Stores, &fs::DirEntry) -> Result<(), UserError>,
    ) -> Result<(), UserError> {
        let unreadable = |error: std::io::Error| UserError::new(format!("{} cannot be read: {error}", shown(path)));
        for entry in fs::read_dir(path).map_err(unreadable)? {
            self.names += 1;
            if self.names > MOST_NAMES {
                return Err(UserError::new(format!("the repository has more than {MOST_NAMES} files of objects"))
                    .hint("`git gc` packs them"));
            }
            look(self, &entry.map_err(unreadable)?)?;
        }
        Ok(())
    }

    fn alternates(&mut self, objects: &Path, depth: usize) -> Result<(), UserError> {
        for list in [ALTERNATES, HTTP_ALTERNATES].map(|name| objects.join(name)) {
            if list.symlink_metadata().is_err() {
                continue;
            }
            let text = read_utf8(&list, LARGEST_LIST)
                .map_err(|error| UserError::new(format!("{} cannot be read: {error}", shown(&list))))?;
            let mut lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).peekable();
            if lines.peek().is_none() {
                continue;
            }
            if !self.allows_alternates {
                return Err(UserError::new(format!("{} leads to the objects of other repositories", shown(&list)))
                    .note("who wrote the repository chose them, and its commits can name any file in them")
                    .hint("`harp review --alternates` reads them, where you made the list, as `git clone --reference` does"));
            }
            for line in lines.filter(|_| list.ends_with(ALTERNATES)) {
                // Git takes a line in quotes for one with escapes.
                let other = (!line.starts_with('"')).then(|| objects.join(line).canonicalize().ok()).flatten();
                // Git passes over what is not there, too.
                if let Some(other) = other.filter(|other| other.is_dir()) {
                    self.check(&other, depth + 1)?;
                } else if line.starts_with('"') {
                    return Err(UserError::new(format!("{} has a line in quotes, which is not read", shown(&list))));
                }
            }
        }
        Ok(())
    }
}

/// The path of a folder that git looks into; `None` where the name is that of something else.
fn folder(objects: &Path, entry: &fs::DirEntry) -> Result<Option<PathBuf>, UserError> {
    let path = entry.path();
    match entry.file_type() {
        Ok(kind) if kind.is_dir() => Ok(Some(path)),
        Ok(kind) if kind.is_symlink() => match resolve_within(objects, &path) {
            Ok(real) => Ok(real.is_dir().then_some(real)),
            Err(_) => Err(refused(&path, "leads out of the repository's objects")),
        },
        _ => Ok(None),
    }
}

/// Makes sure that a name is that of a regular file, or of a folder.
fn file(objects: &Path, entry: &fs::DirEntry) -> Result<(), UserError> {
    let path = entry.path();
    let kind = entry.file_type().map_err(|error| refused(&path, &format!("cannot be read: {error}")))?;
    if kind.is_file() || kind.is_dir() {
        return Ok(());
    }
    if kind.is_symlink() {
        let real = resolve_within(objects, &path);
        return match real.map(|real| real.symlink_metadata().is_ok_and(|real| real.is_file())) {
            Ok(true) => Ok(()),
            Ok(false) => Err(refused(&path, "leads to no regular file")),
            Err(_) => Err(refused(&path, "leads out of the repository's objects")),
        };
    }
    Err(refused(&path, "is not a regular file"))
}

fn refused(path: &Path, what: &str) -> UserError {
    UserError::new(format!("{} {what}", shown(path))).note("git would open it")
}

/// Whether a folder of this name has the objects whose ids begin so.
fn is_first_of_ids(name: &str) -> bool {
    name.len() == 2 && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}
