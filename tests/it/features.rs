//! Small programs, each about a feature of Python or of a library for settings on which the size of a tensor depends, are judged as Python
//! runs them: right ones have no error, and with a size that is one too large the line fails.
//!
//! By default every twentieth of these lines is made wrong; with `HARP_ALL_FEATURES=1` all are. `tests/tools/feature_programs.py` describes the form of the programs, and records the sizes with the real libraries.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use serde_json::Value;

use crate::common::report_of;

/// Programs without arguments are analysed in so many groups, so that all cores have something to do.
const GROUPS: usize = 4;

/// One line in so many is made wrong where not all are.
const PART: usize = 20;

#[derive(Default)]
struct Program {
    name: String,
    /// The lines of its files.
    files: BTreeMap<String, Vec<String>>,
    args: String,
}

/// A line whose size is compared.
struct Checked<'p> {
    file: &'p str,
    line: usize,
    /// Whether users may set the size.
    is_setting: bool,
}

impl Program {
    fn checked(&self) -> Vec<Checked<'_>> {
        let mut found = Vec::new();
        for (file, lines) in &self.files {
            for (index, line) in lines.iter().enumerate() {
                let text = line.trim_start();
                if text.starts_with("@= ") || text.starts_with("@~ ") {
                    found.push(Checked { file, line: index + 1, is_setting: text.starts_with("@~") });
                }
            }
        }
        found
    }

    /// Writes the program; the size in the line `wrong` is one too large.
    fn write(&self, folder: &Path, sizes: &Value, wrong: Option<&str>) {
        for (file, lines) in &self.files {
            let line_of = |(index, line): (usize, &String)| {
                let text = line.trim_start();
                let Some(expression) = text.strip_prefix("@= ").or_else(|| text.strip_prefix("@~ ")) else {
                    return line.clone();
                };
                let place = format!("{file}:{}", index + 1);
                let size = sizes[&place].as_i64().expect("a recorded size") + i64::from(wrong == Some(place.as_str()));
                let indent = &line[..line.len() - text.len()];
                format!("{indent}torch.zeros(2, {expression}) @ torch.zeros({size}, 3)")
            };
            let lines: Vec<String> = lines.iter().enumerate().map(line_of).collect();
            let path = folder.join(file);
            fs::create_dir_all(path.parent().expect("a parent")).expect("a folder can be made");
            fs::write(path, lines.join("\n")).expect("a file can be written");
        }
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/features")
}

fn programs() -> Vec<Program> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder()).expect("a folder").map(|it| it.expect("an entry").path()).collect();
    paths.sort();
    let mut found: Vec<Program> = Vec::new();
    // Programs that are not followed yet are there for the script alone.
    let is_held = |path: &&PathBuf| path.extension().is_some_and(|it| it == "txt") && !path.ends_with("open.txt");
    for path in paths.iter().filter(is_held) {
        let mut file = String::new();
        for line in fs::read_to_string(path).expect("a text").split('\n') {
            if let Some(name) = line.strip_prefix("### ") {
                found.push(Program { name: name.trim().to_owned(), ..Program::default() });
                file = "main.py".to_owned();
                continue;
            }
            let Some(program) = found.last_mut() else { continue };
            if let Some(name) = line.strip_prefix("@@ file ") {
                name.trim().clone_into(&mut file);
                program.files.entry(file.clone()).or_default();
            } else if let Some(args) = line.strip_prefix("@@ args ") {
                args.trim().clone_into(&mut program.args);
            } else {
                program.files.entry(file.clone()).or_default().push(line.to_owned());
            }
        }
    }
    found
}

fn check(folder: &Path, args: &str) -> Value {
    match args {
        "" => report_of(folder, &[]),
        args => report_of(folder, &["--args", args]),
    }
}

/// What is wrong about the report on a program, if anything.
fn judged(report: &Value, prefix: &str, program: &Program, wrong: Option<&str>) -> Option<String> {
    let file_of = |item: &Value| item["place"]["file"].as_str().unwrap_or_default().to_owned();
    let place = |item: &Value| format!("{}:{}", &file_of(item)[prefix.len()..], item["place"]["start"]["line"]);
    let findings = report["findings"].as_array().expect("a list").iter();
    let own: Vec<&Value> =
        findings.filter(|item| file_of(item).starts_with(prefix) && item["severity"] != "note").collect();
    if let Some(wrong) = wrong {
        let is_found = own.iter().any(|item| place(item) == wrong && item["severity"] == "error");
        return (!is_found).then(|| format!("no error in {wrong}"));
    }
    let is_setting = program.checked().iter().any(|checked| checked.is_setting);
    let is_alarm = |item: &&&Value| !is_setting || item["severity"] == "error" || item["condition"].is_null();
    if let Some(alarm) = own.iter().find(is_alarm) {
        return Some(format!("a false alarm: {} {}", place(alarm), alarm["message"]));
    }
    let entries = report["summary"]["entries"].as_array().expect("a list").iter();
    let mut verdicts = entries.filter(|entry| file_of(entry).starts_with(prefix)).map(|entry| &entry["verdict"]);
    let is_good = |verdict: &Value| verdict == "no-error-possible" || is_setting && verdict == "error-when";
    verdicts.find(|verdict| !is_good(verdict)).map(|verdict| format!("the verdict is {verdict}"))
}

#[test]
fn sizes_that_features_decide_are_known() {
    let sizes: Value =
        serde_json::from_str(&fs::read_to_string(folder().join("recorded.json")).expect("the records")).expect("JSON");
    let programs = programs();
    let root = tempfile::tempdir().expect("a temporary folder");
    let part = if std::env::var_os("HARP_ALL_FEATURES").is_some() { 1 } else { PART };
    // All right programs are analysed together, a few groups of them, then each with its first line wrong, its second, and so on.
    let mut batches: BTreeMap<PathBuf, String> = BTreeMap::new();
    let mut cases = Vec::new();
    for (index, program) in programs.iter().enumerate() {
        let lines = program.checked().into_iter().enumerate().filter(|(number, _)| (number + index) % part == 0);
        let places = lines.map(|(_, it)| Some(format!("{}:{}", it.file, it.line))).collect::<Vec<_>>();
        for (number, wrong) in [None].into_iter().chain(places).enumerate() {
            let group = index % GROUPS;
            let name =
                if program.args.is_empty() { format!("all{group}_{number}") } else { format!("own{index}_{number}") };
            let batch = root.path().join(name);
            program.write(&batch.join(format!("case{index}")), &sizes[&program.name], wrong.as_deref());
            batches.insert(batch.clone(), program.args.clone());
            cases.push((batch, index, wrong));
        }
    }
    let reports: BTreeMap<&PathBuf, Value> =
        batches.par_iter().map(|(batch, args)| (batch, check(batch, args))).collect();
    let problems: Vec<String> = cases
        .iter()
        .filter_map(|(batch, index, wrong)| {
            let program = &programs[*index];
            let problem = judged(&reports[batch], &format!("case{index}/"), program, wrong.as_deref())?;
            Some(format!("{}: {problem}", program.name))
        })
        .collect();
    assert!(programs.len() > 100, "only {} programs", programs.len());
    assert!(problems.is_empty(), "{} of {} cases are misjudged:\n{}", problems.len(), cases.len(), problems.join("\n"));
}
