//! Turns rows into columns.

use std::sync::Arc;

use arrow_array::{
    ArrayRef, BooleanArray, Int64Array, ListArray, RecordBatch, StringArray, StructArray, UInt32Array, UInt64Array,
};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{ArrowError, DataType, Fields};

use crate::rows::{Assumption, Edit, Finding, Place, Repository, Saving};
use crate::schema;

/// What a repository is called in tables.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Name {
    /// Unique in an audit.
    pub repository: String,
    /// The commit, or what else names this state of it.
    pub revision: Option<String>,
}

/// Rows of repositories with their findings in a list.
///
/// # Errors
///
/// Where more findings come together than a column can count.
pub fn nested(rows: &[(&Name, &Repository)], tool_version: &str) -> Result<RecordBatch, ArrowError> {
    let names: Vec<&Name> = rows.iter().map(|(name, _)| *name).collect();
    let repositories: Vec<&Repository> = rows.iter().map(|(_, row)| *row).collect();
    let all: Vec<&Finding> = repositories.iter().flat_map(|row| &row.findings).collect();
    let findings = StructArray::new(schema::finding_columns(), findings(&all)?, None);
    let paths = StringArray::from_iter_values(repositories.iter().flat_map(|row| &row.paths));
    let paths = list(DataType::Utf8, Arc::new(paths), repositories.iter().map(|row| row.paths.len()))?;
    let findings = structs(schema::finding_columns(), findings, repositories.iter().map(|row| row.findings.len()))?;
    let mut columns = name_columns(&names);
    columns.extend(repository_columns(&repositories, tool_version));
    columns.extend([paths, findings]);
    RecordBatch::try_new(schema::nested(), columns)
}

pub(crate) fn name_columns(names: &[&Name]) -> Vec<ArrayRef> {
    let repositories = StringArray::from_iter_values(names.iter().map(|name| &name.repository));
    let revisions = StringArray::from_iter(names.iter().map(|name| name.revision.as_deref()));
    vec![Arc::new(repositories), Arc::new(revisions)]
}

fn repository_columns(rows: &[&Repository], tool_version: &str) -> Vec<ArrayRef> {
    let numbers = |number: fn(&Repository) -> u64| -> ArrayRef {
        Arc::new(UInt64Array::from_iter_values(rows.iter().map(|row| number(row))))
    };
    let measured = |number: fn(&Repository) -> Option<u64>| -> ArrayRef {
        Arc::new(UInt64Array::from_iter(rows.iter().map(|row| number(row))))
    };
    vec![
        Arc::new(StringArray::from_iter_values(rows.iter().map(|row| row.status.as_str()))),
        Arc::new(StringArray::from_iter_values(rows.iter().map(|row| &row.reason))),
        numbers(|row| row.files),
        numbers(|row| row.lines),
        numbers(|row| row.skipped),
        numbers(|row| row.entries.no_error),
        numbers(|row| row.entries.error),
        numbers(|row| row.entries.unknown),
        Arc::new(StringArray::from_iter(rows.iter().map(|row| row.training_step.as_deref()))),
        numbers(|row| row.not_understood),
        numbers(|row| row.findings.len() as u64),
        measured(|row| row.cpu_ms),
        measured(|row| row.peak_memory),
        Arc::new(StringArray::from_iter_values(rows.iter().map(|_| tool_version))),
    ]
}

fn place_columns<'a>(places: impl Iterator<Item = &'a Place> + Clone) -> Vec<ArrayRef> {
    let numbers =
        |number: fn(&Place) -> u32| -> ArrayRef { Arc::new(UInt32Array::from_iter_values(places.clone().map(number))) };
    vec![
        Arc::new(StringArray::from_iter_values(places.clone().map(|place| &place.path))),
        Arc::new(UInt32Array::from_iter(places.clone().map(|place| place.cell))),
        numbers(|place| place.line),
        numbers(|place| place.column),
        numbers(|place| place.end_line),
        numbers(|place| place.end_column),
    ]
}

