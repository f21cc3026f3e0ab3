//! The results of API calls: the outputs of operations become values again.

use std::cell::Cell;
use std::rc::Rc;

use crate::api::call_api::Bound;
use crate::heap::objects::{InstanceData, ListData, Payload};
use crate::state::interpreter::Interpreter;
use crate::values::value::{Device, Iteration, ObjectId, OperationId, SOME_PART, Tensor, TensorKind, Value};
use harp_annotations::{ApiSpec, Behaviour, DeviceRule, ResultType, Role, Setting};
use harp_corpus::Span;
use harp_limits::light_tick;
use harp_operations::operation::Output;
use harp_python::name::Name;
use harp_shape::{DType, Shape};
use harp_trace::assumption::{AssumptionKind, AssumptionSet, words};

/// What stands for an argument that a call leaves out.
const ABSENT: &str = "argument not given";
/// The attribute in which a module remembers where it was moved: no program can name it.
const WEIGHTS_DEVICE: &str = "#device of the weights";

impl Interpreter<'_> {
    pub(crate) fn value_of(&mut self, output: Output, maker: &Maker<'_>) -> Value {
        match output {
            Output::Tensor { shape, dtype } => Value::Tensor(Rc::new(Tensor {
                shape: self.solver.resolve_shape(&shape),
                dtype: self.dtype_of_new(dtype, maker),
                kind: maker.kind_of_new(),
                device: maker.device,
                operation: maker.operation,
                part: maker.next_part(),
                origin: maker.origin,
                assumptions: maker.assumptions.clone(),
                name: None,
                elements: None,
            })),
            Output::Argument(name) => maker.bound.iter().rev().find(|(known, _)| known.as_str() == &*name).map_or(
                Value::Unknown("argument"),
                |(_, value)| match value {
                    // `tensor.numpy()` shares its data with the tensor, but is an array.
                    Value::Tensor(tensor)
                        if maker.kind.known_rules().is_some_and(|rules| rules.on_host && !rules.is_picture)
                            && tensor.kind != maker.kind =>
                    {
                        Value::Tensor(Rc::new(Tensor { kind: maker.kind, ..Tensor::clone(tensor) }))
                    }
                    value => value.clone(),
                },
            ),
            Output::Tuple(items) => {
                let items = items.into_iter().map(|item| self.value_of(item, maker)).collect();
                Value::tuple(items)
            }
            Output::List(items) => {
                let items = items.into_iter().map(|item| self.value_of(item, maker)).collect();
                Value::List(self.heap.allocate(Payload::List(Rc::new(ListData { items, rest: None }))))
            }
            Output::OpenSize(shape) => Value::Size(shape),
            Output::Several(item, count) => {
                let item = self.value_of(*item, maker);
                match count {
                    // A signature says how many there are.
                    Some(count) if self.inference.is_some() => Value::Iterator(Rc::new(Iteration::Repeated {
                        element: item,
                        count: Some(count),
                        residual: None,
                    })),
                    _ => {
                        let data = ListData { items: Vec::new(), rest: Some(item) };
                        let list = Value::List(self.heap.allocate(Payload::List(Rc::new(data))));
                        if let Some(count) = count {
                            self.note_length_of_open(&list, count);
                        }
                        list
                    }
                }
            }
            Output::Size(dims) if maker.kind.rules().sizes.is_some() => self.size_of_dims(dims),
            Output::Size(dims) => Value::tuple(dims.into_iter().map(Value::Int).collect()),
            Output::Integer(dim) => Value::Int(dim),
            Output::Float => Value::Float(None),
            Output::Boolean(Some(value)) => Value::Bool(value),
            // The same wherever the program asks for it.
            Output::Boolean(None) => self.symbolic(&format!("{}(…)", maker.api), maker.origin, true),
            Output::None => Value::None,
            Output::Unknown(reason) => match opaque_result(reason, maker, self) {
                Some(value) => value,
                None => {
                    if reason == VIOLATED {
                        // Had it not failed, the result would be a tensor.
                        return self.result_value(&ResultType::Tensor, maker.api, maker.origin);
                    }
                    if !is_understood(reason) {
                        self.not_understood(&format!("{}: {reason}", maker.api), maker.origin);
                    }
                    let description = format!("{}(…)", maker.api);
                    if reason == OPAQUE && is_from_outside(maker) {
                        return self.data_from_outside(&description, maker.origin);
                    }
                    self.symbolic(&description, maker.origin, true)
                }
            },
        }
    }

    /// Where the result of a call lies: that of a module with weights where these lie, else where its input does.
    pub(crate) fn device_of_call(&self, spec: &ApiSpec, api: Name, bound: &Bound, span: Span) -> Device {
        let is_module = bound.iter().any(|(name, _)| name.as_str() == "device") && self.executions.is_of_object(span);
        if !is_module {
            return self.device_of(spec, api, bound);
        }
        let of_input = || bound.iter().find_map(|(_, value)| self.device_of_tensors(value, 0));
        self.executions.device_of_weights(span).or_else(of_input).unwrap_or(Device::Unknown)
    }

    /// Where a result lies: where the call says, else where the first tensor does, else where new tensors are made.
    fn device_of(&self, spec: &ApiSpec, api: Name, bound: &Bound) -> Device {
        let argument = |parameter: &str| bound.iter().find(|(name, _)| name.as_str() == parameter);
        match &spec.device {
            Some(DeviceRule::Accelerator) => return Device::Accelerator,
            Some(DeviceRule::Cpu) => return Device::Cpu,
            Some(DeviceRule::As(parameter)) => {
                let own = bound.first().and_then(|(_, value)| self.named_device(value));
                let told = argument(parameter).and_then(|(_, told)| self.device_of_type(told));
                return told.or(own).unwrap_or(Device::Unknown);
            }
            Some(DeviceRule::In(_)) | None => {}
        }
        let by_keyword = bound.iter().find(|(name, value)| name.as_str() == "device" && !value.is_none());
        // `x.to("cuda")`, `x.to(device)`; a dtype or another tensor stands there too.
        let in_place = || match &spec.device {
            Some(DeviceRule::In(parameter)) => argument(parameter),
            _ => None,
        };
        let named = by_keyword.or_else(in_place);
        let own = bound.iter().find_map(|(_, value)| self.device_of_tensors(value, 0));
        match named {
            Some((_, Value::Tuple(items))) => items.iter().find_map(|item| self.named_device(item)).or(own),
            // What nobody gave, the tensor keeps.
            Some((_, Value::Unknown(ABSENT))) => own,
            Some((_, value)) => self.named_device(value).or(own),
            None => own,
        }
        .unwrap_or_else(|| match self.kind_of_api(api).rules() {
            rules if rules.on_host => Device::Cpu,
            rules if rules.placed_by_program && spec.parameter("device").is_some() => self.model_state.default_device,
            _ => Device::Unknown,
        })
    }

    /// Where tensors of a type lie, such as `torch.cuda.FloatTensor`, or another tensor; `None` where a type says nothing of that.
    fn device_of_type(&self, told: &Value) -> Option<Device> {
        let of_name = |name: &str| {
            let class = self.library.class(name).filter(|_| self.is_class_of_tensors(name))?;
            let lies_on_accelerator = class.constructor.device == Some(DeviceRule::Accelerator);
            Some(if lies_on_accelerator { Device::Accelerator } else { Device::Cpu })
        };
        match self.read(told) {
            Value::Tensor(tensor) => Some(tensor.device),
            Value::Library(name) => of_name(name.as_str()),
            Value::Str(Some(name)) => of_name(&name),
            Value::Alternatives(alternatives) => {
                let named = alternatives.iter().map(|(_, one)| self.device_of_type(one).unwrap_or(Device::Unknown));
                named.reduce(Device::join)
            }
            Value::DType(_) | Value::None | Value::Unknown(ABSENT) => None,
            _ => Some(Device::Unknown),
        }
    }

    /// Where a tensor lies, or the first one of a sequence.
    fn device_of_tensors(&self, value: &Value, depth: usize) -> Option<Device> {
        light_tick();
        match self.read(value) {
            Value::Tensor(tensor) => Some(tensor.device),
            Value::Tuple(items) if depth < 2 => items.iter().find_map(|item| self.device_of_tensors(item, depth + 1)),
            Value::List(id) if depth < 2 => {
                self.heap.list(id)?.items.iter().find_map(|item| self.device_of_tensors(item, depth + 1))
            }
            _ => None,
        }
    }

    /// Whether a class is that of a family's tensors or derives from it.
    fn is_class_of_tensors(&self, class: &str) -> bool {
        let is_one = |name: &str| self.families().of_class(name).is_some();
        is_one(class)
            || self
                .library
                .class(class)
                .is_some_and(|spec| spec.bases.iter().any(|base| self.is_class_of_tensors(base)))
    }

    /// A call may decide where new tensors are made: by a device, or by a type whose tensors lie somewhere.
    pub(crate) fn note_default_device(&mut self, spec: &ApiSpec, bound: &Bound) {
        let Some((_, value)) = bound.first().filter(|_| spec.sets.contains(&Setting::DefaultDevice)) else { return };
        let by_type = spec.sets.contains(&Setting::DefaultFloat);
        let device = match self.read(value) {
            Value::Str(Some(text)) if by_type => match self.device_of_type(&Value::Str(Some(text))) {
                Some(Device::Accelerator) => Device::Accelerator,
                _ => return,
            },
            _ if by_type => return,
            Value::None => Device::Cpu,
            _ => self.named_device(value).unwrap_or(Device::Unknown),
        };
        // Other modules and entries may run before or after it.
        self.model_state.default_device = if device == Device::Cpu { self.model_state.default_device } else { device };
    }

    /// Where the program has moved the parameters of a module; `None` where that is not known.
    /// What the constructor was told holds until then.
    pub(crate) fn device_of_weights(&self, module: ObjectId, data: Option<&InstanceData>) -> Option<Device> {
        let named = |word: &Value| {
            let known = [Device::Cpu, Device::Accelerator, Device::Chosen];
            known.into_iter().find(|device| word.as_text() == Some(device.word()))
        };
        let Some(word) = self.heap.attribute(module, Name::new(WEIGHTS_DEVICE)).map(|word| self.read(word)) else {
            let (_, told) = data?.arguments.iter().find(|(name, _)| name.as_str() == "device")?;
            return self.named_device(told).filter(|device| *device != Device::Unknown);
        };
        match word {
            Value::Alternatives(words) => {
                let devices: Option<Vec<Device>> = words.iter().map(|(_, word)| named(word)).collect();
                devices?.into_iter().reduce(Device::join)
            }
            word => named(&word),
        }
    }

    /// The word for the device that a value names, on each way for itself: where it names none or one that is not known, `None`.
    pub fn words_of_device(&mut self, device: &Value) -> Value {
        // A `torch.device` may have been made of one text or another.
        let told = match self.read(device) {
            Value::Instance(id) => self.heap.instance(id).and_then(|data| data.arguments.first().cloned()),
            _ => None,
        };
        let told = told.map_or_else(|| device.clone(), |(_, told)| told);
        let words = self.for_each_alternative(&told, |this, device| {
            let named = this.named_device(&device).filter(|device| *device != Device::Unknown);
            Ok(named.map_or(Value::None, |device| Value::str(device.word())))
        });
        words.unwrap_or(Value::None)
    }

    /// The parameters of a module lie from now on where the word says.
    pub fn move_weights(&mut self, module: ObjectId, word: Value) {
        self.heap.set_attribute(module, Name::new(WEIGHTS_DEVICE), word);
    }

    /// Whether a class is that of devices.
    pub(crate) fn is_device_class(&self, class: &Value) -> bool {
        matches!(class, Value::Library(name) if self.library_class(*name).is_some_and(|spec| spec.role == Some(Role::Device)))
    }

    /// Whether the objects of a class stand for something, by what annotations say of it or of a class that it derives from.
    pub(crate) fn stands_for(&self, class: &Value, role: Role) -> bool {
        let has_role = |name: Name| self.library_class(name).is_some_and(|spec| spec.role == Some(role));
        self.library_bases(class, None).into_iter().any(has_role)
    }

    /// Whether a value is an object that gives mini-batches.
    pub(crate) fn is_loader(&self, value: &Value) -> bool {
        matches!(value, Value::Instance(_)) && self.stands_for(&self.class_of(value), Role::Loader)
    }

    /// The device that a value names; `None` where it names none, as a dtype does.
    pub fn named_device(&self, value: &Value) -> Option<Device> {
        match self.read(value) {
            Value::Str(Some(text)) => Some(if text.starts_with("cpu") { Device::Cpu } else { Device::Accelerator }),
            Value::Int(_) => Some(Device::Accelerator),
            Value::Instance(id) => {
                let data = self.heap.instance(id)?;
                if !self.is_device_class(&data.class) {
                    return None;
                }
                data.arguments.first().and_then(|(_, value)| self.named_device(value)).or(Some(Device::Unknown))
            }
            Value::Tensor(tensor) => Some(tensor.device),
            Value::Alternatives(alternatives) => {
                let named = alternatives.iter().map(|(_, value)| self.named_device(value).unwrap_or(Device::Unknown));
                named.reduce(Device::join)
            }
            // A value that the program calls a type names no device.
            Value::Symbolic(id) if self.is_called_a_type(id) => None,
            Value::Symbolic(_) | Value::Unknown(_) | Value::Str(None) => Some(Device::Unknown),
            _ => None,
        }
    }

    fn is_called_a_type(&self, id: crate::values::value::ObjectId) -> bool {
        self.heap.symbolic(id).is_some_and(|data| {
            let last = data.description.rsplit(['.', '_']).next();
            matches!(last, Some("dtype" | "type"))
        })
    }

    /// The shape of a tensor that was computed of another one and a number: that is a tensor too, then.
    fn shape_of_scaled(
        &mut self,
        id: crate::values::value::ObjectId,
        library: TensorKind,
        kind: AssumptionKind,
        evidence: &str,
        span: Span,
    ) -> Option<Shape> {
        light_tick();
        let operand = self.scaled_operand(id).filter(|operand| *operand < id && self.inference.is_none())?;
        self.refine_to_tensor(operand, library, kind, evidence.to_owned(), span).map(|tensor| tensor.shape.clone())
    }

    /// A tensor of unknown shape for a value of unknown type.
    pub fn refine_to_tensor(
        &mut self,
        id: crate::values::value::ObjectId,
        library: TensorKind,
        kind: AssumptionKind,
        evidence: String,
        span: Span,
    ) -> Option<Rc<Tensor>> {
        let data = self.heap.symbolic(id)?.clone();
        if let Some(Value::Tensor(tensor)) = &data.refined {
            return Some(Rc::clone(tensor));
        }
        if data.refined.is_some() || self.is_some_text(id) {
            return None;
        }
        if kind == AssumptionKind::MemberName && (self.has_other_members(id) || self.is_namespace(id)) {
            return None;
        }
        self.heed(&Value::Symbolic(id));
        let subject = data.description.to_string();
        let text = match kind {
            AssumptionKind::MemberName => words::member_name_tensor(&subject),
            AssumptionKind::UniformReturns => words::uniform_returns_tensor(&subject),
            _ => words::used_as_tensor(&subject),
        };
        let assumptions = self.speculate(kind, &subject, text, evidence.clone(), span).granted()?;
        let shape = self.shape_of_scaled(id, library, kind, &evidence, span);
        let shape = shape.unwrap_or_else(|| self.shape_of_value(id));
        if self.inference.is_some() && data.is_result {
            self.solver.hide_rank(&shape);
        }
        let tensor = Rc::new(Tensor {
            shape,
            dtype: DType::Unknown,
            kind: library,
            device: Device::Unknown,
            operation: OperationId::NONE,
            part: 0,
            origin: data.origin,
            assumptions,
            name: Some(Name::new(&subject)),
            elements: None,
        });
        self.executions.is_input(&tensor);
        self.refine(id, Value::Tensor(Rc::clone(&tensor)));
        if self.inference.is_none() {
            self.members_of_tensor(id, &tensor);
        }
        Some(tensor)
    }
}

