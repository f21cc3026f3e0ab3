//! Tokens of the rule language.

use std::ops::Range;

/// Why a piece of text is no token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LexError {
    UnknownCharacter,
    UnclosedString,
    UnclosedComment,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// `/// …`: metadata and documentation of the declaration that follows.
    Doc,
    /// A name: letters, digits, `_` and `?`, the first of which is no digit.
    Identifier,
    Number,
    Float,
    Text,
    /// A text in the wrong quotes.
    SingleQuoted,
    /// `.decl`, `.include` and the like.
    Directive,
    If,
    Colon,
    Comma,
    Semicolon,
    Dot,
    OpenParen,
    CloseParen,
    OpenBrace,
    CloseBrace,
    Not,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Subtype,
    Plus,
    Minus,
    Star,
    Slash,
    Percent,
    Caret,
    Bar,
    At,
    /// Brackets of records and the sign of their constructors, which the language leaves out.
    OpenBracket,
    CloseBracket,
    Dollar,
}

/// Those that are always written in the same way; where one begins with another, the longer one comes first.
const SIGNS: [(&str, Token); 28] = [
    (":-", Token::If),
    (":", Token::Colon),
    (",", Token::Comma),
    (";", Token::Semicolon),
    (".", Token::Dot),
    ("(", Token::OpenParen),
    (")", Token::CloseParen),
    ("{", Token::OpenBrace),
    ("}", Token::CloseBrace),
    ("!=", Token::NotEqual),
    ("!", Token::Not),
    ("=", Token::Equal),
    ("<=", Token::LessEqual),
    ("<:", Token::Subtype),
    ("<", Token::Less),
    (">=", Token::GreaterEqual),
    (">", Token::Greater),
    ("+", Token::Plus),
    ("-", Token::Minus),
    ("*", Token::Star),
    ("/", Token::Slash),
    ("%", Token::Percent),
    ("^", Token::Caret),
    ("|", Token::Bar),
    ("@", Token::At),
    ("[", Token::OpenBracket),
    ("]", Token::CloseBracket),
    ("$", Token::Dollar),
];

/// The tokens of a text, each with its bytes. Comments are left out.
pub(super) struct Tokens<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Tokens<'t> {
    pub fn of(text: &'t str) -> Tokens<'t> {
        Tokens { text, at: 0 }
    }
}

impl Iterator for Tokens<'_> {
    type Item = (Result<Token, LexError>, Range<usize>);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let rest = &self.text[self.at..];
            let rest = rest.trim_start_matches([' ', '\t', '\r', '\n', '\u{c}', '\u{feff}']);
            if rest.is_empty() {
                return None;
            }
            let start = self.text.len() - rest.len();
            let (token, length) = first(rest);
            self.at = start + length;
            if let Some(token) = token {
                return Some((token, start..self.at));
            }
        }
    }
}

/// The token at the beginning of a text, which is none where that is a comment, and its length.
fn first(text: &str) -> (Option<Result<Token, LexError>>, usize) {
    if text.starts_with("//") {
        let line = text.find('\n').unwrap_or(text.len());
        return (text.starts_with("///").then_some(Ok(Token::Doc)), line);
    }
    if let Some(rest) = text.strip_prefix("/*") {
        return match rest.find("*/") {
            Some(end) => (None, end + 4),
            None => (Some(Err(LexError::UnclosedComment)), text.len()),
        };
    }
    let (token, length) = word_or_number(text).unwrap_or_else(|| quoted(text).unwrap_or_else(|| sign(text)));
    (Some(token), length)
}

type Found = (Result<Token, LexError>, usize);

fn word_or_number(text: &str) -> Option<Found> {
    let is_of_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'?');
    let begins_word = |text: &str| text.bytes().next().is_some_and(|byte| is_of_word(&byte) && !byte.is_ascii_digit());
    let count = |text: &str, fits: fn(&u8) -> bool| text.bytes().take_while(fits).count();
    if begins_word(text) {
        return Some((Ok(Token::Identifier), text.bytes().take_while(is_of_word).count()));
    }
    if let Some(rest) = text.strip_prefix('.').filter(|rest| begins_word(rest)) {
        return Some((Ok(Token::Directive), 1 + rest.bytes().take_while(is_of_word).count()));
    }
    let digits = |text: &str| count(text, u8::is_ascii_digit);
    let whole = digits(text);
    if whole == 0 {
        return None;
    }
    let hexadecimal = text.strip_prefix("0x").map_or(0, |rest| count(rest, u8::is_ascii_hexdigit));
    let binary = text.strip_prefix("0b").map_or(0, |rest| count(rest, |byte| matches!(byte, b'0' | b'1')));
    if hexadecimal + binary > 0 {
        return Some((Ok(Token::Number), 2 + hexadecimal + binary));
    }
    match text[whole..].strip_prefix('.').map_or(0, digits) {
        0 => Some((Ok(Token::Number), whole)),
        decimals => Some((Ok(Token::Float), whole + 1 + decimals)),
    }
}

