//! Variables that may be unbound after a loop or a branch, as only the loop's body or some arms bind them: where they
//! are read, the verdict says that it has an iteration, or that such an arm is taken.

use std::rc::Rc;

use crate::budget::costly_calls::EntryKind;
use crate::heap::location::Location;
use crate::state::interpreter::Interpreter;
use crate::values::value::{Guard, Iteration, Literal, ObjectId};
use harp_corpus::Span;
use harp_python::name::Name;
use harp_shape::{Constraint, Dim, Verdict};
use rustc_hash::{FxHashMap, FxHashSet};

/// So many ways to bind a variable are kept.
const MOST_WAYS: usize = 8;

/// What binds a variable that may have no value.
#[derive(Clone, Debug)]
pub enum Binding {
    /// A loop over this.
    Loop(Span),
    /// Arms of branches: the decisions that lead to each, behind the way to the first branch, which was so long.
    Arms { ways: Vec<Guard>, base: usize },
}

/// What binds variables, by the scope and the name.
pub type PerhapsUnbound = FxHashMap<(ObjectId, Name), Binding>;

impl Interpreter<'_> {
    /// The variables that have a value before a loop of which it is not known whether it runs.
    pub(crate) fn names_unless_run(&self, iteration: &Iteration, over_batches: bool) -> Option<FxHashSet<Name>> {
        let is_judged = self.judges_unbound();
        let count = match iteration {
            Iteration::Counter { start, stop: Some(stop), .. } => *stop - *start,
            Iteration::Repeated { count: Some(count), .. } if !over_batches => *count,
            _ => return None,
        };
        let is_some = |count: Dim| self.solver.at_default(count).is_some_and(|count| count >= 1);
        let runs = is_some(count) || self.solver.judge(&Constraint::LessEqual(Dim::ONE, count)) == Verdict::Holds;
        if !is_judged || runs {
            return None;
        }
        let scope = self.scope_of_variables()?;
        Some(self.heap.object(scope).attributes.iter().map(|(name, _)| name).collect())
    }

    /// Notes the variables that a loop has bound which may not have run.
    pub(crate) fn note_perhaps_unbound(&mut self, before: &FxHashSet<Name>, over: Span) {
        let Some(scope) = self.scope_of_variables() else { return };
        let names = self.heap.object(scope).attributes.iter().map(|(name, _)| name);
        let bound: Vec<Name> = names.filter(|name| !before.contains(name)).collect();
        self.perhaps_unbound.extend(bound.into_iter().map(|name| ((scope, name), Binding::Loop(over))));
    }

    /// A variable is read: if only a loop binds it, the verdict says that the loop runs.
    pub(crate) fn state_bound(&mut self, name: Name) {
        let Some(scope) = self.scope_of_variables() else { return };
        match self.perhaps_unbound.get(&(scope, name)).cloned() {
            None => {}
            Some(Binding::Loop(over)) => {
                self.perhaps_unbound.remove(&(scope, name));
                let what = self.source_text(over).split_whitespace().collect::<Vec<_>>().join(" ");
                self.provided(format!("`{what}` is not empty"));
            }
            // Elsewhere it may be read on another way.
            Some(Binding::Arms { ways, .. }) => {
                let is_bound = ways.iter().any(|way| way.iter().all(|literal| self.is_settled_here(*literal)));
                let condition = (!is_bound).then(|| self.condition_to_bind(name, &ways));
                condition.into_iter().for_each(|condition| self.provided(condition));
            }
        }
    }

    fn judges_unbound(&self) -> bool {
        self.entry.kind != EntryKind::Symbolic && self.inference.is_none() && self.exceptions.caught == 0
    }

    /// Notes a variable that only some of the arms bind which go on together.
    pub(crate) fn note_bound_by_arms(&mut self, location: Location, guards: &[Guard], bound: &[bool]) {
        let Location::Attribute(scope, name) = location else { return };
        if !self.judges_unbound() || self.scope_of_variables() != Some(scope) {
            return;
        }
        if self.heap.attribute(scope, name).is_some() {
            return;
        }
        let ways: Vec<Guard> =
            guards.iter().zip(bound).filter(|(_, bound)| **bound).map(|(way, _)| way.clone()).collect();
        let is_asked = |way: &Guard| {
            let texts = way.iter().filter_map(|literal| self.decisions.get(literal.decision.0 as usize));
            let (mut asked, mut all) = (false, true);
            texts.for_each(|decision| {
                asked |= !decision.text.is_empty();
                all &= decision.asked_at.is_some() || decision.place.is_some();
            });
            asked && all
        };
        if ways.len() <= MOST_WAYS && ways.iter().all(is_asked) {
            let base = self.path.len();
            self.perhaps_unbound.insert((scope, name), Binding::Arms { ways, base });
        }
    }

    /// Whether a decision was taken on the way, or what is known of sizes decides it so.
    fn is_settled_here(&self, literal: Literal) -> bool {
        let constraint = self.decisions.get(literal.decision.0 as usize).and_then(|it| it.constraint.clone());
        self.path.tells(literal)
            || constraint.is_some_and(|constraint| {
                let wanted = if literal.taken { constraint } else { Constraint::Not(Box::new(constraint)) };
                self.solver.judge(&wanted) == Verdict::Holds
            })
    }

    fn condition_to_bind(&self, name: Name, ways: &[Guard]) -> String {
        let words = match ways {
            [way] => way.iter().map(|literal| self.condition(literal)).collect::<Vec<_>>(),
            _ => Vec::new(),
        };
        if words.is_empty() || words.iter().any(String::is_empty) {
            return format!("`{name}` has a value");
        }
        words.join(" and ").split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// A variable gets a value.
    pub(crate) fn is_bound_now(&mut self, name: Name) {
        let Some(scope) = self.scope_of_variables() else { return };
        // On a way of its own it is one way more.
        if let Some(Binding::Arms { ways, base }) = self.perhaps_unbound.get_mut(&(scope, name))
            && let Some(way @ [_, ..]) = self.path.get(*base..)
            && ways.len() < MOST_WAYS
        {
            ways.push(Rc::from(way));
            return;
        }
        self.perhaps_unbound.remove(&(scope, name));
    }

    /// What holds the variables of the code that runs.
    fn scope_of_variables(&self) -> Option<ObjectId> {
        let frame = self.frames.last()?;
        Some(if frame.function.is_some() { frame.locals } else { frame.globals })
    }
}
