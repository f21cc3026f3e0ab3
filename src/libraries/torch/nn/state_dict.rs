//! Parameters of PyTorch's modules by name: `named_parameters`, `state_dict`, and what `load_state_dict` requires.

use crate::methods::*;
use std::rc::Rc;

use rustc_hash::FxHashSet;

use crate::torch::nn::layer_parameters::{parts_of, recurrent_names};
use crate::torch::nn::module::{REST, any_parameter, is_container};
use crate::torch::nn::module_tree::{MOST_MODULES, Named, collect_modules};
use harp_annotations::attributes::AttributeValue;
use harp_corpus::Span;
use harp_interp::budget::costly_calls::EntryKind;
use harp_interp::calls::call::CallArguments;
use harp_interp::heap::objects::{DictData, Payload};
use harp_interp::state::interpreter::{Eval, Interpreter};
use harp_interp::values::value::{Iteration, ObjectId, Tensor, Value};
use harp_python::name::{Name, name};
use harp_shape::{Constraint, Shape, Verdict};

/// As many parameters are told apart; of more only one is followed that stands for all.
const MOST_PARAMETERS: usize = 64;

/// The entries of a state, or the modules of which they are, are told apart as far as this: a program that renames them goes through them once.
const MOST_OF_STATE: usize = 512;

/// As many parameters are gone through one by one where they are asked for without their names, which nearly every program does.
const MOST_LISTED: usize = 64;
/// Layers that keep no running averages, whatever their names say.
const BUFFERLESS: [&str; 3] = ["torch.nn.GroupNorm", "torch.nn.LayerNorm", "torch.nn.RMSNorm"];
/// A layer that is made of others is made of such again, so many levels down.
const DEEPEST_PART: usize = 4;

/// Layers whose parameters the annotations list all.
const LISTED: [&str; 17] = [
    "torch.nn.Linear",
    "torch.nn.Bilinear",
    "torch.nn.Conv1d",
    "torch.nn.Conv2d",
    "torch.nn.Conv3d",
    "torch.nn.ConvTranspose1d",
    "torch.nn.ConvTranspose2d",
    "torch.nn.ConvTranspose3d",
    "torch.nn.BatchNorm1d",
    "torch.nn.BatchNorm2d",
    "torch.nn.BatchNorm3d",
    "torch.nn.InstanceNorm1d",
    "torch.nn.InstanceNorm2d",
    "torch.nn.InstanceNorm3d",
    "torch.nn.LayerNorm",
    "torch.nn.GroupNorm",
    "torch.nn.Embedding",
];

/// Layers without parameters, by how their names begin or end.
const BARE: [&str; 27] = [
    "DataParallel",
    "DistributedDataParallel",
    "Stub",
    "ReLU",
    "ReLU6",
    "LeakyReLU",
    "ELU",
    "GELU",
    "SELU",
    "SiLU",
    "Mish",
    "CELU",
    "GLU",
    "Tanh",
    "Sigmoid",
    "Softplus",
    "Softmax",
    "LogSoftmax",
    "Hardtanh",
    "Hardswish",
    "Hardsigmoid",
    "Identity",
    "Flatten",
    "Unflatten",
    "Upsample",
    "PixelShuffle",
    "Dropout",
];

/// The parameters of a module by name, and whether these are all.
#[derive(Default)]
pub(crate) struct Parameters {
    pub known: Vec<(String, Rc<Tensor>)>,
    pub are_all: bool,
    /// Whether some module among them may have buffers.
    has_buffers: bool,
    /// Whether a class of the program says itself how a state is loaded.
    are_loaded_otherwise: bool,
}

impl Parameters {
    /// Whether these are all tensors that a state has.
    fn has_no_more(&self) -> bool {
        self.has_all_names() && self.known.len() <= MOST_OF_STATE
    }

    /// Whether no tensor of a state has a name that is not among these.
    fn has_all_names(&self) -> bool {
        self.are_all && !self.has_buffers
    }

    /// All parameters below a module.
    pub fn of(interpreter: &mut Interpreter<'_>, module: &Value, span: Span) -> Eval<Parameters> {
        tensors_of(interpreter, module, Listed::Parameters, span)
    }
}

