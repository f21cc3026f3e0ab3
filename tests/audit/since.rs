//! What is new, fixed and gone between two audits.

use crate::scene::{BROKEN, FINE, Scene};

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
    let changes =
        harp_tables::changes::read_changes(std::fs::File::open(scene.path("after/changes.parquet")).expect("a table"));
    let changes: Vec<String> = changes
        .expect("a table of changes")
        .into_iter()
        .map(|(change, told)| format!("{} {}", told.repository, change.as_str()))
        .collect();
    assert_eq!(changes, ["comes new", "fixed fixed", "leaves gone", "renamed gone"]);
    let refusal = scene.refusal(&["all", "--since", "nowhere", "--out", "other"]);
    assert!(refusal.contains("nowhere"), "{refusal}");
}
