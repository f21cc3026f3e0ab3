//! Iteration: what a loop runs over, how often, the fixpoint of its body and the widening on the way to it, mini-batches, adapters such as
//! `zip` and `enumerate`. *Every loop ends: by its length, by its fixpoint, or by its budget.*

pub mod asked_numbers;
pub mod asks_iteration_number;
pub mod batch_being_drawn;
pub mod doubtful_items;
pub mod fixpoint;
pub(crate) mod growth_of_lists;
pub mod items_of_iterations;
pub(crate) mod items_that_differ;
pub mod iteration;
pub mod iterator_adapters;
pub mod iterators;
pub mod lazy_sources;
pub mod lists_filled_by_batches;
pub(crate) mod loop_ends;
pub mod loop_statements;
pub(crate) mod loops_without_rounds;
pub mod mini_batches;
pub mod nonempty_range_facts;
pub(crate) mod novelty;
pub(crate) mod outlines;
pub mod perhaps_unbound;
pub mod range_loops;
pub mod reassigned_each_iteration;
pub(crate) mod renamed_sizes;
pub mod sampled_items;
pub(crate) mod skipped_iterations;
pub(crate) mod unused_sizes;
pub(crate) mod unvisited_items;
pub mod widening;
