//! A SARIF log for each repository.

use std::fs;

use serde_json::{Value, json};

use crate::scene::{BROKEN, FINE, Scene, said};

fn json_of(scene: &Scene, path: &str) -> Value {
    serde_json::from_str(&fs::read_to_string(scene.path(path)).expect("a file")).expect("JSON")
}

/// The repositories of an index, each with the path of its log.
fn logs(scene: &Scene, index: &str) -> Vec<(String, String)> {
    let index = json_of(scene, index);
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let rows = index["repositories"].as_array().expect("a list");
    rows.iter().map(|row| (text(&row["repository"]), format!("out/sarif/{}", text(&row["file"])))).collect()
}

fn four() -> Scene {
    let scene = Scene::new();
    scene.put("all/a/sub/train.py", BROKEN);
    scene.put("all/b/train.py", FINE);
    scene.put("all/c/sub/train.py", BROKEN);
    scene.put("all/d/README.md", "nothing\n");
    scene
}

#[test]
fn each_repository_has_a_log_and_equal_ones_share_it() {
    let scene = four();
    scene.audit(&["all", "--out", "out", "--sarif"]);
    let logs = logs(&scene, "out/sarif/index.json");
    assert_eq!(logs.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["a", "b", "c"]);
    assert_eq!((logs[0].1 == logs[2].1, logs[0].1 == logs[1].1), (true, false));
    let broken = &json_of(&scene, &logs[0].1)["runs"][0];
    assert_eq!(broken["results"][0]["ruleId"], "shape/mismatch");
    let place = &broken["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
    assert_eq!(place, "sub/train.py");
    let described = broken["tool"]["driver"]["rules"].as_array().expect("a list");
    assert_eq!(described.len(), 1, "the rules of its results");
    assert!(described[0]["help"]["markdown"].as_str().expect("its page").starts_with("# shape/mismatch"));
    let fine = &json_of(&scene, &logs[1].1)["runs"][0];
    assert_eq!((&fine["results"], &fine["invocations"][0]["executionSuccessful"]), (&json!([]), &json!(true)));
}

#[test]
fn logs_that_are_asked_for_later_are_made() {
    let scene = four();
    scene.audit(&["all", "--out", "out"]);
    let before = scene.findings("out/findings.parquet");
    assert!(!scene.path("out/sarif").exists());
    scene.audit(&["all", "--out", "out", "--sarif"]);
    assert_eq!(scene.findings("out/findings.parquet"), before);
    let log = &logs(&scene, "out/sarif/index.json")[1].1;
    let text = fs::read_to_string(scene.path(log)).expect("a log");
    fs::remove_file(scene.path(log)).expect("a log");
    scene.audit(&["all", "--out", "out", "--sarif"]);
    assert_eq!(fs::read_to_string(scene.path(log)).expect("it is made again"), text);
}

#[test]
fn an_analysis_that_failed_has_a_log_that_says_so() {
    let scene = four();
    let mut command = scene.command(&["all", "--out", "out", "--sarif"]);
    let output = command.env("HARP_FAULTS", "repository train.py").output().expect("the program starts");
    assert!(output.status.success(), "{}", said(&output));
    let run = &json_of(&scene, &logs(&scene, "out/sarif/index.json")[1].1)["runs"][0];
    assert_eq!(run["invocations"][0]["executionSuccessful"], false, "{run}");
    let told = &run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"];
    assert!(!told.as_str().expect("a reason").is_empty());
    assert_eq!(run["results"], json!([]));
}

#[test]
fn shards_have_an_index_each() {
    let scene = four();
    for shard in ["1/2", "2/2"] {
        scene.audit(&["all", "--out", "out", "--sarif", "--shard", shard]);
    }
    let count = |number: u32| logs(&scene, &format!("out/sarif/index-{number}-of-2.json")).len();
    assert_eq!(count(1) + count(2), 3);
}

#[test]
fn a_list_of_names_has_no_logs() {
    let refusal = four().refusal(&["all", "--list", "--sarif"]);
    assert!(refusal.contains("'--list' cannot be used with '--sarif'"), "{refusal}");
}
