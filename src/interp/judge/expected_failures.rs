//! Dismisses alarms for which a program provides: an operation within a `try` whose handler names the exception that it
//! raises, or within `with pytest.raises(…)`. The program goes on in the handler or behind the block, and there is
//! nothing to report.

use crate::state::interpreter::{Eval, Flow, Interpreter, Interrupt};
use crate::values::value::Value;
use harp_corpus::Span;
use harp_python::ir::{Expr, ExprKind, Function, Handler, Stmt, StmtKind};
use harp_python::name::Name;
use harp_trace::assumption::{AssumptionKind, AssumptionSet, words};

/// What a `try` statement provides for.
#[derive(Clone, Debug)]
pub struct Expected {
    /// The names of the exceptions that its handlers name, without their modules.
    exceptions: Vec<Name>,
    /// The call in which it stands.
    frame: u64,
    /// Whether it is there to see something fail, whatever that is.
    is_any: bool,
    /// Whether any failure of the calls within the `try` may be an index that is out of range.
    is_of_test: bool,
    /// What may take a failure, and is not known to be there for it: nothing is expected, and no failure is certain.
    perhaps: Option<Span>,
    /// Whether what takes the failure does more than tell of it, so that the program may go on with something else.
    makes_up: bool,
}

/// What the code around a call expects to fail in it, as far as a failure can tell: a bit for each of `RAISED`, and for everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ExpectedInCalls(u8);

/// Context managers that take exceptions, by the last name of the function that makes them.
const TAKES_EXCEPTIONS: [&str; 6] =
    ["assertRaises", "assertRaisesRegex", "assertRaisesRegexp", "assert_raises", "raises", "suppress"];

/// What libraries raise where shapes do not fit. Programs catch `RuntimeError` for other reasons, too, and report in a handler of `Exception`
/// that they fail: neither tells that this failure is expected, the latter not even beside the operation.
const RAISED: [&str; 4] = ["IndexError", "ValueError", "TypeError", "RuntimeError"];

