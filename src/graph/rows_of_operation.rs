//! Rows on one operation: its API, what it is given and gives, and the statements, loops and calls around it.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::devices::{self, DefaultSizes};
use crate::facts::{Facts, Symbol};
use crate::host::{Arm, Host, StatementId};
use crate::operation_rows::{grounds_of, grounds_of_run, operation_symbol};
use crate::schema::Relation;
use crate::value_numbers::{self, Numbers};
use crate::{Program, callee, value_rows};
use harp_annotations::ApiSpec;
use harp_corpus::Span;
use harp_python::name::Name;
use harp_shape::DType;
use harp_trace::ids::OperationId;
use harp_trace::{Given, OperationRecord};

/// The relations whose rows are those of single operations.
pub const RELATIONS: [Relation; 31] = [
    Relation::Operation,
    Relation::OperationStmt,
    Relation::OperationCall,
    Relation::OperationIn,
    Relation::OperationObject,
    Relation::Edge,
    Relation::EveryIteration,
    Relation::Iteration,
    Relation::ControlInput,
    Relation::ValueNumber,
    Relation::Sequence,
    Relation::State,
    Relation::Input,
    Relation::Output,
    Relation::Attribute,
    Relation::AttributeNumber,
    Relation::Evaluates,
    Relation::OutputMutability,
    Relation::OutputShape,
    Relation::OutputDim,
    Relation::OutputRank,
    Relation::OutputDtype,
    Relation::OutputDevice,
    Relation::InputShape,
    Relation::InputDevice,
    Relation::Transfer,
    Relation::WeightsDevice,
    Relation::ValueShape,
    Relation::ValueDim,
    Relation::ValueRank,
    Relation::ValueDtype,
];

/// What rows of single operations are made from that all of them tell together.
#[derive(Debug, Default)]
pub struct OfAll {
    numbers: Option<Numbers>,
    /// The statements that operations stand in, by the places of the operations.
    statements: Option<FxHashMap<Span, StatementId>>,
    sizes: Option<DefaultSizes>,
    /// Operations whose results later ones change.
    changed: Option<FxHashSet<OperationId>>,
}

impl OfAll {
    /// Finds out what the wanted relations need.
    pub fn prepare(&mut self, program: Program<'_>, host: &Host, wants: impl Fn(Relation) -> bool) {
        if self.numbers.is_none() && [Relation::ValueNumber, Relation::Sequence].into_iter().any(&wants) {
            self.numbers = Some(Numbers::of(program));
        }
        if self.statements.is_none()
            && [Relation::OperationStmt, Relation::ControlInput, Relation::EveryIteration].into_iter().any(&wants)
        {
            self.statements = Some(statements_by_place(host));
        }
        if self.changed.is_none() && wants(Relation::OutputMutability) {
            self.changed = Some(changed_outputs(program));
        }
        if self.sizes.is_none() && wants(Relation::DefaultSize) {
            self.sizes = Some(DefaultSizes::of(program));
        }
    }

    /// The values of dimensions at the program's defaults: of those with these texts, or of all.
    pub fn add_sizes(&self, facts: &mut Facts, only: Option<&[String]>) {
        self.sizes.iter().for_each(|sizes| sizes.add(facts, only));
    }
}

/// One operation, and the facts that its rows go to.
pub struct RowsOfOperation<'a> {
    program: Program<'a>,
    host: &'a Host,
    facts: &'a mut Facts,
    index: usize,
    record: &'a OperationRecord,
    symbol: Symbol,
}

