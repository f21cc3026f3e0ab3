//! Names with their values, and the evaluation of patterns under them.

use std::collections::BTreeMap;

use super::{BinaryOperator, Comparison, Condition, PatternDim, PatternElement, PatternPart, PatternShape};
use crate::shape::{Constraint, Dim, Element, Outcome, Shape, Solver};

/// What the names of patterns stand for.
pub struct Scope<'a> {
    pub dims: BTreeMap<String, Dim>,
    pub shapes: BTreeMap<String, Shape>,
    /// The values of scalar parameters, which go before `dims`.
    scalars: &'a dyn Fn(&str) -> Option<Dim>,
    /// Broadcasts that did not simply hold.
    pub(super) broadcasts: Vec<(Vec<Shape>, Outcome)>,
}

impl<'a> Scope<'a> {
    pub fn new(scalars: &'a dyn Fn(&str) -> Option<Dim>) -> Scope<'a> {
        Scope { dims: BTreeMap::new(), shapes: BTreeMap::new(), scalars, broadcasts: Vec::new() }
    }

    pub fn lookup(&self, name: &str) -> Option<Dim> {
        (self.scalars)(name).or_else(|| self.dims.get(name).copied())
    }

    /// The value of a number; `None` where a name has none, or a shape has no such dimension.
    pub fn dim(&mut self, dim: &PatternDim, solver: &mut Solver) -> Option<Dim> {
        Some(match dim {
            PatternDim::Constant(value) => Dim::constant(*value),
            PatternDim::Name(name) => self.lookup(name)?,
            PatternDim::Any => return None,
            PatternDim::Negate(inner) => -self.dim(inner, solver)?,
            PatternDim::Binary(operator, left, right) => {
                let (left, right) = (self.dim(left, solver)?, self.dim(right, solver)?);
                match operator {
                    BinaryOperator::Add => left + right,
                    BinaryOperator::Subtract => left - right,
                    BinaryOperator::Multiply => left * right,
                    BinaryOperator::FloorDivide => left.floor_div(right),
                    BinaryOperator::Modulo => left.modulo(right),
                }
            }
            PatternDim::Minimum(dims) => self.fold(dims, Dim::min, solver)?,
            PatternDim::Maximum(dims) => self.fold(dims, Dim::max, solver)?,
            PatternDim::CeilDivide(value, divisor) => self.dim(value, solver)?.ceil_div(self.dim(divisor, solver)?),
            PatternDim::Rank(shape) => {
                let shape = self.shape(shape, solver)?;
                solver.resolve_shape(&shape).rank_dim()
            }
            PatternDim::Product(shape) => {
                let shape = self.shape(shape, solver)?;
                solver.resolve_shape(&shape).prod()
            }
            PatternDim::Index(shape, index) => {
                let index = self.dim(index, solver)?.as_const()?;
                let shape = self.shapes.get(shape)?.clone();
                let distance = usize::try_from(index.unsigned_abs()).ok().filter(|distance| *distance <= 64)?;
                if index >= 0 {
                    solver.split(&shape, distance + 1, 0)?.0.last().copied()?
                } else {
                    solver.split(&shape, 0, distance)?.2.first().copied()?
                }
            }
        })
    }

    fn fold(&mut self, dims: &[PatternDim], combine: fn(Dim, Dim) -> Dim, solver: &mut Solver) -> Option<Dim> {
        let mut folded = None;
        for dim in dims {
            let value = self.dim(dim, solver)?;
            folded = Some(folded.map_or(value, |folded| combine(folded, value)));
        }
        folded
    }

    /// The shape that a pattern describes; `None` where a name has no value, or shapes cannot be broadcast.
    pub fn shape(&mut self, shape: &PatternShape, solver: &mut Solver) -> Option<Shape> {
        let mut elements = Vec::new();
        for part in &shape.parts {
            match part {
                PatternPart::Dims(dims) => {
                    for element in dims {
                        elements.push(match element {
                            PatternElement::Dim(dim) => Element::Dim(self.dim(dim, solver)?),
                            PatternElement::Ragged => Element::Ragged,
                        });
                    }
                }
                other => elements.extend(self.part(other, solver)?.elements()),
            }
        }
        Some(Shape::new(elements))
    }

    /// The shape of a part that is no list of dimensions.
    pub(super) fn part(&mut self, part: &PatternPart, solver: &mut Solver) -> Option<Shape> {
        match part {
            PatternPart::Dims(_) => self.shape(&PatternShape { parts: vec![part.clone()] }, solver),
            PatternPart::Name(name) => self.shapes.get(name).cloned(),
            PatternPart::Slice { shape, from, to } => {
                let bound = |scope: &mut Self, bound: &Option<PatternDim>, solver: &mut Solver| match bound {
                    Some(bound) => scope.dim(bound, solver)?.as_const().map(Some),
                    None => Some(None),
                };
                let (from, to) = (bound(self, from, solver)?, bound(self, to, solver)?);
                let shape = self.shapes.get(shape)?.clone();
                slice(solver, &shape, from.unwrap_or(0), to)
            }
            PatternPart::Broadcast(shapes) => {
                let shapes: Vec<Shape> = shapes.iter().map(|shape| self.shape(shape, solver)).collect::<Option<_>>()?;
                let mut result = shapes.first()?.clone();
                let mut outcome = Outcome::Holds;
                for shape in shapes.get(1..)? {
                    let (next, part) = solver.broadcast(&result, shape);
                    outcome = outcome.and(part);
                    let Some(next) = next else {
                        self.broadcasts.push((shapes, outcome));
                        return None;
                    };
                    result = next;
                }
                if outcome != Outcome::Holds {
                    self.broadcasts.push((shapes, outcome));
                }
                Some(result)
            }
        }
    }

    /// The constraint that a condition describes; `None` where a name has no value.
    pub fn condition(&mut self, condition: &Condition, solver: &mut Solver) -> Option<Constraint> {
        let parts = |scope: &mut Self, parts: &[Condition], solver: &mut Solver| {
            parts.iter().map(|part| scope.condition(part, solver)).collect::<Option<Vec<_>>>()
        };
        Some(match condition {
            Condition::And(conditions) => Constraint::And(parts(self, conditions, solver)?),
            Condition::Or(conditions) => Constraint::Or(parts(self, conditions, solver)?),
            Condition::Not(inner) => self.condition(inner, solver)?.negated(),
            Condition::Compare(comparison, left, right) => {
                let (left, right) = (self.dim(left, solver)?, self.dim(right, solver)?);
                match comparison {
                    Comparison::Equal => Constraint::Equal(left, right),
                    Comparison::NotEqual => Constraint::NotEqual(left, right),
                    Comparison::Less => Constraint::Less(left, right),
                    Comparison::LessEqual => Constraint::LessEqual(left, right),
                    Comparison::Greater => Constraint::Less(right, left),
                    Comparison::GreaterEqual => Constraint::LessEqual(right, left),
                }
            }
        })
    }
}

/// Python's slice of a shape. Of an unknown rank, the part that counts from one end.
fn slice(solver: &mut Solver, shape: &Shape, from: i64, to: Option<i64>) -> Option<Shape> {
    let resolved = solver.resolve_shape(shape);
    if let Some(rank) = resolved.rank() {
        let rank = i64::try_from(rank).ok()?;
        let position = |bound: i64| (if bound < 0 { bound.saturating_add(rank) } else { bound }).clamp(0, rank);
        let (from, to) = (position(from), position(to.unwrap_or(rank)));
        let range = usize::try_from(from).ok()?..usize::try_from(to.max(from)).ok()?;
        return Some(Shape::new(resolved.elements().get(range)?.to_vec()));
    }
    let size = |bound: i64| usize::try_from(bound.unsigned_abs()).ok().filter(|size| *size <= 64);
    match (from >= 0, to) {
        (true, None) => Some(solver.split(&resolved, size(from)?, 0)?.1),
        (true, Some(to)) if to < 0 => Some(solver.split(&resolved, size(from)?, size(to)?)?.1),
        (true, Some(to)) => {
            let front = solver.split(&resolved, size(to)?, 0)?.0;
            Some(Shape::known(front.get(size(from)?..).unwrap_or_default().to_vec()))
        }
        (false, None) => Some(Shape::known(solver.split(&resolved, 0, size(from)?)?.2)),
        (false, Some(to)) if to < 0 => {
            let back = solver.split(&resolved, 0, size(from)?)?.2;
            let kept = back.len().saturating_sub(size(to)?);
            Some(Shape::known(back.get(..kept)?.to_vec()))
        }
        (false, Some(_)) => None,
    }
}
