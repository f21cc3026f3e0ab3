//! Element types as objects: their members, `x.dtype.is_floating`, and whether one is equal to the text of its name.

use crate::state::interpreter::Interpreter;
use crate::values::value::Value;
use harp_python::name::Name;
use harp_shape::DType;

/// A member of an element type; `None` where types have no such member, or not in all libraries the same.
pub(crate) fn member_of_type(dtype: DType, name: Name) -> Option<Value> {
    // Types that only name this one.
    if matches!(name.as_str(), "type" | "base_dtype" | "as_numpy_dtype" | "dtype") {
        return Some(Value::DType(dtype));
    }
    let answer = |answer: bool| if dtype.is_known() { Value::Bool(answer) } else { Value::Unknown("element type") };
    let bytes = || i64::from(dtype.bits() / 8);
    Some(match name.as_str() {
        "is_floating" | "is_floating_point" => answer(dtype.is_floating()),
        "is_integer" => answer(dtype.is_integer()),
        "is_complex" => answer(dtype.is_complex()),
        "is_bool" => answer(dtype == DType::Bool),
        "is_unsigned" => answer(dtype.is_unsigned()),
        "name" if dtype.is_known() => Value::str(&dtype.to_string()),
        "name" => Value::Str(None),
        "itemsize" | "size" if dtype.is_known() => Value::int(bytes()),
        "kind" if dtype.is_known() => Value::str(kind(dtype)),
        "kind" => Value::Str(None),
        _ => return None,
    })
}

/// The letter for a kind of types (NumPy's reference, "dtype.kind").
fn kind(dtype: DType) -> &'static str {
    match dtype {
        DType::Bool => "b",
        _ if dtype.is_floating() => "f",
        _ if dtype.is_complex() => "c",
        _ if dtype.is_unsigned() => "u",
        _ => "i",
    }
}

impl Interpreter<'_> {
    /// Whether an element type is equal to a text; `None` where that is not decided here: in some libraries a type is equal to its name.
    pub(crate) fn type_is_text(&self, dtype: DType, text: &str) -> Option<Value> {
        if DType::parse(text) != Some(dtype) && dtype.is_known() {
            return None;
        }
        let mut used = self.families().iter().filter(|family| self.is_in_use(*family)).peekable();
        let are_names = used.peek().is_some() && used.all(|family| family.rules().types_equal_names);
        let is_sure = dtype.is_known() && dtype.to_string() == text && are_names;
        Some(if is_sure { Value::Bool(true) } else { Value::Unknown("comparison of element types") })
    }
}
