//! `harp test`: makes a program of recorded calls. Most of what a program costs is what it imports, so many calls are
//! one program, each in a function of its own: an error ends no other call, and each has all the steps of an entry.
//! What is not right there is asked again alone, as a call may still leave a trace for those behind it, in the state of
//! a module.

use std::panic::{AssertUnwindSafe, catch_unwind};

use rayon::prelude::*;

use harp_report::{REVEAL_RULE, Severity};

use super::super::cases::{Case, File};
use super::super::check::place;
use super::super::{Analysed, Bench};
use super::compare::compare;
use super::{Answer, Line};

/// So many calls are one program.
const CALLS: usize = 64;

/// A recorded call.
pub struct Call {
    /// Its line in the file, from 1.
    pub line: usize,
    /// Statements before it.
    pub imports: String,
    /// Statements that make the parameters of the function around it.
    pub parameters: Vec<String>,
    /// Whether the library accepts it.
    pub accepted: bool,
    /// The expression for what is in the object that the call gives.
    pub content: Option<String>,
    pub recorded: Line,
}

/// What is asked of calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Question {
    /// What they give.
    Result,
    /// What is in the objects that they give.
    Content,
}

/// What Harp says of each of the calls.
pub fn answers(bench: &Bench<'_>, calls: &[Call]) -> Vec<Answer> {
    let programs: Vec<&[Call]> =
        calls.chunk_by(|one, next| one.imports == next.imports).flat_map(|alike| alike.chunks(CALLS)).collect();
    programs.par_iter().flat_map_iter(|calls| of_program(bench, calls)).collect()
}

fn of_program(bench: &Bench<'_>, calls: &[Call]) -> Vec<Answer> {
    let together = analysed(bench, calls, Question::Result);
    let answers = together.into_iter().zip(calls);
    let alone = |call: &Call, question| analysed(bench, std::slice::from_ref(call), question).pop();
    let again = |(answer, call): (Answer, &Call)| {
        let answer = match answer.is_right() || calls.len() == 1 {
            true => answer,
            false => alone(call, Question::Result).unwrap_or(answer),
        };
        if call.content.is_none() || !matches!(answer, Answer::Unknown(_)) {
            return answer;
        }
        // An object is as its class, and what is in it is compared.
        match alone(call, Question::Content) {
            Some(found @ (Answer::Known | Answer::Wrong(_) | Answer::Open | Answer::Unknown(_))) => found,
            _ => answer,
        }
    };
    answers.map(again).collect()
}

/// Analyses one program of calls.
fn analysed(bench: &Bench<'_>, calls: &[Call], question: Question) -> Vec<Answer> {
    let Some(first) = calls.first() else { return Vec::new() };
    let Program { text, ends } = Program::of(calls, question);
    let files = vec![File { name: "main.py".to_owned(), line: first.line, text }];
    let case = Case { files, data: Vec::new(), configuration: None, arguments: None };
    let failed = |reason: &str| calls.iter().map(|_| Answer::Wrong(reason.to_owned())).collect();
    let analysed = match catch_unwind(AssertUnwindSafe(|| bench.analyse(&case))) {
        Ok(Ok(analysed)) => analysed,
        Ok(Err(failure)) => return failed(&failure.message.unwrap_or_default()),
        Err(_) => return failed("the analysis failed"),
    };
    let said = Said::of(&analysed, &ends);
    calls.iter().zip(said).map(|(call, said)| said.answer(call)).collect()
}

/// A program of several calls.
struct Program {
    text: String,
    /// The line behind each call, from 1.
    ends: Vec<usize>,
}

impl Program {
    /// One call is a program of statements, several are functions.
    fn of(calls: &[Call], question: Question) -> Program {
        let mut text = calls.first().map(|call| format!("{}\n", call.imports)).unwrap_or_default();
        let mut ends = Vec::new();
        for (number, call) in calls.iter().enumerate() {
            let indent = if calls.len() == 1 { "" } else { "    " };
            if calls.len() > 1 {
                text.push_str(&format!("def call_{number}():\n"));
            }
            for statement in &call.parameters {
                text.push_str(&format!("{indent}{statement}\n"));
            }
            let content = call.content.as_deref().filter(|_| question == Question::Content);
            let code = content.or(call.recorded.code.as_deref()).unwrap_or_default();
            text.push_str(&format!("{indent}reveal_type({code})\n"));
            ends.push(text.lines().count() + 1);
        }
        Program { text, ends }
    }
}

/// What Harp says of a call.
#[derive(Clone, Default)]
struct Said {
    error: Option<String>,
    revealed: Option<String>,
}

impl Said {
    /// The first of each kind, by the lines of the calls.
    fn of(analysed: &Analysed, ends: &[usize]) -> Vec<Said> {
        let mut said = vec![Said::default(); ends.len()];
        for finding in &analysed.findings {
            let (_, line) = place(analysed, finding.primary.span);
            let Some(said) = said.get_mut(ends.partition_point(|end| *end <= line)) else { continue };
            let slot = match (finding.rule == REVEAL_RULE, finding.severity) {
                (true, _) => &mut said.revealed,
                (false, Severity::Error) => &mut said.error,
                (false, _) => continue,
            };
            slot.get_or_insert_with(|| finding.message.clone());
        }
        said
    }

    fn answer(self, call: &Call) -> Answer {
        match (call.accepted, self.error) {
            (false, Some(_)) => Answer::Reported,
            (false, None) => Answer::Missed,
            // Tracing accepts it, and with these sizes it failed when it was run.
            (true, Some(_)) if call.recorded.run_ok == Some(false) => Answer::Known,
            (true, Some(error)) => Answer::RefusedHere(format!("the library accepts it, and here it fails: {error}")),
            (true, None) => compare(&call.recorded, &self.revealed.unwrap_or_default()),
        }
    }
}
