//! Random programs: the engine agrees with the simple evaluator, its derivations are derivations, and assumption sets are what
//! the semantics says they are.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::strategy::ValueTree;

use super::naive::{ARITIES, Choices, GIVEN, Negation, OPEN, RandomProgram, Rows, facts, name};
use super::*;

/// Assumption numbers in the tests, so that all worlds can be tried.
pub(super) const ASSUMPTIONS: u32 = 5;

pub(super) type Fact = (usize, Vec<i64>, Vec<u32>);

pub(super) fn database_of(facts: &[Fact]) -> Database {
    let mut database = Database::new();
    for (relation, row, assumptions) in facts {
        let cells: Vec<Cell> = row.iter().map(|value| database.number(*value)).collect();
        database.insert(&name(*relation), &cells, assumptions);
    }
    database
}

/// The rows of a world in which only some assumptions hold.
pub(super) fn world(facts: &[Fact], holds: impl Fn(u32) -> bool) -> Rows {
    let mut rows: Rows = vec![BTreeSet::new(); GIVEN.len()];
    for (relation, row, assumptions) in facts {
        if assumptions.iter().all(|id| holds(*id)) {
            rows[*relation].insert(row.clone());
        }
    }
    rows
}

pub(super) fn numbers(values: &[Value]) -> Vec<i64> {
    let number = |value: &Value| match value {
        Value::Number(number) => *number,
        Value::Symbol(_) => -1,
    };
    values.iter().map(number).collect()
}

pub(super) fn given(set: &[Assumption]) -> Vec<u32> {
    set.iter().filter_map(|one| if let Assumption::Given(id) = one { Some(*id) } else { None }).collect()
}

