//! Joins paths, one value for several: what differs from path to path becomes a value with guarded alternatives, and
//! what too many paths leave different is widened to what it has in common.

use std::cell::{Cell, OnceCell};
use std::collections::hash_map::Entry;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::heap::objects::{DictData, InstanceData, ListData, Payload};
use crate::state::interpreter::Interpreter;
use crate::values::equivalent_modules::MODULE;
use crate::values::value::{DecisionId, Guard, Literal, Tensor, Value, compared_so_far};
use harp_limits::{light_tick, tick};
use harp_python::name::Name;
use harp_shape::{Dim, Element, Shape, ShapeVar};

/// How deep containers of containers are widened item by item.
const DEEPEST_CONTAINER: usize = 4;
/// Containers with more items are not.
const WIDEST_ROW: usize = 64;
/// Of more alternatives than these, guards are not compared in pairs: which values there are is what matters then.
const MOST_COMPARED: usize = 48;

/// Of so many values that are made one, with those in them, no more are looked at.
const MOST_WIDENED: usize = 1 << 18;

/// What is known of more values than these.
const VERY_MANY: &str = "one of very many values";

/// Looking at so many of them counts as one step.
const VALUES_OF_A_STEP: usize = 2048;
/// So many comparisons of values that hold others take as long as a step.
const COMPARED_OF_A_STEP: u64 = 512;

/// How values are made one.
#[derive(Clone, Copy)]
struct Depth {
    /// How deep containers are looked into from here.
    left: usize,
    /// Whether there are no other values than these, as in a sequence; a loop goes on to make others.
    are_all: bool,
}

/// Where several values become one, the sizes that they have at one place, each in turn, and the size that stands for these. What has the same
/// sizes at another place, as the labels of pictures have, has the same size there.
#[derive(Debug, Default)]
pub struct SharedSizes {
    depth: usize,
    /// How many values were looked at.
    values: usize,
    /// What had been compared at the beginning.
    compared: u64,
    known: FxHashMap<Vec<Dim>, Dim>,
}

impl Depth {
    fn inner(self) -> Option<Depth> {
        Some(Depth { left: self.left.checked_sub(1)?, ..self })
    }
}

