//! Results that are kept from run to run: used where nothing changed, made anew where something did, and harmless whatever happens to them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::common::folder;

const PRODUCT: &str = "import torch\n\nprint(torch.zeros(2, 3) @ torch.zeros(4, 5))\n";
const CLEAN: &str = "import torch\n\nprint(torch.zeros(2, 3) @ torch.zeros(3, 5))\n";

/// A project, and a folder for results beside it.
struct Kept {
    project: TempDir,
    cache: TempDir,
}

impl Kept {
    fn new(files: &[(&str, &str)]) -> Kept {
        Kept { project: folder(files), cache: tempfile::tempdir().expect("a folder") }
    }

    fn folder(&self) -> PathBuf {
        self.cache.path().join("results")
    }

    fn command(&self, cache: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_harp"));
        command.args(["check", "--color", "never", "--cache-dir"]).arg(cache).args(arguments).arg(".");
        command.current_dir(self.project.path()).env_remove("HARP_NO_CACHE");
        command
    }

    /// The exit code and both outputs.
    fn check_in(&self, cache: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
        let output = self.command(cache, arguments).output().expect("the program starts");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
        (output.status.code(), text(output.stdout), text(output.stderr))
    }

    fn check(&self, arguments: &[&str]) -> (Option<i32>, String, String) {
        self.check_in(&self.folder(), arguments)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.project.path().join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    /// The files with results, in the order of their names.
    fn entries(&self) -> Vec<PathBuf> {
        let children = fs::read_dir(self.folder()).into_iter().flatten();
        let paths = children.map(|child| child.expect("a child").path());
        let mut entries: Vec<PathBuf> =
            paths.filter(|path| path.extension().is_some_and(|end| end == "harp")).collect();
        entries.sort();
        entries
    }

    /// The identities of the files with results: what is made again is another file.
    #[cfg(unix)]
    fn files(&self) -> Vec<u64> {
        use std::os::unix::fs::MetadataExt;
        self.entries().iter().map(|entry| fs::metadata(entry).expect("a file").ino()).collect()
    }
}

#[test]
fn what_is_kept_is_used_and_is_what_a_run_gives() {
    let kept = Kept::new(&[("a.py", PRODUCT)]);
    let first = kept.check(&[]);
    assert_eq!(first.0, Some(1));
    for arguments in [&[][..], &["--verbose"], &["--format", "json"], &["--format", "sarif"], &["--threads", "1"]] {
        let fresh = kept.check(&[&["--no-cache"], arguments].concat());
        assert_eq!(kept.check(arguments), fresh, "{arguments:?}");
    }
    assert_eq!(kept.entries().len(), 1);

    kept.write("a.py", CLEAN);
    assert_eq!(kept.check(&[]).0, Some(0));
    #[cfg(unix)]
    let files = kept.files();
    assert_eq!(kept.check(&[]).0, Some(0));
    kept.write("a.py", PRODUCT);
    assert_eq!(kept.check(&[]), first);
    #[cfg(unix)]
    assert_eq!(kept.files(), files);
}

#[test]
fn what_changes_the_results_makes_them_anew() {
    let files = [
        (
            "a.py",
            "import yaml, installed, torch\n\nwith open('c.yaml') as f:\n    c = yaml.safe_load(f)\n\
             torch.zeros(3, c['n']) @ torch.zeros(4, 3)\ninstalled.f(torch.zeros(2, 3)) @ torch.zeros(3, 1)\n",
        ),
        ("c.yaml", "n: 5\n"),
        ("env/lib/python3.12/site-packages/installed.py", "def f(x):\n    return x\n"),
        ("harp.toml", "python = \"env\"\n"),
    ];
    let kept = Kept::new(&files);
    let all = |kept: &Kept| kept.check(&["--verbose"]);
    let mut last = all(&kept);
    assert_eq!(last.0, Some(1), "{last:?}");
    let edits = [
        ("a.py", files[0].1.replace("zeros(4", "zeros(7")),
        ("c.yaml", "n: 6\n".to_owned()),
        ("env/lib/python3.12/site-packages/installed.py", "def f(x):\n    return x.t()\n".to_owned()),
        ("harp.toml", "python = \"env\"\nignore = [\"shape\"]\n".to_owned()),
        ("b.py", PRODUCT.replace("(2, 3)", "(2, 9)")),
    ];
    for (path, text) in edits {
        kept.write(path, &text);
        let next = all(&kept);
        assert_eq!(next, kept.check(&["--verbose", "--no-cache"]), "{path}");
        assert_ne!(next, last, "{path}");
        last = next;
    }
    let given = kept.check(&["--verbose", "--ignore", "perf", "--select", "shape", "--args", "--n 1"]);
    assert_eq!(
        given,
        kept.check(&["--verbose", "--no-cache", "--ignore", "perf", "--select", "shape", "--args", "--n 1"])
    );
}

#[test]
fn rules_and_annotations_of_the_user_are_part_of_what_results_depend_on() {
    let kept = Kept::new(&[("a.py", PRODUCT)]);
    let made =
        Command::new(env!("CARGO_BIN_EXE_harp")).args(["new-pack", "own"]).current_dir(kept.cache.path()).output();
    assert!(made.expect("the program starts").status.success());
    let pack = kept.cache.path().join("own");
    let pack_argument = pack.to_str().expect("UTF-8").to_owned();
    let check = || kept.check(&["--pack", &pack_argument, "--format", "sarif"]);
    let before = check();
    let (page, text) =
        (pack.join("created-in-loop.md"), fs::read_to_string(pack.join("created-in-loop.md")).expect("a page"));
    fs::write(page, text.replacen("# ", "# Another ", 1)).expect("a file");
    let after = check();
    assert_ne!(before, after);
    assert_eq!(kept.entries().len(), 2);
}

#[test]
fn what_is_wrong_is_told_each_time() {
    let kept = Kept::new(&[("a.py", CLEAN)]);
    for _ in 0..2 {
        let (code, _, message) = kept.check(&["missing.py"]);
        assert_eq!((code, message.contains("missing.py")), (Some(2), true), "{message}");
    }
    assert_eq!(kept.entries().len(), 0);
}

#[test]
fn damaged_results_are_made_again() {
    let kept = Kept::new(&[("a.py", PRODUCT)]);
    let expected = kept.check(&[]);
    let entry = kept.entries().remove(0);
    let whole = fs::read(&entry).expect("results");
    let flipped = |at: usize| {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x40;
        bytes
    };
    let mut damaged = vec![Vec::new(), b"harp/1\r\n".to_vec(), whole[..whole.len() / 2].to_vec(), vec![0xff; 4096]];
    damaged.extend([0, 9, 41, whole.len() / 2, whole.len() - 1].map(flipped));
    for bytes in damaged {
        fs::write(&entry, &bytes).expect("a file");
        assert_eq!(kept.check(&[]), expected);
        assert_eq!(fs::read(&entry).expect("results"), whole, "made again");
    }
    // Something else lies where the results would.
    fs::remove_file(&entry).expect("removed");
    fs::create_dir(&entry).expect("a folder");
    assert_eq!(kept.check(&[]), expected);
}

#[test]
fn a_folder_that_cannot_be_used_is_no_error() {
    let kept = Kept::new(&[("a.py", PRODUCT)]);
    let expected = kept.check(&["--no-cache"]);
    let file = kept.cache.path().join("file");
    fs::write(&file, "x").expect("a file");
    for folder in [file.clone(), file.join("below"), PathBuf::from("/proc/harp")] {
        assert_eq!(kept.check_in(&folder, &[]), expected, "{}", folder.display());
    }
    assert_eq!(fs::read(file).expect("a file"), b"x");
}

#[cfg(unix)]
#[test]
fn a_folder_that_is_read_alone_still_serves() {
    use std::os::unix::fs::PermissionsExt;

    let kept = Kept::new(&[("a.py", PRODUCT)]);
    let expected = kept.check(&[]);
    fs::set_permissions(kept.folder(), fs::Permissions::from_mode(0o500)).expect("permissions");
    assert_eq!(kept.check(&[]), expected);
    kept.write("a.py", CLEAN);
    assert_eq!(kept.check(&[]).0, Some(0));
    fs::set_permissions(kept.folder(), fs::Permissions::from_mode(0o700)).expect("permissions");
}

#[test]
fn runs_at_the_same_time_do_not_disturb_each_other() {
    let kept = Kept::new(&[("a.py", PRODUCT)]);
    let expected = kept.check(&["--no-cache"]);
    let start = |_| {
        let mut command = kept.command(&kept.folder(), &[]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts")
    };
    let runs: Vec<_> = (0..6).map(start).collect();
    for run in runs {
        let output = run.wait_with_output().expect("it ends");
        assert_eq!(String::from_utf8(output.stdout).expect("UTF-8"), expected.1);
        assert_eq!(output.status.code(), expected.0);
    }
    let names: Vec<_> =
        fs::read_dir(kept.folder()).expect("a folder").map(|child| child.expect("a child").file_name()).collect();
    assert_eq!(names.len(), 2, "{names:?}");
}

#[test]
fn results_lie_in_the_folder_of_the_user_and_are_removed_by_clean() {
    let kept = Kept::new(&[("a.py", PRODUCT)]);
    let run = |arguments: &[&str], none: bool| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_harp"));
        command.args(arguments).current_dir(kept.project.path()).env_remove("HARP_CACHE_DIR");
        command.env("XDG_CACHE_HOME", kept.cache.path()).env("HARP_NO_CACHE", if none { "1" } else { "0" });
        let output = command.output().expect("the program starts");
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    run(&["check", "."], true);
    assert!(!kept.cache.path().join("harp").exists());
    if cfg!(not(target_os = "linux")) {
        return;
    }
    run(&["check", "."], false);
    let other = kept.cache.path().join("harp/notes.txt");
    fs::write(&other, "x").expect("a file");
    assert!(run(&["clean"], false).starts_with("the results of 1 run ("));
    assert!(run(&["clean"], false).starts_with("no results are kept in "));
    assert!(other.exists());
    assert!(!kept.project.path().join(".harp_cache").exists());
}

#[test]
fn no_results_are_kept_in_the_project() {
    let kept = Kept::new(&[("a.py", PRODUCT)]);
    for cache in ["results", "./a/../results", "missing/deep/results"] {
        let cache = Path::new(cache);
        let (code, _, err) = kept.check_in(cache, &[]);
        assert_eq!(code, Some(1), "{err}");
        assert!(err.contains("which is part of the project") && err.contains("`--cache-dir`"), "{err}");
        assert!(!kept.project.path().join(cache).exists());
    }
    // Nor around what is checked, where a configuration marks the project's root.
    let plain = tempfile::tempdir().expect("a folder");
    fs::create_dir(plain.path().join("src")).expect("a folder");
    for (path, text) in [("src/a.py", PRODUCT), ("b.py", PRODUCT), ("harp.toml", "")] {
        fs::write(plain.path().join(path), text).expect("a file");
    }
    for checked in ["src", "src/a.py", "b.py"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_harp"));
        command
            .args(["check", checked, "--cache-dir", "results"])
            .current_dir(plain.path())
            .env_remove("HARP_NO_CACHE");
        let err = String::from_utf8_lossy(&command.output().expect("it starts").stderr).into_owned();
        assert!(err.contains("which is part of the project"), "{checked}: {err}");
    }
    // Not by a link either, in which direction it may lead.
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(kept.cache.path(), kept.project.path().join("out")).expect("a link");
        std::os::unix::fs::symlink(kept.project.path(), kept.cache.path().join("in")).expect("a link");
        for cache in [PathBuf::from("out/results"), kept.cache.path().join("in/results")] {
            assert!(kept.check_in(&cache, &[]).2.contains("which is part of the project"), "{cache:?}");
            assert!(!cache.exists());
        }
    }
}

#[test]
fn a_variable_without_a_value_names_no_folder() {
    let kept = Kept::new(&[("a.py", PRODUCT)]);
    for arguments in [&["check", "."][..], &["clean"]] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_harp"));
        command.args(arguments).current_dir(kept.project.path()).env_remove("HARP_NO_CACHE");
        let output =
            command.env("HARP_CACHE_DIR", "").env("XDG_CACHE_HOME", kept.cache.path()).output().expect("it starts");
        assert_eq!(output.status.code(), Some(i32::from(arguments[0] == "check")), "{output:?}");
    }
}