/// `module.named_parameters(prefix="", recurse=True)`.
pub(crate) fn named_parameters(interpreter: &mut Interpreter<'_>, module: &Value, arguments: CallArguments) -> Eval {
    let parameters = Parameters::of(interpreter, module, arguments.span)?;
    let is_plain = arguments.positional.is_empty() && arguments.keywords.is_empty() && !arguments.is_open;
    let iteration = if is_plain && parameters.are_all && parameters.known.len() <= MOST_PARAMETERS {
        let pair = |(name, tensor): (String, Rc<Tensor>)| Value::tuple(vec![Value::str(&name), Value::Tensor(tensor)]);
        Iteration::Items(parameters.known.into_iter().map(pair).collect())
    } else {
        one_for_all(interpreter, arguments.span)
    };
    Ok(Value::Iterator(Rc::new(iteration)))
}

/// `module.named_buffers()`: each of them where all are known, else one that stands for all.
pub(crate) fn named_buffers(interpreter: &mut Interpreter<'_>, module: &Value, arguments: CallArguments) -> Eval {
    let iteration = match all_buffers(interpreter, module, &arguments)? {
        Some(known) => {
            let pair = |(name, tensor): (String, Value)| Value::tuple(vec![Value::str(&name), tensor]);
            Iteration::Items(known.into_iter().map(pair).collect())
        }
        None => one_for_all(interpreter, arguments.span),
    };
    Ok(Value::Iterator(Rc::new(iteration)))
}

/// The buffers below a module by name, in the order of PyTorch; `None` where not all are known.
fn all_buffers(
    interpreter: &mut Interpreter<'_>,
    module: &Value,
    arguments: &CallArguments,
) -> Eval<Option<Vec<(String, Value)>>> {
    if arguments.is_open || !arguments.positional.is_empty() || !arguments.keywords.is_empty() {
        return Ok(None);
    }
    let mut modules = Vec::new();
    collect_modules(interpreter, module, Named::Once, &mut modules);
    let mut known = Vec::new();
    if modules.is_empty() || modules.len() > MOST_LISTED {
        return Ok(None);
    }
    for (path, part) in modules {
        let Value::Instance(id) = part else { return Ok(None) };
        let class = interpreter.class_of(&part);
        let layer = interpreter.library_bases(&class, None).first().copied();
        let short = layer.and_then(|layer| layer.as_str().rsplit('.').next()).unwrap_or_default();
        let is_plain = layer.is_some_and(|layer| {
            layer.as_str() == "torch.nn.Module" || is_container(layer.as_str()) || LISTED.contains(&layer.as_str())
        });
        let mut own: Vec<(Name, Value)> = Vec::new();
        let has_more = add_averages(interpreter, &part, &mut own, arguments.span)?;
        let is_open = interpreter.heap.attribute(id, Name::new(REST)).is_some() || has_more;
        if is_open || !(is_plain || BARE.contains(&short) || short.contains("Pool") || short.contains("Pad")) {
            return Ok(None);
        }
        own.extend(interpreter.all_buffers_of(id));
        for (name, value) in own {
            let path = if path.is_empty() { name.to_string() } else { format!("{path}.{name}") };
            match value {
                Value::Tensor(_) => known.push((path, value)),
                Value::None => {}
                _ => return Ok(None),
            }
        }
    }
    Ok(Some(known))
}

/// `module.parameters(recurse=True)`: each of them, where there are few.
pub(crate) fn parameters(interpreter: &mut Interpreter<'_>, module: &Value, arguments: CallArguments) -> Eval {
    let span = arguments.span;
    let is_plain = arguments.positional.is_empty() && arguments.keywords.is_empty() && !arguments.is_open;
    let mut modules = Vec::new();
    collect_modules(interpreter, module, Named::Once, &mut modules);
    if is_plain && modules.len() <= MOST_LISTED {
        let parameters = Parameters::of(interpreter, module, span)?;
        if parameters.are_all && parameters.known.len() <= MOST_LISTED {
            let items = parameters.known.into_iter().map(|(_, tensor)| Value::Tensor(tensor)).collect();
            return Ok(Value::Iterator(Rc::new(Iteration::Items(items))));
        }
    }
    Ok(any_of_them(interpreter, arguments.span))
}

/// `module.buffers()`
pub(crate) fn buffers(interpreter: &mut Interpreter<'_>, module: &Value, arguments: CallArguments) -> Eval {
    Ok(match all_buffers(interpreter, module, &arguments)? {
        Some(known) => {
            Value::Iterator(Rc::new(Iteration::Items(known.into_iter().map(|(_, tensor)| tensor).collect())))
        }
        None => any_of_them(interpreter, arguments.span),
    })
}

