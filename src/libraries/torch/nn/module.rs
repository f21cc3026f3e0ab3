//! `torch.nn.Module` and the modules that hold modules. Children are attributes of the instance, as in PyTorch.

use crate::known_families::KnownFamilies;
use crate::methods::*;
use std::rc::Rc;

use crate::torch::nn::module_tree::{Named, collect_modules, once_each};
use crate::torch::nn::state_dict;
use harp_corpus::Span;
use harp_interp::api::library_model::{ConstructorHandler, FunctionHandler, IterationHandler, MethodHandler};
use harp_interp::calls::call::CallArguments;
use harp_interp::heap::objects::{InstanceData, Payload};
use harp_interp::state::interpreter::{Eval, Interpreter, Speculation};
use harp_interp::values::value::{Device, Iteration, ObjectId, Value};
use harp_python::name::{Name, name};
use harp_shape::DType;
use harp_trace::assumption::{AssumptionKind, words};

const MODULE: &str = "torch.nn.Module";
/// Names of attributes that are no children: a representative of an unknown number of further items.
pub(crate) const REST: &str = "#rest";
/// The modules behind those, as a tuple.
const BEHIND: &str = "#behind";
/// How deep modules inside modules are followed.
pub(crate) const DEEPEST_CHILD: usize = 24;

/// Whether a class holds modules as numbered or named items.
pub(crate) fn is_container(class: &str) -> bool {
    matches!(
        class,
        "torch.nn.Sequential"
            | "torch.nn.ModuleList"
            | "torch.nn.ModuleDict"
            | "torch.nn.ParameterList"
            | "torch.nn.ParameterDict"
    )
}

pub fn function(name: &str) -> Option<FunctionHandler> {
    match name {
        name if is_container(name) => Some(make_container),
        MODULE => Some(make_container),
        "torch.nn.Parameter" | "torch.nn.parameter.Parameter" => Some(parameter),
        "torch.compile"
        | "torch.jit.script"
        | "torch.nn.utils.spectral_norm"
        | "torch.nn.utils.parametrizations.weight_norm"
        | "torch.nn.utils.parametrizations.spectral_norm" => Some(wrapped),
        _ => None,
    }
}

pub fn constructor(class: &str) -> Option<ConstructorHandler> {
    match class {
        name if is_container(name) => Some(fill_container),
        MODULE => Some(|_, _, _| Ok(())),
        _ => None,
    }
}

pub fn instance_call(class: &str) -> Option<MethodHandler> {
    (class == "torch.nn.Sequential").then_some(call_sequential as MethodHandler)
}

pub fn iteration(class: &str) -> Option<IterationHandler> {
    match class {
        "torch.nn.Sequential" | "torch.nn.ModuleList" | "torch.nn.ParameterList" => Some(iterate_children),
        "torch.nn.ModuleDict" | "torch.nn.ParameterDict" => Some(|this, module| {
            let Value::Instance(id) = module else { return Ok(Iteration::Items(Vec::new())) };
            Ok(Iteration::Items(this.children(*id).into_iter().map(|(name, _)| Value::str(name.as_str())).collect()))
        }),
        _ => None,
    }
}

pub fn method(name: &str) -> Option<MethodHandler> {
    let (class, method) = name.rsplit_once('.')?;
    if class == MODULE {
        return module_method(method);
    }
    if !is_container(class) {
        return None;
    }
    Some(match method {
        "append" => append,
        "extend" => extend,
        "insert" => insert,
        "__getitem__" => get_item,
        "__len__" => length,
        "items" => named_children,
        "keys" => |this, module, _| {
            let Value::Instance(id) = module else { return Ok(Value::Unknown("keys")) };
            let keys = this.children(*id).into_iter().map(|(name, _)| Value::str(name.as_str())).collect();
            Ok(Value::Iterator(Rc::new(Iteration::Items(keys))))
        },
        "values" => children,
        "update" => update,
        other => return crate::torch::nn::container_items::method(other).or_else(|| module_method(other)),
    })
}

