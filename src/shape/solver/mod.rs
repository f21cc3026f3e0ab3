//! The solver's state: bindings, facts, and the trail that undoes them.
//!
//! Conditions (of a branch, of an input's range) are *assumed* and may bind any variable. Requirements (of an operation) bind
//! only free dimensions and shape variables. What neither kind can bind is kept as a fact for later judgements.

mod resolve;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::binding::{Binding, is_bindable};
use crate::conditions_alone::ConditionsAlone;
use crate::constraint::{Constraint, Outcome, Verdict};
use crate::counterexamples;
use crate::decide::{Context, decide_by_ranges};
use crate::decision_cache::Form;
use crate::dim::Dim;
use crate::formula::Formula;
use crate::interner::Remembered;
use crate::interval::Interval;
use crate::loop_counter_facts::Counters;
use crate::normalised_facts::{Prepared, Reached};
use crate::polynomial::Factor;
use crate::ranges::Ranges;
use crate::reasons::{Reason, Reasons};
use crate::scope::Scope;
use crate::shapes::Shape;
use crate::smt::{MaybeOracle, Oracle};
use crate::still_known::Stamps;
use crate::unify::FixedRank;
use crate::variable::{ShapeVar, Var, VarKind};

/// Bindings are followed at most this often; a longer chain stays as it is.
const MAX_CHAIN: usize = 256;
/// Facts beyond this number are not recorded, which loses precision only.
const MAX_FACTS: usize = 256;

/// Bindings of variables and shape variables plus facts, with an undo trail.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Solver {
    dims: FxHashMap<Var, Dim>,
    shapes: FxHashMap<ShapeVar, Shape>,
    facts: Vec<Constraint>,
    /// For each fact, where it comes from.
    origins: Vec<Origin>,
    ranges: Ranges,
    counters: Counters,
    /// The lengths of the ranges of the loops around, which are positive in their bodies. They are no facts: what is learned in a body is kept
    /// behind the loop, which may have no iteration.
    pub loop_lengths: Vec<Dim>,
    /// Facts contradict each other.
    is_contradictory: bool,
    /// The facts exclude the settings' defaults.
    excludes_defaults: bool,
    /// Whether a shape of unknown rank gets one where its form leaves open which dimensions an operation means.
    pub fixes_ranks: bool,
    /// The ranks that were fixed so since they were last taken.
    pub fixed_ranks: Vec<FixedRank>,
    /// Shapes of values of which nothing is known, and what is left of them: no form of an input decides their rank, so that none is fixed.
    hidden_shapes: BTreeSet<ShapeVar>,
    pub(crate) open_sizes: OpenSizes,
    trail: Vec<Change>,
    pub(crate) stamps: Stamps,
    prepared: Prepared,
    answers: Answers,
    oracle: MaybeOracle,
    pub(crate) reasons: Reasons,
    pub(crate) alone: ConditionsAlone,
}

/// Sizes that something of which nothing is known gave together with others: whether they are those of the others is not known either. They stay
/// what they are in any state, of which this is no part.
#[derive(Clone, Debug, Default)]
pub(crate) struct OpenSizes(pub FxHashSet<Var>);

impl PartialEq for OpenSizes {
    fn eq(&self, _: &OpenSizes) -> bool {
        true
    }
}

/// Answers by the key of the question in its scope; they are right in any state. It is no part of the state.
#[derive(Clone, Debug, Default)]
struct Answers {
    verdicts: RefCell<FxHashMap<Form, Verdict>>,
    truths: RefCell<FxHashMap<Form, Option<bool>>>,
}

impl PartialEq for Answers {
    fn eq(&self, _: &Answers) -> bool {
        true
    }
}

/// Where a fact comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Origin {
    /// It is a condition of the path, not a requirement that was taken to hold.
    is_condition: bool,
    reason: Option<Reason>,
}

/// A moment to which a solver can go back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mark(usize);

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Change {
    Dim(Var),
    Shape(ShapeVar),
    Fact,
    Range(Var, Option<Interval>),
    Contradiction,
    ExcludedDefaults,
}

impl Solver {
    /// Whether a size is one that something of which nothing is known gave together with others.
    pub fn has_open_size(&self, variables: &[Var]) -> bool {
        !self.open_sizes.0.is_empty() && variables.iter().any(|variable| self.open_sizes.0.contains(variable))
    }

    /// A solver that knows nothing.
    pub fn new() -> Solver {
        Solver::default()
    }

