//! Attributes that a class's other methods leave in an object: a method that is called first thing on a new object
//! would see what the constructor left there, which is rarely what the program means.

use rustc_hash::FxHashSet;

use crate::paths::predicates::IS_NONE;
use crate::state::interpreter::Interpreter;
use crate::values::value::{ObjectId, Value};
use harp_corpus::Span;
use harp_limits::light_tick;
use harp_python::blocks_of;
use harp_python::ir::{Expr, ExprKind, Function, Stmt, StmtKind};
use harp_python::name::Name;

/// Methods of containers that change what they hold.
const CHANGES: [&str; 10] =
    ["add", "append", "appendleft", "clear", "extend", "insert", "pop", "popleft", "setdefault", "update"];

/// Which of the attributes that change after construction are forgotten.
#[derive(Clone, Copy)]
enum Scope {
    All,
    Placeholders,
}

/// Objects that objects hold are looked at to this depth.
const DEEPEST: usize = 3;
/// Of a list, so many items are looked at.
const MOST_ITEMS: usize = 16;

impl Interpreter<'_> {
    /// Forgets the attributes of a new instance that other methods than its constructor give their meaning; modules stay, as they do not
    /// change after construction. The constructor's own helpers do not count. For the methods that objects are made for, only
    /// placeholders are forgotten: containers and tensors without elements. Objects that the instance holds are treated the same.
    pub fn forget_later_state(&mut self, instance: &Value, method: &str, span: Span) {
        let scope = if matches!(method, "forward" | "__call__") { Scope::Placeholders } else { Scope::All };
        if method != "__init__" {
            self.forget_state_of(instance, scope, span, DEEPEST);
        }
    }

    /// Forgets that attributes are not set yet, of objects of which one is taken by a key that is not known: what is called on it may set them,
    /// and is not seen through the others.
    pub(crate) fn forget_what_is_not_set(&mut self, objects: &[Value], span: Span) {
        if objects.len() < 2 {
            return;
        }
        for object in objects.iter().take(MOST_ITEMS) {
            self.forget_unset_attributes(object, span);
        }
    }

    /// Forgets that attributes of an object are not set yet that methods of its classes set.
    pub(crate) fn forget_unset_attributes(&mut self, object: &Value, span: Span) {
        let Value::Instance(id) = *object else { return };
        let attributes = self.heap.object(id).attributes.iter();
        let not_set: Vec<Name> = attributes.filter(|(_, value)| value.is_none()).map(|(name, _)| name).collect();
        if not_set.is_empty() {
            return;
        }
        let changed = self.changed_by_methods(object);
        for name in not_set.into_iter().filter(|name| changed.contains(name)) {
            let set = self.symbolic(name.as_str(), span, true);
            if let Value::Symbolic(value) = set {
                self.heap.set_attribute(value, Name::new(IS_NONE), Value::Bool(false));
            }
            self.heap.set_attribute(id, name, set);
        }
    }

    /// The attributes of an object that methods of its classes change after construction.
    fn changed_by_methods(&self, object: &Value) -> FxHashSet<Name> {
        let mut changed = FxHashSet::default();
        for class in self.resolution_order(&self.class_of(object)) {
            if let Value::Class(class) = class {
                self.changed_later(class, &mut changed);
            }
        }
        changed
    }

    fn forget_state_of(&mut self, instance: &Value, scope: Scope, span: Span, depth: usize) {
        light_tick();
        let items = match instance {
            Value::List(id) => self.heap.list(*id).map_or(Vec::new(), |data| data.items.clone()),
            Value::Tuple(items) => items.to_vec(),
            _ => Vec::new(),
        };
        for item in items.into_iter().take(MOST_ITEMS) {
            if let Some(depth) = depth.checked_sub(1) {
                self.forget_state_of(&item, scope, span, depth);
            }
        }
        let Value::Instance(id) = *instance else { return };
        self.models.state_is_forgotten(self, id, span);
        let changed = self.changed_by_methods(instance);
        let mut kept: Vec<(Name, Value)> =
            self.heap.object(id).attributes.iter().map(|(name, value)| (name, self.read(value))).collect();
        for name in &changed {
            if !kept.iter().any(|(known, _)| known == name)
                && let Some(value) = self.class_attribute(instance, *name)
            {
                kept.push((*name, value));
            }
        }
        kept.sort_by_key(|(name, _)| name.as_str());
        for (name, value) in kept {
            // An empty container is there to be filled, be it by a derived class or from outside.
            let is_forgotten = self.is_empty_container(&value)
                || changed.contains(&name)
                    && match scope {
                        Scope::All => !self.is_module(&value),
                        Scope::Placeholders => self.is_placeholder(&value),
                    };
            if is_forgotten {
                let unknown = self.symbolic(&format!("self.{name}"), span, true);
                self.heap.set_attribute(id, name, unknown);
            } else if depth > 0 {
                if let (Scope::All, Value::Instance(_), false) = (scope, &value, self.is_module(&value)) {
                    self.forget_unset_attributes(&value, span);
                }
                self.forget_state_of(&value, Scope::Placeholders, span, depth - 1);
            }
        }
    }

    /// A container or tensor without elements.
    pub(crate) fn is_placeholder(&self, value: &Value) -> bool {
        match value {
            Value::Tensor(tensor) => {
                let dims = self.solver.resolve_shape(&tensor.shape).dims();
                dims.is_some_and(|dims| dims.iter().any(|dim| dim.as_const() == Some(0)))
            }
            value => self.is_empty_container(value),
        }
    }

    /// The attributes that methods of a class change after construction.
    fn changed_later(&self, class: ObjectId, changed: &mut FxHashSet<Name>) {
        let Some(data) = self.heap.class(class).cloned() else { return };
        let methods: Vec<&Function> = methods_of(&data.definition.body);
        let mut helpers = FxHashSet::default();
        for constructor in methods.iter().filter(|function| function.name.as_str() == "__init__") {
            let called = calls_on_receiver(constructor);
            helpers.extend(called);
        }
        for function in &methods {
            let is_construction = function.name.as_str() == "__init__" || helpers.contains(&function.name);
            if !is_construction && let Some(receiver) = function.parameters.first() {
                let mut walk = Walk { receiver: receiver.name, changed };
                walk.block(&function.body);
            }
        }
    }
}

