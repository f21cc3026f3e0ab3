//! Repositories in a folder, and what an audit of them writes.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use harp_tables::changes::{self, Told};
use harp_tables::{Part, rows::Status};

/// A program whose shapes do not fit.
pub const BROKEN: &str = "import torch\n\nx = torch.zeros(2, 3)\ny = x @ torch.zeros(4, 5)\n";
/// One whose shapes fit.
pub const FINE: &str = "import torch\n\nx = torch.zeros(2, 3)\ny = x @ torch.zeros(3, 5)\n";

/// A folder that goes when this does.
pub struct Scene(tempfile::TempDir);

impl Scene {
    pub fn new() -> Scene {
        Scene(tempfile::tempdir().expect("a folder"))
    }

    pub fn path(&self, below: &str) -> PathBuf {
        self.0.path().join(below)
    }

    pub fn put(&self, below: &str, text: impl AsRef<[u8]>) {
        let path = self.path(below);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    /// `harp audit` with these arguments, in the folder.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_harp"));
        command.arg("audit").args(arguments).current_dir(self.0.path()).env_remove("HARP_FAULTS");
        command
    }

    /// Runs it to a good end.
    pub fn audit(&self, arguments: &[&str]) -> String {
        let output = self.command(arguments).output().expect("the program starts");
        assert!(output.status.success(), "{}", said(&output));
        String::from_utf8(output.stdout).expect("text")
    }

    /// What it says where it cannot do its work.
    pub fn refusal(&self, arguments: &[&str]) -> String {
        let output = self.command(arguments).output().expect("the program starts");
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        said(&output)
    }

    /// The table of findings of a folder, in its order.
    pub fn findings(&self, table: &str) -> Vec<Told> {
        let rows = changes::read(File::open(self.path(table)).expect("a table")).expect("a table of findings");
        rows.map(|row| row.expect("a finding")).collect()
    }

    /// The findings as one line each.
    pub fn told(&self, table: &str) -> Vec<String> {
        let line = |it: Told| format!("{} {}:{}:{} {}", it.repository, it.path, it.line, it.column, it.rule);
        self.findings(table).into_iter().map(line).collect()
    }

    /// How the analysis of each repository ended, with why.
    pub fn statuses(&self, folder: &str) -> BTreeMap<String, (Status, String)> {
        let file = File::open(self.path(folder).join("repositories.parquet")).expect("a table");
        let rows = harp_tables::repositories::read(file).expect("a table of repositories");
        let count = rows.len();
        let statuses: BTreeMap<String, (Status, String)> =
            rows.into_iter().map(|row| (row.repository, (row.status, row.reason))).collect();
        assert_eq!(statuses.len(), count, "each repository has one row");
        statuses
    }

    /// The names of files in a folder, in their order.
    pub fn names(&self, folder: &str) -> Vec<String> {
        names(&self.path(folder))
    }
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("a name").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

pub fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Whether a file is a part that can be read.
pub fn is_part(path: &Path) -> bool {
    Part::read(fs::read(path).expect("a file")).is_some()
}
