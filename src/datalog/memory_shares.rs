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

#[cfg(test)]
mod tests {
    use std::cell::Cell as Counter;

    use harp_limits::{Watch, set_meter, watched};

    use crate::{Base, Cell, Database, FunctorSignature, Functors, Limits, Program, Source, Values};

    thread_local! {
        static USED: Counter<i64> = const { Counter::new(0) };
    }

    /// A test that takes memory each time that it is asked.
    struct Eats;

    const BYTES: i64 = 1 << 16;
    /// So many pairs of them that memory is looked at many times.
    const NODES: usize = 400;
    const PAIRS: usize = NODES * NODES;

    impl Functors for Eats {
        fn signatures(&self) -> Vec<FunctorSignature> {
            vec![FunctorSignature::new("eats", &[Base::Symbol, Base::Symbol], None)]
        }

        fn apply(&self, _: usize, arguments: &[Cell], _: &mut Values) -> Option<Cell> {
            USED.set(USED.get() + BYTES);
            arguments.first().copied()
        }
    }

    const RULES: &str = ".decl dear(x: symbol, y: symbol)\n\
        dear(x, y) :- node(x), node(y), eats(x, y).\n\
        /// @id test/after @message \"m\" @severity note\n.decl after(x: symbol)\n\
        after(x) :- dear(x, _).\n\
        /// @id test/cheap @message \"m\" @severity note\n.decl cheap(x: symbol)\n\
        cheap(x) :- node(x), eats(x, x).\n";

    /// The rows of `dear` and of `cheap`, and which findings are not complete, with so many bytes.
    fn evaluated(bytes: u64) -> (usize, usize, Vec<String>) {
        set_meter(|| USED.get());
        let schema = Source::new("schema.dl", ".decl node(x: symbol)");
        let program = Program::compile(&[schema], &[Source::new("rules.dl", RULES)], &Eats).expect("rules in order");
        let mut database = Database::new();
        for number in 0..NODES {
            let node = database.symbol(&number.to_string());
            database.insert("node", &[node], &[]);
        }
        let watch = Watch::default().with_memory(bytes);
        let evaluation = watched(watch, || program.evaluate(database, &Limits::default())).expect("rules end alone");
        let rows = |name| evaluation.row_count(program.relation(name).expect("a relation"));
        (rows("dear"), rows("cheap"), evaluation.incomplete_findings())
    }

    #[test]
    fn what_takes_too_much_runs_last() {
        let once = BYTES as u64 * PAIRS as u64;
        let (dear, cheap, incomplete) = evaluated(once / 4);
        assert!(dear < PAIRS, "{dear}");
        assert_eq!(cheap, NODES);
        assert_eq!(incomplete, ["test/after"]);
        // It takes more than a sixteenth, and less than there is: with a larger share it ends. Nothing that is taken is given back here.
        let (dear, cheap, incomplete) = evaluated(once * 12);
        assert_eq!((dear, cheap, incomplete), (PAIRS, NODES, Vec::new()));
    }
}
