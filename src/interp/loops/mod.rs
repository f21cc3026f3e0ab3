//! Iteration: what a loop runs over, how often, the fixpoint of its body and the widening on the way to it, mini-batches, adapters such as
//! `zip` and `enumerate`. *Every loop ends: by its length, by its fixpoint, or by its budget.*

pub(crate) mod asks_iteration_number;
pub(crate) mod batch_being_drawn;
pub(crate) mod fixpoint;
pub(crate) mod iteration;
pub(crate) mod iterator_adapters;
pub(crate) mod iterators;
pub(crate) mod lazy_sources;
pub(crate) mod lists_filled_by_batches;
pub(crate) mod loop_statements;
pub(crate) mod mini_batches;
pub(crate) mod nonempty_range_facts;
pub(crate) mod range_loops;
pub(crate) mod reassigned_each_iteration;
pub(crate) mod sampled_items;
pub(crate) mod widening;
