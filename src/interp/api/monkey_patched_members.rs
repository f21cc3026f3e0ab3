//! APIs that the program adds to the classes of libraries: `torch.nn.Module.describe = describe`.

use crate::state::interpreter::Interpreter;
use crate::values::value::Value;
use harp_python::name::Name;

impl Interpreter<'_> {
    pub(crate) fn add_to_library(&mut self, class: Name, name: Name, value: Value) {
        let member = self.qualified(class, name);
        self.heap.set_attribute(self.added_members, member, value);
    }

    /// A member that the program gave to a class of a library, or to one that it derives from.
    pub(crate) fn added_to_library(&self, class: Name, name: Name) -> Option<Value> {
        // Mostly there is none, and nothing to look up.
        self.heap.object(self.added_members).attributes.iter().next()?;
        let find = |class: &Name| self.heap.attribute(self.added_members, self.qualified(*class, name)).cloned();
        self.ancestors(class).iter().find_map(find)
    }
}
