//! Runs the plan of one rule: finds every way to match its body.

use std::time::Instant;

use crate::budget::Breach;
use crate::functors::{Base, Builtin, Functors};
use crate::patterns::Patterns;
use crate::plan::{Access, Plan, Register, Rows, Step, Value};
use crate::relation::Relation;
use crate::rule::FunctorId;
use crate::syntax::{AggregateKind, Comparison};
use crate::values::{Cell, Values};

/// Results are handed on in batches of about this many cells.
const BATCH: usize = 8192;
/// The clock is looked at after this many steps.
const STRIDE: i64 = 1 << 14;
/// A caller's functor is taken to cost this many steps.
const CUSTOM_CALL: i64 = 16;
/// Compiling a regular expression is taken to cost this many steps.
const PATTERN: i64 = 50_000;

/// What a run may use.
#[derive(Clone, Copy, Debug)]
pub(super) struct Allowance {
    pub steps: u64,
    pub until: Option<Instant>,
}

/// What evaluation needs beside relations.
pub(super) struct Surroundings<'a> {
    pub values: &'a mut Values,
    pub functors: &'a dyn Functors,
    pub patterns: &'a mut Patterns,
}

/// How a run ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outcome {
    /// Rows that were looked at, and the work of functors.
    pub steps: u64,
    pub breach: Option<Breach>,
}

/// Takes batches of results: the cells and how many results they are. Returns whether more may come.
pub(super) type Deliver<'a> = &'a mut dyn FnMut(&[u32], usize) -> bool;

struct Machine<'a, 'b> {
    relations: &'a [Relation],
    around: &'b mut Surroundings<'a>,
    deliver: Deliver<'b>,
    registers: Vec<u32>,
    premises: Vec<u32>,
    output: &'b [Register],
    results: Vec<u32>,
    result_count: usize,
    accumulators: Vec<Accumulator>,
    /// Steps until the next look at the allowance.
    countdown: i64,
    /// Where the countdown began.
    stride: i64,
    used: u64,
    allowance: Allowance,
    breach: Option<Breach>,
    /// The literals matched on the way that came furthest, and the registers then.
    furthest: Option<Furthest>,
}

/// How far the matching of a body came.
#[derive(Clone, Debug, Default)]
pub(super) struct Furthest {
    /// How many steps were left at the one that did not hold; 0 where not even the first held.
    pub left: usize,
    pub registers: Vec<u32>,
}

#[derive(Clone, Copy)]
struct Accumulator {
    kind: AggregateKind,
    count: i64,
    value: Option<i64>,
}

/// Runs a plan with some registers set.
pub(super) fn run(
    plan: &Plan,
    bound: &[(Register, u32)],
    relations: &[Relation],
    around: &mut Surroundings,
    allowance: Allowance,
    deliver: Deliver,
) -> Outcome {
    let surroundings =
        &mut Surroundings { values: around.values, functors: around.functors, patterns: around.patterns };
    let mut machine = Machine::new(plan, bound, relations, surroundings, allowance, deliver);
    machine.go(&plan.steps);
    machine.finish()
}

/// Runs a plan until its first result and tells how far it came; `None` where there is a result.
pub(super) fn run_furthest(
    plan: &Plan,
    bound: &[(Register, u32)],
    relations: &[Relation],
    around: &mut Surroundings,
    allowance: Allowance,
) -> Option<Furthest> {
    let mut found = false;
    let mut first = |_: &[u32], _: usize| {
        found = true;
        false
    };
    let surroundings =
        &mut Surroundings { values: around.values, functors: around.functors, patterns: around.patterns };
    let mut machine = Machine::new(plan, bound, relations, surroundings, allowance, &mut first);
    machine.furthest = Some(Furthest { left: 0, registers: machine.registers.clone() });
    machine.go(&plan.steps);
    let furthest = machine.furthest.take();
    machine.finish();
    if found { None } else { furthest }
}

