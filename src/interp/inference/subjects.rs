//! Which functions there are to infer signatures of.

use std::rc::Rc;
use std::sync::Arc;

use crate::calls::call::CallArguments;
use crate::state::interpreter::{Eval, Interpreter};
use crate::values::value::{Closure, FunctionKind, ObjectId, Value};
use harp_annotations::ParameterKind as Kind;
use harp_corpus::Span;
use harp_python::ir::{Class, Function, Stmt, StmtKind};
use harp_python::name::Name;
use harp_python::project::ModuleId;

/// So many decorators are looked behind.
const MOST_DECORATORS: usize = 8;

/// A function or method of the project.
pub(super) struct Subject {
    /// Dotted, from the module down.
    pub name: String,
    pub function: Arc<Function>,
    /// `None` where the name stands for something else when the program runs.
    pub closure: Option<Rc<Closure>>,
    /// What a decorator made of it that says which function it stands for (`functools.wraps`).
    pub decorated: Option<Value>,
    /// The class whose instance is its receiver.
    pub class: Option<ObjectId>,
    /// Whether its file imports a library of arrays.
    pub takes_arrays: bool,
}

/// A method, its closure, and what stands for it where decorators wrap it.
type Method = (Arc<Function>, Option<Rc<Closure>>, Option<Value>);

