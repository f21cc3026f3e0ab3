//! What users say of assumptions, in the configuration and in comments beside the code.
//!
//! The interpreter asks before it speculates, the graph before it hands on rows that rest on assumptions, and the report for what is
//! assumed of code that was not resolved. Each assumption has one reply, whoever asks and in whichever order.

pub mod comment;
mod selector;
mod stated;

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::assumption::AssumptionKind;
use harp_corpus::{Corpus, FileId, Span};
use harp_python::harp_comments::{About, MOST_REMARKS, Remark};
use harp_python::ir::{Module, Range};
use harp_python::project::{ModuleId, Project};

use comment::{Malformed, Words};
pub use selector::{Answer, Question, Reply, Selector};
pub use stated::{Contradiction, Letters, Moment, Stated};

/// A comment about a statement of more lines than this speaks of the first ones.
const MOST_LINES: u32 = 1_000;

/// A comment that Harp cannot follow.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    pub span: Span,
    pub message: String,
    pub hint: Option<String>,
}

/// An assumption with the reply that it got.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Asked {
    pub span: Option<Span>,
    pub kind: String,
    pub subject: String,
    pub text: String,
    pub evidence: String,
}

/// A comment's answer to the assumptions of its lines.
#[derive(Debug)]
struct Remarked {
    span: Span,
    reply: Reply,
    kind: Option<AssumptionKind>,
    text: Option<String>,
    is_used: Cell<bool>,
}

/// A line of a file; of a notebook, of one of its cells.
type Line = (FileId, Option<u32>, u32);

/// All answers of a run, and what they answered.
#[derive(Debug, Default)]
pub struct Answers {
    configured: Vec<(Answer, Cell<bool>)>,
    /// The configured answers by the kind and the subject that they name.
    by_key: FxHashMap<(Option<AssumptionKind>, Option<String>), Vec<usize>>,
    remarked: Vec<Remarked>,
    by_line: FxHashMap<Line, Vec<usize>>,
    before: FxHashMap<(FileId, u32), Vec<Rc<Stated>>>,
    after: FxHashMap<(FileId, u32), Vec<Rc<Stated>>>,
    pub problems: Vec<Problem>,
    asked: RefCell<BTreeMap<Asked, Option<Reply>>>,
}

impl Answers {
    /// The configuration's answers and those in the comments of a project.
    pub fn new(configured: &[Answer], corpus: &Corpus, project: &Project) -> Answers {
        let mut answers = Answers::default();
        for (index, answer) in configured.iter().enumerate() {
            let key = (answer.selector.kind, answer.selector.subject.clone());
            answers.by_key.entry(key).or_default().push(index);
            answers.configured.push((answer.clone(), Cell::new(false)));
        }
        for index in 0..project.modules.len() {
            let Some(module) = project.module(ModuleId(index as u32)) else { continue };
            for remark in &module.remarks {
                answers.add_remark(remark, module, corpus);
            }
        }
        answers.problems.sort();
        answers
    }

    fn add_remark(&mut self, remark: &Remark, module: &Module, corpus: &Corpus) {
        let span = remark.range.in_file(module.file);
        let Some(file) = corpus.file(module.file) else { return };
        if remark.is_beyond {
            let message =
                format!("a comment tells Harp at most {MOST_REMARKS} things; those from here on do not count");
            return self.problems.push(Problem { span, message, hint: None });
        }
        let words = match comment::read(file.slice(span.start..span.end), span.start) {
            Ok(Words::Other) => return,
            Ok(words) => words,
            Err(Malformed { offset, message, hint }) => {
                let start = (span.start + offset as u32).min(span.end);
                let end = if start < span.end { span.end } else { start };
                return self.problems.push(Problem { span: Span { start, end, ..span }, message, hint });
            }
        };
        let Some(about) = &remark.about else {
            let message = "no statement follows that the comment could speak of".to_owned();
            return self.problems.push(Problem { span, message, hint: None });
        };
        match words {
            Words::Other => {}
            Words::Answer { reply, kind, text } => {
                let index = self.remarked.len();
                self.remarked.push(Remarked { span, reply, kind, text, is_used: Cell::new(false) });
                for line in lines(about.header, span, corpus) {
                    self.by_line.entry(line).or_default().push(index);
                }
            }
            Words::Value { path, path_text, described } => {
                let targets = about.targets.iter().map(|range| file.slice(range.start..range.end));
                let is_assigned = targets.into_iter().any(|target| begins_with(&path_text, target));
                let stated = Rc::new(Stated { span, path, path_text, described, is_used: Cell::new(false) });
                let moments = if is_assigned { &mut self.after } else { &mut self.before };
                moments.entry((module.file, moment(about, is_assigned))).or_default().push(stated);
            }
        }
    }

    /// Whether the user says nothing of assumptions.
    pub fn is_empty(&self) -> bool {
        self.configured.is_empty() && self.remarked.is_empty()
    }

