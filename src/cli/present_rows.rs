//! Writes rows for `harp query` and `harp explain`: a place comes with its line and its source text.

use serde_json::{Value as Json, json};

use harp_corpus::{Corpus, FileId, Span};
use harp_datalog::{AssumptionSets, ColumnDescription, Evaluation, Program, RelationId, Value};
use harp_graph::Facts;
use harp_limits::tick;
use harp_report::{Assumption, Sources, terminal_escape};
use harp_trace::Trace;

use crate::rule_findings;

/// Source text beside a place is cut behind so many characters, other texts as well.
const WIDEST: usize = 60;

/// The type of the schema that all places have.
const PLACE: &str = "Place";
/// That of variables, whose symbols are the place of their function, `:`, and their name.
const VARIABLE: &str = "Variable";

/// So many rows are sorted at once, where few of them are shown.
const FEW: usize = 1000;

/// What rows are sorted by: places by file and offset.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Key<'a> {
    Place(&'a str, u32, u32),
    Number(i64),
    Text(String),
}

/// Knows what the symbols of an analysis stand for.
#[derive(Clone, Copy)]
pub struct Presenter<'a> {
    pub corpus: &'a Corpus,
    pub facts: &'a Facts,
    pub trace: &'a Trace,
    /// Places in this file are written without its name.
    pub home: Option<FileId>,
}

