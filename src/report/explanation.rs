//! What explains a finding to somebody who reads a report: the part of the computation graph that leads to it, and its proof.

use harp_corpus::Span;
use serde::{Deserialize, Serialize};

/// Why a finding is there, where somebody asks for it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Explanation {
    /// The operation that the finding speaks of, with what made its operands.
    pub slice: GraphSlice,
    /// The rules and rows that the finding follows from, as a tree in lines; empty where no rule is involved.
    pub proof: String,
}

/// A backward slice of the computation graph: an operation, the producers of its operands, and theirs, as far as it is shown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GraphSlice {
    /// The operation that the finding speaks of comes first.
    pub nodes: Vec<SliceNode>,
    /// Which node's result another one takes.
    pub edges: Vec<SliceEdge>,
    /// Whether producers were left out.
    pub is_cut: bool,
}

impl GraphSlice {
    /// Whether every edge leads from a node to a node.
    pub fn is_connected(&self) -> bool {
        self.edges.iter().all(|edge| edge.from.max(edge.to) < self.nodes.len())
    }
}

/// What a node of a slice stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SliceNodeKind {
    /// What the finding speaks of.
    Subject,
    /// Another operation.
    Operation,
    /// A value that no operation gave: an input, a parameter, what a file holds.
    Source,
    /// An object that is called, such as a layer.
    Object,
}

/// A node of a slice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SliceNode {
    /// What it stands for.
    pub kind: SliceNodeKind,
    /// The API, or what the program calls the value.
    pub name: String,
    /// Where it stands in the program.
    pub span: Option<Span>,
}

/// A value on its way between two nodes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SliceEdge {
    /// The index of the node that made it.
    pub from: usize,
    /// The index of the node that takes it.
    pub to: usize,
    /// As what it is taken: an operand or a parameter.
    pub operand: String,
    /// Its shape, where it is known.
    pub shape: Option<String>,
}
