//! What the absence of rows rests on: for each way in which a rule could give one, something that is missing, or there and negated.

use rustc_hash::FxHashSet;

use super::assumptions::Explorer;
use super::derivation_graph::{NodeId, Pattern, Statement, TRUE};
use super::rule::{AggregateLiteral, Literal, LiteralKind, RelationAtom, RelationId, Rule, Term, VariableId};
use super::rule_matches::{Match, bind_head, pattern};

/// Matches of one body that are looked at before all assumptions below its relation are named.
const MOST_LOOKS: usize = 40_000;

/// How the rows of an atom can change.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Growth {
    /// It gets no further ones, and all of them are there.
    Whole,
    /// It gets none, but only such rows are there as somebody asked for.
    Asked,
    /// It may get further ones.
    Grows,
}

/// A positive atom of a body.
struct Positive<'r> {
    atom: &'r RelationAtom,
    literal: &'r Literal,
    growth: Growth,
}

/// The literals of a body, by what they say.
#[derive(Default)]
struct Parts<'r> {
    positive: Vec<Positive<'r>>,
    negated: Vec<&'r RelationAtom>,
    aggregates: Vec<&'r AggregateLiteral>,
    /// Comparisons and tests.
    tests: Vec<Literal>,
}

/// A body that must get no further match.
pub(super) struct Body<'r> {
    literals: &'r [Literal],
    /// How many variables its rule has.
    variables: usize,
    parts: Parts<'r>,
    /// Whether it has no match today.
    has_none: bool,
    /// Looks that are left.
    looks: usize,
}

/// Which of the atoms that may get further rows is looked at next.
enum Next {
    /// None is left.
    None,
    Atom(usize),
    /// Some of them have no row: that one of these stays absent is enough.
    Lacking(Vec<NodeId>),
}

/// Why a body gets no further match.
#[derive(Default)]
pub(super) struct Failures {
    /// All of it must stay as it is.
    pub nodes: Vec<NodeId>,
    /// And the body must have no match that nobody saw, since a relation that may have unseen rows has some that fit.
    pub is_open: bool,
}

impl Explorer<'_, '_> {
    /// Why no row fits a pattern: each rule that could give one lacks something.
    pub(super) fn absent(&mut self, relation: RelationId, missing: &Pattern, node: NodeId) -> NodeId {
        let stability = self.supports.of(relation);
        if !stability.grows {
            return TRUE;
        }
        let (mut children, mut is_open) = self.rules_fail(relation, missing, true, node);
        is_open |= self.program.relations[relation.index()].documentation.open;
        if is_open {
            children.push(self.supports.absence_leaf(relation, missing.clone()));
        }
        self.supports.all(children)
    }

    /// Why no rows fit a pattern but those that are there, except for rows that nobody saw.
    pub(super) fn settled(&mut self, relation: RelationId, wanted: &Pattern, node: NodeId) -> NodeId {
        if !self.supports.of(relation).grows_by_negation {
            return TRUE;
        }
        let (children, _) = self.rules_fail(relation, wanted, false, node);
        self.supports.all(children)
    }

