//! The file of one analysed tree: a row with its findings, under the name that it was analysed by. Trees that are equal share it.

use std::io::{self, Write};

use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;
use arrow_array::{Array, ArrayRef, RecordBatch, StringArray, StructArray};
use arrow_schema::{ArrowError, Schema};
use arrow_select::concat::concat_batches;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;

use crate::columns::{self, Name};
use crate::read;
use crate::rows::{Repository, Status};
use crate::schema;

/// Bytes that become a file of Parquet all at once.
pub use bytes::Bytes;

/// The last columns of a row are lists, of which the table of repositories has none.
const LISTS: usize = 2;

/// What is known of a tree.
#[derive(Clone, Debug)]
pub struct Part {
    /// One row of [`schema::nested`].
    row: RecordBatch,
}

impl Part {
    /// What an analysis gave.
    ///
    /// # Errors
    ///
    /// Where it has more findings than a column can count.
    pub fn of(name: &Name, repository: &Repository, tool_version: &str) -> Result<Part, ArrowError> {
        Ok(Part { row: columns::nested(&[(name, repository)], tool_version)? })
    }

    /// Writes it as a file.
    ///
    /// # Errors
    ///
    /// Where `out` fails.
    pub fn write(&self, out: &mut (dyn Write + Send)) -> io::Result<()> {
        let mut writer = ArrowWriter::try_new(out, schema::nested(), Some(properties())).map_err(io_error)?;
        writer.write(&self.row).map_err(io_error)?;
        writer.close().map_err(io_error)?;
        Ok(())
    }

    /// Reads such a file; `None` where it is damaged, or of another version.
    pub fn read(bytes: Vec<u8>) -> Option<Part> {
        let builder = ParquetRecordBatchReaderBuilder::try_new(Bytes::from(bytes)).ok()?;
        let (found, known) = (builder.schema(), schema::nested());
        let version = |schema: &Schema| schema.metadata().get(schema::VERSION_KEY).cloned();
        if version(found) != version(&known) || found.fields() != known.fields() {
            return None;
        }
        let rows: Vec<RecordBatch> = builder.build().ok()?.collect::<Result<_, _>>().ok()?;
        let row = concat_batches(&known, &rows).ok()?;
        (row.num_rows() == 1).then_some(Part { row })
    }

    /// The same under another name.
    ///
    /// # Errors
    ///
    /// None that is known: the columns are those of the schema.
    pub fn named(&self, name: &Name) -> Result<RecordBatch, ArrowError> {
        let mut columns = columns::name_columns(&[name]);
        columns.extend_from_slice(&self.row.columns()[columns.len()..]);
        RecordBatch::try_new(schema::nested(), columns)
    }

    /// How the analysis ended.
    pub fn status(&self) -> Option<Status> {
        let word = self.row.column_by_name("status")?.as_string_opt::<i32>()?.value(0);
        Status::of_word(word)
    }

    /// All that is known of the tree.
    pub fn repository(&self) -> Repository {
        read::repository(&self.row, self.paths(), &self.findings())
    }

    /// The files that were analysed, below the repository's root.
    pub fn paths(&self) -> Vec<String> {
        let paths = self.row.column(self.row.num_columns() - LISTS).as_list::<i32>().value(0);
        paths.as_string::<i32>().iter().flatten().map(ToOwned::to_owned).collect()
    }

    /// How many files were found and not read.
    pub fn skipped(&self) -> u64 {
        self.row.column_by_name("skipped").map_or(0, |column| column.as_primitive::<UInt64Type>().value(0))
    }

    /// How many findings it has.
    pub fn finding_count(&self) -> u64 {
        self.findings().len() as u64
    }

    /// The columns of its findings, a row each.
    fn findings(&self) -> StructArray {
        let list = self.row.column(self.row.num_columns() - 1).as_list::<i32>();
        list.value(0).as_struct().clone()
    }

    /// Its rows of the table of findings.
    ///
    /// # Errors
    ///
    /// None that is known: the columns are those of the schema.
    pub fn finding_rows(&self, name: &Name) -> Result<RecordBatch, ArrowError> {
        let findings = self.findings();
        let names: Vec<&Name> = std::iter::repeat_n(name, findings.len()).collect();
        let mut columns = columns::name_columns(&names);
        columns.extend_from_slice(findings.columns());
        RecordBatch::try_new(schema::findings(), columns)
    }

    /// Its row of the table of repositories: what has the same tree and comes first, and the key of the tree.
    ///
    /// # Errors
    ///
    /// None that is known: the columns are those of the schema.
    pub fn repository_row(
        &self,
        name: &Name,
        duplicate_of: Option<&str>,
        key: Option<&str>,
    ) -> Result<RecordBatch, ArrowError> {
        let mut columns = columns::name_columns(&[name]);
        columns.extend_from_slice(&self.row.columns()[columns.len()..self.row.num_columns() - LISTS]);
        let text = |text: Option<&str>| -> ArrayRef { std::sync::Arc::new(StringArray::from(vec![text])) };
        columns.extend([text(duplicate_of), text(key)]);
        RecordBatch::try_new(schema::repositories(), columns)
    }
}

/// Small files of texts that repeat.
pub(crate) fn properties() -> WriterProperties {
    let version = format!("harp {}", env!("CARGO_PKG_VERSION"));
    WriterProperties::builder().set_compression(Compression::SNAPPY).set_created_by(version).build()
}

pub(crate) fn io_error(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(cause) => match cause.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(cause) => io::Error::other(cause),
        },
        error => io::Error::other(error),
    }
}
