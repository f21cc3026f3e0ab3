//! What is known of a call: library APIs, functions of the program, Python's own functions.

use crate::annotations::{ApiSpec, Cost, Effects, Entry, Library};
use crate::interp::trace::Site;
use crate::python::name::Name;

/// An API that ran at a place.
#[derive(Clone, Copy)]
pub struct Known<'l> {
    /// The name under which it was reached.
    pub name: Name,
    pub spec: Option<&'l ApiSpec>,
    /// Whether the first parameter is what stands before the dot.
    pub takes_receiver: bool,
}

/// The APIs that ran at a place, with what is known of them. A class's name stands for its constructor, or for the call of an
/// instance where the place has a tensor as its value.
pub fn known<'l>(library: &'l Library, site: &Site) -> Vec<Known<'l>> {
    let one = |name: &Name| {
        let (spec, takes_receiver) = match library.entry(name.as_str()) {
            Some(Entry::Api(spec)) => (Some(&**spec), is_member(name.as_str())),
            Some(Entry::Class(class)) => match &class.call {
                Some(call) if site.shape.is_some() => (Some(call), false),
                _ => (Some(&class.constructor), false),
            },
            Some(Entry::Constant(_)) => (None, false),
            None => (method(library, name.as_str()), false),
        };
        Known { name: *name, spec, takes_receiver }
    };
    site.apis.iter().map(one).collect()
}

/// A method that stands in the description of its class.
fn method<'l>(library: &'l Library, name: &str) -> Option<&'l ApiSpec> {
    let (class, method) = name.rsplit_once('.')?;
    library.method(class, method).or_else(|| library.property(class, method))
}

/// Whether a qualified name is a class's member.
fn is_member(name: &str) -> bool {
    let class = name.rsplit('.').nth(1).unwrap_or("");
    class.starts_with(|first: char| first.is_ascii_uppercase()) || class == "ndarray"
}

/// Whether equal arguments give equal results and nothing else happens; logging and the like count as more.
pub fn is_pure(spec: &ApiSpec) -> bool {
    spec.effects.is_pure() && !spec.effects.has(Effects::RNG) && spec.effects.writes.is_empty()
}

/// Whether the API computes gradients or changes parameters or modes of modules.
pub fn trains(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or(name);
    matches!(last, "backward" | "step" | "zero_grad" | "grad" | "load_state_dict" | "scale")
        && (name.starts_with("torch.") || name.starts_with("tensorflow."))
}

/// Methods by whose name alone an unresolved call counts as training.
pub fn is_training_method(name: &str) -> bool {
    matches!(name, "backward" | "step" | "zero_grad" | "fit" | "train_step" | "optimize_parameters" | "manual_backward")
}

pub fn costs_much(cost: Cost) -> bool {
    matches!(cost, Cost::Matmul | Cost::Convolution)
}

/// Functions of Python itself that neither change their arguments nor anything else.
pub fn is_pure_builtin(name: &str) -> bool {
    matches!(
        name,
        "abs"
            | "all"
            | "any"
            | "bin"
            | "bool"
            | "bytes"
            | "callable"
            | "chr"
            | "complex"
            | "dict"
            | "divmod"
            | "enumerate"
            | "float"
            | "format"
            | "frozenset"
            | "getattr"
            | "hasattr"
            | "hash"
            | "hex"
            | "id"
            | "int"
            | "isinstance"
            | "issubclass"
            | "len"
            | "list"
            | "max"
            | "min"
            | "oct"
            | "ord"
            | "pow"
            | "range"
            | "repr"
            | "reversed"
            | "round"
            | "set"
            | "slice"
            | "sorted"
            | "str"
            | "sum"
            | "tuple"
            | "type"
            | "zip"
    )
}

/// Functions of Python itself that do something, but not to their arguments.
pub fn leaves_arguments_alone(name: &str) -> bool {
    matches!(name, "print" | "open" | "input" | "super" | "tqdm" | "trange")
}

/// Methods of Python's containers that change them.
pub fn is_changing_method(name: &str) -> bool {
    matches!(
        name,
        "add"
            | "append"
            | "clear"
            | "discard"
            | "extend"
            | "insert"
            | "pop"
            | "popitem"
            | "remove"
            | "reverse"
            | "setdefault"
            | "sort"
            | "update"
            | "appendleft"
            | "popleft"
            | "write"
            | "writelines"
    )
}

/// Methods of Python's own types that change nothing.
pub fn is_pure_method(name: &str) -> bool {
    matches!(
        name,
        "count"
            | "copy"
            | "endswith"
            | "format"
            | "get"
            | "index"
            | "items"
            | "join"
            | "keys"
            | "lower"
            | "replace"
            | "rstrip"
            | "lstrip"
            | "split"
            | "splitlines"
            | "startswith"
            | "strip"
            | "title"
            | "upper"
            | "values"
            | "zfill"
            | "isdigit"
            | "size"
            | "dim"
            | "numel"
    )
}

/// The name in NumPy of a function of the module `math` that works on one number, or `None`.
pub fn array_function(math: &str) -> Option<&'static str> {
    let same = [
        "sqrt", "exp", "log", "log2", "log10", "log1p", "expm1", "sin", "cos", "tan", "sinh", "cosh", "tanh", "floor",
        "ceil", "trunc", "hypot", "isnan", "isinf", "isfinite", "degrees", "radians",
    ];
    let renamed = [
        ("fabs", "abs"),
        ("pow", "power"),
        ("asin", "arcsin"),
        ("acos", "arccos"),
        ("atan", "arctan"),
        ("atan2", "arctan2"),
        ("asinh", "arcsinh"),
        ("acosh", "arccosh"),
        ("atanh", "arctanh"),
    ];
    let as_is = same.into_iter().find(|name| *name == math);
    as_is.or_else(|| renamed.into_iter().find(|(from, _)| *from == math).map(|(_, to)| to))
}
