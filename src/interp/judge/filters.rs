//! Reasons not to report an alarm, each a function with a name, in the order of a table: the first that applies silences the alarm, and the
//! trace says which one it was. A filter knows of the program what makes the alarm none of its mistakes: that it expects the failure, that the way
//! there is not possible, or that whoever calls it would not give such inputs. `docs/output.md` lists the names.

use crate::budget::costly_calls::EntryKind;
use crate::judge::alarms::{Alarm, Context, is_worth_telling};
use crate::state::interpreter::Interpreter;
use harp_operations::operation::Judged;
use harp_python::name::Name;
use harp_shape::{Constraint, Counterexample, Outcome};
use harp_trace::IssueKind;
use harp_trace::silenced::UNUSED_DEFAULT;

/// What becomes of an alarm that is silenced.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The entry is not vouched for.
    Unproved,
    /// The entry is vouched for where this holds.
    Provided(String),
    /// Nothing is said.
    Dismissed,
    /// It is reported only where another way leads to it on which no filter applies, or where it fails on every way.
    LeftToCallers,
}

/// What becomes of a call all of whose alarms are silenced.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum CallVerdict {
    Dismissed,
    /// The program goes on in the handler of this exception.
    Raises(&'static str),
}

type CallFilter = fn(&Interpreter<'_>, &Context<'_>, &[Judged]) -> Option<CallVerdict>;
type Filter = fn(&Interpreter<'_>, &Context<'_>, &Alarm<'_>) -> Option<Verdict>;

/// Filters of all that a call requires.
const CALL_FILTERS: [(&str, CallFilter); 3] = [
    ("contradictory-inputs", contradictory_inputs),
    (AFTER_EXIT, after_exit),
    (EXPECTED_EXCEPTION, expected_exception),
];

/// Filters of one alarm.
const FILTERS: [(&str, Filter); 21] = [
    // What was required says more of how it was followed than of the program.
    ("changed-item", changed_item),
    ("later-iteration", later_iteration),
    ("integer-of-callers", integer_of_callers),
    ("annotated-state", annotated_state),
    ("truth-for-tensor", truth_for_tensor),
    ("counted-iteration", counted_iteration),
    ("border-test", border_test),
    // It fails for some sizes, which whoever sets them knows not to choose.
    ("settings-of-one-file", settings_of_one_file),
    ("sizes-given-together", sizes_given_together),
    ("common-demand", common_demand),
    // What it is about is not known well enough.
    ("placeholder-size", placeholder_size),
    ("excluded-rank", excluded_rank),
    (INFEASIBLE_PATH, infeasible_path),
    // Callers would not use the program so.
    ("branch-in-test", branch_in_test),
    (INCOMPATIBLE_INPUTS, incompatible_inputs),
    ("empty-operand", empty_operand),
    ("empty-size", empty_size),
    ("evaluation-mode", evaluation_mode),
    ("missing-option", missing_option),
    ("filled-elsewhere", filled_elsewhere),
    ("asked-by-callers", asked_by_callers),
];

/// What silences alarms elsewhere: before a requirement is judged finally, for uses that are no requirements, and once all entries were followed.
const ELSEWHERE: [&str; 6] =
    [GUESSED_RANK, EMPTY_RANGE, REPEATED_QUESTION, INSIDE_PACKAGE, CONSEQUENCE, UNUSED_DEFAULT];

pub(crate) const AFTER_EXIT: &str = "after-exit";
pub(crate) const EXPECTED_EXCEPTION: &str = "expected-exception";
pub(crate) const INFEASIBLE_PATH: &str = "infeasible-path";
pub(crate) const INCOMPATIBLE_INPUTS: &str = "incompatible-inputs";
/// `Interpreter::forgive_wrong_guesses`.
pub(crate) const GUESSED_RANK: &str = "guessed-rank";
/// `Interpreter::forgive_empty_ranges`.
pub(crate) const EMPTY_RANGE: &str = "empty-range";
/// `Interpreter::answers_one_question_often`.
pub(crate) const REPEATED_QUESTION: &str = "repeated-question";
/// `Interpreter::at_the_program`.
pub(crate) const INSIDE_PACKAGE: &str = "inside-package";
/// `Interpreter::has_failed_within`.
pub(crate) const CONSEQUENCE: &str = "consequence";

/// The names of all filters: of the tables in the order in which they are asked, and then those that are asked elsewhere.
pub fn filter_names() -> impl Iterator<Item = &'static str> {
    let of_calls = CALL_FILTERS.iter().map(|(name, _)| *name);
    of_calls.chain(FILTERS.iter().map(|(name, _)| *name)).chain(ELSEWHERE)
}

