//! The parser: by recursive descent, one method a rule of the grammar.

use super::lexer::{Located, Token, tokens};
use super::{
    BinaryOperator, Comparison, Condition, NotationError, Pattern, PatternDim, PatternElement, PatternPart,
    PatternShape, Signature,
};

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

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Dim,
    Shape,
}

const FUNCTIONS: &[&str] = &["min", "max", "ceil_div", "rank", "prod", "broadcast", "where", "and", "or", "not"];

impl Parser {
    fn parse<T>(text: &str, rule: fn(&mut Parser) -> Result<T, NotationError>) -> Result<T, NotationError> {
        let mut parser = Parser { tokens: tokens(text)?, position: 0, depth: 0, roles: Vec::new() };
        let parsed = rule(&mut parser)?;
        match parser.peek() {
            Token::End => Ok(parsed),
            _ => Err(parser.error("the end")),
        }
    }

    fn signature(&mut self) -> Result<Signature, NotationError> {
        let mut parameters = Vec::new();
        let mut inputs = Vec::new();
        self.expect("(")?;
        while !self.accept(")") {
            parameters.push(self.parameter_name());
            inputs.push(self.input()?);
            if !self.accept(",") {
                self.expect(")")?;
                break;
            }
        }
        self.expect("->")?;
        let outputs = self.output()?;
        let condition = if self.accept_word("where") { Some(self.condition()?) } else { None };
        Ok(Signature { parameters, inputs, outputs, condition })
    }

    /// `name:`, if that is next.
    fn parameter_name(&mut self) -> Option<String> {
        let Token::Name(name) = self.peek().clone() else {
            return None;
        };
        let is_named = matches!(self.tokens.get(self.position + 1).map(|t| &t.token), Some(Token::Symbol(":")));
        is_named.then(|| {
            self.position += 2;
            name
        })
    }

    fn input(&mut self) -> Result<Pattern, NotationError> {
        if self.accept_word("_") {
            return Ok(Pattern::Nothing);
        }
        Ok(Pattern::Shape(self.shape()?))
    }

    fn output(&mut self) -> Result<Pattern, NotationError> {
        if self.accept_word("_") {
            return Ok(Pattern::Nothing);
        }
        if *self.peek() != Token::Symbol("(") {
            let start = self.position;
            let shape = self.shape()?;
            self.refuse_any(start)?;
            return Ok(Pattern::Shape(shape));
        }
        self.nest(|parser| {
            parser.expect("(")?;
            let mut patterns = Vec::new();
            while !parser.accept(")") {
                patterns.push(parser.output()?);
                if !parser.accept(",") {
                    parser.expect(")")?;
                    break;
                }
            }
            Ok(Pattern::Tuple(patterns))
        })
    }

    /// A result is made of what the inputs say, so it has no `_` among its dimensions.
    fn refuse_any(&self, start: usize) -> Result<(), NotationError> {
        let is_any = |located: &&Located| matches!(&located.token, Token::Name(name) if name == "_");
        match self.tokens.get(start..self.position).unwrap_or_default().iter().find(is_any) {
            Some(found) => Err(NotationError {
                offset: found.offset,
                message: "`_` cannot be a dimension of a result".to_owned(),
                hint: Some("name the dimension in a parameter, or write the whole result as `_`".to_owned()),
            }),
            None => Ok(()),
        }
    }

    fn shape(&mut self) -> Result<PatternShape, NotationError> {
        let mut parts = vec![self.part()?];
        while self.accept("@") {
            parts.push(self.part()?);
        }
        Ok(PatternShape { parts })
    }

    fn part(&mut self) -> Result<PatternPart, NotationError> {
        if self.accept("[") {
            return self.nest(|parser| Ok(PatternPart::Dims(parser.elements()?)));
        }
        let offset = self.offset();
        let Token::Name(name) = self.peek().clone() else {
            return Err(self.error_with("a shape", "shapes are written `[n, 3]`, `s` or `s@[n, 3]`"));
        };
        self.position += 1;
        if name == "broadcast" && *self.peek() == Token::Symbol("(") {
            return Ok(PatternPart::Broadcast(self.arguments(Parser::shape)?));
        }
        self.use_name(&name, Role::Shape, offset)?;
        if !self.accept("[") {
            return Ok(PatternPart::Name(name));
        }
        let from = if *self.peek() == Token::Symbol(":") { None } else { Some(self.dim()?) };
        if !self.accept(":") {
            let hint = format!("one dimension as a shape is written `[{name}[…]]`");
            return Err(self.error_with("`:`", &hint));
        }
        let to = if *self.peek() == Token::Symbol("]") { None } else { Some(self.dim()?) };
        self.expect("]")?;
        Ok(PatternPart::Slice { shape: name, from, to })
    }

    /// The dimensions up to the closing bracket.
    fn elements(&mut self) -> Result<Vec<PatternElement>, NotationError> {
        let mut elements = Vec::new();
        while !self.accept("]") {
            elements.push(if self.accept("*") { PatternElement::Ragged } else { PatternElement::Dim(self.dim()?) });
            if !self.accept(",") {
                self.expect("]")?;
                break;
            }
        }
        Ok(elements)
    }

