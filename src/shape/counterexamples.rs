//! The solver judges a constraint by values: settings at their defaults, and counter-examples found among small
//! assignments.
//!
//! A counter-example is evaluated before it is reported: it is within all ranges, satisfies every fact that bears on it, and
//! makes the constraint false.

use std::cell::{Cell, RefCell};

use crate::constraint::{Constraint, Counterexample, Verdict};
use crate::decide::{Context, collect_atoms};
use crate::dim::Dim;
use crate::evaluator::{Evaluator, Statement};
use crate::formula::Formula;
use crate::interner;
use crate::interval::Interval;
use crate::model_repair::{self, Unknown};
use crate::polynomial::Factor;
use crate::solver::Solver;
use crate::solver_cost::note_work;
use crate::variable::{Var, VarKind};

/// Assignments tried for one counter-example.
const MAX_TRIALS: usize = 3_000;
/// More variables than this are not searched.
const MAX_VARS: usize = 8;
/// Assignments looked at before it is said that none of the usual ones will do.
const MOST_USUAL: i64 = 4_096;
/// The greatest size that says by itself what usually happens.
const GREATEST_USUAL: i64 = 128;
/// Values tried for one variable.
const MAX_CANDIDATES: usize = 32;

/// The verdict on a constraint that is neither always true nor always false, as far as is known.
pub(super) fn judge_by_values(solver: &Solver, constraint: &Constraint, formula: &Formula) -> Verdict {
    // On a path that cannot be taken there is no counter-example.
    if formula.is_unclear() || solver.is_contradictory() {
        return Verdict::Unknown;
    }
    let leaves = formula.leaves();
    if !are_unrelated(&leaves, formula) && !differ_by_a_number(solver, constraint) {
        return Verdict::Unknown;
    }
    let has_settings = leaves.iter().any(|leaf| matches!(leaf, Factor::Var(var) if is_setting(*var)));
    let mut remaining = formula.clone();
    if has_settings && !solver.excludes_defaults() {
        remaining = formula.map(&mut Dim::at_defaults);
        let mut context = Context::new(solver, formula);
        context.map(&mut Dim::at_defaults);
        let form = context.question(&remaining);
        match context.decide(&remaining, form) {
            Some(false) => return Verdict::Violated,
            Some(true) => {
                let verdict = possible(solver, constraint, formula, Search::from_defaults(solver, formula));
                return match verdict {
                    Verdict::Possible(example) => {
                        Verdict::Possible(Counterexample { is_default_fine: true, ..example })
                    }
                    verdict => verdict,
                };
            }
            None => {}
        }
    }
    let is_given = |leaf: &Factor| match leaf {
        Factor::Var(var) => var.kind() != VarKind::Free && !var.is_opaque(),
        Factor::Atom(_) => false,
    };
    if !remaining.leaves().iter().all(is_given) {
        return Verdict::Unknown;
    }
    // What is given may make it true or false; both must be seen before it is called possible.
    let search = Search::from_defaults(solver, formula);
    if search.find(formula, true).is_none() {
        return Verdict::Unknown;
    }
    possible(solver, constraint, formula, search)
}

/// Whether examples show that a formula is true for some values and false for others. `false` means "not seen".
pub(super) fn is_open(context: &Context, formula: &Formula) -> bool {
    if formula.is_unclear() {
        return false;
    }
    let formula = &formula.map(&mut stand_ins);
    let facts = context.facts().iter().map(|fact| fact.map(&mut stand_ins)).collect();
    let search = Search::new(context, facts, formula);
    if search.candidates.iter().any(Vec::is_empty) {
        return false;
    }
    let mut seen = Seen { search: &search, formula: search.ready(formula), truths: [false; 2] };
    let mut choice = vec![0; search.vars.len()];
    // What does not hold at first must be mended by the one variable that is changed.
    search.assign(&choice);
    let broken: Vec<usize> = (0..search.facts.len()).filter(|index| !search.holds(*index)).collect();
    seen.look(&choice, &broken);
    for index in 0..choice.len() {
        let var = search.vars[index];
        if seen.are_both() {
            return true;
        }
        if broken.iter().any(|fact| !search.mentions(*fact, var)) {
            continue;
        }
        let touched: Vec<usize> = (0..search.facts.len()).filter(|fact| search.mentions(*fact, var)).collect();
        for candidate in 1..search.candidates[index].len() {
            choice[index] = candidate;
            if seen.look(&choice, &touched) {
                return true;
            }
        }
        choice[index] = 0;
    }
    // All the same, such as all 1.
    let all: Vec<usize> = (0..search.facts.len()).collect();
    (1..4).any(|candidate| {
        let last = |values: &Vec<i64>| candidate.min(values.len().saturating_sub(1));
        seen.look(&search.candidates.iter().map(last).collect::<Vec<_>>(), &all)
    })
}

