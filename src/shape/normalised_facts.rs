//! The solver's facts in normal form under its present bindings, made when first asked for.
//!
//! A binding changes only the facts in which the variable occurs, and going back takes what there was before it. What was made before an entry
//! is kept when the entry's variables are forgotten. Facts are found by the variables in them, so that a question looks at those alone that it
//! can reach.

use std::cell::{Cell, RefCell};
use std::hash::{Hash, Hasher};
use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::constraint::Constraint;
use crate::decision_cache::{self, Lanes};
use crate::dim::Dim;
use crate::formula::Formula;
use crate::interner::{Remembered, remembered};
use crate::polynomial::Factor;
use crate::shapes::Element;
use crate::variable::{ShapeVar, Var};

/// A fact in normal form.
#[derive(Debug)]
pub(super) struct PreparedFact {
    pub formula: Formula,
    pub is_condition: bool,
    pub leaves: Vec<Factor>,
    /// No other fact that the thread ever made has it.
    pub id: u64,
}

/// Which fact: the number of what was recorded, and the number in what that comes to.
pub(super) type Place = (u32, u32);

/// What one recorded fact comes to: several facts where it is a conjunction, none where it says nothing of numbers.
#[derive(Clone, Debug)]
struct Entry {
    /// The length of the solver's trail when it was made.
    made_at: usize,
    form: Form,
}

/// A normal form.
#[derive(Clone, Debug)]
struct Form {
    facts: Rc<[PreparedFact]>,
    /// The shape variables in it, where it has any.
    shapes: Option<Rc<[ShapeVar]>>,
    /// What there was of dimensions when it was made: nothing in it is younger.
    known: Remembered,
}

/// For each recorded fact its normal form, where it is known. It is no part of the solver's state.
#[derive(Clone, Debug, Default)]
pub(super) struct Prepared {
    entries: RefCell<Entries>,
    /// What bindings took the place of, in their order.
    replaced: Vec<Replaced>,
    forms: RefCell<Forms>,
}

/// Normal forms by the number of what was recorded, and where variables stand in them.
#[derive(Clone, Debug, Default)]
struct Entries {
    slots: Vec<Option<Entry>>,
    /// The slots without a form, perhaps with some that have one by now.
    vacant: Vec<usize>,
    /// The facts with a variable, or an atom of a shape variable, in them; sorted.
    by_leaf: FxHashMap<Factor, Vec<Place>>,
    /// What was recorded with a shape variable in it; sorted.
    by_shape: FxHashMap<ShapeVar, Vec<usize>>,
    /// What was found for leaves, as long as no entry changes.
    reached: FxHashMap<Vec<Factor>, Rc<Reached>>,
}

/// The facts that a question can reach: those that share a variable with it, directly or through other facts.
#[derive(Debug)]
pub(super) struct Reached {
    /// By how many other facts they are away, then in the order of their making.
    pub facts: Vec<Place>,
    /// What the question and the facts have in them; sorted.
    pub leaves: Vec<Factor>,
    /// What stands for the numbers of the facts.
    pub digest: decision_cache::Form,
}

/// The form of a fact before a binding.
#[derive(Clone, Debug)]
struct Replaced {
    /// The length of the solver's trail before the binding.
    at: usize,
    /// Of the fact.
    index: usize,
    entry: Entry,
}

/// Normal forms by what they are of. An arm of a branch that is left takes back the bindings that it made, and most facts are then again what
/// they were.
#[derive(Clone, Debug, Default)]
struct Forms {
    known: FxHashMap<Rc<Resolved>, Form>,
    /// What they are of, in the order of their making.
    order: Vec<Rc<Resolved>>,
}

/// A fact under some bindings, and whether it is a condition.
type Resolved = (Constraint, bool);

/// Normal forms kept at a time.
const MAX_FORMS: usize = 4_096;
/// Forms before bindings that are kept at a time.
const MAX_REPLACED: usize = 65_536;
/// Beyond so many facts no others are looked for.
pub(super) const MAX_RELEVANT: usize = 64;

thread_local! {
    static NEXT_ID: Cell<u64> = const { Cell::new(0) };
}

impl PartialEq for Prepared {
    fn eq(&self, _: &Prepared) -> bool {
        true
    }
}

