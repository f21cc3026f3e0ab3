//! `harp explain`: why a finding is there, with the rules, the rows and the assumptions that it follows from.

use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::Path;

use serde_json::{Value as Json, json};

use harp_corpus::{Corpus, Span};
use harp_datalog::{AssumptionSets, Evaluation, FindingRow, ProofTree};
use harp_report::fingerprint::Prefixes;
use harp_report::text::{self, TextOptions};
use harp_report::{Finding, Selection, Silence, UserError, closest, json, silenced_by, terminal_escape};

use super::defects::Defects;
use super::options::{AnswerFormat, ColorChoice, ExplainOptions, InputOptions};
use super::output::{self, Destination};
use super::packs;
use super::pipeline::{self, AnalysisOptions, Examined, RULES_OF_NO_PACK, Rules, SYNTAX_RULE};
use super::projects::{self, RunProjects};
use super::proof::ProofWriter;
use crate::Outcome;
use crate::place_argument::TypedPlace;
use crate::present_rows::{Presenter, place_json};
use crate::rule_findings;

/// Findings that a message about an unknown one lists.
const MOST_LISTED: usize = 5;
/// Several rows may give one finding; this many are proved.
const MOST_ROWS: usize = 3;
/// The least number of digits of a fingerprint that say which one is meant.
const FEWEST_DIGITS: usize = 4;

pub(super) fn run(options: ExplainOptions, color: ColorChoice) -> Result<Outcome, UserError> {
    let RunProjects { projects, errors } = RunProjects::of(&options.input)?;
    output::show_errors(&errors, color);
    // A place lies in one project; a fingerprint is looked for in all of them.
    let place = TypedPlace::parse(options.finding.rsplit_once('@').map_or(&*options.finding, |(_, place)| place));
    let meant: Vec<&AnalysisOptions> = match place {
        Some(place) => projects::of_file(place.file.as_ref(), &projects).into_iter().collect(),
        None => projects.iter().collect(),
    };
    let mut first_error = None;
    for analysis in meant {
        match explain_in(analysis, &options, color) {
            Ok(outcome) => return Ok(if errors.is_empty() { outcome } else { Outcome::Failed }),
            Err(error) => first_error = first_error.or(Some(error)),
        }
    }
    first_error.map_or(Ok(Outcome::Failed), Err)
}

/// Explains a finding of one project.
fn explain_in(analysis: &AnalysisOptions, options: &ExplainOptions, color: ColorChoice) -> Result<Outcome, UserError> {
    let functors = rule_findings::functors();
    let loaded = Rules::for_options(analysis, &functors);
    output::show_errors(&loaded.errors, color);
    output::show_errors(&loaded.warnings, color);
    let wanted = Wanted::parse(&options.finding, &loaded)?;
    let (_, outcome) = pipeline::ask(analysis, loaded.program.as_ref(), color, |examined| {
        let all = explained(examined, &analysis.selection);
        let mut chosen = wanted.choose(&all, examined.program.corpus)?;
        for one in &mut chosen {
            examined.recheck.check(std::slice::from_mut(&mut one.finding));
        }
        let destination = Destination::StandardOutput;
        let text =
            TextOptions { color: destination.color(color), width: destination.width(None), ..TextOptions::default() };
        let presenter = examined.presenter();
        destination.write(text.color, |out| match options.format {
            AnswerFormat::Text => {
                chosen.iter().try_for_each(|one| write_text(one, examined.evaluation, presenter, text, out))
            }
            AnswerFormat::Json => {
                let findings: Vec<Json> =
                    chosen.iter().map(|one| explanation_json(one, examined.evaluation, presenter)).collect();
                json::write(&json!({"version": 1, "findings": findings}), out)
            }
        })
    })?;
    Ok(if loaded.errors.is_empty() { outcome } else { Outcome::Failed })
}

/// A finding with the rows that gave it, and what keeps it out of the report. Nobody has checked its rewrite.
#[derive(Clone)]
pub struct Explained {
    pub finding: Finding,
    rows: Vec<FindingRow>,
    pub silence: Option<Silence>,
}

/// All findings of an analysis in the report's order, then those that are silenced.
pub fn explained(examined: &Examined<'_>, selection: &Selection) -> Vec<Explained> {
    let corpus = examined.program.corpus;
    // What Harp fails on is told where it is checked.
    let found = examined.found(&mut Defects::default());
    let rows_of = |finding: &Finding| {
        let same = found.iter().filter(|(other, _)| key(other) == key(finding));
        same.filter_map(|(_, row)| row.clone()).collect::<Vec<FindingRow>>()
    };
    let (reported, _) = examined.report(found.iter().map(|(finding, _)| finding.clone()).collect(), selection);
    let mut all: Vec<Explained> = Vec::new();
    for finding in reported {
        all.push(Explained { rows: rows_of(&finding), finding, silence: None });
    }
    let mut silenced: Vec<Explained> = Vec::new();
    for (finding, _) in &found {
        let Some(silence) = silenced_by(finding, selection, corpus) else { continue };
        if !silenced.iter().any(|other| key(&other.finding) == key(finding)) {
            silenced.push(Explained { rows: rows_of(finding), finding: finding.clone(), silence: Some(silence) });
        }
    }
    silenced.sort_by(|left, right| key(&left.finding).cmp(&key(&right.finding)));
    all.extend(silenced);
    all
}

