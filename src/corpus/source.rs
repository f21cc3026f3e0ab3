//! A file of the corpus: its decoded text, and positions in it.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::FileId;
use crate::shown::ShownPath;

/// Why a file was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    /// It lies in a folder that was given.
    #[default]
    Folder,
    /// It was given itself.
    Name,
    /// A file that was given imports it, directly or through others. It is not checked itself.
    Imported,
}

/// A file that was read.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// Its number in the corpus, or in its environment.
    pub id: FileId,
    /// Relative to the folder in which the program was started, with `/` between its parts and control characters escaped.
    pub display_path: String,
    /// The same path for programs, with the bytes that it has.
    pub uri: String,
    /// Absolute, or relative for a file that is nowhere on disk.
    pub path: PathBuf,
    /// The folder given by the user under which the file was found; of one that was given itself, and of what it imports, a folder that Python looks into.
    pub root: PathBuf,
    /// The folder from which the file's path names it wherever the program is started; `root`, unless someone knows better.
    pub project_root: PathBuf,
    /// Why it was read.
    pub origin: Origin,
    /// The names of the folders with an `__init__.py` around the file, the outermost first.
    pub packages: Vec<String>,
    /// Decoded, without a byte order mark. Of a notebook, its Python cells, separated by line breaks.
    pub text: String,
    /// Of a notebook, its Python cells in order.
    pub cells: Option<Vec<Cell>>,
    line_starts: OnceLock<Vec<u32>>,
    /// How many characters there are before each block of the text.
    characters: OnceLock<Vec<u32>>,
}

/// So many bytes of a text are a block.
const BLOCK: usize = 4096;

/// A cell of a notebook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Counted from 1 over all cells of the notebook, also those that hold no code.
    pub number: u32,
    /// Its bytes in the file's text, without the line break before the next cell.
    pub start: u32,
    /// The first byte that is not part of it.
    pub end: u32,
    /// Whether the output that the notebook keeps of it is an error: its author shows one.
    pub shows_error: bool,
}

/// A place as people name it. Lines and columns count from 1, columns in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// In a notebook, the line within the cell.
    pub line: u32,
    /// In characters, not in bytes.
    pub column: u32,
    /// The number of the notebook's cell; `None` in a file that is none.
    pub cell: Option<u32>,
}

impl SourceFile {
    pub(super) fn new(
        path: PathBuf,
        root: PathBuf,
        shown: ShownPath,
        text: String,
        cells: Option<Vec<Cell>>,
    ) -> SourceFile {
        let ShownPath { text: display_path, uri } = shown;
        let (line_starts, characters) = (OnceLock::new(), OnceLock::new());
        let (id, origin, packages) = (FileId(0), Origin::default(), Vec::new());
        let project_root = root.clone();
        SourceFile {
            id,
            display_path,
            uri,
            path,
            root,
            project_root,
            origin,
            packages,
            text,
            cells,
            line_starts,
            characters,
        }
    }

    /// The file with another text, of which its cells are given anew.
    pub(super) fn with_text(&self, text: String, cells: Option<Vec<Cell>>) -> SourceFile {
        let (line_starts, characters) = (OnceLock::new(), OnceLock::new());
        SourceFile { text, cells, line_starts, characters, ..self.clone() }
    }

    /// The path below the project's root, with `/` between its parts; its very bytes, since two names may look alike.
    pub fn project_path(&self) -> Vec<u8> {
        let below = self.path.strip_prefix(&self.project_root).unwrap_or(&self.path);
        let parts: Vec<&[u8]> = below.components().map(|part| part.as_os_str().as_encoded_bytes()).collect();
        parts.join(&b'/')
    }

    /// The offsets at which lines start, by `\n`, `\r\n` or `\r`. Computed when first asked for: most files have nothing to report.
    pub fn line_starts(&self) -> &[u32] {
        self.line_starts.get_or_init(|| line_starts(&self.text))
    }

    /// The position of a byte. An offset beyond the end is the end.
    pub fn line_column(&self, offset: u32) -> Position {
        let mut offset = (offset as usize).min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.line_index(offset as u32);
        let line_start = self.line_starts()[line];
        let column = self.characters_between(line_start as usize, offset) + 1;
        match self.cell_at(offset as u32) {
            Some(cell) => {
                let first = self.line_index(cell.start);
                Position { line: line.saturating_sub(first) as u32 + 1, column, cell: Some(cell.number) }
            }
            None => Position { line: line as u32 + 1, column, cell: None },
        }
    }

    /// The line around a byte, without its break.
    pub fn line(&self, offset: usize) -> Range<usize> {
        let index = self.line_index(u32::try_from(offset).unwrap_or(u32::MAX));
        let starts = self.line_starts();
        let start = starts[index] as usize;
        let end = starts.get(index + 1).map_or(self.text.len(), |next| *next as usize);
        start..start + self.text[start..end].trim_end_matches(['\n', '\r']).len()
    }

    /// How many characters there are from one to the other. Lines of many thousands, as in files that were generated, are counted once.
    fn characters_between(&self, start: usize, end: usize) -> u32 {
        if end - start <= 2 * BLOCK {
            return characters(&self.text.as_bytes()[start..end]);
        }
        let before = self.characters.get_or_init(|| {
            let blocks = self.text.as_bytes().chunks(BLOCK);
            let sum = |sum: &mut u32, block| Some(std::mem::replace(sum, *sum + characters(block)));
            blocks.scan(0, sum).collect()
        });
        let before = |offset: usize| {
            let block = (offset / BLOCK).min(before.len() - 1);
            before[block] + characters(&self.text.as_bytes()[block * BLOCK..offset])
        };
        before(end) - before(start)
    }

