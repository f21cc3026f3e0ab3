//! Shape signatures of annotations: `(input: s@[k], weight: [m, k]) -> s@[m]`.
//!
//! This file splits a signature into the parameters' patterns and checks its names; the patterns themselves are the
//! shape notation.

use super::error::Mistake;
use super::parameters::{ParameterSpec, Scanner};

/// A shape signature whose inputs are named by parameters.
#[derive(Debug)]
pub struct Signature {
    pub text: Box<str>,
    /// Parameter and pattern of each input. A parameter that is not named here is not looked at.
    pub inputs: Vec<(Box<str>, Box<str>)>,
    pub output: Box<str>,
}

/// Words of the notation that are not variables.
const NOTATION_FUNCTIONS: [&str; 7] = ["broadcast", "rank", "prod", "min", "max", "ceil_div", "_"];

/// Parses a signature of an API with these parameters; `known` are those whose values its dimensions may mention, which for a
/// class's call includes the constructor's.
pub fn parse_signature(
    text: &str,
    parameters: &[ParameterSpec],
    known: &[ParameterSpec],
) -> Result<Signature, Mistake> {
    let Some(arrow) = text.rfind("->") else {
        return Err(Mistake::new("a signature needs `->` before its result").at(text.len()));
    };
    let left = text[..arrow].trim_end();
    let mut scanner = Scanner::new(left);
    let begin = scanner.offset();
    if scanner.peek() != Some('(') {
        return Err(scanner.unexpected("a signature begins with `(`"));
    }
    let bracketed = scanner.bracketed()?;
    if !scanner.at_end() {
        return Err(scanner.unexpected("expected `->`"));
    }
    let mut inputs = Vec::new();
    for (offset, item) in split_at_commas(&bracketed[1..bracketed.len() - 1]) {
        let offset = begin + 1 + offset;
        let Some((name, pattern)) = item.split_once(':') else {
            return Err(Mistake::new(format!("`{}` needs the name of its parameter", item.trim()))
                .at(offset)
                .hint("write `(input: [n, k]) -> [n]`, with each parameter's name before its shape"));
        };
        let name = name.trim();
        if !parameters.iter().any(|parameter| &*parameter.name == name) {
            let known: Vec<&str> = parameters.iter().map(|parameter| &*parameter.name).collect();
            return Err(Mistake::unknown("parameter", name, &known).at(offset));
        }
        inputs.push((name.into(), pattern.trim().into()));
    }
    let output_offset = arrow + 2 + (text[arrow + 2..].len() - text[arrow + 2..].trim_start().len());
    let output = text[output_offset..].trim_end();
    if output.is_empty() {
        return Err(Mistake::new("the signature has no result after `->`").at(arrow));
    }
    let signature = Signature { text: text.into(), inputs, output: output.into() };
    check_variables(&signature, output_offset, known)?;
    Ok(signature)
}

/// Every variable of the result must come from an input, or be a parameter.
fn check_variables(signature: &Signature, output_offset: usize, parameters: &[ParameterSpec]) -> Result<(), Mistake> {
    let mut bound: Vec<&str> = parameters.iter().map(|parameter| &*parameter.name).collect();
    for (_, pattern) in &signature.inputs {
        bound.extend(words(pattern).map(|(_, word)| word));
    }
    for (offset, word) in words(&signature.output) {
        if !bound.contains(&word) && !NOTATION_FUNCTIONS.contains(&word) {
            return Err(Mistake::new(format!(
                "`{word}` is not bound: no input's shape and no parameter has this name"
            ))
            .at(output_offset + offset)
            .hint("every variable of a result must occur in an input's shape or be the name of a parameter"));
        }
    }
    Ok(())
}

/// The identifiers of a text with their offsets.
pub fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_word = |character: char| character.is_alphanumeric() || character == '_';
    let mut rest = 0;
    std::iter::from_fn(move || {
        loop {
            let start = rest + text[rest..].find(is_word)?;
            let end = text[start..].find(|character| !is_word(character)).map_or(text.len(), |length| start + length);
            rest = end;
            if !text[start..].starts_with(|character: char| character.is_ascii_digit()) {
                return Some((start, &text[start..end]));
            }
        }
    })
}

/// The parts of a text between its top-level commas, with their offsets.
pub fn split_at_commas(text: &str) -> Vec<(usize, &str)> {
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
    parts
        .into_iter()
        .filter(|(_, part)| !part.trim().is_empty())
        .map(|(offset, part)| (offset + part.len() - part.trim_start().len(), part.trim()))
        .collect()
}
