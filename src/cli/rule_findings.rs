//! Runs the rules over the facts of an analysis and turns their rows into findings.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use harp_corpus::{Corpus, Span};
use harp_datalog::{
    self, AssumptionSets, Database, Evaluation, FindingRow, Functors, Limits, Metadata, Program, Standing, Supplier,
    Value, Values,
};
use harp_graph::{self, Facts, Graph, Relation, Rows, Schema, Symbol, Wanted};
use harp_report::{Assumption, Finding, Label, Selection, UserError};
use harp_trace::Trace;
use harp_trace::answers::{Asked, Reply};
use harp_trace::assumption::AssumptionKind;

use crate::defects::Defects;
use crate::external_facts::Table;
use crate::functors::ShapeFunctors;
use crate::packs;
use crate::path_explanations;
use crate::rewrites;
use crate::savings::{Saved, Savings};
use crate::trace_findings;

/// The relations that the rules read.
pub fn wanted(program: &Program<'_>) -> Wanted {
    let names: BTreeSet<&str> = program.inputs_read().into_iter().collect();
    Wanted::Only(Relation::ALL.iter().copied().filter(|relation| names.contains(relation.name())).collect())
}

/// Evaluates rules over a program's relations, all of which are made, and the rows of the user.
pub fn evaluate<'p>(rules: &'p Program<'_>, facts: &Facts, external: &[Table]) -> Evaluation<'p> {
    let mut database = Database::new();
    fill_external(&mut database, external);
    let mut cells = Cells::default();
    Relation::ALL.iter().for_each(|relation| cells.fill(&mut database, *relation, facts.rows(*relation), facts));
    rules.evaluate(database, &Limits::default())
}

/// The bytes of a symbol's text, roughly.
const TYPICAL_TEXT: usize = 48;

/// The same where relations are made as far as rules need them. Other questions than for findings would miss rows.
pub fn evaluate_on_request<'p>(
    rules: &'p Program<'_>,
    graph: &mut Graph<'_>,
    external: &[Table],
    selection: &Selection,
) -> Evaluation<'p> {
    let mut database = Database::new();
    fill_external(&mut database, external);
    let symbols = graph.facts().symbol_count();
    database.values_mut().reserve(symbols, symbols * TYPICAL_TEXT);
    let mut cells = Cells::default();
    for relation in Relation::ALL {
        let rows = graph.facts_mut().take(*relation);
        cells.fill(&mut database, *relation, &rows, graph.facts());
    }
    let mut requests = Requests { graph, cells };
    let is_asked = |metadata: &Metadata| packs::is_told(metadata, selection);
    rules.evaluate_with(database, Some(&mut requests), &is_asked, &Limits::default())
}

fn fill_external(database: &mut Database, external: &[Table]) {
    let mut cells = Vec::new();
    for table in external {
        for row in &table.rows {
            cells.clear();
            cells.extend(row.iter().map(|value| match value {
                Value::Symbol(text) => database.symbol(text),
                Value::Number(number) => database.number(*number),
            }));
            database.insert(&table.relation, &cells, &[]);
        }
    }
}

/// The rule engine's cells of symbols that it has, and the symbols of these cells.
#[derive(Default)]
struct Cells {
    of_symbols: Vec<Option<harp_datalog::Cell>>,
    symbols: FxHashMap<harp_datalog::Cell, Symbol>,
    /// A symbol's text that is being handed over.
    scratch: String,
}

impl Cells {
    fn fill(&mut self, database: &mut Database, relation: Relation, rows: &Rows, facts: &Facts) {
        let mut row = Vec::new();
        for (cells, assumptions) in rows.iter() {
            self.convert(relation, cells, facts, database.values_mut(), &mut row);
            database.insert(relation.name(), &row, assumptions);
        }
    }