impl Presenter<'_> {
    /// The numbers of the first rows of a relation, at most `limit`, in the order of their columns.
    pub fn sorted(&self, evaluation: &Evaluation<'_>, relation: RelationId, limit: usize) -> Vec<usize> {
        let columns = evaluation.program().describe(relation).columns;
        let mut rows: Vec<(Vec<Key<'_>>, usize)> = Vec::new();
        for row in 0..evaluation.row_count(relation) {
            tick();
            // There may be millions, of which few are shown.
            if rows.len() >= limit.saturating_mul(2).max(FEW) {
                rows.sort();
                rows.truncate(limit);
            }
            let values = evaluation.row(relation, row);
            rows.push((columns.iter().zip(values).map(|(column, value)| self.key(column, value)).collect(), row));
        }
        rows.sort();
        rows.truncate(limit);
        rows.into_iter().map(|(_, row)| row).collect()
    }

    fn key(&self, column: &ColumnDescription, value: Value) -> Key<'_> {
        match (self.span(column, &value), value) {
            (Some(span), _) => {
                let file = self.corpus.file(span.file).map_or("", |file| &file.display_path);
                Key::Place(file, span.start, span.end)
            }
            (None, Value::Number(number)) => Key::Number(number),
            (None, Value::Symbol(text)) => Key::Text(text),
        }
    }

    /// The place that a value names, where its column holds places.
    pub fn span(&self, column: &ColumnDescription, value: &Value) -> Option<Span> {
        let Value::Symbol(text) = value else { return None };
        if !column.lineage.iter().any(|name| name == PLACE) {
            return None;
        }
        self.facts.place(self.facts.find(text)?)
    }

    /// The name of the variable that a value stands for, where its column holds variables.
    fn variable<'v>(&self, column: &ColumnDescription, value: &'v Value) -> Option<&'v str> {
        let Value::Symbol(text) = value else { return None };
        if !column.lineage.iter().any(|name| name == VARIABLE) {
            return None;
        }
        Some(text.rsplit_once(':')?.1)
    }

    /// A value in a table, as the relations have it: a place with its source text behind it, a variable with its name.
    pub fn cell(&self, column: &ColumnDescription, value: &Value) -> String {
        let text = value.to_string();
        if let Some(name) = self.variable(column, value) {
            return format!("{} `{}`", cut(&terminal_escape::line(&text)), cut(&terminal_escape::line(name)));
        }
        match self.span(column, value).map(|span| self.excerpt(span)) {
            Some(source) if !source.is_empty() => format!("{} `{source}`", terminal_escape::line(&text)),
            Some(_) => terminal_escape::line(&text),
            None => cut(&terminal_escape::line(&text)),
        }
    }

    /// A value in an explanation, which nobody asks with again: a variable is its name, and a place is without the number that tells
    /// requirements of one expression apart.
    pub fn short(&self, column: &ColumnDescription, value: &Value) -> String {
        let Value::Symbol(text) = value else { return value.to_string() };
        if let Some(name) = self.variable(column, value) {
            return format!("`{}`", cut(&terminal_escape::line(name)));
        }
        match self.span(column, value) {
            Some(span) => self.place(text, span),
            None => format!("\"{}\"", cut(&terminal_escape::line(text))),
        }
    }

    fn place(&self, text: &str, span: Span) -> String {
        let home = self.home.and_then(|file| self.corpus.file(file));
        let within = home.and_then(|file| text.strip_prefix(&file.display_path)?.strip_prefix(':'));
        let shown = within.unwrap_or(text);
        let shown = match shown.rsplit_once('!') {
            Some((place, number)) if number.bytes().all(|byte| byte.is_ascii_digit()) => place,
            _ => shown,
        };
        let source = self.excerpt(span);
        match source.is_empty() {
            true => terminal_escape::line(shown),
            false => format!("{} `{source}`", terminal_escape::line(shown)),
        }
    }

    /// A row as it is written in rules: `inside(a.py:3:5 "x = 1", …)`. `None` stands for any value.
    pub fn row(&self, program: &Program<'_>, relation: RelationId, row: &[Option<Value>]) -> String {
        let description = program.describe(relation);
        let values = description.columns.iter().zip(row).map(|(column, value)| match value {
            None => "_".to_owned(),
            Some(value) => self.short(column, value),
        });
        format!("{}({})", description.name, values.collect::<Vec<_>>().join(", "))
    }

    /// The variables of a literal with their values. They may be places or variables of the program; their columns are not known.
    pub fn bindings(&self, values: &[(String, Value)]) -> String {
        let shown = values.iter().map(|(name, value)| match value {
            Value::Number(number) => format!("{name} = {number}"),
            Value::Symbol(text) => match (self.named_place(text), self.named_variable(text)) {
                (Some(span), _) => format!("{name} = {}", self.place(text, span)),
                (None, Some(variable)) => format!("{name} = `{}`", cut(&terminal_escape::line(variable))),
                (None, None) => format!("{name} = \"{}\"", cut(&terminal_escape::line(text))),
            },
        });
        shown.collect::<Vec<_>>().join(", ")
    }

    fn named_place(&self, text: &str) -> Option<Span> {
        self.facts.place(self.facts.find(text)?)
    }

    /// The name of a variable, where the text is the place of a function and a name.
    fn named_variable<'t>(&self, text: &'t str) -> Option<&'t str> {
        let (function, name) = text.rsplit_once(':')?;
        let is_name = name.starts_with(|first: char| first == '_' || first.is_alphabetic());
        (is_name && self.named_place(function).is_some()).then_some(name)
    }

    /// The first line of a place's source text, cut. A whole file has none.
    pub fn excerpt(&self, span: Span) -> String {
        let Some(file) = self.corpus.file(span.file) else { return String::new() };
        let line = file.slice(span.start..span.end).lines().next().unwrap_or("");
        // Escapes make a text longer; a line of a megabyte is not escaped as a whole.
        let start: String = line.chars().take(4 * WIDEST).collect();
        cut(&terminal_escape::line(&start.split_whitespace().collect::<Vec<_>>().join(" ")))
    }

    /// A value for programs: places have their file, line and source.
    pub fn json(&self, column: &ColumnDescription, value: &Value) -> Json {
        match (self.span(column, value), value) {
            (Some(span), _) => {
                let mut place = place_json(self.corpus, span);
                place["symbol"] = json!(value.to_string());
                if let Some(file) = self.corpus.file(span.file) {
                    let line = file.slice(span.start..span.end).lines().next().unwrap_or("");
                    place["source"] = json!(line.chars().take(4 * WIDEST).collect::<String>());
                }
                place
            }
            (None, Value::Number(number)) => json!(number),
            (None, Value::Symbol(text)) => json!(text),
        }
    }

    /// What a row rests on under the user's answers; `None` where it rests on what they deny.
    pub fn settled(&self, sets: &AssumptionSets) -> Option<AssumptionSets> {
        rule_findings::settled(sets, self.facts, self.trace, self.corpus)
    }

    /// The alternatives of assumptions that a row rests on, in words.
    pub fn assumptions(&self, sets: &AssumptionSets) -> Vec<Vec<Assumption>> {
        sets.sets.iter().map(|set| rule_findings::stated_all(set, self.facts, self.corpus)).collect()
    }

    /// The same for programs, as in the report's JSON.
    pub fn assumptions_json(&self, sets: &AssumptionSets) -> Json {
        let assumption = |it: &Assumption| {
            let place = it.span.map(|span| place_json(self.corpus, span));
            json!({"kind": it.kind, "class": it.class, "subject": it.subject, "text": it.text, "evidence": it.evidence, "place": place})
        };
        let alternatives = self.assumptions(sets);
        let alternatives: Vec<Vec<Json>> =
            alternatives.iter().map(|set| set.iter().map(assumption).collect()).collect();
        json!({"sets": alternatives, "truncated": sets.truncated})
    }
}

/// A place in the form of the report's JSON.
pub fn place_json(sources: &dyn Sources, span: Span) -> Json {
    let position = |offset: u32| {
        let position = sources.position(span.file, offset);
        let mut shown = json!({"line": position.line, "column": position.column});
        if let Some(cell) = position.cell {
            shown["cell"] = json!(cell);
        }
        shown
    };
    json!({"file": sources.name(span.file), "start": position(span.start), "end": position(span.end)})
}

/// A text of at most [`WIDEST`] characters.
fn cut(text: &str) -> String {
    match text.char_indices().nth(WIDEST) {
        None => text.to_owned(),
        Some(_) => text.chars().take(WIDEST - 1).chain(['…']).collect(),
    }
}
