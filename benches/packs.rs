//! How long every start of Harp spends on the built-in packs: reading, parsing and checking their rules over the schema.
//!
//! `cargo bench --bench packs` prints the median of many runs in one process, and the first run, which no cache has warmed.

use std::time::{Duration, Instant};

use harp::cli::pipeline::Rules;
use harp::cli::rule_findings::functors;

const RUNS: usize = 200;

fn main() {
    let mut times: Vec<Duration> = (0..RUNS).map(|_| once()).collect();
    let first = times[0];
    times.sort();
    println!("loading and checking the built-in packs: first {first:.2?}, median {:.2?}", times[RUNS / 2]);
}

fn once() -> Duration {
    let functors = functors();
    let started = Instant::now();
    let rules = Rules::load(&[], &functors);
    let time = started.elapsed();
    assert!(rules.errors.is_empty() && rules.program.is_some());
    time
}
