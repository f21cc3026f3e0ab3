//! Answers to assumptions in the configuration: `[[assume]]` and `[[deny]]`.

use harp_report::{UserError, closest};
use harp_trace::answers::{Answer, Reply, Selector};
use harp_trace::assumption::AssumptionKind;

use crate::config::keys::{RawAnswer, RawSpeculation};
use crate::config::table::Table;

/// More answers than this are refused: whoever means so many assumptions means them by kind or text.
const MOST_ANSWERS: usize = 10_000;

/// The answers as they are written.
#[derive(Default)]
pub(crate) struct RawAnswers {
    pub assume: Vec<toml::Spanned<Table<RawAnswer>>>,
    pub deny: Vec<toml::Spanned<Table<RawAnswer>>>,
}

/// The patterns that a configuration switches off, as denials of all that they assume.
pub(crate) fn disabled(raw: RawSpeculation, name: &str, text: &str) -> Result<Vec<Answer>, UserError> {
    let mut answers = Vec::new();
    for typed in raw.disable {
        let kinds = AssumptionKind::of_name_or_class(typed.get_ref());
        if kinds.is_empty() {
            return Err(unknown_kind(&typed, name, text));
        }
        answers.extend(kinds.into_iter().map(|kind| Answer {
            reply: Reply::Denied,
            selector: Selector { kind: Some(kind), ..Selector::default() },
            origin: String::new(),
        }));
    }
    Ok(answers)
}

/// The answers of a configuration file of that name and text, in the order of the file.
pub(crate) fn resolve(raw: RawAnswers, name: &str, text: &str) -> Result<Vec<Answer>, UserError> {
    let assume = raw.assume.into_iter().map(|answer| (Reply::Confirmed, answer));
    let deny = raw.deny.into_iter().map(|answer| (Reply::Denied, answer));
    let mut all: Vec<_> = assume.chain(deny).collect();
    all.sort_by_key(|(_, answer)| answer.span().start);
    if let Some((_, answer)) = all.get(MOST_ANSWERS) {
        let message = format!("there are more than {MOST_ANSWERS} answers to assumptions");
        return Err(UserError::new(message)
            .at(name, text, answer.span(), "")
            .hint("an answer with a kind or a text alone means all assumptions that fit it"));
    }
    let mut lines = Lines { text, offset: 0, line: 1 };
    all.into_iter().map(|(reply, answer)| one(reply, answer, name, &mut lines)).collect()
}

fn one(
    reply: Reply,
    answer: toml::Spanned<Table<RawAnswer>>,
    name: &str,
    lines: &mut Lines<'_>,
) -> Result<Answer, UserError> {
    let span = answer.span();
    let text = lines.text;
    let raw = answer.into_inner().0;
    let origin = format!("{name}:{}", lines.line_of(span.start));
    if raw.kind.is_none() && raw.file.is_none() && raw.subject.is_none() && raw.text.is_none() && raw.line.is_none() {
        return Err(UserError::new("the answer does not say which assumptions it means")
            .at(name, text, span, "")
            .hint("give it a `kind`, `file`, `line`, `subject` or `text`; all that are given must fit"));
    }
    if let Some(line) = raw.line.as_ref().filter(|_| raw.file.is_none()) {
        return Err(UserError::new("a line without its file")
            .at(name, text, line.span(), "")
            .hint("add `file = \"…\"`"));
    }
    let kind = raw.kind.map(|kind| known_kind(&kind, name, text)).transpose()?;
    let line = raw.line.map(toml::Spanned::into_inner);
    let selector = Selector { kind, file: raw.file, line, subject: raw.subject, text: raw.text };
    Ok(Answer { reply, selector, origin })
}

fn known_kind(kind: &toml::Spanned<String>, name: &str, text: &str) -> Result<AssumptionKind, UserError> {
    AssumptionKind::parse(kind.get_ref()).ok_or_else(|| unknown_kind(kind, name, text))
}

fn unknown_kind(kind: &toml::Spanned<String>, name: &str, text: &str) -> UserError {
    let typed = kind.get_ref();
    let error = UserError::new(format!("`{typed}` is not a kind of assumption")).at(name, text, kind.span(), "");
    match closest(typed, AssumptionKind::ALL.map(AssumptionKind::as_str)) {
        Some(meant) => error.hint(format!("did you mean `{meant}`?")),
        None => error.note(format!("the kinds are {}", AssumptionKind::ALL.map(AssumptionKind::as_str).join(", "))),
    }
}

/// Counts lines up to ascending offsets, each byte once.
struct Lines<'a> {
    text: &'a str,
    offset: usize,
    line: usize,
}

impl Lines<'_> {
    fn line_of(&mut self, offset: usize) -> usize {
        let passed = self.text.as_bytes().get(self.offset..offset).unwrap_or_default();
        self.line += passed.iter().filter(|byte| **byte == b'\n').count();
        self.offset = offset.max(self.offset);
        self.line
    }
}
