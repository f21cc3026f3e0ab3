//! Entries of a class that nobody calls: one object is made with symbolic arguments, and each method that nobody calls is run on it as if
//! it were called first.
//!
//! Each of these entries begins with the constructor. It is run once, and what follows it is taken back before the next method: in packages
//! of large models, most of the work of all entries is making their objects.

use std::collections::{BTreeSet, VecDeque};
use std::rc::Rc;

use rustc_hash::FxHashSet;

use crate::calls::call::CallArguments;
use crate::entries::entry_points::Moment;
use crate::paths::reachability::Split;
use crate::state::interpreter::{Eval, Interpreter, Interrupt};
use crate::state::scoped_table::Scoped;
use crate::values::equivalent_modules::MODULE;
use crate::values::value::{Closure, FunctionKind, Literal, ObjectId, Value};
use harp_annotations::ParameterKind;
use harp_corpus::Span;
use harp_python::name::{Name, name};
use harp_shape::{Dim, Var};
use harp_trace::assumption::{AssumptionId, AssumptionSet};
use harp_trace::route::{Route, StepKind};

/// A class whose methods are entries.
#[derive(Clone, Copy)]
struct ClassEntry {
    class: ObjectId,
    name: Name,
    /// The class's name in its definition.
    span: Span,
    is_module: bool,
}

/// What an entry has taken, found and decided so far.
struct Progress {
    steps: u64,
    copied: usize,
    /// How many objects there were when the entry began.
    objects: usize,
    exhausted: Option<&'static str>,
    assumptions: AssumptionSet,
    not_understood: Vec<(String, Span)>,
    reached: FxHashSet<String>,
    unproved: Vec<(String, Span)>,
    provided: Vec<String>,
    arguments: Vec<(Name, Value)>,
    first_fact: usize,
    issues: BTreeSet<usize>,
    violated: Vec<usize>,
    defaults: Vec<(Span, AssumptionId)>,
    path: Vec<Literal>,
    route: Route,
    settled: FxHashSet<Literal>,
    splits: Vec<Split>,
    circumstances: Vec<(String, Span)>,
    saved: Option<ObjectId>,
    recent_sizes: VecDeque<Rc<[Value]>>,
    last_batches: Vec<(Dim, Dim, Dim)>,
    later_counters: Scoped<Var, ()>,
}

/// An object of the class, with the state of the program and of the entry in which it was made.
struct Made {
    /// The object, or how making it ended.
    object: Eval,
    moment: Moment,
    progress: Progress,
}

/// An entry that found something, perhaps because of the defaults that it kept.
struct Rehearsed {
    method: Name,
    closure: Rc<Closure>,
    steps: u64,
    issues: BTreeSet<usize>,
    defaults: Vec<(Span, AssumptionId)>,
}

