//! Equality of shapes by Axon's rules: unpacking from both ends, empty shapes, append, and the rank check.

use super::binding::Binding;
use super::constraint::{Constraint, Outcome};
use super::dim::Dim;
use super::shapes::{Element, Shape, back_dims, fresh_dims, front_dims};
use super::solver::Solver;
use super::variable::{ShapeVar, Var, VarInfo};
use crate::interner::{self, Part};

/// Two shapes matched from both ends.
pub(super) struct Alignment<'a> {
    /// The dimensions that must be equal, from the front and from the back.
    pub pairs: Vec<(Element, Element)>,
    /// What remains in the middle of each.
    pub left: &'a [Element],
    pub right: &'a [Element],
}

/// Matches dimensions from both ends until a shape variable stops it; equal shape variables match.
pub(super) fn align<'a>(a: &'a [Element], b: &'a [Element]) -> Alignment<'a> {
    let (mut left, mut right) = (a, b);
    let mut pairs = Vec::new();
    while let (Some((x, xs)), Some((y, ys))) = (left.split_first(), right.split_first()) {
        if !match_ends(*x, *y, &mut pairs) {
            break;
        }
        (left, right) = (xs, ys);
    }
    let front = pairs.len();
    while let (Some((x, xs)), Some((y, ys))) = (left.split_last(), right.split_last()) {
        if !match_ends(*x, *y, &mut pairs) {
            break;
        }
        (left, right) = (xs, ys);
    }
    pairs[front..].reverse();
    Alignment { pairs, left, right }
}

fn match_ends(x: Element, y: Element, pairs: &mut Vec<(Element, Element)>) -> bool {
    match (x, y) {
        (Element::Rest(x), Element::Rest(y)) => x == y,
        (Element::Rest(_), _) | (_, Element::Rest(_)) => false,
        // Axon's variable dimension equals another; whether all sizes agree is only seen at run time.
        (Element::Ragged, Element::Ragged) => true,
        _ => {
            pairs.push((x, y));
            true
        }
    }
}

impl Solver {
    /// Makes two shapes equal. Binds nothing where that is impossible.
    pub(super) fn unify_with(&mut self, a: &Shape, b: &Shape, binding: Binding) -> Outcome {
        let mark = self.mark();
        let outcome = self.unify_parts(a, b, binding);
        if outcome == Outcome::Violated {
            self.rollback(mark);
        }
        outcome
    }

    fn unify_parts(&mut self, a: &Shape, b: &Shape, binding: Binding) -> Outcome {
        let (a, b) = (self.resolve_shape(a), self.resolve_shape(b));
        let Alignment { pairs, left, right } = align(a.elements(), b.elements());
        let mut outcome = self.unify_middle(left, right, binding);
        for (x, y) in pairs {
            if outcome == Outcome::Violated {
                return outcome;
            }
            outcome = outcome.and(match (x, y) {
                (Element::Dim(x), Element::Dim(y)) => self.equate(x, y, binding),
                _ => Outcome::Unknown,
            });
        }
        outcome
    }

    fn equate(&mut self, x: Dim, y: Dim, binding: Binding) -> Outcome {
        let constraint = Constraint::Equal(x, y);
        match binding {
            Binding::Free => self.require(&constraint),
            Binding::Any => {
                self.assume(&constraint);
                if self.is_contradictory() { Outcome::Violated } else { Outcome::Assumed }
            }
        }
    }

    /// Makes equal what alignment leaves over: at either end, one of the two is empty or starts (ends) with a shape variable.
    fn unify_middle(&mut self, left: &[Element], right: &[Element], binding: Binding) -> Outcome {
        match (left, right) {
            ([], []) => Outcome::Holds,
            ([], other) | (other, []) => self.bind_all_empty(other),
            ([Element::Rest(var)], other) | (other, [Element::Rest(var)]) => self.bind_rest(*var, other),
            _ => self.unify_several(left, right, binding),
        }
    }

    fn bind_all_empty(&mut self, elements: &[Element]) -> Outcome {
        if elements.iter().any(|element| !matches!(element, Element::Rest(_))) {
            return Outcome::Violated;
        }
        for element in elements {
            if let Element::Rest(var) = element
                && self.shape_binding(*var).is_none()
            {
                self.bind_shape(*var, Shape::scalar());
            }
        }
        Outcome::Assumed
    }

    fn bind_rest(&mut self, var: ShapeVar, elements: &[Element]) -> Outcome {
        let occurs = |element: &Element| *element == Element::Rest(var);
        if !elements.iter().any(occurs) {
            self.bind_shape(var, Shape::new(elements.to_vec()));
            return Outcome::Assumed;
        }
        // `s == t@s` leaves only the empty shape for `t`.
        let others: Vec<Element> = elements.iter().filter(|element| !occurs(element)).copied().collect();
        if elements.len() - others.len() > 1 {
            // `s == s@s`
            return self.bind_all_empty(elements);
        }
        self.bind_all_empty(&others)
    }

