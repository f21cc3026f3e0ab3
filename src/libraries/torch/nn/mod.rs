//! `torch.nn`: modules and their parts, state dicts, hooks, parametrizations, packed sequences.

pub(crate) mod buffers;
pub(crate) mod container_items;
pub(crate) mod container_refusals;
pub(crate) mod dtype_conversion;
pub(crate) mod functions_with_object_results;
pub mod hooks;
pub(crate) mod layer_parameters;
pub(crate) mod lazy_layers;
pub(crate) mod module;
pub(crate) mod module_tree;
pub(crate) mod modules_dict;
pub(crate) mod packed_sequences;
pub(crate) mod parametrizations;
pub(crate) mod replaced_weights;
pub(crate) mod state_dict;
pub(crate) mod transformer_stacks;
pub(crate) mod weight_dtype;
pub(crate) mod weight_norm;
pub(crate) mod weight_sizes;
pub(crate) mod wrappers;
