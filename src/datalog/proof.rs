//! Why a row is there: the tree of its first derivation.

use std::fmt;
use std::ops::Range;

use super::evaluate::State;
use super::program::Program;
use super::rule::{Literal, LiteralKind, RelationAtom, RelationId, Rule, Term, VariableId};
use super::source::Place;
use crate::results::{Evaluation, Value, value_of};
use crate::rule_matches::{Match, bind_head, matches, pattern};

/// A rule, for a reader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleReference {
    /// The name of the source.
    pub source: String,
    /// Bytes of the source's text.
    pub range: Range<usize>,
    /// The line at which it begins, counted from 1.
    pub line: usize,
    /// The rule on one line.
    pub text: String,
}

/// A row with what it follows from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProofTree {
    /// The relation of the row.
    pub id: RelationId,
    /// Its name.
    pub relation: String,
    /// The values of the row.
    pub row: Vec<Value>,
    /// The rule that gave the row; `None` for a row of the database.
    pub rule: Option<RuleReference>,
    /// For a row of the database: the alternatives of assumptions that it came with.
    pub given: Vec<Vec<u32>>,
    /// What else the rule asked for.
    pub conditions: Vec<Condition>,
    /// The rows that the rule's positive literals matched.
    pub premises: Vec<ProofTree>,
    /// The tree goes on, but was cut here.
    pub cut: bool,
}

/// A literal of a rule that is no positive atom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// No such row is there: `no varies(s1, l1)`. `None` stands for any value.
    Absent {
        /// The relation that was asked.
        relation: RelationId,
        /// Its name.
        name: String,
        /// One value a column.
        row: Vec<Option<Value>>,
    },
    /// The literal as written with the values of its variables: `n > 3 (n = 5)`.
    Holds {
        /// The literal as written.
        literal: String,
        /// Its variables, by name.
        values: Vec<(String, Value)>,
    },
}

const DEEPEST: usize = 48;
const LARGEST: usize = 500;

impl Evaluation<'_> {
    /// How a row was first derived. Deep and large trees are cut.
    pub fn proof(&self, relation: RelationId, row: usize) -> ProofTree {
        let mut state = self.state.borrow_mut();
        let mut builder = Builder { program: self.program, state: &mut state, left: LARGEST };
        builder.tree(relation, row, 0)
    }
}

struct Builder<'a> {
    program: &'a Program<'a>,
    state: &'a mut State,
    left: usize,
}

impl Builder<'_> {
    fn tree(&mut self, relation: RelationId, row: usize, depth: usize) -> ProofTree {
        let info = &self.program.relations[relation.index()];
        let found = &self.state.relations[relation.index()];
        let cells = if row < found.len { found.row(row).to_vec() } else { Vec::new() };
        let columns = info.columns.iter().zip(&cells);
        let mut tree = ProofTree {
            id: relation,
            relation: info.name.clone(),
            row: columns.map(|(column, cell)| value_of(self.state, column.base, *cell)).collect(),
            rule: None,
            given: Vec::new(),
            conditions: Vec::new(),
            premises: Vec::new(),
            cut: false,
        };
        if row < found.facts {
            let alternatives = found.conditions.get(&(row as u32)).into_iter().flatten();
            tree.given = alternatives.map(|set| set.to_vec()).collect();
            return tree;
        }
        let Some((number, premises)) = found.derivation(row, &self.program.rules) else {
            tree.cut = true;
            return tree;
        };
        let premises = premises.to_vec();
        let rule = &self.program.rules[number];
        tree.rule = Some(self.program.rule_reference(rule.place));
        if depth >= DEEPEST || self.left == 0 {
            tree.cut = true;
            return tree;
        }
        self.left -= 1;
        tree.conditions = self.conditions(rule, &cells, &premises);
        let atoms = positive_atoms(&rule.body).map(|atom| atom.relation);
        for (relation, premise) in atoms.zip(premises) {
            let child = self.tree(relation, premise as usize, depth + 1);
            tree.premises.push(child);
        }
        tree
    }

    /// The literals that are no positive atoms, with the values that they had.
    fn conditions(&mut self, rule: &Rule, row: &[u32], premises: &[u32]) -> Vec<Condition> {
        if rule.body.iter().all(|literal| matches!(literal.kind, LiteralKind::Atom(_))) {
            return Vec::new();
        }
        let Some(found) = self.match_of(rule, row, premises) else { return Vec::new() };
        rule.body.iter().filter_map(|literal| self.condition(rule, literal, &found)).collect()
    }

    fn condition(&self, rule: &Rule, literal: &Literal, found: &Match) -> Option<Condition> {
        match &literal.kind {
            LiteralKind::Absent(atom) => {
                let missing = pattern(atom, &found.registers, &self.state.cells, |_| true);
                let info = &self.program.relations[atom.relation.index()];
                let columns = info.columns.iter().zip(&missing);
                let row = columns.map(|(column, cell)| cell.map(|cell| value_of(self.state, column.base, cell)));
                Some(Condition::Absent { relation: atom.relation, name: info.name.clone(), row: row.collect() })
            }
            LiteralKind::Compare { left, right, .. } => {
                // What an expression as an argument was flattened to shows in the premise.
                let flattened =
                    |term: &Term| matches!(term, Term::Variable(variable) if rule.variables[*variable].name.is_empty());
                if flattened(left) && !matches!(right, Term::Constant(_)) && !self.is_comparison(literal.place) {
                    return None;
                }
                Some(self.with_values(rule, literal, &found.registers))
            }
            LiteralKind::Test { .. } => Some(self.with_values(rule, literal, &found.registers)),
            LiteralKind::Atom(_) | LiteralKind::Aggregate(_) | LiteralKind::Never => None,
        }
    }

    fn is_comparison(&self, place: Place) -> bool {
        self.program.sources.excerpt(place).contains(['=', '<', '>'])
    }

    fn with_values(&self, rule: &Rule, literal: &Literal, registers: &[u32]) -> Condition {
        let mut values = bindings(rule, literal, registers, self.state);
        values.extend(aggregated(rule, literal, registers, self.state));
        Condition::Holds { literal: self.program.sources.excerpt(literal.place), values }
    }

    /// The values of all variables, from those of the head and the premises.
    fn match_of(&mut self, rule: &Rule, row: &[u32], premises: &[u32]) -> Option<Match> {
        let mut bound = bind_head(rule, row.iter().copied().map(Some), &self.state.cells)?;
        for (atom, premise) in positive_atoms(&rule.body).zip(premises) {
            let cells = self.state.relations[atom.relation.index()].row(*premise as usize);
            for (term, cell) in atom.arguments.iter().zip(cells) {
                if let Term::Variable(variable) = term {
                    bound.push((*variable, *cell));
                }
            }
        }
        bound.sort_unstable();
        bound.dedup();
        let (found, _) = matches(self.program, self.state, &rule.body, rule.variables.len(), &bound);
        found.into_iter().next()
    }
}

