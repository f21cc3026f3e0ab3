//! Calls of the program's own functions and classes.

use std::rc::Rc;
use std::sync::Arc;

use crate::calls::argument_mismatch::misfit_of;
pub use crate::calls::arguments::CallArguments;
use crate::calls::summaries::Plan;
use crate::heap::objects::Payload;
use crate::judge::misused_values::Use;
use crate::state::interpreter::{Eval, Flow, Frame, Interpreter, Interrupt};
use crate::unknown::escaped_objects::CHANGED;
use crate::values::value::{BoundMethod, Closure, FunctionKind, Guard, Iteration, ObjectId, Value};
use harp_annotations::Construct;
use harp_corpus::Span;
use harp_python::ir::{Argument, ArgumentKind, Call, Expr, Function, ParameterKind};
use harp_python::name::Name;
use harp_shape::Assumed;
use harp_trace::assumption::AssumptionKind;
use harp_trace::route::StepKind;

/// Calls within calls, those of library objects included; those of the program's functions are bounded by `Limits::depth` as well.
pub(crate) const DEEPEST_NESTING: usize = 512;

/// A function that calls itself is followed so often.
const FEW_RUNNING: usize = 6;
/// One of which each call makes several with values of which nothing is known, so that the first has led to many, is followed so often.
const FEW_BRANCHING: usize = 3;
/// Many calls of a function that one of its calls leads to.
const MOST_RECURSIVE_CALLS: u32 = 32;
/// One that counts towards its end is followed further, but not in more calls of an entry than these: each may make several.
const MOST_DEEP_CALLS: u32 = 4_000;
impl Interpreter<'_> {
    pub fn evaluate_call(&mut self, expression: &Expr, call: &Call) -> Eval {
        self.step()?;
        let callee = self.evaluate(&call.function)?;
        let span = self.span(expression.range);
        if let Some(hinted) = self.evaluate_hinted(&callee, call) {
            return hinted;
        }
        if let Some(flow) = self.asserted(&callee, call) {
            return flow;
        }
        let (arguments, choice) = self.evaluate_arguments(&callee, call, span)?;
        self.note_callee(&call.function, &callee, span);
        self.note_training_step(&call.function, &callee);
        self.note_origins(&arguments);
        if choice.is_none()
            && (self.own_call_misfits(&callee, &arguments)
                || self.source_call_misfits(&call.function, &callee, &arguments))
        {
            return Ok(self.symbolic("result", span, true));
        }
        let result = match choice {
            None => self.call(&callee, arguments)?,
            Some(choice) => self.for_each_alternative(&choice, |this, keywords| {
                let mut arguments = arguments.clone();
                this.splice_keywords(&mut arguments, &keywords);
                this.call(&callee, arguments)
            })?,
        };
        self.models.after_call(self, &call.function, &callee, result)
    }

    /// Where a function of a library is an `assert` of its arguments.
    fn asserted(&mut self, callee: &Value, call: &Call) -> Option<Eval> {
        let is_plain = |argument: &Argument| matches!(argument.kind, ArgumentKind::Positional);
        match (callee, &call.arguments[..]) {
            (Value::Library(name), [test, message])
                if is_plain(test) && is_plain(message) && self.construct_of(*name) == Some(Construct::Assert) =>
            {
                Some(match self.execute_assert(&test.value, Some(&message.value)) {
                    Ok(Flow::Raise) => Err(Interrupt::Raise),
                    other => other.map(|_| Value::None),
                })
            }
            _ => None,
        }
    }

    /// The part of the language that a function of a library stands for.
    pub(crate) fn construct_of(&self, function: Name) -> Option<Construct> {
        self.library_function(function)?.stands_for
    }

    /// Calls a value.
    pub fn call(&mut self, callee: &Value, arguments: CallArguments) -> Eval {
        self.step()?;
        if self.calls.nesting >= DEEPEST_NESTING {
            self.not_understood("recursion too deep", arguments.span);
            return Ok(self.symbolic("result", arguments.span, true));
        }
        self.calls.nesting += 1;
        let result = match self.read(callee) {
            several @ Value::Alternatives(_) => {
                let some_fit = self.some_fit(&several, &arguments);
                self.for_each_alternative(&several, |this, callee| {
                    // One that does not take the arguments is not the one that is called, where another one does.
                    if some_fit && this.takes_other_arguments(&callee, &arguments) {
                        return Err(this.raise("TypeError", "arguments", arguments.span));
                    }
                    this.call_one(&callee, arguments.clone())
                })
            }
            callee => self.call_one(&callee, arguments),
        };
        self.calls.nesting -= 1;
        result
    }

    fn call_one(&mut self, callee: &Value, mut arguments: CallArguments) -> Eval {
        self.settle_generators(callee, &mut arguments)?;
        if arguments.passes_on && matches!(callee, Value::Library(_) | Value::LibraryMethod(_) | Value::Symbolic(_)) {
            arguments.is_open = true;
        }
        if let Some(result) = self.models.before_call(self, callee, &arguments)? {
            return Ok(result);
        }
        match callee {
            Value::Function(closure) if let Some(arguments) = self.by_names_of_source(closure, &arguments) => {
                self.call_closure(closure, arguments)
            }
            Value::Function(closure) => match self.absent_in_source(&closure.function, &arguments) {
                Some(unknown) => Ok(unknown),
                None if self.caches.unknown_decorators.is_empty() => self.call_closure(closure, arguments),
                None => self.call_decorated(closure, arguments),
            },
            Value::BoundMethod(method) => {
                let method = Rc::clone(method);
                self.call(&method.function, arguments.with_first(method.receiver.clone()))
            }
            Value::Class(id) => match self.metaclass_call(*id) {
                Some(method) => self.call(&method, arguments.with_first(callee.clone())),
                None => self.instantiate_plainly(*id, arguments),
            },
            Value::Instance(_) if self.may_be_changed(callee) => {
                self.not_understood(CHANGED, arguments.span);
                Ok(self.symbolic("result", arguments.span, true))
            }
            Value::Instance(_) if self.use_misfits(callee, Use::Call, arguments.span) => {
                Ok(self.symbolic("result", arguments.span, true))
            }
            Value::Instance(id) => self.call_instance(*id, arguments),
            Value::Dict(id) if let Some(method) = self.own_method_of_dict(*id, "__call__") => {
                self.call(&method, arguments)
            }
            Value::Library(name) => match self.misfit_of_function(*name, &arguments) {
                Some(result) => Ok(result),
                None => self.call_library(*name, arguments),
            },
            Value::LibraryMethod(method) => {
                let method = Rc::clone(method);
                self.call_library_method(&method, arguments)
            }
            Value::Symbolic(id) => self.call_unknown_value(*id, &arguments),
            Value::DType(harp_shape::DType::Unknown) => {
                self.not_understood("a conversion to a type that is not known", arguments.span);
                Ok(self.symbolic("number", arguments.span, true))
            }
            Value::DType(dtype) => {
                // `np.float32(x)` converts.
                let family = self.families().assumed(Assumed::AsWell).unwrap_or_else(|| self.families().usual());
                let made = self.call_library(Name::new(&family.operator(&dtype.to_string())), arguments)?;
                Ok(self.number_of_arrays(made))
            }
            _ => {
                if self.use_misfits(callee, Use::Call, arguments.span) {
                    return Ok(self.symbolic("result", arguments.span, true));
                }
                let what = self.unknown_call(arguments.span);
                self.not_understood(&what, arguments.span);
                Ok(self.symbolic("result", arguments.span, true))
            }
        }
    }

    /// Calls a function that may have a decorator of which nothing is known. It is taken to call the function, and to give what that gives;
    /// but for one that gives nothing there may be a task or a future, and for one that lacks arguments a function that takes the others.
    fn call_decorated(&mut self, closure: &Rc<Closure>, arguments: CallArguments) -> Eval {
        let place = (closure.function.file, closure.function.range.start);
        if !self.caches.unknown_decorators.contains(&place) {
            return self.call_closure(closure, arguments);
        }
        let span = arguments.span;
        let is_partial = !arguments.positional.is_empty() && misfit_of(closure, &arguments, 0).is_some();
        let result = self.call_closure(closure, arguments)?;
        let is_other = is_partial || self.read(&result).is_none();
        Ok(if is_other { self.symbolic("result", span, true) } else { result })
    }

    /// A function object: its defaults are evaluated now.
    pub fn closure(&mut self, function: &Arc<Function>) -> Eval<Closure> {
        let mut defaults = Vec::with_capacity(function.parameters.len());
        for parameter in &function.parameters {
            defaults.push(match &parameter.default {
                Some(default) => Some(self.evaluate(default)?),
                None => None,
            });
        }
        Ok(self.new_closure(function, defaults))
    }

    pub fn call_closure(&mut self, closure: &Rc<Closure>, arguments: CallArguments) -> Eval {
        self.note_asking(arguments.span);
        if let Some(result) = self.given_by_derived(closure, &arguments) {
            return Ok(result);
        }
        if let Some(results) = self.results_of(closure) {
            return self.call_remembering(closure, results, arguments);
        }
        self.run_closure(closure, arguments)
    }

    /// Calls a function, whatever it remembers.
    pub(crate) fn run_closure(&mut self, closure: &Rc<Closure>, arguments: CallArguments) -> Eval {
        if let Some(known) = self.models.before_function(self, closure, &arguments) {
            return Ok(known);
        }
        let function = Arc::clone(&closure.function);
        self.trace_callee(arguments.span, &function);
        if self.frames.len() >= self.options.limits.depth || self.is_recursing(&function, &arguments) {
            if !self.asks_no_more_than_before(&arguments) {
                self.not_understood("recursion too deep", arguments.span);
                self.forget_what_it_changes(&function, &arguments);
            }
            return Ok(self.symbolic("result of a deep recursion", arguments.span, true));
        }
        if self.exceptions.caught > 0 && misfit_of(closure, &arguments, 0).is_some() {
            self.raise_if_caught("TypeError", "arguments", arguments.span)?;
        }
        if let Some(result) = self.result_of_costly(&function, arguments.span) {
            return Ok(result);
        }
        if !function.is_generator {
            self.models.function_runs(self, closure, &arguments);
        }
        self.end_before_unfinished(&function)?;
        if let Some(result) = self.given_back_again(&function, &arguments) {
            return Ok(result);
        }
        let source = self.call_of_source(closure, &arguments);
        let package = if source.is_none() { self.call_of_package(&function, &arguments) } else { None };
        let span = arguments.span;
        let result = match self.plan_of_call(closure, &arguments)? {
            Plan::Replayed(result) => Ok(result),
            Plan::Execute => self.execute_call(closure, arguments),
            Plan::Note(key) => {
                let before = self.entry.steps;
                let result = self.execute_call(closure, arguments);
                self.note_call(key, before);
                result
            }
            Plan::Record(key) => {
                self.begin_recording(key, closure, &arguments);
                let result = self.execute_call(closure, arguments);
                self.end_recording(result.as_ref().ok());
                result
            }
        };
        let result = self.behind_refusal(result, span);
        match (package, source) {
            (Some(call), _) => result.map(|value| self.result_of_package(value, call)),
            (_, Some(call)) => result.and_then(|value| self.result_of_source(value, call)),
            _ => result,
        }
    }

    /// Executes a function whatever is known of earlier calls of it.
    pub(crate) fn run_unsummarised(&mut self, closure: &Rc<Closure>, arguments: CallArguments) -> Eval {
        self.step()?;
        self.execute_call(closure, arguments)
    }

    fn execute_call(&mut self, closure: &Rc<Closure>, arguments: CallArguments) -> Eval {
        let function = Arc::clone(&closure.function);
        let before = self.before_call();
        let giving_back = self.before_giving_back(&function, arguments.positional.first());
        let locals = self.heap.allocate(Payload::Plain);
        let receiver = arguments.positional.first().cloned();
        let span = arguments.span;
        let begins_trace = self.begin_trace(closure, &arguments);
        self.bind_parameters(closure, locals, arguments);
        let frame = self.new_frame(closure, locals, receiver);
        self.push_call(span);
        let route = self.route.clone();
        self.note_step(StepKind::Call, span, |_| function.qualified_name.to_string());
        let result = self.run_frame(frame, &function);
        if begins_trace {
            self.calls.trace = None;
        }
        self.route = route;
        self.pop_call();
        let result = self.unless_costly(result, &function, before, span);
        if let Some(before) = giving_back {
            self.note_given_back(before, &result);
        }
        result
    }

    /// Runs a function that stands for what a library does at a call: no call of the program.
    pub fn run_in_place(&mut self, closure: &Rc<Closure>, arguments: CallArguments) -> Eval {
        let function = Arc::clone(&closure.function);
        let locals = self.heap.allocate(Payload::Plain);
        self.bind_parameters(closure, locals, arguments);
        let frame = self.new_frame(closure, locals, None);
        self.run_frame(frame, &function)
    }

    fn new_frame(&mut self, closure: &Closure, locals: ObjectId, receiver: Option<Value>) -> Frame {
        self.calls.count += 1;
        Frame {
            number: self.calls.count,
            locals,
            globals: closure.globals,
            enclosing: Rc::clone(&closure.enclosing),
            function: Some(Arc::clone(&closure.function)),
            class: closure.class,
            receiver,
            recursive_calls: 0,
            file: closure.function.file,
            base: self.heap.mark(),
            pending_base: self.pending.len(),
            path_base: self.path.len(),
            letters: Default::default(),
            block: None,
            at: None,
            yields: Vec::new(),
            yields_repeat: false,
            yields_under: Vec::new(),
            around: None,
            stepping: None,
            is_class_body: false,
        }
    }

    fn run_frame(&mut self, frame: Frame, function: &Arc<Function>) -> Eval {
        let (base, pending_base, path_base) = (frame.base, frame.pending_base, frame.path_base);
        let mut frame = frame;
        if function.is_generator {
            frame.block = self.calls.next_block.take();
            if frame.block.is_none() && self.inference.is_none() {
                return Ok(self.new_generator(frame, function));
            }
            self.entered.insert((function.file, function.range.start));
        }
        let is_context = frame.block.is_some();
        self.assume_made(frame.receiver.as_ref());
        let solver_mark = self.solver.mark();
        self.entry.executed_files.insert(function.file);
        self.frames.push(frame);
        let iterations = std::mem::take(&mut self.loops.iterations);
        self.take_parameter_hints(function);
        let flow = self.execute_block(&function.body);
        self.loops.iterations = iterations;
        if function.is_generator {
            self.note_ways_of_yields(pending_base);
        }
        let result = match flow {
            Ok(flow) => self
                .finish_call(flow, base, pending_base, path_base, solver_mark)
                .map(|result| self.take_result_hint(function, result)),
            Err(interrupt) => Err(interrupt),
        };
        self.leave_path(path_base);
        self.pending.truncate(pending_base.min(self.pending.len()));
        let frame = self.frames.pop();
        match frame {
            Some(frame) if function.is_generator && !is_context && result.is_ok() => {
                Ok(self.generator(frame, result.unwrap_or(Value::None)))
            }
            _ => result,
        }
    }

    /// Merges the paths on which the function returned.
    pub(crate) fn finish_call(
        &mut self,
        flow: Flow,
        base: crate::heap::objects::LogMark,
        pending_base: usize,
        path_base: usize,
        solver_mark: harp_shape::Mark,
    ) -> Eval {
        let main = match flow {
            Flow::Return(value) => Some(value),
            Flow::Raise => None,
            _ => Some(self.result_at_end()),
        };
        let has_returns = self.pending[pending_base.min(self.pending.len())..]
            .iter()
            .any(|pending| matches!(pending.exit, Flow::Return(_)));
        if !has_returns {
            return main.ok_or(Interrupt::Raise);
        }
        if main.is_none() {
            // The way to the end raises; the last path that returned is the main one.
            let last = self.pending.iter().rposition(|pending| matches!(pending.exit, Flow::Return(_)));
            if let Some(index) = last.filter(|&index| index >= pending_base) {
                let pending = self.pending.remove(index);
                self.heap.undo(base);
                self.restore_arm(pending.delta);
                self.path.go_to(&pending.literals, &self.decisions);
                self.solver.rollback(solver_mark);
                return self.finish_call(pending.exit, base, pending_base, path_base, solver_mark);
            }
        }
        let (mut alternatives, here) =
            self.merge_pending(pending_base, path_base, base, |exit| matches!(exit, Flow::Return(_)));
        self.solver.rollback(solver_mark);
        if let Some(main) = main {
            alternatives.push((here, main));
        }
        self.assume_uniform(&alternatives);
        Ok(self.join(alternatives))
    }

    /// S4: where a function returns tensors on some ways, what it returns on others of which nothing is known is a tensor, too.
    fn assume_uniform(&mut self, returned: &[(Guard, Value)]) {
        if self.inference.is_some() || !returned.iter().any(|(_, value)| matches!(value, Value::Tensor(_))) {
            return;
        }
        let is_tensor_or_open = |value: &Value| matches!(value, Value::Tensor(_) | Value::Symbolic(_));
        let values: Vec<Value> = returned.iter().map(|(_, value)| self.read(value)).collect();
        if !values.iter().all(is_tensor_or_open) {
            return;
        }
        let Some(function) = self.frames.last().and_then(|frame| frame.function.clone()) else { return };
        let span = function.name_range.in_file(function.file);
        for value in &values {
            if let Value::Symbolic(id) = value {
                let evidence = format!("`{}` returns tensors on its other ways", function.name);
                self.refine_to_tensor(
                    *id,
                    self.assumed_open_kind(span),
                    AssumptionKind::UniformReturns,
                    evidence,
                    span,
                );
            }
        }
    }

    /// What was yielded is no sequence where some of it was yielded on other ways than the one to the end.
    pub(crate) fn note_ways_of_yields(&mut self, pending_base: usize) {
        let returns_early = self.pending.get(pending_base..).unwrap_or_default();
        let returns_early = returns_early.iter().any(|pending| matches!(pending.exit, Flow::Return(_)));
        let Some(frame) = self.frames.last_mut() else { return };
        frame.yields_repeat |= returns_early || !frame.yields_under.iter().all(|way| self.path.contains(way));
    }

    fn generator(&mut self, frame: Frame, returned: Value) -> Value {
        let iteration = if frame.yields_repeat && !frame.yields.is_empty() {
            let element = self.widen(&frame.yields);
            Iteration::Repeated { element, count: None, residual: None }
        } else {
            Iteration::Items(frame.yields)
        };
        let iteration = Rc::new(iteration);
        self.calls.last_generator = Some((Rc::clone(&iteration), returned));
        Value::Iterator(iteration)
    }

    /// Whether nothing is known of any argument of a call but plain constants and the object that runs, so that what it does was looked at when
    /// the calls around it did the same to values of which nothing is known.
    fn asks_no_more_than_before(&self, arguments: &CallArguments) -> bool {
        let receiver = self.frames.last().and_then(|frame| frame.receiver.as_ref());
        let values = arguments.positional.iter().chain(arguments.keywords.iter().map(|(_, value)| value));
        values.clone().any(|value| matches!(self.read(value), Value::Symbolic(_)))
            && values.clone().all(|value| match self.read(value) {
                Value::Symbolic(_)
                | Value::Str(_)
                | Value::Bool(_)
                | Value::None
                | Value::Float(_)
                | Value::Ratio(_) => true,
                Value::Instance(id) => matches!(receiver, Some(Value::Instance(known)) if *known == id),
                _ => false,
            })
    }

    /// Whether a function is running often enough already that another call would not end. One that counts towards its end goes on, as long
    /// as the program decides alone which way it takes: where both ways of a condition are looked at, each call may make several.
    fn is_recursing(&mut self, function: &Arc<Function>, arguments: &CallArguments) -> bool {
        let is_it = |frame: &&mut Frame| frame.function.as_ref().is_some_and(|running| Arc::ptr_eq(running, function));
        let mut running = self.frames.iter_mut().filter(is_it);
        let Some(first) = running.next() else { return false };
        first.recursive_calls += 1;
        let has_led_to_many = first.recursive_calls > MOST_RECURSIVE_CALLS;
        let first = (first.path_base, first.locals);
        let (count, (path_base, locals)) =
            running.fold((1, first), |(count, _), frame| (count + 1, (frame.path_base, frame.locals)));
        let is_decided = self.path.len() == path_base && self.loops.iterations.is_empty();
        let branches_out = has_led_to_many && !is_decided && self.is_given_unknowns(arguments);
        if count < if branches_out { FEW_BRANCHING } else { FEW_RUNNING } {
            return false;
        }
        let goes_on = self.descends(function, arguments) || is_decided && self.counts_down(function, arguments, locals);
        self.entry.deep_calls += 1;
        let is_cut_off = !goes_on || self.entry.deep_calls > MOST_DEEP_CALLS;
        self.calls.cut_off += u64::from(is_cut_off);
        is_cut_off
    }

    fn is_given_unknowns(&self, arguments: &CallArguments) -> bool {
        let mut values = arguments.positional.iter().chain(arguments.keywords.iter().map(|(_, value)| value));
        values.any(|value| matches!(self.read(value), Value::Symbolic(_) | Value::Unknown(_)))
    }

    /// Whether a plain argument of a call is another than that of the same function which runs: a number, a text, or how many items there are.
    fn counts_down(&self, function: &Function, arguments: &CallArguments, locals: ObjectId) -> bool {
        let parameters = function.parameters.iter().map(|parameter| parameter.name);
        let positional = parameters.zip(&arguments.positional);
        let named = arguments.keywords.iter().map(|(name, value)| (*name, value));
        positional.chain(named).any(|(name, value)| {
            let before = self.heap.attribute(locals, name).and_then(|value| self.plain(value));
            matches!((self.plain(value), before), (Some(now), Some(before)) if now != before)
        })
    }

    /// A number, or the number of items.
    fn plain(&self, value: &Value) -> Option<i64> {
        match self.read(value) {
            Value::Int(dim) => self.solver.resolve(dim).as_const(),
            Value::Tuple(items) => i64::try_from(items.len()).ok(),
            Value::List(id) => {
                let data = self.heap.list(id).filter(|data| data.rest.is_none())?;
                i64::try_from(data.items.len()).ok()
            }
            Value::Str(Some(text)) => i64::try_from(text.len()).ok(),
            _ => None,
        }
    }

    fn bind_parameters(&mut self, closure: &Closure, locals: crate::values::value::ObjectId, arguments: CallArguments) {
        let CallArguments { positional, mut keywords, is_open, is_from_outside, passes_on, span, .. } = arguments;
        let passes_keywords_on = arguments.passes_keywords_on;
        let (unpacked, behind) = (arguments.unpacked, arguments.behind);
        let mut positional = positional.into_iter();
        for (index, parameter) in closure.function.parameters.iter().enumerate() {
            let value = match parameter.kind {
                ParameterKind::Variadic => {
                    let items: Vec<Value> = positional.by_ref().collect();
                    if (is_from_outside || passes_on) && items.is_empty() {
                        let place = parameter.range.in_file(closure.function.file);
                        let item = self.symbolic_parameter(closure.globals, &closure.function, parameter, place);
                        self.positional_of_callers(item)
                    } else if behind.is_some() || (is_open && items.is_empty()) {
                        let further: Vec<Value> = unpacked.iter().chain(behind.iter().flatten()).cloned().collect();
                        let rest =
                            if unpacked.is_some() { self.widen(&further) } else { self.symbolic("*args", span, true) };
                        let data = crate::heap::objects::ListData { items, rest: Some(rest) };
                        Value::List(self.heap.allocate(Payload::List(Rc::new(data))))
                    } else {
                        Value::tuple(items)
                    }
                }
                ParameterKind::VariadicKeyword => {
                    let entries = std::mem::take(&mut keywords)
                        .into_iter()
                        .map(|(name, value)| (Value::str(name.as_str()), value))
                        .collect();
                    if is_from_outside || passes_keywords_on {
                        let passed = self.keywords_of_callers(entries);
                        self.heap.set_attribute(locals, parameter.name, passed);
                        continue;
                    }
                    let rest = is_open.then_some((Value::Str(None), Value::Unknown("**kwargs")));
                    let data = crate::heap::objects::DictData::new(entries, rest);
                    Value::Dict(self.heap.allocate(Payload::Dict(Rc::new(data))))
                }
                kind => {
                    let has_default = closure.defaults.get(index).is_some_and(Option::is_some);
                    let next = if kind == ParameterKind::KeywordOnly { None } else { positional.next() };
                    let given = next.or_else(|| take_keyword(&mut keywords, parameter.name));
                    if has_default && !is_from_outside {
                        self.trace
                            .note_default(parameter.range.in_file(closure.function.file), given.is_some() || is_open);
                    }
                    given
                        .or_else(|| {
                            // Unpacked arguments of unknown contents may give any parameter a value.
                            if is_open { None } else { closure.defaults.get(index).cloned().flatten() }
                        })
                        .unwrap_or_else(|| self.symbolic(parameter.name.as_str(), span, true))
                }
            };
            self.refine_as_annotated(closure, parameter, &value);
            self.heap.set_attribute(locals, parameter.name, value);
        }
    }

    fn trace_callee(&mut self, span: Span, function: &Arc<Function>) {
        if self.corpus.is_foreign(span.file) || self.corpus.is_foreign(function.file) {
            return;
        }
        let callee = function.range.in_file(function.file);
        let site = self.trace.site(span);
        site.callees.add(callee);
    }

    /// A function found on a class, bound to an instance.
    pub fn bind_method(&mut self, receiver: &Value, function: Value) -> Value {
        let kind = if let Value::Function(closure) = &function { closure.kind } else { FunctionKind::Static };
        match kind {
            FunctionKind::Plain => Value::BoundMethod(Rc::new(BoundMethod { receiver: receiver.clone(), function })),
            FunctionKind::ClassMethod => {
                let class = self.class_of(receiver);
                Value::BoundMethod(Rc::new(BoundMethod { receiver: class, function }))
            }
            FunctionKind::Static | FunctionKind::Property | FunctionKind::CachedProperty => function,
        }
    }
}

fn take_keyword(keywords: &mut Vec<(Name, Value)>, name: Name) -> Option<Value> {
    let position = keywords.iter().position(|(keyword, _)| *keyword == name)?;
    Some(keywords.remove(position).1)
}