impl Interpreter<'_> {
    /// Notes what the handlers of a `try` are for, while its body runs. One that raises in its turn lets the program fail all the same.
    pub(crate) fn expect_failures(&mut self, handlers: &[Handler]) {
        let Some(frame) = self.frames.last().map(|frame| frame.number) else { return };
        if self.inference.is_some() {
            return;
        }
        // A test runs without an error that is seen: what a handler takes in it is meant to fail, or does not.
        let is_tested = self.runs_test() || self.is_in_test();
        let (mut exceptions, mut takes_all) = (Vec::new(), false);
        for handler in handlers {
            let named = handler.exception.as_ref().map(|exception| self.exceptions_meant(exception));
            let catches_all = named.as_ref().is_none_or(|named| named.iter().any(is_base));
            let is_silent = !handler.body.iter().any(raises);
            if (is_silent || catches_all) && self.surely_fails(&handler.body) {
                continue;
            }
            let is_expected = is_silent && catches_all && (is_tested || is_answer(&handler.body));
            takes_all |= is_expected;
            if catches_all && !is_expected {
                self.expect_perhaps(self.span(handler.range), !handler.body.iter().all(only_tells));
            }
            if is_silent {
                exceptions.extend(named.into_iter().flatten());
            }
        }
        if takes_all || !exceptions.is_empty() {
            let (is_any, is_of_test) = (takes_all, is_tested);
            self.exceptions.expected.push(Expected {
                exceptions,
                frame,
                is_any,
                is_of_test,
                perhaps: None,
                makes_up: true,
            });
        }
    }

    /// From here on something may take what fails, of which nobody knows whether it is there for that, and may make up for it.
    pub(crate) fn expect_perhaps(&mut self, place: Span, makes_up: bool) {
        let frame = self.frames.last().map_or(0, |frame| frame.number);
        if self.inference.is_none() {
            let exceptions = Vec::new();
            let perhaps = Some(place);
            self.exceptions.expected.push(Expected {
                exceptions,
                frame,
                is_any: false,
                is_of_test: false,
                perhaps,
                makes_up,
            });
        }
    }

    /// What a failure rests on where something may take it that is not known to be there for that; `None` where it is said to be.
    pub(crate) fn failure_is_not_taken(&mut self) -> Option<AssumptionSet> {
        let Some(place) = self.exceptions.expected.iter().rev().find_map(|expected| expected.perhaps) else {
            return Some(AssumptionSet::default());
        };
        let text = self.source_text(place);
        let subject = text.lines().next().unwrap_or_default().trim().to_owned();
        let evidence = "it may take whatever fails, and the program goes on".to_owned();
        self.speculate(AssumptionKind::Unhandled, &subject, words::unhandled_failure(&subject), evidence, place)
            .granted()
    }

    /// Whether `with context:` takes the exceptions that its block raises. What the program defines tells that itself; a library's is known by its
    /// name.
    pub(crate) fn takes_exceptions(&mut self, context: &Expr) -> bool {
        let ExprKind::Call(call) = &context.kind else { return false };
        self.manager_made_by(&call.function).is_some_and(|name| TAKES_EXCEPTIONS.contains(&name.as_str()))
    }

    /// The last name of the library function or class that makes a context manager; `None` where the program defines it.
    fn manager_made_by(&mut self, function: &Expr) -> Option<Name> {
        let last = |name: Name| name.as_str().rsplit('.').next().map(Name::new);
        match self.value_at(function) {
            Some(Value::Library(name)) => last(name),
            Some(Value::LibraryMethod(method)) => last(method.api),
            Some(Value::Class(id)) => {
                let definition = &self.heap.class(id)?.definition;
                self.corpus.is_standard(definition.file).then_some(definition.name)
            }
            Some(Value::Function(closure)) => self.made_by_function(&closure.function),
            Some(Value::BoundMethod(method)) => match &method.function {
                Value::Function(closure) => self.made_by_function(&closure.function),
                _ => None,
            },
            Some(Value::Instance(_)) => None,
            _ => function.last_name(),
        }
    }

    /// A function of the program may give what a library's makes: `return pytest.raises(kind)`.
    fn made_by_function(&self, function: &Function) -> Option<Name> {
        if self.corpus.is_standard(function.file) || self.corpus.is_foreign(function.file) {
            return Some(function.name);
        }
        match &function.body.last()?.kind {
            StmtKind::Return(Some(Expr { kind: ExprKind::Call(call), .. })) => call.function.last_name(),
            _ => None,
        }
    }

    /// The last names of the exceptions that a handler catches, also of those that a name stands for: `except KINDS:`. A class of the program is
    /// none of Python's own, whatever its name.
    fn exceptions_meant(&mut self, exception: &Expr) -> Vec<Name> {
        if let ExprKind::Tuple(items) = &exception.kind {
            return items.iter().flat_map(|item| self.exceptions_meant(item)).collect();
        }
        match self.value_at(exception) {
            Some(value @ (Value::Library(_) | Value::Class(_) | Value::Tuple(_))) => self.names_of_exceptions(&value),
            _ => exceptions_of(Some(exception)),
        }
    }

    fn names_of_exceptions(&self, kind: &Value) -> Vec<Name> {
        match self.read(kind) {
            Value::Tuple(kinds) => kinds.iter().flat_map(|kind| self.names_of_exceptions(kind)).collect(),
            Value::Library(name) => name.as_str().rsplit('.').next().map(Name::new).into_iter().collect(),
            _ => Vec::new(),
        }
    }

    /// Whether the function that runs is a test, by its name.
    fn is_in_test(&self) -> bool {
        let function = self.frames.last().and_then(|frame| frame.function.as_ref());
        function.is_some_and(|function| function.name.as_str().starts_with("test_"))
    }

    /// Runs the block of a `with` that takes exceptions.
    pub(crate) fn run_taking_exceptions(
        &mut self,
        context: &Expr,
        block: impl FnOnce(&mut Self) -> Eval<Flow>,
    ) -> Eval<Flow> {
        let before = self.exceptions.expected.len();
        self.expect_what_is_taken(context);
        self.exceptions.caught += 1;
        let flow = block(self);
        self.exceptions.caught -= 1;
        self.exceptions.expected.truncate(before);
        Ok(match flow {
            Err(Interrupt::Raise) | Ok(Flow::Raise) => Flow::Normal,
            flow => flow?,
        })
    }

    /// Notes what `with context:` takes: a test waits for whatever fails, `suppress` only for what it names.
    pub(crate) fn expect_what_is_taken(&mut self, context: &Expr) {
        let names = match &context.kind {
            ExprKind::Call(call)
                if self.manager_made_by(&call.function).is_some_and(|name| name.as_str() == "suppress") =>
            {
                let arguments = call.arguments.iter();
                let named: Vec<Vec<Name>> = arguments.map(|argument| self.exceptions_meant(&argument.value)).collect();
                (!named.iter().any(|names| names.is_empty() || names.iter().any(is_base))).then(|| named.concat())
            }
            _ => None,
        };
        match names {
            None => {
                self.expect_anything();
            }
            Some(exceptions) if self.inference.is_none() => {
                let frame = self.frames.last().map_or(0, |frame| frame.number);
                let (is_any, is_of_test) = (false, false);
                self.exceptions.expected.push(Expected {
                    exceptions,
                    frame,
                    is_any,
                    is_of_test,
                    perhaps: None,
                    makes_up: true,
                });
            }
            Some(_) => {}
        }
    }

    /// From here on anything may fail as it is meant to. Returns how many expectations there were before.
    pub(crate) fn expect_anything(&mut self) -> usize {
        let frame = self.frames.last().map_or(0, |frame| frame.number);
        let before = self.exceptions.expected.len();
        if self.inference.is_none() {
            self.exceptions.expected.push(Expected {
                exceptions: Vec::new(),
                frame,
                is_any: true,
                is_of_test: true,
                perhaps: None,
                makes_up: true,
            });
        }
        before
    }

    /// From here on the exception tells an end, as Python's loops take it. Returns how many expectations there were before.
    pub(crate) fn expect_end(&mut self, exception: &str) -> usize {
        let frame = self.frames.last().map_or(0, |frame| frame.number);
        let before = self.exceptions.expected.len();
        self.exceptions.expected.push(Expected {
            exceptions: vec![Name::new(exception)],
            frame,
            is_any: false,
            is_of_test: false,
            perhaps: None,
            makes_up: true,
        });
        before
    }

    /// Whether the innermost `try` of the function that runs names an exception.
    pub fn expects_here(&self, exception: &str) -> bool {
        let Some(frame) = self.frames.last().map(|frame| frame.number) else { return false };
        let innermost = self
            .exceptions
            .expected
            .iter()
            .rev()
            .find(|expected| expected.perhaps.is_none())
            .filter(|expected| expected.frame == frame && !expected.is_any);
        innermost.is_some_and(|expected| expected.exceptions.iter().any(|known| known.as_str() == exception))
    }

    /// The exception by which a failure of an API is expected by the function that runs, or by any that called it. Beside the operation a handler
    /// of `IndexError` takes whatever fails; around a call it takes subscripts.
    pub(crate) fn expected_exception(&self, api: Name) -> Option<&'static str> {
        let frame = self.frames.last()?.number;
        if self.exceptions.expected.iter().any(|expected| expected.is_any) {
            return Some("Exception");
        }
        let api = api.as_str();
        let is_subscript = api.ends_with("__getitem__") || api.ends_with("__setitem__");
        RAISED.into_iter().find(|name| {
            let is_plain = is_subscript || *name != "IndexError";
            self.exceptions
                .expected
                .iter()
                .any(|expected| (is_plain || expected.is_of_test || expected.frame == frame) && expected.names(name))
        })
    }

    /// Whether what raises an exception is judged as it is elsewhere, though something around may take it: nothing there names the exception,
    /// and handlers of anything only tell of it.
    pub(crate) fn is_judged_in_try(&self, exception: &str) -> bool {
        let takes = |expected: &Expected| match expected.perhaps {
            Some(_) => expected.makes_up,
            None => expected.is_any || expected.names(exception),
        };
        self.exceptions.caught == 0
            || !self.exceptions.expected.is_empty() && !self.exceptions.expected.iter().any(takes)
    }

    /// What a function that is called now would find expected around it.
    pub(crate) fn expected_in_calls(&self) -> ExpectedInCalls {
        let bits = self.exceptions.expected.iter().map(|expected| {
            let named = RAISED.iter().enumerate().filter(|(_, name)| expected.names(name));
            let bits = named.fold(0, |bits, (index, _)| bits | 1 << index);
            bits | u8::from(expected.is_any) << 6 | u8::from(expected.is_of_test) << 7
        });
        ExpectedInCalls(bits.fold(0, |all, bits| all | bits))
    }
}

