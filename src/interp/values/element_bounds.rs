//! Elements of tensors: between which bounds they lie, those of `argmax` below the size of the dimension, a remainder
//! below its divisor. What takes them as indices or classes is held to that.

use std::rc::Rc;

use crate::api::call_api::Bound;
use crate::state::interpreter::Interpreter;
use crate::values::tensor_elements::{Elements, Numbers};
use crate::values::value::{Tensor, Value};
use harp_python::name::Name;
use harp_shape::{DType, Dim};

/// Bounds of numbers, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    pub low: Dim,
    pub high: Dim,
    pub extent: Extent,
}

/// How much of a range numbers take up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Extent {
    /// They may stay within narrower bounds, on every run.
    Loose,
    /// Each bound may be among them, but not everywhere: columns with bounds of their own were put together.
    JoinedAny,
    /// Both bounds are among them, but not everywhere.
    JoinedReached,
    /// Each may be any of the range.
    Any,
    /// Both bounds are among them.
    Reached,
}

impl Extent {
    /// Whether both bounds are among the numbers.
    pub fn is_reached(self) -> bool {
        matches!(self, Extent::Reached | Extent::JoinedReached)
    }

    /// Of numbers that are put beside others with other bounds.
    fn joined(self) -> Extent {
        match self {
            Extent::Loose => Extent::Loose,
            Extent::JoinedReached | Extent::Reached => Extent::JoinedReached,
            Extent::JoinedAny | Extent::Any => Extent::JoinedAny,
        }
    }

    /// Of some of the numbers.
    fn in_part(self) -> Extent {
        match self {
            Extent::Any | Extent::Reached => Extent::Any,
            _ => Extent::Loose,
        }
    }
}

impl Range {
    fn new(low: Dim, high: Dim, extent: Extent) -> Range {
        Range { low, high, extent }
    }

    fn of(number: Dim) -> Range {
        Range::new(number, number, Extent::Reached)
    }

    fn up_to(count: Dim, extent: Extent) -> Range {
        Range::new(Dim::ZERO, count - Dim::ONE, extent)
    }

    fn is_single(self) -> bool {
        self.low == self.high
    }

    /// The range of numbers of which some lie in one and some in the other.
    fn with(self, other: Range) -> Range {
        if self.low == other.low && self.high == other.high {
            return Range { extent: self.extent.min(other.extent), ..self };
        }
        let extent = self.extent.joined().min(other.extent.joined());
        Range::new(self.low.min(other.low), self.high.max(other.high), extent)
    }

    /// The range of sums, or of what else grows with both. Sums of numbers that are not the same may depend on each other.
    fn moved(self, other: Range, combine: fn(Dim, Dim) -> Dim) -> Range {
        let is_plain = self.is_single() || other.is_single();
        let extent = if is_plain { self.extent.min(other.extent) } else { Extent::Loose };
        Range::new(combine(self.low, other.low), combine(self.high, other.high), extent)
    }

    fn negated(self) -> Range {
        Range::new(-self.high, -self.low, self.extent)
    }

    /// The same numbers where not all of them are looked at.
    pub(crate) fn in_part(self) -> Range {
        let extent = if self.is_single() { self.extent } else { self.extent.in_part() };
        Range { extent, ..self }
    }

    /// The same where the numbers themselves may decide which of them are looked at, as in `x[x < 3]`.
    fn chosen(self) -> Range {
        let extent = if self.is_single() { self.extent } else { Extent::Loose };
        Range { extent, ..self }
    }
}

/// Operations, by the last part of their names, that put the numbers into another shape, and no others into their place.
const RESHAPES: [&str; 40] = [
    "T",
    "as_tensor",
    "asarray",
    "ascontiguousarray",
    "broadcast_to",
    "clone",
    "contiguous",
    "copy",
    "cpu",
    "cuda",
    "detach",
    "expand",
    "expand_as",
    "expand_dims",
    "flatten",
    "flip",
    "from_numpy",
    "mT",
    "movedim",
    "numpy",
    "permute",
    "ravel",
    "repeat",
    "repeat_interleave",
    "reshape",
    "reshape_as",
    "roll",
    "squeeze",
    "squeeze_",
    "swapaxes",
    "t",
    "tile",
    "transpose",
    "unflatten",
    "unsqueeze",
    "unsqueeze_",
    "view",
    "view_as",
    "astype",
    "to",
];
/// The same with another type of elements.
const CONVERSIONS: [&str; 3] = ["astype", "int", "long"];
/// What stands for an argument that a call leaves out.
const ABSENT: &str = "argument not given";
/// Lists with more items are not looked through.
const MOST_ITEMS: usize = 4096;

