//! Encodes an edited text as its file was read: in its encoding, with its byte order mark, and of a notebook within its
//! JSON.

use std::collections::BTreeMap;
use std::fmt;

use crate::{Cell, SourceFile, decode, notebook, notebook_source};

/// Why an edited text cannot take the place of a file's. Shown, it is the end of a sentence such as "the file is not written: …".
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WriteBackError {
    /// The bytes are not those of which the text was read.
    Changed,
    /// The file's encoding does not have a character of the text, or the text would be read as another one.
    Encoding,
    /// Something outside of the notebook's cells was edited.
    OutsideCells,
}

impl fmt::Display for WriteBackError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            WriteBackError::Changed => "it has changed since it was read",
            WriteBackError::Encoding => "the new text cannot be written in its encoding",
            WriteBackError::OutsideCells => "what was edited lies outside of its cells",
        })
    }
}

impl std::error::Error for WriteBackError {}

impl SourceFile {
    /// The bytes of this file with the text of `edited`, which is the same file after edits. `bytes` are those that the file has: what they hold beside the
    /// text stays as it is.
    ///
    /// # Errors
    ///
    /// Where the bytes would not be read as the edited text.
    pub fn bytes_of(&self, edited: &SourceFile, bytes: &[u8]) -> Result<Vec<u8>, WriteBackError> {
        let document = decode::decode(bytes.to_vec()).map_err(|_| WriteBackError::Changed)?;
        let new_document = match (&self.cells, &edited.cells) {
            (None, _) if document != self.text => return Err(WriteBackError::Changed),
            (None, _) => edited.text.clone(),
            (Some(_), Some(new_cells)) => self.notebook_of(edited, new_cells, &document)?,
            (Some(_), None) => return Err(WriteBackError::OutsideCells),
        };
        let encoded = decode::encode_like(bytes, &new_document).map_err(|_| WriteBackError::Encoding)?;
        let is_same = decode::decode(encoded.clone()).is_ok_and(|read| read == new_document);
        if is_same { Ok(encoded) } else { Err(WriteBackError::Encoding) }
    }

    fn notebook_of(&self, edited: &SourceFile, cells: &[Cell], json: &str) -> Result<String, WriteBackError> {
        let is_same = |read: (String, Option<Vec<Cell>>)| read.0 == self.text && read.1 == self.cells;
        if !notebook::read(json).is_ok_and(is_same) {
            return Err(WriteBackError::Changed);
        }
        let old_code = |number: u32| {
            let old = self.cells.iter().flatten().find(|cell| cell.number == number)?;
            Some(self.slice(old.start..old.end))
        };
        let code = cells.iter().map(|cell| (cell.number, edited.slice(cell.start..cell.end)));
        let changed: BTreeMap<u32, &str> = code.filter(|(number, code)| old_code(*number) != Some(code)).collect();
        let replaced = notebook_source::replace(json, &changed).ok_or(WriteBackError::OutsideCells)?;
        let is_edited = notebook::read(&replaced).is_ok_and(|(text, _)| text == edited.text);
        if is_edited { Ok(replaced) } else { Err(WriteBackError::OutsideCells) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Corpus, FileId, Replacement, Replacements};
    use std::collections::BTreeSet;

    /// The bytes after one part of the text became another.
    fn written(path: &str, document: &str, part: &str, new: &str) -> Result<String, WriteBackError> {
        let corpus = Corpus::single(path, document);
        let start = corpus.files[0].text.find(part).expect("the part") as u32;
        let edit = Replacement { start, end: start + part.len() as u32, text: new.to_owned() };
        let edits = Replacements::new(vec![edit]).expect("one edit");
        let edited = corpus.edited(FileId(0), &edits, &BTreeSet::new()).expect("it lies within");
        let bytes = corpus.files[0].bytes_of(&edited.files[0], document.as_bytes())?;
        Ok(String::from_utf8(bytes).expect("UTF-8"))
    }

    #[test]
    fn what_was_not_edited_stays() {
        assert_eq!(written("a.py", "x = 1\r\ny = 2\r\n", "1", "é").as_deref(), Ok("x = é\r\ny = 2\r\n"));
        let notebook = r#"{"cells": [{"cell_type": "markdown", "source": "x = 1"}, {"cell_type": "code", "source": ["x = 1\n", "y"] }] }"#;
        let edited = written("a.ipynb", notebook, "y", "z").expect("it is written");
        assert_eq!(edited, notebook.replace("\"y\"", "\"z\""));
    }

    #[test]
    fn what_would_be_read_otherwise_is_refused() {
        let latin = "# coding: ascii\nx = 1\n";
        assert_eq!(written("a.py", latin, "ascii", "latin-1").map(|_| ()), Ok(()));
        assert_eq!(written("a.py", "#\nx = 'é'\n", "#", "# coding: latin-1"), Err(WriteBackError::Encoding));
        let indented = r#"{"cells": [{"cell_type": "code", "source": "  x = 1"}]}"#;
        assert_eq!(written("a.ipynb", indented, "if 1", "if 2"), Err(WriteBackError::OutsideCells));
        let file = &Corpus::single("a.py", "x").files[0];
        assert_eq!(file.bytes_of(file, b"y"), Err(WriteBackError::Changed));
    }
}
