//! Harp's own syntax tree of a Python module: what the interpreter executes.
//!
//! It is smaller than a parser's tree (one kind of function, comprehensions of one form, no parentheses) and does not depend on
//! the parser chosen. Every node carries the bytes it came from.

mod expressions;

use std::sync::Arc;

use crate::harp_comments::Remark;
use crate::name::Name;
use harp_corpus::{FileId, Span};

pub use expressions::{
    Argument, ArgumentKind, BinaryOperator, BooleanOperator, Call, CompareOperator, Comprehension, ComprehensionKind,
    Expr, ExprKind, FStringFormat, FStringPart, Generator, UnaryOperator,
};

/// A range of bytes of the module's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Range {
    /// The first byte.
    pub start: u32,
    /// The byte behind the last.
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
    /// The file it was read from.
    pub file: FileId,
    /// The dotted name under which other files import it, such as `models.unet`.
    pub name: Name,
    /// Whether the file is an `__init__.py`, so that relative imports start at `name` itself.
    pub is_package: bool,
    /// The statements of the top level.
    pub body: Vec<Stmt>,
    /// Whether the file has an `if __name__ == "__main__":` at its top level.
    pub has_main_guard: bool,
    /// Comments that speak to Harp, in the order of the text.
    pub remarks: Vec<Remark>,
    /// Where it is read as Python 2.
    pub python_2: Option<Python2>,
}

impl Module {
    /// A file without statements.
    pub(crate) fn empty(file: FileId, name: Name, is_package: bool) -> Module {
        Module { file, name, is_package, body: Vec::new(), has_main_guard: false, remarks: Vec::new(), python_2: None }
    }
}

/// How a file of Python 2 is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Python2 {
    /// The statement in it that only Python 2 has; `None` where it is read so since such a file imports it.
    pub statement: Option<&'static str>,
    /// Whether `/` between whole numbers gives a whole number: it does unless the file imports `division` from `__future__`.
    pub divides_whole: bool,
}

/// A statement.
#[derive(Debug)]
pub struct Stmt {
    /// From its first decorator or word to the end of its last block.
    pub range: Range,
    /// Which statement, with its parts.
    pub kind: StmtKind,
}

/// The kinds of statements, named as in Python's own `ast`.
#[derive(Debug)]
pub enum StmtKind {
    /// An expression whose value is dropped.
    Expr(Expr),
    /// `a = b = value`, and `type a = value`
    Assign {
        /// From left to right, as Python assigns them; one at least.
        targets: Vec<Expr>,
        /// Evaluated once, before the targets.
        value: Expr,
    },
    /// `target: annotation = value`
    AnnotatedAssign {
        /// A name, an attribute or a subscript.
        target: Expr,
        /// Also where it is a text, which is not parsed here.
        annotation: Expr,
        /// `None` for a declaration alone.
        value: Option<Expr>,
    },
    /// `target += value`
    AugmentedAssign {
        /// A name, an attribute or a subscript.
        target: Expr,
        /// The operator before the `=`.
        operator: BinaryOperator,
        /// The right operand.
        value: Expr,
    },
    /// `return`, with what is returned.
    Return(Option<Expr>),
    /// `raise exception from cause`
    Raise {
        /// `None` raises the exception anew that is being handled.
        exception: Option<Expr>,
        /// What stands behind `from`.
        cause: Option<Expr>,
    },
    /// `assert test, message`
    Assert {
        /// What must hold.
        test: Expr,
        /// Evaluated only where the test fails.
        message: Option<Expr>,
    },
    /// `elif` is an `If` alone in `orelse`.
    If {
        /// What decides.
        test: Expr,
        /// Where it is true.
        body: Vec<Stmt>,
        /// Where it is not; empty without `else`.
        orelse: Vec<Stmt>,
    },
    /// `while test:`
    While {
        /// Evaluated before each iteration.
        test: Expr,
        /// Executed in each iteration.
        body: Vec<Stmt>,
        /// `else`: executed where the loop ends without `break`.
        orelse: Vec<Stmt>,
    },
    /// `for target in iterable:`, also `async for`
    For {
        /// Assigned before each iteration.
        target: Expr,
        /// Evaluated once.
        iterable: Expr,
        /// Executed in each iteration.
        body: Vec<Stmt>,
        /// `else`: executed where the loop ends without `break`.
        orelse: Vec<Stmt>,
    },
    /// Shared, as the context managers of the program run the body in the midst of their own.
    With {
        /// The context managers, the outermost first.
        items: Arc<[WithItem]>,
        /// What is executed within them.
        body: Arc<[Stmt]>,
    },
    /// `try:`
    Try {
        /// What may fail.
        body: Vec<Stmt>,
        /// The first that fits takes the exception.
        handlers: Vec<Handler>,
        /// `else`: executed where the body ends by itself: without an exception, `return`, `break` or `continue`.
        orelse: Vec<Stmt>,
        /// Executed on every way out.
        finally: Vec<Stmt>,
    },
    /// `match subject:`
    Match {
        /// Evaluated once.
        subject: Expr,
        /// The first that fits is executed.
        cases: Vec<Case>,
    },
    /// `def`, also `async def`
    Function(Arc<Function>),
    /// `class`
    Class(Arc<Class>),
    /// `import a, b.c as d`
    Import(Vec<ImportedModule>),
    /// `from a import b`
    ImportFrom(ImportFrom),
    /// `global a, b`
    Global(Vec<Name>),
    /// `nonlocal a, b`
    Nonlocal(Vec<Name>),
    /// `del a, b[0]`
    Delete(Vec<Expr>),
    /// `pass`
    Pass,
    /// `break`
    Break,
    /// `continue`
    Continue,
    /// A statement that the parser could not make sense of, or that this tree has no node for; `what` names it.
    Unsupported {
        /// For messages, such as "an IPython command".
        what: &'static str,
    },
}

