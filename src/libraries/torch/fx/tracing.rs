//! Traces of `torch.fx`: how a function is followed with proxies in place of its arguments, and how the graph that comes of it runs.

use crate::methods::*;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use harp_corpus::Span;
use harp_interp::api::library_model::FunctionHandler;
use harp_interp::calls::call::CallArguments;
use harp_interp::heap::objects::{DictData, Payload};
use harp_interp::state::bounded_walk::Walk;
use harp_interp::state::interpreter::{Eval, Interpreter, Interrupt};
use harp_interp::values::value::{ObjectId, Value};
use harp_python::ir::ParameterKind;
use harp_python::name::{Name, name};
use harp_trace::not_understood::NotUnderstood;

/// The attribute of a graph with the functions of the program that were traced for it.
const FUNCTIONS: &str = "#functions";
/// What is said of a graph of which not everything is known.
const CHANGED: &str = "a module whose graph the program may have changed";

pub fn function(own: &str) -> Option<FunctionHandler> {
    Some(match own {
        "_trace" => trace,
        "_call" => call,
        "_root_function" => root_function,
        "_parameters_of" => parameters_of,
        "_lines" => lines,
        "_run" => run,
        _ => return None,
    })
}

/// What a module does itself when a tracer goes into it.
pub fn forward(interpreter: &mut Interpreter<'_>, _: Name, mut arguments: CallArguments) -> Eval {
    if arguments.positional.is_empty() {
        return Ok(Value::Unknown("module"));
    }
    let module = arguments.positional.remove(0);
    if !arguments.positional_spans.is_empty() {
        arguments.positional_spans.remove(0);
    }
    match interpreter.read(&module) {
        Value::Instance(id) => interpreter.call_untraced(id, arguments),
        _ => Ok(interpreter.symbolic("result of a module", arguments.span, false)),
    }
}

/// `function(*args, **kwargs)` for what callers may have given a tracer: of what nobody gave nothing is known.
fn call(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let [function, positional, keywords] = &arguments.positional[..] else { return Ok(Value::Unknown("call")) };
    let span = arguments.span;
    let function = interpreter.read(function);
    let (given, named) = (interpreter.read(positional), interpreter.read(keywords));
    let mut call = match given {
        Value::Tuple(items) => CallArguments::positional(items.to_vec(), span),
        Value::List(id) if interpreter.heap.list(id).is_some_and(|list| list.rest.is_none()) => {
            CallArguments::positional(
                interpreter.heap.list(id).map(|list| list.items.clone()).unwrap_or_default(),
                span,
            )
        }
        _ => return Ok(interpreter.symbolic("result of a traced function", span, false)),
    };
    if function.is_unknown() || !matches!(named, Value::Dict(_)) {
        return Ok(interpreter.symbolic("result of a traced function", span, false));
    }
    interpreter.splice_keywords(&mut call, &named);
    interpreter.call(&function, call)
}

/// The function that a trace of a module or of a function follows; that of a module takes the module first.
fn root_function(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let [root, name] = &arguments.positional[..] else { return Ok(Value::Unknown("function")) };
    let root = interpreter.read(root);
    if !interpreter.is_module(&root) {
        return Ok(root);
    }
    let name = Name::new(name.as_text().unwrap_or("forward"));
    Ok(match interpreter.class_attribute(&root, name) {
        Some(function @ Value::Function(_)) => function,
        _ => Value::library(crate::torch::torch_function::FORWARD),
    })
}

