//! The commands that answer questions about an analysis: `query`, `explain`, `why-not`, and `check --profile`.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::common::folder;
use serde_json::Value;
use tempfile::TempDir;

/// Two products that are the same in every iteration, of which a comment silences one; one that is changed later; and a mismatch.
const PROGRAM: &str = "\
import torch

D = torch.rand(512, 512)
X = torch.rand(512, 512)
A = torch.zeros(512, 512)
for i in range(100):
    A = A + D @ X
for i in range(100):
    Z = D @ X
    Z.add_(1)
for i in range(100):
    B = D @ X  # harp: ignore
torch.rand(2, 3) @ torch.rand(4, 5)
";

const MANIFEST: &str =
    "name = \"acme\"\nversion = \"1.0.0\"\nschema_version = 1\nlicence = \"MIT\"\ndescription = \"tests\"\n";

fn program() -> TempDir {
    folder(&[("main.py", PROGRAM)])
}

fn pack(rules: &str) -> TempDir {
    folder(&[("main.py", PROGRAM), ("acme/harp-pack.toml", MANIFEST), ("acme/rules/own.dl", rules)])
}

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_harp"));
    command.args(arguments).current_dir(folder).env_remove("NO_COLOR");
    command
}

/// Exit code, standard output, standard error.
fn harp(folder: &TempDir, arguments: &[&str]) -> (Option<i32>, String, String) {
    told(&command(folder.path(), arguments).output().expect("the program starts"))
}

