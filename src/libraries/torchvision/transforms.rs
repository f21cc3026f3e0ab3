//! torchvision's transforms that call other transforms, and the ways between images, arrays and tensors, whose layouts
//! differ. What a single transform does to a shape is an annotation.

use crate::known_families::{KnownFamilies, is_numpy_array};
use crate::methods::*;
use std::rc::Rc;

use crate::torch::data::dataset::given;
use crate::torch::tensors_from_lists;
use crate::torchvision::transforms_v2::is_sample;
use harp_annotations::Entry;
use harp_interp::api::call_api::Callee;
use harp_interp::api::dispatch::argument_of;
use harp_interp::api::library_model::{FunctionHandler, MethodHandler};
use harp_interp::calls::call::CallArguments;
use harp_interp::state::interpreter::{Eval, Interpreter};
use harp_interp::values::value::{Guard, Iteration, Literal, Tensor, Value};
use harp_limits::light_tick;
use harp_python::name::{Name, name};
use harp_shape::{DType, Dim, Shape};

/// The shape of the array of an image whose mode is not known: gray ones have no axis of channels.
const PIXELS: &str = "pixels";

pub fn function(name: &str) -> Option<FunctionHandler> {
    match name {
        // Where to cut, and how much: as much as is asked for.
        "torchvision.transforms.RandomCrop.get_params" => Some(|this, _, arguments| {
            let size = arguments.get(1, "output_size").map(|size| this.read(size));
            let sizes = match size.and_then(|size| this.dims_of(&size)).as_deref() {
                Some([height, width]) => [Value::Int(*height), Value::Int(*width)],
                _ => [(); 2].map(|()| this.any_integer("size")),
            };
            let corner = [(); 2].map(|()| this.any_integer("corner"));
            Ok(Value::tuple(corner.into_iter().chain(sizes).collect()))
        }),
        "numpy.array"
        | "numpy.asarray"
        | "numpy.asanyarray"
        | "numpy.ascontiguousarray"
        | "torchvision.transforms.functional.to_tensor"
        | "torchvision.transforms.functional.to_image"
        | "torchvision.transforms.functional.pil_to_tensor"
        | "torchvision.transforms.functional.to_pil_image" => Some(with_layout),
        _ => name.strip_prefix("numpy.").and_then(DType::parse).map(|_| numpy_scalar as FunctionHandler),
    }
}

pub fn instance_call(class: &str) -> Option<MethodHandler> {
    if class == "torchvision.datasets.StandardTransform" {
        return Some(standard);
    }
    match class.strip_prefix("torchvision.transforms.")? {
        "Compose" => Some(compose),
        "Lambda" => Some(lambda),
        "RandomApply" => Some(random_apply),
        "RandomChoice" => Some(random_choice),
        "RandomOrder" => Some(compose),
        "ToTensor" | "PILToTensor" | "ToImage" | "ToPILImage" => Some(convert_instance),
        _ => None,
    }
}

fn argument(interpreter: &Interpreter<'_>, transform: &Value, name: &str) -> Value {
    interpreter.instance_data(transform).map_or(Value::Unknown("transform"), |data| argument_of(&data, name))
}

/// Applies the transforms of a list one after the other.
fn apply_all(interpreter: &mut Interpreter<'_>, transforms: &Value, mut arguments: CallArguments) -> Eval {
    let span = arguments.span;
    let Iteration::Items(transforms) = interpreter.iterate(transforms)? else {
        interpreter.not_understood("transforms whose number is not known", span);
        return Ok(interpreter.symbolic("transformed image", span, true));
    };
    if is_sample(interpreter, &arguments) {
        return interpreter.transform_sample(&transforms, arguments);
    }
    for transform in transforms {
        let value = interpreter.call(&transform, arguments)?;
        arguments = CallArguments::positional(vec![value], span);
    }
    Ok(arguments.positional.into_iter().next().unwrap_or(Value::Unknown("transformed image")))
}

fn compose(interpreter: &mut Interpreter<'_>, transform: &Value, arguments: CallArguments) -> Eval {
    let mut transforms = argument(interpreter, transform, "transforms");
    if let Value::Instance(id) = transform
        && let Some(replaced) = interpreter.heap.attribute(*id, name!("transforms"))
    {
        transforms = replaced.clone();
    }
    apply_all(interpreter, &transforms, arguments)
}

fn lambda(interpreter: &mut Interpreter<'_>, transform: &Value, arguments: CallArguments) -> Eval {
    let function = argument(interpreter, transform, "lambd");
    interpreter.call(&function, arguments)
}

