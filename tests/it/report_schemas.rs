//! Reports are what their consumers read: SARIF by the standard's schema, GitLab's and Harp's own forms by theirs, JUnit's XML by the structure that
//! Jenkins validates, and GitHub's commands as its runner takes them apart.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

use roxmltree::{Document, Node};
use serde_json::Value;
use tempfile::TempDir;

use crate::common::folder;
use crate::common::json_schema::Schema;
use crate::common::repository::Repository;

/// A program with a rewrite, a finding under a condition, one that a comment silences, a file that is no Python, a notebook, and a name in which
/// the forms have to escape something.
fn project() -> TempDir {
    let cells = [r"import torch\nx = torch.zeros(2, 3)\n", r"y = x @ torch.ones(7, 7)\n"];
    let cells = cells.map(|source| format!(r#"{{"cell_type": "code", "source": "{source}", "outputs": []}}"#));
    let notebook = format!(r#"{{"nbformat": 4, "cells": [{}]}}"#, cells.join(", "));
    let main = "import argparse\n\nimport numpy as np\nimport torch\n\nparser = argparse.ArgumentParser()\n\
                parser.add_argument('--nhid', type=int, default=5)\nargs = parser.parse_args()\n\
                torch.zeros(2, args.nhid) @ torch.zeros(5, 2)\n\
                a, b = np.zeros(1000), np.ones(1000)\nfor i in range(1000):\n    a[i] = b[i] * 2\nprint(a.sum())\n";
    folder(&[
        (
            "100%, <a> & 'b'.py",
            "import torch\n\nx = {'<&\"%: ,é\\n': torch.rand(2, 3)}\nx['<&\"%: ,é\\n'] @ torch.rand(4, 5)\n",
        ),
        ("main.py", main),
        (
            "open.py",
            "import torch\n\n\ndef g(x: torch.Tensor, hidden=8):\n    return x.view(-1, hidden) @ torch.zeros(9, 2)\n",
        ),
        (
            "silenced.py",
            "import torch\n\ntorch.zeros(1, 2) @ torch.zeros(3, 4)  # harp: ignore[shape/mismatch] padded\n",
        ),
        ("broken.py", "def f(:\n"),
        ("book.ipynb", &notebook),
    ])
}

/// The reports on the project, by their forms: those of a run as it is usual, and of one that is asked for everything.
static REPORTS: LazyLock<[BTreeMap<&str, String>; 2]> = LazyLock::new(|| {
    let folder = project();
    let usual = reports(folder.path(), &[], &["json", "sarif", "gitlab", "junit", "github", "json-lines"]);
    let full = reports(folder.path(), &["--verbose", "--explain-path"], &["sarif", "json-lines"]);
    [usual, full]
});

fn reports(folder: &Path, options: &[&str], forms: &[&'static str]) -> BTreeMap<&'static str, String> {
    let outputs = forms.iter().flat_map(|form| ["--output".to_owned(), format!("{form}:{form}.report")]);
    let mut command = Command::new(env!("CARGO_BIN_EXE_harp"));
    let said =
        command.arg("check").args(options).args(outputs).current_dir(folder).output().expect("the program starts");
    assert_eq!(said.status.code(), Some(1), "{}", String::from_utf8_lossy(&said.stderr));
    let report = |form: &&'static str| {
        let text = fs::read_to_string(folder.join(format!("{form}.report"))).expect("a report in UTF-8");
        (*form, text)
    };
    forms.iter().map(report).collect()
}

fn report(form: &str) -> &'static str {
    &REPORTS[0][form]
}

fn parsed(report: &str) -> Value {
    serde_json::from_str(report).expect("a report is JSON")
}

#[track_caller]
fn holds(schema: &Schema, document: &Value) {
    let violations = schema.violations(document);
    assert!(violations.is_empty(), "{}\n{document:#}", violations.join("\n"));
}

/// The findings in Harp's own form, with which the others are compared.
fn findings() -> Vec<Value> {
    parsed(report("json"))["findings"].as_array().expect("findings").clone()
}

fn texts<'v>(values: impl IntoIterator<Item = &'v Value>) -> Vec<&'v str> {
    values.into_iter().map(|value| value.as_str().expect("a text")).collect()
}

#[test]
fn the_project_has_what_reports_can_hold() {
    let findings = findings();
    let has = |what: fn(&Value) -> bool| findings.iter().any(what);
    assert!(has(|finding| finding["place"]["start"]["cell"] == 2), "{findings:#?}");
    assert!(has(|finding| finding["condition"].is_string()), "{findings:#?}");
    assert!(has(|finding| finding["applicability"] == "safe"), "{findings:#?}");
    assert!(has(|finding| finding["severity"] == "warning"), "{findings:#?}");
    assert!(has(|finding| finding["rule"] == "syntax-error"), "{findings:#?}");
    assert!(has(|finding| !finding["assumptions"].as_array().is_none_or(Vec::is_empty)), "{findings:#?}");
}

#[test]
fn sarif_holds_to_the_schema_of_the_standard() {
    let schema = Schema::named("sarif-2.1.0.json");
    for reports in REPORTS.iter() {
        let log = parsed(&reports["sarif"]);
        holds(&schema, &log);
        results_have_their_rules(&log);
        let results = log["runs"][0]["results"].as_array().expect("results");
        let silenced = results.iter().filter(|result| result["suppressions"][0]["kind"] == "inSource");
        assert_eq!(silenced.count(), 1, "{log:#}");
        assert!(results.iter().any(|result| result["fixes"].is_array()), "{log:#}");
    }
}

/// What a schema cannot say: the index of a result's rule is that of the rule with its id.
#[track_caller]
fn results_have_their_rules(log: &Value) {
    for result in log["runs"][0]["results"].as_array().expect("results") {
        let index = result["ruleIndex"].as_u64().expect("an index") as usize;
        assert_eq!(log["runs"][0]["tool"]["driver"]["rules"][index]["id"], result["ruleId"]);
    }
}

fn rules_of(log: &Value) -> BTreeSet<&str> {
    let rules = log["runs"][0]["tool"]["driver"]["rules"].as_array().expect("rules");
    texts(rules.iter().map(|rule| &rule["id"])).into_iter().collect()
}

/// A review has no results that comments silence, so that their rules are not there for their sake.
#[test]
fn sarif_of_a_review_holds_to_the_schema_and_has_no_rules_of_silenced_findings() {
    let undescribed = "x = (  # harp: ignore[syntax-error] a draft\n";
    let kept = "import torch\n\ntorch.zeros(1, 2) @ torch.zeros(3, 4)\n";
    let repository = Repository::new(&[("a.py", kept), ("gone.py", kept)]);
    repository.git(&["rm", "--quiet", "gone.py"]);
    repository.commit(&[("b.py", kept), ("draft.py", undescribed)]);
    let log = repository.harp(&["review", "HEAD^..HEAD", "--format", "sarif"]).json();
    holds(&Schema::named("sarif-2.1.0.json"), &log);
    results_have_their_rules(&log);
    let checked = repository.harp(&["check", "a.py", "--format", "sarif"]).json();
    let found: BTreeSet<&str> = {
        let results = log["runs"][0]["results"].as_array().expect("results");
        texts(results.iter().map(|result| &result["ruleId"])).into_iter().collect()
    };
    let described = rules_of(&checked);
    let surplus: Vec<_> =
        rules_of(&log).into_iter().filter(|rule| !described.contains(rule) && !found.contains(rule)).collect();
    assert_eq!(surplus, [""; 0], "{log:#}");
}

#[test]
fn gitlab_s_report_holds_to_its_schema() {
    let issues = parsed(report("gitlab"));
    holds(&Schema::named("gitlab-code-quality.json"), &issues);
    let issues = issues.as_array().expect("a list");
    let prints: BTreeSet<&str> = texts(issues.iter().map(|issue| &issue["fingerprint"])).into_iter().collect();
    assert_eq!(prints.len(), issues.len(), "GitLab takes issues of one fingerprint for one");
    let findings = findings();
    assert_eq!(texts(issues.iter().map(|it| &it["description"])), texts(findings.iter().map(|it| &it["message"])));
    assert_eq!(
        texts(issues.iter().map(|it| &it["location"]["path"])),
        texts(findings.iter().map(|it| &it["place"]["file"]))
    );
}

#[test]
fn json_lines_hold_to_their_schema() {
    let schema = Schema::named("json-lines.json");
    let lines = &REPORTS[1]["json-lines"];
    assert!(lines.ends_with('\n'));
    lines.lines().for_each(|line| holds(&schema, &parsed(line)));
    let brief = report("json-lines");
    assert_eq!(brief.lines().map(parsed).collect::<Vec<_>>(), findings());
}

/// An element of the structure that Jenkins validates (`junit-10.xsd` of its plugin xUnit): its attributes, `!` before those that must be there, and
/// what may stand in it.
struct Element {
    name: &'static str,
    attributes: &'static [&'static str],
    children: &'static [&'static str],
}

