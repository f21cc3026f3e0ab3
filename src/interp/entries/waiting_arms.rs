//! Arms that wait for an option or for a variable of the environment, and were executed in no run. A name that is computed
//! from one stands for it, also behind an assignment, an argument or a `return`.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::entries::execution_coverage::Coverage;
use crate::entries::option_uses::{blocks_of, expressions_of};
use crate::evaluate::statements::stops;
use crate::loops::asks_iteration_number::children;
use harp_corpus::FileId;
use harp_python::ir::{ArgumentKind, BinaryOperator, CompareOperator, Expr, ExprKind, Function, Stmt, StmtKind};
use harp_python::name::Name;

/// A longer text names no option.
const LONGEST_NAME: usize = 60;
/// What a value is still the option's behind: conversions, and methods of texts.
const CONVERSIONS: [&str; 14] = [
    "int",
    "float",
    "bool",
    "str",
    "len",
    "strtobool",
    "str2bool",
    "lower",
    "upper",
    "strip",
    "casefold",
    "split",
    "startswith",
    "endswith",
];
/// What reads a value by its name.
const LOOKUPS: [&str; 5] = ["get", "getenv", "getattr", "pop", "setdefault"];

/// What the files of an entry have: where values go by name, and which names arms wait for that did not run.
#[derive(Default)]
pub(crate) struct WaitingArms {
    /// From a name to those that are computed from it.
    flows: FxHashMap<Name, Vec<Name>>,
    /// The names in the test of each arm that did not run.
    tests: Vec<Vec<Name>>,
}

impl WaitingArms {
    /// Reads files with the arms that ran.
    pub(crate) fn of(files: &[(FileId, &[Stmt])], coverage: &Coverage) -> WaitingArms {
        let mut arms = WaitingArms::default();
        for (file, body) in files {
            every_block(body, &mut |block| {
                for (index, statement) in block.iter().enumerate() {
                    arms.tests.extend(names_waited_for(statement, &block[index + 1..], *file, coverage));
                }
            });
        }
        if arms.tests.is_empty() {
            return arms;
        }
        let mut functions = FxHashMap::default();
        for (_, body) in files {
            every_statement(body, &mut |statement| parameters_by_name(statement, &mut functions));
        }
        for (_, body) in files {
            every_statement(body, &mut |statement| arms.note_flows(statement, &functions));
        }
        arms
    }

    /// Whether one of the arms asks for an option.
    pub(crate) fn ask_for(&self, option: Name) -> bool {
        if self.tests.is_empty() {
            return false;
        }
        let (mut names, mut waiting) = (FxHashSet::from_iter([option]), vec![option]);
        while let Some(name) = waiting.pop() {
            let next = self.flows.get(&name).into_iter().flatten();
            waiting.extend(next.filter(|next| names.insert(**next)));
        }
        self.tests.iter().flatten().any(|name| names.contains(name))
    }

    fn note_flows(&mut self, statement: &Stmt, functions: &FxHashMap<Name, Vec<Name>>) {
        match &statement.kind {
            StmtKind::Assign { targets, value } => {
                targets.iter().for_each(|target| self.note_flow(value, target_names(target)));
            }
            StmtKind::AnnotatedAssign { target, value: Some(value), .. } => {
                self.note_flow(value, target_names(target));
            }
            StmtKind::Function(function) => {
                for statement in &function.body {
                    self.note_returns(statement, function.name);
                }
            }
            _ => {}
        }
        let tested = tests_of(statement);
        for expression in expressions_of(statement).into_iter().chain(tested) {
            self.note_arguments(expression, functions);
        }
    }

    fn note_flow(&mut self, value: &Expr, targets: Vec<Name>) {
        for source in sources_of(value) {
            self.flows.entry(source).or_default().extend(targets.iter().filter(|target| **target != source));
        }
    }

    fn note_returns(&mut self, statement: &Stmt, function: Name) {
        if let StmtKind::Return(Some(value)) = &statement.kind {
            self.note_flow(value, vec![function]);
        }
        if !matches!(statement.kind, StmtKind::Function(_) | StmtKind::Class(_)) {
            blocks_of(statement).into_iter().flatten().for_each(|inner| self.note_returns(inner, function));
        }
    }

