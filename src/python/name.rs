//! Interned identifiers, so that comparing and hashing a name is comparing and hashing an integer.

use std::fmt;
use std::sync::{OnceLock, RwLock};

use rustc_hash::FxHashMap;

/// An interned identifier or dotted name. Equal text gives equal names on every thread.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(u32);

#[derive(Default)]
struct Table {
    indices: FxHashMap<&'static str, u32>,
    texts: Vec<&'static str>,
}

fn table() -> &'static RwLock<Table> {
    static TABLE: OnceLock<RwLock<Table>> = OnceLock::new();
    TABLE.get_or_init(RwLock::default)
}

impl Name {
    /// Interns `text`. The text lives as long as the process, which reads a bounded corpus.
    pub fn new(text: &str) -> Name {
        if let Some(&index) = read_table().indices.get(text) {
            return Name(index);
        }
        let mut table = table().write().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(&index) = table.indices.get(text) {
            return Name(index);
        }
        let kept: &'static str = Box::leak(text.to_owned().into_boxed_str());
        let index = u32::try_from(table.texts.len()).unwrap_or(u32::MAX);
        table.texts.push(kept);
        table.indices.insert(kept, index);
        Name(index)
    }

    /// The identifier's text.
    pub fn as_str(self) -> &'static str {
        read_table().texts.get(self.0 as usize).copied().unwrap_or("")
    }
}

fn read_table() -> std::sync::RwLockReadGuard<'static, Table> {
    table().read().unwrap_or_else(std::sync::PoisonError::into_inner)
}

impl fmt::Display for Name {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "`{}`", self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::Name;

    #[test]
    fn equal_text_gives_equal_names() {
        assert_eq!(Name::new("forward"), Name::new("forward"));
        assert_ne!(Name::new("forward"), Name::new("backward"));
        assert_eq!(Name::new("forward").as_str(), "forward");
    }
}
