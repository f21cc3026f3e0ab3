//! The built-in entries. The build script checks the form of `api_annotations/**/*.yaml` and turns it into tables that need no
//! work at start-up; an entry is decoded when a program first uses it.

use std::path::Path;
use std::sync::OnceLock;

use super::error::Locator;
use super::lower::lower_entry;
use super::raw::{RawEntry, Spanned};
use super::spec::Entry;

// Tables: `INDEX` (names, sorted, with the numbers of their entries), `ENTRIES`, `MODULES`, `MODULE_ALIASES`.
include!(concat!(env!("OUT_DIR"), "/builtin_annotations.rs"));

/// The entry of exactly this name.
pub fn entry(name: &str) -> Option<&'static Entry> {
    let position = INDEX.binary_search_by(|(known, _)| (*known).cmp(name)).ok()?;
    decoded(INDEX[position].1 as usize)
}

/// The entry of a number below the length of `ENTRIES`.
pub fn decoded(number: usize) -> Option<&'static Entry> {
    static DECODED: [OnceLock<Option<Entry>>; ENTRIES.len()] = [const { OnceLock::new() }; ENTRIES.len()];
    DECODED.get(number)?.get_or_init(|| decode(ENTRIES[number])).as_ref()
}

/// `None` for an entry with a mistake; a test loads every built-in file and finds those.
fn decode(text: &str) -> Option<Entry> {
    let raw: Spanned<RawEntry> = serde_json::from_str(text).ok()?;
    let locator = Locator { file: Path::new(""), source: "" };
    lower_entry(&raw, &locator, &mut Vec::new())
}
