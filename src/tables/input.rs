//! Tables of files as input: a row is a file of a repository.

mod arrow_rows;
mod checked_pages;
mod page_bounds;
mod parquet_rows;
#[cfg(test)]
mod tests;

pub use arrow_rows::{arrow_stream, io_error_of};
pub use parquet_rows::{parquet_file, repositories_of_parquet};

/// Names of repositories and of their states are cut here: all of them are held in memory, and a small file can have many long ones.
const LONGEST_NAME: usize = 4 << 10;

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
    /// `None` where the table has none for it, or one that is larger than what is read.
    pub content: Option<Vec<u8>>,
}

/// The name of a repository or of its state. What is not Unicode in it is replaced.
pub fn name(bytes: &[u8]) -> String {
    String::from_utf8_lossy(&bytes[..bytes.len().min(LONGEST_NAME)]).into_owned()
}
