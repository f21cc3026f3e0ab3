//! From a requirement that was judged to an issue, or to nothing: what the program guards against, expects, or leaves to its caller. Also what
//! is refused whatever its shape: misused values, members that a class lacks, indices out of range. *An issue needs a requirement that fails on every
//! way on which it is reached, under assumptions that it lists.*

pub(crate) mod callers_choice;
pub(crate) mod complexity_notes;
pub(crate) mod data_sized_parameters;
pub(crate) mod expected_failures;
pub(crate) mod guessed_ranks;
pub(crate) mod index_out_of_range;
pub(crate) mod issue_context;
pub(crate) mod issues;
pub(crate) mod member_lists;
pub(crate) mod missing_members;
pub(crate) mod misused_values;
pub(crate) mod program_guards;
pub(crate) mod refused_data;
pub(crate) mod result_after_failure;
pub(crate) mod sequence_for_tensor;
pub(crate) mod transposed_matrices;
pub(crate) mod usual_data;
