//! Rows that hold where a speculation does: certain where the program shows them, else by an assumption of the pattern.

use std::collections::VecDeque;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::callee::Known;
use crate::facts::FactAssumption;
use crate::host::{CallNode, ExpressionId, ExpressionKind, FunctionId, Host, StatementId, StatementNode, VariableId};
use crate::host_rows::Emitter;
use crate::schema::Relation;
use crate::{Program, callee};
use harp_annotations::{ApiSpec, Entry};
use harp_corpus::Span;
use harp_python::name::Name;
use harp_shape::Shape;
use harp_trace::OperationRecord;
use harp_trace::assumption::{AssumptionKind, words};

/// Methods that training frameworks and modules call in every step.
const STEPS: [&str; 7] =
    ["__call__", "__getitem__", "collate_fn", "forward", "test_step", "training_step", "validation_step"];
/// Effects that a call has besides computing.
const TALKING: [&str; 5] = ["files", "global", "io", "logging", "rng"];
/// Calls lead from functions to functions through at most so many of them.
const LONGEST: usize = 24;
/// Operations whose result differs from one execution to the next, besides those that draw random numbers by their annotation.
const UNSTEADY: [&str; 7] = ["dropout", "Dropout", "batch_norm", "BatchNorm", "rrelu", "RReLU", "droppath"];

/// An operand's shape, with the number that stands for its variables where it was reduced.
type Seen = (Shape, Option<u64>);

/// The sizes of an operation's operands, one iteration of a loop after the other.
struct Sizes {
    rounds: Vec<(Rc<[u32]>, Vec<Seen>)>,
    are_constant: bool,
}

impl Default for Sizes {
    fn default() -> Self {
        Sizes { rounds: Vec::new(), are_constant: true }
    }
}

impl Sizes {
    fn note(&mut self, record: &OperationRecord, round: &[u32]) {
        let inputs = record.inputs.iter().map(|input| (input.shape.clone(), input.symbols));
        if self.rounds.last().is_none_or(|(known, _)| **known != *round) {
            self.rounds.push((Rc::from(round), Vec::new()));
        }
        if let Some((_, shapes)) = self.rounds.last_mut() {
            let first = shapes.len();
            shapes.extend(inputs);
            let is_constant = |(shape, symbols): &Seen| symbols.is_none() && shape.has_no_variables();
            self.are_constant &= shapes[first..].iter().all(is_constant);
        }
    }

    fn are_equal(&self) -> bool {
        self.rounds.windows(2).all(|pair| pair[0].1 == pair[1].1)
    }
}

/// What says of calls whether they give the same for the same input.
#[derive(Debug)]
pub struct Steadiness {
    /// Places of calls that run operations whose results differ.
    unsteady: FxHashSet<Span>,
    /// Functions that run code that is not known.
    open: FxHashSet<FunctionId>,
    /// Functions that do more than giving a value.
    changing: FxHashSet<FunctionId>,
}

impl Steadiness {
    pub fn of(program: Program<'_>, host: &Host) -> Steadiness {
        let mut unsteady: FxHashSet<Span> = FxHashSet::default();
        let mut known: FxHashMap<Name, bool> = FxHashMap::default();
        for record in &program.trace.operations {
            if *known.entry(record.api).or_insert_with(|| is_unsteady(program, record.api)) {
                unsteady.extend(record.calls.iter().copied());
                unsteady.insert(record.span);
            }
        }
        let open = callers_of(host, functions_with_open_calls(host));
        let changing = callers_of(host, functions_that_do_more(program, host));
        Steadiness { unsteady, open, changing }
    }
}

/// What is assumed for rows that are made on request: the assumptions are numbered in one order, whoever asks.
#[derive(Debug, Default)]
pub struct OnRequest {
    /// For expressions, that what they read of unknown objects is no more than read.
    pub accesses: FxHashMap<ExpressionId, Vec<u32>>,
    /// That there is an accelerator.
    pub accelerator: Option<u32>,
}

fn is_unsteady(program: Program<'_>, name: Name) -> bool {
    let api = name.as_str();
    let last = api.rsplit('.').next().unwrap_or(api);
    let draws = || match program.library.entry(api) {
        Some(Entry::Api(spec)) => callee::effect_words(name, spec).iter().any(|word| word == "rng"),
        _ => false,
    };
    UNSTEADY.iter().any(|name| last.contains(name)) || draws()
}

