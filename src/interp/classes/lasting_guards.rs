//! What an object of a class shows by being there: the assertions of its constructor hold on each path on which it is
//! used, also where the path on which it was made ended, as that of one arm of an `if` or of an iteration that may not
//! be.

use std::rc::Rc;

use crate::heap::objects::{InstanceData, Payload};
use crate::paths::branch::ArmResult;
use crate::state::interpreter::{Eval, Interpreter};
use crate::values::value::Value;
use harp_python::name::Name;
use harp_shape::{Constraint, Verdict};

/// The argument of an object of the program under which its guards are kept.
const GUARDS: &str = "\u{1}guards";
/// So many guards of an object are kept.
const MOST_GUARDS: usize = 16;

/// The guards that were passed on the way through constructors.
#[derive(Debug, Default)]
pub struct PassedGuards {
    facts: Vec<Constraint>,
    /// Where the running constructor began.
    construction: Option<Surroundings>,
}

/// What tells whether all ways through a constructor come to a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Surroundings {
    exits: usize,
    loops: usize,
    caught: usize,
}

impl Interpreter<'_> {
    /// Runs the constructor of an object, and keeps what it asserts with the object.
    pub(crate) fn construct_guarded(&mut self, instance: &Value, run: impl FnOnce(&mut Self) -> Eval<()>) -> Eval<()> {
        let Value::Instance(id) = instance else { return run(self) };
        let here = self.surroundings_here();
        let outer = self.calls.passed_guards.construction.replace(here);
        let first = self.calls.passed_guards.facts.len();
        let result = run(self);
        self.calls.passed_guards.construction = outer;
        let own = self.calls.passed_guards.facts.get(first..).unwrap_or_default();
        if result.is_ok()
            && !own.is_empty()
            && let Some(data) = self.heap.instance(*id)
        {
            let guards = own.iter().take(MOST_GUARDS).map(|fact| Value::Condition(Rc::new(fact.clone())));
            let guards = (Name::new(GUARDS), Value::tuple(guards.collect()));
            let known = data.arguments.iter().filter(|(name, _)| name.as_str() != GUARDS).cloned();
            let arguments = known.chain([guards]).collect();
            let data = InstanceData { class: data.class.clone(), arguments, origin: data.origin };
            self.heap.set_payload(*id, Payload::Instance(Rc::new(data)));
        }
        // What one object asserts holds for the object that it is made for, too, unless that one may be there without it.
        if result.is_err() || outer != Some(here) {
            self.calls.passed_guards.facts.truncate(first);
        }
        result
    }

    /// Notes what holds from here on, as the program raises where it does not.
    pub(crate) fn note_passed(&mut self, constraint: &Constraint) {
        if self.inference.is_none() && self.calls.passed_guards.construction == Some(self.surroundings_here()) {
            self.calls.passed_guards.facts.push(constraint.clone());
        }
    }

    /// Notes what the only arm that survived has passed.
    pub(crate) fn note_passed_arm<T>(&mut self, arm: &ArmResult<T>) {
        arm.guards.iter().chain(&arm.constraint).for_each(|guard| self.note_passed(guard));
    }

    pub(crate) fn guards_passed(&self) -> usize {
        self.calls.passed_guards.facts.len()
    }

    /// Takes back what an arm has passed.
    pub(crate) fn take_passed(&mut self, first: usize) -> Vec<Constraint> {
        let first = first.min(self.calls.passed_guards.facts.len());
        self.calls.passed_guards.facts.split_off(first)
    }

    /// Takes for granted what the constructor of the receiver of a method asserts.
    pub(crate) fn assume_made(&mut self, receiver: Option<&Value>) {
        let Some(Value::Instance(id)) = receiver else { return };
        let Some(data) = self.heap.instance(*id) else { return };
        let Some(Value::Tuple(guards)) = guards_of(data) else { return };
        for guard in guards.iter() {
            // What contradicts the path says only that it was joined with others.
            if let Value::Condition(guard) = guard
                && !matches!(self.solver.judge(guard), Verdict::Holds | Verdict::Violated)
            {
                self.solver.assume(guard);
            }
        }
    }

    fn surroundings_here(&self) -> Surroundings {
        Surroundings { exits: self.pending.len(), loops: self.loops.abstract_loops, caught: self.exceptions.caught }
    }
}

fn guards_of(data: &InstanceData) -> Option<Value> {
    data.arguments.iter().find(|(name, _)| name.as_str() == GUARDS).map(|(_, guards)| guards.clone())
}
