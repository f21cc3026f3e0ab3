//! Interned values of rows: every symbol and number of a database is a 32-bit cell.

use crate::id_table::{IdTable, hash_bytes};
use rustc_hash::FxHashMap;

/// A value in a column. Equal values of one database are equal cells; which table a cell belongs to is told by the column's
/// type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cell(pub(super) u32);

/// The cell of the number 0; small numbers lie around it, so that counting numbers are dense.
pub(super) const ZERO: u32 = 1 << 30;
/// Cells from here on are indices into the table of large numbers.
const LARGE: u32 = 1 << 31;

/// The symbols and numbers of one database.
#[derive(Clone, Debug, Default)]
pub struct Values {
    text: String,
    /// Where each symbol ends in `text`.
    ends: Vec<usize>,
    /// The upper half of each symbol's hash: texts lie far apart in memory, and most need not be looked at.
    hashes: Vec<u32>,
    symbols: IdTable,
    large: Vec<i64>,
    large_ids: FxHashMap<i64, u32>,
    /// Bytes of new symbols and numbers since the last allowance.
    made: usize,
    /// How many there may be; `None` while a caller fills a database.
    allowed: Option<usize>,
    exhausted: bool,
}

/// What a large number takes.
const LARGE_BYTES: usize = 40;
/// What a symbol takes beside its text.
const SYMBOL_BYTES: usize = 24;

impl Values {
    /// Makes room for so many further symbols with so many bytes.
    pub fn reserve(&mut self, symbols: usize, bytes: usize) {
        self.text.reserve(bytes);
        self.ends.reserve(symbols);
        self.hashes.reserve(symbols);
        let Values { hashes, symbols: table, .. } = self;
        table.reserve(symbols, |id| u64::from(hashes[id as usize]) << 32);
    }

    /// The cell of a symbol.
    pub fn symbol(&mut self, text: &str) -> Cell {
        let hash = hash_bytes(text.as_bytes());
        if let Some(id) = self.find_hashed(hash, text) {
            return Cell(id);
        }
        self.make(text.len() + SYMBOL_BYTES);
        let id = self.ends.len() as u32;
        self.text.push_str(text);
        self.ends.push(self.text.len());
        self.hashes.push(upper(hash));
        let Values { hashes, symbols, .. } = self;
        symbols.insert(hash, id, |id| u64::from(hashes[id as usize]) << 32);
        Cell(id)
    }

    fn find_hashed(&self, hash: u64, text: &str) -> Option<u32> {
        self.symbols.find(hash, |id| self.hashes[id as usize] == upper(hash) && self.symbol_text(id) == text)
    }

    /// The cell of a symbol that already occurs.
    pub fn find_symbol(&self, text: &str) -> Option<Cell> {
        self.find_hashed(hash_bytes(text.as_bytes()), text).map(Cell)
    }

    /// The cell of a number.
    pub fn number(&mut self, value: i64) -> Cell {
        if let Some(cell) = small(value) {
            return cell;
        }
        if let Some(id) = self.large_ids.get(&value) {
            return Cell(*id);
        }
        self.make(LARGE_BYTES);
        let id = LARGE + self.large.len() as u32;
        self.large.push(value);
        self.large_ids.insert(value, id);
        Cell(id)
    }

    /// Begins to count what is made.
    pub(super) fn allow(&mut self, bytes: usize) {
        self.made = 0;
        self.allowed = Some(bytes);
        self.exhausted = false;
    }

    /// Stops counting, for what a caller adds.
    pub(super) fn allow_all(&mut self) {
        self.allowed = None;
    }

    /// Bytes that were made since the last allowance.
    pub(super) fn made(&self) -> usize {
        self.made
    }

    /// Whether more was made than allowed.
    pub(super) fn is_exhausted(&self) -> bool {
        self.exhausted
    }

    /// Says that something would have been too large to make.
    pub(super) fn exhaust(&mut self) {
        self.exhausted = true;
    }

    fn make(&mut self, bytes: usize) {
        self.made += bytes;
        self.exhausted |= self.allowed.is_some_and(|allowed| self.made > allowed);
    }

    /// The text of a symbol's cell.
    pub fn text(&self, cell: Cell) -> &str {
        self.symbol_text(cell.0)
    }

    /// The value of a number's cell.
    pub fn integer(&self, cell: Cell) -> i64 {
        if cell.0 < LARGE {
            return i64::from(cell.0) - i64::from(ZERO);
        }
        self.large.get((cell.0 - LARGE) as usize).copied().unwrap_or(0)
    }

    fn symbol_text(&self, id: u32) -> &str {
        if (id as usize) < self.ends.len() { slice(&self.text, &self.ends, id) } else { "" }
    }
}

fn slice<'a>(text: &'a str, ends: &[usize], id: u32) -> &'a str {
    let start = if id == 0 { 0 } else { ends[id as usize - 1] };
    &text[start..ends[id as usize]]
}

/// The half of a hash that tables go by.
fn upper(hash: u64) -> u32 {
    (hash >> 32) as u32
}

fn small(value: i64) -> Option<Cell> {
    let half = i64::from(ZERO);
    (-half..half).contains(&value).then(|| Cell((value + half) as u32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_back() {
        let mut values = Values::default();
        for text in ["", "a", "torch.nn", "ä", "a"] {
            let cell = values.symbol(text);
            assert_eq!(values.text(cell), text);
            assert_eq!(values.find_symbol(text), Some(cell));
        }
        assert_eq!(values.ends.len(), 4);
        for number in [0, -1, 1 << 30, -(1 << 30), -(1 << 30) - 1, i64::MAX, i64::MIN] {
            let cell = values.number(number);
            assert_eq!(values.integer(cell), number);
            assert_eq!(values.number(number), cell);
        }
    }

    #[test]
    fn many_symbols_stay_apart() {
        let mut values = Values::default();
        let cells: Vec<Cell> = (0..5000).map(|index| values.symbol(&format!("symbol {index}"))).collect();
        assert!(cells.iter().enumerate().all(|(index, cell)| values.text(*cell) == format!("symbol {index}")));
    }
}
