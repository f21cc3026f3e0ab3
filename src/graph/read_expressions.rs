//! Reads expressions into the `Host`: which variables they read, what they call, and whether they do more than giving
//! a value.

use crate::callee::{self, Known};
use crate::host::{CallNode, ExpressionId, ExpressionKind, Slot, StatementNode, VariableId};
use crate::read_statements::{Walker, base};
use harp_annotations::{ApiSpec, Effects, Entry, ParameterKind};
use harp_limits::tick;
use harp_python::ir::{ArgumentKind, Call, Comprehension, Expr, ExprKind, FStringPart, Function};
use harp_python::name::Name;
use harp_trace::small_set::Few;

impl<'a> Walker<'a, '_> {
    /// Reads an expression and everything in it.
    pub fn expression(&mut self, expression: &'a Expr, parent: Option<ExpressionId>) -> ExpressionId {
        tick();
        let id = self.new_expression(expression.range, parent);
        let kind = self.read_parts(expression, id);
        let end = self.host.reads.len() as u32;
        let draws = self.draws_where_it_reads(expression);
        let node = &mut self.host.expressions[id.index()];
        node.is_impure |= draws;
        node.set_kind(kind);
        node.reads.1 = end;
        let is_impure = node.is_impure;
        if is_impure {
            self.mark_impure(parent);
            self.current().is_impure = true;
        }
        id
    }

    fn current(&mut self) -> &mut StatementNode {
        let statement = self.statement;
        self.host.statement_mut(statement)
    }

    fn mark_impure(&mut self, id: Option<ExpressionId>) {
        if let Some(id) = id {
            self.host.expressions[id.index()].is_impure = true;
        }
    }

    fn read_variable(&mut self, variable: VariableId) {
        self.host.reads.push(variable);
    }

    fn read_parts(&mut self, expression: &'a Expr, id: ExpressionId) -> ExpressionKind {
        let inner = Some(id);
        match &expression.kind {
            ExprKind::Name(name) => {
                if self.scopes.is_bound(*name) {
                    return ExpressionKind::Other;
                }
                let variable = self.scopes.resolve(self.host, *name);
                self.read_variable(variable);
                ExpressionKind::Variable(variable)
            }
            ExprKind::Attribute { value, .. } => {
                self.expression(value, inner);
                self.note_operator(expression, id);
                match self.variable_of(expression) {
                    Some(variable) => {
                        self.read_variable(variable);
                        if self.host.expression(id).has_api {
                            ExpressionKind::Attribute
                        } else {
                            ExpressionKind::Variable(variable)
                        }
                    }
                    None => ExpressionKind::Attribute,
                }
            }
            ExprKind::Call(call) => {
                self.call(expression, call, id);
                ExpressionKind::Call
            }
            ExprKind::Subscript { value, index } => {
                self.expression(value, inner);
                self.expression(index, inner);
                ExpressionKind::Subscript
            }
            ExprKind::Binary { left, right, .. } => {
                self.operator(expression, id, [left, right]);
                ExpressionKind::Operator
            }
            ExprKind::Unary { operand, .. } => {
                self.operator(expression, id, [operand]);
                ExpressionKind::Operator
            }
            ExprKind::Compare { left, rest } => {
                self.expression(left, inner);
                rest.iter().for_each(|(_, operand)| {
                    self.expression(operand, inner);
                });
                ExpressionKind::Operator
            }
            ExprKind::Boolean { values, .. } => {
                self.all(values, inner);
                ExpressionKind::Operator
            }
            ExprKind::Conditional { test, body, orelse } => {
                for part in [test, body, orelse] {
                    self.expression(part, inner);
                }
                ExpressionKind::Other
            }
            ExprKind::List(items) | ExprKind::Tuple(items) | ExprKind::Set(items) => {
                self.all(items, inner);
                ExpressionKind::Other
            }
            ExprKind::Dict(entries) => {
                for (key, value) in entries {
                    if let Some(key) = key {
                        self.expression(key, inner);
                    }
                    self.expression(value, inner);
                }
                ExpressionKind::Other
            }
            ExprKind::FString(parts) => {
                for part in parts {
                    if let FStringPart::Interpolation { value, .. } = part {
                        self.expression(value, inner);
                    }
                }
                ExpressionKind::Other
            }
            ExprKind::Slice { lower, upper, step } => {
                for part in [lower, upper, step].into_iter().flatten() {
                    self.expression(part, inner);
                }
                ExpressionKind::Other
            }
            ExprKind::Starred(value) => {
                self.expression(value, inner);
                ExpressionKind::Other
            }
            ExprKind::Lambda(function) => {
                self.lambda(function, id);
                ExpressionKind::Other
            }
            ExprKind::Comprehension(comprehension) => {
                self.comprehension(comprehension, id);
                ExpressionKind::Other
            }
            ExprKind::Named { target, value, .. } => {
                self.expression(value, inner);
                let variable = self.scopes.assign(self.host, *target);
                self.current().definitions.push(variable);
                self.mark_impure(inner);
                ExpressionKind::Other
            }
            ExprKind::Await(value) | ExprKind::YieldFrom(value) => {
                self.expression(value, inner);
                self.leave(id);
                ExpressionKind::Other
            }
            ExprKind::Yield(value) => {
                if let Some(value) = value {
                    self.expression(value, inner);
                }
                self.leave(id);
                ExpressionKind::Other
            }
            ExprKind::Invalid => {
                self.mark_impure(inner);
                ExpressionKind::Other
            }
            ExprKind::None
            | ExprKind::Bool(_)
            | ExprKind::Int(_)
            | ExprKind::BigInt
            | ExprKind::Float(_)
            | ExprKind::Complex
            | ExprKind::Str(_)
            | ExprKind::Bytes(_)
            | ExprKind::Ellipsis => ExpressionKind::Constant,
        }
    }

    /// Another function runs before the expression has its value.
    fn leave(&mut self, id: ExpressionId) {
        self.mark_impure(Some(id));
        self.current().leaves = true;
    }

    fn all(&mut self, expressions: &'a [Expr], parent: Option<ExpressionId>) {
        for expression in expressions {
            self.expression(expression, parent);
        }
    }

    fn lambda(&mut self, function: &'a Function, id: ExpressionId) {
        let before = self.scopes.bound_count();
        function.parameters.iter().for_each(|parameter| self.scopes.bind(parameter.name));
        for statement in &function.body {
            if let harp_python::ir::StmtKind::Return(Some(value)) = &statement.kind {
                self.expression(value, Some(id));
            }
        }
        self.scopes.unbind(before);
        for parameter in &function.parameters {
            if let Some(default) = &parameter.default {
                self.expression(default, Some(id));
            }
        }
    }

    fn comprehension(&mut self, comprehension: &'a Comprehension, id: ExpressionId) {
        let before = self.scopes.bound_count();
        for generator in &comprehension.generators {
            self.expression(&generator.iterable, Some(id));
            bind_target(&generator.target, &mut |name| self.scopes.bind(name));
            self.all(&generator.conditions, Some(id));
        }
        self.expression(&comprehension.element, Some(id));
        if let Some(value) = &comprehension.value {
            self.expression(value, Some(id));
        }
        self.scopes.unbind(before);
    }

    /// The variable that an expression names: a name, or attributes of one.
    pub fn variable_of(&mut self, expression: &Expr) -> Option<VariableId> {
        match &expression.kind {
            ExprKind::Name(name) if !self.scopes.is_bound(*name) => Some(self.scopes.resolve(self.host, *name)),
            ExprKind::Attribute { value, attribute, .. } => {
                let of = self.variable_of(value)?;
                Some(self.host.member(of, *attribute))
            }
            _ => None,
        }
    }

    fn operator<const N: usize>(&mut self, expression: &'a Expr, id: ExpressionId, operands: [&'a Expr; N]) {
        let operands = operands.map(|operand| self.expression(operand, Some(id)));
        if self.note_operator(expression, id) {
            let statement = self.statement;
            let slots = (0u32..).map(Slot::Operand);
            let arguments: Vec<_> = slots.zip(operands).map(|(slot, operand)| (slot, operand, None)).collect();
            self.host.calls.push(CallNode {
                expression: id,
                statement,
                callees: Few::None,
                function: None,
                arguments: arguments.into(),
                unresolved: None,
                builtin: None,
            });
        }
    }

    /// Notes the APIs that an operator or attribute runs; whether there are any.
    fn note_operator(&mut self, expression: &Expr, id: ExpressionId) -> bool {
        let Some(site) = self.program.trace.sites.get(&self.span(expression.range)) else { return false };
        if site.apis.is_empty() {
            return false;
        }
        let is_pure = callee::known(self.program, site).all(|api| api.spec.is_some_and(callee::is_pure));
        let node = &mut self.host.expressions[id.index()];
        node.has_api = true;
        node.is_impure |= !is_pure;
        true
    }

    /// Whether a property, or a method that Python calls for a subscript, runs operations there that give something else each time.
    fn draws_where_it_reads(&self, expression: &Expr) -> bool {
        let trace = &self.program.trace;
        let is_access = matches!(expression.kind, ExprKind::Attribute { .. } | ExprKind::Subscript { .. });
        if !is_access || trace.running_accesses.is_empty() {
            return false;
        }
        let Some((first, end)) = trace.running_accesses.get(&self.span(expression.range)) else { return false };
        let run = trace.operations.get(*first..*end).unwrap_or_default();
        run.iter().any(|operation| match self.program.library.entry(operation.api.as_str()) {
            Some(Entry::Api(spec)) => !callee::is_pure(spec),
            _ => false,
        })
    }

    /// Whether the call at this place may give a view of an argument.
    pub fn gives_view(&self, expression: &Expr) -> bool {
        let Some(site) = self.program.trace.sites.get(&self.span(expression.range)) else { return true };
        let shares = |spec: &ApiSpec| spec.effects.has(Effects::VIEWS) || !spec.effects.writes.is_empty();
        // What functions of the program return is mostly new; findings state that they assume it.
        let is_unknown = site.apis.is_empty() && site.callees.is_empty();
        is_unknown || callee::known(self.program, site).any(|api| api.spec.is_none_or(shares))
    }

    fn call(&mut self, expression: &'a Expr, call: &'a Call, id: ExpressionId) {
        let mut arguments: Vec<(Slot, ExpressionId, Option<VariableId>)> = Vec::new();
        let receiver = match &call.function.kind {
            ExprKind::Attribute { value, attribute, .. } => {
                let read = self.expression(value, Some(id));
                let variable = self.variable_of(base(value));
                arguments.push((Slot::Receiver, read, variable));
                // The method may be an attribute of the program's own that was assigned.
                if let Some(variable) = self.variable_of(&call.function) {
                    self.read_variable(variable);
                }
                Some((variable, *attribute))
            }
            _ => {
                self.expression(&call.function, Some(id));
                None
            }
        };
        for (index, argument) in (0u32..).zip(&call.arguments) {
            let slot = match argument.kind {
                ArgumentKind::Positional => Slot::Position(index),
                ArgumentKind::Keyword(name) => Slot::Keyword(name),
                ArgumentKind::Star | ArgumentKind::DoubleStar => Slot::Unpacked,
            };
            let read = self.expression(&argument.value, Some(id));
            let variable = self.variable_of(base(&argument.value));
            arguments.push((slot, read, variable));
        }
        self.resolve_call(expression, call, id, receiver, arguments);
    }

    fn resolve_call(
        &mut self,
        expression: &Expr,
        call: &Call,
        id: ExpressionId,
        receiver: Option<(Option<VariableId>, Name)>,
        arguments: Vec<(Slot, ExpressionId, Option<VariableId>)>,
    ) {
        let program = self.program;
        let site = program.trace.sites.get(&self.span(expression.range));
        let statement = self.statement;
        let callees = site.map_or(Few::None, |site| site.callees.clone());
        let arguments = arguments.into();
        let has_api = site.is_some_and(|site| !site.apis.is_empty());
        let function = self.variable_of(&call.function);
        let mut node =
            CallNode { expression: id, statement, callees, function, arguments, unresolved: None, builtin: None };
        if let Some(site) = site
            && has_api
        {
            self.library_call(site, id, &node);
        }
        if has_api || !node.callees.is_empty() {
            // What a function of the program does is found out when all are read.
            if !node.callees.is_empty() {
                self.mark_impure(Some(id));
            }
            self.host.calls.push(node);
            return;
        }
        match (&call.function.kind, receiver) {
            (ExprKind::Name(name), _) if self.scopes.is_global(*name) && callee::is_pure_builtin(name.as_str()) => {
                node.builtin = Some(*name);
                self.host.calls.push(node);
            }
            (ExprKind::Name(name), _)
                if self.scopes.is_global(*name) && callee::leaves_arguments_alone(name.as_str()) =>
            {
                self.mark_impure(Some(id));
                node.builtin = Some(*name);
                self.host.calls.push(node);
            }
            (_, Some((of, name))) if callee::is_changing_method(name.as_str()) => {
                self.mark_impure(Some(id));
                self.current().mutations.extend(of);
                self.method_of_python(site, node);
            }
            (_, Some((_, name))) if callee::is_pure_method(name.as_str()) => self.method_of_python(site, node),
            (_, Some(_)) if self.is_math(call) => {}
            (_, receiver) => {
                self.mark_impure(Some(id));
                if receiver.is_some_and(|(_, name)| callee::is_training_method(name.as_str())) {
                    self.current().trains = true;
                }
                let passed: Vec<VariableId> = node.arguments.iter().filter_map(|(_, _, variable)| *variable).collect();
                self.current().passed.extend(passed);
                node.unresolved = Some(self.span(call.function.range));
                self.host.calls.push(node);
            }
        }
    }

    /// A call that ran a method of one of Python's own types is one as others are.
    fn method_of_python(&mut self, site: Option<&harp_trace::Site>, node: CallNode) {
        if callee::methods_of_python(site).next().is_some() {
            self.host.calls.push(node);
        }
    }

    /// `math.sqrt(x)` and the like, also where nothing executed them.
    fn is_math(&self, call: &Call) -> bool {
        let ExprKind::Attribute { value, attribute, .. } = &call.function.kind else { return false };
        matches!(&value.kind, ExprKind::Name(module) if module.as_str() == "math" && self.scopes.is_global(*module))
            && callee::array_function(attribute.as_str()).is_some()
    }

    fn library_call(&mut self, site: &'a harp_trace::Site, id: ExpressionId, node: &CallNode) {
        self.host.expressions[id.index()].has_api = true;
        if !callee::known(self.program, site).all(|api| api.spec.is_some_and(callee::is_pure)) {
            self.mark_impure(Some(id));
        }
        for api in callee::known(self.program, site) {
            if callee::trains(self.program.library, api) {
                self.current().trains = true;
            }
            let Some(spec) = api.spec else {
                let passed: Vec<VariableId> = node.arguments.iter().filter_map(|(_, _, variable)| *variable).collect();
                self.current().passed.extend(passed);
                continue;
            };
            for (slot, _, variable) in &node.arguments {
                let parameter = parameter_name(&api, *slot);
                let is_own = *slot == Slot::Receiver && spec.effects.writes("self");
                if is_own || parameter.is_some_and(|parameter| spec.effects.writes(parameter)) {
                    self.current().mutations.extend(*variable);
                }
            }
        }
    }
}