    /// Why the rules of a relation give no further row that fits, and whether one may follow from rows that nobody saw.
    fn rules_fail(
        &mut self,
        relation: RelationId,
        wanted: &Pattern,
        has_none: bool,
        node: NodeId,
    ) -> (Vec<NodeId>, bool) {
        let stability = self.supports.of(relation);
        let mut children = Vec::new();
        let mut is_open = false;
        for number in self.supports.rules_of[relation.index()].clone() {
            let rule: &Rule = &self.program.rules[number];
            let Some(bound) = bind_head(rule, wanted.iter().copied(), &self.state.cells) else { continue };
            match self.no_more(&rule.body, rule.variables.len(), &bound, has_none) {
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
        (children, is_open)
    }

    /// For each way to match a body's atoms as far as there are rows: what is missing for it, or what the body negates and is there. `None`
    /// where that cannot be told.
    pub(super) fn no_more(
        &mut self,
        literals: &[Literal],
        variables: usize,
        bound: &[(VariableId, u32)],
        has_none: bool,
    ) -> Option<Failures> {
        let parts = self.parts(literals);
        let atoms: Vec<usize> = (0..parts.positive.len()).collect();
        let mut body = Body { literals, variables, parts, has_none, looks: MOST_LOOKS };
        let mut failures = Failures::default();
        let known: FxHashSet<VariableId> = bound.iter().map(|(variable, _)| *variable).collect();
        let mut found = Match { registers: vec![0; variables], premises: Vec::new() };
        bound.iter().for_each(|(variable, cell)| found.registers[*variable] = *cell);
        self.gives_no_match(&mut body, &atoms, &found, &known, &mut failures)?;
        Some(failures)
    }

    /// Why a match of some atoms of a body, and the others beside it, give no further match of the whole.
    fn gives_no_match(
        &mut self,
        body: &mut Body<'_>,
        left: &[usize],
        found: &Match,
        known: &FxHashSet<VariableId>,
        failures: &mut Failures,
    ) -> Option<()> {
        body.looks = body.looks.checked_sub(1)?;
        // What does not change and what is known already decides most, and needs nothing.
        let decided: Vec<usize> = left.iter().copied().filter(|at| self.is_settled(body, *at, found, known)).collect();
        if !decided.is_empty() {
            return self.follow(body, left, &decided, (found, known), failures);
        }
        let next = match self.next_growing(body, left, found, known) {
            Next::Lacking(lacking) => {
                failures.nodes.push(self.supports.any(lacking));
                return Some(());
            }
            Next::None => return self.is_refused(body, found, known, failures),
            Next::Atom(next) => next,
        };
        let atom = body.parts.positive[next].atom;
        let stability = self.supports.of(atom.relation);
        failures.is_open |= stability.open;
        if stability.grows_by_negation {
            let wanted = pattern(atom, &found.registers, &self.state.cells, |variable| known.contains(variable));
            failures.nodes.push(self.supports.statement(Statement::Settled(atom.relation, wanted)));
        }
        self.follow(body, left, &[next], (found, known), failures)
    }

    /// Of the atoms that may get further rows one of which most is known, since the fewest others could come to it: such as have no row that fits,
    /// or else the one with the fewest.
    fn next_growing(&mut self, body: &Body<'_>, left: &[usize], found: &Match, known: &FxHashSet<VariableId>) -> Next {
        let mut growing: Vec<(usize, Pattern)> = Vec::new();
        for at in left.iter().filter(|at| body.parts.positive[**at].growth == Growth::Grows) {
            let atom = body.parts.positive[*at].atom;
            growing.push((*at, pattern(atom, &found.registers, &self.state.cells, |it| known.contains(it))));
        }
        let known_columns = |wanted: &Pattern| wanted.iter().flatten().count();
        let most = growing.iter().map(|(_, wanted)| known_columns(wanted)).max().unwrap_or(0);
        let (mut lacking, mut fewest) = (Vec::new(), None);
        for (at, wanted) in growing {
            if known_columns(&wanted) < most && wanted.iter().any(Option::is_none) {
                continue;
            }
            let relation = body.parts.positive[at].atom.relation;
            let rows = self.rows_like(relation, &wanted).len();
            if rows == 0 {
                lacking.push(self.supports.statement(Statement::Absent(relation, wanted)));
            } else if fewest.is_none_or(|(least, _)| rows < least) {
                fewest = Some((rows, at));
            }
        }
        match (lacking.is_empty(), fewest) {
            (false, _) => Next::Lacking(lacking),
            (true, Some((_, at))) => Next::Atom(at),
            (true, None) => Next::None,
        }
    }

    /// Whether all rows of an atom that fit are there and no more can come, and some of its values are known.
    fn is_settled(&mut self, body: &Body<'_>, at: usize, found: &Match, known: &FxHashSet<VariableId>) -> bool {
        let Positive { atom, growth, .. } = &body.parts.positive[at];
        let is_unknown = |term: &Term| matches!(term, Term::Variable(variable) if !known.contains(variable));
        let is_known = |term: &Term| matches!(term, Term::Variable(variable) if known.contains(variable));
        match growth {
            Growth::Grows => false,
            // Rows that nobody asked for may be there: such an atom is left out, which can only ask for more.
            Growth::Asked => self.is_supplied(atom, found, known),
            Growth::Whole => atom.arguments.iter().any(is_known) || !atom.arguments.iter().any(is_unknown),
        }
    }

    /// Goes on with each way to match the chosen ones of the atoms that are left.
    fn follow(
        &mut self,
        body: &mut Body<'_>,
        left: &[usize],
        chosen: &[usize],
        (found, known): (&Match, &FxHashSet<VariableId>),
        failures: &mut Failures,
    ) -> Option<()> {
        let rest: Vec<usize> = left.iter().copied().filter(|at| !chosen.contains(at)).collect();
        let literals: Vec<Literal> = chosen.iter().map(|at| body.parts.positive[*at].literal.clone()).collect();
        let mut known = known.clone();
        let bound = registers(&known, found);
        for found in self.matched(body, &literals, &bound, &mut known)? {
            self.gives_no_match(body, &rest, &found, &known, failures)?;
        }
        Some(())
    }

    /// Why a match of all atoms gives none of the body: its aggregates stay as they are, and one of the rows stays that it negates.
    fn is_refused(
        &mut self,
        body: &Body<'_>,
        found: &Match,
        known: &FxHashSet<VariableId>,
        failures: &mut Failures,
    ) -> Option<()> {
        for aggregate in &body.parts.aggregates {
            if !aggregate.outer.iter().all(|variable| known.contains(variable)) {
                return None;
            }
            failures.nodes.extend(self.aggregate(aggregate, body.variables, &found.registers, TRUE));
        }
        let bound = registers(known, found);
        let positive: Vec<Literal> = body.literals.iter().filter(|it| !is_negated(it)).cloned().collect();
        let (matches, complete) = self.matches(&positive, body.variables, &bound);
        if !complete {
            return None;
        }
        for found in matches {
            match self.negated_row(&body.parts.negated, &found) {
                Some(node) => failures.nodes.push(node),
                None if body.has_none => return None,
                None => {}
            }
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

    /// The literals of a body by how they can change.
    fn parts<'r>(&self, literals: &'r [Literal]) -> Parts<'r> {
        let mut parts = Parts::default();
        for literal in literals {
            match &literal.kind {
                LiteralKind::Aggregate(aggregate) => parts.aggregates.push(aggregate),
                LiteralKind::Absent(atom) => parts.negated.push(atom),
                LiteralKind::Atom(atom) => {
                    let growth = match () {
                        () if self.supports.of(atom.relation).grows => Growth::Grows,
                        () if self.is_on_request(atom.relation) => Growth::Asked,
                        () => Growth::Whole,
                    };
                    parts.positive.push(Positive { atom, literal, growth });
                }
                _ => parts.tests.push(literal.clone()),
            }
        }
        parts
    }

    /// All matches of some literals, and of the tests whose variables they bind; `known` has these variables afterwards.
    fn matched(
        &mut self,
        body: &Body<'_>,
        literals: &[Literal],
        bound: &[(VariableId, u32)],
        known: &mut FxHashSet<VariableId>,
    ) -> Option<Vec<Match>> {
        literals.iter().for_each(|literal| literal.variables(&mut |variable| _ = known.insert(variable)));
        let is_bound = |test: &&Literal| {
            let mut all = true;
            test.variables(&mut |variable| all &= known.contains(&variable));
            all
        };
        let tests = body.parts.tests.iter().filter(is_bound);
        let chosen: Vec<Literal> = literals.iter().chain(tests).cloned().collect();
        let (matches, complete) = self.matches(&chosen, body.variables, bound);
        complete.then_some(matches)
    }

    /// Whether all rows that an atom can have are there, since somebody asked for them or they can still be had.
    fn is_supplied(&mut self, atom: &RelationAtom, found: &Match, known: &FxHashSet<VariableId>) -> bool {
        let cells = pattern(atom, &found.registers, &self.state.cells, |variable| known.contains(variable));
        let cell = |column: usize| cells.get(column).copied().flatten();
        match &mut self.demand {
            Some(demand) => demand.ask_like(self.program, atom.relation, cell, self.state),
            None => match &self.state.supplied[atom.relation.index()] {
                Some(supplied) => supplied.has_all(cell),
                None => true,
            },
        }
    }

    /// Whether only such rows of a relation are there as somebody asked for.
    fn is_on_request(&self, relation: RelationId) -> bool {
        match &self.demand {
            Some(demand) => demand.supplied(relation).is_some(),
            None => self.state.supplied.get(relation.index()).is_some_and(Option::is_some),
        }
    }
}

fn is_negated(literal: &Literal) -> bool {
    matches!(literal.kind, LiteralKind::Absent(_))
}

/// The values of the variables that a match binds.
fn registers(known: &FxHashSet<VariableId>, found: &Match) -> Vec<(VariableId, u32)> {
    let mut bound: Vec<(VariableId, u32)> =
        known.iter().filter_map(|variable| Some((*variable, *found.registers.get(*variable)?))).collect();
    bound.sort_unstable();
    bound
}