    /// A solver that asks someone about what it cannot decide.
    pub fn with_oracle(oracle: Option<Arc<dyn Oracle>>) -> Solver {
        Solver { oracle: MaybeOracle(oracle), ..Solver::default() }
    }

    pub(crate) fn oracle(&self) -> Option<&dyn Oracle> {
        self.oracle.0.as_deref()
    }

    /// The moment, for [`Solver::rollback`] to return to.
    pub fn mark(&self) -> Mark {
        Mark(self.trail.len())
    }

    /// Forgets what it answered and where bindings came from that were undone: their variables may stand for something else from now on.
    pub fn forget_answers(&mut self) {
        self.forget_conditions_alone();
        self.answers = Answers::default();
        self.hidden_shapes.clear();
        self.reasons.dims.retain(|var, _| self.dims.contains_key(var));
        self.reasons.shapes.retain(|var, _| self.shapes.contains_key(var));
        self.prepared = Prepared::default();
    }

    /// Forgets everything about variables that were made since a moment; their bindings were undone.
    pub fn forget_since(&mut self, moment: Remembered) {
        self.forget_conditions_alone();
        self.answers = Answers::default();
        while self.hidden_shapes.last().is_some_and(|var| !moment.has_shape(*var)) {
            self.hidden_shapes.pop_last();
        }
        self.counters.forget_since(moment);
        self.reasons.forget_since(moment);
        self.prepared.forget_since(moment);
        self.fixed_ranks.clear();
    }

    /// What was learned since the mark, in order.
    pub(crate) fn changes_since(&self, mark: Mark) -> &[Change] {
        self.trail.get(mark.0..).unwrap_or_default()
    }

    /// Undoes every binding and fact since the mark. A mark of a later moment undoes nothing.
    pub fn rollback(&mut self, mark: Mark) {
        let mut has_rebound = false;
        while self.trail.len() > mark.0 {
            let change = self.trail.pop();
            if let Some(Change::Dim(_) | Change::Shape(_)) = change {
                has_rebound = true;
            }
            match change {
                Some(Change::Dim(var)) => _ = self.dims.remove(&var),
                Some(Change::Shape(var)) => _ = self.shapes.remove(&var),
                Some(Change::Fact) => _ = (self.facts.pop(), self.origins.pop()),
                Some(Change::Range(var, before)) => _ = self.ranges.replace(var, before),
                Some(Change::Contradiction) => self.is_contradictory = false,
                Some(Change::ExcludedDefaults) => self.excludes_defaults = false,
                None => break,
            }
        }
        self.stamps.truncate(self.trail.len());
        self.prepared.keep(self.facts.len());
        if has_rebound {
            self.prepared.go_back(self.trail.len());
        }
    }

    /// Whether what was assumed contradicts itself, so that the path cannot be taken. `false` means "not known to".
    pub fn is_contradictory(&self) -> bool {
        self.is_contradictory
    }

    /// Whether the path is taken only with settings that are not the defaults.
    pub fn excludes_defaults(&self) -> bool {
        self.excludes_defaults
    }

    /// What was assumed or recorded, in order, as it was said.
    pub fn facts(&self) -> &[Constraint] {
        &self.facts
    }

    /// The conditions among the facts.
    pub(crate) fn conditions(&self) -> impl Iterator<Item = &Constraint> {
        let is_condition = |(_, origin): &(&Constraint, &Origin)| origin.is_condition;
        self.facts.iter().zip(&self.origins).filter(is_condition).map(|(fact, _)| fact)
    }

    /// What was required or recorded, beside the conditions of the path, without the first so many facts.
    pub fn required_since(&self, first: usize) -> Vec<Constraint> {
        let facts = self.facts.iter().zip(&self.origins).skip(first);
        facts.filter(|(_, origin)| !origin.is_condition).map(|(fact, _)| fact.clone()).collect()
    }

    /// Says what a loop's counter stays below.
    pub fn limit_counter(&mut self, counter: Var, stop: Dim) {
        self.counters.limit(counter, stop);
    }

    /// Says that there may be no iteration of a loop with this counter: what operations require of it says nothing once the loop has ended.
    pub fn doubt_counter(&mut self, counter: Var) {
        self.counters.doubt(counter);
    }

