//! Harp's own syntax tree of a Python module: what the interpreter executes.
//!
//! It is smaller than a parser's tree (one kind of function, comprehensions of one form, no parentheses) and does not depend on
//! the parser chosen. Every node carries the bytes it came from.

use std::sync::Arc;

use crate::harp_comments::Remark;
use crate::name::Name;
use harp_corpus::{FileId, Span};

/// A range of bytes of the module's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Range {
    pub start: u32,
    pub end: u32,
}

impl Range {
    /// The same bytes as a place in the corpus.
    pub fn in_file(self, file: FileId) -> Span {
        Span::new(file, self.start, self.end)
    }
}

/// One Python file, lowered.
#[derive(Debug)]
pub struct Module {
    pub file: FileId,
    /// The dotted name under which other files import it, such as `models.unet`.
    pub name: Name,
    /// Whether the file is an `__init__.py`, so that relative imports start at `name` itself.
    pub is_package: bool,
    pub body: Vec<Stmt>,
    /// Whether the file has an `if __name__ == "__main__":` at its top level.
    pub has_main_guard: bool,
    /// Comments that speak to Harp, in the order of the text.
    pub remarks: Vec<Remark>,
}

#[derive(Debug)]
pub struct Stmt {
    pub range: Range,
    pub kind: StmtKind,
}

#[derive(Debug)]
pub enum StmtKind {
    Expr(Expr),
    Assign {
        targets: Vec<Expr>,
        value: Expr,
    },
    AnnotatedAssign {
        target: Expr,
        annotation: Expr,
        value: Option<Expr>,
    },
    AugmentedAssign {
        target: Expr,
        operator: BinaryOperator,
        value: Expr,
    },
    Return(Option<Expr>),
    Raise {
        exception: Option<Expr>,
        cause: Option<Expr>,
    },
    Assert {
        test: Expr,
        message: Option<Expr>,
    },
    /// `elif` is an `If` alone in `orelse`.
    If {
        test: Expr,
        body: Vec<Stmt>,
        orelse: Vec<Stmt>,
    },
    While {
        test: Expr,
        body: Vec<Stmt>,
        orelse: Vec<Stmt>,
    },
    For {
        target: Expr,
        iterable: Expr,
        body: Vec<Stmt>,
        orelse: Vec<Stmt>,
    },
    /// Shared, as the context managers of the program run the body in the midst of their own.
    With {
        items: Arc<[WithItem]>,
        body: Arc<[Stmt]>,
    },
    Try {
        body: Vec<Stmt>,
        handlers: Vec<Handler>,
        orelse: Vec<Stmt>,
        finally: Vec<Stmt>,
    },
    Match {
        subject: Expr,
        cases: Vec<Case>,
    },
    Function(Arc<Function>),
    Class(Arc<Class>),
    Import(Vec<ImportedModule>),
    ImportFrom(ImportFrom),
    Global(Vec<Name>),
    Nonlocal(Vec<Name>),
    Delete(Vec<Expr>),
    Pass,
    Break,
    Continue,
    /// A statement that the parser could not make sense of, or that this tree has no node for; `what` names it.
    Unsupported {
        what: &'static str,
    },
}

#[derive(Debug)]
pub struct WithItem {
    pub context: Expr,
    pub target: Option<Expr>,
}

#[derive(Debug)]
pub struct Handler {
    /// `except*`: it takes those of a group that are of its class.
    pub takes_part: bool,
    pub range: Range,
    pub exception: Option<Expr>,
    pub name: Option<Name>,
    pub body: Vec<Stmt>,
}

#[derive(Debug)]
pub struct Case {
    pub range: Range,
    pub pattern: Pattern,
    pub guard: Option<Expr>,
    pub body: Vec<Stmt>,
}

#[derive(Debug)]
pub enum Pattern {
    /// `_` or a bare name, which matches anything.
    Capture(Option<Name>),
    /// A literal or dotted name, compared with `==`.
    Value(Expr),
    /// `None`, `True` or `False`, compared with `is`.
    Singleton(Expr),
    Sequence(Vec<Pattern>),
    Star(Option<Name>),
    Mapping {
        entries: Vec<(Expr, Pattern)>,
        rest: Option<Name>,
    },
    Class {
        class: Expr,
        positional: Vec<Pattern>,
        keywords: Vec<(Name, Pattern)>,
    },
    Or(Vec<Pattern>),
    As {
        pattern: Box<Pattern>,
        name: Name,
    },
}

/// `import a.b as c`: `module` is `a.b`, `alias` is `c`.
#[derive(Debug)]
pub struct ImportedModule {
    pub range: Range,
    pub module: Name,
    pub alias: Option<Name>,
}

/// `from ..a import b as c, d` or `from a import *`.
#[derive(Debug)]
pub struct ImportFrom {
    pub module: Option<Name>,
    /// The number of leading dots.
    pub level: u32,
    /// Empty for `import *`.
    pub names: Vec<ImportedName>,
    pub is_star: bool,
}

#[derive(Debug)]
pub struct ImportedName {
    pub range: Range,
    pub name: Name,
    pub alias: Option<Name>,
}

