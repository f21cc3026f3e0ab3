//! Calls of annotated APIs: arguments are bound and reduced to what shapes need, the operation is evaluated, and its result becomes a
//! value again.

use std::rc::Rc;

use crate::annotations::{ApiSpec, Behaviour, ClassSpec, DTypeRule, Effects, ParameterKind, ResultType};
use crate::corpus::Span;
use crate::interp::assumption::{AssumptionKind, AssumptionSet};
use crate::interp::calls::CallArguments;
use crate::interp::heap::{InstanceData, ListData, Payload};
use crate::interp::library::kind_of_api;
use crate::interp::machine::{Eval, Interpreter};
use crate::interp::operation::{Argument, Arguments, Judged, Operation, Output, Remark, TensorArgument};
use crate::interp::plausible::fails_at_usual_values;
use crate::interp::trace::{Issue, IssueKind, Operand, OperationRecord};
use crate::interp::transfer;
use crate::interp::value::{Device, OperationId, Tensor, TensorKind, Value};
use crate::python::name::Name;
use crate::shape::{DType, Dim, Outcome, Shape};

/// An annotation under the name by which it was called: one annotation may serve several APIs.
#[derive(Clone, Copy)]
pub struct Callee<'p> {
    pub spec: &'p ApiSpec,
    pub api: Name,
}

/// Values bound to the parameters of an API.
pub type Bound = Vec<(Name, Value)>;

/// Parameters that take a tensor wherever they occur; a value of unknown type that is passed there is one.
const TENSOR_PARAMETERS: [&str; 16] = [
    "input", "self", "x", "target", "weight", "mat1", "mat2", "batch1", "batch2", "query", "key", "value", "tensor",
    "mat", "src", "tgt",
];

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

/// How deep sequences of arguments are looked into.
const DEEPEST_ARGUMENT: usize = 6;

impl<'p> Interpreter<'p> {
    /// Binds a call's arguments to the parameters of an API; missing ones get their defaults.
    pub fn bind_library(&mut self, spec: &ApiSpec, receiver: Option<Value>, arguments: &CallArguments) -> Bound {
        let mut bound = Vec::with_capacity(spec.parameters.len());
        let mut positional = receiver.into_iter().chain(arguments.positional.iter().cloned());
        for parameter in &spec.parameters {
            let name = Name::new(&parameter.name);
            let means_it =
                |keyword: &Name| spec.keyword(keyword.as_str()).is_some_and(|meant| meant.name == parameter.name);
            let keyword =
                arguments.keywords.iter().find(|(keyword, _)| means_it(keyword)).map(|(_, value)| value.clone());
            let value = match parameter.kind {
                ParameterKind::VariadicPositional => {
                    let items: Vec<Value> = positional.by_ref().collect();
                    match (items.len(), keyword) {
                        (0, Some(value)) => value,
                        _ if arguments.is_open => Value::Unknown("unpacked arguments"),
                        // One argument may be the sequence itself.
                        (1, _) if items[0].is_unknown() || matches!(items[0], Value::Size(_)) => items[0].clone(),
                        _ => Value::tuple(items),
                    }
                }
                ParameterKind::VariadicKeyword => {
                    // Each under its own name, as `h` in `rearrange(x, 'b (h w) -> b h w', h=2)`.
                    let others =
                        arguments.keywords.iter().filter(|(keyword, _)| spec.keyword(keyword.as_str()).is_none());
                    let others: Vec<(Name, Value)> = others.cloned().collect();
                    bound.extend(others.into_iter().map(|(name, value)| (name, self.read(&value))));
                    continue;
                }
                ParameterKind::KeywordOnly => match keyword {
                    Some(value) => value,
                    None => self.default_of(parameter, arguments.is_open),
                },
                ParameterKind::PositionalOnly | ParameterKind::PositionalOrKeyword => {
                    match positional.next().or(keyword) {
                        Some(value) => value,
                        None => self.default_of(parameter, arguments.is_open),
                    }
                }
            };
            let value = self.read(&value);
            bound.push((name, self.as_integer_parameter(name, value, arguments.span)));
        }
        bound
    }

    /// A value of unknown type that is passed where only an integer can be is one.
    fn as_integer_parameter(&mut self, name: Name, value: Value, span: Span) -> Value {
        match &value {
            Value::Symbolic(id) if INTEGER_PARAMETERS.contains(&name.as_str()) => {
                Value::Int(self.refine_to_integer(*id, &format!("it is passed as `{name}`"), span))
            }
            _ => value,
        }
    }

