//! Which functions of the program were entered, and so are no entries: they are looked at with the arguments that the
//! program gives.

use harp_corpus::FileId;
use rustc_hash::{FxHashMap, FxHashSet};

/// A function, by the file and the start of its definition.
pub(crate) type Place = (FileId, u32);

/// Functions that were entered. What one uncalled function or class enters says nothing of the next, so that the order in which they are
/// defined does not decide which of them are entries.
#[derive(Clone, Debug, Default)]
pub struct EnteredFunctions {
    by_modules: FxHashSet<Place>,
    /// By the function or class that is looked at now, where one is.
    by_uncalled: Option<FxHashSet<Place>>,
    /// Those that scripts come to with an option alone: under which condition first.
    with_options: FxHashMap<Place, String>,
}

impl EnteredFunctions {
    pub fn insert(&mut self, function: Place) {
        self.by_uncalled.as_mut().unwrap_or(&mut self.by_modules).insert(function);
    }

    pub fn contains(&self, function: &Place) -> bool {
        self.by_modules.contains(function) || self.by_uncalled.as_ref().is_some_and(|by| by.contains(function))
    }

    /// From here on a function or class that nobody calls is looked at.
    pub(crate) fn begin_uncalled(&mut self) {
        self.by_uncalled = Some(FxHashSet::default());
    }

    /// The functions that were entered here and not in `before`.
    pub(crate) fn since(&self, before: &EnteredFunctions) -> Vec<Place> {
        self.by_modules.difference(&before.by_modules).copied().collect()
    }

    /// Notes that a script enters functions where an option is given.
    pub(crate) fn note_with_option(&mut self, functions: Vec<Place>, condition: &str) {
        for function in functions {
            self.with_options.entry(function).or_insert_with(|| condition.to_owned());
        }
    }

    /// The condition under which a script comes to a function, where it does so with an option alone.
    pub(crate) fn option_of(&self, function: &Place) -> Option<&str> {
        self.with_options.get(function).map(String::as_str)
    }
}