/// These functions, and those that call them, directly or through others.
fn callers_of(host: &Host, mut found: FxHashSet<FunctionId>) -> FxHashSet<FunctionId> {
    let mut callers: FxHashMap<FunctionId, Vec<FunctionId>> = FxHashMap::default();
    for call in &host.calls {
        let caller = host.statement(call.statement).function;
        for callee in call.callees.iter().filter_map(|callee| host.function_of_span.get(callee)) {
            callers.entry(*callee).or_default().push(caller);
        }
    }
    let mut waiting: Vec<FunctionId> = found.iter().copied().collect();
    while let Some(function) = waiting.pop() {
        for caller in callers.get(&function).into_iter().flatten() {
            if found.insert(*caller) {
                waiting.push(*caller);
            }
        }
    }
    found
}

fn functions_with_open_calls(host: &Host) -> FxHashSet<FunctionId> {
    let open = host.calls.iter().filter(|call| call.unresolved.is_some());
    open.map(|call| host.statement(call.statement).function).collect()
}

/// Functions that change what others see (attributes, globals, parameters of the network), or talk to the world.
fn functions_that_do_more(program: Program<'_>, host: &Host) -> FxHashSet<FunctionId> {
    let is_seen = |node: &StatementNode, variable: &VariableId| {
        let data = host.variable(*variable);
        data.path.is_some() || data.scope != node.function
    };
    let changes = |node: &&StatementNode| {
        node.trains
            || node.changes_others
            || node.definitions.iter().chain(&node.mutations).any(|variable| is_seen(node, variable))
    };
    let mut found: FxHashSet<FunctionId> = host.statements.iter().filter(changes).map(|node| node.function).collect();
    let mut talks = Talks::default();
    for call in &host.calls {
        let site = program.trace.sites.get(&host.span_of(call.expression));
        let called = callee::called(program, site, call.builtin);
        if called.iter().any(|called| talks.ask(&called.known)) {
            found.insert(host.statement(call.statement).function);
        }
    }
    found
}

/// Which APIs have an effect besides computing, by their names and whether they are described as a call or a constructor.
#[derive(Default)]
struct Talks<'l> {
    known: FxHashMap<Name, (&'l ApiSpec, bool)>,
}

impl<'l> Talks<'l> {
    fn ask(&mut self, api: &Known<'l>) -> bool {
        let Some(spec) = api.spec else { return false };
        let found = || callee::effect_words(api.name, spec).iter().any(|word| TALKING.contains(&word.as_str()));
        let known = self.known.entry(api.name).or_insert_with(|| (spec, found()));
        if !std::ptr::eq(known.0, spec) {
            *known = (spec, found());
        }
        known.1
    }
}

