//! Which judged requirements give an alarm: what is violated, what is violated for some sizes, and what was neither proved nor refuted but
//! fails for data as data usually is. The others are left undecided. Whether an alarm is reported is for the [filters](super::filters).

use std::cell::OnceCell;

use crate::api::call_api::Bound;
use crate::budget::costly_calls::EntryKind;
use crate::calls::call::CallArguments;
use crate::heap::objects::InstanceData;
use crate::judge::filters::Verdict;
use crate::state::interpreter::Interpreter;
use crate::values::value::OperationId;
use harp_corpus::Span;
use harp_operations::operation::Judged;
use harp_python::name::Name;
use harp_shape::{Constraint, Counterexample, Dim, Leaf, Outcome, VarKind};
use harp_trace::{IssueKind, Remedy, Subject};

/// The call of which requirements were judged.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    pub api: Name,
    pub bound: &'a Bound,
    /// The library object that is called.
    pub object: Option<&'a InstanceData>,
    pub call: &'a CallArguments,
    pub operation: OperationId,
    /// What to write where its requirements fail, in their order; nothing where that is not known.
    pub help: &'a [Option<Remedy>],
    pub subject: Subject,
}

/// What tells that a requirement fails.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Evidence {
    /// The outcome of judging it.
    Outcome,
    /// It fails for all data that is as data usually is.
    UsualData,
    /// A size is wanted of what was made to measure of the data.
    Measure,
    /// Two sizes are to be the same that stand for all values.
    Independence,
    /// One size of the data is to be a number that plays another role.
    Roles,
}

/// A requirement that fails or may fail.
pub(crate) struct Alarm<'a> {
    pub judged: &'a Judged,
    /// Violated or possible.
    pub kind: IssueKind,
    pub evidence: Evidence,
    pub counterexample: Option<Counterexample>,
    conditions: OnceCell<Vec<String>>,
}

impl Alarm<'_> {
    /// Under which conditions it fails, in words.
    pub(crate) fn conditions(&self, interpreter: &Interpreter<'_>) -> &[String] {
        self.conditions.get_or_init(|| {
            let mut conditions = interpreter.path_conditions();
            conditions.extend(self.counterexample.iter().map(|example| example.condition.to_string()));
            conditions
        })
    }

    /// Whether it may not come to it: under conditions alone, or in an iteration that a loop may not have.
    pub(crate) fn is_conditional(&self, interpreter: &Interpreter<'_>) -> bool {
        !interpreter.loops.later_rounds.is_empty() || !self.conditions(interpreter).is_empty()
    }

    /// The example of a requirement that was judged to be violated for some sizes.
    pub(crate) fn judged_example(&self) -> Option<&Counterexample> {
        match &self.judged.outcome {
            Outcome::Possible(example) if self.evidence == Evidence::Outcome => Some(example),
            _ => None,
        }
    }

    /// Whether what fails is that there is no data at all.
    pub(crate) fn is_about_emptiness(&self, interpreter: &Interpreter<'_>) -> bool {
        self.evidence == Evidence::UsualData && interpreter.fails_unless_empty(&self.judged.constraint).is_some()
    }
}