    /// What calls hand on becomes what the parameters of functions of these names hold.
    fn note_arguments(&mut self, expression: &Expr, functions: &FxHashMap<Name, Vec<Name>>) {
        let mut waiting = vec![expression];
        while let Some(expression) = waiting.pop() {
            waiting.extend(children(expression));
            if let ExprKind::Dict(entries) = &expression.kind {
                for (key, value) in entries {
                    self.note_flow(value, key.as_ref().and_then(text_as_name).into_iter().collect());
                }
            }
            let ExprKind::Call(call) = &expression.kind else { continue };
            let parameters = call.function.last_name().and_then(|name| functions.get(&name));
            let mut positions = parameters.into_iter().flatten();
            for argument in &call.arguments {
                let name = match argument.kind {
                    ArgumentKind::Keyword(name) => Some(name),
                    ArgumentKind::Positional => positions.next().copied(),
                    _ => None,
                };
                if let Some(name) = name {
                    self.note_flow(&argument.value, vec![name]);
                }
            }
        }
    }
}

/// Calls `visit` with a body and each block in it.
fn every_block<'a>(body: &'a [Stmt], visit: &mut impl FnMut(&'a [Stmt])) {
    let mut blocks = vec![body];
    while let Some(block) = blocks.pop() {
        visit(block);
        blocks.extend(block.iter().flat_map(blocks_of));
    }
}

/// Calls `visit` with each statement of a body, whatever it stands in.
fn every_statement<'a>(body: &'a [Stmt], visit: &mut impl FnMut(&'a Stmt)) {
    every_block(body, &mut |block| block.iter().for_each(&mut *visit));
}

/// The names that arms of a statement wait for which did not run, though the statement was reached. Where the other arm
/// leaves, the rest of the block belongs to the arm.
fn names_waited_for(statement: &Stmt, rest: &[Stmt], file: FileId, coverage: &Coverage) -> Vec<Vec<Name>> {
    let (test, arms) = match &statement.kind {
        StmtKind::If { test, body, orelse } | StmtKind::While { test, body, orelse } => (test, [body, orelse]),
        StmtKind::For { iterable, body, orelse, .. } => (iterable, [body, orelse]),
        StmtKind::Match { subject, cases } => {
            // Behind the case that fits none is asked for.
            let ran = |range| coverage.ran(file, range, true);
            let is_reached = cases.first().is_some_and(|case| ran(case.range) || coverage.ran(file, case.range, false));
            let missing = cases.iter().any(|case| !ran(case.range) && case.body.iter().any(may_fail));
            return if is_reached && missing { vec![names_in(subject)] } else { Vec::new() };
        }
        _ => return Vec::new(),
    };
    let Some(arm) = coverage.missing_arm(file, test.range) else { return Vec::new() };
    let (missing, other) = (arms[usize::from(!arm)], arms[usize::from(arm)]);
    let is_branch = matches!(statement.kind, StmtKind::If { .. });
    let rest = if is_branch && other.last().is_some_and(leaves) { rest } else { &[] };
    if missing.iter().chain(rest).any(may_fail) { vec![names_in(test)] } else { Vec::new() }
}

fn tests_of(statement: &Stmt) -> Option<&Expr> {
    match &statement.kind {
        StmtKind::If { test, .. } | StmtKind::While { test, .. } | StmtKind::Assert { test, .. } => Some(test),
        _ => None,
    }
}

/// The parameters of a function by its name, and those of a class's `__init__` by the name of the class, without `self`.
fn parameters_by_name(statement: &Stmt, functions: &mut FxHashMap<Name, Vec<Name>>) {
    let own = |function: &Function| -> Vec<Name> {
        let names = function.parameters.iter().map(|parameter| parameter.name);
        names.skip_while(|name| matches!(name.as_str(), "self" | "cls")).collect()
    };
    match &statement.kind {
        StmtKind::Function(function) => _ = functions.insert(function.name, own(function)),
        StmtKind::Class(class) => {
            for statement in &class.body {
                if let StmtKind::Function(function) = &statement.kind
                    && function.name.as_str() == "__init__"
                {
                    functions.insert(class.name, own(function));
                }
            }
        }
        _ => {}
    }
}

/// The names that an assignment binds: variables, attributes, and texts that are keys.
fn target_names(target: &Expr) -> Vec<Name> {
    match &target.kind {
        ExprKind::Name(name) => vec![*name],
        ExprKind::Attribute { attribute, .. } => vec![*attribute],
        ExprKind::Subscript { index, .. } => text_as_name(index).into_iter().collect(),
        ExprKind::Tuple(items) | ExprKind::List(items) => items.iter().flat_map(target_names).collect(),
        _ => Vec::new(),
    }
}

