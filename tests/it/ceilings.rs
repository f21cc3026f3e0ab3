//! Memory, steps and time have ceilings that hold: what runs out is told, and what was found until then is reported.

use std::process::{Command, Output};

use crate::common::folder;

const WRONG: &str = "import torch\ntorch.rand(2, 3) @ torch.rand(4, 5)\n";
/// Has an error at its beginning, and then takes more and more, in no loop that could be cut.
fn eater() -> String {
    let begin = "import torch\ntorch.rand(2, 3) @ torch.rand(6, 7)\nitems = []\n";
    begin.to_owned() + &"items.append([1] * 1000)\n".repeat(3_900)
}

fn harp(files: &[(&str, &str)], arguments: &[&str]) -> (Option<i32>, String, String) {
    let folder = folder(files);
    let mut command = Command::new(env!("CARGO_BIN_EXE_harp"));
    let Output { status, stdout, stderr } =
        command.args(arguments).current_dir(folder.path()).output().expect("the program starts");
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("output is UTF-8");
    (status.code(), text(&stdout), text(&stderr))
}

#[track_caller]
fn contains(text: &str, part: &str) {
    assert!(text.contains(part), "`{part}` is not in:\n{text}");
}

#[test]
fn an_entry_that_eats_memory_ends_and_the_others_are_followed() {
    let eater = eater();
    let files = [("a.py", eater.as_str()), ("b.py", "import a\nx = 1\n"), ("wrong.py", WRONG)];
    let arguments = ["check", ".", "--memory", "100MiB", "--verbose"];
    let (code, out, err) = harp(&files, &arguments);
    assert_eq!(code, Some(1), "{err}");
    contains(&out, "--> a.py:2");
    contains(&out, "--> wrong.py:2");
    contains(&out, "module a: stopped at the memory limit (`--memory`)");
    contains(&out, "module b: stopped at the memory limit (`--memory`)");
    assert_eq!(harp(&files, &arguments).1, out, "what runs out does not depend on chance");
}

/// Each statement reads what the one before assigns: half a million pairs and more.
const LONG_CHAIN: usize = 1_400;

#[test]
fn a_relation_of_very_many_rows_is_cut_and_told() {
    let chain = format!("import torch\nx = torch.rand(2)\n{}", "x = x + 1\n".repeat(LONG_CHAIN));
    let most = 500_000 + 20 * chain.len();
    let folder = folder(&[("a.py", &chain)]);
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_harp"));
        command.args(arguments).current_dir(folder.path()).output().expect("the program starts")
    };
    let output = run(&["facts", "a.py", "--output", "out"]);
    assert_eq!(output.status.code(), Some(2));
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    contains(&err, &format!("the rows of `flows` beyond the first {most} are left out: rows ran out"));
    let rows = |name: &str| {
        let path = folder.path().join(format!("out/{name}.facts"));
        std::fs::read_to_string(path).expect("the file is there").lines().count()
    };
    assert_eq!(rows("flows"), most);
    assert_eq!(rows("reaching"), LONG_CHAIN + 1);
    let output = run(&["query", "flows(a, b)", "a.py", "--limit", "1", "--format", "json"]);
    assert_eq!(output.status.code(), Some(2));
    let answers: serde_json::Value = serde_json::from_slice(&output.stdout).expect("the output is JSON");
    assert_eq!((&answers["complete"], &answers["total"]), (&serde_json::json!(false), &serde_json::json!(most)));
}

#[test]
fn making_and_writing_relations_keeps_to_the_ceilings() {
    let depth = 90;
    let loops: String = (0..depth).map(|it| format!("{}for i in range(2):\n", " ".repeat(it))).collect();
    let nested = format!("import torch\n{loops}{}torch.rand(2, 3) @ torch.rand(4, 5)\n", " ".repeat(depth));
    let folder = folder(&[("a.py", &nested), ("eater.py", &eater())]);
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_harp"));
        let output = command.args(arguments).current_dir(folder.path()).output().expect("the program starts");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (_, err) = run(&["facts", "eater.py", "--output", "out", "--format", "json", "--memory", "90MiB"]);
    contains(&err, "memory");
    let (code, err) = run(&["facts", "a.py", "--output", "out", "--format", "json", "--time-limit", "0"]);
    assert_eq!(code, Some(2), "{err}");
    contains(&err, "are left out: time ran out");
    let mut names = std::fs::read_dir(folder.path()).expect("a folder").flatten().map(|entry| entry.file_name());
    assert!(!names.any(|name| name.to_string_lossy().ends_with(".tmp")), "no half-written folder stays");
    if let Ok(text) = std::fs::read_to_string(folder.path().join("out/facts.json")) {
        serde_json::from_str::<serde_json::Value>(&text).expect("a file that is there is complete");
    }
    let (_, err) = run(&["facts", "a.py", "--output", "few", "--steps", "1000"]);
    contains(
        &err,
        "the analysis did not reach the end of every entry point (module a: stopped at the step limit (`--effort high` or `--steps`))",
    );
    let (_, err) = run(&["graph", "a.py", "--time-limit", "0"]);
    contains(&err, "(module a: stopped at the time limit (`--time-limit`))");
}

