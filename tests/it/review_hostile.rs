//! `harp review` of repositories that mean harm: nothing of theirs is run, written over or read outside of them.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::repository::{Repository, git, harp_in};

const CLEAN: &str = "import torch\n\nx = torch.zeros(2, 3)\n";
const BROKEN: &str = "import torch\n\nx = torch.zeros(2, 3)\nx @ torch.ones(7, 7)\n";

/// A configuration in which everything that git may run leaves a mark, as do all hooks.
#[cfg(unix)]
fn booby_trap(repository: &Repository, marks: &Path) {
    use std::os::unix::fs::PermissionsExt;
    let script = |name: &str| {
        let path = repository.file(&format!(".git/{name}.sh"));
        let text = format!("#!/bin/sh\ntouch '{}/{name}'\ncat\nexit 0\n", marks.display());
        fs::write(&path, text).expect("a script");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("it is ours");
        path.display().to_string()
    };
    let [fsmonitor, hook, filter, textconv, external, ssh, alias, proxy, upload, pager, editor, helper, gpg] = [
        "fsmonitor",
        "hook",
        "filter",
        "textconv",
        "external",
        "ssh",
        "alias",
        "proxy",
        "upload",
        "pager",
        "editor",
        "helper",
        "gpg",
    ]
    .map(script);
    let included = repository.file(".git/included");
    fs::write(&included, format!("[core]\n\tfsmonitor = {fsmonitor}\n")).expect("a file");
    let attributes = repository.file(".git/attributes");
    fs::write(&attributes, "* filter=evil diff=evil merge=evil\n").expect("a file");
    let aliases: String = ["rev-parse", "ls-tree", "cat-file", "diff", "rev-list", "merge-base"]
        .map(|name| format!("\t{name} = !{alias}\n"))
        .concat();
    let config = format!(
        "[core]\n\trepositoryformatversion = 1\n\tfsmonitor = {fsmonitor}\n\thooksPath = {hooks}\n\tsshCommand = {ssh}\n\
         \tgitProxy = {proxy}\n\tpager = {pager}\n\teditor = {editor}\n\tattributesFile = {attributes}\n\
         \tuntrackedCache = true\n\talternateRefsCommand = {alias}\n\
         [include]\n\tpath = {included}\n[alias]\n{aliases}[pager]\n\tdiff = {pager}\n\tcat-file = {pager}\n\
         [diff]\n\texternal = {external}\n[diff \"evil\"]\n\ttextconv = {textconv}\n\tcommand = {external}\n\
         [filter \"evil\"]\n\tclean = {filter}\n\tsmudge = {filter}\n\trequired = true\n\
         [merge \"evil\"]\n\tdriver = {external}\n[credential]\n\thelper = {helper}\n[gpg]\n\tprogram = {gpg}\n\
         [log]\n\tshowSignature = true\n[uploadpack]\n\tpackObjectsHook = {upload}\n\
         [extensions]\n\tpartialClone = origin\n[protocol]\n\tallow = always\n[protocol \"ext\"]\n\tallow = always\n\
         [remote \"origin\"]\n\turl = ext::{upload}\n\tuploadpack = {upload}\n\tpromisor = true\n\tpartialclonefilter = blob:none\n",
        hooks = repository.file(".git/hooks").display(),
        attributes = attributes.display(),
        included = included.display(),
    );
    fs::write(repository.file(".git/config"), config).expect("a configuration");
    fs::create_dir_all(repository.file(".git/hooks")).expect("a folder");
    for name in ["post-checkout", "post-index-change", "reference-transaction", "fsmonitor-watchman", "pre-auto-gc"] {
        fs::copy(&hook, repository.file(".git/hooks").join(name)).expect("a hook");
    }
    fs::create_dir_all(repository.file(".git/info")).expect("a folder");
    fs::write(repository.file(".git/info/attributes"), "* filter=evil diff=evil\n").expect("attributes");
}

