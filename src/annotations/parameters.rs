//! The parameter lists of annotations: `input, weight, bias=None, *, out=None`.

use super::error::Mistake;

/// A parameter of an API.
#[derive(Clone, Debug, PartialEq)]
pub struct ParameterSpec {
    /// Without stars.
    pub name: Box<str>,
    /// How arguments reach it.
    pub kind: ParameterKind,
    /// `None` where a call must give it.
    pub default: Option<Literal>,
}

/// How arguments reach a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    /// By position alone: it stands before `/`.
    PositionalOnly,
    /// By position or by name.
    PositionalOrKeyword,
    /// `*size`: takes all further positional arguments; libraries also accept one sequence, or the name as keyword.
    VariadicPositional,
    /// By name alone: it stands behind `*` or `*args`.
    KeywordOnly,
    /// `**kwargs`
    VariadicKeyword,
}

/// A Python literal: a default, or a constant's value.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// `None`
    None,
    /// `True` or `False`
    Bool(bool),
    /// An integer, with its sign.
    Integer(i64),
    /// A number with a point or an exponent.
    Float(f64),
    /// A text in quotes.
    Text(Box<str>),
    /// `(1, 2)`
    Tuple(Vec<Literal>),
    /// `[1, 2]`
    List(Vec<Literal>),
    /// A qualified name, such as `torch.float32`.
    Name(Box<str>),
    /// `...`: there is a value, and it does not matter.
    Ellipsis,
}

/// Parses a parameter list and checks the order that Python demands.
pub fn parse_parameters(text: &str) -> Result<Vec<ParameterSpec>, Mistake> {
    let mut scanner = Scanner::new(text);
    let mut parameters: Vec<ParameterSpec> = Vec::new();
    let mut keyword_only = false;
    let mut optional_seen = false;
    while !scanner.at_end() {
        let offset = scanner.offset();
        if parameters.last().is_some_and(|last| last.kind == ParameterKind::VariadicKeyword) {
            return Err(Mistake::new("no parameter may follow `**`").at(offset));
        }
        if scanner.eat("/") {
            mark_positional_only(&mut parameters, keyword_only, offset)?;
        } else if scanner.eat("**") {
            parameters.push(named(&mut scanner, ParameterKind::VariadicKeyword)?);
        } else if scanner.eat("*") {
            if keyword_only {
                return Err(Mistake::new("`*` is given twice").at(offset));
            }
            keyword_only = true;
            if !matches!(scanner.peek(), None | Some(',')) {
                parameters.push(named(&mut scanner, ParameterKind::VariadicPositional)?);
            }
        } else {
            let kind = if keyword_only { ParameterKind::KeywordOnly } else { ParameterKind::PositionalOrKeyword };
            let mut parameter = named(&mut scanner, kind)?;
            if scanner.eat("=") {
                parameter.default = Some(scanner.literal(0)?);
            }
            if !keyword_only && parameter.default.is_none() && optional_seen {
                return Err(Mistake::new(format!(
                    "`{}` has no default, but a parameter before it has one",
                    parameter.name
                ))
                .at(offset));
            }
            optional_seen |= parameter.default.is_some();
            parameters.push(parameter);
        }
        if let Some(last) = parameters.last()
            && parameters.iter().filter(|parameter| parameter.name == last.name).count() > 1
        {
            return Err(Mistake::new(format!("the parameter `{}` is given twice", last.name)).at(offset));
        }
        if !scanner.at_end() && !scanner.eat(",") {
            return Err(scanner.unexpected("expected `,` between parameters"));
        }
    }
    Ok(parameters)
}

fn mark_positional_only(parameters: &mut [ParameterSpec], keyword_only: bool, offset: usize) -> Result<(), Mistake> {
    let misplaced = keyword_only
        || parameters.is_empty()
        || parameters.iter().any(|known| known.kind == ParameterKind::PositionalOnly);
    if misplaced {
        return Err(Mistake::new("`/` must stand once, after a parameter and before `*`").at(offset));
    }
    for parameter in parameters {
        parameter.kind = ParameterKind::PositionalOnly;
    }
    Ok(())
}

