//! Bodies that stop and go on: generators, comprehensions, coroutines. A suspended body is run again up to where it stopped, or kept as it
//! stands.

pub(crate) mod awaiting;
pub(crate) mod comprehensions;
pub mod generator_methods;
pub(crate) mod generator_objects;
pub(crate) mod resumable_bodies;
pub(crate) mod suspension;
pub(crate) mod yields;
