//! Makes findings of the user's answers in the trace: comments that are wrong, answers that fit nothing, and what was
//! answered.

use harp_report::{Answered, Assumption, CALLED_FROM, Finding, Label, Severity, Standing, Summary, UnusedAnswer};
use harp_trace::Trace;
use harp_trace::answers::{Asked, Contradiction, Problem, Reply};
use harp_trace::assumption::AssumptionKind;

/// The first part of the ids of these rules, which belong to no pack.
pub const ANSWER_RULES: &str = "answer";
/// A comment `# harp: …` that Harp cannot follow.
pub const MALFORMED_RULE: &str = "answer/malformed";
/// A comment that fits no assumption, or speaks of a value that never came about.
pub const UNUSED_RULE: &str = "answer/unused";
/// A comment on a value that is known to be another.
pub const CONTRADICTED_RULE: &str = "answer/contradicted";

/// What is to be said of comments. Rules have been evaluated before, as their findings use answers.
pub fn findings(trace: &Trace) -> Vec<Finding> {
    let malformed = trace.answers.problems.iter().map(malformed);
    let unused = trace.answers.unused_comments().into_iter();
    let unused = unused.map(|(span, text)| Finding::new(UNUSED_RULE, Severity::Note, text, Label::new(span, "")));
    malformed.chain(unused).chain(trace.contradictions.iter().map(contradicted)).collect()
}

fn malformed(problem: &Problem) -> Finding {
    let mut finding = Finding::new(MALFORMED_RULE, Severity::Warning, &problem.message, Label::new(problem.span, ""));
    finding.help.clone_from(&problem.hint);
    finding
}

fn contradicted(contradiction: &Contradiction) -> Finding {
    let place = Label::new(contradiction.span, "this comment is not followed");
    let mut finding = Finding::new(CONTRADICTED_RULE, Severity::Warning, &contradiction.message, place);
    if let Some((what, span)) = &contradiction.origin {
        finding.labels.push(Label::new(*span, format!("{what} comes from here")));
    }
    if let Some(call) = contradiction.call {
        finding.labels.push(Label::new(call, CALLED_FROM));
    }
    finding
}

/// Adds what was answered, and the configuration's answers that fit nothing.
pub fn summarise(trace: &Trace, summary: &mut Summary) {
    summary.answered = trace.answers.answered().into_iter().map(answered).collect();
    let unused = trace.answers.unused_in_configuration().into_iter();
    summary.unused_answers =
        unused.map(|answer| UnusedAnswer { place: answer.origin.clone(), standing: standing(answer.reply) }).collect();
}

fn answered((asked, reply): (Asked, Reply)) -> Answered {
    let Asked { span, kind, subject, text, evidence } = asked;
    let class = AssumptionKind::class_of(&kind);
    let assumption = Assumption { id: u32::MAX, kind, class, subject, text, span, evidence };
    Answered { assumption, standing: standing(reply) }
}

fn standing(reply: Reply) -> Standing {
    match reply {
        Reply::Confirmed => Standing::Confirmed,
        Reply::Denied => Standing::Denied,
    }
}
