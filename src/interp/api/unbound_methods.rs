//! Methods of a library's classes that are called as functions, with the object before the other arguments.

use std::rc::Rc;

use crate::calls::call::CallArguments;
use crate::state::interpreter::{Eval, Interpreter};
use crate::values::value::{LibraryMethod, Value};
use harp_annotations::Entry;
use harp_python::name::Name;

impl Interpreter<'_> {
    /// The result of such a call; `None` where the name is no method of the object's class.
    pub(crate) fn call_unbound(&mut self, name: Name, arguments: &CallArguments) -> Option<Eval> {
        if let Some((receiver, method)) = self.receiver_of_function(name, arguments) {
            let arguments = without_first(arguments);
            let method = self.get_attribute(&receiver, method, arguments.span);
            return Some(method.and_then(|method| self.call(&method, arguments)));
        }
        let (class, method) = self.class_of_method(name, arguments)?;
        let receiver = arguments.positional.first()?.clone();
        let arguments = without_first(arguments);
        let method = match method.as_str() {
            // Every object has them.
            "__setattr__" | "__delattr__" | "__getattribute__" => {
                let api = Name::new(&format!("builtins.object.{method}"));
                Value::LibraryMethod(Rc::new(LibraryMethod { receiver, api }))
            }
            _ => self.library_member(&receiver, &[class], method, arguments.span),
        };
        Some(self.call(&method, arguments))
    }

    /// `nn.Linear.__init__(self, 3, 2)`: a method of a library's class that is called as a function, with an object of that class.
    fn class_of_method(&self, name: Name, arguments: &CallArguments) -> Option<(Name, Name)> {
        if matches!(self.library_entry(name), Some(Entry::Api(_) | Entry::Class(_))) {
            return None;
        }
        let (class, method) = name.as_str().rsplit_once('.')?;
        let class = Name::new(class);
        self.library_class(class)?;
        let is_of_class = self.is_instance_of(&self.read(arguments.positional.first()?), class.as_str());
        is_of_class.then(|| (class, Name::new(method)))
    }

    /// `str.strip(text)`, `map(str.strip, texts)`: a method of a class of Python's own that is called as a function.
    fn receiver_of_function(&self, name: Name, arguments: &CallArguments) -> Option<(Value, Name)> {
        let (class, method) = name.as_str().strip_prefix("builtins.")?.rsplit_once('.')?;
        let receiver = self.read(arguments.positional.first()?);
        let is_of_class = match (&receiver, class) {
            (Value::Str(_), "str") | (Value::Tuple(_), "tuple") | (Value::Set(_), "set" | "frozenset") => true,
            (Value::List(_), "list") | (Value::Int(_), "int") | (Value::Float(_) | Value::Ratio(_), "float") => true,
            (Value::Dict(id), "dict") => self.dict_class(*id).is_none(),
            _ => false,
        };
        is_of_class.then(|| (receiver, Name::new(method)))
    }
}

/// The arguments behind the first one.
fn without_first(arguments: &CallArguments) -> CallArguments {
    let mut arguments = arguments.clone();
    arguments.positional.remove(0);
    if !arguments.positional_spans.is_empty() {
        arguments.positional_spans.remove(0);
    }
    arguments
}
