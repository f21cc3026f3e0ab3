//! Dimensions: whole-number expressions in canonical form behind a small handle.

use std::fmt;
use std::ops::{Add, Mul, Neg, Sub};
use std::rc::Rc;

use super::canonical;
use super::interval::Interval;
use super::polynomial::{Atom, Factor, Monomial, Polynomial, no_factors};
use super::variable::{ShapeVar, Var, VarKind};
use crate::interner;
use crate::result_cache::Operation;

/// Deeper nesting of atoms makes a number opaque, which bounds every recursion over dimensions.
const MAX_DEPTH: u32 = 16;
/// A larger expression makes a number opaque.
const MAX_SIZE: u32 = 300;

/// A whole number: a constant, or a polynomial over variables and atoms (`//`, `%`, `min`, `max`, `prod(s)`, `rank(s)`).
///
/// Equal canonical forms have equal handles. Arithmetic is Python's (`//` and `%` round down). What cannot be expressed (an
/// overflow, a division by zero, an expression beyond all measure) becomes a fresh opaque variable, of which nothing is known.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Dim(i64);

impl Dim {
    /// The number 0.
    pub const ZERO: Dim = Dim(0);
    /// The number 1.
    pub const ONE: Dim = Dim(2);

    /// A number that is known.
    pub fn constant(value: i64) -> Dim {
        // The lowest bit tells an inline constant (0) from an index of the table (1).
        match value.checked_mul(2) {
            Some(doubled) => Dim(doubled),
            None => Dim::of_index(interner::with(|table| table.intern(Polynomial::constant(value)))),
        }
    }

    /// A variable as a number.
    pub fn var(var: Var) -> Dim {
        Dim::factor(Factor::Var(var))
    }

    /// The number of elements of a shape variable.
    pub fn product(var: ShapeVar) -> Dim {
        Dim::atom(Atom::Product(var))
    }

    /// The number of dimensions of a shape variable.
    pub fn rank(var: ShapeVar) -> Dim {
        Dim::atom(Atom::Rank(var))
    }

    /// A number of which nothing is known.
    pub fn opaque() -> Dim {
        Dim::var(Var::opaque())
    }

    /// The number, where it is known.
    pub fn as_const(self) -> Option<i64> {
        match self.inline_constant() {
            Some(value) => Some(value),
            None => interner::with(|table| table.entry(self.index()?)?.polynomial.as_constant()),
        }
    }

    /// The variable, where the expression is just that.
    pub fn as_var(self) -> Option<Var> {
        match self.as_factor()? {
            Factor::Var(var) => Some(var),
            Factor::Atom(_) => None,
        }
    }

    /// The quotient rounded down, as Python's `//`.
    pub fn floor_div(self, divisor: Dim) -> Dim {
        canonical::floor_divide(self, divisor)
    }

    /// The quotient where the divisor divides this number term by term; right wherever the divisor is not 0.
    pub fn exact_quotient(self, divisor: Dim) -> Option<Dim> {
        let (quotient, remainder) = self.polynomial().divide(&divisor.polynomial())?;
        remainder.terms().is_empty().then(|| Dim::from_polynomial(Some(quotient)))
    }

    /// The remainder with the sign of the divisor, as Python's `%`.
    pub fn modulo(self, divisor: Dim) -> Dim {
        canonical::modulo(self, divisor)
    }

    /// The quotient rounded up.
    pub fn ceil_div(self, divisor: Dim) -> Dim {
        if divisor.interval().is_at_least(1) {
            return (self + divisor - Dim::ONE).floor_div(divisor);
        }
        -((-self).floor_div(divisor))
    }

    /// The smaller of both.
    pub fn min(self, other: Dim) -> Dim {
        canonical::minimum(self, other)
    }

    /// The larger of both.
    pub fn max(self, other: Dim) -> Dim {
        canonical::maximum(self, other)
    }

    /// The number with the other sign.
    #[expect(clippy::should_implement_trait, reason = "the operator exists too; a method reads better in a chain")]
    pub fn neg(self) -> Dim {
        self.scale(-1)
    }

