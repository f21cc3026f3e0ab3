//! Arrays that are read from files: what they hold is not known, but that they hold numbers is taken for granted where they are used.

use crate::known_families::KnownFamilies;
use crate::methods::*;
use std::rc::Rc;

use crate::stdlib::saved_objects;
use crate::torch::data::dataset::plain_tensor;
use harp_corpus::Span;
use harp_interp::api::library_model::{FunctionHandler, MethodHandler};
use harp_interp::calls::call::CallArguments;
use harp_interp::state::interpreter::{Eval, Interpreter};
use harp_interp::values::value::{Tensor, Value};
use harp_python::name::Name;
use harp_shape::{DType, Dim, Shape};
use harp_trace::assumption::{AssumptionKind, words};

pub fn function(name: &str) -> Option<FunctionHandler> {
    Some(match name {
        "numpy.load" => load_array,
        "cv2.imread" => |this, name, arguments| {
            let (height, width) = (this.free_dim("height", 1), this.free_dim("width", 1));
            let shape = match arguments.get(1, "flags").map(Value::as_int) {
                None | Some(Some(1)) => Shape::known(vec![height, width, Dim::constant(3)]),
                Some(Some(0)) => Shape::known(vec![height, width]),
                Some(_) => Shape::unknown("pixels"),
            };
            Ok(read_tensor(this, name, shape, DType::UInt8, arguments.span))
        },
        "torchtext.vocab._size_in_name" => size_in_name,
        _ => return None,
    })
}

/// How many numbers the word vectors of a name have: 100 of `glove.6B.100d`.
fn size_in_name(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let Some(Value::Str(Some(name))) = arguments.get(0, "name").map(|name| interpreter.read(name)) else {
        return Ok(Value::Int(interpreter.free_dim("dim", 1)));
    };
    let size = name.rsplit('.').next().and_then(|last| last.strip_suffix('d')?.parse().ok());
    Ok(match size {
        Some(size) => interpreter.number_in_name(&name, size),
        None => Value::Int(interpreter.free_dim("dim", 1)),
    })
}

pub fn method(name: &str) -> Option<MethodHandler> {
    // How many words texts have is given with them.
    if name == "torchtext.vocab.Vocab.__len__" {
        return Some(|this, vocabulary, arguments| match vocabulary {
            Value::Instance(id) => Ok(Value::Int(this.count_of_data(*id, arguments.span))),
            _ => Ok(Value::Unknown("length")),
        });
    }
    None
}

fn load_array(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    if let Some(kept) = saved_objects::kept(interpreter, arguments.get(0, "file")) {
        return Ok(kept);
    }
    let is_archive = arguments.get(0, "file").and_then(Value::as_text).is_some_and(|path| path.ends_with(".npz"));
    let array = read_tensor(interpreter, name, Shape::unknown("array"), DType::Unknown, arguments.span);
    if !is_archive {
        return Ok(array);
    }
    let dict = interpreter.heap.allocate_dict(Vec::new());
    interpreter.heap.change_dict(dict, |data| data.rest = Some((Value::Str(None), array)));
    Ok(Value::Dict(dict))
}

/// An array that a file holds.
pub(crate) fn read_tensor(
    interpreter: &mut Interpreter<'_>,
    name: Name,
    shape: Shape,
    dtype: DType,
    span: Span,
) -> Value {
    let speculation = interpreter.speculate(
        AssumptionKind::InputOutput,
        name.as_str(),
        words::input_output_array(),
        format!("`{name}` reads it"),
        span,
    );
    let Some(assumptions) = speculation.granted() else {
        return interpreter.symbolic(&format!("{name}(…)"), span, true);
    };
    match plain_tensor(shape, dtype, interpreter.numpy_array(), span) {
        Value::Tensor(tensor) => {
            Value::Tensor(Rc::new(Tensor { assumptions, name: Some(name), ..Tensor::clone(&tensor) }))
        }
        other => other,
    }
}

/// How many axes the arrays have at most that a reader of texts gives: a text has lines and columns.
pub(crate) fn most_axes(function: &str) -> Option<usize> {
    matches!(function, "numpy.loadtxt" | "numpy.genfromtxt").then_some(2)
}
