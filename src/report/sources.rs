//! The source text that findings point into.

use crate::corpus::FileId;

/// A place as people name it. Lines and columns count from 1, columns in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The cell of a notebook, counted from 1; lines count from the cell's start.
    pub cell: Option<u32>,
    pub line: u32,
    pub column: u32,
}

/// The analysed files, as the renderers need them.
pub trait Sources {
    /// The path as the user gave it.
    fn name(&self, file: FileId) -> &str;
    /// The decoded text; of a notebook, its code cells one after the other.
    fn text(&self, file: FileId) -> &str;
    /// The position of a byte; beyond the end, that of the end.
    fn position(&self, file: FileId, offset: u32) -> Position;
}

/// Files in memory: what errors about configuration point into, and tests.
#[derive(Clone, Debug, Default)]
pub struct MemorySources {
    files: Vec<(String, String)>,
}

impl MemorySources {
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
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
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

fn saturate(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}
