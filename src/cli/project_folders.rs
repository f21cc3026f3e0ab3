//! The folders of a project in which its configuration is looked for, and how far what it names may lead.

use std::path::{Component, Path, PathBuf};

use harp_corpus::{NamedPath, resolve_within};

/// A folder at or above an analysed path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectFolder {
    /// Absolute, by the names that the user gave.
    pub shown: PathBuf,
    /// The same without links.
    pub real: PathBuf,
    /// What is named in this folder may not lead out of that one, which is without links: the checkout, else the folder itself.
    pub root: PathBuf,
    /// Whether the root is that of a git checkout.
    pub is_checked_out: bool,
}

impl ProjectFolder {
    /// What a file in this folder names by a path.
    pub fn named(&self, path: &Path) -> NamedPath {
        NamedPath::within(self.real.join(path), &self.root)
    }
}

/// The folders at and above a path, the nearest first, up to the root of a git checkout, else up to the user's home. Folders that a link of the
/// checkout leads out to are left out.
pub fn at_and_above(path: &Path) -> Vec<ProjectFolder> {
    let Ok(path) = std::path::absolute(path) else { return Vec::new() };
    let home = std::env::home_dir();
    let mut shown: Vec<&Path> = Vec::new();
    let mut checkout = None;
    for folder in path.ancestors().filter(|folder| folder.is_dir()) {
        shown.push(folder);
        if folder.join(".git").symlink_metadata().is_ok() {
            checkout = folder.canonicalize().ok().map(|real| (folder, real));
            break;
        }
        if home.as_deref() == Some(folder) {
            break;
        }
    }
    let Some((_, root)) = checkout else {
        let folder = |shown: &Path| {
            let real = shown.canonicalize().ok()?;
            Some(ProjectFolder { shown: shown.to_owned(), real: real.clone(), root: real, is_checked_out: false })
        };
        return shown.into_iter().filter_map(folder).collect();
    };
    // From the outermost on, so that of each folder only the last part of its path is looked at: projects may be deep.
    let mut real = Some(root.clone());
    let mut found = Vec::new();
    for (index, shown) in shown.into_iter().rev().enumerate() {
        if index > 0 {
            real = real.zip(shown.components().next_back()).and_then(|(above, part)| below(&root, &above, part));
        }
        if let Some(real) = &real {
            let (shown, real, root) = (shown.to_owned(), real.clone(), root.clone());
            found.push(ProjectFolder { shown, real, root, is_checked_out: true });
        }
    }
    found.reverse();
    found
}

/// A folder without links, of its name in another one that is without links; `None` where a link leads out of `root`.
fn below(root: &Path, above: &Path, part: Component<'_>) -> Option<PathBuf> {
    if part == Component::ParentDir {
        return above.parent().filter(|folder| folder.starts_with(root)).map(Path::to_owned);
    }
    let folder = above.join(part);
    if folder.symlink_metadata().ok()?.is_symlink() { resolve_within(root, &folder).ok() } else { Some(folder) }
}

/// The projects whose files are analysed, as far as paths tell: the checkouts, else the folders that were given.
#[derive(Clone, Debug, Default)]
pub struct Projects(Vec<ProjectFolder>);

impl Projects {
    pub fn of(paths: &[PathBuf]) -> Projects {
        let outermost = paths.iter().filter_map(|path| {
            let mut folders = at_and_above(path);
            let is_checked_out = folders.last().is_some_and(|folder| folder.is_checked_out);
            if is_checked_out { folders.pop() } else { folders.into_iter().next().filter(|_| path.is_dir()) }
        });
        Projects(outermost.collect())
    }

    /// All folders that whoever wrote these paths may have written: their own, and the outermost project around each, by its names and in truth.
    pub fn around(paths: &[PathBuf]) -> Projects {
        let folder = |shown: PathBuf| {
            let real = shown.canonicalize().ok()?;
            let is_all = real.parent().is_none();
            let folder = ProjectFolder { shown, root: real.clone(), real, is_checked_out: false };
            (!is_all).then_some(folder)
        };
        let folders = paths.iter().filter_map(|path| std::path::absolute(path).ok()).flat_map(|path| {
            let own = if path.is_dir() { Some(path.as_path()) } else { path.parent() }.map(Path::to_owned);
            let real = path.canonicalize().ok().and_then(|real| outermost_with(&real, &MARKS));
            [own, outermost_with(&path, &MARKS), real].into_iter().flatten().collect::<Vec<_>>()
        });
        Projects(folders.filter_map(folder).collect())
    }

    /// Whether a path that may not be there yet lies in one of them, by the names that are written or in truth.
    pub fn hold(&self, path: &Path) -> bool {
        let Some(written) = without_climbs(path) else { return false };
        let there = written.ancestors().find_map(|above| above.canonicalize().ok());
        let holds = |project: &ProjectFolder| {
            written.starts_with(&project.shown) || there.as_ref().is_some_and(|there| there.starts_with(&project.real))
        };
        self.0.iter().any(holds)
    }

