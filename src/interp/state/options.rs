//! Interpreter state, options: what whoever starts an analysis says of it, that is what it may use, and what is asked
//! of it.

use std::collections::BTreeSet;
use std::sync::Arc;

use harp_limits::Ceilings;
use harp_trace::answers::Answer;

/// What bounds an entry's execution.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Statements and calls.
    pub steps: u64,
    /// Calls inside calls.
    pub depth: usize,
    /// Objects on the heap.
    pub objects: usize,
    /// Items of sequences and dictionaries that are made, or copied to be changed.
    pub copies: usize,
    /// Iterations of a loop that are executed one by one.
    pub iterations: usize,
    /// Alternatives that a value may have before they are joined.
    pub alternatives: usize,
    /// Fine units of work, of which a step may take many: dimensions that are looked up, objects and facts that are looked at.
    pub ticks: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            steps: 200_000,
            depth: 400,
            objects: 2_000_000,
            copies: 4_000_000,
            iterations: 64,
            alternatives: 6,
            ticks: 50_000_000,
        }
    }
}

/// What the user says about the run.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The command line given to scripts, split into words.
    pub arguments: Option<Vec<String>>,
    /// What the configuration confirms and denies.
    pub answers: Vec<Answer>,
    pub limits: Limits,
    /// What the process may use, of memory and time.
    pub ceilings: Ceilings,
    /// Whether the trace says on which way each thing in it was reached.
    pub routes: bool,
    /// Who is asked about what the solver cannot decide.
    pub oracle: Option<Arc<dyn harp_shape::Oracle>>,
    /// Whether nobody asks which tensors flow between operations: the shapes of an entry with symbolic inputs are forgotten when it ends, but
    /// for how much work products and convolutions are.
    pub forgets_shapes: bool,
    /// The entries with symbolic inputs that are run, by name, where it is not all.
    pub entries: Option<Arc<BTreeSet<String>>>,
    /// Whether each entry is run once only: with its options and defaults as they are.
    pub runs_once: bool,
    /// Whether somebody asks for the arguments of operations and for the objects that are called.
    pub details: bool,
}
