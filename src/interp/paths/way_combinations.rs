//! Whether the decisions of a path agree: ways can be chosen for all that it says of several ways.

use rustc_hash::FxHashSet;

use crate::state::interpreter::Interpreter;
use crate::values::value::Literal;
use harp_limits::light_ticks;

/// So many combinations of ways are looked at.
const MOST_COMBINATIONS: usize = 256;
/// Looking at a literal takes as long as so many light ticks.
const TICKS_OF_A_LITERAL: usize = 4;

/// What a path says, with the ways that are chosen so far.
#[derive(Default)]
struct Combination {
    /// Each once, in the order in which they came.
    literals: Vec<Literal>,
    known: FxHashSet<Literal>,
    /// How many of them say the opposite of one before.
    clashes: usize,
    /// How many more may be looked at.
    left: usize,
}

impl Interpreter<'_> {
    /// Whether one combination of ways leaves the decisions of the path in agreement. Of very many combinations the first are looked at.
    pub(super) fn is_some_combination_coherent(&self, answers_alike: bool) -> bool {
        let mut combination = Combination { left: MOST_COMBINATIONS, ..Combination::default() };
        self.add_to(&mut combination, &self.path);
        self.is_continued(&mut combination, 0, answers_alike)
    }

    fn add_to(&self, combination: &mut Combination, literals: &[Literal]) {
        light_ticks(TICKS_OF_A_LITERAL * literals.len());
        for literal in literals {
            if combination.known.insert(*literal) {
                combination.literals.push(*literal);
                combination.clashes += usize::from(self.clashes(combination, literal));
            }
        }
    }

    /// Whether the opposite is there. What stands for several ways is only as true as the one that is chosen.
    fn clashes(&self, combination: &Combination, literal: &Literal) -> bool {
        let opposite = Literal { taken: !literal.taken, ..*literal };
        combination.known.contains(&opposite) && self.ways_of(literal).is_empty() && self.ways_of(&opposite).is_empty()
    }

    fn take_from(&self, combination: &mut Combination, length: usize) {
        while combination.literals.len() > length {
            let Some(literal) = combination.literals.pop() else { return };
            combination.clashes -= usize::from(self.clashes(combination, &literal));
            combination.known.remove(&literal);
        }
    }

    /// Whether ways for the literals from `next` on can be chosen. Each level takes one of the combinations that are left, which bounds the depth.
    fn is_continued(&self, combination: &mut Combination, next: usize, answers_alike: bool) -> bool {
        let Some(left) = combination.left.checked_sub(1) else { return false };
        combination.left = left;
        let Some(open) = combination.literals[next..].iter().position(|literal| !self.ways_of(literal).is_empty())
        else {
            return combination.clashes == 0 && self.is_chosen_coherent(combination, answers_alike);
        };
        light_ticks(open);
        let open = next + open;
        let length = combination.literals.len();
        let literal = combination.literals[open];
        self.ways_of(&literal).iter().rev().any(|way| {
            self.add_to(combination, way);
            let is_coherent = self.is_continued(combination, open + 1, answers_alike);
            self.take_from(combination, length);
            is_coherent
        })
    }

    fn is_chosen_coherent(&self, combination: &Combination, answers_alike: bool) -> bool {
        light_ticks(TICKS_OF_A_LITERAL * combination.literals.len());
        let chosen = combination.literals.iter().filter(|literal| self.ways_of(literal).is_empty());
        let chosen: Vec<Literal> = chosen.copied().collect();
        self.is_coherent(&chosen) && !(answers_alike && self.answers_both_ways(&chosen))
    }
}
