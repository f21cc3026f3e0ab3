//! Rows on loop variance: what varies from one iteration of a loop to the next, for every loop of the program.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::closures::varying::{self, FreshFrom, ImpureIn, Unsteady};
use crate::effects::AliasGroups;
use crate::host::{Arm, ExpressionId, ExpressionKind, Host, StatementId, VariableId};
use crate::reaching_definitions::{self, Reach};

/// The results, by numbers of the host.
#[derive(Debug, Default)]
pub struct Variation {
    pub uses: FxHashSet<(StatementId, VariableId, StatementId)>,
    pub statements: FxHashSet<(StatementId, StatementId)>,
    /// The first variable of each group of aliases of which one is changed in a loop, with the loop: a group may have thousands of members.
    changed: BTreeSet<(VariableId, StatementId)>,
    /// The other members of these groups, with the first.
    firsts: FxHashMap<VariableId, VariableId>,
    /// What each use in a loop may read, of assignments in the same outermost loop.
    pub reaches: Vec<Reach>,
    /// For a use in a loop, the one assignment that it reads, where that is in the same iteration.
    pub only: FxHashMap<(StatementId, VariableId), StatementId>,
    /// Expressions that were seen to read what the loop changes, though the text does not show it.
    pub observed: FxHashSet<(ExpressionId, StatementId)>,
}

/// Looks at all loops, with the expressions that were seen to read what a loop changes.
pub fn analyse(host: &Host, groups: &AliasGroups, observed: FxHashSet<(ExpressionId, StatementId)>) -> Variation {
    // What is computed from such an expression varies, too.
    let mut impure: Vec<ImpureIn> =
        observed.iter().map(|(expression, id)| ImpureIn(host.expression(*expression).statement.0, id.0)).collect();
    let mut variation = Variation { observed, ..Variation::default() };
    let outermost = host.loops().filter(|(id, _)| host.statement(*id).inside.is_none());
    for (id, _) in outermost {
        variation.reaches.extend(reaching_definitions::analyse(host, &[id]));
    }
    let mut uses = Vec::new();
    for (id, _) in host.loops() {
        for inner in host.body_of(id, Some(Arm::Body)) {
            let node = host.statement(inner);
            node.mutations.iter().chain(&node.passed).for_each(|variable| variation.change(*variable, id, groups));
            // An outer variable that a called function assigns is changed for the loop.
            if node.is_impure {
                impure.push(ImpureIn(inner.0, id.0));
            }
            uses.extend(host.uses_of(inner).map(|variable| (inner, variable, id)));
        }
    }
    let (mut unsteady, fresh) = variation.read_reaches(host);
    let changed = uses.into_iter().filter(|(_, variable, id)| variation.is_changed(*variable, *id));
    unsteady.extend(changed.map(|(user, variable, id)| Unsteady(user.0, variable.0, id.0)));
    let (uses, statements) = varying::closure(unsteady, fresh, impure);
    variation.uses = uses.iter().map(|row| (StatementId(row.0), VariableId(row.1), StatementId(row.2))).collect();
    variation.statements = statements.iter().map(|row| (StatementId(row.0), StatementId(row.1))).collect();
    variation
}

impl Variation {
    fn change(&mut self, variable: VariableId, in_loop: StatementId, groups: &AliasGroups) {
        let members = groups.members(&variable);
        let first = members.first().copied().unwrap_or(variable);
        // The group's members are known from the first loop that changes one.
        if members.len() > 1 && !self.firsts.contains_key(&members[1]) {
            self.firsts.extend(members[1..].iter().map(|member| (*member, first)));
        }
        self.changed.insert((first, in_loop));
    }

    /// Whether the variable's value is changed in place in the loop.
    fn is_changed(&self, variable: VariableId, in_loop: StatementId) -> bool {
        self.changed.contains(&(self.first(variable), in_loop))
    }

    fn first(&self, variable: VariableId) -> VariableId {
        self.firsts.get(&variable).copied().unwrap_or(variable)
    }

