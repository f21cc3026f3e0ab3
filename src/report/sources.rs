//! The source text that a report shows with its findings.

use std::borrow::Cow;
use std::ops::Range;
use std::path::Path;

use harp_corpus::{Corpus, FileId, Position, ShownPath, SourceFile};

/// The analysed files, as the renderers need them.
pub trait Sources {
    /// The path as the user gave it.
    fn name(&self, file: FileId) -> &str;
    /// The same path as a URI reference.
    fn uri(&self, file: FileId) -> Cow<'_, str> {
        Cow::Owned(ShownPath::of(Path::new(self.name(file))).uri)
    }
    /// Where the file lies, absolute and without links; of one that is nowhere on disk, its name.
    fn path(&self, file: FileId) -> &Path {
        Path::new(self.name(file))
    }
    /// The path within the file's project, wherever that is, as bytes.
    fn project_path(&self, file: FileId) -> Vec<u8> {
        self.name(file).as_bytes().to_vec()
    }
    /// The decoded text; of a notebook, its code cells one after the other.
    fn text(&self, file: FileId) -> &str;
    /// The line around a byte, without its break.
    fn line(&self, file: FileId, offset: usize) -> Range<usize> {
        line_around(self.text(file), offset)
    }
    /// The position of a byte; beyond the end, that of the end.
    fn position(&self, file: FileId, offset: u32) -> Position;
    /// Whether a byte is in a cell of a notebook that keeps an error as its output.
    fn shows_error(&self, _file: FileId, _offset: u32) -> bool {
        false
    }
}

impl Sources for Corpus {
    fn name(&self, file: FileId) -> &str {
        self.file(file).map_or("", |file| &file.display_path)
    }

    fn uri(&self, file: FileId) -> Cow<'_, str> {
        Cow::Borrowed(self.file(file).map_or("", |file| &file.uri))
    }

    fn path(&self, file: FileId) -> &Path {
        self.file(file).map_or(Path::new(""), |file| &file.path)
    }

    fn project_path(&self, file: FileId) -> Vec<u8> {
        self.file(file).map_or(Vec::new(), SourceFile::project_path)
    }

    fn text(&self, file: FileId) -> &str {
        self.file(file).map_or("", |file| &file.text)
    }

    // By the index of lines: one line may hold thousands of findings.
    fn line(&self, file: FileId, offset: usize) -> Range<usize> {
        self.file(file).map_or(0..0, |file| file.line(offset))
    }

    fn position(&self, file: FileId, offset: u32) -> Position {
        let nowhere = Position { line: 1, column: 1, cell: None };
        self.file(file).map_or(nowhere, |file| file.line_column(offset))
    }

    fn shows_error(&self, file: FileId, offset: u32) -> bool {
        let cells = self.file(file).and_then(|file| file.cells.as_ref());
        cells.is_some_and(|cells| {
            let next = cells.partition_point(|cell| cell.end < offset);
            cells.get(next).is_some_and(|cell| cell.start <= offset && cell.shows_error)
        })
    }
}

/// Files in memory: what errors about configuration point into, and tests.
#[derive(Clone, Debug, Default)]
pub struct MemorySources {
    files: Vec<(String, String)>,
}

impl MemorySources {
    /// Sources without files; [`MemorySources::add`] adds them.
    pub fn new() -> MemorySources {
        MemorySources::default()
    }

    /// Adds a file and returns its id.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> FileId {
        let id = FileId(u32::try_from(self.files.len()).unwrap_or(u32::MAX));
        self.files.push((name.into(), text.into()));
        id
    }

    fn get(&self, file: FileId) -> Option<&(String, String)> {
        self.files.get(file.0 as usize)
    }
}

impl Sources for MemorySources {
    fn name(&self, file: FileId) -> &str {
        self.get(file).map_or("", |(name, _)| name)
    }

    fn text(&self, file: FileId) -> &str {
        self.get(file).map_or("", |(_, text)| text)
    }

    fn position(&self, file: FileId, offset: u32) -> Position {
        let text = self.text(file);
        let before = &text[..floor_char_boundary(text, offset as usize)];
        let line_start = line_around(before, before.len()).start;
        let line = line_number(text, line_start);
        let column = before[line_start..].chars().count() + 1;
        Position { cell: None, line: saturate(line), column: saturate(column) }
    }
}

/// The last character boundary at or before `offset`; never beyond the text.
pub(super) fn floor_char_boundary(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

/// The line around `offset`, without its break; lines end in `\n`, `\r\n` or `\r`, as in Python.
pub(super) fn line_around(text: &str, offset: usize) -> Range<usize> {
    let offset = floor_char_boundary(text, offset);
    let start = text[..offset].rfind(['\n', '\r']).map_or(0, |line_break| line_break + 1);
    let end = text[offset..].find(['\n', '\r']).map_or(text.len(), |line_break| offset + line_break);
    start..end
}

/// The line that `offset` lies in, counted from 1; lines end as in [`line_around`].
pub fn line_number(text: &str, offset: usize) -> usize {
    let bytes = text.as_bytes();
    let ends_line = |at: usize| bytes[at] == b'\n' || bytes[at] == b'\r' && bytes.get(at + 1) != Some(&b'\n');
    (0..offset.min(bytes.len())).filter(|at| ends_line(*at)).count() + 1
}

fn saturate(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// The index of a corpus finds the lines that a search finds, at every byte that does not lie within a line break.
        #[test]
        fn lines_are_found_by_index_as_by_search(text in "[aß \n\r]{0,40}", offset in 0usize..60) {
            let corpus = Corpus::single("a.py", &text);
            let file = FileId(0);
            let offset = floor_char_boundary(&text, offset);
            prop_assume!(!(text[..offset].ends_with('\r') && text[offset..].starts_with('\n')));
            prop_assert_eq!(corpus.line(file, offset), line_around(corpus.text(file), offset));
        }
    }
}