#[test]
fn what_cannot_be_cleaned_is_told() {
    let kept = Kept::new(&[("a.py", PRODUCT)]);
    let clean = |folder: &Path| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_harp"));
        let output = command.args(["clean", "--cache-dir"]).arg(folder).output().expect("the program starts");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    assert_eq!(clean(&kept.folder()).0, Some(0), "where nothing is, there is nothing to do");
    let (code, err) = clean(&kept.project.path().join("a.py"));
    assert!(code == Some(2) && err.contains("cannot be read"), "{err}");
    // What a program that was killed left there goes, what another one is writing now stays.
    let (_, _, _) = kept.check(&[]);
    let [old, new, other] = [".harp-1-0.tmp", ".harp-2-0.tmp", "of somebody.tmp"].map(|name| kept.folder().join(name));
    for path in [&old, &new, &other] {
        fs::write(path, "x").expect("a file");
    }
    let long_ago = std::time::SystemTime::UNIX_EPOCH;
    for path in [&old, &other] {
        fs::File::options().append(true).open(path).and_then(|file| file.set_modified(long_ago)).expect("a time");
    }
    assert_eq!(clean(&kept.folder()).0, Some(0));
    assert!(!old.exists() && new.exists() && other.exists() && kept.entries().is_empty());
}

#[test]
fn a_mistake_is_told_though_the_results_would_be_the_same() {
    let kept = Kept::new(&[("a.py", CLEAN)]);
    assert_eq!(kept.check(&[]).0, Some(0));
    for configuration in [
        "extend-select = ['shpe']",
        "ignore = ['shpe']",
        "[severity]\nshpe = 'off'",
        "[per-file-ignores]\n'a.py' = ['shpe']",
    ] {
        kept.write("harp.toml", configuration);
        let (code, _, err) = kept.check(&[]);
        assert!(code == Some(2) && err.contains("there is no rule, pack or tag `shpe`"), "{configuration}: {err}");
    }
}