impl Expected {
    fn names(&self, exception: &str) -> bool {
        let is_meant = |known: &Name| match known.as_str() {
            "LookupError" => exception == "IndexError",
            known => known == exception,
        };
        self.exceptions.iter().any(is_meant)
    }
}

/// Functions and methods that write what happened, and change nothing for the program.
const TELLS: [&str; 12] = [
    "critical",
    "debug",
    "echo",
    "error",
    "exception",
    "format_exc",
    "info",
    "print",
    "print_exc",
    "warn",
    "warning",
    "write",
];

/// What users, the machine or the program's own end raise, and no failing operation.
const FROM_OUTSIDE: [&str; 4] = ["GeneratorExit", "KeyboardInterrupt", "OutOfMemoryError", "SystemExit"];

/// Whether a handler may keep the program from ending where something fails: it waits for more than an interruption, and does not only pass
/// on what it takes.
pub(crate) fn takes_failures(handler: &Handler) -> bool {
    let passes_on = |statement: &Stmt| matches!(statement.kind, StmtKind::Raise { exception: None, .. });
    let names = exceptions_of(handler.exception.as_ref());
    let is_for_others = !names.is_empty() && names.iter().all(|name| FROM_OUTSIDE.contains(&name.as_str()));
    !is_for_others && !handler.body.last().is_some_and(passes_on)
}

