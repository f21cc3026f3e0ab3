//! The forms in which an annotated API may be called: what its real parser takes, as `input: tensor, dim: int, keepdim:
//! bool = ...`.
//!
//! An API with several has overloads; a call is right where it fits one of them.

use crate::error::Mistake;
use crate::parameters::{ParameterKind, Scanner};

/// What a parameter takes, as a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kinds(u16);

impl Kinds {
    /// A tensor.
    pub const TENSOR: Kinds = Kinds(1);
    /// A sequence of tensors.
    pub const TENSORS: Kinds = Kinds(1 << 1);
    /// An integer.
    pub const INTEGER: Kinds = Kinds(1 << 2);
    /// A sequence of integers.
    pub const INTEGERS: Kinds = Kinds(1 << 3);
    /// A number of any type.
    pub const NUMBER: Kinds = Kinds(1 << 4);
    /// `True` or `False`.
    pub const BOOL: Kinds = Kinds(1 << 5);
    /// A Python `str`.
    pub const TEXT: Kinds = Kinds(1 << 6);
    /// A dtype.
    pub const DTYPE: Kinds = Kinds(1 << 7);
    /// `None`.
    pub const NONE: Kinds = Kinds(1 << 8);

    /// The words of annotation files, with what a message says of them.
    const WORDS: [(&'static str, Kinds, &'static str); 9] = [
        ("tensor", Kinds::TENSOR, "a tensor"),
        ("tensors", Kinds::TENSORS, "a sequence of tensors"),
        ("int", Kinds::INTEGER, "an integer"),
        ("ints", Kinds::INTEGERS, "a sequence of integers"),
        ("number", Kinds::NUMBER, "a number"),
        ("bool", Kinds::BOOL, "a bool"),
        ("str", Kinds::TEXT, "a text"),
        ("dtype", Kinds::DTYPE, "a dtype"),
        ("none", Kinds::NONE, "`None`"),
    ];

    /// Whether any of `kinds` is in the set.
    pub fn has(self, kinds: Kinds) -> bool {
        self.0 & kinds.0 != 0
    }

    /// The union of both.
    #[must_use]
    pub const fn with(self, kinds: Kinds) -> Kinds {
        Kinds(self.0 | kinds.0)
    }

    /// `a tensor or a number`.
    pub fn describe(self) -> String {
        let words: Vec<&str> =
            Kinds::WORDS.iter().filter(|(_, kind, _)| self.has(*kind)).map(|(_, _, text)| *text).collect();
        words.join(" or ")
    }

    /// The first of the kinds, as a message says it: `a bool` of what is an integer and a number, too.
    pub fn describe_one(self) -> &'static str {
        let first = [Kinds::BOOL, Kinds::INTEGER].into_iter().find(|kind| self.has(*kind)).unwrap_or(self);
        let first = if self.has(Kinds::TENSOR) { Kinds::TENSOR } else { first };
        Kinds::WORDS.iter().find(|(_, kind, _)| first.has(*kind)).map_or("that", |(_, _, text)| text)
    }

    fn parse(word: &str) -> Option<Kinds> {
        Kinds::WORDS.iter().find(|(known, _, _)| *known == word).map(|(_, kind, _)| *kind)
    }
}

/// A parameter of a form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormParameter {
    /// As a caller may write it.
    pub name: Box<str>,
    /// How arguments reach it.
    pub kind: ParameterKind,
    /// Whether it has a default, so that a call may leave it out.
    pub is_optional: bool,
    /// What it takes; everything where that is not told.
    pub takes: Option<Kinds>,
}

/// One way to call an API.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallForm {
    /// In the order in which positional arguments fill them.
    pub parameters: Vec<FormParameter>,
}

/// The ways to call an API, and the other keywords that its parameters have: (`axis`, `dim`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallForms {
    /// A call is right where it fits one of them.
    pub forms: Vec<CallForm>,
    /// Other keywords, each with the parameter that it stands for.
    pub keywords: Vec<(Box<str>, Box<str>)>,
}

/// Reads a form: a Python parameter list whose parameters may have kinds, as `dim: int | ints`, and defaults, as `= ...`.
pub fn parse_form(text: &str) -> Result<CallForm, Mistake> {
    let mut scanner = Scanner::new(text);
    let mut parameters: Vec<FormParameter> = Vec::new();
    let mut kind = ParameterKind::PositionalOrKeyword;
    while !scanner.at_end() {
        let offset = scanner.offset();
        if scanner.eat("/") {
            for parameter in &mut parameters {
                parameter.kind = ParameterKind::PositionalOnly;
            }
        } else if scanner.eat("**") {
            parameters.push(parameter(&mut scanner, ParameterKind::VariadicKeyword)?);
        } else if scanner.eat("*") {
            kind = ParameterKind::KeywordOnly;
            if !matches!(scanner.peek(), None | Some(',')) {
                parameters.push(parameter(&mut scanner, ParameterKind::VariadicPositional)?);
            }
        } else {
            parameters.push(parameter(&mut scanner, kind)?);
        }
        let (last, earlier) = match parameters.split_last() {
            Some((last, earlier)) => (Some(last), earlier),
            None => (None, &[][..]),
        };
        if let Some(last) = last
            && earlier.iter().any(|known| known.name == last.name)
        {
            return Err(Mistake::new(format!("the parameter `{}` is given twice", last.name)).at(offset));
        }
        if !scanner.at_end() && !scanner.eat(",") {
            return Err(scanner.unexpected("expected `,` between parameters"));
        }
    }
    Ok(CallForm { parameters })
}

fn parameter(scanner: &mut Scanner<'_>, kind: ParameterKind) -> Result<FormParameter, Mistake> {
    let name = scanner.identifier().ok_or_else(|| scanner.unexpected("expected the name of a parameter"))?;
    let mut takes: Option<Kinds> = None;
    if scanner.eat(":") {
        loop {
            let offset = scanner.offset();
            let word = scanner.identifier().ok_or_else(|| scanner.unexpected("expected what the parameter takes"))?;
            let known: Vec<&str> = Kinds::WORDS.iter().map(|(word, _, _)| *word).collect();
            let one = Kinds::parse(word).ok_or_else(|| Mistake::unknown("kind", word, &known).at(offset))?;
            takes = Some(takes.map_or(one, |takes| takes.with(one)));
            if !scanner.eat("|") {
                break;
            }
        }
    }
    let is_optional = scanner.eat("=");
    if is_optional {
        scanner.literal(0)?;
    }
    Ok(FormParameter { name: name.into(), kind, is_optional, takes })
}
