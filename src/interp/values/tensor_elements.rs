//! Elements of tensors: the numbers in small ones, where the program says them, as architectures compute widths, depths
//! and rates with tensors and turn them into lists of integers.
//!
//! Numbers are followed outside of loops only, where a tensor's number of executions cannot be taken for one. What may change a tensor in place,
//! or share its memory, makes its numbers unknown everywhere.

use std::cell::Cell;
use std::rc::Rc;

use rustc_hash::FxHashSet;

use crate::api::call_api::Bound;
use crate::state::interpreter::Interpreter;
use crate::values::element_bounds::Extent;
use crate::values::size_fractions::whole_float;
use crate::values::value::{Tensor, Value};
use harp_annotations::{ApiSpec, Effects};
use harp_python::name::Name;
use harp_shape::{DType, Dim, Shape};

/// Larger tensors are not followed.
const MOST: usize = 4096;
/// Integers beyond this are not exact as floats.
const LARGEST: f64 = 9e15;

/// What is known of the numbers in a tensor.
#[derive(Debug)]
pub enum Numbers {
    /// All of them, of a tensor of one dimension or none.
    Listed(Vec<f64>),
    /// Each is at least the first and at most the second.
    Within(Dim, Dim),
    /// The same, with how much of these bounds they take up.
    Between(Dim, Dim, Extent),
    /// The only one.
    One(Dim),
    /// All from 0 on, so many.
    Counted(Dim),
    /// Each of them, of which not all are known numbers.
    Sizes(Vec<Dim>),
    /// Ones on the diagonal of a square and zeros elsewhere, or the other way round.
    Diagonal { is_chosen: bool },
}

/// The numbers of a tensor.
#[derive(Debug)]
pub struct Elements {
    values: Numbers,
    is_scalar: bool,
    /// Whether something may have written to the tensor, or to one that shares its memory: parts of a tensor share this, too.
    changed: Rc<Cell<bool>>,
}

impl Elements {
    fn new(values: Vec<f64>, is_scalar: bool) -> Option<Rc<Elements>> {
        let fits = values.len() <= MOST && values.iter().all(|value| value.is_finite() && value.abs() < LARGEST);
        fits.then(|| Rc::new(Elements { values: Numbers::Listed(values), is_scalar, changed: Rc::default() }))
    }

    /// Known whole numbers, in a row or one alone.
    pub fn listed(values: &[i64], is_scalar: bool) -> Option<Rc<Elements>> {
        Elements::new(values.iter().map(|value| *value as f64).collect(), is_scalar)
    }

    /// The only number of a tensor without axes.
    pub fn alone(value: f64) -> Option<Rc<Elements>> {
        Elements::new(vec![value], true)
    }

    pub fn of(values: Numbers) -> Rc<Elements> {
        Rc::new(Elements { values, is_scalar: false, changed: Rc::default() })
    }

    /// The numbers of a tensor that shares this one's memory, or may do so.
    pub fn sharing(&self, values: Numbers) -> Rc<Elements> {
        Rc::new(Elements { values, is_scalar: false, changed: Rc::clone(&self.changed) })
    }

    /// What is known of numbers that were drawn, and are the same still.
    pub fn drawn(&self) -> Option<&Numbers> {
        (!self.changed.get() && !matches!(self.values, Numbers::Listed(_))).then_some(&self.values)
    }
}

impl Tensor {
    /// Its numbers, where they are known and it is the tensor that they were computed for.
    pub fn numbers(&self) -> Option<&[f64]> {
        let elements = self.elements.as_ref().filter(|elements| !elements.changed.get())?;
        let Numbers::Listed(values) = &elements.values else { return None };
        let dims = self.shape.dims()?;
        let fits = match dims[..] {
            [] => elements.is_scalar,
            [length] => !elements.is_scalar && length.as_const() == i64::try_from(values.len()).ok(),
            _ => false,
        };
        fits.then_some(values.as_slice())
    }

    /// Whether two tensors have the same numbers, or nothing is known of either's.
    pub fn has_elements_of(&self, other: &Tensor) -> bool {
        match (&self.elements, &other.elements) {
            (None, None) => true,
            (Some(a), Some(b)) => Rc::ptr_eq(a, b),
            _ => false,
        }
    }

