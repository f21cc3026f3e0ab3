//! Whether a call fits one of the forms in which a library's API may be called.
//!
//! What is not known of an argument fits everything, and a call with unpacked arguments fits every form: a function that is looked at by
//! itself may unpack what its callers always give.

use std::rc::Rc;

use crate::api::call_api::Callee;
use crate::budget::costly_calls::EntryKind;
use crate::calls::call::CallArguments;
use crate::judge::alarms::Context;
use crate::judge::misused_values::is_plain_function;
use crate::state::interpreter::Interpreter;
use crate::values::value::{LibraryMethod, OperationId, Tensor, TensorKind, Value};
use harp_annotations::call_forms::FormParameter;
use harp_annotations::{CallForm, CallForms, Kinds, ParameterKind};
use harp_corpus::Span;
use harp_operations::operation::Judged;
use harp_python::name::Name;
use harp_shape::{Assumed, Family};
use harp_trace::Subject;

/// Sequences within sequences that are looked into.
const DEEPEST: usize = 4;

/// Why a call does not fit a form. The later, the more of the form fits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Misfit {
    Unexpected,
    TooMany,
    Missing,
    Kind,
}

/// What can be seen of an argument.
#[derive(Clone, Copy)]
enum Seen {
    /// It may be anything.
    Anything,
    /// It is of one of these kinds.
    Kinds(Kinds),
    /// It is a sequence, neither of integers nor of tensors.
    Sequence,
    /// It is an object that is neither a number, nor a text, nor a sequence, nor a tensor.
    Object,
    /// It is a function.
    Function,
}

