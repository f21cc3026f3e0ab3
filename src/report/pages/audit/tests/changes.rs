//! What changed since an earlier audit.

use super::*;

pub const WORDS: [(&str, &str); 4] =
    [("new", "not found before"), ("fixed", ""), ("gone", "the file is no more"), ("unknown", "")];

/// A repository with a new finding and two that are fixed, and one that is gone.
fn changes() -> [Changed<'static>; 4] {
    let error = Finding {
        severity: Severity::Error,
        message: "expected 4 channels, got 3",
        path: "a.ipynb",
        cell: Some(2),
        code: "",
        ..finding("shape/mismatch", 7, "2")
    };
    let copy = Finding { code: "", certain: false, ..finding("perf/copy", 3, "1") };
    let changed = |change, repository, finding| Changed { change, repository, finding };
    [
        changed("fixed", "a/b", Finding { certain: false, ..error }),
        changed("new", "a/b", copy),
        changed("fixed", "a/b", Finding { line: 9, ..copy }),
        changed("gone", "z", Finding { severity: Severity::Note, ..copy }),
    ]
}

pub fn small() -> BTreeMap<String, String> {
    let findings = [finding("perf/copy", 3, "1")];
    let copy = Repository { name: "c", original: Some("a/b"), ..repository("c", &findings) };
    report_since(&[repository("a/b", &findings), copy], Some(&changes()))
}

#[test]
fn changes_are_on_the_page_in_lists_and_in_the_summary() {
    let pages = small();
    let shown = pages.iter().filter_map(|(name, page)| {
        let (start, end) = match name.as_str() {
            PAGE => ("<main>", "<section aria-labelledby=\"summary\">"),
            "summary.md" => ("", "Entry points"),
            name if name.contains("changes-") => ("<h2>", "</main>"),
            _ => return None,
        };
        let text = page.split_once(end).and_then(|(text, _)| text.split_once(start)).expect("a part of the page").1;
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        Some(format!("=== {name}\n{}\n", lines.collect::<Vec<_>>().join("\n")))
    });
    insta::assert_snapshot!(shown.collect::<String>());
}

#[test]
fn audits_that_are_equal_have_no_list_of_changes() {
    let findings = [finding("perf/copy", 3, "1")];
    let pages = report_since(&[repository("a", &findings)], Some(&[]));
    assert!(pages[PAGE].contains("<p>0 new, 0 fixed, 0 gone, 0 unknown</p>"));
    assert!(pages["summary.md"].contains("Since the earlier audit: 0 new, 0 fixed, 0 gone, 0 unknown."));
    assert!(pages.keys().all(|name| !name.contains("changes")), "{:?}", pages.keys());
    let alone = report(&[repository("a", &findings)]);
    assert!(alone.values().all(|page| !page.contains("earlier audit")));
}

#[test]
fn rules_and_repositories_with_most_new_findings_come_first() {
    let names: Vec<(String, String)> =
        (0..120).map(|number| (format!("project-{number:03}"), format!("perf/rule-{number:03}"))).collect();
    let changed = names.iter().enumerate().flat_map(|(number, (repository, rule))| {
        // The first ones have most changes, and the last ones most that are new.
        let (change, count) = if number < 5 { ("fixed", 200) } else { ("new", number) };
        std::iter::repeat_n(Changed { change, repository, finding: finding(rule, 1, "") }, count)
    });
    let pages = report_since(&[], Some(&changed.collect::<Vec<_>>()));
    let told = |page: &str, start: &str| {
        let place = |number: usize| page.find(&format!("{start}{number:03}"));
        [119, 118, 20, 19, 0].map(|number| place(number).is_some_and(|at| Some(at) >= place(119)))
    };
    let page = pages[PAGE].split_once("<h2 id=\"summary\">").expect("a summary").0;
    assert_eq!(told(page, "project-"), [true, true, true, false, false]);
    assert_eq!(told(page, "rule-"), [true, true, true, false, false]);
    assert!(page.contains("… and 20 more rules") && page.contains("… and 20 more repositories"));
    assert_eq!(told(&pages["summary.md"], "rule-"), [true, true, false, false, false]);
    assert!(pages["summary.md"].contains("… and 100 more rules."));
}

#[test]
fn changes_that_were_not_counted_are_told() {
    let [first, second, ..] = changes();
    let mut totals = Totals::new(&STATUSES, &[]);
    let mut pages = InMemory::default();
    assert!(Lists::new(&totals, &mut pages).expect("lists").add_change(&first).is_err(), "nothing is compared");
    totals.compare(WORDS);
    totals.add_change(&first);
    let mut pages = InMemory::default();
    assert!(Lists::new(&totals, &mut pages).expect("lists").finish().is_err(), "one is missing");
    let mut pages = InMemory::default();
    let mut lists = Lists::new(&totals, &mut pages).expect("lists");
    assert!(lists.add_change(&second).is_err(), "none is new");
    assert!(lists.add_change(&Changed { repository: "other", ..first }).is_err(), "no such repository");
}
