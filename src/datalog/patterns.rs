//! Regular expressions of `match`: checked where rules are compiled, compiled where they are first asked.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use regex::RegexBuilder;
use rustc_hash::FxHashMap;

use super::values::{Cell, Values};

/// The patterns that were compiled. Those of the built-in packs are needed by each analysis of a process, and to compile them takes longer than to
/// evaluate the rules over a small program.
static COMPILED: Mutex<BTreeMap<String, regex::Regex>> = Mutex::new(BTreeMap::new());

/// The same for texts of ASCII alone.
static COMPILED_FOR_ASCII: Mutex<BTreeMap<String, Option<regex::bytes::Regex>>> = Mutex::new(BTreeMap::new());

/// So deep do groups nest at most.
const DEEPEST: u32 = 64;

/// The pattern of a `match`, which speaks of the whole text.
pub(super) fn compile_pattern(pattern: &str) -> Result<regex::Regex, String> {
    let compiled = || COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = compiled().get(pattern) {
        return Ok(known.clone());
    }
    let new = compile_anew(pattern)?;
    let mut compiled = compiled();
    if compiled.len() >= MOST_COMPILED {
        compiled.clear();
    }
    compiled.insert(pattern.to_owned(), new.clone());
    Ok(new)
}

/// The pattern for texts of ASCII alone, which says the same of these and takes a tenth of the time to compile: the classes of Unicode are large. `None` for
/// one that asks for what only Unicode has, or is none.
fn compile_for_ascii(pattern: &str) -> Option<regex::bytes::Regex> {
    let compiled = || COMPILED_FOR_ASCII.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = compiled().get(pattern) {
        return known.clone();
    }
    let new = (pattern.is_ascii() && pattern.len() <= MOST_FOR_ASCII)
        .then(|| {
            let mut builder = regex::bytes::RegexBuilder::new(&whole(pattern));
            builder.unicode(false).size_limit(1 << 18).dfa_size_limit(1 << 20).nest_limit(DEEPEST).build().ok()
        })
        .flatten();
    let mut compiled = compiled();
    if compiled.len() >= MOST_COMPILED {
        compiled.clear();
    }
    compiled.insert(pattern.to_owned(), new.clone());
    new
}

fn compile_anew(pattern: &str) -> Result<regex::Regex, String> {
    if pattern.len() > 1 << 14 {
        return Err("the pattern is too long".to_owned());
    }
    RegexBuilder::new(&whole(pattern)).size_limit(1 << 18).dfa_size_limit(1 << 20).nest_limit(DEEPEST).build().map_err(
        |error| match error {
            regex::Error::CompiledTooBig(_) => "the pattern is too large".to_owned(),
            error => last_line(&error.to_string()),
        },
    )
}

/// A pattern of the whole text.
fn whole(pattern: &str) -> String {
    format!(r"\A(?:{pattern})\z")
}

/// Whether a text is a pattern; else why not. To compile one takes a hundred times what parsing does, and most rules never come to ask, so that
/// only those are compiled that may turn out too large.
pub(super) fn check_pattern(pattern: &str) -> Result<(), String> {
    /// Those that are in order: many rules have the same.
    static CHECKED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    if !is_surely_small(pattern) {
        return compile_pattern(pattern).map(|_| ());
    }
    let checked = || CHECKED.lock().unwrap_or_else(PoisonError::into_inner);
    if checked().contains(pattern) {
        return Ok(());
    }
    let parsed = regex_syntax::ParserBuilder::new().nest_limit(DEEPEST).build().parse(&whole(pattern));
    parsed.map_err(|error| last_line(&error.to_string()))?;
    let mut checked = checked();
    if checked.len() >= MOST_COMPILED {
        checked.clear();
    }
    checked.insert(pattern.to_owned());
    Ok(())
}

/// Whether a pattern stays within the limits of [`compile_anew`] by the size of its parts alone. Classes of Unicode such as `\w` are by far the
/// largest: five of them are too many. A counted repetition may make anything large.
fn is_surely_small(pattern: &str) -> bool {
    let mut size = 0;
    let mut chars = pattern.chars().peekable();
    while let Some(char) = chars.next() {
        size += match char {
            '{' if chars.peek().is_some_and(char::is_ascii_digit) => return false,
            '\\' => match chars.next() {
                Some(escaped) if escaped.is_alphanumeric() => 320,
                _ => 1,
            },
            '|' | '(' | ')' | '?' | '_' => 1,
            char if char.is_ascii_alphanumeric() => 1,
            _ => 8,
        };
    }
    size <= 1500
}

/// The reason; the lines above it repeat the pattern as Harp wrapped it.
fn last_line(message: &str) -> String {
    let line = message.lines().last().unwrap_or(message);
    line.trim_start_matches("error: ").to_owned()
}

/// Compiled patterns and their answers, by cell. Both are forgotten when they become many, as patterns may come from data.
#[derive(Default)]
pub(super) struct Patterns {
    compiled: FxHashMap<Cell, Option<regex::Regex>>,
    for_ascii: FxHashMap<Cell, Option<regex::bytes::Regex>>,
    answers: FxHashMap<(Cell, Cell), bool>,
    /// Patterns that are none, with the reason.
    broken: BTreeMap<String, String>,
}

const MOST_COMPILED: usize = 512;
/// A longer pattern is compiled as it is.
const MOST_FOR_ASCII: usize = 1 << 12;
const MOST_ANSWERS: usize = 1 << 18;
const MOST_BROKEN: usize = 20;

