//! The log of the heap's reads: which places a call reads that were there before it.

use std::cell::{Cell, RefCell};

use rustc_hash::FxHashSet;

use crate::heap::location::Location;
use crate::heap::objects::LogMark;
use crate::values::value::ObjectId;

/// What is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Read {
    Place(Location),
    /// All attributes of an object.
    Attributes(ObjectId),
}

impl Read {
    fn object(self) -> ObjectId {
        match self {
            Read::Place(Location::Attribute(id, _) | Location::Payload(id)) | Read::Attributes(id) => id,
        }
    }
}

/// What was read since a call began.
#[derive(Debug)]
struct Reads {
    /// Objects from this one on are the call's own.
    own: usize,
    found: FxHashSet<Read>,
    /// In the order of their first reading.
    order: Vec<Read>,
}

impl Reads {
    fn note(&mut self, read: Read, most: usize) {
        if (read.object().0 as usize) < self.own && self.order.len() <= most && self.found.insert(read) {
            self.order.push(read);
        }
    }
}

/// The reads of the calls that are being recorded. Nothing is noted where there is none.
#[derive(Debug, Default)]
pub struct ReadLog {
    is_active: Cell<bool>,
    running: RefCell<Vec<Reads>>,
}

impl ReadLog {
    /// More than so many are not kept: the call then counts as one that read too much.
    pub const MOST: usize = 4096;

    #[inline]
    pub fn note(&self, read: impl FnOnce() -> Read) {
        if self.is_active.get() {
            self.note_running(read());
        }
    }

    #[inline(never)]
    fn note_running(&self, read: Read) {
        if let Some(reads) = self.running.borrow_mut().last_mut() {
            reads.note(read, ReadLog::MOST);
        }
    }

    /// Begins with a call whose own objects are those that are made after `mark`.
    pub fn begin(&self, mark: LogMark) {
        self.running.borrow_mut().push(Reads { own: mark.objects, found: FxHashSet::default(), order: Vec::new() });
        self.is_active.set(true);
    }

    /// What the call read that was begun last; `None` where that is too much. Whatever call runs around it read the same.
    pub fn end(&self) -> Option<Vec<Read>> {
        let mut running = self.running.borrow_mut();
        let reads = running.pop()?.order;
        if let Some(around) = running.last_mut() {
            reads.iter().for_each(|read| around.note(*read, ReadLog::MOST));
        }
        self.is_active.set(!running.is_empty());
        (reads.len() <= ReadLog::MOST).then_some(reads)
    }

    /// Forgets all calls.
    pub fn clear(&self) {
        self.running.borrow_mut().clear();
        self.is_active.set(false);
    }
}