const JUNIT: [Element; 4] = [
    Element {
        name: "testsuites",
        attributes: &["name", "tests", "failures", "errors", "time"],
        children: &["testsuite"],
    },
    Element {
        name: "testsuite",
        attributes: &[
            "!name",
            "!tests",
            "!failures",
            "!errors",
            "file",
            "id",
            "package",
            "skipped",
            "time",
            "timestamp",
        ],
        children: &["properties", "testcase", "system-out", "system-err"],
    },
    Element {
        name: "testcase",
        attributes: &["!name", "classname", "group", "time"],
        children: &["failure", "error", "skipped"],
    },
    Element { name: "failure", attributes: &["type", "message"], children: &[] },
];

#[track_caller]
fn check_junit(node: Node<'_, '_>) {
    let name = node.tag_name().name();
    let element = JUNIT.iter().find(|known| known.name == name).unwrap_or_else(|| panic!("no element {name} is known"));
    for attribute in node.attributes() {
        let is_known = |known: &&&str| known.trim_start_matches('!') == attribute.name();
        assert!(
            element.attributes.iter().any(|known| is_known(&known)),
            "{name} has an attribute {}",
            attribute.name()
        );
    }
    for needed in element.attributes.iter().filter_map(|known| known.strip_prefix('!')) {
        assert!(node.has_attribute(needed), "{name} has no attribute {needed}");
    }
    for child in node.children() {
        match child.is_element() {
            true => assert!(element.children.contains(&child.tag_name().name()), "{:?} in {name}", child.tag_name()),
            false => assert!(name == "failure" || child.text().unwrap_or_default().trim().is_empty(), "text in {name}"),
        }
    }
    let number = |attribute: &str| node.attribute(attribute).and_then(|text| text.parse::<usize>().ok());
    let below = |tag: &str| node.descendants().filter(|below| below.has_tag_name(tag)).count();
    if name.starts_with("testsuite") {
        let counts = [number("tests"), number("failures"), number("errors")];
        assert_eq!(counts, [Some(below("testcase")), Some(below("failure")), Some(0)], "{name}");
    }
    node.children().filter(Node::is_element).for_each(check_junit);
}

