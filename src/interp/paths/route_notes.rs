//! Notes the branches, calls and iterations on the path to where the execution is, for those who ask for it (see
//! [`harp_trace::route`]).

use std::rc::Rc;

use crate::state::interpreter::Interpreter;
use crate::values::value::{Literal, Value};
use harp_corpus::Span;
use harp_python::ir::{Expr, ExprKind};
use harp_python::name::Name;
use harp_shape::Constraint;
use harp_trace::assumption::AssumptionKind;
use harp_trace::route::{Route, Step, StepKind, Why};

/// The object that holds what a command line was read into.
const NAMESPACE: &str = "argparse.Namespace";
/// Expressions in a condition are looked into to this depth for the settings that they read.
const DEEPEST: usize = 8;

impl Interpreter<'_> {
    /// Whether somebody asks for the way.
    pub(crate) fn notes_route(&self) -> bool {
        self.options.routes
    }

    pub(crate) fn note_step(&mut self, kind: StepKind, span: Span, text: impl FnOnce(&Self) -> String) {
        if self.notes_route() {
            let text = Rc::from(text(self));
            self.route.push(Step { kind, span, text });
        }
    }

    /// Notes that a condition goes one way alone.
    pub(crate) fn note_decided(&mut self, holds: bool, span: Span, test: Option<&Expr>) {
        if !self.notes_route() {
            return;
        }
        let why = match std::mem::take(&mut self.why) {
            Some(why) => why,
            None => Why::Constant,
        };
        let defaults = match (&why, test) {
            (Why::Constant, Some(test)) => self.defaults_in(test),
            _ => None,
        };
        let why = defaults.map_or(why, Why::Default);
        self.note_step(StepKind::Decided { holds, why }, span, |_| String::new());
    }

    /// Remembers why the condition that is looked at is known.
    pub(crate) fn known_because(&mut self, why: impl FnOnce(&Self) -> Why) {
        if self.notes_route() {
            self.why = Some(why(self));
        }
    }

    /// The condition over sizes as what is known decides it.
    pub(crate) fn because_of_sizes(&mut self, constraint: &Constraint) {
        self.known_because(|_| Why::Sizes(Rc::from(constraint.to_string())));
    }

    /// The defaults of configured values in a condition decide it.
    pub(crate) fn because_of_defaults(&mut self, constraint: &Constraint) {
        self.known_because(|this| {
            let variables = constraint.variables();
            let ids = variables.iter().filter_map(|variable| this.tables.variable_assumptions.get(variable));
            let texts = ids.filter_map(|id| this.trace.assumptions.get(*id)).map(|assumption| assumption.text.clone());
            Why::Default(Rc::from(texts.collect::<Vec<_>>().join(" and ")))
        });
    }

    /// Notes that one of several values is taken.
    pub(crate) fn note_alternative(&mut self, literals: &[Literal]) {
        if !self.notes_route() {
            return;
        }
        for literal in literals {
            let text = self.condition(literal);
            let place = self.decisions.get(literal.decision.0 as usize).and_then(|decision| decision.asked_at);
            if let (Some(span), false) = (place, text.is_empty()) {
                self.note_step(StepKind::Alternative, span, |_| text);
            }
        }
    }

    /// Begins an iteration of the innermost loop: what earlier ones did is not on its way.
    pub(crate) fn note_iteration(&mut self, which: impl FnOnce(&Self) -> String) {
        if let (true, Some(&span)) = (self.notes_route(), self.loops.stack.last()) {
            self.route = self.loops.route.clone();
            self.note_step(StepKind::Iteration, span, which);
        }
    }

    /// Notes that ways met which parted at the first step that they took after `base`.
    pub(crate) fn note_merged(&mut self, base: &Route, way: &Route, ways: usize) {
        if let Some(span) = way.apart_from(base).first().map(|step| step.span) {
            self.note_step(StepKind::Merged { ways }, span, |_| String::new());
        }
    }

    /// Which settings with defaults a condition reads, where those are parameters of an entry or options of a command line.
    fn defaults_in(&self, test: &Expr) -> Option<Rc<str>> {
        let mut texts = Vec::new();
        self.collect_defaults(test, &mut texts, 0);
        (!texts.is_empty()).then(|| Rc::from(texts.join(" and ")))
    }

    fn collect_defaults(&self, expression: &Expr, texts: &mut Vec<String>, depth: usize) {
        if depth > DEEPEST {
            return;
        }
        let found = match &expression.kind {
            ExprKind::Name(name) => self.default_of_parameter(*name),
            ExprKind::Attribute { value, attribute, .. } => match &value.kind {
                ExprKind::Name(owner) => self.default_of_option(*owner, *attribute),
                _ => None,
            },
            _ => None,
        };
        texts.extend(found.filter(|text| !texts.contains(text)));
        let parts: Vec<&Expr> = match &expression.kind {
            ExprKind::Unary { operand, .. } => vec![operand],
            ExprKind::Binary { left, right, .. } => vec![left, right],
            ExprKind::Boolean { values, .. } => values.iter().collect(),
            ExprKind::Compare { left, rest } => {
                std::iter::once(&**left).chain(rest.iter().map(|(_, right)| right)).collect()
            }
            _ => Vec::new(),
        };
        parts.into_iter().for_each(|part| self.collect_defaults(part, texts, depth + 1));
    }

    /// A parameter of the function that runs, which the analysis itself calls with its default.
    fn default_of_parameter(&self, name: Name) -> Option<String> {
        let function = self.frames.last()?.function.as_ref()?;
        let parameter = function.parameters.iter().find(|parameter| parameter.name == name)?;
        let place = parameter.range.in_file(function.file);
        let (_, id) = self.entry.defaults.kept.iter().find(|(kept, _)| *kept == place)?;
        Some(self.trace.assumptions.get(*id)?.text.clone())
    }

    /// An option of the command line that is read as an attribute.
    fn default_of_option(&self, owner: Name, name: Name) -> Option<String> {
        let Value::Instance(id) = self.lookup(owner)? else { return None };
        let is_namespace =
            matches!(&self.heap.instance(id)?.class, Value::Library(class) if class.as_str() == NAMESPACE);
        let is_meant = |subject: &str| subject.trim_start_matches('-').replace('-', "_") == name.as_str();
        let mut known = self.trace.assumptions.iter().map(|(_, assumption)| assumption);
        let assumption =
            known.find(|assumption| assumption.kind == AssumptionKind::DefaultValue && is_meant(&assumption.subject));
        assumption.filter(|_| is_namespace).map(|assumption| assumption.text.clone())
    }
}
