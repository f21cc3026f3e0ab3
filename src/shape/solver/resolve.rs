//! What dimensions, shapes and constraints are once the solver's bindings are applied.

use super::{MAX_CHAIN, Solver};
use crate::constraint::Constraint;
use crate::dim::{Dim, atom};
use crate::formula::Formula;
use crate::polynomial::{Atom, Factor};
use crate::shapes::{Element, Shape};
use crate::variable::{ShapeVar, Var, VarKind};

impl Solver {
    /// The dimension with all bindings applied.
    pub fn resolve(&self, dim: Dim) -> Dim {
        if self.dims.is_empty() && self.shapes.is_empty() {
            return dim;
        }
        if dim.inline_constant().is_some() {
            return dim;
        }
        self.stamps.note_question();
        let mut resolved = dim;
        for _ in 0..MAX_CHAIN {
            if !resolved.any_leaf(|leaf| matches!(leaf, Factor::Atom(_)) || self.binding(leaf).is_some()) {
                break;
            }
            let next = resolved.rewrite(&mut |factor| self.replacement(factor));
            if next == resolved {
                break;
            }
            resolved = next;
        }
        resolved
    }

    /// The shape with all bindings applied.
    pub fn resolve_shape(&self, shape: &Shape) -> Shape {
        if self.dims.is_empty() && self.shapes.is_empty() {
            return shape.clone();
        }
        self.note_question_about(shape);
        let is_resolved = |element: &Element| match element {
            Element::Dim(dim) => self.resolve(*dim) == *dim,
            Element::Rest(var) => !self.shapes.contains_key(var),
            Element::Ragged => true,
        };
        if shape.elements().iter().all(is_resolved) {
            return shape.clone();
        }
        let mut resolved = Vec::with_capacity(shape.elements().len());
        // The stack holds what is still to resolve, last first.
        let mut stack: Vec<Element> = shape.elements().iter().rev().copied().collect();
        while let Some(element) = stack.pop() {
            match element {
                Element::Dim(dim) => resolved.push(Element::Dim(self.resolve(dim))),
                Element::Rest(var) => match self.shapes.get(&var) {
                    Some(bound) => stack.extend(bound.elements().iter().rev()),
                    None => resolved.push(element),
                },
                Element::Ragged => resolved.push(element),
            }
        }
        Shape::new(resolved)
    }

    /// The variables in what a shape variable was bound to, whatever they were bound to in their turn.
    pub fn sizes_within(&self, shape: ShapeVar) -> Vec<Var> {
        let bound = self.shapes.get(&shape).into_iter().flat_map(|shape| shape.elements());
        let sizes = bound.filter_map(|element| match element {
            Element::Dim(dim) => Some(dim.vars()),
            Element::Rest(_) | Element::Ragged => None,
        });
        sizes.flatten().collect()
    }

    /// The constraint with what is bound in the place of variables.
    pub fn resolve_constraint(&self, constraint: &Constraint) -> Constraint {
        if self.dims.is_empty() && self.shapes.is_empty() {
            return constraint.clone();
        }
        constraint.map(&mut |dim| self.resolve(dim), &mut |shape| self.resolve_shape(shape))
    }

    /// The value with all bindings applied and settings at their defaults.
    pub fn at_default(&self, dim: Dim) -> Option<i64> {
        self.resolve(dim).evaluate(&mut |var| var.default_value().filter(|_| var.kind() == VarKind::Config))
    }

    pub(super) fn is_false_at_defaults(&self, constraint: &Constraint) -> bool {
        let is_setting = |var: Var| var.kind() == VarKind::Config && var.default_value().is_some();
        let resolved = self.resolve_constraint(constraint);
        if !constraint.mentions(is_setting) && !resolved.mentions(is_setting) {
            return Formula::of(&resolved) == Formula::False;
        }
        [constraint, &resolved].iter().any(|constraint| Formula::of(&Self::at_defaults(constraint)) == Formula::False)
    }

    /// The constraint with every setting at its default.
    fn at_defaults(constraint: &Constraint) -> Constraint {
        constraint.map(&mut |dim| dim.at_defaults(), &mut |shape| shape.map_dims(Dim::at_defaults))
    }

    pub(crate) fn binding(&self, leaf: Factor) -> Option<Dim> {
        match leaf {
            Factor::Var(var) => self.dims.get(&var).copied(),
            Factor::Atom(_) => None,
        }
    }

    /// What stands for a factor. Variables that are bound to other variables are followed to the end, so that a long chain of them is no long
    /// chain of rewritten expressions.
    fn replacement(&self, factor: Factor) -> Option<Dim> {
        match factor {
            Factor::Var(var) => {
                let mut value = self.dims.get(&var).copied()?;
                for _ in 0..MAX_CHAIN {
                    let Some(next) = value.as_var().and_then(|var| self.dims.get(&var)) else { break };
                    value = *next;
                }
                Some(value)
            }
            Factor::Atom(id) => match atom(id)? {
                Atom::Product(var) => self.last_shape(var).map(Shape::prod),
                Atom::Rank(var) => self.last_shape(var).map(Shape::rank_dim),
                _ => None,
            },
        }
    }

    /// What a shape variable is bound to, or the one that it is bound to.
    fn last_shape(&self, var: ShapeVar) -> Option<&Shape> {
        let mut bound = self.shapes.get(&var)?;
        for _ in 0..MAX_CHAIN {
            let [Element::Rest(other)] = bound.elements() else { break };
            let Some(next) = self.shapes.get(other) else { break };
            bound = next;
        }
        Some(bound)
    }
}
