//! Built-in functions, and the methods of built-in types.

pub mod attribute_tests;
pub mod containers;
pub mod copy;
pub mod deque;
pub mod dict;
pub mod dunder_calls;
pub mod eval;
pub mod format_spec;
pub mod isinstance;
pub mod item_dunders;
pub mod iterator_functions;
pub mod library_dict;
pub mod number_methods;
pub mod numbers;
pub mod objects;
pub mod path_texts;
pub mod percent_format;
pub mod reflection;
pub mod round;
pub mod set;
pub mod signature_objects;
pub mod sorted;
pub mod str_case;
pub mod str_format;
pub mod strings;
