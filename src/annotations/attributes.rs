//! Annotated attributes: what an attribute of a new instance holds, written over the constructor's parameters.

use super::error::Mistake;
use super::parameters::{Literal, ParameterSpec, Scanner};
use super::signature::check_dimension;
use super::spec::ResultType;
use crate::key_languages::parse_result_type;

/// The value of an attribute.
#[derive(Clone, Debug, PartialEq)]
pub enum AttributeValue {
    /// The value of a constructor parameter.
    Parameter(Box<str>),
    /// A constructor parameter that is an integer or a sequence, as a tuple of so many integers: `repeat(kernel_size, 2)`.
    Repeated {
        /// The name of the constructor parameter.
        parameter: Box<str>,
        /// From 1 to 8.
        count: u8,
    },
    /// The same value in every instance.
    Literal(Literal),
    /// A tensor, by its shape.
    Tensor(TensorAttribute),
    /// An object made from a class of the library: `torch.nn.Linear(embed_dim, embed_dim)`.
    Instance {
        /// The qualified name.
        class: Box<str>,
        /// The arguments of its constructor, with their keywords.
        arguments: Vec<(Option<Box<str>>, AttributeValue)>,
    },
    /// Only the type is known.
    Opaque(ResultType),
    /// The value of a constructor parameter; where that is `None`, something of a type.
    Given {
        /// The name of the constructor parameter.
        parameter: Box<str>,
        /// What the library makes where nothing is given.
        otherwise: ResultType,
    },
}

/// A tensor that a new instance holds.
#[derive(Clone, Debug, PartialEq)]
pub struct TensorAttribute {
    /// What the module does with it.
    pub role: TensorRole,
    /// Its dimensions.
    pub shape: Vec<ShapePart>,
    /// The dtype's name; the default float dtype where there is none.
    pub dtype: Option<Box<str>>,
    /// The constructor parameter that must be true; the attribute is `None` where it is false.
    pub condition: Option<Box<str>>,
}

/// What a module does with a tensor that it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TensorRole {
    /// Learned: among `parameters()`.
    Parameter,
    /// Part of the state, not learned.
    Buffer,
    /// Neither learned nor part of the state.
    Plain,
}

/// A part of an attribute's shape.
#[derive(Clone, Debug, PartialEq)]
pub enum ShapePart {
    /// A dimension expression over constructor parameters, in the notation.
    Dimension(Box<str>),
    /// `*repeat(kernel_size, 2)`: an integer as so many equal dimensions, or a sequence of so many.
    Repeated {
        /// The name of the constructor parameter.
        parameter: Box<str>,
        /// From 1 to 8.
        count: u8,
    },
    /// `*normalized_shape`: the dimensions of a sequence, or the one integer.
    Spliced(Box<str>),
}

const DEEPEST_NESTING: usize = 8;

/// Parses an attribute's value.
pub fn parse_attribute(text: &str, parameters: &[ParameterSpec]) -> Result<AttributeValue, Mistake> {
    let mut scanner = Scanner::new(text);
    let value = attribute(&mut scanner, parameters, 0)?;
    if scanner.at_end() { Ok(value) } else { Err(scanner.unexpected("unexpected text after the value")) }
}

fn attribute(scanner: &mut Scanner<'_>, parameters: &[ParameterSpec], depth: usize) -> Result<AttributeValue, Mistake> {
    if depth > DEEPEST_NESTING {
        return Err(Mistake::new("the value is nested too deeply").at(scanner.offset()));
    }
    let offset = scanner.offset();
    for (word, role) in
        [("parameter", TensorRole::Parameter), ("buffer", TensorRole::Buffer), ("tensor", TensorRole::Plain)]
    {
        if scanner.eat_word(word) && scanner.peek() == Some('[') {
            return tensor(scanner, role, parameters).map(AttributeValue::Tensor);
        }
        scanner.rewind(offset);
    }
    if scanner.peek() == Some('[') {
        return tensor(scanner, TensorRole::Parameter, parameters).map(AttributeValue::Tensor);
    }
    // `type` alone is a parameter of that name.
    let is_type = scanner.eat_word("type") && !matches!(scanner.peek(), None | Some(',' | ')'));
    if is_type {
        return parse_result_type(scanner.take_rest())
            .map(AttributeValue::Opaque)
            .map_err(|mistake| mistake.at(offset));
    }
    scanner.rewind(offset);
    if scanner.eat_word("repeat") {
        let (parameter, count) = repeated(scanner, parameters)?;
        return Ok(AttributeValue::Repeated { parameter, count });
    }
    match scanner.literal(0)? {
        Literal::Name(name) if scanner.peek() == Some('(') => instance(scanner, name, parameters, depth),
        Literal::Name(name) => {
            let parameter = parameter_name(&name, parameters).map_err(|mistake| mistake.at(offset))?;
            if !scanner.eat_word("or") {
                return Ok(AttributeValue::Parameter(parameter));
            }
            let offset = scanner.offset();
            if !scanner.eat_word("type") {
                return Err(scanner.unexpected("expected `type` and what the library makes where nothing is given"));
            }
            let otherwise = parse_result_type(scanner.take_rest()).map_err(|mistake| mistake.at(offset))?;
            Ok(AttributeValue::Given { parameter, otherwise })
        }
        literal => Ok(AttributeValue::Literal(literal)),
    }
}

