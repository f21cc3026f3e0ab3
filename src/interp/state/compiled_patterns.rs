//! Interpreter state, caches: regular expressions of the program that were compiled.

use regex::{Regex, RegexBuilder};
use rustc_hash::FxHashMap;

/// Longer patterns and texts are not followed.
pub const LONGEST: usize = 4096;
/// So many patterns are kept compiled.
pub const MOST_COMPILED: usize = 64;

/// Patterns that were compiled, which takes much longer than matching; all are forgotten when they become many.
#[derive(Default)]
pub struct Expressions {
    pub by_text: FxHashMap<String, Option<Regex>>,
}

impl Expressions {
    /// The pattern, where both engines read it alike: classes such as `\d` are Unicode's in both.
    pub fn expression(&mut self, pattern: &str, whole: bool) -> Option<Regex> {
        if pattern.len() > LONGEST {
            return None;
        }
        let pattern = if whole { format!("^(?:{pattern})$") } else { pattern.to_owned() };
        if let Some(known) = self.by_text.get(&pattern) {
            return known.clone();
        }
        if self.by_text.len() >= MOST_COMPILED {
            self.by_text.clear();
        }
        let compiled = RegexBuilder::new(&pattern).size_limit(1 << 20).build().ok();
        self.by_text.insert(pattern, compiled.clone());
        compiled
    }
}
