//! A corpus with other text in one of its files: what would be analysed if somebody edited that file. Nothing is written to disk.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::{Cell, Corpus, FileId, Origin, SourceFile};

/// Other text for some bytes of a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Replacement {
    /// The first byte that is replaced.
    pub start: u32,
    /// The byte behind the last one; `start`, where text is only inserted.
    pub end: u32,
    /// What takes their place.
    pub text: String,
}

/// Where a byte of an edited text comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Provenance {
    /// It was there before, at this place.
    Kept(u32),
    /// It is the byte `offset` of the new text that replaces what began at `start`.
    New {
        /// Where the replaced text began.
        start: u32,
        /// Counted in the new text.
        offset: u32,
    },
}

/// Replacements in one text, in order and apart from each other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replacements(Vec<Replacement>);

impl Replacement {
    /// Whether it is lines behind a statement: nothing goes, and the text begins with the end of the statement's line.
    pub fn is_behind_statement(&self) -> bool {
        self.start == self.end && self.text.starts_with(['\n', '\r'])
    }
}

impl Replacements {
    /// `None` where two of them overlap, so that one would undo the other. Insertions at one place keep their order.
    pub fn new(mut all: Vec<Replacement>) -> Option<Replacements> {
        all.sort_by_key(|replacement| (replacement.start, replacement.end));
        let are_apart = all.windows(2).all(|pair| pair[0].end <= pair[1].start);
        (are_apart && all.iter().all(|replacement| replacement.start <= replacement.end)).then_some(Replacements(all))
    }

    /// The replacements, in the order of the text.
    pub fn iter(&self) -> impl Iterator<Item = &Replacement> {
        self.0.iter()
    }

    /// The text after all of them; `None` where one is not within the text.
    pub fn apply(&self, text: &str) -> Option<String> {
        let mut edited = String::with_capacity(text.len());
        let mut offset = 0;
        for replacement in &self.0 {
            edited.push_str(text.get(offset..replacement.start as usize)?);
            edited.push_str(&replacement.text);
            offset = replacement.end as usize;
        }
        edited.push_str(text.get(offset..)?);
        Some(edited)
    }

    /// Where a byte of the edited text comes from.
    pub fn provenance(&self, edited: u32) -> Provenance {
        let mut shift = 0_i64;
        for Replacement { start, end, text } in &self.0 {
            let new_start = i64::from(*start) + shift;
            if i64::from(edited) < new_start {
                break;
            }
            let offset = i64::from(edited) - new_start;
            if offset < text.len() as i64 {
                return Provenance::New { start: *start, offset: offset as u32 };
            }
            shift += text.len() as i64 - i64::from(end - start);
        }
        Provenance::Kept(u32::try_from(i64::from(edited) - shift).unwrap_or(0))
    }

    /// The replacements, each with where its new text begins in the edited text.
    pub fn placed(&self) -> impl Iterator<Item = (u32, &Replacement)> {
        let mut shift = 0_i64;
        self.0.iter().map(move |replacement| {
            let start = u32::try_from(i64::from(replacement.start) + shift).unwrap_or(u32::MAX);
            shift += replacement.text.len() as i64 - i64::from(replacement.end - replacement.start);
            (start, replacement)
        })
    }
}

impl Corpus {
    /// The corpus as it would be with these replacements in one of its own files. Of the files that are checked, only `checked` are.
    pub fn edited(&self, id: FileId, replacements: &Replacements, checked: &BTreeSet<FileId>) -> Option<Corpus> {
        let text = replacements.apply(&self.files.get(id.0 as usize)?.text)?;
        let mut files = self.files.clone();
        for file in files.iter_mut().filter(|file| !checked.contains(&file.id)) {
            file.origin = Origin::Imported;
        }
        let file = files.get_mut(id.0 as usize)?;
        *file = file.with_text(text, file.edited_cells(replacements));
        Some(self.with_files(files))
    }

