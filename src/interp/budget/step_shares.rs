//! How many steps an entry may take, so that the work grows with the lines of a project and small projects are followed whole.

use crate::budget::costly_calls::EntryKind;
use crate::state::interpreter::{Eval, Interpreter, Interrupt};
use harp_corpus::Corpus;
use harp_python::ir::{Class, Stmt, StmtKind};
use harp_python::project::{ModuleId, Project};
use harp_shape::work_done;

/// An entry gets as many steps as this also where the project's are spent.
const FEWEST_STEPS: u64 = 250;
/// The same for a script.
pub const FEWEST_OF_A_SCRIPT: u64 = 20_000;
/// A script may take such a part of the steps that are left for scripts.
const PART_FOR_A_SCRIPT: u64 = 8;

/// An entry may take so many times its even share: most take less.
const EVEN_SHARES: u64 = 10;
/// Of what the entries before it have saved, an entry may take such a part.
const PART_OF_SAVED: u64 = 4;
/// Once something in an entry was not understood, it keeps one part in so many of the steps that it has left: it cannot be vouched for any
/// more, and what it goes on for is what else may be wrong in it.
const PART_OF_DOUBTFUL: u64 = 2;

/// To look at so many items of a container takes as long as a step.
const ITEMS_OF_A_STEP: usize = 256;

/// The steps that are left.
#[derive(Clone, Copy, Debug)]
pub struct Shares {
    /// For entries with symbolic inputs together.
    pub project: u64,
    /// For scripts together.
    pub scripts: u64,
    /// How many functions wait for their share.
    pub waiting: u64,
    /// Whether the running module is one that no other imports, which is a script, also without a test of `__name__`.
    pub is_script: bool,
    /// What there was for entries with symbolic inputs, and for how many functions.
    begun: (u64, u64),
}

impl Shares {
    /// Shares out steps among the functions of a project.
    pub fn begin(&mut self, steps: u64, functions: u64) {
        self.project = steps;
        self.waiting = functions;
        self.begun = (steps, functions);
    }

    /// The steps that the entries before this one left of their even shares.
    pub fn saved(&self) -> u64 {
        let (steps, functions) = self.begun;
        let even =
            u128::from(steps) * u128::from(functions.saturating_sub(self.waiting)) / u128::from(functions.max(1));
        (even as u64).saturating_sub(steps.saturating_sub(self.project))
    }
}

impl Default for Shares {
    fn default() -> Shares {
        Shares { project: u64::MAX, scripts: u64::MAX, waiting: 1, is_script: false, begun: (0, 0) }
    }
}

/// Steps that a project may take besides those of its own modules and scripts: enough for small projects to be followed whole, and
/// in proportion to its lines beyond. Both were chosen so that packages are judged as far as with twice as many steps spent by
/// entries that end for want of them (`reports/performance/history.md`).
pub(crate) fn project_steps(corpus: &Corpus) -> u64 {
    of_bytes(bytes(corpus))
}

/// Steps that the scripts of a project may take together: enough for dozens of training scripts, and in proportion to the lines beyond.
pub(crate) fn script_steps(corpus: &Corpus) -> u64 {
    1_500_000 + bytes(corpus) / 8
}

/// Fine units of work that all entries of a project may take together: no project of ordinary code comes near.
pub(crate) fn project_ticks(corpus: &Corpus) -> u64 {
    100_000_000 + 60 * bytes(corpus)
}

fn of_bytes(bytes: u64) -> u64 {
    (250_000 + bytes / 36).max(500_000)
}

fn bytes(corpus: &Corpus) -> u64 {
    corpus.files.iter().map(|file| file.text.len() as u64).sum()
}

/// The steps of a script where so many are left for scripts: as many as any entry while there are plenty.
pub fn share_of_script(left: u64, most: u64) -> u64 {
    (left / PART_FOR_A_SCRIPT).max(FEWEST_OF_A_SCRIPT).min(most)
}

/// How many functions and methods stand at the top of a module: about the entries that it may have.
pub(crate) fn functions_of(project: &Project, module: ModuleId) -> u64 {
    let methods = |class: &Class| class.body.iter().filter(|stmt| matches!(stmt.kind, StmtKind::Function(_))).count();
    let count = |stmt: &Stmt| match &stmt.kind {
        StmtKind::Function(_) => 1,
        StmtKind::Class(class) => methods(class) as u64,
        _ => 0,
    };
    project.module(module).map_or(0, |tree| tree.body.iter().map(count).sum())
}

impl Interpreter<'_> {
    /// The steps that an entry of this kind may take. What other modules import is followed as far as any entry.
    pub(crate) fn steps_of_entry(&self, kind: EntryKind) -> u64 {
        match kind {
            EntryKind::Symbolic => self.share_of_steps(),
            EntryKind::Module if !self.work.shares.is_script => self.options.limits.steps,
            EntryKind::Script | EntryKind::Module => {
                share_of_script(self.work.shares.scripts, self.options.limits.steps)
            }
        }
    }

    /// Takes the steps of the entry that ended from those that are left for its kind.
    pub(crate) fn pay_steps(&mut self, kind: EntryKind) {
        match kind {
            EntryKind::Symbolic => self.work.shares.project = self.work.shares.project.saturating_sub(self.entry.steps),
            EntryKind::Module if !self.work.shares.is_script => {}
            EntryKind::Script | EntryKind::Module => {
                self.work.shares.scripts = self.work.shares.scripts.saturating_sub(self.entry.steps);
            }
        }
    }

    /// The steps of an entry with symbolic inputs: as many as any entry while there are plenty, else a few times its even share, because most
    /// entries take less, and a part of what others have saved, because a large network takes many times as much.
    pub(crate) fn share_of_steps(&self) -> u64 {
        let even = self.work.shares.project / self.work.shares.waiting.max(1);
        let most = self.options.limits.steps;
        (EVEN_SHARES * even + self.work.shares.saved() / PART_OF_SAVED).clamp(FEWEST_STEPS.min(most), most)
    }

    /// Leaves steps to other entries, where they are scarce, once the running one cannot be vouched for.
    pub(crate) fn leave_steps(&mut self) {
        let are_scarce = self.entry.kind == EntryKind::Symbolic && self.entry.most_steps < self.options.limits.steps;
        if are_scarce {
            let left = self.entry.most_steps.saturating_sub(self.entry.steps);
            self.entry.most_steps = self.entry.steps + left / PART_OF_DOUBTFUL;
        }
    }

    /// Counts a step of the running entry.
    pub fn step(&mut self) -> Eval<()> {
        let extra = self.work.solver_work.beyond_free(work_done());
        self.entry.steps += 1 + extra;
        if self.entry.steps > self.entry.most_steps {
            return Err(self.exhaust("steps"));
        }
        if self.heap.len() > self.options.limits.objects + self.entry.objects {
            return Err(self.exhaust("objects"));
        }
        if self.heap.copied() > self.options.limits.copies {
            return Err(self.exhaust("copied items"));
        }
        self.count_ways(1 + extra)
    }

    /// Counts items of containers that were looked at one by one.
    pub fn pay_for_items(&mut self, looked_at: usize) {
        self.entry.steps += (looked_at / ITEMS_OF_A_STEP) as u64;
    }

    /// Records that a bound ran out.
    pub fn exhaust(&mut self, what: &'static str) -> Interrupt {
        self.entry.exhausted = Some(what);
        Interrupt::Budget(what)
    }
}
