//! Tokens of the shape notation.

use super::NotationError;

/// A longer text is refused, which bounds the depth of what the parser builds.
const MAX_TOKENS: usize = 1_024;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    Number(u64),
    Name(String),
    /// What stands between single quotes.
    Text(String),
    Symbol(&'static str),
    End,
}

#[derive(Clone, Debug)]
pub(super) struct Located {
    pub token: Token,
    pub offset: usize,
}

/// Longer symbols first.
const SYMBOLS: &[&str] =
    &["->", "//", "==", "!=", "<=", ">=", "(", ")", "[", "]", ",", ":", "@", "+", "-", "*", "%", "<", ">", "?"];

/// The words of a text; the last one is `End`.
pub(super) fn tokens(text: &str) -> Result<Vec<Located>, NotationError> {
    let mut tokens = Vec::new();
    let mut offset = 0;
    while let Some(first) = text[offset..].chars().next() {
        let rest = &text[offset..];
        let (token, length) = if first.is_whitespace() {
            offset += first.len_utf8();
            continue;
        } else if first.is_ascii_digit() {
            number(rest, offset)?
        } else if first.is_alphabetic() || first == '_' {
            let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '.').unwrap_or(rest.len());
            (Token::Name(rest[..length].to_owned()), length)
        } else if first == '\'' {
            quoted(rest, offset)?
        } else if let Some(symbol) = SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) {
            (Token::Symbol(symbol), symbol.len())
        } else {
            return Err(unexpected(first, offset));
        };
        if tokens.len() >= MAX_TOKENS {
            return Err(NotationError { offset, message: "this is too long for a shape".to_owned(), hint: None });
        }
        tokens.push(Located { token, offset });
        offset += length;
    }
    tokens.push(Located { token: Token::End, offset: text.len() });
    Ok(tokens)
}

fn quoted(rest: &str, offset: usize) -> Result<(Token, usize), NotationError> {
    let text = rest.get(1..).unwrap_or_default();
    match text.find('\'') {
        Some(length) if !text[..length].contains(char::is_control) => {
            Ok((Token::Text(text[..length].to_owned()), length + 2))
        }
        _ => Err(NotationError {
            offset,
            message: "this text does not end".to_owned(),
            hint: Some("a text is written between single quotes: `'mean'`".to_owned()),
        }),
    }
}

fn number(rest: &str, offset: usize) -> Result<(Token, usize), NotationError> {
    let length = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    match rest[..length].parse() {
        Ok(value) => Ok((Token::Number(value), length)),
        Err(_) => Err(NotationError {
            offset,
            message: format!("`{}` is too large for a dimension", &rest[..length]),
            hint: Some("dimensions have at most 64 bits".to_owned()),
        }),
    }
}

fn unexpected(character: char, offset: usize) -> NotationError {
    let hint = match character {
        '/' => Some("division rounds down and is written `//`"),
        '{' | '}' => Some("shapes are written with square brackets: `[n, 3]`"),
        '=' => Some("equality is written `==`"),
        '"' => Some("a text is written between single quotes: `'mean'`"),
        _ => None,
    };
    NotationError { offset, message: format!("unexpected `{character}`"), hint: hint.map(str::to_owned) }
}
