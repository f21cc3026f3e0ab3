//! A module of PyTorch and all modules in it, with the paths of their names.

use crate::methods::*;
use crate::torch::nn::module::DEEPEST_CHILD;
use harp_interp::state::interpreter::Interpreter;
use harp_interp::values::value::Value;
use harp_limits::light_tick;
use harp_python::name::Name;

/// As many modules are told apart.
pub(crate) const MOST_MODULES: usize = 4096;

/// How a module is listed that has several names.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Named {
    /// Under its first name, as `named_modules()` does.
    Once,
    /// Under each of its names, as `state_dict()` does.
    Always,
}

/// Lists a module and all in it, in the order of PyTorch.
pub(crate) fn collect_modules(
    interpreter: &Interpreter<'_>,
    module: &Value,
    named: Named,
    found: &mut Vec<(String, Value)>,
) {
    collect_below(interpreter, "", module, DEEPEST_CHILD, named, found);
}

fn collect_below(
    interpreter: &Interpreter<'_>,
    prefix: &str,
    module: &Value,
    depth: usize,
    named: Named,
    found: &mut Vec<(String, Value)>,
) {
    light_tick();
    let Value::Instance(id) = module else { return };
    let is_listed = || named == Named::Once && found.iter().any(|(_, known)| known.same(module));
    if depth == 0 || found.len() > MOST_MODULES || is_listed() {
        return;
    }
    found.push((prefix.to_owned(), module.clone()));
    for (name, child) in interpreter.children(*id) {
        if interpreter.is_module(&child) && !child.same(module) {
            let path = if prefix.is_empty() { name.to_string() } else { format!("{prefix}.{name}") };
            collect_below(interpreter, &path, &child, depth - 1, named, found);
        }
    }
}

/// A module that has two names is a child once.
pub(crate) fn once_each(children: Vec<(Name, Value)>) -> Vec<(Name, Value)> {
    let mut unique: Vec<(Name, Value)> = Vec::with_capacity(children.len());
    let mut known = std::collections::HashSet::new();
    for (name, child) in children {
        let is_new = match &child {
            Value::Instance(id) => known.insert(*id),
            _ => true,
        };
        if is_new {
            unique.push((name, child));
        }
    }
    unique
}