impl Interpreter<'_> {
    /// Whose tensors an API gives for these arguments; those after the first `own` are the call's, not a constructor's.
    pub(crate) fn result_kind(&self, spec: &ApiSpec, api: Name, bound: &Bound, own: usize) -> TensorKind {
        if let Some(class) = &spec.family {
            return self.kind_of_class(class);
        }
        let of_receiver = bound.get(own);
        let is_method =
            || self.families().of_class(api.as_str().rsplit_once('.').map_or("", |(owner, _)| owner)).is_some();
        // What a method gives may be of the families that its receiver may be of.
        if let Some((_, Value::Tensor(tensor))) = of_receiver
            && tensor.kind.is_open()
            && is_method()
            && self.family_of_api(api) == Some(tensor.kind.family())
        {
            return tensor.kind.untrained();
        }
        if let Some(family) = self.family_of_api(api) {
            return TensorKind::of(family);
        }
        match of_receiver.or(bound.first()) {
            Some((_, Value::Tensor(tensor))) => tensor.kind,
            // Functions that take pictures and tensors alike give what they got.
            Some((_, Value::Unknown(_) | Value::Symbolic(_) | Value::Alternatives(_))) => self.usual_open_kind(),
            _ => TensorKind::of(self.families().usual()),
        }
    }
}

