//! What the annotations of classes and functions are as objects of the running program: `get_type_hints`, `fields(…)`,
//! `inspect.signature`, `get_args`. An annotation with parts, such as `list[Layer]`, is an object that has them; what
//! one says of tensors is read elsewhere (`hints`).

use crate::builtins::eval::expression_of;
use crate::calls::call::CallArguments;
use crate::heap::objects::{InstanceData, Payload};
use crate::state::interpreter::{Eval, Interpreter};
use crate::values::value::{Closure, ObjectId, Value};
use harp_corpus::Span;
use harp_python::ir::{BinaryOperator, Expr, ExprKind, StmtKind, UnaryOperator};
use harp_python::name::{Name, name};

/// The class of annotations with parts.
const ALIAS: &str = "types.GenericAlias";
/// The attribute that holds what `get_origin` gives; no program can name it.
const ORIGIN: &str = "(origin)";
const UNION: &str = "typing.Union";
const ANNOTATED: &str = "typing.Annotated";
/// Annotations within annotations are followed so deep.
const DEEPEST: usize = 8;

/// What `typing` has under names of its own for classes that are elsewhere.
const ORIGINS: [(&str, &str); 20] = [
    ("Callable", "collections.abc.Callable"),
    ("Counter", "collections.Counter"),
    ("DefaultDict", "collections.defaultdict"),
    ("Deque", "collections.deque"),
    ("Dict", "builtins.dict"),
    ("FrozenSet", "builtins.frozenset"),
    ("Iterable", "collections.abc.Iterable"),
    ("Iterator", "collections.abc.Iterator"),
    ("List", "builtins.list"),
    ("Mapping", "collections.abc.Mapping"),
    ("MutableMapping", "collections.abc.MutableMapping"),
    ("OrderedDict", "collections.OrderedDict"),
    ("Sequence", "collections.abc.Sequence"),
    ("Set", "builtins.set"),
    ("Tuple", "builtins.tuple"),
    ("Type", "builtins.type"),
    ("dict", "builtins.dict"),
    ("list", "builtins.list"),
    ("set", "builtins.set"),
    ("tuple", "builtins.tuple"),
];