    /// The product of some dimensions.
    pub fn product_of(dims: impl IntoIterator<Item = Dim>) -> Dim {
        dims.into_iter().fold(Dim::ONE, |product, dim| product * dim)
    }

    /// The same number for dimensions that are built alike of variables with the same names.
    pub fn named(self) -> u64 {
        interner::with(|table| table.facts(self).named)
    }

    /// The variables in it, each once, in the order of their making.
    pub fn vars(self) -> Vec<Var> {
        let mut vars = Vec::new();
        self.for_each_var(|var| vars.push(var));
        vars
    }

    /// Looks at the variables in it.
    pub fn for_each_var(self, mut look: impl FnMut(Var)) {
        if self.inline_constant().is_some() {
            return;
        }
        for leaf in self.leaves().iter() {
            if let Factor::Var(var) = leaf {
                look(*var);
            }
        }
    }

    /// The shape variables whose rank or product is in it, each once.
    pub fn shape_vars(self) -> Vec<ShapeVar> {
        let variable = |factor: &Factor| match factor {
            Factor::Var(_) => None,
            Factor::Atom(id) => match atom(*id)? {
                Atom::Product(var) | Atom::Rank(var) => Some(var),
                _ => None,
            },
        };
        let mut vars: Vec<ShapeVar> = self.leaves().iter().filter_map(variable).collect();
        vars.dedup();
        vars
    }

    /// The terms that are added, and those that are subtracted: `n - k + 1` gives `n + 1` and `k`.
    pub fn terms_by_sign(self) -> (Dim, Dim) {
        let polynomial = self.polynomial();
        let (plus, minus): (Vec<_>, Vec<_>) = polynomial.terms().iter().cloned().partition(|(_, factor)| *factor > 0);
        let sum = |terms| Dim::from_polynomial(Polynomial::from_terms(terms));
        (sum(plus), -sum(minus))
    }

    /// The expression without its constant term, and that term.
    pub fn split_constant(self) -> (Dim, i64) {
        let constant = match self.inline_constant() {
            Some(value) => value,
            None => self.polynomial().constant_term(),
        };
        (self - Dim::constant(constant), constant)
    }

    /// Whether it rests on a number of which nothing is known.
    pub fn is_opaque(self) -> bool {
        self.leaves().iter().any(|leaf| matches!(leaf, Factor::Var(var) if var.is_opaque()))
    }

    /// Replaces variables; `None` keeps one.
    pub fn substitute(self, replace: &mut dyn FnMut(Var) -> Option<Dim>) -> Dim {
        if self.leaves().is_empty() {
            return self;
        }
        self.rewrite(&mut |factor| match factor {
            Factor::Var(var) => replace(var),
            Factor::Atom(_) => None,
        })
    }

    /// The number with every setting at its default.
    pub(super) fn at_defaults(self) -> Dim {
        let default_of = |table: &interner::Table, leaf: &Factor| match leaf {
            Factor::Var(var) => {
                let info = &table.var(*var).info;
                info.default.filter(|_| info.kind == VarKind::Config)
            }
            Factor::Atom(_) => None,
        };
        // Most numbers have no setting in them.
        let has_setting = |index| {
            interner::with(|table| {
                let leaves = table.entry(index).map(|entry| &entry.facts.leaves);
                leaves.is_some_and(|leaves| leaves.iter().any(|leaf| default_of(table, leaf).is_some()))
            })
        };
        if !self.index().is_some_and(has_setting) {
            return self;
        }
        self.substitute(&mut |var| interner::with(|table| default_of(table, &Factor::Var(var))).map(Dim::constant))
    }

    /// The value for an assignment; `None` where a variable has none, and for an overflow or a division by zero.
    pub fn evaluate(self, value: &mut dyn FnMut(Var) -> Option<i64>) -> Option<i64> {
        if let Some(constant) = self.inline_constant() {
            return Some(constant);
        }
        let mut sum: i64 = 0;
        for (monomial, coefficient) in self.polynomial().terms() {
            let mut product = *coefficient;
            for factor in monomial.iter() {
                let factor = match factor {
                    Factor::Var(var) => value(*var)?,
                    Factor::Atom(id) => evaluate_atom(atom(*id)?, value)?,
                };
                product = product.checked_mul(factor)?;
            }
            sum = sum.checked_add(product)?;
        }
        Some(sum)
    }

