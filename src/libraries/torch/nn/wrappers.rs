//! PyTorch's modules around modules: what runs a module on several devices, in pieces or as a graph runs the module.

use std::rc::Rc;

use harp_annotations::ResultType;
use harp_corpus::Span;
use harp_interp::api::dispatch::argument_of;
use harp_interp::api::library_model::{FunctionHandler, MethodHandler};
use harp_interp::calls::call::CallArguments;
use harp_interp::heap::objects::{InstanceData, Payload};
use harp_interp::state::interpreter::{Eval, Interpreter};
use harp_interp::values::value::{Device, ObjectId, Tensor, Value};
use harp_limits::light_tick;
use harp_python::name::{Name, name};
use harp_shape::{Constraint, Dim};

/// Results within results are looked at so far down.
const DEEPEST_RESULT: usize = 3;
const DATA_PARALLEL: &str = "torch.nn.DataParallel";
const DISTRIBUTED: &str = "torch.nn.parallel.DistributedDataParallel";
const SHARDED: &str = "torch.distributed.fsdp.FullyShardedDataParallel";
/// The attribute of an object whose class a library replaced by one with another base.
const MIXED_IN: &str = "#mixed-in";
const SHARDED_MODULE: &str = "torch.distributed.fsdp.FSDPModule";
/// A module that was traced.
pub(crate) const TRACED: &str = "torch.fx.GraphModule";
/// The attribute of a traced module whose graph the program got hold of.
pub(crate) const GRAPH: &str = "graph";

pub fn function(name: &str) -> Option<FunctionHandler> {
    Some(match name {
        "torch.distributed.fsdp.fully_shard" | "torch.distributed._composable.fsdp.fully_shard" => {
            |this, _, arguments| {
                let module = first(&arguments);
                if let Value::Instance(id) = module {
                    this.heap.set_attribute(id, Name::new(MIXED_IN), Value::library(SHARDED_MODULE));
                }
                Ok(module)
            }
        }
        "torch.distributed._composable.replicate"
        | "torch.distributed._composable.checkpoint"
        | "torch.distributed.tensor.parallel.parallelize_module"
        | "torch.distributed.algorithms._checkpoint.checkpoint_wrapper.checkpoint_wrapper"
        | "torch.ao.quantization.prepare"
        | "torch.ao.quantization.prepare_qat"
        | "torch.ao.quantization.fuse_modules"
        | "torch.ao.quantization.fuse_modules_qat"
        | "torch.quantization.prepare"
        | "torch.quantization.prepare_qat"
        | "torch.quantization.fuse_modules"
        | "torch.nn.SyncBatchNorm.convert_sync_batchnorm" => module_itself,
        "torch.distributed.algorithms._checkpoint.checkpoint_wrapper.apply_activation_checkpointing" => {
            |_, _, _| Ok(Value::None)
        }
        "torch.nn.parallel.data_parallel" | "torch.nn.parallel.data_parallel.data_parallel" => data_parallel,
        "torch.jit.trace_module" => |this, _, arguments| {
            let module = arguments.positional.first().cloned().unwrap_or(Value::Unknown("traced module"));
            Ok(traced(this, module, arguments.span))
        },
        "torch.jit.trace" => trace_with_inputs,
        _ => return None,
    })
}

pub fn instance_call(class: &str) -> Option<MethodHandler> {
    match class {
        DATA_PARALLEL => Some(run_replicas),
        DISTRIBUTED | SHARDED => Some(run_inner),
        TRACED => Some(run_traced),
        _ => None,
    }
}

