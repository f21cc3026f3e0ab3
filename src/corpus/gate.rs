//! The one gate through which files are opened: a path is a regular file within a limit, and lies where whoever named it may lead, or it
//! is not opened. A pipe would block, and a device might never end; a file outside of an analysed project may hold secrets of whoever
//! runs the analysis. `docs/security.md` lists who names which file.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

/// Why a file is not read. Shown, it is the end of a sentence such as "the file cannot be read: …".
#[derive(Debug)]
pub enum FileError {
    /// A folder, a device, a pipe or a socket.
    NotRegular,
    /// It has this many bytes, or more; only so many are read.
    TooLarge {
        /// In bytes, as far as they were counted.
        size: u64,
        /// In bytes.
        limit: u64,
    },
    /// It is not text in UTF-8.
    NotText,
    /// Whoever named it may not lead there.
    Outside,
    /// The operating system refused, or nothing is there.
    Unreadable(io::Error),
}

impl fmt::Display for FileError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FileError::NotRegular => formatter.write_str("it is not a regular file"),
            FileError::TooLarge { limit, .. } if *limit >= 1 << 20 => {
                write!(formatter, "it is larger than {} MiB", limit >> 20)
            }
            FileError::TooLarge { limit, .. } => write!(formatter, "it is larger than {limit} bytes"),
            FileError::NotText => formatter.write_str("it is not UTF-8 text"),
            FileError::Outside => formatter.write_str("it leads out of the project"),
            FileError::Unreadable(error) => write!(formatter, "{error}"),
        }
    }
}

impl std::error::Error for FileError {}

impl From<io::Error> for FileError {
    fn from(error: io::Error) -> FileError {
        FileError::Unreadable(error)
    }
}

/// How far a path may lead, by who named it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Reach {
    /// The user named it, and may name anything.
    #[default]
    Anywhere,
    /// An analysed project named it, or a link in the project is on its way: it lies in this folder, which is absolute and without
    /// links, also after all links are resolved.
    Within(PathBuf),
}

/// A path that somebody named.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamedPath {
    /// As it was written: it may be relative, and may lead over links.
    pub path: PathBuf,
    /// What whoever named it may open.
    pub reach: Reach,
}

impl NamedPath {
    /// A path that the user named.
    pub fn by_user(path: impl Into<PathBuf>) -> NamedPath {
        NamedPath { path: path.into(), reach: Reach::Anywhere }
    }

    /// A path that may not lead out of `root`, which is absolute and without links.
    pub fn within(path: impl Into<PathBuf>, root: impl Into<PathBuf>) -> NamedPath {
        NamedPath { path: path.into(), reach: Reach::Within(root.into()) }
    }

    /// The folder of another name beside one that somebody named; no link there leads elsewhere.
    pub fn beside(&self, name: &str) -> Result<NamedPath, FileError> {
        let folder = self.resolve()?.canonicalize()?;
        let around = folder.parent().ok_or(FileError::Outside)?;
        Ok(NamedPath::within(around.join(name), around))
    }

    /// The path that is to be opened. Of one that may not lead everywhere, it is absolute and without links; nothing outside was looked at.
    pub fn resolve(&self) -> Result<PathBuf, FileError> {
        match &self.reach {
            Reach::Anywhere => Ok(self.path.clone()),
            Reach::Within(root) => resolve_within(root, &self.path),
        }
    }

    /// The bytes of the file.
    pub fn read_bytes(&self, limit: u64) -> Result<Vec<u8>, FileError> {
        read_bytes(&self.resolve()?, limit)
    }

    /// The text of the file, in UTF-8.
    pub fn read_utf8(&self, limit: u64) -> Result<String, FileError> {
        read_utf8(&self.resolve()?, limit)
    }
}

impl From<PathBuf> for NamedPath {
    fn from(path: PathBuf) -> NamedPath {
        NamedPath::by_user(path)
    }
}

impl From<&Path> for NamedPath {
    fn from(path: &Path) -> NamedPath {
        NamedPath::by_user(path)
    }
}

/// A longer chain of links is a circle, as for the system.
const MOST_LINKS: usize = 40;

/// The path without links, which lies within `root`, a folder that is absolute and without links itself. The way is followed step by step, so
/// that nothing outside of the folder is looked at, not even whether it exists.
pub fn resolve_within(root: &Path, path: &Path) -> Result<PathBuf, FileError> {
    let mut links = 0;
    let mut resolved = root.to_owned();
    let mut waiting = below(root, path)?;
    while let Some(part) = waiting.pop() {
        if part == Path::new("..") {
            if resolved == root {
                return Err(FileError::Outside);
            }
            resolved.pop();
            continue;
        }
        resolved.push(part);
        if !fs::symlink_metadata(&resolved)?.is_symlink() {
            continue;
        }
        links += 1;
        if links > MOST_LINKS {
            return Err(io::Error::other("too many levels of symbolic links").into());
        }
        let target = fs::read_link(&resolved)?;
        resolved.pop();
        if target.is_absolute() {
            resolved = root.to_owned();
            waiting.extend(below(root, &target)?);
        } else {
            waiting.extend(steps(&target)?);
        }
    }
    Ok(resolved)
}