/// The parameters of a function: their names, with stars before them, their kinds and tuples with their defaults. That of a module comes without it.
fn parameters_of(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let [function, is_module] = &arguments.positional[..] else { return Ok(Value::Unknown("parameters")) };
    let mut function = interpreter.read(function);
    while let Value::Function(closure) = &function
        && let Some(wrapped) = &closure.wrapped
    {
        function = wrapped.clone();
    }
    let skipped = usize::from(matches!(is_module, Value::Bool(true)) || matches!(function, Value::BoundMethod(_)));
    if let Value::BoundMethod(method) = &function {
        function = method.function.clone();
    }
    let parameters = match &function {
        Value::Function(closure) => {
            let parameters = closure.function.parameters.iter().enumerate().skip(skipped);
            let parameter = |(place, parameter): (usize, &harp_python::ir::Parameter)| {
                let (stars, kind) = match parameter.kind {
                    ParameterKind::Variadic => ("*", "variadic"),
                    ParameterKind::VariadicKeyword => ("**", "variadic"),
                    ParameterKind::KeywordOnly => ("", "keyword"),
                    _ => ("", "plain"),
                };
                let default = closure.defaults.get(place).cloned().flatten();
                let name = Value::str(&format!("{stars}{}", parameter.name));
                Value::tuple(vec![name, Value::str(kind), Value::tuple(default.into_iter().collect())])
            };
            parameters.map(parameter).collect()
        }
        _ => vec![Value::tuple(vec![Value::str("input"), Value::str("plain"), Value::tuple(Vec::new())])],
    };
    Ok(Value::List(interpreter.heap.allocate_list(parameters)))
}

/// `_trace(tracer, finish, function, args, wrapped)`: whether the trace gave a graph of which everything is known. What was met on the way of one
/// that did not is forgotten: then the module runs as it is.
fn trace(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let [tracer, finish, function, given, wrapped] = &arguments.positional[..] else { return Ok(Value::Bool(false)) };
    let before = interpreter.noted();
    let patched = interpreter.patch_wrapped(wrapped, arguments.span)?;
    interpreter.model_state.tracing.running.push((tracer.clone(), Vec::new()));
    let depth = interpreter.model_state.tracing.running.len();
    let call = CallArguments::positional(vec![function.clone(), given.clone()], arguments.span);
    let result = interpreter.call(finish, call);
    interpreter.model_state.tracing.running.truncate(depth);
    let functions = interpreter.model_state.tracing.running.pop().map(|(_, functions)| functions).unwrap_or_default();
    for (module, name, value) in patched {
        interpreter.heap.set_attribute(module, name, value);
    }
    let graph = match interpreter.read(tracer) {
        Value::Instance(tracer) => interpreter.part_of_graph(tracer, "graph"),
        _ => Value::Unknown("graph"),
    };
    let is_known = match result {
        Ok(_) => interpreter.is_known_graph(&graph) && interpreter.noted().is_like(&before),
        Err(Interrupt::Raise) => false,
        Err(interrupt) => return Err(interrupt),
    };
    if !is_known {
        interpreter.forget_trace(before);
    } else if let Value::Instance(graph) = graph {
        interpreter.heap.set_attribute(graph, Name::new(FUNCTIONS), Value::tuple(functions));
    }
    Ok(Value::Bool(is_known))
}

/// What the nodes of a graph do, as the code that is generated from them says it.
fn lines(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let nodes = match arguments.positional.first().map(|nodes| interpreter.read(nodes)) {
        Some(Value::List(id)) => interpreter.heap.list(id).filter(|list| list.rest.is_none()).cloned(),
        _ => None,
    };
    let Some(nodes) = nodes else { return Ok(Value::None) };
    let mut lines = Vec::with_capacity(nodes.items.len());
    for node in &nodes.items {
        let Value::Instance(id) = interpreter.read(node) else { return Ok(Value::None) };
        let part = |name| interpreter.part_of_graph(id, name);
        lines.push(Value::tuple(vec![node.clone(), part("op"), part("target"), part("_args"), part("_kwargs")]));
    }
    Ok(Value::tuple(lines))
}

