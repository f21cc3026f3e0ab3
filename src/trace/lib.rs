//! What the interpreter leaves behind: operations, judged requirements, speculations, and what it did not understand.
//! The graph and the reports are made from it.

pub mod answers;
pub mod assumption;
pub mod complexity;
pub mod defaults_nobody_uses;
pub mod defect_of_entry;
pub mod details;
pub mod device;
pub mod identity;
pub mod ids;
pub mod inferred_signature;
pub mod not_understood;
pub mod route;
pub mod silenced;
pub mod sites;
pub mod small_set;
pub mod speculation_patterns;
pub mod tensor_kind;
pub mod told_conditions;

use std::collections::BTreeMap;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::answers::{Answers, Contradiction};
use crate::assumption::{AssumptionId, AssumptionSet, Assumptions};
use crate::complexity::Complexities;
use crate::defaults_nobody_uses::DefaultInCalls;
use crate::defect_of_entry::DefectOfEntry;
use crate::details::{Details, ObjectRecord, Source};
use crate::device::Device;
use crate::identity::Identity;
use crate::ids::OperationId;
use crate::not_understood::NotUnderstood;
use crate::route::Route;
use crate::silenced::SilencedAlarms;
use crate::sites::Sites;
pub use crate::sites::{Ground, Site};
use crate::tensor_kind::TensorKind;
use harp_corpus::{FileId, Span};
use harp_python::name::Name;
use harp_shape::{Assumed, Family};
use harp_shape::{DType, Shape, Var};

/// Why the check of an entry point is incomplete of which an exception of its own ended the execution.
pub const AFTER_END: &str = "code after an exit of the program, which did not run";
/// Why the check of an entry point is incomplete where a requirement was neither proved nor refuted.
pub const NOT_DECIDED: &str = "could not decide whether its operands fit";
/// Why an entry is not vouched for whose callers must know which inputs go together.
pub const LEFT_TO_CALLERS: &str = "inputs that must go together";

/// An execution of a library API.
#[derive(Debug, Clone)]
pub struct OperationRecord {
    pub api: Name,
    /// The call, or the operator expression.
    pub span: Span,
    /// Every tensor that it is given.
    pub given: Box<[Given]>,
    /// What is known of them; nothing where nobody asks.
    pub inputs: Vec<Input>,
    pub shape: Option<Shape>,
    pub dtype: DType,
    /// Where its result lies.
    pub device: Device,
    /// Statements of the loops around it, outermost first, through calls.
    pub loops: Rc<[Span]>,
    /// Which iteration of each of them it runs in, counted from 1 as they are executed.
    pub rounds: Rc<[u32]>,
    /// Call sites through which it was reached, outermost first.
    pub calls: Rc<[Span]>,
    /// How it was reached, where somebody asks.
    pub route: Route,
    /// The operation that gave its result the shape, where it gives each element of that one's result another value.
    pub shape_from: OperationId,
    /// What was taken for granted of its operands.
    pub assumptions: AssumptionSet,
    /// What its sizes at the defaults rest on besides.
    pub sizes_assume: Ground,
    pub identity: Identity,
    /// What it was told and gave, where it gives several results or somebody asks.
    pub details: Option<Rc<Details>>,
}

/// Where a tensor comes from that is passed to an operation.
#[derive(Debug, Clone, Copy)]
pub struct Given {
    /// What takes it.
    pub parameter: Name,
    /// What produced it, or what it is a part of.
    pub operation: OperationId,
    /// Which of the operation's results it is or is a part of, counted from 0; where no operation is recorded, the number of its source, counted from 1.
    pub part: u32,
    /// Whether it is that result itself, as a whole, and of one execution.
    pub is_result: bool,
    /// Whether it is as a whole what the operation gave or the source is, and not an item of it.
    pub is_whole: bool,
}

/// A tensor that is passed to an operation.
#[derive(Debug, Clone)]
pub struct Input {
    pub parameter: Name,
    /// What produced it.
    pub operation: OperationId,
    pub shape: Shape,
    /// Where the shape was reduced to what it is at the defaults: a number that is the same for equal shapes.
    pub symbols: Option<u64>,
    pub device: Device,
}

