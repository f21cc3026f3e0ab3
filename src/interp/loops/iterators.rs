//! Iterators, which iterate over something by hand: each item is taken once, by whoever asks first.

use std::rc::Rc;

use crate::generators::generator_objects::Step;
use crate::generators::suspension::Sent;
use crate::heap::objects::{ListData, Payload};
use crate::loops::iterator_adapters::Adapter;
use crate::loops::loop_statements::count_of;
use crate::state::interpreter::{Eval, Interpreter};
use crate::values::value::{Iteration, ObjectId, Value};
use harp_python::ir::{Expr, ExprKind};
use harp_python::name::Name;

/// The attribute of an iterator that counts the items that were taken.
pub(crate) const TAKEN: &str = "#taken";
/// Iterators of longer ranges are not told apart item by item.
const MOST_NUMBERS: i64 = 4096;

/// What an iterator gives next.
pub enum Next {
    Item(Value),
    /// There is none; a generator returned this.
    End(Value),
    /// How many were taken is not known: any of the items.
    Any(Value),
}

impl Interpreter<'_> {
    /// A value as a variable holds it: an iterator remembers what was taken from it.
    pub fn held(&mut self, value: Value) -> Value {
        match &value {
            Value::Iterator(iteration) if self.inference.is_none() => match &**iteration {
                Iteration::Items(items) => self.new_cursor(items.clone()),
                Iteration::Counter { start, step, stop: None } => {
                    self.adapt(Adapter::Count { next: *start, step: *step })
                }
                Iteration::Repeated { element, count: left @ Some(_), residual: None } => {
                    self.adapt(Adapter::Alike { element: element.clone(), left: *left })
                }
                Iteration::Counter { start, step, stop }
                    if count_of(*start, *step, *stop).is_some_and(|it| it <= MOST_NUMBERS) =>
                {
                    let numbers = self.sample(Iteration::clone(iteration)).0;
                    self.new_cursor(numbers)
                }
                _ => value,
            },
            _ => value,
        }
    }

    /// What an expression gives, as something holds it: a variable, an item of a list, a parameter.
    pub(crate) fn evaluate_held(&mut self, expression: &Expr) -> Eval {
        let value = self.evaluate(expression)?;
        let is_held = matches!(value, Value::Iterator(_)) && !is_view(expression);
        Ok(if is_held { self.held(value) } else { value })
    }

    pub fn new_cursor(&mut self, items: Vec<Value>) -> Value {
        let id = self.heap.allocate(Payload::List(Rc::new(ListData { items, rest: None })));
        self.heap.set_attribute(id, Name::new(TAKEN), Value::int(0));
        Value::Cursor(id)
    }

    /// How many items were taken from an iterator; `None` where that differs from way to way.
    pub fn taken(&self, id: ObjectId) -> Option<usize> {
        let taken = self.heap.attribute(id, Name::new(TAKEN)).map(|taken| self.read(taken));
        taken.as_ref().and_then(Value::as_int).and_then(|taken| usize::try_from(taken).ok())
    }

    pub fn set_taken(&mut self, id: ObjectId, taken: usize) {
        self.heap.set_attribute(id, Name::new(TAKEN), Value::int(taken as i64));
    }

    /// The items that an iterator still has, where they are known.
    pub fn items_left(&self, id: ObjectId) -> Option<Vec<Value>> {
        let taken = self.taken(id)?;
        let data = self.heap.list(id)?;
        Some(data.items.get(taken..).unwrap_or_default().to_vec())
    }

    /// Takes all that is left.
    pub fn take_rest(&mut self, id: ObjectId) -> Eval<Iteration> {
        if self.generator_data(id).is_some() {
            return self.run_out(id, false);
        }
        let left = self.items_left(id);
        let all = self.heap.list(id).map(|data| data.items.clone()).unwrap_or_default();
        self.set_taken(id, all.len());
        Ok(match left {
            Some(items) => Iteration::Items(items),
            None => Iteration::Repeated { element: self.widen(&all), count: None, residual: None },
        })
    }

    /// Takes the next item.
    pub fn take_next(&mut self, id: ObjectId) -> Eval<Next> {
        if self.generator_data(id).is_some() {
            return Ok(match self.ask_generator(id, Sent::Value(Value::None), None)? {
                Step::Item(item) => Next::Item(item),
                Step::End(returned) => Next::End(returned),
                Step::Rest(rest) => {
                    let (items, _, _) = self.sample(rest);
                    // What the generator returns then is not known.
                    let returned = Value::Unknown("what a generator returns");
                    if items.is_empty() { Next::End(returned) } else { Next::Any(self.widen(&items)) }
                }
            });
        }
        let Some(taken) = self.taken(id).filter(|_| self.loops.abstract_loops == 0) else {
            let all = self.heap.list(id).map(|data| data.items.clone()).unwrap_or_default();
            return Ok(Next::Any(self.widen(&all)));
        };
        Ok(match self.heap.list(id).and_then(|data| data.items.get(taken)).cloned() {
            Some(item) => {
                self.set_taken(id, taken + 1);
                Next::Item(item)
            }
            None => Next::End(Value::None),
        })
    }
}

/// Whether an expression gives what a dictionary or module shows of its entries, or a name: that can be looked through again and again.
pub(crate) fn is_view(expression: &Expr) -> bool {
    match &expression.kind {
        ExprKind::Call(call) => match &call.function.kind {
            ExprKind::Attribute { attribute, .. } => matches!(attribute.as_str(), "keys" | "values" | "items"),
            _ => false,
        },
        ExprKind::Comprehension(_) => false,
        _ => true,
    }
}
