//! Numbers that a loop counts and asks for: `if step % 100 == 0`. What a loop does in the iterations to come depends on them, although nothing
//! that it did so far shows it.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::state::interpreter::Interpreter;
use harp_corpus::Span;
use harp_python::name::Name;

/// What asks for numbers, each with the step at which it did so last in the running entry: tests that were decided and functions of the program that
/// were called.
#[derive(Debug, Default)]
pub struct AskedTests {
    asked: FxHashMap<Span, u64>,
    /// The words in the texts of these places, of those that were looked at.
    words: FxHashMap<Span, Box<[Name]>>,
}

impl AskedTests {
    /// An entry begins.
    pub(crate) fn begin(&mut self) {
        self.asked.clear();
    }
}

impl Interpreter<'_> {
    /// A test was decided, which may be decided otherwise later by a number that a loop counts; or a function of the program was called, which may ask
    /// for what it is given.
    pub(crate) fn note_asking(&mut self, place: Span) {
        self.loops.asked_tests.asked.insert(place, self.entry.steps);
    }

    /// Whether what asked since a step mentions one of these names.
    pub(crate) fn asks_for(&mut self, names: &FxHashSet<Name>, since: u64) -> bool {
        if names.is_empty() {
            return false;
        }
        let AskedTests { asked, words } = &mut self.loops.asked_tests;
        let corpus = self.corpus;
        asked.iter().filter(|(_, step)| **step >= since).any(|(place, _)| {
            let words = words.entry(*place).or_insert_with(|| {
                words_of(corpus.file(place.file).map_or("", |file| file.slice(place.start..place.end)))
            });
            words.iter().any(|word| names.contains(word))
        })
    }
}

/// The words of a text of the program.
fn words_of(text: &str) -> Box<[Name]> {
    let is_of_name = |character: char| character.is_alphanumeric() || character == '_';
    let words = text.split(|character| !is_of_name(character)).filter(|word| !word.is_empty());
    let words: FxHashSet<Name> = words.map(Name::new).collect();
    words.into_iter().collect()
}
