//! Executes imports of installed packages late, when a name of theirs is asked for.

use std::rc::Rc;

use crate::heap::objects::Payload;
use crate::state::interpreter::{Eval, Interpreter};
use crate::values::value::{ObjectId, Value};
use harp_corpus::Span;
use harp_python::ir::{ImportFrom, ImportedModule, Stmt};
use harp_python::name::Name;
use harp_python::{DeferredImports, ModuleId, stated_imports};

/// Packages whose names are those of other packages are followed so deep.
const DEEPEST_PACKAGE: usize = 8;

impl Interpreter<'_> {
    /// Whether an import at the top level of an installed module waits.
    pub(crate) fn waits(&mut self, import: &ImportFrom) -> bool {
        let mut bound = import.names.iter().map(|name| name.alias.unwrap_or(name.name));
        let Some(deferred) = self.deferred_of_running_module() else { return false };
        !import.is_star && bound.all(|name| deferred.names.contains_key(&name))
    }

    /// The same of `import a.b`.
    pub(crate) fn waits_for_module(&mut self, import: &ImportedModule) -> bool {
        let first = import.module.as_str().split('.').next().unwrap_or_default();
        let bound = import.alias.unwrap_or_else(|| Name::new(first));
        self.deferred_of_running_module().is_some_and(|deferred| deferred.names.contains_key(&bound))
    }

    /// Whether a statement of an installed module replaces the module by one that imports on demand.
    pub(crate) fn replaces_running_module(&self, statement: &Stmt) -> bool {
        let is_top_level =
            self.frames.last().is_some_and(|frame| frame.function.is_none() && self.corpus.is_foreign(frame.file));
        is_top_level && stated_imports(statement).is_some()
    }

    fn deferred_of_running_module(&mut self) -> Option<Rc<DeferredImports>> {
        let frame = self.frames.last()?;
        if !self.corpus.is_foreign(frame.file) || frame.function.is_some() || frame.is_class_body {
            return None;
        }
        let module = self.running_module()?;
        Some(self.deferred_imports(module))
    }

    fn deferred_imports(&mut self, module: ModuleId) -> Rc<DeferredImports> {
        if let Some(known) = self.caches.deferred.get(&module) {
            return Rc::clone(known);
        }
        let found = Rc::new(self.project.deferred_imports(module));
        self.caches.deferred.insert(module, Rc::clone(&found));
        found
    }

    /// A name of an installed module that an import binds which waited until now.
    pub(crate) fn deferred_name(&mut self, object: ObjectId, name: Name, span: Span) -> Eval<Option<Value>> {
        let Payload::Module(data) = self.heap.payload(object) else { return Ok(None) };
        let module = data.module;
        let is_foreign = self.project.module(module).is_some_and(|module| self.corpus.is_foreign(module.file));
        if !is_foreign || self.caches.resolving.contains(&(module, name)) {
            return Ok(None);
        }
        let deferred = self.deferred_imports(module);
        if deferred.is_empty() {
            return Ok(None);
        }
        self.caches.resolving.push((module, name));
        let found = self.resolve_deferred(&deferred, name, span);
        self.caches.resolving.pop();
        let found = found?;
        if let Some(value) = &found {
            self.heap.set_attribute(object, name, value.clone());
        }
        Ok(found)
    }

    fn resolve_deferred(&mut self, deferred: &DeferredImports, name: Name, span: Span) -> Eval<Option<Value>> {
        if let Some(wanted) = deferred.names.get(&name) {
            let module = self.module_of_environment(wanted.module, span)?;
            return match (wanted.name, &module) {
                (None, _) => Ok(Some(module)),
                (Some(inner), Value::Module(id)) => self.imported_name(*id, wanted.module, inner, span).map(Some),
                (Some(inner), Value::Library(library)) => {
                    Ok(Some(self.library_value(self.qualified(*library, inner), span)))
                }
                _ => Ok(None),
            };
        }
        // What every module has, and what no import of everything brings, need not be looked for.
        if name.as_str().starts_with('_') || crate::values::builtin_names::lookup(name).is_some() {
            return Ok(None);
        }
        for star in deferred.stars_for(name) {
            if self.gives(star, name, 0)
                && let Value::Module(id) = self.module_of_environment(star, span)?
            {
                return self.imported_name(id, star, name, span).map(Some);
            }
        }
        Ok(None)
    }

    fn module_of_environment(&mut self, dotted: Name, span: Span) -> Eval {
        match self.project.foreign_module(dotted.as_str()) {
            Some(module) => Ok(Value::Module(self.module(module, false)?)),
            None => Ok(self.library_value(dotted, span)),
        }
    }

    /// Whether `from module import *` brings a name, as far as can be told without executing the module.
    fn gives(&mut self, dotted: Name, name: Name, depth: usize) -> bool {
        let Some(module) = self.project.foreign_module(dotted.as_str()) else { return false };
        let deferred = self.deferred_imports(module);
        if deferred.stars.is_empty() {
            return self.project.foreign_mentions(dotted.as_str(), name.as_str())
                && harp_python::exports(self.project, module).contains(&name);
        }
        let is_named = deferred.names.contains_key(&name);
        is_named
            || depth < DEEPEST_PACKAGE
                && deferred.stars_for(name).into_iter().any(|star| self.gives(star, name, depth + 1))
    }
}
