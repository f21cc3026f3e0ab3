//! Interpreter state that is undone: a table that an entry changes and that is what it was when the entry ends, in time
//! for what it changed and not for what is there.

use std::hash::Hash;

use rustc_hash::FxHashMap;

/// A table that can go back to what it was.
#[derive(Clone, Debug)]
pub struct Scoped<K, V> {
    known: FxHashMap<K, V>,
    /// The keys that were set or removed, with what they stood for before, in this order.
    order: Vec<(K, Option<V>)>,
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

    /// Whether no key stands for anything now.
    pub fn holds_nothing(&self) -> bool {
        self.known.is_empty()
    }

    pub fn insert(&mut self, key: K, value: V) {
        self.changes += 1;
        let before = self.known.insert(key.clone(), value);
        self.order.push((key, before));
    }

    pub fn remove(&mut self, key: &K) {
        self.changes += 1;
        if let Some(before) = self.known.remove(key) {
            self.order.push((key.clone(), Some(before)));
        }
    }

    /// Removes all keys, which can be taken back.
    pub fn remove_all(&mut self) {
        self.changes += 1;
        self.order.extend(self.known.drain().map(|(key, before)| (key, Some(before))));
    }

    /// The value of a key, which is made where there is none.
    pub fn get_or_insert_with(&mut self, key: K, make: impl FnOnce() -> V) -> &V {
        let (order, changes) = (&mut self.order, &mut self.changes);
        self.known.entry(key.clone()).or_insert_with(|| {
            order.push((key, None));
            *changes += 1;
            make()
        })
    }

    /// How often a key was set or removed: it tells whether anything was.
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// How many changes can be taken back: a moment to go back to.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Whether nothing was ever set.
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// The keys that were set or removed since a moment.
    pub fn keys_since(&self, length: usize) -> impl Iterator<Item = &K> {
        self.order.get(length..).unwrap_or_default().iter().map(|(key, _)| key)
    }

    /// What a key stood for at a moment.
    pub fn value_at(&self, key: &K, moment: usize) -> Option<&V> {
        let changes = self.order.get(moment..).unwrap_or_default();
        match changes.iter().find(|(changed, _)| changed == key) {
            Some((_, before)) => before.as_ref(),
            None => self.known.get(key),
        }
    }

    /// Takes back what was changed since a moment.
    pub fn forget_since(&mut self, length: usize) {
        while self.order.len() > length
            && let Some((key, before)) = self.order.pop()
        {
            match before {
                Some(before) => _ = self.known.insert(key, before),
                None => _ = self.known.remove(&key),
            }
        }
    }

    pub fn retain(&mut self, keeps: impl Fn(&K) -> bool) {
        self.known.retain(|key, _| keeps(key));
        self.order.retain(|(key, _)| keeps(key));
    }

    /// Forgets everything, also what it was before.
    pub fn clear(&mut self) {
        self.known.clear();
        self.order.clear();
    }
}