impl<'a, 'b> Machine<'a, 'b> {
    fn new(
        plan: &'b Plan,
        bound: &[(Register, u32)],
        relations: &'a [Relation],
        around: &'b mut Surroundings<'a>,
        allowance: Allowance,
        deliver: Deliver<'b>,
    ) -> Self {
        let mut registers = vec![0; plan.registers];
        for (register, cell) in plan.constants.iter().chain(bound) {
            registers[*register as usize] = *cell;
        }
        let stride = STRIDE.min(i64::try_from(allowance.steps).unwrap_or(STRIDE).saturating_add(1));
        Machine {
            relations,
            around,
            deliver,
            registers,
            premises: vec![0; plan.premises],
            output: &plan.output,
            results: Vec::new(),
            result_count: 0,
            accumulators: Vec::new(),
            countdown: stride,
            stride,
            used: 0,
            allowance,
            breach: None,
            furthest: None,
        }
    }

    fn finish(mut self) -> Outcome {
        self.flush();
        if self.around.values.is_exhausted() && self.breach.is_none() {
            self.breach = Some(Breach::Made);
        }
        Outcome { steps: self.used + (self.stride - self.countdown).max(0) as u64, breach: self.breach }
    }

    /// Tries the steps from the first on. Returns whether to go on.
    fn go(&mut self, steps: &[Step]) -> bool {
        let Some((step, rest)) = steps.split_first() else { return self.emit() };
        match step {
            Step::Rows(access) => match &access.index {
                None => self.scan(access, rest),
                Some((index, key)) => self.look_up(access, *index, key, rest),
            },
            Step::Absent { relation, columns, key, index, .. } => {
                !self.is_absent(*relation, columns.len(), key, *index) || self.go_on(rest)
            }
            Step::Compare { operator, base: Base::Number, left, right, .. } => {
                let (Some(left), Some(right)) = (self.integer(left), self.integer(right)) else { return true };
                !operator.holds(left.cmp(&right)) || self.go_on(rest)
            }
            Step::Compare { operator, base: Base::Symbol, left, right, .. } => {
                let (Some(left), Some(right)) = (self.value(left), self.value(right)) else { return true };
                !self.compares(*operator, left, right) || self.go_on(rest)
            }
            Step::Assign { register, value, .. } => {
                let Some(cell) = self.value(value) else { return true };
                self.registers[*register as usize] = cell;
                self.go_on(rest)
            }
            Step::Test { functor, arguments, expected, .. } => {
                let mut cells = Vec::with_capacity(arguments.len());
                for argument in arguments {
                    let Some(cell) = self.value(argument) else { return true };
                    cells.push(Cell(cell));
                }
                self.call(*functor, &cells).is_some() != *expected || self.go_on(rest)
            }
            Step::Aggregate { kind, groups, result, .. } => self.aggregate(*kind, groups, *result, rest),
            Step::Accumulate { target } => {
                let value = match target {
                    None => None,
                    Some(target) => match self.integer(target) {
                        Some(number) => Some(number),
                        None => return true,
                    },
                };
                if let Some(accumulator) = self.accumulators.last_mut() {
                    accumulator.add(value);
                }
                true
            }
            Step::Never { .. } => true,
        }
    }

    /// Goes on behind a step that held.
    #[inline]
    fn go_on(&mut self, rest: &[Step]) -> bool {
        if rest.is_empty() {
            return self.emit();
        }
        if self.furthest.is_some() {
            self.note_furthest(rest);
        }
        self.go(rest)
    }

    /// Fewer steps left means that more held.
    fn note_furthest(&mut self, rest: &[Step]) {
        if !self.accumulators.is_empty() {
            return;
        }
        let registers = &self.registers;
        if let Some(furthest) = &mut self.furthest
            && (furthest.left == 0 || rest.len() < furthest.left)
        {
            *furthest = Furthest { left: rest.len(), registers: registers.clone() };
        }
    }

    fn scan(&mut self, access: &Access, rest: &[Step]) -> bool {
        let relations = self.relations;
        let relation = &relations[access.relation];
        let (from, to) = match access.rows {
            Rows::Full => (0, relation.delta.end),
            Rows::Old => (0, relation.delta.start),
            Rows::Delta => (relation.delta.start, relation.delta.end),
        };
        for row in from..to {
            if !self.spend() {
                return false;
            }
            if self.accept(access, relation, row as u32) {
                if !self.go_on(rest) {
                    return false;
                }
                if access.once {
                    break;
                }
            }
        }
        true
    }

