//! Tables that an entry adds to and that lose what it added when it ends, in time for what was added and not for what is there.

use std::hash::Hash;

use rustc_hash::FxHashMap;

/// A table whose latest entries can be forgotten.
#[derive(Clone, Debug)]
pub struct Scoped<K, V> {
    known: FxHashMap<K, V>,
    /// The keys in the order in which they came.
    order: Vec<K>,
    /// How often a key was set or removed.
    changes: u64,
}

impl<K, V> Default for Scoped<K, V> {
    fn default() -> Self {
        Scoped { known: FxHashMap::default(), order: Vec::new(), changes: 0 }
    }
}

impl<K: Clone + Eq + Hash, V> Scoped<K, V> {
    pub fn get(&self, key: &K) -> Option<&V> {
        self.known.get(key)
    }

    pub fn values(&self) -> impl Iterator<Item = &V> {
        self.known.values()
    }

    pub fn contains_key(&self, key: &K) -> bool {
        self.known.contains_key(key)
    }

    pub fn insert(&mut self, key: K, value: V) {
        self.changes += 1;
        if self.known.insert(key.clone(), value).is_none() {
            self.order.push(key);
        }
    }

    /// Sets a value that belongs to what comes now, also where the key was there before.
    pub fn renew(&mut self, key: K, value: V) {
        self.changes += 1;
        self.known.insert(key.clone(), value);
        self.order.push(key);
    }

    pub fn remove(&mut self, key: &K) {
        self.changes += 1;
        self.known.remove(key);
    }

    /// The value of a key, which is made where there is none.
    pub fn get_or_insert_with(&mut self, key: K, make: impl FnOnce() -> V) -> &V {
        let (order, changes) = (&mut self.order, &mut self.changes);
        self.known.entry(key.clone()).or_insert_with(|| {
            order.push(key);
            *changes += 1;
            make()
        })
    }

    /// How often a key was set or removed: it tells whether anything was.
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// How many keys came: a moment to go back to.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// The keys that came since there were so many.
    pub fn keys_since(&self, length: usize) -> &[K] {
        self.order.get(length..).unwrap_or_default()
    }

    /// Forgets the keys that came since there were so many.
    pub fn forget_since(&mut self, length: usize) {
        for key in self.order.drain(length.min(self.order.len())..) {
            self.known.remove(&key);
        }
    }

    pub fn retain(&mut self, keeps: impl Fn(&K) -> bool) {
        self.known.retain(|key, _| keeps(key));
        self.order.retain(keeps);
    }

    pub fn clear(&mut self) {
        self.known.clear();
        self.order.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_came_since_is_forgotten() {
        let mut table = Scoped::default();
        table.insert(1, "one");
        let length = table.len();
        table.insert(2, "two");
        table.insert(1, "again");
        table.get_or_insert_with(3, || "three");
        table.renew(4, "four");
        table.remove(&2);
        table.forget_since(length);
        let found: Vec<_> = (1..4).map(|key| table.get(&key).copied()).collect();
        assert_eq!(found, [Some("again"), None, None]);
        assert_eq!(table.len(), 1);
        table.forget_since(0);
        assert!(!table.contains_key(&1) && table.len() == 0);
    }
}
