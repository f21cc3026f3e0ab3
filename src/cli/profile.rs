//! What an analysis cost: the time of its phases, and of each rule.

use std::time::{Duration, Instant};

use crate::datalog::RuleProfile;

/// Times and counts of one run. They differ from run to run and are no part of a report.
#[derive(Clone, Debug, Default)]
pub struct Profile {
    /// In the order in which they ran.
    pub phases: Vec<(&'static str, Duration)>,
    /// In the order of the sources.
    pub rules: Vec<RuleProfile>,
}

impl Profile {
    /// Runs a phase and notes how long it took.
    pub fn measure<T>(&mut self, phase: &'static str, run: impl FnOnce() -> T) -> T {
        let started = Instant::now();
        let result = run();
        self.phases.push((phase, started.elapsed()));
        result
    }
}
