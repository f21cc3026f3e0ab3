//! Compares the paths on which a place fails: where it fails with a condition and without it, the condition is none of
//! the failure's.

use rustc_hash::FxHashMap;

use crate::state::interpreter::Interpreter;
use crate::values::value::Literal;
use harp_corpus::Span;

/// More ways to one place are not compared.
const MAX_WAYS: usize = 16;
/// Longer ways are not compared.
const MAX_LENGTH: usize = 12;

/// By place: the ways on which it failed, each the decisions on it in order.
#[derive(Debug, Default)]
pub struct FailingWays(FxHashMap<Span, Vec<Vec<Literal>>>);

impl FailingWays {
    /// Notes a way on which a place fails. Returns whether it fails on all of them.
    pub fn note(&mut self, place: Span, way: Vec<Literal>) -> bool {
        let ways = self.0.entry(place).or_default();
        let mut way = way;
        // Two ways that differ in one decision alone are the one without it.
        while let Some((index, shorter)) = ways.iter().enumerate().find_map(|(index, known)| {
            let shorter = without_the_difference(known, &way)?;
            Some((index, shorter))
        }) {
            ways.swap_remove(index);
            way = shorter;
        }
        let is_all = way.is_empty();
        if ways.len() < MAX_WAYS && !ways.contains(&way) {
            ways.push(way);
        }
        is_all
    }

    pub fn clear(&mut self) {
        self.0.clear();
    }
}

/// What two ways share that differ in how one decision went, and in nothing else.
fn without_the_difference(first: &[Literal], second: &[Literal]) -> Option<Vec<Literal>> {
    if first.len() != second.len() {
        return None;
    }
    let mut different = first.iter().zip(second).enumerate().filter(|(_, (one, other))| one != other);
    let (index, (one, other)) = different.next()?;
    if one.decision != other.decision || different.next().is_some() {
        return None;
    }
    Some(first.iter().take(index).chain(&first[index + 1..]).copied().collect())
}

impl Interpreter<'_> {
    /// Whether what fails here fails whichever way the program goes: there are no conditions on the way, or it failed with their opposites,
    /// too.
    pub fn fails_on_every_way(&mut self, place: Span) -> bool {
        if self.path_conditions().is_empty() {
            return true;
        }
        let way: Vec<Literal> = self.path.iter().filter(|literal| !self.settled.contains(literal)).copied().collect();
        let is_compound = |literal: &Literal| {
            self.decisions
                .get(literal.decision.0 as usize)
                .is_none_or(|known| known.is_blurred || !known.ways.is_empty())
        };
        if way.len() > MAX_LENGTH || way.iter().any(is_compound) {
            return false;
        }
        let mut distinct: Vec<Literal> = Vec::with_capacity(way.len());
        for literal in way {
            if !distinct.contains(&literal) {
                distinct.push(literal);
            }
        }
        self.path.failing.note(place, distinct)
    }
}