/// What its loops leave holds on ways of hundreds of decisions, many of which stand for several such ways themselves.
const LONG_WAYS: &str = r#"import torch
            x = x.permute(a.b, k)
        for i in range(x.shape[0]):
            for _ in range(m):
                for n in range(2**31-1):
                    if x.sum() > 0:
                        xs = xs + xs; n = n * 2; x = torch.cat([x, x], 2**32)
                        match x.shape:
                            case (a, b, *rest) if x.shape[0] % 2**63-1 == 0:
                                x = rearrange(x,"b (c d -> b",b=2**31-1)
                                y = w
                    else:
                        lambda: (yield x)
                                w = x.sum((-2**63, 2**63-1))
                                z = torch.linalg.multi_dot([x,y,z])"#;

#[test]
fn long_ways_within_long_ways_are_each_looked_at_once() {
    let files = [("a.py", LONG_WAYS), ("wrong.py", WRONG)];
    // The ways are as long after a part of the steps.
    let (code, out, err) = harp(&files, &["check", ".", "--steps", "100000"]);
    assert_eq!((code, err.as_str()), (Some(1), ""));
    contains(&out, "--> wrong.py:2");
    let (code, _, err) = harp(&files, &["infer", ".", "--steps", "100000"]);
    assert_eq!((code, err.as_str()), (Some(0), ""));
}

#[test]
fn a_loop_whose_body_is_gone_ends() {
    for source in ["for _ in range(10**18):", "class C:\n    def f(self):\n        for _ in range(10**18):\n"] {
        let (code, out, _) = harp(&[("a.py", source), ("wrong.py", WRONG)], &["check", ".", "--verbose"]);
        assert_eq!(code, Some(1));
        contains(&out, "--> wrong.py:2");
    }
}

#[test]
fn steps_and_time_are_the_users_to_bound() {
    let long = "import torch\nx = 0\nfor i in range(500):\n    x = x + i * 2\ntorch.rand(2, 3) @ torch.rand(4, 5)\n";
    let (code, out, _) = harp(&[("a.py", long)], &["check", "."]);
    assert_eq!(code, Some(1), "{out}");
    let (code, out, _) = harp(&[("a.py", long)], &["check", ".", "--steps", "20", "--verbose"]);
    assert_eq!(code, Some(0), "{out}");
    contains(&out, "module a: stopped at the step limit");
    let (_, out, _) = harp(&[("a.py", &eater())], &["check", ".", "--time-limit", "0", "--verbose"]);
    contains(&out, "module a: stopped at the time limit");
    let (code, _, err) = harp(&[("a.py", long)], &["check", ".", "--time-limit=-1"]);
    assert_eq!(code, Some(2));
    contains(&err, "is not a number of seconds");
}

#[test]
fn a_file_of_data_is_not_followed() {
    let data = format!("x = [{}]\n", "1,".repeat(2_100_000));
    let (code, out, _) = harp(&[("data.py", &data), ("wrong.py", WRONG)], &["check", ".", "--verbose"]);
    assert_eq!(code, Some(1));
    contains(&out, "--> wrong.py:2");
    contains(&out, "code beyond what is followed");
}

#[test]
fn files_that_are_too_much_together_are_skipped() {
    let text = format!("# {}\n", "x".repeat(400_000));
    let names: Vec<String> = (0..80).map(|number| format!("z{number:02}.py")).collect();
    let mut files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), text.as_str())).collect();
    files.push(("a.py", WRONG));
    let (code, out, _) = harp(&files, &["check", ".", "--memory", "160MiB", "--verbose"]);
    assert_eq!(code, Some(1));
    contains(&out, "--> a.py:2");
    contains(&out, "z79.py: all files together have more than 20 MiB");
}

#[test]
fn a_subscript_of_more_items_than_are_named_is_no_defect() {
    let source = "import torch\nx = torch.rand(*[1] * 70)\nx[(0,) * 65] = 1\ny = x[(0,) * 65]\nz = x[(None,) * 100]\n";
    let (code, _, err) = harp(&[("a.py", source)], &["check", "."]);
    assert_eq!((code, err.as_str()), (Some(0), ""));
}