/// A transform of images and one of targets, each applied to its own, or one of both in place of them.
fn standard(interpreter: &mut Interpreter<'_>, transform: &Value, arguments: CallArguments) -> Eval {
    let joint = argument(interpreter, transform, "joint");
    if !matches!(interpreter.read(&joint), Value::None) {
        return interpreter.call(&joint, arguments);
    }
    let mut parts = Vec::new();
    for (position, [name, of]) in [["input", "transform"], ["target", "target_transform"]].into_iter().enumerate() {
        let part = arguments.get(position, name).cloned().unwrap_or(Value::Unknown("part of a sample"));
        let of_part = argument(interpreter, transform, of);
        parts.push(match interpreter.read(&of_part) {
            Value::None => part,
            of_part => interpreter.call(&of_part, CallArguments::positional(vec![part], arguments.span))?,
        });
    }
    Ok(Value::tuple(parts))
}

/// Applied or not: both are possible.
fn random_apply(interpreter: &mut Interpreter<'_>, transform: &Value, arguments: CallArguments) -> Eval {
    let original = arguments.positional.first().cloned().unwrap_or(Value::Unknown("image"));
    let transforms = argument(interpreter, transform, "transforms");
    let applied = apply_all(interpreter, &transforms, arguments)?;
    Ok(either(interpreter, applied, original))
}

fn either(interpreter: &mut Interpreter<'_>, applied: Value, original: Value) -> Value {
    let decision = interpreter.new_decision("the random transform is applied", None);
    let guard = |taken| -> Guard { Rc::from([Literal { decision, taken }]) };
    interpreter.join(vec![(guard(true), applied), (guard(false), original)])
}

fn random_choice(interpreter: &mut Interpreter<'_>, transform: &Value, arguments: CallArguments) -> Eval {
    let transforms = argument(interpreter, transform, "transforms");
    let Iteration::Items(transforms) = interpreter.iterate(&transforms)? else {
        interpreter.not_understood("transforms whose number is not known", arguments.span);
        return Ok(interpreter.symbolic("transformed image", arguments.span, true));
    };
    let mut results = Vec::with_capacity(transforms.len());
    for transform in &transforms {
        results.push(interpreter.call(transform, arguments.clone())?);
    }
    Ok(interpreter.widen(&results))
}

/// Calls the function as its annotation says, with the image in the layout that the annotation describes.
fn with_layout(interpreter: &mut Interpreter<'_>, name: Name, mut arguments: CallArguments) -> Eval {
    let to_array = name.as_str().starts_with("numpy.");
    // Tuples are the elements of an array of records, and no rows.
    if to_array && arguments.get(1, "dtype").is_some_and(|dtype| is_of_records(interpreter, dtype)) {
        return Ok(interpreter.symbolic("array of records", arguments.span, true));
    }
    if let Some(first) = arguments.positional.first().cloned() {
        if to_array && interpreter.is_filled_list(&first) {
            return tensors_from_lists::gather(interpreter, name, arguments);
        }
        if let Value::Alternatives(_) = interpreter.read(&first) {
            return interpreter.for_each_alternative(&first, |this, value| {
                let mut arguments = arguments.clone();
                arguments.positional[0] = value;
                with_layout(this, name, arguments)
            });
        }
        arguments.positional[0] = laid_out(interpreter, &first, to_array);
    }
    match interpreter.library_entry(name) {
        Some(Entry::Api(spec)) => interpreter.call_api(Callee { spec, api: name }, None, None, arguments),
        _ => Ok(arguments.positional.into_iter().next().unwrap_or(Value::Unknown("array"))),
    }
}

/// Whether a type of elements has fields: `[("x", "f4"), ("y", "f4")]`, and `numpy.dtype(…)` of such a list.
fn is_of_records(interpreter: &Interpreter<'_>, dtype: &Value) -> bool {
    let fields = match interpreter.read(dtype) {
        Value::List(id) => interpreter.heap.list(id).and_then(|data| data.items.first().cloned()),
        dtype @ Value::Instance(_) if interpreter.is_instance_of(&dtype, "numpy.dtype") => {
            let first = interpreter.instance_data(&dtype).and_then(|data| data.arguments.first().cloned());
            return first.is_some_and(|(_, fields)| is_of_records(interpreter, &fields));
        }
        _ => None,
    };
    matches!(fields, Some(Value::Tuple(_)))
}