#[easy_ext::ext(WrappersMethods)]
pub impl Interpreter<'_> {
    /// An argument as the module gets it: the wrapper moves tensors to the device of each replica.
    fn scattered(&self, value: &Value) -> Value {
        match self.read(value) {
            Value::Tensor(tensor) => {
                Value::Tensor(Rc::new(Tensor { device: Device::Unknown, ..Tensor::clone(&tensor) }))
            }
            _ => value.clone(),
        }
    }

    /// A size that is `whole` of the batch, and in a replica that of its part.
    fn size_of_replica(&mut self, name: &str, whole: Dim) -> Dim {
        if self.model_state.replicas.is_empty() || self.inference.is_some() || whole.as_const() == Some(1) {
            return whole;
        }
        let own = self.free_dim(name, 1);
        self.solver.assume(&Constraint::LessEqual(own, whole));
        if let Some(sizes) = self.model_state.replicas.last_mut() {
            sizes.push((own, whole));
        }
        own
    }

    /// Whether a dimension of a result other than that of the batch depends on a size.
    fn decides_dimension_of(&self, value: &Value, size: Dim, depth: usize) -> bool {
        light_tick();
        let Some(size_var) = size.as_var() else { return false };
        let depends = |item: &Value| self.decides_dimension_of(item, size, depth + 1);
        match self.read(value) {
            Value::Tensor(tensor) => {
                let dims = self.solver.resolve_shape(&tensor.shape).dims().unwrap_or_default();
                dims.iter().skip(1).any(|dim| dim.vars().contains(&size_var))
            }
            Value::Tuple(items) if depth < DEEPEST_RESULT => items.iter().any(depends),
            Value::List(id) if depth < DEEPEST_RESULT => {
                self.heap.list(id).is_some_and(|data| data.items.iter().any(depends))
            }
            Value::Dict(id) if depth < DEEPEST_RESULT => {
                self.heap.dict(id).is_some_and(|data| data.entries.iter().any(|(_, value)| depends(value)))
            }
            _ => false,
        }
    }

    /// The module that a wrapper of a library was made for.
    fn wrapped_module(&self, wrapper: ObjectId) -> Option<Value> {
        let data = self.heap.instance(wrapper)?;
        let Value::Library(class) = &data.class else { return None };
        if !matches!(class.as_str(), DATA_PARALLEL | DISTRIBUTED | SHARDED) {
            return None;
        }
        let module = name!("module");
        let is_changed = self.heap.attribute(wrapper, module).is_some();
        let given = data.arguments.iter().find(|(name, _)| *name == module).map(|(_, module)| self.read(module));
        given.filter(|_| !is_changed)
    }
}

fn first(arguments: &CallArguments) -> Value {
    let module = arguments.positional.first().or_else(|| arguments.keyword("module"));
    module.or_else(|| arguments.keyword("model")).cloned().unwrap_or(Value::Unknown("module"))
}

fn module_itself(_: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    Ok(first(&arguments))
}

/// `data_parallel(module, inputs, …, module_kwargs)`: the module's outputs for all inputs.
fn data_parallel(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let Some(inputs) = arguments.get(1, "inputs").cloned() else { return Ok(Value::Unknown("inputs")) };
    let mut call = match interpreter.read(&inputs) {
        Value::Tuple(inputs) => CallArguments::positional(inputs.to_vec(), arguments.span),
        input => CallArguments::positional(vec![input], arguments.span),
    };
    if let Some(keywords) = arguments.get(5, "module_kwargs").filter(|keywords| !keywords.is_none()) {
        interpreter.splice_keywords(&mut call, keywords);
    }
    let module = first(&arguments);
    in_replicas(interpreter, arguments.span, |this| this.call(&module, call))
}

/// The module runs once on each device, with a part of the batch; the results are joined along the batch.
fn run_replicas(interpreter: &mut Interpreter<'_>, wrapper: &Value, arguments: CallArguments) -> Eval {
    let span = arguments.span;
    in_replicas(interpreter, span, |this| run_inner(this, wrapper, arguments))
}

/// What runs in replicas gives results that can be joined: sizes that each replica decides for itself are no sizes of these, but for that of the
/// batch. With one device they are what they are of the whole batch.
fn in_replicas(interpreter: &mut Interpreter<'_>, span: Span, run: impl FnOnce(&mut Interpreter<'_>) -> Eval) -> Eval {
    let outer = interpreter.model_state.replicas.len();
    interpreter.model_state.replicas.push(Vec::new());
    let result = run(interpreter);
    let sizes = interpreter.model_state.replicas.drain(outer..).flatten().collect::<Vec<_>>();
    let value = result?;
    for (own, whole) in sizes {
        if interpreter.decides_dimension_of(&value, own, 0) {
            let message = "the results of the replicas are joined along the batch, but the size of another dimension \
                           is that of the longest sequence which the replica has got: give `pad_packed_sequence` the \
                           `total_length`"
                .to_owned();
            let condition = "there are several devices, and the longest sequence of one is shorter".to_owned();
            interpreter.may_fail(DATA_PARALLEL, message, condition, span);
        }
        interpreter.solver.assume(&Constraint::Equal(own, whole));
    }
    Ok(value)
}