impl Interpreter<'_> {
    /// The functions at the top of modules, and the methods of the classes there.
    pub(super) fn subjects(&mut self) -> Vec<Subject> {
        let project = self.project;
        let mut subjects = Vec::new();
        for index in 0..project.modules.len() {
            let module = ModuleId(index as u32);
            let tree = project.module(module).filter(|tree| !self.corpus.is_imported(tree.file));
            let Some(tree) = tree else { continue };
            let Some(&namespace) = self.tables.modules.get(&(module, false)) else { continue };
            let takes_arrays = self.imports_arrays(namespace);
            let mut definitions = Definitions::default();
            definitions.block(&tree.body);
            let named = |name: &str| match tree.name.as_str() {
                "" => name.to_owned(),
                module => format!("{module}.{name}"),
            };
            for function in definitions.functions {
                let (closure, decorated) = self.function_behind(namespace, function);
                let name = named(function.qualified_name.as_str());
                let function = Arc::clone(function);
                subjects.push(Subject { name, function, closure, decorated, class: None, takes_arrays });
            }
            for class in definitions.classes {
                let id = match self.heap.attribute(namespace, class.name) {
                    Some(Value::Class(id))
                        if self.heap.class(*id).is_some_and(|data| Arc::ptr_eq(&data.definition, class)) =>
                    {
                        *id
                    }
                    _ => continue,
                };
                subjects.extend(self.methods(class, id).into_iter().map(|(function, closure, decorated)| Subject {
                    name: named(function.qualified_name.as_str()),
                    function,
                    closure,
                    decorated,
                    class: Some(id),
                    takes_arrays,
                }));
            }
        }
        subjects
    }

    /// The function that a name stands for, where it is this one; and what a decorator made of it.
    fn function_behind(&self, owner: ObjectId, function: &Arc<Function>) -> (Option<Rc<Closure>>, Option<Value>) {
        let Some(named @ Value::Function(outermost)) = self.heap.attribute(owner, function.name) else {
            return (None, None);
        };
        let mut closure = outermost;
        for _ in 0..MOST_DECORATORS {
            if Arc::ptr_eq(&closure.function, function) {
                let decorated = (!Rc::ptr_eq(closure, outermost)).then(|| named.clone());
                return (Some(Rc::clone(closure)), decorated);
            }
            let Some(Value::Function(wrapped)) = &closure.wrapped else { break };
            closure = wrapped;
        }
        (None, None)
    }

    fn methods(&self, class: &Class, id: ObjectId) -> Vec<Method> {
        let mut definitions = Definitions::default();
        definitions.block(&class.body);
        let is_wanted = |name: &str| !name.starts_with("__") || matches!(name, "__call__" | "__getitem__");
        let methods = definitions.functions.into_iter().filter(|function| is_wanted(function.name.as_str()));
        methods
            .map(|function| {
                let (closure, decorated) = self.function_behind(id, function);
                (Arc::clone(function), closure, decorated)
            })
            .collect()
    }

    fn imports_arrays(&self, namespace: ObjectId) -> bool {
        self.heap.object(namespace).attributes.iter().any(|(_, value)| match value {
            Value::Library(name) => {
                let first = name.as_str().split('.').next().unwrap_or("");
                self.library.is_of_tensors(first)
            }
            _ => false,
        })
    }

    /// Arguments for the constructor that a class inherits from a library: those that have no default are numbers.
    fn arguments_of_library_base(&mut self, class: ObjectId, span: Span) -> CallArguments {
        let mut arguments = CallArguments::empty(span);
        let library = self.library;
        let bases = self.library_bases(&Value::Class(class), None);
        let Some(spec) = bases.first().and_then(|base| library.class(base.as_str())) else { return arguments };
        for parameter in &spec.constructor.parameters {
            let is_plain = matches!(parameter.kind, Kind::PositionalOrKeyword | Kind::PositionalOnly);
            if parameter.default.is_some() || !is_plain {
                continue;
            }
            let name = Name::new(&parameter.name);
            let dim = self.free_dim(&parameter.name, 1);
            self.name_dim(dim, name);
            arguments.keywords.push((name, Value::Int(dim)));
            arguments.keyword_spans.push(None);
        }
        arguments
    }

    fn set_constructs(&mut self, constructs: bool) {
        if let Some(run) = &mut self.inference {
            run.constructs = constructs;
        }
    }

    /// An instance of a class whose constructor gets symbolic arguments, as the receiver of a method.
    pub(super) fn symbolic_receiver(&mut self, class: ObjectId, closure: &Rc<Closure>) -> Eval<Option<Value>> {
        match closure.kind {
            FunctionKind::Static => return Ok(None),
            FunctionKind::ClassMethod => return Ok(Some(Value::Class(class))),
            FunctionKind::Plain | FunctionKind::Property | FunctionKind::CachedProperty => {}
        }
        let span = closure.function.name_range.in_file(closure.function.file);
        let arguments = match self.member_of(&Value::Class(class), Name::new("__init__"), None) {
            Some(Value::Function(constructor)) => {
                let mut arguments = self.symbolic_arguments(&constructor, Some(Value::None), span);
                if !arguments.positional.is_empty() {
                    arguments.positional.remove(0);
                    arguments.positional_spans.remove(0);
                }
                arguments
            }
            _ => self.arguments_of_library_base(class, span),
        };
        self.set_constructs(true);
        let instance = self.instantiate(class, arguments);
        self.set_constructs(false);
        let instance = instance?;
        self.forget_later_state(&instance, closure.function.name.as_str(), span);
        Ok(Some(instance))
    }
}

/// The definitions at the top of a block, also under its conditions.
#[derive(Default)]
struct Definitions<'a> {
    functions: Vec<&'a Arc<Function>>,
    classes: Vec<&'a Arc<Class>>,
}

impl<'a> Definitions<'a> {
    fn block(&mut self, body: &'a [Stmt]) {
        for statement in body {
            match &statement.kind {
                StmtKind::Function(function) => self.functions.push(function),
                StmtKind::Class(class) => self.classes.push(class),
                StmtKind::If { body, orelse, .. } => {
                    self.block(body);
                    self.block(orelse);
                }
                StmtKind::Try { body, handlers, orelse, .. } => {
                    self.block(body);
                    handlers.iter().for_each(|handler| self.block(&handler.body));
                    self.block(orelse);
                }
                StmtKind::With { body, .. } => self.block(body),
                _ => {}
            }
        }
    }
}
