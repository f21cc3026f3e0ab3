//! Turns columns back into rows. The columns are those of the schema: who reads a file has compared them.

use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int64Type, UInt32Type, UInt64Type};
use arrow_array::{Array, ArrayRef, Int64Array, ListArray, RecordBatch, StringArray, StructArray, UInt32Array};

use crate::rows::{Assumption, Edit, Entries, Finding, Place, Repository, Saving, Status};

/// The row of a repository, which is the first one, with these files and findings.
pub(crate) fn repository(row: &RecordBatch, paths: Vec<String>, findings: &StructArray) -> Repository {
    let number = |name: &str| row[name].as_primitive::<UInt64Type>().value(0);
    let measured = |name: &str| row[name].is_valid(0).then(|| number(name));
    let text = |name: &str| row[name].as_string::<i32>().value(0).to_owned();
    Repository {
        // Who writes tables knows all words.
        status: Status::of_word(&text("status")).unwrap_or(Status::Crash),
        reason: text("reason"),
        files: number("files"),
        lines: number("lines"),
        skipped: number("skipped"),
        entries: Entries {
            no_error: number("entries_no_error"),
            error: number("entries_error"),
            unknown: number("entries_unknown"),
        },
        training_step: row["training_step"].is_valid(0).then(|| text("training_step")),
        not_understood: number("not_understood"),
        cpu_ms: measured("cpu_ms"),
        peak_memory: measured("peak_memory"),
        paths,
        findings: self::findings(findings),
    }
}

fn findings(columns: &StructArray) -> Vec<Finding> {
    let columns = RecordBatch::from(columns);
    let places = Places::of(&columns);
    let texts = |name: &str| columns[name].as_string::<i32>();
    let [rules, severities, fingerprints, messages, codes] =
        ["rule", "severity", "fingerprint", "message", "code"].map(texts);
    let [conditions, helps, applicabilities] = ["condition", "help", "applicability"].map(texts);
    let certain = columns["certain"].as_boolean();
    let assumptions = Lists::of(&columns["assumptions"]);
    let edits = Lists::of(&columns["edits"]);
    let assumption_texts = ["kind", "subject", "text", "evidence"].map(|name| assumptions.texts(name));
    let edit_places = Places::of(&edits.items);
    let replacements = edits.texts("replacement");
    let savings = columns["saving"].as_struct();
    let finding = |row: usize| Finding {
        place: places.at(row),
        rule: rules.value(row).to_owned(),
        severity: severities.value(row).to_owned(),
        certain: certain.value(row),
        condition: some_text(conditions, row),
        fingerprint: fingerprints.value(row).to_owned(),
        message: messages.value(row).to_owned(),
        help: some_text(helps, row),
        code: codes.value(row).to_owned(),
        assumptions: assumptions.rows(row).map(|row| assumption(assumption_texts, row)).collect(),
        saving: savings.is_valid(row).then(|| saving(savings, row)),
        edits: edits
            .rows(row)
            .map(|row| Edit { place: edit_places.at(row), replacement: replacements.value(row).to_owned() })
            .collect(),
        applicability: some_text(applicabilities, row),
    };
    (0..columns.num_rows()).map(finding).collect()
}

fn assumption(texts: [&StringArray; 4], row: usize) -> Assumption {
    let [kind, subject, text, evidence] = texts.map(|texts| texts.value(row).to_owned());
    Assumption { kind, subject, text, evidence }
}

fn saving(columns: &StructArray, row: usize) -> Saving {
    let amount = |column: usize| {
        let amounts: &Int64Array = columns.column(column).as_primitive::<Int64Type>();
        amounts.is_valid(row).then(|| amounts.value(row))
    };
    let [calls, bytes, flops, syncs] = [0, 1, 2, 3].map(amount);
    Saving { calls, bytes, flops, syncs, text: columns.column(4).as_string::<i32>().value(row).to_owned() }
}

fn some_text(texts: &StringArray, row: usize) -> Option<String> {
    texts.is_valid(row).then(|| texts.value(row).to_owned())
}

/// The columns of a place.
struct Places<'a> {
    paths: &'a StringArray,
    cells: &'a UInt32Array,
    numbers: [&'a UInt32Array; 4],
}

impl<'a> Places<'a> {
    fn of(columns: &'a RecordBatch) -> Places<'a> {
        let numbers = |name: &str| columns[name].as_primitive::<UInt32Type>();
        Places {
            paths: columns["path"].as_string::<i32>(),
            cells: numbers("cell"),
            numbers: ["line", "column", "end_line", "end_column"].map(numbers),
        }
    }

    fn at(&self, row: usize) -> Place {
        let [line, column, end_line, end_column] = self.numbers.map(|numbers| numbers.value(row));
        let cell = self.cells.is_valid(row).then(|| self.cells.value(row));
        Place { path: self.paths.value(row).to_owned(), cell, line, column, end_line, end_column }
    }
}

/// A column of lists.
struct Lists<'a> {
    lists: &'a ListArray,
    items: RecordBatch,
}

impl<'a> Lists<'a> {
    fn of(column: &'a ArrayRef) -> Lists<'a> {
        let lists = column.as_list::<i32>();
        Lists { lists, items: RecordBatch::from(lists.values().as_struct()) }
    }

    fn texts(&self, name: &str) -> &StringArray {
        self.items[name].as_string::<i32>()
    }

    /// The rows of the items that a list has.
    fn rows(&self, row: usize) -> Range<usize> {
        let offsets = self.lists.value_offsets();
        // Offsets are not negative.
        let at = |index: usize| usize::try_from(offsets[index]).unwrap_or_default();
        at(row)..at(row + 1)
    }
}
