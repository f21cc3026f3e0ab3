//! Issues of attributes that an object certainly does not have: the `parameters` of a device, the `zero_grad` of a
//! loader, a misspelt layer.
//!
//! They are what swapped arguments come to. As for other uses that a type refuses, only what is certain is reported; and whatever the program
//! sets anywhere under that name is taken for a member of anything.

use crate::judge::filters::CONSEQUENCE;
use crate::judge::member_lists::{class_has, module_has};
use crate::judge::misused_values::Certainty;
use crate::state::interpreter::Interpreter;
use crate::state::lookup_cache::remembered;
use crate::values::equivalent_modules::MODULE;
use crate::values::value::{ObjectId, OperationId, Value};
use harp_corpus::Span;
use harp_python::name::Name;
use harp_trace::Subject;

/// The method that iterators had in Python 2, and those of PyTorch's loaders up to version 1.12.
const NEXT: &str = "next";
const TAKE_NEXT: &str =
    "write `next(iterator)`: the method is of Python 2, and PyTorch 1.13 took it from the iterators of loaders";

impl Interpreter<'_> {
    /// Reports `object.name` where the object has no such member. Returns whether it does.
    pub(crate) fn attribute_misfits(&mut self, object: &Value, name: Name, span: Span) -> bool {
        let is_judged = self.exceptions.caught == 0 && self.inference.is_none() && !name.as_str().starts_with('_');
        if !is_judged || self.is_other_in_python_2(object, span) {
            return false;
        }
        let Some((what, class, certainty)) = self.lacks(object, name) else { return false };
        if !self.is_followed(certainty, span) || !self.fails_on_every_way(span) || self.is_set_somewhere(name) {
            return false;
        }
        // It was not meant to be a tensor, which is told once.
        if let Value::Tensor(tensor) = object
            && tensor.operation != OperationId::NONE
            && !self.entry.mistaken_tensors.insert(tensor.operation)
        {
            self.note_silenced(CONSEQUENCE, span, Name::new(&class), &format!("{what} has no `{name}`"));
            return true;
        }
        let subject = if matches!(object, Value::None) { Subject::None } else { Subject::Attribute };
        let advises = matches!(object, Value::Cursor(_) | Value::Iterator(_));
        if advises {
            self.loops.advice.push(TAKE_NEXT);
        }
        self.fails_always(subject, &format!("{class}.{name}"), format!("{what} has no `{name}`"), None, span);
        if advises {
            self.loops.advice.pop();
        }
        true
    }

    /// Reports a call of a function that its module does not have. Returns whether it does.
    pub(crate) fn function_is_missing(&mut self, function: Name, span: Span) -> bool {
        let Some((module, name)) = function.as_str().rsplit_once('.') else { return false };
        if self.exceptions.caught > 0
            || self.inference.is_some()
            || name.starts_with('_')
            || module_has(module, name) != Some(false)
            // Where the name is read it was told.
            || self.library.gone_since(function.as_str()).is_some()
        {
            return false;
        }
        let is_known = self.library_entry(function).is_some()
            || self.library.absence(function.as_str(), None).is_some()
            || self.project.standard_definition(function.as_str()).is_some();
        let is_followed = self.is_followed(Certainty::Made, span) && self.fails_on_every_way(span);
        if is_known || !is_followed || self.is_set_somewhere(Name::new(name)) {
            return false;
        }
        self.fails_always(Subject::Attribute, function.as_str(), format!("`{module}` has no `{name}`"), None, span);
        true
    }

    /// What an object is that lacks a member, its class, and how certain that is.
    fn lacks(&mut self, object: &Value, name: Name) -> Option<(String, String, Certainty)> {
        let plain = |what: &str, class: &str, certainty| Some((what.to_owned(), class.to_owned(), certainty));
        match object {
            Value::None if self.may_be_given() => None,
            Value::None => plain("`None`", "NoneType", Certainty::Followed),
            // Members of enumerations stand for their values.
            Value::Int(_) | Value::Float(_) | Value::Ratio(_) | Value::Bool(_) | Value::Str(_)
                if self.hooks.plain_members || !self.lacks_member(object, name) =>
            {
                None
            }
            Value::Int(_) => plain("a number", "int", Certainty::Understood),
            Value::Float(_) | Value::Ratio(_) => plain("a number", "float", Certainty::Understood),
            Value::Bool(_) => plain("a truth value", "bool", Certainty::Understood),
            Value::Str(_) if class_has("builtins.str", name.as_str()) == Some(false) => {
                plain("a text", "str", Certainty::Understood)
            }
            Value::List(_) if class_has("builtins.list", name.as_str()) == Some(false) => {
                plain("a list", "list", Certainty::Understood)
            }
            Value::Cursor(_) | Value::Iterator(_) if name.as_str() == NEXT => {
                plain("an iterator", "iterator", Certainty::Followed)
            }
            Value::Tensor(tensor) => {
                let class = tensor.kind.class_name();
                let is_torch = !tensor.kind.rules().array_functions && !tensor.kind.is_open();
                let is_sure = is_torch && self.is_surely_a_tensor(tensor) && self.is_made_of_tensors(tensor);
                let is_lacking = is_sure && class_has(class, name.as_str()) == Some(false);
                is_lacking.then(|| ("a tensor".to_owned(), class.to_owned(), Certainty::Followed))
            }
            Value::Instance(id) => self.instance_lacking(*id, name),
            _ => None,
        }
    }

    fn instance_lacking(&mut self, id: ObjectId, name: Name) -> Option<(String, String, Certainty)> {
        let instance = Value::Instance(id);
        if self.may_be_changed(&instance) || self.has_open_attributes(id) || self.shared_dict(id).is_some() {
            return None;
        }
        let class = self.class_of(&instance);
        if matches!(&class, Value::Library(name) if name.as_str() == MODULE) {
            return None;
        }
        let hook = ["__getattr__", "__getattribute__"];
        if hook.iter().any(|method| self.class_attribute(&instance, Name::new(method)).is_some()) {
            return None;
        }
        for base in self.resolution_order(&class) {
            match &base {
                Value::Class(base) if self.is_told_whole(*base) => {}
                Value::Library(base) if self.gives_none_of(*base, &[name.as_str()]) => {}
                Value::Library(base) if self.library_class_lacks(*base, name) => {}
                _ => return None,
            }
        }
        let certainty = match &class {
            class @ Value::Library(_) if self.is_device_class(class) => Certainty::Made,
            Value::Library(_) => Certainty::Followed,
            _ => Certainty::Understood,
        };
        Some((self.called(&class), self.name_of_class(&class), certainty))
    }

    /// The class whose members are listed that a class is or derives from, and what an object of it is called.
    pub(crate) fn listed_ancestor(&self, class: Name) -> Option<(Name, String)> {
        let called = |class: &Name| Some((*class, self.library_class(*class)?.called.as_deref()?.to_owned()));
        self.ancestors(class).iter().find_map(called)
    }

    fn library_class_lacks(&self, class: Name, name: Name) -> bool {
        let Some((listed, _)) = self.listed_ancestor(class) else { return false };
        let is_of_layers = listed.as_str() == MODULE && class != listed;
        // Of the libraries' modules only the members of those are listed that stand in the package of the class of modules.
        let package = listed.as_str().rsplit_once('.').map_or("", |(package, _)| package);
        let is_of_package = class.as_str().strip_prefix(package).is_some_and(|rest| rest.starts_with('.'));
        if is_of_layers && !is_of_package {
            return false;
        }
        class_has(listed.as_str(), name.as_str()) == Some(false)
            && (!is_of_layers || class_has(package, name.as_str()) == Some(false))
            && self.library.method(class.as_str(), name.as_str()).is_none()
            && self.added_to_library(class, name).is_none()
    }

    /// Whether the program, or a package that it uses, sets an attribute of that name on anything.
    fn is_set_somewhere(&self, name: Name) -> bool {
        remembered(&self.caches.lookups.set_somewhere, name, || {
            self.corpus.files.iter().any(|file| sets_attribute(&file.text, name.as_str()))
        })
    }
}

/// Whether a text has `.name =`, `.name:` or the name as a text of its own, by which attributes are set.
pub fn sets_attribute(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(place, _)| {
        let (before, after) = (&text[..place], &text[place + name.len()..]);
        let is_quoted = before.ends_with(['"', '\'']) && after.starts_with(['"', '\'']);
        let rest = after.trim_start_matches([' ', '\t']);
        let is_set =
            (rest.starts_with('=') && !rest.starts_with("==")) || rest.starts_with(':') || rest.starts_with(',');
        is_quoted
            || before.ends_with('.') && is_set && !after.starts_with(|next: char| next.is_alphanumeric() || next == '_')
    })
}
