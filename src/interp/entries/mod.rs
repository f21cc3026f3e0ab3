//! Where execution starts: modules, functions that nobody calls, classes, tests with their fixtures; and runs that are repeated with other
//! options or defaults. *An entry that fails by a defect of Harp ends alone.*

pub(crate) mod annotated_objects;
pub mod class_entries;
pub mod containment;
pub mod entered_functions;
pub mod entry_points;
pub mod execution_coverage;
pub mod modules_from_factories;
pub mod option_uses;
pub mod parametrized_tests;
pub(crate) mod rerun_at_defaults;
pub mod rerun_with_other_options;
pub mod rerun_without_defaults;
pub mod stated_inputs;
pub mod symbolic_arguments;
pub mod test_fixtures;
pub mod waiting_arms;
