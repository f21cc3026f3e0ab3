//! What a planned rule does, step by step, over registers.

use crate::functors::Base;
use crate::rule::FunctorId;
use crate::syntax::{AggregateKind, Comparison};

/// A place for one value while a rule is evaluated: first the rule's variables, then its constants and intermediate values.
pub(super) type Register = u16;

/// Which rows of a relation an atom ranges over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rows {
    /// All rows, of a relation that is being built those up to the last round.
    Full,
    /// Without those that were new in the last round.
    Old,
    /// Those that were new in the last round.
    Delta,
}

/// An atom that binds or checks registers for each of its rows.
#[derive(Clone, Debug)]
pub(super) struct Access {
    pub relation: usize,
    pub rows: Rows,
    /// The index and the registers that hold its key; all rows are looked at without.
    pub index: Option<(usize, Box<[Register]>)>,
    pub binds: Box<[(u16, Register)]>,
    pub checks: Box<[(u16, Register)]>,
    /// Where to note the row's number.
    pub premise: u16,
    /// One row is as good as all: nothing later depends on which.
    pub once: bool,
    /// The literal's number in the body, for reports.
    pub literal: usize,
}

#[derive(Clone, Debug)]
pub(super) enum Value {
    Register(Register),
    Call(FunctorId, Box<[Value]>),
}

#[derive(Clone, Debug)]
pub(super) enum Step {
    Rows(Access),
    /// No row has these values in these columns.
    Absent {
        relation: usize,
        columns: Box<[u16]>,
        key: Box<[Register]>,
        index: Option<usize>,
        literal: usize,
    },
    Compare {
        operator: Comparison,
        base: Base,
        left: Value,
        right: Value,
        literal: usize,
    },
    Assign {
        register: Register,
        value: Value,
        literal: usize,
    },
    Test {
        functor: FunctorId,
        arguments: Box<[Value]>,
        expected: bool,
        literal: usize,
    },
    Aggregate {
        kind: AggregateKind,
        /// The steps of each alternative.
        groups: Box<[Box<[Step]>]>,
        result: Register,
        literal: usize,
    },
    /// The end of an aggregate's steps.
    Accumulate {
        target: Option<Value>,
    },
    Never {
        literal: usize,
    },
}

impl Step {
    /// The number of the literal that the step stands for.
    pub fn literal(&self) -> Option<usize> {
        match self {
            Step::Rows(access) => Some(access.literal),
            Step::Absent { literal, .. }
            | Step::Compare { literal, .. }
            | Step::Assign { literal, .. }
            | Step::Test { literal, .. }
            | Step::Aggregate { literal, .. }
            | Step::Never { literal } => Some(*literal),
            Step::Accumulate { .. } => None,
        }
    }
}

/// A rule made ready to run.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub steps: Vec<Step>,
    pub registers: usize,
    /// Registers with a value from the start.
    pub constants: Vec<(Register, u32)>,
    /// What one result consists of.
    pub output: Vec<Register>,
    /// How many row numbers follow the output.
    pub premises: usize,
    /// Expected size of a product of unrelated atoms, where there is one.
    pub product: Option<u64>,
}
