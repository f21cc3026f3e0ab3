//! Interned identifiers, so that comparing and hashing a name is comparing and hashing an integer.

use std::cell::RefCell;
use std::fmt;
use std::hash::BuildHasher;
use std::sync::{OnceLock, RwLock};

use rustc_hash::{FxBuildHasher, FxHashMap};

/// An interned identifier or dotted name. Equal text gives equal names on every thread.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(u32);

/// The texts in pages that never move, so that reading one takes no lock. Page `n` holds `FIRST_PAGE << n` texts.
static PAGES: [OnceLock<Page>; 23] = [const { OnceLock::new() }; 23];
type Page = Box<[OnceLock<&'static str>]>;

const FIRST_PAGE: usize = 512;

#[derive(Default)]
struct Table {
    indices: FxHashMap<&'static str, u32>,
}

thread_local! {
    /// The names that the thread has met, to find them without a lock.
    static KNOWN: RefCell<Known> = RefCell::default();
}

/// Names by their texts. The interpreter asks for the same few thousand all the time, among hundreds of thousands.
struct Known {
    /// For each remainder of hashes the name that was asked for last: these stay in the processor's cache.
    recent: Box<[Option<(&'static str, Name)>]>,
    all: FxHashMap<&'static str, Name>,
}

/// A power of 2.
const MOST_RECENT: usize = 4096;

impl Default for Known {
    fn default() -> Self {
        Known { recent: vec![None; MOST_RECENT].into(), all: FxHashMap::default() }
    }
}

impl Known {
    #[inline]
    fn name(&mut self, text: &str) -> Name {
        let place = FxBuildHasher.hash_one(text) as usize % MOST_RECENT;
        if let Some((known, name)) = self.recent[place]
            && known == text
        {
            return name;
        }
        let name = match self.all.get(text) {
            Some(name) => *name,
            None => {
                let name = Name::of_all_threads(text);
                self.all.insert(name.as_str(), name);
                name
            }
        };
        self.recent[place] = Some((name.as_str(), name));
        name
    }
}

fn table() -> &'static RwLock<Table> {
    static TABLE: OnceLock<RwLock<Table>> = OnceLock::new();
    TABLE.get_or_init(RwLock::default)
}

/// The name of a text that is known when Harp is compiled. It is looked up once.
#[macro_export]
macro_rules! name {
    ($text:literal) => {{
        static NAME: std::sync::OnceLock<$crate::name::Name> = std::sync::OnceLock::new();
        *NAME.get_or_init(|| $crate::name::Name::new($text))
    }};
}

pub use crate::name;

impl Name {
    /// Interns `text`. The text lives as long as the process, which reads a bounded corpus.
    pub fn new(text: &str) -> Name {
        KNOWN.with_borrow_mut(|known| known.name(text))
    }

    fn of_all_threads(text: &str) -> Name {
        if let Some(&index) = read_table().indices.get(text) {
            return Name(index);
        }
        let mut table = table().write().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(&index) = table.indices.get(text) {
            return Name(index);
        }
        let kept: &'static str = Box::leak(text.to_owned().into_boxed_str());
        let index = table.indices.len();
        let (page, position) = place(index);
        if let Some(slots) = PAGES.get(page) {
            let slots = slots.get_or_init(|| (0..FIRST_PAGE << page).map(|_| OnceLock::new()).collect());
            slots[position].get_or_init(|| kept);
        }
        let index = u32::try_from(index).unwrap_or(u32::MAX);
        table.indices.insert(kept, index);
        Name(index)
    }

    /// Which name it is, for hashing.
    pub fn number(self) -> u32 {
        self.0
    }

    /// The identifier's text.
    pub fn as_str(self) -> &'static str {
        let (page, position) = place(self.0 as usize);
        let text = PAGES.get(page).and_then(OnceLock::get).and_then(|page| page.get(position)?.get());
        text.copied().unwrap_or("")
    }
}

/// The page of an index and the position on it.
fn place(index: usize) -> (usize, usize) {
    let page = (index / FIRST_PAGE + 1).ilog2() as usize;
    (page, index - FIRST_PAGE * ((1 << page) - 1))
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

    #[test]
    fn names_on_later_pages_keep_their_texts() {
        let names: Vec<Name> = (0..5000).map(|number| Name::new(&format!("later page {number}"))).collect();
        for (number, name) in names.iter().enumerate() {
            assert_eq!(name.as_str(), format!("later page {number}"));
        }
    }
}
