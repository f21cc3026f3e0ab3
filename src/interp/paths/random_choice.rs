//! Branches by chance: one of a few known things, such as a layer by an index that is drawn, or a function that is.
//! What differs too much to become one value is told apart, in scripts, as the arms of a branch are.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::budget::costly_calls::EntryKind;
use crate::state::interpreter::Interpreter;
use crate::values::value::{DecisionId, Guard, Literal, Value};
use harp_corpus::Span;
use harp_shape::Dim;

/// As many things are told apart.
const MOST: usize = 4;
const ORDINALS: [&str; MOST] = ["first", "second", "third", "fourth"];

/// The decisions by which things were chosen in the running entry, by the number that was drawn and how many things there were: who asks again by
/// the same number gets the same.
#[derive(Debug, Default)]
pub(crate) struct Choices {
    by_number: FxHashMap<(Dim, usize), Rc<[DecisionId]>>,
    /// By the place where a key is looked up, the number of the call, and the place of the entry in its table.
    by_place: FxHashMap<(Span, u64, usize), DecisionId>,
    /// Decisions that take an entry of a table.
    entries: FxHashSet<DecisionId>,
}

impl Choices {
    pub(crate) fn clear(&mut self) {
        self.by_number.clear();
        self.by_place.clear();
        self.entries.clear();
    }

    pub(crate) fn note_entry(&mut self, decision: DecisionId) {
        self.entries.insert(decision);
    }

    /// How many entries of tables were taken on a path.
    pub(crate) fn taken_on(&self, path: &[Literal]) -> usize {
        if self.entries.is_empty() {
            return 0;
        }
        path.iter().filter(|literal| literal.taken && self.entries.contains(&literal.decision)).count()
    }

    pub(crate) fn by_place(&self, span: Span, call: u64, entry: usize) -> Option<DecisionId> {
        self.by_place.get(&(span, call, entry)).copied()
    }

    pub(crate) fn note_place(&mut self, span: Span, call: u64, entry: usize, decision: DecisionId) {
        self.by_place.insert((span, call, entry), decision);
    }
}

impl Interpreter<'_> {
    /// One value for several of which one is chosen: alternatives where they have too little in common.
    pub fn chosen(&mut self, items: &[Value], joined: Value, by: Option<Dim>, span: Span) -> Value {
        let is_script = self.entry.kind != EntryKind::Symbolic && self.inference.is_none();
        let mut distinct: Vec<&Value> = Vec::new();
        for item in items {
            if !distinct.iter().any(|known| known.same(item)) {
                distinct.push(item);
            }
        }
        let are_few = (2..=MOST).contains(&distinct.len());
        let is_lost = joined.is_unknown() || matches!(joined, Value::Str(None));
        if !is_script || !is_lost || !are_few || !distinct.iter().all(|item| self.is_told_apart(item)) {
            return joined;
        }
        let decisions = self.decisions_of_choice(by, distinct.len(), span);
        let guard = |place: usize| -> Guard {
            let refused = decisions[..place].iter().map(|decision| Literal { decision: *decision, taken: false });
            let taken = decisions.get(place).map(|decision| Literal { decision: *decision, taken: true });
            refused.chain(taken).collect()
        };
        Value::Alternatives(Rc::new(
            distinct.into_iter().enumerate().map(|(place, item)| (guard(place), item.clone())).collect(),
        ))
    }

    /// Layers, functions, classes, and names.
    pub(crate) fn is_told_apart(&self, item: &Value) -> bool {
        matches!(
            self.read(item),
            Value::Instance(_)
                | Value::Str(Some(_))
                | Value::Class(_)
                | Value::Function(_)
                | Value::BoundMethod(_)
                | Value::Library(_)
                | Value::LibraryMethod(_)
        )
    }

    fn decisions_of_choice(&mut self, by: Option<Dim>, count: usize, span: Span) -> Rc<[DecisionId]> {
        let by = by.map(|number| self.solver.resolve(number));
        if let Some(known) = by.and_then(|by| self.choices.by_number.get(&(by, count))) {
            return Rc::clone(known);
        }
        let source = self.source_text(span).to_owned();
        let decisions: Rc<[DecisionId]> = (0..count - 1)
            .map(|place| {
                let text = format!("`{source}` is the {} of {count}", ORDINALS[place]);
                self.new_decision(&text, None)
            })
            .collect();
        if let Some(by) = by {
            self.choices.by_number.insert((by, count), Rc::clone(&decisions));
        }
        decisions
    }
}
