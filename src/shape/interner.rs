//! The thread's table of everything that a handle stands for: variables, atoms and polynomials.
//!
//! Equal polynomials get equal indices, so comparing two dimensions is comparing two numbers. Handles are only meaningful on
//! the thread that made them; results leave the thread as text.

use std::cell::RefCell;
use std::hash::{BuildHasher, Hash};
use std::mem::discriminant;
use std::rc::Rc;

use rustc_hash::{FxBuildHasher, FxHashMap};

use harp_limits::tick;

use crate::decision_cache::Memory;
use crate::dim::Dim;
use crate::interval::Interval;
use crate::polynomial::{Atom, AtomId, Factor, Polynomial, no_factors};
use crate::result_cache::Made;
use crate::undoable_table::Recent;
use crate::variable::{ShapeVar, Var, VarInfo};

/// [`Table::truncate`] must know every member that holds handles.
#[derive(Default)]
pub(super) struct Table {
    vars: Vec<VarEntry>,
    shape_vars: Vec<ShapeVarEntry>,
    atoms: Vec<AtomEntry>,
    atom_ids: FxHashMap<Atom, AtomId>,
    polynomials: Vec<Entry>,
    polynomial_ids: FxHashMap<Rc<Polynomial>, u32>,
    quotients: Recent<Var, Var>,
    stand_ins: Recent<AtomId, Var>,
    parts: Recent<(ShapeVar, Part), Var>,
    rests: Recent<(ShapeVar, Part), ShapeVar>,
    reduced: Recent<(Dim, bool), Option<Dim>>,
    memory: Memory,
    made: Made,
}

/// A dimension of a shape variable, or what remains of it behind that one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Part {
    /// So many dimensions from the front.
    Front(usize),
    /// The dimension at `index` of the last `count`.
    Back { count: usize, index: usize },
}

/// A shape variable.
struct ShapeVarEntry {
    name: String,
    /// How many dimensions were taken from its front, where it is what remained of another one.
    taken: usize,
}

pub(super) struct VarEntry {
    pub info: VarInfo,
    pub interval: Interval,
    /// Stands for a number that the polynomials cannot express.
    pub is_opaque: bool,
    /// The index of the polynomial that is the variable alone, as far as it is still there.
    alone: Option<u32>,
}

#[derive(Clone)]
pub(super) struct AtomEntry {
    pub atom: Atom,
    pub facts: Facts,
    /// The same for the atom.
    alone: Option<u32>,
}

#[derive(Clone)]
pub(super) struct Entry {
    pub polynomial: Rc<Polynomial>,
    pub facts: Facts,
}

/// What follows from an expression alone, computed once.
#[derive(Clone)]
pub(super) struct Facts {
    /// The variables, and the atoms of shape variables, in it; sorted.
    pub leaves: Rc<[Factor]>,
    pub interval: Interval,
    /// How deeply atoms nest in it.
    pub depth: u32,
    /// The number of terms, those in atoms included.
    pub size: u32,
    /// The same for expressions that are built alike of variables with the same names.
    pub named: u64,
}

thread_local! {
    static TABLE: RefCell<Table> = RefCell::default();
}

/// Runs `action` on the thread's table. `action` must not work with dimensions, which would need the table again.
pub(super) fn with<R>(action: impl FnOnce(&mut Table) -> R) -> R {
    tick();
    TABLE.with(|table| action(&mut table.borrow_mut()))
}

/// Frees what the thread remembers. Every handle that was made before it loses its meaning: it reads as 0 or as a
/// nameless variable. For use between programs, when nothing of the last one is kept.
pub fn forget_everything() {
    with(|table| *table = Table::default());
}

/// How much the thread remembers at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Remembered {
    vars: usize,
    shape_vars: usize,
    atoms: usize,
    polynomials: usize,
    quotients: usize,
    stand_ins: usize,
    parts: usize,
    rests: usize,
    reduced: usize,
}

impl Remembered {
    /// Whether nothing is there that is not there at a later moment.
    pub(super) fn is_within(self, later: Remembered) -> bool {
        self.vars <= later.vars
            && self.shape_vars <= later.shape_vars
            && self.atoms <= later.atoms
            && self.polynomials <= later.polynomials
    }

    /// How many handles of dimensions had been given: with each new one it is more.
    pub(super) fn amount(self) -> usize {
        self.vars + self.shape_vars + self.atoms + self.polynomials
    }

