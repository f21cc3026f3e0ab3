//! Tables of files as input: a row is a file of a repository.

use std::fs::File;
use std::io::{self, BufRead, Read};
use std::sync::{Arc, Mutex, PoisonError};

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
    /// The repository; `None` where the table has none, so that the row is of no use.
    pub repository: Option<String>,
    /// Its state, where the table tells.
    pub revision: Option<String>,
    /// The file below the repository's root; empty where the table has none. Systems have names that are not Unicode.
    pub path: Vec<u8>,
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
    let last: Arc<Mutex<[u8; 8]>> = Arc::default();
    let reader = StreamReader::try_new(Ending { input, last: Arc::clone(&last) }, None)?;
    let found = Found::of(&reader.schema(), names)?;
    // A stream that was cut off ends as well, but not so.
    let cut = std::iter::once_with(move || {
        let is_whole = *last.lock().unwrap_or_else(PoisonError::into_inner) == END_OF_STREAM;
        (!is_whole).then(|| Err(ArrowError::IpcError("the stream ends before its end".to_owned())))
    });
    Ok(reader.flat_map(move |batch| rows_of(batch, found)).chain(cut.flatten()))
}

/// How a stream ends.
const END_OF_STREAM: [u8; 8] = [0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0];

/// Input of which the last bytes that were read are known.
struct Ending<Input> {
    input: Input,
    last: Arc<Mutex<[u8; 8]>>,
}

impl<Input: BufRead> Read for Ending<Input> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let new = &buffer[read.saturating_sub(last.len())..read];
        last.rotate_left(new.len());
        let kept = last.len() - new.len();
        last[kept..].copy_from_slice(new);
        Ok(read)
    }
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
pub fn repositories_of_parquet(file: File, names: &ColumnNames) -> Result<Vec<Option<Arc<str>>>, ArrowError> {
    let builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(|error| ArrowError::from(io_error(error)))?;
    let Found { repository, .. } = Found::of(builder.schema(), names)?;
    let mask = ProjectionMask::roots(builder.parquet_schema(), [repository]);
    let reader = builder.with_projection(mask).build().map_err(|error| ArrowError::from(io_error(error)))?;
    let mut repositories: Vec<Option<Arc<str>>> = Vec::new();
    for batch in reader {
        let batch = batch?;
        for row in 0..batch.num_rows() {
            let name = text(batch.column(0), row)?;
            // Most rows are of the same repository as the one before.
            let known = repositories.last().filter(|last| last.as_deref() == name.as_deref()).cloned();
            repositories.push(known.unwrap_or_else(|| name.map(Into::into)));
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
    let revision = found.revision.map(|column| text(batch.column(column), row)).transpose()?.flatten();
    let path = bytes(batch.column(found.path), row)?.unwrap_or_default();
    let content = bytes(batch.column(found.content), row)?;
    Ok(FileRow { repository: text(batch.column(found.repository), row)?, revision, path, content })
}

/// What is not Unicode in a text is replaced.
fn text(column: &ArrayRef, row: usize) -> Result<Option<String>, ArrowError> {
    Ok(bytes(column, row)?.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
}

fn bytes(column: &ArrayRef, row: usize) -> Result<Option<Vec<u8>>, ArrowError> {
    if column.is_null(row) || *column.data_type() == DataType::Null {
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