fn module_method(method: &str) -> Option<MethodHandler> {
    Some(match method {
        "train" => train,
        "eval" => evaluates,
        "half" => |this, module, _| Ok(this.convert_parameters(module, DType::Float16)),
        "float" => |this, module, _| Ok(this.convert_parameters(module, DType::Float32)),
        "double" => |this, module, _| Ok(this.convert_parameters(module, DType::Float64)),
        "bfloat16" => |this, module, _| Ok(this.convert_parameters(module, DType::BFloat16)),
        "to" => |this, module, arguments| Ok(this.convert_as_told(module, &arguments, false)),
        "type" => |this, module, arguments| Ok(this.convert_as_told(module, &arguments, true)),
        "cuda" => |this, module, _| Ok(moved(this, module, Device::Accelerator)),
        "cpu" => |this, module, _| Ok(moved(this, module, Device::Cpu)),
        "to_empty" => |this, module, _| Ok(moved(this, module, Device::Unknown)),
        "requires_grad_" | "share_memory" => |_, module, _| Ok(module.clone()),
        "apply" => apply,
        "add_module" | "register_module" | "register_parameter" => add_member,
        "register_buffer" => crate::torch::nn::buffers::register,
        "children" => children,
        "modules" => modules,
        "named_children" => unique_named_children,
        "__getattr__" => crate::torch::nn::container_items::member_of_parts,
        "named_modules" => named_modules,
        "parameters" => state_dict::parameters,
        "buffers" => state_dict::buffers,
        "named_parameters" => state_dict::named_parameters,
        "named_buffers" => state_dict::named_buffers,
        "state_dict" => state_dict::state_dict,
        "load_state_dict" => state_dict::load_state_dict,
        "zero_grad" | "_initialize_weights" | "reset_parameters" | "_reset_parameters" | "extra_repr" => {
            |_, _, _| Ok(Value::None)
        }
        "get_submodule" => get_submodule,
        _ => return None,
    })
}

