//! What the classes of `collections.abc` add to those of a program that derive from them: methods by the few that the program writes.

use crate::corpus::Span;
use crate::interp::machine::Interpreter;
use crate::interp::value::Value;
use crate::python::name::Name;

/// The classes that have methods to add.
const ADDING: [&str; 6] = ["Mapping", "MutableMapping", "MutableSequence", "MutableSet", "Sequence", "Set"];

impl Interpreter<'_> {
    /// Puts what a class of the library adds behind that class in the order in which members are looked up.
    pub(super) fn mix_in(&mut self, resolution_order: &mut Vec<Value>, span: Span) {
        let mut place = 0;
        while let Some(class) = resolution_order.get(place) {
            place += 1;
            let Value::Library(name) = class else { continue };
            let kind = name.as_str().strip_prefix("collections.abc.").or_else(|| name.as_str().strip_prefix("typing."));
            let Some(kind) = kind.filter(|kind| ADDING.contains(kind)) else { continue };
            let added = self.library_value(Name::new(&format!("collections._mixed.{kind}")), span);
            for added in self.resolution_order(&added) {
                if matches!(added, Value::Class(_)) && !resolution_order.iter().any(|known| known.same(&added)) {
                    resolution_order.insert(place, added);
                    place += 1;
                }
            }
        }
    }
}
