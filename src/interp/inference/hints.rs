//! Shapes that users write in annotations: jaxtyping's `Float[Tensor, "batch d"]`, torchtyping's `TensorType["batch", "d"]`,
//! `Tensor[[batch, d]]`, and Harp's own notation in `Annotated[Tensor, "[batch, d]"]` or as the whole annotation.

use rustc_hash::FxHashMap;

use crate::corpus::Span;
use crate::interp::assumption::AssumptionKind;
use crate::interp::inference::signature::Problem;
use crate::interp::machine::Interpreter;
use crate::interp::value::{TensorKind, Value};
use crate::python::ir::{BinaryOperator, Expr, ExprKind, Function};
use crate::python::name::Name;
use crate::shape::notation::{PatternDim, PatternElement, PatternPart, PatternShape};
use crate::shape::{Dim, Element, Outcome, Shape, ShapeVar, Var, VarInfo, parse_dim, parse_shape};

/// Names of annotations whose second part is a shape in jaxtyping's words.
const WORDS: [&str; 18] = [
    "Bool",
    "Complex",
    "Complex64",
    "Complex128",
    "Float",
    "Float16",
    "Float32",
    "Float64",
    "Inexact",
    "Int",
    "Int32",
    "Int64",
    "Integer",
    "Num",
    "Real",
    "Shaped",
    "UInt8",
    "BFloat16",
];

/// The longest text that is read as a shape.
const LONGEST: usize = 400;

/// A shape that an annotation says, by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// Any dimension.
    Any,
    /// Any number of dimensions.
    Rest,
    Dim(PatternDim),
    Named(String),
}

/// What names in the annotations of one function stand for.
#[derive(Default)]
struct Scope {
    dims: FxHashMap<String, Dim>,
    shapes: FxHashMap<String, ShapeVar>,
}

