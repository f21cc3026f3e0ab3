//! Pages and documents of hand-built findings: what is in them, and what must never be.

use std::collections::BTreeSet;

use harp_corpus::{Corpus, FileId, Span};
use regex::Regex;
use sha2::{Digest, Sha256};

use super::{html, markdown, templates};
use crate::text::{Color, Detail};
use crate::*;

const MODEL: &str = "\
from torch import nn

hidden = nn.Linear(64, 10)

def forward(x):
    y = x.flatten(1)
    return hidden(y)
";

fn at(sources: &MemorySources, file: FileId, needle: &str) -> Span {
    let start = sources.text(file).find(needle).expect("the needle is in the text");
    Span::new(file, start as u32, (start + needle.len()) as u32)
}

fn assumption(span: Option<Span>) -> Assumption {
    Assumption {
        id: 1,
        kind: "default-value".to_owned(),
        class: Some("S2"),
        subject: "--width".to_owned(),
        text: "`args.width` is 64".to_owned(),
        span,
        evidence: "it is the default of `--width`".to_owned(),
    }
}

/// A finding with everything that one can have.
fn whole_finding(sources: &MemorySources, file: FileId) -> Finding {
    let primary = at(sources, file, "hidden(y)");
    let mut finding =
        Finding::new("shape/mismatch", Severity::Error, "`input` does not fit", Label::new(primary, "fails here"));
    finding.labels = vec![Label::new(at(sources, file, "x.flatten(1)"), "[b, 60] comes from here")];
    finding.condition = Some("width != 60".to_owned());
    finding.counterexample = Some("width = 64".to_owned());
    finding.notes = vec!["the layer is made once".to_owned()];
    finding.help = Some("create the layer with `in_features=60`".to_owned());
    finding.suggestion = Some("hidden = nn.Linear(60, 10)".to_owned());
    finding.assumptions = vec![assumption(None), assumption(Some(at(sources, file, "64")))];
    finding.path = vec![PathStep {
        kind: "entry",
        span: at(sources, file, "def forward(x)"),
        text: "`forward` starts".to_owned(),
        depth: 0,
        holds: None,
        reason: None,
    }];
    let node = |kind, name: &str, needle: &str| SliceNode {
        kind,
        name: name.to_owned(),
        span: Some(at(sources, file, needle)),
    };
    let edge = |from, to, operand: &str, shape: &str| SliceEdge {
        from,
        to,
        operand: operand.to_owned(),
        shape: (!shape.is_empty()).then(|| shape.to_owned()),
    };
    let slice = GraphSlice {
        nodes: vec![
            node(SliceNodeKind::Subject, "torch.nn.Linear", "hidden(y)"),
            node(SliceNodeKind::Operation, "torch.Tensor.flatten", "x.flatten(1)"),
            node(SliceNodeKind::Object, "torch.nn.Linear", "nn.Linear(64, 10)"),
            node(SliceNodeKind::Source, "x", "x)"),
        ],
        edges: vec![edge(1, 0, "input", "[b, 60]"), edge(2, 0, "", ""), edge(3, 1, "input", "[b, 3, 20]")],
        is_cut: true,
    };
    let proof = "mismatch(7:12)  [rules/shape/rules/mismatch.dl:6]\n└─ violated(7:12)  given\n".to_owned();
    finding.explanation = Some(Box::new(Explanation { slice, proof }));
    finding
}

