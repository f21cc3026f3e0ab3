//! Why a row is not there: for each rule that could have given it, the first literal without a match.

use std::ops::Range;

use super::evaluate::State;
use super::plan::{Purpose, Register, plan_body};
use super::proof::{RuleReference, aggregated, bindings};
use super::rule::{Literal, LiteralKind, RelationId, VariableId};
use crate::did_you_mean::nearest;
use crate::results::{Evaluation, Value, value_of};
use crate::rule_matches::{bind_head, pattern, rows_like};
use crate::run_plan::{Allowance, Surroundings, run_furthest};

/// What became of one rule body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WhyNot {
    /// The rule whose body was tried.
    pub rule: RuleReference,
    /// What became of it.
    pub answer: Answer,
}

/// What became of a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The body has a match: such a row is there.
    Holds,
    /// The head cannot have these values.
    OtherHead,
    /// Of the attempts that came furthest, this literal did not hold.
    Fails {
        /// The literal as written.
        literal: String,
        /// Where it stands in the rule's source.
        range: Range<usize>,
        /// The values of its variables that were known when it failed.
        values: Vec<(String, Value)>,
        /// The values of all variables that were known.
        known: Vec<(String, Value)>,
        /// Why it did not.
        reason: Failure,
        /// How many literals held before, and how many there are.
        progress: (usize, usize),
    },
}

/// Why a literal does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// No row is like this; `None` stands for any value.
    NoRow {
        /// The relation that was asked.
        relation: RelationId,
        /// One value a column.
        row: Vec<Option<Value>>,
    },
    /// The rule asks that there is no such row, and this one is there.
    Row {
        /// The relation that was asked.
        relation: RelationId,
        /// The number of the row.
        row: usize,
    },
    /// A comparison, test or aggregate.
    Untrue,
}

const MOST_STEPS: u64 = 50_000_000;

