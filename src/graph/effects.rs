//! What calls of the program's own functions change: mutations flow from a function to the statements that call it.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use crate::graph::host::{CallNode, FunctionId, Host, Slot, VariableId, VariableNode};
use crate::python::name::Name;

/// What a function does to variables of its callers: its parameters, their attributes, and variables of scopes around it.
#[derive(Clone, Debug, Default)]
struct Summary {
    changed: BTreeSet<VariableId>,
    /// Passed to code that was not resolved.
    passed: BTreeSet<VariableId>,
    trains: bool,
}

/// A function may be looked at this often; recursion through growing attribute paths ends there.
const MOST_ROUNDS: usize = 12;

/// Adds to every statement what the functions that it calls change.
pub fn propagate(host: &mut Host, groups: &AliasGroups) {
    let calls = resolved_calls(host);
    let mut summaries: Vec<Summary> = vec![Summary::default(); host.functions.len()];
    for statement in 0..host.statements.len() {
        summarise_statement(host, groups, &mut summaries, statement);
    }
    let mut callers: FxHashMap<FunctionId, Vec<usize>> = FxHashMap::default();
    for (index, call) in calls.iter().enumerate() {
        callers.entry(call.callee).or_default().push(index);
    }
    let mut waiting: BTreeSet<FunctionId> = calls.iter().map(|call| call.callee).collect();
    let mut rounds = vec![0usize; host.functions.len()];
    while let Some(callee) = waiting.pop_first() {
        rounds[callee.index()] += 1;
        if rounds[callee.index()] > MOST_ROUNDS {
            continue;
        }
        for index in callers.get(&callee).map_or(&[][..], Vec::as_slice) {
            let call = &calls[*index];
            let caller = host.statements[call.statement].function;
            if apply(host, groups, &mut summaries, call, caller) {
                waiting.insert(caller);
            }
        }
    }
    for call in &calls {
        mark_statement(host, &summaries, call);
    }
}

/// A call of a known function, with the caller's variable for each parameter.
struct Resolved {
    statement: usize,
    callee: FunctionId,
    bindings: Vec<(VariableId, VariableId)>,
}

fn resolved_calls(host: &Host) -> Vec<Resolved> {
    let mut resolved = Vec::new();
    for call in &host.calls {
        for span in &call.callees {
            let Some(callee) = host.function_of_span.get(span) else { continue };
            let bindings = bind(host, call, *callee);
            resolved.push(Resolved { statement: call.statement.index(), callee: *callee, bindings });
        }
    }
    resolved
}

fn bind(host: &Host, call: &CallNode, callee: FunctionId) -> Vec<(VariableId, VariableId)> {
    let function = host.function(callee);
    let name_of = |variable: &VariableId| host.variable(*variable).root;
    let first = function.parameters.first().map(name_of);
    let is_method = first.is_some_and(|name| matches!(name.as_str(), "self" | "cls"));
    let mut bindings = Vec::new();
    if is_method && let Some(receiver) = receiver(host, call, &function.name) {
        bindings.push((function.parameters[0], receiver));
    }
    for (slot, _, variable) in &call.arguments {
        let Some(variable) = variable else { continue };
        let parameter = match slot {
            Slot::Position(index) => function.parameters.get(index + usize::from(is_method)),
            Slot::Keyword(name) => function.parameters.iter().find(|parameter| name_of(parameter) == *name),
            Slot::Receiver | Slot::Operand(_) | Slot::Unpacked => None,
        };
        if let Some(parameter) = parameter {
            bindings.push((*parameter, *variable));
        }
    }
    bindings
}

/// The object of a method call; of `net(x)`, which runs `forward`, the callee itself.
fn receiver(host: &Host, call: &CallNode, function: &str) -> Option<VariableId> {
    let method = function.rsplit('.').next().unwrap_or(function);
    let called = call.function.map(|variable| host.variable(variable));
    let called_name = called.and_then(|node| node.path).map(|path| path.as_str().rsplit('.').next().unwrap_or(""));
    if called_name == Some(method) {
        call.arguments.iter().find(|(slot, ..)| *slot == Slot::Receiver).and_then(|(_, _, variable)| *variable)
    } else {
        call.function
    }
}

fn summarise_statement(host: &mut Host, groups: &AliasGroups, summaries: &mut [Summary], index: usize) {
    let node = &mut host.statements[index];
    let function = node.function;
    // `x.data` is `x` itself, for all that matters here.
    let definitions = node.definitions.clone();
    let mutations = node.mutations.clone();
    let passed = node.passed.clone();
    let trains = node.trains;
    let mut changed: Vec<VariableId> = Vec::new();
    for variable in definitions {
        if host.variable(variable).path.is_some() || host.variable(variable).scope != function {
            changed.push(variable);
        }
    }
    for variable in mutations {
        changed.extend(groups.members(variable));
    }
    let owners: Vec<VariableId> = changed.iter().filter_map(|variable| owner_of_data(host, *variable)).collect();
    host.statements[index].mutations.extend(owners.iter().copied());
    changed.extend(owners);
    let summary = &mut summaries[function.index()];
    summary.trains |= trains;
    for variable in changed {
        if is_seen_outside(host, function, variable) {
            summary.changed.insert(variable);
        }
    }
    for variable in passed {
        if is_seen_outside(host, function, variable) {
            summary.passed.insert(variable);
        }
    }
}

