//! The names of operations in the libraries that have them, and of operators in Python.

use harp_python::ir::BinaryOperator;

/// NumPy's name of an operation that PyTorch calls `name`.
pub fn numpy_name(name: &str) -> &str {
    match name {
        "sub" => "subtract",
        "mul" => "multiply",
        "div" => "divide",
        "pow" => "power",
        "neg" => "negative",
        "eq" => "equal",
        "ne" => "not_equal",
        "lt" => "less",
        "le" => "less_equal",
        "gt" => "greater",
        "ge" => "greater_equal",
        "bitwise_not" => "invert",
        other => other,
    }
}

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
