//! API calls whose result a library pack's source in Python tells. What else is known of them stands in an entry of
//! their name: the call is an operation like that of any entry.

use std::rc::Rc;

use crate::api::call_api::{Bound, Callee};
use crate::api::executions::Modes;
use crate::api::fed_sources::{Made, SourceAgain};
use crate::calls::call::CallArguments;
use crate::heap::objects::{InstanceData, Payload};
use crate::state::interpreter::{Eval, Interpreter};
use crate::values::value::{Closure, Device, ObjectId, Value};
use harp_annotations::{ApiSpec, Behaviour, ClassSpec};
use harp_corpus::Span;
use harp_operations::operation::Output;
use harp_python::ir::Function;
use harp_python::name::Name;

/// A call by the program of a function in a pack's source.
pub(crate) struct SourceCall<'p> {
    callee: Callee<'p>,
    bound: Bound,
    /// The object whose call or method it is.
    object: Option<ObjectId>,
    span: Span,
    /// How many objects there were before.
    objects: usize,
    /// The call itself, where runs may feed its arguments.
    again: Option<SourceAgain>,
}

/// An entry, and whether its parameters leave out the receiver, as those in the description of a class do.
struct Found<'p> {
    callee: Callee<'p>,
    is_of_class: bool,
}

impl<'p> Interpreter<'p> {
    /// The call of a function in a pack's source by the program, where an entry with `source: true` describes it.
    pub(crate) fn call_of_source(
        &mut self,
        closure: &Rc<Closure>,
        arguments: &CallArguments,
    ) -> Option<SourceCall<'p>> {
        let function = &closure.function;
        if !self.corpus.is_standard(function.file) || self.corpus.is_foreign(arguments.span.file) {
            return None;
        }
        if function.name.as_str() == "__init__" {
            self.note_constructor(function, arguments);
            return None;
        }
        let Found { callee, is_of_class } = self.entry_of_source(function, arguments)?;
        let mut given = arguments.clone();
        let object = match arguments.positional.first() {
            Some(Value::Instance(id)) if is_of_class => Some(*id),
            _ => None,
        };
        let mut bound =
            object.and_then(|id| self.heap.instance(id)).map_or_else(Vec::new, |data| data.arguments.clone());
        if is_of_class && !given.positional.is_empty() {
            given.positional.remove(0);
            if !given.positional_spans.is_empty() {
                given.positional_spans.remove(0);
            }
        }
        bound.extend(self.bind_library(callee.spec, None, &given));
        let again = self.feeds_tensors().then(|| SourceAgain {
            api: callee.api,
            closure: Rc::clone(closure),
            arguments: arguments.clone(),
        });
        Some(SourceCall { callee, bound, object, span: arguments.span, objects: self.heap.len(), again })
    }

    /// The entry of a function in a source: that of the class of the receiver goes before that of the class which defines it.
    fn entry_of_source(&self, function: &Function, arguments: &CallArguments) -> Option<Found<'p>> {
        let own = self.corpus.libraries.public_name(function.file, function.qualified_name.as_str())?;
        let classes = arguments.positional.first().and_then(|receiver| self.class_of_source(receiver));
        let owner = own.rsplit_once('.').map(|(owner, _)| owner.to_owned());
        let of_class = classes.into_iter().chain(owner).find_map(|class| self.entry_of_class(&class, function.name));
        of_class.or_else(|| {
            let spec = self.library.function(&own).filter(|spec| is_told_by_source(spec))?;
            Some(Found { callee: Callee { spec, api: Name::new(&own) }, is_of_class: false })
        })
    }

    fn entry_of_class(&self, class: &str, method: Name) -> Option<Found<'p>> {
        let library = self.library;
        let spec: &'p ClassSpec = library.class(class)?;
        let is_call = method.as_str() == "__call__";
        let called = if is_call { spec.call.as_ref() } else { spec.method(method.as_str()) };
        let called = called.filter(|spec| is_told_by_source(spec))?;
        let api = if is_call { Name::new(class) } else { self.qualified(Name::new(class), method) };
        Some(Found { callee: Callee { spec: called, api }, is_of_class: true })
    }

    /// The public name of the class of an object, where a pack's source defines it.
    fn class_of_source(&self, object: &Value) -> Option<String> {
        let Value::Instance(_) = object else { return None };
        let Value::Class(class) = self.class_of(object) else { return None };
        self.public_name_of_class(class)
    }

    /// The name under which programs know a class that a pack's source defines.
    pub(crate) fn public_name_of_class(&self, class: ObjectId) -> Option<String> {
        let definition = &self.heap.class(class)?.definition;
        self.corpus.libraries.public_name(definition.file, definition.name.as_str())
    }

    /// Keeps what the constructor of an object was told, as rules ask for it.
    fn note_constructor(&mut self, function: &Function, arguments: &CallArguments) {
        let Some(object @ Value::Instance(id)) = arguments.positional.first().cloned() else { return };
        let Some(class) = self.class_of_source(&object) else { return };
        let library = self.library;
        let Some(spec): Option<&'p ClassSpec> = library.class(&class) else { return };
        let defines = function.qualified_name.as_str();
        // Constructors of bases run within that of the class.
        if !is_told_by_source(&spec.constructor) || class.rsplit('.').next() != defines.split('.').next() {
            return;
        }
        let given = CallArguments {
            positional: arguments.positional[1..].to_vec(),
            positional_spans: arguments.positional_spans.get(1..).unwrap_or_default().to_vec(),
            ..arguments.clone()
        };
        self.trace.site(arguments.span).library.add(Name::new(&class));
        let told = self.bind_library(&spec.constructor, None, &given);
        let Some(data) = self.heap.instance(id) else { return };
        let data = InstanceData { class: data.class.clone(), arguments: told, origin: data.origin };
        self.heap.set_payload(id, Payload::Instance(Rc::new(data)));
    }

    /// The arguments under the names that the function in Python has, where the program calls some by others that the entry lists.
    pub(crate) fn by_names_of_source(&self, closure: &Closure, arguments: &CallArguments) -> Option<CallArguments> {
        if arguments.keywords.is_empty() || !self.corpus.is_standard(closure.function.file) {
            return None;
        }
        let spec = self.entry_of_source(&closure.function, arguments)?.callee.spec;
        let has = |name: &str| closure.function.parameters.iter().any(|parameter| parameter.name.as_str() == name);
        let mut renamed = arguments.clone();
        let mut is_renamed = false;
        for (keyword, _) in &mut renamed.keywords {
            if has(keyword.as_str()) {
                continue;
            }
            if let Some(parameter) = spec.keyword(keyword.as_str()).filter(|parameter| has(&parameter.name)) {
                *keyword = Name::new(&parameter.name);
                is_renamed = true;
            }
        }
        is_renamed.then_some(renamed)
    }

    /// What a function in a source returns to the program: the result of one operation at the call.
    pub(crate) fn result_of_source(&mut self, value: Value, call: SourceCall<'p>) -> Eval {
        self.for_each_alternative(&value, |this, value| Ok(this.recorded_source(&value, &call)))
    }

    fn recorded_source(&mut self, value: &Value, call: &SourceCall<'p>) -> Value {
        let SourceCall { callee, bound, object, span, objects, again } = call;
        if self.is_recorded_to_be_fed(value, *span) {
            return value.clone();
        }
        let output = self.output_of(value);
        let device = match self.read(value) {
            Value::Tensor(tensor) if tensor.device != Device::Unknown => tensor.device,
            _ => self.device_of_call(callee.spec, callee.api, bound, *span),
        };
        if let Some(id) = object {
            let described = self.describe_object(*id);
            self.executions.call(*id, described, *span, Modes::default());
        }
        let operation = self.record_operation(*callee, bound, &output, device, *span);
        self.note_change(callee.spec, bound);
        if let Some(again) = again {
            self.keep_source_if_fed(again.clone(), operation, *span);
        }
        self.as_results_of(value, &Made { operation, device, span: *span, objects: *objects })
    }

    /// A value as what an operation gives: shapes and types alone.
    fn output_of(&self, value: &Value) -> Output {
        match self.read(value) {
            Value::Tensor(tensor) => Output::tensor(self.solver.resolve_shape(&tensor.shape), tensor.dtype),
            Value::Tuple(items) => Output::Tuple(items.iter().map(|item| self.output_of(item)).collect()),
            Value::None => Output::None,
            _ => Output::Unknown("a value of Python"),
        }
    }
}

pub(crate) fn is_told_by_source(spec: &ApiSpec) -> bool {
    matches!(spec.behaviour, Behaviour::Source)
}
