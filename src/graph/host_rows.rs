//! The host program as rows.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use crate::Program;
use crate::closures::reachability;
use crate::default_grounds::DefaultGrounds;
use crate::effects::AliasGroups;
use crate::facts::{FactAssumption, Facts, Symbol};
use crate::host::{Arm, ExpressionId, FunctionId, Host, LoopKind, StatementId, VariableId};
use crate::loop_variance::Variation;
use crate::reaching_definitions;
use crate::schema::Relation;
use crate::speculations::OnRequest;
use crate::symbols_by_number::SymbolsByNumber;
use harp_corpus::Span;
use harp_python::Project;
use harp_trace::assumption::{AssumptionKind, words};

/// A loop of so many iterations or fewer is not worth a rewrite.
const FEW_TRIPS: i64 = 5;

/// Adds rows about the host program.
pub struct Emitter<'a> {
    pub program: Program<'a>,
    pub host: &'a Host,
    pub variation: &'a Variation,
    pub defaults: &'a DefaultGrounds,
    pub facts: &'a mut Facts,
    pub symbols: &'a mut HostSymbols,
}

/// The symbols of what the host program has, which are made when a row first needs them.
#[derive(Debug)]
pub struct HostSymbols {
    functions: SymbolsByNumber,
    statements: SymbolsByNumber,
    expressions: SymbolsByNumber,
    variables: SymbolsByNumber,
    variable_of_symbol: FxHashMap<Symbol, VariableId>,
}

impl HostSymbols {
    pub fn new(host: &Host) -> HostSymbols {
        HostSymbols {
            functions: SymbolsByNumber::new(host.functions.len()),
            statements: SymbolsByNumber::new(host.statements.len()),
            expressions: SymbolsByNumber::new(host.expressions.len()),
            variables: SymbolsByNumber::new(host.variables.len()),
            variable_of_symbol: FxHashMap::default(),
        }
    }

    /// The variable that a symbol stands for.
    pub fn variable(&self, symbol: Symbol) -> Option<VariableId> {
        self.variable_of_symbol.get(&symbol).copied()
    }
}

impl<'a> Emitter<'a> {
    pub fn statement(&mut self, id: StatementId) -> Symbol {
        self.symbols.statements.get(id.index()).unwrap_or_else(|| {
            let symbol = self.facts.statement(self.program.corpus, self.host.statement(id).span);
            self.symbols.statements.insert(id.index(), symbol);
            symbol
        })
    }

    pub fn function(&mut self, id: FunctionId) -> Symbol {
        self.symbols.functions.get(id.index()).unwrap_or_else(|| {
            let symbol = self.facts.statement(self.program.corpus, self.host.function(id).span);
            self.symbols.functions.insert(id.index(), symbol);
            symbol
        })
    }

    pub fn expression(&mut self, id: ExpressionId) -> Symbol {
        self.symbols.expressions.get(id.index()).unwrap_or_else(|| {
            let symbol = self.facts.expression(self.program.corpus, self.host.span_of(id));
            self.symbols.expressions.insert(id.index(), symbol);
            symbol
        })
    }

