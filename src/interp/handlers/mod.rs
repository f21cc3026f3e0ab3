//! Library functions, classes and methods whose meaning is Python's own rather than a shape's: containers, modules that hold modules, data
//! loaders, command lines. Everything else is an annotation.

mod annotated_functions;
mod array_files;
mod autograd;
mod blocks;
mod buffers;
mod chance;
mod class_tests;
mod click;
mod code_texts;
pub mod collate;
mod collections;
pub mod command_line;
mod conversion;
mod copies;
mod datasets;
mod dictionaries;
mod enumerations;
pub mod environment;
mod files;
mod flags;
mod format_fields;
pub mod formats;
mod function_transforms;
mod futures;
mod gathering;
pub mod generators;
mod given_words;
mod graphs;
pub mod grids;
mod gymnasium;
mod heaps;
pub mod hooks;
mod hugging_face;
mod hydra;
mod hydra_compose;
mod inspections;
mod item_methods;
mod iterators;
mod joint_transforms;
mod json_texts;
mod last_batches;
mod layer_parameters;
mod lazy_layers;
mod letters;
mod lightning;
mod loaders;
mod models;
mod module_children;
mod module_files;
mod module_items;
mod module_tree;
mod modules;
pub(crate) mod named_tuples;
mod namespaces;
mod native_classes;
mod number_methods;
mod numbers;
mod objects;
mod omega;
mod open_dicts;
mod operator_functions;
mod optimizers;
pub mod ordering;
mod packed;
mod parameters;
mod parametrizations;
pub(crate) mod patches;
mod path_names;
mod percent;
mod plugin_files;
mod processes;
mod queues;
mod reflection;
mod regular;
mod remote;
mod rounding;
mod saved;
mod sequences;
mod sets;
mod settings_files;
mod signature_kinds;
mod signature_options;
mod special_methods;
mod stacks;
mod state;
mod streams;
mod tables;
mod text;
mod tokens;
mod traces;
mod transforms;
mod versions;
mod weight_norms;
mod whole_batches;
mod words;
mod wrappers;
mod yaml_texts;

pub use code_texts::expression_of;
pub use flags::{FLAGS, new_registry};
pub use futures::{FUTURE, is_pending};
pub use gathering::tensor_constructor;
pub use joint_transforms::is_sample;
pub use namespaces::namespace_of;
pub use objects::has_attribute;
pub use regular::Expressions;
pub use saved::SavedFile;
pub use sequences::map_iteration;
pub use sets::combine_as_sets;

use crate::calls::CallArguments;
use crate::machine::{Eval, Interpreter};
use crate::value::{Iteration, ObjectId, Value};
use harp_python::name::Name;

/// Packages beside those of the annotations that handlers follow: their sources would tell less.
pub const FOLLOWED_PACKAGES: [&str; 41] = [
    "absl",
    "accelerate",
    "addict",
    "attrdict",
    "box",
    "click",
    "configargparse",
    "dotmap",
    "draccus",
    "easydict",
    "filelock",
    "fire",
    "httpx",
    "huggingface_hub",
    "hydra",
    "importlib_metadata",
    "jinja2",
    "jsonargparse",
    "lightning",
    "lightning_utilities",
    "looseversion",
    "ml_collections",
    "munch",
    "omegaconf",
    "packaging",
    "pandas",
    "pkg_resources",
    "pyrallis",
    "regex",
    "requests",
    "rich",
    "safetensors",
    "simple_parsing",
    "sklearn",
    "tokenizers",
    "toml",
    "tomli",
    "typer",
    "typing_extensions",
    "tyro",
    "yaml",
];

