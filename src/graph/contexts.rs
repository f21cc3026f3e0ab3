//! Rows on the contexts that code runs in: `with` statements and decorators, also through calls.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use crate::callee;
use crate::expression_rows::one_line;
use crate::host::{CallNode, ExpressionId, ExpressionKind, FunctionId, Host, Slot, StatementId};
use crate::host_rows::Emitter;
use crate::schema::Relation;

/// So many contexts of its callers a function has at most.
const MOST_CONTEXTS: usize = 16;

type Calls<'h> = FxHashMap<ExpressionId, &'h CallNode>;

/// A context with the expression that makes it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Context {
    pub expression: ExpressionId,
    pub name: String,
    /// It switches off: `enabled=False`.
    is_off: bool,
}

impl Context {
    fn kind(&self) -> &str {
        self.name.rsplit('.').next().unwrap_or(&self.name)
    }

    /// Whether, entered within `outer`, it ends what that one does.
    fn ends(&self, outer: &Context) -> bool {
        (self.is_off && self.kind() == outer.kind()) || (self.kind() == "enable_grad" && outer.kind() == "no_grad")
    }

    /// Whether no gradients are recorded in it.
    pub fn is_without_gradients(&self) -> bool {
        matches!(self.kind(), "no_grad" | "inference_mode") && !self.is_off
    }
}

/// The contexts of all code.
#[derive(Debug, Default)]
pub struct Contexts {
    /// What `with` statements enter.
    entered: FxHashMap<StatementId, Vec<Context>>,
    /// What decorators enter.
    decorated: FxHashMap<FunctionId, Vec<Context>>,
    /// What the callers of a function are in.
    around: FxHashMap<FunctionId, BTreeSet<Context>>,
}

impl Contexts {
    /// The contexts that a statement runs in, the innermost first.
    pub fn of(&self, host: &Host, statement: StatementId) -> Vec<Context> {
        let mut found: Vec<Context> = Vec::new();
        let mut above = host.statement(statement).parent;
        let mut all: Vec<&Context> = Vec::new();
        while let Some((parent, _)) = above {
            all.extend(self.entered.get(&parent).into_iter().flatten().rev());
            above = host.statement(parent).parent;
        }
        let function = host.statement(statement).function;
        all.extend(self.decorated.get(&function).into_iter().flatten().rev());
        all.extend(self.around.get(&function).into_iter().flatten());
        for (index, context) in all.iter().enumerate() {
            let is_ended = all[..index].iter().any(|inner| inner.ends(context));
            if !context.is_off && !is_ended && !found.contains(context) {
                found.push((*context).clone());
            }
        }
        found
    }

    fn is_empty(&self) -> bool {
        self.entered.is_empty() && self.decorated.is_empty()
    }
}

