//! Calls of the program's own decorators that give back what they get. A package that has each of its classes
//! documented by a decorator spends more on reading and writing texts than on everything else in its modules. Where
//! such a function has given back its argument again and again, and has changed nothing but what documents it, it is
//! taken to do so with the next one.

use rustc_hash::FxHashMap;

use crate::budget::costly_calls::{EntryKind, Place};
use crate::calls::call::CallArguments;
use crate::heap::location::Location;
use crate::heap::objects::LogMark;
use crate::state::interpreter::{Eval, Interpreter, Speculation};
use crate::values::value::{ObjectId, Value};
use harp_python::ir::Function;
use harp_trace::assumption::{AssumptionKind, words};

/// So many calls in sequence are evidence.
const ENOUGH_CALLS: u32 = 32;
/// Functions whose calls have taken fewer steps together are executed each time.
const ENOUGH_STEPS: u64 = 8_000;
/// A function of which so many calls did more, such as to load what it needs, is one that does more.
const MOST_OTHERS: u32 = 4;
/// Attributes that say what a class or a function is, not what it does.
const DOCUMENTING: [&str; 6] =
    ["__doc__", "__name__", "__qualname__", "__module__", "__signature__", "__text_signature__"];

/// What functions did with classes and functions that they were given first.
#[derive(Debug, Default)]
pub(crate) struct GivenBack(FxHashMap<Place, Record>);

#[derive(Debug, Default)]
struct Record {
    /// How many calls in sequence gave back what they got, and how many steps they took.
    calls: u32,
    steps: u64,
    /// How many calls gave something else, or changed something.
    others: u32,
}

/// The state of the program when a call of such a function began.
pub(crate) struct BeforeGivingBack {
    place: Place,
    given: Value,
    heap: LogMark,
    steps: u64,
    work: [usize; 3],
}

impl Interpreter<'_> {
    /// What a function gives that has given back what it got often enough.
    pub(crate) fn given_back_again(&mut self, function: &Function, arguments: &CallArguments) -> Option<Value> {
        if self.entry.kind != EntryKind::Module {
            return None;
        }
        let record = self.caches.given_back.0.get(&(function.file, function.range.start))?;
        let is_settled = record.calls >= ENOUGH_CALLS && record.steps >= ENOUGH_STEPS;
        let given = arguments.positional.first().filter(|given| is_decorated(given) && is_settled)?.clone();
        let name = function.qualified_name.to_string();
        let evidence = format!("{} calls did so and changed nothing but its documentation", record.calls);
        let text = words::as_before_given_back(&name);
        let span = function.name_range.in_file(function.file);
        match self.speculate(AssumptionKind::AsBefore, &name, text, evidence, span) {
            Speculation::Assumed(_) | Speculation::Confirmed => Some(given),
            Speculation::Denied => None,
        }
    }

    pub(crate) fn before_giving_back(&self, function: &Function, given: Option<&Value>) -> Option<BeforeGivingBack> {
        let place = (function.file, function.range.start);
        let given = given.filter(|given| self.entry.kind == EntryKind::Module && is_decorated(given))?;
        if self.caches.given_back.0.get(&place).is_some_and(|record| record.others > MOST_OTHERS) {
            return None;
        }
        Some(BeforeGivingBack {
            place,
            given: given.clone(),
            heap: self.heap.mark(),
            steps: self.steps_without_summaries(),
            work: self.work_beside_the_heap(),
        })
    }

    pub(crate) fn note_given_back(&mut self, before: BeforeGivingBack, result: &Eval) {
        let is_same = result.as_ref().is_ok_and(|result| result.same(&before.given));
        let did_more = !is_same || self.work_beside_the_heap() != before.work || !self.only_documents(&before);
        let steps = self.steps_without_summaries().saturating_sub(before.steps);
        let record = self.caches.given_back.0.entry(before.place).or_default();
        if did_more {
            *record = Record { others: record.others + 1, ..Record::default() };
        } else {
            record.calls += 1;
            record.steps = record.steps.saturating_add(steps);
        }
    }

    /// Layers, operations, and objects given to calls that are not understood.
    fn work_beside_the_heap(&self) -> [usize; 3] {
        let [on_tensors, layers] = self.work.costs.work();
        [on_tensors, layers, self.tables.handed_out.changes() as usize]
    }

    /// Whether of all that was there before a call nothing changed but what documents the argument.
    fn only_documents(&self, before: &BeforeGivingBack) -> bool {
        let object = match &before.given {
            Value::Class(id) => Some(*id),
            Value::Function(closure) => closure.attributes.get(),
            _ => None,
        };
        let is_meant = |id: ObjectId, name: &str| Some(id) == object && DOCUMENTING.contains(&name);
        let documents =
            |place: &Location| matches!(place, Location::Attribute(id, name) if is_meant(*id, name.as_str()));
        let is_newer = |place: &Location| self.heap.is_newer(*place, before.heap);
        let changes = self.heap.peek_old_since(before.heap);
        // What a function has for attributes is made with the first of them.
        let made = object.filter(|id| is_newer(&Location::Payload(*id)));
        let mut attributes = made.iter().flat_map(|id| self.heap.peek(*id).attributes.iter());
        attributes.all(|(name, _)| DOCUMENTING.contains(&name.as_str()))
            && changes.iter().all(|(place, _)| is_newer(place) || documents(place))
    }
}

/// Whether a decorator can be applied to it.
fn is_decorated(value: &Value) -> bool {
    matches!(value, Value::Class(_) | Value::Function(_))
}
