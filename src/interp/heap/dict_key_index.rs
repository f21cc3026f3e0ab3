//! Finds the keys of large dictionaries on the heap by hash. The index is made when a key is first looked for and grows
//! with the dictionary's end; what it says is checked against the entries, so that one that is out of date costs time
//! and no more.

use std::cell::RefCell;
use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHasher};

use crate::values::value::Value;
use harp_limits::light_tick;

/// In smaller dictionaries a linear search is as fast.
pub const FEWEST: usize = 64;

/// Where the keys of a dictionary are. A copy of a dictionary, which is made to be changed, begins without.
#[derive(Debug, Default)]
pub struct KeyIndex(RefCell<Known>);

#[derive(Debug, Default)]
struct Known {
    /// The first entry of each key that has a hash, by the hash.
    places: FxHashMap<u64, u32>,
    /// Whether two keys have one hash, or a key has none: what is not there may be in the dictionary all the same.
    is_partial: bool,
    /// So many entries were looked at.
    entries: usize,
}

/// Only a search can tell where a key is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NeedsSearch;

impl Clone for KeyIndex {
    fn clone(&self) -> Self {
        KeyIndex::default()
    }
}

impl KeyIndex {
    /// The place of a key.
    pub fn find(&self, entries: &[(Value, Value)], key: &Value) -> Result<Option<usize>, NeedsSearch> {
        let Some(wanted) = hash(key).filter(|_| entries.len() >= FEWEST) else { return Err(NeedsSearch) };
        let mut known = self.0.borrow_mut();
        known.learn(entries);
        match known.places.get(&wanted) {
            Some(&place) if entries.get(place as usize).is_some_and(|(known, _)| known.same_key(key)) => {
                Ok(Some(place as usize))
            }
            Some(_) => Err(NeedsSearch),
            None if known.is_partial => Err(NeedsSearch),
            None => Ok(None),
        }
    }

    /// Forgets the entries, of which some were taken away.
    pub fn forget(&mut self) {
        *self = KeyIndex::default();
    }
}

impl Known {
    fn learn(&mut self, entries: &[(Value, Value)]) {
        if self.entries > entries.len() {
            *self = Known::default();
        }
        for (place, (key, _)) in entries.iter().enumerate().skip(self.entries) {
            let (Some(hash), Ok(place)) = (hash(key), u32::try_from(place)) else {
                self.is_partial = true;
                continue;
            };
            let first = *self.places.entry(hash).or_insert(place);
            self.is_partial |= !entries[first as usize].0.same_key(key);
        }
        self.entries = entries.len();
    }
}

/// The hash of a plain key; equal keys have equal hashes.
fn hash(key: &Value) -> Option<u64> {
    light_tick();
    let mut hasher = FxHasher::default();
    if let Some(dim) = key.as_whole_key() {
        (1, dim).hash(&mut hasher);
        return Some(hasher.finish());
    }
    match key {
        Value::Str(Some(text)) => (0, text).hash(&mut hasher),
        Value::Float(Some(value)) => (3, value.to_bits()).hash(&mut hasher),
        Value::None => 4.hash(&mut hasher),
        Value::Tuple(items) => {
            let parts = items.iter().map(|item| if matches!(item, Value::Tuple(_)) { None } else { hash(item) });
            (5, parts.collect::<Option<Vec<u64>>>()?).hash(&mut hasher);
        }
        _ => return None,
    }
    Some(hasher.finish())
}

/// Whether it is known which key it is.
pub fn is_constant_key(key: &Value) -> bool {
    match key {
        Value::Int(dim) => dim.as_const().is_some(),
        Value::Tuple(items) => items.iter().all(is_constant_key),
        key => matches!(key, Value::Str(Some(_)) | Value::Bool(_) | Value::None | Value::Float(Some(_))),
    }
}

/// Whether a key is any of many: of a text, a number or an element of an array of NumPy, only the type is known.
pub fn is_any_key(key: &Value) -> bool {
    match key {
        Value::Str(None) | Value::Float(None) | Value::Unknown(_) => true,
        Value::Tensor(tensor) => tensor.kind.known_rules().is_some_and(|rules| rules.scalars_are_numbers),
        Value::Tuple(items) => items.iter().any(is_any_key),
        _ => false,
    }
}

/// Whether a key of which not all is known may be any constant.
pub fn may_be_constant(key: &Value) -> bool {
    match key {
        Value::Int(dim) => dim.as_const().is_none(),
        Value::Tuple(items) => items.iter().any(may_be_constant),
        key => key.is_unknown() || matches!(key, Value::Str(None) | Value::Float(None) | Value::Alternatives(_)),
    }
}