impl Emitter<'_> {
    /// Contexts with what runs in them.
    pub fn contexts(&mut self) -> Contexts {
        let wanted = [Relation::Enters, Relation::InContext, Relation::Decorator, Relation::Phase];
        let mut contexts = Contexts::default();
        if !self.facts.wants_any(&wanted) {
            return contexts;
        }
        let host = self.host;
        let calls: Calls<'_> = host.calls.iter().map(|call| (call.expression, call)).collect();
        self.with_statements(&mut contexts, &calls);
        self.decorators(&mut contexts, &calls);
        if !contexts.is_empty() && self.facts.wants_any(&[Relation::InContext, Relation::Phase]) {
            follow_calls(self.host, &mut contexts);
        }
        if self.facts.wants(Relation::InContext) {
            self.in_context(&contexts);
        }
        contexts
    }

    fn with_statements(&mut self, contexts: &mut Contexts, calls: &Calls<'_>) {
        let host = self.host;
        for (index, node) in host.statements.iter().enumerate() {
            if node.kind != "with" {
                continue;
            }
            let id = StatementId(index as u32);
            for expression in host.roots_of(StatementId(index as u32)).iter().copied() {
                let context = self.context_of(expression, calls);
                let (statement, name) = (self.statement(id), self.facts.symbol(&context.name));
                let made_by = self.expression(expression);
                self.facts.add(Relation::Enters, [statement.into(), made_by.into(), name.into()]);
                contexts.entered.entry(id).or_default().push(context);
            }
        }
    }

    fn decorators(&mut self, contexts: &mut Contexts, calls: &Calls<'_>) {
        let host = self.host;
        for (index, node) in host.functions.iter().enumerate() {
            let id = FunctionId(index as u32);
            for expression in &node.decorators {
                let context = self.context_of(*expression, calls);
                let (function, name) = (self.function(id), self.facts.symbol(&context.name));
                let made_by = self.expression(*expression);
                self.facts.add(Relation::Decorator, [function.into(), made_by.into(), name.into()]);
                self.roles_of_context(&context.name);
                if is_context_decorator(context.kind()) {
                    self.facts.add(Relation::Enters, [function.into(), made_by.into(), name.into()]);
                    contexts.decorated.entry(id).or_default().push(context);
                }
            }
        }
    }

    fn in_context(&mut self, contexts: &Contexts) {
        let host = self.host;
        for index in 0..host.statements.len() {
            let id = StatementId(index as u32);
            for context in contexts.of(host, id) {
                let (statement, name) = (self.statement(id), self.facts.symbol(&context.name));
                let expression = self.expression(context.expression);
                self.facts.add(Relation::InContext, [statement.into(), name.into(), expression.into()]);
            }
        }
    }

    fn context_of(&self, expression: ExpressionId, calls: &Calls<'_>) -> Context {
        let name = self.name_of_context(expression);
        Context { expression, is_off: self.is_switched_off(expression, &name, calls), name }
    }

    /// What an expression in the place of a context or decorator makes: the API's name where that is known, else its text.
    pub fn name_of_context(&self, expression: ExpressionId) -> String {
        let span = self.host.span_of(expression);
        let site = self.program.trace.sites.get(&span);
        let known = site.and_then(|site| site.library.first().or(site.apis.first()));
        match known {
            Some(name) => callee::shown_name(*name).to_owned(),
            None => {
                let text = self.source(span);
                one_line(text.split('(').next().unwrap_or(text))
            }
        }
    }

    /// Whether an argument says that the context does nothing.
    fn is_switched_off(&self, expression: ExpressionId, name: &str, calls: &Calls<'_>) -> bool {
        let arguments = calls.get(&expression).into_iter().flat_map(|call| &call.arguments);
        let mut decisive = arguments.filter(|(slot, ..)| match slot {
            Slot::Keyword(keyword) => keyword.as_str() == "enabled" || keyword.as_str() == "mode",
            Slot::Position(0) => name.ends_with("inference_mode") || name.ends_with("cuda.amp.autocast"),
            _ => false,
        });
        decisive.any(|(_, argument, _)| {
            let node = self.host.expression(*argument);
            node.kind() == ExpressionKind::Constant && self.source(self.host.span(node)) == "False"
        })
    }
}

/// Context managers that also decorate functions; other decorators are not taken for one.
fn is_context_decorator(kind: &str) -> bool {
    matches!(kind, "no_grad" | "enable_grad" | "inference_mode" | "set_grad_enabled" | "autocast")
}

/// Gives functions the contexts of their callers, until there is nothing new.
fn follow_calls(host: &Host, contexts: &mut Contexts) {
    let mut calls: FxHashMap<FunctionId, Vec<(StatementId, FunctionId)>> = FxHashMap::default();
    for call in &host.calls {
        for callee in call.callees.iter().filter_map(|span| host.function_of_span.get(span)) {
            calls.entry(host.statement(call.statement).function).or_default().push((call.statement, *callee));
        }
    }
    let mut waiting: BTreeSet<FunctionId> = calls.keys().copied().collect();
    while let Some(function) = waiting.pop_first() {
        for (statement, callee) in calls.get(&function).into_iter().flatten() {
            for context in contexts.of(host, *statement) {
                let around = contexts.around.entry(*callee).or_default();
                if around.len() < MOST_CONTEXTS && around.insert(context) {
                    waiting.insert(*callee);
                }
            }
        }
    }
}
