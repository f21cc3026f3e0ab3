//! Executes `with` statements: what a context manager is called for before and after its block. The block of one that
//! is a generator runs where the generator yields, between what it does before and after.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use crate::calls::call::CallArguments;
use crate::generators::resumable_bodies::has_yield;
use crate::generators::suspension::{Position, WithPart};
use crate::heap::objects::LogMark;
use crate::paths::truth::Truth;
use crate::state::interpreter::{Eval, Flow, Interpreter, Interrupt, Pending};
use crate::values::value::{Iteration, Literal, ObjectId, Value};
use harp_corpus::Span;
use harp_python::ir::{CompareOperator, Expr, ExprKind, Function, Stmt, StmtKind, WithItem};
use harp_python::name::{Name, name};

/// The class, in Python's own library as Harp has it, of what a function under `contextmanager` returns.
const GENERATOR_CONTEXT: &str = "_GeneratorContextManager";
/// A generator that yields more often than this does not run the block again.
const MOST_RUNS: usize = 4;

/// The block of a `with` statement that a generator runs.
#[derive(Debug)]
pub struct WithBlock {
    items: Arc<[WithItem]>,
    body: Arc<[Stmt]>,
    /// The context manager among the items.
    index: usize,
    /// How many frames and calls are running where the statement stands, and the iterations of its loops.
    frames: usize,
    calls: usize,
    iterations: Vec<(LogMark, LogMark)>,
    ended: RefCell<Ended>,
}

/// How the block ended.
#[derive(Debug, Default)]
struct Ended {
    runs: usize,
    flow: Option<Flow>,
    /// Its paths that left early.
    pending: Vec<Pending>,
    /// What was decided on its way.
    decided: Vec<Literal>,
}