#[easy_ext::ext(ModuleMethods)]
pub impl Interpreter<'_> {
    /// A container of modules that holds none yet is there to be filled, by whoever made it.
    fn open_empty_container(&mut self, id: ObjectId, span: Span) {
        let class = self.class_of(&Value::Instance(id));
        let is_container = self.library_bases(&class, None).iter().any(|base| is_container(base.as_str()));
        if is_container && self.heap.attribute(id, Name::new(REST)).is_none() && self.children(id).is_empty() {
            let rest = self.symbolic("module", span, true);
            self.heap.set_attribute(id, Name::new(REST), rest);
        }
    }

    /// The modules and parameters that an instance holds, in the order in which they were assigned; `None` keeps its place in a list.
    fn children(&self, id: ObjectId) -> Vec<(Name, Value)> {
        // What a container holds is a module even where nothing else is known of it.
        let class = self.class_of(&Value::Instance(id));
        let is_container = self.library_bases(&class, None).iter().any(|base| is_container(base.as_str()));
        let wrapped = self.wrapped_module(id).map(|module| (name!("module"), module));
        self.heap
            .object(id)
            .attributes
            .iter()
            .filter(|(name, _)| name.as_str() != REST)
            .map(|(name, value)| (name, self.read(value)))
            .chain(wrapped)
            .filter(|(name, value)| {
                let is_absent = is_number(name.as_str()) && matches!(value, Value::None);
                // An object of a class whose bases are not known is one, too.
                let is_item = is_number(name.as_str()) || matches!(class, Value::Library(_));
                let is_object = is_item && matches!(value, Value::Instance(_));
                self.is_member(value)
                    || (is_container && (is_absent || is_object || (value.is_unknown() && name.as_str() != "training")))
            })
            .collect()
    }

    /// The modules that a module holds, or the parameters in a list of such.
    fn listed_children(&self, id: ObjectId) -> Vec<(Name, Value)> {
        let class = self.class_of(&Value::Instance(id));
        let has_parameters = ["torch.nn.ParameterList", "torch.nn.ParameterDict"];
        let has_parameters = has_parameters.iter().any(|list| self.derives_from(&class, list));
        let is_listed = |value: &Value| match value {
            Value::None => false,
            Value::Tensor(_) => has_parameters,
            _ => true,
        };
        // `self.norm = BatchNorm1d(4) if normalized else None` is a child on the way where it is a module.
        let listed = |value: Value| match value {
            Value::Alternatives(ways) if !ways.iter().all(|(_, way)| is_listed(way)) => {
                let modules: Vec<_> = ways.iter().filter(|(_, way)| is_listed(way)).cloned().collect();
                (!modules.is_empty()).then(|| Value::Alternatives(Rc::new(modules)))
            }
            value => is_listed(&value).then_some(value),
        };
        self.children(id).into_iter().filter_map(|(name, value)| Some((name, listed(value)?))).collect()
    }

    fn is_member(&self, value: &Value) -> bool {
        match value {
            Value::Instance(_) => self.is_module(value),
            Value::Tensor(tensor) => tensor.kind.is_parameter(),
            Value::Alternatives(alternatives) => alternatives.iter().any(|(_, value)| self.is_member(value)),
            _ => false,
        }
    }

    /// Whether a numbered member is none of the children, because nothing is known of it.
    fn has_open_child(&self, id: ObjectId) -> bool {
        let numbered = self.heap.object(id).attributes.iter().filter(|(name, _)| is_number(name.as_str())).count();
        numbered > self.children(id).iter().filter(|(name, _)| is_number(name.as_str())).count()
    }

    /// Whether two values are tensors of the same shape.
    fn have_one_shape(&self, first: &Value, second: &Value) -> bool {
        let (Value::Tensor(first), Value::Tensor(second)) = (self.read(first), self.read(second)) else { return false };
        self.solver.resolve_shape(&first.shape) == self.solver.resolve_shape(&second.shape)
    }

    /// The modules that follow an unknown number of others.
    fn modules_behind(&self, id: ObjectId) -> Vec<Value> {
        match self.heap.attribute(id, Name::new(BEHIND)) {
            Some(Value::Tuple(modules)) => modules.to_vec(),
            _ => Vec::new(),
        }
    }

    /// A representative of the modules of a container whose places are not known.
    fn rest_of_modules(&mut self, id: ObjectId) -> Option<Value> {
        let rest = self.heap.attribute(id, Name::new(REST)).cloned()?;
        let all: Vec<Value> = std::iter::once(rest).chain(self.modules_behind(id)).collect();
        Some(self.widen(&all))
    }

    fn add_child(&mut self, id: ObjectId, value: Value) {
        let count = self.heap.object(id).attributes.iter().filter(|(name, _)| is_number(name.as_str())).count();
        self.heap.set_attribute(id, Name::new(&count.to_string()), value);
    }
}

fn is_number(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit())
}

fn make_container(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    let data = InstanceData { class: Value::Library(name), arguments: Vec::new(), origin: arguments.span };
    let id = interpreter.heap.allocate(Payload::Instance(Rc::new(data)));
    let span = arguments.span;
    // Parts of a container are made of lists here, at no place of the program.
    let is_written = matches!(arguments.positional_spans[..], [Some(_)]);
    let is_listed = matches!(&arguments.positional[..], [one] if matches!(interpreter.read(one), Value::List(_)));
    if is_listed && is_written && name.as_str() == "torch.nn.Sequential" {
        interpreter.child_misfits(name, &arguments.positional[0].clone(), span);
    }
    fill_container(interpreter, id, arguments)?;
    interpreter.children_misfit(id, name, span);
    Ok(Value::Instance(id))
}

