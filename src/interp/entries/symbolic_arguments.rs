//! The arguments of an entry, a function that nobody calls: a value for each parameter, as far as annotations, defaults
//! and names tell what it is.

use std::rc::Rc;
use std::sync::Arc;

use crate::calls::call::CallArguments;
use crate::paths::reachability::{ENUMERATION, MEMBERS};
use crate::state::interpreter::{Interpreter, Speculation};
use crate::values::value::{Closure, ObjectId, Value};
use harp_annotations::ResultType;
use harp_corpus::Span;
use harp_python::ir::{Expr, ExprKind, Function, Parameter, ParameterKind};
use harp_python::name::Name;
use harp_shape::Dim;
use harp_trace::assumption::{AssumptionKind, NOBODY_CALLS, words};

impl Interpreter<'_> {
    /// Arguments for a function that nobody calls: defaults where there are some, else values whose type follows from their use.
    pub(crate) fn symbolic_arguments(
        &mut self,
        closure: &Rc<Closure>,
        receiver: Option<Value>,
        span: Span,
    ) -> CallArguments {
        let mut arguments = CallArguments { is_from_outside: true, ..CallArguments::empty(span) };
        let function = Arc::clone(&closure.function);
        let mut parameters = function.parameters.iter().enumerate();
        if let Some(receiver) = receiver.clone() {
            parameters.next();
            arguments.positional.push(receiver);
            arguments.positional_spans.push(None);
        }
        for (index, parameter) in parameters {
            if matches!(parameter.kind, ParameterKind::Variadic | ParameterKind::VariadicKeyword) {
                continue;
            }
            let place = parameter.range.in_file(function.file);
            let default = closure.defaults.get(index).cloned().flatten();
            // A container or an array without elements stands for "nothing given": callers who use the function give something. So do
            // those whom a comment on the parameter has in mind.
            let default = default.filter(|default| {
                !(self.is_placeholder(default) || self.is_stated_parameter(&function, parameter.name))
            });
            let value = match default {
                _ if let Some(value) = self.parametrized_value(&function, parameter.name) => value,
                Some(default) if self.inference.is_some() => {
                    self.open_default(closure.globals, &function, parameter, default, place)
                }
                Some(default) => {
                    let text = words::default_value_setting(parameter.name, default.describe());
                    let (kind, subject) = (AssumptionKind::DefaultValue, parameter.name.as_str());
                    match self.speculate(kind, subject, text, NOBODY_CALLS.into(), place) {
                        Speculation::Denied => self.symbolic_parameter(closure.globals, &function, parameter, place),
                        Speculation::Assumed(_) if self.is_opened(place) => {
                            self.symbolic_parameter(closure.globals, &function, parameter, place)
                        }
                        Speculation::Assumed(id) => {
                            if !self.entry.defaults.kept.contains(&(place, id)) {
                                self.entry.defaults.kept.push((place, id));
                            }
                            default
                        }
                        Speculation::Confirmed => default,
                    }
                }
                None if let Some(value) =
                    self.prepared_argument(&function, receiver.as_ref(), parameter.name, span) =>
                {
                    value
                }
                // A flag without a default may be either too.
                None if self.inference.is_some()
                    && parameter.annotation.as_ref().is_some_and(|hint| annotated_type(hint) == "bool") =>
                {
                    self.open_default(closure.globals, &function, parameter, Value::Bool(false), place)
                }
                None => self.symbolic_parameter(closure.globals, &function, parameter, place),
            };
            self.note_members(closure, parameter, &value);
            if parameter.kind == ParameterKind::KeywordOnly {
                arguments.keywords.push((parameter.name, value));
                arguments.keyword_spans.push(None);
            } else {
                arguments.positional.push(value);
                arguments.positional_spans.push(None);
            }
        }
        arguments
    }

    /// A parameter that is said to be an enumeration's is one of its members.
    fn note_members(&mut self, closure: &Closure, parameter: &Parameter, value: &Value) {
        let (Value::Symbolic(id), Some(annotation)) = (value, &parameter.annotation) else { return };
        let Some(class) = self.annotated_value(closure.globals, annotation) else { return };
        let (Value::Class(definition), true) = (&class, self.derives_from(&class, "enum.Enum")) else { return };
        let is_member = |(name, value): &(Name, &Value)| {
            !name.as_str().starts_with('_')
                && (value.as_text().is_some() || value.as_int().is_some() || self.class_of(value).same(&class))
        };
        let members = self.heap.object(*definition).attributes.iter().filter(is_member);
        let members: Vec<Value> = members.map(|(_, value)| self.value_of_member(value)).collect();
        if !members.is_empty() {
            self.heap.set_attribute(*id, Name::new(MEMBERS), Value::tuple(members));
            self.heap.set_attribute(*id, Name::new(ENUMERATION), class);
        }
    }

    /// Whether an annotation that ends in `Tensor` may be PyTorch's: other libraries have a `Tensor`, and programs define their own.
    fn may_mean_torch(&self, scope: ObjectId, annotation: &Expr) -> bool {
        match self.annotated_value(scope, annotation).map(|value| self.read(&value)) {
            None => true,
            Some(Value::Library(name)) => self.is_of_tensors(name),
            Some(_) => false,
        }
    }

    /// What a dotted name of an annotation stands for.
    pub(crate) fn annotated_value(&self, scope: ObjectId, annotation: &Expr) -> Option<Value> {
        match &annotation.kind {
            ExprKind::Name(name) => self.heap.attribute(scope, *name).cloned(),
            // In quotes.
            ExprKind::Str(text) => {
                let mut parts = text.split('.').take(8).map(Name::new);
                let first = self.heap.attribute(scope, parts.next()?).cloned();
                parts.try_fold(first?, |owner, part| match owner {
                    Value::Module(module) => self.heap.attribute(module, part).cloned(),
                    Value::Library(library) => Some(Value::library(&format!("{library}.{part}"))),
                    _ => None,
                })
            }
            ExprKind::Attribute { value, attribute, .. } => match self.annotated_value(scope, value)? {
                Value::Module(module) => self.heap.attribute(module, *attribute).cloned(),
                Value::Library(library) => Some(Value::library(&format!("{library}.{attribute}"))),
                _ => None,
            },
            _ => None,
        }
    }

    pub(crate) fn is_empty_container(&self, value: &Value) -> bool {
        match value {
            Value::Tuple(items) => items.is_empty(),
            Value::List(id) | Value::Set(id) => {
                self.heap.list(*id).is_some_and(|data| data.items.is_empty() && data.rest.is_none())
            }
            Value::Dict(id) => self.heap.dict(*id).is_some_and(|data| data.entries.is_empty() && data.rest.is_none()),
            _ => false,
        }
    }

    pub(crate) fn symbolic_parameter(
        &mut self,
        scope: ObjectId,
        function: &Function,
        parameter: &Parameter,
        place: Span,
    ) -> Value {
        let name = parameter.name.as_str();
        let symbolic = self.symbolic(name, place, false);
        let Some(annotation) = &parameter.annotation else { return symbolic };
        if self.is_stated_parameter(function, parameter.name) {
            return symbolic;
        }
        match annotated_type(annotation) {
            "" if self.inference.is_some() && is_sequence(annotation) => self.sequence_of(annotation, name, place),
            "list" | "tuple" | "List" | "Tuple" | "Sequence" | "dict" | "Dict" | "Callable"
                if self.inference.is_some() =>
            {
                Value::Unknown("a parameter of unknown contents")
            }
            "" if self.inference.is_some() && is_tensor_or_none(annotation) => {
                if let Value::Symbolic(id) = symbolic {
                    let evidence = "its annotation says so".to_owned();
                    self.refine_to_tensor(id, self.assumed_kind(place), AssumptionKind::UsedAs, evidence, place);
                }
                symbolic
            }
            "int" => {
                let dim = self.free_dim(name, 1);
                self.name_dim(dim, parameter.name);
                Value::Int(dim)
            }
            "float" if self.inference.is_none() => self.some_number(name, place, false),
            "float" => Value::Float(None),
            "str" if self.inference.is_none() => self.some_text(name, place),
            "str" => Value::Str(None),
            "Tensor" | "FloatTensor" | "LongTensor" if self.may_mean_torch(scope, annotation) => {
                if let Value::Symbolic(id) = symbolic {
                    let evidence = "its annotation says so".to_owned();
                    self.refine_to_tensor(id, self.assumed_kind(place), AssumptionKind::UsedAs, evidence, place);
                }
                symbolic
            }
            word => match self.array_called(word, place) {
                Some(class) => self.result_value(&ResultType::Tensor, class, place),
                None => self.object_of_annotation(scope, annotation, place).unwrap_or(symbolic),
            },
        }
    }

    /// A value of unknown type that is passed where a parameter's annotation says that it is a tensor is one.
    pub(crate) fn refine_as_annotated(&mut self, closure: &Closure, parameter: &Parameter, value: &Value) {
        let (Value::Symbolic(id), Some(annotation)) = (value, &parameter.annotation) else { return };
        let is_tensor = matches!(annotated_type(annotation), "Tensor" | "FloatTensor" | "LongTensor");
        let is_open = is_tensor && !self.is_stated_parameter(&closure.function, parameter.name);
        if self.inference.is_none() && is_open && self.may_mean_torch(closure.globals, annotation) {
            let evidence = format!("the annotation of `{}` says so", parameter.name);
            let place = parameter.range.in_file(closure.function.file);
            self.refine_to_tensor(*id, self.assumed_kind(place), AssumptionKind::UsedAs, evidence, place);
        }
    }

    /// A tuple of integers, where an annotation says how many; a list of tensors; else nothing is known of the contents.
    fn sequence_of(&mut self, annotation: &Expr, name: &str, place: Span) -> Value {
        const UNKNOWN: Value = Value::Unknown("a parameter of unknown contents");
        let ExprKind::Subscript { value, index } = &annotation.kind else { return UNKNOWN };
        match (annotated_type(value), &index.kind) {
            ("tuple" | "Tuple", ExprKind::Tuple(parts)) if parts.iter().all(|part| annotated_type(part) == "int") => {
                let item = |(index, _)| Value::Int(self.free_dim(&format!("{name}_{index}"), 1));
                let items: Vec<Value> = parts.iter().enumerate().map(item).collect();
                Value::tuple(items)
            }
            ("list" | "List" | "Sequence", _) if annotated_type(index) == "Tensor" => {
                let class = Name::new(self.families().usual().class());
                let item = self.result_value(&ResultType::Tensor, class, place);
                let data = crate::heap::objects::ListData { items: Vec::new(), rest: Some(item) };
                Value::List(self.heap.allocate(crate::heap::objects::Payload::List(Rc::new(data))))
            }
            _ => UNKNOWN,
        }
    }

    /// An integer for a value of unknown type that is used as one; `None` where the user denies that it is.
    pub fn refine_to_integer(&mut self, id: ObjectId, evidence: &str, span: Span) -> Option<Dim> {
        let Some(data) = self.heap.symbolic(id).cloned() else { return Some(self.free_dim("n", 0)) };
        match &data.refined {
            Some(value) => Some(value.as_dim().unwrap_or_else(|| self.free_dim("n", 0))),
            None => {
                self.heed(&Value::Symbolic(id));
                if let Some(dim) = self.computed_integer(id, evidence, span) {
                    self.refine(id, Value::Int(dim));
                    return Some(dim);
                }
                let subject = data.description.to_string();
                let name = subject.rsplit('.').next().unwrap_or("n");
                let is_plain = name.chars().all(|c| c.is_alphanumeric() || c == '_') && !name.is_empty();
                let dim = self.free_dim(if is_plain { name } else { "n" }, 1);
                if is_plain {
                    self.name_dim(dim, Name::new(name));
                }
                let text = words::used_as_integer(&subject);
                let speculation = self.speculate(AssumptionKind::UsedAs, &subject, text, evidence.to_owned(), span);
                if speculation == Speculation::Denied {
                    return None;
                }
                self.refine(id, Value::Int(dim));
                self.decisions_on_integer(id, dim);
                self.note_integer(id, dim);
                Some(dim)
            }
        }
    }
}

