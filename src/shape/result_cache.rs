//! Results of arithmetic on dimensions that were made lately: questions repeat the same sums and products, and to find an equal polynomial in the
//! table takes longer than to remember which it was.

use crate::dim::Dim;

/// Results that are kept: a later one takes the place of one that falls on the same slot.
const SLOTS: usize = 2_048;

/// What was done with two dimensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    Sum,
    Difference,
    Product,
}

#[derive(Clone, Copy)]
struct Slot {
    left: Dim,
    right: Dim,
    result: Dim,
    operation: Operation,
    /// How often dimensions had been forgotten.
    era: u32,
}

/// Results by operation and operands, as long as no dimension is forgotten.
#[derive(Default)]
pub(super) struct Made {
    slots: Vec<Slot>,
    era: u32,
}

impl Made {
    pub fn get(&self, operation: Operation, left: Dim, right: Dim) -> Option<Dim> {
        let slot = self.slots.get(place(operation, left, right))?;
        let is_it = slot.era == self.era && slot.left == left && slot.right == right && slot.operation == operation;
        is_it.then_some(slot.result)
    }

    pub fn keep(&mut self, operation: Operation, left: Dim, right: Dim, result: Dim) {
        if self.slots.is_empty() {
            let nothing = Slot { left: Dim::ZERO, right: Dim::ZERO, result: Dim::ZERO, operation, era: u32::MAX };
            self.slots = vec![nothing; SLOTS];
        }
        self.slots[place(operation, left, right)] = Slot { left, right, result, operation, era: self.era };
    }

    /// Forgets all results: other dimensions may get the handles in them.
    pub fn forget(&mut self) {
        self.era += 1;
        if self.era == u32::MAX {
            *self = Made::default();
        }
    }
}

fn place(operation: Operation, left: Dim, right: Dim) -> usize {
    const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;
    let mixed = (left.bits().rotate_left(32) ^ right.bits() ^ ((operation as u64) << 61)).wrapping_mul(SPREAD);
    (mixed >> (64 - SLOTS.trailing_zeros())) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_known_until_dimensions_are_forgotten() {
        let [two, three, five] = [2, 3, 5].map(Dim::constant);
        let mut made = Made::default();
        assert_eq!(made.get(Operation::Sum, two, three), None);
        made.keep(Operation::Sum, two, three, five);
        assert_eq!(made.get(Operation::Sum, two, three), Some(five));
        assert_eq!(made.get(Operation::Difference, two, three), None);
        assert_eq!(made.get(Operation::Sum, three, two), None);
        made.forget();
        assert_eq!(made.get(Operation::Sum, two, three), None);
    }
}