    fn convert(
        &mut self,
        relation: Relation,
        cells: &[harp_graph::Cell],
        facts: &Facts,
        values: &mut Values,
        row: &mut Vec<harp_datalog::Cell>,
    ) {
        row.clear();
        for (cell, column) in cells.iter().zip(&Schema::get().relation(relation).columns) {
            let is_number = column.is_number();
            row.push(if is_number { values.number(cell.number()) } else { self.symbol(cell.symbol(), facts, values) });
        }
    }

    fn symbol(&mut self, symbol: Symbol, facts: &Facts, values: &mut Values) -> harp_datalog::Cell {
        if self.of_symbols.len() <= symbol.index() {
            self.of_symbols.resize(facts.symbol_count().max(symbol.index() + 1), None);
        }
        let Cells { of_symbols, symbols, scratch } = self;
        *of_symbols[symbol.index()].get_or_insert_with(|| {
            scratch.clear();
            facts.write_text(symbol, scratch);
            let cell = values.symbol(scratch);
            symbols.insert(cell, symbol);
            cell
        })
    }

    /// The symbol of a cell, which may be of a text that a rule made.
    fn symbol_of(&self, cell: harp_datalog::Cell, facts: &mut Facts, values: &Values) -> Symbol {
        self.symbols.get(&cell).copied().unwrap_or_else(|| facts.symbol(values.text(cell)))
    }
}

/// A graph that makes rows for rules.
struct Requests<'g, 'a> {
    graph: &'g mut Graph<'a>,
    cells: Cells,
}

impl Supplier for Requests<'_, '_> {
    fn columns(&self, relation: &str) -> Option<&'static [usize]> {
        self.graph.columns(*Relation::ALL.iter().find(|known| known.name() == relation)?)
    }

    fn has_texts(&self, relation: &str, column: usize) -> bool {
        Relation::ALL.iter().any(|known| known.name() == relation && Graph::has_texts(*known, column))
    }

    fn texts(&mut self, relation: &str, column: usize, values: &mut Values) -> Option<Vec<harp_datalog::Cell>> {
        let relation = Relation::ALL.iter().copied().find(|known| known.name() == relation)?;
        let symbols = self.graph.texts(relation, column)?;
        let facts = self.graph.facts();
        Some(symbols.into_iter().map(|symbol| self.cells.symbol(symbol, facts, values)).collect())
    }

    fn supply(
        &mut self,
        relation: &str,
        only: Option<(usize, &[harp_datalog::Cell])>,
        values: &mut Values,
        add: &mut dyn FnMut(&[harp_datalog::Cell], &[u32]),
    ) {
        let Some(relation) = Relation::ALL.iter().copied().find(|known| known.name() == relation) else { return };
        let symbols = only.map(|(column, cells)| {
            let facts = self.graph.facts_mut();
            let symbols = cells.iter().map(|cell| self.cells.symbol_of(*cell, facts, values));
            (column, symbols.collect::<Vec<Symbol>>())
        });
        let rows = self.graph.rows(relation, symbols.as_ref().map(|(column, symbols)| (*column, &symbols[..])));
        let mut row = Vec::new();
        for (cells, assumptions) in rows.iter() {
            self.cells.convert(relation, cells, self.graph.facts(), values, &mut row);
            add(&row, assumptions);
        }
    }
}

/// The functors that rules have beyond those of the language.
pub fn functors() -> impl Functors {
    ShapeFunctors::default()
}

/// The findings of the rules with their rows. Without `tells_savings` only those savings are counted on which it depends whether a finding is told.
pub fn findings(
    evaluation: &Evaluation<'_>,
    facts: &Facts,
    program: harp_graph::Program<'_>,
    tells_savings: bool,
    defects: &mut Defects,
) -> Vec<(Finding, FindingRow)> {
    let harp_graph::Program { trace, corpus, .. } = program;
    let savings = Savings::new(program, facts, evaluation);
    let has_routes = path_explanations::are_kept(trace);
    let rows = evaluation.findings().into_iter();
    let told = |row: FindingRow| {
        let make = || {
            let mut finding = finding(evaluation, &row, facts, trace, corpus, has_routes)?;
            if !row.saves.is_empty() && (tells_savings || !row.floor.is_empty()) {
                let Saved { saving, is_below_floor } = savings.of(&row);
                finding.saving = saving.filter(|_| !is_below_floor).map(Box::new);
                return (!is_below_floor).then_some(finding);
            }
            Some(finding)
        };
        Some((defects.contain("finding of", &row.rule_id, make)??, row))
    };
    rows.filter_map(told).collect()
}

