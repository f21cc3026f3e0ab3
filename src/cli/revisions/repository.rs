//! Finds the repository around a folder. Its configuration is never read: see [`super::git`].

use std::path::{Path, PathBuf};

use harp_corpus::{FileError, NamedPath, read_bytes, read_utf8};
use harp_report::UserError;

use crate::project_folders::shown;
use crate::writing::gate::is_repository;

/// A larger file in a git folder is none of those that are read.
const LARGEST_FILE: u64 = 64 << 20;
/// A longer file names no folder and no commit.
const LONGEST_LINE: u64 = 16 << 10;
/// So many references are looked at.
const MOST_REFERENCES: usize = 200_000;
/// Names of references have no more parts.
const MOST_PARTS: usize = 32;

/// A repository, without what its configuration says.
#[derive(Clone, Debug)]
pub(crate) struct Repository {
    /// The folder of the checkout, absolute; a bare repository has none.
    pub work_tree: Option<PathBuf>,
    /// What belongs to the checkout: `HEAD`.
    git: PathBuf,
    /// What all checkouts of a repository share: objects and references.
    common: PathBuf,
}

/// What a reference stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reference {
    pub name: String,
    pub commit: String,
}

impl Repository {
    /// The repository that a folder belongs to.
    pub fn around(folder: &Path) -> Result<Repository, UserError> {
        for folder in folder.ancestors() {
            let git = folder.join(".git");
            match git.symlink_metadata() {
                Ok(metadata) if metadata.is_dir() => return Repository::at(folder, git),
                Ok(metadata) if metadata.is_file() => return Repository::linked(folder, &git),
                Ok(_) => return Err(UserError::new(format!("{} is a link, which is not followed", shown(&git)))),
                Err(_) if is_repository(folder) => {
                    return Ok(Repository { work_tree: None, git: folder.to_owned(), common: folder.to_owned() });
                }
                Err(_) => {}
            }
        }
        Err(UserError::new("this folder is in no git repository")
            .hint("`harp review` compares revisions of a repository; `harp check` checks files as they are"))
    }

    /// The repository whose checkout, or whose own folder, a folder is.
    #[cfg(feature = "tables")]
    pub fn of(folder: &Path) -> Result<Repository, UserError> {
        let repository = Repository::around(folder)?;
        let is_own = repository.work_tree.as_deref().unwrap_or(&repository.git) == folder;
        is_own.then_some(repository).ok_or_else(|| UserError::new("this folder is no git repository"))
    }

    fn at(work_tree: &Path, git: PathBuf) -> Result<Repository, UserError> {
        Ok(Repository { work_tree: Some(work_tree.to_owned()), common: git.clone(), git })
    }

    /// A checkout whose `.git` is a file that names a folder: a further work tree, or a submodule. Who unpacks a project means no repository
    /// elsewhere that the project names: the named folder names the checkout too, or lies in the repository around it.
    fn linked(work_tree: &Path, file: &Path) -> Result<Repository, UserError> {
        let named = line_of(file).ok().and_then(|line| Some(line.strip_prefix("gitdir:")?.trim().to_owned()));
        let git = named.and_then(|named| work_tree.join(named).canonicalize().ok());
        let Some(git) = git else {
            return Err(UserError::new(format!("{} names no folder of git", shown(file))));
        };
        let is_own = line_of(&git.join("gitdir")).is_ok_and(|back| {
            git.join(back.trim()).canonicalize().is_ok_and(|back| file.canonicalize().is_ok_and(|file| file == back))
        });
        let outer = || work_tree.parent().and_then(|folder| Repository::around(folder).ok());
        let is_submodule = || {
            let outer = outer().map(|outer| [outer.git, outer.common]);
            let folders = outer.into_iter().flatten().filter_map(|folder| folder.canonicalize().ok());
            folders.into_iter().any(|folder| git.starts_with(folder.join("modules")))
        };
        if !is_own && !is_submodule() {
            return Err(UserError::new(format!(
                "{} leads to a repository that does not know of this checkout",
                shown(file)
            ))
            .hint(
                "a work tree of `git worktree add` and a submodule are reviewed; `git worktree repair` mends the link",
            ));
        }
        let common = match line_of(&git.join("commondir")) {
            Ok(line) => git.join(line.trim()).canonicalize().ok().filter(|common| git.starts_with(common)),
            Err(_) => Some(git.clone()),
        };
        let Some(common) = common else {
            return Err(UserError::new(format!("{} leads out of its repository", shown(&git.join("commondir")))));
        };
        Ok(Repository { work_tree: Some(work_tree.to_owned()), git, common })
    }

    /// All folders whose files are those of the repository: its checkout, its own, and those around them.
    pub fn folders(&self) -> Vec<PathBuf> {
        let own = [&self.git, &self.common].into_iter().flat_map(|folder| [Some(folder.as_path()), folder.parent()]);
        let current = std::env::current_dir().ok();
        self.work_tree.clone().into_iter().chain(current).chain(own.flatten().map(Path::to_owned)).collect()
    }

    /// The folder of the objects.
    pub fn objects(&self) -> Result<PathBuf, UserError> {
        let objects = self.common.join("objects");
        let is_own = |real: &PathBuf| self.common.canonicalize().is_ok_and(|common| real.starts_with(common));
        objects
            .canonicalize()
            .ok()
            .filter(|real| real.is_dir() && is_own(real))
            .ok_or_else(|| UserError::new(format!("{} is not the folder of the repository's objects", shown(&objects))))
    }

