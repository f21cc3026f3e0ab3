//! The solver decides a formula from ranges and facts, soundly: an answer is given only if it is right for every legal
//! assignment.
//!
//! In order of cost: the normal form; ranges; equal facts; sums of a few facts (which covers difference bounds); what `//`,
//! `%`, `min` and `max` imply about themselves; and small case splits (which operand is less; the residue of a variable).

use std::cell::Cell;

use rustc_hash::FxHashMap;

use super::constraint::Verdict;
use super::dim::{Dim, atom};
use super::formula::{Formula, three_valued_and};
use super::interval::Interval;
use super::polynomial::{Atom, Factor, greatest_common_divisor};
use super::proof::Known;
use super::refute;
use super::smt::{self, Oracle};
use super::solver::Solver;
use super::variable::Var;
use crate::counterexamples;
use crate::decision_cache::{self, Form};
use crate::interner;
use crate::scope::Scope;
use crate::solver_cost::note_work;

/// Steps of one decision, all cases together.
const MAX_STEPS: u32 = 2_000;
/// Steps of the first proof that is tried, before examples.
const FIRST_STEPS: u32 = 100;
/// What a case costs: its facts are rewritten and looked at.
const STEPS_OF_A_CASE: u32 = 8;
/// Case splits within each other.
const MAX_SPLITS: u32 = 3;
/// The largest number of residues tried.
const MAX_MODULUS: u64 = 64;

/// What a formula is decided from.
pub(super) struct Context {
    facts: Vec<Formula>,
    /// So many of the facts, the first ones, are conditions of the path.
    conditions: usize,
    /// Of the variables in the formula and the facts.
    pub(super) ranges: FxHashMap<Var, Interval>,
    /// Whether a range, perhaps of another variable, has no number in it.
    has_empty_range: bool,
    /// Whether all facts that have to do with the formula are there.
    is_whole: bool,
}

impl Context {
    /// The facts that have to do with the formula, through shared variables, and the known ranges.
    pub fn new(solver: &Solver, formula: &Formula) -> Context {
        Context::within(solver, &Scope::of(solver, formula))
    }

    /// The facts in a scope: conditions first, then requirements.
    pub fn within(solver: &Solver, scope: &Scope) -> Context {
        let (mut facts, mut required) = (Vec::new(), Vec::new());
        solver.prepared().for_each(&scope.reached.facts, |fact| {
            let chosen = if fact.is_condition { &mut facts } else { &mut required };
            chosen.push(fact.formula.clone());
        });
        facts.extend_from_slice(&scope.limits);
        let conditions = facts.len();
        facts.extend(required);
        let ranges = scope.ranges.iter().copied().collect();
        let (has_empty_range, is_whole) = (scope.has_empty_range, scope.is_whole);
        Context { facts, conditions, ranges, has_empty_range, is_whole }
    }

    /// These facts alone.
    pub fn of(facts: Vec<Formula>) -> Context {
        let (conditions, ranges) = (facts.len(), FxHashMap::default());
        Context { facts, conditions, ranges, has_empty_range: false, is_whole: true }
    }

    /// The form of the question whether a formula holds, unless its answer rests on more than the facts here.
    pub fn question(&self, formula: &Formula) -> Option<Form> {
        let ask =
            || decision_cache::question(formula, &self.facts, self.conditions, &self.ranges, self.has_empty_range);
        self.is_whole.then(ask)
    }

    pub fn facts(&self) -> &[Formula] {
        &self.facts
    }

    /// Replaces numbers in all facts.
    pub fn map(&mut self, replace: &mut dyn FnMut(Dim) -> Dim) {
        for fact in &mut self.facts {
            *fact = fact.map(replace);
        }
    }

    /// Whether a formula certainly holds or certainly does not. Where the form of the question is given, its answer is looked up, and
    /// remembered for the next question of this form.
    pub fn decide(&self, formula: &Formula, form: Option<Form>) -> Option<bool> {
        if let Some(answer) = form.and_then(decision_cache::recall) {
            return answer;
        }
        let answer = self.decide_anew(formula);
        if let Some(form) = form {
            decision_cache::remember(form, answer);
        }
        answer
    }

    fn decide_anew(&self, formula: &Formula) -> Option<bool> {
        let steps = Cell::new(FIRST_STEPS);
        let direct = self.decide_directly(formula, &steps);
        note_work(u64::from(FIRST_STEPS - steps.get()) + self.facts.len() as u64);
        if direct.is_some() {
            return direct;
        }
        // Examples are cheaper than long proofs and cases; where they show both truths, there is no proof.
        if counterexamples::is_open(self, formula) {
            return None;
        }
        let steps = Cell::new(MAX_STEPS);
        let by_cases = self.decide_by_cases(formula, MAX_SPLITS, &steps);
        note_work(u64::from(MAX_STEPS - steps.get()));
        by_cases.or_else(|| self.decide_by_refutation(formula))
    }