/// Whether some absence that a set counts on is none in these rows.
fn absence_broken(set: &[Assumption], rows: &Rows) -> bool {
    set.iter().any(|one| {
        let Assumption::Absent { relation, row } = one else { return false };
        let relation = (0..ARITIES.len()).find(|number| name(*number) == *relation).expect("declared");
        rows[relation].iter().any(|other| {
            row.iter().zip(other).all(|(want, have)| want.as_ref().is_none_or(|want| *want == Value::Number(*have)))
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_engine_agrees_with_the_simple_evaluator(bytes in proptest::collection::vec(any::<u8>(), 100..400)) {
        let mut choices = Choices::new(bytes);
        let facts = facts(&mut choices, Negation::Lower, ASSUMPTIONS);
        let random = RandomProgram::new(&mut choices, Negation::Lower);
        let text = random.text();
        let expected = random.evaluate(&world(&facts, |_| true));
        let program = compile(&text);
        let evaluation = program.evaluate(database_of(&facts), &Limits::default());
        for (relation, rows) in expected.iter().enumerate() {
            let id = program.relation(&name(relation)).expect("declared");
            let found: BTreeSet<Vec<i64>> = evaluation.rows(id).iter().map(|row| numbers(row)).collect();
            prop_assert_eq!(&found, rows, "{} in\n{}", name(relation), text);
            prop_assert_eq!(found.len(), evaluation.row_count(id));
        }
    }

    #[test]
    fn every_derivation_is_one(bytes in proptest::collection::vec(any::<u8>(), 100..400)) {
        let mut choices = Choices::new(bytes);
        let facts = facts(&mut choices, Negation::Lower, ASSUMPTIONS);
        let random = RandomProgram::new(&mut choices, Negation::Lower);
        let text = random.text();
        let program = compile(&text);
        let evaluation = program.evaluate(database_of(&facts), &Limits::default());
        for relation in 0..ARITIES.len() {
            let id = program.relation(&name(relation)).expect("declared");
            for row in 0..evaluation.row_count(id) {
                check_proof(&random, &evaluation.proof(id, row), &text)?;
            }
        }
    }

    /// Keep only what one set lists, or that and anything else: the row stays. Give open relations more rows, but none that the
    /// set counts on being absent: the row stays.
    #[test]
    fn each_assumption_set_is_enough(bytes in proptest::collection::vec(any::<u8>(), 100..400), extra in any::<[u8; 8]>()) {
        let mut choices = Choices::new(bytes);
        let facts = facts(&mut choices, Negation::Lower, ASSUMPTIONS);
        let random = RandomProgram::new(&mut choices, Negation::Lower);
        let text = random.text();
        let program = compile(&text);
        let evaluation = program.evaluate(database_of(&facts), &Limits::default());
        let mut more = world(&facts, |_| true);
        more[OPEN].extend(extra.chunks(2).map(|pair| vec![i64::from(pair[0] % 5), i64::from(pair[1] % 5)]));
        let more = random.evaluate(&more);
        let worlds: Vec<Rows> =
            (0..1u32 << ASSUMPTIONS).map(|holds| random.evaluate(&world(&facts, |id| holds & 1 << id != 0))).collect();
        for relation in GIVEN.len()..ARITIES.len() {
            let id = program.relation(&name(relation)).expect("declared");
            for row in 0..evaluation.row_count(id) {
                let values = numbers(&evaluation.row(id, row));
                let sets = evaluation.assumptions(id, row);
                prop_assert!(!sets.sets.is_empty());
                for set in &sets.sets {
                    let needed = given(set).iter().fold(0u32, |bits, id| bits | 1 << id);
                    for (holds, rows) in worlds.iter().enumerate() {
                        if holds as u32 & needed == needed {
                            let message = format!("{}{values:?} by {set:?} in world {holds:b} of\n{facts:?}\n{text}", name(relation));
                            prop_assert!(rows[relation].contains(&values), "{message}");
                        }
                    }
                    if !absence_broken(set, &more) {
                        prop_assert!(more[relation].contains(&values), "{}{values:?} by {set:?} with {extra:?} in\n{facts:?}\n{text}", name(relation));
                    }
                }
            }
        }
    }

    /// Where nothing is negated that assumptions carry, the sets are exactly the minimal ones: the row is there in a world if
    /// and only if one of its sets holds there. So it vanishes with an assumption that all of its sets need.
    #[test]
    fn assumption_sets_are_minimal_and_complete(bytes in proptest::collection::vec(any::<u8>(), 100..400)) {
        let mut choices = Choices::new(bytes);
        let facts = facts(&mut choices, Negation::Given, ASSUMPTIONS);
        let random = RandomProgram::new(&mut choices, Negation::Given);
        let text = random.text();
        let program = compile(&text);
        let evaluation = program.evaluate(database_of(&facts), &Limits::default());
        let worlds: Vec<Rows> =
            (0..1u32 << ASSUMPTIONS).map(|holds| random.evaluate(&world(&facts, |id| holds & 1 << id != 0))).collect();
        for relation in GIVEN.len()..ARITIES.len() {
            let id = program.relation(&name(relation)).expect("declared");
            for row in 0..evaluation.row_count(id) {
                let values = numbers(&evaluation.row(id, row));
                let sets = evaluation.assumptions(id, row);
                if sets.truncated {
                    continue;
                }
                for (holds, rows) in worlds.iter().enumerate() {
                    let supported = sets.sets.iter().any(|set| given(set).iter().all(|id| holds & 1 << id != 0));
                    prop_assert_eq!(rows[relation].contains(&values), supported, "{}{:?} with {:?} in world {:b} of\n{:?}\n{}",
                        name(relation), values, sets, holds, facts, text);
                }
            }
        }
    }

    /// The same two sentences put to the engine itself: with only the facts that one set needs, the row is still derived; without
    /// those that rest on an assumption of all sets, it is not, if no assumption decides what is negated or aggregated.
    #[test]
    fn the_engine_itself_keeps_and_loses_rows(bytes in proptest::collection::vec(any::<u8>(), 100..400), given_only in any::<bool>()) {
        let negation = if given_only { Negation::Given } else { Negation::Lower };
        let mut choices = Choices::new(bytes);
        let facts = facts(&mut choices, negation, ASSUMPTIONS);
        let random = RandomProgram::new(&mut choices, negation);
        let text = random.text();
        let program = compile(&text);
        let evaluation = program.evaluate(database_of(&facts), &Limits::default());
        let derived_with = |holds: &dyn Fn(u32) -> bool, id: RelationId, values: &[Value]| {
            let kept: Vec<Fact> = facts.iter().filter(|fact| fact.2.iter().all(|id| holds(*id))).cloned().collect();
            program.evaluate(database_of(&kept), &Limits::default()).find(id, values).is_some()
        };
        for relation in GIVEN.len()..ARITIES.len() {
            let id = program.relation(&name(relation)).expect("declared");
            for row in 0..evaluation.row_count(id).min(4) {
                let values = evaluation.row(id, row);
                let sets = evaluation.assumptions(id, row);
                for set in &sets.sets {
                    let needed = given(set);
                    prop_assert!(derived_with(&|id| needed.contains(&id), id, &values), "{values:?} by {set:?} in\n{facts:?}\n{text}");
                }
                let in_all = |one: &u32| sets.sets.iter().all(|set| given(set).contains(one));
                for lost in (0..ASSUMPTIONS).filter(in_all).filter(|_| given_only && !sets.truncated) {
                    prop_assert!(!derived_with(&|id| id != lost, id, &values), "{values:?} without {lost} in\n{facts:?}\n{text}");
                }
            }
        }
    }

    #[test]
    fn no_text_makes_the_compiler_panic(text in "[a-c_.:(){}!,;=<>+*/\\-\"0-9 \n@]{0,80}", rules in any::<bool>()) {
        let text = if rules { format!(".decl a(b: symbol)\n.decl b(a: number, c: number)\na(b) :- {text}.") } else { text };
        let _ = Program::compile(&[], &[Source::new("r.dl", text.clone())], &NoFunctors);
        let metadata = format!("/// @id {text}\n.decl a(b: symbol)");
        let _ = Program::compile(&[], &[Source::new("r.dl", metadata)], &NoFunctors);
    }

    #[test]
    fn no_characters_make_the_compiler_panic(text in any::<String>()) {
        let _ = Program::compile(&[], &[Source::new("r.dl", text.clone())], &NoFunctors);
        let metadata = format!("/// @id a/b @message \"{text}\" @related {text} {text}\n.decl a(b: symbol)");
        let _ = Program::compile(&[], &[Source::new("r.dl", metadata)], &NoFunctors);
    }
}

/// The random programs have what is hard: negation over derived relations that may have unseen rows, aggregates over derived
/// relations, recursion, and rows with several sets of assumptions.
#[test]
fn random_programs_are_not_trivial() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let strategy = proptest::collection::vec(any::<u8>(), 100..400);
    let (mut negating, mut aggregating, mut recursive, mut absences, mut several) = (0, 0, 0, 0, 0);
    for _ in 0..300 {
        let bytes = strategy.new_tree(&mut runner).expect("a value").current();
        let mut choices = Choices::new(bytes);
        let facts = facts(&mut choices, Negation::Lower, ASSUMPTIONS);
        let random = RandomProgram::new(&mut choices, Negation::Lower);
        negating += usize::from(random.negates_derived());
        aggregating += usize::from(random.aggregates());
        recursive += usize::from(random.is_recursive());
        let text = random.text();
        let program = compile(&text);
        let evaluation = program.evaluate(database_of(&facts), &Limits::default());
        let (mut has_absence, mut has_several) = (false, false);
        for relation in GIVEN.len()..ARITIES.len() {
            let id = program.relation(&name(relation)).expect("declared");
            for row in 0..evaluation.row_count(id) {
                let sets = evaluation.assumptions(id, row).sets;
                has_several |= sets.len() > 1;
                has_absence |= sets.iter().flatten().any(|one| matches!(one, Assumption::Absent { .. }));
            }
        }
        absences += usize::from(has_absence);
        several += usize::from(has_several);
    }
    let all = [negating, aggregating, recursive, absences, several];
    assert!(all.iter().all(|count| *count >= 75), "{all:?}");
}

/// Each step of a proof is an instance of its rule, and it ends at given rows.
fn check_proof(random: &RandomProgram, tree: &ProofTree, text: &str) -> Result<(), TestCaseError> {
    prop_assert!(!tree.cut || tree.premises.is_empty());
    let Some(reference) = &tree.rule else {
        prop_assert!(tree.relation.starts_with('e'));
        return Ok(());
    };
    if tree.cut {
        return Ok(());
    }
    let first_rule = text.lines().take_while(|line| !line.contains(":-")).count();
    let rule = &random.rules[reference.line - 1 - first_rule];
    prop_assert_eq!(&tree.relation, &name(rule.head.relation));
    prop_assert_eq!(tree.premises.len(), rule.positive.len());
    let mut values = [None; 4];
    let atoms = rule.positive.iter().zip(&tree.premises).map(|(atom, premise)| (atom, &premise.row));
    for (atom, row) in atoms.chain([(&rule.head, &tree.row)]) {
        for (term, cell) in atom.terms.iter().zip(numbers(row)) {
            match term {
                naive::Term::Variable(variable) => {
                    prop_assert_eq!(*values[*variable].get_or_insert(cell), cell, "{}", text)
                }
                naive::Term::Constant(constant) => prop_assert_eq!(*constant, cell),
                naive::Term::Wildcard => {}
            }
        }
    }
    tree.premises.iter().try_for_each(|premise| check_proof(random, premise, text))
}