fn harp_reading(folder: &TempDir, arguments: &[&str], input: &str) -> (Option<i32>, String, String) {
    let mut child = command(folder.path(), arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut pipe = child.stdin.take().expect("a pipe");
    // A program that refuses the rest closes the pipe.
    let _ = pipe.write_all(input.as_bytes());
    drop(pipe);
    told(&child.wait_with_output().expect("the program ends"))
}

fn told(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("output is UTF-8");
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[track_caller]
fn answered(folder: &TempDir, arguments: &[&str]) -> String {
    let (code, out, err) = harp(folder, arguments);
    assert_eq!((code, err.as_str()), (Some(0), ""), "{out}");
    out
}

/// The message of a run that fails with nothing on the standard output.
#[track_caller]
fn refused(folder: &TempDir, arguments: &[&str]) -> String {
    let (code, out, err) = harp(folder, arguments);
    assert_eq!((code, out.as_str()), (Some(2), ""), "{err}");
    err
}

#[track_caller]
fn contains(text: &str, part: &str) {
    assert!(text.contains(part), "`{part}` is not in:\n{text}");
}

// ---- query ----

#[test]
fn a_query_answers_with_places_and_their_source() {
    let folder = program();
    let out = answered(&folder, &["query", "inside(s, l), assigned(s, _, e), call(e, _, api)", "main.py"]);
    insta::assert_snapshot!(out, @r#"
    s                            l                                    e                           api
    main.py:7:5 `A = A + D @ X`  main.py:6:1 `for i in range(100):`   main.py:7:9-18 `A + D @ X`  torch.add
    main.py:9:5 `Z = D @ X`      main.py:8:1 `for i in range(100):`   main.py:9:9-14 `D @ X`      torch.matmul
    main.py:12:5 `B = D @ X`     main.py:11:1 `for i in range(100):`  main.py:12:9-14 `D @ X`     torch.matmul
    3 answers
    "#);
    let out = answered(&folder, &["query", "trip_count(l, n), n > 1000", "main.py"]);
    assert_eq!(out, "no answers\n");
    assert_eq!(answered(&folder, &["query", "loop(_, \"range\")", "main.py"]), "it holds\n");
    assert_eq!(answered(&folder, &["query", "loop(_, \"while\")", "main.py"]), "no answers\n");
}

#[test]
fn answers_are_sorted_by_their_places_and_cut_with_a_note() {
    let source: String = (0..30).map(|_| "for i in range(3):\n    x = 1\n").collect();
    let folder = folder(&[("b.py", &source), ("a.py", &source)]);
    let out = answered(&folder, &["query", "loop(l, _)", ".", "--limit", "32"]);
    let lines: Vec<&str> = out.lines().skip(1).map(|line| line.split(' ').next().unwrap_or("")).collect();
    assert_eq!(&lines[..6], ["a.py:1:1", "a.py:3:1", "a.py:5:1", "a.py:7:1", "a.py:9:1", "a.py:11:1"]);
    assert_eq!(lines[30], "b.py:1:1");
    contains(&out, "32 of 60 answers are shown; `--limit 0` shows all");
    contains(&answered(&folder, &["query", "loop(l, _)", ".", "--limit", "0"]), "60 answers");
    let (code, out, err) = harp(&folder, &["query", "loop(l, _)", ".", "--limit", "2", "--format", "csv"]);
    assert_eq!((code, out.as_str()), (Some(0), "l\r\na.py:1:1\r\na.py:3:1\r\n"));
    contains(&err, "2 of 60 answers");
}

#[test]
fn answers_come_as_json_and_csv() {
    let folder = program();
    let query = "trip_count(l, n), header(l, h)";
    let out = answered(&folder, &["query", query, "main.py", "--format", "json", "--assumptions"]);
    let json: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(json["columns"][0], serde_json::json!({"name": "l", "type": "Loop"}));
    assert_eq!(json["columns"][1], serde_json::json!({"name": "n", "type": "number"}));
    assert_eq!((&json["total"], &json["complete"]), (&serde_json::json!(3), &serde_json::json!(true)));
    let first = &json["rows"][0];
    assert_eq!(first["values"][0]["start"], serde_json::json!({"line": 6, "column": 1}));
    assert_eq!(first["values"][0]["source"], "for i in range(100):");
    assert_eq!(first["values"][1], 100);
    assert_eq!(first["assumptions"], serde_json::json!({"sets": [[]], "truncated": false}));
    let out = answered(&folder, &["query", "api = \"a,\\\"b\\\"\", loop(l, _)", "main.py", "--format", "csv"]);
    assert!(out.starts_with("api,l\r\n\"a,\"\"b\"\"\",main.py:6:1\r\n"), "{out}");
}

#[test]
fn variables_are_shown_with_their_names() {
    let folder = folder(&[("main.py", "def f(x):\n    return x\ny = f(1)\n")]);
    let out = answered(&folder, &["query", "use(s, v), stmt(s, \"return\", _)", "main.py"]);
    contains(&out, "main.py:1:1:x `x`");
    let out = answered(&folder, &["query", "def(s, v)", "main.py"]);
    contains(&out, "main.py:y `y`");
}

#[test]
fn the_form_has_one_name_in_all_commands_and_another_beside_it() {
    let folder = program();
    for arguments in [
        &["check", "main.py"][..],
        &["query", "loop(l, k)", "main.py"],
        &["explain", "shape/mismatch@main.py:13", "main.py"],
        &["rules"],
        &["schema"],
    ] {
        let told = |option| harp(&folder, &[arguments, &[option, "json"]].concat());
        let (_, out, _) = told("--format");
        assert!(serde_json::from_str::<Value>(&out).is_ok(), "{arguments:?}: {out}");
        assert_eq!(told("--format"), told("--output-format"));
    }
}

#[test]
fn assumptions_are_shown_where_they_are_asked_for() {
    let folder = folder(&[("main.py", "def f(n):\n    for i in range(n):\n        g(i)\n")]);
    let out = answered(&folder, &["query", "runs_often(l)", "main.py", "--assumptions"]);
    contains(&out, "\n    assumes that the loop runs more than 5 times");
    let out = answered(&folder, &["query", "loop(l, _)", "main.py", "--assumptions"]);
    contains(&out, "\n    certain\n");
    assert!(!answered(&folder, &["query", "runs_often(l)", "main.py"]).contains("assumes"));
}

#[test]
fn a_query_of_rules_reads_the_relations_of_packs() {
    let rules = "/// A loop.\n/// @id acme/loop @severity note @message \"a loop\" @at l\n.decl found(l: Loop)\n\
                 found(l) :- twofold(l).\n.decl twofold(l: Loop)\ntwofold(l) :- loop(l, _).\n.decl candidate(l: Loop)\n\
                 candidate(l) :- loop(l, _).\n";
    let folder = pack(rules);
    let ask = |query: &str| harp(&folder, &["query", query, "main.py", "--pack", "acme"]);
    contains(&ask("twofold(l)").1, "3 answers");
    contains(&ask("q(l) :- acme/own.twofold(l), harp/loop-invariant.candidate(l).").1, "3 answers");
    let (code, _, err) = ask("candidate(l)");
    assert_eq!(code, Some(2), "two files declare it");
    contains(&err, "unknown relation `candidate`");
    let (code, _, err) = ask("acme/own.twofald(l)");
    assert_eq!(code, Some(2));
    contains(&err, "did you mean `acme/own.twofold`?");
    let recursive = "after(s, t) :- next(s, t). after(s, t) :- after(s, u), next(u, t). q(s) :- after(s, _).";
    contains(&ask(recursive).1, "main.py:3:1 `D = torch.rand(512, 512)`");
}

#[test]
fn mistakes_in_a_query_are_shown() {
    let folder = program();
    let ask = |query: &str| refused(&folder, &["query", query, "main.py"]);
    insta::assert_snapshot!(ask("loop(l, k), lop(k)"), @r#"
    error: unknown relation `lop`
     --> query:1:13
      |
    1 | loop(l, k), lop(k)
      |             ^^^ not declared
      |
      = help: did you mean `loop`?
    "#);
    contains(&ask(""), "the query is empty");
    contains(&ask("loop(l)"), "`loop` has 2 columns, not 1");
    contains(&ask("!loop(l, \"for\")"), "the variable `l` is not bound");
    contains(&ask("loop(l, \"a"), "the string does not end");
    contains(&ask(".decl q(l: Loop)"), "the query has no rules");
    contains(&refused(&folder, &["query", "loop(l, _)", "none.py"]), "no such file or folder: none.py");
}

#[test]
fn a_relation_of_a_query_that_depends_on_its_own_absence_is_refused() {
    let err = refused(&program(), &["query", "q(x) :- call(x, _, _), !q(x).", "main.py"]);
    contains(&err, "`q` depends on the absence of itself");
}

#[test]
fn warnings_speak_of_the_query() {
    let query = "stmt(a,_,_), stmt(b,_,_), stmt(c,_,_), stmt(d,_,_), stmt(e,_,_), stmt(f,_,_), stmt(g,_,_)";
    let (code, _, err) = harp(&program(), &["query", query, "main.py", "--limit", "1", "--time-limit", "0"]);
    assert_eq!(code, Some(0));
    contains(&err, "warning: the query multiplies unrelated rows");
}

#[test]
fn a_query_of_a_megabyte_is_bounded() {
    let folder = program();
    let ask = |query: &str| harp_reading(&folder, &["query", "-", "main.py"], query);
    assert_eq!(ask("loop(_, \"range\")\n").1, "it holds\n");
    let (code, out, err) = ask(&"loop(l, _), ".repeat(80_000));
    assert_eq!((code, out.as_str()), (Some(2), ""));
    contains(&err, "too large");
    assert!(err.len() < 10_000, "{} bytes", err.len());
    let (code, _, err) = ask(&"a".repeat(1_000_000));
    assert_eq!(code, Some(2));
    assert!(err.len() < 10_000, "{} bytes", err.len());
    assert_eq!(ask(&format!("header(_, \"{}\")", "a".repeat(1_000_000))).1, "no answers\n");
    let (code, _, err) = ask(&format!("loop(_, \"{}\")", "a".repeat(1_000_000)));
    assert_eq!(code, Some(2));
    assert!(err.len() < 10_000, "{} bytes", err.len());
    let (code, _, err) = ask(&" ".repeat(2_000_000));
    assert_eq!(code, Some(2));
    contains(&err, "longer than 1048576 bytes");
}

#[test]
fn terminal_escapes_never_come_through() {
    let source = "import torch\nfor i in range(100):\n    x = '\u{1b}[31m\u{202e}'\n    torch.rand(2, 3) @ torch.rand(4, 5); '\u{9b}2J'\n";
    let folder = folder(&[("a\u{1b}[31m.py", source)]);
    for arguments in [
        &["query", "assigned(s, v, e), text(e, c)", "."][..],
        &["query", "assigned(s, v, e), text(e, c)", ".", "--format", "csv"],
        &["query", "assigned(s, v, e), text(e, c)", ".", "--format", "json"],
        &["query", "x = \"\u{1b}[31m\"", "."],
        &["query", "x = \u{1b}[31m", "."],
        &["explain", "a\u{1b}[31m.py:4", "."],
        &["explain", "a\u{1b}[31m.py:1", "."],
        &["explain", "shape/mismatch@b\u{1b}[31m.py:4", "."],
        &["explain", "\u{1b}[31m", "."],
        &["explain", "a\u{1b}[31m.py:4", ".", "--format", "json"],
        &["why-not", "shape/mismatch", "a\u{1b}[31m.py:4", "."],
        &["why-not", "harp/loop-invariant", "a\u{1b}[31m.py:4", "."],
        &["why-not", "harp/loop-invariant", "a\u{1b}[31m.py:1"],
        &["why-not", "harp/\u{1b}[31m", "a\u{1b}[31m.py:1"],
        &["check", ".", "--profile", "--verbose"],
    ] {
        let (_, out, err) = harp(&folder, arguments);
        assert!(!out.contains('\u{1b}') && !err.contains('\u{1b}'), "{arguments:?}\n{out:?}\n{err:?}");
        assert!(arguments.contains(&"json") || !out.contains(['\u{9b}', '\u{202e}']), "{arguments:?}\n{out:?}");
    }
}

// ---- explain ----

#[test]
fn a_finding_is_explained_down_to_the_facts() {
    let folder = folder(&[("main.py", "import torch\ntorch.rand(2, 3) @ torch.rand(4, 5)\n")]);
    insta::assert_snapshot!(answered(&folder, &["explain", "main.py:2", "main.py"]), @r#"
    error[shape/mismatch]: `input` [2, 3] and `other` [4, 5] cannot be multiplied: the last dimension of `input` is 3, but the second-last dimension of `other` is 4
     --> main.py:2:1
      |
    2 | torch.rand(2, 3) @ torch.rand(4, 5)
      | ----------------^^^----------------
      | |                  |
      | |                  `other` is [4, 5], from torch.rand
      | `torch.matmul` fails here
      | `input` is [2, 3], from torch.rand
      |
      = help: `torch.rand(2, 3)` would have to be [2, 4]

    fingerprint: 1bbe2f252940a52ba22d86ee0a1edcab
    why (places without a file are in main.py):
      mismatch(2:1-36 `torch.rand(2, 3) @ torch.rand(4, 5)`, "`input` [2, 3] and `other` [4, 5] cannot be multiplied: the…")  [rules/shape/rules/mismatch.dl:6]
      ├─ violated(2:1-36 `torch.rand(2, 3) @ torch.rand(4, 5)`)  given
      ├─ requirement(2:1-36 `torch.rand(2, 3) @ torch.rand(4, 5)`, "torch.matmul", "`input` [2, 3] and `other` [4, 5] cannot be multiplied: the…")  given
      └─ requirement_about(2:1-36 `torch.rand(2, 3) @ torch.rand(4, 5)`, "operands")  given
    it rests on no assumption
    "#);
}

#[test]
fn proofs_show_rules_negations_comparisons_and_assumptions() {
    let out = answered(&program(), &["explain", "harp/loop-invariant@main.py:7", "main.py"]);
    for part in [
        "why (places without a file are in main.py):\n  invariant(7:13-18 `D @ X`, 6:1 `for i in range(100):`, ",
        "[rules/harp/rules/loop-invariant.dl:",
        "work(7:13-18 `D @ X`, 134217728)  given",
        "n >= 100000, with n = 134217728",
        "no varies_expr(7:13-18 `D @ X`, 6:1 `for i in range(100):`)",
        "(shown above)",
        "it rests on:\n  assumes that `D @ X` is not changed in the loop through another name",
    ] {
        contains(&out, part);
    }
}

#[test]
fn alternatives_of_assumptions_are_listed_and_a_cut_is_told() {
    let rules = "/// A loop.\n/// @id acme/loop @severity note @message \"a loop\" @at l\n.decl found(l: Loop)\n\
                 found(l) :- loop(l, _), runs_often(_).\n";
    let loops = |count: usize| "def f(n):\n".to_owned() + &"    for i in range(n):\n        g(i)\n".repeat(count);
    for (count, truncated) in [(2, false), (12, true)] {
        let source = loops(count);
        let folder =
            folder(&[("main.py", source.as_str()), ("acme/harp-pack.toml", MANIFEST), ("acme/rules/own.dl", rules)]);
        let out = answered(&folder, &["explain", "main.py:2", "main.py", "--pack", "acme"]);
        contains(
            &out,
            &format!("it rests on any one of {} sets of assumptions:\n  1. assumes that the loop", count.min(8)),
        );
        assert_eq!(out.contains("there may be further or smaller sets"), truncated, "{out}");
    }
}

#[test]
fn a_finding_is_named_by_its_fingerprint() {
    let folder = program();
    let (_, report, _) = harp(&folder, &["check", "main.py", "--format", "json"]);
    let report: Value = serde_json::from_str(&report).expect("JSON");
    let fingerprint = report["findings"][0]["fingerprint"].as_str().expect("a fingerprint").to_owned();
    for digits in [4, 8, 32] {
        let out = answered(&folder, &["explain", &fingerprint[..digits], "main.py"]);
        contains(&out, &format!("fingerprint: {fingerprint}"));
    }
    contains(&answered(&folder, &["explain", &fingerprint.to_uppercase(), "main.py"]), &fingerprint);
    contains(&refused(&folder, &["explain", "abc", "main.py"]), "too short");
    let unknown = refused(&folder, &["explain", "00000000", "main.py"]);
    contains(&unknown, "no finding has a fingerprint that begins with `00000000`");
    contains(&unknown, &fingerprint[..8]);
    let (_, text, _) = harp(&folder, &["check", "main.py"]);
    contains(&text, &format!("`harp explain {} main.py` shows why", &fingerprint[..8]));
    // What is typed again is what was typed.
    let (_, text, _) = harp(&folder, &["check"]);
    let line = text.lines().last().expect("a line");
    assert!(
        line.starts_with("`harp explain ")
            && line.contains("` shows why; `harp rules ")
            && line.split(' ').count() == 11,
        "{line}"
    );
    assert!(!text.contains("fingerprint:"));
    let (_, text, _) = harp(&folder, &["check", "main.py", "--verbose"]);
    contains(&text, &format!("\nfingerprint: {}\n", &fingerprint[..8]));
}

#[test]
fn places_without_findings_list_the_nearest() {
    let folder = program();
    let near = refused(&folder, &["explain", "main.py:5", "main.py"]);
    contains(&near, "there is no finding at main.py:5");
    let lines: Vec<&str> = near.lines().filter(|line| line.contains("note:")).collect();
    assert!(lines[0].contains("harp/loop-invariant  main.py:7:13"), "{near}");
    let none = refused(&folder, &["explain", "shape/possible@main.py:13", "main.py"]);
    contains(&none, "there is no finding of `shape/possible` at main.py:13");
    contains(&none, "`harp why-not shape/possible main.py:13`");
    contains(&refused(&folder, &["explain", "main.py:99", "main.py"]), "main.py has 13 lines, and no line 99");
    contains(&refused(&folder, &["explain", "other.py:1", "main.py"]), "no file other.py was analysed");
    contains(&refused(&folder, &["explain", "shape/mismach@main.py:13", "main.py"]), "did you mean `shape/mismatch`?");
    contains(&refused(&folder, &["explain", "nonsense", "main.py"]), "no such finding: `nonsense`");
    contains(&refused(&folder, &["explain", "main.py:7", "none.py"]), "no such file or folder: none.py");
}

#[test]
fn silenced_findings_and_those_without_rules_are_explained_too() {
    let out = answered(&program(), &["explain", "main.py:12", "main.py"]);
    contains(&out, "suppressed: a comment `# harp: ignore` at its statement keeps it out of the report");
    let broken = folder(&[("main.py", "x = )\n")]);
    contains(&answered(&broken, &["explain", "syntax-error@main.py:1", "main.py"]), "no rule is involved");
}

#[test]
fn explanations_come_as_json() {
    let out = answered(&program(), &["explain", "shape/mismatch@main.py:13", "main.py", "--format", "json"]);
    let json: Value = serde_json::from_str(&out).expect("JSON");
    let finding = &json["findings"][0];
    assert_eq!(finding["rule"], "shape/mismatch");
    assert_eq!(finding["silenced"], Value::Null);
    let proof = &finding["proofs"][0]["proof"];
    assert_eq!((&proof["relation"], &proof["cut"]), (&"mismatch".into(), &false.into()));
    assert_eq!(proof["rule"]["file"], "rules/shape/rules/mismatch.dl");
    assert_eq!(proof["row"][0]["value"]["start"]["line"], 13);
    assert_eq!(proof["premises"][0]["relation"], "violated");
    assert_eq!(finding["proofs"][0]["assumptions"]["truncated"], false);
}

// ---- why-not ----

#[test]
fn what_a_rule_lacks_is_followed_through_its_helpers() {
    let folder = program();
    insta::assert_snapshot!(answered(&folder, &["why-not", "harp/loop-invariant", "main.py:9"]), @r#"
    harp/loop-invariant finds nothing at main.py:9
    not for p = 9:9-14 `D @ X`:
      [rules/harp/rules/loop-invariant.dl:89] after 2 of 4 literals fails at `!changed_later(p, l)`, with p = 9:9-14 `D @ X`, l = 8:1 `for i in range(100):`, place = 9:5 `Z = D @ X`, new = "", first = "Z = D @ X", why = ""
        for this is there:
          changed_later(9:9-14 `D @ X`, 8:1 `for i in range(100):`)  [rules/harp/rules/loop-invariant.dl:48]
          ├─ assigned(9:5 `Z = D @ X`, `Z`, 9:9-14 `D @ X`)  given
          └─ mutated_in(`Z`, 8:1 `for i in range(100):`)  given
    as early or earlier it fails for 9:9-10 `D`, 9:13-14 `X`
    FILE:LINE:COLUMN asks about what begins there
    "#);
    let out = answered(&folder, &["why-not", "harp/vectorisable-loop", "main.py:6"]);
    contains(&out, "elementwise_loop(6:1 `for i in range(100):`, _) is not among the facts");
    let out = answered(&folder, &["why-not", "shape/mismatch", "main.py:7"]);
    contains(&out, "no `Requirement` of the relations that the rules read is there");
}

#[test]
fn why_not_has_an_answer_for_programs() {
    let folder = program();
    let asked = |rule: &str, place: &str| -> serde_json::Value {
        let out = answered(&folder, &["why-not", rule, place, "--format", "json"]);
        serde_json::from_str(&out).expect("JSON")
    };
    let missing = asked("harp/loop-invariant", "main.py:9");
    assert_eq!((&missing["line"], &missing["complete"]), (&9.into(), &true.into()));
    assert_eq!(missing["subject"]["value"]["source"], "D @ X");
    let attempt = &missing["attempts"][0];
    assert_eq!((&attempt["outcome"], &attempt["literal"]), (&"fails".into(), &"!changed_later(p, l)".into()));
    assert_eq!(attempt["reason"]["proof"]["relation"], "changed_later");
    let given = asked("harp/vectorisable-loop", "main.py:6");
    let reason = &given["attempts"][0]["reason"];
    assert_eq!((&reason["kind"], &reason["given"]), (&"no-row".into(), &true.into()));
    let nothing = asked("shape/mismatch", "main.py:7");
    assert_eq!((&nothing["subject"], &nothing["attempts"]), (&serde_json::Value::Null, &serde_json::json!([])));
}

#[test]
fn the_literal_that_fails_is_the_first_in_the_order_of_the_rule() {
    let rules = "/// Calls in loops.\n/// @id acme/called @severity note @message \"{api}\" @at e\n\
                 .decl called(e: Expr, api: Api)\n\
                 called(e, api) :- inside(s, l), call(e, s, api), !conditional(s, l), stmt(s, _, _).\n";
    let folder = pack(rules);
    let text = "import torch\nfor i in range(9):\n    a = torch.eye(3)\n    if i > 2:\n        b = torch.rand(3)\nc = torch.rand(3)\n";
    fs::write(folder.path().join("main.py"), text).expect("a file can be written");
    let why = |place| answered(&folder, &["why-not", "acme/called", place, "main.py", "--pack", "acme"]);
    // A negation is not tried before the literal that it stands behind, however early its variables have values.
    let out = why("main.py:5:13");
    contains(&out, "after 2 of 4 literals fails at `!conditional(s, l)`");
    contains(&out, "s = 5:9 `b = torch.rand(3)`");
    // What literals before it chose is not told where another choice would not help.
    let out = why("main.py:6:5");
    contains(&out, "call(6:5-18 `torch.rand(3)`, ");
    let out = why("main.py:6:16");
    contains(&out, "call(6:16-17 `3`, _, _) is not among the facts");
}

#[test]
fn chains_of_rules_do_not_wander_to_the_right() {
    let mut rules =
        "/// Loops.\n/// @id acme/loops @severity note @message \"m\" @at l\n.decl r0(l: Loop)\n".to_owned();
    for number in 1..6 {
        rules += &format!("r{}(l) :- r{number}(l).\n.decl r{number}(l: Loop)\n", number - 1);
    }
    rules += "r5(l) :- over_batches(l).\n";
    let out = answered(&pack(&rules), &["why-not", "acme/loops", "main.py:6", "main.py", "--pack", "acme"]);
    let last = out.lines().find(|line| line.contains("is not among the facts")).expect("a fact that is missing");
    assert_eq!(last.len() - last.trim_start().len(), 14, "{out}");
}

#[test]
fn findings_that_are_there_or_silenced_are_told() {
    let folder = program();
    let out = answered(&folder, &["why-not", "harp/loop-invariant", "main.py:7", "main.py"]);
    contains(&out, "harp/loop-invariant is found at main.py:7:13");
    contains(&out, "`harp explain harp/loop-invariant@main.py:7:13` shows why");
    let out = answered(&folder, &["why-not", "harp/loop-invariant", "main.py:12", "."]);
    contains(&out, "but a comment `# harp: ignore` at its statement keeps it out of the report");
    fs::write(folder.path().join("harp.toml"), "ignore = ['shape']\n").expect("a file can be written");
    let out = answered(&folder, &["why-not", "shape/mismatch", "main.py:13"]);
    contains(&out, "but the configuration keeps it out of the report");
}

#[test]
fn why_not_refuses_what_is_not_there() {
    let folder = program();
    contains(&refused(&folder, &["why-not", "harp/loop-invarant", "main.py:9"]), "did you mean `harp/loop-invariant`?");
    contains(&refused(&folder, &["why-not", "loop-invariant", "main.py:9"]), "did you mean `harp/loop-invariant`?");
    contains(
        &refused(&folder, &["why-not", "shape", "main.py:9"]),
        "`shape` is a pack; its rules are `shape/annotation`, `shape/mismatch`, ",
    );
    contains(&refused(&folder, &["rules", "answer/unused"]), "Harp itself reports this");
    contains(&refused(&folder, &["why-not", "harp/loop-invariant", "main.py:99"]), "main.py has 13 lines");
    contains(&refused(&folder, &["why-not", "harp/loop-invariant", "main.py"]), "`main.py` is not a location");
    contains(&refused(&folder, &["why-not", "harp/loop-invariant", "none.py:3"]), "no such file or folder: none.py");
}

#[test]
fn own_rules_are_asked_like_built_in_ones() {
    let rules = "/// Long loops.\n/// @id acme/long @severity note @message \"{n}\" @at l\n.decl long(l: Loop, n: number)\n\
                 long(l, n) :- trips(l, n), n > 1000.\n.decl trips(l: Loop, n: number)\n\
                 trips(l, n) :- trip_count(l, n), !leaves_early(l).\n";
    let folder = pack(rules);
    let out = answered(&folder, &["why-not", "acme/long", "main.py:6", "main.py", "--pack", "acme"]);
    contains(&out, "[acme/rules/own.dl:4] after 1 of 2 literals fails at `n > 1000`");
    contains(&out, "n = 100");
    fs::write(folder.path().join("acme/rules/own.dl"), rules.replace("trips(l, n), n", "trips(l), n"))
        .expect("written");
    let (code, out, err) = harp(&folder, &["why-not", "acme/long", "main.py:6", "main.py", "--pack", "acme"]);
    assert_eq!((code, out.as_str()), (Some(2), ""));
    contains(&err, "`trips` has 2 columns, not 1");
    contains(&err, "there is no rule `acme/long`");
}

// ---- check ----

#[test]
fn a_profile_is_beside_the_report() {
    let folder = program();
    let plain = harp(&folder, &["check", "main.py"]);
    let (code, out, err) = harp(&folder, &["check", "main.py", "--profile"]);
    assert_eq!((code, out.as_str()), (plain.0, plain.1.as_str()));
    for part in
        ["rows  looked at  runs  stratum  rule\n", "around (rules/harp/rules/loop-invariant.dl:", " strata took "]
    {
        contains(&err, part);
    }
    for phase in ["parsing", "executing", "facts", "rules", "report"] {
        contains(&err, &format!(" ms  {phase}\n"));
    }
    let json = |arguments: &[&str]| -> Value {
        let (_, out, err) = harp(&folder, &[&["check", "main.py", "--format", "json"], arguments].concat());
        assert_eq!(err, "");
        serde_json::from_str(&out).expect("JSON")
    };
    assert!(json(&[]).get("profile").is_none());
    let profile = &json(&["--profile"])["profile"];
    assert!(profile["rules"].as_array().is_some_and(|rules| rules.len() > 40), "{profile}");
    assert_eq!(profile["phases"][0]["phase"], "parsing");
}

#[test]
fn warnings_of_rules_are_shown_once_with_their_place() {
    let rules = "/// A statement.\n/// @id acme/statement @severity note @message \"m\" @at s\n.decl found(s: Stmt)\n\
                 found(s) :- stmt(s, _, _), !endless(5), !never(s).\n.decl never(s: Stmt)\n.decl endless(n: number)\n\
                 endless(0).\nendless(n + 1) :- endless(n).\n";
    let folder = pack(rules);
    let (code, out, err) = harp(&folder, &["check", "main.py", "--pack", "acme", "--verbose"]);
    assert_eq!(code, Some(1), "warnings do not change it:\n{err}");
    contains(&err, "warning: `never` has no rules\n --> acme/rules/own.dl:5:7");
    contains(&err, "warning: the rule endless (acme/rules/own.dl:8) was stopped");
    contains(&err, "--> acme/rules/own.dl:8:1");
    contains(&err, "endless(n + 1) :- endless(n).\n  | ^^^^");
    contains(&err, "warning: the rule found (acme/rules/own.dl:4) was not evaluated");
    for part in ["`never` has no rules", "the rule endless (", "was not evaluated"] {
        assert_eq!(err.matches(part).count(), 1, "{err}");
    }
    contains(&out, "limits that were reached:\n  the rule endless (acme/rules/own.dl:8) was stopped");
    let (code, out, err) = harp(&folder, &["query", "acme/own.endless(n), n < 3", "main.py", "--pack", "acme"]);
    assert_eq!(code, Some(0));
    contains(&err, "was stopped");
    contains(&out, "there may be more: a rule was stopped");
}

#[test]
fn answers_are_the_same_for_the_same_input() {
    let folder = program();
    for arguments in [
        &["query", "part(e, f), expr_stmt(f, s)", "main.py", "--assumptions"][..],
        &["explain", "main.py:7", "main.py"],
        &["why-not", "harp/loop-invariant-sum", "main.py:7", "main.py"],
    ] {
        let run = |threads| harp(&folder, &[arguments, &["--threads", threads]].concat());
        assert_eq!(run("1"), run("2"));
    }
}
