//! Arms of a script's entry that wait for an option or for a variable of the environment, and were executed in no run.
//! A name that is computed from one stands for it, also behind an assignment, an argument or a `return`.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::entries::entered_functions::Place;
use crate::entries::execution_coverage::Coverage;
use crate::entries::option_uses::{blocks_of, expressions_of};
use crate::evaluate::statements::stops;
use crate::loops::asks_iteration_number::children;
use harp_corpus::{FileId, Span};
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
    /// Functions of the files that such an arm calls, directly or through others: their places, the arm's names, and what
    /// the arm waits for: the place of the test, and the truth that it would have to have.
    calls: Vec<WaitingCall>,
}

/// A function that an arm calls which did not run.
pub(crate) struct WaitingCall {
    pub function: Place,
    pub test: Span,
    pub taken: bool,
    names: Vec<Name>,
}

/// An arm that did not run.
struct Waiting<'a> {
    names: Vec<Name>,
    test: Span,
    taken: bool,
    statements: Vec<&'a Stmt>,
}

impl WaitingArms {
    /// Reads files with the arms that ran.
    pub(crate) fn of(files: &[(FileId, &[Stmt])], coverage: &Coverage) -> WaitingArms {
        let mut arms = WaitingArms::default();
        let mut waiting: Vec<Waiting<'_>> = Vec::new();
        for (file, body) in files {
            every_block(body, &mut |block| {
                for (index, statement) in block.iter().enumerate() {
                    waiting.extend(waits(statement, &block[index + 1..], *file, coverage));
                }
            });
        }
        arms.note_calls(files, &waiting);
        arms.tests.extend(waiting.into_iter().map(|arm| arm.names));
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

    /// Notes which functions the arms would call. A method counts where no other function has its name.
    fn note_calls(&mut self, files: &[(FileId, &[Stmt])], waiting: &[Waiting<'_>]) {
        if waiting.is_empty() {
            return;
        }
        let mut functions: FxHashMap<Name, Vec<&Function>> = FxHashMap::default();
        for (_, body) in files {
            every_statement(body, &mut |statement| {
                if let StmtKind::Function(function) = &statement.kind {
                    functions.entry(function.name).or_default().push(function);
                }
            });
        }
        for arm in waiting {
            let mut seen: FxHashSet<Place> = FxHashSet::default();
            let mut open: Vec<&Stmt> = arm.statements.clone();
            while let Some(statement) = open.pop() {
                for (name, is_plain) in called_by(statement) {
                    let named = functions.get(&name).map_or(&[][..], Vec::as_slice);
                    for function in named.iter().filter(|_| is_plain || named.len() == 1) {
                        let place = (function.file, function.range.start);
                        if seen.insert(place) {
                            open.extend(&function.body);
                            let (test, taken, names) = (arm.test, arm.taken, arm.names.clone());
                            self.calls.push(WaitingCall { function: place, test, taken, names });
                        }
                    }
                }
            }
        }
    }

    /// The functions that arms call which ask for one of the options.
    pub(crate) fn functions_behind<'a>(&'a self, options: &[Name]) -> impl Iterator<Item = &'a WaitingCall> {
        let known: FxHashSet<Name> = options.iter().flat_map(|option| self.computed_from(*option)).collect();
        self.calls.iter().filter(move |call| call.names.iter().any(|name| known.contains(name)))
    }

    /// Whether one of the arms asks for an option.
    pub(crate) fn ask_for(&self, option: Name) -> bool {
        if self.tests.is_empty() {
            return false;
        }
        let names = self.computed_from(option);
        self.tests.iter().flatten().any(|name| names.contains(name))
    }

    /// The names that an option's value goes to, with its own.
    fn computed_from(&self, option: Name) -> FxHashSet<Name> {
        let (mut names, mut waiting) = (FxHashSet::from_iter([option]), vec![option]);
        while let Some(name) = waiting.pop() {
            let next = self.flows.get(&name).into_iter().flatten();
            waiting.extend(next.filter(|next| names.insert(**next)));
        }
        names
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

/// The arm of a statement that did not run, though the statement was reached. Where the other arm leaves, the rest of the
/// block belongs to the arm.
fn waits<'a>(statement: &'a Stmt, rest: &'a [Stmt], file: FileId, coverage: &Coverage) -> Option<Waiting<'a>> {
    let (test, arms) = match &statement.kind {
        StmtKind::If { test, body, orelse } | StmtKind::While { test, body, orelse } => (test, [body, orelse]),
        StmtKind::For { iterable, body, orelse, .. } => (iterable, [body, orelse]),
        StmtKind::Match { subject, cases } => {
            // Behind the case that fits none is asked for.
            let ran = |range| coverage.ran(file, range, true);
            let is_reached = cases.first().is_some_and(|case| ran(case.range) || coverage.ran(file, case.range, false));
            let missing: Vec<&Stmt> =
                cases.iter().filter(|case| !ran(case.range)).flat_map(|case| &case.body).collect();
            let has_more = is_reached && missing.iter().any(|statement| may_fail(statement));
            let (names, test) = (names_in(subject), subject.range.in_file(file));
            return has_more.then_some(Waiting { names, test, taken: false, statements: missing });
        }
        _ => return None,
    };
    let taken = coverage.missing_arm(file, test.range)?;
    let (missing, other) = (arms[usize::from(!taken)], arms[usize::from(taken)]);
    let is_branch = matches!(statement.kind, StmtKind::If { .. });
    let rest = if is_branch && other.last().is_some_and(leaves) { rest } else { &[] };
    let statements: Vec<&Stmt> = missing.iter().chain(rest).collect();
    let (names, test) = (names_in(test), test.range.in_file(file));
    statements.iter().any(|statement| may_fail(statement)).then_some(Waiting { names, test, taken, statements })
}

/// What the calls in a statement name, those of its blocks among them, each with whether it is a plain name.
fn called_by(statement: &Stmt) -> Vec<(Name, bool)> {
    let (mut called, mut waiting) = (Vec::new(), Vec::new());
    every_statement(std::slice::from_ref(statement), &mut |statement| {
        waiting.extend(expressions_of(statement).into_iter().chain(tests_of(statement)));
    });
    while let Some(expression) = waiting.pop() {
        if let ExprKind::Call(call) = &expression.kind
            && let Some(name) = call.function.last_name()
        {
            called.push((name, matches!(call.function.kind, ExprKind::Name(_))));
        }
        waiting.extend(children(expression));
    }
    called
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