    /// What lies in the repository under a name; a link leads nowhere else.
    fn shared(&self, name: &str) -> Option<PathBuf> {
        let root = self.common.canonicalize().ok()?;
        NamedPath::within(root.join(name), root).resolve().ok()
    }

    fn shared_text(&self, name: &str) -> Option<String> {
        read_utf8(&self.shared(name)?, LARGEST_FILE).ok()
    }

    /// What `HEAD` and its like say: a commit, or `ref: ` and a reference.
    pub fn head(&self, name: &str) -> Option<String> {
        let line = line_of(&self.git.join(name)).ok()?;
        // `FETCH_HEAD` says more behind the commit.
        let word = line.split('\t').next().unwrap_or_default().trim();
        let is_known = match word.strip_prefix("ref:") {
            Some(reference) => is_reference(reference.trim()),
            None => is_commit(word),
        };
        is_known.then(|| word.to_owned())
    }

    /// Whether the references are kept in a form that is not read here.
    pub fn has_unread_references(&self) -> bool {
        self.common.join("reftable").is_dir()
    }

    /// Whether only a part of the files is checked out.
    pub fn is_sparse(&self) -> bool {
        self.git.join("info/sparse-checkout").is_file()
    }

    /// The commits at which a shallow clone ends.
    pub fn shallow(&self) -> Option<String> {
        let text = self.shared_text("shallow")?;
        let commits: Vec<&str> = text.lines().filter(|line| is_commit(line)).collect();
        (!commits.is_empty()).then(|| commits.join("\n") + "\n")
    }

    /// The ignore rules that are the user's own.
    pub fn exclude(&self) -> Vec<u8> {
        let file = self.shared("info/exclude");
        file.and_then(|file| read_bytes(&file, LARGEST_FILE).ok()).unwrap_or_default()
    }

    /// All references with the commits that they stand for; those with a file of their own win.
    pub fn references(&self) -> Vec<Reference> {
        let mut found = Vec::new();
        if let Some(refs) = self.shared("refs") {
            self.loose("refs", &refs, 0, &mut found);
        }
        let packed = self.shared_text("packed-refs").unwrap_or_default();
        let packed = packed.lines().filter_map(|line| {
            let (commit, name) = line.split_once(' ')?;
            reference(name, commit)
        });
        found.extend(packed);
        found.sort_by(|left, right| left.name.cmp(&right.name));
        found.dedup_by(|later, earlier| later.name == earlier.name);
        found.truncate(MOST_REFERENCES);
        found
    }

    fn loose(&self, name: &str, folder: &Path, depth: usize, found: &mut Vec<Reference>) {
        if depth > MOST_PARTS || found.len() >= MOST_REFERENCES {
            return;
        }
        for child in std::fs::read_dir(folder).into_iter().flatten().take(MOST_REFERENCES).filter_map(Result::ok) {
            let Some(name) = child.file_name().to_str().map(|own| format!("{name}/{own}")) else { continue };
            match child.file_type() {
                Ok(kind) if kind.is_dir() => self.loose(&name, &child.path(), depth + 1, found),
                Ok(kind) if kind.is_file() => {
                    let commit = line_of(&child.path()).unwrap_or_default();
                    let target = commit.strip_prefix("ref:").map(str::trim).filter(|target| is_reference(target));
                    // `refs/remotes/origin/HEAD` stands for another reference, mostly a packed one.
                    let commit = match target {
                        Some(target) => self.commit_of(target).unwrap_or_default(),
                        None => commit.trim().to_owned(),
                    };
                    found.extend(reference(&name, &commit));
                }
                _ => {}
            }
        }
    }

    fn commit_of(&self, name: &str) -> Option<String> {
        if let Ok(line) = line_of(&self.common.join(name)) {
            return Some(line.trim().to_owned());
        }
        let packed = self.shared_text("packed-refs")?;
        let mut lines = packed.lines().filter_map(|line| line.split_once(' '));
        lines.find(|(_, packed)| *packed == name).map(|(commit, _)| commit.to_owned())
    }
}

fn line_of(file: &Path) -> Result<String, FileError> {
    let is_plain = file.symlink_metadata()?.is_file();
    let text = if is_plain { read_utf8(file, LONGEST_LINE)? } else { return Err(FileError::NotRegular) };
    Ok(text.lines().next().unwrap_or_default().to_owned())
}

/// A reference, unless it replaces objects by others, or git would not take its name.
fn reference(name: &str, commit: &str) -> Option<Reference> {
    let is_known = is_reference(name) && !name.starts_with("refs/replace/") && is_commit(commit);
    is_known.then(|| Reference { name: name.to_owned(), commit: commit.to_owned() })
}

fn is_reference(name: &str) -> bool {
    let is_plain = |part: &str| !part.is_empty() && !part.starts_with('.') && !part.ends_with(".lock");
    let is_odd = |character: char| character.is_control() || " ~^:?*[\\".contains(character);
    name.starts_with("refs/")
        && name.len() < 4096
        && !name.contains(is_odd)
        && !name.contains("..")
        && !name.contains("@{")
        && name.split('/').all(is_plain)
}

/// Whether a text is the id of an object, in SHA-1 or SHA-256.
pub(crate) fn is_commit(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}