impl Maker<'_> {
    /// Of which family the tensors are, and whether the program trains them, as their class tells.
    fn kind_of_new(&self) -> TensorKind {
        let is_class = |class: &str| *self.api.as_str() == *class || *self.spec.qualified_name == *class;
        let is_trained = self.kind.rules().parameters.iter().any(|class| is_class(class));
        if is_trained { self.kind.trained() } else { self.kind.untrained() }
    }
}

/// What the values that an operation makes have in common.
pub(crate) struct Maker<'b> {
    pub(crate) spec: &'b ApiSpec,
    pub(crate) api: Name,
    pub(crate) kind: TensorKind,
    pub(crate) operation: OperationId,
    pub(crate) device: Device,
    pub(crate) origin: Span,
    pub(crate) assumptions: AssumptionSet,
    pub(crate) bound: &'b Bound,
    /// How many tensors it gave so far.
    pub(crate) parts: Cell<u8>,
    /// Whether one value stands for several results.
    pub(crate) gives_some: bool,
}

impl Maker<'_> {
    /// The number of the next result.
    fn next_part(&self) -> u8 {
        let part = if self.gives_some { SOME_PART } else { self.parts.get() };
        self.parts.set(part.saturating_add(1));
        part
    }
}

/// The opaque results that need the interpreter are passed through [`Output::Unknown`] and made here.
pub(crate) fn opaque_result(
    reason: &'static str,
    maker: &Maker<'_>,
    interpreter: &mut Interpreter<'_>,
) -> Option<Value> {
    if reason != OPAQUE {
        return None;
    }
    let Behaviour::Opaque(result) = &maker.spec.behaviour else { return None };
    if matches!(result, ResultType::Unknown) {
        return None;
    }
    Some(interpreter.result_value(result, maker.api, maker.origin))
}

