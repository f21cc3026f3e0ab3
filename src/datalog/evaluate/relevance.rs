//! Which strata a request for findings needs: a relation is evaluated when a rule has rows for all else that it asks before. Most rules have nothing to do
//! with most programs, and what only they read is not evaluated then.

use super::Evaluator;
use crate::rule::{Literal, LiteralKind, RelationId, uses};

/// Behind a chain of so many relations, what is needed runs whether or not a rule can use it: the search keeps a frame for each.
const LONGEST_CHAIN: usize = 300;

/// How far the strata came in one round of memory's shares.
pub(super) struct Progress {
    /// By number, whether the stratum has its rows.
    done: Vec<bool>,
    /// Those that wait for more memory.
    put_off: Vec<bool>,
    /// By relation, the stratum that it is in.
    stratum_of: Vec<usize>,
}

impl Progress {
    pub fn new(program: &crate::Program<'_>) -> Progress {
        let mut stratum_of = vec![0; program.relations.len()];
        for (number, stratum) in program.strata.iter().enumerate() {
            stratum.relations.iter().for_each(|relation| stratum_of[relation.index()] = number);
        }
        let open = || vec![false; program.strata.len()];
        Progress { done: open(), put_off: open(), stratum_of }
    }

    /// What was put off is tried again, with more memory.
    pub fn next_round(&mut self) {
        self.put_off.fill(false);
    }
}

impl Evaluator<'_, '_> {
    /// Evaluates a stratum, after what its rules can use of others.
    pub(super) fn need(&mut self, number: usize, progress: &mut Progress, chain: usize) {
        if progress.done[number] || progress.put_off[number] {
            return;
        }
        if chain > LONGEST_CHAIN {
            // In their order, each comes after what it reads.
            (0..=number).for_each(|below| self.settle(below, progress));
            return;
        }
        let program = self.program;
        for rule in &program.strata[number].rules {
            self.need_for(number, &program.rules[*rule].body, progress, chain);
        }
        self.settle(number, progress);
    }

    /// Evaluates what a body reads, until a positive literal has no rows: nothing can match then.
    fn need_for(&mut self, number: usize, body: &[Literal], progress: &mut Progress, chain: usize) {
        let outside = |relation: RelationId, progress: &Progress| progress.stratum_of[relation.index()] != number;
        let positive = || {
            body.iter().filter_map(|literal| match &literal.kind {
                LiteralKind::Atom(atom) => Some(atom.relation),
                _ => None,
            })
        };
        if positive().any(|relation| outside(relation, progress) && self.is_settled_without_rows(relation, progress)) {
            return;
        }
        for relation in positive() {
            if outside(relation, progress) {
                self.need(progress.stratum_of[relation.index()], progress, chain + 1);
                if self.is_settled_without_rows(relation, progress) {
                    return;
                }
            }
        }
        let mut others = Vec::new();
        uses(body, &mut |relation, _, _| others.push(relation));
        for relation in others {
            if outside(relation, progress) {
                self.need(progress.stratum_of[relation.index()], progress, chain + 1);
            }
        }
    }

    /// Whether a relation has all of its rows, and these are none.
    fn is_settled_without_rows(&self, relation: RelationId, progress: &Progress) -> bool {
        let number = progress.stratum_of[relation.index()];
        // What is only given is there from the beginning.
        let is_settled = progress.done[number] || self.program.strata[number].rules.is_empty();
        is_settled && self.state.relations[relation.index()].len == 0 && self.demand.supplied(relation).is_none()
    }

    /// Runs a stratum whose relations below have what it can use.
    fn settle(&mut self, number: usize, progress: &mut Progress) {
        if progress.done[number] || progress.put_off[number] {
            return;
        }
        let program = self.program;
        let stratum = &program.strata[number];
        let is_put_off = self.reads_what_waits(stratum) || {
            self.stratum(stratum);
            self.shares.is_exceeded()
        };
        if is_put_off {
            self.shares.wait(stratum);
            progress.put_off[number] = true;
        } else {
            progress.done[number] = true;
        }
    }
}
