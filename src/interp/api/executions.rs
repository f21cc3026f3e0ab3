//! What tells whether an API call computes the same again: see [`Identity`].

use std::hash::{Hash, Hasher};
use std::num::NonZeroU64;

use rustc_hash::{FxHashMap, FxHasher};

use crate::api::call_api::Bound;
use crate::api::cells::Cells;
use crate::calls::call::CallArguments;
use crate::state::interpreter::Interpreter;
use crate::values::value::{DEFAULT_OF_LIBRARY, Device, ObjectId, OperationId, Tensor, Value};
use harp_annotations::{ApiSpec, Effects, Entry, Library};
use harp_corpus::Span;
use harp_limits::light_tick;
use harp_python::ir::{Parameter, ParameterKind};
use harp_python::name::Name;
use harp_shape::Shape;
use harp_trace::Given;
use harp_trace::details::Source;
use harp_trace::identity::Identity;

/// Items of an argument beyond these make it one that is not known.
const MOST_ITEMS: usize = 64;

/// How the program's state goes on while it executes.
#[derive(Debug, Default)]
pub struct Executions {
    /// How often something was changed in place.
    state: u32,
    /// What of it was changed when.
    pub(super) cells: Cells,
    /// The arm of a branch that runs, or what stands between two branches.
    way: u32,
    ways: u32,
    /// The loops that run in which one iteration stands for many, the innermost last.
    many: Vec<u32>,
    last_many: u32,
    /// The library object that is being called, and where.
    called: Option<Called>,
    /// What functions and methods of libraries change.
    steady: FxHashMap<Name, Changed>,
    /// The runs of entries so far.
    run: u32,
    /// What is known of objects: indices into the trace and 1.
    pub(super) described: FxHashMap<ObjectId, u32>,
    /// Those of them of which nobody has asked yet who holds them.
    newly_described: Vec<ObjectId>,
    /// Where tensors of this run come from that no operation gave, by number.
    sources: FxHashMap<Source, u32>,
    /// The shapes of those tensors that a run is given, as wholes.
    inputs: FxHashMap<(Span, Name), Shape>,
}

#[derive(Debug)]
struct Called {
    object: ObjectId,
    described: u32,
    span: Span,
    modes: Modes,
}

/// What the program has made of a module that is called.
#[derive(Debug, Clone, Copy, Default)]
pub struct Modes {
    /// Whether it evaluates.
    pub evaluates: bool,
    /// Where its weights were moved; `None` where that is not known.
    pub weights: Option<Device>,
}

impl Executions {
    /// Code ran that may have changed anything that later operations read.
    pub fn change(&mut self) {
        let now = self.tick();
        self.cells.everything_changes(now);
    }

    /// Something is changed in place; the time at which it is.
    pub(super) fn tick(&mut self) -> u32 {
        self.state = self.state.wrapping_add(1);
        self.state
    }

    /// How often something was changed.
    pub fn changes(&self) -> u32 {
        self.state
    }

    /// An arm of a branch begins, or the branch ends.
    pub fn turn(&mut self) {
        self.ways += 1;
        self.way = self.ways;
    }

    /// A loop begins in which one iteration stands for many.
    pub fn begin_many(&mut self) {
        self.last_many += 1;
        self.many.push(self.last_many);
    }

    /// Such a loop ends.
    pub fn end_many(&mut self) {
        self.many.pop();
    }

    /// Only so many of them still run: the others were left at once.
    pub fn keep_many(&mut self, count: usize) {
        self.many.truncate(count);
    }

    /// A library object is called at the place.
    pub fn call(&mut self, object: ObjectId, described: u32, span: Span, modes: Modes) {
        self.called = Some(Called { object, described, span, modes });
    }

    /// Whether a library object is called at the place.
    pub(super) fn is_of_object(&self, span: Span) -> bool {
        self.called.as_ref().is_some_and(|called| called.span == span)
    }

    /// Where the weights of the object lie that is called at the place, as far as that is known.
    pub(super) fn device_of_weights(&self, span: Span) -> Option<Device> {
        self.called.as_ref().filter(|called| called.span == span)?.modes.weights
    }

    /// An entry begins: what it is given is given to it alone.
    pub fn begin_run(&mut self) {
        self.keep_many(0);
        self.turn();
        self.run += 1;
        self.sources.clear();
        self.inputs.clear();
    }

    /// Objects from this number on are there no more.
    pub fn forget_objects(&mut self, count: usize) {
        self.described.retain(|id, _| (id.0 as usize) < count);
        self.newly_described.retain(|id| (id.0 as usize) < count);
    }

    /// From now on this is known of an object: an index into the trace and 1.
    pub(super) fn describe(&mut self, id: ObjectId, number: u32) {
        self.described.insert(id, number);
        self.newly_described.push(id);
    }

    /// The objects that were described since this was last asked.
    pub(super) fn take_newly_described(&mut self) -> Vec<ObjectId> {
        std::mem::take(&mut self.newly_described)
    }

