//! The parser of the shape notation: the conditions of a signature.

use super::{Parser, Token};
use crate::notation::{Comparison, Condition, NotationError, PatternDim, Value};

impl Parser {
    pub(super) fn condition(&mut self) -> Result<Condition, NotationError> {
        self.joined("or", Condition::Or, |parser| parser.joined("and", Condition::And, Parser::literal))
    }

    fn joined(
        &mut self,
        word: &str,
        join: fn(Vec<Condition>) -> Condition,
        mut rule: impl FnMut(&mut Parser) -> Result<Condition, NotationError>,
    ) -> Result<Condition, NotationError> {
        let first = rule(self)?;
        let mut parts = vec![first];
        while self.accept_word(word) {
            parts.push(rule(self)?);
        }
        match (parts.pop(), parts.is_empty()) {
            (Some(only), true) => Ok(only),
            (last, _) => {
                parts.extend(last);
                Ok(join(parts))
            }
        }
    }

    fn literal(&mut self) -> Result<Condition, NotationError> {
        if self.accept_word("not") {
            return self.nest(|parser| Ok(Condition::Not(Box::new(parser.literal()?))));
        }
        if self.is_call("has_axis") {
            self.position += 1;
            return self.nest(Parser::has_axis);
        }
        if let Some(test) = self.test()? {
            return Ok(test);
        }
        if *self.peek() != Token::Symbol("(") || !self.encloses_condition() {
            return self.comparison();
        }
        self.nest(|parser| {
            parser.expect("(")?;
            let inner = parser.condition()?;
            parser.expect(")")?;
            Ok(inner)
        })
    }

    /// The arguments of `has_axis(s, dim)`.
    fn has_axis(&mut self) -> Result<Condition, NotationError> {
        self.expect("(")?;
        let shape = self.shape()?;
        if !self.accept(",") {
            return Err(self.error_with("`,`", "write `has_axis(s, dim)`"));
        }
        let axes = self.axes()?;
        self.expect(")")?;
        Ok(Condition::HasAxis(shape, axes))
    }

    /// A question about a parameter that is no comparison of numbers: `bias is None`, `mode == 'mean'`, `keepdim`.
    fn test(&mut self) -> Result<Option<Condition>, NotationError> {
        if !matches!(self.peek(), Token::Name(_)) {
            return Ok(None);
        }
        let negated = match (self.peek_at(1), self.peek_at(2), self.peek_at(3)) {
            (Token::Name(word), ..) if word == "is" => false,
            (Token::Symbol("=="), Token::Text(_), _)
            | (Token::Symbol("=="), Token::Symbol("("), Token::Symbol(")")) => false,
            (Token::Symbol("!="), Token::Text(_), _)
            | (Token::Symbol("!="), Token::Symbol("("), Token::Symbol(")")) => true,
            (Token::End | Token::Symbol(")" | "," | "]" | ":"), ..) => return self.flag().map(Some),
            (Token::Name(word), ..) if matches!(word.as_str(), "and" | "or" | "else" | "where" | "for" | "if") => {
                return self.flag().map(Some);
            }
            _ => return Ok(None),
        };
        let parameter = self.plain_name("a parameter")?;
        if self.accept_word("is") {
            let negated = self.accept_word("not");
            self.expect_word("None", &format!("write `{parameter} is None` or `{parameter} is not None`"))?;
            return Ok(Some(Condition::Is { parameter, value: Value::None, negated }));
        }
        self.position += 1;
        let value = match self.peek().clone() {
            Token::Text(text) => {
                self.position += 1;
                Value::Text(text)
            }
            _ => {
                self.position += 2;
                Value::Empty
            }
        };
        Ok(Some(Condition::Is { parameter, value, negated }))
    }

    fn flag(&mut self) -> Result<Condition, NotationError> {
        Ok(Condition::Flag(self.plain_name("a condition")?))
    }

    /// Whether the parenthesis that comes next is around a condition, not around a number.
    fn encloses_condition(&self) -> bool {
        // For each group that is open: whether it compares, and whether it chooses; what a choice compares is its own.
        let mut groups: Vec<(bool, bool)> = Vec::new();
        for located in self.tokens.get(self.position..).unwrap_or_default() {
            match (&located.token, groups.last_mut()) {
                (Token::Symbol("(" | "["), _) => groups.push((false, false)),
                (Token::Symbol(")" | "]"), _) => {
                    let (compares, chooses) = groups.pop().unwrap_or_default();
                    match groups.last_mut() {
                        Some(outer) => outer.0 |= compares && !chooses,
                        None => return compares && !chooses,
                    }
                }
                (Token::Symbol("==" | "!=" | "<" | "<=" | ">" | ">="), Some(group)) => group.0 = true,
                (Token::Name(word), Some(group)) => match word.as_str() {
                    "and" | "or" | "not" | "is" | "has_axis" => group.0 = true,
                    "if" => group.1 = true,
                    _ => {}
                },
                _ => {}
            }
        }
        false
    }

    fn comparison(&mut self) -> Result<Condition, NotationError> {
        let left = self.sum()?;
        let Some(comparison) = Comparison::ALL.into_iter().find(|comparison| self.accept(comparison.symbol())) else {
            return match left {
                PatternDim::Name(parameter) => Ok(Condition::Flag(parameter)),
                _ => {
                    let hint = "a condition is a comparison, `n == m`, or a parameter that is true or false";
                    Err(self.error_with("a comparison such as `==`", hint))
                }
            };
        };
        Ok(Condition::Compare(comparison, left, self.sum()?))
    }
}
