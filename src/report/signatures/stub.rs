//! Inferred signatures as Python stubs.

use std::collections::BTreeMap;
use std::io::{self, Write};

use crate::terminal_escape::{line, name};
use harp_corpus::FileId;
use harp_python::ir::ParameterKind;
use harp_shape::DType;
use harp_trace::inferred_signature::{
    InferredFunction, InferredParameter, Pattern, Receiver, ShapePart, TensorPattern,
};

use super::{Names, Signatures, one_line, shown_name};

/// How a stub says shapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// `def f(x: Tensor) -> Tensor: ...` under a comment with the signature
    Comments,
    /// `def f(x: Shaped[Tensor, "*s k"]) -> Shaped[Tensor, "*s"]: ...`
    Jaxtyping,
}

/// Writes a stub for each file, one after the other.
pub fn render(signatures: &Signatures<'_>, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let mut files: BTreeMap<FileId, Vec<&InferredFunction>> = BTreeMap::new();
    for function in signatures.shown() {
        files.entry(function.span.file).or_default().push(function);
    }
    for (index, (file, functions)) in files.into_iter().enumerate() {
        if index > 0 {
            writeln!(out, "\n")?;
        }
        writeln!(out, "# {}", name(signatures.sources.name(file)))?;
        writeln!(out, "from typing import Any\n")?;
        let mut body = Vec::new();
        definitions(&functions, style, &mut body)?;
        if style == Style::Jaxtyping {
            let text = String::from_utf8_lossy(&body);
            let used: Vec<&str> = KINDS.into_iter().filter(|kind| text.contains(&format!("{kind}[Tensor, "))).collect();
            if !used.is_empty() {
                writeln!(out, "from jaxtyping import {}", used.join(", "))?;
            }
        }
        writeln!(out, "from torch import Tensor")?;
        out.write_all(&body)?;
    }
    Ok(())
}

/// Functions at the top, and methods under their classes.
fn definitions(functions: &[&InferredFunction], style: Style, out: &mut dyn Write) -> io::Result<()> {
    let mut class = "";
    for function in functions {
        let (owner, name) = function.qualified_name.rsplit_once('.').unwrap_or(("", &function.qualified_name));
        if owner != class {
            class = owner;
            if !owner.is_empty() {
                writeln!(out, "\n\nclass {}:", line(owner).replace('.', "_"))?;
            }
        } else if owner.is_empty() {
            writeln!(out)?;
        }
        let indent = if owner.is_empty() { "" } else { "    " };
        if owner.is_empty() {
            writeln!(out)?;
        }
        for alternative in &function.alternatives {
            writeln!(out, "{indent}# {}", line(&one_line(function, alternative, Names::Shown)))?;
        }
        for problem in &function.problems {
            writeln!(out, "{indent}# perhaps not all: {}", line(&problem.text))?;
        }
        if function.receiver == Receiver::Static {
            writeln!(out, "{indent}@staticmethod")?;
        }
        if function.receiver == Receiver::Class {
            writeln!(out, "{indent}@classmethod")?;
        }
        writeln!(out, "{indent}{}", definition(function, name, style))?;
    }
    Ok(())
}

fn definition(function: &InferredFunction, name: &str, style: Style) -> String {
    let mut parts: Vec<String> = match function.receiver {
        Receiver::Instance => vec!["self".to_owned()],
        Receiver::Class => vec!["cls".to_owned()],
        Receiver::Static | Receiver::None => Vec::new(),
    };
    let mut after_star = false;
    let mut positional_only = false;
    for (index, parameter) in function.parameters.iter().enumerate() {
        if positional_only && parameter.kind != ParameterKind::PositionalOnly {
            parts.push("/".to_owned());
        }
        positional_only = parameter.kind == ParameterKind::PositionalOnly;
        if parameter.kind == ParameterKind::KeywordOnly && !after_star {
            parts.push("*".to_owned());
            after_star = true;
        }
        after_star |= parameter.kind == ParameterKind::Variadic;
        let patterns = function.alternatives.iter().filter_map(|it| it.parameters.get(index));
        parts.push(parameter_text(parameter, &common(patterns.collect(), style)));
    }
    if positional_only {
        parts.push("/".to_owned());
    }
    let results = function.alternatives.iter().filter(|it| it.clash.is_none()).map(|it| &it.result);
    format!("def {name}({}) -> {}: ...", parts.join(", "), common(results.collect(), style))
}

