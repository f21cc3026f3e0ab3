//! The second half of the parser of rules: bodies, atoms and expressions.

use crate::foreign_syntax_hints;
use crate::lexer::Token;
use crate::parser::{DEEPEST, Parsed, Parser};
use crate::source::{Place, Problem};
use crate::syntax::{Aggregate, AggregateKind, Atom, Body, Comparison, Expression, Name};

impl Parser<'_> {
    /// Runs a part of the grammar that can contain itself, within bounds.
    fn nested<T>(&mut self, part: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= DEEPEST {
            let message = format!("this is nested more than {DEEPEST} deep");
            let problem =
                Problem::error(self.here(), message, "too deep").hint("give the inner part a relation of its own");
            return Err(Box::new(problem));
        }
        self.depth += 1;
        let result = part(self);
        self.depth -= 1;
        result
    }

    pub(crate) fn atom(&mut self, name: Name) -> Parsed<Atom> {
        self.expect(Token::OpenParen, &format!("after `{}`", name.text))?;
        let arguments = self.arguments()?;
        let place = name.place.to(self.previous());
        Ok(Atom { name, arguments, place })
    }

    /// The rest of `( a, b )`.
    fn arguments(&mut self) -> Parsed<Vec<Expression>> {
        let mut arguments = Vec::new();
        while !self.eat(Token::CloseParen) {
            if !arguments.is_empty() {
                self.expect(Token::Comma, "or `)` after an argument")?;
            }
            self.grow()?;
            arguments.push(self.expression()?);
        }
        Ok(arguments)
    }

    /// A disjunction of conjunctions.
    pub(crate) fn body(&mut self) -> Parsed<Body> {
        self.nested(|parser| {
            let mut alternatives = vec![parser.conjunction()?];
            while parser.eat(Token::Semicolon) {
                alternatives.push(parser.conjunction()?);
            }
            Ok(single_or(alternatives, Body::Any))
        })
    }

    fn conjunction(&mut self) -> Parsed<Body> {
        let mut parts = vec![self.literal()?];
        while self.eat(Token::Comma) {
            parts.push(self.literal()?);
        }
        Ok(single_or(parts, Body::All))
    }

    fn literal(&mut self) -> Parsed<Body> {
        self.grow()?;
        match self.peek() {
            Some(Token::Not) => {
                self.next();
                let inner = self.nested(Parser::literal)?;
                Ok(Body::Not(Box::new(inner)))
            }
            Some(Token::OpenParen) if self.parenthesis_holds_a_body() => {
                self.next();
                let body = self.body()?;
                self.expect(Token::CloseParen, "after the alternatives")?;
                Ok(body)
            }
            Some(Token::Identifier) if self.peek_after(1) != Some(Token::OpenParen) => {
                let place = self.here();
                let word = self.slice(place);
                let ends = matches!(
                    self.peek_after(1),
                    Some(Token::Comma | Token::Semicolon | Token::Dot | Token::CloseParen)
                );
                if ends && matches!(word, "true" | "false") {
                    self.next();
                    return Ok(Body::Truth(word == "true"));
                }
                self.comparison()
            }
            Some(Token::Identifier) if self.slice(self.here()) != "as" => self.atom_or_comparison(),
            Some(_) => self.comparison(),
            None => Err(self.unexpected("expected a literal")),
        }
    }

    /// Whether `(` opens alternatives and not the left side of a comparison: the matching `)` is followed by an operator in the
    /// second case.
    fn parenthesis_holds_a_body(&self) -> bool {
        let mut depth = 0usize;
        let mut distance = 0;
        while let Some(token) = self.peek_after(distance) {
            match token {
                Token::OpenParen | Token::OpenBrace => depth += 1,
                Token::CloseParen | Token::CloseBrace => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return matches!(
                            self.peek_after(distance + 1),
                            None | Some(
                                Token::Comma | Token::Semicolon | Token::Dot | Token::CloseParen | Token::CloseBrace
                            )
                        );
                    }
                }
                Token::Directive | Token::If => return true,
                _ => {}
            }
            distance += 1;
        }
        true
    }

    /// `name(…)` alone is an atom; before an operator it is a functor's value.
    fn atom_or_comparison(&mut self) -> Parsed<Body> {
        let name = self.name("a relation")?;
        let atom = self.nested(|parser| parser.atom(name))?;
        match self.peek() {
            Some(token) if comparison(token).is_some() || self.operator(0).is_some() => {
                let left = call(atom.name, atom.arguments, atom.place)?;
                let left = self.operators(left, 0)?;
                self.comparison_after(left)
            }
            _ => Ok(Body::Atom(atom)),
        }
    }

    fn comparison(&mut self) -> Parsed<Body> {
        let left = self.expression()?;
        self.comparison_after(left)
    }

    fn comparison_after(&mut self, left: Expression) -> Parsed<Body> {
        let Some(operator) = self.peek().and_then(comparison) else {
            let problem = *self.unexpected("expected a comparison such as `=` or `<`");
            return Err(Box::new(match &left {
                Expression::Variable(name) if problem.hint.is_none() => {
                    problem.hint(format!("a relation is written `{}(…)`", name.text))
                }
                _ => problem,
            }));
        };
        self.next();
        let right = self.expression()?;
        let place = left.place().to(right.place());
        Ok(Body::Compare(operator, Box::new(left), Box::new(right), place))
    }

    fn expression(&mut self) -> Parsed<Expression> {
        let left = self.nested(Parser::operand)?;
        self.operators(left, 0)
    }

    /// Precedence climbing; `^` binds most and to the right.
    fn operators(&mut self, mut left: Expression, least: u8) -> Parsed<Expression> {
        while let Some((name, right_binding)) = self.operator(least) {
            let operator = Name { text: name.to_owned(), place: self.here() };
            self.next();
            self.grow()?;
            let right = self.nested(|parser| {
                let operand = parser.operand()?;
                parser.operators(operand, right_binding)
            })?;
            let place = left.place().to(right.place());
            left = Expression::Call(operator, vec![left, right], place);
        }
        Ok(left)
    }

    /// The functor of the next token where it is an operator at least as strong as `least`, and the strength that its right
    /// side asks for.
    fn operator(&self, least: u8) -> Option<(&'static str, u8)> {
        let (name, strength, right) = binary(self.peek()?, self.slice(self.here()))?;
        (strength >= least).then_some((name, right))
    }

    fn operand(&mut self) -> Parsed<Expression> {
        let place = self.here();
        match self.peek() {
            Some(Token::Number) => {
                self.next();
                self.number(place, false)
            }
            Some(Token::Minus)
                if self.peek_after(1) == Some(Token::Number) && self.peek_after(2) != Some(Token::Caret) =>
            {
                self.next();
                let digits = self.here();
                self.next();
                self.number(digits, true)
            }
            Some(Token::Minus) => self.signed("neg"),
            Some(Token::Identifier) if self.is_sign() => {
                let functor = if self.slice(place) == "bnot" { "bnot" } else { "lnot" };
                self.signed(functor)
            }
            Some(Token::Float) => {
                let problem =
                    Problem::error(place, "decimal numbers are not part of the rule language", "not a whole number");
                Err(Box::new(problem))
            }
            Some(Token::Text) => {
                self.next();
                Ok(Expression::Text(self.unescape(place)?, place))
            }
            Some(Token::OpenBracket | Token::Dollar) => Err(self.no_record()),
            Some(Token::OpenParen) => {
                self.next();
                let inner = self.nested(Parser::expression)?;
                self.expect(Token::CloseParen, "after the expression")?;
                Ok(inner)
            }
            // Soufflé marks functors from outside with `@`.
            Some(Token::At) => {
                self.next();
                let name = self.name("the name of a functor after `@`")?;
                self.named_operand(name)
            }
            Some(Token::Identifier) => {
                let name = self.name("a name")?;
                self.named_operand(name)
            }
            _ => Err(self.unexpected("expected a variable, a constant or an expression")),
        }
    }

    /// Whether the next token can only stand behind a complete value.
    fn ends_a_value(&self) -> bool {
        match self.peek() {
            None | Some(Token::Comma | Token::CloseParen | Token::Dot | Token::Semicolon | Token::CloseBrace) => true,
            Some(token) => comparison(token).is_some(),
        }
    }

    /// Whether a word such as `bnot` stands before an operand.
    fn is_sign(&self) -> bool {
        matches!(self.slice(self.here()), "bnot" | "lnot")
            && matches!(
                self.peek_after(1),
                Some(Token::Identifier | Token::Number | Token::Minus | Token::At | Token::Text)
            )
    }

    /// A sign and what it stands before.
    fn signed(&mut self, functor: &str) -> Parsed<Expression> {
        let place = self.here();
        self.next();
        self.grow()?;
        let operand = self.nested(|parser| {
            let operand = parser.operand()?;
            parser.operators(operand, POWER)
        })?;
        let whole = place.to(operand.place());
        Ok(Expression::Call(Name { text: functor.to_owned(), place }, vec![operand], whole))
    }

    fn named_operand(&mut self, name: Name) -> Parsed<Expression> {
        if name.text == "as" && self.peek() == Some(Token::OpenParen) {
            return self.cast(name.place);
        }
        if let Some(kind) = AggregateKind::parse(&name.text)
            && self.peek() != Some(Token::OpenParen)
        {
            if self.ends_a_value() {
                let message = format!("`{}` is an aggregate, not a variable", name.text);
                let problem = Problem::error(name.place, message, "its group is missing")
                    .hint(format!("write `{} … : {{ … }}`, or give the variable another name", name.text));
                return Err(Box::new(problem));
            }
            return self.nested(|parser| parser.aggregate(kind, name.place));
        }
        if name.text == "mean" && matches!(self.peek(), Some(Token::Identifier | Token::Number)) {
            let problem = Problem::error(name.place, "the aggregate `mean` is not supported", "not supported");
            return Err(Box::new(problem.maybe_hint(foreign_syntax_hints::for_functor("mean").map(str::to_owned))));
        }
        if self.peek() == Some(Token::OpenParen) {
            let atom = self.nested(|parser| parser.atom(name))?;
            return call(atom.name, atom.arguments, atom.place);
        }
        Ok(if name.text == "_" { Expression::Wildcard(name.place) } else { Expression::Variable(name) })
    }

    fn cast(&mut self, start: Place) -> Parsed<Expression> {
        self.expect(Token::OpenParen, "after `as`")?;
        let inner = self.nested(Parser::expression)?;
        self.expect(Token::Comma, "and a type in `as(…)`")?;
        let type_name = self.name("a type")?;
        let end = self.expect(Token::CloseParen, "after the type")?;
        Ok(Expression::Cast(Box::new(inner), type_name, start.to(end)))
    }

    fn aggregate(&mut self, kind: AggregateKind, start: Place) -> Parsed<Expression> {
        let target = if self.peek() == Some(Token::Colon) { None } else { Some(self.expression()?) };
        let place = start.to(self.previous());
        match (kind, &target) {
            (AggregateKind::Count, Some(target)) => {
                let problem = Problem::error(target.place(), "`count` takes no expression", "not expected")
                    .hint("write `count : { … }`");
                return Err(Box::new(problem));
            }
            (AggregateKind::Sum | AggregateKind::Min | AggregateKind::Max, None) => {
                let message = format!("`{}` needs an expression", kind.name());
                let hint = format!("write `{} x : {{ … }}`", kind.name());
                return Err(Box::new(Problem::error(place, message, "of what?").hint(hint)));
            }
            _ => {}
        }
        self.expect(Token::Colon, "in the aggregate")?;
        let body = if self.eat(Token::OpenBrace) {
            let body = self.body()?;
            self.expect(Token::CloseBrace, "after the aggregate's body")?;
            body
        } else {
            let name = self.name("`{` or a relation")?;
            Body::Atom(self.atom(name)?)
        };
        let place = start.to(self.previous());
        Ok(Expression::Aggregate(Box::new(Aggregate { kind, target, body, place })))
    }

    fn number(&self, place: Place, negative: bool) -> Parsed<Expression> {
        let text = self.slice(place);
        let (digits, radix) = match text.get(..2) {
            Some("0x") => (&text[2..], 16),
            Some("0b") => (&text[2..], 2),
            _ => (text, 10),
        };
        let signed = if negative { format!("-{digits}") } else { digits.to_owned() };
        match i64::from_str_radix(&signed, radix) {
            Ok(value) => Ok(Expression::Number(value, place)),
            Err(_) => Err(Box::new(Problem::error(place, "the number is too large", "does not fit into 64 bits"))),
        }
    }

    /// The value of a string token.
    pub(crate) fn unescape(&self, place: Place) -> Parsed<String> {
        let quoted = self.slice(place);
        let inner = quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or("");
        let mut value = String::with_capacity(inner.len());
        let mut characters = inner.char_indices();
        while let Some((offset, character)) = characters.next() {
            if character != '\\' {
                value.push(character);
                continue;
            }
            match characters.next() {
                Some((_, 'n')) => value.push('\n'),
                Some((_, 't')) => value.push('\t'),
                Some((_, 'r')) => value.push('\r'),
                Some((_, escaped @ ('"' | '\\'))) => value.push(escaped),
                Some((_, escaped)) => {
                    let start = place.start + 1 + offset as u32;
                    let place = Place { start, end: start + 1 + escaped.len_utf8() as u32, ..place };
                    let problem = Problem::error(place, format!("unknown escape `\\{escaped}`"), "not an escape")
                        .hint(format!("for a backslash write `\\\\{escaped}`"));
                    return Err(Box::new(problem));
                }
                None => {}
            }
        }
        Ok(value)
    }
}

