//! Functions of NumPy that programs call for single numbers and for types.

use harp_interp::api::library_model::FunctionHandler;
use harp_interp::builtins::isinstance::is_subclass;
use harp_interp::builtins::numbers::{array_rounding, product_of_sizes};
use harp_shape::DType;

pub fn function(name: &str) -> Option<FunctionHandler> {
    Some(match name {
        "numpy.prod" => product_of_sizes,
        "numpy.ceil" | "numpy.floor" | "numpy.trunc" | "numpy.fix" => array_rounding,
        "numpy.issubdtype" => is_subclass,
        _ => return None,
    })
}

/// Whether an element type is of one of NumPy's kinds of types (NumPy's reference, "Scalars").
pub fn is_of_kind(dtype: DType, kind: &str) -> Option<bool> {
    let is_number = dtype.is_floating() || dtype.is_complex() || dtype.is_integer();
    let is_unsigned = matches!(dtype, DType::UInt8 | DType::UInt16 | DType::UInt32 | DType::UInt64);
    let answer = match kind.strip_prefix("numpy.")? {
        "generic" => true,
        "number" => is_number,
        "inexact" => dtype.is_floating() || dtype.is_complex(),
        "floating" => dtype.is_floating(),
        "complexfloating" => dtype.is_complex(),
        "integer" => dtype.is_integer(),
        "unsignedinteger" => is_unsigned,
        "signedinteger" => dtype.is_integer() && !is_unsigned,
        _ => return None,
    };
    dtype.is_known().then_some(answer)
}