    /// The constant, unless it takes more than 63 bits.
    pub(super) fn inline_constant(self) -> Option<i64> {
        (self.0 & 1 == 0).then_some(self.0 >> 1)
    }

    /// The index in the table, where it is no inline constant.
    /// The handle as a number, for hashing.
    pub(super) fn bits(self) -> u64 {
        self.0 as u64
    }

    pub(super) fn index(self) -> Option<u32> {
        if self.0 & 1 == 1 { u32::try_from(self.0 >> 1).ok() } else { None }
    }

    fn of_index(index: u32) -> Dim {
        Dim(i64::from(index) * 2 + 1)
    }

    pub(super) fn factor(factor: Factor) -> Dim {
        Dim::of_index(interner::with(|table| table.intern_factor(factor)))
    }

    /// An atom as a dimension; opaque where it nests too deeply.
    pub(super) fn atom(atom: Atom) -> Dim {
        let id = interner::with(|table| {
            let id = table.intern_atom(atom);
            let facts = &table.atom(id)?.facts;
            (facts.depth <= MAX_DEPTH && facts.size <= MAX_SIZE).then_some(id)
        });
        id.map_or_else(Dim::opaque, |id| Dim::factor(Factor::Atom(id)))
    }

    pub(super) fn as_factor(self) -> Option<Factor> {
        let index = self.index()?;
        interner::with(|table| match table.entry(index)?.polynomial.terms() {
            [(monomial, 1)] if monomial.len() == 1 => monomial.first().copied(),
            _ => None,
        })
    }

    /// What is divided and by what, where the expression is a quotient that is rounded down.
    pub fn as_quotient(self) -> Option<(Dim, Dim)> {
        match self.as_atom()? {
            Atom::FloorDivide(value, divisor) => Some((value, divisor)),
            _ => None,
        }
    }

    /// The atom, where the expression is just that.
    pub(super) fn as_atom(self) -> Option<Atom> {
        match self.as_factor()? {
            Factor::Atom(id) => atom(id),
            Factor::Var(_) => None,
        }
    }

    pub(super) fn polynomial(self) -> Rc<Polynomial> {
        match self.index() {
            None => Rc::new(Polynomial::constant(self.inline_constant().unwrap_or(0))),
            Some(index) => {
                interner::with(|table| table.entry(index).map(|entry| Rc::clone(&entry.polynomial))).unwrap_or_default()
            }
        }
    }

    /// Interns a polynomial; `None` (an overflow) and excessive size become opaque.
    pub(super) fn from_polynomial(polynomial: Option<Polynomial>) -> Dim {
        let Some(polynomial) = polynomial else {
            return Dim::opaque();
        };
        if let Some(value) = polynomial.as_constant()
            && value.checked_mul(2).is_some()
        {
            return Dim::constant(value);
        }
        let index = interner::with(|table| {
            let index = table.intern(polynomial);
            (table.entry(index)?.facts.size <= MAX_SIZE).then_some(index)
        });
        index.map_or_else(Dim::opaque, Dim::of_index)
    }

    /// The variables in it, and the atoms of shape variables; sorted.
    pub(super) fn leaves(self) -> Rc<[Factor]> {
        let leaves = || interner::with(|table| Some(Rc::clone(&table.entry(self.index()?)?.facts.leaves)));
        if self.inline_constant().is_some() { no_factors() } else { leaves().unwrap_or_else(no_factors) }
    }

    /// Whether any leaf satisfies the predicate, which must not work with dimensions.
    pub(super) fn any_leaf(self, mut predicate: impl FnMut(Factor) -> bool) -> bool {
        let Some(index) = self.index() else { return false };
        interner::with(|table| {
            table.entry(index).is_some_and(|entry| entry.facts.leaves.iter().any(|leaf| predicate(*leaf)))
        })
    }

