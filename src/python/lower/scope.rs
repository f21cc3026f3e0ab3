//! Which names a function binds, collected while its body is lowered.

use crate::name::Name;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ScopeKind {
    Module,
    Class,
    Function,
}

pub(super) struct Scope {
    kind: ScopeKind,
    /// What the qualified names of definitions in this scope start with: empty, `Net.` or `outer.<locals>.`.
    prefix: String,
    bound: Vec<Name>,
    globals: Vec<Name>,
    nonlocals: Vec<Name>,
    is_generator: bool,
}

/// What a function's scope turned out to hold; every list sorted and without duplicates.
pub(super) struct FunctionNames {
    pub locals: Vec<Name>,
    pub globals: Vec<Name>,
    pub nonlocals: Vec<Name>,
    pub is_generator: bool,
}

impl Scope {
    pub fn new(kind: ScopeKind, prefix: String) -> Scope {
        Scope { kind, prefix, bound: Vec::new(), globals: Vec::new(), nonlocals: Vec::new(), is_generator: false }
    }

    /// The qualified name of a definition in this scope.
    pub fn qualify(&self, name: &str) -> String {
        let mut qualified = String::with_capacity(self.prefix.len() + name.len());
        qualified.push_str(&self.prefix);
        qualified.push_str(name);
        qualified
    }

    pub fn bind(&mut self, name: Name) {
        // Only a function's names are asked for.
        if self.kind == ScopeKind::Function {
            self.bound.push(name);
        }
    }

    pub fn declare_global(&mut self, name: Name) {
        self.globals.push(name);
    }

    pub fn declare_nonlocal(&mut self, name: Name) {
        self.nonlocals.push(name);
    }

    pub fn mark_generator(&mut self) {
        self.is_generator = true;
    }

    pub fn finish(self) -> FunctionNames {
        let globals = sorted(self.globals);
        let nonlocals = sorted(self.nonlocals);
        let mut locals = sorted(self.bound);
        locals.retain(|name| globals.binary_search(name).is_err() && nonlocals.binary_search(name).is_err());
        FunctionNames { locals, globals, nonlocals, is_generator: self.is_generator }
    }
}

fn sorted(mut names: Vec<Name>) -> Vec<Name> {
    names.sort_unstable();
    names.dedup();
    names
}
