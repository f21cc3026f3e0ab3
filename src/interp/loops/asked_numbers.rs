//! Numbers that a loop counts and asks for: `if step % 100 == 0`. What a loop does in the iterations to come depends on them, although nothing
//! that it did so far shows it.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::state::interpreter::Interpreter;
use harp_corpus::Span;
use harp_python::name::Name;

/// The tests that were decided and the functions of the program that were called, each with the step at which that was so last.
#[derive(Debug, Default)]
pub struct AskedTests {
    tests: FxHashMap<Span, u64>,
    calls: FxHashMap<Span, u64>,
}

impl Interpreter<'_> {
    /// A test was decided: by a number that a loop counts it may be decided otherwise later.
    pub(crate) fn note_known_test(&mut self, test: Span) {
        self.asked_tests.tests.insert(test, self.steps);
    }

    /// A function of the program was called, which may ask for what it is given.
    pub(crate) fn note_called(&mut self, call: Span) {
        self.asked_tests.calls.insert(call, self.steps);
    }

    /// Whether a test that was decided since a step mentions one of these names, or a function of the program was given one.
    pub(crate) fn asks_for(&self, names: &FxHashSet<Name>, since: u64) -> bool {
        let asked = self.asked_tests.tests.iter().chain(&self.asked_tests.calls);
        !names.is_empty()
            && asked.filter(|(_, step)| **step >= since).any(|(place, _)| mentions(self.source_text(*place), names))
    }
}

/// Whether a text of the program mentions one of these names.
fn mentions(text: &str, names: &FxHashSet<Name>) -> bool {
    let is_of_name = |character: char| character.is_alphanumeric() || character == '_';
    text.split(|character| !is_of_name(character)).any(|word| names.iter().any(|name| name.as_str() == word))
}