impl Interpreter<'_> {
    /// What an annotation stands for where those scopes, the innermost first, are around it.
    pub(crate) fn written_type(&mut self, annotation: &Expr, scopes: &[ObjectId], span: Span) -> Value {
        self.written_part(annotation, scopes, span, DEEPEST)
    }

    /// What the annotation of a function's parameter or result stands for.
    pub(crate) fn type_in_function(&mut self, closure: &Closure, annotation: &Expr) -> Value {
        let scopes: Vec<ObjectId> = closure.enclosing.iter().copied().chain([closure.globals]).collect();
        let span = annotation.range.in_file(closure.function.file);
        self.written_type(annotation, &scopes, span)
    }

    /// What a field of a class is annotated with.
    pub fn type_of_field(&mut self, class: ObjectId, field: Name) -> Value {
        for base in self.resolution_order(&Value::Class(class)) {
            let Value::Class(base) = base else { continue };
            let Some(data) = self.heap.class(base) else { continue };
            let definition = std::sync::Arc::clone(&data.definition);
            let annotation = definition.body.iter().rev().find_map(|statement| match &statement.kind {
                StmtKind::AnnotatedAssign { target, annotation, .. } => {
                    matches!(&target.kind, ExprKind::Name(name) if *name == field).then_some(annotation)
                }
                _ => None,
            });
            let Some(annotation) = annotation else { continue };
            let module = self.project.module_of_file(definition.file);
            let running = self.frames.iter().rev().find(|frame| frame.file == definition.file);
            let running = running.map(|frame| frame.globals);
            let globals =
                [false, true].iter().filter_map(|as_main| self.tables.modules.get(&(module, *as_main)).copied());
            let scopes: Vec<ObjectId> = std::iter::once(base).chain(running).chain(globals).collect();
            return self.written_type(annotation, &scopes, annotation.range.in_file(definition.file));
        }
        Value::Unknown("annotation")
    }

    fn written_part(&mut self, annotation: &Expr, scopes: &[ObjectId], span: Span, depth: usize) -> Value {
        if depth == 0 {
            return Value::Unknown("annotation");
        }
        let part = |this: &mut Self, part: &Expr| this.written_part(part, scopes, span, depth - 1);
        match &annotation.kind {
            ExprKind::None => Value::library("types.NoneType"),
            ExprKind::Ellipsis => Value::Ellipsis,
            ExprKind::Name(name) => {
                let known = scopes.iter().find_map(|scope| self.heap.attribute(*scope, *name)).cloned();
                let known =
                    known.map(|known| self.read(&known)).or_else(|| crate::values::builtin_names::lookup(*name));
                known.unwrap_or(Value::Unknown("annotation"))
            }
            ExprKind::Attribute { value, attribute, .. } => match part(self, value) {
                owner @ (Value::Library(_) | Value::Module(_) | Value::Class(_)) => {
                    let found = self.get_attribute(&owner, *attribute, span);
                    found.unwrap_or(Value::Unknown("annotation"))
                }
                _ => Value::Unknown("annotation"),
            },
            ExprKind::Str(text) => match expression_of(self, text) {
                Some(written) => part(self, &written),
                None => Value::Unknown("annotation"),
            },
            ExprKind::Binary { operator: BinaryOperator::BitOr, left, right } => {
                let members = vec![part(self, left), part(self, right)];
                self.union_of("types.UnionType", members, span)
            }
            ExprKind::Subscript { value, index } => {
                let outer = part(self, value);
                let parts = match &index.kind {
                    ExprKind::Tuple(parts) => &parts[..],
                    _ => std::slice::from_ref(&**index),
                };
                let is_literal = short(&outer) == Some("Literal");
                let are_flat = parts.iter().flat_map(|part| match &part.kind {
                    ExprKind::List(parts) => &parts[..],
                    _ => std::slice::from_ref(part),
                });
                let plain = |this: &mut Self, (place, written): (usize, &Expr)| match constant(written) {
                    Some(known) if is_literal || place > 0 && short(&outer) == Some("Annotated") => known,
                    _ => part(this, written),
                };
                let parts = are_flat.enumerate().map(|it| plain(self, it)).collect();
                self.type_with_parts(&outer, parts, span)
            }
            _ => Value::Unknown("annotation"),
        }
    }

    /// `Optional[int]` and its like, evaluated; `None` for what can be a base of a class or be called, which stays what it is without its parts.
    pub(crate) fn evaluated_type(&mut self, outer: &Value, index: &Value, span: Span) -> Option<Value> {
        if !matches!(short(outer)?, "Annotated" | "Literal" | "Optional" | "Union") || self.inference.is_some() {
            return None;
        }
        let parts = match index {
            Value::Tuple(parts) => parts.iter().map(|part| self.read(part)).collect(),
            index => vec![self.read(index)],
        };
        let as_type = |part| if matches!(part, Value::None) { Value::library("types.NoneType") } else { part };
        let is_literal = short(outer) == Some("Literal");
        let parts: Vec<Value> = if is_literal { parts } else { parts.into_iter().map(as_type).collect() };
        Some(self.type_with_parts(outer, parts, span))
    }

    fn type_with_parts(&mut self, outer: &Value, parts: Vec<Value>, span: Span) -> Value {
        match (short(outer), outer) {
            (Some("Union"), _) => self.union_of(UNION, parts, span),
            (Some("Optional"), _) => {
                let mut parts = parts;
                parts.push(Value::library("types.NoneType"));
                self.union_of(UNION, parts, span)
            }
            (Some("Literal"), _) => self.new_alias(Value::library("typing.Literal"), parts, span),
            (Some("Annotated"), _) if parts.len() > 1 => {
                let (inner, metadata) = (parts[0].clone(), parts[1..].to_vec());
                let alias = self.new_alias(Value::library(ANNOTATED), vec![inner.clone()], span);
                if let Value::Instance(id) = &alias {
                    self.heap.set_attribute(*id, name!("__origin__"), inner);
                    self.heap.set_attribute(*id, name!("__metadata__"), Value::tuple(metadata));
                }
                alias
            }
            (Some(short), Value::Library(_)) => match ORIGINS.iter().find(|(known, _)| *known == short) {
                Some((_, origin)) => self.new_alias(Value::library(origin), parts, span),
                None => Value::Unknown("annotation"),
            },
            (_, Value::Class(_)) => self.new_alias(outer.clone(), parts, span),
            _ => Value::Unknown("annotation"),
        }
    }

    fn new_alias(&mut self, origin: Value, parts: Vec<Value>, span: Span) -> Value {
        let data = InstanceData { class: Value::library(ALIAS), arguments: Vec::new(), origin: span };
        let id = self.heap.allocate(Payload::Instance(std::rc::Rc::new(data)));
        self.heap.set_attribute(id, Name::new(ORIGIN), origin.clone());
        self.heap.set_attribute(id, name!("__origin__"), origin);
        self.heap.set_attribute(id, name!("__args__"), Value::tuple(parts));
        Value::Instance(id)
    }

    /// A union of types, in which unions within it and types that stand there twice are taken together.
    fn union_of(&mut self, origin: &str, members: Vec<Value>, span: Span) -> Value {
        let mut flat: Vec<Value> = Vec::with_capacity(members.len());
        for member in members {
            let inner = match self.parts_of_type(&member) {
                Some((origin, parts)) if is_union(&origin) => parts,
                _ => vec![member],
            };
            for member in inner {
                if !flat.iter().any(|known| known.same(&member)) {
                    flat.push(member);
                }
            }
        }
        if flat.len() == 1 { flat.remove(0) } else { self.new_alias(Value::library(origin), flat, span) }
    }

    /// What `get_origin` and `get_args` give of a type with parts.
    pub(crate) fn parts_of_type(&self, value: &Value) -> Option<(Value, Vec<Value>)> {
        let value = self.read(value);
        if !self.instance_data(&value).is_some_and(|data| is_alias(&data.class)) {
            return None;
        }
        let Value::Instance(id) = value else { return None };
        let origin = self.heap.attribute(id, Name::new(ORIGIN))?.clone();
        match self.heap.attribute(id, name!("__args__")) {
            Some(Value::Tuple(parts)) => Some((origin, parts.to_vec())),
            _ => None,
        }
    }

    /// `get_args(type)`: `None` where it is not known.
    pub(crate) fn arguments_of_type(&self, value: &Value) -> Option<Vec<Value>> {
        if let Some((origin, mut parts)) = self.parts_of_type(value) {
            let id = if let Value::Instance(id) = self.read(value) { Some(id) } else { None };
            if matches!(&origin, Value::Library(name) if name.as_str() == ANNOTATED)
                && let Some(Value::Tuple(metadata)) = id.and_then(|id| self.heap.attribute(id, name!("__metadata__")))
            {
                parts.extend(metadata.iter().cloned());
            }
            return Some(parts);
        }
        if let Value::Tuple(members) = self.read(value) {
            let as_type = |part: &Value| if part.is_none() { Value::library("types.NoneType") } else { part.clone() };
            return Some(members.iter().map(as_type).collect());
        }
        self.is_plain_type(value).then(Vec::new)
    }

    /// `get_origin(type)`: `None` where it is not known.
    pub(crate) fn origin_of_type(&self, value: &Value) -> Option<Value> {
        if let Some((origin, _)) = self.parts_of_type(value) {
            return Some(origin);
        }
        // `int | str`
        if matches!(self.read(value), Value::Tuple(_)) {
            return Some(Value::library("types.UnionType"));
        }
        // Functions are no types.
        let is_function =
            matches!(self.read(value), Value::Function(_) | Value::BoundMethod(_) | Value::LibraryMethod(_));
        (is_function || self.is_plain_type(value)).then_some(Value::None)
    }

    /// Whether a type has certainly no parts. Of a list's, those that stood there may be left out of the value.
    pub(crate) fn is_plain_type(&self, value: &Value) -> bool {
        match self.read(value) {
            Value::None => true,
            Value::Class(_) => !self.derives_from(value, "typing.Generic"),
            Value::Library(name) => {
                matches!(name.as_str(), "builtins.bool" | "builtins.float" | "builtins.int" | "builtins.str")
                    || name.as_str().starts_with("types.")
            }
            _ => false,
        }
    }

    /// Whether two types are equal, where one of them has parts.
    pub(crate) fn compare_types(&self, left: &Value, right: &Value) -> Option<Value> {
        if !matches!(left, Value::Instance(_)) && !matches!(right, Value::Instance(_)) {
            return None;
        }
        match (self.parts_of_type(left), self.parts_of_type(right)) {
            (None, None) => None,
            (Some((one, parts)), Some((other, others))) => {
                let are_alike = one.same(&other) && parts.len() == others.len();
                let mut pairs = parts.iter().zip(&others);
                if are_alike && pairs.clone().all(|(one, other)| one.same(other)) {
                    return Some(Value::Bool(true));
                }
                let is_open = pairs.any(|(one, other)| one.is_unknown() || other.is_unknown());
                let is_nested = parts.iter().chain(&others).any(|part| matches!(part, Value::Instance(_)));
                Some(if is_open || is_nested { Value::Unknown("comparison of types") } else { Value::Bool(false) })
            }
            // What `list[int]` gives where it is no annotation has lost its parts.
            (Some(_), None) | (None, Some(_)) => {
                let other = if self.parts_of_type(left).is_some() { right } else { left };
                let is_clear = self.is_plain_type(other) || !matches!(other, Value::Library(_) | Value::Class(_));
                Some(if is_clear { Value::Bool(false) } else { Value::Unknown("comparison of types") })
            }
        }
    }

    /// The type that `Annotated` says more of.
    pub(crate) fn without_metadata(&self, value: Value) -> Value {
        match self.parts_of_type(&value) {
            Some((Value::Library(origin), parts)) if origin.as_str() == ANNOTATED => {
                parts.into_iter().next().unwrap_or(value)
            }
            _ => value,
        }
    }

    /// `x: Layer | None` as the types that it names.
    pub(crate) fn members_of_union(&self, value: &Value) -> Option<Vec<Value>> {
        self.parts_of_type(value).filter(|(origin, _)| is_union(origin)).map(|(_, parts)| parts)
    }
}

