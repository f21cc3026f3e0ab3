//! Asks the program `git` for commits, trees, files and differences.
//!
//! A repository's configuration can name programs in dozens of places: monitors of the file system, hooks, filters, converters, pagers,
//! transports, helpers for credentials, aliases, remotes that fetch what is missing. None of them is switched off here one by one: git is
//! started in a *repository of its own*, a private folder that has the references and shares the objects of the reviewed one, and neither its
//! configuration, hooks, attributes, index, grafts and replacements, nor those of the user and the machine. What it is asked for are plumbing
//! commands that read objects, or two folders that Harp made; it never sees the checkout.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::{ChildStdout, Stdio};
use std::time::Duration;

use harp_report::UserError;

use super::object_store;
use super::repository::{Repository, is_commit};
use crate::programs::{Call, Found, Program, Started};
use crate::project_folders::Projects;
use crate::writing::files::{make_folders, put_new};
use crate::writing::unfinished::Unfinished;

/// More of what git says of an error is not read.
const LONGEST_MESSAGE: u64 = 4 << 10;
/// What small answers have at most.
const LONGEST_ANSWER: u64 = 1 << 20;

/// A command takes no longer: reading all that a review reads takes seconds.
const LONGEST_RUN: Duration = Duration::from_secs(300);

/// What git is told beside the private repository that it finds.
const ENVIRONMENT: [(&str, &str); 15] = [
    ("LC_ALL", "C"),
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_CONFIG_SYSTEM", "/dev/null"),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_CONFIG_COUNT", "0"),
    ("GIT_ATTR_NOSYSTEM", "1"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_PROTOCOL_FROM_USER", "0"),
    // No transport at all.
    ("GIT_ALLOW_PROTOCOL", ""),
    ("GIT_PAGER", "cat"),
    ("GIT_EDITOR", "false"),
    ("GIT_SSH_COMMAND", "false"),
];

/// The objects of a repository, and git to read them.
pub(crate) struct Git {
    program: Found,
    /// The private repository.
    home: PathBuf,
    objects: PathBuf,
    is_shallow: bool,
    has_unread_references: bool,
}

impl Git {
    /// Prepares the private repository in a folder of Harp's own.
    pub fn open(repository: &Repository, scratch: &Unfinished, allows_alternates: bool) -> Result<Git, UserError> {
        let program = Program::Git
            .find(&Projects::around(&repository.folders()))
            .map_err(|missing| missing.error("`harp review` reads revisions through git; `harp check` needs no git"))?;
        let home = scratch.path().join("git");
        let shallow = repository.shallow();
        prepare(&home, repository, shallow.as_deref())
            .map_err(|error| UserError::new(format!("the temporary folder cannot be written: {error}")))?;
        let has_unread_references = repository.has_unread_references();
        let objects = repository.objects()?;
        object_store::check(&objects, allows_alternates)?;
        Ok(Git { program, home, objects, is_shallow: shallow.is_some(), has_unread_references })
    }

    /// The commit that a revision names.
    pub fn commit(&self, revision: &str) -> Result<String, UserError> {
        let answer = self.ask(&["rev-parse", "--verify", "--end-of-options", &format!("{revision}^{{commit}}")]);
        let reason = match answer {
            Ok(text) if is_commit(text.trim()) => return Ok(text.trim().to_owned()),
            Ok(_) => String::new(),
            Err(reason) => reason,
        };
        let error = UserError::new(format!("git knows no commit `{revision}`"));
        let error = if reason.contains("ambiguous") { error.note(reason) } else { error };
        Err(if self.has_unread_references {
            error
                .note("the repository keeps its references in the form `reftable`, which is not read")
                .hint("name commits by their ids")
        } else if self.is_shallow {
            error
                .note("the clone is shallow: it has the last commits alone")
                .hint("fetch the others with `git fetch --unshallow`; with actions/checkout, set `fetch-depth: 0`")
        } else if revision == "HEAD" {
            error.note("the repository has no commit yet").hint("`harp check` checks everything")
        } else if Path::new(revision).exists() {
            error.hint(format!("paths come behind the change: `harp review HEAD {revision}`"))
        } else if revision.contains('@') {
            error.hint("logs of references and upstream branches are not read; name a branch, a tag or a commit")
        } else {
            error.hint("name a branch, a tag or a commit; `git fetch` gets those of a remote")
        })
    }

