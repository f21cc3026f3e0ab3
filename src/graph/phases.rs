//! Rows on phases: which code belongs to training, and which to evaluation.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::callee;
use crate::contexts::{Context, Contexts};
use crate::host::{CallNode, FunctionId, Host, StatementId};
use crate::host_rows::Emitter;
use crate::schema::Relation;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Phase {
    Train,
    Evaluate,
}

impl Phase {
    fn word(self) -> &'static str {
        match self {
            Phase::Train => "train",
            Phase::Evaluate => "eval",
        }
    }
}

/// The code around a backward pass or an update: the innermost loop, or a function that does one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Step {
    Loop(StatementId),
    Function(FunctionId),
}

/// What is known before calls are followed.
#[derive(Default)]
struct Marks {
    steps: FxHashSet<Step>,
    /// `model.train()` and `model.eval()`.
    modes: FxHashMap<StatementId, Phase>,
    /// What a statement's own function tells.
    own: FxHashMap<StatementId, Phase>,
    /// What the callers of a function tell.
    of_callers: FxHashMap<FunctionId, BTreeSet<Phase>>,
}

impl Emitter<'_> {
    pub fn phases(&mut self, contexts: &Contexts) {
        if !self.facts.wants(Relation::Phase) {
            return;
        }
        let host = self.host;
        let mut marks = Marks::default();
        self.mark_calls(&mut marks);
        follow_steps(host, &mut marks.steps);
        for index in 0..host.functions.len() {
            let id = FunctionId(index as u32);
            let state = match host.function(id).name.rsplit('.').next() {
                Some("training_step") => Some(Phase::Train),
                Some("validation_step" | "test_step" | "predict_step") => Some(Phase::Evaluate),
                _ => marks.steps.contains(&Step::Function(id)).then_some(Phase::Train),
            };
            marks.walk(host, &host.function(id).body, state);
        }
        marks.follow_calls(host, contexts);
        for index in 0..host.statements.len() {
            let id = StatementId(index as u32);
            for phase in marks.of(host, contexts, id) {
                let (statement, phase) = (self.statement(id), self.facts.symbol(phase.word()));
                self.facts.add(Relation::Phase, [statement.into(), phase.into()]);
            }
        }
    }

    fn mark_calls(&self, marks: &mut Marks) {
        let host = self.host;
        for call in &host.calls {
            let site = self.program.trace.sites.get(&host.span_of(call.expression));
            let called = callee::called(self.program, site, call.builtin);
            let mut names: Vec<&str> = called.iter().map(|called| called.shown_name()).collect();
            names.extend(call.unresolved.map(|span| self.source(span)));
            let node = host.statement(call.statement);
            if names.iter().any(|name| updates(name)) {
                match node.inside {
                    Some(around) => marks.steps.insert(Step::Loop(around)),
                    // A script's own statements are no step.
                    None => !host.is_module(node.function) && marks.steps.insert(Step::Function(node.function)),
                };
            }
            if call.callees.is_empty()
                && let Some(phase) = names.iter().find_map(|name| self.mode(call, name))
            {
                marks.modes.insert(call.statement, phase);
            }
        }
    }

    /// `model.train()`, `model.eval()`, `model.train(False)`.
    fn mode(&self, call: &CallNode, name: &str) -> Option<Phase> {
        let texts = call.arguments.iter().skip(1).map(|(_, argument, _)| self.source(self.host.span_of(*argument)));
        let texts: Vec<&str> = texts.collect();
        let (_, method) = name.rsplit_once('.')?;
        match (method, &texts[..]) {
            ("train", [] | ["True"]) => Some(Phase::Train),
            ("eval", []) | ("train", ["False"]) => Some(Phase::Evaluate),
            _ => None,
        }
    }
}

/// Whether the call computes gradients or updates parameters. A scheduler of learning rates does neither.
fn updates(name: &str) -> bool {
    let Some((of, last)) = name.rsplit_once('.') else { return false };
    match last {
        "backward" | "manual_backward" | "minimize" | "apply_gradients" => true,
        "step" => of.contains("optim") && !of.contains("sched"),
        _ => false,
    }
}

/// Calling a function that does one step is one.
fn follow_steps(host: &Host, steps: &mut FxHashSet<Step>) {
    loop {
        let mut new = Vec::new();
        for call in &host.calls {
            let mut callees = call.callees.iter().filter_map(|span| host.function_of_span.get(span));
            if callees.any(|callee| steps.contains(&Step::Function(*callee))) {
                let node = host.statement(call.statement);
                new.extend(match node.inside {
                    Some(around) => Some(Step::Loop(around)),
                    None => (!host.is_module(node.function)).then_some(Step::Function(node.function)),
                });
            }
        }
        let before = steps.len();
        steps.extend(new);
        if steps.len() == before {
            return;
        }
    }
}

impl Marks {
    /// Goes through a block in its order; the last mode that was set holds for what follows in it.
    fn walk(&mut self, host: &Host, block: &[StatementId], mut state: Option<Phase>) {
        for id in block {
            let node = host.statement(*id);
            if let Some(phase) = self.modes.get(id) {
                state = Some(*phase);
            }
            if let Some(phase) = state {
                self.own.insert(*id, phase);
            }
            if matches!(node.kind, "def" | "class") {
                continue;
            }
            let inner = if self.steps.contains(&Step::Loop(*id)) { Some(Phase::Train) } else { state };
            for (_, inner_block) in &node.blocks {
                self.walk(host, inner_block, inner);
            }
        }
    }

    fn of(&self, host: &Host, contexts: &Contexts, id: StatementId) -> Vec<Phase> {
        if let Some(phase) = self.own.get(&id) {
            return vec![*phase];
        }
        match self.of_callers.get(&host.statement(id).function) {
            Some(phases) => phases.iter().copied().collect(),
            // Parameters are also updated without gradients, so that tells less than anything else.
            None if contexts.of(host, id).iter().any(Context::is_without_gradients) => vec![Phase::Evaluate],
            None => Vec::new(),
        }
    }

    fn follow_calls(&mut self, host: &Host, contexts: &Contexts) {
        let mut calls: FxHashMap<FunctionId, Vec<(StatementId, FunctionId)>> = FxHashMap::default();
        for call in &host.calls {
            for callee in call.callees.iter().filter_map(|span| host.function_of_span.get(span)) {
                calls.entry(host.statement(call.statement).function).or_default().push((call.statement, *callee));
            }
        }
        let mut waiting: BTreeSet<FunctionId> = calls.keys().copied().collect();
        while let Some(function) = waiting.pop_first() {
            for (statement, callee) in calls.get(&function).into_iter().flatten() {
                for phase in self.of(host, contexts, *statement) {
                    if self.of_callers.entry(*callee).or_default().insert(phase) {
                        waiting.insert(*callee);
                    }
                }
            }
        }
    }
}
