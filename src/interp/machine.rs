//! The state of a symbolic execution.

use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::annotations::Library;
use crate::corpus::{Corpus, FileId, Span};
use crate::interp::answers::{Answer, Answers, Asked, Letters, Reply};
use crate::interp::assumption::{Assumption, AssumptionId, AssumptionKind, AssumptionSet};
use crate::interp::comparisons::Question;
use crate::interp::heap::{Delta, Heap, LogMark, Payload, Standing, SymbolicData};
use crate::interp::inference::Run;
use crate::interp::reachability::Split;
use crate::interp::rehearsal::Defaults;
use crate::interp::trace::{LoopRecord, Trace};
use crate::interp::value::{Closure, DecisionId, Device, Guard, Literal, ObjectId, Value};
use crate::python::ir::{self, Range};
use crate::python::name::Name;
use crate::python::project::{ModuleId, Project};
use crate::shape::{Constraint, Dim, Shape, Solver, Var, VarInfo, VarKind};

/// What bounds an entry's execution.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Statements and calls.
    pub steps: u64,
    /// Calls inside calls.
    pub depth: usize,
    /// Objects on the heap.
    pub objects: usize,
    /// Iterations of a loop that are executed one by one.
    pub iterations: usize,
    /// Alternatives that a value may have before they are joined.
    pub alternatives: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { steps: 400_000, depth: 48, objects: 2_000_000, iterations: 64, alternatives: 6 }
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
    /// Who is asked about what the solver cannot decide.
    pub oracle: Option<std::sync::Arc<dyn crate::shape::Oracle>>,
}

/// The least value of an integer of which nothing is known.
pub const ANY_INTEGER: i64 = i32::MIN as i64;

/// Why an evaluation stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interrupt {
    /// An exception, or a call that does not return (`sys.exit`).
    Raise,
    /// A bound ran out.
    Budget(&'static str),
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

/// What became of a speculation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speculation {
    /// Nobody said anything of it: what rests on it names it.
    Assumed(AssumptionId),
    /// The user says that it holds.
    Confirmed,
    /// The user says that it does not: nothing may rest on it.
    Denied,
}

impl Speculation {
    /// What a value that rests on it rests on; `None` where nothing may.
    pub fn granted(self) -> Option<AssumptionSet> {
        match self {
            Speculation::Assumed(id) => Some(AssumptionSet::one(id)),
            Speculation::Confirmed => Some(AssumptionSet::default()),
            Speculation::Denied => None,
        }
    }
}

/// A branch condition that is explored both ways.
#[derive(Clone, Debug)]
pub struct Decision {
    /// Where the program asks.
    pub place: Option<Span>,
    /// The condition as the program writes it or as dimensions.
    pub text: Rc<str>,
    pub constraint: Option<Constraint>,
    /// The number of the call in which the program asks; `None` where it is no question of the program.
    pub asked_in: Option<u64>,
    /// Whether an object is being made where the program asks.
    pub is_of_construction: bool,
    /// What is asked of a value of which nothing is known.
    pub question: Option<(ObjectId, Question)>,
    /// Where it stands for several guards: it is taken where one of them holds.
    pub ways: Vec<Guard>,
    /// Whether it stands for more guards than are kept.
    pub is_blurred: bool,
}

/// A path that left a block early while others go on; merged with them where the block ends.
#[derive(Debug)]
pub struct Pending {
    pub literals: Vec<Literal>,
    pub exit: Flow,
    /// Changes since the frame began (for a return), the loop began (for a break), or the iteration began (for a continue).
    pub delta: Delta,
}

/// A running call, class body or module body.
#[derive(Debug)]
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
    pub file: FileId,
    pub base: LogMark,
    pub pending_base: usize,
    pub path_base: usize,
    pub yields: Vec<Value>,
    /// Whether a `yield` stands in a loop whose iterations were not all executed.
    pub yields_repeat: bool,
    pub is_class_body: bool,
    /// What the names in comments on shapes stand for.
    pub letters: Letters,
}

