//! Whole programs, and the same with one mistake each, are judged as the real libraries judge them.
//!
//! `tests/data/programs/recorded.jsonl` is written by `tests/tools/program_mutants.py`. It says on which line of the program each mutant fails,
//! or that it runs. By default every second program and every fortieth mutant is tried; with `HARP_ALL_MUTANTS=1` all are.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use serde_json::Value;

use crate::common::report_of;

/// One mutant in so many is tried where not all are,
const PART: usize = 40;
/// and one program without a mistake.
const PART_OF_RIGHT: usize = 2;
/// Of the mutants that fail, how many per cent are at least reported on exactly the line on which they fail.
const LEAST_EXACT: usize = 85;
/// Of the programs without a mistake, how many per cent are at least found to have no errors, with nothing that was not understood in the way.
const LEAST_UNDERSTOOD: usize = 20;

/// The files of a program, as in the script.
const SUFFIXES: [&str; 12] = ["py", "json", "jsonl", "yaml", "yml", "toml", "ini", "cfg", "env", "csv", "tsv", "txt"];

struct Case {
    record: Value,
    /// The program's files, with the mistake.
    files: BTreeMap<String, String>,
}

/// What Harp says of a case.
struct Outcome {
    /// File and line of every error, and of every warning about shapes that is no remark.
    findings: Vec<(String, u64)>,
    all_understood: bool,
}

fn programs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/programs")
}

/// The files of a program by their path in it, without the marks of the mutants.
fn sources(program: &str) -> BTreeMap<String, String> {
    let path = programs().join(program);
    let mut files = BTreeMap::new();
    let mut open = vec![path.clone()];
    let root = if path.is_dir() { path } else { programs() };
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(fs::read_dir(&path).expect("a folder").map(|entry| entry.expect("an entry").path()));
        } else if path.extension().is_some_and(|extension| SUFFIXES.iter().any(|known| extension == *known)) {
            let text = fs::read_to_string(&path).expect("a text");
            let name = path.strip_prefix(&root).expect("below the folder").to_string_lossy().replace('\\', "/");
            let plain = text.split('\n').map(|line| match line.find("#!") {
                Some(mark) => line[..mark].trim_end(),
                None => line,
            });
            files.insert(name, plain.collect::<Vec<_>>().join("\n"));
        }
    }
    files
}

fn case(record: Value) -> Case {
    let text = |key: &str| record[key].as_str().unwrap_or_default().to_owned();
    let mut files = sources(&text("program"));
    if let Some(number) = record["line"].as_u64() {
        let source = files.get_mut(&text("file")).expect("the file of the mutant");
        let mut lines: Vec<String> = source.split('\n').map(str::to_owned).collect();
        let line = &mut lines[number as usize - 1];
        assert!(line.contains(&text("old")), "{record} does not fit its program: record it again");
        *line = line.replacen(&text("old"), &text("new"), 1);
        *source = lines.join("\n");
    }
    Case { record, files }
}

fn outcome(case: &Case) -> Outcome {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, text) in &case.files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder can be made");
        fs::write(path, text).expect("a file can be written");
    }
    let report = report_of(folder.path(), &[]);
    let findings = report["findings"].as_array().expect("a list of findings").iter();
    // The programs were run with their options at the defaults.
    let is_of_option = |finding: &Value| {
        finding["condition"]
            .as_str()
            .is_some_and(|condition| condition.starts_with("`--") && !condition.contains(" and "))
    };
    let is_alarm = |finding: &&Value| {
        !is_of_option(finding)
            && matches!(finding["rule"].as_str(), Some("shape/mismatch" | "shape/possible"))
            && finding["severity"] != "note"
    };
    let place = |finding: &Value| {
        let file = finding["place"]["file"].as_str().expect("a file").to_owned();
        (file, finding["place"]["start"]["line"].as_u64().expect("a line"))
    };
    let entries = report["summary"]["entries"].as_array().expect("a list of entries");
    Outcome {
        findings: findings.filter(is_alarm).map(place).collect(),
        all_understood: entries.iter().all(|entry| entry["verdict"] == "no-error-possible"),
    }
}

fn outcomes(cases: &[Case]) -> Vec<Outcome> {
    let next = AtomicUsize::new(0);
    let workers = thread::available_parallelism().map_or(2, |count| count.get().min(8));
    let mut found: Vec<(usize, Outcome)> = thread::scope(|scope| {
        let work = || {
            let mut own = Vec::new();
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(case) = cases.get(index) else { return own };
                own.push((index, outcome(case)));
            }
        };
        let handles: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        handles.into_iter().flat_map(|handle| handle.join().expect("no panic")).collect()
    });
    found.sort_by_key(|(index, _)| *index);
    found.into_iter().map(|(_, outcome)| outcome).collect()
}

#[test]
fn programs_and_their_mutants_are_judged_as_the_libraries_judge_them() {
    let text = fs::read_to_string(programs().join("recorded.jsonl")).expect("the records");
    let records = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("a record"));
    let is_whole = std::env::var_os("HARP_ALL_MUTANTS").is_some();
    let mut right = 0;
    let is_chosen = |(index, record): &(usize, Value)| {
        let is_right = record["line"].is_null();
        right += usize::from(is_right);
        is_whole || if is_right { right % PART_OF_RIGHT == 0 } else { index % PART == 0 }
    };
    let chosen = records.enumerate().filter(is_chosen);
    let cases: Vec<Case> = chosen.map(|(_, record)| case(record)).collect();
    let (mut failing, mut exact, mut understood) = (0, 0, 0);
    let mut false_alarms = Vec::new();
    for (case, outcome) in cases.iter().zip(outcomes(&cases)) {
        let fails = &case.record["fails"];
        if fails.is_null() {
            false_alarms.extend(outcome.findings.iter().map(|place| format!("{place:?} of {}", case.record)));
            understood += usize::from(case.record["line"].is_null() && outcome.all_understood);
            continue;
        }
        failing += 1;
        let (file, line) = (fails["file"].as_str().unwrap_or_default(), fails["line"].as_u64().unwrap_or_default());
        exact += usize::from(outcome.findings.iter().any(|(at, number)| at == file && *number == line));
    }
    assert!(false_alarms.is_empty(), "programs that run are said to fail:\n{}", false_alarms.join("\n"));
    println!("{exact} of {failing} mutants are found on their line; {understood} programs are understood");
    assert!(exact * 100 >= failing * LEAST_EXACT, "only {exact} of {failing} mutants are found on their line");
    let right = cases.iter().filter(|case| case.record["line"].is_null()).count();
    assert!(understood * 100 >= right * LEAST_UNDERSTOOD, "only {understood} of {right} programs are understood");
}
