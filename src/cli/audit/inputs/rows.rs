//! Gathers the rows of a table into repositories.

use std::collections::{BTreeMap, BTreeSet};

use harp_report::UserError;
use harp_tables::input::FileRow;

use crate::audit::unit::{Refusal, Source, Tree, Unit};

/// Rows of unfinished repositories have no more bytes together.
const MOST_PENDING: u64 = 4 << 30;

/// A repository of which rows may still come.
#[derive(Debug)]
struct Pending {
    tree: Tree,
    rows: usize,
    refusal: Option<Refusal>,
}

impl Pending {
    fn new(limit: u64) -> Pending {
        Pending { tree: Tree::new(limit), rows: 0, refusal: None }
    }

    fn add(&mut self, row: FileRow) {
        self.rows += 1;
        let before = self.tree.revision.take();
        if before.is_some() && before != row.revision {
            self.refusal.get_or_insert_with(|| "its rows are of two revisions".to_owned());
        }
        self.tree.revision = before.or(row.revision);
        let path = row.path.strip_prefix(b"./").unwrap_or(&row.path);
        let size = row.content.as_ref().map_or(0, |content| content.len() as u64);
        if let Err(refusal) = self.tree.add(path, size, || Ok(row.content)) {
            self.refusal.get_or_insert(refusal);
        }
    }

    fn unit(self, name: String) -> Unit {
        let source = match self.refusal {
            Some(refusal) => Source::Refused(refusal),
            None => Source::Rows(Box::new(self.tree)),
        };
        Unit { name, source }
    }
}

/// Repositories whose rows may lie anywhere in a table, given how many rows each has.
pub(super) struct Counted<Rows> {
    rows: Rows,
    left: BTreeMap<String, usize>,
    pending: BTreeMap<String, Pending>,
    /// The bytes of all of these.
    held: u64,
    limit: u64,
}

impl<Rows: Iterator<Item = Result<FileRow, UserError>>> Counted<Rows> {
    pub fn new(rows: Rows, counts: BTreeMap<String, usize>, limit: u64) -> Counted<Rows> {
        Counted { rows, left: counts, pending: BTreeMap::new(), held: 0, limit }
    }

    fn next_unit(&mut self) -> Result<Option<Unit>, UserError> {
        while let Some(row) = self.rows.next().transpose()? {
            let Some(name) = row.repository.clone() else { continue };
            let pending = self.pending.entry(name.clone()).or_insert_with(|| Pending::new(self.limit));
            let before = pending.tree.bytes();
            pending.add(row);
            self.held += pending.tree.bytes() - before;
            let is_whole = self.left.get(&name).is_none_or(|count| pending.rows >= *count);
            if is_whole && let Some(pending) = self.pending.remove(&name) {
                self.held -= pending.tree.bytes();
                return Ok(Some(pending.unit(name)));
            }
            if self.held > MOST_PENDING {
                return Err(UserError::new(format!(
                    "the rows of {} repositories lie apart, and would need more than {} GiB",
                    self.pending.len(),
                    MOST_PENDING >> 30
                ))
                .hint("sort the table by repository"));
            }
        }
        Ok(None)
    }
}

impl<Rows: Iterator<Item = Result<FileRow, UserError>>> Iterator for Counted<Rows> {
    type Item = Result<Unit, UserError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_unit().transpose()
    }
}

/// Repositories whose rows follow each other.
pub(in crate::audit) struct Clustered<Rows> {
    rows: Rows,
    current: Option<(String, Pending)>,
    seen: BTreeSet<String>,
    limit: u64,
}

impl<Rows: Iterator<Item = Result<FileRow, UserError>>> Clustered<Rows> {
    pub fn new(rows: Rows, limit: u64) -> Clustered<Rows> {
        Clustered { rows, current: None, seen: BTreeSet::new(), limit }
    }

    fn next_unit(&mut self) -> Result<Option<Unit>, UserError> {
        loop {
            let Some(row) = self.rows.next().transpose()? else {
                return Ok(self.current.take().map(|(name, pending)| pending.unit(name)));
            };
            let Some(name) = row.repository.clone() else { continue };
            if let Some((_, pending)) = self.current.as_mut().filter(|(current, _)| *current == name) {
                pending.add(row);
                continue;
            }
            if !self.seen.insert(name.clone()) {
                return Err(UserError::new(format!("the rows of `{name}` do not follow each other"))
                    .hint("sort the rows by repository"));
            }
            let mut pending = Pending::new(self.limit);
            pending.add(row);
            if let Some((name, pending)) = self.current.replace((name, pending)) {
                return Ok(Some(pending.unit(name)));
            }
        }
    }
}

impl<Rows: Iterator<Item = Result<FileRow, UserError>>> Iterator for Clustered<Rows> {
    type Item = Result<Unit, UserError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_unit().transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_held_goes_with_its_repository() {
        let row = |name: &str, path: &str| {
            let (path, content) = (path.as_bytes().to_vec(), Some(b"x = 1\n".to_vec()));
            Ok(FileRow { repository: Some(name.to_owned()), revision: None, path, content })
        };
        let rows = [row("a", "1.py"), row("b", "1.py"), row("b", "1.py"), row("a", "2.py"), row("a", "data.bin")];
        let counts = [("a", 3), ("b", 2)].map(|(name, count)| (name.to_owned(), count));
        let mut units = Counted::new(rows.into_iter(), BTreeMap::from(counts), 1 << 20);
        let mut seen = Vec::new();
        while let Some(unit) = units.next() {
            seen.push((unit.expect("a repository").name, units.held));
        }
        assert_eq!(seen, [("b".to_owned(), 6), ("a".to_owned(), 0)]);
    }
}
