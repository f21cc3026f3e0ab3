//! The order in which literals are tried: by bound columns and sizes, through indices, and never a function above its guard.

use super::*;

/// `inverse(n)`, which must never be asked of 0; `checked(n)`, a test likewise.
struct Guarded;

impl Functors for Guarded {
    fn signatures(&self) -> Vec<FunctorSignature> {
        vec![
            FunctorSignature::new("inverse", &[Base::Number], Some(Base::Number)),
            FunctorSignature::new("checked", &[Base::Number], None),
        ]
    }

    fn apply(&self, _: usize, arguments: &[Cell], values: &mut Values) -> Option<Cell> {
        let number = values.integer(*arguments.first()?);
        assert_ne!(number, 0, "the guard comes first");
        Some(values.number(1000 / number))
    }
}

#[test]
fn functions_stay_behind_their_guards() {
    let declarations = ".decl p(x: number)\n.input p\n.decl ok(x: number)\n.input ok\n.decl pair(x: number, y: number)\n.input pair\n\
        .decl q(x: number)\n";
    let facts: String =
        (0..50).map(|n| format!("p {n}\npair {n} {}\n", (n + 1) % 50)).collect::<String>() + "ok 5\nok 7";
    for rule in [
        "q(y) :- p(x), x != 0, y = inverse(x).",
        "q(inverse(x)) :- p(x), x > 0.",
        "q(y) :- p(x), ok(x), y = inverse(x).",
        "q(y) :- p(x), ok(x), inverse(x) > 3, y = x.",
        "q(x) :- p(x), !(x = 0), checked(x).",
        "q(x) :- p(x), x != 0, !checked(x); ok(x).",
        "q(x) :- p(x), pair(x, z), z != 0, y = inverse(z), ok(y); ok(x).",
        "q(n) :- n = sum inverse(x) : { p(x), x != 0 }.",
        "q(n) :- n = max y : { pair(x, z), ok(x), y = inverse(x), z != y }.",
        "q(x) :- p(x), ok(x), pair(x, inverse(x)); ok(x).",
        "q(x) :- q(y), ok(y), x = inverse(y). q(7).",
    ] {
        let text = format!("{declarations}{rule}");
        let program = Program::compile(&[], &[Source::new("r.dl", text)], &Guarded).expect(rule);
        let evaluation = program.evaluate(database(&facts), &Limits::default());
        assert!(!rows(&evaluation, "q").is_empty(), "{rule}");
    }
}

/// How many steps the last rule takes over `big` with 10,000 rows, `wide` with as many of three columns, and `small` with two.
fn steps(rule: &str) -> u64 {
    let mut database = Database::new();
    for number in 0..10_000 {
        let cells = [number, number % 100, number % 10].map(|value| database.number(value));
        database.insert("big", &cells[..2], &[]);
        database.insert("wide", &cells, &[]);
    }
    for number in [3, 77] {
        let cell = database.number(number);
        database.insert("small", &[cell], &[]);
    }
    let program = compile(&format!(
        ".decl big(x: number, y: number)\n.input big\n.decl wide(x: number, y: number, z: number)\n.input wide\n\
        .decl small(x: number)\n.input small\n.decl r(x: number)\n{rule}"
    ));
    let evaluation = program.evaluate(database, &Limits::default());
    assert!(evaluation.row_count(program.relation("r").expect("declared")) > 0, "{rule}");
    evaluation.profile.iter().map(|profile| profile.steps - 100 * profile.runs as u64).sum()
}

#[test]
fn joins_begin_with_few_rows_and_go_on_by_bound_columns() {
    // Two rows of `small`, each with its row of `big` by an index.
    assert!(steps("r(y) :- big(x, y), small(x).") <= 4);
    // 100 rows for each.
    assert!(steps("r(x) :- big(x, y), small(y).") <= 202);
    // The index on both columns.
    assert!(steps("r(x) :- small(x), wide(x, y, z), wide(y, y, z).") <= 6);
    assert!(steps("r(z) :- wide(x, y, z), small(x), y > 1.") <= 4);
    // A constant is a bound column.
    assert!(steps("r(y) :- wide(5, y, _), big(y, _).") <= 2);
    // One row is as good as all where nothing is bound.
    assert!(steps("r(x) :- small(x), wide(_, _, _), big(x, _).") <= 6);
    // A negation is one look-up.
    assert!(steps("r(x) :- small(x), !big(_, x), x < 50; small(x), !wide(1, x, _).") <= 4);
    // The new rows drive a recursion; each is looked at once.
    assert!(steps("r(3). r(y) :- r(x), big(x, y). r(y + 1) :- r(y), y < 200, small(77).") <= 1200);
}
