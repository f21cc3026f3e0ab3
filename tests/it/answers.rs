//! Users' answers to assumptions: what becomes certain, what goes, and that odd comments and configurations do no harm.

use std::path::Path;

use harp::cli::config;
use harp::cli::pipeline::{Analysis, AnalysisOptions, analyse_corpus};
use harp::cli::progress::Progress;
use harp::corpus::Corpus;
use harp::report::{Assumption, Finding, Severity, json, text};

fn options(configuration: &str) -> AnalysisOptions {
    config::parse("harp.toml", configuration, Path::new(".")).expect("the configuration is right").into()
}

fn analyse(files: &[(&str, &str)], configuration: &str) -> Analysis {
    let files = files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
    analyse_corpus(Corpus::in_memory(files), &options(configuration), &Progress::hidden())
}

fn check(code: &str, configuration: &str) -> Analysis {
    analyse(&[("a.py", code)], configuration)
}

fn findings<'a>(analysis: &'a Analysis, rule: &str) -> Vec<&'a Finding> {
    analysis.findings.iter().filter(|finding| finding.rule == rule).collect()
}

fn error(configuration: &str) -> String {
    config::parse("harp.toml", configuration, Path::new(".")).expect_err("the configuration is wrong").to_string()
}

/// A loop over a product whose operands are parameters, so that the finding rests on assumptions of several kinds; and a speculation.
const LOOPS: &str = "\
import numpy as np
import torch
import torch.nn as nn

def first(D, X, steps):
    total = X
    for step in range(steps):
        total = total + torch.matmul(D, X)
    return total

def second(D, X, steps):
    total = X
    for step in range(steps):
        total = total + D @ X
        steps.log(step)
    for step in range(20):
        total = total + torch.mm(D, X)
    return total

def third(c, n):
    a, b = [0.0] * 100, np.ones(n)
    for i in range(99):
        step = b[i + 1] - b[i]
        a[i] = step * step
    return a

def sums(D, X, A, steps):
    for step in range(steps):
        A = D @ (X - D.T @ A)
    return A

def fourth(x):
    x = x.view(2, 3)
    return nn.Linear(4, 5)(x)
";

#[test]
fn what_is_said_of_a_value_is_no_assumption() {
    let code = "import torch\nimport torch.nn as nn\n\ndef f(x):  # harp: assume x: [b, 783]\n    return nn.Linear(784, 10)(x)\n";
    let analysis = check(code, "");
    let [finding] = findings(&analysis, "shape/mismatch")[..] else { panic!("{:?}", analysis.findings) };
    assert!(finding.certain());
    assert_eq!(analysis.summary.entries.iter().map(|entry| entry.assumptions.len()).sum::<usize>(), 0);
}

#[test]
fn an_annotated_parameter_needs_no_assumption_either() {
    let code =
        "import torch\n\ndef f(x: torch.Tensor):  # harp: assume x: [b, 783]\n    return x @ torch.zeros(784, 2)\n";
    let analysis = check(code, "");
    assert!(findings(&analysis, "shape/mismatch")[0].certain());
    assert!(analysis.summary.entries.iter().all(|entry| entry.assumptions.is_empty()));
}

/// What the program names is called whatever it is given.
#[test]
fn what_is_called_by_name_needs_no_assumption_of_its_arguments() {
    let code = "import torch\nfrom torch import nn\n\nsoftmax = nn.Softmax(dim=1)\n\ndef f(net, loader):\n    for x, y in loader:\n        \
                print(-torch.log(torch.softmax(net(x), dim=1)).mean())\n        print(-torch.log(softmax(net(y))).mean())\n";
    let analysis = check(code, "");
    let named = |it: &&Assumption| it.kind == "used-as";
    let found = findings(&analysis, "harp/log-of-softmax");
    assert_eq!(found.len(), 2, "{:?}", analysis.findings);
    assert!(found.iter().all(|it| it.assumptions.iter().filter(named).count() == 0), "{found:?}");
}

/// What a finding says of a value that the failing call itself takes for a tensor rests on that.
#[test]
fn what_the_call_itself_takes_for_a_tensor_is_named() {
    let code = "import torch\n\ndef rank(x: torch.Tensor):\n    b, c, h, w = x.shape\n    return torch.bmm(x, x)\n";
    let analysis = check(code, "[[deny]]\nfile = 'a.py'\nline = 3\n");
    let [finding] = findings(&analysis, "shape/mismatch")[..] else { panic!("{:?}", analysis.findings) };
    assert!(finding.assumptions.iter().any(|it| it.text == "`x` is a float tensor"), "{finding:?}");
}

