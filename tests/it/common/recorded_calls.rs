//! Which of the recorded calls of real libraries a run replays.

use std::collections::HashMap;

/// So many calls of an operation that the library accepts are replayed, and one of each function beside them.
const ACCEPTED: usize = 5;

/// Whether all are replayed.
pub fn are_all() -> bool {
    std::env::var_os("HARP_ALL_CALLS").is_some()
}

/// Which calls are replayed in every run: all that the library refuses, and a few that it accepts. What is wrong about an operation shows in these;
/// `HARP_ALL_CALLS=1` replays them all.
pub fn chosen<Call>(calls: &[Call], parts: impl Fn(&Call) -> (bool, &str, &str)) -> Vec<bool> {
    let mut counts: HashMap<String, usize> = HashMap::new();
    let mut count = |name: String| {
        let count = counts.entry(name).or_default();
        *count += 1;
        *count
    };
    let is_chosen = |call: &Call| {
        let (is_accepted, operation, code) = parts(call);
        let function = code.split('(').next().unwrap_or_default();
        are_all()
            || !is_accepted
            || count(operation.to_owned()) <= ACCEPTED
            || count(format!("{operation} {function}")) <= 1
    };
    calls.iter().map(is_chosen).collect()
}