/// `_run(module, lines, args, kwargs)`: what the generated code of a module does. It fails where the program calls the module.
fn run(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let [module, lines, positional, keywords] = &arguments.positional[..] else { return Ok(Value::Unknown("graph")) };
    let own = interpreter.calls.stack.iter().rposition(|call| !interpreter.corpus.is_foreign(call.file));
    let span = own.map_or(arguments.span, |own| interpreter.calls.stack[own]);
    let (Value::Tuple(lines), Value::Tuple(given)) = (interpreter.read(lines), interpreter.read(positional)) else {
        interpreter.not_understood(CHANGED, span);
        return Ok(interpreter.symbolic("result of a graph", span, true));
    };
    interpreter.enter_traced_functions(module);
    let mut running = Running {
        module: module.clone(),
        given: given.iter().cloned().collect(),
        named: interpreter.read(keywords),
        values: FxHashMap::default(),
        span,
    };
    interpreter.calls.generated.push(own.map_or(0, |own| own + 1));
    let result = running.all(interpreter, &lines);
    interpreter.calls.generated.pop();
    result
}

/// A graph that is run.
struct Running {
    module: Value,
    given: std::collections::VecDeque<Value>,
    named: Value,
    values: FxHashMap<ObjectId, Value>,
    span: Span,
}

impl Running {
    fn all(&mut self, interpreter: &mut Interpreter<'_>, lines: &[Value]) -> Eval {
        for line in lines {
            interpreter.step()?;
            let Value::Tuple(line) = line else { continue };
            let [node @ Value::Instance(id), op, target, positional, keywords] = &**line else { continue };
            let mut fetch = |this: &mut Interpreter<'_>, part: &Value| Ok(self.fetch(this, part));
            let positional = interpreter.map_parts(positional, &mut Walk::new(), &mut fetch)?;
            let keywords = interpreter.map_parts(keywords, &mut Walk::new(), &mut fetch)?;
            let (Some(op), Value::Tuple(positional)) = (op.as_text(), positional) else {
                interpreter.not_understood(CHANGED, self.span);
                return Ok(interpreter.symbolic("result of a graph", self.span, true));
            };
            if op == "output" {
                return Ok(positional.first().cloned().unwrap_or(Value::None));
            }
            let place = interpreter.place_of_node(node, self.span);
            let value = self.one(interpreter, op, target, &positional, &keywords, place)?;
            self.values.insert(*id, value);
        }
        Ok(Value::None)
    }

    /// What an argument is when its node has run.
    fn fetch(&self, interpreter: &mut Interpreter<'_>, part: &Value) -> Value {
        match part {
            Value::Instance(id) => match self.values.get(id) {
                Some(value) => value.clone(),
                None if interpreter.is_node(part) => Value::Unknown("a node that did not run"),
                None => part.clone(),
            },
            part => part.clone(),
        }
    }

    fn one(
        &mut self,
        interpreter: &mut Interpreter<'_>,
        op: &str,
        target: &Value,
        positional: &[Value],
        keywords: &Value,
        place: Span,
    ) -> Eval {
        let path = target.as_text();
        let (callee, given) = match (op, path) {
            ("placeholder", Some(name)) => return Ok(self.argument(interpreter, name, positional)),
            ("get_attr", Some(path)) => return self.part_of_module(interpreter, path),
            ("call_function", None) => (target.clone(), positional),
            ("call_module", Some(path)) => (self.part_of_module(interpreter, path)?, positional),
            ("call_method", Some(name)) => {
                let Some((object, rest)) = positional.split_first() else { return Ok(Value::Unknown("receiver")) };
                if name == "__call__" {
                    (object.clone(), rest)
                } else {
                    (interpreter.get_attribute(object, Name::new(name), place)?, rest)
                }
            }
            _ => {
                interpreter.not_understood(CHANGED, self.span);
                return Ok(interpreter.symbolic("result of a graph", self.span, true));
            }
        };
        let mut call = CallArguments::positional(given.to_vec(), place);
        interpreter.splice_keywords(&mut call, keywords);
        interpreter.call(&callee, call)
    }

    /// What a placeholder gets: the next argument, the one of its name, or its default.
    fn argument(&mut self, interpreter: &mut Interpreter<'_>, name: &str, default: &[Value]) -> Value {
        if name.starts_with("**") {
            return Value::Dict(interpreter.heap.allocate(Payload::Dict(Rc::new(DictData::default()))));
        }
        if name.starts_with('*') {
            return Value::tuple(self.given.drain(..).collect());
        }
        let by_name = || match &self.named {
            Value::Dict(id) => interpreter.heap.dict(*id)?.find(&Value::str(name)).map(|(_, value)| value.clone()),
            _ => None,
        };
        let next = self.given.pop_front().or_else(by_name).or_else(|| default.first().cloned());
        next.unwrap_or_else(|| interpreter.symbolic(name, self.span, true))
    }

