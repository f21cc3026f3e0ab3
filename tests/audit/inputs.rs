//! What an audit can be given, and what its repositories are called.

use std::fs::File;
use std::io::Write;
use std::process::{Command, Stdio};

use crate::scene::{BROKEN, FINE, Scene};

fn git(scene: &Scene, folder: &str, arguments: &[&str]) {
    let status = Command::new("git")
        .args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"])
        .args(arguments)
        .current_dir(scene.path(folder))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .expect("git");
    assert!(status.success(), "git {arguments:?}");
}

fn tar(scene: &Scene, name: &str, files: &[(&str, &str)]) {
    scene.put(name, "");
    let file = File::create(scene.path(name)).expect("a file");
    let mut archive = tar::Builder::new(flate2::write::GzEncoder::new(file, flate2::Compression::fast()));
    for (path, text) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(text.len() as u64);
        header.set_mode(0o644);
        archive.append_data(&mut header, path, text.as_bytes()).expect("an entry");
    }
    archive.into_inner().expect("an archive").finish().expect("an archive");
}

fn zip(scene: &Scene, name: &str, files: &[(&str, &str)]) {
    scene.put(name, "");
    let mut archive = zip::ZipWriter::new(File::create(scene.path(name)).expect("a file"));
    for (path, text) in files {
        archive.start_file(*path, zip::write::SimpleFileOptions::default()).expect("an entry");
        archive.write_all(text.as_bytes()).expect("an entry");
    }
    archive.finish().expect("an archive");
}

#[test]
fn folders_archives_and_commits_give_the_same_rows() {
    let scene = Scene::new();
    scene.put("all/plain/train.py", BROKEN);
    scene.put("all/git/train.py", BROKEN);
    git(&scene, "all/git", &["init", "-q"]);
    git(&scene, "all/git", &["add", "."]);
    git(&scene, "all/git", &["commit", "-qm", "first"]);
    git(&scene, "all", &["clone", "-q", "--bare", "git", "bare.git"]);
    // What is checked out is what is read, unless a revision is asked for.
    scene.put("all/git/train.py", FINE);
    tar(&scene, "all/tarred-1.0.tar.gz", &[("tarred-1.0/train.py", BROKEN)]);
    zip(&scene, "all/wheel-1.0-py3-none-any.whl", &[("train.py", BROKEN)]);
    scene.audit(&["all", "--out", "out"]);
    let rule = "train.py:4:5 shape/mismatch";
    let expected = ["bare", "plain", "tarred-1.0", "wheel-1.0-py3-none-any"].map(|name| format!("{name} {rule}"));
    assert_eq!(scene.told("out/findings.parquet"), expected);
    scene.audit(&["all/git", "--revision", "HEAD", "--out", "commit"]);
    assert_eq!(scene.told("commit/findings.parquet"), [format!("git {rule}")]);
    // Equal trees are analysed once: those of `plain`, the commit and the archives; and the one that is checked out.
    assert_eq!(scene.names("out/parts").len(), 2);
}

#[test]
fn a_folder_in_an_archive_is_left_out_where_everything_lies_in_it() {
    let scene = Scene::new();
    let beside = [("README.rst", "nothing"), ("src/train.py", BROKEN)];
    tar(&scene, "all/beside.tar.gz", &beside);
    zip(&scene, "all/zipped.zip", &beside);
    tar(&scene, "all/within.tar.gz", &[("x-1.0/README.rst", "nothing"), ("x-1.0/src/train.py", BROKEN)]);
    scene.audit(&["all", "--out", "out"]);
    let expected = ["beside", "within", "zipped"].map(|name| format!("{name} src/train.py:4:5 shape/mismatch"));
    assert_eq!(scene.told("out/findings.parquet"), expected);
}

