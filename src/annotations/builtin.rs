//! The built-in entries. The build script checks the form of `api_annotations/**/*.yaml` and turns it into tables that need no
//! work at start-up; an entry is decoded when a program first uses it.

use std::path::Path;
use std::sync::OnceLock;

use super::calls::{CallForms, parse_form};
use super::error::Locator;
use super::lower::lower_entry;
use super::raw::{RawEntry, Spanned};
use super::slots::first_slot;
use super::spec::Entry;

// Tables: `INDEX` (names, sorted, with the numbers of their entries), `SLOTS` (where a name lies in `INDEX`), `ENTRIES`, `MODULES`, `SOURCES`, `MODULE_ALIASES`, `VERSIONS`
// (names, sorted, with the version that added and the one that removed them), `CALLS` (names, sorted, with the forms of their calls and
// other keywords of parameters).
include!(concat!(env!("OUT_DIR"), "/builtin_annotations.rs"));

/// When an API came and went, where a file says so: texts that are empty where it does not.
pub fn lifetime(name: &str) -> Option<(&'static str, &'static str)> {
    let place = VERSIONS.binary_search_by(|(known, _, _)| (*known).cmp(name)).ok()?;
    Some((VERSIONS[place].1, VERSIONS[place].2))
}

/// The forms in which an API may be called. A test parses them all, so that none is left out here.
pub fn call_forms(name: &str) -> Option<CallForms> {
    let place = CALLS.binary_search_by(|(known, _, _)| (*known).cmp(name)).ok()?;
    let (_, forms, keywords) = CALLS[place];
    let forms = forms.iter().map(|form| parse_form(form).ok()).collect::<Option<Vec<_>>>()?;
    let keywords = keywords.iter().map(|(keyword, parameter)| ((*keyword).into(), (*parameter).into())).collect();
    Some(CallForms { forms, keywords })
}

/// The aliases of modules in the package of a name. They are sorted.
pub fn aliases_of_package(name: &str) -> &'static [(&'static str, &'static str)] {
    let package = package(name);
    let start = MODULE_ALIASES.partition_point(|(pattern, _)| self::package(pattern) < package);
    let count = MODULE_ALIASES[start..].partition_point(|(pattern, _)| self::package(pattern) == package);
    &MODULE_ALIASES[start..start + count]
}

fn package(name: &str) -> &str {
    name.split('.').next().unwrap_or(name)
}

/// The entry of exactly this name.
pub fn entry(name: &str) -> Option<&'static Entry> {
    decoded(position(name)?)
}

/// The position of a name in `INDEX`.
fn position(name: &str) -> Option<usize> {
    let mut slot = first_slot(name, SLOTS.len());
    loop {
        let position = usize::from(SLOTS[slot]).checked_sub(1)?;
        if INDEX[position].0 == name {
            return Some(position);
        }
        slot = (slot + 1) % SLOTS.len();
    }
}

/// The entry at a position of `INDEX`, as it is found under the name there.
pub fn decoded(position: usize) -> Option<&'static Entry> {
    static DECODED: [OnceLock<Option<Box<Entry>>>; INDEX.len()] = [const { OnceLock::new() }; INDEX.len()];
    let (name, number) = INDEX.get(position)?;
    let entry = DECODED
        .get(position)?
        .get_or_init(|| decode(ENTRIES[*number as usize]).map(|entry| Box::new(entry.under(name))));
    entry.as_deref()
}

/// `None` for an entry with a mistake; a test loads every built-in file and finds those.
fn decode(text: &str) -> Option<Entry> {
    let raw: Spanned<RawEntry> = serde_json::from_str(text).ok()?;
    let locator = Locator { file: Path::new(""), source: "" };
    lower_entry(&raw, &locator, &mut Vec::new())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aliases_of_modules_are_found_by_their_packages() {
        for alias in &MODULE_ALIASES {
            assert!(!package(alias.0).contains('*'), "{}", alias.0);
            assert!(aliases_of_package(alias.0).contains(alias), "{}", alias.0);
        }
        assert!(aliases_of_package("nothing.of.the.kind").is_empty());
    }
}
