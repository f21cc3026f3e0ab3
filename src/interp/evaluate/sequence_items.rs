//! Evaluates subscripts of sequences, sizes and texts: items and slices.

use std::rc::Rc;

use crate::budget::costly_calls::EntryKind;
use crate::heap::objects::{ListData, Payload};
use crate::judge::sequence_for_tensor::has_known_length;
use crate::state::interpreter::{Interpreter, Speculation};
use crate::values::equivalent_modules::MODULE;
use crate::values::random_integers::is_drawn;
use crate::values::value::{Iteration, Value};
use harp_corpus::Span;
use harp_shape::{Constraint, Dim, Verdict};
use harp_trace::assumption::{AssumptionKind, words};

/// Of wider windows over known items the length is known, and one item for all of them.
const WIDEST_WINDOW: usize = 16;

impl Interpreter<'_> {
    pub(crate) fn item_of_sequence(
        &mut self,
        items: &[Value],
        rest: Option<&Value>,
        index: &Value,
        is_tuple: bool,
        span: Span,
    ) -> Value {
        if let Value::Slice(bounds) = index {
            return self.slice_of_sequence(items, rest, bounds, is_tuple);
        }
        let dim = match index {
            // The numbers that an array yields, and tensors of one element, are indices too.
            Value::Tensor(tensor) if self.is_index(tensor) => self.free_dim("index", 0),
            index => match index.as_dim() {
                Some(dim) => dim,
                None => return self.symbolic(self.source_text(span), span, true),
            },
        };
        let position = match self.solver.resolve(dim).as_const() {
            None if rest.is_none() => self.settled_index(dim, items.len()),
            position => position,
        };
        match (position, rest) {
            (Some(position), None) => {
                let length = items.len() as i64;
                let position = if position < 0 { position + length } else { position };
                match usize::try_from(position).ok().and_then(|position| items.get(position)) {
                    Some(item) => self.read(item),
                    None => {
                        if is_tuple && has_known_length(self.source_text(span)) {
                            let message = format!("index {dim} is out of range for a tuple of {length} items");
                            self.sequence_fails("tuple.__getitem__", message, span);
                        }
                        self.symbolic(self.source_text(span), span, true)
                    }
                }
            }
            (Some(position @ 0..), Some(rest)) => match items.get(position as usize) {
                Some(item) => self.read(item),
                None => self.another(rest),
            },
            _ => {
                let mut all = items.to_vec();
                all.extend(rest.cloned());
                if all.is_empty() {
                    return self.symbolic(self.source_text(span), span, true);
                }
                self.skip_empty_places(&mut all, span);
                let is_by_sample = rest.is_none() && self.is_index_of_sample(index);
                let any = if is_by_sample { self.item_by_sample(&all) } else { self.one_of(&all) };
                let is_drawn = self.solver.resolve(dim).vars().iter().all(|variable| is_drawn(*variable));
                let any = if rest.is_none() && is_drawn { self.chosen(&all, any, Some(dim), span) } else { any };
                if rest.is_some() { self.another(&any) } else { any }
            }
        }
    }

    /// The index that settings have by default, where one of so many items has it: the defaults hold from here on.
    pub(crate) fn settled_index(&mut self, index: Dim, length: usize) -> Option<i64> {
        let index = self.solver.resolve(index);
        let default =
            self.default_of_configured(index).filter(|_| self.inference.is_none() && index.as_const().is_none())?;
        let length = i64::try_from(length).unwrap_or(i64::MAX);
        if default >= length || default < -length {
            return None;
        }
        self.settle(index, Dim::constant(default));
        Some(default)
    }

    /// Where data is kept in a list that began with `[None] * count`, who reads a place of it has filled it before.
    fn skip_empty_places(&mut self, items: &mut Vec<Value>, span: Span) {
        let is_data = |item: &Value| match self.read(item) {
            Value::Tensor(_) | Value::Tuple(_) | Value::List(_) | Value::Dict(_) => true,
            record @ Value::Instance(_) => !self.is_instance_of(&record, MODULE),
            _ => false,
        };
        let (empty, filled): (Vec<&Value>, Vec<&Value>) = items.iter().partition(|item| item.is_none());
        if empty.is_empty() || filled.is_empty() || self.inference.is_some() || !filled.into_iter().all(is_data) {
            return;
        }
        let subject = self.source_text(span).to_owned();
        let text = words::used_as_filled(&subject);
        let evidence = "some places of the list are still empty".to_owned();
        if self.speculate(AssumptionKind::UsedAs, &subject, text, evidence, span) != Speculation::Denied {
            items.retain(|item| !item.is_none());
        }
    }

    /// Reports an index that a size lacks which a script holds. What is asked of the tensor itself is told where the item is taken.
    pub(crate) fn size_lacks(&mut self, items: &Rc<[Value]>, index: &Value, span: Span) {
        let is_followed = self.entry.kind != EntryKind::Symbolic && self.inference.is_none();
        if is_followed && self.is_size(items) == Some(true) && !has_known_length(self.source_text(span)) {
            let index = index.as_int().unwrap_or_default();
            let message = format!("index {index} is out of range for a tuple of {} items", items.len());
            self.sequence_fails("tuple.__getitem__", message, span);
        }
    }

    pub(crate) fn slice_of_sequence(
        &mut self,
        items: &[Value],
        rest: Option<&Value>,
        bounds: &[Value; 3],
        is_tuple: bool,
    ) -> Value {
        let mut known = |value: &Value| match value {
            Value::None => Some(None),
            value => {
                let settled = |this: &mut Self| this.settled_index(value.as_dim()?, usize::MAX);
                let is_closed = rest.is_none() && !items.is_empty();
                value.as_int().or_else(|| if is_closed { settled(self) } else { None }).map(Some)
            }
        };
        let parts = (known(&bounds[0]), known(&bounds[1]), known(&bounds[2]));
        // Where more items may follow, what is counted from the end or lies behind the known ones is not known.
        let is_counted = |lower: Option<i64>, upper: Option<i64>, step: Option<i64>| {
            let length = items.len() as i64;
            let ends = upper.is_none_or(|upper| (0..=length).contains(&upper));
            rest.is_none() || (lower.is_none_or(|lower| lower >= 0) && ends && step.is_none_or(|step| step == 1))
        };
        let (Some(lower), Some(upper), Some(step)) = parts else {
            let count = if rest.is_none() { self.width_of_window(items.len(), bounds) } else { None };
            return match count {
                Some(count) => self.window_of(items, count, is_tuple),
                None => self.some_of(items, rest),
            };
        };
        if !is_counted(lower, upper, step) {
            return self.some_of(items, rest);
        }
        let positions = slice_positions(items.len() as i64, lower, upper, step.unwrap_or(1));
        let taken: Vec<Value> = positions.filter_map(|position| items.get(position as usize).cloned()).collect();
        if is_tuple {
            return Value::tuple(taken);
        }
        let rest = rest.cloned().filter(|_| upper.is_none());
        Value::List(self.heap.allocate(Payload::List(Rc::new(ListData { items: taken, rest }))))
    }

    /// So many items in a row, of which it is not known which: each is one of its own.
    fn window_of(&mut self, items: &[Value], count: usize, is_tuple: bool) -> Value {
        let one = self.one_of(items);
        if count > WIDEST_WINDOW {
            return match is_tuple {
                true => self.some_of(items, None),
                false => self.list_of_length(one, Dim::constant(i64::try_from(count).unwrap_or(i64::MAX))),
            };
        }
        let taken: Vec<Value> = (0..count).map(|_| self.another(&one)).collect();
        match is_tuple {
            true => Value::tuple(taken),
            false => Value::List(self.heap.allocate_list(taken)),
        }
    }

    /// How many items `items[start:start + width]` takes: as many as the bounds are apart, where both surely lie within
    /// so many items.
    fn width_of_window(&self, length: usize, bounds: &[Value; 3]) -> Option<usize> {
        let is_plain = bounds[2].is_none() || bounds[2].as_int() == Some(1);
        let (lower, upper) = (self.read(&bounds[0]).as_dim()?, self.read(&bounds[1]).as_dim()?);
        let (lower, upper) = (self.solver.resolve(lower), self.solver.resolve(upper));
        let width = usize::try_from((upper - lower).as_const()?).ok()?;
        let length = Dim::constant(i64::try_from(length).ok()?);
        let holds = |one, other| self.solver.judge(&Constraint::LessEqual(one, other)) == Verdict::Holds;
        let lies_within = is_plain && holds(Dim::constant(0), lower) && holds(upper, length);
        (lies_within && width > 0).then_some(width)
    }

    /// A list of some of the items, of which it is not known which and how many.
    pub(crate) fn some_of(&mut self, items: &[Value], rest: Option<&Value>) -> Value {
        let mut all = items.to_vec();
        all.extend(rest.cloned());
        let rest = if all.is_empty() { None } else { Some(self.widen(&all)) };
        Value::List(self.heap.allocate(Payload::List(Rc::new(ListData { items: Vec::new(), rest }))))
    }

    /// An item of the shape of a tensor whose rank is not known: indexing it tells something about the rank.
    pub(crate) fn item_of_size(&mut self, shape: &harp_shape::Shape, index: &Value, span: Span) -> Value {
        let shape = self.solver.resolve_shape(shape);
        if let Some(dims) = shape.dims() {
            let items: Vec<Value> = dims.into_iter().map(Value::Int).collect();
            return self.item_of_sequence(&items, None, index, true, span);
        }
        if let Value::Slice(bounds) = index {
            let slice = self.slice_of_size(&shape, bounds);
            self.note_size(&slice);
            return slice;
        }
        let dim = match index.as_int() {
            Some(position @ 0..=32) => {
                self.solver.split(&shape, position as usize + 1, 0).and_then(|(front, _, _)| front.last().copied())
            }
            Some(position @ -32..=-1) => {
                self.solver.split(&shape, 0, -position as usize).and_then(|(_, _, back)| back.first().copied())
            }
            _ => None,
        };
        dim.map_or_else(|| Value::Int(self.free_dim("d", 0)), Value::Int)
    }

    pub(crate) fn slice_of_size(&mut self, shape: &harp_shape::Shape, bounds: &[Value; 3]) -> Value {
        let (lower, upper) = (bounds[0].as_int(), bounds[1].as_int());
        match (lower, upper) {
            (None | Some(0), Some(count @ 0..=32)) => match self.solver.split(shape, count as usize, 0) {
                Some((front, _, _)) => Value::tuple(front.into_iter().map(Value::Int).collect()),
                None => Value::Unknown("shape"),
            },
            (Some(count @ -32..=-1), None) => match self.solver.split(shape, 0, -count as usize) {
                Some((_, _, back)) => Value::tuple(back.into_iter().map(Value::Int).collect()),
                None => Value::Unknown("shape"),
            },
            (Some(count @ 0..=32), None) => match self.solver.split(shape, count as usize, 0) {
                Some((_, rest, _)) => Value::Size(rest),
                None => Value::Unknown("shape"),
            },
            (None | Some(0), Some(count @ -32..=-1)) => match self.solver.split(shape, 0, -count as usize) {
                Some((_, rest, _)) => Value::Size(rest),
                None => Value::Unknown("shape"),
            },
            (Some(front @ 0..=32), Some(back @ -32..=-1)) => {
                match self.solver.split(shape, front as usize, -back as usize) {
                    Some((_, rest, _)) => Value::Size(rest),
                    None => Value::Unknown("shape"),
                }
            }
            _ => Value::Unknown("shape"),
        }
    }

    /// The numbers of a range that is asked for a part, or for one counted from its end.
    pub(crate) fn small_range(&mut self, range: &Value, index: &Value) -> Option<Vec<Value>> {
        let is_meant = matches!(index, Value::Slice(_)) || index.as_int().is_some_and(|index| index < 0);
        let iteration = if is_meant { self.iterate(range).ok()? } else { return None };
        match self.itemised(iteration) {
            Iteration::Items(items) => Some(items),
            _ => None,
        }
    }
}

