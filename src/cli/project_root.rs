//! The root of the project that a file belongs to: by the path from there a finding is named alike wherever Harp is started.

use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;

use harp_corpus::Corpus;

use super::config::{RootMark, root_mark};
use super::project_folders::{ProjectFolder, at_and_above};

/// Tells every file its project's root: the nearest folder around it with a configuration or a checkout, where there is one.
pub(super) fn find(corpus: &mut Corpus) {
    let mut roots = Roots::default();
    for file in &mut corpus.files {
        if let Some(root) = file.path.parent().and_then(|folder| roots.around(folder)) {
            file.project_root = root;
        }
    }
}

/// The root of the project that a path belongs to, where there is one.
pub(super) fn around(path: &Path) -> Option<PathBuf> {
    let folder = if path.is_dir() { Some(path) } else { path.parent() }?;
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    Roots::default().around(folder)
}

/// Looks at every folder once.
#[derive(Default)]
struct Roots {
    known: FxHashMap<PathBuf, Option<PathBuf>>,
    /// Whether a folder is a root.
    marked: FxHashMap<PathBuf, bool>,
}

impl Roots {
    fn around(&mut self, folder: &Path) -> Option<PathBuf> {
        if let Some(known) = self.known.get(folder) {
            return known.clone();
        }
        // The folders are those of the search for the configuration.
        let root = at_and_above(folder).into_iter().find(|folder| self.is_marked(folder)).map(|folder| folder.real);
        self.known.insert(folder.to_owned(), root.clone());
        root
    }

    fn is_marked(&mut self, folder: &ProjectFolder) -> bool {
        if let Some(known) = self.marked.get(&folder.real) {
            return *known;
        }
        let is_checkout = folder.is_checked_out && folder.real == folder.root;
        let is_marked = is_checkout || matches!(root_mark(folder), Some(RootMark::Configuration(_)));
        self.marked.insert(folder.real.clone(), is_marked);
        is_marked
    }
}