impl Interpreter<'_> {
    /// One value for several alternatives: equal ones fall together, too many are widened.
    pub fn join(&mut self, alternatives: Vec<(Guard, Value)>) -> Value {
        let mut distinct = flattened(alternatives);
        if distinct.len() <= MOST_COMPARED {
            fall_together(&mut distinct, complement);
        }
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
            count => {
                if distinct.capacity() > 2 * count {
                    distinct.shrink_to_fit();
                }
                Value::Alternatives(Rc::new(distinct))
            }
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
            let shared = ways.iter().skip(1).fold(ways[0].clone(), |shared, way| common(&shared, way));
            if ways.len() == 1 || self.inference.is_some() {
                return (shared, value, None);
            }
            ways.sort_unstable();
            let decision = self.decision_for_ways(ways);
            let guard: Vec<Literal> = shared.iter().copied().chain([Literal { decision, taken: true }]).collect();
            (Rc::from(guard), value, Some(decision))
        };
        let gathered: Vec<(Guard, Value, Option<DecisionId>)> = groups.into_iter().map(one_guard).collect();
        // No two of them are the case at once.
        for (index, (_, _, made)) in gathered.iter().enumerate() {
            if let Some(decision) = made {
                let others = gathered.iter().enumerate().filter(|(other, _)| *other != index);
                self.exclude(*decision, others.map(|(_, (guard, _, _))| Rc::clone(guard)));
            }
        }
        gathered.into_iter().map(|(guard, value, _)| (guard, value)).collect()
    }

    /// One value that stands for all of `values`, with what they have in common.
    pub fn widen(&mut self, values: &[Value]) -> Value {
        self.widen_at(values, Depth { left: DEEPEST_CONTAINER, are_all: false })
    }

    /// One of the items of a sequence, whichever: there are no others, so that numbers keep the range they are from. An object has what all
    /// objects of its class have in common; what is written into it is not seen through the items.
    pub fn one_of(&mut self, items: &[Value]) -> Value {
        self.widen_at(items, Depth { left: DEEPEST_CONTAINER, are_all: true })
    }

    fn widen_at(&mut self, values: &[Value], depth: Depth) -> Value {
        if self.sizes.shared.depth == 0 {
            self.sizes.shared.compared = compared_so_far();
        }
        self.sizes.shared.depth += 1;
        self.sizes.shared.values += values.len();
        let widened = match self.sizes.shared.values {
            ..=MOST_WIDENED => self.widen_column(values, depth),
            _ => Value::Unknown(VERY_MANY),
        };
        self.sizes.shared.depth -= 1;
        if self.sizes.shared.depth == 0 {
            // Steps are paid for what was looked at.
            let compared = compared_so_far().wrapping_sub(self.sizes.shared.compared);
            self.entry.steps += (self.sizes.shared.values / VALUES_OF_A_STEP) as u64 + compared / COMPARED_OF_A_STEP;
            self.sizes.shared.values = 0;
            self.sizes.shared.known.clear();
        }
        widened
    }

    fn widen_column(&mut self, values: &[Value], depth: Depth) -> Value {
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
            if let Some(number) = self.drawn_again(&flat).or_else(|| self.size_among(&flat)) {
                return number;
            }
            return if depth.are_all { self.integer_among(&flat) } else { self.any_integer("n") };
        }
        if flat.iter().all(|value| matches!(value, Value::Float(_) | Value::Ratio(_) | Value::Int(_))) {
            return Value::Float(None);
        }
        if flat.iter().all(|value| matches!(value, Value::Str(_))) {
            return Value::Str(None);
        }
        // A word that the program has is one of those that a file has.
        if flat.iter().all(|value| matches!(value, Value::Str(_)) || self.may_be_text_from_outside(value)) {
            let origin = self.current_span();
            return self.data_from_outside("text", origin);
        }
        // One truth, however often the program asks for it.
        if flat.iter().all(|value| matches!(value, Value::Bool(_))) {
            let origin = self.current_span();
            return self.symbolic("a truth value", origin, true);
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
                        self.widen_at(&column, depth)
                    })
                    .collect();
                return Value::tuple(columns);
            }
        }
        if self.are_alike_modules(&flat) {
            return first;
        }
        if let Some(inner) = depth.inner()
            && let Some(container) = self.widen_lists(&flat, inner).or_else(|| self.widen_dicts(&flat, inner))
        {
            return container;
        }
        self.widen_records(&flat, depth).unwrap_or(Value::Unknown("differs from path to path"))
    }

    /// One list for several: item by item where all are as long, else of an unknown number of items that stand for all of theirs. Several of
    /// which none has an item say nothing of what they will be filled with.
    fn widen_lists(&mut self, values: &[Value], depth: Depth) -> Option<Value> {
        let lists: Vec<Rc<ListData>> = values
            .iter()
            .map(|value| match value {
                Value::List(id) => self.heap.list(*id).cloned(),
                _ => None,
            })
            .collect::<Option<_>>()?;
        let lists = without_copies(lists);
        let width = lists.first()?.items.len();
        let is_regular = lists.iter().all(|list| list.rest.is_none() && list.items.len() == width);
        let data = if is_regular && width > 0 && width <= WIDEST_ROW {
            let items = (0..width).map(|index| {
                let column: Vec<Value> = lists.iter().map(|list| list.items[index].clone()).collect();
                self.widen_at(&column, depth)
            });
            ListData { items: items.collect(), rest: None }
        } else {
            let count: usize = lists.iter().map(|list| list.items.len() + usize::from(list.rest.is_some())).sum();
            if count == 0 {
                return None;
            }
            // Which item stands beside which of another list is not known.
            let aligned = std::mem::take(&mut self.sizes.shared.known);
            let rest = if self.sizes.shared.values + count <= MOST_WIDENED {
                let all: Vec<Value> =
                    lists.iter().flat_map(|list| list.items.iter().chain(&list.rest).cloned()).collect();
                self.widen_at(&all, depth)
            } else {
                // They are not even brought together.
                self.sizes.shared.values += count;
                Value::Unknown(VERY_MANY)
            };
            self.sizes.shared.known = aligned;
            ListData { items: Vec::new(), rest: Some(rest) }
        };
        Some(Value::List(self.heap.allocate(Payload::List(Rc::new(data)))))
    }

    /// One dictionary for several with the same keys.
    fn widen_dicts(&mut self, values: &[Value], depth: Depth) -> Option<Value> {
        let dicts: Vec<Rc<DictData>> = values
            .iter()
            .map(|value| match value {
                Value::Dict(id) => self.heap.dict(*id).cloned(),
                _ => None,
            })
            .collect::<Option<_>>()?;
        let class_of = |value: &Value| match value {
            Value::Dict(id) => self.dict_class(*id).cloned(),
            _ => None,
        };
        let class = class_of(values.first()?);
        let are_alike = values.iter().all(|value| match (class_of(value), &class) {
            (None, None) => true,
            (Some(one), Some(other)) => one.same(other),
            _ => false,
        });
        if !are_alike {
            return None;
        }
        let first = Rc::clone(dicts.first()?);
        let has_keys = |dict: &Rc<DictData>| {
            dict.rest.is_none()
                && dict.entries.len() == first.entries.len()
                && dict.entries.iter().zip(&first.entries).all(|((key, _), (known, _))| key.same(known))
        };
        if first.entries.is_empty() || first.entries.len() > WIDEST_ROW || !dicts.iter().all(has_keys) {
            return None;
        }
        let entries = first.entries.iter().enumerate().map(|(index, (key, _))| {
            let column: Vec<Value> = dicts.iter().map(|dict| dict.entries[index].1.clone()).collect();
            (key.clone(), self.widen_at(&column, depth))
        });
        let entries: Vec<(Value, Value)> = entries.collect();
        let Some(class) = class else { return Some(Value::Dict(self.heap.allocate_dict(entries))) };
        let made = self.new_dict_of_class(class, entries.clone());
        if let Value::Dict(id) = made {
            // The attributes of a record that is a dictionary are its entries.
            for (key, value) in entries {
                if let Some(name) = key.as_text().map(Name::new)
                    && values
                        .iter()
                        .all(|value| matches!(value, Value::Dict(id) if self.heap.attribute(*id, name).is_some()))
                {
                    self.heap.set_attribute(id, name, value);
                }
            }
        }
        Some(made)
    }

    /// One object for several of a class, field by field: of a named tuple's, or of any but a module's where there are no others.
    fn widen_records(&mut self, values: &[Value], depth: Depth) -> Option<Value> {
        const RECORDS: [&str; 2] = ["collections.namedtuple.record", "typing.NamedTuple"];
        let inner = depth.inner()?;
        let is_record = |this: &Self, value: &Value| {
            let is_plain = || matches!(this.class_of(value), Value::Class(_)) && !this.is_instance_of(value, MODULE);
            depth.are_all && is_plain() || RECORDS.iter().any(|base| this.is_instance_of(value, base))
        };
        let class = self.class_of(values.first()?);
        let mut rows: Vec<Vec<(Name, Value)>> = Vec::with_capacity(values.len());
        for value in values {
            let Value::Instance(id) = value else { return None };
            if !self.class_of(value).same(&class) || !is_record(self, value) {
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
            let value = self.widen_at(&column, inner);
            self.heap.set_attribute(record, field, value);
        }
        Some(Value::Instance(record))
    }

    /// One of several numbers that are the sizes of something that becomes one beside them.
    fn size_among(&self, numbers: &[Value]) -> Option<Value> {
        if self.sizes.shared.known.is_empty() {
            return None;
        }
        let column: Option<Vec<Dim>> = numbers.iter().map(Value::as_dim).collect();
        self.sizes.shared.known.get(&column?).copied().map(Value::Int)
    }

    fn widen_tensors(&mut self, tensors: &[&Rc<Tensor>]) -> Value {
        let first = tensors[0];
        let resolved: Vec<Shape> = tensors.iter().map(|tensor| self.solver.resolve_shape(&tensor.shape)).collect();
        let dims: Option<Vec<Vec<Dim>>> = resolved.iter().map(|shape| shape.dims()).collect();
        let shape = match dims {
            Some(dims) if dims.iter().all(|shape| shape.len() == dims[0].len()) => {
                let merged: Vec<Dim> = (0..dims[0].len())
                    .map(|axis| {
                        let dim = dims[0][axis];
                        if dims.iter().all(|shape| shape[axis] == dim) {
                            return dim;
                        }
                        let column: Vec<Dim> = dims.iter().map(|shape| shape[axis]).collect();
                        if let Some(known) = self.sizes.shared.known.get(&column) {
                            return *known;
                        }
                        let size = self.one_of_drawn(&column).unwrap_or_else(|| self.one_by_chance(&column));
                        self.sizes.shared.known.insert(column, size);
                        size
                    })
                    .collect();
                Shape::known(merged)
            }
            _ if resolved.iter().all(|shape| *shape == resolved[0]) => resolved[0].clone(),
            // A signature speaks also of runs in which a loop makes none of these.
            _ if self.inference.is_some() => Shape::unknown("s"),
            _ => Shape::new(common_ends(&resolved)),
        };
        let dtype = if tensors.iter().all(|tensor| tensor.dtype == first.dtype) {
            first.dtype
        } else {
            harp_shape::DType::Unknown
        };
        let assumptions = tensors.iter().fold(first.assumptions.clone(), |set, tensor| set.union(&tensor.assumptions));
        let device = tensors.iter().fold(first.device, |device, tensor| device.join(tensor.device));
        Value::Tensor(Rc::new(Tensor { shape, dtype, device, assumptions, elements: None, ..Tensor::clone(first) }))
    }
}