    /// Where two commits parted, and whether there is more than one such commit.
    pub fn parting(&self, base: (&str, &str), head: (&str, &str)) -> Result<(String, bool), UserError> {
        let answer = self.ask(&["merge-base", "--all", base.1, head.1]).unwrap_or_default();
        let mut commits = answer.lines().filter(|line| is_commit(line));
        match commits.next() {
            Some(commit) => Ok((commit.to_owned(), commits.next().is_some())),
            None => {
                let error = UserError::new(format!("`{}` and `{}` have no commit in common", base.0, head.0));
                Err(if self.is_shallow {
                    error.note("the clone is shallow: it has the last commits alone").hint(
                        "fetch the others with `git fetch --unshallow`; with actions/checkout, set `fetch-depth: 0`",
                    )
                } else {
                    error.hint(format!("`{}..{}` compares them as they are", base.0, head.0))
                })
            }
        }
    }

    /// The parents of a commit.
    pub fn parents(&self, commit: &str) -> Vec<String> {
        let answer = self.ask(&["rev-list", "--parents", "--max-count=1", commit]).unwrap_or_default();
        answer.split_whitespace().skip(1).map(str::to_owned).collect()
    }

    /// Whether a commit is one of those that another stands on; in a shallow clone nobody knows, which counts as yes.
    pub fn is_ancestor(&self, base: &str, head: &str) -> bool {
        let ask = || self.start(&["merge-base", "--is-ancestor", base, head], None).ok()?.process.code();
        self.is_shallow || ask().is_some_and(|code| code != 1)
    }

    /// What a command writes, of which there is not much; else what it says.
    fn ask(&self, arguments: &[&str]) -> Result<String, String> {
        let child = self.start(arguments, None)?;
        let mut text = Vec::new();
        let read = child.output.take(LONGEST_ANSWER).read_to_end(&mut text).map_err(|error| error.to_string());
        child.process.end()?;
        read?;
        String::from_utf8(text).map_err(|error| error.to_string())
    }

    /// Starts a command whose output is read while it comes.
    pub fn start(&self, arguments: &[&str], input: Option<fs::File>) -> Result<Running, String> {
        let mut call = self.call(arguments);
        // A file takes all that it says; a pipe that nobody reads would stop it.
        let said = tempfile::tempfile_in(&self.home).map_err(|error| error.to_string())?;
        let for_git = said.try_clone().map_err(|error| error.to_string())?;
        call.command.stdin(input.map_or(Stdio::null(), Stdio::from)).stdout(Stdio::piped()).stderr(for_git);
        let started = call.start(LONGEST_RUN).map_err(|error| format!("git cannot be started: {error}"))?;
        let output = started.with(|child| child.stdout.take()).ok_or("git has no output")?;
        Ok(Running { output: BufReader::new(output), process: Process { started, said } })
    }

    fn call<Argument: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = Argument>) -> Call {
        let mut call = self.program.call(&self.home, ["--no-pager"]);
        call.command.args(arguments).envs(ENVIRONMENT);
        call.command.env("HOME", &self.home).env("XDG_CONFIG_HOME", &self.home);
        call.command.env("GIT_DIR", &self.home).env("GIT_OBJECT_DIRECTORY", &self.objects);
        call
    }

    /// A file with lines that a command reads.
    pub fn input<'a>(&self, lines: impl Iterator<Item = &'a str>) -> io::Result<fs::File> {
        let mut file = tempfile::tempfile_in(&self.home)?;
        let mut out = io::BufWriter::new(&mut file);
        for line in lines {
            writeln!(out, "{line}")?;
        }
        out.flush()?;
        drop(out);
        file.seek(SeekFrom::Start(0))?;
        Ok(file)
    }

    /// The folder in which folders lie that Harp made.
    pub fn scratch(&self) -> &Path {
        self.home.parent().unwrap_or(&self.home)
    }
}

