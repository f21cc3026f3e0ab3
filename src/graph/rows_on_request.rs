//! Makes rows of the graph on request: most relations describe every statement, expression or operation of a project,
//! and rules look at few of these.

use std::borrow::Cow;
use std::collections::BTreeSet;

use rustc_hash::FxHashSet;

use crate::all_rows::Sources;
use crate::call_chains::ReachedEffects;
use crate::default_grounds::DefaultGrounds;
use crate::defects::DefectOfGraph;
use crate::effects::{AliasGroups, Effects};
use crate::expression_rows::one_line;
use crate::facts::{Facts, Rows, Symbol, Wanted};
use crate::host::{CallNode, ExpressionId, FunctionId, Host, StatementId, VariableId};
use crate::host_rows::{Emitter, HostSymbols, source};
use crate::lookup::Lookup;
use crate::loop_variance::Variation;
use crate::rows_of_operation::{OfAll, RowsOfOperation};
use crate::schema::Relation;
use crate::speculations::{OnRequest, Steadiness};
use crate::value_rows::ValueOf;
use crate::{Program, operation_rows, read_statements, value_rows};
use harp_corpus::{Corpus, Span};
use harp_limits::fault_point;
use harp_python::Project;
use harp_python::name::Name;
use harp_shape::naming::Apart;
use harp_trace::OperationRecord;

/// What the symbols of a column name, and so which rows have one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Subject {
    Statement,
    /// A statement around the rows' one.
    Around,
    /// The function of the rows' statement.
    Body,
    Variable,
    Expression,
    /// An expression of which the rows' one is a part.
    Whole,
    /// The statement of the rows' expression.
    Holder,
    /// An expression of the rows' statement.
    Within,
    /// The expression of a call.
    Call,
    /// The statement of a call.
    Caller,
    /// The text that names what is called.
    Callee,
    Function,
    Operation,
    /// The expression that runs an operation.
    Place,
    /// A loop around an operation.
    Loop,
    /// A call through which an operation was reached.
    Through,
    /// The statement in which an operation stands.
    Doing,
    /// The name of an operation's argument.
    Setting,
    /// The API that an operation runs.
    Api,
    /// An operation whose result the rows' one is given.
    Giver,
    /// A variable that the rows' statement uses.
    Used,
    /// The expression that made the value of the rows' one.
    Maker,
    /// An argument of the rows' call.
    Given,
    /// A value that operations give, or that comes from outside.
    Value,
    /// The text of a size.
    Size,
}

/// The columns by which rows of a relation are made on request, the first of them being what the rows are about; `None` where all are made at
/// once.
fn subjects(relation: Relation) -> Option<&'static [(usize, Subject)]> {
    use Relation as R;
    Some(match relation {
        R::Stmt => &[(0, Subject::Statement), (2, Subject::Body)],
        R::Next | R::Def | R::Mutates | R::MayMutate => &[(0, Subject::Statement)],
        R::Use => &[(0, Subject::Statement), (1, Subject::Used)],
        R::Within => &[(0, Subject::Statement), (1, Subject::Around)],
        R::Variable | R::AliasOf | R::MutatedIn => &[(0, Subject::Variable)],
        R::Text
        | R::OperandText
        | R::StandsFor
        | R::Reads
        | R::VariesExpr
        | R::ComputedFrom
        | R::PlainAccess
        | R::ValueKind
        | R::ExprShape
        | R::ExprDtype
        | R::ExprDevice
        | R::Elements
        | R::Accelerated => &[(0, Subject::Expression)],
        R::ValueFrom => &[(0, Subject::Expression), (1, Subject::Maker)],
        R::Assigned => &[(0, Subject::Statement), (2, Subject::Within)],
        R::ExprStmt => &[(0, Subject::Expression), (1, Subject::Holder)],
        R::Part => &[(0, Subject::Expression), (1, Subject::Whole)],
        R::Repeatable => &[(0, Subject::Call)],
        R::Argument => &[(0, Subject::Call), (3, Subject::Given)],
        R::Function | R::Parameter | R::InTests | R::ReachesEffect => &[(0, Subject::Function)],
        R::UnresolvedCall => &[(0, Subject::Call), (1, Subject::Caller), (2, Subject::Callee)],
        R::Operation => &[(0, Subject::Operation), (1, Subject::Place), (2, Subject::Api)],
        R::OperationCall => &[(0, Subject::Operation), (2, Subject::Through)],
        R::Iteration | R::ValueNumber | R::Sequence | R::State => &[(0, Subject::Operation)],
        R::Input | R::Output | R::Evaluates | R::OperationObject => &[(0, Subject::Operation)],
        R::OutputShape | R::OutputRank | R::OutputDim | R::OutputDtype | R::OutputDevice | R::ControlInput => {
            &[(0, Subject::Operation)]
        }
        R::InputShape | R::InputDevice | R::Transfer | R::WeightsDevice | R::OutputMutability => {
            &[(0, Subject::Operation)]
        }
        R::ValueShape | R::ValueRank | R::ValueDim | R::ValueDtype => &[(0, Subject::Value)],
        R::DefaultSize => &[(0, Subject::Size)],
        R::OperationStmt => &[(0, Subject::Operation), (1, Subject::Doing)],
        R::Attribute | R::AttributeNumber => &[(0, Subject::Operation), (1, Subject::Setting)],
        R::Edge => &[(0, Subject::Giver), (1, Subject::Operation)],
        R::OperationIn | R::EveryIteration => &[(0, Subject::Operation), (1, Subject::Loop)],
        _ => return None,
    })
}

