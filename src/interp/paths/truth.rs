//! Decides conditions of branches: truth values, and what an undecided one does.

use std::rc::Rc;

use crate::api::registry;
use crate::budget::costly_calls::EntryKind;
use crate::judge::issue_context::negated;
use crate::paths::branch::Arm;
use crate::paths::predicates::ASKED_OF;
use crate::state::interpreter::{Eval, Flow, Interpreter};
use crate::values::type_of_unknown::fits_answers;
use crate::values::value::{DecisionId, Guard, Literal, ObjectId, TRUTH, Value};
use harp_corpus::Span;
use harp_python::ir::Expr;
use harp_python::name::Name;
use harp_shape::{Constraint, Dim, VarKind, Verdict};
use harp_trace::complexity::{Complexity, Treatment};
use harp_trace::route::{StepKind, Why};

/// The attribute by which an unknown value knows the one whose truth is the opposite of its own.
const OPPOSITE: &str = "\u{1}opposite";

/// The attribute of a module's namespace by which it knows the value of a library of whose truth nothing is known.
const TRUTH_OF: &str = "\u{1}truth of ";

/// What is known of a condition.
#[derive(Clone, Debug)]
pub enum Truth {
    Known(bool),
    Constraint(Constraint),
    /// Nothing is known; the object, if any, whose truth it is, so that asking twice gives one decision.
    Opaque(Option<ObjectId>),
    /// The opposite of an object's truth, of which nothing is known.
    Negated(ObjectId),
}

/// A condition after the path was asked.
enum Decided {
    Known(bool),
    /// `flipped`: the condition is true where the decision is not taken.
    Both {
        decision: DecisionId,
        constraint: Option<Constraint>,
        flipped: bool,
    },
}

/// What the path says of a question.
pub(crate) enum Asked {
    Known(bool),
    /// It says nothing, and this decision says the one or the other.
    Decision(DecisionId),
}

/// Classes of Python's own library without a length, of which there are no annotations.
const ALWAYS_TRUE: [&str; 3] = ["functools.partial", "re.Match", "re.Pattern"];

