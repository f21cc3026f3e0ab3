//! The built-in function `eval`, and `ast.literal_eval`: texts that are Python expressions.

use crate::api::library_model::FunctionHandler;
use crate::calls::call::CallArguments;
use crate::evaluate::expressions::insert;
use crate::heap::objects::Payload;
use crate::loops::asks_iteration_number::children;
use crate::state::interpreter::{Eval, Flow, Interpreter, Interrupt};
use crate::values::value::{ObjectId, Value};
use harp_corpus::{FileId, Span};
use harp_python::ir::{BinaryOperator, ComprehensionKind, Expr, ExprKind, Stmt, StmtKind, UnaryOperator};
use harp_python::name::{Name, name};
use harp_python::parse_module;
use harp_shape::Dim;

/// Longer texts are not evaluated,
const LONGEST: usize = 4096;
/// nor expressions of more parts.
const MOST_PARTS: usize = 2048;

pub fn function(name: &str) -> Option<FunctionHandler> {
    Some(match name {
        "builtins.eval" => eval,
        "builtins.exec" => execute,
        // Code is executed where a text is.
        "builtins.compile" => |this, name, arguments| {
            let text = this.read(&first(&arguments));
            Ok(match text.as_text() {
                Some(_) => text,
                None => this.unanswered("code", name.as_str(), arguments.span),
            })
        },
        "fire.parser.DefaultParseValue" => |this, _, arguments| {
            let word = this.read(&first(&arguments));
            Ok(word.as_text().map(|text| as_literal(this, text)).unwrap_or(word))
        },
        "ast.literal_eval" => |this, name, arguments| match this.read(&first(&arguments)).as_text() {
            Some(text) => match expression_of(this, text) {
                Some(expression) => match literal(this, &expression) {
                    Some(value) => Ok(value),
                    None => {
                        if matches!(expression.kind, ExprKind::Name(_) | ExprKind::Attribute { .. } | ExprKind::Call(_))
                        {
                            this.raise_if_caught("ValueError", "malformed node or string", arguments.span)?;
                        }
                        Ok(this.unanswered("literal", name.as_str(), arguments.span))
                    }
                },
                None => {
                    this.raise_if_caught("SyntaxError", "invalid syntax", arguments.span)?;
                    Ok(this.unanswered("literal", name.as_str(), arguments.span))
                }
            },
            None => Ok(this.data_from_outside("literal", arguments.span)),
        },
        _ => return None,
    })
}

fn first(arguments: &CallArguments) -> Value {
    arguments.positional.first().cloned().unwrap_or(Value::Unknown("missing argument"))
}

/// A word as what it says in Python, else as a text: how `fire` reads command lines.
pub fn as_literal(interpreter: &mut Interpreter<'_>, word: &str) -> Value {
    let value = expression_of(interpreter, word).and_then(|expression| literal(interpreter, &expression));
    value.unwrap_or_else(|| Value::str(word))
}

/// The expression that a text is.
pub fn expression_of(interpreter: &Interpreter<'_>, text: &str) -> Option<Expr> {
    if text.len() > LONGEST {
        return None;
    }
    let mut parsed = parse_module(interpreter.file(), name!("eval"), false, text.trim());
    if !parsed.errors.is_empty() || parsed.module.body.len() != 1 {
        return None;
    }
    match parsed.module.body.pop()?.kind {
        StmtKind::Expr(expression) => Some(expression),
        _ => None,
    }
}

/// The value of an expression that is made of literals alone.
fn literal(interpreter: &mut Interpreter<'_>, expression: &Expr) -> Option<Value> {
    Some(match &expression.kind {
        ExprKind::None => Value::None,
        ExprKind::Bool(value) => Value::Bool(*value),
        ExprKind::Int(value) => Value::int(*value),
        ExprKind::Float(value) => Value::Float(Some(*value)),
        ExprKind::Str(text) => Value::str(text),
        ExprKind::Tuple(items) => Value::tuple(literals(interpreter, items)?),
        ExprKind::List(items) => {
            let items = literals(interpreter, items)?;
            Value::List(interpreter.heap.allocate_list(items))
        }
        ExprKind::Dict(entries) => {
            let mut known = Vec::with_capacity(entries.len());
            for (key, value) in entries {
                known.push((literal(interpreter, key.as_ref()?)?, literal(interpreter, value)?));
            }
            Value::Dict(interpreter.heap.allocate_dict(known))
        }
        ExprKind::Unary { operator: UnaryOperator::Minus, operand } => match literal(interpreter, operand)? {
            Value::Int(dim) => Value::Int(Dim::constant(dim.as_const()?.checked_neg()?)),
            Value::Float(Some(number)) => Value::Float(Some(-number)),
            _ => return None,
        },
        _ => return None,
    })
}

