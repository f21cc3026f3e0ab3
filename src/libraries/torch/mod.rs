//! PyTorch, where shapes do not say it: modules that hold modules, autograd functions, transforms of functions, tensors made of lists.

pub(crate) mod autograd_function;
pub mod data;
pub(crate) mod distributed_rpc;
pub(crate) mod func;
pub(crate) mod fx;
pub(crate) mod in_place_reshape;
pub mod nn;
pub(crate) mod optimizer_state;
pub(crate) mod python_checks;
pub(crate) mod tensors_from_lists;
pub(crate) mod torch_classes;
pub(crate) mod torch_function;