impl Evaluation<'_> {
    /// Explains, rule by rule, why a relation has no row with these values in these columns.
    pub fn why_not(&self, relation: RelationId, known: &[(&str, Value)]) -> Result<Vec<WhyNot>, String> {
        let info = &self.program.relations[relation.index()];
        let mut state = self.state.borrow_mut();
        let mut row = vec![None; info.columns.len()];
        for (name, value) in known {
            let Some(column) = info.columns.iter().position(|column| column.name == *name) else {
                let names = info.columns.iter().map(|column| column.name.as_str());
                let hint = nearest(name, names).map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
                return Err(format!("`{}` has no column `{name}`{hint}", info.name));
            };
            row[column] = Some(match value {
                Value::Symbol(text) => state.values.symbol(text).0,
                Value::Number(number) => state.values.number(*number).0,
            });
        }
        Ok(self.why_not_rules(&mut state, relation, &row))
    }

    /// The same for a row of which some columns are known.
    pub fn why_not_row(&self, relation: RelationId, row: &[Option<Value>]) -> Vec<WhyNot> {
        let mut state = self.state.borrow_mut();
        let row: Vec<Option<u32>> = row
            .iter()
            .map(|value| {
                Some(match value.as_ref()? {
                    Value::Symbol(text) => state.values.symbol(text).0,
                    Value::Number(number) => state.values.number(*number).0,
                })
            })
            .collect();
        self.why_not_rules(&mut state, relation, &row)
    }

    /// Rows with these values; `None` stands for any. Of many, some.
    pub fn rows_like(&self, relation: RelationId, row: &[Option<Value>]) -> Vec<usize> {
        let mut state = self.state.borrow_mut();
        let mut cells = Vec::new();
        for value in row {
            cells.push(match value {
                None => None,
                Some(Value::Symbol(text)) => match state.values.find_symbol(text) {
                    Some(cell) => Some(cell.0),
                    None => return Vec::new(),
                },
                Some(Value::Number(number)) => Some(state.values.number(*number).0),
            });
        }
        let found = &mut state.relations[relation.index()];
        if cells.len() != found.arity {
            return Vec::new();
        }
        rows_like(found, &cells.into()).into_iter().map(|row| row as usize).collect()
    }

    fn why_not_rules(&self, state: &mut State, relation: RelationId, row: &[Option<u32>]) -> Vec<WhyNot> {
        let rules = self.program.rules.iter().enumerate().filter(|(_, rule)| rule.head == relation);
        rules.map(|(number, _)| self.why_not_rule(state, number, row)).collect()
    }

    fn why_not_rule(&self, state: &mut State, number: usize, row: &[Option<u32>]) -> WhyNot {
        let rule = &self.program.rules[number];
        let reference = self.program.rule_reference(rule.place);
        let Some(bound) = bind_head(rule, row.iter().copied(), &state.cells) else {
            return WhyNot { rule: reference, answer: Answer::OtherHead };
        };
        let variables: Vec<VariableId> = bound.iter().map(|(variable, _)| *variable).collect();
        let State { relations, values, patterns, cells, .. } = state;
        let plan = plan_body(
            &rule.body,
            rule.variables.len(),
            &[],
            Purpose::Explain,
            &variables,
            relations,
            cells,
            &|_| false,
            false,
        );
        let registers: Vec<(Register, u32)> =
            bound.iter().map(|(variable, cell)| (*variable as Register, *cell)).collect();
        let mut around = Surroundings { values, functors: self.program.functors, patterns };
        let allowance = Allowance { steps: MOST_STEPS, until: None };
        let Some(furthest) = run_furthest(&plan, &registers, relations, &mut around, allowance) else {
            return WhyNot { rule: reference, answer: Answer::Holds };
        };
        let failed = if furthest.left == 0 { 0 } else { plan.steps.len() - furthest.left };
        let Some(literal) = plan.steps.get(failed).and_then(|step| step.literal()).and_then(|at| rule.body.get(at))
        else {
            return WhyNot { rule: reference, answer: Answer::Holds };
        };
        // What the steps before the failed one bound is known; the rest of its variables has no value yet.
        let mut known = vec![false; rule.variables.len()];
        variables.iter().for_each(|variable| known[*variable] = true);
        for step in &plan.steps[..failed] {
            if let Some(before) = step.literal().and_then(|at| rule.body.get(at)) {
                before.variables(&mut |variable| known[variable] = true);
            }
        }
        let unknown: Vec<&str> = (0..known.len())
            .filter(|variable| !known[*variable])
            .map(|variable| rule.variables[variable].name.as_str())
            .collect();
        let mut values = bindings(rule, literal, &furthest.registers, state);
        values.retain(|(name, _)| !unknown.contains(&name.as_str()));
        let held = plan.steps[..failed].iter().filter_map(|step| step.literal());
        let mut held: Vec<usize> = held.collect();
        held.dedup();
        values.extend(aggregated(rule, literal, &furthest.registers, state));
        let named = rule.variables.iter().enumerate().filter(|(number, info)| known[*number] && !info.name.is_empty());
        let all =
            named.map(|(number, info)| (info.name.clone(), value_of(state, info.base, furthest.registers[number])));
        let mut all: Vec<(String, Value)> = all.collect();
        let mut reason = self.failure(state, literal, &furthest.registers, &|variable| known[*variable]);
        // Where the row is missing whatever the literals before it chose, their choice says nothing.
        if matches!(reason, Failure::NoRow { .. }) {
            let asked = |variable: &VariableId| variables.contains(variable);
            if !self.has_row(state, literal, &furthest.registers, &asked) {
                reason = self.failure(state, literal, &furthest.registers, &asked);
                all.retain(|(name, _)| variables.iter().any(|variable| rule.variables[*variable].name == *name));
            }
        }
        let answer = Answer::Fails {
            literal: match literal.kind {
                LiteralKind::Absent(_) => format!("!{}", self.program.sources.excerpt(literal.place)),
                _ => self.program.sources.excerpt(literal.place),
            },
            range: literal.place.range(),
            values,
            known: all,
            reason,
            progress: (held.len(), rule.body.len()),
        };
        WhyNot { rule: reference, answer }
    }

    /// Whether a row fits the known variables of a literal, where that leaves something of it.
    fn has_row(
        &self,
        state: &mut State,
        literal: &Literal,
        registers: &[u32],
        known: &dyn Fn(&VariableId) -> bool,
    ) -> bool {
        let LiteralKind::Atom(atom) = &literal.kind else { return true };
        let pattern = pattern(atom, registers, &state.cells, known);
        let is_anything = pattern.iter().all(Option::is_none);
        is_anything || !rows_like(&mut state.relations[atom.relation.index()], &pattern).is_empty()
    }

    fn failure(
        &self,
        state: &mut State,
        literal: &Literal,
        registers: &[u32],
        known: &dyn Fn(&VariableId) -> bool,
    ) -> Failure {
        match &literal.kind {
            LiteralKind::Atom(atom) => {
                let missing = pattern(atom, registers, &state.cells, known);
                let columns = self.program.relations[atom.relation.index()].columns.iter().zip(&missing);
                let row = columns.map(|(column, cell)| cell.map(|cell| value_of(state, column.base, cell))).collect();
                Failure::NoRow { relation: atom.relation, row }
            }
            LiteralKind::Absent(atom) => {
                let met = pattern(atom, registers, &state.cells, known);
                match rows_like(&mut state.relations[atom.relation.index()], &met).first() {
                    Some(row) => Failure::Row { relation: atom.relation, row: *row as usize },
                    None => Failure::Untrue,
                }
            }
            _ => Failure::Untrue,
        }
    }
}
