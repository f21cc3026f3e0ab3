//! Element types of the results of transfer functions.

use crate::operation::{Argument, Operation};
use harp_shape::{DType, Mixing};

/// How strongly an operand takes part in type promotion: a tensor with dimensions wins over one without, and that over a number.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Priority {
    Dimensions,
    Scalar,
    Number,
}

pub(crate) fn is_complex(dtype: DType) -> bool {
    dtype.is_complex()
}

/// Whether it is certainly an integer type or `bool`.
pub(crate) fn is_integral(dtype: DType) -> bool {
    dtype.is_integer() || dtype == DType::Bool
}

/// Whether it is certainly a real floating type.
pub(crate) fn is_real(dtype: DType) -> bool {
    dtype.is_floating()
}

/// The type of a function that gives floats for integers, such as `exp`.
pub(crate) fn floating(dtype: DType) -> DType {
    if is_integral(dtype) { DType::Float32 } else { dtype }
}

/// The type of `sum`: integers add up in 64 bits.
pub(crate) fn accumulated(dtype: DType) -> DType {
    if is_integral(dtype) { DType::Int64 } else { dtype }
}

/// The type of the magnitude of a number.
pub fn magnitude(dtype: DType) -> DType {
    match dtype {
        DType::Complex64 => DType::Float32,
        DType::Complex128 => DType::Float64,
        other => other,
    }
}

/// The type that NumPy calls by a text: `'float32'`, `'int'`.
pub fn named(name: &str) -> DType {
    match name {
        "float" | "f8" | "d" => DType::Float64,
        "int" | "i8" | "l" => DType::Int64,
        "f4" | "f" => DType::Float32,
        "i4" | "i" => DType::Int32,
        "u1" => DType::UInt8,
        _ => DType::parse(name).unwrap_or(DType::Unknown),
    }
}

/// Two element types that an operation without promotion certainly does not take together. Types that autocasting brings
/// together do not clash.
pub(crate) fn clash(left: DType, right: DType) -> bool {
    let unknown = |dtype: DType| !is_integral(dtype) && !is_real(dtype) && !is_complex(dtype);
    let cast = |dtype: DType| matches!(dtype, DType::Float16 | DType::BFloat16 | DType::Float32);
    let compatible = left == right || (cast(left) && cast(right));
    !compatible && !unknown(left) && !unknown(right)
}

/// The type that the operands of lower priority change the one of higher priority to.
fn combine(higher: Option<DType>, lower: Option<DType>) -> Option<DType> {
    let (Some(higher), Some(lower)) = (higher, lower) else { return higher.or(lower) };
    if higher == DType::Unknown || lower == DType::Unknown {
        return Some(DType::Unknown);
    }
    if is_complex(higher) || (is_real(higher) && !is_complex(lower)) {
        return Some(higher);
    }
    if higher == DType::Bool || is_real(lower) || is_complex(lower) {
        return Some(DType::promote(higher, lower));
    }
    Some(higher)
}

