//! What the rows of relations can rest on: which relations may gain or lose rows when assumptions fall, and the graph of rows
//! with the derivations between them, over which minimal assumption sets are [computed](crate::support_sets).
//!
//! A node stands for "this row is there" or "no such row is there". It is supported by any of its derivations, a derivation by
//! all of its premises. `docs/rules/semantics.md` has the definitions.

use rustc_hash::FxHashMap;

use crate::antichain::Antichain;
use crate::program::Program;
use crate::relation::Relation;
use crate::rule::{RelationId, Use, uses};

pub(super) type NodeId = usize;

/// An assumption inside: a given one by its number, or an absence by its number with the 33rd bit set.
pub(super) type Token = u64;

pub(super) const ABSENCE: Token = 1 << 32;

/// A row whose columns may be left open.
pub(super) type Pattern = Box<[Option<u32>]>;

/// What a node says.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Statement {
    Present(RelationId, u32),
    Absent(RelationId, Pattern),
    /// No rows fit but those that are there, except for rows that nobody saw.
    Settled(RelationId, Pattern),
}

#[derive(Clone, Debug)]
pub(super) enum Formula {
    /// The sets are given.
    Leaf,
    Any(Vec<NodeId>),
    All(Vec<NodeId>),
}

#[derive(Clone, Debug)]
pub(super) struct Node {
    pub formula: Formula,
    pub sets: Antichain,
    /// Some set may be missing or larger than needed.
    pub truncated: bool,
    /// Speaks of rows that do not come: it holds as long as nothing refutes it, where the others hold once something shows them.
    pub is_absence: bool,
}

/// How a relation can change when assumptions fall.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Stability {
    /// Rows may go.
    pub shrinks: bool,
    /// Rows may come.
    pub grows: bool,
    /// Rows may come because an open relation below may have more.
    pub open: bool,
    /// Rows may come because something that is negated below may go.
    pub grows_by_negation: bool,
    /// A row of it may rest on assumptions.
    pub conditional: bool,
}

/// The graph as far as questions have explored it.
pub(super) struct Supports {
    pub stability: Vec<Stability>,
    pub rules_of: Vec<Vec<usize>>,
    pub nodes: Vec<Node>,
    pub by_statement: FxHashMap<Statement, NodeId>,
    /// Nodes that are not expanded yet.
    pub unexpanded: Vec<(NodeId, Statement)>,
    /// The absences that tokens stand for.
    pub absences: Vec<(RelationId, Pattern)>,
    pub absence_numbers: FxHashMap<(RelationId, Pattern), Token>,
}

/// The node that always holds.
pub(super) const TRUE: NodeId = 0;

impl Supports {
    pub fn new(program: &Program, relations: &[Relation]) -> Self {
        let mut rules_of = vec![Vec::new(); program.relations.len()];
        for (number, rule) in program.rules.iter().enumerate() {
            rules_of[rule.head.index()].push(number);
        }
        let truth = Node { formula: Formula::Leaf, sets: Antichain::truth(), truncated: false, is_absence: false };
        Supports {
            stability: stabilities(program, relations),
            rules_of,
            nodes: vec![truth],
            by_statement: FxHashMap::default(),
            unexpanded: Vec::new(),
            absences: Vec::new(),
            absence_numbers: FxHashMap::default(),
        }
    }

    /// Forgets what was asked, as the answer could not be found: the next question begins anew.
    pub fn abandon(&mut self) {
        self.nodes.truncate(TRUE + 1);
        self.by_statement.clear();
        self.unexpanded.clear();
    }

    pub fn of(&self, relation: RelationId) -> Stability {
        self.stability[relation.index()]
    }

    /// The node of a statement, to be expanded if it is new.
    pub fn statement(&mut self, statement: Statement) -> NodeId {
        if let Some(node) = self.by_statement.get(&statement) {
            return *node;
        }
        let node = self.add(Formula::Any(Vec::new()));
        self.nodes[node].is_absence = !matches!(statement, Statement::Present(..));
        self.by_statement.insert(statement.clone(), node);
        self.unexpanded.push((node, statement));
        node
    }