/// What makes two findings one in the report.
fn key(finding: &Finding) -> (Span, &str, &str, Option<&str>) {
    (finding.primary.span, &finding.rule, &finding.message, finding.condition.as_deref())
}

/// Why a finding is not in the report.
pub fn silence_sentence(silence: Silence) -> &'static str {
    match silence {
        Silence::LineComment => "a comment `# harp: ignore` at its statement keeps it out of the report",
        Silence::FileComment => "a comment `# harp: ignore-file` keeps it out of the report",
        Silence::Configuration => "the configuration keeps it out of the report",
    }
}

/// Which findings the user means.
enum Wanted {
    Fingerprint(String),
    At { place: TypedPlace, rule: Option<String> },
}

impl Wanted {
    fn parse(typed: &str, loaded: &Rules<'_>) -> Result<Wanted, UserError> {
        let is_hexadecimal = !typed.is_empty() && typed.chars().all(|digit| digit.is_ascii_hexdigit());
        if is_hexadecimal && typed.len() >= FEWEST_DIGITS {
            return Ok(Wanted::Fingerprint(typed.to_ascii_lowercase()));
        }
        if is_hexadecimal {
            let message = format!("`{typed}` is too short for a fingerprint: it takes {FEWEST_DIGITS} digits or more");
            return Err(UserError::new(message));
        }
        if let Some((rule, place)) = typed.split_once('@')
            && let Some(place) = TypedPlace::parse(place)
        {
            let ids: Vec<String> = loaded.descriptions().into_iter().map(|rule| rule.id).collect();
            if ids.iter().any(|id| id == rule) || RULES_OF_NO_PACK.contains(&rule) {
                return Ok(Wanted::At { place, rule: Some(rule.to_owned()) });
            }
            let names = ids.iter().map(String::as_str).chain(RULES_OF_NO_PACK);
            // A path may have an `@`, too.
            if !std::path::Path::new(&place.file).exists() && TypedPlace::parse(typed).is_some_and(exists) {
                return Ok(Wanted::At { place: TypedPlace::parse(typed).unwrap_or(place), rule: None });
            }
            return Err(unknown_rule(rule, names));
        }
        match TypedPlace::parse(typed) {
            Some(place) => Ok(Wanted::At { place, rule: None }),
            None => Err(UserError::new(format!("no such finding: `{typed}`"))
                .hint("write a fingerprint as `harp check --verbose` prints it, FILE:LINE, or RULE@FILE:LINE")),
        }
    }

    fn choose(&self, all: &[Explained], corpus: &Corpus) -> Result<Vec<Explained>, UserError> {
        match self {
            Wanted::Fingerprint(digits) => by_fingerprint(digits, all, corpus).map(|one| vec![one.clone()]),
            Wanted::At { place, rule } => {
                let file = place.find(corpus)?;
                let fits = |one: &&Explained| rule.as_ref().is_none_or(|rule| *rule == one.finding.rule);
                let starting = all.iter().filter(fits).filter(|one| place.starts(file, one.finding.primary.span));
                let mut chosen: Vec<&Explained> = starting.collect();
                if chosen.is_empty() && place.column.is_none() {
                    let touching = all.iter().filter(fits).filter(|one| place.touches(file, one.finding.primary.span));
                    chosen = touching.collect();
                }
                if !chosen.is_empty() {
                    return Ok(chosen.into_iter().cloned().collect());
                }
                let what = rule.as_ref().map_or("no finding".to_owned(), |rule| format!("no finding of `{rule}`"));
                let error = UserError::new(format!("there is {what} at {}:{}", file.display_path, place.line));
                let mut near: Vec<&Explained> = all.iter().collect();
                near.sort_by_key(|one| place.distance(file.id, corpus, one.finding.primary.span));
                let error = listed(error, &near, corpus);
                Err(match rule {
                    Some(rule) if !RULES_OF_NO_PACK.contains(&rule.as_str()) => error.hint(format!(
                        "`harp why-not {rule} {}:{}` says what it would take",
                        file.display_path, place.line
                    )),
                    _ => error,
                })
            }
        }
    }
}