/// Fills a container from its constructor's arguments: modules, one iterable of modules, or one dictionary.
fn fill_container(interpreter: &mut Interpreter<'_>, id: ObjectId, arguments: CallArguments) -> Eval<()> {
    if arguments.is_open {
        let rest = match &arguments.unpacked {
            Some(module) => module.clone(),
            None => {
                let what = "a container filled with unpacked modules of unknown number";
                interpreter.not_understood(what, arguments.span);
                interpreter.symbolic("module", arguments.span, true)
            }
        };
        interpreter.heap.set_attribute(id, Name::new(REST), rest);
    }
    if let Some(behind) = arguments.behind.filter(|behind| !behind.is_empty()) {
        interpreter.heap.set_attribute(id, Name::new(BEHIND), Value::tuple(behind));
    }
    if let [one] = &arguments.positional[..] {
        let one = interpreter.read(one);
        match &one {
            Value::Dict(_) => return fill_from_dict(interpreter, id, &one),
            Value::List(_) | Value::Tuple(_) | Value::Iterator(_) | Value::Alternatives(_) => {
                return fill_from_items(interpreter, id, &one);
            }
            _ if interpreter.is_instance_of(&one, "torch.nn.ModuleList") => {
                return fill_from_items(interpreter, id, &one);
            }
            _ => {}
        }
    }
    for value in arguments.positional {
        interpreter.add_child(id, value);
    }
    Ok(())
}

fn fill_from_dict(interpreter: &mut Interpreter<'_>, id: ObjectId, dict: &Value) -> Eval<()> {
    let Value::Dict(dict) = dict else { return Ok(()) };
    let Some(data) = interpreter.heap.dict(*dict).cloned() else { return Ok(()) };
    for (key, value) in &data.entries {
        if let Some(key) = key.as_text() {
            interpreter.heap.set_attribute(id, Name::new(key), value.clone());
        }
    }
    if let Some((_, value)) = &data.rest {
        interpreter.heap.set_attribute(id, Name::new(REST), value.clone());
    }
    Ok(())
}

fn fill_from_items(interpreter: &mut Interpreter<'_>, id: ObjectId, items: &Value) -> Eval<()> {
    let iteration = interpreter.iterate(items)?;
    let (items, exact, _) = interpreter.sample(iteration);
    for item in items {
        if exact {
            interpreter.add_child(id, item);
        } else {
            interpreter.heap.set_attribute(id, Name::new(REST), item);
        }
    }
    Ok(())
}

/// `nn.Parameter(data)`: the tensor itself, learned.
fn parameter(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let value = arguments.get(0, "data").cloned().unwrap_or(Value::Unknown("parameter"));
    interpreter.for_each_alternative(&value, |this, value| {
        Ok(match &value {
            Value::Tensor(tensor) => Value::Tensor(Rc::new(harp_interp::values::value::Tensor {
                kind: this.torch_tensor().trained(),
                device: Device::Unknown,
                ..harp_interp::values::value::Tensor::clone(tensor)
            })),
            _ => value,
        })
    })
}

fn moved(interpreter: &mut Interpreter<'_>, module: &Value, device: Device) -> Value {
    let word = if device == Device::Unknown { Value::None } else { Value::str(device.word()) };
    interpreter.move_module(module, device, &word);
    module.clone()
}

/// Functions that give a module back, changed in ways that shapes do not show.
fn wrapped(_: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    Ok(arguments.positional.first().cloned().unwrap_or(Value::Unknown("wrapped module")))
}