impl Prepared {
    /// Makes the normal forms that are missing. `resolve` applies the present bindings to a fact; `moment` is the trail's length.
    pub fn complete(
        &self,
        facts: &[Constraint],
        is_condition: impl Fn(usize) -> bool,
        moment: usize,
        resolve: impl Fn(&Constraint) -> Constraint,
    ) {
        let mut entries = self.entries.borrow_mut();
        let known = entries.slots.len();
        if known == facts.len() && entries.vacant.is_empty() {
            return;
        }
        entries.slots.resize(facts.len(), None);
        entries.vacant.extend(known..facts.len());
        for index in std::mem::take(&mut entries.vacant) {
            if let (Some(None), Some(fact)) = (entries.slots.get(index), facts.get(index)) {
                let form = self.forms.borrow_mut().form((resolve(fact), is_condition(index)));
                entries.put(index, Entry { made_at: moment, form });
            }
        }
    }

    /// The facts that leaves, which are sorted, have to do with.
    pub fn reach(&self, leaves: Vec<Factor>) -> Rc<Reached> {
        let mut entries = self.entries.borrow_mut();
        if entries.by_leaf.is_empty() {
            return Rc::new(Reached { facts: Vec::new(), leaves, digest: Lanes::default().form() });
        }
        if let Some(known) = entries.reached.get(&leaves) {
            return Rc::clone(known);
        }
        if entries.reached.len() >= MAX_FORMS {
            entries.reached.clear();
        }
        let reached = Rc::new(entries.reach(leaves.clone()));
        entries.reached.insert(leaves, Rc::clone(&reached));
        reached
    }

    /// Looks at the facts in some places.
    pub fn for_each(&self, places: &[Place], look: impl FnMut(&PreparedFact)) {
        let entries = self.entries.borrow();
        places.iter().filter_map(|place| entries.fact(*place)).for_each(look);
    }

    /// Lays aside what a new binding of a variable changes; `moment` is the trail's length before it.
    pub fn lay_aside(&mut self, var: Var, moment: usize) {
        let places = self.entries.get_mut().by_leaf.get(&Factor::Var(var));
        let mut changed: Vec<usize> = places.into_iter().flatten().map(|(index, _)| *index as usize).collect();
        changed.dedup();
        self.replace(moment, changed);
    }

    /// Lays aside what a new binding of a shape variable changes: facts that had no numbers may have some now.
    pub fn lay_shape_aside(&mut self, shape: ShapeVar, moment: usize) {
        let changed = self.entries.get_mut().by_shape.get(&shape).cloned().unwrap_or_default();
        self.replace(moment, changed);
    }

    fn replace(&mut self, at: usize, changed: Vec<usize>) {
        if self.replaced.len() > MAX_REPLACED {
            self.replaced.clear();
        }
        let entries = self.entries.get_mut();
        for index in changed {
            self.replaced.extend(entries.take(index).map(|entry| Replaced { at, index, entry }));
        }
    }

    /// Takes back what bindings after a moment took the place of, and forgets what was made since.
    pub fn go_back(&mut self, moment: usize) {
        let entries = self.entries.get_mut();
        entries.retain(|entry| entry.made_at <= moment);
        while let Some(Replaced { index, entry, .. }) = self.replaced.pop_if(|replaced| replaced.at >= moment) {
            // What is older than the moment was there at the moment.
            if entry.made_at <= moment && index < entries.slots.len() {
                entries.take(index);
                entries.put(index, entry);
            }
        }
    }

    /// Forgets what was made with dimensions that are forgotten.
    pub fn forget_since(&mut self, moment: Remembered) {
        self.entries.get_mut().retain(|entry| entry.form.known.is_within(moment));
        self.replaced.retain(|replaced| replaced.entry.form.known.is_within(moment));
        let Forms { known, order } = self.forms.get_mut();
        // Those before the first that knew no more are all older.
        while let Some(last) = order.last() {
            if known.get(last).is_some_and(|form| form.known.is_within(moment)) {
                break;
            }
            known.remove(last);
            order.pop();
        }
    }

    /// Forgets the facts beyond a number of them.
    pub fn keep(&mut self, facts: usize) {
        let entries = self.entries.get_mut();
        for index in facts..entries.slots.len() {
            entries.take(index);
        }
        entries.slots.truncate(facts);
    }
}

impl Entries {
    fn put(&mut self, index: usize, entry: Entry) {
        let Some(slot) = self.slots.get_mut(index) else { return };
        self.reached.clear();
        for place in places(index, &entry.form) {
            for leaf in leaves_of(&entry.form, place) {
                insert(self.by_leaf.entry(*leaf).or_default(), place);
            }
        }
        for shape in entry.form.shapes.iter().flat_map(|shapes| shapes.iter()) {
            insert(self.by_shape.entry(*shape).or_default(), index);
        }
        *slot = Some(entry);
    }

