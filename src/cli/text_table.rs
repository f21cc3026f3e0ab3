//! Tables in a command's output: columns that line up.

use std::io::{self, Write};

use harp_report::columns;

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
            texts.map(|text| columns::width(text)).max().unwrap_or(0).min(WIDEST_PADDING)
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
            let padding = " ".repeat(width.saturating_sub(columns::width(text)));
            match side {
                Side::Left => line.extend([text, padding.as_str(), "  "]),
                Side::Right => line.extend([padding.as_str(), text, "  "]),
            }
        }
        writeln!(out, "{}", line.trim_end())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_whatever_is_in_them() {
        let mut table = Table::new(vec![("name".to_owned(), Side::Left), ("rows".to_owned(), Side::Right)]);
        for (name, count) in [("模型.py", "7"), ("a.py", "128")] {
            table.add(vec![name.to_owned(), count.to_owned()]);
        }
        let mut out = Vec::new();
        table.write(&mut out, |_, _| Ok(())).expect("written to memory");
        let lines = "name     rows\n模型.py     7\na.py      128\n";
        assert_eq!(String::from_utf8(out).expect("UTF-8"), lines);
    }
}
