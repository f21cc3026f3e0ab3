//! The solver's cache of answers: what was decided before, perhaps of other variables.
//!
//! An answer rests on the form of a question alone: on which variables stand where and what is known of them, not on which
//! variables they are. A function that is entered a hundred times makes fresh variables each time and asks the same questions, so
//! questions are compared with their variables numbered in order of appearance. A form is kept as a hash of 128 bits.

use std::hash::Hasher;

use rustc_hash::FxHashMap;

use crate::dim::Dim;
use crate::formula::Formula;
use crate::interner::{self, Table};
use crate::interval::Interval;
use crate::polynomial::{Atom, AtomId, Factor};
use crate::variable::{ShapeVar, Var, VarKind};

/// Answers kept at a time.
const MAX_ANSWERS: usize = 1 << 17;

/// The form of a question. Different forms have different hashes, but for a chance of 2⁻⁶⁴ in all the questions of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Form(u64, u64);

/// Answers by the form of the question.
#[derive(Default)]
pub(super) struct Memory(FxHashMap<Form, Option<bool>>);

/// What was answered to a question of this form.
pub(super) fn recall(form: Form) -> Option<Option<bool>> {
    interner::with(|table| table.memory().0.get(&form).copied())
}

pub(super) fn remember(form: Form, answer: Option<bool>) {
    interner::with(|table| {
        let answers = &mut table.memory().0;
        if answers.len() >= MAX_ANSWERS {
            answers.clear();
        }
        answers.insert(form, answer);
    });
}

/// The form of the question whether a formula holds, given facts, of which the first ones are conditions, and ranges.
pub(super) fn question(
    formula: &Formula,
    facts: &[Formula],
    conditions: usize,
    ranges: &FxHashMap<Var, Interval>,
    has_empty_range: bool,
) -> Form {
    interner::with(|table| {
        let mut writer = Writer::new(table, ranges);
        writer.count(conditions);
        writer.count(usize::from(has_empty_range));
        writer.formula(formula);
        facts.iter().for_each(|fact| writer.formula(fact));
        writer.finish()
    })
}

/// The hash of a sequence of numbers, in two halves that know nothing of each other. Each number is mixed in by a product of 128 bits whose
/// halves are folded together, as in `wyhash`.
pub(super) struct Lanes {
    first: u64,
    second: u64,
}

impl Default for Lanes {
    fn default() -> Lanes {
        Lanes { first: 0x243f_6a88_85a3_08d3, second: 0x1319_8a2e_0370_7344 }
    }
}

impl Lanes {
    fn add(&mut self, number: u64) {
        self.first = folded(self.first ^ number, 0xa409_3822_299f_31d1).wrapping_add(0x082e_fa98_ec4e_6c89);
        self.second =
            folded(self.second ^ number.rotate_left(29), 0x4528_21e6_38d0_1377).wrapping_add(0xbe54_66cf_34e9_0c6d);
    }

    pub fn form(&self) -> Form {
        Form(folded(self.first, 0xc0ac_29b7_c97c_50dd), folded(self.second, 0x3f84_d5b5_b547_0917))
    }
}

impl Hasher for Lanes {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut number = [0; 8];
            number[..chunk.len()].copy_from_slice(chunk);
            self.add(u64::from_le_bytes(number));
        }
        self.add(bytes.len() as u64);
    }

    fn write_u8(&mut self, number: u8) {
        self.add(u64::from(number));
    }

    fn write_u32(&mut self, number: u32) {
        self.add(u64::from(number));
    }

    fn write_u64(&mut self, number: u64) {
        self.add(number);
    }

    fn write_usize(&mut self, number: usize) {
        self.add(number as u64);
    }

    fn finish(&self) -> u64 {
        self.form().0
    }
}

fn folded(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

/// Writes a question token by token.
struct Writer<'a> {
    table: &'a Table,
    ranges: &'a FxHashMap<Var, Interval>,
    hash: Lanes,
    vars: Vec<Var>,
    shape_vars: Vec<ShapeVar>,
    atoms: Vec<AtomId>,
}

