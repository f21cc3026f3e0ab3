//! Executes imported modules of installed packages, whose sources are followed but are not the program's: what they do
//! is seen from the program's call of them.

use std::rc::Rc;

use crate::budget::costly_calls::EntryKind;
use crate::calls::call::CallArguments;
use crate::judge::filters::INSIDE_PACKAGE;
use crate::state::interpreter::{Frame, Interpreter};
use crate::values::value::{OperationId, Tensor, Value};
use harp_annotations::Cost;
use harp_corpus::Span;
use harp_python::ir::{Function, Stmt};
use harp_python::name::{Name, name};
use harp_trace::{Given, Input, Issue, IssueKind, LEFT_TO_CALLERS, OperationRecord};

/// The program's call of a function of a package.
pub struct PackageCall {
    api: Name,
    span: Span,
    inputs: Vec<Input>,
    /// Whether a pack says in Python what the package does.
    is_source: bool,
}

impl Interpreter<'_> {
    /// A module of the environment by its full name: one that is read although its package is annotated.
    pub fn foreign_value(&mut self, dotted: Name) -> Option<Value> {
        let module = self.project.foreign_module(dotted.as_str())?;
        self.module(module, false).ok().map(Value::Module)
    }

    /// What a name of Python's own library stands for, where its source is there and Harp does not do itself what it does.
    pub(crate) fn standard_value(&mut self, qualified: Name) -> Option<Value> {
        let (module, name) = self.project.standard_definition(qualified.as_str())?;
        // A user's source goes before what Harp does itself.
        let is_builtin = !self.corpus.libraries.is_own(harp_corpus::FileId(module.0));
        if is_builtin && crate::api::registry::function(self.models, qualified.as_str()).is_some() {
            return None;
        }
        let module = self.module(module, false).ok()?;
        self.heap.attribute(module, name).cloned()
    }

    /// What a source of a library pack defines under the name that an alias of a module gives.
    pub(crate) fn source_under_alias(&mut self, qualified: Name) -> Option<Value> {
        let library = self.library;
        library.other_names(qualified.as_str()).find_map(|name| self.standard_value(Name::new(&name)))
    }

    /// Executes a module of the environment. What it costs is not the entry's that imports it first; where its own bounds run out, it
    /// has what was executed until then.
    pub(crate) fn execute_foreign(&mut self, frame: Frame, body: &[Stmt]) {
        let (frames, exhausted) = (self.frames.len(), self.entry.exhausted);
        let (calls, loops) = (self.calls.stack.len(), self.loops.stack.len());
        let span = Span::new(frame.file, 0, 0);
        let (route, loop_route) = (self.route.clone(), self.loops.route.clone());
        let executed = self.within_import(|this| this.execute_module(frame, body));
        (self.route, self.loops.route) = (route, loop_route);
        if executed.is_err() {
            self.frames.truncate(frames);
            self.calls.stack.truncate(calls);
            self.calls.shared = Rc::from(self.calls.stack.as_slice());
            self.loops.stack.truncate(loops);
            self.loops.rounds.truncate(loops);
            self.share_loops();
            self.entry.exhausted = exhausted;
            self.not_understood("an import that takes more steps than the analysis has", span);
        }
    }

    /// The call of a package's function by the program itself, or of what a pack says in its place; `None` for every other call.
    pub(crate) fn call_of_package(&mut self, function: &Function, arguments: &CallArguments) -> Option<PackageCall> {
        let span = arguments.span;
        if self.corpus.is_foreign(span.file) || !self.corpus.is_foreign(function.file) {
            return None;
        }
        let name = function.qualified_name;
        let is_source = self.corpus.is_standard(function.file);
        let api = match is_source {
            true => self.corpus.libraries.public_name(function.file, name.as_str())?,
            false => {
                let module = self.project.module(self.project.module_of_file(function.file))?.name;
                format!("{module}.{name}")
            }
        };
        let api = Name::new(&api);
        let mut inputs = Vec::new();
        for value in arguments.positional.iter().chain(arguments.keywords.iter().map(|(_, value)| value)) {
            self.collect_inputs(&self.read(value), name!("input"), &mut inputs, 0);
        }
        // What an entry says of a source's function holds.
        if !is_source || self.library_entry(api).is_some() {
            self.trace.site(span).library.add(api);
        }
        Some(PackageCall { api, span, inputs, is_source })
    }

    /// What a package's function returns to the program: all that it did is one operation at the call.
    pub(crate) fn result_of_package(&mut self, value: Value, call: PackageCall) -> Value {
        match self.read(&value) {
            // A source gives back what an operation of the program made.
            Value::Tensor(tensor) if call.is_source && tensor.operation != OperationId::NONE => value,
            Value::Tensor(tensor) => {
                let shape = self.shape_of_site(&tensor.shape);
                let sizes_assume = self.sizes_assumed([&tensor.shape]);
                let value_assumes = self.trace.sites.ground(&tensor.assumptions);
                let site = self.trace.site(call.span);
                site.shape = Some(shape);
                site.dtype = Some(tensor.dtype);
                site.lies_on(tensor.device);
                site.has_shape(&tensor.shape, sizes_assume);
                site.value_assumes.add(value_assumes);
                // What it computes is not known, but when is.
                let identity = self.identity_of(&Vec::new(), Some(&tensor.shape), call.span);
                let identity = harp_trace::identity::Identity { settings: None, ..identity };
                let record = OperationRecord {
                    assumptions: tensor.assumptions.clone(),
                    sizes_assume,
                    identity,
                    shape_from: OperationId::NONE,
                    api: call.api,
                    span: call.span,
                    given: call.inputs.iter().map(given).collect(),
                    inputs: call.inputs,
                    shape: Some(tensor.shape.clone()),
                    dtype: tensor.dtype,
                    device: tensor.device,
                    loops: Rc::clone(&self.loops.shared),
                    rounds: Rc::clone(&self.loops.rounds_shared),
                    calls: Rc::clone(&self.calls.shared),
                    route: self.route.clone(),
                    details: None,
                };
                let operation = self.add_operation(record, Cost::default());
                Value::Tensor(Rc::new(Tensor { operation, part: 0, origin: call.span, ..Tensor::clone(&tensor) }))
            }
            Value::Tuple(items) => {
                let part = |item: &Value| {
                    let PackageCall { api, span, is_source, .. } = call;
                    self.result_of_package(
                        item.clone(),
                        PackageCall { api, span, inputs: call.inputs.clone(), is_source },
                    )
                };
                Value::tuple(items.iter().map(part).collect())
            }
            _ => value,
        }
    }

    /// An issue inside an installed package is one of the program's call of it. Only what certainly fails there is: what may fail is not for
    /// the program's author to judge, except where what stands in place of a library's own source says the same as the library.
    pub(crate) fn at_the_program(&mut self, mut issue: Issue) -> Option<Issue> {
        if let Some((_, place)) = self.loops.drawing.loader.filter(|(loader, _)| *loader == issue.span) {
            issue.span = place;
        }
        if let Some(own) = self.calls.generated.first().and_then(|calls| calls.checked_sub(1))
            && let Some(place) = issue.calls.get(own).copied()
            && !self.corpus.is_foreign(place.file)
        {
            issue.inside = Some(std::mem::replace(&mut issue.span, place));
            issue.calls = Rc::from(&issue.calls[..own]);
            return Some(issue);
        }
        if !self.corpus.is_foreign(issue.span.file) {
            return Some(issue);
        }
        let own = issue.calls.iter().rposition(|call| !self.corpus.is_foreign(call.file))?;
        let place = issue.calls[own];
        let is_plain = match issue.kind {
            IssueKind::Violated => true,
            IssueKind::Possible => self.corpus.is_standard(issue.span.file),
            _ => false,
        };
        if !is_plain || issue.is_conditional && !self.is_decided_by_program() {
            // A source of a pack says what a library asks of its operands: whoever calls the function knows which inputs go together.
            let is_requirement = self.entry.kind == EntryKind::Symbolic && self.corpus.is_standard(issue.span.file);
            let what = if is_requirement { LEFT_TO_CALLERS } else { "an operation inside a package that may fail" };
            self.not_understood(what, place);
            if self.inference.is_none() {
                self.trace.silenced.note(INSIDE_PACKAGE, place, issue.api, &issue.message, true);
            }
            return None;
        }
        issue.inside = Some(std::mem::replace(&mut issue.span, place));
        issue.calls = Rc::from(&issue.calls[..own]);
        Some(issue)
    }

    /// Whether the conditions of the path are the program's own, and none was met since it called the package that runs.
    fn is_decided_by_program(&self) -> bool {
        let own = self.frames.iter().rposition(|frame| !self.corpus.is_foreign(frame.file));
        let entered = own.and_then(|own| self.frames.get(own + 1)).map_or(0, |frame| frame.path_base);
        self.path.iter().skip(entered).all(|literal| self.settled.contains(literal))
    }
}

/// What is passed to a package, of which nobody knows what becomes of it.
fn given(input: &Input) -> Given {
    Given { parameter: input.parameter, operation: input.operation, part: 0, is_result: false, is_whole: true }
}
