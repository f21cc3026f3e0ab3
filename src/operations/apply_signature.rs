//! The transfer function of operations that an annotation describes in the shape notation.

use std::rc::Rc;

use crate::operation::{Argument, Arguments, Judged, Operation, Output};
use crate::{magnitude, named};
use harp_annotations::{ApiSpec, DTypeRule, Signature};
use harp_shape::notation::{Actual, Returned};
use harp_shape::{DType, FamilyRules, Shape, Solver};

/// The reason for an unknown result where the form of the result depends on an argument.
const DEPENDS: &str = "what is returned depends on an argument that is not known";

/// Applies an annotation's signature to a call's arguments. `api` is the name by which it was called.
pub fn apply_signature(
    solver: &mut Solver,
    api: &str,
    rules: &'static FamilyRules,
    spec: &ApiSpec,
    signature: &Signature,
    arguments: &Arguments,
) -> (Output, Vec<Judged>) {
    let argument = |name: &str| argument_of(spec, arguments, name);
    let value = |name: &str| argument(name).map_or(Actual::Unknown, actual);
    let applied = signature.apply(rules, solver, &value);
    let is_operand = |name: &&str| matches!(argument(name), Some(Argument::Tensor(_) | Argument::Sequence(_)));
    let operands: Vec<Rc<str>> = signature.parameters().filter(is_operand).map(Rc::from).collect();
    let judge =
        |(message, constraint, outcome)| Judged { constraint, outcome, ..Judged::violated(message, operands.clone()) };
    let mut judged: Vec<Judged> = applied.outcomes.into_iter().map(judge).collect();
    let mut call = Call { spec, arguments, operation: Operation::new(api, rules, arguments, solver), wrong_type: None };
    let output = call.output(applied.output, &spec.dtype);
    if let Some(message) = call.wrong_type {
        let operands = operands.iter().take(1).cloned().collect();
        // The shape of the result does not depend on it.
        judged.push(Judged::violated(message, operands));
    }
    (output, judged)
}

/// The argument of a parameter. Arguments are bound by the names that transfer functions read.
fn argument_of<'a>(spec: &ApiSpec, arguments: &'a Arguments, name: &str) -> Option<&'a Argument> {
    arguments.get(spec.argument_name(name)).or_else(|| arguments.get(name))
}

/// An argument as a signature sees it.
pub fn actual(argument: &Argument) -> Actual {
    match argument {
        Argument::Tensor(tensor) => Actual::Shape(tensor.shape.clone()),
        Argument::Integer(dim) => Actual::Integer(*dim),
        Argument::Float(_) => Actual::Number,
        Argument::Boolean(value) => Actual::Flag(*value),
        Argument::Text(text) => Actual::Text(Rc::clone(text)),
        Argument::None => Actual::None,
        Argument::Sequence(items) => Actual::Items(items.iter().map(actual).collect()),
        Argument::DType(_) | Argument::Ellipsis | Argument::Slice { .. } | Argument::Truth | Argument::Unknown => {
            Actual::Unknown
        }
    }
}

/// A call of an annotated API, whose results get their element types.
struct Call<'a> {
    spec: &'a ApiSpec,
    arguments: &'a Arguments,
    /// It knows how the library promotes types.
    operation: Operation<'a>,
    /// What is said where a parameter's element type is none that the library takes.
    wrong_type: Option<String>,
}

