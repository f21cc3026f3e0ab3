//! Queries: what they answer, which names they know, and what is said of their mistakes.

use super::*;

const SCHEMA: &str = ".type Node <: symbol\n.type Town <: Node\n.decl edge(from: Node, to: Node)\n.decl town(t: Town)\n\
                      .decl length(from: Node, n: number)";
const PACK: &str = ".decl path(from: Node, to: Node)\npath(x, y) :- edge(x, y).\npath(x, z) :- path(x, y), edge(y, z).\n\
                    .decl other(x: Node)\nother(x) :- edge(x, _).";
const FACTS: &str = "edge a b\nedge b c\ntown c\nlength a 3\nlength b 5";

fn compiled(query: &str) -> Result<(Program<'static>, RelationId), Vec<Diagnostic>> {
    let name = |name: &str| VisibleName {
        name: name.to_owned(),
        source: "pack/paths.dl".to_owned(),
        relation: name.rsplit('.').next().unwrap_or(name).to_owned(),
    };
    let query = Query {
        source: Source::new("query", query),
        names: vec![name("path"), name("acme/far-paths.path"), name("acme/far-paths.other")],
    };
    let schema = [Source::new("schema.dl", SCHEMA)];
    Program::compile_query(&schema, &[Source::new("pack/paths.dl", PACK)], &query, &NoFunctors)
}

/// Columns with their types, then the rows.
fn answers(query: &str) -> (String, Vec<String>) {
    let (program, asked) = compiled(query).unwrap_or_else(|problems| panic!("{problems:#?}"));
    let evaluation = program.evaluate(database(FACTS), &Limits::default());
    let columns = program.describe(asked).columns;
    let columns: Vec<String> = columns.iter().map(|column| format!("{}: {}", column.name, column.type_name)).collect();
    let row = |values: Vec<Value>| values.iter().map(Value::to_string).collect::<Vec<_>>().join(" ");
    let mut rows: Vec<String> = evaluation.rows(asked).into_iter().map(row).collect();
    rows.sort();
    (columns.join(", "), rows)
}

fn mistake(query: &str) -> (String, String, String) {
    let Err(mut problems) = compiled(query) else { panic!("`{query}` is in order") };
    let problem = problems.remove(0);
    let place = query.get(problem.range).unwrap_or("outside").to_owned();
    (problem.message, place, problem.hint.unwrap_or_default())
}

#[test]
fn a_body_answers_with_its_variables() {
    assert_eq!(answers("edge(x, y)"), ("x: Node, y: Node".to_owned(), vec!["a b".to_owned(), "b c".to_owned()]));
    assert_eq!(answers("edge(x, \"c\").").1, ["b"]);
    assert_eq!(answers("edge(x, _y), length(x, n), n > 3"), ("x: Node, n: number".to_owned(), vec!["b 5".to_owned()]));
    assert_eq!(answers("edge(x, y), town(y)").0, "x: Node, y: Town");
    assert_eq!(answers("town(x); edge(x, \"b\")").1, ["a", "c"]);
    assert_eq!(answers("n = count : { edge(_, _) }"), ("n: number".to_owned(), vec!["2".to_owned()]));
}

#[test]
fn without_variables_there_is_one_row_or_none() {
    assert_eq!(answers("edge(\"a\", _)"), (String::new(), vec![String::new()]));
    assert_eq!(answers("edge(\"c\", _)"), (String::new(), vec![]));
}

#[test]
fn rules_need_no_declarations() {
    let reach = "reach(x, y) :- edge(x, y). reach(x, z) :- reach(x, y), edge(y, z). far(x) :- reach(x, z), town(z).";
    assert_eq!(answers(reach), ("x: Node".to_owned(), vec!["a".to_owned(), "b".to_owned()]));
    assert_eq!(answers("q(x) :- edge(x, _). q(x) :- town(x).").0, "x: Node");
    assert_eq!(answers("q(n + 1, \"text\") :- length(_, n).").0, "column 1: number, column 2: symbol");
    assert_eq!(answers(".decl q(a: symbol)\nq(x) :- town(x).").0, "a: symbol");
    assert_eq!(answers("path(x) :- edge(x, _).").1, ["a", "b"], "a query's own name comes first");
}

#[test]
fn relations_of_rule_files_have_names() {
    assert_eq!(answers("path(\"a\", y)").1, ["b", "c"]);
    assert_eq!(answers("!acme/far-paths.path(x, \"c\"), town(x)").1, ["c"]);
    assert_eq!(answers("q(x) :- acme/far-paths.other(x).").1, ["a", "b"]);
    let (message, place, hint) = mistake("acme/far-paths.pat(x, y)");
    assert_eq!(message, "unknown relation `acme/far-paths.pat`");
    assert_eq!((place.as_str(), hint.as_str()), ("acme/far-paths.pat", "did you mean `acme/far-paths.path`?"));
    assert_eq!(answers("length(x, n), length(y, m), n/m = 1, n/strlen(\"abc\") = 1, x != y").1, ["b 5 a 3"]);
}

#[test]
fn mistakes_are_told_where_they_are() {
    let message = |query| mistake(query).0;
    assert_eq!(mistake("edgy(x, y)").1, "edgy");
    assert_eq!(mistake("edgy(x, y)").2, "did you mean `edge`?");
    assert_eq!(message("edge(x)"), "`edge` has 2 columns, not 1");
    assert_eq!(message("!edge(x, y)"), "the variable `x` is not bound");
    assert_eq!(message(""), "the query is empty");
    assert_eq!(message(" // nothing"), "the query is empty");
    assert_eq!(message(".decl q(x: symbol)"), "the query has no rules");
    assert!(message("edge(x, y) edge(y, z)").contains("the end of the query"));
    assert!(message("edge(x, \"").contains("the string does not end"));
    assert!(message("edge(x, y), ").contains("the end"));
    assert!(message("q(x) :- q(x).").contains("the rule is for `q`, which is not declared"));
    assert!(message("path(x, y) :- edge(y, x). edge(x, x) :- town(x).").contains("declared elsewhere"));
    let wide = (0..70).map(|n| format!("edge(x{n}, _)")).collect::<Vec<_>>().join(", ");
    assert!(message(&wide).contains("more than 64 columns"));
    assert!(message(&"edge(x, y), ".repeat(100_000)).contains("too large"));
}

#[test]
fn only_the_rules_that_a_query_needs_run() {
    let (program, _) = compiled("town(x)").expect("in order");
    assert_eq!(program.inputs_read(), ["town"]);
}
