//! The graph as a drawing for Graphviz: operations with their computation types, shapes on the edges, loops as clusters.

use std::collections::BTreeMap;
use std::io::{self, Write};

use rustc_hash::FxHashMap;

use crate::host_rows::header;
use crate::{Program, callee};
use harp_corpus::Span;
use harp_limits::tick;
use harp_trace::{Input, OperationRecord};

/// Loops and what runs directly in them.
#[derive(Default)]
struct Cluster {
    operations: Vec<usize>,
    /// In the order of their places.
    loops: BTreeMap<Span, Cluster>,
}

/// Writes the operations of a program. One place that runs several times with equal shapes is drawn once.
pub fn write(program: Program<'_>, out: &mut dyn Write) -> io::Result<()> {
    let operations = &program.trace.operations;
    let drawn = representatives(operations);
    let mut top = Cluster::default();
    for (index, record) in operations.iter().enumerate() {
        tick();
        if drawn[index] != index {
            continue;
        }
        let mut cluster = &mut top;
        for around in record.loops.iter() {
            cluster = cluster.loops.entry(*around).or_default();
        }
        cluster.operations.push(index);
    }
    writeln!(out, "digraph harp {{")?;
    writeln!(out, "  rankdir=TB;")?;
    writeln!(out, "  node [shape=box, fontname=\"sans-serif\"];")?;
    writeln!(out, "  edge [fontname=\"sans-serif\", fontsize=10];")?;
    let mut number = 0;
    write_cluster(program, &top, 1, &mut number, out)?;
    let mut edges: BTreeMap<(usize, usize), Vec<&str>> = BTreeMap::new();
    for (index, record) in operations.iter().enumerate() {
        tick();
        for Input { parameter, operation: from, .. } in &record.inputs {
            let Some(from) = (from.0 as usize).checked_sub(1).filter(|from| *from < operations.len()) else { continue };
            let parameters = edges.entry((drawn[from], drawn[index])).or_default();
            if !parameters.contains(&parameter.as_str()) {
                parameters.push(parameter.as_str());
            }
        }
    }
    for ((from, to), parameters) in edges {
        let label = format!("{}: {}", parameters.join(", "), shape_of(&operations[from]));
        writeln!(out, "  n{from} -> n{to} [label={}];", quoted(&label))?;
    }
    writeln!(out, "}}")
}

/// For each operation, the first with the same place, API and shapes, through the same calls.
fn representatives(operations: &[OperationRecord]) -> Vec<usize> {
    type Key<'a> = (Span, &'a str, String, &'a [Span], &'a [Span]);
    let mut first: FxHashMap<Key<'_>, usize> = FxHashMap::default();
    let mut drawn = Vec::with_capacity(operations.len());
    for (index, record) in operations.iter().enumerate() {
        let key: Key<'_> = (record.span, record.api.as_str(), shape_of(record), &record.loops, &record.calls);
        tick();
        drawn.push(*first.entry(key).or_insert(index));
    }
    drawn
}

fn write_cluster(
    program: Program<'_>,
    cluster: &Cluster,
    depth: usize,
    number: &mut usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let indent = "  ".repeat(depth);
    for index in &cluster.operations {
        let record = &program.trace.operations[*index];
        let label = format!("{}\n{}\n{}", computation(program, record), record.api, place(program, record.span));
        writeln!(out, "{indent}n{index} [label={}];", quoted(&label))?;
    }
    for (span, inner) in &cluster.loops {
        writeln!(out, "{indent}subgraph cluster_{number} {{")?;
        *number += 1;
        let label = format!("{}  ({})", header(program, *span), place(program, *span));
        writeln!(out, "{indent}  label={};", quoted(&label))?;
        write_cluster(program, inner, depth + 1, number, out)?;
        writeln!(out, "{indent}}}")?;
    }
    Ok(())
}

/// ONNX's name for what the operation computes, or the last part of the API's.
fn computation(program: Program<'_>, record: &OperationRecord) -> String {
    let known = callee::known_one(program, record.api, record.shape.is_some());
    let named = known.spec.and_then(|spec| spec.computation.as_deref());
    named.unwrap_or_else(|| record.api.as_str().rsplit('.').next().unwrap_or("")).to_owned()
}

fn shape_of(record: &OperationRecord) -> String {
    record.shape.as_ref().map_or_else(|| "?".to_owned(), ToString::to_string)
}

fn place(program: Program<'_>, span: Span) -> String {
    program
        .corpus
        .file(span.file)
        .map_or_else(String::new, |file| format!("{}:{}", file.display_path, file.line_column(span.start).line))
}

/// A text in quotes, as Graphviz reads it.
pub fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("\"{escaped}\"")
}
