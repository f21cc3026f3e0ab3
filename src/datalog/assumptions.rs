//! The minimal assumption sets of a row, on demand, over all derivations in its slice.

use super::antichain::MOST_SETS;
use super::demand::Demand;
use super::evaluate::State;
use super::program::Program;
use super::rule::{AggregateLiteral, Literal, LiteralKind, RelationId, Term, VariableId, uses};
use super::syntax::AggregateKind;
use crate::derivation_graph::{ABSENCE, NodeId, Pattern, Statement, Supports, TRUE};
use crate::results::{Evaluation, Value, value_of};
use crate::rule_matches::{Match, bind_head, matches, pattern, rows_like, term_value};
use crate::run_plan::Surroundings;
use harp_limits::contained;

/// Something that a finding takes for granted.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Assumption {
    /// One that came with a row of the database, by its number.
    Given(u32),
    /// That an open relation, or one that is derived from it, has no such row; `None` stands for any value.
    Absent {
        /// The name of the relation.
        relation: String,
        /// One value a column.
        row: Vec<Option<Value>>,
    },
}

/// The alternatives that a row rests on: each set alone is enough. A row with the empty set is certain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssumptionSets {
    /// Smaller ones first. None contains another.
    pub sets: Vec<Vec<Assumption>>,
    /// There may be further or smaller sets; those listed are enough all the same.
    pub truncated: bool,
}

impl AssumptionSets {
    /// More sets of one row are not kept.
    pub const MOST: usize = MOST_SETS;

    /// Whether the row is there whatever assumptions hold.
    pub fn is_certain(&self) -> bool {
        self.sets.iter().any(Vec::is_empty)
    }
}

/// A question may add this many nodes before it settles for each row's first derivation.
const MOST_NODES: usize = 20_000;
/// After this many nodes it names all assumptions that could matter.
const LAST_NODE: usize = 100_000;

impl Evaluation<'_> {
    /// What a row rests on.
    pub fn assumptions(&self, relation: RelationId, row: usize) -> AssumptionSets {
        let mut state = self.state.borrow_mut();
        let mut supports = self.supports.borrow_mut();
        if row >= state.relations[relation.index()].len {
            return AssumptionSets { sets: Vec::new(), truncated: false };
        }
        if !supports.of(relation).conditional {
            return AssumptionSets { sets: vec![Vec::new()], truncated: false };
        }
        let asked = self.answered(&mut state, &mut supports, relation, row, None);
        let node = &supports.nodes[asked];
        let mut sets: Vec<Vec<Assumption>> = Vec::new();
        for tokens in node.sets.sets() {
            let mut set: Vec<Assumption> =
                tokens.iter().map(|token| self.assumption(&state, &supports, *token)).collect();
            set.sort();
            sets.push(set);
        }
        // Tokens are numbered in the order of questions, which must not show.
        sets.sort_by(|one, other| (one.len(), one).cmp(&(other.len(), other)));
        let mut truncated = node.truncated;
        if sets.is_empty() {
            // A row that is there has a derivation; only a bound can have hidden it.
            sets.push(Vec::new());
            truncated = true;
        }
        AssumptionSets { sets, truncated }
    }

    /// Finds what the findings rest on while rows can be had that no rule asked for: what could give a row that is absent.
    pub(super) fn explore_findings(&self, demand: &mut Demand<'_>) {
        let mut state = self.state.borrow_mut();
        let mut supports = self.supports.borrow_mut();
        for (index, info) in self.program.relations.iter().enumerate() {
            let relation = RelationId(index as u32);
            if info.documentation.metadata.is_none() || !supports.of(relation).conditional {
                continue;
            }
            for row in 0..state.relations[index].len {
                // Without what cannot be made, more is named.
                let made = contained(|| _ = self.answered(&mut state, &mut supports, relation, row, Some(demand)));
                if made.is_err() {
                    supports.abandon();
                    return;
                }
            }
        }
    }

    /// The node of a row, with its sets.
    fn answered<'d>(
        &self,
        state: &mut State,
        supports: &mut Supports,
        relation: RelationId,
        row: usize,
        demand: Option<&mut Demand<'d>>,
    ) -> NodeId {
        let first = supports.nodes.len();
        let asked = supports.statement(Statement::Present(relation, row as u32));
        if asked >= first {
            let mut explorer = Explorer { program: self.program, state, supports, demand, first };
            explorer.explore();
            supports.solve(first);
        }
        asked
    }

    fn assumption(&self, state: &State, supports: &Supports, token: u64) -> Assumption {
        if token & ABSENCE == 0 {
            return Assumption::Given(token as u32);
        }
        let (relation, pattern) = &supports.absences[(token & !ABSENCE) as usize];
        let info = &self.program.relations[relation.index()];
        let columns = info.columns.iter().zip(pattern);
        let row = columns.map(|(column, cell)| cell.map(|cell| value_of(state, column.base, cell))).collect();
        Assumption::Absent { relation: info.name.clone(), row }
    }
}

