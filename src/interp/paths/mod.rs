//! Branches: deciding a condition, running both arms, joining their heaps (join), path conditions, predicates that were decided before, and
//! whether a place is reached at all. *An arm that ends in an exception does not take part in the join.*

pub mod arm_effects;
pub mod branch;
pub mod entries_by_key;
pub mod fails_on_every_path;
pub mod join;
mod merged_containers;
pub mod order_predicates;
pub mod path_condition;
pub mod predicates;
pub mod random_choice;
pub mod reachability;
pub mod route_notes;
pub mod surviving_arms;
pub mod truth;
mod way_combinations;
