//! `harp review`: what a change introduced, fixed and made worse, and nothing else.

use std::fs;

use serde_json::Value;

use crate::common::repository::{Repository, harp_in};

/// A file with one error, and what adds another.
const ONE: &str = "import torch\n\nx = torch.zeros(2, 3)\ny = torch.cat([x, torch.ones(4, 5)], dim=0)\n";
const ANOTHER: &str = "x @ torch.ones(7, 7)\n";

fn review(repository: &Repository, arguments: &[&str]) -> crate::common::repository::Said {
    repository.harp(&[&["review"], arguments].concat())
}

#[test]
fn only_what_the_change_introduced_is_told() {
    let repository = Repository::new(&[("a.py", ONE)]);
    let clean = review(&repository, &[]);
    assert_eq!(clean.code, Some(0), "{clean:?}");
    assert_eq!(clean.out, "0 introduced, 0 fixed, 0 made worse (HEAD..work tree)\n");
    repository.write("a.py", &format!("import os\n{ONE}{ANOTHER}"));
    repository.write("new.py", &format!("import torch\n\nx = torch.zeros(2, 3)\n{ANOTHER}"));
    let changed = review(&repository, &["--format", "concise"]);
    let lines: Vec<&str> = changed.out.lines().collect();
    assert_eq!((changed.code, lines.len()), (Some(1), 3), "{changed:?}");
    assert!(lines[0].starts_with("a.py:6:1: error[shape/mismatch] "), "{changed:?}");
    assert!(lines[1].starts_with("new.py:4:1: error[shape/mismatch] "), "{changed:?}");
    assert_eq!(lines[2], "2 introduced, 0 fixed, 0 made worse (HEAD..work tree)");
    assert_eq!(review(&repository, &["--fail-on", "never"]).code, Some(0));
    // The same as commits, from a folder below, with a path.
    repository.commit(&[("below/b.py", "x = 1\n")]);
    let commits = harp_in(&repository.file("below"), &["review", "HEAD^..HEAD", "--format", "concise"], b"");
    assert_eq!(commits.out, changed.out.replace("HEAD..work tree", "HEAD^..HEAD"));
    let one = harp_in(&repository.file("below"), &["review", "HEAD^..", "../new.py", "--format", "concise"], b"");
    assert_eq!(one.counts(), "1 introduced, 0 fixed, 0 made worse (HEAD^..HEAD)");
}

#[test]
fn empty_files_and_files_that_are_no_text_are_compared() {
    let repository = Repository::new(&[("a.py", ONE), ("gone.py", ""), ("bytes.py", "x = 1\0\n"), ("grows.py", "")]);
    fs::remove_file(repository.file("gone.py")).expect("it goes");
    let files = [("é x.py", ""), ("bytes.py", "x = 2\0\n"), ("grows.py", "x = 1\n"), ("b/__init__.py", "")];
    repository.commit(&files);
    let said = review(&repository, &["HEAD^..HEAD"]);
    assert_eq!((said.code, said.err.as_str()), (Some(0), ""), "{said:?}");
    repository.commit(&[("a.py", &format!("{ONE}{ANOTHER}\0"))]);
    let bytes = review(&repository, &["HEAD^..HEAD", "--format", "concise"]);
    assert_eq!(bytes.counts(), "0 introduced, 1 fixed, 0 made worse (HEAD^..HEAD)", "{bytes:?}");
    assert!(bytes.out.contains("note: not read after the change: `a.py: a binary file`"), "{bytes:?}");
}

#[test]
fn what_is_gone_is_fixed() {
    let repository = Repository::new(&[("a.py", ONE)]);
    repository.commit(&[("a.py", "import torch\n\nx = torch.zeros(2, 3)\n")]);
    let said = review(&repository, &["HEAD^..HEAD", "--verbose"]);
    assert_eq!(said.code, Some(0));
    let lines: Vec<&str> = said.out.lines().collect();
    assert!(lines[0].starts_with("fixed: a.py:4:5: error[shape/mismatch] "), "{said:?}");
    assert_eq!(lines[1..], ["0 introduced, 1 fixed, 0 made worse (HEAD^..HEAD)"]);
    let json = review(&repository, &["HEAD^..HEAD", "--format", "json"]).json();
    assert_eq!(json["fixed"][0]["place"]["file"], "a.py");
    assert_eq!(json["unchanged"], 0);
}

const MAY_FAIL: &str = "\
from torch import nn