/// The API's name for what a call passes in a slot.
pub fn parameter_name<'l>(api: &Known<'l>, slot: Slot) -> Option<&'l str> {
    let spec = api.spec?;
    let position = match slot {
        Slot::Receiver if api.takes_receiver => 0,
        Slot::Receiver | Slot::Unpacked => return None,
        Slot::Keyword(name) => return spec.keyword(name.as_str()).map(|parameter| &*parameter.name),
        Slot::Operand(index) if is_reflected(api.name.as_str()) => 1usize.checked_sub(index as usize)?,
        Slot::Operand(index) => index as usize,
        Slot::Position(index) => index as usize + usize::from(api.takes_receiver),
    };
    // `*size` takes all that follows.
    let variadic = spec.parameters.iter().position(|parameter| parameter.kind == ParameterKind::VariadicPositional);
    let position = variadic.map_or(position, |variadic| position.min(variadic));
    spec.parameters.get(position).map(|parameter| &*parameter.name)
}

/// `__rsub__` and the like, whose receiver is the right operand.
fn is_reflected(name: &str) -> bool {
    let method = name.rsplit('.').next().unwrap_or(name);
    method.strip_prefix("__r").is_some_and(|rest| {
        ["add__", "sub__", "mul__", "matmul__", "truediv__", "floordiv__", "mod__", "pow__"].contains(&rest)
    })
}

fn bind_target(target: &Expr, each: &mut impl FnMut(Name)) {
    match &target.kind {
        ExprKind::Name(name) => each(*name),
        ExprKind::Tuple(items) | ExprKind::List(items) => items.iter().for_each(|item| bind_target(item, each)),
        ExprKind::Starred(inner) => bind_target(inner, each),
        _ => {}
    }
}