/// The first filter that silences all that a call requires.
pub(crate) fn filter_call(
    interpreter: &Interpreter<'_>,
    context: &Context<'_>,
    judged: &[Judged],
) -> Option<(&'static str, CallVerdict)> {
    CALL_FILTERS.iter().find_map(|(name, filter)| Some((*name, filter(interpreter, context, judged)?)))
}

/// The first filter that silences an alarm.
pub(crate) fn filter(
    interpreter: &Interpreter<'_>,
    context: &Context<'_>,
    alarm: &Alarm<'_>,
) -> Option<(&'static str, Verdict)> {
    FILTERS.iter().find_map(|(name, filter)| Some((*name, filter(interpreter, context, alarm)?)))
}

/// What is assumed of the inputs contradicts itself: nobody gets here. Inference asks for just that.
fn contradictory_inputs(interpreter: &Interpreter<'_>, _: &Context<'_>, _: &[Judged]) -> Option<CallVerdict> {
    (interpreter.solver.is_contradictory() && interpreter.inference.is_none()).then_some(CallVerdict::Dismissed)
}

/// The program ended before.
fn after_exit(interpreter: &Interpreter<'_>, _: &Context<'_>, _: &[Judged]) -> Option<CallVerdict> {
    interpreter.entry.is_after_exit.then_some(CallVerdict::Dismissed)
}

/// The program stands ready for the failure, with a `try` or `pytest.raises`. What certainly fails raises; what may fail does so where the program
/// is prepared for it.
fn expected_exception(interpreter: &Interpreter<'_>, context: &Context<'_>, judged: &[Judged]) -> Option<CallVerdict> {
    let exception = interpreter.expected_exception(context.api)?;
    let fails = |it: &Judged| it.outcome == Outcome::Violated && !interpreter.is_of_later_iteration(&it.constraint);
    if judged.iter().any(fails) {
        return Some(CallVerdict::Raises(exception));
    }
    judged.iter().any(Judged::may_fail).then_some(CallVerdict::Dismissed)
}

/// One item stands for all of a sequence, and an earlier iteration changed it: the next item of the program is as the first one was.
fn changed_item(interpreter: &Interpreter<'_>, _: &Context<'_>, _: &Alarm<'_>) -> Option<Verdict> {
    (interpreter.loops.changed_items > 0).then_some(Verdict::Unproved)
}

/// It fails in an iteration after the first of a loop that may end before.
fn later_iteration(interpreter: &Interpreter<'_>, _: &Context<'_>, alarm: &Alarm<'_>) -> Option<Verdict> {
    let is_later = is_violated(alarm) && interpreter.is_of_later_iteration(&alarm.judged.constraint);
    is_later.then_some(Verdict::Unproved)
}

/// An integer of the caller's is taken for a size, and sizes are positive; it may as well be an index, and 0.
fn integer_of_callers(interpreter: &Interpreter<'_>, context: &Context<'_>, alarm: &Alarm<'_>) -> Option<Verdict> {
    let constraint = &alarm.judged.constraint;
    // On one of several ways it may be no size of the layer that is meant.
    let is_of_layer = |var| interpreter.sizes.layer_sizes.contains(&var) && !alarm.is_conditional(interpreter);
    let is_size = |var| is_of_layer(var) || interpreter.is_size_of_operand(var, context.bound);
    let is_integer = is_violated(alarm)
        && interpreter.fails_for_sizes_alone(constraint)
        && !constraint.variables().into_iter().any(is_size);
    is_integer.then_some(Verdict::Unproved)
}

