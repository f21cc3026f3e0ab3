//! What tells whether an operation computes the same again: see [`Identity`].

use std::hash::{Hash, Hasher};
use std::num::NonZeroU64;

use rustc_hash::{FxHashMap, FxHasher};

use crate::api::call_api::Bound;
use crate::state::interpreter::Interpreter;
use crate::values::value::{DEFAULT_OF_LIBRARY, ObjectId, Tensor, Value};
use harp_annotations::{ApiSpec, Effects, Entry, Library};
use harp_corpus::Span;
use harp_limits::light_tick;
use harp_python::name::Name;
use harp_shape::Shape;
use harp_trace::Given;
use harp_trace::identity::Identity;

/// Items of an argument beyond these make it one that is not known.
const MOST_ITEMS: usize = 64;

/// How the program's state goes on while it executes.
#[derive(Debug, Default)]
pub struct Executions {
    /// How often something was changed in place.
    state: u32,
    /// The arm of a branch that runs, or what stands between two branches.
    way: u32,
    ways: u32,
    /// The loops that run in which one iteration stands for many, the innermost last.
    many: Vec<u32>,
    last_many: u32,
    /// The library object that is being called, and where.
    called: Option<Called>,
    /// For library functions and methods, whether they leave everything as it is.
    steady: FxHashMap<Name, bool>,
}

#[derive(Debug)]
struct Called {
    object: ObjectId,
    span: Span,
    evaluates: bool,
}

impl Executions {
    /// Something that later operations may read was changed in place.
    pub fn change(&mut self) {
        self.state += 1;
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
    pub fn call(&mut self, object: ObjectId, span: Span, evaluates: bool) {
        self.called = Some(Called { object, span, evaluates });
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

    /// What was recorded again changed the state so often.
    pub fn catch_up(&mut self, changes: u32) {
        self.state = self.state.wrapping_add(changes);
    }
}

impl Interpreter<'_> {
    /// The identity of the execution that is recorded at `span`.
    pub(super) fn identity_of(&mut self, bound: &Bound, shape: Option<&Shape>, span: Span) -> Identity {
        let called = self.executions.called.take().filter(|called| called.span == span);
        let (object, evaluates) = called.map_or((0, false), |called| (called.object.0 + 1, called.evaluates));
        let mut hasher = FxHasher::default();
        let is_known = bound.iter().all(|(name, value)| {
            name.hash(&mut hasher);
            self.add_setting(value, &mut hasher, 0)
        });
        let settings = is_known.then(|| NonZeroU64::new(hasher.finish().max(1))).flatten();
        let Executions { state, way, .. } = self.executions;
        let result = shape.and_then(number_of_shape);
        Identity { object, evaluates, settings, state, result, many: self.executions.innermost(), way }
    }

    /// The tensors among the arguments of an operation, with what they come from.
    pub(super) fn tensors_given(&self, bound: &Bound) -> Box<[Given]> {
        let mut given = Vec::new();
        bound.iter().for_each(|(name, value)| self.add_given(&self.read(value), *name, &mut given, 0));
        given.into()
    }

    fn add_given(&self, value: &Value, parameter: Name, given: &mut Vec<Given>, depth: usize) {
        light_tick();
        match value {
            Value::Tensor(tensor) => {
                let is_result = self.is_result(tensor);
                given.push(Given { parameter, operation: tensor.operation, is_result });
            }
            Value::Tuple(items) if depth < 2 => {
                items.iter().take(MOST_ITEMS).for_each(|item| self.add_given(item, parameter, given, depth + 1));
            }
            _ => {}
        }
    }

    /// Whether a tensor is what an operation gave, and no part of that: operations of several results, items and iterations are left out, and
    /// so is what an execution gave that stands for many, once its loop is over.
    fn is_result(&self, tensor: &Tensor) -> bool {
        let Some(record) = self.trace.operation(tensor.operation) else { return false };
        let is_one = record.identity.many == 0 || self.executions.many.contains(&record.identity.many);
        is_one && record.identity.result.is_some() && record.identity.result == number_of_shape(&tensor.shape)
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
            Value::Slice(parts) => parts.iter().all(|part| self.add_setting(part, hasher, depth + 1)),
            _ => false,
        }
    }

    /// Notes that an operation changed something that later ones may read.
    pub(super) fn note_change(&mut self, spec: &ApiSpec, bound: &Bound) {
        let has_place = |(name, value): &(Name, Value)| name.as_str() == "out" && !matches!(value, Value::None);
        if changes(spec) || bound.iter().any(has_place) {
            self.executions.change();
        }
    }

    /// The same for a call by its name, also where nothing executes it as an operation.
    pub(super) fn note_change_by(&mut self, api: Name) {
        let library = self.library;
        let is_steady = *self.executions.steady.entry(api).or_insert_with(|| is_steady(library, api.as_str()));
        if !is_steady {
            self.executions.change();
        }
    }
}

fn changes(spec: &ApiSpec) -> bool {
    !spec.effects.writes.is_empty() || spec.effects.has(Effects::GLOBAL)
}

/// Whether a function or method of a library is known to change nothing. Making an object changes no other.
fn is_steady(library: &Library, api: &str) -> bool {
    let of_method = || library.method(api.rsplit_once('.')?.0, api.rsplit_once('.')?.1);
    match library.entry(api) {
        Some(Entry::Api(spec)) => !changes(spec),
        Some(_) => true,
        None => of_method().map_or(api.starts_with("builtins."), |spec| !changes(spec)),
    }
}

/// Stands for a shape of known rank.
fn number_of_shape(shape: &Shape) -> Option<NonZeroU64> {
    shape.rank()?;
    let mut hasher = FxHasher::default();
    shape.hash(&mut hasher);
    NonZeroU64::new(hasher.finish().max(1))
}
