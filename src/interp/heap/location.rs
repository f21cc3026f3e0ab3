//! The places of the heap that can change.

use std::hash::{Hash, Hasher};

use crate::values::value::ObjectId;
use harp_python::name::Name;

/// A place that can change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Location {
    Attribute(ObjectId, Name),
    Payload(ObjectId),
}

/// As one number: arms are merged place by place.
impl Hash for Location {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let (id, number) = match self {
            Location::Attribute(id, name) => (id, name.number()),
            Location::Payload(id) => (id, u32::MAX),
        };
        state.write_u64(u64::from(id.0) << 32 | u64::from(number));
    }
}
