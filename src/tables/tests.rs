//! What is written and read again is the same.

use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;

use crate::rows::{Assumption, Edit, Entries, Finding, Place, Repository, Saving, Status};
use crate::{Name, Part};

/// Also empty, with quotes, line ends and what is no ASCII.
const TEXT: &str = "[ab\"'<\n\u{0}ß😀]{0,6}";

fn place() -> impl Strategy<Value = Place> {
    (TEXT, of(any::<u32>()), any::<[u32; 4]>()).prop_map(|(path, cell, [line, column, end_line, end_column])| Place {
        path,
        cell,
        line,
        column,
        end_line,
        end_column,
    })
}

fn assumption() -> impl Strategy<Value = Assumption> {
    [TEXT; 4].prop_map(|[kind, subject, text, evidence]| Assumption { kind, subject, text, evidence })
}

fn saving() -> impl Strategy<Value = Saving> {
    (any::<[Option<i64>; 4]>(), TEXT).prop_map(|([calls, bytes, flops, syncs], text)| Saving {
        calls,
        bytes,
        flops,
        syncs,
        text,
    })
}

fn edit() -> impl Strategy<Value = Edit> {
    (place(), TEXT).prop_map(|(place, replacement)| Edit { place, replacement })
}

fn finding() -> impl Strategy<Value = Finding> {
    let own = (place(), [TEXT; 5], any::<bool>(), [of(TEXT), of(TEXT), of(TEXT)]);
    let lists = (vec(assumption(), 0..3), of(saving()), vec(edit(), 0..3));
    (own, lists).prop_map(|((place, texts, certain, some_texts), (assumptions, saving, edits))| {
        let [rule, severity, fingerprint, message, code] = texts;
        let [condition, help, applicability] = some_texts;
        Finding {
            place,
            rule,
            severity,
            certain,
            condition,
            fingerprint,
            message,
            help,
            code,
            assumptions,
            saving,
            edits,
            applicability,
        }
    })
}

fn repository() -> impl Strategy<Value = Repository> {
    let numbers = (any::<[u64; 7]>(), any::<[Option<u64>; 2]>());
    let texts = (prop::sample::select(Status::ALL.to_vec()), TEXT, of(TEXT));
    let lists = (vec(TEXT, 0..3), vec(finding(), 0..4));
    (texts, numbers, lists).prop_map(|((status, reason, training_step), (numbers, measured), (paths, findings))| {
        let [files, lines, skipped, no_error, error, unknown, not_understood] = numbers;
        let [cpu_ms, peak_memory] = measured;
        let entries = Entries { no_error, error, unknown };
        Repository {
            status,
            reason,
            files,
            lines,
            skipped,
            entries,
            training_step,
            not_understood,
            cpu_ms,
            peak_memory,
            paths,
            findings,
        }
    })
}

fn name() -> Name {
    Name { repository: "a/b".to_owned(), revision: None }
}

proptest! {
    #[test]
    fn a_part_is_read_as_it_was_written(repository in repository()) {
        let part = Part::of(&name(), &repository, "1").expect("few rows");
        prop_assert_eq!(&part.repository(), &repository);
        prop_assert_eq!(part.status(), Some(repository.status));
        let mut file = Vec::new();
        part.write(&mut file).expect("memory takes everything");
        let read = Part::read(file).expect("it was just written");
        prop_assert_eq!(read.repository(), repository);
    }
}

#[test]
fn what_is_no_part_is_not_read() {
    let part = Part::of(&name(), &Repository::without(Status::Refused, "it is damaged"), "1").expect("few rows");
    let mut file = Vec::new();
    part.write(&mut file).expect("memory takes everything");
    assert!(Part::read(Vec::new()).is_none());
    assert!(Part::read(b"PAR1".to_vec()).is_none());
    for kept in [file.len() / 2, file.len() - 1] {
        assert!(Part::read(file[..kept].to_vec()).is_none(), "{kept} of {} bytes", file.len());
    }
}
