//! The solver refutes constraints: it shows that they cannot all be true.
//!
//! Equations are solved and put in place. What remains is taken as linear over its products and quotients, together with what those
//! say about themselves: a quotient is bounded by its dividend, a product by the bounds of its factors, and an inequality may be
//! multiplied by what is not negative. Where that is not enough, cases are tried: alternatives, which operand is less, which side of 0 a
//! number is on, and the least value of a factor.

use rustc_hash::FxHashMap;

use super::canonical;
use super::decide::{collect_atoms, solved};
use super::dim::{Dim, atom};
use super::formula::Formula;
use super::interval::Interval;
use super::linear::{Row, System};
use super::polynomial::{Atom, Factor, Monomial};
use super::variable::Var;
use crate::solver_cost::note_work;

/// Combinations of rows in one refutation.
const MAX_WORK: u32 = 2_000;
/// What a case takes besides, for [`note_work`].
const WORK_OF_A_CASE: u32 = 32;
/// Cases in one refutation.
const MAX_CASES: u32 = 32;
/// Cases within each other.
const MAX_DEPTH: u32 = 6;
/// Equations that are solved, one after the other.
const MAX_SOLVED: usize = 12;
/// Products that are added to the linear statements.
const MAX_PRODUCTS: usize = 32;
/// A factor with at most this many values is tried with each.
const MAX_VALUES: i64 = 8;
/// Rounds in which bounds are carried from one statement to the next.
const MAX_ROUNDS: usize = 3;
/// More statements than this are not looked at.
const MAX_STATEMENTS: usize = 96;
/// Statements with more terms than this are not tried.
const MAX_SIZE: usize = 60;

/// Whether the statements cannot all be true where every divisor is other than 0. `false` means "not shown".
pub(super) fn contradict(statements: Vec<Formula>, ranges: &FxHashMap<Var, Interval>) -> bool {
    if statements.iter().map(size).sum::<usize>() > MAX_SIZE {
        return false;
    }
    let mut budget = Budget { work: MAX_WORK, cases: MAX_CASES };
    let ranges = ranges.iter().map(|(var, range)| (Factor::Var(*var), *range)).collect();
    let is_contradiction = Case { statements, ranges }.fails(MAX_DEPTH, &mut budget);
    note_work(u64::from(MAX_WORK - budget.work + WORK_OF_A_CASE * (MAX_CASES + 1 - budget.cases)));
    is_contradiction
}

/// The number of terms, those within atoms included.
fn size(statement: &Formula) -> usize {
    let mut size = 0;
    statement.for_each_number(&mut |number| size += number.size());
    size
}

struct Budget {
    work: u32,
    cases: u32,
}

/// Statements that are all true, and narrower ranges than the factors' own.
#[derive(Clone)]
struct Case {
    statements: Vec<Formula>,
    ranges: FxHashMap<Factor, Interval>,
}

/// The statements as comparisons, without remainders.
#[derive(Default)]
struct Facts {
    zero: Vec<Dim>,
    non_zero: Vec<Dim>,
    non_negative: Vec<Dim>,
    /// The atoms of these numbers and of the alternatives.
    atoms: Vec<(Factor, Atom)>,
}

impl Case {
    fn fails(mut self, depth: u32, budget: &mut Budget) -> bool {
        if self.solve() || self.has_empty_range() {
            return true;
        }
        let mut facts = self.facts();
        if self.narrow(&facts) {
            return true;
        }
        self.sharpen(&mut facts);
        if self.is_linearly_impossible(&facts, budget) {
            return true;
        }
        if depth == 0 {
            return false;
        }
        let Some(cases) = self.cases(&facts) else { return false };
        cases.into_iter().all(|case| {
            let is_affordable = budget.cases > 0 && budget.work > 0;
            budget.cases = budget.cases.saturating_sub(1);
            is_affordable && case.fails(depth - 1, budget)
        })
    }

