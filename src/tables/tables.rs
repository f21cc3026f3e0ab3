//! The two tables of an audit, written row by row.

use std::io::{self, Write};

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, SchemaRef};
use parquet::arrow::ArrowWriter;

use crate::columns::Name;
use crate::part::{Part, io_error, properties};
use crate::schema;

/// So many rows are held before they are written.
pub(crate) const ROWS_AT_ONCE: usize = 20_000;

/// A table that grows.
pub(crate) struct Table<W: Write + Send> {
    writer: ArrowWriter<W>,
    rows: usize,
}

impl<W: Write + Send> Table<W> {
    pub fn new(out: W, schema: SchemaRef) -> io::Result<Table<W>> {
        let writer = ArrowWriter::try_new(out, schema, Some(properties())).map_err(io_error)?;
        Ok(Table { writer, rows: 0 })
    }

    pub fn add(&mut self, rows: Result<RecordBatch, ArrowError>) -> io::Result<()> {
        let rows = rows.map_err(io::Error::other)?;
        self.writer.write(&rows).map_err(io_error)?;
        self.rows += rows.num_rows();
        if self.rows >= ROWS_AT_ONCE {
            self.rows = 0;
            self.writer.flush().map_err(io_error)?;
        }
        Ok(())
    }

    pub fn finish(self) -> io::Result<W> {
        self.writer.into_inner().map_err(io_error)
    }
}

/// `findings` and `repositories`.
pub struct Tables<W: Write + Send> {
    findings: Table<W>,
    repositories: Table<W>,
}

impl<W: Write + Send> Tables<W> {
    /// Empty tables.
    ///
    /// # Errors
    ///
    /// Where one cannot be written.
    pub fn new(findings: W, repositories: W) -> io::Result<Tables<W>> {
        Ok(Tables {
            findings: Table::new(findings, schema::findings())?,
            repositories: Table::new(repositories, schema::repositories())?,
        })
    }

    /// Adds what is known of a repository. Repositories come in the order of their names.
    ///
    /// # Errors
    ///
    /// Where a table cannot be written.
    pub fn add(&mut self, name: &Name, part: &Part, duplicate_of: Option<&str>, key: Option<&str>) -> io::Result<()> {
        self.findings.add(part.finding_rows(name))?;
        self.repositories.add(part.repository_row(name, duplicate_of, key))
    }

    /// Ends both tables.
    ///
    /// # Errors
    ///
    /// Where one cannot be written.
    pub fn finish(self) -> io::Result<[W; 2]> {
        Ok([self.findings.finish()?, self.repositories.finish()?])
    }
}
