//! External facts: the analysed program's files by the names that other tools have for them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use harp_corpus::Corpus;

/// How the relations call files, found by other spellings: absolute, or with `./` in front.
pub(super) struct FileNames<'a> {
    shown: BTreeSet<&'a str>,
    /// By their absolute paths, as they are written: nothing is looked at on disk.
    by_path: BTreeMap<PathBuf, &'a str>,
    here: PathBuf,
}

impl<'a> FileNames<'a> {
    pub fn of(corpus: &'a Corpus) -> FileNames<'a> {
        let here = std::env::current_dir().unwrap_or_default();
        let shown = corpus.files.iter().map(|file| file.display_path.as_str()).collect();
        let by_path = corpus.files.iter().map(|file| (absolute(&here, &file.path), file.display_path.as_str()));
        FileNames { shown, by_path: by_path.collect(), here }
    }

    /// The file as relations call it; as it is written where it is none of the program's.
    pub fn resolve(&self, written: &str) -> String {
        if self.shown.contains(written) {
            return written.to_owned();
        }
        let (path, cell) = split_cell(written);
        match self.by_path.get(&absolute(&self.here, Path::new(path))) {
            Some(shown) => format!("{shown}{cell}"),
            None => written.to_owned(),
        }
    }

    /// Whether relations call a file of the program so.
    pub fn is_shown(&self, name: &str) -> bool {
        self.shown.contains(name) || self.shown.contains(split_cell(name).0)
    }

    /// One of the names.
    pub fn first(&self) -> Option<&'a str> {
        self.shown.first().copied()
    }
}

/// The path and the cell of `book.ipynb[3]`.
fn split_cell(name: &str) -> (&str, &str) {
    let cell = name.strip_suffix(']').and_then(|rest| rest.rfind('['));
    let is_cell = |at: &usize| name[at + 1..name.len() - 1].bytes().all(|byte| byte.is_ascii_digit());
    name.split_at(cell.filter(is_cell).unwrap_or(name.len()))
}

/// The path from the root on, without `.` and `..`.
fn absolute(here: &Path, path: &Path) -> PathBuf {
    let mut whole = PathBuf::new();
    for part in here.join(path).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => _ = whole.pop(),
            part => whole.push(part),
        }
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_spellings_of_a_file_are_found() {
        let corpus = Corpus::in_memory(vec![("src/a.py".to_owned(), "x = 1\n".to_owned())]);
        let names = FileNames::of(&corpus);
        let shown = corpus.files[0].display_path.as_str();
        let whole = absolute(&names.here, &corpus.files[0].path).display().to_string();
        for written in [shown, &whole, &format!("./{shown}"), &format!("x/../{shown}")] {
            assert_eq!(names.resolve(written), shown, "{written}");
        }
        assert_eq!(names.resolve(&format!("./{shown}[2]")), format!("{shown}[2]"));
        assert!(names.is_shown(&format!("{shown}[2]")));
        for other in ["", "[", "]", "[]", "a[x]", "other.py", "../../../../../../../../..", "é[1"] {
            assert_eq!(names.resolve(other), other);
            assert!(!names.is_shown(other), "{other}");
        }
    }
}
