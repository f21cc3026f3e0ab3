//! Variables that only the body of a loop binds, which may have no iteration at all: the verdict says that it has one
//! where they are read.

use crate::budget::costly_calls::EntryKind;
use crate::state::interpreter::Interpreter;
use crate::values::value::{Iteration, ObjectId};
use harp_corpus::Span;
use harp_python::name::Name;
use harp_shape::{Constraint, Dim, Verdict};
use rustc_hash::{FxHashMap, FxHashSet};

/// What a loop goes over, by the variable that it alone binds.
pub type PerhapsUnbound = FxHashMap<(ObjectId, Name), Span>;

impl Interpreter<'_> {
    /// The variables that have a value before a loop of which it is not known whether it runs.
    pub(crate) fn names_unless_run(&self, iteration: &Iteration, over_batches: bool) -> Option<FxHashSet<Name>> {
        let is_judged = self.entry_kind != EntryKind::Symbolic && self.inference.is_none() && self.caught == 0;
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
        self.perhaps_unbound.extend(bound.into_iter().map(|name| ((scope, name), over)));
    }

    /// A variable is read: if only a loop binds it, the verdict says that the loop runs.
    pub(crate) fn state_bound(&mut self, name: Name) {
        let Some(scope) = self.scope_of_variables() else { return };
        if let Some(over) = self.perhaps_unbound.remove(&(scope, name)) {
            let what = self.source_text(over).split_whitespace().collect::<Vec<_>>().join(" ");
            self.provided(format!("`{what}` is not empty"));
        }
    }

    /// A variable gets a value.
    pub(crate) fn is_bound_now(&mut self, name: Name) {
        if let Some(scope) = self.scope_of_variables() {
            self.perhaps_unbound.remove(&(scope, name));
        }
    }

    /// What holds the variables of the code that runs.
    fn scope_of_variables(&self) -> Option<ObjectId> {
        let frame = self.frames.last()?;
        Some(if frame.function.is_some() { frame.locals } else { frame.globals })
    }
}
