//! Special methods of built-in types that a program calls by their names: `x.__len__()` is `len(x)`.

use crate::api::library_model::MethodHandler;
use crate::calls::call::CallArguments;
use crate::heap::objects::Payload;
use crate::state::interpreter::{Eval, Interpreter};
use crate::values::value::Value;
use harp_python::ir::{BinaryOperator, CompareOperator};

/// The functions that call special methods of their argument.
const FUNCTIONS: [(&str, &str); 15] = [
    ("__abs__", "builtins.abs"),
    ("__bool__", "builtins.bool"),
    ("__ceil__", "math.ceil"),
    ("__float__", "builtins.float"),
    ("__floor__", "math.floor"),
    ("__format__", "builtins.format"),
    ("__index__", "builtins.int"),
    ("__int__", "builtins.int"),
    ("__iter__", "builtins.iter"),
    ("__len__", "builtins.len"),
    ("__next__", "builtins.next"),
    ("__repr__", "builtins.repr"),
    ("__round__", "builtins.round"),
    ("__str__", "builtins.str"),
    ("__trunc__", "math.trunc"),
];

/// Those of them that objects of libraries have as well, which iterate as their classes do: `loader.__iter__()`.
const OF_LIBRARIES: [&str; 2] = ["__iter__", "__next__"];

pub fn method(name: &str) -> Option<MethodHandler> {
    if let Some((class, special)) = name.rsplit_once('.')
        && !class.starts_with("builtins.")
        && OF_LIBRARIES.contains(&special)
    {
        return FUNCTIONS.iter().find(|(known, _)| *known == special).map(|(_, function)| by_function(function));
    }
    let special = name.strip_prefix("builtins.")?.rsplit('.').next()?;
    if name.starts_with("builtins.object.") || name.starts_with("builtins.super.") {
        return None;
    }
    FUNCTIONS
        .iter()
        .find(|(known, _)| *known == special)
        .map(|(_, function)| by_function(function))
        .or_else(|| binary_method(special))
}

/// A handler for each function, as handlers do not know by which name they are called.
fn by_function(function: &str) -> MethodHandler {
    match function {
        "builtins.abs" => |this, object, call| call_on(this, "builtins.abs", object, call),
        "builtins.bool" => |this, object, call| call_on(this, "builtins.bool", object, call),
        "math.ceil" => |this, object, call| call_on(this, "math.ceil", object, call),
        "math.floor" => |this, object, call| call_on(this, "math.floor", object, call),
        "math.trunc" => |this, object, call| call_on(this, "math.trunc", object, call),
        "builtins.float" => |this, object, call| call_on(this, "builtins.float", object, call),
        "builtins.format" => |this, object, call| call_on(this, "builtins.format", object, call),
        "builtins.int" => |this, object, call| call_on(this, "builtins.int", object, call),
        "builtins.iter" => |this, object, call| call_on(this, "builtins.iter", object, call),
        "builtins.len" => |this, object, call| call_on(this, "builtins.len", object, call),
        "builtins.next" => |this, object, call| call_on(this, "builtins.next", object, call),
        "builtins.repr" => |this, object, call| call_on(this, "builtins.repr", object, call),
        "builtins.round" => |this, object, call| call_on(this, "builtins.round", object, call),
        _ => |this, object, call| call_on(this, "builtins.str", object, call),
    }
}

/// An object of one of Python's classes without values of its own (an exception), or of a class of the program that derives from one of Python's: the
/// function or operator would ask for the method again.
fn asks_again(interpreter: &Interpreter<'_>, object: &Value) -> bool {
    let object = interpreter.read(object);
    matches!(object, Value::Instance(_))
        && match interpreter.class_of(&object) {
            Value::Library(class) => class.as_str().starts_with("builtins."),
            _ => true,
        }
}

fn call_on(interpreter: &mut Interpreter<'_>, function: &str, object: &Value, call: CallArguments) -> Eval {
    if asks_again(interpreter, object) {
        return Ok(interpreter.symbolic(function, call.span, true));
    }
    let object = without_own_methods(interpreter, object);
    interpreter.call(&Value::library(function), call.with_first(object))
}

/// The entries of a dictionary without the methods that its class has for itself, as those ask for what `dict` does.
fn without_own_methods(interpreter: &mut Interpreter<'_>, object: &Value) -> Value {
    match interpreter.read(object) {
        Value::Dict(id) if matches!(interpreter.dict_class(id), Some(Value::Class(_))) => {
            let entries = interpreter.heap.dict(id).cloned().unwrap_or_default();
            Value::Dict(interpreter.heap.allocate(Payload::Dict(entries)))
        }
        _ => object.clone(),
    }
}

fn binary_method(special: &str) -> Option<MethodHandler> {
    macro_rules! handlers {
        ($($name:literal => $run:ident($operator:expr)),* $(,)?) => {
            match special {
                $($name => Some(|this, object, call| $run(this, $operator, object, call)),)*
                "__getitem__" => Some(|this, object, call| match call.positional.first() {
                    Some(index) if !asks_again(this, object) => this.get_item(object, &index.clone(), call.span),
                    _ => Ok(this.symbolic("item", call.span, true)),
                }),
                "__contains__" => Some(|this, object, call| {
                    if asks_again(this, object) {
                        return Ok(Value::Unknown("whether an object has an item"));
                    }
                    let item = call.positional.first().cloned().unwrap_or(Value::Unknown("missing argument"));
                    let object = without_own_methods(this, object);
                    this.compare(CompareOperator::In, &item, &object, call.span, [call.span; 2])
                }),
                _ => None,
            }
        };
    }
    handlers! {
        "__add__" => apply(BinaryOperator::Add),
        "__sub__" => apply(BinaryOperator::Subtract),
        "__mul__" => apply(BinaryOperator::Multiply),
        "__floordiv__" => apply(BinaryOperator::FloorDivide),
        "__truediv__" => apply(BinaryOperator::Divide),
        "__mod__" => apply(BinaryOperator::Modulo),
        "__pow__" => apply(BinaryOperator::Power),
        "__and__" => apply(BinaryOperator::BitAnd),
        "__or__" => apply(BinaryOperator::BitOr),
        "__xor__" => apply(BinaryOperator::BitXor),
        "__eq__" => compare(CompareOperator::Equal),
        "__ne__" => compare(CompareOperator::NotEqual),
        "__lt__" => compare(CompareOperator::Less),
        "__le__" => compare(CompareOperator::LessEqual),
        "__gt__" => compare(CompareOperator::Greater),
        "__ge__" => compare(CompareOperator::GreaterEqual),
    }
}

fn apply(interpreter: &mut Interpreter<'_>, operator: BinaryOperator, object: &Value, call: CallArguments) -> Eval {
    if asks_again(interpreter, object) {
        return Ok(interpreter.symbolic("result", call.span, true));
    }
    let other = call.positional.first().cloned().unwrap_or(Value::Unknown("missing argument"));
    let object = &without_own_methods(interpreter, object);
    interpreter.binary(operator, object, &other, call.span, [call.span; 2])
}

fn compare(interpreter: &mut Interpreter<'_>, operator: CompareOperator, object: &Value, call: CallArguments) -> Eval {
    if asks_again(interpreter, object) {
        return Ok(Value::Unknown("a comparison of objects"));
    }
    let other = call.positional.first().cloned().unwrap_or(Value::Unknown("missing argument"));
    interpreter.compare(operator, object, &other, call.span, [call.span; 2])
}