#[cfg(unix)]
#[test]
fn results_that_others_could_have_written_are_not_used() {
    use std::os::unix::fs::PermissionsExt;
    let kept = Kept::new(&[("a.py", CLEAN)]);
    assert_eq!(kept.check(&[]).0, Some(0));
    let mode = |path: &Path| fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
    let entries = kept.entries();
    assert_eq!((mode(&kept.folder()), mode(&entries[0])), (0o700, 0o600));
    fs::set_permissions(kept.folder(), fs::Permissions::from_mode(0o777)).expect("it is ours");
    kept.write("a.py", PRODUCT);
    let (code, _, err) = kept.check(&[]);
    assert!(code == Some(1) && err.contains("can be written by all users") && err.contains("`--cache-dir`"), "{err}");
    assert_eq!(kept.entries(), entries, "nothing is kept there either");
}

/// Whoever copies the results of a clean program under the name of those of another one changes nothing.
#[test]
fn results_have_the_name_of_what_they_are_of() {
    let kept = Kept::new(&[("a.py", CLEAN)]);
    kept.check(&[]);
    let clean = fs::read(&kept.entries()[0]).expect("a file");
    kept.write("a.py", PRODUCT);
    let (code, out, _) = kept.check(&[]);
    assert_eq!(code, Some(1));
    for entry in kept.entries() {
        fs::write(entry, &clean).expect("a file");
    }
    assert_eq!(kept.check(&[]).1, out);
}