/// One that stands for all.
fn any_of_them(interpreter: &mut Interpreter<'_>, span: Span) -> Value {
    let element = any_parameter(interpreter, span);
    Value::Iterator(Rc::new(Iteration::Repeated { element, count: None, residual: None }))
}

fn one_for_all(interpreter: &mut Interpreter<'_>, span: Span) -> Iteration {
    let element = any_parameter(interpreter, span);
    let element = Value::tuple(vec![Value::Str(None), element]);
    Iteration::Repeated { element, count: None, residual: None }
}

/// `module.state_dict()`: the parameters that are known, and others, such as buffers.
pub(crate) fn state_dict(interpreter: &mut Interpreter<'_>, module: &Value, arguments: CallArguments) -> Eval {
    let parameters = tensors_of(interpreter, module, Listed::State, arguments.span)?;
    let other = any_parameter(interpreter, arguments.span);
    let is_closed = parameters.has_no_more();
    let detached = |(name, tensor): (String, Rc<Tensor>)| {
        let tensor = Tensor { kind: tensor.kind.untrained(), name: None, ..Tensor::clone(&tensor) };
        (Value::str(&name), Value::Tensor(Rc::new(tensor)))
    };
    let is_plain = arguments.positional.is_empty() && arguments.keywords.is_empty() && !arguments.is_open;
    let known = if is_plain { parameters.known } else { Vec::new() };
    let entries = known.into_iter().map(detached).collect();
    let is_whole = is_plain && is_closed;
    let data = DictData::new(entries, (!is_whole).then_some((Value::Str(None), other)));
    Ok(Value::Dict(interpreter.heap.allocate(Payload::Dict(Rc::new(data)))))
}

/// What is taken for granted of a state that was loaded from a file.
const STATE_FITS: &str = "the loaded state has the sizes of the module";

/// `module.load_state_dict(state)`: entries have the shapes of the module's own parameters, strict or not.
pub(crate) fn load_state_dict(interpreter: &mut Interpreter<'_>, module: &Value, arguments: CallArguments) -> Eval {
    let span = arguments.span;
    let state = arguments.get(0, "state_dict").map(|state| interpreter.read(state));
    let own = tensors_of(interpreter, module, Listed::State, span)?;
    // What a buffer began with is not what it holds from here on.
    let held: Vec<Value> = own.known.iter().map(|(_, tensor)| Value::Tensor(Rc::new(Tensor::clone(tensor)))).collect();
    interpreter.forget_elements(&held);
    if let Some(Value::Dict(state)) = state
        && let Some(state) = interpreter.heap.dict(state).cloned()
    {
        if own.are_loaded_otherwise {
            return Ok(interpreter.symbolic("keys that do not match", span, true));
        }
        for (key, value) in &state.entries {
            let (Some(key), Value::Tensor(given)) = (key.as_text(), interpreter.read(value)) else { continue };
            let Some((_, wanted)) = own.known.iter().find(|(name, _)| name == key) else { continue };
            let [given, wanted] = [&given, wanted].map(|tensor| interpreter.solver.resolve_shape(&tensor.shape));
            if differ(interpreter, &given, &wanted) {
                let message = format!("size mismatch for {key}: the state has {given}, and the module {wanted}");
                interpreter.sequence_fails("torch.nn.Module.load_state_dict", message, span);
                return Ok(interpreter.symbolic("keys that do not match", span, true));
            }
        }
        let is_strict = match arguments.get(1, "strict").map(|strict| interpreter.read(strict)) {
            None => !arguments.is_open,
            Some(Value::Bool(strict)) => strict,
            Some(_) => false,
        };
        if is_strict && let Some(message) = keys_that_differ(&own, &state) {
            interpreter.sequence_fails("torch.nn.Module.load_state_dict", message, span);
        }
    } else if interpreter.entry.kind != EntryKind::Symbolic && interpreter.inference.is_none() {
        // A file holds what was saved, which nobody says here.
        interpreter.provided(STATE_FITS.to_owned());
    }
    Ok(interpreter.symbolic("keys that do not match", span, true))
}

