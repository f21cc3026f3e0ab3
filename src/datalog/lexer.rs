//! Tokens of the rule language.

use logos::{FilterResult, Lexer, Logos};

/// Why a piece of text is no token.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum LexError {
    #[default]
    UnknownCharacter,
    UnclosedString,
    UnclosedComment,
}

#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
#[logos(error = LexError)]
#[logos(skip r"[ \t\r\n\f\u{FEFF}]+")]
pub(super) enum Token {
    /// `/// …`: metadata and documentation of the declaration that follows.
    #[token("///", doc_line, priority = 12)]
    Doc,
    #[token("//", line_comment, priority = 11)]
    #[token("/*", block_comment)]
    Comment,
    #[regex("[A-Za-z_?][A-Za-z0-9_?]*")]
    Identifier,
    #[regex("[0-9]+")]
    #[regex("0x[0-9a-fA-F]+")]
    #[regex("0b[01]+")]
    Number,
    #[regex("[0-9]+\\.[0-9]+")]
    Float,
    #[token("\"", string)]
    Text,
    /// A text in the wrong quotes.
    #[regex(r"'[^'\r\n]*'")]
    SingleQuoted,
    /// `.decl`, `.include` and the like.
    #[regex(r"\.[A-Za-z_?][A-Za-z0-9_?]*")]
    Directive,
    #[token(":-")]
    If,
    #[token(":")]
    Colon,
    #[token(",")]
    Comma,
    #[token(";")]
    Semicolon,
    #[token(".")]
    Dot,
    #[token("(")]
    OpenParen,
    #[token(")")]
    CloseParen,
    #[token("{")]
    OpenBrace,
    #[token("}")]
    CloseBrace,
    #[token("!")]
    Not,
    #[token("=")]
    Equal,
    #[token("!=")]
    NotEqual,
    #[token("<")]
    Less,
    #[token("<=")]
    LessEqual,
    #[token(">")]
    Greater,
    #[token(">=")]
    GreaterEqual,
    #[token("<:")]
    Subtype,
    #[token("+")]
    Plus,
    #[token("-")]
    Minus,
    #[token("*")]
    Star,
    #[token("/")]
    Slash,
    #[token("%")]
    Percent,
    #[token("^")]
    Caret,
    #[token("|")]
    Bar,
    #[token("@")]
    At,
    /// Brackets of records and the sign of their constructors, which the language leaves out.
    #[token("[")]
    OpenBracket,
    #[token("]")]
    CloseBracket,
    #[token("$")]
    Dollar,
}

fn doc_line(lexer: &mut Lexer<Token>) {
    skip_line(lexer);
}

fn line_comment(lexer: &mut Lexer<Token>) -> FilterResult<(), LexError> {
    skip_line(lexer);
    FilterResult::Skip
}

fn skip_line(lexer: &mut Lexer<Token>) {
    let rest = lexer.remainder();
    lexer.bump(rest.find('\n').unwrap_or(rest.len()));
}

fn block_comment(lexer: &mut Lexer<Token>) -> FilterResult<(), LexError> {
    let rest = lexer.remainder();
    match rest.find("*/") {
        Some(end) => {
            lexer.bump(end + 2);
            FilterResult::Skip
        }
        None => {
            lexer.bump(rest.len());
            FilterResult::Error(LexError::UnclosedComment)
        }
    }
}

fn string(lexer: &mut Lexer<Token>) -> Result<(), LexError> {
    let rest = lexer.remainder();
    let mut escaped = false;
    for (offset, byte) in rest.bytes().enumerate() {
        match byte {
            b'\n' => {
                lexer.bump(offset);
                return Err(LexError::UnclosedString);
            }
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => {
                lexer.bump(offset + 1);
                return Ok(());
            }
            _ => {}
        }
    }
    lexer.bump(rest.len());
    Err(LexError::UnclosedString)
}

impl Token {
    /// How a message calls the token.
    pub fn describe(self) -> &'static str {
        match self {
            Token::Doc => "a `///` comment",
            Token::Comment => "a comment",
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
        Token::lexer(text).collect()
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
    }

    #[test]
    fn a_dot_ends_a_clause_and_starts_a_directive() {
        assert_eq!(kinds("x."), [Ok(Token::Identifier), Ok(Token::Dot)]);
        assert_eq!(kinds("x.decl"), [Ok(Token::Identifier), Ok(Token::Directive)]);
        assert_eq!(kinds("1.\n"), [Ok(Token::Number), Ok(Token::Dot)]);
        assert_eq!(kinds("§"), [Err(LexError::UnknownCharacter)]);
    }
}