#[test]
fn tables_are_no_input_of_the_audit_that_writes_them() {
    let scene = Scene::new();
    scene.put("a/train.py", BROKEN);
    scene.put("b/train.py", FINE);
    for _ in 0..2 {
        scene.audit(&[".", "--sarif", "--out", "audit"]);
        assert_eq!(scene.statuses("audit").len(), 2);
    }
    // Neither where it lies in a repository.
    for _ in 0..2 {
        scene.audit(&["a", "--sarif", "--out", "a/audit"]);
        assert_eq!(scene.names("a/audit/parts").len(), 1);
    }
}

#[test]
fn no_limit_of_files_is_one() {
    let scene = Scene::new();
    scene.put("all/a/train.py", BROKEN);
    tar(&scene, "all/b.tar.gz", &[("train.py", BROKEN)]);
    scene.audit(&["all", "--max-file-size", "18446744073709551615", "--out", "out"]);
    let expected = ["a", "b"].map(|name| format!("{name} train.py:4:5 shape/mismatch"));
    assert_eq!(scene.told("out/findings.parquet"), expected);
}

#[test]
fn rows_of_a_table_may_lie_apart() {
    let scene = Scene::new();
    let row = |repository: &str, path: &str, text: &str| {
        serde_json::json!({ "repo_name": repository, "path": path, "content": text, "stars": 3 }).to_string()
    };
    let rows = [
        row("a/x", "model.py", "import torch\n\ndef layer():\n    return torch.nn.Linear(4, 2)\n"),
        row("b/y", "train.py", FINE),
        row("a/x", "train.py", "import torch\nfrom model import layer\n\nlayer()(torch.zeros(2, 3))\n"),
    ];
    scene.put("files.jsonl", rows.join("\n"));
    scene.audit(&["files.jsonl", "--columns", "repo=repo_name", "--out", "out"]);
    assert_eq!(scene.told("out/findings.parquet"), ["a/x train.py:4:1 shape/mismatch"]);
    assert_eq!(scene.statuses("out").len(), 2);
    let told = scene.refusal(&["files.jsonl", "--out", "other"]);
    assert!(told.contains("files.jsonl:1: there is no `repository`"), "{told}");
}

#[test]
fn a_command_brings_repositories_that_a_list_names() {
    let scene = Scene::new();
    scene.put("shelf/a/train.py", BROKEN);
    scene.put("shelf/b/train.py", FINE);
    scene.put("names.txt", "a\n# nobody\n\nb\nmissing\n-rf\n");
    let shelf = scene.path("shelf");
    let fetch = format!("cp -r {}/{{}} {{folder}}", shelf.display());
    scene.audit(&["--names", "names.txt", "--fetch", &fetch, "--out", "out"]);
    assert_eq!(scene.told("out/findings.parquet"), ["a train.py:4:5 shape/mismatch"]);
    let statuses = scene.statuses("out");
    let words: Vec<(&str, &str)> =
        statuses.iter().map(|(name, (status, _))| (name.as_str(), status.as_str())).collect();
    assert_eq!(words, [("-rf", "refused"), ("a", "ok"), ("b", "ok"), ("missing", "refused")]);
    // What was brought is not brought again.
    std::fs::remove_dir_all(&shelf).expect("a folder");
    scene.audit(&["--names", "names.txt", "--fetch", &fetch, "--out", "out"]);
    assert_eq!(scene.told("out/findings.parquet"), ["a train.py:4:5 shape/mismatch"]);
}

#[test]
fn a_list_of_names_tells_what_would_be_analysed() {
    let scene = Scene::new();
    scene.put("one/a/train.py", FINE);
    scene.put("two/a/train.py", FINE);
    scene.put("two/b/src/train.py", FINE);
    assert_eq!(scene.audit(&["one", "two", "--list"]), "b\none/a\ntwo/a\n");
    assert_eq!(scene.audit(&["one/a", "--list"]), "a\n");
}

