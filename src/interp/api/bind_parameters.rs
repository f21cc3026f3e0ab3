//! Binds the arguments of an API call to the annotated parameters.

use crate::api::call_api::Bound;
use crate::calls::call::CallArguments;
use crate::state::interpreter::Interpreter;
use crate::values::value::Value;
use harp_annotations::{ApiSpec, ParameterKind, ParameterSpec};
use harp_corpus::Span;
use harp_python::name::Name;

/// What annotations call the keywords that are the sizes of axes by name, as `h` in `rearrange(x, 'b (h w) -> b h w', h=2)`.
const AXES_LENGTHS: &str = "axes_lengths";
/// Parameters that take an integer wherever they occur.
const INTEGER_PARAMETERS: [&str; 17] = [
    "in_features",
    "out_features",
    "in_channels",
    "out_channels",
    "num_features",
    "num_channels",
    "num_embeddings",
    "embedding_dim",
    "embed_dim",
    "num_heads",
    "hidden_size",
    "input_size",
    "d_model",
    "nhead",
    "groups",
    "num_groups",
    "steps",
];

impl<'p> Interpreter<'p> {
    /// Binds a call's arguments to the parameters of an API; missing ones get their defaults.
    pub fn bind_library(&mut self, spec: &'p ApiSpec, receiver: Option<Value>, arguments: &CallArguments) -> Bound {
        let mut bound = Vec::with_capacity(spec.parameters.len());
        let is_last = last_of_several(spec, receiver.is_some(), arguments);
        let mut positional = receiver.into_iter().chain(arguments.positional.iter().cloned());
        let meant: Vec<_> = arguments.keywords.iter().map(|(keyword, _)| spec.keyword(keyword.as_str())).collect();
        let names = self.parameter_names(spec);
        for (parameter, &name) in spec.parameters.iter().zip(&*names) {
            let means_it = |meant: &Option<&ParameterSpec>| meant.is_some_and(|meant| std::ptr::eq(meant, parameter));
            let keyword = meant.iter().position(means_it).map(|index| arguments.keywords[index].1.clone());
            let value = match parameter.kind {
                ParameterKind::VariadicPositional => {
                    let items: Vec<Value> = positional.by_ref().collect();
                    match (items.len(), keyword) {
                        (0, Some(value)) => value,
                        _ if arguments.is_open => Value::Unknown("unpacked arguments"),
                        // One argument may be the sequence itself.
                        (1, _) if self.is_of_unknown_length(&items[0]) => items[0].clone(),
                        _ => Value::tuple(items),
                    }
                }
                ParameterKind::VariadicKeyword => {
                    // Each under its own name, as `h` in `rearrange(x, 'b (h w) -> b h w', h=2)`.
                    let others =
                        arguments.keywords.iter().filter(|(keyword, _)| spec.keyword(keyword.as_str()).is_none());
                    let others: Vec<(Name, Value)> = others.cloned().collect();
                    let are_lengths = name.as_str() == AXES_LENGTHS;
                    for (name, value) in others {
                        let value = self.read(&value);
                        let value = if are_lengths { self.as_integer(name, value, arguments.span) } else { value };
                        bound.push((name, value));
                    }
                    if arguments.is_open {
                        bound.push((name, Value::Unknown("unpacked arguments")));
                    }
                    continue;
                }
                ParameterKind::KeywordOnly => match keyword {
                    Some(value) => value,
                    None => self.default_of(spec, parameter, arguments.is_open),
                },
                ParameterKind::PositionalOnly | ParameterKind::PositionalOrKeyword => {
                    match positional.next().or(keyword) {
                        // `x.squeeze(0, 1)` is `x.squeeze((0, 1))`.
                        Some(value) if is_last.is_some_and(|last| *last == *parameter.name) => {
                            Value::tuple(std::iter::once(value).chain(positional.by_ref()).collect())
                        }
                        Some(value) => value,
                        None => self.default_of(spec, parameter, arguments.is_open),
                    }
                }
            };
            let value = self.read(&value);
            bound.push((name, self.as_integer_parameter(name, value, arguments.span)));
        }
        bound
    }

    /// Whether a value may be a sequence whose length is not known.
    fn is_of_unknown_length(&self, value: &Value) -> bool {
        match value {
            Value::Size(_) => true,
            Value::List(id) => self.heap.list(*id).is_none_or(|data| data.rest.is_some()),
            value => value.is_unknown(),
        }
    }

    /// A value of unknown type that is passed where only an integer can be is one.
    fn as_integer_parameter(&mut self, name: Name, value: Value, span: Span) -> Value {
        let is_open = matches!(value, Value::Symbolic(_));
        if is_open && INTEGER_PARAMETERS.contains(&name.as_str()) { self.as_integer(name, value, span) } else { value }
    }

    fn as_integer(&mut self, name: Name, value: Value, span: Span) -> Value {
        let Value::Symbolic(id) = &value else { return value };
        let dim = self.refine_to_integer(*id, &format!("it is passed as `{name}`"), span);
        dim.map_or(value, Value::Int)
    }

    fn default_of(&mut self, spec: &ApiSpec, parameter: &ParameterSpec, is_open: bool) -> Value {
        let target = self.library.target(&spec.qualified_name);
        match spec.default_of(parameter, target) {
            Some(default) if !is_open => self.literal_value(default),
            _ => Value::Unknown("argument not given"),
        }
    }
}

/// The last parameter of a method that is given more integers than it has parameters, where it takes a sequence of them as well.
fn last_of_several<'s>(spec: &'s ApiSpec, has_receiver: bool, arguments: &CallArguments) -> Option<&'s str> {
    let given = arguments.positional.len() + usize::from(has_receiver);
    if !has_receiver || given <= spec.parameters.len() || spec.variadic().is_some() || arguments.is_open {
        return None;
    }
    let is_plain =
        |kind: &ParameterKind| matches!(kind, ParameterKind::PositionalOnly | ParameterKind::PositionalOrKeyword);
    let are_integers = arguments.positional.iter().all(|value| matches!(value, Value::Int(_)));
    let last = spec.parameters.iter().rfind(|parameter| is_plain(&parameter.kind))?;
    let first_of_several = spec.parameters.iter().filter(|parameter| is_plain(&parameter.kind)).count() == 2;
    (are_integers && first_of_several).then_some(&*last.name)
}