#[test]
fn junit_has_the_structure_that_jenkins_validates() {
    let text = report("junit");
    let document = Document::parse(text).expect("XML");
    assert_eq!(document.root_element().tag_name().name(), "testsuites");
    check_junit(document.root_element());
    let failures: Vec<Node<'_, '_>> = document.descendants().filter(|node| node.has_tag_name("failure")).collect();
    let mut messages: Vec<&str> = failures.iter().filter_map(|node| node.attribute("message")).collect();
    let findings = findings();
    let mut told = texts(findings.iter().map(|finding| &finding["message"]));
    messages.sort_unstable();
    told.sort_unstable();
    assert_eq!(messages, told);
    let suites: BTreeSet<&str> = document
        .descendants()
        .filter(|it| it.has_tag_name("testsuite"))
        .filter_map(|it| it.attribute("name"))
        .collect();
    assert_eq!(suites, texts(findings.iter().map(|finding| &finding["place"]["file"])).into_iter().collect());

    let clean = folder(&[("a.py", "x = 1\n")]);
    let mut command = Command::new(env!("CARGO_BIN_EXE_harp"));
    let output =
        command.args(["check", "--format", "junit"]).current_dir(clean.path()).output().expect("the program starts");
    let text = String::from_utf8(output.stdout).expect("output is UTF-8");
    check_junit(Document::parse(&text).expect("XML").root_element());
}

