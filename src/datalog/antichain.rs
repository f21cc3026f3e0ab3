//! Assumption sets none of which contains another, at most [`MOST_SETS`] of them.

use crate::derivation_graph::Token;

/// More alternatives than this are not kept.
pub(super) const MOST_SETS: usize = 8;

/// Alternatives: each set alone is enough. No set at all: never.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Antichain {
    /// By size, then by content; each set sorted.
    sets: Vec<Vec<Token>>,
}

impl Antichain {
    /// Holds without assumptions.
    pub fn truth() -> Self {
        Antichain { sets: vec![Vec::new()] }
    }

    /// Holds under all of these assumptions.
    pub fn of(mut set: Vec<Token>) -> Self {
        set.sort_unstable();
        set.dedup();
        Antichain { sets: vec![set] }
    }

    pub fn sets(&self) -> &[Vec<Token>] {
        &self.sets
    }

    /// Adds the alternatives of another. Returns whether one had to go for lack of room.
    pub fn add_all(&mut self, other: &Antichain) -> bool {
        other.sets.iter().fold(false, |cut, set| self.add(set.clone()) | cut)
    }

    fn add(&mut self, set: Vec<Token>) -> bool {
        if self.sets.iter().any(|known| is_subset(known, &set)) {
            return false;
        }
        self.sets.retain(|known| !is_subset(&set, known));
        let at = self.sets.partition_point(|known| (known.len(), known) < (set.len(), &set));
        self.sets.insert(at, set);
        let cut = self.sets.len() > MOST_SETS;
        self.sets.truncate(MOST_SETS);
        cut
    }

    /// Every alternative of one with every alternative of the other.
    pub fn times(&self, other: &Antichain) -> (Antichain, bool) {
        let mut product = Antichain::default();
        let mut cut = false;
        for left in &self.sets {
            for right in &other.sets {
                let mut union: Vec<Token> = left.iter().chain(right).copied().collect();
                union.sort_unstable();
                union.dedup();
                cut |= product.add(union);
            }
        }
        (product, cut)
    }
}

fn is_subset(small: &[Token], large: &[Token]) -> bool {
    if small.len() > large.len() {
        return false;
    }
    let mut rest = large.iter();
    small.iter().all(|token| rest.by_ref().any(|other| other == token))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_minimal_sets_stay() {
        let mut sets = Antichain::of(vec![1, 2]);
        assert!(!sets.add(vec![1, 2, 3]));
        assert!(!sets.add(vec![2]));
        assert!(!sets.add(vec![3]));
        assert_eq!(sets.sets(), [vec![2], vec![3]]);
        let (product, cut) = sets.times(&Antichain::of(vec![3]));
        assert_eq!((product.sets(), cut), (&[vec![3]][..], false));
    }

    #[test]
    fn what_does_not_fit_is_told() {
        let mut sets = Antichain::default();
        let cuts: Vec<bool> = (0..10).map(|token| sets.add(vec![token])).collect();
        assert_eq!(cuts.iter().filter(|cut| **cut).count(), 2);
        assert_eq!(sets.sets().len(), MOST_SETS);
    }
}
