//! Dimensions, shapes, dtypes, constraints, the solver, and the one textual shape language.
//! This room knows nothing of Python and nothing of rules.

#![deny(missing_docs)]

mod axes;
mod binding;
mod bounds;
mod broadcast;
mod canonical;
mod conditions_alone;
mod constraint;
mod counterexamples;
mod decide;
mod decision_cache;
mod dim;
mod display;
mod dtype;
mod evaluator;
mod family;
mod formula;
mod interner;
mod interval;
mod linear;
mod loop_counter_facts;
mod model_repair;
pub mod naming;
mod normalised_facts;
pub mod notation;
mod polynomial;
mod proof;
mod ranges;
mod rank_conditions;
mod readable_form;
mod reasons;
mod refute;
mod result_cache;
mod scope;
mod shapes;
mod smt;
mod solver;
mod solver_cost;
mod still_known;
#[cfg(test)]
mod tests;
mod undoable_table;
mod unify;
mod unused_facts;
mod variable;
mod window_lengths;

pub use axes::{Axes, Axis, AxisError, axis_of, axis_of_scalar, distinct_axes};
pub use constraint::{Constraint, Counterexample, Leaf, Outcome, Verdict};
pub use dim::Dim;
pub use dtype::DType;
pub use family::{Assumed, Families, Family, FamilyRules, Mixing, OutOfRange};
pub use interner::{Remembered, forget_everything, forget_since, remembered};
pub use notation::{Applied, NotationError, Signature, parse_condition, parse_dim, parse_shape, parse_signature};
pub use reasons::{Because, Reason};
pub use shapes::{Element, Shape};
pub use smt::Oracle;
pub use solver::{Mark, Solver};
pub use solver_cost::work_done;
pub use still_known::Knowledge;
pub use variable::{ShapeVar, Var, VarInfo, VarKind};