fn run_inner(interpreter: &mut Interpreter<'_>, wrapper: &Value, mut arguments: CallArguments) -> Eval {
    let given = arguments.positional.iter_mut().chain(arguments.keywords.iter_mut().map(|(_, value)| value));
    given.for_each(|value| *value = interpreter.scattered(value));
    let module = interpreter.get_attribute(wrapper, name!("module"), arguments.span)?;
    interpreter.call(&module, arguments)
}

/// `torch.jit.trace(module, inputs)` runs the module on the inputs.
fn trace_with_inputs(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let Some(module) = arguments.get(0, "func").cloned() else { return Ok(Value::Unknown("traced module")) };
    let inputs = match arguments.get(1, "example_inputs").map(|inputs| interpreter.read(inputs)) {
        Some(Value::Tuple(inputs)) => Some(inputs.to_vec()),
        Some(input @ Value::Tensor(_)) => Some(vec![input]),
        _ => None,
    };
    if let Some(inputs) = inputs {
        interpreter.call(&module, CallArguments::positional(inputs, arguments.span))?;
    }
    Ok(traced(interpreter, module, arguments.span))
}

pub(crate) fn traced(interpreter: &mut Interpreter<'_>, module: Value, origin: Span) -> Value {
    let data = InstanceData { class: Value::library(TRACED), arguments: vec![(name!("module"), module)], origin };
    Value::Instance(interpreter.heap.allocate(Payload::Instance(Rc::new(data))))
}

/// A traced module does what the module does, as long as nobody has its graph, who may change it.
fn run_traced(interpreter: &mut Interpreter<'_>, traced: &Value, arguments: CallArguments) -> Eval {
    let Value::Instance(id) = traced else { return Ok(Value::Unknown("traced module")) };
    if interpreter.heap.attribute(*id, Name::new(GRAPH)).is_some() {
        interpreter.not_understood("a module whose graph the program may have changed", arguments.span);
        return Ok(interpreter.symbolic("result of a graph", arguments.span, true));
    }
    let module = interpreter.instance_data(traced).map(|data| argument_of(&data, "module"));
    // What runs is code that was made from the module's: it fails at the call.
    interpreter.push_call(arguments.span);
    interpreter.calls.generated.push(interpreter.calls.stack.len());
    let result = interpreter.call(&module.unwrap_or(Value::Unknown("traced module")), arguments);
    interpreter.calls.generated.pop();
    interpreter.pop_call();
    result
}

#[easy_ext::ext(WrappersMethods1)]
pub impl Interpreter<'_> {
    /// Whether a library made an object one of a class.
    fn has_mixed_in(&self, object: ObjectId, class: &str) -> bool {
        matches!(self.heap.attribute(object, Name::new(MIXED_IN)), Some(Value::Library(known)) if known.as_str() == class)
    }

    /// What a traced module has of the module that was traced.
    fn traced_attribute(&mut self, receiver: &Value, base: Name, name: Name, span: Span) -> Option<Value> {
        if base.as_str() != TRACED {
            return None;
        }
        match name.as_str() {
            "code" => return Some(Value::Str(None)),
            GRAPH => {
                let graph = ResultType::Instance("torch.fx.Graph".into());
                return Some(self.result_value(&graph, Name::new(TRACED), span));
            }
            _ => {}
        }
        let module = self.instance_data(receiver).map(|data| argument_of(&data, "module"))?;
        let Value::Instance(id) = self.read(&module) else { return None };
        let value = self.heap.attribute(id, name).cloned()?;
        Some(self.read(&value))
    }
}
