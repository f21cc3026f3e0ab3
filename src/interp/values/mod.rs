//! The abstract domain: what is known of a value. Numbers and texts that are known or partly known, tensors with shape, dtype and
//! origin, elements and memory layout of tensors, the type of a value that is otherwise unknown.
//!
//! *A value never says more than holds on every run it stands for; what is not known is an unknown value with its reason.*

pub mod builtin_names;
pub mod decimal_rounding;
pub mod default_dtype;
pub mod diagonal_masks;
pub mod element_bounds;
pub mod equality;
pub mod equivalent_modules;
pub mod families;
pub mod followed_numbers;
pub mod fresh_dims;
pub mod list_lengths;
pub mod math_of_settings;
pub mod members_of_shapes;
pub mod members_of_types;
pub mod memory_layout;
pub mod number_arithmetic;
pub mod number_errors;
pub mod numbers_of_arrays;
pub(crate) mod parts_of_rows;
pub mod per_sample_sizes;
pub mod random_integers;
pub mod replaced_sizes;
pub mod size_fractions;
pub mod summary_values;
pub mod tensor_elements;
pub mod tensor_members;
pub mod tensors_of_sizes;
pub mod text_of_value;
pub mod type_of_unknown;
pub mod unknown_arithmetic;
pub mod unknown_numbers;
pub mod unknown_texts;
pub mod value;
