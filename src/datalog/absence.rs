//! What the absence of a row rests on: for each way in which a rule could give it, something that is missing, or there and negated.

use rustc_hash::FxHashSet;

use super::assumptions::Explorer;
use super::derivation_graph::{NodeId, Pattern, Statement, TRUE};
use super::rule::{Literal, LiteralKind, RelationAtom, RelationId, Rule, Term, VariableId, uses};
use super::rule_matches::{Match, bind_head, pattern};

/// The literals of a body, by how they can change.
#[derive(Default)]
struct Parts<'r> {
    /// Atoms that get no further rows, and all of whose rows are there.
    whole: Vec<Literal>,
    /// Atoms that get none, of which only such rows are there as somebody asked for.
    asked: Vec<(&'r RelationAtom, Literal)>,
    /// Atoms that may get further rows.
    growing: Vec<(&'r RelationAtom, Literal)>,
    negated: Vec<&'r RelationAtom>,
    /// Comparisons and tests.
    tests: Vec<Literal>,
}

/// Why a rule gives no row of a pattern.
pub(super) struct Failures {
    /// All of it must stay as it is.
    nodes: Vec<NodeId>,
    /// And the relation must have no row that nobody saw.
    is_open: bool,
}

impl Explorer<'_> {
    /// Why no row fits a pattern: each rule that could give one lacks something.
    pub(super) fn absent(&mut self, relation: RelationId, missing: &Pattern, node: NodeId) -> NodeId {
        let stability = self.supports.of(relation);
        if !stability.grows {
            return TRUE;
        }
        let mut children = Vec::new();
        let mut is_open = self.program.relations[relation.index()].documentation.open;
        for number in self.supports.rules_of[relation.index()].clone() {
            let rule = &self.program.rules[number];
            match self.failures(rule, relation, missing) {
                Some(failures) => {
                    is_open |= failures.is_open;
                    children.extend(failures.nodes);
                }
                None => {
                    is_open |= stability.open;
                    if stability.grows_by_negation {
                        children.push(self.everything_below(relation, node));
                    }
                    break;
                }
            }
        }
        if is_open {
            children.push(self.supports.absence_leaf(relation, missing.clone()));
        }
        self.supports.all(children)
    }

    /// For each way to match what does not change of a rule: what is missing for it, or what it negates and is there. `None` where that cannot
    /// be told.
    fn failures(&mut self, rule: &Rule, relation: RelationId, missing: &Pattern) -> Option<Failures> {
        let parts = self.parts(rule)?;
        let mut failures = Failures { nodes: Vec::new(), is_open: false };
        let Some(bound) = bind_head(rule, missing.iter().copied(), &self.state.cells) else { return Some(failures) };
        let mut known: FxHashSet<VariableId> = bound.iter().map(|(variable, _)| *variable).collect();
        for found in self.matched(rule, &parts.whole, &parts.tests, &bound, &mut known)? {
            let mut known = known.clone();
            let bound = registers(&known, &found);
            // Rows that nobody asked for may be there: such an atom is left out, which can only ask for more.
            let are_there = |(atom, _): &&(&RelationAtom, Literal)| self.is_supplied(atom, &found, &known);
            let asked: Vec<Literal> = parts.asked.iter().filter(are_there).map(|(_, it)| it.clone()).collect();
            for found in self.matched(rule, &asked, &parts.tests, &bound, &mut known)? {
                self.fails(rule, (relation, &parts), &found, &known, &mut failures)?;
            }
        }
        Some(failures)
    }

    /// Why one match of what does not change gives no row.
    fn fails(
        &mut self,
        rule: &Rule,
        (relation, parts): (RelationId, &Parts<'_>),
        found: &Match,
        known: &FxHashSet<VariableId>,
        failures: &mut Failures,
    ) -> Option<()> {
        let mut lacking = Vec::new();
        for (atom, _) in &parts.growing {
            let wanted = pattern(atom, &found.registers, &self.state.cells, |variable| known.contains(variable));
            if self.rows_like(atom.relation, &wanted).is_empty() && !self.depends_on(atom.relation, relation) {
                lacking.push(self.supports.statement(Statement::Absent(atom.relation, wanted)));
            }
        }
        if !lacking.is_empty() {
            failures.nodes.push(self.supports.any(lacking));
            return Some(());
        }
        for (atom, _) in &parts.growing {
            if self.supports.of(atom.relation).grows_by_negation {
                return None;
            }
            failures.is_open = true;
        }
        let bound = registers(known, found);
        let all = parts.whole.iter().chain(parts.asked.iter().map(|(_, it)| it));
        let positive: Vec<Literal> =
            all.chain(parts.growing.iter().map(|(_, it)| it)).chain(&parts.tests).cloned().collect();
        let (matches, complete) = self.matches(&positive, rule.variables.len(), &bound);
        if !complete {
            return None;
        }
        for found in matches {
            failures.nodes.push(self.negated_row(&parts.negated, &found)?);
        }
        Some(())
    }

    /// That one of the rows stays which the negated literals of a match meet.
    fn negated_row(&mut self, negated: &[&RelationAtom], found: &Match) -> Option<NodeId> {
        let mut present = Vec::new();
        for atom in negated {
            let met = pattern(atom, &found.registers, &self.state.cells, |_| true);
            for row in self.rows_like(atom.relation, &met) {
                let conditional = self.supports.of(atom.relation).conditional;
                present.push(if conditional {
                    self.supports.statement(Statement::Present(atom.relation, row))
                } else {
                    TRUE
                });
            }
        }
        (!present.is_empty()).then(|| self.supports.any(present))
    }

    /// The literals of a rule by how they can change; `None` where an aggregate can.
    fn parts<'r>(&self, rule: &'r Rule) -> Option<Parts<'r>> {
        let mut parts = Parts::default();
        for literal in &rule.body {
            match &literal.kind {
                LiteralKind::Aggregate(_) => return None,
                LiteralKind::Absent(atom) => parts.negated.push(atom),
                LiteralKind::Atom(atom) if self.supports.of(atom.relation).grows => {
                    parts.growing.push((atom, literal.clone()));
                }
                LiteralKind::Atom(atom) if self.state.supplied[atom.relation.index()].is_some() => {
                    parts.asked.push((atom, literal.clone()));
                }
                LiteralKind::Atom(_) => parts.whole.push(literal.clone()),
                _ => parts.tests.push(literal.clone()),
            }
        }
        Some(parts)
    }

    /// All matches of some literals, and of the tests whose variables they bind; `known` has these variables afterwards.
    fn matched(
        &mut self,
        rule: &Rule,
        literals: &[Literal],
        tests: &[Literal],
        bound: &[(VariableId, u32)],
        known: &mut FxHashSet<VariableId>,
    ) -> Option<Vec<Match>> {
        literals.iter().for_each(|literal| literal.variables(&mut |variable| _ = known.insert(variable)));
        let is_bound = |test: &&Literal| {
            let mut all = true;
            test.variables(&mut |variable| all &= known.contains(&variable));
            all
        };
        let tests = tests.iter().filter(is_bound);
        let body: Vec<Literal> = literals.iter().chain(tests).cloned().collect();
        let (matches, complete) = self.matches(&body, rule.variables.len(), bound);
        complete.then_some(matches)
    }

    /// Whether all rows that an atom can have are there, since somebody asked for them.
    fn is_supplied(&self, atom: &RelationAtom, found: &Match, known: &FxHashSet<VariableId>) -> bool {
        let Some(supplied) = &self.state.supplied[atom.relation.index()] else { return true };
        let cell = |column: usize| match atom.arguments.get(column)? {
            Term::Variable(variable) if known.contains(variable) => found.registers.get(*variable).copied(),
            Term::Constant(constant) => Some(self.state.cells[*constant].0),
            _ => None,
        };
        supplied.has_all(cell)
    }

    /// Whether rows of a relation can come of another one's.
    fn depends_on(&self, relation: RelationId, other: RelationId) -> bool {
        let mut reached = vec![relation];
        let mut next = 0;
        while let Some(at) = reached.get(next).copied() {
            if at == other {
                return true;
            }
            for number in &self.supports.rules_of[at.index()] {
                uses(&self.program.rules[*number].body, &mut |used, _, _| {
                    if !reached.contains(&used) {
                        reached.push(used);
                    }
                });
            }
            next += 1;
        }
        false
    }
}

/// The values of the variables that a match binds.
fn registers(known: &FxHashSet<VariableId>, found: &Match) -> Vec<(VariableId, u32)> {
    let mut bound: Vec<(VariableId, u32)> =
        known.iter().filter_map(|variable| Some((*variable, *found.registers.get(*variable)?))).collect();
    bound.sort_unstable();
    bound
}
