//! Rows of a relation in the rule engine: append-only, flat, and numbered in the order in which they were found.

use harp_limits::tick;
use std::ops::Range;

use rustc_hash::FxHashMap;

use super::index::Index;
use super::rule::Rule;
use crate::id_table::{IdTable, KeySet, hash_cells};

/// The set of a relation's rows.
#[derive(Clone, Debug)]
pub(super) enum RowSet {
    /// Up to two columns.
    Narrow(KeySet),
    Wide(IdTable),
}

impl Default for RowSet {
    fn default() -> Self {
        RowSet::Narrow(KeySet::default())
    }
}

impl RowSet {
    fn new(arity: usize) -> Self {
        if arity <= 2 { RowSet::Narrow(KeySet::default()) } else { RowSet::Wide(IdTable::default()) }
    }
}

/// How rows were first derived: for each row after the facts the rule and the premises' row numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct Derivations {
    /// Where in `flat` the entry of every [`STRIDE`]th derived row begins.
    starts: Vec<u32>,
    rows: usize,
    /// The rule, then a row number for each positive atom of its body, in the body's order.
    flat: Vec<u32>,
}

/// Entries are found from the last noted start before them, which saves four bytes a row.
const STRIDE: usize = 32;

impl Derivations {
    fn push(&mut self, rule: u32, premises: &[u32]) {
        if self.rows.is_multiple_of(STRIDE) {
            self.starts.push(self.flat.len() as u32);
        }
        self.rows += 1;
        self.flat.push(rule);
        self.flat.extend_from_slice(premises);
    }

    /// The rule and premises of a derived row; `count` tells how many positive atoms a rule has.
    fn get(&self, row: usize, count: impl Fn(usize) -> usize) -> Option<(usize, &[u32])> {
        let mut at = *self.starts.get(row / STRIDE)? as usize;
        for _ in 0..row % STRIDE {
            at += 1 + count(*self.flat.get(at)? as usize);
        }
        let rule = *self.flat.get(at)? as usize;
        Some((rule, self.flat.get(at + 1..at + 1 + count(rule))?))
    }

    /// Whether there is room for another batch; offsets are 32 bits wide.
    fn has_room(&self) -> bool {
        self.flat.len() < (u32::MAX / 2) as usize
    }
}

/// One relation with everything that evaluation knows of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Relation {
    pub arity: usize,
    pub data: Vec<u32>,
    pub len: usize,
    pub set: RowSet,
    pub indexes: Vec<Index>,
    /// The rows below this number were given, not derived.
    pub facts: usize,
    /// For given rows that rest on assumptions: the alternatives. A given row without an entry holds for certain.
    pub conditions: FxHashMap<u32, Vec<Box<[u32]>>>,
    pub derivations: Derivations,
    /// The rows that were new in the round before.
    pub delta: Range<usize>,
    /// Some rule was stopped, so that rows may be missing.
    pub incomplete: bool,
    /// Distinct values by column, and the number of rows that were counted.
    distinct: Vec<Option<(usize, usize)>>,
}

impl Relation {
    pub fn new(arity: usize) -> Self {
        Relation { arity, set: RowSet::new(arity), distinct: vec![None; arity], ..Relation::default() }
    }

    #[inline]
    pub fn row(&self, row: usize) -> &[u32] {
        &self.data[row * self.arity..(row + 1) * self.arity]
    }

    pub fn contains(&self, row: &[u32]) -> bool {
        match &self.set {
            RowSet::Narrow(set) => set.contains(KeySet::pack(row)),
            RowSet::Wide(table) => {
                table.find(hash_cells(row.iter().copied()), |id| self.row(id as usize) == row).is_some()
            }
        }
    }

    /// The number of a row, by an index on all columns.
    pub fn find_indexed(&mut self, row: &[u32]) -> Option<u32> {
        let columns: Vec<usize> = (0..self.arity).collect();
        let index = self.index_on(&columns, self.len);
        let group = self.indexes[index].lookup(&self.data, self.arity, row)?;
        group.together.first().copied().or(group.newest)
    }

    /// The rule and premises of a derived row.
    pub fn derivation(&self, row: usize, rules: &[Rule]) -> Option<(usize, &[u32])> {
        let index = row.checked_sub(self.facts)?;
        if index >= self.derivations.rows {
            return None;
        }
        self.derivations.get(index, |rule| rules.get(rule).map_or(0, Rule::premise_count))
    }

    /// About how many different values a column has.
    pub fn distinct(&mut self, column: usize) -> usize {
        const SAMPLE: usize = 2048;
        if let Some((count, of)) = self.distinct[column]
            && self.len <= of * 2
            && of > 0
        {
            return count;
        }
        let step = (self.len / SAMPLE).max(1);
        let mut seen = rustc_hash::FxHashSet::default();
        let mut looked_at = 0;
        for row in (0..self.len).step_by(step) {
            seen.insert(self.row(row)[column]);
            looked_at += 1;
        }
        // Few different values in the sample are all there are; many mean that the rest differs as well.
        let count = if seen.len() * 2 > looked_at { seen.len() * step } else { seen.len() };
        self.distinct[column] = Some((count.max(1), self.len));
        count.max(1)
    }

    /// The number of the index on these columns, which is made where there is none.
    pub fn index_on(&mut self, columns: &[usize], covered: usize) -> usize {
        if let Some(found) = self.indexes.iter().position(|index| *index.columns == *columns) {
            self.update_index(found, covered);
            return found;
        }
        let mut index = Index::new(columns);
        index.cover(&self.data, self.arity, covered);
        self.indexes.push(index);
        self.indexes.len() - 1
    }

    fn update_index(&mut self, number: usize, covered: usize) {
        self.indexes[number].cover(&self.data, self.arity, covered);
    }

