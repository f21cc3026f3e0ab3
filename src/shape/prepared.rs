//! The solver's facts in normal form under its present bindings, made when first asked for.
//!
//! A binding changes only the facts in which the variable occurs, and going back only what was made since. What was made before an entry is
//! kept when the entry's variables are forgotten.

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::constraint::Constraint;
use super::formula::Formula;
use super::polynomial::Factor;
use super::table::{Remembered, remembered};
use super::variable::Var;

/// A fact in normal form.
#[derive(Debug)]
pub(super) struct PreparedFact {
    pub formula: Formula,
    pub is_condition: bool,
    pub leaves: Vec<Factor>,
    pub leaf_set: LeafSet,
}

/// Which of 64 classes some leaves are of: two lists without a common class have no common leaf.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct LeafSet(u64);

impl LeafSet {
    pub fn of(leaves: &[Factor]) -> LeafSet {
        let class = |leaf: &Factor| match leaf {
            Factor::Var(var) => 1 << (var.0 % 64),
            Factor::Atom(id) => 1 << ((id.0 + 32) % 64),
        };
        LeafSet(leaves.iter().fold(0, |set, leaf| set | class(leaf)))
    }

    pub fn meets(self, other: LeafSet) -> bool {
        self.0 & other.0 != 0
    }

    fn with(self, other: LeafSet) -> LeafSet {
        LeafSet(self.0 | other.0)
    }
}

/// What one recorded fact comes to: several facts where it is a conjunction, none where it says nothing of numbers.
#[derive(Clone, Debug)]
struct Entry {
    /// The length of the solver's trail when it was made.
    made_at: usize,
    form: Form,
}

/// A normal form, with what its facts have in them together.
#[derive(Clone, Debug)]
struct Form {
    facts: Rc<[PreparedFact]>,
    leaf_set: LeafSet,
    /// What there was of dimensions when it was made: nothing in it is younger.
    known: Remembered,
}

/// For each recorded fact its normal form, where it is known. It is no part of the solver's state.
#[derive(Clone, Debug, Default)]
pub(super) struct Prepared {
    entries: RefCell<Vec<Option<Entry>>>,
    classes: RefCell<Classes>,
    forms: RefCell<Forms>,
}

/// What connects the facts, as far as classes of leaves tell; right as long as no entry changes.
#[derive(Clone, Debug, Default)]
struct Classes {
    /// What each entry's facts have in them.
    sets: Vec<LeafSet>,
    /// Classes that facts have to do with each other, each of them in one set at most.
    connected: Vec<LeafSet>,
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

impl PartialEq for Prepared {
    fn eq(&self, _: &Prepared) -> bool {
        true
    }
}

impl Prepared {
    /// Looks at the normal forms of all facts that may have to do with leaves of some classes, be it through other facts. `resolve` applies the present
    /// bindings to a fact; `moment` is the trail's length.
    pub fn with_all<R>(
        &self,
        reached: LeafSet,
        facts: &[Constraint],
        is_condition: impl Fn(usize) -> bool,
        moment: usize,
        resolve: impl Fn(&Constraint) -> Constraint,
        look: impl FnOnce(Vec<&PreparedFact>) -> R,
    ) -> R {
        let mut entries = self.entries.borrow_mut();
        entries.resize(facts.len(), None);
        let mut is_new = false;
        for (index, (entry, fact)) in entries.iter_mut().zip(facts).enumerate() {
            if entry.is_none() {
                let form = self.forms.borrow_mut().form((resolve(fact), is_condition(index)));
                *entry = Some(Entry { made_at: moment, form });
                is_new = true;
            }
        }
        let mut classes = self.classes.borrow_mut();
        if is_new || classes.sets.len() != entries.len() {
            classes.read(&entries);
        }
        let reached = classes.reach(reached);
        // Most entries are one fact.
        let mut within = Vec::with_capacity(entries.len());
        for (entry, _) in entries.iter().flatten().zip(&classes.sets).filter(|(_, set)| set.meets(reached)) {
            within.extend(entry.form.facts.iter());
        }
        look(within)
    }

    /// Forgets what a new binding of a variable changes.
    pub fn forget_var(&mut self, var: Var) {
        let set = LeafSet::of(&[Factor::Var(var)]);
        for entry in self.entries.get_mut() {
            let mentions = |fact: &PreparedFact| fact.leaf_set.meets(set) && fact.leaves.contains(&Factor::Var(var));
            if entry
                .as_ref()
                .is_some_and(|Entry { form, .. }| form.leaf_set.meets(set) && form.facts.iter().any(mentions))
            {
                *entry = None;
            }
        }
    }

    /// Forgets everything: a shape's binding may give numbers to facts that had none.
    pub fn forget_all(&mut self) {
        self.entries.get_mut().clear();
    }

    /// Forgets what was made after a moment.
    pub fn go_back(&mut self, moment: usize) {
        for entry in self.entries.get_mut() {
            if entry.as_ref().is_some_and(|entry| entry.made_at > moment) {
                *entry = None;
            }
        }
    }

    /// Forgets what was made with dimensions that are forgotten.
    pub fn forget_since(&mut self, moment: Remembered) {
        for entry in self.entries.get_mut() {
            if entry.as_ref().is_some_and(|entry| !entry.form.known.is_within(moment)) {
                *entry = None;
            }
        }
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
        self.entries.get_mut().truncate(facts);
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
        let leaf_set = facts.iter().fold(LeafSet::default(), |set, fact| set.with(fact.leaf_set));
        let form = Form { facts, leaf_set, known: remembered() };
        let resolved = Rc::new(resolved);
        self.order.push(Rc::clone(&resolved));
        self.known.insert(resolved, form.clone());
        form
    }
}

impl Classes {
    fn read(&mut self, entries: &[Option<Entry>]) {
        self.sets.clear();
        self.sets.extend(entries.iter().map(|entry| entry.as_ref().map_or(LeafSet::default(), |it| it.form.leaf_set)));
        self.connected.clear();
        for set in self.sets.iter().filter(|set| **set != LeafSet::default()) {
            let mut joined = *set;
            self.connected.retain(|other| {
                let meets = other.meets(*set);
                if meets {
                    joined = joined.with(*other);
                }
                !meets
            });
            self.connected.push(joined);
        }
    }

    /// Some classes, and all that facts connect with them.
    fn reach(&self, from: LeafSet) -> LeafSet {
        let met = self.connected.iter().filter(|set| set.meets(from));
        met.fold(from, |reached, set| reached.with(*set))
    }
}

fn prepare(resolved: &Constraint, is_condition: bool) -> Rc<[PreparedFact]> {
    let formulas = match Formula::of(resolved) {
        Formula::And(parts) => parts,
        Formula::True | Formula::False | Formula::Unclear => Vec::new(),
        other => vec![other],
    };
    let prepared = |formula: Formula| {
        let leaves = formula.leaves();
        PreparedFact { leaf_set: LeafSet::of(&leaves), leaves, formula, is_condition }
    };
    formulas.into_iter().map(prepared).collect()
}
