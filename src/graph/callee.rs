//! Rows on what a call calls: library APIs, functions of the program, Python's own functions.

use std::cell::RefCell;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::Program;
use harp_annotations::{ApiSpec, Effects, Entry, Library};
use harp_python::name::Name;
use harp_trace::Site;

/// What was found out about names, so that each is looked up once: a project calls the same functions again and again.
#[derive(Debug, Default)]
pub struct ApiNames {
    /// Names that the library says nothing about, which takes the longest to find out.
    undescribed: RefCell<FxHashSet<Name>>,
    /// Qualified names of Python's own functions.
    of_builtins: RefCell<FxHashMap<Name, Name>>,
}

impl ApiNames {
    fn of_builtin(&self, name: Name) -> Name {
        let mut known = self.of_builtins.borrow_mut();
        *known.entry(name).or_insert_with(|| Name::new(&format!("{BUILTINS}{name}")))
    }
}

/// What the library says about a name.
#[derive(Clone, Copy)]
enum Description<'l> {
    Entry(&'l Entry),
    /// A method in the description of its class.
    Method(&'l ApiSpec),
    Nothing,
}

fn describe<'l>(program: Program<'l>, name: Name) -> Description<'l> {
    let Program { library, names, .. } = program;
    if names.undescribed.borrow().contains(&name) {
        return Description::Nothing;
    }
    let text = name.as_str();
    if let Some(entry) = library.entry(text) {
        return Description::Entry(entry);
    }
    if let Some(spec) = method(library, text) {
        return Description::Method(spec);
    }
    names.undescribed.borrow_mut().insert(name);
    Description::Nothing
}

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
pub fn known<'l>(program: Program<'l>, site: &'l Site) -> impl Iterator<Item = Known<'l>> {
    site.apis.iter().map(move |name| known_one(program, *name, site.shape.is_some()))
}

/// The same for one API, by whether it gave a tensor.
pub fn known_one(program: Program<'_>, name: Name, has_tensor: bool) -> Known<'_> {
    known_as(name, describe(program, name), has_tensor)
}

fn known_as(name: Name, description: Description<'_>, has_tensor: bool) -> Known<'_> {
    let (spec, takes_receiver) = match description {
        Description::Entry(Entry::Api(spec)) => (Some(&**spec), is_member(name.as_str())),
        Description::Entry(Entry::Class(class)) => match &class.call {
            Some(call) if has_tensor => (Some(call), false),
            _ => (Some(&class.constructor), false),
        },
        Description::Entry(Entry::Constant(_)) | Description::Nothing => (None, false),
        Description::Method(spec) => (Some(spec), false),
    };
    Known { name, spec, takes_receiver }
}

/// Something of a library, or of Python itself, that a call runs.
pub struct Called<'l> {
    pub known: Known<'l>,
    /// Whether the call makes an object of a class.
    pub makes_object: bool,
    /// Whether the program names it or an object of it there, so that it is called whatever it is given; else the operands decide.
    pub is_named: bool,
}

impl Called<'_> {
    /// The name as programs write it: `open`, not `builtins.open`.
    pub fn shown_name(&self) -> &'static str {
        shown_name(self.known.name)
    }
}

/// The name of an API as programs write it.
pub fn shown_name(name: Name) -> &'static str {
    let name = name.as_str();
    name.strip_prefix(BUILTINS).unwrap_or(name)
}

const BUILTINS: &str = "builtins.";

/// All that a call runs of libraries: operations, objects that are made, and functions that run no operation.
pub fn called<'l>(program: Program<'l>, site: Option<&Site>, builtin: Option<Name>) -> Vec<Called<'l>> {
    let mut found: Vec<Called<'l>> = Vec::new();
    if let Some(site) = site {
        for name in &site.apis {
            let description = describe(program, *name);
            let is_class = matches!(description, Description::Entry(Entry::Class(_)));
            let makes_object = is_class && site.shape.is_none() && !site.calls_object;
            let known = known_as(*name, description, site.shape.is_some());
            let is_method = known.takes_receiver || matches!(description, Description::Method(_));
            let is_named = !is_method && (site.calls_object || site.library.iter().any(|named| named == name));
            found.push(Called { known, makes_object, is_named });
        }
        for name in &site.library {
            // Methods of Python's own types are not listed: `builtins.list.append`.
            let is_member_of_builtin = name.as_str().strip_prefix(BUILTINS).is_some_and(|rest| rest.contains('.'));
            if !is_member_of_builtin && !found.iter().any(|called| called.known.name == *name) {
                found.push(by_name(program, *name));
            }
        }
    }
    if let Some(name) = builtin
        && found.is_empty()
    {
        found.push(by_name(program, program.names.of_builtin(name)));
    }
    found
}

