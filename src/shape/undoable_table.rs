//! The solver's tables that lose what was added since a moment, in time for what was added and not for what is there.

use std::collections::hash_map::Entry;
use std::hash::Hash;

use rustc_hash::FxHashMap;

/// A table that remembers the order in which its keys came. A key keeps its first value.
#[derive(Debug)]
pub(super) struct Recent<K, V> {
    known: FxHashMap<K, V>,
    order: Vec<K>,
}

impl<K, V> Default for Recent<K, V> {
    fn default() -> Self {
        Recent { known: FxHashMap::default(), order: Vec::new() }
    }
}

impl<K: Copy + Eq + Hash, V: Copy> Recent<K, V> {
    pub fn get(&self, key: K) -> Option<V> {
        self.known.get(&key).copied()
    }

    pub fn insert(&mut self, key: K, value: V) {
        if let Entry::Vacant(place) = self.known.entry(key) {
            place.insert(value);
            self.order.push(key);
        }
    }

    /// The newest key with a value. It is searched for.
    pub fn key_of(&self, value: V) -> Option<K>
    where
        V: Eq,
    {
        self.order.iter().rev().copied().find(|key| self.known.get(key) == Some(&value))
    }

    /// How many keys came: a moment to go back to.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Forgets the keys that came since there were so many.
    pub fn forget_since(&mut self, length: usize) {
        for key in self.order.drain(length.min(self.order.len())..) {
            self.known.remove(&key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_came_since_a_moment_is_forgotten() {
        let mut table = Recent::default();
        table.insert("a", 1);
        let moment = table.len();
        table.insert("b", 2);
        table.insert("a", 3);
        assert_eq!((table.key_of(3), table.key_of(2), table.key_of(1)), (None, Some("b"), Some("a")));
        table.forget_since(moment);
        assert_eq!((table.get("a"), table.get("b"), table.len()), (Some(1), None, 1));
    }
}
