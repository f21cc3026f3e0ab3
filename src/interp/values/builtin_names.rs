//! Python's built-in names.

use crate::values::value::Value;
use harp_python::name::Name;

/// Built-in functions, types and exceptions that programs use without an import.
const NAMES: [&str; 98] = [
    "ArithmeticError",
    "AssertionError",
    "AttributeError",
    "BaseException",
    "BaseExceptionGroup",
    "ConnectionError",
    "DeprecationWarning",
    "EOFError",
    "Ellipsis",
    "EnvironmentError",
    "Exception",
    "ExceptionGroup",
    "FileExistsError",
    "FileNotFoundError",
    "FutureWarning",
    "IOError",
    "ImportError",
    "ImportWarning",
    "IndexError",
    "KeyError",
    "KeyboardInterrupt",
    "LookupError",
    "MemoryError",
    "ModuleNotFoundError",
    "NameError",
    "NotImplemented",
    "NotImplementedError",
    "OSError",
    "OverflowError",
    "PermissionError",
    "RecursionError",
    "ResourceWarning",
    "RuntimeError",
    "RuntimeWarning",
    "StopAsyncIteration",
    "StopIteration",
    "SyntaxError",
    "SystemError",
    "SystemExit",
    "TimeoutError",
    "TypeError",
    "UnicodeDecodeError",
    "UnicodeEncodeError",
    "UnicodeError",
    "UserWarning",
    "ValueError",
    "Warning",
    "ZeroDivisionError",
    "__import__",
    "abs",
    "all",
    "any",
    "ascii",
    "bin",
    "bool",
    "breakpoint",
    "bytearray",
    "bytes",
    "callable",
    "chr",
    "classmethod",
    "compile",
    "complex",
    "delattr",
    "dict",
    "dir",
    "divmod",
    "enumerate",
    "eval",
    "exec",
    "exit",
    "filter",
    "float",
    "format",
    "frozenset",
    "getattr",
    "globals",
    "hasattr",
    "hash",
    "hex",
    "id",
    "input",
    "int",
    "isinstance",
    "issubclass",
    "iter",
    "len",
    "list",
    "locals",
    "map",
    "max",
    "memoryview",
    "min",
    "next",
    "object",
    "oct",
    "open",
    "ord",
];

const MORE_NAMES: [&str; 26] = [
    "pow",
    "print",
    "property",
    "quit",
    "range",
    "raw_input",
    "repr",
    "reveal_type",
    "reversed",
    "round",
    "set",
    "setattr",
    "slice",
    "sorted",
    "staticmethod",
    "str",
    "sum",
    "super",
    "tuple",
    "type",
    "unicode",
    "vars",
    "xrange",
    "zip",
    "basestring",
    "long",
];

/// The value of a built-in name.
pub fn lookup(name: Name) -> Option<Value> {
    match name.as_str() {
        "NotImplemented" => return Some(Value::Unknown("NotImplemented")),
        "Ellipsis" => return Some(Value::Ellipsis),
        "__debug__" => return Some(Value::Bool(true)),
        "__file__" | "__doc__" => return Some(Value::Str(None)),
        "__spec__" | "__loader__" => return Some(Value::Unknown("how a module was found")),
        _ => {}
    }
    let text = name.as_str();
    let is_known = NAMES.binary_search(&text).is_ok() || MORE_NAMES.contains(&text);
    is_known.then(|| Value::library(&format!("builtins.{text}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_for_the_search() {
        assert!(NAMES.is_sorted());
        assert!(lookup(Name::new("len")).is_some());
        assert!(lookup(Name::new("numpy")).is_none());
    }
}
