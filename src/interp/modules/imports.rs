//! Executes imports: modules of the project are executed once; everything else is a library.

use std::collections::BTreeSet;
use std::rc::Rc;

use rustc_hash::FxHashSet;

use crate::calls::call::CallArguments;
use crate::evaluate::exceptions::Raised;
use crate::heap::objects::LogMark;
use crate::heap::objects::{ModuleData, Payload};
use crate::loops::loop_ends::never_ends;
use crate::modules::ends::End;
use crate::state::interpreter::{Eval, Flow, Frame, Interpreter, Interrupt};
use crate::values::value::{ObjectId, Value};
use harp_corpus::Span;
use harp_limits::Ceiling;
use harp_python::ir::{ImportFrom, ImportedModule, Range};
use harp_python::name::{Name, name};
use harp_python::project::{ImportTarget, ModuleId};

/// Modules that import modules, nested so deep, are no longer executed.
const DEEPEST_IMPORT: usize = 100;

impl Interpreter<'_> {
    pub(crate) fn running_module(&self) -> Option<ModuleId> {
        let frame = self.frames.last()?;
        match self.heap.payload(frame.globals) {
            Payload::Module(data) => Some(data.module),
            _ => None,
        }
    }

    /// `import a.b` and `import a.b as c`.
    pub fn import_module(&mut self, import: &ImportedModule) -> Eval<()> {
        if self.waits_for_module(import) {
            return Ok(());
        }
        self.check_import(import.module, self.span(import.range))?;
        let value = self.module_named(import.module)?;
        if !matches!(value, Value::Module(_)) {
            self.import_is_removed(import.module, self.span(import.range));
        }
        match import.alias {
            Some(alias) => self.store_name(alias, value),
            None => {
                let first = import.module.as_str().split('.').next().unwrap_or("");
                let name = Name::new(first);
                let value = if first == import.module.as_str() { value } else { self.module_named(name)? };
                self.store_name(name, value);
            }
        }
        Ok(())
    }

    /// A module by its dotted name, seen from the running module.
    pub fn module_named(&mut self, dotted: Name) -> Eval {
        let Some(from) = self.running_module() else { return Ok(Value::Library(dotted)) };
        match self.project.resolve_import(from, dotted) {
            ImportTarget::Module(module) => {
                let object = self.module_imported_as(module, false, Some(dotted))?;
                Ok(Value::Module(object))
            }
            // An installed library goes before a folder of that name without `__init__.py`.
            ImportTarget::Package(_) | ImportTarget::External(_) => {
                let span = self.current_span();
                Ok(self.library_value(dotted, span))
            }
        }
    }

    /// `from a import b`, relative ones included.
    pub fn import_from(&mut self, import: &ImportFrom, range: Range) -> Eval<()> {
        let span = self.span(range);
        let Some(from) = self.running_module() else { return Ok(()) };
        if self.waits(import) {
            return Ok(());
        }
        let dotted = if import.level == 0 {
            import.module
        } else {
            self.project.resolve_relative(from, import.level, import.module)
        };
        let Some(dotted) = dotted else {
            self.not_understood("relative import beyond the top", span);
            for name in &import.names {
                let value = self.symbolic(name.name.as_str(), span, true);
                self.store_name(name.alias.unwrap_or(name.name), value);
            }
            return Ok(());
        };
        if import.level == 0 {
            self.check_import(dotted, span)?;
        }
        let module = self.module_named(dotted)?;
        let is_gone = matches!(module, Value::Library(_)) && self.import_is_removed(dotted, span);
        if import.is_star {
            self.import_star(&module);
            return Ok(());
        }
        for name in &import.names {
            let value = match &module {
                Value::Module(id) => self.imported_name(*id, dotted, name.name, span)?,
                // A folder without `__init__.py` may hold modules of the project.
                Value::Library(library) => {
                    let submodule = Name::new(&format!("{library}.{}", name.name));
                    let value = self.module_named(submodule)?;
                    if !is_gone && !matches!(value, Value::Module(_)) {
                        self.import_is_removed(submodule, span);
                    }
                    value
                }
                _ => self.symbolic(name.name.as_str(), span, true),
            };
            self.store_name(name.alias.unwrap_or(name.name), value);
        }
        Ok(())
    }

    /// What the function `__getattr__` of a module gives for a name that the module does not define (PEP 562).
    pub(crate) fn given_by_module(&mut self, module: ObjectId, name: Name, span: Span) -> Eval<Option<Value>> {
        if name.as_str().starts_with("__") {
            return Ok(None);
        }
        match self.heap.attribute(module, name!("__getattr__")).cloned() {
            Some(method @ Value::Function(_)) => {
                let arguments = CallArguments::positional(vec![Value::str(name.as_str())], span);
                self.call(&method, arguments).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// What stands under a name that a module does not define: what its `__getattr__` gives, and else the module's submodule of that name. A
    /// function that is exported so may have the name of the file that defines it.
    pub(crate) fn given_or_submodule(&mut self, module: ObjectId, name: Name, span: Span) -> Eval<Option<Value>> {
        if !matches!(self.heap.attribute(module, name!("__getattr__")), Some(Value::Function(_))) {
            return self.submodule(module, name);
        }
        self.exceptions.raised = Raised::default();
        self.exceptions.caught += 1;
        let given = self.given_by_module(module, name, span);
        self.exceptions.caught -= 1;
        match given {
            Ok(Some(Value::Function(_) | Value::Class(_) | Value::Instance(_))) => given,
            Ok(given) => Ok(self.submodule(module, name)?.or(given)),
            Err(Interrupt::Raise) => match self.submodule(module, name)? {
                Some(submodule) => {
                    self.exceptions.raised = Raised::default();
                    Ok(Some(submodule))
                }
                None => Err(Interrupt::Raise),
            },
            budget => budget,
        }
    }

    pub(crate) fn imported_name(
        &mut self,
        module: ObjectId,
        dotted: Name,
        name: Name,
        span: harp_corpus::Span,
    ) -> Eval {
        if let Some(value) = self.heap.attribute(module, name) {
            return Ok(value.clone());
        }
        if let Some(value) = self.deferred_name(module, name, span)? {
            return Ok(value);
        }
        if let Some(value) = self.given_or_submodule(module, name, span)? {
            return Ok(value);
        }
        if !self.import_is_missing(module, dotted, name, span) {
            self.not_understood(&format!("`{dotted}.{name}`, which the module does not define"), span);
        }
        Ok(self.symbolic(name.as_str(), span, true))
    }

    fn import_star(&mut self, module: &Value) {
        if let Value::Library(library) = module {
            let annotated = self.library.members(library.as_str()).into_iter().map(Name::new);
            let names: BTreeSet<Name> = annotated.chain(self.project.names_of_sources(library.as_str())).collect();
            for name in names {
                let qualified = self.qualified(*library, name);
                let value = self.library_value(qualified, self.current_span());
                self.store_name(name, value);
            }
            return;
        }
        let Value::Module(id) = module else { return };
        let Payload::Module(data) = self.heap.payload(*id) else { return };
        let exported = self.listed_exports(*id).unwrap_or_else(|| harp_python::exports(self.project, data.module));
        let names: Vec<(Name, Value)> = self
            .heap
            .object(*id)
            .attributes
            .iter()
            .filter(|(name, _)| exported.contains(name))
            .map(|(name, value)| (name, value.clone()))
            .collect();
        for (name, value) in names {
            self.store_name(name, value);
        }
    }

    /// What `__all__` holds: functions that register themselves add to it.
    fn listed_exports(&self, module: ObjectId) -> Option<Vec<Name>> {
        let Value::List(list) = self.heap.attribute(module, name!("__all__"))? else { return None };
        let data = self.heap.list(*list).filter(|data| data.rest.is_none())?;
        data.items.iter().map(|item| item.as_text().map(Name::new)).collect()
    }

    /// A submodule of a package of the project.
    pub fn submodule(&mut self, package: ObjectId, name: Name) -> Eval<Option<Value>> {
        let Payload::Module(data) = self.heap.payload(package) else { return Ok(None) };
        let data = Rc::clone(data);
        let dotted = Name::new(&format!("{}.{name}", data.name));
        match self.project.resolve_import(data.module, dotted) {
            ImportTarget::Module(module) if module != data.module => {
                let object = self.module(module, false)?;
                Ok(Some(Value::Module(object)))
            }
            _ => Ok(None),
        }
    }

    /// A module of the package whose `__init__.py` is running: an import of it, wherever it stands, binds its name in the package.
    pub(crate) fn submodule_of_running_package(&mut self, name: Name) -> Eval<Option<Value>> {
        let Some(globals) = self.frames.last().map(|frame| frame.globals) else { return Ok(None) };
        self.submodule(globals, name)
    }

    /// The namespace of a module, which is executed when it is first asked for. `as_main` executes it as a script.
    pub fn module(&mut self, module: ModuleId, as_main: bool) -> Eval<ObjectId> {
        self.module_imported_as(module, as_main, None)
    }

    /// The same by the name that the first import of it says.
    fn module_imported_as(&mut self, module: ModuleId, as_main: bool, dotted: Option<Name>) -> Eval<ObjectId> {
        if let Some(tree) = self.project.module(module)
            && let Some(broken) = self.caches.broken.get(&tree.file).copied()
        {
            self.not_understood(broken.what(), broken.place(harp_corpus::Span::new(tree.file, 0, 0)));
        }
        // What ran on a way that was given up is undone: then the module has not run yet.
        if let Some(&known) = self.tables.modules.get(&(module, as_main))
            && self.heap.attribute(known, name!("__name__")).is_some()
        {
            // A module that ran by itself before is known by what a program calls it.
            if let Some(dotted) = dotted.filter(|_| self.project.imported_name(module).is_none()) {
                self.heap.set_attribute(known, name!("__name__"), Value::str(dotted.as_str()));
            }
            return Ok(known);
        }
        let project = self.project;
        let Some(tree) = project.module(module) else {
            return Ok(self.heap.allocate(Payload::Plain));
        };
        if self.work.too_large.contains(&(module, as_main)) {
            return Err(self.exhaust(Ceiling::Memory.name()));
        }
        // They may import it themselves.
        if !as_main && self.imports_packages_around(module)? {
            return self.module_imported_as(module, as_main, dotted);
        }
        let begin = self.heap.mark();
        let data = ModuleData { module, name: tree.name };
        let object = self.heap.allocate(Payload::Module(Rc::new(data)));
        // Perhaps in place of the namespace of a way that was given up.
        self.tables.modules.insert((module, as_main), object);
        if as_main {
            self.entry.script = Some(object);
        }
        let name = match project.imported_name(module) {
            _ if as_main => "__main__",
            Some(name) => name,
            None => dotted.map_or(tree.name.as_str(), |dotted| dotted.as_str()),
        };
        self.heap.set_attribute(object, name!("__name__"), Value::str(name));
        let file = self.corpus.known_path(tree.file);
        self.heap.set_attribute(object, name!("__file__"), Value::Str(file.map(Rc::from)));
        self.heap.set_attribute(object, name!("__doc__"), Value::Str(None));
        if self.frames.len() >= DEEPEST_IMPORT {
            self.not_understood("imports nested too deeply", harp_corpus::Span::new(tree.file, 0, 0));
            return Ok(object);
        }
        self.calls.count += 1;
        let frame = Frame {
            number: self.calls.count,
            locals: object,
            globals: object,
            enclosing: Rc::from([]),
            function: None,
            class: None,
            receiver: None,
            recursive_calls: 0,
            file: tree.file,
            base: self.heap.mark(),
            pending_base: self.pending.len(),
            path_base: self.path.len(),
            letters: Default::default(),
            block: None,
            at: None,
            yields: Vec::new(),
            yields_repeat: false,
            yields_under: Vec::new(),
            around: None,
            stepping: None,
            is_class_body: false,
        };
        let run = match self.corpus.is_foreign(tree.file) {
            true => {
                self.execute_foreign(frame, &tree.body);
                Ok(())
            }
            false => self.execute_module(frame, &tree.body),
        };
        if !self.frames.is_empty() {
            self.note_import(begin);
        }
        run?;
        Ok(object)
    }

    /// Notes that a module ran since `begin`; those that ran within it are part of that.
    fn note_import(&mut self, begin: LogMark) {
        while self.entry.imports_of_script.last().is_some_and(|(inner, _)| begin <= *inner) {
            self.entry.imports_of_script.pop();
        }
        self.entry.imports_of_script.push((begin, self.heap.mark()));
    }

    /// Modules of libraries that ran within these imports run again where they are imported next.
    pub(crate) fn run_sources_again(&mut self, imports: &FxHashSet<(LogMark, LogMark)>) {
        if imports.is_empty() {
            return;
        }
        let is_within =
            |id: ObjectId| imports.iter().any(|(begin, end)| (begin.objects..end.objects).contains(&(id.0 as usize)));
        let known: Vec<(ModuleId, bool)> = self.tables.modules.keys_since(0).copied().collect();
        for key in known {
            let is_foreign = self.project.module(key.0).is_some_and(|tree| self.corpus.is_foreign(tree.file));
            if is_foreign && self.tables.modules.get(&key).is_some_and(|id| is_within(*id)) {
                self.tables.modules.remove(&key);
            }
        }
    }

    /// Imports the packages around a module before it, as Python does; whether one of them has not run before. Each may import the module, and
    /// what it asks of those around itself is there then.
    pub(crate) fn imports_packages_around(&mut self, module: ModuleId) -> Eval<bool> {
        let mut is_new = false;
        for package in self.project.packages_around(module) {
            let known = self.tables.modules.get(&(package, false)).copied();
            if known.is_none_or(|known| self.heap.attribute(known, name!("__name__")).is_none()) {
                self.module(package, false)?;
                is_new = true;
            }
        }
        Ok(is_new)
    }

    /// Executes a module's statements; one that raises does not end the module.
    pub(crate) fn execute_module(&mut self, frame: Frame, body: &[harp_python::ir::Stmt]) -> Eval<()> {
        let path_base = self.path.len();
        let iterations = std::mem::take(&mut self.loops.iterations);
        // What an import decided is not on the way of what comes after it.
        let importing = (!self.frames.is_empty()).then(|| self.route.clone());
        self.entry.executed_files.insert(frame.file);
        let file = self.corpus.file(frame.file);
        self.frames.push(frame);
        let mut result = Ok(());
        let (was_behind_end, was_after_exit) = (self.entry.is_behind_end, self.entry.is_after_exit);
        let mut has_exited = false;
        // Who runs a notebook goes on with the next cell.
        let mut cell = None;
        for statement in body {
            let next_cell = file.and_then(|file| file.cell_at(statement.range.start));
            if next_cell != cell {
                (cell, self.entry.is_behind_end, self.entry.is_after_exit) =
                    (next_cell, was_behind_end, was_after_exit);
            }
            self.coverage.begin_statement(self.entry.issues_met);
            match self.execute_block(std::slice::from_ref(statement)) {
                // A run with other options is after what fails with them, and not after what would come without.
                Ok(Flow::Raise) | Err(Interrupt::Raise) if self.entry.defaults.others.has_given() => {
                    self.note_end_of_run();
                    break;
                }
                Ok(Flow::Normal) if cell.is_none() && never_ends(statement) => break,
                Ok(Flow::Normal) => {}
                Ok(Flow::Raise) | Err(Interrupt::Raise) => {
                    self.entry.is_behind_end = true;
                    has_exited |= cell.is_none() && self.exits();
                    let end = self.end_of_module(statement);
                    if cell.is_none() && importing.is_none() {
                        self.not_run_behind_end();
                    }
                    self.entry.is_after_exit |= end == End::OfModule || end == End::OfScript && importing.is_none();
                    // Nobody gets what stands below: no script, and no import.
                    if cell.is_none() && end == End::OfModule {
                        break;
                    }
                }
                Ok(_) => break,
                Err(budget) => {
                    result = Err(budget);
                    break;
                }
            }
        }
        self.frames.pop();
        self.entry.is_behind_end = was_behind_end || has_exited;
        // Who imports the module may do so on some of its ways alone, or be prepared for its end.
        self.entry.is_after_exit = was_after_exit;
        self.loops.iterations = iterations;
        self.path.truncate(path_base);
        if let Some(route) = importing {
            self.route = route;
        }
        result
    }
}
