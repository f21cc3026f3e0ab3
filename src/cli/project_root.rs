//! The root of the project that a file belongs to: by the path from there a finding is named alike wherever Harp is started.

use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;

use crate::corpus::Corpus;

use super::config::root_mark;

/// Tells every file its project's root: the nearest folder around it with a configuration or a checkout, where there is one.
pub(super) fn find(corpus: &mut Corpus) {
    let mut roots =
        Roots { home: std::env::home_dir().and_then(|home| home.canonicalize().ok()), known: FxHashMap::default() };
    for file in &mut corpus.files {
        if let Some(root) = file.path.parent().and_then(|folder| roots.around(folder)) {
            file.project_root = root;
        }
    }
}

/// Looks at every folder once.
struct Roots {
    home: Option<PathBuf>,
    known: FxHashMap<PathBuf, Option<PathBuf>>,
}

impl Roots {
    fn around(&mut self, folder: &Path) -> Option<PathBuf> {
        let mut root = None;
        let mut new = Vec::new();
        for folder in folder.ancestors() {
            if let Some(known) = self.known.get(folder) {
                root = known.clone();
                break;
            }
            new.push(folder);
            if root_mark(folder).is_some() {
                root = Some(folder.to_owned());
                break;
            }
            // As in the search for the configuration.
            if self.home.as_deref() == Some(folder) {
                break;
            }
        }
        self.known.extend(new.into_iter().map(|folder| (folder.to_owned(), root.clone())));
        root
    }
}