fn methods_of(body: &[Stmt]) -> Vec<&Function> {
    body.iter()
        .filter_map(|statement| match &statement.kind {
            StmtKind::Function(function) => Some(&**function),
            _ => None,
        })
        .collect()
}

/// The names of methods that a constructor calls as statements: `self.reset()`.
fn calls_on_receiver(constructor: &Function) -> Vec<Name> {
    let Some(receiver) = constructor.parameters.first().map(|parameter| parameter.name) else { return Vec::new() };
    let mut called = Vec::new();
    for statement in &constructor.body {
        let value = match &statement.kind {
            StmtKind::Expr(value) | StmtKind::Assign { value, .. } => value,
            _ => continue,
        };
        if let ExprKind::Call(call) = &value.kind
            && let Some(name) = attribute_of(&call.function, receiver)
        {
            called.push(name);
        }
    }
    called
}

fn attribute_of(expression: &Expr, receiver: Name) -> Option<Name> {
    match &expression.kind {
        ExprKind::Attribute { value, attribute, .. } => match &value.kind {
            ExprKind::Name(name) if *name == receiver => Some(*attribute),
            _ => None,
        },
        _ => None,
    }
}

struct Walk<'w> {
    receiver: Name,
    changed: &'w mut FxHashSet<Name>,
}

impl Walk<'_> {
    fn block(&mut self, statements: &[Stmt]) {
        for statement in statements {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Stmt) {
        match &statement.kind {
            StmtKind::Assign { targets, .. } => targets.iter().for_each(|target| self.target(target)),
            StmtKind::AnnotatedAssign { target, .. } | StmtKind::AugmentedAssign { target, .. } => self.target(target),
            StmtKind::Delete(targets) => targets.iter().for_each(|target| self.target(target)),
            StmtKind::Expr(value) => self.call(value),
            StmtKind::For { target, .. } => self.target(target),
            _ => {}
        }
        blocks_of(statement).into_iter().for_each(|block| self.block(block));
    }

    /// `self.x = …`, `self.x[i] = …`, also among several targets.
    fn target(&mut self, target: &Expr) {
        match &target.kind {
            ExprKind::Tuple(items) | ExprKind::List(items) => items.iter().for_each(|item| self.target(item)),
            ExprKind::Subscript { value, .. } | ExprKind::Starred(value) => self.target(value),
            _ => self.changed.extend(attribute_of(target, self.receiver)),
        }
    }

    /// `self.x.append(…)`.
    fn call(&mut self, value: &Expr) {
        let ExprKind::Call(call) = &value.kind else { return };
        let ExprKind::Attribute { value: owner, attribute, .. } = &call.function.kind else { return };
        if CHANGES.contains(&attribute.as_str()) {
            self.target(owner);
        }
    }
}
