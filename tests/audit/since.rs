//! What is new, fixed and gone between two audits.

use harp_tables::changes::{Change, Told};

use crate::scene::{BROKEN, FINE, Scene};

/// The rows of the table of changes.
fn changes(scene: &Scene, folder: &str) -> Vec<String> {
    let table = std::fs::File::open(scene.path(folder).join("changes.parquet")).expect("a table");
    let rows = harp_tables::changes::read_changes(table).expect("a table of changes");
    let line = |(change, told): (Change, Told)| format!("{} {}", told.repository, change.as_str());
    rows.map(|row| line(row.expect("a change"))).collect()
}

#[test]
fn findings_are_new_fixed_and_gone() {
    let scene = Scene::new();
    let put = |name: &str, text: &str| scene.put(&format!("all/{name}/train.py"), text);
    for name in ["stays", "fixed", "renamed", "leaves"] {
        put(name, BROKEN);
    }
    put("comes", FINE);
    scene.audit(&["all", "--out", "before"]);
    put("fixed", FINE);
    put("comes", &format!("# moved\n{BROKEN}"));
    put("stays", &format!("# lines above do not matter\n\n{BROKEN}"));
    std::fs::remove_dir_all(scene.path("all/leaves")).expect("a folder");
    std::fs::remove_file(scene.path("all/renamed/train.py")).expect("a file");
    scene.put("all/renamed/run.py", FINE);
    let told = scene.audit(&["all", "--since", "before", "--out", "after"]);
    assert!(told.contains("since then: 1 new, 1 fixed, 2 gone, 0 unknown"), "{told}");
    assert_eq!(changes(&scene, "after"), ["comes new", "fixed fixed", "leaves gone", "renamed gone"]);
    let refusal = scene.refusal(&["all", "--since", "nowhere", "--out", "other"]);
    assert!(refusal.contains("nowhere"), "{refusal}");
}

#[test]
fn the_earlier_audit_may_be_that_of_the_same_folder() {
    let scene = Scene::new();
    scene.put("all/a/train.py", BROKEN);
    scene.put("all/b/train.py", FINE);
    scene.audit(&["all", "--out", "out"]);
    scene.put("all/a/train.py", FINE);
    scene.put("all/b/train.py", BROKEN);
    let told = scene.audit(&["all", "--since", "out", "--out", "out"]);
    assert!(told.contains("since then: 1 new, 1 fixed, 0 gone, 0 unknown"), "{told}");
    assert_eq!(changes(&scene, "out"), ["a fixed", "b new"]);
}

#[test]
fn tables_of_shards_are_compared_as_one_table_is() {
    let scene = Scene::new();
    let names = ["a", "b", "c", "d", "e", "f", "g", "h"];
    for name in names {
        scene.put(&format!("all/{name}/train.py"), BROKEN);
    }
    scene.audit(&["all", "--out", "whole"]);
    for shard in ["1/3", "2/3", "3/3"] {
        scene.audit(&["all", "--out", "shards", "--shard", shard]);
    }
    for name in names.iter().step_by(2) {
        scene.put(&format!("all/{name}/train.py"), FINE);
    }
    std::fs::remove_dir_all(scene.path("all/b")).expect("a folder");
    for (before, after) in [("whole", "of-whole"), ("shards", "of-shards")] {
        scene.audit(&["all", "--since", before, "--out", after]);
        assert_eq!(changes(&scene, after), ["a fixed", "b gone", "c fixed", "e fixed", "g fixed"], "{before}");
    }
}

/// Names of folders and files, and texts of messages, are what whoever made a repository says.
#[cfg(unix)]
#[test]
fn reports_show_what_changed_and_escape_it() {
    let scene = Scene::new();
    let hostile = "<img src=x onerror=alert(1)>\"'`${{ x }}";
    scene.put(&format!("all/{hostile}/<b>.py"), FINE);
    scene.put("all/left/a.py", BROKEN);
    scene.put("all/left/b.py", FINE);
    scene.audit(&["all", "--out", "before"]);
    let named = "import torch\n\nx = torch.zeros(2, 3)\ny = x @ torch.zeros(4, {'<i>': 5}['<i>'])  # <u>\n";
    scene.put(&format!("all/{hostile}/<b>.py"), named);
    scene.put("all/left/a.py", FINE);
    scene.audit(&["all", "--since", "before", "--out", "after"]);
    let read = |name: &str| std::fs::read_to_string(scene.path("after").join(name)).expect("a text");
    let page = read("report.html");
    assert!(page.contains("<p>1 new, 1 fixed, 0 gone, 0 unknown</p>"), "{page}");
    assert!(page.contains("href=\"report/changes-new-1.html#c0\""));
    let (new, fixed) = (read("report/changes-new-1.html"), read("report/changes-fixed-1.html"));
    assert!(new.contains("&lt;img src=x onerror=alert(1)&gt;") && new.contains("&lt;b&gt;.py:4:"), "{new}");
    assert!(fixed.contains("left</th>") && fixed.contains("a.py:4:5"), "{fixed}");
    for text in [&page, &new, &fixed] {
        assert!(["<img", "<b>", "<i>", "<u>"].iter().all(|part| !text.contains(part)), "{text}");
    }
    let summary = read("summary.md");
    assert!(summary.contains("Since the earlier audit: 1 new, 1 fixed, 0 gone, 0 unknown."), "{summary}");
    assert!(summary.contains("| `shape/mismatch` | 1 | 1 |  |  |"), "{summary}");
    scene.audit(&["all", "--out", "after"]);
    assert!(!scene.path("after/report/changes-new-1.html").exists() && !read("report.html").contains("earlier audit"));
}

#[test]
fn damaged_tables_of_an_earlier_audit_are_told() {
    let scene = Scene::new();
    scene.put("all/a/train.py", BROKEN);
    scene.audit(&["all", "--out", "before"]);
    let whole = std::fs::read(scene.path("before/findings.parquet")).expect("a table");
    for end in [4, whole.len() / 3, whole.len() - 9] {
        scene.put("before/findings.parquet", &whole[..end]);
        let refusal = scene.refusal(&["all", "--since", "before", "--out", "after"]);
        assert!(refusal.contains("findings.parquet cannot be read") && !refusal.contains("defect"), "{refusal}");
    }
}

#[test]
fn a_comparison_that_did_not_come_to_its_end_is_made_again() {
    let scene = Scene::new();
    scene.put("all/a/train.py", BROKEN);
    scene.put("all/b/train.py", FINE);
    scene.audit(&["all", "--out", "out"]);
    scene.put("all/a/train.py", FINE);
    scene.put("all/b/train.py", BROKEN);
    // Nothing takes the place of a folder that has something in it.
    scene.put("out/changes.parquet/there", "");
    let refusal = scene.refusal(&["all", "--since", "out", "--out", "out"]);
    assert!(refusal.contains("changes.parquet cannot be written"), "{refusal}");
    std::fs::remove_dir_all(scene.path("out/changes.parquet")).expect("a folder");
    let told = scene.audit(&["all", "--since", "out", "--out", "out"]);
    assert!(told.contains("since then: 1 new, 1 fixed, 0 gone, 0 unknown"), "{told}");
}
