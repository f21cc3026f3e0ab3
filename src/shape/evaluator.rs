//! The solver's formulas made ready for being evaluated under thousands of assignments: each number in them is there
//! once, its value is worked out once an assignment, and no table of the interner is asked.

use rustc_hash::FxHashMap;

use crate::dim::{self, Dim};
use crate::formula::{Formula, three_valued_and};
use crate::polynomial::{Atom, Factor};
use crate::variable::Var;
use harp_limits::light_tick;

/// The place of a number in an evaluator.
type Number = u32;

/// How a number comes from others.
#[derive(Debug)]
enum Node {
    /// The variable at this place.
    Var(usize),
    /// Products of numbers, each with its coefficient.
    Sum(Box<[(i64, Box<[Number]>)]>),
    Quotient(Number, Number),
    Remainder(Number, Number),
    Least(Number, Number),
    Greatest(Number, Number),
    /// Nothing is known of it.
    Unknown,
}

/// A formula over numbers of an evaluator.
#[derive(Clone, Debug)]
pub(super) enum Statement {
    Known(Option<bool>),
    Zero(Number),
    NonZero(Number),
    NonNegative(Number),
    And(Box<[Statement]>),
    Or(Box<[Statement]>),
}

/// Numbers, and their values under one assignment of the variables.
#[derive(Debug)]
pub(super) struct Evaluator {
    /// Sorted.
    vars: Vec<Var>,
    nodes: Vec<Node>,
    places: FxHashMap<Dim, Number>,
    places_of_vars: FxHashMap<usize, Number>,
    assigned: Vec<Option<i64>>,
    /// The value of each number, and the assignment under which it was worked out.
    values: Vec<(u64, Option<i64>)>,
    assignment: u64,
}

impl Evaluator {
    /// For formulas over these variables, which are sorted; all others have no value.
    pub fn new(vars: &[Var]) -> Evaluator {
        Evaluator {
            vars: vars.to_vec(),
            nodes: Vec::new(),
            places: FxHashMap::default(),
            places_of_vars: FxHashMap::default(),
            assigned: vec![None; vars.len()],
            values: Vec::new(),
            assignment: 1,
        }
    }

    /// Makes a formula ready.
    pub fn statement(&mut self, formula: &Formula) -> Statement {
        match formula {
            Formula::True => Statement::Known(Some(true)),
            Formula::False => Statement::Known(Some(false)),
            Formula::Unclear => Statement::Known(None),
            Formula::Zero(number) => Statement::Zero(self.number(*number)),
            Formula::NonZero(number) => Statement::NonZero(self.number(*number)),
            Formula::NonNegative(number) => Statement::NonNegative(self.number(*number)),
            Formula::And(parts) => Statement::And(parts.iter().map(|part| self.statement(part)).collect()),
            Formula::Or(parts) => Statement::Or(parts.iter().map(|part| self.statement(part)).collect()),
        }
    }

    /// Gives the variables values, in their order.
    pub fn assign(&mut self, values: impl IntoIterator<Item = Option<i64>>) {
        self.assignment += 1;
        self.assigned.clear();
        self.assigned.extend(values);
    }

    /// The truth of a statement under the assignment; `None` where that is not enough.
    pub fn truth(&mut self, statement: &Statement) -> Option<bool> {
        match statement {
            Statement::Known(truth) => *truth,
            Statement::Zero(number) => self.value(*number).map(|value| value == 0),
            Statement::NonZero(number) => self.value(*number).map(|value| value != 0),
            Statement::NonNegative(number) => self.value(*number).map(|value| value >= 0),
            Statement::And(parts) => three_valued_and(parts.iter().map(|part| self.truth(part))),
            Statement::Or(parts) => {
                three_valued_and(parts.iter().map(|part| self.truth(part).map(|truth| !truth))).map(|truth| !truth)
            }
        }
    }

    /// The value of a number under the assignment.
    pub fn value_of(&mut self, number: Dim) -> Option<i64> {
        let number = self.number(number);
        self.value(number)
    }

    fn value(&mut self, number: Number) -> Option<i64> {
        let place = number as usize;
        let (assignment, value) = *self.values.get(place)?;
        if assignment == self.assignment {
            return value;
        }
        light_tick();
        // Moved out for as long as its parts are looked at: no number is a part of itself.
        let node = std::mem::replace(self.nodes.get_mut(place)?, Node::Unknown);
        let value = self.worked_out(&node);
        *self.nodes.get_mut(place)? = node;
        *self.values.get_mut(place)? = (self.assignment, value);
        value
    }

    fn worked_out(&mut self, node: &Node) -> Option<i64> {
        match node {
            Node::Var(index) => *self.assigned.get(*index)?,
            Node::Sum(terms) => {
                let mut sum: i64 = 0;
                for (coefficient, factors) in terms {
                    let mut product = *coefficient;
                    for factor in factors {
                        product = product.checked_mul(self.value(*factor)?)?;
                    }
                    sum = sum.checked_add(product)?;
                }
                Some(sum)
            }
            Node::Quotient(a, b) => dim::floor_divide_numbers(self.value(*a)?, self.value(*b)?),
            Node::Remainder(a, b) => dim::modulo_numbers(self.value(*a)?, self.value(*b)?),
            Node::Least(a, b) => Some(self.value(*a)?.min(self.value(*b)?)),
            Node::Greatest(a, b) => Some(self.value(*a)?.max(self.value(*b)?)),
            Node::Unknown => None,
        }
    }

    fn number(&mut self, number: Dim) -> Number {
        if let Some(place) = self.places.get(&number) {
            return *place;
        }
        if let Some(factor) = number.as_factor() {
            return self.factor(factor);
        }
        let polynomial = number.polynomial();
        let terms = polynomial.terms().iter().map(|(monomial, coefficient)| {
            let factors = monomial.iter().map(|factor| self.factor(*factor)).collect();
            (*coefficient, factors)
        });
        let node = Node::Sum(terms.collect());
        let place = self.add(node);
        self.places.insert(number, place);
        place
    }

    fn factor(&mut self, factor: Factor) -> Number {
        match factor {
            Factor::Var(var) => {
                let Ok(index) = self.vars.binary_search(&var) else { return self.add(Node::Unknown) };
                if let Some(place) = self.places_of_vars.get(&index) {
                    return *place;
                }
                let place = self.add(Node::Var(index));
                self.places_of_vars.insert(index, place);
                place
            }
            Factor::Atom(id) => {
                let number = Dim::factor(factor);
                if let Some(place) = self.places.get(&number) {
                    return *place;
                }
                let atom = dim::atom(id);
                let operands = atom.and_then(Atom::operands).map(|(a, b)| (self.number(a), self.number(b)));
                let node = match (atom, operands) {
                    (Some(Atom::FloorDivide(..)), Some((a, b))) => Node::Quotient(a, b),
                    (Some(Atom::Modulo(..)), Some((a, b))) => Node::Remainder(a, b),
                    (Some(Atom::Minimum(..)), Some((a, b))) => Node::Least(a, b),
                    (Some(Atom::Maximum(..)), Some((a, b))) => Node::Greatest(a, b),
                    _ => Node::Unknown,
                };
                let place = self.add(node);
                self.places.insert(number, place);
                place
            }
        }
    }

    fn add(&mut self, node: Node) -> Number {
        self.nodes.push(node);
        self.values.push((0, None));
        (self.nodes.len() - 1) as Number
    }
}