/// The tensor whose data an attribute is: `x` of `x.data`.
fn owner_of_data(host: &mut Host, variable: VariableId) -> Option<VariableId> {
    let node = host.variable(variable);
    let path = node.path?;
    let owner = match path.as_str() {
        "data" => None,
        path => Some(Name::new(path.strip_suffix(".data")?)),
    };
    Some(host.variable_id(VariableNode { path: owner, ..node }))
}

/// Whether callers of the function can see a change of the variable.
fn is_seen_outside(host: &Host, function: FunctionId, variable: VariableId) -> bool {
    let node = host.variable(variable);
    if node.scope != function {
        return true;
    }
    host.function(function).parameters.iter().any(|parameter| host.variable(*parameter).root == node.root)
}

/// Adds the callee's changes to the caller's; whether there was anything new.
fn apply(
    host: &mut Host,
    groups: &AliasGroups,
    summaries: &mut [Summary],
    call: &Resolved,
    caller: FunctionId,
) -> bool {
    let callee = summaries[call.callee.index()].clone();
    let mut is_new = callee.trains && !summaries[caller.index()].trains;
    summaries[caller.index()].trains |= callee.trains;
    for variable in callee.changed {
        let Some(seen) = translate(host, call, variable) else { continue };
        for member in groups.members(seen) {
            if is_seen_outside(host, caller, member) {
                is_new |= summaries[caller.index()].changed.insert(member);
            }
        }
    }
    for variable in callee.passed {
        if let Some(seen) = translate(host, call, variable)
            && is_seen_outside(host, caller, seen)
        {
            is_new |= summaries[caller.index()].passed.insert(seen);
        }
    }
    is_new
}

/// The caller's variable for one of the callee's.
fn translate(host: &mut Host, call: &Resolved, variable: VariableId) -> Option<VariableId> {
    let node = host.variable(variable);
    if node.scope != call.callee {
        return Some(variable);
    }
    let bound = call.bindings.iter().find(|(parameter, _)| host.variable(*parameter).root == node.root);
    let (_, argument) = *bound?;
    Some(match node.path {
        Some(path) => host.member(argument, path),
        None => argument,
    })
}

fn mark_statement(host: &mut Host, summaries: &[Summary], call: &Resolved) {
    let summary = &summaries[call.callee.index()];
    let changed: Vec<VariableId> =
        summary.changed.iter().filter_map(|variable| translate(host, call, *variable)).collect();
    let passed: Vec<VariableId> =
        summary.passed.iter().filter_map(|variable| translate(host, call, *variable)).collect();
    let node = &mut host.statements[call.statement];
    node.trains |= summary.trains;
    node.mutations.extend(changed);
    node.mutations.sort_unstable();
    node.mutations.dedup();
    node.passed.extend(passed);
    node.passed.sort_unstable();
    node.passed.dedup();
}

/// Variables that may name the same object or share memory, in groups.
#[derive(Debug, Default)]
pub struct AliasGroups {
    group_of: FxHashMap<VariableId, usize>,
    groups: Vec<Vec<VariableId>>,
}

impl AliasGroups {
    pub fn new(pairs: &[(VariableId, VariableId)]) -> AliasGroups {
        let mut parents: FxHashMap<VariableId, VariableId> = FxHashMap::default();
        fn root(parents: &mut FxHashMap<VariableId, VariableId>, variable: VariableId) -> VariableId {
            let mut at = variable;
            while let Some(parent) = parents.get(&at).copied().filter(|parent| *parent != at) {
                let above = parents.get(&parent).copied().unwrap_or(parent);
                parents.insert(at, above);
                at = above;
            }
            at
        }
        for (left, right) in pairs {
            parents.entry(*left).or_insert(*left);
            parents.entry(*right).or_insert(*right);
            let (left, right) = (root(&mut parents, *left), root(&mut parents, *right));
            parents.insert(left.max(right), left.min(right));
        }
        let mut groups = AliasGroups::default();
        let mut variables: Vec<VariableId> = parents.keys().copied().collect();
        variables.sort_unstable();
        for variable in variables {
            let top = root(&mut parents, variable);
            let group = match groups.group_of.get(&top) {
                Some(group) => *group,
                None => {
                    groups.groups.push(Vec::new());
                    groups.groups.len() - 1
                }
            };
            groups.group_of.insert(variable, group);
            groups.groups[group].push(variable);
        }
        groups
    }

    /// The variable and all that may be the same object.
    pub fn members(&self, variable: VariableId) -> Vec<VariableId> {
        self.group_of.get(&variable).map_or_else(|| vec![variable], |group| self.groups[*group].clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_join_through_chains() {
        let [a, b, c, d, e] = [0, 1, 2, 3, 4].map(VariableId);
        let groups = AliasGroups::new(&[(a, b), (c, d), (d, b)]);
        assert_eq!(groups.members(c), [a, b, c, d]);
        assert_eq!(groups.members(e), [e]);
    }
}
