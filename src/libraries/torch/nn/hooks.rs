//! Hooks of PyTorch's modules: functions that run before and after `forward`, see its input and output, and may replace
//! them (PyTorch's documentation, `torch.nn.Module.register_forward_hook` and its like).

use crate::methods::*;
use harp_corpus::Span;
use harp_interp::api::library_model::MethodHandler;
use harp_interp::calls::call::CallArguments;
use harp_interp::state::interpreter::{Eval, Interpreter};
use harp_interp::values::value::{ObjectId, Value};
use harp_python::name::Name;

/// When hooks run: each kind has an attribute of the module that lists them, which no program can name.
const BEFORE: &str = "#hooks before";
const AFTER: &str = "#hooks after";
/// Those of the backward pass see gradients, which are as large as what they are gradients of.
const BACKWARD: &str = "#hooks backward";
const BEFORE_BACKWARD: &str = "#hooks before backward";
const KINDS: [&str; 4] = [BEFORE, AFTER, BACKWARD, BEFORE_BACKWARD];
/// What stands for the answer of a hook of which nothing is known.
const UNKNOWN_ANSWER: &str = "what a hook gives";
/// What registering gives back.
const HANDLE: &str = "torch.utils.hooks.RemovableHandle";
/// Where a handle keeps the module and the kind of its hook.
const MODULE: &str = "#module";
const KIND: &str = "#kind";

/// Which hooks the methods of modules register.
fn kind(method: &str) -> Option<&'static str> {
    Some(match method {
        "register_forward_pre_hook" => BEFORE,
        "register_forward_hook" => AFTER,
        "register_full_backward_hook" | "register_backward_hook" => BACKWARD,
        "register_full_backward_pre_hook" => BEFORE_BACKWARD,
        _ => return None,
    })
}

/// Whether a method of modules registers a hook.
pub fn registers(method: &str) -> bool {
    kind(method).is_some()
}

/// The methods of modules that register hooks, and those of what they give back.
pub fn method(name: &str) -> Option<MethodHandler> {
    let (class, method) = name.rsplit_once('.')?;
    Some(match (class, method) {
        ("torch.nn.Module", "register_forward_pre_hook") => |this, module, call| register(this, module, BEFORE, &call),
        ("torch.nn.Module", "register_forward_hook") => |this, module, call| register(this, module, AFTER, &call),
        ("torch.nn.Module", "register_full_backward_hook" | "register_backward_hook") => {
            |this, module, call| register(this, module, BACKWARD, &call)
        }
        ("torch.nn.Module", "register_full_backward_pre_hook") => {
            |this, module, call| register(this, module, BEFORE_BACKWARD, &call)
        }
        ("torch.Tensor", "register_hook" | "register_post_accumulate_grad_hook") => on_gradient,
        (HANDLE, "remove" | "__exit__") => remove,
        (HANDLE, "__enter__") => |_, handle, _| Ok(handle.clone()),
        _ => return None,
    })
}

fn register(interpreter: &mut Interpreter<'_>, module: &Value, kind: &'static str, call: &CallArguments) -> Eval {
    let span = call.span;
    let handle = interpreter.library_object(Name::new(HANDLE), Vec::new(), span);
    let hook = call.get(0, "hook").cloned().unwrap_or(Value::Unknown("hook"));
    let (Value::Instance(id), Value::Instance(handle_id)) = (module, &handle) else { return Ok(handle) };
    let truth = |name: &str| call.keyword(name).cloned().unwrap_or(Value::Bool(false));
    let entry = Value::tuple(vec![hook, truth("with_kwargs"), handle.clone()]);
    let mut entries = interpreter.hooks_of(*id, kind);
    let place = if matches!(truth("prepend"), Value::Bool(true)) { 0 } else { entries.len() };
    entries.insert(place, entry);
    interpreter.heap.set_attribute(*id, Name::new(kind), Value::tuple(entries));
    interpreter.heap.set_attribute(*handle_id, Name::new(MODULE), module.clone());
    interpreter.heap.set_attribute(*handle_id, Name::new(KIND), Value::str(kind));
    interpreter.hooks.modules = true;
    Ok(handle)
}