#[test]
fn confirmed_assumptions_leave_findings_certain() {
    let before = check(LOOPS, "");
    let rests = |analysis: &Analysis| analysis.findings.iter().filter(|finding| !finding.certain()).count();
    assert!(rests(&before) >= 4, "{} of {}", rests(&before), before.findings.len());
    let kinds = [
        "trip-count",
        "size",
        "no-hidden-change",
        "used-as",
        "member-name",
        "no-alias",
        "re-association",
        "uniform-elements",
    ];
    let configuration: String = kinds.iter().map(|kind| format!("[[assume]]\nkind = '{kind}'\n")).collect();
    let after = check(LOOPS, &configuration);
    assert_eq!(rests(&after), 0, "{:?}", after.findings);
    let name = |finding: &Finding| (finding.rule.clone(), finding.primary.span, finding.message.clone());
    let names = |analysis: &Analysis| analysis.findings.iter().map(name).collect::<Vec<_>>();
    assert_eq!(names(&before), names(&after));
    assert!(after.summary.answered.len() >= 5);
}

/// An assumption's answer in the configuration that means it alone.
fn denial(assumption: &Assumption, analysis: &Analysis) -> String {
    let mut answer = format!("[[deny]]\nkind = {:?}\ntext = {:?}\n", assumption.kind, assumption.text);
    if let Some(span) = assumption.span {
        let file = analysis.corpus.file(span.file).expect("the file is there");
        let line = file.line_column(span.start).line;
        answer.push_str(&format!("file = {:?}\nline = {line}\n", file.display_path));
    }
    answer
}

/// A finding without what depends on the numbers of assumptions.
fn essence(finding: &Finding) -> (String, harp::corpus::Span, String, Vec<(String, String)>) {
    let assumptions = finding.assumptions.iter().map(|it| (it.kind.clone(), it.text.clone())).collect();
    (finding.rule.clone(), finding.primary.span, finding.message.clone(), assumptions)
}

#[test]
fn a_denied_assumption_takes_away_what_rests_on_it_and_nothing_else() {
    let before = check(LOOPS, "");
    let mut assumptions: Vec<Assumption> = before.findings.iter().flat_map(|it| it.assumptions.clone()).collect();
    assumptions.sort();
    assumptions.dedup_by(|a, b| (&a.kind, &a.text, a.span) == (&b.kind, &b.text, b.span));
    assert!(assumptions.len() >= 8, "{assumptions:?}");
    // Each of them, and some pairs.
    for (index, first) in assumptions.iter().enumerate() {
        for second in assumptions[index..].iter().take(1 + usize::from(index % 4 == 0)) {
            let denied = [first, second];
            let mut configuration = denial(first, &before);
            if first != second {
                configuration.push_str(&denial(second, &before));
            }
            let after = check(LOOPS, &configuration);
            let rests = |finding: &&Finding| {
                let is_denied = |it: &Assumption| {
                    denied.iter().any(|other| (&it.kind, &it.text, it.span) == (&other.kind, &other.text, other.span))
                };
                finding.assumptions.iter().any(is_denied)
            };
            let expected: Vec<_> = before.findings.iter().filter(|it| !rests(it)).map(essence).collect();
            // What rested on it may be found on other grounds, which are then fewer.
            let on_other_grounds = |finding: &&Finding| {
                let (rule, span, message, grounds) = essence(finding);
                before.findings.iter().filter(rests).map(essence).any(|it| {
                    (it.0, it.1, it.2) == (rule.clone(), span, message.clone())
                        && grounds.len() < it.3.len()
                        && grounds.iter().all(|ground| it.3.contains(ground))
                })
            };
            assert!(!after.findings.iter().any(|finding| rests(&finding)), "{configuration}");
            let found: Vec<_> = after.findings.iter().filter(|it| !on_other_grounds(it)).map(essence).collect();
            assert_eq!(found, expected, "{configuration}");
            // Nor does anything else of the report rest on it.
            let entries = after.summary.entries.iter().flat_map(|entry| &entry.assumptions);
            assert!(
                entries
                    .into_iter()
                    .all(|it| denied.iter().all(|denied| it.text != denied.text || it.span != denied.span))
            );
        }
    }
}