/// Whether two shapes surely differ.
fn differ(interpreter: &mut Interpreter<'_>, one: &Shape, other: &Shape) -> bool {
    let (Some(one), Some(other)) = (one.dims(), other.dims()) else { return false };
    let mut pairs = one.iter().zip(&other);
    one.len() != other.len()
        || pairs.any(|(one, other)| interpreter.solver.judge(&Constraint::Equal(*one, *other)) == Verdict::Violated)
}

/// What is wrong with the keys of a state, as far as they are known, for a module of which all are.
fn keys_that_differ(own: &Parameters, state: &DictData) -> Option<String> {
    let given: Option<Vec<&str>> = state.entries.iter().map(|(key, _)| key.as_text()).collect();
    let given = given?;
    let own_names: FxHashSet<&str> = own.known.iter().map(|(name, _)| name.as_str()).collect();
    // States of old versions have no count of the batches, which is added to them.
    let is_missing = |name: &&str| !given.contains(name) && !name.ends_with("num_batches_tracked");
    let is_whole = state.rest.is_none() && own.has_no_more();
    let missing = own.known.iter().map(|(name, _)| name.as_str()).find(|name| is_whole && is_missing(name));
    // A key that the module has not is wrong, whatever else the state has.
    let unexpected = given.iter().find(|key| own.has_all_names() && !own_names.contains(*key));
    match (missing, unexpected) {
        (Some(missing), _) => Some(format!("the state has no `{missing}`, which the module has")),
        (None, Some(unexpected)) => Some(format!("the state has `{unexpected}`, and the module has none")),
        (None, None) => None,
    }
}

/// Layers that do, by how their names begin.
const AVERAGING: [&str; 3] = ["torch.nn.BatchNorm", "torch.nn.InstanceNorm", "torch.nn.SyncBatchNorm"];
/// The running averages of a layer, in the order of a state.
const AVERAGES: [&str; 3] = ["running_mean", "running_var", "num_batches_tracked"];

/// Adds the buffers of a layer that keeps running averages. Returns whether it may have others.
fn add_averages(
    interpreter: &mut Interpreter<'_>,
    module: &Value,
    own: &mut Vec<(Name, Value)>,
    span: Span,
) -> Eval<bool> {
    let class = interpreter.class_of(module);
    let bases = interpreter.library_bases(&class, None);
    let is_norm = |base: &Name| base.as_str().contains("Norm");
    if !bases.iter().any(is_norm) || bases.iter().any(|base| BUFFERLESS.contains(&base.as_str())) {
        return Ok(false);
    }
    let keeps_averages = |base: &Name| AVERAGING.iter().any(|class| base.as_str().starts_with(class));
    if !bases.iter().any(keeps_averages) {
        return Ok(true);
    }
    for name in AVERAGES.map(Name::new) {
        match interpreter.get_attribute(module, name, span)? {
            value @ (Value::Tensor(_) | Value::None) => own.push((name, value)),
            _ => return Ok(true),
        }
    }
    Ok(false)
}

/// Which tensors of a module are listed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Listed {
    /// The parameters; those of a module that has two names once.
    Parameters,
    /// The parameters and buffers under each of their names.
    State,
}

