//! What the packages of Hugging Face say of themselves, rather than of tensors: decorators that write documentation or check the types of
//! options, and questions about what is installed.

use std::rc::Rc;

use crate::torchtext::tokens;
use harp_interp::api::library_model::FunctionHandler;
use harp_interp::calls::call::CallArguments;
use harp_interp::state::interpreter::Interpreter;
use harp_interp::values::value::{Closure, Value};
use harp_python::name::Name;

/// Decorators whose result is what they decorate.
const DOCUMENTATION: [&str; 5] = [
    "auto_docstring",
    "add_start_docstrings",
    "add_end_docstrings",
    "add_start_docstrings_to_model_forward",
    "replace_return_docstrings",
];
/// Modules whose packages have another name in questions.
const NAMED_OTHERWISE: [(&str, &str); 3] =
    [("vision", "PIL"), ("sklearn", "sklearn"), ("sentencepiece", "sentencepiece")];
/// `is_torch_cuda_available` and the like ask about the machine.
const OF_THE_MACHINE: &str = "torch_";

pub fn function(name: &str) -> Option<FunctionHandler> {
    Some(match name {
        "huggingface_hub.dataclasses.strict" => |_, _, arguments| Ok(decorated(&arguments)),
        // What it gives is only asked for matches.
        "regex.compile" => |this, name, arguments| Ok(this.symbolic(name.as_str(), arguments.span, true)),
        // Tables of texts and numbers that somebody keeps elsewhere; the package was called `nlp` once.
        "datasets.load_dataset" | "datasets.load_from_disk" | "nlp.load_dataset" | "nlp.load_from_disk" => {
            |this, _, arguments| Ok(this.data_from_outside("a data set", arguments.span))
        }
        "transformers._outside" => {
            |this, _, arguments| Ok(this.data_from_outside("a part of a checkpoint", arguments.span))
        }
        "transformers._count" => |this, _, _| Ok(Value::Int(tokens::number_of_tokens(this, None))),
        // The operation is what the function does.
        "torch.library.custom_op" => |_, _, arguments| {
            Ok(arguments.positional.get(1).cloned().unwrap_or_else(|| Value::library("functools.identity")))
        },
        "torch.compiler.disable" | "torch._dynamo.disable" | "torch.compiler.allow_in_graph" => {
            |_, _, arguments| Ok(decorated(&arguments))
        }
        "torch.utils._pytree.register_pytree_node"
        | "torch.library.register_fake"
        | "torch.library.register_autograd" => |_, _, _| Ok(Value::None),
        _ => return None,
    })
}

/// What a decorator gives back that changes nothing of what it decorates; called with options it gives a decorator.
fn decorated(arguments: &CallArguments) -> Value {
    match arguments.positional.first() {
        Some(decorated @ (Value::Function(_) | Value::Class(_))) => decorated.clone(),
        _ => Value::library("functools.identity"),
    }
}

#[easy_ext::ext(HuggingFaceMethods)]
pub impl Interpreter<'_> {
    /// The result of a function of an installed package that is known without following it.
    fn known_of_package(&self, closure: &Rc<Closure>, arguments: &CallArguments) -> Option<Value> {
        let name = closure.function.name.as_str();
        let asked = name.strip_prefix("is_").and_then(|name| name.strip_suffix("_available"));
        let is_documentation = DOCUMENTATION.contains(&name);
        if (asked.is_none() && !is_documentation) || !self.corpus.is_foreign(closure.function.file) {
            return None;
        }
        if is_documentation {
            return Some(decorated(arguments));
        }
        let asked = asked?;
        let other = NAMED_OTHERWISE.iter().find(|(name, _)| *name == asked).map(|(_, module)| *module);
        let module = other.unwrap_or(asked);
        if module.starts_with(OF_THE_MACHINE) || !arguments.positional.is_empty() {
            return None;
        }
        Some(Value::Bool(self.is_installed(Name::new(module))))
    }

    /// Whether an environment has a package, or it is known without.
    fn is_installed(&self, module: Name) -> bool {
        self.library.packages().iter().any(|package| package == module.as_str())
            || self.project.foreign_module(module.as_str()).is_some()
    }
}
