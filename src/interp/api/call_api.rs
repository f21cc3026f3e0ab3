//! Calls of annotated APIs: arguments are bound and reduced to what shapes need, the operation is evaluated, and its result becomes a
//! value again.

use std::hash::BuildHasher as _;
use std::rc::Rc;

use rustc_hash::FxBuildHasher;

use crate::api::results::{assumptions_of, opaque};
use crate::api::stages::ApiCall;
use crate::calls::call::CallArguments;
use crate::heap::objects::InstanceData;
use crate::judge::remedy_causes::is_rearrangement;
use crate::state::interpreter::{Eval, Interpreter};
use crate::values::value::{Device, OperationId, Value};
use harp_annotations::{ApiSpec, Behaviour, ClassSpec, Cost, Effects};
use harp_corpus::Span;
use harp_limits::light_tick;
use harp_operations::apply_signature::{actual, apply_signature};
use harp_operations::operation::{Argument, Arguments, Guess, Judged, Operation, Output, Remark};
use harp_python::name::Name;
use harp_shape::notation::Actual;
use harp_shape::{DType, Dim, Outcome, Shape};
use harp_trace::{Input, OperationRecord};

/// An annotation under the name by which it was called: one annotation may serve several APIs.
#[derive(Clone, Copy, Debug)]
pub struct Callee<'p> {
    pub spec: &'p ApiSpec,
    pub api: Name,
}

/// Values bound to the parameters of an API.
pub type Bound = Vec<(Name, Value)>;

/// Parameters that take a list of tensors.
pub(crate) const TENSOR_LISTS: [&str; 4] = ["arrays", "sequences", "tensors", "tup"];
/// Parameters that say which dimension is meant.
const AXES: [&str; 8] = ["dim", "axis", "dim0", "dim1", "axis1", "axis2", "start_dim", "end_dim"];

/// Parameters that take a tensor wherever they occur; a value of unknown type that is passed there is one.
pub(crate) const TENSOR_PARAMETERS: [&str; 16] = [
    "input", "self", "x", "target", "weight", "mat1", "mat2", "batch1", "batch2", "query", "key", "value", "tensor",
    "mat", "src", "tgt",
];

/// What operators call, also on numbers.
pub(super) const OPERATORS: [&str; 24] = [
    "add",
    "add_",
    "div",
    "div_",
    "divide",
    "eq",
    "floor_divide",
    "ge",
    "gt",
    "le",
    "lt",
    "mul",
    "mul_",
    "multiply",
    "ne",
    "neg",
    "negative",
    "pow",
    "power",
    "remainder",
    "sub",
    "sub_",
    "subtract",
    "true_divide",
];

/// How deep sequences of arguments are looked into.
pub(crate) const DEEPEST_ARGUMENT: usize = 6;

impl<'p> Interpreter<'p> {
    /// Calls an annotated API. `receiver` is the first argument of a method; `object` gives the constructor's arguments where an
    /// instance of a library class is called.
    pub fn call_api(
        &mut self,
        callee: Callee<'p>,
        receiver: Option<Value>,
        object: Option<&InstanceData>,
        arguments: CallArguments,
    ) -> Eval {
        self.step()?;
        // What operators call may be told by a source.
        if matches!(callee.spec.behaviour, Behaviour::Source)
            && object.is_none()
            && let Some(function @ Value::Function(_)) = self.standard_value(callee.api)
        {
            let mut given = arguments;
            given.positional_spans.clear();
            given.positional.splice(0..0, receiver);
            return self.call(&function, given);
        }
        let arguments = self.in_described_order(callee, usize::from(receiver.is_some()), arguments);
        let mut bound: Bound = object.map_or_else(Vec::new, |object| object.arguments.clone());
        let own = bound.len();
        bound.extend(self.bind_library(callee.spec, receiver, &arguments));
        if self.is_of_tensors(callee.api) && self.is_dispatched(&bound) {
            return Ok(Value::Unknown("an operation that a class of the program defines"));
        }
        if self.is_of_arrays(callee.api) {
            self.models.arguments_are_bound(self, callee.api, &mut bound, arguments.span)?;
            self.take_list_for_array(callee.api, &mut bound);
        }
        if callee.spec.takes_arrays {
            self.make_tensors(callee, &mut bound, own, arguments.span)?;
        }
        self.adopt_types(callee.api, bound.get_mut(own..).unwrap_or_default());
        self.call_bound(callee, bound, own, object, &arguments)
    }

