//! Vectorises a loop: which type the elements of its arrays have. A number of Python's takes the type of the array's
//! element that it meets, `np.uint8(3) + 4`; an array of such numbers has a type of its own, and changes that of the
//! result.

use harp_python::ir::BinaryOperator;
use harp_shape::DType;

use crate::vectorise::translate::{ATOM, Piece, Translator};

/// The largest integer type holds all that the loop variable is; the widest floating-point type all that Python computes.
const WIDE: [DType; 4] = [DType::Float64, DType::Complex128, DType::Int64, DType::Bool];

impl Translator<'_, '_> {
    /// Two operands, of which numbers of Python's have the type that the elements of the other one are of.
    pub fn of_one_type(&mut self, [left, right]: [Piece; 2]) -> [Piece; 2] {
        match (left.is_python_number() && right.is_of_library, right.is_python_number() && left.is_of_library) {
            (true, _) => [self.of_type_of(left, &right), right],
            (_, true) => {
                let right = self.of_type_of(right, &left);
                [left, right]
            }
            _ => {
                self.meet_one_element(&left, &right);
                [left, right]
            }
        }
    }

    /// An element that is the same in all iterations has no dimensions, and the array that takes the place of the others
    /// has some: PyTorch then goes by the array's type, and NumPy did before 2.0.
    fn meet_one_element(&mut self, left: &Piece, right: &Piece) {
        let (array, one) = match (left.varies, right.varies) {
            (true, false) => (left, right),
            (false, true) => (right, left),
            _ => return,
        };
        if !one.is_of_library {
            return;
        }
        let is_same = match (array.dtype, one.dtype) {
            (Some(array), Some(one)) => array == one || self.reads_tensors && is_settled_by_kind(array, one),
            _ => false,
        };
        if !is_same {
            self.risk("an element that is the same in all iterations may give the result another type");
        }
    }

    fn of_type_of(&mut self, number: Piece, other: &Piece) -> Piece {
        let is_integer = number.degree.is_some();
        let Some(dtype) = other.dtype else {
            self.risk("the elements may get another type");
            return number;
        };
        let is_kept = match self.reads_tensors {
            true => is_integer && (dtype.is_floating() || dtype == DType::Int64),
            // An integer and a floating-point number of Python's give one of 64 bits, as arrays of both do.
            false => WIDE.contains(&dtype),
        };
        if is_kept {
            return number;
        }
        // Whether a list has integers, is not told by its type.
        if !is_integer && !dtype.is_floating() && !dtype.is_complex() {
            self.risk("the elements may get another type");
            return number;
        }
        self.risk(match dtype.is_floating() || dtype.is_complex() {
            true => "NumPy before 2.0 computes with a number of Python's in 64 bits",
            false => "integers that do not fit their type raise no error",
        });
        let text = match self.reads_tensors {
            true => format!("{}.to({}.{dtype})", number.wrapped(ATOM), self.file.libraries.torch),
            false => format!("{}.astype({}.{dtype})", number.wrapped(ATOM), self.numpy()),
        };
        Piece { text, precedence: ATOM, dtype: Some(dtype), is_view: false, ..number }
    }
}

/// Whether one of two types of PyTorch decides on that of a result, with dimensions and without.
fn is_settled_by_kind(array: DType, one: DType) -> bool {
    let kind = |dtype: DType| match dtype {
        DType::Bool => 0,
        dtype if dtype.is_complex() => 3,
        dtype if dtype.is_floating() => 2,
        _ => 1,
    };
    // A complex number of a floating-point one has its width.
    kind(array) != kind(one) && kind(one) != 3
}

/// The type of the elements of a result, where it is surely that of its operands.
pub fn type_of_result(operator: BinaryOperator, left: &Piece, right: &Piece) -> Option<DType> {
    let (left, right) = match (left.is_of_library, right.is_of_library) {
        (true, true) => (left.dtype?, right.dtype?),
        (true, false) if left.dtype == Some(DType::Float64) || right.is_python_number() => (left.dtype?, left.dtype?),
        (false, true) if right.dtype == Some(DType::Float64) || left.is_python_number() => (right.dtype?, right.dtype?),
        _ => return None,
    };
    let is_kept = left == right && (left.is_floating() || left.is_complex() || operator != BinaryOperator::Divide);
    is_kept.then_some(left)
}
