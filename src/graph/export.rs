//! Facts in files: Soufflé's, or one JSON document. Each row once, in the order in which the relation got it.

use std::collections::HashSet;
use std::io::{self, Write};

use serde_json::{Map, Value, json};

use crate::facts::{Cell, Facts};
use crate::schema::{Column, Relation, Schema};

/// The rows of a relation, as Soufflé reads them: a line a row, tabs between the columns.
pub fn souffle(facts: &Facts, relation: Relation, out: &mut dyn Write) -> io::Result<()> {
    for row in rows(facts, relation) {
        let mut separator = "";
        for value in row {
            match value {
                Value::String(text) => write!(out, "{separator}{}", escaped(&text))?,
                number => write!(out, "{separator}{number}")?,
            }
            separator = "\t";
        }
        writeln!(out)?;
    }
    Ok(())
}

/// All relations, with what the numbers of assumptions mean.
pub fn json(facts: &Facts, out: &mut dyn Write) -> io::Result<()> {
    let mut relations = Map::new();
    for relation in Relation::ALL {
        let rows: Vec<Value> = rows(facts, *relation).into_iter().map(Value::Array).collect();
        relations.insert(relation.name().to_owned(), Value::Array(rows));
    }
    let conditional: Vec<Value> = conditional(facts);
    let assumptions: Vec<Value> = facts
        .assumptions()
        .flatten()
        .enumerate()
        .map(|(id, it)| {
            json!({"id": id, "kind": it.kind, "subject": it.subject, "text": it.text, "evidence": it.evidence})
        })
        .collect();
    let document = json!({
        "schema_version": crate::schema::VERSION,
        "relations": relations,
        "assumptions": assumptions,
        "rows_with_assumptions": conditional,
    });
    serde_json::to_writer_pretty(&mut *out, &document)?;
    writeln!(out)
}

/// Rows that rest on assumptions, with their numbers.
fn conditional(facts: &Facts) -> Vec<Value> {
    let mut found = Vec::new();
    for relation in Relation::ALL {
        for (row, assumptions) in facts.rows(*relation).iter() {
            if !assumptions.is_empty() {
                let row = values(facts, *relation, row);
                found.push(json!({"relation": relation.name(), "row": row, "assumptions": assumptions}));
            }
        }
    }
    found
}

fn rows(facts: &Facts, relation: Relation) -> Vec<Vec<Value>> {
    let mut seen: HashSet<Vec<Cell>> = HashSet::new();
    let all = facts.rows(relation).iter();
    let unique = all.filter(|(row, _)| seen.insert(row.to_vec())).map(|(row, _)| values(facts, relation, row));
    unique.collect()
}

fn values(facts: &Facts, relation: Relation, row: &[Cell]) -> Vec<Value> {
    let columns = &Schema::get().relation(relation).columns;
    let value = |(cell, is_number): (&Cell, bool)| match is_number {
        true => Value::from(cell.number()),
        false => Value::from(facts.text(cell.symbol())),
    };
    row.iter().zip(columns.iter().map(super::schema::Column::is_number)).map(value).collect()
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