    /// Several shape variables: decided only where the other side leaves them no dimension.
    fn unify_several(&mut self, left: &[Element], right: &[Element], binding: Binding) -> Outcome {
        let (open, closed) = if left.iter().any(is_rest) { (left, right) } else { (right, left) };
        let dims: Vec<Element> = open.iter().filter(|element| !is_rest(element)).copied().collect();
        if closed.iter().any(is_rest) {
            self.record(Constraint::SameShape(Shape::new(left.to_vec()), Shape::new(right.to_vec())), binding);
            return Outcome::Assumed;
        }
        if dims.len() > closed.len() {
            return Outcome::Violated;
        }
        if dims.len() == closed.len() {
            let rests: Vec<Element> = open.iter().filter(|element| is_rest(element)).copied().collect();
            let emptied = self.bind_all_empty(&rests);
            return emptied.and(self.unify_parts(&Shape::new(dims), &Shape::new(closed.to_vec()), binding));
        }
        self.record(Constraint::SameShape(Shape::new(left.to_vec()), Shape::new(right.to_vec())), binding);
        Outcome::Assumed
    }

    /// The dimensions of a shape that has this rank or can be given it: a shape variable in it is bound to fresh free
    /// dimensions. `None` where the rank is another, or where several shape variables leave open which of them grows
    /// (a `Constraint::Rank` tells the two apart).
    pub fn with_rank(&mut self, shape: &Shape, rank: usize) -> Option<Vec<Dim>> {
        let resolved = self.resolve_shape(shape);
        let missing = rank.checked_sub(resolved.minimum_rank())?;
        let vars: Vec<ShapeVar> = resolved.shape_vars().collect();
        match vars.as_slice() {
            [] if missing > 0 => return None,
            [] => {}
            [var] => self.bind_shape(*var, Shape::known(self.front_of(*var, missing))),
            several if missing == 0 => {
                for var in several {
                    if self.shape_binding(*var).is_none() {
                        self.bind_shape(*var, Shape::scalar());
                    }
                }
            }
            _ => return None,
        }
        self.resolve_shape(&resolved).dims()
    }

    /// The same; where several shape variables leave open which of them grows, the dimensions that are known at either end, and fresh ones
    /// between them. `None` only where the rank is another.
    pub fn dims_of_rank(&mut self, shape: &Shape, rank: usize) -> Option<Vec<Dim>> {
        if let Some(dims) = self.with_rank(shape, rank) {
            return Some(dims);
        }
        let resolved = self.resolve_shape(shape);
        if resolved.minimum_rank() > rank || resolved.shape_vars().count() < 2 {
            return None;
        }
        let known: Vec<Option<Dim>> = resolved.elements().iter().map(Element::as_dim).collect();
        let front: Vec<Dim> = known.iter().map_while(|dim| *dim).collect();
        let mut back: Vec<Dim> = known.iter().rev().map_while(|dim| *dim).collect();
        back.reverse();
        let between = rank.checked_sub(front.len() + back.len())?;
        let var = ShapeVar::fresh("s");
        Some(front.into_iter().chain(fresh_dims(var, between)).chain(back).collect())
    }

    /// The first `front` dimensions, the rest, and the last `back` dimensions. A shape variable in the way is bound to
    /// fresh free dimensions and a shorter shape variable. `None` if the rank is too small.
    pub fn split(&mut self, shape: &Shape, front: usize, back: usize) -> Option<(Vec<Dim>, Shape, Vec<Dim>)> {
        let mut resolved = self.resolve_shape(shape);
        if resolved.rank().is_some_and(|rank| rank < front.saturating_add(back)) {
            return None;
        }
        if resolved.rank().is_none() {
            let prefix = resolved.elements().iter().take_while(|element| !is_rest(element)).count();
            let suffix = resolved.elements().iter().rev().take_while(|element| !is_rest(element)).count();
            // Of two open parts in a row either may be the one that has the dimension.
            let are_several = resolved.shape_vars().nth(1).is_some();
            let [asks_front, asks_back] =
                [front > prefix && (suffix > 0 || are_several), back > suffix && (prefix > 0 || are_several)];
            match self.fixes_ranks && !self.has_hidden_rank(&resolved) {
                // `dim=1` of a tensor of which the last dimension is known is mostly that one or the one before it.
                true if asks_front => resolved = self.with_least_rank(&resolved, front + back),
                // `dim=-1` of one of which the first dimensions are known is taken to be another, which leaves open more.
                true if asks_back => {
                    let rank = resolved.minimum_rank() + back.saturating_sub(suffix);
                    self.fixed_ranks.push(FixedRank { rank, is_least: true });
                }
                false if asks_front || asks_back => {
                    let parts = split_detached(&resolved, [front, prefix], [back, suffix]);
                    if self.fixes_ranks {
                        self.hide_rank(&parts.1);
                    }
                    return Some(parts);
                }
                _ => {}
            }
        }
        // One round may meet a shape variable at the front, one at the back, and a neighbour of each that was empty.
        for _ in 0..=2 * resolved.elements().len() {
            let elements = resolved.elements();
            let ready_front = elements.iter().take_while(|element| !is_rest(element)).count();
            let ready_back = elements.iter().rev().take_while(|element| !is_rest(element)).count();
            if resolved.rank().is_some() {
                break;
            }
            if ready_front < front {
                self.grow(elements.get(ready_front).copied()?, front - ready_front, Side::Front);
            } else if ready_back < back {
                let index = elements.len().checked_sub(ready_back + 1)?;
                self.grow(elements.get(index).copied()?, back - ready_back, Side::Back);
            } else {
                break;
            }
            resolved = self.resolve_shape(&resolved);
        }
        let elements = resolved.elements();
        let middle_end = elements.len().checked_sub(back)?;
        let dims = |part: &[Element]| part.iter().map(Element::as_dim).collect::<Option<Vec<Dim>>>();
        let first = dims(elements.get(..front)?)?;
        let rest = Shape::new(elements.get(front..middle_end)?.to_vec());
        let last = dims(elements.get(middle_end..)?)?;
        Some((first, rest, last))
    }

