//! The rows of relations: one file for each relation of a repository, and one table for each relation of all repositories.

use std::fs::File;
use std::io::{self, Write};
use std::sync::Arc;

use arrow_array::builder::{Int64Builder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use crate::columns::{self, Name};
use crate::input::io_error_of;
use crate::part::{io_error, properties};
use crate::schema;
use crate::tables::{ROWS_AT_ONCE, Table};

/// A column of a relation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// As the relation calls it.
    pub name: String,
    /// Whether it holds numbers; otherwise it holds texts.
    pub is_number: bool,
}

/// A value of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A symbol.
    Text(String),
    /// A number.
    Number(i64),
}

/// Writes the rows of a relation in one repository, which gets its name when its rows are added to a table.
pub struct Rows {
    schema: SchemaRef,
    writer: ArrowWriter<Vec<u8>>,
    cells: Vec<Cells>,
    held: usize,
}

/// The values of a column that are not written yet.
enum Cells {
    Texts(StringBuilder),
    Numbers(Int64Builder),
}

impl Rows {
    /// No rows of a relation with these columns.
    ///
    /// # Errors
    ///
    /// None that is known: memory takes everything.
    pub fn new(columns: &[Column]) -> io::Result<Rows> {
        let schema = schema::facts(columns);
        let writer = ArrowWriter::try_new(Vec::new(), Arc::clone(&schema), Some(properties())).map_err(io_error)?;
        let cells = columns.iter().map(|column| match column.is_number {
            true => Cells::Numbers(Int64Builder::new()),
            false => Cells::Texts(StringBuilder::new()),
        });
        Ok(Rows { schema, writer, cells: cells.collect(), held: 0 })
    }

    /// Adds a row, with a value for each column.
    ///
    /// # Errors
    ///
    /// Where a value is not of its column.
    pub fn add(&mut self, row: &[Value]) -> io::Result<()> {
        if row.len() != self.cells.len() {
            return Err(io::Error::other("a row with too many or too few values"));
        }
        for (cells, value) in self.cells.iter_mut().zip(row) {
            match (cells, value) {
                (Cells::Texts(texts), Value::Text(text)) => texts.append_value(text),
                (Cells::Numbers(numbers), Value::Number(number)) => numbers.append_value(*number),
                _ => return Err(io::Error::other("a value that is not of its column")),
            }
        }
        self.held += 1;
        if self.held == ROWS_AT_ONCE { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        let columns = self.cells.iter_mut().map(|cells| -> ArrayRef {
            match cells {
                Cells::Texts(texts) => Arc::new(texts.finish()),
                Cells::Numbers(numbers) => Arc::new(numbers.finish()),
            }
        });
        let nobody = Name { repository: String::new(), revision: None };
        let rows = named(&self.schema, &nobody, std::mem::take(&mut self.held), columns).map_err(io::Error::other)?;
        self.writer.write(&rows).map_err(io_error)?;
        self.writer.flush().map_err(io_error)
    }

    /// The file.
    ///
    /// # Errors
    ///
    /// None that is known: memory takes everything.
    pub fn finish(mut self) -> io::Result<Vec<u8>> {
        self.flush()?;
        self.writer.into_inner().map_err(io_error)
    }
}

/// So many rows of a repository, with its name before the columns of the relation.
fn named(
    schema: &SchemaRef,
    name: &Name,
    count: usize,
    columns: impl Iterator<Item = ArrayRef>,
) -> Result<RecordBatch, ArrowError> {
    let mut all = columns::name_columns(&vec![name; count]);
    all.extend(columns);
    RecordBatch::try_new(Arc::clone(schema), all)
}

/// A file that [`Rows`] wrote; `None` where it is damaged, or of other columns.
fn reader(file: File, schema: &SchemaRef) -> Option<ParquetRecordBatchReaderBuilder<File>> {
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).ok()?;
    (reader.schema().fields() == schema.fields()).then_some(reader)
}

/// Whether a file has rows of a relation with these columns.
pub fn is_whole(file: File, columns: &[Column]) -> bool {
    let rows = reader(file, &schema::facts(columns)).and_then(|reader| reader.build().ok());
    rows.is_some_and(|mut rows| rows.all(|batch| batch.is_ok()))
}

/// The table of a relation.
pub struct FactTable<W: Write + Send> {
    schema: SchemaRef,
    table: Table<W>,
}

impl<W: Write + Send> FactTable<W> {
    /// An empty table.
    ///
    /// # Errors
    ///
    /// Where it cannot be written.
    pub fn new(out: W, columns: &[Column]) -> io::Result<FactTable<W>> {
        let schema = schema::facts(columns);
        Ok(FactTable { table: Table::new(out, Arc::clone(&schema))?, schema })
    }

    /// Adds the rows of a repository, which are in a file. Repositories come in the order of their names.
    ///
    /// # Errors
    ///
    /// Where the file is damaged, or the table cannot be written.
    pub fn add(&mut self, name: &Name, rows: File) -> io::Result<()> {
        let damaged = || io::Error::other("a file with rows of a relation is damaged");
        let reader = reader(rows, &self.schema).ok_or_else(damaged)?;
        for rows in reader.build().map_err(io_error)? {
            let rows = rows.map_err(io_error_of)?;
            let own = rows.columns().iter().skip(schema::NAME_COLUMNS).cloned();
            self.table.add(named(&self.schema, name, rows.num_rows(), own))?;
        }
        Ok(())
    }

    /// Ends the table.
    ///
    /// # Errors
    ///
    /// Where it cannot be written.
    pub fn finish(self) -> io::Result<W> {
        self.table.finish()
    }
}

/// Reads the table of a relation.
///
/// # Errors
///
/// Where it is none.
pub fn read(file: File) -> io::Result<Vec<(Name, Vec<Value>)>> {
    let other = || io::Error::other("this is no table of a relation");
    let mut read = Vec::new();
    for batch in ParquetRecordBatchReaderBuilder::try_new(file).map_err(io_error)?.build().map_err(io_error)? {
        let batch = batch.map_err(io_error_of)?;
        let [repositories, revisions, own @ ..] = batch.columns() else { return Err(other()) };
        let (repositories, revisions) = (
            repositories.as_string_opt::<i32>().ok_or_else(other)?,
            revisions.as_string_opt::<i32>().ok_or_else(other)?,
        );
        for row in 0..batch.num_rows() {
            let values = own.iter().map(|column| match column.as_primitive_opt::<Int64Type>() {
                Some(numbers) => Ok(Value::Number(numbers.value(row))),
                None => Ok(Value::Text(column.as_string_opt::<i32>().ok_or_else(other)?.value(row).to_owned())),
            });
            let revision = revisions.is_valid(row).then(|| revisions.value(row).to_owned());
            let name = Name { repository: repositories.value(row).to_owned(), revision };
            read.push((name, values.collect::<io::Result<_>>()?));
        }
    }
    Ok(read)
}
