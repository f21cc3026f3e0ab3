//! Inferred signatures: as text for people, as JSON, and as Python stubs with the shapes in comments or in jaxtyping's annotations.

pub mod json;
pub mod stub;
pub mod text;

use harp_python::ir::ParameterKind;
use harp_trace::inferred_signature::{Alternative, InferredFunction, InferredParameter};

use crate::Sources;

/// Everything that an output of signatures shows.
pub struct Signatures<'a> {
    /// In the order of files and places.
    pub functions: &'a [InferredFunction],
    /// The text in which the functions stand.
    pub sources: &'a dyn Sources,
    /// Whether functions are shown that neither take nor give tensors.
    pub shows_all: bool,
}

impl<'a> Signatures<'a> {
    /// The functions to show.
    fn shown(&self) -> impl Iterator<Item = &'a InferredFunction> + use<'a> {
        let shows_all = self.shows_all;
        self.functions.iter().filter(move |function| shows_all || function.has_tensors || is_doubtful(function))
    }

    fn hidden(&self) -> usize {
        self.functions.len() - self.shown().count()
    }
}

/// Whether nothing was inferred where tensors may be at work.
fn is_doubtful(function: &InferredFunction) -> bool {
    function.alternatives.is_empty()
}

/// Whether a signature's parameters are written with their names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Names {
    /// `(x: [n, k]) -> [n]`
    Shown,
    /// `([n, k]) -> [n]`
    Left,
}

/// A signature in the notation of shapes: `(x: s@[k], weight: [m, k]) -> s@[m]`.
pub fn signature(parameters: &[InferredParameter], alternative: &Alternative, names: Names) -> String {
    let mut text = String::from("(");
    for (index, (parameter, pattern)) in parameters.iter().zip(&alternative.parameters).enumerate() {
        text.push_str(if index > 0 { ", " } else { "" });
        if names == Names::Shown {
            text.push_str(match parameter.kind {
                ParameterKind::Variadic => "*",
                ParameterKind::VariadicKeyword => "**",
                _ => "",
            });
            text.push_str(shown_name(parameter));
            text.push_str(": ");
        }
        text.push_str(&pattern.to_string());
    }
    text.push_str(") -> ");
    text.push_str(&alternative.result.to_string());
    text
}

/// The name of a parameter. Where a function's header is broken, it takes whatever else there is, by names that no program has.
fn shown_name(parameter: &InferredParameter) -> &str {
    match &*parameter.name {
        "*" => "others",
        "**" => "named_others",
        name => name,
    }
}

/// An alternative on one line: `when mask is None: (x: [n, k], mask: _) -> [n] where k % 2 == 0`, or what fails.
pub fn one_line(function: &InferredFunction, alternative: &Alternative, names: Names) -> String {
    let mut text = match alternative.conditions.as_slice() {
        [] => String::new(),
        conditions => format!("when {}: ", conjunction(conditions)),
    };
    if let Some(clash) = &alternative.clash {
        return format!("{text}fails: {}", clash.text);
    }
    text.push_str(&signature(&function.parameters, alternative, names));
    if !alternative.requirements.is_empty() {
        text.push_str(" where ");
        text.push_str(&conjunction(&alternative.requirements));
    }
    text
}

/// All of these statements as one, with those that offer a choice in parentheses.
pub(super) fn conjunction(statements: &[String]) -> String {
    if let [statement] = statements {
        return statement.clone();
    }
    let part =
        |statement: &String| if statement.contains(" or ") { format!("({statement})") } else { statement.clone() };
    statements.iter().map(part).collect::<Vec<_>>().join(" and ")
}

/// Whether an alternative is a signature at all, and how sure it is.
fn standing(function: &InferredFunction, alternative: &Alternative) -> &'static str {
    if alternative.clash.is_some() {
        "fails"
    } else if alternative.result.is_unknown() {
        "incomplete"
    } else if alternative.is_certain() && function.problems.is_empty() {
        "certain"
    } else {
        "assumed"
    }
}
