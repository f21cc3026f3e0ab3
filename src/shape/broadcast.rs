//! Broadcasting by NumPy's rules, also of shapes that are only partly known.
//!
//! Of two dimensions that may be broadcast together, the result is:
//! - either one, where they are equal, and the other one, where one is 1;
//! - a dimension that is certainly not 1, where the other is unknown. The other is *not* bound: it may be 1. That it is 1 or
//!   equal is recorded as a fact, so that a later contradiction is seen;
//! - `max(a, b)` of two unknown dimensions that are at least 1, which is exact: if they can be broadcast, then they are equal or one
//!   is 1, and in each case the greater is the result. Where one may be 0 (an empty slice), a fresh dimension;
//! - for settings that agree at their defaults, the first one.
//!
//! Shapes align at the back. A shape variable takes part only where the other shape has no dimension against it, or where both
//! have the same variable in the same place; else the result begins with a fresh shape variable, and what it is the result of is
//! recorded, so that the same operands give the same result again.

use rustc_hash::FxHashMap;

use super::binding::Binding;
use super::constraint::{Constraint, Outcome, Verdict};
use super::dim::Dim;
use super::formula::Formula;
use super::polynomial::Atom;
use super::shapes::{Element, Shape};
use super::solver::Solver;
use super::unify::fresh_dim;
use super::variable::ShapeVar;

impl Solver {
    /// The shape of an element-wise operation on two tensors, and whether they fit. No shape where they certainly do not.
    pub fn broadcast(&mut self, a: &Shape, b: &Shape) -> (Option<Shape>, Outcome) {
        if a == b {
            return (Some(a.clone()), Outcome::Holds);
        }
        let (a, b) = (self.resolve_shape(a), self.resolve_shape(b));
        if a == b || b.elements().is_empty() {
            return (Some(a), Outcome::Holds);
        }
        if a.elements().is_empty() {
            return (Some(b), Outcome::Holds);
        }
        if a.rank().is_none() || b.rank().is_none() {
            let operands = [a.clone(), b.clone()];
            if let Some(known) = self.known_broadcast(&operands) {
                return (Some(known), Outcome::Assumed);
            }
        }
        let mark = self.mark();
        let mut result = Vec::new();
        let outcome = self.broadcast_parts(a.elements(), b.elements(), &mut result);
        if outcome == Outcome::Violated {
            self.rollback(mark);
            return (None, outcome);
        }
        result.reverse();
        (Some(Shape::new(result)), outcome)
    }

    /// Works from the back; `result` is in reverse.
    fn broadcast_parts(&mut self, a: &[Element], b: &[Element], result: &mut Vec<Element>) -> Outcome {
        let (mut left, mut right) = (a, b);
        let mut outcome = Outcome::Holds;
        loop {
            match (left.split_last(), right.split_last()) {
                (None, None) => return outcome,
                (Some(_), None) => {
                    result.extend(left.iter().rev());
                    return outcome;
                }
                (None, Some(_)) => {
                    result.extend(right.iter().rev());
                    return outcome;
                }
                (Some((Element::Rest(x), xs)), Some((Element::Rest(y), ys))) if x == y => {
                    result.push(Element::Rest(*x));
                    (left, right) = (xs, ys);
                }
                (Some((Element::Rest(_), _)), Some(_)) => {
                    let rest = self.broadcast_open(left, right, result);
                    return outcome.and(rest);
                }
                (Some(_), Some((Element::Rest(_), _))) => {
                    let rest = self.broadcast_open(right, left, result);
                    return outcome.and(rest);
                }
                (Some((x, xs)), Some((y, ys))) => {
                    let (element, part) = self.broadcast_element(*x, *y);
                    outcome = outcome.and(part);
                    if outcome == Outcome::Violated {
                        return outcome;
                    }
                    result.push(element);
                    (left, right) = (xs, ys);
                }
            }
        }
    }

    /// `open` ends in a shape variable against which `other` still has dimensions.
    fn broadcast_open(&mut self, open: &[Element], other: &[Element], result: &mut Vec<Element>) -> Outcome {
        let operands = [Shape::new(open.to_vec()), Shape::new(other.to_vec())];
        if let Some(known) = self.known_broadcast(&operands) {
            result.extend(known.elements().iter().rev());
            return Outcome::Assumed;
        }
        let length = result.len();
        let outcome = self.fresh_broadcast(open, other, result);
        if outcome == Outcome::Assumed {
            let made: Vec<Element> = result[length..].iter().rev().copied().collect();
            self.record(Constraint::Broadcast { result: Shape::new(made), operands }, Binding::Free);
        }
        outcome
    }

    /// The result that the operands had before; one of them, where it is a result of the other.
    fn known_broadcast(&self, operands: &[Shape; 2]) -> Option<Shape> {
        let known = KnownBroadcasts::of(self);
        let [a, b] = operands;
        let same = known.all.iter().find(|(_, [x, y])| (a == x && b == y) || (a == y && b == x));
        if let Some((result, _)) = same {
            return Some(result.clone());
        }
        [(a, b), (b, a)]
            .into_iter()
            .find(|(whole, part)| known.absorbs(whole.elements(), part.elements(), 0, &mut { MOST_STEPS }))
            .map(|(whole, _)| whole.clone())
    }