/// A command that writes.
pub(crate) struct Running {
    pub output: BufReader<ChildStdout>,
    pub process: Process,
}

/// A process, and what it says of errors.
pub(crate) struct Process {
    started: Started,
    said: fs::File,
}

impl Process {
    /// Waits for the end, and tells the exit code.
    pub fn code(self) -> Option<i32> {
        self.started.wait().ok()?.code()
    }

    /// Waits for the end; what went wrong is what git says of it.
    pub fn end(self) -> Result<(), String> {
        self.end_with(&[0])
    }

    /// The same for a command of which these exit codes are answers.
    pub fn end_with(self, answers: &[i32]) -> Result<(), String> {
        let status = self.started.wait()?;
        if status.code().is_some_and(|code| answers.contains(&code)) {
            return Ok(());
        }
        Err(self.said().unwrap_or_else(|| "it says nothing".to_owned()))
    }

    /// The same as [`Process::end`], with what git says of errors all the same.
    pub fn end_saying(self) -> Result<Option<String>, String> {
        match self.started.wait()?.success() {
            true => Ok(self.said()),
            false => Err(self.said().unwrap_or_else(|| "it says nothing".to_owned())),
        }
    }

    /// The first line that it says.
    fn said(mut self) -> Option<String> {
        let mut said = Vec::new();
        // What it says does not matter where it cannot be read.
        let _ = self.said.seek(SeekFrom::Start(0));
        let _ = (&mut self.said).take(LONGEST_MESSAGE).read_to_end(&mut said);
        let said = String::from_utf8_lossy(&said);
        let line = said.lines().find(|line| !line.trim().is_empty())?.trim();
        Some(line.strip_prefix("fatal: ").or_else(|| line.strip_prefix("error: ")).unwrap_or(line).to_owned())
    }
}

impl Running {
    /// The bytes up to the next one of this value; `None` at the end.
    pub fn until(&mut self, end: u8, most: u64) -> io::Result<Option<Vec<u8>>> {
        let mut bytes = Vec::new();
        if (&mut self.output).take(most).read_until(end, &mut bytes)? == 0 {
            return Ok(None);
        }
        if bytes.last() == Some(&end) {
            bytes.pop();
        }
        Ok(Some(bytes))
    }
}

/// Writes the private repository.
fn prepare(home: &Path, repository: &Repository, shallow: Option<&str>) -> io::Result<()> {
    for folder in ["refs", "objects/info", "objects/pack"] {
        make_folders(&home.join(folder))?;
    }
    let head = repository.head("HEAD");
    let references = repository.references();
    let commits = references.iter().map(|reference| &reference.commit).chain(&head);
    let has_long_ids = commits.into_iter().any(|commit| commit.len() == 64 && is_commit(commit));
    let format = if has_long_ids { "sha256" } else { "sha1" };
    let config = format!(
        "[core]\n\trepositoryformatversion = 1\n\tbare = true\n\tcommitGraph = false\n\tmultiPackIndex = false\n\
         [extensions]\n\tobjectFormat = {format}\n"
    );
    put_new(&home.join("config"), config.as_bytes())?;
    put_new(&home.join("HEAD"), (head.unwrap_or_else(|| "ref: refs/heads/none".to_owned()) + "\n").as_bytes())?;
    for name in ["ORIG_HEAD", "MERGE_HEAD", "FETCH_HEAD", "CHERRY_PICK_HEAD"] {
        if let Some(commit) = repository.head(name).filter(|commit| is_commit(commit)) {
            put_new(&home.join(name), (commit + "\n").as_bytes())?;
        }
    }
    // References of one kind of ids alone: git reads no others.
    let length = if has_long_ids { 64 } else { 40 };
    let lines = references.iter().filter(|reference| reference.commit.len() == length);
    let packed: String = lines.map(|reference| format!("{} {}\n", reference.commit, reference.name)).collect();
    put_new(&home.join("packed-refs"), packed.as_bytes())?;
    shallow.map_or(Ok(()), |commits| put_new(&home.join("shallow"), commits.as_bytes()))
}
