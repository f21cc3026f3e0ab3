//! What a command says where Harp itself failed: the rest of the report is complete, and the defect is worth a report
//! of its own.

use std::collections::BTreeMap;

use harp_corpus::Corpus;
use harp_datalog::Evaluation;
use harp_graph::Facts;
use harp_limits::{Defect, Stopped, contained, fault_point};
use harp_report::{Sources, UserError};
use harp_trace::defect_of_entry::DefectOfEntry;

/// Of the work that one defect cost, so much is named.
const MOST_NAMED: usize = 3;

/// The defects of a run, each with what ended by it.
#[derive(Clone, Debug, Default)]
pub struct Defects(BTreeMap<Defect, Vec<String>>);

impl Defects {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds one that ended some work, such as `the entry train (train.py:12)`.
    pub fn add(&mut self, defect: Defect, what: String) {
        let ended = self.0.entry(defect).or_default();
        if !ended.contains(&what) {
            ended.push(what);
        }
    }

    pub fn extend(&mut self, others: Defects) {
        for (defect, ended) in others.0 {
            ended.into_iter().for_each(|what| self.add(defect.clone(), what));
        }
    }

    pub(super) fn add_of_entries(&mut self, defects: &[DefectOfEntry], corpus: &Corpus) {
        for DefectOfEntry { defect, entry, span } in defects {
            let line = corpus.position(span.file, span.start).line;
            let place = corpus.file(span.file).map(|file| format!(" ({}:{line})", file.display_path));
            self.add(defect.clone(), format!("`{entry}`{}", place.unwrap_or_default()));
        }
    }

    pub(super) fn add_of_facts(&mut self, facts: &Facts) {
        for defect in &facts.defects {
            if let Some(panic) = defect.defect() {
                self.add(panic.clone(), defect.what.clone());
            }
        }
    }

    pub(super) fn add_of_rules(&mut self, evaluation: &Evaluation<'_>) {
        for (rule, defect) in &evaluation.defects {
            self.add(defect.clone(), format!("the rule {rule}"));
        }
    }

    /// Does some work; `None` where Harp fails on it.
    pub fn contain<T>(&mut self, kind: &str, name: &str, work: impl FnOnce() -> T) -> Option<T> {
        let stopped = match contained(|| {
            fault_point(kind, name);
            work()
        }) {
            Ok(result) => return Some(result),
            Err(stopped) => stopped,
        };
        if let Stopped::Defect(defect) = stopped {
            self.add(defect, format!("the {kind} {name}"));
        }
        None
    }

    /// A message for each of them.
    pub fn messages(&self) -> Vec<UserError> {
        let message = |(defect, ended): (&Defect, &Vec<String>)| {
            let shown = ended.iter().take(MOST_NAMED).cloned().collect::<Vec<_>>().join(", ");
            let more = match ended.len().saturating_sub(MOST_NAMED) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let place = if defect.place.is_empty() { "unknown place" } else { &defect.place };
            UserError::new(format!("Harp failed on {shown}{more}; the rest of the report is complete"))
                .note(format!("panicked at {place}: {}", defect.message))
                .hint(
                    "this is a defect of Harp and not of the analysed program; a report of it with this message is \
                     welcome",
                )
        };
        self.0.iter().map(message).collect()
    }
}
