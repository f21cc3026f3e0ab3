//! The order in which a rule's literals are tried, and how each finds its rows.
//!
//! Filters come as soon as their variables are bound; a filter with a partial function, though, never above a literal that
//! stands before it in the rule and shares a variable with the function's arguments, as that may be its guard. Among atoms the
//! next one is that with the fewest expected rows.

use super::functors::Base;
use super::lower::Constant;
use super::relation::Relation;
use super::rule::{AggregateLiteral, Group, Literal, LiteralKind, RelationAtom, Rule, Term, VariableId};
use super::syntax::Comparison;
use super::values::{Cell, Values};
pub(super) use crate::plan_steps::{Access, Plan, Register, Rows, Step, Value};

/// What a plan is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// New rows of the head; the delta atom's number in the body where one relation's new rows drive it.
    Derive { delta: Option<usize> },
    /// Every match of the body, with the head's variables bound: all registers and row numbers come out.
    Enumerate,
    /// Like `Enumerate`, in the order of the source as far as that is possible.
    Explain,
}

/// The constants of a program as cells of a database.
pub(super) fn intern(constants: &[Constant], values: &mut Values) -> Vec<Cell> {
    let cell = |constant: &Constant| match constant {
        Constant::Symbol(text) => values.symbol(text),
        Constant::Number(number) => values.number(*number),
    };
    constants.iter().map(cell).collect()
}

/// Plans one rule. `in_stratum` tells which relations are being built.
pub(super) fn plan(
    rule: &Rule,
    purpose: Purpose,
    bound: &[VariableId],
    relations: &mut [Relation],
    cells: &[Cell],
    in_stratum: &dyn Fn(usize) -> bool,
    record: bool,
) -> Plan {
    let wanted: Vec<&Term> = rule.arguments.iter().collect();
    plan_body(&rule.body, rule.variables.len(), &wanted, purpose, bound, relations, cells, in_stratum, record)
}

/// Plans a conjunction; `wanted` are the terms that come out for `Purpose::Derive`.
#[expect(clippy::too_many_arguments, reason = "the parts of one question, asked from three places")]
pub(super) fn plan_body(
    body: &[Literal],
    variables: usize,
    wanted: &[&Term],
    purpose: Purpose,
    bound: &[VariableId],
    relations: &mut [Relation],
    cells: &[Cell],
    in_stratum: &dyn Fn(usize) -> bool,
    record: bool,
) -> Plan {
    let mut planner = Planner {
        relations,
        cells,
        in_stratum,
        purpose,
        bound: vec![false; variables],
        constants: Vec::new(),
        registers: variables,
        needed: vec![0; variables],
        premise_of: premise_numbers(body),
        product: None,
    };
    bound.iter().for_each(|variable| planner.bound[*variable] = true);
    planner.count_needs(body, wanted);
    let mut steps = Vec::new();
    planner.order(body, &mut steps);
    let mut output = Vec::new();
    match purpose {
        Purpose::Derive { .. } => {
            for term in wanted {
                let register = planner.result(term, &mut steps);
                output.push(register);
            }
        }
        Purpose::Enumerate | Purpose::Explain => output.extend((0..variables).map(|register| register as Register)),
    }
    let premises =
        if record || purpose == Purpose::Enumerate { planner.premise_of.iter().flatten().count() } else { 0 };
    Plan {
        steps,
        registers: planner.registers,
        constants: planner.constants,
        output,
        premises,
        product: planner.product,
    }
}

/// For each literal its number among the positive atoms.
fn premise_numbers(body: &[Literal]) -> Vec<Option<u16>> {
    let mut next = 0;
    body.iter()
        .map(|literal| {
            matches!(literal.kind, LiteralKind::Atom(_)).then(|| {
                next += 1;
                next - 1
            })
        })
        .collect()
}

struct Planner<'a> {
    relations: &'a mut [Relation],
    cells: &'a [Cell],
    in_stratum: &'a dyn Fn(usize) -> bool,
    purpose: Purpose,
    bound: Vec<bool>,
    constants: Vec<(Register, u32)>,
    registers: usize,
    /// How many literals and results use each variable.
    needed: Vec<u32>,
    premise_of: Vec<Option<u16>>,
    product: Option<u64>,
}

