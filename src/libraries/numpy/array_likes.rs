//! NumPy's functions on lists of numbers in place of an array.

use harp_corpus::Span;
use harp_interp::api::call_api::Bound;
use harp_interp::calls::call::CallArguments;
use harp_interp::state::interpreter::{Eval, Interpreter};
use harp_interp::values::value::Value;
use harp_python::name::{Name, name};

/// Parameters of NumPy's functions that take an array, or what makes one.
const ARRAY_LIKE: [&str; 12] = ["a", "b", "x", "x1", "x2", "y", "arr", "ary", "array", "m", "v", "value"];

/// What makes arrays of sequences itself, of the type that it is told.
const MAKES_ARRAYS: [&str; 6] = [
    "numpy.array",
    "numpy.asanyarray",
    "numpy.asarray",
    "numpy.asarray_chkfinite",
    "numpy.ascontiguousarray",
    "numpy.asfortranarray",
];

#[easy_ext::ext(ArrayLikesMethods)]
pub impl Interpreter<'_> {
    /// NumPy makes arrays of the numbers that a program lists where it takes an array.
    fn make_arrays(&mut self, api: Name, bound: &mut Bound, span: Span) -> Eval<()> {
        if MAKES_ARRAYS.contains(&api.as_str()) || api.as_str().starts_with("numpy.random.") {
            return Ok(());
        }
        for (_, value) in bound.iter_mut().filter(|(name, _)| ARRAY_LIKE.contains(&name.as_str())) {
            let is_listed = match self.read(value) {
                Value::Tuple(items) => !items.is_empty(),
                Value::List(id) => self.heap.list(id).is_some_and(|data| data.rest.is_none() && !data.items.is_empty()),
                _ => false,
            };
            if is_listed {
                let listed = CallArguments::positional(vec![value.clone()], span);
                *value = self.call_library(name!("numpy.array"), listed)?;
            }
        }
        Ok(())
    }
}

/// Whether a function makes an array of what it is given, whose items may be any objects.
pub(crate) fn makes_array(name: &str) -> bool {
    matches!(name, "numpy.array" | "numpy.asarray" | "numpy.asanyarray")
}
