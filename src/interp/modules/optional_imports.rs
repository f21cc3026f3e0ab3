//! Executes imports of packages that may or may not be installed: where a program provides for both, both ways are
//! followed.

use std::rc::Rc;

use crate::paths::branch::Arm;
use crate::state::interpreter::{Eval, Interpreter, Speculation};
use crate::values::value::{DecisionId, Guard, Literal, Value};
use harp_corpus::Span;
use harp_python::ir::{Expr, ExprKind, Handler, Stmt, StmtKind};
use harp_python::is_standard_library;
use harp_python::name::Name;
use harp_python::project::{ImportTarget, ModuleId};
use harp_trace::assumption::{AssumptionKind, words};

/// Modules that no Python 3 has.
const OF_PYTHON_2: [&str; 12] = [
    "ConfigParser",
    "HTMLParser",
    "Queue",
    "StringIO",
    "__builtin__",
    "cPickle",
    "cStringIO",
    "commands",
    "copy_reg",
    "httplib",
    "urllib2",
    "urlparse",
];
/// Of more packages in one `try`, all are installed or the first is missing.
const MOST_PACKAGES: usize = 3;
/// What tells that something is an import that failed, or any failure.
const CATCHES: [&str; 4] = ["ImportError", "ModuleNotFoundError", "Exception", "BaseException"];
/// What is found of an installed package.
const SPECIFICATION: &str = "importlib.machinery.ModuleSpec";

/// What is known of a package.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Presence {
    Installed,
    Missing,
    Open(Name),
}

