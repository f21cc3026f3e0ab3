//! Indexes of relations: row numbers by the values of some columns.
//!
//! Most rows of a group lie side by side; those added since hang behind in a chain, newest first. When the chains hold as many
//! rows as the rest, all are laid side by side again, so that growing costs a constant factor.

use super::values::ZERO;
use crate::id_table::{IdTable, KeySet, hash_cells, hash_key};

const NONE: u32 = u32::MAX;

#[derive(Clone, Debug)]
pub(super) struct Index {
    pub columns: Box<[usize]>,
    /// Rows below this number are in the index.
    covered: usize,
    /// Rows below this number lie side by side.
    base_rows: usize,
    /// For keys of one column whose values lie densely: the group plus 1, by the distance from `dense_from`.
    direct: Vec<u32>,
    dense_from: u32,
    /// The groups of all other keys.
    groups: IdTable,
    /// One row of each group, whose columns are the group's key.
    representatives: Vec<u32>,
    /// Where each group's rows begin in `rows`; one longer than the groups were at that time.
    starts: Vec<u32>,
    rows: Vec<u32>,
    /// The newest row of each group that is not in `rows`.
    heads: Vec<u32>,
    /// For each row after `base_rows`, the next older one of its group.
    older: Vec<u32>,
}

/// The rows of one group.
#[derive(Clone, Copy)]
pub(super) struct Group<'a> {
    /// In ascending order.
    pub together: &'a [u32],
    /// The newest of the other rows, if any.
    pub newest: Option<u32>,
}

impl Index {
    pub fn new(columns: &[usize]) -> Self {
        Index {
            columns: columns.into(),
            covered: 0,
            base_rows: 0,
            direct: Vec::new(),
            dense_from: 0,
            groups: IdTable::default(),
            representatives: Vec::new(),
            starts: Vec::new(),
            rows: Vec::new(),
            heads: Vec::new(),
            older: Vec::new(),
        }
    }

    /// Takes in the rows up to a number.
    pub fn cover(&mut self, data: &[u32], arity: usize, upto: usize) {
        if upto <= self.covered {
            return;
        }
        if upto - self.base_rows > self.base_rows + 64 {
            self.rebuild(data, arity, upto);
            return;
        }
        for row in self.covered..upto {
            let group = self.enter(data, arity, row) as usize;
            self.older.push(self.heads[group]);
            self.heads[group] = row as u32;
        }
        self.covered = upto;
    }

    fn rebuild(&mut self, data: &[u32], arity: usize, upto: usize) {
        let mut group_of = Vec::with_capacity(upto);
        for row in 0..upto {
            group_of.push(self.enter(data, arity, row));
        }
        let groups = self.representatives.len();
        self.starts = vec![0; groups + 1];
        for group in &group_of {
            self.starts[*group as usize + 1] += 1;
        }
        for group in 0..groups {
            self.starts[group + 1] += self.starts[group];
        }
        let mut next = self.starts.clone();
        self.rows = vec![0; upto];
        for (row, group) in group_of.into_iter().enumerate() {
            let at = &mut next[group as usize];
            self.rows[*at as usize] = row as u32;
            *at += 1;
        }
        self.heads = vec![NONE; groups];
        self.older = Vec::new();
        self.base_rows = upto;
        self.covered = upto;
    }

    /// The group of a row's key, which is made where there is none.
    fn enter(&mut self, data: &[u32], arity: usize, row: usize) -> u32 {
        let cells = &data[row * arity..(row + 1) * arity];
        if let [column] = *self.columns {
            // Small numbers lie from `ZERO` on, symbols from 0; either way the low ones are dense.
            if row == 0 && cells[column] >= ZERO {
                self.dense_from = ZERO;
            }
            let offset = self.offset(cells[column]);
            // The table may have gaps, but not so many that it outgrows the rows.
            if offset < 4 * (row + 64) && offset >= self.direct.len() {
                self.direct.resize((offset + 1).next_power_of_two(), 0);
            }
            if let Some(slot) = self.direct.get_mut(offset)
                && *slot != 0
            {
                return *slot - 1;
            }
        }
        let hash = self.hash_row(cells);
        let same = |id: u32| {
            let other = &data[self.representatives[id as usize] as usize * arity..];
            self.columns.iter().all(|column| other[*column] == cells[*column])
        };
        if let Some(group) = self.groups.find(hash, same) {
            return group;
        }
        let group = self.representatives.len() as u32;
        self.representatives.push(row as u32);
        self.heads.push(NONE);
        if let [column] = *self.columns
            && let Some(slot) = self.direct.get_mut(cells[column].wrapping_sub(self.dense_from) as usize)
        {
            *slot = group + 1;
            return group;
        }
        let (representatives, columns) = (&self.representatives, &self.columns);
        self.groups.insert(hash, group, |id| {
            let cells = &data[representatives[id as usize] as usize * arity..];
            hash_columns(columns, cells)
        });
        group
    }

    #[inline]
    fn offset(&self, cell: u32) -> usize {
        cell.wrapping_sub(self.dense_from) as usize
    }

    fn hash_row(&self, cells: &[u32]) -> u64 {
        hash_columns(&self.columns, cells)
    }

    fn bounds(&self, group: usize) -> (usize, usize) {
        match (self.starts.get(group), self.starts.get(group + 1)) {
            (Some(start), Some(end)) => (*start as usize, *end as usize),
            _ => (0, 0),
        }
    }

    /// The rows whose columns have these values.
    #[inline]
    pub fn lookup(&self, data: &[u32], arity: usize, key: &[u32]) -> Option<Group<'_>> {
        let group = self.group(data, arity, key)?;
        let (start, end) = self.bounds(group);
        let newest = self.heads.get(group).copied().filter(|row| *row != NONE);
        Some(Group { together: &self.rows[start..end], newest })
    }

    #[inline]
    fn group(&self, data: &[u32], arity: usize, key: &[u32]) -> Option<usize> {
        if let [cell] = *key
            && let Some(slot) = self.direct.get(self.offset(cell))
            && *slot != 0
        {
            return Some(*slot as usize - 1);
        }
        let hash = hash_words(key);
        let same = |id: u32| {
            let other = &data[self.representatives[id as usize] as usize * arity..];
            self.columns.iter().zip(key).all(|(column, cell)| other[*column] == *cell)
        };
        self.groups.find(hash, same).map(|group| group as usize)
    }

    /// The next older row behind a chained one.
    #[inline]
    pub fn older(&self, row: u32) -> Option<u32> {
        self.older.get(row as usize - self.base_rows).copied().filter(|row| *row != NONE)
    }
}

fn hash_columns(columns: &[usize], cells: &[u32]) -> u64 {
    match *columns {
        [column] => hash_key(KeySet::pack(&[cells[column]])),
        [first, second] => hash_key(mix(KeySet::pack(&[cells[first], cells[second]]))),
        _ => hash_cells(columns.iter().map(|column| cells[*column])),
    }
}

fn hash_words(key: &[u32]) -> u64 {
    match *key {
        [cell] => hash_key(u64::from(cell)),
        [first, second] => hash_key(mix(KeySet::pack(&[first, second]))),
        _ => hash_cells(key.iter().copied()),
    }
}

fn mix(key: u64) -> u64 {
    key ^ (key >> 29)
}
