//! Lists in inferred signatures that a loop fills: as many items as the loop has iterations, where each iteration adds
//! as many as the others.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::heap::objects::{Content, Heap, ListData, Location, LogMark, Payload};
use crate::loops::asks_iteration_number::children;
use crate::loops::novelty::Watch;
use crate::state::interpreter::Interpreter;
use crate::values::random_integers::is_drawn;
use crate::values::value::{ObjectId, Value};
use harp_python::ir::{Expr, ExprKind};
use harp_python::name::Name;
use harp_shape::{Constraint, Dim, Var, VarInfo, Verdict};

/// How lists grow in the iterations of a loop.
#[derive(Debug)]
pub struct Growth {
    /// The state before the loop.
    before: LogMark,
    /// The items that each iteration added; `None` where iterations differ.
    added: FxHashMap<ObjectId, Option<usize>>,
    /// By how many items each iteration made lists longer of which not all items were known before the loop.
    opened: FxHashMap<ObjectId, Option<i64>>,
    /// When the loop began, as lengths of lists were noted.
    lengths: usize,
    /// What the first iteration added to lists, where that is one item.
    items: FxHashMap<ObjectId, Value>,
    /// By how much each iteration changed a number of a name or attribute; `None` where iterations differ.
    numbers: FxHashMap<Location, Option<Dim>>,
    /// Numbers of names to which an iteration added one that it drew.
    drawn: FxHashSet<Name>,
    /// In how many iterations each of these was seen to change.
    changes: FxHashMap<Location, usize>,
    iterations: usize,
    /// Whether anybody can say how many iterations there are.
    is_counted: bool,
    /// The number of the last iteration, where the body asks for it.
    pub last: Option<Value>,
    /// Whether the loop may have one iteration alone.
    pub may_be_once: bool,
    /// What the iterations have shown that were executed one by one before.
    pub watch: Option<Watch>,
}

impl Growth {
    pub fn new(before: LogMark, lengths: usize, is_counted: bool) -> Growth {
        let (added, opened, items, numbers, drawn, changes) = Default::default();
        Growth {
            before,
            added,
            opened,
            lengths,
            items,
            numbers,
            drawn,
            changes,
            iterations: 0,
            is_counted,
            last: None,
            may_be_once: false,
            watch: None,
        }
    }

    /// The state before the loop.
    pub fn before(&self) -> LogMark {
        self.before
    }

    /// An item of a list to which each iteration added one.
    pub fn item_of_each(&self, list: ObjectId) -> Option<&Value> {
        let is_one = matches!(self.added.get(&list), Some(Some(1)));
        self.items.get(&list).filter(|_| is_one)
    }

    /// Notes by how many items an iteration made a list longer of which not all items are known.
    pub fn note_open(&mut self, list: ObjectId, grown: Option<i64>) {
        let known = self.opened.entry(list).or_insert(grown);
        if *known != grown {
            *known = None;
        }
    }

    /// Whether the test compares a number to which the rounds add what they draw, and none that tells how many rounds there are.
    fn ends_by_chance(&self, test: &Expr) -> bool {
        let ExprKind::Compare { .. } = test.kind else { return false };
        let counts = |name: Name| {
            let is_of_name = |location: &Location| matches!(location, Location::Attribute(_, own) if *own == name);
            self.numbers.iter().any(|(location, step)| step.is_some() && is_of_name(location))
        };
        let mut is_by_chance = false;
        for side in children(test) {
            match &side.kind {
                ExprKind::Name(name) if counts(*name) => return false,
                ExprKind::Name(name) => is_by_chance |= self.drawn.contains(name),
                ExprKind::Int(_) => {}
                _ => return false,
            }
        }
        is_by_chance
    }

    /// Notes what an iteration added since it began at `mark`.
    pub fn note_iteration(&mut self, heap: &Heap, mark: LogMark) {
        if !self.is_counted {
            return;
        }
        for ((location, old), (_, new)) in heap.old_since(mark).iter().zip(heap.delta_since(mark)) {
            *self.changes.entry(*location).or_default() += 1;
            if let (Content::Attribute(Some(old)), Content::Attribute(Some(new))) = (old, &new) {
                let step = match (old, new) {
                    (Value::Int(old), Value::Int(new)) => Some(*new - *old),
                    _ => None,
                };
                if let (Location::Attribute(_, name), Some(step)) = (location, step)
                    && step.vars().into_iter().any(is_drawn)
                {
                    self.drawn.insert(*name);
                }
                let step = step.filter(|step| step.as_const().is_some());
                let known = self.numbers.entry(*location).or_insert(if self.iterations == 0 { step } else { None });
                if *known != step {
                    *known = None;
                }
            }
            let (Location::Payload(id), Content::Payload(Payload::List(old)), Content::Payload(Payload::List(new))) =
                (location, old, new)
            else {
                continue;
            };
            if old.rest.is_some() {
                // Widened already: what is added no longer shows.
                continue;
            }
            // A loop or a condition within the iteration says how many.
            let added = if new.rest.is_some() { None } else { new.items.len().checked_sub(old.items.len()) };
            let is_first = self.iterations == 0;
            if let ([item], true, None) = (&new.items[..], is_first, &new.rest) {
                self.items.insert(*id, item.clone());
            }
            let known = self.added.entry(*id).or_insert(if is_first { added } else { None });
            if *known != added {
                *known = None;
            }
        }
        self.iterations += 1;
    }
}