/// Methods of Python's own types that a call was seen to run: `list.append`.
pub fn methods_of_python(site: Option<&Site>) -> impl Iterator<Item = &'static str> + '_ {
    let names = site.into_iter().flat_map(|site| &site.library);
    names.filter_map(|name| name.as_str().strip_prefix(BUILTINS).filter(|rest| rest.contains('.')))
}

/// What a qualified name in the place of a function stands for.
fn by_name(program: Program<'_>, name: Name) -> Called<'_> {
    let text = name.as_str();
    let (spec, takes_receiver, makes_object) = match describe(program, name) {
        Description::Entry(Entry::Api(spec)) => (Some(&**spec), is_member(text), false),
        Description::Entry(Entry::Class(class)) => (Some(&class.constructor), false, true),
        Description::Entry(Entry::Constant(_)) => (None, false, false),
        Description::Method(spec) => (Some(spec), takes_self(spec), false),
        // By convention, names of classes begin with a capital.
        Description::Nothing => (None, false, text.rsplit('.').next().unwrap_or(text).starts_with(char::is_uppercase)),
    };
    Called { known: Known { name, spec, takes_receiver }, makes_object, is_named: !takes_receiver }
}

/// Methods that stand in the description of their class mostly leave the receiver out.
fn takes_self(spec: &ApiSpec) -> bool {
    spec.parameters.first().is_some_and(|first| &*first.name == "self")
}

/// What an API does besides, with the finer words for input and output.
pub fn effect_words(name: Name, spec: &ApiSpec) -> Vec<String> {
    let mut words = spec.effects.words();
    if spec.effects.has(Effects::IO) {
        words.push(if is_logging(shown_name(name)) { "logging" } else { "files" }.to_owned());
    }
    words
}

/// Input and output that tells people how the program is getting on: prints, logs, progress bars, trackers of experiments.
fn is_logging(name: &str) -> bool {
    let first = name.split('.').next().unwrap_or(name);
    matches!(first, "print" | "input" | "pprint" | "logging" | "warnings" | "tqdm" | "wandb" | "mlflow")
        || name.contains(".SummaryWriter.")
}

/// A method that stands in the description of its class.
fn method<'l>(library: &'l Library, name: &str) -> Option<&'l ApiSpec> {
    let (class, method) = name.rsplit_once('.')?;
    // Of a class that is not described the name itself would be looked up, twice more.
    library.class(class)?;
    library.method(class, method).or_else(|| library.property(class, method))
}

/// Whether a qualified name is a class's member.
pub fn is_member(name: &str) -> bool {
    let class = name.rsplit('.').nth(1).unwrap_or("");
    class.starts_with(|first: char| first.is_ascii_uppercase()) || class == "ndarray"
}

/// Whether equal arguments give equal results and nothing else happens; logging and the like count as more.
pub fn is_pure(spec: &ApiSpec) -> bool {
    spec.effects.is_pure() && !spec.effects.has(Effects::RNG) && spec.effects.writes.is_empty()
}

/// Whether the API computes gradients or changes parameters or modes of modules.
pub fn trains(library: &Library, api: Known<'_>) -> bool {
    let name = api.name.as_str();
    let last = name.rsplit('.').next().unwrap_or(name);
    if api.spec.is_some_and(|spec| spec.roles.contains(&"trains")) {
        return true;
    }
    matches!(last, "backward" | "step" | "zero_grad" | "grad" | "load_state_dict" | "scale")
        && library.families().made_by(name).is_some_and(|family| family.rules().has_gradient)
}

/// Methods by whose name alone an unresolved call counts as training.
pub fn is_training_method(name: &str) -> bool {
    matches!(name, "backward" | "step" | "zero_grad" | "fit" | "train_step" | "optimize_parameters" | "manual_backward")
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
            | "reveal_type"
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
