//! Rows on hot paths: what runs in loops that run often, also through calls.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use crate::host::{FunctionId, Host, StatementId};
use crate::host_rows::Emitter;
use crate::schema::Relation;

/// So many loops are named for what a function's code runs in.
const MOST_LOOPS: usize = 4;

impl Emitter<'_> {
    /// Statements with the loops that make them hot. `often` has the assumptions under which loops run often.
    pub fn hot(&mut self, often: &FxHashMap<StatementId, Vec<u32>>) {
        if !self.facts.wants(Relation::Hot) {
            return;
        }
        let host = self.host;
        let around = loops_around_functions(host, often);
        for index in 0..host.statements.len() {
            let id = StatementId(index as u32);
            let own = host.loops_of(id).filter(|around| often.contains_key(around));
            let through_calls = around.get(&host.statement(id).function).into_iter().flatten().copied();
            let loops: Vec<StatementId> = own.chain(through_calls).collect();
            for around in loops {
                let (statement, symbol) = (self.statement(id), self.statement(around));
                self.facts.add_assuming(Relation::Hot, [statement.into(), symbol.into()], &often[&around]);
            }
        }
    }
}

/// For each function, the loops in whose iterations it is called; those that are reached by the fewest calls first.
fn loops_around_functions(
    host: &Host,
    often: &FxHashMap<StatementId, Vec<u32>>,
) -> FxHashMap<FunctionId, Vec<StatementId>> {
    let mut callees: FxHashMap<FunctionId, Vec<FunctionId>> = FxHashMap::default();
    let mut waiting: VecDeque<(FunctionId, StatementId)> = VecDeque::new();
    for call in &host.calls {
        for callee in call.callees.iter().filter_map(|span| host.function_of_span.get(span)) {
            callees.entry(host.statement(call.statement).function).or_default().push(*callee);
            let around = host.loops_of(call.statement).filter(|around| often.contains_key(around));
            waiting.extend(around.map(|around| (*callee, around)));
        }
    }
    let mut found: FxHashMap<FunctionId, Vec<StatementId>> = FxHashMap::default();
    while let Some((function, around)) = waiting.pop_front() {
        let loops = found.entry(function).or_default();
        // A loop of the function itself is one around it by recursion alone.
        if loops.len() >= MOST_LOOPS || loops.contains(&around) || host.statement(around).function == function {
            continue;
        }
        loops.push(around);
        waiting.extend(callees.get(&function).into_iter().flatten().map(|callee| (*callee, around)));
    }
    found
}