impl Interpreter<'_> {
    /// Makes an object of a class with symbolic arguments and calls the methods that nobody called, each on the object as it was made.
    pub(crate) fn check_class(&mut self, name: Name, class: ObjectId) {
        let Some(data) = self.heap.class(class).cloned() else { return };
        let span = data.definition.name_range.in_file(data.definition.file);
        let is_module = self.derives_from(&Value::Class(class), MODULE);
        let entry = ClassEntry { class, name, span, is_module };
        let waiting = self.uncalled_methods(entry);
        let Some((first, _)) = waiting.first() else { return };
        if waiting.iter().all(|(method, _)| self.is_left_out(&format!("{name}.{method}"))) {
            return;
        }
        self.entry.executed_files.clear();
        let steps = self.share_of_steps();
        self.begin(steps);
        let before = self.moment();
        self.note_step(StepKind::Entry, span, |_| format!("{name}.{first}"));
        let made = self.make_for_entries(entry);
        let mut rehearsed = Vec::new();
        for (index, (method, closure)) in waiting.into_iter().enumerate() {
            if index > 0 && self.was_entered(&closure.function) {
                continue;
            }
            self.resume_entry(&made, entry, method);
            if let Ok(object) = &made.object {
                let object = object.clone();
                let place = format!("{name}.{method}");
                let run = |this: &mut Self| this.run_method(entry, method, &closure, object);
                let result = self.contained((&place, span), run);
                if matches!(result, Err(Interrupt::Budget(_))) {
                    self.leave_everything();
                }
                self.work.shares.project =
                    self.work.shares.project.saturating_sub(self.entry.steps - made.progress.steps);
                self.state_inputs();
                self.go_back(made.moment);
            }
            let (steps, issues) = (self.entry.steps, self.entry.issues.clone());
            let defaults = std::mem::take(&mut self.entry.defaults.kept);
            self.record_entry(&format!("{name}.{method}"), span);
            if !(defaults.is_empty() || issues.is_empty()) {
                rehearsed.push(Rehearsed { method, closure, steps, issues, defaults });
            }
        }
        self.go_back(before);
        rehearsed.into_iter().for_each(|one| self.rehearse_method(entry, one));
    }

    /// The methods that nobody called and that somebody may call from outside. What a module is made with is looked at with its methods.
    fn uncalled_methods(&self, entry: ClassEntry) -> Vec<(Name, Rc<Closure>)> {
        let ClassEntry { class, is_module, span, .. } = entry;
        let is_waiting = |name: Name, closure: &Rc<Closure>| {
            let text = name.as_str();
            let is_special = text.starts_with("__") && !matches!(text, "__init__" | "__call__" | "__getitem__");
            let is_made_with = is_module && text == "__init__";
            !(self.was_entered(&closure.function) || is_special || is_made_with)
        };
        let attributes = self.heap.object(class).attributes.iter();
        let methods = attributes.filter_map(|(name, value)| match (self.tables.decorated.get(&(class, name)), value) {
            (Some(closure), _) => Some((name, Rc::clone(closure))),
            (None, Value::Function(closure)) if closure.function.file == span.file => Some((name, Rc::clone(closure))),
            _ => None,
        });
        methods.filter(|(name, closure)| is_waiting(*name, closure)).collect()
    }

    /// Makes the object of the running entry, for all entries of its class.
    fn make_for_entries(&mut self, entry: ClassEntry) -> Made {
        let objects = self.entry.objects;
        let object = self.contained((entry.name.as_str(), entry.span), |this| this.object_from_outside(entry));
        if matches!(object, Err(Interrupt::Budget(_))) {
            self.leave_everything();
        }
        self.work.shares.project = self.work.shares.project.saturating_sub(self.entry.steps);
        let progress = Progress {
            steps: self.entry.steps,
            copied: self.heap.copied(),
            objects,
            exhausted: self.entry.exhausted,
            assumptions: self.entry.assumptions.clone(),
            not_understood: self.entry.not_understood.clone(),
            reached: self.entry.reached.clone(),
            unproved: self.entry.unproved.clone(),
            provided: self.entry.provided.clone(),
            arguments: self.entry.arguments.clone(),
            first_fact: self.entry.first_fact,
            issues: self.entry.issues.clone(),
            violated: self.entry.violated.clone(),
            defaults: self.entry.defaults.kept.clone(),
            path: self.path.to_vec(),
            route: self.route.clone(),
            settled: self.settled.clone(),
            splits: self.splits.clone(),
            circumstances: self.loops.circumstances.clone(),
            saved: self.model_state.saved,
            recent_sizes: self.sizes.recent.clone(),
            last_batches: self.model_state.last_batches.clone(),
            later_counters: self.tables.later_counters.clone(),
        };
        Made { object, moment: self.moment(), progress }
    }

    /// Goes on in an entry of a method as if its object had been made in it.
    fn resume_entry(&mut self, made: &Made, entry: ClassEntry, method: Name) {
        let steps = self.share_of_steps();
        self.begin(steps.max(made.progress.steps));
        let progress = &made.progress;
        self.entry.steps = progress.steps;
        self.work.shown.begin(progress.steps);
        self.heap.count_copies_from(progress.copied);
        self.entry.objects = progress.objects;
        self.entry.exhausted = progress.exhausted;
        self.entry.assumptions = progress.assumptions.clone();
        self.entry.not_understood.clone_from(&progress.not_understood);
        self.entry.reached.clone_from(&progress.reached);
        if !self.entry.not_understood.is_empty() {
            self.leave_steps();
        }
        self.entry.unproved.clone_from(&progress.unproved);
        self.entry.provided.clone_from(&progress.provided);
        self.entry.arguments.clone_from(&progress.arguments);
        self.entry.first_fact = progress.first_fact;
        self.entry.issues.clone_from(&progress.issues);
        self.entry.violated.clone_from(&progress.violated);
        self.entry.defaults.kept.clone_from(&progress.defaults);
        self.path.go_to(&progress.path, &self.decisions);
        self.route = progress.route.entered_as(|| format!("{}.{method}", entry.name));
        self.settled.clone_from(&progress.settled);
        self.splits.clone_from(&progress.splits);
        self.loops.circumstances.clone_from(&progress.circumstances);
        self.model_state.saved = progress.saved;
        self.sizes.recent.clone_from(&progress.recent_sizes);
        self.model_state.last_batches.clone_from(&progress.last_batches);
        self.tables.later_counters.clone_from(&progress.later_counters);
    }

    /// An instance of a class that nobody makes.
    fn object_from_outside(&mut self, entry: ClassEntry) -> Eval {
        let ClassEntry { class, span, .. } = entry;
        let constructor = self.member_of(&Value::Class(class), name!("__init__"), None);
        let arguments = match &constructor {
            Some(Value::Function(constructor)) => {
                let mut arguments = self.symbolic_arguments(constructor, Some(Value::None), span);
                self.keep_inputs(&constructor.function, &arguments, true);
                arguments.positional.remove(0);
                arguments.positional_spans.remove(0);
                if !self.is_made_somewhere(entry.name) {
                    self.note_set_up(&arguments.positional);
                    arguments.keywords.iter().for_each(|(_, value)| self.note_set_up(std::slice::from_ref(value)));
                }
                arguments
            }
            _ => self.arguments_of_library_constructor(class, span),
        };
        let object = self.instantiate(class, arguments)?;
        self.set_up_tests(class, &object, span)?;
        Ok(object)
    }

    /// The constructor is a library's; what it is called with is not known, beside that a layer gets what it must be given.
    fn arguments_of_library_constructor(&mut self, class: ObjectId, span: Span) -> CallArguments {
        let bases = self.library_bases(&Value::Class(class), None);
        let is_open = !bases.is_empty();
        let mut arguments = CallArguments { is_open, is_from_outside: true, ..CallArguments::empty(span) };
        let layer = bases.first().and_then(|base| self.library_class(*base)).filter(|spec| spec.is_module);
        let parameters = layer.map_or(&[][..], |spec| &spec.constructor.parameters);
        let needed = parameters.iter().filter(|parameter| {
            parameter.default.is_none()
                && matches!(parameter.kind, ParameterKind::PositionalOrKeyword | ParameterKind::KeywordOnly)
        });
        for parameter in needed {
            let name = Name::new(&parameter.name);
            let value = self.symbolic(name.as_str(), span, false);
            self.entry.arguments.push((name, value.clone()));
            arguments.keywords.push((name, value));
            arguments.keyword_spans.push(None);
        }
        arguments
    }

    /// Calls a method on a new object.
    fn run_method(&mut self, entry: ClassEntry, method: Name, closure: &Rc<Closure>, object: Value) -> Eval<()> {
        if method.as_str() == "__init__" {
            return Ok(());
        }
        let ClassEntry { class, span, .. } = entry;
        if !self.is_test(class, method) {
            self.forget_later_state(&object, method.as_str(), span);
        }
        let receiver = match closure.kind {
            FunctionKind::Static => None,
            FunctionKind::ClassMethod => Some(Value::Class(class)),
            _ => Some(object),
        };
        let has_receiver = receiver.is_some();
        let arguments = self.symbolic_arguments(closure, receiver, span);
        self.keep_inputs(&closure.function, &arguments, has_receiver);
        let result = self.call_entry(closure, arguments)?;
        self.run_to_end(&result)
    }

    /// Finds out which of an entry's findings rest on defaults; what its object is made with may be among them.
    fn rehearse_method(&mut self, entry: ClassEntry, rehearsed: Rehearsed) {
        let Rehearsed { method, closure, steps, issues, defaults } = rehearsed;
        self.entry.steps = steps;
        self.entry.issues = issues;
        self.entry.defaults.kept = defaults;
        let place = format!("{}.{method}", entry.name);
        self.attach_defaults((&place, entry.span), &|this: &mut Self| {
            let object = this.object_from_outside(entry)?;
            this.run_method(entry, method, &closure, object)
        });
    }
}
