//! Calls of the program's own functions whose arguments do not fit the parameters.

use std::rc::Rc;

use crate::budget::costly_calls::EntryKind;
use crate::calls::call::CallArguments;
use crate::state::interpreter::Interpreter;
use crate::values::value::{Closure, Value};
use harp_corpus::Span;
use harp_python::ir::{Expr, ExprKind, Function, ParameterKind, Stmt, StmtKind};
use harp_python::name::{Name, name};
use harp_trace::Subject;

/// Decorators that leave the parameters of a function as they are.
const PLAIN_DECORATORS: [&str; 12] = [
    "abstractmethod",
    "classmethod",
    "enable_grad",
    "export",
    "final",
    "ignore",
    "inference_mode",
    "no_grad",
    "override",
    "staticmethod",
    "unused",
    "wraps",
];

/// Classes of libraries that take no method's place; others do, where they come before the program's own in the order of the bases.
const WITHOUT_METHODS: [&str; 4] = ["typing.", "abc.", "collections.abc.", "builtins.object"];

/// A function of the program that a call reaches.
struct Reached {
    closure: Rc<Closure>,
    /// How many arguments it gets before those of the call: the object.
    given_before: usize,
    /// Whether another class may stand in its place: a method that an object calls of itself.
    may_be_another: bool,
}

impl Interpreter<'_> {
    /// Reports a call of a function of the program that lacks an argument or gives one that the function does not take. Returns whether it
    /// does.
    pub fn own_call_misfits(&mut self, callee: &Value, arguments: &CallArguments) -> bool {
        if self.exceptions.caught > 0 || self.inference.is_some() || arguments.is_unpacked {
            return false;
        }
        let Some(place) = self.place_of_call(arguments) else { return false };
        let Some(reached) = self.reached(callee, arguments.span) else { return false };
        let Some(message) = misfit_of(&reached.closure, arguments, reached.given_before) else { return false };
        // A library may keep back what the function does not take.
        if place != arguments.span && !message.ends_with(" is missing") {
            return false;
        }
        let function = &reached.closure.function;
        let is_foreign = self.corpus.is_foreign(function.file) || self.corpus.is_foreign(place.file);
        let is_general = self.entry.kind == EntryKind::Symbolic && reached.may_be_another;
        if is_foreign || is_general || !self.keeps_its_parameters(function) {
            return false;
        }
        if !self.entry.not_understood.is_empty() && reached.given_before > 0 && self.entry.kind == EntryKind::Symbolic {
            return false;
        }
        if self.is_bound_again(function) || self.may_be_configured(&message) {
            return false;
        }
        if !self.fails_on_every_way(place) {
            return false;
        }
        let name = function.qualified_name;
        self.fails_always(Subject::Arguments, name.as_str(), message, None, place);
        true
    }

    /// The program's call to which the arguments of a call belong. A pack's source calls what the program gives it; where it passes on just what
    /// it was given, the program's call lacks what that one lacks.
    fn place_of_call(&self, arguments: &CallArguments) -> Option<Span> {
        let place = self.at_own_code(arguments.span);
        (place == arguments.span || arguments.are_passed_on).then_some(place)
    }

    /// Whether the decorators of a function surely leave its parameters as they are: each gave the function back, or is known to.
    fn keeps_its_parameters(&self, function: &Function) -> bool {
        function.decorators.is_empty() || !self.caches.taken_decorators.contains(&(function.file, function.range.start))
    }

    /// Whether one of several values takes the arguments of a call, and another one does not.
    pub(crate) fn some_fit(&mut self, several: &Value, arguments: &CallArguments) -> bool {
        let Value::Alternatives(several) = several else { return false };
        let (mut fits, mut refuses) = (false, false);
        for (_, callee) in several.iter() {
            let is_refused = self.takes_other_arguments(callee, arguments);
            (fits, refuses) = (fits || !is_refused, refuses || is_refused);
        }
        fits && refuses
    }

    /// Whether a function or a class of the program surely does not take the arguments of a call.
    pub(crate) fn takes_other_arguments(&mut self, callee: &Value, arguments: &CallArguments) -> bool {
        if !matches!(callee, Value::Function(_) | Value::Class(_)) || arguments.is_unpacked {
            return false;
        }
        self.reached(callee, arguments.span).is_some_and(|reached| {
            self.keeps_its_parameters(&reached.closure.function)
                && misfit_of(&reached.closure, arguments, reached.given_before).is_some()
        })
    }

    /// Whether a function that nobody calls may have been called when the name still had another function, as in the cells of a notebook.
    fn is_bound_again(&self, function: &Function) -> bool {
        let Some(module) = self.project.module(self.project.module_of_file(function.file)) else { return false };
        let is_of_name = |statement: &&Stmt| match &statement.kind {
            StmtKind::Function(other) => other.name == function.name,
            StmtKind::Class(other) => other.name == function.name,
            _ => false,
        };
        self.entry.kind == EntryKind::Symbolic && module.body.iter().filter(is_of_name).count() > 1
    }

    /// Whether `gin` may give the argument that is missing, by a binding in a file of its own.
    fn may_be_configured(&self, message: &str) -> bool {
        let globals = self.frames.last().map(|frame| frame.globals);
        let is_configured = |globals| self.heap.attribute(globals, name!("gin")).is_some();
        message.ends_with(" is missing") && globals.is_some_and(is_configured)
    }

    /// The function that a value is when it is called, where that is a function of the program without anything around it.
    fn reached(&mut self, callee: &Value, call: Span) -> Option<Reached> {
        match callee {
            Value::Function(closure) => {
                Some(Reached { closure: Rc::clone(closure), given_before: 0, may_be_another: false })
            }
            Value::BoundMethod(method) => {
                let Value::Function(closure) = &method.function else { return None };
                if self.may_be_hidden(&self.class_of(&method.receiver), closure) {
                    return None;
                }
                let own = self.frames.last().and_then(|frame| frame.receiver.clone());
                let may_be_another = match (own, &method.receiver) {
                    (Some(Value::Instance(own)), Value::Instance(receiver)) => own == *receiver,
                    (_, Value::Instance(_)) => false,
                    _ => true,
                };
                Some(Reached { closure: Rc::clone(closure), given_before: 1, may_be_another })
            }
            Value::Class(class) => {
                let is_plain = self.metaclass_call(*class).is_none()
                    && !self.is_enumeration(callee)
                    && !self.is_record_class(*class)
                    && !matches!(self.member_of(callee, name!("__new__"), None), Some(Value::Function(_)));
                let Some(Value::Function(closure)) = is_plain.then(|| self.constructor(*class)).flatten() else {
                    return None;
                };
                let may_be_another = self.is_own_class(callee, call);
                (!self.may_be_hidden(callee, &closure)).then_some(Reached { closure, given_before: 1, may_be_another })
            }
            Value::Instance(id) => {
                let is_plain = !self.models.has_hooks(self, *id) && !self.may_be_changed(callee);
                let own = |name: &str| self.heap.attribute(*id, Name::new(name)).is_some();
                if !is_plain || own("__call__") || own("forward") {
                    return None;
                }
                let call = self.class_attribute(callee, name!("__call__"));
                let function = match call {
                    Some(function @ Value::Function(_)) => function,
                    _ if self.is_module(callee) => self.class_attribute(callee, name!("forward"))?,
                    _ => return None,
                };
                let Value::Function(closure) = function else { return None };
                let is_hidden = self.may_be_hidden(&self.class_of(callee), &closure);
                (!is_hidden).then_some(Reached { closure, given_before: 1, may_be_another: false })
            }
            _ => None,
        }
    }

    /// Whether a class is that of the object or class whose method runs. `cls(…)` and `self.__class__(…)` make an object of a class that derives
    /// from it, when that one is asked. Who writes the name of the class means that one.
    pub(crate) fn is_own_class(&self, class: &Value, call: Span) -> bool {
        let callee = self.source_text(call).split('(').next().unwrap_or_default();
        if callee == self.name_of_class(class) {
            return false;
        }
        let own = self.frames.last().and_then(|frame| frame.receiver.as_ref());
        own.is_some_and(|own| own.same(class) || (matches!(own, Value::Instance(_)) && self.class_of(own).same(class)))
    }

    /// Whether a class of which not all is known comes before the one that defines a method, and may have the method, too.
    fn may_be_hidden(&self, class: &Value, method: &Closure) -> bool {
        let is_harmless = |name: &Name| WITHOUT_METHODS.iter().any(|start| name.as_str().starts_with(start));
        for base in self.resolution_order(class) {
            match base {
                Value::Class(base) if method.class == Some(base) => return false,
                Value::Class(_) => {}
                Value::Library(name) if is_harmless(&name) => {}
                _ => return true,
            }
        }
        false
    }
}

