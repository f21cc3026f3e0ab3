//! The parser of the shape notation: by recursive descent, one method a rule of the grammar.

mod conditions;
mod dims;
mod patterns;

use super::lexer::{Located, Token, tokens};
use super::names::Role;
use super::{Condition, NotationError, PatternDim, PatternShape, Signature};

/// Parentheses and calls nest at most this deep.
const MAX_DEPTH: usize = 48;

/// Reads a dimension: `(h + 2*p - k)//s + 1`.
pub fn parse_dim(text: &str) -> Result<PatternDim, NotationError> {
    Parser::parse(text, Parser::dim)
}

/// Reads a shape: `s@[n, 3]`.
pub fn parse_shape(text: &str) -> Result<PatternShape, NotationError> {
    Parser::parse(text, Parser::shape)
}

/// Reads a condition: `k % groups == 0 and groups > 0`.
pub fn parse_condition(text: &str) -> Result<Condition, NotationError> {
    Parser::parse(text, Parser::condition)
}

/// Reads a signature: `(s@[n, k], s@[k, m]) -> s@[n, m]`.
pub fn parse_signature(text: &str) -> Result<Signature, NotationError> {
    Parser::parse(text, Parser::signature)
}

struct Parser {
    tokens: Vec<Located>,
    position: usize,
    depth: usize,
    /// How each name was used first.
    roles: Vec<(String, Role)>,
}

/// Words that are no names.
const WORDS: &[&str] = &[
    "min",
    "max",
    "ceil_div",
    "rank",
    "prod",
    "broadcast",
    "where",
    "and",
    "or",
    "not",
    "if",
    "else",
    "for",
    "in",
    "is",
    "None",
];

impl Parser {
    fn parse<T>(text: &str, rule: fn(&mut Parser) -> Result<T, NotationError>) -> Result<T, NotationError> {
        let mut parser = Parser { tokens: tokens(text)?, position: 0, depth: 0, roles: Vec::new() };
        let parsed = rule(&mut parser)?;
        match parser.peek() {
            Token::End => Ok(parsed),
            _ => Err(parser.error("the end")),
        }
    }

    fn one_shape(&mut self) -> Result<PatternShape, NotationError> {
        self.nest(|parser| {
            parser.expect("(")?;
            let shape = parser.shape()?;
            parser.expect(")")?;
            Ok(shape)
        })
    }

    /// A name is either a dimension or a shape throughout.
    fn use_name(&mut self, name: &str, role: Role, offset: usize) -> Result<(), NotationError> {
        if WORDS.contains(&name) || name == "_" {
            let message = format!("`{name}` cannot be the name of a {}", role.word());
            return Err(NotationError { offset, message, hint: None });
        }
        match self.roles.iter().find(|(known, _)| known == name) {
            Some((_, known)) if *known != role => Err(NotationError {
                offset,
                message: format!("`{name}` is used as a {} and as a {}", known.word(), role.word()),
                hint: Some("within brackets names are dimensions, elsewhere they are shapes".to_owned()),
            }),
            Some(_) => Ok(()),
            None => {
                self.roles.push((name.to_owned(), role));
                Ok(())
            }
        }
    }

    fn nest<T>(&mut self, rule: impl FnOnce(&mut Parser) -> Result<T, NotationError>) -> Result<T, NotationError> {
        if self.depth >= MAX_DEPTH {
            let message = "this nests too deeply".to_owned();
            return Err(NotationError { offset: self.offset(), message, hint: None });
        }
        self.depth += 1;
        let parsed = rule(self);
        self.depth -= 1;
        parsed
    }

    fn peek(&self) -> &Token {
        self.tokens.get(self.position).map_or(&Token::End, |located| &located.token)
    }

    /// The word so many places behind the next.
    fn peek_at(&self, distance: usize) -> &Token {
        self.tokens.get(self.position + distance).map_or(&Token::End, |located| &located.token)
    }

    fn offset(&self) -> usize {
        self.tokens.get(self.position).or(self.tokens.last()).map_or(0, |located| located.offset)
    }

    fn accept(&mut self, symbol: &str) -> bool {
        let is_next = matches!(self.peek(), Token::Symbol(found) if *found == symbol);
        self.position += usize::from(is_next);
        is_next
    }

    /// Whether this word is next, and behind it this symbol.
    fn is_call(&self, word: &str) -> bool {
        matches!(self.peek(), Token::Name(found) if found == word) && *self.peek_at(1) == Token::Symbol("(")
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Token::Name(found) if found == word)
    }

    fn accept_word(&mut self, word: &str) -> bool {
        let is_next = matches!(self.peek(), Token::Name(found) if found == word);
        self.position += usize::from(is_next);
        is_next
    }

    fn expect(&mut self, symbol: &str) -> Result<(), NotationError> {
        if self.accept(symbol) { Ok(()) } else { Err(self.error(&format!("`{symbol}`"))) }
    }

    fn expect_word(&mut self, word: &str, hint: &str) -> Result<(), NotationError> {
        if self.accept_word(word) { Ok(()) } else { Err(self.error_with(&format!("`{word}`"), hint)) }
    }

    /// The name of a parameter or of a loop's variable.
    fn plain_name(&mut self, what: &str) -> Result<String, NotationError> {
        match self.peek().clone() {
            Token::Name(name) if !WORDS.contains(&name.as_str()) && name != "_" => {
                self.position += 1;
                Ok(name)
            }
            _ => Err(self.error(what)),
        }
    }

    fn error(&self, expected: &str) -> NotationError {
        let found = match self.peek() {
            Token::End => "the end".to_owned(),
            Token::Number(value) => format!("`{value}`"),
            Token::Name(name) => format!("`{name}`"),
            Token::Text(text) => format!("`'{text}'`"),
            Token::Symbol(symbol) => format!("`{symbol}`"),
        };
        NotationError { offset: self.offset(), message: format!("expected {expected}, found {found}"), hint: None }
    }

    fn error_with(&self, expected: &str, hint: &str) -> NotationError {
        NotationError { hint: Some(hint.to_owned()), ..self.error(expected) }
    }
}

fn too_large(value: u64, offset: usize) -> NotationError {
    NotationError { offset, message: format!("`{value}` is too large for a dimension"), hint: None }
}

impl Role {
    fn word(self) -> &'static str {
        match self {
            Role::Dim => "dimension",
            Role::Shape => "shape",
            Role::Parameter => "parameter",
        }
    }
}
