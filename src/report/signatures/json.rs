//! Inferred signatures as JSON. The form is described in `docs/infer.md`.

use std::io::{self, Write};

use serde::Serialize;

use crate::Sources;
use harp_corpus::Span;
use harp_python::ir::ParameterKind;
use harp_trace::inferred_signature::{Alternative, InferredFunction, InferredParameter, Pattern, Problem};

use super::{Names, Signatures, signature, standing};

/// The version of the form.
pub const VERSION: u32 = 1;

/// Writes all signatures as one document.
pub fn render(signatures: &Signatures<'_>, out: &mut dyn Write) -> io::Result<()> {
    let shapes = Places { sources: signatures.sources };
    let document = Document {
        version: VERSION,
        functions: signatures.shown().map(|function| shapes.function(function)).collect(),
        without_tensors: signatures.hidden(),
    };
    crate::json::write(&document, out)
}

#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    functions: Vec<JsonFunction<'a>>,
    /// How many functions are left out because they take no tensor and give none.
    without_tensors: usize,
}

#[derive(Serialize)]
struct JsonFunction<'a> {
    name: &'a str,
    place: Place<'a>,
    parameters: Vec<JsonParameter<'a>>,
    signatures: Vec<JsonSignature<'a>>,
    problems: Vec<JsonProblem<'a>>,
}

#[derive(Serialize)]
struct JsonParameter<'a> {
    name: &'a str,
    kind: &'static str,
    has_default: bool,
}

#[derive(Serialize)]
struct JsonSignature<'a> {
    /// `certain`, `assumed`, `incomplete` or `fails`.
    standing: &'static str,
    conditions: &'a [String],
    /// `None` where it fails.
    text: Option<String>,
    parameters: Vec<JsonPattern<'a>>,
    result: Option<JsonPattern<'a>>,
    requirements: &'a [String],
    assumptions: Vec<JsonAssumption<'a>>,
    not_understood: Vec<JsonProblem<'a>>,
    clash: Option<JsonProblem<'a>>,
}

#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum JsonPattern<'a> {
    Tensor { shape: &'a str },
    Integer { value: &'a str },
    Tuple { items: Vec<JsonPattern<'a>> },
    List { element: Box<JsonPattern<'a>> },
    Other { text: &'a str },
}

#[derive(Serialize)]
struct JsonAssumption<'a> {
    kind: &'a str,
    subject: &'a str,
    text: &'a str,
    evidence: &'a str,
    place: Place<'a>,
}

#[derive(Serialize)]
struct JsonProblem<'a> {
    text: &'a str,
    place: Option<Place<'a>>,
}

#[derive(Serialize)]
struct Place<'a> {
    path: &'a str,
    line: u32,
    column: u32,
    cell: Option<u32>,
}

struct Places<'a> {
    sources: &'a dyn Sources,
}

impl<'a> Places<'a> {
    fn function(&self, function: &'a InferredFunction) -> JsonFunction<'a> {
        JsonFunction {
            name: &function.name,
            place: self.place(function.span),
            parameters: function.parameters.iter().map(parameter).collect(),
            signatures: function.alternatives.iter().map(|it| self.signature(function, it)).collect(),
            problems: function.problems.iter().map(|problem| self.problem(problem)).collect(),
        }
    }

    fn signature(&self, function: &InferredFunction, alternative: &'a Alternative) -> JsonSignature<'a> {
        let fails = alternative.clash.is_some();
        let assumptions = alternative.assumptions.iter().map(|assumption| JsonAssumption {
            kind: assumption.kind.as_str(),
            subject: &assumption.subject,
            text: &assumption.text,
            evidence: &assumption.evidence,
            place: self.place(assumption.span),
        });
        JsonSignature {
            standing: standing(function, alternative),
            conditions: &alternative.conditions,
            text: (!fails).then(|| signature(&function.parameters, alternative, Names::Shown)),
            parameters: alternative.parameters.iter().map(pattern).collect(),
            result: (!fails).then(|| pattern(&alternative.result)),
            requirements: &alternative.requirements,
            assumptions: assumptions.collect(),
            not_understood: alternative.not_understood.iter().map(|problem| self.problem(problem)).collect(),
            clash: alternative.clash.as_ref().map(|clash| self.problem(clash)),
        }
    }

    fn problem(&self, problem: &'a Problem) -> JsonProblem<'a> {
        JsonProblem { text: &problem.text, place: problem.span.map(|span| self.place(span)) }
    }

    fn place(&self, span: Span) -> Place<'a> {
        let position = self.sources.position(span.file, span.start);
        Place { path: self.sources.name(span.file), line: position.line, column: position.column, cell: position.cell }
    }
}

fn parameter(parameter: &InferredParameter) -> JsonParameter<'_> {
    let kind = match parameter.kind {
        ParameterKind::PositionalOnly => "positional-only",
        ParameterKind::Normal => "positional-or-keyword",
        ParameterKind::Variadic => "variadic",
        ParameterKind::KeywordOnly => "keyword-only",
        ParameterKind::VariadicKeyword => "variadic-keyword",
    };
    JsonParameter { name: &parameter.name, kind, has_default: parameter.has_default }
}

fn pattern(pattern: &Pattern) -> JsonPattern<'_> {
    match pattern {
        Pattern::Tensor(tensor) => JsonPattern::Tensor { shape: &tensor.text },
        Pattern::Integer(value) => JsonPattern::Integer { value },
        Pattern::Tuple(items) => JsonPattern::Tuple { items: items.iter().map(self::pattern).collect() },
        Pattern::List(element) => JsonPattern::List { element: Box::new(self::pattern(element)) },
        Pattern::Other(text) => JsonPattern::Other { text },
    }
}