    fn default_of(&mut self, parameter: &crate::annotations::ParameterSpec, is_open: bool) -> Value {
        match &parameter.default {
            Some(default) if !is_open => self.literal_value(default),
            _ => Value::Unknown("argument not given"),
        }
    }

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
        let mut bound: Bound = object.map_or_else(Vec::new, |object| object.arguments.clone());
        let own = bound.len();
        bound.extend(self.bind_library(callee.spec, receiver, &arguments));
        self.call_bound(callee, bound, own, object, &arguments)
    }

    /// Evaluates the API for each combination of alternatives of its arguments.
    fn call_bound(
        &mut self,
        callee: Callee<'p>,
        bound: Bound,
        own: usize,
        object: Option<&InstanceData>,
        arguments: &CallArguments,
    ) -> Eval {
        let open =
            bound.iter().position(|(_, value)| matches!(value, Value::Alternatives(_)) || self.has_alternatives(value));
        let Some(index) = open else { return self.evaluate_api(callee, &bound, own, object, arguments) };
        let value = bound[index].1.clone();
        let value = self.lift_sequence(&value);
        if !matches!(value, Value::Alternatives(_)) {
            let mut bound = bound;
            bound[index].1 = self.simplify(&value);
            return self.call_bound(callee, bound, own, object, arguments);
        }
        self.for_each_alternative(&value, |this, alternative| {
            let mut bound = bound.clone();
            bound[index].1 = alternative;
            for (_, other) in &mut bound {
                *other = this.read(other);
            }
            this.step()?;
            this.call_bound(callee, bound, own, object, arguments)
        })
    }

    fn has_alternatives(&self, value: &Value) -> bool {
        match value {
            Value::Tuple(items) => items.iter().any(|item| matches!(self.read(item), Value::Alternatives(_))),
            _ => false,
        }
    }

    /// Alternatives inside a tuple become alternatives of the tuple.
    fn lift_sequence(&mut self, value: &Value) -> Value {
        let Value::Tuple(items) = value else { return value.clone() };
        for (index, item) in items.iter().enumerate() {
            let Value::Alternatives(alternatives) = self.read(item) else { continue };
            let lifted = alternatives
                .iter()
                .map(|(guard, alternative)| {
                    let mut items = items.to_vec();
                    items[index] = alternative.clone();
                    (guard.clone(), Value::tuple(items))
                })
                .collect();
            return Value::Alternatives(Rc::new(lifted));
        }
        value.clone()
    }

    fn simplify(&mut self, value: &Value) -> Value {
        match value {
            Value::Tuple(items) => {
                let items = items.iter().map(|item| match self.read(item) {
                    Value::Alternatives(_) => Value::Unknown("alternatives"),
                    item => item,
                });
                Value::tuple(items.collect())
            }
            other => other.clone(),
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
        if matches!(spec.constructor.behaviour, Behaviour::Opaque(_)) && spec.constructor.require.is_empty() {
            return Ok(Value::None);
        }
        if bound.iter().any(|(_, value)| matches!(value, Value::Alternatives(_))) {
            return Ok(Value::None);
        }
        self.evaluate_api(Callee { spec: &spec.constructor, api: class }, bound, 0, None, arguments)
    }

    fn evaluate_api(
        &mut self,
        callee: Callee<'p>,
        bound: &Bound,
        own: usize,
        object: Option<&InstanceData>,
        call: &CallArguments,
    ) -> Eval {
        let Callee { spec, api } = callee;
        let mut arguments = Arguments::default();
        for (index, (name, value)) in bound.iter().enumerate() {
            let is_tensor = index >= own && TENSOR_PARAMETERS.contains(&name.as_str()) && !is_number_like(value);
            let argument = self.argument(value, is_tensor.then_some((api, call.span)), 0);
            let name = if index >= own { spec.argument_name(name.as_str()) } else { name.as_str() };
            arguments.push(name, argument);
        }
        let (output, mut judged, remarks) = self.run_operation(spec, api, &arguments);
        self.judge_requirements(spec, &arguments, &mut judged);
        let (output, judged, remarks) = in_the_library_s_names(spec, output, judged, remarks);
        let operation = self.record_operation(spec, api, bound, &output, call.span);
        self.record_issues(api, judged, remarks, bound, object, call, operation);
        let assumptions = assumptions_of(bound);
        let maker = Maker {
            spec,
            api,
            kind: result_kind(spec, api, bound, own),
            operation,
            origin: call.span,
            assumptions,
            bound,
        };
        Ok(self.value_of(output, &maker))
    }

    fn run_operation(
        &mut self,
        spec: &'p ApiSpec,
        api: Name,
        arguments: &Arguments,
    ) -> (Output, Vec<Judged>, Vec<Remark>) {
        match &spec.behaviour {
            Behaviour::Transfer(name) => {
                let Some(run) = transfer::lookup(name) else {
                    return (Output::Unknown("no transfer function"), Vec::new(), Vec::new());
                };
                let mut operation = Operation::new(api.as_str(), arguments, &mut self.solver);
                let output = run(&mut operation);
                (output, operation.judged, operation.remarks)
            }
            Behaviour::Signature(signature) => self.apply_signature(spec, signature, arguments),
            Behaviour::Opaque(result) => (opaque(result), Vec::new(), Vec::new()),
        }
    }

    /// The further constraints that an annotation states.
    fn judge_requirements(&mut self, spec: &ApiSpec, arguments: &Arguments, judged: &mut Vec<Judged>) {
        for requirement in &spec.require {
            let scalar = |name: &str| arguments.get(name).and_then(Argument::as_dim);
            let Some(constraint) = requirement.constraint(&mut self.solver, &scalar) else { continue };
            let outcome = self.solver.require(&constraint);
            if outcome != Outcome::Holds {
                let message = format!("`{}` must hold", requirement.text);
                judged.push(Judged { constraint, outcome, message, operands: Vec::new() });
            }
        }
    }

    fn apply_signature(
        &mut self,
        spec: &ApiSpec,
        signature: &crate::annotations::Signature,
        arguments: &Arguments,
    ) -> (Output, Vec<Judged>, Vec<Remark>) {
        let shape = |name: &str| shape_argument(arguments.get(name));
        let scalar = |name: &str| arguments.get(name).and_then(Argument::as_dim);
        let applied = signature.apply(&mut self.solver, &shape, &scalar);
        let dtype = dtype_of(&spec.dtype, arguments);
        let operands: Vec<Rc<str>> =
            signature.parameters().filter(|name| arguments.tensor(name).is_some()).map(Rc::from).collect();
        let judged = applied
            .outcomes
            .into_iter()
            .map(|(message, constraint, outcome)| Judged { constraint, outcome, message, operands: operands.clone() })
            .collect();
        let mut outputs: Vec<Output> =
            applied.outputs.into_iter().map(|shape| Output::Tensor { shape, dtype }).collect();
        let output = match outputs.len() {
            0 => Output::None,
            1 => outputs.swap_remove(0),
            _ => Output::Tuple(outputs),
        };
        (output, judged, Vec::new())
    }

    /// A value as an operation sees it. `tensor_use` names the API that takes a value of unknown type for a tensor.
    pub fn argument(&mut self, value: &Value, tensor_use: Option<(Name, Span)>, depth: usize) -> Argument {
        if depth > DEEPEST_ARGUMENT {
            return Argument::Unknown;
        }
        match self.read(value) {
            Value::Tensor(tensor) => {
                let shape = self.solver.resolve_shape(&tensor.shape);
                Argument::Tensor(TensorArgument { shape, dtype: tensor.dtype })
            }
            Value::Int(dim) => Argument::Integer(self.solver.resolve(dim)),
            Value::Bool(value) => Argument::Boolean(value),
            Value::Float(value) => Argument::Float(value),
            Value::Str(Some(text)) => Argument::Text(text),
            Value::None => Argument::None,
            Value::DType(dtype) => Argument::DType(dtype),
            Value::Ellipsis => Argument::Ellipsis,
            Value::Tuple(items) => {
                Argument::Sequence(items.iter().map(|item| self.argument(item, None, depth + 1)).collect())
            }
            Value::List(id) => match self.heap.list(id).cloned() {
                // Code that was not understood may have filled it.
                Some(data) if data.items.is_empty() && !self.entry_not_understood.is_empty() => Argument::Unknown,
                Some(data) if data.rest.is_none() && data.items.len() <= 4096 => {
                    Argument::Sequence(data.items.iter().map(|item| self.argument(item, None, depth + 1)).collect())
                }
                _ => Argument::Unknown,
            },
            Value::Slice(bounds) => Argument::Slice {
                lower: Box::new(self.argument(&bounds[0], None, depth + 1)),
                upper: Box::new(self.argument(&bounds[1], None, depth + 1)),
                step: Box::new(self.argument(&bounds[2], None, depth + 1)),
            },
            Value::Size(shape) => match self.solver.resolve_shape(&shape).dims() {
                Some(dims) => Argument::Sequence(dims.into_iter().map(Argument::Integer).collect()),
                None => Argument::Unknown,
            },
            Value::Iterator(iteration) => match &*iteration {
                crate::interp::value::Iteration::Items(items) if items.len() <= 4096 => {
                    Argument::Sequence(items.iter().map(|item| self.argument(item, None, depth + 1)).collect())
                }
                _ => Argument::Unknown,
            },
            Value::Instance(_) if self.is_device(value) => Argument::Text(Rc::from("device")),
            Value::Symbolic(id) => {
                if self.is_named_device(id) {
                    return Argument::Text(Rc::from("device"));
                }
                let Some((api, span)) = tensor_use else { return Argument::Unknown };
                let evidence = format!("it is passed to `{api}`");
                match self.refine_to_tensor(id, AssumptionKind::UsedAs, evidence, span) {
                    Some(tensor) => {
                        Argument::Tensor(TensorArgument { shape: tensor.shape.clone(), dtype: tensor.dtype })
                    }
                    None => Argument::Unknown,
                }
            }
            _ => Argument::Unknown,
        }
    }

    fn is_device(&self, value: &Value) -> bool {
        matches!(self.class_of(&self.read(value)), Value::Library(class) if class.as_str() == "torch.device")
    }

    /// A value of unknown type that the program calls a device; it decides no shape and no element type.
    fn is_named_device(&self, id: crate::interp::value::ObjectId) -> bool {
        self.heap.symbolic(id).is_some_and(|data| data.description.rsplit('.').next() == Some("device"))
    }

    fn record_operation(
        &mut self,
        spec: &ApiSpec,
        api: Name,
        bound: &Bound,
        output: &Output,
        span: Span,
    ) -> OperationId {
        let mut inputs = Vec::new();
        for (name, value) in bound {
            collect_inputs(&self.read(value), name.as_str(), &mut inputs, 0);
        }
        let (shape, dtype) = match output {
            Output::Tensor { shape, dtype } => (Some(shape.clone()), *dtype),
            _ => (None, DType::Unknown),
        };
        if inputs.is_empty() && shape.is_none() && spec.effects == Effects::default() {
            return OperationId::NONE;
        }
        let site = self.trace.site(span);
        if !site.apis.contains(&api) {
            site.apis.push(api);
        }
        if let Some(shape) = &shape {
            site.shape = Some(shape.clone());
            site.dtype = Some(dtype);
        }
        let (loops, calls) = (Rc::clone(&self.loop_shared), Rc::clone(&self.call_shared));
        self.trace.add_operation(OperationRecord { api, span, inputs, shape, dtype, loops, calls })
    }

    #[expect(clippy::too_many_arguments, reason = "everything that a report says about a clash")]
    fn record_issues(
        &mut self,
        api: Name,
        judged: Vec<Judged>,
        remarks: Vec<Remark>,
        bound: &Bound,
        object: Option<&InstanceData>,
        call: &CallArguments,
        operation: OperationId,
    ) {
        for judged in judged {
            let (kind, counterexample) = match &judged.outcome {
                Outcome::Violated => (IssueKind::Violated, None),
                Outcome::Possible(example)
                    if is_worth_telling(&example.condition) || fails_at_usual_values(&judged.constraint) =>
                {
                    (IssueKind::Possible, Some(example.clone()))
                }
                Outcome::Possible(_) => continue,
                Outcome::Holds | Outcome::Assumed | Outcome::Unknown => continue,
            };
            let mut conditions = self.path_conditions();
            let mut example = None;
            if let Some(counterexample) = counterexample {
                conditions.push(counterexample.condition.to_string());
                let assignment: Vec<String> = counterexample
                    .assignment
                    .iter()
                    .map(|(variable, value)| format!("{} = {value}", variable.name()))
                    .collect();
                example = Some(assignment.join(", "));
            }
            if example.is_none() {
                example = self.example_of_path();
            }
            let operands = self.operands(&judged.operands, bound, call);
            let assumptions = self.assumptions_behind(bound, &judged.constraint);
            self.add_issue(Issue {
                kind,
                span: call.span,
                api,
                message: judged.message,
                operands,
                is_conditional: !conditions.is_empty(),
                conditions,
                notes: self.circumstances.clone(),
                counterexample: example,
                constraint: judged.constraint,
                assumptions,
                calls: Rc::clone(&self.call_shared),
                module_origin: object.map(|object| (object.class.describe(), object.origin)),
                operation,
            });
        }
        for Remark::SuspiciousBroadcast { left, right, result, operands } in remarks {
            let conditions = self.path_conditions();
            let operands = self.operands(&operands, bound, call);
            self.add_issue(Issue {
                kind: IssueKind::SuspiciousBroadcast,
                span: call.span,
                api,
                message: format!("{left} and {right} broadcast to {result}"),
                operands,
                is_conditional: !conditions.is_empty(),
                conditions,
                notes: self.circumstances.clone(),
                counterexample: None,
                constraint: crate::shape::Constraint::True,
                assumptions: assumptions_of(bound),
                calls: Rc::clone(&self.call_shared),
                module_origin: None,
                operation,
            });
        }
    }

    /// Adds an issue unless the same one was seen on another path or iteration; one that holds everywhere replaces a conditional one.
    pub fn add_issue(&mut self, issue: Issue) {
        let is_violated = issue.kind == IssueKind::Violated;
        let known = self
            .trace
            .issues
            .iter()
            .position(|known| known.span == issue.span && known.api == issue.api && known.is_same_class(&issue));
        let index = match known {
            Some(index) => {
                let certain = issue.kind == IssueKind::Violated && !issue.is_conditional;
                let known = &self.trace.issues[index];
                if certain && (known.kind != IssueKind::Violated || known.is_conditional) {
                    self.trace.issues[index] = issue;
                }
                index
            }
            None => {
                self.trace.issues.push(issue);
                self.trace.issues.len() - 1
            }
        };
        if is_violated {
            self.violated.push(index);
        }
        if !self.entry_issues.contains(&index) {
            self.entry_issues.push(index);
        }
    }

    /// Values for which the path's conditions over sizes hold.
    fn example_of_path(&self) -> Option<String> {
        let constraints: Vec<crate::shape::Constraint> = self
            .path
            .iter()
            .filter(|literal| !self.settled.contains(literal))
            .filter_map(|literal| {
                let constraint = self.decisions.get(literal.decision.0 as usize)?.constraint.clone()?;
                Some(if literal.taken { constraint } else { constraint.negated() })
            })
            .collect();
        if constraints.is_empty() {
            return None;
        }
        let all = crate::shape::Constraint::And(constraints);
        let [variable] = all.variables()[..] else { return None };
        let value = (65..=300).chain(1..65).find(|value| all.evaluate(&mut |_| Some(*value)) == Some(true))?;
        Some(format!("{} = {value}", variable.name()))
    }

    /// The undecided conditions under which the current place is reached.
    pub fn path_conditions(&self) -> Vec<String> {
        let mut conditions = Vec::new();
        for literal in self.path.iter().filter(|literal| !self.settled.contains(literal)) {
            let Some(decision) = self.decisions.get(literal.decision.0 as usize) else { continue };
            let text = if literal.taken { decision.text.to_string() } else { format!("not ({})", decision.text) };
            if !conditions.contains(&text) {
                conditions.push(text);
            }
        }
        conditions
    }

    fn operands(&mut self, names: &[Rc<str>], bound: &Bound, call: &CallArguments) -> Vec<Operand> {
        let mut operands = Vec::new();
        for name in names {
            let Some((_, value)) = bound.iter().rev().find(|(known, _)| known.as_str() == &**name) else { continue };
            let Value::Tensor(tensor) = self.read(value) else { continue };
            let shape = self.solver.resolve_shape(&tensor.shape).to_string();
            let made_by = self.trace.operation(tensor.operation).map(|record| record.api.to_string());
            let origin = match made_by {
                Some(api) => Some((api, tensor.origin)),
                None => tensor.name.map(|name| (name.to_string(), tensor.origin)),
            };
            let span = self.argument_span(value, call);
            operands.push(Operand { name: name.clone(), span, shape, origin });
        }
        operands
    }

    /// Where a call passes a value.
    fn argument_span(&self, value: &Value, call: &CallArguments) -> Option<Span> {
        let position = call.positional.iter().position(|argument| self.read(argument).same(value));
        if let Some(position) = position {
            return call.positional_spans.get(position).copied().flatten();
        }
        let position = call.keywords.iter().position(|(_, argument)| self.read(argument).same(value))?;
        call.keyword_spans.get(position).copied().flatten()
    }

    /// The speculations behind the arguments and behind the configured values in a constraint.
    fn assumptions_behind(&self, bound: &Bound, constraint: &crate::shape::Constraint) -> AssumptionSet {
        let mut set = assumptions_of(bound);
        for variable in constraint.variables() {
            if let Some(id) = self.variable_assumptions.get(&variable) {
                set = set.with(*id);
            }
        }
        set
    }

    fn value_of(&mut self, output: Output, maker: &Maker<'_>) -> Value {
        match output {
            Output::Tensor { shape, dtype } => Value::Tensor(Rc::new(Tensor {
                shape: self.solver.resolve_shape(&shape),
                dtype,
                kind: if maker.kind == TensorKind::Parameter { TensorKind::Torch } else { maker.kind },
                device: self.device_of(maker),
                operation: maker.operation,
                origin: maker.origin,
                assumptions: maker.assumptions.clone(),
                name: None,
            })),
            Output::Argument(name) => maker
                .bound
                .iter()
                .rev()
                .find(|(known, _)| known.as_str() == &*name)
                .map_or(Value::Unknown("argument"), |(_, value)| value.clone()),
            Output::Tuple(items) => {
                let items = items.into_iter().map(|item| self.value_of(item, maker)).collect();
                Value::tuple(items)
            }
            Output::List(items) => {
                let items = items.into_iter().map(|item| self.value_of(item, maker)).collect();
                Value::List(self.heap.allocate(Payload::List(Rc::new(ListData { items, rest: None }))))
            }
            Output::Size(dims) => Value::tuple(dims.into_iter().map(Value::Int).collect()),
            Output::Integer(dim) => Value::Int(dim),
            Output::Float => Value::Float(None),
            Output::Boolean(Some(value)) => Value::Bool(value),
            Output::Boolean(None) => Value::Unknown("a truth value from a library"),
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
                    self.symbolic(&format!("{}(…)", maker.api), maker.origin, true)
                }
            },
        }
    }

    /// Where a result lies: where the call says, else where the first tensor does.
    fn device_of(&self, maker: &Maker<'_>) -> Device {
        match maker.api.as_str() {
            "torch.Tensor.cuda" => return Device::Accelerator,
            "torch.Tensor.cpu" | "torch.Tensor.numpy" => return Device::Cpu,
            _ => {}
        }
        let named = maker.bound.iter().find(|(name, value)| match name.as_str() {
            "device" => !value.is_none(),
            // `x.to("cuda")`, `x.to(device)`; a dtype or another tensor stands there too.
            "args" => maker.api.as_str() == "torch.Tensor.to",
            _ => false,
        });
        let own = maker.bound.iter().find_map(|(_, value)| match value {
            Value::Tensor(tensor) => Some(tensor.device),
            _ => None,
        });
        match named {
            Some((_, Value::Tuple(items))) => items.iter().find_map(|item| self.named_device(item)).or(own),
            Some((_, value)) => self.named_device(value).or(Some(Device::Unknown)),
            None => own,
        }
        .unwrap_or(Device::Cpu)
    }

    /// The device that a value names; `None` where it names none, as a dtype does.
    fn named_device(&self, value: &Value) -> Option<Device> {
        match self.read(value) {
            Value::Str(Some(text)) => Some(if text.starts_with("cpu") { Device::Cpu } else { Device::Accelerator }),
            Value::Int(_) => Some(Device::Accelerator),
            Value::Instance(id) => {
                let data = self.heap.instance(id)?;
                let is_device = matches!(&data.class, Value::Library(name) if name.as_str() == "torch.device");
                if !is_device {
                    return None;
                }
                data.arguments.first().and_then(|(_, value)| self.named_device(value)).or(Some(Device::Unknown))
            }
            Value::Tensor(tensor) => Some(tensor.device),
            Value::Alternatives(_) | Value::Symbolic(_) | Value::Unknown(_) | Value::Str(None) => Some(Device::Unknown),
            _ => None,
        }
    }

    /// A tensor of unknown shape for a value of unknown type.
    pub fn refine_to_tensor(
        &mut self,
        id: crate::interp::value::ObjectId,
        kind: AssumptionKind,
        evidence: String,
        span: Span,
    ) -> Option<Rc<Tensor>> {
        let data = self.heap.symbolic(id)?.clone();
        if let Some(Value::Tensor(tensor)) = &data.refined {
            return Some(Rc::clone(tensor));
        }
        if data.refined.is_some() {
            return None;
        }
        let subject = data.description.to_string();
        let text = format!("`{subject}` is a float tensor");
        let assumption = self.assume(kind, &subject, text, evidence, span);
        let tensor = Rc::new(Tensor {
            shape: Shape::unknown(short_name(&subject)),
            dtype: DType::Unknown,
            kind: TensorKind::Torch,
            device: Device::Unknown,
            operation: OperationId::NONE,
            origin: data.origin,
            assumptions: AssumptionSet::one(assumption),
            name: Some(Name::new(&subject)),
        });
        self.refine(id, Value::Tensor(Rc::clone(&tensor)));
        Some(tensor)
    }
}

