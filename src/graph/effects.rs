//! Rows on what calls of the program's own functions change: mutations flow from a function to the statements that call
//! it.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::host::{CallNode, FunctionId, Host, Slot, StatementId, VariableId, VariableNode};
use harp_python::name::Name;
use harp_trace::small_set::Few;

/// What a function does to variables of its callers: its parameters, their attributes, and variables of scopes around it.
#[derive(Clone, Debug, Default)]
struct Summary {
    changed: BTreeSet<VariableId>,
    /// Passed to code that was not resolved.
    passed: BTreeSet<VariableId>,
    trains: bool,
    /// There is more than is listed, so anything that it gets may change.
    is_cut: bool,
}

impl Summary {
    /// Adds a variable; whether it is new.
    fn add(&mut self, of: fn(&mut Summary) -> &mut BTreeSet<VariableId>, variable: VariableId) -> bool {
        if of(self).len() >= MOST_VARIABLES {
            return !std::mem::replace(&mut self.is_cut, true);
        }
        of(self).insert(variable)
    }

    /// How far it has grown: it never shrinks.
    fn extent(&self) -> Extent {
        (self.changed.len(), self.passed.len(), self.trains, self.is_cut)
    }

    /// Whether what is added from here on may be cut.
    fn is_full(&self) -> bool {
        self.changed.len().max(self.passed.len()) >= MOST_VARIABLES
    }

    fn changed(&mut self) -> &mut BTreeSet<VariableId> {
        &mut self.changed
    }

    fn passed(&mut self) -> &mut BTreeSet<VariableId> {
        &mut self.passed
    }
}

type Extent = (usize, usize, bool, bool);

/// A function that changes more variables than this counts as changing all that it gets.
const MOST_VARIABLES: usize = 200;

/// Recursion is followed this often; what it would add then are longer attribute paths.
const MOST_ROUNDS: usize = 4;

/// Whose calls are looked into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Statements in loops, and the functions that they call.
    Loops,
    Everything,
}

/// What the functions of a program change.
#[derive(Debug, Default)]
pub struct Effects {
    /// Those that are not in loops, in the order of their statements.
    calls: Vec<Resolved>,
    summaries: Vec<Summary>,
    marked: FxHashSet<StatementId>,
}

impl Effects {
    /// Adds to a statement what the functions that it calls change. Those in loops have it already.
    pub fn mark(&mut self, host: &mut Host, statement: StatementId) {
        if !self.marked.insert(statement) {
            return;
        }
        let first = self.calls.partition_point(|call| call.statement < statement.index());
        let calls = self.calls[first..].iter().take_while(|call| call.statement == statement.index());
        calls.for_each(|call| mark_statement(host, &self.summaries, call));
    }

    /// The same for all statements.
    pub fn mark_all(&mut self, host: &mut Host) {
        std::mem::take(&mut self.calls).iter().for_each(|call| mark_statement(host, &self.summaries, call));
    }
}