impl Interpreter<'_> {
    /// The range of a tensor's numbers, or of a number.
    pub(crate) fn range_of(&self, value: &Value) -> Option<Range> {
        match self.read(value) {
            Value::Tensor(tensor) => self.range_of_tensor(&tensor),
            Value::Float(Some(number)) if number.fract() == 0.0 && number.abs() < 1e15 => {
                Some(Range::of(Dim::constant(number as i64)))
            }
            value => value.as_dim().map(|number| Range::of(self.solver.resolve(number))),
        }
    }

    pub(crate) fn range_of_tensor(&self, tensor: &Tensor) -> Option<Range> {
        if let Some(numbers) = tensor.numbers() {
            let least = numbers.iter().copied().reduce(f64::min)?;
            let most = numbers.iter().copied().reduce(f64::max)?;
            let is_whole = least.fract() == 0.0 && most.fract() == 0.0;
            let [low, high] = [least, most].map(|number| Dim::constant(number as i64));
            return is_whole.then_some(Range::new(low, high, Extent::JoinedReached));
        }
        let range = match tensor.elements.as_ref()?.drawn()? {
            Numbers::One(number) => Range::of(*number),
            Numbers::Within(low, high) => Range::new(*low, *high, Extent::Any),
            Numbers::Between(low, high, extent) => Range::new(*low, *high, *extent),
            // Part of what counts on is not all of it.
            Numbers::Counted(count) => Range::up_to(*count, Extent::JoinedReached),
            Numbers::Listed(_) | Numbers::Sizes(_) | Numbers::Diagonal { .. } => return None,
        };
        let [low, high] = [range.low, range.high].map(|bound| self.solver.resolve(bound));
        Some(Range::new(low, high, range.extent))
    }

    /// The result of an operation that leaves the numbers of its operand as they are, and shares its memory perhaps.
    pub(crate) fn with_numbers_of_operand(&mut self, name: &str, bound: &Bound, result: &Value) -> Option<Value> {
        let is_part = matches!(name, "__getitem__" | "select" | "narrow");
        let Value::Tensor(made) = result else { return None };
        if !(is_part || CONVERSIONS.contains(&name) || RESHAPES.contains(&name)) || self.inference.is_some() {
            return None;
        }
        let Value::Tensor(operand) = self.read(&bound.first()?.1) else { return None };
        let elements = operand.elements.as_ref()?;
        // `view` with a type reads the bytes anew.
        let keeps_type =
            made.dtype == operand.dtype || name != "view" && matches!(made.dtype, DType::Int64 | DType::Int32);
        let range = self.range_of_tensor(&operand).filter(|_| keeps_type)?;
        let is_whole = !is_part || name == "__getitem__" && self.takes_all(&bound.get(1)?.1);
        let is_chosen = name == "__getitem__" && bound.get(1).is_some_and(|(_, index)| self.chooses(index));
        // `repeat(x, counts)` may repeat some of them no times.
        let is_counted = matches!(name, "repeat" | "repeat_interleave")
            && bound.get(1).is_some_and(|(_, counts)| self.read(counts).as_dim().is_none());
        let range = match () {
            () if is_counted => range.chosen(),
            () if is_chosen => range.chosen(),
            () if !is_whole || self.may_be_empty(made) => range.in_part(),
            () => range,
        };
        let numbers = Numbers::Between(range.low, range.high, range.extent);
        Some(holding(made, elements.sharing(numbers)))
    }

    /// Whether an index is, or holds, numbers or a mask that may be made of the numbers that it chooses.
    pub(crate) fn chooses(&self, index: &Value) -> bool {
        match self.read(index) {
            Value::Tuple(items) => items.iter().any(|item| self.chooses(item)),
            Value::Slice(_) | Value::Int(_) | Value::None | Value::Ellipsis => false,
            _ => true,
        }
    }

    /// Whether an index leaves no element out: `x[None, :]`, `x[...]`.
    fn takes_all(&self, index: &Value) -> bool {
        match self.read(index) {
            Value::None | Value::Ellipsis => true,
            Value::Slice(bounds) => {
                bounds[..2].iter().all(|bound| self.read(bound).is_none()) && {
                    let step = self.read(&bounds[2]);
                    step.is_none() || step.as_int() == Some(1)
                }
            }
            Value::Tuple(items) => items.iter().all(|item| self.takes_all(item)),
            _ => false,
        }
    }

    /// The result of an operation with the range of its numbers, where nothing more is known of them.
    pub(crate) fn with_range(&mut self, api: Name, name: &str, bound: &Bound, result: Value) -> Value {
        let is_followed = self.inference.is_none()
            && (self.is_of_tensors(api) || self.is_of_arrays(api))
            && !api.as_str().contains(".modules.");
        if !is_followed {
            return result;
        }
        match &result {
            Value::Tensor(made) if made.elements.is_none() => match self.range_of_result(name, bound, made) {
                Some(range) => self.holding_range(made, range),
                None => result,
            },
            Value::Tuple(parts) if parts.len() == 2 => match self.ranges_of_parts(name, bound, &parts[1]) {
                Some([values, indices]) => {
                    let ranges = [values, indices];
                    let parts = parts.iter().zip(ranges).map(|(part, range)| match (part, range) {
                        (Value::Tensor(made), Some(range)) => self.holding_range(made, range),
                        _ => part.clone(),
                    });
                    Value::tuple(parts.collect())
                }
                None => result,
            },
            _ => result,
        }
    }

    fn holding_range(&self, made: &Rc<Tensor>, range: Range) -> Value {
        if made.elements.is_some() {
            return Value::Tensor(Rc::clone(made));
        }
        let range = if self.may_be_empty(made) { range.in_part() } else { range };
        holding(made, Elements::of(Numbers::Between(range.low, range.high, range.extent)))
    }

    /// Whether a tensor may have no elements, none of which reaches anything.
    pub(crate) fn may_be_empty(&self, tensor: &Tensor) -> bool {
        let dims = self.solver.resolve_shape(&tensor.shape).dims();
        !dims.is_some_and(|dims| dims.iter().all(|dim| self.solver.bounds(*dim).0.is_some_and(|least| least >= 1)))
    }

    fn is_surely_empty(&self, tensor: &Tensor) -> bool {
        let dims = self.solver.resolve_shape(&tensor.shape).dims();
        dims.is_some_and(|dims| dims.iter().any(|dim| dim.as_const() == Some(0)))
    }

    /// The ranges of values and indices, as `max` along a dimension, `sort` and `topk` give them.
    fn ranges_of_parts(&self, name: &str, bound: &Bound, indices: &Value) -> Option<[Option<Range>; 2]> {
        if !matches!(indices, Value::Tensor(_)) {
            return None;
        }
        let default = match name {
            "max" | "min" | "median" | "nanmedian" | "cummax" | "cummin" => None,
            "sort" | "topk" | "kthvalue" | "mode" => Some(-1),
            _ => return None,
        };
        let own = self.range_of(&bound.first()?.1);
        let size = self.places_along(bound, default)?;
        let (values, extent) = match name {
            // The first of what is sorted are the least.
            "sort" => (own.map(|own| Range { extent: own.extent.joined(), ..own }), Extent::Reached),
            _ => (own.map(Range::in_part), Extent::Any),
        };
        Some([values, Some(Range::up_to(size, extent))])
    }

    fn range_of_result(&self, name: &str, bound: &Bound, made: &Tensor) -> Option<Range> {
        let at = |place: usize| bound.get(place).map(|(_, value)| value);
        let given = |wanted: &[&str]| bound.iter().find(|(name, _)| wanted.contains(&name.as_str())).map(|(_, it)| it);
        let is_whole = |value: Option<&Value>| match value.map(|value| self.read(value)) {
            Some(Value::Tensor(tensor)) => tensor.dtype.is_integer(),
            Some(value) => value.as_dim().is_some(),
            None => false,
        };
        let is_given = |wanted: &str| {
            let value = given(&[wanted]).map(|value| self.read(value));
            value.is_some_and(|value| !matches!(value, Value::None | Value::Unknown(ABSENT)))
        };
        match name {
            "argmax" | "argmin" => Some(Range::up_to(self.places_along(bound, None)?, Extent::Any)),
            "argsort" => Some(Range::up_to(self.places_along(bound, Some(-1))?, Extent::Reached)),
            "bucketize" | "searchsorted" | "digitize" => self.range_of_places(name, bound),
            "multinomial" => {
                let weights = self.dims_at(bound, 0)?;
                Some(Range::up_to(*weights.last()?, Extent::Any))
            }
            "zeros" | "zeros_like" | "new_zeros" if !self.is_written_into(bound) => Some(Range::of(Dim::ZERO)),
            "ones" | "ones_like" | "new_ones" if !self.is_written_into(bound) => Some(Range::of(Dim::ONE)),
            "full" | "full_like" | "new_full" if !self.is_written_into(bound) => {
                self.range_of(given(&["fill_value"])?).filter(|_| holds_integers(made))
            }
            "tensor" | "as_tensor" | "array" | "asarray" if holds_integers(made) => {
                self.range_of_listed(given(&["data", "object", "a"])?)
            }
            "where" if is_whole(at(1)) && is_whole(at(2)) => {
                // What a condition chooses may be what it asks for.
                let [one, other] = [self.range_of(at(1)?)?, self.range_of(at(2)?)?];
                let both = one.chosen().with(other.chosen());
                Some(Range { extent: both.extent.min(Extent::JoinedAny), ..both })
            }
            "cat" | "concat" | "concatenate" | "stack" | "hstack" | "vstack" => self.range_of_joined(at(0)?),
            "clamp" | "clip" => self.range_of_clamped(bound),
            // The largest of all is one of them.
            "max" | "min" | "amax" | "amin" if !["other", "initial"].iter().any(|name| is_given(name)) => {
                Some(self.range_of(at(0)?)?.in_part())
            }
            "neg" | "negative" => Some(self.range_of(at(0)?)?.negated()),
            "index_select" | "gather" | "take" => Some(self.range_of(at(0)?)?.chosen()),
            _ => self.range_of_arithmetic(name, bound, made),
        }
    }

    fn range_of_arithmetic(&self, name: &str, bound: &Bound, made: &Tensor) -> Option<Range> {
        if !holds_integers(made)
            || bound.iter().any(|(name, value)| name.as_str() == "alpha" && value.as_int() != Some(1))
        {
            return None;
        }
        let (first, second) = (&bound.first()?.1, &bound.get(1)?.1);
        match name.trim_matches('_') {
            "add" | "radd" => Some(self.range_of(first)?.moved(self.range_of(second)?, |a, b| a + b)),
            "sub" | "subtract" => Some(self.range_of(first)?.moved(self.range_of(second)?.negated(), |a, b| a + b)),
            "mul" | "multiply" | "rmul" => {
                let (one, other) = (self.range_of(first)?, self.range_of(second)?);
                let (factor, range) = if other.is_single() { (other, one) } else { (one, other) };
                let factor = factor.low.as_const().filter(|_| factor.is_single())?;
                let scaled = |dim: Dim| dim * Dim::constant(factor);
                let (low, high) = (scaled(range.low), scaled(range.high));
                let (low, high) = if factor < 0 { (high, low) } else { (low, high) };
                // Of every second number not each is there.
                Some(Range::new(low, high, range.extent))
            }
            "remainder" | "mod" => {
                let divisor = self.range_of(second).filter(|divisor| divisor.is_single())?.low;
                if self.solver.bounds(divisor).0.is_none_or(|least| least < 1) {
                    return None;
                }
                let rest = Range::up_to(divisor, Extent::Any);
                let own = self.range_of(first);
                let is_within = |range: &Range| match (range.low.as_const(), range.high.as_const(), divisor.as_const())
                {
                    (Some(low), Some(high), Some(divisor)) => low >= 0 && high < divisor,
                    _ => false,
                };
                match own.filter(is_within) {
                    Some(range) => Some(range),
                    None => Some(self.range_of_rests(own, divisor).unwrap_or(rest)),
                }
            }
            "floor_divide" | "floordiv" => {
                let (range, divisor) = (self.range_of(first)?, self.range_of(second).filter(|it| it.is_single())?.low);
                let divisor = divisor.as_const().filter(|divisor| *divisor > 0).map(Dim::constant)?;
                Some(Range::new(range.low.floor_div(divisor), range.high.floor_div(divisor), range.extent))
            }
            _ => None,
        }
    }

    /// The remainders of numbers within bounds that do not tell which of them are there.
    fn range_of_rests(&self, own: Option<Range>, divisor: Dim) -> Option<Range> {
        // A range that is smaller than the divisor may miss the largest remainder.
        let own = own?;
        let (low, high, divisor) = (own.low.as_const()?, own.high.as_const()?, divisor.as_const()?);
        let is_wide = high.checked_sub(low)? >= divisor - 1;
        (!is_wide).then(|| Range::up_to(Dim::constant(divisor), Extent::Loose))
    }

    /// How many places there are between and around boundaries.
    fn range_of_places(&self, name: &str, bound: &Bound) -> Option<Range> {
        let wanted: &[&str] = if name == "searchsorted" { &["sorted_sequence", "a"] } else { &["boundaries", "bins"] };
        let (_, boundaries) = bound.iter().find(|(name, _)| wanted.contains(&name.as_str()))?;
        let Value::Tensor(boundaries) = self.read(boundaries) else { return None };
        let dims = self.solver.resolve_shape(&boundaries.shape).dims()?;
        // Whether anything lies beyond the last boundary says the data.
        Some(Range::new(Dim::ZERO, *dims.last()?, Extent::Loose))
    }

    /// The range of nested lists of numbers.
    pub(crate) fn range_of_listed(&self, value: &Value) -> Option<Range> {
        let mut waiting = vec![self.read(value)];
        let (mut found, mut seen): (Option<Range>, usize) = (None, 0);
        while let Some(value) = waiting.pop() {
            seen += 1;
            if seen > MOST_ITEMS {
                return None;
            }
            let items = match &value {
                Value::List(id) => self.heap.list(*id).filter(|data| data.rest.is_none())?.items.clone(),
                Value::Tuple(items) => items.to_vec(),
                value => {
                    let number = value.as_dim().map(|number| Range::of(self.solver.resolve(number)))?;
                    number.low.as_const()?;
                    found = Some(found.map_or(number, |range| range.with(number)));
                    continue;
                }
            };
            waiting.extend(items.iter().map(|item| self.read(item)));
        }
        found
    }

    fn range_of_joined(&self, tensors: &Value) -> Option<Range> {
        let items = match self.read(tensors) {
            Value::List(id) => self.heap.list(id).filter(|data| data.rest.is_none())?.items.clone(),
            Value::Tuple(items) => items.to_vec(),
            _ => return None,
        };
        let mut joined: Option<Range> = None;
        for item in items.iter().take(MOST_ITEMS).map(|item| self.read(item)) {
            let range = match &item {
                // A part without elements adds none, and one that may have none may not.
                Value::Tensor(part) if self.is_surely_empty(part) => continue,
                Value::Tensor(part) if self.may_be_empty(part) => {
                    Range { extent: Extent::Loose, ..self.range_of_tensor(part)? }
                }
                item => self.range_of(item)?,
            };
            joined = Some(joined.map_or(range, |joined| joined.with(range)));
        }
        joined
    }

    /// `clamp(input, min, max)`: numbers outside go to the bounds.
    fn range_of_clamped(&self, bound: &Bound) -> Option<Range> {
        let given = |wanted: &[&str]| {
            let found = bound.iter().find(|(name, _)| wanted.contains(&name.as_str()));
            found.map(|(_, value)| self.read(value)).filter(|value| !value.is_none() && !value.is_unknown())
        };
        let number = |value: Value| value.as_int().map(Dim::constant);
        let least = given(&["min", "a_min"]).map(number);
        let most = given(&["max", "a_max"]).map(number);
        let own = self.range_of(&bound.first()?.1);
        match (least, most, own) {
            (Some(least), Some(most), None) => Some(Range::new(least?, most?, Extent::Any)),
            (least, most, Some(own)) => {
                let clamped = |bound: Dim| {
                    let bound = match least {
                        Some(least) => bound.max(least?),
                        None => bound,
                    };
                    Some(match most {
                        Some(most) => bound.min(most?),
                        None => bound,
                    })
                };
                Some(Range::new(clamped(own.low)?, clamped(own.high)?, own.extent))
            }
            _ => None,
        }
    }

    /// How many places there are along the dimension that is named, or in all where none is and there is no default.
    fn places_along(&self, bound: &Bound, default: Option<i64>) -> Option<Dim> {
        let dims = self.dims_at(bound, 0)?;
        let named = bound.iter().find(|(name, _)| matches!(name.as_str(), "dim" | "axis")).map(|(_, it)| self.read(it));
        let place = match named {
            None | Some(Value::None) if default.is_none() => {
                return Some(dims.into_iter().fold(Dim::ONE, |product, dim| product * dim));
            }
            None => default?,
            Some(place) => place.as_int()?,
        };
        let rank = i64::try_from(dims.len()).ok()?;
        let place = usize::try_from(if place < 0 { place + rank } else { place }).ok()?;
        dims.get(place).copied()
    }

    fn dims_at(&self, bound: &Bound, place: usize) -> Option<Vec<Dim>> {
        let Value::Tensor(tensor) = self.read(&bound.get(place)?.1) else { return None };
        self.solver.resolve_shape(&tensor.shape).dims()
    }

    /// Whether a result is written into a tensor that is there already.
    fn is_written_into(&self, bound: &Bound) -> bool {
        bound.iter().any(|(name, value)| name.as_str() == "out" && !self.read(value).is_none())
    }
}

/// Whether a tensor has integers that do not wrap around for what programs compute with indices.
fn holds_integers(tensor: &Tensor) -> bool {
    matches!(tensor.dtype, DType::Int64 | DType::Int32)
}

fn holding(tensor: &Tensor, elements: Rc<Elements>) -> Value {
    Value::Tensor(Rc::new(Tensor { elements: Some(elements), ..Tensor::clone(tensor) }))
}
