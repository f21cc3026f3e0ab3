//! A corpus of one file whose bytes somebody gives, such as an editor with a text that is not saved.

use std::path::{Path, PathBuf};

use crate::load::{LARGEST_FILE_SIZE, PackageFolders};
use crate::shown::ShownPath;
use crate::{Corpus, Origin, SkipReason, Skipped, SourceFile, decode, notebook};

impl Corpus {
    /// The corpus of these bytes as they would be read at `path`, where another file may lie or none. It is a notebook by the path's ending.
    pub fn of_bytes(path: &Path, bytes: Vec<u8>) -> Corpus {
        let shown = ShownPath::of(path);
        let path = place(path);
        let packages = PackageFolders::default().enclosing(&path);
        let root = path.ancestors().nth(packages.len() + 1).unwrap_or(Path::new("/")).to_owned();
        let mut corpus = Corpus { roots: vec![root.clone()], ..Corpus::default() };
        let content = match bytes.len() as u64 > LARGEST_FILE_SIZE {
            true => Err(SkipReason::TooLarge { size: bytes.len() as u64, limit: LARGEST_FILE_SIZE }),
            false => decode::decode(bytes),
        };
        let content = content.and_then(|text| match notebook::is_notebook(&path) {
            true => notebook::read(&text),
            false => Ok((text, None)),
        });
        match content {
            Ok((text, cells)) => {
                let mut file = SourceFile::new(path, root, shown, text, cells);
                file.origin = Origin::Name;
                corpus.add(file, packages);
            }
            Err(reason) => corpus.skipped.push(Skipped::new(shown, reason)),
        }
        corpus
    }
}

/// The absolute path of which the folder is without links, as far as it exists.
fn place(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    match (path.parent().and_then(|folder| folder.canonicalize().ok()), path.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => path,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_read_as_a_file_of_that_name_would_be() {
        let folder = tempfile::tempdir().expect("a folder");
        let package = folder.path().join("package");
        std::fs::create_dir(&package).expect("a folder");
        std::fs::write(package.join("__init__.py"), "").expect("a file");
        let corpus = Corpus::of_bytes(&package.join("new.py"), b"# coding: latin-1\n\xe9".to_vec());
        let file = &corpus.files[0];
        assert_eq!((file.text.as_str(), &file.packages[..]), ("# coding: latin-1\né", &["package".to_owned()][..]));
        assert_eq!(file.root, folder.path().canonicalize().expect("a folder"));
        let notebook = Corpus::of_bytes(Path::new("a.ipynb"), b"{}".to_vec());
        assert!(matches!(notebook.skipped[0].reason, SkipReason::MalformedNotebook(_)));
        assert_eq!(Corpus::of_bytes(Path::new("a.py"), vec![0]).skipped[0].reason, SkipReason::Binary);
    }
}
