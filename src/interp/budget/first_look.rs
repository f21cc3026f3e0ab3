//! Spends an entry's steps on breadth before depth. An entry is looked at thoroughly for its first steps, and for a few
//! more with everything new that it shows: a statement that it did not execute before, or an operation on an outline of
//! shapes that it did not run on before. One that shows too little for the steps that it takes goes on in haste: all
//! but its shortest loops are left after the first iteration that shows nothing new, and one is executed that stands
//! for the others.

use rustc_hash::FxHashSet;

use crate::loops::outlines::outline_of_operation;
use crate::state::interpreter::Interpreter;
use harp_corpus::FileId;
use harp_python::ir::Stmt;
use harp_shape::{Remembered, remembered};
use harp_trace::OperationRecord;

/// Steps that are taken at leisure, whatever they show.
const FIRST_LOOK: u64 = 10_000;
/// As many more for everything new. Iterations that each execute what they executed before spend them within a few rounds.
const STEPS_FOR_SOMETHING_NEW: u64 = 12;

/// An entry that took so many times the steps that it takes at leisure goes in great haste.
const TIMES_FOR_GREAT_HASTE: u64 = 5;

/// What the running entry has shown.
#[derive(Debug, Default)]
pub struct Shown {
    statements: FxHashSet<(FileId, u32)>,
    /// Outlines of operations.
    outlines: FxHashSet<u64>,
    /// What the solver had made when the entry began.
    made: Option<Remembered>,
    /// The step at which something new showed last.
    last: u64,
    /// Steps that were taken before, in what other entries begin with also.
    before: u64,
}

impl Shown {
    /// An entry begins, or goes on after so many steps that it took before.
    pub(crate) fn begin(&mut self, steps: u64) {
        self.statements.clear();
        self.outlines.clear();
        self.made = Some(remembered());
        self.last = steps;
        self.before = steps;
    }

    /// The steps that are taken at leisure.
    fn leisure(&self) -> u64 {
        let new = self.statements.len() + self.outlines.len();
        self.before + FIRST_LOOK + STEPS_FOR_SOMETHING_NEW * new as u64
    }
}

impl Interpreter<'_> {
    /// Whether so little of what the entry did was new that what is left is gone through in haste.
    pub(crate) fn is_in_haste(&self) -> bool {
        self.inference.is_none() && self.entry.steps > self.work.shown.leisure()
    }

    /// Whether the entry went on in haste for so long that loops which run no operation are left as soon as others: they work out what others are given.
    pub(crate) fn is_in_great_haste(&self) -> bool {
        self.is_in_haste() && self.entry.steps > TIMES_FOR_GREAT_HASTE * self.work.shown.leisure()
    }

    /// Whether something new showed since a step.
    pub(crate) fn showed_since(&self, step: u64) -> bool {
        self.work.shown.last > step
    }

    /// A statement is executed.
    pub(crate) fn show_statement(&mut self, statement: &Stmt) {
        if self.work.shown.statements.insert((self.file(), statement.range.start)) {
            self.work.shown.last = self.entry.steps;
        }
    }

    /// An operation ran.
    pub(crate) fn show_operation(&mut self, record: &OperationRecord) {
        let Some(made) = self.work.shown.made else { return };
        if self.work.shown.outlines.insert(outline_of_operation(record, made)) {
            self.work.shown.last = self.entry.steps;
        }
    }
}
