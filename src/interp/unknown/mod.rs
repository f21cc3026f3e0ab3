//! Code that is not followed: which objects it may reach (escape), and what is not known of them any more afterwards (invalidation).
//! *An object that never escaped keeps what is known of it.*

pub(crate) mod escaped_objects;
pub(crate) mod forget_attributes;
pub(crate) mod invalidation;
pub(crate) mod unknown_calls;
