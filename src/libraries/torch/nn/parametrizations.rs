//! What `torch.nn.utils.parametrize` and `torch.nn.utils.prune` make of the parameters of a module: a tensor computed from the one that was there.

use std::rc::Rc;

use harp_interp::api::library_model::FunctionHandler;
use harp_interp::calls::call::CallArguments;
use harp_interp::state::interpreter::{Eval, Interpreter};
use harp_interp::values::value::{Tensor, Value};
use harp_python::name::Name;

pub fn function(name: &str) -> Option<FunctionHandler> {
    Some(match name.strip_prefix("torch.nn.utils.")? {
        "parametrize.register_parametrization" => register,
        "parametrize.remove_parametrizations" => |_, _, arguments| Ok(module_of(&arguments)),
        "parametrize.is_parametrized" | "prune.is_pruned" => |_, _, _| Ok(Value::Unknown("whether it is parametrized")),
        "prune.identity"
        | "prune.l1_unstructured"
        | "prune.random_unstructured"
        | "prune.ln_structured"
        | "prune.random_structured"
        | "prune.custom_from_mask" => prune,
        "prune.remove" => remove,
        "prune.global_unstructured" => prune_all,
        _ => return None,
    })
}

fn module_of(arguments: &CallArguments) -> Value {
    arguments.get(0, "module").cloned().unwrap_or(Value::Unknown("module"))
}

/// `register_parametrization(module, tensor_name, parametrization)`: the parametrization is called with the tensor, and what it gives takes the
/// tensor's place.
fn register(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let (module, span) = (interpreter.read(&module_of(&arguments)), arguments.span);
    let name = arguments.get(1, "tensor_name").map(|name| interpreter.read(name));
    let name = name.as_ref().and_then(Value::as_text).map(Name::new);
    let function = arguments.get(2, "parametrization").cloned();
    let (Value::Instance(id), Some(name), Some(function)) = (&module, name, function) else { return Ok(module) };
    let original = interpreter.get_attribute(&module, name, span)?;
    let computed = interpreter.call(&function, CallArguments::positional(vec![original.clone()], span))?;
    // What is computed counts among the parameters, as the original one does.
    let computed = match (interpreter.read(&computed), interpreter.read(&original)) {
        (Value::Tensor(computed), Value::Tensor(original)) => {
            Value::Tensor(Rc::new(Tensor { kind: original.kind, ..Tensor::clone(&computed) }))
        }
        (computed, _) => computed,
    };
    if !computed.is_unknown() {
        interpreter.heap.set_attribute(*id, name, computed);
    }
    Ok(module)
}

/// `l1_unstructured(module, name, amount)` and its like: the tensor times a mask, which both are kept.
fn prune(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let module = interpreter.read(&module_of(&arguments));
    let name = arguments.get(1, "name").map(|name| interpreter.read(name));
    if let Some(name) = name.as_ref().and_then(Value::as_text) {
        prune_one(interpreter, &module, name, &arguments)?;
    }
    Ok(module)
}

fn prune_one(interpreter: &mut Interpreter<'_>, module: &Value, name: &str, call: &CallArguments) -> Eval<()> {
    let Value::Instance(id) = module else { return Ok(()) };
    let original = interpreter.get_attribute(module, Name::new(name), call.span)?;
    let Value::Tensor(tensor) = interpreter.read(&original) else { return Ok(()) };
    let plain = Value::Tensor(Rc::new(Tensor { kind: tensor.kind.untrained(), ..Tensor::clone(&tensor) }));
    interpreter.heap.set_attribute(*id, Name::new(&format!("{name}_orig")), original);
    interpreter.heap.set_attribute(*id, Name::new(&format!("{name}_mask")), plain.clone());
    interpreter.heap.set_attribute(*id, Name::new(name), plain);
    Ok(())
}

/// `remove(module, name)`: the pruned tensor is the parameter.
fn remove(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let module = interpreter.read(&module_of(&arguments));
    let name = arguments.get(1, "name").map(|name| interpreter.read(name));
    let (Value::Instance(id), Some(name)) = (&module, name.as_ref().and_then(Value::as_text)) else {
        return Ok(module);
    };
    let (kept, mask) = (Name::new(&format!("{name}_orig")), Name::new(&format!("{name}_mask")));
    if let Some(original) = interpreter.heap.attribute(*id, kept).cloned() {
        interpreter.heap.set_attribute(*id, Name::new(name), original);
        interpreter.heap.delete_attribute(*id, kept);
        interpreter.heap.delete_attribute(*id, mask);
    }
    Ok(module)
}

/// `global_unstructured([(module, name), …], pruning_method)`.
fn prune_all(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let parameters = arguments.get(0, "parameters").cloned().unwrap_or(Value::None);
    let iteration = interpreter.iterate(&parameters)?;
    let (pairs, _, _) = interpreter.sample(iteration);
    for pair in pairs {
        let Value::Tuple(pair) = interpreter.read(&pair) else { continue };
        if let [module, name] = &*pair
            && let Some(name) = name.as_text()
        {
            let module = interpreter.read(module);
            prune_one(interpreter, &module, name, &arguments)?;
        }
    }
    Ok(Value::None)
}
