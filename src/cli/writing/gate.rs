//! The one gate through which files are written, as `harp_corpus::gate` is the one through which they are read: what a path leads to is written
//! where no link of the project is on its way, where no other tool keeps its own files, and over nothing but what is of the same kind.
//!
//! A file that git runs, such as a hook, lies in the checkout beside all others. Whoever wrote the project names files in its configuration, puts
//! links in the place of files, and may know under which name a user writes a report.

use std::fmt;
use std::fs::{self, Metadata};
use std::io;
use std::path::{Component, Path, PathBuf};

use harp_corpus::{NamedPath, Reach};

use super::content::Content;
use crate::project_folders::{outermost_checkout, shown, without_climbs};

/// Folders that belong to other tools, which run or trust what lies there.
const OF_OTHER_TOOLS: [&str; 8] = [".git", ".hg", ".svn", ".bzr", ".jj", ".sl", ".pijul", "_darcs"];

/// Why something is not written. Shown, it is the end of a sentence such as "report.json cannot be written: …".
#[derive(Debug)]
pub enum Refusal {
    /// A link lies on the way.
    Link(PathBuf),
    /// It lies in a folder of git or of another tool.
    OfOtherTool(PathBuf),
    /// A project named it, and it lies in a hidden folder.
    Hidden(PathBuf),
    /// A project named it, and it lies outside of the project.
    Outside,
    /// Its owner protects it.
    ReadOnly,
    /// A pipe, a device or a folder is there.
    NotRegular,
    /// Another kind of file is there, which is so called.
    OtherKind(String),
    /// The operating system refused.
    Failed(io::Error),
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Link(link) => write!(formatter, "`{}` is a symbolic link", shown(link)),
            Refusal::OfOtherTool(folder) if shown(folder).is_empty() => {
                formatter.write_str("the current folder belongs to another tool")
            }
            Refusal::OfOtherTool(folder) => write!(formatter, "`{}` belongs to another tool", shown(folder)),
            Refusal::Hidden(folder) => {
                write!(formatter, "the project names it, and `{}` is a hidden folder", shown(folder))
            }
            Refusal::Outside => formatter.write_str("it leads out of the project"),
            Refusal::ReadOnly => formatter.write_str("it is read-only"),
            Refusal::NotRegular => formatter.write_str("it is not a regular file"),
            Refusal::OtherKind(reason) => write!(formatter, "{reason}"),
            Refusal::Failed(error) => write!(formatter, "{error}"),
        }
    }
}

impl std::error::Error for Refusal {}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Refusal {
        Refusal::Failed(error)
    }
}

impl Refusal {
    /// What a user can do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Refusal::Link(_) => Some("Harp writes through no link of a project; name the file that is meant"),
            Refusal::OfOtherTool(_) | Refusal::Hidden(_) => Some("choose a file in another folder"),
            Refusal::OtherKind(_) => Some("choose another file, or remove this one"),
            _ => None,
        }
    }
}

/// Where a file is written, absolute and without links below the project; there may be nothing yet.
///
/// # Errors
///
/// Where nothing is written there.
pub fn place(named: &NamedPath) -> Result<PathBuf, Refusal> {
    let place = match &named.reach {
        Reach::Anywhere => place_of_user(&named.path)?,
        Reach::Within(root) => place_of_project(root, &named.path)?,
    };
    if let Some(folder) = of_other_tool(&place) {
        return Err(Refusal::OfOtherTool(folder));
    }
    match &named.reach {
        Reach::Within(root) => is_not_hidden(root, &place)?,
        Reach::Anywhere => {}
    }
    Ok(place)
}

/// The same for a file: a name that ends as those of folders do means a folder.
///
/// # Errors
///
/// The same.
pub fn place_of_file(named: &NamedPath) -> Result<PathBuf, Refusal> {
    match named.path.as_os_str().as_encoded_bytes().last() {
        Some(end) if std::path::is_separator(char::from(*end)) => Err(Refusal::NotRegular),
        _ => place(named),
    }
}

