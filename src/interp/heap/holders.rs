//! Which objects hold an object of a class in an attribute. A heap of a project has many more objects than such holders, and each entry point asks.

use rustc_hash::FxHashMap;

use crate::heap::objects::{Heap, Payload};
use crate::values::value::{ObjectId, Value};
use harp_python::name::Name;

/// An attribute that held an object once.
type Place = (ObjectId, Name);

/// Attributes of objects of classes that were given such an object. What they hold now may be another one.
#[derive(Debug, Default)]
pub(crate) struct Holders {
    /// Of changes that may be undone.
    new: Vec<Place>,
    /// Of changes that are final, by the object that is held.
    lasting: FxHashMap<ObjectId, Vec<Place>>,
}

impl Holders {
    /// Notes that an attribute is given an object.
    pub fn note(&mut self, holder: ObjectId, name: Name) {
        self.new.push((holder, name));
    }
}

impl Heap {
    /// The attributes that hold an object and changed since changes were made final, by the object.
    pub(crate) fn new_holders(&self) -> FxHashMap<ObjectId, Vec<Place>> {
        let mut holders: FxHashMap<ObjectId, Vec<Place>> = FxHashMap::default();
        for (holder, name) in &self.holders.new {
            if let Some(held) = self.held_by(*holder, *name) {
                holders.entry(held).or_default().push((*holder, *name));
            }
        }
        holders
    }

    /// The attributes that hold the object, and have since before changes were made final.
    pub(crate) fn lasting_holders(&self, held: ObjectId) -> impl Iterator<Item = Place> + '_ {
        let places = self.holders.lasting.get(&held).map_or(&[][..], Vec::as_slice);
        places.iter().copied().filter(move |(holder, name)| self.held_by(*holder, *name) == Some(held))
    }

    /// Makes those final that changed.
    pub(super) fn settle_holders(&mut self) {
        for (held, places) in self.new_holders() {
            let known = self.holders.lasting.entry(held).or_default();
            known.extend(places);
            known.sort_unstable();
            known.dedup();
        }
        self.holders.new.clear();
    }

    /// Forgets those of objects from `length` on, which are gone.
    pub(super) fn forget_holders(&mut self, length: usize) {
        let mut places = std::mem::take(&mut self.holders.new);
        places.retain(|(holder, name)| (holder.0 as usize) < length && self.held_by(*holder, *name).is_some());
        places.sort_unstable();
        places.dedup();
        self.holders.new = places;
    }

    /// The object of a class that an attribute of another one holds now.
    fn held_by(&self, holder: ObjectId, name: Name) -> Option<ObjectId> {
        let object = self.objects.get(holder.0 as usize)?;
        match (&object.payload, object.attributes.get(name)) {
            (Payload::Instance(_), Some(Value::Instance(held))) => Some(*held),
            _ => None,
        }
    }
}
