//! Interpreter state: what belongs to the entry that runs.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::budget::costly_calls::EntryKind;
use crate::entries::rerun_without_defaults::Defaults;
use crate::heap::objects::LogMark;
use crate::state::options::Options;
use crate::values::value::{ObjectId, OperationId, Value};
use harp_corpus::{FileId, Span};
use harp_python::name::Name;
use harp_shape::Constraint;
use harp_trace::StatedInput;
use harp_trace::assumption::AssumptionSet;

/// What belongs to the entry that runs.
pub struct RunningEntry {
    /// The files of the code that the running entry has executed.
    pub(crate) executed_files: BTreeSet<FileId>,
    /// The namespace of the script that runs, or ran last.
    pub(crate) script: Option<ObjectId>,
    /// The steps that it took.
    pub steps: u64,
    /// Steps that the running entry may take.
    pub most_steps: u64,
    /// How often changes of a call that may fail were tried, by its place.
    pub remedies_tried: FxHashMap<Span, u32>,
    /// Objects that do not count for the running entry: those that there were when it began; of a module, those among them that are dead.
    pub objects: usize,
    pub kind: EntryKind,
    /// Speculations that the running entry rests on.
    pub assumptions: AssumptionSet,
    pub not_understood: Vec<(String, Span)>,
    /// Which of it reaches an operation, or may.
    pub reached: FxHashSet<String>,
    /// Requirements of the entry that were neither proved nor refuted. They say nothing of what the code may have done, as what was not
    /// understood does.
    pub unproved: Vec<(String, Span)>,
    /// What the entry's sizes must fulfil so that nothing fails, where that is not worth a finding.
    pub provided: Vec<String>,
    /// What its functions are called with from outside.
    pub arguments: Vec<(Name, Value)>,
    /// The number of facts before it began.
    pub first_fact: usize,
    /// What these turned out to be.
    pub inputs: Vec<StatedInput>,
    pub issues: BTreeSet<usize>,
    /// Whether a statement before the running one ended the module, or the program. The rest is executed all the same.
    pub is_behind_end: bool,
    /// Whether it certainly ended it, whatever options the program is given.
    pub is_after_exit: bool,
    /// How often a requirement did not hold.
    pub issues_met: u64,
    pub exhausted: Option<&'static str>,
    /// Whether one iteration stands for others in a loop whose iterations are known.
    pub cuts_loops: bool,
    /// How often the running entry called a function that runs more often already than unknown arguments allow.
    pub deep_calls: u32,
    /// What the running entry leaves to defaults.
    pub defaults: Defaults,
    /// The settings that loops took for their defaults.
    pub settled_defaults: Vec<Constraint>,
    /// Tensors of which the entry asked for a member that no tensor has.
    pub mistaken_tensors: FxHashSet<OperationId>,
    /// Where the modules that the running script imports began and ended to run.
    pub imports_of_script: Vec<(LogMark, LogMark)>,
    /// What findings rest on behind loops over objects that were left before they came to all of them.
    pub left_out: AssumptionSet,
    /// Issues that were certain on their path, in the order in which they were met.
    pub violated: Vec<usize>,
}

impl RunningEntry {
    /// The same before anything ran.
    pub(crate) fn new(options: &Options) -> Self {
        RunningEntry {
            executed_files: BTreeSet::new(),
            script: None,
            steps: 0,
            most_steps: options.limits.steps,
            remedies_tried: FxHashMap::default(),
            objects: 0,
            kind: EntryKind::default(),
            assumptions: AssumptionSet::default(),
            not_understood: Vec::new(),
            reached: FxHashSet::default(),
            unproved: Vec::new(),
            provided: Vec::new(),
            arguments: Vec::new(),
            first_fact: 0,
            inputs: Vec::new(),
            issues: BTreeSet::new(),
            is_behind_end: false,
            is_after_exit: false,
            issues_met: 0,
            exhausted: None,
            cuts_loops: false,
            deep_calls: 0,
            defaults: Defaults::default(),
            settled_defaults: Vec::new(),
            mistaken_tensors: FxHashSet::default(),
            imports_of_script: Vec::new(),
            left_out: AssumptionSet::default(),
            violated: Vec::new(),
        }
    }

    /// Forgets what the last entry left behind. So many objects there are already, and so many facts are known.
    pub(crate) fn begin(&mut self, most_steps: u64, objects: usize, facts: usize) {
        self.steps = 0;
        self.most_steps = most_steps;
        self.kind = EntryKind::Symbolic;
        self.objects = objects;
        self.first_fact = facts;
        self.exhausted = None;
        self.assumptions = AssumptionSet::default();
        self.left_out = AssumptionSet::default();
        self.not_understood.clear();
        self.reached.clear();
        self.unproved.clear();
        self.provided.clear();
        self.arguments.clear();
        self.inputs.clear();
        self.issues.clear();
        self.violated.clear();
        self.remedies_tried.clear();
        self.settled_defaults.clear();
        self.defaults.kept.clear();
        self.script = None;
        self.is_behind_end = false;
        self.is_after_exit = false;
        self.deep_calls = 0;
    }
}
