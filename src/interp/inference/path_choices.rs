//! Runs a function one path at a time for its signature: where the interpreter would follow several arms and merge
//! them, it takes one, and the next run takes another.
//!
//! A signature needs the requirements of each path by itself. Merging keeps only what all paths agree on, so a function is run once for
//! each path instead, the ways with the fewest turns off the first one coming first.

use std::collections::BTreeSet;

use crate::values::value::Literal;
use harp_shape::Constraint;

/// An arm that was taken where there were several.
#[derive(Clone, Debug)]
pub struct Choice {
    pub taken: usize,
    pub arms: usize,
    /// The decisions that make it this arm.
    pub literals: Vec<Literal>,
    pub constraint: Option<Constraint>,
    /// Which choice it is, the same on all paths.
    pub key: String,
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

/// A way that a path takes where it could have taken its first one.
type Turn = (String, usize);

/// The paths that wait to be followed: those that turn off the first path least often come first, and last those with turns that changed
/// nothing before.
#[derive(Debug)]
pub struct Waiting {
    queue: Vec<Planned>,
    /// Turns that changed nothing, each taken alone.
    idle: BTreeSet<Turn>,
    /// Turns that changed something.
    telling: BTreeSet<Turn>,
    followed: usize,
    most: usize,
}

/// A path to follow.
#[derive(Clone, Debug, Default)]
pub struct Planned {
    /// The arms to take first.
    pub given: Vec<usize>,
    turns: Vec<Turn>,
    /// What the path gave that this one turns off.
    before: String,
}

impl Waiting {
    pub fn new(most: usize) -> Waiting {
        let (idle, telling) = (BTreeSet::new(), BTreeSet::new());
        Waiting { queue: vec![Planned::default()], idle, telling, followed: 0, most }
    }

    /// The next path; `None` where all were followed, or as many as may be.
    pub fn next_planned(&mut self) -> Option<Planned> {
        if self.followed >= self.most {
            return None;
        }
        let best = (0..self.queue.len()).min_by_key(|index| {
            let planned = &self.queue[*index];
            (self.cost(planned), planned.given.clone())
        })?;
        self.followed += 1;
        Some(self.queue.swap_remove(best))
    }

    /// Turns that changed nothing by themselves count more than a path can have of the others.
    fn cost(&self, planned: &Planned) -> usize {
        planned.turns.iter().map(|turn| if self.is_idle(turn) { 64 } else { 1 }).sum()
    }

    fn is_idle(&self, turn: &Turn) -> bool {
        self.idle.contains(turn) && !self.telling.contains(turn)
    }

    /// Notes what a path gave, and adds the paths that turn off it.
    pub fn add_turns(&mut self, planned: &Planned, made: &[(Choice, String)], given: &str) {
        if let Some(turn) = planned.turns.last() {
            if planned.before == given { &mut self.idle } else { &mut self.telling }.insert(turn.clone());
        }
        let taken: Vec<usize> = made.iter().map(|(choice, _)| choice.taken).collect();
        let turn_at = |index: usize, taken: usize| -> Turn { (made[index].0.key.clone(), taken) };
        for (index, (choice, _)) in made.iter().enumerate().skip(planned.given.len()) {
            for other in (0..choice.arms).filter(|other| *other != choice.taken) {
                let mut turned = taken[..index].to_vec();
                turned.push(other);
                let turns = turned.iter().enumerate().filter(|(_, taken)| **taken != 0);
                let turns = turns.map(|(index, taken)| turn_at(index, *taken)).collect();
                self.queue.push(Planned { given: turned, turns, before: given.to_owned() });
            }
        }
        // More than can be followed need not be remembered, but that there are more.
        if self.queue.len() > 4 * self.most {
            self.queue.sort_by_key(|planned| (planned.turns.len(), planned.given.clone()));
            self.queue.truncate(4 * self.most);
        }
    }

    /// Whether paths were left out that may give something else.
    pub fn is_cut_short(&self) -> bool {
        self.queue.iter().any(|planned| !planned.turns.iter().any(|turn| self.is_idle(turn)))
    }

    /// Whether only paths were left out with turns that changed nothing by themselves.
    pub fn leaves_idle_turns(&self) -> bool {
        !self.queue.is_empty() && !self.is_cut_short()
    }
}
