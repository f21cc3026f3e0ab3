//! Writes the rows of all relations into files: Soufflé's, or one JSON document. Each row once, in the order in which
//! the relation got it.

use std::io::{self, Write};

use rustc_hash::FxHashSet;
use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use crate::facts::{Cell, Facts};
use crate::schema::{Column, Relation, Schema};
use harp_limits::tick;

/// The rows of a relation, as Soufflé reads them: a line a row, tabs between the columns.
pub fn souffle(facts: &Facts, relation: Relation, out: &mut dyn Write) -> io::Result<()> {
    let columns = columns(relation);
    for row in rows(facts, relation) {
        let mut separator = "";
        for (cell, is_number) in row.iter().zip(&columns) {
            match is_number {
                true => write!(out, "{separator}{}", cell.number())?,
                false => write!(out, "{separator}{}", escaped(&facts.text(cell.symbol())))?,
            }
            separator = "\t";
        }
        writeln!(out)?;
    }
    Ok(())
}

/// All relations, with what the numbers of assumptions mean. Rows are written one by one: together, their texts may be far larger than the relations.
pub fn json(facts: &Facts, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, &Document(facts))?;
    writeln!(out)
}

/// Keys stand in the order of their letters, here and in relations.
struct Document<'a>(&'a Facts);

impl Serialize for Document<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut document = serializer.serialize_map(None)?;
        document.serialize_entry("assumptions", &AssumptionTexts(self.0))?;
        document.serialize_entry("relations", &Relations(self.0))?;
        document.serialize_entry("rows_with_assumptions", &Conditional(self.0))?;
        document.serialize_entry("schema_version", &crate::schema::VERSION)?;
        document.end()
    }
}

struct AssumptionTexts<'a>(&'a Facts);

impl Serialize for AssumptionTexts<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.assumptions().flatten().enumerate().map(|(id, it)| {
            json!({"id": id, "kind": it.kind, "subject": it.subject, "text": it.text, "evidence": it.evidence})
        }))
    }
}

struct Relations<'a>(&'a Facts);

impl Serialize for Relations<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut sorted: Vec<Relation> = Relation::ALL.to_vec();
        sorted.sort_by_key(|relation| relation.name());
        serializer.collect_map(sorted.into_iter().map(|relation| (relation.name(), RowsOf(self.0, relation))))
    }
}

struct RowsOf<'a>(&'a Facts, Relation);

impl Serialize for RowsOf<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let columns = &columns(self.1);
        serializer.collect_seq(rows(self.0, self.1).map(|row| Values { facts: self.0, columns, row }))
    }
}

/// Rows that rest on assumptions, with their numbers.
struct Conditional<'a>(&'a Facts);

impl Serialize for Conditional<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let facts = self.0;
        let mut list = serializer.serialize_seq(None)?;
        for relation in Relation::ALL {
            let columns = &columns(*relation);
            let conditional = facts.rows(*relation).iter().filter(|(_, assumptions)| !assumptions.is_empty());
            for (row, assumptions) in conditional {
                tick();
                let row = Values { facts, columns, row };
                list.serialize_element(&ConditionalRow { relation: *relation, row, assumptions })?;
            }
        }
        list.end()
    }
}

struct ConditionalRow<'a> {
    relation: Relation,
    row: Values<'a>,
    assumptions: &'a [u32],
}

impl Serialize for ConditionalRow<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut row = serializer.serialize_map(Some(3))?;
        row.serialize_entry("assumptions", self.assumptions)?;
        row.serialize_entry("relation", self.relation.name())?;
        row.serialize_entry("row", &self.row)?;
        row.end()
    }
}

/// A row with the texts of its symbols.
struct Values<'a> {
    facts: &'a Facts,
    /// For each column, whether it has numbers.
    columns: &'a [bool],
    row: &'a [Cell],
}

impl Serialize for Values<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.row.len()))?;
        for (cell, is_number) in self.row.iter().zip(self.columns) {
            match is_number {
                true => list.serialize_element(&cell.number())?,
                false => list.serialize_element(&*self.facts.text(cell.symbol()))?,
            }
        }
        list.end()
    }
}

fn columns(relation: Relation) -> Vec<bool> {
    Schema::get().relation(relation).columns.iter().map(Column::is_number).collect()
}

/// Each row once, in the order in which the relation got it.
fn rows(facts: &Facts, relation: Relation) -> impl Iterator<Item = &[Cell]> {
    let mut seen: FxHashSet<&[Cell]> = FxHashSet::default();
    let all = facts.rows(relation).iter().inspect(|_| tick());
    all.map(|(row, _)| row).filter(move |row| seen.insert(*row))
}

/// Soufflé splits at tabs and line breaks and knows no escapes for them; they are written as in source code.
fn escaped(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\t' => shown.push_str("\\t"),
            '\n' => shown.push_str("\\n"),
            '\r' => shown.push_str("\\r"),
            other => shown.push(other),
        }
    }
    shown
}

/// The schema as JSON.
pub fn schema_json() -> Value {
    let schema = Schema::get();
    let types: Vec<Value> =
        schema.types.iter().map(|declared| json!({"name": declared.name, "parent": declared.parent})).collect();
    let relations: Vec<Value> = schema
        .relations
        .iter()
        .map(|relation| {
            let column = |column: &Column| match column.words.is_empty() {
                true => json!({"name": column.name, "type": column.type_name}),
                false => json!({"name": column.name, "type": column.type_name, "words": column.words}),
            };
            let columns: Vec<Value> = relation.columns.iter().map(column).collect();
            json!({
                "name": relation.name,
                "columns": columns,
                "documentation": relation.documentation,
                "open": relation.open,
            })
        })
        .collect();
    json!({"version": crate::schema::VERSION, "types": types, "relations": relations})
}
