//! `harp facts`, `harp graph`, `harp schema` and `harp rules`, as users run them.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const PROGRAM: &str = "\
import torch

D = torch.rand(8, 4)
A = torch.zeros(4, 3)
for step in range(10):
    B = D @ A
    print(\"a\\tb\", B.shape)
";

fn harp(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_harp"));
    command.args(arguments).current_dir(folder).output().expect("harp runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("main.py"), PROGRAM).expect("a file");
    folder
}

fn rows(folder: &Path, relation: &str) -> Vec<String> {
    let path = folder.join(format!("facts/{relation}.facts"));
    fs::read_to_string(path).expect("the relation is there").lines().map(str::to_owned).collect()
}

#[test]
fn facts_are_tables_with_readable_places() {
    let folder = project();
    let output = harp(folder.path(), &["facts", "main.py", "--output", "facts"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let rows = |relation: &str| rows(folder.path(), relation);
    assert_eq!(rows("loop"), ["main.py:5:1\trange"]);
    assert_eq!(rows("inside"), ["main.py:6:5\tmain.py:5:1", "main.py:7:5\tmain.py:5:1"]);
    assert_eq!(rows("trip_count"), ["main.py:5:1\t10"]);
    assert!(rows("call").contains(&"main.py:6:9-14\tmain.py:6:5\ttorch.matmul".to_owned()));
    assert!(rows("computation").contains(&"torch.matmul\tMatMul".to_owned()));
    assert!(rows("def").contains(&"main.py:6:5\tmain.py:B".to_owned()));
    assert!(rows("output_shape").iter().any(|row| row.ends_with("\t[8, 3]")));
    assert_eq!(rows("edge").iter().filter(|row| row.contains("main.py:6:9-14#")).count() % 2, 0);
    // A tab in a text does not become a column.
    assert!(rows("text").contains(&"main.py:7:11-17\t\"a\\tb\"".to_owned()), "{:?}", rows("text"));
}

#[test]
fn equal_input_gives_equal_bytes() {
    let folder = project();
    let json = |name: &str| {
        let output = harp(folder.path(), &["facts", "main.py", "--format", "json", "--output", name]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        fs::read(folder.path().join(name).join("facts.json")).expect("a document")
    };
    let (first, second) = (json("first"), json("second"));
    assert!(first == second);
    let document: serde_json::Value = serde_json::from_slice(&first).expect("JSON");
    assert_eq!(document["schema_version"], 1);
    assert_eq!(document["relations"]["loop"][0][1], "range");
    let drawing = || text(&harp(folder.path(), &["graph", "main.py"]).stdout);
    assert_eq!(drawing(), drawing());
}

#[test]
fn the_drawing_has_types_shapes_and_loops() {
    let folder = project();
    let output = harp(folder.path(), &["graph", "main.py", "--format", "dot", "--output", "graph.dot"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let drawing = fs::read_to_string(folder.path().join("graph.dot")).expect("a drawing");
    assert!(drawing.starts_with("digraph harp {"));
    assert!(drawing.contains("label=\"for step in range(10)  (main.py:5)\""));
    assert!(drawing.contains("MatMul\\ntorch.matmul\\nmain.py:6"));
    assert!(drawing.contains("[label=\"input: [8, 4]\"]"));
}

#[test]
fn the_schema_is_what_rules_are_compiled_against() {
    let folder = project();
    let schema = text(&harp(folder.path(), &["schema"]).stdout);
    assert!(schema.contains(".decl inside(s: Stmt, l: Loop)"));
    let json: serde_json::Value =
        serde_json::from_slice(&harp(folder.path(), &["schema", "--format", "json"]).stdout).expect("JSON");
    assert_eq!(json["relations"].as_array().map(Vec::len), Some(schema.matches("\n.decl ").count()));
}

#[test]
fn rules_are_listed_and_explained() {
    let folder = project();
    let list = text(&harp(folder.path(), &["rules"]).stdout);
    assert!(list.lines().any(|line| line.starts_with("shape/mismatch ") && line.contains("error")));
    let page = text(&harp(folder.path(), &["rules", "harp/loop-invariant"]).stdout);
    assert!(page.starts_with("# harp/loop-invariant"));
    let unknown = harp(folder.path(), &["rules", "harp/loop-invariants"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(text(&unknown.stderr).contains("did you mean `harp/loop-invariant`?"));
}

const MANIFEST: &str = "name = 'acme'\nversion = '1.0.0'\nschema_version = 1\nlicence = 'MIT'\n";

const RULE: &str = r#"
/// A product in a loop.
/// @id acme/product   @severity warning
/// @message "`{api}` runs in a loop, in `{code}`"
/// @at e   @related l "the loop"
.decl found(e: Expr, l: Loop, api: Api, code: Code)
found(e, l, api, code) :- call(e, s, api), inside(s, l), computation(api, "MatMul"), text(e, code).
"#;

fn pack(folder: &Path, rule: &str) {
    fs::create_dir_all(folder.join("pack/rules")).expect("a folder");
    fs::write(folder.join("pack/harp-pack.toml"), MANIFEST).expect("a file");
    fs::write(folder.join("pack/rules/product.dl"), rule).expect("a file");
}

#[test]
fn a_users_pack_finds_what_it_asks_for() {
    let folder = project();
    pack(folder.path(), RULE);
    let output = harp(folder.path(), &["check", "main.py", "--pack", "pack"]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let report = text(&output.stdout);
    assert!(report.contains("warning[acme/product]: `torch.matmul` runs in a loop, in `D @ A`"), "{report}");
    assert!(report.contains("the loop"), "{report}");
    let list = text(&harp(folder.path(), &["rules", "--pack", "pack"]).stdout);
    assert!(list.contains("acme/product"));
}

#[test]
fn the_rule_of_the_documentation_works() {
    let text_of = include_str!("../../docs/packs.md");
    let rule = text_of.split("```prolog\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a rule");
    let folder = project();
    fs::write(folder.path().join("main.py"), "import torch\nfor step in range(9):\n    x = torch.eye(3)\n")
        .expect("a file");
    pack(folder.path(), rule);
    let output = harp(folder.path(), &["check", "main.py", "--pack", "pack"]);
    assert!(
        text(&output.stdout).contains("warning[acme/created-in-loop]: `torch.eye` creates"),
        "{}",
        text(&output.stderr)
    );
}

#[test]
fn mistakes_in_a_pack_are_shown_and_the_rest_is_done() {
    let folder = project();
    let wrong = [
        (RULE.replace("inside(s, l)", "inside(s)"), "`inside` has 2 columns, not 1"),
        (RULE.replace("text(e, code)", "text(e, _)"), "`code` is not bound"),
        (
            format!("{RULE}.decl p(s: Stmt)\np(s) :- stmt(s, _, _), !q(s).\n.decl q(s: Stmt)\nq(s) :- p(s).\n"),
            "depends on the absence",
        ),
    ];
    fs::write(folder.path().join("bad.py"), "import torch\ntorch.rand(2, 3) @ torch.rand(2, 3)\n").expect("a file");
    for (rule, message) in wrong {
        pack(folder.path(), &rule);
        let output = harp(folder.path(), &["check", "bad.py", "--pack", "pack"]);
        assert_eq!(output.status.code(), Some(2));
        let errors = text(&output.stderr);
        assert!(errors.contains(message) && errors.contains("product.dl"), "{errors}");
        assert!(text(&output.stdout).contains("error[shape/mismatch]"));
    }
    let output = harp(folder.path(), &["facts", "no-such.py", "--output", "facts"]);
    assert_eq!(output.status.code(), Some(2));
}
