//! Rows that are supplied on request: the results are those of a database that has them all.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::naive::{ARITIES, Choices, GIVEN, Negation, RandomProgram, facts, name};
use super::*;

/// Supplies rows of relations by some of their columns, and counts them.
struct Rest {
    relations: Vec<Open>,
    supplied: usize,
}

struct Open {
    name: String,
    columns: &'static [usize],
    rows: Vec<Vec<i64>>,
}

impl Supplier for Rest {
    fn columns(&self, relation: &str) -> Option<&'static [usize]> {
        self.relations.iter().find(|open| open.name == relation).map(|open| open.columns)
    }

    fn supply(
        &mut self,
        relation: &str,
        only: Option<(usize, &[Cell])>,
        values: &mut Values,
        add: &mut dyn FnMut(&[Cell], &[u32]),
    ) {
        let open = self.relations.iter().find(|open| open.name == relation);
        let Open { columns, rows, .. } = open.expect("only what it has is asked for");
        for row in rows {
            let cells: Vec<Cell> = row.iter().map(|value| values.number(*value)).collect();
            let is_asked = only.is_none_or(|(column, asked)| {
                assert!(columns.contains(&column), "{column} of {relation}");
                asked.contains(&cells[column])
            });
            if is_asked {
                self.supplied += 1;
                add(&cells, &[]);
            }
        }
    }
}

fn sets(evaluation: &Evaluation, relation: RelationId) -> BTreeSet<String> {
    let rows = 0..evaluation.row_count(relation);
    rows.map(|row| {
        let mut found = evaluation.assumptions(relation, row);
        found.sets.sort();
        format!("{:?} {:?}", evaluation.row(relation, row), found)
    })
    .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_supplied_is_enough(bytes in proptest::collection::vec(any::<u8>(), 100..400), columns in any::<[u8; 7]>(), asked in 0..2 * (ARITIES.len() - GIVEN.len())) {
        let mut choices = Choices::new(bytes);
        let facts = facts(&mut choices, Negation::Lower, 5);
        let random = RandomProgram::new(&mut choices, Negation::Lower);
        let derived = GIVEN.len()..ARITIES.len();
        // With a finding, what is asked for is its rows alone.
        let finding = derived.clone().nth(asked);
        let mut text = random.text();
        if let Some(finding) = finding {
            let declared = format!(".decl {}(", name(finding));
            text = text.replace(&declared, &format!("/// @id test/asked @message \"m\" @severity note\n{declared}"));
        }
        let program = compile(&text);
        let (mut all, mut kept) = (Database::new(), Database::new());
        let mut rest = Rest { relations: Vec::new(), supplied: 0 };
        for (relation, choice) in (0..GIVEN.len()).zip(columns) {
            let is_certain = facts.iter().all(|(of, _, assumptions)| *of != relation || assumptions.is_empty());
            let columns: &'static [usize] = match (choice % 4, ARITIES[relation]) {
                (1, 1..) => &[0],
                (2, 2..) => &[1],
                (3, 2..) => &[0, 1],
                _ => continue,
            };
            if is_certain {
                rest.relations.push(Open { name: name(relation), columns, rows: Vec::new() });
            }
        }
        for (relation, row, assumptions) in &facts {
            let cells: Vec<Cell> = row.iter().map(|value| all.number(*value)).collect();
            all.insert(&name(*relation), &cells, assumptions);
            match rest.relations.iter_mut().find(|open| open.name == name(*relation)) {
                Some(open) => open.rows.push(row.clone()),
                None => {
                    let cells: Vec<Cell> = row.iter().map(|value| kept.number(*value)).collect();
                    kept.insert(&name(*relation), &cells, assumptions);
                }
            }
        }
        let whole = program.evaluate(all, &Limits::default());
        let part = program.evaluate_with(kept, Some(&mut rest), &|_| true, &Limits::default());
        for relation in finding.map_or(derived, |finding| finding..finding + 1) {
            let id = program.relation(&name(relation)).expect("declared");
            prop_assert_eq!(sets(&part, id), sets(&whole, id), "{} in\n{}", name(relation), text);
        }
    }
}

#[test]
fn only_what_can_join_is_supplied() {
    let schema = Source::new("s.dl", ".decl start(x: number)\n.decl next(x: number, y: number)\n.decl stop(x: number)");
    let rules = Source::new(
        "r.dl",
        ".decl reached(x: number)\nreached(x) :- start(x).\nreached(y) :- reached(x), next(x, y), !stop(y).\n\
         .decl nothing(x: number)\nnothing(x) :- stop(x), next(x, _), reached(x), start(7).",
    );
    let program = Program::compile(&[schema], &[rules], &NoFunctors).expect("in order");
    let open = |name: &str, rows| Open { name: name.to_owned(), columns: &[0], rows };
    let next = open("next", (0..1000).map(|x| vec![x, x + 2]).collect());
    let stop = open("stop", vec![vec![20], vec![21]]);
    let mut rest = Rest { relations: vec![next, stop], supplied: 0 };
    let evaluation = program.evaluate_with(database("start 10"), Some(&mut rest), &|_| true, &Limits::default());
    assert_eq!(rows(&evaluation, "reached"), ["10", "12", "14", "16", "18"]);
    assert_eq!(rows(&evaluation, "nothing"), [""; 0]);
    // Five steps, and the one that ends them.
    assert_eq!(rest.supplied, 6);
}

