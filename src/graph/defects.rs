//! Which rows the graph lacks because Harp failed on them, or ran out of what it may use.

use harp_limits::{Defect, Stopped};

/// Something that has no rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefectOfGraph {
    /// What has none, such as `the facts of module train`.
    pub what: String,
    /// A panic, or a bound that was reached.
    pub stopped: Stopped,
}

impl DefectOfGraph {
    /// What has no rows, with why the work on it ended.
    pub fn of(stopped: Stopped, what: String) -> DefectOfGraph {
        DefectOfGraph { what, stopped }
    }

    /// What ran out, if something did.
    pub fn ceiling(&self) -> Option<&'static str> {
        match &self.stopped {
            Stopped::Ceiling(ceiling) => Some(ceiling.name()),
            Stopped::Defect(_) => None,
        }
    }

    /// The panic, if it was one.
    pub fn defect(&self) -> Option<&Defect> {
        match &self.stopped {
            Stopped::Defect(defect) => Some(defect),
            Stopped::Ceiling(_) => None,
        }
    }
}