    /// Flattens the statements, and puts the value of each variable that an equation gives in its place. `true` for a contradiction.
    fn solve(&mut self) -> bool {
        for _ in 0..MAX_SOLVED {
            let flat = Formula::and(std::mem::take(&mut self.statements));
            self.statements = match flat {
                Formula::False => return true,
                Formula::And(parts) => parts,
                Formula::True => Vec::new(),
                other => vec![other],
            };
            self.statements.truncate(MAX_STATEMENTS);
            let Some((index, var, value)) = self.statements.iter().enumerate().find_map(|(index, statement)| {
                let (var, value) = solved(statement)?;
                (!value.is_opaque()).then_some((index, var, value))
            }) else {
                return false;
            };
            self.statements.remove(index);
            self.put(var, value);
        }
        false
    }

    /// Replaces a variable by its value, which stays within the variable's range.
    fn put(&mut self, var: Var, value: Dim) {
        let range = self.factor_range(Factor::Var(var));
        let mut replace = |number: Dim| number.substitute(&mut |other| (other == var).then_some(value));
        for statement in &mut self.statements {
            *statement = statement.map(&mut replace);
        }
        let ranges = std::mem::take(&mut self.ranges).into_iter();
        self.ranges = ranges.filter(|(factor, _)| matches!(factor, Factor::Var(_))).collect();
        let low = range.low().map(|low| Formula::non_negative(value - Dim::constant(low)));
        let high = range.high().map(|high| Formula::non_negative(Dim::constant(high) - value));
        self.statements.extend(low.into_iter().chain(high));
    }

    fn has_empty_range(&self) -> bool {
        self.ranges.values().any(|range| range.is_empty())
    }

    /// The statements in the form for proofs, with what atoms say of themselves.
    fn facts(&self) -> Facts {
        let mut facts = Facts::default();
        let mut evaluated = Vec::new();
        for statement in &self.statements {
            match statement {
                Formula::Zero(number) => facts.zero.push(expanded(*number)),
                Formula::NonZero(number) => facts.non_zero.push(expanded(*number)),
                Formula::NonNegative(number) => facts.non_negative.push(expanded(*number)),
                Formula::And(_) | Formula::Or(_) | Formula::True | Formula::False | Formula::Unclear => continue,
            }
            statement.for_each_number(&mut |number| collect_atoms(number, &mut evaluated));
        }
        // What a statement divides by is not 0. Of alternatives only one need have been looked at.
        for (_, found) in &evaluated {
            if let Atom::FloorDivide(_, divisor) | Atom::Modulo(_, divisor) = found
                && self.range(*divisor).contains(0)
            {
                facts.non_zero.push(expanded(*divisor));
            }
        }
        for number in facts.zero.iter().chain(&facts.non_zero).chain(&facts.non_negative) {
            collect_atoms(*number, &mut facts.atoms);
        }
        for (factor, meaning) in facts.atoms.clone() {
            self.add_meaning(Dim::factor(factor), meaning, &mut facts);
        }
        self.statements.iter().filter(|statement| matches!(statement, Formula::Or(_))).for_each(|statement| {
            statement.for_each_number(&mut |number| collect_atoms(number, &mut facts.atoms));
        });
        facts
    }

    /// What an atom that was evaluated says of its value.
    fn add_meaning(&self, value: Dim, meaning: Atom, facts: &mut Facts) {
        match meaning {
            Atom::FloorDivide(dividend, divisor) if self.range(divisor).is_at_least(0) => {
                facts.non_negative.push(expanded(dividend - divisor * value));
                facts.non_negative.push(expanded(divisor * value + divisor - Dim::ONE - dividend));
            }
            Atom::Minimum(a, b) => facts.non_negative.extend([expanded(a - value), expanded(b - value)]),
            Atom::Maximum(a, b) => facts.non_negative.extend([expanded(value - a), expanded(value - b)]),
            Atom::FloorDivide(..) | Atom::Modulo(..) | Atom::Product(_) | Atom::Rank(_) => {}
        }
    }

    /// Carries bounds from statement to statement. `true` for a contradiction.
    fn narrow(&mut self, facts: &Facts) -> bool {
        for _ in 0..MAX_ROUNDS {
            let mut is_changed = false;
            let negated: Vec<Dim> = facts.zero.iter().map(|number| -*number).collect();
            for number in facts.non_negative.iter().chain(&facts.zero).chain(&negated) {
                is_changed |= self.narrow_by(*number);
            }
            for number in &facts.non_zero {
                let range = self.range(*number);
                is_changed |= range.low() == Some(0) && self.narrow_by(*number - Dim::ONE);
                is_changed |= range.high() == Some(0) && self.narrow_by(-*number - Dim::ONE);
            }
            if self.has_empty_range() {
                return true;
            }
            if !is_changed {
                break;
            }
        }
        false
    }

