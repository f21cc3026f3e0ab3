//! From a requirement that was judged to an issue, or to nothing: what the program guards against, expects, or leaves to its caller. Also what
//! is refused whatever its shape: misused values, members that a class lacks, indices out of range. *An issue needs a requirement that fails on every
//! way on which it is reached, under assumptions that it lists.*

pub mod alarms;
pub mod at_defaults;
pub mod border_tests;
pub mod bound_elsewhere;
pub mod callers_choice;
pub mod complexity_notes;
pub mod data_sized_parameters;
pub mod expected_failures;
pub mod filters;
mod guarded_calls;
pub mod guessed_ranks;
pub mod independent_sizes;
pub mod index_out_of_range;
pub mod integers_for_sizes;
pub mod issue_context;
pub mod issues;
pub mod later_iterations;
pub mod member_lists;
pub mod missing_members;
pub mod misused_values;
pub mod named_classes;
pub mod possible_emptiness;
pub mod program_guards;
pub mod rearrangements;
pub mod refused_data;
pub mod remedies;
pub mod remedy_causes;
pub(crate) mod removed_names;
pub mod result_after_failure;
mod same_cause;
pub mod sequence_for_tensor;
pub mod sizes_by_chance;
mod sizes_in_words;
pub mod surroundings;
pub mod traced_arrays;
pub mod transposed_matrices;
mod truth_of_many;
pub mod two_roles;
pub mod undefined_names;
pub mod usual_data;
