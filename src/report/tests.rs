//! Snapshots of hand-built findings in every output form, and a check of the SARIF log against the standard's demands.

use serde_json::Value;

use super::text::{Color, Detail, TextOptions};
use crate::*;
use harp_corpus::{FileId, Span};

const MODEL: &str = "\
import torch.nn as nn

class Net(nn.Module):
    def __init__(self, ninp, nhid):
        super().__init__()
        self.encoder = nn.Linear(784, 400)
        self.decoder = nn.Linear(401, 784)

    def forward(self, x):
        h = self.encoder(x)
        return self.decoder(h)
";

const TRAIN: &str = "\
from model import Net
import torch

net = Net(200, 200)
for step in range(10):
\tscale = torch.eye(400)
\ty = net(torch.rand(64, 784)) @ scale
";

struct Case {
    sources: MemorySources,
    findings: Vec<Finding>,
    summary: Summary,
    rules: Vec<RuleDescription>,
}

fn span(sources: &MemorySources, file: FileId, needle: &str) -> Span {
    let start = sources.text(file).find(needle).expect("the needle is in the text");
    Span::new(file, start as u32, (start + needle.len()) as u32)
}

fn assumption(span: Span) -> Assumption {
    Assumption {
        id: 1,
        kind: "default-argument".to_owned(),
        class: None,
        subject: "args.nhid".to_owned(),
        text: "`args.nhid` is 200".to_owned(),
        span: Some(span),
        evidence: "it is the default of `--nhid`".to_owned(),
    }
}