    /// Narrows the factors of a number that is not negative.
    fn narrow_by(&mut self, number: Dim) -> bool {
        let polynomial = number.polynomial();
        let terms = polynomial.variable_terms();
        let mut is_changed = false;
        let mut parts: Vec<Interval> = terms.iter().map(|term| self.term_range(term)).collect();
        for (index, (monomial, coefficient)) in terms.iter().enumerate() {
            let others = parts.iter().enumerate().filter(|(other, _)| *other != index);
            let rest = others.fold(Interval::point(polynomial.constant_term()), |sum, (_, part)| sum.add(*part));
            // coefficient * monomial >= -rest
            let Some(least) = rest.high().and_then(i64::checked_neg) else { continue };
            let Some(size) = coefficient.checked_abs() else { continue };
            let bound = if *coefficient > 0 {
                // Rounded up.
                Dim::constant(least).ceil_div(Dim::constant(size)).as_const().map(Interval::at_least)
            } else {
                least.checked_neg().map(|greatest| Interval::between(None, Some(greatest.div_euclid(size))))
            };
            let Some(bound) = bound else { continue };
            let mut is_narrower = false;
            for (place, factor) in monomial.iter().enumerate() {
                let mut others =
                    monomial.iter().enumerate().filter(|(other, _)| *other != place).map(|(_, factor)| *factor);
                let are_positive = others.all(|other| self.factor_range(other).is_at_least(1));
                // With other factors that are at least 1, a factor is at most its product, where that is positive.
                let bound = match (monomial.len(), are_positive, bound.high()) {
                    (1, _, _) => bound,
                    (_, true, Some(high)) => Interval::between(None, Some(high.max(0))),
                    _ => continue,
                };
                let before = self.factor_range(*factor);
                let after = before.intersect(bound);
                if after != before {
                    self.ranges.insert(*factor, after);
                    is_changed = true;
                    is_narrower = true;
                }
            }
            if is_narrower && index + 1 < terms.len() {
                parts.iter_mut().zip(terms).for_each(|(part, term)| *part = self.term_range(term));
            }
        }
        is_changed
    }

    /// A number that is not 0 is at least 1 where it is not negative.
    fn sharpen(&self, facts: &mut Facts) {
        let Facts { non_zero, non_negative, .. } = facts;
        non_zero.retain(|number| {
            let range = self.range(*number);
            if range.is_at_least(0) || non_negative.contains(number) {
                non_negative.push(*number - Dim::ONE);
            } else if range.is_at_most(0) || non_negative.contains(&-*number) {
                non_negative.push(-*number - Dim::ONE);
            } else {
                return range.contains(0);
            }
            false
        });
    }

    fn is_linearly_impossible(&self, facts: &Facts, budget: &mut Budget) -> bool {
        let (mut zero, mut non_negative) = (facts.zero.clone(), facts.non_negative.clone());
        let factors = factors_of_products(facts);
        let mut related = factors.clone();
        related.extend(factors.iter().flat_map(|factor| Dim::factor(*factor).leaves().to_vec()));
        for factor in all_factors(facts) {
            let range = self.factor_range(factor);
            non_negative.extend(range.low().map(|low| Dim::factor(factor) - Dim::constant(low)));
            non_negative.extend(range.high().map(|high| Dim::constant(high) - Dim::factor(factor)));
        }
        let mut products = 0;
        let known = non_negative.len();
        for factor in &factors {
            let Some(low) = self.factor_range(*factor).low() else { continue };
            let above = Dim::factor(*factor) - Dim::constant(low);
            for number in &facts.zero {
                add_product(&mut zero, *number, Dim::factor(*factor), &mut products);
            }
            for index in 0..known {
                let number = non_negative[index];
                let is_related = number.any_leaf(|leaf| related.contains(&leaf));
                if number.polynomial().terms().len() <= 4 && is_related {
                    add_product(&mut non_negative, number, above, &mut products);
                }
            }
        }
        let mut columns = Columns::default();
        let mut system = System::default();
        zero.into_iter().for_each(|number| system.require_zero(columns.row(number)));
        non_negative.into_iter().for_each(|number| system.require_non_negative(columns.row(number)));
        system.contradicts(&mut budget.work)
    }

