//! Evaluates operators on lists, tuples, sets and dictionaries.

use std::rc::Rc;

use crate::calls::call::CallArguments;
use crate::evaluate::binary_operators::LONGEST_SEQUENCE;
use crate::heap::objects::{ListData, Payload};
use crate::state::interpreter::{Eval, Interpreter};
use crate::values::value::{Iteration, ObjectId, Value};
use harp_corpus::Span;
use harp_python::ir::BinaryOperator;
use harp_python::name::name;
use harp_shape::Dim;

impl Interpreter<'_> {
    /// Lists, dictionaries and sets are changed where they are: other names of theirs see it.
    pub(crate) fn changed_in_place(
        &mut self,
        operator: BinaryOperator,
        left: &Value,
        right: &Value,
        span: Span,
    ) -> Eval<Option<Value>> {
        use BinaryOperator as Op;
        match (operator, left) {
            (Op::Add, Value::List(id)) => {
                self.extend_list(*id, right)?;
                Ok(Some(left.clone()))
            }
            (Op::Multiply, Value::List(id)) => {
                self.for_each_alternative(right, |this, right| this.repeat_in_place(*id, &right, span)).map(Some)
            }
            (Op::BitOr, Value::Dict(_)) => {
                let Some(update) = self.method_handler(name!("builtins.dict.update")) else { return Ok(None) };
                update(self, left, CallArguments::positional(vec![right.clone()], span))?;
                Ok(Some(left.clone()))
            }
            (Op::BitOr | Op::BitAnd | Op::BitXor | Op::Subtract, Value::Set(id)) => {
                let result = self.binary(operator, left, right, span, [span, span])?;
                let Value::Set(new) = result else { return Ok(Some(result)) };
                let payload = self.heap.payload(new).clone();
                self.heap.set_payload(*id, payload);
                Ok(Some(left.clone()))
            }
            _ => Ok(None),
        }
    }

    /// `list *= count`
    fn repeat_in_place(&mut self, list: ObjectId, count: &Value, span: Span) -> Eval {
        let itself = Value::List(list);
        let payload = match self.binary(BinaryOperator::Multiply, &itself, count, span, [span, span])? {
            Value::List(repeated) => {
                let length = self.length_of_open(&Value::List(repeated));
                let payload = self.heap.payload(repeated).clone();
                self.heap.set_payload(list, payload);
                self.keep_length_of_open(list, length);
                return Ok(itself);
            }
            result if !result.is_unknown() => return Ok(result),
            _ => self.heap.list(list).cloned(),
        };
        let Some(data) = payload.filter(|data| !data.items.is_empty()) else { return Ok(itself) };
        let all: Vec<Value> = data.items.iter().chain(&data.rest).cloned().collect();
        let rest = Some(self.widen(&all));
        self.heap.set_payload(list, Payload::List(Rc::new(ListData { items: Vec::new(), rest })));
        Ok(itself)
    }

    pub(crate) fn concatenate(&mut self, left: &Value, right: &Value) -> Eval {
        match (self.iterate(left)?, self.iterate(right)?) {
            (Iteration::Items(items), Iteration::Items(more)) if items.len() + more.len() > LONGEST_SEQUENCE => {
                Ok(Value::Unknown("a tuple of very many items"))
            }
            (Iteration::Items(mut items), Iteration::Items(more)) => {
                items.extend(more);
                let joined = Value::tuple(items);
                // `torch.Size` stays one with a tuple added on either side.
                let is_size =
                    |side: &Value| matches!(self.read(side), Value::Tuple(items) if self.is_size(&items) == Some(true));
                if is_size(left) || is_size(right) {
                    self.note_size(&joined);
                }
                Ok(joined)
            }
            _ => Ok(Value::Unknown("tuples of unknown length")),
        }
    }

    /// What `|`, `&`, `^` and `-` make of two sets.
    pub(crate) fn combine_sets(&mut self, operator: BinaryOperator, left: ObjectId, right: ObjectId) -> Value {
        let (Some(a), Some(b)) = (self.heap.list(left).cloned(), self.heap.list(right).cloned()) else {
            return Value::Unknown("set");
        };
        let is_open = a.rest.is_some() || b.rest.is_some() || a.items.len() + b.items.len() > 4096;
        let is_unknown = |item: &Value| item.is_unknown() || matches!(item, Value::Alternatives(_) | Value::Str(None));
        if is_open || a.items.iter().chain(&b.items).any(is_unknown) {
            let all: Vec<Value> = a.items.iter().chain(&a.rest).chain(&b.items).chain(&b.rest).cloned().collect();
            let rest = (!all.is_empty()).then(|| self.widen(&all));
            return Value::Set(self.heap.allocate(Payload::List(Rc::new(ListData { items: Vec::new(), rest }))));
        }
        self.pay_for_items(a.items.len() * b.items.len());
        let has = |items: &[Value], item: &Value| items.iter().any(|known| known.same_key(item));
        let only = |one: &[Value], other: &[Value]| -> Vec<Value> {
            one.iter().filter(|item| !has(other, item)).cloned().collect()
        };
        let items = match operator {
            BinaryOperator::BitAnd => a.items.iter().filter(|item| has(&b.items, item)).cloned().collect(),
            BinaryOperator::Subtract => only(&a.items, &b.items),
            BinaryOperator::BitXor => [only(&a.items, &b.items), only(&b.items, &a.items)].concat(),
            _ => [a.items.clone(), only(&b.items, &a.items)].concat(),
        };
        Value::Set(self.heap.allocate_list(items))
    }

    pub(crate) fn concatenate_lists(&mut self, left: ObjectId, right: ObjectId) -> Value {
        let (Some(a), Some(b)) = (self.heap.list(left).cloned(), self.heap.list(right).cloned()) else {
            return Value::Unknown("list");
        };
        let length = self.length_of_both(&Value::List(left), &Value::List(right));
        let (a, b) = (self.with_counted_items(left, a), self.with_counted_items(right, b));
        let mut data = (*a).clone();
        self.lengthen(&mut data, &b);
        let are_alike = self.is_as_before(a.rest.as_ref(), data.rest.as_ref());
        let list = self.heap.allocate(Payload::List(Rc::new(data)));
        self.keep_length_of_open(list, length.filter(|_| are_alike));
        Value::List(list)
    }

    /// Puts what an iterable gives behind a list's items.
    pub fn extend_list(&mut self, id: ObjectId, iterable: &Value) -> Eval<()> {
        let length = self.length_of_both(&Value::List(id), iterable);
        let iteration = self.iterate(iterable)?;
        let (items, exact, _) = self.sample(iteration);
        let more = match exact {
            true => ListData { items, rest: None },
            false => ListData { items: Vec::new(), rest: items.into_iter().next() },
        };
        let is_short = |data: &ListData| data.items.len() + more.items.len() <= LONGEST_SEQUENCE;
        let fits = self.heap.list(id).is_some_and(|data| data.rest.is_none() && is_short(data));
        if fits && more.rest.is_none() {
            // A list that is filled in a loop is not copied each time.
            more.items.into_iter().for_each(|item| self.heap.push_item(id, item));
            return Ok(());
        }
        if let Some(mut data) = self.heap.list(id).map(|data| (**data).clone()) {
            let before = data.rest.clone();
            self.lengthen(&mut data, &more);
            let are_alike = self.is_as_before(before.as_ref(), data.rest.as_ref());
            self.heap.change_list(id, |known| *known = data);
            self.keep_length_of_open(id, length.filter(|_| are_alike));
        }
        Ok(())
    }

    /// Whether the representative of a list's items is what it was: of items of several sizes no number says how large they are together.
    pub(crate) fn is_as_before(&self, before: Option<&Value>, now: Option<&Value>) -> bool {
        match (before, now) {
            (Some(before @ Value::Tensor(_)), Some(now @ Value::Tensor(_))) => self.is_equivalent(before, now),
            _ => true,
        }
    }

    /// Puts one list's items behind another's. What would be too long to hold each item, as of a list that is added to itself again and
    /// again, becomes a number of items that is not known.
    fn lengthen(&mut self, data: &mut ListData, more: &ListData) {
        if data.rest.is_none() && data.items.len() + more.items.len() <= LONGEST_SEQUENCE {
            data.items.extend(more.items.iter().cloned());
            data.rest.clone_from(&more.rest);
            return;
        }
        let behind: Vec<Value> = data.rest.iter().chain(&more.items).chain(&more.rest).cloned().collect();
        data.rest = Some(self.widen(&behind));
    }

    pub(crate) fn repeat(&mut self, sequence: &Value, count: Dim) -> Value {
        let count = self.solver.resolve(count);
        let is_tuple = matches!(sequence, Value::Tuple(_));
        let (items, rest) = match sequence {
            Value::Tuple(items) => (items.to_vec(), None),
            Value::List(id) => match self.heap.list(*id) {
                Some(data) => (data.items.clone(), data.rest.clone()),
                None => return Value::Unknown("list"),
            },
            _ => return Value::Unknown("sequence"),
        };
        match (count.as_const(), rest) {
            (Some(_), None) if items.is_empty() && is_tuple => Value::tuple(Vec::new()),
            (Some(_), None) if items.is_empty() => Value::List(self.heap.allocate_list(Vec::new())),
            (Some(count), None) if count.max(0).saturating_mul(items.len() as i64) <= LONGEST_SEQUENCE as i64 => {
                let repeated: Vec<Value> = (0..count.max(0)).flat_map(|_| items.iter().cloned()).collect();
                self.heap.count_copied(repeated.len());
                if is_tuple { Value::tuple(repeated) } else { Value::List(self.heap.allocate_list(repeated)) }
            }
            (_, rest) => {
                let mut all = items;
                all.extend(rest);
                let length = self.length_of_repeated(sequence, all.len(), count);
                let rest = self.widen(&all);
                match length {
                    Some(length) => self.list_of_length(rest, length),
                    None => {
                        let data = ListData { items: Vec::new(), rest: Some(rest) };
                        Value::List(self.heap.allocate(Payload::List(Rc::new(data))))
                    }
                }
            }
        }
    }
}
