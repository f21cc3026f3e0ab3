//! Interpreter state: all of it, the state of a symbolic execution.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use crate::api::executions::Executions;
use crate::api::library_model::LibraryModel;
use crate::classes::descriptors_and_dunders::Hooks;
use crate::evaluate::with_blocks::WithBlock;
use crate::generators::suspension::{Stepping, Suspension};
use crate::heap::objects::{Heap, LogMark, Payload, Standing, SymbolicData};
use crate::inference::Run;
use crate::paths::arm_effects::ArmDelta;
pub use crate::paths::path_condition::Decision;
use crate::paths::path_condition::Path;
use crate::paths::predicates::Question;
use crate::paths::reachability::Split;
use crate::state::caches::Caches;
use crate::state::exceptions::Exceptions;
use crate::state::model_state::ModelState;
pub use crate::state::options::{Limits, Options};
use crate::state::running_calls::RunningCalls;
use crate::state::running_entry::RunningEntry;
use crate::state::running_loops::RunningLoops;
use crate::state::sizes::Sizes;
pub use crate::state::speculations::Speculation;
use crate::state::tables::Tables;
use crate::state::work::Work;
use crate::values::value::{Closure, DecisionId, Literal, ObjectId, Value};
use harp_annotations::Library;
use harp_corpus::{Corpus, FileId, Span};
use harp_python::ir::{self, Range};
use harp_python::name::{Name, name};
use harp_python::project::Project;
use harp_shape::{Constraint, Solver};
use harp_trace::Trace;
use harp_trace::answers::{Answers, Letters};
use harp_trace::route::{Route, Why};

/// The least value of an integer of which nothing is known.
pub const ANY_INTEGER: i64 = i32::MIN as i64;

/// Why an evaluation stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interrupt {
    /// An exception, or a call that does not return (`sys.exit`).
    Raise,
    /// A bound ran out.
    Budget(&'static str),
    /// A body stopped at a `yield`.
    Yield,
}

pub type Eval<T = Value> = Result<T, Interrupt>;

/// How a statement ended.
#[derive(Clone, Debug)]
pub enum Flow {
    Normal,
    Return(Value),
    Break,
    Continue,
    Raise,
}

/// A path that left a block early while others go on; merged with them where the block ends.
#[derive(Debug)]
pub struct Pending {
    pub literals: Vec<Literal>,
    pub exit: Flow,
    /// Changes since the frame began (for a return), the loop began (for a break), or the iteration began (for a continue).
    pub delta: ArmDelta,
    /// How many objects there were: those that were made later only others know.
    pub objects: usize,
    pub route: Route,
}

/// A running call, class body or module body.
#[derive(Clone, Debug)]
pub struct Frame {
    /// Differs from that of every other call.
    pub number: u64,
    pub locals: ObjectId,
    pub globals: ObjectId,
    pub enclosing: Rc<[ObjectId]>,
    pub function: Option<Arc<ir::Function>>,
    pub class: Option<ObjectId>,
    /// The first argument, for `super()` without arguments.
    pub receiver: Option<Value>,
    /// How many calls of the same function this one has led to, where it is the first that runs.
    pub recursive_calls: u32,
    pub file: FileId,
    pub base: LogMark,
    pub pending_base: usize,
    pub path_base: usize,
    pub yields: Vec<Value>,
    /// Whether a `yield` stands in a loop whose iterations were not all executed.
    pub yields_repeat: bool,
    /// The decisions under which something was yielded.
    pub yields_under: Vec<Literal>,
    pub is_class_body: bool,
    /// Where it runs a comprehension: what holds the names of the code around.
    pub around: Option<ObjectId>,
    /// Where its body may stop at a `yield`.
    pub stepping: Option<Stepping>,
    /// What the names in comments on shapes stand for.
    pub letters: Letters,
    /// The `with` block that runs where a generator that is a context manager yields.
    pub block: Option<Rc<WithBlock>>,
    /// Where it evaluates a text of the program's: the place of all that happens there.
    pub at: Option<Span>,
}

