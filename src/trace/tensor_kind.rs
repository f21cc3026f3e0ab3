//! Families of arrays.

/// Which library a tensor-like value belongs to; it decides whose methods it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TensorKind {
    Torch,
    Parameter,
    NumPy,
    /// A tensor of PyTorch or an array of NumPy: nothing was done with it that only one of them can.
    Either,
    /// A PIL image, seen as `[channels, height, width]`.
    Image,
}

impl TensorKind {
    /// The qualified name of the class that has the methods.
    pub fn class_name(self) -> &'static str {
        match self {
            TensorKind::Torch | TensorKind::Parameter | TensorKind::Either => "torch.Tensor",
            TensorKind::NumPy => "numpy.ndarray",
            TensorKind::Image => "PIL.Image.Image",
        }
    }
}
