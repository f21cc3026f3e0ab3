//! Which variable in the graph's rows a name of the program means.

use rustc_hash::FxHashSet;

use crate::host::{FunctionId, Host, VariableId, VariableNode};
use harp_python::ir::Function;
use harp_python::name::Name;

/// The scopes around the code being read, the module's first.
#[derive(Default)]
pub struct Scopes<'a> {
    stack: Vec<Scope<'a>>,
    /// Names that comprehensions and lambdas bind around the expression being read.
    bound: Vec<Name>,
}

struct Scope<'a> {
    id: FunctionId,
    kind: ScopeKind<'a>,
}

enum ScopeKind<'a> {
    Module,
    /// The names that its body has assigned so far.
    Class(FxHashSet<Name>),
    Function(&'a Function),
}

impl<'a> Scopes<'a> {
    pub fn module(id: FunctionId) -> Self {
        Scopes { stack: vec![Scope { id, kind: ScopeKind::Module }], bound: Vec::new() }
    }

    pub fn enter_function(&mut self, id: FunctionId, function: &'a Function) {
        self.stack.push(Scope { id, kind: ScopeKind::Function(function) });
    }

    pub fn enter_class(&mut self, id: FunctionId) {
        self.stack.push(Scope { id, kind: ScopeKind::Class(FxHashSet::default()) });
    }

    pub fn leave(&mut self) {
        self.stack.pop();
    }

    /// The function whose code is being read.
    pub fn current(&self) -> FunctionId {
        self.stack.last().map_or(FunctionId(0), |scope| scope.id)
    }

    /// Binds names for the expression inside a comprehension or lambda; [`Scopes::unbind`] takes back as many.
    pub fn bind(&mut self, name: Name) {
        self.bound.push(name);
    }

    pub fn bound_count(&self) -> usize {
        self.bound.len()
    }

    pub fn unbind(&mut self, count: usize) {
        self.bound.truncate(count);
    }

    pub fn is_bound(&self, name: Name) -> bool {
        self.bound.contains(&name)
    }

    /// The variable that an assignment of the name in the code being read means.
    pub fn assign(&mut self, host: &mut Host, name: Name) -> VariableId {
        if let Some(Scope { kind: ScopeKind::Class(names), .. }) = self.stack.last_mut() {
            names.insert(name);
        }
        self.resolve(host, name)
    }

    /// The variable that the name means in the code being read.
    pub fn resolve(&self, host: &mut Host, name: Name) -> VariableId {
        let scope = self.owner(name);
        host.variable_id(VariableNode { scope, root: name, path: None })
    }

    /// Whether the name is a module's, or one of Python's own.
    pub fn is_global(&self, name: Name) -> bool {
        self.stack.first().is_some_and(|module| module.id == self.owner(name))
    }

    fn owner(&self, name: Name) -> FunctionId {
        let innermost = self.stack.len().saturating_sub(1);
        for (depth, scope) in self.stack.iter().enumerate().rev() {
            match &scope.kind {
                ScopeKind::Function(function) if function.is_local(name) => return scope.id,
                ScopeKind::Function(function) if function.globals.contains(&name) => break,
                // A class's names are seen by the statements of its body alone.
                ScopeKind::Class(names) if depth == innermost && names.contains(&name) => return scope.id,
                ScopeKind::Function(_) | ScopeKind::Class(_) | ScopeKind::Module => {}
            }
        }
        self.stack.first().map_or(FunctionId(0), |scope| scope.id)
    }
}
