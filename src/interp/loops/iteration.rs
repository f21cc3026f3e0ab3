//! What iterating over a value yields.

use std::rc::Rc;

use crate::calls::call::CallArguments;
use crate::heap::objects::{ListData, Payload};
use crate::loops::loop_statements::count_of;
use crate::state::interpreter::{Eval, Interpreter, Interrupt};
use crate::values::value::{Guard, Iteration, ObjectId, Tensor, Value, ViewPart};
use harp_corpus::Span;
use harp_python::name::{Name, name};
use harp_shape::{Dim, Shape};

/// A tensor's leading dimension up to which iterating over it yields its rows one by one.
const ROWS: i64 = 64;

impl Interpreter<'_> {
    pub fn iterate(&mut self, value: &Value) -> Eval<Iteration> {
        let iteration = self.iteration_of(value)?;
        if let Iteration::Items(items) = &iteration {
            self.heap.count_copied(items.len());
        }
        Ok(iteration)
    }

    fn iteration_of(&mut self, value: &Value) -> Eval<Iteration> {
        let span = self.current_span();
        let value = self.read(&self.plain_text(value));
        if self.may_be_changed(&value) {
            return Ok(unknown());
        }
        Ok(match value {
            Value::Tuple(items) => Iteration::Items(items.to_vec()),
            Value::List(id) | Value::Set(id) => match self.heap.list(id).cloned() {
                Some(data) => match self.items_of_counted(&value, &data) {
                    Some(items) => Iteration::Items(items),
                    None => self.iterate_list(&data.items, data.rest.as_ref()),
                },
                None => unknown(),
            },
            Value::Dict(id) => match self.own_method_of_dict(id, "__iter__") {
                Some(method) => {
                    let iterator = self.call(&method, CallArguments::empty(span))?;
                    return if iterator.same(&value) { Ok(unknown()) } else { self.iterate(&iterator) };
                }
                None => self.iterate_keys(id),
            },
            Value::Str(Some(text)) => {
                Iteration::Items(text.chars().take(4096).map(|character| Value::str(&character.to_string())).collect())
            }
            Value::Str(None) => Iteration::Repeated { element: Value::Str(None), count: None, residual: None },
            Value::Range(bounds) => {
                let [start, stop, step] = *bounds;
                let resolved = [start, stop, step].map(|dim| self.solver.resolve(dim));
                Iteration::Counter { start: resolved[0], stop: Some(resolved[1]), step: resolved[2] }
            }
            Value::Iterator(iteration) => match &*iteration {
                Iteration::View { dict, part } => self.view_now(*dict, *part),
                other => other.clone(),
            },
            Value::Cursor(id) => self.take_rest(id)?,
            Value::Size(shape) => match self.solver.resolve_shape(&shape).dims() {
                Some(dims) => Iteration::Items(dims.into_iter().map(Value::Int).collect()),
                None => Iteration::Repeated { element: Value::Int(self.free_dim("d", 0)), count: None, residual: None },
            },
            Value::Tensor(tensor) => self.iterate_tensor(&tensor),
            Value::Class(id) if self.is_enumeration(&Value::Class(id)) => {
                Iteration::Items(self.members_of_enumeration(id).into_iter().map(|(_, member)| member).collect())
            }
            Value::Class(id) if let Some(method) = self.method_of_metaclass(id, "__iter__") => {
                let iterator = self.call(&method, CallArguments::positional(vec![value.clone()], span))?;
                return self.iterate(&iterator);
            }
            Value::Instance(id) => return self.iterate_instance(id, span),
            Value::Alternatives(alternatives) => self.iterate_alternatives(&alternatives)?,
            Value::Symbolic(id) if let Some(lines) = self.models.iterate_unknown(self, id) => lines,
            Value::Symbolic(id) => {
                let description = self
                    .heap
                    .symbolic(id)
                    .map_or_else(|| "item".to_owned(), |data| format!("item of {}", data.description));
                let element = self.part_of_symbolic(id, &description, span);
                Iteration::Repeated { element, count: None, residual: None }
            }
            _ => unknown(),
        })
    }

    /// What iterating over a dictionary yields where its class has no `__iter__` of its own.
    fn iterate_keys(&mut self, id: ObjectId) -> Iteration {
        let Some(data) = self.heap.dict(id).cloned() else { return unknown() };
        let keys: Vec<Value> = data.entries.iter().map(|(key, _)| key.clone()).collect();
        if data.rest.is_none() && self.stands_for_many(&data) {
            let element = self.widen(&keys);
            return Iteration::Repeated { element, count: None, residual: None };
        }
        self.iterate_list(&keys, data.rest.as_ref().map(|(key, _)| key))
    }

    /// What a dictionary shows of its entries now, where all of them are known.
    pub(crate) fn shown(&self, dict: ObjectId, part: ViewPart) -> Option<Vec<Value>> {
        let data = self.heap.dict(dict).filter(|data| data.rest.is_none() && !self.stands_for_many(data))?;
        Some(data.entries.iter().map(|entry| part.of(entry)).collect())
    }

    /// What is seen who looks through it now.
    pub(crate) fn view_now(&mut self, dict: ObjectId, part: ViewPart) -> Iteration {
        if let Some(items) = self.shown(dict, part) {
            return Iteration::Items(items);
        }
        let Some(data) = self.heap.dict(dict).cloned() else { return unknown() };
        let all: Vec<Value> = data.entries.iter().chain(&data.rest).map(|entry| part.of(entry)).collect();
        Iteration::Repeated { element: self.widen(&all), count: None, residual: None }
    }

    /// The call that is running, as a place for values without one of their own.
    pub fn current_span(&self) -> Span {
        self.calls.stack.last().copied().unwrap_or(Span::new(self.file(), 0, 0))
    }

    /// A list of an unknown number of such items.
    pub fn list_of(&mut self, item: Value) -> Value {
        let data = ListData { items: Vec::new(), rest: Some(item) };
        Value::List(self.heap.allocate(Payload::List(Rc::new(data))))
    }

    fn iterate_list(&mut self, items: &[Value], rest: Option<&Value>) -> Iteration {
        match rest {
            None => Iteration::Items(items.to_vec()),
            Some(rest) => {
                let mut all = items.to_vec();
                all.push(rest.clone());
                let any = self.widen(&all);
                Iteration::Repeated { element: self.another(&any), count: None, residual: None }
            }
        }
    }

    /// The rows of a tensor.
    fn iterate_tensor(&mut self, tensor: &Rc<Tensor>) -> Iteration {
        let shape = self.solver.resolve_shape(&tensor.shape);
        let Some((front, rest, _)) = self.solver.split(&shape, 1, 0) else { return unknown() };
        let row = Value::Tensor(Rc::new(Tensor { shape: rest, ..Tensor::clone(tensor) }));
        match front.first().copied() {
            Some(count) if count.as_const().is_some_and(|count| (0..=ROWS).contains(&count)) => {
                let count = count.as_const().unwrap_or(0);
                Iteration::Items((0..count as usize).map(|place| self.drawn_row(tensor, &row, place)).collect())
            }
            count => Iteration::Repeated { element: self.drawn_row(tensor, &row, usize::MAX), count, residual: None },
        }
    }

    fn iterate_instance(&mut self, id: crate::values::value::ObjectId, span: Span) -> Eval<Iteration> {
        let instance = Value::Instance(id);
        let is_function = |method: &Value| matches!(method, Value::Function(_));
        let method = self.class_attribute(&instance, name!("__iter__")).filter(is_function);
        let method = method.or_else(|| self.class_attribute(&instance, name!("__aiter__")).filter(is_function));
        if let Some(method) = method {
            let bound = self.bind_method(&instance, method);
            let iterator = self.call(&bound, CallArguments::empty(span))?;
            if !iterator.same(&instance) {
                return self.iterate(&iterator);
            }
            if let Some(items) = self.items_of_iterator(&instance, span)? {
                return Ok(Iteration::Items(items));
            }
            if let Some(next) = self.next_method(&instance) {
                let element = self.call(&next, CallArguments::empty(span))?;
                return Ok(Iteration::Repeated { element, count: None, residual: None });
            }
            return Ok(unknown());
        }
        if let Some(held) = self.plain_of(&instance) {
            return self.iterate(&held);
        }
        let class = self.class_of(&instance);
        let bases = self.library_bases(&class, None);
        for base in &bases {
            if let Some(handler) = crate::api::registry::iteration(self.models, base.as_str()) {
                return handler(self, &instance);
            }
        }
        if let Some(method @ Value::Function(_)) = self.class_attribute(&instance, name!("__getitem__")) {
            // What the library's classes of kinds of collections add asks `__getitem__` as well.
            let is_of_kind =
                |base: &Name| ["collections.abc.", "typing."].iter().any(|kind| base.as_str().starts_with(kind));
            if bases.iter().all(is_of_kind)
                && let Some(items) = self.items_by_index(&instance, span)?
            {
                return Ok(Iteration::Items(items));
            }
            let index = self.any_integer("i");
            let bound = self.bind_method(&instance, method);
            let element = self.call(&bound, CallArguments::positional(vec![index], span))?;
            return Ok(Iteration::Repeated { element, count: None, residual: None });
        }
        if let Some(items) = self.models.iterate_instance(self, &instance, &bases, span)? {
            return Ok(items);
        }
        let element = self.symbolic("item", span, true);
        Ok(Iteration::Repeated { element, count: None, residual: None })
    }

    /// Sequences of equal length, item by item; otherwise one representative.
    fn iterate_alternatives(&mut self, alternatives: &[(Guard, Value)]) -> Eval<Iteration> {
        let mut iterations = Vec::with_capacity(alternatives.len());
        for (guard, value) in alternatives {
            iterations.push((guard.clone(), self.iterate(value)?));
        }
        let lengths: Vec<Option<usize>> = iterations.iter().map(|(_, iteration)| known_length(iteration)).collect();
        if lengths.iter().all(|length| length.is_some() && *length == lengths[0]) {
            let sequences: Vec<(Guard, Vec<Value>)> =
                iterations.into_iter().map(|(guard, iteration)| (guard, self.sample(iteration).0)).collect();
            let items = (0..lengths[0].unwrap_or(0))
                .map(|index| {
                    let alternatives =
                        sequences.iter().map(|(guard, items)| (guard.clone(), items[index].clone())).collect();
                    self.join(alternatives)
                })
                .collect();
            return Ok(Iteration::Items(items));
        }
        let is_numbers = iterations.iter().all(|(_, iteration)| matches!(iteration, Iteration::Counter { .. }));
        let is_known = |iteration: &Iteration| matches!(iteration, Iteration::Counter { .. } | Iteration::Items(_));
        let is_mixed = !is_numbers && !iterations.iter().all(|(_, iteration)| is_known(iteration));
        let mut elements = Vec::new();
        for (guard, iteration) in iterations {
            match iteration {
                // A counter stays below the bound of its own range.
                Iteration::Counter { start, stop, step } if is_numbers => {
                    elements.push((guard, self.counter(start, step, stop)));
                }
                Iteration::Items(items) if is_mixed => {
                    let item = self.widen(&items);
                    elements.push((guard, item));
                }
                Iteration::Items(items) => elements.extend(items.into_iter().map(|item| (guard.clone(), item))),
                // What each of them yields is there on its own ways alone.
                other => {
                    elements.extend(self.sample(other).0.pop().map(|item| (guard, item)));
                }
            }
        }
        let element = if is_numbers || is_mixed {
            self.join(elements)
        } else {
            let all: Vec<Value> = elements.into_iter().map(|(_, element)| element).collect();
            self.widen(&all)
        };
        Ok(Iteration::Repeated { element, count: None, residual: None })
    }

    /// Unpacks something of which only the number of parts is known from the targets.
    pub fn unpack_opaque(&mut self, value: &Value, width: usize) -> Eval<Vec<Value>> {
        match value {
            Value::Size(shape) => {
                let shape = shape.clone();
                Ok(match self.solver.with_rank(&shape, width) {
                    Some(dims) => dims.into_iter().map(Value::Int).collect(),
                    None if self.is_of_other_rank(&shape, width) => return Err(Interrupt::Raise),
                    None => (0..width).map(|_| Value::Int(self.free_dim("d", 0))).collect(),
                })
            }
            Value::Tensor(tensor) => {
                let shape = self.solver.resolve_shape(&tensor.shape);
                let row = match self.solver.split(&shape, 1, 0) {
                    Some((first, rest, _)) => {
                        self.require_count(first[0], width);
                        rest
                    }
                    None => Shape::unknown("s"),
                };
                let row = Value::Tensor(Rc::new(Tensor { shape: row, ..Tensor::clone(tensor) }));
                Ok((0..width).map(|place| self.drawn_row(tensor, &row, place)).collect())
            }
            Value::Symbolic(id) => {
                let span = self.current_span();
                (0..width)
                    .map(|index| {
                        let index = Value::Int(Dim::constant(index as i64));
                        self.get_item(&Value::Symbolic(*id), &index, span)
                    })
                    .collect()
            }
            _ => Ok(vec![Value::Unknown("unpacked value"); width]),
        }
    }

    /// The number of items, where it is known.
    pub fn length_of(&mut self, value: &Value) -> Option<Dim> {
        match self.read(value) {
            Value::Tuple(items) => Some(Dim::constant(items.len() as i64)),
            Value::List(id) | Value::Set(id) => {
                let data = self.heap.list(id)?;
                data.rest.is_none().then(|| Dim::constant(data.items.len() as i64))
            }
            Value::Dict(id) => {
                let data = self.heap.dict(id)?;
                (data.rest.is_none() && !self.stands_for_many(data)).then(|| Dim::constant(data.entries.len() as i64))
            }
            Value::Str(Some(text)) => Some(Dim::constant(text.chars().count() as i64)),
            Value::Size(shape) => Some(self.solver.resolve_shape(&shape).rank_dim()),
            Value::Tensor(tensor) => {
                let shape = self.solver.resolve_shape(&tensor.shape);
                self.solver.split(&shape, 1, 0)?.0.first().copied()
            }
            Value::Range(bounds) => {
                let [start, stop, step] = *bounds;
                match crate::loops::loop_statements::count_of(start, step, Some(stop)) {
                    Some(count) => Some(Dim::constant(count)),
                    None => match step.as_const() {
                        Some(1) => Some(stop - start),
                        Some(step @ 2..) => Some((stop - start).ceil_div(Dim::constant(step)).max(Dim::constant(0))),
                        _ => None,
                    },
                }
            }
            Value::Class(id) if self.is_enumeration(&Value::Class(id)) => {
                Some(Dim::constant(self.members_of_enumeration(id).len() as i64))
            }
            Value::Cursor(id) => self.items_left(id).map(|items| Dim::constant(items.len() as i64)),
            Value::Iterator(iteration) => match &*iteration {
                Iteration::Items(items) => Some(Dim::constant(items.len() as i64)),
                Iteration::Repeated { count, .. } => *count,
                Iteration::Counter { .. } => None,
                Iteration::View { dict, part } => self.shown(*dict, *part).map(|it| Dim::constant(it.len() as i64)),
            },
            _ => None,
        }
    }
}

fn unknown() -> Iteration {
    Iteration::Repeated { element: Value::Unknown("item"), count: None, residual: None }
}

/// How many items an iteration yields, where they may be looked at one by one.
fn known_length(iteration: &Iteration) -> Option<usize> {
    match iteration {
        Iteration::Items(items) => Some(items.len()),
        Iteration::Counter { start, stop, step } => {
            count_of(*start, *step, *stop).filter(|count| *count <= ROWS).and_then(|count| usize::try_from(count).ok())
        }
        Iteration::Repeated { .. } | Iteration::View { .. } => None,
    }
}
