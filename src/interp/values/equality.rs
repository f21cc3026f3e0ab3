//! When abstract values are equal: objects whose classes say so, records, members of enumerations, and the items of
//! sets and keys of dictionaries.

use crate::evaluate::comparisons::is_plain_constant;
use crate::state::bounded_walk::Walk;
use crate::state::interpreter::{Eval, Interpreter};
use crate::values::value::{ObjectId, Value};
use harp_corpus::Span;
use harp_python::ir::CompareOperator;
use harp_python::name::{Name, name};

impl Interpreter<'_> {
    /// Leaves one of equal items of a set.
    pub fn keep_distinct(&mut self, id: ObjectId, span: Span) -> Eval<()> {
        let Some(items) = self.heap.list(id).map(|data| data.items.clone()) else { return Ok(()) };
        if items.len() < 2 {
            return Ok(());
        }
        let mut distinct: Vec<Value> = Vec::with_capacity(items.len());
        for item in items {
            let is_new = distinct.len() > 256
                || !distinct.iter().any(|known| known.same_key(&item) || self.same_sets(known, &item));
            if is_new && !self.contains_one_equal(&distinct, &item, span)? {
                distinct.push(item);
            }
        }
        self.heap.change_list(id, |data| data.items = distinct);
        Ok(())
    }

    /// Whether two items of a set are sets of the same constants.
    fn same_sets(&self, one: &Value, other: &Value) -> bool {
        let (Value::Set(one), Value::Set(other)) = (one, other) else { return false };
        self.is_subset(*one, *other) == Some(true) && self.is_subset(*other, *one) == Some(true)
    }

    /// Whether one of the items is equal to an object whose class says what that means.
    pub(crate) fn contains_one_equal(&mut self, items: &[Value], item: &Value, span: Span) -> Eval<bool> {
        let is_object = |value: &Value| matches!(value, Value::Instance(_));
        if items.len() > 256 || !(is_object(item) || items.iter().any(is_object)) {
            return Ok(false);
        }
        if !is_object(item) {
            let objects: Vec<Value> = items.iter().filter(|known| is_object(known)).cloned().collect();
            for object in objects {
                if self.own_method(&object, "__eq__").is_some()
                    && let Some(Value::Bool(true)) =
                        self.contains_equal(&Value::tuple(vec![item.clone()]), &object, span)?
                {
                    return Ok(true);
                }
            }
            return Ok(false);
        }
        let items = Value::tuple(items.to_vec());
        Ok(matches!(self.contains_equal(&items, item, span)?, Some(Value::Bool(true))))
    }

    /// The entry of a dictionary under a key whose class says what it is equal to.
    pub fn equal_key(&mut self, id: ObjectId, key: &Value, span: Span) -> Eval<Option<Value>> {
        if !matches!(key, Value::Instance(_)) {
            return Ok(None);
        }
        let keys: Vec<Value> = match self.heap.dict(id) {
            Some(data) if data.entries.len() <= 256 => data.entries.iter().map(|(key, _)| key.clone()).collect(),
            _ => return Ok(None),
        };
        for known in keys {
            let one = Value::tuple(vec![known.clone()]);
            if known.same(key) || matches!(self.contains_equal(&one, key, span)?, Some(Value::Bool(true))) {
                return Ok(Some(known));
            }
        }
        Ok(None)
    }

    /// Whether a sequence has an object whose class says what it is equal to.
    pub(crate) fn contains_equal(&mut self, container: &Value, item: &Value, span: Span) -> Eval<Option<Value>> {
        let is_record = matches!(self.class_of(item), Value::Class(class) if self.is_record_class(class));
        if !matches!(item, Value::Instance(_)) || !(is_record || self.own_method(item, "__eq__").is_some()) {
            return Ok(None);
        }
        let items = match container {
            Value::Tuple(items) => items.to_vec(),
            Value::List(id) | Value::Set(id) => match self.heap.list(*id) {
                Some(data) if data.rest.is_none() && data.items.len() <= 256 => data.items.clone(),
                _ => return Ok(None),
            },
            _ => return Ok(None),
        };
        for known in items {
            let equal = self.compare(CompareOperator::Equal, &known, item, span, [span; 2])?;
            match self.truth(&equal) {
                crate::paths::truth::Truth::Known(true) => return Ok(Some(Value::Bool(true))),
                crate::paths::truth::Truth::Known(false) => {}
                _ => return Ok(None),
            }
        }
        Ok(Some(Value::Bool(false)))
    }

    /// Whether two objects are none of one another, and equal to themselves alone: their classes do not say otherwise. In a loop whose
    /// iterations are not told apart an object stands for several.
    pub(crate) fn are_other_objects(&self, left: &Value, right: &Value) -> bool {
        let is_plain = |object: &Value| {
            let class = self.class_of(object);
            let is_record = matches!(class, Value::Class(class) if self.is_record_class(class));
            matches!(object, Value::Instance(_))
                && !is_record
                && (self.is_module(object)
                    || matches!(class, Value::Class(_)) && self.ends_at_object(&class)
                    || matches!(&class, Value::Library(name) if name.as_str() == "functools.partial"))
                && self.class_attribute(object, name!("__eq__")).is_none()
        };
        let (is_left, is_right) = (is_plain(left), is_plain(right));
        // No object of a plain class is a class or a function.
        is_left && self.is_definition(right)
            || is_right && self.is_definition(left)
            || self.loops.abstract_loops == 0 && self.inference.is_none() && !left.same(right) && is_left && is_right
    }

    /// Whether a value is a class or a function, and equal to itself alone.
    fn is_definition(&self, value: &Value) -> bool {
        match value {
            Value::Function(_) => true,
            Value::Class(class) => self.method_of_metaclass(*class, "__eq__").is_none(),
            Value::Library(name) => self.library.class(name.as_str()).is_some(),
            _ => false,
        }
    }

    /// The fields of two objects of one class of records, which are compared in their order.
    pub(crate) fn as_records(&mut self, left: &Value, right: &Value) -> Option<(Value, Value)> {
        let (Value::Instance(one), Value::Instance(other)) = (left, right) else { return None };
        let Value::Class(class) = self.class_of(left) else { return None };
        if one == other || !self.class_of(right).same(&Value::Class(class)) || !self.is_record_class(class) {
            return None;
        }
        let left_out: Vec<Name> =
            self.record_parameters(class).iter().filter(|field| !field.is_compared).map(|field| field.name).collect();
        let mut fields = self.record_fields(class);
        fields.retain(|field| !left_out.contains(field));
        let of = |id: &ObjectId| {
            let values: Option<Vec<Value>> =
                fields.iter().map(|name| self.heap.attribute(*id, *name).cloned()).collect();
            values.map(Value::tuple)
        };
        Some((of(one)?, of(other)?))
    }

    /// Whether all items of a set are in another one, where all are constants.
    pub(crate) fn is_subset(&self, one: ObjectId, other: ObjectId) -> Option<bool> {
        let constants = |id: ObjectId| {
            let data = self.heap.list(id).filter(|data| data.rest.is_none() && data.items.len() <= 1024)?;
            data.items.iter().all(is_plain_constant).then(|| data.items.clone())
        };
        let (one, other) = (constants(one)?, constants(other)?);
        Some(one.iter().all(|item| other.iter().any(|known| known.same_key(item))))
    }

    /// Whether dictionaries of known keys have equal entries.
    pub(crate) fn equal_entries(&mut self, one: ObjectId, other: ObjectId, walk: &mut Walk) -> Option<Value> {
        let (one, other) = (self.heap.dict(one).cloned()?, self.heap.dict(other).cloned()?);
        let is_known = |data: &crate::heap::objects::DictData| {
            data.rest.is_none()
                && data.entries.len() <= 256
                && data.entries.iter().all(|(key, _)| is_plain_constant(key))
        };
        if !is_known(&one) || !is_known(&other) {
            return None;
        }
        if one.entries.len() != other.entries.len() {
            return Some(Value::Bool(false));
        }
        let pairs: Option<Vec<(Value, Value)>> = one
            .entries
            .iter()
            .map(|(key, value)| other.find(key).map(|(_, known)| (value.clone(), known.clone())))
            .collect();
        let Some(pairs) = pairs else { return Some(Value::Bool(false)) };
        let (left, right): (Vec<Value>, Vec<Value>) = pairs.into_iter().unzip();
        Some(self.equal_items(&left, &right, walk))
    }

    /// What a member of an enumeration stands for in questions about values of which nothing is known.
    pub fn value_of_member(&self, value: &Value) -> Value {
        match value {
            Value::Instance(id) if self.is_enumerated(value) => {
                let own = self.heap.attribute(*id, name!("_value_"));
                own.filter(|own| is_plain_constant(own)).unwrap_or(value).clone()
            }
            value => value.clone(),
        }
    }

    pub(crate) fn is_enumerated(&self, value: &Value) -> bool {
        matches!(value, Value::Instance(_)) && self.is_enumeration(&self.class_of(value))
    }

    pub(crate) fn holds_items(&self, container: &Value) -> bool {
        ["__iter__", "__getitem__"]
            .iter()
            .any(|name| matches!(self.class_attribute(container, Name::new(name)), Some(Value::Function(_))))
    }
}
