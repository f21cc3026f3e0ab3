//! Cuts for explanations a backward slice out of the graph: the operation that a finding speaks of, what made its
//! operands, and what made theirs.

use std::cmp::Reverse;

use rustc_hash::FxHashMap;

use harp_corpus::Span;
use harp_report::{GraphSlice, SliceEdge, SliceNode, SliceNodeKind};
use harp_trace::ids::OperationId;
use harp_trace::{Given, Issue, Operand, OperationRecord, Trace};

/// So many operations lie between the finding and what is shown of its past.
const DEEPEST: usize = 6;
/// A picture of more nodes is not taken in at a glance.
const MOST_NODES: usize = 14;
/// So many operations of a statement are looked at for the one that a finding speaks of.
const MOST_WITHIN: usize = 1_000;

/// The operations of a run, ready to be found by their places.
pub struct Slices<'a> {
    trace: &'a Trace,
    /// By place; of several executions the first.
    by_place: Vec<(Span, OperationId)>,
}

impl<'a> Slices<'a> {
    /// Those of a trace.
    pub fn of(trace: &'a Trace) -> Slices<'a> {
        let numbered = trace.operations.iter().zip(1..);
        let mut by_place: Vec<_> = numbered.map(|(record, number)| (record.span, OperationId(number))).collect();
        by_place.sort_unstable();
        by_place.dedup_by_key(|(span, _)| *span);
        Slices { trace, by_place }
    }

    /// What leads to a requirement that fails or may fail.
    pub fn of_issue(&self, issue: &Issue) -> GraphSlice {
        let mut builder = Builder::new(self.trace, issue.api.as_str(), issue.span);
        for operand in &issue.operands {
            builder.operand(operand);
        }
        // Items of a list have no names of their own.
        if issue.operands.is_empty()
            && let Some(record) = self.trace.operation(issue.operation)
        {
            builder.operands(record, 0, 1);
        }
        if let Some((class, span)) = &issue.module_origin {
            let object = builder.node(SliceNodeKind::Object, class, Some(*span));
            builder.edge(object, 0, String::new(), None);
        }
        builder.finish()
    }

    /// What leads to the operation at a place, else to the largest one within it; nothing where there is none.
    pub fn at(&self, place: Span) -> GraphSlice {
        let Some(operation) = self.operation_at(place) else { return GraphSlice::default() };
        let Some(record) = self.trace.operation(operation) else { return GraphSlice::default() };
        let mut builder = Builder::new(self.trace, record.api.as_str(), record.span);
        builder.nodes_of.insert(operation, 0);
        builder.operands(record, 0, 1);
        builder.finish()
    }

    fn operation_at(&self, place: Span) -> Option<OperationId> {
        if let Ok(index) = self.by_place.binary_search_by_key(&place, |(span, _)| *span) {
            return Some(self.by_place[index].1);
        }
        let first = self.by_place.partition_point(|(span, _)| (span.file, span.start) < (place.file, place.start));
        let within = self.by_place[first..]
            .iter()
            .take(MOST_WITHIN)
            .take_while(|(span, _)| span.file == place.file && span.start < place.end)
            .filter(|(span, _)| span.end <= place.end);
        within.min_by_key(|(span, _)| Reverse(span.end - span.start)).map(|(_, operation)| *operation)
    }
}

struct Builder<'a> {
    trace: &'a Trace,
    slice: GraphSlice,
    nodes_of: FxHashMap<OperationId, usize>,
    /// Operations whose operands are to be shown, with how far they are from the finding.
    waiting: Vec<(OperationId, usize)>,
}