impl Interpreter<'_> {
    pub(crate) fn execute_with(&mut self, items: &Arc<[WithItem]>, body: &Arc<[Stmt]>) -> Eval<Flow> {
        self.enter_item(items, body, 0)
    }

    /// The items from `index` on, and the block.
    fn enter_item(&mut self, items: &Arc<[WithItem]>, body: &Arc<[Stmt]>, index: usize) -> Eval<Flow> {
        let Some(item) = items.get(index) else { return self.execute_block(body) };
        if let Some(Position::With(part)) = self.take_position(|it| matches!(it, Position::With(_))) {
            return self.resume_item(items, body, index, part);
        }
        let context = self.evaluate(&item.context)?;
        let context = self.read(&context);
        let span = self.span(item.context.range);
        if let Value::Instance(id) = &context {
            let stops = self.may_suspend() && has_yield(body);
            if let Some(call) = self.generator_of(*id).filter(|_| !stops) {
                return self.run_generator_context(items, body, index, &call, span);
            }
            let exit = self.class_attribute(&context, name!("__exit__"));
            let exit = exit.or_else(|| self.class_attribute(&context, name!("__aexit__")));
            if let Some(exit @ Value::Function(_)) = exit {
                let exit = self.bind_method(&context, exit);
                let entered = self.enter_context(&context, span)?;
                return self.run_managed(items, body, index, Some(entered), &exit);
            }
        }
        let entered = self.enter_context(&context, span)?;
        self.bind_target(item.target.as_ref(), entered)?;
        let part = if self.takes_exceptions(&item.context) { WithPart::TakesExceptions } else { WithPart::Plain };
        self.resume_item(items, body, index, part)
    }

    /// What follows an item that was entered.
    fn resume_item(&mut self, items: &Arc<[WithItem]>, body: &Arc<[Stmt]>, index: usize, part: WithPart) -> Eval<Flow> {
        let flow = match &part {
            WithPart::Managed { exit } => return self.run_managed(items, body, index, None, exit),
            WithPart::TakesExceptions => {
                let context = &items[index].context;
                self.run_taking_exceptions(context, |this| this.enter_item(items, body, index + 1))
            }
            WithPart::Plain => self.enter_item(items, body, index + 1),
        };
        self.leaving(flow, || Position::With(part))
    }

    fn bind_target(&mut self, target: Option<&Expr>, entered: Value) -> Eval<()> {
        target.map_or(Ok(()), |target| self.assign(target, entered))
    }

    /// What `with context as …` binds.
    fn enter_context(&mut self, context: &Value, span: Span) -> Eval {
        self.for_each_alternative(context, |this, context| match &context {
            Value::Instance(_) => {
                let method = this.class_attribute(&context, name!("__enter__"));
                match method.or_else(|| this.class_attribute(&context, name!("__aenter__"))) {
                    Some(method @ Value::Function(_)) => {
                        let bound = this.bind_method(&context, method);
                        this.call(&bound, CallArguments::empty(span))
                    }
                    _ => Ok(context),
                }
            }
            Value::Iterator(iteration) => match &**iteration {
                // A generator function under `contextmanager`: what it yields first.
                Iteration::Items(items) => Ok(items.first().cloned().unwrap_or(Value::None)),
                Iteration::Repeated { element, .. } => Ok(element.clone()),
                Iteration::Counter { start, .. } => Ok(Value::Int(*start)),
                Iteration::View { .. } => Ok(Value::None),
            },
            _ => Ok(context),
        })
    }

    /// A block between the `__enter__`, which gave `entered`, and the `__exit__` of an object of the program, which may take the exception that ends the block.
    fn run_managed(
        &mut self,
        items: &Arc<[WithItem]>,
        body: &Arc<[Stmt]>,
        index: usize,
        entered: Option<Value>,
        exit: &Value,
    ) -> Eval<Flow> {
        let span = self.span(items[index].context.range);
        let takes = usize::from(may_take_exceptions(exit));
        self.exceptions.caught += takes;
        let expected = self.exceptions.expected.len();
        let takes_by_name = self.takes_exceptions(&items[index].context);
        if takes_by_name {
            self.expect_what_is_taken(&items[index].context);
        } else if takes_all_exceptions(exit) {
            self.expect_anything();
        } else if takes > 0 && !self.is_standard_method(exit) {
            self.expect_perhaps(span, true);
        }
        // Where a body goes on in the block, the object was entered before.
        let bound = entered.map_or(Ok(()), |entered| self.bind_target(items[index].target.as_ref(), entered));
        let flow = bound.and_then(|()| self.enter_item(items, body, index + 1));
        self.exceptions.caught -= takes;
        self.exceptions.expected.truncate(expected);
        let flow = self.leaving(flow, || Position::With(WithPart::Managed { exit: exit.clone() }));
        let flow = match flow {
            Err(Interrupt::Raise) => Flow::Raise,
            flow => flow?,
        };
        let raised = std::mem::take(&mut self.exceptions.raised);
        let arguments = match &flow {
            Flow::Raise => {
                let exception = raised.exception.clone();
                let class = exception.as_ref().map(|exception| self.class_of(exception));
                let open = |this: &mut Self| this.symbolic("exception", span, true);
                let class = class.unwrap_or_else(|| open(self));
                vec![class, exception.unwrap_or_else(|| open(self)), Value::Unknown("traceback")]
            }
            _ => vec![Value::None; 3],
        };
        let answer = self.call(exit, CallArguments::positional(arguments, span))?;
        if !matches!(flow, Flow::Raise) {
            return Ok(flow);
        }
        // What an operation raises where anything is expected has no class of its own.
        let is_any = |exception: &Value| matches!(self.class_of(exception), Value::Library(name) if name.as_str() == "builtins.Exception");
        let is_taken = takes_by_name && raised.exception.as_ref().is_some_and(is_any);
        if is_taken || matches!(self.truth(&answer), Truth::Known(true)) {
            return Ok(Flow::Normal);
        }
        self.exceptions.raised = raised;
        Ok(Flow::Raise)
    }

    /// Whether a method is one of Python's own library.
    fn is_standard_method(&self, method: &Value) -> bool {
        let function = match method {
            Value::BoundMethod(method) => &method.function,
            other => other,
        };
        matches!(function, Value::Function(closure) if self.corpus.is_standard(closure.function.file))
    }

    /// The call of the generator function that an object made by `contextmanager` stands for.
    fn generator_of(&self, id: ObjectId) -> Option<[Value; 3]> {
        let class = self.class_of(&Value::Instance(id));
        let Value::Class(class) = class else { return None };
        let data = self.heap.class(class)?;
        let is_meant = data.definition.name.as_str() == GENERATOR_CONTEXT
            && self.heap.attribute(class, name!("__init__")).is_some_and(
                |method| matches!(method, Value::Function(closure) if self.corpus.is_standard(closure.function.file)),
            );
        let part = |name: &str| self.heap.attribute(id, Name::new(name)).map(|value| self.read(value));
        if !is_meant {
            return None;
        }
        let function = part("function")?;
        let is_generator = match &function {
            Value::Function(closure) => closure.function.is_generator,
            Value::BoundMethod(method) => {
                matches!(&method.function, Value::Function(closure) if closure.function.is_generator)
            }
            _ => false,
        };
        is_generator.then_some([function, part("arguments")?, part("keywords")?])
    }

    fn run_generator_context(
        &mut self,
        items: &Arc<[WithItem]>,
        body: &Arc<[Stmt]>,
        index: usize,
        [function, positional, keywords]: &[Value; 3],
        span: Span,
    ) -> Eval<Flow> {
        let block = Rc::new(WithBlock {
            items: Arc::clone(items),
            body: Arc::clone(body),
            index,
            frames: self.frames.len(),
            calls: self.calls.stack.len(),
            iterations: self.loops.iterations.clone(),
            ended: RefCell::default(),
        });
        let mut arguments = CallArguments::empty(span);
        if let Iteration::Items(values) = self.iterate(positional)? {
            arguments.positional_spans = vec![None; values.len()];
            arguments.positional = values;
        } else {
            arguments.is_open = true;
        }
        self.splice_keywords(&mut arguments, keywords);
        let path = self.path.len();
        let before = self.calls.next_block.replace(Rc::clone(&block));
        let called = self.call(function, arguments);
        self.calls.next_block = before;
        let ended = block.ended.take();
        self.pending.extend(ended.pending);
        match called {
            Err(Interrupt::Raise) => return Ok(Flow::Raise),
            Err(budget) => return Err(budget),
            Ok(_) => {}
        }
        if self.inference.is_none() && self.path.len() == path {
            self.path.extend(ended.decided, &self.decisions);
        }
        match ended.flow {
            // The generator took the exception.
            Some(Flow::Raise) => Ok(Flow::Normal),
            Some(flow) => Ok(flow),
            // It could not be followed, or does not yield.
            None => {
                let entered = self.symbolic("context", span, true);
                self.bind_target(items[index].target.as_ref(), entered)?;
                self.enter_item(items, body, index + 1)
            }
        }
    }

    /// Runs the block where the generator yields, as if the calls in between were not there.
    pub(crate) fn run_block_of(&mut self, block: &Rc<WithBlock>, yielded: Value) -> Eval {
        if block.ended.borrow().runs >= MOST_RUNS {
            return Ok(Value::None);
        }
        let inner = self.frames.split_off(block.frames.min(self.frames.len()));
        let calls = self.calls.stack.split_off(block.calls.min(self.calls.stack.len()));
        self.calls.shared = Rc::from(self.calls.stack.as_slice());
        let iterations = std::mem::replace(&mut self.loops.iterations, block.iterations.clone());
        let (pending, path) = (self.pending.len(), self.path.len());
        let bound = self.bind_target(block.items[block.index].target.as_ref(), yielded);
        let flow = bound.and_then(|()| self.enter_item(&block.items, &block.body, block.index + 1));
        self.loops.iterations = iterations;
        self.frames.extend(inner);
        self.calls.stack.extend(calls);
        self.calls.shared = Rc::from(self.calls.stack.as_slice());
        let mut ended = block.ended.borrow_mut();
        ended.runs += 1;
        let left = self.pending.split_off(pending.min(self.pending.len()));
        ended.pending.extend(left);
        ended.decided = self.path.get(path..).unwrap_or_default().to_vec();
        match flow {
            Err(Interrupt::Raise) | Ok(Flow::Raise) => {
                ended.flow = Some(Flow::Raise);
                Err(Interrupt::Raise)
            }
            Err(budget) => Err(budget),
            Ok(flow) => {
                ended.flow = Some(flow);
                Ok(Value::None)
            }
        }
    }
}