impl Interpreter<'_> {
    /// The shapes in the annotations of parameters are conditions on the arguments.
    pub(super) fn apply_hints(&mut self, function: &Function, values: &[Value], skips_receiver: bool) {
        let mut scope = Scope::default();
        let parameters = function.parameters.iter().skip(usize::from(skips_receiver));
        for (parameter, value) in parameters.zip(values) {
            let Some(hint) = parameter.annotation.as_ref().and_then(hint) else { continue };
            let value = match value {
                // What `None` may stand for: the hint speaks of the other case.
                Value::Alternatives(alternatives) => alternatives.last().map(|(_, value)| value.clone()),
                value => Some(value.clone()),
            };
            let Some(Value::Symbolic(id)) = value else { continue };
            let place = parameter.range.in_file(function.file);
            let evidence = "its annotation says so".to_owned();
            if let Some(tensor) = self.refine_to_tensor(id, TensorKind::Either, AssumptionKind::UsedAs, evidence, place)
            {
                let shape = self.shape_of_hint(&hint, &mut scope);
                self.solver.unify(&tensor.shape, &shape);
            }
        }
        if let Some(run) = &mut self.inference {
            run.hints = scope.dims;
            run.hinted_shapes = scope.shapes;
        }
    }

    /// The shape in the annotation of the result is a condition on what is returned.
    pub(super) fn apply_result_hint(&mut self, function: &Function, result: &Value) -> Option<Problem> {
        let returns = function.returns.as_ref()?;
        self.unify_result(returns, result, returns.range.in_file(function.file), 0)
    }

    fn unify_result(&mut self, annotation: &Expr, result: &Value, place: Span, depth: usize) -> Option<Problem> {
        let result = self.read(result);
        if let (Value::Tuple(items), Some(parts)) = (&result, tuple_parts(annotation))
            && depth < 4
            && items.len() == parts.len()
        {
            return items.iter().zip(parts).find_map(|(item, part)| self.unify_result(part, item, place, depth + 1));
        }
        let Value::Tensor(tensor) = result else { return None };
        let hint = hint(annotation)?;
        let run = self.inference.as_mut()?;
        let mut scope = Scope { dims: std::mem::take(&mut run.hints), shapes: std::mem::take(&mut run.hinted_shapes) };
        let shape = self.shape_of_hint(&hint, &mut scope);
        let outcome = self.solver.unify(&tensor.shape, &shape);
        if let Some(run) = &mut self.inference {
            (run.hints, run.hinted_shapes) = (scope.dims, scope.shapes);
        }
        (outcome == Outcome::Violated).then(|| {
            let given = self.solver.resolve_shape(&tensor.shape);
            let text = format!("the result is {given}, but its annotation says {}", self.solver.resolve_shape(&shape));
            Problem { text, span: Some(place) }
        })
    }

    fn shape_of_hint(&mut self, hint: &[Part], scope: &mut Scope) -> Shape {
        let mut elements = Vec::with_capacity(hint.len());
        for part in hint {
            elements.push(match part {
                Part::Any => Element::Dim(self.free_dim("d", 1)),
                Part::Rest => Element::Rest(ShapeVar::fresh("s")),
                Part::Named(name) => {
                    Element::Rest(*scope.shapes.entry(name.clone()).or_insert_with(|| ShapeVar::fresh(name)))
                }
                Part::Dim(dim) => match self.dim_of_hint(dim, scope) {
                    Some(dim) => Element::Dim(dim),
                    None => Element::Dim(self.free_dim("d", 1)),
                },
            });
        }
        Shape::new(elements)
    }

    fn dim_of_hint(&mut self, pattern: &PatternDim, scope: &mut Scope) -> Option<Dim> {
        use crate::shape::notation::BinaryOperator as Operator;
        Some(match pattern {
            PatternDim::Constant(value) => Dim::constant(*value),
            PatternDim::Name(name) => match scope.dims.get(name) {
                Some(dim) => *dim,
                None => {
                    let dim = Dim::var(Var::fresh(VarInfo::free(name)));
                    self.name_dim(dim, Name::new(name));
                    scope.dims.insert(name.clone(), dim);
                    dim
                }
            },
            PatternDim::Negate(inner) => -self.dim_of_hint(inner, scope)?,
            PatternDim::Binary(operator, left, right) => {
                let (left, right) = (self.dim_of_hint(left, scope)?, self.dim_of_hint(right, scope)?);
                match operator {
                    Operator::Add => left + right,
                    Operator::Subtract => left - right,
                    Operator::Multiply => left * right,
                    Operator::FloorDivide => left.floor_div(right),
                    Operator::Modulo => left.modulo(right),
                }
            }
            _ => return None,
        })
    }
}

/// The parts of `tuple[A, B]`.
fn tuple_parts(annotation: &Expr) -> Option<&[Expr]> {
    let ExprKind::Subscript { value, index } = &annotation.kind else { return None };
    match (last_name(value)?, &index.kind) {
        ("tuple" | "Tuple", ExprKind::Tuple(parts)) => Some(parts),
        _ => None,
    }
}

fn last_name(expression: &Expr) -> Option<&'static str> {
    match &expression.kind {
        ExprKind::Name(name) | ExprKind::Attribute { attribute: name, .. } => Some(name.as_str()),
        _ => None,
    }
}

/// The shape that an annotation says; `None` where it says none.
pub(super) fn hint(annotation: &Expr) -> Option<Vec<Part>> {
    match &annotation.kind {
        ExprKind::Str(text) => notation(text),
        // `X | None`
        ExprKind::Binary { operator: BinaryOperator::BitOr, left, right } => hint(left).or_else(|| hint(right)),
        ExprKind::Subscript { value, index } => {
            let name = last_name(value)?;
            match (name, &index.kind) {
                ("Optional", _) => hint(index),
                ("Annotated", ExprKind::Tuple(parts)) => parts.iter().skip(1).find_map(|part| match &part.kind {
                    ExprKind::Str(text) => notation(text),
                    _ => None,
                }),
                ("TensorType" | "Tensor" | "NDArray", ExprKind::Tuple(parts)) => parts.iter().map(part).collect(),
                ("Tensor" | "NDArray", ExprKind::List(parts)) => parts.iter().map(part).collect(),
                ("TensorType" | "Tensor", ExprKind::Str(text)) => match notation(text) {
                    Some(parts) => Some(parts),
                    None => words(text),
                },
                (name, ExprKind::Tuple(parts)) if WORDS.contains(&name) => match parts.last().map(|it| &it.kind) {
                    Some(ExprKind::Str(text)) => words(text),
                    _ => None,
                },
                _ => None,
            }
        }
        _ => None,
    }
}

