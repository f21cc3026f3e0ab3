//! Expressions as rows: calls with their arguments, texts, kinds of values, and how much work they are.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use crate::callee::{self, Called};
use crate::facts::{FactAssumption, Symbol};
use crate::host::{CallNode, ExpressionId, ExpressionKind, FunctionId, Slot, StatementId};
use crate::host_rows::Emitter;
use crate::operation_rows::grounds_of;
use crate::read_expressions::parameter_name;
use crate::schema::Relation;
use harp_annotations::{ApiSpec, Cost};
use harp_corpus::Span;
use harp_python::name::Name;
use harp_trace::assumption::{AssumptionKind, words};
use harp_trace::{OperationRecord, Site, TensorOrigin, ValueKind};

impl Emitter<'_> {
    fn site(&self, id: ExpressionId) -> Option<&'_ Site> {
        self.program.trace.sites.get(&self.host.span_of(id))
    }

    /// Rows about calls, and about all expressions.
    pub fn expressions(&mut self) {
        use Relation as R;
        self.calls();
        let of_each = [
            R::Part,
            R::ExprStmt,
            R::Reads,
            R::Text,
            R::OperandText,
            R::VariesExpr,
            R::ComputedFrom,
            R::StandsFor,
            R::ValueFrom,
            R::ValueKind,
            R::ExprShape,
            R::ExprDtype,
            R::ExprDevice,
            R::Elements,
        ];
        if self.facts.wants_any(&of_each) {
            (0..self.host.expressions.len() as u32).for_each(|index| self.one_expression(ExpressionId(index)));
        }
        if self.facts.wants(R::Assigned) {
            self.assigned();
        }
        if self.facts.wants_any(&[R::Work, R::WorkUnknown]) {
            self.work();
        }
    }

    fn calls(&mut self) {
        let host = self.host;
        let mut used: BTreeSet<Name> = BTreeSet::new();
        for call in &host.calls {
            if self.facts.wants(Relation::UnresolvedCall) {
                self.unresolved(call);
            }
            let site = self.program.trace.sites.get(&host.span_of(call.expression));
            let called = callee::called(self.program, site, call.builtin);
            if called.is_empty() && call.callees.is_empty() {
                self.arguments(call, &called);
                self.methods_of_python(call);
                continue;
            }
            let grounds = site.map_or_else(Vec::new, |site| self.program.trace.sites.assumed(site.apis_assume));
            let (expression, statement) = (self.expression(call.expression), self.statement(call.statement));
            for callee in call.callees.iter().filter_map(|span| host.function_of_span.get(span)) {
                let callee = self.function(*callee);
                self.facts.add(Relation::Calls, [expression.into(), statement.into(), callee.into()]);
            }
            for Called { known, makes_object, is_named } in &called {
                let grounds = if *is_named { &[][..] } else { &grounds[..] };
                used.insert(known.name);
                let api = self.facts.symbol(callee::shown_name(known.name));
                let relation = if *makes_object { Relation::Constructs } else { Relation::Call };
                self.facts.add_assuming(relation, [expression.into(), statement.into(), api.into()], grounds);
            }
            self.arguments(call, &called);
        }
        self.attributes(&mut used);
        self.apis(&used);
    }

    /// A call of a method of one of Python's own types.
    fn methods_of_python(&mut self, call: &CallNode) {
        let site = self.program.trace.sites.get(&self.host.span_of(call.expression));
        for name in callee::methods_of_python(site) {
            let (expression, statement) = (self.expression(call.expression), self.statement(call.statement));
            let api = self.facts.symbol(name);
            self.facts.add(Relation::Call, [expression.into(), statement.into(), api.into()]);
        }
    }

    /// The arguments of a call of the library.
    fn arguments(&mut self, call: &CallNode, called: &[Called<'_>]) {
        let site = self.program.trace.sites.get(&self.host.span_of(call.expression));
        let grounds = site.map_or_else(Vec::new, |site| self.program.trace.sites.assumed(site.apis_assume));
        for Called { known, is_named, .. } in called {
            let grounds = if *is_named { &[][..] } else { &grounds[..] };
            for (slot, argument, _) in &call.arguments {
                let Some((index, parameter)) = parameter_of(known, *slot) else { continue };
                if self.facts.wants(Relation::Argument) {
                    let (parameter, expression) = (self.facts.symbol(parameter), self.expression(call.expression));
                    let argument = self.expression(*argument);
                    let row = [expression.into(), index.into(), parameter.into(), argument.into()];
                    self.facts.add_assuming(Relation::Argument, row, grounds);
                }
            }
        }
        if called.is_empty() {
            self.arguments_of_no_library(call);
        }
    }

    /// The arguments of a call of the program's functions by their parameters, of one that was not resolved by their positions and keywords.
    fn arguments_of_no_library(&mut self, call: &CallNode) {
        let functions = call.callees.iter().filter_map(|span| self.host.function_of_span.get(span).copied());
        let site = self.program.trace.sites.get(&self.host.span_of(call.expression));
        let is_method = callee::methods_of_python(site).next().is_some();
        let functions: Vec<Option<FunctionId>> = match call.callees.is_empty() {
            true => vec![None],
            false => functions.map(Some).collect(),
        };
        for function in functions {
            for (slot, argument, _) in &call.arguments {
                let found = match function {
                    Some(function) => self.own_parameter(function, *slot),
                    None if is_method => position_of_method(*slot),
                    None => position_of(*slot).map(|(index, name)| (index, name.to_owned())),
                };
                let Some((index, parameter)) = found else { continue };
                if self.facts.wants(Relation::Argument) {
                    let (expression, argument) = (self.expression(call.expression), self.expression(*argument));
                    let parameter = self.facts.symbol(&parameter);
                    self.facts
                        .add(Relation::Argument, [expression.into(), index.into(), parameter.into(), argument.into()]);
                }
            }
        }
    }

    /// The parameter of a function of the program that takes an argument.
    fn own_parameter(&self, function: FunctionId, slot: Slot) -> Option<(i64, String)> {
        let node = self.host.function(function);
        let name = |index: usize| Some(self.host.variable(*node.parameters.get(index)?).root.as_str());
        let index = match slot {
            Slot::Receiver if node.takes_receiver => 0,
            Slot::Position(index) => index as usize + usize::from(node.takes_receiver),
            Slot::Keyword(keyword) => {
                (0..node.parameters.len()).find(|index| name(*index) == Some(keyword.as_str()))?
            }
            Slot::Receiver | Slot::Operand(_) | Slot::Unpacked => return None,
        };
        Some((index as i64, name(index)?.to_owned()))
    }

    /// The rows of a call's arguments.
    pub fn arguments_of(&mut self, call: &CallNode) {
        let site = self.program.trace.sites.get(&self.host.span_of(call.expression));
        let called = callee::called(self.program, site, call.builtin);
        self.arguments(call, &called);
    }

    /// A call whose callee is not known, if it is one.
    pub fn unresolved(&mut self, call: &CallNode) {
        let Some(name) = call.unresolved else { return };
        let site = self.program.trace.sites.get(&self.host.span_of(call.expression));
        let called = callee::called(self.program, site, call.builtin);
        if called.iter().any(|called| called.known.spec.is_some()) {
            return;
        }
        let (expression, statement) = (self.expression(call.expression), self.statement(call.statement));
        let name = self.facts.symbol(&one_line(self.source(name)));
        self.facts.add(Relation::UnresolvedCall, [expression.into(), statement.into(), name.into()]);
    }

    /// Attributes that run an API, such as `x.T`.
    fn attributes(&mut self, used: &mut BTreeSet<Name>) {
        for (index, node) in self.host.expressions.iter().enumerate() {
            if !node.has_api || node.kind() != ExpressionKind::Attribute {
                continue;
            }
            let Some(site) = self.program.trace.sites.get(&self.host.span(node)) else { continue };
            let (names, grounds): (Vec<_>, _) =
                (site.apis.to_vec(), self.program.trace.sites.assumed(site.apis_assume));
            let (expression, statement) = (self.expression(ExpressionId(index as u32)), self.statement(node.statement));
            for name in names {
                used.insert(name);
                let api = self.facts.symbol(name.as_str());
                self.facts.add_assuming(Relation::Call, [expression.into(), statement.into(), api.into()], &grounds);
            }
        }
    }

    fn roles(&mut self, api: Symbol, spec: &ApiSpec) {
        for role in &spec.roles {
            let role = self.facts.symbol(role);
            self.facts.add(Relation::Role, [api.into(), role.into()]);
        }
    }

    /// The roles of a class or function that makes a context or decorates: the same name need not be called.
    pub fn roles_of_context(&mut self, name: &str) {
        if self.facts.wants(Relation::Role)
            && let Some(spec) = callee::known_one(self.program, Name::new(name), false).spec
        {
            let api = self.facts.symbol(name);
            self.roles(api, spec);
        }
    }

    /// What the annotations say of the APIs that occur.
    fn apis(&mut self, used: &BTreeSet<Name>) {
        use Relation as R;
        if !self.facts.wants_any(&[R::Pure, R::Effect, R::Role, R::ApiParameter, R::Computation, R::Cost]) {
            return;
        }
        for name in used {
            let Some(spec) = callee::known_one(self.program, *name, true).spec else { continue };
            let api = self.facts.symbol(callee::shown_name(*name));
            if callee::is_pure(spec) {
                self.facts.add(R::Pure, [api.into()]);
            }
            for word in callee::effect_words(*name, spec) {
                let word = self.facts.symbol(&word);
                self.facts.add(R::Effect, [api.into(), word.into()]);
            }
            self.roles(api, spec);
            for (index, parameter) in (0i64..).zip(&spec.parameters) {
                let parameter = self.facts.symbol(&parameter.name);
                self.facts.add(R::ApiParameter, [api.into(), index.into(), parameter.into()]);
            }
            if let Some(computation) = &spec.computation {
                let computation = self.facts.symbol(computation);
                self.facts.add(R::Computation, [api.into(), computation.into()]);
            }
            let cost = self.facts.symbol(&spec.cost.to_string());
            self.facts.add(R::Cost, [api.into(), cost.into()]);
        }
    }

    pub fn one_expression(&mut self, id: ExpressionId) {
        let node = self.host.expression(id);
        let (kind, statement, parent, span) = (node.kind(), node.statement, node.parent(), self.host.span(node));
        let expression = self.expression(id);
        if self.facts.wants(Relation::ExprStmt) {
            let statement = self.statement(statement);
            self.facts.add(Relation::ExprStmt, [expression.into(), statement.into()]);
        }
        if let Some(parent) = parent
            && self.facts.wants(Relation::Part)
        {
            let parent = self.expression(parent);
            self.facts.add(Relation::Part, [expression.into(), parent.into()]);
        }
        if let ExpressionKind::Variable(variable) = kind
            && self.facts.wants(Relation::Reads)
        {
            let variable = self.variable(variable);
            self.facts.add(Relation::Reads, [expression.into(), variable.into()]);
        }
        self.texts(id, expression, span);
        if self.facts.wants_any(&[Relation::VariesExpr, Relation::ComputedFrom]) {
            let loops: Vec<StatementId> = self.host.loops_of(statement).collect();
            for around in loops {
                if self.variation.varies(self.host, id, around) {
                    let around = self.statement(around);
                    self.facts.add(Relation::VariesExpr, [expression.into(), around.into()]);
                } else if self.facts.wants(Relation::ComputedFrom) {
                    self.computed_from(id, expression, around);
                }
            }
        }
        if self.facts.wants(Relation::ValueFrom)
            && let Some(site) = self.program.trace.sites.get(&span)
        {
            for origin in site.origins.places() {
                let origin = self.facts.expression(self.program.corpus, *origin);
                self.facts.add(Relation::ValueFrom, [expression.into(), origin.into()]);
            }
        }
        if self.facts.wants(Relation::StandsFor) {
            let origin = self.variation.origin(self.host, id);
            let origin = self.expression(origin);
            self.facts.add(Relation::StandsFor, [expression.into(), origin.into()]);
        }
        self.value(id, expression);
    }

    fn computed_from(&mut self, id: ExpressionId, expression: Symbol, around: StatementId) {
        let assignments = self.variation.computed_from(self.host, id, around);
        if assignments.is_empty() {
            return;
        }
        let lines = assignments.iter().map(|statement| one_line(self.source(self.host.statement(*statement).span)));
        let code = lines.collect::<Vec<_>>().join("\n");
        let (code, around) = (self.facts.symbol(&code), self.statement(around));
        self.facts.add(Relation::ComputedFrom, [expression.into(), around.into(), code.into()]);
    }

    fn texts(&mut self, id: ExpressionId, expression: Symbol, span: Span) {
        if !self.facts.wants_any(&[Relation::Text, Relation::OperandText]) {
            return;
        }
        let text = one_line(self.source(span));
        let code = self.facts.symbol(&text);
        self.facts.add(Relation::Text, [expression.into(), code.into()]);
        let kind = self.host.expression(id).kind();
        let is_simple = matches!(
            kind,
            ExpressionKind::Variable(_)
                | ExpressionKind::Constant
                | ExpressionKind::Call
                | ExpressionKind::Attribute
                | ExpressionKind::Subscript
        );
        let operand = if is_simple { code } else { self.facts.symbol(&format!("({text})")) };
        self.facts.add(Relation::OperandText, [expression.into(), operand.into()]);
    }

    fn value(&mut self, id: ExpressionId, expression: Symbol) {
        let Some(site) = self.site(id) else { return };
        let (kinds, shape, dtype, device) = (site.kinds.clone(), site.shape.clone(), site.dtype, site.device);
        let (site_elements, grounds) = (site.elements(), self.program.trace.sites.assumed(site.value_assumes));
        let defaults = self.defaults.of_variables(self.host, self.host.reads_of(id).iter().copied());
        let with_sizes = both(&both(&grounds, &self.program.trace.sites.assumed(site.sizes_assume)), &defaults);
        for kind in &kinds {
            let word = self.facts.symbol(kind_word(*kind));
            self.facts.add_assuming(Relation::ValueKind, [expression.into(), word.into()], &grounds);
        }
        if let Some(count) = site_elements {
            self.facts.add_assuming(Relation::Elements, [expression.into(), count.into()], &with_sizes);
        }
        if let Some(shape) = shape
            && self.facts.wants(Relation::ExprShape)
        {
            let shape = self.facts.symbol(&shape.to_string());
            self.facts.add_assuming(Relation::ExprShape, [expression.into(), shape.into()], &grounds);
        }
        if let Some(dtype) = dtype
            && self.facts.wants(Relation::ExprDtype)
        {
            let dtype = self.facts.symbol(&dtype.to_string());
            self.facts.add_assuming(Relation::ExprDtype, [expression.into(), dtype.into()], &grounds);
        }
        if let Some(device) = device
            && self.facts.wants(Relation::ExprDevice)
        {
            let device = self.facts.symbol(device.word());
            self.facts.add_assuming(Relation::ExprDevice, [expression.into(), device.into()], &grounds);
        }
    }

    fn assigned(&mut self) {
        (0..self.host.statements.len() as u32).for_each(|index| self.assigned_by(StatementId(index)));
    }

    /// The value that a statement assigns to one name or attribute.
    pub fn assigned_by(&mut self, id: StatementId) {
        let node = self.host.statement(id);
        let Some((variable, value)) = node.value.or(node.attribute_value) else { return };
        let statement = self.statement(id);
        let (variable, value) = (self.variable(variable), self.expression(value));
        self.facts.add(Relation::Assigned, [statement.into(), variable.into(), value.into()]);
    }

    /// Matrix products and convolutions in loops, by what they multiply; S14: of unknown size, they are large.
    fn work(&mut self) {
        let mut by_place: FxHashMap<Span, Option<(i64, &OperationRecord)>> = FxHashMap::default();
        let mut order: Vec<Span> = Vec::new();
        let mut costs: FxHashMap<(Name, bool), Option<Cost>> = FxHashMap::default();
        for record in &self.program.trace.operations {
            let has_tensor = record.shape.is_some();
            let cost = *costs.entry((record.api, has_tensor)).or_insert_with(|| {
                let spec = callee::known_one(self.program, record.api, has_tensor).spec;
                spec.map(|spec| spec.cost).filter(|cost| cost.is_much())
            });
            let Some(cost) = cost else { continue };
            let work = self.multiplications(record, cost).map(|work| (work, record));
            match by_place.get_mut(&record.span) {
                Some(known) => {
                    *known = known.zip(work).map(|(known, work)| if work.0 > known.0 { work } else { known });
                }
                None => {
                    by_place.insert(record.span, work);
                    order.push(record.span);
                }
            }
        }
        let defaults = self.defaults_at(&by_place);
        for span in order {
            let expression = self.facts.expression(self.program.corpus, span);
            if let Some((work, record)) = by_place[&span] {
                let grounds = both(&grounds_of(record), &self.program.trace.sites.assumed(record.sizes_assume));
                let grounds = both(&grounds, defaults.get(&span).map_or(&[], Vec::as_slice));
                self.facts.add_assuming(Relation::Work, [expression.into(), work.into()], &grounds);
            } else if self.facts.wants(Relation::WorkUnknown) {
                let text = one_line(self.source(span));
                let assumption = self.facts.assume(FactAssumption {
                    kind: AssumptionKind::Size.as_str().to_owned(),
                    text: words::size_work(&text),
                    subject: text,
                    evidence: "their sizes are not known".to_owned(),
                    span: Some(span),
                });
                self.facts.add_assuming(Relation::WorkUnknown, [expression.into()], &[assumption]);
            }
        }
    }

    /// For the expressions at these places, the defaults of a function that nobody calls on which what they read rests.
    fn defaults_at<T>(&self, places: &FxHashMap<Span, T>) -> FxHashMap<Span, Vec<u32>> {
        let mut found = FxHashMap::default();
        if self.defaults.is_empty() {
            return found;
        }
        for index in 0..self.host.expressions.len() as u32 {
            let (id, span) = (ExpressionId(index), self.host.span_of(ExpressionId(index)));
            let rests_on = if places.contains_key(&span) {
                self.defaults.of_variables(self.host, self.host.reads_of(id).iter().copied())
            } else {
                continue;
            };
            found.insert(span, rests_on);
        }
        found
    }

    fn multiplications(&self, record: &OperationRecord, cost: Cost) -> Option<i64> {
        let elements = record.shape.as_ref()?.count_at_defaults()?;
        let inner = match cost {
            // At least a kernel of 3 × 3 over one channel.
            Cost::Convolution => 9,
            _ => self.inner_dimension(record)?,
        };
        elements.checked_mul(inner)
    }

    /// The dimension that a product sums over.
    fn inner_dimension(&self, record: &OperationRecord) -> Option<i64> {
        let left = record.inputs.first()?.shape.at_defaults().and_then(|dims| dims.last().copied());
        left.or_else(|| {
            let dims = record.inputs.get(1)?.shape.at_defaults()?;
            dims.get(dims.len().checked_sub(2)?).copied()
        })
    }
}

