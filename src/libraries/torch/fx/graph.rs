//! `torch.fx`: what the source in Python of its graphs leaves to Rust, because it looks at how the program runs or is done for each node of large
//! graphs.

use crate::methods::*;
use std::rc::Rc;

use crate::torch::fx::tracing;
use crate::torch::nn::wrappers::{self, GRAPH};
use crate::torch::torch_function::FORWARD;
use harp_annotations::ResultType;
use harp_corpus::Span;
use harp_interp::api::library_model::FunctionHandler;
use harp_interp::calls::call::CallArguments;
use harp_interp::evaluate::expressions::insert;
use harp_interp::heap::objects::{DictData, InstanceData, ListData, Payload};
use harp_interp::state::bounded_walk::Walk;
use harp_interp::state::interpreter::{Eval, Interpreter};
use harp_interp::values::value::{ObjectId, Value};
use harp_limits::light_tick;
use harp_python::name::{Name, name};

/// The class of nodes.
const NODE: &str = "torch.fx.Node";
/// Names that no node gets, for the generated code uses them otherwise (`torch.fx.graph._Namespace`).
const RESERVED: [&str; 22] = [
    "False", "None", "True", "and", "as", "class", "def", "del", "device", "for", "from", "if", "in", "inf", "is",
    "lambda", "nan", "not", "or", "pytree", "return", "torch",
];
/// Of more nodes no names are made.
const MOST_NAMES: i64 = 1 << 16;

pub fn function(name: &str) -> Option<FunctionHandler> {
    let own = name.strip_prefix("torch.fx.")?;
    Some(match own {
        "node.map_arg" | "map_arg" | "node.map_aggregate" | "map_aggregate" => map_arguments,
        "_place" => place,
        "_nodes_in" => nodes_in,
        "_fresh_name" => fresh_name,
        "_converted" => converted,
        "_can_follow" => |this, _, arguments| {
            let root = arguments.positional.first().map_or(Value::None, |root| this.read(root));
            let is_function = matches!(root, Value::Function(_) | Value::BoundMethod(_) | Value::Library(_));
            Ok(Value::Bool(is_function || matches!(root, Value::Instance(_))))
        },
        "_is_known" => |this, _, arguments| {
            let object = arguments.positional.first().map_or(Value::None, |object| this.class_of(object));
            Ok(Value::Bool(matches!(object, Value::Class(_))))
        },
        "_text" => |_, _, _| Ok(Value::Str(None)),
        "_unknown" => |this, _, arguments| Ok(this.symbolic("a part of torch.fx", arguments.span, false)),
        "_unknown_graph" => |this, name, arguments| {
            Ok(this.result_value(&ResultType::Instance("torch.fx.Graph".into()), name, arguments.span))
        },
        "_is_layer" => is_layer,
        "_attribute_holding" => attribute_holding,
        "_proxy_in" => |this, _, arguments| Ok(this.object_with_protocol(&arguments).unwrap_or(Value::None)),
        "_method_of_tensors" => |_, _, arguments| {
            let method = match arguments.positional.first() {
                Some(Value::Library(name)) => name.as_str().strip_prefix("torch.Tensor."),
                _ => None,
            };
            Ok(method.map_or(Value::None, Value::str))
        },
        "_calling_module" => |this, _, _| {
            let own = this.frames.iter().rev().find(|frame| !this.corpus.is_foreign(frame.file));
            Ok(own.map_or(Value::None, |frame| Value::Module(frame.globals)))
        },
        "_nested" => nested,
        "_as_it_is" => |this, _, arguments| {
            let module = arguments.positional.first().cloned().unwrap_or(Value::Unknown("traced module"));
            Ok(wrappers::traced(this, module, arguments.span))
        },
        "_forget" => |this, name, arguments| {
            if let Some(module) = arguments.positional.first().cloned() {
                this.get_attribute(&module, Name::new(GRAPH), arguments.span)?;
            }
            Ok(this.result_value(&ResultType::List(Box::new(ResultType::Unknown)), name, arguments.span))
        },
        _ if name == FORWARD => tracing::forward,
        own => return tracing::function(own),
    })
}