/// Whether an `__exit__` returns anything that may be true.
fn may_take_exceptions(exit: &Value) -> bool {
    function_of(exit).is_some_and(|function| function.body.iter().any(returns_something))
}

/// Whether an `__exit__` takes whatever is raised: all that it returns is true, and it ends so.
fn takes_all_exceptions(exit: &Value) -> bool {
    let Some(function) = function_of(exit) else { return false };
    // What is raised is never `None`.
    let is_raised = |value: &Expr| {
        let name = match &value.kind {
            ExprKind::Name(name) => *name,
            ExprKind::Subscript { value, index } if matches!(index.kind, ExprKind::Int(0..=2)) => match &value.kind {
                ExprKind::Name(name) => *name,
                _ => return false,
            },
            _ => return false,
        };
        function.parameters.iter().skip(1).any(|parameter| parameter.name == name)
    };
    let is_true = |statement: &Stmt| match &statement.kind {
        StmtKind::Return(Some(value)) => match &value.kind {
            ExprKind::Bool(true) | ExprKind::Int(1) => true,
            ExprKind::Compare { left, rest } => {
                let is_none = |(operator, other): &(CompareOperator, Expr)| {
                    *operator == CompareOperator::IsNot && matches!(other.kind, ExprKind::None)
                };
                matches!(&rest[..], [one] if is_none(one)) && is_raised(left)
            }
            _ => false,
        },
        _ => false,
    };
    let (mut waiting, mut returns) = (function.body.iter().collect::<Vec<_>>(), 0);
    let ends = function.body.last().is_some_and(is_true);
    while let Some(statement) = waiting.pop() {
        match &statement.kind {
            StmtKind::Return(_) if is_true(statement) => returns += 1,
            StmtKind::Return(_) | StmtKind::Raise { .. } => return false,
            _ => waiting.extend(harp_python::blocks_of(statement).into_iter().flatten()),
        }
    }
    ends && returns > 0
}

fn function_of(method: &Value) -> Option<&Function> {
    let function = match method {
        Value::BoundMethod(method) => &method.function,
        other => other,
    };
    let Value::Function(closure) = function else { return None };
    Some(&closure.function)
}

fn returns_something(statement: &Stmt) -> bool {
    let any = |body: &[Stmt]| body.iter().any(returns_something);
    match &statement.kind {
        StmtKind::Return(Some(value)) => !matches!(value.kind, ExprKind::None | ExprKind::Bool(false)),
        StmtKind::If { body, orelse, .. }
        | StmtKind::For { body, orelse, .. }
        | StmtKind::While { body, orelse, .. } => any(body) || any(orelse),
        StmtKind::With { body, .. } => any(body),
        StmtKind::Try { body, handlers, orelse, finally } => {
            any(body) || any(orelse) || any(finally) || handlers.iter().any(|handler| any(&handler.body))
        }
        _ => false,
    }
}