    /// A value that the program is given turns out to be a tensor.
    pub(crate) fn is_input(&mut self, tensor: &Tensor) {
        if let Some(name) = tensor.name {
            self.inputs.insert((tensor.origin, name), tensor.shape.clone());
        }
    }

    /// Executions that are recorded again happen now: `first` is the first of them.
    pub fn moved(&mut self, identity: Identity, first: Identity) -> Identity {
        let state = self.state.wrapping_add(identity.state.wrapping_sub(first.state));
        let many = if identity.many == 0 { self.innermost() } else { identity.many };
        Identity { state, way: self.way, many, ..identity }
    }

    fn innermost(&self) -> u32 {
        self.many.last().copied().unwrap_or(0)
    }

    /// What was recorded again changed so often something, which may have been anything.
    pub fn catch_up(&mut self, changes: u32) {
        if changes > 0 {
            self.state = self.state.wrapping_add(changes);
            self.cells.everything_changes(self.state);
        }
    }
}

impl Interpreter<'_> {
    /// The identity of the execution that is recorded at `span`.
    pub(crate) fn identity_of(&mut self, bound: &Bound, shape: Option<&Shape>, span: Span) -> Identity {
        let called = self.executions.called.take().filter(|called| called.span == span);
        let none = (0, 0, Modes::default());
        let (object, described, modes) =
            called.map_or(none, |called| (called.object.0 + 1, called.described, called.modes));
        let Modes { evaluates, weights } = modes;
        let mut hasher = FxHasher::default();
        let is_known = bound.iter().all(|(name, value)| {
            name.hash(&mut hasher);
            self.add_setting(value, &mut hasher, 0)
        });
        let settings = is_known.then(|| NonZeroU64::new(hasher.finish().max(1))).flatten();
        let Executions { state, way, .. } = self.executions;
        let result = shape.and_then(|shape| number_of_shape(&self.solver.resolve_shape(shape)));
        let many = self.executions.innermost();
        Identity { object, described, evaluates, weights, settings, state, read: state, result, many, way }
    }

    /// The tensors among the arguments of an operation, with what they come from.
    pub(super) fn tensors_given(&mut self, bound: &Bound) -> Box<[Given]> {
        let mut given = Vec::new();
        for (name, value) in bound {
            let value = self.read(value);
            self.add_given(&value, *name, &mut given, 0);
        }
        given.into()
    }

    pub(super) fn add_given(&mut self, value: &Value, parameter: Name, given: &mut Vec<Given>, depth: usize) {
        light_tick();
        match value {
            Value::Tensor(tensor) => {
                let operation = tensor.operation;
                let (part, is_result, is_whole) = match operation {
                    OperationId::NONE => self.input_of(tensor),
                    _ => {
                        let (is_result, is_whole) = self.is_result(tensor);
                        (u32::from(tensor.part), is_result, is_whole)
                    }
                };
                given.push(Given { parameter, operation, part, is_result, is_whole });
            }
            Value::Tuple(items) if depth < 2 => {
                for item in items.iter().take(MOST_ITEMS) {
                    self.add_given(&self.read(item), parameter, given, depth + 1);
                }
            }
            Value::List(id) if depth < 2 => {
                let Some(data) = self.heap.list(*id).cloned() else { return };
                for item in data.items.iter().take(MOST_ITEMS) {
                    self.add_given(&self.read(item), parameter, given, depth + 1);
                }
            }
            _ => {}
        }
    }

    /// The number of the source of a tensor that no operation gave, whether the tensor is that source wherever it is read, and whether it is the
    /// source as a whole.
    fn input_of(&mut self, tensor: &Tensor) -> (u32, bool, bool) {
        let &Tensor { name, origin, .. } = tensor;
        let number = self.number_of_source(tensor);
        let input = name.and_then(|name| self.executions.inputs.get(&(origin, name)));
        let is_whole = input.is_none_or(|shape| {
            *shape == tensor.shape || self.solver.resolve_shape(shape) == self.solver.resolve_shape(&tensor.shape)
        });
        let is_parameter = input.is_some() && name.is_some_and(|name| self.is_parameter_at(name, origin));
        (number, is_parameter && is_whole, is_whole)
    }

    /// The number of the source of a tensor that no operation gave.
    pub(super) fn number_of_source(&mut self, tensor: &Tensor) -> u32 {
        let &Tensor { name, origin, .. } = tensor;
        let input = name.and_then(|name| self.executions.inputs.get(&(origin, name)));
        let is_parameter = input.is_some() && name.is_some_and(|name| self.is_parameter_at(name, origin));
        let source = Source { name, origin, is_parameter, run: self.executions.run };
        let next = self.trace.sources.len() as u32 + 1;
        let number = *self.executions.sources.entry(source).or_insert(next);
        if number == next {
            self.trace.sources.push(source);
        }
        number
    }

    /// Whether a function that runs has a parameter of this name at the place.
    fn is_parameter_at(&self, name: Name, place: Span) -> bool {
        let is_variadic = |kind| matches!(kind, ParameterKind::Variadic | ParameterKind::VariadicKeyword);
        self.frames.iter().any(|frame| {
            let parameters = frame.function.iter().flat_map(|function| &function.parameters);
            let of_name = |parameter: &&Parameter| parameter.name == name && !is_variadic(parameter.kind);
            parameters.into_iter().filter(of_name).any(|parameter| parameter.range.in_file(frame.file) == place)
        })
    }

    /// Whether a tensor is what an operation gave, and no part of that: items and iterations are left out, and so is what an execution gave that
    /// stands for many, once its loop is over. And whether it is no part, whatever it stands for.
    fn is_result(&self, tensor: &Tensor) -> (bool, bool) {
        let Some(record) = self.trace.operation(tensor.operation) else { return (false, false) };
        let is_one = record.identity.many == 0 || self.executions.many.contains(&record.identity.many);
        let number = match (record.identity.result, tensor.part) {
            (Some(number), 0) => Some(number),
            (Some(_), _) => None,
            (None, part) => record.details.as_ref().and_then(|details| details.results.get(usize::from(part))?.number),
        };
        let is_whole = number.is_some() && number == number_of_shape(&tensor.shape);
        (is_one && is_whole, is_whole)
    }

    /// Adds an argument to what tells executions apart; whether all of it is known. Tensors are told apart by what made them.
    fn add_setting(&self, value: &Value, hasher: &mut FxHasher, depth: usize) -> bool {
        light_tick();
        let value = self.read(value);
        std::mem::discriminant(&value).hash(hasher);
        match &value {
            Value::None | Value::Ellipsis | Value::Tensor(_) | Value::Unknown(DEFAULT_OF_LIBRARY) => true,
            Value::Bool(truth) => {
                truth.hash(hasher);
                true
            }
            Value::Int(number) => {
                self.solver.resolve(*number).hash(hasher);
                true
            }
            Value::Float(Some(number)) => {
                number.to_bits().hash(hasher);
                true
            }
            Value::Str(Some(text)) => {
                text.hash(hasher);
                true
            }
            Value::DType(dtype) => {
                dtype.hash(hasher);
                true
            }
            Value::Library(name) => {
                name.hash(hasher);
                true
            }
            Value::Tuple(items) if depth < 3 && items.len() <= MOST_ITEMS => {
                items.len().hash(hasher);
                items.iter().all(|item| self.add_setting(item, hasher, depth + 1))
            }
            // What it holds now counts, and not which list it is.
            Value::List(id) if depth < 3 => match self.heap.list(*id) {
                Some(data) if data.rest.is_none() && data.items.len() <= MOST_ITEMS => {
                    data.items.len().hash(hasher);
                    data.items.iter().all(|item| self.add_setting(item, hasher, depth + 1))
                }
                _ => false,
            },
            Value::Slice(parts) => parts.iter().all(|part| self.add_setting(part, hasher, depth + 1)),
            _ => false,
        }
    }

    /// Notes what a call changes by its name, also where nothing executes it as an operation.
    pub(super) fn note_change_by(&mut self, api: Name, receiver: Option<&Value>, arguments: &CallArguments) {
        let library = self.library;
        match *self.executions.steady.entry(api).or_insert_with(|| changed_by(library, api.as_str())) {
            Changed::Nothing => {}
            Changed::Arguments => self.change_arguments(receiver, arguments),
            Changed::Anything => self.executions.change(),
        }
    }
}

