//! `harp why-not`: why a rule finds nothing at a line, down to the facts that are missing.

pub(crate) mod as_json;

use std::collections::BTreeSet;
use std::io::{self, Write};

use harp_corpus::{SourceFile, Span};
use harp_datalog::{Answer, ColumnDescription, Evaluation, Failure, Program, RelationId, Value, WhyNot};
use harp_graph::{Facts, Relation, Schema};
use harp_report::text::Color;
use harp_report::{UserError, json, terminal_escape, text};

use super::explain::{self, Explained};
use super::options::{AnswerFormat, ColorChoice, WhyNotOptions};
use super::output::{self, Destination};
use super::pipeline::{self, Rules};
use super::projects::{self, RunProjects};
use super::proof::{ProofWriter, reference};
use crate::Outcome;
use crate::place_argument::TypedPlace;
use crate::present_rows::Presenter;
use crate::{rewrites, rule_findings};

/// Places on the line that are named; the one that came furthest is explained.
const MOST_PLACES: usize = 3;
/// Missing rows are explained by what is missing for them, this deep.
pub(super) const DEEPEST: usize = 8;
/// Rows whose absence is looked into to find the place that came furthest.
const MOST_LOOKS: usize = 500;
/// After so many lines the explanation stops.
const MOST_LINES: usize = 300;
/// Rows that differ from a missing one in one column, that are shown.
const MOST_SIMILAR: usize = 2;

pub(super) fn run(mut options: WhyNotOptions, color: ColorChoice) -> Result<Outcome, UserError> {
    let Some(place) = TypedPlace::parse(&options.place) else {
        return Err(UserError::new(format!("`{}` is not a location", options.place)).hint("write FILE:LINE"));
    };
    if options.input.paths.is_empty() {
        options.input.paths.push(place.file.clone().into());
    }
    let RunProjects { projects, errors } = RunProjects::of(&options.input)?;
    output::show_errors(&errors, color);
    let Some(analysis) = projects::of_file(place.file.as_ref(), &projects) else { return Ok(Outcome::Failed) };
    let functors = rule_findings::functors();
    let loaded = Rules::for_options(analysis, &functors);
    output::show_errors(&loaded.errors, color);
    output::show_errors(&loaded.warnings, color);
    let asked = Asked::find(&options.rule, &loaded)?;
    let (_, outcome) = pipeline::ask(analysis, loaded.program.as_ref(), color, |examined| {
        let Some(evaluation) = examined.evaluation else { return Ok(()) };
        let file = place.find(examined.program.corpus)?;
        let mut all = explain::explained(examined, &analysis.selection);
        // Why it is there is asked, and not what to write.
        all.iter_mut().for_each(|one| rewrites::withhold(&mut one.finding));
        let here = all.iter().filter(|one| one.finding.rule == asked.rule);
        let mut there: Vec<&Explained> =
            here.clone().filter(|one| place.starts(file, one.finding.primary.span)).collect();
        if there.is_empty() {
            there = here.filter(|one| place.touches(file, one.finding.primary.span)).collect();
        }
        let presenter = Presenter { home: Some(file.id), ..examined.presenter() };
        let candidates = candidates(&asked, evaluation.program(), examined.facts, &place, file);
        let spoken_of = Place { file: &file.display_path, line: place.line };
        Destination::StandardOutput.write(Color::Never, |out| match (options.format, there.is_empty()) {
            (AnswerFormat::Json, false) => json::write(&as_json::found(&asked, &spoken_of, &there, presenter), out),
            (AnswerFormat::Json, true) => {
                let ranked = ranked(&asked, candidates, evaluation);
                json::write(&as_json::missing(&asked, &spoken_of, &ranked, evaluation, presenter), out)
            }
            (AnswerFormat::Text, false) => there.iter().try_for_each(|one| found(one, presenter, out)),
            (AnswerFormat::Text, true) => {
                let ranked = ranked(&asked, candidates, evaluation);
                Writer::new(evaluation, presenter).missing(&asked, &spoken_of, &ranked, out)
            }
        })
    })?;
    Ok(if loaded.errors.is_empty() { outcome } else { Outcome::Failed })
}

/// A rule with the relation of its findings and the column that says where they are.
pub(super) struct Asked {
    pub rule: String,
    pub relation: RelationId,
    pub at: ColumnDescription,
}

/// The line that is asked about.
pub(super) struct Place<'a> {
    pub file: &'a str,
    pub line: u32,
}