/// An analysed program whose relations can be asked for.
pub struct Graph<'a> {
    program: Program<'a>,
    host: Host,
    groups: AliasGroups,
    effects: Effects,
    variation: Variation,
    defaults: DefaultGrounds,
    symbols: HostSymbols,
    on_request: OnRequest,
    /// Found when somebody first asks for calls that give the same again.
    steadiness: Option<Steadiness>,
    /// Found when somebody first asks for the effects of a function.
    reached_effects: Option<ReachedEffects>,
    /// Found when somebody first asks for what it is needed for.
    of_all: OfAll,
    lookup: Lookup,
    facts: Facts,
    /// Sizes have names of their own in all of its rows.
    _names: Apart,
}

impl<'a> Graph<'a> {
    /// Makes those of the trace alone, where Harp fails on the host program. `defect` says how.
    pub fn of_trace(program: Program<'a>, wanted: &Wanted, defect: DefectOfGraph) -> Graph<'a> {
        let mut facts = Facts::new(wanted);
        facts.defects.push(defect);
        Graph::new(program, &Project::build(&Corpus::default()), Host::default(), wanted, facts)
    }

    /// Makes those that cannot be asked for, and frees the project.
    pub fn on_request(program: Program<'a>, mut project: Project, wanted: &Wanted) -> Graph<'a> {
        let mut facts = Facts::new(wanted);
        let host = read_statements::read_and_free(program, &mut project, &mut facts.defects);
        // What users say of assumptions is held against all of them, so that the report can name an answer that fits none; rows of tensors that rest on
        // a denied one go.
        let is_answered = !program.trace.answers.is_empty();
        let rests_on_answers = |relation| {
            use Relation as R;
            matches!(relation, R::Repeatable | R::PlainAccess | R::Accelerated)
                || matches!(relation, R::OutputDtype | R::OutputDevice | R::InputShape | R::InputDevice)
                || matches!(
                    relation,
                    R::OutputShape
                        | R::OutputRank
                        | R::OutputDim
                        | R::Transfer
                        | R::WeightsDevice
                        | R::OutputMutability
                )
                || matches!(relation, R::ValueShape | R::ValueRank | R::ValueDim | R::ValueDtype | R::DefaultSize)
        };
        let stays = |relation: Relation| is_answered && rests_on_answers(relation);
        for relation in Relation::ALL.iter().copied().filter(|relation| subjects(*relation).is_some()) {
            if facts.wants(relation) && !stays(relation) {
                facts.postpone(relation);
            }
        }
        Graph::new(program, &project, host, wanted, facts)
    }

    fn new(program: Program<'a>, project: &Project, mut host: Host, wanted: &Wanted, mut facts: Facts) -> Graph<'a> {
        let names = harp_shape::naming::apart();
        let sources = Sources::fill(program, project, &mut host, wanted, &mut facts);
        let Sources { groups, effects, variation, defaults, symbols, on_request } = sources;
        let lookup = Lookup::default();
        let (steadiness, reached_effects, of_all) = (None, None, OfAll::default());
        Graph {
            program,
            host,
            groups,
            effects,
            variation,
            defaults,
            symbols,
            on_request,
            steadiness,
            reached_effects,
            of_all,
            lookup,
            facts,
            _names: names,
        }
    }

    /// The columns by one of whose values rows of a relation can be asked for; `None` where all its rows are among the facts.
    pub fn columns(&self, relation: Relation) -> Option<&'static [usize]> {
        match subjects(relation).filter(|_| self.facts.is_postponed(relation))? {
            [(0, _)] => Some(&[0]),
            [(1, _)] => Some(&[1]),
            [(0, _), (1, _)] => Some(&[0, 1]),
            [(0, _), (2, _)] => Some(&[0, 2]),
            [(0, _), (3, _)] => Some(&[0, 3]),
            _ => Some(&[0, 1, 2]),
        }
    }

    /// Whether [`Graph::texts`] knows a column's.
    pub fn has_texts(relation: Relation, column: usize) -> bool {
        subjects(relation).unwrap_or_default().contains(&(column, Subject::Api))
    }

    /// The texts that a column of a relation has, where there are far fewer of them than rows.
    pub fn texts(&mut self, relation: Relation, column: usize) -> Option<Vec<Symbol>> {
        if !Graph::has_texts(relation, column) {
            return None;
        }
        let apis = self.lookup.apis(self.program);
        Some(apis.iter().map(|api| self.facts.symbol(api.as_str())).collect())
    }

    /// The rows that are made so far.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// The same, for whoever adds rows or symbols.
    pub fn facts_mut(&mut self) -> &mut Facts {
        &mut self.facts
    }

    /// The rows that are made so far, without what further ones are made from.
    pub fn into_facts(self) -> Facts {
        self.facts
    }

    /// Rows of a relation: at least those with one of the symbols in a column, and only such as the relation has. Without a column, or
    /// where a symbol does not tell where to look, all rows.
    pub fn rows(&mut self, relation: Relation, only: Option<(usize, &[Symbol])>) -> Rows {
        let subjects = subjects(relation).unwrap_or_default();
        let of_column = |column| subjects.iter().find(|(of, _)| *of == column).map(|(_, subject)| *subject);
        let asked = only.and_then(|(column, symbols)| self.find(of_column(column)?, symbols));
        let found = asked.unwrap_or_else(|| self.everything(subjects.first().map(|(_, subject)| *subject)));
        if matches!(relation, Relation::Mutates | Relation::MayMutate)
            && let Found::Statements(list) = &found
        {
            list.iter().for_each(|id| self.effects.mark(&mut self.host, *id));
        }
        if relation == Relation::Repeatable && self.steadiness.is_none() {
            self.steadiness = Some(Steadiness::of(self.program, &self.host));
        }
        if relation == Relation::ReachesEffect && self.reached_effects.is_none() {
            self.reached_effects = Some(ReachedEffects::of(self.program, &self.host));
        }
        self.of_all.prepare(self.program, &self.host, |needed| needed == relation);
        fault_point("relation", relation.name());
        let Graph { program, host, groups, variation, defaults, symbols, on_request, lookup, facts, .. } = self;
        let (steadiness, effects) = (self.steadiness.as_ref(), self.reached_effects.as_ref());
        let of_all = &self.of_all;
        facts.made(relation, |facts| {
            let emitter = Emitter { program: *program, host, variation, defaults, facts, symbols };
            Maker { emitter, relation, groups, on_request, steadiness, effects, of_all, lookup }.make(&found);
        })
    }

    /// What the symbols name; `None` if one of them names nothing that is known.
    fn find(&self, subject: Subject, symbols: &[Symbol]) -> Option<Found> {
        let (program, host, lookup) = (self.program, &self.host, &self.lookup);
        let places = || symbols.iter().map(|symbol| self.facts.place(*symbol)).collect::<Option<Vec<Span>>>();
        let statements = || Some(places()?.into_iter().flat_map(|place| lookup.statements(host, place)).copied());
        let functions = || Some(places()?.into_iter().flat_map(|place| lookup.functions(host, place)));
        let expressions = || Some(places()?.into_iter().flat_map(|place| lookup.expressions(host, place)).copied());
        Some(match subject {
            Subject::Statement => Found::Statements(statements()?.collect()),
            Subject::Around => Found::Inside(statements()?.collect()),
            Subject::Variable => {
                let variables = symbols.iter().map(|symbol| self.symbols.variable(*symbol));
                Found::Variables(variables.collect::<Option<_>>()?)
            }
            Subject::Expression => Found::Expressions(expressions()?.collect()),
            Subject::Whole => Found::Expressions(expressions()?.flat_map(|whole| parts(host, whole)).collect()),
            Subject::Within => Found::Statements(expressions()?.map(|id| host.expression(id).statement).collect()),
            Subject::Holder => {
                let inside = statements()?.flat_map(|id| lookup.expressions_in(host, id)).copied();
                Found::Expressions(inside.collect())
            }
            Subject::Call => {
                let calls = expressions()?.map(|id| (id, host.expression(id).statement));
                let of_each = |(id, caller)| {
                    let of_caller = lookup.calls_in(host, caller).iter().copied();
                    of_caller.filter(move |index| host.calls[*index as usize].expression == id)
                };
                Found::Calls(calls.flat_map(of_each).collect())
            }
            Subject::Caller => Found::Calls(statements()?.flat_map(|id| lookup.calls_in(host, id)).copied().collect()),
            Subject::Callee => {
                let names: FxHashSet<Cow<'_, str>> = symbols.iter().map(|symbol| self.facts.text(*symbol)).collect();
                let is_named = |call: &CallNode| {
                    call.unresolved.is_some_and(|span| names.contains(&*one_line(source(program, span))))
                };
                let numbered = (0u32..).zip(&host.calls).filter(|(_, call)| is_named(call));
                Found::Calls(numbered.map(|(index, _)| index).collect())
            }
            Subject::Function => Found::Functions(functions()?.copied().collect()),
            Subject::Body => {
                Found::Statements(functions()?.flat_map(|id| lookup.statements_of(host, *id)).copied().collect())
            }
            Subject::Operation => {
                let count = program.trace.operations.len();
                let indices = symbols.iter().map(|symbol| operation_rows::index_of(&self.facts, *symbol));
                let indices = indices.collect::<Option<Vec<usize>>>()?.into_iter();
                Found::Operations(indices.filter(|index| *index < count).map(|index| index as u32).collect())
            }
            Subject::Place => {
                let there = places()?.into_iter().flat_map(|place| lookup.operations(program, place));
                Found::Operations(there.copied().collect())
            }
            Subject::Through => {
                let there = places()?.into_iter().flat_map(|place| lookup.operations_through(program, place));
                Found::Operations(there.copied().collect())
            }
            Subject::Doing => {
                // `a += b` is an operation as a whole.
                let own = |id| std::iter::once(host.statement(id).span);
                let inside = |id| lookup.expressions_in(host, id).iter().map(|id| host.span_of(*id));
                let doing = statements()?.flat_map(|id| own(id).chain(inside(id)));
                let found: BTreeSet<u32> = doing.flat_map(|place| lookup.operations(program, place)).copied().collect();
                Found::Operations(found.into_iter().collect())
            }
            Subject::Setting => {
                let names: Vec<Name> = symbols.iter().map(|symbol| Name::new(&self.facts.text(*symbol))).collect();
                let is_set =
                    |record: &OperationRecord| value_rows::attributes_of(record).any(|(name, _)| names.contains(name));
                let numbered = (0u32..).zip(&program.trace.operations).filter(|(_, record)| is_set(record));
                Found::Operations(numbered.map(|(index, _)| index).collect())
            }
            Subject::Value => {
                let values = symbols.iter().map(|symbol| value_rows::value_of(&self.facts.text(*symbol)));
                let mut found = BTreeSet::new();
                for value in values.collect::<Option<Vec<ValueOf>>>()? {
                    match value {
                        ValueOf::Operation(index) => {
                            found.extend(Some(index).filter(|index| (*index as usize) < program.trace.operations.len()))
                        }
                        ValueOf::Source(number) => found.extend(lookup.operations_given(program, number)),
                    }
                }
                Found::Operations(found.into_iter().collect())
            }
            Subject::Size => Found::Sizes(symbols.iter().map(|symbol| self.facts.text(*symbol).into_owned()).collect()),
            Subject::Api => {
                let apis = symbols.iter().map(|symbol| Name::new(&self.facts.text(*symbol)));
                Found::Operations(apis.flat_map(|api| lookup.operations_of(program, api)).copied().collect())
            }
            Subject::Giver => {
                let indices = symbols.iter().map(|symbol| operation_rows::index_of(&self.facts, *symbol));
                let indices = indices.collect::<Option<Vec<usize>>>()?.into_iter();
                let readers = indices.flat_map(|index| lookup.readers_of(program, index));
                let found: BTreeSet<u32> = readers.copied().collect();
                Found::Operations(found.into_iter().collect())
            }
            Subject::Used => {
                let variables = symbols.iter().map(|symbol| self.symbols.variable(*symbol));
                let variables = variables.collect::<Option<Vec<VariableId>>>()?.into_iter();
                Found::Statements(variables.flat_map(|id| lookup.users_of(host, id)).copied().collect())
            }
            Subject::Maker => {
                let there = places()?.into_iter().flat_map(|place| lookup.values_from(program, host, place));
                Found::Expressions(there.copied().collect())
            }
            Subject::Given => {
                let of_each = |id: ExpressionId| {
                    let of_caller = lookup.calls_in(host, host.expression(id).statement).iter().copied();
                    let takes = move |index: &u32| host.calls[*index as usize].arguments.iter().any(|it| it.1 == id);
                    of_caller.filter(takes)
                };
                let found: BTreeSet<u32> = expressions()?.flat_map(of_each).collect();
                Found::Calls(found.into_iter().collect())
            }
            Subject::Loop => {
                let there = places()?.into_iter().flat_map(|place| lookup.operations_in(program, place));
                Found::Operations(there.copied().collect())
            }
        })
    }

    fn everything(&self, subject: Option<Subject>) -> Found {
        let host = &self.host;
        match subject {
            Some(Subject::Statement | Subject::Around | Subject::Body | Subject::Within | Subject::Used) => {
                Found::Statements((0..host.statements.len() as u32).map(StatementId).collect())
            }
            Some(Subject::Variable) => Found::Variables((0..host.variables.len() as u32).map(VariableId).collect()),
            Some(Subject::Expression | Subject::Whole | Subject::Holder | Subject::Maker) => {
                Found::Expressions((0..host.expressions.len() as u32).map(ExpressionId).collect())
            }
            Some(Subject::Call | Subject::Caller | Subject::Callee | Subject::Given) => {
                Found::Calls((0..host.calls.len() as u32).collect())
            }
            Some(Subject::Function) => Found::Functions((0..host.functions.len() as u32).map(FunctionId).collect()),
            Some(
                Subject::Operation
                | Subject::Place
                | Subject::Loop
                | Subject::Through
                | Subject::Doing
                | Subject::Setting
                | Subject::Api
                | Subject::Giver
                | Subject::Value,
            ) => Found::Operations((0..self.program.trace.operations.len() as u32).collect()),
            Some(Subject::Size) => Found::AllSizes,
            None => Found::Statements(Vec::new()),
        }
    }
}

/// What rows are made of.
enum Found {
    Statements(Vec<StatementId>),
    /// All statements inside of these.
    Inside(Vec<StatementId>),
    Variables(Vec<VariableId>),
    Functions(Vec<FunctionId>),
    Expressions(Vec<ExpressionId>),
    /// By number.
    Calls(Vec<u32>),
    /// By index in the trace.
    Operations(Vec<u32>),
    /// By text.
    Sizes(Vec<String>),
    AllSizes,
}

/// Makes the rows of one relation.
struct Maker<'a> {
    emitter: Emitter<'a>,
    relation: Relation,
    groups: &'a AliasGroups,
    on_request: &'a OnRequest,
    steadiness: Option<&'a Steadiness>,
    effects: Option<&'a ReachedEffects>,
    of_all: &'a OfAll,
    lookup: &'a Lookup,
}

impl Maker<'_> {
    fn make(&mut self, found: &Found) {
        match found {
            Found::Statements(list) => list.iter().for_each(|id| self.statement(*id)),
            Found::Inside(list) => list.iter().for_each(|id| self.inside(*id)),
            Found::Variables(list) => list.iter().for_each(|id| self.variable(*id)),
            Found::Functions(list) => list.iter().for_each(|id| self.function(*id)),
            Found::Expressions(list) => list.iter().for_each(|id| self.expression(*id)),
            Found::Calls(list) => list.iter().for_each(|index| self.call(*index)),
            Found::Operations(list) => {
                for index in list.iter().map(|index| *index as usize) {
                    let Emitter { program, host, facts, .. } = &mut self.emitter;
                    RowsOfOperation::new(*program, host, facts, index).add(self.relation, self.of_all);
                }
            }
            Found::Sizes(list) => self.of_all.add_sizes(self.emitter.facts, Some(list)),
            Found::AllSizes => self.of_all.add_sizes(self.emitter.facts, None),
        }
    }