fn findings(rows: &[&Finding]) -> Result<Vec<ArrayRef>, ArrowError> {
    let texts = |text: fn(&Finding) -> &str| -> ArrayRef {
        Arc::new(StringArray::from_iter_values(rows.iter().map(|row| text(row))))
    };
    let some_texts = |text: fn(&Finding) -> Option<&str>| -> ArrayRef {
        Arc::new(StringArray::from_iter(rows.iter().map(|row| text(row))))
    };
    let assumed: Vec<&Assumption> = rows.iter().flat_map(|row| &row.assumptions).collect();
    let edited: Vec<&Edit> = rows.iter().flat_map(|row| &row.edits).collect();
    let mut columns = place_columns(rows.iter().map(|row| &row.place));
    columns.extend([
        texts(|row| &row.rule),
        texts(|row| &row.severity),
        Arc::new(BooleanArray::from_iter(rows.iter().map(|row| Some(row.certain)))),
        some_texts(|row| row.condition.as_deref()),
        texts(|row| &row.fingerprint),
        texts(|row| &row.message),
        some_texts(|row| row.help.as_deref()),
        texts(|row| &row.code),
        structs(schema::assumption_fields(), assumptions(&assumed), rows.iter().map(|row| row.assumptions.len()))?,
        Arc::new(savings(rows)),
        structs(schema::edit_fields(), edits(&edited), rows.iter().map(|row| row.edits.len()))?,
        some_texts(|row| row.applicability.as_deref()),
    ]);
    Ok(columns)
}

fn assumptions(rows: &[&Assumption]) -> StructArray {
    let texts = |text: fn(&Assumption) -> &str| -> ArrayRef {
        Arc::new(StringArray::from_iter_values(rows.iter().map(|row| text(row))))
    };
    let columns = vec![texts(|it| &it.kind), texts(|it| &it.subject), texts(|it| &it.text), texts(|it| &it.evidence)];
    StructArray::new(schema::assumption_fields(), columns, None)
}

fn savings(rows: &[&Finding]) -> StructArray {
    let savings = || rows.iter().map(|row| row.saving.as_ref());
    let numbers = |number: fn(&Saving) -> Option<i64>| -> ArrayRef {
        Arc::new(Int64Array::from_iter(savings().map(|saving| saving.and_then(number))))
    };
    let columns = vec![
        numbers(|saving| saving.calls),
        numbers(|saving| saving.bytes),
        numbers(|saving| saving.flops),
        numbers(|saving| saving.syncs),
        Arc::new(StringArray::from_iter_values(savings().map(|saving| saving.map_or("", |saving| &saving.text)))),
    ];
    let is_there: Vec<bool> = savings().map(|saving| saving.is_some()).collect();
    StructArray::new(schema::saving_fields(), columns, Some(is_there.into()))
}

fn edits(rows: &[&Edit]) -> StructArray {
    let mut columns = place_columns(rows.iter().map(|row| &row.place));
    columns.push(Arc::new(StringArray::from_iter_values(rows.iter().map(|row| &row.replacement))));
    StructArray::new(schema::edit_fields(), columns, None)
}

/// Lists of so many structs each.
fn structs(fields: Fields, items: StructArray, lengths: impl Iterator<Item = usize>) -> Result<ArrayRef, ArrowError> {
    list(DataType::Struct(fields), Arc::new(items), lengths)
}

/// Lists of so many items each.
fn list(kind: DataType, items: ArrayRef, lengths: impl Iterator<Item = usize>) -> Result<ArrayRef, ArrowError> {
    let lengths: Vec<usize> = lengths.collect();
    // Offsets are 32 bits wide.
    if i32::try_from(lengths.iter().sum::<usize>()).is_err() {
        return Err(ArrowError::InvalidArgumentError("too many rows at once".to_owned()));
    }
    let field = Arc::new(schema::item(kind));
    Ok(Arc::new(ListArray::try_new(field, OffsetBuffer::from_lengths(lengths), items, None)?))
}