/// Which truths of a formula examples have shown.
struct Seen<'a> {
    search: &'a Search,
    formula: Statement,
    truths: [bool; 2],
}

impl Seen<'_> {
    fn are_both(&self) -> bool {
        self.truths == [true; 2]
    }

    /// Looks at an assignment under which all facts hold, but perhaps for some. Says whether both truths were seen by now.
    fn look(&mut self, choice: &[usize], doubtful: &[usize]) -> bool {
        note_work(1);
        self.search.assign(choice);
        if let Some(truth) = self.search.truth(&self.formula)
            && !self.truths[usize::from(truth)]
            && self.search.hold(doubtful.iter().copied())
        {
            self.truths[usize::from(truth)] = true;
        }
        self.are_both()
    }
}

/// Variables in place of the ranks and numbers of elements of shape variables, as if those could be anything.
fn stand_ins(number: Dim) -> Dim {
    if !number.any_leaf(|leaf| matches!(leaf, Factor::Atom(_))) {
        return number;
    }
    number.rewrite(&mut |factor| match factor {
        Factor::Atom(id) if crate::binding::is_bindable(factor) => {
            Some(Dim::var(interner::with(|table| table.stand_in(id))))
        }
        _ => None,
    })
}

/// Whether the numbers in a requirement certainly have nothing to do with each other: a count may be what another one or a number that the
/// program states is, but no setting.
fn are_unrelated(leaves: &[Factor], formula: &Formula) -> bool {
    let has_kind = |leaf: &Factor, kind: VarKind| matches!(leaf, Factor::Var(var) if var.kind() == kind);
    let is_counted = |leaf: &Factor| has_kind(leaf, VarKind::Counted) || has_kind(leaf, VarKind::Varying);
    match leaves.iter().filter(|leaf| is_counted(leaf)).count() {
        0 => true,
        1 => {
            let is_varying = || leaves.iter().any(|leaf| has_kind(leaf, VarKind::Varying));
            let is_comparable = leaves.len() > 1 || (is_plain_equation(formula) && is_varying());
            // What differs from batch to batch is not what was given before either.
            let is_given = |leaf: &Factor| has_kind(leaf, VarKind::Fixed) && is_varying();
            is_comparable && leaves.iter().all(|leaf| is_counted(leaf) || is_plain_setting(leaf) || is_given(leaf))
        }
        _ => are_of_different_sources(leaves),
    }
}

/// Whether all counts are of different sources, and what else there is is given by the user or by data.
fn are_of_different_sources(leaves: &[Factor]) -> bool {
    let mut sources: Vec<u32> = Vec::new();
    leaves.iter().all(|leaf| match leaf {
        Factor::Var(var) if matches!(var.kind(), VarKind::Counted | VarKind::Varying) => {
            let source = var.source().filter(|source| !sources.contains(source));
            sources.extend(source);
            source.is_some()
        }
        Factor::Var(var) => var.kind() == VarKind::Fixed || is_setting(*var),
        Factor::Atom(_) => false,
    })
}

/// Whether two sizes that are to be broadcast are one count with and without something added, as `n` and `n - 1`: they are never the same, and
/// only where one of them is 1 they fit.
fn differ_by_a_number(solver: &Solver, constraint: &Constraint) -> bool {
    let Constraint::Broadcastable(one, other) = constraint else { return false };
    let (one, other) = (solver.resolve(*one), solver.resolve(*other));
    one.as_const().is_none() && (one - other).as_const().is_some_and(|difference| difference != 0)
}