/// Exceptions that no library raises where it refuses its operands.
const OF_NO_REFUSAL: [&str; 12] = [
    "AttributeError",
    "EOFError",
    "FileNotFoundError",
    "IOError",
    "ImportError",
    "KeyError",
    "ModuleNotFoundError",
    "NameError",
    "OSError",
    "PermissionError",
    "StopIteration",
    "UnboundLocalError",
];

/// Whether a handler may take what a library raises where it refuses its operands.
pub(crate) fn takes_refusals(handler: &Handler) -> bool {
    let names = exceptions_of(handler.exception.as_ref());
    let is_for_others = !names.is_empty() && names.iter().all(|name| OF_NO_REFUSAL.contains(&name.as_str()));
    !is_for_others && takes_failures(handler)
}

fn is_base(name: &Name) -> bool {
    matches!(name.as_str(), "Exception" | "BaseException")
}

/// Whether a handler only notes that something does not work, as code does that tries out what a function takes: `works = False`.
fn is_answer(body: &[Stmt]) -> bool {
    let is_truth = |value: &Expr| matches!(value.kind, ExprKind::Bool(_) | ExprKind::None);
    !body.is_empty()
        && body.iter().all(|statement| match &statement.kind {
            StmtKind::Assign { value, .. } | StmtKind::Return(Some(value)) => is_truth(value),
            _ => false,
        })
}

/// Whether a statement of a handler only tells of a failure: `print(error)`, `logger.exception("…")`.
fn only_tells(statement: &Stmt) -> bool {
    match &statement.kind {
        StmtKind::Pass => true,
        StmtKind::Expr(value) => match &value.kind {
            ExprKind::Call(call) => call.function.last_name().is_some_and(|name| TELLS.contains(&name.as_str())),
            ExprKind::Str(_) => true,
            _ => false,
        },
        _ => false,
    }
}

/// The last names of the exceptions that a handler catches; none where it catches all.
fn exceptions_of(exception: Option<&Expr>) -> Vec<Name> {
    let Some(exception) = exception else { return Vec::new() };
    match &exception.kind {
        ExprKind::Tuple(items) => items.iter().flat_map(|item| exceptions_of(Some(item))).collect(),
        _ => exception.last_name().into_iter().collect(),
    }
}

/// Whether a statement of a handler may raise again.
fn raises(statement: &Stmt) -> bool {
    match &statement.kind {
        StmtKind::Raise { .. } => true,
        StmtKind::If { body, orelse, .. }
        | StmtKind::For { body, orelse, .. }
        | StmtKind::While { body, orelse, .. } => body.iter().chain(orelse).any(raises),
        StmtKind::With { body, .. } => body.iter().any(raises),
        StmtKind::Try { body, handlers, orelse, finally } => {
            let handled = handlers.iter().flat_map(|handler| &handler.body);
            body.iter().chain(handled).chain(orelse).chain(finally).any(raises)
        }
        _ => false,
    }
}
