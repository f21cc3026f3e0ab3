//! Command lines: `argparse`, click, absl's flags, parsers made of signatures; the options get values named after them.

pub(crate) mod absl_flags;
pub mod argparse;
pub(crate) mod argument_words;
pub(crate) mod click;
pub(crate) mod option_values;
pub(crate) mod options_as_numbers;
pub(crate) mod signature_options;
pub(crate) mod signature_types;