    /// Whether `low <= high` says no more than that a range around is not empty.
    pub fn follows_from_a_loop(&self, low: Dim, high: Dim) -> bool {
        let beyond = |length: &Dim| self.resolve(high - low - *length).as_const();
        self.loop_lengths.iter().any(|length| beyond(length).is_some_and(|it| it >= -1))
    }

    /// That a counter stays below where its loop stops.
    pub(crate) fn limit_of_counter(&self, counter: Var) -> Option<Formula> {
        let stop = self.resolve(self.counters.limit_of(counter)?);
        Some(Formula::of(&Constraint::Less(Dim::var(counter), stop)))
    }

    /// Takes a condition of the path as given.
    pub fn assume(&mut self, constraint: &Constraint) {
        if !self.excludes_defaults && self.is_false_at_defaults(constraint) {
            self.excludes_defaults = true;
            self.note(Change::ExcludedDefaults);
        }
        self.assume_part(constraint, true, 0);
    }

    /// Takes a condition as given without asking whether it follows from the others or contradicts them, which takes time. For what is known
    /// to be consistent.
    pub fn take_as_given(&mut self, constraint: &Constraint) {
        self.assume_part(constraint, false, 0);
    }

    fn assume_part(&mut self, constraint: &Constraint, asks: bool, depth: usize) {
        let resolved = self.resolve_constraint(constraint);
        match &resolved {
            Constraint::And(parts) if depth < 16 => {
                for part in parts {
                    self.assume_part(part, asks, depth + 1);
                }
                return;
            }
            Constraint::Not(inner) if depth < 16 && !inner.is_about_shapes() => {
                return self.assume_part(&inner.negated(), asks, depth + 1);
            }
            Constraint::SameShape(a, b) => {
                let known = self.unify_with(a, b, Binding::Any);
                return self.note_contradiction(known == Outcome::Violated);
            }
            Constraint::Rank(shape, rank) => {
                if self.with_rank(shape, *rank).is_none() {
                    self.note_contradiction(self.decide(&Formula::of(&resolved)) == Some(false));
                    self.record(resolved, Binding::Any);
                }
                return;
            }
            _ => {}
        }
        let formula = Formula::of(&resolved);
        let known = match &formula {
            Formula::True => Some(true),
            Formula::False => Some(false),
            formula if asks => self.decide(formula),
            _ => None,
        };
        match known {
            // That it was evaluated says that nothing in it is divided by 0.
            Some(true) if formula.has_partial_division() => return self.record(resolved, Binding::Any),
            Some(true) => return,
            Some(false) => return self.note_contradiction(true),
            None => {}
        }
        if let Formula::Zero(number) = formula
            && (self.bind_rank(number) || self.bind_somewhere(number, Binding::Any))
        {
            return;
        }
        self.narrow(&formula);
        self.record(resolved, Binding::Any);
    }

    /// What is certain of a constraint. Changes nothing.
    pub fn judge(&self, constraint: &Constraint) -> Verdict {
        if let Constraint::Equal(a, b) | Constraint::Broadcastable(a, b) = constraint
            && a == b
        {
            return Verdict::Holds;
        }
        if let Constraint::Equal(a, b) = constraint
            && a.inline_constant().is_some()
            && b.inline_constant().is_some()
        {
            return Verdict::Violated;
        }
        let resolved = self.resolve_constraint(constraint);
        let formula = Formula::of(&resolved);
        match formula {
            Formula::True => return Verdict::Holds,
            Formula::False => return Verdict::Violated,
            _ => {}
        }
        self.stamps.note_question();
        let scope = Scope::of(self, &formula);
        let flags = [self.is_contradictory, self.excludes_defaults];
        let key = scope.is_whole.then(|| scope.key((&resolved, flags)));
        if let Some(known) = key.and_then(|key| self.answers.verdicts.borrow().get(&key).cloned()) {
            return known;
        }
        let verdict = match self.decide_within(&scope, &formula) {
            Some(true) => Verdict::Holds,
            Some(false) => Verdict::Violated,
            None => match (counterexamples::judge_by_values(self, &resolved, &formula), self.oracle()) {
                (Verdict::Unknown, Some(oracle)) => Context::within(self, &scope).ask(&formula, oracle),
                (verdict, _) => verdict,
            },
        };
        if let Some(key) = key {
            keep(&self.answers.verdicts, key, verdict.clone());
        }
        verdict
    }

    /// Requires a constraint of an operation; free dimensions and shape variables may be bound to make it true.
    pub fn require(&mut self, constraint: &Constraint) -> Outcome {
        self.require_part(constraint, 0)
    }