/// `numpy.uint8(x)`: a number or an array of that type.
fn numpy_scalar(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    let dtype = name.as_str().strip_prefix("numpy.").and_then(DType::parse).unwrap_or(DType::Unknown);
    let Some(value) = arguments.positional.first().cloned() else { return Ok(Value::Unknown("number")) };
    interpreter.for_each_alternative(&value, |this, value| {
        Ok(match laid_out(this, &value, true) {
            Value::Tensor(tensor) => {
                Value::Tensor(Rc::new(Tensor { dtype, kind: this.numpy_array(), ..Tensor::clone(&tensor) }))
            }
            // A text is read as a number.
            Value::Str(_) if dtype.is_floating() => Value::Float(None),
            Value::Str(_) => this.any_integer("n"),
            Value::Int(dim) if dtype.is_floating() => Value::Float(dim.as_const().map(|value| value as f64)),
            Value::Float(value) if !dtype.is_floating() => match value {
                Some(value) if value.is_finite() && value.abs() < 9e15 => Value::int(value.trunc() as i64),
                _ => this.any_integer("n"),
            },
            // A list is made an array.
            other @ (Value::List(_) | Value::Tuple(_) | Value::Size(_)) => {
                let made = CallArguments::positional(vec![other, Value::DType(dtype)], arguments.span);
                return this.call_library(name!("numpy.array"), made);
            }
            other => other,
        })
    })
}

fn convert_instance(interpreter: &mut Interpreter<'_>, transform: &Value, mut arguments: CallArguments) -> Eval {
    light_tick();
    if is_sample(interpreter, &arguments) {
        return interpreter.transform_sample(std::slice::from_ref(transform), arguments);
    }
    if let Some(first) = arguments.positional.first().cloned() {
        if let Value::Alternatives(_) = interpreter.read(&first) {
            return interpreter.for_each_alternative(&first, |this, value| {
                let mut arguments = arguments.clone();
                arguments.positional[0] = value;
                convert_instance(this, transform, arguments)
            });
        }
        arguments.positional[0] = laid_out(interpreter, &first, false);
    }
    let Some(data) = interpreter.instance_data(transform) else { return Ok(Value::Unknown("transform")) };
    let classes = interpreter.library_bases(&interpreter.class_of(transform), None);
    let called = classes.into_iter().find_map(|class| Some((class, interpreter.library_class(class)?.call.as_ref()?)));
    let Some((class, call)) = called else { return Ok(Value::Unknown("transform")) };
    interpreter.call_api(Callee { spec: call, api: class }, None, Some(&data), arguments)
}

/// An image as an array `[height, width, channels]`, or an array as an image `[channels, height, width]`. One channel has no axis in an array.
pub(crate) fn laid_out(interpreter: &mut Interpreter<'_>, value: &Value, to_array: bool) -> Value {
    let Value::Tensor(tensor) = interpreter.read(value) else { return value.clone() };
    let dims = interpreter.solver.resolve_shape(&tensor.shape).dims();
    let (shape, kind) = match to_array {
        true if tensor.kind.rules().is_picture => {
            let shape = match dims.as_deref() {
                Some([channels, height, width]) => match channels.as_const() {
                    Some(1) => Shape::known(vec![*height, *width]),
                    Some(_) => Shape::known(vec![*height, *width, *channels]),
                    None => Shape::unknown(PIXELS),
                },
                _ => Shape::unknown(PIXELS),
            };
            (shape, interpreter.numpy_array())
        }
        false if is_numpy_array(&tensor) => {
            let shape = match dims.as_deref() {
                Some([height, width]) => Shape::known(vec![Dim::constant(1), *height, *width]),
                Some([height, width, channels]) => Shape::known(vec![*channels, *height, *width]),
                Some(_) => return value.clone(),
                None => {
                    // An image that was loaded may have any mode; of another array nothing is known.
                    let is_loaded = tensor.shape.shape_vars().any(|variable| variable.name() == PIXELS);
                    let channels = match is_loaded {
                        true => given("channels", Some(1), Some(4)),
                        false => interpreter.free_dim("channels", 1),
                    };
                    Shape::known(vec![channels, interpreter.free_dim("height", 1), interpreter.free_dim("width", 1)])
                }
            };
            (shape, interpreter.numpy_array())
        }
        _ => return value.clone(),
    };
    Value::Tensor(Rc::new(Tensor { shape, kind, ..Tensor::clone(&tensor) }))
}