class Net(nn.Module):
    def __init__(self, width, hidden):
        super().__init__()
        self.one = nn.Linear(width, hidden)
        self.two = nn.Linear(width, width)

    def forward(self, x):
        return self.two(self.one(x))
";

#[test]
fn what_failed_under_a_condition_and_fails_now_is_made_worse() {
    let repository = Repository::new(&[("net.py", MAY_FAIL)]);
    let fails = MAY_FAIL.replace("width, hidden)\n        self.two", "width, 3)\n        self.two");
    repository.commit(&[("net.py", &fails.replace("self.two = nn.Linear(width,", "self.two = nn.Linear(4,"))]);
    let said = review(&repository, &["HEAD^..HEAD"]);
    assert_eq!((said.code, said.counts()), (Some(1), "0 introduced, 0 fixed, 1 made worse (HEAD^..HEAD)"), "{said:?}");
    assert!(said.out.contains("= note: made worse: it was warning[shape/possible] when "), "{said:?}");
    let json = review(&repository, &["HEAD^..HEAD", "--format", "json"]).json();
    assert_eq!(json["worse"][0]["before"]["rule"], "shape/possible");
    assert_eq!(json["worse"][0]["now"]["rule"], "shape/mismatch");
    // The other way round it is neither new nor worse.
    assert_eq!(review(&repository, &["HEAD..HEAD^"]).counts(), "0 introduced, 0 fixed, 0 made worse (HEAD..HEAD^)");
    // What was a warning is known though only errors are told.
    let errors = review(&repository, &["HEAD^..HEAD", "--min-severity", "error"]);
    assert_eq!(errors.counts(), "0 introduced, 0 fixed, 1 made worse (HEAD^..HEAD)");
}

#[test]
fn moved_and_renamed_code_is_not_new() {
    let function = "def join(x):\n    return torch.cat([torch.zeros(2, 3), torch.ones(4, 5)], dim=0)\n";
    let other = "import torch\n\nz = 1\nfor step in range(3):\n    z = z + step\nprint(z)\nprint(torch.ones(2))\n";
    let repository = Repository::new(&[("a.py", &format!("import torch\n\n{function}")), ("b.py", other)]);
    repository.commit(&[("a.py", "import torch\n"), ("b.py", &format!("{other}\n\n{function}"))]);
    assert_eq!(review(&repository, &["HEAD^.."]).counts(), "0 introduced, 0 fixed, 0 made worse (HEAD^..HEAD)");
    repository.git(&["mv", "b.py", "c.py"]);
    repository.commit(&[]);
    let said = review(&repository, &["HEAD^..", "--verbose"]);
    assert_eq!(said.out, "renamed: b.py is c.py\n0 introduced, 0 fixed, 0 made worse (HEAD^..HEAD)\n");
    repository.git(&["mv", "c.py", "d.py"]);
    repository.commit(&[("d.py", &format!("{other}\n\n{function}torch.zeros(2, 3) @ torch.ones(7, 7)\n"))]);
    let said = review(&repository, &["HEAD^..", "--format", "concise"]);
    assert!(said.out.starts_with("d.py:12:1: error"), "{said:?}");
    assert_eq!(said.counts(), "1 introduced, 0 fixed, 0 made worse (HEAD^..HEAD)");
}

