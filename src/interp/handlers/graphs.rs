//! `torch.fx`: modules made of graphs, and the proxies that a trace sends through a program in place of its tensors.

use std::rc::Rc;

use crate::interp::apis::Bound;
use crate::interp::calls::CallArguments;
use crate::interp::handlers::wrappers::{GRAPH, TRACED};
use crate::interp::handlers::{FunctionHandler, MethodHandler};
use crate::interp::heap::{InstanceData, ListData, Payload};
use crate::interp::machine::{Eval, Interpreter};
use crate::interp::value::Value;
use crate::interp::walk::Walk;
use crate::python::name::Name;
use crate::{annotations::ResultType, corpus::Span};

/// What stands for a tensor while a program is traced: every operation on it is a node of the graph, and gives another one.
const PROXY: &str = "torch.fx.Proxy";
/// A sequence with more items is not looked through for proxies.
const MOST_ITEMS: usize = 64;

pub fn function(name: &str) -> Option<FunctionHandler> {
    Some(match name {
        "torch.fx.GraphModule" | "torch.fx.graph_module.GraphModule" => graph_module,
        "torch.fx.replace_pattern" | "torch.fx.subgraph_rewriter.replace_pattern" => replace_pattern,
        "torch.fx.node.map_arg" | "torch.fx.map_arg" => map_arguments,
        _ => return None,
    })
}

pub fn instance_call(class: &str) -> Option<MethodHandler> {
    (class == PROXY).then_some(|interpreter: &mut Interpreter<'_>, _: &Value, arguments: CallArguments| {
        Ok(interpreter.new_proxy(arguments.span))
    })
}

/// A module that computes what a graph says, which the program made or changed.
fn graph_module(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let root = arguments.get(0, "root").cloned().unwrap_or(Value::None);
    let graph = arguments.get(1, "graph").cloned().unwrap_or(Value::Unknown("graph"));
    let data = InstanceData {
        class: Value::library(TRACED),
        arguments: vec![(Name::new("module"), root)],
        origin: arguments.span,
    };
    let id = interpreter.heap.allocate(Payload::Instance(Rc::new(data)));
    interpreter.heap.set_attribute(id, Name::new(GRAPH), graph);
    Ok(Value::Instance(id))
}

/// The module no longer computes what the one does of which it was traced.
fn replace_pattern(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    if let Some(module) = arguments.get(0, "gm").cloned() {
        interpreter.get_attribute(&module, Name::new(GRAPH), arguments.span)?;
    }
    let matches = ResultType::List(Box::new(ResultType::Unknown));
    Ok(interpreter.result_value(&matches, name, arguments.span))
}

/// `map_arg(arguments, function)`: what the function gives for a node stands in the node's place.
fn map_arguments(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    let (Some(of), Some(function)) = (arguments.get(0, "a").cloned(), arguments.get(1, "fn").cloned()) else {
        return Ok(Value::Unknown("arguments"));
    };
    let node = interpreter.result_value(&ResultType::Instance("torch.fx.Node".into()), name, arguments.span);
    let mapped = interpreter.call(&function, CallArguments::positional(vec![node], arguments.span))?;
    Ok(match interpreter.read(&of) {
        Value::Dict(_) => interpreter.result_value(&ResultType::Dict, name, arguments.span),
        _ => Value::List(
            interpreter.heap.allocate(Payload::List(Rc::new(ListData { items: Vec::new(), rest: Some(mapped) }))),
        ),
    })
}

impl Interpreter<'_> {
    /// A proxy for what an operation gives.
    fn new_proxy(&mut self, span: Span) -> Value {
        self.result_value(&ResultType::Instance(PROXY.into()), Name::new(PROXY), span)
    }

    /// An operation on a proxy is traced: `__torch_function__` makes a node of it and gives another proxy.
    pub fn traced_operation(&mut self, api: Name, bound: &Bound, span: Span) -> Option<Value> {
        let is_operation = api.as_str().starts_with("torch.") && !api.as_str().starts_with("torch.fx.");
        (is_operation && bound.iter().any(|(_, value)| self.has_proxy(value, &mut Walk::short())))
            .then(|| self.new_proxy(span))
    }

    fn has_proxy(&self, value: &Value, walk: &mut Walk) -> bool {
        let items = match value {
            Value::Instance(_) => return self.is_instance_of(value, PROXY),
            Value::Tuple(items) => &items[..],
            Value::List(id) => self.heap.list(*id).map_or(&[][..], |list| &list.items),
            _ => return false,
        };
        items.iter().take(MOST_ITEMS).any(|item| walk.part(|walk| self.has_proxy(item, walk)).unwrap_or(false))
    }

    /// Attributes and methods of proxies are operations of the trace, too.
    pub fn attribute_of_proxy(&mut self, base: Name, name: Name, span: Span) -> Option<Value> {
        let is_own = matches!(name.as_str(), "node" | "tracer") || name.as_str().starts_with("__");
        (base.as_str() == PROXY && !is_own).then(|| self.new_proxy(span))
    }
}
