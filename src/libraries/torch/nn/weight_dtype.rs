//! The element type of a PyTorch layer's weights: what the constructor was told, or what `double()` and its like made
//! of it.

use harp_annotations::ClassSpec;
use harp_interp::budget::costly_calls::EntryKind;
use harp_interp::heap::objects::InstanceData;
use harp_interp::state::interpreter::Interpreter;
use harp_interp::values::value::{ObjectId, Value};
use harp_operations::size_names::WEIGHT_TYPE;
use harp_python::name::Name;
use harp_shape::DType;

/// The attribute in which a module remembers a conversion: no program can name it.
const CONVERTED: &str = "type of the parameters";

#[easy_ext::ext(WeightDtypeMethods)]
pub impl Interpreter<'_> {
    /// Notes that the floats of a module have a type from now on; `None` where it is not known which.
    fn note_conversion(&mut self, module: ObjectId, dtype: Option<DType>) {
        let value = dtype.map_or(Value::None, Value::DType);
        self.heap.set_attribute(module, Name::new(CONVERTED), value);
    }

    /// The element type of the floats among a layer's parameters.
    fn weight_type(&self, layer: ObjectId, data: &InstanceData) -> DType {
        match self.heap.attribute(layer, Name::new(CONVERTED)).map(|value| self.read(value)) {
            Some(Value::DType(dtype)) => return dtype,
            Some(_) => return DType::Unknown,
            None => {}
        }
        let given = data.arguments.iter().find(|(name, _)| name.as_str() == "dtype").map(|(_, value)| self.read(value));
        match given {
            Some(Value::DType(dtype)) => dtype,
            None | Some(Value::None | Value::Unknown("argument not given")) => self.model_state.default_float,
            Some(_) => DType::Unknown,
        }
    }

    /// The argument that tells a layer's call of its weights' type. Who uses a class elsewhere may convert its modules there, so that only scripts
    /// know it, and a weight that the program set itself may have any.
    fn weight_type_argument(&self, layer: ObjectId, spec: &ClassSpec, data: &InstanceData) -> Option<(Name, Value)> {
        let has_weights = spec.constructor.parameters.iter().any(|parameter| &*parameter.name == "dtype");
        if !has_weights || self.entry.kind == EntryKind::Symbolic || self.inference.is_some() {
            return None;
        }
        let dtype = self.weight_type(layer, data);
        let differs = |value: &Value| matches!(value, Value::Tensor(tensor) if tensor.dtype.is_floating() && tensor.dtype != dtype);
        let is_replaced = self.heap.object(layer).attributes.iter().any(|(_, value)| differs(&self.read(value)));
        (dtype.is_floating() && !is_replaced).then(|| (Name::new(WEIGHT_TYPE), Value::DType(dtype)))
    }
}