/// Whether a formula says that sums and products are equal, or that one of a few pairs of them is, as where sizes are broadcast.
fn is_plain_equation(formula: &Formula) -> bool {
    let of_sums = |formula: &Formula| {
        let Formula::Zero(number) = formula else { return false };
        let mut atoms = Vec::new();
        collect_atoms(*number, &mut atoms);
        atoms.is_empty()
    };
    match formula {
        Formula::Or(parts) => parts.iter().all(of_sums),
        formula => of_sums(formula),
    }
}

fn is_plain_setting(leaf: &Factor) -> bool {
    matches!(leaf, Factor::Var(var) if is_setting(*var))
}

fn is_setting(var: Var) -> bool {
    var.kind() == VarKind::Config && var.default_value().is_some()
}

fn possible(solver: &Solver, constraint: &Constraint, formula: &Formula, search: Search) -> Verdict {
    match search.find(formula, false) {
        Some(assignment) => {
            let condition = failing(solver, constraint, formula);
            let fails_usually = search.fails_usually(formula);
            Verdict::Possible(Counterexample { assignment, condition, is_default_fine: false, fails_usually })
        }
        None => Verdict::Unknown,
    }
}

/// When the constraint fails, in the words of the constraint where normalisation did not simplify it.
fn failing(solver: &Solver, constraint: &Constraint, formula: &Formula) -> Constraint {
    let is_as_written = match (constraint, formula) {
        (Constraint::Equal(a, b), Formula::Zero(number)) => *a - *b == *number || *b - *a == *number,
        (Constraint::LessEqual(a, b), Formula::NonNegative(number)) => *b - *a == *number,
        (Constraint::Less(a, b), Formula::NonNegative(number)) => *b - *a - Dim::ONE == *number,
        (Constraint::Divides { .. }, _) => true,
        _ => false,
    };
    if is_as_written {
        return constraint.negated();
    }
    match formula.negated() {
        Formula::Or(parts) => {
            Formula::or(parts.into_iter().filter(|part| solver.decide(part) != Some(false))).to_constraint()
        }
        Formula::And(parts) => {
            Formula::and(parts.into_iter().filter(|part| solver.decide(part) != Some(true))).to_constraint()
        }
        other => other.to_constraint(),
    }
}

/// The variables of a formula and of the facts about them, with the values to try.
struct Search {
    vars: Vec<Var>,
    candidates: Vec<Vec<i64>>,
    ranges: Vec<Interval>,
    facts: Vec<Formula>,
    /// The facts, ready for being evaluated.
    ready: Vec<Statement>,
    evaluator: RefCell<Evaluator>,
    /// The variables of each fact; sorted.
    vars_of_facts: Vec<Vec<Var>>,
    /// The fact that an assignment did not satisfy when facts were last looked at: mostly the next one does not either.
    broken: Cell<usize>,
    /// Variables of the formula itself, the others only serve the facts.
    own: Vec<Var>,
    /// The numbers that occur in the formula and the facts.
    constants: Vec<i64>,
}

impl Search {
    /// The first candidate of a setting is its default.
    fn from_defaults(solver: &Solver, formula: &Formula) -> Search {
        let context = Context::new(solver, formula);
        Search::new(&context, context.facts().to_vec(), formula)
    }

    fn new(context: &Context, facts: Vec<Formula>, formula: &Formula) -> Search {
        let var = |leaf: Factor| match leaf {
            Factor::Var(var) => Some(var),
            Factor::Atom(_) => None,
        };
        let vars_of = |formula: &Formula| formula.leaves().into_iter().filter_map(var).collect::<Vec<Var>>();
        let own = vars_of(formula);
        let vars_of_facts: Vec<Vec<Var>> = facts.iter().map(vars_of).collect();
        let mut vars = own.clone();
        vars.extend(vars_of_facts.iter().flatten());
        vars.sort_unstable();
        vars.dedup();
        let mut constants = Vec::new();
        formula.for_each_number(&mut |number| collect_constants(number, &mut constants));
        facts.iter().for_each(|fact| fact.for_each_number(&mut |number| collect_constants(number, &mut constants)));
        let ranges: Vec<Interval> = vars.iter().map(|var| context.range(*var)).collect();
        let candidates = vars.iter().zip(&ranges).map(|(var, range)| candidates(*range, *var, &constants)).collect();
        let mut evaluator = Evaluator::new(&vars);
        let ready = facts.iter().map(|fact| evaluator.statement(fact)).collect();
        let (evaluator, broken) = (RefCell::new(evaluator), Cell::new(0));
        Search { vars, candidates, ranges, facts, ready, evaluator, vars_of_facts, broken, own, constants }
    }

