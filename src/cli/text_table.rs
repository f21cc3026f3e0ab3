//! Columns that line up, for people.

use std::io::{self, Write};

/// Which side the texts of a column keep to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Left,
    Right,
}

/// A head and rows of texts without line breaks.
#[derive(Clone, Debug, Default)]
pub struct Table {
    columns: Vec<(String, Side)>,
    rows: Vec<Vec<String>>,
}

/// Columns are not padded beyond this width; longer texts push what follows to the right.
const WIDEST_PADDING: usize = 100;

impl Table {
    pub fn new(columns: Vec<(String, Side)>) -> Table {
        Table { columns, rows: Vec::new() }
    }

    pub fn add(&mut self, row: Vec<String>) {
        self.rows.push(row);
    }

    /// Writes the head, then each row; `after` may add lines of its own below a row.
    pub fn write(
        &self,
        out: &mut dyn Write,
        mut after: impl FnMut(usize, &mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        let head: Vec<String> = self.columns.iter().map(|(name, _)| name.clone()).collect();
        let width = |column: usize| {
            let texts = self.rows.iter().chain([&head]).filter_map(|row| row.get(column));
            texts.map(|text| text.chars().count()).max().unwrap_or(0).min(WIDEST_PADDING)
        };
        let widths: Vec<usize> = (0..self.columns.len()).map(width).collect();
        self.line(&head, &widths, out)?;
        for (number, row) in self.rows.iter().enumerate() {
            self.line(row, &widths, out)?;
            after(number, out)?;
        }
        Ok(())
    }

    fn line(&self, row: &[String], widths: &[usize], out: &mut dyn Write) -> io::Result<()> {
        let mut line = String::new();
        for ((text, width), (_, side)) in row.iter().zip(widths).zip(&self.columns) {
            let padding = " ".repeat(width.saturating_sub(text.chars().count()));
            match side {
                Side::Left => line.extend([text, padding.as_str(), "  "]),
                Side::Right => line.extend([padding.as_str(), text, "  "]),
            }
        }
        writeln!(out, "{}", line.trim_end())
    }
}
