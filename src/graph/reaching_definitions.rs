//! Rows on reaching definitions: which assignments a use may read, along the structure of the statements; those of an
//! earlier iteration are told apart.

use rustc_hash::FxHashMap;

use crate::host::{Arm, Host, LoopKind, StatementId, VariableId};

/// An assignment that a use may read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Reach {
    pub definition: StatementId,
    pub user: StatementId,
    pub variable: VariableId,
    /// The loop in an earlier iteration of which the assignment was made.
    pub carried: Option<StatementId>,
}

/// The assignments that reach a point, by variable.
type Environment = FxHashMap<VariableId, Vec<(StatementId, Option<StatementId>)>>;

/// A variable assigned at more places than this counts as assigned at the first of them.
const MOST_DEFINITIONS: usize = 32;

/// The uses in these statements and in their blocks, in order. Nothing is known to reach the first one.
pub fn analyse(host: &Host, block: &[StatementId]) -> Vec<Reach> {
    let mut flow = Flow { host, reaches: Vec::new() };
    let mut environment = Environment::default();
    flow.block(block, &mut environment);
    flow.reaches
}

struct Flow<'a> {
    host: &'a Host,
    reaches: Vec<Reach>,
}

impl Flow<'_> {
    fn block(&mut self, block: &[StatementId], environment: &mut Environment) {
        for statement in block {
            self.statement(*statement, environment);
        }
    }

    fn statement(&mut self, id: StatementId, environment: &mut Environment) {
        let node = self.host.statement(id);
        let mut seen: Vec<VariableId> = self.host.uses_of(id).collect();
        seen.sort_unstable();
        seen.dedup();
        for variable in seen {
            for (definition, carried) in environment.get(&variable).into_iter().flatten() {
                self.reaches.push(Reach { definition: *definition, user: id, variable, carried: *carried });
            }
        }
        if node.loop_kind.is_some() {
            self.looped(id, environment);
            return;
        }
        for variable in &node.definitions {
            environment.insert(*variable, vec![(id, None)]);
        }
        match node.kind {
            // Their code runs elsewhere.
            "def" | "class" => {}
            "if" | "match" | "try" => self.branches(id, environment),
            _ => {
                for (_, block) in &node.blocks {
                    self.block(block, environment);
                }
            }
        }
    }

    /// Each block is entered from before the statement, or after the ones before it; all their ends reach what follows.
    fn branches(&mut self, id: StatementId, environment: &mut Environment) {
        let node = self.host.statement(id);
        let before = environment.clone();
        let has_else = node.kind == "if" && node.blocks.iter().any(|(arm, _)| *arm == Arm::Else);
        let mut ends: Vec<Environment> = Vec::new();
        for (arm, block) in &node.blocks {
            let mut inside = before.clone();
            if node.kind == "try" && *arm != Arm::Body {
                ends.iter().for_each(|end| merge(&mut inside, end));
            }
            self.block(block, &mut inside);
            ends.push(inside);
        }
        if !has_else {
            ends.push(before);
        }
        let mut ends = ends.into_iter();
        if let Some(first) = ends.next() {
            *environment = first;
        }
        ends.for_each(|end| merge(environment, &end));
    }

    fn looped(&mut self, id: StatementId, environment: &mut Environment) {
        let node = self.host.statement(id);
        let before = environment.clone();
        let mut inside = before.clone();
        for inner in self.host.body_of(id, Some(Arm::Body)) {
            for variable in &self.host.statement(inner).definitions {
                add(&mut inside, *variable, (inner, Some(id)));
            }
        }
        if node.loop_kind != Some(LoopKind::While) {
            for variable in &node.definitions {
                inside.insert(*variable, vec![(id, None)]);
            }
        }
        for (arm, block) in &node.blocks {
            match arm {
                Arm::Body => self.block(block, &mut inside),
                _ => {
                    let mut after = before.clone();
                    merge(&mut after, &inside);
                    self.block(block, &mut after);
                    inside = after;
                }
            }
        }
        *environment = before;
        merge(environment, &inside);
    }
}

fn add(environment: &mut Environment, variable: VariableId, reach: (StatementId, Option<StatementId>)) {
    let known = environment.entry(variable).or_default();
    if known.len() < MOST_DEFINITIONS && !known.contains(&reach) {
        known.push(reach);
    }
}

fn merge(environment: &mut Environment, other: &Environment) {
    for (variable, reaches) in other {
        for reach in reaches {
            add(environment, *variable, *reach);
        }
    }
}
