use harp_corpus::Span;

use super::*;
use crate::changed_lines::{Block, ChangedFile, Hunk};
use crate::finding::{Label, Severity};
use crate::fingerprint;
use crate::sources::MemorySources;

/// A file with the rule, severity, condition and code of its findings.
type Found<'a> = (&'a str, &'a str, &'a [(&'a str, Severity, Option<&'a str>, &'a str)]);

fn side((name, text, found): Found<'_>) -> (Vec<Finding>, MemorySources) {
    let mut sources = MemorySources::new();
    let file = sources.add(name, text);
    let mut from = 0;
    let mut findings: Vec<Finding> = found
        .iter()
        .map(|(rule, severity, condition, code)| {
            let start = from + text[from..].find(code).expect("the code is there");
            from = start + 1;
            let label = Label::new(Span::new(file, start as u32, (start + code.len()) as u32), "");
            let finding = Finding::new(*rule, *severity, "message", label);
            Finding { condition: condition.map(str::to_owned), ..finding }
        })
        .collect();
    fingerprint::assign(&mut findings, &sources);
    (findings, sources)
}

/// The letter of each finding of the new side, and how many are gone.
fn compared(
    old: Found<'_>,
    new: Found<'_>,
    blocks: &[(std::ops::Range<u32>, std::ops::Range<u32>)],
) -> (String, usize) {
    let blocks: Vec<Block> = blocks.iter().map(|(old, new)| Block { old: old.clone(), new: new.clone() }).collect();
    let hunk = Hunk { new: 1..100, blocks };
    let file = ChangedFile { old: Some(old.0.into()), new: Some(new.0.into()), hunks: vec![hunk] };
    let lines = ChangedLines::new(vec![file]);
    let ((old, old_sources), (new, new_sources)) = (side(old), side(new));
    let sides = [Side { findings: &old, sources: &old_sources }, Side { findings: &new, sources: &new_sources }];
    let comparison = compare(sides[0], sides[1], &lines);
    let letter = |standing: &Standing| match standing {
        Standing::Introduced => 'i',
        Standing::Worse(_) => 'w',
        Standing::Unchanged(_) => 'u',
    };
    (comparison.standings.iter().map(letter).collect(), comparison.fixed.len())
}

const ERROR: Severity = Severity::Error;
const WARNING: Severity = Severity::Warning;

#[test]
fn of_equal_lines_the_added_one_is_introduced() {
    let one = ("shape/mismatch", ERROR, None, "f(x)");
    let old = ("a.py", "f(x)\n", &[one][..]);
    assert_eq!(compared(old, ("a.py", "f(x)\nf(x)\n", &[one, one]), &[(1..1, 1..2)]), ("iu".into(), 0));
    assert_eq!(compared(old, ("a.py", "f(x)\nf(x)\n", &[one, one]), &[(2..2, 2..3)]), ("ui".into(), 0));
}

#[test]
fn moved_and_renamed_code_is_not_new_and_what_goes_is_fixed() {
    let one = ("shape/mismatch", ERROR, None, "f(x)");
    let old = ("a.py", "f(x)\n", &[one][..]);
    assert_eq!(compared(old, ("b.py", "y = f(x)\n", &[one]), &[(1..2, 1..2)]), ("u".into(), 0));
    assert_eq!(compared(old, ("a.py", "y = 1\n", &[]), &[(1..2, 1..2)]), (String::new(), 1));
}

#[test]
fn an_edited_line_that_still_fails_is_not_new() {
    let old = ("a.py", "f(x, 1)\n", &[("shape/mismatch", ERROR, None, "f(x, 1)")][..]);
    let new = ("a.py", "f(x, 2)\n", &[("shape/mismatch", ERROR, None, "f(x, 2)")][..]);
    assert_eq!(compared(old, new, &[(1..2, 1..2)]), ("u".into(), 0));
    let elsewhere = ("a.py", "\nf(x, 2)\n", &[("shape/mismatch", ERROR, None, "f(x, 2)")][..]);
    assert_eq!(compared(old, elsewhere, &[(1..2, 1..1), (2..2, 2..3)]), ("i".into(), 1));
}

#[test]
fn what_was_possible_and_is_certain_is_made_worse() {
    let may = ("a.py", "f(x)\n", &[("shape/possible", WARNING, Some("n != 3"), "f(x)")][..]);
    let does = ("a.py", "f(x)\n", &[("shape/mismatch", ERROR, None, "f(x)")][..]);
    assert_eq!(compared(may, does, &[]), ("w".into(), 0));
    assert_eq!(compared(does, may, &[]), ("u".into(), 0));
    let without = ("a.py", "f(x)\n", &[("shape/possible", WARNING, None, "f(x)")][..]);
    assert_eq!(compared(may, without, &[]), ("w".into(), 0));
    let other = ("a.py", "f(x)\n", &[("perf/sync", WARNING, None, "f(x)")][..]);
    assert_eq!(compared(may, other, &[]), ("i".into(), 1));
}
