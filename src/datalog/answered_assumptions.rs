//! The assumption sets of rows once somebody has said of some assumptions whether they hold.

use crate::assumptions::{Assumption, AssumptionSets};

/// What is known of an assumption.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Nothing is said of it.
    Open,
    /// It holds, so that nothing needs to name it.
    Holds,
    /// It does not hold, so that nothing may rest on it.
    Fails,
}

impl AssumptionSets {
    /// The sets that remain enough: those without an assumption that fails, less the assumptions that hold. `None` where none remains, so
    /// that the row rests on something that fails. Only sets that are listed are looked at: where they are truncated, a row may be given up
    /// although a set that is not listed would have kept it.
    pub fn settled(&self, mut standing: impl FnMut(&Assumption) -> Standing) -> Option<AssumptionSets> {
        let mut sets: Vec<Vec<Assumption>> = Vec::new();
        for set in &self.sets {
            let standings: Vec<Standing> = set.iter().map(&mut standing).collect();
            if standings.contains(&Standing::Fails) {
                continue;
            }
            let open = set.iter().zip(&standings).filter(|(_, standing)| **standing == Standing::Open);
            sets.push(open.map(|(assumption, _)| assumption.clone()).collect());
        }
        // Smaller ones first; sets that were different may now contain each other.
        sets.sort_by_key(Vec::len);
        let mut minimal: Vec<Vec<Assumption>> = Vec::new();
        for set in sets {
            if !minimal.iter().any(|known| known.iter().all(|assumption| set.contains(assumption))) {
                minimal.push(set);
            }
        }
        (!minimal.is_empty()).then_some(AssumptionSets { sets: minimal, truncated: self.truncated })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Database, Limits, NoFunctors, Program, Source};
    use Assumption::Given;

    fn settled(sets: &[&[u32]], holds: &[u32], fails: &[u32]) -> Option<Vec<Vec<Assumption>>> {
        let sets = sets.iter().map(|set| set.iter().map(|id| Given(*id)).collect()).collect();
        let sets = AssumptionSets { sets, truncated: false };
        let standing = |assumption: &Assumption| match assumption {
            Given(id) if fails.contains(id) => Standing::Fails,
            Given(id) if holds.contains(id) => Standing::Holds,
            _ => Standing::Open,
        };
        sets.settled(standing).map(|settled| settled.sets)
    }

    #[test]
    fn sets_with_what_fails_go_and_the_others_lose_what_holds() {
        assert_eq!(settled(&[&[1], &[2, 3]], &[], &[]), Some(vec![vec![Given(1)], vec![Given(2), Given(3)]]));
        assert_eq!(settled(&[&[1], &[2, 3]], &[], &[1]), Some(vec![vec![Given(2), Given(3)]]));
        assert_eq!(settled(&[&[1], &[2, 3]], &[], &[1, 3]), None);
        assert_eq!(settled(&[&[1], &[2, 3]], &[2], &[1]), Some(vec![vec![Given(3)]]));
        assert_eq!(settled(&[&[1], &[2, 3]], &[1], &[]), Some(vec![vec![]]));
        assert_eq!(settled(&[&[1], &[1, 2]], &[1, 2], &[]), Some(vec![vec![]]));
    }

    /// A row that loses its last set is one that the world without the failing assumptions lacks.
    #[test]
    fn what_remains_is_the_world_without_what_fails() {
        const RULES: &str = "
            .decl edge(from: symbol, to: symbol)
            .decl path(from: symbol, to: symbol)
            path(x, y) :- edge(x, y).
            path(x, z) :- path(x, y), edge(y, z).";
        let edges = [("a", "b", 0), ("b", "c", 1), ("a", "c", 2), ("c", "d", 3), ("b", "d", 4), ("d", "a", 5)];
        let program =
            Program::compile(&[], &[Source::new("rules.dl", RULES)], &NoFunctors).expect("the rules are right");
        let world = |fails: u32| {
            let mut database = Database::new();
            for (from, to, id) in edges.iter().filter(|(_, _, id)| fails & (1 << id) == 0) {
                let row = [database.symbol(from), database.symbol(to)];
                database.insert("edge", &row, &[*id]);
            }
            program.evaluate(database, &Limits::default())
        };
        let (full, path) = (world(0), program.relation("path").expect("declared"));
        for fails in 0..1 << edges.len() {
            let without = world(fails);
            for row in 0..full.row_count(path) {
                let standing = |assumption: &Assumption| match assumption {
                    Given(id) if fails & (1 << id) != 0 => Standing::Fails,
                    _ => Standing::Open,
                };
                let remains = full.assumptions(path, row).settled(standing).is_some();
                assert_eq!(remains, without.find(path, &full.row(path, row)).is_some(), "{fails:b} {row}");
            }
        }
    }

    #[test]
    fn sets_stay_minimal() {
        // Without 2, the second set is a part of the first.
        assert_eq!(settled(&[&[1, 3], &[1, 2]], &[2], &[]), Some(vec![vec![Given(1)]]));
        assert_eq!(settled(&[&[]], &[], &[1]), Some(vec![vec![]]));
    }
}
