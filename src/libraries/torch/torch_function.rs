//! `__torch_function__`: objects that say themselves what PyTorch's functions do with them, as the proxies of `torch.fx` do, and the modules that are
//! called while such a trace runs.

use crate::methods::*;
use std::rc::Rc;

use harp_corpus::Span;
use harp_interp::calls::call::CallArguments;
use harp_interp::evaluate::operator_overloads::is_not_implemented;
use harp_interp::heap::objects::{DictData, Payload};
use harp_interp::state::bounded_walk::Walk;
use harp_interp::state::interpreter::{Eval, Interpreter};
use harp_interp::values::value::{BoundMethod, Closure, ObjectId, Value};
use harp_operations::operator_names::name_of;
use harp_python::ir::BinaryOperator;
use harp_python::name::{Name, name};

/// The method by which a class says what operations do with its objects.
pub(crate) const PROTOCOL: &str = "__torch_function__";
/// What a module of PyTorch's or of the program does when a trace calls it and its tracer goes into it.
pub(crate) const FORWARD: &str = "torch.fx._forward";
const TENSOR: &str = "torch.Tensor";
/// A sequence with more items is not looked through.
const MOST_ITEMS: usize = 64;

#[easy_ext::ext(TorchFunctionMethods)]
pub impl Interpreter<'_> {
    /// What an operation of PyTorch gives for objects whose class says so.
    fn call_by_protocol(&mut self, callee: &Value, arguments: &CallArguments) -> Eval<Option<Value>> {
        if !self.hooks.operations {
            return Ok(None);
        }
        let (function, receiver) = match callee {
            Value::Library(name) if self.is_operation(*name) => (callee.clone(), None),
            Value::LibraryMethod(method) if method.api.as_str().starts_with("torch.Tensor.") => {
                (Value::Library(method.api), Some(method.receiver.clone()))
            }
            _ => return Ok(None),
        };
        let keywords = arguments.keywords.iter().map(|(_, value)| value);
        let Some(object) = self.first_with_protocol(arguments.positional.iter().chain(keywords)) else {
            return Ok(None);
        };
        let Some(method) = self.own_method(&object, PROTOCOL) else { return Ok(None) };
        let given = receiver.into_iter().chain(arguments.positional.iter().cloned()).collect();
        let named = arguments.keywords.iter().map(|(name, value)| (Value::str(name.as_str()), value.clone())).collect();
        let named = Value::Dict(self.heap.allocate(Payload::Dict(Rc::new(DictData::new(named, None)))));
        let types = Value::tuple(vec![self.class_of(&object)]);
        let call = CallArguments::positional(vec![function, types, Value::tuple(given), named], arguments.span);
        let result = self.call(&method, call)?;
        Ok((!is_not_implemented(&result)).then_some(result))
    }

    /// `tensor + object`, where the class of the object says what that is.
    fn operator_by_protocol(
        &mut self,
        operator: BinaryOperator,
        left: &Value,
        right: &Value,
        span: Span,
    ) -> Eval<Option<Value>> {
        if !self.hooks.operations {
            return Ok(None);
        }
        if self.has_protocol(left) {
            return self.overloaded(operator, left, right, span).map(Some);
        }
        if !matches!(left, Value::Tensor(_)) || !self.has_protocol(right) {
            return Ok(None);
        }
        let operation = Value::library(&format!("torch.{}", name_of(operator)));
        self.call_by_protocol(&operation, &CallArguments::positional(vec![left.clone(), right.clone()], span))
    }

    /// Whether a name is that of a function of PyTorch, which asks its arguments what it does.
    fn is_operation(&self, name: Name) -> bool {
        let text = name.as_str();
        text.starts_with("torch.")
            && !text.starts_with("torch.fx.")
            && (text.starts_with("torch.ops.") || self.library_function(name).is_some())
    }

    fn first_with_protocol<'v>(&self, values: impl Iterator<Item = &'v Value>) -> Option<Value> {
        let mut walk = Walk::short();
        values.into_iter().find_map(|value| self.with_protocol(value, &mut walk))
    }

    fn with_protocol(&self, value: &Value, walk: &mut Walk) -> Option<Value> {
        let value = self.read(value);
        let items = match &value {
            Value::Instance(_) => return self.has_protocol(&value).then_some(value),
            Value::Tuple(items) => &items[..],
            Value::Slice(bounds) => &bounds[..],
            Value::List(id) => self.heap.list(*id).map_or(&[][..], |list| &list.items),
            Value::Dict(id) => {
                let entries = self.heap.dict(*id).map_or(&[][..], |data| &data.entries);
                let mut values = entries.iter().take(MOST_ITEMS).map(|(_, value)| value);
                return values.find_map(|value| walk.part(|walk| self.with_protocol(value, walk)).flatten());
            }
            _ => return None,
        };
        items.iter().take(MOST_ITEMS).find_map(|item| walk.part(|walk| self.with_protocol(item, walk)).flatten())
    }

    /// The first object among arguments whose class says what operations do.
    fn object_with_protocol(&self, arguments: &CallArguments) -> Option<Value> {
        self.first_with_protocol(arguments.positional.iter().chain(arguments.keywords.iter().map(|(_, value)| value)))
    }

    /// Whether a class, which is none of tensors, says what operations do with its objects.
    fn has_protocol(&self, value: &Value) -> bool {
        self.hooks.operations
            && matches!(value, Value::Instance(_))
            && matches!(self.class_attribute(value, Name::new(PROTOCOL)), Some(Value::Function(_)))
            && !self.is_instance_of(value, TENSOR)
    }

    /// The items of a proxy that is unpacked: as many as there are targets.
    fn items_of_proxy(&mut self, value: &Value, width: usize) -> Eval<Option<Vec<Value>>> {
        let class = self.class_of(value);
        let is_proxy = self.has_protocol(value)
            && self.resolution_order(&class).iter().any(|class| self.stands_for(class, "torch.fx.Proxy"));
        if !is_proxy {
            return Ok(None);
        }
        let span = self.calls.stack.last().copied().unwrap_or(Span::new(self.file(), 0, 0));
        (0..width as i64).map(|index| self.get_item(value, &Value::int(index), span)).collect::<Eval<_>>().map(Some)
    }

    /// Asks the tracer of the running trace what the call of a module is; `None` where none runs, or it has let this call through.
    fn call_traced_module(&mut self, id: ObjectId, arguments: &CallArguments) -> Eval<Option<Value>> {
        if self.model_state.tracing.running.is_empty() || !self.is_module(&Value::Instance(id)) {
            return Ok(None);
        }
        if self.model_state.tracing.passed.take_if(|passed| *passed == id).is_some() {
            return Ok(None);
        }
        let Some((tracer, _)) = self.model_state.tracing.running.last().cloned() else { return Ok(None) };
        let module = Value::Instance(id);
        let forward = BoundMethod { receiver: module.clone(), function: Value::library(FORWARD) };
        let named = arguments.keywords.iter().map(|(name, value)| (Value::str(name.as_str()), value.clone())).collect();
        let named = Value::Dict(self.heap.allocate(Payload::Dict(Rc::new(DictData::new(named, None)))));
        let given = Value::tuple(arguments.positional.clone());
        let call = vec![module, Value::BoundMethod(Rc::new(forward)), given, named];
        let method = self.get_attribute(&tracer, name!("call_module"), arguments.span)?;
        self.call(&method, CallArguments::positional(call, arguments.span)).map(Some)
    }

    /// Calls a module without asking the tracer.
    fn call_untraced(&mut self, id: ObjectId, arguments: CallArguments) -> Eval {
        self.model_state.tracing.passed = Some(id);
        let result = self.call_instance(id, arguments);
        self.model_state.tracing.passed = None;
        result
    }

    /// What a module of PyTorch's makes of proxies: what the source in Python says of its `forward`.
    fn layer_on_proxies(&mut self, id: ObjectId, arguments: &CallArguments) -> Eval<Option<Value>> {
        if !self.hooks.operations || self.object_with_protocol(arguments).is_none() {
            return Ok(None);
        }
        let module = Value::Instance(id);
        if !self.is_module(&module) || self.is_instance_of(&module, "torch.nn.Sequential") {
            return Ok(None);
        }
        let Some((source, _)) = self.project.standard_definition("torch.fx.Proxy") else { return Ok(None) };
        let source = self.module(source, false)?;
        let Some(layer) = self.heap.attribute(source, name!("_layer")).cloned() else { return Ok(None) };
        let named = arguments.keywords.iter().map(|(name, value)| (Value::str(name.as_str()), value.clone())).collect();
        let named = Value::Dict(self.heap.allocate(Payload::Dict(Rc::new(DictData::new(named, None)))));
        let call = vec![module, Value::tuple(arguments.positional.clone()), named];
        self.call(&layer, CallArguments::positional(call, arguments.span)).map(Some)
    }

    /// Notes that a function was entered. Where a trace sends proxies through it, its operations are looked at when the graph is run.
    fn note_entered(&mut self, closure: &Rc<Closure>, arguments: &CallArguments) {
        if !self.model_state.tracing.running.is_empty()
            && arguments.positional.iter().any(|value| self.has_protocol(value))
        {
            let function = Value::Function(Rc::clone(closure));
            if let Some((_, functions)) = self.model_state.tracing.running.last_mut()
                && !functions.iter().any(|known| known.same(&function))
            {
                functions.push(function);
            }
            return;
        }
        self.entered.insert((closure.function.file, closure.function.range.start));
    }
}
