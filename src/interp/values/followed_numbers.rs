//! Elements of tensors: the whole numbers in small ones, where entries say how they follow (`numbers: concat`), as a
//! library computes shapes with tensors of sizes.

use std::rc::Rc;

use crate::api::call_api::Bound;
use crate::state::interpreter::Interpreter;
use crate::values::tensor_elements::{Elements, Numbers};
use crate::values::tensors_of_sizes::extreme;
use crate::values::value::{Tensor, Value};
use harp_annotations::{ApiSpec, Behaviour};
use harp_limits::light_tick;
use harp_operations::operation::Argument;
use harp_python::name::Name;
use harp_shape::{Dim, Shape};

/// Longer rows are not followed.
const MOST: usize = 256;
/// Deeper lists hold no row of numbers.
const DEEPEST: usize = 4;
/// Parameters that take sizes, counts and axes.
const SIZES: [&str; 12] =
    ["axis", "dim", "dims", "end", "newshape", "output_size", "repeats", "reps", "shape", "size", "sizes", "start"];

/// Numbers in a row, or one alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub numbers: Vec<Dim>,
    pub is_scalar: bool,
}

impl Row {
    fn one(number: Dim) -> Row {
        Row { numbers: vec![number], is_scalar: true }
    }

    fn alone(&self) -> Option<Dim> {
        self.numbers.first().copied().filter(|_| self.is_scalar)
    }

    /// As an argument of an operation.
    fn argument(&self) -> Argument {
        match self.alone() {
            Some(number) => Argument::Integer(number),
            None => Argument::Sequence(self.numbers.iter().map(|number| Argument::Integer(*number)).collect()),
        }
    }
}

