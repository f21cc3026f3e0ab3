//! The names of operations in the libraries that have them.

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
