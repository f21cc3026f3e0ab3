//! Tests of the whole room: small programs in, rows, findings, proofs and diagnostics out.

mod absence;
mod demand;
mod errors;
mod findings;
mod language;
mod naive;
mod order;
mod query;
mod random;

use crate::*;

/// Compiles rules that stand alone.
pub(super) fn compile(rules: &str) -> Program<'static> {
    match Program::compile(&[], &[Source::new("rules.dl", rules)], &NoFunctors) {
        Ok(program) => program,
        Err(diagnostics) => panic!("{diagnostics:#?}"),
    }
}

/// Fills a database with rows such as `edge a b`; words of digits are numbers. `a b | 1 2` after the row are its assumptions.
pub(super) fn database(rows: &str) -> Database {
    let mut database = Database::new();
    for line in rows.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (row, assumptions) = line.split_once('|').unwrap_or((line, ""));
        let mut words = row.split_whitespace();
        let Some(relation) = words.next() else { continue };
        let cells: Vec<Cell> = words
            .map(|word| match word.parse() {
                Ok(number) => database.number(number),
                Err(_) => database.symbol(word),
            })
            .collect();
        let assumptions: Vec<u32> = assumptions.split_whitespace().filter_map(|id| id.parse().ok()).collect();
        database.insert(relation, &cells, &assumptions);
    }
    database
}

/// The rows of a relation as sorted words.
pub(super) fn rows(evaluation: &Evaluation, relation: &str) -> Vec<String> {
    let relation = evaluation.program().relation(relation).expect("the relation is declared");
    let row = |values: &Vec<Value>| values.iter().map(Value::to_string).collect::<Vec<_>>().join(" ");
    let mut rows: Vec<String> = evaluation.rows(relation).iter().map(row).collect();
    rows.sort();
    rows
}

/// Evaluates rules over rows and gives the rows of one relation.
pub(super) fn derive(rules: &str, facts: &str, relation: &str) -> Vec<String> {
    let program = compile(rules);
    let evaluation = program.evaluate(database(facts), &Limits::default());
    assert!(evaluation.warnings.is_empty(), "{:#?}", evaluation.warnings);
    rows(&evaluation, relation)
}