pub struct Interpreter<'p> {
    pub corpus: &'p Corpus,
    pub project: &'p Project,
    pub library: &'p Library,
    /// What libraries mean beyond their annotations.
    pub models: &'static dyn LibraryModel,
    pub options: &'p Options,
    pub heap: Heap,
    pub solver: Solver,
    pub trace: Trace,
    pub path: Path,
    /// How the execution came here, where somebody asks.
    pub route: Route,
    /// The loops that run, through calls, and what is remembered of those that ran.
    pub loops: RunningLoops,
    /// Why the condition that was looked at last is known, if not by its operands alone.
    pub why: Option<Why>,
    pub decisions: Vec<Decision>,
    pub pending: Vec<Pending>,
    pub frames: Vec<Frame>,
    /// What belongs to the entry that runs: `RunningEntry::begin` forgets it.
    pub entry: RunningEntry,
    /// What is remembered of sizes beside the solver's constraints, and of guesses about them.
    pub sizes: Sizes,
    /// The values and names of members of enumerations that stand for numbers or texts.
    pub plain_members: Vec<(Value, Name)>,
    /// What libraries remember while a program runs: settings, files that were saved, loaders and their batches, masks, layouts in memory, modes.
    pub model_state: ModelState<'p>,
    /// The calls that run, one within the other, and how many there were.
    pub calls: RunningCalls,
    /// Tables of objects and variables in which an entry's changes are taken back when it ends.
    pub tables: Tables,
    /// What was looked up or found out about the text of the program and its libraries. It does not change while the program runs.
    pub caches: Caches<'p>,
    /// Functions of the program that were entered, by the start of their definition.
    pub entered: crate::entries::entered_functions::EnteredFunctions,
    /// How much work was done, and what is left of the bounds.
    pub work: Work,
    /// What the functions share that got attributes, in this order: a function may live longer than the object that holds them.
    pub attributed: Vec<Rc<Cell<Option<ObjectId>>>>,
    /// Variables that only a loop binds which may not have run.
    pub perhaps_unbound: crate::loops::perhaps_unbound::PerhapsUnbound,
    pub coverage: crate::entries::execution_coverage::Coverage,
    pub(crate) summaries: crate::calls::summaries::Summaries,
    /// The decisions by which one of a few things was chosen.
    pub(crate) choices: crate::paths::random_choice::Choices,
    /// What bodies leave where they stop, and take back where they go on.
    pub suspension: Suspension,
    pub executions: Executions,
    /// Which hooks of attributes any class of the program has: without them nobody is asked.
    pub hooks: Hooks,
    /// What the program adds to the classes of libraries, by qualified name.
    pub added_members: ObjectId,
    /// The `try` statements and handlers that run, and the exception that is on its way to one.
    pub exceptions: Exceptions,
    /// What tests are called with.
    pub tests: crate::entries::test_fixtures::Tests,
    /// Literals whose opposite ends the program, as in `if n != m: raise`: no conditions of what comes after.
    pub settled: rustc_hash::FxHashSet<Literal>,
    /// Which of the path's literals are there because an alternative of a value was taken, one after the other.
    pub splits: Vec<Split>,
    /// Where signatures are inferred: the path that is followed.
    pub inference: Option<Box<Run>>,
}