impl Interpreter<'_> {
    /// Reports a call that fits no form of its API. Returns whether it does.
    pub fn call_misfits(&mut self, api: Name, receiver: Option<&Value>, arguments: &CallArguments) -> bool {
        // Programs try what a version may not have.
        if arguments.is_open || arguments.is_unpacked || self.exceptions.caught > 0 {
            return false;
        }
        let receiver = match receiver.map(|receiver| self.read(receiver)) {
            None | Some(Value::Instance(_)) => None,
            Some(Value::Tensor(tensor)) if self.is_surely_a_tensor(&tensor) => Some(tensor),
            Some(_) => return false,
        };
        let Some(message) = self.misfit(api, arguments) else { return false };
        if receiver.is_some_and(|tensor| !self.is_made_of_tensors(&tensor)) {
            return false;
        }
        self.report_misfit(api, message, arguments);
        true
    }

    /// Reports why a call fits no form of its API.
    pub(crate) fn report_misfit(&mut self, api: Name, message: String, arguments: &CallArguments) {
        let judged = Judged::violated(message, Vec::new());
        // Nothing is expected to be raised: no `try` is around.
        let context = Context {
            api,
            bound: &Vec::new(),
            object: None,
            call: arguments,
            operation: OperationId::NONE,
            help: &[],
            subject: Subject::Arguments,
        };
        _ = self.record_issues(&context, vec![judged], Vec::new());
    }

    /// Whether a call says that its receiver, which was taken for a tensor because of its use, is something else: no method of that name
    /// takes these arguments.
    pub(crate) fn is_of_something_else(&mut self, api: Name, receiver: &Value, arguments: &CallArguments) -> bool {
        if arguments.is_open || arguments.is_unpacked || self.inference.is_some() {
            return false;
        }
        let Value::Tensor(tensor) = self.read(receiver) else { return false };
        if tensor.assumptions.is_empty() || self.is_surely_a_tensor(&tensor) && self.is_made_of_tensors(&tensor) {
            return false;
        }
        let is_gone = self.is_removed(api);
        let of_array = method_of_other_family(tensor.kind, api);
        let may_be_array = of_array.is_some_and(|array| self.misfit(array, arguments).is_none());
        is_gone || (!may_be_array && self.misfit(api, arguments).is_some())
    }

    /// The method of an array, where the receiver may be a tensor or an array and the call fits only what arrays have, as in
    /// `x.repeat(4, axis=1)`.
    pub(crate) fn as_method_of_array(
        &mut self,
        method: &LibraryMethod,
        arguments: &CallArguments,
    ) -> Option<LibraryMethod> {
        // One argument alone may as well be that of a picture's method.
        let is_telling = !arguments.keywords.is_empty() || arguments.positional.len() > 1;
        if !is_telling || arguments.is_open || arguments.is_unpacked || self.inference.is_some() {
            return None;
        }
        let Value::Tensor(tensor) = self.read(&method.receiver) else { return None };
        let of_array = method_of_other_family(tensor.kind, method.api)?;
        let family = tensor.kind.families().nth(1)?;
        self.misfit(method.api, arguments)?;
        if self.call_forms(of_array).is_none() || self.misfit(of_array, arguments).is_some() {
            return None;
        }
        let receiver = Value::Tensor(Rc::new(Tensor { kind: TensorKind::of(family), ..Tensor::clone(&tensor) }));
        Some(LibraryMethod { receiver, api: of_array })
    }

    /// Why a call fits no form of its API. `None` where it fits one, and where the forms are not known.
    pub(crate) fn misfit(&mut self, api: Name, arguments: &CallArguments) -> Option<String> {
        let forms = self.call_forms(api)?;
        let place = |spans: &[Option<Span>], index: usize| spans.get(index).copied().flatten();
        let positional = arguments.positional.iter().enumerate();
        let positional: Vec<Seen> = positional
            .map(|(index, value)| self.seen(value, place(&arguments.positional_spans, index), DEEPEST))
            .collect();
        let keywords = arguments.keywords.iter().enumerate();
        let keywords: Vec<(Name, Seen)> = keywords
            .map(|(index, (name, value))| (*name, self.seen(value, place(&arguments.keyword_spans, index), DEEPEST)))
            .collect();
        let mut nearest: Option<(Misfit, String)> = None;
        for form in &forms.forms {
            let (misfit, text) = fits(form, &forms, &positional, &keywords).err()?;
            if nearest.as_ref().is_none_or(|(known, _)| misfit > *known) {
                nearest = Some((misfit, text));
            }
        }
        nearest.map(|(_, message)| message)
    }

    /// The arguments of a call in a form whose order is another than that of the described parameters, as `x.addcmul_(value, a, b)`: by name.
    pub(crate) fn in_described_order(
        &mut self,
        Callee { spec, api }: Callee<'_>,
        given_before: usize,
        arguments: CallArguments,
    ) -> CallArguments {
        let takes_place =
            |kind: ParameterKind| matches!(kind, ParameterKind::PositionalOnly | ParameterKind::PositionalOrKeyword);
        let described: Vec<&str> =
            spec.parameters.iter().filter(|it| takes_place(it.kind)).map(|it| &*it.name).skip(given_before).collect();
        // Another order has a parameter more that stands in a place.
        let is_variadic = || spec.parameters.iter().any(|it| it.kind == ParameterKind::VariadicPositional);
        if arguments.positional.len() <= described.len() || arguments.is_unpacked || is_variadic() {
            return arguments;
        }
        let Some(forms) = self.call_forms(api) else { return arguments };
        let named = forms.forms.iter().find_map(|form| {
            let placed = form.parameters.iter().filter(|it| takes_place(it.kind));
            let names: Vec<&str> = placed.map(|it| &*it.name).collect();
            let has_all = described.iter().all(|name| names.contains(name));
            (has_all && names.len() == arguments.positional.len() && !names.starts_with(&described)).then_some(names)
        });
        let Some(names) = named else { return arguments };
        let mut keywords: Vec<(Name, Value)> =
            names.iter().map(|name| Name::new(name)).zip(arguments.positional).collect();
        keywords.extend(arguments.keywords);
        let mut keyword_spans = arguments.positional_spans;
        keyword_spans.resize(names.len(), None);
        keyword_spans.extend(arguments.keyword_spans);
        CallArguments { positional: Vec::new(), positional_spans: Vec::new(), keywords, keyword_spans, ..arguments }
    }

    pub(crate) fn call_forms(&mut self, api: Name) -> Option<Rc<CallForms>> {
        let library = self.library;
        let known = self.caches.call_forms.entry(api).or_insert_with(|| library.call_forms(api.as_str()).map(Rc::new));
        known.clone()
    }

    /// Whether a value that is used as a tensor is one, rather than taken for one because of its use.
    pub(crate) fn is_surely_a_tensor(&self, tensor: &Tensor) -> bool {
        let Some(family) = tensor.kind.only_family() else { return false };
        // A function of its library made it; a method is found on whatever it is called.
        let is_made = || {
            let made_by = self.trace.operation(tensor.operation).map(|record| record.api);
            made_by.is_some_and(|api| self.family_of_api(api) == Some(family) && !is_method_of(family, api))
        };
        let is_assumed =
            family.rules().assumed == Assumed::Everywhere || family.rules().assumed == Assumed::WhereImported;
        !family.rules().is_picture && (tensor.assumptions.is_empty() || is_assumed && is_made())
    }

    /// What is certain of an argument that stands at a place. A number, a text or `None` is certain where it is written there: one from
    /// elsewhere may be a default that no caller uses.
    fn seen(&self, value: &Value, place: Option<Span>, depth: usize) -> Seen {
        if depth == 0 {
            return Seen::Anything;
        }
        let is_literal = place.is_some_and(|place| is_literal(self.source_text(place)));
        match self.read(value) {
            Value::Tensor(tensor) => self.seen_tensor(&tensor),
            Value::DType(_) => Seen::Kinds(Kinds::DTYPE),
            Value::Tuple(items) => self.seen_sequence(&items, place, depth),
            Value::List(id) => match self.heap.list(id) {
                // Code that was not understood may have changed it.
                Some(data) if data.rest.is_none() && self.entry.not_understood.is_empty() => {
                    self.seen_sequence(&data.items, place, depth)
                }
                _ => Seen::Anything,
            },
            object @ Value::Instance(_) if self.is_no_data(&object) => Seen::Object,
            Value::Function(closure) if is_plain_function(&closure) => Seen::Function,
            Value::Library(name) if self.library_function(name).is_some() => Seen::Function,
            // A function that nobody calls may have other values in their place, and a text may stand for what was not understood.
            Value::None if !is_literal && self.may_be_given() => Seen::Anything,
            Value::None | Value::Int(_) | Value::Float(_) | Value::Bool(_) | Value::Ratio(_)
                if !is_literal && self.entry.kind == EntryKind::Symbolic =>
            {
                Seen::Anything
            }
            Value::Str(_)
                if !is_literal && (self.entry.kind == EntryKind::Symbolic || !self.entry.not_understood.is_empty()) =>
            {
                Seen::Anything
            }
            Value::None => Seen::Kinds(Kinds::NONE),
            Value::Bool(_) => Seen::Kinds(Kinds::BOOL.with(Kinds::NUMBER).with(Kinds::INTEGER)),
            Value::Int(_) => Seen::Kinds(Kinds::INTEGER.with(Kinds::NUMBER)),
            Value::Float(_) | Value::Ratio(_) => Seen::Kinds(Kinds::NUMBER),
            Value::Str(_) => Seen::Kinds(Kinds::TEXT),
            _ => Seen::Anything,
        }
    }

    fn seen_tensor(&self, tensor: &Tensor) -> Seen {
        // A number of NumPy is seen as an array without dimensions, and a tensor of one element may be taken for a number.
        if tensor.kind.rules().array_functions || !self.is_surely_a_tensor(tensor) {
            return Seen::Anything;
        }
        let dims = self.solver.resolve_shape(&tensor.shape).dims();
        let dims = dims.unwrap_or_default();
        if dims.iter().any(|dim| dim.as_const().is_some_and(|size| size != 1)) {
            return Seen::Kinds(Kinds::TENSOR);
        }
        // What may have one element may be meant as a size: `torch.zeros(shape[mask])`.
        let is_one = dims.iter().all(|dim| dim.as_const().is_some());
        Seen::Kinds(if is_one { SMALL_TENSOR } else { Kinds::TENSOR.with(Kinds::INTEGER) })
    }

    /// A sequence is of integers unless an item is certainly none, and of tensors likewise.
    fn seen_sequence(&self, items: &[Value], place: Option<Span>, depth: usize) -> Seen {
        let all = |kind: Kinds| {
            items.iter().all(|item| match self.seen(item, place, depth - 1) {
                Seen::Anything => true,
                Seen::Kinds(kinds) => kinds.has(kind),
                Seen::Sequence | Seen::Object | Seen::Function => false,
            })
        };
        let kinds = match (all(Kinds::INTEGER), all(Kinds::TENSOR)) {
            (true, true) => Kinds::INTEGERS.with(Kinds::TENSORS),
            (true, false) => Kinds::INTEGERS,
            (false, true) => Kinds::TENSORS,
            (false, false) => return Seen::Sequence,
        };
        Seen::Kinds(kinds)
    }
}

