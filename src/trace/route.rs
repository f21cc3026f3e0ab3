//! The trace's routes: the way on which the execution came to where it is, through the entry, calls, branches,
//! iterations. It is recorded for those who ask for it.
//!
//! A route is a list that grows at its end and shares its beginning with the routes that branched off from it, so that keeping one costs a
//! pointer, and going back to where a branch began is to take the route of then.

use std::rc::Rc;

use harp_corpus::Span;

/// What happened at a place on the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StepKind {
    /// Execution starts; the text names the entry.
    Entry,
    /// A function of the program is called; the text names it.
    Call,
    /// A condition was known.
    Decided { holds: bool, why: Why },
    /// A condition was not known: each way was followed, and this is one of them.
    Followed { holds: bool },
    /// The other ways of the branch do not come here: they end the program, or leave the function or the iteration.
    OnlyWay { ends: bool },
    /// One of the values was taken that something has on different ways; the text is the condition.
    Alternative,
    /// An iteration of a loop; the text says which.
    Iteration,
    /// Different ways of a branch met again; the place is where they parted.
    Merged { ways: usize },
}

/// Why a condition was known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// Its operands are.
    Constant,
    /// Settings have their defaults; the text says which.
    Default(Rc<str>),
    /// It follows from the sizes that are known; the text is the condition over them.
    Sizes(Rc<str>),
    /// It was decided before on this way.
    Before,
}

/// Something on the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    pub kind: StepKind,
    pub span: Span,
    pub text: Rc<str>,
}

#[derive(Debug)]
struct Node {
    step: Step,
    before: Route,
    /// How many steps there are with this one.
    length: u32,
}

/// What happened until some moment; empty where nobody asked.
#[derive(Clone, Debug, Default)]
pub struct Route(Option<Rc<Node>>);

impl Route {
    /// Adds a step at the end.
    pub fn push(&mut self, step: Step) {
        let before = std::mem::take(self);
        let length = before.len() + 1;
        self.0 = Some(Rc::new(Node { step, before, length }));
    }

    fn len(&self) -> u32 {
        self.0.as_ref().map_or(0, |node| node.length)
    }

    /// The steps in their order.
    pub fn steps(&self) -> Vec<&Step> {
        self.apart_from(&Route::default())
    }

    /// The same way from an entry of another name.
    pub fn entered_as(&self, name: impl FnOnce() -> String) -> Route {
        let mut route = Route::default();
        let mut steps = self.steps().into_iter();
        if let Some(first) = steps.next() {
            route.push(Step { text: Rc::from(name()), ..first.clone() });
        }
        steps.for_each(|step| route.push(step.clone()));
        route
    }

    /// The steps that this way took after it had parted from the other.
    pub fn apart_from(&self, other: &Route) -> Vec<&Step> {
        let (mut here, mut there) = (self.0.as_deref(), other.0.as_deref());
        let mut steps = Vec::new();
        while let Some(node) = here {
            while let Some(longer) = there.filter(|other| other.length > node.length) {
                there = longer.before.0.as_deref();
            }
            if there.is_some_and(|other| std::ptr::eq(other, node)) {
                break;
            }
            steps.push(&node.step);
            here = node.before.0.as_deref();
        }
        steps.reverse();
        steps
    }
}

/// Long routes are taken apart step by step, since each would otherwise end inside the one after it.
impl Drop for Route {
    fn drop(&mut self) {
        let mut next = self.0.take();
        while let Some(node) = next {
            next = Rc::into_inner(node).and_then(|mut node| node.before.0.take());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use harp_corpus::FileId;

    fn step(at: u32) -> Step {
        Step { kind: StepKind::Alternative, span: Span::new(FileId(0), at, at), text: Rc::from("") }
    }

    #[test]
    fn routes_share_their_beginning() {
        let mut common = Route::default();
        common.push(step(1));
        let (mut left, mut right) = (common.clone(), common);
        left.push(step(2));
        right.push(step(3));
        right.push(step(4));
        let places = |steps: Vec<&Step>| steps.iter().map(|step| step.span.start).collect::<Vec<_>>();
        assert_eq!(places(right.steps()), [1, 3, 4]);
        assert_eq!(places(right.apart_from(&left)), [3, 4]);
        assert_eq!(places(left.apart_from(&Route::default())), [1, 2]);
    }

    #[test]
    fn a_long_route_ends_without_a_deep_stack() {
        let mut route = Route::default();
        (0..1_000_000).for_each(|at| route.push(step(at)));
        let other = route.clone();
        drop(route);
        assert_eq!(other.steps().len(), 1_000_000);
    }
}