    /// The values that it can have, going by the ranges of the variables alone.
    pub(super) fn interval(self) -> Interval {
        match self.index() {
            None => Interval::point(self.inline_constant().unwrap_or(0)),
            Some(index) => {
                interner::with(|table| table.entry(index).map_or(Interval::ALL, |entry| entry.facts.interval))
            }
        }
    }

    /// The number of terms, those within atoms included.
    pub(super) fn size(self) -> usize {
        let size = |index| interner::with(|table| table.entry(index).map_or(1, |entry| entry.facts.size));
        self.index().map_or(1, size) as usize
    }

    fn scale(self, factor: i64) -> Dim {
        match self.inline_constant().and_then(|value| value.checked_mul(factor)) {
            Some(value) => Dim::constant(value),
            None => {
                let scaled = || self.polynomial().scale(factor);
                remembered(Operation::Product, self, Dim::constant(factor), scaled)
            }
        }
    }

    /// Rebuilds the expression from the bottom with some factors replaced; `None` keeps one (and looks into an atom).
    pub(super) fn rewrite(self, replace: &mut dyn FnMut(Factor) -> Option<Dim>) -> Dim {
        if self.inline_constant().is_some() {
            return self;
        }
        let polynomial = self.polynomial();
        let mut changed = Dim::ZERO;
        // Nothing is built for what stays as it is, which is most.
        let mut kept: Option<Vec<(Monomial, i64)>> = None;
        for (index, (monomial, coefficient)) in polynomial.terms().iter().enumerate() {
            let Some((product, rest)) = rewrite_monomial(monomial, replace) else {
                kept.iter_mut().for_each(|kept| kept.push((Rc::clone(monomial), *coefficient)));
                continue;
            };
            kept.get_or_insert_with(|| polynomial.terms()[..index].to_vec());
            let rest = Polynomial::from_terms([(rest, *coefficient)]);
            changed = changed + product * Dim::from_polynomial(rest);
        }
        match kept {
            None => self,
            Some(kept) => changed + Dim::from_polynomial(Polynomial::from_terms(kept)),
        }
    }
}

pub(super) fn atom(id: super::polynomial::AtomId) -> Option<Atom> {
    interner::with(|table| table.atom(id).map(|entry| entry.atom))
}

/// The product of what replaces factors, and the factors that stay; `None` where all stay.
fn rewrite_monomial(monomial: &[Factor], replace: &mut dyn FnMut(Factor) -> Option<Dim>) -> Option<(Dim, Monomial)> {
    let mut rewritten: Option<(Dim, Vec<Factor>)> = None;
    for (index, factor) in monomial.iter().enumerate() {
        match (rewrite_factor(*factor, replace), &mut rewritten) {
            (Some(new), None) => rewritten = Some((new, monomial[..index].to_vec())),
            (Some(new), Some((product, _))) => *product = *product * new,
            (None, Some((_, rest))) => rest.push(*factor),
            (None, None) => {}
        }
    }
    rewritten.map(|(product, rest)| (product, if rest.is_empty() { no_factors() } else { Monomial::from(rest) }))
}

fn rewrite_factor(factor: Factor, replace: &mut dyn FnMut(Factor) -> Option<Dim>) -> Option<Dim> {
    if let Some(new) = replace(factor) {
        return Some(new);
    }
    let Factor::Atom(id) = factor else {
        return None;
    };
    let (left, right, rebuild): (Dim, Dim, fn(Dim, Dim) -> Dim) = match atom(id)? {
        Atom::FloorDivide(left, right) => (left, right, Dim::floor_div),
        Atom::Modulo(left, right) => (left, right, Dim::modulo),
        Atom::Minimum(left, right) => (left, right, Dim::min),
        Atom::Maximum(left, right) => (left, right, Dim::max),
        Atom::Product(_) | Atom::Rank(_) => return None,
    };
    let (new_left, new_right) = (left.rewrite(replace), right.rewrite(replace));
    (new_left != left || new_right != right).then(|| rebuild(new_left, new_right))
}

