//! What differs between two audits: findings that are new, that were fixed, and whose code is gone.

use std::fs::File;
use std::io::{self, Write};
use std::sync::{Arc, LazyLock};

use arrow_array::cast::AsArray;
use arrow_array::types::UInt32Type;
use arrow_array::{Array, ArrayRef, RecordBatch, StringArray, UInt32Array};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use crate::input::io_error_of;
use crate::part::{io_error, properties};
use crate::schema;

/// So many rows are written at once.
const ROWS_HELD: usize = 4_096;

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
    /// The cell of a notebook, from 1.
    pub cell: Option<u32>,
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
const NUMBERS: [&str; 3] = ["cell", "line", "column"];

/// One row for each finding that changed.
pub fn schema() -> SchemaRef {
    static SCHEMA: LazyLock<SchemaRef> = LazyLock::new(|| {
        let text = |name: &str| Field::new(name, DataType::Utf8, false);
        let number = |name: &str| Field::new(name, DataType::UInt32, name == "cell");
        let fields = vec![
            text("change"),
            text("repository"),
            text("path"),
            number("cell"),
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

/// Reads a table of findings, some rows at a time.
///
/// # Errors
///
/// Where it is none.
pub fn read(file: File) -> io::Result<impl Iterator<Item = io::Result<Told>>> {
    let wanted: Vec<&str> = TEXTS.into_iter().chain(NUMBERS).collect();
    rows(file, &wanted, told)
}

/// Reads a table of changes, some rows at a time.
///
/// # Errors
///
/// Where it is none.
pub fn read_changes(file: File) -> io::Result<impl Iterator<Item = io::Result<(Change, Told)>>> {
    let wanted: Vec<&str> = ["change"].into_iter().chain(TEXTS).chain(NUMBERS).collect();
    rows(file, &wanted, |batch| {
        let words = batch.column_by_name("change").and_then(|column| column.as_string_opt::<i32>());
        let words = words.ok_or_else(|| io::Error::other("a column has another type"))?;
        let change = |(row, told)| {
            let change = Change::ALL.into_iter().find(|change| change.as_str() == words.value(row));
            Ok((change.ok_or_else(|| io::Error::other("an unknown change"))?, told))
        };
        told(batch)?.into_iter().enumerate().map(change).collect()
    })
}

/// The rows of a table, of which one batch is held.
fn rows<T>(
    file: File,
    columns: &[&str],
    of_batch: fn(&RecordBatch) -> io::Result<Vec<T>>,
) -> io::Result<impl Iterator<Item = io::Result<T>> + use<T>> {
    let builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(io_error)?;
    let roots: Result<Vec<usize>, ArrowError> = columns.iter().map(|name| builder.schema().index_of(name)).collect();
    let mask = ProjectionMask::roots(builder.parquet_schema(), roots.map_err(io_error_of)?);
    let batches = builder.with_projection(mask).build().map_err(io_error)?;
    Ok(batches.flat_map(move |batch| match batch.map_err(io_error_of).and_then(|batch| of_batch(&batch)) {
        Ok(rows) => rows.into_iter().map(Ok).collect(),
        Err(error) => vec![Err(error)],
    }))
}

fn told(batch: &RecordBatch) -> io::Result<Vec<Told>> {
    let other = || io::Error::other("a column has another type");
    let column = |name: &str| batch.column_by_name(name).ok_or_else(other);
    let text = |name: &str| column(name)?.as_string_opt::<i32>().ok_or_else(other);
    let number = |name: &str| column(name)?.as_primitive_opt::<UInt32Type>().ok_or_else(other);
    let [repository, path, rule, fingerprint, severity, message] = TEXTS.map(text);
    let (repository, path, rule) = (repository?, path?, rule?);
    let (fingerprint, severity, message) = (fingerprint?, severity?, message?);
    let [cell, line, column] = NUMBERS.map(number);
    let (cell, line, column) = (cell?, line?, column?);
    let row = |row: usize| Told {
        repository: repository.value(row).to_owned(),
        path: path.value(row).to_owned(),
        cell: cell.is_valid(row).then(|| cell.value(row)),
        line: line.value(row),
        column: column.value(row),
        rule: rule.value(row).to_owned(),
        fingerprint: fingerprint.value(row).to_owned(),
        severity: severity.value(row).to_owned(),
        message: message.value(row).to_owned(),
    };
    Ok((0..batch.num_rows()).map(row).collect())
}

/// Writes a table of changes, of which few are held.
pub struct Writer<W: Write + Send> {
    writer: ArrowWriter<W>,
    held: Vec<(Change, Told)>,
}

impl<W: Write + Send> Writer<W> {
    /// Begins the table.
    ///
    /// # Errors
    ///
    /// Where it cannot be written.
    pub fn new(out: W) -> io::Result<Writer<W>> {
        Ok(Writer {
            writer: ArrowWriter::try_new(out, schema(), Some(properties())).map_err(io_error)?,
            held: Vec::new(),
        })
    }

    /// Adds a row.
    ///
    /// # Errors
    ///
    /// Where it cannot be written.
    pub fn add(&mut self, change: Change, told: Told) -> io::Result<()> {
        self.held.push((change, told));
        if self.held.len() < ROWS_HELD { Ok(()) } else { self.write() }
    }

    /// Ends the table.
    ///
    /// # Errors
    ///
    /// Where it cannot be written.
    pub fn finish(mut self) -> io::Result<()> {
        self.write()?;
        self.writer.close().map_err(io_error)?;
        Ok(())
    }

    fn write(&mut self) -> io::Result<()> {
        self.writer.write(&batch(&self.held)?).map_err(io_error)?;
        self.held.clear();
        Ok(())
    }
}

fn batch(changes: &[(Change, Told)]) -> io::Result<RecordBatch> {
    let text = |text: fn(&Told) -> &str| -> ArrayRef {
        Arc::new(StringArray::from_iter_values(changes.iter().map(|(_, told)| text(told))))
    };
    let number = |number: fn(&Told) -> Option<u32>| -> ArrayRef {
        Arc::new(changes.iter().map(|(_, told)| number(told)).collect::<UInt32Array>())
    };
    let columns: Vec<ArrayRef> = vec![
        Arc::new(StringArray::from_iter_values(changes.iter().map(|(change, _)| change.as_str()))),
        text(|told| &told.repository),
        text(|told| &told.path),
        number(|told| told.cell),
        number(|told| Some(told.line)),
        number(|told| Some(told.column)),
        text(|told| &told.rule),
        text(|told| &told.severity),
        text(|told| &told.message),
        text(|told| &told.fingerprint),
    ];
    RecordBatch::try_new(schema(), columns).map_err(io_error_of)
}