fn exists(place: TypedPlace) -> bool {
    std::path::Path::new(&place.file).exists()
}

/// What is said of a rule that no pack has.
pub fn unknown_rule<'n>(rule: &str, names: impl Iterator<Item = &'n str>) -> UserError {
    let error = UserError::new(format!("there is no rule `{rule}`"));
    if RULES_OF_NO_PACK.contains(&rule) {
        return error.note("Harp itself reports this, and no pack has a rule for it");
    }
    let names: Vec<&str> = names.collect();
    let of_pack = |name: &&&str| name.split_once('/').is_some_and(|(pack, _)| pack == rule);
    let in_pack: Vec<String> = names.iter().filter(of_pack).map(|name| format!("`{name}`")).collect();
    if !in_pack.is_empty() {
        return error.hint(format!("`{rule}` is a pack; its rules are {}", in_pack.join(", ")));
    }
    let without_pack = |name: &&&str| name.split_once('/').is_some_and(|(_, own)| own == rule);
    match names.iter().find(without_pack).copied().or_else(|| closest(rule, names.iter().copied())) {
        Some(near) => error.hint(format!("did you mean `{near}`?")),
        None => {
            error.hint("`harp rules` lists them, with `--pack DIR` those of a pack; a pack with mistakes is left out")
        }
    }
}

fn by_fingerprint<'e>(digits: &str, all: &'e [Explained], corpus: &Corpus) -> Result<&'e Explained, UserError> {
    let named: Vec<&Explained> = all.iter().filter(|one| one.finding.fingerprint.starts_with(digits)).collect();
    match named.as_slice() {
        [one] => Ok(one),
        [] => {
            let message = format!("no finding has a fingerprint that begins with `{digits}`");
            let reported: Vec<&Explained> = all.iter().collect();
            let error = listed(UserError::new(message), &reported, corpus);
            Err(error.hint("it takes the options with which `harp check` found it (`--pack`, `--args`, …)"))
        }
        several => {
            let message = format!("several fingerprints begin with `{digits}`");
            Err(listed(UserError::new(message), several, corpus))
        }
    }
}

/// An error with findings that may have been meant.
fn listed(mut error: UserError, findings: &[&Explained], corpus: &Corpus) -> UserError {
    if findings.is_empty() {
        return error.note("there are no findings at all");
    }
    for one in findings.iter().take(MOST_LISTED) {
        let finding = &one.finding;
        let digits = finding.fingerprint.get(..8).unwrap_or("(suppressed)");
        let place = text::place(finding.primary.span, corpus);
        error = error.note(format!("{digits}  {}  {place}  {}", finding.rule, terminal_escape::line(&finding.message)));
    }
    match findings.len().saturating_sub(MOST_LISTED) {
        0 => error,
        more => error.note(format!("and {more} more")),
    }
}

/// The trees and assumptions of one row.
struct Proved {
    tree: ProofTree,
    sets: AssumptionSets,
}

fn proved(one: &Explained, evaluation: Option<&Evaluation<'_>>, presenter: Presenter<'_>) -> Vec<Proved> {
    let Some(evaluation) = evaluation else { return Vec::new() };
    let rows = one.rows.iter().take(MOST_ROWS);
    rows.filter_map(|row| {
        let sets = presenter.settled(&evaluation.assumptions(row.relation, row.row))?;
        Some(Proved { tree: evaluation.proof(row.relation, row.row), sets })
    })
    .collect()
}

fn write_text(
    one: &Explained,
    evaluation: Option<&Evaluation<'_>>,
    presenter: Presenter<'_>,
    options: TextOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "{}\n", text::render_finding(&one.finding, presenter.corpus, options))?;
    if !one.finding.fingerprint.is_empty() {
        writeln!(out, "fingerprint: {}", one.finding.fingerprint)?;
    }
    if !one.finding.path_conditions.is_empty() {
        writeln!(out, "conditions that lead there:")?;
        for condition in &one.finding.path_conditions {
            writeln!(out, "  {}", terminal_escape::message(condition))?;
        }
    }
    if let Some(silence) = one.silence {
        writeln!(out, "suppressed: {}", silence_sentence(silence))?;
    }
    let presenter = Presenter { home: Some(one.finding.primary.span.file), ..presenter };
    let proofs = proved(one, evaluation, presenter);
    if proofs.is_empty() {
        let source =
            if one.finding.rule == SYNTAX_RULE { "the file is not valid Python" } else { "the program asks for it" };
        return writeln!(out, "why: {source}; no rule is involved\n");
    }
    for Proved { tree, sets } in &proofs {
        if let Some(evaluation) = evaluation {
            let file = presenter.corpus.file(one.finding.primary.span.file).map_or("", |file| &file.display_path);
            writeln!(out, "why (places without a file are in {}):", terminal_escape::path(file))?;
            ProofWriter::new(evaluation, presenter).text(tree, "  ", out)?;
        }
        write_sets(sets, presenter, out)?;
    }
    match one.rows.len().saturating_sub(MOST_ROWS) {
        0 => writeln!(out),
        more => writeln!(out, "{more} more rows give the same finding\n"),
    }
}