/// One of the context managers of a `with`.
#[derive(Debug)]
pub struct WithItem {
    /// The expression that gives the manager.
    pub context: Expr,
    /// What `__enter__` returns is assigned to it.
    pub target: Option<Expr>,
}

/// An `except` clause.
#[derive(Debug)]
pub struct Handler {
    /// `except*`: it takes those of a group that are of its class.
    pub takes_part: bool,
    /// The whole clause.
    pub range: Range,
    /// A class or a tuple of classes; `None` takes everything.
    pub exception: Option<Expr>,
    /// The name that holds the exception in the body, and is unbound after it.
    pub name: Option<Name>,
    /// What is executed for an exception that fits.
    pub body: Vec<Stmt>,
}

/// A `case` clause.
#[derive(Debug)]
pub struct Case {
    /// The whole clause.
    pub range: Range,
    /// What the subject must look like.
    pub pattern: Pattern,
    /// What must hold besides, with the names that the pattern bound.
    pub guard: Option<Expr>,
    /// What is executed for a subject that fits.
    pub body: Vec<Stmt>,
}

/// What a `case` asks for.
#[derive(Debug)]
pub enum Pattern {
    /// `_` or a bare name, which matches anything.
    Capture(Option<Name>),
    /// A literal or dotted name, compared with `==`.
    Value(Expr),
    /// `None`, `True` or `False`, compared with `is`.
    Singleton(Expr),
    /// `[a, b]` or `a, b`: a sequence of items that fit; at most one pattern is a star.
    Sequence(Vec<Pattern>),
    /// `*name` within a sequence; without a name for `*_`.
    Star(Option<Name>),
    /// `{"key": pattern, **rest}`: a mapping that has the keys.
    Mapping {
        /// Keys with what their values must look like.
        entries: Vec<(Expr, Pattern)>,
        /// The name for the entries that were not asked for.
        rest: Option<Name>,
    },
    /// `Class(a, key=b)`: an instance whose attributes fit.
    Class {
        /// What the subject must be an instance of.
        class: Expr,
        /// For the attributes that the class lists in `__match_args__`.
        positional: Vec<Pattern>,
        /// For attributes by name.
        keywords: Vec<(Name, Pattern)>,
    },
    /// `a | b`: the first that fits.
    Or(Vec<Pattern>),
    /// `pattern as name`
    As {
        /// What the subject must look like.
        pattern: Box<Pattern>,
        /// What the subject is bound to.
        name: Name,
    },
}

/// `import a.b as c`: `module` is `a.b`, `alias` is `c`.
#[derive(Debug)]
pub struct ImportedModule {
    /// The module with its alias.
    pub range: Range,
    /// The dotted name.
    pub module: Name,
    /// The name that is bound; without it, the first part of the dotted name is.
    pub alias: Option<Name>,
}

