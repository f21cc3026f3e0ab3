//! One path at a time: where the interpreter would follow several arms and merge them, it takes one, and the next run takes another.
//!
//! A signature needs the requirements of each path by itself. Merging keeps only what all paths agree on, so a function is run once for
//! each path instead, the ways with the fewest turns off the first one coming first.

use std::collections::BTreeSet;

use crate::interp::value::Literal;
use crate::shape::Constraint;

/// An arm that was taken where there were several.
#[derive(Clone, Debug)]
pub struct Choice {
    pub taken: usize,
    pub arms: usize,
    /// The decisions that make it this arm.
    pub literals: Vec<Literal>,
    pub constraint: Option<Constraint>,
}

/// The choices of one run: the first ones are given, the rest is always the first arm.
#[derive(Clone, Debug, Default)]
pub struct Choices {
    given: Vec<usize>,
    pub made: Vec<Choice>,
}

impl Choices {
    pub fn new(given: Vec<usize>) -> Choices {
        Choices { given, made: Vec::new() }
    }

    /// The arm to take of so many.
    pub fn next(&self, arms: usize) -> usize {
        let given = self.given.get(self.made.len()).copied().unwrap_or(0);
        given.min(arms.saturating_sub(1))
    }
}

/// The paths that wait to be followed: those that turn off the first path least often come first.
#[derive(Debug)]
pub struct Waiting {
    queue: BTreeSet<(usize, Vec<usize>)>,
    followed: usize,
    most: usize,
}

impl Waiting {
    pub fn new(most: usize) -> Waiting {
        Waiting { queue: BTreeSet::from([(0, Vec::new())]), followed: 0, most }
    }

    /// The next path; `None` where all were followed, or as many as may be.
    pub fn next(&mut self) -> Option<Vec<usize>> {
        if self.followed >= self.most {
            return None;
        }
        self.followed += 1;
        self.queue.pop_first().map(|(_, given)| given)
    }

    /// Adds the paths that turn off the one that was just followed.
    pub fn add_turns(&mut self, given: usize, made: &[Choice]) {
        let taken: Vec<usize> = made.iter().map(|choice| choice.taken).collect();
        for (index, choice) in made.iter().enumerate().skip(given) {
            for other in (0..choice.arms).filter(|other| *other != choice.taken) {
                let mut turned = taken[..index].to_vec();
                turned.push(other);
                let turns = turned.iter().filter(|taken| **taken != 0).count();
                self.queue.insert((turns, turned));
            }
            // More than can be followed need not be remembered.
            while self.queue.len() > self.most {
                self.queue.pop_last();
            }
        }
    }

    /// Whether paths were left out.
    pub fn is_cut_short(&self) -> bool {
        !self.queue.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(taken: usize, arms: usize) -> Choice {
        Choice { taken, arms, literals: Vec::new(), constraint: None }
    }

    #[test]
    fn every_path_is_followed_once_and_near_ones_first() {
        let mut waiting = Waiting::new(100);
        let mut followed = Vec::new();
        while let Some(given) = waiting.next() {
            let choices = Choices::new(given.clone());
            let first = choices.next(2);
            let second = given.get(1).copied().unwrap_or(0);
            let made = [choice(first, 2), choice(second, 3)];
            waiting.add_turns(given.len(), &made);
            followed.push((first, second));
        }
        assert_eq!(followed, [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]);
        assert!(!waiting.is_cut_short());
    }

    #[test]
    fn the_number_of_paths_is_bounded() {
        let mut waiting = Waiting::new(8);
        let mut count = 0;
        while let Some(given) = waiting.next() {
            let made: Vec<Choice> = (0..64).map(|at| choice(given.get(at).copied().unwrap_or(0), 2)).collect();
            waiting.add_turns(given.len(), &made);
            count += 1;
        }
        assert_eq!(count, 8);
        assert!(waiting.is_cut_short());
    }
}
