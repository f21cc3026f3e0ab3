//! Generators of the program: a body runs up to its next `yield` when somebody asks, and keeps its state in between. Where it comes to a `yield`
//! on one of several ways, or in an iteration that stands for many, it runs to its end, and what it yields from there on is any of what was
//! collected.

use std::rc::Rc;
use std::sync::Arc;

use crate::calls::call::{CallArguments, DEEPEST_NESTING};
use crate::evaluate::exceptions::Raised;
use crate::generators::comprehensions::PausedExpression;
use crate::generators::resumable_bodies::stops_at_each_yield;
use crate::generators::suspension::{Position, Replay, Sent, Stepping, same_positions};
use crate::heap::objects::{Content, DictData, ListData, Location, LogMark, Payload};
use crate::loops::iterator_adapters::Adapter;
use crate::state::bounded_walk::Walk;
use crate::state::interpreter::{Eval, Frame, Interpreter, Interrupt};
use crate::values::value::{Iteration, Literal, ObjectId, Value};
use harp_corpus::Span;
use harp_python::ir::Function;
use harp_trace::route::StepKind;

/// Bodies that run within each other are followed so deep where they are of one function.
const FEW_RUNNING: usize = 48;

/// A generator object.
#[derive(Clone, Debug)]
pub struct GeneratorData {
    pub state: State,
    /// How often it was asked for an item.
    pub asked: u32,
    /// The call that made it.
    pub made: Span,
    /// The loops that were running where it was made, with their iterations.
    pub loops: Rc<[Span]>,
    pub rounds: Rc<[u32]>,
}

#[derive(Clone, Debug)]
pub enum State {
    Body(Rc<Paused>),
    Expression(Rc<PausedExpression>),
    Adapter(Rc<Adapter>),
    Running,
    /// It ended, and returned this.
    Ended(Value),
    /// How far it is, is not known: it gives any of these.
    Rest(Iteration),
    /// How far it is differs from way to way: so far at least.
    Blurred(Rc<GeneratorData>),
}

/// A body that has not begun, or that stopped.
#[derive(Clone, Debug)]
pub struct Paused {
    pub frame: Frame,
    /// Where it stopped, innermost first; empty where it has not begun.
    pub positions: Vec<Position>,
    /// What was decided on its way.
    pub decided: Vec<Literal>,
}

/// What a generator gives when it is asked.
pub enum Step {
    Item(Value),
    /// It ended, and returned this.
    End(Value),
    /// What it gives from here on is known together alone.
    Rest(Iteration),
}

/// What another body finds in its place that is running.
pub(crate) struct Outer {
    iterations: Vec<(LogMark, LogMark)>,
    loops: Rc<[Span]>,
    rounds: Rc<[u32]>,
    replay: Replay,
    route: harp_trace::route::Route,
    round: usize,
}

