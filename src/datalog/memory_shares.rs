//! Which share of the memory that is left a rule may take. One rule that takes all of it would leave nothing to those behind it: it is put off until
//! these have run, with whatever reads its rows, and then has a larger share.

use harp_limits::{Ceiling, Stopped, Watch, memory_left};

use super::strata::Stratum;

/// Each time that the rules are gone through, one may take such a part of what is left at its beginning.
const PARTS: [u64; 3] = [16, 4, 1];

/// The shares of a time that the rules are gone through.
#[derive(Debug)]
pub(super) struct MemoryShares {
    /// Bytes for each run of a rule; `None` where nothing bounds them.
    share: Option<u64>,
    /// Whether there will be larger ones.
    is_last: bool,
    /// That the running stratum needs a larger one.
    is_exceeded: bool,
    /// The relations that wait for larger ones, by number.
    waiting: Vec<bool>,
}

impl MemoryShares {
    /// Without bounds, for so many relations.
    pub fn unbounded(relations: usize) -> MemoryShares {
        MemoryShares { share: None, is_last: true, is_exceeded: false, waiting: vec![false; relations] }
    }

    /// The shares one after the other: of less memory first.
    pub fn rounds() -> impl Iterator<Item = u64> {
        PARTS.into_iter()
    }

    /// Begins to go through the rules, each of which may take such a part.
    pub fn begin(&mut self, part: u64) {
        self.share = memory_left().map(|left| left / part);
        self.is_last = part == 1 || self.share.is_none();
        self.waiting.fill(false);
    }

    /// What a run of a rule may take.
    pub fn watch(&self) -> Watch {
        self.share.map_or_else(Watch::default, |share| Watch::default().with_memory(share))
    }

    /// Whether what ended a rule is only that it takes more than its share; its stratum waits then.
    pub fn puts_off(&mut self, stopped: &Stopped) -> bool {
        self.is_exceeded |= !self.is_last && matches!(stopped, Stopped::Ceiling(Ceiling::Memory));
        self.is_exceeded
    }

    /// Whether the running stratum is to end, as it waits for a larger share.
    pub fn is_exceeded(&self) -> bool {
        self.is_exceeded
    }

    /// Whether a relation waits for a larger share.
    pub fn waits(&self, relation: usize) -> bool {
        self.waiting[relation]
    }

    /// Lets a stratum wait.
    pub fn wait(&mut self, stratum: &Stratum) {
        self.is_exceeded = false;
        stratum.relations.iter().for_each(|relation| self.waiting[relation.index()] = true);
    }
}