/// Whether an annotation is one of a container or function with what it holds or takes.
fn is_sequence(annotation: &Expr) -> bool {
    const CONTAINERS: [&str; 10] =
        ["list", "tuple", "List", "Tuple", "Sequence", "Iterable", "dict", "Dict", "Callable", "Type"];
    matches!(&annotation.kind, ExprKind::Subscript { value, .. } if CONTAINERS.contains(&annotated_type(value)))
}

/// Whether an annotation is `Optional[Tensor]` or `Tensor | None`.
fn is_tensor_or_none(annotation: &Expr) -> bool {
    let is_tensor = |part: &Expr| matches!(annotated_type(part), "Tensor" | "FloatTensor" | "LongTensor");
    match &annotation.kind {
        ExprKind::Subscript { value, index } => annotated_type(value) == "Optional" && is_tensor(index),
        ExprKind::Binary { left, right, .. } => is_tensor(left) || is_tensor(right),
        _ => false,
    }
}

/// The last name of a plain annotation: `Tensor` of `torch.Tensor`.
fn annotated_type(annotation: &Expr) -> &str {
    match &annotation.kind {
        ExprKind::Str(text) => text.rsplit('.').next().unwrap_or(""),
        _ => annotation.last_name().map_or("", Name::as_str),
    }
}
