//! The building blocks of torchvision's residual networks, which programs put together themselves.

use std::rc::Rc;

use harp_corpus::Span;
use harp_interp::api::library_model::{FunctionHandler, MethodHandler};
use harp_interp::calls::call::CallArguments;
use harp_interp::heap::objects::{InstanceData, Payload};
use harp_interp::state::interpreter::{Eval, Interpreter};
use harp_interp::values::value::{ObjectId, Value};
use harp_python::name::{Name, name};
use harp_shape::Dim;

const BASIC: &str = "torchvision.models.resnet.BasicBlock";
const BOTTLENECK: &str = "torchvision.models.resnet.Bottleneck";

pub fn function(name: &str) -> Option<FunctionHandler> {
    matches!(name, BASIC | BOTTLENECK).then_some(construct as FunctionHandler)
}

pub fn instance_call(class: &str) -> Option<MethodHandler> {
    matches!(class, BASIC | BOTTLENECK).then_some(run as MethodHandler)
}

/// By what a block multiplies its planes.
pub fn constant(name: &str) -> Option<Value> {
    let class = name.strip_suffix(".expansion")?;
    matches!(class, BASIC | BOTTLENECK).then(|| Value::int(expansion(class)))
}

fn expansion(class: &str) -> i64 {
    if class == BOTTLENECK { 4 } else { 1 }
}

/// `Block(inplanes, planes, stride=1, downsample=None, groups=1, base_width=64, dilation=1, norm_layer=None)`.
fn construct(interpreter: &mut Interpreter<'_>, class: Name, arguments: CallArguments) -> Eval {
    let span = arguments.span;
    let data = InstanceData { class: Value::Library(class), arguments: Vec::new(), origin: span };
    let id = interpreter.heap.allocate(Payload::Instance(Rc::new(data)));
    let argument = |position, name: &str, default: Value| arguments.get(position, name).cloned().unwrap_or(default);
    let (from, planes) = (argument(0, "inplanes", Value::None), argument(1, "planes", Value::None));
    let (stride, dilation) = (argument(2, "stride", Value::int(1)), argument(6, "dilation", Value::int(1)));
    let normalise = match argument(7, "norm_layer", Value::None) {
        Value::None => Value::library("torch.nn.BatchNorm2d"),
        given => given,
    };
    let groups = argument(4, "groups", Value::int(1));
    let out = scaled(&planes, expansion(class.as_str()));
    let layers: Vec<(&str, Value, Value, i64, Value, Value)> = if class.as_str() == BOTTLENECK {
        let width = width(&planes, &argument(5, "base_width", Value::int(64)), &groups);
        vec![
            ("1", from, width.clone(), 1, Value::int(1), Value::int(1)),
            ("2", width.clone(), width.clone(), 3, stride, groups),
            ("3", width, out, 1, Value::int(1), Value::int(1)),
        ]
    } else {
        vec![
            ("1", from, planes.clone(), 3, stride, Value::int(1)),
            ("2", planes.clone(), planes, 3, Value::int(1), Value::int(1)),
        ]
    };
    for (number, from, to, kernel, stride, groups) in layers {
        let spread = if kernel == 3 { dilation.clone() } else { Value::int(1) };
        let padding = if kernel == 3 { spread.clone() } else { Value::int(0) };
        let keywords = [("stride", stride), ("padding", padding), ("groups", groups), ("dilation", spread)];
        let convolution = convolution(interpreter, vec![from, to.clone(), Value::int(kernel)], keywords, span)?;
        interpreter.heap.set_attribute(id, Name::new(&format!("conv{number}")), convolution);
        let norm = interpreter.call(&normalise, CallArguments::positional(vec![to], span))?;
        interpreter.heap.set_attribute(id, Name::new(&format!("bn{number}")), norm);
    }
    let relu = interpreter.call_library(name!("torch.nn.ReLU"), CallArguments::empty(span))?;
    interpreter.heap.set_attribute(id, name!("relu"), relu);
    interpreter.heap.set_attribute(id, name!("downsample"), argument(3, "downsample", Value::None));
    Ok(Value::Instance(id))
}

fn convolution(
    interpreter: &mut Interpreter<'_>,
    positional: Vec<Value>,
    keywords: [(&str, Value); 4],
    span: Span,
) -> Eval {
    let mut call = CallArguments::positional(positional, span);
    for (name, value) in keywords {
        call.keywords.push((Name::new(name), value));
        call.keyword_spans.push(None);
    }
    interpreter.call_library(name!("torch.nn.Conv2d"), call)
}

fn scaled(planes: &Value, factor: i64) -> Value {
    planes.as_dim().map_or(Value::Unknown("planes"), |planes| Value::Int(planes * Dim::constant(factor)))
}

/// `int(planes * (base_width / 64.0)) * groups`, for the base widths that networks have.
fn width(planes: &Value, base_width: &Value, groups: &Value) -> Value {
    let (Some(planes), Some(groups)) = (planes.as_dim(), groups.as_dim()) else { return Value::Unknown("width") };
    match base_width.as_int() {
        Some(base @ 1..=4096) => Value::Int((planes * Dim::constant(base)).floor_div(Dim::constant(64)) * groups),
        _ => Value::Unknown("width"),
    }
}

fn part(interpreter: &mut Interpreter<'_>, id: ObjectId, name: &str, input: Value, span: Span) -> Eval {
    let module = interpreter.heap.attribute(id, Name::new(name)).cloned().unwrap_or(Value::Unknown("part"));
    interpreter.call(&module, CallArguments::positional(vec![input], span))
}

fn run(interpreter: &mut Interpreter<'_>, block: &Value, arguments: CallArguments) -> Eval {
    let (Value::Instance(id), Some(input)) = (block, arguments.get(0, "x").cloned()) else {
        return Ok(Value::Unknown("block"));
    };
    let span = arguments.span;
    let mut value = input.clone();
    for number in ["1", "2", "3"] {
        if interpreter.heap.attribute(*id, Name::new(&format!("conv{number}"))).is_none() {
            break;
        }
        value = part(interpreter, *id, &format!("conv{number}"), value, span)?;
        value = part(interpreter, *id, &format!("bn{number}"), value, span)?;
    }
    let shortcut = match interpreter.heap.attribute(*id, name!("downsample")) {
        None | Some(Value::None) => input,
        Some(_) => part(interpreter, *id, "downsample", input, span)?,
    };
    let sum = interpreter.call_library(name!("torch.add"), CallArguments::positional(vec![value, shortcut], span))?;
    part(interpreter, *id, "relu", sum, span)
}
