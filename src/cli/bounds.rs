//! What a command's analysis may use, as the command line and the configuration say it together.

use std::time::{Duration, Instant};

use harp_interp::Limits;

use crate::options::{BoundOptions, Effort};

/// The memory that an analysis may use where nobody says more: a configuration of the analysed project takes no more than that.
pub const USUAL_MEMORY: u64 = 2 << 30;

/// What an analysis may use. What runs out is told, and what was found until then is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// In bytes; 0 means any amount.
    pub memory: u64,
    /// The statements and calls of one entry that are followed at most.
    pub steps: u64,
    /// The time after which the program is not followed any more.
    pub time: Option<TimeLimit>,
}

/// How long an analysis may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeLimit {
    /// All that is analysed in one run.
    OfRun(Duration),
    /// The files of one configuration.
    OfProject(Duration),
}

impl TimeLimit {
    /// When it is over, from now on; `None` where that is never.
    pub fn end(self) -> Option<Instant> {
        let (TimeLimit::OfRun(limit) | TimeLimit::OfProject(limit)) = self;
        Instant::now().checked_add(limit)
    }
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds::of(&BoundOptions::default(), &BoundOptions::default())
    }
}

impl Bounds {
    /// The options of the command line over those of the configuration. Who names an effort means its steps.
    pub fn of(typed: &BoundOptions, configured: &BoundOptions) -> Bounds {
        let steps = |options: &BoundOptions| options.steps.or(options.effort.map(Effort::steps));
        Bounds {
            memory: typed.memory.or(configured.memory).unwrap_or(USUAL_MEMORY),
            steps: steps(typed).or(steps(configured)).unwrap_or(Effort::default().steps()),
            time: typed.time_limit.map(TimeLimit::OfRun).or(configured.time_limit.map(TimeLimit::OfProject)),
        }
    }
}

impl Effort {
    /// The statements and calls of one entry that are followed at most.
    pub fn steps(self) -> u64 {
        let usual = Limits::default().steps;
        match self {
            Effort::Low => usual / 5,
            Effort::Normal => usual,
            Effort::High => usual * 5,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_wins() {
        let second = Duration::from_secs(1);
        let configured = BoundOptions { memory: Some(7), effort: None, steps: Some(9), time_limit: Some(second) };
        let bounds = Bounds::of(&BoundOptions::default(), &configured);
        assert_eq!(bounds, Bounds { memory: 7, steps: 9, time: Some(TimeLimit::OfProject(second)) });
        let typed = BoundOptions { memory: Some(0), effort: Some(Effort::High), steps: None, time_limit: Some(second) };
        let bounds = Bounds::of(&typed, &configured);
        let expected = Bounds { memory: 0, steps: Effort::High.steps(), time: Some(TimeLimit::OfRun(second)) };
        assert_eq!(bounds, expected);
        assert_eq!(Bounds::default().steps, Effort::Normal.steps());
    }
}