    /// Shows that the contrary cannot be. That a claim is false must follow from conditions: a requirement that was taken to hold may itself
    /// be what was misunderstood, and strange values that would satisfy both are no reason for an alarm.
    fn decide_by_refutation(&self, formula: &Formula) -> Option<bool> {
        if formula.is_unclear() {
            return None;
        }
        let conditions = self.facts.get(..self.conditions).unwrap_or_default();
        let with = |facts: &[Formula], claim: Formula| facts.iter().cloned().chain([claim]).collect();
        if refute::contradict(with(&self.facts, formula.negated()), &self.ranges) {
            return Some(true);
        }
        refute::contradict(with(conditions, formula.clone()), &self.ranges).then_some(false)
    }

    /// What an oracle says where examples do not show that the claim is open.
    pub fn ask(&self, formula: &Formula, oracle: &dyn Oracle) -> Verdict {
        if formula.is_unclear() || counterexamples::is_open(self, formula) {
            return Verdict::Unknown;
        }
        let conditions = self.facts.get(..self.conditions).unwrap_or_default();
        let is_impossible = |facts: &[Formula], claim: Formula| {
            let statements: Vec<Formula> = facts.iter().cloned().chain([claim]).collect();
            oracle.is_satisfiable(&smt::script(&statements, &self.ranges)) == Some(false)
        };
        if is_impossible(&self.facts, formula.negated()) {
            Verdict::Holds
        } else if is_impossible(conditions, formula.clone()) {
            Verdict::Violated
        } else {
            Verdict::Unknown
        }
    }

    pub fn range(&self, var: Var) -> Interval {
        self.ranges.get(&var).copied().unwrap_or_else(|| var.interval())
    }

    fn decide_by_cases(&self, formula: &Formula, splits: u32, steps: &Cell<u32>) -> Option<bool> {
        if let Some(answer) = self.decide_directly(formula, steps) {
            return Some(answer);
        }
        if splits == 0 || steps.get() == 0 {
            return None;
        }
        let mut common = None;
        for case in self.cases(formula)? {
            steps.set(steps.get().saturating_sub(STEPS_OF_A_CASE));
            if case.context.is_impossible() {
                continue;
            }
            if steps.get() == 0 {
                return None;
            }
            let answer = case.context.decide_by_cases(&case.formula, splits - 1, steps)?;
            if *common.get_or_insert(answer) != answer {
                return None;
            }
        }
        common
    }

    /// Whether the facts cannot all be true, seen by ranges alone.
    fn is_impossible(&self) -> bool {
        self.has_empty_range
            || self.ranges.values().any(|range| range.is_empty())
            || self.facts.iter().any(|fact| self.decide_by_ranges(fact) == Some(false))
    }

    fn decide_directly(&self, formula: &Formula, steps: &Cell<u32>) -> Option<bool> {
        if let Some(answer) = self.decide_by_ranges(formula) {
            return Some(answer);
        }
        let known = Known::new(self, formula);
        known.decide(formula, steps)
    }

    fn decide_by_ranges(&self, formula: &Formula) -> Option<bool> {
        decide_by_ranges(formula, &self.ranges)
    }

    pub(super) fn interval(&self, number: Dim) -> Interval {
        interval(number, &self.ranges)
    }

    /// Cases that together cover everything, for the first thing in the formula that is worth a split. Each is made when its turn comes: mostly
    /// the first one already leaves the question open.
    fn cases<'a>(&'a self, formula: &'a Formula) -> Option<Box<dyn Iterator<Item = CaseOf> + 'a>> {
        let mut atoms = Vec::new();
        formula.for_each_number(&mut |number| collect_atoms(number, &mut atoms));
        for (factor, found) in &atoms {
            if let Atom::Minimum(a, b) | Atom::Maximum(a, b) = found {
                let is_minimum = matches!(found, Atom::Minimum(..));
                let (factor, a, b) = (*factor, *a, *b);
                return Some(Box::new([(a, b), (b, a)].into_iter().map(move |(less, greater)| {
                    let value = if is_minimum { less } else { greater };
                    self.case(formula, factor, value, Formula::non_negative(greater - less))
                })));
            }
        }
        if let Some(index) = self.facts.iter().position(|fact| matches!(fact, Formula::Or(_))) {
            return Some(Box::new(self.alternatives(formula, index)));
        }
        for fact in &self.facts {
            fact.for_each_number(&mut |number| collect_atoms(number, &mut atoms));
        }
        let (var, modulus) = residue_split(&atoms, formula)?;
        Some(Box::new((0..modulus).map(move |residue| self.residue_case(formula, var, modulus, residue))))
    }