    fn look_up(&mut self, access: &Access, index: usize, key: &[Register], rest: &[Step]) -> bool {
        let relations = self.relations;
        let relation = &relations[access.relation];
        let index = &relation.indexes[index];
        let group = match *key {
            [only] => index.lookup(&relation.data, relation.arity, &[self.registers[only as usize]]),
            [first, second] => {
                let key = [self.registers[first as usize], self.registers[second as usize]];
                index.lookup(&relation.data, relation.arity, &key)
            }
            _ => {
                let key: Vec<u32> = key.iter().map(|register| self.registers[*register as usize]).collect();
                index.lookup(&relation.data, relation.arity, &key)
            }
        };
        let Some(group) = group else { return true };
        let end = if access.rows == Rows::Old { relation.delta.start } else { relation.delta.end } as u32;
        for row in group.together {
            if *row >= end {
                break;
            }
            if !self.spend() {
                return false;
            }
            if self.accept(access, relation, *row) {
                if !self.go_on(rest) {
                    return false;
                }
                if access.once {
                    return true;
                }
            }
        }
        let mut next = group.newest;
        while let Some(row) = next {
            next = index.older(row);
            if row >= end {
                continue;
            }
            if !self.spend() {
                return false;
            }
            if self.accept(access, relation, row) {
                if !self.go_on(rest) {
                    return false;
                }
                if access.once {
                    return true;
                }
            }
        }
        true
    }

    /// Binds what a row gives; whether the row fits.
    #[inline]
    fn accept(&mut self, access: &Access, relation: &Relation, row: u32) -> bool {
        let cells = relation.row(row as usize);
        for (column, register) in &access.binds {
            self.registers[*register as usize] = cells[*column as usize];
        }
        for (column, register) in &access.checks {
            if cells[*column as usize] != self.registers[*register as usize] {
                return false;
            }
        }
        if let Some(premise) = self.premises.get_mut(access.premise as usize)
            && self.accumulators.is_empty()
        {
            *premise = row;
        }
        true
    }

    fn is_absent(&self, relation: usize, columns: usize, key: &[Register], index: Option<usize>) -> bool {
        let relation = &self.relations[relation];
        let mut short = [0u32; 8];
        let long: Vec<u32>;
        let key = if key.len() <= short.len() {
            short.iter_mut().zip(key).for_each(|(cell, register)| *cell = self.registers[*register as usize]);
            &short[..key.len()]
        } else {
            long = key.iter().map(|register| self.registers[*register as usize]).collect();
            &long
        };
        match index {
            Some(index) => relation.indexes[index].lookup(&relation.data, relation.arity, key).is_none(),
            None if columns == relation.arity => !relation.contains(key),
            None => relation.len == 0,
        }
    }

    fn aggregate(&mut self, kind: AggregateKind, groups: &[Box<[Step]>], result: Register, rest: &[Step]) -> bool {
        let value = if kind == AggregateKind::Sum { Some(0) } else { None };
        self.accumulators.push(Accumulator { kind, count: 0, value });
        let goes_on = groups.iter().all(|steps| self.go(steps));
        let Some(accumulator) = self.accumulators.pop() else { return false };
        if !goes_on {
            return false;
        }
        let value = if kind == AggregateKind::Count { Some(accumulator.count) } else { accumulator.value };
        let Some(value) = value else { return true };
        self.registers[result as usize] = self.around.values.number(value).0;
        self.go_on(rest)
    }

    #[inline]
    fn emit(&mut self) -> bool {
        for register in self.output {
            self.results.push(self.registers[*register as usize]);
        }
        self.results.extend_from_slice(&self.premises);
        self.result_count += 1;
        if self.results.len() >= BATCH || self.output.is_empty() || self.furthest.is_some() {
            return self.flush();
        }
        true
    }

    fn flush(&mut self) -> bool {
        if self.result_count == 0 {
            return true;
        }
        let goes_on = (self.deliver)(&self.results, self.result_count);
        self.results.clear();
        self.result_count = 0;
        if !goes_on && self.breach.is_none() {
            self.breach = Some(Breach::Rows);
        }
        goes_on
    }