/// Which library's tensors an API gives for these arguments; those after the first `own` are the call's, not a constructor's.
fn result_kind(spec: &ApiSpec, api: Name, bound: &Bound, own: usize) -> TensorKind {
    if api.as_str().starts_with("torch.from_numpy") {
        return TensorKind::Torch;
    }
    if let Behaviour::Transfer(name) = &spec.behaviour {
        match &**name {
            "image_to_tensor" => return TensorKind::Torch,
            "tensor_to_image" => return TensorKind::Image,
            _ => {}
        }
    }
    match kind_of_api(api) {
        TensorKind::Torch if api.as_str().starts_with("torch.") => TensorKind::Torch,
        TensorKind::NumPy => TensorKind::NumPy,
        TensorKind::Image => TensorKind::Image,
        kind => match bound.get(own).or(bound.first()) {
            Some((_, Value::Tensor(tensor))) => tensor.kind,
            _ => kind,
        },
    }
}

/// What the values that an operation makes have in common.
struct Maker<'b> {
    spec: &'b ApiSpec,
    api: Name,
    kind: TensorKind,
    operation: OperationId,
    origin: Span,
    assumptions: AssumptionSet,
    bound: &'b Bound,
}

/// The opaque results that need the interpreter are passed through [`Output::Unknown`] and made here.
fn opaque_result(reason: &'static str, maker: &Maker<'_>, interpreter: &mut Interpreter<'_>) -> Option<Value> {
    if reason != OPAQUE {
        return None;
    }
    let Behaviour::Opaque(result) = &maker.spec.behaviour else { return None };
    if matches!(result, ResultType::Unknown) {
        return None;
    }
    Some(interpreter.result_value(result, maker.api, maker.origin))
}

