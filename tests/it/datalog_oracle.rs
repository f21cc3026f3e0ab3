//! The rule engine gives what the same rules give when `crepe` compiles them.

#[allow(dead_code, reason = "the benchmark uses the rest")]
#[path = "../../benches/rules/mod.rs"]
mod rules;

use proptest::prelude::*;
use rules::{CLOSURE, INVARIANT, POINTS_TO};

fn random_rows(numbers: &mut rules::Numbers, most: u32, limits: &[u32]) -> Vec<Vec<u32>> {
    (0..numbers.below(most)).map(|_| limits.iter().map(|limit| numbers.below(*limit)).collect()).collect()
}

fn compare(rules: &str, facts: &rules::Facts) -> Result<(), TestCaseError> {
    let expected = rules::with_crepe(rules, facts);
    let names: Vec<&'static str> = expected.iter().map(|(name, _)| *name).collect();
    prop_assert_eq!(rules::with_harp(rules, facts, &names), expected, "{:?}", facts);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn closures_agree(seed in any::<u64>(), nodes in 1u32..30) {
        let mut numbers = rules::Numbers::new(seed);
        compare(CLOSURE, &vec![("edge", random_rows(&mut numbers, 60, &[nodes, nodes]))])?;
    }

    #[test]
    fn points_to_agrees(seed in any::<u64>(), variables in 1u32..16, objects in 1u32..8) {
        let mut numbers = rules::Numbers::new(seed);
        let facts = vec![
            ("alloc", random_rows(&mut numbers, 12, &[variables, objects])),
            ("assign", random_rows(&mut numbers, 20, &[variables, variables])),
            ("load", random_rows(&mut numbers, 12, &[variables, variables, 2])),
            ("store", random_rows(&mut numbers, 12, &[variables, 2, variables])),
        ];
        compare(POINTS_TO, &facts)?;
    }

    #[test]
    fn invariance_rules_agree(seed in any::<u64>(), statements in 1u32..20, loops in 1u32..6) {
        let mut numbers = rules::Numbers::new(seed);
        let facts = vec![
            ("inside", random_rows(&mut numbers, 40, &[statements, loops])),
            ("nested", random_rows(&mut numbers, 6, &[loops, loops])),
            ("defines", random_rows(&mut numbers, 30, &[statements, 12])),
            ("reads", random_rows(&mut numbers, 40, &[statements, 12])),
            ("call", random_rows(&mut numbers, 30, &[statements, 8])),
            ("pure", random_rows(&mut numbers, 8, &[8])),
            ("counts", random_rows(&mut numbers, 6, &[loops, 12])),
        ];
        compare(INVARIANT, &facts)?;
    }
}

#[test]
fn larger_facts_agree() {
    for (rules, facts) in [
        (CLOSURE, rules::closure_facts(60, 40, 1)),
        (POINTS_TO, rules::points_to_facts(300, 2)),
        (INVARIANT, rules::invariant_facts(600, 3)),
    ] {
        let expected = rules::with_crepe(rules, &facts);
        assert!(expected.iter().all(|(_, rows)| rows.len() > 20));
        let names: Vec<&'static str> = expected.iter().map(|(name, _)| *name).collect();
        assert!(rules::with_harp(rules, &facts, &names) == expected);
    }
}
