//! What stands in a table under a key that is not known: a class, a function or an object, each under a key of its own. They are told apart as
//! the arms of a branch are. What is looked up twice under one key goes together, and agrees with what else the program asks of the key.

use std::rc::Rc;
use std::sync::Arc;

use crate::paths::truth::Asked;
use crate::state::interpreter::{Interpreter, Speculation};
use crate::values::value::{DecisionId, Guard, Literal, ObjectId, Value};
use harp_corpus::Span;
use harp_python::ir::Function;
use harp_trace::assumption::{AssumptionKind, words};

/// As many entries are told apart, and as many where one of another table was taken. On a way on which more were taken, none are.
const MOST: [usize; 2] = [4, 2];
/// Of a larger table no more entries are looked at.
const MOST_LOOKED_AT: usize = 256;

/// Entries of which one is looked up.
struct Table {
    entries: Vec<(Value, Value)>,
    /// Whether there are others, under keys that the program may mean as well.
    has_others: bool,
}

impl Interpreter<'_> {
    /// One of the entries of a dictionary: alternatives, where they have too little in common to become one value.
    pub(crate) fn entry_by_key(&mut self, key: &Value, entries: &[(Value, Value)], joined: Value, span: Span) -> Value {
        if !joined.is_unknown() || self.inference.is_some() {
            return joined;
        }
        let is_meant = |value: &Value| value.is_none() || self.is_told_apart(value);
        let is_table =
            entries.iter().any(|(_, value)| !value.is_none()) && entries.iter().all(|(_, value)| is_meant(value));
        if !is_table {
            return joined;
        }
        let table = Table { entries: entries.to_vec(), has_others: entries.len() > MOST_LOOKED_AT };
        self.one_of_table(key, table, span).unwrap_or(joined)
    }

    /// What a module has under a name that is not known.
    pub(crate) fn member_by_key(&mut self, module: ObjectId, key: &Value, span: Span) -> Option<Value> {
        let attributes = self.heap.object(module).attributes.iter();
        let entries: Vec<(Value, Value)> =
            attributes.map(|(name, value)| (Value::str(name.as_str()), value.clone())).collect();
        self.member_of_names(&entries, key, span)
    }

    /// The same of the names of a module: one of the classes and functions that the program defines. Classes come first.
    pub(crate) fn member_of_names(&mut self, names: &[(Value, Value)], key: &Value, span: Span) -> Option<Value> {
        if self.inference.is_some() {
            return None;
        }
        let is_public = |name: &Value| name.as_text().is_some_and(|name| name.starts_with(char::is_alphabetic));
        let mut entries: Vec<(Value, Value)> = names
            .iter()
            .filter(|(name, value)| is_public(name) && self.is_defined_here(value))
            .take(MOST_LOOKED_AT)
            .cloned()
            .collect();
        entries.sort_by_key(|(_, value)| !matches!(value, Value::Class(_)));
        self.one_of_table(key, Table { entries, has_others: true }, span)
    }

    /// Whether a class or a function is the program's own.
    fn is_defined_here(&self, value: &Value) -> bool {
        let file = match value {
            Value::Class(id) => self.heap.class(*id).map(|data| data.definition.file),
            // One that runs is not the one that it looks up.
            Value::Function(closure) => {
                let is_running = |known: &Arc<Function>| Arc::ptr_eq(known, &closure.function);
                let runs = self.frames.iter().any(|frame| frame.function.as_ref().is_some_and(is_running));
                (!runs).then_some(closure.function.file)
            }
            _ => None,
        };
        file.is_some_and(|file| !self.corpus.is_foreign(file))
    }

    fn one_of_table(&mut self, key: &Value, mut table: Table, span: Span) -> Option<Value> {
        let most = *MOST.get(self.choices.taken_on(&self.path))?;
        let mut told: Vec<(Value, DecisionId, Value)> = Vec::new();
        for (place, (known, value)) in table.entries.iter().take(MOST_LOOKED_AT).enumerate() {
            if told.iter().any(|(_, _, before)| before.same(value)) {
                continue;
            }
            if told.len() == most {
                table.has_others = true;
                break;
            }
            match self.asked_whether_key(key, (known, place), span) {
                Asked::Known(true) => return Some(self.read(value)),
                Asked::Known(false) => {}
                Asked::Decision(decision) => {
                    self.choices.note_entry(decision);
                    told.push((known.clone(), decision, value.clone()));
                }
            }
        }
        if told.is_empty() || (table.has_others && !self.takes_for_one_of(key, &told, span)) {
            return None;
        }
        if let [(_, _, value)] = &told[..] {
            return Some(self.read(value));
        }
        let guard = |place: usize| -> Guard {
            let refused = told[..place].iter().map(|(_, decision, _)| Literal { decision: *decision, taken: false });
            refused.chain([Literal { decision: told[place].1, taken: true }]).collect()
        };
        let alternatives = told.iter().enumerate().map(|(place, (_, _, value))| (guard(place), value.clone()));
        Some(Value::Alternatives(Rc::new(alternatives.collect())))
    }

    /// Whether a key that is not known is that of an entry.
    fn asked_whether_key(&mut self, key: &Value, (known, place): (&Value, usize), span: Span) -> Asked {
        let is_constant = known.as_text().is_some() || known.as_int().is_some() || known.is_none();
        if let (Value::Symbolic(id), true) = (key, is_constant) {
            let text = self.heap.symbolic(*id).map(|data| format!("{} == {}", data.description, known.describe()));
            match self.memoised_comparison(key, known) {
                Value::Bool(is_it) => return Asked::Known(is_it),
                Value::Symbolic(answer) => return self.asked_of_answer(answer, &text.unwrap_or_default(), span),
                _ => {}
            }
        }
        // Of a key that has no identity each place of a call asks once.
        let frame = self.frames.last().map_or(0, |frame| frame.number);
        let decision = match self.choices.by_place(span, frame, place) {
            Some(decision) => decision,
            None => {
                let text = format!("`{}` is the entry {}", self.source_text(span), known.describe());
                let decision = self.new_decision(&text, None);
                self.choices.note_place(span, frame, place, decision);
                decision
            }
        };
        match self.path.way_of(decision) {
            Some(taken) => Asked::Known(taken),
            None => Asked::Decision(decision),
        }
    }

    /// Whether a key may be taken for one of these, of more than there are.
    fn takes_for_one_of(&mut self, key: &Value, told: &[(Value, DecisionId, Value)], span: Span) -> bool {
        let names: Vec<String> = told.iter().map(|(known, ..)| known.describe()).collect();
        let key = match key {
            Value::Symbolic(id) => self.heap.symbolic(*id).map(|data| data.description.to_string()),
            _ => None,
        };
        let subject = key.unwrap_or_else(|| self.source_text(span).to_owned());
        let text = words::some_entry_first(&subject, names.join(", "));
        let evidence = "the table has others".to_owned();
        self.speculate(AssumptionKind::SomeEntry, &subject, text, evidence, span) != Speculation::Denied
    }
}
