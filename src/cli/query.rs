//! `harp query`: answers of a query over the relations of a program and of the packs.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Value as Json, json};

use harp_datalog::{
    AssumptionSets, Evaluation, Program, Query, RelationDescription, RelationId, Source, Value, VisibleName,
};
use harp_graph::schema;
use harp_limits::tick;
use harp_report::text::Color;
use harp_report::{UserError, json, terminal_escape, text};

use super::options::{ColorChoice, QueryOptions, TableFormat};
use super::output::{self, Destination};
use super::packs::{self, Pack};
use super::pipeline::{self, AnalysisOptions, Rules};
use crate::Outcome;
use crate::present_rows::Presenter;
use crate::rule_findings;
use crate::text_table::{Side, Table};

/// How messages call the query.
const NAME: &str = "query";

/// A longer query is surely not one.
const LONGEST: u64 = 1 << 20;

pub(super) fn run(options: QueryOptions, color: ColorChoice) -> Result<Outcome, UserError> {
    let analysis = AnalysisOptions::new(&options.input)?;
    let text = question(&options.query)?;
    let functors = rule_findings::functors();
    let loaded = Rules::for_options(&analysis, &functors);
    output::show_errors(&loaded.errors, color);
    output::show_errors(&loaded.warnings, color);
    let schema = [Source::new(packs::SCHEMA_NAME, schema::SOURCE)];
    let all = loaded.program.as_ref().map_or(&[][..], |program| program.sources());
    let sources: Vec<Source> = all.iter().filter(|source| source.name != packs::SCHEMA_NAME).cloned().collect();
    let query = Query { source: Source::new(NAME, text), names: visible_names(loaded.program.as_ref(), &loaded.packs) };
    let (program, asked) = match Program::compile_query(&schema, &sources, &query, &functors) {
        Ok(compiled) => compiled,
        Err(mistakes) => {
            let known: Vec<Source> = schema.into_iter().chain(sources).chain([query.source]).collect();
            let mistakes: Vec<UserError> = mistakes.iter().map(|mistake| packs::user_error(mistake, &known)).collect();
            output::show_errors(&mistakes, color);
            return Ok(Outcome::Failed);
        }
    };
    let (_, outcome) = pipeline::ask(&analysis, Some(&program), color, |examined| {
        let Some(evaluation) = examined.evaluation else { return Ok(()) };
        let answers = Answers::new(evaluation, asked, examined.presenter(), &options);
        if options.format == TableFormat::Csv && answers.is_cut() {
            output::show_errors(&[UserError::warning(answers.count())], color);
        }
        Destination::StandardOutput.write(Color::Never, |out| match options.format {
            TableFormat::Text => answers.text(out),
            TableFormat::Json => answers.json(out),
            TableFormat::Csv => answers.csv(out),
        })
    })?;
    Ok(if loaded.errors.is_empty() { outcome } else { Outcome::Failed })
}

/// The query as it was typed, or what the standard input has.
fn question(typed: &str) -> Result<String, UserError> {
    if typed != "-" {
        return Ok(typed.to_owned());
    }
    let mut text = String::new();
    let read = io::stdin().lock().take(LONGEST + 1).read_to_string(&mut text);
    match read {
        Ok(length) if length as u64 <= LONGEST => Ok(text),
        Ok(_) => Err(UserError::new(format!("the query on the standard input is longer than {LONGEST} bytes"))),
        Err(error) => Err(UserError::new(format!("the query on the standard input cannot be read: {error}"))),
    }
}

