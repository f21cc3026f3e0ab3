//! Rows of relations as tables.

use std::fs::{self, File};
use std::process::Command;

use harp_tables::facts::{self, Value};
use harp_tables::rows::Status;

use crate::scene::{BROKEN, FINE, Scene, said};

/// A pack with a relation that joins what the schema has.
const MANIFEST: &str =
    "name = \"mine\"\nversion = \"1.0.0\"\nlicence = \"MIT\"\ndescription = \"Of a test\"\nschema_version = 1\n";
const RULES: &str = "\
.decl two_of(s: Stmt, repository: Stmt)
two_of(s, t) :- stmt(s, _, _), stmt(t, _, _).
.decl has_import()
has_import() :- stmt(_, \"import\", _).
.decl of_kind(count: number, kind: symbol)
of_kind(n, kind) :- stmt(_, kind, _), n = count : { stmt(_, kind, _) }.
";

fn four() -> Scene {
    let scene = Scene::new();
    scene.put("all/a/train.py", BROKEN);
    scene.put("all/b/sub/train.py", FINE);
    scene.put("all/c/train.py", BROKEN);
    scene.put("all/d/README.md", "nothing\n");
    scene.put("mine/harp-pack.toml", MANIFEST);
    scene.put("mine/rules/pairs.dl", RULES);
    scene
}

/// The rows of a table, each with its repository, as a query writes them.
fn rows(scene: &Scene, table: &str) -> Vec<(String, String)> {
    let text = |value: &Value| match value {
        Value::Text(text) => text.clone(),
        Value::Number(number) => number.to_string(),
    };
    let read = facts::read(File::open(scene.path(table)).expect("a table")).expect("a table of a relation");
    read.iter()
        .map(|(name, row)| (name.repository.clone(), row.iter().map(text).collect::<Vec<_>>().join(",")))
        .collect()
}

/// The rows that a query writes for a repository in `all`.
fn answers(scene: &Scene, repository: &str, query: &str) -> Vec<(String, String)> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_harp"));
    command.args(["query", query, ".", "--format", "csv", "--pack", "../../mine", "--isolated"]);
    let output = command.current_dir(scene.path(&format!("all/{repository}"))).output().expect("the program starts");
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(!text.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    text.lines().skip(1).map(|line| (repository.to_owned(), line.to_owned())).collect()
}

#[test]
fn rows_of_each_repository_are_those_of_a_query() {
    let scene = four();
    scene.audit(&["all", "--out", "without", "--pack", "mine"]);
    scene.audit(&[
        "all",
        "--out",
        "out",
        "--pack",
        "mine",
        "--facts",
        "mine/pairs.of_kind,call,two_of,has_import,on_line",
    ]);
    let tables =
        ["call", "has_import", "mine.pairs.of_kind", "on_line", "two_of"].map(|name| format!("{name}.parquet"));
    assert_eq!(scene.names("out/facts"), tables);
    for (table, query) in [
        ("call", "call(e, s, api)"),
        ("on_line", "on_line(s, file, line)"),
        ("two_of", "two_of(s, t)"),
        ("mine.pairs.of_kind", "of_kind(n, kind)"),
    ] {
        let expected = ["a", "b", "c"].map(|repository| answers(&scene, repository, query)).concat();
        assert_eq!(rows(&scene, &format!("out/facts/{table}.parquet")), expected, "{query}");
    }
    assert_eq!(rows(&scene, "out/facts/has_import.parquet").len(), 3, "it holds in each");
    assert_eq!(scene.findings("out/findings.parquet"), scene.findings("without/findings.parquet"));
    assert_eq!(scene.statuses("out"), scene.statuses("without"));
}

#[test]
fn rows_that_are_asked_for_later_are_made_once() {
    let scene = four();
    scene.audit(&["all", "--out", "out"]);
    assert!(!scene.path("out/facts").exists());
    let parts = |scene: &Scene| scene.names("out/parts").len();
    assert_eq!(parts(&scene), 2);
    scene.audit(&["all", "--out", "out", "--facts", "call,function"]);
    assert_eq!(parts(&scene), 4 + 1, "with the folder of rows");
    let (calls, kept) = (rows(&scene, "out/facts/call.parquet"), scene.names("out/parts/facts"));
    let path = |number: usize| scene.path("out/parts/facts").join(&kept[number]);
    let time = |number: usize| fs::metadata(path(number)).expect("a file").modified().expect("a time");
    let before = [0, 1, 2, 3].map(time);
    scene.audit(&["all", "--out", "out", "--facts", "function,call,call"]);
    assert_eq!([0, 1, 2, 3].map(time), before);
    // One is gone, and one is damaged; the files of a tree have its key before their names.
    for damage in [None, Some(&b"PAR1 and no more"[..])] {
        fs::remove_file(path(0)).expect("a file");
        damage.iter().for_each(|bytes| fs::write(path(0), bytes).expect("a file"));
        scene.audit(&["all", "--out", "out", "--facts", "call,function"]);
        assert_eq!(rows(&scene, "out/facts/call.parquet"), calls);
        assert_eq!([2, 3].map(time), before[2..], "of the other tree");
    }
}

#[test]
fn a_repository_that_failed_has_no_rows_until_it_is_tried_again() {
    let scene = four();
    let mut command = scene.command(&["all", "--out", "out", "--facts", "call"]);
    let output = command.env("HARP_FAULTS", "repository train.py").output().expect("the program starts");
    assert!(output.status.success(), "{}", said(&output));
    let found = |scene: &Scene| {
        let mut names: Vec<String> = rows(scene, "out/facts/call.parquet").into_iter().map(|(name, _)| name).collect();
        names.dedup();
        names
    };
    assert_eq!(found(&scene), ["b"]);
    scene.audit(&["all", "--out", "out", "--facts", "call"]);
    assert_eq!(found(&scene), ["b"]);
    scene.audit(&["all", "--out", "out", "--facts", "call", "--retry"]);
    assert_eq!(found(&scene), ["a", "b", "c"]);
}

#[test]
fn rows_beyond_the_bound_are_left_out_and_told() {
    let scene = four();
    let statements: String = (0..720).map(|number| format!("x = {number}\n")).collect();
    scene.put("all/large/train.py", statements);
    scene.audit(&["all", "--out", "out", "--pack", "mine", "--facts", "two_of"]);
    let (status, reason) = scene.statuses("out").remove("large").expect("a row");
    assert_eq!((status, reason.as_str()), (Status::Partial, "the table of `two_of` has 500000 of 518400 rows"));
    let rows = rows(&scene, "out/facts/two_of.parquet");
    assert_eq!(rows.iter().filter(|(name, _)| name == "large").count(), 500_000);
    assert_eq!(scene.statuses("out")["a"].0, Status::Ok);
}

#[test]
fn shards_have_tables_of_their_own() {
    let scene = four();
    let facts = ["--facts", "call"];
    scene.audit(&[&["all", "--out", "out"][..], &facts].concat());
    let whole = rows(&scene, "out/facts/call.parquet");
    let mut of_shards = Vec::new();
    for shard in ["1/2", "2/2"] {
        scene.audit(&[&["all", "--out", "shared", "--shard", shard][..], &facts].concat());
        of_shards.extend(rows(&scene, &format!("shared/facts/call-{}.parquet", shard.replace('/', "-of-"))));
    }
    of_shards.sort_by(|left, right| left.0.cmp(&right.0));
    assert_eq!(of_shards, whole);
}

#[test]
fn mistakes_are_told_before_anything_is_analysed() {
    let scene = four();
    for (facts, told) in [
        ("cal", "unknown relation `cal`"),
        ("function,cal", "did you mean `call`?"),
        ("nothing_like_it", "`harp schema` prints the relations"),
        ("called", "several files declare it"),
        ("mine/pairs.of_kind,mine.pairs.of_kind", "unknown relation `mine.pairs.of_kind`"),
    ] {
        let refusal = scene.refusal(&["all", "--out", "out", "--pack", "mine", "--facts", facts]);
        assert!(refusal.contains(told), "{facts}: {refusal}");
    }
    assert!(!scene.path("out").exists());
    for arguments in [&["all", "--list"][..], &["--stdin", "arrow", "--stdout", "arrow"]] {
        let refusal = scene.refusal(&[arguments, &["--facts", "call"]].concat());
        assert!(refusal.contains("cannot be used with '--facts"), "{refusal}");
    }
}