    /// The indices of `np.add.at(a, [0, 2], 1)` are an array, and not one for each dimension.
    fn take_list_for_array(&self, api: Name, bound: &mut Bound) {
        let of_list = |value: &Value| matches!(self.read(value), Value::List(_));
        if api.as_str().ends_with(".at")
            && let Some((_, indices)) = bound.iter_mut().find(|(name, _)| name.as_str() == "indices")
            && of_list(indices)
        {
            *indices = Value::tuple(vec![indices.clone()]);
        }
    }

    /// Checks the arguments of a constructor where its annotation says how.
    /// The result is a tensor where the class is one, as `torch.Tensor(2, 3)` is.
    pub fn check_constructor(
        &mut self,
        spec: &'p ClassSpec,
        class: Name,
        bound: &Bound,
        arguments: &CallArguments,
    ) -> Eval {
        self.models.constructor_is_bound(self, spec, class, bound, arguments)?;
        if matches!(spec.constructor.behaviour, Behaviour::Opaque(_)) && spec.constructor.require.is_empty() {
            return Ok(Value::None);
        }
        if bound.iter().any(|(_, value)| matches!(value, Value::Alternatives(_))) {
            return Ok(Value::None);
        }
        let callee = Callee { spec: &spec.constructor, api: class };
        self.evaluate_api(ApiCall { callee, bound, own: 0, object: None, call: arguments })
    }

    /// Which dimension an operation is about, where settings say it: at their defaults, which hold from here on.
    pub(super) fn settled_axis(&mut self, name: Name, value: &Value) -> Value {
        match self.read(value) {
            Value::Int(number) if AXES.contains(&name.as_str()) => {
                let number = self.solver.resolve(number);
                let default = self.default_of_configured(number).filter(|_| self.inference.is_none());
                match default.map(Dim::constant).filter(|default| *default != number) {
                    Some(default) => {
                        self.settle(number, default);
                        Value::Int(default)
                    }
                    None => value.clone(),
                }
            }
            _ => value.clone(),
        }
    }

    pub(crate) fn run_operation(
        &mut self,
        spec: &'p ApiSpec,
        api: Name,
        arguments: &Arguments,
    ) -> (Output, Vec<Judged>, Vec<Remark>, Vec<Guess>) {
        let (output, judged, remarks, guesses) = self.evaluated_operation(spec, api, arguments);
        let family = self.family_of_result(spec, api);
        let output = match family.rules().narrow_unless.is_empty() {
            true => output,
            false => output.with_types(&|dtype| self.type_in_family(dtype, family)),
        };
        (output, judged, remarks, guesses)
    }

    fn evaluated_operation(
        &mut self,
        spec: &'p ApiSpec,
        api: Name,
        arguments: &Arguments,
    ) -> (Output, Vec<Judged>, Vec<Remark>, Vec<Guess>) {
        match &spec.behaviour {
            Behaviour::Transfer(name) => {
                let Some(run) = self.transfer_of(spec, name) else {
                    return (Output::Unknown("no transfer function"), Vec::new(), Vec::new(), Vec::new());
                };
                let rules = self.kind_of_api(api).rules();
                let mut operation = Operation::new(api.as_str(), rules, arguments, &mut self.solver);
                let output = run(&mut operation).of_followed_ranks();
                (output, operation.judged, operation.remarks, operation.guesses)
            }
            Behaviour::Signature(signature) => {
                let rules = self.kind_of_api(api).rules();
                let (output, judged) =
                    apply_signature(&mut self.solver, api.as_str(), rules, spec, signature, arguments);
                (output.of_followed_ranks(), judged, Vec::new(), Vec::new())
            }
            // The function in Python was not found, or is called in a way that is not followed.
            Behaviour::Source => (Output::Unknown("a source in Python"), Vec::new(), Vec::new(), Vec::new()),
            Behaviour::Opaque(result) => (opaque(result), Vec::new(), Vec::new(), Vec::new()),
        }
    }

