//! Places at which tests make Harp panic: whether a panic costs no more than what it should is tried in the whole program.

use std::sync::OnceLock;

/// Faults that are wanted, such as `entry train, rule acme/loop`.
const VARIABLE: &str = "HARP_FAULTS";

/// Panics where a test has asked for it. Nobody can ask a program that is built without debug assertions.
#[inline]
pub fn fault_point(kind: &str, name: &str) {
    if cfg!(debug_assertions) {
        panic_if_wanted(kind, name);
    }
}

/// The variable by which a test asks for faults, with its value, for a process that gets nothing else of the environment.
pub fn asked_for() -> Option<(&'static str, std::ffi::OsString)> {
    std::env::var_os(VARIABLE).filter(|_| cfg!(debug_assertions)).map(|value| (VARIABLE, value))
}

fn panic_if_wanted(kind: &str, name: &str) {
    static WANTED: OnceLock<Vec<String>> = OnceLock::new();
    let wanted = WANTED.get_or_init(|| {
        let text = std::env::var(VARIABLE).unwrap_or_default();
        text.split(',').map(|fault| fault.trim().to_owned()).filter(|fault| !fault.is_empty()).collect()
    });
    let is_wanted = wanted
        .iter()
        .any(|fault| fault.rsplit_once(' ') == Some((kind, name)) || fault.split_once(' ') == Some((kind, name)));
    assert!(!is_wanted, "a test asked for a fault in {kind} {name}");
}
