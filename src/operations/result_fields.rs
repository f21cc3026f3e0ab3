//! The fields of operations' results by name, as in `x.max(dim=1).values`.

/// The field names of the named tuple that an operation returns; empty where it returns a plain tuple. `api` is the qualified or the
/// short name of the function or method.
pub fn field_names(api: &str) -> &'static [&'static str] {
    let name = api.rsplit('.').next().unwrap_or(api);
    match name {
        "max" | "min" | "median" | "nanmedian" | "mode" | "kthvalue" | "sort" | "msort" | "topk" | "cummax"
        | "cummin" => &["values", "indices"],
        "aminmax" => &["min", "max"],
        "svd" if api.contains("linalg") => &["U", "S", "Vh"],
        "svd" => &["U", "S", "V"],
        "qr" => &["Q", "R"],
        "eigh" | "eig" if api.contains("linalg") => &["eigenvalues", "eigenvectors"],
        "eig" => &["eigenvalues", "eigenvectors"],
        "slogdet" => &["sign", "logabsdet"],
        "lstsq" => &["solution", "residuals", "rank", "singular_values"],
        _ if api.contains(".AdaptiveLogSoftmaxWithLoss") => &["output", "loss"],
        "lu" => &["P", "L", "U"],
        _ => &[],
    }
}