pub(crate) fn takes_slice(index: &Value) -> bool {
    match index {
        Value::Slice(_) => true,
        Value::Tuple(items) => items.iter().any(|item| matches!(item, Value::Slice(_))),
        _ => false,
    }
}

/// The positions that a slice with constant bounds selects from `length` items (Python's data model, "slice objects").
pub fn slice_positions(
    length: i64,
    lower: Option<i64>,
    upper: Option<i64>,
    step: i64,
) -> Box<dyn Iterator<Item = i64>> {
    let clamp = |bound: i64, low: i64, high: i64| {
        let bound = if bound < 0 { bound.saturating_add(length) } else { bound };
        bound.clamp(low, high)
    };
    if step > 0 {
        let start = lower.map_or(0, |lower| clamp(lower, 0, length));
        let stop = upper.map_or(length, |upper| clamp(upper, 0, length));
        Box::new((start..stop.max(start)).step_by(usize::try_from(step).unwrap_or(usize::MAX)))
    } else if step < 0 {
        let start = lower.map_or(length - 1, |lower| clamp(lower, -1, length - 1));
        let stop = upper.map_or(-1, |upper| clamp(upper, -1, length - 1));
        let stride = usize::try_from(step.unsigned_abs()).unwrap_or(usize::MAX);
        Box::new((stop + 1..start.max(stop) + 1).rev().step_by(stride))
    } else {
        Box::new(std::iter::empty())
    }
}

pub(crate) fn index_text(text: &str, index: &Value) -> Value {
    let characters: Vec<char> = text.chars().take(1 << 16).collect();
    match index {
        Value::Slice(bounds) => {
            let known = |value: &Value| match value {
                Value::None => Some(None),
                value => value.as_int().map(Some),
            };
            match (known(&bounds[0]), known(&bounds[1]), known(&bounds[2])) {
                (Some(lower), Some(upper), Some(step)) => {
                    let taken: String = slice_positions(characters.len() as i64, lower, upper, step.unwrap_or(1))
                        .filter_map(|position| characters.get(position as usize))
                        .collect();
                    Value::str(&taken)
                }
                _ => Value::Str(None),
            }
        }
        value => match value.as_int() {
            Some(position) => {
                let position = if position < 0 { position + characters.len() as i64 } else { position };
                let character = usize::try_from(position).ok().and_then(|position| characters.get(position));
                character.map_or(Value::Str(None), |character| Value::str(&character.to_string()))
            }
            None => Value::Str(None),
        },
    }
}

/// Whether a sequence of that length has no such position.
pub(crate) fn lies_outside(index: i64, length: usize) -> bool {
    let length = length as i64;
    index >= length || index < -length
}