fn named(scanner: &mut Scanner<'_>, kind: ParameterKind) -> Result<ParameterSpec, Mistake> {
    let name = scanner.identifier().ok_or_else(|| scanner.unexpected("expected the name of a parameter"))?;
    Ok(ParameterSpec { name: name.into(), kind, default: None })
}

/// Parses a Python literal.
pub fn parse_literal(text: &str) -> Result<Literal, Mistake> {
    let mut scanner = Scanner::new(text);
    let literal = scanner.literal(0)?;
    if scanner.at_end() { Ok(literal) } else { Err(scanner.unexpected("unexpected text after the value")) }
}

/// Reads the small texts of annotation files from left to right.
pub struct Scanner<'a> {
    text: &'a str,
    position: usize,
}

const DEEPEST_NESTING: usize = 16;

impl<'a> Scanner<'a> {
    /// A scanner at the beginning of a text.
    pub fn new(text: &'a str) -> Self {
        Scanner { text, position: 0 }
    }

    /// Goes back to an offset of this text.
    pub fn rewind(&mut self, offset: usize) {
        self.position = offset.min(self.text.len());
    }

    /// Skips the rest and returns it.
    pub fn take_rest(&mut self) -> &'a str {
        let rest = self.remaining();
        self.position = self.text.len();
        rest
    }

    fn rest(&self) -> &'a str {
        &self.text[self.position..]
    }

    fn skip_spaces(&mut self) {
        self.position = self.text.len() - self.rest().trim_start().len();
    }

    /// The byte at which the next token begins; spaces are skipped.
    pub fn offset(&mut self) -> usize {
        self.skip_spaces();
        self.position
    }

    /// Whether nothing but spaces is left.
    pub fn at_end(&mut self) -> bool {
        self.skip_spaces();
        self.rest().is_empty()
    }

    /// The next character that is no space.
    pub fn peek(&mut self) -> Option<char> {
        self.skip_spaces();
        self.rest().chars().next()
    }

    /// Skips `token` where it comes next.
    pub fn eat(&mut self, token: &str) -> bool {
        self.skip_spaces();
        let found = self.rest().starts_with(token);
        if found {
            self.position += token.len();
        }
        found
    }

    /// Skips `word` where it comes next as a whole word.
    pub fn eat_word(&mut self, word: &str) -> bool {
        let before = self.offset();
        if self.identifier() == Some(word) {
            return true;
        }
        self.position = before;
        false
    }

    /// A name without dots, where one comes next.
    pub fn identifier(&mut self) -> Option<&'a str> {
        self.skip_spaces();
        let rest = self.rest();
        let end = rest.find(|character: char| !(character.is_alphanumeric() || character == '_')).unwrap_or(rest.len());
        let word = &rest[..end];
        if word.is_empty() || word.starts_with(|character: char| character.is_ascii_digit()) {
            return None;
        }
        self.position += end;
        Some(word)
    }

    /// `name=`, where it comes next.
    pub fn keyword(&mut self) -> Option<&'a str> {
        let before = self.offset();
        let word = self.identifier();
        if word.is_some() && self.eat("=") {
            return word;
        }
        self.position = before;
        None
    }

    /// A name with dots in it.
    pub fn qualified_name(&mut self) -> Option<&'a str> {
        let start = self.offset();
        self.identifier()?;
        while self.rest().starts_with('.') {
            self.position += 1;
            if self.identifier().is_none() {
                self.position -= 1;
                break;
            }
        }
        Some(&self.text[start..self.position])
    }

    /// The text up to the bracket that closes the one that comes next, with both brackets.
    pub fn bracketed(&mut self) -> Result<&'a str, Mistake> {
        let start = self.offset();
        let mut depth = 0usize;
        for (index, character) in self.rest().char_indices() {
            match character {
                '[' | '(' => depth += 1,
                ']' | ')' => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                self.position = start + index + character.len_utf8();
                return Ok(&self.text[start..self.position]);
            }
        }
        Err(Mistake::new("a bracket is not closed").at(start))
    }

    /// The rest without the spaces around it; it is not skipped.
    pub fn remaining(&mut self) -> &'a str {
        self.skip_spaces();
        self.rest().trim_end()
    }

    /// The mistake that something else was expected here: the message with the next token, at its place.
    pub fn unexpected(&mut self, message: &str) -> Mistake {
        let offset = self.offset();
        match self.identifier_or_symbol() {
            Some(found) => Mistake::new(format!("{message}, found `{found}`")).at(offset),
            None => Mistake::new(format!("{message}, found the end of the text")).at(offset),
        }
    }

    fn identifier_or_symbol(&mut self) -> Option<String> {
        if let Some(word) = self.identifier() {
            return Some(word.to_owned());
        }
        self.peek().map(String::from)
    }

    /// A literal; `depth` bounds the nesting.
    pub fn literal(&mut self, depth: usize) -> Result<Literal, Mistake> {
        if depth > DEEPEST_NESTING {
            return Err(Mistake::new("the value is nested too deeply").at(self.position));
        }
        match self.peek() {
            Some('(') => Ok(Literal::Tuple(self.sequence("(", ")", depth)?)),
            Some('[') => Ok(Literal::List(self.sequence("[", "]", depth)?)),
            Some(quote @ ('\'' | '"')) => self.quoted(quote),
            Some('0'..='9' | '-') => self.number(),
            Some('.') if self.eat("...") => Ok(Literal::Ellipsis),
            Some('.') => self.number(),
            _ => match self.qualified_name() {
                Some("None") => Ok(Literal::None),
                Some("True") => Ok(Literal::Bool(true)),
                Some("False") => Ok(Literal::Bool(false)),
                Some(name) => Ok(Literal::Name(name.into())),
                None => Err(self
                    .unexpected("expected a value")
                    .hint("a number, a text, `None`, `True`, `False`, a tuple, a list, a name, or `...`")),
            },
        }
    }

    fn sequence(&mut self, open: &str, close: &str, depth: usize) -> Result<Vec<Literal>, Mistake> {
        let start = self.offset();
        self.eat(open);
        let mut items = Vec::new();
        while !self.eat(close) {
            if self.at_end() {
                return Err(Mistake::new(format!("`{open}` is not closed")).at(start));
            }
            items.push(self.literal(depth + 1)?);
            if !self.eat(",") && self.peek() != close.chars().next() {
                return Err(self.unexpected(&format!("expected `,` or `{close}`")));
            }
        }
        Ok(items)
    }

    fn quoted(&mut self, quote: char) -> Result<Literal, Mistake> {
        let start = self.offset();
        let body = &self.rest()[1..];
        let Some(length) = body.find(quote) else {
            return Err(Mistake::new("the text is not closed").at(start));
        };
        self.position = start + length + 2;
        Ok(Literal::Text(body[..length].into()))
    }

    fn number(&mut self) -> Result<Literal, Mistake> {
        let start = self.offset();
        let rest = self.rest();
        let mut end = 0;
        let mut previous = ' ';
        for (index, character) in rest.char_indices() {
            let sign = matches!(character, '-' | '+') && (index == 0 || matches!(previous, 'e' | 'E'));
            if !(sign || character.is_ascii_digit() || matches!(character, '.' | 'e' | 'E')) {
                break;
            }
            previous = character;
            end = index + 1;
        }
        let digits = &rest[..end];
        self.position += end;
        if let Ok(integer) = digits.parse::<i64>() {
            return Ok(Literal::Integer(integer));
        }
        if let ("-", true) = (digits, self.rest().starts_with("inf")) {
            self.position += 3;
            return Ok(Literal::Float(f64::NEG_INFINITY));
        }
        digits
            .parse::<f64>()
            .map(Literal::Float)
            .map_err(|_| Mistake::new(format!("`{digits}` is not a number")).at(start))
    }
}
