//! The way through the rooms, once, from left to right: which files, what they mean, what runs, which rules fire, what is reported.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use harp_annotations::Library;
use harp_corpus::{self, Corpus, FileId, NamedPath};
use harp_datalog::{Evaluation, FindingRow, Functors, Program};
use harp_graph::{self, DefectOfGraph, Facts, Graph, Wanted};
use harp_libraries::ALL;
use harp_limits::{Ceiling, Ceilings, Stopped, watched};
use harp_python::{Project, SyntaxError};
use harp_report::coverage::Coverage;
use harp_report::{
    Checked, Finding, Label, Notice, REVEAL_RULE, Report, RuleDescription, Selection, Severity, Summary,
    UNKNOWN_SILENCE_RULE, UNUSED_SILENCE_RULE, UserError, finish,
};
use harp_trace::Trace;

use super::config;
use super::corpus_summary;
use super::defects::Defects;
use super::error_counts::ErrorCounts;
use super::external_facts::ExternalFacts;
use super::options::ColorChoice;
use super::output;
use super::packs::{self, Pack};
use super::profile::Profile;
use super::progress::Progress;
use super::replaced_libraries::Replaced;
use super::subject::Subject;
use crate::answer_findings::{CONTRADICTED_RULE, MALFORMED_RULE, UNUSED_RULE};
use crate::functors::ShapeFunctors;
use crate::present_rows::Presenter;
use crate::rewrites::Recheck;
use crate::{
    Outcome, answer_findings, api_names, coverage, explanations, python_2_files, rule_findings, trace_findings,
};

pub use crate::analysis_options::AnalysisOptions;
pub use harp_report::SYNTAX_RULE;

/// What Harp reports without a rule of a pack.
pub const RULES_OF_NO_PACK: [&str; 7] = [
    SYNTAX_RULE,
    REVEAL_RULE,
    MALFORMED_RULE,
    UNUSED_RULE,
    CONTRADICTED_RULE,
    UNUSED_SILENCE_RULE,
    UNKNOWN_SILENCE_RULE,
];

/// The part of it that may be used while the rules' relations are made and evaluated.
pub(super) const PART_FOR_RULES: [u64; 2] = [17, 20];

/// The part of it that may be used while the relations are written, or questions to them answered.
pub(super) const PART_FOR_ANSWERS: [u64; 2] = [19, 20];

/// Fine units of work that making and evaluating the relations may take, and more with the bytes of the program.
const TICKS_FOR_RULES: u64 = 60_000_000;
const TICKS_FOR_A_BYTE: u64 = 40;

/// What came out.
pub struct Analysis {
    /// What could not be done; the rest was.
    pub errors: Vec<UserError>,
    /// What the user should know of the rules; nothing was left out for it.
    pub warnings: Vec<UserError>,
    /// Where Harp itself failed; the rest is complete.
    pub defects: Defects,
    /// The files that were read.
    pub corpus: Corpus,
    /// In their final form and order.
    pub findings: Vec<Finding>,
    /// What the run covered.
    pub summary: Summary,
    /// What was followed of each file, where somebody asks.
    pub coverage: Option<Coverage>,
    /// The errors, whoever asks for them.
    pub(super) all_errors: ErrorCounts,
    /// What is known of the rules, built-in ones and the user's.
    pub rules: Vec<RuleDescription>,
    /// What took how long.
    pub profile: Profile,
}

impl Analysis {
    /// What the renderers show.
    pub fn report(&self) -> Report<'_> {
        Report { findings: &self.findings, summary: &self.summary, sources: &self.corpus, rules: &self.rules }
    }
}

/// Analyses the files and folders that the options name.
pub fn analyse(options: &AnalysisOptions, progress: &Progress) -> Analysis {
    analyse_with(options, progress, |examined, defects| examined.findings(&options.selection, defects))
}