#[test]
fn answers_do_not_depend_on_their_order_or_the_threads() {
    let answers = [
        "[[deny]]\nkind = 'trip-count'\n",
        "[[assume]]\nkind = 'size'\n",
        "[[assume]]\nkind = 'trip-count'\n",
        "[[deny]]\ntext = '`x` is a float tensor'\n",
    ];
    let render = |configuration: &str, threads: usize| {
        let options = AnalysisOptions { threads, ..options(configuration) };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(64 << 20).build().unwrap();
        pool.install(|| {
            let corpus = Corpus::in_memory(vec![("a.py".to_owned(), LOOPS.to_owned())]);
            let analysis = analyse_corpus(corpus, &options, &Progress::hidden());
            let mut out = Vec::new();
            json::render(&analysis.report(), text::Detail::Full, &mut out).unwrap();
            String::from_utf8(out).unwrap()
        })
    };
    let first = render(&answers.concat(), 1);
    assert_eq!(first, render(&answers.concat(), 4));
    let reversed: String = answers.iter().rev().copied().collect();
    assert_eq!(first, render(&reversed, 2));
}

#[test]
fn answers_that_fit_nothing_are_listed_with_their_place() {
    let configuration = "args = ''\n\n[[deny]]\nkind = 'input-output'\n\n[[assume]]\nkind = 'trip-count'\n\n[[assume]]\nfile = 'b.py'\n";
    let analysis = check(LOOPS, configuration);
    let places: Vec<&str> = analysis.summary.unused_answers.iter().map(|unused| unused.place.as_str()).collect();
    assert_eq!(places, ["harp.toml:3", "harp.toml:9"]);
    let mut out = Vec::new();
    let options = text::TextOptions { detail: text::Detail::Full, ..text::TextOptions::default() };
    text::render(&analysis.report(), options, &mut out).unwrap();
    let out = String::from_utf8(out).unwrap();
    assert!(
        out.contains("overrides that match no assumption:\n  harp.toml:3: denied\n  harp.toml:9: confirmed\n"),
        "{out}"
    );
    assert!(out.contains("  confirmed: the loop runs more than 5 times"), "{out}");
}