/// All parameters below a module, in the order of PyTorch: a module's own, then those of its children. In a state each module's buffers follow
/// its parameters.
fn tensors_of(interpreter: &mut Interpreter<'_>, module: &Value, listed: Listed, span: Span) -> Eval<Parameters> {
    let mut modules = Vec::new();
    let named = match listed {
        Listed::Parameters => Named::Once,
        Listed::State => Named::Always,
    };
    for _ in 0..DEEPEST_PART {
        modules.clear();
        collect_modules(interpreter, module, named, &mut modules);
        if modules.len() > MOST_OF_STATE || !make_all_parts(interpreter, &modules, span)? {
            break;
        }
    }
    let mut found = Parameters {
        known: Vec::new(),
        are_all: !modules.is_empty() && modules.len() <= MOST_MODULES,
        ..Parameters::default()
    };
    let mut seen = FxHashSet::default();
    for (path, part) in modules {
        let Value::Instance(id) = part else { continue };
        let own_way = interpreter.class_attribute(&part, name!("_load_from_state_dict"));
        found.are_loaded_otherwise |= matches!(own_way, Some(Value::Function(_)));
        let mut own: Vec<(Name, Value)> = Vec::new();
        note_other_members(interpreter, id, &mut found);
        for (name, child) in interpreter.children(id) {
            match &child {
                Value::Tensor(tensor) => {
                    found.has_buffers |= !tensor.kind.is_parameter();
                    own.push((name, child));
                }
                _ if interpreter.is_module(&child) => {}
                _ => found.are_all = false,
            }
        }
        for name in listed_names(interpreter, &part, &mut found.are_all) {
            if !own.iter().any(|(known, _)| *known == name) {
                own.push((name, interpreter.get_attribute(&part, name, span)?));
            }
        }
        if listed == Listed::State {
            found.has_buffers |= add_averages(interpreter, &part, &mut own, span)?;
            own.extend(interpreter.state_buffers(id));
        }
        for (name, value) in own {
            let path = if path.is_empty() { name.to_string() } else { format!("{path}.{name}") };
            match interpreter.read(&value) {
                // One that has two names is listed once.
                Value::Tensor(tensor) if listed == Listed::Parameters && !seen.insert(Rc::as_ptr(&tensor)) => {}
                Value::Tensor(tensor) => found.known.push((path, tensor)),
                Value::None => {}
                _ => found.are_all = false,
            }
        }
    }
    Ok(found)
}

/// Makes the parts of layers that are made of others. Returns whether there were any that nobody had asked for.
fn make_all_parts(interpreter: &mut Interpreter<'_>, modules: &[(String, Value)], span: Span) -> Eval<bool> {
    let mut has_made = false;
    for (_, module) in modules {
        let class = interpreter.class_of(module);
        let Some(layer) = interpreter.library_bases(&class, None).first().copied() else { continue };
        if let Some((parts, _)) = parts_of(interpreter, layer.as_str(), module) {
            has_made |= interpreter.make_parts(module, parts, span)?;
        }
    }
    Ok(has_made)
}

/// Notes that a module has values of which nothing is known, which may be parameters.
fn note_other_members(interpreter: &Interpreter<'_>, id: ObjectId, found: &mut Parameters) {
    // A container of so many modules that nobody knows how many.
    if interpreter.heap.attribute(id, Name::new(REST)).is_some() {
        found.are_all = false;
    }
    let mut values = interpreter.heap.object(id).attributes.iter().map(|(_, value)| interpreter.read(value));
    let is_open = |value| match value {
        Value::Symbolic(_) | Value::Unknown(_) | Value::Alternatives(_) => true,
        // An object of a class that derives from tensors may be a parameter.
        Value::Instance(_) => interpreter.is_instance_of(&value, "torch.Tensor"),
        _ => false,
    };
    found.are_all &= !values.any(is_open);
}

/// The names of the parameters that a layer of the library has, or may have.
fn listed_names(interpreter: &mut Interpreter<'_>, module: &Value, are_all: &mut bool) -> Vec<Name> {
    let class = interpreter.class_of(module);
    let bases = interpreter.library_bases(&class, None);
    let Some(layer) = bases.first().copied() else { return Vec::new() };
    let short = layer.as_str().rsplit('.').next().unwrap_or_default();
    if layer.as_str() == "torch.nn.Module" || is_container(layer.as_str()) {
        return Vec::new();
    }
    if let Some((parts, own)) = parts_of(interpreter, layer.as_str(), module) {
        let Value::Instance(id) = module else { return Vec::new() };
        *are_all &= parts.iter().all(|part| interpreter.heap.attribute(*id, Name::new(part)).is_some());
        return own.iter().map(|name| Name::new(name)).collect();
    }
    if let Some(names) = recurrent_names(interpreter, layer.as_str(), module) {
        return names;
    }
    if !LISTED.contains(&layer.as_str()) {
        *are_all &= BARE.contains(&short) || short.contains("Pool") || short.contains("Pad") || short.ends_with("Loss");
        return Vec::new();
    }
    let Some(spec) = interpreter.library_class(layer) else { return Vec::new() };
    let parameters = spec
        .attributes
        .iter()
        .filter(|(name, value)| matches!(&**name, "weight" | "bias") && matches!(value, AttributeValue::Tensor(_)));
    let mut names: Vec<&str> = parameters.map(|(name, _)| &**name).collect();
    // The weight is registered before the bias.
    names.sort_unstable_by(|one, other| other.cmp(one));
    names.into_iter().map(Name::new).collect()
}