/// Runs the children one after the other.
fn call_sequential(interpreter: &mut Interpreter<'_>, module: &Value, arguments: CallArguments) -> Eval {
    let Value::Instance(id) = module else { return Ok(Value::Unknown("sequential")) };
    let span = arguments.span;
    let mut place = arguments.positional_spans.first().copied().flatten();
    let mut value = arguments.get(0, "input").cloned().unwrap_or(Value::Unknown("missing input"));
    for (_, child) in interpreter.children(*id) {
        interpreter.step()?;
        let mut call = CallArguments::positional(vec![value], span);
        call.positional_spans = vec![place.take()];
        value = interpreter.call(&child, call)?;
    }
    let Some(rest) = interpreter.heap.attribute(*id, Name::new(REST)).cloned() else { return Ok(value) };
    let mut value = repeat_module(interpreter, &rest, value, span)?;
    for module in interpreter.modules_behind(*id) {
        value = interpreter.call(&module, CallArguments::positional(vec![value], span))?;
    }
    Ok(value)
}

/// Runs a module a number of times that is not known: what it gives has to be what it takes.
fn repeat_module(interpreter: &mut Interpreter<'_>, module: &Value, value: Value, span: Span) -> Eval {
    let module = interpreter.read(module);
    interpreter.for_each_alternative(&value, |this, value| repeat_on(this, &module, value, span))
}

fn repeat_on(interpreter: &mut Interpreter<'_>, module: &Value, value: Value, span: Span) -> Eval {
    let result = interpreter.call(module, CallArguments::positional(vec![value.clone()], span))?;
    if interpreter.have_one_shape(&value, &result) {
        return Ok(result);
    }
    // The first module may make its input a shape that the others keep.
    if interpreter.inference.is_some() && matches!(interpreter.read(&result), Value::Tensor(_)) {
        let again = interpreter.call(module, CallArguments::positional(vec![result.clone()], span))?;
        if interpreter.have_one_shape(&result, &again) {
            let text = words::used_as_not_empty();
            let evidence = "it would leave its input as it is".to_owned();
            if interpreter.speculate(AssumptionKind::UsedAs, "", text, evidence, span) != Speculation::Denied {
                return Ok(again);
            }
        }
    }
    interpreter.not_understood("a sequence of modules of unknown number", span);
    Ok(interpreter.symbolic("result of a sequence of modules", span, true))
}

fn iterate_children(interpreter: &mut Interpreter<'_>, module: &Value) -> Eval<Iteration> {
    let Value::Instance(id) = module else { return Ok(Iteration::Items(Vec::new())) };
    let items: Vec<Value> = interpreter.children(*id).into_iter().map(|(_, value)| value).collect();
    Ok(with_rest(interpreter, *id, items, |rest| rest))
}

/// The items of a container, and a representative of more where their number is not known.
fn with_rest(
    interpreter: &mut Interpreter<'_>,
    id: ObjectId,
    items: Vec<Value>,
    wrap: impl Fn(Value) -> Value,
) -> Iteration {
    match interpreter.rest_of_modules(id) {
        None => Iteration::Items(items),
        Some(rest) => {
            let mut all = items;
            all.push(wrap(rest));
            Iteration::Repeated { element: interpreter.widen(&all), count: None, residual: None }
        }
    }
}

fn append(interpreter: &mut Interpreter<'_>, module: &Value, arguments: CallArguments) -> Eval {
    if let (Value::Instance(id), Some(value)) = (module, arguments.positional.first()) {
        if interpreter.loops.abstract_loops > 0 {
            // How often the loop appends is not known.
            let rest = interpreter.heap.attribute(*id, Name::new(REST)).cloned();
            let all: Vec<Value> = rest.into_iter().chain([value.clone()]).collect();
            let rest = interpreter.widen(&all);
            interpreter.heap.set_attribute(*id, Name::new(REST), rest);
        } else {
            interpreter.add_child(*id, value.clone());
        }
    }
    Ok(module.clone())
}

fn extend(interpreter: &mut Interpreter<'_>, module: &Value, arguments: CallArguments) -> Eval {
    if let (Value::Instance(id), Some(values)) = (module, arguments.positional.first()) {
        fill_from_items(interpreter, *id, values)?;
    }
    Ok(module.clone())
}