    fn take(&mut self, index: usize) -> Option<Entry> {
        let entry = self.slots.get_mut(index)?.take()?;
        self.reached.clear();
        for place in places(index, &entry.form) {
            for leaf in leaves_of(&entry.form, place) {
                remove(&mut self.by_leaf, leaf, place);
            }
        }
        for shape in entry.form.shapes.iter().flat_map(|shapes| shapes.iter()) {
            remove(&mut self.by_shape, shape, index);
        }
        self.vacant.push(index);
        Some(entry)
    }

    fn retain(&mut self, is_kept: impl Fn(&Entry) -> bool) {
        for index in 0..self.slots.len() {
            if self.slots[index].as_ref().is_some_and(|entry| !is_kept(entry)) {
                self.take(index);
            }
        }
    }

    fn fact(&self, (index, part): Place) -> Option<&PreparedFact> {
        self.slots.get(index as usize)?.as_ref()?.form.facts.get(part as usize)
    }

    fn reach(&self, mut leaves: Vec<Factor>) -> Reached {
        let mut facts: Vec<Place> = Vec::new();
        let mut fresh = leaves.clone();
        let mut last_round = 0;
        loop {
            let mut met: Vec<Place> =
                fresh.iter().filter_map(|leaf| self.by_leaf.get(leaf)).flatten().copied().collect();
            met.sort_unstable();
            met.dedup();
            // A leaf that was not met before is in no fact of earlier rounds than the last.
            met.retain(|place| facts[last_round..].binary_search(place).is_err());
            let of_met = met.iter().filter_map(|place| self.fact(*place)).flat_map(|fact| &fact.leaves);
            fresh = of_met.filter(|leaf| leaves.binary_search(leaf).is_err()).copied().collect();
            fresh.sort_unstable();
            fresh.dedup();
            leaves.extend(&fresh);
            leaves.sort_unstable();
            last_round = facts.len();
            facts.extend(met);
            if fresh.is_empty() || facts.len() >= MAX_RELEVANT {
                let mut digest = Lanes::default();
                facts.iter().filter_map(|place| self.fact(*place)).for_each(|fact| digest.write_u64(fact.id));
                return Reached { facts, leaves, digest: digest.form() };
            }
        }
    }
}

/// The places of the facts that something recorded comes to.
fn places(index: usize, form: &Form) -> impl Iterator<Item = Place> + use<> {
    let place = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    (0..form.facts.len()).map(move |part| (place(index), place(part)))
}

fn leaves_of(form: &Form, (_, part): Place) -> &[Factor] {
    form.facts.get(part as usize).map_or(&[], |fact| &fact.leaves)
}

/// Adds an item to a sorted list.
fn insert<T: Ord>(list: &mut Vec<T>, item: T) {
    if let Err(at) = list.binary_search(&item) {
        list.insert(at, item);
    }
}

/// Takes an item out of the sorted list of a key.
fn remove<K: Eq + Hash, T: Ord>(lists: &mut FxHashMap<K, Vec<T>>, key: &K, item: T) {
    let Some(list) = lists.get_mut(key) else { return };
    if let Ok(at) = list.binary_search(&item) {
        list.remove(at);
    }
    if list.is_empty() {
        lists.remove(key);
    }
}

impl Forms {
    fn form(&mut self, resolved: Resolved) -> Form {
        if let Some(known) = self.known.get(&resolved) {
            return known.clone();
        }
        if self.known.len() >= MAX_FORMS {
            *self = Forms::default();
        }
        let facts = prepare(&resolved.0, resolved.1);
        let form = Form { facts, shapes: shape_variables(&resolved.0), known: remembered() };
        let resolved = Rc::new(resolved);
        self.order.push(Rc::clone(&resolved));
        self.known.insert(resolved, form.clone());
        form
    }
}

fn shape_variables(constraint: &Constraint) -> Option<Rc<[ShapeVar]>> {
    let found = RefCell::new(Vec::new());
    let look = |dim: Dim| found.borrow_mut().extend(dim.shape_vars());
    constraint.for_each(&mut |dim| look(dim), &mut |shape| {
        for element in shape.elements() {
            match element {
                Element::Dim(dim) => look(*dim),
                Element::Rest(var) => found.borrow_mut().push(*var),
                Element::Ragged => {}
            }
        }
    });
    let found = found.into_inner();
    (!found.is_empty()).then(|| Rc::from(found))
}