/// A place that the rule could speak of, and how far each of its bodies came for it.
pub(super) type Ranked = (String, Vec<WhyNot>);

/// The candidates, those for which the rule came furthest first.
fn ranked(asked: &Asked, mut candidates: Vec<(Span, String)>, evaluation: &Evaluation<'_>) -> Vec<Ranked> {
    // Of those that come equally far, the widest tells most.
    candidates.sort_by_key(|(span, _)| std::cmp::Reverse(span.end - span.start));
    let answer = |(_, symbol): (Span, String)| {
        let known = [(asked.at.name.as_str(), Value::Symbol(symbol.clone()))];
        let answers = evaluation.why_not(asked.relation, &known).unwrap_or_default();
        (symbol, answers)
    };
    let mut attempts: Vec<Ranked> = candidates.into_iter().map(answer).collect();
    let mut looks = MOST_LOOKS;
    attempts.sort_by_cached_key(|(_, answers)| std::cmp::Reverse(progress(evaluation, answers, 0, &mut looks)));
    attempts
}

impl Asked {
    fn find(rule: &str, loaded: &Rules<'_>) -> Result<Asked, UserError> {
        let described = loaded.descriptions();
        let unknown = || explain::unknown_rule(rule, described.iter().map(|known| known.id.as_str()));
        let program = loaded.program.as_ref().ok_or_else(unknown)?;
        let relation = program.finding(rule).ok_or_else(unknown)?;
        let description = program.describe(relation);
        let at = description.metadata.and_then(|metadata| metadata.at);
        match at.and_then(|at| description.columns.get(at).cloned()) {
            Some(at) => Ok(Asked { rule: rule.to_owned(), relation, at }),
            None => Err(UserError::new(format!("the rule `{rule}` does not say where its findings are"))
                .hint("give its declaration an `@at` with a column of places")),
        }
    }
}

fn found(one: &Explained, presenter: Presenter<'_>, out: &mut dyn Write) -> io::Result<()> {
    let finding = &one.finding;
    let place = text::place(finding.primary.span, presenter.corpus);
    writeln!(out, "{} is found at {place}: {}", finding.rule, terminal_escape::line(&finding.message))?;
    match one.silence {
        Some(silence) => writeln!(out, "  but {}", explain::silence_sentence(silence)),
        None => writeln!(out, "  `harp explain {}@{place}` shows why", finding.rule),
    }
}

/// The places on the line that the rule could speak of: those that stand in columns of the right type.
fn candidates(
    asked: &Asked,
    program: &Program<'_>,
    facts: &Facts,
    place: &TypedPlace,
    file: &SourceFile,
) -> Vec<(Span, String)> {
    let mut starting = BTreeSet::new();
    let mut touching = BTreeSet::new();
    for relation in Relation::ALL {
        let Some(id) = program.relation(relation.name()) else { continue };
        let columns = program.describe(id).columns;
        let fitting: Vec<usize> = (0..Schema::get().relation(*relation).columns.len())
            .filter(|column| columns.get(*column).is_some_and(|column| may_hold(column, &asked.at)))
            .collect();
        if fitting.is_empty() {
            continue;
        }
        for (row, _) in facts.rows(*relation).iter() {
            for column in &fitting {
                let symbol = row[*column].symbol();
                let Some(span) = facts.place(symbol) else { continue };
                if place.starts(file, span) {
                    starting.insert((span, facts.text(symbol).into_owned()));
                } else if place.column.is_none() && place.touches(file, span) {
                    touching.insert((span, facts.text(symbol).into_owned()));
                }
            }
        }
    }
    if !starting.is_empty() {
        return starting.into_iter().collect();
    }
    // What is around the line is nearer the smaller it is.
    let mut around: Vec<(Span, String)> = touching.into_iter().collect();
    around.sort_by_key(|(span, _)| span.end - span.start);
    around.truncate(MOST_PLACES);
    around
}

/// Whether values of a column can be values of another: one type contains the other, and they are places.
fn may_hold(column: &ColumnDescription, wanted: &ColumnDescription) -> bool {
    let narrow = column.lineage.contains(&wanted.type_name);
    let wide = wanted.lineage.contains(&column.type_name) && column.lineage.len() > 2;
    narrow || wide
}

