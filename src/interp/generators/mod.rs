//! Bodies that stop and go on: generators, comprehensions, coroutines. A suspended body is run again up to where it stopped, or kept as it
//! stands.

pub mod awaiting;
pub mod comprehensions;
pub mod generator_methods;
pub mod generator_objects;
pub mod resumable_bodies;
pub mod suspension;
pub mod yields;
