//! Matches the findings of two reports that are the same: by one key after another, the surest first.

use std::collections::BTreeMap;

/// Which old finding each new one is. An old finding stands for one new one.
#[derive(Clone, Debug)]
pub(crate) struct Pairing {
    /// For each new finding the number of the old one that it is.
    pub old_of_new: Vec<Option<usize>>,
    /// Whether an old finding is there still.
    pub is_there: Vec<bool>,
}

impl Pairing {
    /// So many findings, none of which is known again yet.
    pub fn new(old: usize, new: usize) -> Pairing {
        Pairing { old_of_new: vec![None; new], is_there: vec![false; old] }
    }

    /// Pairs those that have a key in common, in their order, and are not paired yet.
    pub fn by<Key: Ord>(&mut self, old: impl Fn(usize) -> Option<Key>, new: impl Fn(usize) -> Option<Key>) {
        let mut waiting: BTreeMap<Key, Vec<usize>> = BTreeMap::new();
        for index in (0..self.is_there.len()).rev().filter(|index| !self.is_there[*index]) {
            if let Some(key) = old(index) {
                waiting.entry(key).or_default().push(index);
            }
        }
        for (index, paired) in self.old_of_new.iter_mut().enumerate().filter(|(_, paired)| paired.is_none()) {
            *paired = new(index).and_then(|key| waiting.get_mut(&key)?.pop());
            if let Some(old) = *paired {
                self.is_there[old] = true;
            }
        }
    }
}
