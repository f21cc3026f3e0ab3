//! What the arms of a branch leave behind, and which objects are their own: those that an arm made are known to nobody else until the arms are
//! merged, so that they are neither undone nor merged. Local names of the calls within an arm are most of what it changes.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::heap::objects::{Content, Delta, Heap, Location, LogMark};
use crate::state::interpreter::Interpreter;
use crate::values::value::{Literal, ObjectId, Value};
use harp_python::name::Name;

/// What an arm that was undone left behind.
#[derive(Clone, Debug, Default)]
pub struct ArmDelta {
    /// What it changed of objects that others know.
    pub changes: Delta,
    /// The attributes of its own objects that have several alternatives. They hold what they hold.
    pub open: Vec<(ObjectId, Name)>,
}

impl Heap {
    /// Whether an object itself was changed since `mark`.
    pub fn is_changed_since(&self, mark: LogMark, object: ObjectId) -> bool {
        self.log[mark.changes.min(self.log.len())..].iter().any(|(location, _)| match *location {
            Location::Attribute(id, _) | Location::Payload(id) => id == object,
        })
    }

    /// Whether an attribute of a value of unknown type was set since `mark`, as against asked for.
    pub fn is_given_attributes_since(&self, mark: LogMark, object: ObjectId) -> bool {
        self.log[mark.changes.min(self.log.len())..].iter().any(|(location, _)| match *location {
            Location::Attribute(id, name) if id == object => {
                let owner = match self.attribute(id, name) {
                    Some(Value::Symbolic(part)) => self.symbolic(*part).and_then(|data| data.owner),
                    _ => None,
                };
                owner != Some((id, name))
            }
            _ => false,
        })
    }

    /// The places changed since `mark`, for the end of an arm that is to be undone and may be resumed: the objects from `own` on are the arm's, so
    /// that what they hold stays as it is.
    pub fn delta_of_arm(&self, mark: LogMark, own: usize) -> ArmDelta {
        let mut seen = FxHashSet::default();
        let mut delta = ArmDelta::default();
        for (location, _) in &self.log[mark.changes.min(self.log.len())..] {
            match *location {
                Location::Attribute(id, name) if self.is_own(id, own) => {
                    if let Some(Value::Alternatives(_)) = self.attribute(id, name)
                        && seen.insert(*location)
                    {
                        delta.open.push((id, name));
                    }
                }
                Location::Payload(id) if self.is_own(id, own) => {}
                _ => {
                    if seen.insert(*location) {
                        delta.changes.push((*location, self.content(*location)));
                    }
                }
            }
        }
        delta
    }
}

impl Interpreter<'_> {
    /// From which object on all are known to nobody but the running arm, which began at `base`: those that it made since the last of its ways
    /// out that still wait.
    pub(crate) fn first_own_object(&self, base: LogMark, pending_before: usize) -> usize {
        let waiting = self.pending.get(pending_before..).unwrap_or_default();
        waiting.iter().map(|pending| pending.objects).fold(base.objects, usize::max)
    }

    /// Puts back what an arm that was undone had changed.
    pub fn restore_arm(&mut self, delta: ArmDelta) {
        for (location, content) in delta.changes {
            self.heap.store(location, content);
        }
    }

    /// What the own objects of an arm leave open they leave open under its guard.
    pub(crate) fn open_under(&mut self, guard: &[Literal], delta: &ArmDelta) {
        for &(id, name) in &delta.open {
            if let Some(value) = self.heap.attribute(id, name).cloned() {
                let joined = self.join(vec![(Rc::from(guard), value)]);
                self.heap.set_attribute(id, name, joined);
            }
        }
    }

    /// What an attribute holds after a branch that had it neither before nor in any arm but one, such as a local name of a call: that arm's
    /// value, unless the arm left several.
    pub(crate) fn known_to_one_arm(
        &self,
        held: &[Option<&Content>],
        old: &FxHashMap<Location, Content>,
        location: Location,
    ) -> Option<Content> {
        let Location::Attribute(id, name) = location else { return None };
        let mut contents = held.iter().copied().flatten();
        let (content, None) = (contents.next()?, contents.next()) else { return None };
        if matches!(content, Content::Attribute(Some(Value::Alternatives(_))))
            || self.heap.attribute(id, name).is_some()
            || old.contains_key(&location)
        {
            return None;
        }
        Some(content.clone())
    }
}

/// The places that arms changed, in the order in which they first occur, and for each place what every arm holds there, where it changed it.
pub(crate) fn held_by_arms<'d>(arms: &[(&[Literal], &'d Delta)]) -> (Vec<Location>, Vec<Option<&'d Content>>) {
    let most = arms.iter().map(|(_, delta)| delta.len()).max().unwrap_or(0);
    let mut rows: FxHashMap<Location, usize> = FxHashMap::with_capacity_and_hasher(most, Default::default());
    let (mut places, mut held) = (Vec::with_capacity(most), Vec::with_capacity(most * arms.len()));
    for (arm, (_, delta)) in arms.iter().enumerate() {
        for (location, content) in delta.iter() {
            let row = *rows.entry(*location).or_insert_with(|| {
                places.push(*location);
                held.resize(held.len() + arms.len(), None);
                places.len() - 1
            });
            held[row * arms.len() + arm] = Some(content);
        }
    }
    (places, held)
}