#[cfg(unix)]
fn marks(folder: &Path) -> Vec<String> {
    let marks = fs::read_dir(folder).expect("a folder");
    marks.map(|mark| mark.expect("an entry").file_name().to_string_lossy().into_owned()).collect()
}

#[cfg(unix)]
#[test]
fn nothing_that_a_repository_configures_is_run_and_nothing_is_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let repository =
        Repository::new(&[("a.py", CLEAN), (".gitattributes", "*.py filter=evil diff=evil export-subst\n")]);
    repository.commit(&[("a.py", BROKEN)]);
    repository.write("b.py", BROKEN);
    booby_trap(&repository, folder.path());
    let before = repository.snapshot();
    let patch = "--- a/a.py\n+++ b/a.py\n@@ -1,1 +1,2 @@\n+import os\n import torch\n";
    for (arguments, counts) in [
        (&["review"][..], "1 introduced, 0 fixed, 0 made worse (HEAD..work tree)"),
        (&["review", "HEAD^..HEAD"], "1 introduced, 0 fixed, 0 made worse (HEAD^..HEAD)"),
        (&["review", "HEAD^...HEAD"], "1 introduced, 0 fixed, 0 made worse (HEAD^...HEAD)"),
        (&["review", "HEAD^"], "2 introduced, 0 fixed, 0 made worse (HEAD^..work tree)"),
        (&["review", "-"], "0 introduced, 0 fixed, 0 made worse (HEAD..patch)"),
    ] {
        let said = repository.harp_with(arguments, patch.as_bytes());
        assert_eq!(said.counts(), counts, "{said:?}");
    }
    // What is missing is not fetched.
    let blob = repository.git_object("HEAD:a.py");
    let object = repository.file(&format!(".git/objects/{}/{}", &blob[..2], &blob[2..]));
    let bytes = fs::read(&object).expect("an object");
    fs::remove_file(&object).expect("it goes");
    let said = repository.harp(&["review", "HEAD^..HEAD"]);
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(said.err.contains("the clone is partial: it does not have `a.py`"), "{said:?}");
    // What is damaged is there.
    for damaged in [&b"garbage"[..], b""] {
        fs::write(&object, damaged).expect("a file can be written");
        let said = repository.harp(&["review", "HEAD^..HEAD"]);
        assert_eq!(said.code, Some(2), "{said:?}");
        assert!(said.err.contains("the repository is damaged: `a.py` cannot be read"), "{said:?}");
        assert!(said.err.contains("git says: ") && !said.err.contains("partial"), "{said:?}");
    }
    fs::write(&object, bytes).expect("it is there again");
    assert_eq!(marks(folder.path()), Vec::<String>::new());
    assert_eq!(repository.snapshot(), before, "nothing in the checkout was written");
    // The traps are no duds.
    let _ = git(repository.path()).args(["status"]).output();
    let _ = git(repository.path()).args(["diff", "HEAD^", "HEAD"]).output();
    assert!(marks(folder.path()).len() >= 2, "{:?}", marks(folder.path()));
}

impl Repository {
    /// The id of an object, asked for without the repository's configuration.
    fn git_object(&self, name: &str) -> String {
        let config = self.file(".git/config");
        let trapped = fs::read(&config).expect("a configuration");
        fs::write(&config, "").expect("it is ours");
        let id = self.git(&["rev-parse", name]);
        fs::write(&config, trapped).expect("it is ours");
        id
    }
}

#[test]
fn replaced_and_grafted_commits_are_those_that_they_are() {
    let repository = Repository::new(&[("a.py", CLEAN)]);
    let broken = repository.commit(&[("a.py", BROKEN)]);
    let clean = repository.commit(&[("a.py", CLEAN)]);
    repository.git(&["replace", &broken, &clean]);
    let said = repository.harp(&["review", "HEAD^^..HEAD^"]);
    assert_eq!(said.counts(), "1 introduced, 0 fixed, 0 made worse (HEAD^^..HEAD^)", "{said:?}");
}