impl Operation<'_> {
    /// The type of floats where nothing else is said: NumPy's have 64 bits.
    pub fn default_float(&self) -> DType {
        self.rules.default_float
    }

    /// The type that Python's integers become.
    pub fn default_int(&self) -> DType {
        self.rules.default_int
    }

    /// The type to which PyTorch promotes these operands.
    pub fn result_type(&self, operands: &[Argument]) -> DType {
        let promote = if self.rules.mixing == Mixing::ByWidth { promote_arrays } else { promote };
        let of = |priority: Priority| -> Option<DType> {
            let types = operands.iter().filter_map(|operand| self.promotable(operand));
            types.filter(|(level, _)| *level == priority).map(|(_, dtype)| dtype).reduce(promote)
        };
        let scalars = combine(of(Priority::Scalar), of(Priority::Number));
        combine(of(Priority::Dimensions), scalars).unwrap_or(DType::Unknown)
    }

    fn promotable(&self, operand: &Argument) -> Option<(Priority, DType)> {
        match operand {
            Argument::Tensor(tensor) => {
                let is_weaker = self.rules.mixing != Mixing::ByKind && self.is_scalar(&tensor.shape);
                let priority = if is_weaker { Priority::Scalar } else { Priority::Dimensions };
                Some((priority, tensor.dtype))
            }
            Argument::Integer(_) => Some((Priority::Number, self.default_int())),
            Argument::Boolean(_) => Some((Priority::Number, DType::Bool)),
            Argument::Float(_) => Some((Priority::Number, self.default_float())),
            Argument::None => None,
            _ => Some((Priority::Dimensions, DType::Unknown)),
        }
    }

    /// The type that a list gives which holds arrays of this type: a library that mixes no types narrows arrays of another in lists, or does not.
    pub(crate) fn type_in_list(&self, dtype: DType) -> DType {
        let is_wide = matches!(dtype, DType::Int64 | DType::UInt64 | DType::Float64 | DType::Complex128);
        let may_narrow = self.rules.mixing == Mixing::Never && self.arguments.has_array_items;
        if is_wide && may_narrow { DType::Unknown } else { dtype }
    }

    /// Reports tensors of two types, and floats of Python beside integers, where the family mixes no types.
    pub(crate) fn refuse_mixed_types(&mut self, operands: &[(&str, &Argument)]) {
        if let Some((one, other, message)) = self.mixed_types(operands) {
            self.fail(&[&one, &other], message);
        }
    }

    /// The names of two operands that do not go together, and what is said of them.
    pub fn mixed_types(&self, operands: &[(&str, &Argument)]) -> Option<(String, String, String)> {
        if self.rules.mixing != Mixing::Never || self.arguments.may_be_arrays {
            return None;
        }
        let known = |(name, argument): &(&str, &Argument)| match argument {
            Argument::Tensor(tensor) if tensor.dtype != DType::Unknown => Some((name.to_string(), tensor.dtype)),
            _ => None,
        };
        let mut types = operands.iter().filter_map(known);
        let (first, dtype) = types.next()?;
        if let Some((other, found)) = types.find(|(_, other)| *other != dtype) {
            let message = format!("`{first}` and `{other}` must have the same dtype, got {dtype} and {found}");
            return Some((first, other, message));
        }
        let (other, _) = operands.iter().find(|(_, argument)| matches!(argument, Argument::Float(_)))?;
        let message = format!("`{first}` is {dtype} and takes no floats, but `{other}` is one");
        is_integral(dtype).then(|| (first, (*other).to_owned(), message))
    }

    /// Requires that two operands have the same element type, as PyTorch's operations that do not promote do; NumPy's promote.
    pub(crate) fn same_type(&mut self, left: (&str, DType), right: (&str, DType)) {
        let promotes = self.arguments.may_be_arrays || matches!(self.rules.mixing, Mixing::ByKind | Mixing::ByWidth);
        if clash(left.1, right.1) && !promotes {
            let message =
                format!("`{}` and `{}` must have the same dtype, got {} and {}", left.0, right.0, left.1, right.1);
            self.fail(&[left.0, right.0], message);
        }
    }
}

/// NumPy's promotion: floats get wide enough for the integers that they meet.
pub(crate) fn promote_arrays(left: DType, right: DType) -> DType {
    let (integer, other) = if is_integral(left) { (left, right) } else { (right, left) };
    let bits = match integer {
        _ if !(is_integral(integer) && (is_real(other) || is_complex(other))) => return promote(left, right),
        DType::Bool => 0,
        DType::Int8 | DType::UInt8 => 8,
        DType::Int16 | DType::UInt16 => 16,
        _ => 64,
    };
    match (other, bits) {
        (DType::Float16, 16) => DType::Float32,
        (DType::Float16 | DType::Float32, 64) => DType::Float64,
        (DType::Complex64, 64) => DType::Complex128,
        _ => other,
    }
}

fn promote(left: DType, right: DType) -> DType {
    if left == DType::Unknown || right == DType::Unknown { DType::Unknown } else { DType::promote(left, right) }
}
