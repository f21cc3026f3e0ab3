//! The folder of an audit: what Harp writes over, and what it leaves alone.

use std::fs;

use crate::scene::{BROKEN, FINE, Scene, said};

#[test]
fn a_folder_with_parts_of_something_else_is_one_of_others() {
    let scene = Scene::new();
    scene.put("all/a/train.py", BROKEN);
    scene.put("mine/parts/chapter.txt", "mine");
    scene.put("mine/report/thesis.txt", "mine");
    scene.put("mine/README.txt", "Mine.");
    let refusal = scene.refusal(&["all", "--out", "mine"]);
    assert!(refusal.contains("mine has files of others"), "{refusal}");
    assert_eq!(fs::read_to_string(scene.path("mine/report/thesis.txt")).expect("a file"), "mine");
    assert_eq!(scene.names("mine"), ["README.txt", "parts", "report"]);
    scene.audit(&["all", "--out", "out"]);
    assert!(fs::read_to_string(scene.path("out/README.txt")).expect("a file").starts_with("An audit by Harp."));
}

#[test]
fn runs_in_one_folder_at_once_do_no_harm_to_each_other() {
    let scene = Scene::new();
    for number in 0..6 {
        scene.put(&format!("all/r{number}/train.py"), format!("{BROKEN}# {number}\n"));
    }
    scene.audit(&["all", "--out", "one"]);
    for _ in 0..3 {
        let start = || scene.command(&["all", "--out", "out"]).stderr(std::process::Stdio::piped()).spawn();
        let runs: Vec<_> = (0..3).map(|_| start().expect("it starts")).collect();
        for run in runs {
            let output = run.wait_with_output().expect("it ends");
            assert!(output.status.success(), "{}", said(&output));
        }
        assert_eq!(scene.findings("out/findings.parquet"), scene.findings("one/findings.parquet"));
        assert_eq!(scene.names("out/report"), scene.names("one/report"));
    }
}

#[test]
fn changes_of_an_earlier_run_do_not_stay() {
    let scene = Scene::new();
    scene.put("all/a/train.py", FINE);
    scene.audit(&["all", "--out", "before"]);
    scene.put("all/a/train.py", BROKEN);
    scene.audit(&["all", "--out", "out", "--since", "before"]);
    assert!(scene.path("out/changes.parquet").exists());
    scene.audit(&["all", "--out", "out"]);
    assert!(!scene.path("out/changes.parquet").exists());
}

#[test]
fn what_is_not_read_is_neither_gone_nor_no_target() {
    let scene = Scene::new();
    scene.put("all/grows/train.py", BROKEN);
    scene.put("all/beside/train.py", BROKEN);
    scene.put("all/beside/other.py", FINE);
    scene.audit(&["all", "--out", "before"]);
    let large = format!("{BROKEN}# {}\n", "x".repeat(3000));
    scene.put("all/grows/train.py", &large);
    scene.put("all/beside/train.py", &large);
    let told = scene.audit(&["all", "--max-file-size", "2KB", "--out", "out", "--since", "before"]);
    assert!(told.contains("0 new, 0 fixed, 0 gone, 2 unknown"), "{told}");
    let (status, reason) = scene.statuses("out").remove("grows").expect("a row");
    assert_eq!((status.as_str(), reason.as_str()), ("partial", "none of its Python files was read"));
}

/// A command that the user names may start others, which end with Harp.
#[cfg(target_os = "linux")]
#[test]
fn what_a_command_starts_ends_with_harp() {
    use std::os::unix::fs::PermissionsExt;
    let scene = Scene::new();
    scene.put("slow.sh", "#!/bin/sh\nsleep 600 &\necho $! > \"$1\"\nwait\n");
    fs::set_permissions(scene.path("slow.sh"), fs::Permissions::from_mode(0o755)).expect("it is ours");
    scene.put("names.txt", "started\n");
    let fetch = format!("{0}/slow.sh {0}/{{}} {{folder}}", scene.path("").display());
    let mut run =
        scene.command(&["--names", "names.txt", "--fetch", &fetch, "--out", "out"]).spawn().expect("it starts");
    let pid = || fs::read_to_string(scene.path("started")).ok().and_then(|text| text.trim().parse::<u32>().ok());
    let sleeper = (0..1000).find_map(|_| {
        std::thread::sleep(std::time::Duration::from_millis(20));
        pid()
    });
    let sleeper = sleeper.expect("the command was started");
    let status = std::process::Command::new("kill").args(["-TERM", &run.id().to_string()]).status();
    assert!(status.expect("kill is there").success());
    run.wait().expect("it ends");
    // It is gone, or waits for whoever asks how it ended.
    let is_over = || {
        let status = fs::read_to_string(format!("/proc/{sleeper}/stat")).unwrap_or_default();
        status.is_empty() || status.contains(") Z ")
    };
    let ended = (0..500).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(10));
        is_over()
    });
    assert!(ended, "the process {sleeper} goes on");
}

#[test]
fn tables_of_earlier_runs_do_not_stay_beside_those_of_this_one() {
    let scene = Scene::new();
    for name in ["a", "b", "c", "d", "e"] {
        scene.put(&format!("all/{name}/train.py"), BROKEN);
    }
    let shards = |of: u64| {
        for number in 1..=of {
            scene.audit(&["all", "--out", "out", "--facts", "call", "--shard", &format!("{number}/{of}")]);
        }
    };
    let tables = |folder: &str| -> Vec<String> {
        scene.names(folder).into_iter().filter(|name| name.ends_with(".parquet")).collect()
    };
    shards(2);
    shards(3);
    let divided = |table: &str| (1..=3).map(|number| format!("{table}-{number}-of-3.parquet")).collect::<Vec<_>>();
    assert_eq!(tables("out"), [divided("findings"), divided("repositories")].concat());
    assert_eq!(tables("out/facts"), divided("call"));
    scene.audit(&["all", "--out", "out", "--facts", "inside", "--sarif"]);
    assert_eq!(tables("out"), ["findings.parquet", "repositories.parquet"]);
    assert_eq!(tables("out/facts"), ["inside.parquet"]);
    scene.audit(&["all", "--out", "out"]);
    assert_eq!(tables("out/facts"), Vec::<String>::new());
    assert!(!scene.names("out/sarif").contains(&"index.json".to_owned()));
}
