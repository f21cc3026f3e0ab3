//! What every transfer function uses: reading arguments and stating requirements.

use std::fmt;

use crate::operation::{Argument, Operation, Output, TensorArgument};
use harp_shape::{Constraint, DType, Dim, Element, Shape, Var, VarInfo, VarKind};

/// A requirement is violated without which there is no result.
pub(crate) struct Stop;

/// What a transfer function gives before [`settle`].
pub(crate) type Evaluated = Result<Output, Stop>;

/// The output of an operation, also where it could not go on.
pub(crate) fn settle(evaluated: Evaluated) -> Output {
    evaluated.unwrap_or(Output::Unknown("a requirement of the operation is violated"))
}

/// A size of which nothing is known; a later requirement may determine it.
pub(crate) fn fresh(name: &str) -> Dim {
    fresh_at_least(name, None)
}

/// A size that depends on the values of a tensor, and may be zero.
pub(crate) fn fresh_count(name: &str) -> Dim {
    fresh_at_least(name, Some(0))
}

/// The same of one that has known bounds.
pub(crate) fn fresh_within(name: &str, least: i64, most: i64) -> Dim {
    Dim::var(Var::fresh(VarInfo { lower: Some(least), upper: Some(most), ..VarInfo::free(name) }))
}

/// An integer read from a tensor, which may be negative.
pub(crate) fn fresh_value(name: &str) -> Dim {
    fresh_at_least(name, Some(i64::from(i32::MIN)))
}

fn fresh_at_least(name: &str, lower: Option<i64>) -> Dim {
    Dim::var(Var::fresh(VarInfo {
        name: name.to_owned(),
        kind: VarKind::Free,
        default: None,
        lower,
        upper: None,
        source: None,
    }))
}

pub(crate) fn constant(value: i64) -> Dim {
    Dim::constant(value)
}

/// A rank or count as a dimension.
pub(crate) fn count(value: usize) -> Dim {
    Dim::constant(i64::try_from(value).unwrap_or(i64::MAX))
}

/// `front` followed by the dimensions of `rest` and by `back`.
pub(crate) fn joined(front: &[Dim], rest: Option<&Shape>, back: &[Dim]) -> Shape {
    let mut elements: Vec<Element> = front.iter().copied().map(Element::Dim).collect();
    if let Some(rest) = rest {
        elements.extend(rest.elements().iter().cloned());
    }
    elements.extend(back.iter().copied().map(Element::Dim));
    Shape::new(elements)
}

/// The product of dimensions; 1 of none.
pub(crate) fn product(dims: &[Dim]) -> Dim {
    dims.iter().fold(Dim::constant(1), |product, dim| product * *dim)
}

/// A tensor of unknown shape.
pub(crate) fn unknown_tensor(dtype: DType) -> Output {
    Output::tensor(Shape::unknown("unknown"), dtype)
}

/// A single value or the items of a sequence; `None` where it is neither.
pub(crate) fn items(argument: &Argument) -> Option<Vec<Argument>> {
    match argument {
        Argument::Sequence(items) => match items.as_slice() {
            [Argument::Sequence(inner)] => Some(inner.clone()),
            _ => Some(items.clone()),
        },
        Argument::Integer(_) | Argument::Boolean(_) | Argument::Float(_) | Argument::None => {
            Some(vec![argument.clone()])
        }
        _ => None,
    }
}

/// An operand as messages write it. Most operations give no message, so that its text is made where one does.
#[derive(Clone)]
pub(crate) struct Operand<'n> {
    name: &'n str,
    shape: Shape,
}

impl fmt::Display for Operand<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name {
            // Nobody writes the receiver of a method.
            "self" => write!(formatter, "the tensor {}", self.shape),
            name => write!(formatter, "`{name}` {}", self.shape),
        }
    }
}

/// A longer pattern or mode is none that a person wrote, and is taken for unknown.
const LONGEST_TEXT: usize = 4096;

