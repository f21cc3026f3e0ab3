//! The steps that importing an installed package may take. It is not the entry's that happens to import it first: the
//! package is imported once for all entries, so that each module of it has bounds of its own. All of them together take
//! work from one store.

use crate::budget::costly_calls::{EntryKind, SetAside};
use crate::budget::first_look::Shown;
use crate::budget::solver_cost::SolverWork;
use crate::state::interpreter::{Eval, Interpreter};
use crate::state::options::Limits;
use harp_limits::apart;
use harp_limits::ticks_done;
use harp_shape::work_done;

/// All imports together may take so many times the ticks of an entry.
const TIMES: u64 = 40;
/// A module may take such a part of the ticks that are left.
const PART: u64 = 4;
/// Between two looks at what a module took, it may go beyond by so many times.
const BEYOND: u64 = 4;

/// The work that imports of installed packages may still take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ImportBudget {
    /// Ticks that are left.
    left: u64,
    /// The tick behind which the running import ends; none is reached where none runs.
    pub end: u64,
}

impl ImportBudget {
    pub(crate) fn of(limits: Limits) -> ImportBudget {
        ImportBudget { left: limits.ticks.saturating_mul(TIMES), end: u64::MAX }
    }

    /// No import runs any more: an unwinding passed by.
    pub(crate) fn leave(&mut self) {
        self.end = u64::MAX;
    }
}

/// What counts for the entry that imports, as it was before.
struct OfEntry {
    steps: u64,
    most_steps: u64,
    kind: EntryKind,
    objects: usize,
    made: usize,
    copied: usize,
    solver: SolverWork,
    solved: u64,
    shown: Shown,
    calls: SetAside,
    end: u64,
}

impl Interpreter<'_> {
    /// Runs the import of a module of the environment within bounds of its own. What it takes counts for no entry.
    pub(crate) fn within_import(&mut self, run: impl FnOnce(&mut Self) -> Eval<()>) -> Eval<()> {
        let before = self.begin_import();
        let ticks = (self.work.imports.left / PART).min(self.options.limits.ticks);
        self.work.imports.end = ticks_done().saturating_add(ticks);
        let (result, taken) = apart(ticks.saturating_mul(BEYOND), || run(self));
        self.work.imports.left = self.work.imports.left.saturating_sub(taken);
        self.end_import(before);
        result
    }

    fn begin_import(&mut self) -> OfEntry {
        let limits = self.options.limits;
        let solved = work_done();
        let before = OfEntry {
            steps: std::mem::take(&mut self.entry.steps),
            most_steps: std::mem::replace(&mut self.entry.most_steps, limits.steps),
            kind: std::mem::replace(&mut self.entry.kind, EntryKind::Module),
            objects: std::mem::replace(&mut self.entry.objects, self.heap.len()),
            made: self.heap.len(),
            copied: self.heap.copied(),
            solver: std::mem::replace(&mut self.work.solver_work, SolverWork::of_entry(limits.steps, solved)),
            solved,
            shown: std::mem::take(&mut self.work.shown),
            calls: self.work.costs.set_aside(),
            end: self.work.imports.end,
        };
        self.heap.count_copies_from(0);
        self.work.shown.begin(0);
        before
    }

    fn end_import(&mut self, before: OfEntry) {
        self.entry.steps = before.steps;
        self.entry.most_steps = before.most_steps;
        self.entry.kind = before.kind;
        self.entry.objects = before.objects + self.heap.len().saturating_sub(before.made);
        self.heap.count_copies_from(before.copied);
        self.work.solver_work = before.solver;
        self.work.solver_work.leave_out(before.solved, work_done());
        self.work.shown = before.shown;
        self.work.costs.go_on_with(before.calls);
        self.work.imports.end = before.end;
    }

    /// Imports what functions of a module import of installed packages when they are called: once, and not with each of these functions. What an
    /// entry with symbolic inputs has made is undone when it ends.
    pub(crate) fn import_for_functions(&mut self, module: harp_python::ModuleId) {
        for package in self.project.installed_modules_of_functions(module) {
            self.begin(self.options.limits.steps);
            self.entry.kind = EntryKind::Module;
            // A bound that ran out is told where a function imports it.
            if self.module(package, false).is_err() {
                self.leave_everything();
            }
            self.note_holders();
            self.heap.forget_changes();
        }
    }
}