fn notebook(cells: &[&str]) -> String {
    let cell = |source: &&str| serde_json::json!({ "cell_type": "code", "execution_count": null, "metadata": {}, "outputs": [], "source": source });
    let cells: Vec<Value> = cells.iter().map(cell).collect();
    let metadata = serde_json::json!({ "kernelspec": { "language": "python", "name": "python3" } });
    let notebook = serde_json::json!({ "cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5 });
    serde_json::to_string_pretty(&notebook).expect("JSON")
}

#[test]
fn notebooks_are_compared_by_their_cells() {
    let repository = Repository::new(&[("n.ipynb", &notebook(&["import torch\nx = torch.zeros(2, 3)", ANOTHER]))]);
    let cells = ["import torch\nx = torch.zeros(2, 3)", "print(x)", ANOTHER, "x @ torch.ones(9, 9)"];
    repository.commit(&[("n.ipynb", &notebook(&cells))]);
    let said = review(&repository, &["HEAD^..", "--format", "concise"]);
    assert!(said.out.starts_with("n.ipynb:cell 4:1:1: error[shape/mismatch] "), "{said:?}");
    assert_eq!(said.counts(), "1 introduced, 0 fixed, 0 made worse (HEAD^..HEAD)");
    let request = review(&repository, &["HEAD^..", "--format", "github-review"]).json();
    assert_eq!(request["comments"], serde_json::json!([]));
    assert!(request["body"].as_str().is_some_and(|body| body.contains("`n.ipynb:cell 4:1:1`")), "{request}");
    // A cell that is no Python is none after an edit.
    repository.commit(&[("n.ipynb", &notebook(&["for x in y:\nprint(x)"]))]);
    repository.commit(&[("n.ipynb", &notebook(&["print(1)", "y = [1]\nfor x in y:\nprint(y)"]))]);
    assert_eq!(review(&repository, &["HEAD^.."]).counts(), "0 introduced, 0 fixed, 0 made worse (HEAD^..HEAD)");
}

#[test]
fn merges_and_branches_that_parted_are_told() {
    let repository = Repository::new(&[("a.py", ONE), ("b.py", "x = 1\n")]);
    repository.git(&["switch", "--quiet", "--create", "topic"]);
    repository.commit(&[("b.py", &format!("{ONE}{ANOTHER}"))]);
    repository.git(&["switch", "--quiet", "main"]);
    repository.commit(&[("a.py", "x = 1\n")]);
    // What main has fixed since is not taken for something that the branch introduces.
    let since = review(&repository, &["main...topic"]);
    assert_eq!(since.out.matches("error[shape/mismatch]").count(), 2, "{since:?}");
    assert_eq!(since.counts(), "2 introduced, 0 fixed, 0 made worse (main...topic)");
    let apart = review(&repository, &["main..topic"]);
    assert!(apart.out.contains("note: `topic` does not stand on `main`"), "{apart:?}");
    assert!(apart.out.contains("`main...topic` leaves it out"), "{apart:?}");
    repository.git(&["merge", "--quiet", "--no-edit", "topic"]);
    let merge = review(&repository, &["HEAD^..HEAD"]);
    assert_eq!(merge.counts(), "2 introduced, 0 fixed, 0 made worse (HEAD^..HEAD)");
    assert!(merge.out.contains("note: `HEAD` is a merge commit, compared with its first parent"), "{merge:?}");
    let further = review(&repository, &["HEAD^2..HEAD"]);
    assert_eq!(further.counts(), "0 introduced, 1 fixed, 0 made worse (HEAD^2..HEAD)", "{further:?}");
    repository.git(&["switch", "--quiet", "--orphan", "other"]);
    repository.commit(&[("c.py", "x = 1\n")]);
    let strangers = review(&repository, &["main...other"]);
    assert_eq!(strangers.code, Some(2));
    assert!(strangers.err.contains("`main` and `other` have no commit in common"), "{strangers:?}");
}

#[test]
fn a_patch_on_the_standard_input_is_applied_to_the_commit() {
    let repository = Repository::new(&[("a.py", ONE), ("logo.png", "\0\u{1}")]);
    repository.write("a.py", &format!("{ONE}{ANOTHER}"));
    repository.write("logo.png", "\0\u{2}");
    let patch = repository.git(&["diff", "HEAD"]) + "\n";
    repository.git(&["checkout", "--quiet", "."]);
    let said = repository.harp_with(&["review", "-"], patch.as_bytes());
    assert_eq!((said.code, said.counts()), (Some(1), "1 introduced, 0 fixed, 0 made worse (HEAD..patch)"), "{said:?}");
    assert!(said.out.contains("note: the change of logo.png is not read: it is a binary file"), "{said:?}");
    assert_eq!(fs::read_to_string(repository.file("a.py")).expect("the file"), ONE);
    let nothing = repository.harp_with(&["review", "-"], b"");
    assert_eq!((nothing.code, nothing.counts()), (Some(0), "0 introduced, 0 fixed, 0 made worse (HEAD..patch)"));

    repository.commit(&[("a.py", "import torch\n")]);
    let twice = repository.harp_with(&["review", "-"], patch.as_bytes());
    assert_eq!((twice.code, twice.out.as_str()), (Some(2), ""));
    for part in ["the patch cannot be applied", "--> the standard input:5:1", "the file has no such lines"] {
        assert!(twice.err.contains(part), "{twice:?}");
    }
    let none = repository.harp_with(&["review", "-"], b"hello\n");
    assert_eq!(none.code, Some(2));
    assert!(none.err.contains("the standard input has no patch"), "{none:?}");
}

#[test]
fn a_patch_of_bytes_is_no_patch_of_a_program() {
    let repository = Repository::new(&[("a.py", ONE)]);
    fs::write(repository.file("a.py"), b"x = 1\0\n").expect("a file");
    let patch = repository.git(&["diff", "HEAD"]) + "\n";
    let said = repository.harp_with(&["review", "-"], patch.as_bytes());
    assert_eq!((said.code, said.out.as_str()), (Some(2), ""));
    assert!(said.err.contains("a.py is changed as a binary file"), "{said:?}");
}

const LOOP: &str = "import numpy as np\n\na, b = np.zeros(1000), np.ones(1000)\nif True:\n    for i in range(1000):\n        a[i] = b[i] * 2\nprint(a.sum())\n";
const PRODUCT: &str = "import torch\nD, X = torch.rand(512, 512), torch.rand(512, 512)\ntotal = torch.zeros(512, 512)\nfor step in range(100):\n    total = total + D @ X\nprint(total)\n";

/// The file after somebody applied the suggestion of a comment, as GitHub does.
fn suggested(comment: &Value, text: &str) -> String {
    let body = comment["body"].as_str().expect("a body");
    let (_, code) = body.split_once("```suggestion\n").expect("a suggestion");
    let (code, _) = code.split_once("```\n").expect("its end");
    let number = |member: &str| comment[member].as_u64().map(|line| line as usize);
    let last = number("line").expect("a line");
    let first = number("start_line").unwrap_or(last);
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    format!("{}{code}{}", lines[..first - 1].concat(), lines[last..].concat())
}

#[test]
fn suggestions_of_a_review_on_github_give_the_rewrite() {
    for (text, rewritten) in [
        (LOOP, LOOP.replace("    for i in range(1000):\n        a[i] = b[i] * 2\n", "    a[:1000] = b[:1000] * 2\n")),
        (
            PRODUCT,
            PRODUCT.replace(
                "for step in range(100):\n    total = total + D @ X\n",
                "product = D @ X\nfor step in range(100):\n    total = total + product\n",
            ),
        ),
    ] {
        let repository = Repository::new(&[("a.py", "x = 1\n")]);
        let head = repository.commit(&[("src/a.py", text)]);
        let said = review(&repository, &["HEAD^..HEAD", "--format", "github-review"]);
        let request = said.json();
        assert_eq!((said.code, &request["event"]), (Some(1), &Value::from("COMMENT")));
        assert_eq!(request["commit_id"], head);
        let [comment] = request["comments"].as_array().expect("comments").as_slice() else { panic!("{request}") };
        assert_eq!((&comment["path"], &comment["side"]), (&Value::from("src/a.py"), &Value::from("RIGHT")));
        assert_eq!(suggested(comment, text), rewritten);
        // The same finding again, on lines that the change does not show.
        let far = "x = 1\n".repeat(20);
        repository.commit(&[("src/a.py", &format!("{text}{far}")), ("far.py", "n = 1\n")]);
        let unchanged = review(&repository, &["HEAD^..HEAD", "--format", "github-review"]).json();
        assert_eq!(unchanged["comments"], serde_json::json!([]));
    }
}

#[test]
fn what_fails_elsewhere_stands_in_the_text_of_the_review() {
    let main = "import torch\nfrom sizes import N\n\nx = torch.zeros(2, 3)\nx @ torch.ones(N, 4)\n";
    let repository = Repository::new(&[("main.py", main), ("sizes.py", "N = 3\n")]);
    repository.commit(&[("sizes.py", "N = 4\n")]);
    let request = review(&repository, &["HEAD^..HEAD", "--format", "github-review"]).json();
    assert_eq!(request["comments"], serde_json::json!([]));
    let body = request["body"].as_str().expect("a body");
    assert!(body.contains("`main.py:5:1`: **error** `shape/mismatch`"), "{body}");
}

/// A layer is changed, and the next one fails in `forward`, which the change does not touch.
#[test]
fn a_comment_stands_at_the_changed_constructor() {
    let net = |hidden: &str| {
        format!(
            "import torch\nimport torch.nn as nn\n\n\nclass Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        \
             self.a = nn.Linear(8, {hidden})\n        self.relu = nn.ReLU()\n        self.b = nn.Linear(16, 4)\n{}\n    def forward(self, x):\n        \
             return self.b(self.relu(self.a(x)))\n\n\nNet()(torch.rand(2, 8))\n",
            "        self.n = 1\n".repeat(9)
        )
    };
    let repository = Repository::new(&[("net.py", &net("16"))]);
    repository.commit(&[("net.py", &net("32"))]);
    let request = review(&repository, &["HEAD^..HEAD", "--format", "github-review"]).json();
    let [comment] = request["comments"].as_array().expect("comments").as_slice() else { panic!("{request}") };
    assert_eq!(comment["line"], 8, "{comment}");
    let body = comment["body"].as_str().expect("a body");
    assert!(body.starts_with("**error** `shape/mismatch`: ") && body.contains("<details>"), "{body}");
    // The change of the layer that fails carries what would mend it.
    let repository = Repository::new(&[("net.py", &net("16"))]);
    repository.commit(&[("net.py", &net("16").replace("Linear(16, 4)", "Linear(15, 4)"))]);
    let request = review(&repository, &["HEAD^..HEAD", "--format", "github-review"]).json();
    let [comment] = request["comments"].as_array().expect("comments").as_slice() else { panic!("{request}") };
    assert_eq!(comment["line"], 10, "{comment}");
    let body = comment["body"].as_str().expect("a body");
    assert!(body.contains("```suggestion\n        self.b = nn.Linear(16, 4)\n```"), "{body}");
}

#[test]
fn sarif_says_what_became_of_each_finding() {
    let gone = "torch.zeros(1, 2) @ torch.zeros(3, 4)\n";
    let repository = Repository::new(&[("a.py", &format!("{ONE}{gone}"))]);
    repository.commit(&[("a.py", &format!("{ONE}{ANOTHER}"))]);
    let log = review(&repository, &["HEAD^..HEAD", "--format", "sarif"]).json();
    let results = log["runs"][0]["results"].as_array().expect("results");
    let states: Vec<&str> = results.iter().filter_map(|result| result["baselineState"].as_str()).collect();
    assert_eq!(states, ["unchanged", "new", "absent"], "{log}");
    repository.commit(&[]);
    let log = review(&repository, &["HEAD^..HEAD", "--format", "sarif"]).json();
    assert_eq!(log["runs"][0]["results"][1]["baselineState"], "unchanged");
}

#[test]
fn every_form_is_written() {
    let repository = Repository::new(&[("a.py", ONE)]);
    repository.write("a.py", &format!("{ONE}{ANOTHER}"));
    for (format, start) in [
        ("markdown", "### Harp: 1 introduced, 0 fixed, 0 made worse (`HEAD..work tree`)\n"),
        ("json-lines", "{\"rule\":\"shape/mismatch\""),
        ("github", "::error title=harp (shape/mismatch),file=a.py,line=5,"),
        ("gitlab", "[\n"),
        ("junit", "<?xml"),
    ] {
        let name = format!("out.{format}");
        let said = review(&repository, &["--format", format, "--output", &name]);
        let text = fs::read_to_string(repository.file(&name)).expect("a report");
        assert!(text.starts_with(start) && said.out.is_empty(), "{format}: {text}");
        assert_eq!(said.code, Some(1));
    }
    let several = review(&repository, &["--output", "sarif:a.sarif", "--output", "concise", "--output", "json:a.json"]);
    assert!(several.code == Some(1) && several.out.starts_with("a.py:5:1: error"), "{several:?}");
    assert!(
        fs::read_to_string(repository.file("a.sarif")).is_ok_and(|text| text.contains("\"baselineState\": \"new\""))
    );
    assert!(repository.file("a.json").is_file());
    let twice = review(&repository, &["--output", "sarif", "--output", "json"]);
    assert!(twice.code == Some(2) && twice.err.contains("two reports cannot go to the standard output"), "{twice:?}");
}

#[test]
fn the_settings_of_the_old_side_hold() {
    let repository = Repository::new(&[("a.py", ONE), ("harp.toml", "ignore = ['perf']\n")]);
    let silent = format!("{ONE}{ANOTHER}");
    repository.commit(&[("a.py", &silent), ("harp.toml", "ignore = ['shape']\n"), (".gitignore", "a.py\n")]);
    let said = review(&repository, &["HEAD^..HEAD"]);
    assert_eq!((said.code, said.counts()), (Some(1), "1 introduced, 0 fixed, 0 made worse (HEAD^..HEAD)"), "{said:?}");
    assert!(
        said.out.contains("note: `harp.toml` changed; the configuration of `HEAD^` holds for both sides"),
        "{said:?}"
    );
    assert!(said.out.contains("note: `.gitignore` changed; the ignore rules of `HEAD^` hold"), "{said:?}");
    let own = review(&repository, &["HEAD^..HEAD", "--config", "harp.toml"]);
    assert_eq!((own.code, own.counts()), (Some(0), "0 introduced, 0 fixed, 0 made worse (HEAD^..HEAD)"), "{own:?}");
}

#[test]
fn a_broken_configuration_of_the_old_side_is_told_as_such() {
    let repository = Repository::new(&[("a.py", ONE), ("harp.toml", "ignore = [\n")]);
    repository.commit(&[("a.py", "import torch\n"), ("harp.toml", "ignore = []\n")]);
    let said = review(&repository, &["HEAD^..HEAD", "--output", "out"]);
    assert_eq!((said.code, said.out.as_str(), repository.file("out").exists()), (Some(2), "", false));
    assert!(said.err.contains("--> harp.toml:") && !said.err.contains("harp-"), "{said:?}");
    assert!(said.err.contains("this is the configuration of `HEAD^`; `--config FILE` names another"), "{said:?}");
    let own = review(&repository, &["HEAD^..HEAD", "--config", "harp.toml"]);
    assert_eq!(own.counts(), "0 introduced, 1 fixed, 0 made worse (HEAD^..HEAD)", "{own:?}");
    // A broken one of the new side does not matter.
    repository.commit(&[("harp.toml", "\0")]);
    assert_eq!(review(&repository, &["HEAD^..HEAD"]).code, Some(0));
}

#[test]
fn what_comments_silence_is_told() {
    let repository = Repository::new(&[("a.py", ONE)]);
    let silenced = ONE.replace("dim=0)\n", "dim=0)  # harp: ignore[shape/mismatch]\n");
    repository
        .commit(&[("a.py", &format!("{silenced}{}", ANOTHER.replace('\n', "  # harp: ignore[shape/mismatch]\n")))]);
    let said = review(&repository, &["HEAD^..HEAD"]);
    assert_eq!((said.code, said.counts()), (Some(0), "0 introduced, 0 fixed, 0 made worse (HEAD^..HEAD)"), "{said:?}");
    let introduced = "note: comments suppress what the change introduces: `a.py:5:1 shape/mismatch`";
    assert!(said.out.contains(introduced), "{said:?}");
    assert!(
        said.out.contains("note: comments suppress what was reported before: `a.py:4:5 shape/mismatch`"),
        "{said:?}"
    );
}

#[test]
fn known_findings_are_not_told() {
    let repository =
        Repository::new(&[("a.py", &format!("{ONE}{ANOTHER}")), ("harp.toml", "baseline = 'known.json'\n")]);
    assert_eq!(repository.harp(&["check", "--update-baseline"]).code, Some(0));
    repository.write("a.py", "x = 1\n");
    repository.commit(&[]);
    repository.commit(&[("a.py", &format!("{ONE}{ANOTHER}{ANOTHER}"))]);
    let said = review(&repository, &["HEAD^..HEAD"]);
    assert_eq!(said.counts(), "1 introduced, 0 fixed, 0 made worse (HEAD^..HEAD)", "{said:?}");
}

#[test]
fn further_work_trees_and_bare_repositories_are_reviewed() {
    let repository = Repository::new(&[("a.py", ONE)]);
    let further = tempfile::tempdir().expect("a folder");
    let tree = further.path().join("tree");
    repository.git(&["worktree", "add", "--quiet", "-b", "topic", &tree.to_string_lossy()]);
    fs::write(tree.join("a.py"), format!("{ONE}{ANOTHER}")).expect("a file");
    let said = harp_in(&tree, &["review", "main"], b"");
    assert_eq!(said.counts(), "1 introduced, 0 fixed, 0 made worse (main..work tree)", "{said:?}");
    repository.commit(&[("a.py", &format!("{ONE}{ANOTHER}"))]);
    let bare = further.path().join("bare");
    repository.git(&["clone", "--quiet", "--bare", ".", &bare.to_string_lossy()]);
    let commits = harp_in(&bare, &["review", "HEAD^..HEAD"], b"");
    assert_eq!(commits.counts(), "1 introduced, 0 fixed, 0 made worse (HEAD^..HEAD)", "{commits:?}");
    let none = harp_in(&bare, &["review"], b"");
    assert_eq!(none.code, Some(2));
    assert!(none.err.contains("a bare repository has no work tree to compare with"), "{none:?}");
}

#[test]
fn what_cannot_be_compared_is_told_with_what_to_do() {
    let repository = Repository::new(&[("a.py", ONE)]);
    let first = repository.git(&["rev-parse", "HEAD"]);
    repository.commit(&[("a.py", "x = 1\n")]);
    for (arguments, parts) in [
        (&["nope"][..], ["git knows no commit `nope`", "name a branch, a tag or a commit"]),
        (&["HEAD..nope"], ["git knows no commit `nope`", "git fetch"]),
        (&["a.py"], ["git knows no commit `a.py`", "`harp review HEAD a.py`"]),
        (&["main@{1}"], ["git knows no commit `main@{1}`", "logs of references"]),
        (&["HEAD..HEAD..HEAD"], ["is not a change that can be reviewed", "BASE..HEAD"]),
        (&["HEAD", "../elsewhere"], ["does not lie in the repository", "paths come behind the change"]),
        (&["HEAD", "missing.py"], ["no such file or folder on either side", "missing.py"]),
        (&["HEAD", "--select", "shape/mismatsch"], ["there is no rule, pack or tag", "did you mean"]),
    ] {
        let said = review(&repository, &[arguments, &["--output", "out"]].concat());
        assert_eq!((said.code, said.out.as_str()), (Some(2), ""), "{said:?}");
        assert!(parts.iter().all(|part| said.err.contains(part)), "{said:?}");
    }
    let shallow = tempfile::tempdir().expect("a folder");
    let url = format!("file://{}", repository.path().display());
    repository.git(&["clone", "--quiet", "--depth=1", &url, &shallow.path().join("clone").to_string_lossy()]);
    let said = harp_in(&shallow.path().join("clone"), &["review", &format!("{first}..HEAD")], b"");
    assert_eq!(said.code, Some(2));
    assert!(said.err.contains("the clone is shallow") && said.err.contains("`fetch-depth: 0`"), "{said:?}");
    let said = harp_in(shallow.path(), &["review"], b"");
    assert_eq!(said.code, Some(2));
    assert!(said.err.contains("this folder is in no git repository"), "{said:?}");
    let empty = shallow.path().join("empty");
    repository.git(&["init", "--quiet", &empty.to_string_lossy()]);
    let said = harp_in(&empty, &["review"], b"");
    assert!(said.err.contains("the repository has no commit yet"), "{said:?}");
}

#[test]
fn a_submodule_is_reviewed_in_its_own_folder() {
    let inner = Repository::new(&[("a.py", ONE)]);
    let outer = Repository::new(&[("b.py", ONE)]);
    let url = format!("file://{}", inner.path().display());
    outer.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &url, "inner"]);
    outer.commit(&[]);
    outer.write("inner/a.py", &format!("{ONE}{ANOTHER}"));
    assert_eq!(review(&outer, &[]).counts(), "0 introduced, 0 fixed, 0 made worse (HEAD..work tree)");
    let said = harp_in(&outer.file("inner"), &["review", "--format", "concise"], b"");
    assert!(said.out.starts_with("a.py:5:1: error[shape/mismatch]"), "{said:?}");
}

