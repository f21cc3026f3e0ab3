//! Classes that a program makes by a call: `type("Small", (Base,), {"width": 8})`.

use std::rc::Rc;
use std::sync::Arc;

use crate::calls::call::CallArguments;
use crate::classes::class_hooks::METACLASS;
use crate::classes::class_lookup::RECORD;
use crate::classes::named_tuples::TYPED;
use crate::heap::objects::{ClassData, Payload};
use crate::state::interpreter::{Eval, Interpreter};
use crate::values::value::{Iteration, ObjectId, Value};
use harp_corpus::Span;
use harp_python::ir::{self, Expr, ExprKind, Range, Stmt, StmtKind};
use harp_python::name::Name;

impl Interpreter<'_> {
    /// Whether a class derives from classes of the program alone, and from `object`.
    pub(crate) fn ends_at_object(&self, class: &Value) -> bool {
        self.resolution_order(class).iter().all(|base| match base {
            Value::Class(_) => true,
            Value::Library(name) => name.as_str() == "builtins.object",
            _ => false,
        })
    }

    /// `type(name, bases, namespace)`; `None` where not all of it is known.
    pub fn class_of_call(&mut self, arguments: &CallArguments, metaclass: Option<Value>) -> Eval<Option<Value>> {
        let [name, bases, namespace] = &arguments.positional[..] else { return Ok(None) };
        if arguments.is_open {
            return Ok(None);
        }
        let (name, bases, namespace) = (self.read(name), self.read(bases), self.read(namespace));
        let (Some(name), Value::Tuple(bases), Value::Dict(namespace)) = (name.as_text(), bases, namespace) else {
            return Ok(None);
        };
        let bases: Vec<Value> = bases.iter().map(|base| self.read(base)).collect();
        let Some(data) = self.heap.dict(namespace).filter(|data| data.rest.is_none()).cloned() else { return Ok(None) };
        let are_classes = bases.iter().all(|base| matches!(base, Value::Class(_) | Value::Library(_)));
        let are_names = data.entries.iter().all(|(key, _)| key.as_text().is_some());
        if !are_classes || !are_names {
            return Ok(None);
        }
        let members = data.entries.iter().filter_map(|(key, value)| Some((Name::new(key.as_text()?), value.clone())));
        let members = members.chain(metaclass.map(|metaclass| (Name::new(METACLASS), metaclass))).collect();
        self.new_class(Name::new(name), &bases, members, Vec::new(), arguments).map(Some)
    }

    /// `Meta(name, bases, namespace)` where the class that is called is a metaclass of the program's.
    pub(crate) fn class_of_metaclass(&mut self, class: ObjectId, arguments: &CallArguments) -> Eval<Option<Value>> {
        let metaclass = Value::Class(class);
        if arguments.positional.len() != 3 || !self.derives_from(&metaclass, "builtins.type") {
            return Ok(None);
        }
        self.class_of_call(arguments, Some(metaclass))
    }

    /// `make_dataclass(name, fields)`: a class of records. `None` where not all of it is known.
    pub fn record_of_call(&mut self, arguments: &CallArguments) -> Eval<Option<Value>> {
        let span = arguments.span;
        let (Some(name), Some(fields)) = (arguments.get(0, "cls_name"), arguments.get(1, "fields")) else {
            return Ok(None);
        };
        let Some(name) = name.as_text().map(Name::new).filter(|_| !arguments.is_open) else { return Ok(None) };
        let Iteration::Items(fields) = self.iterate(fields)? else { return Ok(None) };
        let (mut members, mut body) = (Vec::new(), Vec::new());
        for field in fields {
            let parts = match self.read(&field) {
                Value::Str(text) => vec![Value::Str(text)],
                Value::Tuple(parts) => parts.to_vec(),
                _ => return Ok(None),
            };
            let Some(field) = parts.first().and_then(Value::as_text).map(Name::new) else { return Ok(None) };
            members.extend(parts.get(2).map(|default| (field, default.clone())));
            body.push(annotated(field, span));
        }
        let bases = match arguments.keyword("bases").map(|bases| self.read(bases)) {
            Some(Value::Tuple(bases)) => bases.to_vec(),
            None => Vec::new(),
            Some(_) => return Ok(None),
        };
        if let Some(Value::Dict(namespace)) = arguments.keyword("namespace").map(|namespace| self.read(namespace)) {
            let entries = self.heap.dict(namespace).map(|data| data.entries.clone()).unwrap_or_default();
            members.extend(entries.into_iter().filter_map(|(key, value)| Some((Name::new(key.as_text()?), value))));
        }
        let made = self.new_class(name, &bases, members, body, &CallArguments::empty(span))?;
        if let Value::Class(id) = made {
            self.heap.set_attribute(id, Name::new(RECORD), Value::Bool(true));
        }
        Ok(Some(made))
    }

    /// `namedtuple("Point", "x y", defaults=(0,))` and `NamedTuple("Point", [("x", int), ("y", int)])`: a class of named tuples. `None` where
    /// not all of its fields are known.
    pub fn named_tuple_of_call(&mut self, arguments: &CallArguments) -> Eval<Option<Value>> {
        let span = arguments.span;
        let fields = arguments.get(1, "field_names").or_else(|| arguments.get(1, "fields")).cloned();
        let (Some(name), Some(fields)) = (arguments.get(0, "typename").and_then(Value::as_text), fields) else {
            return Ok(None);
        };
        let name = Name::new(name);
        let Some(fields) =
            self.fields_of_call(&fields)?.filter(|_| !arguments.is_open && arguments.keyword("rename").is_none())
        else {
            return Ok(None);
        };
        let defaults = match arguments.keyword("defaults").map(|defaults| self.read(defaults)) {
            None | Some(Value::None) => Vec::new(),
            Some(defaults) => match self.iterate(&defaults)? {
                Iteration::Items(items) => items,
                _ => return Ok(None),
            },
        };
        // The defaults are those of the last fields (Python's library reference, `collections.namedtuple`).
        let without = fields.len().saturating_sub(defaults.len());
        let members = fields[without..].iter().copied().zip(defaults).collect();
        let body = fields.into_iter().map(|field| annotated(field, span)).collect();
        self.new_class(name, &[Value::library(TYPED)], members, body, &CallArguments::empty(span)).map(Some)
    }

    /// `Enum("Color", "RED GREEN")`, and the same with a list of names, of pairs, or a dictionary. `None` where not all of it is known.
    pub fn enumeration_of_call(&mut self, base: Name, arguments: &CallArguments) -> Eval<Option<Value>> {
        let (Some(name), Some(names)) =
            (arguments.get(0, "value").and_then(Value::as_text), arguments.get(1, "names").cloned())
        else {
            return Ok(None);
        };
        let start = arguments.keyword("start").map_or(Some(1), Value::as_int);
        let (Some(start), false) = (start, arguments.is_open) else { return Ok(None) };
        let names = self.read(&names);
        let items = match (&names, names.as_text()) {
            (_, Some(text)) => text.replace(',', " ").split_whitespace().map(Value::str).collect(),
            (Value::Dict(id), _) => match self.heap.dict(*id).filter(|data| data.rest.is_none()) {
                Some(data) => {
                    data.entries.iter().map(|(key, it)| Value::tuple(vec![key.clone(), it.clone()])).collect()
                }
                None => return Ok(None),
            },
            _ => match self.iterate(&names)? {
                Iteration::Items(items) => items,
                _ => return Ok(None),
            },
        };
        let is_flag = base.as_str().ends_with("Flag");
        let mut members = Vec::with_capacity(items.len());
        for (place, item) in items.iter().enumerate() {
            let place = i64::try_from(place).unwrap_or_default();
            let (name, value) = match self.read(item) {
                Value::Tuple(pair) if pair.len() == 2 => (self.read(&pair[0]), Some(self.read(&pair[1]))),
                name => (name, None),
            };
            let Some(name) = name.as_text().map(Name::new) else { return Ok(None) };
            let value = value.unwrap_or_else(|| match base.as_str() {
                "enum.StrEnum" => Value::str(&name.as_str().to_lowercase()),
                _ if is_flag => Value::int(1i64.checked_shl(u32::try_from(place).unwrap_or(63)).unwrap_or_default()),
                _ => Value::int(start.saturating_add(place)),
            });
            members.push((name, value));
        }
        let call = CallArguments::empty(arguments.span);
        self.new_class(Name::new(name), &[Value::Library(base)], members, Vec::new(), &call).map(Some)
    }

    /// The fields that a text names, or a sequence of texts, or one of pairs of a text and a type.
    fn fields_of_call(&mut self, fields: &Value) -> Eval<Option<Vec<Name>>> {
        let fields = self.read(fields);
        if let Some(text) = fields.as_text() {
            return Ok(Some(text.replace(',', " ").split_whitespace().map(Name::new).collect()));
        }
        let Iteration::Items(items) = self.iterate(&fields)? else { return Ok(None) };
        let names = items.iter().map(|item| {
            let name = match self.read(item) {
                Value::Tuple(pair) => pair.first().map(|name| self.read(name)),
                item => Some(item),
            };
            name.as_ref().and_then(Value::as_text).map(Name::new)
        });
        Ok(names.collect())
    }

    fn new_class(
        &mut self,
        name: Name,
        bases: &[Value],
        members: Vec<(Name, Value)>,
        body: Vec<Stmt>,
        arguments: &CallArguments,
    ) -> Eval {
        let span = arguments.span;
        let range = Range { start: span.start, end: span.end };
        let definition = Arc::new(ir::Class {
            file: span.file,
            name,
            qualified_name: name,
            range,
            name_range: range,
            type_parameters: Vec::new(),
            arguments: Vec::new(),
            decorators: Vec::new(),
            body,
            globals: Vec::new(),
        });
        let id = self.heap.allocate(Payload::Plain);
        let mut resolution_order = vec![Value::Class(id)];
        resolution_order.extend(self.linearise(bases));
        self.mix_in(&mut resolution_order, arguments.span);
        self.heap.count_copied(resolution_order.len());
        let class = ClassData { definition: Arc::clone(&definition), resolution_order };
        self.heap.set_payload(id, Payload::Class(Rc::new(class)));
        for (name, value) in members {
            self.heap.set_attribute(id, name, value);
        }
        self.finish_class(id, &definition, bases, arguments.keywords.clone())?;
        self.note_family(id, bases);
        Ok(Value::Class(id))
    }
}

/// The statement of a class's body that declares a field.
fn annotated(field: Name, span: Span) -> Stmt {
    let range = Range { start: span.start, end: span.end };
    let target = Expr::new(range, ExprKind::Name(field));
    let annotation = Expr::new(range, ExprKind::Ellipsis);
    Stmt { range, kind: StmtKind::AnnotatedAssign { target, annotation, value: None } }
}