    pub(crate) fn require_part(&mut self, constraint: &Constraint, depth: usize) -> Outcome {
        let verdict = self.judge(constraint);
        if verdict != Verdict::Unknown || depth > 16 {
            return verdict.into();
        }
        let resolved = self.resolve_constraint(constraint);
        match &resolved {
            Constraint::And(parts) => {
                let mark = self.mark();
                let mut outcome = Outcome::Holds;
                for part in parts {
                    outcome = outcome.and(self.require_part(part, depth + 1));
                    if outcome == Outcome::Violated {
                        self.rollback(mark);
                        return outcome;
                    }
                }
                return outcome;
            }
            Constraint::Not(inner) if !inner.is_about_shapes() => {
                return self.require_part(&inner.negated(), depth + 1);
            }
            Constraint::SameShape(a, b) => return self.unify_with(a, b, Binding::Free),
            Constraint::Rank(shape, rank) if self.with_rank(shape, *rank).is_some() => return Outcome::Assumed,
            _ => {}
        }
        let formula = self.simplify(&Formula::of(&resolved));
        if let Formula::Zero(number) = formula
            && (self.bind_rank(number) || self.bind_somewhere(number, Binding::Free))
        {
            return Outcome::Assumed;
        }
        if let Formula::Zero(number) = formula
            && let Some(outcome) = self.bind_quotient(number)
        {
            return outcome;
        }
        // What differs from batch to batch stays within bounds.
        let is_varying = |leaf: Factor| matches!(leaf, Factor::Var(var) if var.kind() == VarKind::Varying);
        let is_bounded = !matches!(formula, Formula::Zero(_)) && formula.leaves().into_iter().any(is_varying);
        let is_assumable = is_bounded || formula.is_unclear() || formula.leaves().into_iter().any(is_bindable);
        if !is_assumable {
            return Outcome::Unknown;
        }
        if matches!(formula, Formula::Zero(_)) || !self.counters.are_doubtful(&formula) {
            self.narrow(&formula);
            self.record(resolved, Binding::Free);
        }
        Outcome::Assumed
    }

    /// Requires two shapes to be equal.
    pub fn unify(&mut self, a: &Shape, b: &Shape) -> Outcome {
        if a == b {
            return Outcome::Holds;
        }
        self.require(&Constraint::SameShape(a.clone(), b.clone()))
    }

    /// Whether a formula is certainly true or certainly false, whatever the settings.
    pub(crate) fn decide(&self, formula: &Formula) -> Option<bool> {
        match formula {
            Formula::True => Some(true),
            Formula::False => Some(false),
            _ => self.decide_by_facts(formula),
        }
    }

    fn decide_by_facts(&self, formula: &Formula) -> Option<bool> {
        self.stamps.note_question();
        decide_by_ranges(formula, self.ranges.all()).or_else(|| self.decide_within(&Scope::of(self, formula), formula))
    }

    fn decide_within(&self, scope: &Scope, formula: &Formula) -> Option<bool> {
        let key = scope.key(formula);
        if let Some(known) = self.answers.truths.borrow().get(&key) {
            return *known;
        }
        let context = Context::within(self, scope);
        let truth = context.decide(formula, context.question(formula));
        keep(&self.answers.truths, key, truth);
        truth
    }

    /// Drops the alternatives that are certainly false.
    pub(crate) fn simplify(&self, formula: &Formula) -> Formula {
        match formula {
            Formula::Or(parts) => Formula::or(parts.iter().filter(|part| self.decide(part) != Some(false)).cloned()),
            other => other.clone(),
        }
    }

    /// The facts that leaves, which are sorted, have to do with.
    pub(crate) fn reach(&self, leaves: Vec<Factor>) -> Rc<Reached> {
        self.complete_prepared_facts();
        self.prepared.reach(leaves)
    }

    pub(crate) fn prepared(&self) -> &Prepared {
        &self.prepared
    }

    pub(crate) fn complete_prepared_facts(&self) {
        let is_condition = |index: usize| self.origins.get(index).is_some_and(|origin| origin.is_condition);
        let resolve = |fact: &Constraint| self.resolve_constraint(fact);
        self.prepared.complete(&self.facts, is_condition, self.trail.len(), resolve);
    }

    /// Forgets all normal forms.
    #[cfg(test)]
    pub(crate) fn prepared_anew(&mut self) {
        self.prepared = Prepared::default();
    }

