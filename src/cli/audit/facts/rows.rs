//! Makes the rows of relations in the process of a repository.

use std::io;

use harp_datalog::{self, Evaluation, Program};
use harp_graph::{DefectOfGraph, Facts, Relation, Wanted};
use harp_limits::{Stopped, watched};
use harp_report::{Summary, UserError};
use harp_tables::facts::{Rows, Value};

use super::super::options::AuditOptions;
use super::{Asked, empty};
use crate::defects::Defects;
use crate::packs;
use crate::pipeline::{Examined, PART_FOR_ANSWERS, PART_FOR_RULES, ticks_of};
use crate::present_rows::Presenter;
use crate::replaced_libraries::Replaced;
use crate::rule_findings;

/// Of a relation, a repository has so many rows in a table,
const MOST_ROWS: usize = 500_000;
/// and of all relations together so many bytes: what is written is held in memory until it is all there.
const MOST_BYTES: usize = 128 << 20;

/// The rows of all relations that are asked for in the repository that was analysed, as files in their order. What is left out is told as budgets that
/// ran out are.
pub fn rows(
    examined: &Examined<'_>,
    options: &AuditOptions,
    summary: &mut Summary,
    defects: &mut Defects,
) -> Result<Vec<Vec<u8>>, UserError> {
    let (Some(rules), false) = (examined.recheck.rules, options.facts.is_empty()) else { return Ok(Vec::new()) };
    let (packs, _) = packs::load(&examined.recheck.options.packs);
    let asked = Asked::among(&options.relations(), rules, &packs)?;
    let unwritten = |error: io::Error| UserError::new(format!("rows of relations cannot be written: {error}"));
    let (files, left_out) = with_all_rows(examined, rules, &asked, defects, |evaluation, presenter, stopped| {
        let mut files = Vec::new();
        let mut room = Room { rows: MOST_ROWS, bytes: MOST_BYTES };
        for asked in &asked {
            let watch =
                examined.recheck.options.ceilings().part(PART_FOR_ANSWERS).with_ticks(ticks_of(presenter.corpus));
            let written = watched(watch, || file(asked, evaluation.map(|it| (it, presenter)), &mut room));
            let (file, count) = match written {
                Ok(written) => written.map_err(unwritten)?,
                Err(why) => {
                    stopped.push(DefectOfGraph::of(why, format!("the rows of `{}`", asked.table)));
                    (empty(asked).map_err(unwritten)?, 0)
                }
            };
            files.push(file);
            let Some(evaluation) = evaluation else { continue };
            let all = evaluation.row_count(asked.id);
            if count < all {
                summary.budgets.push(format!("the table of `{}` has {count} of {all} rows", asked.table));
            }
            if evaluation.is_incomplete(asked.id) {
                summary.budgets.push(format!("a rule that `{}` needs was stopped", asked.table));
            }
        }
        Ok(files)
    });
    for told in left_out {
        if !summary.budgets.contains(&told) {
            summary.budgets.push(told);
        }
    }
    files
}

/// Makes all rows of some relations of the analysed program, and of those that their rules read. Also gives what ran out.
fn with_all_rows<T>(
    examined: &Examined<'_>,
    rules: &Program<'_>,
    asked: &[Asked],
    defects: &mut Defects,
    then: impl FnOnce(Option<&Evaluation<'_>>, Presenter<'_>, &mut Vec<DefectOfGraph>) -> T,
) -> (T, Vec<String>) {
    let harp_graph::Program { corpus, trace, .. } = examined.program;
    let (options, subject) = (examined.recheck.options, examined.recheck.subject);
    let rules = rules.only(&asked.iter().map(|asked| asked.id).collect::<Vec<_>>());
    let read = rule_findings::wanted(&rules);
    let is_asked = |relation: Relation| asked.iter().any(|asked| asked.of_schema == Some(relation));
    let wanted = Relation::ALL.iter().copied().filter(|relation| read.has(*relation) || is_asked(*relation));
    let wanted = Wanted::Only(wanted.collect());
    // Its trees went when the rules had their rows.
    let mut project = subject.project(options.ceilings());
    Replaced::by_modules(&mut project, subject, options.isolated);
    let watch = options.ceilings().part(PART_FOR_RULES).with_ticks(ticks_of(corpus));
    let facts: Facts = harp_graph::build(examined.program, &project, &wanted, watch);
    let evaluation = watched(watch, || rule_findings::evaluate(&rules, &facts, &[]));
    let mut stopped = facts.defects.clone();
    let evaluation = evaluation.map_err(|why| stopped.push(DefectOfGraph::of(why, "all rows".to_owned()))).ok();
    evaluation.iter().for_each(|evaluation| defects.add_of_rules(evaluation));
    let presenter = Presenter { corpus, facts: &facts, trace, home: None };
    let result = then(evaluation.as_ref(), presenter, &mut stopped);
    let mut left_out = Vec::new();
    for DefectOfGraph { what, stopped } in stopped {
        match stopped {
            Stopped::Ceiling(ceiling) => left_out.push(format!("{what}: {}", ceiling.name())),
            Stopped::Defect(defect) => defects.add(defect, what),
        }
    }
    (result, left_out)
}