    /// The corpus with replacements in some of its own files; all else is as it was. `None` where one of them is not within its file.
    pub fn with_replacements(&self, replacements: &BTreeMap<FileId, Replacements>) -> Option<Corpus> {
        let mut files = self.files.clone();
        for (id, replacements) in replacements {
            let file = files.get_mut(id.0 as usize)?;
            let (text, cells) = (replacements.apply(&file.text)?, file.edited_cells(replacements));
            *file = file.with_text(text, cells);
        }
        Some(self.with_files(files))
    }

    fn with_files(&self, files: Vec<SourceFile>) -> Corpus {
        Corpus {
            files,
            skipped: self.skipped.clone(),
            roots: self.roots.clone(),
            environment: self.environment.clone(),
            libraries: Arc::clone(&self.libraries),
            data: self.data.clone(),
            observed: Arc::clone(&self.observed),
        }
    }
}

impl SourceFile {
    /// The cells of a notebook around the new texts, which belong to the cells in which they stand.
    pub fn edited_cells(&self, replacements: &Replacements) -> Option<Vec<Cell>> {
        self.cells.clone().map(|cells| moved(cells, replacements))
    }
}

fn moved(mut cells: Vec<Cell>, replacements: &Replacements) -> Vec<Cell> {
    let (mut shift, mut left) = (0_i64, replacements.0.iter().peekable());
    for cell in &mut cells {
        let moved = |offset: u32, shift: i64| u32::try_from(i64::from(offset) + shift).unwrap_or(u32::MAX);
        let start = moved(cell.start, shift);
        while let Some(replacement) = left.next_if(|replacement| replacement.start <= cell.end) {
            shift += replacement.text.len() as i64 - i64::from(replacement.end - replacement.start);
        }
        (cell.start, cell.end) = (start, moved(cell.end, shift));
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replacements(all: &[(u32, u32, &str)]) -> Option<Replacements> {
        let all =
            all.iter().map(|(start, end, text)| Replacement { start: *start, end: *end, text: (*text).to_owned() });
        Replacements::new(all.collect())
    }

    #[test]
    fn places_are_found_in_the_edited_text_and_back() {
        let edit = replacements(&[(2, 4, "xyz"), (6, 6, "__")]).expect("apart");
        assert_eq!(edit.apply("abcdefgh").as_deref(), Some("abxyzef__gh"));
        assert_eq!(edit.placed().map(|(start, _)| start).collect::<Vec<_>>(), [2, 7]);
        let new = |start, offset| Provenance::New { start, offset };
        let expected = [Provenance::Kept(1), new(2, 0), new(2, 2), Provenance::Kept(4), new(6, 1), Provenance::Kept(6)];
        assert_eq!([1, 2, 4, 5, 8, 9].map(|offset| edit.provenance(offset)), expected);
    }

    #[test]
    fn replacements_that_overlap_or_lie_outside_are_none() {
        assert_eq!(replacements(&[(0, 3, ""), (2, 4, "")]), None);
        assert_eq!(replacements(&[(0, 9, "")]).and_then(|edit| edit.apply("ab")), None);
        assert_eq!(replacements(&[(1, 2, "")]).and_then(|edit| edit.apply("é")), None);
    }

    #[test]
    fn an_edited_corpus_keeps_what_is_not_edited() {
        let files = [("a.py", "x = 1\n"), ("b.py", "import a\n")];
        let corpus = Corpus::in_memory(files.map(|(path, text)| (path.to_owned(), text.to_owned())).to_vec());
        let edit = replacements(&[(4, 5, "23")]).expect("apart");
        let edited = corpus.edited(FileId(0), &edit, &BTreeSet::from([FileId(0)])).expect("a corpus");
        assert_eq!((&*edited.files[0].text, &*edited.files[1].text), ("x = 23\n", "import a\n"));
        assert_eq!((edited.is_imported(FileId(0)), edited.is_imported(FileId(1))), (false, true));
        assert_eq!(corpus.files[0].text, "x = 1\n");
    }
}
