//! Interpreter state: the calls that run, one within the other, and how many there were.

use std::rc::Rc;

use crate::classes::lasting_guards::PassedGuards;
use crate::evaluate::with_blocks::WithBlock;
use crate::judge::traced_arrays::Trace;
use crate::values::value::{Iteration, ObjectId, Value};
use harp_corpus::Span;

/// The calls that run, one within the other, and how many there were.
pub struct RunningCalls {
    /// Where the calls that run stand, outermost first.
    pub stack: Vec<Span>,
    /// The same, for all who keep them.
    pub shared: Rc<[Span]>,
    /// What the generator yields that was called last, and what it returns.
    pub last_generator: Option<(Rc<Iteration>, Value)>,
    /// How often a function that runs already was not called, so that it depends on what runs what a call gives.
    pub cut_off: u64,
    /// The classes whose metaclasses run.
    pub classes_in_making: Vec<ObjectId>,
    /// What constructors assert that run.
    pub(crate) passed_guards: PassedGuards,
    /// The block that the generator runs that is called next.
    pub next_block: Option<Rc<WithBlock>>,
    /// The function that a compiler traces, while one runs.
    pub trace: Option<Trace>,
    /// How many calls there were.
    pub count: u64,
    /// Calls that are running, those of library objects included, which have no frame.
    pub nesting: usize,
    /// Expressions, statements and operations of objects that are running, one within the other.
    pub evaluations: usize,
    /// The calls that are running of code that was generated from the program's, by how many calls ran around them.
    pub generated: Vec<usize>,
}

impl RunningCalls {
    /// The same before anything ran.
    pub(crate) fn new() -> Self {
        RunningCalls {
            stack: Vec::new(),
            shared: Rc::from([]),
            last_generator: None,
            cut_off: 0,
            classes_in_making: Vec::new(),
            passed_guards: Default::default(),
            next_block: None,
            trace: None,
            count: 0,
            nesting: 0,
            evaluations: 0,
            generated: Vec::new(),
        }
    }
}