fn insert(interpreter: &mut Interpreter<'_>, module: &Value, arguments: CallArguments) -> Eval {
    let (Value::Instance(id), [position, value]) = (module, &arguments.positional[..]) else { return Ok(Value::None) };
    let mut items: Vec<Value> = interpreter.children(*id).into_iter().map(|(_, value)| value).collect();
    if let Some(position) = position.as_int() {
        let length = items.len() as i64;
        let position = if position < 0 { (position + length).max(0) } else { position.min(length) };
        items.insert(position as usize, value.clone());
        for (index, item) in items.into_iter().enumerate() {
            interpreter.heap.set_attribute(*id, Name::new(&index.to_string()), item);
        }
    }
    Ok(Value::None)
}

fn update(interpreter: &mut Interpreter<'_>, module: &Value, arguments: CallArguments) -> Eval {
    if let (Value::Instance(id), Some(values)) = (module, arguments.positional.first()) {
        let values = interpreter.read(values);
        fill_from_dict(interpreter, *id, &values)?;
    }
    Ok(Value::None)
}

fn length(interpreter: &mut Interpreter<'_>, module: &Value, _: CallArguments) -> Eval {
    let Value::Instance(id) = module else { return Ok(Value::Unknown("length")) };
    if interpreter.heap.attribute(*id, Name::new(REST)).is_some() {
        return Ok(Value::Int(interpreter.free_dim("length", 0)));
    }
    if interpreter.has_open_child(*id) {
        return Ok(Value::Int(interpreter.free_dim("length", 0)));
    }
    Ok(Value::int(interpreter.children(*id).len() as i64))
}

fn get_item(interpreter: &mut Interpreter<'_>, module: &Value, arguments: CallArguments) -> Eval {
    let (Value::Instance(id), Some(index)) = (module, arguments.positional.first()) else {
        return Ok(Value::Unknown("item"));
    };
    let span = arguments.span;
    let children = interpreter.children(*id);
    let rest = interpreter.rest_of_modules(*id);
    if let Some(key) = index.as_text() {
        let found = children.iter().find(|(name, _)| name.as_str() == key).map(|(_, value)| value.clone());
        return Ok(found.or(rest).unwrap_or_else(|| interpreter.symbolic("module", span, true)));
    }
    let items: Vec<Value> = children.iter().map(|(_, value)| value.clone()).collect();
    if let Value::Slice(_) = index {
        let list = interpreter.heap.allocate_list(items);
        if let Some(rest) = rest {
            interpreter.heap.change_list(list, |data| data.rest = Some(rest));
        }
        let sliced = interpreter.get_item(&Value::List(list), index, span)?;
        let class = interpreter.class_of(module);
        let Value::Library(class) = class else { return Ok(sliced) };
        return make_container(interpreter, class, CallArguments::positional(vec![sliced], span));
    }
    let count = items.len() as i64;
    let place = index.as_dim().and_then(|index| interpreter.solver.resolve(index).as_const());
    let is_known = rest.is_none() && interpreter.entry.not_understood.is_empty() && !interpreter.has_open_child(*id);
    if is_known && place.is_some_and(|place| place >= count || place < -count) && interpreter.is_made_here(*id) {
        let message = format!("index {} is out of range for {count} modules", place.unwrap_or_default());
        interpreter.sequence_fails("torch.nn.Module.__getitem__", message, span);
        return Ok(interpreter.symbolic("module", span, true));
    }
    let list = interpreter.heap.allocate_list(items);
    if let Some(rest) = rest {
        interpreter.heap.change_list(list, |data| data.rest = Some(rest));
    }
    interpreter.get_item(&Value::List(list), index, span)
}

