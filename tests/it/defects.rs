//! A panic costs the entry, module, rule or finding that it happens in, and is told. Faults are asked for by `HARP_FAULTS`, which programs
//! built with debug assertions heed.

use std::process::{Command, Output};

use crate::common::folder;

const WRONG: &str = "import torch\ntorch.rand(2, 3) @ torch.rand(4, 5)\n";
const BAD: &str = "import torch\n\ndef broken(x):\n    return torch.rand(2, 3) @ torch.rand(6, 7)\n\nclass Net(torch.nn.Module):\n    \
                   def forward(self, x):\n        return x @ torch.rand(2, 3) @ torch.rand(2, 3)\n";
const LOOP: &str = "import torch\n\ndef train():\n    total = torch.zeros(3)\n    for item in range(50):\n        \
                    total = total + torch.eye(300) @ torch.ones(300, 3)\n    return total\n\ntrain()\n";

fn harp(faults: &str, files: &[(&str, &str)], arguments: &[&str]) -> (Option<i32>, String, String) {
    let folder = folder(files);
    let mut command = Command::new(env!("CARGO_BIN_EXE_harp"));
    command.args(arguments).current_dir(folder.path()).env("HARP_FAULTS", faults).env_remove("RUST_BACKTRACE");
    let Output { status, stdout, stderr } = command.output().expect("the program starts");
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("output is UTF-8");
    (status.code(), text(&stdout), text(&stderr))
}

const FILES: [(&str, &str); 3] = [("bad.py", BAD), ("loop.py", LOOP), ("wrong.py", WRONG)];

#[track_caller]
fn contains(text: &str, part: &str) {
    assert!(text.contains(part), "`{part}` is not in:\n{text}");
}

#[test]
fn without_faults_everything_is_found() {
    let (code, out, err) = harp("", &FILES, &["check", "."]);
    assert_eq!(code, Some(1));
    assert_eq!(out.matches("error[shape/mismatch]").count(), 3, "{out}");
    contains(&out, "--> loop.py:6");
    assert_eq!(err, "");
}

#[test]
fn a_panic_in_an_entry_costs_the_entry() {
    for (fault, lost) in
        [("broken", "bad.py:4"), ("Net", "bad.py:8"), ("Net.forward", "bad.py:8"), ("module wrong", "wrong.py:2")]
    {
        let (code, out, err) = harp(&format!("entry {fault}"), &FILES, &["check", ".", "--verbose"]);
        assert_eq!(code, Some(1), "{fault}");
        assert_eq!(out.matches("error[shape/mismatch]").count(), 2, "{fault}: {out}");
        assert!(!out.contains(&format!("--> {lost}")), "{fault}: {out}");
        contains(&out, "--> loop.py:6");
        contains(&out, "a defect in Harp");
        contains(&err, "error: Harp failed on `");
        contains(&err, &format!("a test asked for a fault in entry {fault}"));
        contains(&err, "a report of it with this message is welcome");
    }
}

#[test]
fn a_panic_in_a_module_that_others_import_costs_what_needs_it() {
    let files = [("main.py", "import lib\nx = lib.size\n"), ("lib.py", "size = 3\n"), ("wrong.py", WRONG)];
    let (code, out, err) = harp("entry module lib", &files, &["check", "."]);
    assert_eq!(code, Some(1));
    contains(&out, "wrong.py:2");
    contains(&err, "module lib");
}

#[test]
fn a_panic_in_the_facts_costs_what_rules_say_of_it() {
    let (code, out, err) = harp("facts loop", &FILES, &["check", "."]);
    assert_eq!(code, Some(1));
    assert_eq!(out.matches("error[shape/mismatch]").count(), 3, "{out}");
    assert!(!out.contains("--> loop.py:6"), "{out}");
    contains(&err, "the facts of module loop");
    let (code, out, err) = harp("facts bad", &FILES, &["check", ".", "--format", "json"]);
    assert_eq!(code, Some(1));
    contains(&out, "loop-invariant");
    contains(&err, "the facts of module bad");
}

#[test]
fn a_panic_in_a_relation_or_a_rule_costs_the_rules_that_need_it() {
    for (fault, named) in [("relation mutated_in", "rule"), ("rule mismatch", "the rule mismatch")] {
        let (_, out, err) = harp(fault, &FILES, &["check", "."]);
        contains(&err, "a defect in Harp");
        contains(&err, named);
        let is_found = fault.starts_with("relation");
        assert_eq!(out.contains("error[shape/mismatch]"), is_found, "{fault}: {out}");
        assert_eq!(out.contains("--> loop.py:6"), !is_found, "{fault}: {out}");
    }
}

#[test]
fn a_panic_in_a_finding_costs_the_findings_of_its_rule() {
    let (code, out, err) = harp("finding of shape/mismatch", &FILES, &["check", "."]);
    assert_eq!(code, Some(1));
    contains(&out, "--> loop.py:6");
    contains(&err, "the finding of shape/mismatch");
}

#[test]
fn what_harp_failed_on_is_not_clean() {
    let (code, out, err) = harp("entry module a", &[("a.py", "x = 1\n"), ("b.py", "y = 1\n")], &["check", "."]);
    assert_eq!(code, Some(2), "{out}{err}");
    let (code, out, err) = harp(
        "entry a.f",
        &[("a.py", "def f(x):\n    return x\n\ndef g(x):\n    return x[0]\n")],
        &["infer", ".", "--all"],
    );
    assert_eq!(code, Some(2), "{out}{err}");
    contains(&out, "g");
    contains(&err, "Harp failed on `a.f` (a.py:1)");
}