/// Whether a text is a number, a text, one of Python's constants, or a list or tuple of such.
pub fn is_literal(text: &str) -> bool {
    let text = text.trim();
    if matches!(text, "None" | "True" | "False") {
        return true;
    }
    match text.chars().next() {
        Some('\'' | '"') => true,
        Some(first) if first.is_ascii_digit() || matches!(first, '-' | '.' | '[' | '(') => {
            text.chars().all(|character| character.is_ascii_digit() || ".,-+()[] \n".contains(character))
        }
        _ => false,
    }
}

/// What a tensor of one element can stand for.
const SMALL_TENSOR: Kinds = Kinds::TENSOR.with(Kinds::INTEGER).with(Kinds::NUMBER).with(Kinds::BOOL);

/// Binds the arguments as Python does.
fn fits(
    form: &CallForm,
    forms: &CallForms,
    positional: &[Seen],
    keywords: &[(Name, Seen)],
) -> Result<(), (Misfit, String)> {
    let mut given: Vec<Option<Seen>> = vec![None; form.parameters.len()];
    let mut rest = positional.iter();
    for (parameter, given) in form.parameters.iter().zip(&mut given) {
        match parameter.kind {
            ParameterKind::PositionalOnly | ParameterKind::PositionalOrKeyword => *given = rest.next().copied(),
            ParameterKind::VariadicPositional => {
                // PyTorch's parser takes integers in place of a sequence of them, which is not left out.
                let is_sequence = parameter.takes.is_some_and(|takes| takes.has(Kinds::INTEGER));
                let is_named = || keywords.iter().any(|(name, _)| *parameter.name == *name.as_str());
                if is_sequence && rest.len() == 0 && !is_named() {
                    return Err((Misfit::Missing, format!("the argument `{}` is missing", parameter.name)));
                }
                for seen in rest.by_ref() {
                    takes(parameter, *seen)?;
                }
            }
            ParameterKind::KeywordOnly | ParameterKind::VariadicKeyword => {}
        }
    }
    if rest.next().is_some() {
        let most = positional.len() - 1 - rest.len();
        let arguments = if most == 1 { "argument" } else { "arguments" };
        let text = format!("it takes at most {most} positional {arguments}, but {} are given", positional.len());
        return Err((Misfit::TooMany, text));
    }
    let takes_others = form.parameters.iter().any(|parameter| parameter.kind == ParameterKind::VariadicKeyword);
    for (name, seen) in keywords {
        let meant = forms.keywords.iter().find(|(keyword, _)| **keyword == *name.as_str());
        let is_meant = |parameter: &FormParameter, name: &str| {
            *parameter.name == *name
                && matches!(parameter.kind, ParameterKind::PositionalOrKeyword | ParameterKind::KeywordOnly)
        };
        let named = form.parameters.iter().position(|parameter| is_meant(parameter, name.as_str()));
        let place = named.or_else(|| {
            let (_, meant) = meant?;
            form.parameters.iter().position(|parameter| is_meant(parameter, meant))
        });
        match place {
            Some(place) if given[place].is_some() => {
                return Err((Misfit::TooMany, format!("`{name}` is given twice")));
            }
            Some(place) => given[place] = Some(*seen),
            None if takes_others => {}
            None => return Err((Misfit::Unexpected, format!("it has no parameter `{name}`"))),
        }
    }
    for (parameter, given) in form.parameters.iter().zip(given) {
        let is_variadic = matches!(parameter.kind, ParameterKind::VariadicPositional | ParameterKind::VariadicKeyword);
        match given {
            Some(seen) => takes(parameter, seen)?,
            None if parameter.is_optional || is_variadic => {}
            None => return Err((Misfit::Missing, format!("the argument `{}` is missing", parameter.name))),
        }
    }
    Ok(())
}

fn takes(parameter: &FormParameter, seen: Seen) -> Result<(), (Misfit, String)> {
    let Some(takes) = parameter.takes else { return Ok(()) };
    let found = match seen {
        Seen::Anything => return Ok(()),
        Seen::Kinds(kinds) if kinds.has(takes) => return Ok(()),
        Seen::Kinds(kinds) => kinds.describe_one(),
        Seen::Sequence => "a sequence of others",
        Seen::Object => "an object",
        Seen::Function => "a function",
    };
    Err((Misfit::Kind, format!("`{}` must be {}, not {found}", parameter.name, takes.describe())))
}

/// The method of the second family that a tensor may be of, for a method of the first.
fn method_of_other_family(kind: TensorKind, api: Name) -> Option<Name> {
    let mut families = kind.families();
    let (first, second) = (families.next()?, families.next()?);
    let name = api.as_str().strip_prefix(first.class())?.strip_prefix('.')?;
    Some(Name::new(&format!("{}.{name}", second.class())))
}

fn is_method_of(family: Family, api: Name) -> bool {
    api.as_str().strip_prefix(family.class()).is_some_and(|rest| rest.starts_with('.'))
}