pub(super) fn positive_atoms(body: &[Literal]) -> impl Iterator<Item = &RelationAtom> {
    body.iter().filter_map(|literal| match &literal.kind {
        LiteralKind::Atom(atom) => Some(atom),
        _ => None,
    })
}

/// The named variables of a literal with their values, each once.
pub(super) fn bindings(rule: &Rule, literal: &Literal, registers: &[u32], state: &State) -> Vec<(String, Value)> {
    let mut variables: Vec<VariableId> = Vec::new();
    literal.variables(&mut |variable| {
        if !variables.contains(&variable) && !rule.variables[variable].name.is_empty() {
            variables.push(variable);
        }
    });
    variables
        .into_iter()
        .map(|variable| {
            let info = &rule.variables[variable];
            (info.name.clone(), value_of(state, info.base, registers[variable]))
        })
        .collect()
}

/// The values of the aggregates that a comparison compares: `count = 3`.
pub(super) fn aggregated(rule: &Rule, literal: &Literal, registers: &[u32], state: &State) -> Vec<(String, Value)> {
    let LiteralKind::Compare { left, right, .. } = &literal.kind else { return Vec::new() };
    let mut values = Vec::new();
    for other in &rule.body {
        if let LiteralKind::Aggregate(aggregate) = &other.kind
            && [left, right].contains(&&Term::Variable(aggregate.result))
        {
            let base = rule.variables[aggregate.result].base;
            values.push((aggregate.kind.name().to_owned(), value_of(state, base, registers[aggregate.result])));
        }
    }
    values
}

impl fmt::Display for Condition {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Condition::Absent { name, row, .. } => {
                let values = row.iter().map(|value| value.as_ref().map_or("_".to_owned(), Value::to_string));
                write!(formatter, "no {name}({})", values.collect::<Vec<_>>().join(", "))
            }
            Condition::Holds { literal, values } if values.is_empty() => formatter.write_str(literal),
            Condition::Holds { literal, values } => {
                let values: Vec<String> = values.iter().map(|(name, value)| format!("{name} = {value}")).collect();
                write!(formatter, "{literal} ({})", values.join(", "))
            }
        }
    }
}

impl Program<'_> {
    pub(super) fn rule_reference(&self, place: Place) -> RuleReference {
        RuleReference {
            source: self.sources.get(place.source).name.clone(),
            range: place.range(),
            line: self.sources.line(place),
            text: self.sources.excerpt(place),
        }
    }
}

impl fmt::Display for ProofTree {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(formatter, 0)
    }
}

impl ProofTree {
    fn write(&self, formatter: &mut fmt::Formatter<'_>, depth: usize) -> fmt::Result {
        let indent = "  ".repeat(depth);
        let row: Vec<String> = self.row.iter().map(Value::to_string).collect();
        write!(formatter, "{indent}{}({})", self.relation, row.join(", "))?;
        if let Some(rule) = &self.rule {
            write!(formatter, "  [{}:{}]", rule.source, rule.line)?;
        }
        writeln!(formatter, "{}", if self.cut { " …" } else { "" })?;
        for condition in &self.conditions {
            writeln!(formatter, "{indent}  {condition}")?;
        }
        self.premises.iter().try_for_each(|premise| premise.write(formatter, depth + 1))
    }
}
