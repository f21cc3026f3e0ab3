//! Which lines a reviewed change takes away and adds, to match findings before and after it.

use std::collections::BTreeMap;
use std::ops::Range;

/// A run of lines in which every line is taken away or added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The lines that are taken away, counted from 1; where there are none, both ends are the line before which the new ones stand.
    pub old: Range<u32>,
    /// The lines that are added.
    pub new: Range<u32>,
}

/// A part of a file as a patch shows it: blocks with some lines around them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hunk {
    /// The lines of the new file that are shown, counted from 1.
    pub new: Range<u32>,
    /// In the order of the lines.
    pub blocks: Vec<Block>,
}

/// What happens to a file; a file that is made has no old name, and one that goes no new one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangedFile {
    /// As [`crate::Sources::name`] has it.
    pub old: Option<String>,
    /// The same after the change.
    pub new: Option<String>,
    /// In the order of the lines.
    pub hunks: Vec<Hunk>,
}

/// The files that a change touches.
#[derive(Clone, Debug, Default)]
pub struct ChangedLines {
    files: Vec<ChangedFile>,
    by_old: BTreeMap<String, usize>,
    by_new: BTreeMap<String, usize>,
}

/// Where an old line is after the change.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LinePlace {
    /// The file's new name.
    pub file: String,
    /// Counted from 1.
    pub line: u32,
}

impl ChangedLines {
    /// The change of these files.
    pub fn new(files: Vec<ChangedFile>) -> ChangedLines {
        let named = |name: fn(&ChangedFile) -> &Option<String>| {
            let names = files.iter().zip(0..).filter_map(|(file, index)| Some((name(file).clone()?, index)));
            names.collect::<BTreeMap<String, usize>>()
        };
        let (by_old, by_new) = (named(|file| &file.old), named(|file| &file.new));
        ChangedLines { files, by_old, by_new }
    }

    /// The files, in the order of the change.
    pub fn files(&self) -> &[ChangedFile] {
        &self.files
    }

    /// Whether a file of the new side is touched.
    pub fn touches(&self, new_name: &str) -> bool {
        self.by_new.contains_key(new_name)
    }

    /// Whether a file of the old side is touched.
    pub fn touches_old(&self, old_name: &str) -> bool {
        self.by_old.contains_key(old_name)
    }

    /// Where an old line is now, unless it was taken away.
    pub fn moved(&self, old_name: &str, line: u32) -> Option<LinePlace> {
        let Some(file) = self.by_old.get(old_name).map(|index| &self.files[*index]) else {
            return Some(LinePlace { file: old_name.to_owned(), line });
        };
        let mut shift = 0_i64;
        for block in file.hunks.iter().flat_map(|hunk| &hunk.blocks) {
            if block.old.contains(&line) {
                return None;
            }
            if line < block.old.start {
                break;
            }
            shift = i64::from(block.new.end) - i64::from(block.old.end);
        }
        let line = u32::try_from(i64::from(line) + shift).ok()?;
        Some(LinePlace { file: file.new.clone()?, line })
    }

    /// The block that takes an old line away, by a number of its own.
    pub fn block_of_old(&self, old_name: &str, line: u32) -> Option<(usize, usize)> {
        self.block(self.by_old.get(old_name)?, |block| block.old.contains(&line))
    }

    /// The block that adds a new line.
    pub fn block_of_new(&self, new_name: &str, line: u32) -> Option<(usize, usize)> {
        self.block(self.by_new.get(new_name)?, |block| block.new.contains(&line))
    }

    fn block(&self, file: &usize, is_it: impl Fn(&Block) -> bool) -> Option<(usize, usize)> {
        let mut blocks = self.files[*file].hunks.iter().flat_map(|hunk| &hunk.blocks);
        Some((*file, blocks.position(is_it)?))
    }

    /// Whether these lines of the new side, both included, are shown in one part of the change.
    pub fn shows(&self, new_name: &str, lines: &Range<u32>) -> bool {
        let file = self.by_new.get(new_name).map(|index| &self.files[*index]);
        file.is_some_and(|file| {
            file.hunks.iter().any(|hunk| hunk.new.start <= lines.start && lines.end <= hunk.new.end)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change() -> ChangedLines {
        let hunk = |new, blocks: &[(Range<u32>, Range<u32>)]| Hunk {
            new,
            blocks: blocks.iter().map(|(old, new)| Block { old: old.clone(), new: new.clone() }).collect(),
        };
        let hunks = vec![hunk(1..9, &[(2..3, 2..5), (5..5, 7..8)]), hunk(20..26, &[(20..22, 23..23)])];
        ChangedLines::new(vec![ChangedFile { old: Some("a.py".into()), new: Some("b.py".into()), hunks }])
    }

    #[test]
    fn lines_are_found_where_they_went() {
        let change = change();
        let line = |line| change.moved("a.py", line).map(|place| place.line);
        let expected = [(1, Some(1)), (2, None), (3, Some(5)), (4, Some(6)), (5, Some(8)), (19, Some(22)), (20, None)];
        assert_eq!(expected.map(|(old, _)| (old, line(old))), expected);
        assert_eq!(line(22), Some(23));
        assert_eq!(change.moved("c.py", 7), Some(LinePlace { file: "c.py".into(), line: 7 }));
        assert_eq!(change.block_of_old("a.py", 2), change.block_of_new("b.py", 4));
        assert_eq!(change.block_of_new("b.py", 5), None);
    }

    #[test]
    fn lines_outside_of_what_is_shown_are_known() {
        let change = change();
        assert!(change.shows("b.py", &(1..9)) && change.shows("b.py", &(25..26)));
        assert!(!change.shows("b.py", &(8..10)) && !change.shows("b.py", &(8..21)) && !change.shows("a.py", &(1..2)));
    }
}
