//! What the tests of the command line share.

pub mod json_schema;
pub mod repository;

use std::fs;

use tempfile::TempDir;

/// A new folder with these files, texts or bytes.
pub fn folder<Content: AsRef<[u8]>>(files: &[(&str, Content)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    // The configuration is searched no further than the root of a checkout.
    fs::create_dir(folder.path().join(".git")).expect("a folder can be made");
    for (path, content) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder can be made");
        fs::write(path, content).expect("a file can be written");
    }
    folder
}
