//! Executes `raise` and `try`: which exception is raised, and which handler takes it.

use std::rc::Rc;

use crate::calls::call::CallArguments;
use crate::generators::suspension::{Position, TryPart};
use crate::heap::objects::{InstanceData, Payload};
use crate::judge::expected_failures::{takes_failures, takes_refusals};
use crate::modules::ends::leaves;
use crate::state::interpreter::{Eval, Flow, Interpreter, Interrupt};
use crate::values::value::{ObjectId, Value};
use harp_corpus::Span;
use harp_python::ir::{Expr, Handler, Stmt};
use harp_python::name::{Name, name};
use harp_trace::route::StepKind;

/// The exceptions of Python's own whose base is not `Exception`, each with its base (the library reference, "exception hierarchy").
pub const BASES: [(&str, &str); 44] = [
    ("ArithmeticError", "Exception"),
    ("BlockingIOError", "OSError"),
    ("BrokenPipeError", "ConnectionError"),
    ("ConnectionError", "OSError"),
    ("DeprecationWarning", "Warning"),
    ("EnvironmentError", "OSError"),
    ("Exception", "BaseException"),
    ("FileExistsError", "OSError"),
    ("FileNotFoundError", "OSError"),
    ("FloatingPointError", "ArithmeticError"),
    ("FutureWarning", "Warning"),
    ("GeneratorExit", "BaseException"),
    ("IOError", "OSError"),
    ("ImportWarning", "Warning"),
    ("IndexError", "LookupError"),
    ("InterruptedError", "OSError"),
    ("IsADirectoryError", "OSError"),
    ("KeyError", "LookupError"),
    ("KeyboardInterrupt", "BaseException"),
    ("ModuleNotFoundError", "ImportError"),
    ("NotADirectoryError", "OSError"),
    ("NotImplementedError", "RuntimeError"),
    ("OverflowError", "ArithmeticError"),
    ("PermissionError", "OSError"),
    ("ProcessLookupError", "OSError"),
    ("RecursionError", "RuntimeError"),
    ("ResourceWarning", "Warning"),
    ("RuntimeWarning", "Warning"),
    ("SystemExit", "BaseException"),
    ("TabError", "SyntaxError"),
    ("TimeoutError", "OSError"),
    ("UnboundLocalError", "NameError"),
    ("UnicodeDecodeError", "UnicodeError"),
    ("UnicodeEncodeError", "UnicodeError"),
    ("UnicodeError", "ValueError"),
    ("UserWarning", "Warning"),
    ("ZeroDivisionError", "ArithmeticError"),
    ("attr.exceptions.FrozenInstanceError", "dataclasses.FrozenInstanceError"),
    ("attrs.exceptions.FrozenInstanceError", "attr.exceptions.FrozenInstanceError"),
    ("dataclasses.FrozenInstanceError", "AttributeError"),
    ("json.JSONDecodeError", "ValueError"),
    ("json.decoder.JSONDecodeError", "ValueError"),
    ("omegaconf.errors.ConfigAttributeError", "AttributeError"),
    ("omegaconf.errors.ConfigKeyError", "KeyError"),
];

/// An exception on its way to a handler.
#[derive(Clone, Debug, Default)]
pub struct Raised {
    /// The object, or the class of one that the program did not make itself; `None` where it is not known which exception it is.
    pub exception: Option<Value>,
    /// Whether a `raise` of the program itself raises it.
    pub is_own: bool,
    /// Whether a source of a library raised it for what was reported: no handler waits for it.
    pub is_refusal: bool,
}

