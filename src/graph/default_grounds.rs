//! Which rows rest on the defaults of a function that nobody calls: the analysis gives its parameters their defaults,
//! so that counts of iterations and sizes that are computed of one hold for that default alone.
//!
//! The grounds follow names: what a statement assigns rests on what it reads, within the function, and for attributes of `self` within the class. Order is
//! not looked at, so that a name which is given a second value keeps the grounds of both.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::Program;
use crate::host::{FunctionId, Host, StatementId, VariableId, VariableNode};
use harp_python::name::Name;
use harp_trace::assumption::{AssumptionKind, NOBODY_CALLS};

/// A name is followed through so many assignments.
const MOST_STEPS: usize = 8;

/// The assumptions about defaults, under the trace's numbers, by the name that rests on them.
#[derive(Debug, Default)]
pub struct DefaultGrounds {
    of: FxHashMap<Holder, Vec<u32>>,
}

/// A name of a function, or an attribute of `self` in a class.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Holder {
    Variable(VariableNode),
    Attribute(String, Name),
}

impl DefaultGrounds {
    pub fn new(program: Program<'_>, host: &Host) -> DefaultGrounds {
        let mut grounds = DefaultGrounds { of: seeds(program, host) };
        if grounds.of.is_empty() {
            return grounds;
        }
        let concerned: FxHashSet<u32> = grounds.scopes(host);
        let assigning: Vec<StatementId> = (0..host.statements.len() as u32)
            .map(StatementId)
            .filter(|id| {
                let node = host.statement(*id);
                concerned.contains(&node.function.0) && matches!(node.kind, "assign" | "update" | "for")
            })
            .collect();
        for _ in 0..MOST_STEPS {
            let mut changed = false;
            for id in &assigning {
                let rests_on = grounds.of_variables(host, host.uses_of(*id));
                for variable in host.statement(*id).definitions.iter().filter(|_| !rests_on.is_empty()) {
                    changed |= grounds.add(holder(host, *variable), &rests_on);
                }
            }
            if !changed {
                break;
            }
        }
        grounds
    }

    /// Whether nothing rests on a default.
    pub fn is_empty(&self) -> bool {
        self.of.is_empty()
    }

    /// What any of these variables rests on, in ascending order.
    pub fn of_variables(&self, host: &Host, variables: impl IntoIterator<Item = VariableId>) -> Vec<u32> {
        if self.of.is_empty() {
            return Vec::new();
        }
        let found = variables.into_iter().filter_map(|variable| self.of.get(&holder(host, variable)));
        let mut ids: Vec<u32> = found.flatten().copied().collect();
        ids.sort_unstable();
        ids.dedup();
        ids
    }

    fn add(&mut self, holder: Holder, ids: &[u32]) -> bool {
        let known = self.of.entry(holder).or_default();
        let before = known.len();
        known.extend(ids.iter().filter(|id| !known.contains(id)).copied().collect::<Vec<_>>());
        known.len() != before
    }

    /// The functions that have seeds, and the methods of their classes.
    fn scopes(&self, host: &Host) -> FxHashSet<u32> {
        let own = self.of.keys().filter_map(|holder| match holder {
            Holder::Variable(node) => Some(node.scope.0),
            Holder::Attribute(..) => None,
        });
        let own: FxHashSet<u32> = own.collect();
        let classes: FxHashSet<&str> =
            own.iter().filter_map(|id| class_of(&host.functions[*id as usize].name)).collect();
        let functions = host.functions.iter().enumerate();
        let related = functions.filter(|(index, function)| {
            own.contains(&(*index as u32)) || class_of(&function.name).is_some_and(|class| classes.contains(class))
        });
        related.map(|(index, _)| index as u32).collect()
    }
}

/// The parameters whose defaults an entry has, where they are numbers: others are sizes and counts of nothing.
fn seeds(program: Program<'_>, host: &Host) -> FxHashMap<Holder, Vec<u32>> {
    let mut found: FxHashMap<Holder, Vec<u32>> = FxHashMap::default();
    for (id, assumption) in program.trace.assumptions.iter() {
        let is_default = assumption.kind == AssumptionKind::DefaultValue && assumption.evidence == NOBODY_CALLS;
        let is_number = assumption.text.rsplit(' ').next().is_some_and(|value| value.parse::<i64>().is_ok());
        if !is_default || !is_number {
            continue;
        }
        let within = host.functions.iter().enumerate().filter(|(_, function)| {
            function.span.file == assumption.span.file
                && function.span.start <= assumption.span.start
                && assumption.span.end <= function.span.end
        });
        // The innermost one.
        let Some((index, _)) = within.min_by_key(|(_, function)| function.span.end - function.span.start) else {
            continue;
        };
        let scope = FunctionId(index as u32);
        let node = VariableNode { scope, root: Name::new(&assumption.subject), path: None };
        found.entry(Holder::Variable(node)).or_default().push(id.0);
    }
    found
}

fn holder(host: &Host, variable: VariableId) -> Holder {
    let node = host.variable(variable);
    match (node.path, class_of(&host.functions[node.scope.0 as usize].name)) {
        (Some(path), Some(class)) if node.root.as_str() == "self" => Holder::Attribute(class.to_owned(), path),
        _ => Holder::Variable(node),
    }
}

/// The class of a method, by its name with the module in front.
fn class_of(name: &str) -> Option<&str> {
    name.rsplit_once('.').map(|(class, _)| class)
}