/// What shapes of several ranks have in common at both ends, with dimensions between that are not known.
fn common_ends(shapes: &[Shape]) -> Vec<Element> {
    let elements: Vec<&[Element]> = shapes.iter().map(Shape::elements).collect();
    let shortest = elements.iter().map(|shape| shape.len()).min().unwrap_or(0);
    let first = elements.first().copied().unwrap_or_default();
    let is_common = |place: usize, from_end: bool| {
        let at = |shape: &[Element]| shape[if from_end { shape.len() - 1 - place } else { place }];
        let element = at(first);
        matches!(element, Element::Dim(_)) && elements.iter().all(|shape| at(shape) == element)
    };
    let behind = (0..shortest).take_while(|place| is_common(*place, true)).count();
    let front = (0..shortest - behind).take_while(|place| is_common(*place, false)).count();
    let mut common = first[..front].to_vec();
    common.push(Element::Rest(ShapeVar::fresh("s")));
    common.extend_from_slice(&first[first.len() - behind..]);
    common
}

/// Lists that follow each other and are one and the same tell no more than one of them.
fn without_copies(mut lists: Vec<Rc<ListData>>) -> Vec<Rc<ListData>> {
    lists.dedup_by(|one, other| Rc::ptr_eq(one, other));
    lists
}