/// The same, where somebody else says what becomes of what is found.
pub(super) fn analyse_with(
    options: &AnalysisOptions,
    progress: &Progress,
    conclude: impl FnOnce(&Examined<'_>, &mut Defects) -> (Vec<Finding>, Summary, ErrorCounts) + Send,
) -> Analysis {
    let run = || {
        let (subject, errors) = Subject::load(options);
        let mut analysis = analyse_subject(subject, options, progress, conclude);
        analysis.errors.splice(0..0, errors);
        analysis
    };
    with_threads(options.threads, run)
}

/// More threads than these have nothing to do on any machine, and each has a stack.
const MOST_THREADS: usize = 256;

/// Runs on so many threads, whose stacks are large enough for the analysis.
pub(super) fn with_threads<T: Send>(threads: usize, run: impl FnOnce() -> T + Send) -> T {
    match rayon::ThreadPoolBuilder::new().num_threads(threads.min(MOST_THREADS)).stack_size(crate::STACK_SIZE).build() {
        Ok(pool) => pool.install(run),
        // Without threads of its own the process's common ones do.
        Err(_) => run(),
    }
}

/// Analyses files that were read. Nothing is read from disk but the packs and annotations of the options.
pub fn analyse_corpus(corpus: Corpus, options: &AnalysisOptions, progress: &Progress) -> Analysis {
    let conclude = |examined: &Examined<'_>, defects: &mut Defects| examined.findings(&options.selection, defects);
    analyse_subject(Subject::new(corpus, options), options, progress, conclude)
}

fn analyse_subject(
    subject: Subject,
    options: &AnalysisOptions,
    progress: &Progress,
    conclude: impl FnOnce(&Examined<'_>, &mut Defects) -> (Vec<Finding>, Summary, ErrorCounts),
) -> Analysis {
    Rules::with(options, |rules, unknown| analyse_with_rules(subject, options, (rules, unknown), progress, conclude))
}

fn analyse_with_rules(
    subject: Subject,
    options: &AnalysisOptions,
    (rules, unknown): (&Rules<'_>, Vec<UserError>),
    progress: &Progress,
    conclude: impl FnOnce(&Examined<'_>, &mut Defects) -> (Vec<Finding>, Summary, ErrorCounts),
) -> Analysis {
    let mut analysis = examine(&subject, rules.program.as_ref(), Extent::Findings, options, progress, |examined| {
        let mut defects = Defects::default();
        let (findings, summary, all_errors) = conclude(&examined, &mut defects);
        let coverage = options.coverage.then(|| coverage::of(&examined, &summary, options));
        let Examined { errors, warnings, profile, defects: before, .. } = examined;
        defects.extend(before);
        Analysis {
            errors,
            warnings,
            defects,
            corpus: Corpus::default(),
            findings,
            summary,
            coverage,
            all_errors,
            rules: rules.descriptions(),
            profile,
        }
    });
    analysis.errors.splice(0..0, rules.errors.iter().cloned().chain(unknown));
    let odd = options.warnings.iter().chain(&subject.warnings).chain(&rules.warnings).cloned();
    analysis.warnings.splice(0..0, odd);
    Analysis { corpus: subject.corpus, ..analysis }
}

/// The packs of a run, compiled over the relations of the schema.
pub struct Rules<'f> {
    /// Without those that have mistakes.
    pub packs: Vec<Pack>,
    /// The rules together; `None` where they cannot be compiled.
    pub program: Option<Program<'f>>,
    /// What is wrong with packs, which are left out for it.
    pub errors: Vec<UserError>,
    /// What is odd in the packs, but no mistake.
    pub warnings: Vec<UserError>,
}

impl<'f> Rules<'f> {
    /// The built-in packs and those in `folders`.
    pub fn load(folders: &[NamedPath], functors: &'f dyn Functors) -> Rules<'f> {
        Rules::compile(packs::load(folders), functors)
    }

    /// Does something with the packs of a run and what is wrong with the rules that its configuration names. Those that Harp brings along are compiled
    /// once for all analyses of a process: that takes as long as a small program.
    pub(super) fn with<T>(options: &AnalysisOptions, then: impl FnOnce(&Rules<'_>, Vec<UserError>) -> T) -> T {
        static BUILT_IN: LazyLock<Rules<'static>> = LazyLock::new(|| {
            static FUNCTORS: LazyLock<ShapeFunctors> = LazyLock::new(ShapeFunctors::default);
            Rules::load(&[], &*FUNCTORS)
        });
        let use_these = |rules: &Rules<'_>| then(rules, config::rules::unknown(&options.named_rules, rules));
        match options.packs.is_empty() {
            true => use_these(&BUILT_IN),
            false => use_these(&Rules::load(&options.packs, &rule_findings::functors())),
        }
    }

    /// The packs of a run, and what is wrong with the rules that its configuration names.
    pub(super) fn for_options(options: &AnalysisOptions, functors: &'f dyn Functors) -> Rules<'f> {
        let mut rules = Rules::load(&options.packs, functors);
        let unknown = config::rules::unknown(&options.named_rules, &rules);
        rules.errors.extend(unknown);
        rules
    }

    /// Packs that were read, with what was wrong in reading them.
    pub fn compile((mut packs, mut errors): (Vec<Pack>, Vec<UserError>), functors: &'f dyn Functors) -> Rules<'f> {
        let (program, more) = packs::compile(&mut packs, functors);
        errors.extend(more);
        let odd = program.iter().flat_map(|program| program.warnings.iter().map(|odd| (odd, program.sources())));
        let warnings = odd.map(|(odd, sources)| packs::user_error(odd, sources)).collect();
        Rules { packs, program, errors, warnings }
    }

    /// What the outputs say of the rules.
    pub fn descriptions(&self) -> Vec<RuleDescription> {
        self.program.as_ref().map_or(Vec::new(), |program| packs::descriptions(&self.packs, program))
    }
}

/// A program that was read and executed.
pub(super) struct Executed<'a> {
    pub program: harp_graph::Program<'a>,
    pub project: Project,
    /// What stands in place of libraries that Harp knows.
    pub replaced: Replaced,
    /// What could not be done; the rest was.
    pub errors: Vec<UserError>,
    pub profile: Profile,
}

/// Reads the meaning of a corpus, executes it, and hands on what that gave, with as much of its tensors as the wanted relations need.
pub(super) fn execute<T>(
    subject: &Subject,
    options: &AnalysisOptions,
    wanted: &Wanted,
    progress: &Progress,
    then: impl FnOnce(Executed<'_>) -> T,
) -> T {
    let mut profile = Profile::default();
    let Subject { corpus, library, errors, .. } = subject;
    let library: &Library = library;
    progress.step("parsing", corpus.files.len());
    let mut project = profile.measure("parsing", || subject.project(options.ceilings()));
    let mut replaced = Replaced::by_modules(&mut project, subject, options.isolated);
    progress.step("executing", corpus.files.len());
    let forgets_shapes = !options.explains && !harp_graph::are_tensors_wanted(wanted);
    let details = harp_graph::are_details_wanted(wanted);
    let of_project = options.annotations_of_project;
    let options = harp_interp::Options { forgets_shapes, details, ..options.interpreter_options() };
    let trace = profile.measure("executing", || harp_interp::analyse((corpus, &project), (library, ALL), &options));
    replaced.add_packs(&project, subject, of_project);
    let names = harp_graph::ApiNames::default();
    let program = harp_graph::Program { corpus, library, trace: &trace, names: &names };
    then(Executed { program, project, replaced, errors: errors.clone(), profile })
}

/// An analysis with everything that later questions need: why a finding is there, why another is not, what else holds.
pub struct Examined<'a> {
    /// Corpus, library and trace.
    pub program: harp_graph::Program<'a>,
    /// Where files are not Python.
    pub syntax_errors: Vec<(FileId, SyntaxError)>,
    /// Where files are read as Python 2.
    pub python_2: Option<Notice>,
    /// The relations that were made so far.
    pub facts: &'a Facts,
    /// The rules' rows; `None` where there are no rules.
    pub evaluation: Option<&'a Evaluation<'a>>,
    /// What could not be done; the rest was.
    pub errors: Vec<UserError>,
    /// What the evaluation says of rules, such as of one that was stopped.
    pub warnings: Vec<UserError>,
    /// Where Harp itself failed; the rest is complete.
    pub defects: Defects,
    /// What took how long.
    pub profile: Profile,
    /// What stands in place of libraries that Harp knows.
    pub(super) replaced: Replaced,
    /// What it takes to analyse the program once more.
    pub recheck: Recheck<'a>,
}

/// What will be asked of an evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Its findings with their assumptions: relations have the rows that rules needed for these.
    Findings,
    /// Any rows of any relation that a rule reads.
    Everything,
}

/// Executes a program, makes the facts that the rules read, and evaluates them.
pub fn examine<T>(
    subject: &Subject,
    rules: Option<&Program<'_>>,
    extent: Extent,
    options: &AnalysisOptions,
    progress: &Progress,
    then: impl FnOnce(Examined<'_>) -> T,
) -> T {
    let wanted = rules.map_or(Wanted::Only(Vec::new()), rule_findings::wanted);
    let corpus = &subject.corpus;
    execute(subject, options, &wanted, progress, |executed| {
        let Executed { program, mut project, replaced, mut errors, mut profile } = executed;
        let external = rules.map(|rules| ExternalFacts::read(&options.facts, rules, corpus)).unwrap_or_default();
        errors.extend(external.errors);
        let tables = &external.tables;
        let mut defects = Defects::default();
        defects.add_of_entries(&program.trace.defects, corpus);
        let on_trace = |stopped| {
            let defect = DefectOfGraph::of(stopped, "the facts of the host program".to_owned());
            Graph::of_trace(program, &wanted, defect)
        };
        let syntax_errors = std::mem::take(&mut project.errors);
        let python_2 = python_2_files::notice(&project, corpus);
        progress.step("applying rules", 1);
        let watch = options.ceilings().part(PART_FOR_RULES).with_ticks(ticks_of(corpus));
        let (mut facts, evaluation) = match extent {
            Extent::Findings => {
                let make = || watched(watch, || Graph::on_request(program, project, &wanted)).unwrap_or_else(on_trace);
                let mut graph = profile.measure("facts", make);
                let evaluate = |rules| {
                    profile.measure("rules", || {
                        watched(watch, || {
                            rule_findings::evaluate_on_request(rules, &mut graph, tables, &options.selection)
                        })
                    })
                };
                let evaluation = rules.map(evaluate);
                (graph.into_facts(), evaluation)
            }
            Extent::Everything => {
                let facts = profile.measure("facts", || harp_graph::build(program, &project, &wanted, watch));
                let evaluate = |rules| {
                    profile.measure("rules", || watched(watch, || rule_findings::evaluate(rules, &facts, tables)))
                };
                let evaluation = rules.map(evaluate);
                (facts, evaluation)
            }
        };
        let evaluation = evaluation.and_then(|evaluated| {
            let stopped = |stopped| facts.defects.push(DefectOfGraph::of(stopped, "all rules".to_owned()));
            evaluated.map_err(stopped).ok()
        });
        let evaluation = evaluation.as_ref();
        defects.add_of_facts(&facts);
        evaluation.inspect(|evaluation| defects.add_of_rules(evaluation));
        let ran = evaluation.into_iter().flat_map(|evaluation| &evaluation.profile).filter(|rule| rule.runs > 0);
        profile.rules = ran.cloned().collect();
        let mut warnings = external.warnings;
        warnings.extend(rules.iter().flat_map(|rules| api_names::warnings(rules, &subject.library)));
        warnings.extend(evaluation.map_or(Vec::new(), rule_findings::warnings));
        let recheck = Recheck { subject, rules, options, trace: program.trace };
        then(Examined {
            program,
            syntax_errors,
            python_2,
            facts: &facts,
            evaluation,
            errors,
            warnings,
            defects,
            profile,
            replaced,
            recheck,
        })
    })
}

/// Analyses the files and folders that the options name, and asks the analysis something. Errors and warnings are shown first. Where
/// nothing could be read at all, nothing is asked.
pub(super) fn ask<T: Send>(
    options: &AnalysisOptions,
    rules: Option<&Program<'_>>,
    color: ColorChoice,
    question: impl FnOnce(&Examined<'_>) -> Result<T, UserError> + Send,
) -> Result<(Option<T>, Outcome), UserError> {
    let progress = Progress::on_terminal();
    let run = || {
        let (subject, mut errors) = Subject::load(options);
        let corpus_ticks = ticks_of(&subject.corpus);
        examine(&subject, rules, Extent::Everything, options, &progress, |mut examined| {
            progress.clear();
            errors.append(&mut examined.errors);
            output::show_errors(&errors, color);
            output::show_errors(&options.warnings, color);
            output::show_errors(&subject.warnings, color);
            output::show_errors(&examined.warnings, color);
            output::show_errors(&examined.replaced.warnings(), color);
            output::show_errors(&examined.defects.messages(), color);
            output::show_errors(followed_in_part(examined.program.trace).as_slice(), color);
            let unfinished = stopped_early(examined.facts);
            output::show_errors(&unfinished, color);
            if subject.corpus.files.is_empty() && !errors.is_empty() {
                return Ok((None, Outcome::Failed));
            }
            let is_complete = errors.is_empty() && examined.defects.is_empty() && unfinished.is_empty();
            let outcome = if is_complete { Outcome::Clean } else { Outcome::Failed };
            Ok((Some(within_bounds(options, corpus_ticks, "the answer", || question(&examined))?), outcome))
        })
    };
    with_threads(options.threads, run)
}

/// Does the last work of a command, once relations are made, within what it may use. `what` is not complete where it ends early.
pub(super) fn within_bounds<T>(
    options: &AnalysisOptions,
    ticks: u64,
    what: &str,
    work: impl FnOnce() -> Result<T, UserError>,
) -> Result<T, UserError> {
    // The wall clock ends following the program and making rows: what came of them is told.
    let watch = Ceilings { until: None, ..options.ceilings() }.part(PART_FOR_ANSWERS).with_ticks(ticks);
    watched(watch, work).unwrap_or_else(|stopped| match stopped {
        Stopped::Ceiling(ceiling) => Err(ran_out(&format!("{what} is not complete"), ceiling)),
        Stopped::Defect(defect) => {
            let mut defects = Defects::default();
            defects.add(defect, what.to_owned());
            Err(defects.messages().swap_remove(0))
        }
    })
}

/// So much work the rules of a program may take, and so much each question to what came of them.
pub(super) fn ticks_of(corpus: &Corpus) -> u64 {
    TICKS_FOR_RULES + TICKS_FOR_A_BYTE * corpus.files.iter().map(|file| file.text.len() as u64).sum::<u64>()
}

/// What a reader of relations has to know of those that are not complete, as a bound was reached.
pub(super) fn stopped_early(facts: &Facts) -> Vec<UserError> {
    let of_bounds = facts.defects.iter().filter_map(|defect| match defect.stopped {
        Stopped::Ceiling(ceiling) => Some(ran_out(&format!("{} are left out", defect.what), ceiling)),
        Stopped::Defect(_) => None,
    });
    of_bounds.collect()
}

/// Which limit an entry point reached, with the option that raises it where there is one.
pub(super) fn stopped_at(limit: &str) -> String {
    match limit {
        "steps" => "stopped at the step limit (`--effort high` or `--steps`)".to_owned(),
        "memory" => "stopped at the memory limit (`--memory`)".to_owned(),
        "time" => "stopped at the time limit (`--time-limit`)".to_owned(),
        other => format!("stopped: {other}"),
    }
}

/// Of the entries that were not followed to their end, so many are named.
const MOST_NAMED: usize = 3;

/// A warning for who reads relations of a program of which some entries ended early: `check` tells them in its summary.
pub(super) fn followed_in_part(trace: &Trace) -> Option<UserError> {
    let ended: Vec<_> = trace.entries.iter().filter_map(|entry| Some((&entry.name, entry.exhausted?))).collect();
    let named: Vec<String> =
        ended.iter().take(MOST_NAMED).map(|(name, what)| format!("{name}: {}", stopped_at(what))).collect();
    let more = match ended.len().saturating_sub(MOST_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let message = format!("the analysis did not reach the end of every entry point ({}{more})", named.join("; "));
    (!ended.is_empty()).then(|| UserError::warning(message))
}

fn ran_out(what: &str, ceiling: Ceiling) -> UserError {
    let error = UserError::new(format!("{what}: {} ran out", ceiling.name()));
    match ceiling {
        Ceiling::Memory => error.hint("`--memory` says how much there is"),
        Ceiling::Time => error.hint("`--time-limit` says how much there is"),
        Ceiling::Rows => error.note("a relation has at most 500,000 rows, and 20 more for each byte of the program"),
        Ceiling::Work => error,
    }
}

impl Examined<'_> {
    /// Whoever shows rows of the relations to a reader.
    pub fn presenter(&self) -> Presenter<'_> {
        Presenter { corpus: self.program.corpus, facts: self.facts, trace: self.program.trace, home: None }
    }

    /// Every finding as the analysis and the user's answers gave it: nothing is silenced, sorted or named yet. Those of rules come with their rows.
    pub fn found(&self, defects: &mut Defects) -> Vec<(Finding, Option<FindingRow>)> {
        self.found_with(true, defects)
    }

    /// The same without what the findings save, for whoever asks which there are.
    pub(super) fn found_alone(&self, defects: &mut Defects) -> Vec<(Finding, Option<FindingRow>)> {
        self.found_with(false, defects)
    }

    fn found_with(&self, tells_savings: bool, defects: &mut Defects) -> Vec<(Finding, Option<FindingRow>)> {
        let trace = self.program.trace;
        let syntax = self
            .syntax_errors
            .iter()
            .filter(|(_, error)| !error.is_limit)
            .map(|(file, error)| syntax_error(*file, error));
        let reveals = trace_findings::reveals(trace, self.facts);
        let mut found: Vec<_> = syntax.chain(reveals).map(|finding| (finding, None)).collect();
        if let Some(evaluation) = self.evaluation {
            let of_rules = rule_findings::findings(evaluation, self.facts, self.program, tells_savings, defects);
            found.extend(of_rules.into_iter().map(|(finding, row)| (finding, Some(row))));
        }
        // Whether a file is Python depends on no library.
        let of_analysis = found.iter_mut().filter(|(finding, _)| finding.rule != SYNTAX_RULE);
        of_analysis.for_each(|(finding, _)| self.replaced.mark_finding(finding));
        found.extend(answer_findings::findings(trace).into_iter().map(|finding| (finding, None)));
        found
    }

    /// The findings in their final form and order, with rewrites that were checked, and what the run covered.
    pub fn findings(&self, selection: &Selection, defects: &mut Defects) -> (Vec<Finding>, Summary, ErrorCounts) {
        let found = self.found(defects);
        let of_found: Vec<Finding> = found.iter().map(|(finding, _)| finding.clone()).collect();
        let all_errors = ErrorCounts::of(&of_found);
        let (mut findings, mut summary) = self.report(of_found, selection);
        summary.rewrites = self.recheck.check(&mut findings);
        if self.recheck.options.explains {
            explanations::attach(&mut findings, &found, self, defects);
        }
        (findings, summary, all_errors)
    }

    /// The same for findings as [`Examined::found`] gave them, whose rewrites nobody has checked.
    pub fn report(&self, mut findings: Vec<Finding>, selection: &Selection) -> (Vec<Finding>, Summary) {
        let harp_graph::Program { corpus, trace, .. } = self.program;
        let mut summary = corpus_summary::of(corpus);
        summary.notices.extend(self.python_2.clone());
        let stopped = self.evaluation.into_iter().flat_map(|evaluation| &evaluation.warnings);
        summary.budgets.extend(stopped.map(|warning| warning.message.clone()));
        if let Some(rules) = self.recheck.rules {
            let all = rules.identified().count();
            let incomplete = match self.evaluation {
                Some(evaluation) => evaluation.incomplete_findings(),
                None => rules.identified().filter_map(|rule| Some(rule.metadata?.id)).collect(),
            };
            summary.add_incomplete_rules(incomplete, all);
        }
        let left_out = self.facts.defects.iter().filter_map(|it| Some(format!("{}: {}", it.what, it.ceiling()?)));
        summary.budgets.extend(left_out);
        answer_findings::summarise(trace, &mut summary);
        trace_findings::summarise(trace, self.facts, &mut summary);
        let has_environment = self.recheck.options.python.is_some();
        summary.hints = coverage::hints(&summary.entries, self.program.library, has_environment);
        self.replaced.mark_entries(&mut summary);
        let given = corpus.files.iter().filter(|file| !corpus.is_imported(file.id));
        let files: Vec<FileId> = given.map(|file| file.id).collect();
        let rules = self.recheck.rules.map(known_rules);
        let untold = self.recheck.rules.map(|rules| untold(rules, selection)).unwrap_or_default();
        let checked = Checked { files: &files, rules: rules.as_ref(), untold: &untold };
        finish(&mut findings, &mut summary, selection, &checked, corpus);
        (findings, summary)
    }
}

/// The ids of rules that are not evaluated, as nobody asks for them.
fn untold(program: &Program<'_>, selection: &Selection) -> Vec<String> {
    let rules = program.identified().filter_map(|relation| relation.metadata);
    rules.filter(|metadata| !packs::is_told(metadata, selection)).map(|metadata| metadata.id).collect()
}

/// The ids of all rules, the names of their packs, and their tags.
pub(crate) fn known_rules(program: &Program<'_>) -> BTreeSet<String> {
    let rules = program.identified().filter_map(|relation| relation.metadata);
    let named = rules.flat_map(|metadata| std::iter::once(metadata.id).chain(metadata.tags));
    let mut known: BTreeSet<String> = RULES_OF_NO_PACK.map(str::to_owned).into_iter().chain(named).collect();
    let packs: Vec<String> =
        known.iter().filter_map(|id| id.split_once('/')).map(|(pack, _)| pack.to_owned()).collect();
    known.extend(packs);
    known
}

fn syntax_error(file: FileId, error: &SyntaxError) -> Finding {
    let span = error.range.in_file(file);
    Finding::new(SYNTAX_RULE, Severity::Error, &error.message, Label::new(span, ""))
}