    fn statement(&mut self, id: StatementId) {
        let emitter = &mut self.emitter;
        match self.relation {
            Relation::Stmt => emitter.kind(id),
            Relation::Assigned => emitter.assigned_by(id),
            Relation::Next => {
                if let Some(following) = self.lookup.following(emitter.host, id) {
                    let (first, second) = (emitter.statement(id), emitter.statement(following));
                    emitter.facts.add(Relation::Next, [first.into(), second.into()]);
                }
            }
            Relation::Within => {
                let mut above = emitter.host.statement(id).parent;
                while let Some((outer, _)) = above {
                    let (inner, outer_symbol) = (emitter.statement(id), emitter.statement(outer));
                    emitter.facts.add(Relation::Within, [inner.into(), outer_symbol.into()]);
                    above = emitter.host.statement(outer).parent;
                }
            }
            _ => emitter.touched(id),
        }
    }

    fn inside(&mut self, outer: StatementId) {
        let emitter = &mut self.emitter;
        let host = emitter.host;
        let mut waiting = vec![outer];
        while let Some(around) = waiting.pop() {
            let children = host.statement(around).blocks.iter().flat_map(|(_, block)| block);
            // The body of a function runs elsewhere.
            for inner in children.filter(|inner| host.statement(**inner).parent.is_some_and(|(of, _)| of == around)) {
                let (inner_symbol, outer) = (emitter.statement(*inner), emitter.statement(outer));
                emitter.facts.add(Relation::Within, [inner_symbol.into(), outer.into()]);
                waiting.push(*inner);
            }
        }
    }