    fn fresh_broadcast(&mut self, open: &[Element], other: &[Element], result: &mut Vec<Element>) -> Outcome {
        let ones = other.iter().filter(|element| **element == Element::Dim(Dim::ONE)).count();
        let dims_before = open.iter().filter(|element| !matches!(element, Element::Rest(_))).count();
        if ones == other.len() && dims_before >= ones {
            // Ones add nothing to a shape that is long enough.
            result.extend(open.iter().rev());
            return Outcome::Holds;
        }
        // Against a part of unknown length, a dimension that is certainly not 1 stays; any other may become anything.
        for element in other.iter().rev() {
            match element {
                Element::Rest(_) => break,
                Element::Ragged => result.push(Element::Ragged),
                Element::Dim(dim) if self.is_not_one(*dim) => result.push(*element),
                Element::Dim(_) => {
                    let any = fresh_dim("d");
                    self.open_sizes.0.extend(any.vars());
                    result.push(Element::Dim(any));
                }
            }
        }
        result.push(Element::Rest(ShapeVar::fresh("s")));
        Outcome::Assumed
    }

    fn broadcast_element(&mut self, x: Element, y: Element) -> (Element, Outcome) {
        match (x, y) {
            (Element::Dim(x), Element::Dim(y)) => {
                let (dim, outcome) = self.broadcast_dims(x, y);
                (Element::Dim(dim), outcome)
            }
            (Element::Dim(Dim::ONE), other) | (other, Element::Dim(Dim::ONE)) => (other, Outcome::Holds),
            _ => (Element::Ragged, Outcome::Unknown),
        }
    }

    /// The dimension that two dimensions give when broadcast together (meaningless where they are `Violated`).
    pub fn broadcast_dims(&mut self, x: Dim, y: Dim) -> (Dim, Outcome) {
        if x == y || y == Dim::ONE {
            return (x, Outcome::Holds);
        }
        if x == Dim::ONE {
            return (y, Outcome::Holds);
        }
        for (one, other) in [(x, y), (y, x)] {
            // The greater of two sizes that go together goes together with each of them.
            if let Some(Atom::Maximum(a, b)) = one.as_atom()
                && (a == other || b == other)
                && self.judge(&Constraint::Broadcastable(a, b)) == Verdict::Holds
            {
                return (one, Outcome::Holds);
            }
        }
        let outcome = self.require(&Constraint::Broadcastable(x, y));
        if outcome == Outcome::Violated {
            return (x, outcome);
        }
        (self.broadcast_result(x, y), outcome)
    }

    fn broadcast_result(&self, x: Dim, y: Dim) -> Dim {
        if self.is_not_one(x) || self.decide(&Formula::zero(x - y)) == Some(true) {
            return x;
        }
        if self.is_not_one(y) {
            return y;
        }
        for (one, other) in [(x, y), (y, x)] {
            if self.decide(&Formula::zero(one - Dim::ONE)) == Some(true) {
                return other;
            }
        }
        if !self.excludes_defaults()
            && let (Some(a), Some(b)) = (self.at_default(x), self.at_default(y))
        {
            return if a == 1 {
                y
            } else if b == 1 || a == b {
                x
            } else {
                x.max(y)
            };
        }
        if self.interval(x).is_at_least(1) && self.interval(y).is_at_least(1) { x.max(y) } else { fresh_dim("d") }
    }

    /// Whether a dimension is 1 for no legal value (and, for a setting, not at its default).
    fn is_not_one(&self, dim: Dim) -> bool {
        match dim.as_const() {
            Some(value) => value != 1,
            None => self.decide(&Formula::zero(dim - Dim::ONE)) == Some(false),
        }
    }
}

/// How far results of broadcasting are followed to their operands.
const DEEPEST: usize = 8;
/// How often, for one question. Beyond that the operands are taken for unrelated, which is never wrong.
const MOST_STEPS: usize = 256;

/// Results of broadcasting, each with its operands.
#[derive(Default)]
struct KnownBroadcasts {
    all: Vec<(Shape, [Shape; 2])>,
    /// Those of which the result begins with an element, in their order.
    by_first: FxHashMap<Element, Vec<usize>>,
}

impl KnownBroadcasts {
    fn of(solver: &Solver) -> KnownBroadcasts {
        let mut known = KnownBroadcasts::default();
        for fact in solver.facts() {
            let Constraint::Broadcast { result, operands: [x, y] } = fact else { continue };
            let result = solver.resolve_shape(result);
            if let Some(first) = result.elements().first() {
                known.by_first.entry(*first).or_default().push(known.all.len());
            }
            known.all.push((result, [solver.resolve_shape(x), solver.resolve_shape(y)]));
        }
        known
    }

    /// Whether `whole` is what `part` was broadcast to, together with others, so that broadcasting them again changes nothing. Takes the steps
    /// it needs off `steps`.
    fn absorbs(&self, whole: &[Element], part: &[Element], depth: usize, steps: &mut usize) -> bool {
        if whole == part {
            return true;
        }
        if *steps == 0 {
            return false;
        }
        *steps -= 1;
        if let (Some((x, whole)), Some((y, part))) = (whole.split_last(), part.split_last())
            && x == y
            && matches!(x, Element::Dim(_))
            && self.absorbs(whole, part, depth, steps)
        {
            return true;
        }
        let Some(first) = whole.first().filter(|_| depth < DEEPEST) else { return false };
        let beginning_alike = self.by_first.get(first).map_or(&[][..], Vec::as_slice);
        beginning_alike.iter().filter_map(|index| self.all.get(*index)).any(|(result, operands)| {
            // Shapes align at the back, so that what precedes the last dimensions of a result is the result of what precedes theirs.
            let Some(last) = result.elements().strip_prefix(whole) else { return false };
            last.iter().all(|element| matches!(element, Element::Dim(_)))
                && operands.iter().any(|operand| {
                    let operand = operand.elements();
                    operand.len().checked_sub(last.len()).is_some_and(|kept| {
                        operand[kept..].iter().all(|element| matches!(element, Element::Dim(_)))
                            && self.absorbs(&operand[..kept], part, depth + 1, steps)
                    })
                })
        })
    }
}