fn report_of(findings: &mut Vec<Finding>, sources: &dyn Sources, write: impl Fn(&Report<'_>, &mut Vec<u8>)) -> String {
    let mut summary = Summary {
        files: 2,
        lines: 9,
        entries: vec![EntryVerdict {
            name: "model.forward".to_owned(),
            span: Span::new(FileId(0), 0, 1),
            verdict: Verdict::DontKnow(vec!["`foo.bar` is not annotated".to_owned()]),
            inputs: Vec::new(),
            training_step: None,
            assumptions: Vec::new(),
        }],
        not_understood: vec![NotUnderstood { what: "foo|bar".to_owned(), count: 2, example: None }],
        skipped: vec![Skipped { path: "weights.py".to_owned(), reason: "not text".to_owned(), uri: None }],
        notices: vec![Notice { text: "`lib/<b>.py` replaces `torch.zeros`".to_owned(), file: None }],
        budgets: vec!["train.py: the time ran out".to_owned()],
        unused_answers: vec![UnusedAnswer { place: "harp.toml:4".to_owned(), standing: Standing::Confirmed }],
        ..Summary::default()
    };
    finish(findings, &mut summary, &Selection::default(), &Checked::default(), sources);
    let rules = [RuleDescription {
        id: "shape/mismatch".to_owned(),
        severity: Severity::Error,
        kind: Kind::default(),
        title: "An operation whose operands never fit.".to_owned(),
        page: String::new(),
    }];
    let mut out = Vec::new();
    write(&Report { findings, summary: &summary, sources, rules: &rules }, &mut out);
    String::from_utf8(out).expect("output is UTF-8")
}

fn page(findings: &mut Vec<Finding>, sources: &dyn Sources) -> String {
    report_of(findings, sources, |report, out| {
        html::render(report, Detail::Full, out).expect("memory takes everything")
    })
}

fn document(findings: &mut Vec<Finding>, sources: &dyn Sources) -> String {
    report_of(findings, sources, |report, out| {
        markdown::render(report, Detail::Full, out).expect("memory takes everything")
    })
}

fn model() -> (MemorySources, FileId) {
    let mut sources = MemorySources::new();
    let file = sources.add("model.py", MODEL);
    (sources, file)
}

/// What stands between the style sheet and the script, which have tests of their own.
pub(in crate::pages) fn content(page: &str) -> &str {
    let (_, rest) = page.split_once("</style>").expect("a style sheet");
    rest.split_once("<script>").expect("a script").0
}

#[test]
fn a_page_shows_all_of_a_finding() {
    let (sources, file) = model();
    insta::assert_snapshot!(content(&page(&mut vec![whole_finding(&sources, file)], &sources)));
}

#[test]
fn a_document_shows_all_of_a_finding() {
    let (sources, file) = model();
    insta::assert_snapshot!(document(&mut vec![whole_finding(&sources, file)], &sources));
}

#[test]
fn a_report_without_findings_says_so() {
    let (sources, _) = model();
    assert!(page(&mut Vec::new(), &sources).contains("<p>Nothing was found.</p>"));
    assert!(document(&mut Vec::new(), &sources).ends_with("## Findings\n\nNothing was found.\n"));
}

#[test]
fn a_place_in_a_notebook_is_a_cell_and_a_line() {
    let notebook = r#"{"cells": [{"cell_type": "markdown", "source": []}, {"cell_type": "code", "source": ["a = 1\n", "b = 2\n"]}],
        "metadata": {}, "nbformat": 4, "nbformat_minor": 5}"#;
    let corpus = Corpus::single("train.ipynb", notebook);
    let offset = corpus.text(FileId(0)).find("b = 2").expect("the cell's code") as u32;
    let label = Label::new(Span::new(FileId(0), offset, offset + 5), "");
    let finding = Finding::new("r/x", Severity::Error, "m", label);
    assert!(page(&mut vec![finding.clone()], &corpus).contains("train.ipynb, cell 2, line 2"));
    assert!(document(&mut vec![finding], &corpus).contains("`train.ipynb, cell 2, line 2`"));
}

/// What analysed code may want to smuggle into a report.
pub(in crate::pages) const HOSTILE: &str = "</script><script>alert(1)</script><!--<img src=x onerror=alert(2)>\"'`</noscript></svg></style>\
    \u{2028}\u{202e}\u{1b}[31m &amp; [x](javascript:alert) @everyone ```` | ## [ http://evil.example {{ 7 * 7 }} {% raw %}";

