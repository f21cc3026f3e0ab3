//! `importlib.metadata` and `packaging`: versions of packages, which programs compare to choose what they call.

use harp_annotations::Target;
use harp_interp::api::library_model::FunctionHandler;
use harp_interp::calls::call::CallArguments;
use harp_interp::state::interpreter::{Eval, Interpreter};
use harp_interp::values::value::Value;
use harp_python::name::{Name, name};

/// The version of PyTorch that the annotations describe.
const OF_TORCH: &str = "2.15.0";

pub fn function(name: &str) -> Option<FunctionHandler> {
    Some(match name {
        "packaging.version.parse"
        | "pkg_resources.packaging.version.parse"
        | "pkg_resources.packaging.version.Version"
        | "pkg_resources.parse_version"
        | "looseversion.LooseVersion"
        | "distutils.version.LooseVersion"
        | "distutils.version.StrictVersion" => parse,
        "importlib.metadata.version" | "importlib_metadata.version" => installed,
        _ => return None,
    })
}

/// `parse(text)`: how the version of a known text compares with others is said in Python.
fn parse(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    let text = arguments.positional.first().map(|text| interpreter.read(text));
    if !matches!(text, Some(Value::Str(Some(_)))) {
        return Ok(interpreter.symbolic(name.as_str(), arguments.span, true));
    }
    let class = interpreter.library_value(name!("packaging.version.Version"), arguments.span);
    interpreter.call(&class, arguments)
}

/// `importlib.metadata.version(package)`
fn installed(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let package = arguments.positional.first().map(|package| interpreter.read(package));
    let is_torch = package.as_ref().and_then(Value::as_text) == Some("torch");
    Ok(if is_torch { interpreter.version_of_torch() } else { Value::Str(None) })
}

#[easy_ext::ext(PackageVersionsMethods)]
pub impl Interpreter<'_> {
    /// The version of PyTorch that the project runs with, as a text; not known where it is bound to older ones than those that are described.
    fn version_of_torch(&self) -> Value {
        let is_bound = self.library.target("torch").is_some_and(Target::ends);
        if is_bound { Value::Str(None) } else { Value::str(OF_TORCH) }
    }
}