/// Where the program does what a node stands for: the innermost place of its own.
fn place(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let own = interpreter.calls.stack.iter().rev().find(|call| !interpreter.corpus.is_foreign(call.file)).copied();
    if let (Some(Value::Instance(id)), Some(origin)) = (arguments.positional.first(), own)
        && let Some(data) = interpreter.heap.instance(*id)
    {
        let data = InstanceData { class: data.class.clone(), arguments: data.arguments.clone(), origin };
        interpreter.heap.set_payload(*id, Payload::Instance(Rc::new(data)));
    }
    Ok(Value::None)
}

/// The nodes among arguments, each once.
fn nodes_in(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let mut found = Vec::new();
    for value in &arguments.positional {
        interpreter.collect_nodes(value, &mut found, &mut Walk::new());
    }
    Ok(Value::List(interpreter.heap.allocate_list(found)))
}

/// An argument with nodes in the place of proxies, and whether that is all there is to do: it holds constants besides.
fn converted(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let argument = arguments.positional.first().cloned().unwrap_or(Value::None);
    let mut is_done = true;
    let converted = interpreter.map_parts(&argument, &mut Walk::new(), &mut |this, part| {
        if this.has_protocol(part) {
            return this.get_attribute(part, name!("node"), arguments.span);
        }
        is_done &= this.is_plain_argument(part);
        Ok(part.clone())
    })?;
    Ok(Value::tuple(vec![Value::Bool(is_done), converted]))
}

/// `map_arg(arguments, function)`: what the function gives for a node stands in the node's place.
fn map_arguments(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    let (Some(of), Some(function)) = (arguments.get(0, "a").cloned(), arguments.get(1, "fn").cloned()) else {
        return Ok(Value::Unknown("arguments"));
    };
    let span = arguments.span;
    let is_of_all = name.as_str().ends_with("map_aggregate");
    if interpreter.read(&of).is_unknown() {
        let node = interpreter.result_value(&ResultType::Instance(NODE.into()), name, span);
        let mapped = interpreter.call(&function, CallArguments::positional(vec![node], span))?;
        let data = ListData { items: Vec::new(), rest: Some(mapped) };
        return Ok(Value::List(interpreter.heap.allocate(Payload::List(Rc::new(data)))));
    }
    interpreter.map_parts(&of, &mut Walk::new(), &mut |this, part| {
        if is_of_all || this.is_node(part) {
            this.call(&function, CallArguments::positional(vec![part.clone()], span))
        } else {
            Ok(part.clone())
        }
    })
}

/// A name that no node of a graph has yet, after what the node calls or the name that was asked for. The dictionary counts names.
fn fresh_name(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let [Value::Dict(names), target] = &arguments.positional[..] else { return Ok(Value::Str(None)) };
    let Some(wanted) = interpreter.name_of_target(target) else { return Ok(Value::Str(None)) };
    let (base, number) = base_of_name(&wanted);
    let mut data = interpreter.heap.dict(*names).map(|data| DictData::clone(data)).unwrap_or_default();
    let count =
        |data: &DictData, name: &str| data.find(&Value::str(name)).map_or(0, |(_, count)| count.as_int().unwrap_or(0));
    let mut number = number.filter(|number| *number > 0).unwrap_or_else(|| count(&data, &base));
    let mut name = wanted.clone();
    while number < MOST_NAMES && (data.find(&Value::str(&name)).is_some() || interpreter.is_reserved(&name)) {
        number += 1;
        name = format!("{base}_{number}");
    }
    if data.find(&Value::str(&name)).is_none() {
        insert(&mut data, Value::str(&name), Value::int(0));
    }
    insert(&mut data, Value::str(&base), Value::int(number));
    interpreter.heap.set_payload(*names, Payload::Dict(Rc::new(data)));
    Ok(Value::str(&name))
}

/// A name without the number at its end, and the number.
fn base_of_name(name: &str) -> (String, Option<i64>) {
    match name.rsplit_once('_').map(|(base, number)| (base, number.parse::<i64>())) {
        Some((base, Ok(number))) => (base.to_owned(), Some(number)),
        _ => (name.to_owned(), None),
    }
}

/// Names as identifiers of Python: `layer1.0.conv1` is `layer1_0_conv1`.
fn identifier(text: &str) -> String {
    let mut name = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            letter if letter.is_ascii_alphanumeric() || letter == '_' => name.push(letter),
            _ if name.ends_with('\u{0}') => {}
            _ => name.push('\u{0}'),
        }
    }
    let name = name.replace('\u{0}', "_");
    match name.chars().next() {
        None => "_unnamed".to_owned(),
        Some(first) if first.is_ascii_digit() => format!("_{name}"),
        _ => name,
    }
}

