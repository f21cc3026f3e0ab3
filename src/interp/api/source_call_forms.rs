//! Whether an API call fits the forms of a function or class that a pack's source in Python defines.
//!
//! A source often takes more than the library does, as it passes on what plays no part for shapes. So the forms are asked first; of what has none
//! the parameters of the source tell which arguments are missing, and no more.

use std::rc::Rc;

use crate::api::source_entries::is_told_by_source;
use crate::calls::argument_mismatch::{keeps_parameters, misfit_of};
use crate::calls::call::CallArguments;
use crate::state::interpreter::Interpreter;
use crate::values::value::{Closure, Value};
use harp_annotations::Target;
use harp_python::ir::{Expr, ExprKind, ParameterKind};
use harp_python::name::{Name, name};

/// What a call of a pack's source reaches.
struct SourceApi {
    api: Name,
    /// The function that takes the arguments, where it is known.
    closure: Option<Rc<Closure>>,
    /// How many arguments it gets before those of the call: the object.
    given_before: usize,
}

impl Interpreter<'_> {
    /// Reports a call by the program of what a pack's source defines, where it lacks an argument or gives one that the library does not take.
    /// Returns whether it does.
    pub(crate) fn source_call_misfits(&mut self, called: &Expr, callee: &Value, arguments: &CallArguments) -> bool {
        if self.exceptions.caught > 0
            || self.inference.is_some()
            || arguments.is_unpacked
            || arguments.is_open
            || self.corpus.is_foreign(arguments.span.file)
        {
            return false;
        }
        let Some(source) = self.source_api(callee) else { return false };
        // A library knows one function by several names, which may take other arguments.
        let own = source.api.as_str().rsplit('.').next();
        let is_by_own_name = match &called.kind {
            ExprKind::Name(name) => own == Some(name.as_str()),
            ExprKind::Attribute { attribute, .. } => own == Some(attribute.as_str()),
            _ => false,
        };
        if !is_by_own_name || self.may_have_other_forms(source.api) {
            return false;
        }
        let message = match self.call_forms(source.api) {
            Some(_) => self.misfit(source.api, arguments),
            None => self.missing_in_source(&source, arguments),
        };
        let Some(message) = message else { return false };
        self.report_misfit(source.api, message, arguments);
        true
    }

    /// The function or class of a pack's source that a value is, where the library has it under a name.
    fn source_api(&self, callee: &Value) -> Option<SourceApi> {
        match callee {
            Value::Function(closure) if self.corpus.is_standard(closure.function.file) => {
                let function = &closure.function;
                let api = self.corpus.libraries.public_name(function.file, function.qualified_name.as_str())?;
                Some(SourceApi { api: Name::new(&api), closure: Some(Rc::clone(closure)), given_before: 0 })
            }
            Value::Class(class) if self.corpus.is_standard(self.heap.class(*class)?.definition.file) => {
                let api = Name::new(&self.public_name_of_class(*class)?);
                let closure = match self.constructor(*class) {
                    Some(Value::Function(closure))
                        if self.metaclass_call(*class).is_none()
                            && !self.is_record_class(*class)
                            && self.member_of(callee, name!("__new__"), None).is_none() =>
                    {
                        Some(closure)
                    }
                    _ => None,
                };
                Some(SourceApi { api, closure, given_before: 1 })
            }
            _ => None,
        }
    }

    /// Whether the project is bound to versions of the library in which an API may have other forms.
    fn may_have_other_forms(&self, api: Name) -> bool {
        self.library.target(api.as_str()).is_some_and(Target::ends)
    }

    /// The argument that a call of what has no forms lacks by the parameters in the source, where no entry lists others.
    fn missing_in_source(&self, source: &SourceApi, arguments: &CallArguments) -> Option<String> {
        let closure = source.closure.as_ref()?;
        let library = self.library;
        let entry = match source.given_before {
            0 => library.function(source.api.as_str()),
            _ => library.class(source.api.as_str()).map(|class| &class.constructor),
        };
        let parameters = &closure.function.parameters;
        let takes = |name: Name| {
            let is_named = |kind| matches!(kind, ParameterKind::Normal | ParameterKind::KeywordOnly);
            parameters.iter().any(|parameter| parameter.name == name && is_named(parameter.kind))
        };
        // A keyword that the source does not list may be another name of a parameter.
        if !entry.is_none_or(is_told_by_source)
            || !closure.function.decorators.iter().all(keeps_parameters)
            || !arguments.keywords.iter().all(|(name, _)| takes(*name))
        {
            return None;
        }
        let message = misfit_of(closure, arguments, source.given_before)?;
        message.ends_with(" is missing").then_some(message)
    }
}