/// What the evaluation says of the rules themselves: that one was stopped, that a relation is not complete.
pub fn warnings(evaluation: &Evaluation<'_>) -> Vec<UserError> {
    let sources = evaluation.program().sources();
    evaluation.warnings.iter().map(|warning| packs::user_error(warning, sources)).collect()
}

/// A rule's row as a finding. A row without a place has nowhere to be shown.
fn finding(
    evaluation: &Evaluation<'_>,
    row: &FindingRow,
    facts: &Facts,
    trace: &Trace,
    corpus: &Corpus,
    has_routes: bool,
) -> Option<Finding> {
    let place = |text: &str| facts.place(facts.find(text)?);
    let span = place(row.at.as_deref()?)?;
    let severity = packs::severity(row.severity);
    let mut finding = Finding::new(&row.rule_id, severity, &row.message, Label::new(span, ""));
    for (text, label) in &row.related {
        if let Some(span) = place(text) {
            finding.labels.push(Label::new(first_line(span, corpus), label));
        }
    }
    finding.help.clone_from(&row.help);
    finding.kind = packs::kind(evaluation.program(), row.relation);
    finding.suggestion = row.fix.as_ref().map(|fix| fix.replace("\\n", "\n"));
    let numbers = requirements(evaluation, row, facts);
    let described: Vec<_> = numbers.iter().filter_map(|number| trace.issues.get(*number)).collect();
    for issue in &described {
        trace_findings::describe(issue, trace, &mut finding);
    }
    if has_routes {
        path_explanations::describe(described.first().copied(), trace, corpus, &mut finding);
    }
    finding.assumptions = assumptions(evaluation, row, facts, trace, corpus)?;
    if !row.edits.is_empty() {
        // What is not an edit that can be made is not shown as one.
        finding.suggestion = None;
        if let Some(placed) = rewrites::placing::place(&row.edits, place, corpus) {
            rewrites::attach(&mut finding, row, placed);
        }
    }
    Some(finding)
}

/// The header of a compound statement; other places are mostly on one line.
fn first_line(span: Span, corpus: &Corpus) -> Span {
    let text = corpus.file(span.file).map_or("", |file| file.slice(span.start..span.end));
    match text.find('\n') {
        Some(length) => Span { end: span.start + text[..length].trim_end().len() as u32, ..span },
        None => span,
    }
}

/// The requirements among a row's columns, by their numbers in the trace.
pub(crate) fn requirements(evaluation: &Evaluation<'_>, row: &FindingRow, facts: &Facts) -> Vec<usize> {
    let types = evaluation.program().column_types(row.relation);
    let values = evaluation.row(row.relation, row.row);
    let of_requirement = types.zip(&values).filter(|(type_name, _)| *type_name == "Requirement");
    let symbols = of_requirement.filter_map(|(_, value)| facts.find(&value.to_string()));
    symbols.filter_map(|symbol: Symbol| facts.requirements.get(&symbol).copied()).collect()
}

/// The first of the smallest sets of assumptions that are enough for the row, under what users say of them. `None` where the row rests on
/// what they deny.
fn assumptions(
    evaluation: &Evaluation<'_>,
    row: &FindingRow,
    facts: &Facts,
    trace: &Trace,
    corpus: &Corpus,
) -> Option<Vec<Assumption>> {
    let sets = evaluation.assumptions(row.relation, row.row);
    let sets = settled(&sets, facts, trace, corpus)?;
    sets.sets.first().map(|set| stated_all(set, facts, corpus))
}

