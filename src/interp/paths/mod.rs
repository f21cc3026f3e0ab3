//! Branches: deciding a condition, running both arms, joining their heaps (join), path conditions, predicates that were decided before, and
//! whether a place is reached at all. *An arm that ends in an exception does not take part in the join.*

pub(crate) mod arm_effects;
pub(crate) mod branch;
pub(crate) mod fails_on_every_path;
pub(crate) mod join;
pub(crate) mod order_predicates;
pub(crate) mod path_condition;
pub(crate) mod predicates;
pub(crate) mod random_choice;
pub(crate) mod reachability;
pub(crate) mod route_notes;
pub(crate) mod surviving_arms;
pub(crate) mod truth;