/// A workflow command as GitHub's runner takes it apart: its name, its properties, and its message.
fn command(line: &str) -> (String, Vec<(String, String)>, String) {
    let (head, message) = line.strip_prefix("::").and_then(|rest| rest.split_once("::")).expect("a command");
    let (name, properties) = head.split_once(' ').expect("properties");
    let property = |pair: &str| {
        let (key, value) = pair.split_once('=').expect("a property");
        (key.to_owned(), unescaped(value, &[("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")]))
    };
    let message = unescaped(message, &[("%0D", "\r"), ("%0A", "\n"), ("%25", "%")]);
    (name.to_owned(), properties.split(',').map(property).collect(), message)
}

fn unescaped(text: &str, pairs: &[(&str, &str)]) -> String {
    pairs.iter().fold(text.to_owned(), |text, (escaped, plain)| text.replace(escaped, plain))
}

#[test]
fn github_s_commands_say_what_was_found() {
    let report = report("github");
    let findings = findings();
    assert_eq!(report.lines().count(), findings.len(), "{report}");
    for (line, finding) in report.lines().zip(&findings) {
        let (name, properties, message) = command(line);
        assert_eq!(name, finding["severity"].as_str().expect("a severity").replace("note", "notice"));
        let property = |wanted: &str| properties.iter().find(|(key, _)| key == wanted).map(|(_, value)| value.as_str());
        assert_eq!(property("file"), finding["place"]["file"].as_str());
        assert_eq!(property("title"), Some(&*format!("harp ({})", finding["rule"].as_str().expect("a rule"))));
        assert!(message.contains(finding["message"].as_str().expect("a message")), "{line}");
        let start = &finding["place"]["start"];
        match start["cell"].as_u64() {
            // A line of a cell is none of the file, where an annotation would stand.
            Some(cell) => {
                assert!(property("line").is_none() && message.starts_with(&format!("cell {cell}, line ")), "{line}");
            }
            None => assert_eq!(property("line").map(str::to_owned), Some(start["line"].to_string())),
        }
    }
}

/// A project that replaces a library, of which each form says so in its own place.
#[test]
fn notes_hold_to_the_schemas_too() {
    let wrong = "import torch\nx = torch.zeros(2, 3) @ torch.zeros(4, 5)\ny = torch.ones(2, 3) @ torch.ones(4, 5)\n";
    for program in [wrong, "import torch\nx = torch.zeros(2, 3)\n"] {
        let folder = folder(&[
            ("main.py", program),
            ("harp.toml", "annotations = [\"lib & co\"]\n"),
            ("lib & co/harp-library.yaml", "name: own\nfollows: torch\n"),
            ("lib & co/python/torch.py", "def zeros(*a, **k):\n    return 1.0\n"),
        ]);
        let report = |form: &str| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_harp"));
            let output = command.args(["check", "--format", form]).current_dir(folder.path()).output();
            String::from_utf8(output.expect("the program starts").stdout).expect("a report in UTF-8")
        };
        let log = parsed(&report("sarif"));
        holds(&Schema::named("sarif-2.1.0.json"), &log);
        let notifications = &log["runs"][0]["invocations"][0]["toolExecutionNotifications"];
        assert_eq!(notifications.as_array().map(Vec::len), Some(1), "{log:#}");
        let issues = parsed(&report("gitlab"));
        holds(&Schema::named("gitlab-code-quality.json"), &issues);
        let is_note = |issue: &&Value| issue["location"]["path"] == "lib & co/python/torch.py";
        assert_eq!(issues.as_array().expect("a list").iter().filter(is_note).count(), 1, "{issues:#}");
        let schema = Schema::named("json-lines.json");
        report("json-lines").lines().for_each(|line| holds(&schema, &parsed(line)));
        let junit = report("junit");
        let document = Document::parse(&junit).expect("XML");
        let told: Vec<&str> = document
            .descendants()
            .filter(|node| node.has_tag_name("system-out"))
            .filter_map(|node| node.text())
            .collect();
        assert_eq!(told, ["note: `lib & co/python/torch.py` replaces what Harp knows of `torch.zeros`"], "{junit}");
        assert_eq!(document.root_element().tag_name().name(), "testsuites");
        let count = document.descendants().filter(|node| node.has_tag_name("testcase")).count();
        assert_eq!(document.root_element().attribute("tests"), Some(&*count.to_string()), "{junit}");
        let github = report("github");
        let command = "::notice title=harp,file=lib & co/python/torch.py::`lib & co/python/torch.py` replaces ";
        assert!(github.lines().any(|line| line.starts_with(command)), "{github}");
    }
}