/// That one tensor is given in place of several, as the state of an LSTM, says the annotation alone.
fn annotated_state(interpreter: &Interpreter<'_>, context: &Context<'_>, alarm: &Alarm<'_>) -> Option<Verdict> {
    let is_said = is_violated(alarm) && interpreter.is_said_to_be_one(&alarm.judged.operands, context.bound);
    is_said.then_some(Verdict::Unproved)
}

/// PyTorch takes no truth value for a tensor: where a function that nobody calls passes one, it is the comparison of a tensor that was left out.
fn truth_for_tensor(interpreter: &Interpreter<'_>, context: &Context<'_>, alarm: &Alarm<'_>) -> Option<Verdict> {
    let is_truth = is_violated(alarm) && interpreter.has_truth_for_tensor(context.api, context.bound);
    is_truth.then_some(Verdict::Unproved)
}

/// Whoever counts what a loop stores knows how often it runs; there may be no second iteration.
fn counted_iteration(interpreter: &Interpreter<'_>, context: &Context<'_>, alarm: &Alarm<'_>) -> Option<Verdict> {
    let message = &alarm.judged.message;
    let is_counted = is_violated(alarm)
        && !interpreter.loops.later_rounds.is_empty()
        && (is_place_out_of_range(context.api, message) || is_one_for_several(message));
    is_counted.then_some(Verdict::Unproved)
}

/// A test of a neighbour's index refuses it in one iteration: `if row + i >= len(rows): use(rows[row])`.
fn border_test(interpreter: &Interpreter<'_>, context: &Context<'_>, alarm: &Alarm<'_>) -> Option<Verdict> {
    let is_refused = is_violated(alarm)
        && is_place_out_of_range(context.api, &alarm.judged.message)
        && interpreter.is_refused_at_border(&alarm.judged.constraint, context.call);
    is_refused.then_some(Verdict::Unproved)
}

/// The sizes on which it depends are all of one file of settings, whose author knows that they go together.
fn settings_of_one_file(interpreter: &Interpreter<'_>, _: &Context<'_>, alarm: &Alarm<'_>) -> Option<Verdict> {
    let example = alarm.judged_example()?;
    interpreter.model_state.settings.are_of_one_file(&example.condition.variables()).then(|| provided(example))
}

/// A size on which it depends was given together with others by something of which nothing is known: they may always fit.
fn sizes_given_together(interpreter: &Interpreter<'_>, _: &Context<'_>, alarm: &Alarm<'_>) -> Option<Verdict> {
    let example = alarm.judged_example()?;
    interpreter.solver.has_open_size(&example.condition.variables()).then(|| provided(example))
}

/// That sizes are large enough, or divide each other, is what every operation demands of its settings.
fn common_demand(interpreter: &Interpreter<'_>, _: &Context<'_>, alarm: &Alarm<'_>) -> Option<Verdict> {
    let example = alarm.judged_example()?;
    let is_news = example.fails_usually && is_legible(&example.condition)
        || is_worth_telling(&example.condition)
        || interpreter.fails_for_most_draws(&alarm.judged.constraint);
    (!is_news).then(|| provided(example))
}

/// It fails for a parameter whose default is -1, which says that there is none: whoever calls the function gives one.
fn placeholder_size(interpreter: &Interpreter<'_>, context: &Context<'_>, alarm: &Alarm<'_>) -> Option<Verdict> {
    interpreter.rests_on_no_size(&alarm.judged.constraint, context.bound).then_some(Verdict::Unproved)
}

/// The path says of a tensor only which rank it has not, so that it may be of ranks that nobody meant.
fn excluded_rank(interpreter: &Interpreter<'_>, context: &Context<'_>, alarm: &Alarm<'_>) -> Option<Verdict> {
    interpreter.rules_out_one_rank(alarm.judged, context.bound).then_some(Verdict::Unproved)
}

/// The conditions of the path exclude each other. What fails on all ways fails, also where some of them are in doubt: that is decided where the
/// ways meet.
fn infeasible_path(interpreter: &Interpreter<'_>, _: &Context<'_>, alarm: &Alarm<'_>) -> Option<Verdict> {
    if !alarm.is_conditional(interpreter) || interpreter.is_path_possible() {
        return None;
    }
    let may_fail_on_all_ways = is_violated(alarm) && interpreter.is_path_doubtful();
    Some(if may_fail_on_all_ways { Verdict::LeftToCallers } else { Verdict::Dismissed })
}