    /// Cases that together cover everything.
    fn cases(&self, facts: &Facts) -> Option<Vec<Case>> {
        self.alternatives()
            .or_else(|| self.extremes(facts))
            .or_else(|| self.sides(facts))
            .or_else(|| self.values(facts))
    }

    fn with(&self, statement: Formula) -> Case {
        let mut case = self.clone();
        case.statements.push(statement);
        case
    }

    fn alternatives(&self) -> Option<Vec<Case>> {
        let size = |statement: &Formula| match statement {
            Formula::Or(parts) if !statement.is_unclear() => Some(parts.len()),
            _ => None,
        };
        let (_, index) = self.statements.iter().enumerate().filter_map(|(i, s)| Some((size(s)?, i))).min()?;
        let mut rest = self.clone();
        let Formula::Or(parts) = rest.statements.remove(index) else { return None };
        Some(parts.into_iter().map(|part| rest.with(part)).collect())
    }

    /// Which operand of `min` or `max` is less.
    fn extremes(&self, facts: &Facts) -> Option<Vec<Case>> {
        let (factor, less_wins, a, b) = facts.atoms.iter().find_map(|(factor, found)| match found {
            Atom::Minimum(a, b) => Some((*factor, true, *a, *b)),
            Atom::Maximum(a, b) => Some((*factor, false, *a, *b)),
            _ => None,
        })?;
        let cases = [(a, b), (b, a)].map(|(less, greater)| {
            let value = if less_wins { less } else { greater };
            let mut replace = |number: Dim| number.rewrite(&mut |other| (other == factor).then_some(value));
            let mut case = self.clone();
            case.statements.iter_mut().for_each(|statement| *statement = statement.map(&mut replace));
            case.ranges.retain(|factor, _| matches!(factor, Factor::Var(_)));
            case.statements.push(Formula::non_negative(greater - less));
            case
        });
        Some(cases.to_vec())
    }

    /// Whether a number that is not 0 is positive or negative.
    fn sides(&self, facts: &Facts) -> Option<Vec<Case>> {
        let number = *facts.non_zero.first()?;
        let mut rest = self.clone();
        rest.statements.retain(|statement| match statement {
            Formula::NonZero(other) => expanded(*other) != number,
            _ => true,
        });
        Some(vec![
            rest.with(Formula::non_negative(number - Dim::ONE)),
            rest.with(Formula::non_negative(-number - Dim::ONE)),
        ])
    }

    /// The values of a factor of a product: each of a few, or the least and all others.
    fn values(&self, facts: &Facts) -> Option<Vec<Case>> {
        let mut factors = factors_of_products(facts);
        factors.retain(|factor| {
            let range = self.factor_range(*factor);
            range.low().is_some() && range.low() != range.high()
        });
        let size = |factor: &Factor| {
            let range = self.factor_range(*factor);
            range.high().and_then(|high| high.checked_sub(range.low()?)).unwrap_or(i64::MAX)
        };
        // Few values first; then whether a factor is 0, and whether it is 1.
        factors.retain(|factor| size(factor) < MAX_VALUES || self.factor_range(*factor).low() <= Some(1));
        let low = |factor: &Factor| self.factor_range(*factor).low();
        let factor = factors.into_iter().min_by_key(|factor| (size(factor).min(MAX_VALUES), low(factor)))?;
        let low = self.factor_range(factor).low()?;
        let number = Dim::factor(factor);
        let is = |value: i64| self.with(Formula::zero(number - Dim::constant(value)));
        if size(&factor) < MAX_VALUES {
            return Some((low..=low + size(&factor)).map(is).collect());
        }
        let above = low.checked_add(1)?;
        let mut rest = self.with(Formula::non_negative(number - Dim::constant(above)));
        let range = self.factor_range(factor).intersect(Interval::at_least(above));
        rest.ranges.insert(factor, range);
        Some(vec![is(low), rest])
    }