impl<'a> RowsOfOperation<'a> {
    pub fn new(program: Program<'a>, host: &'a Host, facts: &'a mut Facts, index: usize) -> RowsOfOperation<'a> {
        let record = &program.trace.operations[index];
        let symbol = operation_symbol(program, facts, index, record);
        RowsOfOperation { program, host, facts, index, record, symbol }
    }

    /// The rows of all relations that somebody wants.
    pub fn add_wanted(mut self, of_all: &OfAll) {
        for relation in [
            Relation::Edge,
            Relation::Iteration,
            Relation::ValueNumber,
            Relation::Operation,
            Relation::OutputMutability,
            Relation::OperationIn,
            Relation::OperationCall,
            Relation::OutputDevice,
            Relation::OutputShape,
            Relation::OperationStmt,
            Relation::Input,
        ] {
            self.add(relation, of_all);
        }
    }

    /// The rows of a relation, and of those that are made with it, as far as somebody wants them.
    pub fn add(&mut self, relation: Relation, of_all: &OfAll) {
        use Relation as R;
        let RowsOfOperation { program, facts, index, record, symbol, .. } = self;
        match relation {
            R::Edge => self.add_edges(),
            R::Iteration => value_numbers::add_iterations(*program, facts, *symbol, record),
            R::ValueNumber | R::Sequence => {
                of_all.numbers.iter().for_each(|numbers| numbers.add(facts, *symbol, *index));
            }
            R::Operation => self.add_api(),
            R::OutputMutability => of_all.changed.iter().for_each(|changed| self.add_mutability(changed)),
            R::OperationIn => self.add_loops(),
            R::OperationCall => self.add_calls(),
            R::OutputDevice | R::InputDevice | R::InputShape | R::Transfer => {
                devices::add(*program, facts, *symbol, record);
            }
            R::OutputShape | R::OutputRank | R::OutputDim | R::OutputDtype => self.add_output(),
            R::OperationStmt | R::EveryIteration | R::ControlInput => {
                of_all.statements.iter().for_each(|statements| self.add_surroundings(statements));
            }
            _ => value_rows::add_of_operation(*program, facts, *symbol, record),
        }
    }

    fn add_edges(&mut self) {
        let RowsOfOperation { program, facts, record, symbol, .. } = self;
        if !facts.wants(Relation::Edge) {
            return;
        }
        for Given { parameter, operation: from, .. } in &record.given {
            let Some(from) = (from.0 as usize).checked_sub(1) else { continue };
            let Some(before) = program.trace.operations.get(from) else { continue };
            let from = operation_symbol(*program, facts, from, before);
            let parameter = facts.symbol(parameter.as_str());
            let row = [from.into(), (*symbol).into(), parameter.into()];
            facts.add_assuming(Relation::Edge, row, &grounds_of_run(*program, record));
        }
    }

    fn add_api(&mut self) {
        let RowsOfOperation { program, facts, record, symbol, .. } = self;
        if facts.wants(Relation::Operation) {
            let (expression, api) = (facts.expression(program.corpus, record.span), facts.symbol(record.api.as_str()));
            let row = [(*symbol).into(), expression.into(), api.into()];
            facts.add_assuming(Relation::Operation, row, &grounds_of_run(*program, record));
        }
    }

    fn add_mutability(&mut self, changed: &FxHashSet<OperationId>) {
        let is_changed = changed.contains(&OperationId(self.index as u32 + 1));
        let mutability = self.facts.symbol(if is_changed { "mutable" } else { "constant" });
        let row = [self.symbol.into(), mutability.into()];
        self.facts.add_assuming(Relation::OutputMutability, row, &grounds_of(self.record));
    }

    fn add_loops(&mut self) {
        for around in self.record.loops.iter() {
            let around = self.facts.statement(self.program.corpus, *around);
            self.facts.add(Relation::OperationIn, [self.symbol.into(), around.into()]);
        }
    }

    fn add_calls(&mut self) {
        for (depth, call) in (0i64..).zip(self.record.calls.iter()) {
            let call = self.facts.expression(self.program.corpus, *call);
            self.facts.add(Relation::OperationCall, [self.symbol.into(), depth.into(), call.into()]);
        }
    }

    fn add_output(&mut self) {
        let (facts, operation, record) = (&mut *self.facts, self.symbol, self.record);
        use Relation as R;
        if let Some(shape) = &record.shape
            && facts.wants_any(&[R::OutputShape, R::OutputRank, R::OutputDim])
        {
            let grounds = grounds_of(record);
            if facts.wants(R::OutputShape) {
                let text = facts.symbol(&shape.to_string());
                facts.add_assuming(R::OutputShape, [operation.into(), text.into()], &grounds);
            }
            if let Some(dims) = shape.dims() {
                facts.add_assuming(R::OutputRank, [operation.into(), (dims.len() as i64).into()], &grounds);
                let dims = if facts.wants(R::OutputDim) { dims } else { Vec::new() };
                for (axis, dim) in (0i64..).zip(dims) {
                    let size = facts.symbol(&dim.to_string());
                    facts.add_assuming(R::OutputDim, [operation.into(), axis.into(), size.into()], &grounds);
                }
            }
        }
        if record.dtype != DType::Unknown && facts.wants(R::OutputDtype) {
            let dtype = facts.symbol(&record.dtype.to_string());
            facts.add_assuming(R::OutputDtype, [operation.into(), dtype.into()], &grounds_of(record));
        }
    }

    fn add_surroundings(&mut self, statements: &FxHashMap<Span, StatementId>) {
        let (program, host, operation, record) = (self.program, self.host, self.symbol, self.record);
        let facts = &mut *self.facts;
        if facts.wants(Relation::OperationStmt)
            && let Some(statement) = statements.get(&record.span)
        {
            let symbol = facts.statement(program.corpus, host.statement(*statement).span);
            facts.add(Relation::OperationStmt, [operation.into(), symbol.into()]);
        }
        if facts.wants(Relation::EveryIteration) {
            self.add_every_iteration(statements);
        }
        let facts = &mut *self.facts;
        if !facts.wants(Relation::ControlInput) {
            return;
        }
        let mut found: Vec<StatementId> = Vec::new();
        for statement in record.calls.iter().chain([&record.span]).filter_map(|place| statements.get(place)) {
            let mut above = host.statement(*statement).parent;
            while let Some((parent, _)) = above {
                let node = host.statement(parent);
                if matches!(node.kind, "if" | "while" | "for" | "match" | "try") && !found.contains(&parent) {
                    found.push(parent);
                    let control = facts.statement(program.corpus, node.span);
                    facts.add(Relation::ControlInput, [operation.into(), control.into()]);
                }
                above = node.parent;
            }
        }
    }

    /// The loops in each of whose iterations the operation runs: from it outwards, through the calls that lead to it, until a branch decides.
    fn add_every_iteration(&mut self, statements: &FxHashMap<Span, StatementId>) {
        let (program, host, operation, record) = (self.program, self.host, self.symbol, self.record);
        let facts = &mut *self.facts;
        let mut found: Vec<Span> = Vec::new();
        for place in [&record.span].into_iter().chain(record.calls.iter().rev()) {
            let Some(statement) = statements.get(place) else { break };
            let mut node = host.statement(*statement);
            let mut is_decided = false;
            while let Some((parent, arm)) = node.parent {
                let above = host.statement(parent);
                is_decided |= matches!(arm, Arm::Then | Arm::Else | Arm::Handler) || above.kind == "match";
                if is_decided {
                    break;
                }
                if matches!(above.kind, "for" | "while") && record.loops.contains(&above.span) {
                    found.push(above.span);
                }
                node = above;
            }
            if is_decided {
                break;
            }
        }
        for around in found {
            let around = facts.statement(program.corpus, around);
            facts.add(Relation::EveryIteration, [operation.into(), around.into()]);
        }
    }
}

fn statements_by_place(host: &Host) -> FxHashMap<Span, StatementId> {
    let known = host.expressions.iter().filter(|node| node.has_api).map(|node| (host.span(node), node.statement));
    let called = host.calls.iter().map(|call| host.expression(call.expression));
    // `a += b` is an operation as a whole.
    let updates = host.statements.iter().enumerate().filter(|(_, node)| node.kind == "update");
    let updates = updates.map(|(index, node)| (node.span, StatementId(index as u32)));
    called.map(|node| (host.span(node), node.statement)).chain(known).chain(updates).collect()
}

/// Operations whose result a later one changes in place.
fn changed_outputs(program: Program<'_>) -> FxHashSet<OperationId> {
    let mut changed = FxHashSet::default();
    let mut by_api: FxHashMap<Name, Option<&ApiSpec>> = FxHashMap::default();
    for record in &program.trace.operations {
        let spec = by_api
            .entry(record.api)
            .or_insert_with(|| callee::known_one(program, record.api, record.shape.is_some()).spec);
        let Some(spec) = spec else { continue };
        let written = record.given.iter().filter(|given| spec.effects.writes(given.parameter.as_str()));
        changed.extend(written.map(|given| given.operation));
    }
    changed
}
