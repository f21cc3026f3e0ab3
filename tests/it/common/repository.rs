//! Git repositories in temporary folders, which do not depend on the configuration of whoever runs the tests.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// A repository with a checkout.
pub struct Repository {
    folder: TempDir,
}

impl Repository {
    /// A repository whose first commit has these files.
    pub fn new(files: &[(&str, &str)]) -> Repository {
        let repository = Repository { folder: tempfile::tempdir().expect("a temporary folder") };
        repository.git(&["init", "--quiet", "--initial-branch=main"]);
        repository.commit(files);
        repository
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn file(&self, path: &str) -> PathBuf {
        self.path().join(path)
    }

    pub fn write(&self, path: &str, text: &str) {
        let path = self.file(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder can be made");
        fs::write(path, text).expect("a file can be written");
    }

    /// Writes files, and commits everything.
    pub fn commit(&self, files: &[(&str, &str)]) -> String {
        files.iter().for_each(|(path, text)| self.write(path, text));
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message=change"]);
        self.git(&["rev-parse", "HEAD"])
    }

    /// What a command of git says.
    pub fn git(&self, arguments: &[&str]) -> String {
        self.git_with(arguments, b"")
    }

    /// The same for one that reads something.
    pub fn git_with(&self, arguments: &[&str], input: &[u8]) -> String {
        let output = fed(git(self.path()).args(arguments), input);
        assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim_end_matches('\n').to_owned()
    }

    /// Runs Harp there: exit code, standard output, standard error.
    pub fn harp(&self, arguments: &[&str]) -> Said {
        harp_in(self.path(), arguments, b"")
    }

    /// The same with something on the standard input.
    pub fn harp_with(&self, arguments: &[&str], input: &[u8]) -> Said {
        harp_in(self.path(), arguments, input)
    }

    /// All files, also those of git, with their bytes.
    pub fn snapshot(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = BTreeMap::new();
        collect(self.path(), &mut files);
        files
    }
}

/// What a run of Harp said.
#[derive(Debug)]
pub struct Said {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Said {
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The last line, which counts.
    pub fn counts(&self) -> &str {
        self.out.lines().last().unwrap_or_default()
    }
}

/// Runs Harp in a folder.
pub fn harp_in(folder: &Path, arguments: &[&str], input: &[u8]) -> Said {
    let mut command = Command::new(env!("CARGO_BIN_EXE_harp"));
    command.args(arguments).current_dir(folder).env_remove("NO_COLOR");
    let output = fed(&mut command, input);
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("output is UTF-8");
    Said { code: output.status.code(), out: text(&output.stdout), err: text(&output.stderr) }
}

/// Git without any configuration but that of the repository.
pub fn git(folder: &Path) -> Command {
    let mut command = Command::new("git");
    command.current_dir(folder);
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY"] {
        command.env_remove(name);
    }
    for (name, value) in [
        ("GIT_CONFIG_GLOBAL", "/dev/null"),
        ("GIT_CONFIG_NOSYSTEM", "1"),
        ("GIT_AUTHOR_NAME", "A"),
        ("GIT_AUTHOR_EMAIL", "a@example.org"),
        ("GIT_AUTHOR_DATE", "2024-01-01T00:00:00Z"),
        ("GIT_COMMITTER_NAME", "A"),
        ("GIT_COMMITTER_EMAIL", "a@example.org"),
        ("GIT_COMMITTER_DATE", "2024-01-01T00:00:00Z"),
    ] {
        command.env(name, value);
    }
    command
}

fn fed(command: &mut Command, input: &[u8]) -> Output {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    let mut stdin = child.stdin.take().expect("an input");
    let input = input.to_vec();
    let writing = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().expect("it ends");
    writing.join().expect("it was read or not");
    output
}

fn collect(folder: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry")) {
        let path = entry.path();
        if entry.file_type().expect("a type").is_dir() {
            collect(&path, files);
        } else {
            let bytes = fs::read(&path).unwrap_or_default();
            files.insert(path, bytes);
        }
    }
}