    /// Brings all indices up to a number of rows.
    pub fn update_indexes(&mut self, covered: usize) {
        (0..self.indexes.len()).for_each(|number| self.update_index(number, covered));
    }

    /// Takes apart what rules add to while they read the relation.
    pub fn open_sink(&mut self, rule: usize, premises: usize, record: bool, most: usize) -> Sink {
        Sink {
            arity: self.arity,
            set: std::mem::take(&mut self.set),
            derivations: std::mem::take(&mut self.derivations),
            base: self.len,
            fresh: Vec::new(),
            fresh_len: 0,
            rule: rule as u32,
            premises,
            record,
            most,
        }
    }

    /// Puts a sink's rows behind the others.
    pub fn close_sink(&mut self, sink: Sink) {
        self.set = sink.set;
        self.derivations = sink.derivations;
        if self.data.is_empty() {
            self.data = sink.fresh;
        } else {
            self.data.extend_from_slice(&sink.fresh);
        }
        self.len += sink.fresh_len;
    }

    /// Adds a given row with what it rests on; the same row given twice has alternatives.
    pub fn add_fact(&mut self, row: &[u32], assumptions: &[u32]) {
        tick();
        let known = match &mut self.set {
            RowSet::Narrow(set) => !set.insert(KeySet::pack(row)),
            RowSet::Wide(table) => {
                let hash = hash_cells(row.iter().copied());
                let (data, arity) = (&self.data, self.arity);
                let cells = |id: u32| &data[id as usize * arity..(id as usize + 1) * arity];
                let known = table.find(hash, |id| cells(id) == row).is_some();
                if !known {
                    table.insert(hash, self.len as u32, |id| hash_cells(cells(id).iter().copied()));
                }
                known
            }
        };
        if !known {
            if !assumptions.is_empty() {
                self.conditions.insert(self.len as u32, vec![assumptions.into()]);
            }
            self.data.extend_from_slice(row);
            self.len += 1;
            self.facts = self.len;
            return;
        }
        // Only rows with conditions need their number, and only these are kept in the map.
        if self.conditions.is_empty() {
            return;
        }
        let Some(number) = self.find_indexed(row) else { return };
        if assumptions.is_empty() {
            self.conditions.remove(&number);
        } else if let Some(alternatives) = self.conditions.get_mut(&number)
            && alternatives.len() < MOST_ALTERNATIVES
            && !alternatives.iter().any(|other| **other == *assumptions)
        {
            alternatives.push(assumptions.into());
        }
    }
}

/// A given row rests on one of so many sets of assumptions at most: others are left out, as a search for the smallest sets looks at fewer.
const MOST_ALTERNATIVES: usize = 256;

/// Where a rule's rows go while the relation itself is being read.
pub(super) struct Sink {
    arity: usize,
    set: RowSet,
    derivations: Derivations,
    /// How many rows the relation has beside the fresh ones.
    base: usize,
    pub fresh: Vec<u32>,
    pub fresh_len: usize,
    rule: u32,
    premises: usize,
    record: bool,
    /// At most this many fresh rows are taken.
    most: usize,
}

impl Sink {
    /// Adds a batch of rows, each followed by its premises. Returns whether more may come. `data` is the relation's.
    pub fn insert(&mut self, data: &[u32], batch: &[u32], count: usize) -> bool {
        tick();
        let stride = self.arity + self.premises;
        match std::mem::take(&mut self.set) {
            RowSet::Narrow(mut set) => {
                self.insert_narrow(&mut set, batch, stride, count);
                self.set = RowSet::Narrow(set);
            }
            RowSet::Wide(mut table) => {
                self.insert_wide(&mut table, data, batch, stride);
                self.set = RowSet::Wide(table);
            }
        }
        self.fresh_len < self.most
            && self.base + self.fresh_len < (u32::MAX / 2) as usize
            && self.derivations.has_room()
    }

    fn insert_narrow(&mut self, set: &mut KeySet, batch: &[u32], stride: usize, count: usize) {
        if stride == 0 {
            if count > 0 && set.insert(0) {
                self.take(&[], &[]);
            }
            return;
        }
        const AHEAD: usize = 32;
        let mut keys = [0u64; AHEAD];
        for group in batch.chunks(AHEAD * stride) {
            let rows = group.len() / stride;
            for (key, row) in keys.iter_mut().zip(group.chunks_exact(stride)) {
                *key = KeySet::pack(&row[..self.arity]);
            }
            set.touch(&keys[..rows]);
            for (key, row) in keys.iter().zip(group.chunks_exact(stride)) {
                if set.insert(*key) {
                    let (cells, premises) = row.split_at(self.arity);
                    self.take(cells, premises);
                }
            }
        }
    }

    fn insert_wide(&mut self, table: &mut IdTable, data: &[u32], batch: &[u32], stride: usize) {
        for row in batch.chunks_exact(stride) {
            let (cells, premises) = row.split_at(self.arity);
            let hash = hash_cells(cells.iter().copied());
            let (base, arity, fresh) = (self.base, self.arity, &self.fresh);
            let stored = |id: u32| {
                let id = id as usize;
                if id < base {
                    &data[id * arity..(id + 1) * arity]
                } else {
                    &fresh[(id - base) * arity..(id - base + 1) * arity]
                }
            };
            if table.find(hash, |id| stored(id) == cells).is_none() {
                table.insert(hash, (base + self.fresh_len) as u32, |id| hash_cells(stored(id).iter().copied()));
                self.take(cells, premises);
            }
        }
    }

    #[inline]
    fn take(&mut self, cells: &[u32], premises: &[u32]) {
        self.fresh.extend_from_slice(cells);
        self.fresh_len += 1;
        if self.record {
            self.derivations.push(self.rule, premises);
        }
    }
}