/// Whether the numbers of two tensors are the same, as far as they are known.
fn has_elements_of(value: &Value, other: &Value) -> bool {
    light_tick();
    match (value, other) {
        (Value::Tensor(a), Value::Tensor(b)) => a.has_elements_of(b),
        _ => true,
    }
}

/// Alternatives that are no alternatives again.
fn flattened(alternatives: Vec<(Guard, Value)>) -> Vec<(Guard, Value)> {
    let width = |(_, value): &(Guard, Value)| match value {
        Value::Alternatives(inner) => inner.len(),
        _ => 1,
    };
    let most = alternatives.iter().map(width).sum();
    if !alternatives.iter().any(|(_, value)| matches!(value, Value::Alternatives(_))) {
        return alternatives;
    }
    let mut flat: Vec<(Guard, Value)> = Vec::with_capacity(most);
    for (guard, value) in alternatives {
        let Value::Alternatives(inner) = &value else {
            flat.push((guard, value));
            continue;
        };
        let under_both =
            |(inner_guard, value): &(Guard, Value)| Some((conjunction(&guard, inner_guard)?, value.clone()));
        flat.extend(inner.iter().filter_map(under_both));
    }
    flat
}

/// In guards of more literals than this, decisions are found by hash.
const SHORT_GUARD: usize = 48;

/// So few of a guard are searched for one by one also in a long one.
const FEW_LITERALS: usize = 8;

/// Both guards at once; `None` where they contradict each other.
pub fn conjunction(left: &Guard, right: &Guard) -> Option<Guard> {
    let most = left.len() + right.len();
    if most > SHORT_GUARD {
        return conjunction_of_long(left, right);
    }
    if left.is_empty() && has_each_once(right) {
        return Some(Rc::clone(right));
    }
    let nothing = Literal { decision: DecisionId(0), taken: false };
    let mut literals = [nothing; SHORT_GUARD];
    literals[..left.len()].copy_from_slice(left);
    let mut count = left.len();
    let alike = left.iter().zip(right.iter()).take_while(|(one, other)| one == other).count();
    for literal in &right[alike..] {
        match literals[..count].iter().find(|known| known.decision == literal.decision) {
            Some(known) if known.taken != literal.taken => return None,
            Some(_) => {}
            None => {
                literals[count] = *literal;
                count += 1;
            }
        }
    }
    Some(if count == left.len() { Rc::clone(left) } else { Rc::from(&literals[..count]) })
}