fn evaluate_atom(atom: Atom, value: &mut dyn FnMut(Var) -> Option<i64>) -> Option<i64> {
    let (left, right) = atom.operands()?;
    let (left, right) = (left.evaluate(value)?, right.evaluate(value)?);
    match atom {
        Atom::FloorDivide(..) => floor_divide_numbers(left, right),
        Atom::Modulo(..) => modulo_numbers(left, right),
        Atom::Minimum(..) => Some(left.min(right)),
        Atom::Maximum(..) => Some(left.max(right)),
        Atom::Product(_) | Atom::Rank(_) => None,
    }
}

/// Python's `//`.
pub(super) fn floor_divide_numbers(a: i64, b: i64) -> Option<i64> {
    let quotient = a.checked_div(b)?;
    let is_inexact = a.checked_rem(b)? != 0;
    Some(if is_inexact && (a < 0) != (b < 0) { quotient - 1 } else { quotient })
}

/// Python's `%`, whose result has the sign of the divisor.
pub(super) fn modulo_numbers(a: i64, b: i64) -> Option<i64> {
    let remainder = a.checked_rem(b)?;
    Some(if remainder != 0 && (remainder < 0) != (b < 0) { remainder + b } else { remainder })
}

/// The result of an operation, from among those made lately or anew. A result that has no form is another unknown number each time.
fn remembered(operation: Operation, left: Dim, right: Dim, make: impl FnOnce() -> Option<Polynomial>) -> Dim {
    if let Some(known) = interner::with(|table| table.made().get(operation, left, right)) {
        return known;
    }
    let result = Dim::from_polynomial(make());
    if !result.is_opaque() {
        interner::with(|table| table.made().keep(operation, left, right, result));
    }
    result
}

impl Add for Dim {
    type Output = Dim;

    fn add(self, other: Dim) -> Dim {
        if let (Some(a), Some(b)) = (self.inline_constant(), other.inline_constant()) {
            return a.checked_add(b).map_or_else(Dim::opaque, Dim::constant);
        }
        if other == Dim::ZERO {
            return self;
        }
        if self == Dim::ZERO {
            return other;
        }
        remembered(Operation::Sum, self, other, || match (self.inline_constant(), other.inline_constant()) {
            (_, Some(constant)) => self.polynomial().add_constant(constant),
            (Some(constant), _) => other.polynomial().add_constant(constant),
            (None, None) => self.polynomial().add(&other.polynomial()),
        })
    }
}

impl Sub for Dim {
    type Output = Dim;

    fn sub(self, other: Dim) -> Dim {
        if self == other {
            return Dim::ZERO;
        }
        if let (Some(a), Some(b)) = (self.inline_constant(), other.inline_constant()) {
            return a.checked_sub(b).map_or_else(Dim::opaque, Dim::constant);
        }
        if other == Dim::ZERO {
            return self;
        }
        remembered(Operation::Difference, self, other, || {
            if let Some(constant) = other.inline_constant().and_then(i64::checked_neg) {
                return self.polynomial().add_constant(constant);
            }
            // Not by way of `-other`, which would be kept for nothing.
            self.polynomial().add_scaled(&other.polynomial(), -1)
        })
    }
}

impl Mul for Dim {
    type Output = Dim;

    fn mul(self, other: Dim) -> Dim {
        if let (Some(a), Some(b)) = (self.inline_constant(), other.inline_constant()) {
            return a.checked_mul(b).map_or_else(Dim::opaque, Dim::constant);
        }
        if other == Dim::ONE {
            return self;
        }
        if self == Dim::ONE {
            return other;
        }
        remembered(Operation::Product, self, other, || match (self.inline_constant(), other.inline_constant()) {
            (_, Some(factor)) => self.polynomial().scale(factor),
            (Some(factor), _) => other.polynomial().scale(factor),
            (None, None) => self.polynomial().multiply(&other.polynomial()),
        })
    }
}

impl Neg for Dim {
    type Output = Dim;

    fn neg(self) -> Dim {
        Dim::neg(self)
    }
}

impl From<i64> for Dim {
    fn from(value: i64) -> Dim {
        Dim::constant(value)
    }
}

impl From<Var> for Dim {
    fn from(var: Var) -> Dim {
        Dim::var(var)
    }
}

impl fmt::Debug for Dim {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}
