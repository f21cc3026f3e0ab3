//! Classes of the program that say how their objects are made: `__new__` runs before `__init__`, and on the class, so that it can change the
//! class and give back another object than a new one.

use std::rc::Rc;

use crate::calls::call::CallArguments;
use crate::heap::objects::{InstanceData, Payload};
use crate::state::interpreter::{Eval, Interpreter};
use crate::values::value::{ObjectId, Value};
use harp_python::name::name;

/// Library classes whose objects hold data that their `__new__` is given.
const HOLD_DATA: [&str; 9] = [
    "builtins.bytes",
    "builtins.dict",
    "builtins.float",
    "builtins.frozenset",
    "builtins.int",
    "builtins.str",
    "builtins.tuple",
    "builtins.type",
    "typing.NamedTuple",
];

impl Interpreter<'_> {
    /// What the `__new__` of a class of the program gives; `None` where it has none, or one that was not understood.
    pub(crate) fn made_by_new(&mut self, class: ObjectId, arguments: &CallArguments) -> Eval<Option<Value>> {
        let class = Value::Class(class);
        let Some(maker @ Value::Function(_)) = self.member_of(&class, name!("__new__"), None) else {
            return Ok(None);
        };
        if !self.makes_plain_objects(&class) {
            return Ok(None);
        }
        let made = self.call(&maker, arguments.clone().with_first(class))?;
        let made = self.read(&made);
        Ok((!matches!(made, Value::Symbolic(_) | Value::Unknown(_))).then_some(made))
    }

    /// Whether Python calls `__init__` on what `__new__` gave.
    pub(crate) fn is_initialised(&self, made: &Value, class: ObjectId) -> bool {
        matches!(made, Value::Instance(_))
            && self.resolution_order(&self.class_of(made)).iter().any(|base| base.same(&Value::Class(class)))
    }

    /// Whether objects of a class have nothing but attributes.
    pub(crate) fn makes_plain_objects(&self, class: &Value) -> bool {
        let mut of_families = self.families().iter().flat_map(|family| {
            std::iter::once(family.class()).chain(family.rules().parameters.iter().map(|class| &**class))
        });
        !self.is_enumeration(class)
            && !HOLD_DATA.iter().any(|base| self.derives_from(class, base))
            && !of_families.any(|base| self.derives_from(class, base))
    }

    /// `object.__new__(Class)`: an object without attributes.
    pub(crate) fn new_plain_object(&mut self, arguments: &CallArguments) -> Value {
        match arguments.positional.first().map(|class| self.read(class)) {
            Some(class @ Value::Class(_)) if self.makes_plain_objects(&class) => {
                let data = InstanceData { class, arguments: Vec::new(), origin: arguments.span };
                Value::Instance(self.heap.allocate(Payload::Instance(Rc::new(data))))
            }
            _ => self.symbolic("object.__new__(…)", arguments.span, true),
        }
    }
}
