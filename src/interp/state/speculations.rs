//! Interpreter state: what the running entry rests on, and what speaks against vouching for it.

use crate::state::interpreter::Interpreter;
use crate::unknown::unknown_calls::UNKNOWN_CALL;
use harp_corpus::Span;
use harp_trace::LEFT_TO_CALLERS;
use harp_trace::answers::{Asked, Reply};
use harp_trace::assumption::{Assumption, AssumptionId, AssumptionKind, AssumptionSet};

/// What became of a speculation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speculation {
    /// Nobody said anything of it: what rests on it names it.
    Assumed(AssumptionId),
    /// The user says that it holds.
    Confirmed,
    /// The user says that it does not: nothing may rest on it.
    Denied,
}

impl Speculation {
    /// What a value that rests on it rests on; `None` where nothing may.
    pub fn granted(self) -> Option<AssumptionSet> {
        match self {
            Speculation::Assumed(id) => Some(AssumptionSet::one(id)),
            Speculation::Confirmed => Some(AssumptionSet::default()),
            Speculation::Denied => None,
        }
    }
}

impl Interpreter<'_> {
    /// Asks whether the running entry may rest on a speculation, and records it unless the user confirmed it.
    pub fn speculate(
        &mut self,
        kind: AssumptionKind,
        subject: &str,
        text: String,
        evidence: String,
        span: Span,
    ) -> Speculation {
        // What Harp's own sources of a library do is told of the program's call.
        let (own, given) = (self.at_own_code(span), span);
        let (span, subject, text) = if own == given {
            (given, subject.to_owned(), text)
        } else {
            let call = self.source_text(own).split_whitespace().collect::<Vec<_>>().join(" ");
            let text = text.replace(&format!("`{subject}`"), &format!("`{call}`"));
            (own, call, text)
        };
        let asked = Asked { span: Some(span), kind: kind.as_str().to_owned(), subject, text, evidence };
        match self.trace.answers.reply(&asked, self.corpus) {
            Some(Reply::Denied) => {
                self.sizes.denials += 1;
                return Speculation::Denied;
            }
            Some(Reply::Confirmed) => return Speculation::Confirmed,
            None => {}
        }
        let Asked { subject, text, evidence, .. } = asked;
        let id = self.trace.assumptions.add(Assumption { kind, subject, text, evidence, span });
        self.entry.assumptions = self.entry.assumptions.with(id);
        Speculation::Assumed(id)
    }

    /// A place of the program: of what stands in Harp's own sources of a library, the program's call that leads there.
    pub(crate) fn at_own_code(&self, span: Span) -> Span {
        if !self.corpus.is_standard(span.file) {
            return span;
        }
        let own = self.calls.stack.iter().rev().find(|call| !self.corpus.is_standard(call.file));
        own.copied().unwrap_or(span)
    }

    /// Records that something was not understood, and returns the value to go on with.
    pub fn not_understood(&mut self, what: &str, span: Span) {
        self.entry.reached.insert(what.to_owned());
        self.note_not_understood(what, span);
    }

    /// Records a call that was not followed and whose result nothing was made of yet: what the rest of the entry does is vouched for, unless
    /// it reaches an operation.
    pub(crate) fn not_followed(&mut self, what: &str, span: Span) {
        self.note_not_understood(what, span);
    }

    /// Records that the result of a call reaches an operation which was not followed, and is counted already.
    pub(crate) fn note_reached(&mut self, what: &str, span: Span) {
        match self.entry.not_understood.iter().any(|(known, _)| known == what) {
            true => _ = self.entry.reached.insert(what.to_owned()),
            false => self.not_understood(what, span),
        }
    }

    fn note_not_understood(&mut self, what: &str, span: Span) {
        let span = self.at_own_code(span);
        self.record_not_understood(what, span);
        // An entry names the callee; the summary of the whole run counts such calls together.
        let counted = if what.starts_with("call of `") { UNKNOWN_CALL } else { what };
        // What callers must know is understood: it is no gap of the analysis.
        if what != LEFT_TO_CALLERS {
            self.trace.count_not_understood(counted, span);
        }
        if self.entry.not_understood.is_empty() {
            self.leave_steps();
        }
        if self.entry.not_understood.len() < 64 && !self.entry.not_understood.iter().any(|(known, _)| known == what) {
            self.entry.not_understood.push((what.to_owned(), span));
        }
    }

    /// Records that a requirement was neither proved nor refuted, so that the entry is not vouched for.
    pub fn unproved(&mut self, what: &str, span: Span) {
        let span = self.at_own_code(span);
        self.record_unproved(what, span);
        self.trace.count_not_understood(what, span);
        if self.entry.unproved.len() < 64 && !self.entry.unproved.iter().any(|(known, _)| known == what) {
            self.entry.unproved.push((what.to_owned(), span));
        }
    }

    /// Records what sizes must fulfil so that nothing fails.
    pub fn provided(&mut self, condition: String) {
        if self.entry.provided.len() < 64 && !self.entry.provided.contains(&condition) {
            self.entry.provided.push(condition);
        }
    }
}
