//! The numbers of operations in the trace, and of decisions that were explored both ways.

/// An operation of the augmented computation graph that produced a value; `OperationId(0)` stands for "no operation".
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OperationId(pub u32);

impl OperationId {
    /// The origin of values that no recorded operation produced.
    pub const NONE: OperationId = OperationId(0);
}

/// An undecided branch condition (or "the loop runs", "there is a residual batch") that was explored both ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DecisionId(pub u32);

/// A decision taken one way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Literal {
    pub decision: DecisionId,
    pub taken: bool,
}