/// The names by which a query knows the relations of packs: `pack/file.relation`, and `relation` alone where no other file has it.
pub(super) fn visible_names(program: Option<&Program<'_>>, packs: &[Pack]) -> Vec<VisibleName> {
    let mut files: BTreeMap<&str, String> = BTreeMap::new();
    for source in program.map_or(&[][..], |program| program.sources()) {
        for pack in packs {
            if let Some(path) = source.name.strip_prefix(&pack.name_of("")) {
                let file = path.strip_prefix("rules/").unwrap_or(path);
                let file = file.strip_suffix(".dl").unwrap_or(file);
                files.insert(&source.name, format!("{}/{file}", pack.manifest.name));
            }
        }
    }
    let relations = program.map_or(Vec::new(), Program::relations);
    let mut names = Vec::new();
    let mut count: BTreeMap<&str, usize> = BTreeMap::new();
    for relation in &relations {
        *count.entry(&relation.name).or_insert(0) += 1;
    }
    for relation in &relations {
        let Some(file) = files.get(relation.source.as_str()) else { continue };
        let mut add = |name: String| {
            names.push(VisibleName { name, source: relation.source.clone(), relation: relation.name.clone() });
        };
        add(format!("{file}.{}", relation.name));
        if count.get(relation.name.as_str()) == Some(&1) {
            add(relation.name.clone());
        }
    }
    names
}

/// The answers in their order.
struct Answers<'a> {
    relation: RelationDescription,
    presenter: Presenter<'a>,
    evaluation: &'a Evaluation<'a>,
    asked: RelationId,
    with_assumptions: bool,
    /// The numbers of those that are shown. There may be millions, so each is made when it is written.
    rows: Vec<usize>,
    /// How many there are beside those that are left out.
    total: usize,
    /// Why there may be more of them.
    incomplete: Option<&'static str>,
}

struct Answer {
    values: Vec<Value>,
    rests: Rests,
}

/// What an answer rests on.
enum Rests {
    NotAsked,
    On(AssumptionSets),
    /// What the user says does not hold.
    OnDenied,
}