impl Interpreter<'_> {
    /// The alarm that a requirement gives, if it gives one.
    pub(crate) fn alarm<'a>(&mut self, context: &Context<'_>, judged: &'a Judged) -> Option<Alarm<'a>> {
        let unusual = self.fails_as_data_usually_is(context, judged);
        let (kind, evidence, counterexample) = match &judged.outcome {
            Outcome::Holds => return None,
            _ if unusual.is_some() => (IssueKind::Possible, Evidence::UsualData, unusual),
            Outcome::Violated => (IssueKind::Violated, Evidence::Outcome, None),
            Outcome::Possible(example) => (IssueKind::Possible, Evidence::Outcome, Some(example.clone())),
            Outcome::Assumed if let Some(example) = self.equates_independent(judged) => {
                (IssueKind::Possible, Evidence::Independence, Some(example))
            }
            Outcome::Assumed if let Some(example) = self.gives_two_roles(context, judged) => {
                (IssueKind::Possible, Evidence::Roles, Some(example))
            }
            Outcome::Unknown | Outcome::Assumed if self.is_measured(context, judged) => {
                (IssueKind::Possible, Evidence::Measure, self.counterexample_of_measure(&judged.constraint))
            }
            Outcome::Unknown | Outcome::Assumed => return None,
        };
        Some(Alarm { judged, kind, evidence, counterexample, conditions: OnceCell::new() })
    }

    /// An example for which a requirement fails, and with it all that is as data usually is.
    fn fails_as_data_usually_is(&mut self, context: &Context<'_>, judged: &Judged) -> Option<Counterexample> {
        let constraint = &judged.constraint;
        match &judged.outcome {
            Outcome::Unknown | Outcome::Assumed if !self.is_of_later_iteration(constraint) => self
                .fails_for_usual_data(constraint)
                .or_else(|| self.turned_around(constraint, context.bound, context.object.is_some())),
            Outcome::Possible(example) if !example.fails_usually => {
                let is_told = is_worth_telling(&example.condition);
                let own = if is_told { None } else { self.count_for_divisor(constraint) };
                own.or_else(|| self.fails_unless_empty(constraint))
            }
            Outcome::Violated if self.fails_for_sizes_alone(constraint) => self.fails_unless_zero(constraint),
            _ => None,
        }
    }

    /// Whether a requirement that was not refuted wants a certain size of what has the size of the data.
    fn is_measured(&self, context: &Context<'_>, judged: &Judged) -> bool {
        let (constraint, bound) = (&judged.constraint, context.bound);
        self.is_column_for_a_vector(context.api, constraint, bound)
            || judged.outcome == Outcome::Assumed
                && (self.is_made_to_measure(constraint, bound, context.object)
                    || self.is_count_out_of_place(constraint, bound))
    }

    /// What the entry's verdict says of a requirement that gives no alarm.
    pub(crate) fn undecided(&self, judged: &Judged) -> Verdict {
        match judged.outcome {
            Outcome::Unknown | Outcome::Assumed if self.loops.changed_items > 0 => Verdict::Unproved,
            Outcome::Unknown if self.states_conditions() && self.is_of_inputs(&judged.constraint) => {
                let needed = self.solver.resolve_constraint(&judged.constraint).tidy();
                in_words(&needed).map_or(Verdict::Unproved, |needed| Verdict::Provided(self.on_this_way(&needed)))
            }
            Outcome::Unknown => {
                self.given_from_outside(&judged.constraint).map_or(Verdict::Unproved, Verdict::Provided)
            }
            Outcome::Assumed => self.taken_to_hold(&judged.constraint),
            Outcome::Holds | Outcome::Violated | Outcome::Possible(_) => Verdict::Dismissed,
        }
    }

    /// A requirement on the sizes of what a script reads, such as the height of an image, in words that its user can check.
    fn given_from_outside(&self, constraint: &Constraint) -> Option<String> {
        let are_sizes = Leaf::of(constraint).iter().all(|leaf| matches!(leaf, Leaf::Size(_)));
        let is_script = self.entry.kind != EntryKind::Symbolic && self.inference.is_none();
        (is_script && are_sizes && !self.is_left_to_chance(constraint)).then(|| in_words(constraint)).flatten()
    }

    /// Whether sizes are required where some conditions hold: what the inputs must be at the end does not tell.
    fn is_of_one_way(&self, constraint: &Constraint) -> bool {
        (is_of_sizes(constraint) || matches!(constraint, Constraint::Rank(..) | Constraint::Or(_)))
            && !self.path_conditions().is_empty()
    }

    /// Whoever calls the program gives what fits, unless chance gives it. Nobody calls a script with sizes that fit: they are what its files hold.
    fn taken_to_hold(&self, constraint: &Constraint) -> Verdict {
        let constraint = self.size_by_size(constraint);
        if self.is_left_to_chance(&constraint) {
            Verdict::Unproved
        } else if self.entry.kind != EntryKind::Symbolic && is_of_sizes(&constraint) {
            in_words(&constraint).map_or(Verdict::Unproved, Verdict::Provided)
        } else if self.entry.kind == EntryKind::Symbolic && self.inference.is_none() && self.is_of_one_way(&constraint)
        {
            in_words(&constraint).map_or(Verdict::Dismissed, |needed| Verdict::Provided(self.on_this_way(&needed)))
        } else if self.entry.kind == EntryKind::Symbolic && relates_several(&constraint) {
            in_words(&constraint).map_or(Verdict::Dismissed, Verdict::Provided)
        } else {
            Verdict::Dismissed
        }
    }
}

/// Whether a condition of failure says something that its reader does not know: that two sizes must agree. That sizes must be large
/// enough, or divide each other in roundabout ways, is what every operation demands of its settings.
pub(crate) fn is_worth_telling(condition: &Constraint) -> bool {
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

/// Whether a requirement says that sizes fit each other, of which some may be anything.
fn is_of_sizes(constraint: &Constraint) -> bool {
    let leaves = Leaf::of(constraint);
    relates_sizes(constraint)
        && leaves.iter().all(|leaf| matches!(leaf, Leaf::Size(_)))
        && leaves.iter().any(|leaf| matches!(leaf, Leaf::Size(var) if var.kind() == VarKind::Free))
}

/// Whether a requirement says that sizes of callers fit each other. That one of them is a certain number is what the shape of an argument is
/// about.
fn relates_several(constraint: &Constraint) -> bool {
    is_of_sizes(constraint) && constraint.variables().len() > 1
}

fn relates_sizes(constraint: &Constraint) -> bool {
    match constraint {
        Constraint::True | Constraint::Equal(..) | Constraint::Broadcastable(..) => true,
        Constraint::And(parts) => parts.iter().all(relates_sizes),
        _ => false,
    }
}

/// A requirement that readers can check, as all that it names has a name of its own.
pub(crate) fn in_words(constraint: &Constraint) -> Option<String> {
    let names: Vec<String> = constraint.variables().iter().map(|var| var.name()).collect();
    let is_plain = |name: &String| name.len() > 1 && !name.starts_with("unknown");
    let are_distinct = names.iter().enumerate().all(|(index, name)| !names[..index].contains(name));
    (are_distinct && names.iter().all(is_plain)).then(|| constraint.to_string())
}

impl Interpreter<'_> {
    /// Notes that a filter silenced an alarm of the program; packages are not checked, and inference reports nothing.
    pub(crate) fn note_silenced(&mut self, filter: &'static str, span: Span, api: Name, requirement: &str) {
        if self.inference.is_some() {
            return;
        }
        if !self.corpus.is_foreign(span.file) {
            self.trace.silenced.note(filter, span, api, requirement, false);
        } else if self.corpus.libraries.is_own(span.file)
            && let Some(place) = self.calls.stack.iter().rev().find(|call| !self.corpus.is_foreign(call.file))
        {
            // Who wrote the source is to see it.
            self.trace.silenced.note(filter, *place, api, requirement, true);
        }
    }
}