    fn condition(&mut self) -> Result<Condition, NotationError> {
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

    /// Whether the parenthesis that comes next is around a condition, not around a number.
    fn encloses_condition(&self) -> bool {
        let mut depth = 0_usize;
        for located in self.tokens.get(self.position..).unwrap_or_default() {
            match &located.token {
                Token::Symbol("(" | "[") => depth += 1,
                Token::Symbol(")" | "]") => depth = depth.saturating_sub(1),
                Token::Symbol("==" | "!=" | "<" | "<=" | ">" | ">=") => return true,
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
        false
    }

    fn comparison(&mut self) -> Result<Condition, NotationError> {
        let left = self.dim()?;
        let Some(comparison) = Comparison::ALL.into_iter().find(|comparison| self.accept(comparison.symbol())) else {
            return Err(self.error("a comparison such as `==`"));
        };
        Ok(Condition::Compare(comparison, left, self.dim()?))
    }

    fn dim(&mut self) -> Result<PatternDim, NotationError> {
        self.binary(&[BinaryOperator::Add, BinaryOperator::Subtract], |parser| {
            let products = [BinaryOperator::Multiply, BinaryOperator::FloorDivide, BinaryOperator::Modulo];
            parser.binary(&products, Parser::unary)
        })
    }

    fn binary(
        &mut self,
        operators: &[BinaryOperator],
        mut operand: impl FnMut(&mut Parser) -> Result<PatternDim, NotationError>,
    ) -> Result<PatternDim, NotationError> {
        let mut left = operand(self)?;
        while let Some(operator) = operators.iter().copied().find(|operator| self.accept(operator.symbol())) {
            left = PatternDim::Binary(operator, Box::new(left), Box::new(operand(self)?));
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<PatternDim, NotationError> {
        if *self.peek() != Token::Symbol("-") {
            return self.atom();
        }
        let offset = self.offset();
        self.position += 1;
        if let Token::Number(value) = *self.peek() {
            self.position += 1;
            return match 0_i64.checked_sub_unsigned(value) {
                Some(value) => Ok(PatternDim::Constant(value)),
                None => Err(too_large(value, offset)),
            };
        }
        self.nest(|parser| Ok(PatternDim::Negate(Box::new(parser.unary()?))))
    }

    fn atom(&mut self) -> Result<PatternDim, NotationError> {
        let offset = self.offset();
        match self.peek().clone() {
            Token::Number(value) => {
                self.position += 1;
                i64::try_from(value).map(PatternDim::Constant).map_err(|_| too_large(value, offset))
            }
            Token::Symbol("(") => self.nest(|parser| {
                parser.expect("(")?;
                let inner = parser.dim()?;
                parser.expect(")")?;
                Ok(inner)
            }),
            Token::Name(name) => {
                self.position += 1;
                self.named(name, offset)
            }
            _ => Err(self.error("a dimension")),
        }
    }

    /// A name, a call, or an index into a shape variable.
    fn named(&mut self, name: String, offset: usize) -> Result<PatternDim, NotationError> {
        if name == "_" {
            return Ok(PatternDim::Any);
        }
        if *self.peek() == Token::Symbol("(") {
            return self.call(&name, offset);
        }
        if !self.accept("[") {
            self.use_name(&name, Role::Dim, offset)?;
            return Ok(PatternDim::Name(name));
        }
        self.use_name(&name, Role::Shape, offset)?;
        self.nest(|parser| {
            let index = parser.dim()?;
            parser.expect("]")?;
            Ok(PatternDim::Index(name, Box::new(index)))
        })
    }

    fn call(&mut self, name: &str, offset: usize) -> Result<PatternDim, NotationError> {
        match name {
            "min" => Ok(PatternDim::Minimum(self.arguments(Parser::dim)?)),
            "max" => Ok(PatternDim::Maximum(self.arguments(Parser::dim)?)),
            "ceil_div" => {
                let mut arguments = self.arguments(Parser::dim)?;
                match (arguments.pop(), arguments.pop(), arguments.is_empty()) {
                    (Some(divisor), Some(value), true) => {
                        Ok(PatternDim::CeilDivide(Box::new(value), Box::new(divisor)))
                    }
                    _ => Err(NotationError {
                        offset,
                        message: "`ceil_div` takes two numbers".to_owned(),
                        hint: Some("write `ceil_div(n, 2)`".to_owned()),
                    }),
                }
            }
            "rank" => Ok(PatternDim::Rank(self.one_shape()?)),
            "prod" => Ok(PatternDim::Product(self.one_shape()?)),
            _ => Err(NotationError {
                offset,
                message: format!("there is no function `{name}`"),
                hint: Some("the functions are min, max, ceil_div, rank, prod, and broadcast for shapes".to_owned()),
            }),
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

    fn arguments<T>(&mut self, rule: fn(&mut Parser) -> Result<T, NotationError>) -> Result<Vec<T>, NotationError> {
        self.nest(|parser| {
            parser.expect("(")?;
            let mut arguments = vec![rule(parser)?];
            while parser.accept(",") {
                arguments.push(rule(parser)?);
            }
            parser.expect(")")?;
            Ok(arguments)
        })
    }

    /// A name is either a dimension or a shape throughout.
    fn use_name(&mut self, name: &str, role: Role, offset: usize) -> Result<(), NotationError> {
        if FUNCTIONS.contains(&name) || name == "_" {
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

    fn offset(&self) -> usize {
        self.tokens.get(self.position).or(self.tokens.last()).map_or(0, |located| located.offset)
    }

    fn accept(&mut self, symbol: &str) -> bool {
        let is_next = matches!(self.peek(), Token::Symbol(found) if *found == symbol);
        self.position += usize::from(is_next);
        is_next
    }

    fn accept_word(&mut self, word: &str) -> bool {
        let is_next = matches!(self.peek(), Token::Name(found) if found == word);
        self.position += usize::from(is_next);
        is_next
    }

    fn expect(&mut self, symbol: &str) -> Result<(), NotationError> {
        if self.accept(symbol) { Ok(()) } else { Err(self.error(&format!("`{symbol}`"))) }
    }

    fn error(&self, expected: &str) -> NotationError {
        let found = match self.peek() {
            Token::End => "the end".to_owned(),
            Token::Number(value) => format!("`{value}`"),
            Token::Name(name) => format!("`{name}`"),
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
        }
    }
}