/// How bad a judged requirement is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IssueKind {
    /// The requirement is violated whenever the place is reached.
    Violated,
    /// It is violated for some values; `condition` says when.
    Possible,
    /// It runs, but surely was not meant.
    SuspiciousBroadcast,
    /// It runs, but an annotation says another shape.
    WrongAnnotation,
}

impl IssueKind {
    /// Whether the program fails there.
    pub fn is_error(&self) -> bool {
        matches!(self, IssueKind::Violated | IssueKind::Possible)
    }
}

/// What to write where a requirement does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remedy {
    /// A sentence that says it.
    pub text: String,
    /// The text, and what it takes the place of, where a program can write it.
    pub edit: Option<(Span, String)>,
    /// Whether it is known why the requirement does not hold, so that what circumstances suggest is beside the point.
    pub is_cause: bool,
}

impl Remedy {
    /// A remedy that a person has to write.
    pub fn told(text: String) -> Remedy {
        Remedy { text, edit: None, is_cause: false }
    }

    /// What is wrong before the place that fails.
    pub fn cause(text: String) -> Remedy {
        Remedy { is_cause: true, ..Remedy::told(text) }
    }
}

/// A requirement that does not hold.
#[derive(Debug, Clone)]
pub struct Issue {
    pub kind: IssueKind,
    pub subject: Subject,
    pub span: Span,
    pub api: Name,
    pub message: String,
    pub operands: Vec<Operand>,
    /// When it fails, in the program's names.
    pub conditions: Vec<String>,
    /// Circumstances that explain the clash, such as which mini-batch it is.
    pub notes: Vec<(String, Span)>,
    pub counterexample: Option<String>,
    /// What to write to mend it.
    pub help: Option<String>,
    /// The text that `help` says to write, and what it takes the place of.
    pub edit: Option<(Span, String)>,
    /// What it clashes with, and where that was learned.
    pub because: Vec<(String, Span)>,
    pub assumptions: AssumptionSet,
    /// Call sites through which the place was reached, outermost first.
    pub calls: Rc<[Span]>,
    /// The library object that was called, where it was made.
    pub module_origin: Option<(String, Span)>,
    pub operation: OperationId,
    /// Whether the place lies on a branch whose condition is not known.
    pub is_conditional: bool,
    /// The filter for unlikely input that applies, if any.
    pub left_to_callers: Option<&'static str>,
    /// The operation of an installed package that fails, where the place is the program's call of the package.
    pub inside: Option<Span>,
    /// How the place was reached, where somebody asks.
    pub route: Route,
}

/// What an issue is about: sizes and element types, or Python itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// Operands that do not fit an operation.
    Operands,
    /// The arguments of a call, which its function does not take.
    Arguments,
    /// A member that an object or a module does not have.
    Attribute,
    /// `None` where something else is needed.
    None,
    /// A value of a type that an operator, a loop or a container does not take.
    Type,
    /// The number of values that are unpacked.
    Unpacking,
    /// A name that nothing binds.
    Name,
}

impl Subject {
    /// As rules name it.
    pub fn name(self) -> &'static str {
        match self {
            Subject::Operands => "operands",
            Subject::Arguments => "arguments",
            Subject::Attribute => "attribute",
            Subject::None => "none",
            Subject::Type => "type",
            Subject::Unpacking => "unpacking",
            Subject::Name => "name",
        }
    }
}

impl Issue {
    /// Issues of one class at one place are one issue, however sure.
    pub fn is_same_class(&self, other: &Issue) -> bool {
        self.kind.is_error() == other.kind.is_error() && (self.kind.is_error() || self.kind == other.kind)
    }
}

/// An operand of a clash.
#[derive(Debug, Clone)]
pub struct Operand {
    pub name: Rc<str>,
    /// Where the call passes it.
    pub span: Option<Span>,
    pub shape: String,
    /// Where its shape came from, with what made it.
    pub origin: Option<(String, Span)>,
    /// The library object that gave it its shape, where it was made.
    pub shaped_by: Option<(String, Span)>,
    /// What made it.
    pub operation: OperationId,
}

