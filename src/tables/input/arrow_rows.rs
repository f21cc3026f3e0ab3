//! Rows of a stream of Arrow.

use std::io::{self, BufRead, Read};
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_ipc::reader::StreamReader;
use arrow_schema::{ArrowError, DataType, SchemaRef};

use super::{ColumnNames, FileRow, name};

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

/// The rows of a stream of Arrow, in their order. Contents of more than `limit` bytes are left out.
///
/// # Errors
///
/// Where it is no such stream, or lacks a column.
pub fn arrow_stream<Input: BufRead>(
    input: Input,
    names: &ColumnNames,
    limit: u64,
) -> Result<impl Iterator<Item = Result<FileRow, ArrowError>> + use<Input>, ArrowError> {
    let last: Arc<Mutex<[u8; 8]>> = Arc::default();
    let reader = StreamReader::try_new(Ending { input, last: Arc::clone(&last) }, None)?;
    let found = Found::of(&reader.schema(), names)?;
    // A stream that was cut off ends as well, but not so.
    let cut = std::iter::once_with(move || {
        let is_whole = *last.lock().unwrap_or_else(PoisonError::into_inner) == END_OF_STREAM;
        (!is_whole).then(|| Err(ArrowError::IpcError("the stream ends before its end".to_owned())))
    });
    Ok(reader.flat_map(move |batch| rows_of(batch, found, limit)).chain(cut.flatten()))
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

/// Rows are made when they are asked for: all of them would be the batch a second time.
fn rows_of(
    batch: Result<RecordBatch, ArrowError>,
    found: Found,
    limit: u64,
) -> impl Iterator<Item = Result<FileRow, ArrowError>> {
    let (error, batch) = match batch {
        Ok(batch) => (None, Some(batch)),
        Err(error) => (Some(Err(error)), None),
    };
    let rows = batch.map(|batch| {
        let values = |column: usize| Values::of(batch.column(column));
        let (repository, revision) = (values(found.repository), found.revision.map(values));
        let (path, content) = (values(found.path), values(found.content));
        (0..batch.num_rows()).map(move |row| {
            let content = content.at(row)?.filter(|content| content.len() as u64 <= limit);
            Ok(FileRow {
                repository: repository.name(row)?,
                revision: revision.as_ref().map(|values| values.name(row)).transpose()?.flatten(),
                path: path.at(row)?.map(<[u8]>::to_vec).unwrap_or_default(),
                content: content.map(<[u8]>::to_vec),
            })
        })
    });
    error.into_iter().chain(rows.into_iter().flatten())
}

/// A column of a batch.
struct Values {
    values: ArrayRef,
    /// Of a dictionary, which value each row has: asked for once, since all of them are made at once.
    keys: Option<(ArrayRef, Vec<usize>)>,
}

impl Values {
    fn of(column: &ArrayRef) -> Values {
        match column.as_any_dictionary_opt() {
            Some(dictionary) => {
                // Without values, all keys are missing.
                let keys = match dictionary.values().is_empty() {
                    true => Vec::new(),
                    false => dictionary.normalized_keys(),
                };
                let keys = (Arc::clone(column), keys);
                Values { values: Arc::clone(dictionary.values()), keys: Some(keys) }
            }
            None => Values { values: Arc::clone(column), keys: None },
        }
    }

    fn name(&self, row: usize) -> Result<Option<String>, ArrowError> {
        Ok(self.at(row)?.map(name))
    }

    fn at(&self, row: usize) -> Result<Option<&[u8]>, ArrowError> {
        let row = match &self.keys {
            Some((column, _)) if column.is_null(row) => return Ok(None),
            Some((_, keys)) => match keys.get(row) {
                Some(key) => *key,
                None => return Ok(None),
            },
            None => row,
        };
        let values = &self.values;
        if *values.data_type() == DataType::Null || values.is_null(row) {
            return Ok(None);
        }
        Ok(Some(match values.data_type() {
            DataType::Utf8 => values.as_string::<i32>().value(row).as_bytes(),
            DataType::LargeUtf8 => values.as_string::<i64>().value(row).as_bytes(),
            DataType::Utf8View => values.as_string_view().value(row).as_bytes(),
            DataType::Binary => values.as_binary::<i32>().value(row),
            DataType::LargeBinary => values.as_binary::<i64>().value(row),
            DataType::BinaryView => values.as_binary_view().value(row),
            other => return Err(ArrowError::SchemaError(format!("{other} is neither text nor bytes"))),
        }))
    }
}

/// What went wrong, as one of input.
pub fn io_error_of(error: ArrowError) -> io::Error {
    match error {
        ArrowError::IoError(_, error) => error,
        error => io::Error::other(error.to_string()),
    }
}
