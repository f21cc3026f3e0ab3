//! The parser of the shape notation: signatures, what they say of parameters and results, and shapes.

use super::{Parser, Role, Token};
use crate::notation::{
    Domain, Edit, Input, Loop, NotationError, Passing, Pattern, PatternAxes, PatternElement, PatternPart, PatternShape,
    Sequence, Signature,
};

/// The functions that address a shape by axis.
const EDITS: [&str; 6] = ["drop", "replace", "insert", "permute", "swap", "move"];

/// Where a pattern stands. A result is made of what the inputs say, so it has no `_` among its dimensions.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Input,
    Output,
}

impl Parser {
    pub(super) fn signature(&mut self) -> Result<Signature, NotationError> {
        let mut inputs = Vec::new();
        self.expect("(")?;
        while !self.accept(")") {
            inputs.push(self.input()?);
            if !self.accept(",") {
                self.expect(")")?;
                break;
            }
        }
        self.expect("->")?;
        let outputs = self.pattern(Side::Output)?;
        let condition = if self.accept_word("where") { Some(self.condition()?) } else { None };
        Ok(Signature { inputs, outputs, condition })
    }

    fn input(&mut self) -> Result<Input, NotationError> {
        let is_variadic = self.accept("*");
        let is_named = |symbol: &Token| *symbol == Token::Symbol(":");
        let (mut name, mut passing) = match is_variadic {
            true if self.accept("*") => (None, Passing::Keywords),
            true => (None, Passing::Variadic),
            false => (None, Passing::Required),
        };
        if let Token::Name(found) = self.peek().clone() {
            if is_named(self.peek_at(1)) {
                self.position += 2;
                name = Some(found);
            } else if *self.peek_at(1) == Token::Symbol("?") && is_named(self.peek_at(2)) {
                if is_variadic {
                    let message = "a variadic parameter cannot be optional too".to_owned();
                    let hint = Some(format!("write `*{found}: …`; it may be empty"));
                    return Err(NotationError { offset: self.offset(), message, hint });
                }
                self.position += 3;
                (name, passing) = (Some(found), Passing::Optional);
            }
        }
        if is_variadic && name.is_none() {
            return Err(self.error_with("a parameter", "a variadic parameter is written `*tensors: s`"));
        }
        if self.is_word("None") {
            let hint = "a parameter that may be `None` is written `name?: shape`";
            return Err(self.error_with("a shape or `_`", hint));
        }
        Ok(Input { name, passing, pattern: self.pattern(Side::Input)? })
    }

    /// A pattern, or two of which a condition chooses one.
    fn pattern(&mut self, side: Side) -> Result<Pattern, NotationError> {
        let first = self.simple_pattern(side)?;
        if !self.accept_word("if") {
            return Ok(first);
        }
        self.nest(|parser| {
            let condition = parser.condition()?;
            parser.expect_word("else", "what is returned otherwise is written `… if flag else …`")?;
            Ok(Pattern::If(Box::new(condition), Box::new(first), Box::new(parser.pattern(side)?)))
        })
    }

    fn simple_pattern(&mut self, side: Side) -> Result<Pattern, NotationError> {
        if self.accept_word("_") {
            return Ok(Pattern::Nothing);
        }
        if self.accept_word("None") {
            return Ok(Pattern::None);
        }
        for (word, sequence) in [("list", Sequence::List), ("tuple", Sequence::Tuple)] {
            if self.is_word(word) && matches!(self.peek_at(1), Token::Name(of) if of == "of") {
                self.position += 2;
                return self.nest(|parser| parser.list(sequence, side));
            }
        }
        if *self.peek() == Token::Symbol("(") {
            return self.nest(|parser| parser.group(side));
        }
        let start = self.position;
        let shape = self.shape()?;
        if side == Side::Output {
            self.refuse_any(start)?;
        }
        Ok(Pattern::Shape(shape))
    }

    /// What follows `list of`.
    fn list(&mut self, sequence: Sequence, side: Side) -> Result<Pattern, NotationError> {
        let item = self.simple_pattern(side)?;
        if side == Side::Input && self.is_word("for") {
            return Err(self.error_with("`,` or `)`", "each item of a parameter matches alike: `tensors: list of s`"));
        }
        let over = if self.is_word("for") { Some(self.in_loop()?) } else { None };
        Ok(Pattern::List(sequence, Box::new(item), over))
    }

    /// `for t in tensors`
    pub(super) fn in_loop(&mut self) -> Result<Loop, NotationError> {
        self.expect_word("for", "a loop is written `for t in tensors` or `for i in range(n)`")?;
        let variable = self.plain_name("the name of the loop's variable")?;
        self.expect_word("in", "a loop is written `for t in tensors` or `for i in range(n)`")?;
        if !self.is_call("range") {
            return Ok(Loop { variable, over: Domain::Items(self.plain_name("a parameter or `range(n)`")?) });
        }
        self.position += 1;
        let count = self.nest(|parser| {
            parser.expect("(")?;
            let count = parser.dim()?;
            parser.expect(")")?;
            Ok(count)
        })?;
        Ok(Loop { variable, over: Domain::Range(Box::new(count)) })
    }

