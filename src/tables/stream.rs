//! Answers to a stream of files: a row for each repository, with its findings in a list.

use std::io::{self, Write};

use arrow_array::RecordBatch;
use arrow_ipc::writer::StreamWriter;

use crate::columns::Name;
use crate::input::io_error_of;
use crate::part::Part;
use crate::schema;

/// A stream of Arrow that grows.
pub struct Answers<W: Write> {
    writer: StreamWriter<W>,
}

impl<W: Write> Answers<W> {
    /// Begins a stream.
    ///
    /// # Errors
    ///
    /// Where it cannot be written.
    pub fn new(out: W) -> io::Result<Answers<W>> {
        Ok(Answers { writer: StreamWriter::try_new(out, &schema::nested()).map_err(io_error_of)? })
    }

    /// Adds a row, and hands it on at once: who reads it may end what asks.
    ///
    /// # Errors
    ///
    /// Where it cannot be written.
    pub fn add(&mut self, name: &Name, part: &Part) -> io::Result<()> {
        let row: RecordBatch = part.named(name).map_err(io_error_of)?;
        self.writer.write(&row).map_err(io_error_of)?;
        self.writer.flush().map_err(io_error_of)
    }

    /// Ends the stream.
    ///
    /// # Errors
    ///
    /// Where it cannot be written.
    pub fn finish(mut self) -> io::Result<()> {
        self.writer.finish().map_err(io_error_of)
    }
}