    /// What the user says of an assumption. Comments beside the code go before the configuration; among equals a denial wins.
    pub fn reply(&self, asked: &Asked, corpus: &Corpus) -> Option<Reply> {
        if self.is_empty() {
            return None;
        }
        if let Some(known) = self.asked.borrow().get(asked) {
            return *known;
        }
        let file = asked.span.and_then(|span| Some((corpus.file(span.file)?, span)));
        let place = file.map(|(file, span)| (file.display_path.as_str(), file.line_column(span.start)));
        let line = asked.span.zip(place).map(|(span, (_, at))| (span.file, at.cell, at.line));
        let question = Question { kind: &asked.kind, subject: &asked.subject, text: &asked.text, place };
        let beside = self.beside(&question, line);
        let configured = self.configured(&question);
        let reply = beside.or(configured);
        self.asked.borrow_mut().insert(asked.clone(), reply);
        reply
    }

    fn beside(&self, question: &Question<'_>, line: Option<Line>) -> Option<Reply> {
        let there = self.by_line.get(&line?)?.iter().map(|index| &self.remarked[*index]);
        let fitting = there.filter(|remarked| {
            remarked.kind.is_none_or(|kind| kind.as_str() == question.kind)
                && remarked.text.as_ref().is_none_or(|text| question.text.contains(text.as_str()))
        });
        fitting.inspect(|remarked| remarked.is_used.set(true)).map(|remarked| remarked.reply).max()
    }

    fn configured(&self, question: &Question<'_>) -> Option<Reply> {
        let kinds = [None, AssumptionKind::parse(question.kind)];
        let subjects = [None, Some(question.subject.to_owned())];
        let mut reply = None;
        for kind in kinds {
            for subject in &subjects {
                for index in self.by_key.get(&(kind, subject.clone())).into_iter().flatten() {
                    let (answer, is_used) = &self.configured[*index];
                    if answer.selector.fits(question) {
                        is_used.set(true);
                        reply = reply.max(Some(answer.reply));
                    }
                }
            }
        }
        reply
    }

    /// The assumptions that were answered, in the order of their places.
    pub fn answered(&self) -> Vec<(Asked, Reply)> {
        let asked = self.asked.borrow();
        asked.iter().filter_map(|(asked, reply)| Some((asked.clone(), (*reply)?))).collect()
    }

    /// Answers of the configuration that fit no assumption, by their places in it.
    pub fn unused_in_configuration(&self) -> Vec<&Answer> {
        // A pattern that is switched off need not be met.
        let is_answer = |answer: &Answer| !answer.origin.is_empty();
        let unused = self.configured.iter().filter(|(answer, is_used)| is_answer(answer) && !is_used.get());
        unused.map(|(answer, _)| answer).collect()
    }

    /// Comments that fit no assumption, or speak of a value that never came about; with what is to be said of them.
    pub fn unused_comments(&self) -> Vec<(Span, String)> {
        let remarked = self.remarked.iter().filter(|remarked| !remarked.is_used.get());
        let remarked =
            remarked.map(|remarked| (remarked.span, "no assumption of these lines fits this answer".to_owned()));
        let stated = self.before.values().chain(self.after.values()).flatten().filter(|stated| !stated.is_used.get());
        let stated = stated.map(|stated| (stated.span, format!("no value of `{}` was seen here", stated.path_text)));
        let mut unused: Vec<(Span, String)> = remarked.chain(stated).collect();
        unused.sort();
        unused
    }

    /// What is said of values before a statement is executed.
    pub fn stated_before(&self, file: FileId, start: u32) -> &[Rc<Stated>] {
        self.before.get(&(file, start)).map_or(&[], Vec::as_slice)
    }

    /// What is said of values after a statement was executed.
    pub fn stated_after(&self, file: FileId, start: u32) -> &[Rc<Stated>] {
        self.after.get(&(file, start)).map_or(&[], Vec::as_slice)
    }

    /// Whether anything is said of values.
    pub fn states_values(&self) -> bool {
        !(self.before.is_empty() && self.after.is_empty())
    }
}

/// The statement whose execution a remark goes before or after.
fn moment(about: &About, is_assigned: bool) -> u32 {
    if is_assigned { about.header.start } else { about.before }
}

/// Whether a path is what was assigned, or a part of it.
fn begins_with(path: &str, target: &str) -> bool {
    let target: String = target.chars().filter(|c| !c.is_whitespace()).collect();
    path.strip_prefix(target.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

/// The lines of a statement's header, and of the comment itself.
fn lines(header: Range, comment: Span, corpus: &Corpus) -> Vec<Line> {
    let Some(file) = corpus.file(comment.file) else { return Vec::new() };
    let text = file.slice(header.start..header.end).trim_end();
    let (first, last) = (file.line_column(header.start), file.line_column(header.start + text.len() as u32));
    let own = file.line_column(comment.start);
    let last = last.line.max(first.line).min(first.line.saturating_add(MOST_LINES));
    let mut lines: Vec<Line> = (first.line..=last).map(|line| (comment.file, first.cell, line)).collect();
    lines.push((comment.file, own.cell, own.line));
    lines.sort_unstable();
    lines.dedup();
    lines
}