    fn note(&mut self, change: Change) {
        let moment = self.trail.len();
        match change {
            Change::Dim(var) => self.prepared.lay_aside(var, moment),
            Change::Shape(shape) => self.prepared.lay_shape_aside(shape, moment),
            Change::Fact | Change::Range(..) | Change::Contradiction | Change::ExcludedDefaults => {}
        }
        match &change {
            Change::Dim(var) => self.stamps.push((0_u8, var, self.dims.get(var))),
            Change::Shape(var) => self.stamps.push((1_u8, var, self.shapes.get(var))),
            Change::Fact => self.stamps.push((2_u8, self.facts.last(), self.origins.last().map(|it| it.is_condition))),
            Change::Range(var, _) => self.stamps.push((3_u8, var, self.ranges.all().get(var))),
            Change::Contradiction => self.stamps.push(4_u8),
            Change::ExcludedDefaults => self.stamps.push(5_u8),
        }
        self.trail.push(change);
    }

    pub(crate) fn range(&self, var: Var) -> Interval {
        self.stamps.note_question();
        self.ranges.all().get(&var).copied().unwrap_or_else(|| var.interval())
    }

    pub(crate) fn ranges(&self) -> &FxHashMap<Var, Interval> {
        self.stamps.note_question();
        self.ranges.all()
    }

    /// Whether a range, of whatever variable, has no number in it.
    pub(crate) fn has_empty_range(&self) -> bool {
        self.ranges.has_empty()
    }

    pub(crate) fn shape_binding(&self, var: ShapeVar) -> Option<&Shape> {
        self.shapes.get(&var)
    }

    pub(crate) fn dim_binding(&self, var: Var) -> Option<Dim> {
        self.dims.get(&var).copied()
    }

    pub(crate) fn reason_of_fact(&self, index: usize) -> Option<Reason> {
        self.origins.get(index)?.reason
    }

    /// Binds a variable that is not bound yet.
    pub(crate) fn set_dim(&mut self, var: Var, value: Dim) {
        match self.reasons.current {
            Some(reason) => _ = self.reasons.dims.insert(var, reason),
            None => _ = self.reasons.dims.remove(&var),
        }
        self.dims.insert(var, value);
        self.note(Change::Dim(var));
    }

    pub(crate) fn set_range(&mut self, var: Var, range: Interval) {
        let replaced = self.ranges.replace(var, Some(range));
        self.note(Change::Range(var, replaced));
    }

    /// Nothing tells the rank of this shape, so that none may be taken for granted.
    pub fn hide_rank(&mut self, shape: &Shape) {
        self.hidden_shapes.extend(shape.shape_vars());
    }

    /// Whether the rank of a shape depends on a value of which nothing is known.
    pub(crate) fn has_hidden_rank(&self, shape: &Shape) -> bool {
        shape.shape_vars().any(|var| self.hidden_shapes.contains(&var))
    }

    pub(crate) fn bind_shape(&mut self, var: ShapeVar, shape: Shape) {
        if self.hidden_shapes.contains(&var) {
            self.hide_rank(&shape);
        }
        match self.reasons.current {
            Some(reason) => _ = self.reasons.shapes.insert(var, reason),
            None => _ = self.reasons.shapes.remove(&var),
        }
        self.shapes.insert(var, shape);
        self.note(Change::Shape(var));
    }

    pub(crate) fn record(&mut self, fact: Constraint, binding: Binding) {
        if self.facts.len() < MAX_FACTS && !self.facts.contains(&fact) {
            self.facts.push(fact);
            self.origins.push(Origin { is_condition: binding == Binding::Any, reason: self.reasons.current });
            self.note(Change::Fact);
        }
    }

    fn note_contradiction(&mut self, is_contradiction: bool) {
        if is_contradiction && !self.is_contradictory {
            self.is_contradictory = true;
            self.note(Change::Contradiction);
        }
    }

    /// The range of a number under what is known.
    pub(crate) fn interval(&self, dim: Dim) -> Interval {
        crate::decide::interval(dim, self.ranges.all())
    }
}

/// Answers kept at a time.
const MAX_ANSWERS: usize = 32_768;

fn keep<A>(answers: &RefCell<FxHashMap<Form, A>>, key: Form, answer: A) {
    let mut answers = answers.borrow_mut();
    if answers.len() >= MAX_ANSWERS {
        answers.clear();
    }
    answers.insert(key, answer);
}
