//! The families of tensors that the models of libraries make: PyTorch's tensors, NumPy's arrays, Pillow's pictures.

use harp_interp::state::interpreter::Interpreter;
use harp_interp::values::value::{Tensor, TensorKind};

/// PyTorch's tensors, NumPy's arrays and Pillow's pictures.
pub(crate) trait KnownFamilies {
    fn torch_tensor(&self) -> TensorKind;
    fn numpy_array(&self) -> TensorKind;
    fn picture(&self) -> TensorKind;
}

impl KnownFamilies for Interpreter<'_> {
    fn torch_tensor(&self) -> TensorKind {
        self.kind_of_class("torch.Tensor")
    }

    fn numpy_array(&self) -> TensorKind {
        self.kind_of_class("numpy.ndarray")
    }

    fn picture(&self) -> TensorKind {
        self.kind_of_class("PIL.Image.Image")
    }
}

/// Whether a tensor is surely an array of NumPy.
pub(crate) fn is_numpy_array(tensor: &Tensor) -> bool {
    tensor.kind.only_family().is_some_and(|family| family.class() == "numpy.ndarray")
}