/// The same, where a search for each decision among all others may take too long. Most guards of one place begin alike and end in a few decisions
/// of their own.
fn conjunction_of_long(left: &Guard, right: &Guard) -> Option<Guard> {
    let alike = left.iter().zip(right.iter()).take_while(|(one, other)| one == other).count();
    let rest = &right[alike..];
    tick();
    let mut own: Vec<Literal> = Vec::with_capacity(rest.len());
    if rest.len() <= FEW_LITERALS {
        for literal in rest {
            match left.iter().chain(&own).find(|known| known.decision == literal.decision) {
                Some(known) if known.taken != literal.taken => return None,
                Some(_) => {}
                None => own.push(*literal),
            }
        }
    } else {
        let mut taken: FxHashMap<DecisionId, bool> = FxHashMap::default();
        for literal in left.iter() {
            tick();
            taken.entry(literal.decision).or_insert(literal.taken);
        }
        for literal in rest {
            tick();
            match taken.entry(literal.decision) {
                Entry::Occupied(known) if *known.get() != literal.taken => return None,
                Entry::Occupied(_) => {}
                Entry::Vacant(unknown) => {
                    unknown.insert(literal.taken);
                    own.push(*literal);
                }
            }
        }
    }
    Some(if own.is_empty() { Rc::clone(left) } else { left.iter().copied().chain(own).collect() })
}

/// Whether no decision is in a guard twice.
fn has_each_once(guard: &Guard) -> bool {
    guard.iter().enumerate().all(|(index, literal)| guard[..index].iter().all(|it| it.decision != literal.decision))
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
            let elements = a.elements_of_both(b);
            Value::Tensor(Rc::new(Tensor { assumptions, device, elements, ..Tensor::clone(a) }))
        }
        _ => value.clone(),
    }
}

/// What two guards have in common, where they differ in one decision alone that each takes another way, or one implies the other.
///
/// Most pairs of guards are neither, which is told before anything is made: they begin alike, as their ways did, and soon differ more than that.
pub fn complement(left: &Guard, right: &Guard) -> Option<Guard> {
    let of_right = Literals::of(right, left);
    let surplus = left.len().saturating_sub(right.len());
    let (mut differing, mut of_left) = (0, None);
    for literal in left[of_right.alike..].iter().filter(|literal| !of_right.contains(literal)) {
        differing += 1;
        of_left = Some(literal);
        if differing > surplus.max(1) {
            return None;
        }
    }
    let shared = left.len() - differing;
    let is_complement = || {
        let is_one = left.len() == right.len() && differing == 1;
        let own = Literals::of(left, right);
        let other = || right[own.alike..].iter().find(|literal| !own.contains(literal));
        is_one && of_left.map(|literal| literal.decision) == other().map(|literal| literal.decision)
    };
    (differing == 0 || shared == right.len() || is_complement()).then(|| common(left, right))
}

/// What holds under either guard.
fn common(left: &Guard, right: &Guard) -> Guard {
    let of_right = Literals::of(right, left);
    let (alike, rest) = left.split_at(of_right.alike);
    if rest.iter().all(|literal| of_right.contains(literal)) {
        return Rc::clone(left);
    }
    let shared = rest.iter().filter(|literal| of_right.contains(literal));
    alike.iter().chain(shared).copied().collect()
}

/// A guard that is asked for the literals of another one, behind those that both begin with.
struct Literals<'g> {
    guard: &'g [Literal],
    alike: usize,
    /// Whether a search for each literal of the other would take too long.
    is_long: bool,
    /// How often it was asked. Mostly a few answers say all, and nothing is hashed.
    asked: Cell<usize>,
    hashed: OnceCell<FxHashSet<Literal>>,
}

impl<'g> Literals<'g> {
    fn of(guard: &'g [Literal], other: &[Literal]) -> Literals<'g> {
        let alike = guard.iter().zip(other).take_while(|(own, of_other)| own == of_other).count();
        let is_long = guard.len().min(other.len()) - alike > SHORT_GUARD;
        Literals { guard, alike, is_long, asked: Cell::new(0), hashed: OnceCell::new() }
    }

    fn contains(&self, literal: &Literal) -> bool {
        self.asked.set(self.asked.get() + 1);
        if self.is_long && self.asked.get() > FEW_LITERALS {
            let hash = || self.guard.iter().inspect(|_| tick()).copied().collect();
            return self.hashed.get_or_init(hash).contains(literal);
        }
        self.guard[self.alike..].contains(literal) || self.guard[..self.alike].contains(literal)
    }
}
