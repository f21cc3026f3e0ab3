//! What differs between two audits: findings that are new, that were fixed, and whose code is gone.

use std::fs::File;
use std::io::{self, Write};
use std::sync::{Arc, LazyLock};

use arrow_array::cast::AsArray;
use arrow_array::types::UInt32Type;
use arrow_array::{ArrayRef, RecordBatch, StringArray, UInt32Array};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use crate::input::io_error_of;
use crate::part::{io_error, properties};
use crate::schema;

/// What became of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// It was not there before.
    New,
    /// Its file is there, and it is not.
    Fixed,
    /// Its file or its repository is no more.
    Gone,
    /// Its repository was not analysed as a whole, so that nobody knows.
    Unknown,
}

impl Change {
    /// All of them, in the order of reports.
    pub const ALL: [Change; 4] = [Change::New, Change::Fixed, Change::Gone, Change::Unknown];

    /// The word in the table.
    pub fn as_str(self) -> &'static str {
        match self {
            Change::New => "new",
            Change::Fixed => "fixed",
            Change::Gone => "gone",
            Change::Unknown => "unknown",
        }
    }
}

/// A finding, as far as it is compared and told.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Told {
    /// The repository.
    pub repository: String,
    /// The file.
    pub path: String,
    /// From 1.
    pub line: u32,
    /// From 1.
    pub column: u32,
    /// With its pack.
    pub rule: String,
    /// Names it in its repository.
    pub fingerprint: String,
    /// `error`, `warning` or `note`.
    pub severity: String,
    /// What is wrong.
    pub message: String,
}

/// The columns that are read, in this order.
const TEXTS: [&str; 6] = ["repository", "path", "rule", "fingerprint", "severity", "message"];

/// One row for each finding that changed.
pub fn schema() -> SchemaRef {
    static SCHEMA: LazyLock<SchemaRef> = LazyLock::new(|| {
        let text = |name: &str| Field::new(name, DataType::Utf8, false);
        let number = |name: &str| Field::new(name, DataType::UInt32, false);
        let fields = vec![
            text("change"),
            text("repository"),
            text("path"),
            number("line"),
            number("column"),
            text("rule"),
            text("severity"),
            text("message"),
            text("fingerprint"),
        ];
        Arc::new(Schema::new_with_metadata(fields, schema::findings().metadata().clone()))
    });
    Arc::clone(&SCHEMA)
}

/// Reads a table of findings.
///
/// # Errors
///
/// Where it is none.
pub fn read(file: File) -> io::Result<Vec<Told>> {
    let builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(io_error)?;
    let wanted = TEXTS.iter().chain(&["line", "column"]);
    let roots: Result<Vec<usize>, ArrowError> = wanted.map(|name| builder.schema().index_of(name)).collect();
    let mask = ProjectionMask::roots(builder.parquet_schema(), roots.map_err(io_error_of)?);
    let mut rows = Vec::new();
    for batch in builder.with_projection(mask).build().map_err(io_error)? {
        told(&batch.map_err(io_error_of)?, &mut rows)?;
    }
    Ok(rows)
}

fn told(batch: &RecordBatch, rows: &mut Vec<Told>) -> io::Result<()> {
    let other = || io::Error::other("a column has another type");
    let column = |name: &str| batch.column_by_name(name).ok_or_else(other);
    let text = |name: &str| column(name)?.as_string_opt::<i32>().ok_or_else(other);
    let number = |name: &str| column(name)?.as_primitive_opt::<UInt32Type>().ok_or_else(other);
    let [repository, path, rule, fingerprint, severity, message] = TEXTS.map(text);
    let (repository, path, rule) = (repository?, path?, rule?);
    let (fingerprint, severity, message) = (fingerprint?, severity?, message?);
    let (line, column) = (number("line")?, number("column")?);
    rows.extend((0..batch.num_rows()).map(|row| Told {
        repository: repository.value(row).to_owned(),
        path: path.value(row).to_owned(),
        line: line.value(row),
        column: column.value(row),
        rule: rule.value(row).to_owned(),
        fingerprint: fingerprint.value(row).to_owned(),
        severity: severity.value(row).to_owned(),
        message: message.value(row).to_owned(),
    }));
    Ok(())
}

/// Reads a table of changes.
///
/// # Errors
///
/// Where it is none.
pub fn read_changes(file: File) -> io::Result<Vec<(Change, Told)>> {
    let mut rows = Vec::new();
    for batch in ParquetRecordBatchReaderBuilder::try_new(file).map_err(io_error)?.build().map_err(io_error)? {
        let batch = batch.map_err(io_error_of)?;
        let words = batch.column_by_name("change").and_then(|column| column.as_string_opt::<i32>());
        let words = words.ok_or_else(|| io::Error::other("there is no column `change`"))?;
        let mut told = Vec::new();
        self::told(&batch, &mut told)?;
        for (word, told) in words.iter().flatten().zip(told) {
            let change = Change::ALL.into_iter().find(|change| change.as_str() == word);
            rows.push((change.ok_or_else(|| io::Error::other("an unknown change"))?, told));
        }
    }
    Ok(rows)
}

/// Writes the table.
///
/// # Errors
///
/// Where it cannot be written.
pub fn write(changes: &[(Change, Told)], out: &mut (dyn Write + Send)) -> io::Result<()> {
    let text = |text: fn(&Told) -> &str| -> ArrayRef {
        Arc::new(StringArray::from_iter_values(changes.iter().map(|(_, told)| text(told))))
    };
    let number = |number: fn(&Told) -> u32| -> ArrayRef {
        Arc::new(UInt32Array::from_iter_values(changes.iter().map(|(_, told)| number(told))))
    };
    let columns: Vec<ArrayRef> = vec![
        Arc::new(StringArray::from_iter_values(changes.iter().map(|(change, _)| change.as_str()))),
        text(|told| &told.repository),
        text(|told| &told.path),
        number(|told| told.line),
        number(|told| told.column),
        text(|told| &told.rule),
        text(|told| &told.severity),
        text(|told| &told.message),
        text(|told| &told.fingerprint),
    ];
    let rows = RecordBatch::try_new(schema(), columns).map_err(io_error_of)?;
    let mut writer = ArrowWriter::try_new(out, schema(), Some(properties())).map_err(io_error)?;
    writer.write(&rows).map_err(io_error)?;
    writer.close().map_err(io_error)?;
    Ok(())
}
