//! Library functions, classes and methods whose meaning is Python's own rather than a shape's: containers, modules that hold modules, data
//! loaders, command lines. Everything else is an annotation.

pub use crate::builtins::containers::map_iteration;
pub use crate::builtins::eval::expression_of;
pub use crate::builtins::library_dict::namespace_of;
pub use crate::builtins::objects::has_attribute;
pub use crate::builtins::set::combine_as_sets;
pub use crate::libraries::command_line::absl_flags::{FLAGS, new_registry};
pub use crate::libraries::stdlib::futures::{FUTURE, is_pending};
pub use crate::libraries::stdlib::re::Expressions;
pub use crate::libraries::stdlib::saved_objects::SavedFile;
pub use crate::libraries::torch::tensors_from_lists::tensor_constructor;
pub use crate::libraries::torchvision::transforms_v2::is_sample;

use crate::calls::call::CallArguments;
use crate::state::interpreter::{Eval, Interpreter};
use crate::values::value::{Iteration, ObjectId, Value};
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
    crate::libraries::settings::open_files::function(name)
        .or_else(|| crate::libraries::settings::yaml_dump::function(name))
        .or_else(|| crate::classes::dict_subclass_methods::function(name))
        .or_else(|| crate::libraries::command_line::absl_flags::function(name))
        .or_else(|| crate::libraries::lightning::function(name))
        .or_else(|| crate::libraries::settings::hydra::function(name))
        .or_else(|| crate::libraries::settings::omegaconf::function(name))
        .or_else(|| crate::libraries::command_line::click::function(name))
        .or_else(|| crate::libraries::command_line::signature_options::function(name))
        .or_else(|| crate::libraries::stdlib::mock_patch::function(name))
        .or_else(|| crate::libraries::stdlib::paths::function(name))
        .or_else(|| crate::builtins::numbers::function(name))
        .or_else(|| crate::builtins::containers::function(name))
        .or_else(|| crate::builtins::iterator_functions::function(name))
        .or_else(|| crate::builtins::objects::function(name))
        .or_else(|| crate::builtins::copy::function(name))
        .or_else(|| crate::libraries::stdlib::importlib_util::function(name))
        .or_else(|| crate::libraries::stdlib::json_dumps::function(name))
        .or_else(|| crate::builtins::eval::function(name))
        .or_else(|| crate::libraries::stdlib::file_like_objects::function(name))
        .or_else(|| crate::builtins::strings::function(name))
        .or_else(|| crate::builtins::str_case::function(name))
        .or_else(|| crate::libraries::stdlib::os_environ::function(name))
        .or_else(|| (name == "builtins.dir").then_some(crate::classes::dir::dir as FunctionHandler))
        .or_else(|| crate::builtins::reflection::function(name))
        .or_else(|| crate::libraries::stdlib::inspect::function(name))
        .or_else(|| crate::libraries::torch::nn::weight_norm::function(name))
        .or_else(|| crate::libraries::stdlib::re::function(name))
        .or_else(|| crate::libraries::stdlib::collections::function(name))
        .or_else(|| crate::libraries::stdlib::heapq::function(name))
        .or_else(|| crate::libraries::stdlib::pkgutil::function(name))
        .or_else(|| crate::libraries::torch::nn::module::function(name))
        .or_else(|| crate::libraries::command_line::argparse::function(name))
        .or_else(|| crate::libraries::torch::data::loader::function(name))
        .or_else(|| crate::libraries::numpy::loaded_arrays::function(name))
        .or_else(|| crate::libraries::numpy::array_files::function(name))
        .or_else(|| crate::libraries::pandas::primitives::function(name))
        .or_else(|| crate::libraries::torch::tensors_from_lists::function(name))
        .or_else(|| crate::libraries::torch::nn::functions_with_object_results::function(name))
        .or_else(|| crate::libraries::torch::nn::packed_sequences::function(name))
        .or_else(|| crate::libraries::torch::nn::parametrizations::function(name))
        .or_else(|| crate::libraries::torchvision::transforms::function(name))
        .or_else(|| crate::libraries::torchvision::models::function(name))
        .or_else(|| crate::libraries::torch::data::dataset::function(name))
        .or_else(|| crate::libraries::torchvision::residual_blocks::function(name))
        .or_else(|| crate::libraries::stdlib::multiprocessing::function(name))
        .or_else(|| crate::libraries::stdlib::futures::function(name))
        .or_else(|| crate::libraries::torch::distributed_rpc::function(name))
        .or_else(|| crate::libraries::torch::nn::wrappers::function(name))
        .or_else(|| crate::libraries::torch::torch_classes::function(name))
        .or_else(|| crate::libraries::torch::fx::graph::function(name))
        .or_else(|| crate::libraries::gymnasium::function(name))
        .or_else(|| crate::libraries::stdlib::random::function(name))
        .or_else(|| crate::libraries::stdlib::operator::function(name))
        .or_else(|| crate::libraries::torch::autograd_function::function(name))
        .or_else(|| crate::libraries::torch::func::function(name))
        .or_else(|| crate::libraries::stdlib::saved_objects::function(name))
        .or_else(|| crate::libraries::hugging_face::function(name))
        .or_else(|| crate::libraries::stdlib::package_versions::function(name))
}

