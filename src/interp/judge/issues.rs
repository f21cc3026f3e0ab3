//! What does not fit: requirements that were judged become issues, each once, with its operands, conditions and circumstances.

use std::cell::Cell;
use std::rc::Rc;

use crate::api::call_api::Bound;
use crate::api::results::assumptions_of;
use crate::budget::costly_calls::EntryKind;
use crate::calls::call::CallArguments;
use crate::heap::objects::InstanceData;
use crate::state::interpreter::{Eval, Interpreter};
use crate::values::value::{OperationId, Value};
use harp_corpus::Span;
use harp_limits::light_tick;
use harp_operations::operation::{Judged, Output, Remark};
use harp_python::name::Name;
use harp_shape::{Constraint, Dim, Leaf, Outcome, Reason, Shape, Var, VarKind, Verdict};
use harp_trace::assumption::{Assumption, AssumptionKind, AssumptionSet, NOBODY_CALLS};
use harp_trace::{Issue, IssueKind, Operand};

/// More reasons than this are not shown.
const MAX_REASONS: usize = 4;
/// More items of a container are not asked for their sizes.
const MAX_ITEMS: usize = 64;
/// Whether a requirement says that sizes fit each other, of which some may be anything.
fn is_of_sizes(constraint: &Constraint) -> bool {
    let leaves = Leaf::of(constraint);
    relates_sizes(constraint)
        && leaves.iter().all(|leaf| matches!(leaf, Leaf::Size(_)))
        && leaves.iter().any(|leaf| matches!(leaf, Leaf::Size(var) if var.kind() == VarKind::Free))
}

fn relates_sizes(constraint: &Constraint) -> bool {
    match constraint {
        Constraint::True | Constraint::Equal(..) | Constraint::Broadcastable(..) => true,
        Constraint::And(parts) => parts.iter().all(relates_sizes),
        _ => false,
    }
}

/// A requirement that readers can check, as all that it names has a name of its own.
fn in_words(constraint: &Constraint) -> Option<String> {
    let names: Vec<String> = constraint.variables().iter().map(|var| var.name()).collect();
    let is_plain = |name: &String| name.len() > 1 && !name.starts_with("unknown");
    let are_distinct = names.iter().enumerate().all(|(index, name)| !names[..index].contains(name));
    (are_distinct && names.iter().all(is_plain)).then(|| constraint.to_string())
}

/// Why an entry is not vouched for whose requirement could not be judged.
const NOT_PROVED: &str = "a requirement that was neither proved nor refuted";

