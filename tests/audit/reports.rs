//! The pages and the summary over all repositories of an audit.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::scene::{BROKEN, FINE, Scene};

/// Multiplies in each iteration what stays the same.
const REPEATED: &str = "\
import torch

a = torch.rand(64, 64)
b = torch.rand(64, 64)
total = torch.zeros(64, 64)
for step in range(100):
    total = total + a @ b * step
print(total)
";

fn five() -> Scene {
    let scene = Scene::new();
    scene.put("all/broken/other.py", BROKEN);
    scene.put("all/broken/train.py", BROKEN);
    scene.put("all/copy/loop.py", REPEATED);
    scene.put("all/fine/a.py", FINE);
    scene.put("all/repeated/loop.py", REPEATED);
    scene.put("all/text/README.md", "nothing\n");
    scene
}

/// The reports and logs of an audit, by their paths.
fn texts(folder: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    below(folder, "", &mut found);
    found
}

fn below(folder: &Path, prefix: &str, found: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = format!("{prefix}{}", path.file_name().expect("a name").to_str().expect("UTF-8"));
        if path.is_dir() {
            below(&path, &format!("{name}/"), found);
        } else if !name.ends_with(".parquet") && name != "README.txt" {
            found.insert(name, fs::read_to_string(&path).expect("a text"));
        }
    }
}

#[test]
fn reports_show_what_was_found_in_all_repositories() {
    let scene = five();
    scene.audit(&["all", "--out", "out"]);
    let texts = texts(&scene.path("out"));
    let lists = ["findings-1", "repositories-1", "rule-1-1", "rule-2-1"].map(|name| format!("report/{name}.html"));
    let names: Vec<&str> = ["report.html"].into_iter().chain(lists.iter().map(String::as_str)).collect();
    assert_eq!(texts.keys().collect::<Vec<_>>(), [&names[..], &["summary.md"]].concat());
    let page = &texts["report.html"];
    for part in [
        "5 repositories, 3 findings",
        "<td>no target <small>",
        "shape/mismatch",
        "harp/loop-invariant",
        "zeros(4, 5)",
        "An operation whose operands never fit.",
        "1 repository has the same files as another one; the files and 1 finding are counted once.",
    ] {
        assert!(page.contains(part), "{part}");
    }
    let rows = texts["report/rule-1-1.html"].matches("class=\"row\"").count();
    assert_eq!(rows, 2, "both findings of `broken`");
    assert!(texts["report/repositories-1.html"].contains("same files as copy"));
    let row = "| `shape/mismatch` | error | 1 | 33.3 % | 2 | 2 | 0 | `broken` `other.py:4:5` |";
    assert!(texts["summary.md"].contains(row), "{}", texts["summary.md"]);
}

#[test]
fn reports_are_the_same_however_often_they_are_made() {
    let scene = five();
    scene.audit(&["all", "--out", "out", "--jobs", "1"]);
    let first = texts(&scene.path("out"));
    scene.audit(&["all", "--out", "out", "--jobs", "3"]);
    assert_eq!(texts(&scene.path("out")), first, "of the same parts");
    scene.audit(&["all", "--out", "other", "--jobs", "3"]);
    assert_eq!(texts(&scene.path("other")), first, "of the same repositories");
}

#[test]
fn pages_of_an_earlier_audit_go() {
    let scene = five();
    scene.audit(&["all", "--out", "out"]);
    fs::remove_dir_all(scene.path("all/repeated")).expect("a folder");
    fs::remove_dir_all(scene.path("all/copy")).expect("a folder");
    scene.audit(&["all", "--out", "out"]);
    let texts = texts(&scene.path("out"));
    assert!(texts["report/rule-1-1.html"].contains("broken"));
    assert!(!texts.contains_key("report/rule-2-1.html"));
}

#[test]
fn a_shard_has_no_report() {
    let scene = five();
    for shard in ["1/2", "2/2"] {
        scene.audit(&["all", "--out", "out", "--shard", shard]);
    }
    assert_eq!(texts(&scene.path("out")), BTreeMap::new());
    scene.audit(&["all", "--out", "out"]);
    assert!(texts(&scene.path("out"))["report.html"].contains("5 repositories, 3 findings"));
}

/// Names of folders are what whoever made a repository says.
#[cfg(unix)]
#[test]
fn hostile_names_are_shown_and_name_no_file() {
    let scene = Scene::new();
    scene.put("all/<img src=x onerror=alert(1)>\"'`${{ x }}/a.py", BROKEN);
    scene.put("all/report.html/<b>.py", BROKEN);
    scene.audit(&["all", "--out", "out", "--sarif"]);
    let texts = texts(&scene.path("out"));
    for (name, text) in &texts {
        assert!(name.chars().all(|it| it.is_ascii_alphanumeric() || "-./".contains(it)), "{name}");
        assert!(!name.ends_with(".html") || !text.contains("<img") && !text.contains("<b>"), "{name}");
    }
    assert!(texts["report/findings-1.html"].contains("&lt;img src=x onerror=alert(1)&gt;"));
}
