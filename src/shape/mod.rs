//! Dimensions, shapes, dtypes, constraints, the solver, and the one textual shape language.