/// Reasons for an unknown result that are no gap of the analysis: values that only a run has, results that an annotation leaves open, and
/// clashes that are reported themselves.
fn is_understood(reason: &str) -> bool {
    reason == OPAQUE || matches!(reason, "the value of an element" | "the values of a tensor")
}

/// The reason for an unknown result after a clash.
const VIOLATED: &str = "a requirement of the operation is violated";

const OPAQUE: &str = "nothing is known of the result";

fn opaque(result: &ResultType) -> Output {
    match result {
        ResultType::None => Output::None,
        ResultType::Bool => Output::Boolean(None),
        ResultType::Float => Output::Float,
        ResultType::Argument(name) => Output::Argument(Rc::from(&**name)),
        ResultType::Tensor => Output::Tensor { shape: Shape::unknown("s"), dtype: DType::Unknown },
        _ => Output::Unknown(OPAQUE),
    }
}

/// Whether a condition of failure says something that its reader does not know: that two sizes must agree. That sizes must be large
/// enough, or divide each other in roundabout ways, is what every operation demands of its settings.
fn is_worth_telling(condition: &crate::shape::Constraint) -> bool {
    use crate::shape::Constraint;
    let is_plain = |dim: &Dim| {
        let text = dim.to_string();
        !["//", "%", "min(", "max("].iter().any(|operator| text.contains(operator))
    };
    match condition {
        Constraint::NotEqual(a, b) => is_plain(a) && is_plain(b),
        Constraint::SameShape(..) | Constraint::Rank(..) => true,
        Constraint::Broadcastable(a, b) => is_plain(a) && is_plain(b),
        Constraint::Not(inner) => matches!(&**inner, Constraint::Equal(a, b) if is_plain(a) && is_plain(b)),
        Constraint::And(parts) | Constraint::Or(parts) => parts.iter().any(is_worth_telling),
        // A bound of something that has one itself, such as the size of a last mini-batch.
        Constraint::Less(..) | Constraint::LessEqual(..) => {
            condition.variables().iter().all(|variable| variable.info().upper.is_some())
        }
        _ => false,
    }
}