/// `name(…)`: the name is the one called, so that one handler may serve several.
pub type FunctionHandler = fn(&mut Interpreter<'_>, Name, CallArguments) -> Eval;
/// `receiver.method(…)`, and `instance(…)`.
pub type MethodHandler = fn(&mut Interpreter<'_>, &Value, CallArguments) -> Eval;
/// `super().__init__(…)` on an instance of a class of the program.
pub type ConstructorHandler = fn(&mut Interpreter<'_>, ObjectId, CallArguments) -> Eval<()>;
/// `for item in instance`.
pub type IterationHandler = fn(&mut Interpreter<'_>, &Value) -> Eval<Iteration>;

/// The handler of a function or class by qualified name.
pub fn function(name: &str) -> Option<FunctionHandler> {
    settings_files::function(name)
        .or_else(|| yaml_texts::function(name))
        .or_else(|| open_dicts::function(name))
        .or_else(|| flags::function(name))
        .or_else(|| lightning::function(name))
        .or_else(|| hydra::function(name))
        .or_else(|| omega::function(name))
        .or_else(|| click::function(name))
        .or_else(|| signature_options::function(name))
        .or_else(|| patches::function(name))
        .or_else(|| path_names::function(name))
        .or_else(|| numbers::function(name))
        .or_else(|| sequences::function(name))
        .or_else(|| iterators::function(name))
        .or_else(|| objects::function(name))
        .or_else(|| copies::function(name))
        .or_else(|| module_files::function(name))
        .or_else(|| json_texts::function(name))
        .or_else(|| code_texts::function(name))
        .or_else(|| streams::function(name))
        .or_else(|| text::function(name))
        .or_else(|| letters::function(name))
        .or_else(|| environment::function(name))
        .or_else(|| (name == "builtins.dir").then_some(crate::directories::dir as FunctionHandler))
        .or_else(|| reflection::function(name))
        .or_else(|| inspections::function(name))
        .or_else(|| weight_norms::function(name))
        .or_else(|| regular::function(name))
        .or_else(|| collections::function(name))
        .or_else(|| heaps::function(name))
        .or_else(|| plugin_files::function(name))
        .or_else(|| modules::function(name))
        .or_else(|| command_line::function(name))
        .or_else(|| loaders::function(name))
        .or_else(|| files::function(name))
        .or_else(|| array_files::function(name))
        .or_else(|| tables::function(name))
        .or_else(|| gathering::function(name))
        .or_else(|| parameters::function(name))
        .or_else(|| packed::function(name))
        .or_else(|| parametrizations::function(name))
        .or_else(|| transforms::function(name))
        .or_else(|| models::function(name))
        .or_else(|| datasets::function(name))
        .or_else(|| blocks::function(name))
        .or_else(|| processes::function(name))
        .or_else(|| futures::function(name))
        .or_else(|| remote::function(name))
        .or_else(|| wrappers::function(name))
        .or_else(|| native_classes::function(name))
        .or_else(|| graphs::function(name))
        .or_else(|| gymnasium::function(name))
        .or_else(|| chance::function(name))
        .or_else(|| operator_functions::function(name))
        .or_else(|| autograd::function(name))
        .or_else(|| function_transforms::function(name))
        .or_else(|| saved::function(name))
        .or_else(|| hugging_face::function(name))
        .or_else(|| versions::function(name))
}

/// The handler of a method by qualified name, such as `builtins.list.append`.
pub fn method(name: &str) -> Option<MethodHandler> {
    let of_dict =
        name.strip_prefix("collections.OrderedDict.").or_else(|| name.strip_prefix("collections.defaultdict."));
    let name = match of_dict {
        Some(method) if name != "collections.defaultdict.__init__" => &format!("builtins.dict.{method}"),
        _ => name,
    };
    sequences::method(name)
        .or_else(|| open_dicts::method(name))
        .or_else(|| flags::method(name))
        .or_else(|| lightning::method(name))
        .or_else(|| hydra::method(name))
        .or_else(|| click::method(name))
        .or_else(|| signature_options::method(name))
        .or_else(|| settings_files::method(name))
        .or_else(|| path_names::method(name))
        .or_else(|| plugin_files::method(name))
        .or_else(|| letters::method(name))
        .or_else(|| number_methods::method(name))
        .or_else(|| text::method(name))
        .or_else(|| objects::method(name))
        .or_else(|| collections::method(name))
        .or_else(|| reflection::method(name))
        .or_else(|| regular::method(name))
        .or_else(|| autograd::method(name))
        .or_else(|| modules::method(name))
        .or_else(|| command_line::method(name))
        .or_else(|| loaders::method(name))
        .or_else(|| array_files::method(name))
        .or_else(|| files::method(name))
        .or_else(|| datasets::method(name))
        .or_else(|| named_tuples::method(name))
        .or_else(|| namespaces::method(name))
        .or_else(|| packed::method(name))
        .or_else(|| stacks::method(name))
        .or_else(|| processes::method(name))
        .or_else(|| futures::method(name))
        .or_else(|| remote::method(name))
        .or_else(|| native_classes::method(name))
        .or_else(|| gymnasium::method(name))
        .or_else(|| generators::method(name))
        .or_else(|| special_methods::method(name))
        .or_else(|| item_methods::method(name))
        .or_else(|| module_files::method(name))
        .or_else(|| omega::method(name))
        .or_else(|| hooks::method(name))
        .or_else(|| tokens::method(name))
        .or_else(|| optimizers::method(name))
        .or_else(|| gathering::method(name))
}

/// The handler of a library class's constructor, for classes of the program that derive from it.
pub fn constructor(class: &str) -> Option<ConstructorHandler> {
    modules::constructor(class).or_else(|| command_line::constructor(class)).or_else(|| objects::constructor(class))
}

/// The handler of a call of an instance of a library class.
/// What a method of a data set does that annotations describe.
pub fn dataset_method(method: &str) -> Option<MethodHandler> {
    datasets::member(method)
}

/// What calling an instance of a library class does, where annotations cannot say it.
pub fn instance_call(class: &str) -> Option<MethodHandler> {
    match class {
        "functools.partial" => Some(collections::call_partial),
        "collections.namedtuple" => Some(collections::call_named_tuple),
        _ => modules::instance_call(class)
            .or_else(|| stacks::instance_call(class))
            .or_else(|| transforms::instance_call(class))
            .or_else(|| models::instance_call(class))
            .or_else(|| blocks::instance_call(class))
            .or_else(|| packed::instance_call(class))
            .or_else(|| lazy_layers::instance_call(class))
            .or_else(|| function_transforms::instance_call(class))
            .or_else(|| remote::instance_call(class))
            .or_else(|| wrappers::instance_call(class))
            .or_else(|| native_classes::instance_call(class))
            .or_else(|| flags::instance_call(class))
            .or_else(|| hydra::instance_call(class))
            .or_else(|| click::instance_call(class))
            .or_else(|| signature_options::instance_call(class))
            .or_else(|| reflection::instance_call(class))
            .or_else(|| tokens::instance_call(class)),
    }
}

/// The handler of an iteration over an instance of a library class.
pub fn iteration(class: &str) -> Option<IterationHandler> {
    match class {
        named_tuples::RECORD | named_tuples::TYPED => Some(named_tuples::iterate),
        namespaces::NAMESPACE => Some(namespaces::iterate),
        _ => modules::iteration(class).or_else(|| loaders::iteration(class)),
    }
}

/// A library constant that annotations do not describe.
pub fn constant(name: &str) -> Option<Value> {
    match name {
        "math.pi" => Some(Value::Float(Some(std::f64::consts::PI))),
        "math.e" => Some(Value::Float(Some(std::f64::consts::E))),
        "math.inf" | "numpy.inf" | "torch.inf" => Some(Value::Float(Some(f64::INFINITY))),
        "omegaconf.MISSING" => Some(Value::str("???")),
        "typing.TYPE_CHECKING" => Some(Value::Bool(false)),
        "sys.maxsize" => Some(Value::int(i64::MAX)),
        "logging.NOTSET" => Some(Value::int(0)),
        "logging.DEBUG" => Some(Value::int(10)),
        "logging.INFO" => Some(Value::int(20)),
        "logging.WARNING" | "logging.WARN" => Some(Value::int(30)),
        "logging.ERROR" => Some(Value::int(40)),
        "logging.CRITICAL" | "logging.FATAL" => Some(Value::int(50)),
        _ => blocks::constant(name).or_else(|| annotated_functions::constant(name)).or_else(|| regular::constant(name)),
    }
}

/// Whether a library's function or method is called where it decorates without parentheses: it makes something else of what it decorates.
pub fn is_decorator(value: &Value) -> bool {
    match value {
        Value::Library(name) => {
            click::is_decorator(name.as_str()) || matches!(name.as_str(), "functools.lru_cache" | "functools.cache")
        }
        Value::LibraryMethod(method) => click::is_decorator(method.api.as_str()),
        _ => false,
    }
}
