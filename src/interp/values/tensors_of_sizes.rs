//! Elements of tensors that are sizes: `lengths = torch.tensor([len(x) for x in batch])`, of which a program takes the
//! largest, the sum or each by itself.

use std::rc::Rc;

use crate::api::call_api::Bound;
use crate::state::interpreter::Interpreter;
use crate::values::tensor_elements::{Elements, Numbers};
use crate::values::value::{Tensor, Value};
use harp_limits::light_tick;
use harp_shape::Dim;

/// Longer lists are not followed.
const MOST: usize = 256;
/// The largest of more different sizes is a number of its own.
const MOST_COMPARED: usize = 4;

impl Interpreter<'_> {
    /// The result of an operation that makes a tensor of sizes, or takes something from one, with what is known of them.
    pub(crate) fn with_listed_sizes(&mut self, name: &str, bound: &Bound, result: &Value) -> Option<Value> {
        let first = self.read(&bound.first()?.1);
        if let "tensor" | "as_tensor" | "LongTensor" | "IntTensor" | "array" | "asarray" = name {
            let Value::Tensor(tensor) = result else { return None };
            let sizes = self.sizes_in(&first)?;
            let fits = tensor.dtype.is_integer()
                && self.solver.resolve_shape(&tensor.shape).dims()?.as_slice() == [Dim::constant(sizes.len() as i64)];
            return fits.then(|| with_numbers(tensor, Numbers::Sizes(sizes)));
        }
        let Value::Tensor(tensor) = &first else { return None };
        let Numbers::Sizes(sizes) = tensor.elements.as_ref()?.drawn()? else { return None };
        // A view shares them, so that what is written into it changes them, too.
        let shared = |made: &Rc<Tensor>| {
            Some(Value::Tensor(Rc::new(Tensor { elements: tensor.elements.clone(), ..Tensor::clone(made) })))
        };
        let is_row = self.sizes_listed_in(tensor).is_some();
        if let ("__getitem__" | "view" | "reshape" | "unsqueeze", Value::Tensor(made)) = (name, result)
            && !(is_row && name == "__getitem__" && self.solver.resolve_shape(&made.shape).rank() == Some(0))
        {
            return shared(made);
        }
        if !is_row {
            return None;
        }
        let is_alone = bound[1..]
            .iter()
            .all(|(_, value)| matches!(value, Value::None | Value::Bool(false) | Value::Unknown(_) | Value::DType(_)));
        match (name, result) {
            ("tolist", Value::List(_) | Value::Symbolic(_) | Value::Unknown(_)) => {
                let items = sizes.iter().map(|size| Value::Int(*size)).collect();
                Some(Value::List(self.heap.allocate_list(items)))
            }
            ("max" | "amax" | "min" | "amin" | "sum", Value::Tensor(made)) if is_alone => {
                let number = if name == "sum" {
                    sizes.iter().fold(Dim::ZERO, |sum, size| sum + *size)
                } else {
                    extreme(sizes, name.ends_with("max"))?
                };
                Some(with_numbers(made, Numbers::One(number)))
            }
            ("__getitem__", Value::Tensor(made)) => {
                let place = match self.read(&bound.get(1)?.1) {
                    Value::Tuple(places) if places.len() == 1 => self.read(&places[0]).as_int()?,
                    place => place.as_int()?,
                };
                let count = i64::try_from(sizes.len()).ok()?;
                let place = usize::try_from(if place < 0 { place + count } else { place }).ok()?;
                Some(with_numbers(made, Numbers::One(*sizes.get(place)?)))
            }
            ("cumsum", Value::Tensor(made)) => {
                let mut total = Dim::ZERO;
                let sums = sizes.iter().map(|size| {
                    total = total + *size;
                    total
                });
                Some(with_numbers(made, Numbers::Sizes(sums.collect())))
            }
            // Names of methods, whatever the library: `numpy` is that of a tensor.
            (
                "to" | "cpu" | "cuda" | "long" | "int" | "numpy" | "detach" | "clone" | "contiguous",
                Value::Tensor(made),
            ) if made.dtype.is_integer() => {
                Some(Value::Tensor(Rc::new(Tensor { elements: tensor.elements.clone(), ..Tensor::clone(made) })))
            }
            (
                "__add__" | "add" | "__radd__" | "__sub__" | "sub" | "__floordiv__" | "floor_divide",
                Value::Tensor(made),
            ) => {
                let by = self.read(&bound.get(1)?.1).as_dim()?;
                let is_divisor = by.as_const().is_some_and(|by| by > 0);
                let moved: Option<Vec<Dim>> = sizes
                    .iter()
                    .map(|size| match name.trim_matches('_') {
                        "sub" => Some(*size - by),
                        "floordiv" | "floor_divide" => is_divisor.then(|| size.floor_div(by)),
                        _ => Some(*size + by),
                    })
                    .collect();
                Some(with_numbers(made, Numbers::Sizes(moved?)))
            }
            _ => None,
        }
    }

    /// The numbers of a list of which some are known by their names only.
    fn sizes_in(&self, list: &Value) -> Option<Vec<Dim>> {
        light_tick();
        let items = match list {
            Value::List(id) => self.heap.list(*id).filter(|data| data.rest.is_none())?.items.clone(),
            // A class of tensors takes what it is given as it comes.
            Value::Tuple(items)
                if items.len() == 1 && matches!(self.read(&items[0]), Value::List(_) | Value::Tuple(_)) =>
            {
                return self.sizes_in(&self.read(&items[0]));
            }
            Value::Tuple(items) => items.to_vec(),
            _ => return None,
        };
        if items.is_empty() || items.len() > MOST {
            return None;
        }
        let sizes: Option<Vec<Dim>> =
            items.iter().map(|item| Some(self.solver.resolve(self.read(item).as_dim()?))).collect();
        sizes.filter(|sizes| sizes.iter().any(|size| size.as_const().is_none()))
    }

    /// The sizes that a tensor or a list holds, where they are all known by their names at least.
    pub fn sizes_held(&self, value: &Value) -> Option<Vec<Dim>> {
        match self.read(value) {
            Value::Tensor(tensor) => match tensor.numbers() {
                Some(numbers) => Some(numbers.iter().map(|number| Dim::constant(*number as i64)).collect()),
                None => self.sizes_listed_in(&tensor).cloned(),
            },
            Value::List(id) => {
                let data = self.heap.list(id).filter(|data| data.rest.is_none() && !data.items.is_empty())?;
                data.items.iter().map(|item| self.read(item).as_dim()).collect()
            }
            _ => None,
        }
    }

    /// The sizes in a tensor of one dimension that has just these.
    fn sizes_listed_in<'t>(&self, tensor: &'t Tensor) -> Option<&'t Vec<Dim>> {
        let Numbers::Sizes(sizes) = tensor.elements.as_ref()?.drawn()? else { return None };
        let dims = self.solver.resolve_shape(&tensor.shape).dims()?;
        (dims.as_slice() == [Dim::constant(i64::try_from(sizes.len()).ok()?)]).then_some(sizes)
    }

    /// The number at a place of a tensor of sizes.
    pub(crate) fn size_in_row(&self, tensor: &Tensor, place: usize) -> Option<Rc<Elements>> {
        Some(Elements::of(Numbers::One(*self.sizes_listed_in(tensor)?.get(place)?)))
    }
}

/// The largest or the smallest of a few different sizes.
pub fn extreme(sizes: &[Dim], is_largest: bool) -> Option<Dim> {
    if let Some(known) = sizes.iter().map(|size| size.as_const()).collect::<Option<Vec<i64>>>() {
        let extreme = if is_largest { known.into_iter().max() } else { known.into_iter().min() };
        return extreme.map(Dim::constant);
    }
    let mut different: Vec<Dim> = Vec::new();
    for size in sizes {
        if !different.contains(size) {
            different.push(*size);
        }
    }
    let (first, others) = different.split_first()?;
    let choose = |one: Dim, other: Dim| if is_largest { one.max(other) } else { one.min(other) };
    (others.len() < MOST_COMPARED).then(|| others.iter().fold(*first, |one, other| choose(one, *other)))
}

fn with_numbers(tensor: &Tensor, numbers: Numbers) -> Value {
    Value::Tensor(Rc::new(Tensor { elements: Some(Elements::of(numbers)), ..Tensor::clone(tensor) }))
}