/// The shape of an argument; a number is a tensor without dimensions to an operation on tensors.
fn shape_argument(argument: Option<&Argument>) -> Option<Shape> {
    match argument? {
        Argument::Tensor(tensor) => Some(tensor.shape.clone()),
        Argument::Integer(_) | Argument::Float(_) | Argument::Boolean(_) => Some(Shape::scalar()),
        _ => None,
    }
}

/// The last component of a name such as `self.encoder`, for a shape variable.
fn short_name(description: &str) -> &str {
    let name = description.rsplit('.').next().unwrap_or(description);
    if !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_') { name } else { "s" }
}

fn is_number_like(value: &Value) -> bool {
    matches!(value, Value::Int(_) | Value::Float(_) | Value::Bool(_) | Value::None)
}

fn assumptions_of(bound: &Bound) -> AssumptionSet {
    fn add(value: &Value, set: AssumptionSet, depth: usize) -> AssumptionSet {
        match value {
            Value::Tensor(tensor) => set.union(&tensor.assumptions),
            Value::Tuple(items) if depth < 2 => items.iter().fold(set, |set, item| add(item, set, depth + 1)),
            _ => set,
        }
    }
    bound.iter().fold(AssumptionSet::default(), |set, (_, value)| add(value, set, 0))
}

fn collect_inputs(value: &Value, name: &str, inputs: &mut Vec<(Rc<str>, OperationId)>, depth: usize) {
    match value {
        Value::Tensor(tensor) => inputs.push((Rc::from(name), tensor.operation)),
        Value::Tuple(items) if depth < 2 => {
            for item in items.iter().take(64) {
                collect_inputs(item, name, inputs, depth + 1);
            }
        }
        _ => {}
    }
}