/// Finds what functions change, and adds to every statement in a loop what those that it calls do. `scope` says of which other statements
/// it will be asked.
pub fn propagate(host: &mut Host, groups: &AliasGroups, scope: Scope) -> Effects {
    let calls = resolved_calls(host);
    let mut by_function: FxHashMap<FunctionId, Vec<usize>> = FxHashMap::default();
    for (index, call) in calls.iter().enumerate() {
        by_function.entry(host.statements[call.statement].function).or_default().push(index);
    }
    let marked = |call: &&Resolved| scope == Scope::Everything || host.statements[call.statement].inside.is_some();
    let starts: Vec<FunctionId> = calls.iter().filter(marked).map(|call| call.callee).collect();
    let order = callees_first(&calls, &by_function, &starts);
    let mut statements: FxHashMap<FunctionId, Vec<usize>> = FxHashMap::default();
    for (index, node) in host.statements.iter().enumerate() {
        statements.entry(node.function).or_default().push(index);
    }
    mark_owners_of_data(host);
    let mut summaries: Vec<Summary> = vec![Summary::default(); host.functions.len()];
    for function in &order {
        for statement in statements.get(function).map_or(&[][..], Vec::as_slice) {
            summarise_statement(host, groups, &mut summaries[function.index()], *statement);
        }
    }
    let mut applied: Vec<Option<Extent>> = vec![None; calls.len()];
    for _ in 0..MOST_ROUNDS {
        let mut is_new = false;
        for function in &order {
            for index in by_function.get(function).map_or(&[][..], Vec::as_slice) {
                let call = &calls[*index];
                let extent = Some(summaries[call.callee.index()].extent());
                // What a callee had before is in the caller's summary already.
                if applied[*index] == extent && !summaries[function.index()].is_full() {
                    continue;
                }
                applied[*index] = extent;
                is_new |= apply(host, groups, &mut summaries, call, *function);
            }
        }
        if !is_new {
            break;
        }
    }
    let in_loops = statements_of_loops(host);
    let (inner, mut outer): (Vec<Resolved>, Vec<Resolved>) =
        calls.into_iter().partition(|call| in_loops[call.statement]);
    inner.iter().for_each(|call| mark_statement(host, &summaries, call));
    if scope == Scope::Loops {
        return Effects::default();
    }
    outer.sort_by_key(|call| call.statement);
    for call in &outer {
        let summary = &summaries[call.callee.index()];
        let function = host.statements[call.statement].function;
        let changes_others = summary.changed.iter().any(|variable| is_seen_by_others(host, call, *variable, function));
        let node = &mut host.statements[call.statement];
        node.trains |= summary.trains;
        node.changes_others |= changes_others;
    }
    Effects { calls: outer, summaries, marked: FxHashSet::default() }
}

/// For each statement whether it stands in a loop, also in a function that is defined there.
fn statements_of_loops(host: &Host) -> Vec<bool> {
    let mut found = vec![false; host.statements.len()];
    for (id, _) in host.loops() {
        if !found[id.index()] {
            host.body_of(id, None).iter().for_each(|inner| found[inner.index()] = true);
        }
    }
    found
}

/// Whether others than the caller's own function see what a call changes, by the callee's variable.
fn is_seen_by_others(host: &Host, call: &Resolved, variable: VariableId, caller: FunctionId) -> bool {
    let node = host.variable(variable);
    if node.scope != call.callee {
        return node.path.is_some() || node.scope != caller;
    }
    let bound = call.bindings.iter().find(|(parameter, _)| host.variable(*parameter).root == node.root);
    bound.is_some_and(|(_, argument)| {
        let argument = host.variable(*argument);
        node.path.is_some() || argument.path.is_some() || argument.scope != caller
    })
}

/// The functions that are reached from `starts`, each after those that it calls, as far as there is no recursion.
fn callees_first(
    calls: &[Resolved],
    by_function: &FxHashMap<FunctionId, Vec<usize>>,
    starts: &[FunctionId],
) -> Vec<FunctionId> {
    let mut order = Vec::new();
    let mut seen: FxHashSet<FunctionId> = FxHashSet::default();
    let mut stack: Vec<(FunctionId, usize)> = Vec::new();
    for start in starts {
        if seen.insert(*start) {
            stack.push((*start, 0));
        }
        while let Some((function, position)) = stack.pop() {
            match by_function.get(&function).and_then(|indices| indices.get(position)) {
                Some(index) => {
                    stack.push((function, position + 1));
                    if seen.insert(calls[*index].callee) {
                        stack.push((calls[*index].callee, 0));
                    }
                }
                None => order.push(function),
            }
        }
    }
    order
}

/// A call of a known function, with the caller's variable for each parameter.
#[derive(Debug)]
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
            Slot::Position(index) => function.parameters.get(*index as usize + usize::from(is_method)),
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

/// `x.data` is `x` itself, for all that matters here.
fn mark_owners_of_data(host: &mut Host) {
    for index in 0..host.statements.len() {
        let node = &host.statements[index];
        let touched = node.definitions.iter().chain(&node.mutations).copied();
        let data: Vec<VariableId> = touched.filter(|variable| host.variable(*variable).path.is_some()).collect();
        for variable in data {
            let owner = owner_of_data(host, variable);
            host.statements[index].mutations.extend(owner);
        }
    }
}

