//! The solver's facts in normal form under its present bindings, made when first asked for.
//!
//! A binding changes only the facts in which the variable occurs, and going back takes what there was before it. What was made before an entry
//! is kept when the entry's variables are forgotten.

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::constraint::Constraint;
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
    /// The shape variables in it, where it has any.
    shapes: Option<Rc<[ShapeVar]>>,
    /// What there was of dimensions when it was made: nothing in it is younger.
    known: Remembered,
}

/// For each recorded fact its normal form, where it is known. It is no part of the solver's state.
#[derive(Clone, Debug, Default)]
pub(super) struct Prepared {
    entries: RefCell<Vec<Option<Entry>>>,
    /// What bindings took the place of, in their order.
    replaced: Vec<Replaced>,
    classes: RefCell<Classes>,
    forms: RefCell<Forms>,
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
/// Forms before bindings that are kept at a time.
const MAX_REPLACED: usize = 65_536;

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

    /// Lays aside what a new binding of a variable changes; `moment` is the trail's length before it.
    pub fn lay_aside(&mut self, var: Var, moment: usize) {
        let set = LeafSet::of(&[Factor::Var(var)]);
        let mentions = |fact: &PreparedFact| fact.leaf_set.meets(set) && fact.leaves.contains(&Factor::Var(var));
        self.replace(moment, |Entry { form, .. }| form.leaf_set.meets(set) && form.facts.iter().any(mentions));
    }

    /// Lays aside what a new binding of a shape variable changes: facts that had no numbers may have some now.
    pub fn lay_shape_aside(&mut self, shape: ShapeVar, moment: usize) {
        self.replace(moment, |Entry { form, .. }| form.shapes.as_ref().is_some_and(|shapes| shapes.contains(&shape)));
    }

    fn replace(&mut self, at: usize, changes: impl Fn(&Entry) -> bool) {
        if self.replaced.len() > MAX_REPLACED {
            self.replaced.clear();
        }
        for (index, slot) in self.entries.get_mut().iter_mut().enumerate() {
            if let Some(entry) = slot.take_if(|entry| changes(entry)) {
                self.replaced.push(Replaced { at, index, entry });
            }
        }
    }

    /// Takes back what bindings after a moment took the place of, and forgets what was made since.
    pub fn go_back(&mut self, moment: usize) {
        let entries = self.entries.get_mut();
        for entry in entries.iter_mut() {
            _ = entry.take_if(|entry| entry.made_at > moment);
        }
        while let Some(Replaced { index, entry, .. }) = self.replaced.pop_if(|replaced| replaced.at >= moment) {
            // What is older than the moment was there at the moment.
            if entry.made_at <= moment
                && let Some(slot) = entries.get_mut(index)
            {
                *slot = Some(entry);
                self.classes.get_mut().sets.clear();
            }
        }
    }

    /// Forgets what was made with dimensions that are forgotten.
    pub fn forget_since(&mut self, moment: Remembered) {
        for entry in self.entries.get_mut() {
            _ = entry.take_if(|entry| !entry.form.known.is_within(moment));
        }
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
        let form = Form { facts, leaf_set, shapes: shape_variables(&resolved.0), known: remembered() };
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
        let leaves = formula.leaves();
        PreparedFact { leaf_set: LeafSet::of(&leaves), leaves, formula, is_condition }
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
        let all = LeafSet(u64::MAX);
        solver.with_prepared_facts(all, |facts| facts.iter().map(|fact| format!("{fact:?}")).collect())
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
            }
        }
    }
}