/// The dtype of a signature's results.
fn dtype_of(rule: &DTypeRule, arguments: &Arguments) -> DType {
    let of = |name: &str| arguments.tensor(name).map_or(DType::Unknown, |tensor| tensor.dtype);
    match rule {
        DTypeRule::Promote(names) => {
            let mut dtypes: Vec<DType> = if names.is_empty() {
                arguments.iter().filter_map(|(_, argument)| Some(argument.as_tensor()?.dtype)).collect()
            } else {
                names.iter().map(|name| of(name)).collect()
            };
            let first = dtypes.pop();
            first.map_or(DType::Unknown, |first| dtypes.into_iter().fold(first, DType::promote))
        }
        DTypeRule::Same(name) => of(name),
        DTypeRule::Floating(name) => match of(name) {
            DType::Unknown => DType::Unknown,
            dtype if dtype.is_floating() || dtype.is_complex() => dtype,
            _ => DType::Float32,
        },
        DTypeRule::Sum(name) => match of(name) {
            DType::Unknown => DType::Unknown,
            dtype if dtype.is_floating() || dtype.is_complex() => dtype,
            _ => DType::Int64,
        },
        DTypeRule::Fixed(name) => DType::parse(name).unwrap_or(DType::Unknown),
        DTypeRule::Parameter { parameter, fallback } => match arguments.get(parameter) {
            Some(Argument::DType(dtype)) => *dtype,
            Some(Argument::None) | None => dtype_of(fallback, arguments),
            _ => DType::Unknown,
        },
        DTypeRule::Unknown => DType::Unknown,
    }
}

/// What an operation said, with the library's names of the parameters in place of those that transfer functions read.
fn in_the_library_s_names(
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