fn text_as_name(expression: &Expr) -> Option<Name> {
    match &expression.kind {
        ExprKind::Str(text) if text.len() <= LONGEST_NAME => Some(Name::new(text)),
        _ => None,
    }
}

/// The names whose values an expression has, or tests: not those of which something else is made.
fn sources_of(expression: &Expr) -> Vec<Name> {
    match &expression.kind {
        ExprKind::Name(name) => vec![*name],
        ExprKind::Attribute { attribute, .. } => vec![*attribute],
        ExprKind::Subscript { index, .. } => text_as_name(index).into_iter().collect(),
        ExprKind::Compare { left, rest } => {
            let is_sought = |(operator, _): &(CompareOperator, Expr)| {
                matches!(operator, CompareOperator::In | CompareOperator::NotIn)
            };
            let sought = text_as_name(left).filter(|_| rest.iter().any(is_sought));
            children(expression).into_iter().flat_map(sources_of).chain(sought).collect()
        }
        ExprKind::Boolean { .. }
        | ExprKind::Unary { .. }
        | ExprKind::Conditional { .. }
        | ExprKind::Named { .. }
        | ExprKind::Tuple(_) => children(expression).into_iter().flat_map(sources_of).collect(),
        ExprKind::Call(call) => {
            let Some(name) = call.function.last_name() else { return Vec::new() };
            let arguments = call.arguments.iter().map(|argument| &argument.value);
            if LOOKUPS.contains(&name.as_str()) {
                return arguments.filter_map(text_as_name).collect();
            }
            if CONVERSIONS.contains(&name.as_str()) {
                let owner = match &call.function.kind {
                    ExprKind::Attribute { value, .. } => sources_of(value),
                    _ => Vec::new(),
                };
                return arguments.flat_map(sources_of).chain(owner).collect();
            }
            // A function of the program may look for what a text names.
            arguments.filter_map(text_as_name).chain([name]).collect()
        }
        _ => Vec::new(),
    }
}

/// All names in a test: variables, attributes, and texts.
fn names_in(test: &Expr) -> Vec<Name> {
    let (mut names, mut waiting) = (Vec::new(), vec![test]);
    while let Some(expression) = waiting.pop() {
        names.extend(match &expression.kind {
            ExprKind::Attribute { attribute, .. } => Some(*attribute),
            ExprKind::Name(name) => Some(*name),
            _ => text_as_name(expression),
        });
        waiting.extend(children(expression));
    }
    names
}

/// Whether nothing behind a statement of the same block runs.
fn leaves(statement: &Stmt) -> bool {
    matches!(statement.kind, StmtKind::Return(_) | StmtKind::Break | StmtKind::Continue) || stops(statement)
}

/// Whether a statement has what may fail for the shapes of tensors: a call that does more than print, or a product.
pub(crate) fn may_fail(statement: &Stmt) -> bool {
    let has_call = |expression: &Expr| {
        let mut waiting = vec![expression];
        while let Some(expression) = waiting.pop() {
            if matches!(&expression.kind, ExprKind::Call(call) if !is_plain_call(&call.function)) {
                return true;
            }
            if matches!(expression.kind, ExprKind::Binary { operator: BinaryOperator::MatrixMultiply, .. }) {
                return true;
            }
            waiting.extend(children(expression));
        }
        false
    };
    expressions_of(statement).into_iter().any(has_call) || blocks_of(statement).into_iter().flatten().any(may_fail)
}

/// Whether a call of that name tells or makes something of texts and numbers alone, or ends the program.
fn is_plain_call(function: &Expr) -> bool {
    const PLAIN: [&str; 33] = [
        "print",
        "print_exc",
        "format_exc",
        "exception",
        "warn",
        "empty_cache",
        "sleep",
        "flush",
        "getLogger",
        "basicConfig",
        "exit",
        "quit",
        "str",
        "int",
        "float",
        "bool",
        "len",
        "format",
        "join",
        "makedirs",
        "mkdir",
        "exists",
        "isfile",
        "isdir",
        "info",
        "warning",
        "error",
        "debug",
        "seed",
        "manual_seed",
        "manual_seed_all",
        "device",
        "is_available",
    ];
    function.last_name().is_some_and(|name| PLAIN.contains(&name.as_str()))
}
