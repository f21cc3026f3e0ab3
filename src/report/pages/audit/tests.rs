//! The report of a small audit, of a hostile one, and of a large one.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use sha2::{Digest, Sha256};

use super::*;
use crate::pages::templates;
use crate::pages::tests::{HOSTILE, base64, content, names, without_code};
use crate::{Guard, Kind, Notation, RuleDescription, text::Color};

mod changes;

const STATUSES: [(&str, &str); 3] = [("ok", ""), ("partial", "a limit was reached"), ("refused", "not read")];

/// Pages in memory.
#[derive(Debug, Default)]
struct InMemory(BTreeMap<String, String>);

impl Pages for InMemory {
    fn add(&mut self, page: &str, text: &str) -> io::Result<()> {
        self.0.entry(page.to_owned()).or_default().push_str(text);
        Ok(())
    }
}

fn finding<'a>(rule: &'a str, line: u32, fingerprint: &'a str) -> Finding<'a> {
    Finding {
        path: "src/train.py",
        cell: None,
        line,
        column: 5,
        rule,
        severity: Severity::Warning,
        certain: true,
        condition: None,
        fingerprint,
        message: "`x` is copied in each iteration",
        code: "for x in y:",
        has_edit: false,
    }
}

fn repository<'a>(name: &'a str, findings: &'a [Finding<'a>]) -> Repository<'a> {
    Repository {
        name,
        revision: None,
        status: "ok",
        reason: "",
        files: 2,
        lines: 1_234,
        skipped: 0,
        entries: Entries { no_error: 2, error: 0, unknown: 1 },
        training_step: Some("reached"),
        not_understood: 3,
        original: None,
        findings,
    }
}

fn described() -> Vec<RuleDescription> {
    vec![RuleDescription {
        id: "perf/copy".to_owned(),
        severity: Severity::Warning,
        kind: Kind::default(),
        title: "A copy in each iteration of a `for` loop.".to_owned(),
        page: String::new(),
    }]
}

