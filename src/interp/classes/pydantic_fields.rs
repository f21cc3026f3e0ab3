//! Classes that are `pydantic`'s models: what a field is given is made what the annotation says, and goes through the
//! validators of the program.

use crate::api::dispatch::argument_of;
use crate::calls::call::CallArguments;
use crate::state::interpreter::{Eval, Interpreter};
use crate::values::value::{ObjectId, Value};
use harp_corpus::Span;
use harp_python::ir::{Parameter, ParameterKind};
use harp_python::name::{Name, name};

/// Annotations within annotations are followed so deep.
const DEEPEST: usize = 8;

/// When a validator runs: before what is given is made what the annotation says, or after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Moment {
    Before,
    After,
}

impl Interpreter<'_> {
    /// A value that a field is given, as the model holds it.
    pub(crate) fn validated(&mut self, class: ObjectId, field: Name, value: Value, span: Span) -> Eval {
        let validators = self.validators_of(class);
        let value = self.through(&validators, Moment::Before, class, field, value, span)?;
        let value = self.as_field_is_annotated(class, field, value, span)?;
        self.through(&validators, Moment::After, class, field, value, span)
    }

    fn through(
        &mut self,
        validators: &[Value],
        moment: Moment,
        class: ObjectId,
        field: Name,
        mut value: Value,
        span: Span,
    ) -> Eval {
        for validator in validators {
            if self.moment_of(validator) != Some(moment) || !self.is_about(validator, field) {
                continue;
            }
            let Some(method) = self.own_method(validator, "field") else { continue };
            let mut given = vec![Value::Class(class), value];
            // What else a validator is told, such as the other values, is not followed.
            for _ in given.len()..self.parameters_of(validator) {
                given.push(self.symbolic("validation", span, true));
            }
            value = self.call(&method, CallArguments::positional(given, span))?;
        }
        Ok(value)
    }

    /// How many parameters the function of a validator takes by position.
    fn parameters_of(&self, validator: &Value) -> usize {
        let Value::Instance(id) = validator else { return 0 };
        match self.heap.attribute(*id, name!("function")) {
            Some(Value::Function(closure)) => {
                let takes = |parameter: &&Parameter| {
                    matches!(parameter.kind, ParameterKind::Normal | ParameterKind::PositionalOnly)
                };
                closure.function.parameters.iter().filter(takes).count()
            }
            _ => 0,
        }
    }

    /// What the validators of a whole model make of what it is given.
    pub(crate) fn given_to_model(&mut self, class: ObjectId, arguments: CallArguments) -> Eval<CallArguments> {
        let span = arguments.span;
        let mut arguments = arguments;
        for validator in self.validators_of(class) {
            if self.moment_of(&validator) != Some(Moment::Before) || !self.is_about_model(&validator) {
                continue;
            }
            let Some(method) = self.own_method(&validator, "model") else { continue };
            let entries = arguments.keywords.iter().map(|(name, value)| (Value::str(name.as_str()), value.clone()));
            let given = Value::Dict(self.heap.allocate_dict(entries.collect()));
            let made = self.call(&method, CallArguments::positional(vec![Value::Class(class), given], span))?;
            let is_open = arguments.is_open;
            arguments = CallArguments::empty(span);
            arguments.is_open = is_open;
            let made = self.read(&made);
            self.splice_keywords(&mut arguments, &made);
        }
        Ok(arguments)
    }

    /// Runs the validators of a whole model that is there.
    pub(crate) fn validate_model(&mut self, class: ObjectId, instance: &Value, span: Span) -> Eval<()> {
        for validator in self.validators_of(class) {
            if self.moment_of(&validator) != Some(Moment::After) || !self.is_about_model(&validator) {
                continue;
            }
            if let Some(method) = self.own_method(&validator, "model") {
                self.call(&method, CallArguments::positional(vec![instance.clone()], span))?;
            }
        }
        Ok(())
    }

    /// The other name by which a field of a model is given.
    pub(crate) fn alias_of(&self, class: ObjectId, field: Name) -> Option<Name> {
        let Some(Value::Instance(id)) = self.member_of(&Value::Class(class), field, None) else { return None };
        let data = self.heap.instance(id)?;
        ["validation_alias", "alias"].iter().find_map(|name| argument_of(data, name).as_text().map(Name::new))
    }

    /// The validators of a class and its bases, those of the bases first.
    fn validators_of(&self, class: ObjectId) -> Vec<Value> {
        let mut found = Vec::new();
        for base in self.resolution_order(&Value::Class(class)).iter().rev() {
            let Value::Class(base) = base else { continue };
            let members = self.heap.object(*base).attributes.iter().map(|(_, value)| value);
            found.extend(members.filter(|value| self.moment_of(value).is_some()).cloned());
        }
        found
    }

    /// When a validator runs; `None` for what is none.
    fn moment_of(&self, value: &Value) -> Option<Moment> {
        let Value::Instance(id) = value else { return None };
        let Value::Class(class) = self.class_of(value) else { return None };
        let data = self.heap.class(class)?;
        if data.definition.name.as_str() != "_Validator" || !self.corpus.is_standard(data.definition.file) {
            return None;
        }
        match self.heap.attribute(*id, name!("mode")).and_then(Value::as_text) {
            Some("before") => Some(Moment::Before),
            Some("after") => Some(Moment::After),
            _ => None,
        }
    }

    fn is_about_model(&self, validator: &Value) -> bool {
        let Value::Instance(id) = validator else { return false };
        matches!(self.heap.attribute(*id, name!("fields")), Some(Value::None))
    }

    fn is_about(&self, validator: &Value, field: Name) -> bool {
        let Value::Instance(id) = validator else { return false };
        match self.heap.attribute(*id, name!("fields")) {
            Some(Value::Tuple(names)) => {
                names.iter().any(|name| matches!(name.as_text(), Some(text) if text == field.as_str() || text == "*"))
            }
            _ => false,
        }
    }

    /// A value that a model's field is given, as its annotation makes it: another model of a dictionary, a number of a text.
    pub(crate) fn as_field_is_annotated(&mut self, class: ObjectId, field: Name, value: Value, span: Span) -> Eval {
        let hint = self.type_of_field(class, field);
        self.as_hinted(&hint, value, span, DEEPEST)
    }

    fn as_hinted(&mut self, hint: &Value, value: Value, span: Span, depth: usize) -> Eval {
        if depth == 0 {
            return Ok(value);
        }
        if let Some((origin, parts)) = self.parts_of_type(hint) {
            return self.as_parts_say(hint, (&origin, &parts), value, span, depth - 1);
        }
        match (hint, self.read(&value)) {
            (Value::Class(model), given @ Value::Dict(_)) if self.is_record_class(*model) => {
                let mut arguments = CallArguments::empty(span);
                self.splice_keywords(&mut arguments, &given);
                self.call(hint, arguments)
            }
            (Value::Class(_), given @ (Value::Str(Some(_)) | Value::Int(_))) if self.is_enumeration(hint) => {
                self.call(hint, CallArguments::positional(vec![given], span))
            }
            (Value::Library(name), given @ (Value::Str(_) | Value::Float(_) | Value::Ratio(_)))
                if matches!(name.as_str(), "builtins.int" | "builtins.float") =>
            {
                self.call_library(*name, CallArguments::positional(vec![given], span))
            }
            (_, value) => Ok(value),
        }
    }

    /// The same for an annotation with parts: the items of a list, the entries of a dictionary, one of several types.
    fn as_parts_say(
        &mut self,
        hint: &Value,
        (origin, parts): (&Value, &[Value]),
        value: Value,
        span: Span,
        depth: usize,
    ) -> Eval {
        if let Some(members) = self.members_of_union(hint) {
            let read = self.read(&value);
            let suits = |this: &Self, member: &Value| match (&read, member) {
                (Value::Dict(_), Value::Class(class)) => this.is_record_class(*class),
                (Value::Str(_), Value::Library(name)) => !name.as_str().starts_with("types."),
                (Value::List(_) | Value::Dict(_), member) => this.parts_of_type(member).is_some(),
                _ => false,
            };
            let mut suiting = members.into_iter().filter(|member| suits(self, member));
            return match (suiting.next(), suiting.next()) {
                (Some(one), None) => self.as_hinted(&one, value, span, depth),
                _ => Ok(value),
            };
        }
        let Value::Library(origin) = origin else { return Ok(value) };
        match (origin.as_str(), self.read(&value), parts) {
            ("typing.Annotated", _, [inner, ..]) => self.as_hinted(inner, value, span, depth),
            ("builtins.dict" | "collections.abc.Mapping", Value::Dict(id), [_, part]) => {
                let Some(data) = self.heap.dict(id).filter(|data| data.rest.is_none()).cloned() else {
                    return Ok(value);
                };
                let mut entries = Vec::with_capacity(data.entries.len());
                for (key, item) in &data.entries {
                    entries.push((key.clone(), self.as_hinted(part, item.clone(), span, depth)?));
                }
                Ok(Value::Dict(self.heap.allocate_dict(entries)))
            }
            ("builtins.list" | "collections.abc.Sequence" | "collections.abc.Iterable", Value::List(id), [part]) => {
                let Some(data) = self.heap.list(id).filter(|data| data.rest.is_none()).cloned() else {
                    return Ok(value);
                };
                let mut items = Vec::with_capacity(data.items.len());
                for item in &data.items {
                    items.push(self.as_hinted(part, item.clone(), span, depth)?);
                }
                Ok(Value::List(self.heap.allocate_list(items)))
            }
            _ => Ok(value),
        }
    }
}