pub(super) struct Explorer<'a, 'd> {
    pub(super) program: &'a Program<'a>,
    pub(super) state: &'a mut State,
    pub(super) supports: &'a mut Supports,
    /// Has further rows made, where they can still be had.
    pub(super) demand: Option<&'a mut Demand<'d>>,
    /// The first node of this question.
    first: NodeId,
}

impl Explorer<'_, '_> {
    fn explore(&mut self) {
        while let Some((node, statement)) = self.supports.unexpanded.pop() {
            let added = self.supports.nodes.len() - self.first;
            let alternatives = match &statement {
                _ if added > LAST_NODE => {
                    let relation = match &statement {
                        Statement::Present(relation, _)
                        | Statement::Absent(relation, _)
                        | Statement::Settled(relation, _) => *relation,
                    };
                    vec![self.everything_below(relation, node)]
                }
                Statement::Present(relation, row) if added > MOST_NODES => {
                    self.supports.nodes[node].truncated = true;
                    self.first_derivation(*relation, *row)
                }
                Statement::Present(relation, row) => self.present(*relation, *row, node),
                Statement::Absent(relation, pattern) => vec![self.absent(*relation, pattern, node)],
                Statement::Settled(relation, pattern) => vec![self.settled(*relation, pattern, node)],
            };
            self.supports.set_alternatives(node, alternatives);
        }
    }

    /// The alternatives that a given row came with.
    fn given(&mut self, relation: RelationId, row: u32) -> Vec<NodeId> {
        let found = &self.state.relations[relation.index()];
        if row as usize >= found.facts {
            return Vec::new();
        }
        match found.conditions.get(&row) {
            None => vec![TRUE],
            Some(alternatives) => {
                let supports = &mut self.supports;
                alternatives.iter().map(|set| supports.leaf(set.iter().map(|id| u64::from(*id)).collect())).collect()
            }
        }
    }

    fn present(&mut self, relation: RelationId, row: u32, node: NodeId) -> Vec<NodeId> {
        let mut alternatives = self.given(relation, row);
        let cells = self.state.relations[relation.index()].row(row as usize).to_vec();
        for number in self.supports.rules_of[relation.index()].clone() {
            if alternatives.contains(&TRUE) {
                break;
            }
            let rule = &self.program.rules[number];
            let Some(bound) = bind_head(rule, cells.iter().copied().map(Some), &self.state.cells) else { continue };
            let (matches, complete) = self.matches(&rule.body, rule.variables.len(), &bound);
            self.supports.nodes[node].truncated |= !complete;
            for found in matches {
                let children = self.body(&rule.body, rule.variables.len(), &found, node);
                alternatives.push(self.supports.all(children));
            }
        }
        if alternatives.is_empty() {
            // The search was cut before it found what evaluation did.
            self.supports.nodes[node].truncated = true;
            return self.first_derivation(relation, row);
        }
        alternatives
    }

    /// The first derivation alone: enough, though there may be better ones.
    fn first_derivation(&mut self, relation: RelationId, row: u32) -> Vec<NodeId> {
        let given = self.given(relation, row);
        if !given.is_empty() {
            return given;
        }
        let found = &self.state.relations[relation.index()];
        let Some((number, premises)) = found.derivation(row as usize, &self.program.rules) else { return Vec::new() };
        let premises = premises.to_vec();
        let rule = &self.program.rules[number];
        let cells = found.row(row as usize).to_vec();
        let Some(mut bound) = bind_head(rule, cells.iter().copied().map(Some), &self.state.cells) else {
            return Vec::new();
        };
        let atoms = rule.body.iter().filter_map(|literal| match &literal.kind {
            LiteralKind::Atom(atom) => Some(atom),
            _ => None,
        });
        for (atom, premise) in atoms.zip(&premises) {
            let cells = self.state.relations[atom.relation.index()].row(*premise as usize);
            for (term, cell) in atom.arguments.iter().zip(cells) {
                if let Term::Variable(variable) = term {
                    bound.push((*variable, *cell));
                }
            }
        }
        bound.sort_unstable();
        bound.dedup();
        let (matches, _) = self.matches(&rule.body, rule.variables.len(), &bound);
        let Some(found) = matches.into_iter().next() else { return Vec::new() };
        let found = Match { premises, ..found };
        let node = TRUE;
        let children = self.body(&rule.body, rule.variables.len(), &found, node);
        vec![self.supports.all(children)]
    }

    pub(super) fn matches(
        &mut self,
        body: &[Literal],
        variables: usize,
        bound: &[(VariableId, u32)],
    ) -> (Vec<Match>, bool) {
        matches(self.program, self.state, body, variables, bound)
    }

    /// What a match of a body rests on.
    fn body(&mut self, body: &[Literal], variables: usize, found: &Match, node: NodeId) -> Vec<NodeId> {
        let mut children = Vec::new();
        let mut premise = 0;
        for literal in body {
            match &literal.kind {
                LiteralKind::Atom(atom) => {
                    if self.supports.of(atom.relation).conditional
                        && let Some(row) = found.premises.get(premise)
                    {
                        children.push(self.supports.statement(Statement::Present(atom.relation, *row)));
                    }
                    premise += 1;
                }
                LiteralKind::Absent(atom) if self.supports.of(atom.relation).grows => {
                    let missing = pattern(atom, &found.registers, &self.state.cells, |_| true);
                    children.push(self.supports.statement(Statement::Absent(atom.relation, missing)));
                }
                LiteralKind::Aggregate(aggregate) => {
                    children.extend(self.aggregate(aggregate, variables, &found.registers, node));
                }
                _ => {}
            }
        }
        children
    }

