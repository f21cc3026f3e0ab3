//! What Harp takes for granted of values whose type it does not know: HARP's speculation by member names (class S2).

/// Members that, among the objects of machine-learning programs, only tensors have. Names that containers, modules or PIL images share
/// (`size`, `to`, `copy`, `sum` of data frames …) are left out.
const TENSOR_MEMBERS: [&str; 48] = [
    "argmax",
    "argmin",
    "backward",
    "bmm",
    "chunk",
    "clamp",
    "contiguous",
    "cpu",
    "cumsum",
    "data_ptr",
    "detach",
    "dim",
    "expand",
    "expand_as",
    "flatten",
    "gather",
    "grad",
    "grad_fn",
    "half",
    "index_select",
    "masked_fill",
    "masked_fill_",
    "matmul",
    "mm",
    "new_full",
    "new_ones",
    "new_tensor",
    "new_zeros",
    "nonzero",
    "numel",
    "permute",
    "requires_grad",
    "requires_grad_",
    "reshape",
    "retain_grad",
    "scatter_",
    "softmax",
    "squeeze",
    "std",
    "t",
    "topk",
    "transpose",
    "type_as",
    "unbind",
    "unfold",
    "unsqueeze",
    "view",
    "view_as",
];

/// Whether an attribute of that name makes its owner a tensor.
pub fn is_tensor_member(name: &str) -> bool {
    TENSOR_MEMBERS.binary_search(&name).is_ok()
}

/// Those of the members that NumPy's arrays have, too.
const ARRAY_MEMBERS: [&str; 10] =
    ["argmax", "argmin", "cumsum", "flatten", "nonzero", "reshape", "squeeze", "std", "transpose", "view"];

/// Whether an array of NumPy has the member as well.
pub fn is_array_member(name: &str) -> bool {
    ARRAY_MEMBERS.binary_search(&name).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_sorted_for_the_search() {
        assert!(TENSOR_MEMBERS.is_sorted() && ARRAY_MEMBERS.is_sorted());
        assert!(is_tensor_member("backward") && is_tensor_member("grad"));
        assert!(!is_tensor_member("append"));
    }
}