#[test]
fn what_constants_and_patterns_leave_out_is_not_supplied() {
    let schema = Source::new(
        "s.dl",
        ".decl ran(o: number, api: symbol, kind: symbol)\n.decl given(o: number, x: number)\n.decl dropped(o: number)",
    );
    let rules = Source::new(
        "r.dl",
        ".decl chosen(o: number, x: number)\nchosen(o, x) :- ran(o, api, _), match(\"lib\\\\.a.*\", api), given(o, x).\n\
         .decl kept(o: number)\nkept(o) :- ran(o, api, \"call\"), match(\"lib\\\\..*\", api), !match(\".*b\", api), !dropped(o).",
    );
    let program = Program::compile(&[schema], &[rules], &NoFunctors).expect("in order");
    let mut database = Database::new();
    for o in 0..2000 {
        let api = ["lib.add", "other.add", "lib.b", "other.b"][if o < 4 { o as usize } else { 3 }];
        let cells = [database.number(o), database.symbol(api), database.symbol(if o < 4 { "call" } else { "read" })];
        database.insert("ran", &cells, &[]);
    }
    let open = |name: &str, rows| Open { name: name.to_owned(), columns: &[0], rows };
    let given = open("given", (0..2000).map(|o| vec![o, o + 1]).collect());
    let dropped = open("dropped", (0..2000).map(|o| vec![o]).collect());
    let mut rest = Rest { relations: vec![given, dropped], supplied: 0 };
    let evaluation = program.evaluate_with(database, Some(&mut rest), &|_| true, &Limits::default());
    assert_eq!(rows(&evaluation, "chosen"), ["0 1"]);
    assert_eq!(rows(&evaluation, "kept"), [""; 0]);
    // One for `chosen`, and those of the four calls: fewer than a pattern is compiled for.
    assert_eq!(rest.supplied, 5);
}

#[test]
fn what_no_finding_can_use_is_not_evaluated() {
    let schema = Source::new("s.dl", ".decl seen(x: number)\n.decl many(x: number)\n.decl often(x: number)");
    let rules = Source::new(
        "r.dl",
        ".decl rare(x: number)\nrare(x) :- seen(x), x > 5.\n\
         .decl dear(x: number)\ndear(x) :- many(x), often(x).\n\
         .decl kept(x: number)\nkept(x) :- many(x), !often(x).\n\
         /// @id test/found @message \"m\" @severity note\n.decl found(x: number)\n\
         found(x) :- rare(x), dear(x), !kept(x).",
    );
    let program = Program::compile(&[schema], &[rules], &NoFunctors).expect("in order");
    let open = |name: &str| Open { name: name.to_owned(), columns: &[0], rows: (0..100).map(|x| vec![x]).collect() };
    let of = |seen: &str| {
        let mut rest = Rest { relations: vec![open("many"), open("often")], supplied: 0 };
        let evaluation = program.evaluate_with(database(seen), Some(&mut rest), &|_| true, &Limits::default());
        (rows(&evaluation, "found").len(), rest.supplied > 0)
    };
    assert_eq!(of("seen 3"), (0, false));
    let mut unasked = Rest { relations: vec![open("many"), open("often")], supplied: 0 };
    let nobody_asks = |metadata: &Metadata| metadata.id != "test/found";
    let evaluation = program.evaluate_with(database("seen 7"), Some(&mut unasked), &nobody_asks, &Limits::default());
    assert_eq!((rows(&evaluation, "found").len(), unasked.supplied), (0, 0));
    assert_eq!(of("seen 3\nseen 7"), (1, true));
}

/// Supplies `ran(o, api)` by API, and tells the APIs.
struct ByApi {
    rows: Vec<(i64, &'static str)>,
    supplied: usize,
}

impl Supplier for ByApi {
    fn columns(&self, relation: &str) -> Option<&'static [usize]> {
        (relation == "ran").then_some(&[1])
    }

    fn has_texts(&self, _: &str, _: usize) -> bool {
        true
    }

    fn texts(&mut self, _: &str, _: usize, values: &mut Values) -> Option<Vec<Cell>> {
        let apis: BTreeSet<&str> = self.rows.iter().map(|(_, api)| *api).collect();
        Some(apis.into_iter().map(|api| values.symbol(api)).collect())
    }

    fn supply(
        &mut self,
        _: &str,
        only: Option<(usize, &[Cell])>,
        values: &mut Values,
        add: &mut dyn FnMut(&[Cell], &[u32]),
    ) {
        for (o, api) in &self.rows {
            let cells = [values.number(*o), values.symbol(api)];
            if only.is_none_or(|(_, asked)| asked.contains(&cells[1])) {
                self.supplied += 1;
                add(&cells, &[]);
            }
        }
    }
}

#[test]
fn rows_are_asked_for_by_the_texts_that_patterns_let_through() {
    let schema = Source::new("s.dl", ".decl ran(o: number, api: symbol)");
    let rules = Source::new(
        "r.dl",
        ".decl sorts(o: number)\nsorts(o) :- ran(o, api), match(\"lib\\\\..*\", api), !match(\".*b\", api).\n\
         .decl nothing(o: number)\nnothing(o) :- ran(o, api), match(\"none\", api).",
    );
    let program = Program::compile(&[schema], &[rules], &NoFunctors).expect("in order");
    let apis = ["lib.a", "lib.b", "other.a", "other.a", "other.a", "lib.a"];
    let mut supplier = ByApi { rows: (0..).zip(apis).collect(), supplied: 0 };
    let evaluation = program.evaluate_with(Database::new(), Some(&mut supplier), &|_| true, &Limits::default());
    assert_eq!(rows(&evaluation, "sorts"), ["0", "5"]);
    assert_eq!(rows(&evaluation, "nothing"), [""; 0]);
    assert_eq!(supplier.supplied, 2);
}
