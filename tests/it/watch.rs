//! `harp check --watch` checks again when files change.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread::spawn;

use crate::common::folder;

const RIGHT: &str = "import torch\ntorch.rand(2, 3) @ torch.rand(3, 5)\n";
const WRONG: &str = "import torch\ntorch.rand(2, 3) @ torch.rand(4, 5)\n";

/// A run that watches; it is ended with the test.
struct Watching {
    child: Child,
    lines: Receiver<String>,
}

impl Watching {
    fn of(folder: &Path, arguments: &[&str]) -> Watching {
        let mut command = Command::new(env!("CARGO_BIN_EXE_harp"));
        command.args(["check", "--watch"]).args(arguments).current_dir(folder);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
        let (sender, lines) = channel();
        let out = BufReader::new(child.stdout.take().expect("an output"));
        let err = BufReader::new(child.stderr.take().expect("messages"));
        let of_err = sender.clone();
        spawn(move || out.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        spawn(move || err.lines().map_while(Result::ok).try_for_each(|line| of_err.send(line)));
        Watching { child, lines }
    }

    /// The lines of a round, which ends when all of these parts were seen; the two outputs come in any order.
    fn until(&self, parts: &[&str]) -> Vec<String> {
        let mut seen: Vec<String> = Vec::new();
        let has = |seen: &[String], part: &str| seen.iter().any(|line| line.contains(part));
        while !parts.iter().all(|part| has(&seen, part)) {
            let line = self.lines.recv().unwrap_or_else(|_| panic!("it ended without {parts:?}: {seen:?}"));
            seen.push(line);
        }
        seen
    }

    /// The lines of a round with this part.
    fn round(&self, part: &str) -> Vec<String> {
        self.until(&[part, "watching for changes"])
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn each_change_is_checked() {
    let folder = folder(&[("a.py", WRONG), ("sub/b.py", RIGHT)]);
    let watching = Watching::of(folder.path(), &["--format", "concise"]);
    let has_finding = |lines: &[String], file: &str| lines.iter().any(|line| line.starts_with(file));
    assert!(has_finding(&watching.round("1 error in"), "a.py:2"));
    fs::write(folder.path().join("a.py"), RIGHT).expect("a file");
    assert!(!has_finding(&watching.round("no findings"), "a.py:2"));
    // What is new counts, what is no source does not, and a configuration does.
    fs::write(folder.path().join("log.txt"), "epoch 1").expect("a file");
    fs::write(folder.path().join("results.json"), "{}").expect("a file");
    fs::write(folder.path().join("sub/c.py"), WRONG).expect("a file");
    let told = watching.round("1 error in");
    assert!(has_finding(&told, "sub/c.py:2") && told.contains(&"changed: sub/c.py".to_owned()), "{told:?}");
    fs::write(folder.path().join("harp.toml"), "exclude = ['sub']\n").expect("a file");
    watching.round("no findings in 1 file");
    // A mistake is told, and waited for.
    fs::write(folder.path().join("harp.toml"), "exclude = ['sub'\n").expect("a file");
    watching.round("error: ");
    fs::remove_file(folder.path().join("harp.toml")).expect("a file");
    watching.round("1 error in");
}

#[test]
fn what_the_run_writes_is_no_change() {
    let folder = folder(&[("a.py", WRONG)]);
    let watching = Watching::of(folder.path(), &["--output", "markdown:report.md"]);
    watching.until(&["watching for changes"]);
    fs::write(folder.path().join("b.py"), RIGHT).expect("a file");
    assert!(watching.until(&["changed: "]).contains(&"changed: b.py".to_owned()));
}

#[test]
fn the_standard_input_is_not_watched() {
    let folder = folder(&[("a.py", WRONG)]);
    for arguments in [&["-"][..], &["--stdin-filename", "a.py"], &["--show-files"], &["--update-baseline"], &["--diff"]]
    {
        let mut command = Command::new(env!("CARGO_BIN_EXE_harp"));
        let output =
            command.args(["check", "--watch"]).args(arguments).current_dir(folder.path()).output().expect("it starts");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    }
}
