//! Inferred signatures of functions with shape annotations, which are conditions on the parameters and the result.

use rustc_hash::FxHashMap;

use crate::hints::{Part, hint, tuple_parts};
use crate::state::interpreter::Interpreter;
use crate::values::value::Value;
use harp_corpus::Span;
use harp_limits::light_tick;
use harp_python::ir::{Expr, Function};
use harp_python::name::Name;
use harp_shape::notation::PatternDim;
use harp_shape::{Dim, Element, Outcome, Shape, ShapeVar, Var, VarInfo};
use harp_trace::assumption::AssumptionKind;
use harp_trace::inferred_signature::Problem;

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
            if let Some(tensor) =
                self.refine_to_tensor(id, self.assumed_open_kind(place), AssumptionKind::UsedAs, evidence, place)
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
        light_tick();
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
                operator.apply(left, right)
            }
            _ => return None,
        })
    }
}
