//! Calls of functions under `functools.lru_cache` and `functools.cache`: what a function returned for equal arguments
//! is returned again, and the function does not run.

use std::cell::Cell;
use std::rc::Rc;

use crate::calls::call::CallArguments;
use crate::state::interpreter::{Eval, Interpreter};
use crate::values::value::{Closure, ObjectId, Value};
use harp_limits::light_tick;
use harp_python::name::Name;

/// The attribute of a function that holds its results; no name of a program's attribute.
const RESULTS: &str = "#results";
/// For more than so many different arguments, a function runs again.
const MOST_RESULTS: usize = 64;

impl Interpreter<'_> {
    /// The function with a memory of its results.
    pub fn remembering(&mut self, closure: &Closure) -> Value {
        let attributes = self.heap.allocate_common();
        if let Some(before) = closure.attributes.get() {
            let known: Vec<(Name, Value)> =
                self.heap.object(before).attributes.iter().map(|(name, value)| (name, value.clone())).collect();
            known.into_iter().for_each(|(name, value)| self.heap.set_attribute(attributes, name, value));
        }
        let results = Value::Dict(self.heap.allocate_dict(Vec::new()));
        self.heap.set_attribute(attributes, Name::new(RESULTS), results);
        let cell = Rc::new(Cell::new(Some(attributes)));
        self.attributed.push(Rc::clone(&cell));
        let wrapped = Some(Value::Function(Rc::new(closure.copy())));
        Value::Function(Rc::new(Closure { attributes: cell, wrapped, ..closure.copy() }))
    }

    /// What a function remembers is found here, where it remembers anything.
    pub(crate) fn results_of(&self, closure: &Closure) -> Option<ObjectId> {
        match self.heap.attribute(closure.attributes.get()?, Name::new(RESULTS)) {
            Some(Value::Dict(results)) if self.inference.is_none() => Some(*results),
            _ => None,
        }
    }

    /// Calls a function that remembers its results.
    pub(crate) fn call_remembering(
        &mut self,
        closure: &Rc<Closure>,
        results: ObjectId,
        arguments: CallArguments,
    ) -> Eval {
        let Some(key) = self.key_of_call(&arguments) else { return self.run_closure(closure, arguments) };
        let data = self.heap.dict(results).cloned();
        let entries = data.as_ref().map_or(&[][..], |data| &data.entries[..]);
        if let Some((_, value)) = entries.iter().find(|(known, _)| known.same(&key)) {
            return Ok(value.clone());
        }
        let is_full = entries.len() >= MOST_RESULTS;
        let value = self.run_closure(closure, arguments)?;
        if !is_full {
            self.heap.push_entry(results, key, value.clone());
        }
        Ok(value)
    }

    /// The arguments as a key, where all of them are known.
    fn key_of_call(&self, arguments: &CallArguments) -> Option<Value> {
        if arguments.is_open {
            return None;
        }
        let mut parts = Vec::with_capacity(arguments.positional.len() + 2 * arguments.keywords.len());
        for value in &arguments.positional {
            parts.push(self.known_part(value)?);
        }
        for (name, value) in &arguments.keywords {
            parts.push(Value::str(name.as_str()));
            parts.push(self.known_part(value)?);
        }
        Some(Value::tuple(parts))
    }

    fn known_part(&self, value: &Value) -> Option<Value> {
        light_tick();
        let value = self.read(value);
        let is_known = match &value {
            Value::None | Value::Bool(_) | Value::Str(Some(_)) | Value::Float(Some(_)) => true,
            Value::Int(dim) => dim.as_const().is_some(),
            Value::Instance(_) | Value::Class(_) | Value::Module(_) | Value::Function(_) | Value::Library(_) => true,
            Value::Tuple(items) => items.iter().all(|item| self.known_part(item).is_some()),
            _ => false,
        };
        is_known.then_some(value)
    }
}
