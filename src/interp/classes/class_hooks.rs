//! What Python calls when it has made a class: `__set_name__` of what the class holds, `__init_subclass__` of its bases, and the
//! constructor of its metaclass.

use std::rc::Rc;
use std::sync::Arc;

use crate::calls::call::CallArguments;
use crate::classes::dir::OF_OBJECTS;
use crate::state::interpreter::{Eval, Interpreter};
use crate::values::value::{BoundMethod, FunctionKind, ObjectId, Value};
use harp_corpus::Span;
use harp_python::ir::{self, ArgumentKind};
use harp_python::name::{Name, name};

/// The attribute of a class that holds its metaclass; no program can name it.
pub(crate) const METACLASS: &str = "(metaclass)";

impl Interpreter<'_> {
    /// Calls the hooks for a class whose body has run.
    pub(crate) fn finish_class(
        &mut self,
        id: ObjectId,
        class: &Arc<ir::Class>,
        bases: &[Value],
        mut keywords: Vec<(Name, Value)>,
    ) -> Eval<()> {
        let span = self.span(class.name_range);
        let made = Value::Class(id);
        let mut metaclass = None;
        for argument in &class.arguments {
            let ArgumentKind::Keyword(name) = argument.kind else { continue };
            let value = self.evaluate(&argument.value)?;
            if name.as_str() == "metaclass" {
                metaclass = Some(self.read(&value));
            } else {
                keywords.push((name, value));
            }
        }
        self.make_members(id, span)?;
        let members: Vec<(Name, Value)> =
            self.heap.object(id).attributes.iter().map(|(name, value)| (name, value.clone())).collect();
        for (name, value) in &members {
            self.hooks.note(*name);
            if let Some(method @ Value::Function(_)) = self.class_attribute(value, name!("__set_name__")) {
                let bound = self.bind_method(value, method);
                let arguments = vec![made.clone(), Value::str(name.as_str())];
                self.call(&bound, CallArguments::positional(arguments, span))?;
            }
        }
        let for_metaclass = keywords.clone();
        let hook = self.member_of(&made, name!("__init_subclass__"), Some(id));
        if let Some(function @ Value::Function(_)) = hook {
            let bound = Value::BoundMethod(Rc::new(BoundMethod { receiver: made.clone(), function }));
            let mut arguments = CallArguments::positional(Vec::new(), span);
            arguments.keyword_spans = keywords.iter().map(|_| None).collect();
            arguments.keywords = keywords;
            self.call(&bound, arguments)?;
        }
        let inherited = || self.member_of(&made, Name::new(METACLASS), None);
        let Some(metaclass @ Value::Class(_)) = metaclass.or_else(inherited) else { return Ok(()) };
        self.heap.set_attribute(id, Name::new(METACLASS), metaclass.clone());
        for hook in ["__new__", "__init__"] {
            let Some(function @ Value::Function(_)) = self.member_of(&metaclass, Name::new(hook), None) else {
                continue;
            };
            let members = self.heap.object(id).attributes.iter().map(|(name, value)| (name, value.clone()));
            let members: Vec<(Name, Value)> = members.filter(|(name, _)| name.as_str() != METACLASS).collect();
            let namespace = members.into_iter().map(|(name, value)| (Value::str(name.as_str()), value)).collect();
            let namespace = Value::Dict(self.heap.allocate_dict(namespace));
            let first = if hook == "__new__" { metaclass.clone() } else { made.clone() };
            let values = vec![first, Value::str(class.name.as_str()), Value::tuple(bases.to_vec()), namespace];
            let mut arguments = CallArguments::positional(values, span);
            arguments.keyword_spans = for_metaclass.iter().map(|_| None).collect();
            arguments.keywords = for_metaclass.clone();
            self.calls.classes_in_making.push(id);
            let result = self.call(&function, arguments);
            self.calls.classes_in_making.pop();
            result?;
        }
        Ok(())
    }

    /// The names that the body of a class annotates.
    pub(crate) fn annotated_names(&self, class: &Value) -> Vec<Name> {
        let Value::Class(class) = class else { return Vec::new() };
        let Some(data) = self.heap.class(*class) else { return Vec::new() };
        let annotated = data.definition.body.iter().filter_map(|statement| match &statement.kind {
            ir::StmtKind::AnnotatedAssign { target, .. } => match &target.kind {
                ir::ExprKind::Name(name) => Some(*name),
                _ => None,
            },
            _ => None,
        });
        annotated.collect()
    }

    /// `Class.__annotations__`: the names that the body annotates, or that of the first base that annotates any.
    pub(crate) fn annotations_of_class(&mut self, class: ObjectId) -> Option<Value> {
        let order = self.resolution_order(&Value::Class(class));
        let names = order.iter().map(|base| self.annotated_names(base)).find(|names| !names.is_empty())?;
        let mut known: Vec<Name> = Vec::with_capacity(names.len());
        for name in names {
            if !known.contains(&name) {
                known.push(name);
            }
        }
        let entries = known.into_iter().map(|name| (Value::str(name.as_str()), self.annotated_class(&order, name)));
        let entries = entries.collect();
        Some(Value::Dict(self.heap.allocate_dict(entries)))
    }

    /// What a name is annotated with in the first of the classes that does, where a plain name says it.
    fn annotated_class(&self, order: &[Value], name: Name) -> Value {
        let unknown = Value::Unknown("annotation");
        for base in order {
            let Value::Class(base) = base else { continue };
            let Some(data) = self.heap.class(*base) else { continue };
            let annotation = data.definition.body.iter().find_map(|statement| match &statement.kind {
                ir::StmtKind::AnnotatedAssign { target, annotation, .. } => {
                    matches!(&target.kind, ir::ExprKind::Name(known) if *known == name).then_some(annotation)
                }
                _ => None,
            });
            let Some(annotation) = annotation else { continue };
            let ir::ExprKind::Name(class) = &annotation.kind else { return unknown };
            let module = self.project.module_of_file(data.definition.file);
            let globals =
                self.tables.modules.get(&(module, true)).or_else(|| self.tables.modules.get(&(module, false)));
            let named = globals.and_then(|globals| self.heap.attribute(*globals, *class)).cloned();
            return named.or_else(|| crate::values::builtin_names::lookup(*class)).unwrap_or(unknown);
        }
        unknown
    }

    /// What a metaclass of the program does where one of its classes is called.
    pub(crate) fn metaclass_call(&self, class: ObjectId) -> Option<Value> {
        self.method_of_metaclass(class, "__call__")
    }

    /// What a class has of its metaclass: a method, or what a property gives.
    pub(crate) fn attribute_of_metaclass(&mut self, class: ObjectId, name: Name, span: Span) -> Eval<Option<Value>> {
        // The class itself has these of `object`, which goes before what its metaclass has.
        if OF_OBJECTS.contains(&name.as_str()) {
            return Ok(None);
        }
        let Some(metaclass) = self.metaclass_of(class) else { return Ok(None) };
        let Some(member) = self.member_of(&metaclass, name, None) else { return Ok(None) };
        let class = Value::Class(class);
        match &member {
            Value::Function(closure)
                if matches!(closure.kind, FunctionKind::Property | FunctionKind::CachedProperty) =>
            {
                self.call_closure(closure, CallArguments::positional(vec![class], span)).map(Some)
            }
            Value::Function(_) => Ok(Some(self.bind_method(&class, member))),
            // What every class has, as its name, it does not have of its metaclass.
            _ if name.as_str().starts_with("__") || name.as_str() == METACLASS => Ok(None),
            _ => match self.read_descriptor(&member, &class, &metaclass, span)? {
                Some(value) => Ok(Some(value)),
                None => Ok(Some(self.read(&member))),
            },
        }
    }

    /// The metaclass of the program's that a class has.
    pub fn metaclass_of(&self, class: ObjectId) -> Option<Value> {
        self.member_of(&Value::Class(class), Name::new(METACLASS), None)
    }

    /// A method of the program's that a class has of its metaclass.
    pub fn method_of_metaclass(&self, class: ObjectId, name: &str) -> Option<Value> {
        let metaclass = self.metaclass_of(class)?;
        let method = self.member_of(&metaclass, Name::new(name), None)?;
        matches!(method, Value::Function(_)).then_some(method)
    }
}