impl Emitter<'_> {
    /// S1, S7, S8, S9, S12 and S13 as rows. Gives what those rows need that are made on request.
    pub fn speculations(&mut self) -> OnRequest {
        use Relation as R;
        let mut on_request = OnRequest::default();
        if self.facts.wants(R::PlainAccess) || self.facts.is_postponed(R::PlainAccess) {
            on_request.accesses = self.assumed_accesses();
            if self.facts.wants(R::PlainAccess) {
                self.expressions_in_order().for_each(|id| self.plain_access(id, &on_request.accesses));
            }
        }
        if self.facts.wants(R::Repeatable) {
            self.repeatable_calls();
        } else if self.facts.is_postponed(R::Repeatable) {
            self.facts.kept_numbers = Some(self.facts.keep_numbers(self.host.calls.len()));
        }
        if self.facts.wants(R::Accelerated) || self.facts.is_postponed(R::Accelerated) {
            on_request.accelerator = self.assumed_accelerator();
            if self.facts.wants(R::Accelerated) {
                self.expressions_in_order().for_each(|id| self.accelerated(id, on_request.accelerator));
            }
        }
        if self.facts.wants(R::EqualShapes) {
            self.equal_shapes();
        }
        if self.facts.wants(R::EveryStep) {
            self.every_step();
        }
        if self.facts.wants(R::Unobserved) {
            self.unobserved();
        }
        on_request
    }

    fn expressions_in_order(&self) -> impl Iterator<Item = ExpressionId> + use<> {
        (0..self.host.expressions.len() as u32).map(ExpressionId)
    }

    fn assume_at(&mut self, kind: AssumptionKind, subject: &str, text: String, evidence: &str, span: Span) -> u32 {
        self.facts.assume(FactAssumption {
            kind: kind.as_str().to_owned(),
            subject: subject.to_owned(),
            text,
            evidence: evidence.to_owned(),
            span: Some(span),
        })
    }

    fn first_line(&self, span: Span) -> String {
        self.source(span).lines().next().unwrap_or("").to_owned()
    }

    /// S1: what is assumed of expressions in loops, for the attributes and items of unknown objects that they read.
    fn assumed_accesses(&mut self) -> FxHashMap<ExpressionId, Vec<u32>> {
        let host = self.host;
        let mut assumed: FxHashMap<ExpressionId, Vec<u32>> = FxHashMap::default();
        for (index, node) in host.expressions.iter().enumerate() {
            let reads = matches!(
                node.kind(),
                ExpressionKind::Attribute | ExpressionKind::Subscript | ExpressionKind::Variable(_)
            );
            if !reads || host.statement(node.statement).inside.is_none() || !self.reads_unknown(host.span(node)) {
                continue;
            }
            let text = self.first_line(host.span(node));
            let sentence = words::pure_access_access(&text);
            let evidence = "the type of the object is not known";
            let id = self.assume_at(AssumptionKind::PureAccess, &text, sentence, evidence, host.span(node));
            let mut above = Some(ExpressionId(index as u32));
            while let Some(expression) = above {
                assumed.entry(expression).or_default().push(id);
                above = host.expression(expression).parent();
            }
        }
        assumed
    }

    /// An expression in a loop reads what it reads, and does no more.
    pub fn plain_access(&mut self, id: ExpressionId, assumed: &FxHashMap<ExpressionId, Vec<u32>>) {
        if self.host.statement(self.host.expression(id).statement).inside.is_some() {
            let symbol = self.expression(id);
            let assumptions = assumed.get(&id).map_or(&[][..], Vec::as_slice);
            self.facts.add_assuming(Relation::PlainAccess, [symbol.into()], assumptions);
        }
    }

    /// Whether an attribute or item is read there of something that never had a known type.
    fn reads_unknown(&self, span: Span) -> bool {
        self.program.trace.unknown_owners.contains(&span)
    }

    /// S7: calls that give the same for the same input.
    fn repeatable_calls(&mut self) {
        let host = self.host;
        let steadiness = Steadiness::of(self.program, host);
        (0u32..).zip(&host.calls).for_each(|(index, call)| self.repeatable(index, call, &steadiness));
    }

    /// The same for one call, by its number.
    pub fn repeatable(&mut self, index: u32, call: &CallNode, steadiness: &Steadiness) {
        let host = self.host;
        let span = host.span_of(call.expression);
        let callees: Vec<&FunctionId> =
            call.callees.iter().filter_map(|callee| host.function_of_span.get(callee)).collect();
        let site = self.program.trace.sites.get(&span);
        let mut called = callee::called(self.program, site, call.builtin).into_iter();
        if called.any(|called| called.makes_object || called.shown_name() == "super") {
            return;
        }
        let is_plain = callees.is_empty() && call.unresolved.is_none();
        if steadiness.unsteady.contains(&span)
            || (is_plain && host.expression(call.expression).is_impure)
            || callees.iter().any(|callee| steadiness.changing.contains(callee))
        {
            return;
        }
        let is_open = call.unresolved.is_some() || callees.iter().any(|callee| steadiness.open.contains(callee));
        let mut assumptions = Vec::new();
        if is_open {
            let subject = self.name_of_call(call);
            let assumption = FactAssumption {
                kind: AssumptionKind::PureForward.as_str().to_owned(),
                text: words::pure_forward_repeatable(&subject),
                subject,
                evidence: "not all that it does is known".to_owned(),
                span: Some(span),
            };
            assumptions.push(match self.facts.kept_numbers {
                Some(first) => {
                    self.facts.assume_as(first + index, assumption);
                    first + index
                }
                None => self.facts.assume(assumption),
            });
        }
        let symbol = self.expression(call.expression);
        self.facts.add_assuming(Relation::Repeatable, [symbol.into()], &assumptions);
    }

    fn name_of_call(&self, call: &CallNode) -> String {
        let span = call.unresolved.unwrap_or(self.host.span_of(call.expression));
        let text = self.first_line(span);
        text.split('(').next().unwrap_or("").to_owned()
    }

    /// S8: tensors lie on an accelerator of which the program decides when it runs. The assumption, if there are such.
    fn assumed_accelerator(&mut self) -> Option<u32> {
        let is_open = |id| self.device_of(id).is_some_and(|word| !matches!(word, "cpu" | "accelerator"));
        self.expressions_in_order().any(is_open).then(|| {
            self.facts.assume(FactAssumption {
                kind: AssumptionKind::Accelerator.as_str().to_owned(),
                subject: "device".to_owned(),
                text: words::accelerator_available(),
                evidence: "where its tensors lie is decided when it runs".to_owned(),
                span: None,
            })
        })
    }

    fn device_of(&self, id: ExpressionId) -> Option<&'static str> {
        let site = self.program.trace.sites.get(&self.host.span_of(id))?;
        Some(site.device?.word())
    }

    /// The tensor that an expression gives lies on an accelerator, or may as the program decides when it runs.
    pub fn accelerated(&mut self, id: ExpressionId, assumed: Option<u32>) {
        let assumptions = match self.device_of(id) {
            None | Some("cpu") => return,
            Some("accelerator") => None,
            Some(_) => assumed,
        };
        let symbol = self.expression(id);
        self.facts.add_assuming(Relation::Accelerated, [symbol.into()], assumptions.as_slice());
    }

    /// S9: operations that get the same shapes in all iterations of the loops around them.
    fn equal_shapes(&mut self) {
        let mut seen: FxHashMap<(Span, Span), Sizes> = FxHashMap::default();
        let mut order = Vec::new();
        for record in &self.program.trace.operations {
            for (depth, around) in record.loops.iter().enumerate() {
                let key = (record.span, *around);
                let sizes = seen.entry(key).or_insert_with(|| {
                    order.push(key);
                    Sizes::default()
                });
                sizes.note(record, record.rounds.get(..=depth).unwrap_or_default());
            }
        }
        for (span, around) in order {
            let Some(sizes) = seen.remove(&(span, around)) else { continue };
            let has_last = self.program.trace.loops.get(&around).is_some_and(|it| it.has_last);
            // Sizes that are not known may be equal; constants that differ are not, and neither is a smaller last mini-batch.
            if (has_last || sizes.are_constant) && !sizes.are_equal() {
                continue;
            }
            let mut assumptions = Vec::new();
            if !sizes.are_constant {
                let text = self.first_line(span);
                let sentence = words::equal_shapes_iterations(&text);
                let evidence = "their sizes are not known";
                assumptions.push(self.assume_at(AssumptionKind::EqualShapes, &text, sentence, evidence, span));
            }
            let expression = self.facts.expression(self.program.corpus, span);
            let around = self.facts.statement(self.program.corpus, around);
            self.facts.add_assuming(Relation::EqualShapes, [expression.into(), around.into()], &assumptions);
        }
    }

    /// S12: functions that run in every step: those that loops over mini-batches or with updates call, and those that frameworks call.
    fn every_step(&mut self) {
        let host = self.host;
        let mut callees: FxHashMap<FunctionId, Vec<FunctionId>> = FxHashMap::default();
        let mut called: FxHashSet<FunctionId> = FxHashSet::default();
        let mut waiting: VecDeque<(FunctionId, Option<u32>, usize)> = VecDeque::new();
        let of_steps = host.loops().map(|(id, _)| id).filter(|id| self.is_loop_of_steps(*id));
        let steps: FxHashSet<Span> = of_steps.map(|id| host.statement(id).span).collect();
        // What runs a loop of steps is no step itself.
        let with_steps = host.statements.iter().filter(|node| node.loop_kind.is_some() && steps.contains(&node.span));
        let of_epochs = callers_of(host, with_steps.map(|node| node.function).collect());
        for call in &host.calls {
            let caller = host.statement(call.statement).function;
            let in_steps = host.loops_of(call.statement).any(|around| steps.contains(&host.statement(around).span));
            for callee in call.callees.iter().filter_map(|callee| host.function_of_span.get(callee)) {
                called.insert(*callee);
                callees.entry(caller).or_default().push(*callee);
                if in_steps && !of_epochs.contains(callee) {
                    waiting.push_back((*callee, None, 0));
                }
            }
        }
        for index in 0..host.functions.len() {
            let id = FunctionId(index as u32);
            let node = host.function(id);
            let (name, span) = (node.name.clone(), node.span);
            let last = name.rsplit('.').next().unwrap_or("");
            if called.contains(&id) || !STEPS.contains(&last) {
                continue;
            }
            // What has items and no length is no data set.
            let has_length = || {
                let length = name.strip_suffix(last).map(|class| format!("{class}__len__"));
                host.functions.iter().any(|function| length.as_deref() == Some(&*function.name))
            };
            if last == "__getitem__" && !has_length() {
                continue;
            }
            let evidence = "frameworks and loops of training call methods of its name so";
            let sentence = words::every_step_called(&name);
            let assumption = self.assume_at(AssumptionKind::EveryStep, &name, sentence, evidence, span);
            waiting.push_back((id, Some(assumption), 0));
        }
        let mut found: FxHashSet<FunctionId> = FxHashSet::default();
        while let Some((function, assumption, length)) = waiting.pop_front() {
            let is_constructor = host.function(function).name.ends_with(".__init__");
            if is_constructor || length > LONGEST || !found.insert(function) {
                continue;
            }
            let symbol = self.function(function);
            let assumptions: Vec<u32> = assumption.into_iter().collect();
            self.facts.add_assuming(Relation::EveryStep, [symbol.into()], &assumptions);
            let next = callees.get(&function).into_iter().flatten();
            waiting.extend(next.map(|callee| (*callee, assumption, length + 1)));
        }
    }

    fn is_loop_of_steps(&self, id: StatementId) -> bool {
        let node = self.host.statement(id);
        let record = self.program.trace.loops.get(&node.span);
        record.is_some_and(|record| record.over_batches)
            || self.host.body_of(id, None).iter().any(|inner| self.host.statement(*inner).trains)
    }

    /// S13: values that are used once: where the call that uses them has them as an argument, or through a local variable.
    fn unobserved(&mut self) {
        let host = self.host;
        let (mut reads, mut writes) = (vec![0usize; host.variables.len()], vec![0usize; host.variables.len()]);
        for node in &host.statements {
            node.definitions.iter().for_each(|variable| writes[variable.index()] += 1);
        }
        let statements = (0..host.statements.len() as u32).map(StatementId);
        statements.flat_map(|id| host.uses_of(id)).for_each(|variable| reads[variable.index()] += 1);
        let mut rows: Vec<(ExpressionId, bool)> = Vec::new();
        for call in &host.calls {
            let node = host.expression(call.expression);
            let of_module = call.function.is_some() && self.may_have_hooks(call);
            match node.parent() {
                Some(parent) if host.expression(parent).has_api => rows.push((call.expression, of_module)),
                Some(_) => {}
                None => {
                    let assigned = host.statement(node.statement).value.filter(|(_, value)| *value == call.expression);
                    let Some((variable, _)) = assigned else { continue };
                    let data = host.variable(variable);
                    let is_local = data.path.is_none() && !host.is_module(data.scope);
                    if is_local && (reads[variable.index()], writes[variable.index()]) == (1, 1) {
                        rows.push((call.expression, of_module));
                    }
                }
            }
        }
        for (id, of_module) in rows {
            let span = host.span_of(id);
            let mut assumptions = Vec::new();
            if of_module {
                let text = self.first_line(span);
                let evidence = "modules may have hooks";
                let sentence = words::unobserved_intermediate(&text);
                assumptions.push(self.assume_at(AssumptionKind::Unobserved, &text, sentence, evidence, span));
            }
            let symbol = self.expression(id);
            self.facts.add_assuming(Relation::Unobserved, [symbol.into()], &assumptions);
        }
    }

    /// Whether a call may be one of a module.
    fn may_have_hooks(&self, call: &CallNode) -> bool {
        let site = self.program.trace.sites.get(&self.host.span_of(call.expression));
        let mut apis = site.into_iter().flat_map(|site| &site.apis);
        let is_class = |name: &str| matches!(self.program.library.entry(name), Some(Entry::Class(_)));
        call.unresolved.is_some() || !call.callees.is_empty() || apis.any(|api| is_class(api.as_str()))
    }
}