    /// Makes a formula ready for being evaluated.
    fn ready(&self, formula: &Formula) -> Statement {
        self.evaluator.borrow_mut().statement(formula)
    }

    /// Gives each variable the candidate that is chosen for it.
    fn assign(&self, choice: &[usize]) {
        let values = self.candidates.iter().zip(choice).map(|(candidates, choice)| candidates.get(*choice).copied());
        self.evaluator.borrow_mut().assign(values);
    }

    /// The truth under what was assigned last.
    fn truth(&self, statement: &Statement) -> Option<bool> {
        self.evaluator.borrow_mut().truth(statement)
    }

    fn mentions(&self, fact: usize, var: Var) -> bool {
        self.vars_of_facts.get(fact).is_some_and(|vars| vars.binary_search(&var).is_ok())
    }

    /// An assignment under which the formula has this truth: the one that changes the fewest variables.
    fn find(&self, formula: &Formula, wanted: bool) -> Option<Vec<(Var, i64)>> {
        if self.vars.len() > MAX_VARS || self.candidates.iter().any(Vec::is_empty) {
            return None;
        }
        let mut choice = vec![0; self.vars.len()];
        let mut trials = MAX_TRIALS;
        let ready = self.ready(formula);
        for changes in 0..=self.vars.len() {
            if self.vary(&ready, wanted, &mut choice, 0, changes, &mut trials) {
                let assignment = self.own.iter().filter_map(|var| Some((*var, self.value(*var, &choice)?)));
                return Some(assignment.collect());
            }
        }
        self.find_by_repair(formula, wanted)
    }

    /// The same with values beyond the candidates.
    fn find_by_repair(&self, formula: &Formula, wanted: bool) -> Option<Vec<(Var, i64)>> {
        let mut statements = self.facts.clone();
        statements.push(if wanted { formula.clone() } else { formula.negated() });
        let unknowns =
            self.vars.iter().zip(&self.candidates).zip(&self.ranges).map(|((var, candidates), range)| Unknown {
                var: *var,
                start: candidates.first().copied().unwrap_or(1),
                range: *range,
                candidates: candidates.clone(),
            });
        let values = model_repair::find(&unknowns.collect::<Vec<_>>(), &statements, &self.constants)?;
        let value = |var: &Var| Some((*var, *values.get(self.vars.binary_search(var).ok()?)?));
        Some(self.own.iter().filter_map(value).collect())
    }

    /// Whether a formula over one or two numbers is false for all sizes from 2 to beyond the numbers in it, or to the greatest that is usual.
    /// `false` where that takes too long.
    fn fails_usually(&self, formula: &Formula) -> bool {
        let largest = self.constants.iter().map(|constant| constant.unsigned_abs()).max().unwrap_or(0).max(16);
        let Some(largest) = i64::try_from(largest).ok().filter(|_| self.vars == self.own) else { return false };
        // Who gives a setting has its default for an example.
        let has_example = self.vars.iter().any(|var| var.default_value().is_some());
        let largest = if has_example { largest } else { largest.min(GREATEST_USUAL) };
        let values = |index: usize| {
            let range = self.ranges.get(index).copied().unwrap_or(Interval::point(1));
            (2..=largest).filter(move |value| range.contains(*value))
        };
        let mut has_failed = false;
        let ready = self.ready(formula);
        let mut fails = |assignment: &[i64]| {
            self.evaluator.borrow_mut().assign(assignment.iter().copied().map(Some));
            if (0..self.facts.len()).any(|fact| !self.holds(fact)) {
                return true;
            }
            let is_false = self.truth(&ready) == Some(false);
            has_failed |= is_false;
            is_false
        };
        let all_fail = match self.vars.len() {
            1 if largest <= MOST_USUAL => values(0).all(|value| fails(&[value])),
            2 if largest.checked_mul(largest).is_some_and(|pairs| pairs <= MOST_USUAL) => {
                values(0).all(|one| values(1).all(|other| fails(&[one, other])))
            }
            _ => false,
        };
        all_fail && has_failed
    }

