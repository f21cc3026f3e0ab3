//! Further arguments of calls from outside of the program: `*args` and `**kwargs` of a function that nobody calls.

use std::rc::Rc;

use crate::heap::objects::{DictData, ListData, Payload};
use crate::state::interpreter::Interpreter;
use crate::values::value::{ObjectId, Value};
use harp_python::name::Name;

/// Marks the containers that callers outside of the program fill.
const FILLED_BY_CALLERS: &str = "\u{1}filled-by-callers";

impl Interpreter<'_> {
    /// `*args` of a function that nobody calls: any number of items like this one.
    pub(crate) fn positional_of_callers(&mut self, item: Value) -> Value {
        let data = ListData { items: Vec::new(), rest: Some(item) };
        let list = self.heap.allocate(Payload::List(Rc::new(data)));
        self.heap.set_attribute(list, Name::new(FILLED_BY_CALLERS), Value::Bool(true));
        Value::List(list)
    }

    /// `**kwargs` of a function that nobody calls, beside the entries that are known.
    pub(crate) fn keywords_of_callers(&mut self, entries: Vec<(Value, Value)>) -> Value {
        let data = DictData::new(entries, Some((Value::Str(None), Value::Unknown("**kwargs"))));
        let dict = self.heap.allocate(Payload::Dict(Rc::new(data)));
        self.heap.set_attribute(dict, Name::new(FILLED_BY_CALLERS), Value::Bool(true));
        Value::Dict(dict)
    }

    /// Whether a container holds nothing but what callers may have passed. A question for one entry, and passing everything on, count
    /// on nothing, as other parameters count on their defaults; whoever walks over all entries counts on some.
    pub(crate) fn is_filled_by_callers(&self, container: ObjectId) -> bool {
        self.heap.attribute(container, Name::new(FILLED_BY_CALLERS)).is_some()
    }
}
