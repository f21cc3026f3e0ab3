//! Arrays in files of numbers without shapes (`tofile`, `memmap`) and in tables of text (`savetxt`, `loadtxt`): what the program has written there, and
//! what the arguments of the call say where it has not.

use crate::numpy::loaded_arrays::read_tensor;
use crate::stdlib::saved_objects;
use harp_interp::api::library_model::{FunctionHandler, MethodHandler};
use harp_interp::calls::call::CallArguments;
use harp_interp::state::interpreter::{Eval, Interpreter};
use harp_interp::values::value::Value;
use harp_python::name::Name;
use harp_shape::{DType, Dim, Element, Shape, ShapeVar, Var, VarInfo};

pub fn function(name: &str) -> Option<FunctionHandler> {
    Some(match name {
        "numpy.loadtxt" | "numpy.genfromtxt" => load_text,
        "numpy.fromfile" | "numpy.memmap" => load_numbers,
        _ => return None,
    })
}

pub fn method(name: &str) -> Option<MethodHandler> {
    (name == "numpy.ndarray.tofile").then_some(|this: &mut Interpreter<'_>, array: &Value, arguments: CallArguments| {
        saved_objects::write(this, Some(array.clone()), arguments.get(0, "fid").cloned(), arguments.span);
        Ok(Value::None)
    })
}

fn kept_dims(interpreter: &mut Interpreter<'_>, file: Option<&Value>) -> Option<Vec<Dim>> {
    let Value::Tensor(kept) = saved_objects::kept(interpreter, file)? else { return None };
    interpreter.solver.resolve_shape(&kept.shape).dims()
}

/// A table of text: a record a row. Which columns are taken may be said, and how many rows there are only where the program wrote them, with one
/// line before them if it leaves one out.
fn load_text(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    let is_text = arguments.get(1, "dtype").is_some_and(|dtype| is_text_type(interpreter, dtype));
    let dtype = match arguments.get(1, "dtype") {
        None => DType::Float64,
        Some(dtype) => dtype_of(interpreter, dtype).unwrap_or(DType::Unknown),
    };
    let rows = Dim::var(Var::fresh(VarInfo::counted("rows").between(Some(1), None)));
    let columns = arguments.keyword("usecols").and_then(|columns| match interpreter.read(columns) {
        Value::Int(_) => Some(None),
        columns => interpreter.length_of(&columns).map(Some),
    });
    let left_out = arguments.keyword("skiprows").or_else(|| arguments.keyword("skip_header"));
    let is_whole = left_out.is_none_or(|count| count.as_int().is_some_and(|count| count <= 1))
        && arguments.keyword("max_rows").is_none();
    let is_plain = arguments.keyword("unpack").is_none() && arguments.keyword("ndmin").is_none();
    let kept = kept_dims(interpreter, arguments.positional.first()).filter(|_| is_whole && is_plain);
    let shape = match (kept.as_deref(), columns) {
        (Some([rows, _]), Some(Some(columns))) => Shape::known(vec![*rows, columns]),
        (Some([rows, _] | [rows]), Some(None)) => Shape::known(vec![*rows]),
        (Some(dims), None) => Shape::known(dims.to_vec()),
        (_, Some(Some(columns))) if is_plain && !is_text && columns.as_const().is_some_and(|count| count > 1) => {
            Shape::known(vec![rows, columns])
        }
        // A table of texts has a record in each row: how many there are is no setting of the program.
        _ if is_text => {
            let record = ShapeVar::fresh("array");
            rows.as_var().into_iter().for_each(|rows| interpreter.model_state.text_tables.insert(rows, record));
            Shape::known(vec![rows]).concat(&Shape::new(vec![Element::Rest(record)]))
        }
        _ => return Ok(read_tensor(interpreter, name, Shape::unknown("array"), DType::Unknown, arguments.span)),
    };
    let dtype = if is_text { DType::Unknown } else { dtype };
    Ok(read_tensor(interpreter, name, shape, dtype, arguments.span))
}

/// A file of nothing but numbers has one axis, unless a shape is given.
fn load_numbers(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    let is_map = name.as_str() == "numpy.memmap";
    let dtype = match arguments.get(1, "dtype") {
        None if is_map => Some(DType::UInt8),
        None => Some(DType::Float64),
        Some(dtype) => dtype_of(interpreter, dtype),
    };
    let Some(dtype) = dtype else {
        // A record of several fields is one item, and so is what is not known.
        return Ok(read_tensor(interpreter, name, Shape::unknown("array"), DType::Unknown, arguments.span));
    };
    let given = if is_map { arguments.get(4, "shape").map(|shape| interpreter.read(shape)) } else { None };
    let dims = match given {
        Some(Value::None) | None => None,
        Some(Value::Int(length)) => Some(vec![length]),
        Some(shape) => match interpreter.dims_of(&shape) {
            Some(dims) => Some(dims),
            None => return Ok(read_tensor(interpreter, name, Shape::unknown("array"), dtype, arguments.span)),
        },
    };
    let dims = dims.unwrap_or_else(|| {
        let is_whole = arguments.keyword("offset").is_none() && arguments.get(2, "count").is_none() || is_map;
        let kept = kept_dims(interpreter, arguments.positional.first()).filter(|_| is_whole);
        let count = kept.map(|dims| dims.into_iter().fold(Dim::constant(1), |all, dim| all * dim));
        vec![count.unwrap_or_else(|| Dim::var(Var::fresh(VarInfo::counted("numbers").between(Some(1), None))))]
    });
    Ok(read_tensor(interpreter, name, Shape::known(dims), dtype, arguments.span))
}

/// The dtype that a value names for NumPy or PyTorch.
pub(crate) fn dtype_of(interpreter: &Interpreter<'_>, dtype: &Value) -> Option<DType> {
    match interpreter.read(dtype) {
        Value::DType(dtype) => Some(dtype),
        Value::Str(Some(name)) => DType::parse(&name),
        Value::Library(name) => match name.as_str() {
            "builtins.float" => Some(DType::Float64),
            "builtins.int" => Some(DType::Int64),
            name => name.strip_prefix("numpy.").and_then(DType::parse),
        },
        _ => None,
    }
}

/// `str`, `np.str_`, `object`, and what `np.dtype` makes of them.
fn is_text_type(interpreter: &Interpreter<'_>, dtype: &Value) -> bool {
    match interpreter.read(dtype) {
        Value::Library(name) => {
            matches!(
                name.as_str(),
                "builtins.str" | "builtins.object" | "numpy.str_" | "numpy.object_" | "numpy.bytes_"
            )
        }
        Value::Instance(_) if interpreter.is_instance_of(dtype, "numpy.dtype") => interpreter
            .instance_data(dtype)
            .is_some_and(|data| data.arguments.iter().any(|(_, argument)| is_text_type(interpreter, argument))),
        Value::Str(Some(name)) => name.starts_with(['U', 'S', 'O']) || matches!(&*name, "str" | "object"),
        _ => false,
    }
}
