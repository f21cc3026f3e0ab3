//! The fuzz targets of `fuzz/` on a few inputs that are made of the repository's own files, the same in every run: nothing makes Harp panic.
//!
//! `HARP_FUZZ_CASES=100000 cargo test --test it fuzz` looks longer than the test suite does. `fuzz/` looks with the help of coverage, and
//! `tests/tools/fuzz_programs.py` at the whole program and what it takes.

#[path = "../fuzz_inputs/mod.rs"]
mod fuzz_inputs;
#[path = "../fuzz_targets/mod.rs"]
mod fuzz_targets;

use std::panic::catch_unwind;

use fuzz_inputs::{Draw, inputs};
use fuzz_targets::TARGETS;

const SEED: u64 = 20_261_121;

/// Runs a target on some inputs; the number of one that fails is told with what it was.
#[track_caller]
fn look(name: &str, usual: u64) {
    let (_, run) = TARGETS.iter().find(|(target, _)| *target == name).expect("a target of this name");
    let cases = std::env::var("HARP_FUZZ_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(usual);
    let inputs = inputs(name);
    for case in 0..cases {
        let input = inputs.draw(&mut Draw::new(SEED ^ (case << 20)));
        assert!(catch_unwind(|| run(&input)).is_ok(), "case {case} of {name}:\n{}", String::from_utf8_lossy(&input));
    }
}

#[test]
fn programs() {
    look("python", 15);
}

#[test]
fn notebooks() {
    look("notebook", 15);
}

#[test]
fn rules_of_a_pack() {
    look("rules", 12);
}

#[test]
fn annotations_of_a_library() {
    look("annotations", 12);
}

#[test]
fn notation_of_shapes() {
    look("shapes", 10);
}

#[test]
fn patterns_of_einops() {
    look("einops", 20);
}

#[test]
fn settings_and_configurations() {
    look("settings", 30);
}

/// Each target of `fuzz/` is one of those here.
#[test]
fn every_target_is_tried() {
    let manifest = include_str!("../../fuzz/Cargo.toml");
    let names: Vec<&str> =
        manifest.split("[[bin]]\nname = \"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert_eq!(names, TARGETS.map(|(name, _)| name));
}
