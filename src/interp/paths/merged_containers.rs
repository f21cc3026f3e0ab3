//! Joins lists, dictionaries and the like that the arms of a branch left different.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::generators::generator_objects::merged;
use crate::heap::objects::{DictData, ListData, Payload};
use crate::paths::branch::is_left_by_all;
use crate::state::interpreter::Interpreter;
use crate::values::value::{Guard, Value};

/// Keys that only some arms give a dictionary are remembered as such up to this number.
const MOST_DOUBTFUL: usize = 64;

impl Interpreter<'_> {
    /// What the arms leave in an object besides its attributes.
    pub(crate) fn merge_payloads(&mut self, guards: &[Guard], payloads: Vec<Payload>) -> Payload {
        if let Some((first, others)) = payloads.split_first()
            && others.iter().all(|other| is_one_container(first, other))
        {
            return first.clone();
        }
        let lists: Vec<&ListData> =
            payloads.iter().filter_map(|p| if let Payload::List(data) = p { Some(&**data) } else { None }).collect();
        if lists.len() == payloads.len() && !lists.is_empty() {
            return Payload::List(Rc::new(self.merge_lists(guards, &lists)));
        }
        let dicts: Vec<&DictData> =
            payloads.iter().filter_map(|p| if let Payload::Dict(data) = p { Some(&**data) } else { None }).collect();
        if dicts.len() == payloads.len() && !dicts.is_empty() {
            return Payload::Dict(Rc::new(self.merge_dicts(guards, &dicts)));
        }
        let generators: Vec<_> = payloads
            .iter()
            .filter_map(|payload| if let Payload::Generator(data) = payload { Some(Rc::clone(data)) } else { None })
            .collect();
        if let Some(data) = merged(&generators) {
            return Payload::Generator(data);
        }
        let symbolic = payloads.iter().all(|payload| matches!(payload, Payload::Symbolic(_)));
        if symbolic {
            // Refined on one arm only: elsewhere its type is still open.
            let open = payloads.iter().find(|p| matches!(p, Payload::Symbolic(data) if data.refined.is_none()));
            if let Some(open) = open {
                return open.clone();
            }
        }
        payloads.into_iter().next().unwrap_or(Payload::Plain)
    }

    fn merge_lists(&mut self, guards: &[Guard], lists: &[&ListData]) -> ListData {
        let shortest = lists.iter().map(|list| list.items.len()).min().unwrap_or(0);
        let mut items = Vec::with_capacity(shortest);
        for index in 0..shortest {
            let alternatives =
                guards.iter().zip(lists).map(|(guard, list)| (Rc::clone(guard), list.items[index].clone())).collect();
            items.push(self.join(alternatives));
        }
        let mut rest: Vec<Value> = lists.iter().flat_map(|list| list.items[shortest..].iter().cloned()).collect();
        rest.extend(lists.iter().filter_map(|list| list.rest.clone()));
        let rest = (!rest.is_empty()).then(|| self.widen(&rest));
        ListData { items, rest }
    }

    fn merge_dicts(&mut self, guards: &[Guard], dicts: &[&DictData]) -> DictData {
        let mut entries: Vec<(Value, Vec<(Guard, Value)>)> = Vec::new();
        // Places of the keys that are texts, and of all others.
        let (mut texts, mut others) = (FxHashMap::<Rc<str>, usize>::default(), Vec::<usize>::new());
        let mut looked = dicts.iter().map(|dict| dict.entries.len()).sum();
        for (guard, dict) in guards.iter().zip(dicts) {
            // Most entries are there from before the arms, in the same order.
            let mut next = 0;
            for (key, value) in &dict.entries {
                let alternative = (Rc::clone(guard), value.clone());
                let is_next = entries.get(next).is_some_and(|(known, values)| {
                    values.last().is_some_and(|(of, _)| !Rc::ptr_eq(of, guard)) && known.same_key(key)
                });
                let known = match key.as_text() {
                    _ if is_next => Some(next),
                    Some(text) => texts.get(text).copied(),
                    None => {
                        looked += others.len();
                        others.iter().copied().find(|&place| entries[place].0.same_key(key))
                    }
                };
                match (known, key) {
                    (Some(place), _) => {
                        next = place + 1;
                        entries[place].1.push(alternative);
                        continue;
                    }
                    (None, Value::Str(Some(text))) => _ = texts.insert(Rc::clone(text), entries.len()),
                    (None, _) => others.push(entries.len()),
                }
                entries.push((key.clone(), vec![alternative]));
            }
        }
        self.pay_for_items(looked);
        let rest = dicts.iter().find_map(|dict| dict.rest.clone());
        let doubtful = self.doubtful_entries(guards, dicts, &entries);
        let entries = entries.into_iter().map(|(key, values)| (key, self.join_entry(values))).collect();
        let mut merged = DictData::new(entries, rest);
        merged.doubtful = doubtful;
        merged
    }

    /// The value of a key; most are what they were before the arms.
    fn join_entry(&mut self, values: Vec<(Guard, Value)>) -> Value {
        match values.split_first() {
            Some(((_, first), others)) if is_left_by_all(first, others.iter().map(|(_, value)| value)) => first.clone(),
            _ => self.join(values),
        }
    }

    /// The keys that some of the arms leave without an entry, with the truth of their being there.
    fn doubtful_entries(
        &mut self,
        guards: &[Guard],
        dicts: &[&DictData],
        entries: &[(Value, Vec<(Guard, Value)>)],
    ) -> Vec<(Value, Value)> {
        // Most dictionaries have many more entries than are in doubt.
        let in_doubt: Vec<&Value> = dicts.iter().flat_map(|dict| &dict.doubtful).map(|(key, _)| key).collect();
        let texts: FxHashSet<&str> = in_doubt.iter().filter_map(|key| key.as_text()).collect();
        let may_be_in_doubt = |key: &Value| match key.as_text() {
            Some(text) => texts.contains(text),
            None => in_doubt.len() > texts.len(),
        };
        let is_in_doubt = |(key, values): &&(Value, Vec<(Guard, Value)>)| {
            values.len() < dicts.len() || may_be_in_doubt(key) && dicts.iter().any(|dict| dict.doubt_of(key).is_some())
        };
        let keys: Vec<Value> =
            entries.iter().filter(is_in_doubt).take(MOST_DOUBTFUL).map(|(key, _)| key.clone()).collect();
        let mut doubtful = Vec::with_capacity(keys.len());
        for key in keys {
            let truths = guards.iter().zip(dicts).map(|(guard, dict)| {
                let truth = match (dict.find(&key), dict.doubt_of(&key)) {
                    (Some(_), Some(truth)) => truth.clone(),
                    (Some(_), None) => Value::Bool(true),
                    // Of what an unknown number of entries may be, nothing is said.
                    (None, _) if dict.rest.is_some() => Value::Unknown("membership"),
                    (None, _) => Value::Bool(false),
                };
                (Rc::clone(guard), truth)
            });
            let truths = truths.collect();
            let truth = self.join(truths);
            if !matches!(truth, Value::Bool(true)) {
                doubtful.push((key, truth));
            }
        }
        doubtful
    }
}

/// Whether both are the very same list or dictionary, which neither arm changed.
fn is_one_container(one: &Payload, other: &Payload) -> bool {
    match (one, other) {
        (Payload::List(one), Payload::List(other)) => Rc::ptr_eq(one, other),
        (Payload::Dict(one), Payload::Dict(other)) => Rc::ptr_eq(one, other),
        _ => false,
    }
}
