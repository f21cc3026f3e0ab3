//! What is not known any more because code was not followed: attributes of an object that gets one of a name that
//! nobody knows, and what a call may have changed that is not followed because its function runs too often already.

use std::sync::Arc;

use crate::calls::call::CallArguments;
use crate::state::interpreter::Interpreter;
use crate::values::value::{ObjectId, Value};
use harp_corpus::Span;
use harp_limits::light_tick;
use harp_python::ir::{Expr, ExprKind, Function, Stmt, StmtKind};
use harp_python::name::Name;
use harp_python::{blocks_of, subexpressions};

/// Where an object says that it may have any attribute; no name of a program's attribute.
const OPEN: &str = "#any attribute";
/// Objects within objects are looked at to this depth,
const DEEPEST: usize = 4;
/// and no more of them.
const MOST_OBJECTS: usize = 256;

/// Methods of containers that change what they hold.
const CHANGES: [&str; 20] = [
    "add",
    "append",
    "appendleft",
    "clear",
    "discard",
    "extend",
    "extendleft",
    "insert",
    "move_to_end",
    "pop",
    "popitem",
    "popleft",
    "register_buffer",
    "remove",
    "reverse",
    "rotate",
    "setdefault",
    "sort",
    "subtract",
    "update",
];

/// Those after which an item that was there before may stand at another place, or nowhere.
const MOVES: [&str; 11] =
    ["appendleft", "clear", "extendleft", "insert", "pop", "popitem", "popleft", "remove", "reverse", "rotate", "sort"];

impl Interpreter<'_> {
    /// Forgets the items of an unknown container that a call of its method may put elsewhere: after `x.reverse()`, `x[0]` is another object.
    pub(crate) fn forget_moved_items(&mut self, method: ObjectId, arguments: &CallArguments) {
        let Some((owner, name)) = self.heap.symbolic(method).and_then(|data| data.owner) else { return };
        if !MOVES.contains(&name.as_str()) {
            return;
        }
        let key = arguments.positional.first().map(|key| self.read(key)).filter(|_| name.as_str() == "pop");
        let key = key.and_then(|key| key.as_text().map(|text| Name::new(&format!("[{text:?}]"))));
        let attributes = self.heap.object(owner).attributes.iter();
        let items: Vec<Name> = attributes.map(|(name, _)| name).filter(|name| name.as_str().starts_with('[')).collect();
        for item in items.into_iter().filter(|item| key.is_none_or(|key| key == *item)) {
            self.heap.delete_attribute(owner, item);
        }
    }

    /// Whether an object may have attributes that nobody knows.
    pub fn has_open_attributes(&self, id: ObjectId) -> bool {
        self.heap.attribute(id, Name::new(OPEN)).is_some()
    }

    /// Notes that an object may have attributes that nobody knows.
    pub fn open_attributes(&mut self, object: &Value) {
        if let Value::Instance(id) | Value::Class(id) = self.read(object) {
            self.heap.set_attribute(id, Name::new(OPEN), Value::Bool(true));
        }
    }

    /// `setattr(object, name, value)` with a name that is not known: any attribute may have changed that holds what the new value could be one of.
    pub fn set_some_attribute(&mut self, object: &Value, value: &Value, span: Span) {
        let object = self.read(object);
        let (Value::Instance(id) | Value::Class(id)) = object else { return };
        self.open_attributes(&object);
        let value = self.read(value);
        // Modules and parameters have names of their own: they are numbered, and take nobody's place.
        if self.is_module(&value) || matches!(value, Value::Function(_) | Value::BoundMethod(_)) {
            return;
        }
        if matches!(value, Value::Tensor(_) | Value::Symbolic(_)) {
            self.forget_plain_tensors(id, span);
        }
        if !matches!(value, Value::Tensor(_)) {
            self.forget_settings(id, span);
        }
    }

    /// Forgets the tensors of an object that are no parameters: `for name in dir(self): setattr(self, name, getattr(self, name)[rows])`.
    fn forget_plain_tensors(&mut self, id: ObjectId, span: Span) {
        let is_plain = |value: &Value| matches!(value, Value::Tensor(tensor) if !tensor.kind.is_parameter());
        let attributes = self.heap.object(id).attributes.iter();
        let held: Vec<Name> =
            attributes.filter(|(_, value)| is_plain(&self.read(value))).map(|(name, _)| name).collect();
        for name in held.into_iter().filter(|name| !name.as_str().starts_with(['#', '('])) {
            let unknown = self.symbolic(name.as_str(), span, true);
            self.heap.set_attribute(id, name, unknown);
        }
    }

    /// Forgets what an object holds besides modules, tensors and functions.
    fn forget_settings(&mut self, id: ObjectId, span: Span) {
        let held: Vec<(Name, Value)> =
            self.heap.object(id).attributes.iter().map(|(name, value)| (name, self.read(value))).collect();
        for (name, value) in held {
            let is_kept = name.as_str().starts_with(['#', '(', '_'])
                || self.is_module(&value)
                || matches!(value, Value::Tensor(_) | Value::Function(_) | Value::BoundMethod(_) | Value::Class(_));
            if !is_kept {
                let unknown = self.symbolic(name.as_str(), span, true);
                self.heap.set_attribute(id, name, unknown);
            }
        }
    }

    /// Forgets what a function may change that is not called again, because it is running often enough.
    pub(crate) fn forget_what_it_changes(&mut self, function: &Arc<Function>, arguments: &CallArguments) {
        if self.inference.is_some() {
            return;
        }
        self.executions.change();
        let mut changes = Changes::default();
        changes.block(&function.body);
        for name in &changes.names {
            let position = function.parameters.iter().position(|parameter| parameter.name == *name);
            let value = match position {
                Some(position) => arguments.get(position, name.as_str()).cloned(),
                None => self.lookup(*name),
            };
            if let Some(value) = value {
                self.forget_contents(&value, arguments.span, DEEPEST, &mut MOST_OBJECTS.clone());
            }
        }
        for name in function.nonlocals.iter().chain(&function.globals) {
            if changes.assigned.contains(name)
                && let Some(scope) = self.scope_of(*name)
            {
                let unknown = self.symbolic(name.as_str(), arguments.span, true);
                self.heap.set_attribute(scope, *name, unknown);
            }
        }
    }

    /// Makes the contents of a value unknown; modules stay.
    fn forget_contents(&mut self, value: &Value, span: Span, depth: usize, left: &mut usize) {
        light_tick();
        let value = self.read(value);
        if depth == 0 || *left == 0 || self.is_module(&value) {
            return;
        }
        *left -= 1;
        match value {
            Value::List(id) | Value::Set(id) => {
                let unknown = self.symbolic("item", span, true);
                self.heap.change_list(id, |data| {
                    data.items.clear();
                    data.rest = Some(unknown);
                });
            }
            Value::Dict(id) => {
                let unknown = self.symbolic("item", span, true);
                self.heap.change_dict(id, |data| {
                    *data = crate::heap::objects::DictData::new(Vec::new(), Some((Value::Unknown("key"), unknown)));
                });
            }
            Value::Instance(id) => {
                let within: Vec<Value> =
                    self.heap.object(id).attributes.iter().map(|(_, value)| value.clone()).collect();
                within.iter().for_each(|value| self.forget_contents(value, span, depth - 1, left));
                self.forget_settings(id, span);
            }
            _ => {}
        }
    }
}