    fn function(&mut self, id: FunctionId) {
        match self.effects {
            Some(effects) if self.relation == Relation::ReachesEffect => self.emitter.effects_of(id, effects),
            _ => self.emitter.named_function(id),
        }
    }

    fn expression(&mut self, id: ExpressionId) {
        match self.relation {
            Relation::PlainAccess => self.emitter.plain_access(id, &self.on_request.accesses),
            Relation::Accelerated => self.emitter.accelerated(id, self.on_request.accelerator),
            _ => self.emitter.one_expression(id),
        }
    }

    fn call(&mut self, index: u32) {
        let call = &self.emitter.host.calls[index as usize];
        match self.steadiness {
            Some(steadiness) if self.relation == Relation::Repeatable => {
                self.emitter.repeatable(index, call, steadiness);
            }
            _ if self.relation == Relation::Argument => self.emitter.arguments_of(call),
            _ => self.emitter.unresolved(call),
        }
    }

    fn variable(&mut self, id: VariableId) {
        let emitter = &mut self.emitter;
        match self.relation {
            Relation::Variable => emitter.named(id),
            Relation::AliasOf => emitter.alias_of(id, self.groups),
            _ => {
                let variation = emitter.variation;
                variation.changed_in(id).for_each(|around| emitter.mutated_in(id, around));
            }
        }
    }
}

/// The direct parts of an expression. An expression's parts, and theirs, are numbered behind it.
fn parts(host: &Host, whole: ExpressionId) -> impl Iterator<Item = ExpressionId> + '_ {
    let behind = host.expressions[whole.index() + 1..].iter().enumerate();
    let below = behind.take_while(move |(_, node)| node.parent().is_some_and(|parent| parent >= whole));
    let direct = below.filter(move |(_, node)| node.parent() == Some(whole));
    direct.map(move |(offset, _)| ExpressionId(whole.0 + 1 + offset as u32))
}