/// The handler of a method by qualified name, such as `builtins.list.append`.
pub fn method(name: &str) -> Option<MethodHandler> {
    let of_dict =
        name.strip_prefix("collections.OrderedDict.").or_else(|| name.strip_prefix("collections.defaultdict."));
    let name = match of_dict {
        Some(method) if name != "collections.defaultdict.__init__" => &format!("builtins.dict.{method}"),
        _ => name,
    };
    crate::builtins::containers::method(name)
        .or_else(|| crate::classes::dict_subclass_methods::method(name))
        .or_else(|| crate::libraries::command_line::absl_flags::method(name))
        .or_else(|| crate::libraries::lightning::method(name))
        .or_else(|| crate::libraries::settings::hydra::method(name))
        .or_else(|| crate::libraries::command_line::click::method(name))
        .or_else(|| crate::libraries::command_line::signature_options::method(name))
        .or_else(|| crate::libraries::settings::open_files::method(name))
        .or_else(|| crate::libraries::stdlib::paths::method(name))
        .or_else(|| crate::libraries::stdlib::pkgutil::method(name))
        .or_else(|| crate::builtins::str_case::method(name))
        .or_else(|| crate::builtins::number_methods::method(name))
        .or_else(|| crate::builtins::strings::method(name))
        .or_else(|| crate::builtins::objects::method(name))
        .or_else(|| crate::libraries::stdlib::collections::method(name))
        .or_else(|| crate::builtins::reflection::method(name))
        .or_else(|| crate::libraries::stdlib::re::method(name))
        .or_else(|| crate::libraries::torch::autograd_function::method(name))
        .or_else(|| crate::libraries::torch::nn::module::method(name))
        .or_else(|| crate::libraries::command_line::argparse::method(name))
        .or_else(|| crate::libraries::torch::data::loader::method(name))
        .or_else(|| crate::libraries::numpy::array_files::method(name))
        .or_else(|| crate::libraries::numpy::loaded_arrays::method(name))
        .or_else(|| crate::libraries::torch::data::dataset::method(name))
        .or_else(|| crate::classes::named_tuples::method(name))
        .or_else(|| crate::builtins::library_dict::method(name))
        .or_else(|| crate::libraries::torch::nn::packed_sequences::method(name))
        .or_else(|| crate::libraries::torch::nn::transformer_stacks::method(name))
        .or_else(|| crate::libraries::stdlib::multiprocessing::method(name))
        .or_else(|| crate::libraries::stdlib::futures::method(name))
        .or_else(|| crate::libraries::torch::distributed_rpc::method(name))
        .or_else(|| crate::libraries::torch::torch_classes::method(name))
        .or_else(|| crate::libraries::gymnasium::method(name))
        .or_else(|| crate::generators::generator_methods::method(name))
        .or_else(|| crate::builtins::dunder_calls::method(name))
        .or_else(|| crate::builtins::item_dunders::method(name))
        .or_else(|| crate::libraries::stdlib::importlib_util::method(name))
        .or_else(|| crate::libraries::settings::omegaconf::method(name))
        .or_else(|| crate::libraries::torch::nn::hooks::method(name))
        .or_else(|| crate::libraries::torchtext::tokens::method(name))
        .or_else(|| crate::libraries::torch::optimizer_state::method(name))
        .or_else(|| crate::libraries::torch::tensors_from_lists::method(name))
}