/// A text in quotes, which ends on its line.
fn quoted(text: &str) -> Option<Found> {
    if let Some(rest) = text.strip_prefix('\'') {
        let end = rest.find(['\'', '\r', '\n']).unwrap_or(rest.len());
        let is_closed = rest[end..].starts_with('\'');
        let token = if is_closed { Ok(Token::SingleQuoted) } else { Err(LexError::UnknownCharacter) };
        return Some((token, 1 + end + usize::from(is_closed)));
    }
    let rest = text.strip_prefix('"')?;
    let mut is_escaped = false;
    for (offset, byte) in rest.bytes().enumerate() {
        match byte {
            b'\n' => return Some((Err(LexError::UnclosedString), 1 + offset)),
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return Some((Ok(Token::Text), offset + 2)),
            _ => {}
        }
    }
    Some((Err(LexError::UnclosedString), text.len()))
}

fn sign(text: &str) -> Found {
    match SIGNS.iter().find(|(written, _)| text.starts_with(written)) {
        Some((written, token)) => (Ok(*token), written.len()),
        None => (Err(LexError::UnknownCharacter), text.chars().next().map_or(0, char::len_utf8)),
    }
}

impl Token {
    /// How a message calls the token.
    pub fn describe(self) -> &'static str {
        match self {
            Token::Doc => "a `///` comment",
            Token::Identifier => "a name",
            Token::Number => "a number",
            Token::Float => "a decimal number",
            Token::Text | Token::SingleQuoted => "a string",
            Token::Directive => "a directive",
            Token::If => "`:-`",
            Token::Colon => "`:`",
            Token::Comma => "`,`",
            Token::Semicolon => "`;`",
            Token::Dot => "`.`",
            Token::OpenParen => "`(`",
            Token::CloseParen => "`)`",
            Token::OpenBrace => "`{`",
            Token::CloseBrace => "`}`",
            Token::Not => "`!`",
            Token::Equal => "`=`",
            Token::NotEqual => "`!=`",
            Token::Less => "`<`",
            Token::LessEqual => "`<=`",
            Token::Greater => "`>`",
            Token::GreaterEqual => "`>=`",
            Token::Subtype => "`<:`",
            Token::Plus => "`+`",
            Token::Minus => "`-`",
            Token::Star => "`*`",
            Token::Slash => "`/`",
            Token::Percent => "`%`",
            Token::Caret => "`^`",
            Token::Bar => "`|`",
            Token::At => "`@`",
            Token::OpenBracket => "`[`",
            Token::CloseBracket => "`]`",
            Token::Dollar => "`$`",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<Result<Token, LexError>> {
        Tokens::of(text).map(|(token, _)| token).collect()
    }

    #[test]
    fn comments_are_skipped_and_metadata_kept() {
        assert_eq!(kinds("// a\n/* b \n*/ x //"), [Ok(Token::Identifier)]);
        assert_eq!(kinds("/// @id a\n.decl"), [Ok(Token::Doc), Ok(Token::Directive)]);
    }

    #[test]
    fn strings_know_escapes_and_their_end() {
        assert_eq!(kinds(r#""a\"b" x"#), [Ok(Token::Text), Ok(Token::Identifier)]);
        assert_eq!(kinds("\"abc\nx"), [Err(LexError::UnclosedString), Ok(Token::Identifier)]);
        assert_eq!(kinds("/* x"), [Err(LexError::UnclosedComment)]);
        assert_eq!(
            kinds("'a' 'b\nx"),
            [Ok(Token::SingleQuoted), Err(LexError::UnknownCharacter), Ok(Token::Identifier)]
        );
    }

    #[test]
    fn numbers_have_a_base() {
        let numbers = [Ok(Token::Number), Ok(Token::Number), Ok(Token::Float)];
        assert_eq!(kinds("0x1F 0b10 1.5"), numbers);
        let parts = [Ok(Token::Number), Ok(Token::Identifier), Ok(Token::Number), Ok(Token::Identifier)];
        assert_eq!(kinds("0xg 0b2"), parts);
    }

    #[test]
    fn the_longer_sign_is_meant() {
        assert_eq!(kinds("<:<=<"), [Ok(Token::Subtype), Ok(Token::LessEqual), Ok(Token::Less)]);
        for (index, (longer, _)) in SIGNS.iter().enumerate() {
            assert!(SIGNS[..index].iter().all(|(sign, _)| !longer.starts_with(sign)), "{longer} is never found");
        }
    }

    #[test]
    fn a_dot_ends_a_clause_and_starts_a_directive() {
        assert_eq!(kinds("x."), [Ok(Token::Identifier), Ok(Token::Dot)]);
        assert_eq!(kinds("x.decl"), [Ok(Token::Identifier), Ok(Token::Directive)]);
        assert_eq!(kinds("1.\n"), [Ok(Token::Number), Ok(Token::Dot)]);
        assert_eq!(kinds("§"), [Err(LexError::UnknownCharacter)]);
    }
}