fn case() -> Case {
    let mut sources = MemorySources::new();
    let model = sources.add("model.py", MODEL);
    let train = sources.add("train.py", TRAIN);
    let at = |file, needle: &str| span(&sources, file, needle);

    let mut mismatch = Finding::new(
        "shape/mismatch",
        Severity::Error,
        "`nn.Linear` takes 401 features, but its input has 400",
        Label::new(at(model, "self.decoder(h)"), "the last dimension must be 401"),
    );
    mismatch.labels = vec![
        Label::new(at(model, "h)\n"), "[64, 400]"),
        Label::new(at(model, "nn.Linear(401, 784)"), "`in_features` is 401"),
        Label::new(at(train, "net(torch.rand(64, 784))"), "called here with [64, 784]"),
    ];

    let mut conditional = Finding::new(
        "shape/possible-mismatch",
        Severity::Warning,
        "the hidden size must be the input size",
        Label::new(at(train, "Net(200, 200)"), ""),
    );
    conditional.condition = Some("nhid != ninp".to_owned());
    conditional.counterexample = Some("nhid = 201, ninp = 200".to_owned());
    conditional.assumptions = vec![assumption(at(train, "200"))];
    conditional.notes = vec!["the sizes come from the command line".to_owned()];

    let mut invariant = Finding::new(
        "hoist/loop-invariant",
        Severity::Warning,
        "`torch.eye` gives the same tensor in every iteration",
        Label::new(at(train, "torch.eye(400)"), "does not depend on the loop"),
    );
    invariant.labels = vec![Label::new(at(train, "for step in range(10):"), "the loop")];
    invariant.help = Some("create it before the loop".to_owned());
    invariant.suggestion = Some("scale = torch.eye(400)\nfor step in range(10):\n    ...".to_owned());
    invariant.edits = vec![Edit { span: at(train, "\tscale = torch.eye(400)\n"), replacement: String::new() }];

    let reveal = Finding::new(
        REVEAL_RULE,
        Severity::Note,
        "[64, 784] float32",
        Label::new(at(train, "torch.rand(64, 784)"), ""),
    );

    let entry = |name: &str, verdict, assumptions| EntryVerdict {
        name: name.to_owned(),
        span: at(train, "net ="),
        verdict,
        inputs: Vec::new(),
        training_step: None,
        assumptions,
    };
    let mut summary = Summary {
        files: 2,
        lines: 18,
        imported: 2,
        entries: vec![
            entry("train.py", Verdict::Error, vec![assumption(at(train, "200"))]),
            EntryVerdict {
                inputs: vec![("x".to_owned(), "s@[784]".to_owned()), ("y\u{1b}".to_owned(), "[a, b]".to_owned())],
                ..entry("train.main", Verdict::NoErrorPossible, Vec::new())
            },
            entry("train.other", Verdict::ErrorWhen("nhid != ninp".to_owned()), Vec::new()),
            entry("train.third", Verdict::DontKnow(vec!["`foo.bar` is not annotated".to_owned()]), Vec::new()),
        ],
        not_understood: vec![
            NotUnderstood { what: "foo.bar".to_owned(), count: 1, example: Some(at(train, "net =")) },
            NotUnderstood { what: "foo.baz".to_owned(), count: 7, example: None },
        ],
        complexities: vec![Complexity {
            kind: "unknown-dispatch",
            places: 3,
            not_followed: 1,
            example: at(train, "net ="),
        }],
        silenced: vec![
            SilencedAlarm {
                span: at(train, "net ="),
                filter: "expected-exception",
                what: "`torch.cat`: a requirement with\u{1b}[31m an escape".to_owned(),
                is_inside: false,
            },
            SilencedAlarm {
                span: at(train, "200"),
                filter: "infeasible-path",
                what: "`torch.cat`: another".to_owned(),
                is_inside: false,
            },
        ],
        is_silenced_cut: false,
        rewrites: Rewrites::default(),
        fixes: None,
        skipped: vec![Skipped {
            path: "data/weights é.py".to_owned(),
            reason: "not text".to_owned(),
            uri: Some("data/weights%20%C3%A9.py".to_owned()),
        }],
        notices: vec![Notice {
            text: "`lib/torch.py` replaces what Harp knows of `torch.zeros`".to_owned(),
            file: Some("lib/torch.py".to_owned()),
        }],
        budgets: vec!["train.py: 1000 paths were followed, the rest was not".to_owned()],
        incomplete_rules: Vec::new(),
        further_remarks: 0,
        suppressed: 0,
        in_source: Vec::new(),
        in_baseline: 0,
        gone_from_baseline: 0,
        answered: vec![Answered { assumption: assumption(at(train, "200")), standing: Standing::Denied }],
        unused_answers: vec![UnusedAnswer { place: "harp.toml:4".to_owned(), standing: Standing::Confirmed }],
        hints: [("`--effort high`".to_owned(), 1), ("`--memory`".to_owned(), 2)].into(),
    };
    let mut findings = vec![reveal, invariant, conditional, mismatch];
    finish(&mut findings, &mut summary, &Selection::default(), &Checked::default(), &sources);
    let rules = vec![RuleDescription {
        id: "shape/mismatch".to_owned(),
        severity: Severity::Error,
        kind: Kind { tags: vec!["shape".to_owned()], is_on_request: false },
        title: "An operation's requirement is violated.".to_owned(),
        page: "# shape/mismatch\n".to_owned(),
    }];
    Case { sources, findings, summary, rules }
}