/// The handler of a library class's constructor, for classes of the program that derive from it.
pub fn constructor(class: &str) -> Option<ConstructorHandler> {
    crate::libraries::torch::nn::module::constructor(class)
        .or_else(|| crate::libraries::command_line::argparse::constructor(class))
        .or_else(|| crate::builtins::objects::constructor(class))
}

/// The handler of a call of an instance of a library class.
/// What a method of a data set does that annotations describe.
pub fn dataset_method(method: &str) -> Option<MethodHandler> {
    crate::libraries::torch::data::dataset::member(method)
}

/// What calling an instance of a library class does, where annotations cannot say it.
pub fn instance_call(class: &str) -> Option<MethodHandler> {
    match class {
        "functools.partial" => Some(crate::libraries::stdlib::collections::call_partial),
        "collections.namedtuple" => Some(crate::libraries::stdlib::collections::call_named_tuple),
        _ => crate::libraries::torch::nn::module::instance_call(class)
            .or_else(|| crate::libraries::torch::nn::transformer_stacks::instance_call(class))
            .or_else(|| crate::libraries::torchvision::transforms::instance_call(class))
            .or_else(|| crate::libraries::torchvision::models::instance_call(class))
            .or_else(|| crate::libraries::torchvision::residual_blocks::instance_call(class))
            .or_else(|| crate::libraries::torch::nn::packed_sequences::instance_call(class))
            .or_else(|| crate::libraries::torch::nn::lazy_layers::instance_call(class))
            .or_else(|| crate::libraries::torch::func::instance_call(class))
            .or_else(|| crate::libraries::torch::distributed_rpc::instance_call(class))
            .or_else(|| crate::libraries::torch::nn::wrappers::instance_call(class))
            .or_else(|| crate::libraries::torch::torch_classes::instance_call(class))
            .or_else(|| crate::libraries::command_line::absl_flags::instance_call(class))
            .or_else(|| crate::libraries::settings::hydra::instance_call(class))
            .or_else(|| crate::libraries::command_line::click::instance_call(class))
            .or_else(|| crate::libraries::command_line::signature_options::instance_call(class))
            .or_else(|| crate::builtins::reflection::instance_call(class))
            .or_else(|| crate::libraries::torchtext::tokens::instance_call(class)),
    }
}

/// The handler of an iteration over an instance of a library class.
pub fn iteration(class: &str) -> Option<IterationHandler> {
    match class {
        crate::classes::named_tuples::RECORD | crate::classes::named_tuples::TYPED => {
            Some(crate::classes::named_tuples::iterate)
        }
        crate::builtins::library_dict::NAMESPACE => Some(crate::builtins::library_dict::iterate),
        _ => crate::libraries::torch::nn::module::iteration(class)
            .or_else(|| crate::libraries::torch::data::loader::iteration(class)),
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
        _ => crate::libraries::torchvision::residual_blocks::constant(name)
            .or_else(|| crate::builtins::signature_objects::constant(name))
            .or_else(|| crate::libraries::stdlib::re::constant(name)),
    }
}

/// Whether a library's function or method is called where it decorates without parentheses: it makes something else of what it decorates.
pub fn is_decorator(value: &Value) -> bool {
    match value {
        Value::Library(name) => {
            crate::libraries::command_line::click::is_decorator(name.as_str())
                || matches!(name.as_str(), "functools.lru_cache" | "functools.cache")
        }
        Value::LibraryMethod(method) => crate::libraries::command_line::click::is_decorator(method.api.as_str()),
        _ => false,
    }
}
