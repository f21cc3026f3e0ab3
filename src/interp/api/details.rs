//! What is recorded of an API call beside its tensors: the values of its other arguments, its results where there are
//! several, and the object that is called, with who holds it.

use std::rc::Rc;

use crate::api::call_api::Bound;
use crate::api::executions::number_of_shape;
use crate::heap::objects::Payload;
use crate::state::interpreter::Interpreter;
use crate::values::value::{DEFAULT_OF_LIBRARY, ObjectId, Value};
use harp_corpus::Span;
use harp_limits::light_tick;
use harp_operations::operation::Output;
use harp_python::name::Name;
use harp_shape::{Dim, Shape, Var};
use harp_trace::Ground;
use harp_trace::assumption::{AssumptionId, AssumptionSet};
use harp_trace::details::{Details, ObjectRecord, PartOfResult, Setting};

/// Longer tuples and lists are not written out.
const MOST_ITEMS: usize = 64;
/// Tuples within tuples are written out so deep.
const DEEPEST: usize = 4;
/// So many objects are told of whose method one call runs.
const MOST_RECEIVERS: usize = 64;
/// Who holds whom is told of so many objects of an entry.
const MOST_HELD: usize = 10_000;

impl Interpreter<'_> {
    /// The details of an execution that are kept; nothing where it has one result and nobody asks for its arguments.
    pub(super) fn details_of(&self, bound: &Bound, output: &Output, span: Span) -> Option<Rc<Details>> {
        let mut results = Vec::new();
        if matches!(output, Output::Tuple(_) | Output::List(_)) {
            self.add_results(output, &mut results);
        }
        let attributes = if self.options.details { self.settings_in(bound) } else { Vec::new() };
        let run = self.run_made_at(span);
        let is_empty = results.is_empty() && attributes.is_empty() && run.is_none();
        (!is_empty).then(|| Rc::new(Details { attributes, results, run }))
    }

    /// The arguments whose values are known and that are no tensors.
    fn settings_in(&self, bound: &Bound) -> Vec<(Name, Setting)> {
        // Names with spaces are what is known of an object besides its arguments.
        let named = bound.iter().filter(|(name, _)| !name.as_str().contains(' '));
        named.filter_map(|(name, value)| Some((*name, self.setting(value)?))).collect()
    }

    fn setting(&self, value: &Value) -> Option<Setting> {
        match self.read(value) {
            Value::Str(Some(text)) => Some(Setting::Other(text)),
            Value::Int(number) => Some(match self.solver.resolve(number).as_const() {
                Some(number) => Setting::Integer(number),
                None => Setting::Other(self.solver.resolve(number).to_string().into()),
            }),
            value => Some(Setting::Other(self.literal(&value, 0)?.into())),
        }
    }

    /// A value as Python writes it.
    fn literal(&self, value: &Value, depth: usize) -> Option<String> {
        light_tick();
        let written = |items: &[Value]| {
            let is_short = depth < DEEPEST && items.len() <= MOST_ITEMS;
            let items = is_short.then(|| items.iter().map(|item| self.literal(item, depth + 1)));
            items?.collect::<Option<Vec<String>>>()
        };
        Some(match self.read(value) {
            Value::None => "None".to_owned(),
            Value::Ellipsis => "...".to_owned(),
            Value::Bool(truth) => if truth { "True" } else { "False" }.to_owned(),
            Value::Int(number) => self.solver.resolve(number).to_string(),
            Value::Float(Some(number)) => format!("{number:?}"),
            Value::Str(Some(text)) => format!("{text:?}"),
            Value::DType(dtype) => dtype.to_string(),
            Value::Library(name) => name.to_string(),
            Value::Tuple(items) => match &written(&items)?[..] {
                [one] => format!("({one},)"),
                several => format!("({})", several.join(", ")),
            },
            Value::List(id) => match self.heap.list(id).filter(|data| data.rest.is_none()) {
                Some(data) => format!("[{}]", written(&data.items)?.join(", ")),
                None => return None,
            },
            Value::Unknown(DEFAULT_OF_LIBRARY) => "default".to_owned(),
            _ => return None,
        })
    }

    /// What the sizes in some shapes rest on, at the defaults of what is configured.
    pub(crate) fn sizes_assumed<'s>(&mut self, shapes: impl IntoIterator<Item = &'s Shape>) -> Ground {
        self.dims_assumed(shapes.into_iter().flat_map(Shape::elements).filter_map(|element| element.as_dim()))
    }

    /// What some sizes rest on, at the same defaults.
    pub(crate) fn dims_assumed(&mut self, dims: impl IntoIterator<Item = Dim>) -> Ground {
        if self.tables.variable_assumptions.is_empty() {
            return Ground::CERTAIN;
        }
        let mut assumed = AssumptionSet::default();
        for dim in dims {
            if dim.as_const().is_none() {
                for id in dim.vars().iter().filter_map(|var| self.tables.variable_assumptions.get(var)) {
                    assumed = assumed.with(*id);
                }
            }
        }
        self.trace.sites.ground(&assumed)
    }

    /// A number has the value of a default, which is an assumption.
    pub fn rests_on(&mut self, variable: Var, assumption: AssumptionId) {
        self.tables.variable_assumptions.insert(variable, assumption);
        self.trace.size_assumptions.insert(variable, assumption);
    }

    /// The number under which the trace describes an object: its index there and 1.
    pub(crate) fn describe_object(&mut self, id: ObjectId) -> u32 {
        if let Some(known) = self.executions.described.get(&id) {
            return *known;
        }
        let Payload::Instance(data) = &self.heap.peek(id).payload else { return 0 };
        let data = Rc::clone(data);
        let class = Name::new(&self.qualified_class(&data.class));
        let settings = if self.options.details { self.settings_in(&data.arguments) } else { Vec::new() };
        self.trace.objects.push(ObjectRecord { class, origin: data.origin, settings, held: Vec::new() });
        let number = self.trace.objects.len() as u32;
        self.executions.describe(id, number);
        number
    }

    /// Notes of which object a method of a library runs that the program calls.
    fn note_receiver_of(&mut self, id: ObjectId, span: Span) {
        let number = self.describe_object(id);
        let known = self.trace.methods.entry(span).or_default();
        if number != 0 && known.len() < MOST_RECEIVERS && !known.contains(&number) {
            known.push(number);
        }
        self.record_receiver(id, span);
    }

    /// The same for a receiver of any kind, where somebody asks for objects.
    pub(crate) fn note_receiver(&mut self, receiver: &Value, span: Span) {
        if !self.options.details || self.inference.is_some() || self.corpus.is_foreign(span.file) {
            return;
        }
        match self.read(receiver) {
            Value::Instance(id) => self.note_receiver_of(id, span),
            Value::Alternatives(ways) => {
                for (_, way) in ways.iter() {
                    if let Value::Instance(id) = way {
                        self.note_receiver_of(*id, span);
                    }
                }
            }
            _ => {}
        }
    }

    /// Notes the same for a call that is not executed again.
    pub(crate) fn note_receivers_again(&mut self, receivers: impl IntoIterator<Item = (ObjectId, Span)>) {
        for (id, span) in receivers {
            self.note_receiver_of(id, span);
        }
    }

    /// The class as rules name it: with its library.
    fn qualified_class(&self, class: &Value) -> String {
        match class {
            Value::Library(name) => name.to_string(),
            Value::Class(id) if let Some(name) = self.public_name_of_class(*id) => name,
            other => self.name_of_class(other),
        }
    }

    /// Notes which objects hold those that were called, and which hold those. What of it was noted before is not looked for again: there are as many
    /// entries as functions in a project.
    pub(crate) fn note_holders(&mut self) {
        if !self.options.details || self.executions.described.is_empty() {
            return;
        }
        let new = self.heap.new_holders();
        let mut found: Vec<(ObjectId, Name, ObjectId)> = Vec::new();
        for (held, places) in new.iter().filter(|(held, _)| self.executions.described.contains_key(held)) {
            found.extend(places.iter().map(|(holder, name)| (*holder, *name, *held)));
        }
        let mut held = self.executions.take_newly_described();
        // Each round finds the holders of those that the last one found.
        while !found.is_empty() || !held.is_empty() {
            let is_last = self.executions.described.len() >= MOST_HELD;
            for held in held {
                let places = new.get(&held).into_iter().flatten().copied().chain(self.heap.lasting_holders(held));
                found.extend(places.map(|(holder, name)| (holder, name, held)));
            }
            found.sort_unstable_by_key(|(holder, name, held)| (*holder, name.as_str(), *held));
            for (holder, name, held) in found.drain(..) {
                self.note_holder(holder, name, held);
            }
            if is_last {
                return;
            }
            held = self.executions.take_newly_described();
        }
    }

    fn note_holder(&mut self, holder: ObjectId, name: Name, held: ObjectId) {
        let (holder, held) = (self.describe_object(holder), self.describe_object(held));
        let (Some(holder), Some(held)) = (holder.checked_sub(1), held.checked_sub(1)) else { return };
        if let Some(record) = self.trace.objects.get_mut(held as usize)
            && !record.held.contains(&(holder, name))
        {
            record.held.push((holder, name));
        }
    }

    /// The tensors among what an operation gives, in order.
    fn add_results(&self, output: &Output, results: &mut Vec<PartOfResult>) {
        light_tick();
        match output {
            Output::Tensor { shape, dtype } => {
                let shape = self.solver.resolve_shape(shape);
                let number = number_of_shape(&shape);
                // Its dimensions may be forgotten when the entry ends.
                let shape = (!self.options.forgets_shapes).then_some(shape);
                results.push(PartOfResult { number, shape, dtype: *dtype });
            }
            Output::Tuple(items) | Output::List(items) => {
                items.iter().for_each(|item| self.add_results(item, results));
            }
            _ => {}
        }
    }
}