/// How much is written.
struct Room {
    /// Of each relation.
    rows: usize,
    /// Of all relations that are left.
    bytes: usize,
}

/// The first rows of a relation as a file, and how many they are.
fn file(
    asked: &Asked,
    made: Option<(&Evaluation<'_>, Presenter<'_>)>,
    room: &mut Room,
) -> io::Result<(Vec<u8>, usize)> {
    let Some((evaluation, presenter)) = made else { return Ok((empty(asked)?, 0)) };
    let (mut file, mut count) = (Rows::new(&asked.columns)?, 0);
    for number in presenter.sorted(evaluation, asked.id, room.rows) {
        let mut bytes = 0;
        let row = evaluation.row(asked.id, number).into_iter().map(|value| match value {
            harp_datalog::Value::Symbol(text) => {
                bytes += text.len();
                Value::Text(text)
            }
            harp_datalog::Value::Number(number) => {
                bytes += size_of::<i64>();
                Value::Number(number)
            }
        });
        let row: Vec<Value> = row.collect();
        let Some(left) = room.bytes.checked_sub(bytes) else { break };
        room.bytes = left;
        file.add(&row)?;
        count += 1;
    }
    Ok((file.finish()?, count))
}

#[cfg(test)]
mod tests {
    use harp_corpus::Corpus;
    use harp_datalog::{Database, Limits, NoFunctors, Source};
    use harp_graph::{are_details_wanted, are_tensors_wanted};
    use harp_tables::facts::Column;
    use harp_trace::Trace;

    use super::*;
    use crate::pipeline::Rules;

    /// The trace has all that relations are made from: rules that come with Harp read all kinds of it.
    #[test]
    fn built_in_rules_have_the_whole_trace_made() {
        let functors = rule_findings::functors();
        let rules = Rules::load(&[], &functors);
        let wanted = rule_findings::wanted(&rules.program.expect("built-in rules"));
        assert!(are_details_wanted(&wanted) && are_tensors_wanted(&wanted));
    }

    #[test]
    fn rows_end_at_the_first_bound() {
        let schema = Source::new("s.dl", ".decl named(n: number, name: symbol)");
        let program = Program::compile(&[schema], &[], &NoFunctors).expect("a schema");
        let mut database = Database::new();
        for (number, text) in [(3, "ccc"), (1, "a"), (2, "bb")] {
            let row = [database.number(number), database.symbol(text)];
            database.insert("named", &row, &[]);
        }
        let evaluation = program.evaluate(database, &Limits::default());
        let (corpus, facts, trace) = (Corpus::default(), Facts::new(&Wanted::Only(Vec::new())), Trace::default());
        let presenter = Presenter { corpus: &corpus, facts: &facts, trace: &trace, home: None };
        let column = |name: &str, is_number| Column { name: name.to_owned(), is_number };
        let asked = Asked {
            table: "named".to_owned(),
            columns: vec![column("n", true), column("name", false)],
            id: program.relation("named").expect("it is declared"),
            of_schema: None,
        };
        let count = |rows, bytes| {
            let mut room = Room { rows, bytes };
            let (_, count) = file(&asked, Some((&evaluation, presenter)), &mut room).expect("memory takes everything");
            (count, room.bytes)
        };
        assert_eq!(count(3, 30), (3, 0));
        assert_eq!(count(2, 30), (2, 11));
        assert_eq!(count(3, 29), (2, 10), "what does not fit ends the table");
        assert_eq!(count(3, 0), (0, 0));
    }
}
