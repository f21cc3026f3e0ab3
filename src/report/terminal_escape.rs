//! Makes the text of a report harmless for a terminal: source files and names in them are not trusted.

use std::borrow::Cow;

use harp_corpus::{LONGEST_PATH, is_harmful, shortened};

/// Messages longer than this are cut.
const LONGEST_MESSAGE: usize = 4000;

/// A text with control characters, ANSI escapes and bidirectional overrides written out (`\u{1b}`). Line feeds stay, and nothing is cut.
pub fn whole(text: &str) -> Cow<'_, str> {
    if text.chars().all(|character| character == '\n' || !is_harmful(character)) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 8);
    text.chars().for_each(|character| push(character, &mut escaped));
    Cow::Owned(escaped)
}

/// As [`whole`], for people: cut where it is very long, and without the middle of long paths.
pub fn message(text: &str) -> Cow<'_, str> {
    let text = with_short_paths(text);
    if text.len() <= LONGEST_MESSAGE && !text.contains(|character| character != '\n' && is_harmful(character)) {
        return text;
    }
    let mut escaped = String::with_capacity(text.len().min(LONGEST_MESSAGE) + 8);
    for character in text.chars() {
        if escaped.len() > LONGEST_MESSAGE {
            escaped.push('…');
            break;
        }
        push(character, &mut escaped);
    }
    Cow::Owned(escaped)
}

fn push(character: char, escaped: &mut String) {
    match character {
        '\n' => escaped.push('\n'),
        '\t' => escaped.push(' '),
        harmful if is_harmful(harmful) => escaped.extend(harmful.escape_unicode()),
        other => escaped.push(other),
    }
}

/// Cuts the middle of words that may be paths, or the names of modules made of them. A blank ends a word.
pub fn with_short_paths(text: &str) -> Cow<'_, str> {
    let is_long_path = |word: &str| word.len() > LONGEST_PATH && word.contains(['/', '\\', '.']);
    let words = || text.split_inclusive(char::is_whitespace);
    if text.len() <= LONGEST_PATH || !words().any(is_long_path) {
        return Cow::Borrowed(text);
    }
    let short = |word| if is_long_path(word) { shortened(word) } else { Cow::Borrowed(word) };
    Cow::Owned(words().map(short).collect())
}

/// As [`message`], on one line.
pub fn line(text: &str) -> String {
    message(text).replace('\n', " ")
}

/// As [`whole`], on one line.
pub fn name(text: &str) -> String {
    whole(text).replace('\n', " ")
}

/// A path for people: on one line, and without the middle of a long one.
pub fn path(text: &str) -> String {
    shortened(&name(text)).into_owned()
}

/// A line of a source file, harmless for a terminal.
pub fn source_line(text: &str) -> String {
    text.chars().map(source_character).collect()
}

/// What stands for a character of a source line. One character stays one character, so that columns stay.
pub fn source_character(character: char) -> char {
    match character {
        '\t' => '\t',
        '\u{7f}' => '␡',
        control if u32::from(control) < 0x20 => char::from_u32(0x2400 + u32::from(control)).unwrap_or('�'),
        harmful if is_harmful(harmful) => '�',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_is_untouched() {
        assert!(matches!(message("größer als 2\nzweite Zeile"), Cow::Borrowed(_)));
    }

    #[test]
    fn terminal_sequences_are_written_out() {
        assert_eq!(message("a\u{1b}[31mb\u{9b}2J\u{202e}c"), "a\\u{1b}[31mb\\u{9b}2J\\u{202e}c");
        assert_eq!(line("a\tb\nc"), "a b c");
    }

    #[test]
    fn source_characters_keep_their_number() {
        assert_eq!(source_character('\u{1b}'), '␛');
        assert_eq!(source_character('\u{9b}'), '�');
        assert_eq!(source_character('\u{2066}'), '�');
        assert_eq!(source_character('ß'), 'ß');
    }

    #[test]
    fn long_paths_lose_their_middle() {
        let long = format!("/start/{}end.py", "d/".repeat(5000));
        let told = message(&format!("`{long}`:3:1 is not a file")).into_owned();
        assert!(told.starts_with("`/start/d/d/") && told.ends_with("d/end.py`:3:1 is not a file"), "{told}");
        assert!(told.contains("d/…d/") || told.contains("/…/") || told.contains("d…"), "{told}");
        assert!(told.len() < LONGEST_PATH + 30, "{told}");
        assert_eq!(path(&long.replace("d/", "d d/")).chars().count(), LONGEST_PATH);
        assert!(matches!(message(&"no path ".repeat(100)), Cow::Borrowed(_)));
        assert_eq!(name(&long), long);
    }

    #[test]
    fn long_messages_are_cut() {
        let cut = message(&"x".repeat(100_000)).into_owned();
        assert!(cut.ends_with('…') && cut.len() < 5000);
        assert_eq!(whole(&"x".repeat(100_000)).len(), 100_000);
    }
}
