//! Filters alarms in functions that their callers ask for first: `if not any(self.parts): return …` stands before each
//! call of a method that works on `self.parts`. Looked at by itself, with the defaults that nobody gives, the method
//! gets what no caller would pass on.

use crate::budget::costly_calls::EntryKind;
use crate::state::interpreter::Interpreter;
use harp_corpus::Span;
use harp_limits::light_tick;
use harp_python::ir::{Expr, ExprKind, Stmt, StmtKind};
use harp_python::name::Name;
use harp_python::{blocks_of, subexpressions};
use harp_trace::assumption::{AssumptionKind, NOBODY_CALLS};

impl Interpreter<'_> {
    /// Whether the running entry is a function of which nobody's call is followed, and all calls of it that are written stand under conditions that ask for
    /// an attribute which the expression at `place` reads.
    pub(crate) fn is_asked_for_by_callers(&self, place: Span) -> bool {
        if self.entry.kind != EntryKind::Symbolic || self.inference.is_some() || !self.rests_on_unused_defaults() {
            return false;
        }
        let Some(function) = self.frames.iter().find_map(|frame| frame.function.as_ref()) else { return false };
        let Some(module) = self.project.module(self.project.module_of_file(function.file)) else { return false };
        let read = attributes_in(self.source_text(place));
        if read.is_empty() || place.file != function.file {
            return false;
        }
        let mut calls = Calls { name: function.name, read: &read, guards: Vec::new(), all: 0, guarded: 0 };
        calls.block(&module.body);
        calls.all > 0 && calls.all == calls.guarded
    }

    fn rests_on_unused_defaults(&self) -> bool {
        let mut assumed = self.entry.assumptions.iter().filter_map(|id| self.trace.assumptions.get(id));
        assumed.any(|it| it.kind == AssumptionKind::DefaultValue && it.evidence == NOBODY_CALLS)
    }
}

/// The names behind dots of a text: `parts` of `x.chunk(sum(self.parts))`, and `chunk`, for which no condition asks.
fn attributes_in(text: &str) -> Vec<&str> {
    let is_of_word = |next: char| next.is_alphanumeric() || next == '_';
    let ends = |rest: &str| rest.find(|next: char| !is_of_word(next)).unwrap_or(rest.len());
    text.match_indices("self.").map(|(place, dot)| &text[place + dot.len()..]).map(|rest| &rest[..ends(rest)]).collect()
}

/// The calls of a function in a file.
struct Calls<'a> {
    name: Name,
    read: &'a [&'a str],
    /// For each condition around, whether it asks for what is read.
    guards: Vec<bool>,
    all: usize,
    guarded: usize,
}

impl Calls<'_> {
    fn block(&mut self, statements: &[Stmt]) {
        let before = self.guards.len();
        for statement in statements {
            light_tick();
            match &statement.kind {
                StmtKind::If { test, body, orelse } => {
                    self.expression(test);
                    let asks = self.asks(test);
                    self.guards.push(asks);
                    self.block(body);
                    self.block(orelse);
                    // What stands below is run where the test does not hold.
                    if !body.last().is_some_and(leaves) {
                        self.guards.pop();
                    }
                }
                StmtKind::Function(function) => self.apart(&function.body),
                StmtKind::Class(class) => self.apart(&class.body),
                StmtKind::Expr(value)
                | StmtKind::Assign { value, .. }
                | StmtKind::AugmentedAssign { value, .. }
                | StmtKind::AnnotatedAssign { value: Some(value), .. }
                | StmtKind::For { iterable: value, .. }
                | StmtKind::Return(Some(value)) => {
                    self.expression(value);
                    blocks_of(statement).into_iter().for_each(|block| self.block(block));
                }
                _ => blocks_of(statement).into_iter().for_each(|block| self.block(block)),
            }
        }
        self.guards.truncate(before);
    }

    fn apart(&mut self, body: &[Stmt]) {
        let around = std::mem::take(&mut self.guards);
        self.block(body);
        self.guards = around;
    }

    fn expression(&mut self, expression: &Expr) {
        light_tick();
        if let ExprKind::Call(call) = &expression.kind
            && call.function.last_name() == Some(self.name)
        {
            self.all += 1;
            self.guarded += usize::from(self.guards.contains(&true));
        }
        if let ExprKind::Conditional { test, body, orelse } = &expression.kind {
            let asks = self.asks(test);
            self.guards.push(asks);
            self.expression(body);
            self.expression(orelse);
            self.guards.pop();
            return self.expression(test);
        }
        subexpressions(expression).into_iter().for_each(|part| self.expression(part));
    }

    fn asks(&self, test: &Expr) -> bool {
        light_tick();
        let is_read =
            matches!(&test.kind, ExprKind::Attribute { attribute, .. } if self.read.contains(&attribute.as_str()));
        is_read || subexpressions(test).into_iter().any(|part| self.asks(part))
    }
}

fn leaves(statement: &Stmt) -> bool {
    matches!(statement.kind, StmtKind::Return(_) | StmtKind::Raise { .. } | StmtKind::Continue | StmtKind::Break)
}