    /// What holds of the numbers of either of two tensors, where both were drawn between the same bounds or count as far.
    pub fn elements_of_both(&self, other: &Tensor) -> Option<Rc<Elements>> {
        let (own, others) = (self.elements.as_ref()?, other.elements.as_ref()?);
        let is_alike = match (own.drawn()?, others.drawn()?) {
            (Numbers::Within(low, high), Numbers::Within(least, most)) => (low, high) == (least, most),
            (Numbers::Between(low, high, extent), Numbers::Between(least, most, other)) => {
                (low, high, extent) == (least, most, other)
            }
            (Numbers::Counted(count), Numbers::Counted(most)) => count == most,
            _ => false,
        };
        is_alike.then(|| Rc::clone(own))
    }
}

/// A number of the type that a list of a tensor's elements has.
fn item(value: f64, dtype: DType) -> Value {
    if dtype.is_integer() { Value::int(value as i64) } else { Value::Float(Some(value)) }
}

/// An argument as numbers.
struct Operand {
    values: Vec<f64>,
    is_scalar: bool,
    is_tensor: bool,
}

impl Interpreter<'_> {
    /// Forgets the numbers of tensors among values that something not understood gets.
    pub fn forget_elements<'v>(&self, values: impl IntoIterator<Item = &'v Value>) {
        let mut waiting: Vec<Value> = values.into_iter().cloned().collect();
        let (mut seen, mut seen_lists) = (FxHashSet::default(), FxHashSet::default());
        while let Some(value) = waiting.pop() {
            match self.read(&value) {
                Value::Tensor(tensor) => {
                    if let Some(elements) = &tensor.elements {
                        elements.changed.set(true);
                    }
                }
                Value::Tuple(items) if seen.insert(items.as_ptr() as usize) => waiting.extend(items.iter().cloned()),
                Value::List(id) if seen_lists.insert(id) => {
                    let items = self.heap.list(id).map_or(&[][..], |data| &data.items);
                    if items.len() <= MOST {
                        waiting.extend(items.iter().cloned());
                    }
                }
                _ => {}
            }
        }
    }

    /// The result of an operation with its numbers, where they can be told.
    pub(crate) fn with_elements(&mut self, spec: &ApiSpec, api: Name, bound: &Bound, result: Value) -> Value {
        let name = api.as_str().rsplit('.').next().unwrap_or_default();
        let is_known_library = self.is_of_tensors(api) || self.is_of_arrays(api);
        let reads_only = matches!(name, "item" | "tolist" | "unique" | "__len__" | "size" | "numel" | "dim");
        let followed = self.with_drawn(name, bound, &result);
        let followed = followed.or_else(|| self.with_listed_sizes(name, bound, &result));
        // `out=` and methods that end in `_` write what is there.
        self.forget_elements(bound.iter().filter(|(name, _)| name.as_str() == "out").map(|(_, value)| value));
        if let Some(value) = followed.or_else(|| self.with_diagonal(name, bound, &result)) {
            if name.ends_with('_') && !name.starts_with('_') {
                self.forget_elements(bound.first().map(|(_, value)| value));
            }
            return value;
        }
        if name == "__getitem__"
            && is_known_library
            && self.loops.stack.is_empty()
            && let Some(part) = self.part_of_numbers(bound, &result)
        {
            return part;
        }
        // Outside of loops known numbers are computed below.
        let is_computed = || self.loops.stack.is_empty() && self.computed(name, bound).is_some();
        if is_known_library
            && !is_computed()
            && let Some(same) = self.with_numbers_of_operand(name, bound, &result)
        {
            return same;
        }
        let is_pure = spec.effects.is_pure() && !spec.effects.has(Effects::VIEWS);
        if !(is_pure || reads_only) {
            // An index is only read.
            let written = if name == "__getitem__" { &bound[..bound.len().min(1)] } else { &bound[..] };
            self.forget_elements(written.iter().map(|(_, value)| value));
            return result;
        }
        // How many there are does not change, however often it runs.
        let is_in_loop = !self.loops.stack.is_empty();
        if is_known_library && is_in_loop && name == "tolist" && !matches!(result, Value::List(_)) {
            return self.as_unknown_numbers(bound).unwrap_or(result);
        }
        // Plain numbers do not change, however often it runs.
        let is_of_numbers = || bound.iter().all(|(_, value)| !matches!(self.read(value), Value::Tensor(_)));
        if !is_known_library {
            return result;
        }
        if !(self.loops.stack.is_empty() || is_of_numbers()) {
            return self.with_range(api, name, bound, result);
        }
        let value = match (name, &result) {
            ("tolist" | "item", _) => self.as_numbers(name, bound).unwrap_or(result),
            ("unique", _) => self.unique(bound, &result).unwrap_or(result),
            (_, Value::Tensor(tensor)) => {
                let tensor = Rc::clone(tensor);
                let dtype = self.dtype_of_number(name, bound, tensor.dtype);
                let computed = self.computed(name, bound).and_then(|operand| rounded(operand, dtype));
                let is_told = self.is_surely_float(name, bound);
                match computed {
                    Some(elements) => {
                        Value::Tensor(Rc::new(Tensor { elements: Some(elements), dtype, ..Tensor::clone(&tensor) }))
                    }
                    None if is_told => Value::Tensor(Rc::new(Tensor { dtype, ..Tensor::clone(&tensor) })),
                    None => result,
                }
            }
            _ => result,
        };
        self.with_range(api, name, bound, value)
    }

    /// `numbers[2]` and `numbers[1:]` of a tensor of known numbers, whose memory they share.
    fn part_of_numbers(&self, bound: &Bound, result: &Value) -> Option<Value> {
        let Value::Tensor(made) = result else { return None };
        let Value::Tensor(tensor) = self.read(&bound.first()?.1) else { return None };
        let numbers = tensor.numbers().filter(|_| tensor.shape.dims().is_some_and(|dims| dims.len() == 1))?;
        let part = self.part_of_row(numbers.len(), &bound.get(1)?.1)?;
        let (values, is_scalar) = (part.of(numbers)?, part.is_scalar);
        let changed = Rc::clone(&tensor.elements.as_ref()?.changed);
        let elements = Rc::new(Elements { values: Numbers::Listed(values), is_scalar, changed });
        Some(Value::Tensor(Rc::new(Tensor { elements: Some(elements), ..Tensor::clone(made) })))
    }

    /// `tensor.tolist()` and `tensor.item()`. Of numbers that are not known a list has as many.
    fn as_numbers(&mut self, name: &str, bound: &Bound) -> Option<Value> {
        let Value::Tensor(tensor) = self.read(&bound.first()?.1) else { return None };
        if let Some(numbers) = tensor.numbers() {
            let items: Vec<Value> = numbers.iter().map(|value| item(*value, tensor.dtype)).collect();
            if name == "item" || tensor.shape.dims()?.is_empty() {
                return items.into_iter().next();
            }
            return Some(Value::List(self.heap.allocate_list(items)));
        }
        match (name, tensor.elements.as_ref().and_then(|elements| elements.drawn())) {
            ("item", Some(Numbers::One(number))) if tensor.dtype.is_integer() => Some(Value::Int(*number)),
            ("item", Some(Numbers::One(number))) if tensor.dtype.is_floating() => Some(whole_float(*number)),
            ("item", _) => None,
            _ => self.as_unknown_numbers(bound),
        }
    }

    /// As many numbers as a tensor has, which may be any.
    fn as_unknown_numbers(&mut self, bound: &Bound) -> Option<Value> {
        let Value::Tensor(tensor) = self.read(&bound.first()?.1) else { return None };
        if !(tensor.dtype.is_integer() || tensor.dtype.is_floating()) {
            return None;
        }
        let dims: Option<Vec<usize>> = self.solver.resolve_shape(&tensor.shape).dims()?.iter().map(length).collect();
        let dims = dims.filter(|dims| !dims.is_empty() && dims.iter().product::<usize>() <= MOST)?;
        Some(self.nested(&dims, tensor.dtype))
    }

    fn nested(&mut self, dims: &[usize], dtype: DType) -> Value {
        let Some((first, rest)) = dims.split_first() else {
            return if dtype.is_integer() { self.any_integer("item") } else { Value::Float(None) };
        };
        let items = (0..*first).map(|_| self.nested(rest, dtype)).collect();
        Value::List(self.heap.allocate_list(items))
    }

    /// `torch.unique(tensor)`: sorted, each once; with where each number went, and how often each occurs, where that is asked for.
    fn unique(&mut self, bound: &Bound, result: &Value) -> Option<Value> {
        let Value::Tensor(tensor) = self.read(&bound.first()?.1) else { return None };
        let is_plain = |name: &str, value: &Value| match name {
            "sorted" | "return_inverse" | "return_counts" => matches!(value, Value::Bool(_)),
            _ => is_left_out(value),
        };
        if !bound[1..].iter().all(|(name, value)| is_plain(name.as_str(), value)) {
            return None;
        }
        let numbers = tensor.numbers()?;
        let mut values = numbers.to_vec();
        values.sort_by(f64::total_cmp);
        values.dedup();
        let place = |number: &f64| values.iter().position(|value| value == number).map_or(0.0, |place| place as f64);
        let count = |value: &f64| numbers.iter().filter(|number| *number == value).count() as f64;
        let asked = |option: &str| {
            bound.iter().any(|(name, value)| name.as_str() == option && matches!(value, Value::Bool(true)))
        };
        let inverse = asked("return_inverse").then(|| numbers.iter().map(place).collect());
        let counts = asked("return_counts").then(|| values.iter().map(count).collect());
        let parts: Vec<Vec<f64>> = [Some(values.clone()), inverse, counts].into_iter().flatten().collect();
        let with_numbers = |part: &Value, numbers: Vec<f64>| {
            let Value::Tensor(tensor) = part else { return None };
            let shape = Shape::known(vec![Dim::constant(i64::try_from(numbers.len()).ok()?)]);
            let elements = Elements::new(numbers, false);
            Some(Value::Tensor(Rc::new(Tensor { shape, elements, ..Tensor::clone(tensor) })))
        };
        match result {
            Value::Tuple(items) if items.len() == parts.len() => {
                let items: Option<Vec<Value>> =
                    items.iter().zip(parts).map(|(item, numbers)| with_numbers(item, numbers)).collect();
                items.map(Value::tuple)
            }
            part => with_numbers(part, parts.into_iter().next()?),
        }
    }

    /// The type of what NumPy makes of one of Python's numbers, where its description leaves it open.
    fn dtype_of_number(&self, name: &str, bound: &Bound, described: DType) -> DType {
        if described != DType::Unknown || unary(name).is_none() {
            return described;
        }
        match bound.first().map(|(_, value)| self.read(value)) {
            Some(Value::Float(_) | Value::Ratio(_)) => DType::Float64,
            Some(Value::Int(_)) if matches!(name, "log" | "log2" | "log10" | "exp" | "sqrt") => DType::Float64,
            Some(Value::Int(_)) => DType::Int64,
            _ => described,
        }
    }

    /// Whether such a function of a number of Python's that is not known gives a float, whatever its version.
    fn is_surely_float(&self, name: &str, bound: &Bound) -> bool {
        let number = bound.first().map(|(_, value)| self.read(value));
        unary(name).is_some()
            && match number {
                Some(Value::Float(_) | Value::Ratio(_)) => true,
                Some(Value::Int(_)) => matches!(name, "log" | "log2" | "log10" | "exp" | "sqrt"),
                _ => false,
            }
    }

    fn operand(&self, value: &Value) -> Option<Operand> {
        Some(match self.read(value) {
            Value::Tensor(tensor) => {
                let values = tensor.numbers()?.to_vec();
                Operand { values, is_scalar: tensor.shape.dims()?.is_empty(), is_tensor: true }
            }
            value => Operand { values: vec![number(&value)?], is_scalar: true, is_tensor: false },
        })
    }

    /// The numbers of a list of numbers.
    fn listed(&self, value: &Value) -> Option<Operand> {
        let items = match self.read(value) {
            Value::List(id) => self.heap.list(id).filter(|data| data.rest.is_none())?.items.clone(),
            Value::Tuple(items) => items.to_vec(),
            value => return Some(Operand { values: vec![number(&value)?], is_scalar: true, is_tensor: false }),
        };
        let values: Option<Vec<f64>> = items.iter().take(MOST + 1).map(|item| number(&self.read(item))).collect();
        Some(Operand { values: values?, is_scalar: false, is_tensor: false })
    }

    /// The numbers that an operation gives, before they are rounded to its type.
    fn computed(&self, name: &str, bound: &Bound) -> Option<Operand> {
        let argument = |wanted: &[&str]| bound.iter().find(|(name, _)| wanted.contains(&name.as_str())).map(|(_, v)| v);
        match name {
            "tensor" | "as_tensor" | "array" | "asarray" => {
                return self.listed(argument(&["data", "object", "a", "input"])?);
            }
            "arange" => return arange(&bound.iter().map(|(_, value)| self.read(value)).collect::<Vec<_>>()),
            "linspace" => {
                let read = |wanted: &[&str]| number(&self.read(argument(wanted)?));
                let (start, end) = (read(&["start"])?, read(&["end", "stop"])?);
                let count = read(&["steps", "num"])? as usize;
                let others_left_out = bound.iter().skip(3).all(|(_, value)| {
                    is_left_out(value)
                        || matches!(value, Value::Bool(_) | Value::DType(_) | Value::Str(_) | Value::Int(_))
                });
                let keeps_end = !matches!(argument(&["endpoint"]), Some(Value::Bool(false)));
                let fits = (1..=MOST).contains(&count) && others_left_out && keeps_end;
                let step = if count > 1 { (end - start) / (count - 1) as f64 } else { 0.0 };
                let values = (0..count.min(MOST)).map(|index| start + step * index as f64).collect();
                return fits.then_some(Operand { values, is_scalar: false, is_tensor: false });
            }
            _ => {}
        }
        let first = self.operand(&bound.first()?.1)?;
        if let Some(function) = unary(name) {
            let plain = bound[1..].iter().all(|(name, value)| is_left_out(value) || is_option(name.as_str(), value));
            let values = first.values.iter().map(|value| function(*value)).collect();
            return plain.then_some(Operand { values, ..first });
        }
        if let Some(function) = binary(name) {
            let second = self.operand(&bound.get(1)?.1)?;
            let plain = bound[2..].iter().all(|(name, value)| is_left_out(value) || is_option(name.as_str(), value));
            return combined(&first, &second, function).filter(|_| plain);
        }
        // Of one dimension, or none, it is the same along which dimension the numbers are taken together.
        let plain = bound[1..].iter().all(|(name, value)| match name.as_str() {
            "axis" | "dim" | "keepdims" | "keepdim" | "dtype" | "out" => true,
            "initial" => matches!(value, Value::Ellipsis | Value::Unknown(_) | Value::None),
            name => is_left_out(value) || is_option(name, value),
        });
        let whole = |value: f64| Operand { values: vec![value], is_scalar: true, is_tensor: true };
        match name {
            "max" | "amax" if plain => first.values.iter().copied().reduce(f64::max).map(whole),
            "min" | "amin" if plain => first.values.iter().copied().reduce(f64::min).map(whole),
            "sum" if plain => Some(whole(first.values.iter().sum())),
            "prod" if plain => Some(whole(first.values.iter().product())),
            "diff" if is_first_difference(bound) => {
                let values = first.values.windows(2).map(|pair| pair[1] - pair[0]).collect();
                Some(Operand { values, ..first })
            }
            "flip" if !first.is_scalar => {
                Some(Operand { values: first.values.iter().rev().copied().collect(), ..first })
            }
            "cumsum" if !first.is_scalar => {
                let mut total = 0.0;
                let values = first.values.iter().map(|value| {
                    total += value;
                    total
                });
                Some(Operand { values: values.collect(), ..first })
            }
            _ => None,
        }
    }
}