/// Writes a tree of any form, and a commit with it.
fn commit_of(repository: &Repository, entries: &[(&str, &[u8], &str)]) -> String {
    let mut tree = Vec::new();
    for (mode, name, id) in entries {
        tree.extend_from_slice(mode.as_bytes());
        tree.push(b' ');
        tree.extend_from_slice(name);
        tree.push(0);
        tree.extend((0..id.len() / 2).map(|at| u8::from_str_radix(&id[2 * at..2 * at + 2], 16).expect("digits")));
    }
    let tree = repository.git_with(&["hash-object", "-t", "tree", "-w", "--literally", "--stdin"], &tree);
    repository.git(&["commit-tree", &tree, "-p", "HEAD", "-m", "odd"])
}

#[test]
fn names_in_a_tree_stay_within_the_folder() {
    let repository = Repository::new(&[("a.py", CLEAN)]);
    let blob = repository.git_with(&["hash-object", "-w", "--stdin"], BROKEN.as_bytes());
    let link = repository.git_with(&["hash-object", "-w", "--stdin"], b"/etc");
    let outside = tempfile::tempdir().expect("a folder");
    let target = outside.path().join("evil.py");
    let absolute = target.to_string_lossy().into_owned();
    let long = "n".repeat(300);
    let names: Vec<&[u8]> = vec![
        b"../evil.py",
        b"../../../../../../tmp/harp-evil.py",
        absolute.as_bytes(),
        b".git/hooks/evil.py",
        b".GIT",
        b"x\n::error::evil.py",
        b"\xff\xfe.py",
        long.as_bytes(),
        b"A.py",
        b"a.py",
        b"\x1b[31m.py",
    ];
    let mut entries: Vec<(&str, &[u8], &str)> = names.iter().map(|name| ("100644", *name, blob.as_str())).collect();
    entries.push(("120000", b"link", &link));
    entries.push(("100644", b"link/evil.py", &blob));
    // A file and a folder of one name.
    entries.push(("100644", b"both.py", &blob));
    entries.push(("100644", b"both.py/inner.py", &blob));
    let commit = commit_of(&repository, &entries);
    let before = repository.snapshot();
    let said = repository.harp(&["review", &format!("HEAD..{commit}"), "--format", "concise"]);
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(said.out.contains("a.py:4:1: error[shape/mismatch]"), "{said:?}");
    assert!(said.out.contains("names that no files may have"), "{said:?}");
    assert!(!said.out.contains('\u{1b}') && !said.out.lines().any(|line| line.starts_with("::")), "{said:?}");
    assert!(!target.exists() && !Path::new("/tmp/harp-evil.py").exists() && !Path::new("/etc/evil.py").exists());
    assert_eq!(repository.snapshot(), before);
}

#[test]
fn trees_without_end_are_refused() {
    let repository = Repository::new(&[("a.py", CLEAN)]);
    let blob = repository.git_with(&["hash-object", "-w", "--stdin"], b"x = 1\n");
    let mut tree = repository.git_with(&["mktree"], format!("100644 blob {blob}\ta.py\n").as_bytes());
    for _ in 0..8 {
        let entries: String = (0..10).map(|name| format!("040000 tree {tree}\t{name}\n")).collect();
        tree = repository.git_with(&["mktree"], entries.as_bytes());
    }
    let commit = repository.git(&["commit-tree", &tree, "-p", "HEAD", "-m", "many"]);
    let said = repository.harp(&["review", &format!("HEAD..{commit}")]);
    assert_eq!((said.code, said.out.as_str()), (Some(2), ""));
    assert!(said.err.contains("has more than 500000 files"), "{said:?}");
}