    /// Tries all ways to change exactly `changes` of the variables from `first` on.
    fn vary(
        &self,
        formula: &Statement,
        wanted: bool,
        choice: &mut Vec<usize>,
        first: usize,
        changes: usize,
        trials: &mut usize,
    ) -> bool {
        if changes == 0 {
            if *trials == 0 {
                return false;
            }
            *trials -= 1;
            return self.fits(formula, wanted, choice);
        }
        for index in first..choice.len() {
            for candidate in 1..self.candidates[index].len() {
                choice[index] = candidate;
                if self.vary(formula, wanted, choice, index + 1, changes - 1, trials) {
                    return true;
                }
                if *trials == 0 {
                    break;
                }
            }
            choice[index] = 0;
        }
        false
    }

    fn fits(&self, formula: &Statement, wanted: bool, choice: &[usize]) -> bool {
        note_work(1);
        self.assign(choice);
        let last = self.broken.get();
        if last < self.facts.len() && !self.holds(last) {
            return false;
        }
        self.truth(formula) == Some(wanted) && self.hold(0..self.facts.len())
    }

    /// Whether the fact at this place holds under what was assigned last.
    fn holds(&self, fact: usize) -> bool {
        self.ready.get(fact).is_some_and(|fact| self.truth(fact) == Some(true))
    }

    /// Whether some facts hold. The one that was broken last is looked at first.
    fn hold(&self, mut facts: impl Iterator<Item = usize> + Clone) -> bool {
        let last = self.broken.get();
        if facts.clone().any(|index| index == last) && !self.holds(last) {
            return false;
        }
        let broken = facts.find(|index| !self.holds(*index));
        self.broken.set(broken.unwrap_or(last));
        broken.is_none()
    }

    fn value(&self, var: Var, choice: &[usize]) -> Option<i64> {
        let index = self.vars.binary_search(&var).ok()?;
        self.candidates.get(index)?.get(*choice.get(index)?).copied()
    }
}

/// Values worth trying for a variable, the most usual first.
fn candidates(range: Interval, var: Var, constants: &[i64]) -> Vec<i64> {
    let mut values: Vec<i64> = Vec::new();
    if let Some(default) = var.default_value() {
        values.extend(
            [Some(default), default.checked_add(1), default.checked_sub(1), default.checked_mul(2)].iter().flatten(),
        );
    }
    values.extend([2, 1, 3, 4, 5, 7, 8, 16, 0, -1]);
    values.extend(range.low());
    values.extend(range.high());
    for constant in constants {
        let near = [Some(*constant), constant.checked_add(1), constant.checked_sub(1), constant.checked_neg()];
        values.extend(near.iter().flatten());
    }
    let mut kept: Vec<i64> = Vec::new();
    for value in values {
        if range.contains(value) && !kept.contains(&value) && kept.len() < MAX_CANDIDATES {
            kept.push(value);
        }
    }
    kept
}

/// The numbers that occur in an expression, within atoms too.
fn collect_constants(number: Dim, constants: &mut Vec<i64>) {
    let mut add = |number: Dim| {
        for (_, coefficient) in number.polynomial().terms() {
            if !constants.contains(coefficient) && constants.len() < MAX_CANDIDATES {
                constants.push(*coefficient);
            }
        }
    };
    add(number);
    let mut atoms = Vec::new();
    collect_atoms(number, &mut atoms);
    for (left, right) in atoms.into_iter().filter_map(|(_, atom)| atom.operands()) {
        add(left);
        add(right);
    }
}
