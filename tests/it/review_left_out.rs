//! Files that `harp review` reads before the change and not after it, though something is still there.

use std::fs;

use crate::common::repository::Repository;

/// A file with one error, and what adds another.
const ONE: &str = "import torch\n\nx = torch.zeros(2, 3)\ny = torch.cat([x, torch.ones(4, 5)], dim=0)\n";
const ANOTHER: &str = "x @ torch.ones(7, 7)\n";

/// What a review says where `a.py` was read before the change and is not after it: its exit code, and that with `--fail-on unknown`.
#[track_caller]
fn is_told_as_not_read(repository: &Repository, change: &[&str], patch: &[u8], note: &str) {
    let with = |more: &[&str]| repository.harp_with(&[&["review"], more, change].concat(), patch);
    let said = with(&[]);
    assert!(said.out.contains(&format!("note: not read after the change: `{note}")), "{said:?}");
    assert!(said.counts().starts_with("0 introduced"), "{said:?}");
    assert_eq!(said.code, Some(0), "as for `harp check`, which reads others: {said:?}");
    let reports = tempfile::tempdir().expect("a temporary folder");
    let forms = ["concise", "markdown", "json", "json-lines", "sarif", "github", "github-review", "gitlab", "junit"];
    let outputs = forms.map(|form| format!("{form}:{}", reports.path().join(form).display()));
    let all_forms: Vec<&str> = outputs.iter().flat_map(|output| ["--output", output]).collect();
    let said = with(&[&["--fail-on", "unknown"], &all_forms[..]].concat());
    assert_eq!(said.code, Some(1), "{said:?}");
    for form in forms {
        let report = fs::read_to_string(reports.path().join(form)).expect("a report");
        assert!(report.contains("not read after the change"), "{form}: {report}");
    }
}

fn review(repository: &Repository, arguments: &[&str]) -> crate::common::repository::Said {
    repository.harp(&[&["review"], arguments].concat())
}

fn two_files() -> Repository {
    Repository::new(&[("a.py", ONE), ("b.py", "x = 1\n")])
}