    #[inline]
    fn spend(&mut self) -> bool {
        self.countdown -= 1;
        self.countdown > 0 || self.look_at_allowance()
    }

    /// Counts work that is no row; the next row finds out whether it was too much.
    #[inline]
    fn charge(&mut self, steps: i64) {
        self.countdown -= steps;
    }

    #[cold]
    fn look_at_allowance(&mut self) -> bool {
        self.used += (self.stride - self.countdown).max(0) as u64;
        self.stride = STRIDE;
        self.countdown = STRIDE;
        if self.breach.is_some() {
            return false;
        }
        if self.around.values.is_exhausted() {
            self.breach = Some(Breach::Made);
        } else if self.used > self.allowance.steps {
            self.breach = Some(Breach::Steps);
        } else if self.allowance.until.is_some_and(|until| Instant::now() > until) {
            self.breach = Some(Breach::Time);
        }
        self.breach.is_none()
    }

    /// The value of a numeric term; intermediate results are not interned.
    fn integer(&mut self, value: &Value) -> Option<i64> {
        match value {
            Value::Call(FunctorId::Builtin(builtin), arguments) if builtin.is_arithmetic() => {
                self.charge(1);
                if let [left, right] = &**arguments {
                    let numbers = [self.integer(left)?, self.integer(right)?];
                    return builtin.calculate(numbers.into_iter());
                }
                let mut numbers = Vec::with_capacity(arguments.len());
                for argument in arguments {
                    numbers.push(self.integer(argument)?);
                }
                builtin.calculate(numbers.into_iter())
            }
            _ => self.value(value).map(|cell| self.around.values.integer(Cell(cell))),
        }
    }

    fn value(&mut self, value: &Value) -> Option<u32> {
        match value {
            Value::Register(register) => Some(self.registers[*register as usize]),
            Value::Call(FunctorId::Builtin(builtin), _) if builtin.is_arithmetic() => {
                let number = self.integer(value)?;
                let cell = self.around.values.number(number).0;
                self.stop_if_exhausted();
                Some(cell)
            }
            Value::Call(functor, arguments) => {
                let mut cells = Vec::with_capacity(arguments.len());
                for argument in arguments {
                    cells.push(Cell(self.value(argument)?));
                }
                self.call(*functor, &cells).map(|cell| cell.0)
            }
        }
    }

    fn call(&mut self, functor: FunctorId, arguments: &[Cell]) -> Option<Cell> {
        let result = match functor {
            FunctorId::Builtin(builtin) => {
                let mut work = builtin.work(arguments, self.around.values);
                if builtin == Builtin::Match && !self.around.patterns.knows(arguments) {
                    work += PATTERN;
                }
                self.charge(work);
                builtin.apply(arguments, self.around.values, self.around.patterns)
            }
            FunctorId::Custom(index) => {
                self.charge(CUSTOM_CALL);
                self.around.functors.apply(index, arguments, self.around.values)
            }
        };
        self.stop_if_exhausted();
        result
    }

    /// A rule that made too many values is to find out at its next step.
    #[inline]
    fn stop_if_exhausted(&mut self) {
        if self.around.values.is_exhausted() {
            self.charge(self.countdown.max(0));
        }
    }

    fn compares(&self, operator: Comparison, left: u32, right: u32) -> bool {
        match operator {
            Comparison::Equal => left == right,
            Comparison::NotEqual => left != right,
            _ => operator.holds(self.around.values.text(Cell(left)).cmp(self.around.values.text(Cell(right)))),
        }
    }
}

impl Accumulator {
    fn add(&mut self, value: Option<i64>) {
        self.count += 1;
        let Some(value) = value else { return };
        self.value = match (self.kind, self.value) {
            (AggregateKind::Sum, sum) => sum.and_then(|sum| sum.checked_add(value)),
            (_, None) => Some(value),
            (AggregateKind::Max, Some(known)) => Some(known.max(value)),
            (_, Some(known)) => Some(known.min(value)),
        };
    }
}