    /// An aggregate's value stays if the rows that give it stay and none comes.
    pub(super) fn aggregate(
        &mut self,
        aggregate: &AggregateLiteral,
        variables: usize,
        registers: &[u32],
        node: NodeId,
    ) -> Vec<NodeId> {
        let mut children = Vec::new();
        let mut below = Vec::new();
        let outer: Vec<(VariableId, u32)> =
            aggregate.outer.iter().map(|variable| (*variable, registers[*variable])).collect();
        for group in &aggregate.groups {
            for literal in &group.body {
                match &literal.kind {
                    LiteralKind::Atom(atom) if self.supports.of(atom.relation).open => {
                        let outer = |variable: &VariableId| aggregate.outer.contains(variable);
                        let missing = pattern(atom, registers, &self.state.cells, outer);
                        children.push(self.supports.absence_leaf(atom.relation, missing));
                    }
                    LiteralKind::Aggregate(inner) => {
                        for group in &inner.groups {
                            uses(&group.body, &mut |relation, _, _| below.push(relation));
                        }
                    }
                    _ => {}
                }
            }
            if self.may_get_matches(&group.body) {
                match self.no_more(&group.body, variables, &outer, false) {
                    Some(failures) => children.extend(failures.nodes),
                    None => uses(&group.body, &mut |relation, _, _| below.push(relation)),
                }
            }
        }
        for relation in below {
            children.push(self.everything_below(relation, node));
        }
        let bound: Vec<(VariableId, u32)> =
            aggregate.outer.iter().map(|variable| (*variable, registers[*variable])).collect();
        let mut witnesses = Vec::new();
        for group in &aggregate.groups {
            let (matches, complete) = self.matches(&group.body, variables, &bound);
            self.supports.nodes[node].truncated |= !complete && node != TRUE;
            for found in &matches {
                let inner = self.body(&group.body, variables, found, node);
                let inner = self.supports.all(inner);
                match aggregate.kind {
                    AggregateKind::Count | AggregateKind::Sum => children.push(inner),
                    // One row that attains the extreme is enough.
                    AggregateKind::Min | AggregateKind::Max => {
                        let value = group.target.as_ref().and_then(|target| self.term(target, &found.registers));
                        if value == Some(registers[aggregate.result]) {
                            witnesses.push(inner);
                        }
                    }
                }
            }
        }
        if !witnesses.is_empty() {
            children.push(self.supports.any(witnesses));
        }
        children
    }

    /// Whether a denied assumption may give a group of an aggregate further matches.
    fn may_get_matches(&self, body: &[Literal]) -> bool {
        body.iter().any(|literal| match &literal.kind {
            LiteralKind::Atom(atom) => self.supports.of(atom.relation).grows_by_negation,
            LiteralKind::Absent(atom) => self.supports.of(atom.relation).shrinks,
            _ => false,
        })
    }

    /// The rows that fit a pattern.
    pub(super) fn rows_like(&mut self, relation: RelationId, pattern: &Pattern) -> Vec<u32> {
        rows_like(&mut self.state.relations[relation.index()], pattern)
    }

    /// All given assumptions of the relations that one depends on: enough for whatever rests on it.
    pub(super) fn everything_below(&mut self, relation: RelationId, node: NodeId) -> NodeId {
        if node != TRUE {
            self.supports.nodes[node].truncated = true;
        }
        let mut reached = vec![relation];
        let mut next = 0;
        while next < reached.len() {
            for number in &self.supports.rules_of[reached[next].index()] {
                uses(&self.program.rules[*number].body, &mut |used, _, _| {
                    if !reached.contains(&used) {
                        reached.push(used);
                    }
                });
            }
            next += 1;
        }
        let mut tokens = Vec::new();
        for relation in &reached {
            let conditions = self.state.relations[relation.index()].conditions.values();
            tokens.extend(conditions.flatten().flat_map(|set| set.iter().map(|id| u64::from(*id))));
        }
        let given = self.supports.leaf(tokens);
        let mut all = vec![given];
        for relation in
            reached.into_iter().filter(|relation| self.program.relations[relation.index()].documentation.open)
        {
            let columns = self.program.relations[relation.index()].columns.len();
            all.push(self.supports.absence_leaf(relation, vec![None; columns].into()));
        }
        self.supports.all(all)
    }

    fn term(&mut self, term: &Term, registers: &[u32]) -> Option<u32> {
        let State { values, patterns, cells, .. } = &mut *self.state;
        let mut around = Surroundings { values, functors: self.program.functors, patterns };
        term_value(term, registers, cells, &mut around)
    }
}