fn prepare(resolved: &Constraint, is_condition: bool) -> Rc<[PreparedFact]> {
    let formulas = match Formula::of(resolved) {
        Formula::And(parts) => parts,
        Formula::True | Formula::False | Formula::Unclear => Vec::new(),
        other => vec![other],
    };
    let prepared = |formula: Formula| {
        let id = NEXT_ID.get();
        NEXT_ID.set(id + 1);
        PreparedFact { leaves: formula.leaves(), formula, is_condition, id }
    };
    formulas.into_iter().map(prepared).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Shape, Solver, VarInfo, VarKind};

    /// The normal forms of all facts.
    fn forms(solver: &Solver) -> Vec<String> {
        solver.complete_prepared_facts();
        let entries = solver.prepared().entries.borrow();
        let facts = entries.slots.iter().flatten().flat_map(|entry| entry.form.facts.iter());
        facts.map(|fact| format!("{:?} {} {:?}", fact.formula, fact.is_condition, fact.leaves)).collect()
    }

    /// The facts that a formula can reach, found by looking at all of them in each round.
    fn reached_by_looking_at_all(solver: &Solver, formula: &Formula) -> Vec<String> {
        solver.complete_prepared_facts();
        let entries = solver.prepared().entries.borrow();
        let mut waiting: Vec<&PreparedFact> =
            entries.slots.iter().flatten().flat_map(|entry| entry.form.facts.iter()).collect();
        let (mut leaves, mut reached) = (formula.leaves(), Vec::new());
        loop {
            let shares = |fact: &&PreparedFact| fact.leaves.iter().any(|leaf| leaves.contains(leaf));
            let (met, others): (Vec<_>, Vec<_>) = waiting.into_iter().partition(shares);
            if met.is_empty() {
                return reached;
            }
            leaves.extend(met.iter().flat_map(|fact| &fact.leaves));
            reached.extend(met.iter().map(|fact| format!("{:?}", fact.formula)));
            waiting = others;
        }
    }

    fn reached(solver: &Solver, formula: &Formula) -> Vec<String> {
        let mut found = Vec::new();
        let reached = solver.reach(formula.leaves());
        solver.prepared().for_each(&reached.facts, |fact| found.push(format!("{:?}", fact.formula)));
        found
    }

    fn constraints() -> Vec<Constraint> {
        let info = |name: &str| VarInfo {
            name: name.to_owned(),
            kind: VarKind::Free,
            default: None,
            lower: Some(1),
            upper: None,
            source: None,
        };
        let [a, b, c] = ["a", "b", "c"].map(|name| Dim::var(Var::fresh(info(name))));
        let [s, t] = ["s", "t"].map(|name| Shape::new(vec![Element::Rest(ShapeVar::fresh(name))]));
        let two = Dim::constant(2);
        vec![
            Constraint::Equal(a, b * two),
            Constraint::Equal(b, Dim::constant(3)),
            Constraint::Equal(s.prod(), a * c),
            Constraint::Equal(t.rank_dim(), two),
            Constraint::SameShape(s.clone(), Shape::known(vec![a, c])),
            Constraint::SameShape(t.clone(), s.clone()),
            Constraint::Rank(s, 2),
            Constraint::LessEqual(c, a),
            Constraint::Less(b, c + a),
            Constraint::Divides { divisor: two, value: c },
            Constraint::Or(vec![Constraint::Equal(a, c), Constraint::Less(t.prod(), b)]),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn what_was_prepared_is_what_the_facts_come_to(
            steps in prop::collection::vec((0..4_usize, any::<prop::sample::Index>()), 1..24)
        ) {
            let constraints = constraints();
            let mut solver = Solver::new();
            let mut marks = Vec::new();
            for (what, which) in steps {
                let constraint = which.get(&constraints);
                match what {
                    0 => _ = solver.require(constraint),
                    1 => solver.assume(constraint),
                    2 if !marks.is_empty() => solver.rollback(marks.remove(which.index(marks.len()))),
                    _ => marks.push(solver.mark()),
                }
                let mut anew = solver.clone();
                anew.prepared_anew();
                prop_assert_eq!(forms(&solver), forms(&anew));
                for constraint in &constraints {
                    let formula = Formula::of(&solver.resolve_constraint(constraint));
                    prop_assert_eq!(reached(&solver, &formula), reached_by_looking_at_all(&solver, &formula));
                }
            }
        }
    }
}
