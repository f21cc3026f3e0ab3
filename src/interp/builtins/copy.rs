//! The functions `copy.copy` and `copy.deepcopy`: containers and objects with what they hold. Classes of the program
//! may say how they are copied, and what occurs twice in what is copied is one object in the copy, too.

use std::collections::HashMap;
use std::rc::Rc;

use crate::api::library_model::FunctionHandler;
use crate::calls::call::CallArguments;
use crate::heap::objects::Payload;
use crate::state::interpreter::{Eval, Interpreter};
use crate::values::value::{ObjectId, Value};
use harp_limits::light_tick;
use harp_python::name::{Name, name};

/// What lies deeper is shared with the copy.
const DEEPEST: usize = 24;

pub fn function(name: &str) -> Option<FunctionHandler> {
    Some(match name {
        "copy.copy" => |this, _, arguments| copied(this, &arguments, 1),
        "copy.deepcopy" => |this, _, arguments| copied(this, &arguments, DEEPEST),
        "copy.replace" => |this, name, arguments| {
            let value = this.read(&first(&arguments));
            match this.own_method(&value, "__replace__") {
                Some(method) => {
                    let rest = CallArguments { positional: Vec::new(), ..arguments };
                    this.call(&method, rest)
                }
                None => {
                    let function = name!("dataclasses.replace");
                    match crate::api::registry::function(this.models, function.as_str()) {
                        Some(replace) => replace(this, function, arguments),
                        None => Ok(this.unanswered("copy", name.as_str(), arguments.span)),
                    }
                }
            }
        },
        _ => return None,
    })
}

fn first(arguments: &CallArguments) -> Value {
    arguments.positional.first().cloned().unwrap_or(Value::Unknown("missing argument"))
}

fn copied(interpreter: &mut Interpreter<'_>, arguments: &CallArguments, depth: usize) -> Eval {
    let memo = interpreter.heap.allocate_dict(Vec::new());
    let mut copying = Copying { memo, known: HashMap::new(), span: arguments.span, manner: Manner::Copy };
    // A class of the program passes on what it was given.
    if let (Some(Value::Dict(given)), true) = (arguments.positional.get(1), depth > 1) {
        copying.memo = *given;
    }
    interpreter.for_each_alternative(&first(arguments), |this, value| copying.copy(this, &value, depth))
}

struct Copying {
    /// The dictionary that the program's own methods are given.
    memo: ObjectId,
    /// What was copied before.
    known: HashMap<ObjectId, Value>,
    span: harp_corpus::Span,
    manner: Manner,
}

/// What of a class has a say in how its objects are copied.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Manner {
    /// All of it: `copy.copy` and `copy.deepcopy`.
    Copy,
    /// What `pickle` asks for.
    Pickle,
    /// Nothing: what an object is at a time.
    Snapshot,
}

impl Interpreter<'_> {
    /// What a value is now, whatever happens to it later.
    pub fn snapshot(&mut self, value: &Value, span: harp_corpus::Span) -> Eval {
        self.copied_as(value, Manner::Snapshot, span)
    }

    /// What `pickle.loads(pickle.dumps(value))` gives.
    pub fn through_bytes(&mut self, value: &Value, span: harp_corpus::Span) -> Eval {
        self.copied_as(value, Manner::Pickle, span)
    }

    fn copied_as(&mut self, value: &Value, manner: Manner, span: harp_corpus::Span) -> Eval {
        let memo = self.heap.allocate_dict(Vec::new());
        let mut copying = Copying { memo, known: HashMap::new(), span, manner };
        self.for_each_alternative(value, |this, value| copying.copy(this, &value, DEEPEST))
    }
}

impl Copying {
    fn copy(&mut self, interpreter: &mut Interpreter<'_>, value: &Value, depth: usize) -> Eval {
        light_tick();
        if depth == 0 {
            return Ok(value.clone());
        }
        let is_deep = depth > 1;
        let id = match value {
            Value::Tuple(items) if is_deep && items.iter().any(holds_objects) => {
                let items =
                    items.iter().map(|item| self.copy(interpreter, item, depth - 1)).collect::<Eval<Vec<_>>>()?;
                return Ok(Value::tuple(items));
            }
            Value::List(id) | Value::Dict(id) | Value::Set(id) | Value::Instance(id) => *id,
            _ => return Ok(value.clone()),
        };
        if let Some(copy) = self.known.get(&id) {
            return Ok(copy.clone());
        }
        // What a class of the program wrote into the memo is the copy.
        if is_deep
            && let Some(number) = crate::builtins::objects::number_of_object(value)
            && let Some((_, copy)) = interpreter.heap.dict(self.memo).and_then(|memo| memo.find(&number))
        {
            return Ok(copy.clone());
        }
        if let Some(copy) = self.copy_by_method(interpreter, value, is_deep)? {
            self.known.insert(id, copy.clone());
            return Ok(copy);
        }
        if is_deep
            && self.manner != Manner::Snapshot
            && let Some(copy) = self.copy_by_state(interpreter, value, id, depth)?
        {
            return Ok(copy);
        }
        let copy = interpreter.heap.allocate(interpreter.heap.payload(id).clone());
        let result = match value {
            Value::List(_) => Value::List(copy),
            Value::Dict(_) => Value::Dict(copy),
            Value::Set(_) => Value::Set(copy),
            _ => Value::Instance(copy),
        };
        self.known.insert(id, result.clone());
        if is_deep {
            self.copy_parts(interpreter, copy, depth)?;
        }
        let attributes: Vec<(Name, Value)> =
            interpreter.heap.object(id).attributes.iter().map(|(name, value)| (name, value.clone())).collect();
        for (name, attribute) in attributes {
            if let (Value::Dict(dict), crate::classes::shared_dict_state::SHARED, false) =
                (&attribute, name.as_str(), is_deep)
            {
                let own = interpreter.heap.allocate(interpreter.heap.payload(*dict).clone());
                interpreter.heap.set_attribute(copy, name, Value::Dict(own));
                continue;
            }
            let attribute = if is_deep { self.copy(interpreter, &attribute, depth - 1)? } else { attribute };
            interpreter.heap.set_attribute(copy, name, attribute);
        }
        Ok(result)
    }