#[test]
fn broken_objects_are_told() {
    let repository = Repository::new(&[("a.py", CLEAN)]);
    repository.commit(&[("a.py", BROKEN)]);
    for name in ["HEAD:a.py", "HEAD^{tree}", "HEAD"] {
        let id = repository.git(&["rev-parse", name]);
        let object = repository.file(&format!(".git/objects/{}/{}", &id[..2], &id[2..]));
        let bytes = fs::read(&object).expect("an object");
        for broken in [&b"junk"[..], b"", &bytes[..bytes.len() / 2]] {
            fs::remove_file(&object).expect("it goes");
            fs::write(&object, broken).expect("an object");
            let said = repository.harp(&["review", "HEAD^..HEAD", "--output", "out"]);
            assert_eq!((said.code, said.out.as_str()), (Some(2), ""), "{name}: {said:?}");
            assert!(said.err.starts_with("error: ") && !said.err.contains("panicked"), "{name}: {said:?}");
            assert!(!repository.file("out").exists());
        }
        fs::remove_file(&object).expect("it goes");
        fs::write(&object, bytes).expect("an object");
    }
    for (name, text) in
        [("HEAD", "ref: ../../outside\n"), ("HEAD", "\u{1b}[31m\n"), ("packed-refs", "junk\n\0 refs/x\n")]
    {
        let path = repository.file(&format!(".git/{name}"));
        let before = fs::read(&path).ok();
        fs::write(&path, text).expect("a file");
        let said = repository.harp(&["review", "HEAD^..main"]);
        assert!(said.code == Some(2) || name == "packed-refs", "{said:?}");
        assert!(!said.err.contains('\u{1b}'), "{said:?}");
        match before {
            Some(bytes) => fs::write(&path, bytes).expect("a file"),
            None => fs::remove_file(&path).expect("it goes"),
        }
    }
}

#[test]
fn a_checkout_leads_to_no_repository_that_does_not_know_it() {
    let secret = Repository::new(&[("secret.py", BROKEN)]);
    secret.commit(&[("secret.py", "password = 7\n")]);
    let project = tempfile::tempdir().expect("a folder");
    fs::write(project.path().join(".git"), format!("gitdir: {}\n", secret.file(".git").display())).expect("a file");
    let said = harp_in(project.path(), &["review", "HEAD^..HEAD"], b"");
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(said.err.contains("leads to a repository that does not know of this checkout"), "{said:?}");
    assert!(!said.err.contains("secret.py"), "{said:?}");
}

#[cfg(unix)]
#[test]
fn links_of_the_work_tree_lead_nowhere() {
    use std::os::unix::fs::symlink;
    let outside = tempfile::tempdir().expect("a folder");
    fs::write(outside.path().join("out.py"), BROKEN).expect("a file");
    let repository = Repository::new(&[("a.py", CLEAN), ("folder/b.py", CLEAN)]);
    fs::remove_file(repository.file("a.py")).expect("it goes");
    symlink(outside.path().join("out.py"), repository.file("a.py")).expect("a link");
    fs::remove_dir_all(repository.file("folder")).expect("it goes");
    symlink(outside.path(), repository.file("folder")).expect("a link");
    fs::write(outside.path().join("b.py"), BROKEN).expect("a file");
    let said = repository.harp(&["review"]);
    assert_eq!(said.counts(), "0 introduced, 0 fixed, 0 made worse (HEAD..work tree)", "{said:?}");
    fs::remove_file(repository.file("a.py")).expect("it goes");
    // A link in the place of git's own folder.
    fs::rename(repository.file(".git"), outside.path().join("git")).expect("it moves");
    symlink(outside.path().join("git"), repository.file(".git")).expect("a link");
    let said = repository.harp(&["review"]);
    assert_eq!(said.code, Some(2));
    assert!(said.err.contains("is a link, which is not followed"), "{said:?}");
}

#[test]
fn a_program_named_git_in_the_project_is_not_started() {
    let repository = Repository::new(&[("a.py", CLEAN), ("git", "#!/bin/sh\ntouch started\n")]);
    let mut command = Command::new(env!("CARGO_BIN_EXE_harp"));
    let output =
        command.args(["review"]).current_dir(repository.path()).env("PATH", ".:bin").output().expect("it starts");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("there is no program `git` in the folders of PATH"));
    assert!(!repository.file("started").exists());
}