#[test]
fn submodules_are_told_and_not_read() {
    let repository = Repository::new(&[("a.py", ONE)]);
    let commit = repository.git(&["rev-parse", "HEAD"]);
    repository.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{commit},vendor")]);
    repository.git(&["commit", "--quiet", "--message=vendor"]);
    let said = review(&repository, &["HEAD^..HEAD"]);
    assert_eq!((said.code, said.counts()), (Some(0), "0 introduced, 0 fixed, 0 made worse (HEAD^..HEAD)"));
    assert!(said.out.contains("note: `vendor` changed: a submodule, of which nothing is read"), "{said:?}");
    // A repository within the work tree is none of its own files.
    repository.git(&["init", "--quiet", "vendor"]);
    repository.write("vendor/b.py", ONE);
    assert_eq!(review(&repository, &[]).counts(), "0 introduced, 0 fixed, 0 made worse (HEAD..work tree)");
}

#[test]
fn versions_of_libraries_are_those_of_each_side_unless_the_configuration_tells_them() {
    let program = "import torch\n\nx = torch.solve(torch.rand(3, 2), torch.rand(3, 3))\n";
    // An API that is gone ends what is known of the program.
    let code = |configuration: &str| {
        let repository =
            Repository::new(&[("a.py", program), ("harp.toml", configuration), ("requirements.txt", "torch==1.9.1\n")]);
        repository.commit(&[("requirements.txt", "torch==2.1.0\n")]);
        review(&repository, &["HEAD^..HEAD", "--fail-on", "unknown"]).code
    };
    assert_eq!((code(""), code("target-torch = '==1.9.1'\n")), (Some(1), Some(0)));
}

