//! The abstract domain: what is known of a value. Numbers and texts that are known or partly known, tensors with shape, dtype and
//! origin, elements and memory layout of tensors, the type of a value that is otherwise unknown.
//!
//! *A value never says more than holds on every run it stands for; what is not known is an unknown value with its reason.*

pub(crate) mod builtin_names;
pub(crate) mod decimal_rounding;
pub(crate) mod default_dtype;
pub(crate) mod diagonal_masks;
pub(crate) mod element_bounds;
pub(crate) mod equality;
pub(crate) mod equivalent_modules;
pub(crate) mod fresh_dims;
pub(crate) mod list_lengths;
pub(crate) mod math_of_settings;
pub(crate) mod memory_layout;
pub(crate) mod number_arithmetic;
pub(crate) mod number_errors;
pub(crate) mod per_sample_sizes;
pub(crate) mod random_integers;
pub(crate) mod size_fractions;
pub(crate) mod summary_values;
pub(crate) mod tensor_elements;
pub(crate) mod tensor_members;
pub(crate) mod tensors_of_sizes;
pub(crate) mod text_of_value;
pub(crate) mod type_of_unknown;
pub(crate) mod unknown_arithmetic;
pub(crate) mod unknown_numbers;
pub(crate) mod unknown_texts;
pub(crate) mod value;