    fn part_of_module(&self, interpreter: &mut Interpreter<'_>, path: &str) -> Eval {
        let mut value = self.module.clone();
        for part in path.split('.') {
            value = interpreter.get_attribute(&value, Name::new(part), self.span)?;
        }
        Ok(value)
    }
}

/// How much was noted of what was not understood, and found.
struct Noted {
    not_understood: usize,
    unproved: usize,
    issues: usize,
    entry_issues: std::collections::BTreeSet<usize>,
    counted: std::collections::BTreeMap<String, NotUnderstood>,
}

impl Noted {
    fn is_like(&self, other: &Noted) -> bool {
        self.issues == other.issues && self.counted == other.counted
    }
}

#[easy_ext::ext(TracingMethods)]
impl Interpreter<'_> {
    fn noted(&self) -> Noted {
        Noted {
            not_understood: self.entry.not_understood.len(),
            unproved: self.entry.unproved.len(),
            issues: self.trace.issues.len(),
            entry_issues: self.entry.issues.clone(),
            counted: self.trace.not_understood.clone(),
        }
    }

    fn forget_trace(&mut self, before: Noted) {
        self.entry.not_understood.truncate(before.not_understood);
        self.entry.unproved.truncate(before.unproved);
        self.entry.issues = before.entry_issues;
        self.trace.forget_issues(before.issues);
        self.trace.not_understood = before.counted;
    }

    /// Whether a graph's nodes are all known.
    fn is_known_graph(&self, graph: &Value) -> bool {
        let Value::Instance(graph) = graph else { return false };
        let Value::List(nodes) = self.part_of_graph(*graph, "_nodes") else { return false };
        let nodes = self.heap.list(nodes);
        nodes.is_some_and(|list| list.rest.is_none() && list.items.iter().all(|node| self.is_node(&self.read(node))))
    }

    /// Puts functions that make nodes in the place of those that `torch.fx.wrap` was told of; gives what stood there.
    fn patch_wrapped(&mut self, wrapped: &Value, span: Span) -> Eval<Vec<(ObjectId, Name, Value)>> {
        let mut before: Vec<(ObjectId, Name, Value)> = Vec::new();
        let Value::List(wrapped) = self.read(wrapped) else { return Ok(before) };
        let wrapped = self.heap.list(wrapped).map(|list| list.items.clone()).unwrap_or_default();
        let Some((source, _)) = self.project.standard_definition("torch.fx.Proxy") else { return Ok(before) };
        let source = self.module(source, false)?;
        let Some(wrapper) = self.heap.attribute(source, name!("_wrapper")).cloned() else { return Ok(before) };
        for entry in &wrapped {
            let Value::Tuple(entry) = self.read(entry) else { continue };
            let [Value::Module(module), Value::Str(Some(name))] = &*entry else { continue };
            let name = Name::new(name);
            let is_patched = before.iter().any(|(known, other, _)| known == module && *other == name);
            if let (false, Some(function)) = (is_patched, self.heap.attribute(*module, name).cloned()) {
                let patched = self.call(&wrapper, CallArguments::positional(vec![function.clone()], span))?;
                self.heap.set_attribute(*module, name, patched);
                before.push((*module, name, function));
            }
        }
        Ok(before)
    }

    /// The functions of the program that a graph was traced from run with it.
    fn enter_traced_functions(&mut self, module: &Value) {
        let Value::Instance(module) = module else { return };
        let Value::Instance(graph) = self.part_of_graph(*module, "_graph") else { return };
        let Value::Tuple(functions) = self.part_of_graph(graph, FUNCTIONS) else { return };
        for function in functions.iter() {
            if let Value::Function(closure) = function {
                self.entered.insert((closure.function.file, closure.function.range.start));
            }
        }
    }
}