    /// The case in which a factor has a certain value because of a condition.
    fn case(&self, formula: &Formula, factor: Factor, value: Dim, condition: Formula) -> CaseOf {
        let mut replace = |number: Dim| number.rewrite(&mut |other| (other == factor).then_some(value));
        let mut facts: Vec<Formula> = self.facts.iter().map(|fact| fact.map(&mut replace)).collect();
        facts.push(condition);
        CaseOf { formula: formula.map(&mut replace), context: self.with(facts, self.ranges.clone()) }
    }

    /// The context of a case, for which every fact was made anew.
    fn with(&self, facts: Vec<Formula>, ranges: FxHashMap<Var, Interval>) -> Context {
        note_work(facts.len() as u64);
        let (has_empty_range, is_whole) = (self.has_empty_range, self.is_whole);
        Context { facts, conditions: self.conditions, ranges, has_empty_range, is_whole }
    }

    /// One case for each alternative of a fact.
    fn alternatives<'a>(&'a self, formula: &'a Formula, index: usize) -> impl Iterator<Item = CaseOf> + 'a {
        let parts: &[Formula] = if let Some(Formula::Or(parts)) = self.facts.get(index) { parts } else { &[] };
        parts.iter().map(move |part| {
            let mut context = self.with(self.facts.clone(), self.ranges.clone());
            context.facts[index] = part.clone();
            let Some((var, value)) = solved(part) else {
                return CaseOf { formula: formula.clone(), context };
            };
            let mut replace = |number: Dim| number.substitute(&mut |other| (other == var).then_some(value));
            context.map(&mut replace);
            let range = self.ranges.get(&var).copied().unwrap_or_else(|| var.interval());
            let low = range.low().map(|low| Formula::non_negative(value - Dim::constant(low)));
            let high = range.high().map(|high| Formula::non_negative(Dim::constant(high) - value));
            context.facts.extend(low.into_iter().chain(high));
            CaseOf { formula: formula.map(&mut replace), context }
        })
    }

    /// The case `var == modulus*quotient + residue`.
    fn residue_case(&self, formula: &Formula, var: Var, modulus: i64, residue: i64) -> CaseOf {
        let quotient = interner::with(|table| table.quotient_of(var));
        let range = self.ranges.get(&var).copied().unwrap_or_else(|| var.interval());
        let shifted = range.add(Interval::point(-residue));
        // The quotient is at least the bound divided and rounded up, which is one more than (bound - 1) rounded down.
        let low = shifted.low().and_then(|low| low.checked_sub(1)).map(|low| low.div_euclid(modulus) + 1);
        let high = shifted.high().map(|high| high.div_euclid(modulus));
        let mut ranges = self.ranges.clone();
        ranges.insert(quotient, Interval::between(low, high));
        let value = Dim::var(quotient) * Dim::constant(modulus) + Dim::constant(residue);
        let mut replace = |number: Dim| number.substitute(&mut |other| (other == var).then_some(value));
        let facts = self.facts.iter().map(|fact| fact.map(&mut replace)).collect();
        CaseOf { formula: formula.map(&mut replace), context: self.with(facts, ranges) }
    }
}

/// Whether a formula holds, as far as ranges of the variables tell.
pub(super) fn decide_by_ranges(formula: &Formula, ranges: &FxHashMap<Var, Interval>) -> Option<bool> {
    let interval = |number: &Dim| interval(*number, ranges);
    match formula {
        Formula::True => Some(true),
        Formula::False => Some(false),
        Formula::Unclear => None,
        Formula::Zero(number) => (!interval(number).contains(0)).then_some(false),
        Formula::NonZero(number) => (!interval(number).contains(0)).then_some(true),
        Formula::NonNegative(number) => {
            let interval = interval(number);
            if interval.is_at_least(0) { Some(true) } else { interval.is_at_most(-1).then_some(false) }
        }
        Formula::And(parts) => three_valued_and(parts.iter().map(|part| decide_by_ranges(part, ranges))),
        Formula::Or(parts) => {
            three_valued_and(parts.iter().map(|part| not(decide_by_ranges(part, ranges)))).map(|truth| !truth)
        }
    }
}

struct CaseOf {
    formula: Formula,
    context: Context,
}

