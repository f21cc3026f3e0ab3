//! The names of library operations that Python's operators mean: `+` is `add`.

use harp_python::ir::BinaryOperator;

/// What the methods of an operator are called after.
pub fn name_of(operator: BinaryOperator) -> &'static str {
    match operator {
        BinaryOperator::Add => "add",
        BinaryOperator::Subtract => "sub",
        BinaryOperator::Multiply => "mul",
        BinaryOperator::MatrixMultiply => "matmul",
        BinaryOperator::Divide => "truediv",
        BinaryOperator::FloorDivide => "floordiv",
        BinaryOperator::Modulo => "mod",
        BinaryOperator::Power => "pow",
        BinaryOperator::LeftShift => "lshift",
        BinaryOperator::RightShift => "rshift",
        BinaryOperator::BitOr => "or",
        BinaryOperator::BitXor => "xor",
        BinaryOperator::BitAnd => "and",
    }
}