    /// The further constraints that an annotation states.
    pub(crate) fn judge_requirements(&mut self, spec: &ApiSpec, arguments: &Arguments, judged: &mut Vec<Judged>) {
        for requirement in &spec.require {
            let value = |name: &str| arguments.get(name).map_or(Actual::Unknown, whole_number);
            let Some(constraint) = requirement.constraint(&mut self.solver, &value) else { continue };
            let outcome = self.solver.require(&constraint);
            if outcome != Outcome::Holds {
                let message = requirement.sentence(&value);
                judged.push(Judged { constraint, outcome, ..Judged::violated(message, Vec::new()) });
            }
        }
    }

    pub(crate) fn record_operation(
        &mut self,
        Callee { spec, api }: Callee<'p>,
        bound: &Bound,
        output: &Output,
        device: Device,
        span: Span,
    ) -> OperationId {
        // What a package does inside is one operation at the user's call of it.
        if self.corpus.is_foreign(span.file) {
            return OperationId::NONE;
        }
        let mut inputs = Vec::new();
        for (name, value) in bound {
            self.collect_inputs(&self.read(value), *name, &mut inputs, 0);
        }
        let (shape, dtype) = match output {
            Output::Tensor { shape, dtype } => (Some(shape.clone()), *dtype),
            _ => (None, DType::Unknown),
        };
        if inputs.is_empty() && shape.is_none() && spec.effects == Effects::default() {
            return OperationId::NONE;
        }
        let shape_of_site = shape.as_ref().map(|shape| self.shape_of_site(shape));
        let assumptions = assumptions_of(bound);
        let mut identity = self.identity_of(bound, shape.as_ref(), span);
        let given = self.tensors_given(bound);
        identity.read = self.last_change(identity.object, &given);
        let details = self.details_of(bound, output, span);
        let sizes_assume = self.sizes_assumed(shape.iter().chain(inputs.iter().map(|input| &input.shape)));
        let ground = self.trace.sites.ground(&assumptions);
        let site = self.trace.site(span);
        site.apis.add(api);
        site.apis_assume.add(ground);
        if shape_of_site.is_some() {
            shape.iter().for_each(|shape| site.has_shape(shape, sizes_assume));
            site.value_assumes.add(ground);
            site.shape = shape_of_site;
            site.dtype = Some(dtype);
            site.lies_on(device);
        }
        let (loops, calls) = (Rc::clone(&self.loops.shared), Rc::clone(&self.calls.shared));
        let (rounds, route) = (Rc::clone(&self.loops.rounds_shared), self.route.clone());
        let keeps_shape = spec.cost == Cost::Elementwise || is_conversion(api);
        let shape_from = inputs.iter().find(|input| keeps_shape && Some(&input.shape) == shape.as_ref());
        let shape_from = shape_from.map_or(OperationId::NONE, |input| {
            let before = self.trace.operation(input.operation).map(|record| record.shape_from);
            before.filter(|before| *before != OperationId::NONE).unwrap_or(input.operation)
        });
        let record = OperationRecord {
            api,
            span,
            given,
            inputs,
            shape,
            dtype,
            device,
            loops,
            rounds,
            calls,
            route,
            shape_from,
            assumptions,
            sizes_assume,
            identity,
            details,
        };
        let shares = spec.effects.has(Effects::VIEWS) || !spec.effects.writes.is_empty();
        let given = if shares { record.given.clone() } else { Box::default() };
        let operation = self.add_operation(record, spec.cost);
        self.note_memory(spec, operation, &given);
        operation
    }

    pub(crate) fn add_operation(&mut self, record: OperationRecord, cost: Cost) -> OperationId {
        self.work.costs.note_operation(&record);
        self.show_operation(&record);
        // What lays elements out in other dimensions may be why a later operation fails.
        let is_forgotten = self.options.forgets_shapes && !is_rearrangement(record.api);
        let record = if is_forgotten { shortened(record, cost, self.trace.entries.len()) } else { record };
        self.trace.add_operation(record)
    }