    /// The items of a container that is a copy already.
    fn copy_parts(&mut self, interpreter: &mut Interpreter<'_>, copy: ObjectId, depth: usize) -> Eval<()> {
        match interpreter.heap.payload(copy).clone() {
            Payload::List(data) if data.items.iter().any(holds_objects) => {
                let mut data = (*data).clone();
                for item in &mut data.items {
                    *item = self.copy(interpreter, item, depth - 1)?;
                }
                interpreter.heap.set_payload(copy, Payload::List(Rc::new(data)));
            }
            Payload::Dict(data) if data.entries.iter().any(|(_, item)| holds_objects(item)) => {
                let mut data = (*data).clone();
                for (_, item) in &mut data.entries {
                    *item = self.copy(interpreter, item, depth - 1)?;
                }
                interpreter.heap.set_payload(copy, Payload::Dict(Rc::new(data)));
            }
            _ => {}
        }
        Ok(())
    }

    /// `__copy__` and `__deepcopy__` of a class of the program.
    fn copy_by_method(
        &mut self,
        interpreter: &mut Interpreter<'_>,
        value: &Value,
        is_deep: bool,
    ) -> Eval<Option<Value>> {
        if self.manner == Manner::Snapshot {
            return Ok(None);
        }
        if let Some(reduce) = interpreter.own_method(value, "__reduce__") {
            return self.copy_by_reduction(interpreter, &reduce);
        }
        if self.manner == Manner::Pickle {
            return Ok(None);
        }
        let name = if is_deep { "__deepcopy__" } else { "__copy__" };
        let Some(method) = interpreter.own_method(value, name) else { return Ok(None) };
        let given = if is_deep { vec![Value::Dict(self.memo)] } else { Vec::new() };
        interpreter.call(&method, CallArguments::positional(given, self.span)).map(Some)
    }

    /// `__reduce__` gives what is called to make the copy, with which arguments, and the state that the copy is given.
    fn copy_by_reduction(&mut self, interpreter: &mut Interpreter<'_>, reduce: &Value) -> Eval<Option<Value>> {
        let reduced = interpreter.call(reduce, CallArguments::empty(self.span))?;
        let Value::Tuple(parts) = interpreter.read(&reduced) else { return Ok(None) };
        let [maker, given, ..] = &parts[..] else { return Ok(None) };
        let Value::Tuple(given) = interpreter.read(given) else { return Ok(None) };
        let copy = interpreter.call(maker, CallArguments::positional(given.to_vec(), self.span))?;
        let state = parts.get(2).map(|state| interpreter.read(state)).filter(|state| !state.is_none());
        let Some(state) = state else { return Ok(Some(copy)) };
        match (interpreter.own_method(&copy, "__setstate__"), &state, &copy) {
            (Some(set), ..) => {
                interpreter.call(&set, CallArguments::positional(vec![state], self.span))?;
            }
            (None, Value::Dict(state), Value::Instance(object)) => {
                let entries = interpreter.heap.dict(*state).map(|data| data.entries.clone()).unwrap_or_default();
                for (name, value) in entries {
                    if let Some(name) = name.as_text() {
                        interpreter.heap.set_attribute(*object, Name::new(name), value);
                    }
                }
            }
            _ => return Ok(None),
        }
        Ok(Some(copy))
    }

    /// An object whose class says what its state is: the copy is made of that.
    fn copy_by_state(
        &mut self,
        interpreter: &mut Interpreter<'_>,
        value: &Value,
        id: ObjectId,
        depth: usize,
    ) -> Eval<Option<Value>> {
        let Some(get) = interpreter.own_method(value, "__getstate__") else { return Ok(None) };
        let Value::Class(class) = interpreter.class_of(value) else { return Ok(None) };
        let state = interpreter.call(&get, CallArguments::empty(self.span))?;
        let state = self.copy(interpreter, &interpreter.read(&state), depth - 1)?;
        let copy = interpreter.allocate_instance(class, self.span);
        self.known.insert(id, copy.clone());
        if let Some(set) = interpreter.own_method(&copy, "__setstate__") {
            interpreter.call(&set, CallArguments::positional(vec![state], self.span))?;
            return Ok(Some(copy));
        }
        let (Value::Dict(state), Value::Instance(object)) = (&state, &copy) else { return Ok(None) };
        let Some(data) = interpreter.heap.dict(*state).cloned() else { return Ok(None) };
        for (name, attribute) in &data.entries {
            if let Some(name) = name.as_text() {
                interpreter.heap.set_attribute(*object, Name::new(name), attribute.clone());
            }
        }
        Ok(Some(copy))
    }
}

/// Whether a copy of a value is another one.
fn holds_objects(value: &Value) -> bool {
    match value {
        Value::List(_) | Value::Dict(_) | Value::Set(_) | Value::Instance(_) => true,
        Value::Tuple(items) => items.iter().any(holds_objects),
        _ => false,
    }
}
