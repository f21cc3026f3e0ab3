//! Hash tables of the rule engine for row numbers, whose keys lie elsewhere, so that nothing is stored twice.

/// 2^64 divided by the golden ratio; multiplication by it spreads keys over the upper bits.
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

/// A hash of cells; the upper bits are the good ones.
#[inline]
pub(super) fn hash_cells(cells: impl IntoIterator<Item = u32>) -> u64 {
    cells.into_iter().fold(0, |hash: u64, cell| (hash.rotate_left(5) ^ u64::from(cell)).wrapping_mul(SPREAD))
}

#[inline]
pub(super) fn hash_key(key: u64) -> u64 {
    key.wrapping_mul(SPREAD)
}

pub(super) fn hash_bytes(bytes: &[u8]) -> u64 {
    use std::hash::Hasher;
    let mut hasher = rustc_hash::FxHasher::default();
    hasher.write(bytes);
    hash_key(hasher.finish())
}

/// An open-addressing table from the hash of a key to an id; the caller compares the keys.
#[derive(Clone, Debug, Default)]
pub(super) struct IdTable {
    /// 0 is empty, else the id plus 1.
    slots: Vec<u32>,
    used: usize,
}

impl IdTable {
    pub fn find(&self, hash: u64, mut is_key: impl FnMut(u32) -> bool) -> Option<u32> {
        if self.slots.is_empty() {
            return None;
        }
        let mask = self.slots.len() - 1;
        let mut at = self.start(hash);
        loop {
            match self.slots[at] {
                0 => return None,
                slot if is_key(slot - 1) => return Some(slot - 1),
                _ => at = (at + 1) & mask,
            }
        }
    }

    /// Adds an id whose key is not in the table.
    pub fn insert(&mut self, hash: u64, id: u32, rehash: impl Fn(u32) -> u64) {
        self.reserve(1, rehash);
        self.place(hash, id);
        self.used += 1;
    }

    /// Makes room for so many further ids.
    pub fn reserve(&mut self, count: usize, rehash: impl Fn(u32) -> u64) {
        let needed = self.used + count;
        if needed * 8 > self.slots.len() * 5 {
            self.grow((needed * 8).div_ceil(5).next_power_of_two().max(16), rehash);
        }
    }

    fn start(&self, hash: u64) -> usize {
        (hash >> (64 - self.slots.len().trailing_zeros())) as usize
    }

    fn place(&mut self, hash: u64, id: u32) {
        let mask = self.slots.len() - 1;
        let mut at = self.start(hash);
        while self.slots[at] != 0 {
            at = (at + 1) & mask;
        }
        self.slots[at] = id + 1;
    }

    fn grow(&mut self, size: usize, rehash: impl Fn(u32) -> u64) {
        let old = std::mem::replace(&mut self.slots, vec![0; size]);
        for slot in old.into_iter().filter(|slot| *slot != 0) {
            self.place(rehash(slot - 1), slot - 1);
        }
    }
}

/// A set of rows of at most two cells, packed into one word each.
#[derive(Clone, Debug, Default)]
pub(super) struct KeySet {
    slots: Vec<u64>,
    used: usize,
}

/// No packed row has this value, as cells stay below `u32::MAX`.
const EMPTY: u64 = u64::MAX;

impl KeySet {
    /// The word of a row of up to two cells.
    #[inline]
    pub fn pack(row: &[u32]) -> u64 {
        match row {
            [] => 0,
            [cell] => u64::from(*cell),
            [first, second, ..] => u64::from(*first) << 32 | u64::from(*second),
        }
    }

    pub fn contains(&self, key: u64) -> bool {
        if self.slots.is_empty() {
            return false;
        }
        let mask = self.slots.len() - 1;
        let mut at = self.start(key);
        loop {
            match self.slots[at] {
                EMPTY => return false,
                slot if slot == key => return true,
                _ => at = (at + 1) & mask,
            }
        }
    }

    /// Whether the key is new.
    #[inline]
    pub fn insert(&mut self, key: u64) -> bool {
        if self.used * 8 >= self.slots.len() * 5 {
            self.grow();
        }
        let mask = self.slots.len() - 1;
        let mut at = self.start(key);
        loop {
            match self.slots[at] {
                EMPTY => {
                    self.slots[at] = key;
                    self.used += 1;
                    return true;
                }
                slot if slot == key => return false,
                _ => at = (at + 1) & mask,
            }
        }
    }

    /// Brings the slots of coming insertions into the cache; the loads do not depend on each other, the insertions do.
    #[inline]
    pub fn touch(&self, keys: &[u64]) {
        if self.slots.is_empty() {
            return;
        }
        let mut sum = 0;
        for key in keys {
            sum ^= self.slots[self.start(*key)];
        }
        std::hint::black_box(sum);
    }

    #[inline]
    fn start(&self, key: u64) -> usize {
        (hash_key(key ^ (key >> 29)) >> (64 - self.slots.len().trailing_zeros())) as usize
    }

    fn grow(&mut self) {
        let size = (self.slots.len() * 2).max(16);
        let old = std::mem::replace(&mut self.slots, vec![EMPTY; size]);
        let mask = size - 1;
        for key in old.into_iter().filter(|key| *key != EMPTY) {
            let mut at = self.start(key);
            while self.slots[at] != EMPTY {
                at = (at + 1) & mask;
            }
            self.slots[at] = key;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_set_holds_what_was_inserted() {
        let mut set = KeySet::default();
        assert!(!set.contains(0));
        let keys: Vec<u64> = (0..10_000u64).map(|key| key * 0x1_0000_0001).collect();
        assert!(keys.iter().all(|key| set.insert(*key)));
        assert!(keys.iter().all(|key| !set.insert(*key)));
        set.touch(&keys);
        assert!(!set.contains(1));
    }
}
