//! Questions about single rules after evaluation: every way to match a body, the value of a term, the row an atom speaks of.

use crate::budget::Breach;
use crate::derivation_graph::Pattern;
use crate::evaluate::State;
use crate::plan::{Purpose, Register, plan_body};
use crate::program::Program;
use crate::relation::Relation;
use crate::rule::{FunctorId, Literal, RelationAtom, Rule, Term, VariableId};
use crate::run_plan::{Allowance, Surroundings, run};
use crate::values::Cell;

/// Matches of one body that are looked at.
const MOST_MATCHES: usize = 512;
/// Rows looked at for the matches of one body.
const MOST_STEPS: u64 = 5_000_000;

/// A way to match a body.
pub(super) struct Match {
    /// The values of the rule's variables.
    pub registers: Vec<u32>,
    /// A row number for each positive atom.
    pub premises: Vec<u32>,
}

/// Every way to match a body with some variables bound; whether that is all of them.
pub(super) fn matches(
    program: &Program,
    state: &mut State,
    body: &[Literal],
    variables: usize,
    bound: &[(VariableId, u32)],
) -> (Vec<Match>, bool) {
    let State { relations, values, patterns, cells, .. } = state;
    let known: Vec<VariableId> = bound.iter().map(|(variable, _)| *variable).collect();
    let plan = plan_body(body, variables, &[], Purpose::Enumerate, &known, relations, cells, &|_| false, true);
    let registers: Vec<(Register, u32)> = bound.iter().map(|(variable, cell)| (*variable as Register, *cell)).collect();
    let mut around = Surroundings { values, functors: program.functors, patterns };
    let mut found = Vec::new();
    let stride = variables + plan.premises;
    let mut deliver = |batch: &[u32], count: usize| {
        for number in 0..count {
            let (registers, premises) = batch[number * stride..(number + 1) * stride].split_at(variables);
            found.push(Match { registers: registers.to_vec(), premises: premises.to_vec() });
        }
        found.len() <= MOST_MATCHES
    };
    let allowance = Allowance { steps: MOST_STEPS, until: None };
    let outcome = run(&plan, &registers, relations, &mut around, allowance, &mut deliver);
    let complete = found.len() <= MOST_MATCHES && outcome.breach.is_none_or(|breach| breach == Breach::Rows);
    found.truncate(MOST_MATCHES);
    (found, complete)
}

/// The variables of a head by the cells of a row; `None` where the row is not of this head.
pub(super) fn bind_head(
    rule: &Rule,
    row: impl IntoIterator<Item = Option<u32>>,
    cells: &[Cell],
) -> Option<Vec<(VariableId, u32)>> {
    let mut bound: Vec<(VariableId, u32)> = Vec::new();
    for (term, cell) in rule.arguments.iter().zip(row) {
        let Some(cell) = cell else { continue };
        match term {
            Term::Variable(variable) => match bound.iter().find(|(other, _)| other == variable) {
                Some((_, known)) if *known != cell => return None,
                Some(_) => {}
                None => bound.push((*variable, cell)),
            },
            Term::Constant(constant) if cells[*constant].0 != cell => return None,
            _ => {}
        }
    }
    Some(bound)
}

/// The value of a term whose variables are known.
pub(super) fn term_value(term: &Term, registers: &[u32], cells: &[Cell], around: &mut Surroundings) -> Option<u32> {
    match term {
        Term::Variable(variable) => registers.get(*variable).copied(),
        Term::Constant(constant) => Some(cells[*constant].0),
        Term::Wildcard => None,
        Term::Call(functor, arguments) => {
            let mut values = Vec::new();
            for argument in arguments {
                values.push(Cell(term_value(argument, registers, cells, around)?));
            }
            let result = match functor {
                FunctorId::Builtin(builtin) => builtin.apply(&values, around.values, around.patterns),
                FunctorId::Custom(index) => around.functors.apply(*index, &values, around.values),
            };
            result.map(|cell| cell.0)
        }
    }
}

/// The row that an atom speaks of; columns of wildcards, and of variables that are not `known`, stay open.
pub(super) fn pattern(
    atom: &RelationAtom,
    registers: &[u32],
    cells: &[Cell],
    known: impl Fn(&VariableId) -> bool,
) -> Pattern {
    let cell = |term: &Term| match term {
        Term::Variable(variable) if known(variable) => registers.get(*variable).copied(),
        Term::Constant(constant) => Some(cells[*constant].0),
        _ => None,
    };
    atom.arguments.iter().map(cell).collect()
}

/// The rows that fit a pattern, at most [`MOST_MATCHES`] of them.
pub(super) fn rows_like(found: &mut Relation, pattern: &Pattern) -> Vec<u32> {
    let columns: Vec<usize> = (0..pattern.len()).filter(|column| pattern[*column].is_some()).collect();
    if columns.is_empty() {
        return (0..found.len.min(MOST_MATCHES) as u32).collect();
    }
    let key: Vec<u32> = pattern.iter().flatten().copied().collect();
    let index = found.index_on(&columns, found.len);
    let index = &found.indexes[index];
    let Some(group) = index.lookup(&found.data, found.arity, &key) else { return Vec::new() };
    let mut rows: Vec<u32> = group.together.iter().copied().take(MOST_MATCHES).collect();
    let mut next = group.newest;
    while let Some(row) = next
        && rows.len() < MOST_MATCHES
    {
        rows.push(row);
        next = index.older(row);
    }
    rows
}