/// Whether a result is data that a file or the system gives.
fn is_from_outside(maker: &Maker<'_>) -> bool {
    let top_level = maker.api.as_str().split('.').next().unwrap_or_default();
    maker.spec.effects.has(harp_annotations::Effects::IO) || harp_python::is_standard_library(top_level)
}

/// Reasons for an unknown result that are no gap of the analysis: values that only a run has, results that an annotation leaves open, and
/// clashes that are reported themselves.
pub(crate) fn is_understood(reason: &str) -> bool {
    reason == OPAQUE || matches!(reason, "the value of an element" | "the values of a tensor")
}

/// The reason for an unknown result after a clash.
pub(crate) const VIOLATED: &str = "a requirement of the operation is violated";

pub(crate) const OPAQUE: &str = "nothing is known of the result";

pub(crate) fn opaque(result: &ResultType) -> Output {
    match result {
        ResultType::None => Output::None,
        ResultType::Bool => Output::Boolean(None),
        ResultType::Float => Output::Float,
        ResultType::Argument(name) => Output::Argument(Rc::from(&**name)),
        ResultType::Tensor => Output::Tensor { shape: Shape::unknown("s"), dtype: DType::Unknown },
        _ => Output::Unknown(OPAQUE),
    }
}

/// The last component of a name such as `self.encoder`, for a shape variable.
pub(crate) fn short_name(description: &str) -> &str {
    let name = description.rsplit('.').next().unwrap_or(description);
    if !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_') { name } else { "s" }
}

pub(crate) fn assumptions_of(bound: &Bound) -> AssumptionSet {
    fn add(value: &Value, set: AssumptionSet, depth: usize) -> AssumptionSet {
        match value {
            Value::Tensor(tensor) => set.union(&tensor.assumptions),
            Value::Tuple(items) if depth < 2 => items.iter().fold(set, |set, item| {
                light_tick();
                add(item, set, depth + 1)
            }),
            _ => set,
        }
    }
    bound.iter().fold(AssumptionSet::default(), |set, (_, value)| add(value, set, 0))
}

/// In longer lists, what further tensors assume is left out.
const MOST_ITEMS: usize = 64;

impl Interpreter<'_> {
    /// What the tensors assume that stand in lists among the arguments, as those that are joined do.
    pub(crate) fn assumptions_in_lists(&self, bound: &Bound) -> AssumptionSet {
        let mut set = AssumptionSet::default();
        for (_, value) in bound {
            let Value::List(id) = self.read(value) else { continue };
            let Some(list) = self.heap.list(id) else { continue };
            for item in list.items.iter().take(MOST_ITEMS) {
                light_tick();
                if let Value::Tensor(tensor) = self.read(item) {
                    set = set.union(&tensor.assumptions);
                }
            }
        }
        set
    }
}
