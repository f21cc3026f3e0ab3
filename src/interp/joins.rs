//! One value for several: what differs from path to path becomes a value with guarded alternatives, and what too many paths leave
//! different is widened to what it has in common.

use std::rc::Rc;

use crate::interp::heap::{DictData, InstanceData, Payload};
use crate::interp::machine::Interpreter;
use crate::interp::value::{Guard, Literal, Tensor, Value};
use crate::python::name::Name;
use crate::shape::Shape;

impl Interpreter<'_> {
    /// One value for several alternatives: equal ones fall together, too many are widened.
    pub fn join(&mut self, alternatives: Vec<(Guard, Value)>) -> Value {
        let mut flat: Vec<(Guard, Value)> = Vec::new();
        for (guard, value) in alternatives {
            match &value {
                Value::Alternatives(inner) => flat.extend(
                    inner
                        .iter()
                        .filter_map(|(inner_guard, value)| Some((conjunction(&guard, inner_guard)?, value.clone()))),
                ),
                _ => flat.push((guard, value)),
            }
        }
        let mut distinct = flat;
        fall_together(&mut distinct, complement);
        if distinct.iter().all(|(_, value)| value.same(&distinct[0].1)) {
            fall_together(&mut distinct, |left, right| Some(common(left, right)));
        } else if distinct.len() > self.options.limits.alternatives {
            distinct = self.gather(distinct);
        }
        match distinct.len() {
            0 => Value::Unknown("no alternative"),
            1 => distinct.swap_remove(0).1,
            count if count > self.options.limits.alternatives => {
                let values: Vec<Value> = distinct.into_iter().map(|(_, value)| value).collect();
                self.widen(&values)
            }
            _ => Value::Alternatives(Rc::new(distinct)),
        }
    }

    /// One alternative for all that are equal, under a decision that stands for their guards.
    fn gather(&mut self, alternatives: Vec<(Guard, Value)>) -> Vec<(Guard, Value)> {
        let mut groups: Vec<(Vec<Guard>, Value)> = Vec::new();
        for (guard, value) in alternatives {
            match groups.iter_mut().find(|(_, known)| known.same(&value)) {
                Some((guards, known)) => {
                    guards.push(guard);
                    *known = with_both(known, &value);
                }
                None => groups.push((vec![guard], value)),
            }
        }
        let one_guard = |(mut ways, value): (Vec<Guard>, Value)| {
            if ways.len() == 1 || self.inference.is_some() {
                let shared = ways.iter().skip(1).fold(ways[0].clone(), |shared, way| common(&shared, way));
                return (shared, value);
            }
            ways.sort();
            let shared = ways.iter().skip(1).fold(ways[0].clone(), |shared, way| common(&shared, way));
            let decision = self.decision_for_ways(ways);
            let guard: Vec<Literal> = shared.iter().copied().chain([Literal { decision, taken: true }]).collect();
            (Rc::from(guard), value)
        };
        groups.into_iter().map(one_guard).collect()
    }

    /// One value that stands for all of `values`, with what they have in common.
    pub fn widen(&mut self, values: &[Value]) -> Value {
        self.widen_at(values, 0)
    }

    fn widen_at(&mut self, values: &[Value], depth: usize) -> Value {
        let mut flat: Vec<Value> = Vec::new();
        for value in values {
            match value {
                Value::Alternatives(inner) => flat.extend(inner.iter().map(|(_, value)| value.clone())),
                _ => flat.push(value.clone()),
            }
        }
        let Some(first) = flat.first().cloned() else { return Value::Unknown("no value") };
        if flat.iter().all(|value| value.same(&first) && has_elements_of(value, &first)) {
            return first;
        }
        if flat.iter().all(|value| matches!(value, Value::Int(_))) {
            return self.any_integer("n");
        }
        if flat.iter().all(|value| matches!(value, Value::Float(_) | Value::Int(_))) {
            return Value::Float(None);
        }
        if flat.iter().all(|value| matches!(value, Value::Str(_))) {
            return Value::Str(None);
        }
        let tensors: Vec<&Rc<Tensor>> = flat
            .iter()
            .filter_map(|value| if let Value::Tensor(tensor) = value { Some(tensor) } else { None })
            .collect();
        if tensors.len() == flat.len() {
            return self.widen_tensors(&tensors);
        }
        if let Value::Tuple(items) = &first {
            let width = items.len();
            let tuples: Vec<&Rc<[Value]>> = flat
                .iter()
                .filter_map(|value| if let Value::Tuple(items) = value { Some(items) } else { None })
                .collect();
            if tuples.len() == flat.len() && tuples.iter().all(|items| items.len() == width) {
                let columns: Vec<Value> = (0..width)
                    .map(|index| {
                        let column: Vec<Value> = tuples.iter().map(|items| items[index].clone()).collect();
                        self.widen_at(&column, depth + 1)
                    })
                    .collect();
                return Value::tuple(columns);
            }
        }
        if let Some(list) = self.widen_lists(&flat, depth) {
            return list;
        }
        if self.are_alike_modules(&flat) {
            return first;
        }
        self.widen_records(&flat, depth).unwrap_or(Value::Unknown("differs from path to path"))
    }

    /// A list of unknown length for several lists, whose items are alike.
    fn widen_lists(&mut self, values: &[Value], depth: usize) -> Option<Value> {
        const DEEPEST_LIST: usize = 3;
        const MOST_ITEMS: usize = 1024;
        let mut items = Vec::new();
        for value in values {
            let Value::List(id) = value else { return None };
            let data = self.heap.list(*id)?;
            items.extend(data.items.iter().chain(&data.rest).cloned());
            if items.len() > MOST_ITEMS {
                return None;
            }
        }
        if items.is_empty() || depth >= DEEPEST_LIST {
            return None;
        }
        let item = self.widen_at(&items, depth + 1);
        (!item.is_unknown()).then(|| self.list_of(item))
    }

    /// One sample that stands for all of `samples`, which nobody writes to: containers are looked into.
    pub fn widen_samples(&mut self, samples: &[Value], depth: usize) -> Value {
        const DEEPEST_SAMPLE: usize = 6;
        let samples: Vec<Value> = samples.iter().map(|sample| self.read(sample)).collect();
        let is_same = samples.iter().all(|sample| sample.same(&samples[0]));
        if is_same || depth >= DEEPEST_SAMPLE {
            return self.widen(&samples);
        }
        let column = |rows: &[Vec<Value>], index: usize| rows.iter().map(|row| row[index].clone()).collect::<Vec<_>>();
        let is_even = |rows: &[Vec<Value>]| rows.iter().all(|row| row.len() == rows[0].len());
        if let Some(rows) =
            self.rows_of(&samples, |value| matches!(value, Value::Tuple(_))).filter(|rows| is_even(rows))
        {
            let parts = (0..rows[0].len()).map(|index| self.widen_samples(&column(&rows, index), depth + 1));
            return Value::tuple(parts.collect());
        }
        if let Some(rows) = self.rows_of(&samples, |value| matches!(value, Value::List(_))) {
            if is_even(&rows) {
                let parts =
                    (0..rows[0].len()).map(|index| self.widen_samples(&column(&rows, index), depth + 1)).collect();
                return Value::List(self.heap.allocate_list(parts));
            }
            let item = self.widen_samples(&rows.concat(), depth + 1);
            return self.list_of(item);
        }
        let dicts: Vec<_> = samples
            .iter()
            .filter_map(|sample| if let Value::Dict(id) = sample { self.heap.dict(*id).cloned() } else { None })
            .collect();
        let keys = |data: &DictData| data.entries.iter().map(|(key, _)| key.clone()).collect::<Vec<_>>();
        let is_alike = |data: &DictData| {
            let (one, other) = (keys(data), keys(&dicts[0]));
            data.rest.is_none()
                && one.len() == other.len()
                && one.iter().zip(&other).all(|(one, other)| one.same(other))
        };
        if dicts.len() == samples.len() && dicts.iter().all(|data| is_alike(data)) {
            let rows: Vec<Vec<Value>> =
                dicts.iter().map(|data| data.entries.iter().map(|(_, value)| value.clone()).collect()).collect();
            let entries = keys(&dicts[0]).into_iter().enumerate();
            let entries = entries.map(|(index, key)| (key, self.widen_samples(&column(&rows, index), depth + 1)));
            let entries = entries.collect();
            return Value::Dict(self.heap.allocate_dict(entries));
        }
        self.widen(&samples)
    }

    /// The items of each of the values, if all are such sequences of known length.
    fn rows_of(&self, values: &[Value], is_such: impl Fn(&Value) -> bool) -> Option<Vec<Vec<Value>>> {
        let row = |value: &Value| match value {
            Value::Tuple(items) => Some(items.to_vec()),
            Value::List(id) => self.heap.list(*id).filter(|data| data.rest.is_none()).map(|data| data.items.clone()),
            _ => None,
        };
        values.iter().map(|value| is_such(value).then(|| row(value)).flatten()).collect()
    }

    /// The fields of an object of a named tuple's class.
    pub fn fields_of_record(&self, value: &Value) -> Option<Vec<Value>> {
        let Value::Instance(id) = value else { return None };
        let is_record = self.is_instance_of(value, "collections.namedtuple.record");
        is_record.then(|| self.heap.object(*id).attributes.iter().map(|(_, value)| value.clone()).collect())
    }

    /// One object for several of a named tuple's class, field by field.
    fn widen_records(&mut self, values: &[Value], depth: usize) -> Option<Value> {
        const RECORDS: [&str; 2] = ["collections.namedtuple.record", "typing.NamedTuple"];
        let class = self.class_of(values.first()?);
        let mut rows: Vec<Vec<(Name, Value)>> = Vec::with_capacity(values.len());
        for value in values {
            let Value::Instance(id) = value else { return None };
            if !self.class_of(value).same(&class) || !RECORDS.iter().any(|base| self.is_instance_of(value, base)) {
                return None;
            }
            rows.push(self.heap.object(*id).attributes.iter().map(|(name, value)| (name, value.clone())).collect());
        }
        let fields: Vec<Name> = rows.first()?.iter().map(|(name, _)| *name).collect();
        let is_alike = |row: &Vec<(Name, Value)>| row.iter().map(|(name, _)| *name).eq(fields.iter().copied());
        let Value::Instance(first) = values.first()? else { return None };
        let origin = self.heap.instance(*first)?.origin;
        if !rows.iter().all(is_alike) {
            return None;
        }
        let data = InstanceData { class, arguments: Vec::new(), origin };
        let record = self.heap.allocate(Payload::Instance(Rc::new(data)));
        for (index, field) in fields.into_iter().enumerate() {
            let column: Vec<Value> = rows.iter().map(|row| row[index].1.clone()).collect();
            let value = self.widen_at(&column, depth + 1);
            self.heap.set_attribute(record, field, value);
        }
        Some(Value::Instance(record))
    }

    fn widen_tensors(&mut self, tensors: &[&Rc<Tensor>]) -> Value {
        let first = tensors[0];
        let resolved: Vec<Shape> = tensors.iter().map(|tensor| self.solver.resolve_shape(&tensor.shape)).collect();
        let dims: Option<Vec<Vec<crate::shape::Dim>>> = resolved.iter().map(|shape| shape.dims()).collect();
        let shape = match dims {
            Some(dims) if dims.iter().all(|shape| shape.len() == dims[0].len()) => {
                let merged: Vec<crate::shape::Dim> = (0..dims[0].len())
                    .map(|axis| {
                        let dim = dims[0][axis];
                        if dims.iter().all(|shape| shape[axis] == dim) { dim } else { self.free_dim("d", 0) }
                    })
                    .collect();
                Shape::known(merged)
            }
            _ if resolved.iter().all(|shape| *shape == resolved[0]) => resolved[0].clone(),
            _ => Shape::unknown("s"),
        };
        let dtype = if tensors.iter().all(|tensor| tensor.dtype == first.dtype) {
            first.dtype
        } else {
            crate::shape::DType::Unknown
        };
        let assumptions = tensors.iter().fold(first.assumptions.clone(), |set, tensor| set.union(&tensor.assumptions));
        let device = tensors.iter().fold(first.device, |device, tensor| device.join(tensor.device));
        Value::Tensor(Rc::new(Tensor { shape, dtype, device, assumptions, elements: None, ..Tensor::clone(first) }))
    }
}