fn parameter_text(parameter: &InferredParameter, annotation: &str) -> String {
    let star = match parameter.kind {
        ParameterKind::Variadic => "*",
        ParameterKind::VariadicKeyword => "**",
        _ => "",
    };
    if !star.is_empty() {
        return format!("{star}{}", shown_name(parameter));
    }
    let default = if parameter.has_default { " = ..." } else { "" };
    let optional = if parameter.has_default && annotation.contains("Tensor") && !annotation.contains("None") {
        " | None"
    } else {
        ""
    };
    format!("{}: {annotation}{optional}{default}", parameter.name)
}

/// One annotation for what a parameter or result is in the cases of a signature.
fn common(patterns: Vec<&Pattern>, style: Style) -> String {
    let mut texts: Vec<String> = patterns.iter().map(|pattern| annotation(pattern, style)).collect();
    texts.dedup();
    if texts.len() > 1 {
        // Shapes that differ from case to case are in the comments.
        texts = patterns.iter().map(|pattern| annotation(pattern, Style::Comments)).collect();
        texts.sort();
        texts.dedup();
    }
    if let Some(tensor) = texts.iter().position(|text| text == "Tensor")
        && texts.iter().all(|text| text == "Tensor" || text == "None")
    {
        return if texts.len() > 1 { "Tensor | None".to_owned() } else { texts.swap_remove(tensor) };
    }
    if texts.len() == 1 { texts.swap_remove(0) } else { "Any".to_owned() }
}

fn annotation(pattern: &Pattern, style: Style) -> String {
    match pattern {
        Pattern::Tensor(_) if style == Style::Comments => "Tensor".to_owned(),
        Pattern::Tensor(tensor) => format!("{}[Tensor, \"{}\"]", kind(tensor.dtype), words(tensor)),
        Pattern::Integer(_) => "int".to_owned(),
        Pattern::Tuple(items) if items.is_empty() => "tuple[()]".to_owned(),
        Pattern::Tuple(items) => {
            let items: Vec<String> = items.iter().map(|item| annotation(item, style)).collect();
            format!("tuple[{}]", items.join(", "))
        }
        Pattern::List(element) => format!("list[{}]", annotation(element, style)),
        Pattern::Other(text) => match text.as_str() {
            "None" => "None".to_owned(),
            "True" | "False" | "True or False" | "False or True" => "bool".to_owned(),
            _ => "Any".to_owned(),
        },
    }
}

/// The kinds of elements that jaxtyping's annotations are named for.
const KINDS: [&str; 6] = ["Bool", "Complex", "Float", "Int", "Shaped", "UInt"];

/// jaxtyping's name for tensors with such elements: `Shaped` leaves it open.
fn kind(dtype: DType) -> &'static str {
    match dtype {
        DType::Bool => "Bool",
        DType::UInt8 | DType::UInt16 | DType::UInt32 | DType::UInt64 => "UInt",
        _ if dtype.is_integer() => "Int",
        _ if dtype.is_floating() => "Float",
        _ if dtype.is_complex() => "Complex",
        _ => "Shaped",
    }
}

/// A shape in jaxtyping's words; what they cannot say is any dimension, or any number of them.
fn words(tensor: &TensorPattern) -> String {
    let Some(parts) = &tensor.parts else { return "...".to_owned() };
    let is_variadic = |part: &&ShapePart| matches!(part, ShapePart::Rest(_));
    if parts.iter().filter(is_variadic).count() > 1 {
        return "...".to_owned();
    }
    let words: Vec<String> = parts
        .iter()
        .map(|part| match part {
            ShapePart::Dim(text) => {
                let text = text.replace(' ', "");
                let is_expression = text.chars().all(|c| c.is_ascii_alphanumeric() || "_+-*/%()".contains(c));
                let has_call = ["min(", "max(", "prod(", "rank("].iter().any(|call| text.contains(call));
                if is_expression && !has_call { text } else { "_".to_owned() }
            }
            ShapePart::Rest(name) => format!("*{name}"),
            ShapePart::Ragged => "_".to_owned(),
        })
        .collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_in_the_words_of_jaxtyping() {
        let dim = |text: &str| ShapePart::Dim(text.to_owned());
        let rest = || ShapePart::Rest("s".to_owned());
        let words =
            |parts: Option<Vec<ShapePart>>| words(&TensorPattern { text: String::new(), parts, dtype: DType::Unknown });
        assert_eq!(words(Some(vec![rest(), dim("n"), dim("n + 1")])), "*s n n+1");
        assert_eq!(words(Some(vec![dim("min(n, 3)")])), "_");
        assert_eq!(words(Some(vec![])), "");
        assert_eq!(words(Some(vec![rest(), dim("n"), rest()])), "...");
        assert_eq!(words(None), "...");
        assert_eq!(
            [DType::Int64, DType::UInt8, DType::BFloat16, DType::Unknown].map(kind),
            ["Int", "UInt", "Float", "Shaped"]
        );
    }
}
