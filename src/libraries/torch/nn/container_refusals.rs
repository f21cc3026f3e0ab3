//! What `torch.nn.Sequential` and its like refuse: everything that is no module, such as a function of
//! `torch.nn.functional` or a class in place of its object.

use harp_corpus::Span;
use harp_interp::judge::misused_values::{Certainty, is_plain_function};
use harp_interp::state::interpreter::Interpreter;
use harp_interp::values::value::{ObjectId, Value};
use harp_python::name::Name;
use harp_trace::Subject;

/// Containers whose members must be modules, or `None`.
const OF_MODULES: [&str; 3] = ["torch.nn.ModuleDict", "torch.nn.ModuleList", "torch.nn.Sequential"];

#[easy_ext::ext(ContainerRefusalsMethods)]
pub impl Interpreter<'_> {
    /// Reports the first member of a new container that is no module.
    fn children_misfit(&mut self, id: ObjectId, class: Name, span: Span) {
        if OF_MODULES.contains(&class.as_str()) && self.exceptions.caught == 0 && self.inference.is_none() {
            let members: Vec<Value> = self.heap.object(id).attributes.iter().map(|(_, value)| value.clone()).collect();
            _ = members.iter().any(|member| self.child_misfits(class, member, span));
        }
    }

    /// Reports a value that is put into a container of modules and is none. Returns whether it does.
    fn child_misfits(&mut self, class: Name, value: &Value, span: Span) -> bool {
        if self.exceptions.caught > 0 || self.inference.is_some() {
            return false;
        }
        let value = self.read(value);
        let Some((what, certainty)) = self.no_module(&value) else { return false };
        if !self.is_followed(certainty, span) || !self.fails_on_every_way(span) {
            return false;
        }
        let container = class.as_str().rsplit('.').next().unwrap_or_default();
        self.fails_always(
            Subject::Type,
            class.as_str(),
            format!("`{container}` holds modules, but is given {what}"),
            None,
            span,
        );
        true
    }

    /// What a value is that is certainly no module.
    fn no_module(&self, value: &Value) -> Option<(&'static str, Certainty)> {
        Some(match value {
            Value::Int(_) | Value::Str(_) if self.hooks.plain_members => return None,
            Value::Int(_) | Value::Float(_) | Value::Ratio(_) => ("a number", Certainty::Followed),
            Value::Str(_) => ("a text", Certainty::Understood),
            Value::List(_) => ("a list", Certainty::Understood),
            Value::Function(closure) if is_plain_function(closure) => ("a function", Certainty::Made),
            Value::Library(name) if self.library_class(*name).is_some_and(|spec| spec.is_module) => {
                ("a class in place of its object", Certainty::Followed)
            }
            Value::Library(name) if self.library_function(*name).is_some() => ("a function", Certainty::Followed),
            class @ Value::Class(id)
                if self.derives_from(class, "torch.nn.Module")
                    && self.metaclass_of(*id).is_none()
                    && self.is_told_whole(*id) =>
            {
                ("a class in place of its object", Certainty::Followed)
            }
            _ => return None,
        })
    }
}
