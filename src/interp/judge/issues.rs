//! What does not fit: requirements that were judged become issues, each once, with its operands, conditions and circumstances.

use std::rc::Rc;

use crate::api::call_api::Bound;
use crate::api::results::assumptions_of;
use crate::budget::costly_calls::EntryKind;
use crate::judge::alarms::{Alarm, Context};
use crate::judge::at_defaults::AtDefaults;
use crate::judge::filters::{
    AFTER_EXIT, CONSEQUENCE, CallVerdict, EXPECTED_EXCEPTION, INCOMPATIBLE_INPUTS, INFEASIBLE_PATH, REPEATED_QUESTION,
    Verdict, filter, filter_call,
};
use crate::judge::remedy_causes::is_rearrangement;
use crate::state::interpreter::{Eval, Interpreter};
use crate::values::value::{OperationId, Value};
use harp_corpus::Span;
use harp_limits::light_tick;
use harp_operations::operation::{Judged, Remark};
use harp_python::name::Name;
use harp_shape::{Outcome, Reason};
use harp_trace::assumption::{AssumptionId, AssumptionSet};
use harp_trace::{Issue, IssueKind, NOT_DECIDED, Operand, Remedy, Subject};
use rustc_hash::FxHashSet;

/// More reasons than this are not shown.
const MAX_REASONS: usize = 4;

/// So many failures of an entry are looked at for what follows from them, and so many operations between.
const MOST_FAILURES: usize = 8;
const MOST_STEPS_BACK: usize = 256;