impl<'a> Builder<'a> {
    fn new(trace: &'a Trace, api: &str, span: Span) -> Builder<'a> {
        let mut builder =
            Builder { trace, slice: GraphSlice::default(), nodes_of: FxHashMap::default(), waiting: Vec::new() };
        builder.node(SliceNodeKind::Subject, api, Some(span));
        builder
    }

    /// The operands of operands, the nearest first.
    fn finish(mut self) -> GraphSlice {
        let mut next = 0;
        while let Some(&(operation, depth)) = self.waiting.get(next) {
            next += 1;
            let (Some(record), Some(&node)) = (self.trace.operation(operation), self.nodes_of.get(&operation)) else {
                continue;
            };
            if depth >= DEEPEST {
                self.slice.is_cut |= !record.given.is_empty();
                continue;
            }
            self.operands(record, node, depth + 1);
        }
        self.slice
    }

    fn operand(&mut self, operand: &Operand) {
        let shape = Some(operand.shape.clone());
        let from = match (self.trace.operation(operand.operation), &operand.origin) {
            (Some(_), _) => self.operation(operand.operation, 1),
            (None, Some((made_by, span))) => Some(self.node(SliceNodeKind::Source, made_by, Some(*span))),
            (None, None) => Some(self.node(SliceNodeKind::Source, &operand.name, operand.span)),
        };
        if let Some(from) = from {
            self.edge(from, 0, operand.name.to_string(), shape);
        }
    }

    fn operands(&mut self, record: &OperationRecord, node: usize, depth: usize) {
        for given in &record.given {
            let made = match self.trace.operation(given.operation) {
                Some(producer) => {
                    self.operation(given.operation, depth).map(|from| (from, result_shape(producer, given)))
                }
                None => self.source(given).map(|from| (from, None)),
            };
            if let Some((from, shape)) = made {
                self.edge(from, node, given.parameter.as_str().to_owned(), shape);
            }
        }
    }

    /// The node of an operation; `None` where there are too many nodes already.
    fn operation(&mut self, operation: OperationId, depth: usize) -> Option<usize> {
        if let Some(known) = self.nodes_of.get(&operation) {
            return Some(*known);
        }
        let record = self.trace.operation(operation)?;
        if self.is_full() {
            return None;
        }
        let node = self.node(SliceNodeKind::Operation, record.api.as_str(), Some(record.span));
        self.nodes_of.insert(operation, node);
        self.waiting.push((operation, depth));
        Some(node)
    }

    /// The node of a value that no recorded operation gave.
    fn source(&mut self, given: &Given) -> Option<usize> {
        let source = self.trace.sources.get((given.part as usize).checked_sub(1)?)?;
        let name = source.name.map_or("?", |name| name.as_str());
        let is_same = |node: &SliceNode| {
            node.kind == SliceNodeKind::Source && node.span == Some(source.origin) && node.name == name
        };
        if let Some(known) = self.slice.nodes.iter().position(is_same) {
            return Some(known);
        }
        if self.is_full() {
            return None;
        }
        Some(self.node(SliceNodeKind::Source, name, Some(source.origin)))
    }

    fn is_full(&mut self) -> bool {
        let is_full = self.slice.nodes.len() >= MOST_NODES;
        self.slice.is_cut |= is_full;
        is_full
    }

    fn node(&mut self, kind: SliceNodeKind, name: &str, span: Option<Span>) -> usize {
        self.slice.nodes.push(SliceNode { kind, name: name.to_owned(), span });
        self.slice.nodes.len() - 1
    }

    fn edge(&mut self, from: usize, to: usize, operand: String, shape: Option<String>) {
        let edge = SliceEdge { from, to, operand, shape };
        if from != to && !self.slice.edges.contains(&edge) {
            self.slice.edges.push(edge);
        }
    }
}

/// The shape of the result that is given, where the operation gave it as a whole.
fn result_shape(producer: &OperationRecord, given: &Given) -> Option<String> {
    let results = producer.details.as_ref().map_or(&[][..], |details| &details.results);
    let shape = match results.get(given.part as usize) {
        Some(result) => result.shape.as_ref(),
        None => producer.shape.as_ref(),
    };
    shape.filter(|_| given.is_whole).map(ToString::to_string)
}