fn render(render: impl FnOnce(&Report<'_>, &mut Vec<u8>)) -> String {
    let case = case();
    let report =
        Report { findings: &case.findings, summary: &case.summary, sources: &case.sources, rules: &case.rules };
    let mut out = Vec::new();
    render(&report, &mut out);
    String::from_utf8(out).expect("output is UTF-8")
}

fn text(options: TextOptions) -> String {
    render(|report, out| text::render(report, options, out).expect("memory takes everything"))
}

#[test]
fn the_last_line_has_the_hint_that_helps_most() {
    let last = |detail| render(|report, out| text::not_analysed(report, detail, out).expect("memory takes everything"));
    let line = "1 of 4 entry points not fully analysed (--verbose says why); what helps most: `--memory`\n";
    assert_eq!(last(Detail::Brief), line);
    assert_eq!(last(Detail::Full), line);
    assert_eq!(last(Detail::Quiet), "");
}

fn sarif() -> String {
    render(|report, out| sarif::render(report, Detail::Full, out).expect("memory takes everything"))
}

/// Snapshots outlive releases.
fn without_version(output: &str) -> String {
    output.replace(&format!("\"version\": \"{}\"", env!("CARGO_PKG_VERSION")), "\"version\": \"…\"")
}

#[test]
fn text_in_brief() {
    insta::assert_snapshot!(text(TextOptions::default()));
}

#[test]
fn text_in_full_with_color() {
    let text = text(TextOptions { color: Color::Always, detail: Detail::Full, ..TextOptions::default() });
    insta::assert_snapshot!(text.replace('\u{1b}', "␛"));
}

#[test]
fn json() {
    let json = render(|report, out| json::render(report, Detail::Full, out).expect("memory takes everything"));
    insta::assert_snapshot!(without_version(&json));
}

#[test]
fn entries_are_for_those_who_ask() {
    for detail in [Detail::Quiet, Detail::Brief] {
        let json = render(|report, out| json::render(report, detail, out).expect("memory takes everything"));
        let report: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        let verdicts = serde_json::json!({"dont-know": 1, "error": 1, "error-when": 1, "no-error-possible": 1});
        assert_eq!(
            (&report["summary"]["entries"], &report["summary"]["verdicts"]),
            (&serde_json::Value::Null, &verdicts)
        );
        let sarif = render(|report, out| sarif::render(report, detail, out).expect("memory takes everything"));
        assert!(!sarif.contains("\"entries\""));
    }
    let lines =
        |detail| render(|report, out| json::render_lines(report, detail, out).expect("memory takes everything"));
    let (brief, full) = (lines(Detail::Brief), lines(Detail::Full));
    let entries = full.strip_prefix(&brief).expect("the findings come first");
    assert_eq!(entries.lines().filter(|line| line.starts_with("{\"entry\":{\"name\":")).count(), 4);
}

#[test]
fn sarif_log() {
    insta::assert_snapshot!(without_version(&sarif()));
}

#[test]
fn an_analysis_that_failed_has_a_log_without_results() {
    let mut out = Vec::new();
    sarif::render_failure("it was ended by signal 9", &mut out).expect("memory takes everything");
    let log: Value = serde_json::from_slice(&out).expect("SARIF is JSON");
    let run = &log["runs"][0];
    assert_eq!(run["invocations"][0]["executionSuccessful"], false);
    let told = &run["invocations"][0]["toolExecutionNotifications"][0];
    assert_eq!((&told["level"], &told["message"]["text"]), (&"error".into(), &"it was ended by signal 9".into()));
    assert_eq!(run["results"], serde_json::json!([]));
}

/// The demands of SARIF 2.1.0 on what Harp writes: required members, allowed values, one-based regions, indices that exist.
#[test]
fn sarif_has_the_structure_of_the_standard() {
    let log: Value = serde_json::from_str(&sarif()).expect("SARIF is JSON");
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().expect("rules");
    assert!(run["tool"]["driver"]["name"].is_string());
    assert!(run["invocations"][0]["executionSuccessful"].is_boolean());
    let ids: Vec<&str> = rules.iter().map(|rule| rule["id"].as_str().expect("a rule has an id")).collect();
    let mut unique = ids.clone();
    unique.dedup();
    assert_eq!(ids, unique);
    let results = run["results"].as_array().expect("results");
    assert_eq!(results.len(), 4);
    for result in results {
        let index = result["ruleIndex"].as_u64().expect("an index") as usize;
        assert_eq!(result["ruleId"].as_str(), Some(ids[index]));
        assert!(["none", "note", "warning", "error"].contains(&result["level"].as_str().expect("a level")));
        assert!(!result["message"]["text"].as_str().expect("a message").is_empty());
        let related = result["relatedLocations"].as_array().into_iter().flatten();
        for location in result["locations"].as_array().expect("locations").iter().chain(related) {
            check_location(location);
        }
        for fix in result["fixes"].as_array().into_iter().flatten() {
            for change in fix["artifactChanges"].as_array().expect("changes") {
                assert!(change["artifactLocation"]["uri"].is_string());
                for replacement in change["replacements"].as_array().expect("replacements") {
                    check_region(&replacement["deletedRegion"]);
                }
            }
        }
        assert!(result["partialFingerprints"]["harp/v1"].as_str().is_some_and(|print| print.len() == 32));
    }
    for notification in run["invocations"][0]["toolExecutionNotifications"].as_array().expect("notifications") {
        assert!(notification["message"]["text"].is_string());
    }
}

fn check_location(location: &Value) {
    let uri = location["physicalLocation"]["artifactLocation"]["uri"].as_str().expect("a URI");
    assert!(uri.bytes().all(|byte| byte.is_ascii_graphic()), "{uri} is not a URI");
    check_region(&location["physicalLocation"]["region"]);
}

fn check_region(region: &Value) {
    let number = |name: &str| region[name].as_u64().expect("a number");
    assert!(number("startLine") >= 1 && number("startColumn") >= 1);
    assert!((number("startLine"), number("startColumn")) <= (number("endLine"), number("endColumn")));
}

#[test]
fn nothing_from_a_source_file_reaches_the_terminal_raw() {
    let mut sources = MemorySources::new();
    let file = sources.add("evil\u{1b}[2J.py", "x = '\u{1b}[31m\u{202e}\u{9b}2J\u{7}' + y\n");
    let mut finding = Finding::new(
        "r\u{1b}/x",
        Severity::Error,
        "bad \u{1b}[31m\u{202e}",
        Label::new(Span::new(file, 0, 8), "l\u{1b}"),
    );
    finding.notes = vec!["n\u{9b}".to_owned()];
    finding.condition = Some("c\u{1b}".to_owned());
    finding.help = Some("h\u{1b}".to_owned());
    finding.suggestion = Some("s\u{1b}\u{202e}\n".to_owned());
    let summary = Summary {
        skipped: vec![Skipped { path: "p\u{1b}".to_owned(), reason: "r\u{1b}\n".to_owned(), uri: None }],
        not_understood: vec![NotUnderstood { what: "w\u{1b}".to_owned(), count: 1, example: None }],
        ..Summary::default()
    };
    let report = Report { findings: &[finding], summary: &summary, sources: &sources, rules: &[] };
    let mut out = Vec::new();
    text::render(&report, TextOptions::default(), &mut out).expect("memory takes everything");
    let text = String::from_utf8(out).expect("output is UTF-8");
    let raw: Vec<char> =
        text.chars().filter(|it| (it.is_control() && *it != '\n') || ('\u{202a}'..='\u{202e}').contains(it)).collect();
    assert_eq!(raw, [], "{text}");
}

proptest::proptest! {
    /// Whatever the text and wherever the spans point, there is an output and no panic.
    #[test]
    fn any_text_and_spans_render(
        source in "[a-z \t\r\n\u{1b}ß漢🙂\u{301}]{0,200}",
        spans in proptest::collection::vec((0u32..260, 0u32..260), 1..6),
    ) {
        let mut sources = MemorySources::new();
        let file = sources.add("a.py", source);
        let labels: Vec<Label> =
            spans.iter().map(|(start, end)| Label::new(Span::new(file, *start, *end), format!("{start}"))).collect();
        let mut finding = Finding::new("r", Severity::Warning, "m", labels[0].clone());
        finding.edits = vec![Edit { span: labels[0].span, replacement: "new".to_owned() }];
        finding.labels = labels;
        let mut findings = vec![finding];
        let mut summary = Summary::default();
        finish(&mut findings, &mut summary, &Selection::default(), &Checked::default(), &sources);
        let report = Report { findings: &findings, summary: &summary, sources: &sources, rules: &[] };
        let mut out = Vec::new();
        text::render(&report, TextOptions { color: Color::Always, detail: Detail::Full, width: Some(60), ..TextOptions::default() }, &mut out)?;
        json::render(&report, Detail::Full, &mut out)?;
        sarif::render(&report, Detail::Full, &mut out)?;
    }
}
