//! Harp's own syntax tree of expressions: what has a value.

use std::sync::Arc;

use super::{Function, Range};
use crate::name::Name;

/// An expression.
#[derive(Debug)]
pub struct Expr {
    /// Its bytes, without parentheses that only group.
    pub range: Range,
    /// Which expression, with its parts.
    pub kind: ExprKind,
    /// Of a variable that an import calls otherwise, the name in its module: `zeros` for `z` after `from torch import zeros as z`.
    pub imported: Option<Name>,
}

impl Expr {
    /// An expression that no import gave another name.
    pub fn new(range: Range, kind: ExprKind) -> Expr {
        Expr { range, kind, imported: None }
    }

    /// The last part of a plain or dotted name, as its module has it, whatever the program calls it.
    pub fn last_name(&self) -> Option<Name> {
        match &self.kind {
            ExprKind::Name(name) => Some(self.imported.unwrap_or(*name)),
            ExprKind::Attribute { attribute, .. } => Some(*attribute),
            _ => None,
        }
    }
}

/// The kinds of expressions, named as in Python's own `ast`.
#[derive(Debug)]
pub enum ExprKind {
    /// A variable that is read or assigned.
    Name(Name),
    /// `None`
    None,
    /// `True` or `False`
    Bool(bool),
    /// An integer literal that an `i64` holds; a sign is an operator before it.
    Int(i64),
    /// An integer literal beyond 64 bits.
    BigInt,
    /// A literal with a point or an exponent.
    Float(f64),
    /// A literal such as `2j`; its value is not kept.
    Complex,
    /// A text, with adjacent literals joined.
    Str(Arc<str>),
    /// Bytes, with adjacent literals joined.
    Bytes(Arc<[u8]>),
    /// An f-string; a plain part is a `Str` expression.
    FString(Vec<FStringPart>),
    /// `...`
    Ellipsis,
    /// `value.attribute`
    Attribute {
        /// What has the attribute.
        value: Box<Expr>,
        /// The name behind the point.
        attribute: Name,
        /// The place of the name behind the point.
        attribute_range: Range,
    },
    /// `value[index]`
    Subscript {
        /// What has the item.
        value: Box<Expr>,
        /// A tuple where there are commas.
        index: Box<Expr>,
    },
    /// Only as (part of) the index of a subscript.
    Slice {
        /// `None` for the beginning.
        lower: Option<Box<Expr>>,
        /// `None` for the end.
        upper: Option<Box<Expr>>,
        /// `None` for 1.
        step: Option<Box<Expr>>,
    },
    /// `function(arguments)`
    Call(Box<Call>),
    /// `-operand` and its like
    Unary {
        /// Which operation.
        operator: UnaryOperator,
        /// What it is applied to.
        operand: Box<Expr>,
    },
    /// `left + right` and its like
    Binary {
        /// Which operation.
        operator: BinaryOperator,
        /// Evaluated first.
        left: Box<Expr>,
        /// Evaluated second.
        right: Box<Expr>,
    },
    /// `a and b and c`
    Boolean {
        /// The same between all values.
        operator: BooleanOperator,
        /// Two at least; those behind the first that decides are not evaluated.
        values: Vec<Expr>,
    },
    /// `left op0 rest[0] op1 rest[1] …`
    Compare {
        /// The first operand.
        left: Box<Expr>,
        /// Each operator with its right operand; one at least.
        rest: Vec<(CompareOperator, Expr)>,
    },
    /// `lambda parameters: value`
    Lambda(Arc<Function>),
    /// `body if test else orelse`
    Conditional {
        /// Evaluated first.
        test: Box<Expr>,
        /// The value where the test holds.
        body: Box<Expr>,
        /// The value where it does not.
        orelse: Box<Expr>,
    },
    /// `[a, b]`, also as a target
    List(Vec<Expr>),
    /// `(a, b)` or `a, b`, also as a target
    Tuple(Vec<Expr>),
    /// `{a, b}`; one item at least
    Set(Vec<Expr>),
    /// A `None` key is `**value`.
    Dict(Vec<(Option<Expr>, Expr)>),
    /// Shared, as a generator expression is evaluated later.
    Comprehension(Arc<Comprehension>),
    /// `*value` in a call, a display or a target
    Starred(Box<Expr>),
    /// `target := value`
    Named {
        /// The name that is bound.
        target: Name,
        /// The place of the name.
        target_range: Range,
        /// What the name is bound to, and the value of the whole.
        value: Box<Expr>,
    },
    /// `await value`
    Await(Box<Expr>),
    /// `yield value`
    Yield(Option<Box<Expr>>),
    /// `yield from iterable`
    YieldFrom(Box<Expr>),
    /// What the parser could not make sense of.
    Invalid,
}