    /// The shape with as few dimensions as it can have, but at least so many.
    fn with_least_rank(&mut self, shape: &Shape, least: usize) -> Shape {
        let mut missing = least.saturating_sub(shape.minimum_rank());
        for var in shape.shape_vars().collect::<Vec<_>>() {
            if self.shape_binding(var).is_none() {
                self.bind_shape(var, Shape::known(self.front_of(var, std::mem::take(&mut missing))));
            }
        }
        let fixed = self.resolve_shape(shape);
        self.fixed_ranks.push(FixedRank { rank: fixed.minimum_rank(), is_least: false });
        fixed
    }

    /// The first dimensions of a shape variable: those that it has on other paths too, but in each run for a signature its own.
    fn front_of(&self, var: ShapeVar, count: usize) -> Vec<Dim> {
        if self.fixes_ranks { fresh_dims(var, count) } else { front_dims(var, count) }
    }

    /// Gives a shape variable `count` dimensions at one side and a fresh shape variable for what remains.
    fn grow(&mut self, element: Element, count: usize, side: Side) {
        let Element::Rest(var) = element else {
            return;
        };
        // Where signatures are inferred, every run has unknowns of its own.
        let is_memorised = !self.fixes_ranks;
        let rest = |part| match is_memorised {
            true => Element::Rest(interner::with(|table| table.rest_of(var, part))),
            false => Element::Rest(ShapeVar::fresh(&var.name())),
        };
        let grown: Vec<Element> = match side {
            Side::Front => {
                let dims = self.front_of(var, count).into_iter().map(Element::Dim);
                dims.chain([rest(Part::Front(count))]).collect()
            }
            Side::Back => {
                let dims = if is_memorised { back_dims(var, count) } else { fresh_dims(var, count) };
                [rest(Part::Back { count, index: 0 })].into_iter().chain(dims.into_iter().map(Element::Dim)).collect()
            }
        };
        self.bind_shape(var, Shape::new(grown));
    }
}

/// Where known dimensions stand on the other side of a shape variable, the ones asked for may be those: nothing is bound, and what is
/// not known is fresh.
fn split_detached(
    shape: &Shape,
    [front, prefix]: [usize; 2],
    [back, suffix]: [usize; 2],
) -> (Vec<Dim>, Shape, Vec<Dim>) {
    let known = |element: &Element| element.as_dim();
    let var = ShapeVar::fresh("s");
    let mut first: Vec<Dim> = shape.elements().iter().take(front.min(prefix)).filter_map(known).collect();
    first.extend(front_dims(var, front.saturating_sub(prefix)));
    let mut last: Vec<Dim> = shape.elements().iter().rev().take(back.min(suffix)).filter_map(known).collect();
    last.reverse();
    let mut all = back_dims(var, back.saturating_sub(suffix));
    all.extend(last);
    // What lies between is another shape: were it `var`, its first dimension would be that of the whole.
    (first, Shape::new(vec![Element::Rest(ShapeVar::fresh("rest"))]), all)
}

/// A rank that was taken for granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FixedRank {
    pub rank: usize,
    /// Whether there may be more dimensions.
    pub is_least: bool,
}

enum Side {
    Front,
    Back,
}

fn is_rest(element: &Element) -> bool {
    matches!(element, Element::Rest(_))
}

/// A fresh free dimension.
pub(super) fn fresh_dim(name: &str) -> Dim {
    Dim::var(Var::fresh(VarInfo::free(name)))
}
