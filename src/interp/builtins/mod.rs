//! Built-in functions, and the methods of built-in types.

pub(crate) mod containers;
pub(crate) mod copy;
pub(crate) mod dict;
pub(crate) mod dunder_calls;
pub(crate) mod eval;
pub mod format_spec;
pub(crate) mod isinstance;
pub(crate) mod item_dunders;
pub(crate) mod iterator_functions;
pub(crate) mod library_dict;
pub(crate) mod number_methods;
pub(crate) mod numbers;
pub(crate) mod objects;
pub(crate) mod percent_format;
pub(crate) mod reflection;
pub(crate) mod round;
pub(crate) mod set;
pub(crate) mod signature_objects;
pub mod sorted;
pub(crate) mod str_case;
pub(crate) mod str_format;
pub(crate) mod strings;