impl Interpreter<'_> {
    /// Stops the evaluation with an exception of Python's own where a handler of the program may wait for it. Elsewhere the program would
    /// end, and what comes after is looked at all the same.
    pub fn raise_if_caught(&mut self, class: &str, message: &str, span: Span) -> Eval<()> {
        if self.exceptions.caught == 0 || self.inference.is_some() {
            return Ok(());
        }
        Err(self.raise(class, message, span))
    }

    /// The same where an iterator has no more items; a generator's return value comes with it.
    pub fn raise_stop_if_caught(&mut self, returned: Value, span: Span) -> Eval<()> {
        if self.exceptions.caught == 0 || self.inference.is_some() {
            return Ok(());
        }
        let arguments = if returned.is_none() { Vec::new() } else { vec![returned.clone()] };
        let exception = self.new_exception(name!("builtins.StopIteration"), arguments, span);
        if let Value::Instance(id) = &exception {
            self.heap.set_attribute(*id, name!("value"), returned);
        }
        Err(self.raise_object(exception))
    }

    /// Stops a library's function that refuses what the program gave it, which was reported.
    pub fn raise_refusal(&mut self, span: Span) -> Interrupt {
        let interrupt = self.raise("ValueError", "", span);
        self.exceptions.raised.is_refusal = !self.exceptions.takes_refusals();
        interrupt
    }

    /// What a call of the program's gives: of a library's function that refused what it was given nothing is known, and the program goes on, as behind
    /// an operation that fails.
    pub(crate) fn behind_refusal(&mut self, result: Eval, span: Span) -> Eval {
        let is_refused = matches!(result, Err(Interrupt::Raise)) && self.exceptions.raised.is_refusal;
        if !is_refused
            || self.exceptions.takes_refusals()
            || self.inference.is_some()
            || self.corpus.is_foreign(span.file)
        {
            return result;
        }
        self.exceptions.raised = Raised::default();
        Ok(self.symbolic("result", span, true))
    }

    /// Stops the evaluation with an exception of Python's own.
    pub fn raise(&mut self, class: &str, message: &str, span: Span) -> Interrupt {
        let class = Name::new(&qualified(class));
        let exception = self.new_exception(class, vec![Value::str(message)], span);
        if let (Value::Instance(id), Some(Some(handled))) = (&exception, self.exceptions.handled.last().cloned()) {
            self.heap.set_attribute(*id, name!("__context__"), handled);
        }
        self.exceptions.raised = Raised { exception: Some(exception), ..Raised::default() };
        Interrupt::Raise
    }

    /// `sys.exit(code)`
    pub fn raise_exit(&mut self, code: Value, span: Span) -> Interrupt {
        let exception = self.new_exception(name!("builtins.SystemExit"), vec![code.clone()], span);
        if let Value::Instance(id) = &exception {
            self.heap.set_attribute(*id, name!("code"), code);
        }
        self.exceptions.raised = Raised { exception: Some(exception), ..Raised::default() };
        Interrupt::Raise
    }

    /// Whether the exception on its way ends the program.
    pub(crate) fn exits(&mut self) -> bool {
        let Some(exception) = self.exceptions.raised.exception.clone() else { return false };
        self.is_caught_by(&exception, &Value::library("builtins.SystemExit")) == Some(true)
    }

    /// An object of an exception's class.
    pub fn new_exception(&mut self, class: Name, mut arguments: Vec<Value>, span: Span) -> Value {
        let is_numbered = is_kind_of(plain(class.as_str()), "OSError") && arguments.len() >= 2;
        let class = if is_numbered { class_of_number(class, &arguments[0]) } else { class };
        let data = InstanceData { class: Value::Library(class), arguments: Vec::new(), origin: span };
        let id = self.heap.allocate(Payload::Instance(Rc::new(data)));
        if is_numbered {
            for (name, value) in ["errno", "strerror", "filename"].iter().zip(&arguments) {
                self.heap.set_attribute(id, Name::new(name), value.clone());
            }
            arguments.truncate(2);
        }
        let said = match plain(class.as_str()) {
            "StopIteration" => Some("value"),
            "SystemExit" => Some("code"),
            _ => None,
        };
        if let Some(name) = said {
            self.heap.set_attribute(id, Name::new(name), arguments.first().cloned().unwrap_or(Value::None));
        }
        self.keep_arguments(id, arguments);
        Value::Instance(id)
    }

    /// What an exception was made with is its `args`.
    pub fn keep_arguments(&mut self, id: ObjectId, arguments: Vec<Value>) {
        self.heap.set_attribute(id, name!("args"), Value::tuple(arguments));
    }

    /// Whether a class of the program is one of exceptions.
    pub fn is_exception_class(&self, class: &Value) -> bool {
        self.library_bases(class, None).iter().any(|base| is_exception(base.as_str()))
    }

    /// `raise exception from cause`.
    pub(crate) fn execute_raise(&mut self, exception: Option<&Expr>, cause: Option<&Expr>, span: Span) -> Eval<Flow> {
        let raised = match exception {
            Some(exception) => {
                let value = self.evaluate(exception)?;
                match self.read(&value) {
                    class @ Value::Class(_) => Some(self.call(&class, CallArguments::empty(span))?),
                    Value::Library(class) if self.is_exception_class(&Value::Library(class)) => {
                        Some(self.new_exception(class, Vec::new(), span))
                    }
                    object @ Value::Instance(_) => Some(object),
                    _ => None,
                }
            }
            None => self.exceptions.handled.last().cloned().flatten(),
        };
        if let (Some(cause), Some(Value::Instance(id))) = (cause, &raised) {
            let cause = self.evaluate(cause)?;
            self.heap.set_attribute(*id, name!("__cause__"), cause);
        }
        if let (Some(Value::Instance(id)), Some(Some(handled))) = (&raised, self.exceptions.handled.last())
            && !handled.same(&Value::Instance(*id))
        {
            let handled = handled.clone();
            self.heap.set_attribute(*id, name!("__context__"), handled);
        }
        self.program_raises(raised);
        Ok(Flow::Raise)
    }

    /// A statement of the code that runs raises an exception.
    pub(crate) fn program_raises(&mut self, exception: Option<Value>) {
        let file = self.file();
        let is_own = !self.corpus.is_foreign(file) && !self.corpus.is_standard(file);
        self.exceptions.raised = Raised { exception, is_own, is_refusal: false };
    }

    pub(crate) fn execute_try(
        &mut self,
        body: &[Stmt],
        handlers: &[Handler],
        orelse: &[Stmt],
        finally: &[Stmt],
    ) -> Eval<Flow> {
        if !self.is_resuming()
            && let Some((arms, place)) = self.ways_of_imports(body, handlers)
        {
            return self.explore(arms, |this, index| {
                this.note_step(StepKind::Followed { holds: index == 0 }, place, |_| String::new());
                this.execute_try(body, handlers, orelse, finally)
            });
        }
        self.exceptions.raised = Raised::default();
        let flow = match self.take_position(|it| matches!(it, Position::Try(_))) {
            Some(Position::Try(TryPart::Finally { flow, raised })) => {
                return self.execute_finally(finally, flow, raised);
            }
            Some(Position::Try(TryPart::Handler { index, exception })) => {
                let handler = handlers.get(index);
                handler.map_or(Ok(Flow::Normal), |handler| self.handle(handler, index, exception, true))?
            }
            Some(Position::Try(TryPart::Orelse)) => self.execute_part(orelse, || Position::Try(TryPart::Orelse))?,
            _ => {
                let expected = self.exceptions.expected.len();
                // `finally: return` drops the exception.
                if let Some(leaving) = finally.iter().find(|statement| leaves(statement)) {
                    self.expect_perhaps(self.span(leaving.range), true);
                }
                let flow = self.execute_tried(body, handlers, orelse);
                self.exceptions.expected.truncate(expected);
                flow?
            }
        };
        let raised = std::mem::take(&mut self.exceptions.raised);
        self.execute_finally(finally, flow, raised)
    }

    /// The body of a `try` statement, and what follows it but for `finally`.
    fn execute_tried(&mut self, body: &[Stmt], handlers: &[Handler], orelse: &[Stmt]) -> Eval<Flow> {
        let expected = self.exceptions.expected.len();
        self.expect_failures(handlers);
        let caught = usize::from(handlers.iter().any(takes_failures));
        let others = usize::from(caught > 0 && !handlers.iter().any(takes_refusals));
        self.exceptions.caught += caught;
        self.exceptions.caught_others += others;
        let flow = self.execute_part(body, || Position::Try(TryPart::Body));
        self.exceptions.caught -= caught;
        self.exceptions.caught_others -= others;
        self.exceptions.expected.truncate(expected);
        let flow = match flow? {
            Flow::Raise => {
                let raised = std::mem::take(&mut self.exceptions.raised);
                if handlers.first().is_some_and(|handler| handler.takes_part) {
                    return self.handle_parts(handlers, raised);
                }
                match self.handler_of(handlers, raised.exception.as_ref())? {
                    Some(index) => self.handle(&handlers[index], index, raised.exception, false),
                    None => {
                        self.exceptions.raised = raised;
                        Ok(Flow::Raise)
                    }
                }
            }
            Flow::Normal => self.execute_part(orelse, || Position::Try(TryPart::Orelse)),
            flow => Ok(flow),
        };
        self.state_unused_handlers(handlers);
        flow
    }

    /// The end of a `try` statement whose other parts ended so.
    fn execute_finally(&mut self, finally: &[Stmt], flow: Flow, raised: Raised) -> Eval<Flow> {
        let ended = self.execute_block(finally);
        let position = || Position::Try(TryPart::Finally { flow: flow.clone(), raised: raised.clone() });
        match self.leaving(ended, position)? {
            Flow::Normal => {
                self.exceptions.raised = raised;
                Ok(flow)
            }
            other => Ok(other),
        }
    }

    /// Executes a handler, from its beginning or where a body stopped in it.
    pub(crate) fn handle(
        &mut self,
        handler: &Handler,
        index: usize,
        exception: Option<Value>,
        goes_on: bool,
    ) -> Eval<Flow> {
        if let Some(name) = handler.name.filter(|_| !goes_on) {
            let span = self.span(handler.range);
            let value = exception.clone().unwrap_or_else(|| self.symbolic("exception", span, true));
            self.store_name(name, value);
        }
        self.coverage.note_handler(self.span(handler.range));
        self.exceptions.handled.push(exception.clone());
        let flow = self.execute_block(&handler.body);
        self.exceptions.handled.pop();
        self.leaving(flow, || Position::Try(TryPart::Handler { index, exception }))
    }

    /// The handler that takes an exception: of one that is not known, the first.
    fn handler_of(&mut self, handlers: &[Handler], exception: Option<&Value>) -> Eval<Option<usize>> {
        let Some(exception) = exception else { return Ok((!handlers.is_empty()).then_some(0)) };
        for (index, handler) in handlers.iter().enumerate() {
            let Some(class) = &handler.exception else { return Ok(Some(index)) };
            let class = self.evaluate(class)?;
            if self.is_caught_by(exception, &class) != Some(false) {
                return Ok(Some(index));
            }
        }
        Ok(None)
    }

    /// Whether an exception is one of a class, or of one of several; `None` where it is not known.
    pub fn is_caught_by(&mut self, exception: &Value, class: &Value) -> Option<bool> {
        let own = match exception {
            Value::Library(_) => exception.clone(),
            exception => self.class_of(exception),
        };
        match self.read(class) {
            Value::Tuple(classes) => {
                let answers: Vec<Option<bool>> =
                    classes.iter().map(|class| self.is_caught_by(exception, class)).collect();
                if answers.contains(&Some(true)) {
                    Some(true)
                } else if answers.contains(&None) {
                    None
                } else {
                    Some(false)
                }
            }
            wanted @ Value::Class(_) => Some(self.resolution_order(&own).iter().any(|class| class.same(&wanted))),
            Value::Library(wanted) => {
                let bases = self.library_bases(&own, None);
                let is_known = bases.iter().any(|base| is_exception(base.as_str()));
                if bases.iter().any(|base| is_kind_of(plain(base.as_str()), plain(wanted.as_str()))) {
                    return Some(true);
                }
                if matches!(plain(wanted.as_str()), "Exception" | "BaseException") && !is_known {
                    return Some(true);
                }
                is_known.then_some(false)
            }
            _ => None,
        }
    }
}