/// What the sets are under what users say of assumptions; `None` where all of them are denied.
pub fn settled(sets: &AssumptionSets, facts: &Facts, trace: &Trace, corpus: &Corpus) -> Option<AssumptionSets> {
    sets.settled(|assumption| standing(assumption, facts, trace, corpus))
}

/// A set of assumptions in words.
pub fn stated_all(set: &[harp_datalog::Assumption], facts: &Facts, corpus: &Corpus) -> Vec<Assumption> {
    let mut assumptions: Vec<Assumption> = set.iter().map(|assumption| stated(assumption, facts, corpus)).collect();
    assumptions.sort();
    assumptions.dedup();
    assumptions
}

/// What users say of an assumption. The facts were made under their replies to given ones.
pub fn standing(assumption: &harp_datalog::Assumption, facts: &Facts, trace: &Trace, corpus: &Corpus) -> Standing {
    let harp_datalog::Assumption::Absent { relation, row } = assumption else { return Standing::Open };
    let Assumption { kind, subject, text, span, evidence, .. } = absent(relation, row, facts, corpus);
    match trace.answers.reply(&Asked { span, kind, subject, text, evidence }, corpus) {
        None => Standing::Open,
        Some(Reply::Confirmed) => Standing::Holds,
        Some(Reply::Denied) => Standing::Fails,
    }
}

fn stated(assumption: &harp_datalog::Assumption, facts: &Facts, corpus: &Corpus) -> Assumption {
    match assumption {
        harp_datalog::Assumption::Given(id) => given(*id, facts),
        harp_datalog::Assumption::Absent { relation, row } => absent(relation, row, facts, corpus),
    }
}

/// What is assumed where an open relation has no such row, in the words of the schema.
fn absent(relation: &str, row: &[Option<Value>], facts: &Facts, corpus: &Corpus) -> Assumption {
    let schema = Schema::get().relations.iter().find(|known| known.name == relation);
    let values: Vec<String> =
        row.iter().map(|value| value.as_ref().map_or("_".to_owned(), ToString::to_string)).collect();
    let places = values.iter().map(|value| facts.find(value).and_then(|symbol| facts.place(symbol)));
    let places: Vec<Option<Span>> = places.collect();
    let shown = |index: usize| match places[index].and_then(|span| Some((span, corpus.file(span.file)?))) {
        Some((span, file)) => file.slice(span.start..span.end).lines().next().unwrap_or("").to_owned(),
        None => values[index].rsplit(':').next().unwrap_or("").to_owned(),
    };
    let sentence = schema.and_then(|schema| schema.absence.as_ref().map(|sentence| (schema, sentence)));
    let text = match sentence {
        Some((schema, sentence)) => {
            let columns = schema.columns.iter().enumerate().take(values.len());
            columns.fold(sentence.clone(), |text, (index, column)| {
                text.replace(&format!("{{{}}}", column.name), &shown(index))
            })
        }
        None => format!("`{relation}({})` does not hold in code that was not resolved", values.join(", ")),
    };
    Assumption {
        id: u32::MAX,
        kind: AssumptionKind::NoHiddenChange.as_str().to_owned(),
        class: AssumptionKind::NoHiddenChange.pattern().class,
        subject: if values.is_empty() { relation.to_owned() } else { shown(0) },
        text,
        span: places.first().copied().flatten(),
        evidence: "no code that was resolved does so".to_owned(),
    }
}

/// An assumption of the facts, by its number.
pub fn given(id: u32, facts: &Facts) -> Assumption {
    match facts.assumption(id) {
        Some(known) => Assumption {
            id,
            class: AssumptionKind::class_of(&known.kind),
            kind: known.kind.clone(),
            subject: known.subject.clone(),
            text: known.text.clone(),
            span: known.span,
            evidence: known.evidence.clone(),
        },
        None => Assumption {
            id,
            kind: String::new(),
            class: None,
            subject: String::new(),
            text: format!("assumption {id}"),
            span: None,
            evidence: String::new(),
        },
    }
}
