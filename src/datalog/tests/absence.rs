//! What the absence of a row rests on: what could give that very row, and nothing of other rows.

use proptest::prelude::*;
use proptest::strategy::ValueTree;

use super::naive::{ARITIES, Choices, GIVEN, Negation, RandomProgram, facts, name};
use super::random::{ASSUMPTIONS, database_of, given, numbers, world};
use super::*;

fn sets_of(rules: &str, facts: &str, relation: &str) -> Vec<Vec<u32>> {
    let program = compile(rules);
    let evaluation = program.evaluate(database(facts), &Limits::default());
    let sets = evaluation.assumptions(program.relation(relation).expect("declared"), 0);
    assert!(!sets.truncated);
    sets.sets.iter().map(|set| given(set)).collect()
}

#[test]
fn rows_of_others_are_no_grounds() {
    // `b x` keeps `bad x` away; `b y`, on which nothing of `x` rests, keeps `bad y` away.
    let rules = ".decl a(x: symbol)\n.input a\n.decl b(x: symbol)\n.input b\n.decl bad(x: symbol)\nbad(x) :- a(x), !b(x).\n\
        .decl worse(x: symbol)\nworse(x) :- bad(x), a(x).\n.decl good(x: symbol)\ngood(x) :- a(x), !worse(x).";
    assert_eq!(sets_of(rules, "a x\nb x | 4\na y\nb y | 5", "good"), [[4]]);
}

#[test]
fn rows_that_are_there_may_not_become_more() {
    // `near x u` is there and refused by `c u`; `near x v` must not come, so that `b v` must stay.
    let rules = ".decl e(x: symbol, y: symbol)\n.input e\n.decl b(x: symbol)\n.input b\n.decl c(x: symbol)\n.input c\n\
        .decl near(x: symbol, y: symbol)\nnear(x, y) :- e(x, y), !b(y).\n.decl bad(x: symbol)\nbad(x) :- near(x, y), !c(y).\n\
        .decl good(x: symbol)\ngood(x) :- e(x, _), !bad(x).";
    assert_eq!(sets_of(rules, "e x u\ne x v\ne z w\nb v | 1\nc u | 2\nb w | 3", "good"), [[1, 2]]);
}

#[test]
fn a_cycle_of_absences_holds_itself() {
    // `r` reaches nothing from `x`, since `b x` keeps the only edge away; `b z` keeps away another one.
    let rules = ".decl e(x: symbol, y: symbol)\n.input e\n.decl b(x: symbol)\n.input b\n.decl step(x: symbol, y: symbol)\n\
        step(x, y) :- e(x, y), !b(x).\n.decl r(x: symbol, y: symbol)\nr(x, y) :- step(x, y).\nr(x, z) :- r(x, y), step(y, z).\n\
        .decl lonely(x: symbol)\nlonely(x) :- e(x, _), !r(x, _).";
    assert_eq!(sets_of(rules, "e x y\ne y x\ne z y\nb x | 1\nb z | 2", "lonely"), [[1]]);
}

#[test]
fn aggregates_rest_on_what_their_group_could_get() {
    let rules = ".decl e(x: symbol, y: symbol)\n.input e\n.decl b(y: symbol)\n.input b\n.decl free(x: symbol, y: symbol)\n\
        free(x, y) :- e(x, y), !b(y).\n.decl one(x: symbol)\none(x) :- e(x, _), count : { free(x, _) } = 1.";
    assert_eq!(sets_of(rules, "e x u\ne x v\ne z w\nb v | 1\nb w | 2", "one"), [[1]]);
}

/// Of what is listed for rows of random programs, nearly all matters: without it, the rest of the set is not enough. What does not is
/// mostly counted where fewer would do.
#[test]
fn what_is_listed_matters() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let strategy = proptest::collection::vec(any::<u8>(), 100..400);
    let (mut listed, mut needed) = (0, 0);
    for _ in 0..400 {
        let bytes = strategy.new_tree(&mut runner).expect("a value").current();
        let mut choices = Choices::new(bytes);
        let facts = facts(&mut choices, Negation::Lower, ASSUMPTIONS);
        let random = RandomProgram::new(&mut choices, Negation::Lower);
        let program = compile(&random.text());
        let evaluation = program.evaluate(database_of(&facts), &Limits::default());
        let worlds: Vec<_> =
            (0..1u32 << ASSUMPTIONS).map(|holds| random.evaluate(&world(&facts, |id| holds & 1 << id != 0))).collect();
        for relation in GIVEN.len()..ARITIES.len() {
            let id = program.relation(&name(relation)).expect("declared");
            for row in 0..evaluation.row_count(id) {
                let values = numbers(&evaluation.row(id, row));
                let sets = evaluation.assumptions(id, row).sets;
                let set = given(&sets[0]);
                for one in &set {
                    let rest = set.iter().filter(|other| *other != one).fold(0u32, |bits, id| bits | 1 << id);
                    let mut with_rest = worlds.iter().enumerate().filter(|(holds, _)| *holds as u32 & rest == rest);
                    listed += 1;
                    needed += usize::from(with_rest.any(|(_, rows)| !rows[relation].contains(&values)));
                }
            }
        }
    }
    assert!(listed > 1000 && needed * 100 >= listed * 94, "{needed} of {listed}");
}