    /// How many variables were asked for, but for those that stand for parts of others, which are the same every time.
    pub fn variables(self) -> usize {
        (self.vars + self.shape_vars).saturating_sub(self.quotients + self.stand_ins + self.parts + self.rests)
    }

    /// Whether the variable was made before.
    pub fn has(self, var: Var) -> bool {
        (var.0 as usize) < self.vars
    }

    /// The same for a shape variable.
    pub fn has_shape(self, var: ShapeVar) -> bool {
        (var.0 as usize) < self.shape_vars
    }
}

/// How much the thread remembers now.
pub fn remembered() -> Remembered {
    with(|table| Remembered {
        vars: table.vars.len(),
        shape_vars: table.shape_vars.len(),
        atoms: table.atoms.len(),
        polynomials: table.polynomials.len(),
        quotients: table.quotients.len(),
        stand_ins: table.stand_ins.len(),
        parts: table.parts.len(),
        rests: table.rests.len(),
        reduced: table.reduced.len(),
    })
}

/// Frees what was made since a moment. Its handles will stand for something else: none may be kept.
pub fn forget_since(moment: Remembered) {
    with(|table| table.truncate(moment));
}

fn index(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

impl Table {
    pub fn add_var(&mut self, info: VarInfo, is_opaque: bool) -> Var {
        let var = Var(index(self.vars.len()));
        let interval = info.interval();
        self.vars.push(VarEntry { info, interval, is_opaque, alone: None });
        var
    }

    fn truncate(&mut self, moment: Remembered) {
        for entry in self.polynomials.drain(moment.polynomials.min(self.polynomials.len())..) {
            self.polynomial_ids.remove(&entry.polynomial);
        }
        for entry in self.atoms.drain(moment.atoms.min(self.atoms.len())..) {
            self.atom_ids.remove(&entry.atom);
        }
        self.made.forget();
        self.vars.truncate(moment.vars);
        self.shape_vars.truncate(moment.shape_vars);
        self.quotients.forget_since(moment.quotients);
        self.stand_ins.forget_since(moment.stand_ins);
        self.reduced.forget_since(moment.reduced);
        self.parts.forget_since(moment.parts);
        self.rests.forget_since(moment.rests);
    }

    /// The variable that stands for another one's quotient in a case split: the same one every time, so that trying residues
    /// again and again does not fill the table. It has no range of its own.
    pub fn quotient_of(&mut self, var: Var) -> Var {
        if let Some(quotient) = self.quotients.get(var) {
            return quotient;
        }
        let info = VarInfo::fixed(&format!("{}'", self.var(var).info.name)).between(Some(i64::MIN), None);
        let quotient = self.add_var(info, false);
        self.quotients.insert(var, quotient);
        quotient
    }

    /// The variable that stands for an atom of a shape variable where examples are tried: the same one every time.
    pub fn stand_in(&mut self, id: AtomId) -> Var {
        if let Some(var) = self.stand_ins.get(id) {
            return var;
        }
        let low = self.atom(id).and_then(|entry| entry.facts.interval.low()).unwrap_or(0);
        let var = self.add_var(VarInfo::fixed("?").between(Some(low), None), false);
        self.stand_ins.insert(id, var);
        var
    }

    /// A dimension of a shape variable: the same one on every path on which it turns out to have that dimension.
    pub fn part_of(&mut self, var: ShapeVar, part: Part) -> Var {
        if let Some(known) = self.parts.get((var, part)) {
            return known;
        }
        let info = VarInfo::free(&self.name_of_part(var, part));
        let dim = self.add_var(info, false);
        self.parts.insert((var, part), dim);
        dim
    }

    /// What a dimension of a shape variable is called: by its place from the front, `x_1`, or from the end, `x_last` and before it `x_last2`.
    pub fn name_of_part(&self, var: ShapeVar, part: Part) -> String {
        let name = self.shape_var(var);
        let taken = self.shape_vars.get(var.0 as usize).map_or(0, |entry| entry.taken);
        match part {
            Part::Front(index) => format!("{name}_{}", taken + index),
            Part::Back { count, index } if index + 1 >= count => format!("{name}_last"),
            Part::Back { count, index } => format!("{name}_last{}", count - index),
        }
    }

    /// The shape variable that another one is what remains of, itself the rest of none.
    pub fn whole_of(&self, rest: ShapeVar) -> ShapeVar {
        let mut whole = rest;
        // A rest is younger than what it remains of.
        while let Some((larger, _)) = self.rests.key_of(whole) {
            whole = larger;
        }
        whole
    }

    /// What remains of a shape variable without its dimensions from one end up to this one.
    pub fn rest_of(&mut self, var: ShapeVar, part: Part) -> ShapeVar {
        if let Some(known) = self.rests.get((var, part)) {
            return known;
        }
        let name = self.shape_var(var).to_owned();
        let rest = self.add_shape_var(&name);
        let taken = self.shape_vars.get(var.0 as usize).map_or(0, |entry| entry.taken);
        if let (Part::Front(count), Some(entry)) = (part, self.shape_vars.last_mut()) {
            entry.taken = taken + count;
        }
        self.rests.insert((var, part), rest);
        rest
    }

    /// What a number reduced to, as part of a comparison, when it was last asked for.
    pub fn reduced(&self, number: Dim, keeps_sign: bool) -> Option<Option<Dim>> {
        self.reduced.get((number, keeps_sign))
    }

    pub fn keep_reduced(&mut self, number: Dim, keeps_sign: bool, reduced: Option<Dim>) {
        self.reduced.insert((number, keeps_sign), reduced);
    }

    pub fn made(&mut self) -> &mut Made {
        &mut self.made
    }

    pub fn memory(&mut self) -> &mut Memory {
        &mut self.memory
    }

    pub fn var(&self, var: Var) -> &VarEntry {
        static STALE: VarEntry = VarEntry {
            info: VarInfo {
                name: String::new(),
                kind: crate::variable::VarKind::Fixed,
                default: None,
                lower: None,
                upper: None,
                source: None,
            },
            interval: Interval::ALL,
            is_opaque: true,
            alone: None,
        };
        self.vars.get(var.0 as usize).unwrap_or(&STALE)
    }

    pub fn add_shape_var(&mut self, name: &str) -> ShapeVar {
        let var = ShapeVar(index(self.shape_vars.len()));
        self.shape_vars.push(ShapeVarEntry { name: name.to_owned(), taken: 0 });
        var
    }

    pub fn shape_var(&self, var: ShapeVar) -> &str {
        self.shape_vars.get(var.0 as usize).map_or("", |entry| &entry.name)
    }

    pub fn intern_atom(&mut self, atom: Atom) -> AtomId {
        let atom = self.of_what_is_there(atom);
        if let Some(&id) = self.atom_ids.get(&atom) {
            return id;
        }
        let id = AtomId(index(self.atoms.len()));
        let facts = self.atom_facts(atom, id);
        self.atoms.push(AtomEntry { atom, facts, alone: None });
        self.atom_ids.insert(atom, id);
        id
    }

    /// The atom with operands that are there. A handle that was kept too long would come to stand for what is made of this very atom, and whoever
    /// descends into it would never come to an end; it reads as 1, which can also be a divisor.
    fn of_what_is_there(&self, atom: Atom) -> Atom {
        let there = |operand: Dim| {
            let is_there = operand.index().is_none_or(|id| self.entry(id).is_some());
            debug_assert!(is_there, "a dimension outlived what it stood for");
            if is_there { operand } else { Dim::ONE }
        };
        match atom {
            Atom::Product(_) | Atom::Rank(_) => atom,
            Atom::FloorDivide(left, right) => Atom::FloorDivide(there(left), there(right)),
            Atom::Modulo(left, right) => Atom::Modulo(there(left), there(right)),
            Atom::Minimum(left, right) => Atom::Minimum(there(left), there(right)),
            Atom::Maximum(left, right) => Atom::Maximum(there(left), there(right)),
        }
    }

    pub fn atom(&self, id: AtomId) -> Option<&AtomEntry> {
        self.atoms.get(id.0 as usize)
    }

    pub fn intern(&mut self, polynomial: Polynomial) -> u32 {
        if let Some(&id) = self.polynomial_ids.get(&polynomial) {
            return id;
        }
        let id = index(self.polynomials.len());
        let facts = self.polynomial_facts(&polynomial);
        let polynomial = Rc::new(polynomial);
        self.polynomials.push(Entry { polynomial: Rc::clone(&polynomial), facts });
        self.polynomial_ids.insert(polynomial, id);
        id
    }

    /// The index of the polynomial that is a factor alone.
    pub fn intern_factor(&mut self, factor: Factor) -> u32 {
        let known = match factor {
            Factor::Var(var) => self.vars.get(var.0 as usize).and_then(|entry| entry.alone),
            Factor::Atom(id) => self.atoms.get(id.0 as usize).and_then(|entry| entry.alone),
        };
        // Something else may stand there since polynomials were forgotten.
        if let Some(index) = known
            && self.entry(index).is_some_and(|entry| entry.polynomial.is_factor(factor))
        {
            return index;
        }
        let index = self.intern(Polynomial::factor(factor));
        match factor {
            Factor::Var(var) => self.vars.get_mut(var.0 as usize).map(|entry| entry.alone = Some(index)),
            Factor::Atom(id) => self.atoms.get_mut(id.0 as usize).map(|entry| entry.alone = Some(index)),
        };
        index
    }

    pub fn entry(&self, id: u32) -> Option<&Entry> {
        self.polynomials.get(id as usize)
    }

    /// What is known of a dimension that may be a constant.
    /// What follows from a dimension.
    pub fn facts(&self, dim: Dim) -> Facts {
        let constant = |value| Facts {
            leaves: no_factors(),
            interval: Interval::point(value),
            depth: 0,
            size: 1,
            named: hash_of(value),
        };
        match dim.index() {
            None => constant(dim.inline_constant().unwrap_or(0)),
            Some(id) => self.entry(id).map_or_else(|| constant(0), |entry| entry.facts.clone()),
        }
    }

    fn factor_facts(&self, factor: Factor) -> Facts {
        match factor {
            Factor::Var(var) => {
                let entry = self.var(var);
                let named = hash_of(&entry.info.name);
                Facts { leaves: Rc::from([factor]), interval: entry.interval, depth: 0, size: 1, named }
            }
            Factor::Atom(id) => self.atom(id).map_or_else(
                || Facts { leaves: no_factors(), interval: Interval::ALL, depth: 0, size: 1, named: 0 },
                |entry| entry.facts.clone(),
            ),
        }
    }

    fn atom_facts(&self, atom: Atom, id: AtomId) -> Facts {
        let leaf = |interval| Facts {
            leaves: Rc::from([Factor::Atom(id)]),
            interval,
            depth: 1,
            size: 1,
            named: hash_of(discriminant(&atom)),
        };
        let (left, right, combine): (Dim, Dim, fn(Interval, Interval) -> Interval) = match atom {
            Atom::Product(_) => return leaf(Interval::at_least(1)),
            Atom::Rank(_) => return leaf(Interval::at_least(0)),
            Atom::FloorDivide(left, right) => (left, right, Interval::floor_divide),
            Atom::Modulo(left, right) => (left, right, Interval::modulo),
            Atom::Minimum(left, right) => (left, right, Interval::minimum),
            Atom::Maximum(left, right) => (left, right, Interval::maximum),
        };
        let (left, right) = (self.facts(left), self.facts(right));
        Facts {
            interval: combine(left.interval, right.interval),
            depth: left.depth.max(right.depth) + 1,
            size: left.size.saturating_add(right.size),
            leaves: merge(&left.leaves, &right.leaves),
            named: hash_of((discriminant(&atom), left.named, right.named)),
        }
    }

    fn polynomial_facts(&self, polynomial: &Polynomial) -> Facts {
        let mut all = Facts { leaves: no_factors(), interval: Interval::point(0), depth: 0, size: 0, named: 0 };
        for (monomial, coefficient) in polynomial.terms() {
            let mut interval = Interval::point(*coefficient);
            all.size = all.size.saturating_add(1);
            // Terms and factors stand in the order in which variables were made, which may be another one for the same names.
            let mut named = 0_u64;
            for factor in monomial.iter() {
                let facts = self.factor_facts(*factor);
                interval = interval.multiply(facts.interval);
                all.depth = all.depth.max(facts.depth);
                all.size = all.size.saturating_add(facts.size);
                all.leaves = merge(&all.leaves, &facts.leaves);
                named = named.wrapping_add(facts.named);
            }
            all.named = all.named.wrapping_add(hash_of((coefficient, named)));
            all.interval = all.interval.add(interval);
        }
        all
    }
}

fn hash_of(value: impl Hash) -> u64 {
    FxBuildHasher.hash_one(value)
}

/// The union of two sorted lists.
fn merge(left: &Rc<[Factor]>, right: &Rc<[Factor]>) -> Rc<[Factor]> {
    if right.is_empty() || left == right {
        return Rc::clone(left);
    }
    if left.is_empty() {
        return Rc::clone(right);
    }
    let mut merged: Vec<Factor> = left.iter().chain(right.iter()).copied().collect();
    merged.sort_unstable();
    merged.dedup();
    Rc::from(merged)
}
