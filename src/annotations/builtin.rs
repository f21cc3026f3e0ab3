//! Built-in annotations as tables that need no work at start-up; an entry is decoded when a program first uses it.
//!
//! The tables themselves are made by the build script of the room `builtin`, which stands above all that reads them, so that a changed word in
//! them compiles them and the program alone.

use std::path::Path;
use std::sync::OnceLock;

use super::error::Locator;
use super::families::family;
use super::lower::lower_entry;
use super::raw::{RawEntry, RawFamily, Spanned};
use super::slots::first_slot;
use super::spec::Entry;
use crate::call_forms::{CallForms, parse_form};
use harp_shape::Families;

/// An entry that was decoded, or of which it was found that it has a mistake.
pub type Decoded = OnceLock<Option<Box<Entry>>>;

/// The name of an API, the forms of its calls, and other keywords with the parameters that they stand for.
pub type Forms = (&'static str, &'static [&'static str], &'static [(&'static str, &'static str)]);

/// What annotation files say.
#[derive(Debug)]
pub struct Tables {
    /// Names, sorted, with the numbers of their entries.
    pub index: &'static [(&'static str, u32)],
    /// Where a name lies in `index`, plus 1, in the slots from [`first_slot`] on; 0 stands for nothing.
    pub slots: &'static [u16],
    /// Entries as JSON.
    pub entries: &'static [&'static str],
    /// One for each name of `index`.
    pub decoded: &'static [Decoded],
    /// Modules that exist, so that importing them is understood.
    pub modules: &'static [&'static str],
    /// Modules that are read where an environment has their sources.
    pub sources: &'static [&'static str],
    /// Packages whose own sources are not read.
    pub follows: &'static [&'static str],
    /// Modules whose names stand for those of another, sorted.
    pub module_aliases: &'static [(&'static str, &'static str)],
    /// The same for all modules that fit: `torch.nn.modules.*` for `torch.nn`. Sorted.
    pub module_patterns: &'static [(&'static str, &'static str)],
    /// Names, sorted, with the version that added and the one that removed them; empty where none is told.
    pub versions: &'static [(&'static str, &'static str, &'static str)],
    /// Sorted by name.
    pub calls: &'static [Forms],
    /// Families of tensors as JSON, sorted by class.
    pub families: &'static [(&'static str, &'static str)],
    /// Classes, sorted, with the kinds of their objects.
    pub kinds: &'static [(&'static str, &'static str)],
    /// Packages that are there wherever one of the analysed programs runs.
    pub installed: &'static [&'static str],
    /// Packages, sorted, whose version a project may tell, each with the other names that requirements have for it.
    pub targets: &'static [(&'static str, &'static [&'static str])],
    /// Packages that compute with no tensors.
    pub plain: &'static [&'static str],
    /// Packages whose functions take tensors or arrays.
    pub of_tensors: &'static [&'static str],
}

static NOTHING: Tables = Tables {
    index: &[],
    slots: &[],
    entries: &[],
    decoded: &[],
    modules: &[],
    sources: &[],
    follows: &[],
    module_aliases: &[],
    module_patterns: &[],
    versions: &[],
    calls: &[],
    families: &[],
    kinds: &[],
    installed: &[],
    targets: &[],
    plain: &[],
    of_tensors: &[],
};

impl Default for &Tables {
    fn default() -> Self {
        &NOTHING
    }
}

impl Tables {
    /// When an API came and went, where a file says so: texts that are empty where it does not.
    pub fn lifetime(&self, name: &str) -> Option<(&'static str, &'static str)> {
        let place = self.versions.binary_search_by(|(known, _, _)| (*known).cmp(name)).ok()?;
        Some((self.versions[place].1, self.versions[place].2))
    }

    /// The forms in which an API may be called. A test parses them all, so that none is left out here.
    pub fn call_forms(&self, name: &str) -> Option<CallForms> {
        let place = self.calls.binary_search_by(|(known, _, _)| (*known).cmp(name)).ok()?;
        let (_, forms, keywords) = self.calls[place];
        let forms = forms.iter().map(|form| parse_form(form).ok()).collect::<Option<Vec<_>>>()?;
        let keywords = keywords.iter().map(|(keyword, parameter)| ((*keyword).into(), (*parameter).into())).collect();
        Some(CallForms { forms, keywords })
    }

    /// The aliases that begin a name, the longest first, and the patterns that may do so.
    pub fn aliases_that_may_fit<'n>(&self, name: &'n str) -> impl Iterator<Item = (&'n str, &'n str)> + use<'n> {
        let (aliases, patterns, own) = (self.module_aliases, self.module_patterns, package(name));
        let find = |module: &str| aliases.binary_search_by(|(known, _)| (*known).cmp(module)).ok();
        let start = aliases.partition_point(|(alias, _)| *alias < own);
        let has_aliases = aliases.get(start).is_some_and(|(alias, _)| package(alias) == own);
        let modules = name.rmatch_indices('.').filter(move |_| has_aliases).map(|(end, _)| &name[..end]);
        let patterns = patterns.iter().filter(move |(pattern, _)| package(pattern) == own);
        modules.filter_map(find).map(|place| aliases[place]).chain(patterns.copied())
    }

    /// The families of tensors. A test lowers them all, so that none is left out here.
    pub fn families(&self) -> Families {
        let known = |(class, text): &(&str, &str)| {
            let raw: Spanned<RawFamily> = serde_json::from_str(text).ok()?;
            family(class, &raw, &Locator { file: Path::new(""), source: "" }, &mut Vec::new())
        };
        Families::new(self.families.iter().filter_map(known))
    }

    /// The kind of the objects of a class.
    pub fn kind(&self, class: &str) -> Option<&'static str> {
        let place = self.kinds.binary_search_by(|(known, _)| (*known).cmp(class)).ok()?;
        Some(self.kinds[place].1)
    }

    /// The entry of exactly this name.
    pub fn entry(&self, name: &str) -> Option<&'static Entry> {
        self.decoded(self.position(name)?)
    }

    /// The position of a name in `index`.
    fn position(&self, name: &str) -> Option<usize> {
        if self.slots.is_empty() {
            return None;
        }
        let mut slot = first_slot(name, self.slots.len());
        loop {
            let position = usize::from(self.slots[slot]).checked_sub(1)?;
            if self.index[position].0 == name {
                return Some(position);
            }
            slot = (slot + 1) % self.slots.len();
        }
    }

    /// The entry at a position of `index`, as it is found under the name there.
    pub fn decoded(&self, position: usize) -> Option<&'static Entry> {
        let (name, number) = self.index.get(position)?;
        let decode = || decode(self.entries[*number as usize]).map(|entry| Box::new(entry.under(name)));
        self.decoded.get(position)?.get_or_init(decode).as_deref()
    }
}

fn package(name: &str) -> &str {
    name.split('.').next().unwrap_or(name)
}

/// `None` for an entry with a mistake; a test loads every built-in file and finds those.
fn decode(text: &str) -> Option<Entry> {
    let raw: Spanned<RawEntry> = serde_json::from_str(text).ok()?;
    let locator = Locator { file: Path::new(""), source: "" };
    lower_entry(&raw, &locator, &mut Vec::new())
}