/// `diff(tensor)` with its defaults.
fn is_first_difference(bound: &Bound) -> bool {
    bound[1..].iter().all(|(name, value)| match name.as_str() {
        "n" => value.as_int() == Some(1),
        "dim" | "axis" => matches!(value.as_int(), Some(-1 | 0)),
        _ => is_left_out(value),
    })
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Float(value) => *value,
        value => value.as_int().map(|value| value as f64),
    }
}

fn length(dim: &Dim) -> Option<usize> {
    dim.as_const().and_then(|dim| usize::try_from(dim).ok())
}

fn is_left_out(value: &Value) -> bool {
    matches!(value, Value::None | Value::Bool(false) | Value::Unknown("argument not given"))
}

/// Further arguments that change no number here.
fn is_option(name: &str, value: &Value) -> bool {
    match name {
        "alpha" => value.as_int() == Some(1),
        "decimals" => value.as_int() == Some(0),
        "where" | "subok" => matches!(value, Value::Bool(true)),
        "dtype" | "device" | "copy" | "memory_format" | "non_blocking" | "casting" | "order" => true,
        _ => false,
    }
}

/// `arange(end)`, `arange(start, end)`, `arange(start, end, step)`.
fn arange(arguments: &[Value]) -> Option<Operand> {
    // The first three are the bounds, in the form in which they were given: as one sequence, or by parameter.
    let given: Vec<f64> = arguments.iter().take(3).filter(|value| !is_left_out(value)).map_while(number).collect();
    let (start, end, step) = match (given[..].len(), arguments.get(1)) {
        (1, _) => (0.0, given[0], 1.0),
        (2, Some(second)) if is_left_out(second) => (0.0, given[0], given[1]),
        (2, _) => (given[0], given[1], 1.0),
        (3, _) => (given[0], given[1], given[2]),
        _ => return None,
    };
    let count = ((end - start) / step).ceil();
    if step == 0.0 || !(0.0..=MOST as f64).contains(&count) {
        return None;
    }
    let values = (0..count as usize).map(|index| start + step * index as f64).collect();
    Some(Operand { values, is_scalar: false, is_tensor: false })
}