fn literals(interpreter: &mut Interpreter<'_>, items: &[Expr]) -> Option<Vec<Value>> {
    items.iter().map(|item| literal(interpreter, item)).collect()
}

/// Whether an expression can be evaluated at the place of the call: nothing in it is evaluated later.
fn is_immediate(expression: &Expr) -> bool {
    let mut waiting = vec![expression];
    let mut parts = 0;
    while let Some(expression) = waiting.pop() {
        parts += 1;
        let is_later = match &expression.kind {
            ExprKind::Lambda(_)
            | ExprKind::Named { .. }
            | ExprKind::Await(_)
            | ExprKind::Yield(_)
            | ExprKind::YieldFrom(_)
            | ExprKind::Invalid => true,
            ExprKind::Comprehension(comprehension) => {
                comprehension.kind == ComprehensionKind::Generator || comprehension.has_closures
            }
            ExprKind::Binary { operator: BinaryOperator::Power, right, .. } => !matches!(right.kind, ExprKind::Int(_)),
            _ => false,
        };
        if is_later || parts > MOST_PARTS {
            return false;
        }
        waiting.extend(children(expression));
    }
    true
}

/// `eval(text)` and `eval(text, {"name": value})`.
fn eval(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    let span = arguments.span;
    let text = interpreter.read(&first(&arguments));
    let expression = text.as_text().and_then(|text| expression_of(interpreter, text)).filter(is_immediate);
    let scopes: Vec<Value> = arguments.positional.iter().skip(1).map(|scope| interpreter.read(scope)).collect();
    let is_known =
        arguments.keywords.is_empty() && scopes.iter().all(|scope| matches!(scope, Value::Dict(_) | Value::None));
    let Some(expression) = expression.filter(|_| is_known) else {
        interpreter.not_understood(name.as_str(), span);
        return Ok(interpreter.symbolic("eval", span, true));
    };
    if scopes.iter().all(Value::is_none) {
        return at_the_call(interpreter, &expression, span);
    }
    let scope = scope_of(interpreter, &scopes);
    let Some(frame) = interpreter.frames.last_mut() else { return Ok(Value::Unknown("eval")) };
    let locals = std::mem::replace(&mut frame.locals, scope);
    let value = at_the_call(interpreter, &expression, span);
    if let Some(frame) = interpreter.frames.last_mut() {
        frame.locals = locals;
    }
    value
}

/// Evaluates an expression that stands in no file: what happens in it happens where it is evaluated.
fn at_the_call(interpreter: &mut Interpreter<'_>, expression: &Expr, span: Span) -> Eval {
    let Some(frame) = interpreter.frames.last_mut() else { return Ok(Value::Unknown("eval")) };
    let before = frame.at.replace(span);
    let value = interpreter.evaluate(expression);
    if let Some(frame) = interpreter.frames.last_mut() {
        frame.at = before;
    }
    value
}

/// A namespace of the names in dictionaries.
fn scope_of(interpreter: &mut Interpreter<'_>, scopes: &[Value]) -> ObjectId {
    let scope = interpreter.heap.allocate(Payload::Plain);
    for names in scopes {
        let Value::Dict(names) = names else { continue };
        let Some(data) = interpreter.heap.dict(*names).cloned() else { continue };
        for (name, value) in &data.entries {
            if let Some(name) = name.as_text() {
                interpreter.heap.set_attribute(scope, Name::new(name), value.clone());
            }
        }
    }
    scope
}