impl Interpreter<'_> {
    /// Whether a module can be imported; where that is open, by the package that decides it.
    fn presence(&self, dotted: Name) -> Presence {
        let Some(from) = self.running_module() else { return Presence::Installed };
        let top_level = dotted.as_str().split('.').next().unwrap_or_default();
        if OF_PYTHON_2.contains(&top_level) && self.inference.is_none() {
            let is_own = !matches!(self.project.resolve_import(from, dotted), ImportTarget::External(_));
            return if is_own { Presence::Installed } else { Presence::Missing };
        }
        let is_there = || is_standard_library(top_level) || self.library.is_installed(top_level);
        if self.inference.is_some() || is_there() || self.is_imported_anyway(from, top_level) {
            return Presence::Installed;
        }
        match self.project.resolve_import(from, dotted) {
            ImportTarget::External(_) | ImportTarget::Package(_) if self.is_below_file(from, dotted) => {
                Presence::Missing
            }
            ImportTarget::External(_) => {
                let is_own_package =
                    !matches!(self.project.resolve_import(from, Name::new(top_level)), ImportTarget::External(_));
                Presence::Open(if is_own_package { dotted } else { Name::new(top_level) })
            }
            _ => Presence::Installed,
        }
    }

    /// Whether a module imports a library of tensors in a statement of its own, so that nothing else of it runs where the library is missing.
    fn is_imported_anyway(&self, from: ModuleId, package: &str) -> bool {
        let is_of = |module: &str| module.split('.').next() == Some(package);
        let imports = |statement: &Stmt| imported(statement).iter().any(|dotted| is_of(dotted.as_str()));
        self.library.is_of_tensors(package)
            && self.project.module(from).is_some_and(|tree| tree.body.iter().any(imports))
    }

    /// Whether a name is that of a module of the program that is no package, and of something in it.
    fn is_below_file(&self, from: ModuleId, dotted: Name) -> bool {
        let Some((parent, _)) = dotted.as_str().rsplit_once('.') else { return false };
        match self.project.resolve_import(from, Name::new(parent)) {
            ImportTarget::Module(module) => self.project.module(module).is_some_and(|tree| !tree.is_package),
            _ => false,
        }
    }

    fn decision_on(&mut self, package: Name) -> DecisionId {
        if let Some(known) = self.tables.installed.get(&package) {
            return *known;
        }
        let decision = self.new_decision(&format!("`{package}` is installed"), None);
        self.tables.installed.insert(package, decision);
        decision
    }

    /// What the path says of a package.
    fn says_installed(&self, package: Name) -> Option<bool> {
        let decision = self.tables.installed.get(&package)?;
        self.path.way_of(*decision)
    }

    /// An import of what the path says is missing, or what no Python has, raises.
    pub(crate) fn check_import(&mut self, dotted: Name, span: Span) -> Eval<()> {
        let is_missing = match self.presence(dotted) {
            Presence::Installed => false,
            Presence::Missing => self.exceptions.caught > 0,
            Presence::Open(package) => self.says_installed(package) == Some(false),
        };
        if is_missing {
            let message = format!("No module named '{dotted}'");
            return Err(self.raise("ModuleNotFoundError", &message, span));
        }
        Ok(())
    }

    /// Whether a program of tensors has surely imported a module.
    pub(crate) fn surely_imported(&self, name: &str) -> bool {
        let usual = self.families().usual().class();
        matches!(name, "builtins" | "sys") || usual.split('.').next() == Some(name)
    }

    /// The ways through a `try` that imports what may be missing and takes the failure.
    pub(crate) fn ways_of_imports(&mut self, body: &[Stmt], handlers: &[Handler]) -> Option<(Vec<Arm>, Span)> {
        if !handlers.iter().any(|handler| takes_failed_imports(handler.exception.as_ref())) {
            return None;
        }
        let mut packages: Vec<Name> = Vec::new();
        let mut place = None;
        for statement in body {
            for dotted in imported(statement) {
                if let Presence::Open(package) = self.presence(dotted)
                    && self.says_installed(package).is_none()
                    && !packages.contains(&package)
                {
                    packages.push(package);
                    place.get_or_insert(self.span(statement.range));
                }
            }
        }
        let place = place?;
        let decisions: Vec<DecisionId> = packages.into_iter().map(|package| self.decision_on(package)).collect();
        let all = decisions.iter().map(|&decision| Literal { decision, taken: true }).collect();
        let mut arms = vec![Arm { literals: all, constraint: None }];
        let last = if decisions.len() > MOST_PACKAGES { 1 } else { decisions.len() };
        for missing in 0..last {
            let literal = |(index, &decision): (usize, &DecisionId)| Literal { decision, taken: index < missing };
            let literals = decisions.iter().enumerate().take(missing + 1).map(literal).collect();
            arms.push(Arm { literals, constraint: None });
        }
        Some((arms, place))
    }

    /// The class from which one derives that derives from one of several: the first, as where a package is installed.
    pub(crate) fn base_of_choice(&mut self, base: &Value, place: Span) -> Value {
        let base = self.read(base);
        let Value::Alternatives(alternatives) = &base else { return base };
        let Some((guard, first)) = alternatives.first() else { return base };
        let conditions: Vec<String> = guard.iter().map(|literal| self.condition(literal)).collect();
        let subject = self.source_text(place).to_owned();
        let evidence = format!("a class derives from `{subject}`");
        let text = words::installed_package(conditions.join(" and "));
        let _ = self.speculate(AssumptionKind::Installed, &subject, text, evidence, place);
        first.clone()
    }

    /// The version of Python that the program asks for.
    pub(crate) fn version_of_python(&mut self, span: Span) -> Value {
        let text = words::python_version_version("3.12");
        let evidence = "the program asks for it".to_owned();
        match self.speculate(AssumptionKind::PythonVersion, "sys.version_info", text, evidence, span) {
            Speculation::Denied => self.symbolic("sys.version_info", span, true),
            _ => {
                let parts = [Value::int(3), Value::int(12), Value::int(0), Value::str("final"), Value::int(0)];
                Value::tuple(parts.to_vec())
            }
        }
    }

    /// `importlib.util.find_spec(name)`: something, or `None`.
    pub(crate) fn specification_of(&mut self, name: Name) -> Value {
        let found = Value::library(SPECIFICATION);
        let package = match self.presence(name) {
            Presence::Installed => return found,
            Presence::Missing => return Value::None,
            Presence::Open(package) => package,
        };
        match self.says_installed(package) {
            Some(true) => found,
            Some(false) => Value::None,
            None => {
                let decision = self.decision_on(package);
                let guard = |taken: bool| -> Guard { Rc::from([Literal { decision, taken }]) };
                self.join(vec![(guard(true), found), (guard(false), Value::None)])
            }
        }
    }
}

/// The modules that a statement imports.
fn imported(statement: &Stmt) -> Vec<Name> {
    match &statement.kind {
        StmtKind::Import(modules) => modules.iter().map(|module| module.module).collect(),
        StmtKind::ImportFrom(import) if import.level == 0 => import.module.into_iter().collect(),
        _ => Vec::new(),
    }
}

fn takes_failed_imports(exception: Option<&Expr>) -> bool {
    let Some(exception) = exception else { return true };
    match &exception.kind {
        ExprKind::Tuple(items) => items.iter().any(|item| takes_failed_imports(Some(item))),
        _ => exception.last_name().is_some_and(|name| CATCHES.contains(&name.as_str())),
    }
}