impl Interpreter<'_> {
    #[expect(clippy::too_many_arguments, reason = "everything that a report says about a clash")]
    pub fn record_issues(
        &mut self,
        api: Name,
        judged: Vec<Judged>,
        remarks: Vec<Remark>,
        bound: &Bound,
        object: Option<&InstanceData>,
        call: &CallArguments,
        operation: OperationId,
    ) -> Eval<()> {
        if let Some(run) = &mut self.inference {
            run.note(&judged, call.span);
        }
        // What is assumed of the inputs says that nobody gets here.
        if self.solver.is_contradictory() && self.inference.is_none() {
            return Ok(());
        }
        if let Some(exception) = self.expected_exception(api) {
            let fails = judged
                .iter()
                .any(|judged| judged.outcome == Outcome::Violated && !self.is_of_later_iteration(&judged.constraint));
            if fails {
                return Err(self.raise(exception, "", call.span));
            }
            if judged.iter().any(|judged| matches!(judged.outcome, Outcome::Violated | Outcome::Possible(_))) {
                return Ok(());
            }
        }
        for judged in judged {
            let unusual = match &judged.outcome {
                Outcome::Unknown | Outcome::Assumed if !self.is_of_later_iteration(&judged.constraint) => self
                    .fails_for_usual_data(&judged.constraint)
                    .or_else(|| self.turned_around(&judged.constraint, bound, object.is_some())),
                Outcome::Possible(example) if !example.fails_usually => {
                    let is_told = is_worth_telling(&example.condition);
                    let own = if is_told { None } else { self.count_for_divisor(&judged.constraint) };
                    own.or_else(|| self.fails_unless_empty(&judged.constraint))
                }
                Outcome::Violated if self.fails_for_sizes_alone(&judged.constraint) => {
                    self.fails_unless_zero(&judged.constraint)
                }
                _ => None,
            };
            let is_about_nothing = unusual.is_some() && self.fails_unless_empty(&judged.constraint).is_some();
            let (kind, counterexample) = match &judged.outcome {
                Outcome::Holds => continue,
                // The next item is as the first one was.
                _ if self.changed_items > 0 => {
                    self.unproved(&format!("{api}: {NOT_PROVED}"), call.span);
                    continue;
                }
                _ if unusual.is_some() => (IssueKind::Possible, unusual),
                // Perhaps the loop ends before.
                Outcome::Violated if self.is_of_later_iteration(&judged.constraint) => {
                    self.unproved(&format!("{api}: {NOT_PROVED}"), call.span);
                    continue;
                }
                // An integer of the caller's is taken for a size, and sizes are positive; it may as well be an index.
                Outcome::Violated if self.fails_for_sizes_alone(&judged.constraint) => {
                    self.unproved(&format!("{api}: {NOT_PROVED}"), call.span);
                    continue;
                }
                // That one tensor is given in place of several says the annotation alone.
                Outcome::Violated if self.is_said_to_be_one(&judged.operands, bound) => {
                    self.unproved(&format!("{api}: {NOT_PROVED}"), call.span);
                    continue;
                }
                // PyTorch takes no truth value for a tensor; one is the comparison of a tensor that was left out.
                Outcome::Violated if self.has_truth_for_tensor(api, bound) => {
                    self.unproved(&format!("{api}: {NOT_PROVED}"), call.span);
                    continue;
                }
                // Whoever counts what a loop stores knows how often it runs; there may be no second iteration.
                Outcome::Violated
                    if !self.later_rounds.is_empty()
                        && (is_place_out_of_range(api, &judged.message) || is_one_for_several(&judged.message)) =>
                {
                    self.unproved(&format!("{api}: {NOT_PROVED}"), call.span);
                    continue;
                }
                Outcome::Violated => (IssueKind::Violated, None),
                Outcome::Possible(example)
                    if !self.settings.are_of_one_file(&example.condition.variables())
                        && !self.solver.has_open_size(&example.condition.variables())
                        && (example.fails_usually
                            || is_worth_telling(&example.condition)
                            || self.fails_for_most_draws(&judged.constraint)) =>
                {
                    (IssueKind::Possible, Some(example.clone()))
                }
                Outcome::Possible(example) => {
                    if !example.is_default_fine {
                        self.provided(example.condition.negated().to_string());
                    }
                    continue;
                }
                Outcome::Unknown | Outcome::Assumed if self.is_column_for_a_vector(api, &judged.constraint, bound) => {
                    (IssueKind::Possible, self.counterexample_of_measure(&judged.constraint))
                }
                Outcome::Unknown => {
                    match self.given_from_outside(&judged.constraint) {
                        Some(condition) => self.provided(condition),
                        None => self.unproved(&format!("{api}: {NOT_PROVED}"), call.span),
                    }
                    continue;
                }
                Outcome::Assumed
                    if self.is_made_to_measure(&judged.constraint, bound, object)
                        || self.is_count_out_of_place(&judged.constraint, bound) =>
                {
                    (IssueKind::Possible, self.counterexample_of_measure(&judged.constraint))
                }
                Outcome::Assumed => {
                    let constraint = self.size_by_size(&judged.constraint);
                    if self.is_left_to_chance(&constraint) {
                        self.unproved(&format!("{api}: {NOT_PROVED}"), call.span);
                    } else if self.entry_kind != EntryKind::Symbolic && is_of_sizes(&constraint) {
                        // Nobody calls a script with sizes that fit: they are what its files hold.
                        match in_words(&constraint) {
                            Some(condition) => self.provided(condition),
                            None => self.unproved(&format!("{api}: {NOT_PROVED}"), call.span),
                        }
                    }
                    continue;
                }
            };
            let mut conditions = self.path_conditions();
            conditions.extend(self.repeated_loops());
            let mut example = None;
            if let Some(counterexample) = counterexample {
                conditions.push(counterexample.condition.to_string());
                let assignment: Vec<String> = counterexample
                    .assignment
                    .iter()
                    .map(|(variable, value)| format!("{} = {value}", variable.name()))
                    .collect();
                example = Some(assignment.join(", ")).filter(|text| !text.is_empty());
            }
            if example.is_none() {
                example = self.example_of_path();
            }
            let operands = self.operands(&judged.operands, bound, call);
            let because = self.explain(&judged, bound, call.span);
            let assumptions = self.assumptions_behind(bound, &judged.constraint);
            if self.rests_on_no_size(&judged.constraint, bound) || self.rules_out_one_rank(&judged, bound) {
                self.unproved(&format!("{api}: {NOT_PROVED}"), call.span);
                continue;
            }
            let is_possible = conditions.is_empty() || self.is_path_possible();
            // What fails on all ways fails, also where some of them are in doubt.
            if !is_possible && (kind != IssueKind::Violated || !self.is_path_doubtful()) {
                continue;
            }
            // Whoever has nothing to work on does not ask for it.
            let is_empty = !is_about_nothing && self.has_empty_operand(&judged.operands, bound);
            let is_left_to_callers = !is_possible
                || self.is_left_to_callers()
                || (!conditions.is_empty() && self.runs_test())
                || (is_empty && (!conditions.is_empty() || self.entry_kind == EntryKind::Symbolic))
                || (!conditions.is_empty() && !is_about_nothing && self.asks_for_emptiness(&judged.constraint))
                || self.may_be_evaluating(&judged.operands)
                || self.lacks_an_option(&judged.operands, bound, call)
                || self.is_filled_elsewhere(&judged.operands, bound);
            self.add_issue(Issue {
                kind,
                span: call.span,
                api,
                message: judged.message,
                operands,
                is_conditional: !conditions.is_empty(),
                conditions,
                notes: self.circumstances.clone(),
                counterexample: example,
                because,
                assumptions,
                calls: Rc::clone(&self.call_shared),
                module_origin: object.map(|object| (self.name_of_class(&object.class), object.origin)),
                operation,
                is_left_to_callers,
                inside: None,
                route: self.route.clone(),
            });
        }
        for Remark::SuspiciousBroadcast { left, right, result, operands } in remarks {
            let conditions = self.path_conditions();
            let operands = self.operands(&operands, bound, call);
            if operands.iter().any(keeps_a_dimension) {
                continue;
            }
            self.add_issue(Issue {
                kind: IssueKind::SuspiciousBroadcast,
                span: call.span,
                api,
                message: format!("{left} and {right} broadcast to {result}"),
                operands,
                is_conditional: !conditions.is_empty(),
                conditions,
                notes: self.circumstances.clone(),
                counterexample: None,
                because: Vec::new(),
                assumptions: assumptions_of(bound),
                calls: Rc::clone(&self.call_shared),
                module_origin: None,
                operation,
                is_left_to_callers: self.is_left_to_callers(),
                inside: None,
                route: self.route.clone(),
            });
        }
        Ok(())
    }

    /// Whether a requirement fails for a size that is -1, the default of a parameter: it says that there is none, and that whoever calls the
    /// function gives one.
    fn rests_on_no_size(&self, constraint: &Constraint, bound: &Bound) -> bool {
        let is_minus_one = |assumption: &Assumption| {
            assumption.kind == AssumptionKind::DefaultValue
                && assumption.evidence == NOBODY_CALLS
                && assumption.text.ends_with("has its default -1")
        };
        self.entry_assumptions.iter().filter_map(|id| self.trace.assumptions.get(id)).any(is_minus_one)
            && match constraint {
                // What was refused outright was refused for what it is.
                Constraint::False => self.has_no_size(bound),
                _ => self.fails_for_no_size(constraint),
            }
    }

    /// Whether a number among the arguments is -1, other than a dimension.
    fn has_no_size(&self, bound: &Bound) -> bool {
        const DIMENSIONS: [&str; 2] = ["dim", "axis"];
        bound.iter().any(|(name, value)| {
            let is_dimension = DIMENSIONS.iter().any(|word| name.as_str().contains(word));
            !is_dimension && matches!(self.read(value), Value::Int(number) if number.as_const() == Some(-1))
        })
    }

    /// Whether a part of a requirement that is violated asks for a size of -1, or compares one with it.
    fn fails_for_no_size(&self, constraint: &Constraint) -> bool {
        if let Constraint::And(parts) | Constraint::Or(parts) = constraint {
            return parts.iter().any(|part| self.fails_for_no_size(part));
        }
        let has_no_size = Cell::new(false);
        let look = |dim: Dim| has_no_size.set(has_no_size.get() || dim.as_const() == Some(-1));
        constraint.for_each(&mut |dim| look(dim), &mut |shape| {
            shape.dims().into_iter().flatten().for_each(look);
        });
        has_no_size.get() && self.solver.judge(constraint) == Verdict::Violated
    }

    /// Whether a requirement is one of an iteration after the first of a loop that may have one alone.
    fn is_of_later_iteration(&self, constraint: &Constraint) -> bool {
        constraint.variables().iter().any(|variable| self.later_counters.contains_key(variable))
    }

    /// Whether a requirement that was taken to hold speaks of no input.
    fn is_left_to_chance(&self, constraint: &Constraint) -> bool {
        let mut has_any = false;
        let all = Leaf::of(constraint).into_iter().all(|leaf| match leaf {
            Leaf::Size(var) if var.kind() == VarKind::Free => {
                has_any = true;
                self.by_chance.contains_key(&var)
            }
            Leaf::Size(_) => true,
            Leaf::Shape(_) => false,
        });
        has_any && all
    }

    /// A requirement on the sizes of what a script reads, such as the height of an image, in words that its user can check.
    fn given_from_outside(&self, constraint: &Constraint) -> Option<String> {
        let are_sizes = Leaf::of(constraint).iter().all(|leaf| matches!(leaf, Leaf::Size(_)));
        let is_script = self.entry_kind != EntryKind::Symbolic && self.inference.is_none();
        (is_script && are_sizes && !self.is_left_to_chance(constraint)).then(|| in_words(constraint)).flatten()
    }

    /// Whether a violated requirement may hold where the integers that callers give are 0.
    fn fails_for_sizes_alone(&self, constraint: &Constraint) -> bool {
        let may_be_least = |var: &Var| {
            let info = var.info();
            info.kind == VarKind::Free
                && info.lower == Some(1)
                && !self.counters.contains_key(var)
                && self.solver.judge(&Constraint::Equal(Dim::var(*var), Dim::constant(1))) != Verdict::Violated
        };
        let sizes = Leaf::of(constraint).into_iter().filter_map(|leaf| match leaf {
            Leaf::Size(var) => Some(var),
            Leaf::Shape(_) => None,
        });
        let sizes: Vec<Var> = sizes.filter(may_be_least).collect();
        if self.inference.is_none() && self.counts_from_unknown(constraint) {
            return true;
        }
        if sizes.is_empty() || self.inference.is_some() {
            return false;
        }
        let mut one_less =
            |dim: Dim| dim.substitute(&mut |var| sizes.contains(&var).then(|| Dim::var(var) - Dim::constant(1)));
        let lowered = constraint.map(&mut one_less, &mut Shape::clone);
        self.solver.judge(&lowered) != Verdict::Violated
    }

    /// Whether a constraint is one of counters alone that begin with an integer of which nothing is known: that it is positive says nobody.
    fn counts_from_unknown(&self, constraint: &Constraint) -> bool {
        let variables = constraint.variables();
        let is_open = |var: &Var| {
            let info = var.info();
            self.counters.contains_key(var) && info.lower.is_none() && info.upper.is_none()
        };
        !variables.is_empty() && variables.iter().all(is_open)
    }

    /// Sizes of a result that no argument has, where all arguments are known, depend on what the elements are.
    pub(crate) fn note_sizes_by_chance(&mut self, bound: &Bound, output: &Output) {
        const ABSENT: &str = "argument not given";
        let shape = match output {
            Output::Tensor { shape, .. } => shape,
            // `where(condition)` gives as many indices for each dimension.
            Output::Tuple(parts) => match parts.first() {
                Some(Output::Tensor { shape, .. }) => shape,
                _ => return,
            },
            _ => return,
        };
        let is_unknown = |value: &Value| match self.read(value) {
            Value::Unknown(reason) => reason != ABSENT,
            // A part that a slice takes has a size that its bounds decide.
            Value::Symbolic(_) | Value::Slice(_) => true,
            Value::Tuple(items) => items.iter().any(|item| matches!(item, Value::Slice(_))),
            _ => false,
        };
        let fresh: Vec<Dim> = self.solver.resolve_shape(shape).dims().unwrap_or_default();
        let fresh = fresh.into_iter().filter_map(Dim::as_var).filter(|var| var.kind() == VarKind::Free);
        let newest: Vec<Var> = fresh.filter(|var| !self.by_chance.contains_key(var)).collect();
        if newest.is_empty() || bound.iter().any(|(_, value)| is_unknown(value)) {
            return;
        }
        let mut known: Vec<Var> = Vec::new();
        for (_, value) in bound {
            self.sizes_within(value, &mut known, 0);
        }
        // A size may follow from sizes of inputs in ways that no formula says.
        if known.iter().all(|var| var.kind() != VarKind::Free || self.by_chance.contains_key(var)) {
            newest.into_iter().filter(|var| !known.contains(var)).for_each(|var| self.by_chance.insert(var, ()));
        }
    }

    /// The variables in the sizes of a value.
    fn sizes_within(&self, value: &Value, found: &mut Vec<Var>, depth: usize) {
        light_tick();
        match self.read(value) {
            Value::Tensor(tensor) => {
                for dim in self.solver.resolve_shape(&tensor.shape).dims().unwrap_or_default() {
                    found.extend(dim.vars());
                }
            }
            Value::Int(dim) => found.extend(self.solver.resolve(dim).vars()),
            Value::Tuple(items) if depth < 3 => {
                items.iter().take(MAX_ITEMS).for_each(|item| self.sizes_within(item, found, depth + 1));
            }
            Value::List(id) if depth < 3 => {
                let Some(data) = self.heap.list(id) else { return };
                let items = data.items.iter().take(MAX_ITEMS).chain(&data.rest);
                items.for_each(|item| self.sizes_within(item, found, depth + 1));
            }
            _ => {}
        }
    }

    /// A tuple that certainly has not the items that the program takes from it, unless the program expects that.
    pub fn sequence_fails(&mut self, api: &str, message: String, span: Span) {
        let conditions = self.path_conditions();
        self.fails_where(api, message, conditions, span);
    }

    /// What fails on every way to it, as the caller found, perhaps under a condition that is told in words.
    pub fn fails_always(&mut self, api: &str, message: String, condition: Option<String>, span: Span) {
        self.fails_where(api, message, condition.into_iter().collect(), span);
    }

    /// What fails in scripts under a condition that is none of sizes, and is told in words.
    pub fn may_fail(&mut self, api: &str, message: String, condition: String, span: Span) {
        if self.entry_kind != EntryKind::Symbolic && self.inference.is_none() {
            let mut conditions = self.path_conditions();
            conditions.push(condition);
            self.fails_where(api, message, conditions, span);
        }
    }

    fn fails_where(&mut self, api: &str, message: String, conditions: Vec<String>, span: Span) {
        if self.caught > 0 {
            return;
        }
        let conditions: Vec<String> = conditions.into_iter().chain(self.repeated_loops()).collect();
        if !self.path_conditions().is_empty() && (!self.is_path_possible() || self.answers_one_question_often()) {
            return;
        }
        self.add_issue(Issue {
            kind: IssueKind::Violated,
            span,
            api: Name::new(api),
            message,
            operands: Vec::new(),
            is_conditional: !conditions.is_empty(),
            conditions,
            notes: self.circumstances.clone(),
            counterexample: self.example_of_path(),
            assumptions: AssumptionSet::default(),
            calls: Rc::clone(&self.call_shared),
            module_origin: None,
            because: Vec::new(),
            operation: OperationId::NONE,
            is_left_to_callers: self.is_left_to_callers(),
            inside: None,
            route: self.route.clone(),
        });
    }

    /// What is to hold for a later iteration to run of loops that may have one alone.
    fn repeated_loops(&self) -> Vec<String> {
        let head = |span: &Span| {
            let text = self.source_text(*span);
            text.split(":\n").next().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ")
        };
        self.later_rounds.iter().map(|span| format!("`{}` has a second iteration", head(span))).collect()
    }

    /// The facts that a violated requirement clashes with, by the places where they were learned.
    fn explain(&mut self, judged: &Judged, bound: &Bound, here: Span) -> Vec<(String, Span)> {
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

    /// Adds an issue unless the same one was seen on another path or iteration; one that holds everywhere replaces a conditional one.
    pub fn add_issue(&mut self, issue: Issue) {
        self.issues_met += 1;
        let Some(issue) = self.at_the_program(issue) else { return };
        if self.has_failed_within(&issue) {
            return;
        }
        let is_violated = issue.kind == IssueKind::Violated;
        let index = match self.trace.same_issue(&issue) {
            Some(index) => {
                let certain = issue.kind == IssueKind::Violated && !issue.is_conditional;
                let known = &self.trace.issues[index];
                let is_told = known.is_left_to_callers && !issue.is_left_to_callers;
                if is_told || certain && (known.kind != IssueKind::Violated || known.is_conditional) {
                    self.trace.issues[index] = issue;
                }
                index
            }
            None => self.trace.add_issue(issue),
        };
        if is_violated {
            self.violated.push(index);
        }
        if !self.entry_issues.contains(&index) {
            self.entry_issues.push(index);
        }
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

/// Whether an operand has its last dimension of one element because a reduction was told to keep it, which is how all pairs are meant.
fn keeps_a_dimension(operand: &Operand) -> bool {
    const REDUCTIONS: [&str; 8] = ["amax", "amin", "mean", "norm", "prod", "std", "sum", "vector_norm"];
    let made_by = operand.origin.as_ref().and_then(|(api, _)| api.rsplit('.').next());
    operand.shape.ends_with(", 1]") && made_by.is_some_and(|name| REDUCTIONS.contains(&name))
}

/// Whether a condition of failure says something that its reader does not know: that two sizes must agree. That sizes must be large
/// enough, or divide each other in roundabout ways, is what every operation demands of its settings.
fn is_worth_telling(condition: &Constraint) -> bool {
    use harp_shape::Constraint;
    let is_plain = |dim: &Dim| {
        let text = dim.to_string();
        !["//", "%", "min(", "max("].iter().any(|operator| text.contains(operator))
    };
    match condition {
        Constraint::NotEqual(a, b) => is_plain(a) && is_plain(b),
        Constraint::SameShape(..) | Constraint::Rank(..) => true,
        Constraint::Broadcastable(a, b) => is_plain(a) && is_plain(b),
        Constraint::Not(inner) => matches!(&**inner, Constraint::Equal(a, b) if is_plain(a) && is_plain(b)),
        Constraint::And(parts) | Constraint::Or(parts) => parts.iter().any(is_worth_telling),
        // A bound of something that has one itself, such as the size of a last mini-batch.
        Constraint::Less(..) | Constraint::LessEqual(..) => {
            condition.variables().iter().all(|variable| variable.info().upper.is_some())
        }
        _ => false,
    }
}

/// Whether a requirement is that an index is one of a dimension.
fn is_place_out_of_range(api: Name, message: &str) -> bool {
    let is_subscript = api.as_str().ends_with(".__getitem__") || api.as_str().ends_with(".__setitem__");
    is_subscript && message.starts_with("index ") && message.contains(" is out of range ")
}

/// Whether a requirement is that a tensor stands where several are asked for: an item of a list of unknown length is one of many, of which an
/// iteration replaces its own.
fn is_one_for_several(message: &str) -> bool {
    message.ends_with("must be a sequence of tensors, not a tensor")
}
