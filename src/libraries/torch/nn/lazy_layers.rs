//! Lazy layers of PyTorch: the first input says how many features there are, and the layer is an ordinary one from then on
//! (PyTorch's documentation, `torch.nn.modules.lazy.LazyModuleMixin`).

use std::rc::Rc;

use harp_interp::api::library_model::MethodHandler;
use harp_interp::calls::call::CallArguments;
use harp_interp::heap::objects::{InstanceData, Payload};
use harp_interp::state::interpreter::{Eval, Interpreter};
use harp_interp::values::value::Value;
use harp_python::name::Name;

/// What a lazy layer becomes.
struct Settled {
    class: &'static str,
    /// The parameter of its constructor that the lazy one does not have.
    parameter: &'static str,
    /// The axis of the input that says it, from the front or from the end.
    axis: i64,
}

fn settled(class: &str) -> Option<Settled> {
    let (class, parameter, axis) = match class {
        "torch.nn.LazyLinear" => ("torch.nn.Linear", "in_features", -1),
        "torch.nn.LazyConv1d" => ("torch.nn.Conv1d", "in_channels", -2),
        "torch.nn.LazyConv2d" => ("torch.nn.Conv2d", "in_channels", -3),
        "torch.nn.LazyConv3d" => ("torch.nn.Conv3d", "in_channels", -4),
        "torch.nn.LazyConvTranspose1d" => ("torch.nn.ConvTranspose1d", "in_channels", -2),
        "torch.nn.LazyConvTranspose2d" => ("torch.nn.ConvTranspose2d", "in_channels", -3),
        "torch.nn.LazyConvTranspose3d" => ("torch.nn.ConvTranspose3d", "in_channels", -4),
        "torch.nn.LazyBatchNorm1d" => ("torch.nn.BatchNorm1d", "num_features", 1),
        "torch.nn.LazyBatchNorm2d" => ("torch.nn.BatchNorm2d", "num_features", 1),
        "torch.nn.LazyBatchNorm3d" => ("torch.nn.BatchNorm3d", "num_features", 1),
        _ => return None,
    };
    Some(Settled { class, parameter, axis })
}

pub fn instance_call(class: &str) -> Option<MethodHandler> {
    settled(class).map(|_| first_call as MethodHandler)
}

/// The first call of a lazy layer.
fn first_call(interpreter: &mut Interpreter<'_>, layer: &Value, arguments: CallArguments) -> Eval {
    let Value::Instance(id) = layer else { return Ok(Value::Unknown("lazy layer")) };
    let class = match interpreter.heap.instance(*id).map(|data| data.class.clone()) {
        Some(Value::Library(class)) => class,
        // A class of the program that derives from one.
        _ => {
            let bases = interpreter.library_bases(&interpreter.class_of(layer), None);
            let Some(base) = bases.into_iter().find(|base| settled(base.as_str()).is_some()) else {
                return Ok(Value::Unknown("lazy layer"));
            };
            return interpreter.call_as_annotated(*id, base, arguments);
        }
    };
    let Some(settled) = settled(class.as_str()) else { return interpreter.call_as_annotated(*id, class, arguments) };
    let input = arguments.get(0, "input").map(|input| interpreter.read(input));
    let size = match input {
        Some(Value::Tensor(tensor)) => interpreter.solver.resolve_shape(&tensor.shape).dims().and_then(|dims| {
            let axis = if settled.axis < 0 { settled.axis + i64::try_from(dims.len()).ok()? } else { settled.axis };
            dims.get(usize::try_from(axis).ok()?).copied()
        }),
        _ => None,
    };
    let (Some(size), Some(data)) = (size, interpreter.heap.instance(*id).cloned()) else {
        return interpreter.call_as_annotated(*id, class, arguments);
    };
    let own = (Name::new(settled.parameter), Value::Int(size));
    let data = InstanceData {
        class: Value::library(settled.class),
        arguments: std::iter::once(own).chain(data.arguments.iter().cloned()).collect(),
        origin: data.origin,
    };
    interpreter.heap.set_payload(*id, Payload::Instance(Rc::new(data)));
    interpreter.call(layer, arguments)
}