fn single_or(mut parts: Vec<Body>, several: impl FnOnce(Vec<Body>) -> Body) -> Body {
    match parts.len() {
        1 => parts.remove(0),
        _ => several(parts),
    }
}

fn call(name: Name, arguments: Vec<Expression>, place: Place) -> Parsed<Expression> {
    Ok(Expression::Call(name, arguments, place))
}

fn comparison(token: Token) -> Option<Comparison> {
    match token {
        Token::Equal => Some(Comparison::Equal),
        Token::NotEqual => Some(Comparison::NotEqual),
        Token::Less => Some(Comparison::Less),
        Token::LessEqual => Some(Comparison::LessEqual),
        Token::Greater => Some(Comparison::Greater),
        Token::GreaterEqual => Some(Comparison::GreaterEqual),
        _ => None,
    }
}

/// How an operator binds: its functor, its strength, and the strength that its right side asks for. The order is Soufflé's.
fn binary(token: Token, word: &str) -> Option<(&'static str, u8, u8)> {
    Some(match (token, word) {
        (Token::Identifier, "lor") => ("lor", 1, 2),
        (Token::Identifier, "lxor") => ("lxor", 3, 4),
        (Token::Identifier, "land") => ("land", 5, 6),
        (Token::Identifier, "bor") => ("bor", 7, 8),
        (Token::Identifier, "bxor") => ("bxor", 9, 10),
        (Token::Identifier, "band") => ("band", 11, 12),
        (Token::Identifier, "bshl") => ("bshl", 13, 14),
        (Token::Identifier, "bshr") => ("bshr", 13, 14),
        (Token::Identifier, "bshru") => ("bshru", 13, 14),
        (Token::Plus, _) => ("+", 15, 16),
        (Token::Minus, _) => ("-", 15, 16),
        (Token::Star, _) => ("*", 17, 18),
        (Token::Slash, _) => ("/", 17, 18),
        (Token::Percent, _) => ("%", 17, 18),
        (Token::Caret, _) => ("^", POWER, POWER),
        _ => return None,
    })
}

/// `^` binds more than a sign before it: `-x ^ 2` is `-(x ^ 2)`.
const POWER: u8 = 20;