fn write_sets(sets: &AssumptionSets, presenter: Presenter<'_>, out: &mut dyn Write) -> io::Result<()> {
    let alternatives = presenter.assumptions(sets);
    if sets.is_certain() {
        writeln!(out, "it rests on no assumption")?;
    } else if let [only] = alternatives.as_slice() {
        writeln!(out, "it rests on:")?;
        for assumption in only {
            writeln!(out, "  {}", text::assumption_in_full(assumption, presenter.corpus))?;
        }
    } else {
        writeln!(out, "it rests on any one of {} sets of assumptions:", alternatives.len())?;
        for (number, set) in alternatives.iter().enumerate() {
            for (place, assumption) in set.iter().enumerate() {
                let lead = if place == 0 { format!("{}.", number + 1) } else { String::new() };
                writeln!(out, "  {lead:3}{}", text::assumption_in_full(assumption, presenter.corpus))?;
            }
        }
    }
    if sets.truncated {
        let most = AssumptionSets::MOST;
        writeln!(out, "there may be further or smaller sets: a bound was hit, such as that of {most} sets for a row")?;
    }
    Ok(())
}

fn explanation_json(one: &Explained, evaluation: Option<&Evaluation<'_>>, presenter: Presenter<'_>) -> Json {
    let finding = &one.finding;
    let proofs: Vec<Json> = proved(one, evaluation, presenter)
        .iter()
        .filter_map(|Proved { tree, sets }| {
            let tree = ProofWriter::new(evaluation?, presenter).json(tree);
            Some(json!({"proof": tree, "assumptions": presenter.assumptions_json(sets)}))
        })
        .collect();
    json!({
        "rule": finding.rule,
        "severity": finding.severity.as_str(),
        "message": finding.message,
        "fingerprint": finding.fingerprint,
        "path_conditions": finding.path_conditions,
        "place": place_json(presenter.corpus, finding.primary.span),
        "silenced": one.silence.map(silence_sentence),
        "rows": one.rows.len(),
        "proofs": proofs,
    })
}

/// More words than fit into so many columns are not repeated in a line.
const LONGEST_WORDS: usize = 60;

/// The line under a report on this input that tells how to ask why; nothing where no rule found anything.
pub fn invitation(findings: &[Finding], input: &InputOptions) -> Option<String> {
    let own = [SYNTAX_RULE, harp_report::REVEAL_RULE];
    let first = findings.iter().find(|finding| !own.contains(&finding.rule.as_str()))?;
    let why = format!("`harp explain {}{}` shows why", Prefixes::new(findings).of(first), typed(input));
    // A rule of another pack has a page only with the pack, which the configuration may name.
    let is_builtin = first.rule.split_once('/').is_some_and(|(pack, _)| packs::is_builtin(pack));
    Some(if is_builtin { format!("{why}; `harp rules {}` describes the rule", first.rule) } else { why })
}

/// The input as it is typed behind other words; a word for it where it is long, or takes quotes.
fn typed(input: &InputOptions) -> String {
    let mut words: Vec<&OsStr> = Vec::new();
    if !matches!(&*input.paths, [only] if only == Path::new(".")) {
        words.extend(input.paths.iter().map(|path| path.as_os_str()));
    }
    let named = [("--pack", &*input.pack), ("--annotations", &*input.annotations)];
    let single = [("--facts", &input.facts), ("--python", &input.python), ("--config", &input.config)];
    let named = named.into_iter().chain(single.iter().map(|(option, path)| (*option, path.as_slice())));
    for (option, paths) in named {
        words.extend(paths.iter().flat_map(|path| [OsStr::new(option), path.as_os_str()]));
    }
    if input.isolated {
        words.push(OsStr::new("--isolated"));
    }
    let is_option = input.paths.iter().any(|path| path.as_os_str().as_encoded_bytes().starts_with(b"-"));
    let is_plain = |c: char| c.is_alphanumeric() || "_./+:@%,=-".contains(c);
    let plain = |word: &&OsStr| {
        let text = word.to_str()?;
        (!text.is_empty() && text.chars().all(is_plain)).then(|| format!(" {text}"))
    };
    let all: Option<String> = words.iter().map(plain).collect();
    let all = all.filter(|all| all.chars().count() <= LONGEST_WORDS && input.args.is_none() && !is_option);
    all.unwrap_or(" PATH…".to_owned())
}
