//! Where execution starts: modules, functions that nobody calls, classes, tests with their fixtures; and runs that are repeated with other
//! options or defaults. *An entry that fails by a defect of Harp ends alone.*

pub(crate) mod class_entries;
pub mod containment;
pub(crate) mod entry_points;
pub(crate) mod modules_from_factories;
pub(crate) mod parametrized_tests;
pub(crate) mod rerun_with_other_options;
pub(crate) mod rerun_without_defaults;
pub(crate) mod shapes_stated_in_comments;
pub(crate) mod test_fixtures;