/// `exec(text)` in a module, and `exec(text, {"name": value})`.
fn execute(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    let span = arguments.span;
    let text = interpreter.read(&first(&arguments));
    let code = text.as_text().and_then(|text| Code::of(interpreter, text));
    let scopes: Vec<Value> = arguments.positional.iter().skip(1).map(|scope| interpreter.read(scope)).collect();
    let is_in_module = interpreter.frames.last().is_some_and(|frame| frame.locals == frame.globals);
    let target = match &scopes[..] {
        [] if is_in_module => Some(Vec::new()),
        [Value::Dict(names)] if interpreter.dict_class(*names).is_none() => Some(vec![*names]),
        [Value::Dict(globals), Value::Dict(locals)]
            if [*globals, *locals].iter().all(|names| interpreter.dict_class(*names).is_none()) =>
        {
            Some(vec![*globals, *locals])
        }
        _ => None,
    };
    let (Some(code), Some(targets), true) = (code, target, arguments.keywords.is_empty()) else {
        interpreter.not_understood(name.as_str(), span);
        forget_names(interpreter, &scopes, is_in_module);
        return Ok(interpreter.symbolic("result of code in a text", span, true));
    };
    let made: Vec<ObjectId> =
        targets.iter().map(|names| scope_of(interpreter, std::slice::from_ref(&Value::Dict(*names)))).collect();
    let Some(frame) = interpreter.frames.last_mut() else { return Ok(Value::None) };
    let before = (frame.locals, frame.globals, frame.at, frame.file);
    if let (Some(globals), Some(locals)) = (made.first(), made.last()) {
        (frame.globals, frame.locals) = (*globals, *locals);
    }
    let flow = match &code {
        Code::Statements(body) => {
            frame.at = Some(span);
            interpreter.execute_block(body)
        }
        Code::File(file, body) => {
            (frame.at, frame.file) = (None, *file);
            interpreter.execute_block(body)
        }
    };
    if let Some(frame) = interpreter.frames.last_mut() {
        (frame.locals, frame.globals, frame.at, frame.file) = before;
    }
    for (scope, names) in made.iter().zip(&targets) {
        let made = interpreter.heap.object(*scope).attributes.iter();
        let made: Vec<(Value, Value)> = made.map(|(name, value)| (Value::str(name.as_str()), value.clone())).collect();
        interpreter.heap.change_dict(*names, |data| {
            for (name, value) in made {
                insert(data, name, value);
            }
        });
    }
    match flow? {
        Flow::Raise => Err(Interrupt::Raise),
        _ => Ok(Value::None),
    }
}

/// What a text says to do.
enum Code<'p> {
    Statements(Vec<Stmt>),
    /// The text of a file of the program: what happens in it happens there.
    File(FileId, &'p [Stmt]),
}

impl<'p> Code<'p> {
    fn of(interpreter: &Interpreter<'p>, text: &str) -> Option<Self> {
        let project = interpreter.project;
        let file = interpreter.corpus.file_of_text(text).filter(|file| !interpreter.caches.broken.contains_key(file));
        if let Some(module) = file.and_then(|file| project.module(project.module_of_file(file))) {
            return Some(Code::File(module.file, &module.body));
        }
        statements_of(interpreter, text).map(Code::Statements)
    }
}

/// Code that is not known may have set any name that it knows.
fn forget_names(interpreter: &mut Interpreter<'_>, scopes: &[Value], is_in_module: bool) {
    match scopes.last() {
        Some(Value::Dict(names)) => {
            let any = (Value::Str(None), Value::Unknown("name that code sets"));
            interpreter.heap.change_dict(*names, |data| data.rest = Some(any));
        }
        None if is_in_module => {
            if let Some(globals) = interpreter.frames.last().map(|frame| frame.globals) {
                interpreter.forget_plain_attributes(globals);
            }
        }
        _ => {}
    }
}

/// The statements of a text, where what is in them happens where they are executed: imports and assignments.
fn statements_of(interpreter: &Interpreter<'_>, text: &str) -> Option<Vec<Stmt>> {
    if text.len() > LONGEST {
        return None;
    }
    let parsed = parse_module(interpreter.file(), name!("exec"), false, text);
    let is_plain = |statement: &Stmt| match &statement.kind {
        StmtKind::Expr(expression) => is_immediate(expression),
        StmtKind::Assign { targets, value } => is_immediate(value) && targets.iter().all(is_immediate),
        StmtKind::Import(_) | StmtKind::ImportFrom(_) | StmtKind::Pass => true,
        _ => false,
    };
    (parsed.errors.is_empty() && parsed.module.body.iter().all(is_plain)).then_some(parsed.module.body)
}