/// `avgPool2D` is `avg_pool2d`: an underscore before each capital letter within a word, and small letters.
fn in_small_letters(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    let mut name = String::with_capacity(text.len() + 4);
    for (place, letter) in letters.iter().enumerate() {
        let before = place.checked_sub(1).map(|before| letters[before]);
        let is_after_small = before.is_some_and(|before| before.is_ascii_lowercase() || before.is_ascii_digit());
        let is_before_small = letters.get(place + 1).is_some_and(char::is_ascii_lowercase);
        if letter.is_ascii_uppercase() && (is_after_small || before.is_some_and(|it| it != '_') && is_before_small) {
            name.push('_');
        }
        name.push(letter.to_ascii_lowercase());
    }
    name
}

/// Whether a module is one of PyTorch's own layers, into which a trace does not go.
fn is_layer(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let span = arguments.span;
    let Some(module @ Value::Instance(_)) = arguments.positional.first().map(|it| interpreter.read(it)) else {
        return Ok(interpreter.symbolic("whether a module is a leaf", span, false));
    };
    Ok(Value::Bool(match interpreter.class_of(&module) {
        // What is not written in Python here cannot be gone into.
        Value::Library(class) => class.as_str() != "torch.nn.Sequential",
        _ => false,
    }))
}

/// The name under which a module itself holds a value.
fn attribute_holding(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let [Value::Instance(module), Value::Tensor(wanted)] = &arguments.positional[..] else { return Ok(Value::None) };
    let attributes = &interpreter.heap.object(*module).attributes;
    let found = attributes.iter().find(|(_, value)| match value {
        Value::Tensor(known) => Rc::ptr_eq(known, wanted),
        _ => false,
    });
    Ok(found.map_or(Value::None, |(name, _)| Value::str(name.as_str())))
}

/// A module that holds a value under a path.
fn nested(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let [Value::Str(Some(path)), value] = &arguments.positional[..] else { return Ok(Value::Unknown("module")) };
    let mut value = value.clone();
    for part in path.rsplit('.') {
        let data =
            InstanceData { class: Value::library("torch.nn.Module"), arguments: Vec::new(), origin: arguments.span };
        let id = interpreter.heap.allocate(Payload::Instance(Rc::new(data)));
        interpreter.heap.set_attribute(id, Name::new(part), value);
        value = Value::Instance(id);
    }
    Ok(value)
}