    /// The loops in which the variable's value is changed in place, in order.
    pub fn changed_in(&self, variable: VariableId) -> impl Iterator<Item = StatementId> + '_ {
        let first = self.first(variable);
        self.changed.range((first, StatementId(0))..=(first, StatementId(u32::MAX))).map(|(_, in_loop)| *in_loop)
    }

    /// Every variable whose value is changed in place in a loop, in order.
    pub fn changed(&self) -> BTreeSet<VariableId> {
        let firsts: FxHashSet<VariableId> = self.changed.iter().map(|(first, _)| *first).collect();
        let others = self.firsts.iter().filter(|(_, first)| firsts.contains(first)).map(|(member, _)| *member);
        others.chain(firsts.iter().copied()).collect()
    }

    /// Sorts the reaching assignments into those that make a use vary by themselves, and those that pass on what varies.
    fn read_reaches(&mut self, host: &Host) -> (Vec<Unsteady>, Vec<FreshFrom>) {
        let of = |reach: &&Reach| (reach.user, reach.variable);
        let mut by_use: Vec<&Reach> = self.reaches.iter().collect();
        by_use.sort_by_key(of);
        let (mut unsteady, mut fresh) = (Vec::new(), Vec::new());
        for reaches in by_use.chunk_by(|one, other| of(one) == of(other)) {
            let (user, variable) = of(&reaches[0]);
            if let [only] = reaches
                && only.carried.is_none()
                && host.statement(only.definition).loop_kind.is_none()
            {
                self.only.insert((user, variable), only.definition);
            }
            for id in host.loops_of(user) {
                let is_in = |statement: StatementId| host.loops_of(statement).any(|around| around == id);
                let inner: Vec<&&Reach> =
                    reaches.iter().filter(|reach| reach.definition == id || is_in(reach.definition)).collect();
                // What the head of a loop within gives is another in each of its iterations, which are run in each of this one's.
                let of_header = inner.iter().any(|reach| {
                    host.statement(reach.definition).loop_kind.is_some()
                        && host.loops_of(user).any(|around| around == reach.definition)
                });
                let carried = inner.iter().any(|reach| reach.carried.is_some_and(|by| by == id || is_in(by)));
                let definitions: BTreeSet<StatementId> = inner.iter().map(|reach| reach.definition).collect();
                if of_header || carried || definitions.len() > 1 {
                    unsteady.push(Unsteady(user.0, variable.0, id.0));
                }
                fresh.extend(definitions.iter().map(|definition| FreshFrom(definition.0, user.0, variable.0, id.0)));
            }
        }
        (unsteady, fresh)
    }

    /// Whether the expression may differ between iterations, or does more than giving a value.
    pub fn varies(&self, host: &Host, expression: ExpressionId, in_loop: StatementId) -> bool {
        let node = host.expression(expression);
        node.is_impure
            || self.observed.contains(&(expression, in_loop))
            || host.reads_of(expression).iter().any(|variable| {
                self.uses.contains(&(node.statement, *variable, in_loop)) || self.is_changed(*variable, in_loop)
            })
    }

    /// The assignments in a loop from which an expression is computed, in their order. Only for what does not vary in the loop.
    pub fn computed_from(&self, host: &Host, expression: ExpressionId, in_loop: StatementId) -> BTreeSet<StatementId> {
        let mut found = BTreeSet::new();
        let mut waiting = vec![expression];
        while let Some(at) = waiting.pop() {
            let user = host.expression(at).statement;
            for variable in host.reads_of(at) {
                let Some(definition) = self.only.get(&(user, *variable)) else { continue };
                let is_inside = host.loops_of(*definition).any(|around| around == in_loop);
                if let (true, Some((_, value))) = (is_inside, host.statement(*definition).value)
                    && found.insert(*definition)
                {
                    waiting.push(value);
                }
            }
        }
        found
    }

    /// What an expression stands for: itself, or the value that its variable was assigned in the same iteration, as long as what
    /// that value was made from is still the same.
    pub fn origin(&self, host: &Host, expression: ExpressionId) -> ExpressionId {
        let mut at = expression;
        // Assignments go backwards; a bound keeps a mistake from going round.
        for _ in 0..16 {
            let node = host.expression(at);
            let ExpressionKind::Variable(variable) = node.kind() else { return at };
            let Some(definition) = self.only.get(&(node.statement, variable)) else { return at };
            let Some((assigned, value)) = host.statement(*definition).value else { return at };
            if assigned != variable || !self.is_still_the_same(host, value, expression) {
                return at;
            }
            at = value;
        }
        at
    }

    /// Whether nothing that `value` reads was assigned between it and `later`.
    fn is_still_the_same(&self, host: &Host, value: ExpressionId, later: ExpressionId) -> bool {
        let from = host.expression(value).statement;
        let to = host.expression(later).statement;
        if from >= to {
            return false;
        }
        let read: FxHashSet<VariableId> = host.reads_of(value).iter().copied().collect();
        (from.0..to.0).map(StatementId).all(|between| {
            let node = host.statement(between);
            !node.definitions.iter().chain(&node.mutations).any(|variable| read.contains(variable))
        })
    }
}