#[test]
fn shards_have_each_repository_once() {
    let scene = Scene::new();
    for number in 0..6 {
        scene.put(&format!("all/r{number}/train.py"), format!("{BROKEN}# {number}\n"));
    }
    scene.audit(&["all", "--out", "whole"]);
    let mut told = Vec::new();
    for shard in ["1/3", "2/3", "3/3"] {
        scene.audit(&["all", "--out", "shards", "--shard", shard]);
        told.extend(scene.told(&format!("shards/findings-{}.parquet", shard.replace('/', "-of-"))));
    }
    told.sort();
    assert_eq!(told, scene.told("whole/findings.parquet"));
    // All parts are there: the whole is made of them.
    assert_eq!(scene.names("shards/parts").len(), 6);
}

#[test]
fn repositories_that_import_nothing_of_interest_are_told_and_not_analysed() {
    let scene = Scene::new();
    scene.put("all/net/train.py", BROKEN);
    scene.put("all/web/app.py", "import flask\n");
    scene.put("all/text/README.md", "nothing\n");
    scene.audit(&["all", "--only-importing", "torch,jax", "--out", "out"]);
    let statuses = scene.statuses("out");
    let words: Vec<(&str, &str)> =
        statuses.iter().map(|(name, (status, _))| (name.as_str(), status.as_str())).collect();
    assert_eq!(words, [("net", "ok"), ("text", "no target"), ("web", "no target")]);
    assert_eq!(statuses["web"].1, "no file of it imports torch, jax");
}

#[test]
fn packs_of_the_user_run_over_all_repositories() {
    let scene = Scene::new();
    scene.put("all/a/train.py", BROKEN);
    scene.put("all/b/train.py", FINE);
    let made = Command::new(env!("CARGO_BIN_EXE_harp")).args(["new-pack", "acme"]).current_dir(scene.path("")).output();
    assert!(made.expect("the program starts").status.success());
    scene.audit(&["all", "--pack", "acme", "--select", "acme", "--out", "out"]);
    assert!(scene.findings("out/findings.parquet").iter().all(|finding| finding.rule.starts_with("acme/")));
    // Other rules, other parts.
    scene.audit(&["all", "--out", "out"]);
    assert_eq!(scene.told("out/findings.parquet"), ["a train.py:4:5 shape/mismatch"]);
    assert_eq!(scene.names("out/parts").len(), 4);
}

#[test]
fn rules_that_are_not_there_are_told() {
    let scene = Scene::new();
    scene.put("all/a/train.py", FINE);
    let told = scene.refusal(&["all", "--select", "shape/mismtach", "--out", "out"]);
    assert!(told.contains("shape/mismtach"), "{told}");
}

#[test]
fn folders_of_owners_hold_repositories() {
    let scene = Scene::new();
    scene.put("all/owner/bare.git/HEAD", "ref: refs/heads/main\n");
    scene.put("all/owner/bare.git/objects/info/packs", "");
    scene.put("all/owner/bare.git/refs/heads/none", "");
    scene.put("all/owner/plain/src/train.py", FINE);
    scene.put("all/alone/src/train.py", FINE);
    assert_eq!(scene.audit(&["all", "--list"]), "alone\nowner/bare\nowner/plain\n");
}

#[test]
fn rows_without_names_are_left_out() {
    let scene = Scene::new();
    let row = |repository: Option<&str>, path: Option<&str>, revision: &str| {
        let content = BROKEN;
        serde_json::json!({ "repository": repository, "path": path, "content": content, "revision": revision })
            .to_string()
    };
    let rows = [
        row(Some("a"), Some("train.py"), "1"),
        row(Some("a"), None, "1"),
        row(None, Some("train.py"), "1"),
        row(Some("two"), Some("train.py"), "1"),
        row(Some("two"), Some("other.py"), "2"),
    ];
    scene.put("files.jsonl", rows.join("\n"));
    scene.audit(&["files.jsonl", "--out", "out"]);
    assert_eq!(scene.told("out/findings.parquet"), ["a train.py:4:5 shape/mismatch"]);
    assert_eq!(scene.statuses("out")["two"].1, "its rows are of two revisions");
}
