//! Makes text harmless for a terminal: source files and names in them are not trusted.

use std::borrow::Cow;

use crate::corpus::is_harmful;

/// Messages longer than this are cut.
const LONGEST_MESSAGE: usize = 4000;

/// A message with control characters, ANSI escapes and bidirectional overrides written out (`\u{1b}`), and cut where it is very
/// long. Line feeds stay.
pub fn message(text: &str) -> Cow<'_, str> {
    let too_long = text.len() > LONGEST_MESSAGE;
    if !too_long && text.chars().all(|character| character == '\n' || !is_harmful(character)) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len().min(LONGEST_MESSAGE) + 8);
    for character in text.chars() {
        if escaped.len() > LONGEST_MESSAGE {
            escaped.push('…');
            break;
        }
        match character {
            '\n' => escaped.push('\n'),
            '\t' => escaped.push(' '),
            harmful if is_harmful(harmful) => escaped.extend(harmful.escape_unicode()),
            other => escaped.push(other),
        }
    }
    Cow::Owned(escaped)
}

/// As [`message`], on one line.
pub fn line(text: &str) -> String {
    message(text).replace('\n', " ")
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
    fn long_messages_are_cut() {
        let cut = message(&"x".repeat(100_000)).into_owned();
        assert!(cut.ends_with('…') && cut.len() < 5000);
    }
}
