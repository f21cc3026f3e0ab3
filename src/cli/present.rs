//! Values of rows, for people and for programs: a place comes with its line and its source text.

use serde_json::{Value as Json, json};

use crate::corpus::{Corpus, FileId, Span};
use crate::datalog::{AssumptionSets, ColumnDescription, Program, RelationId, Value};
use crate::graph::Facts;
use crate::interp::trace::Trace;
use crate::report::{Assumption, Sources, escape};

use super::rules;

/// Source text beside a place is cut behind so many characters, other texts as well.
const WIDEST: usize = 60;

/// The type of the schema that all places have.
const PLACE: &str = "Place";

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
    /// The place that a value names, where its column holds places.
    pub fn span(&self, column: &ColumnDescription, value: &Value) -> Option<Span> {
        let Value::Symbol(text) = value else { return None };
        if !column.lineage.iter().any(|name| name == PLACE) {
            return None;
        }
        self.facts.place(self.facts.find(text)?)
    }

    /// A value in a table: a place with its source text, a text or number as it is.
    pub fn cell(&self, column: &ColumnDescription, value: &Value) -> String {
        match self.span(column, value).map(|span| self.excerpt(span)) {
            Some(source) if !source.is_empty() => format!("{} `{source}`", self.symbol(&value.to_string())),
            Some(_) => self.symbol(&value.to_string()),
            None => cut(&escape::line(&value.to_string())),
        }
    }

    /// The text of a place.
    fn symbol(&self, text: &str) -> String {
        let home = self.home.and_then(|file| self.corpus.file(file));
        let within = home.and_then(|file| text.strip_prefix(&file.display_path)?.strip_prefix(':'));
        escape::line(within.unwrap_or(text))
    }

    /// A row as it is written in rules: `inside(a.py:3:5 "x = 1", …)`. `None` stands for any value.
    pub fn row(&self, program: &Program<'_>, relation: RelationId, row: &[Option<Value>]) -> String {
        let description = program.describe(relation);
        let values = description.columns.iter().zip(row).map(|(column, value)| match value {
            None => "_".to_owned(),
            Some(Value::Symbol(text)) if self.span(column, &Value::Symbol(text.clone())).is_none() => {
                format!("\"{}\"", cut(&escape::line(text)))
            }
            Some(value) => self.cell(column, value),
        });
        format!("{}({})", description.name, values.collect::<Vec<_>>().join(", "))
    }

    /// The variables of a literal with their values. They may be places; their columns are not known.
    pub fn bindings(&self, values: &[(String, Value)]) -> String {
        let shown = values.iter().map(|(name, value)| {
            let span = match value {
                Value::Symbol(text) => self.facts.find(text).and_then(|symbol| self.facts.place(symbol)),
                Value::Number(_) => None,
            };
            let text = cut(&escape::line(&value.to_string()));
            match (span.map(|span| self.excerpt(span)), value) {
                (Some(source), Value::Symbol(text)) if !source.is_empty() => {
                    format!("{name} = {} `{source}`", self.symbol(text))
                }
                (None, Value::Symbol(_)) => format!("{name} = \"{text}\""),
                _ => format!("{name} = {text}"),
            }
        });
        shown.collect::<Vec<_>>().join(", ")
    }

    /// The first line of a place's source text, cut. A whole file has none.
    pub fn excerpt(&self, span: Span) -> String {
        let Some(file) = self.corpus.file(span.file) else { return String::new() };
        let line = file.slice(span.start..span.end).lines().next().unwrap_or("");
        // Escapes make a text longer; a line of a megabyte is not escaped as a whole.
        let start: String = line.chars().take(4 * WIDEST).collect();
        cut(&escape::line(&start.split_whitespace().collect::<Vec<_>>().join(" ")))
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
        rules::settled(sets, self.facts, self.trace, self.corpus)
    }

    /// The alternatives of assumptions that a row rests on, in words.
    pub fn assumptions(&self, sets: &AssumptionSets) -> Vec<Vec<Assumption>> {
        sets.sets.iter().map(|set| rules::stated_all(set, self.facts, self.corpus)).collect()
    }

    /// The same for programs, as in the report's JSON.
    pub fn assumptions_json(&self, sets: &AssumptionSets) -> Json {
        let assumption = |it: &Assumption| {
            let place = it.span.map(|span| place_json(self.corpus, span));
            json!({"kind": it.kind, "subject": it.subject, "text": it.text, "evidence": it.evidence, "place": place})
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