/// The steps from `root` to a path, the last one first.
fn below(root: &Path, path: &Path) -> Result<Vec<PathBuf>, FileError> {
    if path.is_relative() {
        return steps(path);
    }
    match path.strip_prefix(root) {
        Ok(below) => steps(below),
        Err(_) => Err(FileError::Outside),
    }
}

/// The parts of a relative path, the last one first.
fn steps(path: &Path) -> Result<Vec<PathBuf>, FileError> {
    let mut steps = Vec::new();
    for part in path.components().rev() {
        match part {
            Component::CurDir => {}
            Component::Normal(part) => steps.push(part.into()),
            Component::ParentDir => steps.push("..".into()),
            Component::RootDir | Component::Prefix(_) => return Err(FileError::Outside),
        }
    }
    Ok(steps)
}

/// The bytes of a file; a link stands for what it leads to.
pub fn read_bytes(path: &Path, limit: u64) -> Result<Vec<u8>, FileError> {
    let metadata = fs::metadata(path)?;
    if !metadata.is_file() {
        return if is_null(path) { Ok(Vec::new()) } else { Err(FileError::NotRegular) };
    }
    if metadata.len() > limit {
        return Err(FileError::TooLarge { size: metadata.len(), limit });
    }
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len() + 1).unwrap_or(0));
    // The file may have grown since, and some, such as those of `/proc`, do not tell their size.
    File::open(path)?.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(FileError::TooLarge { size: bytes.len() as u64, limit });
    }
    Ok(bytes)
}

/// Opens a regular file to read it part by part, as one that is too large for memory; a link stands for what it leads to.
pub fn open_file(path: &Path) -> Result<File, FileError> {
    if !fs::metadata(path)?.is_file() {
        return Err(FileError::NotRegular);
    }
    Ok(File::open(path)?)
}

/// The first bytes of a regular file, at most so many; a link stands for what it leads to.
pub fn read_start(path: &Path, length: u64) -> Result<Vec<u8>, FileError> {
    if !fs::metadata(path)?.is_file() {
        return Err(FileError::NotRegular);
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The text of a file in UTF-8; a link stands for what it leads to.
pub fn read_utf8(path: &Path, limit: u64) -> Result<String, FileError> {
    String::from_utf8(read_bytes(path, limit)?).map_err(|_| FileError::NotText)
}

/// `/dev/null` is how many say that they want an empty file.
fn is_null(path: &Path) -> bool {
    cfg!(unix) && path.canonicalize().is_ok_and(|path| path == Path::new("/dev/null"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_within_the_limit_are_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("file");
        fs::write(&file, b"text").expect("a file");
        assert_eq!(read_utf8(&file, 4).expect("it fits"), "text");
        assert_eq!(read_bytes(&file, u64::MAX).expect("no limit"), b"text");
        assert!(matches!(read_bytes(&file, 3), Err(FileError::TooLarge { size: 4, limit: 3 })));
        assert!(matches!(read_bytes(folder.path(), 4), Err(FileError::NotRegular)));
        assert!(matches!(read_bytes(&folder.path().join("none"), 4), Err(FileError::Unreadable(_))));
        fs::write(&file, b"\xff").expect("a file");
        assert!(matches!(read_utf8(&file, 4), Err(FileError::NotText)));
    }

    #[cfg(unix)]
    #[test]
    fn devices_are_not_opened() {
        assert!(matches!(read_bytes(Path::new("/dev/zero"), 4), Err(FileError::NotRegular)));
        assert_eq!(read_utf8(Path::new("/dev/null"), 4).expect("nothing"), "");
    }

    #[cfg(unix)]
    #[test]
    fn paths_stay_within_their_root() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path().canonicalize().expect("a folder");
        let root = folder.join("project");
        fs::create_dir_all(root.join("sub")).expect("a folder");
        fs::write(root.join("sub/a"), "a").expect("a file");
        fs::write(folder.join("secret"), "secret").expect("a file");
        symlink("../secret", root.join("relative")).expect("a link");
        symlink(folder.join("secret"), root.join("absolute")).expect("a link");
        symlink("..", root.join("up")).expect("a link");
        symlink("sub/../relative", root.join("roundabout")).expect("a link");
        symlink("circle", root.join("circle")).expect("a link");
        symlink(root.join("sub/a"), root.join("inside")).expect("a link");
        symlink("../sub", root.join("sub/again")).expect("a link");
        let resolve = |path: &str| resolve_within(&root, Path::new(path));
        for inside in ["sub/a", "./sub/../sub/a", "inside", "sub/again/again/a"] {
            assert_eq!(resolve(inside).expect(inside), root.join("sub/a"));
        }
        assert_eq!(resolve("").expect("the root itself"), root);
        for outside in
            ["relative", "absolute", "up/secret", "up/project/sub/a", "roundabout", "../secret", "/etc/passwd"]
        {
            assert!(matches!(resolve(outside), Err(FileError::Outside)), "{outside}");
        }
        assert!(matches!(resolve("../none"), Err(FileError::Outside)), "what does not exist outside is not told");
        assert!(matches!(resolve("circle"), Err(FileError::Unreadable(_))));
        assert!(matches!(resolve("none"), Err(FileError::Unreadable(_))));
        assert!(matches!(resolve_within(&root, &folder.join("secret")), Err(FileError::Outside)));
        assert_eq!(resolve_within(&root, &root.join("sub/a")).expect("an absolute path"), root.join("sub/a"));
    }
}