/// `handle.remove()`.
fn remove(interpreter: &mut Interpreter<'_>, handle: &Value, _: CallArguments) -> Eval {
    let Value::Instance(handle_id) = handle else { return Ok(Value::None) };
    let module = interpreter.heap.attribute(*handle_id, Name::new(MODULE)).cloned();
    let kind = interpreter.heap.attribute(*handle_id, Name::new(KIND)).cloned();
    let (Some(Value::Instance(module)), Some(kind)) = (module, kind) else { return Ok(Value::None) };
    let Some(kind) = KINDS.into_iter().find(|known| kind.as_text() == Some(known)) else { return Ok(Value::None) };
    let mut entries = interpreter.hooks_of(module, kind);
    entries.retain(|entry| !matches!(entry, Value::Tuple(parts) if parts.last().is_some_and(|last| last.same(handle))));
    interpreter.heap.set_attribute(module, Name::new(kind), Value::tuple(entries));
    Ok(Value::None)
}

/// `tensor.register_hook(hook)`: the hook gets a gradient as large as the tensor.
fn on_gradient(interpreter: &mut Interpreter<'_>, tensor: &Value, call: CallArguments) -> Eval {
    let hook = call.get(0, "hook").cloned().unwrap_or(Value::Unknown("hook"));
    interpreter.call(&hook, CallArguments::positional(vec![tensor.clone()], call.span))?;
    Ok(interpreter.library_object(Name::new(HANDLE), Vec::new(), call.span))
}