impl Interpreter<'_> {
    /// The generator that a value is, if it is one.
    pub fn generator_id(&self, value: &Value) -> Option<ObjectId> {
        match self.read(value) {
            Value::Cursor(id) if self.generator_data(id).is_some() => Some(id),
            _ => None,
        }
    }

    pub(crate) fn generator_data(&self, id: ObjectId) -> Option<&Rc<GeneratorData>> {
        match self.heap.payload(id) {
            Payload::Generator(data) => Some(data),
            _ => None,
        }
    }

    /// What the call of a generator function gives.
    pub(crate) fn new_generator(&mut self, mut frame: Frame, function: &Arc<Function>) -> Value {
        frame.pending_base = self.pending.len();
        self.frames.push(frame);
        self.take_parameter_hints(function);
        let frame = self.frames.pop();
        let Some(frame) = frame else { return Value::Unknown("generator") };
        self.keep_generator(State::Body(Rc::new(Paused { frame, positions: Vec::new(), decided: Vec::new() })))
    }

    pub(crate) fn keep_generator(&mut self, state: State) -> Value {
        let data = GeneratorData {
            state,
            asked: 0,
            made: self.current_span(),
            loops: Rc::clone(&self.loops.shared),
            rounds: Rc::clone(&self.loops.rounds_shared),
        };
        Value::Cursor(self.heap.allocate(Payload::Generator(Rc::new(data))))
    }

    pub(crate) fn set_generator(&mut self, id: ObjectId, state: State) {
        if let Some(data) = self.generator_data(id) {
            let asked = data.asked + u32::from(matches!(state, State::Running));
            let data = GeneratorData { state, asked, ..GeneratorData::clone(data) };
            self.heap.set_payload(id, Payload::Generator(Rc::new(data)));
        }
    }

    /// Whether the generator's next step is one of the program: not where an iteration runs that stands for many, unless it made the generator.
    fn is_stepwise(&self, id: ObjectId) -> bool {
        self.inference.is_none() && (self.loops.abstract_loops == 0 || id.0 as usize >= self.suspension.round)
    }

    /// Asks a generator for its next item.
    pub fn ask_generator(&mut self, id: ObjectId, sent: Sent, span: Option<Span>) -> Eval<Step> {
        let Some(data) = self.generator_data(id).cloned() else { return Ok(Step::End(Value::None)) };
        match (&data.state, sent) {
            (State::Ended(_), Sent::Exception(exception)) => Err(self.raise_object(exception)),
            (State::Ended(_), _) => Ok(Step::End(Value::None)),
            (State::Rest(rest), _) => Ok(Step::Rest(rest.clone())),
            (State::Running | State::Blurred(_), _) => Ok(Step::Rest(self.run_out(id, true)?)),
            _ if !self.is_stepwise(id) => Ok(Step::Rest(self.run_out(id, true)?)),
            (State::Body(paused), Sent::Exception(exception)) if paused.positions.is_empty() => {
                self.set_generator(id, State::Ended(Value::None));
                Err(self.raise_object(exception))
            }
            (State::Body(paused), sent) => {
                let stops = paused.frame.function.as_ref().is_some_and(|function| self.is_stoppable(function));
                if stops {
                    self.resume_body(id, paused, Some(sent), false)
                } else {
                    self.run_out(id, true).map(Step::Rest)
                }
            }
            (State::Expression(_) | State::Adapter(_), Sent::Exception(exception)) => {
                self.set_generator(id, State::Ended(Value::None));
                Err(self.raise_object(exception))
            }
            (State::Expression(paused), _) => self.resume_expression(id, &data, paused, span),
            (State::Adapter(adapter), _) => self.resume_adapter(id, adapter),
        }
    }

    pub(crate) fn raise_object(&mut self, exception: Value) -> Interrupt {
        self.exceptions.raised = Raised { exception: Some(exception), ..Raised::default() };
        Interrupt::Raise
    }

    fn is_stoppable(&mut self, function: &Arc<Function>) -> bool {
        let place = (function.file, function.range.start);
        *self.caches.stoppable.entry(place).or_insert_with(|| stops_at_each_yield(&function.body))
    }

    /// All that a generator still gives, which it does now. What it changes on the way is blurred where others may look in between.
    pub fn run_out(&mut self, id: ObjectId, is_interleaved: bool) -> Eval<Iteration> {
        let Some(data) = self.generator_data(id).cloned() else { return Ok(Iteration::Items(Vec::new())) };
        let is_known = self.is_stepwise(id);
        let (from, is_known) = match &data.state {
            State::Blurred(first) => (first.state.clone(), false),
            state => (state.clone(), is_known),
        };
        let base = self.heap.mark();
        let rest = match &from {
            State::Ended(_) => return Ok(Iteration::Items(Vec::new())),
            State::Rest(rest) => return Ok(rest.clone()),
            State::Running | State::Blurred(_) => {
                let element = self.symbolic("item of a generator", data.made, true);
                Iteration::Repeated { element, count: None, residual: None }
            }
            State::Body(paused) => match self.resume_body(id, paused, None, true)? {
                Step::Rest(rest) => rest,
                Step::Item(item) => Iteration::Items(vec![item]),
                Step::End(_) => Iteration::Items(Vec::new()),
            },
            State::Expression(paused) => self.rest_of_expression(id, &data, paused)?,
            State::Adapter(adapter) => self.rest_of_adapter(id, adapter)?,
        };
        if is_interleaved {
            self.blur_since(base, id);
        }
        let rest = match rest {
            Iteration::Items(items) if !is_known && !items.is_empty() => {
                Iteration::Repeated { element: self.widen(&items), count: None, residual: None }
            }
            rest => rest,
        };
        match &rest {
            // What follows is known, one item after the other.
            Iteration::Items(items) if is_interleaved && is_known => {
                self.heap.set_payload(id, Payload::List(Rc::new(ListData { items: items.clone(), rest: None })));
                self.set_taken(id, 0);
            }
            _ if is_interleaved || !is_known => self.set_generator(id, State::Rest(rest.clone())),
            _ => {}
        }
        Ok(rest)
    }

    /// Goes on with a body: to its next `yield`, or to its end.
    fn resume_body(&mut self, id: ObjectId, paused: &Rc<Paused>, sent: Option<Sent>, is_eager: bool) -> Eval<Step> {
        let Some(function) = paused.frame.function.clone() else { return Ok(Step::End(Value::None)) };
        self.step()?;
        let is_it = |frame: &&Frame| frame.function.as_ref().is_some_and(|running| Arc::ptr_eq(running, &function));
        let running = self.frames.iter().filter(is_it).count();
        if self.frames.len() >= self.options.limits.depth
            || running > FEW_RUNNING
            || self.calls.nesting >= DEEPEST_NESTING
        {
            self.not_understood(
                "recursion too deep",
                self.generator_data(id).map_or(self.current_span(), |it| it.made),
            );
            let element = Value::Unknown("item of a deep recursion");
            let rest = Iteration::Repeated { element, count: None, residual: None };
            self.set_generator(id, State::Rest(rest.clone()));
            return Ok(Step::Rest(rest));
        }
        self.entered.insert((function.file, function.range.start));
        self.set_generator(id, State::Running);
        self.calls.nesting += 1;
        let outer = self.enter_generator(id, Some(&function));
        let step = self.run_body(id, paused, &function, sent, is_eager);
        self.leave_generator(outer);
        self.pop_call();
        self.calls.nesting -= 1;
        step
    }

    /// Runs in the place of a generator: in the loops that were running where it was made, and for the body of a function, in the call of that.
    pub(crate) fn enter_generator(&mut self, id: ObjectId, function: Option<&Function>) -> Outer {
        let data = self.generator_data(id).cloned();
        let made = data.as_ref().map_or(self.current_span(), |data| data.made);
        let outer = Outer {
            iterations: std::mem::take(&mut self.loops.iterations),
            loops: Rc::clone(&self.loops.shared),
            rounds: Rc::clone(&self.loops.rounds_shared),
            replay: std::mem::take(&mut self.suspension.replay),
            route: self.route.clone(),
            round: self.suspension.round,
        };
        if let Some(function) = function {
            self.push_call(made);
            self.note_step(StepKind::Call, made, |_| function.qualified_name.to_string());
        }
        if let Some(data) = data {
            self.loops.stack = data.loops.to_vec();
            self.loops.rounds = data.rounds.to_vec();
            self.share_loops();
        }
        outer
    }

    pub(crate) fn leave_generator(&mut self, outer: Outer) {
        self.loops.iterations = outer.iterations;
        self.loops.stack = outer.loops.to_vec();
        self.loops.rounds = outer.rounds.to_vec();
        self.share_loops();
        self.suspension.replay = outer.replay;
        self.route = outer.route;
        self.suspension.round = outer.round;
    }

    fn run_body(
        &mut self,
        id: ObjectId,
        paused: &Rc<Paused>,
        function: &Arc<Function>,
        sent: Option<Sent>,
        is_eager: bool,
    ) -> Eval<Step> {
        let (base, solver_mark) = (self.heap.mark(), self.solver.mark());
        let (pending_base, path_base) = (self.pending.len(), self.path.len());
        let stepping = Stepping { arms: self.suspension.arms, abstract_loops: self.loops.abstract_loops, is_eager };
        self.entry.executed_files.insert(paused.frame.file);
        self.frames.push(Frame { base, pending_base, path_base, stepping: Some(stepping), ..paused.frame.clone() });
        let decided: Vec<Literal> =
            paused.decided.iter().filter(|literal| self.path.way_of(literal.decision).is_none()).copied().collect();
        self.path.extend(decided, &self.decisions);
        self.suspension.replay = Replay::new(paused.positions.clone(), sent);
        let flow = self.execute_block(&function.body);
        let is_eager = self.frames.last().and_then(|frame| frame.stepping).is_some_and(|stepping| stepping.is_eager);
        if matches!(flow, Err(Interrupt::Yield)) {
            return Ok(Step::Item(self.keep_paused(id, path_base, pending_base)));
        }
        if is_eager {
            self.note_ways_of_yields(pending_base);
        }
        let result = match flow {
            Ok(flow) => self.finish_call(flow, base, pending_base, path_base, solver_mark),
            Err(interrupt) => Err(interrupt),
        };
        self.leave_path(path_base);
        self.pending.truncate(pending_base.min(self.pending.len()));
        let frame = self.frames.pop();
        let returned = match &result {
            Ok(returned) => returned.clone(),
            Err(_) => Value::None,
        };
        self.set_generator(id, State::Ended(returned.clone()));
        result?;
        match frame {
            Some(frame) if is_eager => {
                let was_asked = !stepping.is_eager;
                let rest = self.collected(frame);
                if was_asked {
                    self.blur_since(base, id);
                    return Ok(self.step_of_rest(id, rest));
                }
                Ok(Step::Rest(rest))
            }
            _ => Ok(Step::End(returned)),
        }
    }

    /// A body that was to stop ran to its end.
    pub(crate) fn step_of_rest(&mut self, id: ObjectId, rest: Iteration) -> Step {
        match rest {
            Iteration::Items(items) => match items.split_first() {
                None => Step::End(Value::Unknown("what a generator returned")),
                Some((first, others)) => {
                    self.heap.set_payload(id, Payload::List(Rc::new(ListData { items: others.to_vec(), rest: None })));
                    self.set_taken(id, 0);
                    Step::Item(first.clone())
                }
            },
            rest => {
                self.set_generator(id, State::Rest(rest.clone()));
                Step::Rest(rest)
            }
        }
    }

    /// Keeps the state of the running body, which stopped; returns what it yielded.
    fn keep_paused(&mut self, id: ObjectId, path_base: usize, pending_base: usize) -> Value {
        let positions = std::mem::take(&mut self.suspension.left);
        let decided = self.path.get(path_base..).unwrap_or_default().to_vec();
        self.leave_path(path_base);
        self.pending.truncate(pending_base.min(self.pending.len()));
        if let Some(frame) = self.frames.pop() {
            self.set_generator(id, State::Body(Rc::new(Paused { frame, positions, decided })));
        }
        self.suspension.yielded.take().unwrap_or(Value::None)
    }

    fn collected(&mut self, frame: Frame) -> Iteration {
        if frame.yields_repeat && !frame.yields.is_empty() {
            let element = self.widen(&frame.yields);
            Iteration::Repeated { element, count: None, residual: None }
        } else {
            Iteration::Items(frame.yields)
        }
    }

    /// What is not the program's own, and does not itself take items one by one, takes them all.
    pub(crate) fn settle_generators(&mut self, callee: &Value, arguments: &mut CallArguments) -> Eval<()> {
        let takes_all = match callee {
            Value::Symbolic(_) => true,
            Value::LibraryMethod(method) => !method.api.as_str().starts_with("builtins."),
            Value::Library(name) => ![
                "builtins.",
                "itertools.",
                "functools.",
                "typing.",
                "types.",
                "collections.",
                "inspect.",
                "contextlib.",
            ]
            .iter()
            .any(|module| name.as_str().starts_with(module)),
            _ => false,
        };
        if !takes_all || self.inference.is_some() {
            return Ok(());
        }
        let values = arguments.positional.iter_mut().chain(arguments.keywords.iter_mut().map(|(_, value)| value));
        for value in values {
            if let Some(id) = self.generator_id(value) {
                *value = Value::Iterator(Rc::new(self.run_out(id, false)?));
            }
        }
        Ok(())
    }

    /// The body of a generator function that nobody calls is executed, too.
    pub(crate) fn run_to_end(&mut self, value: &Value) -> Eval<()> {
        if let Some(id) = self.generator_id(value) {
            self.run_out(id, false)?;
        }
        Ok(())
    }

    /// A generator that was made since there were `before` objects, for a loop that ended: nobody else has it, so that Python closes it.
    pub(crate) fn drop_generator(&mut self, value: &Value, before: usize, span: Span) -> Eval<()> {
        let Some(id) = self.generator_id(value).filter(|id| id.0 as usize >= before) else { return Ok(()) };
        let Some(data) = self.generator_data(id).cloned() else { return Ok(()) };
        match &data.state {
            State::Body(paused)
                if paused.positions.iter().any(|it| matches!(it, Position::Try(_) | Position::With(_))) =>
            {
                self.close_generator(&Value::Cursor(id), span)
            }
            State::Adapter(adapter) => {
                let sources: Vec<Value> = adapter.values().into_iter().cloned().collect();
                sources.iter().try_for_each(|source| self.drop_generator(source, before, span))
            }
            _ => Ok(()),
        }
    }

    /// What a generator returned that ended.
    pub(crate) fn returned_by(&self, id: ObjectId) -> Value {
        match self.generator_data(id).map(|data| &data.state) {
            Some(State::Ended(returned)) => returned.clone(),
            _ => Value::Unknown("what a generator returned"),
        }
    }

    /// What changed since `base` is what it was then or what it is now: who looks at it may do so at any time in between. Objects made since are
    /// not known to others before they are given.
    pub(crate) fn blur_since(&mut self, base: LogMark, generator: ObjectId) {
        let (old, new) = (self.heap.old_since(base), self.heap.delta_since(base));
        for ((location, old), (_, new)) in old.into_iter().zip(new) {
            let (Location::Attribute(id, _) | Location::Payload(id)) = location;
            if id == generator || self.heap.is_newer(location, base) {
                continue;
            }
            if let Some(blurred) = self.blurred(old, new) {
                self.heap.store(location, blurred);
            }
        }
    }

    fn blurred(&mut self, old: Content, new: Content) -> Option<Content> {
        match (old, new) {
            (Content::Attribute(Some(old)), Content::Attribute(Some(new))) => {
                let is_one = old.same(&new) || old.is_unknown() && new.is_unknown();
                (!is_one).then(|| Content::Attribute(Some(self.widen(&[old, new]))))
            }
            (Content::Payload(old), Content::Payload(new)) if self.is_same_payload(&old, &new, &mut Walk::short()) => {
                None
            }
            (Content::Payload(Payload::List(old)), Content::Payload(Payload::List(new))) => {
                let shared = old.items.iter().zip(&new.items).take_while(|(old, new)| old.same(new)).count();
                let others = old.items[shared..].iter().chain(&new.items[shared..]).chain(&old.rest).chain(&new.rest);
                let others: Vec<Value> = others.cloned().collect();
                let rest = Some(self.widen(&others));
                Some(Content::Payload(Payload::List(Rc::new(ListData { items: new.items[..shared].to_vec(), rest }))))
            }
            (Content::Payload(Payload::Dict(old)), Content::Payload(Payload::Dict(new))) => {
                let mut entries = Vec::new();
                let mut others = Vec::new();
                for (key, value) in &new.entries {
                    match old.find(key) {
                        Some((_, before)) => entries.push((key.clone(), self.widen(&[before.clone(), value.clone()]))),
                        None => others.push((key.clone(), value.clone())),
                    }
                }
                let keys: Vec<Value> = others.iter().map(|(key, _)| key.clone()).collect();
                let values: Vec<Value> = others.into_iter().map(|(_, value)| value).collect();
                let rest = if keys.is_empty() { None } else { Some((self.widen(&keys), self.widen(&values))) };
                Some(Content::Payload(Payload::Dict(Rc::new(DictData::new(
                    entries,
                    rest.or_else(|| new.rest.clone()),
                )))))
            }
            (Content::Payload(Payload::Generator(old)), Content::Payload(Payload::Generator(_))) => {
                let state = State::Blurred(Rc::clone(&old));
                Some(Content::Payload(Payload::Generator(Rc::new(GeneratorData {
                    state,
                    ..GeneratorData::clone(&old)
                }))))
            }
            _ => None,
        }
    }
}