/// `from ..a import b as c, d` or `from a import *`.
#[derive(Debug)]
pub struct ImportFrom {
    /// Without the dots; `None` for `from . import b`.
    pub module: Option<Name>,
    /// The number of leading dots.
    pub level: u32,
    /// Empty for `import *`.
    pub names: Vec<ImportedName>,
    /// `import *`
    pub is_star: bool,
}

/// A name that is imported from a module.
#[derive(Debug)]
pub struct ImportedName {
    /// The name with its alias.
    pub range: Range,
    /// As the module calls it.
    pub name: Name,
    /// The name that is bound; without it, `name` is.
    pub alias: Option<Name>,
}

/// A `def`, an `async def` or a `lambda` (whose body is one `Return`).
#[derive(Debug)]
pub struct Function {
    /// The file in which it stands.
    pub file: FileId,
    /// `<lambda>` for a lambda.
    pub name: Name,
    /// Dotted within the module: `Net.forward`, `outer.<locals>.inner`.
    pub qualified_name: Name,
    /// From `def` (or the first decorator) to the end of the body.
    pub range: Range,
    /// The name in the header; of a lambda, the word `lambda`.
    pub name_range: Range,
    /// The names between the brackets of `def f[T, *Ts, **P]`, which are known in the function and in its annotations.
    pub type_parameters: Vec<Name>,
    /// In the order in which they are written; a broken header has `*` and `**`, for whatever it takes.
    pub parameters: Vec<Parameter>,
    /// Of a lambda, one `Return`.
    pub body: Vec<Stmt>,
    /// As written: the last is applied first.
    pub decorators: Vec<Expr>,
    /// The annotation behind `->`.
    pub returns: Option<Expr>,
    /// Whether it is an `async def`.
    pub is_async: bool,
    /// Whether its body has a `yield`, so that a call makes a generator.
    pub is_generator: bool,
    /// Whether it is a lambda.
    pub is_lambda: bool,
    /// Names bound in the body or as parameters, and not declared `global` or `nonlocal`; sorted, without duplicates.
    pub locals: Vec<Name>,
    /// Names declared `global`; sorted, without duplicates.
    pub globals: Vec<Name>,
    /// Names declared `nonlocal`; sorted, without duplicates.
    pub nonlocals: Vec<Name>,
}

impl Function {
    /// Whether a name is one of `locals`: other names are looked up in the scopes around the function.
    pub fn is_local(&self, name: Name) -> bool {
        self.locals.binary_search(&name).is_ok()
    }
}

/// A parameter of a function.
#[derive(Debug)]
pub struct Parameter {
    /// The name with annotation and default.
    pub range: Range,
    /// Without stars.
    pub name: Name,
    /// How arguments reach it.
    pub kind: ParameterKind,
    /// Evaluated once, when the function is defined.
    pub default: Option<Expr>,
    /// What stands behind `:`.
    pub annotation: Option<Expr>,
}

/// How arguments reach a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    /// By position alone: it stands before `/`.
    PositionalOnly,
    /// By position or by name.
    Normal,
    /// `*args`
    Variadic,
    /// By name alone: it stands behind `*` or `*args`.
    KeywordOnly,
    /// `**kwargs`
    VariadicKeyword,
}

/// A `class`.
#[derive(Debug)]
pub struct Class {
    /// The file in which it stands.
    pub file: FileId,
    /// Its own name, without those around it.
    pub name: Name,
    /// Dotted within the module.
    pub qualified_name: Name,
    /// From `class` (or the first decorator) to the end of the body.
    pub range: Range,
    /// The name in the header.
    pub name_range: Range,
    /// The names between the brackets of `class C[T]`, which are known in the class and in its bases.
    pub type_parameters: Vec<Name>,
    /// Base classes and keywords such as `metaclass=…`.
    pub arguments: Vec<Argument>,
    /// As written: the last is applied first.
    pub decorators: Vec<Expr>,
    /// Executed once, when the class is defined; the names that it binds become members.
    pub body: Vec<Stmt>,
    /// Names that the body declares `global`, which become no members; sorted, without duplicates.
    pub globals: Vec<Name>,
}