/// What a function or method of a library changes.
#[derive(Debug, Clone, Copy)]
enum Changed {
    Nothing,
    /// What it is given, or some of that.
    Arguments,
    Anything,
}

/// What a function or method of a library changes. Making an object changes no other, and what a container holds is read where it is used.
fn changed_by(library: &Library, api: &str) -> Changed {
    // What sources of packs call makes values alone.
    if api.starts_with("harp_library.") || api.starts_with("builtins.") {
        return Changed::Nothing;
    }
    let of_spec = |spec: &ApiSpec| match spec.effects.has(Effects::GLOBAL) {
        true => Changed::Anything,
        false if spec.effects.writes.is_empty() => Changed::Nothing,
        false => Changed::Arguments,
    };
    let of_method = || library.method(api.rsplit_once('.')?.0, api.rsplit_once('.')?.1);
    match library.entry(api) {
        Some(Entry::Api(spec)) => of_spec(spec),
        Some(_) => Changed::Nothing,
        None => of_method().map_or(Changed::Arguments, of_spec),
    }
}

/// Stands for a shape. One of which nothing is known is none but itself.
pub(super) fn number_of_shape(shape: &Shape) -> Option<NonZeroU64> {
    let mut hasher = FxHasher::default();
    shape.hash(&mut hasher);
    NonZeroU64::new(hasher.finish().max(1))
}