fn is_alias(class: &Value) -> bool {
    matches!(class, Value::Library(name) if name.as_str() == ALIAS)
}

fn is_union(origin: &Value) -> bool {
    matches!(origin, Value::Library(name) if matches!(name.as_str(), UNION | "types.UnionType"))
}

/// The name of what is subscripted, where it is one of `typing` or a container of Python's own.
fn short(outer: &Value) -> Option<&str> {
    let Value::Library(name) = outer else { return None };
    let (owner, short) = name.as_str().rsplit_once('.')?;
    matches!(owner, "typing" | "typing_extensions" | "builtins" | "collections" | "collections.abc").then_some(short)
}

/// A literal within an annotation.
fn constant(written: &Expr) -> Option<Value> {
    Some(match &written.kind {
        ExprKind::None => Value::None,
        ExprKind::Bool(value) => Value::Bool(*value),
        ExprKind::Int(value) => Value::int(*value),
        ExprKind::Float(value) => Value::Float(Some(*value)),
        ExprKind::Str(text) => Value::str(text),
        ExprKind::Unary { operator: UnaryOperator::Minus, operand } => match operand.kind {
            ExprKind::Int(value) => Value::int(-value),
            ExprKind::Float(value) => Value::Float(Some(-value)),
            _ => return None,
        },
        _ => return None,
    })
}

/// `get_args(type)`.
pub fn get_args(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    let value = arguments.get(0, "tp").cloned().unwrap_or(Value::Unknown("missing argument"));
    Ok(match interpreter.arguments_of_type(&value) {
        Some(parts) => Value::tuple(parts),
        None => interpreter.unanswered("parts of a type", name.as_str(), arguments.span),
    })
}

/// `get_origin(type)`.
pub fn get_origin(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    let value = arguments.get(0, "tp").cloned().unwrap_or(Value::Unknown("missing argument"));
    Ok(match interpreter.origin_of_type(&value) {
        Some(origin) => origin,
        None => interpreter.unanswered("origin of a type", name.as_str(), arguments.span),
    })
}