/// A part of an f-string.
#[derive(Debug)]
pub enum FStringPart {
    /// Text between interpolations, with escapes and doubled braces read.
    Literal(Arc<str>),
    /// `conversion` is `r`, `s` or `a`.
    Interpolation {
        /// What is formatted.
        value: Expr,
        /// What stands behind `!`; `r` also for `{x=}`.
        conversion: Option<char>,
        /// What stands behind `:`.
        format: Option<FStringFormat>,
    },
}

/// What stands after `:` in an f-string.
#[derive(Debug)]
pub enum FStringFormat {
    /// Text without braces.
    Constant(Arc<str>),
    /// With interpolations of its own.
    Computed(Vec<FStringPart>),
}

/// A call.
#[derive(Debug)]
pub struct Call {
    /// What is called.
    pub function: Expr,
    /// In the order in which they are written.
    pub arguments: Vec<Argument>,
}

/// An argument of a call, or of a class's header.
#[derive(Debug)]
pub struct Argument {
    /// With the name or stars before it.
    pub range: Range,
    /// How it reaches a parameter.
    pub kind: ArgumentKind,
    /// What is given; without stars.
    pub value: Expr,
}

/// How an argument reaches a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgumentKind {
    /// `value`
    Positional,
    /// `name=value`
    Keyword(Name),
    /// `*value`
    Star,
    /// `**value`
    DoubleStar,
}

/// A list, set or dictionary comprehension, or a generator expression.
#[derive(Debug)]
pub struct Comprehension {
    /// What is made of the elements.
    pub kind: ComprehensionKind,
    /// The element, or the key of a dictionary comprehension.
    pub element: Expr,
    /// The value of a dictionary comprehension.
    pub value: Option<Expr>,
    /// The `for` clauses, the outermost first; one at least.
    pub generators: Vec<Generator>,
    /// Whether functions or generators are made in it, which keep its names.
    pub has_closures: bool,
}

/// What a comprehension makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComprehensionKind {
    /// `[… for …]`
    List,
    /// `{… for …}`
    Set,
    /// `{…: … for …}`
    Dict,
    /// `(… for …)`
    Generator,
}

/// A `for` clause of a comprehension, with the `if`s behind it.
#[derive(Debug)]
pub struct Generator {
    /// Assigned before each iteration.
    pub target: Expr,
    /// That of the first clause is evaluated outside of the comprehension.
    pub iterable: Expr,
    /// What must all hold for an element to be made.
    pub conditions: Vec<Expr>,
}

/// An operator before its operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOperator {
    /// `not`
    Not,
    /// `~`
    Invert,
    /// `+`
    Plus,
    /// `-`
    Minus,
}

/// An operator between two operands, both of which are evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOperator {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `@`
    MatrixMultiply,
    /// `/`
    Divide,
    /// `//`
    FloorDivide,
    /// `%`
    Modulo,
    /// `**`
    Power,
    /// `<<`
    LeftShift,
    /// `>>`
    RightShift,
    /// `|`
    BitOr,
    /// `^`
    BitXor,
    /// `&`
    BitAnd,
}

/// An operator that evaluates its right operand only where the left one does not decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BooleanOperator {
    /// `and`
    And,
    /// `or`
    Or,
}

/// A comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CompareOperator {
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
    /// `is`
    Is,
    /// `is not`
    IsNot,
    /// `in`
    In,
    /// `not in`
    NotIn,
}
