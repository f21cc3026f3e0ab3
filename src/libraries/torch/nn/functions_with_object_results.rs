//! Functions of PyTorch and einops whose results are objects: embeddings from tensors, vectors of parameters, sizes by name.

use harp_annotations::Entry;
use harp_interp::api::call_api::Callee;
use harp_interp::api::library_model::FunctionHandler;
use harp_interp::calls::call::CallArguments;
use harp_interp::state::interpreter::{Eval, Interpreter};
use harp_interp::values::value::{Iteration, Value};
use harp_python::name::{Name, name};
use harp_shape::{Dim, Shape};

pub fn function(name: &str) -> Option<FunctionHandler> {
    match name {
        "torch.nn.Embedding.from_pretrained" => Some(from_pretrained),
        "torch.nn.utils.parameters_to_vector" => Some(parameters_to_vector),
        "torch.utils.checkpoint.checkpoint" => Some(checkpoint),
        "einops.parse_shape" => Some(parse_shape),
        _ => None,
    }
}

/// What the annotation says of a call.
fn annotated(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    match interpreter.library_entry(name) {
        Some(Entry::Api(spec)) => interpreter.call_api(Callee { spec, api: name }, None, None, arguments),
        _ => Ok(interpreter.symbolic(&format!("{name}(…)"), arguments.span, true)),
    }
}

/// An embedding with the sizes of the tensor.
fn from_pretrained(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    let given = arguments.get(0, "embeddings").map(|value| interpreter.read(value));
    let dims = match &given {
        Some(Value::Tensor(tensor)) => interpreter.solver.resolve_shape(&tensor.shape).dims(),
        _ => None,
    };
    let Some([rows, columns]) = dims.as_deref() else { return annotated(interpreter, name, arguments) };
    let sizes = vec![Value::Int(*rows), Value::Int(*columns)];
    interpreter.call_library(name!("torch.nn.Embedding"), CallArguments::positional(sizes, arguments.span))
}

/// All elements of all parameters in one dimension.
fn parameters_to_vector(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    let Some(parameters) = arguments.get(0, "parameters").cloned() else {
        return annotated(interpreter, name, arguments);
    };
    let mut total = Dim::constant(0);
    let mut first = None;
    if let Iteration::Items(items) = interpreter.iterate(&parameters)? {
        for item in &items {
            let Value::Tensor(tensor) = interpreter.read(item) else { return annotated(interpreter, name, arguments) };
            if interpreter.solver.resolve_shape(&tensor.shape).rank().is_none() {
                return annotated(interpreter, name, arguments);
            }
            total = total + interpreter.solver.resolve_shape(&tensor.shape).prod();
            first = first.or(Some(tensor));
        }
    }
    match (first, annotated(interpreter, name, arguments)?) {
        (Some(first), Value::Tensor(made)) => {
            let mut vector = harp_interp::values::value::Tensor::clone(&made);
            vector.shape = Shape::known(vec![interpreter.solver.resolve(total)]);
            vector.dtype = first.dtype;
            Ok(Value::Tensor(std::rc::Rc::new(vector)))
        }
        (_, other) => Ok(other),
    }
}

/// The function's own result; what is kept for the backward pass plays no part.
fn checkpoint(interpreter: &mut Interpreter<'_>, name: Name, mut arguments: CallArguments) -> Eval {
    const OWN: [&str; 6] =
        ["use_reentrant", "preserve_rng_state", "context_fn", "determinism_check", "debug", "early_stop"];
    if arguments.positional.is_empty() || arguments.is_open {
        return annotated(interpreter, name, arguments);
    }
    let function = arguments.positional.remove(0);
    if !arguments.positional_spans.is_empty() {
        arguments.positional_spans.remove(0);
    }
    let kept: Vec<bool> = arguments.keywords.iter().map(|(keyword, _)| !OWN.contains(&keyword.as_str())).collect();
    let mut keep = kept.iter();
    arguments.keywords.retain(|_| keep.next().copied().unwrap_or(true));
    let mut keep = kept.iter();
    arguments.keyword_spans.retain(|_| keep.next().copied().unwrap_or(true));
    interpreter.call(&function, arguments)
}

/// `parse_shape(x, 'b c h w')`: a dictionary of the sizes.
fn parse_shape(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    let tensor = arguments.get(0, "x").map(|value| interpreter.read(value));
    let pattern = arguments.get(1, "pattern").map(|value| interpreter.read(value));
    let span = arguments.span;
    let checked = annotated(interpreter, name, arguments)?;
    let (Some(Value::Tensor(tensor)), Some(Value::Str(Some(pattern)))) = (tensor, pattern) else { return Ok(checked) };
    let Some(dims) = interpreter.solver.resolve_shape(&tensor.shape).dims() else { return Ok(checked) };
    let words: Vec<&str> = pattern.split_whitespace().collect();
    let dots = words.iter().position(|word| *word == "...");
    let fits = if dots.is_some() { words.len() <= dims.len() + 1 } else { words.len() == dims.len() };
    if !fits {
        return Ok(interpreter.symbolic("sizes", span, true));
    }
    let skipped = (dims.len() + 1).saturating_sub(words.len());
    let entries = words.iter().enumerate().filter(|(_, word)| !matches!(**word, "_" | "...")).map(|(place, word)| {
        let place = if dots.is_some_and(|dots| dots < place) { place + skipped - 1 } else { place };
        (Value::str(word), Value::Int(dims[place]))
    });
    let entries = entries.collect();
    Ok(Value::Dict(interpreter.heap.allocate_dict(entries)))
}