impl Operation<'_> {
    /// Like [`Operation::require`], but stops the operation where the requirement is certainly violated.
    pub(crate) fn demand(
        &mut self,
        constraint: Constraint,
        operands: &[&str],
        message: impl FnOnce() -> String,
    ) -> Result<(), Stop> {
        if self.require(constraint, operands, |_| message()) { Ok(()) } else { Err(Stop) }
    }

    /// A requirement that is certainly violated.
    pub(crate) fn reject<T>(&mut self, operands: &[&str], message: String) -> Result<T, Stop> {
        self.fail(operands, message);
        Err(Stop)
    }

    /// The name under which the first tensor of the operation is bound.
    pub(crate) fn input_name(&self) -> &'static str {
        ["input", "self", "x", "A"].into_iter().find(|name| self.arguments.get(name).is_some()).unwrap_or("input")
    }

    /// The first tensor of the operation.
    pub(crate) fn input(&mut self) -> TensorArgument {
        let name = self.input_name();
        self.tensor(name)
    }

    /// The shape of the first tensor of the operation.
    pub(crate) fn input_shape(&mut self) -> Shape {
        self.input().shape
    }

    /// The tensor bound to a parameter, with its shape resolved; one of unknown shape where the argument is not known.
    pub(crate) fn tensor(&mut self, name: &str) -> TensorArgument {
        match self.arguments.get(name) {
            Some(argument) => self.as_tensor(argument, name),
            None => TensorArgument { shape: Shape::unknown(name), dtype: DType::Unknown },
        }
    }

    /// An argument as a tensor; a number is a tensor of rank 0.
    pub(crate) fn as_tensor(&self, argument: &Argument, name: &str) -> TensorArgument {
        let (shape, dtype) = match argument {
            Argument::Tensor(tensor) => (self.solver.resolve_shape(&tensor.shape), tensor.dtype),
            Argument::Integer(_) => (Shape::scalar(), self.default_int()),
            Argument::Boolean(_) => (Shape::scalar(), DType::Bool),
            Argument::Float(_) => (Shape::scalar(), self.default_float()),
            _ => (Shape::unknown(name), DType::Unknown),
        };
        TensorArgument { shape, dtype }
    }

    /// The tensor bound to an optional parameter: `None` where it is absent, `None` or not understood.
    pub(crate) fn given_tensor(&mut self, name: &str) -> Option<TensorArgument> {
        match self.arguments.get(name)? {
            argument @ Argument::Tensor(_) => Some(self.as_tensor(argument, name)),
            _ => None,
        }
    }

    /// Whether an optional parameter is certainly absent or `None`.
    pub(crate) fn is_absent(&self, name: &str) -> bool {
        self.arguments.get(name).is_none_or(Argument::is_none)
    }

    /// An integer parameter, resolved.
    pub(crate) fn dim_argument(&self, name: &str) -> Option<Dim> {
        let dim = self.arguments.get(name)?.as_dim()?;
        Some(self.solver.resolve(dim))
    }

    /// An integer parameter whose value is known.
    pub(crate) fn int_argument(&self, name: &str) -> Option<i64> {
        self.dim_argument(name)?.as_const()
    }

    /// An integer parameter whose value is known, or what is used when it is absent.
    pub(crate) fn int_or(&self, name: &str, default: i64) -> Option<i64> {
        match self.arguments.get(name) {
            None | Some(Argument::None) => Some(default),
            Some(_) => self.int_argument(name),
        }
    }

    /// A flag that is false unless it is given.
    pub(crate) fn flag_or(&self, name: &str, default: bool) -> Option<bool> {
        match self.arguments.get(name) {
            None => Some(default),
            Some(_) => self.arguments.flag(name),
        }
    }

    pub(crate) fn text_argument(&self, name: &str) -> Option<&str> {
        match self.arguments.get(name)? {
            Argument::Text(text) => Some(text).filter(|text| text.len() <= LONGEST_TEXT).map(|text| &**text),
            _ => None,
        }
    }

    /// A parameter that holds integers (one, or a sequence), all of known value.
    pub(crate) fn int_list(&self, name: &str) -> Option<Vec<i64>> {
        let items = items(self.arguments.get(name)?)?;
        items.iter().map(|item| self.solver.resolve(item.as_dim()?).as_const()).collect()
    }

    /// The items of a parameter that holds tensors.
    pub(crate) fn tensor_list(&mut self, name: &str) -> Option<Vec<Argument>> {
        match self.arguments.get(name)? {
            Argument::Sequence(items) => match items.as_slice() {
                [Argument::Sequence(inner)] => Some(inner.clone()),
                _ => Some(items.clone()),
            },
            _ => None,
        }
    }

    /// The result type that a `dtype` parameter asks for, or `default` where it is absent.
    pub(crate) fn dtype_or(&self, default: DType) -> DType {
        match self.arguments.get("dtype") {
            Some(Argument::DType(dtype)) => *dtype,
            None | Some(Argument::None) => default,
            Some(Argument::Text(name)) => crate::dtypes::named(name),
            Some(_) => DType::Unknown,
        }
    }

    /// The rank of a shape, where it is known.
    pub(crate) fn rank(&self, shape: &Shape) -> Option<usize> {
        self.solver.resolve_shape(shape).rank()
    }

    /// The dimensions of a shape, where its rank is known.
    pub(crate) fn dims(&self, shape: &Shape) -> Option<Vec<Dim>> {
        self.solver.resolve_shape(shape).dims()
    }

    /// How a shape is written in a message.
    pub(crate) fn text(&self, shape: &Shape) -> Shape {
        self.solver.resolve_shape(shape)
    }

    /// `` `input` [2, 3] ``, as operands are written in messages.
    pub(crate) fn operand<'n>(&self, name: &'n str, shape: &Shape) -> Operand<'n> {
        Operand { name, shape: self.text(shape) }
    }

    /// The dimensions of a tensor that must have this rank.
    pub(crate) fn with_rank(&mut self, shape: &Shape, rank: usize, name: &str) -> Result<Vec<Dim>, Stop> {
        match self.solver.dims_of_rank(shape, rank) {
            Some(dims) => Ok(dims),
            None => {
                let message = format!("{} must have {}", self.operand(name, shape), dimensions(&[rank]));
                self.reject(&[name], message)
            }
        }
    }

    /// The dimensions of a tensor whose rank must be one of `ranks`; where the rank is not known, the last of them is speculated.
    pub(crate) fn with_rank_of(&mut self, shape: &Shape, ranks: &[usize], name: &str) -> Result<Vec<Dim>, Stop> {
        let shape = self.solver.resolve_shape(shape);
        if let Some(dims) = shape.dims() {
            if ranks.contains(&dims.len()) {
                return Ok(dims);
            }
            let message = format!("{} must have {}", self.operand(name, &shape), dimensions(ranks));
            return self.reject(&[name], message);
        }
        let possible: Vec<i64> = ranks
            .iter()
            .filter(|rank| **rank >= shape.minimum_rank())
            .filter_map(|rank| i64::try_from(*rank).ok())
            .collect();
        for rank in ranks.iter().rev() {
            if let Some(dims) = self.solver.dims_of_rank(&shape, *rank) {
                if possible.len() > 1 {
                    let guessed = i64::try_from(*rank).unwrap_or_default();
                    let others = possible.iter().map(|other| other - guessed).filter(|other| *other != 0).collect();
                    self.guess(name, dimensions(&[*rank]), others);
                }
                return Ok(dims);
            }
        }
        let message = format!("{} must have {}", self.operand(name, &shape), dimensions(ranks));
        self.reject(&[name], message)
    }

    /// A requirement that two sizes are equal, recorded; the operation goes on in any case.
    pub(crate) fn equal(&mut self, left: Dim, right: Dim, operands: &[&str], message: impl FnOnce() -> String) {
        self.require(Constraint::Equal(left, right), operands, |_| message());
    }

    /// The spatial rank that the API's name tells: 2 for `conv2d` and `Conv2d`.
    pub(crate) fn spatial_rank(&self) -> Option<usize> {
        let name = self.api.rsplit('.').next().unwrap_or(self.api).to_ascii_lowercase();
        [(1, "1d"), (2, "2d"), (3, "3d")].into_iter().find(|(_, suffix)| name.contains(suffix)).map(|(rank, _)| rank)
    }

    /// The last part of the API's name.
    pub fn short_name(&self) -> &str {
        self.api.rsplit('.').next().unwrap_or(self.api)
    }

    /// One value an axis, from a single value, a sequence of one, or a sequence of as many; `None` for values not known.
    pub(crate) fn per_axis(&mut self, name: &str, axes: usize, default: Option<i64>) -> Result<Vec<Option<Dim>>, Stop> {
        let absent = vec![default.map(Dim::constant); axes];
        let Some(argument) = self.arguments.get(name) else { return Ok(absent) };
        match argument {
            Argument::None => Ok(absent),
            Argument::Sequence(items) => {
                let values: Vec<Option<Dim>> =
                    items.iter().map(|item| item.as_dim().map(|dim| self.solver.resolve(dim))).collect();
                if values.len() == axes {
                    Ok(values)
                } else if let [only] = values.as_slice() {
                    Ok(vec![*only; axes])
                } else {
                    let message = format!("`{name}` must be one integer or {axes} of them, got {}", values.len());
                    self.reject(&[name], message)
                }
            }
            Argument::Float(_) => self.reject(&[name], format!("`{name}` must be an integer, not a float")),
            other => Ok(vec![other.as_dim().map(|dim| self.solver.resolve(dim)); axes]),
        }
    }
}

/// `1 dimension`, `3 or 4 dimensions`, `1, 2 or 3 dimensions`.
fn dimensions(ranks: &[usize]) -> String {
    let mut text = String::new();
    for (position, rank) in ranks.iter().enumerate() {
        if position > 0 {
            text.push_str(if position + 1 == ranks.len() { " or " } else { ", " });
        }
        text.push_str(&rank.to_string());
    }
    text.push_str(if ranks == [1] { " dimension" } else { " dimensions" });
    text
}