    pub fn leaf(&mut self, tokens: Vec<Token>) -> NodeId {
        let node = self.add(Formula::Leaf);
        self.nodes[node].sets = Antichain::of(tokens);
        node
    }

    pub fn absence_leaf(&mut self, relation: RelationId, pattern: Pattern) -> NodeId {
        let key = (relation, pattern);
        let token = match self.absence_numbers.get(&key) {
            Some(token) => *token,
            None => {
                let token = ABSENCE | self.absences.len() as Token;
                self.absences.push(key.clone());
                self.absence_numbers.insert(key, token);
                token
            }
        };
        self.leaf(vec![token])
    }

    /// A node that holds if all of its children do.
    pub fn all(&mut self, mut children: Vec<NodeId>) -> NodeId {
        children.retain(|child| *child != TRUE);
        children.sort_unstable();
        children.dedup();
        match *children {
            [] => TRUE,
            [only] => only,
            _ => self.add(Formula::All(children)),
        }
    }

    pub fn any(&mut self, mut children: Vec<NodeId>) -> NodeId {
        children.sort_unstable();
        children.dedup();
        match *children {
            [only] => only,
            _ if children.contains(&TRUE) => TRUE,
            _ => self.add(Formula::Any(children)),
        }
    }

    /// Gives a statement's node its alternatives.
    pub fn set_alternatives(&mut self, node: NodeId, mut children: Vec<NodeId>) {
        children.sort_unstable();
        children.dedup();
        self.nodes[node].formula = Formula::Any(children);
    }

    fn add(&mut self, formula: Formula) -> NodeId {
        let node = self.nodes.len();
        self.nodes.push(Node { formula, sets: Antichain::default(), truncated: false, is_absence: false });
        node
    }

    pub(super) fn evaluate(&self, node: NodeId) -> Option<(Antichain, bool)> {
        let mut truncated = false;
        let sets = match &self.nodes[node].formula {
            Formula::Leaf => return None,
            Formula::Any(children) => {
                let mut sets = Antichain::default();
                for child in children {
                    truncated |= self.nodes[*child].truncated | sets.add_all(&self.nodes[*child].sets);
                }
                sets
            }
            Formula::All(children) => {
                let mut sets = Antichain::truth();
                for child in children {
                    let (product, cut) = sets.times(&self.nodes[*child].sets);
                    truncated |= cut | self.nodes[*child].truncated;
                    sets = product;
                }
                sets
            }
        };
        Some((sets, truncated))
    }
}

/// The stability of every relation: the least one that the rules allow.
fn stabilities(program: &Program, relations: &[Relation]) -> Vec<Stability> {
    let mut all: Vec<Stability> = Vec::new();
    for (info, relation) in program.relations.iter().zip(relations) {
        let open = info.documentation.open;
        let shrinks = !relation.conditions.is_empty();
        all.push(Stability { shrinks, grows: open, open, grows_by_negation: false, conditional: shrinks });
    }
    loop {
        let mut changed = false;
        for rule in &program.rules {
            let mut head = all[rule.head.index()];
            uses(&rule.body, &mut |relation, how, _| {
                let used = all[relation.index()];
                match how {
                    Use::Positive => {
                        head.shrinks |= used.shrinks;
                        head.grows |= used.grows;
                        head.open |= used.open;
                        head.grows_by_negation |= used.grows_by_negation;
                        head.conditional |= used.conditional;
                    }
                    Use::Negated => {
                        head.shrinks |= used.grows;
                        head.grows |= used.shrinks;
                        head.grows_by_negation |= used.shrinks;
                        head.conditional |= used.grows;
                    }
                    Use::Aggregated => {
                        let changes = used.shrinks || used.grows;
                        head.shrinks |= changes;
                        head.grows |= changes;
                        head.grows_by_negation |= changes;
                        head.conditional |= changes;
                    }
                }
            });
            changed |= head != all[rule.head.index()];
            all[rule.head.index()] = head;
        }
        if !changed {
            return all;
        }
    }
}