    /// `(a, b)`, `(a,)`, `()`; a single pattern in parentheses is itself.
    fn group(&mut self, side: Side) -> Result<Pattern, NotationError> {
        self.expect("(")?;
        let mut patterns = Vec::new();
        while !self.accept(")") {
            patterns.push(self.pattern(side)?);
            if !self.accept(",") {
                self.expect(")")?;
                if patterns.len() == 1 {
                    return Ok(patterns.remove(0));
                }
                break;
            }
        }
        Ok(Pattern::Tuple(patterns))
    }

    /// A result has no `_` among its dimensions.
    fn refuse_any(&self, start: usize) -> Result<(), NotationError> {
        let is_any = |located: &&super::Located| matches!(&located.token, Token::Name(name) if name == "_");
        match self.tokens.get(start..self.position).unwrap_or_default().iter().find(is_any) {
            Some(found) => Err(NotationError {
                offset: found.offset,
                message: "`_` cannot be a dimension of a result".to_owned(),
                hint: Some("name the dimension in a parameter, or write the whole result as `_`".to_owned()),
            }),
            None => Ok(()),
        }
    }

    pub(super) fn shape(&mut self) -> Result<PatternShape, NotationError> {
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
        if *self.peek() == Token::Symbol("(") {
            return self.nest(|parser| parser.shape_call(&name, offset));
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

    fn shape_call(&mut self, name: &str, offset: usize) -> Result<PatternPart, NotationError> {
        if name == "broadcast" {
            return self.broadcast();
        }
        if !EDITS.contains(&name) {
            return Err(NotationError {
                offset,
                message: format!("there is no function `{name}` that gives a shape"),
                hint: Some(format!("the functions are broadcast, {}", EDITS.join(", "))),
            });
        }
        let written = match name {
            "drop" | "permute" => format!("{name}(s, dim)"),
            "replace" | "insert" => format!("{name}(s, dim, n)"),
            _ => format!("{name}(s, dim0, dim1)"),
        };
        let hint = format!("write `{written}`");
        self.expect("(")?;
        let shape = self.shape()?;
        self.comma(&hint)?;
        let axes = self.axes()?;
        let edit = match name {
            "drop" => Edit::Drop(shape, axes),
            "permute" => Edit::Permute(shape, axes),
            "replace" | "insert" => {
                self.comma(&hint)?;
                let size = self.dim()?;
                if name == "replace" { Edit::Replace(shape, axes, size) } else { Edit::Insert(shape, axes, size) }
            }
            _ => {
                self.comma(&hint)?;
                let other = self.axes()?;
                if name == "swap" { Edit::Swap(shape, axes, other) } else { Edit::Move(shape, axes, other) }
            }
        };
        if self.accept(")") { Ok(PatternPart::Edit(Box::new(edit))) } else { Err(self.error_with("`)`", &hint)) }
    }

    pub(super) fn comma(&mut self, hint: &str) -> Result<(), NotationError> {
        if self.accept(",") { Ok(()) } else { Err(self.error_with("`,`", hint)) }
    }

    fn broadcast(&mut self) -> Result<PatternPart, NotationError> {
        self.expect("(")?;
        let mut shapes = vec![self.shape()?];
        if self.is_word("for") {
            let over = self.in_loop()?;
            self.expect(")")?;
            return Ok(PatternPart::BroadcastAll(Box::new(shapes.remove(0)), over));
        }
        while self.accept(",") {
            shapes.push(self.shape()?);
        }
        self.expect(")")?;
        Ok(PatternPart::Broadcast(shapes))
    }

    /// Axes: a number or a parameter, several in parentheses, `None` for all, or a choice of them.
    pub(super) fn axes(&mut self) -> Result<PatternAxes, NotationError> {
        let first = self.simple_axes()?;
        if !self.accept_word("if") {
            return Ok(first);
        }
        self.nest(|parser| {
            let condition = parser.condition()?;
            parser.expect_word("else", "the axes otherwise are written `… if flag else …`")?;
            Ok(PatternAxes::If(Box::new(condition), Box::new(first), Box::new(parser.axes()?)))
        })
    }

    fn simple_axes(&mut self) -> Result<PatternAxes, NotationError> {
        if self.accept_word("None") {
            return Ok(PatternAxes::All);
        }
        if *self.peek() != Token::Symbol("(") || !self.encloses_list() {
            return Ok(PatternAxes::One(self.sum()?));
        }
        self.nest(|parser| {
            parser.expect("(")?;
            let mut dims = Vec::new();
            while !parser.accept(")") {
                dims.push(parser.dim()?);
                if !parser.accept(",") {
                    parser.expect(")")?;
                    break;
                }
            }
            Ok(PatternAxes::Several(dims))
        })
    }

    /// Whether the parenthesis that comes next is around several numbers, or around none.
    fn encloses_list(&self) -> bool {
        let mut depth = 0_usize;
        for (index, located) in self.tokens.get(self.position..).unwrap_or_default().iter().enumerate() {
            match &located.token {
                Token::Symbol("(" | "[") => depth += 1,
                Token::Symbol(")" | "]") => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return index == 1;
                    }
                }
                Token::Symbol(",") if depth == 1 => return true,
                _ => {}
            }
        }
        false
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
}