/// All files of a report.
fn report(repositories: &[Repository<'_>]) -> BTreeMap<String, String> {
    report_since(repositories, None)
}

/// All files of a report with what changed.
fn report_since(repositories: &[Repository<'_>], changes: Option<&[Changed<'_>]>) -> BTreeMap<String, String> {
    let mut totals = Totals::new(&STATUSES, &described());
    repositories.iter().for_each(|repository| totals.add(repository));
    if let Some(changes) = changes {
        totals.compare(changes::WORDS);
        changes.iter().for_each(|change| totals.add_change(change));
    }
    let mut pages = InMemory::default();
    let mut lists = Lists::new(&totals, &mut pages).expect("memory takes everything");
    for (number, repository) in repositories.iter().enumerate().filter(|(number, _)| totals.has_rows(*number)) {
        lists.add(number, repository).expect("memory takes everything");
    }
    for change in changes.into_iter().flatten() {
        lists.add_change(change).expect("memory takes everything");
    }
    lists.finish().expect("all came");
    let (mut page, mut summary) = (Vec::new(), Vec::new());
    render(&totals, &mut page).expect("memory takes everything");
    render_summary(&totals, &mut summary).expect("memory takes everything");
    let text = |bytes| String::from_utf8(bytes).expect("output is UTF-8");
    pages.0.extend([(PAGE.to_owned(), text(page)), ("summary.md".to_owned(), text(summary))]);
    pages.0
}

/// Two rules in three repositories, one of which is a copy, and one that was not read.
fn small() -> BTreeMap<String, String> {
    let error = Finding {
        severity: Severity::Error,
        certain: false,
        condition: Some("b > 1"),
        message: "expected 4 channels, got 3",
        cell: Some(2),
        path: "a.ipynb",
        has_edit: true,
        ..finding("shape/mismatch", 7, "2")
    };
    let (first, second) = ([finding("perf/copy", 3, "1"), error], [finding("perf/copy", 9, "3")]);
    let copy = Repository { name: "c", original: Some("a/b"), ..repository("c", &first) };
    let partial = Repository {
        revision: Some("0123abc"),
        status: "partial",
        reason: "the time ran out",
        training_step: None,
        ..repository("b", &second)
    };
    let refused = Repository {
        status: "refused",
        reason: "it is damaged",
        files: 0,
        lines: 0,
        entries: Entries::default(),
        not_understood: 0,
        training_step: None,
        ..repository("d", &[])
    };
    report(&[repository("a/b", &first), partial, copy, refused])
}

#[test]
fn a_small_report() {
    let pages = small();
    let shown = pages.iter().map(|(name, page)| {
        let text = if name.ends_with(".html") { content(page) } else { page };
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        format!("=== {name}\n{}\n", lines.collect::<Vec<_>>().join("\n"))
    });
    insta::assert_snapshot!(shown.collect::<String>());
}

#[test]
fn an_audit_without_findings_has_no_list_of_them() {
    let pages = report(&[repository("a", &[])]);
    assert_eq!(pages.keys().collect::<Vec<_>>(), ["report.html", "report/repositories-1.html", "summary.md"]);
    assert!(pages[PAGE].contains("<p>Nothing was found.</p>"));
    assert!(pages["summary.md"].ends_with("Nothing was found.\n"));
}

#[test]
fn an_empty_audit_has_a_page() {
    let pages = report(&[]);
    assert!(pages[PAGE].contains("0 repositories, 0 findings"));
    assert!(!pages[PAGE].contains("repositories-1.html"), "there is no list");
}

#[test]
fn the_policy_of_pages_knows_their_style_sheet_and_their_script() {
    for page in small().values().filter(|page| page.contains("<html")) {
        for (directive, start, end, content) in [
            ("style-src", "<style>", "</style>", templates::AUDIT_STYLE),
            ("script-src", "<script>", "</script>", templates::AUDIT_SCRIPT),
        ] {
            let hash = base64(&Sha256::digest(content));
            assert!(
                page.contains(&format!("{directive} 'sha256-{hash}'")),
                "the hash for {directive} is sha256-{hash}"
            );
            assert!(page.contains(&format!("{start}{content}{end}")), "{directive}");
        }
    }
}

/// The report of an audit in which every text is hostile.
fn hostile() -> BTreeMap<String, String> {
    let finding = Finding {
        path: HOSTILE,
        message: HOSTILE,
        condition: Some(HOSTILE),
        code: HOSTILE,
        has_edit: true,
        severity: Severity::Error,
        ..finding(HOSTILE, 1, HOSTILE)
    };
    let findings = [finding, Finding { cell: Some(3), ..finding }];
    let first = Repository {
        revision: Some(HOSTILE),
        status: HOSTILE,
        reason: HOSTILE,
        training_step: Some(HOSTILE),
        ..repository(HOSTILE, &findings)
    };
    let changed = |change, finding| Changed { change, repository: HOSTILE, finding };
    let changes = [changed("new", findings[0]), changed("gone", findings[1]), changed(HOSTILE, findings[0])];
    report_since(&[first, Repository { original: Some(HOSTILE), ..first }], Some(&changes))
}

#[test]
fn hostile_text_makes_no_element_no_attribute_and_no_name_of_a_file() {
    let (plain, compared) = (small(), changes::small());
    let known: BTreeSet<&str> = plain
        .values()
        .chain(compared.values())
        .filter(|it| it.contains("<html"))
        .flat_map(|it| names(content(it)))
        .collect();
    for (name, page) in hostile().iter().filter(|(_, page)| page.contains("<html")) {
        assert!(
            name.chars().all(|it| it.is_ascii_alphanumeric() || "-./".contains(it)) && !name.contains(".."),
            "{name}"
        );
        let own: Vec<&str> = names(content(page)).difference(&known).copied().collect();
        assert_eq!(own, [""; 0], "{name}");
        assert_eq!((page.matches("<script").count(), page.matches("</script").count()), (1, 1));
        for part in ["<!--", "\u{2028}", "\u{202e}", "\u{1b}"] {
            assert!(!page.contains(part), "{name} has {part:?}");
        }
        let mut out = Vec::new();
        io::Write::write_all(&mut Guard::new(&mut out, Notation::Text(Color::Never)), page.as_bytes()).expect("memory");
        assert_eq!(String::from_utf8(out).expect("text"), *page, "the guard leaves a page as it is");
    }
}

#[test]
fn hostile_text_of_the_summary_stands_in_code() {
    for line in hostile()["summary.md"].lines() {
        let rest = without_code(line);
        for part in ["<", "@", "](", "http", "alert", "\u{202e}"] {
            assert!(!rest.contains(part), "{part} in {rest}");
        }
        let bars = line.matches('|').count() - line.matches("\\|").count();
        assert!([0, 6, 7, 9].contains(&bars), "{line}");
    }
}

/// Lists of several pages: of findings, of one of many rules, and of changes.
fn long_lists() -> BTreeMap<String, String> {
    let many: Vec<String> = (0..900).map(|number| number.to_string()).collect();
    let findings: Vec<Finding<'_>> = many.iter().map(|it| finding("perf/copy", 1, it)).collect();
    let rules: Vec<String> = (0..1_002).map(|number| format!("perf/rule-{number}")).collect();
    let of_rules: Vec<Finding<'_>> = rules.iter().map(|rule| finding(rule, 1, rule)).collect();
    let mut repositories: Vec<Repository<'_>> =
        ["a", "b", "c", "d"].into_iter().map(|name| repository(name, &findings)).collect();
    repositories.extend([repository("e", &findings[..300]), repository("f", &of_rules)]);
    let changes = repositories.iter().flat_map(|repository| {
        let (kinds, name) = (["new", "fixed", "new"].into_iter().cycle(), repository.name);
        let of_kinds = kinds.zip(repository.findings);
        of_kinds.map(move |(change, finding)| Changed { change, repository: name, finding: *finding })
    });
    report_since(&repositories, Some(&changes.collect::<Vec<_>>()))
}

#[test]
fn a_page_of_a_list_leads_to_the_others() {
    let pages = long_lists();
    for list in ["rule-1", "findings", "changes-new"] {
        let leads = |from: u64, relation: &str, to: u64| {
            let name = if relation.is_empty() { String::new() } else { format!(" rel=\"{relation}\"") };
            pages[&format!("report/{list}-{from}.html")].contains(&format!("<a href=\"{list}-{to}.html\"{name}>"))
        };
        let last =
            (1..).take_while(|number| pages.contains_key(&format!("report/{list}-{number}.html"))).count() as u64;
        assert!(last >= 4, "{list} has {last} pages");
        for number in 1..last {
            assert!(leads(number, "next", number + 1) && leads(number + 1, "prev", number), "{list}-{number}");
        }
        assert!(leads(1, "", last) && leads(last, "", 1), "{list}");
    }
}

#[test]
fn links_lead_to_pages_and_rows_that_are_there_and_to_all_pages() {
    let pages = long_lists();
    let reference = regex::Regex::new(r#"href="([^"]*)""#).expect("an expression");
    let mut leads = 0;
    let mut reached = BTreeMap::from([(PAGE.to_owned(), false)]);
    while let Some(name) = reached.iter().find(|(_, is_read)| !**is_read).map(|(name, _)| name.clone()) {
        for found in reference.captures_iter(&pages[&name]) {
            let (file, anchor) = found[1].split_once('#').unwrap_or((&found[1], ""));
            let file = match (file, name.as_str()) {
                ("", own) => own.to_owned(),
                ("../report.html", _) => PAGE.to_owned(),
                (file, PAGE) => file.to_owned(),
                (file, _) => format!("{FOLDER}/{file}"),
            };
            let target = pages.get(&file).unwrap_or_else(|| panic!("{file} is not there"));
            assert!(anchor.is_empty() || target.contains(&format!("id=\"{anchor}\"")), "{}", &found[1]);
            reached.entry(file).or_default();
            leads += 1;
        }
        reached.insert(name, true);
    }
    assert!(leads > 2_100);
    let all: Vec<&String> = pages.keys().filter(|name| name.ends_with(".html")).collect();
    assert_eq!(reached.keys().collect::<Vec<_>>(), all);
    assert!(["b <small>continued", "c</th>"].iter().all(|it| pages["report/findings-2.html"].contains(it)));
    assert!(pages["report/changes-new-2.html"].contains("b <small>continued"));
}

#[test]
fn examples_are_of_different_repositories_and_the_same_in_any_order() {
    let numbers: Vec<String> = (0..20).map(|number| number.to_string()).collect();
    let findings = [finding("perf/copy", 1, "1"), finding("perf/copy", 2, "2")];
    let mut repositories: Vec<Repository<'_>> = numbers.iter().map(|name| repository(name, &findings)).collect();
    let chosen = |repositories: &[Repository<'_>]| {
        let mut totals = Totals::new(&STATUSES, &[]);
        repositories.iter().for_each(|repository| totals.add(repository));
        let rules = totals.rules();
        rules[0].1.examples.iter().map(|example| example.name.clone()).collect::<Vec<_>>()
    };
    let first = chosen(&repositories);
    assert_eq!(first.iter().collect::<BTreeSet<_>>().len(), 3);
    repositories.reverse();
    assert_eq!(chosen(&repositories), first);
}

#[test]
fn findings_that_were_not_counted_are_told() {
    let findings = [finding("perf/copy", 1, "1"), finding("perf/copy", 2, "2")];
    let mut totals = Totals::new(&STATUSES, &[]);
    totals.add(&repository("a", &findings[..1]));
    let mut pages = InMemory::default();
    assert!(Lists::new(&totals, &mut pages).expect("lists").finish().is_err());
    let mut pages = InMemory::default();
    assert!(Lists::new(&totals, &mut pages).expect("lists").add(0, &repository("a", &findings)).is_err());
}

/// The report of repositories with ten findings each, half of which are of the first of sixty rules. All texts but the places end in `more`.
fn large(count: usize, more: &str) -> BTreeMap<String, String> {
    let fingerprints: Vec<String> = (0..count * 10).map(|number| number.to_string()).collect();
    let rules: Vec<String> = (0..60).map(|rule| format!("perf/rule-{rule}{more}")).collect();
    let names: Vec<String> = (0..count).map(|number| format!("owner-{number:05}/project{more}")).collect();
    let [path, loops, waits, code] = [
        "src/models/train.py",
        "`x` is copied in each iteration",
        "`loss.item()` waits for the accelerator 120 times",
        "total_loss += loss.item() * inputs.size(0)",
    ]
    .map(|text| format!("{text}{more}"));
    let mut findings: Vec<Finding<'_>> = Vec::new();
    for (number, fingerprint) in fingerprints.iter().enumerate() {
        let rule = &rules[if number % 2 == 0 { 0 } else { number % rules.len() }];
        let severity = [Severity::Error, Severity::Warning][number % 2];
        let message = [&loops, &waits][number % 2];
        let place = Finding { path: &path, severity, message, code: &code, ..finding(rule, 7, fingerprint) };
        findings.push(Finding { line: (number % 977) as u32, condition: (!more.is_empty()).then_some(more), ..place });
    }
    let of_one = findings.chunks(10).zip(&names);
    let repositories: Vec<Repository<'_>> = of_one.map(|(findings, name)| repository(name, findings)).collect();
    let changes = repositories.iter().flat_map(|repository| {
        let name = repository.name;
        repository.findings.iter().map(move |finding| Changed { change: "new", repository: name, finding: *finding })
    });
    report_since(&repositories, Some(&changes.collect::<Vec<_>>()))
}

fn rows(page: &str) -> usize {
    page.matches("<tr class=\"row\"").count()
}

fn assert_pages_are_bounded(pages: &BTreeMap<String, String>) {
    for (name, page) in pages {
        assert!(page.len() < 2_000_000, "{name} has {} bytes", page.len());
        assert!(rows(page) <= 1_000, "{name} has {} rows", rows(page));
    }
}

/// `HARP_LARGE_AUDIT=FOLDER` keeps the report: `tests/tools/audit_in_browser.py` measures it.
#[test]
fn a_hundred_thousand_findings_are_all_in_pages_that_are_not_too_large() {
    let pages = large(10_000, "");
    assert_pages_are_bounded(&pages);
    let of =
        |stem: &str| pages.iter().filter(|(name, _)| name.contains(stem)).map(|(_, page)| rows(page)).sum::<usize>();
    let counts = [of("/rule-"), of("/findings-"), of("/changes-"), of("/repositories-")];
    assert_eq!(counts, [100_000, 100_000, 100_000, 10_000]);
    if let Some(folder) = std::env::var_os("HARP_LARGE_AUDIT") {
        let folder = std::path::PathBuf::from(folder);
        std::fs::create_dir_all(folder.join(FOLDER)).expect("a folder");
        pages.iter().for_each(|(name, page)| std::fs::write(folder.join(name), page).expect("a file"));
    }
}

/// Every character of these needs an escape.
#[test]
fn long_texts_make_no_page_too_large() {
    let pages = large(200, &"'`<\"&".repeat(200));
    assert!(pages.values().any(|page| rows(page) == 1_000));
    assert_pages_are_bounded(&pages);
}