    fn factor_range(&self, factor: Factor) -> Interval {
        let own = match factor {
            Factor::Var(var) => var.interval(),
            Factor::Atom(id) => match atom(id) {
                Some(Atom::FloorDivide(a, b)) => self.range(a).floor_divide(self.range(b)),
                Some(Atom::Modulo(a, b)) => self.range(a).modulo(self.range(b)),
                Some(Atom::Minimum(a, b)) => self.range(a).minimum(self.range(b)),
                Some(Atom::Maximum(a, b)) => self.range(a).maximum(self.range(b)),
                Some(Atom::Product(_) | Atom::Rank(_)) | None => Dim::factor(factor).interval(),
            },
        };
        self.ranges.get(&factor).map_or(own, |range| range.intersect(own))
    }

    fn term_range(&self, (monomial, coefficient): &(Monomial, i64)) -> Interval {
        self.monomial_range(monomial).multiply(Interval::point(*coefficient))
    }

    fn monomial_range(&self, monomial: &Monomial) -> Interval {
        monomial.iter().fold(Interval::point(1), |product, factor| product.multiply(self.factor_range(*factor)))
    }

    fn range(&self, number: Dim) -> Interval {
        if number.inline_constant().is_some() {
            return number.interval();
        }
        let sum =
            number.polynomial().terms().iter().fold(Interval::point(0), |sum, term| sum.add(self.term_range(term)));
        sum.intersect(number.interval())
    }
}

/// Products as columns of a linear system.
#[derive(Default)]
struct Columns {
    numbers: FxHashMap<Monomial, u32>,
}

impl Columns {
    fn row(&mut self, number: Dim) -> Row {
        let polynomial = number.polynomial();
        let mut column = |monomial: &Monomial| {
            let next = u32::try_from(self.numbers.len()).unwrap_or(u32::MAX);
            *self.numbers.entry(monomial.clone()).or_insert(next)
        };
        let terms = polynomial.variable_terms().iter().map(|(monomial, coefficient)| (column(monomial), *coefficient));
        Row::new(terms.collect(), polynomial.constant_term())
    }
}

fn add_product(numbers: &mut Vec<Dim>, number: Dim, factor: Dim, products: &mut usize) {
    let degree = number.polynomial().terms().iter().map(|(monomial, _)| monomial.len()).max().unwrap_or(0);
    if *products < MAX_PRODUCTS && degree < 3 {
        let product = number * factor;
        if !product.is_opaque() {
            *products += 1;
            numbers.push(product);
        }
    }
}

/// A number in which every division was carried out: `a % b` is `a - b*(a//b)`, and `a*b//b` is `a`.
fn expanded(number: Dim) -> Dim {
    let mut number = number;
    for _ in 0..4 {
        let next = number.rewrite(&mut |factor| match factor {
            Factor::Atom(id) => match atom(id)? {
                Atom::Modulo(value, divisor) => Some(value - divisor * canonical::quotient(value, divisor)),
                Atom::FloorDivide(value, divisor) => {
                    let quotient = canonical::quotient(value, divisor);
                    (quotient.as_factor() != Some(factor)).then_some(quotient)
                }
                _ => None,
            },
            Factor::Var(_) => None,
        });
        if next == number {
            break;
        }
        number = next;
    }
    number
}

fn all_factors(facts: &Facts) -> Vec<Factor> {
    let mut factors: Vec<Factor> = Vec::new();
    for number in facts.zero.iter().chain(&facts.non_negative).chain(&facts.non_zero) {
        factors.extend(number.polynomial().terms().iter().flat_map(|(monomial, _)| monomial.iter().copied()));
    }
    factors.sort_unstable();
    factors.dedup();
    factors
}

/// The factors of what is not linear.
fn factors_of_products(facts: &Facts) -> Vec<Factor> {
    let mut factors: Vec<Factor> = Vec::new();
    for number in facts.zero.iter().chain(&facts.non_negative).chain(&facts.non_zero) {
        for (monomial, _) in number.polynomial().terms().iter().filter(|(monomial, _)| monomial.len() > 1) {
            factors.extend(monomial.iter().copied());
        }
    }
    factors.sort_unstable();
    factors.dedup();
    factors
}