/// A `def`, an `async def` or a `lambda` (whose body is one `Return`).
#[derive(Debug)]
pub struct Function {
    pub file: FileId,
    /// `<lambda>` for a lambda.
    pub name: Name,
    /// Dotted within the module: `Net.forward`, `outer.<locals>.inner`.
    pub qualified_name: Name,
    /// From `def` (or the first decorator) to the end of the body.
    pub range: Range,
    pub name_range: Range,
    pub parameters: Vec<Parameter>,
    pub body: Vec<Stmt>,
    pub decorators: Vec<Expr>,
    pub returns: Option<Expr>,
    pub is_async: bool,
    pub is_generator: bool,
    pub is_lambda: bool,
    /// Names bound in the body or as parameters, and not declared `global` or `nonlocal`; sorted, without duplicates.
    pub locals: Vec<Name>,
    pub globals: Vec<Name>,
    pub nonlocals: Vec<Name>,
}

impl Function {
    pub fn is_local(&self, name: Name) -> bool {
        self.locals.binary_search(&name).is_ok()
    }
}

#[derive(Debug)]
pub struct Parameter {
    pub range: Range,
    pub name: Name,
    pub kind: ParameterKind,
    pub default: Option<Expr>,
    pub annotation: Option<Expr>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    PositionalOnly,
    Normal,
    /// `*args`
    Variadic,
    KeywordOnly,
    /// `**kwargs`
    VariadicKeyword,
}

#[derive(Debug)]
pub struct Class {
    pub file: FileId,
    pub name: Name,
    /// Dotted within the module.
    pub qualified_name: Name,
    pub range: Range,
    pub name_range: Range,
    /// Base classes and keywords such as `metaclass=…`.
    pub arguments: Vec<Argument>,
    pub decorators: Vec<Expr>,
    pub body: Vec<Stmt>,
}

#[derive(Debug)]
pub struct Expr {
    pub range: Range,
    pub kind: ExprKind,
}

#[derive(Debug)]
pub enum ExprKind {
    Name(Name),
    None,
    Bool(bool),
    Int(i64),
    /// An integer literal beyond 64 bits.
    BigInt,
    Float(f64),
    Complex,
    Str(Arc<str>),
    Bytes(Arc<[u8]>),
    /// An f-string; a plain part is a `Str` expression.
    FString(Vec<FStringPart>),
    Ellipsis,
    Attribute {
        value: Box<Expr>,
        attribute: Name,
        attribute_range: Range,
    },
    Subscript {
        value: Box<Expr>,
        index: Box<Expr>,
    },
    /// Only as (part of) the index of a subscript.
    Slice {
        lower: Option<Box<Expr>>,
        upper: Option<Box<Expr>>,
        step: Option<Box<Expr>>,
    },
    Call(Box<Call>),
    Unary {
        operator: UnaryOperator,
        operand: Box<Expr>,
    },
    Binary {
        operator: BinaryOperator,
        left: Box<Expr>,
        right: Box<Expr>,
    },
    Boolean {
        operator: BooleanOperator,
        values: Vec<Expr>,
    },
    /// `left op0 rest[0] op1 rest[1] …`
    Compare {
        left: Box<Expr>,
        rest: Vec<(CompareOperator, Expr)>,
    },
    Lambda(Arc<Function>),
    Conditional {
        test: Box<Expr>,
        body: Box<Expr>,
        orelse: Box<Expr>,
    },
    List(Vec<Expr>),
    Tuple(Vec<Expr>),
    Set(Vec<Expr>),
    /// A `None` key is `**value`.
    Dict(Vec<(Option<Expr>, Expr)>),
    /// Shared, as a generator expression is evaluated later.
    Comprehension(Arc<Comprehension>),
    Starred(Box<Expr>),
    Named {
        target: Name,
        target_range: Range,
        value: Box<Expr>,
    },
    Await(Box<Expr>),
    Yield(Option<Box<Expr>>),
    YieldFrom(Box<Expr>),
    /// What the parser could not make sense of.
    Invalid,
}

#[derive(Debug)]
pub enum FStringPart {
    Literal(Arc<str>),
    /// `conversion` is `r`, `s` or `a`.
    Interpolation {
        value: Expr,
        conversion: Option<char>,
        format: Option<FStringFormat>,
    },
}

/// What stands after `:` in an f-string.
#[derive(Debug)]
pub enum FStringFormat {
    Constant(Arc<str>),
    /// With interpolations of its own.
    Computed(Vec<FStringPart>),
}

#[derive(Debug)]
pub struct Call {
    pub function: Expr,
    pub arguments: Vec<Argument>,
}

#[derive(Debug)]
pub struct Argument {
    pub range: Range,
    pub kind: ArgumentKind,
    pub value: Expr,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgumentKind {
    Positional,
    Keyword(Name),
    /// `*value`
    Star,
    /// `**value`
    DoubleStar,
}

#[derive(Debug)]
pub struct Comprehension {
    pub kind: ComprehensionKind,
    /// The element, or the key of a dictionary comprehension.
    pub element: Expr,
    /// The value of a dictionary comprehension.
    pub value: Option<Expr>,
    pub generators: Vec<Generator>,
    /// Whether functions or generators are made in it, which keep its names.
    pub has_closures: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComprehensionKind {
    List,
    Set,
    Dict,
    Generator,
}

#[derive(Debug)]
pub struct Generator {
    pub target: Expr,
    pub iterable: Expr,
    pub conditions: Vec<Expr>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOperator {
    Not,
    Invert,
    Plus,
    Minus,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOperator {
    Add,
    Subtract,
    Multiply,
    MatrixMultiply,
    Divide,
    FloorDivide,
    Modulo,
    Power,
    LeftShift,
    RightShift,
    BitOr,
    BitXor,
    BitAnd,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BooleanOperator {
    And,
    Or,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CompareOperator {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Is,
    IsNot,
    In,
    NotIn,
}