impl Interpreter<'_> {
    /// Python's truth of a value (without alternatives).
    pub fn truth(&mut self, value: &Value) -> Truth {
        match value {
            Value::None => Truth::Known(false),
            Value::Bool(value) => Truth::Known(*value),
            Value::Int(dim) => match dim.as_const() {
                Some(value) => Truth::Known(value != 0),
                None => Truth::Constraint(Constraint::NotEqual(*dim, Dim::constant(0))),
            },
            Value::Float(Some(value)) => Truth::Known(*value != 0.0),
            Value::Str(Some(text)) => Truth::Known(!text.is_empty()),
            Value::Condition(condition) => Truth::Constraint(Constraint::clone(condition)),
            Value::Tuple(items) => Truth::Known(!items.is_empty()),
            Value::List(id) | Value::Set(id) => match self.heap.list(*id) {
                Some(data) if !data.items.is_empty() => Truth::Known(true),
                Some(data) if data.rest.is_none() => Truth::Known(false),
                _ => Truth::Opaque(Some(*id)),
            },
            Value::Dict(id) => match self.heap.dict(*id) {
                Some(data) if !data.entries.is_empty() => Truth::Known(true),
                Some(data) if data.rest.is_none() => Truth::Known(false),
                _ => Truth::Opaque(Some(*id)),
            },
            Value::Symbolic(id) => match self.heap.attribute(*id, Name::new(OPPOSITE)) {
                Some(Value::Symbolic(opposite)) => Truth::Negated(*opposite),
                _ => Truth::Opaque(Some(*id)),
            },
            Value::Instance(id) => self.truth_of_instance(*id),
            Value::Library(name) if !self.is_surely_true(*name) => self.truth_of_library_value(*name),
            Value::LibraryMethod(method) if !self.is_surely_true(method.api) => self.truth_of_library_value(method.api),
            Value::Tensor(_)
            | Value::Float(None)
            | Value::Ratio(_)
            | Value::Str(None)
            | Value::Bytes
            | Value::Complex
            | Value::Range(_)
            | Value::Iterator(_)
            | Value::Alternatives(_)
            | Value::Unknown(_) => Truth::Opaque(None),
            _ => Truth::Known(true),
        }
    }

    /// Whether a name of a library is known to be that of a function, a class or a module.
    fn is_surely_true(&self, name: Name) -> bool {
        let text = name.as_str();
        let Some((owner, member)) = text.rsplit_once('.') else { return true };
        let is_described =
            || self.library_class(name).is_some() || self.library.function(text).is_some() || self.library.module(text);
        let is_modelled =
            || registry::function(self.models, text).is_some() || registry::method(self.models, text).is_some();
        let is_inherited = || self.annotated_method(Name::new(owner), Name::new(member)).is_some();
        owner == "builtins" || is_described() || is_modelled() || is_inherited()
    }

    /// One decision for each name, however often it is asked.
    fn truth_of_library_value(&mut self, name: Name) -> Truth {
        let Some(namespace) = self.frames.last().map(|frame| frame.globals) else { return Truth::Opaque(None) };
        let place = Name::new(&format!("{TRUTH_OF}{name}"));
        if let Some(Value::Symbolic(known)) = self.heap.attribute(namespace, place) {
            return Truth::Opaque(Some(*known));
        }
        let asked = self.symbolic(name.as_str(), self.current_span(), false);
        let Value::Symbolic(id) = asked else { return Truth::Opaque(None) };
        self.heap.set_attribute(namespace, place, asked);
        Truth::Opaque(Some(id))
    }

    /// The name of the library's value for whose truth an object stands.
    fn name_of_library_value(&self, object: ObjectId) -> Option<Rc<str>> {
        let description = &self.heap.symbolic(object)?.description;
        let place = Name::new(&format!("{TRUTH_OF}{description}"));
        let known = self.heap.attribute(self.frames.last()?.globals, place)?;
        matches!(known, Value::Symbolic(id) if *id == object).then(|| Rc::clone(description))
    }

    fn truth_of_instance(&mut self, id: ObjectId) -> Truth {
        let instance = Value::Instance(id);
        let overrides = ["__bool__", "__len__"]
            .iter()
            .any(|name| matches!(self.class_attribute(&instance, Name::new(name)), Some(Value::Function(_))));
        if overrides && !self.is_module(&instance) {
            let span = self.current_span();
            for name in ["__bool__", "__len__"] {
                match self.ask(&instance, name, span) {
                    Ok(Some(Value::Instance(_))) | Err(_) => return Truth::Opaque(Some(id)),
                    Ok(Some(answer)) => {
                        return match self.truth(&answer) {
                            Truth::Known(answer) => Truth::Known(answer),
                            Truth::Constraint(constraint) => Truth::Constraint(constraint),
                            _ => Truth::Opaque(Some(id)),
                        };
                    }
                    Ok(None) => {}
                }
            }
        }
        if let Some(held) = self.plain_of(&instance).filter(|_| !overrides) {
            return self.truth(&held);
        }
        if !overrides && self.holds_parts(&instance) {
            return Truth::Known(!self.models.children(self, id).is_empty());
        }
        match self.heap.instance(id).map(|data| data.class.clone()) {
            Some(Value::Library(name)) if ALWAYS_TRUE.contains(&name.as_str()) => Truth::Known(true),
            Some(Value::Class(_)) if !overrides => Truth::Known(true),
            Some(Value::Library(name))
                if self.library_class(name).is_some_and(|spec| spec.is_module) || self.has_no_length(name) =>
            {
                Truth::Known(true)
            }
            _ => Truth::Opaque(Some(id)),
        }
    }

    fn decide(&mut self, truth: Truth, span: Span) -> Decided {
        let decided = self.decide_truth(truth, span);
        if let Decided::Both { .. } = decided {
            self.note_complexity(Complexity::DataDependentBranch, span, Treatment::Followed);
        }
        decided
    }

    fn decide_truth(&mut self, truth: Truth, span: Span) -> Decided {
        match truth {
            Truth::Known(value) => Decided::Known(value),
            Truth::Constraint(constraint) => self.decide_constraint(constraint, span),
            Truth::Opaque(object) => self.decide_opaque(object, self.source_text(span), span),
            // The decision is about the opposite of what is written.
            Truth::Negated(object) => match self.decide_opaque(Some(object), &opposite(self.source_text(span)), span) {
                Decided::Known(value) => Decided::Known(!value),
                Decided::Both { decision, constraint, flipped } => {
                    Decided::Both { decision, constraint, flipped: !flipped }
                }
            },
        }
    }

    fn decide_constraint(&mut self, constraint: Constraint, span: Span) -> Decided {
        if let Some(decided) = self.decide_by_default(&constraint, span) {
            return Decided::Known(decided);
        }
        match self.solver.judge(&constraint) {
            known @ (Verdict::Holds | Verdict::Violated) => {
                self.because_of_sizes(&constraint);
                Decided::Known(matches!(known, Verdict::Holds))
            }
            Verdict::Possible(_) | Verdict::Unknown => {
                let decision = self.new_decision(self.source_text(span), Some(constraint.clone()));
                self.asked_here(Some(span), None, span);
                Decided::Both { decision, constraint: Some(constraint), flipped: false }
            }
        }
    }

    /// A condition over configured values goes the way of the defaults, which holds from here on.
    fn decide_by_default(&mut self, constraint: &Constraint, span: Span) -> Option<bool> {
        let constraint = self.solver.resolve_constraint(constraint);
        let variables = constraint.variables();
        if variables.is_empty() || !variables.iter().all(|variable| variable.kind() == VarKind::Config) {
            return None;
        }
        let holds = constraint.evaluate(&mut |variable| variable.default_value())?;
        self.because_of_defaults(&constraint);
        if matches!(self.solver.judge(&constraint), Verdict::Holds) {
            return Some(true);
        }
        for variable in &variables {
            if let Some(id) = self.tables.variable_assumptions.get(variable) {
                self.entry.assumptions = self.entry.assumptions.with(*id);
            }
        }
        let fact = if holds { constraint } else { Constraint::Not(Box::new(constraint)) };
        let _ = span;
        self.solver.assume(&fact);
        self.settle_powers();
        Some(holds)
    }

    fn decide_opaque(&mut self, object: Option<ObjectId>, text: &str, span: Span) -> Decided {
        let known = object.and_then(|id| self.tables.object_decisions.get(&id).copied());
        let decision = known.unwrap_or_else(|| {
            let decision = self.new_decision(text, None);
            let question = object.and_then(|id| self.question_of(id));
            self.asked_here(None, question, span);
            if let Some(id) = object {
                self.tables.object_decisions.insert(id, decision);
            }
            decision
        });
        match self.path.way_of(decision) {
            Some(taken) => {
                self.known_because(|_| Why::Before);
                Decided::Known(taken)
            }
            None if object.is_some_and(|answer| self.was_found_otherwise(answer)) => Decided::Known(false),
            None => Decided::Both { decision, constraint: None, flipped: false },
        }
    }

    /// Whether an answer asks whether a value is something that it cannot be: what it is was found out after it was asked.
    fn was_found_otherwise(&self, answer: ObjectId) -> bool {
        let Some(Value::Symbolic(of)) = self.heap.attribute(answer, Name::new(ASKED_OF)) else { return false };
        let Some(found) = self.heap.symbolic(*of).and_then(|data| data.refined.as_ref()) else { return false };
        let question = self.question_of(answer);
        question.is_some_and(|(_, question)| !fits_answers(self.library, found, &[(&question, true)]))
    }

    /// What is known of the truth of an alternative where it is the value.
    fn decide_under(&mut self, arm: &Arm, value: &Value, span: Span) -> Decided {
        let truth = self.truth(value);
        if arm.literals.is_empty() && arm.constraint.is_none() {
            return self.decide(truth, span);
        }
        let (mark, length) = (self.solver.mark(), self.path.len());
        self.path.extend(arm.literals.iter().copied(), &self.decisions);
        if let Some(constraint) = &arm.constraint {
            self.solver.assume(constraint);
        }
        let decided = self.decide(truth, span);
        self.path.truncate(length);
        self.solver.rollback(mark);
        decided
    }

    /// The arms that a condition leaves open, each with its truth.
    pub fn arms_for(&mut self, test: &Value, span: Span) -> Vec<(Arm, bool)> {
        self.why = None;
        let mut arms = Vec::new();
        let values = self.arms_of(test);
        // `try: from package import name` / `except ImportError: name = None`: the program asks whether the import succeeded.
        let asks_for_import =
            values.iter().any(|(_, value)| matches!(self.read(value), Value::None | Value::Bool(false)));
        for (arm, value) in values {
            let decided = match self.read(&value) {
                Value::Library(_) if asks_for_import => Decided::Known(true),
                _ => self.decide_under(&arm, &value, span),
            };
            match decided {
                Decided::Known(value) => arms.push((arm, value)),
                Decided::Both { decision, constraint, flipped } => {
                    for taken in [true, false] {
                        let mut literals = arm.literals.clone();
                        literals.push(Literal { decision, taken });
                        let decided = constraint
                            .clone()
                            .map(|constraint| if taken { constraint } else { Constraint::Not(Box::new(constraint)) });
                        // Where the alternative is the value, what its guard says of sizes holds as well.
                        let constraint = match (arm.constraint.clone(), decided) {
                            (Some(guard), Some(decided)) => Some(Constraint::And(vec![guard, decided])),
                            (guard, decided) => guard.or(decided),
                        };
                        arms.push((Arm { literals, constraint }, taken != flipped));
                    }
                }
            }
        }
        if arms.iter().all(|(_, truth)| *truth == arms[0].1) {
            self.note_asking(span);
        }
        arms
    }

    /// Reports a tensor without dimensions that is gone through or unpacked.
    pub(crate) fn refuse_rows_of_scalar(&mut self, value: &Value, span: Span) {
        let Value::Tensor(tensor) = value else { return };
        let is_script =
            self.entry.kind != EntryKind::Symbolic && self.inference.is_none() && self.exceptions.caught == 0;
        let is_scalar = !tensor.kind.rules().is_picture && self.solver.resolve_shape(&tensor.shape).rank() == Some(0);
        if is_script && is_scalar && tensor.assumptions.is_empty() && self.fails_on_every_way(span) {
            let message = "a tensor without dimensions has no rows to go through".to_owned();
            let cause = self.trace.operation(tensor.operation).and_then(|record| self.squeezed_batch(record));
            self.sequence_fails_because("iter", message, cause, span);
        }
    }

    /// The shape of a tensor that surely has several elements.
    pub fn shape_of_many(&self, value: &Value) -> Option<harp_shape::Shape> {
        let Value::Tensor(tensor) = self.read(value) else { return None };
        let is_script =
            self.entry.kind != EntryKind::Symbolic && self.inference.is_none() && self.exceptions.caught == 0;
        if !is_script || tensor.kind.rules().is_picture || !tensor.assumptions.is_empty() {
            return None;
        }
        let shape = self.solver.resolve_shape(&tensor.shape);
        let dims = shape.dims()?;
        let is_known = dims.iter().all(|dim| dim.as_const().is_some_and(|size| size > 0));
        (is_known && dims.iter().any(|dim| dim.as_const() != Some(1))).then_some(shape)
    }

    /// Executes `run` with the truth of `test`, on both arms where it is not known.
    pub fn branch(&mut self, test: &Value, span: Span, run: impl FnMut(&mut Self, bool) -> Eval<Flow>) -> Eval<Flow> {
        self.branch_on(test, None, span, run)
    }

    /// The same for a condition that the program writes.
    pub fn branch_on(
        &mut self,
        test: &Value,
        written: Option<&Expr>,
        span: Span,
        mut run: impl FnMut(&mut Self, bool) -> Eval<Flow>,
    ) -> Eval<Flow> {
        self.refuse_truth_of_many(test, span);
        let arms = self.arms_for(test, span);
        if arms.len() == 1 || arms.iter().all(|(_, truth)| *truth == arms[0].1) {
            let truth = arms.first().is_none_or(|(_, truth)| *truth);
            self.note_decided(truth, span, written);
            return run(self, truth);
        }
        let truths: Vec<bool> = arms.iter().map(|(_, truth)| *truth).collect();
        self.explore(arms.into_iter().map(|(arm, _)| arm).collect(), |this, index| {
            this.note_step(StepKind::Followed { holds: truths[index] }, span, |_| String::new());
            run(this, truths[index])
        })
    }

    /// The same for expressions.
    pub fn choose(&mut self, test: &Value, span: Span, run: impl FnMut(&mut Self, bool) -> Eval) -> Eval {
        self.choose_on(test, None, span, run)
    }

    /// The same for a condition that the program writes.
    pub fn choose_on(
        &mut self,
        test: &Value,
        written: Option<&Expr>,
        span: Span,
        mut run: impl FnMut(&mut Self, bool) -> Eval,
    ) -> Eval {
        self.refuse_truth_of_many(test, span);
        let arms = self.arms_for(test, span);
        if arms.len() == 1 || arms.iter().all(|(_, truth)| *truth == arms[0].1) {
            let truth = arms.first().is_none_or(|(_, truth)| *truth);
            self.note_decided(truth, span, written);
            return run(self, truth);
        }
        let truths: Vec<bool> = arms.iter().map(|(_, truth)| *truth).collect();
        let arms = arms.into_iter().map(|(arm, _)| arm).collect();
        let take = |this: &mut Self, index: usize| {
            this.note_step(StepKind::Followed { holds: truths[index] }, span, |_| String::new());
            run(this, truths[index])
        };
        let results = self.run_arms(arms, take, |_, outcome, _| outcome.is_ok());
        self.join_results(results)
    }

    /// The negation of a value, as a value.
    pub fn negate(&mut self, value: &Value) -> Value {
        match self.truth(value) {
            Truth::Known(value) => Value::Bool(!value),
            Truth::Constraint(constraint) => Value::Condition(Rc::new(Constraint::Not(Box::new(constraint)))),
            Truth::Opaque(Some(object)) => self.negate_opaque(object),
            Truth::Negated(object) => Value::Symbolic(object),
            Truth::Opaque(None) => Value::Unknown(TRUTH),
        }
    }

    /// What `a != b` gives where `a == b` is unknown: not necessarily a truth value, but true where the other is false.
    pub fn opposite(&mut self, equal: ObjectId) -> Value {
        let opposite = self.memoised_answer(equal, "the comparison");
        if let Value::Symbolic(id) = opposite {
            self.heap.set_attribute(id, Name::new(OPPOSITE), Value::Symbolic(equal));
        }
        opposite
    }

    /// The negation of a truth that is decided with the object whose truth it is.
    fn negate_opaque(&mut self, object: ObjectId) -> Value {
        let Some(origin) = self.heap.symbolic(object).map(|data| data.origin) else {
            return match self.decision_of(object) {
                Some(taken) => Value::Bool(!taken),
                None => Value::Unknown("negation of an unknown truth"),
            };
        };
        let of_library = self.name_of_library_value(object);
        let text = of_library.as_deref().unwrap_or_else(|| self.source_text(origin));
        match self.decide_opaque(Some(object), text, origin) {
            Decided::Known(value) => Value::Bool(!value),
            Decided::Both { decision, .. } => Value::Alternatives(Rc::new(
                [true, false]
                    .map(|taken| (Rc::from([Literal { decision, taken }]) as Guard, Value::Bool(!taken)))
                    .to_vec(),
            )),
        }
    }

    /// What the path says of an answer about an unknown value.
    pub(crate) fn asked_of_answer(&mut self, answer: ObjectId, text: &str, span: Span) -> Asked {
        match self.decide_opaque(Some(answer), text, span) {
            Decided::Known(value) => Asked::Known(value),
            Decided::Both { decision, .. } => Asked::Decision(decision),
        }
    }

    /// How the path decided the truth of an object.
    pub(crate) fn decision_of(&self, object: ObjectId) -> Option<bool> {
        let decision = *self.tables.object_decisions.get(&object)?;
        self.path.way_of(decision)
    }
}

/// The opposite of a condition as the program writes it.
fn opposite(text: &str) -> String {
    let is_plain = [" and ", " or ", "not ", " if ", "lambda", "=="].iter().all(|word| !text.contains(word));
    match text.split_once("!=") {
        Some((left, right)) if is_plain && !right.contains("!=") => format!("{}=={right}", left),
        _ => negated(text),
    }
}