#[easy_ext::ext(GraphMethods)]
pub impl Interpreter<'_> {
    /// Whether a value is a node of a graph.
    fn is_node(&self, value: &Value) -> bool {
        if !matches!(value, Value::Instance(_)) {
            return false;
        }
        let order = self.class_of(value);
        match &order {
            Value::Library(name) => name.as_str() == NODE,
            order => self.resolution_order(order).iter().any(|class| self.stands_for(class, NODE)),
        }
    }

    /// Whether a class is the one that a source in Python has in place of a library's.
    fn stands_for(&self, class: &Value, name: &str) -> bool {
        let Value::Class(id) = class else { return false };
        let Some(data) = self.heap.class(*id) else { return false };
        self.corpus.is_standard(data.definition.file)
            && name.ends_with(data.definition.name.as_str())
            && self.corpus.libraries.public_name(data.definition.file, data.definition.name.as_str()).as_deref()
                == Some(name)
    }

    fn collect_nodes(&self, value: &Value, found: &mut Vec<Value>, walk: &mut Walk) {
        light_tick();
        let value = self.read(value);
        if self.is_node(&value) {
            if !found.iter().any(|known| known.same(&value)) {
                found.push(value);
            }
            return;
        }
        let mut look = |part: &Value| {
            walk.part(|walk| self.collect_nodes(part, found, walk));
        };
        match &value {
            Value::Tuple(items) => items.iter().for_each(&mut look),
            Value::Slice(bounds) => bounds.iter().for_each(&mut look),
            Value::List(id) => {
                if let Some(data) = self.heap.list(*id) {
                    data.items.iter().for_each(&mut look);
                }
            }
            Value::Dict(id) => {
                if let Some(data) = self.heap.dict(*id) {
                    data.entries.iter().for_each(|(_, part)| look(part));
                }
            }
            _ => {}
        }
    }

    /// The same sequences, slices and dictionaries with other parts.
    fn map_parts(&mut self, value: &Value, walk: &mut Walk, map: &mut impl FnMut(&mut Self, &Value) -> Eval) -> Eval {
        light_tick();
        let value = self.read(value);
        let mut part = |this: &mut Self, part: &Value| {
            walk.part(|walk| this.map_parts(part, walk, map)).unwrap_or(Ok(Value::Unknown("a deep argument")))
        };
        match &value {
            Value::Tuple(items) => {
                let items = items.iter().map(|item| part(self, item)).collect::<Eval<_>>()?;
                Ok(Value::tuple(items))
            }
            Value::Slice(bounds) => {
                let [start, stop, step] = &**bounds;
                let bounds = [part(self, start)?, part(self, stop)?, part(self, step)?];
                Ok(Value::Slice(Rc::new(bounds)))
            }
            Value::List(id) => {
                let Some(data) = self.heap.list(*id).cloned() else { return Ok(value) };
                let items = data.items.iter().map(|item| part(self, item)).collect::<Eval<_>>()?;
                let rest = data.rest.as_ref().map(|rest| part(self, rest)).transpose()?;
                Ok(Value::List(self.heap.allocate(Payload::List(Rc::new(ListData { items, rest })))))
            }
            Value::Dict(id) if self.dict_class(*id).is_none() => {
                let Some(data) = self.heap.dict(*id).cloned() else { return Ok(value) };
                let entry = |(key, value): &(Value, Value)| Ok((key.clone(), part(self, value)?));
                let entries = data.entries.iter().map(entry).collect::<Eval<_>>()?;
                let data = DictData::new(entries, data.rest.clone());
                Ok(Value::Dict(self.heap.allocate(Payload::Dict(Rc::new(data)))))
            }
            Value::Alternatives(ways) => {
                let way = |(guard, value): &_| Ok((Rc::clone(guard), part(self, value)?));
                Ok(Value::Alternatives(Rc::new(ways.iter().map(way).collect::<Eval<_>>()?)))
            }
            value => map(self, value),
        }
    }

    /// Whether an argument of an operation stands in the graph as it is.
    fn is_plain_argument(&self, value: &Value) -> bool {
        matches!(
            self.read(value),
            Value::None
                | Value::Bool(_)
                | Value::Int(_)
                | Value::Float(_)
                | Value::Str(_)
                | Value::Ellipsis
                | Value::DType(_)
                | Value::Library(_)
                | Value::Symbolic(_)
                | Value::Unknown(_)
        )
    }

    /// What a node is called after: the name of the function that it calls, or the path of its module.
    fn name_of_target(&self, target: &Value) -> Option<String> {
        let text = match self.read(target) {
            Value::Str(text) => text?.to_string(),
            Value::Library(name) => name.as_str().rsplit('.').next().unwrap_or_default().to_owned(),
            Value::Function(closure) => closure.function.name.to_string(),
            Value::Instance(id) => self.name_of_class(&self.class_of(&Value::Instance(id))),
            Value::Class(id) => self.name_of_class(&Value::Class(id)),
            _ => "function".to_owned(),
        };
        let text = text.rsplit("torch.nn.").next().unwrap_or(&text);
        let name = match text.strip_prefix("__").and_then(|text| text.strip_suffix("__")) {
            Some(plain) => plain.to_owned(),
            None => text.to_owned(),
        };
        let name = if matches!(target, Value::Str(_)) { name } else { in_small_letters(&name) };
        Some(identifier(&name).trim_end_matches(|it| it == '_' && matches!(target, Value::Library(_))).to_owned())
    }

    /// Whether generated code uses a name otherwise.
    fn is_reserved(&mut self, name: &str) -> bool {
        RESERVED.contains(&name) || harp_interp::values::builtin_names::lookup(Name::new(name)).is_some()
    }

    /// The place in the program where an operation was traced.
    fn place_of_node(&self, node: &Value, otherwise: Span) -> Span {
        let origin = self.instance_data(node).map(|data| data.origin);
        origin.filter(|origin| !self.corpus.is_foreign(origin.file)).unwrap_or(otherwise)
    }

    /// An attribute that an object holds itself.
    fn part_of_graph(&self, object: ObjectId, name: &str) -> Value {
        self.heap.attribute(object, Name::new(name)).map_or(Value::Unknown("attribute"), |value| self.read(value))
    }
}
