//! Rows on chains of calls: which function calls which, and what calling a function does in the end.

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::Program;
use crate::callee;
use crate::host::{Arm, ExpressionId, FunctionId, Host, StatementId};
use crate::host_rows::Emitter;
use crate::schema::Relation;

/// So many calls are listed for each function and effect.
const MOST_CALLS: usize = 4;

/// Longer chains are not followed.
const LONGEST: usize = 24;

/// The effects that chains are followed for; the others are those of almost every call.
pub const FOLLOWED: [&str; 9] =
    ["builds-graph", "files", "global", "io", "logging", "rng", "runs-graph", "syncs-device", "transfers-device"];

/// An effect that a function has, and how.
#[derive(Clone, Copy, Debug)]
struct Reached {
    function: FunctionId,
    effect: &'static str,
    /// The call of the API,
    call: ExpressionId,
    /// and the API's name.
    api: &'static str,
    is_always: bool,
    /// Which of the list the function has it from; `None` where it makes the call itself.
    from: Option<u32>,
    /// How many functions the chain has.
    length: usize,
}

/// The effects of all functions, the shortest chains first.
#[derive(Debug)]
pub struct ReachedEffects {
    list: Vec<Reached>,
    of_functions: FxHashMap<FunctionId, Vec<u32>>,
}

impl ReachedEffects {
    /// From the calls with an effect back to the callers.
    pub fn of(program: Program<'_>, host: &Host) -> ReachedEffects {
        let list = reached_effects(program, host);
        let mut of_functions: FxHashMap<FunctionId, Vec<u32>> = FxHashMap::default();
        for (index, reached) in (0u32..).zip(&list) {
            of_functions.entry(reached.function).or_default().push(index);
        }
        ReachedEffects { list, of_functions }
    }

    /// The functions from one to the call of the API.
    fn chain(&self, host: &Host, reached: &Reached) -> String {
        let mut chain = String::new();
        let mut next = Some(*reached);
        while let Some(reached) = next {
            chain.push_str(short_name(&host.function(reached.function).name));
            chain.push_str(" → ");
            next = reached.from.and_then(|from| self.list.get(from as usize).copied());
        }
        chain + reached.api
    }
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
            let effects = ReachedEffects::of(self.program, host);
            effects.list.iter().for_each(|reached| self.reaches_effect(reached, &effects));
        }
    }

    /// The rows of a function's effects.
    pub fn effects_of(&mut self, function: FunctionId, effects: &ReachedEffects) {
        let indices = effects.of_functions.get(&function).into_iter().flatten();
        indices.for_each(|index| self.reaches_effect(&effects.list[*index as usize], effects));
    }

    fn reaches_effect(&mut self, reached: &Reached, effects: &ReachedEffects) {
        let (function, effect) = (self.function(reached.function), self.facts.symbol(reached.effect));
        let when = self.facts.symbol(if reached.is_always { "always" } else { "sometimes" });
        let chain = self.facts.symbol(&effects.chain(self.host, reached));
        let call = self.expression(reached.call);
        let row = [function.into(), effect.into(), when.into(), call.into(), chain.into()];
        self.facts.add(Relation::ReachesEffect, row);
    }
}

fn reached_effects(program: Program<'_>, host: &Host) -> Vec<Reached> {
    let mut callers: FxHashMap<FunctionId, Vec<(FunctionId, StatementId)>> = FxHashMap::default();
    for (caller, callee, statement, _) in calls_of_functions(host) {
        callers.entry(callee).or_default().push((caller, statement));
    }
    let mut waiting = direct_effects(program, host);
    let mut counts: FxHashMap<(FunctionId, &'static str), usize> = FxHashMap::default();
    let mut seen: FxHashSet<(FunctionId, &'static str, ExpressionId, bool)> = FxHashSet::default();
    let mut found: Vec<Reached> = Vec::new();
    while let Some(reached) = waiting.pop_front() {
        let Reached { function, effect, call, is_always, .. } = reached;
        let count = counts.entry((function, effect)).or_default();
        // Knowing that it always happens, nobody asks whether it sometimes does.
        let is_known = !is_always && seen.contains(&(function, effect, call, true));
        if *count >= MOST_CALLS || is_known || !seen.insert((function, effect, call, is_always)) {
            continue;
        }
        *count += 1;
        let from = Some(found.len() as u32);
        found.push(reached);
        let nearer = callers.get(&function).into_iter().flatten().filter(|_| reached.length < LONGEST);
        for (caller, statement) in nearer {
            if counts.get(&(*caller, effect)).is_some_and(|count| *count >= MOST_CALLS) {
                continue;
            }
            waiting.push_back(Reached {
                function: *caller,
                is_always: is_always && !is_conditional(host, *statement),
                from,
                length: reached.length + 1,
                ..reached
            });
        }
    }
    found
}

fn direct_effects(program: Program<'_>, host: &Host) -> VecDeque<Reached> {
    let mut found = VecDeque::new();
    for call in &host.calls {
        let site = program.trace.sites.get(&host.span_of(call.expression));
        let function = host.statement(call.statement).function;
        for called in callee::called(program, site, call.builtin) {
            let Some(spec) = called.known.spec else { continue };
            let words = callee::effect_words(called.known.name, spec);
            for effect in FOLLOWED.into_iter().filter(|effect| words.iter().any(|word| word == effect)) {
                found.push_back(Reached {
                    function,
                    effect,
                    call: call.expression,
                    api: called.shown_name(),
                    is_always: !is_conditional(host, call.statement),
                    from: None,
                    length: 1,
                });
            }
        }
    }
    found
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