    /// The text of a line of the whole file (also of a notebook), counted from 1, without its line break.
    pub fn line_text(&self, line: u32) -> &str {
        let starts = self.line_starts();
        let Some(&start) = (line as usize).checked_sub(1).and_then(|index| starts.get(index)) else { return "" };
        let end = starts.get(line as usize).map_or(self.text.len(), |&next| next as usize);
        self.text[start as usize..end].trim_end_matches(['\n', '\r'])
    }

    /// The line of the whole file (also of a notebook) that holds a byte, counted from 1.
    pub fn absolute_line(&self, offset: u32) -> u32 {
        self.line_index(offset) as u32 + 1
    }

    /// The cell of a notebook that holds a byte.
    pub fn cell_at(&self, offset: u32) -> Option<Cell> {
        let cells = self.cells.as_ref()?;
        let index = cells.partition_point(|cell| cell.start <= offset);
        cells.get(index.saturating_sub(1)).copied()
    }

    /// The bytes between two offsets, as far as they exist.
    pub fn slice(&self, range: Range<u32>) -> &str {
        self.text.get(range.start as usize..range.end as usize).unwrap_or("")
    }

    fn line_index(&self, offset: u32) -> usize {
        self.line_starts().partition_point(|&start| start <= offset).saturating_sub(1)
    }
}

/// The start and the end of the cells of a notebook as they are parsed: what stands between the line break after a cell and the next one makes
/// a block of that one, and belongs to it.
pub fn parsed_ranges(cells: &[Cell]) -> impl Iterator<Item = (u32, u32)> + '_ {
    let starts = std::iter::once(0).chain(cells.iter().map(|cell| cell.end + 1));
    starts.zip(cells).map(|(start, cell)| (start.min(cell.start), cell.end))
}

/// The characters that start in these bytes of a text.
fn characters(bytes: &[u8]) -> u32 {
    bytes.iter().filter(|byte| **byte & 0b1100_0000 != 0b1000_0000).count() as u32
}

fn line_starts(text: &str) -> Vec<u32> {
    let bytes = text.as_bytes();
    let mut starts = vec![0];
    for (index, &byte) in bytes.iter().enumerate() {
        let ends_line = byte == b'\n' || (byte == b'\r' && bytes.get(index + 1) != Some(&b'\n'));
        if ends_line {
            starts.push(index as u32 + 1);
        }
    }
    starts
}

/// The names of the folders around `path` that are packages, up to the first that is not; the outermost first.
pub(super) fn enclosing_packages(path: &Path, is_package: &dyn Fn(&Path) -> bool) -> Vec<String> {
    let mut packages = Vec::new();
    for folder in path.ancestors().skip(1) {
        let Some(name) = folder.file_name() else { break };
        if !is_package(folder) {
            break;
        }
        packages.push(name.to_string_lossy().into_owned());
    }
    packages.reverse();
    packages
}

#[cfg(test)]
mod tests {
    use super::{Cell, Position, SourceFile};
    use crate::shown::ShownPath;
    use std::path::PathBuf;

    fn file(text: &str, cells: Option<Vec<Cell>>) -> SourceFile {
        SourceFile::new(PathBuf::from("a.py"), PathBuf::new(), ShownPath::default(), text.to_owned(), cells)
    }

    fn at(line: u32, column: u32, cell: Option<u32>) -> Position {
        Position { line, column, cell }
    }

    #[test]
    fn columns_of_long_lines_count_characters() {
        let file = file(&format!("a\n{}", "é1".repeat(20_000)), None);
        assert_eq!(file.line_column(2 + 3 * 19_999), at(2, 2 * 19_999 + 1, None));
        assert_eq!(file.line_column(2 + 3 * 5_000 + 1), at(2, 10_001, None));
        assert_eq!(file.line_column(u32::MAX), at(2, 40_001, None));
    }

    #[test]
    fn columns_count_characters_and_lines_end_in_any_way() {
        let file = file("aé\u{1f600}b\r\nc\rd\n", None);
        assert_eq!(file.line_column(0), at(1, 1, None));
        assert_eq!(file.line_column(7), at(1, 4, None));
        // In the middle of a character is at its start.
        assert_eq!(file.line_column(4), at(1, 3, None));
        assert_eq!(file.line_column(10), at(2, 1, None));
        assert_eq!(file.line_column(12), at(3, 1, None));
        assert_eq!(file.line_column(999), at(4, 1, None));
        assert_eq!((file.line_text(1), file.line_text(2), file.line_text(3)), ("aé\u{1f600}b", "c", "d"));
        assert_eq!((file.line_text(0), file.line_text(99)), ("", ""));
    }

    #[test]
    fn lines_of_a_notebook_count_in_the_cell() {
        let cells = vec![
            Cell { number: 2, start: 0, end: 3, shows_error: false },
            Cell { number: 5, start: 4, end: 7, shows_error: false },
        ];
        let file = file("a\nb\nc\nd\n", Some(cells));
        assert_eq!(file.line_column(2), at(2, 1, Some(2)));
        assert_eq!(file.line_column(4), at(1, 1, Some(5)));
        assert_eq!(file.line_column(7), at(2, 2, Some(5)));
        assert_eq!(file.absolute_line(4), 3);
    }
}