impl Interpreter<'_> {
    /// The whole numbers that a value holds: a number, a tensor of them with at most one axis, or a list of numbers.
    pub fn numbers_in(&self, value: &Value) -> Option<Row> {
        self.row_within(value, 0)
    }

    fn row_within(&self, value: &Value, depth: usize) -> Option<Row> {
        light_tick();
        if depth > DEEPEST {
            return None;
        }
        let value = self.read(value);
        let items = match &value {
            Value::Int(number) => return Some(Row::one(self.solver.resolve(*number))),
            Value::Tensor(tensor) => return self.numbers_of_tensor(tensor),
            Value::Size(shape) => {
                return Some(Row { numbers: self.solver.resolve_shape(shape).dims()?, is_scalar: false });
            }
            Value::Tuple(items) => items.to_vec(),
            Value::List(id) => self.heap.list(*id).filter(|data| data.rest.is_none())?.items.clone(),
            Value::Instance(_) => return self.row_within(&self.plain_of(&value)?, depth + 1),
            _ => return None,
        };
        if items.len() > MOST {
            return None;
        }
        let number = |item: &Value| self.row_within(item, depth + 1)?.alone();
        Some(Row { numbers: items.iter().map(number).collect::<Option<_>>()?, is_scalar: false })
    }

    fn numbers_of_tensor(&self, tensor: &Tensor) -> Option<Row> {
        let dims = self.solver.resolve_shape(&tensor.shape).dims()?;
        if !tensor.dtype.is_integer() || dims.len() > 1 {
            return None;
        }
        if let Some(numbers) = tensor.numbers() {
            let numbers = numbers.iter().map(|number| Dim::constant(*number as i64)).collect();
            return Some(Row { numbers, is_scalar: dims.is_empty() });
        }
        match tensor.elements.as_ref()?.drawn()? {
            Numbers::One(number) if dims.is_empty() => Some(Row::one(self.solver.resolve(*number))),
            Numbers::Between(low, high, _) if dims.is_empty() && low == high => {
                Some(Row::one(self.solver.resolve(*low)))
            }
            Numbers::Sizes(sizes) if dims.len() == 1 => {
                Some(Row { numbers: sizes.iter().map(|size| self.solver.resolve(*size)).collect(), is_scalar: false })
            }
            _ => None,
        }
    }

    /// A tensor with these numbers in it, where it has as many.
    pub fn with_numbers_in(&self, value: &Value, row: &Row) -> Value {
        let Value::Tensor(tensor) = value else { return value.clone() };
        let count = i64::try_from(row.numbers.len()).ok().map(Dim::constant);
        let fits = match self.solver.resolve_shape(&tensor.shape).dims().as_deref() {
            Some([]) => row.is_scalar,
            Some([length]) => !row.is_scalar && Some(*length) == count,
            _ => false,
        };
        if !fits || !tensor.dtype.is_integer() {
            return value.clone();
        }
        let known: Option<Vec<i64>> = row.numbers.iter().map(|number| number.as_const()).collect();
        let elements = match (known, row.alone()) {
            (Some(known), _) => Elements::listed(&known, row.is_scalar),
            (None, Some(number)) => Some(Elements::of(Numbers::One(number))),
            (None, None) => Some(Elements::of(Numbers::Sizes(row.numbers.clone()))),
        };
        Value::Tensor(Rc::new(Tensor { elements, ..Tensor::clone(tensor) }))
    }

    /// The result of an operation with its numbers, as far as its entry says how they follow.
    pub(crate) fn with_followed_numbers(&self, rule: &str, bound: &Bound, result: Value) -> Value {
        match self.followed(rule, bound) {
            Some(row) => self.holding(&result, &row),
            None => result,
        }
    }

    /// A tensor of which not all is known as that of these numbers, where it may be: of a list among the operands nothing is known.
    pub(crate) fn holding(&self, value: &Value, row: &Row) -> Value {
        let Value::Tensor(tensor) = value else { return value.clone() };
        if !self.may_hold(tensor, row) {
            return value.clone();
        }
        let length = i64::try_from(row.numbers.len()).unwrap_or(i64::MAX);
        let shape = if row.is_scalar { Vec::new() } else { vec![Dim::constant(length)] };
        let dtype = if tensor.dtype.is_known() { tensor.dtype } else { tensor.kind.rules().default_int };
        let known = Tensor { shape: Shape::known(shape), dtype, ..Tensor::clone(tensor) };
        self.with_numbers_in(&Value::Tensor(Rc::new(known)), row)
    }

    /// Whether a tensor of which not all is known may be that of these numbers.
    fn may_hold(&self, tensor: &Tensor, row: &Row) -> bool {
        let is_of_numbers = tensor.dtype.is_integer() || !tensor.dtype.is_known();
        is_of_numbers
            && match self.solver.resolve_shape(&tensor.shape).dims().as_deref() {
                None => true,
                Some([]) => row.is_scalar,
                Some([length]) => {
                    !row.is_scalar && length.as_const().is_none_or(|it| usize::try_from(it) == Ok(row.numbers.len()))
                }
                Some(_) => false,
            }
    }

    fn followed(&self, rule: &str, bound: &Bound) -> Option<Row> {
        let first = &bound.first()?.1;
        let second = || self.numbers_in(&bound.get(1)?.1);
        match rule {
            "same" | "stack" => self.numbers_in(first),
            "concat" => {
                let parts = match self.read(first) {
                    Value::Tuple(items) => items.to_vec(),
                    Value::List(id) => self.heap.list(id).filter(|data| data.rest.is_none())?.items.clone(),
                    _ => return None,
                };
                let mut numbers = Vec::new();
                for part in &parts {
                    numbers.extend(self.numbers_in(part).filter(|row| !row.is_scalar)?.numbers);
                }
                (numbers.len() <= MOST).then_some(Row { numbers, is_scalar: false })
            }
            "item" => self.part_of_followed(&self.numbers_in(first)?, &bound.get(1)?.1),
            "sum" => Some(Row::one(self.numbers_in(first)?.numbers.into_iter().fold(Dim::ZERO, |sum, it| sum + it))),
            "prod" => Some(Row::one(self.numbers_in(first)?.numbers.into_iter().fold(Dim::ONE, |all, it| all * it))),
            "max" | "min" => extreme(&self.numbers_in(first)?.numbers, rule == "max").map(Row::one),
            _ => combined(&self.numbers_in(first)?, &second()?, rule),
        }
    }

    /// `numbers[2]` and `numbers[1:-1]`.
    fn part_of_followed(&self, row: &Row, index: &Value) -> Option<Row> {
        if row.is_scalar {
            return None;
        }
        let part = self.part_of_row(row.numbers.len(), index)?;
        Some(Row { numbers: part.of(&row.numbers)?, is_scalar: part.is_scalar })
    }

    /// What is given for a size, a count or an axis, where it is a tensor of known numbers or a list with such in it.
    pub(crate) fn sizes_given(&self, spec: &ApiSpec, name: Name, value: &Value) -> Option<Argument> {
        let is_named_so = || SIZES.contains(&spec.argument_name(name.as_str()));
        let takes_sizes = match &spec.behaviour {
            Behaviour::Signature(signature) => {
                !signature.parameters().any(|known| known == name.as_str()) && (spec.takes_arrays || is_named_so())
            }
            Behaviour::Transfer(_) => is_named_so(),
            _ => false,
        };
        if !takes_sizes {
            return None;
        }
        let is_tensor = |item: &Value| matches!(self.read(item), Value::Tensor(_));
        let has_tensors = match self.read(value) {
            Value::Tensor(_) => true,
            Value::Tuple(items) => items.iter().any(is_tensor),
            Value::List(id) => self.heap.list(id)?.items.iter().any(is_tensor),
            _ => false,
        };
        if has_tensors { self.numbers_in(value).map(|row| row.argument()) } else { None }
    }
}

/// Number by number; one alone goes with each.
fn combined(left: &Row, right: &Row, rule: &str) -> Option<Row> {
    let count = left.numbers.len().max(right.numbers.len());
    let fits = |row: &Row| row.is_scalar || row.numbers.len() == count;
    if !fits(left) || !fits(right) {
        return None;
    }
    let at = |row: &Row, place: usize| row.numbers.get(if row.is_scalar { 0 } else { place }).copied();
    let mut numbers = Vec::with_capacity(count);
    for place in 0..count {
        let (one, other) = (at(left, place)?, at(right, place)?);
        let is_divisor = other.as_const().is_some_and(|divisor| divisor != 0);
        numbers.push(match rule {
            "add" => one + other,
            "sub" => one - other,
            "mul" => one * other,
            "maximum" => one.max(other),
            "minimum" => one.min(other),
            "floordiv" if is_divisor => one.floor_div(other),
            "mod" if is_divisor => one.modulo(other),
            _ => return None,
        });
    }
    Some(Row { numbers, is_scalar: left.is_scalar && right.is_scalar })
}
