//! What the tests of the command line share.

pub mod families;
pub mod json_schema;
pub mod recorded_calls;
pub mod repository;

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

/// A new folder with these files, texts or bytes.
pub fn folder<Content: AsRef<[u8]>>(files: &[(&str, Content)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    // The configuration is searched no further than the root of a checkout.
    fs::create_dir(folder.path().join(".git")).expect("a folder can be made");
    for (path, content) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder can be made");
        fs::write(path, content).expect("a file can be written");
    }
    folder
}

/// The report on a folder, made in this process: to start the program and to compile the rules takes longer than to analyse a small program.
/// Files are named by their paths below the folder.
pub fn report_of(folder: &Path, options: &[&str]) -> Value {
    let results = tempfile::NamedTempFile::new().expect("a temporary file");
    let mut output = OsStr::new("json:").to_owned();
    output.push(results.path());
    let command = ["harp", "check", "--verbose", "--no-cache", "--output"].map(OsStr::new);
    let options = options.iter().map(OsStr::new).chain([folder.as_os_str()]);
    let outcome = harp::cli::run_as(command.into_iter().chain([&*output]).chain(options));
    // A defect leaves a report with less in it.
    assert!(!matches!(outcome, harp::cli::Outcome::Failed), "Harp failed on {}", folder.display());
    let mut report: Value = serde_json::from_slice(&fs::read(results.path()).expect("a report")).expect("JSON");
    let findings = report["findings"].as_array_mut().expect("a list of findings").iter_mut();
    findings.for_each(|finding| name_below(folder, finding));
    report["summary"]["entries"]
        .as_array_mut()
        .expect("a list of entries")
        .iter_mut()
        .for_each(|entry| name_below(folder, entry));
    report
}

fn name_below(folder: &Path, item: &mut Value) {
    let file = &mut item["place"]["file"];
    let path = Path::new(file.as_str().expect("a path"));
    let below = path.strip_prefix(folder).expect("a file below the folder");
    *file = Value::from(below.to_string_lossy());
}
