//! Garbage collection on the heap, of what modules left behind: the namespaces of calls that ended, and objects that
//! were made on the way.
//!
//! An object keeps its number, so that only what it holds is freed. What can be named starts from the modules: between two of them nothing
//! else runs.

use crate::generators::generator_objects::State;
use crate::generators::suspension::{objects_of, values_of};
use crate::heap::objects::{Object, Payload};
use crate::state::interpreter::{Frame, Interpreter};
use crate::state::saved_file::SavedFile;
use crate::values::value::{Closure, Iteration, ObjectId, Value};
use harp_limits::light_tick;

/// The heap is looked through when it has so many objects, and again each time that there are as many new ones, or as many as were left.
pub const FIRST_SWEEP: usize = 1 << 16;
/// It is looked through again before there are more new ones than this.
const MOST_UNSWEPT: usize = 1 << 19;

impl Interpreter<'_> {
    /// Frees what no module can name any more, once there is much of it. Only between entries.
    pub(crate) fn sweep(&mut self) {
        if self.heap.len() < self.work.next_sweep {
            return;
        }
        let mut marker = Marker { wanted: vec![false; self.heap.len()], waiting: Vec::new() };
        self.tables.modules.values().chain([&self.model_state.settings.registry]).for_each(|id| marker.object(*id));
        self.tables.decorated.values().for_each(|closure| marker.closure(closure));
        self.tests.closures().for_each(|closure| marker.closure(closure));
        marker.values(self.tests.values());
        marker.values(self.model_state.saved_files.iter().map(SavedFile::value));
        while let Some(id) = marker.waiting.pop() {
            marker.holds(self.heap.object(id));
        }
        let living = marker.wanted.iter().filter(|is_wanted| **is_wanted).count();
        self.heap.empty_all_but(&marker.wanted);
        self.work.dead_objects = self.heap.len() - living;
        // In time for what was made since: places are looked at, and objects that live looked through.
        let made = FIRST_SWEEP.max(living).max(self.heap.len() / 8).min(MOST_UNSWEPT);
        self.work.next_sweep = self.heap.len() + made;
    }
}

struct Marker {
    wanted: Vec<bool>,
    waiting: Vec<ObjectId>,
}

impl Marker {
    fn object(&mut self, id: ObjectId) {
        if let Some(is_wanted) = self.wanted.get_mut(id.0 as usize)
            && !std::mem::replace(is_wanted, true)
        {
            self.waiting.push(id);
        }
    }

    fn holds(&mut self, object: &Object) {
        self.values(object.attributes.iter().map(|(_, value)| value));
        match &object.payload {
            Payload::Plain | Payload::Module(_) => {}
            Payload::List(data) => self.values(data.items.iter().chain(&data.rest)),
            Payload::Dict(data) => {
                self.values(data.entries.iter().chain(&data.rest).flat_map(|(key, value)| [key, value]));
            }
            Payload::Class(data) => self.values(&data.resolution_order),
            Payload::Instance(data) => {
                self.value(&data.class);
                self.values(data.arguments.iter().map(|(_, value)| value));
            }
            Payload::Generator(data) => self.generator(&data.state),
            Payload::Symbolic(data) => {
                self.values(&data.refined);
                data.owner.iter().for_each(|(owner, _)| self.object(*owner));
            }
        }
    }

    fn generator(&mut self, state: &State) {
        match state {
            State::Body(paused) => {
                self.frame(&paused.frame);
                self.values(values_of(&paused.positions));
                objects_of(&paused.positions).for_each(|id| self.object(id));
            }
            State::Expression(paused) => {
                self.frame(&paused.frame);
                self.values(paused.values());
            }
            State::Adapter(adapter) => self.values(adapter.values()),
            State::Running => {}
            State::Ended(value) => self.value(value),
            State::Rest(rest) => self.iteration(rest),
            State::Blurred(first) => self.generator(&first.state),
        }
    }

    fn frame(&mut self, frame: &Frame) {
        [frame.locals, frame.globals].into_iter().chain(frame.around).chain(frame.class).for_each(|id| self.object(id));
        frame.enclosing.iter().for_each(|id| self.object(*id));
        self.values(frame.receiver.iter().chain(&frame.yields));
    }

    fn iteration(&mut self, iteration: &Iteration) {
        match iteration {
            Iteration::Items(items) => self.values(items),
            Iteration::Repeated { element, residual, .. } => {
                self.value(element);
                self.values(residual.iter().map(|residual| &residual.element));
            }
            Iteration::Counter { .. } => {}
            Iteration::View { dict, .. } => self.object(*dict),
        }
    }

    fn closure(&mut self, closure: &Closure) {
        self.object(closure.globals);
        closure.enclosing.iter().chain(&closure.class).for_each(|id| self.object(*id));
        closure.attributes.get().into_iter().for_each(|id| self.object(id));
        self.values(closure.defaults.iter().flatten().chain(&closure.wrapped));
    }

    fn values<'v>(&mut self, values: impl IntoIterator<Item = &'v Value>) {
        values.into_iter().for_each(|value| self.value(value));
    }

    fn value(&mut self, value: &Value) {
        light_tick();
        match value {
            Value::None
            | Value::Bool(_)
            | Value::Int(_)
            | Value::Float(_)
            | Value::Ratio(_)
            | Value::Str(_)
            | Value::Bytes
            | Value::Complex
            | Value::Ellipsis
            | Value::Condition(_)
            | Value::Range(_)
            | Value::Library(_)
            | Value::Tensor(_)
            | Value::DType(_)
            | Value::Size(_)
            | Value::Unknown(_) => {}
            Value::List(id)
            | Value::Dict(id)
            | Value::Set(id)
            | Value::Class(id)
            | Value::Instance(id)
            | Value::Module(id)
            | Value::Cursor(id)
            | Value::Symbolic(id) => self.object(*id),
            Value::Tuple(items) => self.values(items.iter()),
            Value::Slice(bounds) => self.values(bounds.iter()),
            Value::Function(closure) => self.closure(closure),
            Value::BoundMethod(method) => self.values([&method.receiver, &method.function]),
            Value::LibraryMethod(method) => self.value(&method.receiver),
            Value::Super(proxy) => {
                self.object(proxy.class);
                self.value(&proxy.receiver);
            }
            Value::Iterator(iteration) => self.iteration(iteration),
            Value::Alternatives(alternatives) => self.values(alternatives.iter().map(|(_, value)| value)),
        }
    }
}
