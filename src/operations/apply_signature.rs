//! Operations that an annotation describes in the shape notation.

use std::rc::Rc;

use crate::operation::{Argument, Arguments, Judged, Operation, Output};
use crate::{magnitude, named};
use harp_annotations::{ApiSpec, DTypeRule, Signature};
use harp_shape::notation::{Actual, Returned};
use harp_shape::{DType, Shape, Solver};

/// The reason for an unknown result where the form of the result depends on an argument.
const DEPENDS: &str = "what is returned depends on an argument that is not known";

/// Applies an annotation's signature to a call's arguments. `api` is the name by which it was called.
pub fn apply_signature(
    solver: &mut Solver,
    api: &str,
    spec: &ApiSpec,
    signature: &Signature,
    arguments: &Arguments,
) -> (Output, Vec<Judged>) {
    let argument = |name: &str| argument_of(spec, arguments, name);
    let value = |name: &str| argument(name).map_or(Actual::Unknown, actual);
    let applied = signature.apply(solver, &value);
    let is_operand = |name: &&str| matches!(argument(name), Some(Argument::Tensor(_) | Argument::Sequence(_)));
    let operands: Vec<Rc<str>> = signature.parameters().filter(is_operand).map(Rc::from).collect();
    let judge =
        |(message, constraint, outcome)| Judged { constraint, outcome, ..Judged::violated(message, operands.clone()) };
    let mut judged: Vec<Judged> = applied.outcomes.into_iter().map(judge).collect();
    let mut call = Call { spec, arguments, operation: Operation::new(api, arguments, solver), wrong_type: None };
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
                let values = names.iter().map(|name| self.argument(name).cloned().unwrap_or(Argument::Unknown));
                self.common(values)
            }
            DTypeRule::Same(name) => self.of(name),
            DTypeRule::Floating(name) => match self.of(name) {
                dtype if is_inexact(dtype) => dtype,
                _ => self.operation.default_float(),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operation::TensorArgument;
    use harp_annotations::{Behaviour, Entry};
    use harp_shape::Dim;

    fn tensor(dims: &[i64], dtype: DType) -> Argument {
        let shape = Shape::known(dims.iter().map(|dim| Dim::constant(*dim)).collect::<Vec<_>>());
        Argument::Tensor(TensorArgument { shape, dtype })
    }

    fn integer(value: i64) -> Argument {
        Argument::Integer(Dim::constant(value))
    }

    fn apply(spec: &ApiSpec, arguments: &[(&str, Argument)]) -> (Output, Vec<Judged>) {
        let Behaviour::Signature(signature) = &spec.behaviour else {
            panic!("{} has no signature", spec.qualified_name)
        };
        let mut bound = Arguments::default();
        arguments.iter().for_each(|(name, value)| bound.push(spec.argument_name(name), value.clone()));
        apply_signature(&mut Solver::new(), &spec.qualified_name, spec, signature, &bound)
    }

    /// The result of a built-in function, and what is said of the call.
    fn call(name: &str, arguments: &[(&str, Argument)]) -> (Output, Vec<String>) {
        let spec = harp_builtin::library().function(name).expect("the function is described");
        let (output, judged) = apply(spec, arguments);
        (output, judged.into_iter().map(|judged| judged.message).collect())
    }

    fn result(dims: &[i64], dtype: DType) -> Output {
        let Argument::Tensor(TensorArgument { shape, dtype }) = tensor(dims, dtype) else { unreachable!() };
        Output::Tensor { shape, dtype }
    }

    #[test]
    fn each_result_has_its_element_type() {
        let x = ("input", tensor(&[2, 3], DType::Float32));
        let values = result(&[2, 3], DType::Float32);
        let places = result(&[2, 3], DType::Int64);
        let sorted = call("torch.sort", &[x.clone(), ("dim", integer(-1))]).0;
        assert_eq!(sorted, Output::Tuple(vec![values, places]));
        let whole = call("torch.median", &[x, ("dim", Argument::None), ("keepdim", Argument::Boolean(false))]).0;
        assert_eq!(whole, result(&[], DType::Float32));
    }

    #[test]
    fn functions_that_want_floats_refuse_integers() {
        let x = || ("input", tensor(&[2, 3], DType::Int64));
        let (_, told) = call("torch.nn.functional.softmax", &[x(), ("dim", integer(1)), ("dtype", Argument::None)]);
        assert_eq!(told, ["`softmax` does not take integers, but `input` is int64"]);
        let asked = ("dtype", Argument::DType(DType::Float32));
        assert_eq!(
            call("torch.nn.functional.softmax", &[x(), ("dim", integer(1)), asked]),
            (result(&[2, 3], DType::Float32), vec![])
        );
        let axis = ("axis", integer(0));
        let array = ("a", tensor(&[2, 3], DType::Int64));
        let rest = [("dtype", Argument::None), ("keepdims", Argument::Boolean(false))];
        let mean = call("numpy.mean", &[array, axis, rest[0].clone(), rest[1].clone()]);
        assert_eq!(mean, (result(&[3], DType::Float64), vec![]));
    }

    #[test]
    fn axes_of_arrays_may_be_left_out() {
        let array = || ("a", tensor(&[2, 3, 4], DType::Int64));
        let transposed = call("numpy.transpose", &[array(), ("axes", Argument::None)]).0;
        assert_eq!(transposed, result(&[4, 3, 2], DType::Int64));
        let flat = call("numpy.cumsum", &[array(), ("axis", Argument::None), ("dtype", Argument::None)]).0;
        assert_eq!(flat, result(&[24], DType::Int64));
    }

    /// The specifications of all built-in calls that have a signature.
    fn described() -> Vec<&'static ApiSpec> {
        let mut specs = Vec::new();
        for entry in harp_builtin::library().entries() {
            match entry {
                Entry::Api(spec) => specs.push(&**spec),
                Entry::Class(class) => {
                    specs.extend(&class.call);
                    specs.extend(class.methods.iter().map(|(_, method)| method));
                }
                Entry::Constant(_) => {}
            }
        }
        specs.retain(|spec| matches!(spec.behaviour, Behaviour::Signature(_)));
        specs
    }

    #[test]
    fn no_signature_alarms_without_arguments_or_panics_on_odd_ones() {
        let odd = [
            Argument::None,
            integer(-7),
            integer(i64::MAX),
            integer(i64::MIN),
            Argument::Float(None),
            Argument::Text("x".into()),
            Argument::Sequence(Vec::new()),
            Argument::Sequence(vec![Argument::Sequence(vec![integer(1)]), Argument::None]),
            Argument::Sequence(vec![tensor(&[2], DType::Int64), Argument::Unknown, tensor(&[], DType::Bool)]),
            Argument::Ellipsis,
            tensor(&[], DType::Float32),
            tensor(&[0, 3], DType::Bool),
            Argument::Tensor(TensorArgument { shape: Shape::unknown("s"), dtype: DType::Unknown }),
        ];
        for spec in described() {
            let (_, judged) = apply(spec, &[]);
            let violated = judged.iter().filter(|judged| judged.outcome == harp_shape::Outcome::Violated).count();
            assert_eq!(violated, 0, "{}", spec.qualified_name);
            for (index, first) in odd.iter().enumerate() {
                for shift in 0..3 {
                    let argument = |place: usize| match (place, shift) {
                        (0, _) | (_, 0) => first.clone(),
                        (place, shift) => odd[(index + place * shift) % odd.len()].clone(),
                    };
                    let names = spec.parameters.iter().map(|parameter| &*parameter.name);
                    let arguments: Vec<_> = names.enumerate().map(|(place, name)| (name, argument(place))).collect();
                    apply(spec, &arguments);
                }
            }
        }
    }
}
