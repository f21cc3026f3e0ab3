//! Interpreter state: how much work was done, and what is left of the bounds.

use crate::budget::costly_calls::Costs;
use crate::budget::first_look::Shown;
use crate::budget::imports_of_packages::ImportBudget;
use crate::budget::solver_cost::SolverWork;
use crate::budget::step_shares::{Shares, project_ticks};
use crate::budget::unfinished_calls::Unfinished;
use crate::state::garbage_collection::FIRST_SWEEP;
use crate::state::options::Options;
use harp_corpus::Corpus;
use harp_limits::Watch;
use harp_python::project::ModuleId;

/// The part of the process's memory that is for what the corpus and the execution hold; the rest is for rules and the report.
const PART_OF_MEMORY: [u64; 2] = [3, 5];

/// How much work was done, and what is left of the bounds.
pub struct Work {
    pub solver_work: SolverWork,
    /// What imports of installed packages may take.
    pub(crate) imports: ImportBudget,
    /// Objects that nobody can name any more. Their places stay.
    pub dead_objects: usize,
    /// So many objects are looked through for those that nobody can name any more.
    pub next_sweep: usize,
    /// The steps of calls that may need many.
    pub costs: Costs,
    /// What a first look at the functions showed.
    pub shown: Shown,
    /// Functions that are known to need many steps.
    pub unfinished: Unfinished,
    /// How the steps are shared out among entries.
    pub shares: Shares,
    /// What entries may use of what the process may.
    pub watch: Watch,
    /// Modules that took more memory than there is: they are not executed again.
    pub too_large: Vec<(ModuleId, bool)>,
    /// Whether a panic between entries left the state in disorder: no further entry runs.
    pub is_out_of_order: bool,
}

impl Work {
    /// The same before anything ran.
    pub(crate) fn new(corpus: &Corpus, options: &Options) -> Self {
        Work {
            solver_work: SolverWork::default(),
            imports: ImportBudget::of(options.limits),
            dead_objects: 0,
            next_sweep: FIRST_SWEEP,
            costs: Costs::default(),
            shown: Default::default(),
            unfinished: Unfinished::default(),
            shares: Shares::default(),
            watch: options.ceilings.part(PART_OF_MEMORY).with_ticks(project_ticks(corpus)),
            too_large: Vec::new(),
            is_out_of_order: false,
        }
    }
}
