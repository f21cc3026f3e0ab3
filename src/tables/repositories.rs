//! Reads the table of repositories.

use std::fs::File;
use std::io;

use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use crate::input::io_error_of;
use crate::part::io_error;
use crate::rows::Status;

/// A repository, as far as it is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Unique in an audit.
    pub repository: String,
    /// How its analysis ended.
    pub status: Status,
    /// Why it did not end well; empty where it did.
    pub reason: String,
    /// Lines that were analysed.
    pub lines: u64,
    /// How many findings it has.
    pub findings: u64,
}

/// Reads a table of repositories.
///
/// # Errors
///
/// Where it is none.
pub fn read(file: File) -> io::Result<Vec<Row>> {
    let other = || io::Error::other("this is no table of repositories");
    let mut rows = Vec::new();
    for batch in ParquetRecordBatchReaderBuilder::try_new(file).map_err(io_error)?.build().map_err(io_error)? {
        let batch = batch.map_err(io_error_of)?;
        let column = |name: &str| batch.column_by_name(name).ok_or_else(other);
        let text = |name: &str| column(name)?.as_string_opt::<i32>().ok_or_else(other);
        let number = |name: &str| column(name)?.as_primitive_opt::<UInt64Type>().ok_or_else(other);
        let (repository, status, reason) = (text("repository")?, text("status")?, text("reason")?);
        let (lines, findings) = (number("lines")?, number("finding_count")?);
        for row in 0..batch.num_rows() {
            let word = status.value(row);
            rows.push(Row {
                repository: repository.value(row).to_owned(),
                status: Status::of_word(word).ok_or_else(other)?,
                reason: reason.value(row).to_owned(),
                lines: lines.value(row),
                findings: findings.value(row),
            });
        }
    }
    Ok(rows)
}
