//! Code that is not followed: which objects it may reach (escape), and what is not known of them any more afterwards (invalidation).
//! *An object that never escaped keeps what is known of it.*

pub mod escaped_objects;
pub mod forget_attributes;
pub mod invalidation;
pub mod unknown_calls;