/// A generator that is so far on one way and so far on another.
pub(crate) fn merged(states: &[Rc<GeneratorData>]) -> Option<Rc<GeneratorData>> {
    let (first, others) = states.split_first()?;
    if others.iter().all(|other| is_same_state(first, other)) {
        return Some(Rc::clone(first));
    }
    let earliest = states.iter().min_by_key(|data| data.asked)?;
    let earliest = match &earliest.state {
        State::Blurred(first) => first,
        _ => earliest,
    };
    let state = State::Blurred(Rc::clone(earliest));
    Some(Rc::new(GeneratorData { state, ..GeneratorData::clone(earliest) }))
}

/// Whether two states of a generator are one.
pub(crate) fn is_same_state(one: &Rc<GeneratorData>, other: &Rc<GeneratorData>) -> bool {
    Rc::ptr_eq(one, other)
        || match (&one.state, &other.state) {
            (State::Body(one), State::Body(other)) => {
                Rc::ptr_eq(one, other)
                    || (one.frame.locals == other.frame.locals && same_positions(&one.positions, &other.positions))
            }
            (State::Expression(one), State::Expression(other)) => Rc::ptr_eq(one, other),
            (State::Adapter(one), State::Adapter(other)) => Rc::ptr_eq(one, other),
            (State::Ended(one), State::Ended(other)) => one.same(other),
            (State::Rest(_), State::Rest(_)) => true,
            _ => false,
        }
}