pub struct Interpreter<'p> {
    pub corpus: &'p Corpus,
    pub project: &'p Project,
    pub library: &'p Library,
    pub options: &'p Options,
    pub heap: Heap,
    pub solver: Solver,
    pub trace: Trace,
    pub path: Vec<Literal>,
    pub decisions: Vec<Decision>,
    pub pending: Vec<Pending>,
    pub frames: Vec<Frame>,
    /// When the iterations that are running began, innermost last, and when their loops did.
    pub iterations: Vec<(LogMark, LogMark)>,
    /// When the innermost running loop began.
    pub loop_base: LogMark,
    /// Statements of the loops that are running, through calls.
    pub loop_stack: Vec<Span>,
    pub loop_shared: Rc<[Span]>,
    /// The tuples that were made last of sizes of tensors: a class of tensors takes them for sizes, and others for data.
    pub recent_sizes: VecDeque<Rc<[Value]>>,
    pub call_stack: Vec<Span>,
    pub call_shared: Rc<[Span]>,
    pub modules: FxHashMap<(ModuleId, bool), ObjectId>,
    /// Functions of the program that were entered, by the start of their definition.
    pub entered: rustc_hash::FxHashSet<(FileId, u32)>,
    pub steps: u64,
    /// Steps that the running entry may take.
    pub entry_steps: u64,
    /// Steps that entries with symbolic inputs may still take in all, and how many functions wait for their share.
    pub project_steps: u64,
    pub waiting: u64,
    /// Speculations that the running entry rests on.
    pub entry_assumptions: AssumptionSet,
    pub entry_not_understood: Vec<(String, Span)>,
    pub entry_issues: Vec<usize>,
    /// How many abstract loops (whose iterations stand for many) are running.
    pub abstract_loops: usize,
    /// Where each dimension variable came from, for messages and assumptions.
    pub variable_assumptions: FxHashMap<Var, AssumptionId>,
    /// Whether a loader has a smaller last batch, by where it was made and how the question reads.
    pub batch_decisions: FxHashMap<(Span, String), DecisionId>,
    pub exhausted: Option<&'static str>,
    /// The places that reasons of the solver stand for.
    pub reasons: Vec<Span>,
    /// Where tensors are made of which the program does not say where.
    pub default_device: Device,
    /// Annotations that were looked up, by qualified name.
    /// What is special about the iteration that runs, for notes to its clashes.
    pub circumstances: Vec<(String, Span)>,
    /// How many `try` blocks with handlers run: what fails in them may be meant to.
    pub caught: usize,
    /// Literals whose opposite ends the program, as in `if n != m: raise`: no conditions of what comes after.
    pub settled: rustc_hash::FxHashSet<Literal>,
    /// Which of the path's literals are there because an alternative of a value was taken, one after the other.
    pub splits: Vec<Split>,
    /// What the running entry leaves to defaults.
    pub defaults: Defaults,
    /// How many calls there were.
    pub calls: u64,
    /// By the assumption that an operand has some number of dimensions: how many more it could have instead, or less.
    pub guessed_ranks: FxHashMap<AssumptionId, Vec<i64>>,
    /// The counters of loops whose number of iterations is not known.
    pub counters: rustc_hash::FxHashSet<Var>,
    /// The shapes that values of unknown type have, should they be tensors.
    pub shapes_of_values: FxHashMap<ObjectId, Shape>,
    /// Issues that were certain on their path, in the order in which they were met.
    pub violated: Vec<usize>,
    /// Decisions about the truth of objects; asking twice, also on another path, is one decision.
    pub object_decisions: FxHashMap<ObjectId, DecisionId>,
    /// The forms in which APIs may be called, where they were looked up.
    pub call_forms: FxHashMap<Name, Option<std::rc::Rc<crate::annotations::CallForms>>>,
    /// How the results of operations lie in memory, where that is known.
    pub strides: FxHashMap<crate::interp::value::OperationId, crate::interp::strides::Strides>,
    /// Handlers that were looked up, by qualified name.
    pub function_handlers: FxHashMap<Name, Option<crate::interp::handlers::FunctionHandler>>,
    pub lookups: crate::interp::lookups::Lookups<'p>,
    /// Where signatures are inferred: the path that is followed.
    pub inference: Option<Box<Run>>,
    pub library_cache: FxHashMap<Name, Option<&'p crate::annotations::Entry>>,
}

impl<'p> Interpreter<'p> {
    pub fn new(corpus: &'p Corpus, project: &'p Project, library: &'p Library, options: &'p Options) -> Self {
        let nothing: Rc<[Span]> = Rc::from([]);
        Interpreter {
            corpus,
            project,
            library,
            options,
            heap: Heap::default(),
            solver: Solver::with_oracle(options.oracle.clone()),
            trace: Trace { answers: Answers::new(&options.answers, corpus, project), ..Trace::default() },
            path: Vec::new(),
            decisions: Vec::new(),
            pending: Vec::new(),
            frames: Vec::new(),
            iterations: Vec::new(),
            loop_base: LogMark::default(),
            loop_stack: Vec::new(),
            loop_shared: nothing.clone(),
            recent_sizes: VecDeque::new(),
            call_stack: Vec::new(),
            call_shared: nothing,
            modules: FxHashMap::default(),
            entered: rustc_hash::FxHashSet::default(),
            steps: 0,
            entry_steps: options.limits.steps,
            project_steps: u64::MAX,
            waiting: 1,
            entry_assumptions: AssumptionSet::default(),
            entry_not_understood: Vec::new(),
            entry_issues: Vec::new(),
            abstract_loops: 0,
            variable_assumptions: FxHashMap::default(),
            batch_decisions: FxHashMap::default(),
            exhausted: None,
            reasons: Vec::new(),
            default_device: Device::Cpu,
            circumstances: Vec::new(),
            caught: 0,
            settled: rustc_hash::FxHashSet::default(),
            violated: Vec::new(),
            splits: Vec::new(),
            defaults: Defaults::default(),
            calls: 0,
            guessed_ranks: FxHashMap::default(),
            counters: Default::default(),
            shapes_of_values: FxHashMap::default(),
            object_decisions: FxHashMap::default(),
            function_handlers: FxHashMap::default(),
            call_forms: FxHashMap::default(),
            strides: FxHashMap::default(),
            lookups: Default::default(),
            inference: None,
            library_cache: FxHashMap::default(),
        }
    }