/// Writes what is missing.
struct Writer<'a> {
    evaluation: &'a Evaluation<'a>,
    presenter: Presenter<'a>,
    proofs: ProofWriter<'a>,
    explained: BTreeSet<(RelationId, Vec<Option<Value>>)>,
    lines: usize,
}

impl<'a> Writer<'a> {
    fn new(evaluation: &'a Evaluation<'a>, presenter: Presenter<'a>) -> Writer<'a> {
        let proofs = ProofWriter::new(evaluation, presenter);
        Writer { evaluation, presenter, proofs, explained: BTreeSet::new(), lines: 0 }
    }

    fn missing(
        &mut self,
        asked: &Asked,
        place: &Place<'_>,
        attempts: &[Ranked],
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let (rule, file_name) = (terminal_escape::line(&asked.rule), terminal_escape::path(place.file));
        writeln!(out, "{rule} finds nothing at {file_name}:{}", place.line)?;
        if self.evaluation.is_incomplete(asked.relation) {
            writeln!(out, "  its rows are not complete, as a rule was stopped")?;
        }
        if attempts.is_empty() {
            let type_name = terminal_escape::line(&asked.at.type_name);
            return writeln!(out, "  no `{type_name}` of the relations that the rules read is there");
        }
        let show = |symbol: &str| self.presenter.short(&asked.at, &Value::Symbol(symbol.to_owned()));
        let others: Vec<String> = attempts.iter().skip(1).take(MOST_PLACES).map(|(symbol, _)| show(symbol)).collect();
        let more = attempts.len().saturating_sub(1 + others.len());
        if let Some((symbol, answers)) = attempts.first() {
            writeln!(out, "not for {} = {}:", terminal_escape::line(&asked.at.name), show(symbol))?;
            if answers.is_empty() {
                writeln!(out, "  there is no rule for it")?;
            }
            self.attempts(answers, "  ", 0, Detail::AllValues, out)?;
        }
        if !others.is_empty() {
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            writeln!(out, "as early or earlier it fails for {}{more}", others.join(", "))?;
            writeln!(out, "FILE:LINE:COLUMN asks about what begins there")?;
        }
        Ok(())
    }

    /// The rules for one row. Those that lack the same as one before are only counted.
    fn attempts(
        &mut self,
        attempts: &[WhyNot],
        indent: &str,
        depth: usize,
        detail: Detail,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let (told, alike) = distinct(attempts);
        for attempt in told {
            self.attempt(attempt, indent, depth, detail, out)?;
        }
        match alike.as_slice() {
            [] => Ok(()),
            [line] => writeln!(out, "{indent}the rule in line {line} lacks the same"),
            lines => writeln!(out, "{indent}the rules in lines {} lack the same", lines.join(", ")),
        }
    }

    /// Whether a line may be written; says once that no more are.
    fn has_room(&mut self, indent: &str, out: &mut dyn Write) -> io::Result<bool> {
        self.lines += 1;
        if self.lines == MOST_LINES {
            writeln!(out, "{indent}… (cut here)")?;
        }
        Ok(self.lines < MOST_LINES)
    }

    /// One rule body.
    fn attempt(
        &mut self,
        attempt: &WhyNot,
        indent: &str,
        depth: usize,
        detail: Detail,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        if !self.has_room(indent, out)? {
            return Ok(());
        }
        let place = reference(&attempt.rule);
        let (literal, values, known, reason, progress) = match &attempt.answer {
            Answer::Holds => return writeln!(out, "{indent}[{place}] holds"),
            Answer::OtherHead => return writeln!(out, "{indent}[{place}] is for other values"),
            Answer::Fails { literal, values, known, reason, progress, .. } => {
                (literal, values, known, reason, progress)
            }
        };
        let (held, all) = *progress;
        // The row that is missing, or is there, shows the values itself.
        let shown = match detail {
            Detail::AllValues if held > 0 => known,
            Detail::OwnValues if *reason == Failure::Untrue => values,
            Detail::AllValues | Detail::OwnValues => &Vec::new(),
        };
        let with = match shown.is_empty() {
            true => String::new(),
            false => format!(", with {}", self.presenter.bindings(shown)),
        };
        let after = if held > 0 { format!("after {held} of {all} literals ") } else { String::new() };
        writeln!(out, "{indent}[{place}] {after}fails at `{}`{with}", terminal_escape::line(literal))?;
        let below = format!("{indent}  ");
        match reason {
            Failure::Untrue => Ok(()),
            Failure::Row { relation, row } => {
                writeln!(out, "{below}for this is there:")?;
                let tree = self.evaluation.proof(*relation, *row);
                self.proofs.text(&tree, &format!("{below}  "), out)
            }
            Failure::NoRow { relation, row } => self.no_row(*relation, row, &below, depth + 1, out),
        }
    }

    /// Why there is no such row: it is not given, or each rule for it lacks something.
    fn no_row(
        &mut self,
        relation: RelationId,
        row: &[Option<Value>],
        indent: &str,
        depth: usize,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        if !self.has_room(indent, out)? {
            return Ok(());
        }
        let program = self.evaluation.program();
        let shown = self.presenter.row(program, relation, row);
        if program.describe(relation).input {
            writeln!(out, "{indent}{shown} is not among the facts")?;
            return self.similar(relation, row, indent, out);
        }
        if !self.explained.insert((relation, row.to_vec())) {
            return writeln!(out, "{indent}no {shown} (see above)");
        }
        if depth > DEEPEST {
            return writeln!(out, "{indent}no {shown} …");
        }
        writeln!(out, "{indent}no {shown}:")?;
        let attempts = self.evaluation.why_not_row(relation, row);
        // A chain of rules that lack one thing each does not wander off to the right.
        let below = if distinct(&attempts).0.len() == 1 { indent.to_owned() } else { format!("{indent}  ") };
        self.attempts(&attempts, &below, depth, Detail::OwnValues, out)
    }

    /// Facts that would fit if one column were different.
    fn similar(
        &mut self,
        relation: RelationId,
        row: &[Option<Value>],
        indent: &str,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let known = row.iter().flatten().count();
        let mut shown: BTreeSet<usize> = BTreeSet::new();
        for column in (0..row.len()).rev().filter(|column| row[*column].is_some()) {
            let mut relaxed = row.to_vec();
            relaxed[column] = None;
            if known > 1 {
                shown.extend(self.evaluation.rows_like(relation, &relaxed).into_iter().take(MOST_SIMILAR));
            }
        }
        for number in shown.into_iter().take(MOST_SIMILAR) {
            if !self.has_room(indent, out)? {
                return Ok(());
            }
            let similar: Vec<Option<Value>> = self.evaluation.row(relation, number).into_iter().map(Some).collect();
            let similar = self.presenter.row(self.evaluation.program(), relation, &similar);
            writeln!(out, "{indent}  but {similar} is")?;
        }
        Ok(())
    }
}

/// The attempts without those that lack the same row as one before, and the lines of these.
fn distinct(attempts: &[WhyNot]) -> (Vec<&WhyNot>, Vec<String>) {
    let lacks = |attempt: &WhyNot| match &attempt.answer {
        Answer::Fails { reason: Failure::NoRow { relation, row }, .. } => Some((*relation, row.clone())),
        _ => None,
    };
    let (mut told, mut alike): (Vec<&WhyNot>, Vec<String>) = (Vec::new(), Vec::new());
    for attempt in attempts {
        let own = lacks(attempt);
        if own.is_some() && told.iter().any(|before| lacks(before) == own) {
            alike.push(attempt.rule.line.to_string());
        } else {
            told.push(attempt);
        }
    }
    (told, alike)
}

/// Which values a failed literal is shown with.
#[derive(Clone, Copy)]
enum Detail {
    /// Of all variables that were known.
    AllValues,
    /// Of the literal's.
    OwnValues,
}

/// How far the rules for a row came: the literals that held, then those of the row that the best rule lacks, and so on. The greater
/// the further.
fn progress(evaluation: &Evaluation<'_>, attempts: &[WhyNot], depth: usize, looks: &mut usize) -> Vec<usize> {
    let mut best = Vec::new();
    for attempt in attempts {
        let own = match &attempt.answer {
            Answer::Holds => vec![usize::MAX],
            Answer::OtherHead => Vec::new(),
            Answer::Fails { progress: (held, _), reason: Failure::NoRow { relation, row }, .. }
                if depth < DEEPEST && *looks > 0 && !evaluation.program().describe(*relation).input =>
            {
                *looks -= 1;
                let below = evaluation.why_not_row(*relation, row);
                [vec![*held], progress(evaluation, &below, depth + 1, looks)].concat()
            }
            Answer::Fails { progress: (held, _), .. } => vec![*held],
        };
        best = best.max(own);
    }
    best
}
