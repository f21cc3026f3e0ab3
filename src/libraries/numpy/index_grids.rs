//! Objects of NumPy whose subscripts make arrays: `mgrid`, `ogrid`, `r_`, `c_`.

use crate::known_families::KnownFamilies;
use std::rc::Rc;

use harp_corpus::Span;
use harp_interp::calls::call::CallArguments;
use harp_interp::state::interpreter::Interpreter;
use harp_interp::values::value::{Device, Tensor, TensorKind, Value};
use harp_python::name::name;
use harp_shape::{DType, Dim, Shape};

/// What a subscript of one of these objects gives; `None` for another object, and where the items are not known.
pub fn item(interpreter: &mut Interpreter<'_>, name: &str, index: &Value, span: Span) -> Option<Value> {
    let items: Vec<Value> = match interpreter.read(index) {
        Value::Tuple(items) => items.iter().map(|item| interpreter.read(item)).collect(),
        single => vec![single],
    };
    match name {
        "numpy.mgrid" => {
            let sizes = lengths(interpreter, &items)?;
            let is_single = sizes.len() == 1 && !matches!(index, Value::Tuple(_));
            let count = i64::try_from(sizes.len()).ok()?;
            let all = if is_single { sizes } else { std::iter::once(Dim::constant(count)).chain(sizes).collect() };
            Some(recorded(interpreter, array(interpreter.numpy_array(), all, DType::Int64, span), span))
        }
        "numpy.ogrid" => {
            let sizes = lengths(interpreter, &items)?;
            let rank = sizes.len();
            let kind = interpreter.numpy_array();
            let one = |place: usize| {
                let mut dims = vec![Dim::constant(1); rank];
                dims[place] = sizes[place];
                array(kind, dims, DType::Int64, span)
            };
            if rank == 1 && !matches!(index, Value::Tuple(_)) {
                return Some(one(0));
            }
            Some(Value::tuple((0..rank).map(one).collect()))
        }
        "numpy.r_" | "numpy.c_" => joined(interpreter, name, &items, span),
        _ => None,
    }
}

/// An array that is an operation of its own: rules ask what is computed from a grid.
fn recorded(interpreter: &mut Interpreter<'_>, array: Value, span: Span) -> Value {
    let Value::Tensor(made) = &array else { return array };
    let sizes = interpreter.shape_value(made);
    let arguments = CallArguments::positional(vec![sizes], span);
    match interpreter.call_library(name!("numpy.mgrid"), arguments) {
        Ok(Value::Tensor(recorded)) => {
            Value::Tensor(Rc::new(Tensor { operation: recorded.operation, ..Tensor::clone(made) }))
        }
        _ => array,
    }
}

fn array(kind: TensorKind, dims: Vec<Dim>, dtype: DType, span: Span) -> Value {
    let made = Tensor::without_operation(Shape::known(dims), dtype, kind, span);
    Value::Tensor(Rc::new(Tensor { device: Device::Cpu, ..made }))
}

/// How many whole numbers each slice counts; `None` where a bound is not a known whole number.
fn lengths(interpreter: &Interpreter<'_>, items: &[Value]) -> Option<Vec<Dim>> {
    let number = |value: &Value, absent: i64| match interpreter.read(value) {
        Value::None => Some(absent),
        value => interpreter.solver.resolve(value.as_dim()?).as_const(),
    };
    let length = |item: &Value| {
        let Value::Slice(bounds) = item else { return None };
        let (lower, upper, step) = (number(&bounds[0], 0)?, number(&bounds[1], i64::MIN)?, number(&bounds[2], 1)?);
        if step == 0 || upper == i64::MIN {
            return None;
        }
        let span = if step > 0 { upper - lower } else { lower - upper };
        let step = step.abs();
        Some(Dim::constant((span.max(0) + step - 1) / step))
    };
    items.iter().map(length).collect()
}

/// `r_` joins vectors along their one dimension; `c_` makes columns of them, and joins matrices along the last dimension.
fn joined(interpreter: &mut Interpreter<'_>, name: &str, items: &[Value], span: Span) -> Option<Value> {
    let mut shapes: Vec<Vec<Dim>> = Vec::with_capacity(items.len());
    let mut dtype: Option<DType> = None;
    for item in items {
        let (dims, own) = match item {
            Value::Tensor(tensor) => (interpreter.solver.resolve_shape(&tensor.shape).dims()?, tensor.dtype),
            Value::Int(_) => (Vec::new(), DType::Int64),
            Value::Slice(_) => (lengths(interpreter, std::slice::from_ref(item))?, DType::Int64),
            _ => return None,
        };
        dtype = Some(dtype.map_or(own, |dtype| DType::promote(dtype, own)));
        shapes.push(dims);
    }
    let rank = shapes.iter().map(Vec::len).max()?.max(1);
    let raised = |dims: &Vec<Dim>| match (dims.len(), name) {
        (0, "numpy.r_") => vec![Dim::constant(1); rank],
        (_, "numpy.r_") => dims.clone(),
        (0, _) => vec![Dim::constant(1); rank.max(2)],
        (1, _) => vec![dims[0], Dim::constant(1)],
        _ => dims.clone(),
    };
    let shapes: Vec<Vec<Dim>> = shapes.iter().map(raised).collect();
    let axis = if name == "numpy.r_" { 0 } else { shapes.first()?.len() - 1 };
    let mut result = shapes.first()?.clone();
    for other in &shapes[1..] {
        let fits = other.len() == result.len()
            && (0..result.len()).all(|place| place == axis || !certainly_differ(result[place], other[place]));
        if !fits {
            let texts = (Shape::known(result), Shape::known(other.clone()));
            let message = format!("arrays {} and {} cannot be joined by `{name}`", texts.0, texts.1);
            interpreter.sequence_fails(name, message, span);
            return Some(interpreter.symbolic(name, span, true));
        }
        result[axis] = result[axis] + other[axis];
    }
    Some(array(interpreter.numpy_array(), result, dtype?, span))
}

fn certainly_differ(left: Dim, right: Dim) -> bool {
    left.as_const().zip(right.as_const()).is_some_and(|(left, right)| left != right)
}