impl Call<'_> {
    /// What a signature says is returned, with its element types.
    fn output(&mut self, returned: Returned, rule: &DTypeRule) -> Output {
        match returned {
            Returned::Nothing | Returned::None => Output::None,
            Returned::Shape(shape) => match rule {
                // One of several that may be returned.
                DTypeRule::Each(rules) => self.tensor(shape, rules.first().unwrap_or(&DTypeRule::Unknown)),
                rule => self.tensor(shape, rule),
            },
            Returned::Tuple(results) => Output::Tuple(self.items(results, rule)),
            Returned::List(results) => Output::List(self.items(results, rule)),
            Returned::Several(item, count) => Output::Several(Box::new(self.output(*item, rule)), count),
            Returned::Unknown => Output::Unknown(DEPENDS),
        }
    }

    fn items(&mut self, items: Vec<Returned>, rule: &DTypeRule) -> Vec<Output> {
        let rule_of = |index: usize| match rule {
            DTypeRule::Each(rules) => rules.get(index).unwrap_or(&DTypeRule::Unknown),
            rule => rule,
        };
        let item = |(index, item)| match item {
            // An item that is no tensor keeps its place.
            Returned::Nothing => self.tensor(Shape::unknown("s"), rule_of(index)),
            item => self.output(item, rule_of(index)),
        };
        items.into_iter().enumerate().map(item).collect()
    }

    fn tensor(&mut self, shape: Shape, rule: &DTypeRule) -> Output {
        Output::Tensor { shape, dtype: self.dtype(rule) }
    }

    fn argument(&self, name: &str) -> Option<&Argument> {
        argument_of(self.spec, self.arguments, name)
    }

    /// The common type of arguments, and of those that they hold.
    fn common(&self, arguments: impl Iterator<Item = Argument>) -> DType {
        let held = |argument| match argument {
            Argument::Sequence(items) => match items.as_slice() {
                [Argument::Sequence(inner)] => inner.clone(),
                _ => items,
            },
            argument => vec![argument],
        };
        self.operation.result_type(&arguments.flat_map(held).collect::<Vec<_>>())
    }

    fn dtype(&mut self, rule: &DTypeRule) -> DType {
        let is_inexact = |dtype: DType| dtype == DType::Unknown || dtype.is_floating() || dtype.is_complex();
        match rule {
            DTypeRule::Promote(names) if names.is_empty() => {
                let tensors = self.arguments.iter().filter(|(_, argument)| argument.as_tensor().is_some());
                self.common(tensors.map(|(_, argument)| argument.clone()))
            }
            DTypeRule::Promote(names) => {
                let values: Vec<Argument> =
                    names.iter().map(|name| self.argument(name).cloned().unwrap_or(Argument::Unknown)).collect();
                let named: Vec<(&str, &Argument)> = names.iter().map(|name| &**name).zip(&values).collect();
                if let Some((_, _, message)) = self.operation.mixed_types(&named) {
                    self.wrong_type = Some(message);
                }
                self.common(values.into_iter())
            }
            DTypeRule::Same(name) => self.of(name),
            DTypeRule::Floating(rule, otherwise) => match (self.dtype(rule), otherwise) {
                (dtype, _) if is_inexact(dtype) => dtype,
                (_, Some(otherwise)) => DType::parse(otherwise).unwrap_or(DType::Unknown),
                (_, None) => self.operation.default_float(),
            },
            DTypeRule::Inexact(name) => match self.of(name) {
                dtype if is_inexact(dtype) => dtype,
                // NumPy's functions take integers, and the tensor may as well be an array.
                _ if self.arguments.may_be_arrays => DType::Unknown,
                dtype => {
                    let short_name = self.operation.short_name();
                    self.wrong_type = Some(match &**name {
                        "self" => format!("`{short_name}` does not take integers, but the tensor is {dtype}"),
                        name => format!("`{short_name}` does not take integers, but `{name}` is {dtype}"),
                    });
                    DType::Unknown
                }
            },
            DTypeRule::Sum(name) => match self.of(name) {
                dtype if is_inexact(dtype) => dtype,
                _ => DType::Int64,
            },
            DTypeRule::Real(rule) => magnitude(self.dtype(rule)),
            DTypeRule::Fixed(name) => DType::parse(name).unwrap_or(DType::Unknown),
            DTypeRule::Parameter { parameter, fallback } => match self.argument(parameter) {
                Some(Argument::DType(dtype)) => *dtype,
                Some(Argument::Text(name)) => named(name),
                Some(Argument::None) | None => self.dtype(fallback),
                _ => DType::Unknown,
            },
            DTypeRule::Each(_) | DTypeRule::Unknown => DType::Unknown,
        }
    }

    /// The element type of a parameter's tensor; a number's is not known.
    fn of(&self, name: &str) -> DType {
        self.argument(name).and_then(Argument::as_tensor).map_or(DType::Unknown, |tensor| tensor.dtype)
    }
}
