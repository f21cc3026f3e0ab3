//! The arguments of a call, with the sequences and mappings that `*` and `**` put into them.

use crate::budget::costly_calls::EntryKind;
use crate::calls::call::CallArguments;
use crate::heap::objects::DictData;
use crate::state::interpreter::{Eval, Interpreter};
use crate::values::value::{Guard, Iteration, ObjectId, Value};
use harp_corpus::Span;
use harp_python::ir::{Argument, ArgumentKind, Call, Expr, ExprKind, ParameterKind};
use harp_python::name::{Name, name};

/// Arguments that a call is given one by one: a function that passes its arguments on twice to itself doubles them each time.
const MOST_SPLICED: usize = 1 << 17;

impl Interpreter<'_> {
    /// The arguments of a call, and alternatives of keywords of which each gives other ones.
    pub(crate) fn evaluate_arguments(
        &mut self,
        callee: &Value,
        call: &Call,
        span: Span,
    ) -> Eval<(CallArguments, Option<Value>)> {
        let mut arguments = CallArguments::with_room_for(call.arguments.len(), span);
        let mut choice = None;
        let is_own =
            matches!(callee, Value::Function(_) | Value::BoundMethod(_) | Value::Class(_) | Value::Instance(_));
        for argument in &call.arguments {
            let value = match &argument.value.kind {
                ExprKind::Comprehension(comprehension) if takes_items_at_once(callee) => {
                    self.evaluate_at_once(comprehension)?
                }
                // What a function of the program is given, it holds.
                _ if is_own => self.evaluate_held(&argument.value)?,
                _ => self.evaluate(&argument.value)?,
            };
            let place = Some(self.span(argument.value.range));
            let is_unpacked = match argument.kind {
                ArgumentKind::Positional | ArgumentKind::Keyword(_) => false,
                ArgumentKind::Star | ArgumentKind::DoubleStar => !self.is_as_written(&argument.value, &value),
            };
            match argument.kind {
                ArgumentKind::Positional => match &mut arguments.behind {
                    Some(behind) => behind.push(value),
                    None => {
                        arguments.positional.push(value);
                        arguments.positional_spans.push(place);
                    }
                },
                ArgumentKind::Keyword(name) => {
                    arguments.keywords.push((name, value));
                    arguments.keyword_spans.push(place);
                }
                ArgumentKind::Star => self.splice_positional(&mut arguments, &value, place)?,
                ArgumentKind::DoubleStar if choice.is_none() && self.gives_other_keywords(&value) => {
                    choice = Some(value)
                }
                ArgumentKind::DoubleStar => self.splice_keywords(&mut arguments, &value),
            }
            arguments.is_unpacked |= is_unpacked;
        }
        let is_of_source = self.frames.last().is_some_and(|frame| self.corpus.is_standard(frame.file));
        arguments.are_passed_on = is_of_source && self.are_passed_on(call);
        Ok((arguments, choice))
    }

    /// Whether what is unpacked stands for just these arguments, as if they were written: a tuple, which nobody changes, as of a function that passes
    /// on what it is given, keywords of which there are none, or those that the running function got as `**keywords`.
    fn is_as_written(&self, expression: &Expr, value: &Value) -> bool {
        match self.read(value) {
            Value::Tuple(_) => true,
            Value::Dict(id) if !self.is_filled_by_callers(id) => self.heap.dict(id).is_some_and(|data| {
                let is_exact = data.rest.is_none() && data.doubtful.is_empty();
                is_exact
                    && (data.entries.is_empty()
                        || self.are_keywords_of_function(expression)
                        || self.has_just_these_entries(id, data))
            }),
            _ => false,
        }
    }

    /// Whether a script made a dictionary of just these entries: nobody else fills it, and it stands for nothing but itself.
    fn has_just_these_entries(&self, id: ObjectId, data: &DictData) -> bool {
        self.entry.kind != EntryKind::Symbolic
            && self.inference.is_none()
            && self.tables.handed_out.is_empty()
            && self.entry.not_understood.is_empty()
            && self.dict_class(id).is_none()
            && self.owner_of_attributes(id).is_none()
            && data.entries.iter().all(|(key, _)| key.as_text().is_some())
    }

    /// Whether a name is that of the parameter with the further keywords of the function that runs.
    fn are_keywords_of_function(&self, expression: &Expr) -> bool {
        self.is_parameter_of_kind(expression, ParameterKind::VariadicKeyword)
    }

    /// Whether a call in a pack's source passes on what the function that runs was given, and nothing else.
    fn are_passed_on(&self, call: &Call) -> bool {
        let is_passed_on = |argument: &Argument| match argument.kind {
            ArgumentKind::Star => self.is_parameter_of_kind(&argument.value, ParameterKind::Variadic),
            ArgumentKind::DoubleStar => self.is_parameter_of_kind(&argument.value, ParameterKind::VariadicKeyword),
            ArgumentKind::Positional | ArgumentKind::Keyword(_) => false,
        };
        !call.arguments.is_empty() && call.arguments.iter().all(is_passed_on)
    }

    fn is_parameter_of_kind(&self, expression: &Expr, kind: ParameterKind) -> bool {
        let ExprKind::Name(name) = expression.kind else { return false };
        let function = self.frames.last().and_then(|frame| frame.function.as_ref());
        function.is_some_and(|function| function.parameters.iter().rev().any(|it| it.kind == kind && it.name == name))
    }

    /// Whether the alternatives of a dictionary have different keys.
    fn gives_other_keywords(&self, value: &Value) -> bool {
        let Value::Alternatives(alternatives) = self.read(value) else { return false };
        let mut keys = alternatives.iter().map(|(_, value)| match self.read(value) {
            Value::Dict(id) => self.heap.dict(id).map(|data| {
                let mut names: Vec<_> =
                    data.entries.iter().filter_map(|(key, _)| key.as_text().map(str::to_owned)).collect();
                names.sort_unstable();
                names
            }),
            _ => None,
        });
        let Some(Some(first)) = keys.next() else { return false };
        keys.any(|other| other.is_some_and(|other| other != first))
    }

    fn splice_positional(&mut self, arguments: &mut CallArguments, value: &Value, place: Option<Span>) -> Eval<()> {
        if let Value::List(id) = self.read(value)
            && self.is_filled_by_callers(id)
        {
            arguments.passes_on = true;
            return Ok(());
        }
        let iteration = self.iterate(value)?;
        match self.itemised(iteration) {
            Iteration::Items(items) if arguments.positional.len() + items.len() <= MOST_SPLICED => {
                self.heap.count_copied(items.len());
                self.step()?;
                match &mut arguments.behind {
                    Some(behind) => behind.extend(items),
                    None => {
                        arguments.positional_spans.extend(items.iter().map(|_| place));
                        arguments.positional.extend(items);
                    }
                }
            }
            open => {
                arguments.is_open = true;
                let (items, _, _) = self.sample(open);
                // What stands between two such sequences is somewhere among what both pass.
                let between = arguments.behind.replace(Vec::new()).unwrap_or_default();
                let all: Vec<Value> = arguments.unpacked.take().into_iter().chain(between).chain(items).collect();
                arguments.unpacked = (!all.is_empty()).then(|| self.widen(&all));
            }
        }
        Ok(())
    }

    pub fn splice_keywords(&mut self, arguments: &mut CallArguments, value: &Value) {
        let value = match self.read(value) {
            Value::Alternatives(alternatives) => self.merged_keywords(&alternatives),
            value => value,
        };
        let value = match value {
            Value::Instance(_) => self.mapping_of_keys(&value, arguments.span).unwrap_or(value),
            value => value,
        };
        let Value::Dict(id) = value else {
            arguments.is_open = true;
            return;
        };
        let Some(data) = self.heap.dict(id).cloned() else { return };
        for (key, value) in &data.entries {
            match key.as_text() {
                Some(name) => {
                    arguments.keywords.push((Name::new(name), value.clone()));
                    arguments.keyword_spans.push(None);
                }
                None => arguments.is_open = true,
            }
        }
        let is_passed_on = self.is_filled_by_callers(id);
        arguments.passes_keywords_on |= is_passed_on;
        arguments.is_open |= data.rest.is_some() && !is_passed_on;
    }

    /// The entries of an object of the program's own that has `keys` and `__getitem__`, and of a module that holds its parts by name.
    pub fn mapping_of_keys(&mut self, object: &Value, span: Span) -> Option<Value> {
        if let Value::Instance(id) = object
            && self.holds_parts(object)
            && self.class_with_method(object, name!("items")).is_some()
        {
            let are_known = self.models.further_children(self, *id).is_none();
            let entries = self
                .models
                .children(self, *id)
                .into_iter()
                .map(|(name, value)| (Value::str(name.as_str()), value))
                .collect();
            return are_known.then(|| Value::Dict(self.heap.allocate_dict(entries)));
        }
        let keys = self.class_attribute(object, name!("keys"))?;
        self.class_attribute(object, name!("__getitem__"))?;
        let keys = self.bind_method(object, keys);
        let keys = self.call(&keys, CallArguments::empty(span)).ok()?;
        let Iteration::Items(keys) = self.iterate(&keys).ok()? else { return None };
        let mut entries = Vec::with_capacity(keys.len());
        for key in keys {
            let value = self.get_item(object, &key, span).ok()?;
            entries.push((key, value));
        }
        Some(Value::Dict(self.heap.allocate_dict(entries)))
    }

    /// One dictionary for several of which one is unpacked. An entry that only some of them have is passed as if it always were.
    fn merged_keywords(&mut self, alternatives: &[(Guard, Value)]) -> Value {
        let mut merged: Vec<(Value, Vec<(Guard, Value)>)> = Vec::new();
        for (guard, value) in alternatives {
            let Value::Dict(id) = value else { return Value::Unknown("unpacked keywords") };
            let Some(data) = self.heap.dict(*id).cloned() else { return Value::Unknown("unpacked keywords") };
            if data.rest.is_some() {
                return Value::Unknown("unpacked keywords");
            }
            for (key, value) in &data.entries {
                let alternative = (guard.clone(), value.clone());
                match merged.iter_mut().find(|(known, _)| known.same(key)) {
                    Some((_, values)) => values.push(alternative),
                    None => merged.push((key.clone(), vec![alternative])),
                }
            }
        }
        let entries = merged.into_iter().map(|(key, values)| (key, self.join(values))).collect();
        Value::Dict(self.heap.allocate_dict(entries))
    }
}

/// Whether what is called goes through an iterator among its arguments before anything else runs.
fn takes_items_at_once(callee: &Value) -> bool {
    match callee {
        Value::LibraryMethod(_) => true,
        Value::Library(name) => {
            let name = name.as_str();
            let is_lazy = ["all", "any", "enumerate", "filter", "iter", "map", "next", "zip"];
            !name.starts_with("itertools.")
                && !name.strip_prefix("builtins.").is_some_and(|name| is_lazy.contains(&name))
        }
        _ => false,
    }
}