#[test]
fn tables_that_are_copied_again_and_again_end_with_their_budget() {
    let loops = "import torch\ntable = {}\nfor i in range(2**32):\n    table = {**table, str(len(table)): table}\n    \
                 torch.rand(len(table))\n";
    let copies = format!("table = {{}}\n{}", "table = {**table, str(len(table)): 1}\n".repeat(3_000));
    let files = [("a.py", copies.as_str()), ("loops.py", loops), ("wrong.py", WRONG)];
    let (code, out, _) = harp(&files, &["check", ".", "--verbose"]);
    assert_eq!(code, Some(1));
    contains(&out, "--> wrong.py:2");
    contains(&out, "module a: stopped: copied items");
    // A loop is cut while there is something left for what follows it.
    assert!(!out.contains("module loops: stopped"), "{out}");
}

#[test]
fn modules_that_bring_all_names_of_all_others_are_followed_once() {
    let names: Vec<String> = (0..60).map(|number| format!("m{number}.py")).collect();
    let before = |number: usize| (0..number).map(|other| format!("from m{other} import *\n")).collect::<String>();
    let texts: Vec<String> = (0..60).map(|number| before(number) + &format!("y{number} = {number}\n")).collect();
    let circle: String = (0..60).map(|other| format!("from m{other} import *\n")).collect();
    let mut files: Vec<(&str, &str)> = names.iter().map(String::as_str).zip(texts.iter().map(String::as_str)).collect();
    files.push(("wrong.py", WRONG));
    let (code, out, _) = harp(&files, &["check", "."]);
    assert_eq!(code, Some(1), "{out}");
    files.iter_mut().take(60).for_each(|(_, text)| *text = &circle);
    assert_eq!(harp(&files, &["check", "."]).0, Some(1));
}

#[test]
fn fewer_steps_than_an_entry_gets_at_least_are_all_that_it_gets() {
    let functions: String = (0..14)
        .map(|it| format!("def f{it}(x):\n    return f{0}(x) if x.sum() > {it} else f{0}(x + 1)\n", it + 1))
        .collect();
    let program = format!("import torch\n{functions}def f14(x):\n    return x @ torch.zeros(7, 7)\n");
    for steps in ["1", "3", "40", "249"] {
        let (code, out, err) = harp(&[("a.py", &*program)], &["check", ".", "--steps", steps]);
        assert!(code != Some(2) && err.is_empty(), "{steps}: {out}{err}");
    }
}

/// Comparing what lies within one another takes steps: a tuple that grows in nested loops gets fewer iterations than one that stays.
#[test]
fn comparing_nested_values_takes_steps() {
    let loops = "def f(x):\n    while len(grown) < 1:\n        while len(grown) < 2:\n            while len(grown) < 3:\n                \
                 while True:\n                    pair = (pair, unknown)\n                    grown.extend(grown)\n    return x\n";
    let (_, out, _) = harp(
        &[("a.py", &format!("grown = []\n{loops}"))],
        &["check", "a.py", "--threads", "1", "--steps", "20000", "--verbose"],
    );
    let times = out.lines().find(|line| line.contains("the name `unknown`, which is not defined (for example"));
    let times = times.and_then(|line| line.split_whitespace().next()?.parse::<u32>().ok()).expect("a count");
    assert!(times < 2_000, "{out}");
}

/// Training whose loops are each short, and which logs more and more, shows nothing new after its first iterations: it is left then, before what it logs
/// is anything.
#[test]
fn training_that_shows_nothing_new_is_left() {
    let (code, out, _) =
        harp(&[("a.py", include_str!("../data/ceilings/training_that_logs.py"))], &["check", "a.py", "--verbose"]);
    assert_eq!(code, Some(1), "{out}");
    contains(&out, "1 error in 1 file");
    assert!(!out.contains("call of an unknown value"), "{out}");
}

/// Loops over few items each, one within another, have more iterations together than anybody executes, and show nothing after the first.
#[test]
fn nests_of_short_loops_come_to_their_end() {
    let depth = 60;
    let loops: String = (0..depth).map(|it| format!("{}for i{it} in [True, False]:\n", " ".repeat(it))).collect();
    let inner = format!("{}chosen = (i0, i1)\n", " ".repeat(depth));
    let after = "import torch\ntorch.rand(2, 3) @ torch.rand(4, 5)\n";
    let (code, out, _) = harp(&[("a.py", &format!("{loops}{inner}{after}"))], &["check", "a.py", "--verbose"]);
    assert_eq!(code, Some(1), "{out}");
    contains(&out, "--> a.py:63:");
    assert!(!out.contains("step limit"), "{out}");
}