impl<'a> Answers<'a> {
    fn new(
        evaluation: &'a Evaluation<'a>,
        asked: RelationId,
        presenter: Presenter<'a>,
        options: &QueryOptions,
    ) -> Answers<'a> {
        let relation = evaluation.program().describe(asked);
        let total = evaluation.row_count(asked);
        let limit = if options.limit > 0 { options.limit } else { usize::MAX };
        let rows = presenter.sorted(evaluation, asked, limit);
        let incomplete = match evaluation.is_incomplete(asked) {
            true => Some("a rule was stopped"),
            false => (!presenter.facts.defects.is_empty()).then_some("not all rows of the relations are there"),
        };
        let with_assumptions = options.assumptions;
        Answers { relation, presenter, evaluation, asked, with_assumptions, rows, total, incomplete }
    }

    /// What is shown, one by one.
    fn answers(&self) -> impl Iterator<Item = Answer> {
        self.rows.iter().map(|row| {
            tick();
            Answer { values: self.evaluation.row(self.asked, *row), rests: self.rests(*row) }
        })
    }

    fn rests(&self, row: usize) -> Rests {
        if !self.with_assumptions {
            return Rests::NotAsked;
        }
        match self.presenter.settled(&self.evaluation.assumptions(self.asked, row)) {
            Some(sets) => Rests::On(sets),
            None => Rests::OnDenied,
        }
    }

    fn is_cut(&self) -> bool {
        self.rows.len() < self.total
    }

    /// `3 answers`, or how many of them are shown.
    fn count(&self) -> String {
        let noun = if self.total == 1 { "answer" } else { "answers" };
        match self.total {
            0 => "no answers".to_owned(),
            total if self.is_cut() => {
                format!("{} of {total} {noun} are shown; `--limit 0` shows all", self.rows.len())
            }
            total => format!("{total} {noun}"),
        }
    }

    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        let columns = &self.relation.columns;
        if columns.is_empty() {
            for row in &self.rows {
                writeln!(out, "it holds")?;
                self.assumptions(*row, out)?;
            }
        } else if !self.rows.is_empty() {
            let side = |column: &harp_datalog::ColumnDescription| match column.base {
                harp_datalog::Base::Number => Side::Right,
                harp_datalog::Base::Symbol => Side::Left,
            };
            let head = columns.iter().map(|column| (terminal_escape::line(&column.name), side(column)));
            let mut table = Table::new(head.collect());
            for answer in self.answers() {
                let cells = columns.iter().zip(&answer.values);
                table.add(cells.map(|(column, value)| self.presenter.cell(column, value)).collect());
            }
            table.write(out, |number, out| self.assumptions(self.rows[number], out))?;
        }
        if !columns.is_empty() || self.rows.is_empty() {
            writeln!(out, "{}", self.count())?;
        }
        if let Some(why) = self.incomplete {
            writeln!(out, "there may be more: {why}")?;
        }
        Ok(())
    }

    fn assumptions(&self, row: usize, out: &mut dyn Write) -> io::Result<()> {
        let sets = match self.rests(row) {
            Rests::NotAsked => return Ok(()),
            Rests::OnDenied => return writeln!(out, "    rests on what you deny"),
            Rests::On(sets) => sets,
        };
        if sets.is_certain() {
            return writeln!(out, "    certain");
        }
        for (number, set) in self.presenter.assumptions(&sets).iter().enumerate() {
            for (place, assumption) in set.iter().enumerate() {
                let lead = match (number, place) {
                    (_, 1..) => "and ",
                    (0, _) => "",
                    _ => "or ",
                };
                writeln!(out, "    {lead}{}", text::assumption_in_full(assumption, self.presenter.corpus))?;
            }
        }
        if sets.truncated {
            writeln!(out, "    (there may be further or smaller sets)")?;
        }
        Ok(())
    }

    fn json(&self, out: &mut dyn Write) -> io::Result<()> {
        json::write(self, out)
    }

    fn answer_json(&self, answer: &Answer) -> Json {
        let values = self.relation.columns.iter().zip(&answer.values);
        let values: Vec<Json> = values.map(|(column, value)| self.presenter.json(column, value)).collect();
        match &answer.rests {
            Rests::NotAsked => json!({"values": values}),
            Rests::OnDenied => json!({"values": values, "assumptions": null}),
            Rests::On(sets) => json!({"values": values, "assumptions": self.presenter.assumptions_json(sets)}),
        }
    }

    fn csv(&self, out: &mut dyn Write) -> io::Result<()> {
        let head = self.relation.columns.iter().map(|column| column.name.clone());
        let extra = (self.with_assumptions && !self.rows.is_empty()).then(|| "assumptions".to_owned());
        csv_line(head.chain(extra), out)?;
        for answer in self.answers() {
            let values = answer.values.iter().map(Value::to_string);
            let sets = match &answer.rests {
                Rests::NotAsked => None,
                Rests::OnDenied => Some("denied".to_owned()),
                Rests::On(sets) => Some(self.assumption_texts(sets)),
            };
            csv_line(values.chain(sets), out)?;
        }
        Ok(())
    }

    /// `a and b; or c`
    fn assumption_texts(&self, sets: &AssumptionSets) -> String {
        let sets = self.presenter.assumptions(sets).into_iter().map(|set| {
            let texts: Vec<String> = set.into_iter().map(|assumption| assumption.text).collect();
            texts.join(" and ")
        });
        sets.collect::<Vec<_>>().join("; or ")
    }
}

/// The document that `json` writes, its keys in the order of their letters.
impl Serialize for Answers<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let columns = self.relation.columns.iter();
        let heads: Vec<Json> = columns.map(|column| json!({"name": column.name, "type": column.type_name})).collect();
        let mut document = serializer.serialize_map(Some(5))?;
        document.serialize_entry("columns", &heads)?;
        document.serialize_entry("complete", &self.incomplete.is_none())?;
        document.serialize_entry("rows", &Rows(self))?;
        document.serialize_entry("total", &self.total)?;
        document.serialize_entry("version", &1)?;
        document.end()
    }
}

struct Rows<'a>(&'a Answers<'a>);

impl Serialize for Rows<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.answers().map(|answer| self.0.answer_json(&answer)))
    }
}

/// A line as RFC 4180 has it; control characters are written out.
fn csv_line(values: impl Iterator<Item = String>, out: &mut dyn Write) -> io::Result<()> {
    let fields = values.map(|value| {
        let value = terminal_escape::whole(&value).into_owned();
        match value.contains([',', '"', '\n']) {
            true => format!("\"{}\"", value.replace('"', "\"\"")),
            false => value,
        }
    });
    write!(out, "{}\r\n", fields.collect::<Vec<_>>().join(","))
}