/// A test decides its conditions itself, and whoever wrote it saw which way it goes.
fn branch_in_test(interpreter: &Interpreter<'_>, _: &Context<'_>, alarm: &Alarm<'_>) -> Option<Verdict> {
    (alarm.is_conditional(interpreter) && interpreter.runs_test()).then_some(Verdict::LeftToCallers)
}

/// Inputs that are not known would have to go together badly, or be what only another caller's function asks for.
fn incompatible_inputs(interpreter: &Interpreter<'_>, _: &Context<'_>, _: &Alarm<'_>) -> Option<Verdict> {
    interpreter.is_left_to_callers().then_some(Verdict::LeftToCallers)
}

/// Whoever has nothing to work on does not ask for it.
fn empty_operand(interpreter: &Interpreter<'_>, context: &Context<'_>, alarm: &Alarm<'_>) -> Option<Verdict> {
    let may_be_avoided = interpreter.entry.kind == EntryKind::Symbolic || alarm.is_conditional(interpreter);
    let is_empty = may_be_avoided
        && interpreter.has_empty_operand(&alarm.judged.operands, context.bound)
        && !alarm.is_about_emptiness(interpreter);
    is_empty.then_some(Verdict::LeftToCallers)
}

/// It asks under a condition whether a size is 0 of which nothing is known: what has no elements goes with what has none.
fn empty_size(interpreter: &Interpreter<'_>, _: &Context<'_>, alarm: &Alarm<'_>) -> Option<Verdict> {
    let asks = alarm.is_conditional(interpreter)
        && interpreter.asks_for_emptiness(&alarm.judged.constraint)
        && !alarm.is_about_emptiness(interpreter);
    asks.then_some(Verdict::LeftToCallers)
}

/// Training alone requires it, and the object may be one that is evaluated.
fn evaluation_mode(interpreter: &Interpreter<'_>, _: &Context<'_>, alarm: &Alarm<'_>) -> Option<Verdict> {
    interpreter.may_be_evaluating(&alarm.judged.operands).then_some(Verdict::LeftToCallers)
}

/// A function that nobody calls passes on options, of which one would have to be given.
fn missing_option(interpreter: &Interpreter<'_>, context: &Context<'_>, alarm: &Alarm<'_>) -> Option<Verdict> {
    let lacks = interpreter.lacks_an_option(&alarm.judged.operands, context.bound, context.call);
    lacks.then_some(Verdict::LeftToCallers)
}

/// A list without items was made before the running call: what fills it was perhaps not seen.
fn filled_elsewhere(interpreter: &Interpreter<'_>, context: &Context<'_>, alarm: &Alarm<'_>) -> Option<Verdict> {
    interpreter.is_filled_elsewhere(&alarm.judged.operands, context.bound).then_some(Verdict::LeftToCallers)
}

/// All callers ask first for what the operation works on, and the defaults with which the function was run pass no such question.
fn asked_by_callers(interpreter: &Interpreter<'_>, context: &Context<'_>, alarm: &Alarm<'_>) -> Option<Verdict> {
    let is_of_settings = is_violated(alarm) && alarm.judged.constraint.variables().is_empty();
    (is_of_settings && interpreter.is_asked_for_by_callers(context.call.span)).then_some(Verdict::Unproved)
}

/// Whether people can make something of a condition: one of many quotients and bounds says how it was followed.
fn is_legible(condition: &Constraint) -> bool {
    const MOST_PARTS: usize = 3;
    let text = condition.to_string();
    ["//", "min(", "max("].iter().map(|part| text.matches(part).count()).sum::<usize>() <= MOST_PARTS
}

/// Whether it fails whatever the sizes are.
fn is_violated(alarm: &Alarm<'_>) -> bool {
    alarm.kind == IssueKind::Violated
}

/// What the entry's verdict says of a demand that is not worth a finding: nothing, where the program's own settings fulfil it.
fn provided(example: &Counterexample) -> Verdict {
    match example.is_default_fine {
        true => Verdict::Dismissed,
        false => Verdict::Provided(example.condition.negated().to_string()),
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