#[test]
fn a_file_that_grows_too_large_is_told() {
    let repository = two_files();
    let large = format!("{ONE}{ANOTHER}{}", "#".repeat(2000));
    repository.write("a.py", &large);
    let limit = ["--max-file-size", "1KiB"];
    is_told_as_not_read(&repository, &[&["HEAD"][..], &limit].concat(), b"", "a.py: 2");
    let patch = repository.git(&["diff"]) + "\n";
    repository.commit(&[]);
    is_told_as_not_read(&repository, &[&["HEAD^..HEAD"][..], &limit].concat(), b"", "a.py: 2");
    repository.git(&["reset", "--quiet", "--hard", "HEAD^"]);
    is_told_as_not_read(&repository, &[&["-"][..], &limit].concat(), patch.as_bytes(), "a.py: 2");
    // A file that was too large before is none that the change takes away.
    repository.commit(&[("a.py", &large)]);
    repository.commit(&[("a.py", &format!("{large}#")), ("b.py", "x = 2\n")]);
    let said = review(&repository, &["HEAD^..HEAD", "--max-file-size", "1KiB", "--fail-on", "unknown"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(!said.out.contains("not read after"), "{said:?}");
}

#[test]
fn a_file_that_is_no_text_any_more_is_told() {
    let repository = two_files();
    for (bytes, reason) in [(&b"x = 1\n\0"[..], "a.py: a binary file"), (b"x = '\xff'\n", "a.py: not text")] {
        fs::write(repository.file("a.py"), bytes).expect("a file can be written");
        is_told_as_not_read(&repository, &["HEAD"], b"", reason);
        repository.commit(&[]);
        is_told_as_not_read(&repository, &["HEAD^..HEAD"], b"", reason);
        repository.git(&["reset", "--quiet", "--hard", "HEAD^"]);
    }
    // Where nothing else is read, a review fails as a check does.
    let repository = Repository::new(&[("a.py", ONE)]);
    fs::write(repository.file("a.py"), b"\0").expect("a file can be written");
    assert_eq!((review(&repository, &[]).code, repository.harp(&["check"]).code), (Some(2), Some(2)));
}

#[cfg(unix)]
#[test]
fn a_file_that_becomes_a_link_or_another_thing_is_told() {
    use std::os::unix::fs::symlink;
    let repository = two_files();
    repository.commit(&[("folder/c.py", ONE), ("text.txt", ONE)]);
    fs::remove_file(repository.file("a.py")).expect("it goes");
    symlink("text.txt", repository.file("a.py")).expect("a link");
    is_told_as_not_read(&repository, &["HEAD"], b"", "a.py: there is a link now");
    let patch = repository.git(&["diff"]) + "\n";
    repository.commit(&[]);
    is_told_as_not_read(&repository, &["HEAD^..HEAD"], b"", "a.py: there is a link now");
    repository.git(&["reset", "--quiet", "--hard", "HEAD^"]);
    is_told_as_not_read(&repository, &["-"], patch.as_bytes(), "a.py: there is a link or a submodule now");
    // A folder around the file, of which nobody looks where it leads.
    fs::remove_dir_all(repository.file("folder")).expect("it goes");
    symlink("/nowhere", repository.file("folder")).expect("a link");
    is_told_as_not_read(&repository, &["HEAD"], b"", "folder/c.py: there is a link now");
    repository.commit(&[]);
    is_told_as_not_read(&repository, &["HEAD^..HEAD"], b"", "folder/c.py: there is a link now");
    repository.git(&["reset", "--quiet", "--hard", "HEAD^"]);
    fs::remove_file(repository.file("a.py")).expect("it goes");
    let made = std::process::Command::new("mkfifo").arg(repository.file("a.py")).status();
    assert!(made.is_ok_and(|status| status.success()), "mkfifo is there");
    is_told_as_not_read(&repository, &["HEAD"], b"", "a.py: it is not a regular file");
    // What is deleted is gone, and nothing else.
    fs::remove_file(repository.file("a.py")).expect("it goes");
    let said = review(&repository, &["--fail-on", "unknown"]);
    assert_eq!((said.code, said.out.as_str()), (Some(0), "0 introduced, 1 fixed, 0 made worse (HEAD..work tree)\n"));
}

#[test]
fn a_file_that_becomes_part_of_a_submodule_is_told() {
    let repository = Repository::new(&[("folder/c.py", ONE), ("b.py", "x = 1\n")]);
    let commit = repository.git(&["rev-parse", "HEAD"]);
    repository.git(&["rm", "-r", "--quiet", "folder"]);
    repository.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{commit},folder")]);
    repository.git(&["commit", "--quiet", "--message=submodule"]);
    is_told_as_not_read(&repository, &["HEAD^..HEAD"], b"", "folder/c.py: there is a submodule now");
}

#[test]
fn a_file_that_moves_to_where_nothing_is_read_is_told() {
    let files =
        [("a.py", ONE), ("b.py", "x = 1\n"), (".gitignore", "build/\n"), ("harp.toml", "exclude = [\"old\"]\n")];
    for folder in ["build", "old", "venv"] {
        let repository = Repository::new(&files);
        fs::create_dir(repository.file(folder)).expect("a folder can be made");
        repository.git(&["mv", "a.py", &format!("{folder}/a.py")]);
        repository.git(&["commit", "--quiet", "--message=moved"]);
        is_told_as_not_read(&repository, &["HEAD^..HEAD"], b"", &format!("{folder}/a.py: it was read as `a.py`"));
        // A path of the user restricts what is told, too.
        let said = review(&repository, &["HEAD^..HEAD", "b.py", "a.py"]);
        assert!(!said.out.contains("not read after"), "{said:?}");
    }
}

#[test]
fn a_file_that_gets_a_name_of_no_source_is_told() {
    let longer = format!("{ONE}x = 1\n");
    for (name, text) in [("a.pyw", &longer[..]), ("a.txt", &longer), ("a.old", ONE)] {
        let repository = two_files();
        fs::remove_file(repository.file("a.py")).expect("it goes");
        repository.write(name, text);
        let note = format!("a.py: it is `{name}` now, which is not checked");
        is_told_as_not_read(&repository, &["HEAD"], b"", &note);
        repository.git(&["add", "--all"]);
        let patch = repository.git(&["diff", "--cached", "--find-renames"]) + "\n";
        repository.commit(&[]);
        is_told_as_not_read(&repository, &["HEAD^..HEAD"], b"", &note);
        repository.git(&["reset", "--quiet", "--hard", "HEAD^"]);
        is_told_as_not_read(&repository, &["-"], patch.as_bytes(), &note);
    }
    // What was there before, or holds something else, has no part in it.
    let repository = Repository::new(&[("a.py", ONE), ("b.py", "x = 1\n"), ("a.pyx", ONE), ("c/__init__.py", "")]);
    repository.write("a.pyc", "other");
    repository.write("a.py~", "other");
    repository.write("c/marker", "");
    fs::remove_file(repository.file("c/__init__.py")).expect("it goes");
    fs::remove_file(repository.file("a.py")).expect("it goes");
    let gone = |said: crate::common::repository::Said| {
        assert!(said.counts().starts_with("0 introduced, 1 fixed") && !said.out.contains("not read"), "{said:?}");
    };
    gone(review(&repository, &[]));
    repository.commit(&[]);
    gone(review(&repository, &["HEAD^..HEAD"]));
}

#[test]
fn a_file_that_becomes_a_folder_is_told() {
    let repository = two_files();
    fs::remove_file(repository.file("a.py")).expect("it goes");
    fs::create_dir(repository.file("a.py")).expect("a folder can be made");
    is_told_as_not_read(&repository, &["HEAD"], b"", "a.py: there is a folder now");
    for name in ["a.py/x.bin", "a.py/x.py"] {
        repository.commit(&[(name, "x = 1\n")]);
        is_told_as_not_read(&repository, &["HEAD^..HEAD"], b"", "a.py: there is a folder now");
        repository.git(&["reset", "--quiet", "--hard", "HEAD^"]);
        fs::remove_file(repository.file("a.py")).expect("it goes");
    }
}

#[test]
fn new_files_are_those_that_the_rules_before_the_change_do_not_ignore() {
    for rules in [".gitignore", ".ignore"] {
        for before in [None, Some("build/\n")] {
            let repository = two_files();
            if let Some(before) = before {
                repository.commit(&[(rules, before)]);
            }
            repository.write("new.py", ONE);
            repository.write(rules, "new.py\nbuild/\n");
            let told = |note: &str| {
                let said = review(&repository, &[]);
                assert!(said.counts().starts_with("1 introduced, 0 fixed"), "{rules} {before:?}: {said:?}");
                assert!(
                    said.out.contains(&format!("note: `{rules}` changed; the ignore rules of `HEAD` hold")),
                    "{note}: {said:?}"
                );
            };
            told("untracked");
            repository.git(&["add", "--force", "new.py", rules]);
            told("added");
        }
    }
    // Below a folder, and what the rules before the change ignore.
    let repository = Repository::new(&[("a.py", ONE), (".gitignore", "build/\n")]);
    repository.write("folder/new.py", ONE);
    repository.write("folder/.gitignore", "*\n");
    repository.write("build/new.py", ONE);
    let said = review(&repository, &[]);
    assert!(
        said.out.contains("note: `folder/.gitignore` changed; ") && said.counts().starts_with("1 intr"),
        "{said:?}"
    );
    // The rules that are the user's own hold, and are in no change.
    fs::write(repository.file(".git/info/exclude"), "folder/\n").expect("a file can be written");
    let said = review(&repository, &[]);
    assert_eq!(said.out, "0 introduced, 0 fixed, 0 made worse (HEAD..work tree)\n");
}