/// Whether the numbers of two tensors are the same, as far as they are known.
fn has_elements_of(value: &Value, other: &Value) -> bool {
    match (value, other) {
        (Value::Tensor(a), Value::Tensor(b)) => a.has_elements_of(b),
        _ => true,
    }
}

/// Both guards at once; `None` where they contradict each other.
fn conjunction(left: &Guard, right: &Guard) -> Option<Guard> {
    let mut literals = left.to_vec();
    for literal in right.iter() {
        match literals.iter().find(|known| known.decision == literal.decision) {
            Some(known) if known.taken != literal.taken => return None,
            Some(_) => {}
            None => literals.push(*literal),
        }
    }
    Some(Rc::from(literals))
}

/// Makes one alternative of two with equal values wherever `merge` finds a guard for both.
fn fall_together(alternatives: &mut Vec<(Guard, Value)>, merge: impl Fn(&Guard, &Guard) -> Option<Guard>) {
    let mut index = 0;
    while index < alternatives.len() {
        let merged = (0..index).find_map(|earlier| {
            let ((left, value), (right, other)) = (&alternatives[earlier], &alternatives[index]);
            if value.same(other) { Some((earlier, merge(left, right)?)) } else { None }
        });
        let Some((earlier, guard)) = merged else {
            index += 1;
            continue;
        };
        let (_, other) = alternatives.remove(index);
        let (known_guard, known) = &mut alternatives[earlier];
        *known_guard = guard;
        *known = with_both(known, &other);
        // The guard of the earlier one is shorter now, and may fit one before it.
        index = earlier;
    }
}

