//! Which of the recorded calls of real libraries a run replays.

use std::collections::HashMap;

/// So many calls of an operation that the library accepts are replayed, and one of each function beside them.
const ACCEPTED: usize = 5;

/// Leaves the calls that are replayed in every run: all that the library refuses, and a few that it accepts. What is wrong about an operation shows in
/// these; `HARP_ALL_CALLS=1` replays them all.
pub fn sample<Call>(calls: &mut Vec<Call>, parts: impl Fn(&Call) -> (bool, &str, &str)) {
    if std::env::var_os("HARP_ALL_CALLS").is_some() {
        return;
    }
    let mut of_operation: HashMap<String, usize> = HashMap::new();
    let mut of_function: HashMap<String, usize> = HashMap::new();
    calls.retain(|call| {
        let (is_accepted, operation, code) = parts(call);
        let function = code.split('(').next().unwrap_or_default();
        let count = |counts: &mut HashMap<String, usize>, name: String| {
            let count = counts.entry(name).or_default();
            *count += 1;
            *count
        };
        !is_accepted
            || count(&mut of_operation, operation.to_owned()) <= ACCEPTED
            || count(&mut of_function, format!("{operation} {function}")) <= 1
    });
}
