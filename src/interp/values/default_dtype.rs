//! Tensors of new floats: their element type, which a program may set.

use crate::api::call_api::Bound;
use crate::api::results::Maker;
use crate::state::interpreter::Interpreter;
use crate::values::value::Value;
use harp_annotations::{ApiSpec, Setting};
use harp_limits::light_tick;
use harp_python::name::Name;
use harp_shape::{Assumed, DType};

/// How deep the sequences in an argument are looked through for tensors.
const DEEPEST: usize = 2;

impl Interpreter<'_> {
    /// A call may decide of which type new tensors are. Which modules and entries run before it, and
    /// on which branch it stands, is not followed: from then on the type is not known.
    pub(crate) fn note_default_float(&mut self, spec: &ApiSpec, bound: &Bound) {
        if !spec.sets.contains(&Setting::DefaultFloat) {
            return;
        }
        let keeps = |text: &str| matches!(text.rsplit('.').next(), Some("float32" | "float" | "FloatTensor"));
        let keeps_default = bound.first().is_some_and(|(_, value)| match self.read(value) {
            Value::DType(dtype) => dtype == DType::Float32,
            Value::Str(Some(text)) => keeps(&text),
            Value::Library(name) => keeps(name.as_str()),
            _ => false,
        });
        if !keeps_default {
            self.model_state.default_float = DType::Unknown;
        }
    }

    /// The element type of an operation's result, where PyTorch's default would be that of floats that nothing but the default decides.
    pub(crate) fn dtype_of_new(&self, dtype: DType, maker: &Maker<'_>) -> DType {
        if self.model_state.default_float == DType::Float32
            || dtype != DType::Float32
            || maker.kind.known_rules().is_some_and(|rules| rules.assumed != Assumed::Everywhere)
        {
            return dtype;
        }
        let decides = |(name, value): &(Name, Value)| match name.as_str() {
            "dtype" => !value.is_none() && !matches!(value, Value::Unknown("argument not given")),
            _ => self.has_floats(value, 0),
        };
        if maker.bound.iter().any(decides) { dtype } else { self.model_state.default_float }
    }

    /// Whether a value is a tensor of floats, or of a type that is not known, or holds one.
    fn has_floats(&self, value: &Value, depth: usize) -> bool {
        light_tick();
        match self.read(value) {
            Value::Tensor(tensor) => !tensor.dtype.is_integer() && tensor.dtype != DType::Bool,
            Value::Tuple(items) if depth < DEEPEST => items.iter().any(|item| self.has_floats(item, depth + 1)),
            Value::List(id) if depth < DEEPEST => {
                self.heap.list(id).is_some_and(|list| list.items.iter().any(|item| self.has_floats(item, depth + 1)))
            }
            _ => false,
        }
    }
}
