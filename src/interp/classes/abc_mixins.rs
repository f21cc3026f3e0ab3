//! Classes of the program that derive from `collections.abc`: the methods that they get from the few that the program
//! writes.

use crate::state::interpreter::Interpreter;
use crate::values::value::Value;
use harp_corpus::Span;
use harp_python::name::Name;

/// The classes that have methods to add.
const ADDING: [&str; 6] = ["Mapping", "MutableMapping", "MutableSequence", "MutableSet", "Sequence", "Set"];

/// The classes of `collections.abc`, each with those that it derives from (the library reference, "Collections Abstract Base Classes").
const KINDS: [(&str, &[&str]); 10] = [
    ("Collection", &["Sized", "Iterable", "Container"]),
    ("Generator", &["Iterator", "Iterable"]),
    ("Iterator", &["Iterable"]),
    ("Mapping", &["Collection", "Sized", "Iterable", "Container"]),
    ("MutableMapping", &["Mapping", "Collection", "Sized", "Iterable", "Container"]),
    ("MutableSequence", &["Sequence", "Reversible", "Collection", "Sized", "Iterable", "Container"]),
    ("MutableSet", &["Set", "Collection", "Sized", "Iterable", "Container"]),
    ("Reversible", &["Iterable"]),
    ("Sequence", &["Reversible", "Collection", "Sized", "Iterable", "Container"]),
    ("Set", &["Collection", "Sized", "Iterable", "Container"]),
];

/// The name of a class of `collections.abc`, also as `typing` has it.
fn kind_of(name: &str) -> Option<&str> {
    name.strip_prefix("collections.abc.").or_else(|| name.strip_prefix("typing."))
}

/// Whether a class of `collections.abc` is or derives from another.
pub(crate) fn is_collection_of_kind(name: &str, wanted: &str) -> bool {
    let (Some(kind), Some(wanted)) = (kind_of(name), kind_of(wanted)) else { return false };
    kind == wanted || KINDS.iter().any(|(known, above)| *known == kind && above.contains(&wanted))
}

impl Interpreter<'_> {
    /// Puts what a class of the library adds behind that class in the order in which members are looked up.
    pub(crate) fn mix_in(&mut self, resolution_order: &mut Vec<Value>, span: Span) {
        let mut place = 0;
        while let Some(class) = resolution_order.get(place) {
            place += 1;
            let Value::Library(name) = class else { continue };
            let Some(kind) = kind_of(name.as_str()).filter(|kind| ADDING.contains(kind)) else { continue };
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