#[easy_ext::ext(HooksMethods)]
pub impl Interpreter<'_> {
    fn hooks_of(&self, module: ObjectId, kind: &str) -> Vec<Value> {
        match self.heap.attribute(module, Name::new(kind)).map(|entries| self.read(entries)) {
            Some(Value::Tuple(entries)) => entries.to_vec(),
            _ => Vec::new(),
        }
    }

    /// Whether it is not known which hooks a module has: those that were registered on one of several ways.
    fn are_hooks_open(&self, module: ObjectId, kind: &str) -> bool {
        let entries = self.heap.attribute(module, Name::new(kind));
        entries.is_some_and(|entries| !matches!(self.read(entries), Value::Tuple(_)))
    }

    /// Whether a module has hooks.
    fn has_hooks(&self, module: ObjectId) -> bool {
        let has_some = |kind: &&str| self.are_hooks_open(module, kind) || !self.hooks_of(module, kind).is_empty();
        self.hooks.modules && KINDS.iter().any(has_some)
    }

    /// `module(…)` of a module with hooks. `forward` gives what the module itself makes of its arguments.
    fn call_with_hooks(
        &mut self,
        module: ObjectId,
        mut arguments: CallArguments,
        forward: impl FnOnce(&mut Self, CallArguments) -> Eval,
    ) -> Eval {
        let span = arguments.span;
        if self.are_hooks_open(module, BEFORE) {
            let unknown = vec![Value::Unknown(UNKNOWN_ANSWER); arguments.positional.len()];
            set_positional(&mut arguments, unknown);
        }
        for entry in self.hooks_of(module, BEFORE) {
            let answer = self.call_hook(module, &entry, &arguments, Vec::new())?;
            self.replace_input(&mut arguments, &entry, answer);
        }
        let given = arguments.clone();
        let mut output = forward(self, arguments)?;
        if self.are_hooks_open(module, AFTER) {
            output = Value::Unknown(UNKNOWN_ANSWER);
        }
        for entry in self.hooks_of(module, AFTER) {
            let answer = self.call_hook(module, &entry, &given, vec![output.clone()])?;
            if !answer.is_none() {
                output = answer;
            }
        }
        let gradients = |value: &Value| match value {
            Value::Tuple(_) => value.clone(),
            value => Value::tuple(vec![value.clone()]),
        };
        let (outer, inner) = (gradients(&output), Value::tuple(given.positional.clone()));
        for entry in self.hooks_of(module, BEFORE_BACKWARD) {
            self.call_parts(&entry, vec![Value::Instance(module), outer.clone()], span)?;
        }
        for entry in self.hooks_of(module, BACKWARD) {
            self.call_parts(&entry, vec![Value::Instance(module), inner.clone(), outer.clone()], span)?;
        }
        Ok(output)
    }

    /// What a hook says of a call: `hook(module, inputs[, keywords][, output])`.
    fn call_hook(&mut self, module: ObjectId, entry: &Value, call: &CallArguments, rest: Vec<Value>) -> Eval {
        let mut given = vec![Value::Instance(module), Value::tuple(call.positional.clone())];
        if takes_keywords(entry) {
            given.push(self.keywords_as_dict(call));
        }
        given.extend(rest);
        self.call_parts(entry, given, call.span)
    }

    fn call_parts(&mut self, entry: &Value, given: Vec<Value>, span: Span) -> Eval {
        let Value::Tuple(parts) = entry else { return Ok(Value::None) };
        let hook = parts.first().cloned().unwrap_or(Value::None);
        let answer = self.call(&hook, CallArguments::positional(given, span))?;
        Ok(self.read(&answer))
    }

    fn keywords_as_dict(&mut self, call: &CallArguments) -> Value {
        let entries = call.keywords.iter().map(|(name, value)| (Value::str(name.as_str()), value.clone())).collect();
        Value::Dict(self.heap.allocate_dict(entries))
    }

    /// What a hook before `forward` returns is the input, unless it is nothing.
    fn replace_input(&mut self, call: &mut CallArguments, entry: &Value, answer: Value) {
        match answer {
            Value::None => {}
            Value::Tuple(parts) if takes_keywords(entry) && parts.len() == 2 => {
                let (inputs, keywords) = (self.read(&parts[0]), self.read(&parts[1]));
                if let Value::Tuple(inputs) = &inputs {
                    set_positional(call, inputs.to_vec());
                }
                if let Value::Dict(id) = keywords
                    && let Some(data) = self.heap.dict(id).cloned()
                {
                    let named = |(key, value): &(Value, Value)| Some((Name::new(key.as_text()?), value.clone()));
                    call.keywords = data.entries.iter().filter_map(named).collect();
                    call.keyword_spans = vec![None; call.keywords.len()];
                }
            }
            Value::Tuple(parts) => set_positional(call, parts.to_vec()),
            // Of an answer that is not known it is not known either how many inputs it is.
            answer if answer.is_unknown() || matches!(answer, Value::Alternatives(_)) => {
                let unknown = vec![Value::Unknown(UNKNOWN_ANSWER); call.positional.len()];
                set_positional(call, unknown);
            }
            answer => set_positional(call, vec![answer]),
        }
    }

    /// A hook on something that nothing is known of runs at a time that is not known, on what is not known.
    fn run_hook_some_time(&mut self, method: &str, call: &CallArguments) -> Eval<()> {
        let Some(kind) = kind(method) else { return Ok(()) };
        let Some(hook) = call.get(0, "hook").cloned() else { return Ok(()) };
        let count = 2 + usize::from(kind != BEFORE && kind != BEFORE_BACKWARD);
        let count = count + usize::from(matches!(call.keyword("with_kwargs"), Some(Value::Bool(true))));
        let mut given = vec![Value::Unknown("module")];
        while given.len() < count {
            given.push(self.symbolic("what a hook sees", call.span, true));
        }
        self.call(&hook, CallArguments::positional(given, call.span)).map(|_| ())
    }
}

fn takes_keywords(entry: &Value) -> bool {
    matches!(entry, Value::Tuple(parts) if matches!(parts.get(1), Some(Value::Bool(true))))
}

fn set_positional(call: &mut CallArguments, values: Vec<Value>) {
    call.positional_spans = vec![None; values.len()];
    call.positional = values;
}