impl Interpreter<'_> {
    /// Notes how long lists are after a loop of so many iterations.
    pub fn note_lengths(&mut self, growth: &Growth, trips: Dim) {
        if growth.added.is_empty() && growth.opened.is_empty()
            || self.solver.judge(&Constraint::LessEqual(Dim::constant(0), trips)) != Verdict::Holds
        {
            return;
        }
        for (location, old) in self.heap.old_since(growth.before) {
            let (Location::Payload(id), Content::Payload(Payload::List(old))) = (location, old) else { continue };
            if self.heap.is_newer(location, growth.before) {
                continue;
            }
            let Some(list) = self.heap.list(id).cloned() else { continue };
            if old.rest.is_some() {
                if let (Some(Some(grown)), Some(length)) =
                    (growth.opened.get(&id), self.length_at(id, &old, growth.lengths))
                    && self.inference.is_none()
                {
                    let length = self.solver.resolve(length + Dim::constant(*grown) * trips);
                    self.tables.counts.insert(id, (Payload::List(list), length));
                }
                continue;
            }
            let Some(Some(added)) = growth.added.get(&id) else { continue };
            // Of items of several sizes no number says how large they are together: `[zeros(0, 3)]`, to which rows are appended.
            let are_alike = || old.items.iter().all(|item| self.is_as_before(Some(item), list.rest.as_ref()));
            if list.rest.is_some() && !are_alike() {
                continue;
            }
            let count = |count: usize| Dim::constant(i64::try_from(count).unwrap_or(i64::MAX));
            let length = count(old.items.len()) + count(*added) * trips;
            match &mut self.inference {
                Some(run) => {
                    run.lengths.insert(id, (list, length));
                }
                None => self.tables.counts.insert(id, (Payload::List(list), length)),
            }
        }
    }

    /// Notes after a loop of unknown length that lists and numbers which grow in each of its rounds have grown equally often.
    pub fn note_rounds(&mut self, growth: &mut Growth, test: &Expr) {
        // Of a list whose items are not told any more, the first two rounds are seen.
        let changes = |location: Location| growth.changes.get(&location).copied().unwrap_or_default();
        let rounds = growth.iterations;
        growth.added.retain(|id, _| changes(Location::Payload(*id)) >= rounds.min(2));
        growth.numbers.retain(|location, _| changes(*location) == rounds);
        let lists = growth.added.values().filter(|added| matches!(added, Some(1..))).count();
        let is_step = |step: &&Option<Dim>| step.is_some_and(|step| step.as_const() != Some(0));
        let numbers = growth.numbers.values().filter(is_step).count();
        if lists == 0 || lists + numbers < 2 {
            return;
        }
        let make = if growth.ends_by_chance(test) { VarInfo::varying } else { VarInfo::counted };
        let rounds = Dim::var(Var::fresh(make("rounds")));
        self.note_lengths(growth, rounds);
        for (location, old) in self.heap.old_since(growth.before) {
            let Content::Attribute(Some(Value::Int(old))) = old else { continue };
            let step = growth.numbers.get(&location).copied().flatten();
            if let Some(step) = step.filter(|_| !self.heap.is_newer(location, growth.before)) {
                self.heap.store(location, Content::Attribute(Some(Value::Int(old + step * rounds))));
            }
        }
    }

    /// The length of a list of which not all items are known.
    pub fn length_of_filled(&self, list: &Value) -> Option<Dim> {
        let Value::List(id) = self.read(list) else { return None };
        let (filled, length) = self.inference.as_ref()?.lengths.get(&id)?;
        let is_as_filled = self.heap.list(id).is_some_and(|now: &Rc<ListData>| Rc::ptr_eq(now, filled));
        is_as_filled.then_some(*length)
    }
}