/// A repository with a configuration for all and one for a part, and an error in each.
fn two_projects(outer: &str, inner: &str) -> Repository {
    Repository::new(&[("harp.toml", outer), ("a.py", ONE), ("api/harp.toml", inner), ("api/t.py", ONE)])
}

#[test]
fn each_file_is_reviewed_with_its_nearest_configuration() {
    let repository = two_projects("", "ignore = ['shape']\n");
    repository.write("a.py", &format!("{ONE}{ANOTHER}"));
    repository.write("api/t.py", &format!("{ONE}{ANOTHER}"));
    let said = review(&repository, &["--format", "concise"]);
    assert_eq!(said.counts(), "1 introduced, 0 fixed, 0 made worse (HEAD..work tree)", "{said:?}");
    assert!(said.out.starts_with("a.py:5:1: error[shape/mismatch] "), "{said:?}");
    // Who proposes a change does not choose how it is looked at, neither by taking a configuration away nor by adding one.
    fs::remove_file(repository.file("api/harp.toml")).expect("it goes");
    repository.write("new/harp.toml", "ignore = ['shape']\n");
    repository.write("new/t.py", &format!("import torch\n\nx = torch.zeros(2, 3)\n{ANOTHER}"));
    let said = review(&repository, &["--format", "concise"]);
    assert_eq!(said.counts(), "2 introduced, 0 fixed, 0 made worse (HEAD..work tree)", "{said:?}");
    assert!(said.out.contains("\nnew/t.py:4:1: error[shape/mismatch] "), "{said:?}");
    assert!(said.out.contains("note: `api/harp.toml`, `new/harp.toml` changed; "), "{said:?}");
    // A path that only the new side has belongs to the configuration around it.
    let said = review(&repository, &["HEAD", "new", "--format", "concise"]);
    assert_eq!(said.counts(), "1 introduced, 0 fixed, 0 made worse (HEAD..work tree)", "{said:?}");
    let all = review(&repository, &["--isolated", "--format", "concise"]);
    assert_eq!(all.counts(), "3 introduced, 0 fixed, 0 made worse (HEAD..work tree)", "{all:?}");
}