impl Patterns {
    /// Whether the pattern of a `match` is compiled.
    pub fn knows(&self, arguments: &[Cell]) -> bool {
        arguments.first().is_some_and(|it| self.compiled.contains_key(it) || self.for_ascii.contains_key(it))
    }

    pub fn matches(&mut self, pattern: Cell, text: Cell, values: &Values) -> bool {
        if let Some(answer) = self.answers.get(&(pattern, text)) {
            return *answer;
        }
        let answer = match self.matches_ascii(pattern, values.text(text), values) {
            Some(answer) => answer,
            None => self.matches_any(pattern, values.text(text), values),
        };
        if self.answers.len() >= MOST_ANSWERS {
            self.answers.clear();
        }
        self.answers.insert((pattern, text), answer);
        answer
    }

    /// The answer where text and pattern are ASCII.
    fn matches_ascii(&mut self, pattern: Cell, text: &str, values: &Values) -> Option<bool> {
        if !text.is_ascii() {
            return None;
        }
        if self.for_ascii.len() >= MOST_COMPILED {
            self.for_ascii.clear();
        }
        let compiled = self.for_ascii.entry(pattern).or_insert_with(|| compile_for_ascii(values.text(pattern)));
        compiled.as_ref().map(|regex| regex.is_match(text.as_bytes()))
    }

    fn matches_any(&mut self, pattern: Cell, text: &str, values: &Values) -> bool {
        if !self.compiled.contains_key(&pattern) && self.compiled.len() >= MOST_COMPILED {
            self.compiled.clear();
        }
        let broken = &mut self.broken;
        let compiled = self.compiled.entry(pattern).or_insert_with(|| match compile_pattern(values.text(pattern)) {
            Ok(regex) => Some(regex),
            Err(reason) => {
                if broken.len() < MOST_BROKEN {
                    broken.insert(values.text(pattern).to_owned(), reason);
                }
                None
            }
        });
        compiled.as_ref().is_some_and(|regex| regex.is_match(text))
    }

    /// Patterns that came from data and are none, with the reason.
    pub fn broken(&self) -> &BTreeMap<String, String> {
        &self.broken
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::functors::Builtin;

    #[test]
    fn match_speaks_of_the_whole_text() {
        let mut values = Values::default();
        let mut patterns = Patterns::default();
        let pattern = values.symbol("eye|zeros");
        let [eye, eyes, broken] = ["eye", "eyes", "("].map(|text| values.symbol(text));
        assert!(Builtin::Match.apply(&[pattern, eye], &mut values, &mut patterns).is_some());
        assert!(Builtin::Match.apply(&[pattern, eyes], &mut values, &mut patterns).is_none());
        assert!(Builtin::Match.apply(&[broken, eye], &mut values, &mut patterns).is_none());
        assert_eq!(patterns.broken().len(), 1);
    }

    #[test]
    fn ascii_and_other_texts_get_the_answers_of_one_pattern() {
        let mut values = Values::default();
        let mut patterns = Patterns::default();
        let texts = ["größe", "size", "a b", "a\nb", "K", "K", "中", "", "x[1:2]", "\u{7f}"];
        for pattern in
            [r"\w+", r".*", r"(?s).*", r"[^a]", r"(?i)k", r"\pL+", r"[\w.]+\[.*:.*\]", r"\S*", "中", r"\b\w*\b"]
        {
            let regex = compile_pattern(pattern).expect("a pattern");
            let cell = values.symbol(pattern);
            for text in texts {
                let of_text = values.symbol(text);
                assert_eq!(patterns.matches(cell, of_text, &values), regex.is_match(text), "{pattern} {text}");
            }
        }
    }

    #[test]
    fn what_is_said_to_be_small_is_no_larger() {
        // Whatever a pattern consists of, it compiles with as many of these as are said to be small.
        let parts = [
            r"\w",
            r"\W",
            r"\pL",
            r"\PL",
            r"\s",
            r"\S",
            r"\d",
            r"\D",
            "[^a]",
            ".",
            "a",
            "K",
            "é",
            "中",
            "[a-z]",
            r"\.",
            "(a)",
            "a|",
            "|",
            "()",
            "a?",
            "a+",
            ".*",
            "[^a]+?",
            "[[:alpha:]]",
            r"[^\w]",
            "(?i)k",
            "(?i:s)",
            "(?i:[^k])",
            "(?s:.)",
            "(?-u:a)",
            "(?i)[a-z]*",
            "[{]",
            r"\{",
            r"\p{Greek}",
        ];
        for part in parts {
            let mut pattern = part.to_owned();
            while is_surely_small(&pattern) {
                pattern.push_str(part);
            }
            pattern.truncate(pattern.len() - part.len());
            assert!(compile_anew(&pattern).is_ok(), "{pattern}");
        }
        assert!(!is_surely_small(&r"\w".repeat(5)) && is_surely_small(r"(?s)[\w.]+\[.*:.*\]"));
    }

    #[test]
    fn what_is_wrong_with_a_pattern_is_told_alike_whether_it_is_compiled_or_not() {
        for broken in ["(", "a)", "[z-a]", "*", r"\q", "(?z)", "a**b", &"(".repeat(100), r"(?-u:\xFF)"] {
            assert_eq!(check_pattern(broken), compile_pattern(broken).map(|_| ()), "{broken}");
        }
        for too_large in ["(a{1000}){1000}", r"\w\w\w\w\w\w", &"a".repeat(20_000)] {
            assert!(check_pattern(too_large).is_err(), "{too_large}");
        }
        assert_eq!(check_pattern("torch\\.(cat|concat)"), Ok(()));
    }
}