fn unary(name: &str) -> Option<fn(f64) -> f64> {
    Some(match name {
        "log" => f64::ln,
        "log2" => f64::log2,
        "log10" => f64::log10,
        "exp" => f64::exp,
        "sqrt" => f64::sqrt,
        "abs" | "absolute" => f64::abs,
        "neg" | "negative" => |value| -value,
        "round" | "around" | "rint" => f64::round_ties_even,
        "floor" => f64::floor,
        "ceil" => f64::ceil,
        "trunc" | "fix" => f64::trunc,
        "int" | "long" | "float" | "double" | "clone" | "detach" | "astype" | "cpu" | "cuda" | "contiguous" => {
            |value| value
        }
        _ => return None,
    })
}

fn binary(name: &str) -> Option<fn(f64, f64) -> f64> {
    let plain = name.trim_matches('_');
    Some(match plain {
        "add" => |a, b| a + b,
        "sub" | "subtract" => |a, b| a - b,
        "mul" | "multiply" => |a, b| a * b,
        "div" | "divide" | "true_divide" | "truediv" => |a, b| a / b,
        "floor_divide" | "floordiv" => |a, b| (a / b).floor(),
        "pow" | "power" => f64::powf,
        "maximum" => f64::max,
        "minimum" => f64::min,
        _ => return None,
    })
}

/// Element by element; a number goes with every element.
fn combined(left: &Operand, right: &Operand, function: fn(f64, f64) -> f64) -> Option<Operand> {
    if !(left.is_tensor || right.is_tensor) {
        return None;
    }
    let count = left.values.len().max(right.values.len());
    let fits = |operand: &Operand| operand.is_scalar || operand.values.len() == count;
    let at = |operand: &Operand, index: usize| operand.values[if operand.is_scalar { 0 } else { index }];
    let values = || (0..count).map(|index| function(at(left, index), at(right, index))).collect();
    (fits(left) && fits(right) && count <= MOST).then(|| Operand {
        values: values(),
        is_scalar: left.is_scalar && right.is_scalar,
        is_tensor: true,
    })
}

/// The numbers as elements of this type have them.
fn rounded(operand: Operand, dtype: DType) -> Option<Rc<Elements>> {
    let to_type = |value: f64| match dtype {
        DType::Float32 => f64::from(value as f32),
        DType::Float64 => value,
        dtype if dtype.is_integer() => value.trunc(),
        _ => f64::NAN,
    };
    Elements::new(operand.values.into_iter().map(to_type).collect(), operand.is_scalar)
}