#[test]
fn wrong_answers_are_shown_with_a_hint() {
    insta::assert_snapshot!(error("[[deny]]\nkind = 'trip-counts'\n"), @r"
    error: `trip-counts` is not a kind of assumption
     --> harp.toml:2:8
      |
    2 | kind = 'trip-counts'
      |        ^^^^^^^^^^^^^
      |
      = help: did you mean `trip-count`?
    ");
    insta::assert_snapshot!(error("[[assume]]\ntxt = 'x'\n"), @r"
    error: unknown key `txt` in the configuration
     --> harp.toml:2:1
      |
    2 | txt = 'x'
      | ^^^
      |
      = help: did you mean `text`?
    ");
    insta::assert_snapshot!(error("[[assume]]\nline = 3\n"), @r#"
    error: a line without its file
     --> harp.toml:2:8
      |
    2 | line = 3
      |        ^
      |
      = help: add `file = "…"`
    "#);
    let empty = error("exclude = []\n[[deny]]\n");
    assert!(empty.contains("does not say which assumptions it means") && empty.contains("harp.toml:2"), "{empty}");
    assert!(error("[assume]\nkind = 'size'\n").contains("the configuration is not valid"));
    assert!(error("[[deny]]\nline = -1\nfile = 'a.py'\n").contains("the configuration is not valid"));
}

#[test]
fn too_many_answers_are_refused_and_many_are_followed() {
    let answer = |number: usize| format!("[[deny]]\ntext = 'a text that nobody writes {number}'\n");
    let many: String = (0..9_999).map(answer).chain(["[[deny]]\nkind = 'trip-count'\n".to_owned()]).collect();
    let analysis = check(LOOPS, &many);
    assert_eq!(analysis.summary.unused_answers.len(), 9_999);
    let too_many: String = (0..100_000).map(answer).collect();
    let message = error(&too_many);
    assert!(message.contains("more than 10000 answers") && message.contains("harp.toml:20001"), "{message}");
}

#[test]
fn pyproject_has_answers_in_its_own_section() {
    let text = "[[tool.harp.deny]]\nkind = 'trip-count'\n\n[[tool.harp.assume]]\nsubject = '--größe'\n";
    let config = config::parse("pyproject.toml", text, Path::new(".")).unwrap();
    let origins: Vec<&str> = config.answers.iter().map(|answer| answer.origin.as_str()).collect();
    assert_eq!(origins, ["pyproject.toml:1", "pyproject.toml:4"]);
}

#[test]
fn lines_may_end_in_any_way() {
    let code = "import torch\n\ndef f(x):  # harp: assume x: [b, 3]\n    y = x @ torch.zeros(4, 5)\n    return y\n";
    for ending in ["\n", "\r\n", "\r"] {
        let analysis = check(&code.replace('\n', ending), "");
        assert_eq!(findings(&analysis, "shape/mismatch").len(), 1, "{ending:?}: {:?}", analysis.findings);
    }
}

#[test]
fn cells_of_notebooks_have_answers() {
    let notebook = r##"{"cells": [
        {"cell_type": "markdown", "source": ["# harp: assume x: [b]"], "metadata": {}},
        {"cell_type": "code", "source": ["import torch\n", "%matplotlib inline\n", "x = load()  # harp: assume x: [b, 3]"],
         "metadata": {}, "outputs": [], "execution_count": null},
        {"cell_type": "code", "source": ["# harp: assume w: [4, 5]\n"],
         "metadata": {}, "outputs": [], "execution_count": null},
        {"cell_type": "code", "source": ["y = x @ torch.zeros(4, 5)\n", "# harp: deny"],
         "metadata": {}, "outputs": [], "execution_count": null}
    ], "metadata": {"kernelspec": {"name": "python3", "language": "python", "display_name": "Python 3"}},
       "nbformat": 4, "nbformat_minor": 5}"##;
    let analysis = analyse(&[("a.ipynb", notebook)], "");
    assert_eq!(findings(&analysis, "shape/mismatch").len(), 1, "{:?}", analysis.findings);
    assert_eq!(findings(&analysis, "answer/unused").len(), 1, "{:?}", analysis.findings);
    let [malformed] = findings(&analysis, "answer/malformed")[..] else { panic!("{:?}", analysis.findings) };
    assert!(malformed.message.contains("no statement follows"));
    assert_eq!(malformed.severity, Severity::Warning);
}

#[test]
fn odd_comments_do_no_harm() {
    let paths = ["x", "x.y", "x[0]", "self", "f", "torch", "__name__", "x.grad", "x.shape", "größe", "x[\"a\"].b"];
    let shapes = [
        "[b, 3]",
        "[]",
        "s",
        "s@[3]",
        "[n*m, n//m, n%m]",
        "[9223372036854775807, 9223372036854775807]",
        "[*]",
        "[0]",
        "[b]@s@[b]",
        "broadcast(s, t)",
        "[prod(s), rank(s), s[0], s[-1]]",
        "[min(a, b), max(a, b), ceil_div(a, b)]",
        "[n - n]",
        "[1//0]",
        "[s]@s",
        "[_, _ + 1]",
        "s[1:-1]@[2*n]",
        "float32",
        "[b] cuda cpu numpy int8 int16",
        "[x, f]",
        "[torch.float32, self.n]",
    ];
    let mut code = String::from("import torch\n\ndef f(self, x, größe):\n");
    for path in paths {
        for shape in shapes {
            code.push_str(&format!("    {path}.view(2, 3)  # harp: assume {path}: {shape}\n"));
            code.push_str(&format!("    # harp: assume {path}: {shape}\n    x = torch.zeros(3, 4) @ {path}\n"));
        }
    }
    code.push_str("f(1, torch.zeros(3, 4), None)\nfor i in range(3):  # harp: assume i: [b]\n    f(i, i, i)\n");
    let analysis = check(&code, "");
    assert!(analysis.summary.budgets.is_empty(), "{:?}", analysis.summary.budgets);
}

#[test]
fn many_comments_are_followed() {
    let line = "x = 1  # harp: deny[trip-count]  # harp: assume y: [b]\n";
    let analysis = check(&line.repeat(20_000), "ignore = ['answer']");
    assert_eq!(analysis.summary.suppressed, 40_000);
}

#[test]
fn parts_of_one_comment_beyond_a_hundred_are_told_once() {
    let one_line = |count: usize| format!("x = 1  {}\n", "# harp: assume y: [b] ".repeat(count));
    let told = |count: usize| {
        let findings = check(&one_line(count), "").findings;
        findings.into_iter().map(|finding| (finding.rule, finding.message)).collect::<Vec<_>>()
    };
    assert!(told(100).iter().all(|(rule, _)| rule == "answer/unused"));
    assert_eq!((told(100).len(), told(20_000).len()), (100, 101));
    let beyond = "a comment tells Harp at most 100 things; those from here on do not count";
    assert_eq!(told(20_000).last(), Some(&("answer/malformed".to_owned(), beyond.to_owned())));
}
