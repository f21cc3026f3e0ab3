//! `--facts`: rows of relations as tables, one for each relation.
//!
//! The process of a repository makes the rows once the findings are known, of the same trace: the findings are those of an audit without `--facts`.

use std::io;
use std::path::PathBuf;

use harp_corpus::{NamedPath, open_file};
use harp_datalog::{self, Evaluation, Program, RelationDescription, RelationId, VisibleName};
use harp_graph::{DefectOfGraph, Facts, Relation, Wanted};
use harp_limits::watched;
use harp_report::{Summary, UserError, closest};
use harp_tables::facts::{Column, FactTable, Rows, Value, is_whole};

use super::options::AuditOptions;
use super::parts::Folder;
use super::run::{Done, Known};
use crate::defects::Defects;
use crate::packs::{self, Pack};
use crate::pipeline::{Examined, PART_FOR_ANSWERS, PART_FOR_RULES, Rules, ticks_of};
use crate::present_rows::Presenter;
use crate::query::visible_names;
use crate::replaced_libraries::Replaced;
use crate::rule_findings;

/// Of a relation, a repository has so many rows in a table,
const MOST_ROWS: usize = 500_000;
/// and of all relations together so many bytes: what is written is held in memory until it is all there.
const MOST_BYTES: usize = 128 << 20;
/// A name of a relation that nobody declares is told so many that end with it.
const MOST_MEANT: usize = 5;

/// A relation whose rows are asked for.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    /// The name of its table.
    pub table: String,
    pub columns: Vec<Column>,
    id: RelationId,
    /// In the schema, where it stands there.
    of_schema: Option<Relation>,
}

impl Asked {
    /// What the options ask for, by the names that a query knows.
    pub fn of(options: &AuditOptions) -> Result<Vec<Asked>, UserError> {
        if options.facts.is_empty() {
            return Ok(Vec::new());
        }
        let packs: Vec<NamedPath> = options.analysis.pack.iter().map(NamedPath::by_user).collect();
        let functors = rule_findings::functors();
        let rules = Rules::load(&packs, &functors);
        match (rules.errors.into_iter().next(), &rules.program) {
            (None, Some(program)) => Asked::among(&options.relations(), program, &rules.packs),
            (mistake, _) => Err(mistake.unwrap_or_else(|| UserError::new("the packs have mistakes"))),
        }
    }

    fn among(names: &[&str], program: &Program<'_>, packs: &[Pack]) -> Result<Vec<Asked>, UserError> {
        let relations = program.relations();
        let known = visible_names(Some(program), packs);
        let mut all: Vec<Asked> = Vec::new();
        for name in names {
            let asked = Asked::new(name, &relations, &known)?;
            if let Some(other) = all.iter().position(|other| other.table == asked.table) {
                let message = format!("`{}` and `{name}` would have the same table", names[other]);
                return Err(UserError::new(message).hint("ask for one of them"));
            }
            all.push(asked);
        }
        Ok(all)
    }

    fn new(name: &str, relations: &[RelationDescription], known: &[VisibleName]) -> Result<Asked, UserError> {
        let of_schema = Relation::ALL.iter().copied().find(|relation| relation.name() == name);
        let known_as = known.iter().find(|known| known.name == name);
        let found = relations.iter().find(|it| match (of_schema, known_as) {
            (Some(_), _) => it.source == packs::SCHEMA_NAME && it.name == name,
            (None, Some(known)) => it.source == known.source && it.name == known.relation,
            (None, None) => false,
        });
        let relation = found.ok_or_else(|| unknown(name, known))?;
        let columns = relation
            .columns
            .iter()
            .map(|column| Column { name: column.name.clone(), is_number: column.base == harp_datalog::Base::Number });
        // What no file may be called by: the names of files in packs are anything.
        let is_plain = |char: char| char.is_alphanumeric() || "_-.".contains(char);
        let table = name.chars().map(|char| if is_plain(char) { char } else { '.' }).collect();
        Ok(Asked { table, columns: columns.collect(), id: relation.id, of_schema })
    }
}

/// No relation has this name.
fn unknown(name: &str, known: &[VisibleName]) -> UserError {
    let schema = Relation::ALL.iter().map(|relation| relation.name());
    let all: Vec<&str> = schema.chain(known.iter().map(|known| known.name.as_str())).collect();
    let is_meant = |known: &&&str| known.rsplit_once('.').is_some_and(|(_, end)| end == name);
    let meant: Vec<String> = all.iter().filter(is_meant).map(|known| format!("`{known}`")).take(MOST_MEANT).collect();
    let hint = match closest(name, all) {
        _ if !meant.is_empty() => format!("several files declare it: write {}", meant.join(" or ")),
        Some(near) => format!("did you mean `{near}`?"),
        None => "`harp schema` prints the relations; those of packs are called PACK/FILE.RELATION".to_owned(),
    };
    UserError::new(format!("unknown relation `{name}`")).hint(hint)
}

/// The rows of all relations that are asked for in the repository that was analysed, as files in their order. What is left out is told as budgets that
/// ran out are.
pub(super) fn rows(
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
            harp_limits::Stopped::Ceiling(ceiling) => left_out.push(format!("{what}: {}", ceiling.name())),
            harp_limits::Stopped::Defect(defect) => defects.add(defect, what),
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

/// The file of a relation without rows.
pub(super) fn empty(asked: &Asked) -> io::Result<Vec<u8>> {
    Rows::new(&asked.columns)?.finish()
}

/// Whether the rows of all relations are known of a tree.
pub(super) fn are_known(folder: &Folder, key: &str, asked: &[Asked]) -> bool {
    asked
        .iter()
        .all(|asked| open_file(&folder.facts(key, &asked.table)).is_ok_and(|file| is_whole(file, &asked.columns)))
}

/// Keeps the rows of a tree; there are none where its process failed.
pub(super) fn keep(folder: &Folder, key: &str, asked: &[Asked], files: &[Vec<u8>]) -> io::Result<()> {
    for (number, asked) in asked.iter().enumerate() {
        let path = folder.facts(key, &asked.table);
        match files.get(number) {
            Some(file) => folder.put_below(&path, |out| out.write_all(file))?,
            None => folder.put_below(&path, |out| out.write_all(&empty(asked)?))?,
        }
    }
    Ok(())
}

/// Writes the table of each relation. `path` says where one is by its name.
pub(super) fn write(folder: &Folder, done: &[Done], asked: &[Asked], path: impl Fn(&str) -> PathBuf) -> io::Result<()> {
    for asked in asked {
        folder.put_below(&path(&asked.table), |out| {
            let mut table = FactTable::new(out, &asked.columns)?;
            for Done { name, known } in done {
                if let Known::Part(key) = known {
                    let file = open_file(&folder.facts(key, &asked.table)).map_err(io::Error::other)?;
                    table.add(name, file)?;
                }
            }
            table.finish().map(drop)
        })?;
    }
    Ok(())
}