/// The index and name of the parameter that takes what a call passes. Of a function of which no parameters are known, such as Python's own,
/// the position is the index, and there is a name where the call gives one.
fn parameter_of<'l>(known: &callee::Known<'l>, slot: Slot) -> Option<(i64, &'l str)> {
    let Some(spec) = known.spec else { return position_of(slot) };
    let parameter = parameter_name(known, slot)?;
    if let Slot::Operand(index) = slot {
        return Some((i64::from(index), parameter));
    }
    let position = spec.parameters.iter().position(|known| &*known.name == parameter);
    Some((position.map_or(-1, |index| index as i64), parameter))
}

/// Where the parameters of what is called are not known: the position, or the keyword.
fn position_of(slot: Slot) -> Option<(i64, &'static str)> {
    match slot {
        Slot::Position(index) | Slot::Operand(index) => Some((i64::from(index), "")),
        Slot::Keyword(name) => Some((-1, name.as_str())),
        Slot::Receiver | Slot::Unpacked => None,
    }
}

/// The same of a method of one of Python's types, of which the object itself is the first.
fn position_of_method(slot: Slot) -> Option<(i64, String)> {
    match slot {
        Slot::Receiver => Some((0, "self".to_owned())),
        Slot::Position(index) => Some((i64::from(index) + 1, String::new())),
        slot => position_of(slot).map(|(index, name)| (index, name.to_owned())),
    }
}

