//! The trace's record of places where something was not understood.

use harp_corpus::Span;
use rustc_hash::FxHashSet;

use crate::Trace;

/// Places at which the analysis met one API or reason that it could not follow.
///
/// A place counts once: how often the analysis passes it depends on loops, on callers and on budgets, and says nothing of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotUnderstood {
    /// The place that was met first.
    pub first: Span,
    /// Distinct places, `first` included.
    pub places: FxHashSet<Span>,
    /// How often the places were met, all together. It tells whether an attempt met anything anew; no report shows it.
    pub meetings: u64,
}

impl Trace {
    /// Counts that `what` was not understood at a place.
    pub fn count_not_understood(&mut self, what: &str, place: Span) {
        match self.not_understood.get_mut(what) {
            Some(known) => {
                known.places.insert(place);
                known.meetings += 1;
            }
            None => {
                let places = std::iter::once(place).collect();
                self.not_understood.insert(what.to_owned(), NotUnderstood { first: place, places, meetings: 1 });
            }
        }
    }
}