#[test]
fn patches_lead_nowhere_and_are_told() {
    let repository = Repository::new(&[("a.py", CLEAN)]);
    let deep = format!("--- a/{0}x.py\n+++ b/{0}x.py\n@@ -0,0 +1 @@\n+x\n", "d/".repeat(3000));
    for patch in [
        "--- a/../../out.py\n+++ b/../../out.py\n@@ -0,0 +1 @@\n+x = 1\n",
        "diff --git a/.git/config b/.git/config\n--- a/.git/config\n+++ b/.git/config\n@@ -0,0 +1 @@\n+x\n",
        "--- a/a.py\n+++ b/a.py\n@@ -1,4000000000 +1 @@\n x\n",
        "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n\u{1b}[31m\n",
        "diff --cc a.py\n",
        &deep,
    ] {
        let said = repository.harp_with(&["review", "-", "--output", "out"], patch.as_bytes());
        assert_eq!((said.code, said.out.as_str()), (Some(2), ""), "{patch:.60}: {said:?}");
        assert!(said.err.contains("the patch cannot be applied") && !said.err.contains('\u{1b}'), "{said:?}");
        assert!(!repository.file("out").exists());
    }
}

#[test]
fn nothing_of_a_program_is_markdown() {
    let repository = Repository::new(&[("a.py", CLEAN)]);
    let line = "x @ torch.ones(7, 7)  # ``` @everyone <img src=x> [a](http://b) `````\n";
    repository.commit(&[("a`b ``@all`.py", &format!("{CLEAN}{line}"))]);
    let text = repository.harp(&["review", "HEAD^..HEAD", "--format", "markdown"]).out;
    let mut fence: Option<&str> = None;
    for line in text.lines() {
        let marks = &line[..line.len() - line.trim_start_matches('`').len()];
        match fence {
            Some(open) if line == open => fence = None,
            Some(_) => {}
            None if marks.len() >= 3 && line.ends_with("text") => fence = Some(marks),
            None => assert!(!line.contains("@everyone") && !line.contains("<img"), "{text}"),
        }
    }
    assert_eq!(fence, None, "{text}");
    assert!(text.contains("``` a`b ``@all`.py:4:1 ```") || text.contains("```a`b ``@all`.py:4:1```"), "{text}");
}

#[test]
fn objects_of_other_repositories_are_read_where_the_user_asks_for_them() {
    let secret = Repository::new(&[("secret.py", BROKEN)]);
    let theirs = secret.git(&["rev-parse", "HEAD"]);
    let further = Repository::new(&[("further.py", CLEAN)]);
    let repository = Repository::new(&[("a.py", CLEAN), ("harp.toml", "")]);
    let ours = repository.git(&["rev-parse", "HEAD"]);
    let change = format!("{ours}..{theirs}");
    let objects = |of: &Repository| of.file(".git/objects").display().to_string();
    let names = |of: &Repository, list: &str, text: &str| {
        let path = of.file(&format!(".git/objects/info/{list}"));
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder can be made");
        fs::write(path, text).expect("a file can be written");
    };
    for list in ["alternates", "http-alternates"] {
        names(&repository, list, &format!("{}\n", objects(&secret)));
        let said = repository.harp(&["review", &change]);
        assert_eq!(said.code, Some(2), "{said:?}");
        assert!(said.err.contains(&format!("info/{list} leads to the objects of other repositories")), "{said:?}");
        assert!(said.err.contains("`harp review --alternates`"), "{said:?}");
        assert!(!said.err.contains("secret.py"), "{said:?}");
        names(&repository, list, "# none\n\n");
        assert_eq!(repository.harp(&["review"]).code, Some(0));
    }
    names(&repository, "alternates", &format!("{}\n", objects(&secret)));
    let said = repository.harp(&["review", "--alternates", &change]);
    assert_eq!(said.counts(), format!("1 introduced, 0 fixed, 0 made worse ({change})"), "{said:?}");
    // No configuration of the project says so.
    repository.write("harp.toml", "alternates = true\n");
    assert_eq!(repository.harp(&["review"]).code, Some(2));
    repository.write("harp.toml", "");
    // Chains and circles end.
    names(&secret, "alternates", &format!("{}\n", objects(&further)));
    names(&further, "alternates", &format!("{}\n", objects(&repository)));
    assert_eq!(repository.harp(&["review", "--alternates", &change]).code, Some(1));
    // What hides in an alternate is found, too.
    #[cfg(unix)]
    {
        pipe(&further.file(".git/objects/pack/pack-1.idx"));
        let said = repository.harp(&["review", "--alternates", &change]);
        assert!(said.err.contains("pack-1.idx is not a regular file"), "{said:?}");
    }
}

