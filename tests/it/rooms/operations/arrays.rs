//! Functions of NumPy.

use crate::common::families::rules;
use harp::operations::lookup;
use harp::operations::operation::{Argument, Arguments, Operation, Output, TensorArgument};
use harp::shape::{DType, Dim, Shape, Solver};

fn constant(value: i64) -> Dim {
    Dim::constant(value)
}

fn known(dims: &[i64]) -> Shape {
    Shape::known(dims.iter().copied().map(constant).collect::<Vec<_>>())
}

fn integers(values: &[i64]) -> Argument {
    Argument::Sequence(values.iter().map(|value| Argument::Integer(constant(*value))).collect())
}

fn evaluate(transfer: &str, arguments: &[(&str, Argument)]) -> Output {
    let mut bound = Arguments::default();
    arguments.iter().for_each(|(name, value)| bound.push(name, value.clone()));
    let mut solver = Solver::new();
    let mut operation = Operation::new("numpy.function", rules("numpy.function"), &bound, &mut solver);
    lookup(transfer).expect("a transfer function")(&mut operation)
}

fn array_of(dims: &[i64], dtype: DType) -> Argument {
    Argument::Tensor(TensorArgument { shape: known(dims), dtype })
}

#[test]
fn floats_have_64_bits_unless_asked_for_otherwise() {
    let zeros = evaluate("array_create", &[("shape", integers(&[2, 3]))]);
    assert_eq!(zeros, Output::tensor(known(&[2, 3]), DType::Float64));
    let asked = [("shape", integers(&[2])), ("dtype", Argument::DType(DType::Float32))];
    assert_eq!(evaluate("array_create", &asked), Output::tensor(known(&[2]), DType::Float32));
    let kept = evaluate("array", &[("object", array_of(&[4], DType::Float32))]);
    assert_eq!(kept, Output::tensor(known(&[4]), DType::Float32));
}

#[test]
fn padding_is_given_once_or_an_axis() {
    let input = ("input", array_of(&[2, 3], DType::Float32));
    let one = ("pad_width", Argument::Integer(constant(1)));
    assert_eq!(evaluate("array_pad", &[input.clone(), one]), Output::tensor(known(&[4, 5]), DType::Float32));
    let pairs = ("pad_width", Argument::Sequence(vec![integers(&[0, 1]), integers(&[2, 2])]));
    assert_eq!(evaluate("array_pad", &[input, pairs]), Output::tensor(known(&[3, 7]), DType::Float32));
}