#[test]
fn code_that_moves_to_another_project_is_not_new() {
    let repository = two_projects("", "");
    fs::rename(repository.file("api/t.py"), repository.file("t.py")).expect("it moves");
    let said = review(&repository, &["--format", "json"]);
    let json: Value = serde_json::from_str(&said.out).expect("JSON");
    assert_eq!((said.code, json["introduced"].as_array().map(Vec::len)), (Some(0), Some(0)), "{said:?}");
    repository.write("a.py", "x = 1\n");
    let said = review(&repository, &[]);
    assert_eq!(said.counts(), "0 introduced, 1 fixed, 0 made worse (HEAD..work tree)", "{said:?}");
}

#[test]
fn a_mistake_in_one_configuration_costs_its_project() {
    let repository = two_projects("", "ignored = 1\n");
    repository.write("a.py", &format!("{ONE}{ANOTHER}"));
    let said = review(&repository, &["--format", "concise"]);
    assert_eq!((said.code, said.counts()), (Some(2), "1 introduced, 0 fixed, 0 made worse (HEAD..work tree)"));
    assert!(
        said.err.contains("api/harp.toml:1") && said.err.contains("this is the configuration of `HEAD`"),
        "{said:?}"
    );
    // The same of a baseline.
    let repository = two_projects("", "baseline = 'none.json'\n");
    repository.write("a.py", &format!("{ONE}{ANOTHER}"));
    let said = review(&repository, &["--format", "concise"]);
    assert_eq!((said.code, said.counts()), (Some(2), "1 introduced, 0 fixed, 0 made worse (HEAD..work tree)"));
    assert!(said.err.contains("none.json cannot be read"), "{said:?}");
}

#[test]
fn one_baseline_of_several_projects_knows_each_finding_once() {
    let repository = two_projects("", "");
    assert_eq!(repository.harp(&["check", "a.py", "--update-baseline", "--baseline", "known.json"]).code, Some(0));
    repository.commit(&[("known.json", &fs::read_to_string(repository.file("known.json")).expect("a baseline"))]);
    repository.write("new.py", ONE);
    repository.write("api/new.py", ONE);
    let said = review(&repository, &["--baseline", "known.json", "--format", "concise"]);
    assert_eq!(
        (said.code, said.counts()),
        (Some(1), "2 introduced, 0 fixed, 0 made worse (HEAD..work tree)"),
        "{said:?}"
    );
    // A baseline says nothing of what moved away from files that are not reviewed.
    let one = review(&repository, &["HEAD", "new.py", "--baseline", "known.json", "--format", "concise"]);
    assert_eq!(one.counts(), "1 introduced, 0 fixed, 0 made worse (HEAD..work tree)", "{one:?}");
}