#[cfg(unix)]
fn pipe(path: &Path) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder can be made");
    let made = Command::new("mkfifo").arg(path).status();
    assert!(made.is_ok_and(|status| status.success()), "mkfifo is there");
}

#[cfg(unix)]
#[test]
fn nothing_but_regular_files_is_opened_in_a_repository() {
    use std::os::unix::fs::symlink;
    let outside = tempfile::tempdir().expect("a folder");
    pipe(&outside.path().join("pipe"));
    let places = [
        "00/00000000000000000000000000000000000000",
        "pack/pack-1.pack",
        "pack/pack-1.idx",
        "pack/multi-pack-index",
        "info/alternates",
        "info/http-alternates",
        "info/commit-graph",
        "info/commit-graphs/commit-graph-chain",
    ];
    for place in places {
        for target in [None, Some(outside.path().join("pipe")), Some(outside.path().join("none"))] {
            let repository = Repository::new(&[("a.py", CLEAN)]);
            let path = repository.file(&format!(".git/objects/{place}"));
            match &target {
                None => pipe(&path),
                Some(target) => {
                    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder can be made");
                    symlink(target, &path).expect("a link");
                }
            }
            let said = repository.harp(&["review"]);
            assert_eq!(said.code, Some(2), "{place} {target:?}: {said:?}");
            assert!(said.err.contains(place), "{place} {target:?}: {said:?}");
        }
    }
    // A folder of objects, and what lies beside it. A pipe there has nothing to say.
    let repository = Repository::new(&[("a.py", CLEAN)]);
    fs::remove_dir_all(repository.file(".git/objects/pack")).expect("it goes");
    symlink(outside.path(), repository.file(".git/objects/pack")).expect("a link");
    let said = repository.harp(&["review"]);
    assert!(said.err.contains("pack leads out of the repository's objects"), "{said:?}");
    for (place, code) in [("packed-refs", 0), ("shallow", 0), ("FETCH_HEAD", 0), ("refs/heads/other", 0), ("HEAD", 2)] {
        let repository = Repository::new(&[("a.py", CLEAN)]);
        let path = repository.file(&format!(".git/{place}"));
        let _ = fs::remove_file(&path);
        pipe(&path);
        assert_eq!(repository.harp(&["review"]).code, Some(code), "{place}");
    }
    for place in ["packed-refs", "refs"] {
        let repository = Repository::new(&[("a.py", CLEAN)]);
        let other = tempfile::tempdir().expect("a folder");
        let there = repository.file(&format!(".git/{place}"));
        match there.is_dir() {
            true => fs::rename(&there, other.path().join(place)).expect("it moves"),
            false => fs::write(
                other.path().join(place),
                format!("{} refs/heads/theirs\n", repository.git(&["rev-parse", "HEAD"])),
            )
            .expect("a file can be written"),
        }
        symlink(other.path().join(place), &there).expect("a link");
        let revision = if place == "refs" { "main" } else { "theirs" };
        assert_eq!(repository.harp(&["review", revision]).code, Some(2), "{place}");
    }
}