/// Whether a regular file at a place, which is there or not, may be replaced by such content.
///
/// # Errors
///
/// Where it may not.
pub fn may_replace(place: &Path, content: Content<'_>) -> Result<(), Refusal> {
    let Ok(old) = fs::symlink_metadata(place) else { return Ok(()) };
    if !old.is_file() {
        return Err(Refusal::NotRegular);
    }
    is_unprotected(&old)?;
    content.may_replace(place)
}

/// Whether the owner lets others write: who may do anything, as in a container, heeds it, too.
pub fn is_unprotected(file: &Metadata) -> Result<(), Refusal> {
    if file.permissions().readonly() { Err(Refusal::ReadOnly) } else { Ok(()) }
}

/// Whether a place lies in a git checkout, where others may have put what is there.
pub fn is_of_project(place: &Path) -> bool {
    place.parent().is_some_and(|folder| outermost_checkout(folder).is_some())
}

/// What the user names may lie anywhere. Below the root of the outermost checkout, and below the current folder, no link is followed: nobody who wants a file
/// written there means what the project's authors put in its place.
fn place_of_user(path: &Path) -> Result<PathBuf, Refusal> {
    // `/dev/stdout` and the like are links of the system's.
    if let Some(device) = device(path) {
        return Ok(device);
    }
    let path = without_climbs(path).ok_or(io::Error::from(io::ErrorKind::InvalidFilename))?;
    let parent = path.parent().ok_or(Refusal::NotRegular)?;
    let home = std::env::home_dir();
    let current = || std::env::current_dir().ok().filter(|it| path.starts_with(it) && home.as_ref() != Some(it));
    // The shorter one is outside of the other.
    let outermost = [outermost_checkout(parent), current()].into_iter().flatten().min_by_key(|it| it.as_os_str().len());
    let root = outermost.and_then(|shown| Some((shown.clone(), shown.canonicalize().ok()?)));
    let (above, root) = match root {
        Some((shown, real)) => (shown, real),
        // What is there of the folder, and is somewhere else where a link says so.
        None => {
            let there = parent.ancestors().find(|folder| folder.exists()).unwrap_or(parent);
            (there.to_owned(), there.canonicalize()?)
        }
    };
    let below = path.strip_prefix(&above).map_err(|_| Refusal::Outside)?;
    without_links(&root, below)
}

/// A device or pipe, or the file that a shell put in its place. Nothing new is made there.
pub fn device(path: &Path) -> Option<PathBuf> {
    let of_system = ["/dev", "/proc"].iter().any(|folder| path.starts_with(folder));
    let is_plain = path.components().all(|part| !matches!(part, Component::ParentDir));
    // Memory that looks like a folder of files is one.
    let is_file = || path.symlink_metadata().is_ok_and(|metadata| metadata.is_file());
    (of_system && is_plain && path.exists() && !is_file()).then(|| path.to_owned())
}

/// What a project names lies in the project.
fn place_of_project(root: &Path, path: &Path) -> Result<PathBuf, Refusal> {
    let path = without_climbs(path).ok_or(Refusal::Outside)?;
    without_links(root, path.strip_prefix(root).map_err(|_| Refusal::Outside)?)
}

/// What a project names lies in no hidden folder, where tools look for what they do.
fn is_not_hidden(root: &Path, place: &Path) -> Result<(), Refusal> {
    let folders = place.ancestors().skip(1).take_while(|folder| *folder != root);
    let is_hidden = |folder: &&Path| folder.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
    match folders.into_iter().find(is_hidden) {
        Some(folder) => Err(Refusal::Hidden(folder.to_owned())),
        None => Ok(()),
    }
}

/// The path below a folder, of which no part is a link.
fn without_links(root: &Path, below: &Path) -> Result<PathBuf, Refusal> {
    let mut place = root.to_owned();
    for part in below.components() {
        let Component::Normal(part) = part else { return Err(Refusal::Outside) };
        place.push(part);
        if is_link(&place) {
            return Err(Refusal::Link(place));
        }
    }
    Ok(place)
}

fn is_link(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink())
}

/// The folder of another tool in which a place lies.
pub fn of_other_tool(place: &Path) -> Option<PathBuf> {
    let has_name = |folder: &&Path| {
        let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        OF_OTHER_TOOLS.iter().any(|known| known.eq_ignore_ascii_case(name))
    };
    // A repository needs no certain name; checkouts may lie in one, too.
    let is_checkout = |folder: &Path| folder.join(".git").symlink_metadata().is_ok();
    let in_checkout = place.ancestors().take_while(|folder| !is_checkout(folder));
    place
        .ancestors()
        .find(has_name)
        .or_else(|| in_checkout.into_iter().find(|folder| is_repository(folder)))
        .map(Path::to_owned)
}