/// Whether a decorator leaves the parameters of a function as they are.
pub(crate) fn keeps_parameters(decorator: &Expr) -> bool {
    let function = match &decorator.kind {
        ExprKind::Call(call) => &call.function.kind,
        kind => kind,
    };
    match function {
        ExprKind::Name(name) => PLAIN_DECORATORS.contains(&name.as_str()),
        ExprKind::Attribute { attribute, .. } => PLAIN_DECORATORS.contains(&attribute.as_str()),
        _ => false,
    }
}

/// Why the arguments of a call are not those that a function's parameters ask for; `given_before` of them are given by other means.
pub(crate) fn misfit_of(closure: &Closure, arguments: &CallArguments, given_before: usize) -> Option<String> {
    if arguments.is_open
        || arguments.is_from_outside
        || arguments.passes_on
        || arguments.passes_keywords_on
        || arguments.unpacked.is_some()
    {
        return None;
    }
    let parameters = &closure.function.parameters;
    let has = |kind: ParameterKind| parameters.iter().any(|parameter| parameter.kind == kind);
    let given = arguments.positional.len() + given_before;
    let mut places = 0;
    let mut names: Vec<Name> = Vec::new();
    for (index, parameter) in parameters.iter().enumerate() {
        let takes_place = matches!(parameter.kind, ParameterKind::PositionalOnly | ParameterKind::Normal);
        let takes_name = matches!(parameter.kind, ParameterKind::KeywordOnly | ParameterKind::Normal);
        let is_placed = takes_place && places < given;
        places += usize::from(takes_place);
        let is_named = takes_name && arguments.keywords.iter().any(|(name, _)| *name == parameter.name);
        if takes_name {
            names.push(parameter.name);
        }
        let has_default = closure.defaults.get(index).is_some_and(Option::is_some);
        if (takes_place || takes_name) && !has_default && !is_placed && !is_named {
            return Some(format!("the argument `{}` is missing", parameter.name));
        }
        if is_placed && is_named {
            return Some(format!("`{}` is given twice", parameter.name));
        }
    }
    if given > places && !has(ParameterKind::Variadic) {
        let most = places.saturating_sub(given_before);
        let arguments_word = if most == 1 { "argument" } else { "arguments" };
        let given = given - given_before;
        return Some(format!("it takes at most {most} positional {arguments_word}, but {given} are given"));
    }
    if has(ParameterKind::VariadicKeyword) {
        return None;
    }
    let strange = arguments.keywords.iter().find(|(name, _)| !names.contains(name));
    strange.map(|(name, _)| format!("it has no parameter `{name}`"))
}
