//! Tables of files as input: a row is a file of a repository.

use std::fs::File;
use std::io::{self, BufRead};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_ipc::reader::StreamReader;
use arrow_schema::{ArrowError, DataType, SchemaRef};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use crate::part::io_error;

/// Rows that are read at once from a file of Parquet.
const ROWS_AT_ONCE: usize = 512;

/// The names of the columns that are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnNames {
    /// The repository.
    pub repository: String,
    /// The state of the repository; left out where the table has no such column.
    pub revision: String,
    /// The file below the repository's root.
    pub path: String,
    /// Text or bytes.
    pub content: String,
}

impl Default for ColumnNames {
    fn default() -> ColumnNames {
        let [repository, revision, path, content] =
            ["repository", "revision", "path", "content"].map(ToOwned::to_owned);
        ColumnNames { repository, revision, path, content }
    }
}

/// A file of a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileRow {
    /// The repository.
    pub repository: String,
    /// Its state, where the table tells.
    pub revision: Option<String>,
    /// The file below the repository's root.
    pub path: String,
    /// `None` where the table has none for it.
    pub content: Option<Vec<u8>>,
}

/// The columns that are read, in a schema.
#[derive(Clone, Copy, Debug)]
struct Found {
    repository: usize,
    revision: Option<usize>,
    path: usize,
    content: usize,
}

impl Found {
    fn of(schema: &SchemaRef, names: &ColumnNames) -> Result<Found, ArrowError> {
        let has = |name: &str| schema.index_of(name).ok();
        let needed = |name: &str| {
            has(name).ok_or_else(|| {
                let there: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
                ArrowError::SchemaError(format!("there is no column `{name}` among {}", there.join(", ")))
            })
        };
        Ok(Found {
            repository: needed(&names.repository)?,
            revision: has(&names.revision),
            path: needed(&names.path)?,
            content: needed(&names.content)?,
        })
    }
}

/// The rows of a stream of Arrow, in their order.
///
/// # Errors
///
/// Where it is no such stream, or lacks a column.
pub fn arrow_stream<Input: BufRead>(
    input: Input,
    names: &ColumnNames,
) -> Result<impl Iterator<Item = Result<FileRow, ArrowError>> + use<Input>, ArrowError> {
    let reader = StreamReader::try_new(input, None)?;
    let found = Found::of(&reader.schema(), names)?;
    Ok(reader.flat_map(move |batch| rows_of(batch, found)))
}

/// The rows of a file of Parquet, in their order.
///
/// # Errors
///
/// Where it is no such file, or lacks a column.
pub fn parquet_file(
    file: File,
    names: &ColumnNames,
) -> Result<impl Iterator<Item = Result<FileRow, ArrowError>> + use<>, ArrowError> {
    let builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(|error| ArrowError::from(io_error(error)))?;
    let Found { repository, revision, path, content } = Found::of(builder.schema(), names)?;
    let wanted = [Some(repository), revision, Some(path), Some(content)].into_iter().flatten();
    let mask = ProjectionMask::roots(builder.parquet_schema(), wanted);
    let reader = builder.with_projection(mask).with_batch_size(ROWS_AT_ONCE).build();
    let reader = reader.map_err(|error| ArrowError::from(io_error(error)))?;
    // Without the other columns these have other numbers.
    let found = Found::of(&arrow_array::RecordBatchReader::schema(&reader), names)?;
    Ok(reader.flat_map(move |batch| rows_of(batch, found)))
}

/// The names of repositories in a file of Parquet, a row each.
///
/// # Errors
///
/// Where it is no such file, or lacks the column.
pub fn repositories_of_parquet(file: File, names: &ColumnNames) -> Result<Vec<Arc<str>>, ArrowError> {
    let builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(|error| ArrowError::from(io_error(error)))?;
    let Found { repository, .. } = Found::of(builder.schema(), names)?;
    let mask = ProjectionMask::roots(builder.parquet_schema(), [repository]);
    let reader = builder.with_projection(mask).build().map_err(|error| ArrowError::from(io_error(error)))?;
    let mut repositories: Vec<Arc<str>> = Vec::new();
    for batch in reader {
        let batch = batch?;
        for row in 0..batch.num_rows() {
            let name = text(batch.column(0), row)?.unwrap_or_default();
            // Most rows are of the same repository as the one before.
            let known = repositories.last().filter(|last| ***last == *name).cloned();
            repositories.push(known.unwrap_or_else(|| name.into()));
        }
    }
    Ok(repositories)
}

fn rows_of(batch: Result<RecordBatch, ArrowError>, found: Found) -> Vec<Result<FileRow, ArrowError>> {
    match batch {
        Ok(batch) => (0..batch.num_rows()).map(|row| row_of(&batch, row, found)).collect(),
        Err(error) => vec![Err(error)],
    }
}

fn row_of(batch: &RecordBatch, row: usize, found: Found) -> Result<FileRow, ArrowError> {
    let needed = |column: usize| {
        let name = batch.schema().field(column).name().clone();
        text(batch.column(column), row)?
            .ok_or_else(|| ArrowError::SchemaError(format!("`{name}` is empty in row {}", row + 1)))
    };
    let revision = found.revision.map(|column| text(batch.column(column), row)).transpose()?.flatten();
    let content = bytes(batch.column(found.content), row)?;
    Ok(FileRow { repository: needed(found.repository)?, revision, path: needed(found.path)?, content })
}

fn text(column: &ArrayRef, row: usize) -> Result<Option<String>, ArrowError> {
    let bytes = bytes(column, row)?;
    bytes.map(|bytes| String::from_utf8(bytes).map_err(|error| ArrowError::SchemaError(error.to_string()))).transpose()
}

fn bytes(column: &ArrayRef, row: usize) -> Result<Option<Vec<u8>>, ArrowError> {
    if column.is_null(row) {
        return Ok(None);
    }
    Ok(Some(match column.data_type() {
        DataType::Utf8 => column.as_string::<i32>().value(row).as_bytes().to_vec(),
        DataType::LargeUtf8 => column.as_string::<i64>().value(row).as_bytes().to_vec(),
        DataType::Utf8View => column.as_string_view().value(row).as_bytes().to_vec(),
        DataType::Binary => column.as_binary::<i32>().value(row).to_vec(),
        DataType::LargeBinary => column.as_binary::<i64>().value(row).to_vec(),
        DataType::BinaryView => column.as_binary_view().value(row).to_vec(),
        DataType::Dictionary(..) => {
            let dictionary = column.as_any_dictionary();
            let key = dictionary.normalized_keys()[row];
            return bytes(dictionary.values(), key);
        }
        other => return Err(ArrowError::SchemaError(format!("{other} is neither text nor bytes"))),
    }))
}

/// What went wrong, as one of input.
pub fn io_error_of(error: ArrowError) -> io::Error {
    match error {
        ArrowError::IoError(_, error) => error,
        error => io::Error::other(error.to_string()),
    }
}
