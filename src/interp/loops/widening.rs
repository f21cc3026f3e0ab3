//! What a loop changes is widened until another iteration changes nothing more: any of its values may be met after it.

use std::rc::Rc;

use crate::heap::objects::{Content, DictData, ListData, Location, LogMark, Payload};
use crate::state::interpreter::Interpreter;
use crate::values::equivalent_modules::MODULE;
use crate::values::value::{ObjectId, Value};
use harp_python::name::Name;
use harp_shape::{Dim, Var, VarKind};

impl Interpreter<'_> {
    /// One object for those that a loop makes anew in each iteration: what the program writes into one of an earlier iteration is not seen
    /// through it. Modules, which are not made for one iteration, are left to [`Interpreter::widen`].
    fn widen_remade(&mut self, old: &Value, new: &Value, mark: LogMark) -> Option<Value> {
        let (Value::Instance(old), Value::Instance(id)) = (old, new) else { return None };
        if !self.heap.is_newer(Location::Payload(*id), mark) || self.is_instance_of(new, MODULE) {
            return None;
        }
        let class = self.class_of(new);
        let waits = match &class {
            Value::Library(_) => self.models.is_pending(self, new),
            _ => None,
        };
        let is_future = waits.is_some();
        if !(is_future || matches!(class, Value::Class(_))) || !self.heap.instance(*old)?.class.same(&class) {
            return None;
        }
        let fields = |id: ObjectId| -> Vec<(Name, Value)> {
            self.heap.object(id).attributes.iter().map(|(name, value)| (name, value.clone())).collect()
        };
        let (mut before, after) = (fields(*old), fields(*id));
        // A future that still waits was followed by one that does, whatever became of the first.
        if waits == Some(true) {
            before.clone_from(&after);
        }
        if !before.iter().map(|(name, _)| name).eq(after.iter().map(|(name, _)| name)) {
            return None;
        }
        let joined = self.heap.allocate(self.heap.payload(*id).clone());
        for ((name, before), (_, after)) in before.into_iter().zip(after) {
            let value = if self.is_equivalent(&before, &after) { after } else { self.widen(&[before, after]) };
            self.heap.set_attribute(joined, name, value);
        }
        Some(Value::Instance(joined))
    }

    /// Joins the numbers that changed since `mark` with what they were: what asks for one in the next iteration sees any of them.
    pub(crate) fn widen_numbers_since(&mut self, mark: LogMark) {
        let old = self.heap.old_since(mark);
        let new = self.heap.delta_since(mark);
        for ((location, old), (_, new)) in old.into_iter().zip(new) {
            if let (Content::Attribute(Some(old @ Value::Int(_))), Content::Attribute(Some(new @ Value::Int(_)))) =
                (old, new)
                && !self.heap.is_newer(location, mark)
                && !self.is_equivalent(&old, &new)
            {
                let widened = self.widen(&[old, new]);
                self.heap.store(location, Content::Attribute(Some(widened)));
            }
        }
    }

    /// A loop may end where its test was first asked: numbers and tensors are what they were then or what they became.
    pub(crate) fn join_sizes_since(&mut self, mark: LogMark) {
        let (old, new) = (self.heap.old_since(mark), self.heap.delta_since(mark));
        for ((location, old), (_, new)) in old.into_iter().zip(new) {
            let (Content::Attribute(Some(old)), Content::Attribute(Some(new))) = (old, new) else { continue };
            let are_sizes =
                matches!((&old, &new), (Value::Tensor(_), Value::Tensor(_)) | (Value::Int(_), Value::Int(_)));
            if are_sizes && !self.heap.is_newer(location, mark) && !self.is_equivalent(&old, &new) {
                let joined = self.widen(&[old, new]);
                if let Value::Int(dim) = &joined {
                    let free = dim.vars().into_iter().filter(|var| var.kind() == VarKind::Free);
                    free.for_each(|var| self.by_chance.insert(var, ()));
                }
                self.heap.store(location, Content::Attribute(Some(joined)));
            }
        }
    }

    /// Joins what changed since `mark` with what it was, so that another iteration sees any of its values.
    pub(crate) fn widen_since(&mut self, mark: LogMark) {
        let old = self.heap.old_since(mark);
        let new = self.heap.delta_since(mark);
        for ((location, old), (_, new)) in old.into_iter().zip(new) {
            // What an iteration makes for itself was nothing before.
            if self.heap.is_newer(location, mark) {
                continue;
            }
            let widened = match (old, new) {
                (Content::Attribute(Some(old)), Content::Attribute(Some(new))) if !self.is_equivalent(&old, &new) => {
                    let remade = self.widen_remade(&old, &new, mark);
                    Content::Attribute(Some(remade.unwrap_or_else(|| self.widen(&[old, new]))))
                }
                (Content::Payload(Payload::List(old)), Content::Payload(Payload::List(new))) => {
                    match self.widened_items(&old, &new) {
                        Some(list) => Content::Payload(Payload::List(Rc::new(list))),
                        None => continue,
                    }
                }
                (Content::Payload(Payload::Dict(old)), Content::Payload(Payload::Dict(new))) => {
                    match self.widened_entries(&old, &new) {
                        Some(dict) => Content::Payload(Payload::Dict(Rc::new(dict))),
                        None => continue,
                    }
                }
                _ => continue,
            };
            self.heap.store(location, widened);
        }
    }

    /// The items of a list that was filled further, or that holds others than before; `None` where it is to be left as it is.
    fn widened_items(&mut self, old: &ListData, new: &ListData) -> Option<ListData> {
        if new.items.len() > old.items.len() {
            let kept = old.items.len().min(1);
            let mut rest: Vec<Value> = new.items[kept..].to_vec();
            rest.extend(new.rest.clone());
            let rest = self.widen(&rest);
            // What is learned of the item that is kept is not known of the others.
            let is_one = matches!(&rest, Value::Symbolic(_)) && new.items[..kept].iter().any(|item| item.same(&rest));
            let rest = if is_one { self.another(&rest) } else { rest };
            return Some(ListData { items: new.items[..kept].to_vec(), rest: Some(rest) });
        }
        if new.items.len() < old.items.len() {
            let all: Vec<Value> = old.items.iter().chain(&old.rest).chain(&new.rest).cloned().collect();
            return Some(ListData { items: Vec::new(), rest: Some(self.widen(&all)) });
        }
        let mut is_changed = false;
        let mut items = Vec::with_capacity(new.items.len());
        for (old, new) in old.items.iter().zip(&new.items) {
            let differs = !self.is_equivalent(old, new);
            is_changed |= differs;
            items.push(if differs { self.widen(&[old.clone(), new.clone()]) } else { new.clone() });
        }
        is_changed.then(|| ListData { items, rest: new.rest.clone() })
    }

    /// The entries of a dictionary whose values differ from what they were; keys that were added stand for any number of further ones.
    fn widened_entries(&mut self, old: &DictData, new: &DictData) -> Option<DictData> {
        let has_same_keys = old.entries.len() <= new.entries.len()
            && old.entries.iter().zip(&new.entries).all(|((old, _), (new, _))| old.same(new));
        let kept = if has_same_keys { old.entries.len() } else { 0 };
        let mut is_changed = kept < new.entries.len();
        let mut entries = Vec::with_capacity(kept);
        for ((key, old), (_, new)) in old.entries.iter().zip(&new.entries[..kept]) {
            let differs = !self.is_equivalent(old, new);
            is_changed |= differs;
            let value = if differs { self.widen(&[old.clone(), new.clone()]) } else { new.clone() };
            entries.push((key.clone(), value));
        }
        if !is_changed {
            return None;
        }
        let mut others: Vec<&(Value, Value)> = new.entries[kept..].iter().chain(&new.rest).collect();
        if kept < old.entries.len() {
            others.extend(&old.entries);
        }
        let (keys, values): (Vec<Value>, Vec<Value>) = others.into_iter().cloned().unzip();
        let rest = if keys.is_empty() { None } else { Some((self.widen(&keys), self.widen(&values))) };
        Some(DictData::new(entries, rest))
    }

    /// Lets the entries that an iteration made under numbers of its item stand for those of all iterations: the item is the same for all of them,
    /// and so the next iteration would only find its own entries again.
    pub(crate) fn widen_keys_since(&mut self, mark: LogMark, item: &Value) {
        let parts = match item {
            Value::Tuple(parts) => parts,
            item => std::slice::from_ref(item),
        };
        let numbers: Vec<Var> = parts.iter().filter_map(Value::as_dim).flat_map(Dim::vars).collect();
        if numbers.is_empty() {
            return;
        }
        let is_of_item = |key: &Value| match key {
            Value::Int(number) => number.vars().iter().any(|var| numbers.contains(var)),
            _ => false,
        };
        for (location, new) in self.heap.delta_since(mark) {
            let Content::Payload(Payload::Dict(new)) = new else { continue };
            let (of_items, entries): (Vec<_>, Vec<_>) =
                new.entries.iter().cloned().partition(|(key, _)| is_of_item(key));
            if of_items.is_empty() || self.heap.is_newer(location, mark) {
                continue;
            }
            let (keys, values): (Vec<Value>, Vec<Value>) = of_items.into_iter().chain(new.rest.clone()).unzip();
            let rest = Some((self.widen(&keys), self.widen(&values)));
            self.heap.store(location, Content::Payload(Payload::Dict(Rc::new(DictData::new(entries, rest)))));
        }
    }

    /// Forgets the numbers with a fraction that still changed since `mark`. They decide no shape as a rule, and a loop counts as settled
    /// although they go on changing, as rates and sums of losses do.
    pub(crate) fn forget_drifting(&mut self, mark: LogMark) {
        let old = self.heap.old_since(mark);
        let new = self.heap.delta_since(mark);
        for ((location, old), (_, new)) in old.into_iter().zip(new) {
            if let (
                Content::Attribute(Some(Value::Float(Some(old)))),
                Content::Attribute(Some(Value::Float(Some(new)))),
            ) = (&old, &new)
                && old.to_bits() != new.to_bits()
            {
                self.heap.store(location, Content::Attribute(Some(Value::Float(None))));
            }
        }
    }
}
