//! Operations that an annotation describes in the shape notation.

use std::rc::Rc;

use crate::annotations::{ApiSpec, DTypeRule, Signature};
use crate::interp::operation::{Argument, Arguments, Judged, Output};
use crate::shape::notation::{Actual, Returned};
use crate::shape::{DType, Shape, Solver};

/// The reason for an unknown result where the form of the result depends on an argument.
const DEPENDS: &str = "what is returned depends on an argument that is not known";

/// Applies an annotation's signature to a call's arguments.
pub(super) fn apply_signature(
    solver: &mut Solver,
    spec: &ApiSpec,
    signature: &Signature,
    arguments: &Arguments,
) -> (Output, Vec<Judged>) {
    let call = Call { spec, arguments };
    let value = |name: &str| call.argument(name).map_or(Actual::Unknown, actual);
    let applied = signature.apply(solver, &value);
    let is_operand = |name: &&str| matches!(call.argument(name), Some(Argument::Tensor(_) | Argument::Sequence(_)));
    let operands: Vec<Rc<str>> = signature.parameters().filter(is_operand).map(Rc::from).collect();
    let judged = applied
        .outcomes
        .into_iter()
        .map(|(message, constraint, outcome)| Judged { constraint, outcome, message, operands: operands.clone() })
        .collect();
    (call.output(applied.output, &spec.dtype), judged)
}

/// An argument as a signature sees it.
pub(super) fn actual(argument: &Argument) -> Actual {
    match argument {
        Argument::Tensor(tensor) => Actual::Shape(tensor.shape.clone()),
        Argument::Integer(dim) => Actual::Integer(*dim),
        Argument::Float(_) => Actual::Number,
        Argument::Boolean(value) => Actual::Flag(*value),
        Argument::Text(text) => Actual::Text(Rc::clone(text)),
        Argument::None => Actual::None,
        Argument::Sequence(items) => Actual::Items(items.iter().map(actual).collect()),
        Argument::DType(_) | Argument::Ellipsis | Argument::Slice { .. } | Argument::Unknown => Actual::Unknown,
    }
}

/// A call of an annotated API.
struct Call<'a> {
    spec: &'a ApiSpec,
    arguments: &'a Arguments,
}

impl Call<'_> {
    /// The argument of a parameter. Arguments are bound by the names that transfer functions read.
    fn argument(&self, name: &str) -> Option<&Argument> {
        self.arguments.get(self.spec.argument_name(name)).or_else(|| self.arguments.get(name))
    }

    /// What a signature says is returned, with its element types.
    fn output(&self, returned: Returned, rule: &DTypeRule) -> Output {
        let items = |items: Vec<Returned>| -> Vec<Output> {
            let rule_of = |index: usize| match rule {
                DTypeRule::Each(rules) => rules.get(index).unwrap_or(&DTypeRule::Unknown),
                rule => rule,
            };
            items.into_iter().enumerate().map(|(index, item)| self.item(item, rule_of(index))).collect()
        };
        match returned {
            Returned::Nothing | Returned::None => Output::None,
            Returned::Shape(shape) => match rule {
                // One of several that may be returned.
                DTypeRule::Each(rules) => self.tensor(shape, rules.first().unwrap_or(&DTypeRule::Unknown)),
                rule => self.tensor(shape, rule),
            },
            Returned::Tuple(results) => Output::Tuple(items(results)),
            Returned::List(results) => Output::List(items(results)),
            Returned::Several(item, count) => Output::Several(Box::new(self.output(*item, rule)), count),
            Returned::Unknown => Output::Unknown(DEPENDS),
        }
    }

    /// An item of a tuple. One that is no tensor keeps its place.
    fn item(&self, item: Returned, rule: &DTypeRule) -> Output {
        match item {
            Returned::Nothing => self.tensor(Shape::unknown("s"), rule),
            item => self.output(item, rule),
        }
    }

    fn tensor(&self, shape: Shape, rule: &DTypeRule) -> Output {
        Output::Tensor { shape, dtype: self.dtype(rule) }
    }

    /// The element types of a parameter's tensors.
    fn dtypes_of(&self, name: &str) -> Vec<DType> {
        let of = |argument: &Argument| argument.as_tensor().map_or(DType::Unknown, |tensor| tensor.dtype);
        match self.argument(name) {
            Some(Argument::Sequence(items)) => match items.as_slice() {
                [Argument::Sequence(inner)] => inner.iter().map(of).collect(),
                items => items.iter().map(of).collect(),
            },
            Some(argument) => vec![of(argument)],
            None => vec![DType::Unknown],
        }
    }

    fn dtype(&self, rule: &DTypeRule) -> DType {
        let common = |dtypes: Vec<DType>| dtypes.into_iter().reduce(DType::promote).unwrap_or(DType::Unknown);
        let of = |name: &str| common(self.dtypes_of(name));
        let is_inexact = |dtype: DType| dtype == DType::Unknown || dtype.is_floating() || dtype.is_complex();
        match rule {
            DTypeRule::Promote(names) if names.is_empty() => {
                let tensors = self.arguments.iter().filter_map(|(_, argument)| Some(argument.as_tensor()?.dtype));
                common(tensors.collect())
            }
            DTypeRule::Promote(names) => common(names.iter().flat_map(|name| self.dtypes_of(name)).collect()),
            DTypeRule::Same(name) => of(name),
            DTypeRule::Floating(name) => match of(name) {
                dtype if is_inexact(dtype) => dtype,
                _ if self.spec.qualified_name.starts_with("numpy.") => DType::Float64,
                _ => DType::Float32,
            },
            DTypeRule::Sum(name) => match of(name) {
                dtype if is_inexact(dtype) => dtype,
                _ => DType::Int64,
            },
            DTypeRule::Fixed(name) => DType::parse(name).unwrap_or(DType::Unknown),
            DTypeRule::Parameter { parameter, fallback } => match self.argument(parameter) {
                Some(Argument::DType(dtype)) => *dtype,
                Some(Argument::None) | None => self.dtype(fallback),
                _ => DType::Unknown,
            },
            DTypeRule::Each(_) | DTypeRule::Unknown => DType::Unknown,
        }
    }
}