/// What the statements of a function change besides its own variables.
#[derive(Default)]
struct Changes {
    /// Names of what has an item, an attribute or its contents changed.
    names: Vec<Name>,
    /// Names that are assigned.
    assigned: Vec<Name>,
}

impl Changes {
    fn block(&mut self, statements: &[Stmt]) {
        statements.iter().for_each(|statement| self.statement(statement));
    }

    fn statement(&mut self, statement: &Stmt) {
        match &statement.kind {
            StmtKind::Expr(value) | StmtKind::Return(Some(value)) => self.expression(value),
            StmtKind::Assign { targets, value } => {
                targets.iter().for_each(|target| self.target(target));
                self.expression(value);
            }
            StmtKind::AnnotatedAssign { target, value: Some(value), .. }
            | StmtKind::AugmentedAssign { target, value, .. } => {
                self.target(target);
                self.expression(value);
            }
            StmtKind::Delete(targets) => targets.iter().for_each(|target| self.target(target)),
            StmtKind::If { test, .. } | StmtKind::While { test, .. } => self.expression(test),
            StmtKind::For { target, iterable, .. } => {
                self.target(target);
                self.expression(iterable);
            }
            _ => {}
        }
        blocks_of(statement).into_iter().for_each(|block| self.block(block));
    }

    /// `x = …`, `x.a = …`, `x[i] = …`, also among several targets.
    fn target(&mut self, target: &Expr) {
        match &target.kind {
            ExprKind::Name(name) => self.assigned.push(*name),
            ExprKind::Tuple(items) | ExprKind::List(items) => items.iter().for_each(|item| self.target(item)),
            ExprKind::Starred(value) => self.target(value),
            ExprKind::Subscript { value, .. } | ExprKind::Attribute { value, .. } => self.names.extend(root_of(value)),
            _ => {}
        }
    }

    /// `x.append(…)`, `setattr(x, …)`, anywhere in an expression.
    fn expression(&mut self, expression: &Expr) {
        if let ExprKind::Call(call) = &expression.kind {
            match &call.function.kind {
                ExprKind::Attribute { value, attribute, .. } if CHANGES.contains(&attribute.as_str()) => {
                    self.names.extend(root_of(value));
                }
                ExprKind::Name(name) if matches!(name.as_str(), "setattr" | "delattr" | "next") => {
                    self.names.extend(call.arguments.first().and_then(|argument| root_of(&argument.value)));
                }
                _ => {}
            }
        }
        subexpressions(expression).into_iter().for_each(|part| self.expression(part));
        if let ExprKind::Comprehension(comprehension) = &expression.kind {
            self.expression(&comprehension.element);
        }
    }
}

/// `x` of `x.a[i].b`.
fn root_of(expression: &Expr) -> Option<Name> {
    match &expression.kind {
        ExprKind::Name(name) => Some(*name),
        ExprKind::Attribute { value, .. } | ExprKind::Subscript { value, .. } => root_of(value),
        _ => None,
    }
}