impl Planner<'_> {
    fn count_needs(&mut self, body: &[Literal], wanted: &[&Term]) {
        let needed = &mut self.needed;
        for literal in body {
            literal.variables(&mut |variable| needed[variable] += 1);
        }
        wanted.iter().for_each(|term| term.variables(&mut |variable| needed[variable] += 1));
    }

    /// Puts all literals into an order and makes their steps.
    fn order(&mut self, body: &[Literal], steps: &mut Vec<Step>) {
        let mut waiting: Vec<usize> = (0..body.len()).collect();
        if let Purpose::Derive { delta: Some(delta) } = self.purpose {
            waiting.retain(|literal| *literal != delta);
            self.place(body, delta, steps);
        }
        let mut size = 1.0;
        loop {
            let mut relaxed = false;
            while let Some(ready) = self.next_filter(body, &waiting, relaxed) {
                waiting.retain(|literal| *literal != ready);
                self.place(body, ready, steps);
                relaxed = false;
            }
            let atoms = waiting.iter().copied().filter(|literal| matches!(body[*literal].kind, LiteralKind::Atom(_)));
            let Some(atom) = self.next_atom(body, atoms.collect(), &mut size, !steps.is_empty()) else {
                // Guards that wait for what they guard are no guards.
                relaxed = true;
                match self.next_filter(body, &waiting, relaxed) {
                    Some(ready) => {
                        waiting.retain(|literal| *literal != ready);
                        self.place(body, ready, steps);
                        continue;
                    }
                    None => return,
                }
            };
            waiting.retain(|literal| *literal != atom);
            self.place(body, atom, steps);
        }
    }

    /// The first literal in the source's order that needs no further rows.
    fn next_filter(&self, body: &[Literal], waiting: &[usize], relaxed: bool) -> Option<usize> {
        // An explanation names the first literal, as the source has them, that fails: what could be tested earlier waits for its turn.
        let in_turn = self.purpose == Purpose::Explain && !relaxed;
        let is_atom = |number: &usize| matches!(body[*number].kind, LiteralKind::Atom(_));
        waiting.iter().copied().take_while(|number| !(in_turn && is_atom(number))).find(|number| {
            let literal = &body[*number];
            self.is_ready(literal) && (relaxed || !self.is_guarded(body, waiting, *number))
        })
    }

    fn is_ready(&self, literal: &Literal) -> bool {
        let bound = |term: &Term| super::check::all_bound(term, &self.bound);
        match &literal.kind {
            LiteralKind::Atom(_) => false,
            LiteralKind::Absent(atom) => atom.arguments.iter().all(bound),
            LiteralKind::Compare { operator, left, right, .. } => {
                let assigns = |target: &Term, value: &Term| matches!(target, Term::Variable(_)) && bound(value);
                let equal = *operator == Comparison::Equal;
                (bound(left) && bound(right)) || (equal && (assigns(left, right) || assigns(right, left)))
            }
            LiteralKind::Test { arguments, .. } => arguments.iter().all(bound),
            LiteralKind::Aggregate(aggregate) => aggregate.outer.iter().all(|variable| self.bound[*variable]),
            LiteralKind::Never => true,
        }
    }

    /// Whether a waiting literal stands before this one that may guard its partial function.
    fn is_guarded(&self, body: &[Literal], waiting: &[usize], number: usize) -> bool {
        let mut arguments = Vec::new();
        let mut see = |term: &Term| term.variables(&mut |variable| arguments.push(variable));
        match &body[number].kind {
            LiteralKind::Compare { left, right, .. } => {
                [left, right].into_iter().filter(|term| term.has_partial_call()).for_each(&mut see);
            }
            LiteralKind::Test { functor, arguments, .. }
                if functor.is_partial() || arguments.iter().any(Term::has_partial_call) =>
            {
                arguments.iter().for_each(&mut see);
            }
            _ => {}
        }
        if arguments.is_empty() {
            return false;
        }
        waiting.iter().take_while(|other| **other < number).any(|other| {
            let mut shares = false;
            body[*other].variables(&mut |variable| shares |= arguments.contains(&variable));
            shares
        })
    }

    /// The atom with the fewest expected rows for each match so far.
    fn next_atom(&mut self, body: &[Literal], atoms: Vec<usize>, size: &mut f64, started: bool) -> Option<usize> {
        if self.purpose == Purpose::Explain {
            return atoms.first().copied();
        }
        let mut best: Option<(f64, f64, usize)> = None;
        for number in atoms {
            let LiteralKind::Atom(atom) = &body[number].kind else { continue };
            let (rows, connected) = self.expected_rows(atom);
            // Rows that nothing connects multiply what is there.
            let cost = if connected || !started { rows } else { rows * 16.0 };
            if best.is_none_or(|(least, ..)| cost < least) {
                best = Some((cost, rows, number));
            }
        }
        let (_, rows, number) = best?;
        let LiteralKind::Atom(atom) = &body[number].kind else { return None };
        let connected = self.expected_rows(atom).1;
        let binds =
            atom.arguments.iter().any(|term| matches!(term, Term::Variable(variable) if self.needed[*variable] > 1));
        let product = *size * rows.max(1.0);
        if started && !connected && binds && *size > 1.0 {
            self.product = Some(self.product.unwrap_or(0).max(product as u64));
        }
        *size = product.max(1.0);
        Some(number)
    }

    fn expected_rows(&mut self, atom: &RelationAtom) -> (f64, bool) {
        let number = atom.relation.index();
        let growing = (self.in_stratum)(number);
        let relation = &mut self.relations[number];
        // Of a relation that is being built nobody knows how large it will be.
        let mut rows = if growing { (relation.len as f64).max(1000.0) } else { relation.len as f64 };
        let mut connected = false;
        let known = rows;
        for (column, term) in atom.arguments.iter().enumerate() {
            let is_bound = match term {
                Term::Variable(variable) => self.bound[*variable],
                Term::Constant(_) => true,
                Term::Wildcard | Term::Call(..) => false,
            };
            if is_bound {
                connected = true;
                let distinct =
                    if growing && relation.len < 1000 { known.sqrt() } else { relation.distinct(column) as f64 };
                rows /= distinct.max(1.0);
            }
        }
        (rows, connected)
    }

    fn place(&mut self, body: &[Literal], number: usize, steps: &mut Vec<Step>) {
        match &body[number].kind {
            LiteralKind::Atom(atom) => {
                let access = self.access(number, atom);
                steps.push(Step::Rows(access));
            }
            LiteralKind::Absent(atom) => self.place_absent(atom, number, steps),
            LiteralKind::Compare { operator, base, left, right } => {
                self.place_comparison(*operator, *base, left, right, number, steps);
            }
            LiteralKind::Test { functor, arguments, expected } => {
                let arguments = arguments.iter().map(|term| self.value(term)).collect();
                steps.push(Step::Test { functor: *functor, arguments, expected: *expected, literal: number });
            }
            LiteralKind::Aggregate(aggregate) => self.place_aggregate(aggregate, number, steps),
            LiteralKind::Never => steps.push(Step::Never { literal: number }),
        }
    }

    fn access(&mut self, number: usize, atom: &RelationAtom) -> Access {
        let relation = atom.relation.index();
        let mut columns = Vec::new();
        let mut key = Vec::new();
        let mut binds: Vec<(u16, Register)> = Vec::new();
        let mut checks: Vec<(u16, Register)> = Vec::new();
        let mut now_bound = Vec::new();
        for (column, term) in atom.arguments.iter().enumerate() {
            match term {
                Term::Variable(variable) if self.bound[*variable] => {
                    columns.push(column);
                    key.push(*variable as Register);
                }
                Term::Variable(variable) if now_bound.contains(variable) => {
                    checks.push((column as u16, *variable as Register));
                }
                Term::Variable(variable) => {
                    now_bound.push(*variable);
                    binds.push((column as u16, *variable as Register));
                }
                Term::Constant(constant) => {
                    columns.push(column);
                    key.push(self.constant(*constant));
                }
                Term::Wildcard | Term::Call(..) => {}
            }
        }
        now_bound.iter().for_each(|variable| self.bound[*variable] = true);
        if matches!(self.purpose, Purpose::Derive { .. }) {
            let needed = &self.needed;
            binds.retain(|(_, register)| needed[*register as usize] > 1);
        }
        let once = binds.is_empty() && checks.is_empty() && matches!(self.purpose, Purpose::Derive { .. });
        let rows = self.rows(number, relation);
        let index = if columns.is_empty() || rows == Rows::Delta {
            // Few rows are new; looking at each is cheaper than keeping an index for them.
            checks.extend(columns.iter().zip(&key).map(|(column, register)| (*column as u16, *register)));
            None
        } else {
            let covered = self.relations[relation].delta.end;
            Some((self.relations[relation].index_on(&columns, covered), key.into()))
        };
        Access {
            relation,
            rows,
            index,
            binds: binds.into(),
            checks: checks.into(),
            premise: self.premise_of[number].unwrap_or(0),
            once,
            literal: number,
        }
    }

    /// Atoms before the delta's see the rows of the rounds before, those after it all rows: each match is found once.
    fn rows(&self, number: usize, relation: usize) -> Rows {
        match self.purpose {
            Purpose::Derive { delta: Some(delta) } if delta == number => Rows::Delta,
            Purpose::Derive { delta: Some(delta) } if number < delta && (self.in_stratum)(relation) => Rows::Old,
            _ => Rows::Full,
        }
    }

    fn place_absent(&mut self, atom: &RelationAtom, number: usize, steps: &mut Vec<Step>) {
        let relation = atom.relation.index();
        let mut columns = Vec::new();
        let mut key = Vec::new();
        for (column, term) in atom.arguments.iter().enumerate() {
            match term {
                Term::Variable(variable) => {
                    columns.push(column);
                    key.push(*variable as Register);
                }
                Term::Constant(constant) => {
                    columns.push(column);
                    key.push(self.constant(*constant));
                }
                Term::Wildcard | Term::Call(..) => {}
            }
        }
        let all = columns.len() == atom.arguments.len();
        let covered = self.relations[relation].delta.end;
        let index = (!all && !columns.is_empty()).then(|| self.relations[relation].index_on(&columns, covered));
        let columns = columns.into_iter().map(|column| column as u16).collect();
        steps.push(Step::Absent { relation, columns, key: key.into(), index, literal: number });
    }

    fn place_comparison(
        &mut self,
        operator: Comparison,
        base: Base,
        left: &Term,
        right: &Term,
        number: usize,
        steps: &mut Vec<Step>,
    ) {
        for (target, value) in [(left, right), (right, left)] {
            if let Term::Variable(variable) = target
                && !self.bound[*variable]
            {
                let value = self.value(value);
                self.bound[*variable] = true;
                steps.push(Step::Assign { register: *variable as Register, value, literal: number });
                return;
            }
        }
        let (left, right) = (self.value(left), self.value(right));
        steps.push(Step::Compare { operator, base, left, right, literal: number });
    }

    fn place_aggregate(&mut self, aggregate: &AggregateLiteral, number: usize, steps: &mut Vec<Step>) {
        let groups = aggregate.groups.iter().map(|group| self.group_steps(group)).collect();
        // An equation may have given the result its value before; then the aggregate must agree.
        let known = std::mem::replace(&mut self.bound[aggregate.result], true);
        let result = if known { self.fresh() } else { aggregate.result as Register };
        steps.push(Step::Aggregate { kind: aggregate.kind, groups, result, literal: number });
        if known {
            steps.push(Step::Compare {
                operator: Comparison::Equal,
                base: Base::Number,
                left: Value::Register(result),
                right: Value::Register(aggregate.result as Register),
                literal: number,
            });
        }
    }

    fn group_steps(&mut self, group: &Group) -> Box<[Step]> {
        let mut inner = Planner {
            relations: self.relations,
            cells: self.cells,
            in_stratum: self.in_stratum,
            // Every match counts.
            purpose: if self.purpose == Purpose::Explain { Purpose::Explain } else { Purpose::Enumerate },
            bound: self.bound.clone(),
            constants: std::mem::take(&mut self.constants),
            registers: self.registers,
            needed: vec![2; self.bound.len()],
            premise_of: vec![None; group.body.len()],
            product: None,
        };
        let mut steps = Vec::new();
        inner.order(&group.body, &mut steps);
        let target = group.target.as_ref().map(|target| inner.value(target));
        steps.push(Step::Accumulate { target });
        self.registers = inner.registers;
        self.constants = std::mem::take(&mut inner.constants);
        self.product = self.product.max(inner.product);
        steps.into()
    }

    /// The register that holds a term's value when the body matched.
    fn result(&mut self, term: &Term, steps: &mut Vec<Step>) -> Register {
        match term {
            Term::Variable(variable) => *variable as Register,
            Term::Constant(constant) => self.constant(*constant),
            Term::Wildcard | Term::Call(..) => {
                let value = self.value(term);
                let register = self.fresh();
                steps.push(Step::Assign { register, value, literal: usize::MAX });
                register
            }
        }
    }

    fn value(&mut self, term: &Term) -> Value {
        match term {
            Term::Variable(variable) => Value::Register(*variable as Register),
            Term::Constant(constant) => Value::Register(self.constant(*constant)),
            Term::Call(functor, arguments) => {
                Value::Call(*functor, arguments.iter().map(|argument| self.value(argument)).collect())
            }
            // The checker lets no wildcard through to here.
            Term::Wildcard => Value::Register(self.fresh()),
        }
    }

    fn constant(&mut self, constant: usize) -> Register {
        let cell = self.cells[constant].0;
        if let Some((register, _)) = self.constants.iter().find(|(_, other)| *other == cell) {
            return *register;
        }
        let register = self.fresh();
        self.constants.push((register, cell));
        register
    }

    fn fresh(&mut self) -> Register {
        let register = self.registers.min(Register::MAX as usize) as Register;
        self.registers += 1;
        register
    }
}
