//! Where execution starts: every module, then whatever of it nobody called, with symbolic inputs.

use std::rc::Rc;

use crate::api::library_model::LibraryModel;
use crate::budget::costly_calls::EntryKind;
use crate::budget::solver_cost::SolverWork;
use crate::budget::step_shares;
use crate::entries::containment::DEFECT;
use crate::heap::objects::LogMark;
use crate::loops::batch_being_drawn::Drawing;
use crate::state::interpreter::{Eval, Interpreter, Interrupt, Options};
use crate::values::value::{Closure, ObjectId, Value};
use harp_annotations::Library;
use harp_corpus::{Corpus, FileId, Span};
use harp_limits::Ceiling;
use harp_python::ir::Function;
use harp_python::name::Name;
use harp_python::project::{ModuleId, Project};
use harp_shape::{Mark, Remembered, forget_since, remembered, work_done};
use harp_trace::assumption::AssumptionSet;
use harp_trace::route::{Route, StepKind};
use harp_trace::{EntryResult, Trace};

/// The program's state when an entry begins, or when its object is made.
#[derive(Clone, Copy)]
pub(crate) struct Moment {
    heap: LogMark,
    objects: usize,
    solver: Mark,
    remembered: Remembered,
    reasons: usize,
    modules: usize,
    decisions: usize,
    object_decisions: usize,
    batch_decisions: usize,
    installed: usize,
    shapes: usize,
    strides: usize,
    masks: usize,
    variables: usize,
    counters: usize,
    counts: usize,
    handed_out: usize,
    passes: usize,
    by_chance: usize,
    independent: usize,
    tables: usize,
    decorated: usize,
    attributed: usize,
}