fn qualified(class: &str) -> String {
    if class.contains('.') { class.to_owned() } else { format!("builtins.{class}") }
}

fn plain(name: &str) -> &str {
    name.strip_prefix("builtins.").unwrap_or(name)
}

/// The base of an exception of Python's own.
fn base_of(name: &str) -> Option<&'static str> {
    match BASES.binary_search_by_key(&name, |(known, _)| known) {
        Ok(index) => Some(BASES[index].1),
        Err(_) if name == "BaseException" => None,
        Err(_) => Some("Exception"),
    }
}

/// The class of `OSError(number, …)`: some numbers have one of their own (the library reference, "OS exceptions").
fn class_of_number(class: Name, number: &Value) -> Name {
    let own = match number.as_int() {
        _ if plain(class.as_str()) != "OSError" => return class,
        Some(1 | 13) => "PermissionError",
        Some(2) => "FileNotFoundError",
        Some(4) => "InterruptedError",
        Some(11) => "BlockingIOError",
        Some(17) => "FileExistsError",
        Some(20) => "NotADirectoryError",
        Some(21) => "IsADirectoryError",
        Some(32) => "BrokenPipeError",
        Some(110) => "TimeoutError",
        _ => return class,
    };
    Name::new(&qualified(own))
}

/// The classes that an exception of Python's own derives from, without `object`.
pub(crate) fn ancestors_of_exception(name: &str) -> Vec<&'static str> {
    std::iter::successors(base_of(plain(name)), |name| base_of(name)).take(8).collect()
}

pub fn is_kind_of(name: &str, wanted: &str) -> bool {
    let wanted = if matches!(wanted, "IOError" | "EnvironmentError") { "OSError" } else { wanted };
    let mut current = Some(name);
    for _ in 0..8 {
        match current {
            Some(name) if name == wanted => return true,
            Some(name) => current = base_of(name),
            None => return false,
        }
    }
    false
}

/// Whether a library's name is that of an exception of Python's own.
pub fn is_exception(name: &str) -> bool {
    let short = plain(name);
    if BASES.binary_search_by_key(&short, |(known, _)| known).is_ok() || short == "BaseException" {
        return true;
    }
    !short.contains('.')
        && (short.ends_with("Error") || matches!(short, "StopIteration" | "StopAsyncIteration" | "Warning"))
}
