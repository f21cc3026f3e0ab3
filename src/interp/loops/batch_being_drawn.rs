//! Mini-batches that a loop draws of a loader: what fails as samples are drawn, transformed and put together fails
//! where the loop asks for them.

use harp_corpus::Span;
use harp_shape::Var;

/// Which loader draws samples, and who asks.
#[derive(Clone, Copy, Debug, Default)]
pub struct Drawing {
    /// What a loop goes over, while that is evaluated.
    pub iterated: Option<Span>,
    /// Where the loader was made, and where it is asked.
    pub loader: Option<(Span, Span)>,
    /// The index of the sample, which differs from one to the next.
    pub index: Option<Var>,
    /// What was there before a sample was drawn of which another one is asked for: numbers that were drawn since are that sample's own.
    pub before: Option<Var>,
}
