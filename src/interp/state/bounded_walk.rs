//! Bounded walks over abstract values. A value may contain itself, and what parts of it share is met again and again,
//! so that neither depth nor work is bounded by the size of the heap.

use crate::loops::renamed_sizes::Renaming;
use crate::values::value::ObjectId;

/// Parts within parts that are looked at.
pub const DEPTH: u32 = 64;
/// Parts that are looked at in all.
pub const PARTS: u32 = 1 << 16;

/// What a walk may still look at.
#[derive(Debug)]
pub struct Walk {
    depth: u32,
    parts: u32,
    /// The pairs of objects within which it is, outermost first.
    compared: Vec<(ObjectId, ObjectId)>,
    /// Sizes that were met in the place of others.
    pub(crate) renamed: Renaming,
}

impl Default for Walk {
    fn default() -> Walk {
        Walk::new()
    }
}

impl Walk {
    pub fn new() -> Walk {
        Walk { depth: DEPTH, parts: PARTS, compared: Vec::new(), renamed: Renaming::default() }
    }

    /// A walk that ends earlier, for what is asked often.
    pub fn short() -> Walk {
        Walk { depth: DEPTH, parts: PARTS >> 4, compared: Vec::new(), renamed: Renaming::default() }
    }

    /// As far as a short walk goes, once again; what sizes were met in the place of others goes on to hold.
    pub(crate) fn again(&mut self) -> &mut Walk {
        (self.depth, self.parts) = (DEPTH, PARTS >> 4);
        self
    }

    /// Begins to compare two objects; `false` where they are being compared already.
    pub fn enter(&mut self, one: ObjectId, other: ObjectId) -> bool {
        let is_new = !self.compared.contains(&(one, other));
        if is_new {
            self.compared.push((one, other));
        }
        is_new
    }

    /// Ends the comparison that was begun last.
    pub fn leave(&mut self) {
        self.compared.pop();
    }

    /// Looks at a part; `None` where the walk has gone far enough.
    pub fn part<T>(&mut self, look: impl FnOnce(&mut Walk) -> T) -> Option<T> {
        self.parts = self.parts.checked_sub(1)?;
        self.depth = self.depth.checked_sub(1)?;
        let seen = look(self);
        self.depth += 1;
        Some(seen)
    }
}