/// A dimension of `TensorType["batch", 3]` or `Tensor[[batch, 3]]`.
fn part(expression: &Expr) -> Option<Part> {
    match &expression.kind {
        ExprKind::Int(value) if *value >= 0 => Some(Part::Dim(PatternDim::Constant(*value))),
        ExprKind::Str(text) => Some(Part::Dim(parse_dim(text).ok()?)),
        ExprKind::Name(name) => Some(Part::Dim(PatternDim::Name(name.to_string()))),
        ExprKind::Ellipsis => Some(Part::Rest),
        ExprKind::Unary { .. } => Some(Part::Any),
        _ => None,
    }
}

/// jaxtyping: words between spaces. `...` and `*name` are any number of dimensions, `_` is any one, `name=3` is documented by its number,
/// and `#name` may be 1, which says nothing that a shape could say.
pub(super) fn words(text: &str) -> Option<Vec<Part>> {
    if text.len() > LONGEST {
        return None;
    }
    text.split_whitespace()
        .map(|word| match word {
            "..." => Some(Part::Rest),
            "_" => Some(Part::Any),
            _ if word.starts_with('#') || word.starts_with("*#") => {
                Some(if word.contains('*') { Part::Rest } else { Part::Any })
            }
            _ => match word.strip_prefix('*') {
                Some(name) => Some(Part::Named(name.trim_start_matches('_').to_owned())),
                None => {
                    let word = word.split_once('=').map_or(word, |(_, size)| size);
                    let named = word.strip_prefix('_').filter(|name| !name.is_empty());
                    match named {
                        Some(_) => Some(Part::Any),
                        None => Some(Part::Dim(parse_dim(word).ok()?)),
                    }
                }
            },
        })
        .collect()
}

/// Harp's notation, where a text is in it: `[batch, 3]@s`.
fn notation(text: &str) -> Option<Vec<Part>> {
    if text.len() > LONGEST || !text.contains('[') {
        return None;
    }
    let shape: PatternShape = parse_shape(text).ok()?;
    let mut parts = Vec::new();
    for part in shape.parts {
        match part {
            PatternPart::Dims(elements) => {
                for element in elements {
                    parts.push(match element {
                        PatternElement::Dim(PatternDim::Any) | PatternElement::Ragged => Part::Any,
                        PatternElement::Dim(dim) => Part::Dim(dim),
                    });
                }
            }
            PatternPart::Name(name) => parts.push(Part::Named(name)),
            _ => return None,
        }
    }
    Some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> Part {
        Part::Dim(PatternDim::Name(text.to_owned()))
    }

    #[test]
    fn words_of_jaxtyping() {
        assert_eq!(words("batch 3"), Some(vec![name("batch"), Part::Dim(PatternDim::Constant(3))]));
        assert_eq!(
            words("*s _ rows=4"),
            Some(vec![Part::Named("s".into()), Part::Any, Part::Dim(PatternDim::Constant(4))])
        );
        assert_eq!(words("... #b"), Some(vec![Part::Rest, Part::Any]));
        assert_eq!(words(""), Some(Vec::new()));
        assert_eq!(words("a ]b"), None);
    }

    #[test]
    fn texts_in_the_notation() {
        assert_eq!(notation("[n]@s"), Some(vec![name("n"), Part::Named("s".into())]));
        assert_eq!(notation("torch.Tensor"), None);
        assert_eq!(notation("broadcast(s, t)@[n]"), None);
    }
}