    /// Counts a step of the running entry.
    pub fn step(&mut self) -> Eval<()> {
        self.steps += 1;
        if self.steps > self.entry_steps {
            return Err(self.exhaust("steps"));
        }
        if self.heap.len() > self.options.limits.objects {
            return Err(self.exhaust("objects"));
        }
        Ok(())
    }

    /// Records that a bound ran out.
    pub fn exhaust(&mut self, what: &'static str) -> Interrupt {
        self.exhausted = Some(what);
        Interrupt::Budget(what)
    }

    pub fn file(&self) -> FileId {
        self.frames.last().map_or(FileId(0), |frame| frame.file)
    }

    pub fn span(&self, range: Range) -> Span {
        range.in_file(self.file())
    }

    /// Asks whether the running entry may rest on a speculation, and records it unless the user confirmed it.
    pub fn speculate(
        &mut self,
        kind: AssumptionKind,
        subject: &str,
        text: String,
        evidence: String,
        span: Span,
    ) -> Speculation {
        let subject = subject.to_owned();
        let asked = Asked { span: Some(span), kind: kind.as_str().to_owned(), subject, text, evidence };
        match self.trace.answers.reply(&asked, self.corpus) {
            Some(Reply::Denied) => return Speculation::Denied,
            Some(Reply::Confirmed) => return Speculation::Confirmed,
            None => {}
        }
        let Asked { subject, text, evidence, .. } = asked;
        let id = self.trace.assumptions.add(Assumption { kind, subject, text, evidence, span });
        self.entry_assumptions = self.entry_assumptions.with(id);
        Speculation::Assumed(id)
    }

    /// Records that something was not understood, and returns the value to go on with.
    pub fn not_understood(&mut self, what: &str, span: Span) {
        let entry = self.trace.not_understood.entry(what.to_owned()).or_insert((0, span));
        entry.0 += 1;
        if self.entry_not_understood.len() < 64 && !self.entry_not_understood.iter().any(|(known, _)| known == what) {
            self.entry_not_understood.push((what.to_owned(), span));
        }
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

    /// A fresh dimension that requirements may bind.
    pub fn free_dim(&mut self, name: &str, lower: i64) -> Dim {
        Dim::var(Var::fresh(VarInfo {
            name: name.to_owned(),
            kind: VarKind::Free,
            default: None,
            lower: Some(lower),
            upper: None,
        }))
    }

    /// An integer of which nothing is known; it may be negative.
    pub fn any_integer(&mut self, name: &str) -> Value {
        Value::Int(Dim::var(Var::fresh(VarInfo {
            name: name.to_owned(),
            kind: VarKind::Free,
            default: None,
            lower: Some(ANY_INTEGER),
            upper: None,
        })))
    }

    pub fn new_decision(&mut self, text: &str, constraint: Option<Constraint>) -> DecisionId {
        self.decisions.push(Decision {
            place: None,
            text: Rc::from(text),
            constraint,
            asked_in: None,
            is_of_construction: false,
            question: None,
            ways: Vec::new(),
            is_blurred: false,
        });
        DecisionId((self.decisions.len() - 1) as u32)
    }

    /// Notes of the last decision that the program asks here.
    pub(super) fn asked_here(&mut self, place: Option<Span>, question: Option<(ObjectId, Question)>) {
        let asked_in = self.frames.last().map(|frame| frame.number);
        let is_constructor = |function: &ir::Function| matches!(function.name.as_str(), "__init__" | "__new__");
        let is_of_construction =
            self.frames.iter().any(|frame| frame.function.as_ref().is_some_and(|function| is_constructor(function)));
        if let Some(last) = self.decisions.last_mut() {
            *last = Decision { place, asked_in, is_of_construction, question, ..last.clone() };
        }
    }

    /// Enters a loop for the record of operations.
    pub fn push_loop(&mut self, span: Span, record: LoopRecord) {
        let known = self.trace.loops.entry(span).or_insert(record);
        if known.trips != record.trips {
            known.trips = None;
        }
        known.over_batches |= record.over_batches;
        self.loop_stack.push(span);
        self.loop_shared = Rc::from(self.loop_stack.as_slice());
    }

    pub fn pop_loop(&mut self) {
        self.loop_stack.pop();
        self.loop_shared = Rc::from(self.loop_stack.as_slice());
    }

    pub fn push_call(&mut self, span: Span) {
        self.call_stack.push(span);
        self.call_shared = Rc::from(self.call_stack.as_slice());
    }

    pub fn pop_call(&mut self) {
        self.call_stack.pop();
        self.call_shared = Rc::from(self.call_stack.as_slice());
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
            && frame.function.is_some()
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
            kind: crate::interp::value::FunctionKind::Plain,
            wrapped: None,
        }
    }
}
