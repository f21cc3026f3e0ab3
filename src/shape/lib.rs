//! Dimensions, shapes, dtypes, constraints, the solver, and the one textual shape language.
//! This room knows nothing of Python and nothing of rules.

mod axes;
mod binding;
mod bounds;
mod broadcast;
mod canonical;
mod constraint;
mod counters;
mod decide;
mod dim;
mod display;
mod dtype;
mod formula;
mod interval;
mod knowledge;
mod linear;
mod made;
pub mod notation;
mod polynomial;
mod prepared;
mod proof;
mod ranges;
mod ranks;
mod reasons;
mod recall;
mod recent;
mod refute;
mod repair;
mod search;
mod shapes;
mod smt;
mod solver;
mod table;
mod tidy;
mod unify;
mod variable;
mod windows;
mod work;

pub use axes::{Axes, Axis, AxisError, axis_of, distinct_axes};
pub use constraint::{Constraint, Counterexample, Leaf, Outcome, Verdict};
pub use dim::Dim;
pub use dtype::DType;
pub use knowledge::Knowledge;
pub use notation::{Applied, NotationError, Signature, parse_condition, parse_dim, parse_shape, parse_signature};
pub use reasons::{Because, Reason};
pub use shapes::{Element, Shape};
pub use smt::Oracle;
pub use solver::{Mark, Solver};
pub use table::{Remembered, forget_everything, forget_since, remembered};
pub use variable::{ShapeVar, Var, VarInfo, VarKind};
pub use work::work_done;

#[cfg(test)]
mod dim_tests;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod solver_tests;
