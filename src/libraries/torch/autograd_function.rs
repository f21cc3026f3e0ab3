//! `torch.autograd.Function`: differentiable functions that a program defines itself.

use std::rc::Rc;

use harp_annotations::Entry;
use harp_corpus::Span;
use harp_interp::api::call_api::Callee;
use harp_interp::api::library_model::{FunctionHandler, MethodHandler};
use harp_interp::budget::costly_calls::EntryKind;
use harp_interp::calls::call::CallArguments;
use harp_interp::heap::objects::{InstanceData, Payload};
use harp_interp::state::interpreter::{Eval, Interpreter};
use harp_interp::values::value::{BoundMethod, FunctionKind, Iteration, Tensor, Value};
use harp_python::name::{Name, name};
use harp_shape::Dim;

/// `apply` of `torch.autograd.Function`.
pub const APPLY: &str = "torch.autograd.Function.apply";

/// What is on while a block runs.
const MODES: [&str; 8] = [
    "torch.no_grad",
    "torch.enable_grad",
    "torch.inference_mode",
    "torch.set_grad_enabled",
    "torch.autocast",
    "torch.amp.autocast",
    "torch.cuda.amp.autocast",
    "torch.autograd.set_detect_anomaly",
];

pub fn function(name: &str) -> Option<FunctionHandler> {
    (name == "torch.autograd.grad").then_some(gradients as FunctionHandler)
}

/// The gradient of a tensor, which is as large.
fn gradient_of(value: &Value) -> Option<Value> {
    let Value::Tensor(tensor) = value else { return None };
    let gradient = Tensor { kind: tensor.kind.untrained(), name: None, elements: None, ..Tensor::clone(tensor) };
    Some(Value::Tensor(Rc::new(gradient)))
}

/// `grad(outputs, inputs)`: a tensor for each of the inputs, of its shape.
fn gradients(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    let inputs = arguments.get(1, "inputs").map(|inputs| interpreter.read(inputs));
    let inputs = match inputs {
        Some(tensor @ Value::Tensor(_)) => vec![tensor],
        Some(Value::Alternatives(_)) | None => Vec::new(),
        Some(several) => match interpreter.iterate(&several)? {
            Iteration::Items(items) => items.iter().map(|item| interpreter.read(item)).collect(),
            _ => Vec::new(),
        },
    };
    let is_alone = arguments.get(2, "grad_outputs").is_none_or(Value::is_none);
    let outputs = arguments.get(0, "outputs").filter(|_| is_alone).cloned();
    if let Some(shape) = outputs.and_then(|outputs| interpreter.shape_of_many(&outputs)) {
        let message =
            format!("only of one element a gradient is made without `grad_outputs`, but the shape is {shape}");
        interpreter.sequence_fails(name.as_str(), message, arguments.span);
    }
    let made = match interpreter.library_entry(name) {
        Some(Entry::Api(spec)) => interpreter.call_api(Callee { spec, api: name }, None, None, arguments)?,
        _ => interpreter.symbolic("gradients", arguments.span, true),
    };
    let gradients: Option<Vec<Value>> = inputs.iter().map(gradient_of).collect();
    Ok(gradients.filter(|gradients| !gradients.is_empty()).map_or(made, Value::tuple))
}

pub fn method(name: &str) -> Option<MethodHandler> {
    // `stack.enter_context(torch.no_grad())` calls them.
    let context = MODES.iter().find_map(|mode| name.strip_prefix(mode));
    match context {
        Some(".__enter__") => Some(|_, context, _| Ok(context.clone())),
        Some(".__exit__") => Some(|_, _, _| Ok(Value::Bool(false))),
        _ => match name {
            APPLY => Some(apply),
            "torch.autograd.function.FunctionCtx.save_for_backward" => Some(save_for_backward),
            _ => None,
        },
    }
}

/// `Class.apply(…)` runs `Class.forward(context, …)`; with a `setup_context` of its own, `forward` takes no context.
fn apply(interpreter: &mut Interpreter<'_>, class: &Value, arguments: CallArguments) -> Eval {
    let span = arguments.span;
    let Some(Value::Function(closure)) = interpreter.member_of(class, name!("forward"), None) else {
        interpreter.not_understood(APPLY, span);
        return Ok(interpreter.symbolic("result", span, true));
    };
    let is_of_class = closure.kind == FunctionKind::ClassMethod;
    let forward = Value::Function(closure);
    let forward = match is_of_class {
        true => Value::BoundMethod(Rc::new(BoundMethod { receiver: class.clone(), function: forward })),
        false => forward,
    };
    if interpreter.member_of(class, name!("setup_context"), None).is_some() {
        return interpreter.call(&forward, arguments);
    }
    let own_class = class.clone();
    let class = Value::library("torch.autograd.function.FunctionCtx");
    let data = InstanceData { class, arguments: Vec::new(), origin: span };
    let context = Value::Instance(interpreter.heap.allocate(Payload::Instance(Rc::new(data))));
    let is_told = !(arguments.is_open || arguments.is_unpacked);
    let inputs = is_told.then(|| arguments.positional.clone());
    let result = interpreter.call(&forward, arguments.with_first(context.clone()))?;
    let gradients = go_back(interpreter, &own_class, &context, &result, span)?;
    if let (Some(inputs), Some(gradients)) = (inputs, gradients) {
        gradients_fit(interpreter, &own_class, (&inputs, &gradients), span);
    }
    Ok(result)
}