    pub fn source(&self, span: Span) -> &'a str {
        source(self.program, span)
    }

    /// `train.py:step.weights`: the scope's name and the variable's.
    pub fn variable(&mut self, id: VariableId) -> Symbol {
        if let Some(symbol) = self.symbols.variables.get(id.index()) {
            return symbol;
        }
        self.new_variable(id).0
    }

    /// The symbol of a variable, and its name.
    fn new_variable(&mut self, id: VariableId) -> (Symbol, String) {
        let node = self.host.variable(id);
        let scope = self.host.function(node.scope);
        let place = self.facts.statement(self.program.corpus, scope.span);
        let name = match node.path {
            Some(path) => format!("{}.{path}", node.root),
            None => node.root.as_str().to_owned(),
        };
        let text = format!("{}:{name}", self.facts.text(place));
        let symbol = self.facts.symbol(&text);
        self.symbols.variables.insert(id.index(), symbol);
        self.symbols.variable_of_symbol.insert(symbol, id);
        (symbol, name)
    }

    /// All relations that are wanted. Gives what rows on request need.
    pub fn all(&mut self, groups: &AliasGroups, project: &Project) -> OnRequest {
        use Relation as R;
        if self.facts.wants_any(&[R::Function, R::Parameter, R::InTests]) {
            (0..self.host.functions.len() as u32).for_each(|index| self.named_function(FunctionId(index)));
        }
        // Whether or not other relations speak of them.
        if self.facts.wants(R::Variable) {
            (0..self.host.variables.len() as u32).for_each(|index| self.named(VariableId(index)));
        }
        let of_statements =
            [R::Stmt, R::Next, R::Parent, R::Controlled, R::Def, R::Use, R::Mutates, R::MayMutate, R::Context];
        if self.facts.wants_any(&of_statements) {
            self.statements();
        }
        self.source_lines();
        let contexts = self.contexts();
        self.phases(&contexts);
        self.chains();
        self.nesting();
        self.loops();
        self.called_in();
        self.reaching();
        self.aliases(groups);
        self.variation();
        self.expressions();
        self.subscripts(project);
        let on_request = self.speculations();
        if self.facts.wants(R::Flows) {
            self.flows();
        }
        on_request
    }

    /// A function with its name and parameters.
    pub fn named_function(&mut self, id: FunctionId) {
        let (symbol, name) = (self.function(id), self.host.function(id).name.clone());
        if self.facts.wants(Relation::Function) {
            let name = self.facts.symbol(&name);
            self.facts.add(Relation::Function, [symbol.into(), name.into()]);
        }
        if self.facts.wants(Relation::InTests) && self.stands_in_tests(id) {
            self.facts.add(Relation::InTests, [symbol.into()]);
        }
        if self.facts.wants(Relation::Parameter) {
            for (position, parameter) in (0i64..).zip(self.host.function(id).parameters.clone()) {
                let variable = self.variable(parameter);
                self.facts.add(Relation::Parameter, [symbol.into(), position.into(), variable.into()]);
            }
        }
    }

    /// Whether a function stands in a file of tests, as its path says.
    fn stands_in_tests(&self, id: FunctionId) -> bool {
        let place = self.program.corpus.file(self.host.function(id).span.file).map(|file| file.display_path.as_str());
        place.is_some_and(is_of_tests)
    }

    fn statements(&mut self) {
        let host = self.host;
        for (index, node) in host.statements.iter().enumerate() {
            let id = StatementId(index as u32);
            let statement = self.statement(id);
            self.kind(id);
            if let Some((parent, arm)) = node.parent {
                let parent_symbol = self.statement(parent);
                self.facts.add(Relation::Parent, [statement.into(), parent_symbol.into()]);
                if matches!(host.statement(parent).kind, "if" | "try" | "match" | "while" | "for") {
                    let arm = self.facts.symbol(arm.name());
                    self.facts.add(Relation::Controlled, [statement.into(), parent_symbol.into(), arm.into()]);
                }
                if self.facts.wants(Relation::Context) {
                    self.contexts_around(statement, Some(parent));
                }
            }
            for (_, block) in &node.blocks {
                self.sequence(block);
            }
            self.touched(id);
        }
        for function in &host.functions {
            if function.span.end == 0 {
                self.sequence(&function.body);
            }
        }
    }

    pub fn kind(&mut self, id: StatementId) {
        if self.facts.wants(Relation::Stmt) {
            let node = self.host.statement(id);
            let (statement, kind) = (self.statement(id), self.facts.symbol(node.kind));
            let function = self.function(node.function);
            self.facts.add(Relation::Stmt, [statement.into(), kind.into(), function.into()]);
        }
    }

    /// What a statement does to variables.
    pub fn touched(&mut self, id: StatementId) {
        let (node, statement) = (self.host.statement(id), self.statement(id));
        self.variables_of(Relation::Def, statement, &node.definitions);
        if self.facts.wants(Relation::Use) {
            let uses: Vec<VariableId> = self.host.uses_of(id).collect();
            self.variables_of(Relation::Use, statement, &uses);
        }
        self.variables_of(Relation::Mutates, statement, &node.mutations);
        self.variables_of(Relation::MayMutate, statement, &node.passed);
    }

    fn sequence(&mut self, block: &[StatementId]) {
        if !self.facts.wants(Relation::Next) {
            return;
        }
        for pair in block.windows(2) {
            let (first, second) = (self.statement(pair[0]), self.statement(pair[1]));
            self.facts.add(Relation::Next, [first.into(), second.into()]);
        }
    }

    fn variables_of(&mut self, relation: Relation, statement: Symbol, variables: &[VariableId]) {
        if !self.facts.wants(relation) {
            return;
        }
        let unique: BTreeSet<VariableId> = variables.iter().copied().collect();
        for variable in unique {
            let symbol = self.variable(variable);
            self.facts.add(relation, [statement.into(), symbol.into()]);
        }
    }

    /// The `with` statements around a statement, by what they enter.
    fn contexts_around(&mut self, statement: Symbol, mut parent: Option<StatementId>) {
        while let Some(id) = parent {
            let node = self.host.statement(id);
            if node.kind == "with" {
                for expression in self.host.roots_of(id) {
                    let name = self.name_of_context(*expression);
                    let name = self.facts.symbol(&name);
                    self.facts.add(Relation::Context, [statement.into(), name.into()]);
                }
            }
            parent = node.parent.map(|(above, _)| above);
        }
    }

    fn nesting(&mut self) {
        if self.facts.wants(Relation::Within) {
            let parents = self.host.statements.iter().enumerate();
            let edges: Vec<_> = parents.filter_map(|(index, node)| Some([index as u32, node.parent?.0.0])).collect();
            reachability::each(edges.clone(), &edges, |inner, outer| {
                let (inner, outer) = (self.statement(StatementId(inner)), self.statement(StatementId(outer)));
                self.facts.add(Relation::Within, [inner.into(), outer.into()]);
                !self.facts.is_cut(Relation::Within)
            });
        }
        if self.facts.wants(Relation::Inside) {
            let host = self.host;
            for index in 0..host.statements.len() {
                let id = StatementId(index as u32);
                for around in host.loops_of(id) {
                    let (inner, outer) = (self.statement(id), self.statement(around));
                    self.facts.add(Relation::Inside, [inner.into(), outer.into()]);
                }
            }
        }
    }

    fn loops(&mut self) {
        let host = self.host;
        let mut often = FxHashMap::default();
        for (id, kind) in host.loops() {
            let symbol = self.statement(id);
            let word = match kind {
                LoopKind::Range => "range",
                LoopKind::For => "for",
                LoopKind::While => "while",
            };
            let word = self.facts.symbol(word);
            self.facts.add(Relation::Loop, [symbol.into(), word.into()]);
            if let Some(outer) = host.statement(id).inside {
                let outer = self.statement(outer);
                self.facts.add(Relation::LoopParent, [symbol.into(), outer.into()]);
            }
            if kind != LoopKind::While {
                if let Some(iterable) = host.roots_of(id).first() {
                    let iterable = self.expression(*iterable);
                    self.facts.add(Relation::Iterates, [symbol.into(), iterable.into()]);
                }
                self.variables_of(Relation::LoopVariable, symbol, &host.statement(id).definitions);
            }
            if let Some(assumptions) = self.trips(id, symbol) {
                often.insert(id, assumptions);
            }
            self.header_and_rounding(id, symbol);
            let body = host.body_of(id, Some(Arm::Body));
            self.conditional(id, symbol, &body);
            let nodes = || body.iter().map(|inner| host.statement(*inner));
            if nodes().all(|node| matches!(node.kind, "assign" | "update" | "expression" | "pass")) {
                self.facts.add(Relation::StraightLine, [symbol.into()]);
            }
            if nodes().any(|node| node.leaves) {
                self.facts.add(Relation::LeavesEarly, [symbol.into()]);
            }
            if nodes().any(|node| node.trains) {
                self.facts.add(Relation::Trains, [symbol.into()]);
            }
        }
        self.hot(&often);
    }

    /// S6: a loop whose number of iterations is not known runs often. The assumptions under which this one does, if it may.
    fn trips(&mut self, id: StatementId, symbol: Symbol) -> Option<Vec<u32>> {
        let span = self.host.statement(id).span;
        let record = self.program.trace.loops.get(&span);
        if record.is_some_and(|record| record.over_batches) {
            self.facts.add(Relation::OverBatches, [symbol.into()]);
        }
        let trips = record.and_then(|record| record.trips);
        let defaults = trips.map(|_| self.defaults_of(id)).unwrap_or_default();
        if let Some(trips) = trips {
            self.facts.add_assuming(Relation::TripCount, [symbol.into(), trips.into()], &defaults);
        }
        self.default_trips(span, symbol, trips.zip(Some(&defaults)));
        if self.leaves_at_once(id) || trips.is_some_and(|trips| trips <= FEW_TRIPS) {
            return None;
        }
        if !self.facts.wants_any(&[Relation::RunsOften, Relation::Hot]) {
            return None;
        }
        let assumptions = match trips {
            Some(_) => defaults,
            None => vec![self.facts.assume(FactAssumption {
                kind: AssumptionKind::TripCount.as_str().to_owned(),
                subject: header(self.program, span),
                text: words::trip_count_often(FEW_TRIPS),
                evidence: "the number of its iterations is not known".to_owned(),
                span: Some(span),
            })],
        };
        self.facts.add_assuming(Relation::RunsOften, [symbol.into()], &assumptions);
        Some(assumptions)
    }

    /// The number of iterations at the defaults of what is configured; a known one is the same there.
    fn default_trips(&mut self, span: Span, symbol: Symbol, known: Option<(i64, &Vec<u32>)>) {
        if !self.facts.wants(Relation::DefaultTrips) {
            return;
        }
        if let Some((count, grounds)) = known {
            self.facts.add_assuming(Relation::DefaultTrips, [symbol.into(), count.into()], grounds);
        } else if let Some((count, ground)) = self.program.trace.loops_at_defaults.get(&span) {
            let grounds = self.program.trace.sites.assumed(*ground);
            self.facts.add_assuming(Relation::DefaultTrips, [symbol.into(), (*count).into()], &grounds);
        }
    }

    /// The defaults of a function that nobody calls on which the number of iterations rests, as far as the head of the loop tells.
    pub fn defaults_of(&self, id: StatementId) -> Vec<u32> {
        self.defaults.of_variables(self.host, self.host.uses_of(id))
    }

    /// Whether the first iteration always is the last one.
    fn leaves_at_once(&self, id: StatementId) -> bool {
        let blocks = self.host.statement(id).blocks.iter().filter(|(arm, _)| *arm == Arm::Body);
        let mut direct = blocks.flat_map(|(_, block)| block);
        direct.any(|inner| matches!(self.host.statement(*inner).kind, "return" | "break" | "raise"))
    }

    /// Statements of the loop that stand in a branch.
    fn conditional(&mut self, id: StatementId, symbol: Symbol, body: &[StatementId]) {
        if !self.facts.wants(Relation::Conditional) {
            return;
        }
        for inner in body {
            let mut above = self.host.statement(*inner).parent;
            while let Some((parent, arm)) = above.filter(|(parent, _)| *parent != id) {
                let node = self.host.statement(parent);
                if matches!(node.kind, "if" | "match" | "while") || arm == Arm::Handler {
                    let inner = self.statement(*inner);
                    self.facts.add(Relation::Conditional, [inner.into(), symbol.into()]);
                    break;
                }
                above = node.parent;
            }
        }
    }

    /// S10: sums and products may be regrouped.
    fn header_and_rounding(&mut self, id: StatementId, symbol: Symbol) {
        let span = self.host.statement(id).span;
        if self.facts.wants(Relation::Header) {
            let code = self.facts.symbol(&header(self.program, span));
            self.facts.add(Relation::Header, [symbol.into(), code.into()]);
        }
        if self.facts.wants(Relation::Reassociable) {
            let assumption = self.facts.assume(FactAssumption {
                kind: AssumptionKind::ReAssociation.as_str().to_owned(),
                subject: header(self.program, span),
                text: words::re_association_rounding(),
                evidence: "floating-point sums and products are not associative".to_owned(),
                span: Some(span),
            });
            self.facts.add_assuming(Relation::Reassociable, [symbol.into()], &[assumption]);
        }
    }

    fn called_in(&mut self) {
        if !self.facts.wants(Relation::CalledIn) {
            return;
        }
        let (mut edges, mut starts) = (Vec::new(), Vec::new());
        for call in &self.host.calls {
            for callee in call.callees.iter().filter_map(|span| self.host.function_of_span.get(span)) {
                edges.push([self.host.statement(call.statement).function.0, callee.0]);
                let around = self.host.loops_of(call.statement);
                starts.extend(around.map(|id| [id.0, callee.0]));
            }
        }
        reachability::each(starts, &edges, |from, function| {
            let (function, from) = (self.function(FunctionId(function)), self.statement(StatementId(from)));
            self.facts.add(Relation::CalledIn, [function.into(), from.into()]);
            !self.facts.is_cut(Relation::CalledIn)
        });
    }

    fn reaching(&mut self) {
        if !self.facts.wants_any(&[Relation::Reaching, Relation::Carried]) {
            return;
        }
        for function in &self.host.functions {
            for reach in reaching_definitions::analyse(self.host, &function.body) {
                let (from, to) = (self.statement(reach.definition), self.statement(reach.user));
                let variable = self.variable(reach.variable);
                match reach.carried {
                    Some(around) => {
                        let around = self.statement(around);
                        let row = [from.into(), to.into(), variable.into(), around.into()];
                        self.facts.add(Relation::Carried, row);
                    }
                    None => self.facts.add(Relation::Reaching, [from.into(), to.into(), variable.into()]),
                }
            }
        }
    }

    fn aliases(&mut self, groups: &AliasGroups) {
        if self.facts.wants(Relation::AliasOf) {
            (0..self.host.variables.len()).for_each(|index| self.alias_of(VariableId(index as u32), groups));
        }
        if !self.facts.wants(Relation::Alias) {
            return;
        }
        for index in 0..self.host.variables.len() {
            let id = VariableId(index as u32);
            for other in groups.members(&id) {
                if self.facts.is_cut(Relation::Alias) {
                    return;
                }
                if *other != id {
                    let (left, right) = (self.variable(id), self.variable(*other));
                    self.facts.add(Relation::Alias, [left.into(), right.into()]);
                }
            }
        }
    }

    pub fn alias_of(&mut self, id: VariableId, groups: &AliasGroups) {
        if let [first, _, ..] = groups.members(&id) {
            let (variable, first) = (self.variable(id), self.variable(*first));
            self.facts.add(Relation::AliasOf, [variable.into(), first.into()]);
        }
    }

    /// A variable with its name.
    pub fn named(&mut self, id: VariableId) {
        let (symbol, name) = self.new_variable(id);
        let name = self.facts.symbol(&name);
        self.facts.add(Relation::Variable, [symbol.into(), name.into()]);
    }

    fn variation(&mut self) {
        let variation = self.variation;
        if self.facts.wants(Relation::MutatedIn) {
            for variable in variation.changed() {
                variation.changed_in(variable).for_each(|around| self.mutated_in(variable, around));
            }
        }
        if self.facts.wants(Relation::VariesUse) {
            let mut rows: Vec<_> = variation.uses.iter().copied().collect();
            rows.sort_unstable();
            for (user, variable, around) in rows {
                let (user, variable, around) = (self.statement(user), self.variable(variable), self.statement(around));
                self.facts.add(Relation::VariesUse, [user.into(), variable.into(), around.into()]);
            }
        }
        if self.facts.wants(Relation::Varies) {
            let mut rows: Vec<_> = variation.statements.iter().copied().collect();
            rows.sort_unstable();
            for (statement, around) in rows {
                let (statement, around) = (self.statement(statement), self.statement(around));
                self.facts.add(Relation::Varies, [statement.into(), around.into()]);
            }
        }
    }

    pub fn mutated_in(&mut self, variable: VariableId, around: StatementId) {
        let (variable, around) = (self.variable(variable), self.statement(around));
        self.facts.add(Relation::MutatedIn, [variable.into(), around.into()]);
    }

    fn flows(&mut self) {
        for function in &self.host.functions {
            let reaches = reaching_definitions::analyse(self.host, &function.body);
            let edges: Vec<_> = reaches.iter().map(|reach| [reach.definition.0, reach.user.0]).collect();
            reachability::each(edges.clone(), &edges, |from, to| {
                let (from, to) = (self.statement(StatementId(from)), self.statement(StatementId(to)));
                self.facts.add(Relation::Flows, [from.into(), to.into()]);
                !self.facts.is_cut(Relation::Flows)
            });
        }
    }
}

/// The source text of a place.
pub fn source(program: Program<'_>, span: Span) -> &str {
    program.corpus.file(span.file).map_or("", |file| file.slice(span.start..span.end))
}

/// The first line of a compound statement, without comment and colon.
pub fn header(program: Program<'_>, span: Span) -> String {
    let line = source(program, span).lines().next().unwrap_or("");
    without_comment(line).trim_end().trim_end_matches(':').to_owned()
}

/// A line up to the `#` that stands in no string.
pub fn without_comment(line: &str) -> &str {
    let (mut quote, mut escaped) = (None, false);
    for (at, character) in line.char_indices() {
        match (quote, character) {
            _ if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(open), _) if open == character => quote = None,
            (None, '"' | '\'') => quote = Some(character),
            (None, '#') => return &line[..at],
            _ => {}
        }
    }
    line
}

/// Whether a path is that of a file of tests.
fn is_of_tests(path: &str) -> bool {
    let mut parts = path.rsplit('/');
    let file = parts.next().unwrap_or_default();
    let stem = file.strip_suffix(".py").unwrap_or(file);
    parts.any(|folder| matches!(folder, "test" | "tests" | "testing"))
        || stem.starts_with("test_")
        || stem.ends_with("_test")
        || stem == "conftest"
}
