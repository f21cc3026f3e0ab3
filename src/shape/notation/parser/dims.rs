//! The parser of the shape notation: dimensions, which are numbers, names and what is computed of them.

use super::{Parser, Role, Token, too_large};
use crate::notation::{BinaryOperator, Fold, NotationError, Padding, PatternDim, Pick, Window};

impl Parser {
    /// A number, or two of which a condition chooses one.
    pub(super) fn dim(&mut self) -> Result<PatternDim, NotationError> {
        let first = self.sum()?;
        if !self.accept_word("if") {
            return Ok(first);
        }
        self.nest(|parser| {
            let condition = parser.condition()?;
            parser.expect_word("else", "the number otherwise is written `… if flag else …`")?;
            Ok(PatternDim::If(Box::new(condition), Box::new(first), Box::new(parser.dim()?)))
        })
    }

    /// A number without a choice outside parentheses.
    pub(super) fn sum(&mut self) -> Result<PatternDim, NotationError> {
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
            Token::Symbol("?") => Err(self.error_with("a dimension", "any dimension is written `_`")),
            Token::Text(_) => Err(self.error_with("a dimension", "a text can only be compared: `mode == 'mean'`")),
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
            "min" | "max" | "sum" => self.nest(|parser| parser.fold(name)),
            "ceil_div" => {
                let mut arguments = self.nest(|parser| {
                    parser.expect("(")?;
                    parser.dims_to_the_end(Vec::new())
                })?;
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
            "pick" => self.nest(Parser::pick),
            "window" | "transposed_window" => self.nest(|parser| parser.window(name, offset)),
            "rank" => Ok(PatternDim::Rank(self.one_shape()?)),
            "prod" => Ok(PatternDim::Product(self.one_shape()?)),
            "len" => self.nest(|parser| {
                parser.expect("(")?;
                let parameter = parser.plain_name("a parameter that holds several values")?;
                parser.expect(")")?;
                Ok(PatternDim::Length(parameter))
            }),
            _ => Err(NotationError {
                offset,
                message: format!("there is no function `{name}`"),
                hint: Some(
                    "the functions are min, max, sum, ceil_div, rank, prod, len, pick, window, transposed_window, and for \
                     shapes broadcast, drop, replace, insert, permute, swap, move"
                        .to_owned(),
                ),
            }),
        }
    }

    /// The arguments of `pick(strides, 0, 2)`.
    fn pick(&mut self) -> Result<PatternDim, NotationError> {
        let hint = "write `pick(strides, 0, 2)`: the parameter, which axis, and how many there are";
        self.expect("(")?;
        let parameter = self.plain_name("a parameter that holds a number or several")?;
        self.comma(hint)?;
        let index = self.dim()?;
        self.comma(hint)?;
        let count = self.dim()?;
        let first = if self.accept(",") { Some(self.dim()?) } else { None };
        self.expect(")")?;
        Ok(PatternDim::Pick(Box::new(Pick { parameter, index, count, first })))
    }

    /// The arguments of `window(n, k, s, d, padding)`.
    fn window(&mut self, name: &str, offset: usize) -> Result<PatternDim, NotationError> {
        let hint = format!("write `{name}(n, k, stride, dilation, padding)`");
        let is_transposed = name == "transposed_window";
        self.expect("(")?;
        let mut numbers = Vec::with_capacity(4);
        for _ in 0..4 {
            numbers.push(self.dim()?);
            self.comma(&hint)?;
        }
        let padding = match self.peek().clone() {
            Token::Text(text) => {
                self.position += 1;
                Padding::Text(text)
            }
            _ => Padding::Of(self.dim()?),
        };
        let extra = if self.accept(",") { Some(self.dim()?) } else { None };
        self.expect(")")?;
        if !is_transposed && extra.as_ref().is_some_and(|extra| *extra != PatternDim::Constant(0)) {
            let hint =
                Some("leave it out where a window must fit, or write `0` where what it leaves may be empty".to_owned());
            return Err(NotationError {
                offset,
                message: "the last argument of `window` can only be `0`".to_owned(),
                hint,
            });
        }
        match <[PatternDim; 4]>::try_from(numbers) {
            Ok([length, size, stride, dilation]) => {
                let window = Window { is_transposed, length, size, stride, dilation, padding, extra };
                Ok(PatternDim::Window(Box::new(window)))
            }
            Err(_) => Err(self.error_with("four numbers", &hint)),
        }
    }

    /// The arguments of `min`, `max` and `sum`: numbers, or one with a loop.
    fn fold(&mut self, name: &str) -> Result<PatternDim, NotationError> {
        self.expect("(")?;
        let first = self.dim()?;
        let fold = match name {
            "min" => Fold::Minimum,
            "max" => Fold::Maximum,
            _ => Fold::Sum,
        };
        if fold == Fold::Sum || self.is_word("for") {
            let over = self.in_loop()?;
            self.expect(")")?;
            return Ok(PatternDim::Fold(fold, Box::new(first), over));
        }
        let dims = self.dims_to_the_end(vec![first])?;
        Ok(if fold == Fold::Minimum { PatternDim::Minimum(dims) } else { PatternDim::Maximum(dims) })
    }

    /// Further arguments, up to the closing parenthesis.
    fn dims_to_the_end(&mut self, mut dims: Vec<PatternDim>) -> Result<Vec<PatternDim>, NotationError> {
        if dims.is_empty() {
            dims.push(self.dim()?);
        }
        while self.accept(",") {
            dims.push(self.dim()?);
        }
        self.expect(")")?;
        Ok(dims)
    }
}