/// `torch.nn.Linear(embed_dim, bias=bias)`, after the name.
fn instance(
    scanner: &mut Scanner<'_>,
    class: Box<str>,
    parameters: &[ParameterSpec],
    depth: usize,
) -> Result<AttributeValue, Mistake> {
    scanner.eat("(");
    let mut arguments = Vec::new();
    while !scanner.eat(")") {
        let keyword = scanner.keyword().map(Into::into);
        arguments.push((keyword, attribute(scanner, parameters, depth + 1)?));
        if !scanner.eat(",") && scanner.peek() != Some(')') {
            return Err(scanner.unexpected("expected `,` or `)`"));
        }
    }
    Ok(AttributeValue::Instance { class, arguments })
}

fn tensor(
    scanner: &mut Scanner<'_>,
    role: TensorRole,
    parameters: &[ParameterSpec],
) -> Result<TensorAttribute, Mistake> {
    let start = scanner.offset();
    let bracketed = scanner.bracketed()?;
    let mut shape = Vec::new();
    for (offset, item) in split_at_commas(&bracketed[1..bracketed.len() - 1]) {
        shape.push(shape_part(item, parameters).map_err(|mistake| {
            let inner = mistake.offset;
            mistake.at(start + 1 + offset + inner)
        })?);
    }
    let mut attribute = TensorAttribute { role, shape, dtype: None, condition: None };
    if scanner.eat_word("if") {
        attribute.condition = Some(condition(scanner, parameters)?);
    } else if let Some(dtype) = scanner.identifier() {
        attribute.dtype = Some(crate::key_languages::dtype_name(dtype)?);
        if scanner.eat_word("if") {
            attribute.condition = Some(condition(scanner, parameters)?);
        }
    }
    Ok(attribute)
}

fn condition(scanner: &mut Scanner<'_>, parameters: &[ParameterSpec]) -> Result<Box<str>, Mistake> {
    let offset = scanner.offset();
    let name = scanner.identifier().ok_or_else(|| scanner.unexpected("expected a constructor parameter after `if`"))?;
    parameter_name(name, parameters).map_err(|mistake| mistake.at(offset))
}

fn shape_part(item: &str, parameters: &[ParameterSpec]) -> Result<ShapePart, Mistake> {
    let mut scanner = Scanner::new(item);
    if !scanner.eat("*") {
        check_dimension(item, parameters)?;
        return Ok(ShapePart::Dimension(item.into()));
    }
    if scanner.eat_word("repeat") {
        let (parameter, count) = repeated(&mut scanner, parameters)?;
        return Ok(ShapePart::Repeated { parameter, count });
    }
    let offset = scanner.offset();
    let name = scanner.identifier().ok_or_else(|| scanner.unexpected("expected a constructor parameter after `*`"))?;
    parameter_name(name, parameters).map(ShapePart::Spliced).map_err(|mistake| mistake.at(offset))
}

/// `(kernel_size, 2)`
fn repeated(scanner: &mut Scanner<'_>, parameters: &[ParameterSpec]) -> Result<(Box<str>, u8), Mistake> {
    let form = "write `repeat(parameter, count)`";
    if !scanner.eat("(") {
        return Err(scanner.unexpected("expected `(`").hint(form));
    }
    let offset = scanner.offset();
    let name = scanner.identifier().ok_or_else(|| scanner.unexpected("expected a constructor parameter").hint(form))?;
    let parameter = parameter_name(name, parameters).map_err(|mistake| mistake.at(offset))?;
    if !scanner.eat(",") {
        return Err(scanner.unexpected("expected `,`").hint(form));
    }
    let offset = scanner.offset();
    let Literal::Integer(count @ 1..=8) = scanner.literal(0)? else {
        return Err(Mistake::new("the count must be a number from 1 to 8").at(offset));
    };
    if !scanner.eat(")") {
        return Err(scanner.unexpected("expected `)`").hint(form));
    }
    Ok((parameter, u8::try_from(count).unwrap_or(1)))
}

fn parameter_name(name: &str, parameters: &[ParameterSpec]) -> Result<Box<str>, Mistake> {
    if parameters.iter().any(|parameter| &*parameter.name == name) {
        return Ok(name.into());
    }
    let known: Vec<&str> = parameters.iter().map(|parameter| &*parameter.name).collect();
    Err(Mistake::unknown("constructor parameter", name, &known))
}

/// The parts of a text between its top-level commas, with their offsets.
fn split_at_commas(text: &str) -> Vec<(usize, &str)> {
    let mut parts = Vec::new();
    let mut depth = 0usize;
    let mut start = 0;
    for (index, character) in text.char_indices() {
        match character {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push((start, &text[start..index]));
                start = index + 1;
            }
            _ => {}
        }
    }
    parts.push((start, &text[start..]));
    let trimmed = parts.into_iter().map(|(offset, part)| (offset + part.len() - part.trim_start().len(), part.trim()));
    trimmed.filter(|(_, part)| !part.is_empty()).collect()
}