fn summarise_statement(host: &Host, groups: &AliasGroups, summary: &mut Summary, index: usize) {
    let node = &host.statements[index];
    let function = node.function;
    summary.trains |= node.trains;
    for variable in &node.definitions {
        let known = host.variable(*variable);
        if (known.path.is_some() || known.scope != function) && is_seen_outside(host, function, *variable) {
            summary.add(Summary::changed, *variable);
        }
    }
    for variable in &node.mutations {
        for member in groups.members(variable) {
            if is_seen_outside(host, function, *member) {
                summary.add(Summary::changed, *member);
            }
        }
    }
    for variable in &node.passed {
        if is_seen_outside(host, function, *variable) {
            summary.add(Summary::passed, *variable);
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
    if call.callee == caller {
        return false;
    }
    let callee = std::mem::take(&mut summaries[call.callee.index()]);
    let summary = &mut summaries[caller.index()];
    let mut is_new = callee.trains && !summary.trains;
    summary.trains |= callee.trains;
    for variable in &callee.changed {
        let Some(seen) = translate(host, call, *variable) else { continue };
        for member in groups.members(&seen) {
            if is_seen_outside(host, caller, *member) {
                is_new |= summary.add(Summary::changed, *member);
            }
        }
    }
    let cut = call.bindings.iter().filter(|_| callee.is_cut).map(|(_, argument)| *argument);
    let passed: Vec<VariableId> =
        callee.passed.iter().filter_map(|variable| translate(host, call, *variable)).collect();
    for seen in passed.into_iter().chain(cut) {
        if is_seen_outside(host, caller, seen) {
            is_new |= summary.add(Summary::passed, seen);
        }
    }
    summaries[call.callee.index()] = callee;
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
    let mut passed: Vec<VariableId> =
        summary.passed.iter().filter_map(|variable| translate(host, call, *variable)).collect();
    if summary.is_cut {
        passed.extend(call.bindings.iter().map(|(_, argument)| *argument));
    }
    let node = &mut host.statements[call.statement];
    node.trains |= summary.trains;
    node.mutations.extend(changed);
    node.mutations = sorted(&node.mutations);
    node.passed.extend(passed);
    node.passed = sorted(&node.passed);
}

/// Each once, in order.
fn sorted(variables: &[VariableId]) -> Few<VariableId> {
    let mut sorted = variables.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    Few::from(sorted)
}

/// Variables that may name the same object or share memory, in groups.
#[derive(Debug, Default)]
pub struct AliasGroups {
    /// By variable; those behind the last one are in none.
    group_of: Vec<Option<u32>>,
    groups: Vec<Vec<VariableId>>,
}

impl AliasGroups {
    /// The groups that pairs of variables join.
    pub fn new(pairs: &[(VariableId, VariableId)]) -> AliasGroups {
        let count = pairs.iter().map(|(left, right)| left.max(right).index() + 1).max().unwrap_or(0);
        let mut parents: Vec<VariableId> = (0..count as u32).map(VariableId).collect();
        fn root(parents: &mut [VariableId], variable: VariableId) -> VariableId {
            let mut at = variable;
            while parents[at.index()] != at {
                let above = parents[parents[at.index()].index()];
                parents[at.index()] = above;
                at = above;
            }
            at
        }
        let mut is_named = vec![false; count];
        for (left, right) in pairs {
            is_named[left.index()] = true;
            is_named[right.index()] = true;
            let (left, right) = (root(&mut parents, *left), root(&mut parents, *right));
            parents[left.max(right).index()] = left.min(right);
        }
        let mut groups = AliasGroups { group_of: vec![None; count], groups: Vec::new() };
        let named = is_named.iter().enumerate().filter(|(_, is_named)| **is_named);
        for variable in named.map(|(index, _)| VariableId(index as u32)) {
            // The root is the first of its group.
            let top = root(&mut parents, variable);
            let group = *groups.group_of[top.index()].get_or_insert_with(|| {
                groups.groups.push(Vec::new());
                groups.groups.len() as u32 - 1
            });
            groups.group_of[variable.index()] = Some(group);
            groups.groups[group as usize].push(variable);
        }
        groups
    }

    /// The variable and all that may be the same object.
    pub fn members<'a>(&'a self, variable: &'a VariableId) -> &'a [VariableId] {
        let group = self.group_of.get(variable.index()).copied().flatten();
        group.map_or(std::slice::from_ref(variable), |group| &self.groups[group as usize])
    }
}
