//! Regular expressions of the program that were compiled.

use regex::{Regex, RegexBuilder};
use rustc_hash::FxHashMap;

/// Longer patterns and texts are not followed.
pub const LONGEST: usize = 4096;
/// So many patterns are kept compiled.
const MOST_COMPILED: usize = 64;

/// Patterns that were compiled, which takes much longer than matching; all are forgotten when they become many.
#[derive(Default)]
pub struct Expressions {
    by_text: FxHashMap<String, Option<Regex>>,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_compiled_once_and_do_not_become_many() {
        let mut expressions = Expressions::default();
        for _ in 0..3 {
            assert!(expressions.expression("a+", false).is_some_and(|it| it.is_match("baa")));
            assert!(expressions.expression("a+", true).is_some_and(|it| !it.is_match("baa")));
            assert!(expressions.expression("(", false).is_none());
        }
        assert_eq!(expressions.by_text.len(), 3);
        for index in 0..1000 {
            expressions.expression(&format!("a{index}"), false);
        }
        assert!(expressions.by_text.len() <= MOST_COMPILED);
    }
}