impl<'a> Writer<'a> {
    fn new(table: &'a Table, ranges: &'a FxHashMap<Var, Interval>) -> Writer<'a> {
        Writer { table, ranges, hash: Lanes::default(), vars: Vec::new(), shape_vars: Vec::new(), atoms: Vec::new() }
    }

    fn number(&mut self, number: i64) {
        self.hash.add(number as u64);
    }

    fn count(&mut self, count: usize) {
        self.number(i64::try_from(count).unwrap_or(i64::MAX));
    }

    fn formula(&mut self, formula: &Formula) {
        match formula {
            Formula::True => self.number(0),
            Formula::False => self.number(1),
            Formula::Unclear => self.number(2),
            Formula::Zero(number) => self.comparison(3, *number),
            Formula::NonZero(number) => self.comparison(4, *number),
            Formula::NonNegative(number) => self.comparison(5, *number),
            Formula::And(parts) => self.parts(6, parts),
            Formula::Or(parts) => self.parts(7, parts),
        }
    }

    fn comparison(&mut self, tag: i64, number: Dim) {
        self.number(tag);
        self.dim(number);
    }

    fn parts(&mut self, tag: i64, parts: &[Formula]) {
        self.number(tag);
        self.count(parts.len());
        parts.iter().for_each(|part| self.formula(part));
    }

    fn dim(&mut self, dim: Dim) {
        let table = self.table;
        let Some(entry) = dim.index().and_then(|index| table.entry(index)) else {
            self.number(-1);
            return self.number(dim.inline_constant().unwrap_or(0));
        };
        self.count(entry.polynomial.terms().len());
        for (monomial, coefficient) in entry.polynomial.terms() {
            self.number(*coefficient);
            self.count(monomial.len());
            monomial.iter().for_each(|factor| self.factor(*factor));
        }
    }

    fn factor(&mut self, factor: Factor) {
        match factor {
            Factor::Var(var) => {
                self.number(0);
                if self.is_new(|writer| &mut writer.vars, var) {
                    self.known_of(var);
                }
            }
            Factor::Atom(id) => {
                self.number(1);
                if self.is_new(|writer| &mut writer.atoms, id)
                    && let Some(entry) = self.table.atom(id)
                {
                    self.atom(entry.atom);
                }
            }
        }
    }

    /// Writes the place of an item among those that were met, and says whether it was not met before.
    fn is_new<T: PartialEq + Copy>(&mut self, met: fn(&mut Self) -> &mut Vec<T>, item: T) -> bool {
        let items = met(self);
        let found = items.iter().position(|other| *other == item);
        if found.is_none() {
            items.push(item);
        }
        let place = found.unwrap_or(items.len() - 1);
        self.count(place);
        found.is_none()
    }

    fn atom(&mut self, atom: Atom) {
        let (tag, operands) = match atom {
            Atom::FloorDivide(a, b) => (0, Some((a, b))),
            Atom::Modulo(a, b) => (1, Some((a, b))),
            Atom::Minimum(a, b) => (2, Some((a, b))),
            Atom::Maximum(a, b) => (3, Some((a, b))),
            Atom::Product(var) | Atom::Rank(var) => {
                _ = self.is_new(|writer| &mut writer.shape_vars, var);
                (if matches!(atom, Atom::Product(_)) { 4 } else { 5 }, None)
            }
        };
        self.number(tag);
        if let Some((a, b)) = operands {
            self.dim(a);
            self.dim(b);
        }
    }

    /// What an answer may rest on besides the variable's places.
    fn known_of(&mut self, var: Var) {
        let entry = self.table.var(var);
        let kind = match entry.info.kind {
            VarKind::Free => 0,
            VarKind::Config => 1,
            VarKind::Fixed => 2,
            VarKind::Counted => 3,
            VarKind::Varying => 4,
        };
        self.number(kind);
        self.count(usize::from(entry.is_opaque));
        self.bound(entry.info.source.map(i64::from));
        self.bound(entry.info.default);
        let range = self.ranges.get(&var).copied().unwrap_or(entry.interval);
        for bound in [entry.interval.low(), entry.interval.high(), range.low(), range.high()] {
            self.bound(bound);
        }
    }

    fn bound(&mut self, bound: Option<i64>) {
        self.count(usize::from(bound.is_some()));
        self.number(bound.unwrap_or(0));
    }

    fn finish(mut self) -> Form {
        // Where several ways lead to an answer, the order in which variables and atoms were made says which is tried first.
        let (vars, atoms) = (order(&self.vars), order(&self.atoms));
        vars.into_iter().chain(atoms).for_each(|place| self.count(place));
        self.hash.form()
    }
}

/// The places of the items, smallest item first.
fn order<T: Ord>(items: &[T]) -> Vec<usize> {
    let mut places: Vec<usize> = (0..items.len()).collect();
    places.sort_unstable_by_key(|place| &items[*place]);
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::variable::VarInfo;

    fn form(formula: &Formula, facts: &[Formula]) -> Form {
        question(formula, facts, facts.len(), &FxHashMap::default(), false)
    }

    fn free(name: &str) -> Dim {
        Dim::var(Var::fresh(VarInfo::free(name)))
    }

    #[test]
    fn questions_of_one_form_differ_in_their_variables_only() {
        let [a, b, c, d] = ["a", "b", "c", "d"].map(free);
        let asked = |x: Dim, y: Dim| form(&Formula::zero(x.floor_div(Dim::constant(2)) - y), &[Formula::zero(x - y)]);
        assert_eq!(asked(a, b), asked(c, d));
        assert_ne!(asked(a, b), asked(b, a), "the order of their making may decide what is tried first");
        assert_ne!(asked(a, b), form(&Formula::zero(a.floor_div(Dim::constant(2)) - b), &[]));
        assert_ne!(asked(a, b), form(&Formula::zero(a.floor_div(Dim::constant(3)) - b), &[Formula::zero(a - b)]));
    }

    #[test]
    fn what_is_known_of_a_variable_is_part_of_the_form() {
        let number = |info: VarInfo| Dim::var(Var::fresh(info)) - Dim::constant(4);
        let forms = [
            VarInfo::free("n"),
            VarInfo::fixed("n"),
            VarInfo::config("n", 4),
            VarInfo::config("n", 5),
            VarInfo::free("n").between(Some(0), None),
            VarInfo::free("n").between(None, Some(9)),
        ]
        .map(|info| form(&Formula::zero(number(info)), &[]));
        for (index, one) in forms.iter().enumerate() {
            assert!(forms[index + 1..].iter().all(|other| other != one), "form {index}");
        }
    }
}