/// The variable and its value, where the fact is an equation that has a variable alone on one side.
pub(super) fn solved(fact: &Formula) -> Option<(Var, Dim)> {
    let Formula::Zero(number) = fact else {
        return None;
    };
    number.polynomial().variable_terms().iter().rev().find_map(|(monomial, coefficient)| {
        let [Factor::Var(var)] = **monomial else {
            return None;
        };
        let rest = *number - Dim::constant(*coefficient) * Dim::var(var);
        let occurs = rest.any_leaf(|leaf| leaf == Factor::Var(var));
        (coefficient.unsigned_abs() == 1 && !occurs).then(|| (var, if *coefficient > 0 { -rest } else { rest }))
    })
}

pub(super) fn not(truth: Option<bool>) -> Option<bool> {
    truth.map(|truth| !truth)
}

/// `a % b` written as `a - b*(a//b)`.
pub(super) fn without_modulo(number: Dim) -> Dim {
    number.rewrite(&mut |factor| match factor {
        Factor::Atom(id) => match atom(id) {
            Some(Atom::Modulo(value, divisor)) => Some(value - divisor * value.floor_div(divisor)),
            _ => None,
        },
        Factor::Var(_) => None,
    })
}

/// The atoms in a number, those within atoms included.
pub(super) fn collect_atoms(number: Dim, atoms: &mut Vec<(Factor, Atom)>) {
    for (monomial, _) in number.polynomial().terms() {
        for factor in monomial.iter() {
            let Factor::Atom(id) = factor else {
                continue;
            };
            let Some(found) = atom(*id).filter(|_| !atoms.iter().any(|(known, _)| known == factor)) else {
                continue;
            };
            atoms.push((*factor, found));
            if let Some((left, right)) = found.operands() {
                collect_atoms(left, atoms);
                collect_atoms(right, atoms);
            }
        }
    }
}

/// A variable of the formula under `//` or `%`, and a modulus for which its residue decides all of them.
fn residue_split(atoms: &[(Factor, Atom)], formula: &Formula) -> Option<(Var, i64)> {
    let mut moduli: Vec<(Var, u64)> = Vec::new();
    for (_, found) in atoms {
        let (Atom::FloorDivide(value, divisor) | Atom::Modulo(value, divisor)) = found else {
            continue;
        };
        let Some(divisor) = divisor.as_const().map(i64::unsigned_abs).filter(|divisor| *divisor <= MAX_MODULUS) else {
            continue;
        };
        for var in value.vars() {
            match moduli.iter_mut().find(|(known, _)| *known == var) {
                Some((_, modulus)) => {
                    let combined = *modulus / greatest_common_divisor(*modulus, divisor) * divisor;
                    *modulus = if combined <= MAX_MODULUS { combined } else { *modulus };
                }
                None => moduli.push((var, divisor)),
            }
        }
    }
    let leaves = formula.leaves();
    let (var, modulus) = moduli.into_iter().find(|(var, _)| leaves.contains(&Factor::Var(*var)))?;
    Some((var, i64::try_from(modulus).ok()?))
}

/// The range of a number when some variables have narrower ranges than their own.
pub(super) fn interval(number: Dim, ranges: &FxHashMap<Var, Interval>) -> Interval {
    let is_narrowed = |leaf| matches!(leaf, Factor::Var(var) if ranges.contains_key(&var));
    if ranges.is_empty() || !number.any_leaf(is_narrowed) {
        return number.interval();
    }
    let mut sum = Interval::point(0);
    for (monomial, coefficient) in number.polynomial().terms() {
        let mut product = Interval::point(*coefficient);
        for factor in monomial.iter() {
            product = product.multiply(factor_interval(*factor, ranges));
        }
        sum = sum.add(product);
    }
    sum.intersect(number.interval())
}

fn factor_interval(factor: Factor, ranges: &FxHashMap<Var, Interval>) -> Interval {
    let id = match factor {
        Factor::Var(var) => return ranges.get(&var).copied().unwrap_or_else(|| var.interval()),
        Factor::Atom(id) => id,
    };
    match atom(id) {
        Some(Atom::FloorDivide(a, b)) => interval(a, ranges).floor_divide(interval(b, ranges)),
        Some(Atom::Modulo(a, b)) => interval(a, ranges).modulo(interval(b, ranges)),
        Some(Atom::Minimum(a, b)) => interval(a, ranges).minimum(interval(b, ranges)),
        Some(Atom::Maximum(a, b)) => interval(a, ranges).maximum(interval(b, ranges)),
        Some(Atom::Product(_) | Atom::Rank(_)) | None => Dim::factor(factor).interval(),
    }
}
