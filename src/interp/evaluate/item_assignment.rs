//! Executes assignments and deletions of items.

use std::rc::Rc;

use crate::calls::call::CallArguments;
use crate::evaluate::expressions::{has_key, insert};
use crate::evaluate::sequence_items::slice_positions;
use crate::evaluate::subscripts::subscript_items;
use crate::heap::objects::{ListData, Payload};
use crate::state::interpreter::{Eval, Interpreter, Interrupt};
use crate::values::value::{ObjectId, Value};
use harp_corpus::Span;
use harp_python::name::name;

/// Whether a key stands for one value: two entries under it are one. Keys that are read from a file are each another one.
pub fn names_one_key(key: &Value) -> bool {
    match key {
        Value::Tuple(items) => items.iter().all(names_one_key),
        Value::Str(None) | Value::Alternatives(_) => false,
        key => !key.is_unknown(),
    }
}

impl Interpreter<'_> {
    pub fn set_item(&mut self, object: &Value, index: &Value, value: Value, span: Span) -> Eval<()> {
        let object = self.read(object);
        // Lists and dictionaries are looked into wherever they are read; anything else may be a view of an array, as `x.flat` is.
        match object {
            Value::List(_) | Value::Dict(_) => {}
            Value::Tensor(_) => self.change_all_of(std::slice::from_ref(&object)),
            _ => self.executions.change(),
        }
        if let Value::Dict(id) = &object
            && (self.hooks.holds || matches!(index, Value::Set(_)))
            && self.own_method_of_dict(*id, "__setitem__").is_none()
        {
            let key = self.key_in(*id, index);
            return self.store_item(&object, &key, value, span);
        }
        if self.hooks.holds
            && self.own_method(&object, "__setitem__").is_none()
            && let Some((object, index)) = self.held_operands(&object, index)
        {
            return self.set_item(&object, &index, value, span);
        }
        if let Value::Dict(id) = &object
            && let Some(method) = self.own_method_of_dict(*id, "__setitem__")
        {
            let arguments = CallArguments::positional(vec![index.clone(), value], span);
            return self.call(&method, arguments).map(|_| ());
        }
        self.store_item(&object, index, value, span)
    }

    /// What `dict.__setitem__` and its like do, whatever a class of the program has in their place.
    pub fn store_item(&mut self, object: &Value, index: &Value, value: Value, span: Span) -> Eval<()> {
        self.store_in(object, index, value, span)?;
        if let Value::Dict(id) = self.read(object) {
            let key = self.read(index);
            self.models.entry_is_set(self, id, &key, span);
        }
        Ok(())
    }

    fn store_in(&mut self, object: &Value, index: &Value, value: Value, span: Span) -> Eval<()> {
        match self.read(object) {
            Value::Dict(id) => {
                let index = self.read(index);
                let is_known = names_one_key(&index);
                self.store_through(id, &index, &value);
                let before = self.heap.dict(id).and_then(|data| data.rest.clone());
                let value = match before {
                    Some((_, before)) if !is_known => self.widen(&[before, value]),
                    _ => value,
                };
                if is_known && self.heap.dict(id).is_some_and(|data| !has_key(data, &index)) {
                    self.heap.push_entry(id, index, value);
                } else if is_known {
                    self.heap.change_dict(id, |data| insert(data, index, value));
                } else {
                    if self.read(&value).is_unknown() {
                        self.changed_under_unknown_keys(id, span);
                    }
                    let is_text = matches!(value, Value::Str(None)) && matches!(index, Value::Str(None));
                    self.heap.change_dict(id, |data| {
                        data.rest = Some((index, value));
                        // Any text among the entries may be the one that is replaced.
                        let texts = data.entries.iter_mut().filter(|(key, held)| {
                            is_text && matches!(key, Value::Str(_)) && matches!(held, Value::Str(Some(_)))
                        });
                        texts.for_each(|(_, held)| *held = Value::Str(None));
                    });
                }
            }
            Value::List(id) => match index {
                Value::Slice(bounds) => self.set_list_slice(id, bounds, &value)?,
                _ => self.set_list_item(id, index, value),
            },
            Value::Library(name) if self.models.set_item_of_name(self, name, index, &value) => {}
            object @ Value::Tensor(_) if !self.names_an_item(index) => {
                if let Value::Tensor(tensor) = &object {
                    self.check_numbers_of_index(tensor, index, span);
                }
                let Value::Library(class) = self.class_of(&object) else { return Ok(()) };
                let items = subscript_items(&self.read(index));
                let arguments = CallArguments::positional(vec![object, items, value], span);
                self.call_special_method(class, name!("__setitem__"), arguments)?;
            }
            Value::Instance(id) => {
                let instance = Value::Instance(id);
                if let Some(method @ Value::Function(_)) = self.class_attribute(&instance, name!("__setitem__")) {
                    let bound = self.bind_method(&instance, method);
                    self.call(&bound, CallArguments::positional(vec![index.clone(), value], span))?;
                    return Ok(());
                }
                self.models.set_item(self, id, index, value, span);
            }
            // What was read of it under that key, or under any where the key is not known, is another item from now on.
            Value::Symbolic(id) => self.forget_items_of_symbolic(id, index, &value),
            // A tuple refuses, as what NumPy gives since its version 2 in place of a list.
            Value::Tuple(_) => return Err(Interrupt::Raise),
            // Only the one that it is gets the item.
            object @ Value::Alternatives(_) => {
                self.for_each_alternative(&object, |this, object| {
                    this.set_item(&object, index, value.clone(), span).map(|()| Value::None)
                })?;
            }
            _ => {}
        }
        Ok(())
    }

    /// `items[a:b] = others` puts the others in the place of a part of the list; with a step, or unknown bounds, any item may be one of them.
    fn set_list_slice(&mut self, id: ObjectId, bounds: &[Value; 3], value: &Value) -> Eval<()> {
        let others = self.iterate(value)?;
        let (others, is_exact, _) = self.sample(others);
        let Some(data) = self.heap.list(id).cloned() else { return Ok(()) };
        let bound = |bound: &Value| if bound.is_none() { Some(None) } else { bound.as_int().map(Some) };
        let is_plain = bounds[2].is_none() && is_exact && data.rest.is_none();
        let length = data.items.len() as i64;
        if let (Some(lower), Some(upper), Some(step @ 1..)) = (bound(&bounds[0]), bound(&bounds[1]), bounds[2].as_int())
            && is_exact
            && data.rest.is_none()
        {
            let place = |bound: i64| (if bound < 0 { bound + length } else { bound }).clamp(0, length) as usize;
            let places = lower.map_or(0, place)..upper.map_or(data.items.len(), place);
            let places: Vec<usize> = places.step_by(usize::try_from(step).unwrap_or(usize::MAX)).collect();
            if places.len() == others.len() {
                self.heap.change_list(id, |data| {
                    places.iter().zip(others).for_each(|(&place, other)| data.items[place] = other);
                });
                return Ok(());
            }
        }
        // `words[1:] = […]`: what follows the known items goes, however much it is.
        let kept = bound(&bounds[0]).flatten().and_then(|lower| usize::try_from(lower).ok());
        if let (Some(kept), Some(None), true, true) =
            (kept, bound(&bounds[1]), is_exact && bounds[2].is_none(), data.rest.is_some())
            && kept <= data.items.len()
        {
            let items = data.items[..kept].iter().cloned().chain(others).collect();
            self.heap.set_payload(id, Payload::List(Rc::new(ListData { items, rest: None })));
            return Ok(());
        }
        match (bound(&bounds[0]), bound(&bounds[1])) {
            (Some(lower), Some(upper)) if is_plain => {
                let place = |bound: i64| (if bound < 0 { bound + length } else { bound }).clamp(0, length) as usize;
                let from = lower.map_or(0, place);
                let to = upper.map_or(data.items.len(), place).max(from);
                self.heap.change_list(id, |data| drop(data.items.splice(from..to, others)));
            }
            _ => {
                let all: Vec<Value> = data.items.iter().chain(&data.rest).chain(&others).cloned().collect();
                let rest = (!all.is_empty()).then(|| self.widen(&all));
                self.heap.set_payload(id, Payload::List(Rc::new(ListData { items: Vec::new(), rest })));
            }
        }
        Ok(())
    }

    fn set_list_item(&mut self, id: ObjectId, index: &Value, value: Value) {
        let Some(data) = self.heap.list(id) else { return };
        let length = data.items.len() as i64;
        let position = index.as_int().map(|position| if position < 0 { position + length } else { position });
        match position.and_then(|position| usize::try_from(position).ok()).filter(|&at| at < data.items.len()) {
            Some(position) => {
                // Of several lists, only one has the new item; a place that waits for one is no matter.
                let before = data.items.get(position).filter(|before| !before.is_none()).cloned();
                let value = match before.filter(|_| self.is_one_of_several(id)) {
                    Some(before) => self.widen(&[before, value]),
                    None => value,
                };
                self.heap.change_list(id, |data| data.items[position] = value);
            }
            None => {
                // Any of the items may be the one.
                let Some(data) = self.heap.list(id).cloned() else { return };
                let mut items = Vec::with_capacity(data.items.len());
                for item in &data.items {
                    items.push(self.widen(&[item.clone(), value.clone()]));
                }
                let rest = data.rest.clone().map(|rest| self.widen(&[rest, value.clone()]));
                self.heap.set_payload(id, Payload::List(Rc::new(ListData { items, rest })));
            }
        }
    }

    pub fn delete_item(&mut self, object: &Value, index: &Value) {
        let object = self.read(object);
        let key = if let Value::Dict(id) = &object { Some(self.key_in(*id, index)) } else { None };
        if key.is_none()
            && let Some((object, index)) = self.held_operands(&object, index)
        {
            return self.delete_item(&object, &index);
        }
        let index = key.as_ref().unwrap_or(index);
        match object {
            Value::Library(name) if self.models.delete_item_of_name(self, name, index) => {}
            Value::Dict(id) => {
                let index = self.read(index);
                self.delete_through(id, &index);
                self.heap.change_dict(id, |data| data.entries.retain(|(key, _)| !key.same_key(&index)));
            }
            Value::List(id) if let Value::Slice(bounds) = index => {
                let bound = |value: &Value| if value.is_none() { Some(None) } else { value.as_int().map(Some) };
                let known = (bound(&bounds[0]), bound(&bounds[1]), bound(&bounds[2]));
                let Some(data) = self.heap.list(id).cloned() else { return };
                match known {
                    // All of them, however many there are.
                    (Some(None), Some(None), Some(None)) => {
                        let empty = ListData { items: Vec::new(), rest: None };
                        self.heap.set_payload(id, Payload::List(Rc::new(empty)));
                    }
                    (Some(lower), Some(upper), Some(step)) if data.rest.is_none() => {
                        let step = step.unwrap_or(1);
                        let gone: Vec<i64> = slice_positions(data.items.len() as i64, lower, upper, step).collect();
                        self.heap.change_list(id, |data| {
                            let mut place = -1;
                            data.items.retain(|_| {
                                place += 1;
                                !gone.contains(&place)
                            });
                        });
                    }
                    _ => {
                        let all: Vec<Value> = data.items.iter().chain(&data.rest).cloned().collect();
                        let rest = (!all.is_empty()).then(|| self.widen(&all));
                        self.heap.set_payload(id, Payload::List(Rc::new(ListData { items: Vec::new(), rest })));
                    }
                }
            }
            Value::List(id) => {
                let position = index.as_int();
                self.heap.change_list(id, |data| {
                    let length = data.items.len() as i64;
                    let position = position.map(|at| if at < 0 { at + length } else { at });
                    if let Some(at) =
                        position.and_then(|at| usize::try_from(at).ok()).filter(|&at| at < data.items.len())
                    {
                        data.items.remove(at);
                    }
                });
            }
            _ => {}
        }
    }
}
