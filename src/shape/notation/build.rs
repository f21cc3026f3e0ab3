//! Builds the shapes that a signature in the notation returns.

use super::scope::Scope;
use super::{Domain, Loop, Pattern, Sequence};
use crate::{Dim, Shape, Solver};

/// What a call returns, as far as its signature says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Returned {
    /// No tensor, or one of which nothing is said.
    #[default]
    Nothing,
    /// Python's `None`.
    None,
    /// A tensor. One of which nothing is known has a fresh unknown shape.
    Shape(Shape),
    /// A tuple of known length.
    Tuple(Vec<Returned>),
    /// A list of known length.
    List(Vec<Returned>),
    /// A list or tuple of unknown length, all of whose items are alike; with the length as a number, where there is one.
    Several(Box<Returned>, Option<Dim>),
    /// What is returned depends on an argument that is not known.
    Unknown,
}

impl Returned {
    pub(super) fn collect_shapes(&self, shapes: &mut Vec<Shape>) {
        match self {
            Returned::Nothing | Returned::None | Returned::Unknown => {}
            Returned::Shape(shape) => shapes.push(shape.clone()),
            Returned::Tuple(items) | Returned::List(items) => items.iter().for_each(|item| item.collect_shapes(shapes)),
            Returned::Several(item, _) => item.collect_shapes(shapes),
        }
    }

    /// What is known where it is not known which of the two is returned.
    fn or(self, other: Returned) -> Returned {
        match (self, other) {
            (one, other) if one == other => one,
            (Returned::Shape(_), Returned::Shape(_)) => Returned::Shape(Shape::unknown("s")),
            (Returned::Tuple(one), Returned::Tuple(other)) if one.len() == other.len() => {
                Returned::Tuple(one.into_iter().zip(other).map(|(one, other)| one.or(other)).collect())
            }
            _ => Returned::Unknown,
        }
    }
}

impl Scope<'_> {
    pub(super) fn build(&mut self, pattern: &Pattern, solver: &mut Solver) -> Returned {
        match pattern {
            Pattern::Nothing => Returned::Nothing,
            Pattern::None => Returned::None,
            Pattern::Shape(shape) => {
                let built = self.shape(shape, solver);
                Returned::Shape(built.map_or_else(|| Shape::unknown("s"), |built| solver.resolve_shape(&built)))
            }
            Pattern::Tuple(patterns) => {
                Returned::Tuple(patterns.iter().map(|pattern| self.build(pattern, solver)).collect())
            }
            Pattern::List(sequence, item, over) => self.build_list(*sequence, item, over.as_ref(), solver),
            Pattern::If(condition, yes, no) => match self.truth(condition, solver) {
                Some(true) => self.build(yes, solver),
                Some(false) => self.build(no, solver),
                None => {
                    // What one arm says is wrong need not be.
                    let (errors, broadcasts, fits) =
                        (self.wrong_arguments.len(), self.broadcasts.len(), self.fits.len());
                    let (yes, no) = (self.build(yes, solver), self.build(no, solver));
                    self.wrong_arguments.truncate(errors);
                    self.broadcasts.truncate(broadcasts);
                    self.fits.truncate(fits);
                    yes.or(no)
                }
            },
        }
    }

    fn build_list(&mut self, sequence: Sequence, item: &Pattern, over: Option<&Loop>, solver: &mut Solver) -> Returned {
        let Some(over) = over else { return Returned::Several(Box::new(self.build(item, solver)), None) };
        let wrong = self.wrong_arguments.len();
        match self.run(over, solver, |scope, solver| Some(scope.build(item, solver))) {
            Some(items) if sequence == Sequence::List => Returned::List(items),
            Some(items) => Returned::Tuple(items),
            None => {
                let mut uses_variable = false;
                item.for_each_name(&mut |name, _| uses_variable |= name == over.variable);
                if uses_variable || self.wrong_arguments.len() > wrong {
                    return Returned::Unknown;
                }
                let count = match &over.over {
                    Domain::Range(count) => self.dim(count, solver),
                    Domain::Items(_) => None,
                };
                Returned::Several(Box::new(self.build(item, solver)), count.map(|count| solver.resolve(count)))
            }
        }
    }
}