/// `ctx.save_for_backward(*tensors)`: `ctx.saved_tensors` are these.
fn save_for_backward(interpreter: &mut Interpreter<'_>, context: &Value, arguments: CallArguments) -> Eval {
    if let (Value::Instance(id), false) = (context, arguments.is_open) {
        let saved = Value::tuple(arguments.positional);
        interpreter.heap.set_attribute(*id, name!("saved_tensors"), saved);
    }
    Ok(Value::None)
}

/// Runs `backward` with gradients as large as the results are, where a script calls the function: what fails in it fails as the program learns.
fn go_back(
    interpreter: &mut Interpreter<'_>,
    class: &Value,
    context: &Value,
    result: &Value,
    span: Span,
) -> Eval<Option<Value>> {
    let is_script = interpreter.entry.kind != EntryKind::Symbolic && interpreter.inference.is_none();
    let Some(Value::Function(backward)) = interpreter.member_of(class, name!("backward"), None) else {
        return Ok(None);
    };
    let results = match interpreter.read(result) {
        tensor @ Value::Tensor(_) => vec![tensor],
        Value::Tuple(results) => results.to_vec(),
        _ => Vec::new(),
    };
    let gradients: Option<Vec<Value>> = results.iter().map(gradient_of).collect();
    let Some(gradients) = gradients.filter(|gradients| !gradients.is_empty()) else { return Ok(None) };
    if is_script && backward.kind == FunctionKind::Static {
        let arguments = CallArguments::positional([context.clone()].into_iter().chain(gradients).collect(), span);
        return interpreter.call(&Value::Function(backward), arguments).map(Some);
    }
    Ok(None)
}

/// Reports gradients that do not belong to the inputs of `forward`: one for each of them, as large as it is. More of them may be there if they
/// are `None`, and one that is larger is summed up where the input would be repeated.
fn gradients_fit(
    interpreter: &mut Interpreter<'_>,
    class: &Value,
    (inputs, gradients): (&[Value], &Value),
    span: Span,
) {
    let gradients = match interpreter.read(gradients) {
        Value::Tuple(gradients) => gradients.iter().map(|gradient| interpreter.read(gradient)).collect(),
        one @ (Value::Tensor(_) | Value::None) => vec![one],
        _ => return,
    };
    let name = interpreter.name_of_class(class);
    let has_tensors = inputs.iter().any(|input| matches!(interpreter.read(input), Value::Tensor(_)));
    let is_short = gradients.len() < inputs.len();
    let is_long = gradients.iter().skip(inputs.len()).any(|gradient| matches!(gradient, Value::Tensor(_)));
    if has_tensors && (is_short || is_long) {
        let (given, wanted) = (gradients.len(), inputs.len());
        let message = format!("`{name}.backward` gives {given} gradients, but `forward` takes {wanted} inputs");
        return interpreter.may_fail(APPLY, message, "`backward` runs".to_owned(), span);
    }
    for (place, (input, gradient)) in inputs.iter().zip(&gradients).enumerate() {
        let (Value::Tensor(input), Value::Tensor(gradient)) = (interpreter.read(input), gradient) else { continue };
        let shapes = [&input.shape, &gradient.shape].map(|shape| interpreter.solver.resolve_shape(shape));
        let [Some(own), Some(found)] = shapes.each_ref().map(|shape| shape.dims()) else { continue };
        let differs = |(own, found): (&Dim, &Dim)| match (own.as_const(), found.as_const()) {
            (Some(own), Some(found)) => own != 1 && own != found,
            _ => false,
        };
        if input.dtype.is_floating()
            && (found.len() < own.len() || own.iter().rev().zip(found.iter().rev()).any(differs))
        {
            let [own, found] = shapes;
            let message = format!("gradient {place} of `{name}.backward` is {found}, but the input is {own}");
            // What is not learned gets no gradient, and nobody looks at it.
            return match input.kind.is_parameter() {
                true => interpreter.sequence_fails(APPLY, message, span),
                false => interpreter.may_fail(APPLY, message, "the input requires a gradient".to_owned(), span),
            };
        }
    }
}
