//! Interpreter state: the loops that run, through calls, and what is remembered of those that ran.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::budget::long_loops::LongLoops;
use crate::heap::objects::LogMark;
use crate::loops::asked_numbers::AskedTests;
use crate::loops::batch_being_drawn::Drawing;
use crate::loops::novelty::LastIterations;
use crate::loops::unused_sizes::LoopMoment;
use crate::values::value::{ObjectId, Residual};
use harp_corpus::Span;
use harp_python::name::Name;
use harp_trace::route::Route;

/// The loops that run, through calls, and what is remembered of those that ran.
pub struct RunningLoops {
    /// How the execution came here, as it was when the innermost loop began.
    pub route: Route,
    /// When the iterations that are running began, innermost last, and when their loops did.
    pub iterations: Vec<(LogMark, LogMark)>,
    /// When the innermost running loop began.
    pub base: LogMark,
    /// The moment when the loop began.
    pub(crate) moment: LoopMoment,
    /// Statements of the loops that are running, through calls.
    pub stack: Vec<Span>,
    /// The same, for all who keep them.
    pub shared: Rc<[Span]>,
    /// Their iterations.
    pub rounds: Vec<u32>,
    /// The same, for all who keep them.
    pub rounds_shared: Rc<[u32]>,
    /// The mini-batch that is being drawn.
    pub drawing: Drawing,
    /// Loops that are known not to come to their end iteration by iteration.
    pub long: LongLoops,
    /// Tests of the number of an iteration.
    pub asked_tests: AskedTests,
    /// What the last iterations of loops did that those before did not.
    pub last_iterations: LastIterations,
    /// What to do about the iteration that runs, where it is a special one.
    pub advice: Vec<&'static str>,
    /// The smaller last mini-batches that are gone through.
    pub residuals: Vec<Rc<Residual>>,
    /// Containers that the running statement changes and that stand for several of which it changes one.
    pub shared_items: Vec<ObjectId>,
    /// How many abstract loops (whose iterations stand for many) are running.
    pub abstract_loops: usize,
    /// What is special about the iteration that runs, for notes to its clashes.
    pub circumstances: Vec<(String, Span)>,
    /// What running loops give values to, with the numbers of their calls.
    pub(crate) running_targets: Vec<(u64, Vec<Name>)>,
    /// The loops of which a later iteration runs, and which may have one alone.
    pub later_rounds: Vec<Span>,
    /// Loops whose later iterations get an item that the first has changed, as one item stands for all of a sequence.
    pub changed_items: usize,
    /// The names that loops renew, by where their bodies begin.
    pub renewed: FxHashMap<Span, Rc<[Name]>>,
}

impl RunningLoops {
    /// The same before anything ran.
    pub(crate) fn new() -> Self {
        RunningLoops {
            route: Route::default(),
            iterations: Vec::new(),
            base: LogMark::default(),
            moment: LoopMoment::default(),
            stack: Vec::new(),
            shared: Rc::from([]),
            rounds: Vec::new(),
            rounds_shared: Rc::from([]),
            drawing: Default::default(),
            long: Default::default(),
            asked_tests: Default::default(),
            last_iterations: Default::default(),
            advice: Vec::new(),
            residuals: Vec::new(),
            shared_items: Vec::new(),
            abstract_loops: 0,
            circumstances: Vec::new(),
            running_targets: Vec::new(),
            later_rounds: Vec::new(),
            changed_items: 0,
            renewed: FxHashMap::default(),
        }
    }

    /// Forgets what the last entry left behind.
    pub(crate) fn begin_entry(&mut self) {
        self.asked_tests.begin();
        self.drawing = Drawing::default();
        self.circumstances.clear();
        self.residuals.clear();
        self.iterations.clear();
        self.abstract_loops = 0;
    }
}