pub(crate) fn add_member(interpreter: &mut Interpreter<'_>, module: &Value, arguments: CallArguments) -> Eval {
    let name = arguments.get(0, "name").cloned();
    let value = arguments
        .positional
        .get(1)
        .or_else(|| arguments.keyword("module"))
        .or_else(|| arguments.keyword("tensor"))
        .or_else(|| arguments.keyword("param"))
        .cloned();
    if let (Value::Instance(id), Some(value)) = (module, value) {
        match name.as_ref().and_then(Value::as_text) {
            Some(name) => interpreter.heap.set_attribute(*id, Name::new(name), value),
            None => {
                interpreter.not_understood("a module added under a computed name", arguments.span);
                // One of an unknown number, and its sizes are often those of one iteration.
                let rest = interpreter.symbolic("module", arguments.span, true);
                interpreter.heap.set_attribute(*id, Name::new(REST), rest);
            }
        }
    }
    Ok(Value::None)
}

fn children(interpreter: &mut Interpreter<'_>, module: &Value, _: CallArguments) -> Eval {
    let Value::Instance(id) = module else { return Ok(Value::Unknown("children")) };
    let items = once_each(interpreter.listed_children(*id)).into_iter().map(|(_, value)| value).collect();
    Ok(Value::Iterator(Rc::new(with_rest(interpreter, *id, items, |rest| rest))))
}

fn unique_named_children(interpreter: &mut Interpreter<'_>, module: &Value, _: CallArguments) -> Eval {
    let Value::Instance(id) = module else { return Ok(Value::Unknown("children")) };
    let pair = |(name, value): (Name, Value)| Value::tuple(vec![Value::str(name.as_str()), value]);
    let items = once_each(interpreter.listed_children(*id)).into_iter().map(pair).collect();
    let pair = |rest| Value::tuple(vec![Value::Str(None), rest]);
    Ok(Value::Iterator(Rc::new(with_rest(interpreter, *id, items, pair))))
}

fn named_children(interpreter: &mut Interpreter<'_>, module: &Value, _: CallArguments) -> Eval {
    let Value::Instance(id) = module else { return Ok(Value::Unknown("children")) };
    let pair = |(name, value): (Name, Value)| Value::tuple(vec![Value::str(name.as_str()), value]);
    let items = interpreter.listed_children(*id).into_iter().map(pair).collect();
    let pair = |rest| Value::tuple(vec![Value::Str(None), rest]);
    Ok(Value::Iterator(Rc::new(with_rest(interpreter, *id, items, pair))))
}

fn modules(interpreter: &mut Interpreter<'_>, module: &Value, _: CallArguments) -> Eval {
    let found = all_modules(interpreter, module);
    Ok(Value::Iterator(Rc::new(Iteration::Items(found.into_iter().map(|(_, value)| value).collect()))))
}

/// A module and all in it, with their names.
pub(crate) fn all_modules(interpreter: &mut Interpreter<'_>, module: &Value) -> Vec<(String, Value)> {
    let mut found = Vec::new();
    collect_modules(interpreter, module, Named::Once, &mut found);
    found
}

/// The same, with those of which a module has one or another.
pub(crate) fn modules_and_choices(interpreter: &mut Interpreter<'_>, module: &Value) -> Vec<(String, Value)> {
    let mut found = Vec::new();
    let mut waiting = vec![module.clone()];
    while let Some(module) = waiting.pop() {
        let before = found.len();
        collect_modules(interpreter, &module, Named::Once, &mut found);
        for index in before..found.len() {
            if let Value::Instance(id) = found[index].1 {
                let choices = modules_of_choices(interpreter, id).into_iter();
                let is_new = |module: &Value| !found.iter().any(|(_, known)| known.same(module));
                waiting.extend(choices.filter(is_new));
            }
        }
    }
    found
}

/// `module.train(mode=True)`.
fn train(interpreter: &mut Interpreter<'_>, module: &Value, arguments: CallArguments) -> Eval {
    let mode = arguments.get(0, "mode").cloned().unwrap_or(Value::Bool(true));
    set_training(interpreter, module, &mode, arguments.span)
}