/// Executes the project from all its entries.
pub fn analyse(
    (corpus, project): (&Corpus, &Project),
    libraries: (&Library, &'static dyn LibraryModel),
    options: &Options,
) -> Trace {
    let mut interpreter = Interpreter::new((corpus, project), libraries, options);
    interpreter.shares.scripts = step_shares::script_steps(corpus);
    let count = project.modules.len();
    let imported = project.modules_that_others_import();
    for module in in_order_of_files(corpus, project, libraries.1) {
        let Some(tree) = project.module(module).filter(|_| is_given(corpus, project, module)) else { continue };
        let as_main = tree.has_main_guard;
        let name = if as_main { format!("script {}", tree.name) } else { format!("module {}", tree.name) };
        let span = Span::new(tree.file, 0, 0);
        let is_known = interpreter.modules.contains_key(&(module, as_main));
        if is_known {
            continue;
        }
        let kind = if as_main { EntryKind::Script } else { EntryKind::Module };
        interpreter.defaults.others.begin();
        interpreter.shares.is_script = !tree.is_package && !imported.contains(&module);
        interpreter.entry(&name, span, kind, |this| this.module(module, as_main).map(|_| ()));
        interpreter.note_too_large(module, as_main);
        interpreter.contained_between((&name, span), |this| this.run_with_other_options(module, as_main));
    }
    let given = (0..count).map(|index| ModuleId(index as u32)).filter(|module| is_given(corpus, project, *module));
    let functions: Vec<(ModuleId, u64)> =
        given.map(|module| (module, step_shares::functions_of(project, module))).collect();
    interpreter
        .shares
        .begin(step_shares::project_steps(corpus), functions.iter().map(|(_, functions)| functions).sum());
    for (module, functions) in functions {
        for as_main in [true, false] {
            let Some(&namespace) = interpreter.modules.get(&(module, as_main)) else { continue };
            let (name, span) = module_place(project, module);
            interpreter.contained_between((&name, span), |this| this.import_for_functions(module));
            interpreter.contained_between((&name, span), |this| this.check_uncalled(module, namespace));
            break;
        }
        interpreter.shares.waiting -= functions;
    }
    interpreter.trace.condition_on_unused_defaults(project);
    interpreter.trace.leave_to_callers();
    interpreter.trace
}

/// How a module is called where something is said of its entries, and where it is.
pub(crate) fn module_place(project: &Project, module: ModuleId) -> (String, Span) {
    match project.module(module) {
        Some(tree) => (format!("module {}", tree.name), Span::new(tree.file, 0, 0)),
        None => ("a module".to_owned(), Span::new(FileId(0), 0, 0)),
    }
}

/// Whether a module is of a file that is checked, not only imported by one.
fn is_given(corpus: &Corpus, project: &Project, module: ModuleId) -> bool {
    project.module(module).is_some_and(|tree| !corpus.is_imported(tree.file))
}

/// The modules in their order, except that those come last which load files and save none: others may save what they load.
fn in_order_of_files(corpus: &Corpus, project: &Project, models: &dyn LibraryModel) -> Vec<ModuleId> {
    let only_loads = |module: &ModuleId| {
        let file = project.module(*module).and_then(|tree| corpus.file(tree.file));
        file.is_some_and(|file| models.loads_objects(&file.text) && !models.saves_objects(&file.text))
    };
    let mut modules: Vec<ModuleId> = (0..project.modules.len()).map(|index| ModuleId(index as u32)).collect();
    // Whole files are searched: once each.
    modules.sort_by_cached_key(only_loads);
    modules
}

impl Interpreter<'_> {
    /// Executes every module of the project as one that is imported.
    pub(crate) fn execute_modules(&mut self) {
        for index in 0..self.project.modules.len() {
            let module = ModuleId(index as u32);
            let Some(tree) = self.project.module(module) else { continue };
            let is_given = is_given(self.corpus, self.project, module);
            if is_given && !self.modules.contains_key(&(module, false)) {
                let span = Span::new(tree.file, 0, 0);
                self.entry("module", span, EntryKind::Module, |this| this.module(module, false).map(|_| ()));
                self.note_too_large(module, false);
            }
        }
    }

    /// Whether an entry is a script: what it sets in the modules that it imports, another one does not see. Modules of packages may be imported by
    /// names that the program makes.
    fn runs_apart(&self, kind: EntryKind, place: Span) -> bool {
        let is_alone = || self.project.packages_around(self.project.module_of_file(place.file)).is_empty();
        kind == EntryKind::Script || kind == EntryKind::Module && self.shares.is_script && is_alone()
    }

    /// Runs one entry and records what became of it. A symbolic entry leaves no trace in the program's state.
    fn entry(&mut self, name: &str, span: Span, kind: EntryKind, run: impl Fn(&mut Self) -> Eval<()>) {
        let is_symbolic = kind == EntryKind::Symbolic;
        if is_symbolic && self.is_left_out(name) {
            return;
        }
        self.executed_files.clear();
        self.coverage.reached_step = false;
        let steps = self.steps_of_entry(kind);
        self.begin(steps);
        self.entry_kind = kind;
        if self.is_out_of_order {
            self.exhausted = Some(DEFECT);
            return self.record_entry(name, span);
        }
        if !is_symbolic {
            // What modules make and others can name stays, so that it counts for all of them together.
            self.entry_objects = self.dead_objects;
        }
        let moment = self.moment();
        let begin = self.heap.mark();
        self.imports_of_script.clear();
        let (operations, issues) = (self.trace.operations.len(), self.trace.issues.len());
        self.note_step(StepKind::Entry, span, |_| name.to_owned());
        if matches!(self.contained((name, span), &run), Err(Interrupt::Budget(_))) {
            self.leave_everything();
        }
        self.pay_steps(kind);
        self.contained_between((name, span), |this| {
            if this.exhausted == Some(Ceiling::Memory.name()) {
                this.release_memory(moment, operations, issues);
            } else if is_symbolic {
                this.state_inputs();
                this.go_back(moment);
                this.attach_defaults((name, span), &run);
            } else {
                this.models.entry_ends(this, span.file);
                if this.runs_apart(kind, span) {
                    let mut imports = std::mem::take(&mut this.imports_of_script);
                    this.heap.undo_in_lasting(begin, &mut imports);
                }
                this.note_holders();
                this.heap.forget_changes();
                this.sweep();
            }
        });
        self.record_entry(name, span);
    }

    /// Records what became of the running entry.
    pub(crate) fn record_entry(&mut self, name: &str, span: Span) {
        // What the parser could not make sense of was not executed.
        if let Some(broken) = self.broken.get(&span.file).copied() {
            self.not_understood(broken.what(), broken.place(span));
        }
        let reached = std::mem::take(&mut self.entry_reached);
        let known = std::mem::take(&mut self.entry_not_understood);
        let (mut not_understood, not_followed): (Vec<_>, Vec<_>) =
            known.into_iter().partition(|(what, _)| reached.contains(what));
        not_understood.append(&mut self.entry_unproved);
        let provided = std::mem::take(&mut self.entry_provided);
        let provided = self.without_used_handlers(provided);
        self.trace.entries.push(EntryResult {
            name: name.to_owned(),
            span,
            issues: std::mem::take(&mut self.entry_issues).into_iter().collect(),
            not_understood,
            not_followed,
            provided,
            inputs: std::mem::take(&mut self.entry_inputs),
            assumptions: self.entry_assumptions.clone(),
            exhausted: self.exhausted,
            training_step: (self.entry_kind != EntryKind::Symbolic).then(|| self.training_step()),
            steps: self.steps,
            files: self.executed_files.iter().copied().collect(),
        });
    }

    /// Whether somebody asks for other entries alone.
    pub(crate) fn is_left_out(&self, name: &str) -> bool {
        self.options.entries.as_ref().is_some_and(|entries| !entries.contains(name))
    }

    /// Forgets what an earlier entry left behind.
    pub(crate) fn begin(&mut self, steps: u64) {
        self.steps = 0;
        self.entry_kind = EntryKind::Symbolic;
        self.heap.count_copies_from(0);
        self.entry_objects = self.heap.len();
        self.nesting = 0;
        self.evaluations = 0;
        self.entry_steps = steps;
        self.solver_work = SolverWork::of_entry(steps, work_done());
        self.exhausted = None;
        self.costs.begin();
        self.shown.begin(0);
        self.asked_tests.begin();
        self.models.entry_begins(self);
        self.entry_assumptions = AssumptionSet::default();
        self.left_out = AssumptionSet::default();
        self.entry_not_understood.clear();
        self.entry_reached.clear();
        self.recent_sizes.clear();
        self.settled_defaults.clear();
        self.guessed_shapes.clear();
        self.drawing = Drawing::default();
        self.last_batches.clear();
        self.saved = None;
        self.saved_at.clear();
        self.entry_unproved.clear();
        self.entry_provided.clear();
        self.perhaps_unbound.clear();
        self.entry_arguments.clear();
        self.entry_first_fact = self.solver.facts().len();
        self.entry_inputs.clear();
        self.script = None;
        self.choices.clear();
        self.entry_issues.clear();
        self.remedies_tried.clear();
        self.forget_summaries();
        self.path.clear();
        self.route = Route::default();
        self.settled.clear();
        self.splits.clear();
        self.defaults.kept.clear();
        self.circumstances.clear();
        self.residuals.clear();
        self.violated.clear();
        self.pending.clear();
        self.frames.clear();
        self.is_behind_end = false;
        self.is_after_exit = false;
        self.expected.clear();
        self.deep_calls = 0;
        self.iterations.clear();
        self.abstract_loops = 0;
        self.executions.begin_run();
    }

    /// Leaves calls and loops that a bound interrupted.
    pub(crate) fn leave_everything(&mut self) {
        self.frames.clear();
        self.call_stack.clear();
        self.call_shared = Rc::from([]);
        self.loop_stack.clear();
        self.loop_rounds.clear();
        self.share_loops();
    }

    /// Runs something with symbolic inputs that leaves no trace, neither in the program's state nor in the record of what was found.
    pub(crate) fn isolated<T>(&mut self, steps: u64, run: impl FnOnce(&mut Self) -> T) -> T {
        self.begin(steps);
        let moment = self.moment();
        let (operations, issues) = (self.trace.operations.len(), self.trace.issues.len());
        let reveals = self.trace.reveals.len();
        let silenced = std::mem::take(&mut self.trace.silenced);
        let result = run(self);
        self.trace.silenced = silenced;
        self.leave_everything();
        self.trace.operations.truncate(operations);
        self.trace.forget_issues(issues);
        self.trace.reveals.truncate(reveals);
        self.go_back(moment);
        result
    }

    pub(crate) fn moment(&self) -> Moment {
        Moment {
            heap: self.heap.mark(),
            objects: self.heap.len(),
            solver: self.solver.mark(),
            remembered: remembered(),
            reasons: self.reasons.len(),
            modules: self.modules.len(),
            decisions: self.decisions.len(),
            object_decisions: self.object_decisions.len(),
            batch_decisions: self.batch_decisions.len(),
            installed: self.installed.len(),
            shapes: self.shapes_of_values.len(),
            strides: self.strides.len(),
            masks: self.mask_counts.len(),
            variables: self.variable_assumptions.len(),
            counters: self.counters.len(),
            counts: self.counts.len(),
            handed_out: self.handed_out.len(),
            passes: self.passes.len(),
            by_chance: self.by_chance.len(),
            independent: self.independent.len(),
            tables: self.tables.len(),
            decorated: self.decorated.len(),
            attributed: self.attributed.len(),
        }
    }

    /// Takes back what was made and changed since, in time for that alone: there are as many entries as functions in a project.
    pub(crate) fn go_back(&mut self, moment: Moment) {
        self.forget_summaries();
        self.modules.forget_since(moment.modules);
        self.note_holders();
        self.heap.restore(moment.heap, moment.objects);
        self.executions.forget_objects(moment.objects);
        self.decisions.truncate(moment.decisions);
        self.object_decisions.forget_since(moment.object_decisions);
        self.batch_decisions.forget_since(moment.batch_decisions);
        self.installed.forget_since(moment.installed);
        self.shapes_of_values.forget_since(moment.shapes);
        self.strides.forget_since(moment.strides);
        self.mask_counts.forget_since(moment.masks);
        self.counts.forget_since(moment.counts);
        self.handed_out.forget_since(moment.handed_out);
        self.passes.forget_since(moment.passes);
        self.decorated.forget_since(moment.decorated);
        self.attributed
            .drain(moment.attributed.min(self.attributed.len())..)
            .for_each(|attributes| attributes.set(None));
        self.solver.rollback(moment.solver);
        if self.options.forgets_shapes {
            self.forget_dims(moment);
        }
    }

    /// Forgets the dimensions of an entry, of which nothing but text and amounts of work is kept.
    pub(crate) fn forget_dims(&mut self, moment: Moment) {
        self.variable_assumptions.forget_since(moment.variables);
        self.counters.forget_since(moment.counters);
        self.by_chance.forget_since(moment.by_chance);
        self.independent.forget_since(moment.independent);
        self.tables.forget_since(moment.tables);
        self.settings.retain(&|var| moment.remembered.has(var));
        self.recent_sizes.clear();
        self.guessed_shapes.clear();
        self.last_batches.clear();
        self.draws.clear();
        self.settled_math.clear();
        self.later_counters.clear();
        self.later_rounds.clear();
        self.mistaken_tensors.clear();
        self.changed_items = 0;
        self.path.clear();
        self.pending.clear();
        self.solver.speak_for(None);
        self.solver.forget_since(moment.remembered);
        self.reasons.truncate(moment.reasons);
        forget_since(moment.remembered);
    }

    /// Checks the functions and classes of a module that no entry reached.
    fn check_uncalled(&mut self, module: ModuleId, namespace: ObjectId) {
        let Some(tree) = self.project.module(module) else { return };
        let file = tree.file;
        let members: Vec<(Name, Value)> =
            self.heap.object(namespace).attributes.iter().map(|(name, value)| (name, value.clone())).collect();
        for (name, value) in members {
            self.entered.begin_uncalled();
            // What stands for a decorated function is the decorator's; the function is looked at as it is written.
            if let Some(closure) = self.decorated.get(&(namespace, name)).cloned() {
                if !self.was_entered(&closure.function) {
                    self.check_function(name.as_str(), &closure, None);
                }
                continue;
            }
            match &value {
                Value::Function(closure) if closure.function.file == file && !self.was_entered(&closure.function) => {
                    self.check_function(name.as_str(), closure, None);
                }
                Value::Class(id) => {
                    let is_own = self.heap.class(*id).is_some_and(|data| data.definition.file == file);
                    if is_own {
                        let place = (name.as_str(), Span::new(file, 0, 0));
                        self.contained_between(place, |this| this.check_class(name, *id));
                    }
                }
                _ => {}
            }
        }
    }

    pub(crate) fn was_entered(&self, function: &Function) -> bool {
        self.entered.contains(&(function.file, function.range.start))
    }

    fn check_function(&mut self, name: &str, closure: &Rc<Closure>, receiver: Option<&Value>) {
        let span = closure.function.name_range.in_file(closure.function.file);
        let closure = Rc::clone(closure);
        self.entry(name, span, EntryKind::Symbolic, |this| {
            let arguments = this.symbolic_arguments(&closure, receiver.cloned(), span);
            this.keep_inputs(&closure.function, &arguments, receiver.is_some());
            let result = this.call_entry(&closure, arguments)?;
            this.run_to_end(&result)?;
            this.run_returned(&result, &closure, span)
        });
    }
}