/// Whether git takes a folder for a repository.
pub fn is_repository(folder: &Path) -> bool {
    folder.join("HEAD").is_file() && folder.join("objects").is_dir() && folder.join("refs").is_dir()
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// A checkout with a configured hook, a hidden folder, a repository of another name, and links; the folder of the checkout.
    fn scene() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("a folder").join("project");
        for below in [".git/hooks", ".github/workflows", "sub", "meta/objects", "meta/refs", "meta/hooks"] {
            fs::create_dir_all(root.join(below)).expect("a folder");
        }
        fs::write(root.join("meta/HEAD"), "ref: refs/heads/main\n").expect("a file");
        symlink(".git/hooks/pre-commit", root.join("hook.py")).expect("a link");
        symlink(".git", root.join("g")).expect("a link");
        symlink("sub", root.join("inside")).expect("a link");
        symlink("nothing", root.join("new")).expect("a link");
        symlink(&root, folder.path().join("alias")).expect("a link");
        (folder, root)
    }

    #[test]
    fn nothing_is_written_through_links_and_into_folders_of_other_tools() {
        let (_folder, root) = scene();
        let by_user = |path: &str| place(&NamedPath::by_user(root.join(path)));
        let by_project = |path: &str| place(&NamedPath::within(root.join(path), &root));
        for path in ["a.json", "sub/a.json", "sub/none/a.json", "sub/../a.json", ".known.json"] {
            assert!(by_user(path).is_ok(), "{path}: {:?}", by_user(path));
            assert!(by_project(path).is_ok(), "{path}: {:?}", by_project(path));
        }
        for path in ["hook.py", "g/hooks/a", "inside/a.json", "new"] {
            assert!(matches!(by_user(path), Err(Refusal::Link(_))), "{path}");
            assert!(matches!(by_project(path), Err(Refusal::Link(_))), "{path}");
        }
        for path in [".git/hooks/pre-commit", ".GIT/config", "sub/.git/a", "sub/.hg/hgrc", "meta/hooks/a", ".git"] {
            assert!(matches!(by_user(path), Err(Refusal::OfOtherTool(_))), "{path}");
            assert!(matches!(by_project(path), Err(Refusal::OfOtherTool(_) | Refusal::Hidden(_))), "{path}");
        }
        assert!(by_user(".github/workflows/a.yml").is_ok());
        assert!(matches!(by_project(".github/workflows/a.yml"), Err(Refusal::Hidden(_))));
        assert!(matches!(by_project("../a.json"), Err(Refusal::Outside)));
    }

    #[test]
    fn links_around_a_project_are_followed_and_those_in_it_are_not() {
        let (folder, root) = scene();
        let at = |path: &str| place(&NamedPath::by_user(folder.path().join(path)));
        assert_eq!(at("alias/a.json").expect("a place"), root.join("a.json"));
        assert!(matches!(at("alias/inside/a.json"), Err(Refusal::Link(_))));
        // Outside of checkouts, a link in the place of the file is none that the user sees.
        symlink("elsewhere", folder.path().join("report.json")).expect("a link");
        assert!(matches!(at("report.json"), Err(Refusal::Link(_))));
        assert_eq!(place(&NamedPath::by_user("/dev/stdout")).expect("a device"), Path::new("/dev/stdout"));
        assert!(place(&NamedPath::by_user("/dev/../etc/a")).is_ok_and(|place| place == Path::new("/etc/a")));
    }

    #[test]
    fn checkouts_may_lie_in_a_repository() {
        let (_folder, root) = scene();
        fs::create_dir_all(root.join("meta/tree")).expect("a folder");
        assert!(of_other_tool(&root.join("meta/tree/a.json")).is_some());
        fs::write(root.join("meta/tree/.git"), "gitdir: ../worktrees/tree\n").expect("a file");
        assert!(of_other_tool(&root.join("meta/tree/a.json")).is_none());
    }
}
