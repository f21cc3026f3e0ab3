//! What is written and read again is the same.

use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;

use crate::facts::{self, Column, FactTable, Rows, Value};
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

/// A file with these bytes, which is read from its beginning.
fn file(bytes: &[u8]) -> std::fs::File {
    use std::io::{Seek, Write};
    let mut file = tempfile::tempfile().expect("a file");
    file.write_all(bytes).and_then(|()| file.rewind()).expect("a file takes everything");
    file
}

fn columns(are_numbers: &[bool]) -> Vec<Column> {
    let column = |(number, is_number): (usize, &bool)| Column { name: format!("c{number}"), is_number: *is_number };
    are_numbers.iter().enumerate().map(column).collect()
}

/// Rows of one relation.
fn fact_rows() -> impl Strategy<Value = (Vec<Column>, Vec<Vec<Value>>)> {
    vec(any::<bool>(), 0..4).prop_flat_map(|are_numbers| {
        let value = |is_number: bool| match is_number {
            true => any::<i64>().prop_map(Value::Number).boxed(),
            false => TEXT.prop_map(Value::Text).boxed(),
        };
        let row: Vec<_> = are_numbers.iter().map(|is_number| value(*is_number)).collect();
        (Just(columns(&are_numbers)), vec(row, 0..5))
    })
}

fn written(columns: &[Column], rows: &[Vec<Value>]) -> Vec<u8> {
    let mut file = Rows::new(columns).expect("memory takes everything");
    rows.iter().for_each(|row| file.add(row).expect("a row of these columns"));
    file.finish().expect("memory takes everything")
}

proptest! {
    #[test]
    fn rows_of_relations_have_the_names_of_their_repositories((columns, rows) in fact_rows()) {
        let part = written(&columns, &rows);
        prop_assert!(facts::is_whole(file(&part), &columns));
        let names = [name(), Name { repository: "c".to_owned(), revision: Some("1".to_owned()) }];
        let mut table = FactTable::new(Vec::new(), &columns).expect("memory takes everything");
        names.iter().for_each(|name| table.add(name, file(&part)).expect("it was just written"));
        let read = facts::read(file(&table.finish().expect("memory takes everything"))).expect("a table");
        let expected = names.iter().flat_map(|name| rows.iter().map(|row| (name.clone(), row.clone())));
        prop_assert_eq!(read, expected.collect::<Vec<_>>());
    }
}

#[test]
fn files_with_other_columns_are_not_taken() {
    let part = written(&columns(&[true]), &[vec![Value::Number(1)]]);
    for other in [&columns(&[false])[..], &columns(&[true, true]), &[Column { name: "x".to_owned(), is_number: true }]]
    {
        assert!(!facts::is_whole(file(&part), other));
        assert!(FactTable::new(Vec::new(), other).expect("memory").add(&name(), file(&part)).is_err());
    }
    assert!(!facts::is_whole(file(&part[..part.len() - 1]), &columns(&[true])));
    let mut rows = Rows::new(&columns(&[true])).expect("memory");
    assert!(rows.add(&[Value::Text("1".to_owned())]).is_err());
    assert!(rows.add(&[]).is_err());
}

#[test]
fn columns_of_a_relation_do_not_hide_the_repository() {
    let called = |name: &str| Column { name: name.to_owned(), is_number: false };
    let schema = crate::schema::facts(&[called("revision_"), called("revision"), called("repository")]);
    let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
    assert_eq!(names, ["repository", "revision", "revision_", "revision__", "repository_"]);
}