impl<'p> Interpreter<'p> {
    pub fn new(
        (corpus, project): (&'p Corpus, &'p Project),
        (library, models): (&'p Library, &'static dyn LibraryModel),
        options: &'p Options,
    ) -> Self {
        let mut heap = Heap::default();
        let registry = models.new_registry(&mut heap);
        let added_members = heap.allocate(Payload::Plain);
        Interpreter {
            corpus,
            project,
            library,
            models,
            options,
            heap,
            solver: Solver::with_oracle(options.oracle.clone()),
            trace: Trace { answers: Answers::new(&options.answers, corpus, project), ..Trace::default() },
            path: Path::default(),
            route: Route::default(),
            loops: RunningLoops::new(),
            why: None,
            decisions: Vec::new(),
            pending: Vec::new(),
            frames: Vec::new(),
            entry: RunningEntry::new(options),
            sizes: Sizes::new(),
            plain_members: Vec::new(),
            model_state: ModelState::new(registry),
            calls: RunningCalls::new(),
            tables: Tables::new(),
            caches: Caches::new(project),
            entered: Default::default(),
            work: Work::new(corpus, options),
            attributed: Vec::new(),
            perhaps_unbound: Default::default(),
            coverage: Default::default(),
            summaries: Default::default(),
            choices: Default::default(),
            suspension: Suspension::default(),
            executions: Executions::default(),
            hooks: Hooks::default(),
            added_members,
            exceptions: Exceptions::new(),
            tests: crate::entries::test_fixtures::Tests::default(),
            settled: rustc_hash::FxHashSet::default(),
            splits: Vec::new(),
            inference: None,
        }
    }

    pub fn file(&self) -> FileId {
        self.frames.last().map_or(FileId(0), |frame| frame.file)
    }

    pub fn span(&self, range: Range) -> Span {
        if let Some(at) = self.frames.last().and_then(|frame| frame.at) {
            return at;
        }
        range.in_file(self.file())
    }

    /// A value of which nothing is known but how the program names it; its type may follow from its use.
    pub fn symbolic(&mut self, description: &str, origin: Span, is_result: bool) -> Value {
        let data = SymbolicData {
            description: Rc::from(description),
            origin,
            refined: None,
            is_result,
            standing: Standing::Plain,
            owner: None,
        };
        Value::Symbolic(self.heap.allocate(Payload::Symbolic(Rc::new(data))))
    }

    pub fn new_decision(&mut self, text: &str, constraint: Option<Constraint>) -> DecisionId {
        self.decisions.push(Decision::new(text, constraint));
        DecisionId((self.decisions.len() - 1) as u32)
    }

    /// Notes of the last decision that the program asks here.
    pub(crate) fn asked_here(&mut self, place: Option<Span>, question: Option<(ObjectId, Question)>, asked_at: Span) {
        let asked_in = self.frames.last().map(|frame| frame.number);
        let constructors = [name!("__init__"), name!("__new__")];
        let is_constructor = |function: &ir::Function| constructors.contains(&function.name);
        let is_of_construction =
            self.frames.iter().any(|frame| frame.function.as_ref().is_some_and(|function| is_constructor(function)));
        if let Some(last) = self.decisions.last_mut() {
            last.place = place;
            last.asked_at = Some(asked_at);
            last.asked_in = asked_in;
            last.is_of_construction = is_of_construction;
            last.question = question;
        }
    }

    /// Text of an expression for messages, as the program writes it.
    pub fn source_text(&self, span: Span) -> &'p str {
        self.corpus.file(span.file).map_or("", |file| file.slice(span.start..span.end))
    }

    pub fn new_closure(&self, function: &Arc<ir::Function>, defaults: Vec<Option<Value>>) -> Closure {
        let frame = self.frames.last();
        let (globals, mut enclosing, class) = match frame {
            Some(frame) => {
                (frame.globals, frame.enclosing.to_vec(), frame.is_class_body.then_some(frame.class).flatten())
            }
            None => (ObjectId(0), Vec::new(), None),
        };
        if let Some(frame) = frame
            && (frame.function.is_some() || frame.around.is_some())
        {
            enclosing.insert(0, frame.locals);
        }
        let class = class.or_else(|| frame.and_then(|frame| frame.class));
        Closure {
            function: Arc::clone(function),
            globals,
            enclosing: Rc::from(enclosing),
            defaults,
            class,
            kind: crate::values::value::FunctionKind::Plain,
            wrapped: None,
            accessors: None,
            attributes: Rc::default(),
            traces: None,
        }
    }
}