/// `reveal_type(x)` in analysed code.
#[derive(Debug, Clone)]
pub struct Reveal {
    pub span: Span,
    pub text: String,
    pub assumptions: AssumptionSet,
}

/// What became of an entry.
#[derive(Debug, Clone)]
pub struct EntryResult {
    pub name: String,
    pub span: Span,
    /// Indices into [`Trace::issues`].
    pub issues: Vec<usize>,
    /// Why the entry cannot be vouched for, each with a place.
    pub not_understood: Vec<(String, Span)>,
    /// Calls that were not followed and of whose results no operation made anything.
    pub not_followed: Vec<(String, Span)>,
    /// What the sizes that are given must fulfil so that nothing fails, where that is not worth a finding.
    pub provided: Vec<String>,
    /// What its operations make of the parameters of a function or class that nobody calls.
    pub inputs: Vec<StatedInput>,
    pub assumptions: AssumptionSet,
    pub exhausted: Option<&'static str>,
    /// Of a script; `None` for functions and classes that nobody calls.
    pub training_step: Option<TrainingStep>,
    /// The steps that it took, run once.
    pub steps: u64,
    /// The files of the code that it executed, in order.
    pub files: Vec<FileId>,
}

/// Whether an execution came to a training step of its program: the call of a `backward`, or of the `step` of an
/// optimizer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrainingStep {
    /// It did, with some options at least.
    Reached,
    /// The program has one, and no run came there.
    NotReached,
    /// The program has none.
    None,
}

/// What an entry's verdict says of one of its parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatedInput {
    pub name: String,
    /// A shape such as `s@[784]`, a number, or those of a tuple's items: `([a, b], 3)`.
    pub form: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ValueKind {
    Tensor(TensorOrigin),
    List,
    Dict,
    Tuple,
    Integer,
    Float,
    Text,
    Boolean,
    Object,
    Callable,
    Unknown,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TensorOrigin {
    /// Of the family that is assumed where nothing tells another.
    Torch,
    NumPy,
    Image,
    /// Of another family.
    Other(Family),
}

impl From<TensorKind> for TensorOrigin {
    fn from(kind: TensorKind) -> Self {
        match kind.rules() {
            rules if rules.is_picture => TensorOrigin::Image,
            rules if rules.assumed == Assumed::Everywhere => TensorOrigin::Torch,
            rules if rules.assumed == Assumed::AsWell => TensorOrigin::NumPy,
            _ => TensorOrigin::Other(kind.family()),
        }
    }
}

/// What a loop did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoopRecord {
    /// The number of iterations, where it is a known constant.
    pub trips: Option<i64>,
    /// Whether it iterates over mini-batches of a data loader.
    pub over_batches: bool,
    /// Whether its last mini-batch may be smaller than the others.
    pub has_last: bool,
}