/// `module.eval()` asks the module's own method `train`, where the program has one.
fn evaluates(interpreter: &mut Interpreter<'_>, module: &Value, arguments: CallArguments) -> Eval {
    match interpreter.own_method(module, "train") {
        Some(method) => {
            let mode = vec![Value::Bool(false)];
            interpreter.call(&method, CallArguments::positional(mode, arguments.span))
        }
        None => set_training(interpreter, module, &Value::Bool(false), arguments.span),
    }
}

/// Tells a module and all in it whether they train, also those of which a module has one or another. What is in it is asked by its method
/// `train`, where the program has one.
fn set_training(interpreter: &mut Interpreter<'_>, module: &Value, mode: &Value, span: Span) -> Eval {
    let training = name!("training");
    for (_, part) in modules_and_choices(interpreter, module) {
        if let Some(method) = interpreter.own_method(&part, "train").filter(|_| !part.same(module)) {
            interpreter.call(&method, CallArguments::positional(vec![mode.clone()], span))?;
        } else if let Value::Instance(id) = part
            && !interpreter.heap.attribute(id, training).is_some_and(|known| known.same(mode))
        {
            interpreter.heap.set_attribute(id, training, mode.clone());
        }
    }
    Ok(module.clone())
}

/// The modules of which a module has one or another under a name.
fn modules_of_choices(interpreter: &Interpreter<'_>, module: ObjectId) -> Vec<Value> {
    let attributes = interpreter.heap.object(module).attributes.iter();
    let choices = attributes.filter_map(|(_, value)| match value {
        Value::Alternatives(alternatives) => Some(alternatives.iter().map(|(_, value)| interpreter.read(value))),
        _ => None,
    });
    choices.flatten().filter(|value| matches!(value, Value::Instance(_)) && interpreter.is_module(value)).collect()
}

/// `module.apply(function)`: the function is called with each module.
fn apply(interpreter: &mut Interpreter<'_>, module: &Value, arguments: CallArguments) -> Eval {
    let Some(function) = arguments.get(0, "fn").cloned() else { return Ok(module.clone()) };
    let mut found = Vec::new();
    collect_modules(interpreter, module, Named::Once, &mut found);
    // Modules of one class are alike to such functions.
    let mut classes: Vec<Value> = Vec::new();
    for (_, part) in found {
        let class = interpreter.class_of(&part);
        if !classes.iter().any(|known| known.same(&class)) {
            classes.push(class);
            interpreter.call(&function, CallArguments::positional(vec![part], arguments.span))?;
        }
    }
    Ok(module.clone())
}

fn named_modules(interpreter: &mut Interpreter<'_>, module: &Value, _: CallArguments) -> Eval {
    let mut found = Vec::new();
    collect_modules(interpreter, module, Named::Once, &mut found);
    let items = found.into_iter().map(|(name, value)| Value::tuple(vec![Value::str(&name), value])).collect();
    Ok(Value::Iterator(Rc::new(Iteration::Items(items))))
}

/// A parameter of unknown shape; which parameters a model has matters to optimizers only.
pub(crate) fn any_parameter(interpreter: &mut Interpreter<'_>, span: Span) -> Value {
    interpreter.result_value(&harp_annotations::ResultType::Tensor, name!("torch.nn.Parameter"), span)
}

fn get_submodule(interpreter: &mut Interpreter<'_>, module: &Value, arguments: CallArguments) -> Eval {
    let Some(path) = arguments.positional.first().and_then(Value::as_text).map(str::to_owned) else {
        return Ok(interpreter.symbolic("submodule", arguments.span, true));
    };
    let mut current = module.clone();
    for part in path.split('.').filter(|part| !part.is_empty()).take(DEEPEST_CHILD) {
        current = interpreter.get_attribute(&current, Name::new(part), arguments.span)?;
    }
    Ok(current)
}
