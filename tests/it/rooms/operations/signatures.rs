//! Functions that a signature describes.

use crate::common::families::rules;
use harp::annotations::{ApiSpec, Behaviour, Entry};
use harp::operations::apply_signature::apply_signature;
use harp::operations::operation::{Argument, Arguments, Judged, Output, TensorArgument};
use harp::shape::{DType, Dim, Shape, Solver};

fn tensor(dims: &[i64], dtype: DType) -> Argument {
    let shape = Shape::known(dims.iter().map(|dim| Dim::constant(*dim)).collect::<Vec<_>>());
    Argument::Tensor(TensorArgument { shape, dtype })
}

fn integer(value: i64) -> Argument {
    Argument::Integer(Dim::constant(value))
}

fn apply(spec: &ApiSpec, arguments: &[(&str, Argument)]) -> (Output, Vec<Judged>) {
    let Behaviour::Signature(signature) = &spec.behaviour else { panic!("{} has no signature", spec.qualified_name) };
    let mut bound = Arguments::default();
    arguments.iter().for_each(|(name, value)| bound.push(spec.argument_name(name), value.clone()));
    apply_signature(&mut Solver::new(), &spec.qualified_name, rules(&spec.qualified_name), spec, signature, &bound)
}

/// The result of a built-in function, and what is said of the call.
fn call(name: &str, arguments: &[(&str, Argument)]) -> (Output, Vec<String>) {
    let spec = harp::builtin::library().function(name).expect("the function is described");
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
    for entry in harp::builtin::library().entries() {
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
        let violated = judged.iter().filter(|judged| judged.outcome == harp::shape::Outcome::Violated).count();
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