impl Interpreter<'_> {
    /// Records what a call requires and does not get, and what is remarkable about it besides.
    pub fn record_issues(&mut self, context: &Context<'_>, judged: Vec<Judged>, remarks: Vec<Remark>) -> Eval<()> {
        if self.notes_refusals(&judged) {
            return Ok(());
        }
        let span = context.call.span;
        if let Some(run) = &mut self.inference {
            run.note(&judged, span);
        }
        if let Some((name, verdict)) = filter_call(self, context, &judged) {
            for judged in judged.iter().filter(|judged| judged.may_fail()) {
                self.note_silenced(name, span, context.api, &judged.message);
            }
            return match verdict {
                CallVerdict::Dismissed => Ok(()),
                CallVerdict::Raises(exception) => Err(self.raise(exception, "", span)),
            };
        }
        for (index, judged) in judged.iter().enumerate() {
            let help = context.help.get(index).and_then(Option::as_ref);
            match self.alarm(context, judged) {
                Some(alarm) => self.record_alarm(context, &alarm, help),
                None => self.leave_unreported(context, judged, self.undecided(judged)),
            }
        }
        for remark in remarks {
            self.record_remark(context, remark);
        }
        Ok(())
    }

    /// Records an alarm, unless a filter silences it.
    fn record_alarm(&mut self, context: &Context<'_>, alarm: &Alarm<'_>, help: Option<&Remedy>) {
        match filter(self, context, alarm) {
            None => self.report(context, alarm, help, None),
            Some((name, Verdict::LeftToCallers)) => self.report(context, alarm, help, Some(name)),
            Some((name, verdict)) => {
                self.note_silenced(name, context.call.span, context.api, &alarm.judged.message);
                self.leave_unreported(context, alarm.judged, verdict);
            }
        }
    }

    /// What the entry's verdict says of a requirement that is not reported.
    fn leave_unreported(&mut self, context: &Context<'_>, judged: &Judged, verdict: Verdict) {
        match verdict {
            Verdict::Unproved => self.unproved(&format!("{}: {NOT_DECIDED}", context.api), context.call.span),
            Verdict::Provided(condition) => match self.in_operands(&judged.constraint, judged, context.bound) {
                Some(told) => {
                    let line = self.line_of(context.call.span);
                    self.provided_on_this_way(&format!("{told} in line {line}"));
                }
                None => self.provided(condition),
            },
            Verdict::Dismissed | Verdict::LeftToCallers => {}
        }
    }

    fn report(
        &mut self,
        context: &Context<'_>,
        alarm: &Alarm<'_>,
        help: Option<&Remedy>,
        left_to_callers: Option<&'static str>,
    ) {
        let &Context { api, bound, object, call, operation, subject, .. } = context;
        let mut conditions = alarm.conditions(self).to_vec();
        let judged = alarm.judged;
        if let Some(example) = &alarm.counterexample
            && let Some(told) = self.in_operands(&example.condition, judged, bound)
            && let Some(last) = conditions.last_mut()
        {
            *last = told;
        }
        let assignment = alarm.counterexample.iter().flat_map(|example| &example.assignment);
        let values: Vec<String> =
            assignment.map(|(variable, value)| format!("{} = {value}", variable.shown_name())).collect();
        let example = if values.is_empty() { self.example_of_path() } else { Some(values.join(", ")) };
        let Some(positive) = self.taken_as_positive(judged, bound, call.span) else {
            return self.leave_unreported(context, judged, Verdict::Unproved);
        };
        let at_defaults = self.fails_at_defaults(alarm);
        let new = match &at_defaults {
            Some(known) => {
                let mut new = self.new_issue(IssueKind::Violated, api, judged.message.clone(), call.span);
                new.notes.push((known.note.clone(), call.span));
                new
            }
            None => self.new_issue(alarm.kind.clone(), api, judged.message.clone(), call.span),
        };
        let help = help.filter(|help| help.is_cause || new.help.is_none());
        let before = if judged.shapes.is_empty() { self.shapes_before(judged, bound) } else { judged.shapes.clone() };
        let behind = self.assumptions_behind(bound, judged).union(&positive);
        let assumptions = match &at_defaults {
            Some(known) => behind.union(&known.assumptions),
            None => behind.without(&self.contradicted_by(alarm)),
        };
        self.add_issue(Issue {
            subject,
            operands: self.operands(&judged.operands, &before, bound, call),
            is_conditional: !conditions.is_empty() && at_defaults.is_none(),
            conditions: if at_defaults.is_none() { conditions } else { Vec::new() },
            counterexample: example.filter(|_| at_defaults.is_none()),
            because: self.explain(judged, bound, call.span),
            assumptions,
            module_origin: object.map(|object| (self.name_of_class(&object.class), object.origin)),
            operation,
            left_to_callers,
            help: help.map(|help| help.text.clone()).or_else(|| new.help.clone()),
            edit: help.and_then(|help| help.edit.clone()),
            ..new
        });
    }

    /// That settings have their defaults is not assumed where it fails with others.
    fn contradicted_by(&self, alarm: &Alarm<'_>) -> Vec<AssumptionId> {
        let sizes = alarm.counterexample.iter().flat_map(|example| example.condition.variables());
        sizes.filter_map(|size| self.variable_assumptions.get(&size).copied()).collect()
    }

    fn record_remark(&mut self, context: &Context<'_>, remark: Remark) {
        let Remark::SuspiciousBroadcast { left, right, result, operands } = remark;
        let operands = self.operands(&operands, &[], context.bound, context.call);
        if operands.iter().any(keeps_a_dimension) {
            return;
        }
        let conditions = self.path_conditions();
        let message = format!("{left} and {right} broadcast to {result}");
        self.add_issue(Issue {
            operands,
            is_conditional: !conditions.is_empty(),
            conditions,
            assumptions: assumptions_of(context.bound),
            operation: context.operation,
            left_to_callers: self.is_left_to_callers().then_some(INCOMPATIBLE_INPUTS),
            ..self.new_issue(IssueKind::SuspiciousBroadcast, context.api, message, context.call.span)
        });
    }

    /// An issue of the place that runs, of which nothing else is known yet.
    fn new_issue(&self, kind: IssueKind, api: Name, message: String, span: Span) -> Issue {
        Issue {
            kind,
            subject: Subject::Operands,
            span,
            api,
            message,
            operands: Vec::new(),
            conditions: Vec::new(),
            notes: self.circumstances.clone(),
            counterexample: None,
            help: self.advice.last().map(|advice| (*advice).to_owned()),
            edit: None,
            because: Vec::new(),
            assumptions: AssumptionSet::default(),
            calls: Rc::clone(&self.call_shared),
            module_origin: None,
            operation: OperationId::NONE,
            is_conditional: false,
            left_to_callers: None,
            inside: None,
            route: self.route.clone(),
        }
    }

    /// A tuple that certainly has not the items that the program takes from it, unless the program expects that.
    pub fn sequence_fails(&mut self, api: &str, message: String, span: Span) {
        let conditions = self.path_conditions();
        self.fails_where(Subject::Operands, api, message, conditions, span);
    }

    /// The same, where it may be known what made the value so.
    pub(crate) fn sequence_fails_because(&mut self, api: &str, message: String, cause: Option<Remedy>, span: Span) {
        let conditions = self.path_conditions();
        let Some(mut issue) = self.failure_where(Subject::Operands, api, message, conditions, span) else { return };
        issue.help = cause.map(|cause| cause.text).or(issue.help);
        self.add_issue(issue);
    }

    /// What fails under the conditions of the path.
    pub fn fails_on_this_way(&mut self, subject: Subject, api: &str, message: String, span: Span) {
        let conditions = self.path_conditions();
        self.fails_where(subject, api, message, conditions, span);
    }

    /// What fails on every way to it, as the caller found, perhaps under a condition that is told in words.
    pub fn fails_always(
        &mut self,
        subject: Subject,
        api: &str,
        message: String,
        condition: Option<String>,
        span: Span,
    ) {
        self.fails_where(subject, api, message, condition.into_iter().collect(), span);
    }

    /// What fails in scripts under a condition that is none of sizes, and is told in words.
    pub fn may_fail(&mut self, api: &str, message: String, condition: String, span: Span) {
        if self.entry_kind != EntryKind::Symbolic && self.inference.is_none() {
            let mut conditions = self.path_conditions();
            conditions.push(condition);
            self.fails_where(Subject::Operands, api, message, conditions, span);
        }
    }

    /// What fails with the settings that the program has by default: no condition that others might meet.
    pub(crate) fn fails_as_it_stands(
        &mut self,
        subject: Subject,
        api: &str,
        message: String,
        known: AtDefaults,
        span: Span,
    ) {
        let Some(mut issue) = self.failure_where(subject, api, message, Vec::new(), span) else { return };
        issue.notes.push((known.note, span));
        issue.assumptions = issue.assumptions.union(&known.assumptions);
        self.add_issue(issue);
    }

    fn fails_where(&mut self, subject: Subject, api: &str, message: String, conditions: Vec<String>, span: Span) {
        if let Some(issue) = self.failure_where(subject, api, message, conditions, span) {
            self.add_issue(issue);
        }
    }

    /// The issue of what fails under conditions, unless a filter silences it.
    fn failure_where(
        &mut self,
        subject: Subject,
        api: &str,
        message: String,
        conditions: Vec<String>,
        span: Span,
    ) -> Option<Issue> {
        let api = Name::new(api);
        let message = match message.strip_prefix("it ").filter(|_| subject == Subject::Arguments) {
            Some(rest) => format!("`{}` {rest}", called_as(api)),
            None => message,
        };
        if let Some(filter) = self.filter_failure() {
            self.note_silenced(filter, span, api, &message);
            return None;
        }
        Some(Issue {
            is_conditional: !conditions.is_empty(),
            conditions,
            counterexample: self.example_of_path(),
            assumptions: self.relied_on(),
            left_to_callers: self.is_left_to_callers().then_some(INCOMPATIBLE_INPUTS),
            subject,
            ..self.new_issue(IssueKind::Violated, api, message, span)
        })
    }

    /// The filter that silences what fails and is no requirement of a call.
    fn filter_failure(&self) -> Option<&'static str> {
        if self.is_after_exit {
            Some(AFTER_EXIT)
        } else if self.caught > 0 {
            Some(EXPECTED_EXCEPTION)
        } else if self.path_conditions().is_empty() {
            None
        } else if !self.is_path_possible() {
            Some(INFEASIBLE_PATH)
        } else {
            self.answers_one_question_often().then_some(REPEATED_QUESTION)
        }
    }

    /// The facts that a violated requirement clashes with, by the places where they were learned.
    fn explain(&self, judged: &Judged, bound: &Bound, here: Span) -> Vec<(String, Span)> {
        if judged.outcome != Outcome::Violated {
            return Vec::new();
        }
        let mut shapes = Vec::new();
        for (_, value) in bound.iter().filter(|(name, _)| judged.operands.iter().any(|known| **known == *name.as_str()))
        {
            if let Value::Tensor(tensor) = self.read(value) {
                shapes.push(tensor.shape.clone());
            }
        }
        let because = self.solver.explain(&judged.constraint, &shapes).into_iter();
        let place = |reason: Reason| self.reasons.get(reason.0 as usize).copied();
        let placed = because.filter_map(|one| Some((one.text, place(one.reason)?)));
        placed.filter(|(_, span)| *span != here).take(MAX_REASONS).collect()
    }

    /// Makes a place the reason of what the solver learns next; returns the reason before.
    pub(crate) fn learn_at(&mut self, place: Option<Span>) -> Option<Reason> {
        let reason = place.map(|span| {
            if self.reasons.last() != Some(&span) {
                self.reasons.push(span);
            }
            Reason(u32::try_from(self.reasons.len().saturating_sub(1)).unwrap_or(u32::MAX))
        });
        self.solver.speak_for(reason)
    }

    /// Of the smaller last mini-batch: that its size is to be taken from it helps where the size of the others is asked for.
    fn fit_advice(&self, issue: &mut Issue) {
        let Some(residual) = self.residuals.last() else { return };
        if issue.help.as_deref() != Some(residual.advice) || is_rearrangement(issue.api) {
            return;
        }
        let batch = self.solver.resolve(residual.batch);
        let names_it = |text: &str| match batch.as_const() {
            Some(batch) => {
                let numbers = text.split(|char: char| !char.is_ascii_digit()).filter_map(|it| it.parse::<i64>().ok());
                batch > 1 && numbers.into_iter().any(|number| number > 0 && number % batch == 0)
            }
            None => text.contains(&batch.to_string()),
        };
        // Of one operand alone the sizes are its own.
        let is_named = match &issue.operands[..] {
            [_] => names_it(&without_shapes(&issue.message)),
            operands => names_it(&issue.message) || operands.iter().any(|operand| names_it(&operand.shape)),
        };
        if !is_named {
            issue.help = Some(residual.advice_alone.to_owned());
        }
    }

    /// The condition under which a script comes to the function that is looked at by itself, where it does so with an
    /// option alone: as the program stands, what fails there does not run.
    fn option_of_entry(&self) -> Option<&str> {
        let is_alone = self.entry_kind == EntryKind::Symbolic && self.inference.is_none();
        let function = self.frames.first().filter(|_| is_alone)?.function.as_ref()?;
        self.entered.option_of(&(function.file, function.range.start))
    }

    /// Adds an issue unless the same one was seen on another path or iteration; one that holds everywhere replaces a conditional one.
    pub fn add_issue(&mut self, issue: Issue) {
        self.issues_met += 1;
        let Some(issue) = self.at_the_program(issue) else { return };
        if self.has_failed_within(&issue) {
            if issue.kind.is_error() {
                self.note_silenced(CONSEQUENCE, issue.span, issue.api, &issue.message);
            }
            return;
        }
        if self.follows_from_failure(&issue) {
            self.note_silenced(CONSEQUENCE, issue.span, issue.api, &issue.message);
            return;
        }
        let mut issue = issue;
        self.fit_advice(&mut issue);
        if !issue.is_conditional
            && let Some(condition) = self.option_of_entry()
        {
            issue.is_conditional = true;
            issue.conditions.push(condition.to_owned());
        }
        if issue.kind.is_error() {
            let Some(assumed) = self.failure_is_not_taken() else {
                self.note_silenced(EXPECTED_EXCEPTION, issue.span, issue.api, &issue.message);
                return;
            };
            let Some(repeated) = self.loops_are_repeated() else { return };
            issue.assumptions = issue.assumptions.union(&assumed).union(&self.left_out).union(&repeated);
        }
        let is_violated = issue.kind == IssueKind::Violated;
        let index = match self.trace.same_issue(&issue) {
            Some(index) => {
                let certain = issue.kind == IssueKind::Violated && !issue.is_conditional;
                let known = &self.trace.issues[index];
                let is_told = known.left_to_callers.is_some() && issue.left_to_callers.is_none();
                let rests_on_less = !known.assumptions.is_empty() && issue.assumptions.is_empty();
                let is_less_certain = known.kind != IssueKind::Violated || known.is_conditional || rests_on_less;
                if is_told || certain && is_less_certain {
                    self.trace.issues[index] = issue;
                }
                index
            }
            None => self.trace.add_issue(issue),
        };
        if is_violated {
            self.violated.push(index);
        }
        self.entry_issues.insert(index);
    }

    /// Whether a tensor that did not fit where the entry failed before meets what that operation was meant to give: `x + layer(x)`, in however
    /// many steps. It is the same mistake once more.
    fn follows_from_failure(&self, issue: &Issue) -> bool {
        if self.violated.is_empty() || issue.operands.is_empty() {
            return false;
        }
        let is_same = |one: &Operand, other: &Operand| match (one.operation, other.operation) {
            (OperationId::NONE, OperationId::NONE) => one.origin.is_some() && one.origin == other.origin,
            (one, other) => one == other,
        };
        self.violated.iter().rev().take(MOST_FAILURES).filter_map(|index| self.trace.issues.get(*index)).any(|failed| {
            failed.span != issue.span && (self.have_one_cause(issue, failed) || self.repeats_complaint(issue, failed))
                || failed.operation != OperationId::NONE
                    && failed.span != issue.span
                    && issue.operands.len() > 1
                    && issue.operands.iter().any(|operand| {
                        failed.operands.iter().any(|blamed| is_same(blamed, operand))
                            && issue.operands.iter().any(|other| {
                                !is_same(operand, other) && self.is_computed_from(other.operation, failed.operation)
                            })
                    })
        })
    }

    /// Whether an operation works on what another one gave, directly or through others.
    pub(crate) fn is_computed_from(&self, operation: OperationId, source: OperationId) -> bool {
        let mut waiting = vec![operation];
        let mut seen = FxHashSet::default();
        while let Some(next) = waiting.pop() {
            light_tick();
            if next == source {
                return true;
            }
            // An operation is recorded after those that it works on.
            if next.0 < source.0 || !seen.insert(next) || seen.len() > MOST_STEPS_BACK {
                continue;
            }
            let given = self.trace.operation(next).map(|record| &record.given);
            waiting.extend(given.into_iter().flatten().map(|given| given.operation));
        }
        false
    }

    /// Whether a part of the same expression failed already, so that this is not reached: `x + layer(x)` where `layer(x)` fails.
    fn has_failed_within(&self, issue: &Issue) -> bool {
        let is_within = |known: &Issue| {
            known.kind == IssueKind::Violated
                && known.span != issue.span
                && known.span.file == issue.span.file
                && issue.span.start <= known.span.start
                && known.span.end <= issue.span.end
                && known.calls == issue.calls
                && known.conditions.iter().all(|condition| issue.conditions.contains(condition))
        };
        // An entry may have thousands of issues, and a place has few.
        let mut there = self.trace.issues_within(issue.span);
        there.any(|index| self.trace.issues.get(index).is_some_and(is_within) && self.entry_issues.contains(&index))
    }
}

/// The name by which a function is called: a class for its constructor.
fn called_as(api: Name) -> &'static str {
    let path = api.as_str();
    let path = path.strip_suffix(".__init__").unwrap_or(path);
    path.rsplit('.').next().unwrap_or(path)
}

/// A message without what stands in brackets.
fn without_shapes(message: &str) -> String {
    message.split('[').map(|part| part.split_once(']').map_or(part, |(_, behind)| behind)).collect()
}

/// Whether an operand has its last dimension of one element because a reduction was told to keep it, which is how all pairs are meant.
fn keeps_a_dimension(operand: &Operand) -> bool {
    const REDUCTIONS: [&str; 8] = ["amax", "amin", "mean", "norm", "prod", "std", "sum", "vector_norm"];
    let made_by = operand.origin.as_ref().and_then(|(api, _)| api.rsplit('.').next());
    operand.shape.ends_with(", 1]") && made_by.is_some_and(|name| REDUCTIONS.contains(&name))
}
