//! The solver's reasons why a claim is violated: the bindings and facts that clash with it, each with the reason that
//! its giver named.

use std::collections::BTreeMap;

use super::constraint::Constraint;
use super::decide::Context;
use super::dim::{Dim, atom};
use super::formula::Formula;
use super::polynomial::{Atom, Factor};
use super::shapes::{Element, Shape};
use super::solver::Solver;
use super::variable::{ShapeVar, Var};
use crate::interner::Remembered;

/// More facts than this are not told apart.
const MAX_FACTS: usize = 24;
/// Bindings are followed at most this far.
const MAX_CHAIN: usize = 16;

/// What gave rise to a binding or a fact, by the number that its giver has for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Reason(pub u32);

/// A part of an explanation: what is known, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Because {
    /// The number that the giver of the fact has for it.
    pub reason: Reason,
    /// Such as `h == 10`.
    pub text: String,
}

/// The reasons of bindings. They are no part of the solver's state: what is no longer bound is not asked for.
#[derive(Clone, Debug, Default)]
pub(super) struct Reasons {
    pub current: Option<Reason>,
    pub dims: BTreeMap<Var, Reason>,
    pub shapes: BTreeMap<ShapeVar, Reason>,
}

impl Reasons {
    /// Forgets the variables that were made since a moment, in time for those alone.
    pub fn forget_since(&mut self, moment: Remembered) {
        while self.dims.last_key_value().is_some_and(|(var, _)| !moment.has(*var)) {
            self.dims.pop_last();
        }
        while self.shapes.last_key_value().is_some_and(|(var, _)| !moment.has_shape(*var)) {
            self.shapes.pop_last();
        }
    }
}

impl PartialEq for Reasons {
    fn eq(&self, _: &Reasons) -> bool {
        true
    }
}

impl Solver {
    /// Names the reason of all that is bound and recorded from now on. Returns the one before.
    pub fn speak_for(&mut self, reason: Option<Reason>) -> Option<Reason> {
        std::mem::replace(&mut self.reasons.current, reason)
    }

    /// What clashes with a violated claim about these operands: the bindings that gave their dimensions the values in the claim, and a smallest
    /// set of facts without which the claim would not be known to be false.
    pub fn explain(&self, claim: &Constraint, operands: &[Shape]) -> Vec<Because> {
        let mut because = Vec::new();
        let wanted = Wanted::new(&self.resolve_constraint(claim));
        for operand in operands {
            self.explain_shape(operand, &wanted, &mut because);
        }
        for index in self.clashing_facts(claim) {
            if let (Some(fact), Some(reason)) = (self.facts().get(index), self.reason_of_fact(index)) {
                because.push(Because { reason, text: fact.to_string() });
            }
        }
        let mut seen = Vec::new();
        because.retain(|one| {
            let is_new = !seen.contains(one);
            seen.push(one.clone());
            is_new
        });
        because
    }

    fn explain_shape(&self, shape: &Shape, wanted: &Wanted, because: &mut Vec<Because>) {
        for element in shape.elements() {
            match element {
                Element::Dim(dim) if wanted.has(self.resolve(*dim)) => self.explain_dim(*dim, MAX_CHAIN, because),
                Element::Rest(var) => {
                    let Some(bound) = self.shape_binding(*var) else { continue };
                    let dims = bound.elements().iter().filter_map(Element::as_dim);
                    let concerns = wanted.is_rank || dims.into_iter().any(|dim| wanted.has(self.resolve(dim)));
                    let value = self.resolve_shape(bound);
                    // A part that was only split off says nothing.
                    if let (true, Some(_), Some(reason)) = (concerns, value.rank(), self.reasons.shapes.get(var)) {
                        let text = format!("{} == {value}", var.shown_name());
                        because.push(Because { reason: *reason, text });
                    }
                    self.explain_shape(&bound.clone(), wanted, because);
                }
                Element::Dim(_) | Element::Ragged => {}
            }
        }
    }

    /// The bindings that give a dimension its value.
    fn explain_dim(&self, dim: Dim, depth: usize, because: &mut Vec<Because>) {
        if depth == 0 {
            return;
        }
        for leaf in dim.leaves().iter() {
            match leaf {
                Factor::Var(var) => {
                    let Some(value) = self.dim_binding(*var) else { continue };
                    if let Some(reason) = self.reasons.dims.get(var) {
                        let text = format!("{} == {}", var.shown_name(), self.resolve(value));
                        because.push(Because { reason: *reason, text });
                    }
                    self.explain_dim(value, depth - 1, because);
                }
                Factor::Atom(id) => {
                    if let Some(Atom::Product(var) | Atom::Rank(var)) = atom(*id)
                        && let (Some(bound), Some(reason)) = (self.shape_binding(var), self.reasons.shapes.get(&var))
                    {
                        let text = format!("{} == {}", var.shown_name(), self.resolve_shape(bound));
                        because.push(Because { reason: *reason, text });
                    }
                }
            }
        }
    }

    /// The numbers of facts with which a claim clashes, none of which can be left out.
    fn clashing_facts(&self, claim: &Constraint) -> Vec<usize> {
        let formula = Formula::of(&self.resolve_constraint(claim));
        if formula == Formula::False || formula.is_unclear() {
            return Vec::new();
        }
        let facts: Vec<Formula> = self.facts().iter().map(|fact| Formula::of(&self.resolve_constraint(fact))).collect();
        let clashes = |kept: &[usize]| {
            let kept = kept.iter().filter_map(|index| facts.get(*index).cloned()).collect();
            Context::of(kept).decide(&formula, None) == Some(false)
        };
        let mut kept: Vec<usize> = (0..facts.len()).rev().take(MAX_FACTS).collect();
        if !clashes(&kept) {
            return Vec::new();
        }
        for index in kept.clone() {
            let without: Vec<usize> = kept.iter().copied().filter(|other| *other != index).collect();
            if clashes(&without) {
                kept = without;
            }
        }
        kept.reverse();
        kept
    }
}

/// The numbers in a claim.
struct Wanted {
    numbers: Vec<Dim>,
    /// Whether it is about how many dimensions there are.
    is_rank: bool,
}

impl Wanted {
    fn new(claim: &Constraint) -> Wanted {
        let (mut numbers, mut is_rank) = (Vec::new(), false);
        let mut shapes = Vec::new();
        claim.map(
            &mut |dim| {
                numbers.push(dim);
                dim
            },
            &mut |shape| {
                shapes.push(shape.clone());
                shape.clone()
            },
        );
        // What is false by itself is about ranks, which are numbers and no dimensions.
        is_rank |= matches!(claim, Constraint::Rank(..) | Constraint::False);
        numbers.extend(shapes.iter().flat_map(Shape::elements).filter_map(Element::as_dim));
        Wanted { numbers, is_rank }
    }

    /// Whether the claim speaks of a number, by itself or as a part of another.
    fn has(&self, number: Dim) -> bool {
        let is_part = |other: &Dim| {
            number.as_const().is_none() && number.leaves().iter().all(|leaf| other.any_leaf(|other| other == *leaf))
        };
        self.numbers.iter().any(|other| *other == number || is_part(other))
    }
}
