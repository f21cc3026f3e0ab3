//! Classes that say themselves what is one of them: `__subclasshook__`, `__instancecheck__` and `__subclasscheck__`, and those with which other
//! classes were registered.

use crate::calls::call::CallArguments;
use crate::state::interpreter::{Eval, Interpreter};
use crate::values::value::{ObjectId, Value};
use harp_corpus::Span;
use harp_python::name::{Name, name};

/// The attribute of a class that has the classes registered with it; no program can name it.
const REGISTERED: &str = "(registered)";

impl Interpreter<'_> {
    /// `Class.register(other)`.
    pub(crate) fn register_class(&mut self, class: ObjectId, other: &Value) {
        let mut known = match self.heap.attribute(class, Name::new(REGISTERED)) {
            Some(Value::Tuple(classes)) => classes.to_vec(),
            _ => Vec::new(),
        };
        known.push(other.clone());
        self.heap.set_attribute(class, Name::new(REGISTERED), Value::tuple(known));
        self.hooks.asks = true;
    }

    /// What a class says of whether a value (`is_value`) or another class is one of it; `None` where it leaves that to its bases.
    pub(crate) fn asked_of_class(
        &mut self,
        value: &Value,
        class: &Value,
        is_value: bool,
        span: Span,
    ) -> Eval<Option<Value>> {
        let Value::Class(id) = class else { return Ok(None) };
        let check = if is_value { "__instancecheck__" } else { "__subclasscheck__" };
        if let Some(method) = self.method_of_metaclass(*id, check) {
            let arguments = CallArguments::positional(vec![class.clone(), value.clone()], span);
            return self.call(&method, arguments).map(Some);
        }
        let own = if is_value { self.class_of(value) } else { value.clone() };
        if !matches!(own, Value::Class(_) | Value::Library(_)) {
            return Ok(None);
        }
        if let Some(hook @ Value::Function(_)) = self.member_of(class, name!("__subclasshook__"), None) {
            let hook = self.bind_method(class, hook);
            let answer = self.call(&hook, CallArguments::positional(vec![own.clone()], span))?;
            if matches!(self.read(&answer), Value::Bool(_)) {
                return Ok(Some(answer));
            }
        }
        let Some(Value::Tuple(registered)) = self.heap.attribute(*id, Name::new(REGISTERED)).cloned() else {
            return Ok(None);
        };
        let order = self.resolution_order(&own);
        let is_one = registered.iter().any(|known| order.iter().any(|base| base.same(known)));
        Ok(is_one.then_some(Value::Bool(true)))
    }
}
