//! Where execution starts: every module, then whatever of it nobody called, with symbolic inputs.

use std::rc::Rc;

use crate::api::library_model::LibraryModel;
use crate::budget::costly_calls::EntryKind;
use crate::budget::solver_cost::SolverWork;
use crate::budget::step_shares;
use crate::entries::containment::DEFECT;
use crate::heap::objects::LogMark;
use crate::state::interpreter::{Eval, Interpreter, Interrupt, Options};
use crate::state::model_state::ModelMoment;
use crate::state::tables::TablesMoment;
use crate::values::value::{Closure, ObjectId, Value};
use harp_annotations::Library;
use harp_corpus::{Corpus, FileId, Span};
use harp_limits::Ceiling;
use harp_python::ir::Function;
use harp_python::name::Name;
use harp_python::project::{ModuleId, Project};
use harp_shape::{Mark, Remembered, forget_since, remembered, work_done};
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
    decisions: usize,
    tables: TablesMoment,
    model_state: ModelMoment,
    attributed: usize,
}

/// Executes the project from all its entries.
pub fn analyse(
    (corpus, project): (&Corpus, &Project),
    libraries: (&Library, &'static dyn LibraryModel),
    options: &Options,
) -> Trace {
    let mut interpreter = Interpreter::new((corpus, project), libraries, options);
    interpreter.work.shares.scripts = step_shares::script_steps(corpus);
    let count = project.modules.len();
    let imported = project.modules_that_others_import();
    for module in in_order_of_files(corpus, project, libraries.1) {
        let Some(tree) = project.module(module).filter(|_| is_given(corpus, project, module)) else { continue };
        let as_main = tree.has_main_guard;
        let name = if as_main { format!("script {}", tree.name) } else { format!("module {}", tree.name) };
        let span = Span::new(tree.file, 0, 0);
        let is_known = interpreter.tables.modules.contains_key(&(module, as_main));
        if is_known {
            continue;
        }
        let kind = if as_main { EntryKind::Script } else { EntryKind::Module };
        interpreter.entry.defaults.others.begin();
        interpreter.work.shares.is_script = !tree.is_package && !imported.contains(&module);
        interpreter.entry(&name, span, kind, |this| this.module(module, as_main).map(|_| ()));
        interpreter.note_too_large(module, as_main);
        interpreter.contained_between((&name, span), |this| this.run_with_other_options(module, as_main));
    }
    let given = (0..count).map(|index| ModuleId(index as u32)).filter(|module| is_given(corpus, project, *module));
    let functions: Vec<(ModuleId, u64)> =
        given.map(|module| (module, step_shares::functions_of(project, module))).collect();
    interpreter
        .work
        .shares
        .begin(step_shares::project_steps(corpus), functions.iter().map(|(_, functions)| functions).sum());
    for (module, functions) in functions {
        for as_main in [true, false] {
            let Some(&namespace) = interpreter.tables.modules.get(&(module, as_main)) else { continue };
            let (name, span) = module_place(project, module);
            interpreter.contained_between((&name, span), |this| this.import_for_functions(module));
            interpreter.contained_between((&name, span), |this| this.check_uncalled(module, namespace));
            break;
        }
        interpreter.work.shares.waiting -= functions;
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
            if is_given && !self.tables.modules.contains_key(&(module, false)) {
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
        kind == EntryKind::Script || kind == EntryKind::Module && self.work.shares.is_script && is_alone()
    }

    /// Runs one entry and records what became of it. A symbolic entry leaves no trace in the program's state.
    fn entry(&mut self, name: &str, span: Span, kind: EntryKind, run: impl Fn(&mut Self) -> Eval<()>) {
        let is_symbolic = kind == EntryKind::Symbolic;
        if is_symbolic && self.is_left_out(name) {
            return;
        }
        self.entry.executed_files.clear();
        self.coverage.reached_step = false;
        let steps = self.steps_of_entry(kind);
        self.begin(steps);
        self.entry.kind = kind;
        if self.work.is_out_of_order {
            self.entry.exhausted = Some(DEFECT);
            return self.record_entry(name, span);
        }
        if !is_symbolic {
            // What modules make and others can name stays, so that it counts for all of them together.
            self.entry.objects = self.work.dead_objects;
        }
        let moment = self.moment();
        let begin = self.heap.mark();
        self.entry.imports_of_script.clear();
        let (operations, issues) = (self.trace.operations.len(), self.trace.issues.len());
        self.note_step(StepKind::Entry, span, |_| name.to_owned());
        if matches!(self.contained((name, span), &run), Err(Interrupt::Budget(_))) {
            self.leave_everything();
        }
        self.pay_steps(kind);
        self.contained_between((name, span), |this| {
            if this.entry.exhausted == Some(Ceiling::Memory.name()) {
                this.release_memory(moment, operations, issues);
            } else if is_symbolic {
                this.state_inputs();
                this.go_back(moment);
                this.attach_defaults((name, span), &run);
            } else {
                this.models.entry_ends(this, span.file);
                if this.runs_apart(kind, span) {
                    let mut imports = std::mem::take(&mut this.entry.imports_of_script);
                    let torn = this.heap.undo_in_lasting(begin, &mut imports);
                    this.run_sources_again(&torn);
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
        if let Some(broken) = self.caches.broken.get(&span.file).copied() {
            self.not_understood(broken.what(), broken.place(span));
        }
        let reached = std::mem::take(&mut self.entry.reached);
        let known = std::mem::take(&mut self.entry.not_understood);
        let (mut not_understood, not_followed): (Vec<_>, Vec<_>) =
            known.into_iter().partition(|(what, _)| reached.contains(what));
        not_understood.append(&mut self.entry.unproved);
        let provided = std::mem::take(&mut self.entry.provided);
        let provided = self.without_used_handlers(provided);
        self.trace.entries.push(EntryResult {
            name: name.to_owned(),
            span,
            issues: std::mem::take(&mut self.entry.issues).into_iter().collect(),
            not_understood,
            not_followed,
            provided,
            inputs: std::mem::take(&mut self.entry.inputs),
            assumptions: self.entry.assumptions.clone(),
            exhausted: self.entry.exhausted,
            training_step: (self.entry.kind != EntryKind::Symbolic).then(|| self.training_step()),
            steps: self.entry.steps,
            files: self.entry.executed_files.iter().copied().collect(),
        });
    }

    /// Whether somebody asks for other entries alone.
    pub(crate) fn is_left_out(&self, name: &str) -> bool {
        self.options.entries.as_ref().is_some_and(|entries| !entries.contains(name))
    }

    /// Forgets what an earlier entry left behind.
    pub(crate) fn begin(&mut self, steps: u64) {
        self.heap.count_copies_from(0);
        self.entry.begin(steps, self.heap.len(), self.solver.facts().len());
        self.loops.begin_entry();
        self.model_state.begin_entry();
        self.calls.nesting = 0;
        self.calls.evaluations = 0;
        self.work.solver_work = SolverWork::of_entry(steps, work_done());
        self.work.costs.begin();
        self.work.shown.begin(0);
        self.models.entry_begins(self);
        self.sizes.recent.clear();
        self.sizes.guessed_shapes.clear();
        self.perhaps_unbound.clear();
        self.choices.clear();
        self.forget_summaries();
        self.path.clear();
        self.route = Route::default();
        self.settled.clear();
        self.splits.clear();
        self.pending.clear();
        self.frames.clear();
        self.exceptions.expected.clear();
        self.executions.begin_run();
    }

    /// Leaves calls and loops that a bound interrupted.
    pub(crate) fn leave_everything(&mut self) {
        self.frames.clear();
        self.calls.stack.clear();
        self.calls.shared = Rc::from([]);
        self.loops.stack.clear();
        self.loops.rounds.clear();
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
        self.model_state.fed.forget_after(operations);
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
            reasons: self.sizes.reasons.len(),
            decisions: self.decisions.len(),
            tables: self.tables.moment(),
            model_state: self.model_state.moment(),
            attributed: self.attributed.len(),
        }
    }

    /// Takes back what was made and changed since, in time for that alone: there are as many entries as functions in a project.
    pub(crate) fn go_back(&mut self, moment: Moment) {
        self.forget_summaries();
        self.tables.go_back(moment.tables);
        self.model_state.go_back(moment.model_state);
        self.note_holders();
        self.heap.restore(moment.heap, moment.objects);
        self.executions.forget_objects(moment.objects);
        self.decisions.truncate(moment.decisions);
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
        self.tables.forget_sizes(moment.tables);
        self.model_state.forget_sizes(moment.model_state, moment.remembered);
        self.sizes.forget();
        self.loops.later_rounds.clear();
        self.loops.changed_items = 0;
        self.entry.mistaken_tensors.clear();
        self.path.clear();
        self.pending.clear();
        self.solver.speak_for(None);
        self.solver.forget_since(moment.remembered);
        self.sizes.reasons.truncate(moment.reasons);
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
            if let Some(closure) = self.tables.decorated.get(&(namespace, name)).cloned() {
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
