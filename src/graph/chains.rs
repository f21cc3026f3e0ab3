//! Chains of calls: which function calls which, and what calling a function does in the end.

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::graph::apis;
use crate::graph::emit::Emitter;
use crate::graph::host::{Arm, ExpressionId, FunctionId, Host, StatementId};
use crate::graph::schema::Relation;

/// So many calls are listed for each function and effect.
const MOST_CALLS: usize = 4;

/// Longer chains are not followed.
const LONGEST: usize = 24;

/// The effects that chains are followed for; the others are those of almost every call.
const FOLLOWED: [&str; 9] =
    ["builds-graph", "files", "global", "io", "logging", "rng", "runs-graph", "syncs-device", "transfers-device"];

/// An effect that a function has, and how.
struct Reached {
    function: FunctionId,
    effect: &'static str,
    /// The call of the API.
    call: ExpressionId,
    is_always: bool,
    /// From the function to the API.
    chain: String,
    /// How many functions the chain has.
    length: usize,
}

impl Emitter<'_> {
    pub fn chains(&mut self) {
        let host = self.host;
        if self.facts.wants(Relation::CallsFunction) {
            for (caller, callee, _, expression) in calls_of_functions(host) {
                let (caller, callee) = (self.function(caller), self.function(callee));
                let expression = self.expression(expression);
                self.facts.add(Relation::CallsFunction, [caller.into(), callee.into(), expression.into()]);
            }
        }
        if self.facts.wants(Relation::ReachesEffect) {
            for reached in self.reached_effects() {
                let (function, effect) = (self.function(reached.function), self.facts.symbol(reached.effect));
                let when = self.facts.symbol(if reached.is_always { "always" } else { "sometimes" });
                let (call, chain) = (self.expression(reached.call), self.facts.symbol(&reached.chain));
                let row = [function.into(), effect.into(), when.into(), call.into(), chain.into()];
                self.facts.add(Relation::ReachesEffect, row);
            }
        }
    }

    /// From the calls with an effect back to the callers, the shortest chains first.
    fn reached_effects(&self) -> Vec<Reached> {
        let host = self.host;
        let mut callers: FxHashMap<FunctionId, Vec<(FunctionId, StatementId)>> = FxHashMap::default();
        for (caller, callee, statement, _) in calls_of_functions(host) {
            callers.entry(callee).or_default().push((caller, statement));
        }
        let mut waiting = self.direct_effects();
        let mut counts: FxHashMap<(FunctionId, &'static str), usize> = FxHashMap::default();
        let mut seen: FxHashSet<(FunctionId, &'static str, ExpressionId, bool)> = FxHashSet::default();
        let mut found = Vec::new();
        while let Some(reached) = waiting.pop_front() {
            let Reached { function, effect, call, is_always, .. } = reached;
            let count = counts.entry((function, effect)).or_default();
            // Knowing that it always happens, nobody asks whether it sometimes does.
            let is_known = !is_always && seen.contains(&(function, effect, call, true));
            if *count >= MOST_CALLS || is_known || !seen.insert((function, effect, call, is_always)) {
                continue;
            }
            *count += 1;
            let nearer = callers.get(&function).into_iter().flatten().filter(|_| reached.length < LONGEST);
            for (caller, statement) in nearer {
                if counts.get(&(*caller, effect)).is_some_and(|count| *count >= MOST_CALLS) {
                    continue;
                }
                waiting.push_back(Reached {
                    function: *caller,
                    chain: format!("{} → {}", short_name(&host.function(*caller).name), reached.chain),
                    is_always: is_always && !is_conditional(host, *statement),
                    length: reached.length + 1,
                    ..reached
                });
            }
            found.push(reached);
        }
        found
    }

    fn direct_effects(&self) -> VecDeque<Reached> {
        let host = self.host;
        let mut found = VecDeque::new();
        for call in &host.calls {
            let site = self.program.trace.sites.get(&host.span_of(call.expression));
            let function = host.statement(call.statement).function;
            for called in apis::called(self.program.library, site, call.builtin) {
                let Some(spec) = called.known.spec else { continue };
                let words = apis::effect_words(called.known.name, spec);
                for effect in FOLLOWED.into_iter().filter(|effect| words.iter().any(|word| word == effect)) {
                    found.push_back(Reached {
                        function,
                        effect,
                        call: call.expression,
                        is_always: !is_conditional(host, call.statement),
                        length: 1,
                        chain: format!("{} → {}", short_name(&host.function(function).name), called.shown_name()),
                    });
                }
            }
        }
        found
    }
}

/// Calls of functions of the program: caller, callee, statement and expression.
fn calls_of_functions(host: &Host) -> impl Iterator<Item = (FunctionId, FunctionId, StatementId, ExpressionId)> + '_ {
    host.calls.iter().flat_map(|call| {
        let callees = call.callees.iter().filter_map(|span| host.function_of_span.get(span));
        let caller = host.statement(call.statement).function;
        callees.map(move |callee| (caller, *callee, call.statement, call.expression))
    })
}

/// Whether a branch of its function decides if the statement runs.
fn is_conditional(host: &Host, statement: StatementId) -> bool {
    let mut above = host.statement(statement).parent;
    while let Some((parent, arm)) = above {
        let node = host.statement(parent);
        if matches!(node.kind, "if" | "match" | "while") || arm == Arm::Handler {
            return true;
        }
        above = node.parent;
    }
    false
}

/// A method with its class, another function by its own name.
pub fn short_name(name: &str) -> &str {
    let mut parts = name.rsplitn(3, '.');
    let (last, class) = (parts.next().unwrap_or(name), parts.next().unwrap_or(""));
    if class.starts_with(char::is_uppercase) { &name[name.len() - last.len() - class.len() - 1..] } else { last }
}

#[cfg(test)]
mod tests {
    use super::short_name;

    #[test]
    fn methods_are_named_with_their_class() {
        assert_eq!(short_name("train.Trainer.step"), "Trainer.step");
        assert_eq!(short_name("package.train.step"), "step");
        assert_eq!(short_name("step"), "step");
        assert_eq!(short_name("ä.Ö.ü"), "Ö.ü");
    }
}