    /// What is kept of the shape of an expression's value; that there is one is always known.
    pub(crate) fn shape_of_site(&self, shape: &Shape) -> Shape {
        if self.options.forgets_shapes { Shape::scalar() } else { shape.clone() }
    }

    pub(crate) fn collect_inputs(&self, value: &Value, name: Name, inputs: &mut Vec<Input>, depth: usize) {
        light_tick();
        match value {
            Value::Tensor(tensor) => inputs.push(Input {
                parameter: name,
                operation: tensor.operation,
                shape: self.solver.resolve_shape(&tensor.shape),
                symbols: None,
                device: tensor.device,
            }),
            Value::Tuple(items) if depth < 2 => {
                for item in items.iter().take(64) {
                    self.collect_inputs(item, name, inputs, depth + 1);
                }
            }
            _ => {}
        }
    }
}

/// Whether an API gives a tensor with another type, or in another place.
fn is_conversion(api: Name) -> bool {
    const CONVERSIONS: [&str; 12] =
        ["astype", "clone", "contiguous", "cpu", "cuda", "double", "float", "half", "int", "long", "to", "type_as"];
    api.as_str().rsplit('.').next().is_some_and(|name| CONVERSIONS.contains(&name))
}

/// What is kept of an operation where nobody asks for its tensors: where it is, how much work, and whether it gets the same shapes in each
/// iteration. `entry` tells apart variables of different entries.
fn shortened(record: OperationRecord, cost: Cost, entry: usize) -> OperationRecord {
    if record.loops.is_empty() && !cost.is_much() {
        return OperationRecord { inputs: Vec::new(), shape: None, ..record };
    }
    let input = |input: Input| {
        let is_constant = input.shape.has_no_variables();
        let symbols = (!is_constant).then(|| FxBuildHasher.hash_one((entry, &input.shape)));
        Input { shape: input.shape.without_variables(), symbols, ..input }
    };
    let inputs = record.inputs.into_iter().map(input).collect();
    OperationRecord { inputs, shape: record.shape.map(|shape| shape.without_variables()), ..record }
}

/// An argument as a requirement sees it; a float that is whole is an integer.
fn whole_number(argument: &Argument) -> Actual {
    match argument {
        Argument::Float(Some(value)) if value.fract() == 0.0 && value.abs() < 1e9 => {
            Actual::Integer(harp_shape::Dim::constant(*value as i64))
        }
        other => actual(other),
    }
}

pub(super) fn is_number_like(value: &Value) -> bool {
    matches!(value, Value::Int(_) | Value::Float(_) | Value::Ratio(_) | Value::Bool(_) | Value::None)
}

/// What an operation said, with the library's names of the parameters in place of those that transfer functions read.
pub(super) fn in_the_library_s_names(
    spec: &ApiSpec,
    output: Output,
    mut judged: Vec<Judged>,
    mut remarks: Vec<Remark>,
) -> (Output, Vec<Judged>, Vec<Remark>) {
    let own_name = |name: &Rc<str>| -> Rc<str> {
        let renamed = spec.renames.iter().find(|(own, read)| **read == **name && spec.parameter(own).is_some());
        renamed.map_or_else(|| Rc::clone(name), |(own, _)| Rc::from(&**own))
    };
    for judged in &mut judged {
        judged.operands.iter_mut().for_each(|name| *name = own_name(name));
        judged.shapes.iter_mut().for_each(|(name, _)| *name = own_name(name));
    }
    for remark in &mut remarks {
        let Remark::SuspiciousBroadcast { operands, .. } = remark;
        operands.iter_mut().for_each(|name| *name = own_name(name));
    }
    let output = match output {
        Output::Argument(name) => Output::Argument(own_name(&name)),
        other => other,
    };
    (output, judged, remarks)
}

/// What an operation writes to the tensor that `out` names has that tensor's type.
pub(super) fn into_given(output: Output, arguments: &Arguments) -> Output {
    match (output, arguments.tensor("out")) {
        (Output::Tensor { shape, .. }, Some(out)) => Output::Tensor { shape, dtype: out.dtype },
        (output, _) => output,
    }
}