fn kind_word(kind: ValueKind) -> &'static str {
    match kind {
        ValueKind::Tensor(TensorOrigin::Torch) => "tensor",
        ValueKind::Tensor(TensorOrigin::NumPy) => "ndarray",
        ValueKind::Tensor(TensorOrigin::Image) => "image",
        ValueKind::Tensor(TensorOrigin::Other(family)) => &family.rules().noun,
        ValueKind::List => "list",
        ValueKind::Dict => "dict",
        ValueKind::Tuple => "tuple",
        ValueKind::Integer => "integer",
        ValueKind::Float => "float",
        ValueKind::Text => "text",
        ValueKind::Boolean => "boolean",
        ValueKind::Object => "object",
        ValueKind::Callable => "callable",
        ValueKind::Unknown => "unknown",
    }
}

/// The numbers of two sets of assumptions, in ascending order.
/// Two lists of assumptions as one, in ascending order.
pub fn both(one: &[u32], other: &[u32]) -> Vec<u32> {
    let mut both = [one, other].concat();
    both.sort_unstable();
    both.dedup();
    both
}

/// Source text on one line.
pub fn one_line(text: &str) -> String {
    if text.contains('\n') { text.split_whitespace().collect::<Vec<_>>().join(" ") } else { text.to_owned() }
}