/// One of two equal values, with what both rest on.
fn with_both(value: &Value, other: &Value) -> Value {
    match (value, other) {
        (Value::Tensor(a), Value::Tensor(b))
            if a.assumptions != b.assumptions || a.device != b.device || !a.has_elements_of(b) =>
        {
            let (assumptions, device) = (a.assumptions.union(&b.assumptions), a.device.join(b.device));
            Value::Tensor(Rc::new(Tensor { assumptions, device, elements: None, ..Tensor::clone(a) }))
        }
        _ => value.clone(),
    }
}

/// What two guards have in common, where they differ in one decision alone that each takes another way, or one implies the other.
fn complement(left: &Guard, right: &Guard) -> Option<Guard> {
    let shared = common(left, right);
    if shared.len() == left.len() || shared.len() == right.len() {
        return Some(shared);
    }
    if left.len() != right.len() || shared.len() + 1 != left.len() {
        return None;
    }
    let single = |guard: &Guard| guard.iter().find(|literal| !shared.contains(literal)).copied();
    let (a, b) = (single(left)?, single(right)?);
    (a.decision == b.decision).then_some(shared)
}

/// What holds under either guard.
fn common(left: &Guard, right: &Guard) -> Guard {
    left.iter().filter(|literal| right.contains(literal)).copied().collect()
}