/// A finding of which every text is hostile.
fn hostile() -> (MemorySources, Finding) {
    let mut sources = MemorySources::new();
    let file = sources.add(format!("{HOSTILE}.py"), format!("x = '''{HOSTILE}'''\ny = x\n"));
    let span = Span::new(file, 0, 12);
    let hostile = || HOSTILE.to_owned();
    let mut finding = Finding::new(format!("r/{HOSTILE}"), Severity::Warning, HOSTILE, Label::new(span, HOSTILE));
    finding.labels = vec![Label::new(Span::new(file, 4, 30), HOSTILE)];
    finding.notes = vec![hostile()];
    finding.condition = Some(hostile());
    finding.counterexample = Some(hostile());
    finding.help = Some(hostile());
    finding.suggestion = Some(hostile());
    finding.applicability = Some(Applicability::Unsafe(hostile()));
    finding.assumptions = vec![
        Assumption { kind: hostile(), subject: hostile(), text: hostile(), evidence: hostile(), ..assumption(None) },
        Assumption { subject: hostile(), ..assumption(None) },
    ];
    finding.path = vec![PathStep { kind: "call", span, text: hostile(), depth: 99, holds: None, reason: None }];
    let node = |kind| SliceNode { kind, name: hostile(), span: Some(span) };
    let edge = SliceEdge { from: 1, to: 0, operand: hostile(), shape: Some(hostile()) };
    let slice = GraphSlice {
        nodes: vec![node(SliceNodeKind::Subject), node(SliceNodeKind::Source)],
        edges: vec![edge],
        is_cut: false,
    };
    finding.explanation = Some(Box::new(Explanation { slice, proof: hostile() }));
    (sources, finding)
}