    /// A path that the user named. It may lie anywhere, but a link in an analysed project does not lead it out of the project: nobody who names
    /// a file of a project means what the project's authors put in its place.
    pub fn named_by_user(&self, path: &Path) -> NamedPath {
        let inside = self.0.iter().find_map(|project| {
            let below = without_climbs(path)?.strip_prefix(&project.shown).ok()?.to_owned();
            Some(NamedPath::within(project.real.join(below), &project.real))
        });
        inside.unwrap_or_else(|| NamedPath::by_user(path))
    }

    /// The same for several paths.
    pub fn all_named_by_user(&self, paths: &[PathBuf]) -> Vec<NamedPath> {
        paths.iter().map(|path| self.named_by_user(path)).collect()
    }
}

/// What tells that a folder is the root of a project.
const MARKS: [&str; 4] = [".git", "harp.toml", "pyproject.toml", "setup.py"];

/// The outermost folder at or above a path that has one of these entries, as it is written; the user's home and what is above it are no project. Who
/// wrote the outer project wrote the inner ones, too, whatever lies in them.
pub fn outermost_with(path: &Path, marks: &[&str]) -> Option<PathBuf> {
    let path = std::path::absolute(path).ok()?;
    let home = std::env::home_dir();
    let is_projects = |folder: &&Path| Some(*folder) != home.as_deref() && folder.parent().is_some();
    let is_marked = |folder: &&Path| marks.iter().any(|mark| folder.join(mark).symlink_metadata().is_ok());
    path.ancestors().take_while(is_projects).filter(is_marked).last().map(Path::to_owned)
}

/// The root of the outermost checkout around a path.
pub fn outermost_checkout(path: &Path) -> Option<PathBuf> {
    outermost_with(path, &MARKS[..1])
}

/// The folder in which Harp was started, absolute and without links.
pub fn working_folder() -> PathBuf {
    let folder = std::env::current_dir().unwrap_or_default();
    folder.canonicalize().unwrap_or(folder)
}

/// A path as the user would write it from the current folder.
pub fn shown(path: &Path) -> String {
    let current = std::env::current_dir().unwrap_or_default();
    path.strip_prefix(current).unwrap_or(path).display().to_string()
}

/// The absolute path with each `..` taken for the folder that is written before it.
pub fn without_climbs(path: &Path) -> Option<PathBuf> {
    let mut plain = PathBuf::new();
    for part in std::path::absolute(path).ok()?.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    Some(plain)
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn the_search_ends_at_the_checkout_and_links_do_not_lead_out_of_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let outer = folder.path().canonicalize().expect("a folder");
        let repository = outer.join("repository");
        fs::create_dir_all(repository.join(".git")).expect("a folder");
        fs::create_dir_all(repository.join("a/b")).expect("a folder");
        symlink(&outer, repository.join("out")).expect("a link");
        symlink(&repository, outer.join("alias")).expect("a link");
        let real = |path: PathBuf| at_and_above(&path).into_iter().map(|folder| folder.real).collect::<Vec<_>>();
        let expected = [repository.join("a/b"), repository.join("a"), repository.clone()];
        assert_eq!(real(repository.join("a/b")), expected);
        assert_eq!(real(outer.join("alias/a/b")), expected);
        assert_eq!(real(repository.join("out")), expected[2..]);
        assert_eq!(real(repository.join("a/b/../../a"))[0], expected[1]);
        assert_eq!(real(repository.join("out/repository/a")).last(), expected.last());
        assert!(at_and_above(&repository.join("a")).iter().all(|folder| folder.root == repository));
    }

    #[test]
    fn what_the_user_names_lies_anywhere_unless_it_is_the_projects() {
        let folder = tempfile::tempdir().expect("a folder");
        let outer = folder.path().canonicalize().expect("a folder");
        let repository = outer.join("repository");
        fs::create_dir_all(repository.join(".git")).expect("a folder");
        fs::write(outer.join("api.yaml"), "").expect("a file");
        symlink(outer.join("api.yaml"), repository.join("api.yaml")).expect("a link");
        let projects = Projects::of(std::slice::from_ref(&repository));
        assert!(projects.named_by_user(&outer.join("api.yaml")).resolve().is_ok());
        assert!(projects.named_by_user(&repository.join("api.yaml")).resolve().is_err());
        assert!(projects.named_by_user(&repository.join("../api.yaml")).resolve().is_ok());
        assert!(projects.named_by_user(&outer.join("x/../repository/api.yaml")).resolve().is_err());
        symlink(&outer, repository.join("out")).expect("a link");
        symlink(&repository, outer.join("in")).expect("a link");
        for (path, is_held) in [
            ("repository/new/deep", true),
            ("repository/out/new", true),
            ("in/new", true),
            ("new", false),
            ("repository/../new", false),
            ("repository2", false),
        ] {
            assert_eq!(projects.hold(&outer.join(path)), is_held, "{path}");
        }
    }
}