/// Everything that one analysis found out.
#[derive(Debug, Default)]
pub struct Trace {
    pub operations: Vec<OperationRecord>,
    pub issues: Vec<Issue>,
    pub issues_at: BTreeMap<Span, Vec<usize>>,
    pub reveals: Vec<Reveal>,
    /// Those that nobody answered; what is confirmed or denied is in [`Trace::answers`].
    pub assumptions: Assumptions,
    pub answers: Answers,
    /// Comments that contradict what is known.
    pub contradictions: Vec<Contradiction>,
    /// By what was not understood.
    pub not_understood: BTreeMap<String, NotUnderstood>,
    pub silenced: SilencedAlarms,
    pub entries: Vec<EntryResult>,
    /// Panics that entries ended with.
    pub defects: Vec<DefectOfEntry>,
    pub sites: Sites,
    /// Objects that were called; operations name them by their index and 1.
    pub objects: Vec<ObjectRecord>,
    /// The objects whose methods calls of libraries' methods ran, by the places of the calls; objects are named as operations name them.
    pub methods: BTreeMap<Span, Vec<u32>>,
    /// Where tensors come from that no operation gave.
    pub sources: Vec<Source>,
    /// What the value of a size rests on.
    pub size_assumptions: FxHashMap<Var, AssumptionId>,
    pub loops: FxHashMap<Span, LoopRecord>,
    /// How often loops run at the defaults of what is configured, and what that rests on; the fewest, where runs differ.
    pub loops_at_defaults: BTreeMap<Span, (i64, Ground)>,
    /// How loops were reached first, where somebody asks.
    pub loop_routes: FxHashMap<Span, Route>,
    /// Attributes and items in loops that are read of objects of unknown type.
    pub unknown_owners: FxHashSet<Span>,
    /// Attributes and items that are read there by functions of the program, with the operations that these run: the first one's index, and that
    /// behind the last one.
    pub running_accesses: FxHashMap<Span, (usize, usize)>,
    /// Places that are hard to follow.
    pub complexities: Complexities,
    /// By parameter with a default: what the program's own calls do with it.
    pub defaults_in_calls: FxHashMap<Span, DefaultInCalls>,
}

impl Trace {
    pub fn operation(&self, id: OperationId) -> Option<&OperationRecord> {
        (id != OperationId::NONE).then(|| self.operations.get(id.0 as usize - 1)).flatten()
    }

    /// Records an operation and returns its number, which starts at 1.
    pub fn add_operation(&mut self, record: OperationRecord) -> OperationId {
        self.operations.push(record);
        OperationId(self.operations.len() as u32)
    }

    /// The issue of the same class of the same API at the same place.
    pub fn same_issue(&self, issue: &Issue) -> Option<usize> {
        let is_same = |index: &&usize| {
            let known = self.issues.get(**index);
            known.is_some_and(|known| known.api == issue.api && known.is_same_class(issue))
        };
        self.issues_at.get(&issue.span)?.iter().find(is_same).copied()
    }

    /// The issues at places that begin within another.
    pub fn issues_within(&self, span: Span) -> impl Iterator<Item = usize> {
        let (first, last) = (Span { end: 0, ..span }, Span { start: span.end, end: u32::MAX, ..span });
        self.issues_at.range(first..=last).flat_map(|(_, there)| there.iter().copied())
    }

    /// Records an issue and returns its index.
    pub fn add_issue(&mut self, issue: Issue) -> usize {
        let index = self.issues.len();
        self.issues_at.entry(issue.span).or_default().push(index);
        self.issues.push(issue);
        index
    }

    /// Forgets the issues that were recorded since there were so many.
    pub fn forget_issues(&mut self, count: usize) {
        for issue in self.issues.drain(count.min(self.issues.len())..) {
            if let Some(there) = self.issues_at.get_mut(&issue.span) {
                there.retain(|index| *index < count);
            }
        }
    }

    /// Takes back what callers are left to avoid; the entries say so.
    pub fn leave_to_callers(&mut self) {
        self.issues_at.clear();
        let mut kept = Vec::with_capacity(self.issues.len());
        let mut places = Vec::with_capacity(self.issues.len());
        for issue in std::mem::take(&mut self.issues) {
            match issue.left_to_callers {
                Some(filter) => {
                    if issue.kind.is_error() {
                        self.silenced.note(filter, issue.span, issue.api, &issue.message, issue.inside.is_some());
                    }
                    places.push(Err(issue.span));
                }
                None => {
                    places.push(Ok(kept.len()));
                    kept.push(issue);
                }
            }
        }
        self.issues = kept;
        for entry in &mut self.entries {
            for index in std::mem::take(&mut entry.issues) {
                match places.get(index) {
                    Some(Ok(place)) => entry.issues.push(*place),
                    Some(Err(span)) => entry.not_understood.push((LEFT_TO_CALLERS.to_owned(), *span)),
                    None => {}
                }
            }
        }
    }

    pub fn site(&mut self, span: Span) -> &mut Site {
        self.sites.at(span)
    }
}