/// The names of the elements of a page and of their attributes. Every `<` begins a tag, and every tag is of the form that templates write.
pub(in crate::pages) fn names(page: &str) -> BTreeSet<&str> {
    let tag = Regex::new(r#"^</?([a-z0-9]+)((?:\s+[a-zA-Z-]+(?:="[^"<>]*"|=[a-z]+)?)*)\s*/?>"#).expect("an expression");
    let attribute = Regex::new(r#"([a-zA-Z-]+)(?:="[^"]*"|=[a-z]+)?"#).expect("an expression");
    let mut names = BTreeSet::new();
    for (start, _) in page.match_indices('<') {
        let found = tag.captures(&page[start..]).unwrap_or_else(|| panic!("no tag: {}", &page[start..][..80]));
        names.insert(found.get(1).map_or("", |name| name.as_str()));
        let attributes = found.get(2).map_or("", |attributes| attributes.as_str());
        names.extend(attribute.captures_iter(attributes).filter_map(|it| Some(it.get(1)?.as_str())));
    }
    names
}

#[test]
fn hostile_text_makes_no_element_and_no_attribute_of_a_page() {
    let (sources, file) = model();
    let plain = page(&mut vec![whole_finding(&sources, file)], &sources);
    let (sources, finding) = hostile();
    let page = page(&mut vec![finding], &sources);
    let own: Vec<&str> = names(content(&page)).difference(&names(content(&plain))).copied().collect();
    assert_eq!(own, [""; 0]);
    assert!(!names(content(&page)).iter().any(|name| name.starts_with("on") || ["style", "src"].contains(name)));
    assert_eq!((page.matches("<script").count(), page.matches("</script").count()), (1, 1));
    assert!(
        !page.contains("<!--") && !page.contains("\u{2028}") && !page.contains('\u{202e}') && !page.contains('\u{1b}')
    );
    assert!(page.contains("{{ 7 * 7 }}"));
}

#[test]
fn a_page_refers_to_nothing_outside_of_it() {
    let (sources, file) = model();
    let page = page(&mut vec![whole_finding(&sources, file)], &sources);
    for outside in ["http:", "https:", "//", "url(", "@import", "src=", "<link", "<iframe"] {
        let in_code = if outside == "//" { content(&page) } else { &page };
        assert!(!in_code.contains(outside), "{outside}");
    }
    let reference = Regex::new(r#"href="([^"]*)""#).expect("an expression");
    for found in reference.captures_iter(&page) {
        let anchor = found[1].strip_prefix('#').expect("a reference within the page").to_owned();
        assert!(page.contains(&format!("id=\"{anchor}\"")), "{anchor}");
    }
}

/// In each line of a document, code hides what is hostile: without its code spans and blocks, nothing of it is left.
#[test]
fn hostile_text_of_a_document_stands_in_code() {
    let (sources, finding) = hostile();
    let document = document(&mut vec![finding], &sources);
    let mut fence: Option<&str> = None;
    for line in document.lines() {
        let marks = &line[..line.bytes().take_while(|byte| *byte == b'`').count()];
        match fence {
            Some(open) if line == open => fence = None,
            Some(_) => {}
            None if marks.len() >= 3 && !line[marks.len()..].contains('`') => fence = Some(marks),
            None => {
                let rest = without_code(line);
                for part in ["<", "@", "](", "http", "alert", "\u{202e}"] {
                    assert!(!rest.contains(part), "{part} in {rest}");
                }
                let bars = line.matches('|').count() - line.matches("\\|").count();
                assert!(!line.starts_with('|') || (4..=5).contains(&bars), "{line}");
            }
        }
    }
    assert_eq!(fence, None);
}

/// A line without its code spans, as CommonMark finds them: from a run of backticks to the next one of the same length.
pub(in crate::pages) fn without_code(line: &str) -> String {
    let run = |text: &str| text.bytes().take_while(|byte| *byte == b'`').count();
    let mut rest = line;
    let mut outside = String::new();
    while let Some(start) = rest.find('`') {
        outside.push_str(&rest[..start]);
        rest = &rest[start..];
        let length = run(rest);
        let mut end = length;
        let closed = loop {
            let Some(next) = rest[end..].find('`') else { break None };
            let found = run(&rest[end + next..]);
            end += next + found;
            if found == length {
                break Some(end);
            }
        };
        rest = &rest[closed.unwrap_or(length)..];
    }
    outside + rest
}

#[test]
fn the_policy_of_a_page_knows_its_style_sheet_and_its_script() {
    let (sources, file) = model();
    let page = page(&mut vec![whole_finding(&sources, file)], &sources);
    for (directive, start, end, content) in [
        ("style-src", "<style>", "</style>", templates::STYLE),
        ("script-src", "<script>", "</script>", templates::SCRIPT),
    ] {
        let hash = base64(&Sha256::digest(content));
        assert!(page.contains(&format!("{directive} 'sha256-{hash}'")), "the hash for {directive} is sha256-{hash}");
        assert!(page.contains(&format!("{start}{content}{end}")), "{directive}");
    }
}

pub(in crate::pages) fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let bits = chunk.iter().fold(0u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for digit in 0..4 {
            let is_there = digit <= chunk.len();
            text.push(if is_there { DIGITS[(bits >> (18 - 6 * digit) & 63) as usize] as char } else { '=' });
        }
    }
    text
}

/// The guard behind every output leaves a page as it is, so that its hashes hold.
#[test]
fn a_page_passes_the_guard_unchanged() {
    use std::io::Write;
    let (sources, file) = model();
    let page = page(&mut vec![whole_finding(&sources, file)], &sources);
    let mut out = Vec::new();
    Guard::new(&mut out, Notation::Text(Color::Never)).write_all(page.as_bytes()).expect("memory takes everything");
    assert_eq!(String::from_utf8(out).expect("text"), page);
}

/// Many findings with everything, as of a project that nobody has looked at yet.
fn many(count: usize) -> (MemorySources, Vec<Finding>) {
    let mut sources = MemorySources::new();
    let files: Vec<FileId> = (0..100).map(|file| sources.add(format!("package/module_{file}.py"), MODEL)).collect();
    let finding = |number: usize| {
        let finding = whole_finding(&sources, files[number % files.len()]);
        Finding { message: format!("`input` {number} does not fit"), ..finding }
    };
    let findings = (0..count).map(finding).collect();
    (sources, findings)
}

/// `HARP_LARGE_PAGE=FILE` keeps the page: `tests/tools/report_in_browser.py` measures it.
#[test]
fn many_findings_are_all_in_a_page_that_is_not_too_large() {
    let large = std::env::var_os("HARP_LARGE_PAGE");
    let count = if large.is_some() { 10_000 } else { 1_000 };
    let (sources, mut findings) = many(count);
    let page = page(&mut findings, &sources);
    assert_eq!(page.matches("<details class=\"finding\"").count(), count);
    assert_eq!(page.matches("<noscript>").count(), count);
    for number in [0, count / 2, count - 1] {
        assert!(page.contains(&format!("`input` {number} does not fit")));
    }
    assert!(page.len() < count * (8 << 10), "{}", page.len());
    if let Some(path) = large {
        std::fs::write(path, &page).expect("the page can be written");
    }
}

#[test]
fn a_page_is_the_same_whatever_the_order_in_which_findings_came() {
    let (sources, mut findings) = many(40);
    let first = page(&mut findings, &sources);
    findings.reverse();
    assert_eq!(page(&mut findings, &sources), first);
}
