//! An audit that was interrupted goes on where it was.

use std::fs;
use std::time::{Duration, Instant};

use crate::scene::{BROKEN, Scene, is_part};

fn repositories(count: usize) -> Scene {
    let scene = Scene::new();
    for number in 0..count {
        scene.put(&format!("all/r{number:02}/train.py"), format!("{BROKEN}# {number}\n"));
    }
    scene
}

#[test]
fn parts_that_are_there_are_not_made_again() {
    let scene = repositories(3);
    scene.audit(&["all", "--out", "out"]);
    let before = scene.told("out/findings.parquet");
    let first = scene.path("out/parts").join(&scene.names("out/parts")[0]);
    let time = fs::metadata(&first).expect("a part").modified().expect("a time");
    // One is damaged, and one is gone.
    let names = scene.names("out/parts");
    fs::write(scene.path("out/parts").join(&names[1]), b"PAR1 and no more").expect("a file");
    fs::remove_file(scene.path("out/parts").join(&names[2])).expect("a file");
    scene.audit(&["all", "--out", "out"]);
    assert_eq!(scene.told("out/findings.parquet"), before);
    assert_eq!(scene.names("out/parts"), names);
    assert_eq!(fs::metadata(&first).expect("a part").modified().expect("a time"), time);
}

#[test]
fn rows_do_not_depend_on_folders_jobs_and_order() {
    let scene = repositories(4);
    scene.audit(&["all", "--out", "one", "--jobs", "1"]);
    fs::rename(scene.path("all"), scene.path("elsewhere")).expect("a folder");
    let paths: Vec<String> = (0..4).rev().map(|number| format!("elsewhere/r{number:02}")).collect();
    let mut arguments: Vec<&str> = paths.iter().map(String::as_str).collect();
    arguments.extend(["--out", "four", "--jobs", "4"]);
    scene.audit(&arguments);
    assert_eq!(scene.findings("one/findings.parquet"), scene.findings("four/findings.parquet"));
    assert_eq!(scene.names("one/parts"), scene.names("four/parts"));
}

#[test]
fn a_run_that_is_killed_leaves_whole_parts_alone() {
    let scene = repositories(8);
    scene.audit(&["all", "--out", "whole", "--facts", "call"]);
    let parts = scene.path("out/parts");
    for _ in 0..3 {
        let mut run = scene
            .command(&["all", "--out", "out", "--facts", "call", "--jobs", "2"])
            .spawn()
            .expect("the program starts");
        // Until one more part is there, or all are.
        let count = || fs::read_dir(&parts).map_or(0, |entries| entries.flatten().filter(is_file).count());
        let (before, started) = (count(), Instant::now());
        while count() == before
            && started.elapsed() < Duration::from_secs(60)
            && run.try_wait().expect("a run").is_none()
        {
            std::thread::sleep(Duration::from_millis(2));
        }
        run.kill().expect("it can be killed");
        run.wait().expect("it ends");
        let whole = fs::read_dir(&parts).expect("parts").flatten().filter(is_file);
        assert!(whole.map(|it| it.path()).all(|path| is_part(&path)));
    }
    scene.audit(&["all", "--out", "out", "--facts", "call"]);
    assert_eq!(scene.findings("out/findings.parquet"), scene.findings("whole/findings.parquet"));
    assert_eq!(scene.statuses("out"), scene.statuses("whole"));
    let calls = |folder: &str| fs::read(scene.path(folder).join("facts/call.parquet")).expect("a table");
    assert_eq!(calls("out"), calls("whole"));
}

/// A part: neither unfinished nor the folder of rows.
fn is_file(entry: &fs::DirEntry) -> bool {
    !entry.file_name().to_string_lossy().starts_with('.') && entry.path().is_file()
}

#[test]
fn what_a_kill_left_goes_after_a_day() {
    let scene = repositories(1);
    scene.audit(&["all", "--out", "out"]);
    let old = std::time::SystemTime::now() - Duration::from_secs(2 * 24 * 3600);
    for (name, time) in
        [("out/.harp-1-0.tmp", Some(old)), ("out/parts/.harp-1-1.tmp", Some(old)), ("out/.harp-1-2.tmp", None)]
    {
        scene.put(name, "half of a table");
        if let Some(time) = time {
            let file = fs::File::options().append(true).open(scene.path(name)).expect("a file");
            file.set_modified(time).expect("a time");
        }
    }
    scene.audit(&["all", "--out", "out"]);
    assert_eq!(scene.names("out/parts").len(), 1);
    let left: Vec<String> = scene.names("out").into_iter().filter(|name| name.starts_with('.')).collect();
    assert_eq!(left, [".harp-1-2.tmp"]);
}

/// A disk that is full: files may have no more than a few bytes.
#[cfg(unix)]
#[test]
fn a_disk_that_is_full_stops_the_run_and_loses_nothing() {
    let scene = repositories(2);
    scene.audit(&["all", "--out", "whole"]);
    let program = env!("CARGO_BIN_EXE_harp");
    let script = format!("trap '' XFSZ; ulimit -f 1; exec '{program}' audit all --out out --jobs 1");
    let output = std::process::Command::new("sh").args(["-c", &script]).current_dir(scene.path("")).output();
    let output = output.expect("the shell starts");
    assert_eq!(output.status.code(), Some(2), "{}", crate::scene::said(&output));
    assert!(!scene.path("out/findings.parquet").exists());
    scene.audit(&["all", "--out", "out"]);
    assert_eq!(scene.findings("out/findings.parquet"), scene.findings("whole/findings.parquet"));
}
